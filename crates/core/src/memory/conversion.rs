//! [`Conversion`]: how a tensor gets from one register layout to another.
//!
//! What moves is the map from places of the target to places of the source, without the dims that stay. Where only registers move,
//! none of it costs an instruction of memory; where lanes move too, values go by shuffles while at most one register bit is exchanged
//! for a lane bit, also where the lane that is read depends on the warp or block; all else goes through the shared memory of a block
//! ([`Scratch`]), as long as each block holds what it is to have.
//! The way is that of Triton 3.9, held against its compiler on 551 conversions. Law: the way follows from the map alone; shuffles and bytes are those that the compiler emits.
//! Moved place by place, every value arrives, and the wavefronts are those of the instructions lane by lane.

use std::fmt;

use super::access::Transfer;
use super::linear_access::{Cost, LinearAccess, Span};
use super::scratch::{LaneTile, Scratch};
use super::shared::SharedMemory;
use super::shuffle::{MoveCost, WarpShuffles};
use crate::error::{Code, Error};
use crate::linear::bits::rank;
use crate::linear::{Columns, Dim, LinearLayout, Name};

/// Which matrix instructions a conversion may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Matrices {
    /// None.
    None,
    /// `ldmatrix`, from compute capability 7.5 on.
    Load,
    /// `ldmatrix` and `stmatrix`, from 9.0 on.
    LoadAndStore,
}

impl Matrices {
    /// Those of an NVIDIA GPU of a compute capability such as 80 or 90.
    pub fn of_capability(capability: i64) -> Self {
        match capability {
            90.. => Matrices::LoadAndStore,
            75..90 => Matrices::Load,
            _ => Matrices::None,
        }
    }

    /// The instructions that write, and those that read, elements of this size in bits: the plain one, then those of matrices, then those that
    /// transpose.
    pub fn tiles(self, element_bits: i64) -> (Vec<LaneTile>, Vec<LaneTile>) {
        let tiles = |allowed: bool| {
            let mut tiles = vec![LaneTile { contiguous: Vec::new(), addresses: vec![0, 1, 2] }];
            if allowed && element_bits <= MATRIX_ELEMENT_BITS {
                tiles.push(LaneTile { contiguous: vec![0, 1], addresses: vec![2, 3, 4] });
                if element_bits == TRANSPOSED_BITS {
                    tiles.push(LaneTile { contiguous: vec![2, 3, 4], addresses: vec![0, 1] });
                }
            }
            tiles
        };
        (tiles(self == Matrices::LoadAndStore), tiles(self != Matrices::None))
    }
}

/// The instructions that write, in the order of [`Matrices::tiles`].
pub const STORES: [&str; 3] = ["st.shared", "stmatrix", "stmatrix.trans"];
/// The instructions that read, in the order of [`Matrices::tiles`].
pub const LOADS: [&str; 3] = ["ld.shared", "ldmatrix", "ldmatrix.trans"];

/// What shuffles would cost where a conversion goes through shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alternative {
    /// The shuffles of a warp, and the selections of each lane.
    pub shuffles: MoveCost,
    /// The passes of a warp through shared memory, besides which there are barriers.
    pub memory_passes: u64,
}

/// How the values get there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// They are there.
    Nothing,
    /// By other names of registers.
    Registers,
    /// From lane to lane.
    Shuffles {
        /// How many register bits change places with lane bits: 0 or 1.
        exchanged: u32,
        /// How many shuffles of 32 bits each lane takes part in.
        shuffles: u64,
    },
    /// Through shared memory.
    Memory {
        /// Its layout and conflicts.
        scratch: Box<Scratch>,
        /// The bytes that a block needs of it.
        bytes: u64,
        /// Which instruction writes: 0 plain, 1 `stmatrix`, 2 transposed.
        store: usize,
        /// Which instruction reads: 0 plain, 1 `ldmatrix`, 2 transposed.
        load: usize,
        /// What the instructions cost by which a warp writes.
        written: Cost,
        /// What the instructions cost by which a warp reads.
        read: Cost,
    },
}

