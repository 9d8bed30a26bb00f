//! CUTLASS in C++: the helpers that choose an atom of shared memory, and those that lay out the scale factors of block-scaled types.
//!
//! | text | reads as |
//! |---|---|
//! | `ss_smem_selector<GMMA::Major::K, half_t, _128, _64>()`, `sm100_smem_selector<…>()` | `Sw<3,4,3> o bytes[16] o (8,64):(64,1)` |
//! | `Sm1xxBlockScaledConfig<16>::SfAtom`, `Sm1xxBlockScaledBasicChunk<16>::SfKMajorAtom` | `((32,4),(16,4)):((16,4),(0,1))` |
//! | `Sm1xxBlockScaledConfig<16>::tile_atom_to_shape_SFA(make_shape(M,N,K,L))`, `…_SFB(…)` | `tile_atom_to_shape_SF((M,K,L), 16)` |

use super::Dialect;
use super::build::{call, pair};
use super::smem::SmemKind;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

impl Cursor<'_> {
    /// A helper whose template arguments are at hand; `None` where the word is none.
    pub(super) fn cpp_helper(&mut self, word: &str, start: Span) -> Result<Option<Expr>> {
        match word {
            "ss_smem_selector" | "sm100_smem_selector" => self.smem_selector(word, start).map(Some),
            "Sm1xxBlockScaledConfig" | "Sm1xxBlockScaledBasicChunk" => self.block_scaled(word, start).map(Some),
            _ => Ok(None),
        }
    }

    /// `<GMMA::Major::K, half_t, _128, _64>()`: the atom of the widest swizzle for which the contiguous extent has room.
    fn smem_selector(&mut self, word: &str, start: Span) -> Result<Expr> {
        let wrong = |span: Span, message: String| SyntaxError::new(code::BAD_SIZE, span, message);
        let open = self.enter()?;
        let is_k = self.cpp_major()?;
        self.require(TokenKind::Comma, "`,` and the type of the elements")?;
        let (bits, _) = self.cpp_element_bits()?;
        let mut extents = [0; 2];
        for extent in &mut extents {
            self.require(TokenKind::Comma, "`,` and the extents along MN and K, as in `_128, _64`")?;
            let given = self.cpp_type()?;
            *extent = match given.kind {
                ExprKind::Static(extent @ 1..) if extent % 8 == 0 => extent,
                _ => return Err(wrong(given.span, format!("{word} takes extents that are numbers, multiples of 8"))),
            };
        }
        self.leave(open, TokenKind::CloseAngle, "`>` after the extents")?;
        self.default_made();
        self.spelled(Dialect::CuteCpp);
        let span = self.since(start);
        let [mn, k] = extents;
        let contiguous = if is_k { k } else { mn };
        let row = contiguous.checked_mul(bits);
        // Words of 32 bits along MN have one swizzle on Blackwell.
        let kind = if word == "sm100_smem_selector" && !is_k && bits == 32 {
            row.filter(|row| row % 1024 == 0).and_then(|_| SmemKind::of_cpp("MN_SW128_32B"))
        } else {
            row.and_then(|row| SmemKind::widest(is_k, row))
        };
        let kind = kind.ok_or_else(|| {
            wrong(
                span,
                format!("no atom of {word} has rows of which {contiguous} elements of {bits} bits are a multiple"),
            )
        })?;
        for _ in 0..4 {
            self.count_leaf(span)?;
        }
        Ok(kind.atom(bits, span))
    }

    /// `GMMA::Major::K`, `UMMA::Major::MN`: whether K is contiguous.
    fn cpp_major(&mut self) -> Result<bool> {
        const MAJOR: &str = "`GMMA::Major::K` or `GMMA::Major::MN`";
        self.namespaces();
        if self.token.span.of(self.text()) == "Major" {
            self.advance();
            self.require(TokenKind::Scope, MAJOR)?;
        }
        let is_k = match self.token.span.of(self.text()) {
            "K" => true,
            "MN" => false,
            _ => return Err(self.expected(MAJOR)),
        };
        self.advance();
        Ok(is_k)
    }

    /// `<16>::SfAtom`, `<16>::tile_atom_to_shape_SFA(make_shape(M,N,K,L))`
    fn block_scaled(&mut self, word: &str, start: Span) -> Result<Expr> {
        const MEMBERS: &str = "`::SfAtom`, `::tile_atom_to_shape_SFA(…)` or `::tile_atom_to_shape_SFB(…)`";
        let name = Span::new(start.start, self.consumed);
        let open = self.enter()?;
        let elements = self.cpp_type()?;
        self.leave(open, TokenKind::CloseAngle, "`>` after how many elements have one scale")?;
        let rest = self.text_from(self.token.span);
        let member = rest.strip_prefix("::").map(str::trim_start).map(crate::text::word).unwrap_or_default().to_owned();
        let behind = rest.split_once(member.as_str()).map_or(0, |(_, behind)| behind.len());
        if member.is_empty() {
            return Err(self.expected(&format!("{MEMBERS} behind `{word}<16>`")));
        }
        let at = self.text().len().saturating_sub(behind);
        let of_tensor = match member.as_str() {
            "SfAtom" | "SfKMajorAtom" => None,
            "tile_atom_to_shape_SFA" => Some(0),
            "tile_atom_to_shape_SFB" => Some(1),
            _ => return Err(self.expected(&format!("{MEMBERS} behind `{word}<16>`"))),
        };
        self.skip_to(at);
        self.spelled(Dialect::CuteCpp);
        let Some(rows) = of_tensor else {
            self.default_made();
            return self.block_of_scales(elements, true, self.since(start));
        };
        let mut arguments = self.list(TokenKind::CloseRound)?;
        let span = self.since(start);
        arguments.truncate(1);
        let shape = match arguments.pop().map(|shape| shape.kind) {
            Some(ExprKind::Tuple(extents)) if matches!(extents.len(), 3 | 4) => extents,
            _ => {
                let message = format!("{member} takes the extents of the problem, as in `make_shape(M,N,K,L)`");
                return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, message));
            }
        };
        let kept =
            shape.into_iter().enumerate().filter(|(mode, _)| *mode == rows || *mode > 1).map(|(_, extent)| extent);
        let tensor = Expr::new(ExprKind::Tuple(kept.collect()), span);
        Ok(call("tile_atom_to_shape_SF", name, vec![tensor, elements], span))
    }

    /// The block of scale factors of 128 rows by four scales, each for some elements; along K it is the rows first.
    pub(super) fn block_of_scales(&mut self, elements: Expr, is_k: bool, span: Span) -> Result<Expr> {
        let number = |n: i64| Expr::new(ExprKind::Static(n), span);
        let tuple = |entries: Vec<Expr>| Expr::new(ExprKind::Tuple(entries), span);
        for _ in 0..8 {
            self.count_leaf(span)?;
        }
        let rows = tuple(vec![number(32), number(4)]);
        let row_steps = tuple(vec![number(16), number(4)]);
        let (mut shape, mut stride) =
            (vec![rows, tuple(vec![elements, number(4)])], vec![row_steps, tuple(vec![number(0), number(1)])]);
        if !is_k {
            shape.reverse();
            stride.reverse();
        }
        Ok(pair(tuple(shape), tuple(stride), span))
    }
}
