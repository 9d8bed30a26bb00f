//! [`Network`]: a block of bytes whose places are told by bits, moved in words.
//!
//! The block has as many words as make a word of either side a line of it. A bit of a byte's place is then either inside a word
//! or in the word's number, on each side. Bits that are inside on both sides, or that go from inside to the number and the
//! other way, are all there are: the latter pair up, and each pair is one *round* that exchanges a bit of the number
//! with a bit inside, in all words. What remains is an order of the bits inside, the same in every word. Law: after the rounds
//! and the order, word `n` of the destination holds at byte `p` the byte that the loops of the block lead there.
//!
//! Where a layout is swizzled, bits of the number also flip places inside words: these are permuted when they are read or
//! written. All bits that flip others of a block are its own. Those that no round exchanges make several blocks at one place.
//!
//! This is the exchange of index bits that transposes a matrix in registers; interleaving rows is its case of one round.

use std::fmt;

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::passes::Pass;
use super::stage::WORDS;
use super::strips::Carried;
use super::{Isa, LINE, scalar};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::cast::{distance, number};

/// A bit of the block: how far it moves on each side, in bytes, and which bits of the address it flips.
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

/// Where the words of one side are, piece by piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// The bytes of a piece, as a power of two: what lies together.
    pub(crate) piece: u32,
    /// Where each piece is, word by word.
    pub(crate) at: Vec<isize>,
    /// For each word that is whole, which bits of the places inside are flipped, four times: a machine spreads four bytes to a
    /// word as it loads them. None where no word has any.
    pub(crate) flips: Vec<[u8; 4]>,
}

impl Words {
    /// The bits inside words that lie together on a side, and which of their places others flip in registers.
    ///
    /// Where bits of the number flip some inside, a whole word is one of which places are flipped, if these do nothing but
    /// flip; else it comes in pieces, inside which nothing is flipped.
    fn together(inside: &[Bit], number: &[Bit], side: usize, element: u32, parts: usize) -> (usize, isize) {
        let step = |bit: &Bit| (bit.strides[side] >> parts, bit.flips[side] >> parts);
        let alone = |(bit, at): &(&Bit, u32)| matches!(step(bit), (place, 0) | (0, place) if place == 1 << at);
        let together = inside.iter().zip(element..).take_while(alone).count();
        let bytes = 1isize << together << element;
        let flipped = inside.iter().skip(together).chain(number).fold(0, |all, bit| all | step(bit).1) & (bytes - 1);
        let strided = inside.iter().take(together).fold(0, |all, bit| all | step(bit).0);
        match flipped {
            0 => (together, 0),
            _ if bytes == LINE.cast_signed() && flipped & strided == 0 => (together, bytes - 1),
            _ => (usize::try_from(flipped.trailing_zeros() - element).unwrap_or(0), 0),
        }
    }

    /// The words with some bits inside and others in their numbers; distances are in units of which `2^parts` make a byte.
    fn of(inside: &[Bit], number: &[Bit], side: usize, element: u32, parts: usize) -> Self {
        let (together, mask) = Words::together(inside, number, side, element, parts);
        let above = inside.iter().skip(together).chain(number);
        let mut at = sums(above.clone().map(|bit| bit.strides[side] >> parts), |one, other| one + other);
        let flipped = sums(above.map(|bit| bit.flips[side] >> parts), |one, other| one ^ other);
        at.iter_mut().zip(&flipped).for_each(|(at, flip)| *at += flip & !mask);
        let places = |flip: &isize| [(flip & mask).to_le_bytes()[0]; 4];
        let flips = if mask == 0 { Vec::new() } else { flipped.iter().map(places).collect() };
        Words { piece: u32::try_from(together).unwrap_or(0) + element, at, flips }
    }
}

