//! Finds the layout that has a given list of values, if there is one.
//!
//! A function on `[0, n)` is a flat layout in at most one coalesced way. If it is
//! `(s1,s2,…):(d1,d2,…)` with no two adjacent modes that merge, its first s1 values climb linearly and the
//! next does not; hence s1 is the longest linear run. So: take the longest run r, ask that it divide n and that
//! `f(c) = f(c mod r) + f(r (c div r))`, and go on with `f(r q)`. Failing either shows that no layout fits.
//!
//! On a hierarchical domain a layout is a sum of such functions, one for each leaf coordinate. This decides
//! composition completely: A after B is a layout of B's profile, or provably none is.

use super::{Layout, Nest, OracleError, Point, count, digits, malformed};

/// The values of A after B, `A(B(i))` for i below the size of B; beyond its size A extends.
pub fn composite(a: &Layout, b: &Layout) -> Result<Vec<Point>, OracleError> {
    b.values()?.iter().map(|place| a.offset_at(place)).collect()
}

/// The coalesced flat layout with these values, if they are those of a layout.
///
/// ```
/// use bitstride_oracle::reference::{Point, flat_layout};
///
/// let values = |list: &[i64]| list.iter().copied().map(Point::int).collect::<Vec<_>>();
/// assert_eq!(flat_layout(&values(&[0, 5, 1, 6]))?.map(|l| l.to_string()).as_deref(), Some("(2,2):(5,1)"));
/// assert_eq!(flat_layout(&values(&[0, 1, 2, 7]))?, None);
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
pub fn flat_layout(values: &[Point]) -> Result<Option<Layout>, OracleError> {
    Ok(runs(values)?.map(|leaves| Layout::flat(&leaves)))
}

/// The layout with these values whose shape `shape` is compatible with, each leaf split as little as
/// possible, if there is one. Errs when there are not as many values as coordinates.
pub fn layout_of_profile(values: &[Point], shape: &Nest<i64>) -> Result<Option<Layout>, OracleError> {
    if count(shape.size()?)? != values.len() {
        return Err(malformed(format!("{} values are not one for each coordinate of {shape}", values.len())));
    }
    let extents: Vec<i64> = shape.leaves().into_iter().copied().collect();
    let mut below = 1;
    let mut along: Vec<Vec<Point>> = Vec::new();
    for extent in &extents {
        let extent = count(*extent)?;
        along.push(values.iter().step_by(below).take(extent).cloned().collect());
        below *= extent;
    }
    for (index, value) in (0..).zip(values) {
        let mut sum = Point::zero();
        for (digit, line) in digits(index, &extents).into_iter().zip(&along) {
            sum = sum.plus(line.get(count(digit)?).unwrap_or(value))?;
        }
        if sum != *value {
            return Ok(None);
        }
    }
    let mut leaves = Vec::new();
    for line in &along {
        match flat_layout(line)? {
            Some(leaf) => leaves.push(leaf),
            None => return Ok(None),
        }
    }
    Ok(Some(rebuild(shape, &mut leaves.into_iter())))
}

/// The coalesced layout: the flat layout of the values below the size.
pub fn coalesce(a: &Layout) -> Result<Layout, OracleError> {
    flat_layout(&a.values()?)?.ok_or_else(|| malformed(format!("{a} has no coalesced form")))
}

/// Coalesced mode by mode: a leaf of the profile coalesces the mode it stands at, whatever its value, and
/// modes beyond the profile stay. Errs when the profile has more entries than the mode it stands at.
pub fn coalesce_by(a: &Layout, profile: &Nest<i64>) -> Result<Layout, OracleError> {
    let Nest::Node(entries) = profile else {
        return coalesce(a);
    };
    if entries.len() > a.rank() {
        return Err(malformed(format!("profile {profile} has more entries than {a}")));
    }
    let mut modes = a.modes();
    for (mode, entry) in modes.iter_mut().zip(entries) {
        *mode = coalesce_by(mode, entry)?;
    }
    Ok(Layout::join(modes))
}

/// Extents and strides of the longest linear runs.
fn runs(values: &[Point]) -> Result<Option<Vec<(i64, Point)>>, OracleError> {
    let mut rest = values.to_vec();
    let mut leaves = Vec::new();
    if rest.first().is_some_and(|first| !first.is_zero()) {
        return Ok(None);
    }
    while rest.len() > 1 {
        let step = rest.get(1).cloned().unwrap_or_default();
        let mut run = 0;
        while rest.get(run).is_some_and(|value| i64::try_from(run).is_ok_and(|n| step.times(n).as_ref() == Ok(value))) {
            run += 1;
        }
        let firsts: Vec<Point> = rest.iter().step_by(run).cloned().collect();
        if !rest.len().is_multiple_of(run) {
            return Ok(None);
        }
        for (first, chunk) in firsts.iter().zip(rest.chunks(run)) {
            for (low, value) in rest.iter().zip(chunk) {
                if first.plus(low)? != *value {
                    return Ok(None);
                }
            }
        }
        leaves.push((i64::try_from(run).map_err(|_| OracleError::Overflow)?, step));
        rest = firsts;
    }
    Ok(Some(leaves))
}

