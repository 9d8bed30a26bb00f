//! One checker for each law of the algebra.
//!
//! A checker takes the operands and an answer. It tries every coordinate and checks that the answer is what the operation
//! *means*. It returns `Ok(())`, or a [`Violation`] with the name of the law and a counterexample in numbers. A checker uses no
//! algorithm of the operation: where several answers are right, all of them pass. A `…_refusal` checker checks an error: the
//! law is violated when an answer exists.
//!
//! Laws take the plain types of [`reference`](crate::reference). Unit tests, property tests, fuzzing and the runner of recorded
//! vectors therefore share one definition of every operation.
//!
//! ```
//! use bitstride_oracle::laws;
//! use bitstride_oracle::reference::Layout;
//!
//! let layout = |text: &str| text.parse::<Layout>();
//! let (a, b) = (layout("(4,6,8):(2,3,5)")?, layout("6:3")?);
//! let violation = laws::composition(&a, &b, &layout("(2,3):(6,3)")?).unwrap_err();
//! assert_eq!(violation.to_string(), "composition: R(2) = 3, but must be 7");
//! assert!(laws::composition_refusal(&a, &b).is_ok());
//! # Ok::<(), bitstride_oracle::reference::OracleError>(())
//! ```

mod coalesce;
mod complement;
mod composition;
mod conversion;
mod coordinate;
mod divide;
mod domain;
mod instruction;
mod inverse;
mod linear_algebra;
mod linear_dims;
mod linear_space;
mod make;
mod map;
mod product;
mod recast;
mod shuffle;
mod slice;
mod swizzle;
mod tiled;

pub use coalesce::{coalesce, coalesce_by, filter, filter_zeros};
pub use complement::{complement, complement_fills, complement_refusal};
pub use composition::{composition, composition_by, composition_by_refusal, composition_refusal};
pub use conversion::{Instruction, MemorySide, through_memory};
pub use coordinate::{compatible, crd2idx, idx2crd};
pub use divide::{arranged, divide, divide_refusal};
pub use domain::{
    common_refinement, common_refinement_refusal, greatest_common_domain, layout_add, layout_add_refusal,
};
pub use instruction::{Copies, covers_evenly, tiled_copy, tiled_operand};
pub use inverse::{
    left_inverse, max_common_layout, max_common_vector, nullspace, right_inverse, right_inverse_longest,
};
pub use linear_algebra::{
    linear, linear_compose, linear_divide_left, linear_divide_refusal, linear_divide_right, linear_invert,
    linear_invert_and_compose, linear_invert_and_compose_refusal, linear_product, linear_pseudoinvert,
};
pub use linear_dims::{
    linear_concat_ins, linear_concat_outs, linear_quotient, linear_quotient_refusal, linear_rename, linear_reshape_ins,
    linear_reshape_outs, linear_resize_in_dim, linear_resize_out_dim, linear_sublayout, linear_tensor_reshape,
    linear_tensor_transpose, linear_transpose,
};
pub use linear_space::{
    linear_action, linear_bruhat, linear_consecutive, linear_contiguous, linear_free_variables, linear_image,
    linear_kernel, linear_minimal_cvt, linear_remove_zero_bases, linear_reps, linear_vector,
};
pub use make::{compact_ordered, fragment_like, layout_like, tile_to_shape};
pub use map::{Sent, map_contiguity, map_cycles, map_image, map_injective, map_inverse, map_preimages};
pub use product::{blocked_product, product, product_copies, product_refusal, raked_product};
pub use recast::{downcast, downcast_refusal, recast, upcast, upcast_refusal};
pub use shuffle::{Exchange, warp_shuffles};
pub use slice::{dice, slice};
pub use swizzle::{composed, composed_downcast, composed_right_inverse, composed_upcast, composed_with, swizzle};
pub use tiled::{
    tiled_difference, tiled_dims, tiled_offset, tiled_offsets, tiled_place, tiled_places, tiled_reshape, tiled_same,
    tiled_size, tiled_transpose,
};

use std::collections::BTreeMap;
use std::fmt;

use crate::reference::{Layout, OracleError, Point};

/// A law that an answer violates, with a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The law, by the name of its checker, or [`Violation::UNDECIDED`].
    pub law: &'static str,
    /// A sentence with the numbers that show it.
    pub witness: String,
}

impl Violation {
    /// The name of the law when a checker could not enumerate: overflow, too many elements, or operands that do not fit.
    pub const UNDECIDED: &'static str = "undecided";

    /// Whether the checker could not decide. No violation is then known.
    pub fn is_undecided(&self) -> bool {
        self.law == Violation::UNDECIDED
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.witness)
    }
}

impl std::error::Error for Violation {}

impl From<OracleError> for Violation {
    fn from(error: OracleError) -> Violation {
        Violation { law: Violation::UNDECIDED, witness: error.to_string() }
    }
}

/// What a checker returns.
type CheckResult = Result<(), Violation>;

/// The law holds, or the witness shows that it does not.
fn hold(law: &'static str, truth: bool, witness: impl FnOnce() -> String) -> CheckResult {
    if truth { Ok(()) } else { Err(Violation { law, witness: witness() }) }
}

/// The answer has exactly these values.
fn same_values(law: &'static str, answer: &Layout, wanted: &[Point]) -> CheckResult {
    let values = answer.values()?;
    hold(law, values.len() == wanted.len(), || format!("size(R) = {}, but must be {}", values.len(), wanted.len()))?;
    for (index, (value, wanted)) in values.iter().zip(wanted).enumerate() {
        hold(law, value == wanted, || format!("R({index}) = {value}, but must be {wanted}"))?;
    }
    Ok(())
}

/// The first two indices with equal values, if any.
fn first_repeat<T: Ord>(values: impl IntoIterator<Item = T>) -> Option<(usize, usize)> {
    let mut seen = BTreeMap::new();
    for (index, value) in values.into_iter().enumerate() {
        if let Some(first) = seen.insert(value, index) {
            return Some((first, index));
        }
    }
    None
}

#[cfg(test)]
fn parsed<T: std::str::FromStr<Err = OracleError>>(text: &str) -> T {
    text.parse().expect(text)
}

/// Asserts that a law holds, or that it is violated with this witness.
#[cfg(test)]
#[track_caller]
fn verdict(result: CheckResult, violation: Option<&str>) {
    assert_eq!(result.err().map(|violation| violation.to_string()).as_deref(), violation);
}
