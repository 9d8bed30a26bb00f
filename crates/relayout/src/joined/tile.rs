//! [`Tile`]: the operations that move a tile, four tiles at a time.
//!
//! Words of 2, 4 or 8 bytes that are neighbours in the destination are stored as 16 bytes. Where the words beside them in the
//! source go to further such places, 16 bytes are read at once, and the words are transposed in registers.
//!
//! Law: the operations read and write the bytes that [`Copies`] and [`Bits`] list, each once.
#![allow(unsafe_code)]

use std::collections::BTreeMap;

use crate::cast::length;

/// The tiles that are moved together, an operation after the other: each word is read and written in as many streams.
pub(super) const TILES: usize = 4;

/// Copies by their bytes, 1, 2, 4 or 8, and the mask that is xored: places in the source and in the destination.
pub(super) type Copies = BTreeMap<(usize, u8), Vec<[u32; 2]>>;

/// Bits of a byte of the source, rotated left to where they stand in the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) from: u32,
    pub(super) rotate: u8,
    pub(super) mask: u8,
}

/// A byte of the destination: its place, the bits that are written, what these are xored with, and where they come from.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    pub(super) to: u32,
    pub(super) written: u8,
    pub(super) flip: u8,
    pub(super) terms: Vec<Term>,
}

/// Operations of one kind; places in the source, then in the destination.
#[derive(Clone, Debug)]
enum Operation {
    /// Words of a given number of bytes.
    Words(usize, Vec<[u32; 2]>),
    /// Words of 8 bytes, two of each of two places, as the first two and the last two.
    Transposed8(Vec<Square<2>>),
    /// Words of 4 bytes, four of each of four places.
    Transposed4(Vec<Square<4>>),
    /// Two words of 8 bytes, four of 4, eight of 2, as neighbours.
    Joined8(Vec<Row<2>>),
    Joined4(Vec<Row<4>>),
    Joined2(Vec<Row<8>>),
}

/// What moves a tile.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    operations: Vec<(u8, Operation)>,
    bits: Vec<Bits>,
}

/// Where some tiles begin, and how far apart they are.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) source: *const u8,
    pub(super) destination: *mut u8,
    pub(super) strides: [isize; 2],
}

impl Tile {
    pub(super) fn new(copies: Copies, bits: Vec<Bits>) -> Self {
        let mut operations = Vec::new();
        for ((bytes, mask), mut places) in copies.into_iter().rev() {
            match bytes {
                8 => {
                    let (joined, rest) = joined::<2>(places, 8);
                    let (transposed, joined) = transposed(joined, 8);
                    operations.push((mask, Operation::Transposed8(transposed)));
                    operations.push((mask, Operation::Joined8(joined)));
                    places = rest;
                }
                4 => {
                    let (joined, rest) = joined::<4>(places, 4);
                    let (transposed, joined) = transposed(joined, 4);
                    operations.push((mask, Operation::Transposed4(transposed)));
                    operations.push((mask, Operation::Joined4(joined)));
                    places = rest;
                }
                2 => {
                    let (joined, rest) = joined::<8>(places, 2);
                    operations.push((mask, Operation::Joined2(joined)));
                    places = rest;
                }
                _ => {}
            }
            operations.push((mask, Operation::Words(bytes, places)));
        }
        Tile { operations, bits }
    }