/// What all choices of some numbers come to: choice `n` has those whose bits are set in `n`.
fn sums<T: Copy + Default>(numbers: impl Iterator<Item = T>, sum: impl Fn(T, T) -> T) -> Vec<T> {
    let mut sums = vec![T::default()];
    for number in numbers {
        for n in 0..sums.len() {
            sums.push(sum(sums[n], number));
        }
    }
    sums
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// How far from the pointers of both sides.
    pub(crate) at: [isize; 2],
    /// Which of the rows of each side are its own: the first of them.
    pub(crate) rows: [usize; 2],
    /// How many of its rows in the destination the block before has written.
    pub(crate) had: usize,
}

/// Blocks that are moved one after the other.
pub(crate) struct Blocks<'a> {
    pub(crate) source: *const u8,
    pub(crate) destination: *mut u8,
    pub(crate) places: &'a [Place],
    /// How far from the place of a block each piece of each side is, word by word.
    pub(crate) rows: [&'a [isize]; 2],
    /// The pointers and rows of the same places in the list that follows, whose lines are fetched meanwhile.
    pub(crate) next: Option<([*const u8; 2], [&'a [isize]; 2])>,
    /// Whether the lines of each side are fetched.
    pub(crate) fetched: [bool; 2],
    /// Words that wait for the next ones of their rows; none where words are written as they are.
    pub(crate) carried: Option<Carried<'a>>,
    /// Whether words are written past the caches.
    pub(crate) stream: bool,
}

/// A block that comes later.
pub(super) struct Later<'a> {
    pub(super) pointers: [*const u8; 2],
    pub(super) rows: [&'a [isize]; 2],
    pub(super) place: &'a Place,
}

impl Blocks<'_> {
    /// The block that comes so many after one, in this list or in the next.
    #[inline(always)]
    pub(super) fn later(&self, at: usize, ahead: usize) -> Option<Later<'_>> {
        if let Some(place) = self.places.get(at + ahead) {
            return Some(Later { pointers: [self.source, self.destination.cast_const()], rows: self.rows, place });
        }
        let (pointers, rows) = self.next?;
        Some(Later { pointers, rows, place: self.places.get(at - self.places.len().saturating_sub(ahead))? })
    }
}

/// How words with a byte for each unit are made of words of bytes that hold several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    /// The bits of a unit.
    pub(crate) unit: u32,
    /// How many units a byte holds.
    pub(crate) per_byte: usize,
    /// On each side, word by word, in which words of the rounds its units are, the lowest first.
    pub(crate) words: [Vec<usize>; 2],
}

impl Packing {
    /// Whether words come in pairs on both sides, the lower half of a byte before the upper one.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_paired(&self) -> bool {
        self.per_byte == 2 && self.words.iter().all(|words| words.iter().enumerate().all(|(n, word)| n == *word))
    }
}

/// What the words of both sides say of the rounds between them.
struct Exchanged {
    /// For each round, the bit inside a word that is exchanged.
    rounds: Vec<u32>,
    /// For each bit inside a word of the destination, which bit it is after the rounds.
    order: Vec<u32>,
    /// For each round, the bit of a word's number on each side.
    numbers: [Vec<Bit>; 2],
}

impl Exchanged {
    /// The exchange between the bits inside the words of each side, the lowest first, above those of an element of `2^element`
    /// bytes. Bits in `first` are exchanged in the first rounds, if at all.
    fn of(element: u32, [source, destination]: [&[Bit]; 2], first: &[Bit]) -> Self {
        let only = |own: &[Bit], other: &[Bit]| {
            let mut bits: Vec<Bit> = own.iter().filter(|bit| !other.contains(bit)).copied().collect();
            bits.sort_by_key(|bit| !first.contains(bit));
            bits
        };
        let (leaves, enters) = (only(source, destination), only(destination, source));
        let place = |list: &[Bit], bit: &Bit| list.iter().position(|other| other == bit).unwrap_or(0);
        let width = |at: usize| u32::try_from(at).unwrap_or(0) + element;
        let rounds: Vec<u32> = leaves.iter().map(|bit| width(place(source, bit))).collect();
        let mut now: Vec<Bit> = source.to_vec();
        for (leaves, enters) in leaves.iter().zip(&enters) {
            let at = place(source, leaves);
            if let Some(bit) = now.get_mut(at) {
                *bit = *enters;
            }
        }
        let order = (0..element).chain(destination.iter().map(|bit| width(place(&now, bit)))).collect();
        Exchanged { rounds, order, numbers: [enters, leaves] }
    }
}

