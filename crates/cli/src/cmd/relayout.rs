//! `bitstride relayout`: the tensor of a file, in another layout in another file.
//!
//! All that can be refused is refused by [`Job::of`] (`relayout_job.rs`), before the output is there. As JSON it is
//! `{"kind", "value", "data", "notes"?}`: the kind is `relayout`, or `plan` with --plan, and `value` is the text that is printed else.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bitstride::Error;
use bitstride_relayout::OutputFile;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value as Json, json};

use super::relayout_gpu::OnGpu;
use super::relayout_job::Job;
use crate::args::{Device, Relayout};
#[cfg(unix)]
use crate::interrupt;
use crate::session::Session;
use crate::threads::on_threads;

/// The fewest bytes for which a progress bar is drawn.
pub(super) const PROGRESS_MIN_BYTES: usize = 256 << 20;

/// The bytes of memory that a move takes where no number is given.
const MEMORY_BYTES: usize = 768 << 20;

/// Pages of about this number of chunks are in memory, and the progress bar moves after each chunk.
const CHUNKS_IN_MEMORY: usize = 3;

/// The bytes for which one more thread fills holes.
const FILL_BYTES_PER_THREAD: usize = 32 << 20;

pub(crate) fn run(args: &Relayout, session: &mut Session) -> io::Result<u8> {
    let job = match Job::of(args, session.ints.reading()) {
        Ok(job) => job,
        Err(failure) => return failure.report(session),
    };
    let (mut data, notes) = (job.data(), job.notes.clone());
    if args.plan {
        return report("plan", job.plan.to_string().trim_end(), data, &notes, session);
    }
    let (moved, left, bytes) = (job.moved(), job.left(), job.plan.moved_bytes());
    let ran = job.run(args, session);
    #[cfg(unix)]
    interrupt::ends();
    let elapsed = match ran {
        Ok(elapsed) => elapsed,
        Err(failure) => return failure.report(session),
    };
    let rate = rate(bytes, elapsed);
    if let Some(data) = data.as_object_mut() {
        data.insert("seconds".to_owned(), elapsed.as_secs_f64().into());
        data.insert("gigabytes_per_second".to_owned(), rate.parse::<f64>().unwrap_or(0.0).into());
    }
    let line = format!("{moved} in {elapsed:.3?}, {rate} GB/s; {left}");
    let reported = report("relayout", &line, data, &notes, session).and_then(|code| {
        session.out.flush()?;
        Ok(code)
    });
    reported.map_err(|why| {
        let out = args.output.display();
        io::Error::new(why.kind(), format!("{out} has been written, but what was done cannot be printed: {why}"))
    })
}

/// Gigabytes a second, to the thousandth where there are as many.
fn rate(bytes: usize, elapsed: Duration) -> String {
    let millionths = u128::try_from(bytes).unwrap_or(0) * 1_000_000 / elapsed.as_nanos().max(1);
    let (whole, rest) = (millionths / 1_000_000, millionths % 1_000_000);
    if millionths < 1000 { format!("0.{rest:06}") } else { format!("{whole}.{:03}", rest / 1000) }
}

/// Prints what was done, or would be.
fn report(kind: &str, line: &str, data: Json, notes: &[String], session: &mut Session) -> io::Result<u8> {
    if session.json {
        let mut object = serde_json::Map::from_iter([
            ("kind".to_owned(), kind.into()),
            ("value".to_owned(), line.into()),
            ("data".to_owned(), data),
        ]);
        if !notes.is_empty() {
            object.insert("notes".to_owned(), json!(notes));
        }
        session.object(object)?;
    } else {
        session.line(line)?;
        for note in notes {
            session.note(note)?;
        }
    }
    Ok(0)
}

/// Why nothing was moved.
pub(super) enum Failure {
    /// An answer to a text.
    Refused(String, Error),
    /// A file.
    File(&'static str, PathBuf, io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(String::new(), error)
    }
}

impl Failure {
    fn report(&self, session: &mut Session) -> io::Result<u8> {
        match self {
            Failure::Refused(text, error) => session.refuse(text, error),
            Failure::File(what, path, error) => session.no_file(what, path, error),
        }
    }
}

impl Job {
    /// The data of the job, as JSON.
    fn data(&self) -> Json {
        let mut data = json!({
            "elements": self.plan.elements(),
            "element": self.element.name,
            "element_bits": self.element.bits,
            "bytes": self.plan.moved_bytes(),
            "out_elements": self.frame.count,
            "out_bytes": self.frame.data,
        });
        if let (Some(why), Some(data)) = (self.plan.slow(), data.as_object_mut()) {
            data.insert("slow".to_owned(), why.into());
        }
        data
    }

