//! [`read`]: what a checkpoint holds, element by element: a second reader of `.safetensors` files and arrays of Zarr, which looks each element
//! up where the metadata says that it lies. Law: an element that has two values, or none, is an error.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value as Json};

/// Larger tensors are not looked at.
const MAX_ELEMENTS: i64 = 1 << 20;

/// A tensor: its extents, and the bytes of each element.
pub(super) type Tensor = (Vec<i64>, Vec<Vec<u8>>);

/// Tensors by name.
pub(super) type Tensors = BTreeMap<String, Tensor>;

/// What a file has of a tensor.
struct Part {
    /// The indices along each dim, where the file says which.
    indices: Option<Vec<Vec<i64>>>,
    shape: Vec<i64>,
    bytes: Vec<u8>,
}

/// The tensors of a folder; none where it holds a checkpoint of another kind, or one that is larger than what is looked at.
pub(super) fn read(folder: &Path) -> Result<Option<Tensors>, String> {
    if folder.join(".metadata").exists() {
        return Ok(None);
    }
    let files = names(folder, ".safetensors")?;
    let mut tensors = Tensors::new();
    if files.is_empty() {
        return Ok(arrays(folder, &[], &mut tensors)?.map(|()| tensors));
    }
    let mut parts: BTreeMap<String, Vec<(String, Part)>> = BTreeMap::new();
    for file in files {
        for (name, part) in parts_of(&folder.join(&file))? {
            parts.entry(name).or_default().push((file.clone(), part));
        }
    }
    for index in names(folder, ".safetensors.index.json")? {
        let said: Json = json(&folder.join(index))?;
        for (name, file) in said.get("weight_map").and_then(Json::as_object).ok_or("no weight_map")? {
            let own = parts.get_mut(name).ok_or("a name without a tensor")?;
            if own.iter().all(|(_, part)| part.indices.is_none()) {
                own.retain(|(other, _)| Some(other.as_str()) == file.as_str());
            }
        }
    }
    for (name, own) in parts {
        let Some(tensor) = whole(own.into_iter().map(|(_, part)| part).collect())? else { return Ok(None) };
        tensors.insert(name, tensor);
    }
    Ok(Some(tensors))
}

/// The indices of the first dim that each file of a folder has of its tensors.
pub(super) fn rows(folder: &Path) -> Result<Vec<BTreeMap<String, Vec<i64>>>, String> {
    let files = names(folder, ".safetensors")?;
    let rows = files.iter().map(|file| {
        let parts = parts_of(&folder.join(file))?.into_iter();
        Ok(parts.filter_map(|(name, part)| Some((name, part.indices?.into_iter().next()?))).collect())
    });
    rows.collect()
}

fn names(folder: &Path, ending: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut all: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    all.retain(|name| name.ends_with(ending));
    all.sort();
    Ok(all)
}

