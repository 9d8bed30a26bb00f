//! [`Block`]: the part of a nest that a kernel moves at once, and the loops around it.
//!
//! A run that is contiguous on both sides widens the unit: two neighbouring bf16 elements are one unit of four bytes.
//! Then the first kernel that applies is taken:
//!
//! - a run of a line or more is copied; runs of a few lines are moved by a network without rounds; several runs that
//!   make whole lines together are shuffled;
//! - a network exchanges the bits that make a line of the destination with those that make a line of the source, where
//!   the loops have them; a last tile that overlaps the one before covers the rest of a count;
//! - strips take loops of any counts, where they make longer lines than bits do or can be streamed;
//! - a shuffle joins vectors from a few vectors of the source, where a dim is no power of two;
//! - everything else is moved in rows of units.
//!
//! The loops next to the kernel become a tile list, in a cache-friendly order (`order.rs`). Law: block and loops visit
//! what the nest visits.

mod copy;
mod network;
mod row;
mod shuffle;
mod strips;

use crate::cast::number;
use crate::kernel::{Copy, Isa, LINE, Network, Parts, Shuffle, Store, Strips, TileOrigin};
use crate::machine::{Machine, SHORT_PIECE_BYTES};
use crate::nest::{Loop, Nest, Origin, distances};
use crate::order::{Ordered, outermost};
use copy::{copied, rows};
use network::{networked, parted};
use shuffle::{joined, shuffled};
use strips::{padded, stripped};

/// What is done with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    Copy(Copy),
    Network(Network),
    Strips(Strips),
    Shuffle(Shuffle),
    Parts(Parts),
}

/// A kernel, its tile list, and the loops around the list, the outermost first; distances in
/// bytes, or in units below a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kernel: Kernel,
    pub(crate) tiles: Vec<TileOrigin>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) origins: [Origin; 2],
}

impl Block {
    /// The block of a nest, for the given size of an element in bits.
    pub(crate) fn of(nest: &Nest, element: i64, machine: Machine) -> Block {
        let whole = nest.size().saturating_mul(element) / 8;
        let unit = widest_unit(nest, element);
        let mut nest = nest.clone();
        if let Some(run) = nest.run(element).and_then(|at| nest.loops.get_mut(at)) {
            *run = Loop::strided(run.count * element / unit, [unit; 2]);
        }
        nest.loops.retain(|level| level.count > 1);
        let bits = unit.min(8);
        nest.scale(bits);
        let bytes = unit / 8;
        let (mut kernel, loops) = match bytes {
            0 => parted(&mut nest, unit, machine).unwrap_or_else(|| {
                (Kernel::Parts(Parts { bits: u32::try_from(unit).unwrap_or(4) }), nest.loops.clone())
            }),
            _ => by_lines(&nest, bytes, machine, whole)
                .or_else(|| joined(&nest, bytes, machine, whole))
                .or_else(|| copied(&nest, bytes, machine))
                .or_else(|| padded(&nest, bytes, machine, whole).map(|(strips, loops)| (Kernel::Strips(strips), loops)))
                .or_else(|| exchanged(&nest, bytes, machine, whole))
                .or_else(|| shuffled(&nest, bytes, machine, whole))
                .unwrap_or_else(|| rows(&nest, bytes)),
        };
        match &mut kernel {
            Kernel::Network(network) | Kernel::Strips(Strips { network, .. }) => {
                network.from_memory = whole >= machine.sizes.memory_min_bytes
            }
            Kernel::Shuffle(shuffle) => shuffle.from_memory = whole >= machine.sizes.memory_min_bytes,
            Kernel::Copy(_) | Kernel::Parts(_) => {}
        }
        if let Kernel::Strips(strips) = &kernel {
            let (tiles, loops) = (strips.tiles(), outermost(loops, strips.rows_continue()));
            return Block { kernel, tiles, loops, origins: nest.origins };
        }
        let Ordered { tiles, loops, origins } = Ordered::of(loops, nest.origins, &kernel, &machine);
        Block { kernel, tiles, loops, origins }
    }
}

/// The balanced size of a tile of a loop: parts of about the same size, at most `most` steps, and multiples of a power
/// of two, but for a part that is all.
fn balanced_tile(count: i64, tile: u32, most: i64) -> i64 {
    let parts = (count + most - 1) / most;
    let even = (count + parts - 1) / parts;
    if parts == 1 { count } else { (even + (1 << tile) - 1) >> tile << tile }
}

/// The largest unit that all distances are multiples of: a power of two, up to 16 bytes.
pub(crate) fn widest_unit(nest: &Nest, element: i64) -> i64 {
    let Some(run) = nest.run(element).and_then(|at| nest.loops.get(at)) else { return element };
    let others = |side| distances(nest.loops.iter().filter(|level| *level != run), &nest.origins, side);
    let all = 128 | (run.count * element) | others(0) | others(1);
    1 << all.trailing_zeros()
}

