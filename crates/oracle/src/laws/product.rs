//! Laws of the products.

use std::collections::BTreeMap;

use super::{CheckResult, Violation, first_repeat, hold, same_values};
use crate::reference::{self, Form, Layout, OracleError, Tiler};

/// A product of A and a tiler is R, in the given form: mode by mode, the tile is A, and the copies stand at
/// `A*(B(j))`, where A* is the complement of A up to size(A) times cosize(B). In logical and zipped form the
/// coordinates of A and B are coordinates of the two modes.
///
/// | A | B | R | |
/// |---|---|---|---|
/// | `(2,2):(4,1)` | `6:1` | `((2,2),(2,3)):((4,1),(2,8))` | held |
/// | `(2,2):(4,1)` | `6:1` | `((2,2),6):((4,1),8)` | broken: R(4) = 8, but must be 2 |
pub fn product(a: &Layout, tiler: &Tiler, form: Form, answer: &Layout) -> CheckResult {
    const LAW: &str = "product";
    let Some(cut) = reference::product(a, tiler)? else {
        return hold(LAW, false, || "the copies stand at no layout".to_owned());
    };
    let wanted = cut.arrange(form)?;
    same_values(LAW, answer, &wanted.values()?)?;
    if matches!(form, Form::Logical | Form::Zipped) {
        let wanted = cut.loosened()?.arrange(form)?;
        let compatible = wanted.shape().compatible(answer.shape())?;
        hold(LAW, compatible, || format!("shape {} is not compatible with shape {}", wanted.shape(), answer.shape()))?;
    }
    Ok(())
}

/// `logical_product(A, B) = R`, as users rely on it and whatever the complement: rank 2, the coordinates of A are
/// coordinates of mode 0 with A's values, those of B are coordinates of mode 1, and if A is injective then copies
/// at different places do not meet.
pub fn product_copies(a: &Layout, b: &Layout, answer: &Layout) -> CheckResult {
    const LAW: &str = "product_copies";
    let Ok([tile, copies]) = <[Layout; 2]>::try_from(answer.modes()) else {
        return hold(LAW, false, || format!("rank(R) = {}, but must be 2", answer.rank()));
    };
    same_values(LAW, &tile, &a.values()?)?;
    for (of, mode) in [(a, &tile), (b, &copies)] {
        let compatible = of.shape().compatible(mode.shape())?;
        hold(LAW, compatible, || format!("shape {} is not compatible with shape {}", of.shape(), mode.shape()))?;
    }
    let places = a.values()?;
    if first_repeat(&places).is_some() {
        return Ok(());
    }
    let mut owner = BTreeMap::new();
    for copy in copies.values()? {
        for place in &places {
            let reached = place.plus(&copy)?;
            if let Some(other) = owner.insert(reached.clone(), copy.clone()) {
                hold(LAW, other == copy, || format!("the copies at {other} and {copy} meet at {reached}"))?;
            }
        }
    }
    Ok(())
}

/// A product was refused: the tiler does not fit A, A has no complement, or the copies stand at no layout.
pub fn product_refusal(a: &Layout, tiler: &Tiler, form: Form) -> CheckResult {
    let arranged = match reference::product(a, tiler) {
        Err(OracleError::Malformed(_)) => None,
        cut => cut?.and_then(|cut| cut.arrange(form).ok()),
    };
    match arranged {
        None => Ok(()),
        Some(answer) => Err(Violation { law: "product_refusal", witness: format!("{answer} is the product") }),
    }
}

/// `blocked_product(A, B) = R`: mode by mode the block's coordinate runs first, then the copy's: `((x,z),(y,w))`.
pub fn blocked_product(a: &Layout, b: &Layout, answer: &Layout) -> CheckResult {
    by_mode("blocked_product", reference::blocked(a, b)?, answer)
}

/// `raked_product(A, B) = R`: mode by mode the copy's coordinate runs first, then the block's: `((z,x),(w,y))`.
pub fn raked_product(a: &Layout, b: &Layout, answer: &Layout) -> CheckResult {
    by_mode("raked_product", reference::raked(a, b)?, answer)
}

