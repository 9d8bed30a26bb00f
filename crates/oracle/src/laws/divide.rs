//! Laws of the divides.

use std::collections::BTreeSet;

use super::{CheckResult, Violation, hold, same_values};
use crate::reference::{self, Cut, Form, Layout, OracleError, Point, Target, Tiler, composite, layout_of_profile};

const TARGETS: [Target; 2] = [Target::Shape, Target::Size];

/// A divide of A by a tiler is R, in the given form: mode by mode `R(i) = A((B,B*)(i))`, where B* is the complement
/// of the tile B up to the size of the mode, and the mode extends its last leaf. Both ways to take that size are
/// lawful: of the coalesced shape leaf by leaf, and as one number. In logical and zipped form, tiles stand where B
/// stood, and all coordinates of B are coordinates of the tile. Every element of A is reached: other elements at its place,
/// or beyond a mode that is cut, do not stand for it.
///
/// | A | B | R | |
/// |---|---|---|---|
/// | `(4,2,3):(2,1,8)` | `4:2` | `((2,2),(2,3)):((4,1),(2,8))` | held |
/// | `5:1` | `4:1` | `(4,2):(1,4)` | held: it covers 8 of 5 |
/// | `(5,4):(1,30)` | `4:1` | `(4,(2,4)):(1,(4,30))` | broken: R(5) = 5, but A(5) = 30 |
pub fn divide(a: &Layout, tiler: &Tiler, form: Form, answer: &Layout) -> CheckResult {
    let mut verdict = Err(Violation { law: "divide", witness: "a tile has no complement".to_owned() });
    for target in TARGETS {
        if let Some(cut) = reference::divide(a, tiler, target)? {
            // Where the two ways differ, the size shows which one the answer means.
            let meant = cut.arrange(form)?.size()? == answer.size()?;
            verdict = divided(a, &cut, form, answer);
            if meant {
                break;
            }
        }
    }
    verdict
}

/// A divide was refused: the tiler does not fit A, a tile has no complement, or the law of divide fails for whatever
/// layout is A after tile and complement.
pub fn divide_refusal(a: &Layout, tiler: &Tiler, form: Form) -> CheckResult {
    for target in TARGETS {
        if let Some(answer) = divisible(a, tiler, form, target)? {
            return Err(Violation {
                law: "divide_refusal",
                witness: format!("{answer} is A after tile and complement"),
            });
        }
    }
    Ok(())
}

/// An answer in another form holds the same pieces as the logical one, leaf for leaf.
pub fn arranged(logical: &Layout, tiler: &Tiler, form: Form, answer: &Layout) -> CheckResult {
    let wanted = Cut::of_logical(logical, tiler)?.arrange(form)?;
    hold("arranged", *answer == wanted, || format!("R = {answer}, but the pieces of {logical} make {wanted}"))
}

fn divided(a: &Layout, cut: &Cut, form: Form, answer: &Layout) -> CheckResult {
    const LAW: &str = "divide";
    let argument = cut.arrange(form)?;
    same_values(LAW, answer, &composite(a, &argument)?)?;
    if matches!(form, Form::Logical | Form::Zipped) {
        let wanted = cut.loosened()?.arrange(form)?;
        let compatible = wanted.shape().compatible(answer.shape())?;
        hold(LAW, compatible, || format!("shape {} is not compatible with shape {}", wanted.shape(), answer.shape()))?;
    }
    let (size, whole) = (answer.size()?, a.size()?);
    hold(LAW, size >= whole, || format!("R covers {size} of {whole}"))?;
    let elements = elements(a)?;
    let reached: BTreeSet<_> = composite(&elements, &argument)?.into_iter().collect();
    let lost = elements.values()?.into_iter().position(|element| !reached.contains(&element));
    hold(LAW, lost.is_none(), || format!("element {} of A is never reached", lost.unwrap_or_default()))
}

/// A layout in which every element has a coordinate of its own, also beyond the extents: a basis vector for each leaf.
fn elements(a: &Layout) -> Result<Layout, OracleError> {
    let mut leaves = 0..;
    let stride = a.shape().map(&mut |_| Point::basis(leaves.next().into_iter().collect(), 1));
    Layout::new(a.shape().clone(), stride)
}

