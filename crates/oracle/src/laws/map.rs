//! Laws of maps between boxes: injectivity, inverses, images, contiguous runs and cycles.
//!
//! A map is given by all its points, the first axis fastest, with the place of each. `None` is padding.

use std::collections::{BTreeMap, BTreeSet};

use super::{CheckResult, first_repeat, hold};

/// A point and its place.
pub type Sent = (Vec<i64>, Option<Vec<i64>>);

/// Different points have different places, unless two points are named that do not.
pub fn map_injective(table: &[Sent], collision: Option<[&[i64]; 2]>) -> CheckResult {
    const LAW: &str = "map_injective";
    let place = |point: &[i64]| table.iter().find(|(own, _)| own == point).and_then(|(_, place)| place.as_ref());
    if let Some([one, other]) = collision {
        let alike = one != other && place(one).is_some() && place(one) == place(other);
        return hold(LAW, alike, || format!("{one:?} leads to {:?}, {other:?} to {:?}", place(one), place(other)));
    }
    let reached = table.iter().filter(|(_, place)| place.is_some());
    let repeat = first_repeat(reached.map(|(_, place)| place));
    hold(LAW, repeat.is_none(), || format!("two points share a place, such as those numbered {repeat:?}"))
}

/// At each given place, the inverse gives the only point with that place, or padding where there is none.
pub fn map_inverse(table: &[Sent], inverse: &[Sent]) -> CheckResult {
    for (place, point) in inverse {
        let wanted: Vec<_> = preimages(table, place);
        let right = match point {
            Some(point) => wanted == [point],
            None => wanted.is_empty(),
        };
        hold("map_inverse", right, || format!("{place:?} is sent to {point:?}, but {wanted:?} lead to it"))?;
    }
    Ok(())
}

/// The points that lead to a place, all of them, in order.
pub fn map_preimages(table: &[Sent], place: &[i64], answer: &[Vec<i64>]) -> CheckResult {
    let wanted = preimages(table, place);
    hold("map_preimages", answer.iter().eq(wanted.iter().copied()), || {
        format!("{wanted:?} lead to {place:?}, not {answer:?}")
    })
}

/// The number of places reached, the number of places of the codomain that are not, and the first of these.
pub fn map_image(table: &[Sent], codomain: &[Vec<i64>], size: i64, holes: i64, first: Option<&[i64]>) -> CheckResult {
    const LAW: &str = "map_image";
    let reached: BTreeSet<_> = table.iter().filter_map(|(_, place)| place.as_ref()).collect();
    hold(LAW, length(reached.len()) == size, || format!("{} places are reached, not {size}", reached.len()))?;
    let mut left = codomain.iter().filter(|place| !reached.contains(place));
    let wanted = left.next();
    let count = length(left.count()) + i64::from(wanted.is_some());
    hold(LAW, count == holes, || format!("{count} places are not reached, not {holes}"))?;
    hold(LAW, wanted.map(Vec::as_slice) == first, || format!("the first hole is {wanted:?}, not {first:?}"))
}

/// Along an axis, places follow each other but at multiples of the run, which is the largest such number; the aligned width
/// is the largest power of two that divides the run, the extent, and the place at each multiple of it.
pub fn map_contiguity(table: &[Sent], axis: usize, along: usize, run: i64, aligned: i64) -> CheckResult {
    const LAW: &str = "map_contiguity";
    let places: BTreeMap<&[i64], &Option<Vec<i64>>> =
        table.iter().map(|(point, place)| (point.as_slice(), place)).collect();
    let coordinate = |point: &[i64]| point.get(axis).copied().unwrap_or(0);
    let extent = table.iter().map(|(point, _)| coordinate(point) + 1).max().unwrap_or(0);
    let moved = |list: &[i64], at: usize, by: i64| {
        let step = |(own, x): (usize, &i64)| if own == at { x + by } else { *x };
        list.iter().enumerate().map(step).collect::<Vec<i64>>()
    };
    let follows = |(point, place): &Sent| {
        let before = places.get(moved(point, axis, -1).as_slice()).and_then(|before| before.as_ref());
        before.map(|before| moved(before, along, 1)) == *place
    };
    let breaks: Vec<i64> = table
        .iter()
        .filter(|(point, _)| coordinate(point) > 0)
        .filter(|sent| !follows(sent))
        .map(|(point, _)| coordinate(point))
        .collect();
    let holds = |run: i64| run > 0 && breaks.iter().all(|x| x % run == 0);
    hold(LAW, holds(run), || format!("places do not follow each other at {breaks:?}, so that {run} is no run"))?;
    let longer = (run + 1..=extent).find(|longer| holds(*longer));
    hold(LAW, longer.is_none(), || format!("{longer:?} is a longer run than {run}"))?;
    let multiple = |place: &Vec<i64>, width: i64| place.get(along).is_none_or(|x| x % width == 0);
    let fits = |width: i64| {
        let starts = table.iter().filter(|(point, _)| coordinate(point) % width == 0);
        run % width == 0
            && extent % width == 0
            && starts.filter_map(|(_, place)| place.as_ref()).all(|place| multiple(place, width))
    };
    let widest = aligned.count_ones() == 1 && fits(aligned) && (aligned > run || !fits(aligned.saturating_mul(2)));
    hold(LAW, widest, || format!("{aligned} is not the widest aligned vector"))
}

/// The order, the number of cycles and of points that stay, for points that lead to points by number.
pub fn map_cycles(next: &[usize], order: i64, count: i64, fixed: i64) -> CheckResult {
    const LAW: &str = "map_cycles";
    let mut lengths = Vec::new();
    let mut seen = BTreeSet::new();
    for start in 0..next.len() {
        let (mut at, mut long) = (start, 0i64);
        while seen.insert(at) {
            at = next.get(at).copied().unwrap_or(start);
            long += 1;
        }
        hold(LAW, long == 0 || at == start, || format!("{at} is reached twice"))?;
        lengths.extend((long > 0).then_some(long));
    }
    let all = lengths.iter().all(|long| order > 0 && order % long == 0);
    let least = (1..order).filter(|times| order % times == 0).all(|times| lengths.iter().any(|long| times % long != 0));
    hold(LAW, all && least, || format!("cycles of {lengths:?} are not of order {order}"))?;
    hold(LAW, length(lengths.len()) == count, || format!("{} cycles, not {count}", lengths.len()))?;
    let stay = lengths.iter().filter(|long| **long == 1).count();
    hold(LAW, length(stay) == fixed, || format!("{stay} points stay, not {fixed}"))
}

fn preimages<'t>(table: &'t [Sent], place: &[i64]) -> Vec<&'t Vec<i64>> {
    table.iter().filter(|(_, own)| own.as_deref() == Some(place)).map(|(point, _)| point).collect()
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