fn by_mode(law: &'static str, wanted: Option<Layout>, answer: &Layout) -> CheckResult {
    let Some(wanted) = wanted else {
        return hold(law, false, || "the copies stand at no layout".to_owned());
    };
    let (rank, new) = (wanted.rank(), answer.rank());
    hold(law, rank == new, || format!("rank(R) = {new}, but must be {rank}"))?;
    for (at, (mode, new)) in wanted.modes().iter().zip(answer.modes()).enumerate() {
        let (wanted, size) = (mode.size()?, new.size()?);
        hold(law, wanted == size, || format!("mode {at} of R has size {size}, but must have {wanted}"))?;
    }
    same_values(law, answer, &wanted.values()?)
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn products_are_copies_at_the_complement() {
        let check =
            |a, t, form, answer, violation| verdict(product(&parsed(a), &parsed(t), form, &parsed(answer)), violation);
        check("(2,2):(4,1)", "6:1", Form::Logical, "((2,2),(2,3)):((4,1),(2,8))", None);
        // The gap of 10 below 16 is uneven: the copies start above the whole of A.
        check("(5,2):(2,16)", "2:2", Form::Logical, "((5,2),2):((2,16),32)", None);
        check("(2,5):(5,1)", "<3:5,4:6>", Form::Logical, "((2,3),(5,4)):((5,10),(1,30))", None);
        check("(2,2):(4,1)", "(4,2):(2,1)", Form::Flat, "(2,2,4,2):(4,1,8,2)", None);
        check("(2,2):(4,1)", "6:1", Form::Logical, "((2,2),6):((4,1),8)", Some("product: R(4) = 8, but must be 2"));
        let narrow = Some("product: shape ((2,2),2) is not compatible with shape (4,2)");
        check("(2,2):(1,2)", "2:1", Form::Logical, "(4,2):(1,4)", narrow);
        check(
            "(6,6):(0,64)",
            "5:18",
            Form::Logical,
            "((6,6),5):((0,64),18)",
            Some("product: the copies stand at no layout"),
        );
    }

    #[test]
    fn copies_do_not_meet() {
        let check =
            |a, b, answer, violation| verdict(product_copies(&parsed(a), &parsed(b), &parsed(answer)), violation);
        check("(2,2):(4,1)", "6:1", "((2,2),(2,3)):((4,1),(2,8))", None);
        check("(2,2):(4,1)", "6:1", "((2,2),6):((4,1),8)", None);
        check("3:1", "2:0", "(3,2):(1,0)", None);
        check("3:1", "2:1", "(3,2):(1,2)", Some("product_copies: the copies at 0 and 2 meet at 2"));
        check("3:1", "2:1", "6:1", Some("product_copies: rank(R) = 1, but must be 2"));
        check("3:1", "2:1", "(3,2):(2,6)", Some("product_copies: R(1) = 2, but must be 1"));
        check("3:1", "(2,2):(1,2)", "(3,4):(1,3)", Some("product_copies: shape (2,2) is not compatible with shape 4"));
    }

    #[test]
    fn a_refused_product_has_no_answer() {
        let check = |a, t, violation| verdict(product_refusal(&parsed(a), &parsed(t), Form::Logical), violation);
        check("(6,6):(0,64)", "5:18", None);
        check("4:1", "<2,2>", None);
        check("(2,2):(4,1)", "6:1", Some("product_refusal: ((2,2),(2,3)):((4,1),(2,8)) is the product"));
    }

    #[test]
    fn blocks_and_rakes() {
        let check =
            |a, b, answer, violation| verdict(blocked_product(&parsed(a), &parsed(b), &parsed(answer)), violation);
        check("(4,3):(4,1)", "(2,2):(1,2)", "((4,2),(3,2)):((4,16),(1,32))", None);
        check("5:4", "4:2", "((5,(2,2))):((4,(2,20)))", None);
        check(
            "(4,3):(4,1)",
            "(2,2):(1,2)",
            "((4,2),(3,2)):((4,15),(1,30))",
            Some("blocked_product: R(4) = 15, but must be 16"),
        );
        check("5:4", "4:2", "(5,(2,2)):(4,(2,20))", Some("blocked_product: rank(R) = 2, but must be 1"));
        let check =
            |a, b, answer, violation| verdict(raked_product(&parsed(a), &parsed(b), &parsed(answer)), violation);
        check("(2,5):(5,1)", "(3,4):(1,3)", "((3,2),(4,5)):((10,5),(30,1))", None);
        check(
            "(2,5):(5,1)",
            "(3,4):(1,3)",
            "((2,3),(5,4)):((5,10),(1,30))",
            Some("raked_product: R(1) = 5, but must be 10"),
        );
    }
}
