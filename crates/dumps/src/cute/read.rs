//! From the lines of a file of CuTe DSL to what it holds.
//!
//! A line is looked at for an alias of a type, an allocation and types with a layout; nothing else is understood, so that
//! operations of any dialect may stand in the file. Types are read once for each way in which they are written.

use std::collections::HashMap;
use std::io::{self, BufRead};

use bitstride::{Code, Error};

use super::{Alias, Allocation, Dump, Facts, Type};
use crate::Unread;
use crate::lines::Lines;
use crate::scan::{Brackets, balanced, comment, operation};

/// How types begin that may have a layout.
const STARTS: [&str; 2] = ["!cute.", "!cute_nvgpu."];

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
        Ok(reader.dump)
    }
}

/// What is known between two lines.
#[derive(Default)]
struct Reader {
    dump: Dump,
    marked: Option<u64>,
    /// The types as they are written; nothing for those without a layout and those that are not read.
    written: HashMap<String, Option<usize>>,
    /// The types that aliases stand for.
    aliases: HashMap<String, Option<usize>>,
}

impl Reader {
    fn line(&mut self, number: u64, line: &str) {
        let line = line.get(..comment(line)).unwrap_or(line);
        if let Some((name, text)) = alias(line) {
            let of = self.types(number, text, false).into_iter().next().flatten();
            self.aliases.insert(name.to_owned(), of);
            if let Some(of) = of {
                self.dump.aliases.push(Alias { name: name.to_owned(), line: number, of });
            }
            return;
        }
        let types = self.types(number, line, true);
        let (results, verb, _) = operation(line);
        if verb == "cute.memref.alloca"
            && let Some(Some(memory)) = types.last()
        {
            self.dump.allocations.push(Allocation { line: number, name: results.to_owned(), memory: *memory });
        }
    }

    /// The types on a line from the left, those with a layout by their place; whether they are used there.
    fn types(&mut self, number: u64, line: &str, is_use: bool) -> Vec<Option<usize>> {
        let (mut found, mut rest) = (Vec::new(), line);
        while let Some(at) = rest.find('!') {
            let from = rest.get(at..).unwrap_or_default();
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
            let length = from.get(1..).and_then(|name| name.find(|c| !is_name(c))).map_or(from.len(), |end| end + 1);
            let (name, after) = from.split_at_checked(length).unwrap_or((from, ""));
            rest = after;
            let known = if STARTS.iter().any(|start| name.starts_with(start)) && after.starts_with('<') {
                let Some((inside, behind)) = balanced(after, Brackets::All) else {
                    self.unread(number, "type", from, Error::new(Code::Syntax("type"), "its bracket does not close"));
                    break;
                };
                rest = behind;
                let text = from.get(..name.len() + inside.len()).unwrap_or(from);
                self.read(number, name, inside, text)
            } else {
                match self.aliases.get(name) {
                    Some(of) => *of,
                    None => continue,
                }
            };
            if let Some(known) = known.and_then(|at| self.dump.types.get_mut(at)) {
                known.uses += u64::from(is_use);
                known.is_marked |= self.marked == Some(number);
            }
            found.push(known);
        }
        found
    }

    /// The type that is written so.
    fn read(&mut self, number: u64, name: &str, inside: &str, text: &str) -> Option<usize> {
        if let Some(known) = self.written.get(text) {
            return *known;
        }
        let known = match Facts::read(name, inside, text) {
            None => None,
            Some(Ok(facts)) => {
                self.dump.types.push(Type { text: text.to_owned(), line: number, uses: 0, is_marked: false, facts });
                Some(self.dump.types.len() - 1)
            }
            Some(Err(error)) => {
                self.unread(number, "type", text, error);
                None
            }
        };
        self.written.insert(text.to_owned(), known);
        known
    }

    fn unread(&mut self, number: u64, what: &'static str, text: &str, error: Error) {
        Unread::note(&mut self.dump.unread, &mut self.dump.unread_count, number, what, text, error);
    }
}

/// `!name = TYPE`
fn alias(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.trim().split_once('=')?;
    let name = name.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    (name.strip_prefix('!')?.chars().all(is_name) && text.trim_start().starts_with('!')).then_some((name, text))
}
