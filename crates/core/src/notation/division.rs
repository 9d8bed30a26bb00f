//! Division between integers: `//` of Python, which rounds down, and `/` of C++, which rounds towards zero.
//!
//! Both bind as `*` does, from the left: `a * b // c` is the quotient of `a * b`. `//` also begins a comment of C++, and does so where
//! no operand of Python follows that ends the expression or has an operator behind it.

use super::cursor::{Cursor, Result};
use super::dialects::{Dialect, call};
use super::pending::Pending;
use super::{Expr, ExprKind, SyntaxError, code};
use crate::int::Integer;

/// What says that `/` is no operator of integers in Python.
const FRACTION: &str = "`/` of Python makes a fraction; integers are divided by `//`";

impl Cursor<'_> {
    /// The operation of the sign at hand, where that divides the factor before it.
    pub(super) fn division(&self, pending: &Pending) -> Option<&'static str> {
        let rest = self.text_from(self.token.span).strip_prefix('/')?;
        // Neither language has strides behind a colon.
        let left = pending.factors.last().filter(|_| pending.shape.is_none())?;
        let is_integer = matches!(
            left.kind,
            ExprKind::Static(_)
                | ExprKind::Dynamic(_)
                | ExprKind::Unknown { .. }
                | ExprKind::Name(_)
                | ExprKind::Call { .. }
                | ExprKind::Method { .. }
        ) || matches!(&left.kind, ExprKind::Tuple(entries) if entries.len() == 1);
        let is_cpp = self.cpp.within || self.dialects.contains(&Dialect::CuteCpp);
        match rest.strip_prefix('/') {
            _ if !is_integer => None,
            Some(divisor) if !is_cpp && is_operand(divisor, matches!(left.kind, ExprKind::Call { .. })) => {
                Some("floor_div")
            }
            None if is_cpp => Some("div"),
            _ => None,
        }
    }

    /// Steps over a division and the factor behind it.
    pub(super) fn divided(&mut self, operation: &str, is_subtracted: bool, pending: &mut Pending) -> Result<()> {
        let sign = self.token.span;
        self.advance();
        if operation == "floor_div" {
            self.advance();
        }
        let too_large = || SyntaxError::new(code::INTEGER_TOO_LARGE, sign, "the number is no 64-bit integer");
        // In `a - b // c` the sign belongs to the quotient.
        if is_subtracted && let Some(first) = pending.factors.first_mut() {
            first.kind = match first.kind {
                ExprKind::Static(n) => ExprKind::Static(n.checked_neg().ok_or_else(too_large)?),
                ExprKind::Dynamic(n) => ExprKind::Dynamic(n.checked_neg().ok_or_else(too_large)?),
                _ => return Err(self.expected("a number before the sign of a division")),
            };
            if matches!(first.kind, ExprKind::Static(1)) && pending.factors.len() > 1 {
                pending.factors.remove(0);
            }
        }
        let left = grouped(pending.product());
        self.factor(&mut pending.factors)?;
        self.behind_factor(pending)?;
        let right = grouped(pending.product());
        let span = left.span.join(right.span);
        self.check_depth(&left, span)?;
        self.check_depth(&right, span)?;
        let both = match (&left.kind, &right.kind) {
            (ExprKind::Static(left), ExprKind::Static(right)) if *right != 0 => {
                let quotient = if operation == "floor_div" { left.floor_div(right) } else { left.quotient(right) };
                Some(quotient.map_err(|_| too_large())?)
            }
            _ => None,
        };
        let is_by_zero = matches!(right.kind, ExprKind::Static(0));
        let operation = if is_by_zero { "div" } else { operation };
        let quotient = match both {
            Some(number) => Expr::new(ExprKind::Static(number), span),
            None => call(operation, sign, vec![left, right], span),
        };
        if is_subtracted {
            pending.factors.push(Expr::new(ExprKind::Static(-1), sign));
        }
        pending.factors.push(quotient);
        Ok(())
    }

    /// What to write for a `/` that is no operator.
    pub(super) fn with_division_help(&self, error: Box<SyntaxError>) -> Box<SyntaxError> {
        if self.token.span.of(self.text()).trim() == "/" { error.with_help(FRACTION) } else { error }
    }
}

/// Round brackets around one integer, which group it between operators.
fn grouped(mut tree: Expr) -> Expr {
    match &mut tree.kind {
        ExprKind::Tuple(entries) if entries.len() == 1 => entries.pop().unwrap_or(tree),
        _ => tree,
    }
}

/// Whether a round bracket groups one number: what follows it is neither a tuple nor a layout.
fn is_grouped(inner: &str) -> bool {
    let mut depth = 0;
    for (at, sign) in inner.char_indices() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                return !inner.split_at_checked(at + 1).is_some_and(|(_, rest)| rest.trim_start().starts_with(':'));
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return false,
            _ => {}
        }
    }
    true
}

/// Whether a text begins with an operand that ends it or has an operator behind it; prose, as in a comment, goes on with a word. A
/// word alone behind a call is a comment, and so is a layout or a tuple.
fn is_operand(text: &str, is_behind_call: bool) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix('-').map_or(text, str::trim_start);
    if let Some(inner) = text.strip_prefix('(') {
        return is_grouped(inner);
    }
    let length = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (word, behind) = text.split_at_checked(length).unwrap_or((text, ""));
    let behind = behind.trim_start();
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let goes_on = behind.starts_with([',', ')', ']', '}', '+', '-', '*', '/', '%', '@', '[', '(', ';', '='])
        || behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        || is_number && behind.starts_with(':');
    !word.is_empty() && (goes_on || behind.is_empty() && (is_number || !is_behind_call))
}
