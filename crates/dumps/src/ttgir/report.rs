//! A TTGIR file as a [`Report`].

use std::collections::HashMap;

use bitstride::linear::Name;
use bitstride::memory::Way;
use bitstride_lang::{Value, call};

use super::{Access, Alias, Allocation, Conversion, Distance, Dump, FactsKind, Inferred, Moved, Peak, Type};
use crate::Dialect;
use crate::report::{Bytes, Field, Item, Report, by, coordinate, counted};

impl Dump {
    /// What the file tells; what stands on the line `marked` is marked.
    pub fn report(&self, marked: Option<u64>) -> Report {
        let mut report = Report { dialect: Dialect::Ttgir, head: self.head(), ..Report::default() };
        let mut known = HashMap::new();
        let aliases = self.aliases.iter().map(|alias| {
            let cute = known.entry(alias.inlined.as_str()).or_insert_with(|| self.cute(alias));
            self.alias(alias, cute.as_ref(), marked)
        });
        report.push("alias", "aliases", aliases.collect());
        let (pointers, values): (Vec<&Type>, Vec<&Type>) = self.types.iter().partition(|known| known.is_pointer());
        report.push("type", "types", values.iter().chain(&pointers).map(|known| type_item(known)).collect());
        report.push("alloc", "allocations", self.allocations.iter().map(|one| self.allocation(one, marked)).collect());
        if self.peak.bytes > 0 || !self.uncounted_scratch.is_empty() {
            report.push("peak", "peak", vec![self.peak_item(marked)]);
        }
        let mut conversions: Vec<&Conversion> = self.conversions.iter().collect();
        conversions.sort_by_key(|one| std::cmp::Reverse((one.movement.distance, one.bytes)));
        report.push(
            "convert",
            "conversions, by how far data move",
            conversions.iter().map(|one| self.conversion(one, marked)).collect(),
        );
        let mut accesses = self.alike();
        accesses.sort_by_key(|alike| std::cmp::Reverse(alike.first.conflicts().unwrap_or(0)));
        let (loads, stores): (Vec<Accesses>, Vec<Accesses>) =
            accesses.into_iter().partition(|alike| alike.first.is_load());
        report.push("load", "loads from shared memory", loads.iter().map(|one| self.access(one, marked)).collect());
        report.push("store", "stores to shared memory", stores.iter().map(|one| self.access(one, marked)).collect());
        report.push(
            "conflict",
            "declared types that do not follow from their operands",
            self.conflicts.iter().map(|one| self.conflict(one, marked)).collect(),
        );
        report.push("unread", "not read", self.unread.iter().map(|one| one.item(marked)).collect());
        report
    }

    fn head(&self) -> Vec<String> {
        let pointers = self.types.iter().filter(|known| known.is_pointer()).count();
        let layouts = self.aliases.iter().filter(|alias| alias.encoding.is_some()).count();
        let number = |count: usize| i128::try_from(count).unwrap_or(i128::MAX);
        let spaces = self.aliases.len() - layouts;
        let lines = counted(self.lines, "line", "lines");
        let is_other = self.aliases.is_empty() && self.types.is_empty() && self.allocations.is_empty();
        if is_other && self.plain_types == 0 && self.unread_count == 0 {
            return vec![lines];
        }
        let mut parts = vec![lines, counted(number(layouts), "alias of a layout", "aliases of layouts")];
        if spaces > 0 {
            parts.push(counted(number(spaces), "other alias", "other aliases"));
        }
        parts.push(counted(number(self.types.len() - pointers), "type with a layout", "types with a layout"));
        if pointers > 0 {
            parts.push(format!("{} of pointers", number(pointers)));
        }
        if self.plain_types > 0 {
            parts.push(format!("{} without a layout", counted(self.plain_types, "use of a type", "uses of types")));
        }
        parts.push(counted(number(self.allocations.len()), "allocation", "allocations"));
        parts.push(counted(number(self.conversions.len()), "conversion", "conversions"));
        let loads = self.accesses.iter().filter(|one| one.is_load()).count();
        parts.push(counted(number(loads), "load", "loads"));
        parts.push(counted(number(self.accesses.len() - loads), "store", "stores"));
        let conflicting = self.accesses.iter().filter(|one| one.conflicts() > Some(0)).count();
        if conflicting > 0 {
            parts.push(format!("{} with bank conflicts", number(conflicting)));
        }
        if self.unread_count > 0 {
            parts.push(format!("{} not read", self.unread_count));
        }
        vec![parts.join(", ")]
    }

