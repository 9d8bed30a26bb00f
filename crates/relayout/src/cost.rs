//! [`Cost`]: what it costs to move a box by a kernel, counted before anything is moved.
//!
//! A block is the cheapest of its candidates (`block/`). A cost is counts, each with its price in the machine's table
//! ([`Prices`]). Time is mostly that of accesses: each piece of a line that is read or written waits for its line. Lines that are
//! not streamed are read before they are written, so that each access counts twice.
//!
//! Law: a cost depends on the candidate, the box and the machine alone, and no choice changes the result of a move.

use crate::block::Kernel;
use crate::cast::number;
use crate::kernel::{Copy, LINE, Network, Shuffle, Store, Strips};
use crate::machine::{Machine, Prices};
use crate::nest::Loop;

/// How often a line that two vectors share counts where it is not complete soon, and comes from memory twice. Lists of strips follow the
/// destination until lines are complete.
const SPLIT_OFTEN: i64 = 2;

/// What is counted of a candidate, for all blocks of a box; tiles that overlap count twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Pieces of lines that are read or written, whichever are more.
    pub(crate) accesses: i64,
    /// Whether lines of the destination are streamed, so that they are not read before.
    pub(crate) streams: bool,
    /// Lines of the destination that two vectors share; twice where one of these comes when the line has left the caches.
    pub(crate) split: i64,
    /// Registers that pass through a buffer in the first cache, once for each pass.
    pub(crate) passes: i64,
    /// Vectors of the source that are permuted and merged into one of the destination.
    pub(crate) picks: i64,
    /// Blocks, each of which has to be found.
    pub(crate) blocks: i64,
    /// Runs, each of which is a copy of its own.
    pub(crate) runs: i64,
    /// Runs that leave a line of the destination unfinished, where that is not in the caches.
    pub(crate) ends: i64,
}

impl Cost {
    /// What a kernel costs with the loops around it. `aligned` says whether these lead to whole lines of the destination, and `large`
    /// whether what is written comes to memory, past the caches where instructions can.
    pub(crate) fn of(kernel: &Kernel, loops: &[Loop], aligned: bool, large: bool, machine: &Machine) -> Self {
        let visits = loops.iter().fold(1, |visits: i64, level| visits.saturating_mul(level.count));
        let past = large && machine.isa.streams();
        let one = match kernel {
            Kernel::Copy(copy) => Cost::of_runs(copy, aligned, large, machine),
            Kernel::Network(network) => {
                let (whole, blocks) = (aligned && network.is_aligned(), number(network.blocks().count()));
                let split = if large && !whole { SPLIT_OFTEN } else { 0 };
                Cost::of_network(network, blocks, network.pieces(), past && whole, split)
            }
            Kernel::Strips(strips) => Cost::of_strips(strips, large),
            Kernel::Shuffle(shuffle) => Cost::of_shuffle(shuffle, past && aligned),
            Kernel::Parts(_) => Cost { accesses: 1, runs: 1, ..Cost::default() },
        };
        let all = |count: i64| count.saturating_mul(visits);
        Cost {
            accesses: all(one.accesses),
            streams: one.streams,
            split: all(one.split),
            passes: all(one.passes),
            picks: all(one.picks),
            blocks: all(one.blocks),
            runs: all(one.runs),
            ends: all(one.ends),
        }
    }

    fn of_runs(copy: &Copy, aligned: bool, large: bool, machine: &Machine) -> Self {
        let (runs, line) = (number(copy.row.count), number(LINE));
        let whole = aligned && copy.bytes.is_multiple_of(LINE);
        let streams = large && machine.isa.streams() && (whole || copy.writes_parts(machine.isa));
        let lines = (number(copy.bytes) + line - 1) / line;
        let ends = if large && !whole { runs } else { 0 };
        Cost { accesses: runs.saturating_mul(lines), streams, runs, ends, ..Cost::default() }
    }

    /// The cost of some blocks of a network, whose pieces on both sides are given, and how often a line counts that two
    /// vectors share.
    fn of_network(network: &Network, blocks: i64, pieces: [usize; 2], streams: bool, split: i64) -> Self {
        let vectors = number(network.bytes() / LINE).saturating_mul(blocks);
        let piece = pieces[0].min(pieces[1]).max(1);
        let passes = number(network.registers_through_cache());
        Cost {
            accesses: vectors.saturating_mul(number(LINE / piece)),
            streams,
            split: vectors.saturating_mul(split),
            passes: vectors.saturating_mul(passes),
            blocks,
            ..Cost::default()
        }
    }

    /// The cost of a list. What a run collects in the caches is read and written there, and leaves them in whole lines. What is padded
    /// passes through a buffer, and is packed into lines.
    fn of_strips(strips: &Strips, large: bool) -> Self {
        let (network, blocks) = (&strips.network, number(strips.blocks()));
        let is_packed = matches!(strips.store, Store::Packed | Store::PaddedPacked);
        let pieces = if is_packed || strips.store == Store::Contiguous { [LINE; 2] } else { network.pieces() };
        let split = match strips.store {
            _ if is_packed || !large => 0,
            Store::Contiguous if !strips.is_long() => SPLIT_OFTEN,
            _ => 1,
        };
        let cost = Cost::of_network(network, blocks, pieces, strips.is_long(), split);
        if !is_packed {
            return cost;
        }
        let lines = number(strips.block_bytes()).saturating_mul(blocks) / number(LINE);
        Cost { accesses: lines, passes: cost.passes.saturating_add(cost.accesses), ..cost }
    }

    fn of_shuffle(shuffle: &Shuffle, streams: bool) -> Self {
        let blocks = number(shuffle.row.count);
        let accesses = number(shuffle.lines()).max(number(shuffle.bytes() / LINE));
        let picks = number(shuffle.picks()).saturating_mul(blocks);
        Cost { accesses: accesses.saturating_mul(blocks), streams, picks, ..Cost::default() }
    }

    /// The least cost of lines that are moved in blocks of a given number.
    pub(crate) fn least(lines: i64, past: bool, block: i64) -> Self {
        Cost { accesses: lines, streams: past, blocks: lines / block, ..Cost::default() }
    }

    /// What is counted, how often, and the price of each; counts of 0 are left out.
    pub(crate) fn terms(&self, prices: &Prices) -> impl Iterator<Item = (&'static str, i64, i64)> {
        let (pieces, access) = match self.streams {
            true => ("pieces of lines", prices.access),
            false => ("pieces of lines and of lines that are read before they are written", 2 * prices.access),
        };
        let all = [
            (pieces, self.accesses, access),
            ("lines that two vectors share", self.split, prices.split),
            ("registers through a buffer", self.passes, prices.pass),
            ("vectors that are permuted and merged", self.picks, prices.pick),
            ("blocks", self.blocks, prices.block),
            ("runs", self.runs, prices.run),
            ("lines in parts", self.ends, prices.end),
        ];
        all.into_iter().filter(|(_, count, _)| *count > 0)
    }

    /// What all of it costs, in sixteenths of the time in which a line is copied.
    pub(crate) fn total(&self, prices: &Prices) -> i64 {
        self.terms(prices).fold(0, |all: i64, (_, count, price)| all.saturating_add(count.saturating_mul(price)))
    }
}
