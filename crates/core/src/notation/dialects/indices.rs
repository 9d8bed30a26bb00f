//! Indices of tensors: `x[2,3,4].T[..., ::2]`.
//!
//! Law: an index is a `select` for each integer, a `slice` for each slice and an `unsqueeze` for each new dim, from left to right.
//! Entries behind `...` count dims from the last; `ellipsis` refuses a tensor in which they would meet those before it.

use super::Dialect;
use super::build::call_method;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// An entry between the brackets of an index.
enum IndexEntry {
    /// One coordinate: the dim goes.
    At(i64),
    /// From where to where, and in which steps.
    Slice(i64, i64, i64),
    /// A new dim of size 1.
    New,
}

impl Cursor<'_> {
    /// `[1, ..., ::2, None]` behind a tensor: one method for each entry. Entries behind `...` count dims from the last.
    pub(super) fn indexing(&mut self, receiver: Expr) -> Result<Expr> {
        let start = receiver.span;
        self.require(TokenKind::OpenSquare, "`[`")?;
        let (mut front, mut back, mut is_behind): (Vec<_>, Vec<_>, bool) = (Vec::new(), Vec::new(), false);
        while !self.at(TokenKind::CloseSquare) {
            let span = self.token.span;
            let rest = self.text().get(span.start..).unwrap_or_default();
            if let Some(length) = ["...", "…"].iter().find(|dots| rest.starts_with(**dots)).map(|dots| dots.len()) {
                if is_behind {
                    let message = "an index has `...` once: it stands for all dims that are not named";
                    return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
                }
                self.skip_to(span.start.saturating_add(length));
                is_behind = true;
            } else {
                let entry = self.index_entry()?;
                if is_behind { &mut back } else { &mut front }.push((entry, span.join(self.since(span))));
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.require(TokenKind::CloseSquare, "`,` or `]` behind an index, a slice such as `1:8:2`, None or ...")?;
        let whole = self.since(start);
        let library = self.library(&receiver);
        self.spelled(library.unwrap_or(Dialect::Torch));
        let backward = front.iter().chain(&back).find(|(entry, _)| matches!(entry, IndexEntry::Slice(_, _, ..=-1)));
        if let (Some((_, span)), Some(Dialect::Torch)) = (backward, library) {
            let message = "slices of PyTorch go forward: their steps are positive";
            return Err(
                SyntaxError::new(code::UNEXPECTED_TOKEN, *span, message).with_help("NumPy's arrays go backward too")
            );
        }
        let mut tensor = receiver;
        let mut dim = 0;
        for (entry, span) in front {
            tensor = self.indexed(tensor, &entry, dim, span, whole)?;
            dim += i64::from(!matches!(entry, IndexEntry::At(_)));
        }
        let takes = |entry: &IndexEntry| i64::from(!matches!(entry, IndexEntry::New));
        let mut behind: i64 = back.iter().map(|(entry, _)| takes(entry)).sum();
        if dim > 0 && behind > 0 {
            // The dims that `...` stands for are none of those before it or behind it.
            let mut counts = Vec::new();
            for count in [dim, behind] {
                counts.push(self.leaf(ExprKind::Static(count), whole)?);
            }
            tensor = call_method(tensor, "ellipsis", whole, counts, whole);
        }
        for (entry, span) in back {
            // A new dim comes before those that are still behind it.
            let place = -behind - 1 + takes(&entry);
            tensor = self.indexed(tensor, &entry, place, span, whole)?;
            behind -= takes(&entry);
        }
        Ok(tensor)
    }

    /// An integer, `None`, or a slice, whose ends and step may be left out.
    fn index_entry(&mut self) -> Result<IndexEntry> {
        let rest = self.text_from(self.token.span);
        let names = ["None", "newaxis", "np.newaxis", "numpy.newaxis", "torch.newaxis"];
        if let Some(name) = names
            .iter()
            .find(|name| rest.strip_prefix(**name).is_some_and(|behind| behind.trim_start().starts_with([',', ']'])))
        {
            self.skip_to(self.token.span.start.saturating_add(name.len()));
            return Ok(IndexEntry::New);
        }
        const WHAT: &str = "an index, a slice such as `1:8:2`, None or ...";
        let ends = |cursor: &Self| {
            [TokenKind::Colon, TokenKind::Comma, TokenKind::CloseSquare].iter().any(|kind| cursor.at(*kind))
        };
        let first = if self.at(TokenKind::Colon) { None } else { Some(self.integer(WHAT)?) };
        if !self.eat(TokenKind::Colon) {
            return first.map(IndexEntry::At).ok_or_else(|| self.expected(WHAT));
        }
        let stop = if ends(self) { None } else { Some(self.integer("where the slice ends")?) };
        let has_step = self.eat(TokenKind::Colon);
        let step = if !has_step || ends(self) { 1 } else { self.integer("the step of the slice")? };
        // What is left out is the end of the dim, in the direction of the step.
        let (begin, end) = if step < 0 { (i64::MAX, i64::MIN) } else { (0, i64::MAX) };
        Ok(IndexEntry::Slice(first.unwrap_or(begin), stop.unwrap_or(end), step))
    }

    /// One entry of an index as a method.
    fn indexed(&mut self, tensor: Expr, entry: &IndexEntry, dim: i64, span: Span, whole: Span) -> Result<Expr> {
        self.check_depth(&tensor, whole)?;
        let (name, numbers) = match entry {
            IndexEntry::At(index) => ("select", vec![dim, *index]),
            IndexEntry::Slice(start, stop, step) => ("slice", vec![dim, *start, *stop, *step]),
            IndexEntry::New => ("unsqueeze", vec![dim]),
        };
        let mut arguments = Vec::new();
        for number in numbers {
            arguments.push(self.leaf(ExprKind::Static(number), span)?);
        }
        Ok(call_method(tensor, name, span, arguments, whole))
    }
}