/// A block that is exchanged in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    isa: Isa,
    /// For each round, the bit inside a word that is exchanged.
    pub(crate) rounds: Vec<u32>,
    /// For each bit inside a word of the destination, which bit it is after the rounds.
    pub(crate) order: Vec<u32>,
    pub(crate) sides: [Words; 2],
    /// How many words a block has on each side.
    pub(super) words: usize,
    /// How words of bytes are made of words of smaller units, for these.
    pub(crate) parts: Option<Packing>,
    /// Whether lines come from memory, and are fetched ahead.
    pub(crate) far: bool,
    /// For instructions that permute the bytes of a line: the order inside words, if it changes.
    pub(super) table: Option<[u8; LINE]>,
    /// For others: all that is exchanged, the last of it apart.
    pub(super) passes: (Vec<Pass>, Pass),
}

impl Network {
    /// Whether all words of the destination lie on lines of memory, if the block does.
    pub(crate) fn is_aligned(&self) -> bool {
        let inside = self.sides[1].at.iter().fold(0, |all, at| all | at);
        self.pieces()[1] == LINE && inside % distance(number(LINE)) == 0
    }

    /// Whether all words of the source fall on the same few places of the second cache, so that fetching many ahead drives
    /// out the first ones.
    pub(crate) fn rows_collide(&self) -> bool {
        // A mebibyte, eight places each.
        const APART: u32 = 17;
        let all = self.sides[0].at.iter().fold(0, |all, at| all | at);
        self.sides[0].at.len() > 8 && all.trailing_zeros() >= APART
    }

    /// The network of the bits inside the words of each side, the lowest first, above those of an element of `2^element`
    /// bytes. Bits that both sides have inside are in both lists; further ones are in the numbers of words on both sides.
    /// None where fewer than `least` bits lie together.
    pub(crate) fn new(isa: Isa, element: u32, inside: [&[Bit]; 2], further: &[Bit], least: usize) -> Option<Self> {
        let mut exchanged = Exchanged::of(element, inside, &[]);
        for own in &mut exchanged.numbers {
            own.extend(further);
        }
        let numbers = &exchanged.numbers;
        if (0..2).any(|side| Words::together(inside[side], &numbers[side], side, element, 0).0 < least) {
            return None;
        }
        let sides = [0, 1].map(|side| Words::of(inside[side], &numbers[side], side, element, 0));
        Some(Network::with(isa, exchanged, sides, None))
    }

    /// The network of units below a byte, `2^parts` a byte: the lowest bits of each side are places inside a byte. Words of
    /// the rounds have a byte for each unit, so that these bits belong to the number of a word.
    pub(crate) fn of_parts(isa: Isa, unit: i64, parts: usize, sides: [&[Bit]; 2]) -> Self {
        let (below, inside): (Vec<&[Bit]>, Vec<&[Bit]>) = sides.iter().map(|side| side.split_at(parts)).unzip();
        let stays = |bit: &&Bit| !inside.iter().any(|list| list.contains(bit));
        let mut numbers: Vec<Bit> = Vec::new();
        for bit in below.iter().copied().flatten().filter(stays) {
            if !numbers.contains(bit) {
                numbers.push(*bit);
            }
        }
        let mut exchanged = Exchanged::of(0, [inside[0], inside[1]], &below.concat());
        for own in &mut exchanged.numbers {
            own.extend(&numbers);
        }
        let mut packing =
            Packing { unit: u32::try_from(unit).unwrap_or(4), per_byte: 1 << parts, words: [Vec::new(), Vec::new()] };
        let sides = [0, 1].map(|side| {
            let number = &exchanged.numbers[side];
            let (mut part, whole): (Vec<usize>, Vec<usize>) =
                (0..number.len()).partition(|at| below[side].contains(&number[*at]));
            // In the order of the bits below a byte.
            part.sort_by_key(|at| below[side].iter().position(|bit| *bit == number[*at]));
            packing.words[side] = sums(part.iter().chain(&whole).map(|place| 1 << place), |one, other| one | other);
            let outside: Vec<Bit> = whole.iter().map(|at| number[*at]).collect();
            Words::of(inside[side], &outside, side, 0, parts)
        });
        Network::with(isa, exchanged, sides, Some(packing))
    }

