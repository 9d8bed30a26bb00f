//! [`Network`]: a block of bytes whose places are told by bits, moved in words.
//!
//! The block has as many words as make a word of either side a line of it. A bit of a byte's place is then either inside a word
//! or in the word's number, on each side. Bits that are inside on both sides, or that go from inside to the number and the
//! other way, are all there are: the latter pair up, and each pair is one *round* that exchanges a bit of the number
//! with a bit inside, in all words. What remains is an order of the bits inside, the same in every word. Law: after the rounds
//! and the order, word `n` of the destination holds at byte `p` the byte that the loops of the block lead there.
//!
//! This is the exchange of index bits that transposes a matrix in registers; interleaving rows is its case of one round.

use super::{Isa, avx2, avx512, scalar};

/// A bit of the block: how far it moves on each side, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bit {
    pub(crate) strides: [isize; 2],
}

/// Where the words of one side are, piece by piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// The bytes of a piece, as a power of two: what lies together.
    pub(crate) piece: u32,
    /// Where each piece is, word by word.
    pub(crate) at: Vec<isize>,
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
    /// What the rounds come to as byte permutations of two words, for instructions that have them.
    pub(crate) tables: Vec<[[u8; 64]; 2]>,
}

impl Network {
    /// The network of the bits inside the words of each side, the lowest first, above those of an element of `2^element`
    /// bytes. Bits that both sides have inside are in both lists.
    pub(crate) fn new(isa: Isa, element: u32, inside: [&[Bit]; 2]) -> Self {
        let [source, destination] = inside;
        let leaves: Vec<Bit> = source.iter().filter(|bit| !destination.contains(bit)).copied().collect();
        let enters: Vec<Bit> = destination.iter().filter(|bit| !source.contains(bit)).copied().collect();
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
        let words = |inside: &[Bit], number: &[Bit], side: usize| {
            let stride = |bit: &Bit| bit.strides.get(side).copied().unwrap_or(0);
            let together = inside.iter().zip(element..).take_while(|(bit, at)| stride(bit) == 1isize << *at).count();
            let above: Vec<Bit> = inside.iter().skip(together).chain(number).copied().collect();
            let at = (0..1usize << above.len()).map(|chosen| {
                above.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, bit)| stride(bit)).sum()
            });
            Words { piece: width(together), at: at.collect() }
        };
        let sides = [words(source, &enters, 0), words(destination, &leaves, 1)];
        let mut network = Network { isa, rounds, order, sides, tables: Vec::new() };
        if isa == Isa::Avx512 {
            network.tables = network.permutations();
        }
        network
    }

    /// The rounds as permutations of two words, the order inside them folded into the last.
    fn permutations(&self) -> Vec<[[u8; 64]; 2]> {
        let ordered = |place: u8| {
            let bits = self.order.iter().enumerate().filter(|(at, _)| place >> at & 1 == 1);
            bits.fold(0u8, |sum, (_, from)| sum | 1 << from)
        };
        let mut tables: Vec<[[u8; 64]; 2]> = Vec::new();
        for (number, bit) in self.rounds.iter().enumerate() {
            let last = number + 1 == self.rounds.len();
            let mut pair = [[0; 64]; 2];
            for (half, table) in (0u8..).zip(&mut pair) {
                for (place, from) in (0u8..).zip(table) {
                    let place = if last { ordered(place) } else { place };
                    let word = place >> bit & 1;
                    *from = (place & !(1 << bit)) | half << bit | word << 6;
                }
            }
            tables.push(pair);
        }
        if self.rounds.is_empty() {
            let mut table = [0; 64];
            for (place, from) in (0u8..).zip(&mut table) {
                *from = ordered(place);
            }
            tables.push([table; 2]);
        }
        tables
    }

    /// Whether the bits inside are in order after the rounds.
    pub(crate) fn is_ordered(&self) -> bool {
        self.order.iter().zip(0..).all(|(from, at)| *from == at)
    }

    /// The bytes of a block.
    pub(crate) fn bytes(&self) -> usize {
        1usize << (self.rounds.len() + self.order.len())
    }

    /// The bytes that lie together on each side.
    pub(crate) fn pieces(&self) -> [usize; 2] {
        [1usize << self.sides[0].piece, 1usize << self.sides[1].piece]
    }

    /// Moves the blocks at some places. `stream` writes past the caches where a piece is a whole word.
    ///
    /// # Safety
    /// Every block lies inside the memory of both pointers, and these do not overlap; the machine has the instructions of the
    /// network; with `stream`, every word of the destination is aligned to its size.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(&self, source: *const u8, destination: *mut u8, places: &[[isize; 2]], stream: bool) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.isa {
                Isa::Scalar => scalar::run(self, source, destination, places),
                Isa::Avx2 => avx2::run(self, source, destination, places, stream),
                Isa::Avx512 => avx512::run(self, source, destination, places, stream),
            }
        }
    }
}
