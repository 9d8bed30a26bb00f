//! [`Network`]: moves a block of bytes, or of smaller units, that is indexed by bits, in vectors of 64 bytes.
//!
//! The block has as many vectors as make each vector a line of either side. On each side, an index bit of a byte is
//! then either inside a vector (a position bit) or in the number of the vector. Bits that change between both come in
//! pairs. Each pair is one *round*, which exchanges a bit of the number with a position bit in all vectors. The
//! remaining order of the position bits is the same in every vector.
//!
//! Law: after the rounds and the order, vector `n` of the destination holds at position `p` the unit that the loops of
//! the block lead there.
//!
//! Where a layout is swizzled, bits of the number also flip positions inside vectors. These vectors are permuted as
//! they are loaded or stored. All bits that flip others of a block belong to the block. Bits in no round make several
//! blocks at one tile origin.
//!
//! This is the exchange of index bits that transposes a matrix in registers. Interleaving two rows is the case of one
//! round.

use std::fmt;

use super::bit_order::BitOrder;
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::pad_units::PadUnits;
use super::pair_buffer::PairBuffer;
use super::passes::{self, Pass};
use super::realigned::RealignedRows;
use super::stage::MAX_VECTORS;
use super::{Isa, LINE, scalar};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::cast::{distance, number, short};
use crate::machine::{
    MAX_PREFETCHED_PIECES, MIN_PREFETCH_STRIDE_BYTES, MIN_SCATTERED_LINES, Machine, SET_CONFLICT_BITS,
};

/// The vectors that registers hold.
pub(crate) const REGISTERS: usize = 16;

/// The bytes of a page.
const PAGE_BYTES: isize = 1 << 12;

/// What a byte is worth in bits, as a power of two.
pub(crate) const BYTE: u32 = 3;

/// A bit of the block: how far it moves on each side, in bytes or in units below one, and which bits of the address it flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bit {
    pub(crate) strides: [isize; 2],
    pub(crate) flips: [isize; 2],
}

impl Bit {
    /// A bit that flips none.
    pub(crate) fn strided(strides: [isize; 2]) -> Self {
        Bit { strides, flips: [0; 2] }
    }
}

/// Where the vectors of one side are, piece by piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vectors {
    /// The contiguous bytes of a piece, as a power of two.
    pub(crate) piece: u32,
    /// Where each piece is, vector by vector.
    pub(crate) at: Vec<isize>,
    /// For each whole vector, the position bits that are flipped, four times: an instruction broadcasts four bytes to a
    /// vector as it loads them. None where no vector has any.
    pub(crate) flips: Vec<[u8; 4]>,
}

impl Vectors {
    /// The number of position bits that are contiguous on a side, and the mask of positions that other bits flip in registers.
    ///
    /// Where bits of the number flip some inside, a whole vector is one of which bytes are flipped, if these do nothing but
    /// flip; else it comes in pieces, inside which nothing is flipped.
    fn together(inside: &[Bit], number: &[Bit], side: usize, unit: Unit) -> (usize, isize) {
        let step = |bit: &Bit| (bit.strides[side], bit.flips[side]);
        let alone = |(bit, at): &(&Bit, u32)| matches!(step(bit), (value, 0) | (0, value) if value == 1 << at);
        let first = unit.run - unit.step;
        let together = inside.iter().zip(first..).take_while(alone).count();
        let size = 1isize << together << first;
        let flipped = inside.iter().skip(together).chain(number).fold(0, |all, bit| all | step(bit).1) & (size - 1);
        let strided = inside.iter().take(together).fold(0, |all, bit| all | step(bit).0);
        match flipped {
            0 => (together, 0),
            _ if unit.bytes(size) == Some(LINE.cast_signed())
                && flipped & strided == 0
                && unit.bytes(flipped).is_some() =>
            {
                (together, size - 1)
            }
            _ => (usize::try_from(flipped.trailing_zeros().saturating_sub(first)).unwrap_or(0), 0),
        }
    }

