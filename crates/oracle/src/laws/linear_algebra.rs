//! Laws of linear layouts: linearity, composition, product, division and the inverses.
//!
//! A layout is given by its values at all points of its in dims. Values are xored dim by dim.

use super::{CheckResult, hold};
use crate::reference::{LIMIT, Linear, OracleError, Place, merged};

/// The values at the packed places 0, 1, 2, … are those of a linear map: the value at `x ^ y` is the exclusive-or of
/// those at `x` and `y`, for all pairs.
///
/// | values | |
/// |---|---|
/// | (0), (2), (1), (3) | held |
/// | (0), (2), (1), (2) | broken: at 1 ^ 2 the value is (2), but must be (3) |
pub fn linear(values: &[Vec<i64>]) -> CheckResult {
    let size = i64::try_from(values.len()).unwrap_or(i64::MAX);
    if size.saturating_mul(size) > LIMIT {
        return Err(OracleError::TooLarge(size).into());
    }
    for (x, first) in values.iter().enumerate() {
        for (y, second) in values.iter().enumerate() {
            let wanted: Vec<i64> = first.iter().zip(second).map(|(one, other)| one ^ other).collect();
            let value = values.get(x ^ y).map_or(&[][..], Vec::as_slice);
            hold("linear", value == wanted, || format!("at {x} ^ {y} the value is {value:?}, but must be {wanted:?}"))?;
        }
    }
    Ok(())
}

/// `compose(inner, outer) = R`: R has the in dims of the inner and the out dims of the outer, and
/// `R(x) = outer(inner(x))` for every place x.
pub fn linear_compose(inner: &Linear, outer: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_compose";
    hold(LAW, answer.ins() == inner.ins() && answer.outs() == outer.outs(), || format!("R = {answer} has other dims"))?;
    for (place, between) in inner.table()? {
        same_at(LAW, &place, &answer.at(&place), &outer.at(&between))?;
    }
    Ok(())
}

/// `product(A, B) = R`: the dims of R are those of both, in the order of [`merged`]; each has the product of its sizes in A
/// and B, A being the minor part, and `R(x, y) = A(x) + B(y) * size(A)`, out dim by out dim.
pub fn linear_product(a: &Linear, b: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_product";
    let sides = [(a.ins(), b.ins(), answer.ins()), (a.outs().to_vec(), b.outs().to_vec(), answer.outs().to_vec())];
    for (mine, theirs, both) in &sides {
        let known = mine.iter().chain(theirs).all(|(name, _)| both.iter().any(|(other, _)| other == name));
        hold(LAW, known, || format!("R = {answer} lacks a dim"))?;
        for (name, size) in both {
            let wanted = extent(mine, name).saturating_mul(extent(theirs, name));
            hold(LAW, *size == wanted, || format!("dim {name} of R has size {size}, but must have {wanted}"))?;
        }
        let order = merged(&names(mine), &names(theirs));
        hold(LAW, names(both) == order, || {
            format!("the dims of R = {answer} are not in the order {}", order.join(", "))
        })?;
    }
    let sizes = a.ins();
    for (place, image) in answer.table()? {
        let minor: Place = place.iter().map(|(name, value)| (name.clone(), value % extent(&sizes, name))).collect();
        let major: Place = place.iter().map(|(name, value)| (name.clone(), value / extent(&sizes, name))).collect();
        let (low, high) = (a.at(&minor), b.at(&major));
        let value = |name: &String| {
            let part = |image: &Place| image.get(name).copied().unwrap_or(0);
            part(&low) + part(&high) * extent(a.outs(), name)
        };
        let wanted = answer.outs().iter().map(|(name, _)| (name.clone(), value(name))).collect();
        same_at(LAW, &place, &image, &wanted)?;
    }
    Ok(())
}

/// `divide_left(A, B) = R`: `product(B, R) = A`; R has the dims of A in their order if that is so then.
pub fn linear_divide_left(a: &Linear, b: &Linear, answer: &Linear) -> CheckResult {
    in_order("linear_divide_left", a, answer, |rest| linear_product(b, rest, a))?;
    linear_product(b, answer, a)
}

/// `divide_right(A, B) = R`: `product(R, B) = A`; R has the dims of A in their order if that is so then.
pub fn linear_divide_right(a: &Linear, b: &Linear, answer: &Linear) -> CheckResult {
    in_order("linear_divide_right", a, answer, |rest| linear_product(rest, b, a))?;
    linear_product(answer, b, a)
}

