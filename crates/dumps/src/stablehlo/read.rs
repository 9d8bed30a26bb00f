//! From the lines of a file of StableHLO to what it holds.

use std::collections::HashMap;
use std::io::{self, BufRead};

use bitstride::sharding::Sharding;
use bitstride::{Code, Error, error};

use super::line::{
    Said, Typed, argument_line, arguments, given, meshes, named, reduced, results, sharding, shardings, signature,
    unwrapped,
};
use super::{Dump, Mesh, Resharded, Sharded};
use crate::Unread;
use crate::lines::Lines;
use crate::scan::{Brackets, balanced, comment, operation};

/// Operations that change nothing but the sharding of their operand.
const CHANGES: [&str; 7] = [
    "sdy.sharding_constraint",
    "sdy.reshard",
    "sdy.all_gather",
    "sdy.all_slice",
    "sdy.all_to_all",
    "sdy.collective_permute",
    "mhlo.copy",
];

/// Operations that combine summands, which devices along the axes that they name have of their operand.
const SUMS: [&str; 2] = ["sdy.all_reduce", "sdy.reduce_scatter"];

impl Dump {
    /// Reads a file; `line` is a line whose values are marked.
    ///
    /// # Errors
    /// What the input cannot be read with. A sharding that is not read is listed in [`Dump::unread`].
    pub fn read(input: impl BufRead, line: Option<u64>) -> io::Result<Dump> {
        let mut reader = Reader { marked: line, ..Reader::default() };
        let mut lines = Lines::new(input);
        lines.each(|number, line| match line {
            Ok(text) => reader.line(number, text.get(..comment(text)).unwrap_or(text)),
            Err(error) => reader.unread(number, "line", "", error),
        })?;
        reader.dump.lines = lines.number();
        for region in std::mem::take(&mut reader.regions) {
            if !region.shardings.is_nothing() {
                let error = Error::new(Code::Syntax("unexpected-end"), "the file ends inside the region");
                reader.unread(region.line, "sharding", &region.names, error);
            }
        }
        Ok(reader.dump)
    }
}

/// What is known between two lines.
#[derive(Default)]
struct Reader {
    dump: Dump,
    marked: Option<u64>,
    /// How many devices run the program, where it says so.
    partitions: Option<i64>,
    /// Where a type with a sharding on a mesh is in the list.
    places: HashMap<(String, String, String), usize>,
    /// The shardings of the values of this function.
    values: HashMap<String, usize>,
    /// The types of the values of this function, for operations that do not repeat them.
    types: HashMap<String, String>,
    /// Where a change of a sharding is in the list.
    changes: HashMap<(String, Sharding, usize), usize>,
    /// Operations whose results have their types behind a region.
    regions: Vec<Region>,
}

/// An operation whose regions are open: the types of its results, and what else is said of them, follow the last brace, which
/// stands as far in as the operation.
struct Region {
    indent: usize,
    names: String,
    /// Where the operation stands, and the shardings that it says of its results there.
    line: u64,
    shardings: Said,
}

impl Reader {
    fn line(&mut self, line: u64, text: &str) {
        let (names, operation, after) = operation(text);
        match operation {
            "module" => {
                symbol(after).trim_start_matches('@').clone_into(&mut self.dump.module);
                self.partitions = partitions(after);
                for (name, axes) in meshes(after) {
                    self.dump.meshes.push(Mesh { name, axes, line });
                }
            }
            "sdy.mesh" => self.mesh(line, after),
            "func.func" => self.function(line, unwrapped(after).as_deref().unwrap_or(after)),
            _ if text.trim_start().starts_with('}') => self.closing(line, text),
            _ if !argument_line(text).is_empty() => {
                let text = unwrapped(text).unwrap_or_else(|| text.to_owned());
                for Typed { name, ty, attributes } in argument_line(&text) {
                    self.value(line, name.to_owned(), ty, sharding(attributes));
                }
            }
            _ => match unwrapped(after) {
                Some(after) => self.operation(line, &after, (names, operation, &after)),
                None => self.operation(line, text, (names, operation, after)),
            },
        }
    }

