//! Readers of what other systems write: their source and what they print.
//!
//! A reader is a small grammar over the tokens of the [`Cursor`]. It is found by the word at hand, needs no flag, and builds
//! the tree that the same text in the notation would have, with spans of the text as it was typed. Because a reader hangs at
//! an operand, a spelling of another system may stand wherever an operand may: `size(Layout<Shape<_8,_64>>{})`.
//!
//! | file | reads |
//! |---|---|
//! | [`cpp`], [`cpp_types`], [`cpp_atoms`] | CuTe C++: constructors and prints, types, types of instructions |
//! | [`dsl`], [`dsl_fragments`], [`dsl_prints`] | CuTe DSL: calls, registers like a layout's, types and prints |
//! | [`dsl_lines`] | CuTe DSL: lines that its compiler dumps |
//! | [`dsl_atoms`], [`dsl_instructions`] | CuTe DSL: types and classes of instructions |
//! | [`atom_calls`] | CuTe DSL and C++: calls that make instructions and tile them |
//! | [`parts`] | CuTe DSL and C++: members and properties of layouts and instructions |
//! | [`printed_copies`] | CuTe DSL and C++: prints of tiled copies |
//! | [`smem`], [`smem_calls`] | CuTe DSL and C++: layouts of shared memory by name, and calls of CuTe DSL that make them |
//! | [`gluon`], [`gluon_classes`], [`gluon_text`] | Gluon: constructors of layouts, read and written |
//! | [`gluon_values`], [`gluon_bases`] | Gluon: arguments, which are values of Python |
//! | [`mlir`], [`mosaic`] | MLIR: memory references with strides, operations on vector registers |
//! | [`mosaic_gpu`] | JAX: registers of Mosaic GPU and Pallas |
//! | [`hlo`], [`stablehlo`], [`jax_types`] | XLA and JAX: instructions, formats and attributes, values with shardings, types of arrays |
//! | [`printed_linear`], [`linear_calls`] | Triton: the print of a linear layout, and calls that make one |
//! | [`triton_python`] | Triton and Gluon: offsets as kernels compute them |
//! | [`python`] | pycute and tensor-layouts: what `repr` prints |
//! | [`assembly`] | PTX, SASS and AMD's assembly: names of instructions |
//! | [`tensors`], [`methods`], [`einops`] | PyTorch, NumPy and einops: tensors by their sizes, methods, patterns |
//!
//! Laws: a text reads as it did before the reader came, if it did. The dialects of a [`Reading`] are those of which a spelling
//! was used. Reading a tree that was written in a dialect gives the tree.

mod arguments;
mod assembly;
mod atom_calls;
mod build;
mod copies;
mod cpp;
mod cpp_atoms;
mod cpp_helpers;
mod cpp_types;
mod dense;
mod derived_views;
mod dsl;
mod dsl_atoms;
mod dsl_fragments;
mod dsl_instructions;
mod dsl_lines;
mod dsl_prints;
mod einops;
mod gluon;
mod gluon_bases;
mod gluon_classes;
mod gluon_text;
mod gluon_values;
mod hlo;
mod indices;
mod jax_types;
mod linear_calls;
mod methods;
mod mlir;
mod mosaic;
mod mosaic_gpu;
mod numpy_types;
mod parts;
pub(in crate::notation) use jax_types::sharded_type;
pub(in crate::notation) use methods::has_entries;
mod printed_copies;
mod printed_linear;
mod python;
mod questions;
mod smem;
mod smem_calls;
mod stablehlo;
mod tensors;
mod triton_python;
mod type_names;

pub use gluon_text::gluon_text;

pub(in crate::notation) use super::dialect::{Dialect, Reading};
pub(in crate::notation) use build::{call, pair};
pub(crate) use cpp::type_bits;
pub(in crate::notation) use cpp_atoms::instruction;
use cpp_atoms::sparse_path;
pub use dsl_prints::element_bits;
pub use einops::{Pattern, Steps};
pub(in crate::notation) use hlo::INSTRUCTION;
pub(in crate::notation) use mlir::is_strided_memref;
pub(in crate::notation) use parts::entry;
pub(in crate::notation) use tensors::printed_tensor;

