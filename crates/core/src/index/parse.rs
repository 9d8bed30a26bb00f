//! Parses an index expression: ranges, a colon, and an expression in C syntax.

use super::tree::{Operator, Tree};
use crate::axis::Axis;
use crate::error::{Code, Error};
use crate::linear::Name;
use crate::text::{Scanner, word};
use crate::text::{Span, code};

/// Deeper nesting is refused: more brackets than operators are never printed.
const DEPTH: usize = MAX_NODES / 2;

/// More operators and operands are refused.
pub(super) const MAX_NODES: usize = 400;

/// Operators that bind alike, the loosest first.
pub(super) const LEVELS: [&[(&str, Operator)]; 6] = [
    &[("|", Operator::Or)],
    &[("^", Operator::Xor)],
    &[("&", Operator::And)],
    &[("<<", Operator::Left), (">>", Operator::Right)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("//", Operator::Divide), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

/// The axes and the tree of a text such as `i<16, j<8: (i/8)*64 + i%8 + j*8`.
pub(super) fn parse(text: &str) -> Result<(Vec<Axis>, Tree), Error> {
    let (axes, tree, mut reader) = read(text)?;
    reader.scan.space();
    match reader.scan.rest().is_empty() {
        true => Ok((axes, tree)),
        false => Err(reader.unexpected("an operator or the end")),
    }
}

/// The same from the start of a text, and how many bytes of it were read.
pub(super) fn parse_start(text: &str) -> Result<(Vec<Axis>, Tree, usize), Error> {
    read(text).map(|(axes, tree, reader)| (axes, tree, reader.scan.at))
}

/// Whether a text begins with ranges and a colon, as in `i<16, j<8:`.
pub(super) fn begins_with_ranges(text: &str) -> bool {
    let mut rest = text;
    loop {
        let name = variable(rest);
        let after = rest.get(name.len()..).unwrap_or_default().trim_start();
        let Some(after) = after.strip_prefix('<').filter(|_| !name.is_empty()) else { return false };
        let after = after.trim_start();
        let number = word(after);
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        let after = after.get(number.len()..).unwrap_or_default().trim_start();
        match (after.starts_with(':'), after.strip_prefix(',')) {
            (true, _) => return true,
            (false, Some(next)) => rest = next.trim_start(),
            (false, None) => return false,
        }
    }
}

/// The name at the start of a text, perhaps one of a thread or block as CUDA has it: `threadIdx.x`.
fn variable(text: &str) -> &str {
    let name = word(text);
    let part = text.get(name.len()..).and_then(|rest| rest.strip_prefix('.')).map(word);
    match (name, part) {
        ("threadIdx" | "blockIdx", Some("x" | "y" | "z")) => text.get(..name.len() + 2).unwrap_or(name),
        _ => name,
    }
}

fn read(text: &str) -> Result<(Vec<Axis>, Tree, IndexReader<'_>), Error> {
    let mut reader = IndexReader { scan: Scanner::new(text), axes: Vec::new(), depth: 0, nodes: 0 };
    if !reader.scan.take(":") {
        loop {
            reader.range()?;
            if reader.scan.take(":") {
                break;
            }
            if !reader.scan.take(",") {
                return Err(reader.unexpected("`,` and another range, or `:` and the expression"));
            }
        }
    }
    let tree = reader.binary(0)?;
    Ok((std::mem::take(&mut reader.axes), tree, reader))
}

struct IndexReader<'t> {
    scan: Scanner<'t>,
    axes: Vec<Axis>,
    depth: usize,
    nodes: usize,
}

impl<'t> IndexReader<'t> {
    fn unexpected(&mut self, wanted: &str) -> Error {
        self.scan.space();
        match self.scan.rest().chars().next() {
            Some(c) => {
                let message = format!("expected {wanted}, found `{c}`");
                self.error(code::UNEXPECTED_TOKEN, self.scan.at, self.scan.at + c.len_utf8(), message)
            }
            None => self.error(
                code::UNEXPECTED_END,
                self.scan.at,
                self.scan.at,
                format!("expected {wanted}, but the text ends"),
            ),
        }
    }

    fn error(&self, code: &'static str, start: usize, end: usize, message: impl Into<String>) -> Error {
        Error::new(Code::Syntax(code), message).with_span(Span::new(start, end))
    }

    /// The name or number that comes next, and where it begins.
    fn word(&mut self) -> (&'t str, usize) {
        self.scan.space();
        let start = self.scan.at;
        let word = variable(self.scan.rest());
        self.scan.at += word.len();
        (word, start)
    }

    fn range(&mut self) -> Result<(), Error> {
        let (word, start) = self.word();
        if word.is_empty() {
            return Err(self.unexpected("a name, as in `i<16`"));
        }
        let span = Span::new(start, self.scan.at);
        let name = Name::new(&word.replace('.', "_")).map_err(|error| error.with_span(span))?;
        if self.axes.iter().any(|axis| axis.name == name) {
            return Err(error!(Code::DimNamesMismatch, "{name} has a range already", [name]).with_span(span));
        }
        if !self.scan.take("<") {
            return Err(self.unexpected(&format!("`<` and the number of values of {name}")));
        }
        let (word, start) = self.word();
        let extent = self.number(word, start)?;
        let number = self.axes.len();
        self.axes.push(Axis { name, ..Axis::dim(number, extent) });
        Ok(())
    }

    fn number(&mut self, word: &str, start: usize) -> Result<i64, Error> {
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            self.scan.at = start;
            return Err(self.unexpected("a number"));
        }
        let (digits, base) = match word.strip_prefix("0x").or(word.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (word, 10),
        };
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
            let message = format!("`{word}` is no number; numbers are decimal, or start with 0x");
            return Err(self.error(code::UNEXPECTED_TOKEN, start, self.scan.at, message));
        }
        i64::from_str_radix(digits, base).map_err(|_| {
            let message = format!("{word} does not fit in a 64-bit signed integer");
            self.error(code::INTEGER_TOO_LARGE, start, self.scan.at, message)
        })
    }

    fn count(&mut self, start: usize) -> Result<(), Error> {
        self.nodes += 1;
        match self.nodes > MAX_NODES {
            true => Err(self.error(
                code::TOO_LONG,
                start,
                self.scan.at,
                format!("more than {MAX_NODES} operators and operands"),
            )),
            false => Ok(()),
        }
    }

    fn binary(&mut self, level: usize) -> Result<Tree, Error> {
        let Some(operators) = LEVELS.get(level) else { return self.operand() };
        let mut left = self.binary(level + 1)?;
        loop {
            let start = self.scan.at;
            let Some((_, operator)) = operators.iter().find(|(token, _)| self.scan.take(token)) else {
                return Ok(left);
            };
            self.count(start)?;
            let right = self.binary(level + 1)?;
            left = Tree::binary(*operator, left, right);
        }
    }

    fn operand(&mut self) -> Result<Tree, Error> {
        self.scan.space();
        let start = self.scan.at;
        self.count(start)?;
        if self.scan.take("(") {
            self.depth += 1;
            if self.depth > DEPTH {
                return Err(self.error(
                    code::TOO_DEEP,
                    start,
                    self.scan.at,
                    format!("more than {DEPTH} levels of brackets"),
                ));
            }
            let tree = self.binary(0)?;
            self.depth -= 1;
            return match self.scan.take(")") {
                true => Ok(tree),
                false => Err(self.unexpected("an operator or `)`")),
            };
        }
        let (word, start) = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(word, start).map(Tree::Number);
        }
        if word.is_empty() {
            return Err(self.unexpected("a name, a number or `(`"));
        }
        let name = word.replace('.', "_");
        let found = self.axes.iter().position(|axis| axis.name.as_str() == name);
        found.map(Tree::Coordinate).ok_or_else(|| {
            let message = format!("`{word}` has no range");
            self.error(code::UNKNOWN_NAME, start, self.scan.at, message)
                .with_help(format!("give it one: `{word}<16, …: …`"))
        })
    }
}
