//! [`Plan::holes`]: the parts of the destination that hold other bytes than elements, so that only these are filled.
//!
//! The destination is cut into granules of a page or more. Loops that continue shorter ones make stretches that the
//! tensor covers completely. A granule inside such stretches has no hole.
//!
//! Law: every byte without an element lies in a reported part. Covered bytes may be reported too: those between short
//! stretches, swizzled bytes, and their neighbours.

use std::ops::Range;

use crate::cast::length;
use crate::nest::{Loop, Nest};
use crate::plan::Plan;

/// The least bytes of a granule.
const MIN_GRANULE_BYTES: usize = 4096;

/// The most granules.
const MAX_GRANULES: usize = 1 << 20;

/// The shortest stretch that is tracked, in bits: shorter ones take as long to find as their granules to fill.
const MIN_STRETCH_BITS: i64 = 256 * 8;

impl Plan {
    /// Parts of the first `bytes` of the destination, in order: all bytes that no element covers, and perhaps more. They begin
    /// at multiples of a page and of an element.
    pub(crate) fn holes(&self, bytes: usize) -> Vec<Range<usize>> {
        // Whole elements too, so that each granule begins with one.
        let element = length(self.element.bits() / 8).max(1);
        let whole = element << MIN_GRANULE_BYTES.trailing_zeros().saturating_sub(element.trailing_zeros());
        let granule = bytes.div_ceil(MAX_GRANULES).next_multiple_of(whole);
        let mut covered = vec![0usize; bytes.div_ceil(granule)];
        for nest in &self.nests {
            nest.stretches(self.element.part_bits(), |stretch| {
                let mut at = stretch.start;
                while let Some(bytes_covered) = covered.get_mut(at / granule).filter(|_| at < stretch.end) {
                    let end = stretch.end.min((at / granule + 1) * granule);
                    *bytes_covered += end - at;
                    at = end;
                }
            });
        }
        let granules = (0..bytes).step_by(granule).map(|first| first..bytes.min(first + granule));
        let mut holes: Vec<Range<usize>> = Vec::new();
        for (granule_range, covered) in granules.zip(covered) {
            match holes.last_mut() {
                _ if covered == granule_range.len() => {}
                Some(last) if last.end == granule_range.start => last.end = granule_range.end,
                _ => holes.push(granule_range),
            }
        }
        holes
    }
}

impl Nest {
    /// The stretches of whole bytes that elements of the given bits cover in the destination; none where they are short, or
    /// where bits are flipped.
    fn stretches(&self, element: i64, mut report: impl FnMut(Range<usize>)) {
        let [_, origin] = self.origins;
        if self.loops.iter().any(|level| level.steps[1].xor != 0) {
            return;
        }
        let mut loops: Vec<&Loop> = self.loops.iter().collect();
        let (mut first, mut bits) = (origin.offset, element);
        let continues = |level: &&Loop, bits: i64| level.offsets.is_empty() && level.steps[1].stride.abs() == bits;
        while let Some(at) = loops.iter().position(|level| continues(level, bits)) {
            let level = loops.swap_remove(at);
            first += (level.steps[1].stride * (level.count - 1)).min(0);
            bits *= level.count;
        }
        if bits >= MIN_STRETCH_BITS {
            each(&loops, first, &mut |first| {
                let (start, end) = (first / 8 + i64::from(first % 8 != 0), (first + bits) / 8);
                report(length(start)..length(end));
            });
        }
    }
}

/// Tells where loops lead in the destination, in bits.
fn each(loops: &[&Loop], first: i64, report: &mut impl FnMut(i64)) {
    let Some((level, inner)) = loops.split_first() else { return report(first) };
    for x in 0..level.count {
        each(inner, first + level.at(x, 1).stride, report);
    }
}
