//! The files that `repack` reads and writes: one of named tensors, one array, plain bytes, or the files of an index.
//!
//! Law: a file of OUT has its name only when all its bytes are there, and an index only when all its files have theirs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bitstride::{Code, Error, error};
use bitstride_formats::{Container, Entry, GgufHeader, Made, Promise, Rewrite, Spec, Zoo, contract, label, weight_map};
use bitstride_relayout::SourceFile;
use serde_json::{Map, json};

use super::repack::Failure;
use crate::tensors::{Dtype, Kind, array_header, format, read_npy, safetensors_header};

/// How the name of an index ends.
const INDEX: &str = ".safetensors.index.json";

/// The most bytes of tensors in a file of an index where IN is one file, as Hugging Face cuts checkpoints.
const FILE_BYTES: usize = 5_000_000_000;

/// What OUT is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutKind {
    Gguf,
    Index,
    Other(Kind),
}

impl OutKind {
    pub(super) fn of(path: &Path) -> Self {
        if is_gguf(path) {
            OutKind::Gguf
        } else if is_index(path) {
            OutKind::Index
        } else {
            OutKind::Other(Kind::of(path))
        }
    }

    /// Whether it can hold a tensor that is kept.
    pub(super) fn keeps(self, tensor: &Made) -> bool {
        match self {
            OutKind::Gguf => tensor.in_ggml.is_some(),
            OutKind::Index | OutKind::Other(Kind::Safetensors) => tensor.is_plain,
            OutKind::Other(_) => false,
        }
    }
}

fn is_gguf(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gguf"))
}

/// Whether a path is that of a file of named tensors, or of a folder, whose name is no format's where it has a separator.
pub(super) fn is_named(path: &Path) -> bool {
    let is_folder = || path.is_dir() && (path.components().count() > 1 || path.to_string_lossy().ends_with('/'));
    is_folder() || is_gguf(path) || is_index(path) || Kind::of(path) == Kind::Safetensors
}

fn is_index(path: &Path) -> bool {
    path.to_string_lossy().ends_with(INDEX)
}

/// The files of IN.
pub(super) struct Input {
    pub(super) container: Container,
    files: Vec<(PathBuf, SourceFile)>,
    /// Where it lies.
    folder: PathBuf,
}

/// The files beside a checkpoint that say how its tensors are stored, the first that does so first.
const LABELS: [&str; 3] = ["config.json", "quantize_config.json", "hf_quant_config.json"];

/// The file that a folder is a checkpoint by: the index, or the only file of tensors.
fn in_folder(folder: &Path) -> Result<PathBuf, Failure> {
    let unread = |error| Failure::File("read", folder.to_owned(), error);
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        all.push(entry.map_err(unread)?.path());
    }
    let first = |is_own: &dyn Fn(&Path) -> bool| {
        let mut own = all.iter().filter(|path| is_own(path));
        own.next().filter(|_| own.next().is_none()).cloned()
    };
    let found = first(&is_index).or_else(|| first(&|path| is_named(path) && !is_index(path)));
    found.ok_or_else(|| {
        error!(Code::Kind, "{folder} has no single index or file of tensors", [folder = folder.display()])
            .with_help("name a .safetensors, .gguf or .safetensors.index.json file in it")
            .into()
    })
}

impl Input {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        if path.is_dir() {
            return Self::open(&in_folder(path)?);
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let open = |path: &Path| {
            let file = SourceFile::open(path).map_err(|error| Failure::File("read", path.to_owned(), error))?;
            Ok::<_, Failure>((path.to_owned(), file))
        };
        if !is_index(path) {
            let file = open(path)?;
            return Ok(Input { container: container(path, file.1.bytes())?, files: vec![file], folder });
        }
        let names = indexed(path)?;
        let mut paths: Vec<PathBuf> = names.values().map(|name| beside(path, name)).collect();
        paths.sort();
        paths.dedup();
        let files = paths.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
        let mut containers = Vec::new();
        for (own, file) in &files {
            let mut read = Container::read(file.bytes()).map_err(|error| error.about(own.display()))?;
            // What another file has by the index is left to that file.
            read.tensors.retain(|entry| names.get(&entry.name).is_none_or(|name| beside(path, name) == *own));
            containers.push(read);
        }
        let container = Container::joined(containers)?;
        if let Some((name, file)) = names.iter().find(|(name, _)| container.tensor(name).is_err()) {
            return Err(error!(
                Code::Syntax("file"),
                "{path}: {file} has no tensor {name}",
                [path = path.display(), file, name]
            )
            .into());
        }
        Ok(Input { container, files, folder })
    }

    /// What a configuration beside the files says that they hold, with its name.
    pub(super) fn label(&self) -> Result<Option<(&'static str, Spec)>, Failure> {
        for name in LABELS {
            let path = self.folder.join(name);
            if !path.is_file() {
                continue;
            }
            let text = fs::read_to_string(&path).map_err(|error| Failure::File("read", path.clone(), error))?;
            if let Some(spec) = label(&text).map_err(|error| error.about(path.display()))? {
                return Ok(Some((name, spec)));
            }
        }
        Ok(None)
    }

