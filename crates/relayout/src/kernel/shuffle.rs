//! [`Shuffle`]: words of the destination that are put together from a few words of the source each.
//!
//! The bytes of a word come from a few places where a dim is no power of two: one plane of pixels of three bytes, the scale
//! at the head of every block of eighteen, pixels from three planes. Each word of the source that holds some of them is read
//! once, its bytes are permuted to where they belong, and merged. Laws: byte `n` of the destination is the byte
//! that the loops of the block lead there; nothing is read before the first byte of the block in the source or behind the last.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::fmt;

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::network::TileOrigin;
use super::register::Permute;
use super::row::Row;
use super::{Isa, LINE};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::cast::{distance, number};

/// A word of the source, and what is taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pick {
    /// Where it is.
    at: isize,
    /// Which bytes of the destination's word it has, and for these, which of its own they are.
    mask: u64,
    bytes: [u8; LINE],
    /// Whether it is the first that ends in its line of the block, for which that is fetched.
    fetched: bool,
}

/// What stands for a byte that a pick has not.
const NONE: u8 = 0x80;

/// A block of whole words that lie one after the other in the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shuffle {
    isa: Isa,
    /// For each word, the words of the source that make it.
    vectors: Vec<Vec<Pick>>,
    /// The blocks at a place.
    pub(crate) row: Row,
    /// Whether the source comes from memory, and its lines are fetched ahead.
    pub(crate) from_memory: bool,
}

/// How many places are moved together, so that what is told of a pick serves them all, and no pick waits for another.
const GROUP_TILES: usize = 4;

/// Words of more picks have enough to do at a single place.
const MAX_GROUPED_PICKS: usize = 4;

/// Where words begin that hold all of some places, which are told in order: each where the first place wants it that no word before
/// holds.
fn cover(mut starts: &[i64], vector: i64, begin: impl Fn(i64) -> i64) -> Vec<i64> {
    let mut vectors = Vec::new();
    while let Some(next) = starts.first() {
        let at = begin(*next);
        vectors.push(at);
        starts = &starts[starts.partition_point(|start| *start < at + vector)..];
    }
    vectors
}

/// How many bytes of the source ahead lines are fetched.
const PREFETCH_DISTANCE_BYTES: usize = 1 << 14;

impl Shuffle {
    /// The bytes of a word in which a machine permutes bytes freely; none where it does not.
    pub(crate) fn vector(isa: Isa) -> Option<usize> {
        match isa {
            Isa::Scalar => None,
            Isa::Neon | Isa::Avx2 => Some(16),
            Isa::Avx512 => Some(LINE),
        }
    }

    /// The shuffle of bytes that come from so far in the source each, whole words of them; none where they lie within less
    /// than a word, or where it reads more than so many words for each.
    pub(crate) fn of(isa: Isa, from: &[i64], most: usize) -> Option<Self> {
        let bytes = Shuffle::vector(isa)?;
        let vector = number(bytes);
        let (first, last) = (from.iter().min()?, from.iter().max()?);
        let latest = last.checked_sub(vector - 1).filter(|latest| latest >= first)?;
        let mut lines = BTreeSet::new();
        let vectors = from.chunks_exact(bytes).map(|own| {
            let mut sorted = own.to_vec();
            sorted.sort_unstable();
            // Words that lie on lines if the block does; where that makes too many, those that begin where a byte is wanted.
            let mut starts = cover(&sorted, vector, |next| (next - (next - first) % vector).min(latest));
            if starts.len() > most {
                starts = cover(&sorted, vector, |next| next.min(latest));
            }
            let pick = |at: i64| {
                let fetched = lines.insert((at - first + vector - 1) / number(LINE));
                let mut pick = Pick { at: distance(at), mask: 0, bytes: [NONE; LINE], fetched };
                for ((n, own), byte) in own.iter().enumerate().zip(&mut pick.bytes) {
                    if let Some(position) =
                        u8::try_from(own - at).ok().filter(|position| usize::from(*position) < bytes)
                    {
                        pick.mask |= 1 << n;
                        *byte = position;
                    }
                }
                pick
            };
            (starts.len() <= most).then(|| starts.into_iter().map(pick).collect())
        });
        Some(Shuffle { isa, vectors: vectors.collect::<Option<_>>()?, row: Row::ONE, from_memory: false })
    }

    /// Whether a block is a single word.
    pub(crate) fn is_vector(&self) -> bool {
        self.vectors.len() == 1
    }

    /// The bytes of a block.
    pub(crate) fn bytes(&self) -> usize {
        self.vectors.len() * self.vector_bytes()
    }

    /// The bytes of a word.
    pub(crate) fn vector_bytes(&self) -> usize {
        Shuffle::vector(self.isa).unwrap_or(LINE)
    }

    /// How many words of the source are read for it.
    pub(crate) fn picks(&self) -> usize {
        self.vectors.iter().map(Vec::len).sum()
    }

    /// Where the words of the source are.
    pub(crate) fn reads(&self) -> impl Iterator<Item = isize> {
        self.vectors.iter().flatten().map(|pick| pick.at)
    }

