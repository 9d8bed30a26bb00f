//! `bitstride atoms`: the catalogue of instructions.

use std::io;

use bitstride::cute::{AtomFamily, CopyAtom, Layout, MmaAtom, atom_families};
use bitstride::{Code, error};
use serde_json::{Map, Value as Json, json};

use crate::args::Atoms;
use crate::session::Session;

pub(crate) fn run(args: &Atoms, session: &mut Session) -> io::Result<u8> {
    let rows: Vec<Row> = match &args.filter {
        None => atom_families().iter().filter_map(Row::of_family).collect(),
        Some(filter) => {
            let names = atom_families().into_iter().flat_map(|family| family.names());
            names
                .filter(|name| name.contains(filter.as_str()))
                .filter_map(|name| Row::of(&name, name.clone()))
                .collect()
        }
    };
    if rows.is_empty() {
        let filter = args.filter.as_deref().unwrap_or_default();
        let error = error!(Code::UnknownName, "no instruction has `{filter}` in its name", [filter]);
        return session.refuse("", &error.with_help("`bitstride atoms` lists their families"));
    }
    if session.json {
        for row in rows {
            session.object(row.json)?;
        }
        return Ok(0);
    }
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let facts = rows.iter().map(|row| row.facts.chars().count()).max().unwrap_or(0);
    for Row { name, facts: said, held, .. } in &rows {
        session.line(&format!("{name:width$}  {said:facts$}  {held}"))?;
    }
    Ok(0)
}

/// One line of the list.
struct Row {
    name: String,
    /// Shape and threads.
    facts: String,
    /// What a thread holds.
    held: String,
    json: Map<String, Json>,
}

impl Row {
    /// A family by the smallest of its instructions, the number left open.
    fn of_family(family: &AtomFamily) -> Option<Self> {
        let title = match family.numbers() {
            Some((letter, [first, .., last])) => format!("{}  {letter} = {first} … {last}", family.title()),
            Some((letter, [only])) => format!("{}  {letter} = {only}", family.title()),
            _ => family.title(),
        };
        let mut row = Self::of(family.names().first()?, title)?;
        if let Some((letter, numbers)) = family.numbers() {
            row.json.insert("name".into(), family.title().into());
            row.json.insert(letter.into(), json!(numbers));
        }
        Some(row)
    }

    /// The instruction of a name; none for a name that is not one.
    fn of(name: &str, title: String) -> Option<Self> {
        let count = |layout: &Layout| layout.size().ok()?.as_number().ok();
        let mut json = Map::new();
        json.insert("name".into(), name.into());
        let (facts, held) = if let Ok(copy) = CopyAtom::named(name) {
            let threads = count(&copy.threads)?;
            let each = |layout: &Layout| count(&layout.get(&[1]).ok()?);
            let (source, target) = (each(&copy.source)?, each(&copy.target)?);
            json.insert("threads".into(), threads.into());
            json.insert("bits".into(), json!([source, target]));
            (format!("copy, {}", threads_text(threads)), format!("reads {source}, writes {target} bits a thread"))
        } else {
            let mma = MmaAtom::named(name).ok()?;
            let threads = count(&mma.threads)?;
            let ([m, n, k], [a, b, c]) = (mma.shape, mma.bits);
            let mut registers = Vec::new();
            let operands = [("A", &mma.a, a), ("B", &mma.b, b), ("C", &mma.c, c)];
            for (operand, layout, bits) in operands {
                registers.push(match mma.is_in_memory(layout) {
                    true => (operand, None),
                    false => {
                        (operand, Some((count(&layout.get(&[1]).ok()?)?.checked_mul(bits)?.checked_add(31)?) / 32))
                    }
                });
            }
            json.insert("shape".into(), json!(mma.shape));
            json.insert("element_bits".into(), json!(mma.bits));
            json.insert("threads".into(), threads.into());
            for (operand, count) in &registers {
                json.insert(format!("registers_{operand}"), json!(count));
            }
            let texts = registers.iter().map(|(operand, count)| match count {
                Some(count) => format!("{operand} {count}"),
                None => format!("{operand} in memory"),
            });
            let texts: Vec<String> = texts.collect();
            let facts = format!("{m} x {n} x {k}, {a}/{b}/{c} bits, {}", threads_text(threads));
            (facts, format!("registers: {}", texts.join(", ")))
        };
        Some(Row { name: title, facts, held, json })
    }
}

fn threads_text(threads: i64) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}