/// `divide_left(A, B)` or, unless `left`, `divide_right(A, B)` is nothing: the one layout that could be the other factor
/// is none. Says nothing of the order of dims.
pub fn linear_divide_refusal(a: &Linear, b: &Linear, left: bool) -> CheckResult {
    const LAW: &str = "linear_divide_refusal";
    let Some(rest) = other_factor(a, b, left) else { return Ok(()) };
    let (first, second) = if left { (b, &rest) } else { (&rest, b) };
    hold(LAW, linear_product(first, second, a).is_err(), || format!("{rest} is the other factor"))
}

/// `invert_and_compose(A, B) = R`: R has the in dims of A and, as out dims, the in dims of B, and `B(R(x)) = A(x)` for
/// every place x of A. The least-squares solution X of `A(X(y)) = B(y)` obeys it with A and B exchanged.
pub fn linear_invert_and_compose(a: &Linear, b: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_invert_and_compose";
    hold(LAW, answer.ins() == a.ins() && answer.outs() == b.ins(), || format!("R = {answer} has other dims"))?;
    for (place, image) in a.table()? {
        same_at(LAW, &place, &b.at(&answer.at(&place)), &image)?;
    }
    Ok(())
}

/// `invert_and_compose(A, B)` is refused because an image of A is none of B.
pub fn linear_invert_and_compose_refusal(a: &Linear, b: &Linear) -> CheckResult {
    let images = b.image()?;
    let contained = a.image()?.is_subset(&images);
    hold("linear_invert_and_compose_refusal", !contained, || "every image of A is one of B".to_owned())
}

/// `pseudoinvert(A) = R`: `A(R(y)) = y` for every element y.
pub fn linear_pseudoinvert(a: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_pseudoinvert";
    hold(LAW, answer.ins() == a.outs() && answer.outs() == a.ins(), || format!("R = {answer} has other dims"))?;
    answer.table()?.iter().try_for_each(|(element, place)| same_at(LAW, element, &a.at(place), element))
}

/// `invert(A) = R`: both `A(R(y)) = y` and `R(A(x)) = x`.
pub fn linear_invert(a: &Linear, answer: &Linear) -> CheckResult {
    linear_pseudoinvert(a, answer)?;
    linear_pseudoinvert(answer, a)
}

/// The answer has the dims of A in their order, or it would break its law with them.
fn in_order(law: &'static str, a: &Linear, answer: &Linear, holds: impl Fn(&Linear) -> CheckResult) -> CheckResult {
    if names(&a.ins()) == names(&answer.ins()) && names(a.outs()) == names(answer.outs()) {
        return Ok(());
    }
    let bases = |name: &String| answer.bases().iter().find(|(own, _)| own == name).map_or(&[][..], |(_, bases)| bases);
    let value = |basis: &Vec<i64>, name: &String| {
        answer.outs().iter().zip(basis).find(|((own, _), _)| own == name).map_or(0, |(_, value)| *value)
    };
    let outs: Vec<(String, i64)> =
        a.outs().iter().map(|(name, _)| (name.clone(), extent(answer.outs(), name))).collect();
    let column = |basis: &Vec<i64>| outs.iter().map(|(name, _)| value(basis, name)).collect();
    let ins = a.bases().iter().map(|(name, _)| (name.clone(), bases(name).iter().map(column).collect())).collect();
    let same = Linear::new(ins, outs.clone())?;
    hold(law, holds(&same).is_err(), || format!("R = {answer} could be {same}"))
}

fn names(dims: &[(String, i64)]) -> Vec<String> {
    dims.iter().map(|(name, _)| name.clone()).collect()
}

/// What A would be without B, if A is a product at all.
fn other_factor(a: &Linear, b: &Linear, left: bool) -> Option<Linear> {
    let rest = |name: &str, whole: i64, part: &[(String, i64)]| match extent(part, name) {
        size if whole % size == 0 => Some((size, whole / size)),
        _ => None,
    };
    let outs: Option<Vec<(String, i64)>> =
        a.outs().iter().map(|(name, size)| Some((name.clone(), rest(name, *size, b.outs())?.1))).collect();
    let mut ins = Vec::new();
    for (name, bases) in a.bases() {
        let theirs = b.bases().iter().find(|(other, _)| other == name).map_or(0, |(_, bases)| bases.len());
        let kept = bases.len().checked_sub(theirs)?;
        let skipped = if left { theirs } else { 0 };
        let mut columns = Vec::new();
        for basis in bases.iter().skip(skipped).take(kept) {
            let values = a.outs().iter().zip(basis);
            columns.push(
                values.map(|((out, _), value)| if left { value / extent(b.outs(), out) } else { *value }).collect(),
            );
        }
        ins.push((name.clone(), columns));
    }
    Linear::new(ins, outs?).ok()
}

