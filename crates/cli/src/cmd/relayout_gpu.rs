//! A relayout of files on a GPU: the tensor is copied there, moved, and copied back.
//!
//! Law: OUT has the bytes that it has without --device. A tensor that does not fit the memory of the GPU is refused.

use std::time::{Duration, Instant};

use bitstride::{Code, Error};
use bitstride_gpu::{Device, Kernel, Memory};
use bitstride_relayout::Element;

use super::relayout_job::Job;

/// The data of OUT on a GPU, and how long copying and moving took so far.
pub(super) struct OnGpu {
    moved: Memory,
    pub(super) elapsed: Duration,
}

impl OnGpu {
    /// Moves the tensor of a job.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where both sides do not fit; as [`Device::open`], [`Kernel::of`] and [`Kernel::run`].
    pub(super) fn of(job: &Job, number: i32) -> Result<Self, Error> {
        let device = Device::open(number)?;
        let [from, to] = &job.maps;
        let kernel = Kernel::of(&device, from, to, Element::of_bits(job.element.bits)?)?;
        let bytes = [job.plan.source_bytes(), job.frame.data];
        let [free, all] = device.memory()?;
        if bytes[0].saturating_add(bytes[1]) > free {
            let message = format!(
                "the tensor has {} bytes before and {} bytes after, and of the {all} bytes of {} are {free} free",
                bytes[0],
                bytes[1],
                device.name()
            );
            return Err(Error::new(Code::TooLarge, message).with_help("without --device it is moved in chunks"));
        }
        let data = job.source.bytes().get(job.tensor.data.clone()).and_then(|data| data.get(..bytes[0]));
        let started = Instant::now();
        let source = device.upload(data.unwrap_or(&[]))?;
        let mut moved = device.allocate(bytes[1])?;
        moved.clear()?;
        if let Some(value) = &job.value {
            kernel.fill(&mut moved, value)?;
        }
        kernel.run(&source, &mut moved, None)?;
        device.wait()?;
        Ok(OnGpu { moved, elapsed: started.elapsed() })
    }

    /// Copies the data to where OUT has it.
    ///
    /// # Errors
    /// As [`Memory::download`].
    pub(super) fn download(&mut self, data: &mut [u8]) -> Result<(), Error> {
        let started = Instant::now();
        self.moved.download(data)?;
        self.elapsed += started.elapsed();
        Ok(())
    }
}
