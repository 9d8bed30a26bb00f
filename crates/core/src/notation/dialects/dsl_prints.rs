//! Types and tensors as CuTe DSL and its compiler print them.
//!
//! | text | reads as |
//! |---|---|
//! | `!cute.layout<"(8,64):(64,1)">`, `!cute.composed_layout<"S<3,4,3> o 0 o …">` | what stands in the quotes |
//! | `!cute.tile<"[128:1;64:1]">` | `<128:1, 64:1>` |
//! | `!cute.memref<f16, smem, align<16>, S<3,4,3>, "(8,64):(64,1)">`, `tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o L>` | `Sw<3,4,3> o bytes[16] o L` |
//! | `Tensor<0x00007f4b22000000@gmem o L>`, `raw_ptr(0x7f…: f16, gmem, align<16>) o L` | `L` |
//! | `tensor<(0,16) o L>` | `L + (0,16)` |
//! | `tensor(raw_ptr(…) o L, data=…)`, as `print_tensor` prints | `L` |
//! | `?{i64 div=8}` | `?{div=8}` |

use super::Dialect;
use super::build::{composed, shifted};
use super::type_names;
use crate::names::did_you_mean;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// The types of the compiler that have a layout, or a part of one, in quotes.
const CUTE_TYPES: [&str; 13] = [
    "!cute.layout",
    "!cute.composed_layout",
    "!cute.tile",
    "!cute.memref",
    "!cute.coord_tensor",
    "!cute.shape",
    "!cute.stride",
    "!cute.coord",
    "!cute.step",
    "!cute.int_tuple",
    "!cute.swizzle",
    "!cute.tiled_copy",
    "!cute.tiled_mma",
];

/// What a pointer says of the elements behind it.
struct Pointer {
    /// The bits of an element, where its type was named.
    bits: Option<i64>,
    swizzle: Option<Expr>,
}