    fn mesh(&mut self, line: u64, after: &str) {
        let axes = after.find('<').and_then(|at| balanced(after.get(at..)?, Brackets::All));
        match axes {
            Some((axes, _)) => {
                self.dump.meshes.push(Mesh { name: symbol(after).to_owned(), axes: axes.to_owned(), line });
            }
            None => {
                let error = Error::new(Code::Syntax("expected"), "expected `@name = <[\"axis\"=size, …]>`");
                self.unread(line, "mesh", after.trim(), error);
            }
        }
    }

    /// The arguments and results of a function.
    fn function(&mut self, line: u64, after: &str) {
        self.values.clear();
        self.types.clear();
        let (given, made) = signature(after);
        for Typed { name, ty, attributes } in given {
            self.value(line, name.to_owned(), ty, sharding(attributes));
        }
        for (number, Typed { ty, attributes, .. }) in made.into_iter().enumerate() {
            self.value(line, format!("result {number}"), ty, sharding(attributes));
        }
    }

    /// `in_shardings=[…]` of an operation with a region, which its operands get: `sdy.manual_computation(%a, %b) in_shardings=[…] …`.
    fn operands(&mut self, line: u64, operation: &str, after: &str) {
        let wanted = named(after, "in_shardings");
        let listed = after.split_once('(').map_or("", |(_, rest)| rest.split(')').next().unwrap_or(""));
        let operands: Vec<&str> = listed.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if !wanted.is_empty() && wanted.len() != operands.len() {
            return self.not_as_many(line, operation, wanted.len(), operands.len());
        }
        for (operand, wanted) in operands.into_iter().zip(wanted) {
            let Some(tensor) = self.types.get(operand).cloned() else {
                let error = error!(Code::MissingFact, "the type of {operand} is not known", [operand]);
                self.unread(line, "sharding", &wanted, error);
                continue;
            };
            let from = self.values.get(operand).copied();
            if let Some(to) = self.sharded(line, operand, &tensor, wanted) {
                self.reshard(line, operand, operation, from, to);
            }
        }
    }

    fn operation(&mut self, line: u64, text: &str, (names, operation, after): (&str, &str, &str)) {
        self.operands(line, operation, after);
        let own = match given(after) {
            Some(own) if operation.starts_with("sdy.") => Said::Each(vec![own]),
            _ => shardings(text),
        };
        let own = if own.is_nothing() { Said::Each(named(text, "out_shardings")) } else { own };
        let is_open = text.trim_end().ends_with('{');
        if is_open || operation.is_empty() {
            for Typed { name, ty, attributes } in arguments(text) {
                self.value(line, name.to_owned(), ty, sharding(attributes));
            }
        }
        if is_open {
            if !names.is_empty() {
                self.regions.push(Region { indent: indent(text), names: names.to_owned(), line, shardings: own });
            }
            return;
        }
        let is_name = |c: char| c.is_alphanumeric() || "%_#".contains(c);
        let operand = after.split(|c| !is_name(c)).find(|word| word.starts_with('%'));
        let from = operand.and_then(|name| self.values.get(name).copied());
        let to = self.values_of(line, names, &results(text), own);
        let changes = CHANGES.contains(&operation) || after.trim_start().starts_with("@Sharding(");
        match to.as_slice() {
            [Some(to)] if changes => self.reshard(line, names, operation, from, *to),
            [Some(to)] if SUMS.contains(&operation) => self.summed(line, names, operation, after, *to),
            _ => {}
        }
    }

    /// An operation that combines summands: what its operand is follows from the axes that it names.
    fn summed(&mut self, line: u64, name: &str, operation: &str, after: &str, to: usize) {
        let Some((axes, reduction)) = reduced(after) else { return };
        let Some(after) = self.dump.shardings.get(to) else { return };
        match after.sharding.before_reduction(axes, reduction) {
            Ok(before) => self.changed(line, name, operation, (before, None), to),
            Err(error) => self.unread(line, "reduction", axes, error),
        }
    }

