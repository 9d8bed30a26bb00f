//! Laws of composition, of layouts and by tilers.

use super::{CheckResult, Violation, hold, same_values};
use crate::reference::{Layout, OracleError, Tiler, composite, layout_of_profile};

/// `composition(A, B) = R`: every coordinate of B is one of R, and `R(i) = A(B(i))` for every i below size(B) =
/// size(R); beyond its size A extends.
///
/// | A | B | R | |
/// |---|---|---|---|
/// | `(6,2):(8,2)` | `(4,3):(3,1)` | `((2,2),3):((24,2),8)` | held |
/// | `(4,6,8):(2,3,5)` | `6:3` | `(2,3):(6,3)` | broken: R(2) = 3, but A(6) = 7 |
pub fn composition(a: &Layout, b: &Layout, answer: &Layout) -> CheckResult {
    const LAW: &str = "composition";
    same_values(LAW, answer, &composite(a, b)?)?;
    let compatible = b.shape().compatible(answer.shape())?;
    hold(LAW, compatible, || format!("shape {} is not compatible with shape {}", b.shape(), answer.shape()))
}

/// `composition(A, B)` was refused: no layout with B's coordinates has the values `A(B(i))`.
pub fn composition_refusal(a: &Layout, b: &Layout) -> CheckResult {
    match layout_of_profile(&composite(a, b)?, b.shape())? {
        None => Ok(()),
        Some(answer) => Err(Violation { law: "composition_refusal", witness: format!("{answer} is A after B") }),
    }
}

/// `composition(A, T) = R` mode by mode: the law of composition with the layout of places that T names.
pub fn composition_by(a: &Layout, tiler: &Tiler, answer: &Layout) -> CheckResult {
    composition(a, &tiler.argument(a)?, answer)
}

/// `composition(A, T)` was refused: the tiler does not fit A, or some mode has no layout.
pub fn composition_by_refusal(a: &Layout, tiler: &Tiler) -> CheckResult {
    match tiler.argument(a) {
        Err(OracleError::Malformed(_)) => Ok(()),
        argument => composition_refusal(a, &argument?),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn composition_is_pointwise_and_keeps_the_profile() {
        let check = |a, b, answer, violation| verdict(composition(&parsed(a), &parsed(b), &parsed(answer)), violation);
        check("(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)", None);
        check("1:20", "8:1", "8:20", None);
        check("(4,6,8):(2,3,5)", "6:3", "(2,3):(6,3)", Some("composition: R(2) = 3, but must be 7"));
        check("(6,2):(1,7)", "(3,2):(2,3)", "(3,2):(2,3)", Some("composition: R(5) = 7, but must be 8"));
        check("4:1", "(2,2):(1,2)", "4:1", Some("composition: shape (2,2) is not compatible with shape 4"));
        check("8:1", "4:2", "2:2", Some("composition: size(R) = 2, but must be 4"));
    }

    #[test]
    fn a_refusal_needs_a_reason() {
        let check = |a, b, violation| verdict(composition_refusal(&parsed(a), &parsed(b)), violation);
        check("(4,6,8):(2,3,5)", "6:3", None);
        check("(6,2):(1,7)", "(3,2):(2,3)", None);
        check("(6,1):(0,5)", "2:4", Some("composition_refusal: 2:0 is A after B"));
    }

    #[test]
    fn tilers_go_mode_by_mode() {
        let check =
            |a, t, answer, violation| verdict(composition_by(&parsed(a), &parsed(t), &parsed(answer)), violation);
        check("(9,(4,8)):(59,(13,1))", "<3:3,8:2>", "(3,(2,4)):(177,(26,1))", None);
        check("(4,4,3):(1,4,8)", "<2,_>", "(2,4):(1,4)", None);
        check("((4,2),8):((1,4),8)", "<<2,2>,4>", "((2,2),4):((1,4),8)", None);
        check("(4,4):(1,4)", "<2,_>", "(2,4):(1,8)", Some("composition: R(2) = 8, but must be 4"));
        let refused = |a, t, violation| verdict(composition_by_refusal(&parsed(a), &parsed(t)), violation);
        refused("(4,4):(1,4)", "<2,2,2>", None);
        refused("((4,6,8),2):((2,3,5),1)", "<6:3,2>", None);
        refused("(4,4):(1,4)", "<2,2>", Some("composition_refusal: (2,2):(1,4) is A after B"));
    }
}
