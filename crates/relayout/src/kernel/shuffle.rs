//! [`Shuffle`]: words of the destination that are put together from a few words of the source each.
//!
//! The bytes of a word come from a few places where a dim is no power of two: one plane of pixels of three bytes, the scale
//! at the head of every block of eighteen, pixels from three planes. Each word of the source that holds some of them is read
//! once, its bytes are permuted to where they belong, and merged under a mask. Laws: byte `n` of the destination is the byte
//! that the loops of the block lead there; nothing is read before the first byte of the block in the source or behind the last.
#![allow(unsafe_code)]

use std::fmt;

use super::LINE;
#[cfg(target_arch = "x86_64")]
use super::network::Place;
use crate::cast::{distance, number};

/// A word of the source, and what is taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pick {
    /// Where it is.
    at: isize,
    /// Which bytes of the destination's word it has, and for these, which of its own they are.
    mask: u64,
    bytes: [u8; LINE],
}

/// A block of whole words that lie one after the other in the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shuffle {
    /// For each word, the words of the source that make it.
    words: Vec<Vec<Pick>>,
    /// Whether the source comes from memory, and its lines are fetched ahead.
    pub(crate) far: bool,
}

/// How many places are moved together, so that what is told of a pick serves them all, and no pick waits for another.
#[cfg(target_arch = "x86_64")]
const PLACES: usize = 4;

/// Words of more picks have enough to do at a single place, and read the source in its order, as the machine foresees.
#[cfg(target_arch = "x86_64")]
const SHORT: usize = 4;

/// How many bytes of the source ahead lines are fetched for places that are moved together.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 1 << 14;

impl Shuffle {
    /// The shuffle of bytes that come from so far in the source each, whole words of them; none where they lie within less
    /// than a word, or where it reads more than so many words for each.
    pub(crate) fn of(from: &[i64], most: usize) -> Option<Self> {
        let line = number(LINE);
        let (first, last) = (from.iter().min()?, from.iter().max()?);
        let latest = last.checked_sub(line - 1).filter(|latest| latest >= first)?;
        let words = from.chunks_exact(LINE).map(|word| {
            let mut left: Vec<i64> = word.to_vec();
            left.sort_unstable();
            let mut picks = Vec::new();
            while let Some(next) = left.first() {
                let at = (next - (next - first) % line).min(latest);
                let mut pick = Pick { at: distance(at), mask: 0, bytes: [0; LINE] };
                let places = word.iter().enumerate().zip(&mut pick.bytes);
                for ((n, own), byte) in places {
                    if let Ok(place @ 0..64) = u8::try_from(own - at) {
                        pick.mask |= 1 << n;
                        *byte = place;
                    }
                }
                left.retain(|own| !(at..at + line).contains(own));
                picks.push(pick);
                if picks.len() > most {
                    return None;
                }
            }
            Some(picks)
        });
        Some(Shuffle { words: words.collect::<Option<_>>()?, far: false })
    }

    /// The bytes of a block.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * LINE
    }

    /// How many words of the source are read for it.
    pub(crate) fn picks(&self) -> usize {
        self.words.iter().map(Vec::len).sum()
    }

    /// Moves the blocks at some places; `stream` writes past the caches.
    ///
    /// # Safety
    /// Every block lies inside the memory of both pointers, and these do not overlap; the machine has AVX-512; with `stream`,
    /// blocks begin on lines of the destination.
    #[cfg(target_arch = "x86_64")]
    pub(crate) unsafe fn run(&self, source: *const u8, destination: *mut u8, places: &[Place], stream: bool) {
        // SAFETY: handed on to the caller.
        unsafe {
            if stream {
                self.words::<true>(source, destination, places);
            } else {
                self.words::<false>(source, destination, places);
            }
        }
    }

    /// # Safety
    /// As [`Shuffle::run`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn words<const STREAM: bool>(&self, source: *const u8, destination: *mut u8, places: &[Place]) {
        let short = self.words.iter().all(|picks| picks.len() <= SHORT);
        let (groups, rest) = if short { places.as_chunks::<PLACES>() } else { (&[][..], places) };
        let ahead = if self.far { AHEAD / (LINE * PLACES * self.picks()).clamp(1, AHEAD) } else { 0 };
        for (n, group) in groups.iter().enumerate() {
            let later = groups.get(n + ahead).unwrap_or(group);
            // SAFETY: handed on to the caller.
            unsafe { self.group::<PLACES, STREAM>(source, destination, group, later) };
        }
        for place in rest.iter().map(std::slice::from_ref).filter_map(<[Place]>::as_array) {
            // SAFETY: the same.
            unsafe { self.group::<1, STREAM>(source, destination, place, place) };
        }
    }

    /// Moves the blocks at as many places, while lines are fetched for later ones.
    ///
    /// # Safety
    /// As [`Shuffle::run`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn group<const N: usize, const STREAM: bool>(
        &self,
        source: *const u8,
        destination: *mut u8,
        places: &[Place; N],
        later: &[Place; N],
    ) {
        use std::arch::x86_64::*;
        // SAFETY: the caller answers for every block; what is fetched need not be memory.
        unsafe {
            let from = places.each_ref().map(|place| source.offset(place.at[0]));
            let later = later.each_ref().map(|place| source.wrapping_offset(place.at[0]));
            let mut to = places.each_ref().map(|place| destination.offset(place.at[1]));
            for picks in &self.words {
                let mut words = [_mm512_setzero_si512(); N];
                for pick in picks {
                    let bytes = _mm512_loadu_si512(pick.bytes.as_ptr().cast());
                    for n in 0..N {
                        if N > 1 {
                            _mm_prefetch::<_MM_HINT_T1>(later[n].wrapping_offset(pick.at).cast());
                        }
                        let own = _mm512_loadu_si512(from[n].offset(pick.at).cast());
                        words[n] = _mm512_mask_permutexvar_epi8(words[n], pick.mask, bytes, own);
                    }
                }
                for (word, to) in words.iter().zip(&mut to) {
                    if STREAM {
                        _mm512_stream_si512(to.cast(), *word);
                    } else {
                        _mm512_storeu_si512(to.cast(), *word);
                    }
                    *to = to.add(LINE);
                }
            }
        }
    }
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes from {} words of 64", self.bytes(), self.picks())
    }
}