    /// Moves the rows of blocks at some places; `stream` writes past the caches.
    ///
    /// # Safety
    /// Every block lies inside the memory of both pointers, and these do not overlap; the machine has the instructions; with
    /// `stream`, blocks begin on lines of the destination.
    pub(crate) unsafe fn run(&self, source: *const u8, destination: *mut u8, tiles: &[TileOrigin], stream: bool) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => avx512::shuffle(self, source, destination, tiles, stream),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => avx2::shuffle(self, source, destination, tiles, stream),
                #[cfg(target_arch = "aarch64")]
                Isa::Neon => neon::shuffle(self, source, destination, tiles, stream),
                // No plan has it.
                _ => {}
            }
        }
    }

    /// The same in words of a machine.
    ///
    /// # Safety
    /// As [`Shuffle::run`], for the words of the shuffle.
    #[inline(always)]
    pub(super) unsafe fn permute<P: Permute>(
        &self,
        source: *const u8,
        destination: *mut u8,
        tiles: &[TileOrigin],
        stream: bool,
    ) {
        // SAFETY: handed on to the caller.
        unsafe {
            if stream {
                self.vectors::<P, true>(source, destination, tiles);
            } else {
                self.vectors::<P, false>(source, destination, tiles);
            }
        }
    }

    /// # Safety
    /// As [`Shuffle::run`].
    #[inline(always)]
    unsafe fn vectors<P: Permute, const STREAM: bool>(
        &self,
        source: *const u8,
        destination: *mut u8,
        tiles: &[TileOrigin],
    ) {
        let (groups, rest) = tiles.as_chunks::<GROUP_TILES>();
        let short = self.vectors.iter().all(|picks| picks.len() <= MAX_GROUPED_PICKS);
        // SAFETY: handed on to the caller.
        unsafe {
            if self.row != Row::ONE {
                self.rows::<P, GROUP_TILES, STREAM>(source, destination, groups);
                self.rows::<P, 1, STREAM>(source, destination, rest.as_chunks().0);
            } else if short {
                self.groups::<P, GROUP_TILES, STREAM>(source, destination, groups);
                self.groups::<P, 1, STREAM>(source, destination, rest.as_chunks().0);
            } else {
                self.groups::<P, 1, STREAM>(source, destination, tiles.as_chunks().0);
            }
        }
    }

    /// Moves as many rows at a time. The machine foresees their lines: it brings more of several rows than of one, and more than
    /// where they are asked for.
    ///
    /// # Safety
    /// As [`Shuffle::run`].
    #[inline(always)]
    unsafe fn rows<P: Permute, const N: usize, const STREAM: bool>(
        &self,
        source: *const u8,
        destination: *mut u8,
        groups: &[[TileOrigin; N]],
    ) {
        let Row { count, strides: [apart, target] } = self.row;
        for group in groups {
            let mut from = group.map(|tile| source.wrapping_offset(tile.at[0]));
            let mut to = group.map(|tile| destination.wrapping_offset(tile.at[1]));
            for _ in 0..count {
                // SAFETY: the caller answers for every block.
                unsafe { self.group::<P, N, STREAM>(from, to, None) };
                from = from.map(|from| from.wrapping_offset(apart));
                to = to.map(|to| to.wrapping_offset(target));
            }
        }
    }

    /// Moves the blocks at as many places at a time.
    ///
    /// # Safety
    /// As [`Shuffle::run`].
    #[inline(always)]
    unsafe fn groups<P: Permute, const N: usize, const STREAM: bool>(
        &self,
        source: *const u8,
        destination: *mut u8,
        groups: &[[TileOrigin; N]],
    ) {
        let ahead =
            PREFETCH_DISTANCE_BYTES / (self.vector_bytes() * N * self.picks()).clamp(1, PREFETCH_DISTANCE_BYTES);
        for (n, group) in groups.iter().enumerate() {
            let begin = |group: &[TileOrigin; N]| group.map(|tile| source.wrapping_offset(tile.at[0]));
            let to = group.map(|tile| destination.wrapping_offset(tile.at[1]));
            let later = groups.get(n + ahead).filter(|_| self.from_memory).map(begin);
            // SAFETY: handed on to the caller.
            unsafe { self.group::<P, N, STREAM>(begin(group), to, later) };
        }
    }

    /// Moves as many blocks, while lines are fetched for those that begin later.
    ///
    /// # Safety
    /// As [`Shuffle::run`].
    #[inline(always)]
    unsafe fn group<P: Permute, const N: usize, const STREAM: bool>(
        &self,
        from: [*const u8; N],
        mut to: [*mut u8; N],
        later: Option<[*const u8; N]>,
    ) {
        // A pick is fetched by its last byte.
        let lines = later.unwrap_or(from).map(|line| line.wrapping_add(size_of::<P>() - 1));
        for picks in &self.vectors {
            // SAFETY: the caller answers for every block; what is fetched need not be memory.
            unsafe {
                let mut vectors = [P::zero(); N];
                for pick in picks {
                    let bytes = P::load(pick.bytes.as_ptr());
                    for n in 0..N {
                        if pick.fetched && later.is_some() {
                            P::fetch(lines[n].wrapping_offset(pick.at));
                        }
                        vectors[n] = vectors[n].picked(P::load(from[n].offset(pick.at)), bytes, pick.mask);
                    }
                }
                for n in 0..N {
                    if STREAM {
                        vectors[n].stream(to[n]);
                    } else {
                        vectors[n].store(to[n]);
                    }
                    to[n] = to[n].add(size_of::<P>());
                }
            }
        }
    }
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes from {} words of {}", self.bytes(), self.picks(), self.vector_bytes())
    }
}
