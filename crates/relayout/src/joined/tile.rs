//! [`Tile`]: the operations that move a tile, [`TILES`] tiles at a time.
//!
//! Words of 4 or 8 bytes that are neighbours in the destination are stored as 16 bytes, words of 2 bytes as 8. Where the words
//! beside them in the source go to further such places, 16 bytes are read at once, and the words are transposed in registers.
//! Squares whose rows are neighbours in the destination are transposed together by AVX-512, and stored as 64 bytes.
//!
//! Law: the operations read and write the bytes that [`Copies`] and [`Bits`] list, each once.
#![allow(unsafe_code)]

use std::collections::BTreeMap;

use crate::cast::length;
use crate::kernel::Isa;

/// The tiles that are moved together, an operation after the other. A loop counts them: unrolled, the places of its words leave
/// the registers.
pub(super) const TILES: usize = 16;

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
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bits {
    pub(super) to: u32,
    pub(super) written: u8,
    pub(super) flip: u8,
    pub(super) terms: Vec<Term>,
}

/// Operations of one kind; places in the source, then in the destination.
#[derive(Clone, Debug, PartialEq)]
enum Operation {
    /// Words of a given number of bytes.
    Words(usize, Vec<[u32; 2]>),
    /// Words of 8 bytes, two of each of two places, as the first two and the last two.
    Transposed8(Vec<Square<2>>),
    /// Words of 4 bytes, four of each of four places.
    Transposed4(Vec<Square<4>>),
    /// Four squares of two rows, or two of four: eight places of 16 bytes to two of 64, and the words of these.
    Wide([[u32; 16]; 2], Vec<([u32; 8], [u32; 2])>),
    /// Two words of 8 bytes, four of 4, four of 2, as neighbours.
    Joined8(Vec<Row<2>>),
    Joined4(Vec<Row<4>>),
    Joined2(Vec<Row<4>>),
}

/// What moves a tile.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tile {
    operations: Vec<(u8, Operation)>,
    bits: Vec<Bits>,
}

/// Where some tiles begin, how many they are, and how far apart.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) source: *const u8,
    pub(super) destination: *mut u8,
    pub(super) tiles: usize,
    pub(super) strides: [isize; 2],
}

impl Tile {
    /// Of instructions that this machine supports.
    pub(super) fn new(copies: Copies, bits: Vec<Bits>, isa: Isa) -> Self {
        let mut operations = Vec::new();
        for ((bytes, mask), mut places) in copies.into_iter().rev() {
            match bytes {
                8 => {
                    let (joined, rest) = joined::<2>(places, 8);
                    let (mut transposed, joined) = transposed(joined, 8);
                    if isa == Isa::Avx512 {
                        operations.push((mask, Operation::Wide(WIDE_8, together::<2, 4>(&mut transposed))));
                    }
                    operations.push((mask, Operation::Transposed8(transposed)));
                    operations.push((mask, Operation::Joined8(joined)));
                    places = rest;
                }
                4 => {
                    let (joined, rest) = joined::<4>(places, 4);
                    let (mut transposed, joined) = transposed(joined, 4);
                    if isa == Isa::Avx512 {
                        operations.push((mask, Operation::Wide(WIDE_4, together::<4, 2>(&mut transposed))));
                    }
                    operations.push((mask, Operation::Transposed4(transposed)));
                    operations.push((mask, Operation::Joined4(joined)));
                    places = rest;
                }
                2 => {
                    let (joined, rest) = joined::<4>(places, 2);
                    operations.push((mask, Operation::Joined2(joined)));
                    places = rest;
                }
                _ => {}
            }
            operations.push((mask, Operation::Words(bytes, places)));
        }
        operations.retain(|(_, operation)| !operation.is_empty());
        Tile { operations, bits }
    }

    /// Moves some tiles.
    ///
    /// # Safety
    /// All places of these tiles are inside both buffers, which do not overlap, and nobody else uses those of the destination.
    pub(super) unsafe fn run(&self, at: At) {
        for (mask, operation) in &self.operations {
            // By value, since what is behind a reference is read again after each store.
            let mask = *mask;
            // SAFETY: handed on to the caller, for all operations.
            unsafe {
                match operation {
                    Operation::Words(8, places) => words::<u64>(at, places, mask),
                    Operation::Words(4, places) => words::<u32>(at, places, mask),
                    Operation::Words(2, places) => words::<u16>(at, places, mask),
                    Operation::Words(_, places) => words::<u8>(at, places, mask),
                    Operation::Transposed8(places) => {
                        at.each(places, move |at, (from, to)| wide::transpose8(at, from, to, mask));
                    }
                    Operation::Transposed4(places) => {
                        at.each(places, move |at, (from, to)| wide::transpose4(at, from, to, mask));
                    }
                    Operation::Wide(words, places) => wide::together(at, words, places, mask),
                    Operation::Joined8(places) => {
                        at.each(places, move |at, (from, to)| wide::join8(at, from, to, mask));
                    }
                    Operation::Joined4(places) => {
                        at.each(places, move |at, (from, to)| wide::join4(at, from, to, mask));
                    }
                    Operation::Joined2(places) => {
                        at.each(places, move |at, (from, to)| join2(at, from, to, mask));
                    }
                }
            }
        }
        for bits in &self.bits {
            // SAFETY: the same.
            unsafe {
                match bits.terms.len() {
                    1 => put::<1>(at, bits),
                    2 => put::<2>(at, bits),
                    3 => put::<3>(at, bits),
                    4 => put::<4>(at, bits),
                    5 => put::<5>(at, bits),
                    6 => put::<6>(at, bits),
                    7 => put::<7>(at, bits),
                    _ => put::<8>(at, bits),
                }
            }
        }
    }
}