fn json(path: &Path) -> Result<Json, String> {
    let text = fs::read(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

fn numbers(list: &Json) -> Result<Vec<i64>, String> {
    let all = list.as_array().ok_or("no list")?.iter();
    all.map(|number| number.as_i64().filter(|number| *number >= 0).ok_or("no number"))
        .collect::<Result<_, _>>()
        .map_err(str::to_owned)
}

/// How many elements there are; none where they are too many.
fn count(shape: &[i64]) -> Option<usize> {
    let all = shape.iter().try_fold(1i64, |all, extent| all.checked_mul(*extent))?;
    usize::try_from(all).ok().filter(|_| all <= MAX_ELEMENTS)
}

/// The indices of a box, the last dim fastest.
fn each(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![vec![]], |all: Vec<Vec<i64>>, extent| {
        all.iter().flat_map(|at| (0..*extent).map(move |next| [at.clone(), vec![next]].concat())).collect()
    })
}

/// The number of an element.
fn place(shape: &[i64], index: &[i64]) -> Option<usize> {
    let inside = shape.iter().zip(index).all(|(extent, at)| at < extent);
    let place = shape.iter().zip(index).fold(0, |all, (extent, at)| all * extent + at);
    usize::try_from(place).ok().filter(|_| inside)
}

fn parts_of(path: &Path) -> Result<Vec<(String, Part)>, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let word = bytes.get(..8).and_then(|word| word.try_into().ok()).ok_or("no length")?;
    let end = usize::try_from(u64::from_le_bytes(word)).map_err(|error| error.to_string())?.saturating_add(8);
    let header = bytes.get(8..end).ok_or("a header beyond the file")?;
    let header: Map<String, Json> = serde_json::from_slice(header).map_err(|error| error.to_string())?;
    let text = |key: &str| header.get("__metadata__").and_then(|about| about.get(key)).and_then(Json::as_str);
    let about = |key: &str| -> Result<Map<String, Json>, String> {
        text(key).map_or(Ok(Map::new()), |text| serde_json::from_str(text).map_err(|error| error.to_string()))
    };
    let (offsets, blocks) = (about("DCP_SHARDING_INFO")?, about("BITSTRIDE_BLOCKS")?);
    let mut all = Vec::new();
    for (name, entry) in header.iter().filter(|(name, _)| *name != "__metadata__") {
        let field = |key: &str| entry.get(key).ok_or_else(|| format!("{name} has no {key}")).and_then(numbers);
        let (shape, ends) = (field("shape")?, field("data_offsets")?);
        let [from, to] = ends.as_slice() else { return Err("other offsets than two".to_owned()) };
        let from_header = |at: &i64| usize::try_from(*at).ok().and_then(|at| at.checked_add(end));
        let own = from_header(from).zip(from_header(to)).and_then(|(from, to)| bytes.get(from..to));
        let indices = match (blocks.get(name), offsets.get(name)) {
            (Some(dims), _) => {
                let mut all = Vec::new();
                for dim in dims.as_array().ok_or("no blocks")? {
                    let mut own = Vec::new();
                    for block in dim.as_array().ok_or("no blocks of a dim")? {
                        match numbers(block)?.as_slice() {
                            [from, to] if to - from <= MAX_ELEMENTS => own.extend(*from..*to),
                            _ => return Err("no block".to_owned()),
                        }
                    }
                    all.push(own);
                }
                Some(all)
            }
            (None, Some(own)) => {
                let starts = numbers(own.get("saved_offsets").unwrap_or(&Json::Null))?;
                let dim = |(start, extent): (&i64, &i64)| {
                    (*start..start.saturating_add(*extent).min(start.saturating_add(MAX_ELEMENTS))).collect()
                };
                Some(starts.iter().zip(&shape).map(dim).collect())
            }
            (None, None) => None,
        };
        let bytes = own.ok_or("data beyond the file")?.to_vec();
        all.push((name.clone(), Part { indices, shape, bytes }));
    }
    Ok(all)
}