    /// The brace that closes a region. Behind the last one of an operation are the types of its results.
    fn closing(&mut self, line: u64, text: &str) {
        let own = shardings(text);
        let is_last = |region: &mut Region| region.indent == indent(text) && !results(text).is_empty();
        match self.regions.pop_if(is_last) {
            Some(region) if own.is_nothing() => {
                self.values_of(region.line, &region.names, &results(text), region.shardings);
            }
            Some(region) => {
                self.values_of(line, &region.names, &results(text), own);
            }
            None if own.is_nothing() => {}
            None => self.not_as_many(line, "}", 1, 0),
        }
        for Typed { name, ty, attributes } in arguments(text) {
            self.value(line, name.to_owned(), ty, sharding(attributes));
        }
    }

    /// Gives the results of an operation their types and shardings: `%a, %b` are two, and `%a:2` is `%a#0` and `%a#1`.
    fn values_of(&mut self, line: u64, names: &str, types: &[&str], shardings: Said) -> Vec<Option<usize>> {
        let mut results = Vec::new();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name.split_once(':').map(|(base, count)| (base, count.parse::<usize>())) {
                // No more than there are types, whatever the number is.
                Some((base, Ok(count))) => {
                    results.extend((0..count.min(types.len() + 1)).map(|at| format!("{base}#{at}")));
                }
                _ => results.push(name.to_owned()),
            }
        }
        let types = if results.len() == types.len() { types } else { &[] };
        let count = types.len();
        let shardings = match shardings {
            Said::All(text) if count > 0 => vec![text; count],
            Said::All(text) => vec![text],
            Said::Each(all) => all,
        };
        if !shardings.is_empty() && shardings.len() != count {
            self.not_as_many(line, names, shardings.len(), count);
            return Vec::new();
        }
        let mut texts = shardings.into_iter();
        let each = results.into_iter().zip(types).map(|(name, ty)| self.value(line, name, ty, texts.next()));
        each.collect()
    }

    fn not_as_many(&mut self, line: u64, names: &str, shardings: usize, tensors: usize) {
        let error = error!(Code::RankMismatch, "{shardings} shardings of {tensors} tensors", [shardings, tensors]);
        self.unread(line, "sharding", names, error);
    }

    /// A value with its type, and the sharding that it has.
    fn value(&mut self, line: u64, name: String, tensor: &str, text: Option<String>) -> Option<usize> {
        let place = text.and_then(|text| self.sharded(line, &name, tensor, text));
        match place {
            Some(place) => self.values.insert(name.clone(), place),
            None => self.values.remove(&name),
        };
        self.types.insert(name, tensor.to_owned());
        place
    }

    /// Counts a type with a sharding.
    fn sharded(&mut self, line: u64, name: &str, ty: &str, text: String) -> Option<usize> {
        let tensor = on_mesh(ty);
        let is_marked = self.marked == Some(line);
        // Another section of the file may have another mesh of the same name.
        let mesh = self.dump.meshes.iter().rev().find(|mesh| {
            text.strip_prefix("#sdy.sharding<").is_some_and(|rest| {
                rest.strip_prefix(&mesh.name).is_some_and(|rest| rest.trim_start().starts_with(','))
            })
        });
        let mesh = mesh.map_or(String::new(), |mesh| format!(", sdy.mesh {} = {}", mesh.name, mesh.axes));
        let key = (tensor.to_owned(), text, mesh);
        if let Some(place) = self.places.get(&key).copied() {
            let known = self.dump.shardings.get_mut(place)?;
            known.count += 1;
            known.is_marked |= is_marked;
            return Some(place);
        }
        // A manual tensor is that of one device already, and a token has no elements, whatever is said of it.
        if key.1 == "{manual}" || tensor.ends_with(".token") {
            return None;
        }
        if !tensor.starts_with("tensor<") {
            let error = error!(Code::Kind, "{tensor} is no tensor, and has no shards that are known here", [tensor]);
            self.unread(line, "sharding", &format!("{tensor} {}", key.1), error);
            return None;
        }
        let read = format!("shard({tensor}, {}{})", key.1, key.2).parse::<Sharding>();
        let read = read.and_then(|sharding| match self.partitions {
            Some(partitions) if sharding.devices().is_err() => sharding.on(partitions),
            _ => Ok(sharding),
        });
        let sharding = match read {
            Ok(sharding) => sharding,
            Err(error) => {
                self.unread(line, "sharding", &format!("{tensor} {}", key.1), error);
                return None;
            }
        };
        let place = self.dump.shardings.len();
        let (tensor, text, _) = key.clone();
        self.dump.shardings.push(Sharded { tensor, text, sharding, line, name: name.to_owned(), count: 1, is_marked });
        self.places.insert(key, place);
        Some(place)
    }

    fn reshard(&mut self, line: u64, name: &str, operation: &str, from: Option<usize>, to: usize) {
        let Some(from) = from.and_then(|from| self.dump.shardings.get(from)) else { return };
        let before = (from.sharding.clone(), Some(from.text.clone()));
        self.changed(line, name, operation, before, to);
    }

    /// Counts a change from a sharding, with its text where it has one in the file.
    fn changed(&mut self, line: u64, name: &str, operation: &str, before: (Sharding, Option<String>), to: usize) {
        let Some(after) = self.dump.shardings.get(to) else { return };
        let is_marked = self.marked == Some(line);
        let (before, text) = before;
        let key = (operation.to_owned(), before, to);
        if let Some(known) = self.changes.get(&key).and_then(|place| self.dump.reshards.get_mut(*place)) {
            known.count += 1;
            known.is_marked |= is_marked;
            return;
        }
        let before = key.1.clone();
        self.changes.insert(key, self.dump.reshards.len());
        self.dump.reshards.push(Resharded {
            line,
            name: name.to_owned(),
            operation: operation.to_owned(),
            tensor: after.tensor.clone(),
            from: text.unwrap_or_else(|| on_mesh_of(&after.text, &before)),
            to: after.text.clone(),
            before,
            after: after.sharding.clone(),
            count: 1,
            is_marked,
        });
    }

    fn unread(&mut self, line: u64, what: &'static str, text: &str, error: Error) {
        Unread::note(&mut self.dump.unread, &mut self.dump.unread_count, line, what, text, error);
    }
}

