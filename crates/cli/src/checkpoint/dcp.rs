//! Checkpoints of `torch.distributed.checkpoint`: which file has which box of which tensor, from the pickle `.metadata`.
//!
//! Law: nothing of the pickle is run; each box lies in its tensor, and its data in its file, or the checkpoint is refused.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error, error};

use super::archive::{Unread, Wanted, data};
use super::header::Stored;
use super::pickle::{Node, Pickle};
use super::region::Region;
use super::{Failure, failed, file_size, read_within};

/// The file that says what the others have.
pub(super) const METADATA: &str = ".metadata";

/// A longer file of metadata is not read.
const MAX_METADATA: u64 = 1 << 30;

/// More boxes are not read.
const MAX_CHUNKS: usize = 1 << 22;

/// The tensors of a checkpoint.
pub(super) struct Found {
    pub(super) files: Vec<PathBuf>,
    pub(super) stored: BTreeMap<String, Vec<(usize, Stored)>>,
    /// The extents of each tensor.
    pub(super) shapes: HashMap<String, Vec<i64>>,
    /// What is no tensor.
    pub(super) others: Vec<String>,
}

/// How headers name a type of elements, and its bytes.
pub(super) fn element(dtype: &str) -> Option<(&'static str, i64)> {
    Some(match dtype {
        "float64" => ("F64", 8),
        "float32" => ("F32", 4),
        "float16" => ("F16", 2),
        "bfloat16" => ("BF16", 2),
        "float8_e4m3fn" => ("F8_E4M3", 1),
        "float8_e5m2" => ("F8_E5M2", 1),
        "int64" => ("I64", 8),
        "int32" => ("I32", 4),
        "int16" => ("I16", 2),
        "int8" => ("I8", 1),
        "uint64" => ("U64", 8),
        "uint32" => ("U32", 4),
        "uint16" => ("U16", 2),
        "uint8" => ("U8", 1),
        "bool" => ("BOOL", 1),
        _ => return None,
    })
}

/// The classes that metadata names.
fn is_allowed(name: &str) -> bool {
    let own = |prefix: &str| name.strip_prefix(prefix);
    if let Some(class) = own("torch.distributed.checkpoint.metadata.") {
        return matches!(
            class,
            "Metadata"
                | "TensorStorageMetadata"
                | "BytesStorageMetadata"
                | "TensorProperties"
                | "ChunkStorageMetadata"
                | "MetadataIndex"
                | "StorageMeta"
                | "_MEM_FORMAT_ENCODING"
        );
    }
    if let Some(class) = own("torch.") {
        let is_type = element(class).is_some() || matches!(class, "complex64" | "complex128");
        return is_type
            || matches!(
                class,
                "Size" | "serialization._get_layout" | "distributed.checkpoint.filesystem._StorageInfo"
            );
    }
    matches!(name, "pathlib.PosixPath" | "pathlib._local.PosixPath" | "collections.OrderedDict")
}

fn refused(words: impl Into<String>) -> Error {
    Error::new(Code::Syntax("file"), words)
}

