//! [`Ordered`]: the order in which a kernel visits its blocks.
//!
//! The loops nearest to the kernel become a tile list, so that flips, tables and overlaps cost nothing there: a visit
//! only reads two numbers. The list holds tiles of the loops along the lines of both sides. It follows a few lines of
//! the destination, which memory writes faster together, and then as many lines of the source as the TLB covers. Where
//! the rows of a block fall into the same cache sets, a few steps along neither side come between, because they use
//! other sets.
//!
//! Law: list and loops visit what the loops visited.

use crate::block::Kernel;
use crate::cast::{distance, length, number};
use crate::kernel::{Copy, LINE, TileOrigin};
use crate::machine::{MAX_INTERLEAVED_ROWS, MAX_LIST_TILES, MAX_RUNS_TOGETHER, Machine, SHORT_LOOP_STEPS};
use crate::nest::{Loop, Origin, distances};

/// The most loops that flip bits of each other inside a list.
const MAX_FLIPPING_LOOPS: usize = 8;

/// Loops around a kernel, the inner ones as a tile list.
pub(crate) struct Ordered {
    pub(crate) tiles: Vec<TileOrigin>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) origins: [Origin; 2],
}

impl Loop {
    /// The loop over tiles of the given number of steps, the last of which may overlap the one before.
    pub(crate) fn tiled(&self, steps: i64) -> Loop {
        if steps == 1 {
            return self.clone();
        }
        let tiles = self.count / steps + i64::from(self.count % steps != 0);
        let tail_overlap = self.strides().map(|stride| stride * (tiles * steps - self.count));
        Loop { tail_overlap, strip: self.strip, ..Loop::strided(tiles, self.strides().map(|stride| stride * steps)) }
    }

    /// Whether its steps flip bits that others flip too.
    pub(crate) fn flips(&self) -> bool {
        self.steps.iter().any(|step| step.xor != 0)
    }

    /// Cuts a loop into tiles of at most `most` steps: of that number and some smaller ones, the one whose tiles overlap the
    /// least. Where no number of steps comes close to dividing the loop, it is not cut.
    fn cut(self, most: i64) -> (Option<Loop>, Option<Loop>) {
        const MAX_FEWER_STEPS: i64 = 8;
        if self.count <= most {
            return (Some(self), None);
        }
        let covered = |steps: &i64| self.tiles(*steps).saturating_mul(*steps);
        let close = |steps: &i64| covered(steps).saturating_mul(8) <= self.count.saturating_mul(9);
        let largest = (2..=most).rev().find(close).filter(|_| self.is_strided());
        let candidates = |largest: i64| ((largest - MAX_FEWER_STEPS).max(largest / 2 + 1)..=largest).rev();
        match largest.and_then(|largest| candidates(largest).min_by_key(covered)) {
            Some(steps) => {
                let outer = self.clone().over(steps);
                (Some(Loop { count: steps, tail_overlap: [0; 2], ..self }), Some(outer))
            }
            None => (None, Some(self)),
        }
    }

    /// The number of tiles that cover the loop, whose last step may have a tail overlap.
    fn tiles(&self, steps: i64) -> i64 {
        let [stride, tail_overlap] = [self.strides(), self.tail_overlap].map(|sides| sides[1].abs());
        let (whole, tile) = (self.count * stride - tail_overlap, (steps * stride).max(1));
        whole / tile + i64::from(whole % tile != 0)
    }

    /// The loop over tiles of the given number of steps. If its last step has a tail overlap, so has the last tile.
    pub(crate) fn over(self, steps: i64) -> Loop {
        let tiles = self.tiles(steps);
        let strides = self.strides();
        let whole = [0, 1].map(|side| self.count * strides[side] - self.tail_overlap[side]);
        let tail_overlap = [0, 1].map(|side| tiles * steps * strides[side] - whole[side]);
        Loop { tail_overlap, ..Loop::strided(tiles, strides.map(|stride| stride * steps)) }
    }
}

