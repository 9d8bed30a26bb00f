//! From the lines of a TTGIR file to what it holds.
//!
//! A line is looked at for an alias, an operation and types; nothing else is understood, so that operations of any dialect may
//! stand in the file. Types are read once for each way in which they are written.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

use bitstride::memory::{Cost, Matrices, SharedMemory, Transfer, Way};
use bitstride::notation::{ExprKind, Ints, parse};
use bitstride::triton::Encoding;
use bitstride::{Code, Error};
use bitstride_lang::{Bindings, alias};

use super::access::{Vector, cost};
use super::facts::{Facts, FactsKind};
use super::inference::Operation;
use super::liveness::{Lifetimes, Line};
use super::moves::{Distance, Movement};
use super::words::words;
use super::{Access, Alias, Allocation, Conversion, Dump, Inferred, Type};
use crate::Unread;
use crate::lines::Lines;
use crate::scan::{Brackets, balanced, comment, operation};

/// How types begin that carry a layout.
const KEYWORDS: [&str; 5] = ["tensor", "!ttg.memdesc", "!tt.memdesc", "!triton_gpu.memdesc", "!tt.tensordesc"];

/// The dialects whose attributes are layouts or spaces of memory.
const DIALECTS: [&str; 6] = ["#ttg.", "#ttng.", "#gluon.", "#triton_gpu.", "#triton_nvidia_gpu.", "#tt."];

/// The dialects whose operations move data between layouts.
const OPERATIONS: [&str; 7] = ["ttg", "triton_gpu", "ttng", "triton_nvidia_gpu", "amdg", "amdgpu", "tt"];

impl Dump {
    /// Reads a file; `line` is a line whose types are marked.
    ///
    /// # Errors
    /// What the input cannot be read with. A line that says nothing readable is listed in [`Dump::unread`].
    pub fn read(input: impl BufRead, line: Option<u64>) -> io::Result<Dump> {
        let mut reader = Reader { marked: line, ..Reader::default() };
        let mut lines = Lines::new(input);
        lines.each(|number, line| match line {
            Ok(text) => reader.line(number, text),
            Err(error) => reader.unread(number, "line", "", error),
        })?;
        reader.dump.lines = lines.number();
        reader.close();
        reader.end_function();
        Ok(reader.dump)
    }
}

/// A type on a line: its place among those of the file, where it is read and has a layout, and its text.
type Found<'l> = (Option<usize>, Cow<'l, str>);

/// What is known between two lines.
#[derive(Default)]
struct Reader {
    dump: Dump,
    marked: Option<u64>,
    names: Bindings,
    /// An alias whose attribute goes on on the next line, and where it begins.
    open: Option<(u64, String)>,
    /// The types of this section as they are written, by the aliases that are known there.
    written: HashMap<String, Option<usize>>,
    /// The types of the file by what they say.
    said: HashMap<String, usize>,
    /// Aliases of types of this section.
    types: HashMap<String, String>,
    /// What conversions and accesses between two types are.
    moves: HashMap<(usize, usize), Result<Arc<Movement>, Error>>,
    vectors: HashMap<(usize, usize, bool), Accessed>,
    /// What shared memory of this function is in use.
    lifetimes: Lifetimes,
    /// The operations whose regions are open here, of those written as `"op"(…) ({`: line, name and attributes.
    regions: Vec<(u64, String, String)>,
    /// The GPU that this module is for, where it says so.
    gpu: Option<Gpu>,
}

/// The widest vector of an access, and its passes over the banks.
type Accessed = (Result<Vector, Error>, Option<Cost>);

/// What is known of a GPU.
#[derive(Clone, Copy)]
struct Gpu {
    /// Its matrix instructions, of NVIDIA's.
    matrices: Option<Matrices>,
    /// Its shared memory, where there is a model of it.
    banks: Option<SharedMemory>,
}

/// How operations begin that need shared memory of their own, which is not modelled.
const OF_SCRATCH: [&str; 9] =
    ["reduce", "scan", "gather", "histogram", "atomic", "local_atomic", "tensormap_create", "warp_specialize", "call"];

/// The longest attribute over several lines that is put together.
const MAX_ALIAS_BYTES: usize = 1 << 16;

/// How lines begin that are part of no attribute.
const OUTSIDE: [&str; 4] = ["%", "module", "tt.", "func."];

/// The name of an alias at the start of a text, and what it stands for.
fn alias_start(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(['#', '!'])?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_$.-".contains(c);
    let end = rest.find(|c| !is_name(c)).filter(|end| *end > 0)?;
    let value = rest.get(end..)?.trim_start().strip_prefix('=')?;
    Some((text.get(..=end)?, value.trim_start()))
}