/// A conversion between register layouts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Conversion {
    /// From places of the target to places of the source, without the dims that stay.
    pub moves: LinearLayout,
    /// How many register bits change places with lane bits, where nothing else moves.
    pub exchanged: Option<u32>,
    /// How the values get there.
    pub way: Way,
}

/// The fewest bits of an element that moves.
const BYTE_BITS: i64 = 8;
/// The bits of a shuffled word, as a power of two.
const WORD_BITS: u32 = 5;
/// The largest elements that matrix instructions move, in bits.
const MATRIX_ELEMENT_BITS: i64 = 32;
/// The elements that transposed matrix instructions move, in bits.
const TRANSPOSED_BITS: i64 = 16;

impl Conversion {
    /// The conversion of a tensor whose elements have `element_bits` bits.
    ///
    /// # Errors
    /// As [`LinearLayout::minimal_cvt`] and [`Scratch::optimal`]; [`Code::MissingDim`] unless both have registers; [`Code::Range`] where
    /// elements below 8 bits move between lanes, and [`Code::Kind`] where a block does not hold what it is to have: neither has been
    /// measured; [`Code::TooLarge`] for memory beyond 2^48 elements.
    ///
    /// ```
    /// use bitstride::memory::{Conversion, Matrices, Way};
    /// use bitstride::triton::Encoding;
    /// let blocked = |box_: &str| -> Result<_, bitstride::Error> {
    ///     let text = format!("#ttg.blocked<{{sizePerThread = {box_}, threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}}>");
    ///     text.parse::<Encoding>()?.to_linear(&[16, 16])
    /// };
    /// let conversion = Conversion::new(&blocked("[2, 4]")?, &blocked("[1, 4]")?, 32, Matrices::LoadAndStore)?;
    /// assert_eq!(conversion.way, Way::Shuffles { exchanged: 1, shuffles: 8 });
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(
        source: &LinearLayout,
        target: &LinearLayout,
        element_bits: i64,
        matrices: Matrices,
    ) -> Result<Self, Error> {
        let moves = source.minimal_cvt(target)?;
        // What a layout leaves out has one value, which may still come from elsewhere.
        let sources = moves.outs().iter().filter(|dim| dim.bits > 0);
        let dims: Vec<Name> = moves.ins().iter().chain(sources).map(|dim| dim.name).collect();
        let only = |allowed: &[Name]| dims.iter().all(|dim| allowed.contains(dim));
        if dims.is_empty() {
            return Ok(Conversion { moves, exchanged: None, way: Way::Nothing });
        }
        if only(&[Name::REGISTER]) {
            return Ok(Conversion { moves, exchanged: None, way: Way::Registers });
        }
        if element_bits < BYTE_BITS {
            return Err(error!(
                Code::Range,
                "elements of {element_bits} bits are widened on their way; ways from {byte_bits} bits on are known",
                [element_bits, byte_bits = BYTE_BITS]
            )
            .with_help("give the bits that an element has while it moves"));
        }
        let (source, target) = (once(source)?, once(target)?);
        let within_warp = only(&[Name::REGISTER, Name::LANE]);
        let map = Exchange::new(&source, &target)?.filter(Exchange::keeps_registers);
        let exchanged = map.as_ref().filter(|_| within_warp).map(Exchange::exchanged);
        match map {
            // One layout names lanes that the other leaves out.
            Some(map) if map.exchanged() == 0 && map.lanes_keep(&source) => {
                return Ok(Conversion { moves, exchanged, way: Way::Registers });
            }
            Some(map) if map.exchanged() <= 1 => {
                let way = Way::Shuffles { exchanged: map.exchanged(), shuffles: map.shuffles(element_bits)? };
                return Ok(Conversion { moves, exchanged, way });
            }
            _ => {}
        }
        let way = through_memory(&source, &target, element_bits, matrices)?;
        Ok(Conversion { moves, exchanged, way })
    }
}

