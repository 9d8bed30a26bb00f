//! [`Rewrite`]: the tensors of a file in another format, the others as they are.
//!
//! The tensors of a format are found by their names behind a common prefix (`model.layers.0.q_proj.qweight`), and what a
//! name leaves open, such as k and n, is read off their extents. Everything is decided before a byte is written.
//!
//! Law: OUT has every tensor of IN, or what a repack makes of it; nothing is dropped but tensors that are repacked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bitstride::{Code, Error, error};

use crate::container::{Container, Entry, first_names};
use crate::contract;
use crate::definition::{Definition, Extents, StatementKind};
use crate::expression::Argument;
use crate::format::{Format, dtype_bits};
use crate::gguf;
use crate::names::Names;
use crate::promise::{Said, contracts, joined};
use crate::repack::Repack;
use crate::spec::Spec;
use crate::zoo::Zoo;

/// The bytes of a tensor that are copied between two reports of progress.
const COPY_BYTES: usize = 64 << 20;

/// What is asked of a file.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The format of its tensors.
    pub from: &'a Spec,
    /// The format that they get.
    pub to: &'a Spec,
    /// The fields that are repacked; none for all that the file has.
    pub fields: &'a [String],
    /// The tensors: prefixes of names, or the name of a tensor alone; none for all that fit.
    pub tensors: &'a [String],
    /// The names that tensors get.
    pub names: &'a Names,
}

/// Some bytes of a file of IN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the file.
    pub file: usize,
    /// The bytes in it.
    pub data: Range<usize>,
}

impl Part {
    fn of(entry: &Entry) -> Self {
        Part { file: entry.file, data: entry.data.clone() }
    }

    fn bytes<'a>(&self, files: &[&'a [u8]]) -> &'a [u8] {
        files.get(self.file).and_then(|file| file.get(self.data.clone())).unwrap_or_default()
    }
}

/// Where the bytes of a tensor of OUT come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The bytes of a file of IN.
    Copied(Part),
    /// The tensor of a number of a job.
    Made(usize, usize),
}

/// A tensor of OUT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// Its type, as the format or IN declares it.
    pub dtype: String,
    /// Its extents, the slowest first.
    pub shape: Vec<i64>,
    /// Its type and extents as a GGUF file says them; none where such files do not have it.
    pub in_ggml: Option<(String, Vec<i64>)>,
    /// Whether other files than GGUF have its type.
    pub is_plain: bool,
    /// Its bytes.
    pub bytes: usize,
    /// Where they come from.
    pub origin: Origin,
}

/// The tensors of one format that are repacked together.
#[derive(Clone, Debug)]
pub struct Job {
    /// What their names begin with.
    pub prefix: String,
    /// The formats.
    pub formats: [Format; 2],
    /// How they are repacked.
    pub repack: Repack,
    /// The bytes of each tensor of the source in IN; none for one that is not read.
    pub sources: Vec<Option<Part>>,
    /// The names of these tensors in IN.
    names: Vec<Option<String>>,
}

impl Job {
    /// Whether it repacks a tensor of IN.
    fn has(&self, name: &str) -> bool {
        self.names.iter().flatten().any(|own| own == name)
    }
}

/// How a file is rewritten.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The tensors of OUT, in order.
    pub tensors: Vec<Made>,
    /// The repacks.
    pub jobs: Vec<Job>,
    /// The texts about OUT: those of IN, and a contract a job.
    pub about: BTreeMap<String, String>,
    /// The contracts of blocks that are kept, for files that have no types of blocks.
    pub blocks: BTreeMap<String, String>,
}

