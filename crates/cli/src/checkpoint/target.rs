//! [`Target`]: what each file of the output has, from a mesh and the rules that say how tensors are cut.
//!
//! A file stands for a device, and has the part of each tensor that the device holds, whole tensors on every device included. Of a fused
//! tensor this is a part of each of those that it was made of.

use bitstride::sharding::Sharding;
use bitstride::{Code, Error, error};
use serde_json::{Map, json};

use super::header::{ABOUT, BLOCKS, OFFSETS};
use super::region::{Block, Region};
use super::rules::{Rule, Rules};
use super::source::{Checkpoint, Whole};

/// The alignment in bytes of the data of a file.
const ALIGNED: usize = 64;

/// More files than this are not written.
const MAX_FILES: i64 = 4096;

/// More blocks along a dim are not written.
const MAX_BLOCKS: i64 = 1 << 16;

/// The part of a tensor in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) region: Region,
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

impl TargetFile {
    /// The bytes of its tensors.
    pub(crate) fn data_bytes(&self) -> u64 {
        self.size - u64::try_from(self.header.len()).unwrap_or(self.size)
    }
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
        let fused = checkpoint.tensors.iter().map(|tensor| Fused::new(tensor, mesh, axes, rules.of(&tensor.name)));
        let fused = fused.collect::<Result<Vec<_>, Error>>()?;
        let devices = match fused.first().and_then(|fused| fused.parts.first()) {
            Some((_, sharding)) => sharding.devices()?,
            None => 1,
        };
        if devices > MAX_FILES {
            return Err(error!(
                Code::TooLarge,
                "{devices} files; at most {max_files} are written",
                [devices, max_files = MAX_FILES]
            ));
        }
        let files = (0..devices).map(|device| file(checkpoint, &fused, device, devices)).collect::<Result<_, _>>()?;
        Ok(Target { files })
    }

    /// The bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

/// How a tensor is cut: each of the parts that it was fused of as a tensor of its own.
struct Fused {
    /// Along which dim the parts follow each other.
    dim: usize,
    /// Where each part begins, and how it is cut.
    parts: Vec<(i64, Sharding)>,
}

impl Fused {
    fn new(tensor: &Whole, mesh: &str, axes: usize, rule: Option<&Rule>) -> Result<Self, Error> {
        let copies = std::iter::repeat_n("Replicate()", axes - 1);
        let first = if tensor.shape == [1] { "Replicate()" } else { "Shard(0)" };
        let default = || format!("[{}]", std::iter::once(first).chain(copies).collect::<Vec<_>>().join(", "));
        let placements = rule.map_or_else(default, |rule| rule.placements.clone());
        let (dim, ratios) = rule.map_or((0, &[1][..]), |rule| (rule.dim, rule.parts.as_slice()));
        let refused = |words: String| error!(Code::NotDivisible, "tensor {name}: {words}", [name = tensor.name, words]);
        let Some(extent) = tensor.shape.get(dim) else {
            return Err(refused(format!("it has no dim {dim}, along which its parts are")));
        };
        let sum = ratios.iter().try_fold(0i64, |all, own| all.checked_add(*own)).unwrap_or(i64::MAX);
        if extent % sum != 0 {
            let words = format!("dim {dim} of {extent} elements is no multiple of {sum}, which its parts make");
            return Err(refused(words));
        }
        let mut parts = Vec::new();
        let mut start = 0;
        for ratio in ratios {
            let own = extent / sum * ratio;
            let mut extents: Vec<String> = tensor.shape.iter().map(i64::to_string).collect();
            if let Some(place) = extents.get_mut(dim) {
                *place = own.to_string();
            }
            let text = format!("shard(s8[{}], {placements}, mesh({mesh}))", extents.join(","));
            let sharding: Sharding =
                text.parse().map_err(|error: Error| error.about(format!("tensor {}: {text}", tensor.name)))?;
            parts.push((start, sharding));
            start += own;
        }
        Ok(Fused { dim, parts })
    }

    /// What a device has of the tensor: of each part what it would have of it alone, one behind the other.
    fn region(&self, device: i64) -> Result<Region, Error> {
        let mut dims: Vec<Vec<Block>> = Vec::new();
        for (start, sharding) in &self.parts {
            let held = sharding.shard(device)?.unwrap_or_default();
            dims.resize(held.len(), Vec::new());
            for (dim, (all, own)) in dims.iter_mut().zip(&held).enumerate() {
                let offset = if dim == self.dim { *start } else { 0 };
                let blocks = own.blocks(MAX_BLOCKS)?;
                if dim != self.dim {
                    // The parts have all else in common.
                    *all = blocks;
                    continue;
                }
                for (first, last) in blocks {
                    match all.last_mut() {
                        Some((_, end)) if *end == first + offset => *end = last + offset,
                        _ => all.push((first + offset, last + offset)),
                    }
                }
            }
        }
        Ok(Region(dims))
    }
}

/// The file of a device.
fn file(checkpoint: &Checkpoint, fused: &[Fused], device: i64, devices: i64) -> Result<TargetFile, Error> {
    let mut header = Map::new();
    let (mut offsets, mut blocks) = (Map::new(), Map::new());
    let mut parts = Vec::new();
    let mut end = 0i64;
    for (tensor, fused) in checkpoint.tensors.iter().zip(fused) {
        let region = fused.region(device)?;
        let shape = region.shape();
        let bytes = shape.iter().try_fold(tensor.width, |all, extent| all.checked_mul(*extent));
        let next =
            bytes.and_then(|bytes| end.checked_add(bytes)).ok_or_else(|| Error::overflow("the bytes of a file"))?;
        header.insert(tensor.name.clone(), json!({"dtype": tensor.dtype, "shape": shape, "data_offsets": [end, next]}));
        match region.offsets(&tensor.shape) {
            Some(own) => offsets.insert(tensor.name.clone(), json!({"saved_offsets": own})),
            None => blocks.insert(tensor.name.clone(), json!(region.0)),
        };
        parts.push((region, end));
        end = next;
    }
    let text_of = |object: Map<String, serde_json::Value>| serde_json::Value::Object(object).to_string();
    let mut about = Map::from_iter([("format".to_owned(), json!("pt")), (OFFSETS.to_owned(), text_of(offsets).into())]);
    if !blocks.is_empty() {
        about.insert(BLOCKS.to_owned(), text_of(blocks).into());
    }
    header.insert(ABOUT.to_owned(), about.into());
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
        .map(|(region, offset)| Ok(Part { region, start: at(offset)? }))
        .collect::<Result<_, Error>>()?;
    let name = format!("model-{:05}-of-{devices:05}.safetensors", device + 1);
    Ok(TargetFile { name, header, size: at(end)?, parts })
}
