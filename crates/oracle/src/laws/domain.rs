//! Laws of sums, and of the domains that two shapes share.

use super::{CheckResult, Violation, hold, same_values};
use crate::reference::{LIMIT, Layout, Nest, OracleError, Point, digits, flat_layout};

/// `layout_add(A, B) = R`: `R(i) = A(i) + B(i)`, all three of one size.
pub fn layout_add(a: &Layout, b: &Layout, answer: &Layout) -> CheckResult {
    same_values("layout_add", answer, &sums(a, b)?)
}

/// `layout_add(A, B)` was refused: the sizes differ, or the sum is no layout.
pub fn layout_add_refusal(a: &Layout, b: &Layout) -> CheckResult {
    if a.size()? != b.size()? {
        return Ok(());
    }
    match flat_layout(&sums(a, b)?)? {
        None => Ok(()),
        Some(answer) => Err(Violation { law: "layout_add_refusal", witness: format!("{answer} is the sum") }),
    }
}

/// `greatest_common_domain(S, T) = D`: D is strictly increasing and stays below both sizes; along each mode of D the
/// coordinates in S and in T move in a straight line, and modes add up; and no longer beginning 0, 1, 2, … is common.
///
/// | S | T | D | |
/// |---|---|---|---|
/// | `(2,12)` | `(6,7)` | `(2,3):(1,2)` | held: (2,3,4) and (2,3,7) |
/// | `(6,35)` | `(15,14)` | `(3,7):(1,30)` | held: 30 is (0,5) in S and (0,2) in T |
/// | `8` | `(4,4,4)` | `4:1` | broken: 8 coordinates are common |
pub fn greatest_common_domain(s: &Nest<i64>, t: &Nest<i64>, answer: &Layout) -> CheckResult {
    const LAW: &str = "greatest_common_domain";
    let size = answer.size()?;
    let values = answer.int_values()?;
    for (index, pair) in values.windows(2).enumerate() {
        hold(LAW, pair[0] < pair[1], || format!("D({index}) = {}, D({}) = {}", pair[0], index + 1, pair[1]))?;
    }
    let modes = answer.int_leaves()?;
    let extents: Vec<i64> = modes.iter().map(|(extent, _)| *extent).collect();
    for shape in [s, t] {
        let own: Vec<i64> = shape.leaves().into_iter().copied().collect();
        let whole = shape.size()?;
        for (index, value) in (0..).zip(&values) {
            hold(LAW, *value < whole, || format!("D({index}) = {value} is no index of {shape}"))?;
            let mut sum = vec![0_i64; own.len()];
            for (digit, (_, step)) in digits(index, &extents).iter().zip(&modes) {
                for (sum, part) in sum.iter_mut().zip(digits(*step, &own)) {
                    *sum =
                        digit.checked_mul(part).and_then(|part| sum.checked_add(part)).ok_or(OracleError::Overflow)?;
                }
            }
            hold(LAW, sum == digits(*value, &own), || {
                format!("D({index}) = {value} leaves the straight lines in {shape}")
            })?;
        }
    }
    let (low, high) = (starts(s)?, starts(t)?);
    let least = s.size()?.min(t.size()?);
    if least > LIMIT {
        return Err(OracleError::TooLarge(least).into());
    }
    for longer in size + 1..=least {
        let mut cuts: Vec<i64> = low.iter().chain(&high).copied().filter(|cut| *cut < longer).chain([longer]).collect();
        cuts.sort_unstable();
        let common = begins(&low, &cuts) && begins(&high, &cuts);
        hold(LAW, !common, || format!("{longer} coordinates are common, not only {size}"))?;
    }
    Ok(())
}

/// `common_refinement(S, T) = R`: both are compatible with R, and every leaf of R is a leaf of S or of T.
pub fn common_refinement(s: &Nest<i64>, t: &Nest<i64>, answer: &Nest<i64>) -> CheckResult {
    const LAW: &str = "common_refinement";
    for shape in [s, t] {
        hold(LAW, shape.compatible(answer)?, || format!("shape {shape} is not compatible with shape {answer}"))?;
    }
    let coarsest = join(s, t)?;
    hold(LAW, coarsest.as_ref().is_some_and(|coarsest| coarsest.congruent(answer)), || {
        format!("{answer} is split where neither shape is")
    })
}

/// `common_refinement(S, T)` was refused: no shape refines both.
pub fn common_refinement_refusal(s: &Nest<i64>, t: &Nest<i64>) -> CheckResult {
    match join(s, t)? {
        None => Ok(()),
        Some(answer) => Err(Violation { law: "common_refinement_refusal", witness: format!("{answer} refines both") }),
    }
}

