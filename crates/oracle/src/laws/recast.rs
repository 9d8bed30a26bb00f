//! Laws of recast, upcast and downcast, which change the size of an element.

use std::collections::BTreeSet;

use super::{CheckResult, Violation, hold, same_values};
use crate::reference::recast::{groups, misplaced, parts, scaled};
use crate::reference::{self, Layout, OracleError};

/// `upcast(A, n) = R`: R is congruent with A. Along each leaf, the first coordinates that stay in unit 0 are a group
/// (along stride 0, one coordinate is); every next as many make the next group, the last perhaps short. R has one
/// coordinate for each group, and keeps places: `A(c) = n R(g) + A(k)` where c is coordinate k of group g, and A(k) is
/// inside a unit. So R(g) is the unit `floor(A(c) / n)` of every c of the group.
///
/// | A | n | R | |
/// |---|---|---|---|
/// | `(4,8):(1,4)` | 2 | `(2,8):(1,2)` | held |
/// | `(2,2):(1,1)` | 2 | `(1,1):(1,1)` | broken: the one group reaches place 2, beyond its unit |
pub fn upcast(a: &Layout, n: i64, answer: &Layout) -> CheckResult {
    const LAW: &str = "upcast";
    let groups = groups(a, n)?;
    hold(LAW, a.shape().congruent(answer.shape()), || {
        format!("{} is not of the profile of {}", answer.shape(), a.shape())
    })?;
    for (((extent, stride), group), (new, _)) in a.leaves().into_iter().zip(&groups).zip(answer.leaves()) {
        let wanted = reference::ceil_div(extent, *group)?;
        hold(LAW, new == wanted, || format!("{extent}:{stride} makes {wanted} groups of {group}, not {new}"))?;
    }
    match misplaced(a, n, &groups, answer)? {
        None => Ok(()),
        Some((index, place, kept)) if place == kept => {
            hold(LAW, false, || format!("the group of A({index}) = {place} reaches beyond its unit"))
        }
        Some((index, place, kept)) => {
            hold(LAW, false, || format!("A({index}) = {place}, but the place kept by R is {kept}"))
        }
    }
}

/// `upcast(A, n)` was refused: no layout congruent with A moves whole units.
pub fn upcast_refusal(a: &Layout, n: i64) -> CheckResult {
    match reference::upcast(a, n)? {
        None => Ok(()),
        Some(answer) => Err(Violation { law: "upcast_refusal", witness: format!("{answer} moves whole units") }),
    }
}

/// `downcast(A, n) = R`: one leaf of A, n times as long in R, counts through the parts of its units: coordinate
/// `n q + k` along it is part k of the unit at q, so that R there is `n A(..q..) + k`. The other leaves are as in A.
pub fn downcast(a: &Layout, n: i64, answer: &Layout) -> CheckResult {
    const LAW: &str = "downcast";
    let mut verdict =
        hold(LAW, n == 1 && a == answer, || format!("no leaf of {} is {n} times as long", answer.shape()));
    for leaf in 0..a.leaves().len() {
        if verdict.is_ok() {
            break;
        }
        if scaled(a.shape(), leaf, n)?.compatible(answer.shape())? {
            verdict = same_values(LAW, answer, &parts(a, n, leaf)?);
        }
    }
    verdict
}

/// `downcast(A, n)` was refused: no layout congruent with A counts through the parts of its units.
pub fn downcast_refusal(a: &Layout, n: i64) -> CheckResult {
    match reference::downcast(a, n)? {
        None => Ok(()),
        Some(answer) => {
            Err(Violation { law: "downcast_refusal", witness: format!("{answer} counts through the parts") })
        }
    }
}