    /// The vectors with some bits inside and others in their numbers; none where a piece is no whole bytes.
    fn of(inside: &[Bit], number: &[Bit], side: usize, unit: Unit) -> Option<Self> {
        let (together, mask) = Vectors::together(inside, number, side, unit);
        let above = inside.iter().skip(together).chain(number);
        let mask = mask >> (BYTE - unit.step);
        let mut at = sums(above.clone().map(|bit| unit.bytes(bit.strides[side])), |one, other| one + other)?;
        let mut flips = Vec::new();
        if above.clone().any(|bit| bit.flips[side] != 0) {
            let flipped = sums(above.map(|bit| unit.bytes(bit.flips[side])), |one, other| one ^ other)?;
            at.iter_mut().zip(&flipped).for_each(|(at, flip)| *at += flip & !mask);
            let positions = |flip: &isize| [(flip & mask).to_le_bytes()[0]; 4];
            flips.extend(flipped.iter().filter(|_| mask != 0).map(positions));
        }
        let piece = (u32::try_from(together).ok()? + unit.run).checked_sub(BYTE)?;
        Some(Vectors { piece, at, flips })
    }
}

/// The size of a unit and the unit of distances, as powers of two in bits. Distances are in bytes, or in units where
/// these are smaller.
#[derive(Clone, Copy)]
struct Unit {
    run: u32,
    step: u32,
}

impl Unit {
    /// A unit of the given size in bits, as a power of two.
    fn of(run: u32) -> Self {
        Unit { run, step: run.min(BYTE) }
    }

    /// A distance in bytes, if it is of whole ones.
    fn bytes(self, distance: isize) -> Option<isize> {
        let parts = BYTE - self.step;
        (distance & ((1 << parts) - 1) == 0).then_some(distance >> parts)
    }
}

/// The sums of all subsets of some numbers, if all are known: subset `n` has the numbers whose bits are set in `n`.
fn sums(
    numbers: impl Iterator<Item = Option<isize>> + Clone,
    sum: impl Fn(isize, isize) -> isize,
) -> Option<Vec<isize>> {
    let mut sums = Vec::with_capacity(1 << numbers.clone().count());
    sums.push(0);
    for number in numbers {
        let (before, number) = (sums.len(), number?);
        sums.extend_from_within(..);
        sums[before..].iter_mut().for_each(|partial| *partial = sum(*partial, number));
    }
    Some(sums)
}

/// Where a block is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TileOrigin {
    /// How far from the pointers of both sides.
    pub(crate) at: [isize; 2],
    /// Which of the rows of each side are its own: the first of them.
    rows: [u16; 2],
    /// How many of its rows in the destination the block before has written.
    consumed: u16,
}

impl TileOrigin {
    /// The tile origin at the given distance from the pointers of both sides, with the first of its rows on each, and
    /// the number of rows that the block before has written. Blocks and windows have some thousand rows at most, so that
    /// 16 bits hold them.
    pub(crate) fn of(at: [isize; 2], rows: [usize; 2], consumed: usize) -> Self {
        TileOrigin { at, rows: rows.map(short), consumed: short(consumed) }
    }

    /// The same rows, so much further on each side.
    pub(crate) fn moved(self, by: [isize; 2]) -> Self {
        TileOrigin { at: [self.at[0] + by[0], self.at[1] + by[1]], ..self }
    }

    /// Which of the rows of a side are its own: the first of them.
    #[inline(always)]
    pub(super) fn rows(&self, side: usize) -> usize {
        self.rows[side].into()
    }

    /// How many of its rows in the destination the block before has written.
    #[inline(always)]
    pub(super) fn consumed(&self) -> usize {
        self.consumed.into()
    }
}

