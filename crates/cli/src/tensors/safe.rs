//! `.safetensors` files: named tensors, behind a header in JSON.

use std::collections::BTreeMap;
use std::ops::Range;

use bitstride::{Code, Error, error};
use safetensors::{Dtype as Safe, SafeTensors};
use serde_json::{Value as Json, json};

use super::{Dtype, Tensor, Unread};

/// The alignment in bytes of the data of a file that is written.
const ALIGNED: usize = 64;

/// What a header calls its texts about the file.
const ABOUT: &str = "__metadata__";

/// How many names a refusal lists.
const LISTED: usize = 8;

/// A tensor that is not moved.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    pub(super) name: String,
    dtype: Safe,
    shape: Vec<usize>,
    /// Where in the file its data is.
    data: Range<usize>,
    /// Whether that is before the data of the tensor that is moved.
    is_before: bool,
}

/// The tensor of a name, or the only one.
pub(super) fn find(bytes: &[u8], name: Option<&str>) -> Result<Tensor, Unread> {
    let not_understood = |error| Unread::File(format!("no .safetensors file: {error}"));
    let (length, metadata) = SafeTensors::read_metadata(bytes).map_err(not_understood)?;
    let mut names = metadata.offset_keys();
    let Some(name) = name.or_else(|| names.first().filter(|_| names.len() == 1).map(String::as_str)) else {
        return Err(error!(
            Code::Syntax("needs-tensor"),
            "the file has {names_count} tensors",
            [names_count = names.len()]
        )
        .with_help(format!("--tensor says which: {}", list(&mut names)))
        .into());
    };
    let Some(at) = names.iter().position(|own| own == name) else {
        return Err(error!(Code::UnknownName, "the file has no tensor {name}", [name])
            .with_help(format!("it has {}", list(&mut names)))
            .into());
    };
    // Behind the length of the header, which has 8 bytes, and the header.
    let start = length + 8;
    let tensor = |(n, name): (usize, &String)| {
        let info = metadata.info(name)?;
        let (first, last) = info.data_offsets;
        let (name, shape) = (name.clone(), info.shape.clone());
        Some(Other { name, dtype: info.dtype, shape, data: start + first..start + last, is_before: n < at })
    };
    let mut others: Vec<Other> = names.iter().enumerate().filter_map(tensor).collect();
    let own = others.remove(at.min(others.len().saturating_sub(1)));
    Ok(Tensor {
        name: Some(own.name),
        dtype: Some(Dtype::of_safe(own.dtype)?),
        descr: None,
        data: own.data,
        others,
        about: metadata.metadata().iter().flatten().map(|(key, text)| (key.clone(), text.clone())).collect(),
    })
}

/// The bytes of the tensors whose data lies before that of a tensor, and of those behind: these files have no gaps.
pub(super) fn kept(tensor: &Tensor) -> [Range<usize>; 2] {
    let data = &tensor.data;
    let first = tensor.others.iter().map(|other| other.data.start).fold(data.start, usize::min);
    let last = tensor.others.iter().map(|other| other.data.end).fold(data.end, usize::max);
    [first..data.start, data.end..last]
}

pub(super) fn list(names: &mut Vec<String>) -> String {
    let all = names.len();
    names.sort();
    names.truncate(LISTED);
    let more = if all > LISTED { format!(" and {} more", all - LISTED) } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// The header of a file with a tensor, the others of the file that it came from, and texts about the file.
pub(super) fn header(source: &Tensor, name: &str, dtype: Safe, shape: &[u64], data: usize) -> Result<Vec<u8>, Error> {
    if name == ABOUT {
        return Err(error!(
            Code::Kind,
            "no tensor can be called {about}, which is what a header calls its texts about the file",
            [about = ABOUT]
        )
        .with_help("another name for --tensor"));
    }
    let mut header = serde_json::Map::new();
    if !source.about.is_empty() {
        header.insert(ABOUT.to_owned(), json!(source.about));
    }
    let mut end = 0usize;
    let mut entry = |name: &str, dtype: Safe, shape: Json, data: usize| {
        let first = end;
        end = end.checked_add(data).ok_or_else(|| Error::overflow("the size of a file"))?;
        header
            .insert(name.to_owned(), json!({"dtype": dtype.to_string(), "shape": shape, "data_offsets": [first, end]}));
        Ok::<_, Error>(())
    };
    let (before, behind): (Vec<&Other>, Vec<&Other>) = source.others.iter().partition(|other| other.is_before);
    for own in before {
        entry(&own.name, own.dtype, json!(own.shape), own.data.len())?;
    }
    entry(name, dtype, json!(shape), data)?;
    for own in behind {
        entry(&own.name, own.dtype, json!(own.shape), own.data.len())?;
    }
    framed(header)
}

/// The length and the text of a header, padded by blanks.
fn framed(header: serde_json::Map<String, Json>) -> Result<Vec<u8>, Error> {
    let mut text = serde_json::Value::Object(header).to_string();
    let total = (8 + text.len()).next_multiple_of(ALIGNED);
    text.extend(std::iter::repeat_n(' ', total - 8 - text.len()));
    let length = u64::try_from(text.len()).map_err(|_| Error::overflow("the length of a header"))?;
    let mut header = length.to_le_bytes().to_vec();
    header.extend(text.bytes());
    Ok(header)
}

/// The header of a file of tensors, each with its name, type, shape and bytes, and of texts about the file.
pub(crate) fn written(
    tensors: &[(&str, &str, &[i64], usize)],
    about: &BTreeMap<String, String>,
) -> Result<Vec<u8>, Error> {
    let mut header = serde_json::Map::new();
    if !about.is_empty() {
        header.insert(ABOUT.to_owned(), json!(about));
    }
    let mut end = 0usize;
    for (name, dtype, shape, bytes) in tensors {
        let first = end;
        end = end.checked_add(*bytes).ok_or_else(|| Error::overflow("the size of a file"))?;
        header.insert(
            (*name).to_owned(),
            json!({"dtype": dtype.to_uppercase(), "shape": shape, "data_offsets": [first, end]}),
        );
    }
    framed(header)
}
