//! Functions in elements of another size: recast under offsets and swizzles.
//!
//! A swizzle of bits that lie above the parts of a new element moves whole new elements; one that would move parts inside
//! an element, or into another one, is refused, unless the bit that it reads is never set. So the parts keep their order:
//! n parts of a new element are where n times the new place says, in the order of the layout under the swizzle. Law: for
//! every element c, part k of group g, `X(c) = n·R(g) + L(k)` with the layout L under the swizzle.

use super::composed::Function;
use super::layout::Layout;
use super::recast::rescale;
use super::swizzle::Swizzle;
use crate::basis::{Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::tuple::Tuple;

/// Bits that may be set are read off all offsets of layouts up to this many elements.
const MOST_ENUMERATED: i64 = 1 << 12;

impl Function {
    /// The function in elements `up/down` times as large.
    ///
    /// # Errors
    /// What [`rescale`] refuses; [`Code::NotDivisible`] when a swizzle moves parts of an element, or an offset is no whole number
    /// of elements, [`Code::Range`] when a swizzle meets a ratio that is no power of two, [`Code::NotALayout`] for a chain that is
    /// no layout.
    ///
    /// ```
    /// use bitstride::{Layout, cute::{Function, Swizzle}};
    /// let rows: Layout = "(16,4):(4,1)".parse()?;
    /// let swizzled = |s| Function::compose(Function::Swizzle(s), 0.into(), Function::Layout(rows.clone()));
    /// let whole = swizzled(Swizzle::new(1, 2, 3)?).rescale(4, 1)?;
    /// assert_eq!(whole.to_string(), "Sw<1,0,3> o 0 o (16,1):(1,1)");
    /// assert!(swizzled(Swizzle::new(1, 0, 3)?).rescale(4, 1).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn rescale(&self, up: i64, down: i64) -> Result<Function, Error> {
        match self {
            Function::Layout(layout) => rescale(layout, up, down).map(Function::Layout),
            Function::Offset(slice) => {
                let layout = Function::Layout(rescale(&slice.layout, up, down)?);
                let offset = slice.offset.as_integer().ok_or_else(|| {
                    error!(
                        Code::Kind,
                        "{function}: the offset {offset} is a coordinate",
                        [function = self, offset = slice.offset]
                    )
                })?;
                layout.shifted(&Stride::Int(self.whole_elements(offset, up, down)?))
            }
            Function::Swizzle(swizzle) => rescaled(*swizzle, up, down, -1).map(Function::Swizzle),
            Function::Bytes(bytes) => bytes.rescaled(up, down).map(Function::Bytes),
            // Bytes are moved as before, whatever elements they make.
            Function::Composed(composed) if let Function::Bytes(bytes) = composed.outer => {
                let inner = composed.inner.rescale(up, down)?;
                let offset = self.whole_elements(&composed.offset, up, down)?;
                Ok(Function::compose(Function::Bytes(bytes.rescaled(up, down)?), offset, inner))
            }
            Function::Composed(composed) => {
                let Function::Swizzle(swizzle) = composed.outer else {
                    return self.as_one()?.rescale(up, down);
                };
                let inner = composed.inner.rescale(up, down)?;
                let offset = self.whole_elements(&composed.offset, up, down)?;
                let bits = settable(&composed.inner, &composed.offset);
                let swizzle = rescaled(swizzle, up, down, bits).or_else(|error| {
                    let bits = set(&composed.inner, &composed.offset).ok_or(error)?;
                    rescaled(swizzle, up, down, bits)
                })?;
                Ok(Function::compose(Function::Swizzle(swizzle), offset, inner))
            }
        }
    }

    /// An offset in elements of another size.
    fn whole_elements(&self, offset: &Int, up: i64, down: i64) -> Result<Int, Error> {
        let by = Int::from(up);
        match by.divides(offset) {
            Some(true) => offset.quotient(&by)?.mul(&Int::from(down)),
            known => {
                let (code, is) = match known {
                    Some(false) => (Code::NotDivisible, "no multiple"),
                    _ => (Code::MissingFact, "not known to be a multiple"),
                };
                Err(error!(code, "{function}: the offset {offset} is {is} of {up}", [function = self, offset, is, up]))
            }
        }
    }
}

