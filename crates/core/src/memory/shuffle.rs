//! [`WarpShuffles`]: how values get from lane to lane of one warp, as a factorisation of the permutation of index bits.
//!
//! A conversion between register layouts whose columns are the same vectors sends each register or lane bit of the source to one of the
//! target. Zero columns are padded and paired, those that both have with themselves. The permutation is walked cycle by cycle. Each run
//! of lane bits in a cycle that has register bits too is cut out by one *exchange* of a register bit for a lane bit. What is left
//! permutes registers alone, which costs nothing, and lanes alone, which the shuffle does: so an exchange is a selection between pairs
//! of registers, the shuffle, and another selection. Values below 32 bits are packed. Their low register bits are then inside of a word,
//! and byte permutes do for them what selections do for the others, by selectors. It is the factorisation of Triton 3.9, selector for
//! selector.
//!
//! The lane that is read may depend on the warp or the block, where the source repeats its values over warps or blocks and the target
//! does not. A bit of their number is then one more lane bit that the source leaves unused and no shuffle changes. An exchange for it
//! is done on one side only. Law: moved word by word and lane by lane as [`WarpShuffles`] says, every value arrives where the target
//! has it.

use std::fmt::Write;

use crate::error::{Code, Error};
use crate::linear::bits::Echelon;
use crate::linear::{Columns, Dim, LinearLayout, Name};

/// A register bit that changes places with a lane bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaneExchange {
    /// The register bit, after registers got other names; not one inside of a word.
    pub register: usize,
    /// The lane bit before the shuffle; none where nothing is exchanged before it.
    pub source_lane: Option<usize>,
    /// The lane bit after it.
    pub target_lane: usize,
    /// The bytes that two words of a pair take, as selectors of a byte permute: of the lower and upper word before the shuffle,
    /// and after it.
    pub selectors: [u16; 4],
}

/// A conversion within a warp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WarpShuffles {
    /// For each register bit of the source the bit that it becomes before the shuffle.
    pub registers: Vec<usize>,
    /// From registers, lanes, warps and blocks to the lane that a register is shuffled from, in the same warp.
    pub lanes: LinearLayout,
    /// The exchanges, in the order in which they are done before and after the shuffle.
    pub exchanges: Vec<LaneExchange>,
    /// How many register bits are inside of a word.
    pub packed: usize,
}

/// What a conversion costs: passes over the banks of shared memory, which shuffles go through too, and selections of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveCost {
    /// Passes of one warp.
    pub passes: u64,
    /// Selections or byte permutes of each lane.
    pub selections: u64,
}

/// Selectors of two words that stay as they are.
const STAY: [u16; 2] = [0x3210, 0x7654];
/// The bits of a word that lanes shuffle.
const WORD_BITS: i64 = 32;
/// The most register bits of a word: four bytes.
const MAX_PACKED: usize = 2;

