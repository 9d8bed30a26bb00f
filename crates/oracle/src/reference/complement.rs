//! The complement, by sorting and filling gaps.
//!
//! Drop what names nothing new (extents of 1, strides of 0), sort the leaves by stride, and go upwards: where the
//! leaf of stride d comes next and places below `c` are spoken for, as many steps of `c` as fit below d fill the
//! gap. What then remains below the target is filled by steps of the last `c`. Where d is no multiple of `c` a hole
//! stays below it, as padding; where d is below `c`, two leaves interleave and there is no such filling.
//!
//! | layout | target | complement | why |
//! |---|---|---|---|
//! | `4:1` | 24 | `6:4` | nothing below, 6 copies above |
//! | `4:2` | 24 | `(2,3):(1,8)` | a gap of 2 below, 3 copies above |
//! | `(4,3):(4,1)` | 32 | `2:16` | place 3 is padding, 2 copies above |
//! | `(2,2):(1,1)` | 12 | none | the second 1 lies below 2 |

use super::{Layout, Nest, OracleError, Point, add, coalesce, malformed, mul, sub};

/// The complement of an integer layout up to a target, coalesced, or nothing where two leaves interleave
/// or run down. A tuple as target is divided leaf by leaf, rounding up. Errs on coordinates and overflow.
///
/// ```
/// use bitstride_oracle::reference::{complement, Layout};
///
/// let a: Layout = "(2,2):(1,6)".parse()?;
/// assert_eq!(complement(&a, &"24".parse()?)?.map(|r| r.to_string()).as_deref(), Some("(3,2):(2,12)"));
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
pub fn complement(a: &Layout, target: &Nest<i64>) -> Result<Option<Layout>, OracleError> {
    let mut leaves = a.int_leaves()?;
    leaves.retain(|(extent, stride)| *extent != 1 && *stride != 0);
    leaves.sort_by_key(|(_, stride)| *stride);
    let mut covered = 1;
    let mut filling = Vec::new();
    for (extent, stride) in leaves {
        if stride < covered {
            return Ok(None);
        }
        filling.push((stride / covered, Point::int(covered)));
        covered = mul(stride, extent)?;
    }
    let mut rest = covered;
    for part in target.leaves() {
        if *part < 1 {
            return Err(malformed(format!("{target} is no target: {part} is below 1")));
        }
        // The next leaf must provide the rest.
        let taken = ceil_div(*part, rest)?;
        filling.push((taken, Point::int(covered)));
        covered = mul(covered, taken)?;
        rest = ceil_div(rest, *part)?;
    }
    coalesce_leaves(&filling).map(Some)
}

/// The complement with as many repetitions as it takes for A and it to reach the target together: where gaps do not come
/// out even, the ones that [`complement`] counts may stop short.
pub fn complement_reaching(a: &Layout, target: i64) -> Result<Option<Layout>, OracleError> {
    let Some(free) = complement(a, &Nest::Leaf(target))? else { return Ok(None) };
    let reach = Layout::join(vec![a.clone(), free.clone()]).cosize()?;
    if reach >= target {
        return Ok(Some(free));
    }
    // The repetitions are steps of the place after the last leaf of A, which the last gap may have been merged with.
    let leaves = a.int_leaves()?;
    let moving = leaves.iter().filter(|(extent, stride)| *extent != 1 && *stride != 0);
    let covered =
        moving.map(|(extent, stride)| mul(*extent, *stride)).try_fold(1, |most: i64, end| Ok(most.max(end?)))?;
    let mut leaves: Vec<(i64, Point)> =
        free.int_leaves()?.into_iter().map(|(extent, stride)| (extent, Point::int(stride))).collect();
    let more = ceil_div(sub(target, reach)?, covered)?;
    match leaves.last_mut() {
        Some((extent, stride)) if *stride == Point::int(covered) => *extent = add(*extent, more)?,
        _ => leaves.push((add(more, 1)?, Point::int(covered))),
    }
    coalesce_leaves(&leaves).map(Some)
}

/// `a / b` rounded up, for positive b.
pub fn ceil_div(a: i64, b: i64) -> Result<i64, OracleError> {
    if b < 1 {
        return Err(malformed(format!("cannot divide by {b}")));
    }
    Ok(sub(add(a, b)?, 1)?.div_euclid(b))
}

/// Leaves of positive stride, merged where one continues the other.
fn coalesce_leaves(leaves: &[(i64, Point)]) -> Result<Layout, OracleError> {
    let mut merged: Vec<(i64, Point)> = Vec::new();
    for (extent, stride) in leaves.iter().filter(|(extent, _)| *extent != 1) {
        match merged.last_mut() {
            Some((last, step)) if step.times(*last)? == *stride => *last = mul(*last, *extent)?,
            _ => merged.push((*extent, stride.clone())),
        }
    }
    let merged = Layout::flat(&merged);
    debug_assert!(merged.size().is_ok_and(|size| size > 1 << 12) || coalesce(&merged).as_ref() == Ok(&merged));
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(a: &str, target: &str) -> Option<String> {
        let a: Layout = a.parse().expect(a);
        complement(&a, &target.parse().expect(target)).expect("small").map(|r| r.to_string())
    }

    #[test]
    fn gaps_are_filled() {
        let table = [
            ("4:1", "24", Some("6:4")),
            ("4:2", "24", Some("(2,3):(1,8)")),
            ("(4,6):(1,4)", "24", Some("1:0")),
            ("(2,4):(0,6)", "24", Some("6:1")),
            ("(2,2):(1,6)", "24", Some("(3,2):(2,12)")),
            ("4:1", "(5,4)", Some("8:4")),
            ("10:1", "(5,4)", Some("2:10")),
            ("4:2", "1", Some("2:1")),
            ("(2,2):(1,3)", "12", Some("2:6")),
            ("(4,3):(4,1)", "48", Some("3:16")),
            ("(4,2):(18,12)", "8", None),
            ("(2,2):(1,1)", "12", None),
            ("4:-1", "12", None),
        ];
        for (a, target, want) in table {
            assert_eq!(of(a, target).as_deref(), want, "{a} below {target}");
        }
    }

    #[test]
    fn a_complement_counts_through_an_interval() {
        for (a, target) in [("(2,2):(1,6)", 24), ("(3,2):(8,2)", 40), ("(4,3):(6,2)", 100)] {
            let a: Layout = a.parse().expect(a);
            let rest = complement(&a, &Nest::Leaf(target)).expect("small").expect("gaps that divide");
            let mut all = Layout::join(vec![a, rest]).int_values().expect("small");
            all.sort_unstable();
            assert_eq!(all, (0..i64::try_from(all.len()).expect("small")).collect::<Vec<_>>());
            assert!(all.len() >= usize::try_from(target).expect("small"));
        }
    }
}
