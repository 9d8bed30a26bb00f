//! Checkpoints whose tensors are spread over files: read by their headers, and written again for another sharding.
//!
//! Law: the output has every element once for each device that holds it, and no byte of the source is read that no target needs.
//! Nothing stands under the final name before everything is written.

mod archive;
mod copy;
mod dcp;
mod header;
mod journal;
mod part;
mod pickle;
mod region;
mod rules;
mod sequence;
mod source;
mod target;
mod zarr;
mod zarr_shards;
mod zarr_target;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error, error};

pub(crate) use copy::{Report, Verified, plan, write};
pub use dcp::dcp_entries;
pub(crate) use header::{BLOCKS, OFFSETS};
pub(crate) use part::{begun, check_absent};
pub(crate) use rules::Rules;
pub(crate) use sequence::{Sequence, write_file};
pub(crate) use source::Checkpoint;
pub(crate) use target::Target;
pub(crate) use zarr_target::{is_zarr, write_zarr};

/// What goes wrong with a checkpoint.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A file could not be used; what was tried, such as `read`.
    File(&'static str, PathBuf, io::Error),
    /// The checkpoint or the question has no meaning.
    Refused(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}

/// The bytes of a file of metadata, of a limited size.
fn read_within(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Failure> {
    let size = file_size(path)?;
    if size > max_bytes {
        let path = path.display();
        return Err(error!(
            Code::TooLarge,
            "{path} has {size} bytes; at most {max_bytes} are read",
            [path, size, max_bytes]
        )
        .into());
    }
    fs::read(path).map_err(failed("read", path))
}

/// How many bytes a file has. Devices and pipes, which have no end and make who opens them wait, are refused.
fn file_size(path: &Path) -> Result<u64, Failure> {
    let about = path.metadata().map_err(failed("read", path))?;
    match about.is_file() {
        true => Ok(about.len()),
        false => Err(error!(Code::Syntax("file"), "{path} is no regular file", [path = path.display()]).into()),
    }
}

/// The failure to use a file.
fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |error| Failure::File(what, path, error)
}