/// A tensor of its parts. Of parts with the same indices, which replicas have, the first counts: they are not compared.
fn whole(parts: Vec<Part>) -> Result<Option<Tensor>, String> {
    let rank = parts.first().map_or(0, |part| part.shape.len());
    let mut shape = vec![0; rank];
    for part in &parts {
        let last = |dim: usize| match &part.indices {
            Some(indices) => indices.get(dim).and_then(|dim| dim.iter().max()).map_or(0, |last| last + 1),
            None => 0,
        };
        for (dim, extent) in shape.iter_mut().enumerate() {
            *extent = (*extent).max(last(dim)).max(part.shape.get(dim).copied().unwrap_or(0));
        }
    }
    let Some(all) = count(&shape) else { return Ok(None) };
    let mut cells: Vec<Option<Vec<u8>>> = vec![None; all];
    let mut known = HashSet::new();
    for part in parts {
        if part.indices.as_ref().is_some_and(|indices| !known.insert(indices.clone())) {
            continue;
        }
        let Some(own) = count(&part.shape) else { return Ok(None) };
        if own == 0 {
            continue;
        }
        let width = part.bytes.len() / own;
        for (index, value) in each(&part.shape).into_iter().zip(part.bytes.chunks_exact(width.max(1))) {
            let index = match &part.indices {
                Some(dims) => dims
                    .iter()
                    .zip(&index)
                    .map(|(dim, at)| dim.get(usize::try_from(*at).unwrap_or(0)).copied())
                    .collect(),
                None => Some(index),
            };
            let cell = index.and_then(|index| place(&shape, &index)).and_then(|place| cells.get_mut(place));
            let cell = cell.ok_or("a part outside of its tensor")?;
            match cell {
                Some(before) if before != value => return Err("an element has two values".to_owned()),
                _ => *cell = Some(value.to_vec()),
            }
        }
    }
    let cells = cells.into_iter().collect::<Option<Vec<_>>>().ok_or("an element has no value")?;
    // Without dims there is one row.
    Ok(Some((if shape.is_empty() { vec![1] } else { shape }, cells)))
}

/// The arrays of Zarr in a folder and in those inside.
fn arrays(folder: &Path, names: &[String], tensors: &mut Tensors) -> Result<Option<()>, String> {
    let metadata = [".zarray", "zarr.json"].map(|name| folder.join(name));
    for (version, path) in metadata.iter().enumerate().filter(|(_, path)| path.exists()) {
        let said = json(path)?;
        if version == 1 && said.get("node_type").and_then(Json::as_str) != Some("array") {
            continue;
        }
        let Some(tensor) = array(folder, &said, version == 1)? else { return Ok(None) };
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        tensors.insert(if names.is_empty() { name } else { names.join(".") }, tensor);
        return Ok(Some(()));
    }
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if arrays(&entry.path(), &[names, &[name]].concat(), tensors)?.is_none() {
                return Ok(None);
            }
        }
    }
    Ok(Some(()))
}

fn array(folder: &Path, said: &Json, is_third: bool) -> Result<Option<Tensor>, String> {
    let at = |path: &str| said.pointer(path).unwrap_or(&Json::Null);
    let (shape, chunk) = (
        numbers(at("/shape"))?,
        numbers(at(if is_third { "/chunk_grid/configuration/chunk_shape" } else { "/chunks" }))?,
    );
    let keys = at("/chunk_key_encoding/name").as_str();
    let prefix = if is_third && keys == Some("default") { "c" } else { "" };
    let named = at(if is_third { "/chunk_key_encoding/configuration/separator" } else { "/dimension_separator" });
    let separator = named.as_str().unwrap_or(if prefix.is_empty() { "." } else { "/" });
    let codecs: Vec<Json> = match is_third {
        true => at("/codecs").as_array().cloned().unwrap_or_default(),
        false => vec![serde_json::json!({"name": at("/compressor/id")})],
    };
    let kind = at(if is_third { "/data_type" } else { "/dtype" }).as_str().unwrap_or_default();
    let bits: usize = match kind {
        "bool" | "|b1" => 8,
        "bfloat16" => 16,
        kind if is_third => kind.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(8),
        kind => 8 * kind.get(2..).and_then(|width| width.parse::<usize>().ok()).unwrap_or(1),
    };
    let width = bits / 8;
    let Some(all) = count(&shape) else { return Ok(None) };
    let mut cells = Vec::with_capacity(all);
    let mut files: BTreeMap<String, Option<Vec<u8>>> = BTreeMap::new();
    for index in each(&shape) {
        let grid: Vec<String> =
            index.iter().zip(&chunk).map(|(at, extent)| (at / extent.max(&1)).to_string()).collect();
        let inside: Vec<i64> = index.iter().zip(&chunk).map(|(at, extent)| at % extent.max(&1)).collect();
        let key = match (prefix, grid.is_empty()) {
            ("", true) => "0".to_owned(),
            ("", false) => grid.join(separator),
            (prefix, true) => prefix.to_owned(),
            (prefix, false) => format!("{prefix}{separator}{}", grid.join(separator)),
        };
        if !files.contains_key(&key) {
            let bytes = fs::read(folder.join(&key)).ok().map(|bytes| undone(&codecs, bytes)).transpose()?;
            files.insert(key.clone(), bytes);
        }
        let Some(Some(bytes)) = files.get(&key) else {
            cells.push(vec![0; width]);
            continue;
        };
        cells.push(element(bytes, &codecs, &chunk, &inside, width)?);
    }
    Ok(Some((if shape.is_empty() { vec![1] } else { shape }, cells)))
}