impl Ordered {
    /// The loops around a kernel, in the order that suits the caches.
    pub(crate) fn of(mut loops: Vec<Loop>, mut origins: [Origin; 2], kernel: &Kernel, machine: &Machine) -> Self {
        let mut room = room(kernel, machine);
        // Loops that share flipped bits are in the list where they are few; else all stay outside, because flips do not add.
        let flipping: Vec<Loop> = loops.extract_if(.., |level| level.flips()).collect();
        let (mut inner, apart) = match flipping.len() <= MAX_FLIPPING_LOOPS {
            true => (flipping, Vec::new()),
            false => (Vec::new(), flipping),
        };
        room >>= inner.len();
        let mut left = Vec::new();
        for (side, most) in near(kernel, &loops, &origins, machine) {
            let Some(at) = nearest(&loops, side) else { continue };
            let (steps, tiles) = loops.remove(at).cut(most.min(room.max(1)));
            room /= steps.as_ref().map_or(1, |steps| steps.count);
            inner.extend(steps);
            left.extend(tiles);
        }
        loops.append(&mut left);
        loops.sort_by_key(|level| stride(Some(level), 0));
        let mut outer = Vec::new();
        for level in loops {
            let fits = if outer.is_empty() { level.count.min(room) } else { 1 };
            let (steps, tiles) = level.cut(fits);
            room /= steps.as_ref().map_or(1, |steps| steps.count);
            inner.extend(steps);
            outer.extend(tiles);
        }
        outer.extend(apart.into_iter().rev());
        outer.reverse();
        let flips_inside = !outer.iter().any(Loop::flips);
        let blocks = match kernel {
            Kernel::Network(network) => network.blocks().map(|rows| TileOrigin::of([0; 2], rows, 0)).collect(),
            _ => vec![TileOrigin::default()],
        };
        let tiles = tiles(&blocks, &inner, &mut origins, flips_inside);
        Ordered { tiles, loops: outer, origins }
    }
}

/// Along which side's lines loops are followed, or along neither, and how many steps; the first is the fastest.
fn near(kernel: &Kernel, loops: &[Loop], origins: &[Origin; 2], machine: &Machine) -> Vec<(Option<usize>, i64)> {
    match kernel {
        Kernel::Network(network) if network.interleaves_prefetch() => {
            vec![(Some(1), MAX_INTERLEAVED_ROWS / number(network.bytes() / LINE)), (Some(0), 16)]
        }
        Kernel::Network(network) if network.reads_conflict() => {
            vec![(Some(1), 2), (None, machine.conflict_steps), (Some(0), 16)]
        }
        // The blocks at one tile origin are neighbours in the destination.
        Kernel::Network(network) if network.blocks().count() > 1 => vec![(Some(0), 16)],
        Kernel::Network(_) => vec![(Some(1), 2), (Some(0), 16)],
        Kernel::Shuffle(_) => vec![(Some(1), 4), (Some(0), 16)],
        // Rows of units: lines of the source that are used up as soon as may be.
        Kernel::Copy(copy) if copy.bytes < LINE => vec![(Some(0), 16), (Some(1), 16)],
        Kernel::Copy(copy) => vec![(Some(1), together(copy, loops, origins, machine)), (Some(0), 64)],
        Kernel::Strips(_) | Kernel::Parts(_) => vec![(Some(0), 64)],
    }
}

/// How many runs are copied one after the other along the destination: where they share lines of it, all of a short loop,
/// and all that are read from neighbouring pages; else some, because the TLB covers few pages.
fn together(copy: &Copy, loops: &[Loop], origins: &[Origin; 2], machine: &Machine) -> i64 {
    const PAGE: i64 = 4 << 10;
    let bytes = number(copy.bytes);
    if (bytes | distances(loops, origins, 1)) % number(LINE) == 0 {
        return 1;
    }
    let some = (2 * PAGE / bytes).clamp(4, 16);
    let along = nearest(loops, Some(1)).and_then(|at| loops.get(at));
    match (machine.max_runs_together, along) {
        (Some(most), _) => some.min(most),
        (None, Some(level)) if level.count > SHORT_LOOP_STEPS && level.strides()[0].abs() > PAGE => some,
        _ => MAX_RUNS_TOGETHER,
    }
}

