//! `bitstride reshard`: the operation `reshard` on two tensors over devices, as JSON the bytes of each device and all that moves; or a
//! checkpoint that is written for another mesh.

use std::fs;
use std::io;
use std::path::Path;

use bitstride::{Code, Error, error};
use bitstride_lang::evaluate_in;
use indicatif::ProgressBar;
use serde_json::{Map, json};

use super::relayout::{PROGRESS_MIN_BYTES, bar};
use super::repack;
use crate::args::Reshard;
use crate::checkpoint::{
    Checkpoint, Report, Rules, Sequence, Target, Verified, is_zarr, write, write_file, write_zarr,
};
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Reshard, session: &mut Session) -> io::Result<u8> {
    let (source, target) = match (text_of(&args.source), text_of(&args.to)) {
        (Ok(source), Ok(target)) => (source, target),
        (Err(error), _) | (_, Err(error)) => return session.refuse("", &error),
    };
    if let Some(out) = &args.out {
        return match checkpoint(args, Path::new(source), out, target, session) {
            Ok((checkpoint, target, report)) => said(args, &checkpoint, &target, report, session),
            Err(repack::Failure::File(what, path, error)) => session.no_file(what, &path, &error),
            Err(repack::Failure::Question(failure)) => failure.report(session),
        };
    }
    if !session.json {
        if args.device.is_some() {
            let message = "--device lists pieces, which are in the answer of --json only";
            return session.refuse("", &Error::new(Code::Kind, message));
        }
        return session.evaluate(&format!("reshard({source}, {target})"));
    }
    match object(source, target, args.device, session) {
        Ok(object) => {
            session.object(object)?;
            Ok(0)
        }
        Err((text, error)) => session.refuse(&text, &error),
    }
}

fn object(
    source: &str,
    target: &str,
    device: Option<i64>,
    session: &Session,
) -> Result<Map<String, serde_json::Value>, (String, Error)> {
    let sharding = |text: &str| {
        let answer = evaluate_in(text, session.ints.reading(), &session.names);
        answer.and_then(|answer| answer.value.as_sharding()).map_err(|error| (text.to_owned(), error))
    };
    bitstride_json::reshard(&sharding(source)?, &sharding(target)?, device).map_err(|error| (String::new(), error))
}

/// Writes a checkpoint, unless it is only to be said what would be written.
fn checkpoint(
    args: &Reshard,
    source: &Path,
    out: &Path,
    mesh: &str,
    session: &Session,
) -> Result<(Checkpoint, Target, Option<Report>), repack::Failure> {
    let memory = bytes(&args.memory)?;
    let rules = match &args.rules {
        None => Rules::default(),
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|error| repack::Failure::File("read", path.clone(), error))?;
            Rules::read(&text)?
        }
    };
    let checkpoint = Checkpoint::read(source)?;
    let mut target = Target::new(&checkpoint, mesh, &rules)?;
    if let Some(number) = args.file {
        let count = target.files.len();
        let found = number.checked_sub(1).and_then(|at| target.files.into_iter().nth(at));
        let missing = || error!(Code::Range, "file {number} of {count}; they are numbered from 1", [number, count]);
        target = Target { files: vec![found.ok_or_else(missing)?] };
    }
    let is_long = usize::try_from(target.bytes()).is_ok_and(|bytes| bytes >= PROGRESS_MIN_BYTES);
    let bar = if session.progress && is_long { bar() } else { ProgressBar::hidden() };
    let show = |done: u64, all: u64| {
        bar.set_length(all);
        bar.set_position(done);
    };
    let report = match (args.dry_run, args.file, target.files.as_slice()) {
        (true, ..) => None,
        (false, Some(_), [file]) if !is_zarr(out) => {
            let read = write_file(&checkpoint, file, out)?;
            Some(Report { read, written: file.data_bytes(), ..Report::default() })
        }
        _ if is_zarr(out) => {
            if args.file.is_some() || !args.repack.is_empty() {
                let message = "--file and --repack are of .safetensors files, and OUT is one of arrays of Zarr";
                return Err(Error::new(Code::Kind, message).into());
            }
            Some(write_zarr(&checkpoint, &target, out, args.verify, &show)?)
        }
        _ if !args.repack.is_empty() => {
            Some(super::reshard_repack::write(&checkpoint, &mut target, out, &args.repack, session)?)
        }
        _ => Some(write(&checkpoint, &target, out, memory, args.verify, &show)?),
    };
    bar.finish_and_clear();
    Ok((checkpoint, target, report))
}