/// Reads the metadata of a folder, and the heads of all entries.
pub(super) fn read(folder: &Path) -> Result<Found, Failure> {
    let path = folder.join(METADATA);
    let bytes = read_within(&path, MAX_METADATA)?;
    let about = |error: Error| Failure::Refused(error.about(path.display()));
    let pickle = Pickle::read(&bytes, &is_allowed).map_err(about)?;
    let listed = Listed::of(&pickle).map_err(about)?;
    let mut found =
        Found { files: Vec::new(), stored: BTreeMap::new(), shapes: HashMap::new(), others: listed.others.clone() };
    let mut opened: HashMap<&str, (usize, File, u64)> = HashMap::new();
    for (name, tensor) in &listed.tensors {
        let (dtype, width) = element(&tensor.dtype)
            .ok_or_else(|| about(refused(format!("tensor {name} has elements of type {}", tensor.dtype))))?;
        let mut pieces = Vec::new();
        for (offsets, sizes) in &tensor.chunks {
            let region = Region::of_box(offsets, sizes);
            let is_inside =
                |region: &Region| region.ends().iter().zip(&tensor.shape).all(|(end, extent)| end <= extent);
            let Some(region) = region.filter(is_inside) else {
                let words = format!("tensor {name} of {:?} has a box at {offsets:?} of {sizes:?}", tensor.shape);
                return Err(about(refused(words)));
            };
            let stored = Stored {
                name: name.clone(),
                dtype: dtype.to_owned(),
                width,
                shape: sizes.clone(),
                start: 0,
                region: Some(region),
                chunk: None,
            };
            if sizes.contains(&0) {
                pieces.push((0, stored));
                continue;
            }
            let Some(entry) = listed.entries.get(&(name.as_str(), offsets.clone())) else {
                return Err(about(refused(format!("tensor {name}: no file has the box at {offsets:?}"))));
            };
            let path = folder.join(entry.file);
            if !opened.contains_key(entry.file) {
                let size = file_size(&path)?;
                let file = File::open(&path).map_err(failed("read", &path))?;
                opened.insert(entry.file, (found.files.len(), file, size));
                found.files.push(path.clone());
            }
            let Some((number, file, size)) = opened.get_mut(entry.file) else { continue };
            let end = entry.start.checked_add(entry.length).filter(|end| end <= size);
            let in_file = |error: Error| {
                let words = format!("{}, tensor {name}, entry at byte {}", path.display(), entry.start);
                Failure::Refused(error.about(words))
            };
            let Some(end) = end else {
                let words = format!("{} bytes, and the file ends at {size}", entry.length);
                return Err(in_file(refused(words)));
            };
            let wanted = Wanted { dtype: &tensor.dtype, width, shape: sizes };
            let start = data(file, entry.start..end, &wanted).map_err(|unread| match unread {
                Unread::File(error) => Failure::File("read", path.clone(), error),
                Unread::Refused(error) => in_file(error),
            })?;
            pieces.push((*number, Stored { start, ..stored }));
        }
        found.stored.insert(name.clone(), pieces);
        found.shapes.insert(name.clone(), tensor.shape.clone());
    }
    Ok(found)
}

/// Where the tensors of a checkpoint of `torch.distributed.checkpoint` lie, from the bytes of its file `.metadata`: the file, the first byte
/// and the number of bytes of each entry, ascending. So what is far away need not be read whole.
///
/// # Errors
/// As `reshard` refuses such metadata: opcodes, classes and names that no checkpoint of tensors needs.
///
/// ```
/// let refused = bitstride_cli::dcp_entries(b"cos\nsystem\n.").expect_err("a program");
/// assert!(refused.message().contains("os.system"));
/// ```
pub fn dcp_entries(metadata: &[u8]) -> Result<Vec<(String, u64, u64)>, Error> {
    let pickle = Pickle::read(metadata, &is_allowed)?;
    let entries = Listed::of(&pickle)?.entries;
    let mut all: Vec<_> = entries.values().map(|own| (own.file.to_owned(), own.start, own.length)).collect();
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Where a box begins, and its extents.
type Chunk = (Vec<i64>, Vec<i64>);

/// A tensor, as the metadata has it.
struct Tensor {
    dtype: String,
    shape: Vec<i64>,
    chunks: Vec<Chunk>,
}

/// Bytes of a file.
struct Entry<'p> {
    file: &'p str,
    start: u64,
    length: u64,
}

/// What metadata says.
struct Listed<'p> {
    tensors: BTreeMap<String, Tensor>,
    others: Vec<String>,
    /// The bytes of the box of a tensor at some offsets.
    entries: HashMap<(&'p str, Vec<i64>), Entry<'p>>,
}

