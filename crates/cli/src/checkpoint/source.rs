//! [`Checkpoint`]: the tensors of a folder of `.safetensors` files, each with the pieces that files have of it.
//!
//! A tensor may be whole in one file, which an index may name, or in pieces with their offsets. Law: the pieces of a tensor cover
//! it, and no two overlap; what is there several times is read once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error};
use serde_json::Value as Json;

use super::header::{self, Stored};
use super::{Failure, failed};

/// The index of a checkpoint of whole tensors.
const INDEX: &str = ".safetensors.index.json";

/// A box of a tensor in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The file, by number.
    pub(crate) file: usize,
    /// Where its data begins there.
    pub(crate) start: u64,
    /// Where it begins in the tensor.
    pub(crate) offsets: Vec<i64>,
    pub(crate) shape: Vec<i64>,
}

/// A tensor of a checkpoint. A tensor without dims is one of a single row here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) name: String,
    pub(crate) dtype: String,
    /// The bytes of an element.
    pub(crate) width: i64,
    pub(crate) shape: Vec<i64>,
    pub(crate) pieces: Vec<Piece>,
}

/// The tensors of a folder, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) tensors: Vec<Whole>,
}

impl Checkpoint {
    /// Reads the headers of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let (mut files, mut indices) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(folder).map_err(failed("read", folder))? {
            let path = entry.map_err(failed("read", folder))?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.ends_with(".safetensors") {
                files.push(path);
            } else if name.ends_with(INDEX) {
                indices.push(path);
            }
        }
        files.sort();
        if files.is_empty() {
            let message = format!("{} has no .safetensors files", folder.display());
            return Err(Error::new(Code::Syntax("file"), message).into());
        }
        let mut stored: BTreeMap<String, Vec<(usize, Stored)>> = BTreeMap::new();
        for (number, path) in files.iter().enumerate() {
            for tensor in header::read(path)? {
                stored.entry(tensor.name.clone()).or_default().push((number, tensor));
            }
        }
        for index in &indices {
            indexed(index, &files, &mut stored)?;
        }
        let tensors = stored.into_iter().map(|(name, pieces)| whole(name, &pieces)).collect::<Result<_, _>>()?;
        Ok(Checkpoint { files, tensors })
    }
}

/// Keeps of each tensor that an index names what is in the file that it names.
fn indexed(
    index: &Path,
    files: &[PathBuf],
    stored: &mut BTreeMap<String, Vec<(usize, Stored)>>,
) -> Result<(), Failure> {
    let text = fs::read_to_string(index).map_err(failed("read", index))?;
    let refused =
        |message: String| Failure::Refused(Error::new(Code::Syntax("file"), format!("{}: {message}", index.display())));
    let read: Json = serde_json::from_str(&text).map_err(|error| refused(format!("the index is not read: {error}")))?;
    let Some(names) = read.get("weight_map").and_then(Json::as_object) else {
        return Err(refused("the index has no weight_map".to_owned()));
    };
    for (name, file) in names {
        let file = file.as_str().unwrap_or_default();
        let number = files.iter().position(|path| path.file_name().is_some_and(|own| own == file));
        let Some(number) = number else {
            return Err(refused(format!("tensor {name} is in {file:?}, which is no file beside it")));
        };
        let own = stored.get_mut(name).filter(|own| own.iter().any(|(at, _)| *at == number));
        let Some(own) = own else { return Err(refused(format!("{file} has no tensor {name}"))) };
        // Pieces of one tensor are in several files, whatever the index names.
        if own.iter().all(|(_, tensor)| tensor.offsets.is_none()) {
            own.retain(|(at, _)| *at == number);
        }
    }
    Ok(())
}

/// A tensor from its pieces.
fn whole(name: String, stored: &[(usize, Stored)]) -> Result<Whole, Error> {
    let refused = |message: String| Error::new(Code::Syntax("file"), format!("tensor {name}: {message}"));
    let Some((_, first)) = stored.first() else { return Err(refused("it has no piece".to_owned())) };
    let row = |list: &[i64], single: i64| if list.is_empty() { vec![single] } else { list.to_vec() };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut shape = row(&first.shape, 1);
    for (file, tensor) in stored {
        if tensor.dtype != first.dtype || tensor.shape.len() != first.shape.len() {
            return Err(refused(format!(
                "{:?} {} and {:?} {} are pieces of one tensor",
                first.shape, first.dtype, tensor.shape, tensor.dtype
            )));
        }
        if tensor.offsets.is_none() && stored.len() > 1 {
            return Err(refused("it is in several files, and they do not say which part each has".to_owned()));
        }
        let own = row(&tensor.shape, 1);
        let offsets = row(tensor.offsets.as_deref().unwrap_or(&vec![0; tensor.shape.len()]), 0);
        for ((extent, offset), own) in shape.iter_mut().zip(&offsets).zip(&own) {
            let end = offset.checked_add(*own).ok_or_else(|| refused("a piece ends beyond all numbers".to_owned()))?;
            *extent = end.max(*extent);
        }
        let piece = Piece { file: *file, start: tensor.start, offsets, shape: own };
        let is_known = pieces.iter().any(|other| other.offsets == piece.offsets && other.shape == piece.shape);
        if !is_known && piece.shape.iter().all(|extent| *extent > 0) {
            pieces.push(piece);
        }
    }
    let size = |shape: &[i64]| shape.iter().try_fold(1i64, |all, extent| all.checked_mul(*extent));
    let all = size(&shape).ok_or_else(|| refused("it has more elements than are counted".to_owned()))?;
    let covered: i64 = pieces.iter().filter_map(|piece| size(&piece.shape)).fold(0, i64::saturating_add);
    if covered != all {
        return Err(refused(format!("its pieces have {covered} elements of {all}")));
    }
    pieces.sort_by(|one, other| one.offsets.cmp(&other.offsets));
    // Only pieces whose rows meet can overlap.
    for (at, piece) in pieces.iter().enumerate() {
        let end = piece.offsets.first().zip(piece.shape.first()).map_or(0, |(offset, extent)| offset + extent);
        let later =
            pieces.iter().skip(at + 1).take_while(|other| other.offsets.first().is_some_and(|start| *start < end));
        if let Some(other) = later.into_iter().find(|other| overlap(piece, other)) {
            return Err(refused(format!("the pieces at {:?} and {:?} overlap", piece.offsets, other.offsets)));
        }
    }
    Ok(Whole { name, dtype: first.dtype.clone(), width: first.width, shape, pieces })
}

fn overlap(one: &Piece, other: &Piece) -> bool {
    let dims = one.offsets.iter().zip(&one.shape).zip(other.offsets.iter().zip(&other.shape));
    dims.into_iter().all(|((start, extent), (other_start, other_extent))| {
        start < &(other_start + other_extent) && other_start < &(start + extent)
    })
}
