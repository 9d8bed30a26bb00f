//! [`SyntaxError`]: why a text was not read, and where.

use std::fmt;

use super::Span;
use crate::error::{Code, Error};

/// A text that is not in the notation: what was found, what was expected, and
/// which bytes to point at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// One of the stable words in [`code`](super::code), for programs.
    pub code: &'static str,
    /// What was found and what was expected, for people.
    pub message: String,
    /// The bytes at fault; empty at the end of the text when something is
    /// missing there.
    pub span: Span,
    /// What to write instead, when that is known.
    pub help: Option<String>,
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