impl WarpShuffles {
    /// The conversion of elements of this size in bits.
    ///
    /// # Errors
    /// [`Code::Range`] unless an element has a power of two of bits; [`Code::MissingDim`] unless both layouts have registers and lanes;
    /// [`Code::DimNamesMismatch`] for layouts of different tensors; [`Code::Kind`] where values move between warps or blocks, or the
    /// register that a lane takes depends on them; [`Code::NotInvertible`] for columns that one layout has and the other has not, or that
    /// occur twice.
    ///
    /// ```
    /// use bitstride::linear::LinearLayout;
    /// use bitstride::memory::WarpShuffles;
    /// use bitstride::triton::Encoding;
    /// let layout = |text: &str| text.parse::<Encoding>()?.to_linear(&[16, 16]);
    /// let source = layout("#ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>")?;
    /// let target = layout("#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>")?;
    /// let shuffles = WarpShuffles::new(&source, &target, 32)?;
    /// let exchange = shuffles.exchanges[0];
    /// assert_eq!((exchange.register, exchange.source_lane, exchange.target_lane), (2, Some(4), 2));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(source: &LinearLayout, target: &LinearLayout, element_bits: i64) -> Result<Self, Error> {
        if element_bits < 1 || element_bits.count_ones() != 1 {
            return Err(error!(
                Code::Range,
                "an element has a power of two of bits, not {element_bits}",
                [element_bits]
            ));
        }
        if source.outs() != target.outs() {
            return Err(Error::new(Code::DimNamesMismatch, "a conversion keeps the dims and sizes of the tensor"));
        }
        let without = |layout: &LinearLayout| layout.action_remove_broadcasted_regs()?.apply(layout);
        let (source, target) = (without(source)?, without(target)?);
        let (registers, lanes) = (bits_of(&source, &target, Name::REGISTER)?, bits_of(&source, &target, Name::LANE)?);
        let outer = outer_bits(&source, &target)?;
        let chosen: Vec<u64> = outer.iter().map(|bit| bit.column).filter(|column| *column != 0).collect();
        let mut factors = Factors::of(&permutation(&source, &target, registers, lanes, &chosen)?, registers)?;
        let in_word = (WORD_BITS / element_bits.min(WORD_BITS)).checked_ilog2().unwrap_or(0);
        let in_word = usize::try_from(in_word).unwrap_or(0).min(MAX_PACKED);
        let packed = in_word.min(registers.saturating_sub(factors.swaps.len()));
        let selected = factors.selected(packed)?;
        let mut from = vec![0_usize; lanes + chosen.len()];
        for (bit, to) in factors.lanes.iter().enumerate() {
            if let Some(from) = from.get_mut(*to) {
                *from = bit;
            }
        }
        // The source repeats its values over the bits beyond those of lanes, so that none of them is read.
        let lane_of = |bit: usize| from.get(bit).copied().filter(|lane| *lane < lanes);
        let exchanges: Vec<LaneExchange> = selected
            .into_iter()
            .map(|(register, target_lane, selectors)| LaneExchange {
                register,
                source_lane: lane_of(target_lane),
                target_lane,
                selectors,
            })
            .collect();
        let lanes = lane_map(&outer_dims(&source, &target), &outer, lanes, &lane_of, registers, &exchanges)?;
        Ok(WarpShuffles { registers: factors.registers, lanes, exchanges, packed })
    }

    /// The shuffles, of 32 bits each, and the selections between pairs of words before and after them. Words that stay in their lane are
    /// not shuffled.
    ///
    /// # Errors
    /// [`Code::Overflow`] beyond 64 bits.
    pub fn cost(&self, element_bits: i64) -> Result<MoveCost, Error> {
        let overflow = || Error::overflow("the shuffles of a conversion");
        let bits = u32::try_from(self.registers.len() - self.packed).unwrap_or(64);
        let wide = u64::try_from((element_bits / WORD_BITS).max(1)).unwrap_or(u64::MAX);
        let words = 1_u64.checked_shl(bits).and_then(|words| words.checked_mul(wide)).ok_or_else(overflow)?;
        let exchanges = u32::try_from(self.exchanges.len()).unwrap_or(64);
        let stay = if self.lanes_stay() { words.checked_shr(exchanges).unwrap_or(0) } else { 0 };
        // An exchange for a lane bit on one side only selects on one side only, unless bytes change places on the other.
        let sides = self.exchanges.iter().map(|exchange| 1 + u64::from(exchange.is_done_before())).sum::<u64>();
        let selections = words.checked_mul(sides).ok_or_else(overflow)?;
        Ok(MoveCost { passes: words - stay, selections })
    }

    /// The renaming of registers as a linear layout.
    ///
    /// # Errors
    /// None for what [`WarpShuffles::new`] makes.
    pub fn register_map(&self) -> Result<LinearLayout, Error> {
        let dim = Dim { name: Name::REGISTER, bits: u32::try_from(self.registers.len()).unwrap_or(u32::MAX) };
        let mut columns = Columns::new();
        for bit in &self.registers {
            columns.push(unit(*bit));
        }
        LinearLayout::from_columns([dim].into_iter().collect(), [dim].into_iter().collect(), columns)
    }

    /// The moves as pseudo-code, a line each: registers `x[i]` hold the source, words `w[r]` what is shuffled, `y[i]` the target.
    pub fn lines(&self) -> Vec<String> {
        let bits: Vec<String> = self.registers.iter().map(ToString::to_string).collect();
        let count = 1_u64.checked_shl(u32::try_from(self.registers.len()).unwrap_or(64)).unwrap_or(0);
        let (each, held) = (1_u64 << self.packed, if self.packed == 0 { "w" } else { "v" });
        let mut lines = Vec::new();
        if self.registers.iter().enumerate().any(|(bit, to)| bit != *to) {
            let to = bits.join(", ");
            lines.push(format!(
                "for i in 0..{count}: {held}[p(i)] = x[i], where bits 0, 1, … of i become bits {to} of p(i)"
            ));
        } else {
            lines.push(format!("for i in 0..{count}: {held}[i] = x[i]"));
        }
        if self.packed > 0 {
            lines.push(format!("for r in 0..{}: w[r] = pack(v[{each}*r .. {each}*r+{each}])", count / each));
        }
        let before = self.exchanges.iter().filter(|exchange| exchange.is_done_before());
        lines.extend(before.map(|exchange| self.exchange_line(exchange, true)));
        let lanes_stay = self.lanes_stay();
        let mut line =
            format!("for r in 0..{}: w[r] = shfl(w[r], {}", count / each, if lanes_stay { "lane" } else { "q(lane)" });
        for exchange in &self.exchanges {
            if let Some(lane) = exchange.source_lane {
                let _ = write!(line, " ^ (r & {} ? {} : 0)", unit(exchange.register - self.packed), unit(lane));
            }
        }
        for (dim, columns) in self.outer_columns() {
            for (bit, mask) in columns.iter().enumerate().filter(|(_, mask)| **mask != 0) {
                let _ = write!(line, " ^ ({} & {} ? {mask} : 0)", dim.name, unit(bit));
            }
        }
        line.push(')');
        if !lanes_stay {
            let becomes = |to: &u64| if *to == 0 { "none".to_owned() } else { to.trailing_zeros().to_string() };
            let bits: Vec<String> = self.columns_of(Name::LANE).iter().map(becomes).collect();
            let _ = write!(line, ", where bits 0, 1, … of lane become bits {} of q(lane)", bits.join(", "));
        }
        lines.push(line);
        lines.extend(self.exchanges.iter().map(|exchange| self.exchange_line(exchange, false)));
        lines.push(match self.packed {
            0 => format!("for i in 0..{count}: y[i] = w[i]"),
            _ => format!("for r in 0..{}: y[{each}*r .. {each}*r+{each}] = unpack(w[r])", count / each),
        });
        lines
    }

    /// What each bit of a dim gives to the lane that is read.
    fn columns_of(&self, name: Name) -> &[u64] {
        self.lanes.in_dim(name).map_or(&[], |(_, columns)| columns)
    }

    /// Whether words are read from their own lane, but for exchanges.
    fn lanes_stay(&self) -> bool {
        let stay = self.columns_of(Name::LANE).iter().enumerate().all(|(bit, to)| unit(bit) == *to);
        stay && self.outer_columns().all(|(_, columns)| columns.iter().all(|column| *column == 0))
    }

    /// What warps, blocks and other dims give to the lane that is read.
    fn outer_columns(&self) -> impl Iterator<Item = (Dim, &[u64])> {
        self.lanes.by_in_dim().filter(|(dim, _)| ![Name::REGISTER, Name::LANE].contains(&dim.name))
    }

    fn exchange_line(&self, exchange: &LaneExchange, is_before: bool) -> String {
        let [before_low, before_high, after_low, after_high] = exchange.selectors;
        let (lane, low, high) = match is_before {
            true => (exchange.source_lane, before_low, before_high),
            false => (Some(exchange.target_lane), after_low, after_high),
        };
        let pair = unit(exchange.register - self.packed);
        let Some(lane) = lane.map(unit) else {
            return format!(
                "for r without bit {pair}: a, b = w[r], w[r + {pair}]; w[r], w[r + {pair}] = prmt(a, b, {low:#06x}), \
                 prmt(a, b, {high:#06x})"
            );
        };
        if [low, high] == STAY {
            return format!("for r without bit {pair}: if lane & {lane}: swap(w[r], w[r + {pair}])");
        }
        // After the shuffle the words come in the other order, before it they leave in the other order.
        let (other_low, other_high) = if is_before { (high, low) } else { (low ^ 0x4444, high ^ 0x4444) };
        format!(
            "for r without bit {pair}: a, b = w[r], w[r + {pair}]; w[r], w[r + {pair}] = prmt(a, b, lane & {lane} ? {other_low:#06x} : \
             {low:#06x}), prmt(a, b, lane & {lane} ? {other_high:#06x} : {high:#06x})"
        )
    }
}

