//! Sums of layouts, and the indices on which two shapes move alike.
//!
//! `layout_add(A, B)` is the coalesced layout R with R(i) = A(i) + B(i), where the modes of both refine to common
//! ones: `(12,3,4):(12,4,1) + (4,3,12):(12,96,1)` is `(4,3,3,4):(24,144,5,4)`. `greatest_common_domain(S, T)` is an
//! ordered layout of indices whose modes each lie within one mode of S and one of T, so that both coordinates move in
//! straight lines along it (the whitepaper's operation, arXiv 2603.02298).

use super::coalesce::{Flat, coalesce_flat};
use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::{Integer, gcd};
use crate::tuple::{Tuple, need_extents};

/// The layout of the sums A(i) + B(i).
///
/// # Errors
/// [`Code::Profile`] when the sizes differ, [`Code::NotALayout`] when a mode of one crosses a mode of the other,
/// [`Code::MissingFact`] unless the extents are static, [`Code::Overflow`].
pub fn layout_add<I: Integer, D: StrideLeaf<I>>(a: &Layout<I, D>, b: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let (size, other) = (a.size()?, b.size()?);
    if size.value() != other.value() || size.value().is_none() {
        return Err(error!(Code::Profile, "layout_add: {a} has {size} elements, {b} has {other}", [a, size, b, other]));
    }
    let mut left = coalesce_flat(a.extents(), a.strides());
    let mut right = coalesce_flat(b.extents(), b.strides());
    let mut flat = Flat::new();
    reverse(&mut left);
    reverse(&mut right);
    while let (Some(m), Some(n)) = (left.shape.pop(), right.shape.pop()) {
        let (d, e) = (left.stride.pop().unwrap_or_default(), right.stride.pop().unwrap_or_default());
        let part = if m.same(&n) { m.clone() } else { common_part(&m, &n)? };
        for (list, whole, step) in [(&mut left, m, &d), (&mut right, n, &e)] {
            let rest = whole.quotient(&part)?;
            if !whole.same(&part) {
                list.push(rest, step.scale(&part)?);
            }
        }
        flat.push_merging(&part, &d.plus(&e)?);
    }
    Ok(flat.into_layout())
}

/// The smaller of two extents, which must divide the larger.
fn common_part<I: Integer>(m: &I, n: &I) -> Result<I, Error> {
    match (m.fixed(), n.fixed()) {
        (Some(p), Some(q)) if p != 0 && q != 0 && (q % p == 0 || p % q == 0) => m.min(n),
        (Some(_), Some(_)) => Err(error!(
            Code::NotALayout,
            "layout_add: a mode of {m} meets a mode of {n}, and neither divides the other",
            [m, n]
        )),
        _ => Err(error!(Code::MissingFact, "layout_add: how the extents {m} and {n} divide is not known", [m, n])),
    }
}

fn reverse<I: Integer, D: StrideLeaf<I>>(flat: &mut Flat<I, D>) {
    flat.shape.reverse();
    flat.stride.reverse();
}

/// The ordered layout of indices whose modes lie within one mode of each shape.
///
/// # Errors
/// [`Code::MissingFact`] unless all leaves are static, [`Code::Range`] for a negative extent, [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::greatest_common_domain, StaticLayout, Tuple};
/// let layout: StaticLayout = greatest_common_domain(&Tuple::flat(&[6, 35]), &Tuple::flat(&[15, 14]))?;
/// assert_eq!(layout.to_string(), "(3,7):(1,30)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn greatest_common_domain<I: Integer, D: StrideLeaf<I>>(a: &Tuple<I>, b: &Tuple<I>) -> Result<Layout<I, D>, Error> {
    let (mut left, mut right) = (extents(a)?, extents(b)?);
    let mut place = Ok(1_i64);
    let mut shape = Vec::new();
    let mut strides = Vec::new();
    // Behind the last mode nothing need fit in 64 bits.
    let on = |place: Result<i64, Error>, by: i64| {
        place.and_then(|place| place.checked_mul(by).ok_or_else(|| Error::overflow("an index of the common domain")))
    };
    while let (Some(&m), Some(&n)) = (left.last(), right.last()) {
        let part = gcd(m, n);
        if part > 1 {
            shape.push(I::from(part));
            strides.push(D::from(I::from(place.clone()?)));
            place = on(place, part);
            if !(pass(&mut left, part) && pass(&mut right, part)) {
                break;
            }
        } else {
            // No common step here: both go on to where their coordinates next begin together.
            let both = on(Ok(m), n)?;
            place = on(place, both);
            if !(pass(&mut left, both) && pass(&mut right, both)) {
                break;
            }
        }
    }
    if shape.is_empty() {
        return Ok(Layout::of(&[Layout::unit()]));
    }
    Layout::new(Tuple::flat(&shape), Tuple::flat(&strides))
}

/// The extents larger than 1, last one first.
fn extents<I: Integer>(shape: &Tuple<I>) -> Result<Vec<i64>, Error> {
    need_extents(shape.leaves())?;
    let mut extents = Vec::new();
    for extent in shape.leaves().iter().rev() {
        let extent = extent.fixed().ok_or_else(|| {
            error!(Code::MissingFact, "greatest_common_domain: the extent {extent} must be static", [extent])
        })?;
        if extent < 0 {
            return Err(error!(Code::Range, "greatest_common_domain: the extent {extent} is negative", [extent]));
        }
        if extent == 0 {
            return Ok(Vec::new());
        }
        if extent > 1 {
            extents.push(extent);
        }
    }
    Ok(extents)
}

/// Takes `n` elements off the front of the extents, where that ends within a mode evenly.
fn pass(extents: &mut Vec<i64>, mut n: i64) -> bool {
    while n > 1 {
        let Some(extent) = extents.pop() else { return false };
        if n % extent == 0 {
            n /= extent;
        } else if extent % n == 0 {
            extents.push(extent / n);
            n = 1;
        } else {
            return false;
        }
    }
    true
}
