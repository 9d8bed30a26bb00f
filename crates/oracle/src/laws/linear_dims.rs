//! Laws of the operations on the dims of linear layouts: reshape, transpose, concatenate, resize, rename, parts.

use super::linear_algebra::{extent, same_at, show};
use super::{CheckResult, hold};
use crate::reference::{Linear, Place, number, points};

/// `reshape_ins(A, …) = R`: places of the same number, first dim fastest, have the same image.
pub fn linear_reshape_ins(a: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_reshape_ins";
    let (before, after) = (a.places()?, answer.places()?);
    hold(LAW, before.len() == after.len(), || format!("R has {} places, A has {}", after.len(), before.len()))?;
    before.iter().zip(&after).try_for_each(|(old, new)| same_at(LAW, new, &answer.at(new), &a.at(old)))
}

/// `reshape_outs(A, …) = R`: the images of a place have the same number, first dim fastest.
pub fn linear_reshape_outs(a: &Linear, answer: &Linear) -> CheckResult {
    same_numbers("linear_reshape_outs", a, answer, |outs| outs.to_vec())
}

/// `tensor_reshape(A, shape) = R`: the images of a place have the same number, last dim fastest.
pub fn linear_tensor_reshape(a: &Linear, answer: &Linear) -> CheckResult {
    same_numbers("linear_tensor_reshape", a, answer, |outs| outs.iter().rev().cloned().collect())
}

/// Transposed ins or outs: the dims of R are those of A in any order, and `R(x) = A(x)` in every dim.
pub fn linear_transpose(a: &Linear, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_transpose";
    let sorted = |mut dims: Vec<(String, i64)>| {
        dims.sort();
        dims
    };
    let same = sorted(a.ins()) == sorted(answer.ins()) && sorted(a.outs().to_vec()) == sorted(answer.outs().to_vec());
    hold(LAW, same, || format!("R = {answer} has other dims"))?;
    a.table()?.iter().try_for_each(|(place, image)| same_at(LAW, place, &answer.at(place), image))
}

/// `tensor_transpose(A, order) = R`: the value in out dim k of R is the one in out dim `order[k]` of A.
pub fn linear_tensor_transpose(a: &Linear, order: &[usize], answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_tensor_transpose";
    hold(LAW, order.len() == a.outs().len(), || format!("order {order:?} for {} dims", a.outs().len()))?;
    for (place, image) in a.table()? {
        let pairs = a.outs().iter().zip(order).filter_map(|((name, _), from)| Some((name, a.outs().get(*from)?)));
        let wanted = pairs.map(|(name, (from, _))| (name.clone(), image.get(from).copied().unwrap_or(0))).collect();
        same_at(LAW, &place, &answer.at(&place), &wanted)?;
    }
    Ok(())
}

/// `concat_ins(A, B) = R`: `R(x, y) = A(x) ^ B(y)`, dim by dim.
pub fn linear_concat_ins(a: &Linear, b: &Linear, answer: &Linear) -> CheckResult {
    for (place, image) in answer.table()? {
        let second = b.at(&place);
        let xor = |(name, value): (String, i64)| {
            let other = second.get(&name).copied().unwrap_or(0);
            (name, value ^ other)
        };
        same_at("linear_concat_ins", &place, &image, &a.at(&place).into_iter().map(xor).collect())?;
    }
    let ins: Vec<_> = a.ins().into_iter().chain(b.ins()).collect();
    hold("linear_concat_ins", answer.ins() == ins, || format!("R = {answer} has other in dims"))
}

/// `concat_outs(A, B) = R`: R(x) has the values of A(x) and of B(x).
pub fn linear_concat_outs(a: &Linear, b: &Linear, answer: &Linear) -> CheckResult {
    for (place, image) in answer.table()? {
        let wanted = a.at(&place).into_iter().chain(b.at(&place)).collect();
        same_at("linear_concat_outs", &place, &image, &wanted)?;
    }
    let outs: Vec<_> = a.outs().iter().chain(b.outs()).cloned().collect();
    hold("linear_concat_outs", answer.outs() == outs, || format!("R = {answer} has other out dims"))
}

/// `resize_in_dim(A, dim, size) = R`: `R(x) = A(x)` with the value in the dim taken modulo its old size.
pub fn linear_resize_in_dim(a: &Linear, dim: &str, size: i64, answer: &Linear) -> CheckResult {
    const LAW: &str = "linear_resize_in_dim";
    let old = extent(&a.ins(), dim);
    let new = extent(&answer.ins(), dim);
    hold(LAW, new == size, || format!("dim {dim} of R has size {new}"))?;
    for (place, image) in answer.table()? {
        let wrapped = |(name, value): (&String, &i64)| (name.clone(), if name == dim { value % old } else { *value });
        same_at(LAW, &place, &image, &a.at(&place.iter().map(wrapped).collect()))?;
    }
    Ok(())
}

