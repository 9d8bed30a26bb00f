//! [`Definition`]: a format as its text says it, before its parameters have values.
//!
//! A text has a statement a line; `#` begins a comment. `format` begins a format, `tensor` a buffer of it, `field` what
//! the buffer holds, and `place` where the elements of the field lie. `if CONDITION:` before a statement keeps it for
//! some parameters only; what follows a tensor or a field that is left out is left out with it. `values` lists the words
//! that a parameter may be, the usual one first; any other is refused with the text behind the colon.
//!
//! ```text
//! format mine:pairs
//! about  two codes a byte, the first in the low bits
//! param  rows, columns
//! param  bits = 4
//! tensor codes u8 [rows, columns*bits/8]
//! field  codes [row: rows, column: columns] bits uint
//! place  = ({rows},{columns}):({columns},1)
//! ```
//!
//! Law: reading keeps every statement, or refuses the text with the line.

use bitstride::{Code, Error, error};

use crate::expression::{Expression, Parser, Template};
use crate::stack::is_stackable;

/// The most bytes of a text of formats.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// A format, its parameters open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name: a family, and a variant behind a colon where it has several.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// The programs that write it.
    pub writers: String,
    /// The programs that read it.
    pub readers: String,
    /// The formats that it is confused with.
    pub confused: Vec<String>,
    /// Why it has no layout of bits, where it has none.
    pub refused: Option<String>,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    pub(crate) statements: Vec<Statement>,
}

/// A parameter of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value where a name does not give one.
    pub(crate) default: Option<Expression>,
    /// The default as it is written.
    pub default_text: Option<String>,
    /// The only values that it may have, and what a refusal of others says; none where any value is one.
    pub(crate) values: Option<(Vec<String>, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) line: usize,
    pub(crate) when: Option<Expression>,
    pub(crate) kind: StatementKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StatementKind {
    Let(String, Expression),
    Require(Expression, String),
    Tensor {
        name: String,
        dtype: Template,
        shape: Extents,
    },
    Fill(Expression),
    Field {
        name: String,
        axes: Vec<AxisText>,
        bits: Expression,
        kind: String,
    },
    Stored(StoredText),
    /// What the elements are, where the parameters say it.
    Holds(Vec<Expression>),
    Place {
        over: Vec<(String, Expression, Expression)>,
        at: Option<Vec<Expression>>,
        unit: Option<Expression>,
        layout: Template,
    },
}

/// How a field's values are stored, before its numbers have values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoredText {
    Xor(Expression),
    Add(Expression),
    Exponent,
    Reciprocal,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extents {
    Each(Vec<Expression>),
    /// One axis, as long as the layout of the field.
    Auto,
}

/// An axis of a field: its name, and its digits, the fastest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AxisText {
    Named(String, Vec<(String, Expression)>),
    /// One axis for each extent of a list.
    Each(Expression),
}

impl Definition {
    /// The definitions of a text.
    ///
    /// # Errors
    /// [`Code::Syntax`] with the line for what is no statement, [`Code::TooLarge`] for a text of more than a mebibyte.
    ///
    /// ```
    /// use bitstride_formats::Definition;
    /// let text = "format mine\nparam n\ntensor t u8 [n]\nfield x [n] 8 uint\nplace = {n}:1";
    /// assert_eq!(Definition::read(text)?[0].name, "mine");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn read(text: &str) -> Result<Vec<Definition>, Error> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(error!(
                Code::TooLarge,
                "a text of {text_count} bytes; formats have at most {max_text_bytes}",
                [text_count = text.len(), max_text_bytes = MAX_TEXT_BYTES]
            ));
        }
        let mut all: Vec<Definition> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                statement(&mut all, number + 1, line).map_err(|error| error.about(format!("line {}", number + 1)))?;
            }
        }
        Ok(all)
    }

    /// Whether `experts` makes several tensors of it, one behind the other; one that names the parameter itself has its own.
    pub fn has_experts(&self) -> bool {
        self.refused.is_none() && is_stackable(self)
    }

    /// The name of the tensor that a field lies in, or of the first tensor.
    ///
    /// ```
    /// use bitstride_formats::{Spec, Zoo};
    /// let (definition, _) = Zoo::builtin().definition(&Spec::read("gptq")?)?;
    /// assert_eq!((definition.tensor_of(None), definition.tensor_of(Some("zeros"))), (Some("qweight"), Some("qzeros")));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn tensor_of(&self, field: Option<&str>) -> Option<&str> {
        let mut tensor = None;
        for statement in &self.statements {
            match &statement.kind {
                StatementKind::Tensor { name, .. } => {
                    if field.is_none() {
                        return Some(name);
                    }
                    tensor = Some(name.as_str());
                }
                StatementKind::Field { name, .. } if Some(name.as_str()) == field => return tensor,
                _ => {}
            }
        }
        None
    }
}