impl Rewrite {
    /// How a file is rewritten.
    ///
    /// # Errors
    /// [`Code::UnknownName`] where no tensor of the file is one of the format; [`Code::Range`] for a tensor of another size
    /// than the format has; otherwise as [`Zoo::instance`] and [`Repack::new`].
    pub fn new(container: &Container, request: &Request<'_>, zoo: &Zoo) -> Result<Self, Error> {
        let (from, _) = zoo.definition(request.from)?;
        zoo.definition(request.to)?;
        for prefix in request.tensors {
            if !container.tensors.iter().any(|entry| entry.name.starts_with(prefix.as_str())) {
                container.tensor(prefix).map_err(|error| error.about("--tensor"))?;
            }
        }
        let said = contracts(container, zoo);
        let prefixes = prefixes(container, from, request.tensors, &said, zoo);
        if prefixes.is_empty() {
            let names: Vec<String> = tensor_names(from).into_iter().map(|name| format!("….{name}")).collect();
            let own = first_names(container.tensors.iter().map(|own| own.name.as_str()));
            return Err(error!(Code::UnknownName, "the file has no tensors {names}", [names = names.join(", ")])
                .with_help(format!("it has {own}; --tensor names one, or what their names begin with")));
        }
        let mut jobs = Vec::new();
        for prefix in prefixes {
            let job = job(container, request, zoo, &prefix, &said);
            jobs.push(job.map_err(|error| if prefix.is_empty() { error } else { error.about(&prefix) })?);
        }
        Self::of_jobs(container, jobs, request.names, zoo, &said)
    }

    /// Puts the tensors of OUT in order: those that are made where the first of those that they are made of was.
    fn of_jobs(
        container: &Container,
        jobs: Vec<Job>,
        names: &Names,
        zoo: &Zoo,
        said: &[Said<'_>],
    ) -> Result<Self, Error> {
        let (mut tensors, mut blocks) = (Vec::new(), BTreeMap::new());
        let (mut about, mut promises) = (container.about.clone(), Vec::new());
        let mut made = vec![false; jobs.len()];
        for entry in &container.tensors {
            let own = jobs.iter().position(|job| job.has(&entry.name));
            let Some(number) = own else {
                let (made, contract) = kept(entry, container, zoo);
                blocks.extend(contract.map(|line| (contract_key(&names.renamed(&made.name)), line)));
                tensors.push(made);
                continue;
            };
            if let (Some(done), Some(job)) = (made.get_mut(number), jobs.get(number))
                && !*done
            {
                *done = true;
                let made = targets(number, job, entry, container)?;
                let prefix = names.renamed(&job.prefix);
                let behind = |own: &Made| match own.origin {
                    Origin::Made(_, at) => job
                        .repack
                        .to
                        .get(at)
                        .is_some_and(|tensor| joined(&prefix, &tensor.name).contains(&names.renamed(&own.name))),
                    Origin::Copied(_) => false,
                };
                // A tensor alone may have a name that does not begin as the group did.
                let promised = match made.as_slice() {
                    [only] if !behind(only) => Some(names.renamed(&only.name)),
                    _ => made.iter().any(behind).then_some(prefix),
                };
                promises.extend(promised.map(|own| (own, &job.formats[1])));
                tensors.extend(made);
            }
        }
        // Of tensors that OUT does not have, it promises nothing.
        let is_stale = |own: &&Said<'_>| {
            own.tensors.is_empty() || own.tensors.iter().any(|name| jobs.iter().any(|job| job.has(name)))
        };
        said.iter().filter(is_stale).for_each(|own| drop(about.remove(own.key)));
        tensors.iter_mut().for_each(|tensor| tensor.name = names.renamed(&tensor.name));
        // Where only some fields are repacked, others of the old format may be in the place of those of the new one.
        let kept = tensors.iter().filter(|own| matches!(own.origin, Origin::Copied(_)));
        let kept: BTreeSet<&str> = kept.map(|own| own.name.as_str()).collect();
        let is_kept = |prefix: &str, name: &str| joined(prefix, name).iter().any(|own| kept.contains(own.as_str()));
        let is_whole =
            |(prefix, format): &(String, &Format)| !format.tensors.iter().any(|tensor| is_kept(prefix, &tensor.name));
        let whole = promises.into_iter().filter(is_whole);
        about.extend(whole.map(|(prefix, format)| (contract_key(&prefix), contract::line(format))));
        let mut seen = BTreeSet::new();
        if let Some(twice) = tensors.iter().find(|tensor| !seen.insert(tensor.name.clone())) {
            return Err(error!(Code::DimNamesMismatch, "OUT would have two tensors {name}", [name = twice.name]));
        }
        Ok(Rewrite { tensors, jobs, about, blocks })
    }

