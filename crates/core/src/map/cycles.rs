//! The cycles of a map from a box onto itself, and its order: how often it must be applied to give the identity.
//!
//! Elements are numbered in the order of the tensor where places are one offset. Otherwise points and places are
//! numbered alike, the first axis fastest.
//!
//! A permutation of digits of equal radix is decided by its cycles on the digits. The fixed points of its `d`-th power
//! are the points whose digits agree along each cycle of that power. The number of cycles is the mean of the numbers of
//! fixed points over all powers. Other permutations are enumerated.

use super::injective::{BUDGET, undecided};
use super::layout::size;
use super::walk::Walk;
use super::{Certificate, Direction, Form, Map, Order};
use crate::cast::{index, length, narrow};
use crate::error::{Code, Error};
use crate::gcd;

/// The cycles of a permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Cycles {
    /// After how many times, at least one, every point is where it was.
    pub order: i64,
    /// How many cycles there are, those of one point too.
    pub count: i64,
    /// How many points stay where they are.
    pub fixed: i64,
    /// How the numbers are known.
    pub by: Certificate,
}

impl Map {
    /// The cycles of a map of a box onto itself.
    ///
    /// # Errors
    /// [`Code::Range`] when there are not as many places as points, [`Code::NoInverse`] when the map does not reach each
    /// place once; [`Code::Undecided`] when digits do not decide and there are more points than the budget of 2^20;
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let transpose = Map::of_layout(&"(4,4):(4,1)".parse()?)?.cycles()?;
    /// assert_eq!((transpose.order, transpose.count, transpose.fixed), (2, 10, 4));
    /// // An array is numbered row-major, so that rows in order stay where they are.
    /// assert_eq!(Map::of_array(&"f32[4,8]{1,0}".parse()?)?.cycles()?.fixed, 32);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn cycles(&self) -> Result<Cycles, Error> {
        let (points, places) = (self.size()?, size(self.codomain())?);
        if points != places {
            return Err(error!(
                Code::Range,
                "{points} points and {places} places are no box onto itself",
                [points, places]
            ));
        }
        let map = self.column_major();
        if let Ok(form) = Form::of(&map)
            && let Some(cycles) = map.turned(&form)
        {
            return cycles;
        }
        map.walked(points)
    }

    /// The map whose elements have the same numbers with the first dim the fastest, where places are one offset.
    fn column_major(&self) -> Map {
        if self.order() == Order::ColumnMajor || self.place_axes().len() != 1 {
            return self.clone();
        }
        let reversed: Vec<usize> = (0..self.index_axes().len()).rev().collect();
        match self.direction() {
            Direction::ToPlace => self.with_domain_order(&reversed),
            Direction::ToIndex => self.with_codomain_order(&reversed),
        }
    }

    /// By the cycles on digits, where each digit becomes one.
    fn turned(&self, form: &Form) -> Option<Result<Cycles, Error>> {
        let weights = |axes: &[super::Axis]| {
            axes.iter()
                .scan(1i64, |below, axis| Some(std::mem::replace(below, below.saturating_mul(axis.extent))))
                .collect::<Vec<_>>()
        };
        let (from, to) = (weights(self.domain()), weights(self.codomain()));
        if form.sums.iter().any(|sum| sum.offset != 0 || sum.mask() != 0) {
            return None;
        }
        let mut turns = Vec::new();
        for (at, digit) in form.digits.iter().enumerate() {
            let mut place = 0i64;
            for (sum, weight) in form.sums.iter().zip(&to) {
                place = place.checked_add(sum.strides.get(at)?.checked_mul(*weight)?)?;
            }
            turns.push(Turn { weight: digit.weight.checked_mul(*from.get(digit.axis)?)?, radix: digit.radix, place });
        }
        let size = turns.iter().try_fold(1i64, |size, turn| size.checked_mul(turn.radix))?;
        if size != self.size().ok()? {
            return None;
        }
        let turns = refined(turns)?;
        let next: Vec<usize> = turns
            .iter()
            .map(|turn| turns.iter().position(|other| other.weight == turn.place && other.radix == turn.radix))
            .collect::<Option<_>>()?;
        Some(count(&next, &turns))
    }

    fn walked(&self, points: i64) -> Result<Cycles, Error> {
        if points > BUDGET {
            return Err(undecided(self, BUDGET));
        }
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let mut walk = Walk::new(&extents);
        let mut next = Vec::new();
        let mut reached = vec![false; index(points)?];
        while let Some(point) = walk.next() {
            let place = self.at(point)?;
            let flat = place.as_ref().and_then(|place| self.place(place));
            let fresh =
                flat.and_then(|flat| reached.get_mut(flat)).is_some_and(|reached| !std::mem::replace(reached, true));
            let (Some(flat), true) = (flat, fresh) else {
                return Err(match place {
                    Some(place) => {
                        error!(
                            Code::NoInverse,
                            "{place:?} is no place of {map}, or is reached twice",
                            [place, map = self]
                        )
                    }
                    None => error!(Code::NoInverse, "{point:?} is padding", [point]),
                });
            };
            next.push(flat);
        }
        let (mut order, mut count, mut fixed) = (1i64, 0, 0);
        for start in 0..next.len() {
            let (mut at, mut long) = (start, 0);
            while reached.get_mut(at).is_some_and(|left| std::mem::replace(left, false)) {
                at = next.get(at).copied().unwrap_or(start);
                long += 1;
            }
            if long > 0 {
                count += 1;
                fixed += i64::from(long == 1);
                order = (order / gcd(order, long)).checked_mul(long).ok_or_else(|| Error::overflow("the order"))?;
            }
        }
        Ok(Cycles { order, count, fixed, by: Certificate::Enumerated(length(next.len())) })
    }

    /// The number of a place of the codomain.
    fn place(&self, place: &[i64]) -> Option<usize> {
        let (mut flat, mut weight) = (0i64, 1i64);
        for (x, axis) in place.iter().zip(self.codomain()) {
            if *x < 0 || *x >= axis.extent {
                return None;
            }
            flat = flat.checked_add(x.checked_mul(weight)?)?;
            weight = weight.checked_mul(axis.extent)?;
        }
        usize::try_from(flat).ok()
    }
}