    /// The format that the files say their tensors have, or a configuration beside them.
    pub(super) fn format(&self, tensors: &[String], zoo: &Zoo) -> Result<Spec, Failure> {
        if let Some(spec) = Promise::name(&self.container, tensors, zoo)? {
            return Ok(spec);
        }
        self.label()?.map(|(_, spec)| spec).ok_or_else(|| {
            let message = "neither the file nor a config.json beside it says in which layout its tensors are";
            Error::new(Code::MissingFact, message).with_help("--from names the format").into()
        })
    }

    /// The bytes of the files.
    pub(super) fn bytes(&self) -> Vec<&[u8]> {
        self.files.iter().map(|(_, file)| file.bytes()).collect()
    }
}

fn beside(index: &Path, name: &str) -> PathBuf {
    index.parent().unwrap_or(Path::new("")).join(name)
}

/// The file of each tensor of an index.
fn indexed(path: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::File("read", path.to_owned(), error))?;
    let names = weight_map(&text).map_err(|error| error.about(path.display()))?;
    Ok(names.into_iter().collect())
}

/// The tensors of a file; one without a name where the file has no names.
fn container(path: &Path, bytes: &[u8]) -> Result<Container, Failure> {
    let invalid = |why: String| Failure::File("read", path.to_owned(), io::Error::new(io::ErrorKind::InvalidData, why));
    let alone = |dtype: &str, shape: Vec<i64>, data| {
        let dtype = dtype.to_owned();
        Container::of(vec![Entry { name: "tensor".to_owned(), dtype, shape, file: 0, data, is_blocks: false }])
    };
    match Kind::of(path) {
        Kind::Safetensors => Ok(Container::read(bytes).map_err(|error| error.about(path.display()))?),
        _ if is_gguf(path) => Ok(Container::read(bytes).map_err(|error| error.about(path.display()))?),
        Kind::Npy => {
            let array = read_npy(bytes).map_err(invalid)?;
            array.check_order("IN")?;
            let shape =
                array.shape.iter().map(|extent| i64::try_from(*extent).map_err(|_| Error::overflow("an extent")));
            Ok(alone(&array.dtype.name, shape.collect::<Result<_, _>>()?, array.data))
        }
        Kind::Plain => match format(bytes) {
            Some(format) => Err(error!(
                Code::Kind,
                "{path} is {format} by its first bytes, and plain bytes by its name",
                [path = path.display(), format]
            )
            .with_help("name it as what it is")
            .into()),
            None => Ok(alone("u8", vec![i64::try_from(bytes.len()).unwrap_or(i64::MAX)], 0..bytes.len())),
        },
    }
}

/// A file of OUT.
pub(super) struct OutFile {
    pub(super) path: PathBuf,
    pub(super) header: Vec<u8>,
    /// The tensors by number, and where each begins in the file.
    pub(super) tensors: Vec<(usize, usize)>,
    pub(super) bytes: usize,
}

impl OutFile {
    fn new(path: PathBuf, header: Vec<u8>, tensors: Vec<(usize, usize)>, rewrite: &Rewrite) -> Result<Self, Error> {
        let size = |(number, first): &(usize, usize)| {
            first.checked_add(rewrite.tensors.get(*number).map_or(0, |tensor| tensor.bytes))
        };
        let bytes =
            tensors.last().map_or(Some(header.len()), size).ok_or_else(|| Error::overflow("the size of OUT"))?;
        Ok(OutFile { path, header, tensors, bytes })
    }

    /// The bytes of each tensor of the whole file.
    pub(super) fn targets<'a>(&self, rewrite: &Rewrite, whole: &'a mut [u8]) -> Vec<&'a mut [u8]> {
        let (mut rest, mut at) = (whole, 0);
        let mut targets = Vec::new();
        for (number, first) in &self.tensors {
            let bytes = rewrite.tensors.get(*number).map_or(0, |tensor| tensor.bytes);
            let (own, behind) = rest.split_at_mut(first - at).1.split_at_mut(bytes);
            targets.push(own);
            (rest, at) = (behind, first + bytes);
        }
        targets
    }
}

/// The files of OUT, in the order in which they are written, and the index with its text.
pub(super) struct Output {
    pub(super) files: Vec<OutFile>,
    pub(super) index: Option<(PathBuf, String)>,
}

impl Output {
    pub(super) fn new(path: &Path, into: OutKind, input: &Input, rewrite: &Rewrite) -> Result<Self, Failure> {
        let all: Vec<usize> = (0..rewrite.tensors.len()).collect();
        let one = |header: Vec<u8>, offsets: Vec<usize>| {
            let tensors = all.iter().copied().zip(offsets.iter().map(|offset| header.len() + offset)).collect();
            let file = OutFile::new(path.to_owned(), header, tensors, rewrite)?;
            Ok(Output { files: vec![file], index: None })
        };
        match into {
            OutKind::Gguf => {
                let tensors: Vec<&Made> = rewrite.tensors.iter().collect();
                let header = GgufHeader::new(&input.container, &rewrite.about, &tensors)?;
                one(header.bytes, header.offsets)
            }
            OutKind::Other(Kind::Safetensors) => {
                Ok(Output { files: vec![safetensors(path.to_owned(), &all, input, rewrite)?], index: None })
            }
            OutKind::Other(kind) => one(array(kind, rewrite)?, vec![0]),
            OutKind::Index => sharded(path, input, rewrite),
        }
    }
}

