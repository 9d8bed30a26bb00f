//! [`Job`]: the tensors of one format that a file has behind one prefix, and how they are repacked.
//!
//! The tensors of a format are found by their names behind a common prefix (`model.layers.0.q_proj.qweight`), by the contract of the
//! file or by the type of blocks; what a name leaves open, such as k and n, is read off their extents.
//!
//! Law: every tensor that a job reads has the size that its format gives it, and a type that does not contradict it.

use std::collections::BTreeSet;

use bitstride::{Code, Error, error};

use crate::container::{Container, Entry, first_names};
use crate::contract;
use crate::definition::{Definition, Extents, Statement, StatementKind};
use crate::expression::{Argument, Arguments, Template};
use crate::format::{Format, Tensor};
use crate::names::Names;
use crate::promise::{Said, is_below, joined};
use crate::repack::Repack;
use crate::rewrite::Part;
use crate::spec::Spec;
use crate::stack::{self, EXPERTS, is_stackable};
use crate::tensor_type::{check_sign, fits, is_float};
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
    /// The names that tensors get.
    pub names: &'a Names,
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
    pub(crate) names: Vec<Option<String>>,
}

impl Job {
    /// Whether it repacks a tensor of IN.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().flatten().any(|own| own == name)
    }
}

/// The repacks of a file, each of the tensors behind one prefix.
pub(crate) fn jobs(
    container: &Container,
    request: &Request<'_>,
    said: &[Said<'_>],
    zoo: &Zoo,
) -> Result<Vec<Job>, Error> {
    let (from, _) = zoo.definition(request.from)?;
    zoo.definition(request.to)?;
    let all = prefixes(container, from, request.fields, said, zoo);
    let prefixes = if request.tensors.is_empty() { all } else { chosen(container, from, request.tensors, &all)? };
    if prefixes.is_empty() {
        let typed: Vec<String> = container.tensors.iter().map(|own| format!("{} ({})", own.name, own.dtype)).collect();
        let own = first_names(typed.iter().map(String::as_str));
        let blocks = from.name.strip_prefix("gguf:").map(|block| format!(" and no blocks of {block}"));
        return Err(error!(
            Code::UnknownName,
            "the file has no tensors {names}{blocks}",
            [names = listed(from), blocks = blocks.unwrap_or_default()]
        )
        .with_help(format!("it has {own}; --tensor names one, or what their names begin with")));
    }
    let mut jobs = Vec::new();
    for prefix in prefixes {
        let job = job(container, request, zoo, &prefix, said);
        jobs.push(job.map_err(|error| if prefix.is_empty() { error } else { error.about(&prefix) })?);
    }
    Ok(jobs)
}

/// What the names of the only tensors of a format begin with, or of those that are chosen, with the format that their extents give.
pub(crate) fn only(
    container: &Container,
    spec: &Spec,
    tensor: Option<&str>,
    zoo: &Zoo,
) -> Result<(String, Format), Error> {
    let (definition, spec) = zoo.definition(spec)?;
    let all = prefixes(container, definition, &[], &[], zoo);
    let given: Vec<String> = tensor.into_iter().map(str::to_owned).collect();
    let own = if given.is_empty() { all } else { chosen(container, definition, &given, &all)? };
    match own.as_slice() {
        [prefix] => {
            let alone = container.tensors.iter().any(|entry| entry.name == *prefix);
            let behind = Behind { container, prefix, alone, fields: &[] };
            let spec = behind.inferred(definition, spec)?;
            Ok((prefix.clone(), Format::new(definition, &spec)?))
        }
        [] => Err(error!(Code::UnknownName, "the file has no tensors {names}", [names = listed(definition)])),
        several => {
            let known = first_names(several.iter().map(String::as_str));
            let error = error!(Code::MissingFact, "the file has several tensors {names}", [names = listed(definition)]);
            Err(error.with_help(format!("--tensor names one of {known}")))
        }
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

/// The first tensor of a definition that has one of some fields.
fn tensor_of_any<'a>(definition: &'a Definition, fields: &[String]) -> Option<&'a str> {
    let mut tensor = None;
    definition.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Tensor { name, .. } => {
            tensor = Some(name.as_str());
            None
        }
        StatementKind::Field { name, .. } if fields.contains(name) => tensor,
        _ => None,
    })
}

/// The names of the tensors of a definition, behind any prefix.
fn listed(definition: &Definition) -> String {
    tensor_names(definition).into_iter().map(|name| format!("….{name}")).collect::<Vec<_>>().join(", ")
}