/// The most tiles of a list.
fn room(kernel: &Kernel, machine: &Machine) -> i64 {
    let (most, bytes, blocks) = match kernel {
        Kernel::Copy(copy) => (machine.sizes.copy_list_bytes, copy.bytes.saturating_mul(copy.row.count), 1),
        Kernel::Network(network) => (machine.sizes.list_bytes, network.bytes(), network.blocks().count()),
        Kernel::Shuffle(shuffle) => (machine.sizes.list_bytes, shuffle.bytes().saturating_mul(shuffle.row.count), 1),
        Kernel::Strips(_) | Kernel::Parts(_) => return MAX_LIST_TILES,
    };
    let (bytes, blocks) = (number(bytes).max(1), number(blocks));
    (most / bytes.saturating_mul(blocks)).min(MAX_LIST_TILES / blocks).max(1)
}

/// The loops around lists of strips, the outermost first: those with the longest steps in the source, whose rows are
/// then read to their ends; around these that along the strip of the destination, since its rows are the most expensive
/// to compute, or inside where vectors are realigned, so that rows continue.
pub(crate) fn outermost(mut loops: Vec<Loop>, rows_continue: bool) -> Vec<Loop> {
    loops.sort_by_key(|level| std::cmp::Reverse(((level.strip == Some(1)) != rows_continue, stride(Some(level), 0))));
    loops
}

/// The loop with the shortest steps on a side, or, for neither, on both among those that are not the source's.
fn nearest(loops: &[Loop], side: Option<usize>) -> Option<usize> {
    let all = 0..loops.len();
    let apart = |at: &usize, side| stride(loops.get(*at), side);
    match side {
        Some(side) => all.min_by_key(|at| apart(at, side)),
        None => {
            let source = nearest(loops, Some(0));
            all.filter(|at| Some(*at) != source).min_by_key(|at| apart(at, 0).max(apart(at, 1)))
        }
    }
}

/// The stride of a loop on a side.
fn stride(level: Option<&Loop>, side: usize) -> i64 {
    level.and_then(|level| level.strides().get(side).copied()).unwrap_or(0).abs()
}

/// The tile list of loops over some blocks, the first loop fastest. Loops that flip bits come first. It includes the
/// flips of the origins where no outer loop shares them.
fn tiles(blocks: &[TileOrigin], loops: &[Loop], origins: &mut [Origin; 2], flips_inside: bool) -> Vec<TileOrigin> {
    // Flips are applied before other loops repeat the tiles.
    let mut take_flip = |side: usize| if flips_inside { distance(std::mem::take(&mut origins[side].flip)) } else { 0 };
    let mut firsts = vec![([0; 2], [take_flip(0), take_flip(1)])];
    let (flipping, others) = loops.split_at(loops.iter().take_while(|level| level.flips()).count());
    for level in flipping {
        let before = firsts.len();
        for x in 1..level.count {
            let (by, flips) = (offsets(level, x), [0, 1].map(|side| distance(level.at(x, side).xor)));
            let led = |(at, flip): ([isize; 2], [isize; 2])| {
                ([at[0] + by[0], at[1] + by[1]], [flip[0] ^ flips[0], flip[1] ^ flips[1]])
            };
            firsts.extend_from_within(..before);
            firsts[before * length(x)..].iter_mut().for_each(|first| *first = led(*first));
        }
    }
    let mut before = firsts.len() * blocks.len();
    let count = others.iter().fold(before, |count, level| count.saturating_mul(length(level.count)));
    let mut tiles = Vec::with_capacity(count);
    for (at, flip) in firsts {
        tiles.extend(blocks.iter().map(|block| block.moved([at[0] + flip[0], at[1] + flip[1]])));
    }
    for level in others {
        // The first step stays where it is: only the last of several has a tail overlap.
        for x in 1..level.count {
            let by = offsets(level, x);
            tiles.extend_from_within(..before);
            tiles[before * length(x)..].iter_mut().for_each(|tile| *tile = tile.moved(by));
        }
        before = tiles.len();
    }
    tiles
}

/// How far step `x` of a loop leads on each side.
fn offsets(level: &Loop, x: i64) -> [isize; 2] {
    [0, 1].map(|side| distance(level.offset(x, side)))
}