/// The lawful answer for this target, if there is one.
fn divisible(a: &Layout, tiler: &Tiler, form: Form, target: Target) -> Result<Option<Layout>, Violation> {
    let arranged = match reference::divide(a, tiler, target) {
        Err(OracleError::Malformed(_)) => None,
        cut => cut?.and_then(|cut| Some((cut.arrange(form).ok()?, cut))),
    };
    let Some((argument, cut)) = arranged else {
        return Ok(None);
    };
    let profile = cut.loosened()?.arrange(form)?;
    match layout_of_profile(&composite(a, &argument)?, profile.shape())? {
        Some(answer) if divided(a, &cut, form, &answer).is_ok() => Ok(Some(answer)),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn divides_are_the_layout_after_tile_and_complement() {
        let check =
            |a, t, form, answer, violation| verdict(divide(&parsed(a), &parsed(t), form, &parsed(answer)), violation);
        check("(4,2,3):(2,1,8)", "4:2", Form::Logical, "((2,2),(2,3)):((4,1),(2,8))", None);
        check("(4,2,3):(2,1,8)", "4:2", Form::Tiled, "((2,2),2,3):((4,1),2,8)", None);
        check("5:1", "4:1", Form::Logical, "(4,2):(1,4)", None);
        check("4:1", "3:4", Form::Logical, "(3,4):(4,1)", None);
        check(
            "(9,(4,8)):(59,(13,1))",
            "<3:3,(2,4):(1,8)>",
            Form::Zipped,
            "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))",
            None,
        );
        let wrong = "(4,(2,4)):(1,(4,30))";
        check("(5,4):(1,30)", "4:1", Form::Logical, wrong, Some("divide: R(5) = 5, but must be 30"));
        check("6:1", "2:1", Form::Logical, "(2,3):(1,3)", Some("divide: R(2) = 3, but must be 2"));
        let flat = Some("divide: shape ((2,3),(2,2)) is not compatible with shape (6,4)");
        check("(6,4):(0,0)", "<2,2>", Form::Logical, "(6,4):(0,0)", flat);
        check(
            "(2,2):(1,3)",
            "(2,2):(1,1)",
            Form::Logical,
            "((2,2),1):((1,1),0)",
            Some("divide: a tile has no complement"),
        );
    }

    #[test]
    fn a_refused_divide_has_no_answer() {
        let check = |a, t, form, violation| verdict(divide_refusal(&parsed(a), &parsed(t), form), violation);
        check("(5,4):(1,30)", "4:1", Form::Logical, None);
        check("(4,4):(1,4)", "<2,2,2>", Form::Zipped, None);
        check("(4,4):(1,4)", "<2,_>", Form::Zipped, None);
        // The complement 1:0 of the tile leaves places 2 and 5 out.
        check("6:1", "(2,2):(1,3)", Form::Logical, None);
        // Places 32 to 35 of mode 0 stand beside those of index 2 of mode 1, which no copy of its tile has.
        check("(32,8,1):(1,1,1)", "<4:18,((2,2)):((3,1))>", Form::Logical, None);
        check("(5,8):(0,0)", "<_,(2,2):(1,3)>", Form::Logical, None);
        check("5:1", "4:1", Form::Logical, Some("divide_refusal: (4,2):(1,4) is A after tile and complement"));
    }

    #[test]
    fn other_forms_hold_the_same_pieces() {
        let check =
            |l, t, form, answer, violation| verdict(arranged(&parsed(l), &parsed(t), form, &parsed(answer)), violation);
        let (logical, tiler) = ("((2,2),(3,4),5):((1,2),(4,12),48)", "<2,3>");
        check(logical, tiler, Form::Zipped, "((2,3),(2,4,5)):((1,4),(2,12,48))", None);
        check(logical, tiler, Form::Tiled, "((2,3),2,4,5):((1,4),2,12,48)", None);
        check(logical, tiler, Form::Flat, "(2,3,2,4,5):(1,4,2,12,48)", None);
        let wrong = Some(
            "arranged: R = (2,3,2,4,5):(1,4,2,12,40), but the pieces of \
             ((2,2),(3,4),5):((1,2),(4,12),48) make (2,3,2,4,5):(1,4,2,12,48)",
        );
        check(logical, tiler, Form::Flat, "(2,3,2,4,5):(1,4,2,12,40)", wrong);
    }
}
