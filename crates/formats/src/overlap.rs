//! Whether pieces of stored layouts lead to one bit of memory twice, by themselves or two of them.
//!
//! Places are sums of digits times strides, so that two pieces meet where a sum over the digits of both, those of one taken off, is the
//! distance of their starts. Digits of one stride are one digit, whatever their extents; the others are chosen from the largest stride on, and a
//! choice is tried only where the smaller digits can make up the rest. Law: pieces overlap exactly where some bit of memory is the
//! place of two points.

use std::collections::BTreeSet;

use bitstride::map::{Axis, Direction, Form, Injectivity, Map, Stage};
use bitstride::{Code, Error, error};

use crate::places::Piece;

/// The most choices of digits that are tried.
const MAX_CHOICES: usize = 1 << 20;

/// Refuses pieces of which one has two points at a bit of memory, or two have one there, so that a value would be written over another.
///
/// # Errors
/// [`Code::Overlap`]; [`Code::Undecided`] where neither digits nor a walk decide it.
pub(crate) fn check_apart(pieces: &[&Piece]) -> Result<(), Error> {
    for (at, one) in pieces.iter().enumerate() {
        if repeats(&one.map)? {
            return Err(error!(
                Code::Overlap,
                "`{text}` leads two bits of elements to one bit of memory",
                [text = one.text]
            )
            .with_help("one value would be written over another"));
        }
        for other in pieces.iter().skip(at + 1) {
            if overlap(one, other)? {
                return Err(error!(
                    Code::Overlap,
                    "`{text}` and `{other_text}` lead to the same bits of memory",
                    [text = one.text, other_text = other.text]
                )
                .with_help("one value would be written over another"));
            }
        }
    }
    Ok(())
}

/// Whether two points of a map have one place.
fn repeats(map: &Map) -> Result<bool, Error> {
    let by_map = || Ok(matches!(map.injectivity()?, Injectivity::No { .. }));
    if map.size()? == 0 {
        return Ok(false);
    }
    let Some((_, digits)) = sum(map) else { return by_map() };
    let mut digits: Vec<Digit> = digits.into_iter().filter(|digit| digit.most > 0).collect();
    digits.sort_by_key(|digit| -digit.stride.abs());
    let is_one_stride = digits.windows(2).any(|pair| matches!(pair, [a, b] if a.stride.abs() == b.stride.abs()));
    if is_one_stride || digits.iter().any(|digit| digit.stride == 0) {
        return Ok(true);
    }
    // Two points differ in a largest digit, by 1 or more, which smaller ones make up for.
    for (at, first) in digits.iter().enumerate() {
        let smaller = digits.iter().skip(at + 1).map(|digit| Digit { least: -digit.most, ..*digit });
        let all = std::iter::once(Digit { least: 1, ..*first }).chain(smaller);
        match Meeting::new(all).reaches(0, 0) {
            Some(false) => {}
            Some(true) => return Ok(true),
            None => return by_map(),
        }
    }
    Ok(false)
}

fn overlap(one: &Piece, other: &Piece) -> Result<bool, Error> {
    let [(first, last), (other_first, other_last)] = [one.bounds(), other.bounds()];
    if one.map.size()? == 0 || other.map.size()? == 0 || last < other_first || other_last < first {
        return Ok(false);
    }
    let (Some((start, digits)), Some((other_start, others))) = (sum(&one.map), sum(&other.map)) else {
        return by_points(&one.map, &other.map);
    };
    let taken_off = others.into_iter().map(|digit| Digit { stride: -digit.stride, ..digit });
    let mut meeting = Meeting::new(digits.into_iter().chain(taken_off));
    match meeting.reaches(0, i128::from(other_start) - i128::from(start)) {
        Some(meets) => Ok(meets),
        None => by_points(&one.map, &other.map),
    }
}

/// A digit of a sum, from `least` to `most`.
#[derive(Clone, Copy)]
struct Digit {
    stride: i128,
    least: i128,
    most: i128,
}

/// The start and the digits of places that are a sum; none where bits are xored.
fn sum(map: &Map) -> Option<(i64, Vec<Digit>)> {
    let form = Form::of(map).ok()?;
    let [sum] = form.sums.as_slice() else { return None };
    let digits = form.digits.iter().zip(&sum.strides).map(|(digit, stride)| Digit {
        stride: i128::from(*stride),
        least: 0,
        most: i128::from(digit.radix) - 1,
    });
    (sum.flip == 0 && sum.xors.iter().all(|xor| *xor == 0)).then(|| (sum.offset, digits.collect()))
}

/// Digits of different strides, the largest first, and what those from each on can make up.
struct Meeting {
    digits: Vec<Digit>,
    /// From each digit on, the least and the largest sum.
    reach: Vec<(i128, i128)>,
    /// What the digits from one on are known not to make up.
    failed: BTreeSet<(usize, i128)>,
    left: usize,
}

