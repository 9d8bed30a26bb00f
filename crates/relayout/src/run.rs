//! Runs a [`Plan`]: checks of the buffers, tasks for threads, and the walk through the loops.
#![allow(unsafe_code)]

use bitstride::{Code, Error, error};
use rayon::prelude::*;

use crate::block::{Block, Kernel};
use crate::cast::{distance, number};
use crate::kernel::{Blocks, Isa, LINE, Scratch};
use crate::machine::Machine;
use crate::nest::{Loop, Origin, distances};
use crate::plan::Plan;

/// Two pointers that tasks share: each task writes bytes of its own.
#[derive(Clone, Copy)]
pub(crate) struct Sides {
    pub(crate) source: *const u8,
    pub(crate) destination: *mut u8,
}

// SAFETY: tasks read the source only, and no two tasks write the same byte of the destination: the layout of the
// destination is injective, tasks have elements of their own, and units below a byte run in one task.
unsafe impl Sync for Sides {}

impl Plan {
    /// Moves the tensor, on the threads of the current pool of rayon (`ThreadPool::install` chooses another). Bytes of the
    /// destination without an element are unchanged.
    ///
    /// # Errors
    /// [`Code::Range`] when a buffer is too small; [`Code::Kind`] when the machine lacks the instructions of the plan.
    /// Nothing is written then.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let dense = Map::of_layout(&"(2,3):(3,1)".parse()?)?;
    /// let padded = Map::of_layout(&"(2,3):(4,1)".parse()?)?;
    /// let plan = Plan::new(&dense, &padded, Element::of_bits(8)?)?;
    /// let mut moved = *b".......";
    /// plan.run(b"abcdef", &mut moved)?;
    /// assert_eq!(&moved, b"abc.def");
    /// let refused = plan.run(b"abcdef", &mut moved[..6]).unwrap_err();
    /// assert_eq!(refused.message(), "the destination has 6 bytes, its layout reaches to 7");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn run(&self, source: &[u8], destination: &mut [u8]) -> Result<(), Error> {
        self.check(source, destination)?;
        // SAFETY: both slices reach as far as the plan, and a mutable slice overlaps no other.
        unsafe { self.run_raw(source.as_ptr(), destination.as_mut_ptr()) };
        Ok(())
    }

    /// The errors of [`Plan::run`].
    pub(crate) fn check(&self, source: &[u8], destination: &[u8]) -> Result<(), Error> {
        fits([source.len(), destination.len()], self.bytes)?;
        if !self.machine.isa.is_supported() {
            return Err(error!(
                Code::Kind,
                "the plan is for {isa}, which this machine has not",
                [isa = format!("{:?}", self.machine.isa)]
            ));
        }
        Ok(())
    }

    /// The same between pointers.
    ///
    /// # Safety
    /// The source can be read for [`Plan::source_bytes`] and the destination written for [`Plan::destination_bytes`], they do
    /// not overlap, no one else uses the destination meanwhile, and the machine has [`Plan::isa`].
    pub unsafe fn run_raw(&self, source: *const u8, destination: *mut u8) {
        let sides = Sides { source, destination };
        if let Some(pointwise) = &self.pointwise {
            // SAFETY: handed on to the caller.
            unsafe {
                match &pointwise.periods {
                    Some(periods) => periods.run(sides, usize::MAX, |_| ()),
                    None => pointwise.run(self.element, pointwise.all(), sides),
                }
            }
        }
        for block in &self.blocks {
            let tasks = block.tasks(self.moved_bytes(), self.large, destination, &self.machine);
            match tasks.as_slice() {
                // SAFETY: every place of the loops is inside both buffers, since the reach of the nests is.
                [one] => unsafe { one.run(sides) },
                // SAFETY: the same.
                all => all.par_iter().for_each(|task| unsafe { task.run(sides) }),
            }
        }
    }
}

/// Refuses buffers that are smaller than layouts reach.
pub(crate) fn fits(has: [usize; 2], needs: [usize; 2]) -> Result<(), Error> {
    for (side, which) in ["source", "destination"].into_iter().enumerate() {
        if has[side] < needs[side] {
            let message = format!("the {which} has {} bytes, its layout reaches to {}", has[side], needs[side]);
            return Err(Error::new(Code::Range, message));
        }
    }
    Ok(())
}

/// A part of the loops around a block.
struct Task<'a> {
    block: &'a Block,
    loops: Vec<Loop>,
    origins: [Origin; 2],
    /// The instructions that stream lines, if lines are streamed.
    stream: Option<Isa>,
}