/// `recast(A, old, new) = R` for any two widths in bits: exactly the new units that hold a bit of A are places of R,
/// a bit of unit x being any of `[old x, old x + old)`. Says nothing about the order, as upcast and downcast do.
pub fn recast(a: &Layout, old: i64, new: i64, answer: &Layout) -> CheckResult {
    const LAW: &str = "recast";
    if old < 1 || new < 1 {
        return Err(OracleError::Malformed(format!("units of {old} and {new} bits hold nothing")).into());
    }
    let mut wanted = BTreeSet::new();
    let pieces = old / new + 2;
    if a.size()?.checked_mul(pieces).is_none_or(|pieces| pieces > reference::LIMIT) {
        return Err(OracleError::TooLarge(pieces).into());
    }
    for unit in a.int_values()? {
        let first = unit.checked_mul(old).ok_or(OracleError::Overflow)?;
        let last = first.checked_add(old - 1).ok_or(OracleError::Overflow)?;
        wanted.extend(first.div_euclid(new)..=last.div_euclid(new));
    }
    let places: BTreeSet<i64> = answer.int_values()?.into_iter().collect();
    if let Some(missing) = wanted.difference(&places).next() {
        hold(LAW, false, || format!("unit {missing} of {new} bits holds bits of A, but is no place of R"))?;
    }
    match places.difference(&wanted).next() {
        None => Ok(()),
        Some(extra) => {
            hold(LAW, false, || format!("unit {extra} of {new} bits is a place of R, but holds no bit of A"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn groups_go_to_their_units() {
        let check = |a, n, answer, violation| verdict(upcast(&parsed(a), n, &parsed(answer)), violation);
        check("(4,8):(1,4)", 2, "(2,8):(1,2)", None);
        check("15:1", 2, "8:1", None);
        check("(1,(2,2),8):(1,(1,2),4)", 8, "(1,(1,1),4):(1,(1,1),1)", None);
        check("2:3", 2, "2:2", Some("upcast: A(1) = 3, but the place kept by R is 4"));
        check("(2,2):(1,1)", 2, "(1,1):(1,1)", Some("upcast: the group of A(3) = 2 reaches beyond its unit"));
        check("4:1", 2, "4:1", Some("upcast: 4:1 makes 2 groups of 2, not 4"));
        check("(4,2):(1,4)", 2, "4:1", Some("upcast: 4 is not of the profile of (4,2)"));
        verdict(upcast_refusal(&parsed("4:3"), 4), None);
        verdict(upcast_refusal(&parsed("8:1"), 4), Some("upcast_refusal: 2:1 moves whole units"));
    }

    #[test]
    fn parts_are_counted_through() {
        let check = |a, n, answer, violation| verdict(downcast(&parsed(a), n, &parsed(answer)), violation);
        check("6:1", 8, "48:1", None);
        check("(3,3,12):(12,108,1)", 8, "(3,3,96):(96,864,1)", None);
        check("(15,4):(48,12)", 2, "((2,15),4):((1,96),24)", None);
        check("(2,2):(1,2)", 2, "(4,2):(1,3)", Some("downcast: R(4) = 3, but must be 4"));
        check("(2,2):(1,2)", 2, "(2,2):(2,4)", Some("downcast: no leaf of (2,2) is 2 times as long"));
        verdict(downcast_refusal(&parsed("(15,4):(48,12)"), 2), None);
        verdict(downcast_refusal(&parsed("6:1"), 8), Some("downcast_refusal: 48:1 counts through the parts"));
    }

    #[test]
    fn recast_covers_the_same_bits() {
        let check = |a, old, new, answer, violation| verdict(recast(&parsed(a), old, new, &parsed(answer)), violation);
        check("(4,8):(1,4)", 8, 16, "(2,8):(1,2)", None);
        check("4:1", 6, 4, "6:1", None);
        check("4:2", 8, 16, "4:2", Some("recast: unit 1 of 16 bits holds bits of A, but is no place of R"));
        check("4:1", 8, 16, "3:1", Some("recast: unit 2 of 16 bits is a place of R, but holds no bit of A"));
    }
}
