//! Laws of swizzles, and of layouts composed with them.
//!
//! A composed layout `Sw o offset o L` is given by its values alone, so its laws take the list of the values of the answer.
//! A law that checks values one by one also accepts a list that was cut short, and checks the values that are there.

use std::collections::BTreeSet;

use super::{CheckResult, hold};
use crate::reference::recast::groups;
use crate::reference::{LIMIT, Layout, OracleError, Point, Swizzle, add, ceil_div, composite, digits, mul};

/// The images of 0, 1, 2, … under a swizzle: bit by bit, the target field is exclusive-ored with the source field.
///
/// | swizzle | images | |
/// |---|---|---|
/// | `Sw<1,0,2>` | 0, 1, 2, 3, 5, 4, 7, 6 | held |
/// | `Sw<1,0,2>` | 0, 1, 3, 2 | broken: 2 is sent to 3, but must be sent to 2 |
pub fn swizzle(swizzle: &Swizzle, images: &[i64]) -> CheckResult {
    for (n, image) in (0..).zip(images) {
        let wanted = swizzle.apply(n)?;
        hold("swizzle", *image == wanted, || format!("{n} is sent to {image}, but must be sent to {wanted}"))?;
    }
    Ok(())
}

/// The values of `Sw o offset o L` are `Sw(offset + L(i))`, for every i below size(L).
pub fn composed(swizzle: &Swizzle, offset: i64, layout: &Layout, values: &[i64]) -> CheckResult {
    pointwise("composed", &swizzle.composed(offset, layout)?, values)
}

/// The values of `(Sw o offset o L) o X` are `Sw(offset + L(X(i)))`, for every i below size(X).
pub fn composed_with(swizzle: &Swizzle, offset: i64, layout: &Layout, x: &Layout, values: &[i64]) -> CheckResult {
    let places = composite(layout, x)?.into_iter();
    let wanted: Result<Vec<i64>, OracleError> =
        places.map(|place| swizzle.apply(place.plus(&Point::int(offset))?.to_int()?)).collect();
    pointwise("composed_with", &wanted?, values)
}

/// The values of a right inverse of `Sw o offset o L` stay in the domain and are undone by it: the i-th is sent to i.
pub fn composed_right_inverse(swizzle: &Swizzle, offset: i64, layout: &Layout, values: &[i64]) -> CheckResult {
    const LAW: &str = "composed_right_inverse";
    let (images, size) = (swizzle.composed(offset, layout)?, layout.size()?);
    for (wanted, index) in (0..).zip(values) {
        let image = usize::try_from(*index).ok().and_then(|index| images.get(index));
        let Some(image) = image else {
            return hold(LAW, false, || format!("R({wanted}) = {index} is outside a domain of size {size}"));
        };
        hold(LAW, *image == wanted, || format!("R({wanted}) = {index} is sent to {image}"))?;
    }
    Ok(())
}

/// The values of `Sw o offset o L` in units n times as large, R: with the groups of [`upcast`](super::upcast) of L,
/// coordinate k of group g is part L(k) of the unit R(g), so that `Sw(offset + L(c)) = n R(g) + L(k)`.
pub fn composed_upcast(swizzle: &Swizzle, offset: i64, layout: &Layout, n: i64, values: &[i64]) -> CheckResult {
    const LAW: &str = "composed_upcast";
    let groups = groups(layout, n)?;
    let extents: Vec<i64> = layout.shape().leaves().into_iter().copied().collect();
    let leaves = layout.int_leaves()?;
    for (index, place) in (0..).zip(swizzle.composed(offset, layout)?) {
        let (mut group, mut step, mut part) = (0, 1, 0);
        let digits = digits(index, &extents).into_iter().zip(&leaves).zip(&groups);
        for ((digit, (extent, stride)), many) in digits {
            group = add(group, mul(digit / many, step)?)?;
            step = mul(step, ceil_div(*extent, *many)?)?;
            part = add(part, mul(digit % many, *stride)?)?;
        }
        let Some(unit) = usize::try_from(group).ok().and_then(|group| values.get(group)) else {
            // A list that was cut short.
            hold(LAW, !values.is_empty(), || format!("no value is given for group {group}"))?;
            continue;
        };
        let wanted = add(mul(*unit, n)?, part)?;
        hold(LAW, place == wanted && (0..n).contains(&part), || {
            format!("element {index} lies at {place}, but as part {part} of unit {unit} it is at {wanted}")
        })?;
    }
    Ok(())
}

