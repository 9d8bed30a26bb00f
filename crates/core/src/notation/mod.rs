//! The expression language: from text to a syntax tree, and back.
//!
//! A text such as `Sw<3,4,3> o 0 o (8,64):(64,1)` is read by [`parse`] into an
//! [`Expr`], whose nodes say which bytes they were read from; [`Expr`] displays
//! as the canonical text. Nothing is evaluated here.
//!
//! | text | reads as |
//! |---|---|
//! | `7`, `-3`, `5?`, `?{div=8}`, `M` | an integer: static, dynamic, unknown |
//! | `(2,(1,6))`, `(4)`, `()` | a tuple; round brackets never group |
//! | `2@0`, `1@0+1@1` | a scaled basis vector, a sum of them |
//! | `((2,2),3):((24,2),8)` | shape : stride |
//! | `(8,64):(^72,^1)`, `64+^9` | a stride that is xored, one that is added as well |
//! | `4:1 + 7` | a layout and an offset |
//! | `<3:4, 8:2>`, `<4, _>` | a tiler |
//! | `Sw<3,4,3>` | a swizzle |
//! | `bytes[16]`, `smem_ptr[16b](unset)` | elements of 16 bits, whose bytes the swizzle before it moves |
//! | `#ttg.blocked<{order = [1, 0]}>` | an encoding |
//! | `tensor<128x64xf16, #ttg.…>`, `!ttg.memdesc<…>`, `!tt.tensordesc<…>` | a shape with its encoding |
//! | `linear<{lane=[[1],[2]]}, out=[dim0:4]>` | a linear layout |
//! | `f32[3,5]{1,0:T(2,2)}`, `b(f32[3])`, `token[]` | a shape of XLA |
//! | `memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>>` | the same as Mosaic writes it |
//! | `{1,0:T(8,128)}`, `Layout(major_to_minor=(0, 1))`, `#tpu.vpad<"32,{0,0},(8,128)">` | a layout of XLA, JAX or Mosaic without its array |
//! | `affine_map<(d0, d1) -> (d0 * 8 + d1)>` | an affine map of MLIR |
//! | `i<16, j<8: i*8 + (j ^ i)` | an offset as an index expression over ranges, in the syntax of C |
//! | `X o Y` | a composition |
//! | `op(X, Y)`, `op[0](X, Y)` | a call, a call by mode |
//! | `op<0>(X)`, `take<1,3>(X)` | the same as CuTe writes it: a mode, or arguments after the first |
//! | `L(1,2)`, `L(1,_)` | `crd2idx((1,2), L)`, `slice(L, (1,_))` |
//! | `x[2,3,4].permute(2,0,1)` | a method of a tensor |
//! | `X == Y` | `same(X, Y)`, around a whole text |
//! | `lane`, `"M"`, `"o"` | the name of a dim; in quotes where the word alone is something else |
//!
//! Operators from the loosest to the tightest: `o`; `+` and `-`; `:`; `*`; `@`.
//! What other systems write is read where an operand may stand; the files of `dialects` have the tables.
//! `[2,3]` is read as `(2,3)`, a comma may end a list and a `;` the text, and `∘`, `∗` and full-width marks as what they
//! stand for; they are not printed.
//!
//! White space is free between tokens. One rule is not about binding strength:
//! after a scalar stride that is a scaled basis vector, a scaled basis vector
//! joins the stride, so that `4:1@0+1@1` has the stride `1@0+1@1`, while
//! `4:1+7` is `4:1` with an offset.
//!
//! The law, for every text `t` that is read: `parse(parse(t).to_string())`
//! equals `parse(t)`.
//!
//! ```
//! use bitstride::notation::{Ints, parse};
//!
//! let tree = parse("composition( (6,2) : (8,2) , (4,3):(3,1) )", Ints::Plain)?;
//! assert_eq!(tree.to_string(), "composition((6,2):(8,2), (4,3):(3,1))");
//!
//! let tree = parse("(_5,4):(_1,_5)", Ints::Cpp)?;
//! assert_eq!(tree.to_string(), "(5,4?):(1,5)");
//!
//! let error = parse("(2,3):(3,1", Ints::Plain).unwrap_err();
//! assert_eq!(error.code, "unbalanced");
//! assert_eq!(error.span.of("(2,3):(3,1"), "(");
//! # Ok::<(), bitstride::notation::SyntaxError>(())
//! ```

mod ast;
mod attribute;
mod brackets;
mod compared;
mod cursor;
mod dialect;
mod dialects;
mod division;
mod element_type;
mod embedded;
mod error;
mod facts;
mod lexer;
mod marks;
mod name;
mod operand;
mod operators;
mod parse;
mod parse_attribute;
mod pending;
mod print;
mod spellings;

pub use crate::text::{MAX_DEPTH, MAX_LEAVES, Span, code};
pub use ast::{Expr, ExprKind, Ints, XlaText};
pub use attribute::{Argument, Attribute, Basis, Datum, DatumKind, LinearText, ShapedKind, ShapedType};
pub use cursor::BoundNames;
pub use dialect::{Dialect, Reading};
pub(crate) use dialects::type_bits;
pub use dialects::{Pattern, Steps, element_bits, foreign_names, gluon_text, is_declaration};
pub use error::SyntaxError;
pub use facts::shared_facts;
pub use name::Name;
pub use parse::{parse, read, read_with};
pub use print::Printed;
pub use spellings::applied;

/// Whether the name of a dim is read as one without quotes: a lower-case letter, then letters, digits or `_`, and no word
/// of the language.
pub fn is_bare_name(name: &str) -> bool {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_word && !matches!(name, "o" | "true" | "false" | "same" | "padding")
}
