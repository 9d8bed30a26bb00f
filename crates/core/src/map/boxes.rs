//! A part of a box of axes as boxes of digits. In each box, every digit has a range of neighbouring values.
//!
//! Law: every point between two corners lies in exactly one of the boxes of digits.

use super::{Axis, Digit};

/// The most boxes of digits into which a part is split.
const MAX_BOXES: usize = 1 << 12;

/// For each digit, the first of its values and how many follow each other from there.
pub(super) type Ranges = Vec<(i64, i64)>;

/// The points between two corners, both included, as boxes of digits; none where they are too many.
pub(super) fn boxes(axes: &[Axis], digits: &[Digit], corners: &[(i64, i64)]) -> Option<Vec<Ranges>> {
    let mut boxes = vec![Ranges::new()];
    for (at, (low, high)) in corners.iter().enumerate().take(axes.len()) {
        let own: Vec<Digit> = digits.iter().filter(|digit| digit.axis == at).copied().collect();
        let mut pieces = Vec::new();
        if low <= high {
            cut(&own, *low, *high, &mut Vec::new(), &mut pieces);
        }
        if pieces.len().checked_mul(boxes.len())? > MAX_BOXES {
            return None;
        }
        let with = |before: &Ranges| pieces.iter().map(|own| [before.as_slice(), own].concat()).collect::<Vec<_>>();
        boxes = boxes.iter().flat_map(with).collect();
    }
    Some(boxes)
}

/// The coordinates of one axis from one to another; `above` are the ranges of the digits that are fixed, the slowest first.
fn cut(digits: &[Digit], low: i64, high: i64, above: &mut Ranges, pieces: &mut Vec<Ranges>) {
    let push = |above: &Ranges, free: &[Digit], pieces: &mut Vec<Ranges>| {
        let whole = free.iter().map(|digit| (0, digit.radix));
        pieces.push(whole.chain(above.iter().rev().copied()).collect());
    };
    let Some((digit, lower)) = digits.split_last() else {
        push(above, &[], pieces);
        return;
    };
    let weight = digit.weight.max(1);
    let (mut first, mut last) = (low / weight, high / weight);
    let (from, to) = (low % weight, high % weight);
    if first == last && (from, to) != (0, weight - 1) {
        above.push((first, 1));
        cut(lower, from, to, above, pieces);
        above.pop();
        return;
    }
    if from != 0 {
        above.push((first, 1));
        cut(lower, from, weight - 1, above, pieces);
        above.pop();
        first += 1;
    }
    let rest = to != weight - 1;
    last -= i64::from(rest);
    if first <= last {
        above.push((first, last - first + 1));
        push(above, lower, pieces);
        above.pop();
    }
    if rest {
        above.push((last + 1, 1));
        cut(lower, 0, to, above, pieces);
        above.pop();
    }
}

/// The point of digits with these values.
pub(super) fn point(axes: &[Axis], digits: &[Digit], values: &[i64]) -> Vec<i64> {
    let mut point = vec![0i64; axes.len()];
    for (digit, value) in digits.iter().zip(values) {
        if let Some(x) = point.get_mut(digit.axis) {
            *x = x.saturating_add(digit.weight.saturating_mul(*value));
        }
    }
    point
}

#[cfg(test)]
mod tests {
    use super::{boxes, point};
    use crate::map::{Axis, Digit};

    #[test]
    fn every_point_is_in_one_box() {
        let axes = [Axis::dim(0, 11), Axis::dim(1, 6)];
        let digit = |axis, weight, radix| Digit { axis, weight, radix };
        let digits = [digit(0, 1, 2), digit(0, 2, 2), digit(0, 4, 3), digit(1, 1, 3), digit(1, 3, 2)];
        for low in 0..11 {
            for high in low..11 {
                for (from, to) in [(0, 5), (1, 4), (2, 2), (5, 3)] {
                    let found = boxes(&axes, &digits, &[(low, high), (from, to)]).expect("they are few");
                    let mut points = Vec::new();
                    for ranges in found {
                        let mut some = vec![Vec::new()];
                        for (first, count) in ranges {
                            some = (first..first + count)
                                .flat_map(|x| some.iter().map(move |p: &Vec<i64>| [p.as_slice(), &[x]].concat()))
                                .collect();
                        }
                        points.extend(some.iter().map(|values| point(&axes, &digits, values)));
                    }
                    points.sort();
                    let wanted: Vec<_> = (low..=high).flat_map(|x| (from..=to).map(move |y| vec![x, y])).collect();
                    assert_eq!(points, wanted, "{low} to {high}, {from} to {to}");
                }
            }
        }
    }
}
