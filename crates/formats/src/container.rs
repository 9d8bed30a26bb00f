//! [`Container`]: the named tensors of a `.safetensors` or `.gguf` file.
//!
//! Law: every tensor lies inside the file, at the bytes that its header says, or the file is refused with the offset.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bitstride::{Code, Error, error};
use safetensors::SafeTensors;

use crate::gguf;
use crate::repeated_key::RepeatedKey;
use crate::safetensors_fault::fault;

/// A tensor of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The type of its elements or blocks: `i32`, `f16`, `q4_0`.
    pub dtype: String,
    /// Its extents, the slowest first.
    pub shape: Vec<i64>,
    /// The number of the file that it lies in, where a checkpoint has several.
    pub file: usize,
    /// Its bytes in the file.
    pub data: Range<usize>,
    /// Whether the type is of blocks, so that extents count elements and not what is stored.
    pub is_blocks: bool,
}

impl Entry {
    /// The extents of what is stored: rows of bytes where the type is of blocks, of which a vector is one row.
    pub fn stored_shape(&self) -> Vec<i64> {
        let mut shape = self.shape.clone();
        if let (true, Some((last, rows))) = (self.is_blocks, shape.split_last_mut()) {
            let rows: i64 = rows.iter().fold(1i64, |product, extent| product.saturating_mul(*extent)).max(1);
            *last = i64::try_from(self.data.len()).unwrap_or(i64::MAX) / rows;
            if shape.len() == 1 {
                shape.insert(0, 1);
            }
        }
        shape
    }
}

/// A key of a GGUF file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// The number of its type, and its value.
    pub value: Vec<u8>,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Named tensors behind a header in JSON.
    Safetensors,
    /// Named tensors behind keys, blocks of ggml.
    Gguf,
}

/// The tensors of a file, and what it says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// What the file is.
    pub kind: Kind,
    /// The tensors in the order of their data.
    pub tensors: Vec<Entry>,
    /// Texts and numbers about the file, by key; arrays are left out.
    pub about: BTreeMap<String, String>,
    /// The keys of a GGUF file with their types and values as they are stored, arrays included, in order; also of the file
    /// that this one was made of.
    pub keys: Vec<Key>,
    /// The multiple of bytes at which tensors begin.
    pub alignment: usize,
}

impl Container {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// [`Code::Syntax`] for what is neither, or is damaged, with the offset.
    ///
    /// ```
    /// use bitstride_formats::Container;
    /// let header = br#"{"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#;
    /// let file = [&header.len().to_le_bytes()[..], header, &[1, 2]].concat();
    /// let read = Container::read(&file)?;
    /// assert_eq!((read.tensors[0].dtype.as_str(), read.tensors[0].data.len()), ("u8", 2));
    /// assert!(Container::read(b"GGUF\x03\0\0\0").is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.starts_with(gguf::MAGIC) { gguf::read(bytes) } else { safetensors(bytes) }
    }

    /// Tensors without a file, such as arrays in memory: each has its number as that of its file.
    pub fn of(tensors: Vec<Entry>) -> Self {
        let (about, keys) = (BTreeMap::new(), Vec::new());
        Container { kind: Kind::Safetensors, tensors, about, keys, alignment: 1 }
    }

    /// The tensors of the files of one checkpoint, in order, which must have names of their own.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] for a tensor that two files have.
    pub fn joined(files: Vec<Container>) -> Result<Self, Error> {
        let mut all = Container::of(Vec::new());
        let mut names = BTreeSet::new();
        for (number, file) in files.into_iter().enumerate() {
            for mut entry in file.tensors {
                if !names.insert(entry.name.clone()) {
                    return Err(error!(Code::DimNamesMismatch, "two files have a tensor {name}", [name = entry.name]));
                }
                entry.file = number;
                all.tensors.push(entry);
            }
            all.about.extend(file.about);
            if all.keys.is_empty() {
                (all.keys, all.alignment) = (file.keys, file.alignment);
            }
        }
        Ok(all)
    }

    /// What another kind of file says about itself: these texts, and the keys of the GGUF file that this is or was.
    pub fn texts(&self, about: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut texts = about.clone();
        if !self.keys.is_empty() {
            texts.insert(gguf::KEYS.to_owned(), gguf::keys_as_text(&self.keys));
        }
        texts
    }

    /// A tensor by its name.
    ///
    /// # Errors
    /// [`Code::UnknownName`] with a near name.
    pub fn tensor(&self, name: &str) -> Result<&Entry, Error> {
        self.tensors.iter().find(|tensor| tensor.name == name).ok_or_else(|| {
            let error = error!(Code::UnknownName, "the file has no tensor {name}", [name]);
            let names = self.tensors.iter().map(|tensor| tensor.name.as_str());
            match bitstride::names::did_you_mean(name, names.clone()) {
                Some(near) => error.with_help(format!("is {near} meant?")),
                None => error.with_help(format!("it has {}", first_names(names))),
            }
        })
    }
}

