//! Upcast and downcast, place by place.
//!
//! `upcast` by N: N old units make one new unit. Along each leaf the first f coordinates that lie in unit 0 form a
//! group, the next f another, and so on; a leaf with stride 0 keeps its extent. Coordinate c is coordinate k of
//! group g, and the answer R must keep its place: `A(c) = N R(g) + A(k)`, with A(k) inside one unit. So where an
//! element lies within its unit depends on k alone, and R moves whole units. Whether that works is found by trying
//! every coordinate.
//!
//! `downcast` by N: each old unit is N new ones, so the places of the answer are all of `[N a, N a + N)`, and one
//! leaf of A, whose neighbours lie one unit apart (or which has extent 1), counts through them.

use super::{Layout, Nest, OracleError, Point, add, ceil_div, count, digits, malformed, mul};

/// The layout of groups of N units, congruent with A, if there is one. Errs for N below 1.
///
/// ```
/// use bitstride_oracle::reference::upcast;
///
/// let up = |a: &str, n| Ok::<_, bitstride_oracle::reference::OracleError>(upcast(&a.parse()?, n)?.map(|r| r.to_string()));
/// assert_eq!(up("(4,8):(1,4)", 2)?.as_deref(), Some("(2,8):(1,2)"));
/// assert_eq!(up("(4,8):(1,5)", 2)?, None);
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
pub fn upcast(a: &Layout, n: i64) -> Result<Option<Layout>, OracleError> {
    let groups = groups(a, n)?;
    let (mut extents, mut steps) = (Vec::new(), Vec::new());
    for ((extent, stride), group) in a.int_leaves()?.into_iter().zip(&groups) {
        let copies = ceil_div(extent, *group)?;
        let step = if copies == 1 { 0 } else { mul(*group, stride)? };
        if step % n != 0 {
            return Ok(None);
        }
        extents.push(copies);
        steps.push(Point::int(step / n));
    }
    let (mut extents, mut steps) = (extents.into_iter(), steps.into_iter());
    let shape = a.shape().map(&mut |_| extents.next().unwrap_or(1));
    let answer = Layout::new(shape, a.shape().map(&mut |_| steps.next().unwrap_or_default()))?;
    Ok(misplaced(a, n, &groups, &answer)?.is_none().then_some(answer))
}

/// How many coordinates of each leaf lie in unit 0 from the start; 1 along stride 0. Errs for N below 1.
pub(crate) fn groups(a: &Layout, n: i64) -> Result<Vec<i64>, OracleError> {
    if n < 1 {
        return Err(malformed(format!("a unit of {n} holds nothing")));
    }
    let group = |(extent, stride): (i64, i64)| match stride {
        0 => Ok(1),
        1.. => Ok(extent.min(ceil_div(n, stride)?)),
        _ => Ok(1),
    };
    a.int_leaves()?.into_iter().map(group).collect()
}

/// The first flat index of A whose place is not kept, with its place in A and by the answer.
pub(crate) fn misplaced(
    a: &Layout,
    n: i64,
    groups: &[i64],
    answer: &Layout,
) -> Result<Option<(i64, i64, i64)>, OracleError> {
    let extents: Vec<i64> = a.shape().leaves().into_iter().copied().collect();
    let steps = answer.int_leaves()?;
    let leaves = a.int_leaves()?;
    for (index, place) in (0..).zip(a.int_values()?) {
        let (mut unit, mut within) = (0, 0);
        let digits = digits(index, &extents).into_iter().zip(groups);
        for (((digit, group), (_, stride)), (_, step)) in digits.zip(&leaves).zip(&steps) {
            unit = add(unit, mul(digit / group, *step)?)?;
            within = add(within, mul(digit % group, *stride)?)?;
        }
        let kept = add(mul(unit, n)?, within)?;
        if kept != place || !(0..n).contains(&within) {
            return Ok(Some((index, place, kept)));
        }
    }
    Ok(None)
}

