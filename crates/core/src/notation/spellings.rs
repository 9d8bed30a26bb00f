//! Spellings of other systems: what CuTe writes, or a reader of its documents would, for what the language has already.
//!
//! | text | read as |
//! |---|---|
//! | `L(1,2)`, `L(1,_)` | `crd2idx((1,2), L)`, `slice(L, (1,_))` |
//! | `op<0>(X)`, `take<1,3>(X)` | `op[0](X)`, `take(X, 1, 3)` |
//! | `append<3>(X, L)`, `append<3>(X)` | `append(X, L, 3)`, `append(X, 1:0, 3)` |
//! | `smem_ptr[16b](unset)` | `bytes[16]` |
//!
//! Law: each is read as the tree of the text beside it, and is not printed.

use super::MAX_DEPTH;
use super::cursor::{Cursor, Result};
use super::dialects::{Dialect, pair};
use super::lexer::TokenKind;
use super::pending::Pending;
use super::{Expr, ExprKind, Ints, Name, Span, SyntaxError, code};

/// Operations of CuTe whose template arguments are arguments here, after the first: `take<1,3>(L)` is `take(L, 1, 3)`. Those
/// of all others name a mode.
const TEMPLATE_ARGUMENTS: [&str; 8] = ["select", "take", "group", "replace", "insert", "remove", "upcast", "downcast"];

const APPLIED_SHAPE: &str =
    "a shape before brackets is its column-major layout at a coordinate; a shape and its strides have `:` between them";

/// Whether a text begins with a pointer as CuTe prints it.
pub(super) fn is_pointer(text: &str) -> bool {
    ["smem_ptr", "gmem_ptr", "rmem_ptr", "ptr", "subptr", "tmem_"]
        .iter()
        .any(|name| text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.trim_start().starts_with('[')))
}

