//! The network for instructions that do not permute the bytes of a line. A round is the same few instructions for all
//! pairs of lines whose numbers differ in one bit.
//!
//! A *pass* is a walk over the block, from the source through a buffer to the destination, with four lines in registers
//! at a time. It exchanges up to two bits of the number, each as often as the bit order needs. A bit order inside lines
//! is further rounds, and lines with flipped positions take a pass of their own. Without rounds, each line is flipped
//! and ordered by itself.
//!
//! Law: as [`Network`].
#![allow(unsafe_code)]

use super::LINE;
use super::bit_order::{BitOrder, swap};
use super::network::{Blocks, Later, Network};
use super::register::Line;
use super::stage::{STAGED, Staged, pieces};
use crate::machine::{MIN_PREFETCH_DISTANCE_BLOCKS, PREFETCH_DISTANCE_LINES};

/// Rounds, one after the other, of lines whose numbers differ in no more than two bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pass {
    /// The bits of the number, and for each round, which of them is exchanged with which bit inside.
    numbers: Vec<u32>,
    exchanges: Vec<(u32, u32)>,
}

impl Pass {
    /// Rounds in passes, the last one separately, and a bit order as further rounds: two position bits are swapped when
    /// both are exchanged with the same bit of the number, one of them twice. Where a round has just exchanged that one,
    /// both cancel.
    pub(super) fn all(rounds: &[u32], order: &[u32]) -> (Vec<Pass>, Pass) {
        let mut all: Vec<(u32, u32)> = (0..).zip(rounds.iter().copied()).collect();
        let mut order = order.to_vec();
        for (n, at) in (0..order.len()).zip(0..) {
            let from = order[n];
            if from == at {
                continue;
            }
            swap(&mut order, at, from);
            let last = all.iter().rposition(|(_, inside)| [at, from].contains(inside));
            let last = last.filter(|last| all.iter().skip(last + 1).all(|(number, _)| *number != all[*last].0));
            let (number, one) = last.map_or((0, at), |last| all.remove(last));
            let other = at ^ from ^ one;
            all.extend(last.is_none().then_some((number, one)));
            all.extend([(number, other), (number, one)]);
        }
        let (mut passes, mut last) = (Vec::new(), Pass::default());
        for (number, inside) in all {
            if !last.numbers.contains(&number) {
                if last.numbers.len() == 2 {
                    passes.push(std::mem::take(&mut last));
                }
                last.numbers.push(number);
            }
            last.exchanges.push((number, inside));
        }
        (passes, last)
    }
}

/// Lines that are read: a pointer, and how far from it each is.
type Reads = (*const u8, *const isize);

/// Lines that are written.
type Writes = (*mut u8, *const isize);

