//! [`Shuffle`]: vectors of the destination, each joined from a few vectors of the source.
//!
//! Where a dim is no power of two, the bytes of a vector come from a few places: one plane of three-byte pixels, the
//! scale at the head of every block of eighteen bytes, pixels from three planes. Each source vector with some of these
//! bytes is loaded once, its bytes are permuted, and the results are merged.
//!
//! Laws: byte `n` of the destination is the byte that the loops of the block lead there. Nothing is read before the
//! first source byte of the block or after the last.
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
use crate::machine::{GROUP_TILES, MAX_GROUPED_PICKS, SHUFFLE_PREFETCH_DISTANCE_BYTES};

/// A vector of the source, and the bytes taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pick {
    /// Where it is.
    at: isize,
    /// Which bytes of the destination's vector it has, and for these, which of its own they are.
    mask: u64,
    bytes: [u8; LINE],
    /// Whether it is the first that ends in its line of the block, for which that is prefetched.
    prefetched: bool,
}

/// The table entry of a byte that a pick does not have.
const NONE: u8 = 0x80;

/// A block of whole vectors that lie one after the other in the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shuffle {
    isa: Isa,
    /// For each vector, the vectors of the source that make it.
    vectors: Vec<Vec<Pick>>,
    /// The blocks at a tile origin.
    pub(crate) row: Row,
    /// Whether the source comes from memory, so that its lines are prefetched.
    pub(crate) from_memory: bool,
}

/// The starts of vectors that cover some sorted positions: each begins where the first position wants it that no earlier vector
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

impl Shuffle {
    /// The bytes of a vector in which a machine permutes bytes freely; none where it does not.
    pub(crate) fn vector(isa: Isa) -> Option<usize> {
        match isa {
            Isa::Scalar => None,
            Isa::Neon | Isa::Avx2 => Some(16),
            Isa::Avx512 => Some(LINE),
        }
    }

    /// The shuffle of bytes at the given source distances, which make whole vectors; `None` where they lie within less
    /// than a vector, or where one vector needs more than `most` loads.
    pub(crate) fn of(isa: Isa, from: &[i64], most: usize) -> Option<Self> {
        let bytes = Shuffle::vector(isa)?;
        let vector = number(bytes);
        let (first, last) = (from.iter().min()?, from.iter().max()?);
        let latest = last.checked_sub(vector - 1).filter(|latest| latest >= first)?;
        let mut lines = BTreeSet::new();
        let vectors = from.chunks_exact(bytes).map(|from| {
            let mut sorted = from.to_vec();
            sorted.sort_unstable();
            // Vectors that lie on lines if the block does; where that makes too many, those that begin where a byte is wanted.
            let mut starts = cover(&sorted, vector, |next| (next - (next - first) % vector).min(latest));
            if starts.len() > most {
                starts = cover(&sorted, vector, |next| next.min(latest));
            }
            let pick = |at: i64| {
                let prefetched = lines.insert((at - first + vector - 1) / number(LINE));
                let mut pick = Pick { at: distance(at), mask: 0, bytes: [NONE; LINE], prefetched };
                for ((n, from), byte) in from.iter().enumerate().zip(&mut pick.bytes) {
                    if let Some(position) =
                        u8::try_from(from - at).ok().filter(|position| usize::from(*position) < bytes)
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

    /// Whether a block is a single vector.
    pub(crate) fn is_vector(&self) -> bool {
        self.vectors.len() == 1
    }

    /// The bytes of a block.
    pub(crate) fn bytes(&self) -> usize {
        self.vectors.len() * self.vector_bytes()
    }

    /// The bytes of a vector.
    pub(crate) fn vector_bytes(&self) -> usize {
        Shuffle::vector(self.isa).unwrap_or(LINE)
    }

    /// How many vectors of the source are read for it.
    pub(crate) fn picks(&self) -> usize {
        self.vectors.iter().map(Vec::len).sum()
    }

    /// How many lines of the source hold the bytes of a block.
    pub(crate) fn lines(&self) -> usize {
        self.vectors.iter().flatten().filter(|pick| pick.prefetched).count()
    }

    /// Where the vectors of the source are.
    pub(crate) fn reads(&self) -> impl Iterator<Item = isize> {
        self.vectors.iter().flatten().map(|pick| pick.at)
    }

    /// Moves the rows of blocks at some tile origins; `stream` streams.
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
                Isa::Neon => self.permute::<neon::Quarter>(source, destination, tiles, stream),
                // No plan has it.
                _ => {}
            }
        }
    }

    /// The same in vectors of a machine.
    ///
    /// # Safety
    /// As [`Shuffle::run`], for the vectors of the shuffle.
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

    /// Moves as many rows at a time. The machine foresees their lines: it brings more of several rows than of one, and
    /// more than where they are prefetched.
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

    /// Moves the blocks at as many tile origins at a time.
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
        let ahead = SHUFFLE_PREFETCH_DISTANCE_BYTES
            / (self.vector_bytes() * N * self.picks()).clamp(1, SHUFFLE_PREFETCH_DISTANCE_BYTES);
        for (n, group) in groups.iter().enumerate() {
            let begin = |group: &[TileOrigin; N]| group.map(|tile| source.wrapping_offset(tile.at[0]));
            let to = group.map(|tile| destination.wrapping_offset(tile.at[1]));
            let later = groups.get(n + ahead).filter(|_| self.from_memory).map(begin);
            // SAFETY: handed on to the caller.
            unsafe { self.group::<P, N, STREAM>(begin(group), to, later) };
        }
    }

    /// Moves as many blocks, while lines are prefetched for those that begin later.
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
        // A pick is prefetched by its last byte.
        let lines = later.unwrap_or(from).map(|line| line.wrapping_add(size_of::<P>() - 1));
        for picks in &self.vectors {
            // SAFETY: the caller answers for every block; what is prefetched need not be memory.
            unsafe {
                let mut vectors = [P::zero(); N];
                for pick in picks {
                    let bytes = P::load(pick.bytes.as_ptr());
                    for n in 0..N {
                        if pick.prefetched && later.is_some() {
                            P::prefetch(lines[n].wrapping_offset(pick.at));
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