/// Blocks that are moved one after the other.
pub(crate) struct Blocks<'a> {
    pub(crate) source: *const u8,
    pub(crate) destination: *mut u8,
    pub(crate) tiles: &'a [TileOrigin],
    /// The distance of each piece of each side from the tile origin, vector by vector.
    pub(crate) rows: [&'a [isize]; 2],
    /// The pointers and rows of the same tiles in the next list, whose lines are prefetched meanwhile.
    pub(crate) next: Option<([*const u8; 2], [&'a [isize]; 2])>,
    /// Whether the lines of each side are prefetched.
    pub(crate) prefetched: [bool; 2],
    /// The line buffer for realigned rows; `None` where vectors are stored as they are.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX-512 realigns vectors in registers"))]
    pub(crate) realigned: Option<RealignedRows<'a>>,
    /// The same for instructions that realign through memory.
    pub(crate) pair_buffer: Option<PairBuffer<'a>>,
    /// Whether vectors are streamed.
    pub(crate) stream: bool,
}

/// A block that comes later.
pub(super) struct Later<'a> {
    pub(super) pointers: [*const u8; 2],
    pub(super) rows: [&'a [isize]; 2],
    pub(super) tile: &'a TileOrigin,
}

impl<'a> Blocks<'a> {
    /// The block at a distance after one, in this list or in the next.
    #[inline(always)]
    pub(super) fn later(&self, at: usize, ahead: usize) -> Option<Later<'_>> {
        if let Some(tile) = self.tiles.get(at + ahead) {
            return Some(Later { pointers: [self.source, self.destination.cast_const()], rows: self.rows, tile });
        }
        let (pointers, rows) = self.next?;
        Some(Later { pointers, rows, tile: self.tiles.get(at - self.tiles.len().saturating_sub(ahead))? })
    }
}

/// What the vectors of both sides say of the rounds between them.
struct Exchanged {
    /// For each round, the position bit that is exchanged, by its worth in bits as a power of two.
    rounds: Vec<u32>,
    /// For each bit inside a vector of the destination, which bit it is after the rounds.
    order: Vec<u32>,
    /// For each round, the bit of a vector's number on each side.
    numbers: [Vec<Bit>; 2],
}

impl Exchanged {
    /// The exchange between the bits inside the vectors of each side, the lowest first, above those of a unit.
    ///
    /// A bit that enters replaces one that leaves: at its own position, or where a bit that stays is there, at the
    /// position which that one moves to, and so on. So as few bits as possible move inside vectors.
    fn of(unit: u32, [source, destination]: [&[Bit]; 2]) -> Self {
        let entering = destination.iter().enumerate().filter(|(_, bit)| !source.contains(bit));
        let makes_room = |at: usize| source.get(at).and_then(|bit| index_of(destination, bit));
        let ends = entering.map(|(at, enters)| {
            let chain = std::iter::successors(Some(at), |at| makes_room(*at)).take(1 + source.len());
            (*enters, chain.last().unwrap_or(at))
        });
        Exchanged::paired(unit, [source, destination], ends)
    }

    /// The same, the lowest bit that enters with the lowest one that leaves, and so on.
    fn in_order(unit: u32, [source, destination]: [&[Bit]; 2]) -> Self {
        let entering = destination.iter().filter(|bit| !source.contains(bit)).copied();
        let leaving = (0..source.len()).filter(|at| !source.get(*at).is_some_and(|bit| destination.contains(bit)));
        Exchanged::paired(unit, [source, destination], entering.zip(leaving))
    }

    /// The exchange in which each entering bit takes the given position in the source.
    fn paired(unit: u32, [source, destination]: [&[Bit]; 2], pairs: impl Iterator<Item = (Bit, usize)>) -> Self {
        let width = |at: usize| u32::try_from(at).unwrap_or(0) + unit;
        let (mut rounds, mut numbers) = (Vec::new(), [Vec::new(), Vec::new()]);
        let mut now: Vec<Bit> = source.to_vec();
        for (enters, at) in pairs {
            if let Some(leaves) = now.get_mut(at) {
                rounds.push(width(at));
                numbers[0].push(enters);
                numbers[1].push(std::mem::replace(leaves, enters));
            }
        }
        let order = destination.iter().map(|bit| width(index_of(&now, bit).unwrap_or(0)));
        Exchanged { rounds, order: (0..unit).chain(order).collect(), numbers }
    }
}

/// Where a bit is in a list.
fn index_of(list: &[Bit], bit: &Bit) -> Option<usize> {
    list.iter().position(|other| other == bit)
}

/// A block that is exchanged in vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    /// What it is made for.
    pub(super) machine: Machine,
    /// What a position inside a vector is worth at least, in bits, as a power of two: that of a byte, or of a unit below it.
    pub(crate) unit: u32,
    /// For each round, the position bit that is exchanged, by its worth in bits as a power of two.
    pub(crate) rounds: Vec<u32>,
    /// For each bit inside a vector of the destination, which bit it is after the rounds.
    pub(crate) order: Vec<u32>,
    pub(crate) sides: [Vectors; 2],
    /// How many vectors a block has on each side.
    pub(super) vectors: usize,
    /// Whether lines come from memory, so that they are prefetched.
    pub(crate) from_memory: bool,
    /// The order of position bits, where it is separate from the rounds.
    pub(super) bit_order: BitOrder,
    /// For instructions that do not permute a line: all passes, the last one separately.
    pub(super) passes: (Vec<Pass>, Pass),
    /// How units are padded as they are read, if they are no power of two.
    pub(super) pad: Option<PadUnits>,
}

impl Network {
    /// Whether all vectors of the destination lie on cache lines, if the block does.
    pub(crate) fn is_aligned(&self) -> bool {
        let inside = self.sides[1].at.iter().fold(0, |all, at| all | at);
        self.pieces()[1] == LINE && inside % distance(number(LINE)) == 0
    }