fn statement(all: &mut Vec<Definition>, line: usize, text: &str) -> Result<(), Error> {
    let (keyword, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    if keyword == "format" {
        if !is_name(rest) {
            return Err(error!(
                Code::Syntax("bad-format"),
                "`{rest}` is no name of a format; one is family or family:variant",
                [rest]
            ));
        }
        if all.iter().any(|own| own.name == rest) {
            return Err(error!(Code::Syntax("bad-format"), "the text has a format {rest} before this line", [rest]));
        }
        all.push(Definition {
            name: rest.to_owned(),
            about: String::new(),
            writers: String::new(),
            readers: String::new(),
            confused: Vec::new(),
            refused: None,
            parameters: Vec::new(),
            statements: Vec::new(),
        });
        return Ok(());
    }
    let Some(format) = all.last_mut() else {
        return Err(Error::new(Code::Syntax("bad-format"), "the first statement of a text is `format NAME`"));
    };
    match keyword {
        "about" => format.about = rest.to_owned(),
        "writes" => format.writers = rest.to_owned(),
        "reads" => format.readers = rest.to_owned(),
        "like" => format.confused.extend(rest.split(' ').map(|name| name.trim_end_matches(',').to_owned())),
        "refuse" => format.refused = Some(rest.to_owned()),
        "param" => {
            for parameter in parameters(rest)? {
                if format.parameters.iter().any(|own| own.name == parameter.name) {
                    return Err(twice(&format.name, "parameters", &parameter.name));
                }
                format.parameters.push(parameter);
            }
        }
        "values" => values(format, rest)?,
        _ => format.statements.push(conditional(line, text)?),
    }
    Ok(())
}

/// Refuses a second parameter, tensor or field of a name, of which one would be lost.
pub(crate) fn twice(format: &str, what: &str, name: &str) -> Error {
    error!(Code::Syntax("bad-format"), "{format} has two {what} {name}", [format, what, name])
}

/// Whether a text names a format.
fn is_name(text: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphanumeric())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@'))
    };
    match text.split_once(':') {
        Some((family, variant)) => is_word(family) && is_word(variant),
        None => is_word(text),
    }
}

fn parameters(text: &str) -> Result<Vec<Parameter>, Error> {
    let mut parser = Parser::new(text);
    let mut all = Vec::new();
    loop {
        let name = parser.name()?;
        let before = parser.remainder();
        let default = if parser.takes("=")? { Some(parser.expression()?) } else { None };
        let written = before.get(..before.len() - parser.remainder().len()).unwrap_or_default();
        let default_text = default.as_ref().map(|_| written.trim_matches([' ', '=', ',', '"']).to_owned());
        all.push(Parameter { name, default, default_text, values: None });
        if !parser.takes(",")? {
            parser.end()?;
            return Ok(all);
        }
    }
}

/// The values that a parameter may have: `version = old, 0.20 : the versions are …`.
fn values(format: &mut Definition, text: &str) -> Result<(), Error> {
    let parts = text.split_once('=').and_then(|(name, rest)| Some((name.trim(), rest.split_once(" : ")?)));
    let (name, (words, message)) = parts.ok_or_else(|| {
        error!(Code::Syntax("bad-format"), "`values {text}` is not `values PARAMETER = WORD, WORD : MESSAGE`", [text])
    })?;
    let parameter = format.parameters.iter_mut().find(|own| own.name == name).ok_or_else(|| {
        error!(
            Code::Syntax("bad-format"),
            "{format} has no parameter {name} before this line",
            [format = format.name, name]
        )
    })?;
    let words = words.split(',').map(|word| word.trim().to_owned()).collect();
    parameter.values = Some((words, message.trim().to_owned()));
    Ok(())
}

