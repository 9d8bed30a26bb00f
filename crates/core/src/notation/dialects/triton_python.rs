//! Offsets as kernels in Triton's Python and in Gluon compute them: `offs_m[:, None] * stride_m + tl.arange(0, 64)[None, :]`.
//!
//! The expression has a grammar of its own, [`OffsetExpression`], and is one leaf of the tree. It begins where an expression may
//! begin, and is known by what only it has: `tl.arange(…)`, `tl.program_id(…)`, an index of `:` and `None` behind a name.

use super::Dialect;
use crate::index::OffsetExpression;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::{Expr, ExprKind, SyntaxError};

impl Cursor<'_> {
    /// Offsets in Triton's Python, where these are at hand.
    pub(in crate::notation) fn offset_expression(&mut self) -> Result<Option<Expr>> {
        if !self.has_offsets {
            return Ok(None);
        }
        let start = self.token.span;
        let read = OffsetExpression::read_start(self.text_from(start));
        let Some((code, length)) = read.map_err(|error| SyntaxError::within(&error, start))? else { return Ok(None) };
        self.spelled(Dialect::TritonPython);
        self.read_elsewhere(ExprKind::Offsets(Box::new(code)), start, length).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::{Dialect, ExprKind, Ints, parse, read};

    #[test]
    fn offsets_are_known_wherever_an_expression_begins() {
        for text in [
            "tl.arange(0, 128)",
            "offs_m[:, None] * stride_m + offs_n[None, :] * stride_n",
            "a_ptr + (tl.program_id(axis=0) * 128 + tl.arange(0, 128))[:, None] * 64",
            "tl.max_contiguous(tl.multiple_of(pid * 64 + tl.arange(0, 64), 64), 64)",
            "ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, parent)) // 8 % 4",
            "tl.broadcast_to(tl.expand_dims(tl.arange(0, 8), 1), [8, 4])",
            "-(tl.arange(0, 8) - 7) ^ 3 << 1 | 0x10 & tl.cdiv(10, 4)",
        ] {
            let reading = read(text, Ints::Plain).expect(text);
            assert!(matches!(reading.tree.kind, ExprKind::Offsets(_)), "{text}");
            assert_eq!(reading.dialects, [Dialect::TritonPython], "{text}");
            let printed = reading.tree.to_string();
            assert_eq!(parse(&printed, Ints::Plain), Ok(reading.tree), "{printed}");
        }
        let tuple = parse("(tl.arange(0, 8), 4)", Ints::Plain).map(|tree| tree.to_string());
        assert_eq!(tuple.as_deref(), Ok("(tl.arange(0, 8),4)"));
        let call = parse("same(tl.arange(0, 8), 8:1)", Ints::Plain).expect("a call");
        assert_eq!(call.to_string(), "same(tl.arange(0, 8), 8:1)");
        assert!(matches!(parse("x[2,3].t()[:, None]", Ints::Plain).map(|tree| tree.kind), Ok(ExprKind::Method { .. })));
    }

    #[test]
    fn what_is_no_offset_is_said() {
        for (text, said) in [
            ("tl.arange(0, 128", "`)`"),
            ("tl.arange(0, 128) < n", "an operator or the end"),
            ("tl.arange(0, 128) / 2", "an operator or the end"),
            ("tl.load(ptr + tl.arange(0, 4))", "`load` of Triton"),
            ("offs[:, 0]", "`:` for a dim"),
            ("tl.program_id(3)", "0, 1 or 2"),
        ] {
            let error = parse(text, Ints::Plain).expect_err(text);
            assert!(error.message.contains(said), "{text}: {error}");
        }
    }
}