/// The tensor of a type of MPMD that is on one of several meshes, `!mpmd.mesh_tensor<"m", tensor<4xf32>>`; another type is itself.
fn on_mesh(ty: &str) -> &str {
    let inside = ty.strip_prefix("!mpmd.mesh_tensor<").and_then(|inside| inside.get(inside.find("tensor<")?..));
    let tensor = inside.and_then(|inside| {
        let (angles, _) = balanced(inside.get("tensor".len()..)?, Brackets::All)?;
        inside.get(.."tensor".len() + angles.len())
    });
    tensor.unwrap_or(ty)
}

/// A sharding of Shardy whose mesh is named as in another text: `#sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>`.
fn on_mesh_of(text: &str, sharding: &Sharding) -> String {
    let written = sharding.to_string();
    let behind = written.split_once("mesh<").and_then(|(_, rest)| rest.split_once("]>, ")).map(|(_, dims)| dims);
    let mesh = text.split_once(',').map(|(mesh, _)| mesh);
    match (mesh, behind.and_then(|dims| dims.strip_suffix(')'))) {
        (Some(mesh), Some(dims)) => format!("{mesh}, {dims}"),
        _ => written,
    }
}

/// How far in a line stands.
fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// `@mesh` in ` @mesh = …`
fn symbol(text: &str) -> &str {
    let from = text.find('@').and_then(|at| text.get(at..)).unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || "@_.-$\"".contains(c);
    from.get(..from.find(|c| !is_name(c)).unwrap_or(from.len())).unwrap_or_default()
}

/// The number in `mhlo.num_partitions = 4 : i32`.
fn partitions(attributes: &str) -> Option<i64> {
    let (_, rest) = attributes.split_once("mhlo.num_partitions = ")?;
    rest.get(..rest.find(|c: char| !c.is_ascii_digit())?)?.parse().ok()
}
