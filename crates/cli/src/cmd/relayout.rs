//! `bitstride relayout`: the tensor of a file, in another layout in another file.
//!
//! All that can be refused is refused by [`Job::of`], before the output is there. As JSON it is `{"kind": "relayout",
//! "value", "data", "notes"?}`, where `value` is the line that is printed else.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bitstride::calc::evaluate_with;
use bitstride::{Code, Error, notation};
use bitstride_relayout::{Element, OutputFile, Plan, SourceFile, fill};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value as Json, json};

use super::side::Side;
use crate::args::Relayout;
use crate::session::{Session, text_of};
use crate::tensors::{Dtype, Frame, Kind, Tensor, Unread, frame};

/// From so many bytes on, a person is told how far it is.
const LONG: usize = 256 << 20;

/// After how many bytes this is told anew.
const PART: usize = 32 << 20;

pub(crate) fn run(args: &Relayout, session: &mut Session) -> io::Result<u8> {
    let job = match Job::of(args, session.ints.reading()) {
        Ok(job) => job,
        Err(failure) => return failure.tell(session),
    };
    let (mut data, notes) = (job.data(), job.notes.clone());
    if args.plan {
        return tell("plan", job.plan.to_string().trim_end(), data, &notes, session);
    }
    let (moved, left, bytes) = (job.moved(), job.left(), job.plan.moved_bytes());
    let elapsed = match job.run(args, session.progress) {
        Ok(elapsed) => elapsed,
        Err(failure) => return failure.tell(session),
    };
    let rate = rate(bytes, elapsed);
    if let Some(data) = data.as_object_mut() {
        data.insert("seconds".to_owned(), elapsed.as_secs_f64().into());
        data.insert("gigabytes_per_second".to_owned(), rate.parse::<f64>().unwrap_or(0.0).into());
    }
    tell("relayout", &format!("{moved} in {elapsed:.3?}, {rate} GB/s; {left}"), data, &notes, session)
}

/// Gigabytes a second, to the thousandth where there are as many.
fn rate(bytes: usize, elapsed: Duration) -> String {
    let millionths = u128::try_from(bytes).unwrap_or(0) * 1_000_000 / elapsed.as_nanos().max(1);
    let (whole, rest) = (millionths / 1_000_000, millionths % 1_000_000);
    if millionths < 1000 { format!("0.{rest:06}") } else { format!("{whole}.{:03}", rest / 1000) }
}

