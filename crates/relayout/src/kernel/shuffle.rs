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
use super::network::Place;
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
    words: Vec<Vec<Pick>>,
    /// The blocks at a place.
    pub(crate) row: Row,
    /// Whether the source comes from memory, and its lines are fetched ahead.
    pub(crate) far: bool,
}

/// How many places are moved together, so that what is told of a pick serves them all, and no pick waits for another.
const PLACES: usize = 4;

/// Words of more picks have enough to do at a single place.
const SHORT: usize = 4;

/// Where words begin that hold all of some places, which are told in order: each where the first place wants it that no word before
/// holds.
fn cover(mut places: &[i64], word: i64, begin: impl Fn(i64) -> i64) -> Vec<i64> {
    let mut words = Vec::new();
    while let Some(next) = places.first() {
        let at = begin(*next);
        words.push(at);
        places = &places[places.partition_point(|place| *place < at + word)..];
    }
    words
}

/// How many bytes of the source ahead lines are fetched.
const AHEAD: usize = 1 << 14;

impl Shuffle {
    /// The bytes of a word in which a machine permutes bytes freely; none where it does not.
    pub(crate) fn word(isa: Isa) -> Option<usize> {
        match isa {
            Isa::Scalar => None,
            Isa::Neon | Isa::Avx2 => Some(16),
            Isa::Avx512 => Some(LINE),
        }
    }

    /// The shuffle of bytes that come from so far in the source each, whole words of them; none where they lie within less
    /// than a word, or where it reads more than so many words for each.
    pub(crate) fn of(isa: Isa, from: &[i64], most: usize) -> Option<Self> {
        let bytes = Shuffle::word(isa)?;
        let word = number(bytes);
        let (first, last) = (from.iter().min()?, from.iter().max()?);
        let latest = last.checked_sub(word - 1).filter(|latest| latest >= first)?;
        let mut lines = BTreeSet::new();
        let words = from.chunks_exact(bytes).map(|own| {
            let mut sorted = own.to_vec();
            sorted.sort_unstable();
            // Words that lie on lines if the block does; where that makes too many, those that begin where a byte is wanted.
            let mut places = cover(&sorted, word, |next| (next - (next - first) % word).min(latest));
            if places.len() > most {
                places = cover(&sorted, word, |next| next.min(latest));
            }
            let pick = |at: i64| {
                let fetched = lines.insert((at - first + word - 1) / number(LINE));
                let mut pick = Pick { at: distance(at), mask: 0, bytes: [NONE; LINE], fetched };
                for ((n, own), byte) in own.iter().enumerate().zip(&mut pick.bytes) {
                    if let Some(place) = u8::try_from(own - at).ok().filter(|place| usize::from(*place) < bytes) {
                        pick.mask |= 1 << n;
                        *byte = place;
                    }
                }
                pick
            };
            (places.len() <= most).then(|| places.into_iter().map(pick).collect())
        });
        Some(Shuffle { isa, words: words.collect::<Option<_>>()?, row: Row::ONE, far: false })
    }

    /// Whether a block is a single word.
    pub(crate) fn is_word(&self) -> bool {
        self.words.len() == 1
    }

    /// The bytes of a block.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * self.word_bytes()
    }

    /// The bytes of a word.
    pub(crate) fn word_bytes(&self) -> usize {
        Shuffle::word(self.isa).unwrap_or(LINE)
    }

    /// How many words of the source are read for it.
    pub(crate) fn picks(&self) -> usize {
        self.words.iter().map(Vec::len).sum()
    }

    /// Where the words of the source are.
    pub(crate) fn reads(&self) -> impl Iterator<Item = isize> {
        self.words.iter().flatten().map(|pick| pick.at)
    }

    /// Moves the rows of blocks at some places; `stream` writes past the caches.
    ///
    /// # Safety
    /// Every block lies inside the memory of both pointers, and these do not overlap; the machine has the instructions; with
    /// `stream`, blocks begin on lines of the destination.
    pub(crate) unsafe fn run(&self, source: *const u8, destination: *mut u8, places: &[Place], stream: bool) {
        // SAFETY: handed on to the caller.
        unsafe {
            match self.isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => avx512::shuffle(self, source, destination, places, stream),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => avx2::shuffle(self, source, destination, places, stream),
                #[cfg(target_arch = "aarch64")]
                Isa::Neon => neon::shuffle(self, source, destination, places, stream),
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
        places: &[Place],
        stream: bool,
    ) {
        // SAFETY: handed on to the caller.
        unsafe {
            if stream {
                self.words::<P, true>(source, destination, places);
            } else {
                self.words::<P, false>(source, destination, places);
            }
        }
    }

    /// # Safety
    /// As [`Shuffle::run`].
    #[inline(always)]
    unsafe fn words<P: Permute, const STREAM: bool>(&self, source: *const u8, destination: *mut u8, places: &[Place]) {
        let (groups, rest) = places.as_chunks::<PLACES>();
        let short = self.words.iter().all(|picks| picks.len() <= SHORT);
        // SAFETY: handed on to the caller.
        unsafe {
            if self.row != Row::ONE {
                self.rows::<P, PLACES, STREAM>(source, destination, groups);
                self.rows::<P, 1, STREAM>(source, destination, rest.as_chunks().0);
            } else if short {
                self.groups::<P, PLACES, STREAM>(source, destination, groups);
                self.groups::<P, 1, STREAM>(source, destination, rest.as_chunks().0);
            } else {
                self.groups::<P, 1, STREAM>(source, destination, places.as_chunks().0);
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
        groups: &[[Place; N]],
    ) {
        let Row { count, strides: [apart, target] } = self.row;
        for group in groups {
            let mut from = group.map(|place| source.wrapping_offset(place.at[0]));
            let mut to = group.map(|place| destination.wrapping_offset(place.at[1]));
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
        groups: &[[Place; N]],
    ) {
        let ahead = AHEAD / (self.word_bytes() * N * self.picks()).clamp(1, AHEAD);
        for (n, group) in groups.iter().enumerate() {
            let begin = |group: &[Place; N]| group.map(|place| source.wrapping_offset(place.at[0]));
            let to = group.map(|place| destination.wrapping_offset(place.at[1]));
            let later = groups.get(n + ahead).filter(|_| self.far).map(begin);
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
        for picks in &self.words {
            // SAFETY: the caller answers for every block; what is fetched need not be memory.
            unsafe {
                let mut words = [P::zero(); N];
                for pick in picks {
                    let bytes = P::load(pick.bytes.as_ptr());
                    for n in 0..N {
                        if pick.fetched && later.is_some() {
                            P::fetch(lines[n].wrapping_offset(pick.at));
                        }
                        words[n] = words[n].picked(P::load(from[n].offset(pick.at)), bytes, pick.mask);
                    }
                }
                for n in 0..N {
                    if STREAM {
                        words[n].stream(to[n]);
                    } else {
                        words[n].store(to[n]);
                    }
                    to[n] = to[n].add(size_of::<P>());
                }
            }
        }
    }
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes from {} words of {}", self.bytes(), self.picks(), self.word_bytes())
    }
}