/// A digit of the number of a point, and what one step of it is worth in the number of the place.
#[derive(Clone, Copy)]
struct Turn {
    weight: i64,
    radix: i64,
    place: i64,
}

/// The digits cut until each becomes one of them; none where a cut does not divide.
fn refined(mut turns: Vec<Turn>) -> Option<Vec<Turn>> {
    let mut at = 0;
    while at < turns.len() {
        let turn = *turns.get(at)?;
        if turn.place < 1 {
            return None;
        }
        // Where another digit, or its image, begins inside of this one or of its image.
        let inside = |start: i64, cut: i64| cut > start && i128::from(cut) < i128::from(start) * i128::from(turn.radix);
        let starts = turns.iter().flat_map(|turn| [turn.weight, turn.place]);
        let cuts = starts.flat_map(|cut| [(turn.weight, cut), (turn.place, cut)]);
        let Some((start, cut)) = cuts.into_iter().find(|(start, cut)| inside(*start, *cut)) else {
            at += 1;
            continue;
        };
        let radix = cut / start;
        if cut % start != 0 || turn.radix % radix != 0 {
            return None;
        }
        let above = Turn {
            weight: turn.weight.checked_mul(radix)?,
            radix: turn.radix / radix,
            place: turn.place.checked_mul(radix)?,
        };
        turns.get_mut(at)?.radix = radix;
        turns.push(above);
        at = 0;
    }
    Some(turns)
}

/// The cycles of points from those of digits: `next` gives the position that each digit moves to.
fn count(next: &[usize], turns: &[Turn]) -> Result<Cycles, Error> {
    let mut seen = vec![false; next.len()];
    let mut cycles: Vec<(i64, i64)> = Vec::new();
    for (start, turn) in turns.iter().enumerate() {
        let (mut at, mut long) = (start, 0);
        while seen.get_mut(at).is_some_and(|seen| !std::mem::replace(seen, true)) {
            at = next.get(at).copied().unwrap_or(start);
            long += 1;
        }
        if long > 0 {
            if at != start {
                return Err(Error::new(Code::NoInverse, "two digits lead to one"));
            }
            cycles.push((long, turn.radix));
        }
    }
    let overflow = || Error::overflow("the order");
    let order = cycles.iter().try_fold(1i64, |order, (long, _)| (order / gcd(order, *long)).checked_mul(*long));
    let order = order.ok_or_else(overflow)?;
    let stay = |times: i64| {
        let stay = cycles.iter().try_fold(1i128, |stay, (long, radix)| {
            let free = u32::try_from(gcd(*long, times)).ok()?;
            stay.checked_mul(i128::from(*radix).checked_pow(free)?)
        });
        stay.ok_or_else(overflow)
    };
    let mut all = 0i128;
    for times in (1..=order).filter(|times| order % times == 0) {
        let powers = (1..=order / times).filter(|n| gcd(*n, order / times) == 1).count();
        let stays = stay(times)?.checked_mul(i128::from(length(powers)));
        all = stays.and_then(|stays| all.checked_add(stays)).ok_or_else(overflow)?;
    }
    let by = Certificate::Digits(turns.len());
    Ok(Cycles { order, count: narrow(all / i128::from(order))?, fixed: narrow(stay(1)?)?, by })
}
