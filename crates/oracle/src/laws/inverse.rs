//! Laws of the inverses, of the nullspace and of what two layouts have in common.

use super::{CheckResult, first_repeat, hold};
use crate::reference::{Layout, OracleError, longest_common_chain};

/// `right_inverse(A) = R`: R stays in the domain of A, and `A(R(i)) = i` for every i below size(R).
///
/// | A | R | |
/// |---|---|---|
/// | `(2,3):(3,1)` | `(3,2):(2,1)` | held |
/// | `(2,3):(3,1)` | `(2,3):(3,1)` | broken: A(R(1)) = A(3) = 4 |
pub fn right_inverse(a: &Layout, answer: &Layout) -> CheckResult {
    undone("right_inverse", a, answer)
}

/// A right inverse is as long as any: no layout into the domain of A undoes more places. Promised where A is
/// injective with positive strides (elsewhere `(4,2):(1,2)` has the chain `4:1`, but also `(3,2):(1,5)`).
pub fn right_inverse_longest(a: &Layout, answer: &Layout) -> CheckResult {
    let (size, longest) = (answer.size()?, longest_common_chain(&[a])?);
    hold("right_inverse_longest", size >= longest, || format!("size(R) = {size}, but {longest} places can be undone"))
}

/// `left_inverse(A) = R`: `A(R(A(i))) = A(i)` for every i below size(A), and R(A(i)) = i where A is injective.
pub fn left_inverse(a: &Layout, answer: &Layout) -> CheckResult {
    const LAW: &str = "left_inverse";
    let values = a.int_values()?;
    let injective = first_repeat(&values).is_none();
    for (index, value) in (0..).zip(values) {
        let back = answer.offset(value)?.to_int()?;
        let again = a.offset(back)?.to_int()?;
        hold(LAW, again == value, || format!("A(R(A({index}))) = A(R({value})) = A({back}) = {again}"))?;
        hold(LAW, !injective || back == index, || format!("A is injective, yet R(A({index})) = R({value}) = {back}"))?;
    }
    Ok(())
}

/// `nullspace(A) = R`: R is injective into the domain of A, `A(R(i)) = 0`, and size(R) is the number of coordinates
/// along the leaves where A does not move.
pub fn nullspace(a: &Layout, answer: &Layout) -> CheckResult {
    const LAW: &str = "nullspace";
    let indices = answer.int_values()?;
    let size = a.size()?;
    for (at, index) in indices.iter().enumerate() {
        hold(LAW, (0..size).contains(index), || {
            format!("R({at}) = {index} is outside the domain of A, of size {size}")
        })?;
        let value = a.offset(*index)?;
        hold(LAW, value.is_zero(), || format!("A(R({at})) = A({index}) = {value}"))?;
    }
    if let Some((first, second)) = first_repeat(&indices) {
        return hold(LAW, false, || format!("R({first}) = R({second})"));
    }
    let still = a.leaves().into_iter().filter(|(_, stride)| stride.is_zero()).map(|(extent, _)| extent);
    let wanted = still.into_iter().try_fold(1, i64::checked_mul).ok_or(OracleError::Overflow)?;
    hold(LAW, answer.size()? == wanted, || {
        format!("size(R) = {}, but A stands still at {wanted} coordinates", indices.len())
    })
}

/// `max_common_layout(A, B) = R`: R stays in both domains, and `A(R(i)) = B(R(i)) = i` for every i below size(R).
pub fn max_common_layout(a: &Layout, b: &Layout, answer: &Layout) -> CheckResult {
    for layout in [a, b] {
        undone("max_common_layout", layout, answer)?;
    }
    Ok(())
}

/// `max_common_vector(A, B) = n`, where R is the common layout: n = size(R), and R is lawful.
pub fn max_common_vector(a: &Layout, b: &Layout, common: &Layout, n: i64) -> CheckResult {
    max_common_layout(a, b, common)?;
    let size = common.size()?;
    hold("max_common_vector", n == size, || format!("n = {n}, but the common layout {common} has size {size}"))
}

fn undone(law: &'static str, a: &Layout, answer: &Layout) -> CheckResult {
    let size = a.size()?;
    for (wanted, index) in (0..).zip(answer.int_values()?) {
        hold(law, (0..size).contains(&index), || format!("R({wanted}) = {index} is outside a domain of size {size}"))?;
        let value = a.offset(index)?;
        hold(law, value.as_int() == Some(wanted), || format!("A(R({wanted})) = A({index}) = {value}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn right_inverses_undo() {
        let check = |a, answer, violation| verdict(right_inverse(&parsed(a), &parsed(answer)), violation);
        check("(2,3):(3,1)", "(3,2):(2,1)", None);
        check("(2,3):(3,1)", "(2,3):(3,1)", Some("right_inverse: A(R(1)) = A(3) = 4"));
        check("4:1", "8:1", Some("right_inverse: R(4) = 4 is outside a domain of size 4"));
        verdict(right_inverse_longest(&parsed("(3,4,3):(16,1,64)"), &parsed("4:3")), None);
        let short = right_inverse_longest(&parsed("(2,3):(3,1)"), &parsed("3:2"));
        verdict(short, Some("right_inverse_longest: size(R) = 3, but 6 places can be undone"));
    }

    #[test]
    fn left_inverses_come_back() {
        let check = |a, answer, violation| verdict(left_inverse(&parsed(a), &parsed(answer)), violation);
        check("(4,8):(1,5)", "(5,8):(1,4)", None);
        check("8:16", "(16,8):(0,1)", None);
        check("3:0", "3:0", None);
        check("(4,2):(1,2)", "(2,2):(1,4)", None);
        check("(4,8):(1,5)", "(4,8):(1,4)", Some("left_inverse: A(R(A(4))) = A(R(5)) = A(5) = 6"));
        check("4:2", "8:1", Some("left_inverse: A(R(A(1))) = A(R(2)) = A(2) = 4"));
    }

    #[test]
    fn nullspaces_are_all_that_stands_still() {
        let check = |a, answer, violation| verdict(nullspace(&parsed(a), &parsed(answer)), violation);
        check("(2,4,6):(1,2,0)", "6:8", None);
        check("(2,4):(1,2)", "1:0", None);
        check("(2,4,6):(1,2,0)", "3:8", Some("nullspace: size(R) = 3, but A stands still at 6 coordinates"));
        check("(2,4,6):(1,2,0)", "6:4", Some("nullspace: A(R(1)) = A(4) = 4"));
        check("6:0", "6:0", Some("nullspace: R(0) = R(1)"));
        check("6:0", "12:1", Some("nullspace: R(6) = 6 is outside the domain of A, of size 6"));
    }

    #[test]
    fn common_layouts_undo_both() {
        let check = |a, b, answer, n, violation| {
            verdict(max_common_vector(&parsed(a), &parsed(b), &parsed(answer), n), violation)
        };
        check("(12,4):(4,1)", "(12,4):(4,1)", "(4,12):(12,1)", 48, None);
        check("8:1", "(4,2):(1,8)", "4:1", 4, None);
        check("8:1", "(4,2):(1,8)", "4:1", 2, Some("max_common_vector: n = 2, but the common layout 4:1 has size 4"));
        check("8:1", "(4,2):(1,8)", "8:1", 8, Some("max_common_layout: A(R(4)) = A(4) = 8"));
    }
}