impl Meeting {
    fn new(all: impl Iterator<Item = Digit>) -> Self {
        let mut digits: Vec<Digit> = Vec::new();
        for digit in all.filter(|digit| digit.stride != 0) {
            let is_back = digit.stride < 0;
            let (stride, least, most) = match is_back {
                true => (-digit.stride, -digit.most, -digit.least),
                false => (digit.stride, digit.least, digit.most),
            };
            match digits.iter_mut().find(|known| known.stride == stride) {
                Some(known) => *known = Digit { stride, least: known.least + least, most: known.most + most },
                None => digits.push(Digit { stride, least, most }),
            }
        }
        digits.sort_by_key(|digit| -digit.stride);
        let mut reach = vec![(0, 0)];
        for digit in digits.iter().rev() {
            let (least, most) = reach.last().copied().unwrap_or_default();
            reach.push((least + digit.stride * digit.least, most + digit.stride * digit.most));
        }
        reach.reverse();
        Meeting { digits, reach, failed: BTreeSet::new(), left: MAX_CHOICES }
    }

    /// Whether the digits from one on make up a sum; none where too many choices are tried.
    fn reaches(&mut self, from: usize, wanted: i128) -> Option<bool> {
        let (least, most) = self.reach.get(from).copied()?;
        let Some(digit) = self.digits.get(from).copied() else { return Some(wanted == 0) };
        if wanted < least || wanted > most || self.failed.contains(&(from, wanted)) {
            return Some(false);
        }
        let (rest_least, rest_most) = self.reach.get(from + 1).copied()?;
        let first = digit.least.max((wanted - rest_most).div_euclid(digit.stride));
        let last = digit.most.min((wanted - rest_least).div_euclid(digit.stride));
        let mut value = first;
        while value <= last {
            self.left = self.left.checked_sub(1)?;
            if self.reaches(from + 1, wanted - value * digit.stride)? {
                return Some(true);
            }
            value += 1;
        }
        self.failed.insert((from, wanted));
        Some(false)
    }
}

/// Counts the pairs of points that have one place.
fn by_points(one: &Map, other: &Map) -> Result<bool, Error> {
    let extents = || one.domain().iter().chain(other.domain()).map(|axis| axis.extent);
    let (rank, own) = (extents().count(), one.domain().len());
    // The places of one piece, whatever the point of the other.
    let over_both = |map: &Map, from: usize, count: usize| {
        let unit = |at: usize| (0, (0..rank).map(|place| i64::from(place == from + at)).collect());
        let choose = Stage::Linearise { at: 0, count: rank, sums: (0..count).map(unit).collect() };
        let domain = extents().enumerate().map(|(at, extent)| Axis::dim(at, extent)).collect();
        Map::new(domain, [&[choose], map.stages()].concat(), map.codomain().to_vec(), Direction::ToPlace)
    };
    let (left, right) = (over_both(one, 0, own)?, over_both(other, own, rank - own)?);
    Ok(left.differences(&right)?.differing < left.size()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "that is how a test fails")]

    use std::collections::BTreeSet;

    use bitstride::map::{Injectivity, Map};

    use super::{Digit, Meeting, repeats};

    #[test]
    fn a_layout_that_repeats_a_place_is_found() {
        let extents = [1, 2, 3, 4, 8];
        let strides = [0, 1, 2, 3, 4, 6, 8, -2];
        let mut found = 0;
        for number in 0..extents.len().pow(2) * strides.len().pow(3) {
            let mut rest = number;
            let mut of = |all: &[i64]| {
                let one = all[rest % all.len()];
                rest /= all.len();
                one
            };
            let text =
                format!("(2,{},{}):({},{},{})", of(&extents), of(&extents), of(&strides), of(&strides), of(&strides));
            let map = Map::of_layout(&text.parse().expect("a layout")).expect("a map");
            let wanted = matches!(map.injectivity().expect("few points"), Injectivity::No { .. });
            assert_eq!(repeats(&map), Ok(wanted), "{text}");
            found += i32::from(wanted);
        }
        assert!(found > 1000, "{found}");
    }

    /// Sums of a few digits against all sums of both sides.
    #[test]
    fn digits_meet_where_two_sums_are_one() {
        let mut state = 11_u64;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33) % i128::from(end)
        };
        let mut met = 0;
        for _ in 0..2000 {
            let mut side = || {
                let digits: Vec<(i128, i128)> = (0..below(4)).map(|_| (below(14) - 2, 1 + below(4))).collect();
                let start = below(20);
                let sums = digits.iter().fold(BTreeSet::from([start]), |sums, (stride, count)| {
                    sums.iter().flat_map(|sum| (0..*count).map(move |n| sum + n * stride)).collect()
                });
                (start, digits, sums)
            };
            let ((start, digits, sums), (other_start, others, other_sums)) = (side(), side());
            let digit = |sign: i128| {
                move |(stride, count): (i128, i128)| Digit { stride: sign * stride, least: 0, most: count - 1 }
            };
            let all = digits.into_iter().map(digit(1)).chain(others.into_iter().map(digit(-1)));
            let wanted = !sums.is_disjoint(&other_sums);
            assert_eq!(Meeting::new(all).reaches(0, other_start - start), Some(wanted), "{sums:?} {other_sums:?}");
            met += i32::from(wanted);
        }
        assert!((200..1800).contains(&met), "{met}");
    }
}