impl Cursor<'_> {
    /// The width that the DSL prints before `div`, as in `?{i64 div=8}`.
    pub(in crate::notation) fn width(&mut self) -> bool {
        let is_width = matches!(self.token.span.of(self.text()), "i8" | "i16" | "i32" | "i64");
        if is_width {
            self.advance();
            self.eat(TokenKind::Comma);
            self.spelled(Dialect::CuteDsl);
            self.remark("the width of an integer, such as i64, is left out");
        }
        is_width
    }

    /// Whether the `<` at hand begins a tensor of the DSL, and none of MLIR.
    pub(in crate::notation) fn is_dsl_tensor(&self) -> bool {
        let inside = self.text_after(self.token.span).trim_start();
        let word = |word: &str| inside.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with('<'));
        self.at(TokenKind::OpenAngle) && (inside.starts_with('(') || inside.starts_with("0x") || word("ptr"))
    }

    /// `<ptr<…> o L>`, `<0x…@gmem o L>`, `<(0,0) o L>`
    pub(in crate::notation) fn dsl_tensor(&mut self, start: Span) -> Result<Expr> {
        let open = self.enter()?;
        let mut pointer = Pointer { bits: None, swizzle: None };
        let mut origin = None;
        match self.token.kind {
            TokenKind::Word => {
                self.advance();
                pointer = self.dsl_pointer()?;
            }
            TokenKind::OpenRound => {
                let at = self.token.span;
                origin = Some(Expr::new(ExprKind::Tuple(self.list(TokenKind::CloseRound)?), at));
            }
            _ => {
                self.address()?;
                if self.eat(TokenKind::At) {
                    self.require(TokenKind::Word, "a memory such as `gmem` after `@`")?;
                }
            }
        }
        self.require(TokenKind::Compose, "` o ` and the layout of the tensor")?;
        let layout = self.expression()?;
        self.leave(open, TokenKind::CloseAngle, "`>` after the layout of the tensor")?;
        self.spelled(Dialect::CuteDsl);
        let span = self.since(start);
        if let Some(origin) = origin {
            return shifted(layout, origin, span);
        }
        self.pointed(pointer, layout, span)
    }

    /// Whether the bracket behind `tensor` holds a pointer.
    pub(in crate::notation) fn is_printed_tensor(&self) -> bool {
        let inside = self.text_after(self.token.span).trim_start();
        inside.strip_prefix("raw_ptr").is_some_and(|rest| rest.trim_start().starts_with('('))
    }

    /// `(raw_ptr(…) o L, data=[[…]])`: the elements are passed over.
    pub(in crate::notation) fn dsl_printed_tensor(&mut self, start: Span) -> Result<Expr> {
        let open = self.enter()?;
        let tensor = self.expression()?;
        if self.eat(TokenKind::Comma) {
            self.remark("the elements are left out");
            self.skip_arguments();
        }
        self.leave(open, TokenKind::CloseRound, "`,` and the elements, or `)`")?;
        Ok(Expr::new(tensor.kind, self.since(start)))
    }

    /// `(0x…: f16, gmem, align<16>) o L`
    pub(super) fn dsl_raw_pointer(&mut self, start: Span) -> Result<Expr> {
        let open = self.enter()?;
        self.address()?;
        let mut pointer = Pointer { bits: None, swizzle: None };
        if self.eat(TokenKind::Colon) {
            self.pointer_items(TokenKind::CloseRound, &mut pointer)?;
        }
        self.leave(open, TokenKind::CloseRound, "`,` or `)`")?;
        self.require(TokenKind::Compose, "` o ` and the layout behind the pointer")?;
        self.spelled(Dialect::CuteDsl);
        let layout = self.behind(open)?;
        self.pointed(pointer, layout, self.since(start))
    }

    /// A type of the compiler; `!cute.layout` is at hand.
    pub(in crate::notation) fn cute_type(&mut self) -> Result<Expr> {
        let start = self.token.span;
        let word = start.of(self.text());
        let is_tile = word == "!cute.tile";
        if !CUTE_TYPES.contains(&word) {
            let message = format!("`{word}` is no type of CuTe DSL that has a layout");
            let near = did_you_mean(word, CUTE_TYPES);
            return Err(SyntaxError::new(code::UNKNOWN_NAME, start, message).with_help(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("those are {}", CUTE_TYPES.join(", ")),
            }));
        }
        self.advance();
        if !self.at(TokenKind::OpenAngle) {
            return Err(self.expected("`<` and the layout in quotes, as in `!cute.layout<\"(8,64):(64,1)\">`"));
        }
        let open = self.enter()?;
        let mut pointer = Pointer { bits: None, swizzle: None };
        if matches!(self.token.kind, TokenKind::OpenRound | TokenKind::Number) {
            let example = format!("`{word}<\"(8,64):(64,1)\">`");
            return Err(self.expected("a layout in quotes").with_help(format!("write {example}")));
        }
        let memory = !self.at(TokenKind::Text);
        if memory {
            self.pointer_items(TokenKind::Text, &mut pointer)?;
        }
        if !self.at(TokenKind::Text) {
            return Err(self.expected("a layout in quotes, as in `!cute.layout<\"(8,64):(64,1)\">`"));
        }
        let layout = self.quoted_part(is_tile)?;
        self.spelled(Dialect::CuteDsl);
        // Tensors of coordinates have their origin first.
        if self.at(TokenKind::Comma) && start.of(self.text()) == "!cute.coord_tensor" {
            self.advance();
            if !self.at(TokenKind::Text) {
                return Err(self.expected("the layout in quotes after the origin"));
            }
            let tensor = self.quoted_part(false)?;
            self.leave(open, TokenKind::CloseAngle, "`>` after the quotes")?;
            return shifted(tensor, layout, self.since(start));
        }
        self.leave(open, TokenKind::CloseAngle, "`>` after the quotes")?;
        self.pointed(pointer, layout, self.since(start))
    }

    /// What stands in the quotes at hand: a tile, or an expression.
    pub(super) fn quoted_part(&mut self, is_tile: bool) -> Result<Expr> {
        let quotes = self.token.span;
        let mut inner = self.within(quotes.start.saturating_add(1), quotes.end.saturating_sub(1));
        let tree = if is_tile { inner.dsl_tile()? } else { inner.expression()? };
        if !inner.at(TokenKind::End) {
            return Err(inner.expected("an operator or the closing quote"));
        }
        self.left(inner);
        self.advance();
        Ok(tree)
    }

    /// `[128:1;64:1]`, modes of a tiler; one mode may stand alone.
    fn dsl_tile(&mut self) -> Result<Expr> {
        let start = self.token.span;
        if !self.at(TokenKind::OpenSquare) {
            return self.expression();
        }
        let open = self.enter()?;
        let mut modes = Vec::new();
        while !self.at(TokenKind::CloseSquare) {
            modes.push(self.expression()?);
            if !self.eat(TokenKind::Semicolon) && !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.leave(open, TokenKind::CloseSquare, "`;` or `]` after a mode of the tile")?;
        Ok(Expr::new(ExprKind::Tiler(modes), self.since(start)))
    }

    /// `<f16, smem, align<1024>, S<3,4,3>>` after `ptr`
    fn dsl_pointer(&mut self) -> Result<Pointer> {
        let mut pointer = Pointer { bits: None, swizzle: None };
        if !self.at(TokenKind::OpenAngle) {
            return Err(self.expected("`<` and the type of the elements"));
        }
        let open = self.enter()?;
        self.pointer_items(TokenKind::CloseAngle, &mut pointer)?;
        self.leave(open, TokenKind::CloseAngle, "`,` or `>`")?;
        Ok(pointer)
    }

    /// `f16, smem, align<1024>, S<3,4,3>`, up to `close`.
    fn pointer_items(&mut self, close: TokenKind, pointer: &mut Pointer) -> Result<()> {
        while !self.at(close) {
            let span = self.token.span;
            let word = span.of(self.text());
            self.require(
                TokenKind::Word,
                "a type of elements, a memory, `align<…>`, a swizzle `S<…>` or a layout in quotes",
            )?;
            match word {
                "S" | "Sw" => pointer.swizzle = Some(self.swizzle(span)?),
                "align" => {
                    let open = self.enter()?;
                    self.integer("the alignment in bytes")?;
                    self.leave(open, TokenKind::CloseAngle, "`>` after the alignment")?;
                }
                _ => pointer.bits = pointer.bits.or_else(|| element_bits(word)),
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(())
    }

    /// `0x00007f4b22000000`
    fn address(&mut self) -> Result<()> {
        let is_hex = self.at(TokenKind::Number) && self.text_from(self.token.span).starts_with("0x");
        if !is_hex {
            return Err(self.expected("an address such as 0x7f00, or `ptr<f16, gmem>`"));
        }
        self.advance();
        self.advance();
        Ok(())
    }

    /// A layout behind a pointer, which may swizzle the bytes of its elements.
    fn pointed(&self, pointer: Pointer, layout: Expr, span: Span) -> Result<Expr> {
        let Some(swizzle) = pointer.swizzle else { return Ok(Expr::new(layout.kind, span)) };
        let Some(bits) = pointer.bits else {
            let message = "the pointer swizzles bytes, and does not say how many bits an element has";
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, swizzle.span, message)
                .with_help("name the type first: `ptr<f16, smem, align<1024>, S<3,4,3>>`"));
        };
        let bytes = Expr::new(ExprKind::Bytes(bits), swizzle.span);
        Ok(Expr::new(composed(vec![swizzle, bytes, layout]), span))
    }
}

/// The bits of an element by the name of its type in MLIR or in CuTe DSL: `f16`, `bf16`, `tf32`, `f8E4M3FN`, `Float16`, `i4`.
///
/// ```
/// use bitstride::notation::element_bits;
/// assert_eq!(["f16", "Float8E4M3FN", "half"].map(element_bits), [Some(16), Some(8), None]);
/// ```
pub fn element_bits(name: &str) -> Option<i64> {
    type_names::bits(name, type_names::MLIR).or_else(|| type_names::bits(name, type_names::DSL))
}
