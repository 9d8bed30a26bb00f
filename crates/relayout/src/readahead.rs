//! [`Plan::reads`]: the byte ranges of the source that a plan reads, so that pages of a file can be requested
//! together and in advance.
//!
//! A tile list reads the same ranges wherever it begins. Between strips, rows and windows give the ranges. Law: every
//! byte that is read lies in a range, the ranges are in order, and at least a page lies between two.

use std::ops::Range;

use crate::block::{Block, Kernel};
use crate::cast::{length, number, signed};
use crate::plan::Plan;
use crate::run::walk;

/// Ranges with smaller gaps are merged.
const PAGE_BYTES: i64 = 4096;

/// Ranges are merged whenever this many have been added.
const MERGE_AFTER_RANGES: usize = 1 << 16;

impl Plan {
    /// The byte ranges of the source that the plan reads, in order; those with less than a page between them are merged.
    /// Where elements or units below a byte are moved one by one, it is the whole source.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let apart = Map::of_layout(&"(2,4):(10000,1)".parse()?)?;
    /// let dense = Map::of_layout(&"(2,4):(4,1)".parse()?)?;
    /// let plan = Plan::new(&apart, &dense, Element::of_bits(8)?)?;
    /// assert_eq!(plan.reads(), [0..4, 10000..10004]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn reads(&self) -> Vec<Range<usize>> {
        let one_by_one = |block: &Block| matches!(block.kernel, Kernel::Parts(_));
        if self.pointwise.is_some() || self.blocks.iter().any(one_by_one) {
            let whole = 0..self.source_bytes();
            return vec![whole];
        }
        let mut all = Vec::new();
        for block in &self.blocks {
            block.readahead(&mut all);
        }
        merge(&mut all);
        all.into_iter().map(|range| length(range.start)..length(range.end)).collect()
    }
}

impl Block {
    fn readahead(&self, all: &mut Vec<Range<i64>>) {
        let once = self.kernel.readahead();
        let near = |at: isize, range: &Range<i64>| signed(at) + range.start..signed(at) + range.end;
        let mut list: Vec<Range<i64>> =
            self.tiles.iter().flat_map(|tile| once.iter().map(|range| near(tile.at[0], range))).collect();
        merge(&mut list);
        let mut many = MERGE_AFTER_RANGES;
        walk(&self.loops, self.origins, &mut |[from, to]| {
            let at = from.offset + from.flip;
            let shifted = |range: &Range<i64>| at + range.start..at + range.end;
            match &self.kernel {
                Kernel::Strips(strips) => all.extend(strips.reads(to.along).iter().map(shifted)),
                _ => all.extend(list.iter().map(shifted)),
            }
            if all.len() > many {
                merge(all);
                many = all.len() + MERGE_AFTER_RANGES;
            }
        });
    }
}

impl Kernel {
    /// The ranges that are read at one tile origin, relative to it; none between strips.
    fn readahead(&self) -> Vec<Range<i64>> {
        let stretch = |at: isize, bytes: usize| signed(at)..signed(at) + number(bytes);
        match self {
            Kernel::Copy(copy) => copy.row.steps().map(|[from, _]| stretch(from, copy.bytes)).collect(),
            Kernel::Network(network) => {
                network.sides[0].at.iter().map(|at| stretch(*at, network.pieces()[0])).collect()
            }
            Kernel::Shuffle(shuffle) => {
                let vectors =
                    |[from, _]: [isize; 2]| shuffle.reads().map(move |at| stretch(from + at, shuffle.vector_bytes()));
                shuffle.row.steps().flat_map(vectors).collect()
            }
            Kernel::Strips(_) | Kernel::Parts(_) => Vec::new(),
        }
    }
}

/// Puts stretches in order, and those together that are near.
fn merge(all: &mut Vec<Range<i64>>) {
    all.sort_unstable_by_key(|range| range.start);
    all.dedup_by(|next, range| {
        let near = next.start <= range.end + PAGE_BYTES;
        if near {
            range.end = range.end.max(next.end);
        }
        near
    });
}
