//! [`Body`]: operations as lines of an infix language, with names for what is read more than once.
//!
//! C, CUDA, Python, Rust and Triton write integer arithmetic alike; what differs is in [`Infix`]. A part of an expression has
//! brackets unless all readers agree without.

use bitstride::map::Axis;

use crate::code::{Binary, Code, Op, Ref};

/// Longer expressions get names for their parts.
const MAX_TEXT: usize = 96;

/// How an infix language writes what they do not write alike.
pub(crate) struct Infix<'a> {
    /// A number.
    pub(crate) number: &'a dyn Fn(i64) -> String,
    /// Division of integers that are not negative.
    pub(crate) divide: &'static str,
    /// An entry of a table, from its number and the index.
    pub(crate) entry: &'a dyn Fn(usize, &str) -> String,
}

/// One line of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A name and its value.
    Let(String, String),
    /// What must all hold; otherwise the place is padding.
    Check(Vec<String>),
}

/// The lines of a function, and its results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) lines: Vec<Line>,
    pub(crate) results: Vec<String>,
}

/// How tightly the last operator of a text binds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    Atom,
    Product,
    Sum,
    Other(Binary),
}

struct Printer<'a> {
    code: &'a Code,
    infix: &'a Infix<'a>,
    uses: Vec<usize>,
    texts: Vec<(String, Binding)>,
}

impl Body {
    /// The lines of some operations, whose arguments have names; other names begin with a prefix.
    pub(crate) fn of(code: &Code, arguments: &[String], prefix: &str, infix: &Infix) -> Body {
        let prefix = unlike(prefix, arguments);
        let mut printer = Printer { code, infix, uses: vec![0; code.ops.len()], texts: Vec::new() };
        printer.count();
        let mut body = Body::default();
        let mut checks = code.checks.iter().peekable();
        let mut names = 0;
        for at in 0..=code.ops.len() {
            while let Some(check) = checks.next_if(|check| check.after <= at) {
                // As an operand of a sum: C compares before it masks.
                let of = printer.text(check.of, Some((Binary::Add, false)));
                let below = format!("{of} < {}", (infix.number)(check.extent));
                let compared = if check.extent == 1 && check.from_zero { format!("{of} == 0") } else { below };
                body.lines.push(Line::Check(match check.from_zero {
                    true => vec![compared],
                    false => vec![format!("{of} >= 0"), compared],
                }));
            }
            let Some(op) = code.ops.get(at) else { break };
            let (text, binding) = printer.of(op, arguments);
            let read = printer.uses.get(at).copied().unwrap_or(0);
            let is_named =
                !matches!(op, Op::Number(_) | Op::Argument(_)) && (read > 1 || read == 1 && text.len() > MAX_TEXT);
            if is_named {
                let name = format!("{prefix}{names}");
                names += 1;
                body.lines.push(Line::Let(name.clone(), text));
                printer.texts.push((name, Binding::Atom));
            } else {
                printer.texts.push((text, binding));
            }
        }
        body.results = code.results.iter().map(|result| printer.text(*result, None)).collect();
        body
    }
}

impl Printer<'_> {
    fn count(&mut self) {
        let checked = self.code.checks.iter().flat_map(|check| vec![check.of; if check.from_zero { 1 } else { 2 }]);
        let read = self.code.ops.iter().flat_map(|op| match op {
            Op::Binary(_, left, right) => vec![*left, *right],
            Op::Entry(_, at) => vec![*at],
            Op::Number(_) | Op::Argument(_) => Vec::new(),
        });
        for at in read.chain(self.code.results.iter().copied()).chain(checked) {
            if let Some(uses) = self.uses.get_mut(at.0) {
                *uses += 1;
            }
        }
    }

    /// The text of an operand, in brackets where the operator around it needs them.
    fn text(&self, of: Ref, parent: Option<(Binary, bool)>) -> String {
        let Some((text, binding)) = self.texts.get(of.0) else { return String::new() };
        let is_plain = matches!(
            (parent, binding),
            (None, _)
                | (_, Binding::Atom)
                | (Some((Binary::Add | Binary::Sub, _)), Binding::Product)
                | (Some((Binary::Add, _) | (Binary::Sub, false)), Binding::Sum)
                | (Some((Binary::Xor, _)), Binding::Other(Binary::Xor))
        );
        if is_plain { text.clone() } else { format!("({text})") }
    }

    fn of(&self, op: &Op, arguments: &[String]) -> (String, Binding) {
        match *op {
            Op::Number(n) => ((self.infix.number)(n), Binding::Atom),
            Op::Argument(at) => (arguments.get(at).cloned().unwrap_or_default(), Binding::Atom),
            Op::Entry(table, at) => ((self.infix.entry)(table, &self.text(at, None)), Binding::Atom),
            Op::Binary(binary, left, right) => {
                let (sign, binding) = match binary {
                    Binary::Add => ("+", Binding::Sum),
                    Binary::Sub => ("-", Binding::Sum),
                    Binary::Mul => ("*", Binding::Product),
                    Binary::Div => (self.infix.divide, Binding::Product),
                    Binary::Mod => ("%", Binding::Product),
                    Binary::Shl => ("<<", Binding::Other(binary)),
                    Binary::Shr => (">>", Binding::Other(binary)),
                    Binary::And => ("&", Binding::Other(binary)),
                    Binary::Xor => ("^", Binding::Other(binary)),
                };
                let (left, right) = (self.text(left, Some((binary, false))), self.text(right, Some((binary, true))));
                (format!("{left} {sign} {right}"), binding)
            }
        }
    }
}

/// A prefix that no name has before a number.
fn unlike(prefix: &str, names: &[String]) -> String {
    let is_numbered = |name: &String, prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut prefix = prefix.to_owned();
    while names.iter().any(|name| is_numbered(name, &prefix)) {
        prefix.push('_');
    }
    prefix
}

/// A text in brackets, unless it is one name or number.
pub(crate) fn parenthesised(text: &str) -> String {
    let is_atom = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_atom { text.to_owned() } else { format!("({text})") }
}

/// The names of axes as identifiers that are no words of a language.
pub(crate) fn identifiers(axes: &[Axis], keywords: &[&str]) -> Vec<String> {
    let named = axes.iter().map(|axis| {
        let name: String =
            axis.name.to_string().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        match name.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("_{name}"),
            false if keywords.contains(&name.as_str()) => format!("{name}_"),
            false => name,
        }
    });
    let mut names: Vec<String> = Vec::with_capacity(axes.len());
    for mut name in named {
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}
