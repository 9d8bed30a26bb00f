//! [`Memory`]: where the tensors are, on huge pages where the machine has them, as NumPy does too.

use std::io;

use memmap2::{Advice, MmapMut};

/// The size of a huge page.
const PAGE: usize = 2 << 20;

/// Memory that begins with a page.
pub(super) struct Memory {
    map: MmapMut,
    first: usize,
}

impl Memory {
    /// So many bytes.
    pub(super) fn new(bytes: usize) -> io::Result<Memory> {
        let map = MmapMut::map_anon(bytes + PAGE)?;
        // A machine without huge pages is measured on the pages that it has.
        let _ = map.advise(Advice::HugePage);
        let first = map.as_ptr().align_offset(PAGE);
        Ok(Memory { map, first })
    }

    /// The first a given number of bytes.
    pub(super) fn bytes(&self, count: usize) -> &[u8] {
        &self.map[self.first..self.first + count]
    }

    /// The same, to write.
    pub(super) fn bytes_mut(&mut self, count: usize) -> &mut [u8] {
        &mut self.map[self.first..self.first + count]
    }

    /// Fills it with noise that peers make too: words whose halves and wholes are all ordinary floating-point numbers.
    pub(super) fn fill(&mut self) {
        let first = self.first;
        for (n, word) in (0u32..).zip(self.map[first..].chunks_exact_mut(4)) {
            let mixed = n.wrapping_mul(2_654_435_761);
            let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85EB_CA6B);
            let noise = (mixed ^ (mixed >> 13)) & 0xBFFF_BFFF | 0x2000_2000;
            word.copy_from_slice(&noise.to_le_bytes());
        }
    }
}

/// A sum that depends on the order of the bytes; peers compute it too. What is missing of the last eight bytes is 0.
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let mut sum = 0u64;
    for (n, part) in (0u64..).zip(bytes.chunks(8)) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        sum = sum.wrapping_add(u64::from_le_bytes(word).wrapping_mul(2 * n + 1));
    }
    sum
}
