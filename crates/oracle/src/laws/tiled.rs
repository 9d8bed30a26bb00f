//! Laws of tiled arrays: where elements lie, what is padding, and when two arrays have the same memory.

use super::{CheckResult, first_repeat, hold};
use crate::reference::{self, OracleError, Tiled};

/// The definition agrees with itself: the index formula and the memory made by pad, reshape and transpose give every
/// element the same offset, no two the same, and all other places are padding.
pub fn tiled_offsets(a: &Tiled) -> CheckResult {
    const LAW: &str = "tiled_offsets";
    let (offsets, memory) = (a.offsets()?, a.memory()?);
    tiled_size(a, length(&memory)?)?;
    if let Some((first, second)) = first_repeat(offsets.iter().copied()) {
        return hold(LAW, false, || format!("elements {first} and {second} of {a} share an offset"));
    }
    let mut wanted = vec![None; memory.len()];
    for (element, offset) in (0..).zip(&offsets) {
        let place = usize::try_from(*offset).ok().and_then(|at| wanted.get_mut(at));
        let Some(place) = place else {
            return hold(LAW, false, || format!("element {element} of {a} lies at {offset} of {}", memory.len()));
        };
        *place = Some(element);
    }
    let differs = memory.iter().zip(&wanted).position(|(one, other)| one != other);
    differs.map_or(Ok(()), |at| {
        let element =
            |list: &[Option<i64>]| list.get(at).copied().flatten().map_or("padding".into(), |n| n.to_string());
        let (moved, computed) = (element(&memory), element(&wanted));
        hold(LAW, false, || format!("at {at} of {a} the memory has {moved}, the index formula {computed}"))
    })
}

/// The offset of an element.
pub fn tiled_offset(a: &Tiled, index: &[i64], answer: i64) -> CheckResult {
    const LAW: &str = "tiled_offset";
    hold(LAW, a.contains(index), || format!("{a} has no element {index:?}"))?;
    let wanted = a.offset(index)?;
    hold(LAW, answer == wanted, || format!("element {index:?} of {a} lies at {wanted}, not at {answer}"))
}

/// What lies at an offset: the element whose offset it is, or padding (`None`) where it is the offset of none.
pub fn tiled_place(a: &Tiled, offset: i64, answer: Option<&[i64]>) -> CheckResult {
    const LAW: &str = "tiled_place";
    let size = a.size()?;
    hold(LAW, (0..size).contains(&offset), || format!("{a} has {size} places, and none at {offset}"))?;
    match answer {
        Some(index) => {
            hold(LAW, a.contains(index), || format!("{a} has no element {index:?}"))?;
            let back = a.offset(index)?;
            hold(LAW, back == offset, || format!("element {index:?} of {a} lies at {back}, not at {offset}"))
        }
        None => {
            let at = a.offsets()?.into_iter().position(|other| other == offset);
            let index = at.and_then(|at| a.indices().ok()?.get(at).cloned());
            hold(LAW, at.is_none(), || format!("element {:?} of {a} lies at {offset}", index.unwrap_or_default()))
        }
    }
}

/// What lies at all offsets, in order.
pub fn tiled_places(a: &Tiled, answer: &[Option<Vec<i64>>]) -> CheckResult {
    const LAW: &str = "tiled_places";
    let wanted = a.places()?;
    hold(LAW, answer.len() == wanted.len(), || format!("{a} has {} places, not {}", wanted.len(), answer.len()))?;
    let differs = answer.iter().zip(&wanted).enumerate().find(|(_, (one, other))| one != other);
    differs.map_or(Ok(()), |(at, (answer, wanted))| {
        let shown = |place: &Option<Vec<i64>>| place.as_ref().map_or("padding".into(), |index| format!("{index:?}"));
        hold(LAW, false, || format!("at {at} of {a} is {}, not {}", shown(wanted), shown(answer)))
    })
}

/// The dims after all tiles.
pub fn tiled_dims(a: &Tiled, answer: &[i64]) -> CheckResult {
    let wanted = a.tiled_dims()?;
    hold("tiled_dims", answer == wanted, || format!("{a} has dims {wanted:?} after its tiles, not {answer:?}"))
}