    /// Writes some tensors, each into its own bytes of OUT, in the order of their numbers; those that are made together have
    /// to be among them together. `progress` receives the bytes that are done.
    ///
    /// # Errors
    /// As [`Repack::run`]; [`Code::Range`] where a buffer has another size.
    pub fn run(
        &self,
        files: &[&[u8]],
        tensors: &[usize],
        targets: Vec<&mut [u8]>,
        mut progress: impl FnMut(usize),
    ) -> Result<(), Error> {
        let mut done = 0;
        let mut waiting: Vec<Vec<Option<&mut [u8]>>> =
            self.jobs.iter().map(|job| job.repack.to.iter().map(|_| None).collect()).collect();
        let chosen = tensors.iter().filter_map(|number| self.tensors.get(*number));
        for (tensor, target) in chosen.zip(targets) {
            if target.len() != tensor.bytes {
                return Err(error!(
                    Code::Range,
                    "{name} has {bytes} bytes, and room for {target_count}",
                    [name = tensor.name, bytes = tensor.bytes, target_count = target.len()]
                ));
            }
            match &tensor.origin {
                Origin::Copied(part) => {
                    for (target, source) in target.chunks_mut(COPY_BYTES).zip(part.bytes(files).chunks(COPY_BYTES)) {
                        target.copy_from_slice(source);
                        done += target.len();
                        progress(done);
                    }
                }
                Origin::Made(job, number) => {
                    if let Some(slot) = waiting.get_mut(*job).and_then(|slots| slots.get_mut(*number)) {
                        *slot = Some(target);
                    }
                }
            }
        }
        for (job, slots) in self.jobs.iter().zip(waiting) {
            if slots.iter().all(Option::is_none) {
                continue;
            }
            let sources: Vec<&[u8]> =
                job.sources.iter().map(|part| part.as_ref().map_or(&[][..], |part| part.bytes(files))).collect();
            let mut slices: Vec<&mut [u8]> = slots.into_iter().map(Option::unwrap_or_default).collect();
            for (number, (slice, tensor)) in slices.iter_mut().zip(&job.repack.to).enumerate() {
                if !job.repack.covers(number) {
                    slice.fill(tensor.fill);
                }
            }
            let ran = job.repack.run_into(&sources, &mut slices);
            ran.map_err(|error| if job.prefix.is_empty() { error } else { error.about(&job.prefix) })?;
            done += slices.iter().map(|slice| slice.len()).sum::<usize>();
            progress(done);
        }
        Ok(())
    }

    /// The file of IN that a tensor of OUT comes from, or the first of several.
    pub fn file_of(&self, tensor: &Made) -> usize {
        match &tensor.origin {
            Origin::Copied(part) => part.file,
            Origin::Made(job, _) => {
                let parts = self.jobs.get(*job).into_iter().flat_map(|job| job.sources.iter().flatten());
                parts.map(|part| part.file).min().unwrap_or(0)
            }
        }
    }
}