/// The values of `Sw o offset o L` in units n times as small: all n parts of each of its places. Says nothing about
/// order.
pub fn composed_downcast(swizzle: &Swizzle, offset: i64, layout: &Layout, n: i64, values: &[i64]) -> CheckResult {
    let mut parts = BTreeSet::new();
    if layout.size()?.checked_mul(n).is_none_or(|parts| parts > LIMIT) {
        return Err(OracleError::TooLarge(n).into());
    }
    for place in swizzle.composed(offset, layout)? {
        let first = place.checked_mul(n).ok_or(OracleError::Overflow)?;
        parts.extend(first..first.checked_add(n).ok_or(OracleError::Overflow)?);
    }
    as_sets("composed_downcast", &parts, values)
}

fn pointwise(law: &'static str, wanted: &[i64], values: &[i64]) -> CheckResult {
    hold(law, values.len() <= wanted.len() && values.is_empty() == wanted.is_empty(), || {
        format!("{} values were given for a size of {}", values.len(), wanted.len())
    })?;
    for (index, (value, wanted)) in values.iter().zip(wanted).enumerate() {
        hold(law, value == wanted, || format!("the value at {index} is {value}, but must be {wanted}"))?;
    }
    Ok(())
}

fn as_sets(law: &'static str, wanted: &BTreeSet<i64>, values: &[i64]) -> CheckResult {
    let places: BTreeSet<i64> = values.iter().copied().collect();
    if let Some(missing) = wanted.difference(&places).next() {
        hold(law, false, || format!("no value is {missing}"))?;
    }
    match places.difference(wanted).next() {
        None => Ok(()),
        Some(extra) => hold(law, false, || format!("{extra} is a value, but no unit of the operand")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn swizzles_follow_their_bits() {
        let check = |s, images: &[i64], violation| verdict(swizzle(&parsed(s), images), violation);
        check("Sw<1,0,2>", &[0, 1, 2, 3, 5, 4, 7, 6], None);
        check("Sw<2,0,-3>", &[0, 9, 18, 27, 4], None);
        check("Sw<1,0,2>", &[0, 1, 3, 2], Some("swizzle: 2 is sent to 3, but must be sent to 2"));
    }

    #[test]
    fn swizzled_layouts_are_pointwise() {
        let check = |offset, values: &[i64], violation| {
            verdict(composed(&parsed("Sw<2,0,3>"), offset, &parsed("(2,4):(8,1)"), values), violation)
        };
        check(0, &[0, 9, 1, 8, 2, 11, 3, 10], None);
        check(0, &[0, 9], None);
        check(8, &[9, 18], None);
        check(0, &[0, 8], Some("composed: the value at 1 is 8, but must be 9"));
        check(0, &[0; 9], Some("composed: 9 values were given for a size of 8"));
    }

    #[test]
    fn swizzled_layouts_compose_and_invert_pointwise() {
        let (swizzle, layout): (Swizzle, Layout) = (parsed("Sw<1,0,2>"), parsed("(2,4):(4,1)"));
        let with =
            |x, values: &[i64], violation| verdict(composed_with(&swizzle, 0, &layout, &parsed(x), values), violation);
        with("4:2", &[0, 1, 2, 3], None);
        with("2:1", &[0, 5], None);
        with("2:1", &[0, 4], Some("composed_with: the value at 1 is 4, but must be 5"));
        let inverse =
            |values: &[i64], violation| verdict(composed_right_inverse(&swizzle, 0, &layout, values), violation);
        inverse(&[0, 2, 4, 6, 3, 1, 7, 5], None);
        inverse(&[0, 1], Some("composed_right_inverse: R(1) = 1 is sent to 5"));
        inverse(&[0, 9], Some("composed_right_inverse: R(1) = 9 is outside a domain of size 8"));
    }

    #[test]
    fn units_of_swizzled_layouts() {
        // Places 0, 4, 8 and 12; Sw<1,1,2> moves bit 3 into bit 1.
        let (swizzle, layout): (Swizzle, Layout) = (parsed("Sw<1,1,2>"), parsed("4:4"));
        verdict(composed_upcast(&swizzle, 0, &layout, 2, &[0, 2, 5, 7]), None);
        let wrong = "composed_upcast: element 2 lies at 10, but as part 0 of unit 4 it is at 8";
        verdict(composed_upcast(&swizzle, 0, &layout, 2, &[0, 2, 4, 6]), Some(wrong));
        // Parts that change places inside their unit.
        let inside = composed_upcast(&parsed("Sw<1,0,1>"), 0, &parsed("4:1"), 4, &[0]);
        verdict(inside, Some("composed_upcast: element 2 lies at 3, but as part 2 of unit 0 it is at 2"));
        let layout = parsed("2:8");
        verdict(composed_downcast(&swizzle, 0, &layout, 2, &[0, 1, 20, 21]), None);
        let extra = Some("composed_downcast: 22 is a value, but no unit of the operand");
        verdict(composed_downcast(&swizzle, 0, &layout, 2, &[0, 1, 20, 21, 22]), extra);
    }
}
