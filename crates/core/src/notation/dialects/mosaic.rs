//! Operations of Mosaic after its layouts were inferred: the value that an operation gives, in vector registers.
//!
//! `%1 = "vector.broadcast"(%0) {in_layout = […], out_layout = [#tpu.vpad<"32,{*,0},(8,128)">]} : vector<1x128xf32> -> vector<8x128xf32>`
//! reads as `with_layout(f32[8,128], #tpu.vpad<"32,{*,0},(8,128)">)`. An operation has one layout for each result; of several
//! results there is no one layout.

use super::Dialect;
use super::build::call;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::{Expr, ExprKind, Span, SyntaxError, XlaText};
use crate::xla::mosaic::read_vector_type;
use crate::xla::{BareLayout, Shape, read_bare};

/// Where the layout and the type of a result stand.
pub(in crate::notation) struct MosaicResult {
    layout: usize,
    vector: usize,
}

impl Cursor<'_> {
    /// Where the layout and the type of the only result stand, when the text is an operation with such a layout.
    pub(in crate::notation) fn mosaic_operation(&self) -> Option<MosaicResult> {
        let text = self.text();
        let (before, layouts) = text.split_once("out_layout")?;
        let inside = layouts.trim_start().strip_prefix('=')?.trim_start().strip_prefix('[')?;
        let (list, rest) = inside.split_once(']')?;
        let one = list.trim_start();
        if one.matches("#tpu.vpad").count() != 1 || !one.starts_with("#tpu.vpad") || before.contains("out_layout") {
            return None;
        }
        let layout = text.len().checked_sub(inside.len())?.checked_add(list.len().checked_sub(one.len())?)?;
        let vector = text.len().checked_sub(rest.len())?.checked_add(rest.rfind("vector<")?)?;
        Some(MosaicResult { layout, vector })
    }

    /// Reads such a text.
    pub(in crate::notation) fn mosaic_line(&mut self, result: &MosaicResult) -> Result<Expr> {
        let at = |start: usize| Span::new(start, start);
        let (layout, vector) = (at(result.layout), at(result.vector));
        let text = self.text();
        let from = |start: usize| text.get(start..).unwrap_or_default();
        let within = |place: Span| move |error: crate::error::Error| SyntaxError::within(&error, place);
        let (array, length) = read_vector_type(from(result.vector)).map_err(within(vector))?;
        let array_span = Span::new(result.vector, result.vector.saturating_add(length));
        let (bare, length) = read_bare(from(result.layout)).map_err(within(layout))?;
        let layout_span = Span::new(result.layout, result.layout.saturating_add(length));
        self.skip_to(text.len());
        let shape = Box::new(XlaText { shape: Shape::Array(array), folded: false });
        let array = self.leaf(ExprKind::Xla(shape), array_span)?;
        let bare: Box<BareLayout> = Box::new(bare);
        let bare = self.leaf(ExprKind::BareLayout(bare), layout_span)?;
        self.spelled(Dialect::Mlir);
        self.remark("the value of the operation's result; integers of MLIR have no sign");
        Ok(call("with_layout", layout_span, vec![array, bare], Span::new(0, text.trim_end().len())))
    }
}
