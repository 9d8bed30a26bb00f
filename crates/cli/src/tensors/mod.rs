//! Tensors in files: where their data is, what its elements are, and the headers of files that are written.

mod descr;
mod dtype;
mod float;
mod magic;
mod npy;
mod python;
mod safe;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use bitstride::{Code, Error, error};

pub(crate) use dtype::Dtype;
pub(crate) use magic::format;
pub(crate) use npy::read as read_npy;
use safe::Other;
pub(crate) use safe::written as safetensors_header;

/// What a file is, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One array of NumPy.
    Npy,
    /// Named tensors.
    Safetensors,
    /// Bytes.
    Plain,
}

/// The tensor that is read.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    /// Its name, in a file of named ones.
    pub(crate) name: Option<String>,
    /// What the file says of its elements.
    pub(crate) dtype: Option<Dtype>,
    /// The type as the header of a `.npy` file says it.
    descr: Option<String>,
    /// Where in the file its data is.
    pub(crate) data: Range<usize>,
    /// The other tensors of the file, in the order of their data.
    pub(crate) others: Vec<Other>,
    /// What a `.safetensors` file says of itself, by names.
    about: BTreeMap<String, String>,
}

impl Kind {
    /// What a file of a path is.
    pub(crate) fn of(path: &Path) -> Self {
        let ends = |suffix: &str| path.extension().is_some_and(|end| end.eq_ignore_ascii_case(suffix));
        if ends("npy") {
            Kind::Npy
        } else if ends("safetensors") {
            Kind::Safetensors
        } else {
            Kind::Plain
        }
    }
}

/// What is wrong with a file, and what with a question about it.
#[derive(Debug)]
pub(crate) enum Unread {
    File(String),
    Question(Error),
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Unread::Question(error)
    }
}

impl Tensor {
    /// The tensor of a file, or the one of a name.
    pub(crate) fn find(kind: Kind, bytes: &[u8], name: Option<&str>) -> Result<Self, Unread> {
        match kind {
            Kind::Npy => npy::find(bytes),
            Kind::Safetensors => safe::find(bytes, name),
            Kind::Plain => {
                let data = 0..bytes.len();
                Ok(Tensor { name: None, dtype: None, descr: None, data, others: Vec::new(), about: BTreeMap::new() })
            }
        }
    }
}

impl Tensor {
    /// Which tensors a file of a kind would not have, in words.
    pub(crate) fn left_out(&self, kind: Kind) -> Option<String> {
        let mut names: Vec<String> = self.others.iter().map(|other| other.name.clone()).collect();
        let drops = kind != Kind::Safetensors && !names.is_empty();
        drops.then(|| format!("OUT has one tensor; IN's others are left out: {}", safe::list(&mut names)))
    }
}

/// The header of a `.npy` file of a type and shape.
pub(crate) fn array_header(element: &Dtype, shape: &[u64]) -> Vec<u8> {
    npy::header(&element.npy(), shape)
}

/// A file to be written: what comes before the data, and how long that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) header: Vec<u8>,
    /// The bytes of the data, whole elements of the file.
    pub(crate) data: usize,
    /// How many elements the file says it has.
    pub(crate) count: u64,
    /// The bytes of IN that are kept before and behind the data: other tensors.
    pub(crate) kept: [Range<usize>; 2],
}

/// The file of a kind for a given number of bits of elements.
pub(crate) fn frame(
    kind: Kind,
    source: &Tensor,
    element: &Dtype,
    bits: i128,
    shape: Option<&[u64]>,
    name: Option<&str>,
) -> Result<Frame, Error> {
    // Where the layouts count parts of the file's elements, or several as one, OUT has elements as IN has.
    let own = source.dtype.as_ref().filter(|dtype| dtype.bits != element.bits && dtype.bits > 0);
    let container = own.unwrap_or(element).container(kind);
    // Whole bytes, and whole elements of the file.
    let whole = (1..=8).map(|count| count * i128::from(container.bits)).find(|bits| bits % 8 == 0).unwrap_or(8).max(8);
    let bits = (bits + whole - 1) / whole * whole;
    let too_large = || error!(Code::TooLarge, "{bits} bits are in no memory", [bits]);
    let count = u64::try_from(bits / i128::from(container.bits.max(1))).map_err(|_| too_large())?;
    let data = usize::try_from(bits / 8).map_err(|_| too_large())?;
    let extents = shape.map_or_else(|| vec![count], <[u64]>::to_vec);
    let size = extents.iter().try_fold(1u64, |size, extent| size.checked_mul(*extent));
    if size != Some(count) {
        let size = size.map_or_else(|| "too many".to_owned(), |size| size.to_string());
        return Err(error!(
            Code::Range,
            "the shape {extents:?} has {size} elements, OUT {count}",
            [extents, size, count]
        ));
    }
    let header = match kind {
        Kind::Npy => {
            let own = source.descr.clone().filter(|_| source.dtype.as_ref() == Some(&container));
            npy::header(&own.unwrap_or_else(|| container.npy()), &extents)
        }
        Kind::Safetensors => {
            let name = source.name.as_deref().or(name).unwrap_or("tensor");
            safe::header(source, name, container.safe()?, &extents, data)?
        }
        Kind::Plain if shape.is_some() => {
            let message = "a plain file has no shape";
            return Err(Error::new(Code::Kind, message).with_help("OUT may be a .npy or a .safetensors file"));
        }
        Kind::Plain => Vec::new(),
    };
    let kept = if kind == Kind::Safetensors { safe::kept(source) } else { [0..0, 0..0] };
    Ok(Frame { header, data, count, kept })
}