/// A swizzle of offsets that have only these bits set, in elements of another size.
fn rescaled(swizzle: Swizzle, up: i64, down: i64, bits: i64) -> Result<Swizzle, Error> {
    if swizzle.is_identity() {
        return Ok(swizzle);
    }
    swizzle.upcast(log2(swizzle, up)?, bits)?.downcast(log2(swizzle, down)?)
}

fn log2(swizzle: Swizzle, ratio: i64) -> Result<u32, Error> {
    if ratio > 0 && ratio.count_ones() == 1 {
        return Ok(ratio.trailing_zeros());
    }
    Err(error!(Code::Range, "{swizzle} can be recast by powers of two, not by {ratio}", [swizzle, ratio]))
}

/// A mask of all bits that offsets may have set, by the strides and extents; a bit below none that is set is not set.
pub(super) fn settable(function: &Function, offset: &Int) -> i64 {
    let mut mask = PossibleBits(0);
    mask.add(offset, 1);
    match function {
        Function::Layout(layout) => mask.layout(layout),
        Function::Offset(slice) => {
            match slice.offset.as_integer() {
                Some(offset) => mask.add(offset, 1),
                None => return -1,
            }
            mask.layout(&slice.layout);
        }
        Function::Swizzle(_) | Function::Bytes(_) => return -1,
        Function::Composed(composed) => match composed.outer {
            Function::Swizzle(_) | Function::Bytes(_) => {
                let inner = settable(&composed.inner, &composed.offset);
                let swizzle = match composed.outer {
                    Function::Swizzle(swizzle) => Ok(swizzle),
                    Function::Bytes(bytes) => bytes.of_elements(inner),
                    _ => return -1,
                };
                let Ok(swizzle) = swizzle else { return -1 };
                let moved = swizzle.pairs().filter(|(source, _)| inner >> source & 1 == 1);
                mask.with(moved.fold(inner, |bits, (_, target)| bits | 1 << target));
            }
            _ => return -1,
        },
    }
    mask.0
}

/// The bits that a sum may have set.
struct PossibleBits(i64);

impl PossibleBits {
    fn layout(&mut self, layout: &Layout) {
        for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
            match (stride.as_integer(), extent.value()) {
                (_, Some(..=1)) => {}
                (Some(stride), Some(extent)) => self.add(stride, extent - 1),
                (Some(stride), None) => self.add(stride, i64::MAX),
                (None, _) => self.0 = -1,
            }
        }
    }

    /// Up to this multiple of a number.
    fn add(&mut self, number: &Int, times: i64) {
        let low = number.divisor().trailing_zeros();
        let most = number.fixed().and_then(|number| number.checked_mul(times)).filter(|most| *most >= 0);
        let below = -1_i64 << low.min(62);
        self.with(match (number.fixed(), most) {
            (Some(0), _) => 0,
            (Some(only), _) if times == 1 && only > 0 => only,
            // All multiples below a power of two, of a power of two.
            (_, Some(most)) if most > 0 => below & (-1_i64 << (64 - most.leading_zeros()).min(62)) ^ below,
            _ => below,
        });
    }

    /// Adds numbers with these bits: what both may have set carries upwards.
    fn with(&mut self, bits: i64) {
        let both = self.0 & bits;
        self.0 |= bits;
        if both != 0 {
            self.0 |= -1_i64 << both.trailing_zeros();
        }
    }
}

/// The bits that some offset has set, where there are few elements.
fn set(function: &Function, offset: &Int) -> Option<i64> {
    let size = function.domain().ok()?.size().ok()?.fixed().filter(|size| *size <= MOST_ENUMERATED)?;
    let offset = offset.fixed()?;
    (0..size).try_fold(0, |mask, index| {
        let place = function.offset_at(&Tuple::leaf(Int::from(index))).ok()?.as_integer()?.fixed()?;
        Some(mask | place.checked_add(offset)?)
    })
}
