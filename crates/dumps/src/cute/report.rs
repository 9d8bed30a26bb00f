//! A file of CuTe DSL as a [`Report`].

use super::{Alias, Allocation, Dump, Facts, Type};
use crate::Dialect;
use crate::report::{Bytes, Item, Report, counted};

impl Dump {
    /// What the file tells; what stands on the line `marked` is marked.
    pub fn report(&self, marked: Option<u64>) -> Report {
        let mut report = Report { dialect: Dialect::CuteDsl, head: vec![self.head()], ..Report::default() };
        report.push("alias", "aliases", self.aliases.iter().filter_map(|alias| self.alias(alias, marked)).collect());
        report.push("type", "types", self.types.iter().map(|known| self.type_item(known)).collect());
        let allocations = self.allocations.iter().filter_map(|one| self.allocation(one, marked));
        report.push("alloc", "allocations", allocations.collect());
        report.push("unread", "not read", self.unread.iter().map(|one| one.item(marked)).collect());
        report
    }

    fn head(&self) -> String {
        let number = |count: usize| i128::try_from(count).unwrap_or(i128::MAX);
        let mut parts = vec![
            counted(self.lines, "line", "lines"),
            counted(number(self.aliases.len()), "alias of a type with a layout", "aliases of types with a layout"),
            counted(number(self.types.len()), "type with a layout", "types with a layout"),
            counted(number(self.allocations.len()), "allocation", "allocations"),
        ];
        if self.unread_count > 0 {
            parts.push(format!("{} not read", self.unread_count));
        }
        parts.join(", ")
    }

    fn alias(&self, alias: &Alias, marked: Option<u64>) -> Option<Item> {
        let known = self.types.get(alias.of)?;
        let item = Item::on(alias.line, marked)
            .known_as(format!("{} = {}", alias.name, known.text), 1)
            .with("name", alias.name.as_str())
            .with("type", known.text.as_str())
            .with("layout", true);
        Some(item.say(format!("{}  {}", alias.name, known.facts.layout)))
    }

    fn type_item(&self, known: &Type) -> Item {
        let facts = &known.facts;
        let name = self.aliases.iter().find(|alias| self.types.get(alias.of).is_some_and(|of| of.text == known.text));
        let mut item = Item { is_marked: known.is_marked, ..Item::on(known.line, None) }
            .known_as(known.text.as_str(), known.uses)
            .with("type", known.text.as_str())
            .with("uses", known.uses)
            .with("what", facts.what.as_str())
            .with("layout", facts.layout.as_str());
        if let Some(memory) = &facts.memory {
            item = item.with("memory", memory.as_str());
        }
        for (field, value) in [("element_bits", facts.element_bits), ("size", facts.size), ("bytes", facts.bytes())] {
            if let Some(value) = value {
                item = item.with(field, value);
            }
        }
        let shown = name.map_or(known.text.as_str(), |alias| alias.name.as_str());
        item.say(format!("{shown}  {}", counted(known.uses, "use", "uses"))).say(words(facts))
    }

    fn allocation(&self, one: &Allocation, marked: Option<u64>) -> Option<Item> {
        let facts = &self.types.get(one.memory)?.facts;
        let memory = facts.memory.as_deref().unwrap_or_default();
        let mut item = Item::on(one.line, marked)
            .known_as(format!("{memory} {}", facts.layout), 1)
            .with("name", one.name.as_str())
            .with("type", self.types.get(one.memory)?.text.as_str())
            .with("memory", memory);
        if let Some(bytes) = facts.bytes() {
            item = item.with("bytes", bytes);
        }
        Some(item.say(format!("{}  {}", one.name, words(facts))))
    }
}

/// The layout, where it is, and how much it reaches over.
fn words(facts: &Facts) -> String {
    let mut words = facts.layout.clone();
    if let (Some(memory), Some(bits)) = (&facts.memory, facts.element_bits) {
        words += &format!("  in {memory}, {bits} bits an element");
    }
    if let Some(bytes) = facts.bytes() {
        words += &format!(", {}", Bytes(bytes));
    }
    words
}