impl LaneExchange {
    /// Whether anything is done before the shuffle: words are exchanged by a lane bit, or bytes by selectors.
    fn is_done_before(&self) -> bool {
        let [low, high, ..] = self.selectors;
        self.source_lane.is_some() || [low, high] != STAY
    }
}

/// A bit of the number of a warp or block, and the column of lanes that it chooses.
struct OuterBit {
    dim: Name,
    /// What the target moves by the bit and the source does not.
    column: u64,
}

/// The dims that are neither registers nor lanes, of either layout.
fn outer_dims(source: &LinearLayout, target: &LinearLayout) -> Vec<Name> {
    let mut dims: Vec<Name> = source.ins().iter().map(|dim| dim.name).collect();
    dims.extend(target.ins().iter().map(|dim| dim.name).filter(|name| source.in_dim(*name).is_none()));
    dims.retain(|name| ![Name::REGISTER, Name::LANE].contains(name));
    dims
}

/// The bits of warps and blocks: where the layouts differ, the source moves by a lane bit what the target moves by them.
fn outer_bits(source: &LinearLayout, target: &LinearLayout) -> Result<Vec<OuterBit>, Error> {
    let columns =
        |layout: &LinearLayout, dim: Name| layout.in_dim(dim).map_or_else(Vec::new, |(_, columns)| columns.to_vec());
    let lanes = columns(source, Name::LANE);
    let registers = columns(source, Name::REGISTER);
    let (within, by_lane) = (Echelon::of(&[registers, lanes.clone()].concat()), Echelon::of(&lanes));
    let mut all = Vec::new();
    for dim in outer_dims(source, target) {
        let (from, to) = (columns(source, dim), columns(target, dim));
        for bit in 0..from.len().max(to.len()) {
            let column = [&from, &to].iter().filter_map(|side| side.get(bit)).fold(0, |all, column| all ^ column);
            if column != 0 && !lanes.contains(&column) {
                return Err(if within.express(column).is_none() {
                    error!(
                        Code::Kind,
                        "the dim {dim} differs, so that values leave their {dim}; shuffles stay in one warp",
                        [dim]
                    )
                } else if by_lane.express(column).is_none() {
                    error!(Code::Kind, "the register that a lane takes depends on bit {bit} of the {dim}", [bit, dim])
                } else {
                    no_permutation(&format!("bit {bit} of the {dim} chooses among several lane bits at once"))
                });
            }
            all.push(OuterBit { dim, column });
        }
    }
    Ok(all)
}