/// A tensor that is kept byte for byte, and the contract that says what it is where a file has no such type: blocks of ggml are rows of
/// bytes elsewhere, and blocks again in a GGUF file.
fn kept(entry: &Entry, container: &Container, zoo: &Zoo) -> (Made, Option<String>) {
    let Entry { name, dtype, shape, data, .. } = entry.clone();
    let (bytes, origin) = (data.len(), Origin::Copied(Part::of(entry)));
    let made = |dtype, shape, in_ggml, is_plain| Made { name, dtype, shape, in_ggml, is_plain, bytes, origin };
    if !entry.is_blocks {
        let said = container.about.get(&contract_key(&entry.name)).filter(|_| dtype == "u8");
        let format = said.and_then(|line| contract::read(line, zoo).ok());
        let own = format.and_then(|format| blocks_of_rows(&format, &shape, bytes));
        let in_ggml = own.or_else(|| Some((gguf::type_name(&dtype)?, shape.clone())));
        return (made(dtype, shape, in_ggml, true), None);
    }
    let in_ggml = gguf::type_name(&dtype).map(|own| (own, shape.clone()));
    let Some(format) = rows_of_blocks(entry, zoo) else { return (made(dtype, shape, in_ggml, false), None) };
    let mut rows = shape;
    if let (Some(last), Some(row)) = (rows.last_mut(), format.tensors.first().and_then(|own| own.shape.last())) {
        *last = *row;
    }
    (made("u8".to_owned(), rows, in_ggml, true), Some(contract::line(&format)))
}

/// The format of the blocks of a tensor of a GGUF file, where the zoo has it.
fn rows_of_blocks(entry: &Entry, zoo: &Zoo) -> Option<Format> {
    let (columns, rows) = entry.shape.split_last()?;
    let rows = rows.iter().try_fold(1i64, |all, extent| all.checked_mul(*extent))?;
    let name = zoo.definitions().iter().map(|own| own.name.as_str());
    let name = name.filter_map(|own| own.strip_prefix("gguf:")).find(|own| own.eq_ignore_ascii_case(&entry.dtype))?;
    let format = zoo.format(&format!("gguf:{name},n={rows},k={columns}")).ok()?;
    let is_whole =
        format.tensors.first().and_then(|own| usize::try_from(own.bytes().ok()?).ok()) == Some(entry.data.len());
    is_whole.then_some(format)
}

/// The type of ggml, and the extents in elements, of rows of bytes that are blocks by their contract.
fn blocks_of_rows(format: &Format, shape: &[i64], bytes: usize) -> Option<(String, Vec<i64>)> {
    let (name, own) = blocks(format)?;
    let tensor = format
        .tensors
        .first()
        .filter(|own| own.bytes().ok().and_then(|own| usize::try_from(own).ok()) == Some(bytes))?;
    let mut elements = shape.to_vec();
    let last = elements.last_mut().filter(|last| Some(&**last) == tensor.shape.last())?;
    *last = *own.last()?;
    Some((name, elements))
}

/// The key of the contract of the tensors of a prefix.
fn contract_key(prefix: &str) -> String {
    if prefix.is_empty() { contract::KEY.to_owned() } else { format!("{}:{prefix}", contract::KEY) }
}

/// The names of the tensors of a definition, each once.
fn tensor_names(definition: &Definition) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for statement in &definition.statements {
        if let StatementKind::Tensor { name, .. } = &statement.kind
            && !names.contains(&name.as_str())
        {
            names.push(name);
        }
    }
    names
}