    /// Whether a block has many lines in the destination, no two of them neighbours. Kernels ask it as they begin:
    /// called instead of inlined, it costs their loops registers.
    #[inline(always)]
    pub(crate) fn has_scattered_lines(&self) -> bool {
        let mut lines = self.sides[1].at.iter().take(self.vectors);
        self.machine.isa == Isa::Avx512
            && self.vectors >= MIN_SCATTERED_LINES
            && !lines.any(|at| at.unsigned_abs() == LINE)
    }

    /// Whether stores of such lines, where they are streamed, are deferred to the next block.
    #[inline(always)]
    pub(crate) fn defers_stores(&self) -> bool {
        self.has_scattered_lines() && !self.stores_immediately() && !self.interleaves_prefetch()
    }

    /// Whether a line is prefetched after each stored line, in two passes.
    pub(crate) fn interleaves_prefetch(&self) -> bool {
        self.has_scattered_lines() && self.can_interleave_prefetch()
    }

    /// Whether its lines are whole vectors of bytes, more than registers hold, and few enough for two passes.
    pub(crate) fn can_interleave_prefetch(&self) -> bool {
        (2 * REGISTERS..=MAX_VECTORS).contains(&self.vectors) && self.unit == BYTE && self.pieces()[0] == LINE
    }

