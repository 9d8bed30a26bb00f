//! Checkpoints whose tensors are arrays of Zarr, versions 2 and 3: a folder each, with its metadata in JSON and a file a chunk.
//!
//! Every chunk has the extents of the grid, row-major; at the edges a part of it is padding. Law: what the metadata does not say
//! in words that are known here is refused, and so is a chunk of another size than it says. Source: the Zarr specifications, versions 2
//! and 3.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use bitstride::{Code, Error, error};
use serde_json::Value as Json;

use super::header::Stored;
use super::region::Region;
use super::zarr_shards::Shards;
use super::{Failure, failed, read_within};

/// The metadata of version 2 and of version 3.
const METADATA: [&str; 2] = [".zarray", "zarr.json"];

/// The file of a database in which Orbax keeps all chunks, unless it is configured otherwise.
const DATABASE: &str = "manifest.ocdbt";

/// The deepest folder that is looked into, and the most folders.
const MAX_DEPTH: usize = 32;
const MAX_FOLDERS: usize = 1 << 20;

/// More chunks are not read.
const MAX_CHUNKS: i64 = 1 << 20;

/// A longer file of metadata is not read.
const MAX_METADATA: u64 = 1 << 24;

/// The bytes that packing adds to a small chunk at most.
const MAX_ADDED: i128 = 1 << 20;

/// How the bytes of a chunk are packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Zstd,
    Gzip,
    Zlib,
    /// It is a file of smaller chunks, which have codecs of their own.
    Shards(Box<Shards>),
}

/// A chunk in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Its extents; what it has of the tensor lies at its start.
    pub(super) extents: Vec<i64>,
    /// How its bytes were packed, one after the other.
    pub(super) codecs: Vec<Codec>,
    /// Whether there is no file, so that all of it is zeros.
    pub(super) is_absent: bool,
}

impl Codec {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "zstd" => Codec::Zstd,
            "gzip" => Codec::Gzip,
            "zlib" => Codec::Zlib,
            _ => return None,
        })
    }

    /// The bytes that were packed by some codecs one after the other; more than are wanted only where there are too many.
    pub(super) fn all_undone(codecs: &[Codec], packed: Vec<u8>, wanted: usize) -> Result<Vec<u8>, Error> {
        let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
        // Packed twice, the bytes in between have no size that is known.
        let limit = if codecs.len() > 1 { wanted.saturating_mul(2).saturating_add(1 << 20) } else { wanted };
        let mut bytes = packed;
        for codec in codecs.iter().rev() {
            bytes = match codec {
                Codec::Shards(shards) => shards.unpacked(&bytes)?,
                codec => codec
                    .undone(&bytes, limit)
                    .map_err(|error| refused(format!("its bytes are not what {codec:?} packs: {error}")))?,
            };
        }
        Ok(bytes)
    }

    /// The bytes that were packed, no more than are wanted.
    fn undone(&self, packed: &[u8], wanted: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Codec::Shards(_) => 0,
            Codec::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(std::io::Error::other)?;
                decoder.take(wanted.saturating_add(1)).read_to_end(&mut bytes)?
            }
            Codec::Gzip => {
                flate2::read::GzDecoder::new(packed).take(wanted.saturating_add(1)).read_to_end(&mut bytes)?
            }
            Codec::Zlib => {
                flate2::read::ZlibDecoder::new(packed).take(wanted.saturating_add(1)).read_to_end(&mut bytes)?
            }
        };
        Ok(bytes)
    }
}

impl Chunk {
    /// The bytes of the whole chunk, of elements of a width, from those of its file.
    pub(super) fn unpacked(&self, packed: Vec<u8>, width: i64) -> Result<Vec<u8>, Error> {
        let wanted = self.extents.iter().try_fold(width, |all, extent| all.checked_mul(*extent));
        let wanted = wanted.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(|| Error::overflow("a chunk"))?;
        let bytes = Codec::all_undone(&self.codecs, packed, wanted)?;
        match bytes.len() == wanted {
            true => Ok(bytes),
            false => Err(refused(format!("it has not the {wanted} bytes of its extents {:?}", self.extents))),
        }
    }
}

fn refused(words: impl Into<String>) -> Error {
    Error::new(Code::Syntax("file"), words)
}