/// The lanes of a warp that executes matrix instructions, as a power of two.
const WARP_BITS: usize = 5;
/// The bits of a matrix of 8 rows of 16 bytes.
const MATRIX_BITS: u64 = 1024;
/// The most matrices of one instruction.
const MAX_MATRICES: u64 = 4;

/// The way through the shared memory of each block.
fn through_memory(
    source: &LinearLayout,
    target: &LinearLayout,
    element_bits: i64,
    matrices: Matrices,
) -> Result<Way, Error> {
    let (source, target) = (&distinct(source)?, &distinct(target)?);
    let sides = in_own_block(source, target)?;
    let lanes = |layout: &LinearLayout| layout.in_dim(Name::LANE).map_or(0, |(_, columns)| columns.len());
    let is_warp = sides.iter().all(|side| lanes(side) == WARP_BITS);
    let (stores, loads) = (if is_warp { matrices } else { Matrices::None }).tiles(element_bits);
    let (scratch, [store, load]) = Scratch::with_tiles(source, target, element_bits, [&stores, &loads])?;
    let places: u32 = scratch
        .layout
        .ins()
        .iter()
        .filter(|dim| ["vector", "bank", "segment"].contains(&dim.name.as_str()))
        .map(|dim| dim.bits)
        .sum();
    let bits =
        1_u64.checked_shl(places).zip(u64::try_from(element_bits).ok()).and_then(|(n, bits)| n.checked_mul(bits));
    let bytes = bits.ok_or_else(|| Error::overflow("the bytes of a conversion"))?.div_ceil(8);
    let [from, to] = &sides;
    let written = match store {
        0 => plain_cost(&scratch.addresses(from)?, element_bits, Transfer::Store)?,
        _ => matrix_cost(from, element_bits, &scratch, scratch.write_conflicts)?,
    };
    let read = match load {
        0 => plain_cost(&scratch.addresses(to)?, element_bits, Transfer::Load)?,
        _ => matrix_cost(to, element_bits, &scratch, scratch.read_conflicts)?,
    };
    Ok(Way::Memory { scratch: Box::new(scratch), bytes, store, load, written, read })
}

/// What the plain loads or stores of a warp cost, from the addresses of registers, lanes, warps and blocks. All lanes take part.
fn plain_cost(addresses: &LinearLayout, element_bits: i64, transfer: Transfer) -> Result<Cost, Error> {
    let (mut lanes, mut values, mut outer) = (Vec::new(), Vec::new(), Vec::new());
    for (dim, columns) in addresses.by_in_dim() {
        match dim.name {
            Name::REGISTER => values.extend(columns),
            Name::LANE => lanes.extend(columns),
            _ => outer.extend(columns),
        }
    }
    // What lies beyond a warp of this machine are further warps.
    outer.extend(lanes.split_off(lanes.len().min(WARP_BITS)));
    let access = LinearAccess::of_warp(transfer, element_bits, lanes, values, &outer).ok_or_else(|| {
        error!(
            Code::TooLarge,
            "a memory of 2^{out_bits} elements; at most 2^48 are counted",
            [out_bits = addresses.out_bits()]
        )
    })?;
    // Elements have whole bytes here.
    access.cost(&SharedMemory::NVIDIA, |offset| offset).ok_or_else(|| {
        error!(Code::Range, "no access of whole bytes transfers elements of {element_bits} bits", [element_bits])
    })
}