    fn with(isa: Isa, exchanged: Exchanged, sides: [Words; 2], parts: Option<Packing>) -> Self {
        let Exchanged { rounds, order, .. } = exchanged;
        let all = sides[0].at.len() << sides[0].piece >> LINE.trailing_zeros();
        // Words that no round exchanges are moved together as far as kernels have room.
        let words = match (isa, rounds.len()) {
            _ if parts.is_some() => all,
            (Isa::Avx512, 0) => all.min(4),
            (Isa::Avx512, exchanged) => 1 << exchanged,
            _ => all.min(WORDS),
        };
        let mut network =
            Network { isa, rounds, order, sides, words, parts, far: false, table: None, passes: Default::default() };
        if isa == Isa::Avx512 {
            network.table = network.table();
        } else {
            network.passes = Pass::all(&network);
        }
        network
    }

    /// The order inside words as a permutation; none where they are in order.
    fn table(&self) -> Option<[u8; LINE]> {
        if self.is_ordered() {
            return None;
        }
        let mut table = [0; LINE];
        for (place, own) in (0u8..).zip(&mut table) {
            let bits = self.order.iter().enumerate().filter(|(at, _)| place >> at & 1 == 1);
            *own = bits.fold(0, |sum, (_, from)| sum | 1 << from);
        }
        Some(table)
    }

    /// Whether the bits inside are in order after the rounds.
    pub(crate) fn is_ordered(&self) -> bool {
        self.order.iter().zip(0..).all(|(from, at)| *from == at)
    }

    /// The bytes of a block.
    pub(crate) fn bytes(&self) -> usize {
        self.words * LINE
    }

    /// The first rows of the blocks at one place: bits that are in the numbers of words on both sides, and in no round, make
    /// several.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let rows = self.sides.each_ref().map(|side| self.bytes() >> side.piece);
        (0..self.sides[0].at.len() / rows[0]).map(move |n| rows.map(|rows| n * rows))
    }

    /// The bytes that lie together on each side.
    pub(crate) fn pieces(&self) -> [usize; 2] {
        [1usize << self.sides[0].piece, 1usize << self.sides[1].piece]
    }

    /// The rows of a block on each side.
    pub(super) fn rows<'a>(&self, blocks: &Blocks<'a>, place: &Place) -> [&'a [isize]; 2] {
        [0, 1].map(|side| {
            let first = place.rows[side];
            blocks.rows[side].get(first..first + (self.bytes() >> self.sides[side].piece)).unwrap_or(&[])
        })
    }

    /// Which places inside the words of a block are flipped on each side, if any are.
    pub(super) fn flips(&self, place: &Place) -> [&[[u8; 4]]; 2] {
        [0, 1].map(|side| {
            let first = place.rows[side];
            self.sides[side].flips.get(first..first + self.words).unwrap_or(&[])
        })
    }

    /// Moves blocks.
    ///
    /// # Safety
    /// Every block has its rows, and lies inside the memory of both pointers, which do not overlap; the machine has the
    /// instructions of the network; words that are written past the caches are whole pieces, aligned to their size.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(&self, blocks: Blocks) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => avx2::run(self, &blocks),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => avx512::run(self, blocks),
                #[cfg(target_arch = "aarch64")]
                Isa::Neon => neon::run(self, &blocks),
                _ => scalar::run(self, &blocks),
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
