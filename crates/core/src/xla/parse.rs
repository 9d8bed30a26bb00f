//! Reads the text of a [`Shape`] or of a [`Layout`] alone, as strictly and as leniently as XLA.
//!
//! ```text
//! shape  := '(' [ shape {',' shape} ] ')'  |  'b(' array ')'  |  array  |  'token[]'  |  'opaque[]'
//! array  := type '[' [ dim {',' dim} ] ']' [ layout ]         dim := int | '<=' int | '?'
//! layout := '{' [ int {',' int} ] [ ':' [D][T][L]['#']['*'][E][S][SC][P][M] ] '}'
//! ```
//!
//! Two rules are XLA's own. A brace opens a layout only when an integer or `:` follows it, so `f32[]{}` is a shape with
//! something behind it. And a field that breaks off is no error by itself: the reader goes on with the next field at the
//! token where it broke off, so that `{0:T(8,128E(4)}` is read as `{0:T(8,128)E(4)}`; only when nothing that may follow
//! stands there is the text refused.

use std::fmt;
use std::str::FromStr;

use super::lexer::TokenKind;
use super::read_layout::read_layout;
use super::tokens::{Tokens, TypeName, excerpt, type_of};
use super::{Array, Dim, ElementType, Layout, Shape};
use crate::error::{Code, Error};
use crate::names::did_you_mean;
use crate::refusal::{Fact, FactOfList, Stated};
use crate::text::{MAX_DEPTH, Span, code};

/// Reads exactly one shape.
///
/// ```
/// use bitstride::xla::Shape;
/// let shape: Shape = "(f32[3,5], b(s4[8]{0:E(4)}))".parse()?;
/// assert_eq!(shape.to_string(), "(f32[3,5]{1,0}, b(s4[8]{0:E(4)}))");
/// let error = "F32[3]".parse::<Shape>().unwrap_err();
/// assert_eq!(error.help(), Some("XLA writes types in lower case: `f32`"));
/// # Ok::<(), bitstride::Error>(())
/// ```
impl FromStr for Shape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (shape, consumed, _) = read_shape(text, false)?;
        Tokens::new(text, consumed).end("the end of the shape")?;
        Ok(shape)
    }
}

/// Reads exactly one array.
///
/// ```
/// use bitstride::xla::Array;
/// assert_eq!("f32[3,5]".parse::<Array>()?.to_string(), "f32[3,5]{1,0}");
/// assert!("(f32[3])".parse::<Array>().is_err());
/// # Ok::<(), bitstride::Error>(())
/// ```
impl FromStr for Array {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.parse()? {
            Shape::Array(array) => Ok(array),
            shape => Err(error!(Code::Kind, "an array is needed here, not {shape}", [shape])),
        }
    }
}

/// Reads a layout that stands alone, for which no rank is known.
///
/// ```
/// use bitstride::xla::Layout;
/// let layout: Layout = "{1,0:T(8,128)(2,1)}".parse()?;
/// assert_eq!(layout.tiles.len(), 2);
/// assert_eq!("{}".parse(), Ok(Layout::ordered(Vec::new())));
/// # Ok::<(), bitstride::Error>(())
/// ```
impl FromStr for Layout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut reader = Tokens::new(text, 0);
        let layout = read_layout(&mut reader)?;
        reader.end("the end of the layout")?;
        Ok(layout)
    }
}

/// The shape at the start of a text, how many bytes it takes, and whether a type was written in upper case, which is read
/// only when `fold_case` is set.
///
/// # Errors
/// [`Code::Syntax`] and [`Code::RankMismatch`], with the place.
pub(crate) fn read_shape(text: &str, fold_case: bool) -> Result<(Shape, usize, bool), Error> {
    let mut reader = Tokens { fold_case, ..Tokens::new(text, 0) };
    let shape = reader.shape()?;
    reader.no_layout_behind()?;
    Ok((shape, reader.consumed, reader.folded))
}

/// The layout at the start of a text, for which no rank is known, and how many bytes it takes.
///
/// # Errors
/// [`Code::Syntax`], with the place.
pub(super) fn layout_prefix(text: &str) -> Result<(Layout, usize), Error> {
    let mut reader = Tokens::new(text, 0);
    let layout = read_layout(&mut reader)?;
    Ok((layout, reader.consumed))
}

impl<'t> Tokens<'t> {
    /// One shape; what it is in (tuples, buffers, layouts) is counted, so that the stack is bounded for any text.
    pub(super) fn shape(&mut self) -> Result<Shape, Error> {
        if self.depth == MAX_DEPTH {
            let message = format!("shapes nest at most {MAX_DEPTH} deep, this one is one deeper");
            return Err(self.error(code::TOO_DEEP, message));
        }
        self.depth += 1;
        let shape = if self.at(TokenKind::Sign('(')) {
            self.tuple()
        } else if self.at_word("b") && self.next() == TokenKind::Sign('(') {
            self.buffer()
        } else {
            self.array()
        };
        self.depth -= 1;
        shape
    }

