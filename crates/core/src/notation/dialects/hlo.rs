//! What XLA and JAX write around a shape or a layout.
//!
//! | text | reads as |
//! |---|---|
//! | `%copy.1 = f32[4,8]{0,1} copy(%x), metadata={…}`, perhaps with `ROOT` before it | the shape of the result |
//! | `Format(Layout((0, 1)), SingleDeviceSharding(…))` | the layout |
//! | `mhlo.layout_mode = "{1,0:T(8,128)}"`, `xla_shape = "f32[4]{0}"` | the layout, the shape |
//! | `dense<[1, 0]> : tensor<2xindex>`, as in `operand_layouts` | the layout `{1,0}` |
//!
//! Law: what stands around it is passed over, and a note says so.

use super::Dialect;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};
use crate::xla::{BareLayout, Layout};

const PASSED_OVER: &str = "the shape of the instruction's result; operands and attributes are passed over";
/// How an instruction is written, for messages.
pub(in crate::notation) const INSTRUCTION: &str = "an instruction is `%name = shape opcode(operands), attributes`";
const SHARDING: &str = "the layout; the sharding is passed over";

impl Cursor<'_> {
    /// Where the shape begins, when the text is an instruction of HLO.
    pub(in crate::notation) fn hlo_instruction(&self) -> Option<usize> {
        let text = self.text().trim_start();
        let root = text.strip_prefix("ROOT").filter(|rest| rest.starts_with(char::is_whitespace));
        let (is_root, rest) = match root {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text),
        };
        let name = rest.strip_prefix('%');
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let after = name.unwrap_or(rest).trim_start_matches(is_letter);
        let shape = after.trim_start().strip_prefix('=')?.trim_start();
        let is_one = (is_root || name.is_some()) && after.len() < name.unwrap_or(rest).len();
        is_one.then(|| self.text().len().saturating_sub(shape.len()))
    }

    /// Reads such a text, whose shape begins there.
    pub(in crate::notation) fn hlo_line(&mut self, shape: usize) -> Result<Expr> {
        self.skip_to(shape);
        let tree = self.xla(Span::new(shape, shape)).map_err(|error| match &error.help {
            None => error.with_help(INSTRUCTION),
            Some(_) => error,
        })?;
        if !self.at(TokenKind::End) {
            let (opcode, span) = (self.token.span, self.token.span);
            let rest = self.text_from(opcode);
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
            if !self.at(TokenKind::Word) || !rest.get(length..).is_some_and(|rest| rest.trim_start().starts_with('(')) {
                let message =
                    format!("expected an operation and its operands behind the shape, found {}", self.found());
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message).with_help(INSTRUCTION));
            }
            self.skip_to(self.text().len());
        }
        self.spelled(Dialect::Hlo);
        self.remark(PASSED_OVER);
        Ok(tree)
    }

    /// What a word of XLA or JAX begins; `None` where it begins nothing.
    pub(super) fn hlo_word(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        match word {
            "Format" if self.at(TokenKind::OpenRound) => self.jax_format(start).map(Some),
            "mhlo" | "xla_shape" => self.named_text(word, start),
            "dense" if self.at(TokenKind::OpenAngle) => self.dense_layout(start).map(Some),
            _ => Ok(None),
        }
    }

    /// `Format(Layout(…), sharding)`
    fn jax_format(&mut self, start: Span) -> Result<Expr> {
        let open = self.enter()?;
        if self.token.span.of(self.text()) == "layout" {
            self.advance();
            self.require(TokenKind::Equals, "`=` and a layout")?;
        }
        self.namespaces();
        if !matches!(self.token.span.of(self.text()), "Layout" | "DeviceLocalLayout") {
            return Err(self.expected("a layout, as in `Format(Layout(major_to_minor=(0, 1)), …)`"));
        }
        let tree = self.bare_layout(self.token.span)?;
        let mut depth = 0_usize;
        while !(self.at(TokenKind::End) || depth == 0 && self.at(TokenKind::CloseRound)) {
            match self.token.kind {
                TokenKind::OpenRound => depth += 1,
                TokenKind::CloseRound => depth -= 1,
                _ => {}
            }
            self.advance();
        }
        self.leave(open, TokenKind::CloseRound, "`)`")?;
        self.spelled(Dialect::Jax);
        self.remark(SHARDING);
        Ok(Expr::new(tree.kind, self.since(start)))
    }

    /// `mhlo.layout_mode = "…"` and the like: what the text in quotes says.
    fn named_text(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        let rest = self.text_from(self.token.span);
        let after = match word {
            "mhlo" => rest.strip_prefix(".layout_mode"),
            _ => Some(rest),
        };
        let quoted = after.and_then(|after| after.trim_start().strip_prefix('=')).map(str::trim_start);
        let Some(inner) = quoted.and_then(|quoted| quoted.strip_prefix('"')) else { return Ok(None) };
        let begins = self.text().len().saturating_sub(inner.len());
        let Some(end) = inner.find('"') else { return Err(self.expected("a text in quotes")) };
        let (at, is_layout) = (Span::new(begins, begins), inner.starts_with('{'));
        self.skip_to(begins);
        let tree = if is_layout { self.bare_layout(at)? } else { self.xla(at)? };
        if self.consumed != begins.saturating_add(end) {
            return Err(self.expected("the end of the text in quotes"));
        }
        self.skip_to(begins.saturating_add(end).saturating_add(1));
        self.spelled(Dialect::StableHlo);
        Ok(Some(Expr::new(tree.kind, self.since(start))))
    }

    /// `dense<[1, 0]> : tensor<2xindex>`: dims, the fastest first.
    fn dense_layout(&mut self, start: Span) -> Result<Expr> {
        let open = self.enter()?;
        if !self.at(TokenKind::OpenSquare) {
            return Err(self.expected("a list of dims, as in `dense<[1, 0]> : tensor<2xindex>`"));
        }
        let dims = self.entries(TokenKind::CloseSquare, "another dim", |cursor| {
            cursor.count_leaf(cursor.token.span)?;
            cursor.integer("a dim")
        })?;
        self.leave(open, TokenKind::CloseAngle, "`>`")?;
        self.require(TokenKind::Colon, "`:` and a type such as `tensor<2xindex>`")?;
        let at = self.token.span;
        let wanted = format!("tensor<{}xindex>", dims.len());
        if !self.text_from(at).starts_with(&wanted) {
            return Err(self.expected(&format!("`{wanted}`")));
        }
        self.skip_to(at.start.saturating_add(wanted.len()));
        self.spelled(Dialect::StableHlo);
        let layout = Box::new(BareLayout::Xla(Layout::ordered(dims)));
        self.leaf(ExprKind::BareLayout(layout), self.since(start))
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::{Dialect, Ints, parse, read};

    #[test]
    fn what_stands_around_a_shape_or_layout_is_passed_over() {
        for (text, plain, dialect) in [
            (
                "%copy.1 = f32[4,8]{0,1:T(2,2)S(1)} copy(%x), metadata={op_name=\"a\"}",
                "f32[4,8]{0,1:T(2,2)S(1)}",
                Dialect::Hlo,
            ),
            ("ROOT t.2 = f32[8]{0} add(a, b)", "f32[8]{0}", Dialect::Hlo),
            ("  %t = (f32[2]{0}, /*index=1*/s32[]) tuple(%a, %b)", "(f32[2]{0}, s32[])", Dialect::Hlo),
            (
                "Format(Layout(major_to_minor=(0, 1), tiling=((8, 128),)), SingleDeviceSharding(device=Tpu(id=0)))",
                "Layout(major_to_minor=(0, 1), tiling=((8, 128),))",
                Dialect::Jax,
            ),
            ("mhlo.layout_mode = \"{1,0:T(8,128)}\"", "{1,0:T(8,128)}", Dialect::StableHlo),
            ("xla_shape = \"f32[4,2]{0,1}\"", "f32[4,2]{0,1}", Dialect::StableHlo),
            ("dense<[1, 0]> : tensor<2xindex>", "{1,0}", Dialect::StableHlo),
        ] {
            let reading = read(text, Ints::Plain).expect(text);
            // The entries of a tuple are expressions in the notation, and a shape in HLO.
            if !plain.starts_with('(') {
                assert_eq!(Ok(&reading.tree), parse(plain, Ints::Plain).as_ref(), "{text}");
            }
            assert_eq!(reading.dialects, [dialect], "{text}");
        }
    }

    #[test]
    fn what_breaks_off_is_said() {
        for text in [
            "%x = f32[4]{0} copy",
            "%x = ",
            "%x = 5",
            "Format(Layout((0, 1)), Sharding(",
            "Format(5)",
            "mhlo.layout_mode = \"{1,0} x\"",
            "mhlo.layout_mode = \"{1,0}",
            "dense<[1, 0]> : tensor<3xindex>",
        ] {
            assert!(read(text, Ints::Plain).is_err(), "{text}");
        }
    }
}