    fn moved(&self) -> String {
        format!("moved {} elements of {}, {} bytes,", self.plan.elements(), self.element.name, self.plan.moved_bytes())
    }

    fn left(&self) -> String {
        format!("OUT has {} elements, {} bytes", self.frame.count, self.frame.data)
    }

    /// Moves; gives how long that took, without the time for files.
    fn run(self, args: &Relayout, session: &Session) -> Result<Duration, Failure> {
        // Whatever a GPU refuses is refused before the output is there.
        let mut on_gpu = match args.device {
            Device::Cpu => None,
            Device::Cuda(number) => Some(OnGpu::of(&self, number, self.memory)?),
        };
        let Job { source, tensor, plan, frame, value, memory, .. } = self;
        let chunk = memory.unwrap_or(MEMORY_BYTES) / CHUNKS_IN_MEMORY;
        let unwritten = |error| Failure::File("write", args.output.clone(), error);
        let kept = frame.kept.clone().map(|range| source.bytes().get(range).unwrap_or(&[]));
        let bytes = frame.header.len() + frame.data + kept[0].len() + kept[1].len();
        let mut output = output(&args.output, bytes, session.process).map_err(unwritten)?;
        if plan.scatters() {
            output.scatter();
        }
        let (header, rest) = output.bytes().split_at_mut(frame.header.len());
        header.copy_from_slice(&frame.header);
        let (before, rest) = rest.split_at_mut(kept[0].len());
        let (data, after) = rest.split_at_mut(frame.data);
        before.copy_from_slice(kept[0]);
        after.copy_from_slice(kept[1]);
        // A new file is all 0.
        let value = value.filter(|value| value.iter().any(|byte| *byte != 0));
        let filled = if value.is_some() { data.len() / FILL_BYTES_PER_THREAD } else { 0 };
        let threads = args.threads.map(usize::from);
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let progress = session.progress && plan.moved_bytes() >= PROGRESS_MIN_BYTES;
        let started = Instant::now();
        if let Some(on_gpu) = &mut on_gpu {
            if let Some(value) = value.filter(|_| !on_gpu.fills()) {
                plan.fill_holes(data, &value)?;
            }
            on_gpu.write(source.bytes().get(tensor.data.clone()).unwrap_or(&[]), data)?;
            let elapsed = on_gpu.elapsed;
            drop(source);
            commit(output).map_err(unwritten)?;
            return Ok(elapsed);
        }
        on_threads(threads.min(plan.most_threads().max(filled)), || {
            if let Some(value) = value {
                plan.fill_holes(data, &value)?;
            }
            let bar = if progress { bar() } else { ProgressBar::hidden() };
            let show_progress = |done: usize, all: usize| {
                bar.set_length(u64::try_from(all).unwrap_or(u64::MAX));
                bar.set_position(u64::try_from(done).unwrap_or(u64::MAX));
            };
            let ran = plan.run_from(&source, tensor.data.clone(), data, chunk, show_progress);
            bar.finish_and_clear();
            ran
        })?;
        let elapsed = started.elapsed();
        // Some systems do not replace a file that is mapped.
        drop(source);
        commit(output).map_err(unwritten)?;
        Ok(elapsed)
    }
}

/// The file that is written, which signals remove where they may end the process.
#[cfg(unix)]
pub(super) fn output(path: &Path, bytes: usize, process: bool) -> io::Result<OutputFile> {
    if !process {
        return OutputFile::create(path, bytes);
    }
    interrupt::heed_limits();
    OutputFile::create_under(path, bytes, |part| interrupt::writes(part, path))
}

#[cfg(not(unix))]
pub(super) fn output(path: &Path, bytes: usize, _: bool) -> io::Result<OutputFile> {
    OutputFile::create(path, bytes)
}

/// Gives the file its place.
#[cfg(unix)]
pub(super) fn commit(output: OutputFile) -> io::Result<()> {
    interrupt::takes_place(|| output.commit())
}

#[cfg(not(unix))]
pub(super) fn commit(output: OutputFile) -> io::Result<()> {
    output.commit()
}

/// A bar on standard error.
pub(super) fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {percent}% of {total_bytes}, {bytes_per_sec}, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