/// The bytes of a chunk before all codecs but `bytes` and `sharding_indexed`, which come first.
fn undone(codecs: &[Json], packed: Vec<u8>) -> Result<Vec<u8>, String> {
    let mut bytes = packed;
    for codec in codecs.iter().rev() {
        let mut whole = Vec::new();
        let read = match codec.get("name").and_then(Json::as_str) {
            Some("gzip") => flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut whole),
            Some("zlib") => flate2::read::ZlibDecoder::new(bytes.as_slice()).read_to_end(&mut whole),
            Some("zstd") => return Err("zstd has no second reader".to_owned()),
            _ => continue,
        };
        read.map_err(|error| error.to_string())?;
        bytes = whole;
    }
    Ok(bytes)
}

/// An element of a chunk, whose parts are looked up in its index where it has some.
fn element(bytes: &[u8], codecs: &[Json], chunk: &[i64], inside: &[i64], width: usize) -> Result<Vec<u8>, String> {
    let sharded = codecs.first().filter(|codec| codec.get("name").and_then(Json::as_str) == Some("sharding_indexed"));
    let Some(own) = sharded.and_then(|codec| codec.get("configuration")) else {
        let place = place(chunk, inside).ok_or("an element outside of its chunk")? * width;
        return bytes.get(place..place + width).map(<[u8]>::to_vec).ok_or_else(|| "a short chunk".to_owned());
    };
    let inner = numbers(own.get("chunk_shape").unwrap_or(&Json::Null))?;
    let counts: Vec<i64> = chunk.iter().zip(&inner).map(|(outer, inner)| outer / inner.max(&1)).collect();
    let at: Vec<i64> = inside.iter().zip(&inner).map(|(at, extent)| at / extent.max(&1)).collect();
    let rest: Vec<i64> = inside.iter().zip(&inner).map(|(at, extent)| at % extent.max(&1)).collect();
    let checksum =
        if own.get("index_codecs").and_then(Json::as_array).is_some_and(|all| all.len() > 1) { 4 } else { 0 };
    let length = 16 * count(&counts).ok_or("too many parts")? + checksum;
    let start = match own.get("index_location").and_then(Json::as_str) {
        Some("start") => 0,
        _ => bytes.len().checked_sub(length).ok_or("no index")?,
    };
    let entry = start + 16 * place(&counts, &at).ok_or("a part outside of its chunk")?;
    let word = |from: usize| {
        let word = bytes.get(from..from + 8).and_then(|word| word.try_into().ok()).ok_or("a short index")?;
        Ok::<u64, &str>(u64::from_le_bytes(word))
    };
    let (from, size) = (word(entry)?, word(entry + 8)?);
    if (from, size) == (u64::MAX, u64::MAX) {
        return Ok(vec![0; width]);
    }
    let ends = usize::try_from(from).ok().zip(from.checked_add(size).and_then(|end| usize::try_from(end).ok()));
    let part = ends.and_then(|(from, to)| bytes.get(from..to)).ok_or("a part beyond its file")?;
    let codecs = own.get("codecs").and_then(Json::as_array).cloned().unwrap_or_default();
    element(&undone(&codecs, part.to_vec())?, &codecs, &inner, &rest, width)
}
