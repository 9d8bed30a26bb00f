//! One exact algebra for tensor layouts.
//!
//! A layout says where each element of a tensor lives. This crate holds three families exactly: CuTe layouts ([`cute`]),
//! linear layouts with Triton's encodings ([`linear`], [`triton`]), and XLA's tiled arrays ([`xla`]). All of them lower into
//! one representation ([`map`]), in which they are compared and from which they are recognised again. Every operation
//! returns the true answer, or refuses with a reason that has numbers in it. The crate does no input or output, has no
//! dependencies and no unsafe code, and panics on no input.
//!
//! ```
//! use bitstride::cute::composition;
//! use bitstride::map::Map;
//! use bitstride::{Layout, xla::Array};
//!
//! let (a, b): (Layout, Layout) = ("(6,2):(8,2)".parse()?, "(4,3):(3,1)".parse()?);
//! assert_eq!(composition(&a, &b)?.to_string(), "((2,2),3):((24,2),8)");
//!
//! let array: Array = "bf16[16,256]{1,0:T(8,128)(2,1)}".parse()?;
//! let cute = Map::of_array(&array)?.to_cute()?;
//! assert_eq!(cute.to_string(), "((2,4,2),(128,2)):((1,256,2048),(2,1024))");
//! # Ok::<(), bitstride::Error>(())
//! ```
//!
//! What it does not do: it evaluates no expressions (crate `bitstride-lang`), reads no files, draws no pictures
//! (`bitstride-draw`) and moves no data (`bitstride-relayout`).

#[macro_use]
mod error;

pub mod abridged;
mod any;
mod axis;
mod basis;
pub mod cancel;
pub mod cast;
pub mod cute;
mod index;
mod int;
pub mod linear;
pub mod map;
pub mod memory;
mod modular;
pub mod names;
pub mod notation;
mod reader;
mod refusal;
pub mod sharding;
mod small;
mod text;
mod trace;
pub mod triton;
mod tuple;
pub mod xla;

pub use any::AnyLayout;
pub use basis::{Path, Stride, StrideLeaf};
pub use cute::{Layout, StaticLayout};
pub use error::{Class, Code, Error, Witness};
#[doc(hidden)]
pub use int::sealed;
pub use int::{Int, Integer, Symbol, gcd};
pub use refusal::{Fact, Refusal};
/// What a sentence of [`error!`] states, and how it becomes a fact: for that macro alone, which imports all of it.
#[doc(hidden)]
pub mod stated {
    pub use crate::refusal::{FactOfList, FactOfText, Stated};
}
pub use small::Small;
pub use trace::Trace;
pub use tuple::{
    Children, Leaves, Node, Profile, ProfileBuilder, Tuple, ceil_div, colex_less, common_coarsening, common_refinement,
    compatible, congruent, elem_less, evenly_divides, lex_less, shape_div, shape_mod, weakly_congruent,
};

#[cfg(doctest)]
#[doc = include_str!("../library.md")]
struct LibraryExamples;