/// The shape's tree with each leaf replaced by the next layout.
fn rebuild(shape: &Nest<i64>, leaves: &mut impl Iterator<Item = Layout>) -> Layout {
    match shape {
        Nest::Leaf(_) => leaves.next().unwrap_or_else(|| Layout::flat(&[])),
        Nest::Node(entries) => Layout::join(entries.iter().map(|entry| rebuild(entry, leaves)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        text.parse().expect(text)
    }

    fn compose(a: &str, b: &str) -> Option<String> {
        let (a, b) = (layout(a), layout(b));
        let values = composite(&a, &b).expect("small");
        layout_of_profile(&values, b.shape()).expect("small").map(|r| r.to_string())
    }

    #[test]
    fn composition_is_decided_both_ways() {
        let table = [
            ("(6,2):(8,2)", "(4,3):(3,1)", Some("((2,2),3):((24,2),8)")),
            ("(10,2):(16,4)", "(3,4):(1,5)", Some("(3,(2,2)):(16,(80,4))")),
            ("(32,128):(128,1)", "(30,128):(1,32)", Some("(30,128):(128,1)")),
            // A split that does not divide.
            ("(4,6,8):(2,3,5)", "6:3", None),
            // Modes that divide one by one, but carry when added.
            ("(6,2):(1,7)", "(3,2):(2,3)", None),
            ("(4,4):(1,10)", "(3,2):(1,3)", None),
            // Extension as written, negative steps, coordinates.
            ("1:20", "8:1", Some("8:20")),
            ("(2,3):(3,1)", "4:-1", Some("(2,2):(-3,-1)")),
            ("(4,8):(1@1,1@0)", "8:2", Some("(2,4):(2@1,1@0)")),
            ("(4,4):(1,10)", "4:1@0+1@1", Some("4:11")),
            ("(4,8):(1,10)", "(2,2):(2@0,1@1)", Some("(2,2):(2,10)")),
        ];
        for (a, b, want) in table {
            assert_eq!(compose(a, b).as_deref(), want, "{a} o {b}");
        }
    }

    #[test]
    fn coalesced_forms() {
        let table = [
            ("(2,(1,6)):(1,(6,2))", "12:1"),
            ("(2,3):(0,0)", "6:0"),
            ("1:7", "1:0"),
            ("(5,6):(-1,-5)", "30:-1"),
            ("(2,2):(0,10)", "(2,2):(0,10)"),
            ("():()", "1:0"),
        ];
        for (a, want) in table {
            assert_eq!(coalesce(&layout(a)).map(|l| l.to_string()), Ok(want.into()), "{a}");
        }
        let by =
            |a: &str, profile: &str| coalesce_by(&layout(a), &profile.parse().expect(profile)).map(|l| l.to_string());
        assert_eq!(by("(2,(1,6)):(1,(6,2))", "(1,1)"), Ok("(2,6):(1,2)".into()));
        assert_eq!(by("(2,16,1):(1,2,2)", "(1,1)"), Ok("(2,16,1):(1,2,2)".into()));
        assert!(by("4:1", "(1,1)").is_err());
    }

    #[test]
    fn every_small_list_is_judged_as_by_trying_all_layouts() {
        // All lists of six values below 4 that start with 0, against all flat layouts of size 6.
        let mut layouts = Vec::new();
        for stride in 0..4 {
            layouts.push(Layout::flat(&[(6, Point::int(stride))]));
            for other in 0..4 {
                layouts.push(Layout::flat(&[(2, Point::int(stride)), (3, Point::int(other))]));
                layouts.push(Layout::flat(&[(3, Point::int(stride)), (2, Point::int(other))]));
            }
        }
        let tables: Vec<_> = layouts.iter().map(|l| l.values().expect("small")).collect();
        for code in 0..1024 {
            let mut list = vec![Point::zero()];
            list.extend(digits(code, &[4, 4, 4, 4, 4]).into_iter().map(Point::int));
            let fitted = flat_layout(&list).expect("small");
            assert_eq!(fitted.is_some(), tables.contains(&list), "{list:?}");
            if let Some(fitted) = fitted {
                assert_eq!(fitted.values(), Ok(list));
            }
        }
    }
}
