//! A checkpoint written as arrays of Zarr, version 3: a folder a tensor, whose chunks are what the devices of a mesh hold.
//!
//! Law: every element is in the chunk that the grid of its array says, and copies are there once. Only shards on a regular grid are such
//! chunks; others are refused. Source: the Zarr specification, version 3.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error, error};
use serde_json::json;

use super::copy::{Report, Verified, differs, plan};
use super::part::{PLAN, begun, check_absent};
use super::region::Region;
use super::sequence::{Sequence, compare_sequence, write_sequence};
use super::source::{Checkpoint, Whole};
use super::target::Target;
use super::{Failure, failed};

/// A tensor as an array.
struct Array {
    metadata: String,
    /// The extents of a chunk.
    extents: Vec<i64>,
    /// What each chunk has of the tensor, by its number along each dim.
    chunks: BTreeMap<Vec<i64>, Region>,
}

/// Whether an output is one of arrays, by its name.
pub(crate) fn is_zarr(out: &Path) -> bool {
    out.extension().is_some_and(|end| end.eq_ignore_ascii_case("zarr"))
}

/// What the folder of all arrays says of itself.
fn group() -> String {
    json!({"zarr_format": 3, "node_type": "group", "attributes": {}}).to_string()
}

/// Writes the shards of a target as chunks. Where `is_verified`, they are read back before they get their name, and an output that is there
/// already is compared only.
pub(crate) fn write_zarr(
    checkpoint: &Checkpoint,
    target: &Target,
    out: &Path,
    is_verified: bool,
    show: &dyn Fn(u64, u64),
) -> Result<Report, Failure> {
    if !is_verified {
        check_absent(out)?;
    }
    let arrays = checkpoint.tensors.iter().enumerate().map(|(number, tensor)| Array::new(tensor, number, target));
    let arrays = arrays.collect::<Result<Vec<_>, Error>>()?;
    if out.exists() {
        let verified = Some(verify(checkpoint, &arrays, out, show)?);
        return Ok(Report { verified, ..Report::default() });
    }
    let (part, _) = begun(out, &plan(checkpoint, target)?)?;
    let mut report = Report::default();
    let mut written = vec![part.join(PLAN)];
    let root = part.join("zarr.json");
    fs::write(&root, group()).map_err(failed("write", &root))?;
    for (number, (tensor, array)) in checkpoint.tensors.iter().zip(&arrays).enumerate() {
        let own = part.join(&tensor.name);
        folder(&own)?;
        let metadata = own.join("zarr.json");
        fs::write(&metadata, &array.metadata).map_err(failed("write", &metadata))?;
        let mut is_new = false;
        for (at, region) in &array.chunks {
            let path = chunk(&own, at);
            if path.exists() {
                continue;
            }
            is_new = true;
            path.parent().map_or(Ok(()), folder)?;
            let sequence = Sequence::of_part(checkpoint, number, region, &array.extents)?;
            report.read += write_sequence(checkpoint, &[], &sequence, &path)?;
            report.written += sequence.runs.iter().map(|run| run.length).sum::<u64>();
            show(report.read, checkpoint.bytes());
        }
        report.kept += usize::from(!is_new);
    }
    if is_verified {
        match verify(checkpoint, &arrays, &part, show) {
            Ok(verified) => report.verified = Some(verified),
            Err(failure) => {
                // Without its plan, the next run writes all of it again.
                fs::remove_file(part.join(PLAN)).map_err(failed("remove", &part))?;
                return Err(failure);
            }
        }
    }
    written.extend(left_over(&part)?);
    for path in written {
        fs::remove_file(&path).map_err(failed("remove", &path))?;
    }
    fs::rename(&part, out).map_err(failed("rename", &part))?;
    Ok(report)
}

/// The file of a chunk of an array, by its number along each dim.
fn chunk(array: &Path, at: &[i64]) -> PathBuf {
    let keys: PathBuf = at.iter().map(i64::to_string).collect();
    array.join("c").join(keys)
}