/// What a module says before the name of its GPU.
const TARGET: &str = "target = \"";

/// The GPU that a line names, where it names one: `cuda:90` or `hip:gfx950`.
fn gpu(line: &str) -> Option<Gpu> {
    let (maker, name) = line.split_once(TARGET)?.1.split_once('"')?.0.split_once(':')?;
    match maker {
        "cuda" => {
            let matrices = name.parse().ok().map(Matrices::of_capability);
            Some(Gpu { matrices, banks: Some(SharedMemory::NVIDIA) })
        }
        "hip" => Some(Gpu { matrices: None, banks: (name == "gfx950").then_some(SharedMemory::AMD) }),
        _ => None,
    }
}

impl Reader {
    fn line(&mut self, number: u64, line: &str) {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("//") {
            if rest.trim_start().starts_with("-----") {
                self.section();
            }
            return;
        }
        // What begins like this is no part of an attribute.
        let is_other = alias_start(trimmed).is_some() || OUTSIDE.iter().any(|start| trimmed.starts_with(start));
        if self.open.is_some() && is_other {
            self.close();
        }
        if let Some((start, mut text)) = self.open.take() {
            text.push(' ');
            text.push_str(line.get(..comment(line)).unwrap_or(line).trim());
            return self.aliases(start, &text);
        }
        if alias_start(trimmed).is_some() {
            return self.aliases(number, trimmed.get(..comment(trimmed)).unwrap_or(trimmed));
        }
        if !line.contains(['<', '%', '.']) {
            return;
        }
        let line = line.get(..comment(line)).unwrap_or(line);
        self.gpu = gpu(line).or(self.gpu);
        let (results, name, rest) = operation(line);
        if let Some(rest) = line.trim_start().strip_prefix("})") {
            let types = self.types_of(number, line);
            if let Some((number, name, attributes)) = self.regions.pop() {
                self.inference(number, &name, &format!("{attributes} {rest}"), &types);
            }
            self.lifetimes.line(&Line { text: line, results: "", name: "", makes_memory: false });
            return;
        }
        if line.trim_end().ends_with("({") {
            self.regions.push((number, name.to_owned(), rest.to_owned()));
        }
        if matches!(name, "tt.func" | "func.func" | "llvm.func") {
            self.end_function();
        }
        let types = self.types_of(number, line);
        self.lifetimes.line(&Line { text: line, results, name, makes_memory: makes_memory(name, rest) });
        self.inference(number, name, rest, &types);
        if let Some((dialect, verb)) = name.split_once('.')
            && OPERATIONS.contains(&dialect)
        {
            self.operation(number, (results, name, verb), &types);
        }
    }

    /// The next module of the file, which has aliases of its own.
    fn section(&mut self) {
        self.close();
        self.end_function();
        self.dump.sections += 1;
        self.gpu = None;
        self.vectors.clear();
        self.names = Bindings::default();
        self.written.clear();
        self.types.clear();
    }

    /// Gives up an alias that does not end.
    fn close(&mut self) {
        if let Some((number, text)) = self.open.take()
            && let Some((name, value)) = alias_start(text.trim_start())
        {
            self.alias(number, name, value);
        }
    }

    fn end_function(&mut self) {
        self.regions.clear();
        let peak = self.lifetimes.end();
        if peak.bytes > self.dump.peak.bytes {
            self.dump.peak = peak;
        }
    }

    fn unread(&mut self, line: u64, what: &'static str, text: &str, error: Error) {
        let Dump { unread, unread_count, .. } = &mut self.dump;
        Unread::note(unread, unread_count, line, what, text, error);
    }

    /// The aliases of a text, one after the other; the last may go on on the next line.
    fn aliases(&mut self, number: u64, text: &str) {
        let mut rest = text;
        while let Some((name, value)) = alias_start(rest.trim_start()) {
            let open = value.find('<').unwrap_or(value.len());
            let closed = value.get(open..).and_then(|inside| balanced(inside, Brackets::All));
            let is_open = closed.is_none() && open < value.len();
            if is_open && value.len() < MAX_ALIAS_BYTES && DIALECTS.iter().any(|dialect| value.starts_with(dialect)) {
                self.open = Some((number, rest.to_owned()));
                return;
            }
            let behind = closed.map_or("", |(_, behind)| behind);
            // Another alias may follow at once, and nothing else.
            let (own, behind) = match alias_start(behind.trim_start()) {
                Some(_) => (value.get(..value.len() - behind.len()).unwrap_or(value), behind),
                None => (value, ""),
            };
            self.alias(number, name, own);
            rest = behind;
        }
    }

