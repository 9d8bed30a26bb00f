//! Laws of coordinates and indices.

use super::{CheckResult, hold};
use crate::reference::{Layout, Nest};

/// `crd2idx(coord, S) = i`: the value of the compact column-major layout of S at the coordinate.
pub fn crd2idx(coord: &Nest<i64>, shape: &Nest<i64>, answer: i64) -> CheckResult {
    let wanted = Layout::compact(shape)?.offset_of(coord)?;
    hold("crd2idx", wanted.as_int() == Some(answer), || format!("{coord} has index {wanted}, not {answer}"))
}

/// `idx2crd(i, S) = coord`: the coordinate is congruent with S, each entry lies below its extent (the last one, which
/// takes what is left, excepted), and its index is i.
///
/// | i | S | coord | |
/// |---|---|---|---|
/// | 686 | `((4,2),16,2)` | `((2,1),5,5)` | held: the last leaf extends |
/// | 686 | `((4,2),16,2)` | `((2,1),5,1)` | broken: it has index 174 |
pub fn idx2crd(index: i64, shape: &Nest<i64>, answer: &Nest<i64>) -> CheckResult {
    const LAW: &str = "idx2crd";
    hold(LAW, shape.congruent(answer), || format!("{answer} is not of the profile of {shape}"))?;
    let leaves: Vec<_> = shape.leaves().into_iter().zip(answer.leaves()).collect();
    let sign = index.signum();
    for (at, (extent, entry)) in leaves.iter().enumerate() {
        let inside = entry.unsigned_abs() < extent.unsigned_abs() || at + 1 == leaves.len();
        hold(LAW, inside && entry.signum() * sign >= 0, || format!("entry {entry} of {answer} is not below {extent}"))?;
    }
    let wanted = Layout::compact(shape)?.offset_of(answer)?;
    hold(LAW, wanted.as_int() == Some(index), || format!("{answer} has index {wanted}, not {index}"))
}

/// `compatible(S, T)` said yes or no: yes means that every coordinate of S is one of T, of the same index.
pub fn compatible(s: &Nest<i64>, t: &Nest<i64>, answer: bool) -> CheckResult {
    let wanted = s.compatible(t)?;
    hold("compatible", answer == wanted, || format!("size {} against {}, and the trees, say {wanted}", s, t))
}

#[cfg(test)]
mod tests {
    use super::super::{parsed, verdict};
    use super::*;

    #[test]
    fn indices_and_coordinates_undo_each_other() {
        let check =
            |index, shape, answer, violation| verdict(idx2crd(index, &parsed(shape), &parsed(answer)), violation);
        check(227, "((10,4),3)", "((7,2),5)", None);
        check(-9, "(4,2)", "(-1,-2)", None);
        check(686, "((4,2),16,2)", "((2,1),5,5)", None);
        check(686, "((4,2),16,2)", "((2,1),5,1)", Some("idx2crd: ((2,1),5,1) has index 174, not 686"));
        check(6, "(4,2)", "(6,0)", Some("idx2crd: entry 6 of (6,0) is not below 4"));
        check(6, "(4,2)", "6", Some("idx2crd: 6 is not of the profile of (4,2)"));
        let check =
            |coord, shape, answer, violation| verdict(crd2idx(&parsed(coord), &parsed(shape), answer), violation);
        check("((1,0),1)", "((3,5),8)", 16, None);
        check("(1,1)", "((3,5),8)", 16, None);
        check("(2,2)", "(7,3)", 15, Some("crd2idx: (2,2) has index 16, not 15"));
    }

    #[test]
    fn compatibility_is_an_order() {
        verdict(compatible(&parsed("24"), &parsed("(4,6)"), true), None);
        verdict(
            compatible(&parsed("(4,6)"), &parsed("24"), true),
            Some("compatible: size (4,6) against 24, and the trees, say false"),
        );
    }
}