/// Compares the arrays of a folder with the source.
fn verify(checkpoint: &Checkpoint, arrays: &[Array], out: &Path, show: &dyn Fn(u64, u64)) -> Result<Verified, Failure> {
    let metadata = |path: PathBuf, wanted: &str| {
        let own = fs::read(&path).map_err(failed("read", &path))?;
        match own == wanted.as_bytes() {
            true => Ok(()),
            false => Err(Failure::Refused(differs(&path, "it does not say what was written".to_owned()))),
        }
    };
    metadata(out.join("zarr.json"), &group())?;
    let mut verified = Verified::default();
    for (number, (tensor, array)) in checkpoint.tensors.iter().zip(arrays).enumerate() {
        let own = out.join(&tensor.name);
        metadata(own.join("zarr.json"), &array.metadata)?;
        for (at, region) in &array.chunks {
            let sequence = Sequence::of_part(checkpoint, number, region, &array.extents)?;
            verified.bytes += compare_sequence(checkpoint, &sequence, &chunk(&own, at))?;
            verified.parts += 1;
            show(verified.bytes, checkpoint.bytes());
        }
    }
    Ok(verified)
}

fn folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(failed("create", path))
}

/// Chunks that a run which was killed did not finish: their names end with the number of a process.
fn left_over(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed("read", folder))? {
        let entry = entry.map_err(failed("read", folder))?;
        if entry.file_type().map_err(failed("read", folder))?.is_dir() {
            all.extend(left_over(&entry.path())?);
        } else if is_unfinished(&entry.file_name()) {
            all.push(entry.path());
        }
    }
    Ok(all)
}

fn is_unfinished(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    let parts = name.split_once('.');
    parts.is_some_and(|(chunk, process)| {
        [chunk, process].iter().all(|own| !own.is_empty() && own.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

impl Array {
    fn new(tensor: &Whole, number: usize, target: &Target) -> Result<Self, Error> {
        let refused = |code: Code, words: String| error!(code, "tensor {name}: {words}", [name = tensor.name, words]);
        let is_name =
            !tensor.name.is_empty() && !tensor.name.starts_with('.') && !tensor.name.contains(['/', '\\', '\0']);
        if !is_name || tensor.name == "zarr.json" || tensor.name == PLAN {
            return Err(refused(Code::Kind, "its name is none of a folder".to_owned()));
        }
        let Some((data_type, width)) = super::zarr::data_type(&tensor.dtype) else {
            return Err(refused(Code::Kind, format!("Zarr has no type {}", tensor.dtype)));
        };
        let regions = target.files.iter().filter_map(|file| file.parts.get(number)).map(|part| &part.region);
        let regions: Vec<&Region> = regions.filter(|region| !region.is_empty()).collect();
        let mut extents = vec![1i64; tensor.shape.len()];
        for region in &regions {
            for (extent, own) in extents.iter_mut().zip(region.shape()) {
                *extent = own.max(*extent);
            }
        }
        let mut chunks = BTreeMap::new();
        for region in regions {
            // A shard begins at a multiple of a chunk, and ends there or with the tensor.
            let starts = region.offsets(&tensor.shape);
            let on_grid = starts.filter(|starts| {
                let ends = region.ends();
                let dims = starts.iter().zip(&ends).zip(extents.iter().zip(&tensor.shape));
                dims.into_iter()
                    .all(|((start, end), (own, all))| start % own == 0 && (end - start == *own || end == all))
            });
            let Some(starts) = on_grid else {
                let words = format!("its shards are no chunks of one regular grid of {extents:?}: {:?}", region.0);
                return Err(refused(Code::NotALayout, words));
            };
            chunks.insert(starts.iter().zip(&extents).map(|(start, own)| start / own).collect(), region.clone());
        }
        let little = json!({"name": "bytes", "configuration": {"endian": "little"}});
        let codec = if width > 1 { little } else { json!({"name": "bytes"}) };
        let metadata = json!({
            "zarr_format": 3, "node_type": "array", "shape": tensor.shape, "data_type": data_type,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": extents}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": if data_type == "bool" { json!(false) } else { json!(0) },
            "codecs": [codec], "attributes": {},
        });
        Ok(Array { metadata: metadata.to_string(), extents, chunks })
    }
}