/// A file of some tensors, one behind the other.
fn safetensors(path: PathBuf, numbers: &[usize], input: &Input, rewrite: &Rewrite) -> Result<OutFile, Error> {
    let own = || numbers.iter().filter_map(|number| rewrite.tensors.get(*number));
    let tensors: Vec<(&str, &str, &[i64], usize)> =
        own().map(|own| (own.name.as_str(), own.dtype.as_str(), own.shape.as_slice(), own.bytes)).collect();
    let mut about = input.container.texts(&rewrite.about);
    about.retain(|key, _| {
        let prefix = key.strip_prefix(contract::KEY).and_then(|rest| rest.strip_prefix(':'));
        prefix.is_none_or(|prefix| own().any(|tensor| tensor.name.starts_with(prefix)))
    });
    let header = safetensors_header(&tensors, &about)?;
    let mut at = header.len();
    let mut placed = Vec::new();
    for (number, (.., bytes)) in numbers.iter().zip(&tensors) {
        placed.push((*number, at));
        at = at.checked_add(*bytes).ok_or_else(|| Error::overflow("the size of OUT"))?;
    }
    OutFile::new(path, header, placed, rewrite)
}

/// What comes before the bytes of the only tensor.
fn array(kind: Kind, rewrite: &Rewrite) -> Result<Vec<u8>, Error> {
    let [only] = rewrite.tensors.as_slice() else {
        let names: Vec<&str> = rewrite.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
        return Err(error!(Code::Kind, "OUT holds one tensor, and would have {names}", [names = names.join(", ")])
            .with_help("write a .safetensors file, or choose with --field"));
    };
    if kind == Kind::Plain {
        return Ok(Vec::new());
    }
    let shape = only.shape.iter().map(|extent| u64::try_from(*extent).map_err(|_| Error::overflow("an extent")));
    Ok(array_header(&Dtype::read(&signed(&only.dtype))?, &shape.collect::<Result<Vec<_>, _>>()?))
}

/// A type of the zoo as it is typed elsewhere: `i32` there is an integer without a sign here.
fn signed(dtype: &str) -> String {
    dtype.strip_prefix('i').map_or_else(|| dtype.to_owned(), |bits| format!("s{bits}"))
}

/// The files of an index: those of IN where it has several, else as many as their size asks for.
fn sharded(path: &Path, input: &Input, rewrite: &Rewrite) -> Result<Output, Failure> {
    if path.exists() {
        return Err(error!(
            Code::Kind,
            "{path} is there: a checkpoint of several files is not replaced",
            [path = path.display()]
        )
        .with_help("write to a folder of its own")
        .into());
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (mut bytes, mut before) = (usize::MAX, usize::MAX);
    let mut order: Vec<(usize, &Made)> = rewrite.tensors.iter().enumerate().collect();
    order.sort_by_key(|(_, tensor)| rewrite.file_of(tensor));
    for (number, tensor) in order {
        let file = rewrite.file_of(tensor);
        let is_new =
            if input.files.len() > 1 { file != before } else { bytes.saturating_add(tensor.bytes) > FILE_BYTES };
        if is_new {
            groups.push(Vec::new());
            bytes = 0;
        }
        bytes = bytes.saturating_add(tensor.bytes);
        before = file;
        groups.iter_mut().last().into_iter().for_each(|group| group.push(number));
    }
    let stem = path.file_name().map(|name| name.to_string_lossy().replace(INDEX, "")).unwrap_or_default();
    let (mut files, mut names, mut total) = (Vec::new(), Map::new(), 0usize);
    for (at, group) in groups.iter().enumerate() {
        let name = format!("{stem}-{:05}-of-{:05}.safetensors", at + 1, groups.len());
        let own = beside(path, &name);
        let same =
            |other: &Path| own.canonicalize().is_ok_and(|own| other.canonicalize().is_ok_and(|other| own == other));
        if input.files.iter().any(|(other, _)| same(other)) {
            let error = error!(Code::Kind, "OUT would replace {own}, a file of IN", [own = own.display()]);
            return Err(error.with_help("write to a folder of its own").into());
        }
        let file = safetensors(own, group, input, rewrite)?;
        for tensor in group.iter().filter_map(|number| rewrite.tensors.get(*number)) {
            names.insert(tensor.name.clone(), json!(name));
            total = total.saturating_add(tensor.bytes);
        }
        files.push(file);
    }
    let text = json!({"metadata": {"total_size": total}, "weight_map": names});
    Ok(Output { files, index: Some((path.to_owned(), format!("{text:#}\n"))) })
}