/// What the matrix instructions of a warp cost, where each matrix meets a given number of conflicts.
fn matrix_cost(layout: &LinearLayout, element_bits: i64, scratch: &Scratch, conflicts: i64) -> Result<Cost, Error> {
    let bits: u32 =
        [Name::REGISTER, Name::LANE].iter().filter_map(|dim| layout.in_dim(*dim)).map(|(dim, _)| dim.bits).sum();
    let rounds = scratch.layout.ins().last().map_or(0, |dim| dim.bits);
    let all = 1_u64.checked_shl(bits).zip(u64::try_from(element_bits).ok()).and_then(|(n, bits)| n.checked_mul(bits));
    let matrices = all.map(|all| all / MATRIX_BITS).ok_or_else(|| Error::overflow("the matrices of a conversion"))?;
    let at_once = matrices.checked_shr(rounds).unwrap_or(0).clamp(1, MAX_MATRICES);
    let number = |n: u64| i64::try_from(n).map_err(|_| Error::overflow("the matrices of a conversion"));
    let phases = number(matrices)?;
    let wavefronts = conflicts.checked_add(1).and_then(|each| each.checked_mul(phases));
    Ok(Cost {
        instructions: number(matrices / at_once)?,
        bytes: MATRIX_ROW_BYTES,
        phases,
        wavefronts: wavefronts.ok_or_else(|| Error::overflow("the wavefronts of a conversion"))?,
    })
}

/// The bytes of a row of a matrix.
const MATRIX_ROW_BYTES: i64 = 16;

/// Both layouts as if every block were the first: of the source what its registers, lanes and warps hold, and of the target what a
/// block is to have of that.
fn in_own_block(source: &LinearLayout, target: &LinearLayout) -> Result<[LinearLayout; 2], Error> {
    let own = [Name::REGISTER, Name::LANE, Name::WARP];
    let inside: Vec<Name> = own.into_iter().filter(|name| source.in_dim(*name).is_some()).collect();
    let outs: Vec<Name> = source.outs().iter().map(|dim| dim.name).collect();
    let held = source.sublayout(&inside, &outs)?;
    let wanted = in_own(&own, source, target)?;
    let span: Span = held.columns().iter().copied().collect();
    for (dim, columns) in wanted.by_in_dim() {
        for (bit, column) in columns.iter().enumerate() {
            if !span.holds(*column) {
                let block = u32::try_from(bit).ok().and_then(|bit| 1_u64.checked_shl(bit)).unwrap_or(0);
                let block = if own.contains(&dim.name) { 0 } else { block };
                let whole = target.in_dim(dim.name).and_then(|(_, columns)| columns.get(bit).copied()).unwrap_or(0);
                let element: Vec<String> = target.unpack(whole).iter().map(ToString::to_string).collect();
                return Err(error!(
                    Code::Kind,
                    "values move between blocks: block {block} is to have element ({element}), which none of its threads holds; ways inside of a \
                     block are known",
                    [block, element = element.join(",")]
                ));
            }
        }
    }
    Ok([held, wanted])
}

impl Conversion {
    /// What shuffles would cost for values that stay in their warp but go through shared memory, and the passes of that: Triton shuffles
    /// where at most one register bit is exchanged, whatever either costs. None for other conversions.
    ///
    /// # Errors
    /// As [`WarpShuffles::new`], [`Code::Overflow`] beyond 64 bits.
    pub fn alternative(
        &self,
        source: &LinearLayout,
        target: &LinearLayout,
        element_bits: i64,
    ) -> Result<Option<Alternative>, Error> {
        let Way::Memory { written, read, .. } = &self.way else { return Ok(None) };
        let shuffles = match WarpShuffles::new(source, target, element_bits) {
            Err(error) if error.code() == Code::Kind => return Ok(None),
            shuffles => shuffles?.cost(element_bits)?,
        };
        let passes = written.wavefronts.checked_add(read.wavefronts).and_then(|passes| u64::try_from(passes).ok());
        let memory_passes = passes.ok_or_else(|| Error::overflow("passes"))?;
        Ok(Some(Alternative { shuffles, memory_passes }))
    }