    /// Moves `N` tiles.
    ///
    /// # Safety
    /// All places of these tiles are inside both buffers, which do not overlap, and nobody else uses those of the destination.
    pub(super) unsafe fn run<const N: usize>(&self, at: At) {
        for (mask, operation) in &self.operations {
            // By value, since what is behind a reference is read again after each store.
            let mask = *mask;
            // SAFETY: handed on to the caller, for all operations.
            unsafe {
                match operation {
                    Operation::Words(8, places) => words::<u64, N>(at, places, mask),
                    Operation::Words(4, places) => words::<u32, N>(at, places, mask),
                    Operation::Words(2, places) => words::<u16, N>(at, places, mask),
                    Operation::Words(_, places) => words::<u8, N>(at, places, mask),
                    Operation::Transposed8(places) => {
                        at.each::<_, N>(places, move |at, (from, to)| wide::transpose8(at, from, to, mask));
                    }
                    Operation::Transposed4(places) => {
                        at.each::<_, N>(places, move |at, (from, to)| wide::transpose4(at, from, to, mask));
                    }
                    Operation::Joined8(places) => {
                        at.each::<_, N>(places, move |at, (from, to)| wide::join8(at, from, to, mask));
                    }
                    Operation::Joined4(places) => {
                        at.each::<_, N>(places, move |at, (from, to)| wide::join4(at, from, to, mask));
                    }
                    Operation::Joined2(places) => {
                        at.each::<_, N>(places, move |at, (from, to)| wide::join2(at, from, to, mask));
                    }
                }
            }
        }
        for bits in &self.bits {
            // SAFETY: the same.
            unsafe {
                match bits.terms.as_slice() {
                    [one] => put::<1, N>(at, bits, [*one]),
                    [one, two] => put::<2, N>(at, bits, [*one, *two]),
                    [one, two, three] => put::<3, N>(at, bits, [*one, *two, *three]),
                    more => at.each::<_, N>(&[bits.place()], |at, place| at.put(more, place)),
                }
            }
        }
    }
}

impl At {
    /// Does something at each place of each tile, the tiles of a place one after the other.
    ///
    /// # Safety
    /// As for what is done.
    #[inline(always)]
    unsafe fn each<T: Copy, const N: usize>(self, places: &[T], act: impl Fn(At, T)) {
        for place in places.iter().copied() {
            let mut at = self;
            for _ in 0..N {
                act(at, place);
                at.source = at.source.wrapping_offset(at.strides[0]);
                at.destination = at.destination.wrapping_offset(at.strides[1]);
            }
        }
    }

    /// A word of the source.
    ///
    /// # Safety
    /// It is inside.
    #[inline(always)]
    unsafe fn read<W: Copy>(self, from: u32) -> W {
        // SAFETY: handed on to the caller.
        unsafe { self.source.add(length(i64::from(from))).cast::<W>().read_unaligned() }
    }

    /// Writes a word to the destination.
    ///
    /// # Safety
    /// It is inside.
    #[inline(always)]
    unsafe fn write<W: Copy>(self, to: u32, word: W) {
        // SAFETY: handed on to the caller.
        unsafe { self.destination.add(length(i64::from(to))).cast::<W>().write_unaligned(word) }
    }

    /// Puts a byte together.
    ///
    /// # Safety
    /// The bytes are inside.
    #[inline(always)]
    unsafe fn put(self, terms: &[Term], (to, written, flip): (u32, u8, u8)) {
        // SAFETY: handed on to the caller.
        unsafe {
            let value = terms.iter().fold(flip, |value, term| {
                value ^ self.read::<u8>(term.from).rotate_left(term.rotate.into()) & term.mask
            });
            let before = if written == 0xff { 0 } else { self.destination.add(length(i64::from(to))).read() };
            self.write(to, before & !written | value);
        }
    }
}

impl Bits {
    /// Where the byte is, the bits that are written, and what these are xored with.
    fn place(&self) -> (u32, u8, u8) {
        (self.to, self.written, self.flip)
    }
}

/// Puts the bits of a number of bytes together.
///
/// # Safety
/// As [`Tile::run`].
unsafe fn put<const TERMS: usize, const N: usize>(at: At, bits: &Bits, terms: [Term; TERMS]) {
    // SAFETY: handed on to the caller.
    unsafe { at.each::<_, N>(&[bits.place()], move |at, place| at.put(&terms, place)) };
}

