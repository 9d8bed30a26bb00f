//! [`Rewrite`]: the tensors of a file in another format, the others as they are.
//!
//! The tensors of a format are found by their names behind a common prefix (`model.layers.0.q_proj.qweight`), and what a
//! name leaves open, such as k and n, is read off their extents. Everything is decided before a byte is written.
//!
//! Law: OUT has every tensor of IN, or what a repack makes of it; nothing is dropped but tensors that are repacked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bitstride::{Code, Error};

use crate::container::{Container, Entry};
use crate::contract;
use crate::definition::{Definition, Extents, StatementKind};
use crate::expression::Argument;
use crate::format::Format;
use crate::repack::Repack;
use crate::spec::Spec;
use crate::zoo::Zoo;

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
}

/// Where the bytes of a tensor of OUT come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The bytes of IN.
    Copied(Range<usize>),
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
    /// The bytes of each tensor of the source in IN; empty for one that is not read.
    pub sources: Vec<Range<usize>>,
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
}

impl Rewrite {
    /// How a file is rewritten.
    ///
    /// # Errors
    /// [`Code::UnknownName`] where no tensor of the file is one of the format; [`Code::Range`] for a tensor of another size
    /// than the format has; otherwise as [`Zoo::instance`] and [`Repack::new`].
    pub fn new(container: &Container, request: &Request<'_>, zoo: &Zoo) -> Result<Self, Error> {
        let (from, _) = zoo.definition(request.from)?;
        let prefixes = prefixes(container, from, request.tensors);
        if prefixes.is_empty() {
            let names: Vec<String> = tensor_names(from).into_iter().map(|name| format!("….{name}")).collect();
            let message = format!("the file has no tensors {}", names.join(", "));
            return Err(
                Error::new(Code::UnknownName, message).with_help("--tensor names one, or what their names begin with")
            );
        }
        let mut jobs = Vec::new();
        for prefix in prefixes {
            let job = job(container, request, zoo, &prefix);
            jobs.push(job.map_err(|error| if prefix.is_empty() { error } else { error.about(&prefix) })?);
        }
        Self::of_jobs(container, jobs)
    }

    /// Puts the tensors of OUT in order: those that are made where the first of those that they are made of was.
    fn of_jobs(container: &Container, jobs: Vec<Job>) -> Result<Self, Error> {
        let mut tensors = Vec::new();
        let mut about = container.about.clone();
        let mut made = vec![false; jobs.len()];
        for entry in &container.tensors {
            let own = jobs
                .iter()
                .position(|job| job.sources.iter().any(|source| !source.is_empty() && *source == entry.data));
            let Some(number) = own else {
                let Entry { name, dtype, shape, data, .. } = entry.clone();
                tensors.push(Made { name, dtype, shape, bytes: data.len(), origin: Origin::Copied(data) });
                continue;
            };
            if let (Some(done), Some(job)) = (made.get_mut(number), jobs.get(number))
                && !*done
            {
                *done = true;
                tensors.extend(targets(number, job, &entry.name)?);
                let key = if job.prefix.is_empty() {
                    contract::KEY.to_owned()
                } else {
                    format!("{}:{}", contract::KEY, job.prefix)
                };
                about.insert(key, contract::line(&job.formats[1]));
            }
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = tensors.iter().find(|tensor| !names.insert(tensor.name.clone())) {
            let message = format!("OUT would have two tensors {}", twice.name);
            return Err(Error::new(Code::DimNamesMismatch, message));
        }
        Ok(Rewrite { tensors, jobs, about })
    }

    /// Writes the tensors that are made, each into its own bytes of OUT, in the order of [`Rewrite::tensors`]; `progress`
    /// receives the bytes that are done.
    ///
    /// # Errors
    /// As [`Repack::run`]; [`Code::Range`] where a buffer has another size.
    pub fn run(&self, source: &[u8], targets: Vec<&mut [u8]>, mut progress: impl FnMut(usize)) -> Result<(), Error> {
        let mut done = 0;
        let mut waiting: Vec<Vec<Option<&mut [u8]>>> =
            self.jobs.iter().map(|job| job.repack.to.iter().map(|_| None).collect()).collect();
        for (tensor, target) in self.tensors.iter().zip(targets) {
            if target.len() != tensor.bytes {
                let message = format!("{} has {} bytes, and room for {}", tensor.name, tensor.bytes, target.len());
                return Err(Error::new(Code::Range, message));
            }
            match &tensor.origin {
                Origin::Copied(data) => {
                    target.copy_from_slice(source.get(data.clone()).unwrap_or(&[]));
                    done += target.len();
                    progress(done);
                }
                Origin::Made(job, number) => {
                    if let Some(slot) = waiting.get_mut(*job).and_then(|slots| slots.get_mut(*number)) {
                        *slot = Some(target);
                    }
                }
            }
        }
        for (job, slots) in self.jobs.iter().zip(waiting) {
            let sources: Vec<&[u8]> =
                job.sources.iter().map(|range| source.get(range.clone()).unwrap_or(&[])).collect();
            let mut slices: Vec<&mut [u8]> = slots.into_iter().map(Option::unwrap_or_default).collect();
            for (slice, tensor) in slices.iter_mut().zip(&job.repack.to) {
                slice.fill(tensor.fill);
            }
            for field in 0..job.repack.fields() {
                let ran = job.repack.run_field(field, &sources, &mut slices);
                ran.map_err(|error| if job.prefix.is_empty() { error } else { error.about(&job.prefix) })?;
            }
            done += slices.iter().map(|slice| slice.len()).sum::<usize>();
            progress(done);
        }
        Ok(())
    }
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
fn prefixes(container: &Container, definition: &Definition, given: &[String]) -> Vec<String> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let names = tensor_names(definition);
    if let [only] = container.tensors.as_slice()
        && names.len() == 1
    {
        return vec![only.name.clone()];
    }
    // The first tensor has what the others belong to.
    let Some(first) = names.first() else { return Vec::new() };
    let is_prefix = |prefix: &&str| prefix.is_empty() || prefix.ends_with(['.', '_']);
    let found = container.tensors.iter().filter_map(|entry| entry.name.strip_suffix(first));
    found.filter(is_prefix).map(str::to_owned).collect()
}

/// The entry of a tensor of a format.
fn entry<'a>(container: &'a Container, prefix: &str, name: &str, is_only: bool) -> Option<&'a Entry> {
    let find = |name: &str| container.tensors.iter().find(|entry| entry.name == name);
    let joined = [format!("{prefix}{name}"), format!("{prefix}.{name}"), format!("{prefix}_{name}")];
    joined.iter().find_map(|name| find(name)).or_else(|| find(prefix).filter(|_| is_only))
}

