//! [`Plan::readahead`]: the byte ranges of the source that a plan reads, so that pages of a file can be requested
//! together and in advance.
//!
//! A tile list reads the same ranges wherever it begins. Between strips, rows and windows give the ranges. Law: every
//! byte that is read lies in a range, the ranges are in order, and at least a page lies between two. Units below a
//! byte, which are moved one by one, have no ranges.

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
    /// The stretches of the source that are read, in bytes.
    pub(crate) fn readahead(&self) -> Vec<Range<usize>> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use bitstride_lang::evaluate;

    use super::*;
    use crate::element::Element;

    #[test]
    fn nothing_else_is_read() {
        let map = |text: &str| evaluate(text).unwrap().value.as_map().unwrap();
        for (from, to, bits) in [
            ("(16,5000):(20000,1)", "(16,5000):(5000,1)", 16),
            ("(16,5000):(1,10000)", "(16,5000):(5000,1)", 128),
            ("(64,64):(9000,1)", "(64,64):(1,64)", 32),
            ("(64,(64,4)):(9000,(1,1000000))", "(64,(64,4)):(1,(64,4096))", 8),
            ("(301,(7,29)):(20000,(1,700))", "(301,(7,29)):(1,(301,2107))", 16),
            ("(37,129,51):(6579000,51000,1)", "(37,129,51):(1,37,4773)", 8),
            ("(3,1000):(1,5000)", "(3,1000):(1000,1)", 8),
            ("(1000,3):(1,50000)", "(1000,3):(3,1)", 8),
            ("((8,3),1000):((1,9),9000)", "((8,3),1000):((3,1),24)", 16),
            ("Sw<3,4,3> o 0 o (64,64,9):(64,1,131072)", "(64,64,9):(1,64,4096)", 8),
            ("(64,64):(18000,1)", "(64,64):(1,64)", 4),
            ("(20001,33):(101,1)", "(20001,33):(1,20001)", 8),
            ("(3000,9):(9,50000)", "(3000,9):(1,3000)", 16),
        ] {
            let plan = Plan::new(&map(from), &map(to), Element::of_bits(bits).unwrap()).unwrap();
            let source: Vec<u8> = (0..plan.source_bytes()).map(|n| (n * 0x9E37 / 128).to_le_bytes()[0]).collect();
            let mut moved = vec![1; plan.destination_bytes()];
            plan.run(&source, &mut moved).unwrap();
            let mut again = vec![1; plan.destination_bytes()];
            for part in plan.chunks(1 << 16) {
                let mut read = vec![0; plan.source_bytes()];
                let stretches = part.readahead();
                assert!(
                    stretches.windows(2).all(|two| two[0].end + 4096 < two[1].start),
                    "{from} -> {to}: {stretches:?}"
                );
                for range in stretches {
                    read[range.clone()].copy_from_slice(&source[range]);
                }
                part.run(&read, &mut again).unwrap();
            }
            assert!(moved == again, "{from} -> {to}, {bits} bits\n{plan}");
        }
    }
}