/// A word that is copied.
trait Word: Copy + std::ops::BitXor<Output = Self> {
    /// A byte as each byte of a word.
    fn repeated(byte: u8) -> Self;
}

macro_rules! word {
    ($($word:ty),*) => {$(
        impl Word for $word {
            fn repeated(byte: u8) -> Self {
                Self::from_ne_bytes([byte; size_of::<$word>()])
            }
        }
    )*};
}

word!(u8, u16, u32, u64);

/// Copies words.
///
/// # Safety
/// As [`Tile::run`].
unsafe fn words<W: Word, const N: usize>(at: At, places: &[[u32; 2]], mask: u8) {
    let mask = W::repeated(mask);
    // SAFETY: handed on to the caller.
    unsafe { at.each::<_, N>(places, move |at, [from, to]| at.write(to, at.read::<W>(from) ^ mask)) };
}

/// The places of a row of words in the source, and that of the row in the destination.
type Row<const LANES: usize> = ([u32; LANES], u32);

/// The places of rows in the source, and of those that their columns make in the destination.
type Square<const LANES: usize> = ([u32; LANES], [u32; LANES]);

/// As many words as 16 bytes have that are neighbours in the destination; and the other ones.
fn joined<const LANES: usize>(mut places: Vec<[u32; 2]>, bytes: u32) -> (Vec<Row<LANES>>, Vec<[u32; 2]>) {
    places.sort_by_key(|[_, to]| *to);
    let (mut joined, mut rest) = (Vec::new(), Vec::new());
    let mut left = places.as_slice();
    while let Some((first, behind)) = left.split_first() {
        let row = left.get(..LANES).filter(|row| row.windows(2).all(|pair| pair[0][1] + bytes == pair[1][1]));
        let row =
            row.and_then(|row| <[u32; LANES]>::try_from(row.iter().map(|[from, _]| *from).collect::<Vec<_>>()).ok());
        match row {
            Some(row) => {
                joined.push((row, first[1]));
                left = left.get(LANES..).unwrap_or_default();
            }
            None => {
                rest.push(*first);
                left = behind;
            }
        }
    }
    (joined, rest)
}

/// Rows of words whose neighbours in the source make the other rows of a square; and those that have no such neighbours.
fn transposed<const LANES: usize>(rows: Vec<Row<LANES>>, bytes: u32) -> (Vec<Square<LANES>>, Vec<Row<LANES>>) {
    let mut left: BTreeMap<[u32; LANES], u32> = rows.iter().copied().collect();
    // A place that is read for several rows is read once for each.
    let is_unique = left.len() == rows.len();
    let mut squares = Vec::new();
    for (from, _) in rows.iter().filter(|_| is_unique) {
        let mut step = 0;
        let square = [0; LANES].map(|_| {
            let row = from.map(|place| place + step);
            step += bytes;
            (row, left.get(&row).copied())
        });
        if square.iter().all(|(_, to)| to.is_some()) {
            left.retain(|row, _| !square.iter().any(|(own, _)| own == row));
            squares.push((*from, square.map(|(_, to)| to.unwrap_or(0))));
        }
    }
    (squares, rows.into_iter().filter(|(from, _)| !is_unique || left.contains_key(from)).collect())
}

#[cfg(target_arch = "x86_64")]
mod wide {
    //! Rows of 16 bytes in registers of SSE2, which every x86-64 has.

    use std::arch::x86_64::*;

    use super::At;

    /// The mask in all bytes.
    #[inline(always)]
    fn repeated(mask: u8) -> __m128i {
        // SAFETY: every x86-64 has SSE2.
        unsafe { _mm_set1_epi8(i8::from_ne_bytes([mask])) }
    }

    #[inline(always)]
    pub(super) fn transpose8(at: At, from: [u32; 2], to: [u32; 2], mask: u8) {
        let mask = repeated(mask);
        // SAFETY: every x86-64 has SSE2; that the places are inside is what the caller of `At::each` says.
        unsafe {
            let [one, other]: [__m128i; 2] = from.map(|from| at.read(from));
            at.write(to[0], _mm_xor_si128(_mm_unpacklo_epi64(one, other), mask));
            at.write(to[1], _mm_xor_si128(_mm_unpackhi_epi64(one, other), mask));
        }
    }

