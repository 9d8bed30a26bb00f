//! [`Scratch`]: the shared memory through which a tensor goes from one register layout to another, swizzled so that both sides move
//! whole vectors and meet as few bank conflicts as the vectors allow; and the conflicts of a given shared layout.
//!
//! All sets are sets of vectors over F2: the elements that an in bit moves to. The *vector* basis is what both sides hold in registers
//! and move at once; the *tile* of a side is the lane bits that one wavefront serves; the *segment* basis counts the rows of banks.
//! A row is one of no conflicts when no sum of segment vectors is a sum of tile vectors: hence segment vectors are taken outside of
//! both tiles, or are the xor of a vector of one tile and one of the other. The choice is that of Triton 3.9, vector for vector
//! (arXiv 2505.23819, section on optimal swizzling); a vector that depends on those before it, which happens where registers, lanes or
//! warps repeat elements, is left out. Law: the columns of the layout are a basis of the tensor, and a write meets
//! `2^d - 1` wavefronts beyond those needed, where d is the dimension of what the segment and the tile of the source span both.

use super::linear_access::Span;
use crate::error::{Code, Error};
use crate::linear::bits::{Echelon, bit, low, rank};
use crate::linear::{Columns, Dim, LinearLayout, Name};

/// The largest vector that a lane moves at once, in bits.
const VECTOR_BITS: i64 = 128;
/// The bits of a word, which a bank gives at once.
const WORD_BITS: i64 = 32;
/// The address bits of the eight rows of a matrix, and of the lanes that a vector of 16 bytes is served with.
const ROW_ADDRESSES: usize = 3;
/// How many register bits the four matrices of one instruction take.
const MATRICES_BITS: usize = 2;

/// A layout of scratch memory for a conversion, and what it costs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scratch {
    /// From `vector`, `bank`, `segment`, `block` and `reps` to the tensor: an offset is vector, then bank, then segment; `reps` are
    /// rounds that use the memory again.
    pub layout: LinearLayout,
    /// How many wavefronts a read takes beyond one a phase.
    pub read_conflicts: i64,
    /// How many wavefronts a write takes beyond one a phase.
    pub write_conflicts: i64,
}

/// How an instruction takes the lanes of a warp: those whose elements must lie side by side, and those whose addresses one wavefront
/// serves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaneTile {
    /// The lane bits that are inside of a vector.
    pub contiguous: Vec<usize>,
    /// The lane bits that give the addresses.
    pub addresses: Vec<usize>,
}