/// Moves blocks, as [`Network::run`].
///
/// # Safety
/// As [`Network::run`]; the machine has the instructions of the line.
#[inline(always)]
pub(super) unsafe fn run<L: Line>(network: &Network, blocks: &Blocks) {
    let [mut staged, mut scratch] = [Staged::new(), Staged::new()];
    let [staged, scratch] = [&mut staged, &mut scratch].map(|buffer| (buffer.as_mut_ptr(), STAGED.as_ptr()));
    let read = |(lines, at): Writes| (lines.cast_const(), at);
    let count = network.bytes() / LINE;
    // What is not read or written in lines is staged.
    let whole = network.pieces().map(|piece| piece == LINE);
    let (bytes, ahead, prefetched) = (
        network.bytes(),
        (PREFETCH_DISTANCE_LINES / count).max(MIN_PREFETCH_DISTANCE_BLOCKS),
        network.prefetches(blocks.rows[0], blocks.prefetched),
    );
    let (passes, last) = &network.passes;
    for (at, tile) in blocks.tiles.iter().enumerate() {
        // SAFETY: the caller answers for every block and for its rows; buffers have all vectors of a block.
        unsafe {
            prefetch::<L>(network, blocks, prefetched, at, ahead);
            let [reads, writes] = network.rows(blocks, tile).map(<[isize]>::as_ptr);
            let source = blocks.source.offset(tile.at[0]);
            let destination = match &blocks.pair_buffer {
                Some(pair_buffer) => pair_buffer.enter(tile),
                None => blocks.destination.offset(tile.at[1]),
            };
            let [flips, flipped] = network.flips(tile);
            let mut from: Reads = (source, reads);
            if !whole[0] {
                let piece = network.sides[0].piece;
                pieces(piece, bytes, |n| (source.offset(*reads.add(n)), staged.0.add(n << piece)));
                from = read(staged);
            }
            let (end, stream) = if whole[1] { ((destination, writes), blocks.stream) } else { (staged, false) };
            let to = Route { from, to: end, stream };
            if network.rounds.is_empty() {
                to.each::<L>([flips, flipped], &network.bit_order, count);
            } else {
                if !flips.is_empty() {
                    Route { from, to: staged, stream: false }.flip::<L>(flips);
                    from = read(staged);
                }
                // Two calls, since all passes are compiled where one is.
                let (ends, further) = if flipped.is_empty() { (Some(last), None) } else { (None, Some(last)) };
                for pass in passes.iter().chain(further) {
                    Route { from, to: scratch, stream: false }.pass::<L>(pass, count);
                    from = read(scratch);
                }
                match ends {
                    Some(last) => Route { from, ..to }.pass::<L>(last, count),
                    None => Route { from, ..to }.flip::<L>(flipped),
                }
            }
            if !whole[1] {
                let piece = network.sides[1].piece;
                pieces(piece, bytes, |n| (staged.0.cast_const().add(n << piece), destination.offset(*writes.add(n))));
            }
            if let Some(pair_buffer) = &blocks.pair_buffer {
                pair_buffer.leave::<L>(tile, count);
            }
        }
    }
}

/// Where the lines of a pass are read and written, and whether they are streamed.
#[derive(Clone, Copy)]
struct Route {
    from: Reads,
    to: Writes,
    stream: bool,
}

impl Route {
    /// # Safety
    /// The block has the line.
    #[inline(always)]
    unsafe fn read<L: Line>(&self, n: usize) -> L {
        // SAFETY: handed on to the caller.
        unsafe { L::load(self.from.0.offset(*self.from.1.add(n))) }
    }

    /// # Safety
    /// The block has the line, which is one of memory if it is streamed.
    #[inline(always)]
    unsafe fn write<L: Line>(&self, n: usize, line: L) {
        // SAFETY: handed on to the caller.
        unsafe {
            let to = self.to.0.offset(*self.to.1.add(n));
            if self.stream { line.stream(to) } else { line.store(to) }
        }
    }

    /// Flips positions inside lines.
    ///
    /// # Safety
    /// The block has a line for each.
    #[inline(always)]
    unsafe fn flip<L: Line>(&self, flips: &[[u8; 4]]) {
        for (n, [positions, ..]) in flips.iter().enumerate() {
            // SAFETY: handed on to the caller.
            unsafe { self.write(n, self.read::<L>(n).flip(*positions)) };
        }
    }

    /// Orders each line; positions are flipped before and afterwards, where required.
    ///
    /// # Safety
    /// The block has `count` lines, and on each side as many flips or none.
    #[inline(always)]
    unsafe fn each<L: Line>(&self, [flips, flipped]: [&[[u8; 4]]; 2], bit_order: &BitOrder, count: usize) {
        for n in 0..count {
            // SAFETY: handed on to the caller.
            unsafe {
                let mut line: L = self.read(n);
                if let Some([positions, ..]) = flips.get(n) {
                    line = line.flip(*positions);
                }
                line = bit_order.apply(line);
                if let Some([positions, ..]) = flipped.get(n) {
                    line = line.flip(*positions);
                }
                self.write(n, line);
            }
        }
    }