fn sums(a: &Layout, b: &Layout) -> Result<Vec<Point>, OracleError> {
    let (left, right) = (a.values()?, b.values()?);
    if left.len() != right.len() {
        return Err(OracleError::Malformed(format!("{a} and {b} are of different sizes")));
    }
    left.iter().zip(&right).map(|(left, right)| left.plus(right)).collect()
}

/// The products of the leaves up to each place, from 1 to the size.
fn starts(shape: &Nest<i64>) -> Result<Vec<i64>, OracleError> {
    let mut product: i64 = 1;
    let mut starts = vec![1];
    for extent in shape.leaves() {
        if *extent < 1 {
            return Err(OracleError::Malformed(format!("extent {extent} of shape {shape} is below 1")));
        }
        product = product.checked_mul(*extent).ok_or(OracleError::Overflow)?;
        starts.push(product);
    }
    Ok(starts)
}

/// Whether a shape with these starts has a refinement that begins with a shape of those: each cut of the shape below
/// the end is a cut there, and each cut there divides the next of the shape and is divided by the last.
fn begins(shape: &[i64], cuts: &[i64]) -> bool {
    let end = cuts.last().copied().unwrap_or(1);
    shape.iter().all(|start| *start >= end || cuts.contains(start))
        && cuts.iter().zip(cuts.iter().skip(1)).all(|(low, high)| high % low == 0)
        && shape.iter().find(|start| **start >= end).is_some_and(|next| next % end == 0)
}

/// The coarsest shape that both are compatible with.
fn join(s: &Nest<i64>, t: &Nest<i64>) -> Result<Option<Nest<i64>>, OracleError> {
    match (s, t) {
        (Nest::Leaf(size), other) | (other, Nest::Leaf(size)) => Ok((*size == other.size()?).then(|| other.clone())),
        (Nest::Node(left), Nest::Node(right)) if left.len() == right.len() => {
            let entries: Vec<_> =
                left.iter().zip(right).map(|(left, right)| join(left, right)).collect::<Result<_, _>>()?;
            Ok(entries.into_iter().collect::<Option<Vec<_>>>().map(Nest::Node))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn sums_are_pointwise() {
        let check = |a, b, answer, violation| verdict(layout_add(&parsed(a), &parsed(b), &parsed(answer)), violation);
        check("(3,4,5):(20,1,4)", "60:7", "(3,20):(27,22)", None);
        check("(2,1):(3,3)", "(1,2):(1,1)", "2:4", None);
        check("(9,8):(8,1)", "72:1", "72:9", Some("layout_add: R(9) = 81, but must be 10"));
        verdict(layout_add_refusal(&parsed("(2,3):(1,5)"), &parsed("(3,2):(1,5)")), None);
        verdict(layout_add_refusal(&parsed("4:1"), &parsed("6:1")), None);
        verdict(layout_add_refusal(&parsed("4:1"), &parsed("4:2")), Some("layout_add_refusal: 4:3 is the sum"));
    }

    #[test]
    fn common_domains_are_beginnings() {
        let check = |s, t, answer, violation| {
            verdict(greatest_common_domain(&parsed(s), &parsed(t), &parsed(answer)), violation)
        };
        check("(2,12)", "(6,7)", "(2,3):(1,2)", None);
        check("(8,4)", "(4,7)", "(4):(1)", None);
        check("(5,10,4)", "(15,10)", "(5):(1)", None);
        check("2", "5", "(1):(0)", None);
        check("8", "(4,4,4)", "4:1", Some("greatest_common_domain: 8 coordinates are common, not only 4"));
        check("(6,35)", "(15,14)", "(3,7):(1,30)", None);
        check("8", "(4,4,4)", "8:1", Some("greatest_common_domain: D(4) = 4 leaves the straight lines in (4,4,4)"));
        check("8", "8", "8:2", Some("greatest_common_domain: D(4) = 8 is no index of 8"));
    }

    #[test]
    fn refinements_split_no_more_than_needed() {
        let check =
            |s, t, answer, violation| verdict(common_refinement(&parsed(s), &parsed(t), &parsed(answer)), violation);
        check("(5,6,16)", "480", "(5,6,16)", None);
        check("((4,6),2)", "(24,(2))", "((4,6),(2))", None);
        check("(4,6)", "24", "((2,2),6)", Some("common_refinement: ((2,2),6) is split where neither shape is"));
        check("(4,6)", "24", "(6,4)", Some("common_refinement: shape (4,6) is not compatible with shape (6,4)"));
        verdict(common_refinement_refusal(&parsed("(15,3)"), &parsed("(3,15)")), None);
        verdict(
            common_refinement_refusal(&parsed("12"), &parsed("(3,4)")),
            Some("common_refinement_refusal: (3,4) refines both"),
        );
    }
}