/// The first of some names, as a sentence lists them.
pub(crate) fn first_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MAX_NAMED: usize = 5;
    let mut first: Vec<&str> = names.take(MAX_NAMED + 1).collect();
    if let Some(last) = first.get_mut(MAX_NAMED) {
        *last = "…";
    }
    if first.is_empty() { "no tensors".to_owned() } else { first.join(", ") }
}

/// Refuses tensors of one name, and tensors that share bytes, which a repack would lose or mix up.
pub(crate) fn check_apart(tensors: &[Entry]) -> Result<(), Error> {
    let mut names = BTreeSet::new();
    if let Some(twice) = tensors.iter().find(|own| !names.insert(own.name.as_str())) {
        return Err(error!(Code::Syntax("bad-container"), "the file has two tensors {name}", [name = twice.name]));
    }
    let mut stored: Vec<&Entry> = tensors.iter().filter(|own| !own.data.is_empty()).collect();
    stored.sort_by_key(|own| own.data.start);
    for (before, behind) in stored.iter().zip(stored.iter().skip(1)) {
        if behind.data.start < before.data.end {
            return Err(error!(
                Code::Syntax("bad-container"),
                "{name} begins at byte {start}, within {before}, which has the bytes {first} to {end}",
                [
                    name = behind.name,
                    start = behind.data.start,
                    before = before.name,
                    first = before.data.start,
                    end = before.data.end
                ]
            ));
        }
    }
    Ok(())
}

/// The bytes of the length of a header, before it.
pub(crate) const LENGTH_BYTES: usize = 8;

/// The header of a `.safetensors` file; none where the file ends before it, or where it is no text.
fn header(bytes: &[u8]) -> Option<&str> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    str::from_utf8(rest.get(..length)?).ok()
}

fn safetensors(bytes: &[u8]) -> Result<Container, Error> {
    let damaged = |why: String| error!(Code::Syntax("bad-container"), "no .safetensors or .gguf file: {why}", [why]);
    if let Some(twice) = header(bytes).and_then(RepeatedKey::find) {
        let [first, second] = twice.places.map(|place| place + LENGTH_BYTES);
        return Err(error!(
            Code::Syntax("bad-container"),
            "no .safetensors file: {twice}, at bytes {first} and {second}",
            [twice = twice.to_string(), first, second]
        )
        .with_help("readers differ in which of the two they keep; write the file again with each name once"));
    }
    let read = SafeTensors::read_metadata(bytes);
    let (length, metadata) = read.map_err(|error| fault(bytes).unwrap_or_else(|| damaged(error.to_string())))?;
    let start = length.checked_add(LENGTH_BYTES).ok_or_else(|| Error::overflow("the length of a header"))?;
    let mut tensors = Vec::new();
    for name in metadata.offset_keys() {
        let Some(info) = metadata.info(&name) else { continue };
        let (first, last) = info.data_offsets;
        let data = start.saturating_add(first)..start.saturating_add(last);
        if bytes.get(data.clone()).is_none() {
            return Err(damaged(format!("{name} ends at byte {}, the file at {}", data.end, bytes.len())));
        }
        let shape = info.shape.iter().map(|extent| i64::try_from(*extent).map_err(|_| Error::overflow("an extent")));
        let (dtype, shape) = (info.dtype.to_string().to_lowercase(), shape.collect::<Result<_, _>>()?);
        tensors.push(Entry { name, dtype, shape, file: 0, data, is_blocks: false });
    }
    check_apart(&tensors)?;
    let about = metadata.metadata().iter().flatten().map(|(key, text)| (key.clone(), text.clone()));
    let mut about: BTreeMap<String, String> = about.collect();
    let (keys, alignment) = about.remove(gguf::KEYS).map_or(Ok((Vec::new(), 8)), |text| gguf::keys_of_text(&text))?;
    Ok(Container { kind: Kind::Safetensors, tensors, about, keys, alignment })
}