/// The size of a dim; 1 where it is absent.
pub(super) fn extent(dims: &[(String, i64)], name: &str) -> i64 {
    dims.iter().find(|(other, _)| other == name).map_or(1, |(_, size)| *size)
}

/// The answer has this value at a place.
pub(super) fn same_at(law: &'static str, place: &Place, value: &Place, wanted: &Place) -> CheckResult {
    hold(law, value == wanted, || {
        format!("at ({}) it gives ({}), but must give ({})", show(place), show(value), show(wanted))
    })
}

/// A point as text.
pub(super) fn show(point: &Place) -> String {
    point.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn linear_maps_add() {
        let check = |values: &[i64], violation| {
            verdict(linear(&values.iter().map(|value| vec![*value]).collect::<Vec<_>>()), violation);
        };
        check(&[0, 2, 1, 3], None);
        check(&[0, 2, 1, 2], Some("linear: at 1 ^ 2 the value is [2], but must be [3]"));
        check(&[1, 2], Some("linear: at 0 ^ 0 the value is [1], but must be [0]"));
    }

    #[test]
    fn composites_are_pointwise() {
        let check = |inner, outer, answer, violation| {
            verdict(linear_compose(&parsed(inner), &parsed(outer), &parsed(answer)), violation);
        };
        let (inner, outer) = ("linear<{x=[[2],[3]]}, out=[y:4]>", "linear<{y=[[1],[4]]}, out=[z:8]>");
        check(inner, outer, "linear<{x=[[4],[5]]}, out=[z:8]>", None);
        let wrong = Some("linear_compose: at (x = 2) it gives (z = 4), but must give (z = 5)");
        check(inner, outer, "linear<{x=[[4],[4]]}, out=[z:8]>", wrong);
    }

    #[test]
    fn products_are_side_by_side() {
        let (a, b) = ("linear<{r=[[1]]}, out=[d:2]>", "linear<{r=[[1]], l=[[2]]}, out=[d:4]>");
        let check = |answer, violation| verdict(linear_product(&parsed(a), &parsed(b), &parsed(answer)), violation);
        check("linear<{r=[[1],[2]], l=[[4]]}, out=[d:8]>", None);
        check(
            "linear<{r=[[1],[2]]}, out=[d:8]>",
            Some("linear_product: R = linear<{r=[[1],[2]]}, out=[d:8]> lacks a dim"),
        );
        let swapped = Some("linear_product: at (l = 0, r = 1) it gives (d = 2), but must give (d = 1)");
        check("linear<{r=[[2],[1]], l=[[4]]}, out=[d:8]>", swapped);
        let whole: Linear = parsed("linear<{r=[[1],[2]], l=[[4]]}, out=[d:8]>");
        verdict(linear_divide_left(&whole, &parsed(a), &parsed(b)), None);
        verdict(linear_divide_refusal(&whole, &parsed("linear<{r=[[2]]}, out=[d:4]>"), true), None);
        let exists = format!("linear_divide_refusal: {b} is the other factor");
        verdict(linear_divide_refusal(&whole, &parsed(a), true), Some(&exists));
    }

    #[test]
    fn inverses_find_places() {
        let a: Linear = parsed("linear<{x=[[1],[0],[3]]}, out=[d:4]>");
        verdict(linear_pseudoinvert(&a, &parsed("linear<{d=[[1],[5]]}, out=[x:8]>")), None);
        let wrong = Some("linear_pseudoinvert: at (d = 2) it gives (d = 3), but must give (d = 2)");
        verdict(linear_pseudoinvert(&a, &parsed("linear<{d=[[1],[4]]}, out=[x:8]>")), wrong);
        let b: Linear = parsed("linear<{y=[[3]]}, out=[d:4]>");
        verdict(linear_invert_and_compose(&b, &a, &parsed("linear<{y=[[6]]}, out=[x:8]>")), None);
        verdict(linear_invert_and_compose_refusal(&a, &b), None);
        verdict(
            linear_invert_and_compose_refusal(&b, &a),
            Some("linear_invert_and_compose_refusal: every image of A is one of B"),
        );
    }
}
