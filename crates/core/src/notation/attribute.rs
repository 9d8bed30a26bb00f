//! [`Attribute`]: an MLIR attribute as Triton prints encodings, and the types and linear layouts around it.
//!
//! The tree is generic: `#ttg.blocked<{order = [1, 0]}>` is a name with a dictionary, whatever the name. Which fields
//! an encoding has, and what they mean, is the business of [`triton`](crate::triton). Numbers in an attribute are
//! plain in every spelling of integers, since they are parameters and not values of the language.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use super::compared::compared_by;
use super::{Name, Span};

/// `#name<…>`, or `#name` alone.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// The name with its dialect, without `#`: `ttg.blocked`.
    pub name: Name,
    /// What stands in angle brackets, when there are any.
    pub body: Option<Vec<Argument>>,
    /// Where it is written.
    pub span: Span,
}

/// A datum in an attribute, with or without a name: `blockM = 128`, `[512:+16]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Argument {
    /// What stands before `=`.
    pub name: Option<Name>,
    /// What it says.
    pub datum: Datum,
}

/// A piece of an attribute and where it stands. Equality ignores the span, as for [`Expr`](super::Expr).
#[derive(Debug, Clone)]
pub struct Datum {
    /// What it says.
    pub kind: DatumKind,
    /// Where it is written.
    pub span: Span,
}

/// The forms a datum takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DatumKind {
    /// `128`, `-1`; a type after it, as in `128 : i32`, is read and dropped.
    Integer(i64),
    /// `true`, `false`
    Bool(bool),
    /// Another bare word: `mutable`.
    Word(String),
    /// A text in quotes, without them and with its escapes as written.
    Text(String),
    /// `128x64`: at least two sizes.
    Sizes(Vec<i64>),
    /// `512:+16`: so much padding after every interval.
    Interval {
        /// Left of the colon.
        interval: i64,
        /// Right of the plus sign.
        padding: i64,
    },
    /// `[…]`
    Array(Vec<Datum>),
    /// `{name = …, …}`
    Dictionary(Vec<(Name, Datum)>),
    /// An attribute in an attribute.
    Attribute(Attribute),
}

/// What a shape with an encoding describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShapedKind {
    /// `tensor<…>`: values in registers.
    Tensor,
    /// `!ttg.memdesc<…>`: a piece of memory.
    Memory,
    /// `!tt.tensordesc<…>`: a tensor in global memory; the encoding is that of the shared memory which a copy of a block fills.
    Descriptor,
}

impl ShapedKind {
    /// Whether the encoding lays out memory, not registers.
    pub fn is_memory(self) -> bool {
        self != ShapedKind::Tensor
    }

    /// How the type begins.
    pub fn keyword(self) -> &'static str {
        match self {
            ShapedKind::Tensor => "tensor",
            ShapedKind::Memory => "!ttg.memdesc",
            ShapedKind::Descriptor => "!tt.tensordesc",
        }
    }
}

/// `tensor<128x64xf16, ATTR>` or `!ttg.memdesc<128x64xf16, ATTR, #smem, mutable>`. Equality ignores how the keyword was
/// written.
#[derive(Debug, Clone)]
pub struct ShapedType {
    /// What it describes.
    pub kind: ShapedKind,
    /// Whether the keyword is the one of before 2025, `!tt.memdesc` or `!triton_gpu.memdesc`.
    pub older: bool,
    /// The sizes.
    pub shape: Vec<i64>,
    /// The type of an element: `f16`, `!tt.ptr<f32>`.
    pub element: String,
    /// The encoding, when there is one.
    pub encoding: Option<Attribute>,
    /// What follows the encoding.
    pub rest: Vec<Datum>,
}

impl ShapedType {
    /// The sizes of the allocation that a piece of memory is cut from, when the type names it: `128x64`, or one number.
    pub fn allocation(&self) -> Option<&[i64]> {
        self.rest.iter().find_map(|datum| match &datum.kind {
            DatumKind::Sizes(sizes) => Some(sizes.as_slice()),
            DatumKind::Integer(size) => Some(std::slice::from_ref(size)),
            _ => None,
        })
    }
}

/// `linear<{register=[[0,1]], lane=[[1,0]]}, out=[dim0:2, dim1:2]>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LinearText {
    /// The in dims, minor first, each with its bases.
    pub ins: Vec<(Name, Vec<Basis>)>,
    /// The out dims with their sizes, minor first; `None` when they are to be inferred.
    pub outs: Option<Vec<(Name, i64)>>,
}

/// The image of one in bit: a value for each out dim. Equality ignores the span.
#[derive(Debug, Clone)]
pub struct Basis {
    /// The values, in the order of the out dims.
    pub values: Vec<i64>,
    /// Where it is written.
    pub span: Span,
}

compared_by!(ShapedType: kind, shape, element, encoding, rest);

compared_by!(Attribute: name, body);

compared_by!(Datum: kind);