/// An array, as its metadata has it.
struct Array {
    dtype: &'static str,
    width: i64,
    shape: Vec<i64>,
    extents: Vec<i64>,
    codecs: Vec<Codec>,
    /// Whether a chunk that has no file is all zeros.
    is_zero: bool,
    /// What comes before the numbers of a chunk, and between them.
    prefix: &'static str,
    separator: &'static str,
}

/// The arrays of a folder: the files of their chunks, and each chunk as a piece of its tensor; none where there is no array.
pub(super) struct Found {
    pub(super) files: Vec<PathBuf>,
    pub(super) tensors: Vec<Tensor>,
}

/// A tensor: its name, its extents, and its chunks with the numbers of their files.
pub(super) type Tensor = (String, Vec<i64>, Vec<(usize, Stored)>);

/// Reads the metadata of all arrays in a folder.
pub(super) fn read(folder: &Path) -> Result<Option<Found>, Failure> {
    let mut arrays = Vec::new();
    let mut left = MAX_FOLDERS;
    search(folder, &mut Vec::new(), &mut arrays, &mut left)?;
    if arrays.is_empty() {
        if folder.join(DATABASE).exists() {
            let help = "save with use_ocdbt=False, so that each chunk is a file";
            return Err(error!(
                Code::Syntax("file"),
                "{folder} is an OCDBT database, which is not read",
                [folder = folder.display()]
            )
            .with_help(help)
            .into());
        }
        return Ok(None);
    }
    arrays.sort();
    let mut found = Found { files: Vec::new(), tensors: Vec::new() };
    let mut chunks = MAX_CHUNKS;
    for (name, path, metadata) in arrays {
        let about = |error: Error| Failure::Refused(error.about(path.join(metadata).display()));
        if found.tensors.last().is_some_and(|(before, ..)| *before == name) {
            return Err(about(refused(format!("two arrays are named {name}"))));
        }
        let json = metadata_of(&path.join(metadata))?;
        let array = if metadata == METADATA[0] { version_2(&json) } else { version_3(&json) };
        let array = array.map_err(about)?;
        let pieces = array.pieces(&name, &path, &mut found.files, &mut chunks)?;
        found.tensors.push((name, array.shape, pieces));
    }
    Ok(Some(found))
}

/// An array by its name, its folder and its file of metadata.
type Named = (String, PathBuf, &'static str);

/// Finds the arrays of a folder; each is named by the folders that lead to it.
fn search(folder: &Path, names: &mut Vec<String>, found: &mut Vec<Named>, left: &mut usize) -> Result<(), Failure> {
    let too_large =
        |what: &str| Err(error!(Code::TooLarge, "{folder}: {what}", [folder = folder.display(), what]).into());
    let Some(rest) = left.checked_sub(1) else { return too_large("more folders than are looked into") };
    *left = rest;
    for metadata in METADATA {
        let path = folder.join(metadata);
        let is_array = match metadata == METADATA[0] {
            true => path.exists(),
            false => path.exists() && metadata_of(&path)?.get("node_type").and_then(Json::as_str) == Some("array"),
        };
        if is_array {
            let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            found.push((if names.is_empty() { own() } else { names.join(".") }, folder.to_owned(), metadata));
            return Ok(());
        }
    }
    if names.len() >= MAX_DEPTH {
        return too_large("folders in folders, deeper than are looked into");
    }
    for entry in fs::read_dir(folder).map_err(failed("read", folder))? {
        let entry = entry.map_err(failed("read", folder))?;
        // Links could lead round in a circle.
        if entry.file_type().map_err(failed("read", folder))?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
            search(&entry.path(), names, found, left)?;
            names.pop();
        }
    }
    Ok(())
}

fn metadata_of(path: &Path) -> Result<Json, Failure> {
    let read = serde_json::from_slice(&read_within(path, MAX_METADATA)?);
    read.map_err(|error| refused(format!("{}: no metadata of Zarr: {error}", path.display())).into())
}

