//! [`Promise`]: what a file says that its tensors are, and what their values suggest.
//!
//! A promise is a contract in the metadata, or the type of blocks of a GGUF file. Nothing else says where bits lie: the names
//! and extents of tensors do not.
//!
//! Law: a promise is what the file says of tensors that it has, held against their sizes; what values suggest is a heuristic and says so.

use std::collections::BTreeSet;

use bitstride::{Code, Error, error};

use crate::cells::value;
use crate::container::{Container, Entry, first_names};
use crate::contract;
use crate::expression::Argument;
use crate::format::Format;
use crate::job::only;
use crate::points::Points;
use crate::spec::Spec;
use crate::stack::{self, EXPERTS};
use crate::zoo::Zoo;

/// The most zero points that are looked at.
const MAX_ZEROS: usize = 4096;

/// What a file says that some of its tensors are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// What the names of the tensors begin with, or the name of the only one.
    pub prefix: String,
    /// The format.
    pub format: Format,
}

impl Promise {
    /// The promise about a tensor, or the only one that the file makes.
    ///
    /// # Errors
    /// [`Code::UnknownName`] where the file does not have the tensor; [`Code::MissingFact`] where the file says nothing, or
    /// several things; [`Code::Range`] for a tensor that has another size than the format gives it; as [`contract::read`].
    pub fn of(container: &Container, tensor: Option<&str>, zoo: &Zoo) -> Result<Self, Error> {
        if let Some(name) = tensor
            && !container.tensors.iter().any(|entry| entry.name.starts_with(name))
        {
            container.tensor(name)?;
        }
        // A tensor that is there is meant itself, and no other whose name goes on behind it.
        let is_one = tensor.is_some_and(|name| container.tensors.iter().any(|entry| entry.name == name));
        let is_about = |name: &str, own: &str| if is_one { own == name } else { is_below(name, own) };
        let is_meant = |own: &&Said<'_>| tensor.is_none_or(|name| own.tensors.iter().any(|own| is_about(name, own)));
        let said = contracts(container, zoo);
        let mut promises: Vec<&Said<'_>> = said.iter().filter(|own| !own.tensors.is_empty()).filter(is_meant).collect();
        // Of one tensor the longest prefix says the most.
        promises.sort_by_key(|own| std::cmp::Reverse(own.prefix.len()));
        if let (Some(said), true) = (promises.first(), is_one || promises.len() == 1) {
            let promise = Promise { prefix: said.prefix.to_owned(), format: said.format.clone()? };
            promise.holds_of(container, "the contract of the file")?;
            return Ok(promise);
        }
        let blocks: Vec<&Entry> = container
            .tensors
            .iter()
            .filter(|entry| entry.is_blocks && tensor.is_none_or(|name| entry.name == name))
            .collect();
        match (blocks.as_slice(), promises.len()) {
            ([entry], 0) => of_blocks(entry, zoo),
            ([], 0) => {
                let message = "the file does not say in which layout its tensors are";
                Err(Error::new(Code::MissingFact, message)
                    .with_help(format!("name the format; `bitstride repack` writes the key {}", contract::KEY)))
            }
            _ => {
                let message = "the file says in which layout several tensors are";
                let known = promises.iter().flat_map(|own| own.tensors.iter().copied());
                let known = first_names(known.chain(blocks.iter().map(|entry| entry.name.as_str())));
                Err(Error::new(Code::MissingFact, message).with_help(format!("--tensor names one of {known}")))
            }
        }
    }

    /// The promise about a tensor by a label: a format that something else than the file says of all its tensors.
    ///
    /// # Errors
    /// As [`Promise::of`]; [`Code::MissingFact`] where several tensors may be meant.
    pub fn labelled(container: &Container, tensor: Option<&str>, label: &Spec, zoo: &Zoo) -> Result<Self, Error> {
        let (prefix, format) = only(container, label, tensor, zoo)?;
        let promise = Promise { prefix, format };
        promise.holds_of(container, "the label beside the file")?;
        Ok(promise)
    }