fn job(container: &Container, request: &Request<'_>, zoo: &Zoo, prefix: &str) -> Result<Job, Error> {
    let (definition, spec) = zoo.definition(request.from)?;
    let names = tensor_names(definition);
    // A tensor that is named whole is the one that the chosen fields lie in.
    let alone = container.tensors.iter().any(|entry| entry.name == *prefix);
    let spec = inferred(container, definition, spec, prefix, alone)?;
    let from = Format::new(definition, &spec)?;
    agrees(container, prefix, &from, zoo)?;
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
    let mut sources = vec![0..0; from.tensors.len()];
    let mut missing = None;
    for field in from.fields.iter().filter(|field| is_chosen(&field.name)) {
        let Some(tensor) = from.tensor_of(field) else { continue };
        match entry(container, prefix, &tensor.name, alone) {
            Some(entry) => {
                fits(entry, &from, field.tensor)?;
                if let Some(source) = sources.get_mut(field.tensor) {
                    *source = entry.data.clone();
                }
                chosen.push(&field.name);
            }
            // The group of each channel may be left out where channels are in order.
            None if field.kind == "group" => {}
            None => missing = missing.or(Some(tensor.name.clone())),
        }
    }
    if let Some(name) = missing {
        let error = Error::new(Code::UnknownName, format!("the file has no tensor {name}"));
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
    Ok(Job { prefix: prefix.to_owned(), formats: [from, to], repack, sources })
}

/// Refuses a format that is not the one that the file says its tensors have.
fn agrees(container: &Container, prefix: &str, from: &Format, zoo: &Zoo) -> Result<(), Error> {
    let keys = [format!("{}:{prefix}", contract::KEY), contract::KEY.to_owned()];
    let Some(line) = keys.iter().find_map(|key| container.about.get(key)) else { return Ok(()) };
    let promised = contract::read(line, zoo)?;
    if contract::description(&promised) == contract::description(from) {
        return Ok(());
    }
    let message = format!("the file says by its contract that it holds {}, not {}", promised.name, from.name);
    Err(Error::new(Code::Kind, message).with_help("--from has to name what the file holds"))
}

/// Refuses a tensor that has another size than the format gives it.
fn fits(entry: &Entry, format: &Format, tensor: usize) -> Result<(), Error> {
    let Some(declared) = format.tensors.get(tensor) else { return Ok(()) };
    let bytes = declared.bytes()?;
    if usize::try_from(bytes) == Ok(entry.data.len()) {
        return Ok(());
    }
    let shape: Vec<String> = entry.shape.iter().map(ToString::to_string).collect();
    let (has, declared) = (format!("{}[{}]", entry.dtype, shape.join(",")), declared.declared());
    let message =
        format!("{} is {has}, {} bytes; {} has {declared}, {bytes} bytes", entry.name, entry.data.len(), format.name);
    Err(Error::new(Code::Range, message))
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
        let names = definition.parameters.iter().filter(|own| own.default.is_none());
        let names = names.filter(|own| !spec.parameters.iter().any(|(name, _)| *name == own.name));
        names.map(|own| own.name.clone()).collect::<Vec<_>>()
    };
    for statement in &definition.statements {
        let StatementKind::Tensor { name, shape: Extents::Each(extents), .. } = &statement.kind else { continue };
        let Some(entry) = entry(container, prefix, name, alone) else { continue };
        let shape = entry.stored_shape();
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
fn targets(number: usize, job: &Job, first: &str) -> Result<Vec<Made>, Error> {
    let written: BTreeSet<usize> =
        (0..job.repack.fields()).filter_map(|field| job.repack.tensors_of(field)?.1).collect();
    let is_whole_name = first == job.prefix;
    let mut made = Vec::new();
    for (at, tensor) in job.repack.to.iter().enumerate().filter(|(at, _)| written.contains(at)) {
        let name = match (is_whole_name, written.len()) {
            (true, 1) => job.prefix.clone(),
            (true, _) => format!("{}.{}", job.prefix, tensor.name),
            _ if job.prefix.is_empty() || job.prefix.ends_with(['.', '_']) => format!("{}{}", job.prefix, tensor.name),
            _ => format!("{}.{}", job.prefix, tensor.name),
        };
        let bytes = usize::try_from(tensor.bytes()?).map_err(|_| Error::overflow("the size of a tensor"))?;
        let (dtype, shape) = (tensor.dtype.clone(), tensor.shape.clone());
        made.push(Made { name, dtype, shape, bytes, origin: Origin::Made(number, at) });
    }
    Ok(made)
}
