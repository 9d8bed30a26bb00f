//! CuTe DSL: `make_fragment_like`, which is one operation of layouts and another of tensors.
//!
//! | text | reads as |
//! |---|---|
//! | `cute.make_fragment_like(cute.make_layout((4,8)))`, of a layout in any spelling | `make_fragment_like(L)` |
//! | `cute.make_fragment_like(cute.make_rmem_tensor(L, cutlass.Float32))`, of a tensor | `make_layout_like(L)` |
//! | `cute.make_fragment_like(tCgC)` | refused: the name may be of either |

use super::Dialect;
use super::arguments::placed;
use super::build::call;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, Span, SyntaxError, code};

/// The words, behind their modules, that begin a text of a tensor.
const TENSORS: [&str; 8] = [
    "tensor",
    "Tensor",
    "raw_ptr",
    "make_tensor",
    "make_rmem_tensor",
    "make_rmem_tensor_like",
    "make_fragment",
    "!cute.memref",
];

/// Those of a layout.
const LAYOUTS: [&str; 8] = [
    "make_layout",
    "make_ordered_layout",
    "make_layout_like",
    "make_composed_layout",
    "make_identity_layout",
    "tile_to_shape",
    "!cute.layout",
    "!cute.composed_layout",
];

impl Cursor<'_> {
    /// `(src, dtype)` after `cute.make_fragment_like`.
    pub(super) fn dsl_fragment_like(&mut self, start: Span) -> Result<Expr> {
        let name = Span::new(start.start, self.consumed);
        let arguments = self.arguments(TokenKind::CloseRound)?;
        let span = self.since(start);
        let given = placed(arguments, "make_fragment_like", &["src", "[dtype]"])?;
        let source: Vec<Expr> = given.into_iter().take(1).flatten().collect();
        let text = source.first().map(|source| source.span.of(self.text())).unwrap_or_default();
        let before = text.split(['(', '<']).next().unwrap_or_default();
        let path: String = before.chars().filter(|c| !c.is_whitespace()).collect();
        let word = if path.starts_with('!') { path.as_str() } else { path.rsplit('.').next().unwrap_or_default() };
        let operation = if TENSORS.contains(&word) {
            "make_layout_like"
        } else if ["(", "S<", "Sw<"].iter().any(|start| text.starts_with(start)) || LAYOUTS.contains(&word) {
            "make_fragment_like"
        } else {
            let message = "make_fragment_like gives a layout other registers than a tensor, and this may be either";
            return Err(SyntaxError::new(code::UNKNOWN_NAME, span, message).with_help(
                "of a layout write `make_fragment_like(L)`, of a tensor of CuTe DSL `cute.make_rmem_tensor_like(X)`",
            ));
        };
        self.spelled(Dialect::CuteDsl);
        Ok(call(operation, name, source, span))
    }
}
