//! [`Form`]: the normal form of a map, a quasi-affine sum plus XOR masks.
//!
//! Every axis of the domain is cut into digits. Each coordinate of the codomain is an [`AffineExpr`]: an offset, plus a
//! stride times each digit, plus the XOR of a mask (*pattern*) for each digit of radix 2 that is 1. CuTe layouts are
//! such sums without masks. Linear layouts over GF(2) have masks only. Swizzled layouts have both. Some maps have no
//! normal form, because parts of a sum carry into each other.
//!
//! Law: the form of a map gives what the map gives, at every point.
//!
//! Why two forms can be compared number by number: where the masks of two digits share bits, `f(both) - f(one) -
//! f(other) + f(none)` is minus twice the sum of the shared bits. Bits that the flip sets count negative. So the
//! function and the flip determine the shared bits. A form that keeps only shared bits in masks, and all other bits in
//! strides, is therefore unique over its digits.

use super::Axis;
use crate::cast::dot;
use crate::error::Error;

/// A digit of an axis: `x / weight % radix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digit {
    /// The axis, by place.
    pub axis: usize,
    /// What one step of the digit is worth along the axis.
    pub weight: i64,
    /// How many values it has.
    pub radix: i64,
}

/// A coordinate of the codomain as a function of the digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct AffineExpr {
    /// The number at the origin, but for `flip`.
    pub offset: i64,
    /// The pattern that is always there.
    pub flip: i64,
    /// For each digit, what one step adds.
    pub strides: Vec<i64>,
    /// For each digit, the pattern that it brings; 0 for digits with more than two values.
    pub xors: Vec<i64>,
}

/// A function in normal form: digits, strides and patterns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The axes of the domain.
    pub axes: Vec<Axis>,
    /// Their digits, axis by axis, the fastest first.
    pub digits: Vec<Digit>,
    /// The coordinates of the codomain.
    pub sums: Vec<AffineExpr>,
}

impl Form {
    /// The image of a point.
    ///
    /// # Errors
    /// [`Code::Overflow`](crate::Code::Overflow).
    ///
    /// ```
    /// use bitstride::map::{Form, Map};
    /// let form = Form::of(&Map::of_layout(&"(4,8):(8,1)".parse()?)?)?;
    /// assert_eq!(form.at(&[2, 1])?, [17]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn at(&self, point: &[i64]) -> Result<Vec<i64>, Error> {
        crate::cancel::checkpoint();
        self.sums.iter().map(|sum| sum.at(&self.digits, point)).collect()
    }

    /// The text of a digit: the axis, and which of its values when they are not all.
    ///
    /// ```
    /// use bitstride::map::{Form, Map};
    /// let form = Form::of(&Map::of_layout(&"((2,2),3):((24,2),8)".parse()?)?)?;
    /// let named: Vec<String> = form.digits.iter().map(|digit| form.named(digit)).collect();
    /// assert_eq!(named, ["dim0 below 2", "dim0 in steps of 2", "dim1"]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn named(&self, digit: &Digit) -> String {
        let axis = self.axes.get(digit.axis).map_or_else(String::new, |axis| axis.name.to_string());
        match (digit.weight, digit.is_top(&self.axes)) {
            (1, true) => axis,
            (1, false) => format!("{axis} below {}", digit.radix),
            (weight, true) => format!("{axis} in steps of {weight}"),
            (weight, false) => format!("{axis} in steps of {weight} below {}", weight.saturating_mul(digit.radix)),
        }
    }

    /// A digit that has values beyond the extent of its axis.
    pub(super) fn beyond(&self) -> Option<&Digit> {
        self.digits.iter().find(|digit| digit.goes_beyond(&self.axes))
    }

    /// Whether two digits are ever above 0 together.
    pub(super) fn meet(&self, one: &Digit, other: &Digit) -> bool {
        meet(&self.axes, one, other)
    }
}

/// Whether two digits are ever above 0 together.
pub(super) fn meet(axes: &[Axis], one: &Digit, other: &Digit) -> bool {
    let room = axes.get(one.axis).map_or(0, |axis| i128::from(axis.extent) - 1);
    one.axis != other.axis || i128::from(one.weight) + i128::from(other.weight) <= room
}

impl Digit {
    /// The digit of a point.
    ///
    /// ```
    /// use bitstride::map::Digit;
    /// assert_eq!(Digit { axis: 0, weight: 4, radix: 2 }.of(&[7]), 1);
    /// ```
    pub fn of(&self, point: &[i64]) -> i64 {
        point.get(self.axis).map_or(0, |x| x / self.weight.max(1) % self.radix.max(1))
    }

    /// Whether it is the last digit of its axis.
    pub(super) fn is_top(&self, axes: &[Axis]) -> bool {
        self.end() >= extent(axes, self)
    }

    /// Whether it has values that the extent of its axis cuts off.
    pub(super) fn goes_beyond(&self, axes: &[Axis]) -> bool {
        self.end() > extent(axes, self)
    }

    /// Where it ends along the axis.
    pub(super) fn end(&self) -> i128 {
        i128::from(self.weight) * i128::from(self.radix)
    }
}

fn extent(axes: &[Axis], digit: &Digit) -> i128 {
    axes.get(digit.axis).map_or(0, |axis| i128::from(axis.extent))
}

impl AffineExpr {
    fn at(&self, digits: &[Digit], point: &[i64]) -> Result<i64, Error> {
        let values = || digits.iter().map(|digit| digit.of(point));
        let flips = |pattern: i64, (value, xor): (i64, &i64)| pattern ^ if value & 1 == 1 { *xor } else { 0 };
        let pattern = values().zip(&self.xors).fold(self.flip, flips);
        dot(self.offset, values().zip(self.strides.iter().copied()).chain([(pattern, 1)]))
    }

    /// The bits of all patterns.
    pub(super) fn mask(&self) -> i64 {
        self.xors.iter().fold(self.flip, |mask, xor| mask | xor)
    }
}
