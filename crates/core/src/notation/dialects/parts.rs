//! CuTe C++ and CuTe DSL: what layouts, instructions and copies of them over a tile have, asked as a member or a property, and what
//! one thread has of them.
//!
//! | text | reads as |
//! |---|---|
//! | `X.A`, `mma.get_layoutA_TV()`, `mma.tv_layout_A_tiled` | `part(X, A)` |
//! | `mma.thr_id`, `mma.shape_mnk`, `mma.tv_layout_A`, `copy.layout_src_tv` | `part(part(X, atom), ThrID)` and so on: of one instruction |
//! | `mma.get_tile_size(0)`, `mma.partition_shape_A((128,64))` | `get[0](part(X, tile))`, `partition_shape_A(X, (128,64))` |
//! | `mma.get_slice(5).partition_A(tensor)` | `partition_A(X, tensor, 5)` |
//! | `layout.inner`, `layout.outer` of a swizzled layout | `get_swizzle_portion(X)`, `get_nonswizzle_portion(X)` |
//! | `tensor.layout` | the layout |
//! | `layout.get_hier_coord(9)`, `get_flat_coord` | `coordinate_at(X, 9)` |
//! | `layout[1]`, `shape[0]` | `get[1](X)` |

use super::Dialect;
use super::build::call;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Name, Span};

/// What the parts of an instruction, and of copies of it over a tile, are called.
const PARTS: [&str; 23] = [
    "A",
    "B",
    "C",
    "E",
    "SFA",
    "SFB",
    "S",
    "D",
    "ThrID",
    "Shape_MNK",
    "Src",
    "Dst",
    "Ref",
    "TV",
    "thr_layout_vmnk",
    "atom",
    "atoms",
    "permutation",
    "tile",
    "tiler",
    "bits",
    "MajorA",
    "MajorB",
];

/// What CuTe C++ calls the layouts of copies over a tile, and the part that each is.
const LAYOUTS: [(&str, &str); 7] = [
    ("get_layoutA_TV", "A"),
    ("get_layoutB_TV", "B"),
    ("get_layoutC_TV", "C"),
    ("get_layoutS_TV", "S"),
    ("get_layoutD_TV", "D"),
    ("get_thr_layout_vmnk", "thr_layout_vmnk"),
    ("tile_size_mnk", "tile"),
];

/// Methods that give what one thread has of copies over a tile.
const SLICES: [&str; 2] = ["get_slice", "get_thread_slice"];

/// What is asked of a thread's slice, and the operation that answers; whether that takes the thread.
const OF_A_THREAD: [(&str, &str, bool); 11] = [
    ("partition_A", "partition_A", true),
    ("partition_B", "partition_B", true),
    ("partition_C", "partition_C", true),
    ("partition_S", "partition_S", true),
    ("partition_D", "partition_D", true),
    ("partition_fragment_A", "partition_fragment_A", false),
    ("partition_fragment_B", "partition_fragment_B", false),
    ("partition_fragment_C", "partition_fragment_C", false),
    ("retile", "retile", false),
    ("retile_S", "retile", false),
    ("retile_D", "retile", false),
];

/// What CuTe DSL calls the parts, and which they are, one of the other.
const PROPERTIES: [(&str, &[&str]); 15] = [
    ("thr_id", &["atom", "ThrID"]),
    ("shape_mnk", &["atom", "Shape_MNK"]),
    ("tv_layout_A", &["atom", "A"]),
    ("tv_layout_B", &["atom", "B"]),
    ("tv_layout_C", &["atom", "C"]),
    ("tv_layout_A_tiled", &["A"]),
    ("tv_layout_B_tiled", &["B"]),
    ("tv_layout_C_tiled", &["C"]),
    ("permutation_mnk", &["permutation"]),
    ("layout_src_tv", &["atom", "Src"]),
    ("layout_dst_tv", &["atom", "Dst"]),
    ("layout_tv_tiled", &["TV"]),
    ("layout_src_tv_tiled", &["S"]),
    ("layout_dst_tv_tiled", &["D"]),
    ("tiler_mn", &["tiler"]),
];