    /// The moves as pseudo-code, a line each: registers `x[i]` hold the source, `y[i]` the target. Through shared memory, each element
    /// has its address in bytes, and registers that repeat others are left out.
    ///
    /// # Errors
    /// As [`WarpShuffles::new`].
    pub fn lines(&self, source: &LinearLayout, target: &LinearLayout, element_bits: i64) -> Result<Vec<String>, Error> {
        Ok(match &self.way {
            Way::Nothing => vec!["y = x".to_owned()],
            Way::Registers => {
                let columns = self.moves.in_dim(Name::REGISTER).map_or_else(Vec::new, |(_, columns)| columns.to_vec());
                let bits: Vec<String> = columns.iter().map(ToString::to_string).collect();
                if bits.is_empty() {
                    return Ok(vec!["for i: y[i] = x[0]".to_owned()]);
                }
                vec![format!("for i: y[i] = x[m(i)], where m xors {} for the bits of i that are set", bits.join(", "))]
            }
            Way::Shuffles { .. } => WarpShuffles::new(source, target, element_bits)?.lines(),
            Way::Memory { scratch, store, load, written, read, .. } => {
                let [from, to] = in_own_block(&distinct(source)?, &distinct(target)?)?;
                let (written_to, read_from) = (scratch.addresses(&from)?, scratch.addresses(&to)?);
                let rounds = written_to.outs().last().map_or(0, |dim| dim.bits);
                let (write_bytes, read_bytes) = (written.bytes, read.bytes);
                let (write, read) = (STORES.get(*store).copied(), LOADS.get(*load).copied());
                let mut lines = Vec::new();
                if rounds > 0 {
                    lines.push(format!("for rep in 0..{}", 1_u64.checked_shl(rounds).unwrap_or(0)));
                }
                lines.push(format!(
                    "{} m[a] = x[i], {write_bytes} bytes at once, where {}",
                    write.unwrap_or_default(),
                    address_text("a", &written_to, element_bits)
                ));
                lines.push("barrier".to_owned());
                lines.push(format!(
                    "{} y[i] = m[b], {read_bytes} bytes at once, where {}",
                    read.unwrap_or_default(),
                    address_text("b", &read_from, element_bits)
                ));
                if rounds > 0 {
                    lines.push("barrier, before the next rep writes".to_owned());
                }
                lines
            }
        })
    }
}

/// The address in bytes of the element of each place, and the round in which it goes through memory, as what the set bits of register,
/// lane and warp xor.
fn address_text(name: &str, addresses: &LinearLayout, element_bits: i64) -> String {
    let bytes = u64::try_from(element_bits / BYTE_BITS).unwrap_or(0);
    let split = addresses.outs().first().map_or(0, |dim| dim.bits);
    let rounds = addresses.outs().last().is_some_and(|dim| dim.bits > 0);
    let low = 1_u64.checked_shl(split).map_or(u64::MAX, |size| size - 1);
    let xors = |of: &dyn Fn(u64) -> u64| -> String {
        let mut parts = Vec::new();
        let moves = |(dim, columns): &(Dim, &[u64])| match dim.name {
            Name::BLOCK => columns.iter().any(|column| *column != 0),
            _ => !columns.is_empty(),
        };
        for (dim, columns) in addresses.by_in_dim().filter(moves) {
            let numbers: Vec<String> = columns.iter().map(|column| of(*column).to_string()).collect();
            let dim = if dim.name == Name::REGISTER { "i".to_owned() } else { dim.name.to_string() };
            parts.push(format!("{} for the bits of {dim}", numbers.join(", ")));
        }
        parts.join(", ")
    };
    let address = xors(&|column| (column & low).wrapping_mul(bytes));
    let mut text = format!("byte {name} xors {address}");
    if rounds {
        let round = xors(&|column| column.checked_shr(split).unwrap_or(0));
        text.push_str(&format!(", in the rep that xors {round}"));
    }
    text
}

