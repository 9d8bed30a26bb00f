//! [`Digit`]: the memory of an array as a sum of digits of its axes, where it is one.
//!
//! An axis is a logical dim, or a run of dims seen as one number. A tile extent cuts an axis into the digits below it and
//! the digit above; as long as every cut falls between digits, or divides one, the offset is
//! `sum of stride * ((axis / weight) mod radix)`. A merged dim (`*`) joins digits of several axes into one number, which
//! can be cut where no digit ends: then digits carry into each other and there is no such sum. The quotient and the remainder
//! of such a cut are then digits of axes of their own, for whoever asks for these ([`Cuts`]).
//!
//! Law: where there are digits, their sum is the offset of every index.

use super::Image;
use crate::small::Small;

/// A digit of an axis and how far apart its values lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Digit {
    /// The axis.
    pub axis: usize,
    /// The value of the digit's 1.
    pub weight: i64,
    /// How many values it has.
    pub radix: i64,
    /// How far apart they lie, in elements.
    pub stride: i64,
}

impl Digit {
    /// What the digit of a coordinate of its axis contributes.
    pub fn at(&self, coordinate: i64) -> i64 {
        coordinate / self.weight % self.radix * self.stride
    }

    /// Whether no coordinate below the extent of the axis is large enough to wrap the digit.
    pub(super) fn is_top(&self, extent: i64) -> bool {
        self.weight.checked_mul(self.radix).is_none_or(|end| end >= extent)
    }
}

/// A number made of digits: their sum.
pub(super) type Number = Small<Digit, 4>;

/// A digit of an axis that begins where another ends is the same digit when their strides say so.
pub(super) fn join(number: &mut Number) {
    number.sort_by_key(|digit| (digit.axis, digit.weight));
    let mut joined = Number::new();
    for digit in number.iter().filter(|digit| digit.radix > 1) {
        if let Some(below) = joined.last_mut()
            && below.axis == digit.axis
            && below.weight.checked_mul(below.radix) == Some(digit.weight)
            && below.stride.checked_mul(below.radix) == Some(digit.stride)
        {
            below.radix = below.radix.saturating_mul(digit.radix);
        } else {
            joined.push(*digit);
        }
    }
    *number = joined;
}

/// Axes, and after them the quotients and remainders of numbers that tiles cut where digits carry. Cuts of equal numbers by
/// equal tiles are the same axes, so that offsets over them are equal where their digits are.
pub(super) struct Cuts {
    extents: Vec<i64>,
    /// Each number that is cut, by which tile, and the axis of the quotient, which that of the remainder follows.
    cuts: Vec<(Number, i64, usize)>,
}

impl Cuts {
    /// Axes without cuts yet.
    pub(super) fn new(axes: &[i64]) -> Self {
        Cuts { extents: axes.to_vec(), cuts: Vec::new() }
    }

    /// The quotient and the remainder of a number below an extent, as axes.
    fn cut(&mut self, number: &Number, extent: i64, tile: i64) -> (Number, Number) {
        let known = self.cuts.iter().find(|(other, by, _)| other == number && *by == tile).map(|(_, _, axis)| *axis);
        let axis = known.unwrap_or(self.extents.len());
        let grid = extent / tile.max(1) + i64::from(extent % tile.max(1) != 0);
        if known.is_none() {
            self.extents.extend([grid, tile]);
            self.cuts.push((number.clone(), tile, axis));
        }
        let whole = |axis, radix| Number::from_slice(&[Digit { axis, weight: 1, radix, stride: 1 }]);
        (whole(axis, grid), whole(axis + 1, tile))
    }
}

/// The offset as digits of the axes, each logical dim given as digits of them; `None` where they carry.
pub(super) fn digits(image: &Image, dims: &[Number], axes: &[i64]) -> Option<Number> {
    let mut axes = Cuts::new(axes);
    let count = axes.extents.len();
    let sum = digits_and_cuts(image, dims, &mut axes)?;
    (axes.extents.len() == count).then_some(sum)
}

