//! CuTe C++ and CuTe DSL: what they print of tiled copies and of instructions, line by line.
//!
//! | text | reads as |
//! |---|---|
//! | `Tiled Copy`, `Tiler MN: (16:1,64:1)`, `TV Layout tiled: L`, as the DSL prints | `tv(L, (16,64))` |
//! | `TiledCopy`, `Tiler_MN: (_16,_64)`, `TiledLayout_TV: L`, as C++ prints | `tv(L, (16,64))` |
//! | `Tiled MMA`, `Thr Layout VMNK: …`, …, `TV Layout C: …`, or `MMA Atom` alone | `mma_of_layouts((16,8,16), threads, A, B, C, …)` |
//! | `Copy Atom` | refused: the print has layouts, and not the name of the instruction |

use super::Dialect;
use super::build::call;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// How prints begin that name no instruction.
const NAMELESS: [&[&str]; 2] = [&["Copy", "Atom", "ThrID"], &["Copy_Atom", "ThrID"]];

/// The words before a part of a print.
type Words = &'static [&'static str];

/// The words before each part of a print of a matrix instruction, after those that may come first where there are copies of it: the
/// threads of all, the permutations of the tile, the threads of one, its extents, A, B and C.
const PRODUCTS: [(Dialect, [Words; 2], [Words; 5]); 2] = [
    (
        Dialect::CuteDsl,
        [&["Tiled", "MMA", "Thr", "Layout", "VMNK"], &["Permutation", "MNK"]],
        [
            &["MMA", "Atom", "ThrID"],
            &["Shape", "MNK"],
            &["TV", "Layout", "A"],
            &["TV", "Layout", "B"],
            &["TV", "Layout", "C"],
        ],
    ),
    (
        Dialect::CuteCpp,
        [&["TiledMMA", "ThrLayoutVMNK"], &["PermutationMNK"]],
        [&["MMA_Atom", "ThrID"], &["Shape_MNK"], &["LayoutA_TV"], &["LayoutB_TV"], &["LayoutC_TV"]],
    ),
];

/// The words before the tile and before the layout of threads and values, as C++ and as the DSL print them.
const COPIES: [(Dialect, &[&str], &[&str]); 2] = [
    (Dialect::CuteDsl, &["Tiled", "Copy", "Tiler", "MN"], &["TV", "Layout", "tiled"]),
    (Dialect::CuteCpp, &["TiledCopy", "Tiler_MN"], &["TiledLayout_TV"]),
];

impl Cursor<'_> {
    /// What such a print says; `None` where the text is none.
    pub(in crate::notation) fn printed_copy(&mut self) -> Result<Option<Expr>> {
        let start = self.token.span;
        if NAMELESS.iter().any(|words| self.begins_with(words)) {
            let message = "this print has the layouts of an instruction, and not its name";
            return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, start, message).with_help(
                "write one of its layouts, as in `(32,8):(8,1)`, or ask `which_atom((32,8):(8,1))` for the instructions that hold an operand so",
            ));
        }
        for (dialect, of_copies, of_one) in &PRODUCTS {
            let has_copies = self.begins_with(of_copies[0]);
            if has_copies || self.begins_with(of_one[0]) {
                return self.printed_product(*dialect, has_copies.then_some(of_copies), of_one).map(Some);
            }
        }
        let Some((dialect, before_tile, before_layout)) = COPIES.iter().find(|(_, words, _)| self.begins_with(words))
        else {
            return Ok(None);
        };
        self.labelled(before_tile)?;
        let tile = self.expression()?;
        let tile = extents(&tile).ok_or_else(|| {
            let message = "the tile of this copy takes rows or columns that are no neighbours";
            SyntaxError::new(code::UNEXPECTED_TOKEN, tile.span, message)
                .with_help("write the layout of threads and values alone: it counts within the tile")
        })?;
        self.labelled(before_layout)?;
        let layout = self.expression()?;
        let end = layout.span.end;
        self.skip_to(self.text().len());
        self.spelled(*dialect);
        self.remark(
            "the threads and values of the tile; the instruction, whose name the print does not have, is left out",
        );
        Ok(Some(call("tv", start, vec![layout, tile], Span::new(start.start, end))))
    }

    /// A print of a matrix instruction, perhaps of copies of it.
    fn printed_product(
        &mut self,
        dialect: Dialect,
        of_copies: Option<&[Words; 2]>,
        of_one: &[Words; 5],
    ) -> Result<Expr> {
        let start = self.token.span;
        let mut of_all = Vec::new();
        for words in of_copies.into_iter().flatten() {
            self.labelled(words)?;
            let mut part = self.expression()?;
            // Of three layouts it is a tiler.
            if let (ExprKind::Tuple(entries), true) = (&mut part.kind, !of_all.is_empty()) {
                part.kind = ExprKind::Tiler(std::mem::take(entries));
            }
            of_all.push(part);
        }
        let mut parts = Vec::new();
        for words in of_one {
            self.labelled(words)?;
            parts.push(self.expression()?);
        }
        parts.swap(0, 1);
        parts.extend(of_all);
        let whole = self.since(start);
        self.skip_to(self.text().len());
        self.spelled(dialect);
        Ok(call("mma_of_layouts", start, parts, whole))
    }

    /// Whether the text goes on with these words.
    fn begins_with(&self, words: &[&str]) -> bool {
        let mut text = self.text_from(self.token.span);
        words.iter().all(|word| {
            let rest = text.trim_start().strip_prefix(word);
            let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            text = rest.unwrap_or_default();
            rest.is_some_and(is_whole)
        })
    }

    /// Steps over the words and the colon before a value.
    fn labelled(&mut self, words: &[&str]) -> Result<()> {
        for word in words {
            if self.token.span.of(self.text()) != *word {
                return Err(self.expected(&format!("`{}:`", words.join(" "))));
            }
            self.advance();
        }
        self.require(TokenKind::Colon, "`:`")
    }
}

/// The extents of a tile each of whose modes is `n` or `n:1`.
fn extents(tile: &Expr) -> Option<Expr> {
    let ExprKind::Tuple(modes) = &tile.kind else { return None };
    let is_one = |stride: &Expr| matches!(stride.kind, ExprKind::Static(1));
    let extent = |mode: &Expr| match &mode.kind {
        ExprKind::Static(_) => Some(mode.clone()),
        ExprKind::Pair { shape, stride } if is_one(stride) && matches!(shape.kind, ExprKind::Static(_)) => {
            Some((**shape).clone())
        }
        _ => None,
    };
    Some(Expr::new(ExprKind::Tuple(modes.iter().map(extent).collect::<Option<_>>()?), tile.span))
}