/// The target without what the source moves too by dims other than `own`: the values of each warp, or block, as if it were the first.
fn in_own(own: &[Name], source: &LinearLayout, target: &LinearLayout) -> Result<LinearLayout, Error> {
    let (mut ins, mut columns) = (Vec::new(), Columns::new());
    let of =
        |layout: &LinearLayout, dim: Name| layout.in_dim(dim).map_or_else(Vec::new, |(_, columns)| columns.to_vec());
    let missing = source.ins().iter().filter(|dim| target.in_dim(dim.name).is_none());
    for dim in target.ins().iter().chain(missing) {
        let (mut from, mut to) = (of(source, dim.name), of(target, dim.name));
        if own.contains(&dim.name) {
            from = vec![0; to.len()];
        }
        let bits = from.len().max(to.len());
        from.resize(bits, 0);
        to.resize(bits, 0);
        ins.push(Dim { name: dim.name, bits: u32::try_from(bits).unwrap_or(u32::MAX) });
        from.iter().zip(&to).for_each(|(from, to)| columns.push(from ^ to));
    }
    LinearLayout::from_columns(ins.into_iter().collect(), target.outs().iter().copied().collect(), columns)
}

/// A layout in which no registers repeat others: bits that depend on those before are copied by name.
fn distinct(layout: &LinearLayout) -> Result<LinearLayout, Error> {
    let mut span = Span::default();
    layout.keeping(Name::REGISTER, |column| span.insert(column))?.apply(layout)
}

/// A layout without the register bits that move nothing.
fn once(layout: &LinearLayout) -> Result<LinearLayout, Error> {
    layout.action_remove_broadcasted_regs()?.apply(layout)
}

/// Where the values of a lane come from: the map from places of the target to registers and lanes of the source, in the same warp.
struct Exchange {
    map: LinearLayout,
    register_bits: u32,
}

impl Exchange {
    /// None where values come from other warps.
    fn new(source: &LinearLayout, target: &LinearLayout) -> Result<Option<Self>, Error> {
        let places: Vec<Name> =
            [Name::REGISTER, Name::LANE].into_iter().filter(|name| source.in_dim(*name).is_some()).collect();
        let outs: Vec<Name> = source.outs().iter().map(|dim| dim.name).collect();
        let own = source.sublayout(&places, &outs)?;
        let map = match in_own(&[Name::REGISTER, Name::LANE], source, target)?.invert_and_compose(&own) {
            Err(error) if error.code() == Code::ImageNotContained => return Ok(None),
            map => map?,
        };
        let bits = |layout: &LinearLayout| layout.in_dim(Name::REGISTER).map_or(0, |(dim, _)| dim.bits);
        Ok(Some(Exchange { register_bits: bits(source).max(bits(target)), map }))
    }

    /// What an in dim of the target moves of an out dim of the source, a column a bit.
    fn block(&self, from: Name, to: Name) -> Vec<u64> {
        let (Some((_, columns)), Some((dim, shift))) = (self.map.in_dim(from), self.map.out_dim(to)) else {
            return Vec::new();
        };
        let mask = 1_u64.checked_shl(dim.bits).unwrap_or(0).wrapping_sub(1);
        columns.iter().map(|column| column >> shift & mask).collect()
    }

    /// How many register bits change places with lane bits.
    fn exchanged(&self) -> u32 {
        let from_lanes = rank(&self.block(Name::REGISTER, Name::LANE));
        let from_registers = rank(&self.block(Name::LANE, Name::REGISTER));
        from_lanes.max(from_registers)
    }

    /// Whether the registers that a lane takes do not depend on its warp or block.
    fn keeps_registers(&self) -> bool {
        let dims =
            self.map.ins().iter().map(|dim| dim.name).filter(|name| ![Name::REGISTER, Name::LANE].contains(name));
        dims.into_iter().all(|dim| self.block(dim, Name::REGISTER).iter().all(|column| *column == 0))
    }