    fn tuple(&mut self) -> Result<Shape, Error> {
        self.advance();
        let mut elements = Vec::new();
        if !self.at(TokenKind::Sign(')')) {
            elements.push(self.shape()?);
            while self.eat(TokenKind::Sign(',')) {
                elements.push(self.shape()?);
            }
        }
        self.require(')', "`,` or the `)` of the tuple")?;
        Ok(Shape::Tuple(elements))
    }

    fn buffer(&mut self) -> Result<Shape, Error> {
        self.advance();
        self.advance();
        let start = self.token.span.start;
        let Shape::Array(array) = self.shape()? else {
            let message = "a buffer `b(…)` holds an array, no tuple, buffer, token or opaque";
            let span = Span::new(start, self.consumed);
            return Err(Error::new(Code::Syntax(code::UNEXPECTED_TOKEN), message).with_span(span));
        };
        self.require(')', "the `)` of the buffer")?;
        Ok(Shape::Buffer(array))
    }

    fn array(&mut self) -> Result<Shape, Error> {
        let start = self.token.span;
        let Some(name) = self.type_name() else { return Err(self.no_type()) };
        self.advance();
        let dims = self.dims(start)?;
        let layout_at = self.token.span;
        let opens = self.at(TokenKind::Sign('{')) && matches!(self.next(), TokenKind::Int(_) | TokenKind::Sign(':'));
        let bare = match name {
            TypeName::Element(element) => {
                let mut layout = Layout::row_major(dims.len());
                if opens {
                    layout = read_layout(self)?;
                    if let Some(error) = mismatch(dims.len(), &layout) {
                        return Err(error.with_span(Span::new(layout_at.start, self.consumed)));
                    }
                }
                return Ok(Shape::Array(Array { element, dims, layout }));
            }
            TypeName::Token => Shape::Token,
            TypeName::Opaque => Shape::Opaque,
        };
        let fault = match (opens, dims.len()) {
            (true, _) => "layout",
            (_, 0) => return Ok(bare),
            _ => "dims",
        };
        let span = if opens { layout_at } else { Span::new(start.start, self.consumed) };
        let written = start.of(self.lexer.text());
        let error = error!(Code::Syntax(code::UNEXPECTED_TOKEN), "`{written}[]` has no {fault}", [written, fault]);
        Err(error.with_span(span).with_help(format!("write `{written}[]`")))
    }

    fn dims(&mut self, type_at: Span) -> Result<Vec<Dim>, Error> {
        if !self.eat(TokenKind::Sign('[')) {
            let error = self.expected("`[` and the dims");
            return Err(
                error.with_help(format!("a scalar has its brackets too: `{}[]`", type_at.of(self.lexer.text())))
            );
        }
        let mut dims = Vec::new();
        if !self.at(TokenKind::Sign(']')) {
            dims.push(self.dim()?);
            while self.eat(TokenKind::Sign(',')) {
                dims.push(self.dim()?);
            }
        }
        self.require(']', "`,` or the `]` of the dims")?;
        Ok(dims)
    }

    fn dim(&mut self) -> Result<Dim, Error> {
        if self.eat(TokenKind::Sign('?')) {
            return Ok(Dim::Unbounded);
        }
        let bounded = self.eat(TokenKind::AtMost);
        let at = self.token.span;
        let extent = self.int("an extent: an integer, `<=` and an integer, or `?`")?;
        match (bounded, extent) {
            (false, 0..) => Ok(Dim::Static(extent)),
            (true, 0..) => Ok(Dim::Bounded(extent)),
            // XLA keeps `?` as this number.
            (true, i64::MIN) => Ok(Dim::Unbounded),
            _ => Err(error!(Code::Syntax(code::BAD_SIZE), "an extent is 0 or more, this is {extent}", [extent])
                .with_span(at)),
        }
    }

    /// The word at hand, or whatever it is, names no type.
    fn no_type(&self) -> Error {
        const LONGEST: usize = 16;
        if self.token.kind != TokenKind::Word {
            return self.expected("a shape: an element type such as `f32`, `(` or `b(`");
        }
        let word = self.token.span.of(self.lexer.text());
        let error = self.error(code::UNKNOWN_TYPE, format!("`{}` is no element type of XLA", excerpt(word)));
        if word.len() > LONGEST {
            return error;
        }
        let lower = word.to_ascii_lowercase();
        if type_of(&lower).is_some() {
            return error.with_help(format!("XLA writes types in lower case: `{lower}`"));
        }
        if let Some(help) = elsewhere(&lower) {
            return error.with_help(help);
        }
        let names = ElementType::all().map(ElementType::name).chain(["token", "opaque"]);
        match did_you_mean(&lower, names) {
            Some(name) => error.with_help(format!("did you mean `{name}`?")),
            None => error,
        }
    }