/// `1 << bit`; bits are those of a layout, which has 64 at most.
fn unit(bit: usize) -> u64 {
    u32::try_from(bit).ok().and_then(|bit| 1_u64.checked_shl(bit)).unwrap_or(0)
}

/// The larger number of bits that either layout has of a dim.
fn bits_of(source: &LinearLayout, target: &LinearLayout, dim: Name) -> Result<usize, Error> {
    let bits = |layout: &LinearLayout| {
        let found = layout.in_dim(dim).map(|(_, columns)| columns.len());
        found.ok_or_else(|| error!(Code::MissingDim, "a register layout has the dim {dim}", [dim]))
    };
    Ok(bits(source)?.max(bits(target)?))
}

/// For each bit of the source, registers first, the bit of the target that moves the same; zero columns fill up. What warps and blocks
/// choose, which the source repeats, comes last.
fn permutation(
    source: &LinearLayout,
    target: &LinearLayout,
    registers: usize,
    lanes: usize,
    chosen: &[u64],
) -> Result<Vec<usize>, Error> {
    let padded = |layout: &LinearLayout| -> Vec<u64> {
        let columns = |dim: Name, bits: usize| {
            let held = layout.in_dim(dim).map_or_else(Vec::new, |(_, columns)| columns.to_vec());
            held.into_iter().chain(std::iter::repeat(0)).take(bits).collect::<Vec<_>>()
        };
        [columns(Name::REGISTER, registers), columns(Name::LANE, lanes)].concat()
    };
    let from = [padded(source), vec![0; chosen.len()]].concat();
    let to = [padded(target), chosen.to_vec()].concat();
    let zeros = |of: &[u64], other: &[u64]| -> Vec<usize> {
        let pairs = of.iter().zip(other).enumerate();
        pairs.filter(|(_, (own, other))| **own == 0 && **other != 0).map(|(bit, _)| bit).collect()
    };
    let mut filled = zeros(&from, &to).into_iter().zip(zeros(&to, &from)).collect::<Vec<_>>();
    filled.reverse();
    let mut permutation = Vec::new();
    for (bit, column) in from.iter().enumerate() {
        permutation.push(match column {
            0 if to.get(bit) == Some(&0) => bit,
            0 => filled.pop().map_or_else(|| Err(no_permutation("a zero column has no partner")), |(_, to)| Ok(to))?,
            column => {
                let mut places = (0..to.len()).filter(|place| to.get(*place) == Some(column));
                match (places.next(), places.next()) {
                    (Some(place), None) => place,
                    _ => {
                        return Err(no_permutation(&format!(
                            "the vector that bit {bit} of the source moves is not once one of the target"
                        )));
                    }
                }
            }
        });
    }
    let mut seen = permutation.clone();
    seen.sort_unstable();
    if seen.iter().enumerate().any(|(at, bit)| at != *bit) {
        return Err(no_permutation("two bits of the source move the same"));
    }
    Ok(permutation)
}