impl Nest {
    /// Distances in bytes, or in units below a byte, instead of bits.
    fn scale(&mut self, bits: i64) {
        for origin in &mut self.origins {
            (origin.offset, origin.flip) = (origin.offset / bits, origin.flip / bits);
        }
        for level in &mut self.loops {
            for step in &mut level.steps {
                (step.stride, step.xor) = (step.stride / bits, step.xor / bits);
            }
            for place in level.offsets.iter_mut().flatten().chain(&mut level.tail_overlap) {
                *place /= bits;
            }
        }
    }
}

/// Runs of a few lines, as a network without rounds: its lines are prefetched, and neighbouring lines are stored
/// together, where no hardware prefetch predicts what follows so short a run.
fn by_lines(nest: &Nest, unit: i64, machine: Machine, bytes: i64) -> Option<(Kernel, Vec<Loop>)> {
    let run = nest.loops.get(nest.run(unit)?)?.count * unit;
    // A network of AVX2 reads and writes through a buffer.
    let is_few =
        machine.isa == Isa::Avx512 && run % number(LINE) == 0 && run <= 4 * number(LINE) && nest.loops.len() > 1;
    let (network, loops) = is_few.then(|| networked(nest, unit * 8, machine))??;
    let are_lines = network.rounds.is_empty() && is_whole(&network, &loops, nest, bytes, machine);
    are_lines.then_some((Kernel::Network(network), loops))
}

/// Whether vectors are lines of both sides, which lie on cache lines where they are streamed, and no block
/// has some that another has too.
fn is_whole(network: &Network, loops: &[Loop], nest: &Nest, bytes: i64, machine: Machine) -> bool {
    network.pieces() == [LINE; 2]
        && (bytes < machine.sizes.stream_min_bytes || on_lines(network, loops, nest))
        && loops.iter().all(|level| level.tail_overlap == [0; 2])
}

/// A network, and the loops around it: over bits that loops of both sides have, or between strips.
fn exchanged(nest: &Nest, unit: i64, machine: Machine, bytes: i64) -> Option<(Kernel, Vec<Loop>)> {
    let bits = networked(nest, unit * 8, machine);
    if bits.as_ref().is_some_and(|(network, loops)| is_whole(network, loops, nest, bytes, machine)) {
        return bits.map(|(network, loops)| (Kernel::Network(network), loops));
    }
    let past = bytes >= machine.sizes.stream_min_bytes && machine.isa.streams();
    let is_better =
        |(strips, _): &(Strips, _)| !bits.as_ref().is_some_and(|bits| prefers_bits(bits, strips, nest, past));
    let strips = stripped(nest, unit, machine, bytes).filter(is_better);
    let is_fine = strips.as_ref().is_some_and(|(strips, _)| least(&strips.network) < SHORT_PIECE_BYTES);
    let shuffled = if is_fine { shuffled(nest, unit, machine, bytes) } else { None };
    let strips = strips.map(|(strips, loops)| (Kernel::Strips(strips), loops));
    // Pieces of a few bytes are put together one by one: it takes less time to shuffle them.
    shuffled.or(strips).or_else(|| bits.map(|(network, loops)| (Kernel::Network(network), loops)))
}

/// Whether the block is better between bits than between strips: where its lines alone are streamed, unless it
/// reads much shorter pieces; where those of both are, if it reads no shorter ones; where those of none are, if all its pieces
/// are longer.
fn prefers_bits(bits: &(Network, Vec<Loop>), strips: &Strips, nest: &Nest, past: bool) -> bool {
    let (network, loops) = bits;
    let read = network.pieces()[0];
    // What stays in the caches is read in pieces of any length as fast.
    let other = if strips.store == Store::Contiguous { LINE } else { strips.network.pieces()[0] };
    match (past && on_lines(network, loops, nest), strips.is_long()) {
        (true, true) => read >= other,
        (true, false) => 2 * read >= other,
        (false, true) => read > 2 * other,
        (false, false) => least(network) > least(&strips.network),
    }
}

/// Whether vectors are lines of the destination, which lie on cache lines if the buffer begins on one.
fn on_lines(network: &Network, loops: &[Loop], nest: &Nest) -> bool {
    network.is_aligned() && are_on_lines(loops, nest)
}

/// Whether blocks that these loops lead to begin on lines of the destination, if the buffer does.
fn are_on_lines(loops: &[Loop], nest: &Nest) -> bool {
    distances(loops, &nest.origins, 1) % number(LINE) == 0
}

/// The bytes of the shortest pieces.
fn least(network: &Network) -> usize {
    let [read, written] = network.pieces();
    read.min(written)
}
