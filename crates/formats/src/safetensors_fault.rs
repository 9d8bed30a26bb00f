//! [`fault`]: what is wrong with a `.safetensors` file that cannot be read, with the tensor and the byte.
//!
//! Law: a fault that is named is one that the file has; where none is found, the reader's own reason stands.

use bitstride::{Code, Error, error};
use serde_json::{Map, Value as Json};

use crate::container::LENGTH_BYTES;
use crate::format::dtype_bits;

/// The first fault of a file; none where the header is not understood.
pub(crate) fn fault(bytes: &[u8]) -> Option<Error> {
    let damaged = |why: String| error!(Code::Syntax("bad-container"), "no whole .safetensors file: {why}", [why]);
    let length = bytes.len();
    let Some((header, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else {
        return Some(damaged(format!("it ends at byte {length}, and its header begins at byte {LENGTH_BYTES}")));
    };
    let header = u64::from_le_bytes(*header);
    let text = match usize::try_from(header).ok().and_then(|header| rest.get(..header)) {
        Some(text) => text,
        None => {
            let why = format!("by its first 8 bytes the header has {header} bytes, and the file ends at byte {length}");
            return Some(damaged(why).with_help("the file is of another kind, or was not downloaded whole"));
        }
    };
    let start = LENGTH_BYTES.checked_add(text.len())?;
    let tensors: Map<String, Json> = serde_json::from_slice(text).ok()?;
    let mut stored = Vec::new();
    for (name, own) in tensors.iter().filter(|(name, _)| *name != "__metadata__") {
        let [first, end] = own.get("data_offsets")?.as_array()?.as_slice() else { return None };
        let (first, end) = (usize::try_from(first.as_u64()?).ok()?, usize::try_from(end.as_u64()?).ok()?);
        let dtype = own.get("dtype")?.as_str()?.to_lowercase();
        let extents = own.get("shape")?.as_array()?.iter().map(Json::as_u64).collect::<Option<Vec<_>>>()?;
        stored.push((start.checked_add(first)?, start.checked_add(end)?, name, dtype, extents));
    }
    stored.sort();
    let mut before = start;
    for (first, end, name, dtype, extents) in &stored {
        if end < first {
            return Some(damaged(format!("{name} begins at byte {first} and ends at byte {end}")));
        }
        if *first != before {
            let is_hole = *first > before;
            return Some(damaged(if is_hole {
                format!("{name} begins at byte {first}, and no tensor has the bytes from {before} on")
            } else {
                format!("{name} begins at byte {first}, and another tensor ends at byte {before}")
            }));
        }
        let bits = dtype_bits(dtype).ok().and_then(|bits| u64::try_from(bits).ok())?;
        let bits = extents.iter().try_fold(bits, |bits, extent| bits.checked_mul(*extent))?;
        let has = u64::try_from(end - first).ok()?.checked_mul(8)?;
        if bits != has {
            let shape: Vec<String> = extents.iter().map(ToString::to_string).collect();
            let why = format!(
                "{name} is {dtype}[{}], {bits} bits, and its bytes {first} to {end} are {has}",
                shape.join(",")
            );
            return Some(damaged(why));
        }
        if *end > length {
            return Some(
                damaged(format!("{name} ends at byte {end}, and the file at byte {length}"))
                    .with_help("the file was not downloaded or written whole"),
            );
        }
        before = *end;
    }
    (before < length).then(|| {
        damaged(format!("its tensors end at byte {before}, and the file at byte {length}"))
            .with_help("bytes behind the last tensor are refused by every reader; cut them off")
    })
}
