//! Laws of `slice`, which fixes some coordinates, and of `dice`, which keeps only their modes.

use super::{CheckResult, hold};
use crate::reference::{self, Layout, Nest, OracleError, Point};

/// A coordinate with `_` (here `None`) where a mode stays free.
type Partial = Nest<Option<i64>>;

/// `slice(coord, A) = offset + R`: the leaves of R are the leaves of A under a `_`, in order, and `offset + R(c)` is
/// A at the coordinate with the `_` filled by c.
///
/// | A | coord | answer | |
/// |---|---|---|---|
/// | `((4,4,5),12):((240,60,12),1)` | `((1,_,1),7)` | `4:60` + 259 | held |
/// | `((4,4,5),12):((240,60,12),1)` | `((1,_,1),7)` | `4:60` + 19 | broken at once: A there is 259 |
pub fn slice(a: &Layout, coord: &Partial, answer: &Layout, offset: &Point) -> CheckResult {
    const LAW: &str = "slice";
    let free = leaves_where(a, coord, true)?;
    hold(LAW, answer.leaves() == free, || format!("{answer} does not have the free leaves of {a}"))?;
    for index in 0..bounded(&Layout::flat(&free))? {
        let mut filling = reference::digits(index, &extents(&free)).into_iter();
        let wanted = a.offset_of(&fill(a.shape(), coord, &mut filling)?)?;
        let value = answer.offset(index)?.plus(offset)?;
        hold(LAW, value == wanted, || format!("offset + R({index}) = {value}, but A there is {wanted}"))?;
    }
    Ok(())
}

/// `dice(coord, A) = R`: the leaves of R are the leaves of A where the coordinate is given, in order, so that R at
/// what is given is A there with 0 for every `_`.
pub fn dice(a: &Layout, coord: &Partial, answer: &Layout) -> CheckResult {
    let given = leaves_where(a, coord, false)?;
    hold("dice", answer.leaves() == given, || format!("{answer} does not have the leaves of {a} that {coord} fixes"))
}

fn extents(leaves: &[(i64, Point)]) -> Vec<i64> {
    leaves.iter().map(|(extent, _)| *extent).collect()
}

fn bounded(layout: &Layout) -> Result<i64, OracleError> {
    let size = layout.size()?;
    if size > reference::LIMIT { Err(OracleError::TooLarge(size)) } else { Ok(size) }
}

/// The leaves under a `_`, or those under an integer.
fn leaves_where(a: &Layout, coord: &Partial, free: bool) -> Result<Vec<(i64, Point)>, OracleError> {
    match coord {
        Nest::Leaf(entry) => Ok(if entry.is_none() == free { a.leaves() } else { Vec::new() }),
        Nest::Node(entries) if entries.len() == a.rank() && a.shape().depth() > 0 => {
            let modes = entries.iter().zip(a.modes());
            let leaves: Vec<_> =
                modes.map(|(entry, mode)| leaves_where(&mode, entry, free)).collect::<Result<_, _>>()?;
            Ok(leaves.concat())
        }
        Nest::Node(_) => Err(OracleError::Malformed(format!("coordinate {coord} does not fit shape {}", a.shape()))),
    }
}

/// The coordinate with the leaves under each `_` taken from the list.
fn fill(shape: &Nest<i64>, coord: &Partial, filling: &mut impl Iterator<Item = i64>) -> Result<Nest<i64>, OracleError> {
    match (coord, shape) {
        (Nest::Leaf(Some(index)), _) => Ok(Nest::Leaf(*index)),
        (Nest::Leaf(None), _) => Ok(shape.map(&mut |_| filling.next().unwrap_or(0))),
        (Nest::Node(entries), Nest::Node(shapes)) if entries.len() == shapes.len() => {
            let entries = entries.iter().zip(shapes).map(|(entry, shape)| fill(shape, entry, filling));
            Ok(Nest::Node(entries.collect::<Result<_, _>>()?))
        }
        _ => Err(OracleError::Malformed(format!("coordinate {coord} does not fit shape {shape}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn a_slice_is_the_layout_at_fixed_coordinates() {
        let check = |a, coord, answer, offset, violation| {
            verdict(slice(&parsed(a), &parsed(coord), &parsed(answer), &parsed(offset)), violation)
        };
        let a = "((4,4,5),12):((240,60,12),1)";
        check(a, "((1,_,1),7)", "(4):(60)", "259", None);
        check(a, "(_,7)", "(4,4,5):(240,60,12)", "7", None);
        check(a, "(5,_)", "12:1", "300", None);
        check(a, "((1,_,1),7)", "4:60", "19", Some("slice: offset + R(0) = 19, but A there is 259"));
        check(
            a,
            "((1,_,1),7)",
            "4:12",
            "259",
            Some("slice: 4:12 does not have the free leaves of ((4,4,5),12):((240,60,12),1)"),
        );
    }

    #[test]
    fn a_dice_is_the_rest() {
        let check = |a, coord, answer, violation| verdict(dice(&parsed(a), &parsed(coord), &parsed(answer)), violation);
        check("((4,4,5),12):((240,60,12),1)", "((1,_,1),7)", "(4,5,12):(240,12,1)", None);
        check(
            "(5,4):(1,5)",
            "(_,2)",
            "5:1",
            Some("dice: 5:1 does not have the leaves of (5,4):(1,5) that (_,2) fixes"),
        );
        assert!(
            dice(&parsed("4:1"), &parsed("(1,_)"), &parsed("4:1")).is_err_and(|violation| violation.is_undecided())
        );
    }
}