/// The number of places, padding and tail included.
pub fn tiled_size(a: &Tiled, answer: i64) -> CheckResult {
    let wanted = a.size()?;
    hold("tiled_size", answer == wanted, || format!("{a} has {wanted} places, not {answer}"))
}

/// Whether two arrays of the same dims have the same memory image: every element at the same offset, and as many places.
pub fn tiled_same(a: &Tiled, b: &Tiled, answer: bool) -> CheckResult {
    let truth = reference::same_memory(a, b)?;
    let verb = if truth { "have the same memory" } else { "differ in memory" };
    hold("tiled_same", answer == truth, || format!("{a} and {b} {verb}"))
}

/// Whether the reshape of a to b moves nothing.
pub fn tiled_reshape(a: &Tiled, b: &Tiled, answer: bool) -> CheckResult {
    let truth = reference::is_reshape_bitcast(a, b)?;
    hold("tiled_reshape", answer == truth, || format!("{a} reshaped to {b} {}", moves(truth)))
}

/// Whether the transpose of a to b moves nothing, where dim k of b is dim `order[k]` of a.
pub fn tiled_transpose(a: &Tiled, b: &Tiled, order: &[usize], answer: bool) -> CheckResult {
    let truth = reference::is_transpose_bitcast(a, b, order)?;
    hold("tiled_transpose", answer == truth, || format!("{a} transposed by {order:?} to {b} {}", moves(truth)))
}

/// The first element of a, the last dim fastest, that lies elsewhere in b: its index in each and its offset in each.
/// Elements correspond by number (a reshape, or the same dims), or, with an order, as in the transpose where dim k of b is
/// dim `order[k]` of a.
pub fn tiled_difference(
    a: &Tiled,
    b: &Tiled,
    order: Option<&[usize]>,
    indices: [&[i64]; 2],
    offsets: [i64; 2],
) -> CheckResult {
    const LAW: &str = "tiled_difference";
    let turned = |index: &Vec<i64>, order: &[usize]| order.iter().filter_map(|dim| index.get(*dim).copied()).collect();
    let firsts = a.indices()?;
    let seconds: Vec<Vec<i64>> = match order {
        None => b.indices()?,
        Some(order) => firsts.iter().map(|index| turned(index, order)).collect(),
    };
    hold(LAW, firsts.len() == seconds.len(), || format!("{a} and {b} have other numbers of elements"))?;
    for (first, second) in firsts.iter().zip(&seconds) {
        let at = [a.offset(first)?, b.offset(second)?];
        if at[0] != at[1] {
            return hold(LAW, indices == [first, second] && offsets == at, || {
                format!("{a} and {b} differ first at {first:?} and {second:?}: {} and {}", at[0], at[1])
            });
        }
    }
    hold(LAW, false, || format!("{a} and {b} have all elements at the same offsets"))
}

fn moves(free: bool) -> &'static str {
    if free { "moves nothing" } else { "moves elements" }
}