    fn alias(&mut self, number: u64, name: &str, text: &str) {
        if name.starts_with('!') {
            self.types.insert(name.to_owned(), text.trim().to_owned());
            self.types_of(number, text);
            return;
        }
        let text = text.get(..comment(text)).unwrap_or(text).trim();
        if !DIALECTS.iter().any(|dialect| text.starts_with(dialect)) {
            // A location, or what another dialect says.
            return;
        }
        if alias(&format!("{name} = x")).is_none() {
            return;
        }
        // Types that were read with what the name meant before.
        if self.names.alias_text(name).is_some() {
            self.written.clear();
        }
        if let Err(error) = self.names.alias(name, text) {
            return self.unread(number, "alias", &format!("{name} = {text}"), error);
        }
        let inlined = self.names.alias_text(name).unwrap_or_default();
        let mut notes = Vec::new();
        let encoding = is_layout(text).then(|| encoding(&inlined, &mut notes));
        if let Some(Err(error)) = &encoding {
            let error = error.clone();
            self.unread(number, "alias", &format!("{name} = {text}"), error);
        }
        let encoding = encoding.and_then(Result::ok);
        let words = encoding.as_ref().map_or_else(String::new, words);
        self.dump.aliases.push(Alias { name: name.to_owned(), line: number, inlined, encoding, words, notes });
    }