/// The prefixes that are asked for: each a tensor, a prefix of tensors of the format, or the beginning of such prefixes.
fn chosen(
    container: &Container,
    definition: &Definition,
    given: &[String],
    all: &[String],
) -> Result<Vec<String>, Error> {
    let is_there = |name: &str| container.tensors.iter().any(|entry| entry.name == name);
    let mut chosen: Vec<String> = Vec::new();
    for prefix in given {
        if !container.tensors.iter().any(|entry| entry.name.starts_with(prefix.as_str())) {
            container.tensor(prefix).map_err(|error| error.about("--tensor"))?;
        }
        let mut behind = tensor_names(definition).into_iter().flat_map(|name| joined(prefix, name));
        if is_there(prefix) || behind.any(|name| is_there(&name)) {
            chosen.push(prefix.clone());
            continue;
        }
        let below: Vec<String> = all.iter().filter(|own| is_below(prefix, own)).cloned().collect();
        if below.is_empty() {
            return Err(error!(
                Code::UnknownName,
                "--tensor {prefix}: no tensor {names} begins with it",
                [prefix, names = listed(definition)]
            )
            .with_help("the names of tensors of a format are those that `bitstride formats NAME` prints"));
        }
        chosen.extend(below);
    }
    let mut seen = BTreeSet::new();
    chosen.retain(|prefix| seen.insert(prefix.clone()));
    Ok(chosen)
}

/// What the names of tensors of a format begin with in a file; the name of a tensor where only that is there.
fn prefixes(
    container: &Container,
    definition: &Definition,
    fields: &[String],
    said: &[Said<'_>],
    zoo: &Zoo,
) -> Vec<String> {
    // Names may be anything where a contract says what they are.
    let is_own = |own: &&Said<'_>| !own.tensors.is_empty() && is_of(own, definition, zoo);
    let known: Vec<&Said<'_>> = said.iter().filter(is_own).collect();
    let mut all: Vec<String> = known.iter().map(|own| own.prefix.to_owned()).collect();
    for (prefix, first) in named(container, definition, fields) {
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
fn named<'a>(container: &'a Container, definition: &Definition, fields: &[String]) -> Vec<(String, &'a str)> {
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
    // The first tensor has what the others belong to; where fields are chosen, the first that one of them lies in.
    let chosen = tensor_of_any(definition, fields);
    let Some(first) = chosen.or_else(|| names.first().copied()) else { return Vec::new() };
    let is_prefix = |prefix: &str| prefix.is_empty() || prefix.ends_with(['.', '_']);
    let found = container.tensors.iter().filter_map(|entry| Some((entry.name.strip_suffix(first)?, entry)));
    let found = found.filter(|(prefix, entry)| is_prefix(prefix) && !is_other(container, definition, prefix, entry));
    found.map(|(prefix, entry)| (prefix.to_owned(), entry.name.as_str())).collect()
}

/// Whether a tensor with the name of a packed one is a plain one: of numbers with a point, without the tensors that belong to it.
fn is_other(container: &Container, definition: &Definition, prefix: &str, entry: &Entry) -> bool {
    let mut own = definition.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Tensor { name, dtype, .. } => Some((name, dtype)),
        _ => None,
    });
    let is_packed = |(name, dtype): (&String, &Template)| {
        entry.name.ends_with(name.as_str()) && !dtype.filled(&Arguments::default()).is_ok_and(|own| is_float(&own))
    };
    let is_beside = |name: &&str| {
        let names = joined(prefix, name);
        container.tensors.iter().any(|other| other.name != entry.name && names.contains(&other.name))
    };
    let names = tensor_names(definition);
    names.len() > 1 && is_float(&entry.dtype) && own.any(is_packed) && !names.iter().any(is_beside)
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
    // What the name leaves open, the contract says where it is of this format, and else the extents do.
    let mut spec = spec;
    if let Some(known) = &promised
        && zoo.definition(&Spec::read(&known.name)?)?.0.name == definition.name
    {
        spec = known.parameters.iter().fold(spec, |spec, (name, value)| spec.with(name, value.clone()));
    }
    let behind = Behind { container, prefix, alone, fields: request.fields };
    let spec = behind.inferred(definition, spec)?;
    let from = Format::new(definition, &spec)?;
    agrees(promised.as_ref(), &from)?;
    request.fields.iter().try_for_each(|name| from.field(name).map(drop))?;
    let to = zoo.holding(request.to, &from)?;
    let is_chosen = |name: &str| request.fields.is_empty() || request.fields.iter().any(|own| own == name);
    let mut chosen: Vec<&str> = Vec::new();
    let (mut sources, mut taken) = (vec![None; from.tensors.len()], vec![None; from.tensors.len()]);
    let mut missing = None;
    let asked = || from.fields.iter().filter(|field| is_chosen(&field.name));
    let needed: BTreeSet<&str> = asked().filter_map(|field| Some(from.tensor_of(field)?.name.as_str())).collect();
    let is_there = |name: &String| container.tensors.iter().any(|own| own.name == *name);
    let other = needed.iter().flat_map(|name| joined(prefix, name)).find(is_there);
    if let Some(other) = other.filter(|_| alone) {
        return Err(error!(
            Code::UnknownName,
            "{prefix} is a tensor, and what the name of {other} begins with",
            [prefix, other]
        )
        .with_help(format!("--tensor {prefix}. is the group; rename one of them to choose the other")));
    }
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
                check_sign(entry, field, &to)?;
                if let (Some(source), Some(name)) = (sources.get_mut(field.tensor), taken.get_mut(field.tensor)) {
                    (*source, *name) = (Some(Part::of(entry)), Some(entry.name.clone()));
                }
                chosen.push(&field.name);
            }
            // What follows from the format, such as the group of each channel in order, may be left out.
            None if field.is_derived() => {}
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

