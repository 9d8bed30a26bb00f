//! A checkpoint for another mesh whose tensors get another stored format on the way.
//!
//! Each file of the mesh is written as it is, repacked under its own name, and the first of the two removed. Law: a file has the bytes
//! that `repack` makes of the file that `reshard` alone would write; nothing stands under the name of the output before all files do, and a
//! run that was killed goes on with the files that are missing.

use std::fs;
use std::path::Path;

use bitstride::{Code, Error};
use bitstride_formats::{Names, Origin, Request, Rewrite, Zoo};
use serde_json::{Map, Value as Json};

use super::repack::{self, rewritten};
use super::repack_files::Input;
use crate::checkpoint::{BLOCKS, Checkpoint, Failure, OFFSETS, Report, Target, begun, check_absent, plan, write_file};
use crate::session::Session;

/// A file of the mesh before it is repacked.
const BEFORE: &str = "before.safetensors";

/// What was done, or why not.
type Outcome<T> = Result<T, repack::Failure>;

impl From<Failure> for repack::Failure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::File(what, path, error) => repack::Failure::File(what, path, error),
            Failure::Refused(error) => error.into(),
        }
    }
}

/// Writes the files of a target in another format, and gives them the sizes that they have.
pub(super) fn write(
    checkpoint: &Checkpoint,
    target: &mut Target,
    out: &Path,
    formats: &[String],
    session: &Session,
) -> Outcome<Report> {
    check_absent(out)?;
    let zoo = Zoo::builtin();
    let names: Vec<&str> = formats.iter().map(String::as_str).collect();
    let specs = zoo.specs(&names, None)?;
    let [from, to] = specs.as_slice() else { return Err(Error::new(Code::Arity, "two formats are needed").into()) };
    let renamed = Names::default();
    let request = Request { from, to, fields: &[], tensors: &[], names: &renamed };
    let in_file = |what: &'static str, path: &Path| {
        let path = path.to_owned();
        move |error| repack::Failure::File(what, path, error)
    };
    let said = format!("{}{from}\n{to}\n", plan(checkpoint, target)?);
    let (part, _) = begun(out, &said)?;
    let mut report = Report::default();
    for file in &target.files {
        let (before, path) = (part.join(BEFORE), part.join(&file.name));
        if path.exists() {
            report.kept += 1;
            continue;
        }
        if before.exists() {
            fs::remove_file(&before).map_err(in_file("remove", &before))?;
        }
        report.read += write_file(checkpoint, file, &before)?;
        let rewrite = rewritten(Input::open(&before)?, &path, &request, zoo, false, forget_offsets, session)?;
        report.written += rewrite.tensors.iter().map(|own| u64::try_from(own.bytes).unwrap_or(0)).sum::<u64>();
        fs::remove_file(&before).map_err(in_file("remove", &before))?;
    }
    for file in &mut target.files {
        let path = part.join(&file.name);
        file.size = path.metadata().map_err(in_file("read", &path))?.len();
    }
    let wanted = |name: &std::ffi::OsStr| target.files.iter().any(|file| *name == *file.name);
    for entry in fs::read_dir(&part).map_err(in_file("read", &part))? {
        let path = entry.map_err(in_file("read", &part))?.path();
        if path.file_name().is_none_or(|name| !wanted(name)) {
            fs::remove_file(&path).map_err(in_file("remove", &path))?;
        }
    }
    fs::rename(&part, out).map_err(in_file("rename", &part))?;
    Ok(report)
}

/// Of tensors that are made, their place in the whole tensor is no more one of elements: only those that are kept have one.
fn forget_offsets(rewrite: &mut Rewrite) {
    for key in [OFFSETS, BLOCKS] {
        let Some(text) = rewrite.about.get_mut(key) else { continue };
        let Ok(mut all) = serde_json::from_str::<Map<String, Json>>(text) else { continue };
        let is_kept =
            |name: &str| rewrite.tensors.iter().any(|own| own.name == name && matches!(own.origin, Origin::Copied(_)));
        all.retain(|name, _| is_kept(name));
        *text = Json::Object(all).to_string();
    }
}