/// The layout of the N parts of every unit, congruent with A, if there is one: the first leaf that can count
/// through the parts does. Errs for N below 1.
pub fn downcast(a: &Layout, n: i64) -> Result<Option<Layout>, OracleError> {
    for leaf in 0..a.leaves().len() {
        let values = parts(a, n, leaf)?;
        let shape = scaled(a.shape(), leaf, n)?;
        if let Some(answer) =
            super::layout_of_profile(&values, &shape)?.filter(|answer| answer.shape().congruent(a.shape()))
        {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

/// The shape with one leaf N times as long.
pub(crate) fn scaled(shape: &Nest<i64>, leaf: usize, n: i64) -> Result<Nest<i64>, OracleError> {
    if n < 1 {
        return Err(malformed(format!("a unit cannot be cut into {n} parts")));
    }
    let mut at = 0;
    let scaled = shape.map(&mut |extent: &i64| {
        at += 1;
        if at == leaf + 1 { extent.checked_mul(n) } else { Some(*extent) }
    });
    match scaled.leaves().into_iter().any(Option::is_none) {
        true => Err(OracleError::Overflow),
        false => Ok(scaled.map(&mut |extent| extent.unwrap_or(1))),
    }
}

/// The place of every part, when the leaf counts through the parts of each of its units: coordinate `N q + k`
/// along it is part k of the unit at q.
pub(crate) fn parts(a: &Layout, n: i64, leaf: usize) -> Result<Vec<Point>, OracleError> {
    let shape = scaled(a.shape(), leaf, n)?;
    let extents: Vec<i64> = shape.leaves().into_iter().copied().collect();
    count(shape.size()?)?;
    let mut values = Vec::new();
    for index in 0..shape.size()? {
        let mut value = 0;
        for ((at, digit), (_, stride)) in digits(index, &extents).into_iter().enumerate().zip(a.int_leaves()?) {
            let (unit, part) = if at == leaf { (digit / n, digit % n) } else { (digit, 0) };
            value = add(value, add(mul(mul(unit, stride)?, n)?, part)?)?;
        }
        values.push(Point::int(value));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn up(a: &str, n: i64) -> Option<String> {
        upcast(&a.parse().expect(a), n).expect("small").map(|r| r.to_string())
    }

    fn down(a: &str, n: i64) -> Option<String> {
        downcast(&a.parse().expect(a), n).expect("small").map(|r| r.to_string())
    }

    #[test]
    fn groups_become_units() {
        assert_eq!(up("(15,4):(48,12)", 2).as_deref(), Some("(15,4):(24,6)"));
        assert_eq!(up("(2,2,(4,2)):(1,2,(4,16))", 2).as_deref(), Some("(1,2,(4,2)):(0,1,(2,8))"));
        assert_eq!(up("15:1", 2).as_deref(), Some("8:1"));
        assert_eq!(up("(4,3):(0,2)", 2).as_deref(), Some("(4,3):(0,1)"));
        // 2 does not divide 3 but both places lie in unit 0.
        assert_eq!(up("2:3", 4).as_deref(), Some("1:0"));
        assert_eq!(up("3:3", 4), None);
        // Place 7 lies in unit 3, but elsewhere in it than place 0 in unit 0.
        assert_eq!(up("2:7", 2), None);
        assert_eq!(up("4:-2", 2).as_deref(), Some("4:-1"));
        assert_eq!(up("4:-1", 2), None);
        // Leaf by leaf all is well, together they cross a unit.
        assert_eq!(up("(2,2):(1,1)", 2), None);
        assert!(upcast(&"4:1".parse().expect("a layout"), 0).is_err());
    }

    #[test]
    fn units_fall_into_parts() {
        assert_eq!(down("6:1", 8).as_deref(), Some("48:1"));
        assert_eq!(down("(3,3,12):(12,108,1)", 8).as_deref(), Some("(3,3,96):(96,864,1)"));
        assert_eq!(down("(15,4):(48,12)", 2), None);
        assert_eq!(down("(1,4):(7,12)", 2).as_deref(), Some("(2,4):(1,24)"));
    }
}