/// The tensors of a file behind a prefix, or the one of this name alone.
struct Behind<'a> {
    container: &'a Container,
    prefix: &'a str,
    alone: bool,
    /// The fields that are chosen; none for all.
    fields: &'a [String],
}

impl<'a> Behind<'a> {
    /// The entry of a tensor of a format. One alone is that of the chosen fields, and no other.
    fn entry(&self, definition: &Definition, name: &str) -> Option<&'a Entry> {
        let is_meant = |field: &String| definition.tensor_of(Some(field)) == Some(name);
        if self.alone && !self.fields.is_empty() && !self.fields.iter().any(is_meant) {
            return None;
        }
        entry(self.container, self.prefix, name, self.alone)
    }

    /// The parameters that the extents of the tensors of a file determine.
    ///
    /// An extent such as `k*bits/32` is in proportion to the one parameter that it depends on, so that one value of it gives the
    /// factor; that the format then has the extent of the file is checked.
    fn inferred(&self, definition: &Definition, spec: Spec) -> Result<Spec, Error> {
        if self.is_given(definition, &spec) {
            return Ok(spec);
        }
        // What is given of experts is no parameter of one of them.
        let (mut spec, given) = stack::split(definition, &spec)?;
        let mut experts = Vec::new();
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
            let Some(entry) = self.entry(definition, name) else { continue };
            let stored = entry.stored_shape();
            // Axes before those of the format are of experts, whose own extents are behind them.
            let lead = stored.len().saturating_sub(extents.len());
            let (before, shape) = stored.split_at(if is_stackable(definition) { lead } else { 0 });
            if shape.len() != extents.len() {
                continue;
            }
            if experts.is_empty() {
                experts = before.to_vec();
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
                let value =
                    if *size > 0 && value % i128::from(*size) == 0 { value / i128::from(*size) } else { continue };
                let value = i64::try_from(value).ok().filter(|value| trial(&spec, name, *value) == Some(*extent));
                if let Some(value) = value {
                    spec = spec.with(name, Argument::Number(value));
                }
            }
        }
        let experts = if given.is_empty() { experts } else { given };
        Ok(if experts.is_empty() { spec } else { spec.with(EXPERTS, stack::argument(&experts)) })
    }

    /// Whether a name says the size of all tensors that are there, so that their axes say nothing more.
    fn is_given(&self, definition: &Definition, spec: &Spec) -> bool {
        Format::new(definition, spec).is_ok_and(|format| {
            let is_held = |tensor: &Tensor| {
                let bytes = tensor.bytes().ok().and_then(|bytes| usize::try_from(bytes).ok());
                self.entry(definition, &tensor.name).is_none_or(|entry| bytes == Some(entry.data.len()))
            };
            format.open.is_empty() && format.tensors.iter().all(is_held)
        })
    }
}

fn name_of(statement: &Statement) -> &str {
    match &statement.kind {
        StatementKind::Tensor { name, .. } => name,
        _ => "",
    }
}
