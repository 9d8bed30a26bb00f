//! [`SyntaxError`]: why a text was not read, and where.

use std::fmt;

use super::Span;
use crate::error::{Code, Error};

/// A text that is not in the notation: what was found, what was expected, and
/// which bytes to point at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// One of the stable words in [`code`], for programs.
    pub code: &'static str,
    /// What was found and what was expected, for people.
    pub message: String,
    /// The bytes at fault; empty at the end of the text when something is
    /// missing there.
    pub span: Span,
    /// What to write instead, when that is known.
    pub help: Option<String>,
}

/// The values of [`SyntaxError::code`]. They do not change between versions.
pub mod code {
    /// Something else was expected at this place (`4::1`, `(,4)`, `4 $`).
    pub const UNEXPECTED_TOKEN: &str = "unexpected-token";
    /// The text ends where more is needed (`4:`, an empty text).
    pub const UNEXPECTED_END: &str = "unexpected-end";
    /// A bracket without its partner (`(2,3`, `2)`, `(2,3>`).
    pub const UNBALANCED: &str = "unbalanced";
    /// An integer outside -2^63 .. 2^63 - 1.
    pub const INTEGER_TOO_LARGE: &str = "integer-too-large";
    /// `_5`, the C++ spelling of a static integer, where plain ones are read.
    pub const CPP_INTEGER: &str = "cpp-integer";
    /// `Sw` without its three integers.
    pub const BAD_SWIZZLE: &str = "bad-swizzle";
    /// `{div=d}` with d below 1.
    pub const BAD_DIVISIBILITY: &str = "bad-divisibility";
    /// A lower-case word that is not a call (`coalesce` without its brackets).
    pub const UNKNOWN_NAME: &str = "unknown-name";
    /// A word where a type stands that is none (`F32[3]`, `int8[3]`).
    pub const UNKNOWN_TYPE: &str = "unknown-type";
    /// A number outside of what it may be (`f32[-3]`, `{0:T(-1)}`, `{0:L(0)}`).
    pub const BAD_SIZE: &str = "bad-size";
    /// Nesting deeper than [`MAX_DEPTH`](super::super::MAX_DEPTH).
    pub const TOO_DEEP: &str = "too-deep";
    /// More leaves than [`MAX_LEAVES`](super::super::MAX_LEAVES).
    pub const TOO_LONG: &str = "too-long";
}

impl SyntaxError {
    pub(super) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Box<Self> {
        Box::new(SyntaxError { code, message: message.into(), span, help: None })
    }

    /// What another reader said of a text that starts here.
    pub(super) fn within(error: &Error, start: Span) -> Box<Self> {
        let at = error.span().unwrap_or_default();
        let span = Span::new(at.start.saturating_add(start.start), at.end.saturating_add(start.start));
        let within = SyntaxError::new(error.code().as_str(), span, error.message());
        match error.help() {
            Some(help) => within.with_help(help),
            None => within,
        }
    }

    pub(super) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}

impl From<SyntaxError> for Error {
    fn from(error: SyntaxError) -> Self {
        let code = Code::Syntax(error.code);
        let described = Error::new(code, error.message).with_span(error.span);
        match error.help {
            Some(help) => described.with_help(help),
            None => described,
        }
    }
}