fn length<T>(list: &[T]) -> Result<i64, OracleError> {
    i64::try_from(list.len()).map_err(|_| OracleError::Overflow)
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    const FIGURE: &str = "[3,5]{1,0:T(2,2)}";

    #[test]
    fn offsets_and_places() {
        let figure = parsed(FIGURE);
        verdict(tiled_offsets(&figure), None);
        verdict(tiled_offset(&figure, &[2, 3], 17), None);
        let wrong = Some("tiled_offset: element [2, 3] of [3,5]{1,0:T(2,2)} lies at 17, not at 13");
        verdict(tiled_offset(&figure, &[2, 3], 13), wrong);
        verdict(tiled_offset(&figure, &[3, 0], 18), Some("tiled_offset: [3,5]{1,0:T(2,2)} has no element [3, 0]"));
        verdict(tiled_place(&figure, 17, Some(&[2, 3])), None);
        verdict(tiled_place(&figure, 18, None), None);
        let element = Some("tiled_place: element [2, 3] of [3,5]{1,0:T(2,2)} lies at 17");
        verdict(tiled_place(&figure, 17, None), element);
        let other = Some("tiled_place: element [2, 3] of [3,5]{1,0:T(2,2)} lies at 17, not at 18");
        verdict(tiled_place(&figure, 18, Some(&[2, 3])), other);
        let beyond = Some("tiled_place: [3,5]{1,0:T(2,2)} has 24 places, and none at 24");
        verdict(tiled_place(&figure, 24, None), beyond);
    }

    #[test]
    fn whole_memories() {
        let small: Tiled = parsed("[3]{0:T(2)}");
        let places = [Some(vec![0]), Some(vec![1]), Some(vec![2]), None];
        verdict(tiled_places(&small, &places), None);
        verdict(tiled_places(&small, &places[..3]), Some("tiled_places: [3]{0:T(2)} has 4 places, not 3"));
        let wrong = [Some(vec![0]), Some(vec![1]), None, None];
        verdict(tiled_places(&small, &wrong), Some("tiled_places: at 2 of [3]{0:T(2)} is [2], not padding"));
        verdict(tiled_size(&small, 4), None);
        verdict(tiled_size(&small, 3), Some("tiled_size: [3]{0:T(2)} has 4 places, not 3"));
        verdict(tiled_dims(&small, &[2, 2]), None);
        verdict(tiled_dims(&small, &[4]), Some("tiled_dims: [3]{0:T(2)} has dims [2, 2] after its tiles, not [4]"));
    }

    #[test]
    fn decisions() {
        let [plain, tiled, padded] = ["[4,2]{1,0}", "[4,2]{1,0:T(2,2)}", "[4,2]{1,0:T(8,2)}"].map(parsed::<Tiled>);
        verdict(tiled_same(&plain, &tiled, true), None);
        verdict(tiled_same(&plain, &padded, false), None);
        let same = Some("tiled_same: [4,2]{1,0} and [4,2]{1,0:T(2,2)} have the same memory");
        verdict(tiled_same(&plain, &tiled, false), same);
        let flat: Tiled = parsed("[8]{0}");
        verdict(tiled_reshape(&tiled, &flat, true), None);
        let moves = Some("tiled_reshape: [4,2]{1,0:T(8,2)} reshaped to [8]{0} moves elements");
        verdict(tiled_reshape(&padded, &flat, true), moves);
        let turned: Tiled = parsed("[2,4]{0,1}");
        verdict(tiled_transpose(&tiled, &turned, &[1, 0], true), None);
        let free = Some("tiled_transpose: [4,2]{1,0:T(2,2)} transposed by [1, 0] to [2,4]{0,1} moves nothing");
        verdict(tiled_transpose(&tiled, &turned, &[1, 0], false), free);
    }

    #[test]
    fn first_differences() {
        let [a, b] = ["[2,3]{1,0}", "[2,3]{0,1}"].map(parsed::<Tiled>);
        verdict(tiled_difference(&a, &b, None, [&[0, 1], &[0, 1]], [1, 2]), None);
        let first = Some("tiled_difference: [2,3]{1,0} and [2,3]{0,1} differ first at [0, 1] and [0, 1]: 1 and 2");
        verdict(tiled_difference(&a, &b, None, [&[0, 2], &[0, 2]], [2, 4]), first);
        verdict(tiled_difference(&a, &b, None, [&[0, 1], &[0, 1]], [1, 3]), first);
        let none = Some("tiled_difference: [2,3]{1,0} and [2,3]{1,0} have all elements at the same offsets");
        verdict(tiled_difference(&a, &a, None, [&[0, 1], &[0, 1]], [1, 1]), none);
        let [flat, turned] = ["[6]{0:T(4)(2)L(5)}", "[3,2]{1,0}"].map(parsed::<Tiled>);
        verdict(tiled_difference(&b, &flat, None, [&[0, 1], &[1]], [2, 1]), None);
        verdict(tiled_difference(&a, &turned, Some(&[1, 0]), [&[0, 1], &[1, 0]], [1, 2]), None);
        let other = Some("tiled_difference: [2,3]{1,0} and [2]{0} have other numbers of elements");
        verdict(tiled_difference(&a, &parsed("[2]"), None, [&[0, 1], &[1]], [1, 1]), other);
    }
}
