//! The expressions of the whitepaper's implementation, as rows of our own operations.
//!
//! `composition(Layout(12,2*E(1)),Layout((4,3),(3,1)))` asks `composition` of `12:2@1` and `(4,3):(3,1)`.

use super::row::Row;

/// The row that asks the same of our operations; `None` where the expression is not of a known form.
pub(crate) fn translated(row: &Row) -> Option<Row> {
    let mut reader = Reader { text: row.operands.first()?, at: 0 };
    let (name, modes) = reader.name()?;
    let mut operands = reader.arguments()?;
    let op = match (name.as_str(), operands.as_mut_slice()) {
        ("complement", [_]) => "complement0".to_owned(),
        ("greatest_common_domain", _) => "gcd_domain".to_owned(),
        // A scale: so many old units in a new one, or one in so many.
        ("recast", [_, scale]) => match scale.strip_prefix("1/") {
            Some(parts) => {
                *scale = parts.to_owned();
                "downcast".to_owned()
            }
            None => "upcast".to_owned(),
        },
        _ => format!("{name}{modes}"),
    };
    (reader.at == reader.text.len()).then(|| Row { op, operands, ..row.clone() })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let here = self.peek() == Some(wanted);
        self.at += if here { wanted.len_utf8() } else { 0 };
        here
    }

    fn while_in(&mut self, accept: impl Fn(char) -> bool) -> String {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let taken: String = rest.chars().take_while(|c| accept(*c)).collect();
        self.at += taken.len();
        taken
    }

    /// A name, with the modes in square brackets behind it.
    fn name(&mut self) -> Option<(String, String)> {
        let name = self.while_in(|c| c.is_ascii_alphanumeric() || c == '_');
        let modes = if self.peek() == Some('[') { self.while_in(|c| c != '(') } else { String::new() };
        (!name.is_empty()).then_some((name, modes))
    }

    fn arguments(&mut self) -> Option<Vec<String>> {
        let mut arguments = Vec::new();
        if !self.eat('(') {
            return None;
        }
        while !self.eat(')') {
            if !arguments.is_empty() && !self.eat(',') {
                return None;
            }
            arguments.push(self.term()?);
        }
        Some(arguments)
    }

    /// A term in our notation.
    fn term(&mut self) -> Option<String> {
        match self.peek()? {
            '(' => {
                let entries = self.arguments()?;
                let layouts = entries.iter().any(|entry| entry.contains(':'));
                Some(if layouts { format!("<{}>", entries.join(",")) } else { format!("({})", entries.join(",")) })
            }
            c if c.is_ascii_digit() || c == '-' => {
                let number = self.while_in(|c| c.is_ascii_alphanumeric() || c == '-');
                let number = match number.strip_prefix("0b") {
                    Some(bits) => i64::from_str_radix(bits, 2).ok()?.to_string(),
                    None => number,
                };
                if !self.eat('*') {
                    return Some(number);
                }
                let vector = self.term()?;
                vector.strip_prefix('1').map(|path| format!("{number}{path}"))
            }
            _ => {
                let (name, _) = self.name()?;
                let arguments = self.arguments()?;
                match (name.as_str(), arguments.as_slice()) {
                    ("Layout", [shape, stride]) => Some(format!("{shape}:{stride}")),
                    ("Layout", [shape]) => compact(shape),
                    ("E", path) => {
                        Some(path.iter().rev().fold("1".to_owned(), |basis, mode| format!("{basis}@{mode}")))
                    }
                    ("ArithTuple", parts) => {
                        let terms = parts.iter().enumerate().map(|(at, part)| format!("{part}@{at}"));
                        Some(terms.collect::<Vec<_>>().join("+"))
                    }
                    ("F2", [pattern]) => Some(format!("^{pattern}")),
                    ("Fraction", [one, parts]) if one == "1" => Some(format!("1/{parts}")),
                    _ => None,
                }
            }
        }
    }
}

/// The compact column-major layout of a shape.
fn compact(shape: &str) -> Option<String> {
    bitstride_oracle::reference::Layout::compact(&shape.parse().ok()?).ok().map(|layout| layout.to_string())
}
