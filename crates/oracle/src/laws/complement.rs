//! Laws of the complement.

use std::collections::BTreeSet;

use super::{CheckResult, Violation, first_repeat, hold};
use crate::reference::{self, Layout, Nest, OracleError};

/// `complement(A, M) = R`: R is ordered (its values rise), disjoint from A (no place is reached by two pairs of
/// a place of A and an index of R), and the pair covers: the interval around 0 that (A, R) spans is at least as
/// long as the target.
///
/// | A | M | R | |
/// |---|---|---|---|
/// | `4:1` | 24 | `6:4` | held |
/// | `4:2` | 23 | `3:8` | held: it spans 23; but see [`complement_fills`] |
/// | `4:1` | 24 | `6:3` | broken: 3 + 0 = 0 + 3 |
pub fn complement(a: &Layout, target: &Nest<i64>, answer: &Layout) -> CheckResult {
    const LAW: &str = "complement";
    let values = answer.int_values()?;
    for (index, (low, high)) in values.iter().zip(values.iter().skip(1)).enumerate() {
        hold(LAW, low < high, || format!("R({index}) = {low} does not rise to R({}) = {high}", index + 1))?;
    }
    let pairs = pairs(a, answer)?;
    if let Some((first, second)) = first_repeat(pairs.iter().map(|(place, copy)| place + copy)) {
        let show = |at: usize| pairs.get(at).map_or_else(String::new, |(place, copy)| format!("{place}+{copy}"));
        return hold(LAW, false, || format!("{} = {}", show(first), show(second)));
    }
    let cosize = Layout::join(vec![a.clone(), answer.clone()]).cosize()?;
    let wanted = target.size()?;
    hold(LAW, cosize >= wanted, || format!("cosize of (A, R) is {cosize}, below the target {wanted}"))
}

/// The complement leaves no hole: the places of A and R together are all of `[0, n)` for an n at least the target.
/// Stronger than the law of complement, and promised where A's sorted strides divide one another.
pub fn complement_fills(a: &Layout, target: &Nest<i64>, answer: &Layout) -> CheckResult {
    complement(a, target, answer)?;
    let places: BTreeSet<i64> = pairs(a, answer)?.into_iter().map(|(place, copy)| place + copy).collect();
    for (wanted, place) in (0..).zip(&places) {
        hold("complement_fills", *place == wanted, || format!("no place of A and R together is {wanted}"))?;
    }
    let (places, wanted) = (places.len(), target.size()?);
    hold("complement_fills", i64::try_from(places).is_ok_and(|places| places >= wanted), || {
        format!("{places} places do not fill a target of {wanted}")
    })
}

/// `complement(A, M)` was refused: two moving leaves of A interleave, or one runs down.
pub fn complement_refusal(a: &Layout, target: &Nest<i64>) -> CheckResult {
    match reference::complement(a, target)? {
        None => Ok(()),
        Some(answer) => Err(Violation { law: "complement_refusal", witness: format!("{answer} fills the gaps") }),
    }
}

/// Each place of A with each value of R.
fn pairs(a: &Layout, answer: &Layout) -> Result<Vec<(i64, i64)>, OracleError> {
    let places: BTreeSet<i64> = a.int_values()?.into_iter().collect();
    let copies = answer.int_values()?;
    let size = i64::try_from(places.len()).ok().and_then(|n| n.checked_mul(i64::try_from(copies.len()).ok()?));
    let size = size.ok_or(OracleError::Overflow)?;
    if size > reference::LIMIT {
        return Err(OracleError::TooLarge(size));
    }
    let mut pairs = Vec::new();
    for copy in &copies {
        for place in &places {
            place.checked_add(*copy).ok_or(OracleError::Overflow)?;
            pairs.push((*place, *copy));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn complements_are_ordered_disjoint_and_cover() {
        let check =
            |a, target, answer, violation| verdict(complement(&parsed(a), &parsed(target), &parsed(answer)), violation);
        check("4:1", "24", "6:4", None);
        check("4:2", "24", "(2,3):(1,8)", None);
        check("(2,4):(0,6)", "24", "6:1", None);
        check("4:1", "(5,4)", "8:4", None);
        check("4:1", "24", "6:3", Some("complement: 3+0 = 0+3"));
        check("4:2", "24", "(3,2):(8,1)", Some("complement: R(2) = 16 does not rise to R(3) = 1"));
        check("4:1", "24", "5:4", Some("complement: cosize of (A, R) is 20, below the target 24"));
    }

    #[test]
    fn filling_leaves_no_hole() {
        let check = |a, target, answer, violation| {
            verdict(complement_fills(&parsed(a), &parsed(target), &parsed(answer)), violation)
        };
        check("4:2", "24", "(2,3):(1,8)", None);
        check("4:2", "23", "3:8", Some("complement_fills: no place of A and R together is 1"));
    }

    #[test]
    fn refusing_a_complement() {
        let check = |a, target, violation| verdict(complement_refusal(&parsed(a), &parsed(target)), violation);
        check("(4,2):(18,12)", "8", None);
        check("4:2", "24", Some("complement_refusal: (2,3):(1,8) fills the gaps"));
    }
}