/// What is asked of a layout, and the operation that answers.
const OF_A_LAYOUT: [(&str, &str); 2] = [("inner", "get_swizzle_portion"), ("outer", "get_nonswizzle_portion")];

/// What is asked with one argument, and the operation that answers.
const WITH_ARGUMENT: [(&str, &str); 5] = [
    ("partition_shape_A", "partition_shape_A"),
    ("partition_shape_B", "partition_shape_B"),
    ("partition_shape_C", "partition_shape_C"),
    ("get_hier_coord", "coordinate_at"),
    ("get_flat_coord", "coordinate_at"),
];

/// Whether a word behind a dot asks for one of these.
pub(super) fn is_part(name: &str) -> bool {
    let pairs = LAYOUTS.iter().chain(&OF_A_LAYOUT).chain(&WITH_ARGUMENT);
    PARTS.contains(&name)
        || SLICES.contains(&name)
        || matches!(name, "layout" | "get_tile_size")
        || PROPERTIES.iter().any(|(property, _)| *property == name)
        || pairs.into_iter().any(|(known, _)| *known == name)
        || OF_A_THREAD.iter().any(|(method, ..)| *method == name)
}

impl Cursor<'_> {
    /// The answer to a word of which [`is_part`] holds, and which is at hand.
    pub(super) fn part(&mut self, receiver: Expr, name: &str, span: Span) -> Result<Expr> {
        if let Some((_, part)) = LAYOUTS.iter().find(|(layout, _)| *layout == name) {
            return self.layout_of_tiled(receiver, part, span);
        }
        if SLICES.contains(&name) {
            return self.partitioned(receiver, span);
        }
        if OF_A_THREAD.iter().any(|(method, ..)| *method == name) {
            self.spelled(if self.dialects.contains(&Dialect::CuteDsl) { Dialect::CuteDsl } else { Dialect::CuteCpp });
            return self.of_a_thread(receiver, None);
        }
        self.advance();
        let start = receiver.span;
        if PARTS.contains(&name) {
            let part = self.named(name, span)?;
            let whole = self.since(start);
            self.check_depth(&receiver, whole)?;
            return Ok(call("part", span, vec![receiver, part], whole));
        }
        self.spelled_of_cute();
        if name == "layout" {
            if self.eat(TokenKind::OpenRound) {
                self.require(TokenKind::CloseRound, "`)`: it takes no arguments")?;
            }
            return Ok(Expr::new(receiver.kind, self.since(start)));
        }
        if let Some((_, path)) = PROPERTIES.iter().find(|(property, _)| *property == name) {
            let whole = self.since(start);
            let mut part = receiver;
            for step in *path {
                self.check_depth(&part, whole)?;
                let step = self.named_alone(step, span)?;
                part = call("part", span, vec![part, step], whole);
            }
            return Ok(part);
        }
        if let Some((_, operation)) = OF_A_LAYOUT.iter().find(|(asked, _)| *asked == name) {
            let whole = self.since(start);
            self.check_depth(&receiver, whole)?;
            return Ok(call(operation, span, vec![receiver], whole));
        }
        let argument = self.bracketed("one argument")?;
        let whole = self.since(start);
        self.check_depth(&receiver, whole)?;
        match WITH_ARGUMENT.iter().find(|(asked, _)| *asked == name) {
            Some((_, operation)) => {
                let of = |operation: &str, arguments: Vec<Expr>| call(operation, span, arguments, whole);
                let found = of(operation, vec![receiver.clone(), argument]);
                if name != "get_flat_coord" {
                    return Ok(found);
                }
                // Of each mode the number alone.
                self.check_depth(&found, whole)?;
                let shape = of("shape", vec![receiver]);
                let flat = of("product_each", vec![shape.clone()]);
                Ok(of("crd2crd", vec![found, shape, flat]))
            }
            None => {
                let tile = self.named_alone("tile", span)?;
                let tile = call("part", span, vec![receiver, tile], whole);
                self.check_depth(&tile, whole)?;
                Ok(entry(tile, vec![argument], whole))
            }
        }
    }

    /// `[1]` behind a layout, a shape or another tuple, the bracket at hand.
    pub(super) fn entry_of(&mut self, receiver: Expr) -> Result<Expr> {
        let start = receiver.span;
        let open = self.enter()?;
        let at = self.token.span;
        let number = self.integer("the number of a mode")?;
        let place = self.leaf(ExprKind::Static(number), self.since(at))?;
        self.leave(open, TokenKind::CloseSquare, "`]` after the number of a mode")?;
        let whole = self.since(start);
        self.check_depth(&receiver, whole)?;
        self.spelled_of_cute();
        // `make_layout_tv` gives the tile and the layout; the operation that it reads as has modes.
        if let ExprKind::Call { name, arguments, .. } = &receiver.kind
            && let ("tv", [layout, tile]) = (name.text.as_str(), arguments.as_slice())
            && name.span.of(self.text()).ends_with("make_layout_tv")
            && let Some(part) = [tile, layout].get(usize::try_from(number).unwrap_or(usize::MAX))
        {
            return Ok(Expr::new(part.kind.clone(), whole));
        }
        Ok(entry(receiver, vec![place], whole))
    }

    /// Says that CuTe was written: C++ where the text has more of it, else the DSL.
    fn spelled_of_cute(&mut self) {
        let is_cpp = self.dialects.contains(&Dialect::CuteCpp) && !self.dialects.contains(&Dialect::CuteDsl);
        self.spelled(if is_cpp { Dialect::CuteCpp } else { Dialect::CuteDsl });
    }

    /// `.get_layoutA_TV()` of copies over a tile.
    fn layout_of_tiled(&mut self, receiver: Expr, part: &str, span: Span) -> Result<Expr> {
        self.advance();
        let start = receiver.span;
        self.require(TokenKind::OpenRound, "`()`")?;
        self.require(TokenKind::CloseRound, "`)`: it takes no arguments")?;
        self.spelled(Dialect::CuteCpp);
        let part = self.named_alone(part, span)?;
        let whole = self.since(start);
        self.check_depth(&receiver, whole)?;
        Ok(call("part", span, vec![receiver, part], whole))
    }

    /// `.get_slice(5).partition_A(tensor)` of copies over a tile, or `.get_slice(5)` alone, for what follows.
    fn partitioned(&mut self, receiver: Expr, span: Span) -> Result<Expr> {
        self.advance();
        let start = receiver.span;
        let thread = self.bracketed("the number of a thread")?;
        self.spelled(if self.dialects.contains(&Dialect::CuteDsl) { Dialect::CuteDsl } else { Dialect::CuteCpp });
        if !self.eat(TokenKind::Dot) {
            let whole = self.since(start);
            self.check_depth(&receiver, whole)?;
            return Ok(call("get_slice", span, vec![receiver, thread], whole));
        }
        self.of_a_thread(receiver, Some(thread))
    }

    /// `partition_A(tensor)` of a thread, which is that of the slice before it where none is given.
    fn of_a_thread(&mut self, receiver: Expr, thread: Option<Expr>) -> Result<Expr> {
        let start = receiver.span;
        let asked = self.token.span;
        let name = asked.of(self.text());
        let Some((_, operation, takes_thread)) = OF_A_THREAD.iter().find(|(method, ..)| *method == name) else {
            let names: Vec<&str> = OF_A_THREAD.iter().map(|(method, ..)| *method).collect();
            return Err(self.expected(&format!("one of {}", names.join(", "))));
        };
        self.advance();
        let tensor = self.bracketed("a tensor")?;
        let whole = self.since(start);
        self.check_depth(&receiver, whole)?;
        let mut arguments = vec![receiver, tensor];
        arguments.extend(thread.filter(|_| *takes_thread));
        Ok(call(operation, asked, arguments, whole))
    }
}

/// `get[modes](X)`
pub(in crate::notation) fn entry(of: Expr, modes: Vec<Expr>, whole: Span) -> Expr {
    let name = Name { text: "get".to_owned(), span: whole };
    Expr::new(ExprKind::Call { name, modes: Some(modes), arguments: vec![of] }, whole)
}