/// What was written, or would be.
fn said(
    args: &Reshard,
    checkpoint: &Checkpoint,
    target: &Target,
    report: Option<Report>,
    session: &mut Session,
) -> io::Result<u8> {
    let (files, all) = (target.files.len(), target.bytes());
    let is_arrays = args.out.as_deref().is_some_and(is_zarr);
    if session.json {
        let mut object = Map::new();
        if is_arrays {
            object.insert("arrays".into(), json!(checkpoint.tensors.len()));
        } else {
            let names: Vec<_> =
                target.files.iter().map(|file| json!({"name": file.name, "bytes": file.size})).collect();
            object.insert("files".into(), json!(names));
        }
        if !checkpoint.others.is_empty() {
            object.insert("left_out".into(), json!(checkpoint.others));
        }
        if let (true, Some(_), [file]) = (args.dry_run, args.file, target.files.as_slice()) {
            match Sequence::new(checkpoint, file) {
                Ok(sequence) => object.insert("reads".into(), reads(checkpoint, &sequence)),
                Err(error) => return session.refuse("", &error),
            };
        }
        if let Some(report) = report {
            object.insert("read".into(), json!(report.read));
            object.insert("written".into(), json!(report.written));
            object.insert("kept".into(), json!(report.kept));
            if let Some(Verified { parts, bytes }) = report.verified {
                let counted = if is_arrays { "chunks" } else { "tensors" };
                object.insert("verified".into(), json!({counted: parts, "bytes": bytes}));
            }
        }
        session.object(object)?;
        return Ok(0);
    }
    match report {
        None if is_arrays => session.line(&format!("{} arrays would be written", checkpoint.tensors.len()))?,
        None => session.line(&format!("{files} files of {all} bytes would be written"))?,
        Some(Report { read, written, kept, verified }) if is_arrays => {
            let arrays = checkpoint.tensors.len();
            session.line(&format!("{arrays} arrays: read {read} and wrote {written} bytes of data"))?;
            if let Some(Verified { parts, bytes }) = verified {
                session.line(&format!("read back and equal: {bytes} bytes of {parts} chunks in {arrays} arrays"))?;
            }
            if kept > 0 {
                session.note(&format!("{kept} arrays were there from a run before"))?;
            }
        }
        Some(Report { read, written, kept, verified }) => {
            session.line(&format!("{files} files, {all} bytes: read {read} and wrote {written} bytes of data"))?;
            if let Some(Verified { parts, bytes }) = verified {
                session.line(&format!("read back and equal: {bytes} bytes of {parts} tensors in {files} files"))?;
            }
            if kept > 0 {
                session.note(&format!("{kept} tensors were there from a run before"))?;
            }
        }
    }
    if let [first, rest @ ..] = checkpoint.others.as_slice() {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        session.note(&format!("what is no tensor is left out: {first}{more}"))?;
    }
    Ok(0)
}

/// What is read of each file of the source, as `[path, from, length]`; the length is `null` where all of it is.
fn reads(checkpoint: &Checkpoint, sequence: &Sequence) -> serde_json::Value {
    // What a read from far away takes as long as a new one.
    const GAP: u64 = 1 << 18;
    let read = |(file, from, length): (usize, u64, u64)| {
        let path = checkpoint.files.get(file).map(|path| path.to_string_lossy().into_owned());
        json!([path, from, (length != u64::MAX).then_some(length)])
    };
    sequence.reads(checkpoint, GAP).into_iter().map(read).collect()
}

/// A number of bytes: `4GiB`, `256MiB`, `1000`.
pub(super) fn bytes(text: &str) -> Result<i64, Error> {
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1_i64 << 30)];
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit))).unwrap_or((text, 1));
    let parsed =
        number.trim().parse::<i64>().ok().and_then(|number| number.checked_mul(unit)).filter(|bytes| *bytes > 0);
    parsed.ok_or_else(|| error!(Code::Syntax("bytes"), "{text} is no number of bytes, such as 256MiB", [text]))
}
