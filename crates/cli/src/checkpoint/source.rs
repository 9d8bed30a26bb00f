//! [`Checkpoint`]: the tensors of a folder, each with the pieces that files have of it.
//!
//! The files are `.safetensors`, those that `.metadata` of `torch.distributed.checkpoint` names, or chunks of Zarr. A tensor may be whole in one file, which
//! an index may name, or in pieces with their offsets. Law: the pieces of a tensor cover
//! it, and no two overlap; what is there several times is read once.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error, error};
use bitstride_formats::weight_map;

use super::dcp;
use super::header::{self, Stored};
use super::region::Region;
use super::zarr::{self, Chunk};
use super::{Failure, failed, read_within};

/// The index of a checkpoint of whole tensors.
const INDEX: &str = ".safetensors.index.json";

/// A longer index is not read.
const MAX_INDEX: u64 = 1 << 28;

/// More pairs of pieces are not held against each other.
const MAX_PAIRS: usize = 1 << 24;

/// A part of a tensor in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The file, by number.
    pub(crate) file: usize,
    /// Where its data begins there.
    pub(crate) start: u64,
    pub(crate) region: Region,
    /// How it lies in its file, where it is a chunk of a grid.
    pub(super) chunk: Option<Chunk>,
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
    /// What is there and is no tensor, such as the number of steps; it is not written.
    pub(crate) others: Vec<String>,
}

impl Checkpoint {
    /// Reads the headers of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        if folder.join(dcp::METADATA).exists() {
            let dcp::Found { files, stored, shapes, others } = dcp::read(folder)?;
            let tensors = stored.into_iter().map(|(name, pieces)| {
                let shape = shapes.get(&name).map(Vec::as_slice);
                whole(name, &pieces, shape)
            });
            return Ok(Checkpoint { files, tensors: tensors.collect::<Result<_, _>>()?, others });
        }
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
            let Some(found) = zarr::read(folder)? else {
                return Err(error!(
                    Code::Syntax("file"),
                    "{folder} has no .safetensors files, and no arrays of Zarr",
                    [folder = folder.display()]
                )
                .into());
            };
            let tensors = found.tensors.into_iter().map(|(name, shape, pieces)| whole(name, &pieces, Some(&shape)));
            let tensors = tensors.collect::<Result<_, _>>()?;
            return Ok(Checkpoint { files: found.files, tensors, others: Vec::new() });
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
        let tensors = stored.into_iter().map(|(name, pieces)| whole(name, &pieces, None)).collect::<Result<_, _>>()?;
        Ok(Checkpoint { files, tensors, others: Vec::new() })
    }
}

impl Checkpoint {
    /// The bytes of all tensors.
    pub(super) fn bytes(&self) -> u64 {
        let size = |tensor: &Whole| tensor.shape.iter().fold(tensor.width, |all, extent| all.saturating_mul(*extent));
        self.tensors.iter().map(|tensor| u64::try_from(size(tensor)).unwrap_or(0)).fold(0, u64::saturating_add)
    }
}

/// Keeps of each tensor that an index names what is in the file that it names.
fn indexed(
    index: &Path,
    files: &[PathBuf],
    stored: &mut BTreeMap<String, Vec<(usize, Stored)>>,
) -> Result<(), Failure> {
    let text = read_within(index, MAX_INDEX)?;
    let refused = |message: String| {
        Failure::Refused(error!(Code::Syntax("file"), "{index}: {message}", [index = index.display(), message]))
    };
    let text = String::from_utf8(text).map_err(|error| refused(error.to_string()))?;
    let names = weight_map(&text).map_err(|error| error.about(index.display()))?;
    for (name, file) in names {
        let number = files.iter().position(|path| path.file_name().is_some_and(|own| own == file.as_str()));
        let Some(number) = number else {
            return Err(refused(format!("tensor {name} is in {file:?}, which is no file beside it")));
        };
        let own = stored.get_mut(&name).filter(|own| own.iter().any(|(at, _)| *at == number));
        let Some(own) = own else { return Err(refused(format!("{file} has no tensor {name}"))) };
        // Pieces of one tensor are in several files, whatever the index names.
        if own.iter().all(|(_, tensor)| tensor.region.is_none()) {
            own.retain(|(at, _)| *at == number);
        }
    }
    Ok(())
}

/// A tensor from its pieces; its extents are those that are said, or end where the pieces end.
fn whole(name: String, stored: &[(usize, Stored)], said: Option<&[i64]>) -> Result<Whole, Error> {
    let refused = |message: String| error!(Code::Syntax("file"), "tensor {name}: {message}", [name, message]);
    let Some((_, first)) = stored.first() else { return Err(refused("it has no piece".to_owned())) };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut known = HashSet::new();
    let mut shape = said.unwrap_or(&first.shape).to_vec();
    for (file, tensor) in stored {
        if tensor.dtype != first.dtype || tensor.shape.len() != first.shape.len() {
            return Err(refused(format!(
                "{:?} {} and {:?} {} are pieces of one tensor",
                first.shape, first.dtype, tensor.shape, tensor.dtype
            )));
        }
        if tensor.region.is_none() && stored.len() > 1 {
            return Err(refused("it is in several files, and they do not say which part each has".to_owned()));
        }
        let whole = || Region::of_box(&vec![0; tensor.shape.len()], &tensor.shape);
        let region = tensor.region.clone().or_else(whole).unwrap_or(Region(Vec::new()));
        for (extent, end) in shape.iter_mut().zip(region.ends()) {
            *extent = end.max(*extent);
        }
        if !region.is_empty() && known.insert(region.clone()) {
            pieces.push(Piece { file: *file, start: tensor.start, region, chunk: tensor.chunk.clone() });
        }
    }
    if shape.is_empty() {
        shape.push(1);
        for piece in &mut pieces {
            piece.region.0.push(vec![(0, 1)]);
            piece.chunk.iter_mut().for_each(|chunk| chunk.extents.push(1));
        }
    }
    let size = |shape: &[i64]| shape.iter().try_fold(1i64, |all, extent| all.checked_mul(*extent));
    let all = size(&shape).ok_or_else(|| refused("it has more elements than are counted".to_owned()))?;
    let covered = pieces.iter().filter_map(|piece| size(&piece.region.shape())).fold(0, i64::saturating_add);
    if covered != all {
        return Err(refused(format!("its pieces have {covered} elements of {all}")));
    }
    let rows = |piece: &Piece| piece.region.rows(0, i64::MAX).0;
    let first_row = |piece: &Piece| rows(piece).first().map_or(0, |(start, _)| *start);
    pieces.sort_by_cached_key(|piece| (first_row(piece), piece.region.0.get(1).cloned()));
    // Only pieces whose rows meet can overlap.
    let starts: Vec<i64> = pieces.iter().map(first_row).collect();
    let mut pairs = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let end = piece.region.ends().first().copied().unwrap_or(0);
        let later = pieces.iter().zip(&starts).skip(at + 1).take_while(|(_, start)| **start < end);
        for (other, _) in later {
            pairs += 1;
            if pairs > MAX_PAIRS {
                return Err(error!(
                    Code::TooLarge,
                    "tensor {name}: more than {max_pairs} pairs of its pieces may overlap",
                    [name, max_pairs = MAX_PAIRS]
                ));
            }
            if piece.region.overlaps(&other.region) {
                return Err(refused(format!("the pieces {:?} and {:?} overlap", piece.region.0, other.region.0)));
            }
        }
    }
    Ok(Whole { name, dtype: first.dtype.clone(), width: first.width, shape, pieces })
}
