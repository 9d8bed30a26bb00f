//! What is asked of a tensor at the end of its views: `x.shape[-1]`, `x.stride(0)`, `x.numel()`, `x.is_contiguous()`.

use super::Dialect;
use super::arguments::{Argument, Given};
use super::build::call_method;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// What a library calls it, and the name here.
const NUMBERS: [(&str, &str); 8] = [
    ("numel", "numel"),
    ("nelement", "numel"),
    ("dim", "ndim"),
    ("ndim", "ndim"),
    ("ndimension", "ndim"),
    ("storage_offset", "storage_offset"),
    ("is_contiguous", "is_contiguous"),
    ("strides", "strides"),
];

/// The name here of what is asked about all of a tensor.
pub(super) fn number_asked(name: &str) -> Option<&'static str> {
    NUMBERS.iter().find(|(own, _)| *own == name).map(|(_, asked)| *asked)
}

impl Cursor<'_> {
    /// One number about all of a tensor; the name is at hand.
    pub(super) fn number_of_tensor(&mut self, receiver: Expr, name: &str, asked: &str, span: Span) -> Result<Expr> {
        self.advance();
        let start = receiver.span;
        let arguments = if self.at(TokenKind::OpenRound) { self.arguments(TokenKind::CloseRound)? } else { Vec::new() };
        let whole = self.since(start);
        self.check_depth(&receiver, whole)?;
        let wrong = |message: String, help: &str| {
            Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message).with_help(help.to_owned()))
        };
        if asked == "strides" {
            return wrong("`.strides` of NumPy counts bytes".to_owned(), "`.stride()` counts elements here");
        }
        if !arguments.is_empty() {
            return wrong(format!("`.{name}` is asked without arguments"), "leave them out");
        }
        let is_numpy = self.library(&receiver) == Some(Dialect::NumPy);
        if is_numpy && self.is_made(&receiver) && name != "ndim" {
            return wrong(
                format!("tensors of NumPy have no `.{name}`, which is PyTorch's"),
                "NumPy has `.size` and `.ndim`",
            );
        }
        self.spelled(if is_numpy { Dialect::NumPy } else { Dialect::Torch });
        Ok(call_method(receiver, asked, span, Vec::new(), whole))
    }

    /// The shape or the strides, or of one dim; name and arguments have been read.
    pub(super) fn asked_of_tensor(
        &mut self,
        receiver: Expr,
        name: &str,
        operation: &str,
        span: Span,
        arguments: Vec<Argument>,
    ) -> Result<Expr> {
        let start = receiver.span;
        let library = self.library(&receiver).unwrap_or(Dialect::Torch);
        self.spelled(library);
        let asked = match operation {
            // NumPy's is the number of elements.
            "size" if library == Dialect::NumPy => "numel",
            "size" => "shape",
            other => other,
        };
        let wrong = || {
            let message = format!("`.{name}` of a tensor is asked without arguments or for the number of one dim");
            SyntaxError::new(code::UNEXPECTED_TOKEN, span, message)
        };
        if !matches!(asked, "shape" | "stride" | "numel") || asked == "numel" && !arguments.is_empty() {
            return Err(wrong());
        }
        let dim = match arguments.as_slice() {
            [] if name == "shape" && self.at(TokenKind::OpenSquare) => {
                self.advance();
                let at = self.token.span;
                let dim = self.integer("the number of a dim")?;
                let dim = self.leaf(ExprKind::Static(dim), self.since(at))?;
                self.require(TokenKind::CloseSquare, "`]` behind the number of a dim")?;
                Some(dim)
            }
            [Argument { keyword, given: Given::Value(dim) }]
                if keyword.as_ref().is_none_or(|keyword| keyword.text == "dim")
                    && matches!(dim.kind, ExprKind::Static(_)) =>
            {
                Some(dim.clone())
            }
            [] => None,
            _ => return Err(wrong()),
        };
        let whole = self.since(start);
        Ok(call_method(receiver, asked, span, dim.into_iter().collect(), whole))
    }
}