use crate::notation::MAX_DEPTH;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::{Token, TokenKind};
use crate::notation::{Expr, ExprKind, Name, Span, SyntaxError, code, is_bare_name};

/// Names of functions, types and classes that the readers know, each with whose it is: for the name that was probably meant.
///
/// ```
/// use bitstride::notation::{Dialect, foreign_names};
/// assert!(foreign_names().any(|name| name == ("make_shape", Dialect::CuteCpp)));
/// ```
pub fn foreign_names() -> impl Iterator<Item = (&'static str, Dialect)> {
    let of = |dialect| move |name| (name, dialect);
    (cpp::FUNCTIONS
        .into_iter()
        .chain(["make_tiled_mma", "make_tiled_copy", "make_cotiled_copy"])
        .map(of(Dialect::CuteCpp)))
    .chain(dsl::function_names().chain(atom_calls::function_names()).map(of(Dialect::CuteDsl)))
    .chain(gluon_classes::gluon_classes().map(of(Dialect::Gluon)))
    .chain(["Format", "TiledLayout"].into_iter().map(of(Dialect::Jax)))
    .chain(["Layout", "Swizzle", "ComposedLayout", "Tile", "Tensor"].into_iter().map(of(Dialect::Pycute)))
    .chain(["rearrange", "repeat"].into_iter().map(of(Dialect::Einops)))
}

/// Whether a word begins a declaration of C++, before the name that is declared: `using`, `constexpr`, `int`.
pub fn is_declaration(word: &str) -> bool {
    cpp::DECLARATIONS.contains(&word)
}

/// Where the names of a system live, and what stands behind that.
const NAMESPACES: &[(&str, TokenKind, Dialect)] = &[
    ("cute", TokenKind::Scope, Dialect::CuteCpp),
    ("cutlass", TokenKind::Scope, Dialect::CuteCpp),
    ("std", TokenKind::Scope, Dialect::CuteCpp),
    ("detail", TokenKind::Scope, Dialect::CuteCpp),
    ("gemm", TokenKind::Scope, Dialect::CuteCpp),
    ("collective", TokenKind::Scope, Dialect::CuteCpp),
    ("GMMA", TokenKind::Scope, Dialect::CuteCpp),
    ("UMMA", TokenKind::Scope, Dialect::CuteCpp),
    ("SM90", TokenKind::Scope, Dialect::CuteCpp),
    ("cute", TokenKind::Dot, Dialect::CuteDsl),
    ("cutlass", TokenKind::Dot, Dialect::CuteDsl),
    ("nvgpu", TokenKind::Dot, Dialect::CuteDsl),
    ("warp", TokenKind::Dot, Dialect::CuteDsl),
    ("warpgroup", TokenKind::Dot, Dialect::CuteDsl),
    ("tcgen05", TokenKind::Dot, Dialect::CuteDsl),
    ("cpasync", TokenKind::Dot, Dialect::CuteDsl),
    ("LoadCacheMode", TokenKind::Dot, Dialect::CuteDsl),
    ("StoreCacheMode", TokenKind::Dot, Dialect::CuteDsl),
    ("L2PrefetchSize", TokenKind::Dot, Dialect::CuteDsl),
    ("CacheEvictionPriority", TokenKind::Dot, Dialect::CuteDsl),
    ("MemoryOrder", TokenKind::Dot, Dialect::CuteDsl),
    ("MemoryScope", TokenKind::Dot, Dialect::CuteDsl),
    ("SharedSpace", TokenKind::Dot, Dialect::CuteDsl),
    ("OperandSource", TokenKind::Dot, Dialect::CuteDsl),
    ("OperandMajorMode", TokenKind::Dot, Dialect::CuteDsl),
    ("SmemLayoutAtomKind", TokenKind::Dot, Dialect::CuteDsl),
    ("LayoutEnum", TokenKind::Dot, Dialect::CuteDsl),
    ("CtaGroup", TokenKind::Dot, Dialect::CuteDsl),
    ("Repetition", TokenKind::Dot, Dialect::CuteDsl),
    ("Pack", TokenKind::Dot, Dialect::CuteDsl),
    ("Unpack", TokenKind::Dot, Dialect::CuteDsl),
    ("TmemLoadRedOp", TokenKind::Dot, Dialect::CuteDsl),
    ("utils", TokenKind::Dot, Dialect::CuteDsl),
    ("hopper_helpers", TokenKind::Dot, Dialect::CuteDsl),
    ("sm90_utils", TokenKind::Dot, Dialect::CuteDsl),
    ("blackwell_helpers", TokenKind::Dot, Dialect::CuteDsl),
    ("sm100_utils", TokenKind::Dot, Dialect::CuteDsl),
    ("sm103_utils", TokenKind::Dot, Dialect::CuteDsl),
    ("sm120_utils", TokenKind::Dot, Dialect::CuteDsl),
    ("blockscaled_utils", TokenKind::Dot, Dialect::CuteDsl),
    ("blockscaled_layout", TokenKind::Dot, Dialect::CuteDsl),
    ("gl", TokenKind::Dot, Dialect::Gluon),
    ("ttgl", TokenKind::Dot, Dialect::Gluon),
    ("gluon", TokenKind::Dot, Dialect::Gluon),
    ("amd", TokenKind::Dot, Dialect::Gluon),
    ("nvidia", TokenKind::Dot, Dialect::Gluon),
    ("blackwell", TokenKind::Dot, Dialect::Gluon),
    ("pycute", TokenKind::Dot, Dialect::Pycute),
    ("tensor_layouts", TokenKind::Dot, Dialect::Pycute),
    ("torch", TokenKind::Dot, Dialect::Torch),
    ("np", TokenKind::Dot, Dialect::NumPy),
    ("numpy", TokenKind::Dot, Dialect::NumPy),
    ("jnp", TokenKind::Dot, Dialect::NumPy),
    ("cp", TokenKind::Dot, Dialect::NumPy),
    ("cupy", TokenKind::Dot, Dialect::NumPy),
    ("jax", TokenKind::Dot, Dialect::Jax),
    ("plgpu", TokenKind::Dot, Dialect::Jax),
    ("mgpu", TokenKind::Dot, Dialect::Jax),
    ("einops", TokenKind::Dot, Dialect::Einops),
];

