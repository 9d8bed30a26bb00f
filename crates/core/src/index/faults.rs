//! Errors of syntax at a place of a text, for the readers of this folder.
//!
//! Law: the span begins where the fault does, and ends where the text has been read to.

use crate::error::{Code, Error};
use crate::text::{Scanner, Span, code};

/// An error that speaks of what has been read from `start` on.
pub(super) fn fault(scan: &Scanner<'_>, code: &'static str, start: usize, message: impl Into<String>) -> Error {
    Error::new(Code::Syntax(code), message).with_span(Span::new(start, scan.at.max(start)))
}

/// Something else than `wanted` follows, in a place and in a whole such as "the text".
pub(super) fn expected(scan: &mut Scanner<'_>, wanted: &str, place: &str, whole: &str) -> Error {
    scan.space();
    let start = scan.at;
    match scan.rest().chars().next() {
        Some(c) => {
            scan.at += c.len_utf8();
            fault(scan, code::UNEXPECTED_TOKEN, start, format!("expected {wanted}{place}, found `{c}`"))
        }
        None => fault(scan, code::UNEXPECTED_END, start, format!("expected {wanted}, but {whole} ends")),
    }
}