/// What the names of tensors of a format begin with in a file; the name of a tensor where only that was given.
fn prefixes(
    container: &Container,
    definition: &Definition,
    given: &[String],
    said: &[Said<'_>],
    zoo: &Zoo,
) -> Vec<String> {
    if !given.is_empty() {
        return given.to_vec();
    }
    // Names may be anything where a contract says what they are.
    let is_own = |own: &&Said<'_>| !own.tensors.is_empty() && is_of(own, definition, zoo);
    let known: Vec<&Said<'_>> = said.iter().filter(is_own).collect();
    let mut all: Vec<String> = known.iter().map(|own| own.prefix.to_owned()).collect();
    for (prefix, first) in named(container, definition) {
        if !known.iter().any(|own| own.tensors.contains(&first)) {
            all.push(prefix);
        }
    }
    all
}

/// Whether a contract is of a format of a definition.
fn is_of(said: &Said<'_>, definition: &Definition, zoo: &Zoo) -> bool {
    let own = said.format.as_ref().ok().and_then(|format| Spec::read(&format.name).ok());
    own.is_some_and(|own| zoo.definition(&own).is_ok_and(|(own, _)| own.name == definition.name))
}

/// Prefixes that the names and types of tensors give, each with the first tensor behind it.
fn named<'a>(container: &'a Container, definition: &Definition) -> Vec<(String, &'a str)> {
    let names = tensor_names(definition);
    // The only tensor of a file, which may have no name in it, is the one in question.
    if let [only] = container.tensors.as_slice()
        && (names.len() == 1 || !names.iter().any(|name| only.name.ends_with(name)))
    {
        return vec![(only.name.clone(), only.name.as_str())];
    }
    // The type of a tensor of a GGUF file names its format.
    if let Some(block) = definition.name.strip_prefix("gguf:") {
        let own = container.tensors.iter().filter(|entry| entry.is_blocks && entry.dtype.eq_ignore_ascii_case(block));
        return own.map(|entry| (entry.name.clone(), entry.name.as_str())).collect();
    }
    // The first tensor has what the others belong to.
    let Some(first) = names.first() else { return Vec::new() };
    let is_prefix = |prefix: &str| prefix.is_empty() || prefix.ends_with(['.', '_']);
    let found = container.tensors.iter().filter_map(|entry| Some((entry.name.strip_suffix(first)?, entry)));
    let found = found.filter(|(prefix, _)| is_prefix(prefix));
    found.map(|(prefix, entry)| (prefix.to_owned(), entry.name.as_str())).collect()
}

/// The entry of a tensor of a format.
fn entry<'a>(container: &'a Container, prefix: &str, name: &str, is_only: bool) -> Option<&'a Entry> {
    let find = |name: &str| container.tensors.iter().find(|entry| entry.name == name);
    joined(prefix, name).iter().find_map(|name| find(name)).or_else(|| find(prefix).filter(|_| is_only))
}

fn job(container: &Container, request: &Request<'_>, zoo: &Zoo, prefix: &str, said: &[Said<'_>]) -> Result<Job, Error> {
    let (definition, spec) = zoo.definition(request.from)?;
    let names = tensor_names(definition);
    // A tensor that is named whole is the one that the chosen fields lie in.
    let alone = container.tensors.iter().any(|entry| entry.name == *prefix);
    let own: Vec<&str> =
        names.iter().filter_map(|name| Some(entry(container, prefix, name, alone)?.name.as_str())).collect();
    let promised = promised(said, &own)?;
    let mut spec = inferred(container, definition, spec, prefix, alone)?;
    // What neither the name nor the extents say, the contract does, where it is of this format.
    if let Some(known) = &promised
        && zoo.definition(&Spec::read(&known.name)?)?.0.name == definition.name
    {
        spec = known.parameters.iter().fold(spec, |spec, (name, value)| spec.with(name, value.clone()));
    }
    let from = Format::new(definition, &spec)?;
    agrees(promised.as_ref(), &from)?;
    request.fields.iter().try_for_each(|name| from.field(name).map(drop))?;
    let mut to = request.to.clone();
    let (target, _) = zoo.definition(&to)?;
    for (name, value) in &from.parameters {
        if target.parameters.iter().any(|own| own.name == *name) && name != "variant" && name != "version" {
            to = to.with(name, value.clone());
        }
    }
    let to = zoo.instance(&to)?;
    let is_chosen = |name: &str| request.fields.is_empty() || request.fields.iter().any(|own| own == name);
    let mut chosen: Vec<&str> = Vec::new();
    let (mut sources, mut taken) = (vec![None; from.tensors.len()], vec![None; from.tensors.len()]);
    let mut missing = None;
    let asked = || from.fields.iter().filter(|field| is_chosen(&field.name));
    let needed: BTreeSet<&str> = asked().filter_map(|field| Some(from.tensor_of(field)?.name.as_str())).collect();
    if alone && needed.len() > 1 {
        let names: Vec<&str> = needed.into_iter().collect();
        return Err(error!(
            Code::Arity,
            "one tensor, but the fields of {name} lie in {names}",
            [name = from.name, names = names.join(", ")]
        )
        .with_help("choose the fields of one of them with --field"));
    }
    for field in asked() {
        let Some(tensor) = from.tensor_of(field) else { continue };
        match entry(container, prefix, &tensor.name, alone) {
            Some(entry) => {
                fits(entry, &from, field.tensor)?;
                if let (Some(source), Some(name)) = (sources.get_mut(field.tensor), taken.get_mut(field.tensor)) {
                    (*source, *name) = (Some(Part::of(entry)), Some(entry.name.clone()));
                }
                chosen.push(&field.name);
            }
            // The group of each channel may be left out where channels are in order.
            None if field.kind == "group" => {}
            None => missing = missing.or(Some(tensor.name.clone())),
        }
    }
    if let Some(name) = missing {
        let error = error!(Code::UnknownName, "the file has no tensor {name}", [name]);
        return Err(error.with_help("choose the fields that it has with --field"));
    }
    for (name, error) in from.open.iter().chain(&to.open) {
        if is_chosen(name) && names.len() > 1 {
            return Err(error.clone());
        }
    }
    let fields =
        if request.fields.is_empty() && chosen.len() == from.fields.len() { None } else { Some(chosen.as_slice()) };
    let repack = Repack::new(&from, &to, fields)?;
    Ok(Job { prefix: prefix.to_owned(), formats: [from, to], repack, sources, names: taken })
}