/// `{"zarr_format": 2, "shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters", "dimension_separator"?}`
fn version_2(json: &Json) -> Result<Array, Error> {
    expected(json, "zarr_format", &[Json::from(2)])?;
    expected(json, "order", &["C".into()])?;
    expected(json, "filters", &[Json::Null, Json::Array(Vec::new())])?;
    let separator = match json.get("dimension_separator").map(Json::as_str) {
        None | Some(Some(".")) => ".",
        Some(Some("/")) => "/",
        _ => return Err(refused("its dimension_separator is neither `.` nor `/`")),
    };
    let codecs = match json.get("compressor") {
        None | Some(Json::Null) => Vec::new(),
        Some(own) => vec![codec(own.get("id"))?],
    };
    let text = json.get("dtype").and_then(Json::as_str).unwrap_or_default();
    let (dtype, width) = element(text.trim_start_matches(['<', '|'])).ok_or_else(|| unknown_type(json, "dtype"))?;
    if width > 1 && text.starts_with('|') {
        return Err(unknown_type(json, "dtype"));
    }
    let is_zero = is_zero(json);
    Array {
        dtype,
        width,
        shape: extents(json, "shape")?,
        extents: extents(json, "chunks")?,
        codecs,
        is_zero,
        prefix: "",
        separator,
    }
    .checked()
}

/// `{"zarr_format": 3, "node_type": "array", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "codecs", "fill_value"}`
fn version_3(json: &Json) -> Result<Array, Error> {
    expected(json, "zarr_format", &[Json::from(3)])?;
    let part = |name: &str| json.get(name).ok_or_else(|| refused(format!("it has no {name}")));
    let (grid, keys) = (part("chunk_grid")?, part("chunk_key_encoding")?);
    expected(grid, "name", &["regular".into()])?;
    if let Some(more) = json.get("storage_transformers").and_then(Json::as_array).filter(|own| !own.is_empty()) {
        return Err(refused(format!("its storage_transformers are {more:?}, which are not read")));
    }
    let configured =
        |own: &'static str| move |json: &Json| json.get("configuration").and_then(|all| all.get(own)).cloned();
    let separator = configured("separator")(keys);
    let (prefix, separator) = match (keys.get("name").and_then(Json::as_str), separator.as_ref().and_then(Json::as_str))
    {
        (Some("default"), None | Some("/")) => ("c", "/"),
        (Some("default"), Some(".")) => ("c", "."),
        (Some("v2"), None | Some(".")) => ("", "."),
        (Some("v2"), Some("/")) => ("", "/"),
        _ => return Err(refused(format!("its chunk_key_encoding {keys} is not known"))),
    };
    let text = json.get("data_type").and_then(Json::as_str).unwrap_or_default();
    let (dtype, width) = element(text).ok_or_else(|| unknown_type(json, "data_type"))?;
    let chunks = grid.get("configuration").unwrap_or(&Json::Null);
    let (shape, extents) = (extents(json, "shape")?, extents(chunks, "chunk_shape")?);
    let listed = part("codecs")?.as_array().map_or(&[][..], Vec::as_slice);
    let codecs = match listed.split_first() {
        Some((first, rest)) if first.get("name").and_then(Json::as_str) == Some("sharding_indexed") => {
            let shards = Codec::Shards(Box::new(shards(first, &extents, width, is_zero(json))?));
            let rest = rest.iter().map(|own| codec(own.get("name")));
            std::iter::once(Ok(shards)).chain(rest).collect::<Result<_, _>>()?
        }
        _ => bytes_codecs(listed, width)?,
    };
    Array { dtype, width, shape, extents, codecs, is_zero: is_zero(json), prefix, separator }.checked()
}

/// The codecs behind `bytes`, which comes first and has the low byte of each number first.
fn bytes_codecs(listed: &[Json], width: i64) -> Result<Vec<Codec>, Error> {
    let mut all = listed.iter();
    let first = all.next().unwrap_or(&Json::Null);
    if first.get("name").and_then(Json::as_str) != Some("bytes") {
        return Err(refused(format!(
            "its elements are packed by {}, and only by `bytes` are they read",
            name_of(first)
        )));
    }
    match first.get("configuration").and_then(|own| own.get("endian")).and_then(Json::as_str) {
        Some("little") => {}
        None if width == 1 => {}
        _ => return Err(refused("its numbers have the high byte first")),
    }
    all.map(|own| codec(own.get("name"))).collect()
}

