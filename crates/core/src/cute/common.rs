//! What two layouts have in common: the longest stretch of offsets that both reach from the same indices.
//!
//! Law of [`max_common_layout`]: R stays in both domains, and A(R(i)) = i and B(R(i)) = i for every i below size(R).
//! It is what decides how wide a vectorised copy between A and B may be; [`max_common_vector`] is its size. CuTe goes
//! on beyond the end of the shorter layout, where a copy has no elements to move. [`domain_distribute`] finds an
//! ordered set of indices of a shape with a wanted size.

use super::coalesce::{Flat, coalesce, coalesce_flat};
use super::composition::composition;
use super::inverse::right_inverse;
use super::layout::Layout;
use super::make::column_major;
use crate::basis::StrideLeaf;
use crate::error::{Class, Code, Error};
use crate::int::{Integer, gcd};
use crate::tuple::{Tuple, need_extents};

/// The longest layout R with A(R(i)) = i = B(R(i)).
///
/// # Errors
/// [`Code::MissingFact`], [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::max_common_layout, StaticLayout};
/// let (a, b): (StaticLayout, StaticLayout) = ("(3,6,3):(18,3,1)".parse()?, "(3,6,3):(18,3,1)".parse()?);
/// assert_eq!(max_common_layout(&a, &b)?.to_string(), "(3,6,3):(18,3,1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn max_common_layout<I: Integer, D: StrideLeaf<I>>(
    a: &Layout<I, D>,
    b: &Layout<I, D>,
) -> Result<Layout<I, D>, Error> {
    // A coordinate is no index, whichever of the two leads to it.
    if b.strides().iter().any(|stride| stride.as_integer().is_none()) {
        return Ok(Layout::unit());
    }
    let mut inverse = right_inverse(b)?;
    // A chain that A cannot follow to its end may still be followed for its first modes.
    loop {
        match composition(a, &inverse) {
            Ok(both) => {
                let indices = truncated(&inverse, &coalesce(&both)?)?;
                // A size beyond 64 bits has all indices.
                return Ok(a.size().map_or(indices.clone(), |size| within(&indices, &size)));
            }
            Err(error) if error.code().class() != Class::Refused => return Err(error),
            Err(_) => {
                let shorter = inverse.extents().len().saturating_sub(1);
                let (shape, stride) = (inverse.extents().get(..shorter), inverse.strides().get(..shorter));
                inverse = coalesce_flat(shape.unwrap_or(&[]), stride.unwrap_or(&[])).into_layout();
            }
        }
    }
}

fn truncated<I: Integer, D: StrideLeaf<I>>(inverse: &Layout<I, D>, both: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    match (both.extents().first(), both.strides().first()) {
        (Some(extent), Some(stride)) if extent.fixed().is_some() && stride.same(&D::from(I::from(1))) => {
            composition(inverse, &Layout::mode(extent.clone(), stride.clone()))
        }
        _ => Ok(Layout::unit()),
    }
}

/// The first elements of a layout of indices, as many as stay below a size.
fn within<I: Integer, D: StrideLeaf<I>>(indices: &Layout<I, D>, size: &I) -> Layout<I, D> {
    let mut flat = Flat::new();
    let mut last = I::from(0);
    for (extent, stride) in indices.extents().iter().zip(indices.strides()) {
        let (Some(many), Some(step)) = (extent.value(), stride.as_integer()) else { break };
        let end = I::from(many.saturating_sub(1)).mul(step).and_then(|reach| last.add(&reach));
        if let Ok(end) = end
            && end.add(&I::from(1)).is_ok_and(|count| count.at_most(size) == Some(true))
        {
            flat.push(extent.clone(), stride.clone());
            last = end;
            continue;
        }
        // As much of this mode as fits, where the size is known.
        if let (Some(size), Some(last), Some(step)) = (size.fixed(), last.fixed(), step.fixed())
            && size > last
            && step > 0
        {
            flat.push(I::from((size - 1 - last) / step + 1), stride.clone());
        }
        break;
    }
    coalesce_flat(&flat.shape, &flat.stride).into_layout()
}

/// The number of elements that a copy between two layouts may move at once: the size of [`max_common_layout`].
///
/// # Errors
/// As [`max_common_layout`].
pub fn max_common_vector<I: Integer, D: StrideLeaf<I>>(a: &Layout<I, D>, b: &Layout<I, D>) -> Result<I, Error> {
    max_common_layout(a, b)?.size()
}

/// An ordered layout of indices of shape `a` with `b` elements, or as many as divide it: mode by mode the greatest
/// common divisor is taken.
///
/// # Errors
/// [`Code::MissingFact`] unless all leaves are static, [`Code::Range`] for a negative number, [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::domain_distribute, StaticLayout, Tuple};
/// let layout: StaticLayout = domain_distribute(&Tuple::flat(&[15, 14]), &6)?;
/// assert_eq!(layout.to_string(), "(3,2):(1,15)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn domain_distribute<I: Integer, D: StrideLeaf<I>>(a: &Tuple<I>, b: &I) -> Result<Layout<I, D>, Error> {
    let fixed = |n: &I| {
        n.fixed().ok_or_else(|| error!(Code::MissingFact, "domain_distribute({a}, {b}): {n} must be static", [a, b, n]))
    };
    need_extents(std::slice::from_ref(b))?;
    let mut rest = fixed(b)?;
    let compact: Layout<I, D> = column_major(a)?;
    let mut shape = Vec::new();
    for extent in a.leaves() {
        let part = gcd(fixed(extent)?, rest);
        rest = rest.checked_div(part).unwrap_or(rest);
        shape.push(I::from(part));
    }
    Ok(coalesce_flat(&shape, compact.strides()).into_layout())
}