fn no_permutation(why: &str) -> Error {
    error!(Code::NotInvertible, "{why}, so that the conversion is no permutation of bits", [why])
        .with_help("plan says how such values get there")
}

/// A permutation of bits as one of registers, one of lanes, and exchanges between both.
struct Factors {
    registers: Vec<usize>,
    lanes: Vec<usize>,
    /// Register bits with the lane bits that they change places with.
    swaps: Vec<(usize, usize)>,
}

impl Factors {
    /// Walks the cycles. `(… r l … k s …)` is `(s l) (… r s …) (l … k)`.
    fn of(permutation: &[usize], registers: usize) -> Result<Self, Error> {
        let broken = || Error::new(Code::NotInvertible, "a cycle of bits does not close");
        let mut factors = Factors {
            registers: (0..registers).collect(),
            lanes: (0..permutation.len().saturating_sub(registers)).collect(),
            swaps: Vec::new(),
        };
        let mut seen = vec![false; permutation.len()];
        for entry in 0..permutation.len() {
            let (mut bit, mut left) = (entry, None);
            while !std::mem::replace(seen.get_mut(bit).ok_or_else(broken)?, true) {
                let next = *permutation.get(bit).ok_or_else(broken)?;
                match (bit.checked_sub(registers), next.checked_sub(registers)) {
                    (None, None) => *factors.registers.get_mut(bit).ok_or_else(broken)? = next,
                    (Some(lane), Some(to)) => *factors.lanes.get_mut(lane).ok_or_else(broken)? = to,
                    (None, Some(first)) => left = Some((bit, first)),
                    (Some(last), None) => {
                        let (register, first) = left.take().ok_or_else(broken)?;
                        *factors.registers.get_mut(register).ok_or_else(broken)? = next;
                        *factors.lanes.get_mut(last).ok_or_else(broken)? = first;
                        factors.swaps.push((next, first));
                    }
                }
                bit = next;
            }
        }
        Ok(factors)
    }