/// The format that the file says that these tensors have; a contract without a prefix may be of any.
fn promised(said: &[Said<'_>], tensors: &[&str]) -> Result<Option<Format>, Error> {
    let is_about = |own: &&Said<'_>| own.prefix.is_empty() || own.tensors.iter().any(|name| tensors.contains(name));
    let longest = said.iter().filter(is_about).max_by_key(|own| own.prefix.len());
    longest.map(|own| own.format.clone()).transpose()
}

/// Refuses a format that is not the one that the file says its tensors have.
fn agrees(promised: Option<&Format>, from: &Format) -> Result<(), Error> {
    match promised {
        Some(promised) if contract::description(promised) != contract::description(from) => Err(error!(
            Code::Kind,
            "the file says by its contract that it holds {name}, not {from_name}",
            [name = promised.name, from_name = from.name]
        )
        .with_help("--from has to name what the file holds")),
        _ => Ok(()),
    }
}

/// Refuses a tensor that has another size than the format gives it, or a type of other values.
fn fits(entry: &Entry, format: &Format, tensor: usize) -> Result<(), Error> {
    let Some(declared) = format.tensors.get(tensor) else { return Ok(()) };
    if let Some(block) = format.name.strip_prefix("gguf:").and_then(|name| name.split(',').next())
        && entry.is_blocks
        && !entry.dtype.eq_ignore_ascii_case(block)
    {
        return Err(error!(
            Code::Kind,
            "{name} has blocks of {dtype}, not of {block}",
            [name = entry.name, dtype = entry.dtype, block]
        )
        .with_help(format!("--from gguf:{}", entry.dtype)));
    }
    let bytes = declared.bytes()?;
    if usize::try_from(bytes) == Ok(entry.data.len()) {
        let mut fields = format.fields.iter().filter(|field| field.tensor == tensor && !entry.is_blocks);
        let other = fields.find(|field| contradicts(&entry.dtype, &field.kind, field.places.element_bits()));
        return other.map_or(Ok(()), |field| {
            Err(error!(
                Code::Kind,
                "{name} is {dtype}, and the field {field_name} of {format_name} is of {kind}",
                [
                    name = entry.name,
                    dtype = entry.dtype,
                    field_name = field.name,
                    format_name = format.name,
                    kind = field.kind
                ]
            )
            .with_help("bytes of another type would be read as other values; convert the tensor first"))
        });
    }
    let shape: Vec<String> = entry.shape.iter().map(ToString::to_string).collect();
    let (has, declared) = (format!("{}[{}]", entry.dtype, shape.join(",")), declared.declared());
    Err(error!(
        Code::Range,
        "{name} is {has}, {data_count} bytes; {format_name} has {declared}, {bytes} bytes",
        [name = entry.name, has, data_count = entry.data.len(), format_name = format.name, declared, bytes]
    )
    .with_help("--from names what the file holds, with its group and other parameters; --field chooses what fits"))
}

/// The parameters that the extents of the tensors of a file determine.
///
/// An extent such as `k*bits/32` is in proportion to the one parameter that it depends on, so that one value of it gives the
/// factor; that the format then has the extent of the file is checked.
fn inferred(
    container: &Container,
    definition: &Definition,
    mut spec: Spec,
    prefix: &str,
    alone: bool,
) -> Result<Spec, Error> {
    // Divisible by whatever a format divides by.
    const TRIAL: i64 = 1 << 20;
    let open = |spec: &Spec| {
        // A parameter of words is no extent.
        let names = definition.parameters.iter().filter(|own| own.default.is_none() && own.values.is_none());
        let names = names.filter(|own| !spec.parameters.iter().any(|(name, _)| *name == own.name));
        names.map(|own| own.name.clone()).collect::<Vec<_>>()
    };
    for statement in &definition.statements {
        let StatementKind::Tensor { name, shape: Extents::Each(extents), .. } = &statement.kind else { continue };
        let Some(entry) = entry(container, prefix, name, alone) else { continue };
        let shape = entry.stored_shape(extents.len());
        if shape.len() != extents.len() {
            continue;
        }
        for (at, extent) in shape.iter().enumerate() {
            // The extent with one parameter at a value, all others that are open at another.
            let trial = |spec: &Spec, name: &str, value: i64| {
                let others = open(spec).into_iter().filter(|own| own != name);
                let all = others.fold(spec.clone(), |spec, own| spec.with(&own, Argument::Number(TRIAL)));
                let format = Format::new(definition, &all.with(name, Argument::Number(value))).ok()?;
                format.tensors.iter().find(|own| own.name == *name_of(statement))?.shape.get(at).copied()
            };
            let sizes = |name: &String| Some((trial(&spec, name, TRIAL)?, trial(&spec, name, 2 * TRIAL)?));
            let names = open(&spec).into_iter().filter_map(|name| sizes(&name).map(|sizes| (name, sizes)));
            let depends: Vec<(String, i64)> =
                names.filter(|(_, (one, two))| one != two).map(|(name, (size, _))| (name, size)).collect();
            let [(name, size)] = depends.as_slice() else { continue };
            let value = i128::from(*extent) * i128::from(TRIAL);
            let value = if *size > 0 && value % i128::from(*size) == 0 { value / i128::from(*size) } else { continue };
            let value = i64::try_from(value).ok().filter(|value| trial(&spec, name, *value) == Some(*extent));
            if let Some(value) = value {
                spec = spec.with(name, Argument::Number(value));
            }
        }
    }
    Ok(spec)
}

fn name_of(statement: &crate::definition::Statement) -> &str {
    match &statement.kind {
        StatementKind::Tensor { name, .. } => name,
        _ => "",
    }
}

/// The tensors that a job makes.
fn targets(number: usize, job: &Job, first: &Entry, container: &Container) -> Result<Vec<Made>, Error> {
    let written: BTreeSet<usize> =
        (0..job.repack.fields()).filter_map(|field| job.repack.tensors_of(field)?.1).collect();
    // A contract whose prefix ends within a name is of a tensor that had the prefix as its name.
    let is_whole_name = first.name == job.prefix
        || !job.prefix.is_empty()
            && !job.prefix.ends_with(['.', '_'])
            && container.about.contains_key(&contract_key(&job.prefix));
    let mut made = Vec::new();
    for (at, tensor) in job.repack.to.iter().enumerate().filter(|(at, _)| written.contains(at)) {
        let name = match (is_whole_name, written.len()) {
            (true, 1) => job.prefix.clone(),
            (true, _) => format!("{}.{}", job.prefix, tensor.name),
            _ if job.prefix.is_empty() || job.prefix.ends_with(['.', '_']) => format!("{}{}", job.prefix, tensor.name),
            _ => format!("{}.{}", job.prefix, tensor.name),
        };
        let bytes = usize::try_from(tensor.bytes()?).map_err(|_| Error::overflow("the size of a tensor"))?;
        let (dtype, shape) = (dtype(at, job, container)?, tensor.shape.clone());
        let in_ggml = blocks(&job.formats[1]).or_else(|| Some((gguf::type_name(&dtype)?, shape.clone())));
        made.push(Made { name, dtype, shape, in_ggml, is_plain: true, bytes, origin: Origin::Made(number, at) });
    }
    Ok(made)
}

/// The type of a GGUF file that a format is, with the extents in elements.
fn blocks(format: &Format) -> Option<(String, Vec<i64>)> {
    let name = format.name.strip_prefix("gguf:").and_then(|name| name.split(',').next()).and_then(gguf::type_name)?;
    Some((name, vec![format.number("n")?, format.number("k")?]))
}

/// The type of a tensor that is made: that of the tensor that it is made of, where both formats declare one type and the file
/// has another of its size, such as bf16 scales where f16 is usual.
fn dtype(target: usize, job: &Job, container: &Container) -> Result<String, Error> {
    let declared = job.repack.to.get(target).map(|tensor| tensor.dtype.clone()).unwrap_or_default();
    let mut dtype = declared.clone();
    for field in 0..job.repack.fields() {
        let Some((Some(source), Some(to))) = job.repack.tensors_of(field) else { continue };
        let name = job.names.get(source).cloned().flatten();
        let entry = container.tensors.iter().find(|entry| Some(&entry.name) == name.as_ref());
        let (Some(entry), Some(own)) = (entry, job.repack.from.get(source)) else { continue };
        if to != target || !is_float(&entry.dtype) || entry.dtype == own.dtype {
            continue;
        }
        if is_float(&own.dtype) && own.dtype != declared {
            let help = format!("{} has no type that says so; convert it to {}", job.formats[1].name, own.dtype);
            return Err(error!(
                Code::Kind,
                "{name} is {dtype}, and {format} has {own_dtype}",
                [name = entry.name, dtype = entry.dtype, format = job.formats[0].name, own_dtype = own.dtype]
            )
            .with_help(help));
        }
        // A type of integers says nothing of the only field of a tensor; that of the file may.
        let mut fields = job.formats[1].fields.iter().filter(|field| field.tensor == target);
        let bits = fields.next().filter(|_| fields.next().is_none()).map(|field| field.places.element_bits());
        let is_only = bits.is_some_and(|bits| dtype_bits(&entry.dtype) == Ok(bits));
        if own.dtype == declared && (is_float(&declared) || is_only) {
            dtype.clone_from(&entry.dtype);
        }
    }
    Ok(dtype)
}

/// Whether a type is of numbers with a point, one of several of its size.
fn is_float(dtype: &str) -> bool {
    dtype.starts_with('f') || dtype == "bf16"
}

/// Whether a type says of values of this size that they are others than those of a kind. A type of another size holds
/// packed bits, and integers of 8 bits are how files without the type store numbers of 8 bits.
fn contradicts(dtype: &str, kind: &str, bits: i64) -> bool {
    if dtype_bits(dtype) != Ok(bits) {
        return false;
    }
    let floats: &[&str] = match kind {
        "value" | "bytes" | "scale" => return false,
        "f16" | "bf16" => &["f16", "bf16"],
        "f32" => &["f32"],
        "e4m3" => &["f8_e4m3"],
        "e8m0" => &["f8_e8m0"],
        "e2m1" => &["f4"],
        "e2m3" => &["f6_e2m3"],
        _ => &[],
    };
    if dtype.starts_with(['i', 'u']) { bits > 8 && !floats.is_empty() } else { !floats.contains(&dtype) }
}