/// `resize_out_dim(A, dim, size) = R`: the bases are those of A, with 0 in the dim where the value is not below the size.
pub fn linear_resize_out_dim(a: &Linear, dim: &str, size: i64, answer: &Linear) -> CheckResult {
    let kept = |(name, _): &(String, i64), value: i64| if name == dim && value >= size { 0 } else { value };
    let shrunk = |basis: &Vec<i64>| a.outs().iter().zip(basis).map(|(out, value)| kept(out, *value)).collect();
    let bases = a.bases().iter().map(|(name, bases)| (name.clone(), bases.iter().map(shrunk).collect()));
    let outs = a.outs().iter().map(|(name, old)| (name.clone(), if name == dim { size } else { *old }));
    let wanted = Linear::new(bases.collect(), outs.collect())?;
    hold("linear_resize_out_dim", *answer == wanted, || format!("R = {answer}, but must be {wanted}"))
}

/// A renamed dim, on either side: the layouts are equal when `from` is read as `to`.
pub fn linear_rename(a: &Linear, from: &str, to: &str, answer: &Linear) -> CheckResult {
    let renamed = |name: &String| if name == from { to.to_owned() } else { name.clone() };
    let bases = a.bases().iter().map(|(name, bases)| (renamed(name), bases.clone()));
    let outs = a.outs().iter().map(|(name, size)| (renamed(name), *size));
    let both = Linear::new(bases.collect(), outs.collect())?;
    let ins = answer.bases() == both.bases() || answer.bases() == a.bases();
    let outs = answer.outs() == both.outs() || answer.outs() == a.outs();
    hold("linear_rename", ins && outs && answer != a, || format!("R = {answer} for A = {a}"))
}

/// `sublayout(A, ins, outs) = R`, and squeezing: `R(x)` has the values of `A(x)` in the out dims of R, where in dims that
/// R lacks are at 0.
pub fn linear_sublayout(a: &Linear, answer: &Linear) -> CheckResult {
    for (place, image) in answer.table()? {
        let whole = a.at(&place);
        let wanted: Place = whole.into_iter().filter(|(name, _)| image.contains_key(name)).collect();
        same_at("linear_sublayout", &place, &image, &wanted)?;
    }
    Ok(())
}

/// `quotient(A, dims) = R`: A keeps each of the dims as it is, and its other values are those of R at the other dims.
pub fn linear_quotient(a: &Linear, dims: &[String], answer: &Linear) -> CheckResult {
    for (place, image) in a.table()? {
        let mut wanted = answer.at(&place);
        wanted.extend(dims.iter().map(|dim| (dim.clone(), place.get(dim).copied().unwrap_or(0))));
        same_at("linear_quotient", &place, &image, &wanted)?;
    }
    let left = answer.ins().iter().chain(answer.outs()).all(|(name, _)| !dims.contains(name));
    hold("linear_quotient", left, || format!("R = {answer} still has one of {dims:?}"))
}

/// `quotient(A, dims)` is nothing: A moves one of the dims, or couples it with another.
pub fn linear_quotient_refusal(a: &Linear, dims: &[String]) -> CheckResult {
    const LAW: &str = "linear_quotient_refusal";
    let sizes = |sides: Vec<(String, i64)>, dim: &String| sides.into_iter().find(|(name, _)| name == dim);
    if dims.iter().any(|dim| sizes(a.ins(), dim).is_none() || sizes(a.ins(), dim) != sizes(a.outs().to_vec(), dim)) {
        return Ok(());
    }
    for (place, image) in a.table()? {
        let moved = dims.iter().any(|dim| image.get(dim) != place.get(dim));
        let only: Place = place.iter().filter(|(name, _)| dims.contains(name)).map(|(n, v)| (n.clone(), *v)).collect();
        let leaks = a.at(&only).iter().any(|(name, value)| !dims.contains(name) && *value != 0);
        if moved || leaks {
            return Ok(());
        }
    }
    hold(LAW, false, || format!("A = {a} is the identity on {dims:?} and couples them with nothing"))
}