/// Tells what was done, or would be.
fn tell(kind: &str, line: &str, data: Json, notes: &[String], session: &mut Session) -> io::Result<u8> {
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
enum Failure {
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
    fn tell(&self, session: &mut Session) -> io::Result<u8> {
        match self {
            Failure::Refused(text, error) => session.refuse(text, error),
            Failure::File(what, path, error) => session.no_file(what, path, error),
        }
    }
}

/// Reads a layout of the command line.
fn side(argument: &std::ffi::OsStr, ints: notation::Ints) -> Result<Side, Failure> {
    let text = text_of(argument)?;
    let read = evaluate_with(text, ints).and_then(|answer| Side::of(text, &answer));
    read.map_err(|error| Failure::Refused(text.to_owned(), error))
}

/// Everything that is needed to move, checked.
struct Job {
    source: SourceFile,
    tensor: Tensor,
    element: Dtype,
    plan: Plan,
    frame: Frame,
    /// The bytes of the value for what holds no element.
    value: Option<Vec<u8>>,
    notes: Vec<String>,
}

impl Job {
    fn of(args: &Relayout, ints: notation::Ints) -> Result<Job, Failure> {
        let [from, to] = [side(&args.from, ints)?, side(&args.to, ints)?];
        let unread = |error| Failure::File("read", args.input.clone(), error);
        let source = SourceFile::open(&args.input).map_err(unread)?;
        let (kind, into) = (Kind::of(&args.input), Kind::of(&args.output));
        let named = args.tensor.as_deref();
        if named.is_some() && ![kind, into].contains(&Kind::Safetensors) {
            return Err(Error::new(Code::Kind, "--tensor is for .safetensors files").into());
        }
        let tensor = Tensor::find(kind, source.bytes(), named).map_err(|why| match why {
            Unread::File(why) => unread(io::Error::new(io::ErrorKind::InvalidData, why)),
            Unread::Question(error) => error.into(),
        })?;
        if tensor.tensors > 1 && same_file(&args.input, &args.output) {
            let message = format!("OUT is IN, which has {} tensors; only one would be left", tensor.tensors);
            return Err(Error::new(Code::Kind, message).with_help("write to another file").into());
        }
        let element = element(args.element.as_deref(), &tensor, [&from, &to])?;
        let size = Element::of_bits(element.bits)?;
        let plan = Plan::new(&from.map, &to.map, size)?;
        let mut notes = Vec::new();
        if let Some(note) = fits(&plan, &tensor, &from, &element)? {
            notes.push(note);
        }
        let [_, aligned] = from.map.aligned(&to.map)?;
        let spans = aligned
            .codomain()
            .first()
            .filter(|_| aligned.is_tight())
            .map(|axis| i128::from(axis.extent) * i128::from(element.bits));
        let reaches = i128::try_from(plan.destination_bytes()).unwrap_or(i128::MAX / 8) * 8;
        let shape = args.shape.as_deref().map(extents).transpose()?;
        let frame = frame(into, &tensor, &element, spans.unwrap_or(reaches), shape.as_deref(), named)?;
        let value = args.fill.as_ref().map(|text| element.bytes_of(text)).transpose()?;
        Ok(Job { source, tensor, element, plan, frame, value, notes })
    }

    /// What is told of the job.
    fn data(&self) -> Json {
        json!({
            "elements": self.plan.elements(),
            "element": self.element.name,
            "element_bits": self.element.bits,
            "bytes": self.plan.moved_bytes(),
            "out_elements": self.frame.count,
            "out_bytes": self.frame.data,
        })
    }

    fn moved(&self) -> String {
        format!("moved {} elements of {}, {} bytes,", self.plan.elements(), self.element.name, self.plan.moved_bytes())
    }

    fn left(&self) -> String {
        format!("OUT has {} elements, {} bytes", self.frame.count, self.frame.data)
    }

    /// Moves; gives how long that took, without the time for files.
    fn run(self, args: &Relayout, progress: bool) -> Result<Duration, Failure> {
        let Job { source, tensor, plan, frame, value, .. } = self;
        let unwritten = |error| Failure::File("write", args.output.clone(), error);
        let mut output = OutputFile::create(&args.output, frame.header.len() + frame.data).map_err(unwritten)?;
        let (header, data) = output.bytes().split_at_mut(frame.header.len());
        header.copy_from_slice(&frame.header);
        let from = source.bytes().get(tensor.data).unwrap_or(&[]);
        let held = i128::from(plan.elements()) * i128::from(plan.element().bits());
        let has_holes = i128::try_from(data.len()).is_ok_and(|bytes| held < 8 * bytes);
        let started = Instant::now();
        on_threads(args.threads, || {
            if let Some(value) = value.filter(|_| has_holes) {
                fill(data, plan.element(), &value)?;
            }
            if !progress || plan.moved_bytes() < LONG {
                return plan.run(from, data);
            }
            let bar = bar();
            let told = |done: usize, all: usize| {
                bar.set_length(u64::try_from(all).unwrap_or(u64::MAX));
                bar.set_position(u64::try_from(done).unwrap_or(u64::MAX));
            };
            let ran = plan.run_in_parts(from, data, PART, told);
            bar.finish_and_clear();
            ran
        })?;
        let elapsed = started.elapsed();
        // Some systems do not replace a file that is mapped.
        drop(source);
        output.commit().map_err(unwritten)?;
        Ok(elapsed)
    }
}

/// What the layouts count: as asked, else as the file says, else as a layout of XLA does; refused where one says
/// otherwise.
fn element(asked: Option<&str>, tensor: &Tensor, sides: [&Side; 2]) -> Result<Dtype, Error> {
    let typed = sides.iter().find_map(|side| side.dtype());
    let element = match (asked, &tensor.dtype) {
        (Some(asked), own) => {
            let asked = Dtype::read(asked)?;
            let big_endian = own.as_ref().is_some_and(|own| own.big_endian && own.bits == asked.bits);
            Dtype { big_endian, ..asked }
        }
        (None, Some(own)) => own.clone(),
        (None, None) => typed.ok_or_else(|| {
            let message = "nothing says how large an element of a plain file is";
            Error::new(Code::Syntax("needs-element"), message)
                .with_help("--element 16, or a type such as --element bf16")
        })?,
    };
    for side in sides {
        side.agrees(&element, "IN", "--element says what IN has")?;
    }
    Ok(element)
}

/// Refuses data that is shorter than its layout; a note for data that goes on behind it.
fn fits(plan: &Plan, tensor: &Tensor, from: &Side, element: &Dtype) -> Result<Option<String>, Error> {
    let (has, needs) = (tensor.data.len(), plan.source_bytes());
    let bits = usize::try_from(element.bits).unwrap_or(1);
    if has < needs {
        let message = format!(
            "IN has {has} bytes, {} elements of {}; {} reaches {needs} bytes, {} elements",
            has * 8 / bits,
            element.name,
            from.text,
            needs * 8 / bits
        );
        return Err(Error::new(Code::Range, message));
    }
    // Padding behind the last element belongs to the layout.
    let spans = from.map.codomain().first().filter(|_| from.map.is_tight() && from.map.codomain().len() == 1);
    let spans =
        spans.and_then(|axis| usize::try_from(axis.extent).ok()?.checked_mul(bits)).map_or(0, |bits| bits.div_ceil(8));
    let behind = has - needs.max(spans).min(has);
    Ok((behind > 0).then(|| format!("the last {behind} of {has} bytes of IN lie behind {}", from.text)))
}

/// Extents such as `8,64` or `(8,64)`.
fn extents(text: &str) -> Result<Vec<u64>, Error> {
    let inside = text.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    let extents = inside.split(',').map(str::trim).filter(|extent| !extent.is_empty());
    extents
        .map(|extent| {
            let message = format!("`{extent}` of the shape {text} is no extent");
            extent.parse().map_err(|_| Error::new(Code::Syntax("bad-number"), message))
        })
        .collect()
}

fn same_file(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(one).is_some_and(|one| whole(other) == Some(one))
}

/// Does work on so many threads.
fn on_threads(threads: Option<u16>, work: impl FnOnce() -> Result<(), Error> + Send) -> Result<(), Error> {
    let Some(threads) = threads else { return work() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build();
    pool.map_err(|why| Error::new(Code::TooLarge, format!("{threads} threads cannot be had: {why}")))?.install(work)
}

/// A bar on standard error.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {percent}% of {total_bytes}, {bytes_per_sec}, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