fn conditional(line: usize, text: &str) -> Result<Statement, Error> {
    let mut parser = Parser::new(text);
    let mut when = None;
    if parser.takes_name("if")? {
        when = Some(parser.expression()?);
        parser.expect(":")?;
    }
    let keyword = parser.name()?;
    let kind = match keyword.as_str() {
        "let" => {
            let name = parser.name()?;
            parser.expect("=")?;
            StatementKind::Let(name, parser.expression()?)
        }
        "require" => {
            let condition = parser.expression()?;
            parser.expect(":")?;
            return Ok(Statement {
                line,
                when,
                kind: StatementKind::Require(condition, parser.remainder().to_owned()),
            });
        }
        "tensor" => {
            let rest = parser.remainder();
            let (head, extents) =
                rest.split_once('[').ok_or_else(|| parser.error("a name, a type and extents in brackets"))?;
            let (name, dtype) = head.trim().split_once(' ').ok_or_else(|| parser.error("a name and a type"))?;
            parser = Parser::new(extents);
            let shape = if parser.takes_name("auto")? { Extents::Auto } else { Extents::Each(parser.list()?) };
            parser.expect("]")?;
            StatementKind::Tensor { name: name.to_owned(), dtype: Template::read(dtype.trim())?, shape }
        }
        "fill" => StatementKind::Fill(parser.expression()?),
        "field" => {
            let name = parser.name()?;
            parser.expect("[")?;
            let mut axes = vec![axis(&mut parser)?];
            while parser.takes(",")? {
                axes.push(axis(&mut parser)?);
            }
            parser.expect("]")?;
            let bits = parser.expression()?;
            StatementKind::Field { name, axes, bits, kind: parser.name()? }
        }
        "stored" => StatementKind::Stored(match parser.name()?.as_str() {
            "xor" => StoredText::Xor(parser.expression()?),
            "add" => StoredText::Add(parser.expression()?),
            "exponent" => StoredText::Exponent,
            "reciprocal" => StoredText::Reciprocal,
            _ => return Err(parser.error("xor, add, exponent or reciprocal")),
        }),
        "holds" => StatementKind::Holds(parser.list()?),
        "place" => return place(parser).map(|kind| Statement { line, when, kind }),
        other => {
            let words = [
                "format", "about", "writes", "reads", "like", "refuse", "param", "values", "let", "require", "tensor",
                "fill", "field", "stored", "holds", "place",
            ];
            let error = error!(Code::Syntax("bad-format"), "`{other}` begins no statement", [other]);
            let near = bitstride::names::did_you_mean(other, words);
            return Err(near.map_or_else(|| error.clone(), |near| error.clone().with_help(format!("`{near}`?"))));
        }
    };
    parser.end()?;
    Ok(Statement { line, when, kind })
}

fn axis(parser: &mut Parser<'_>) -> Result<AxisText, Error> {
    if parser.takes("*")? {
        return parser.expression().map(AxisText::Each);
    }
    let name = parser.name()?;
    let own = Expression::Name(name.clone());
    if parser.takes(":")? {
        return Ok(AxisText::Named(name.clone(), vec![(name, parser.expression()?)]));
    }
    if !parser.takes("=")? {
        return Ok(AxisText::Named(name.clone(), vec![(name, own)]));
    }
    parser.expect("(")?;
    let mut digits = Vec::new();
    loop {
        let digit = parser.name()?;
        parser.expect(":")?;
        digits.push((digit, parser.expression()?));
        if !parser.takes(",")? {
            parser.expect(")")?;
            return Ok(AxisText::Named(name, digits));
        }
    }
}

fn place(mut parser: Parser<'_>) -> Result<StatementKind, Error> {
    let (mut over, mut at, mut unit) = (Vec::new(), None, None);
    if parser.takes_name("over")? {
        loop {
            let name = parser.name()?;
            let first = parser.expression()?;
            parser.expect("..")?;
            over.push((name, first, parser.expression()?));
            if !parser.takes(",")? {
                break;
            }
        }
    }
    if parser.takes_name("at")? {
        parser.expect("(")?;
        at = Some(parser.list()?);
        parser.expect(")")?;
    }
    if parser.takes_name("in")? {
        unit = Some(parser.expression()?);
    }
    parser.expect("=")?;
    Ok(StatementKind::Place { over, at, unit, layout: Template::read(parser.remainder())? })
}
