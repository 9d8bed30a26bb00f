//! [`Rewrite`]: the tensors of a file in another format, the others as they are.
//!
//! Everything is decided before a byte is written.
//!
//! Law: OUT has every tensor of IN, or what a repack makes of it; nothing is dropped but tensors that are repacked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bitstride::{Code, Error, error};

use crate::container::{Container, Entry};
use crate::contract;
use crate::format::Format;
use crate::gguf;
use crate::job::{Job, Request, jobs};
use crate::names::Names;
use crate::promise::{Said, contracts, joined};
use crate::tensor_type::{blocks, blocks_of_rows, dtype, rows_of_blocks};
use crate::zoo::Zoo;

/// The bytes of a tensor that are copied between two reports of progress.
const COPY_BYTES: usize = 64 << 20;

/// Some bytes of a file of IN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the file.
    pub file: usize,
    /// The bytes in it.
    pub data: Range<usize>,
}

impl Part {
    pub(crate) fn of(entry: &Entry) -> Self {
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
    /// than the format has; otherwise as [`Zoo::instance`] and [`Repack::new`](crate::Repack::new).
    pub fn new(container: &Container, request: &Request<'_>, zoo: &Zoo) -> Result<Self, Error> {
        let said = contracts(container, zoo);
        let jobs = jobs(container, request, &said, zoo)?;
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
                // A tensor without some of its fields is not what the format says.
                let promised = promised.filter(|_| job.repack.is_whole(&job.formats[1]));
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
    /// As [`Repack::run`](crate::Repack::run); [`Code::Range`] where a buffer has another size.
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

/// The key of the contract of the tensors of a prefix.
fn contract_key(prefix: &str) -> String {
    if prefix.is_empty() { contract::KEY.to_owned() } else { format!("{}:{prefix}", contract::KEY) }
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
        // A type of blocks promises all that they have: scales too.
        let blocks = blocks(&job.formats[1]).filter(|_| job.repack.is_whole(&job.formats[1]));
        let in_ggml = blocks.or_else(|| Some((gguf::type_name(&dtype)?, shape.clone())));
        made.push(Made { name, dtype, shape, in_ggml, is_plain: true, bytes, origin: Origin::Made(number, at) });
    }
    Ok(made)
}
