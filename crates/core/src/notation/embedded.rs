//! Operands with a grammar of their own: types of MLIR, shapes of XLA, shardings, affine maps, index code, verdicts.
//!
//! Another reader of this crate reads each from the text at hand and says how long it is; errors keep their place in the whole text.

use super::cursor::{Cursor, Result, closed};
use super::dialects::{Dialect, is_strided_memref, sharded_type};
use super::element_type::is_xla_type;
use super::{Expr, ExprKind, Name, ShapedKind, Span, SyntaxError, XlaText, code};
use crate::index::{Affine, Expression};
use crate::xla::mosaic::read_memref;
use crate::xla::{read_bare, read_shape};

const BARE_LAYOUT: &str = "a layout without its array is written {1,0:T(8,128)} by XLA and \
    Layout(major_to_minor=(0, 1), tiling=((8, 128),)) by JAX; a layout of CuTe is written (4,2):(2,1)";

/// How types of compilers begin, which are no names of a dump.
const DIALECTS: [&str; 7] = ["!ttg", "!tt", "!ttng", "!triton_gpu", "!cute", "!cute_nvgpu", "!tpu"];

impl Cursor<'_> {
    /// Whether `(d0, d1) -> (` is at hand, an affine map without the word before it.
    pub(super) fn is_bare_affine(&self) -> bool {
        let inner = self.text_after(self.token.span);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ',' || c.is_whitespace();
        let behind = inner.trim_start_matches(is_name).strip_prefix(')').unwrap_or_default().trim_start();
        let result = behind.strip_prefix("->").unwrap_or_default().trim_start();
        inner.trim_start().starts_with(|c: char| c.is_ascii_alphabetic()) && result.starts_with('(')
    }

    /// An affine map of MLIR.
    pub(super) fn affine(&mut self, start: Span) -> Result<Expr> {
        let (affine, length) =
            Affine::read_start(self.text_from(start)).map_err(|error| SyntaxError::within(&error, start))?;
        self.read_elsewhere(ExprKind::Affine(Box::new(affine)), start, length)
    }

    /// An index expression, where the name and what follows it begin ranges.
    pub(super) fn index_expression(&mut self, word: &str, start: Span) -> Result<Expr> {
        let read = Expression::read_start(self.text_from(start)).map_err(|error| SyntaxError::within(&error, start))?;
        match read {
            Some((expression, length)) => self.read_elsewhere(ExprKind::Index(Box::new(expression)), start, length),
            None => self.named(word, start),
        }
    }

    /// Index code that begins with the range of an index of CUDA; such an index alone has no value.
    pub(super) fn thread_index(&mut self, start: Span) -> Result<Expr> {
        let read = Expression::read_start(self.text_from(start)).map_err(|error| SyntaxError::within(&error, start))?;
        if let Some((expression, length)) = read {
            return self.read_elsewhere(ExprKind::Index(Box::new(expression)), start, length);
        }
        self.advance();
        let span = start.join(self.token.span);
        let message = format!("`{}` is known when the program runs", span.of(self.text()));
        Err(SyntaxError::new(code::UNKNOWN_NAME, span, message).with_help(
            "index code begins with the range of each variable: `threadIdx.x<128, i<4: (threadIdx.x / 8) * 32 + i`",
        ))
    }

    /// A tensor over devices, whose sharding is read in its own grammar: up to the bracket that closes the call, and the mesh
    /// that PyTorch prints behind `Spec(…)`.
    pub(super) fn shard(&mut self, word: &str, start: Span) -> Result<Expr> {
        let text = Span::new(start.start, self.text().len()).of(self.text());
        let Some(mut length) = closed(text) else {
            let message = format!("this `{word}(` is never closed: expected `)` before the end of the text");
            return Err(SyntaxError::new(code::UNBALANCED, start, message));
        };
        let behind = text.get(length..).unwrap_or_default();
        if word == "Spec" && ["on DeviceMesh", "@ mesh:"].iter().any(|mesh| behind.trim_start().starts_with(mesh)) {
            length = length.saturating_add(closed(behind).unwrap_or(0));
        }
        match word {
            "shard" => {}
            "NamedSharding" | "ShapeDtypeStruct" => self.spelled(Dialect::Jax),
            _ => self.spelled(Dialect::Torch),
        }
        if let Some(sharded) = text.strip_prefix("shard(").and_then(sharded_type) {
            let at = start.start.saturating_add("shard(".len());
            sharded.check_shared(Span::new(at, at))?;
            let (plain, spec) = (sharded.plain, sharded.spec);
            let rest = text.get("shard(".len() + sharded.length..length).unwrap_or_default();
            self.spelled(Dialect::Jax);
            return self.read_elsewhere(ExprKind::Shard(format!("shard({plain}, {spec}{rest}")), start, length);
        }
        let print = text.get(..length).unwrap_or_default();
        let is_of_jax = |(at, _): (usize, &str)| !print.get(..at).is_some_and(|before| before.ends_with("Device"));
        let by_sizes =
            ["DeviceMesh((", "AbstractMesh((", "Mesh(axis_sizes=", "make_mesh(", "device_mesh(", "devices()"];
        let is_by_sizes =
            by_sizes.iter().any(|made| print.contains(made)) || print.match_indices("Mesh('").any(is_of_jax);
        if is_by_sizes && !print.contains("devices=[") {
            self.remark("the devices of a mesh that is given by its sizes are in order here");
        }
        if print.contains("SdyArray(") && !print.contains("unreduced_axes=") {
            self.remark(
                "JAX before 0.11 does not print `unreduced` axes of `SdyArray`: devices along axes that it does not name hold copies here",
            );
        }
        let kind = ExprKind::Shard(Span::new(0, length).of(text).to_owned());
        self.read_elsewhere(kind, start, length)
    }

    /// What a verdict says in words, up to the end of the text.
    pub(super) fn verdict(&mut self, start: Span) -> Result<Expr> {
        let words = Span::new(self.token.span.end, self.text().len()).of(self.text()).trim().to_owned();
        let length = self.text().len().saturating_sub(start.start);
        self.read_elsewhere(ExprKind::Verdict(words), start, length)
    }

    /// A shape of XLA, which has a grammar of its own.
    pub(super) fn xla(&mut self, start: Span) -> Result<Expr> {
        let (shape, length, folded) =
            read_shape(self.text_from(start), true).map_err(|error| SyntaxError::within(&error, start))?;
        let text = Box::new(XlaText { shape, folded });
        self.read_elsewhere(ExprKind::Xla(text), start, length)
    }

    /// An array as Mosaic writes it, or a buffer as MLIR does, whose layout is no attribute of Mosaic.
    pub(super) fn memref(&mut self, start: Span) -> Result<Expr> {
        if is_strided_memref(self.text_from(start)) {
            return self.strided_memref(start);
        }
        let (memref, length) =
            read_memref(self.text_from(start)).map_err(|error| SyntaxError::within(&error, start))?;
        self.read_elsewhere(ExprKind::MemRef(Box::new(memref)), start, length)
    }

    /// Whether `{mhlo.layout_mode = …}` or the like is at hand.
    pub(super) fn is_attribute_list(&self) -> bool {
        let inside = self.text_after(self.token.span).trim_start();
        ["mhlo.layout_mode", "xla_shape", "operand_layouts", "result_layouts"]
            .iter()
            .any(|name| inside.starts_with(name))
    }

    /// A layout of XLA or JAX without its array.
    pub(super) fn bare_layout(&mut self, start: Span) -> Result<Expr> {
        let (layout, length) = read_bare(self.text_from(start)).map_err(|error| {
            let within = SyntaxError::within(&error, start);
            match within.help {
                None => within.with_help(BARE_LAYOUT),
                Some(_) => within,
            }
        })?;
        self.read_elsewhere(ExprKind::BareLayout(Box::new(layout)), start, length)
    }

    /// What begins with `#` or `!`: an attribute, or the type of a piece of memory.
    pub(super) fn mlir(&mut self) -> Result<Expr> {
        let span = self.token.span;
        // A line that gives a type a name, as those at the head of a dump do.
        if self.open.is_empty() && !span.of(self.text()).contains('.') {
            let behind = self.text_after(span).trim_start().strip_prefix('=').unwrap_or_default();
            if behind.trim_start().starts_with("!cute") {
                self.advance();
                self.advance();
                let mut tree = self.mlir()?;
                tree.span = span.join(tree.span);
                return Ok(tree);
            }
        }
        if self.is_dsl_atom() {
            return self.dsl_atom_type();
        }
        if span.of(self.text()).starts_with("!cute.") {
            return self.cute_type();
        }
        if matches!(span.of(self.text()), "#tpu.vpad" | "#tpu.tiled") {
            return self.bare_layout(span);
        }
        let memory = match span.of(self.text()) {
            "!ttg.memdesc" => Some((ShapedKind::Memory, false)),
            "!tt.memdesc" | "!triton_gpu.memdesc" => Some((ShapedKind::Memory, true)),
            "!tt.tensordesc" => Some((ShapedKind::Descriptor, false)),
            _ => None,
        };
        if let Some((kind, older)) = memory {
            self.advance();
            return self.shaped_type(kind, older, span);
        }
        if span.of(self.text()).starts_with('!') {
            // What a dump gave a name, perhaps with a part of it.
            let (name, part) = span.of(self.text()).split_once('.').unwrap_or((span.of(self.text()), ""));
            let is_dialect = !part.is_empty() && DIALECTS.contains(&name);
            if !is_dialect && !self.text_after(span).starts_with('<') {
                let at = Span::new(span.start, span.start.saturating_add(name.trim_end().len()));
                let name = Name { text: name.trim_end().to_owned(), span: at };
                self.skip_to(at.end);
                return Ok(Expr::new(ExprKind::Name(name), at));
            }
            return Err(self
                .expected("a tensor type, `!ttg.memdesc<…>` or `!tt.tensordesc<…>`")
                .with_help("of the types, those have a layout: `tensor<128x64xf16, #ttg.blocked<{…}>>`"));
        }
        let attribute = Box::new(self.attribute()?);
        Ok(Expr::new(ExprKind::Attribute(attribute), Span::new(span.start, self.consumed)))
    }

    pub(super) fn shaped_type(&mut self, kind: ShapedKind, older: bool, start: Span) -> Result<Expr> {
        let shaped = Box::new(self.shaped(kind, older)?);
        Ok(Expr::new(ExprKind::Shaped(shaped), Span::new(start.start, self.consumed)))
    }

    /// Whether an array is in the brackets after `b`, so that it is a buffer of XLA and no call of a value that is named so.
    pub(super) fn is_buffer(&self) -> bool {
        let inside = self.text_from(self.token.span).trim_start_matches(|c: char| c == '(' || c.is_whitespace());
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
        let (word, after) = inside.split_at_checked(end).unwrap_or_default();
        is_xla_type(word) && after.trim_start().starts_with('[')
    }

    /// The leaf that another reader made of a given number of bytes.
    pub(super) fn read_elsewhere(&mut self, kind: ExprKind, start: Span, length: usize) -> Result<Expr> {
        self.skip_to(start.start.saturating_add(length));
        self.leaf(kind, Span::new(start.start, self.consumed))
    }
}
