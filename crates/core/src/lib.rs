//! One exact algebra for tensor layouts.
mod basis;
pub mod cast;
mod error;
mod int;
pub mod notation;
mod small;
mod tuple;
pub use basis::{Path, Stride, StrideLeaf};
pub use error::{Class, Code, Error, Witness};
pub use int::{Int, Integer, Symbol, gcd};
pub use small::Small;
pub use tuple::{Leaves, Node, Profile, ProfileBuilder, Tuple, ceil_div, colex_less, common_coarsening, common_refinement, compatible, congruent, elem_less, evenly_divides, lex_less, shape_div, shape_mod, weakly_congruent};
pub mod cute;
pub use cute::{Layout, StaticLayout};