impl Scratch {
    /// The scratch memory of a conversion by plain loads and stores.
    ///
    /// # Errors
    /// [`Code::Range`] unless an element has a power of two of bits, 128 at most, and there is a power of two of banks;
    /// [`Code::DimNamesMismatch`] for layouts of different tensors.
    ///
    /// ```
    /// use bitstride::memory::Scratch;
    /// use bitstride::triton::Encoding;
    /// let layout = |text: &str| text.parse::<Encoding>()?.to_linear(&[64, 64]);
    /// let rows = layout("#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>")?;
    /// let columns = layout("#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>")?;
    /// let scratch = Scratch::optimal(&rows, &columns, 16, 32)?;
    /// assert_eq!((scratch.read_conflicts, scratch.write_conflicts), (0, 0));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn optimal(source: &LinearLayout, target: &LinearLayout, element_bits: i64, banks: i64) -> Result<Self, Error> {
        let sides = Sides::new(source, target, element_bits, banks)?;
        let (vector, filler) = sides.vector();
        let served = |side: &MovedBits| side.served(vector.len(), &sides);
        let tiles = [served(&sides.source), served(&sides.target)];
        sides.scratch(vector, tiles, 0, filler)
    }

    /// The scratch memory of a conversion by the best pair of instructions, and which of each side's it is. Each side's first
    /// instruction is the plain one. Fewest conflicts come first, then most rounds.
    ///
    /// # Errors
    /// As [`Scratch::optimal`].
    pub fn with_tiles(
        source: &LinearLayout,
        target: &LinearLayout,
        element_bits: i64,
        tiles: [&[LaneTile]; 2],
    ) -> Result<(Self, [usize; 2]), Error> {
        let sides = Sides::new(source, target, element_bits, BANKS)?;
        let mut best: Option<((i64, usize), Self, [usize; 2])> = None;
        for (at, from) in tiles[0].iter().enumerate() {
            for (to_at, to) in tiles[1].iter().enumerate() {
                let Some(vector) = sides.vector_with(from, to) else { continue };
                if !sides.source.has_rows(from, &vector) || !sides.target.has_rows(to, &vector) {
                    continue;
                }
                let addresses = [sides.source.addresses(from, &vector), sides.target.addresses(to, &vector)];
                let is_matrix = |tile: &LaneTile| !tile.contiguous.is_empty();
                let kept = if is_matrix(from) && is_matrix(to) { MATRICES_BITS } else { 0 };
                let scratch = sides.scratch(vector, addresses, kept, None)?;
                let tears = [(from, &sides.source), (to, &sides.target)]
                    .into_iter()
                    .any(|(tile, side)| is_matrix(tile) && scratch.tears_rows(tile, side, &sides.moved_by_blocks));
                if tears {
                    continue;
                }
                let rounds = scratch.layout.in_dim(name("reps")?).map_or(0, |(dim, _)| dim.bits);
                let rank = (
                    scratch.read_conflicts.saturating_add(scratch.write_conflicts),
                    usize::MAX - usize::try_from(rounds).unwrap_or(0),
                );
                if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
                    best = Some((rank, scratch, [at, to_at]));
                }
            }
        }
        match best {
            Some((_, scratch, chosen)) => Ok((scratch, chosen)),
            None => Ok((Scratch::optimal(source, target, element_bits, BANKS)?, [0, 0])),
        }
    }

    /// Where in the memory each place of a register layout of the tensor has its element: the offset in elements, and the round in
    /// which it goes through.
    ///
    /// # Errors
    /// As [`LinearLayout::invert_and_compose`], for layouts of another tensor.
    ///
    /// ```
    /// use bitstride::memory::Scratch;
    /// use bitstride::triton::Encoding;
    /// let rows = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
    /// let columns = "#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>";
    /// let layout = |text: &str| text.parse::<Encoding>()?.to_linear(&[64, 64]);
    /// let (rows, columns) = (layout(rows)?, layout(columns)?);
    /// let scratch = Scratch::optimal(&rows, &columns, 16, 32)?;
    /// assert_eq!(scratch.addresses(&rows)?.outs().iter().map(|dim| 1_u64 << dim.bits).collect::<Vec<_>>(), [4096, 1]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn addresses(&self, registers: &LinearLayout) -> Result<LinearLayout, Error> {
        let places = registers.invert_and_compose(&self.layout)?;
        let (mut ins, mut columns) = (Vec::new(), Columns::new());
        let parts = ["vector", "bank", "segment"];
        let bits_of = |part: &str| places.outs().iter().find(|dim| dim.name.as_str() == part).map_or(0, |dim| dim.bits);
        let offset_bits: u32 = parts.into_iter().map(bits_of).sum();
        let reps = bits_of("reps");
        for (dim, of_dim) in places.by_in_dim() {
            ins.push(dim);
            for column in of_dim {
                let (mut address, mut shift) = (0_u64, 0);
                let coordinates = places.unpack(*column);
                for (part, width) in parts.into_iter().map(|part| (part, bits_of(part))).chain([("reps", reps)]) {
                    let at = places.outs().iter().position(|out| out.name.as_str() == part);
                    let value = at.and_then(|at| coordinates.get(at)).copied().unwrap_or(0);
                    address |= u64::try_from(value).unwrap_or(0).checked_shl(shift).unwrap_or(0);
                    shift += width;
                }
                columns.push(address);
            }
        }
        let outs = [Dim { name: Name::OFFSET, bits: offset_bits }, Dim { name: name("reps")?, bits: reps }];
        LinearLayout::from_columns(ins.into_iter().collect(), outs.into_iter().collect(), columns)
    }

    /// Whether anything but the registers and lanes that an instruction has inside of a vector moves along it, so that rows of
    /// matrices are not where a lane's address says.
    fn tears_rows(&self, tile: &LaneTile, side: &MovedBits, blocks: &[u64]) -> bool {
        let vector = self.layout.ins().first().map_or(0, |dim| dim.bits);
        let lanes: Vec<u64> = side.lanes_at(&tile.contiguous).unwrap_or_default();
        let within = self.layout.columns().iter().take(usize::try_from(vector).unwrap_or(0));
        let held: Vec<u64> = within.copied().filter(|column| !lanes.contains(column)).collect();
        let basis = Echelon::of(self.layout.columns());
        let moves = |column: &u64| basis.express(*column).is_some_and(|parts| parts & low(vector) != 0);
        let registers = side.registers.iter().filter(|register| !held.contains(register));
        let lanes = side.lanes.iter().enumerate().filter(|(at, _)| !tile.contiguous.contains(at)).map(|(_, lane)| lane);
        registers.chain(lanes).chain(&side.warps).chain(blocks).any(moves)
    }

    /// The bits of the vector: what both sides have in registers, and up to a word what one side has in warps.
    pub fn vector_bits(&self, element_bits: i64) -> i64 {
        let bits = self.layout.ins().first().map_or(0, |dim| dim.bits);
        element_bits.checked_shl(bits).unwrap_or(i64::MAX)
    }
}

