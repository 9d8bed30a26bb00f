//! The header of a `.safetensors` file of a checkpoint: its tensors, with the parts of whole ones that they are.

use std::path::Path;

use bitstride::{Code, Error};
use bitstride_formats::{Container, Kind};
use bitstride_relayout::SourceFile;
use serde_json::{Map, Value as Json};

use super::region::{Block, Region};
use super::zarr::Chunk;
use super::{Failure, failed};

/// What a header calls its texts about the file.
pub(super) const ABOUT: &str = "__metadata__";

/// The text in which PyTorch's `save_distributed` says where the tensors of a file begin in the whole ones.
pub(crate) const OFFSETS: &str = "DCP_SHARDING_INFO";

/// The text in which we say which blocks of indices the tensors of a file have, where these are no box.
pub(crate) const BLOCKS: &str = "BITSTRIDE_BLOCKS";

/// A tensor of a file, or what a part of a file has of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) name: String,
    /// As headers write it: `F32`.
    pub(super) dtype: String,
    /// The bytes of an element.
    pub(super) width: i64,
    pub(super) shape: Vec<i64>,
    /// Where its data begins in the file.
    pub(super) start: u64,
    /// What it is of the whole tensor, where the file says it.
    pub(super) region: Option<Region>,
    /// How it lies in its file, where it is a chunk of a grid.
    pub(super) chunk: Option<Chunk>,
}

/// The tensors of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Stored>, Failure> {
    let file = SourceFile::open(path).map_err(failed("read", path))?;
    tensors(file.bytes()).map_err(|error| Failure::Refused(error.about(path.display())))
}

fn tensors(bytes: &[u8]) -> Result<Vec<Stored>, Error> {
    let refused = |message: String| Error::new(Code::Syntax("file"), message);
    let container = Container::read(bytes)?;
    if container.kind != Kind::Safetensors {
        return Err(refused("it is no .safetensors file".to_owned()));
    }
    let about = |key: &str| match container.about.get(key) {
        Some(text) => serde_json::from_str(text).map_err(|error| refused(format!("{key} is not read: {error}"))),
        None => Ok(Map::new()),
    };
    let (offsets, blocks): (Map<String, Json>, Map<String, Json>) = (about(OFFSETS)?, about(BLOCKS)?);
    let mut all = Vec::new();
    for entry in container.tensors {
        let name = entry.name;
        let elements = entry.shape.iter().try_fold(1i64, |all, extent| all.checked_mul(*extent));
        let elements = elements.ok_or_else(|| Error::overflow("the elements of a tensor"))?;
        let bytes = i64::try_from(entry.data.len()).map_err(|_| Error::overflow("the bytes of a tensor"))?;
        // Of a tensor without elements nothing is moved.
        let width = if elements == 0 { 1 } else { bytes / elements };
        if width == 0 || width * elements != bytes {
            return Err(refused(format!(
                "tensor {name} has elements of type {}, which is none of whole bytes",
                entry.dtype
            )));
        }
        let region = match (blocks.get(&name), offsets.get(&name)) {
            (Some(own), _) => {
                let own = regions(own).filter(|own| own.shape() == entry.shape);
                let message = format!("tensor {name} has no ascending blocks of indices that its shape counts");
                Some(own.ok_or_else(|| refused(message))?)
            }
            (None, Some(own)) => {
                let own = numbers(own.get("saved_offsets")).filter(|own| own.len() == entry.shape.len());
                let message = format!("tensor {name} has no saved_offsets, one for each dim");
                let own = own.ok_or_else(|| refused(message))?;
                let message = format!("tensor {name}: a piece ends beyond all numbers");
                Some(Region::of_box(&own, &entry.shape).ok_or_else(|| refused(message))?)
            }
            (None, None) => None,
        };
        let start = u64::try_from(entry.data.start).map_err(|_| Error::overflow("an offset"))?;
        all.push(Stored {
            name,
            dtype: entry.dtype.to_uppercase(),
            width,
            shape: entry.shape,
            start,
            region,
            chunk: None,
        });
    }
    Ok(all)
}

/// A list of numbers, none below 0.
fn numbers(list: Option<&Json>) -> Option<Vec<i64>> {
    let list = list?.as_array()?;
    list.iter().map(|number| number.as_i64().filter(|number| *number >= 0)).collect()
}

/// Blocks of indices along each dim, ascending and apart.
fn regions(dims: &Json) -> Option<Region> {
    let block = |pair: &Json| match numbers(Some(pair))?.as_slice() {
        [start, end] if start < end => Some((*start, *end)),
        _ => None,
    };
    let blocks = |dim: &Json| {
        let blocks: Vec<Block> = dim.as_array()?.iter().map(block).collect::<Option<_>>()?;
        blocks.is_sorted_by(|(_, end), (start, _)| end < start).then_some(blocks)
    };
    dims.as_array()?.iter().map(blocks).collect::<Option<_>>().map(Region)
}