/// `{"name": "sharding_indexed", "configuration": {"chunk_shape", "codecs", "index_codecs", "index_location"?}}`
fn shards(json: &Json, outer: &[i64], width: i64, is_zero: bool) -> Result<Shards, Error> {
    let own = json.get("configuration").unwrap_or(&Json::Null);
    let inner = extents(own, "chunk_shape")?;
    let divides = |(outer, inner): (&i64, &i64)| *inner > 0 && outer % inner == 0;
    if inner.len() != outer.len() || !outer.iter().zip(&inner).all(divides) {
        return Err(refused(format!("chunks of {outer:?} are made of parts of {inner:?}, which do not divide them")));
    }
    let list = |name: &str| own.get(name).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let is_first = match own.get("index_location").map(Json::as_str) {
        None | Some(Some("end")) => false,
        Some(Some("start")) => true,
        _ => return Err(refused("its index_location is neither `start` nor `end`")),
    };
    // Numbers of 8 bytes, and perhaps a checksum.
    let index = list("index_codecs");
    let (plain, has_checksum) = match index {
        [plain] => (plain, false),
        [plain, last] if name_of(last) == "crc32c" => (plain, true),
        _ => return Err(refused("its index is packed otherwise than by `bytes` and `crc32c`")),
    };
    bytes_codecs(std::slice::from_ref(plain), 8)?;
    let codecs = bytes_codecs(list("codecs"), width)?;
    Ok(Shards { extents: outer.to_vec(), inner, codecs, width, is_first, has_checksum, is_zero })
}

/// Refuses anything but some values of a field, the first of which it has where it is not there.
fn expected(json: &Json, name: &str, values: &[Json]) -> Result<(), Error> {
    match json.get(name) {
        None => Ok(()),
        Some(own) if values.contains(own) => Ok(()),
        Some(own) => Err(refused(format!("its {name} is {own}, which is not read"))),
    }
}

fn name_of(codec: &Json) -> String {
    codec.get("name").and_then(Json::as_str).map_or_else(|| codec.to_string(), str::to_owned)
}

fn codec(name: Option<&Json>) -> Result<Codec, Error> {
    let name = name.and_then(Json::as_str).unwrap_or("a codec without a name");
    Codec::named(name).ok_or_else(|| {
        refused(format!("its chunks are packed by {name}, which is not read"))
            .with_help("zstd, gzip, zlib and no codec are read")
    })
}

fn extents(json: &Json, name: &str) -> Result<Vec<i64>, Error> {
    let own = json.get(name).and_then(Json::as_array);
    let own = own.and_then(|own| own.iter().map(|own| own.as_i64().filter(|own| *own >= 0)).collect());
    own.ok_or_else(|| refused(format!("its {name} is no list of extents from 0 on")))
}

/// Whether elements that are not stored are 0.
fn is_zero(json: &Json) -> bool {
    match json.get("fill_value") {
        None | Some(Json::Null | Json::Bool(false)) => true,
        Some(Json::Number(own)) => own.as_f64() == Some(0.0) && !own.to_string().starts_with('-'),
        _ => false,
    }
}

fn unknown_type(json: &Json, name: &str) -> Error {
    refused(format!("its {name} {} is not known here", json.get(name).unwrap_or(&Json::Null)))
        .with_help("numbers with the low byte first, of types that .safetensors files have")
}

/// How headers name a type of elements, and its bytes.
fn element(name: &str) -> Option<(&'static str, i64)> {
    let numpy = match name {
        "f8" => "float64",
        "f4" => "float32",
        "f2" => "float16",
        "i8" => "int64",
        "i4" => "int32",
        "i2" => "int16",
        "i1" => "int8",
        "u8" => "uint64",
        "u4" => "uint32",
        "u2" => "uint16",
        "u1" => "uint8",
        "b1" => "bool",
        name => name,
    };
    super::dcp::element(numpy)
}

/// What Zarr calls a type of elements of a header, and the bytes of one.
pub(super) fn data_type(dtype: &str) -> Option<(&'static str, i64)> {
    const TYPES: [&str; 15] = [
        "float64",
        "float32",
        "float16",
        "bfloat16",
        "float8_e4m3fn",
        "float8_e5m2",
        "int64",
        "int32",
        "int16",
        "int8",
        "uint64",
        "uint32",
        "uint16",
        "uint8",
        "bool",
    ];
    TYPES.into_iter().find_map(|own| element(own).filter(|(name, _)| *name == dtype).map(|(_, width)| (own, width)))
}

