//! [`Fit`]: the layout that a table of offsets, or an index expression, is.
//!
//! Families are tried from the most to the least restricted: a CuTe layout (a sum of strides over digits that divide
//! the extents), a linear layout (an XOR of the images of bits), a mixed layout (strides and masks), and a CuTe layout
//! under a swizzle. Each but the last is read off the fewest elements that determine it, and checked on all others. So
//! the first element that does not belong is known, and what would belong there.
//!
//! Law: the map that is found gives every element of the table.

mod cuts;
mod expression;
pub(super) mod line;
mod mixed;
mod parts;
mod search;
mod table;

use std::fmt;

use super::{AffineExpr, Axis, Digit, Form, Map};

pub use table::Table;

/// What kind of function a fit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// A layout of CuTe, perhaps with an offset.
    Layout,
    /// A linear layout over F2.
    Linear,
    /// Strides and patterns; also digits that an extent cuts short.
    Mixed,
    /// A layout of CuTe under swizzles, where parts of the sum carry into bits that are xored.
    Swizzled,
    /// A chain of stages without a normal form.
    Chain,
}

/// What was found, and where the families before it break.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Fit {
    /// The first family that holds the function, and the function; none when none of them does.
    pub found: Option<(Family, Map)>,
    /// For each family that was tried before, the first element that it cannot have.
    pub broken: Vec<(Family, Break)>,
}

/// Why a function is not of a family.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Break {
    /// An extent that no power of two is.
    Extent(Axis),
    /// The first element, in the order of the table, that is not what the elements before demand.
    Element {
        /// Where it is.
        point: Vec<i64>,
        /// What the family would have there; none when it would have any number from 0 up.
        expected: Option<i128>,
        /// What is there.
        found: i64,
    },
}

impl Family {
    /// The family that a form belongs to.
    ///
    /// ```
    /// use bitstride::map::{Family, Form, Map};
    /// let map = Map::of_layout(&"(64,8):(1,72)".parse()?)?;
    /// assert_eq!(Family::of(&Form::of(&map)?), Family::Layout);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(form: &Form) -> Family {
        let divides = |axis: usize| form.axes.get(axis).map_or(0, |axis| axis.extent);
        let whole = form.digits.iter().all(|digit| {
            let values = i128::from(digit.weight) * i128::from(digit.radix);
            i128::from(divides(digit.axis)) % values.max(1) == 0
        });
        if whole && form.sums.iter().all(|sum| sum.mask() == 0) {
            Family::Layout
        } else if form.is_linear() {
            Family::Linear
        } else {
            Family::Mixed
        }
    }
}

impl Form {
    /// Whether it is an xor of images of bits, nothing leading to anything but 0.
    fn is_linear(&self) -> bool {
        let two = |radix: i64| radix.count_ones() == 1;
        self.axes.iter().all(|axis| two(axis.extent))
            && self.digits.iter().all(|digit| two(digit.radix))
            && self.sums.iter().all(|sum| sum.offset == 0 && sum.flip == 0 && is_xor(sum, &self.digits))
    }
}

/// Whether no two parts of a sum have a bit in common but those of the patterns.
fn is_xor(sum: &AffineExpr, digits: &[Digit]) -> bool {
    let mut taken = i128::from(sum.mask());
    sum.strides.iter().zip(digits).filter(|(stride, _)| **stride != 0).all(|(stride, digit)| {
        let bits = (digit.radix - 1).checked_ilog2().map_or(0, |top| top + 1);
        (0..bits).all(|bit| {
            let own = i128::from(*stride) << bit;
            let free = own > 0 && taken & own == 0;
            taken |= own;
            free
        })
    })
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Family::Layout => "layout",
            Family::Linear => "linear",
            Family::Mixed => "mixed",
            Family::Swizzled => "swizzled",
            Family::Chain => "chain",
        })
    }
}

impl fmt::Display for Break {
    /// `at (3,1) it would be 15, and is 17`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Break::Extent(axis) => write!(f, "{} of {} is no power of two", axis.extent, axis.name),
            Break::Element { point, expected, found } => {
                let point: Vec<String> = point.iter().map(ToString::to_string).collect();
                write!(f, "at ({}) it would be ", point.join(","))?;
                match expected {
                    Some(expected) => write!(f, "{expected}, and is {found}"),
                    None => write!(f, "at least 0, and is {found}"),
                }
            }
        }
    }
}