/// The wavefronts that an access from registers to a given shared memory takes beyond one a phase: vectors as wide as the registers
/// allow, conflicts where lanes of a phase differ in rows of banks only. It is Triton's formula, which counts vectors: of elements
/// below 32 bits two vectors of one word are two, though the word is read once. [`super::Accesses`] counts words.
///
/// # Errors
/// As [`Scratch::optimal`]; [`Code::MissingDim`] unless the memory has offsets; as
/// [`LinearLayout::invert_and_compose`] where it does not hold all elements.
pub fn bank_conflicts(
    registers: &LinearLayout,
    memory: &LinearLayout,
    element_bits: i64,
    banks: i64,
) -> Result<i64, Error> {
    check(element_bits, banks)?;
    let moves = registers.invert_and_compose(memory)?;
    let (offset, shift) = moves.out_dim(Name::OFFSET).ok_or_else(|| {
        Error::new(Code::MissingDim, "bank conflicts are those of a shared memory; there is no dim offset")
    })?;
    let mask = 1_u64.checked_shl(offset.bits).unwrap_or(0).wrapping_sub(1);
    let offsets = |dim: Name| -> Vec<u64> {
        moves.in_dim(dim).map_or_else(Vec::new, |(_, columns)| columns.iter().map(|c| c >> shift & mask).collect())
    };
    let (registers, lanes) = (offsets(Name::REGISTER), offsets(Name::LANE));
    let all: Vec<u64> = moves.columns().iter().map(|column| column >> shift & mask).collect();
    let mut vector = 0;
    // A register bit is inside of the vector when it moves the next offset bit, which nothing else moves.
    while element_bits << (vector + 1) <= VECTOR_BITS
        && registers.contains(&(1 << vector))
        && all.iter().filter(|column| *column >> vector & 1 == 1).count() == 1
    {
        vector += 1;
    }
    let vector_bits = element_bits << vector;
    let served = served(&lanes, vector_bits, banks);
    let bank_bits = (banks * WORD_BITS).checked_div(vector_bits).and_then(i64::checked_ilog2).unwrap_or(0);
    let bank_mask = (1_u64 << bank_bits) - 1;
    let rows: Vec<u64> = served.iter().map(|offset| offset >> vector).collect();
    let in_banks: Vec<u64> = rows.iter().map(|offset| offset & bank_mask).collect();
    Ok((1_i64 << (rank(&rows) - rank(&in_banks))) - 1)
}