    /// # Safety
    /// The block has `count` lines, and the numbers with the bits of the pass.
    #[inline(always)]
    unsafe fn pass<L: Line>(&self, pass: &Pass, count: usize) {
        // SAFETY: handed on to the caller.
        unsafe {
            match (pass.numbers.as_slice(), pass.exchanges.as_slice()) {
                ([n, m], [(_, inside), (_, within)]) if *within == inside + 1 => {
                    self.two::<L>([*n, *m], *inside, count)
                }
                ([n, m], exchanges) => {
                    for first in firsts(count, 1 << n | 1 << m) {
                        let lines = [first, first | 1 << n, first | 1 << m, first | 1 << n | 1 << m];
                        let [mut a, mut b, mut c, mut d] =
                            [self.read::<L>(lines[0]), self.read(lines[1]), self.read(lines[2]), self.read(lines[3])];
                        for (number, inside) in exchanges {
                            if number == n {
                                ([a, b], [c, d]) = (L::exchange(*inside, a, b), L::exchange(*inside, c, d));
                            } else {
                                ([a, c], [b, d]) = (L::exchange(*inside, a, c), L::exchange(*inside, b, d));
                            }
                        }
                        for (n, line) in lines.into_iter().zip([a, b, c, d]) {
                            self.write(n, line);
                        }
                    }
                }
                ([n], exchanges) => {
                    for first in firsts(count, 1 << n) {
                        let (mut a, mut b) = (self.read::<L>(first), self.read::<L>(first | 1 << n));
                        for (_, inside) in exchanges {
                            [a, b] = L::exchange(*inside, a, b);
                        }
                        self.write(first, a);
                        self.write(first | 1 << n, b);
                    }
                }
                _ => (0..count).for_each(|n| self.write::<L>(n, self.read(n))),
            }
        }
    }

    /// Two rounds with neighbouring bits inside, for each of which there is code, since they are most of all that is
    /// exchanged.
    ///
    /// # Safety
    /// As [`Route::pass`].
    #[inline(always)]
    unsafe fn two<L: Line>(&self, numbers: [u32; 2], inside: u32, count: usize) {
        // SAFETY: handed on to the caller.
        unsafe {
            match inside {
                1 => self.fours::<L, 1>(numbers, count),
                2 => self.fours::<L, 2>(numbers, count),
                3 => self.fours::<L, 3>(numbers, count),
                4 => self.fours::<L, 4>(numbers, count),
                5 => self.fours::<L, 5>(numbers, count),
                6 => self.fours::<L, 6>(numbers, count),
                _ => self.fours::<L, 7>(numbers, count),
            }
        }
    }

    /// # Safety
    /// As [`Route::pass`].
    #[inline(always)]
    unsafe fn fours<L: Line, const INSIDE: u32>(&self, [n, m]: [u32; 2], count: usize) {
        let (n, m) = (1 << n, 1 << m);
        for first in firsts(count, n | m) {
            // SAFETY: handed on to the caller.
            unsafe {
                let [a, b] = L::exchange(INSIDE, self.read(first), self.read(first | n));
                let [c, d] = L::exchange(INSIDE, self.read(first | m), self.read(first | n | m));
                let ([a, c], [b, d]) = (L::exchange(INSIDE + 1, a, c), L::exchange(INSIDE + 1, b, d));
                self.write(first, a);
                self.write(first | n, b);
                self.write(first | m, c);
                self.write(first | n | m, d);
            }
        }
    }
}

/// The numbers below a count in which some bits are clear.
#[inline(always)]
fn firsts(count: usize, bits: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(0), move |last| Some(((last | bits) + 1) & !bits)).take_while(move |n| *n < count)
}

/// Prefetches the lines of a block that comes later, on some sides.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn prefetch<L: Line>(network: &Network, blocks: &Blocks, prefetched: [bool; 2], at: usize, ahead: usize) {
    if prefetched == [false; 2] {
        return;
    }
    let Some(Later { pointers, rows, tile }) = blocks.later(at, ahead) else { return };
    for side in (0..2).filter(|side| prefetched[*side]) {
        let first = pointers[side].wrapping_offset(tile.at[side]);
        for row in rows[side].iter().skip(tile.rows(side)).take(network.bytes() >> network.sides[side].piece) {
            L::prefetch(first.wrapping_offset(*row));
        }
    }
}