    #[inline(always)]
    pub(super) fn transpose4(at: At, from: [u32; 4], to: [u32; 4], mask: u8) {
        let mask = repeated(mask);
        // SAFETY: as above.
        unsafe {
            let [a, b, c, d]: [__m128i; 4] = from.map(|from| at.read(from));
            let (low, high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
            let (other_low, other_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
            at.write(to[0], _mm_xor_si128(_mm_unpacklo_epi64(low, other_low), mask));
            at.write(to[1], _mm_xor_si128(_mm_unpackhi_epi64(low, other_low), mask));
            at.write(to[2], _mm_xor_si128(_mm_unpacklo_epi64(high, other_high), mask));
            at.write(to[3], _mm_xor_si128(_mm_unpackhi_epi64(high, other_high), mask));
        }
    }

    #[inline(always)]
    pub(super) fn join8(at: At, from: [u32; 2], to: u32, mask: u8) {
        // SAFETY: as above.
        unsafe {
            let [low, high]: [i64; 2] = from.map(|from| at.read(from));
            at.write(to, _mm_xor_si128(_mm_set_epi64x(high, low), repeated(mask)));
        }
    }

    #[inline(always)]
    pub(super) fn join4(at: At, from: [u32; 4], to: u32, mask: u8) {
        // SAFETY: as above.
        unsafe {
            let [a, b, c, d]: [i32; 4] = from.map(|from| at.read(from));
            at.write(to, _mm_xor_si128(_mm_set_epi32(d, c, b, a), repeated(mask)));
        }
    }

    #[inline(always)]
    pub(super) fn join2(at: At, from: [u32; 8], to: u32, mask: u8) {
        // SAFETY: as above.
        unsafe {
            let [a, b, c, d, e, f, g, h]: [i16; 8] = from.map(|from| at.read(from));
            at.write(to, _mm_xor_si128(_mm_set_epi16(h, g, f, e, d, c, b, a), repeated(mask)));
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod wide {
    //! Rows of 16 bytes as arrays of words.

    use super::{At, Word};

    pub(super) fn transpose8(at: At, from: [u32; 2], to: [u32; 2], mask: u8) {
        square::<u64, 2>(at, from, to, mask);
    }

    pub(super) fn transpose4(at: At, from: [u32; 4], to: [u32; 4], mask: u8) {
        square::<u32, 4>(at, from, to, mask);
    }

    pub(super) fn join8(at: At, from: [u32; 2], to: u32, mask: u8) {
        row::<u64, 2>(at, from, to, mask);
    }

    pub(super) fn join4(at: At, from: [u32; 4], to: u32, mask: u8) {
        row::<u32, 4>(at, from, to, mask);
    }

    pub(super) fn join2(at: At, from: [u32; 8], to: u32, mask: u8) {
        row::<u16, 8>(at, from, to, mask);
    }

    fn row<W: Word, const LANES: usize>(at: At, from: [u32; LANES], to: u32, mask: u8) {
        // SAFETY: that the places are inside is what the caller of `At::each` says.
        unsafe { at.write(to, from.map(|from| at.read::<W>(from) ^ W::repeated(mask))) };
    }

    fn square<W: Word, const LANES: usize>(at: At, from: [u32; LANES], to: [u32; LANES], mask: u8) {
        // SAFETY: the same.
        let rows: [[W; LANES]; LANES] = from.map(|from| unsafe { at.read(from) });
        for (column, to) in to.into_iter().enumerate() {
            let words = rows.map(|row| row[column] ^ W::repeated(mask));
            // SAFETY: the same.
            unsafe { at.write(to, words) };
        }
    }
}