/// The banks of NVIDIA's shared memory.
const BANKS: i64 = 32;

fn check(element_bits: i64, banks: i64) -> Result<(), Error> {
    let power = |n: i64, most: i64| n > 0 && n <= most && n.count_ones() == 1;
    if !power(element_bits, VECTOR_BITS) {
        return Err(error!(
            Code::Range,
            "an element has a power of two of bits up to {vector_bits}, not {element_bits}",
            [vector_bits = VECTOR_BITS, element_bits]
        ));
    }
    if !power(banks, 1 << 16) {
        return Err(error!(Code::Range, "there is a power of two of banks, not {banks}", [banks]));
    }
    Ok(())
}

/// The lane bits that one phase serves: a vector of several words takes the upper ones into phases of their own.
fn served(lanes: &[u64], vector_bits: i64, banks: i64) -> Vec<u64> {
    let bits = |n: i64| usize::try_from(n.checked_ilog2().unwrap_or(0)).unwrap_or(0);
    let beyond = (bits((vector_bits / WORD_BITS).max(1)) + lanes.len()).saturating_sub(bits(banks));
    lanes.iter().take(lanes.len().saturating_sub(beyond)).copied().collect()
}

/// One side of a conversion: what its register, lane and warp bits move to.
struct MovedBits {
    registers: Vec<u64>,
    lanes: Vec<u64>,
    warps: Vec<u64>,
}

impl MovedBits {
    fn of(layout: &LinearLayout) -> Self {
        let columns = |dim: Name| layout.in_dim(dim).map_or_else(Vec::new, |(_, columns)| columns.to_vec());
        let moving = |dim: Name| columns(dim).into_iter().filter(|column| *column != 0).collect();
        MovedBits { registers: moving(Name::REGISTER), lanes: columns(Name::LANE), warps: moving(Name::WARP) }
    }

    /// What it moves inside of a block.
    fn all(&self) -> impl Iterator<Item = u64> {
        self.registers.iter().chain(&self.lanes).chain(&self.warps).copied()
    }

    /// The lanes that one phase serves, without those that move nothing.
    fn served(&self, vector: usize, sides: &Sides) -> Vec<u64> {
        let vector = u32::try_from(vector).unwrap_or(0);
        let vector_bits = sides.element_bits.checked_shl(vector).unwrap_or(i64::MAX);
        served(&self.lanes, vector_bits, sides.banks).into_iter().filter(|lane| *lane != 0).collect()
    }

    /// The lanes at these positions, where all of them move something.
    fn lanes_at(&self, positions: &[usize]) -> Option<Vec<u64>> {
        positions.iter().map(|at| self.lanes.get(*at).copied().filter(|lane| *lane != 0)).collect()
    }

    /// Whether there are registers for the rows that the lanes of an instruction are too few for.
    fn has_rows(&self, tile: &LaneTile, vector: &[u64]) -> bool {
        let missing = ROW_ADDRESSES.saturating_sub(tile.addresses.len());
        self.registers.iter().filter(|register| !vector.contains(register)).count() >= missing
    }

    /// What an instruction takes addresses from: its lanes, and where those are fewer than eight rows, a register that the vector has
    /// not.
    fn addresses(&self, tile: &LaneTile, vector: &[u64]) -> Vec<u64> {
        let lanes = tile.addresses.iter().filter_map(|at| self.lanes.get(*at).copied()).filter(|lane| *lane != 0);
        let missing = ROW_ADDRESSES.saturating_sub(tile.addresses.len());
        let free = self.registers.iter().copied().filter(|register| !vector.contains(register));
        lanes.chain(free.take(missing)).collect()
    }
}

/// Which side filled the vector up to a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Filler {
    Source,
    Target,
}