impl Operation {
    /// Whether it has no place.
    fn is_empty(&self) -> bool {
        match self {
            Operation::Words(_, places) => places.is_empty(),
            Operation::Transposed8(places) => places.is_empty(),
            Operation::Transposed4(places) => places.is_empty(),
            Operation::Joined8(places) => places.is_empty(),
            Operation::Joined4(places) | Operation::Joined2(places) => places.is_empty(),
            Operation::Wide(_, places) => places.is_empty(),
        }
    }
}

impl At {
    /// Does something at each place of each tile, the tiles of a place one after the other.
    ///
    /// # Safety
    /// As for what is done.
    #[inline(always)]
    unsafe fn each<T: Copy>(self, places: &[T], act: impl Fn(At, T)) {
        for place in places {
            let (mut at, place) = (self, *place);
            for _ in 0..self.tiles {
                act(at, place);
                at.step();
            }
        }
    }

    /// Goes on to the next tile.
    #[inline(always)]
    fn step(&mut self) {
        self.source = self.source.wrapping_offset(self.strides[0]);
        self.destination = self.destination.wrapping_offset(self.strides[1]);
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

/// Puts the bits of a number of bytes together, of which a byte has at most eight.
///
/// # Safety
/// As [`Tile::run`].
unsafe fn put<const TERMS: usize>(at: At, bits: &Bits) {
    let Ok(terms) = <[Term; TERMS]>::try_from(bits.terms.as_slice()) else { return };
    // SAFETY: handed on to the caller.
    unsafe { at.each(&[bits.place()], move |at, place| at.put(&terms, place)) };
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
unsafe fn words<W: Word>(at: At, places: &[[u32; 2]], mask: u8) {
    let mask = W::repeated(mask);
    // SAFETY: handed on to the caller.
    unsafe { at.each(places, move |at, [from, to]| at.write(to, at.read::<W>(from) ^ mask)) };
}

/// Words of 2 bytes as one of 8, by shifts in integer registers: of inserts into a vector register a cycle has one.
#[inline(always)]
fn join2(at: At, [a, b, c, d]: [u32; 4], to: u32, mask: u8) {
    // SAFETY: that the places are inside is what the caller of `At::each` says.
    unsafe {
        let word = |from| u64::from(u16::from_le(at.read(from)));
        let row = word(a) | word(b) << 16 | word(c) << 32 | word(d) << 48;
        at.write(to, row.to_le() ^ u64::repeated(mask));
    }
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

/// The words of 4 bytes, counted over eight places, that four squares of two words of 8 bytes store in each row of 64 bytes.
const WIDE_8: [[u32; 16]; 2] = [
    [0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29],
    [2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31],
];

/// The same of two squares of four words of 4 bytes.
const WIDE_4: [[u32; 16]; 2] = [
    [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    [16, 20, 24, 28, 17, 21, 25, 29, 18, 22, 26, 30, 19, 23, 27, 31],
];

/// Takes out the squares that make two rows of 64 bytes together: eight places of the source, and two of the destination.
fn together<const LANES: usize, const SQUARES: usize>(squares: &mut Vec<Square<LANES>>) -> Vec<([u32; 8], [u32; 2])> {
    let (mut taken, mut rest) = (Vec::new(), Vec::new());
    squares.sort_by_key(|(_, to)| to[0]);
    let mut left = squares.as_slice();
    while let Some((first, behind)) = left.split_first() {
        let own = left.get(..SQUARES).unwrap_or_default();
        let from: Vec<u32> = own.iter().flat_map(|(from, _)| *from).collect();
        // Four squares are beside one another in each row, or each of two is a row.
        let rows: Vec<u32> = if LANES == 2 {
            (0..LANES).flat_map(|row| own.iter().map(move |(_, to)| to[row])).collect()
        } else {
            own.iter().flat_map(|(_, to)| *to).collect()
        };
        let is_row = |row: &[u32]| row.windows(2).all(|pair| pair[0] + 16 == pair[1]);
        match (<[u32; 8]>::try_from(from), rows.as_slice()) {
            (Ok(from), [one, _, _, _, other, ..]) if rows.chunks(4).all(is_row) => {
                taken.push((from, [*one, *other]));
                left = left.get(SQUARES..).unwrap_or_default();
            }
            _ => {
                rest.push(*first);
                left = behind;
            }
        }
    }
    *squares = rest;
    taken
}

#[cfg(target_arch = "x86_64")]
mod wide {
    //! Rows of 16 bytes in registers of SSE2, which every x86-64 has. Words are read one by one: closures over arrays are calls
    //! where a build optimises less.

    use std::arch::x86_64::*;

    use super::At;

    /// The mask in all bytes.
    #[inline(always)]
    fn repeated(mask: u8) -> __m128i {
        // SAFETY: every x86-64 has SSE2.
        unsafe { _mm_set1_epi8(i8::from_ne_bytes([mask])) }
    }

    impl At {
        /// 16 bytes of each of four places.
        ///
        /// # Safety
        /// They are inside; the machine has AVX-512.
        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn quarters(self, [a, b, c, d]: [u32; 4]) -> __m512i {
            // SAFETY: handed on to the caller.
            unsafe {
                let row = _mm512_castsi128_si512(self.read(a));
                let row = _mm512_inserti32x4::<1>(row, self.read(b));
                let row = _mm512_inserti32x4::<2>(row, self.read(c));
                _mm512_inserti32x4::<3>(row, self.read(d))
            }
        }
    }

    /// Moves squares that are transposed together.
    ///
    /// # Safety
    /// As [`Tile::run`](super::Tile::run); the machine has AVX-512.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn together(at: At, words: &[[u32; 16]; 2], places: &[([u32; 8], [u32; 2])], mask: u8) {
        let mask = _mm512_set1_epi32(i32::from_ne_bytes([mask; 4]));
        // SAFETY: 64 bytes are read of arrays of as many.
        let (first, second) =
            unsafe { (_mm512_loadu_epi32(words[0].as_ptr().cast()), _mm512_loadu_epi32(words[1].as_ptr().cast())) };
        for place in places {
            let (mut at, ([a, b, c, d, e, f, g, h], to)) = (at, *place);
            for _ in 0..at.tiles {
                // SAFETY: that the places are inside is what the caller says.
                unsafe {
                    let (one, other) = (at.quarters([a, b, c, d]), at.quarters([e, f, g, h]));
                    at.write(to[0], _mm512_xor_si512(_mm512_permutex2var_epi32(one, first, other), mask));
                    at.write(to[1], _mm512_xor_si512(_mm512_permutex2var_epi32(one, second, other), mask));
                }
                at.step();
            }
        }
    }

    #[inline(always)]
    pub(super) fn transpose8(at: At, from: [u32; 2], to: [u32; 2], mask: u8) {
        let mask = repeated(mask);
        // SAFETY: every x86-64 has SSE2; that the places are inside is what the caller of `At::each` says.
        unsafe {
            let (one, other): (__m128i, __m128i) = (at.read(from[0]), at.read(from[1]));
            at.write(to[0], _mm_xor_si128(_mm_unpacklo_epi64(one, other), mask));
            at.write(to[1], _mm_xor_si128(_mm_unpackhi_epi64(one, other), mask));
        }
    }

    #[inline(always)]
    pub(super) fn transpose4(at: At, from: [u32; 4], to: [u32; 4], mask: u8) {
        let mask = repeated(mask);
        // SAFETY: as above.
        unsafe {
            let [a, b, c, d] = from;
            let (a, b): (__m128i, __m128i) = (at.read(a), at.read(b));
            let (c, d): (__m128i, __m128i) = (at.read(c), at.read(d));
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
            let row = _mm_set_epi64x(at.read(from[1]), at.read(from[0]));
            at.write(to, _mm_xor_si128(row, repeated(mask)));
        }
    }

    #[inline(always)]
    pub(super) fn join4(at: At, from: [u32; 4], to: u32, mask: u8) {
        // SAFETY: as above.
        unsafe {
            let [a, b, c, d] = from;
            let row = _mm_set_epi32(at.read(d), at.read(c), at.read(b), at.read(a));
            at.write(to, _mm_xor_si128(row, repeated(mask)));
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod wide {
    //! Rows of 16 bytes as arrays of words.

    use super::{At, Word};
    use crate::cast::length;

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

    pub(super) unsafe fn together(at: At, words: &[[u32; 16]; 2], places: &[([u32; 8], [u32; 2])], mask: u8) {
        let act = |at: At, (from, to): ([u32; 8], [u32; 2])| {
            // SAFETY: that the places are inside is what the caller says.
            let read: [[u32; 4]; 8] = from.map(|from| unsafe { at.read(from) });
            for (row, to) in words.iter().zip(to) {
                let word = |word: u32| read.as_flattened()[length(i64::from(word))] ^ u32::repeated(mask);
                // SAFETY: the same.
                unsafe { at.write(to, row.map(word)) };
            }
        };
        // SAFETY: the same.
        unsafe { at.each(places, act) };
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