    /// The name of the only format that a file says of its tensors, or of those whose names begin as given; none where it says
    /// nothing.
    ///
    /// # Errors
    /// [`Code::MissingFact`] where it says several; as [`contract::read`].
    pub fn name(container: &Container, tensors: &[String], zoo: &Zoo) -> Result<Option<Spec>, Error> {
        let is_meant = |name: &str| tensors.is_empty() || tensors.iter().any(|own| own == name || is_below(own, name));
        let mut names: Vec<String> = Vec::new();
        for own in contracts(container, zoo) {
            if own.tensors.iter().any(|name| is_meant(name)) {
                let spec = Spec::read(&own.format?.name)?;
                names.push(zoo.definition(&spec)?.0.name.clone());
            }
        }
        let blocks = container.tensors.iter().filter(|entry| entry.is_blocks && is_meant(&entry.name));
        names.extend(blocks.map(|entry| format!("gguf:{}", entry.dtype)));
        names.sort();
        names.dedup();
        match names.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(Spec { name: only.clone(), parameters: Vec::new() })),
            several => {
                Err(error!(Code::MissingFact, "the file has several formats: {names}", [names = several.join(", ")])
                    .with_help("--from names one of them, and --tensor chooses tensors"))
            }
        }
    }

    /// Refuses tensors of other sizes than the format has.
    fn holds_of(&self, container: &Container, by: &str) -> Result<(), Error> {
        for tensor in &self.format.tensors {
            let bytes = usize::try_from(tensor.bytes()?).map_err(|_| Error::overflow("the size of a tensor"))?;
            if let Some(entry) = self.entry(container, &tensor.name)
                && entry.data.len() != bytes
            {
                return Err(error!(
                    Code::Range,
                    "{name} has {data_count} bytes, and by {by}, {format_name}, it would have {bytes}",
                    [name = entry.name, data_count = entry.data.len(), by, format_name = self.format.name, bytes]
                ));
            }
        }
        Ok(())
    }

    fn entry<'a>(&self, container: &'a Container, name: &str) -> Option<&'a Entry> {
        let is_only = self.format.tensors.len() == 1;
        let find = |name: &str| container.tensors.iter().find(|entry| entry.name == name);
        let behind = joined(&self.prefix, name).iter().find_map(|name| find(name));
        behind.or_else(|| find(&self.prefix).filter(|_| is_only))
    }

    /// What stored zero points suggest: all of them 7, or all of them 8, where 4 bits have a symmetric quantization, which GPTQ v1
    /// stores minus 1. None for all other values, which decide nothing.
    pub fn heuristic(&self, container: &Container, files: &[&[u8]]) -> Option<String> {
        let zeros = self.format.field("zeros").ok().filter(|_| self.format.name.starts_with("gptq:"))?;
        let entry = self.entry(container, &self.format.tensor_of(zeros)?.name)?;
        let bytes = files.get(entry.file)?.get(entry.data.clone())?;
        let middle = 1i64.checked_shl(u32::try_from(zeros.places.element_bits() - 1).ok()?)?;
        let mut all = Points::new(&zeros.places.shape().ok()?, true).take(MAX_ZEROS);
        let first = value(&zeros.places, &all.next()?, bytes).ok()?;
        let mut count = 1;
        for point in all {
            if value(&zeros.places, &point, bytes).ok()? != first {
                return None;
            }
            count += 1;
        }
        let variant = match first {
            own if own == middle - 1 => "gptq:v1",
            own if own == middle => "gptq:v2",
            _ => return None,
        };
        Some(format!(
            "heuristic, no proof: {} has {first} as each of its first {count} zero points, as {variant} stores those of a \
             symmetric quantization",
            entry.name
        ))
    }
}

/// A contract in the metadata of a file.
pub(crate) struct Said<'a> {
    pub(crate) key: &'a str,
    pub(crate) prefix: &'a str,
    pub(crate) format: Result<Format, Error>,
    /// The names of the tensors of the file that it is about: those of its format, or all below its prefix where the
    /// format cannot be read. None where the file does not have them, as after a program that does not know contracts.
    pub(crate) tensors: Vec<&'a str>,
}

/// The contracts of a file.
pub(crate) fn contracts<'a>(container: &'a Container, zoo: &Zoo) -> Vec<Said<'a>> {
    let names: BTreeSet<&str> = container.tensors.iter().map(|entry| entry.name.as_str()).collect();
    let mut all = Vec::new();
    for (key, line) in &container.about {
        let prefix = match key.strip_prefix(contract::KEY) {
            Some("") => "",
            Some(rest) if rest.starts_with(':') => rest.split_at(1).1,
            _ => continue,
        };
        let format = contract::read(line, zoo);
        let tensors = match &format {
            Ok(format) => {
                let find = |name: &String| names.get(name.as_str()).copied();
                let own = format.tensors.iter().map(|tensor| joined(prefix, &tensor.name));
                let own: Vec<&str> = own.filter_map(|names| names.iter().find_map(find)).collect();
                // One tensor alone may have the prefix as its name.
                if own.is_empty() { names.get(prefix).copied().into_iter().collect() } else { own }
            }
            Err(_) => names.iter().copied().filter(|name| is_below(prefix, name)).collect(),
        };
        all.push(Said { key, prefix, format, tensors });
    }
    all
}

/// The names that a tensor of a format may have behind a prefix.
pub(crate) fn joined(prefix: &str, name: &str) -> [String; 3] {
    [format!("{prefix}{name}"), format!("{prefix}.{name}"), format!("{prefix}_{name}")]
}

/// Whether a name is a prefix, or begins with it up to a separator.
pub(crate) fn is_below(prefix: &str, name: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(['.', '_']);
    prefix.is_empty() || name.strip_prefix(prefix).is_some_and(|rest| prefix.ends_with(['.', '_']) || is_end(rest))
}

/// The name of blocks of a tensor of some extents, with those before the rows as experts.
pub(crate) fn of_rows(name: &str, shape: &[i64]) -> Spec {
    let (columns, rows) = shape.split_last().unwrap_or((&0, &[]));
    let (rows, experts) = rows.split_last().unwrap_or((&1, &[]));
    let spec = Spec { name: name.to_owned(), parameters: Vec::new() };
    let spec = spec.with("n", Argument::Number(*rows)).with("k", Argument::Number(*columns));
    if experts.is_empty() { spec } else { spec.with(EXPERTS, stack::argument(experts)) }
}

/// The format of the blocks of a tensor of a GGUF file.
fn of_blocks(entry: &Entry, zoo: &Zoo) -> Result<Promise, Error> {
    let find = |name: &str| zoo.definitions().iter().find(|own| own.name.eq_ignore_ascii_case(name));
    let definition = find(&format!("gguf:{}", entry.dtype)).ok_or_else(|| {
        error!(
            Code::UnknownName,
            "{name} has blocks of {dtype}, whose layout is not known here",
            [name = entry.name, dtype = entry.dtype]
        )
    })?;
    let spec = of_rows(&definition.name, &entry.shape);
    Ok(Promise { prefix: entry.name.clone(), format: zoo.instance(&spec)? })
}