impl<'p> Listed<'p> {
    fn of(pickle: &'p Pickle) -> Result<Self, Error> {
        let root = pickle.root();
        if pickle.class(root) != "torch.distributed.checkpoint.metadata.Metadata" {
            return Err(refused("it is no Metadata of torch.distributed.checkpoint"));
        }
        let pairs = |name: &str| match pickle.field(root, name) {
            Some(Node::Dict(pairs)) => Ok(pairs),
            _ => Err(refused(format!("its {name} is no dict"))),
        };
        let mut listed = Listed { tensors: BTreeMap::new(), others: Vec::new(), entries: HashMap::new() };
        let mut left = MAX_CHUNKS;
        for (key, value) in pairs("state_dict_metadata")? {
            let name = pickle.text(pickle.node(*key)).ok_or_else(|| refused("a tensor has no name"))?;
            let value = pickle.node(*value);
            match pickle.class(value).rsplit_once('.').map_or("", |(_, class)| class) {
                "TensorStorageMetadata" => {
                    let tensor =
                        tensor(pickle, value, &mut left).map_err(|error| error.about(format!("tensor {name}")))?;
                    listed.tensors.insert(name, tensor);
                }
                "BytesStorageMetadata" => listed.others.push(name),
                _ => return Err(refused(format!("{name} is neither a tensor nor bytes"))),
            }
        }
        for (key, value) in pairs("storage_data")? {
            let (key, value) = (pickle.node(*key), pickle.node(*value));
            let Some(Node::Text(name)) = pickle.field(key, "fqn") else { return Err(refused("an entry has no name")) };
            // What is no tensor has no offsets.
            let Some(offsets) = pickle.field(key, "offset").and_then(|own| pickle.integers(own)) else { continue };
            let number = |field: &str| match pickle.field(value, field) {
                Some(Node::Int(number)) => u64::try_from(*number).ok(),
                _ => None,
            };
            let (Some(Node::Text(file)), Some(start), Some(length)) =
                (pickle.field(value, "relative_path"), number("offset"), number("length"))
            else {
                return Err(refused(format!(
                    "the entry of {name} at {offsets:?} has no file, offset and length from 0 on"
                )));
            };
            if pickle.field(value, "transform_descriptors").is_some_and(|own| *own != Node::Other) {
                return Err(refused(format!("the entry of {name} at {offsets:?} is transformed, as by compression")));
            }
            if file.is_empty() || file.contains(['/', '\\', '\0']) || file == ".." || file == "." {
                return Err(refused(format!("the entry of {name} is in {file:?}, which is no file beside it")));
            }
            listed.entries.insert((name, offsets), Entry { file, start, length });
        }
        Ok(listed)
    }
}

fn tensor(pickle: &Pickle, node: &Node, left: &mut usize) -> Result<Tensor, Error> {
    let extents = |node: &Node, field: &str| {
        let own = pickle.field(node, field).and_then(|own| pickle.integers(own));
        let own = own.filter(|own| own.iter().all(|number| *number >= 0));
        own.ok_or_else(|| refused(format!("its {field} are no integers from 0 on")))
    };
    let shape = extents(node, "size")?;
    // The properties are kept as a tuple, of which the type is first.
    let state = match pickle.field(node, "properties") {
        Some(Node::Object { state: Some(state), .. }) => pickle.node(*state),
        _ => &Node::Other,
    };
    let first = pickle.entries(state).and_then(|entries| entries.first()).map(|id| pickle.node(*id));
    let Some(Node::Class(dtype)) = first.or_else(|| pickle.field(state, "dtype")) else {
        return Err(refused("its properties name no type"));
    };
    let chunks = pickle.field(node, "chunks").and_then(|own| pickle.entries(own)).unwrap_or_default();
    *left = left.checked_sub(chunks.len()).ok_or_else(|| {
        error!(Code::TooLarge, "the metadata has more than {max_chunks} boxes", [max_chunks = MAX_CHUNKS])
    })?;
    let mut boxes = Vec::new();
    for chunk in chunks {
        let chunk = pickle.node(*chunk);
        let (offsets, sizes) = (extents(chunk, "offsets")?, extents(chunk, "sizes")?);
        if offsets.len() != shape.len() || sizes.len() != shape.len() {
            return Err(refused(format!("a box at {offsets:?} of {sizes:?} in a tensor of {shape:?}")));
        }
        boxes.push((offsets, sizes));
    }
    if boxes.is_empty() {
        return Err(refused("it has no box"));
    }
    Ok(Tensor { dtype: dtype.strip_prefix("torch.").unwrap_or(dtype).to_owned(), shape, chunks: boxes })
}
