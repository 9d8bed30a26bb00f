//! A slow and simple reference implementation of the algebra.
//!
//! Every operation enumerates: a layout is a list of values, and a question about layouts is a question about lists. The
//! module imports nothing of the fast implementation, so that both can test each other. Integers are `i64`, and every product
//! and sum is checked. Enumerating more than [`LIMIT`] elements returns [`OracleError::TooLarge`].
//!
//! | file | what it computes by enumeration |
//! |---|---|
//! | `nest` | hierarchical tuples: size, congruence, compatibility |
//! | `point` | integers and coordinates as one kind of value |
//! | `layout` | the value of a layout at an index or a coordinate |
//! | `tiler` | tuples of layouts applied mode by mode |
//! | `fit` | which layout, if any, a list of values is |
//! | `complement`, `inverse`, `tile`, `recast` | the operations, from their definitions |
//! | `swizzle` | exclusive-or of bit fields, bit by bit |
//! | `linear` | linear layouts, place by place |
//! | `banks` | accesses to shared memory, lane by lane |
//! | `tiled` | tiled arrays, by index formula and by moving every element |
//! | `vector` | values in vector registers, by writing every slot |
//! | `text` | reading and writing all of it |
//!
//! ```
//! use bitstride_oracle::reference::{composite, layout_of_profile, Layout};
//!
//! let a: Layout = "(6,2):(8,2)".parse()?;
//! let b: Layout = "(4,3):(3,1)".parse()?;
//! let values = composite(&a, &b)?;
//! let r = layout_of_profile(&values, b.shape())?;
//! assert_eq!(r.map(|r| r.to_string()).as_deref(), Some("((2,2),3):((24,2),8)"));
//! # Ok::<(), bitstride_oracle::reference::OracleError>(())
//! ```

mod append;
mod banks;
mod complement;
mod fit;
mod inverse;
mod layout;
mod linear;
mod nest;
mod point;
pub(crate) mod recast;
pub mod sharding;
mod swizzle;
mod text;
mod tile;
mod tiled;
mod tiler;
mod vector;

pub use banks::{Banks, Passes, passes, passes_in_step, row_passes};
pub use complement::{ceil_div, complement, complement_reaching};
pub use fit::{coalesce, coalesce_by, composite, flat_layout, layout_of_profile};
pub use inverse::{left_inverse, left_inverse_of_two_modes, longest_common_chain, nullspace, right_inverse};
pub use layout::{Layout, digits};
pub use linear::{Linear, Place, merged, number, points};
pub use nest::Nest;
pub use point::Point;
pub use recast::{downcast, upcast};
pub use swizzle::Swizzle;
pub use tile::{Cut, Form, Target, blocked, divide, product, raked};
pub use tiled::{Tiled, is_reshape_bitcast, is_transpose_bitcast, same_memory};
pub use tiler::Tiler;
pub use vector::Registers;

use std::fmt;

/// The most elements that any enumeration here visits: 2^20.
pub const LIMIT: i64 = 1 << 20;

/// Why the reference gave no answer. It never says anything about the layouts themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleError {
    /// A number left the range of `i64`.
    Overflow,
    /// Listing this many elements (or more) would pass [`LIMIT`].
    TooLarge(i64),
    /// The operands do not fit each other, or the text is not in the notation; the sentence says how.
    Malformed(String),
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OracleError::Overflow => write!(f, "a number left the range of 64-bit integers"),
            OracleError::TooLarge(n) => write!(f, "{n} elements are more than the {LIMIT} that may be listed"),
            OracleError::Malformed(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for OracleError {}

/// The error of an operand that does not fit.
pub(crate) fn malformed(why: impl Into<String>) -> OracleError {
    OracleError::Malformed(why.into())
}

/// `a + b`, or [`OracleError::Overflow`].
pub(crate) fn add(a: i64, b: i64) -> Result<i64, OracleError> {
    a.checked_add(b).ok_or(OracleError::Overflow)
}

/// `a - b`, or [`OracleError::Overflow`].
pub(crate) fn sub(a: i64, b: i64) -> Result<i64, OracleError> {
    a.checked_sub(b).ok_or(OracleError::Overflow)
}

/// `a * b`, or [`OracleError::Overflow`].
pub(crate) fn mul(a: i64, b: i64) -> Result<i64, OracleError> {
    a.checked_mul(b).ok_or(OracleError::Overflow)
}

/// A count that may be listed, as the `usize` that a list wants.
pub(crate) fn count(n: i64) -> Result<usize, OracleError> {
    if n > LIMIT {
        return Err(OracleError::TooLarge(n));
    }
    usize::try_from(n).map_err(|_| malformed(format!("{n} is not a count")))
}