    fn text(&self, at: usize) -> &str {
        self.types.get(at).map_or("", |known| known.text.as_str())
    }

    fn inlined(&self, at: usize) -> &str {
        self.types.get(at).map_or("", |known| known.facts.inlined.as_str())
    }

    fn alias(&self, alias: &Alias, cute: Option<&(String, String)>, marked: Option<u64>) -> Item {
        let item = Item::on(alias.line, marked)
            .known_as(format!("{} = {}", alias.name, alias.inlined), 1)
            .with("name", alias.name.as_str())
            .with("attribute", alias.inlined.as_str())
            .with("layout", alias.encoding.is_some());
        if alias.encoding.is_none() {
            return item.say(format!("{}  {}", alias.name, alias.inlined));
        }
        let mut item = item
            .with("words", alias.words.as_str())
            .say(format!("{}  {}", alias.name, alias.words))
            .say(alias.inlined.as_str());
        if let Some((on, cute)) = cute {
            item = item.with("cute", cute.as_str()).say(format!("on {on} as CuTe: {cute}"));
        }
        alias.notes.iter().fold(item, |item, note| item.say(format!("note: {note}")))
    }

    /// The layout of the largest type with this encoding in CuTe's notation, and the sizes of the type.
    fn cute(&self, alias: &Alias) -> Option<(String, String)> {
        let suffix = format!(", {}", alias.inlined);
        let is_one = |known: &&Type| {
            let (_, rest) = known.facts.inlined.split_once(&suffix).unwrap_or_default();
            rest.starts_with(['>', ','])
        };
        let elements = |known: &&Type| known.facts.shape.iter().fold(1_i64, |all, size| all.saturating_mul(*size));
        let known = self.types.iter().filter(is_one).max_by_key(elements)?;
        let notation = Name::new("cute").ok().map(Value::Name)?;
        let answer = call("convert", &[known.facts.value.clone(), notation]).ok()?;
        Some((by(&known.facts.shape), answer.value.to_string()))
    }

    fn allocation(&self, allocation: &Allocation, marked: Option<u64>) -> Item {
        let item = Item::on(allocation.line, marked)
            .known_as(self.inlined(allocation.memory), 1)
            .with("name", allocation.name.as_str())
            .with("type", self.text(allocation.memory));
        let memory = self.types.get(allocation.memory).and_then(|known| known.facts.memory());
        let Some(memory) = memory else { return item };
        let mut said = Vec::new();
        let mut item = item.with("tensor_memory", memory.is_tensor_memory);
        match memory.bytes {
            Some(bytes) => {
                item = item.with("bytes", bytes);
                said.push(format!("{} ({bytes} bytes)", Bytes(bytes)));
            }
            None => said.push("elements of an unknown size".to_owned()),
        }
        if let Some(buffers) = memory.buffers {
            item = item.with("buffers", buffers);
            said.push(counted(buffers, "buffer", "buffers"));
        }
        if let Some(padding) = memory.padding {
            item = item.with("padding", padding);
            said.push(if padding == 0 { "no padding".to_owned() } else { format!("{padding} bytes of padding") });
        }
        item.say(format!("{}  {}", allocation.name, self.text(allocation.memory))).say(said.join(", "))
    }

    fn peak_item(&self, marked: Option<u64>) -> Item {
        let Peak { bytes, scratch, line } = self.peak;
        let what = match scratch {
            0 => String::new(),
            scratch => format!(", {scratch} of them the scratch of a conversion"),
        };
        let uncounted: Vec<&str> = self.uncounted_scratch.iter().map(String::as_str).collect();
        let item = Item::on(line, marked).known_as(bytes.to_string(), 1).with("bytes", bytes).with("scratch", scratch);
        let item = match bytes {
            0 => item.say("no shared memory is allocated"),
            _ => item
                .say(format!(
                    "{} ({bytes} bytes) of shared memory are in use at once, on line {line}{what}",
                    Bytes(bytes)
                ))
                .say("an allocation is in use up to the last line that names it, in a loop up to its end"),
        };
        match uncounted.as_slice() {
            [] => item,
            names => item
                .with("uncounted", names.join(", "))
                .say(format!("what {} need comes on top: it is not counted", names.join(", "))),
        }
    }