/// The offset as digits of the axes and of the cuts where they carry; `None` where that leaves 64 bits.
pub(super) fn digits_and_cuts(image: &Image, dims: &[Number], axes: &mut Cuts) -> Option<Number> {
    let mut at: Vec<Number> = image.order().iter().map(|dim| dims.get(*dim).cloned()).collect::<Option<_>>()?;
    for (number, step) in image.steps().iter().enumerate() {
        let last = number + 1 == image.steps().len();
        let cut = at.split_off(step.kept);
        let mut rest = std::iter::repeat_n(Number::new(), step.ones).chain(cut);
        let mut insides = Vec::new();
        for cut in &step.cuts {
            let mut merged = Number::new();
            let mut weight = cut.extent;
            for extent in &cut.merged {
                weight /= (*extent).max(1);
                for digit in &rest.next()? {
                    merged.push(Digit { stride: digit.stride.checked_mul(weight)?, ..*digit });
                }
            }
            join(&mut merged);
            // The rows of the last tile may follow each other as if there was no cut.
            let grid = image.strides().get(at.len());
            let inside = image.strides().get(at.len() + step.cuts.len());
            let uncut = last && inside.and_then(|inside| inside.checked_mul(cut.tile)).as_ref() == grid;
            let (above, below) = match uncut {
                true => (Number::new(), merged),
                false => match split(&merged, cut.tile, &axes.extents) {
                    Some(parts) => parts,
                    None => axes.cut(&merged, cut.extent, cut.tile),
                },
            };
            at.push(above);
            insides.push(below);
        }
        at.append(&mut insides);
    }
    let mut sum = Number::new();
    for (number, stride) in at.iter().zip(image.strides()) {
        for digit in number {
            sum.push(Digit { stride: digit.stride.checked_mul(*stride)?, ..*digit });
        }
    }
    join(&mut sum);
    Some(sum)
}

/// A number divided by a tile extent, and its rest.
fn split(number: &Number, tile: i64, axes: &[i64]) -> Option<(Number, Number)> {
    let mut number = number.clone();
    number.sort_by_key(|digit| digit.stride);
    let (mut above, mut below) = (Number::new(), Number::new());
    let mut largest = 0i64;
    for digit in &number {
        let reach = digit.stride.checked_mul(digit.radix - 1)?;
        if digit.stride >= tile {
            if digit.stride % tile != 0 {
                return None;
            }
            above.push(Digit { stride: digit.stride / tile, ..*digit });
        } else if largest.checked_add(reach)? < tile {
            below.push(*digit);
            largest += reach;
        } else {
            // The cut falls into this digit: what is below has to fill its 1, and the parts have to be digits again.
            let radix = tile / digit.stride;
            let whole = digit.radix % radix == 0 || digit.is_top(*axes.get(digit.axis)?);
            if tile % digit.stride != 0 || largest >= digit.stride || !whole {
                return None;
            }
            below.push(Digit { radix, ..*digit });
            let weight = digit.weight.checked_mul(radix)?;
            let rounds = digit.radix / radix + i64::from(digit.radix % radix != 0);
            above.push(Digit { axis: digit.axis, weight, radix: rounds, stride: 1 });
            largest += digit.stride.checked_mul(radix - 1)?;
        }
    }
    Some((above, below))
}

impl Image {
    /// The offset as digits of the logical dims, fastest first within each; `None` where a merged dim makes them carry.
    ///
    /// ```
    /// use bitstride::xla::{Array, Image};
    /// let array: Array = "bf16[16,256]{1,0:T(8,128)(2,1)}".parse()?;
    /// let digits = Image::of(&array)?.digits().unwrap_or_default();
    /// let strides: Vec<_> = digits.iter().map(|digit| (digit.axis, digit.weight, digit.radix, digit.stride)).collect();
    /// assert_eq!(strides, [(0, 1, 2, 1), (0, 2, 4, 256), (0, 8, 2, 2048), (1, 1, 128, 2), (1, 128, 2, 1024)]);
    /// let carrying: Array = "f32[11,10]{1,0:T(*,3)}".parse()?;
    /// assert!(Image::of(&carrying)?.digits().is_some(), "all dims merged are one line");
    /// let carrying: Array = "f32[4,11,10]{2,1,0:T(2,*,3)}".parse()?;
    /// assert_eq!(Image::of(&carrying)?.digits(), None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn digits(&self) -> Option<Vec<Digit>> {
        digits(self, &own(self.dims()), self.dims()).map(|digits| digits.to_vec())
    }
}

/// Each dim as an axis of its own.
pub(super) fn own(dims: &[i64]) -> Vec<Number> {
    let mut own = Vec::new();
    for (axis, radix) in dims.iter().enumerate() {
        own.push(Number::from_slice(&[Digit { axis, weight: 1, radix: *radix, stride: 1 }]));
    }
    own
}
