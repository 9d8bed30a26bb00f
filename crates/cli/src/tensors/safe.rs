//! `.safetensors` files: named tensors, behind a header in JSON.

use std::collections::BTreeMap;

use bitstride::{Code, Error};
use safetensors::{Dtype as Safe, SafeTensors};
use serde_json::json;

use super::{Dtype, Tensor, Unread};

/// The data of a file that is written begins at a multiple of so many bytes.
const ALIGNED: usize = 64;

/// What a header calls its texts about the file.
const ABOUT: &str = "__metadata__";

/// How many names a refusal lists.
const LISTED: usize = 8;

/// The tensor of a name, or the only one.
pub(super) fn find(bytes: &[u8], name: Option<&str>) -> Result<Tensor, Unread> {
    let not_understood = |error| Unread::File(format!("no .safetensors file: {error}"));
    let (length, metadata) = SafeTensors::read_metadata(bytes).map_err(not_understood)?;
    let mut names = metadata.offset_keys();
    let Some(name) = name.or_else(|| names.first().filter(|_| names.len() == 1).map(String::as_str)) else {
        let message = format!("the file has {} tensors", names.len());
        return Err(Error::new(Code::Syntax("needs-tensor"), message)
            .with_help(format!("--tensor says which: {}", list(&mut names)))
            .into());
    };
    let Some(info) = metadata.info(name) else {
        let message = format!("the file has no tensor {name}");
        return Err(Error::new(Code::UnknownName, message).with_help(format!("it has {}", list(&mut names))).into());
    };
    // Behind the length of the header, which has 8 bytes, and the header.
    let start = length + 8;
    let (first, last) = info.data_offsets;
    Ok(Tensor {
        name: Some(name.to_owned()),
        dtype: Some(Dtype::of_safe(info.dtype)?),
        descr: None,
        data: start + first..start + last,
        tensors: names.len(),
        about: metadata.metadata().iter().flatten().map(|(key, text)| (key.clone(), text.clone())).collect(),
    })
}

fn list(names: &mut Vec<String>) -> String {
    let all = names.len();
    names.sort();
    names.truncate(LISTED);
    let more = if all > LISTED { format!(" and {} more", all - LISTED) } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// The header of a file with one tensor, and with texts about the file.
pub(super) fn header(
    name: &str,
    dtype: Safe,
    shape: &[u64],
    data: usize,
    about: &BTreeMap<String, String>,
) -> Result<Vec<u8>, Error> {
    if name == ABOUT {
        let message = format!("no tensor can be called {ABOUT}, which is what a header calls its texts about the file");
        return Err(Error::new(Code::Kind, message).with_help("another name for --tensor"));
    }
    let mut header = serde_json::Map::new();
    if !about.is_empty() {
        header.insert(ABOUT.to_owned(), json!(about));
    }
    header.insert(name.to_owned(), json!({"dtype": dtype.to_string(), "shape": shape, "data_offsets": [0, data]}));
    let mut text = serde_json::Value::Object(header).to_string();
    let total = (8 + text.len()).next_multiple_of(ALIGNED);
    text.extend(std::iter::repeat_n(' ', total - 8 - text.len()));
    let length = u64::try_from(text.len()).map_err(|_| Error::overflow("the length of a header"))?;
    let mut header = length.to_le_bytes().to_vec();
    header.extend(text.bytes());
    Ok(header)
}