    /// How many words each lane gives to shuffles: all that it holds, packed; half of them where an exchange alone is done.
    fn shuffles(&self, element_bits: i64) -> Result<u64, Error> {
        let log = element_bits.checked_ilog2().filter(|_| element_bits.count_ones() == 1).ok_or_else(|| {
            error!(Code::Range, "an element has a power of two of bits, not {element_bits}", [element_bits])
        })?;
        let exchanged = self.exchanged();
        let packed = WORD_BITS.saturating_sub(log).min(self.register_bits.saturating_sub(exchanged));
        let bits = self.register_bits - packed + log.saturating_sub(WORD_BITS);
        let words = 1_u64.checked_shl(bits).ok_or_else(|| Error::overflow("the shuffles of a conversion"))?;
        Ok(if exchanged == 1 && self.lanes_stay() { words / 2 } else { words })
    }

    /// Whether every lane takes what it holds itself: a lane bit stays where it is, or moves nothing in either layout.
    fn lanes_keep(&self, source: &LinearLayout) -> bool {
        let held = source.in_dim(Name::LANE).map_or(&[][..], |(_, columns)| columns);
        let own = self.block(Name::LANE, Name::LANE);
        let keeps = own.iter().enumerate().all(|(at, column)| {
            let is_own = u32::try_from(at).ok().and_then(|bit| 1_u64.checked_shl(bit)) == Some(*column);
            is_own || *column == 0 && matches!(held.get(at), Some(0) | None)
        });
        keeps && self.lanes_stay()
    }

    /// Whether lane bits stay where they are, but for the one that is exchanged.
    fn lanes_stay(&self) -> bool {
        let from_lanes = self.block(Name::REGISTER, Name::LANE);
        let taken = from_lanes.iter().fold(0, |all, column| all | column);
        let (lanes, registers) = (self.block(Name::LANE, Name::LANE), self.block(Name::LANE, Name::REGISTER));
        let outer =
            self.map.ins().iter().map(|dim| dim.name).filter(|name| ![Name::REGISTER, Name::LANE].contains(name));
        outer.into_iter().all(|dim| self.block(dim, Name::LANE).iter().all(|column| *column == 0))
            && (0..).zip(lanes.iter().zip(&registers)).all(|(bit, (lane, register)): (u32, _)| {
                let own = 1_u64.checked_shl(bit).unwrap_or(0);
                (*lane == 0 || *lane == own) && (*register == 0 || taken == 0 || taken & own != 0)
            })
    }
}

impl fmt::Display for Conversion {
    /// In words, with the numbers: `warp shuffles: 8 of 32 bits; …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.way {
            Way::Nothing => f.write_str("nothing moves: no instruction"),
            Way::Registers => f.write_str("registers change their names: no instruction"),
            Way::Shuffles { exchanged, shuffles } => {
                let exchange = match exchanged {
                    0 => "lanes exchange whole registers",
                    _ => "one register bit changes places with a lane bit",
                };
                write!(f, "warp shuffles: {shuffles} of 32 bits; {exchange}; no shared memory")
            }
            Way::Memory { scratch, bytes, store, load, written, read } => {
                let rounds = scratch.layout.ins().last().map_or(0, |dim| dim.bits);
                let rounds = match rounds {
                    0 => String::new(),
                    bits => format!(", used {} times", 1_u64.checked_shl(bits).unwrap_or(0)),
                };
                let write = STORES.get(*store).copied().unwrap_or_default();
                let load = LOADS.get(*load).copied().unwrap_or_default();
                let plural = if written.wavefronts == 1 { "" } else { "s" };
                write!(
                    f,
                    "shared memory: {bytes} bytes of scratch{rounds}; written by {write} ({} wavefront{plural} of a warp, {} conflicts), \
                     read by {load} ({}, {} conflicts)",
                    written.wavefronts,
                    written.wavefronts - written.phases,
                    read.wavefronts,
                    read.wavefronts - read.phases
                )
            }
        }
    }
}