    fn next(&self, bit: usize) -> usize {
        self.registers.get(bit).copied().unwrap_or(bit)
    }

    fn previous(&self, bit: usize) -> usize {
        self.registers.iter().position(|to| *to == bit).unwrap_or(bit)
    }

    fn set(&mut self, bit: usize, to: usize) {
        if let Some(place) = self.registers.get_mut(bit) {
            *place = to;
        }
    }

    /// Exchanges of register bits that are not inside of a word, with the selectors that do for those that are. Bits inside of a word are
    /// taken out of the permutation of registers where a selector can hold them.
    fn selected(&mut self, packed: usize) -> Result<Vec<(usize, usize, [u16; 4])>, Error> {
        let [low, high] = STAY;
        if packed == 0 {
            return Ok(self.swaps.iter().map(|(register, lane)| (*register, *lane, [low, high, low, high])).collect());
        }
        let mut taken: Vec<usize> = self.swaps.iter().map(|(register, _)| *register).collect();
        // First those from which the permutation leads to a bit outside of the word before it leads to another exchange.
        let reaches_out = |factors: &Self, register: usize| {
            let mut bit = register;
            loop {
                if bit >= packed {
                    return true;
                }
                bit = factors.next(bit);
                if taken.contains(&bit) {
                    return false;
                }
            }
        };
        let (first, last): (Vec<_>, Vec<_>) =
            self.swaps.iter().copied().partition(|(register, _)| reaches_out(self, *register));
        let mut chosen: Vec<(usize, usize, [u16; 4])> = Vec::new();
        for (register, lane) in first.into_iter().chain(last) {
            let Segment { head, tail, partner, mut before, after } = self.segment(register, packed, &mut taken);
            let partner = match partner {
                Some(partner) => partner,
                None => self.partner(head, packed, &mut taken, &mut before),
            };
            if partner >= self.registers.len() {
                return Err(no_permutation("there is no register bit outside of the word to exchange"));
            }
            let inside = |bit: &usize| *bit != head && *bit != tail;
            for bit in after.iter().chain(&before).copied().filter(inside).collect::<Vec<_>>() {
                self.set(bit, bit);
            }
            self.set(tail, head);
            let selectors = |bits: &mut dyn Iterator<Item = usize>| {
                bits.fold(STAY, |words, bit| words.map(|selector| swapped(selector, bit + MAX_PACKED - packed)))
            };
            let [after_low, after_high] = selectors(&mut after.iter().rev().copied());
            let [before_low, before_high] = selectors(&mut before.iter().copied());
            chosen.push((partner, lane, [before_low, before_high, after_low, after_high]));
        }
        // Two bits inside of a word that are left to change places do so in the first permute.
        if let (MAX_PACKED, 1, 0, Some((.., selectors))) = (packed, self.next(0), self.next(1), chosen.first_mut()) {
            for selector in selectors.iter_mut().take(2) {
                *selector = [0, 1, 0].into_iter().fold(*selector, swapped);
            }
            self.set(0, 0);
            self.set(1, 1);
        }
        Ok(chosen)
    }