/// Both sides of a conversion of one tensor.
struct Sides {
    source: MovedBits,
    target: MovedBits,
    blocks: Vec<u64>,
    /// What blocks are to have besides what they hold of themselves.
    moved_by_blocks: Vec<u64>,
    outs: Vec<Dim>,
    out_bits: u32,
    element_bits: i64,
    banks: i64,
}

impl Sides {
    fn new(source: &LinearLayout, target: &LinearLayout, element_bits: i64, banks: i64) -> Result<Self, Error> {
        check(element_bits, banks)?;
        if source.outs() != target.outs() {
            let sizes = |layout: &LinearLayout| {
                let sizes: Vec<String> =
                    layout.outs().iter().map(|dim| format!("{}:{}", dim.name, dim.size())).collect();
                sizes.join(", ")
            };
            return Err(error!(
                Code::DimNamesMismatch,
                "a conversion keeps the tensor; here are {sizes} and {sizes_target}",
                [sizes = sizes(source), sizes_target = sizes(target)]
            ));
        }
        let of_blocks =
            |layout: &LinearLayout| layout.in_dim(Name::BLOCK).map_or_else(Vec::new, |(_, columns)| columns.to_vec());
        let (blocks, wanted) = (of_blocks(source), of_blocks(target));
        let column = |of: &[u64], at: usize| of.get(at).copied().unwrap_or(0);
        let moved_by_blocks =
            (0..blocks.len().max(wanted.len())).map(|at| column(&blocks, at) ^ column(&wanted, at)).collect();
        let (source_side, target_side) = (MovedBits::of(source), MovedBits::of(target));
        let mut held: Span = source_side.all().collect();
        Ok(Sides {
            source: source_side,
            target: target_side,
            // Elements that a block holds besides need no memory of another one.
            blocks: blocks.into_iter().filter(|block| held.insert(*block)).collect(),
            moved_by_blocks,
            outs: source.outs().to_vec(),
            out_bits: source.out_bits(),
            element_bits,
            banks,
        })
    }

    /// The number of vectors of F2 whose elements fill `bits`.
    fn vectors(&self, bits: i64) -> usize {
        let most = bits.checked_div(self.element_bits).and_then(i64::checked_ilog2).unwrap_or(0);
        usize::try_from(most).unwrap_or(0)
    }