    /// What is most often behind a shape and may never be there: a layout that is none.
    fn no_layout_behind(&self) -> Result<(), Error> {
        let help = match self.token.kind {
            TokenKind::Sign('{') => "a layout in braces starts with a dim number or `:`; leave `{}` away",
            // A negative number is taken away from what stands before it.
            TokenKind::Int(0..) => "the layout of an array stands in braces: `{1,0:T(2,2)}`",
            _ => return Ok(()),
        };
        Err(self.expected("the end of the shape").with_help(help))
    }
}

/// Why a layout is none of an array of a rank.
pub(super) fn mismatch(rank: usize, layout: &Layout) -> Option<Error> {
    let named = layout.minor_to_major.len();
    if rank != named {
        return Some(
            error!(
                Code::RankMismatch,
                "the array has {rank} and its layout names {named}",
                [rank = Counted(rank), named]
            )
            .with_help(how_to_order(rank)),
        );
    }
    let sparse = "`P(…)` is of sparse arrays, which XLA no longer has";
    layout.physical.as_ref().map(|_| Error::new(Code::Syntax(code::UNEXPECTED_TOKEN), sparse))
}

/// How many dims, in words.
pub(super) struct Counted(pub(super) usize);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} dim{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

impl FactOfList for Stated<'_, Counted> {
    fn fact(&self) -> Fact {
        Fact::of(&self.0.0)
    }
}

/// What the layout of an array of a rank begins with, in words.
pub(super) fn how_to_order(rank: usize) -> String {
    match rank.checked_sub(1) {
        None => "a scalar has no dims: start its layout with `:`, or leave it away".to_owned(),
        Some(0) => "name dim 0, the only one".to_owned(),
        Some(last) => format!("name each of 0 to {last} once, the fastest first"),
    }
}

/// What XLA writes for a type as others write it.
fn elsewhere(word: &str) -> Option<String> {
    match word {
        "tuple" => Some("a tuple is written as its elements in brackets: `(f32[2], s32[])`".to_owned()),
        "buffer" => Some("a buffer is written `b(f32[2])`".to_owned()),
        "opaque_type" => Some("XLA writes `opaque`".to_owned()),
        _ => ElementType::named_elsewhere(word).map(|element| format!("XLA writes `{}`", element.name())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_at_the_start_of_a_text_ends_where_it_ends() {
        for (text, end) in [
            ("f32[2]{0} /*c*/ , rest", 9),
            ("f32[2]{ 1", 0),
            ("f32[2] {}", 0),
            ("f32[2] 1,0", 0),
            ("(f32[], b(f32[1])) -> f32[]", 18),
            ("token[] \u{0}", 7),
            ("f32[2] /* open", 6),
        ] {
            assert_eq!(read_shape(text, false).map_or(0, |(_, consumed, _)| consumed), end, "{text}");
        }
    }

    #[test]
    fn upper_case_is_read_on_demand_only() -> Result<(), Error> {
        let (shape, consumed, folded) = read_shape("(BF16[2], Token[]) x", true)?;
        assert_eq!((shape.to_string().as_str(), consumed, folded), ("(bf16[2]{0}, token[])", 18, true));
        assert_eq!(read_shape("f32[2]", true).map(|(_, _, folded)| folded), Ok(false));
        assert!(read_shape("F32[2]", false).is_err());
        assert!(read_shape("F33[2]", true).is_err());
        Ok(())
    }

    #[test]
    fn types_of_other_notations_are_translated() {
        for (text, help) in [
            ("float32[2]", "XLA writes `f32`"),
            ("i8[2]", "XLA writes `s8`"),
            ("uint4[]", "XLA writes `u4`"),
            ("bfloat16[]", "XLA writes `bf16`"),
            ("bool[]", "XLA writes `pred`"),
            ("opaque_type[]", "XLA writes `opaque`"),
            ("Pred[]", "XLA writes types in lower case: `pred`"),
            ("f8e4m3fm[]", "did you mean `f8e4m3fn`?"),
            ("f32", "a scalar has its brackets too: `f32[]`"),
        ] {
            let error = text.parse::<Shape>().err();
            assert_eq!(error.as_ref().and_then(Error::help), Some(help), "{text}");
        }
    }
}