impl Block {
    /// The tasks: one, or several for each thread.
    fn tasks(&self, bytes: usize, large: bool, destination: *mut u8, machine: &Machine) -> Vec<Task<'_>> {
        let stream = Some(machine.isa).filter(|isa| large && self.streams(destination, *isa));
        let mut loops = self.loops.clone();
        let whole = |loops, origins| Task { block: self, loops, origins, stream };
        // Asking for the number of threads starts them.
        let shared = self.shared(bytes, machine).map(|shared| (shared, rayon::current_num_threads()));
        let Some(((at, most), threads)) = shared.filter(|(_, threads)| *threads > 1) else {
            return vec![whole(loops, self.origins)];
        };
        let cut = loops.remove(at);
        let steps = cut.count - i64::from(cut.tail_overlap != [0; 2]);
        let parts = number(4 * threads).min(most);
        let part = |n: i64| {
            let (first, mut last) = (steps * n / parts, steps * (n + 1) / parts);
            if n + 1 == parts {
                last = cut.count;
            }
            let (mut loops, mut origins) = (loops.clone(), self.origins);
            loops.insert(at, cut.part(first..last, &mut origins));
            whole(loops, origins)
        };
        (0..parts).map(part).collect()
    }

    /// The loop that threads share for a total of bytes, and the most parts; `None` where one thread
    /// moves all.
    pub(crate) fn shared(&self, bytes: usize, machine: &Machine) -> Option<(usize, i64)> {
        let widest =
            (0..self.loops.len()).max_by_key(|at| self.loops.get(*at).map_or(0, |level| level.count.min(64)))?;
        let cut = self.loops.get(widest)?;
        // The last tile overlaps the one before: both are in one part.
        let most =
            (number(bytes) / machine.sizes.task_min_bytes).min(cut.count - i64::from(cut.tail_overlap != [0; 2]));
        (most > 1 && !matches!(self.kernel, Kernel::Parts(_))).then_some((widest, most))
    }

    /// Whether lines can be streamed: whole and aligned.
    fn streams(&self, destination: *mut u8, isa: Isa) -> bool {
        let parts = matches!(&self.kernel, Kernel::Copy(copy) if copy.writes_parts(isa));
        self.may_stream(isa) && (parts || destination.align_offset(LINE) == 0)
    }

    /// The same in a destination that begins on a line.
    pub(crate) fn may_stream(&self, isa: Isa) -> bool {
        let whole = |apart: isize| (number(apart.unsigned_abs()) | self.apart()) % number(LINE) == 0;
        match &self.kernel {
            _ if !isa.streams() => false,
            Kernel::Strips(_) | Kernel::Parts(_) => false,
            Kernel::Copy(copy) => copy.writes_parts(isa) || copy.bytes % LINE == 0 && whole(copy.row.strides[1]),
            Kernel::Network(network) => network.is_aligned() && whole(0),
            Kernel::Shuffle(shuffle) => whole(shuffle.row.strides[1]),
        }
    }

    /// The bitwise OR of all distances between blocks in the destination.
    pub(crate) fn apart(&self) -> i64 {
        let tiles = self.tiles.iter().fold(0, |all, tile| all | tile.at[1]);
        number(tiles.unsigned_abs()) | distances(&self.loops, &self.origins, 1)
    }
}

impl Task<'_> {
    /// # Safety
    /// Every place of the loops is inside both buffers.
    unsafe fn run(&self, sides: Sides) {
        let mut scratch = Scratch::default();
        let mut last = None;
        // A list is moved when the next one is known, whose lines are fetched meanwhile.
        walk(&self.loops, self.origins, &mut |next| {
            if let Some(here) = last.replace(next) {
                // SAFETY: handed on to the caller.
                unsafe { self.list(here, next, sides, &mut scratch) };
            }
        });
        if let Some(here) = last {
            // SAFETY: the same.
            unsafe { self.list(here, here, sides, &mut scratch) };
        }
        #[cfg(target_arch = "x86_64")]
        if self.stream.is_some() || matches!(&self.block.kernel, Kernel::Strips(strips) if strips.streams()) {
            // SAFETY: every x86-64 has it; lines streamed are seen by others only after it.
            unsafe { std::arch::x86_64::_mm_sfence() };
        }
    }

    /// Moves the blocks of a list; another follows, or none if it is the same.
    ///
    /// # Safety
    /// As [`Task::run`], for the list that begins here.
    unsafe fn list(&self, here: [Origin; 2], next: [Origin; 2], sides: Sides, scratch: &mut Scratch) {
        let Block { kernel, tiles, .. } = self.block;
        let [from, to] = here.map(|origin| distance(origin.offset + origin.flip));
        let later = next.map(|origin| distance(origin.offset + origin.flip));
        let along = [here, next].map(|origins| origins.map(|origin| origin.along));
        let next = (here != next).then(|| {
            [sides.source.wrapping_offset(later[0]), sides.destination.wrapping_offset(later[1]).cast_const()]
        });
        // SAFETY: the block is inside both buffers; below a byte, kernels count in units themselves.
        unsafe {
            let (source, destination) = match kernel {
                Kernel::Parts(_) => (sides.source, sides.destination),
                _ => (sides.source.offset(from), sides.destination.offset(to)),
            };
            match kernel {
                Kernel::Copy(copy) => copy.run(source, destination, tiles, self.stream),
                Kernel::Network(network) => {
                    let rows = network.sides.each_ref().map(|side| side.at.as_slice());
                    let next = next.map(|at| (at, rows));
                    let stream = self.stream.is_some();
                    let prefetched = [network.from_memory, network.from_memory && !stream];
                    network.run(Blocks {
                        source,
                        destination,
                        tiles,
                        rows,
                        next,
                        prefetched,
                        realigned: None,
                        pair_buffer: None,
                        stream,
                    });
                }
                Kernel::Strips(strips) => {
                    strips.run(source, destination, along, next, tiles, scratch);
                }
                Kernel::Shuffle(shuffle) => shuffle.run(source, destination, tiles, self.stream.is_some()),
                Kernel::Parts(parts) => parts.run(source, destination, [from, to], tiles),
            };
        }
    }
}

/// Walks through loops, the outermost first, and calls `list` with the start of each tile list.
pub(crate) fn walk(loops: &[Loop], origins: [Origin; 2], list: &mut impl FnMut([Origin; 2])) {
    let Some((level, inner)) = loops.split_first() else { return list(origins) };
    for x in 0..level.count {
        let mut here = origins;
        level.lead(x, &mut here);
        walk(inner, here, list);
    }
}