    fn conversion(&self, conversion: &Conversion, marked: Option<u64>) -> Item {
        let movement = &conversion.movement;
        let parts: Vec<&str> = movement.parts.iter().map(Name::as_str).collect();
        let (from, to) = (self.text(conversion.from), self.text(conversion.to));
        let rank = Distance::NAMES.iter().position(|name| *name == movement.distance.name()).unwrap_or(0);
        let identity = format!("{} -> {}", self.inlined(conversion.from), self.inlined(conversion.to));
        let mut item = Item::on(conversion.line, marked)
            .known_as(identity, 1)
            .with("from", from)
            .with("to", to)
            .with("free", movement.distance == Distance::Nothing)
            .with("moves", Field::Rank(&Distance::NAMES, rank))
            .with("parts", parts.join(", "))
            .with("bytes", conversion.bytes)
            .say(format!("{from} -> {to}"));
        let what = movement.distance.words();
        item = item.say(match parts.as_slice() {
            [] => what.to_owned(),
            parts => format!("{what}: {} change; {} in all", parts.join(", "), Bytes(conversion.bytes)),
        });
        if let Some(cost) = &movement.cost {
            let (bytes, shuffles) = match &cost.way {
                Way::Nothing | Way::Registers => (0, 0),
                Way::Shuffles { shuffles, .. } => (0, *shuffles),
                Way::Memory { bytes, .. } => (*bytes, 0),
            };
            let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            item = item.with("scratch", number(bytes)).with("shuffles", number(shuffles)).say(cost.to_string());
        }
        match &movement.first {
            Some(Moved { element, from, to }) => {
                let (from, to) = (place(from), place(to));
                item.with("first", element.clone())
                    .with("first_from", from.as_str())
                    .with("first_to", to.as_str())
                    .say(format!("the first element that moves is {}: from {from} to {to}", coordinate(element)))
            }
            None => item,
        }
    }

    fn conflict(&self, inferred: &Inferred, marked: Option<u64>) -> Item {
        let (from, to) = (self.text(inferred.from), self.text(inferred.to));
        let identity =
            format!("{} {} -> {}", inferred.operation, self.inlined(inferred.from), self.inlined(inferred.to));
        // The two ends of a join are checked from its result on.
        let (given, other) =
            if inferred.operation == "tt.join" { ("result", "operand") } else { ("operand", "result") };
        let item = Item::on(inferred.line, marked)
            .known_as(identity, 1)
            .with("operation", inferred.operation.as_str())
            .with("from", from)
            .with("to", to)
            .with("difference", inferred.conflict.difference.as_str())
            .say(format!("{}  {from} -> {to}", inferred.operation));
        let item = match &inferred.conflict.forward {
            Ok(encoding) => item
                .with("inferred", encoding.as_str())
                .say(format!("from the {given} follows for the {other}: {encoding}"))
                .say(inferred.conflict.difference.as_str()),
            Err(error) => item.say(format!("from the {given} nothing follows for the {other}: {error}")),
        };
        match &inferred.conflict.backward {
            Some(encoding) if inferred.operation != "tt.join" => item
                .with("operand", encoding.as_str())
                .say(format!("the declared result would follow from: {encoding}")),
            _ => item,
        }
    }

    /// The accesses, those of one operation between the same types together.
    fn alike(&self) -> Vec<Accesses<'_>> {
        let mut alike: Vec<Accesses> = Vec::new();
        let mut known: HashMap<(&str, usize, usize), usize> = HashMap::new();
        for access in &self.accesses {
            let at = *known.entry((&access.operation, access.tensor, access.memory)).or_insert(alike.len());
            match alike.get_mut(at) {
                Some(group) => group.lines.push(access.line),
                None => alike.push(Accesses { first: access, lines: vec![access.line] }),
            }
        }
        alike
    }

    fn access(&self, accesses: &Accesses, marked: Option<u64>) -> Item {
        let access = accesses.first;
        let (tensor, memory) = (self.text(access.tensor), self.text(access.memory));
        let (from, to) = if access.is_load() { (memory, tensor) } else { (tensor, memory) };
        let lines = accesses.lines.iter().map(|line| i64::try_from(*line).unwrap_or(i64::MAX)).collect::<Vec<_>>();
        let mut item =
            Item { is_marked: accesses.lines.iter().any(|line| Some(*line) == marked), ..Item::on(access.line, None) }
                .with("operation", access.operation.as_str())
                .with("tensor", tensor)
                .with("memory", memory)
                .with("bytes", access.bytes)
                .say(format!("{}  {from} -> {to}", access.operation));
        item = match &access.vector {
            Ok(vector) => item
                .with("vector", vector.elements)
                .with("vector_bits", vector.bits)
                .with("accesses", vector.accesses)
                .say(format!(
                    "vectors of {} ({} bits), {} a thread",
                    counted(vector.elements, "element", "elements"),
                    vector.bits,
                    counted(vector.accesses, "access", "accesses")
                )),
            Err(error) => item.with("reason", error.to_string()).say(format!("no vector: {error}")),
        };
        if let (Some(cost), Some(conflicts)) = (access.cost, access.conflicts()) {
            item = item.with("wavefronts", cost.wavefronts).with("conflicts", conflicts).say(format!(
                "{} for a block{}",
                counted(cost.wavefronts, "wavefront", "wavefronts"),
                match conflicts {
                    0 => ", without bank conflicts".to_owned(),
                    conflicts => format!(
                        ", of which {} from bank conflicts",
                        if conflicts == 1 { "1 is".to_owned() } else { format!("{conflicts} are") }
                    ),
                }
            ));
        }
        if lines.len() > 1 {
            let listed: Vec<String> = lines.iter().map(i64::to_string).collect();
            item = item.say(format!("{} times, on lines {}", lines.len(), listed.join(", ")));
        }
        item.with("times", i64::try_from(lines.len()).unwrap_or(i64::MAX)).with("lines", lines)
    }
}

