//! `bitstride repack`: the tensors of a file in another stored layout.
//!
//! As JSON it is `{"kind": "repack", "value", "formats", "tensors"}`, with the names of each pair of formats, and a name, type and shape for each
//! tensor that is made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error, error};
use bitstride_formats::{Made, Names, Origin, Request, Rewrite, Zoo};
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

pub(crate) fn run(args: &Repack, session: &mut Session) -> io::Result<u8> {
    let done = repack(args, session);
    #[cfg(unix)]
    interrupt::ends();
    match done {
        Ok(rewrite) => report(args, &rewrite, session),
        Err(Failure::Question(failure)) => failure.report(session),
        Err(Failure::File(what, path, error)) => session.no_file(what, &path, &error),
    }
}

fn report(args: &Repack, rewrite: &Rewrite, session: &mut Session) -> io::Result<u8> {
    let made: Vec<&Made> = rewrite.tensors.iter().filter(|tensor| is_made(tensor)).collect();
    let bytes: usize = made.iter().map(|tensor| tensor.bytes).sum();
    let kept = rewrite.tensors.len() - made.len();
    let does = if args.plan { "would be made" } else { "made" };
    let value = format!("{} tensors {does}, {bytes} bytes, of {} groups; {kept} kept", made.len(), rewrite.jobs.len());
    if session.json {
        let tensors: Vec<Json> =
            made.iter().map(|own| json!({"name": own.name, "dtype": own.dtype, "shape": own.shape})).collect();
        session.object(Map::from_iter([
            ("kind".to_owned(), json!(if args.plan { "plan" } else { "repack" })),
            ("value".to_owned(), json!(value)),
            ("formats".to_owned(), json!(pairs(rewrite))),
            ("tensors".to_owned(), json!(tensors)),
        ]))?;
        return Ok(0);
    }
    session.line(&value)?;
    let pairs = pairs(rewrite);
    for [from, to] in pairs.iter().take(MAX_PAIRS) {
        session.line(&format!("  {from} -> {to}"))?;
    }
    if let Some(more) = pairs.len().checked_sub(MAX_PAIRS).filter(|more| *more > 0) {
        session.line(&format!("  and {more} more pairs of formats"))?;
    }
    if args.plan {
        for tensor in made {
            let shape: Vec<String> = tensor.shape.iter().map(ToString::to_string).collect();
            session.line(&format!("  {} {}[{}]", tensor.name, tensor.dtype, shape.join(",")))?;
        }
    }
    Ok(0)
}

/// The most pairs of formats that are printed.
const MAX_PAIRS: usize = 8;

/// The formats of IN and OUT with all their parameters, each pair once.
fn pairs(rewrite: &Rewrite) -> Vec<[&str; 2]> {
    let mut pairs: Vec<[&str; 2]> = Vec::new();
    for job in &rewrite.jobs {
        let own = [0, 1].map(|side: usize| job.formats.get(side).map_or("", |format| format.name.as_str()));
        if !pairs.contains(&own) {
            pairs.push(own);
        }
    }
    pairs
}

fn is_made(tensor: &Made) -> bool {
    matches!(tensor.origin, Origin::Made(..))
}

fn repack(args: &Repack, session: &Session) -> Result<Rewrite, Failure> {
    let zoo = zoo(&args.stored)?;
    let input = Input::open(&args.input)?;
    let from = match &args.from {
        Some(from) => from.clone(),
        None => input.format(&args.tensors, &zoo)?.to_string(),
    };
    let specs = zoo.specs(&[&from, &args.to], args.stored.shape.as_deref())?;
    let [from, to] = specs.as_slice() else { return Err(Error::new(Code::Arity, "two formats are needed").into()) };
    let names = match &args.rename {
        None => Names::default(),
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|error| Failure::File("read", path.clone(), error))?;
            Names::read(&text).map_err(|error| error.about(path.display()))?
        }
    };
    let request = Request { from, to, fields: &args.fields, tensors: &args.tensors, names: &names };
    rewritten(input, &args.output, &request, &zoo, args.plan, |_| (), session)
}

/// Writes OUT from IN, unless it is only to be said what would be written; `edit` changes what OUT says about itself.
pub(super) fn rewritten(
    input: Input,
    output: &Path,
    request: &Request<'_>,
    zoo: &Zoo,
    is_plan: bool,
    edit: impl FnOnce(&mut Rewrite),
    session: &Session,
) -> Result<Rewrite, Failure> {
    let mut rewrite = Rewrite::new(&input.container, request, zoo)?;
    edit(&mut rewrite);
    let into = OutKind::of(output);
    let (held, others): (_, Vec<Made>) =
        rewrite.tensors.into_iter().partition(|tensor| is_made(tensor) || into.keeps(tensor));
    rewrite.tensors = held;
    // An array or plain bytes hold one tensor, and say nothing of others.
    if !others.is_empty() && !matches!(into, OutKind::Other(Kind::Npy | Kind::Plain)) {
        return Err(unheld(&others).into());
    }
    if into != OutKind::Gguf {
        rewrite.about.append(&mut rewrite.blocks);
    }
    let out = Output::new(output, into, &input, &rewrite)?;
    if !is_plan {
        write(input, &out, &rewrite, session)?;
    }
    Ok(rewrite)
}

/// Refuses to leave out tensors that are kept.
fn unheld(others: &[Made]) -> Error {
    const NAMED: usize = 8;
    let names: Vec<String> = others.iter().take(NAMED).map(|own| format!("{} ({})", own.name, own.dtype)).collect();
    let more = if others.len() > NAMED { format!(" and {} more", others.len() - NAMED) } else { String::new() };
    error!(Code::Kind, "OUT has no type for tensors that are kept: {names}{more}", [names = names.join(", "), more])
        .with_help("a .safetensors file has types of whole bytes, a .gguf file those of ggml")
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