    /// The bits inside of a word around a register bit that is exchanged.
    fn segment(&self, register: usize, packed: usize, taken: &mut Vec<usize>) -> Segment {
        let mut cycle = vec![register];
        let mut bit = self.next(register);
        while bit != register {
            cycle.push(bit);
            bit = self.next(bit);
        }
        let ends = |bit: &usize| *bit >= packed || (*bit != register && taken.contains(bit));
        let forward = cycle.iter().copied().find(ends);
        let mut after: Vec<usize> = cycle.iter().copied().take_while(|bit| !ends(bit)).collect();
        let mut before: Vec<usize> = cycle.iter().rev().copied().take_while(|bit| !ends(bit)).collect();
        let backward = cycle.iter().rev().copied().find(ends);
        let (Some(forward), Some(mut tail)) = (forward, backward) else {
            // The whole cycle is inside of the word.
            if cycle.len() == 2 {
                after.pop();
            }
            let last = cycle.last().copied().unwrap_or(register);
            return Segment { head: last, tail: last, partner: None, before, after };
        };
        if forward < packed {
            before.push(register);
            return Segment { head: register, tail: self.next(register), partner: None, before, after };
        }
        if !taken.contains(&forward) {
            taken.push(forward);
        }
        // Bits that other exchanges will use go along, and this exchange comes first.
        while tail < packed && taken.contains(&tail) {
            before.push(tail);
            tail = self.previous(tail);
        }
        Segment { head: forward, tail, partner: Some(forward), before, after }
    }

    /// A bit outside of the word that stands in for one inside: one that the other bit inside is to become, else the first free one.
    fn partner(&mut self, low: usize, packed: usize, taken: &mut Vec<usize>, before: &mut Vec<usize>) -> usize {
        let other = 1_usize.saturating_sub(low);
        let next = self.next(other);
        let mut partner = packed;
        if packed == MAX_PACKED
            && self.next(low) == low
            && next >= packed
            && !taken.contains(&next)
            && !taken.contains(&other)
        {
            before.push(other);
            let tail = self.previous(other);
            self.set(tail, next);
            partner = next;
        } else {
            while taken.contains(&partner) {
                partner += 1;
            }
        }
        taken.push(partner);
        partner
    }
}

/// Bits inside of a word that an exchange takes with it.
struct Segment {
    /// What the permutation of registers has behind the segment, and before it.
    head: usize,
    tail: usize,
    /// The bit outside of the word that is exchanged, where the segment ends in one.
    partner: Option<usize>,
    /// Bits that change places with it before the shuffle, in order; and after it, in reverse.
    before: Vec<usize>,
    after: Vec<usize>,
}

/// A selector whose numbers of bytes have bit 2, which tells the words of a pair apart, and a lower bit changed over.
fn swapped(selector: u16, bit: usize) -> u16 {
    let bit = u32::try_from(bit).unwrap_or(0);
    (0..4).fold(0, |made, nibble| {
        let number = selector >> (4 * nibble) & 7;
        let (upper, lower) = (number >> 2 & 1, number >> bit & 1);
        let rest = number & !(4 | 1 << bit);
        made | (rest | lower << 2 | upper << bit) << (4 * nibble)
    })
}

/// From registers, lanes, warps and blocks to the lane that is read.
fn lane_map(
    dims: &[Name],
    outer: &[OuterBit],
    lanes: usize,
    lane_of: &dyn Fn(usize) -> Option<usize>,
    registers: usize,
    exchanges: &[LaneExchange],
) -> Result<LinearLayout, Error> {
    let mut columns = Columns::new();
    let bits = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let mut ins =
        vec![Dim { name: Name::REGISTER, bits: bits(registers) }, Dim { name: Name::LANE, bits: bits(lanes) }];
    for register in 0..registers {
        let own = exchanges.iter().filter(|exchange| exchange.register == register);
        columns.push(own.fold(0, |column, exchange| column ^ exchange.source_lane.map_or(0, unit)));
    }
    for lane in 0..lanes {
        columns.push(lane_of(lane).map_or(0, unit));
    }
    let mut next = lanes;
    for dim in dims {
        let own: Vec<&OuterBit> = outer.iter().filter(|bit| bit.dim == *dim).collect();
        ins.push(Dim { name: *dim, bits: bits(own.len()) });
        for bit in own {
            let chooses = bit.column != 0;
            columns.push(if chooses { lane_of(next).map_or(0, unit) } else { 0 });
            next += usize::from(chooses);
        }
    }
    let out = Dim { name: Name::LANE, bits: bits(lanes) };
    LinearLayout::from_columns(ins.into_iter().collect(), [out].into_iter().collect(), columns)
}