    /// The types of a line, in order.
    fn types_of<'l>(&mut self, number: u64, line: &'l str) -> Vec<Found<'l>> {
        let mut found = Vec::new();
        let mut at = 0;
        let bytes = line.as_bytes();
        let mut quoted = false;
        while let Some(byte) = bytes.get(at).copied() {
            match byte {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                b'<' if !quoted => {
                    if let Some((start, elided)) = type_start(line, at) {
                        let Some((text, _)) = line.get(at..).and_then(|rest| balanced(rest, Brackets::All)) else {
                            let rest = line.get(start..).unwrap_or_default().to_owned();
                            let error = Error::new(Code::Syntax("unbalanced"), "the type breaks off");
                            self.unread(number, "type", &rest, error);
                            return found;
                        };
                        let end = at + text.len();
                        let written = line.get(start..end).unwrap_or_default();
                        found.push((self.type_written(number, written, elided), Cow::Borrowed(written)));
                        at = end;
                        continue;
                    }
                }
                b'!' if !quoted && !self.types.is_empty() => {
                    let rest = line.get(at..).unwrap_or_default();
                    let length =
                        rest.find(|c: char| !(c.is_ascii_alphanumeric() || "!_$.".contains(c))).unwrap_or(rest.len());
                    let name = rest.get(..length).unwrap_or_default();
                    if let Some(written) = self.types.get(name).cloned() {
                        found.push((self.type_written(number, &written, false), Cow::Owned(written)));
                        at += length;
                        continue;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        found
    }

    /// The type of a text; nothing for one without an encoding, and for one that is not read.
    fn type_written(&mut self, number: u64, written: &str, elided: bool) -> Option<usize> {
        if let Some(known) = self.written.get(written) {
            let known = *known;
            match known.and_then(|at| self.dump.types.get_mut(at)) {
                Some(known) => {
                    known.uses += 1;
                    known.is_marked |= self.marked == Some(number);
                }
                None if !written.contains('#') => self.dump.plain_types += 1,
                None => {}
            }
            return known;
        }
        let text = if elided { format!("!ttg.memdesc{written}") } else { written.to_owned() };
        let index = self.new_type(number, &text);
        self.written.insert(written.to_owned(), index);
        index
    }

    fn new_type(&mut self, number: u64, text: &str) -> Option<usize> {
        if !text.contains('#') {
            self.dump.plain_types += 1;
            return None;
        }
        let index = match self.index_of(number, text) {
            Ok(index) => index,
            Err(error) => {
                self.unread(number, "type", text, error);
                return None;
            }
        };
        if let Some(known) = self.dump.types.get_mut(index) {
            known.uses += 1;
            known.is_marked |= self.marked == Some(number);
        }
        Some(index)
    }

    /// The place of a type among those of the file; a new one is evaluated.
    fn index_of(&mut self, number: u64, text: &str) -> Result<usize, Error> {
        let tree = self.names.resolve(&parse(text, Ints::Plain)?)?;
        let inlined = tree.to_string();
        if let Some(index) = self.said.get(&inlined) {
            return Ok(*index);
        }
        let facts = Facts::of(&tree, inlined.clone())?;
        let index = self.dump.types.len();
        self.dump.types.push(Type { text: text.to_owned(), line: number, uses: 0, is_marked: false, facts });
        self.said.insert(inlined, index);
        Ok(index)
    }

    fn operation(&mut self, line: u64, (results, name, verb): (&str, &str, &str), types: &[Found]) {
        let read: Vec<usize> = types.iter().filter_map(|(at, _)| *at).collect();
        let is_memory = |at: &&usize| self.dump.types.get(**at).is_some_and(|t| t.facts.memory().is_some());
        let memory = read.iter().rev().find(is_memory).copied();
        let tensor = read.iter().find(|at| !is_memory(at)).copied();
        match verb {
            "convert_layout" => match read.as_slice() {
                [.., from, to] => self.conversion(line, *from, *to),
                // Without layouts nothing is converted.
                _ if types.iter().all(|(_, text)| !text.contains('#')) => {}
                _ => {
                    let texts = types.iter().map(|(_, text)| text.as_ref()).collect::<Vec<_>>();
                    let message = "a type of the conversion is not read, or has no layout";
                    self.unread(line, "convert", &texts.join(" -> "), Error::new(Code::Kind, message));
                }
            },
            "local_alloc" | "alloc_tensor" | "tmem_alloc" => {
                let Some(memory) = memory else { return };
                self.allocation(line, results, memory);
                if let Some(tensor) = tensor {
                    self.access(line, name, tensor, memory);
                }
            }
            "local_load"
            | "local_store"
            | "async_copy_global_to_local"
            | "buffer_load_to_local"
            | "tmem_load"
            | "tmem_store" => {
                if let (Some(tensor), Some(memory)) = (tensor, memory) {
                    self.access(line, name, tensor, memory);
                }
            }
            verb if OF_SCRATCH.iter().any(|stem| verb.starts_with(stem)) && !verb.ends_with(".return") => {
                self.dump.uncounted_scratch.insert(name.to_owned());
            }
            _ => {}
        }
    }

    /// Checks the declared type of a result against what follows from its operand.
    fn inference(&mut self, line: u64, name: &str, text: &str, types: &[Found]) {
        let read: Vec<usize> = types.iter().filter_map(|(at, _)| *at).collect();
        // One that is not read, or without a layout, says nothing.
        let (Some(operation), [operands @ .., to]) = (Operation::read(name, text), read.as_slice()) else { return };
        if read.len() != types.len() {
            return;
        }
        let (Some(from), to) = (operation.decisive(operands), *to) else { return };
        let facts = |at: usize| self.dump.types.get(at).map(|known| &known.facts);
        let given: Option<Vec<&Facts>> = operands.iter().map(|at| facts(*at)).collect();
        let Some((given, result)) = given.zip(facts(to)) else { return };
        if let Some(conflict) = operation.conflict(&given, result) {
            self.dump.conflicts.push(Inferred { line, operation: name.to_owned(), from, to, conflict });
        }
    }

    fn conversion(&mut self, line: u64, from: usize, to: usize) {
        let known = self.moves.get(&(from, to)).cloned();
        let movement = known.unwrap_or_else(|| {
            let layout = |at: usize| {
                let registers = self.dump.types.get(at).and_then(|known| known.facts.registers());
                registers.map(|registers| &registers.layout)
            };
            let movement = match (layout(from), layout(to)) {
                (Some(source), Some(target)) => Movement::between(source, target).map(|movement| {
                    let bits = self.dump.types.get(from).and_then(|known| known.facts.element_bits);
                    Arc::new(match (bits, self.gpu.and_then(|gpu| gpu.matrices)) {
                        (Some(bits), Some(matrices)) => movement.with_cost(source, target, bits, matrices),
                        _ => movement,
                    })
                }),
                _ => Err(Error::new(Code::Kind, "a conversion is between tensors in registers")),
            };
            self.moves.insert((from, to), movement.clone());
            movement
        });
        match movement {
            Ok(movement) => {
                match movement.cost.as_ref().map(|cost| &cost.way) {
                    Some(Way::Memory { bytes, .. }) => {
                        self.lifetimes.scratch(i64::try_from(*bytes).unwrap_or(i64::MAX), line);
                    }
                    None if movement.distance > Distance::Registers => {
                        self.dump.uncounted_scratch.insert("ttg.convert_layout".to_owned());
                    }
                    _ => {}
                }
                let source = self.dump.types.get(from);
                let bytes = source.and_then(|source| source.facts.tensor_bytes()).unwrap_or(0);
                self.dump.conversions.push(Conversion { line, from, to, movement, bytes });
            }
            Err(error) => self.unread(line, "convert", &self.pair(from, to), error),
        }
    }

    fn pair(&self, from: usize, to: usize) -> String {
        format!("{} -> {}", self.text(from), self.text(to))
    }

    fn text(&self, at: usize) -> &str {
        self.dump.types.get(at).map_or("", |known| known.text.as_str())
    }

    fn allocation(&mut self, line: u64, results: &str, memory: usize) {
        let facts = self.dump.types.get(memory).and_then(|known| known.facts.memory());
        let Some((bytes, is_tensor_memory)) = facts.map(|facts| (facts.bytes.unwrap_or(0), facts.is_tensor_memory))
        else {
            return;
        };
        let name = results.split([',', ':']).next().unwrap_or_default().trim().to_owned();
        self.dump.allocations.push(Allocation { line, name: name.clone(), memory });
        if is_tensor_memory {
            return;
        }
        self.lifetimes.allocate(name.trim_start_matches('%'), bytes, line);
    }

    fn access(&mut self, line: u64, operation: &str, tensor: usize, memory: usize) {
        let is_load = operation.ends_with("_load");
        let known = self.vectors.get(&(tensor, memory, is_load)).cloned();
        let (vector, cost) = known.unwrap_or_else(|| {
            let facts = |at: usize| self.dump.types.get(at).map(|known| &known.facts);
            let sides = facts(tensor).zip(facts(memory));
            let vector = match sides.map(|(tensor, memory)| (&tensor.kind, &memory.kind, memory.element_bits)) {
                Some((FactsKind::Registers(registers), FactsKind::Memory(memory), Some(bits))) => {
                    Vector::between(registers, memory, bits)
                }
                _ => Err(Error::new(Code::Kind, "elements of an unknown size")),
            };
            let transfer = if is_load { Transfer::Load } else { Transfer::Store };
            let banks = self.gpu.map_or(Some(SharedMemory::NVIDIA), |gpu| gpu.banks);
            let cost = banks.zip(sides).and_then(|(banks, (tensor, memory))| cost(&banks, tensor, memory, transfer));
            self.vectors.insert((tensor, memory, is_load), (vector.clone(), cost));
            (vector, cost)
        });
        let bytes = self.dump.types.get(memory).and_then(|known| known.facts.tensor_bytes()).unwrap_or(0);
        let operation = operation.to_owned();
        self.dump.accesses.push(Access { line, operation, tensor, memory, vector, cost, bytes });
    }
}

/// Whether a result of an operation is shared memory, or may be: its types stand behind an arrow, or are those of the operands.
fn makes_memory(name: &str, rest: &str) -> bool {
    let types = match rest.rsplit_once("->") {
        Some((_, results)) => results,
        None if matches!(name, "ttng.warp_group_dot_wait" | "arith.select") => rest,
        None => return false,
    };
    types.contains("memdesc") || types.trim_start().starts_with(['<', '!'])
}

/// Where the type begins whose `<` stands there, and whether its keyword is left out, as MLIR does behind an arrow.
fn type_start(line: &str, at: usize) -> Option<(usize, bool)> {
    let before = line.get(..at)?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '!';
    let word = before.trim_end_matches(is_word);
    let keyword = before.get(word.len()..)?;
    if KEYWORDS.contains(&keyword) {
        return Some((word.len(), false));
    }
    let arrow = keyword.is_empty() && before.trim_end().ends_with("->");
    let is_shape = line.get(at + 1..)?.starts_with(|c: char| c.is_ascii_digit());
    (arrow && is_shape).then_some((at, true))
}

/// Whether an attribute is meant as a layout, and no space of memory.
fn is_layout(text: &str) -> bool {
    let end = text.find('<').unwrap_or(text.len());
    let name = text.get(..end).unwrap_or(text).trim();
    !name.starts_with("#tt.") && !name.ends_with("_memory")
}

fn encoding(text: &str, notes: &mut Vec<String>) -> Result<Encoding, Error> {
    match parse(text, Ints::Plain)?.kind {
        ExprKind::Attribute(attribute) => Encoding::from_attribute(&attribute, notes),
        _ => Err(Error::new(Code::Kind, "an encoding is an attribute")),
    }
}