impl Cursor<'_> {
    /// `L(c)`: a layout at a coordinate, or the slice that a coordinate with `_` leaves. What is applied is all that stands
    /// before it, which holds no operator but `:`.
    pub(super) fn application(&mut self, pending: &mut Pending) -> Result<()> {
        if !(pending.operands.is_empty() && pending.summands.is_empty() && pending.factors.len() == 1) {
            let is_function = |factor: &Expr| matches!(factor.kind, ExprKind::Swizzle { .. } | ExprKind::Bytes(_));
            let help = match pending.factors.last() {
                Some(last) if self.braced || is_function(last) => {
                    "functions have ` o ` between them: `Sw<3,4,3> o (8,64):(64,1)`"
                }
                _ => "the operator before it makes it unclear what is applied: write `crd2idx((1,2), X)`",
            };
            return Err(self.expected("an operator").with_help(help));
        }
        let start = self.token.span.start;
        pending.end_summand();
        while self.at(TokenKind::OpenRound) {
            let entries = self.list(TokenKind::CloseRound)?;
            let (function, coordinate) = (pending.summands.pop(), Span::new(start, self.consumed));
            let Some(function) = function else { break };
            if function.depth() + self.open.len() >= MAX_DEPTH {
                let message = format!("calls nest at most {MAX_DEPTH} deep, this one is one deeper");
                return Err(SyntaxError::new(code::TOO_DEEP, coordinate, message));
            }
            if matches!(function.kind, ExprKind::Tuple(_)) {
                self.remark(APPLIED_SHAPE);
            }
            pending.summands.push(applied(function, entries, coordinate));
        }
        // As what a shape or a factor would be, for the operators that may follow.
        pending.factors.extend(pending.summands.pop());
        Ok(())
    }

    /// `[16b](unset)` after `smem_ptr`, or an address in the brackets: elements of 16 bits.
    pub(super) fn flagged_pointer(&mut self, start: Span) -> Result<Expr> {
        let wanted = "the bits of an element and `b`, as in `smem_ptr[16b](unset)`";
        let wrong = |cursor: &Self| {
            let message = format!("expected {wanted}, found {}", cursor.found());
            SyntaxError::new(code::UNEXPECTED_TOKEN, cursor.token.span, message)
        };
        if !self.eat(TokenKind::OpenSquare) {
            return Err(wrong(self));
        }
        let bits = self.integer(wanted)?;
        if self.token.span.of(self.text()) != "b" {
            return Err(wrong(self));
        }
        self.advance();
        self.require(TokenKind::CloseSquare, "`]`")?;
        self.require(TokenKind::OpenRound, "`(unset)` or an address")?;
        // `unset`, `0x7f00`, and behind a dot the place inside of a byte or the column of tensor memory.
        let mut words = 0;
        let is_dot = |cursor: &Self| cursor.at(TokenKind::Stray) && cursor.token.span.of(cursor.text()) == ".";
        while words < 4 && (matches!(self.token.kind, TokenKind::Number | TokenKind::Word) || is_dot(self)) {
            words += 1;
            self.advance();
        }
        self.require(TokenKind::CloseRound, "`)` after `unset` or an address")?;
        if self.at(TokenKind::OpenRound) {
            return Err(self.expected("` o ` and the layout behind the pointer"));
        }
        self.spelled(Dialect::CuteCpp);
        self.leaf(ExprKind::Bytes(bits), Span::new(start.start, self.consumed))
    }

    /// Whether `<0,1>(` is at hand: template arguments of a call, as CuTe writes them.
    pub(super) fn is_template(&self) -> bool {
        let rest = self.text_from(self.token.span).trim_start_matches('<');
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c.is_whitespace());
        after.len() < rest.len() && after.strip_prefix('>').is_some_and(|after| after.trim_start().starts_with('('))
    }

    /// `<mode,…>(argument,…)` after the name.
    pub(super) fn template(&mut self, name: &str, name_span: Span) -> Result<Expr> {
        let before = (std::mem::replace(&mut self.ints, Ints::Plain), std::mem::take(&mut self.cpp.within));
        let modes = self.list(TokenKind::CloseAngle)?;
        (self.ints, self.cpp.within) = before;
        let mut arguments = self.list(TokenKind::CloseRound)?;
        if name == "group_modes" {
            self.spelled(Dialect::CuteCpp);
        }
        let name = if name == "group_modes" { "group" } else { name };
        let name = Name { text: name.to_owned(), span: name_span };
        let modes = match name.text.as_str() {
            // The rank that is to be reached, by modes of one element where no other is given.
            "append" | "prepend" if modes.len() == 1 => {
                if arguments.len() == 1 {
                    let [one, none] = [1, 0].map(|number| Expr::new(ExprKind::Static(number), name_span));
                    arguments.push(pair(one, none, name_span));
                }
                arguments.extend(modes);
                self.spelled(Dialect::CuteCpp);
                None
            }
            text if TEMPLATE_ARGUMENTS.contains(&text) => {
                let at = arguments.len().min(1);
                arguments.splice(at..at, modes);
                None
            }
            _ => Some(modes),
        };
        let kind = ExprKind::Call { name, modes, arguments };
        Ok(Expr::new(kind, Span::new(name_span.start, self.consumed)))
    }
}

/// `function(entries)`: `crd2idx` of the coordinate, or `slice` where an entry of it is free.
pub fn applied(function: Expr, mut entries: Vec<Expr>, span: Span) -> Expr {
    let coordinate = match (entries.len(), entries.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            entries.extend(last);
            Expr::new(ExprKind::Tuple(entries), span)
        }
    };
    let (at, whole) = (function.span, function.span.join(span));
    let (text, arguments) = match has_free_entry(&coordinate) {
        true => ("slice", vec![function, coordinate]),
        false => ("crd2idx", vec![coordinate, function]),
    };
    let name = Name { text: text.to_owned(), span: at };
    Expr::new(ExprKind::Call { name, modes: None, arguments }, whole)
}

fn has_free_entry(coordinate: &Expr) -> bool {
    match &coordinate.kind {
        ExprKind::Wildcard => true,
        ExprKind::Tuple(entries) => entries.iter().any(has_free_entry),
        _ => false,
    }
}
