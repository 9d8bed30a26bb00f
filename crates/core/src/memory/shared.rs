//! [`SharedMemory`]: banks, and the passes that an access takes.
//!
//! A phase serves a fixed number of bytes, thus 32 lanes of 4 bytes, 16 of 8 or 8 of 16, and costs the largest number of different words
//! that it touches in one bank: equal words are served together. Where loads of 8 or 16 bytes come in pairs of lanes that ask
//! for one address, two phases are served as one. The rules are measured (see [the module](super)).

use std::collections::BTreeMap;

use super::access::{Access, Transfer};
use crate::error::Error;

/// How a shared memory is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedMemory {
    /// The lanes of a warp or a wave.
    pub lanes: usize,
    /// How many banks there are.
    pub banks: i64,
    /// The bytes of a word, which one bank gives at once.
    pub word_bytes: i64,
    /// The bytes that one phase serves.
    pub phase_bytes: i64,
    /// Whether loads wider than a word are served two phases at once where their lanes come in pairs of one address.
    pub merges_pairs: bool,
}

/// One pass over the banks: its lanes, and how often the busiest bank must give a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Phase {
    /// The lanes that it serves and that take part.
    pub lanes: Vec<usize>,
    /// How many wavefronts it takes.
    pub wavefronts: i64,
    /// The first of its busiest banks, where it has more than one word to give.
    pub collision: Option<Collision>,
}

/// Lanes of one phase that ask one bank for different words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Collision {
    /// The bank.
    pub bank: i64,
    /// Each word, counted in words from address 0, with the lanes that ask for it.
    pub words: Vec<(i64, Vec<usize>)>,
}

/// The phases of an access in which a lane takes part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Passes(pub Vec<Phase>);

impl Passes {
    /// How many wavefronts the access takes.
    pub fn wavefronts(&self) -> i64 {
        self.0.iter().map(|phase| phase.wavefronts).sum()
    }

    /// How many of them are conflicts: those beyond one a phase.
    pub fn conflicts(&self) -> i64 {
        self.0.iter().map(|phase| phase.wavefronts - 1).sum()
    }
}

impl SharedMemory {
    /// Of NVIDIA's GPUs from compute capability 7.0 on; measured on 9.0.
    pub const NVIDIA: SharedMemory =
        SharedMemory { lanes: 32, banks: 32, word_bytes: 4, phase_bytes: 128, merges_pairs: true };

    /// The local data share of AMD's CDNA4 (gfx950): waves of 64 lanes and 64 banks. By the documentation, and not measured: wide
    /// accesses are served in groups of lanes that differ by instruction, and here they are lanes side by side.
    pub const AMD: SharedMemory =
        SharedMemory { lanes: 64, banks: 64, word_bytes: 4, phase_bytes: 256, merges_pairs: false };

    /// The memory that a word names: `nvidia` or `amd`.
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "nvidia" => Some(SharedMemory::NVIDIA),
            "amd" => Some(SharedMemory::AMD),
            _ => None,
        }
    }

    /// The bank of a byte address.
    pub fn bank(&self, address: i64) -> i64 {
        self.word(address).checked_rem_euclid(self.banks).unwrap_or(0)
    }

    fn word(&self, address: i64) -> i64 {
        address.checked_div_euclid(self.word_bytes).unwrap_or(0)
    }

    /// The passes of an access.
    ///
    /// # Errors
    /// [`Code::Overflow`](crate::Code::Overflow) for addresses at the end of `i64`.
    ///
    /// ```
    /// use bitstride::memory::{Access, SharedMemory, Transfer};
    /// // 16 bytes a lane, side by side: four phases of eight lanes, without conflicts.
    /// let row: Vec<Option<i64>> = (0..32).map(|lane| Some(lane * 16)).collect();
    /// let passes = SharedMemory::NVIDIA.passes(&Access::new(Transfer::Store, 16, &row)?)?;
    /// assert_eq!((passes.wavefronts(), passes.conflicts()), (4, 0));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn passes(&self, access: &Access<'_>) -> Result<Passes, Error> {
        let served = access.bytes().max(self.word_bytes);
        let mut lanes = usize::try_from(self.phase_bytes.checked_div(served).unwrap_or(1)).unwrap_or(1).max(1);
        if self.merges_pairs && self.is_in_pairs(access) {
            lanes *= 2;
        }
        let mut phases = Vec::new();
        for (number, group) in access.addresses().chunks(lanes).enumerate() {
            let first = number * lanes;
            let mut asked: BTreeMap<i64, BTreeMap<i64, Vec<usize>>> = BTreeMap::new();
            let mut active = Vec::new();
            for (lane, address) in group.iter().enumerate().filter_map(|(at, address)| Some((first + at, (*address)?)))
            {
                active.push(lane);
                let last = address.checked_add(access.bytes() - 1).ok_or_else(|| Error::overflow("an address"))?;
                for word in self.word(address)..=self.word(last) {
                    let bank = word.checked_rem_euclid(self.banks).unwrap_or(0);
                    asked.entry(bank).or_default().entry(word).or_default().push(lane);
                }
            }
            let Some(most) = asked.values().map(BTreeMap::len).max() else { continue };
            let busiest = asked.into_iter().find(|(_, words)| words.len() == most && most > 1);
            phases.push(Phase {
                lanes: active,
                wavefronts: i64::try_from(most).unwrap_or(i64::MAX),
                collision: busiest.map(|(bank, words)| Collision { bank, words: words.into_iter().collect() }),
            });
        }
        Ok(Passes(phases))
    }

    /// Whether it is a wide load in which every lane that takes part has, over the whole warp, a neighbour `lane xor 1`, or
    /// everywhere a neighbour `lane xor 2`, that takes no part or asks for the same address.
    fn is_in_pairs(&self, access: &Access<'_>) -> bool {
        let addresses = access.addresses();
        let alike = |distance: usize| {
            addresses.iter().enumerate().all(|(lane, address)| {
                let neighbour = addresses.get(lane ^ distance).copied().flatten();
                address.is_none() || neighbour.is_none() || neighbour == *address
            })
        };
        access.transfer() == Transfer::Load && access.bytes() > self.word_bytes && (alike(1) || alike(2))
    }
}
