//! A change of unit, place by place.
//!
//! `upcast` by N: N old units make one new unit, so old place x lies in new unit `floor(x / N)`. Along each leaf
//! the first f coordinates lie in unit 0; groups of f coordinates become one, and the new layout must send the
//! group of a coordinate to the unit of its place. A leaf with stride 0 keeps its extent. Whether that works is
//! found by trying every coordinate.
//!
//! `downcast` by N: each old unit is N new ones, so the places of the answer are all of `[N a, N a + N)`, and one
//! leaf of A, whose neighbours lie one unit apart (or which has extent 1), counts through them.

use super::{
    Layout, Nest, Point, Stuck, add, ceil_div, count, digits, flat_layout, malformed, mul,
};

/// The layout of groups of N units, congruent with A, if there is one. Errs for N below 1.
///
/// ```
/// use bitstride::reference::upcast;
///
/// let up = |a: &str, n| Ok::<_, bitstride::reference::Stuck>(upcast(&a.parse()?, n)?.map(|r| r.to_string()));
/// assert_eq!(up("(4,8):(1,4)", 2)?.as_deref(), Some("(2,8):(1,2)"));
/// assert_eq!(up("(4,8):(1,5)", 2)?, None);
/// # Ok::<(), bitstride::reference::Stuck>(())
/// ```
pub fn upcast(a: &Layout, n: i64) -> Result<Option<Layout>, Stuck> {
    let groups = groups(a, n)?;
    let mut leaves = Vec::new();
    for ((extent, stride), group) in a.int_leaves()?.into_iter().zip(&groups) {
        let units: Result<Vec<Point>, Stuck> = (0..ceil_div(extent, *group)?)
            .map(|c| Ok(Point::int(mul(mul(c, *group)?, stride)?.div_euclid(n))))
            .collect();
        match flat_layout(&units?)? {
            Some(leaf) if leaf.rank() == 1 => leaves.push(leaf),
            _ => return Ok(None),
        }
    }
    let mut next = leaves.into_iter();
    let stride = a.stride().map(&mut |_| next.next());
    let shape = stride.map(&mut |leaf: &Option<Layout>| {
        leaf.as_ref().and_then(|leaf| leaf.size().ok()).unwrap_or(1)
    });
    let stride = stride.map(&mut |leaf| {
        leaf.as_ref()
            .and_then(|leaf| leaf.leaves().pop())
            .map_or_else(Point::zero, |(_, stride)| stride)
    });
    // A stride-0 leaf of extent 1 came back as `1:0`; group counts are what the extents must be.
    let answer = Layout::new(shape, stride)?;
    Ok(misplaced(a, n, &groups, &answer)?
        .is_none()
        .then_some(answer))
}

/// How many coordinates of each leaf lie in unit 0 from the start; 1 along stride 0. Errs for N below 1.
pub(crate) fn groups(a: &Layout, n: i64) -> Result<Vec<i64>, Stuck> {
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

/// The first flat index of A whose group the answer does not send to its unit, with both units.
pub(crate) fn misplaced(
    a: &Layout,
    n: i64,
    groups: &[i64],
    answer: &Layout,
) -> Result<Option<(i64, i64, i64)>, Stuck> {
    let extents: Vec<i64> = a.shape().leaves().into_iter().copied().collect();
    let steps = answer.int_leaves()?;
    for (index, value) in (0..).zip(a.int_values()?) {
        let mut unit = 0;
        for ((digit, group), (_, step)) in
            digits(index, &extents).into_iter().zip(groups).zip(&steps)
        {
            unit = add(unit, mul(digit.div_euclid(*group), *step)?)?;
        }
        let wanted = value.div_euclid(n);
        if unit != wanted {
            return Ok(Some((index, unit, wanted)));
        }
    }
    Ok(None)
}

/// The layout of the N parts of every unit, congruent with A, if there is one: the first leaf that can count
/// through the parts does. Errs for N below 1.
pub fn downcast(a: &Layout, n: i64) -> Result<Option<Layout>, Stuck> {
    for leaf in 0..a.leaves().len() {
        let values = parts(a, n, leaf)?;
        let shape = scaled(a.shape(), leaf, n)?;
        if let Some(answer) = super::layout_of_profile(&values, &shape)?
            .filter(|answer| answer.shape().congruent(a.shape()))
        {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

/// The shape with one leaf N times as long.
pub(crate) fn scaled(shape: &Nest<i64>, leaf: usize, n: i64) -> Result<Nest<i64>, Stuck> {
    if n < 1 {
        return Err(malformed(format!("a unit cannot be cut into {n} parts")));
    }
    let mut at = 0;
    let scaled = shape.map(&mut |extent: &i64| {
        at += 1;
        if at == leaf + 1 {
            extent.checked_mul(n)
        } else {
            Some(*extent)
        }
    });
    match scaled.leaves().into_iter().any(Option::is_none) {
        true => Err(Stuck::Overflow),
        false => Ok(scaled.map(&mut |extent| extent.unwrap_or(1))),
    }
}

/// The place of every part, when the leaf counts through the parts of each of its units: coordinate `N q + k`
/// along it is part k of the unit at q.
pub(crate) fn parts(a: &Layout, n: i64, leaf: usize) -> Result<Vec<Point>, Stuck> {
    let shape = scaled(a.shape(), leaf, n)?;
    let extents: Vec<i64> = shape.leaves().into_iter().copied().collect();
    count(shape.size()?)?;
    let mut values = Vec::new();
    for index in 0..shape.size()? {
        let mut value = 0;
        for ((at, digit), (_, stride)) in digits(index, &extents)
            .into_iter()
            .enumerate()
            .zip(a.int_leaves()?)
        {
            let (unit, part) = if at == leaf {
                (digit / n, digit % n)
            } else {
                (digit, 0)
            };
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
        upcast(&a.parse().expect(a), n)
            .expect("small")
            .map(|r| r.to_string())
    }

    fn down(a: &str, n: i64) -> Option<String> {
        downcast(&a.parse().expect(a), n)
            .expect("small")
            .map(|r| r.to_string())
    }

    #[test]
    fn groups_become_units() {
        assert_eq!(up("(15,4):(48,12)", 2).as_deref(), Some("(15,4):(24,6)"));
        assert_eq!(
            up("(2,2,(4,2)):(1,2,(4,16))", 2).as_deref(),
            Some("(1,2,(4,2)):(0,1,(2,8))")
        );
        assert_eq!(up("15:1", 2).as_deref(), Some("8:1"));
        assert_eq!(up("(4,3):(0,2)", 2).as_deref(), Some("(4,3):(0,1)"));
        // 2 does not divide 3 but both places lie in unit 0.
        assert_eq!(up("2:3", 4).as_deref(), Some("1:0"));
        assert_eq!(up("3:3", 4).as_deref(), Some("2:1"));
        assert_eq!(up("4:3", 4), None);
        // Leaf by leaf all is well, together they cross a unit.
        assert_eq!(up("(2,2):(1,1)", 2), None);
        assert!(upcast(&"4:1".parse().expect("a layout"), 0).is_err());
    }

    #[test]
    fn units_fall_into_parts() {
        assert_eq!(down("6:1", 8).as_deref(), Some("48:1"));
        assert_eq!(
            down("(3,3,12):(12,108,1)", 8).as_deref(),
            Some("(3,3,96):(96,864,1)")
        );
        assert_eq!(down("(15,4):(48,12)", 2), None);
        assert_eq!(down("(1,4):(7,12)", 2).as_deref(), Some("(2,4):(1,24)"));
    }
}