    /// Whether all vectors of the destination have the same page offset: memory takes lines at such distances one
    /// after the other, but neighbours at once.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn stores_conflict(&self) -> bool {
        self.sides[1].at.iter().fold(0, |all, at| all | at) % PAGE_BYTES == 0
    }

    /// Whether stores are immediate where each line is read from another page.
    pub(crate) fn stores_immediately(&self) -> bool {
        (self.machine.stores_immediately || self.reads_conflict()) && self.reads_scattered_pages()
    }

    /// Whether registers hold its vectors, each of which is read from a page of its own.
    pub(crate) fn reads_scattered_pages(&self) -> bool {
        let mut vectors = self.sides[0].at.iter().take(self.vectors);
        let are_apart = vectors.all(|at| *at == 0 || at.abs() >= PAGE_BYTES);
        self.vectors <= REGISTERS && self.pieces()[0] == LINE && are_apart
    }

    /// Whether all vectors of the source fall into the same few sets of the second cache, so that prefetching many evicts
    /// out the first ones.
    pub(crate) fn reads_conflict(&self) -> bool {
        // One mebibyte, eight ways.
        let all = self.sides[0].at.iter().fold(0, |all, at| all | at);
        self.sides[0].at.len() > 8 && all.trailing_zeros() >= SET_CONFLICT_BITS
    }

    /// The network of the bits inside the vectors of each side, the lowest first, above those of a unit of `2^unit` bits;
    /// distances are in bytes, or in units where these are smaller. Bits that both sides have inside are in both lists; further
    /// ones are in the numbers of vectors on both sides. None where fewer than `least` bits lie together, or no whole bytes.
    pub(crate) fn new(machine: Machine, unit: u32, inside: [&[Bit]; 2], further: &[Bit], least: usize) -> Option<Self> {
        let mut exchanged = Exchanged::of(unit, inside);
        for numbers in &mut exchanged.numbers {
            numbers.extend(further);
        }
        Network::with(machine, Unit::of(unit), exchanged, inside, least)
    }

    /// The network between strips: vectors are numbered in the order of their units on both sides.
    pub(crate) fn of_strips(machine: Machine, unit: u32, inside: [&[Bit]; 2]) -> Option<Self> {
        Network::with(machine, Unit::of(unit), Exchanged::in_order(unit, inside), inside, 0)
    }

    /// The same between units that are padded as they are read.
    pub(crate) fn padded(self, pad: PadUnits) -> Self {
        Network { pad: Some(pad), ..self }
    }

    fn with(machine: Machine, unit: Unit, exchanged: Exchanged, inside: [&[Bit]; 2], least: usize) -> Option<Self> {
        let Exchanged { rounds, order, numbers } = exchanged;
        if (0..2).any(|side| Vectors::together(inside[side], &numbers[side], side, unit).0 < least) {
            return None;
        }
        let side = |side: usize| Vectors::of(inside[side], &numbers[side], side, unit);
        let sides = [side(0)?, side(1)?];
        let all = sides[0].at.len() << sides[0].piece >> LINE.trailing_zeros();
        // Vectors that no round exchanges are moved together as far as kernels have room.
        let vectors = match (machine.isa, rounds.len()) {
            (Isa::Avx512, 0) => all.min(4),
            (Isa::Avx512, exchanged) => 1 << exchanged,
            _ => all.min(MAX_VECTORS),
        };
        // There is no room to stage more.
        if vectors > MAX_VECTORS && sides.iter().any(|side| side.piece < 4) {
            return None;
        }
        // Where rounds take passes, they bring the order with them.
        let (bit_order, passes) = match machine.isa {
            Isa::Avx512 => (BitOrder::of(machine.isa, &order), Default::default()),
            _ if rounds.is_empty() => (BitOrder::of(machine.isa, &order), Default::default()),
            _ => (BitOrder::default(), Pass::all(&rounds, &order)),
        };
        let unit = unit.step;
        Some(Network { machine, unit, rounds, order, sides, vectors, from_memory: false, bit_order, passes, pad: None })
    }

    /// Whether the bits inside are in order after the rounds.
    pub(crate) fn is_ordered(&self) -> bool {
        self.order.iter().zip(0..).all(|(from, at)| *from == at)
    }

    /// The bytes of a block.
    pub(crate) fn bytes(&self) -> usize {
        self.vectors * LINE
    }

    /// How many registers pass through a buffer in the first cache for each vector: in AVX-512 between two passes, where registers
    /// do not hold a block, else once for each pass.
    pub(crate) fn registers_through_cache(&self) -> usize {
        let passes = match self.machine.isa {
            Isa::Avx512 => usize::from(self.vectors > REGISTERS),
            _ => 1 + self.passes.0.len(),
        };
        passes * (LINE / self.machine.isa.register_bytes())
    }

    /// The first rows of the blocks at one tile origin: bits that are in the numbers of vectors on both sides, and in no
    /// round, make several.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let rows = self.sides.each_ref().map(|side| self.bytes() >> side.piece);
        (0..self.sides[0].at.len() / rows[0]).map(move |n| rows.map(|rows| n * rows))
    }

    /// The bytes that lie together on each side.
    pub(crate) fn pieces(&self) -> [usize; 2] {
        [1usize << self.sides[0].piece, 1usize << self.sides[1].piece]
    }

    /// The rows of a block on each side.
    pub(super) fn rows<'a>(&self, blocks: &Blocks<'a>, tile: &TileOrigin) -> [&'a [isize]; 2] {
        [0, 1].map(|side| {
            let first = tile.rows(side);
            blocks.rows[side].get(first..first + (self.bytes() >> self.sides[side].piece)).unwrap_or(&[])
        })
    }

    /// The positions inside the vectors of a block that are flipped on each side, if any.
    pub(super) fn flips(&self, tile: &TileOrigin) -> [&[[u8; 4]]; 2] {
        [0, 1].map(|side| {
            let first = tile.rows(side);
            self.sides[side].flips.get(first..first + self.vectors).unwrap_or(&[])
        })
    }

    /// On which sides lines of later blocks are prefetched, of those where they may be: where a vector has no more than
    /// a few; of a source with such rows, whole vectors, and pieces at such distances that hardware prefetch does not
    /// predict them.
    #[inline(always)]
    pub(crate) fn prefetches(&self, rows: &[isize], may_be: [bool; 2]) -> [bool; 2] {
        let [read, written] = self.pieces().map(|bytes| LINE / bytes);
        let are_apart = matches!(rows, [one, other, ..] if one.abs_diff(*other) >= MIN_PREFETCH_STRIDE_BYTES);
        [
            may_be[0] && (read == 1 || read <= MAX_PREFETCHED_PIECES && are_apart),
            may_be[1] && written <= MAX_PREFETCHED_PIECES,
        ]
    }

    /// Moves blocks.
    ///
    /// # Safety
    /// Every block has its rows, and lies inside the memory of both pointers, which do not overlap; the machine has the
    /// instructions of the network; vectors that are streamed are whole pieces, aligned to their size.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(&self, blocks: Blocks) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.machine.isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => avx2::run(self, &blocks),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => avx512::run(self, blocks),
                #[cfg(target_arch = "aarch64")]
                Isa::Neon => passes::run::<neon::Quarters>(self, &blocks),
                _ => passes::run::<scalar::Plain>(self, &blocks),
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = self.pieces();
        let (bytes, rounds) = (self.bytes(), self.rounds.len());
        write!(f, "{bytes} bytes in {rounds} rounds, read in pieces of {from} bytes, written in {to}")
    }
}
