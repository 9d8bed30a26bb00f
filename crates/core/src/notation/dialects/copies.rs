//! Copies of tensors as PyTorch makes them: `x.clone()`, `x.to(memory_format=torch.channels_last)`, `torch.empty_like(x)`.
//!
//! A copy keeps the strides of what fills its memory without overlap, and else only their order, unless a memory format says another.
//! So these stay methods in the tree: `clone`, `to`, `like`, and `ordered(0, 2, 3, 1)` for a format, whose dims are named from the slowest on.

use super::Dialect;
use super::arguments::{Argument, Given};
use super::build::call_method;
use super::dense::dense;
use super::tensors::memory_order;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// Methods that change what elements are or which memory they lie in.
pub(super) const COPIES: [&str; 8] = ["to", "cuda", "cpu", "half", "float", "double", "bfloat16", "clone"];

/// Functions that make a tensor with the sizes and strides of another one.
pub(super) const LIKE: [&str; 6] = ["empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like"];

/// What gives the same memory with the same sizes and strides, and may write into it.
pub(super) const SAME: [&str; 8] =
    ["detach", "data", "numpy", "requires_grad_", "normal_", "uniform_", "zero_", "fill_"];

impl Cursor<'_> {
    /// A tensor that holds something else or lies elsewhere.
    pub(super) fn held_elsewhere(&mut self, receiver: Expr, name: &str, span: Span) -> Result<Expr> {
        self.advance();
        let start = receiver.span;
        let arguments = if name == "data" { Vec::new() } else { self.arguments(TokenKind::CloseRound)? };
        let whole = self.since(start);
        self.check_depth(&receiver, whole)?;
        if self.library(&receiver) == Some(Dialect::NumPy) && self.is_made(&receiver) {
            let message = format!("tensors of NumPy have no `.{name}`, which is PyTorch's");
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
        }
        self.spelled(Dialect::Torch);
        if let Some(format) = memory_format(&arguments) {
            return self.in_memory_format(receiver, format, name, span, whole);
        }
        if name == "numpy" {
            self.makers.push((start.start, Dialect::NumPy));
        }
        if SAME.contains(&name) || is_dense(&receiver) {
            return Ok(Expr::new(receiver.kind, whole));
        }
        Ok(call_method(receiver, if name == "clone" { name } else { "to" }, span, Vec::new(), whole))
    }

    /// `empty_like(x)` of PyTorch; the name has been read.
    pub(super) fn like_function(&mut self, word: &str, start: Span) -> Result<Expr> {
        let mut arguments = self.arguments(TokenKind::CloseRound)?;
        let whole = self.since(start);
        let wrong = || {
            SyntaxError::new(
                code::UNEXPECTED_TOKEN,
                whole,
                format!("{word} takes a tensor first, as in `{word}(x[2,3])`"),
            )
        };
        if arguments.is_empty() {
            return Err(wrong());
        }
        let Given::Value(tensor) = arguments.remove(0).given else { return Err(wrong()) };
        self.check_depth(&tensor, whole)?;
        self.spelled(Dialect::Torch);
        let dims = memory_format(&arguments).map_or(Ok(None), memory_order)?;
        let new = call_method(tensor, "like", start, Vec::new(), whole);
        match dims {
            Some(dims) => self.ordered(new, dims, start, whole),
            None => Ok(new),
        }
    }

    /// A tensor copied into a memory format of PyTorch.
    pub(super) fn in_memory_format(
        &mut self,
        tensor: Expr,
        format: &Expr,
        name: &str,
        at: Span,
        whole: Span,
    ) -> Result<Expr> {
        match memory_order(format)? {
            Some(dims) => self.ordered(tensor, dims, at, whole),
            None if name == "contiguous" => {
                let message = "contiguous takes the format that it makes, and keeps none";
                Err(SyntaxError::new(code::UNEXPECTED_TOKEN, format.span, message))
            }
            None => Ok(call_method(tensor, if name == "clone" { name } else { "to" }, at, Vec::new(), whole)),
        }
    }

    /// A tensor whose dims lie in an order, the slowest first; none is their own order.
    fn ordered(&mut self, tensor: Expr, dims: &[usize], at: Span, whole: Span) -> Result<Expr> {
        if dims.is_empty() {
            return Ok(call_method(tensor, "contiguous", at, Vec::new(), whole));
        }
        let mut order = Vec::new();
        for dim in dims {
            order.push(self.leaf(ExprKind::Static(crate::cast::length(*dim)), at)?);
        }
        Ok(call_method(tensor, "ordered", at, order, whole))
    }
}

fn memory_format(arguments: &[Argument]) -> Option<&Expr> {
    arguments.iter().find_map(|argument| match (&argument.keyword, &argument.given) {
        (Some(keyword), Given::Value(format)) if keyword.text == "memory_format" => Some(format),
        _ => None,
    })
}

/// Whether a tensor fills its memory row by row.
fn is_dense(receiver: &Expr) -> bool {
    let ExprKind::Call { name, arguments, .. } = &receiver.kind else { return false };
    match arguments.as_slice() {
        [Expr { kind: ExprKind::Tuple(sizes), span }, strides] if name.text == "tensor" => {
            dense(sizes.clone(), false, *span, *span).is_ok_and(|tensor| match &tensor.kind {
                ExprKind::Call { arguments, .. } => arguments.get(1) == Some(strides),
                _ => false,
            })
        }
        _ => false,
    }
}