    /// The vector of plain loads and stores: what both sides have in registers, and where that is no whole word, warps besides.
    fn vector(&self) -> (Vec<u64>, Option<Filler>) {
        let (source, target) = (&self.source, &self.target);
        let mut span: Span = self.blocks.iter().copied().collect();
        let both = source.registers.iter().copied().filter(|register| target.registers.contains(register));
        let mut vector: Vec<u64> = both.filter(|v| span.insert(*v)).take(self.vectors(VECTOR_BITS)).collect();
        let word = self.vectors(WORD_BITS);
        if vector.len() >= word {
            return (vector, None);
        }
        let free = |of: &[u64], within: &[u64], span: &Span| -> Vec<u64> {
            let mut span = span.clone();
            of.iter().copied().filter(|v| within.contains(v) && span.insert(*v)).collect()
        };
        let of_source = free(&source.registers, &target.warps, &span);
        let of_target = free(&target.registers, &source.warps, &span);
        let is_of_source = match of_source.len().cmp(&of_target.len()) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => !of_source.is_empty() && of_source.iter().min() < of_target.iter().min(),
        };
        let mut push = |vector: &mut Vec<u64>, of: &[u64]| {
            for v in of {
                if vector.len() < word && span.insert(*v) {
                    vector.push(*v);
                }
            }
        };
        push(&mut vector, if is_of_source { &of_source } else { &of_target });
        let shared = source.warps.iter().copied().filter(|warp| target.warps.contains(warp));
        push(&mut vector, &shared.collect::<Vec<_>>());
        let rest = |warps: &[u64]| warps.iter().copied().filter(|warp| !vector.contains(warp)).collect::<Vec<_>>();
        let (from, to) = (rest(&source.warps), rest(&target.warps));
        let in_turn = (0..from.len().max(to.len())).flat_map(|at| [from.get(at), to.get(at)].into_iter().flatten());
        push(&mut vector, &in_turn.copied().collect::<Vec<_>>());
        (vector, Some(if is_of_source { Filler::Source } else { Filler::Target }))
    }

    /// The vector of 16 bytes in which both instructions find their lanes side by side: the registers that neither takes from lanes
    /// first, the lanes behind them; none where there is no such vector.
    fn vector_with(&self, from: &LaneTile, to: &LaneTile) -> Option<Vec<u64>> {
        let (of_source, of_target) = (self.source.lanes_at(&from.contiguous)?, self.target.lanes_at(&to.contiguous)?);
        let is_source_longer = of_source.len() >= of_target.len();
        let (longer, shorter) = if is_source_longer { (of_source, of_target) } else { (of_target, of_source) };
        let held = if is_source_longer { &self.target.registers } else { &self.source.registers };
        let registers = longer.strip_suffix(shorter.as_slice())?;
        if !registers.iter().all(|lane| held.contains(lane)) {
            return None;
        }
        let missing = self.vectors(VECTOR_BITS).checked_sub(longer.len())?;
        let (first, second) = if from.contiguous.is_empty() {
            (&self.source.registers, &self.target.registers)
        } else {
            (&self.target.registers, &self.source.registers)
        };
        let mut span: Span = self.blocks.iter().copied().collect();
        if !longer.iter().all(|lane| span.insert(*lane)) {
            return None;
        }
        let both = first.iter().copied().filter(|v| second.contains(v) && span.insert(*v));
        let mut vector: Vec<u64> = both.take(missing).collect();
        if vector.len() < missing {
            return None;
        }
        vector.extend(longer);
        Some(vector)
    }

    /// The layout with this vector, conflicts counted with these tiles; the first `kept` registers of both sides stay out of the rounds.
    fn scratch(
        &self,
        vector: Vec<u64>,
        tiles: [Vec<u64>; 2],
        kept: usize,
        filler: Option<Filler>,
    ) -> Result<Scratch, Error> {
        let dims = usize::try_from(self.out_bits).unwrap_or(0);
        let vector_bits = self.element_bits << vector.len();
        let free = dims.saturating_sub(vector.len() + self.blocks.len());
        let bank_bits = (self.banks * WORD_BITS).checked_div(vector_bits).and_then(i64::checked_ilog2).unwrap_or(0);
        let bank_bits = usize::try_from(bank_bits).unwrap_or(0).min(free);
        let mut segment = self.segment(free - bank_bits, &vector, &tiles);
        let mut bank = complement(self.out_bits, [&vector, &segment, &self.blocks]);
        // Where too few vectors of the tiles are independent, rows of banks take the last of those that are left.
        segment.extend(bank.split_off(bank_bits.min(bank.len())));
        let (source, target) = (&self.source.registers, &self.target.registers);
        let basis: Vec<u64> = [&vector, &bank, &segment, &self.blocks].into_iter().flatten().copied().collect();
        let others = self.moved_besides_registers(&Echelon::of(&basis));
        let is_round = |(at, v): &(usize, &u64)| {
            source.contains(v) && target.contains(v) && others & bit(vector.len() + bank.len() + at) == 0
        };
        let rounds: Vec<u64> = segment.iter().enumerate().filter(is_round).map(|(_, v)| *v).skip(kept).collect();
        segment.retain(|v| !rounds.contains(v));
        if vector_bits < VECTOR_BITS && self.banks == BANKS {
            // Bank bits that one side has in registers come first, so that it moves wider vectors.
            let held = |side: &[u64]| bank.iter().filter(|v| side.contains(v)).count();
            let is_source = filler.map_or(held(source) > held(target), |filler| filler == Filler::Source);
            let first = if is_source { source } else { target };
            bank.sort_by_key(|v| !first.contains(v));
        }
        let conflicts = |tile: &[u64]| {
            let both: Vec<u64> = segment.iter().chain(tile).copied().collect();
            (1_i64 << (rank(&segment) + rank(tile) - rank(&both))) - 1
        };
        let [write_conflicts, read_conflicts] = [conflicts(&tiles[0]), conflicts(&tiles[1])];
        let parts = [
            ("vector", vector),
            ("bank", bank),
            ("segment", segment),
            ("block", self.blocks.clone()),
            ("reps", rounds),
        ];
        let (mut ins, mut columns) = (Vec::new(), Columns::new());
        for (dim, vectors) in parts {
            ins.push(Dim { name: name(dim)?, bits: u32::try_from(vectors.len()).unwrap_or(u32::MAX) });
            for column in vectors {
                columns.push(column);
            }
        }
        let layout =
            LinearLayout::from_columns(ins.into_iter().collect(), self.outs.iter().copied().collect(), columns)?;
        Ok(Scratch { layout, read_conflicts, write_conflicts })
    }

    /// The vectors of a basis along which lanes, warps and blocks move, as a mask: in other rounds lanes would take other registers.
    fn moved_besides_registers(&self, basis: &Echelon) -> u64 {
        let columns = [&self.source, &self.target].into_iter().flat_map(|side| side.lanes.iter().chain(&side.warps));
        columns
            .chain(&self.moved_by_blocks)
            .filter_map(|column| basis.express(*column))
            .fold(0, |all, parts| all | parts)
    }

    /// `size` vectors for rows of banks: units outside of both tiles, then pairs of one from each tile, and where there are too few
    /// pairs, the first of each tile as they are.
    fn segment(&self, size: usize, vector: &[u64], tiles: &[Vec<u64>; 2]) -> Vec<u64> {
        let holds = |tile: &[u64], v: u64| vector.contains(&v) || tile.contains(&v) || self.blocks.contains(&v);
        let units = (0..self.out_bits).map(|bit| 1_u64 << bit);
        let outside = units.filter(|unit| !holds(&tiles[0], *unit) && !holds(&tiles[1], *unit));
        let mut span: Span = vector.iter().chain(&self.blocks).copied().collect();
        let mut segment: Vec<u64> = outside.filter(|unit| span.insert(*unit)).take(size).collect();
        let only = |own: usize, other: usize| {
            let mut only: Vec<u64> = tiles[own].iter().copied().filter(|v| !holds(&tiles[other], *v)).collect();
            only.retain(|v| !vector.contains(v) && !self.blocks.contains(v));
            only.sort_unstable();
            only.dedup();
            only
        };
        let (source, target) = (only(0, 1), only(1, 0));
        let (fewer, more) = if source.len() <= target.len() { (source, target) } else { (target, source) };
        let missing = size - segment.len();
        let unpaired = missing.saturating_sub(fewer.len());
        let pairs = fewer.iter().zip(&more).skip(unpaired).map(|(a, b)| a ^ b);
        let alone = fewer.iter().take(unpaired).chain(more.iter().take(unpaired)).copied();
        let independent = alone.chain(pairs).filter(|v| span.insert(*v));
        segment.extend(independent.take(missing));
        segment
    }
}

/// The unit vectors that complete a basis: those at no lowest bit of its reduced form.
fn complement(bits: u32, parts: [&Vec<u64>; 3]) -> Vec<u64> {
    let mut basis: Vec<(u64, u64)> = Vec::new();
    for vector in parts.into_iter().flatten() {
        let mut rest = *vector;
        for (pivot, known) in &basis {
            if rest & pivot != 0 {
                rest ^= known;
            }
        }
        let pivot = rest & rest.wrapping_neg();
        if rest == 0 {
            continue;
        }
        for (_, known) in &mut basis {
            if *known & pivot != 0 {
                *known ^= rest;
            }
        }
        basis.push((pivot, rest));
    }
    (0..bits).map(|bit| 1_u64 << bit).filter(|unit| basis.iter().all(|(pivot, _)| pivot != unit)).collect()
}

fn name(text: &str) -> Result<Name, Error> {
    Name::new(text)
}
