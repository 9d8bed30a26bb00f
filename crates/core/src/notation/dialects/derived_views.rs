//! Methods that other methods say: `x.fliplr()`, `x.rot90(1, (0, 1))`, `x.expand_as(y)`; and what leaves a tensor as it is.

use super::Dialect;
use super::arguments::{Argument, Given, placed};
use super::build::call_method;
use super::methods::{DERIVED, is_tensor};
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// Functions that give an array as the library has it, of the same memory.
const AS_ARRAY: [&str; 3] = ["from_numpy", "as_tensor", "asarray"];

impl Cursor<'_> {
    /// `torch.from_numpy(x)` and the like, and functions that other methods say; the name has been read.
    pub(super) fn derived_function(&mut self, word: &str, start: Span, scope: Dialect) -> Result<Option<Expr>> {
        let is_torch = scope == Dialect::Torch;
        if AS_ARRAY.contains(&word) && is_torch != (word == "asarray") {
            let mut given = placed(self.arguments(TokenKind::CloseRound)?, word, &["a", "[dtype]", "[device]"])?;
            let whole = self.since(start);
            let tensor = given.first_mut().and_then(Option::take).filter(is_tensor);
            let tensor = tensor.ok_or_else(|| {
                let message = format!("{word} is read of a tensor with sizes");
                SyntaxError::new(code::UNEXPECTED_TOKEN, whole, message).with_help("as in `np.asarray(x[2,3].T)`")
            })?;
            self.spelled(scope);
            return Ok(Some(Expr::new(tensor.kind, whole)));
        }
        if !DERIVED.contains(&word) || word.ends_with("_as") {
            return Ok(None);
        }
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        let whole = self.since(start);
        let first = (!arguments.is_empty()).then(|| arguments.remove(0).given);
        let Some(Given::Value(tensor)) = first else {
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, whole, format!("{word} takes a tensor first")));
        };
        self.derived(word, start, tensor, arguments, whole, Some(scope)).map(Some)
    }

    /// A method that others say; its name is at hand.
    pub(super) fn derived_method(&mut self, receiver: Expr, name: &str, span: Span) -> Result<Expr> {
        self.advance();
        let arguments = self.arguments(TokenKind::CloseRound)?;
        let whole = self.since(receiver.span);
        self.check_depth(&receiver, whole)?;
        let library = self.library(&receiver);
        if library == Some(Dialect::NumPy) && self.is_made(&receiver) {
            let message = format!("arrays of NumPy have no `.{name}`");
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
                .with_help("`np.rot90(x)`, `np.fliplr(x)` and `np.flipud(x)` are functions"));
        }
        self.derived(name, span, receiver, arguments, whole, library)
    }

    /// A method as those that say it.
    fn derived(
        &mut self,
        name: &str,
        span: Span,
        tensor: Expr,
        arguments: Vec<Argument>,
        whole: Span,
        library: Option<Dialect>,
    ) -> Result<Expr> {
        if let Some(resized) = name.strip_suffix("_as") {
            let mut given = placed(arguments, name, &["other"])?;
            let other = given.first_mut().and_then(Option::take).filter(is_tensor).ok_or_else(|| {
                SyntaxError::new(code::UNEXPECTED_TOKEN, whole, format!("{name} takes a tensor with sizes"))
            })?;
            let at = other.span;
            let sizes = call_method(other, "shape", at, Vec::new(), at);
            return self.by_name(resized, span, tensor, vec![sizes], whole, library);
        }
        let dim = |dim| Expr::new(ExprKind::Static(dim), span);
        if name != "rot90" {
            placed(arguments, name, &[])?;
            let of = if name == "fliplr" { 1 } else { 0 };
            return self.by_name("flip", span, tensor, vec![dim(of)], whole, library);
        }
        let (quarter_turns, dims) = self.quarter_turns(arguments, whole)?;
        let [first, second] = dims.map(dim);
        let both = vec![first.clone(), second.clone()];
        // Each turn flips both dims, or one of them after both, so that two names of one dim are refused.
        let flipped = self.by_name("flip", span, tensor, both.clone(), whole, library)?;
        match quarter_turns.rem_euclid(4) {
            0 => self.by_name("flip", span, flipped, both, whole, library),
            2 => Ok(flipped),
            turns => {
                let again = if turns == 1 { first } else { second };
                let turned = self.by_name("flip", span, flipped, vec![again], whole, library)?;
                self.by_name("swapaxes", span, turned, both, whole, library)
            }
        }
    }

    /// How often `rot90` turns, and the two dims of the plane.
    fn quarter_turns(&self, mut arguments: Vec<Argument>, whole: Span) -> Result<(i64, [i64; 2])> {
        for keyword in arguments.iter_mut().filter_map(|argument| argument.keyword.as_mut()) {
            if keyword.text == "axes" {
                keyword.text = "dims".to_owned();
            }
        }
        let given = placed(arguments, "rot90", &["[k]", "[dims]"])?;
        let number = |entry: &Expr| match entry.kind {
            ExprKind::Static(number) => Some(number),
            _ => None,
        };
        let turns = given.first().and_then(Option::as_ref).map_or(Some(1), number);
        let dims = match given.get(1).and_then(Option::as_ref).map(|dims| &dims.kind) {
            None => Some([0, 1]),
            Some(ExprKind::Tuple(entries)) => match entries.as_slice() {
                [first, second] => number(first).zip(number(second)).map(|(first, second)| [first, second]),
                _ => None,
            },
            Some(_) => None,
        };
        turns.zip(dims).ok_or_else(|| {
            let message = "rot90 takes a number of quarter turns and two dims";
            SyntaxError::new(code::UNEXPECTED_TOKEN, whole, message).with_help("as in `x[4,6].rot90(1, (0, 1))`")
        })
    }
}
