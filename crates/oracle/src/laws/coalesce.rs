//! Laws of coalesce and filter: they drop modes and keep the function.

use super::{CheckResult, hold, same_values};
use crate::reference::{Layout, Nest, OracleError};

/// `coalesce(A) = R`: the same function on `[0, size(A))`, of depth at most 1, without a mode of extent 1 beside
/// others and without two neighbours that are one linear run.
///
/// | A | R | |
/// |---|---|---|
/// | `(2,(1,6)):(1,(6,2))` | `12:1` | held |
/// | `(2,(1,6)):(1,(6,2))` | `(2,6):(1,2)` | broken: 6:2 goes on where 2:1 ends |
pub fn coalesce(a: &Layout, answer: &Layout) -> CheckResult {
    const LAW: &str = "coalesce";
    same_values(LAW, answer, &a.values()?)?;
    hold(LAW, answer.shape().depth() <= 1, || format!("{answer} has depth {}", answer.shape().depth()))?;
    let leaves = answer.leaves();
    for ((extent, stride), (next, step)) in leaves.iter().zip(leaves.iter().skip(1)) {
        hold(LAW, *extent != 1 && *next != 1, || format!("{answer} keeps a mode of extent 1"))?;
        hold(LAW, stride.times(*extent)? != *step, || format!("{next}:{step} goes on where {extent}:{stride} ends"))?;
    }
    Ok(())
}

/// `coalesce(A, profile) = R`: the law of coalesce on each mode where the profile has a leaf, whatever its value.
/// Modes beyond the profile stay as they are.
pub fn coalesce_by(a: &Layout, profile: &Nest<i64>, answer: &Layout) -> CheckResult {
    const LAW: &str = "coalesce_by";
    let Nest::Node(entries) = profile else {
        return coalesce(a, answer);
    };
    if entries.len() > a.rank() {
        return Err(OracleError::Malformed(format!("profile {profile} has more entries than {a}")).into());
    }
    hold(LAW, answer.rank() == a.rank(), || format!("rank(R) = {}, but must be {}", answer.rank(), a.rank()))?;
    for (at, (mode, new)) in a.modes().iter().zip(answer.modes()).enumerate() {
        match entries.get(at) {
            Some(entry) => coalesce_by(mode, entry, &new)?,
            None => hold(LAW, *mode == new, || format!("mode {at} is beyond {profile}, yet {mode} became {new}"))?,
        }
    }
    Ok(())
}

/// `filter(A) = R`: the coalesced function of the leaves along which A moves.
pub fn filter(a: &Layout, answer: &Layout) -> CheckResult {
    let moving: Vec<_> = a.leaves().into_iter().filter(|(_, stride)| !stride.is_zero()).collect();
    coalesce(&Layout::flat(&moving), answer)?;
    hold("filter", answer.leaves().iter().all(|(extent, stride)| *extent == 1 || !stride.is_zero()), || {
        format!("{answer} stands still along a mode")
    })
}

/// `filter_zeros(A) = R`: A with extent 1 wherever the stride is 0, and nothing else changed.
pub fn filter_zeros(a: &Layout, answer: &Layout) -> CheckResult {
    const LAW: &str = "filter_zeros";
    hold(LAW, a.shape().congruent(answer.shape()), || {
        format!("{} is not of the profile of {}", answer.shape(), a.shape())
    })?;
    for ((extent, stride), (new, step)) in a.leaves().into_iter().zip(answer.leaves()) {
        let wanted = if stride.is_zero() { 1 } else { extent };
        hold(LAW, new == wanted && step == stride, || format!("{extent}:{stride} became {new}:{step}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn coalesce_keeps_the_function_in_fewest_modes() {
        let check = |a, answer, violation| verdict(coalesce(&parsed(a), &parsed(answer)), violation);
        check("(2,(1,6)):(1,(6,2))", "12:1", None);
        check("1:7", "1:0", None);
        check("(2,2):(0,10)", "(2,2):(0,10)", None);
        check("(2,(1,6)):(1,(6,2))", "(2,6):(1,2)", Some("coalesce: 6:2 goes on where 2:1 ends"));
        check("(2,1):(3,5)", "(2,1):(3,5)", Some("coalesce: (2,1):(3,5) keeps a mode of extent 1"));
        check("(2,2):(0,10)", "(2,(2)):(0,(10))", Some("coalesce: (2,(2)):(0,(10)) has depth 2"));
        check("(2,3):(1,3)", "6:1", Some("coalesce: R(2) = 2, but must be 3"));
        check("(2,3):(1,2)", "5:1", Some("coalesce: size(R) = 5, but must be 6"));
    }

    #[test]
    fn coalesce_by_goes_mode_by_mode() {
        let check = |a, profile, answer, violation| {
            verdict(coalesce_by(&parsed(a), &parsed(profile), &parsed(answer)), violation)
        };
        check("(2,(1,6)):(1,(6,2))", "(1,1)", "(2,6):(1,2)", None);
        check("(2,16,1):(1,2,2)", "(1,1)", "(2,16,1):(1,2,2)", None);
        check("(2,(1,6)):(1,(6,2))", "(1,1)", "12:1", Some("coalesce_by: rank(R) = 1, but must be 2"));
        check("(2,(1,6)):(1,(6,2))", "(1,1)", "(2,6):(1,3)", Some("coalesce: R(1) = 3, but must be 2"));
        check(
            "(2,2,1):(1,2,2)",
            "(1,1)",
            "(2,2,1):(1,2,0)",
            Some("coalesce_by: mode 2 is beyond (1,1), yet 1:2 became 1:0"),
        );
    }

    #[test]
    fn filters_drop_what_stands_still() {
        let check = |a, answer, violation| verdict(filter(&parsed(a), &parsed(answer)), violation);
        check("(6,4,2):(8,1,4)", "(6,8):(8,1)", None);
        check("(4,2):(0,3)", "2:3", None);
        check("4:0", "1:0", None);
        check("(4,2):(0,3)", "(4,2):(0,3)", Some("coalesce: size(R) = 8, but must be 2"));
        let check = |a, answer, violation| verdict(filter_zeros(&parsed(a), &parsed(answer)), violation);
        check("(4,(2,3)):(0,(1,0))", "(1,(2,1)):(0,(1,0))", None);
        check("(4,(2,3)):(0,(1,0))", "(1,(2,3)):(0,(1,0))", Some("filter_zeros: 3:0 became 3:0"));
        check("(4,2):(0,1)", "2:1", Some("filter_zeros: 2 is not of the profile of (4,2)"));
    }
}