impl Array {
    fn checked(self) -> Result<Self, Error> {
        if self.shape.len() != self.extents.len() || self.extents.contains(&0) {
            let message = format!("chunks of {:?} in an array of {:?}", self.extents, self.shape);
            return Err(refused(message));
        }
        self.extents
            .iter()
            .try_fold(self.width, |all, extent| all.checked_mul(*extent))
            .map(|_| ())
            .ok_or_else(|| Error::overflow("the bytes of a chunk"))?;
        Ok(self)
    }

    /// The chunks that have elements of the tensor, with their files.
    fn pieces(
        &self,
        name: &str,
        folder: &Path,
        files: &mut Vec<PathBuf>,
        left: &mut i64,
    ) -> Result<Vec<(usize, Stored)>, Failure> {
        let grid: Vec<i64> =
            self.shape.iter().zip(&self.extents).map(|(all, own)| all / own + i64::from(all % own > 0)).collect();
        let count = grid.iter().try_fold(1i64, |all, extent| all.checked_mul(*extent)).filter(|count| *count <= *left);
        let Some(count) = count else {
            return Err(error!(
                Code::TooLarge,
                "array {name} has a grid of {grid:?} chunks; at most {max_chunks} are read",
                [name, grid, max_chunks = MAX_CHUNKS]
            )
            .into());
        };
        *left -= count;
        let size = self.extents.iter().product::<i64>().saturating_mul(self.width);
        let mut pieces = Vec::new();
        for number in 0..count {
            let mut rest = number;
            let mut at: Vec<i64> = grid.iter().rev().map(|extent| (rest % extent, rest /= extent).0).collect();
            at.reverse();
            let start: Vec<i64> = at.iter().zip(&self.extents).map(|(at, extent)| at * extent).collect();
            let ends = start.iter().zip(&self.extents).zip(&self.shape);
            let shape: Vec<i64> =
                ends.map(|((start, extent), all)| start.saturating_add(*extent).min(*all) - start).collect();
            let path = folder.join(self.key(&at));
            let file = files.len();
            let found = match path.metadata() {
                Ok(found) if found.is_file() => Some(found.len()),
                Ok(_) => return Err(Failure::Refused(refused("it is no regular file").about(path.display()))),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(error) => return Err(Failure::File("read", path, error)),
            };
            let in_file = |words: String| Failure::Refused(refused(words).about(path.display()));
            match found {
                None if !self.is_zero => {
                    return Err(in_file("there is no such file, and its elements are not 0".to_owned()));
                }
                Some(own) if self.codecs.is_empty() && u64::try_from(size) != Ok(own) => {
                    return Err(in_file(format!("it has {own} bytes, and a chunk has {size}")));
                }
                // Packing adds little; an index has 16 bytes a part, which has an element at least.
                Some(own)
                    if i128::from(own) > 2 * i128::from(size) + 16 * i128::from(size / self.width) + MAX_ADDED =>
                {
                    return Err(in_file(format!(
                        "it has {own} bytes, and packing adds less than that to a chunk of {size}"
                    )));
                }
                _ => {}
            }
            files.push(path.clone());
            let chunk =
                Chunk { extents: self.extents.clone(), codecs: self.codecs.clone(), is_absent: found.is_none() };
            let stored = Stored {
                name: name.to_owned(),
                dtype: self.dtype.to_owned(),
                width: self.width,
                region: Region::of_box(&start, &shape),
                shape,
                start: 0,
                chunk: Some(chunk),
            };
            pieces.push((file, stored));
        }
        if pieces.is_empty() {
            // No chunk has any element.
            let (shape, region) = (self.shape.clone(), Region::of_box(&vec![0; self.shape.len()], &self.shape));
            let (name, dtype) = (name.to_owned(), self.dtype.to_owned());
            pieces.push((0, Stored { name, dtype, width: self.width, shape, start: 0, region, chunk: None }));
        }
        Ok(pieces)
    }

    /// The name of the file of a chunk.
    fn key(&self, at: &[i64]) -> String {
        let numbers: Vec<String> = at.iter().map(i64::to_string).collect();
        match (self.prefix, numbers.join(self.separator)) {
            ("", own) if own.is_empty() => "0".to_owned(),
            ("", own) => own,
            (prefix, own) if own.is_empty() => prefix.to_owned(),
            (prefix, own) => format!("{prefix}{}{own}", self.separator),
        }
    }
}