/// The images of a place in two layouts have the same number.
fn same_numbers(
    law: &'static str,
    a: &Linear,
    answer: &Linear,
    order: impl Fn(&[(String, i64)]) -> Vec<(String, i64)>,
) -> CheckResult {
    let sizes = [a, answer].map(|layout| points(layout.outs()).map(|points| points.len()));
    let [before, after] = sizes;
    let (before, after) = (before?, after?);
    hold(law, before == after, || format!("R has {after} elements, A has {before}"))?;
    for (place, image) in a.table()? {
        let (wanted, got) = (number(&order(a.outs()), &image)?, number(&order(answer.outs()), &answer.at(&place))?);
        hold(law, got == wanted, || format!("at ({}) it gives element {got}, but must give {wanted}", show(&place)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    const A: &str = "linear<{r=[[0,1]], l=[[1,2]]}, out=[d:2, e:4]>";

    #[test]
    fn reshapes_keep_numbers() {
        verdict(linear_reshape_ins(&parsed(A), &parsed("linear<{x=[[0,1],[1,2]]}, out=[d:2, e:4]>")), None);
        let swapped = Some("linear_reshape_ins: at (x = 1) it gives (d = 1, e = 2), but must give (d = 0, e = 1)");
        verdict(linear_reshape_ins(&parsed(A), &parsed("linear<{x=[[1,2],[0,1]]}, out=[d:2, e:4]>")), swapped);
        verdict(linear_reshape_outs(&parsed(A), &parsed("linear<{r=[[2]], l=[[5]]}, out=[f:8]>")), None);
        let wrong = Some("linear_reshape_outs: at (l = 0, r = 1) it gives element 1, but must give 2");
        verdict(linear_reshape_outs(&parsed(A), &parsed("linear<{r=[[1]], l=[[6]]}, out=[f:8]>")), wrong);
        verdict(linear_tensor_reshape(&parsed(A), &parsed("linear<{r=[[1]], l=[[6]]}, out=[dim0:8]>")), None);
    }

    #[test]
    fn other_orders_and_sizes() {
        verdict(linear_transpose(&parsed(A), &parsed("linear<{r=[[1,0]], l=[[2,1]]}, out=[e:4, d:2]>")), None);
        let turned: Linear = parsed("linear<{r=[[1,0]], l=[[2,1]]}, out=[d:4, e:2]>");
        verdict(linear_tensor_transpose(&parsed(A), &[1, 0], &turned), None);
        verdict(linear_resize_in_dim(&parsed(A), "r", 1, &parsed("linear<{r=[], l=[[1,2]]}, out=[d:2, e:4]>")), None);
        let small: Linear = parsed("linear<{r=[[0,1]], l=[[1,0]]}, out=[d:2, e:2]>");
        verdict(linear_resize_out_dim(&parsed(A), "e", 2, &small), None);
        verdict(linear_rename(&parsed(A), "r", "x", &parsed("linear<{x=[[0,1]], l=[[1,2]]}, out=[d:2, e:4]>")), None);
        let (r, l) = ("linear<{r=[[0,1]]}, out=[d:2, e:4]>", "linear<{l=[[1,2]]}, out=[d:2, e:4]>");
        verdict(linear_concat_ins(&parsed(r), &parsed(l), &parsed(A)), None);
        let (d, e) = ("linear<{r=[[0]], l=[[1]]}, out=[d:2]>", "linear<{r=[[1]], l=[[2]]}, out=[e:4]>");
        verdict(linear_concat_outs(&parsed(d), &parsed(e), &parsed(A)), None);
    }

    #[test]
    fn parts_and_quotients() {
        verdict(linear_sublayout(&parsed(A), &parsed("linear<{l=[[2]]}, out=[e:4]>")), None);
        let wrong = Some("linear_sublayout: at (l = 1) it gives (e = 1), but must give (e = 2)");
        verdict(linear_sublayout(&parsed(A), &parsed("linear<{l=[[1]]}, out=[e:4]>")), wrong);
        let (map, rest) = ("linear<{r=[[0,2]], w=[[1,0]]}, out=[w:2, r:4]>", "linear<{r=[[2]]}, out=[r:4]>");
        verdict(linear_quotient(&parsed(map), &["w".to_owned()], &parsed(rest)), None);
        verdict(linear_quotient_refusal(&parsed(map), &["r".to_owned()]), None);
        let violation =
            format!("linear_quotient_refusal: A = {map} is the identity on [\"w\"] and couples them with nothing");
        verdict(linear_quotient_refusal(&parsed(map), &["w".to_owned()]), Some(&violation));
    }
}