compared_by!(Basis: values);

impl From<DatumKind> for Datum {
    /// A datum that was built, not read: its span is empty.
    fn from(kind: DatumKind) -> Self {
        Datum { kind, span: Span::default() }
    }
}

/// As MLIR prints it: spaces around `=` and after commas.
impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.name.text)?;
        let Some(body) = &self.body else {
            return Ok(());
        };
        f.write_str("<")?;
        let mut before: Option<&Argument> = None;
        for argument in body {
            f.write_str(match before {
                None => "",
                Some(before) if before.runs_into(argument) => " ",
                Some(_) => ", ",
            })?;
            write!(f, "{argument}")?;
            before = Some(argument);
        }
        f.write_str(">")
    }
}

impl Attribute {
    /// How many brackets nest in it.
    pub fn depth(&self) -> usize {
        let deepest = |body: &Vec<Argument>| 1 + body.iter().map(|argument| argument.datum.depth()).max().unwrap_or(0);
        self.body.as_ref().map_or(0, deepest)
    }
}

impl Datum {
    /// How many brackets nest in it.
    pub fn depth(&self) -> usize {
        match &self.kind {
            DatumKind::Array(items) => 1 + items.iter().map(Datum::depth).max().unwrap_or(0),
            DatumKind::Dictionary(entries) => 1 + entries.iter().map(|(_, datum)| datum.depth()).max().unwrap_or(0),
            DatumKind::Attribute(attribute) => attribute.depth(),
            _ => 0,
        }
    }
}

impl Argument {
    /// Whether no comma stands before the next argument: a dictionary right after an array.
    fn runs_into(&self, next: &Argument) -> bool {
        matches!(self.datum.kind, DatumKind::Array(_))
            && matches!(next, Argument { name: None, datum: Datum { kind: DatumKind::Dictionary(_), .. } })
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{} = {}", name.text, self.datum),
            None => write!(f, "{}", self.datum),
        }
    }
}

impl Display for Datum {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            DatumKind::Integer(value) => write!(f, "{value}"),
            DatumKind::Bool(truth) => write!(f, "{truth}"),
            DatumKind::Word(word) => f.write_str(word),
            DatumKind::Text(text) => f.write_str(&in_quotes(text)),
            DatumKind::Sizes(sizes) => separated(f, sizes, "x", |f, size| write!(f, "{size}")),
            DatumKind::Interval { interval, padding } => write!(f, "{interval}:+{padding}"),
            DatumKind::Array(items) => {
                f.write_str("[")?;
                separated(f, items, ", ", |f, item| write!(f, "{item}"))?;
                f.write_str("]")
            }
            DatumKind::Dictionary(entries) => {
                f.write_str("{")?;
                separated(f, entries, ", ", |f, (name, datum)| write!(f, "{} = {datum}", name.text))?;
                f.write_str("}")
            }
            DatumKind::Attribute(attribute) => write!(f, "{attribute}"),
        }
    }
}

impl Display for ShapedType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}<", self.kind.keyword())?;
        self.shape.iter().try_for_each(|size| write!(f, "{size}x"))?;
        f.write_str(&self.element)?;
        self.encoding.iter().try_for_each(|encoding| write!(f, ", {encoding}"))?;
        self.rest.iter().try_for_each(|datum| write!(f, ", {datum}"))?;
        f.write_str(">")
    }
}

/// Without spaces around `=`, and every basis in brackets.
impl Display for LinearText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("linear<{")?;
        separated(f, &self.ins, ", ", |f, (name, bases)| {
            write!(f, "{}=[", dim_name(&name.text))?;
            separated(f, bases, ",", |f, basis| {
                f.write_str("[")?;
                separated(f, &basis.values, ",", |f, value| write!(f, "{value}"))?;
                f.write_str("]")
            })?;
            f.write_str("]")
        })?;
        f.write_str("}")?;
        if let Some(outs) = &self.outs {
            f.write_str(", out=[")?;
            separated(f, outs, ", ", |f, (name, size)| write!(f, "{}:{size}", dim_name(&name.text)))?;
            f.write_str("]")?;
        }
        f.write_str(">")
    }
}

/// The name of a dim: a word as it is, anything else in quotes.
fn dim_name(name: &str) -> Cow<'_, str> {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic()) && crate::text::word(name) == name;
    if is_word { Cow::Borrowed(name) } else { Cow::Owned(in_quotes(name)) }
}

fn separated<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    separator: &str,
    mut one: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_str(separator)?;
        }
        one(f, item)?;
    }
    Ok(())
}

/// Whether this is part of the arithmetic of one leaf, which is written without
/// spaces.
/// A text in the quotes in which it was read: double ones, unless one stands in it without a backslash before it.
pub(super) fn in_quotes(text: &str) -> String {
    let mut is_escaped = false;
    let ends = text.chars().any(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    if ends { format!("'{text}'") } else { format!("\"{text}\"") }
}
