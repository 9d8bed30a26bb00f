//! What two functions of coordinates have in common, where they start elsewhere than at 0 or are swizzled.
//!
//! Where a layout starts does not count: a copy moves the elements at R(0), R(1), … as one if their places follow each other
//! on both sides. A swizzle leaves its lowest bits alone, so that whole groups of them follow each other wherever a group
//! starts, as CuTe has it. Law: `A(R(i)) = A(0) + i` and `B(R(i)) = B(0) + i` for every i below size(R).

use super::coalesce::{Flat, coalesce_flat};
use super::common::max_common_layout;
use super::composed::Function;
use super::layout::Layout;
use super::rescaled::settable;
use crate::error::{Code, Error};
use crate::int::{Int, Integer};

impl Function {
    /// The longest layout of indices whose places follow each other in both, within a group of bits that swizzles leave alone.
    ///
    /// # Errors
    /// As [`max_common_layout`]; [`Code::NotALayout`] for a chain that is no layout, [`Code::MissingFact`] where extents that
    /// are not static meet a swizzle.
    ///
    /// ```
    /// use bitstride::{Layout, cute::{Function, Swizzle}};
    /// let rows: Layout = "(64,8):(1,64)".parse()?;
    /// let swizzle = Function::Swizzle(Swizzle::new(3, 3, 3)?);
    /// let swizzled = Function::compose(swizzle, 0.into(), Function::Layout(rows.clone()));
    /// assert_eq!(swizzled.common_layout(&Function::Layout(rows))?.to_string(), "8:1");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn common_layout(&self, other: &Function) -> Result<Layout, Error> {
        let (one, other) = (self.as_one()?, other.as_one()?);
        let common = max_common_layout(one.domain()?, other.domain()?)?;
        let group = one.group().into_iter().chain(other.group()).min();
        match group {
            Some(group) => first(&common, group),
            None => Ok(common),
        }
    }

    /// How many places a swizzle keeps together; nothing where no swizzle moves any.
    fn group(&self) -> Option<i64> {
        let Function::Composed(composed) = self else { return None };
        let set = settable(&composed.inner, &composed.offset);
        let swizzle = match composed.outer {
            Function::Swizzle(swizzle) => swizzle,
            // Where it moves bits inside an element no two elements stay together.
            Function::Bytes(bytes) => match bytes.of_elements(set) {
                Ok(swizzle) => swizzle,
                Err(_) => return Some(1),
            },
            _ => return composed.inner.group(),
        };
        let moves = set & swizzle.sources() != 0;
        // Groups start at multiples of the offset's divisor, so that smaller ones lie in those of the swizzle.
        let bits = swizzle.base().min(composed.offset.divisor().trailing_zeros());
        composed.inner.group().into_iter().chain(moves.then_some(1_i64 << bits.min(62))).min()
    }
}

/// The first indices of a layout, at most `most`: as many as whole modes and a part of the next one hold.
fn first(indices: &Layout, most: i64) -> Result<Layout, Error> {
    let mut flat = Flat::new();
    let mut left = most;
    for (extent, stride) in indices.extents().iter().zip(indices.strides()) {
        let Some(extent) = extent.fixed() else {
            return Err(error!(
                Code::MissingFact,
                "how much of {indices} lies within {most} places is not known",
                [indices, most]
            ));
        };
        let part = extent.min(left);
        if part < 2 {
            break;
        }
        flat.push(Int::from(part), stride.clone());
        if part < extent {
            break;
        }
        left = left.checked_div(extent).unwrap_or(left);
    }
    Ok(coalesce_flat(&flat.shape, &flat.stride).into_layout())
}