/// The modules of CuTe DSL whose names alone could be anybody's, behind `cutlass.` and the like.
const DSL_MODULES: [&str; 8] = ["common", "copy", "mma", "helpers", "tensor_utils", "sm90", "sm100", "sm120"];

/// The modules of pycute, behind `pycute.`.
const PYCUTE_MODULES: [&str; 3] = ["layout", "int_tuple", "swizzle"];

/// The modules of JAX in which layouts are, behind `jax.`.
const JAX_MODULES: [&str; 3] = ["experimental", "layout", "sharding"];

/// The modules of NumPy in which views with strides are made, behind `np.`.
const NUMPY_MODULES: [&str; 2] = ["lib", "stride_tricks"];

impl Cursor<'_> {
    /// Says that a spelling of a dialect was used.
    pub(super) fn spelled(&mut self, dialect: Dialect) {
        if let Err(place) = self.dialects.binary_search(&dialect) {
            self.dialects.insert(place, dialect);
        }
        self.spellings += 1;
    }

    /// Steps over `cute::` and the like; whose it is, if there is one.
    pub(super) fn namespaces(&mut self) -> Option<Dialect> {
        let mut last = None;
        loop {
            let word = self.token.span.of(self.text());
            let rest = self.text_after(self.token.span).trim_start();
            // As some compilers print types: `struct cute::Layout<…>`.
            if matches!(word, "struct" | "class")
                && rest.starts_with(|c: char| c.is_ascii_alphabetic())
                && rest.contains('<')
            {
                self.advance();
                self.spelled(Dialect::CuteCpp);
                last = Some(Dialect::CuteCpp);
                continue;
            }
            // Nothing else in its name tells a sparse instruction from another.
            if sparse_path(rest) > 0 {
                return last;
            }
            // Whatever a file calls the module of Gluon's layouts.
            if rest.starts_with('.') && gluon_classes::is_within(rest) && self.at(TokenKind::Word) {
                self.advance();
                self.advance();
                self.spelled(Dialect::Gluon);
                last = Some(Dialect::Gluon);
                continue;
            }
            let modules: &[&str] = match last {
                Some(Dialect::Jax) => &JAX_MODULES,
                Some(Dialect::NumPy) => &NUMPY_MODULES,
                Some(Dialect::CuteDsl) => &DSL_MODULES,
                Some(Dialect::Pycute) => &PYCUTE_MODULES,
                _ => &[],
            };
            if modules.contains(&word) && rest.starts_with('.') {
                self.advance();
                self.advance();
                continue;
            }
            let known = NAMESPACES.iter().find(|(name, separator, _)| {
                *name == word && rest.starts_with(if *separator == TokenKind::Scope { "::" } else { "." })
            });
            let Some((.., dialect)) = known.filter(|_| self.at(TokenKind::Word)) else { return last };
            self.advance();
            self.advance();
            self.spelled(*dialect);
            if matches!(dialect, Dialect::Torch | Dialect::NumPy) {
                self.modules.push(*dialect);
            }
            last = Some(*dialect);
        }
    }

    /// What a word begins in another system's spelling, if it begins anything there; `scope` is whose namespace it is of.
    pub(super) fn dialect_word(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        let tree = self.any_dialect(word, start, scope)?;
        // A tree may nest deeper than its text.
        if let Some(deep) = tree.as_ref().filter(|tree| tree.depth() + self.open.len() > MAX_DEPTH) {
            let message = format!("brackets nest at most {MAX_DEPTH} deep, this one is deeper");
            return Err(SyntaxError::new(code::TOO_DEEP, deep.span, message));
        }
        Ok(tree)
    }

    fn any_dialect(&mut self, word: &str, start: Span, scope: Option<Dialect>) -> Result<Option<Expr>> {
        // Of C++ and Python: what it prints.
        if word == "print" && self.at(TokenKind::OpenRound) {
            let mut printed = self.bracketed("what is printed")?;
            printed.span = self.since(start);
            return Ok(Some(printed));
        }
        if let Some(tree) = self.atom_call(word, start, scope)? {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.cpp_word(word, start)? {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.hlo_word(word, start)? {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.jax_type(word, start)? {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.mosaic_gpu_word(word, start, scope)? {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.gluon_word(word, start)? {
            return Ok(Some(tree));
        }
        // Alone, as before an operator, it is the name of an unknown.
        if word == "LinearLayout"
            && matches!(self.token.kind, TokenKind::OpenRound | TokenKind::Dot | TokenKind::Scope)
            && let Some(tree) = self.linear_call(word, start)?
        {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.gluon_function(word, start, scope)? {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.python_word(word, start)? {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.tensor_word(word, start, scope)? {
            return Ok(Some(tree));
        }
        if let Some(tree) = self.method_function(word, start, scope)? {
            return Ok(Some(tree));
        }
        if matches!(word, "rearrange" | "repeat") && self.at(TokenKind::OpenRound) {
            return self.einops_function(word, start).map(Some);
        }
        // `dtype=torch.float16`: what the elements are.
        if matches!(scope, Some(Dialect::Torch | Dialect::NumPy)) && !self.at(TokenKind::OpenRound) {
            let name = Name { text: word.to_owned(), span: start };
            let kind = if is_bare_name(word) { ExprKind::Name(name) } else { ExprKind::Quoted(name) };
            return Ok(Some(Expr::new(kind, start)));
        }
        self.dsl_word(word, start, scope)
    }

    /// The expression behind a pointer and its `o`; `open` is a bracket of the pointer, for the depth.
    fn behind(&mut self, open: Token) -> Result<Expr> {
        if self.open.len() == MAX_DEPTH {
            let message = format!("brackets nest at most {MAX_DEPTH} deep, this one is one deeper");
            return Err(SyntaxError::new(code::TOO_DEEP, open.span, message));
        }
        self.open.push(open);
        let layout = self.expression();
        self.open.pop();
        layout
    }

    /// `(argument)`.
    fn bracketed(&mut self, what: &str) -> Result<Expr> {
        if !self.at(TokenKind::OpenRound) {
            return Err(self.expected(&format!("`(` and {what}")));
        }
        let open = self.enter()?;
        let argument = self.expression()?;
        self.leave(open, TokenKind::CloseRound, &format!("`)` after {what}"))?;
        Ok(argument)
    }

    /// Notes what was read and left out, once.
    pub(super) fn remark(&mut self, remark: &'static str) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// From `start` up to what was read last.
    pub(super) fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.consumed)
    }
}