/// Accesses by one operation between the same types.
struct Accesses<'d> {
    first: &'d Access,
    lines: Vec<u64>,
}

impl Access {
    /// Whether the tensor comes from memory.
    pub fn is_load(&self) -> bool {
        self.operation.ends_with("_load")
    }

    /// The wavefronts beyond those that there are without bank conflicts, where they are known.
    pub fn conflicts(&self) -> Option<i64> {
        self.cost.map(|cost| cost.wavefronts.saturating_sub(cost.phases))
    }
}

fn type_item(known: &Type) -> Item {
    let facts = &known.facts;
    let mut item = Item { is_marked: known.is_marked, ..Item::on(known.line, None) }
        .known_as(facts.inlined.as_str(), known.uses)
        .with("type", known.text.as_str())
        .with("uses", known.uses)
        .with("inlined", facts.inlined.as_str())
        .with("layout", facts.value.to_string());
    let uses = counted(known.uses, "use", "uses");
    item = item.say(format!("{}  {uses}", known.text));
    item = match &facts.kind {
        FactsKind::Registers(registers) => {
            let (length, dim) = registers.contiguous;
            let copies: u64 = registers.copies.iter().map(|(_, count)| *count).product();
            let in_parts = registers.copies.iter().map(|(name, count)| format!("{count} in {name}s"));
            let copied = match registers.copies.as_slice() {
                [] => "no copies".to_owned(),
                _ => format!("{copies} copies of each element: {}", in_parts.collect::<Vec<_>>().join(", ")),
            };
            let run = match length {
                1 => "no neighbours in a thread".to_owned(),
                _ => format!("{length} neighbours along dim{dim} in a thread"),
            };
            item.with("registers", registers.registers)
                .with("copies", copies)
                .with("contiguous", length)
                .with("contiguous_dim", i64::try_from(dim).unwrap_or(i64::MAX))
                .say(format!("{} a thread, {copied}, {run}", counted(registers.registers, "register", "registers")))
        }
        FactsKind::Memory(memory) => {
            let mut said = Vec::new();
            if let Some(bytes) = memory.bytes {
                item = item.with("bytes", bytes);
                said.push(format!("{} ({bytes} bytes)", Bytes(bytes)));
            }
            if let Some(buffers) = memory.buffers {
                item = item.with("buffers", buffers);
                said.push(counted(buffers, "buffer", "buffers"));
            }
            if let Some(padding) = memory.padding.filter(|padding| *padding > 0) {
                item = item.with("padding", padding);
                said.push(format!("{padding} bytes of padding"));
            }
            if memory.allocation != facts.shape {
                let whole = memory.bytes.map_or(String::new(), |bytes| format!(" ({})", Bytes(bytes)));
                said = vec![format!("a part of an allocation of {}{whole}", by(&memory.allocation))];
            }
            item.say(said.join(", "))
        }
    };
    // A map has no text shorter than the type.
    let layout = facts.value.to_string();
    if layout != facts.inlined {
        item = item.say(layout);
    }
    facts
        .notes
        .iter()
        .filter(|note| note.contains("name of"))
        .fold(item, |item, note| item.say(format!("note: {note}")))
}

/// `register 4, lane 0`
fn place(parts: &[(Name, i64)]) -> String {
    parts.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}
