//! [`Target`]: what each file of the output has, from a mesh and the rules that say how tensors are cut.
//!
//! A file stands for a device, and has the box of each tensor that the device holds, whole tensors on every device included.

use bitstride::sharding::Sharding;
use bitstride::{Code, Error};
use serde_json::{Map, json};

use super::header::{ABOUT, OFFSETS};
use super::source::{Checkpoint, Whole};

/// The alignment in bytes of the data of a file.
const ALIGNED: usize = 64;

/// More files than this are not written.
const MAX_FILES: i64 = 4096;

/// How tensors are cut: lines `PATTERN PLACEMENTS`, of which the first that fits holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules(Vec<(String, String)>);

impl Rules {
    /// Reads rules; `#` begins a comment, and `*` in a pattern stands for anything.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let mut all = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let Some((pattern, placements)) = line.split_once(char::is_whitespace) else {
                let message = format!(
                    "line {}: a rule is a pattern and placements, such as `*.o_proj.weight [Shard(1)]`",
                    number + 1
                );
                return Err(Error::new(Code::Syntax("rule"), message));
            };
            all.push((pattern.to_owned(), placements.trim().to_owned()));
        }
        Ok(Rules(all))
    }

    fn of(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(pattern, _)| fits(pattern, name)).map(|(_, placements)| placements.as_str())
    }
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

/// The box of a tensor in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) offsets: Vec<i64>,
    pub(crate) shape: Vec<i64>,
    /// Where its data begins in the file.
    pub(crate) start: u64,
}

/// A file of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TargetFile {
    pub(crate) name: String,
    pub(crate) header: Vec<u8>,
    /// How many bytes it has.
    pub(crate) size: u64,
    /// One for each tensor of the checkpoint.
    pub(crate) parts: Vec<Part>,
}

/// The files of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) files: Vec<TargetFile>,
}

impl Target {
    /// The files of a checkpoint on a mesh such as `tp=4`. What no rule names is cut along its first dim by the first axis.
    pub(crate) fn new(checkpoint: &Checkpoint, mesh: &str, rules: &Rules) -> Result<Self, Error> {
        let axes = mesh.split(',').count();
        let mut shardings = Vec::new();
        for tensor in &checkpoint.tensors {
            let default = |first: &str| {
                format!(
                    "[{}]",
                    std::iter::once(first)
                        .chain(std::iter::repeat_n("Replicate()", axes - 1))
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            };
            let placements = match rules.of(&tensor.name) {
                Some(placements) => placements.to_owned(),
                None if tensor.shape == [1] => default("Replicate()"),
                None => default("Shard(0)"),
            };
            let extents: Vec<String> = tensor.shape.iter().map(i64::to_string).collect();
            let text = format!("shard(s8[{}], {placements}, mesh({mesh}))", extents.join(","));
            let sharding: Sharding =
                text.parse().map_err(|error: Error| error.about(format!("tensor {}: {text}", tensor.name)))?;
            shardings.push(sharding);
        }
        let devices = shardings.first().map_or(Ok(1), Sharding::devices)?;
        if devices > MAX_FILES {
            return Err(Error::new(Code::TooLarge, format!("{devices} files; at most {MAX_FILES} are written")));
        }
        let files =
            (0..devices).map(|device| file(checkpoint, &shardings, device, devices)).collect::<Result<_, _>>()?;
        Ok(Target { files })
    }

    /// The bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

/// The file of a device.
fn file(checkpoint: &Checkpoint, shardings: &[Sharding], device: i64, devices: i64) -> Result<TargetFile, Error> {
    let mut header = Map::new();
    let mut offsets = Map::new();
    let mut parts = Vec::new();
    let mut end = 0i64;
    for (tensor, sharding) in checkpoint.tensors.iter().zip(shardings) {
        let part = part(tensor, sharding, device)?;
        let bytes = part.shape.iter().try_fold(tensor.width, |all, extent| all.checked_mul(*extent));
        let next =
            bytes.and_then(|bytes| end.checked_add(bytes)).ok_or_else(|| Error::overflow("the bytes of a file"))?;
        header.insert(
            tensor.name.clone(),
            json!({"dtype": tensor.dtype, "shape": part.shape, "data_offsets": [end, next]}),
        );
        offsets.insert(tensor.name.clone(), json!({"saved_offsets": part.offsets}));
        parts.push((part, end));
        end = next;
    }
    header.insert(ABOUT.to_owned(), json!({"format": "pt", OFFSETS: serde_json::Value::Object(offsets).to_string()}));
    let mut text = serde_json::Value::Object(header).to_string();
    let total = (8 + text.len()).next_multiple_of(ALIGNED);
    text.extend(std::iter::repeat_n(' ', total - 8 - text.len()));
    let overflow = |_| Error::overflow("the bytes of a file");
    let mut header = u64::try_from(text.len()).map_err(overflow)?.to_le_bytes().to_vec();
    header.extend(text.bytes());
    let begin = u64::try_from(header.len()).map_err(overflow)?;
    let at = |offset: i64| u64::try_from(offset).map(|offset| begin + offset).map_err(overflow);
    let parts = parts
        .into_iter()
        .map(|(part, offset)| Ok(Part { start: at(offset)?, ..part }))
        .collect::<Result<_, Error>>()?;
    let name = format!("model-{:05}-of-{devices:05}.safetensors", device + 1);
    Ok(TargetFile { name, header, size: at(end)?, parts })
}

/// The box of a tensor on a device.
fn part(tensor: &Whole, sharding: &Sharding, device: i64) -> Result<Part, Error> {
    let held = sharding.shard(device)?.unwrap_or_default();
    let (mut offsets, mut shape) = (Vec::new(), Vec::new());
    for (dim, extent) in held.iter().zip(&tensor.shape) {
        match dim.runs() {
            [] => {
                offsets.push(*extent);
                shape.push(0);
            }
            [run] if run.count == 1 => {
                offsets.push(run.start);
                shape.push(run.length);
            }
            _ => {
                let message = format!(
                    "tensor {}: device {device} holds blocks with gaps between, which are no box of a file",
                    tensor.name
                );
                return Err(Error::new(Code::NotALayout, message));
            }
        }
    }
    Ok(Part { offsets, shape, start: 0 })
}
