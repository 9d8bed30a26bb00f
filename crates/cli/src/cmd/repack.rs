//! `bitstride repack`: the tensors of a file in another stored layout.
//!
//! As JSON it is `{"kind": "repack", "value", "tensors", "left_out"}`, with a name, type and shape for each tensor that is made.

use std::fs;
use std::io;
use std::path::PathBuf;

use bitstride::{Code, Error};
use bitstride_formats::{Made, Names, Origin, Request, Rewrite};
use indicatif::ProgressBar;
use serde_json::{Map, Value as Json, json};

use super::formats::{self, zoo};
use super::relayout::{PROGRESS_MIN_BYTES, bar, commit, output};
use super::repack_files::{Input, OutKind, Output};
use crate::args::Repack;
#[cfg(unix)]
use crate::interrupt;
use crate::session::Session;
use crate::tensors::Kind;
use crate::threads::on_threads;

/// Why nothing was repacked.
pub(super) enum Failure {
    Question(formats::Failure),
    File(&'static str, PathBuf, io::Error),
}

impl<T: Into<formats::Failure>> From<T> for Failure {
    fn from(error: T) -> Self {
        Failure::Question(error.into())
    }
}

/// What was done, or would be.
struct Done {
    rewrite: Rewrite,
    /// The tensors that OUT cannot hold.
    left_out: Vec<String>,
}

pub(crate) fn run(args: &Repack, session: &mut Session) -> io::Result<u8> {
    let done = repack(args, session);
    #[cfg(unix)]
    interrupt::ends();
    match done {
        Ok(done) => report(args, &done, session),
        Err(Failure::Question(failure)) => failure.report(session),
        Err(Failure::File(what, path, error)) => session.no_file(what, &path, &error),
    }
}

fn report(args: &Repack, done: &Done, session: &mut Session) -> io::Result<u8> {
    let Done { rewrite, left_out } = done;
    let made: Vec<&Made> = rewrite.tensors.iter().filter(|tensor| is_made(tensor)).collect();
    let bytes: usize = made.iter().map(|tensor| tensor.bytes).sum();
    let kept = rewrite.tensors.len() - made.len();
    let does = if args.plan { "would be made" } else { "made" };
    let mut value =
        format!("{} tensors {does}, {bytes} bytes, of {} groups; {kept} kept", made.len(), rewrite.jobs.len());
    if !left_out.is_empty() {
        value += &format!("; {} left out, which OUT cannot hold", left_out.len());
    }
    if session.json {
        let tensors: Vec<Json> =
            made.iter().map(|own| json!({"name": own.name, "dtype": own.dtype, "shape": own.shape})).collect();
        session.object(Map::from_iter([
            ("kind".to_owned(), json!(if args.plan { "plan" } else { "repack" })),
            ("value".to_owned(), json!(value)),
            ("tensors".to_owned(), json!(tensors)),
            ("left_out".to_owned(), json!(left_out)),
        ]))?;
        return Ok(0);
    }
    session.line(&value)?;
    if args.plan {
        for tensor in made {
            let shape: Vec<String> = tensor.shape.iter().map(ToString::to_string).collect();
            session.line(&format!("  {} {}[{}]", tensor.name, tensor.dtype, shape.join(",")))?;
        }
    }
    Ok(0)
}

fn is_made(tensor: &Made) -> bool {
    matches!(tensor.origin, Origin::Made(..))
}

fn repack(args: &Repack, session: &Session) -> Result<Done, Failure> {
    let zoo = zoo(&args.stored)?;
    let specs = zoo.specs(&[&args.from, &args.to], args.stored.shape.as_deref())?;
    let [from, to] = specs.as_slice() else { return Err(Error::new(Code::Arity, "two formats are needed").into()) };
    let names = match &args.rename {
        None => Names::default(),
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|error| Failure::File("read", path.clone(), error))?;
            Names::read(&text).map_err(|error| error.about(path.display()))?
        }
    };
    let input = Input::open(&args.input)?;
    let request = Request { from, to, fields: &args.fields, tensors: &args.tensors, names: &names };
    let mut rewrite = Rewrite::new(&input.container, &request, &zoo)?;
    let into = OutKind::of(&args.output);
    let (held, left_out) = rewrite.tensors.into_iter().partition(|tensor| is_made(tensor) || into.keeps(tensor));
    rewrite.tensors = held;
    // An array or plain bytes hold one tensor, and say nothing of others.
    let left_out = if matches!(into, OutKind::Other(Kind::Npy | Kind::Plain)) { Vec::new() } else { left_out };
    let left_out = left_out.into_iter().map(|tensor: Made| tensor.name).collect();
    let out = Output::new(&args.output, into, &input, &rewrite)?;
    if !args.plan {
        write(input, &out, &rewrite, session)?;
    }
    Ok(Done { rewrite, left_out })
}

fn write(input: Input, out: &Output, rewrite: &Rewrite, session: &Session) -> Result<(), Failure> {
    let total = out.files.iter().fold(0usize, |sum, file| sum.saturating_add(file.bytes));
    let bar = if session.progress && total >= PROGRESS_MIN_BYTES { bar() } else { ProgressBar::hidden() };
    bar.set_length(u64::try_from(total).unwrap_or(u64::MAX));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut input, mut before) = (Some(input), 0usize);
    for (number, file) in out.files.iter().enumerate() {
        let unwritten = |error| Failure::File("write", file.path.clone(), error);
        let mut written = output(&file.path, file.bytes, session.process).map_err(unwritten)?;
        let whole = written.bytes();
        whole.iter_mut().zip(&file.header).for_each(|(byte, own)| *byte = *own);
        let targets = file.targets(rewrite, whole);
        let numbers: Vec<usize> = file.tensors.iter().map(|(number, _)| *number).collect();
        let progress = |done: usize| bar.set_position(u64::try_from(before.saturating_add(done)).unwrap_or(u64::MAX));
        let files = input.as_ref().map(Input::bytes).unwrap_or_default();
        on_threads(threads, || rewrite.run(&files, &numbers, targets, progress))?;
        if number + 1 == out.files.len() {
            // Some systems do not replace a file that is mapped.
            input = None;
        }
        commit(written).map_err(unwritten)?;
        before = before.saturating_add(file.bytes);
    }
    if let Some((path, text)) = &out.index {
        let unwritten = |error| Failure::File("write", path.clone(), error);
        let mut written = output(path, text.len(), session.process).map_err(unwritten)?;
        written.bytes().copy_from_slice(text.as_bytes());
        commit(written).map_err(unwritten)?;
    }
    bar.finish_and_clear();
    Ok(())
}
