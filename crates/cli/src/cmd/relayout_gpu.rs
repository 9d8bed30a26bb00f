//! A relayout of files on a GPU: the tensor is copied there, moved, and copied back; in slabs where it does not fit.
//!
//! Law: OUT has the bytes that it has without --device. A tensor that does not fit the memory, and has no slabs that do, is refused.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bitstride::Error;
use bitstride_gpu::{Device, Kernel, Memory};
use bitstride_relayout::{Element, Slab};

use super::relayout_job::Job;

/// The part of the free memory that slabs take: the driver needs some for kernels, and memory is in pieces.
const EIGHTHS_OF_FREE: usize = 7;

/// What a GPU needs for a job.
pub(super) struct OnGpu {
    state: State,
    pub(super) elapsed: Duration,
}

/// How far it is.
enum State {
    /// All data of OUT is on the GPU.
    Moved(Memory),
    /// Parts that are moved one after the other, each by its kernel, through memory for the largest.
    Slabs(Vec<(Arc<Kernel>, Slab)>, [Memory; 2]),
}

impl OnGpu {
    /// Moves the tensor of a job, or prepares all that is needed to move it in slabs; `memory` limits the bytes that it takes.
    ///
    /// # Errors
    /// [`Code::TooLarge`](bitstride::Code::TooLarge) where neither the tensor nor slabs of it fit; as [`Device::open`],
    /// [`Kernel::of`] and [`Kernel::run`].
    pub(super) fn of(job: &Job, number: i32, memory: Option<usize>) -> Result<Self, Error> {
        let device = Device::open(number)?;
        let [free, all] = device.memory()?;
        let started = Instant::now();
        let needed = job.plan.source_bytes().saturating_add(job.frame.data);
        let state = if needed <= memory.unwrap_or(free).min(free) {
            State::Moved(moved(job, &device)?)
        } else {
            let room = memory.unwrap_or(usize::MAX).min(free / 8 * EIGHTHS_OF_FREE);
            let slabs = job.plan.slabs(room).map_err(|why| {
                let help = format!(
                    "without --device it is moved in chunks; of the {all} bytes of {} are {free} free",
                    device.name()
                );
                why.with_help(help)
            })?;
            let largest = |side: usize| slabs.iter().map(|slab| slab.bytes[side].len()).max().unwrap_or(0);
            let memory = [device.allocate(largest(0))?, device.allocate(largest(1))?];
            let with_kernel = |slab: Slab| Ok((Kernel::of(&device, &slab.maps[0], &slab.maps[1], slab.unit)?, slab));
            State::Slabs(slabs.into_iter().map(with_kernel).collect::<Result<_, Error>>()?, memory)
        };
        Ok(OnGpu { state, elapsed: started.elapsed() })
    }

    /// Whether places without an element are filled already when the data of OUT is written.
    pub(super) fn fills(&self) -> bool {
        matches!(self.state, State::Moved(_))
    }

    /// Brings the data to where OUT has it.
    ///
    /// # Errors
    /// As [`Kernel::run`] and [`Memory::download`].
    pub(super) fn write(&mut self, source: &[u8], data: &mut [u8]) -> Result<(), Error> {
        let started = Instant::now();
        match &mut self.state {
            State::Moved(moved) => moved.download(data)?,
            State::Slabs(slabs, [from, to]) => {
                for (kernel, slab) in slabs {
                    let [read, written] = &slab.bytes;
                    let data = part_mut(data, written);
                    from.write(source.get(read.clone()).unwrap_or(&[]))?;
                    if !slab.is_whole {
                        to.write(data)?;
                    }
                    kernel.run(from, to, None)?;
                    to.download(data)?;
                }
            }
        }
        self.elapsed += started.elapsed();
        Ok(())
    }
}

/// Some bytes of data.
fn part_mut<'a>(data: &'a mut [u8], range: &Range<usize>) -> &'a mut [u8] {
    data.get_mut(range.clone()).unwrap_or(&mut [])
}

/// The data of OUT on the GPU.
fn moved(job: &Job, device: &Device) -> Result<Memory, Error> {
    let [from, to] = &job.maps;
    let kernel = Kernel::of(device, from, to, Element::of_bits(job.element.bits)?)?;
    let source = device.upload(job.data_of_source().get(..job.plan.source_bytes()).unwrap_or(&[]))?;
    let mut moved = device.allocate(job.frame.data)?;
    moved.clear()?;
    if let Some(value) = &job.value {
        kernel.fill(&mut moved, value)?;
    }
    kernel.run(&source, &mut moved, None)?;
    device.wait()?;
    Ok(moved)
}
