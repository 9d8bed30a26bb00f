//! Contiguity along an axis: how many elements one wide load or store may take.
//!
//! Law, for a run of `n` along an axis: wherever the coordinate is no multiple of `n`, the place is one more than that
//! of the previous coordinate, and `n` is the largest such number. The aligned width `v` is a power of two that divides
//! the run and the extent: places at multiples of `v` are multiples of `v`.

use super::injective::{BUDGET, undecided};
use super::walk::Walk;
use super::{Certificate, Form, Map};
use crate::cast::index;
use crate::error::{Code, Error};
use crate::gcd;

/// How far neighbours along an axis stay neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Contiguity {
    /// How many consecutive coordinates lie at consecutive places, from each multiple of it on.
    pub run: i64,
    /// The widest aligned vector: a power of two that divides the run, the extent, and the place of each of its firsts.
    pub aligned: i64,
    /// How the numbers are known.
    pub by: Certificate,
}

impl Map {
    /// How far neighbours along an axis of the domain are neighbours along an axis of the codomain, both by number.
    ///
    /// # Errors
    /// [`Code::MissingDim`] for an axis that is not there; [`Code::Undecided`] when digits do not decide and there are more
    /// points than the budget of 2^20; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let padded = Map::of_layout(&"(64,8):(1,72)".parse()?)?;
    /// let along = padded.contiguity(0, 0)?;
    /// assert_eq!((along.run, along.aligned), (64, 8));
    /// assert_eq!(padded.contiguity(1, 0)?.run, 1);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn contiguity(&self, axis: usize, along: usize) -> Result<Contiguity, Error> {
        let (Some(own), true) = (self.domain().get(axis), along < self.codomain().len()) else {
            return Err(error!(
                Code::MissingDim,
                "{map} has no axis {axis} on the left or no axis {along} on the right",
                [map = self, axis, along]
            ));
        };
        let form = Form::of(self).ok().filter(|_| self.domain().iter().all(|axis| axis.extent > 0));
        match form.and_then(|form| form.contiguity(axis, along, own.extent)) {
            Some(contiguity) => Ok(contiguity),
            None => self.visited_contiguity(axis, along, own.extent),
        }
    }

    fn visited_contiguity(&self, axis: usize, along: usize, extent: i64) -> Result<Contiguity, Error> {
        let points = self.size()?;
        if points > BUDGET {
            return Err(undecided(self, BUDGET));
        }
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let mut run = 0;
        let mut walk = Walk::new(&extents);
        // For each coordinate, what all places there are multiples of.
        let mut aligned = vec![0i64; index(if points == 0 { 0 } else { extent })?];
        while let Some(point) = walk.next() {
            let place = self.at(point)?;
            let x = point.get(axis).copied().unwrap_or(0);
            if let (Some(common), Some(place)) = (aligned.get_mut(index(x)?), place.as_ref().and_then(|p| p.get(along)))
            {
                *common = gcd(*common, *place);
            }
            if x == 0 {
                continue;
            }
            let mut before = point.to_vec();
            if let Some(x) = before.get_mut(axis) {
                *x -= 1;
            }
            let mut next = self.at(&before)?;
            if let Some(x) = next.as_mut().and_then(|next| next.get_mut(along)) {
                *x = x.checked_add(1).ok_or_else(|| Error::overflow("the place after one"))?;
            }
            if place != next {
                run = gcd(run, x);
            }
        }
        let run = if run == 0 { extent.max(1) } else { run };
        let fits = |width: i64| {
            run % width == 0
                && extent % width == 0
                && (0..)
                    .step_by(index(width).unwrap_or(1))
                    .map_while(|x: usize| aligned.get(x))
                    .all(|common| common % width == 0)
        };
        Ok(Contiguity { run, aligned: widest(fits), by: Certificate::Enumerated(points) })
    }
}

/// The largest power of two that fits, when half of one that fits does too.
fn widest(fits: impl Fn(i64) -> bool) -> i64 {
    (1..i64::BITS - 1).map(|bit| 1i64 << bit).take_while(|width| fits(*width)).last().unwrap_or(1)
}

impl Form {
    /// None where patterns and strides could cancel in the lowest bits.
    fn contiguity(&self, axis: usize, along: usize, extent: i64) -> Option<Contiguity> {
        let first = self.digits.iter().position(|digit| digit.axis == axis && digit.weight == 1);
        let runs = |digit: &usize| {
            self.sums.iter().enumerate().all(|(at, sum)| {
                sum.strides.get(*digit) == Some(&i64::from(at == along)) && sum.xors.get(*digit) == Some(&0)
            })
        };
        let first = first.filter(runs);
        let radix = first.and_then(|digit| self.digits.get(digit)).map_or(1, |digit| digit.radix);
        // The extent may cut the only digit short.
        let run = radix.min(extent);
        let sum = self.sums.get(along)?;
        let fits = |width: i64| {
            let others = sum.strides.iter().enumerate().filter(|(at, _)| Some(*at) != first);
            let multiple = |stride: i64| stride % width == 0;
            run % width == 0
                && extent % width == 0
                && sum.mask() & (width - 1) == 0
                && multiple(sum.offset)
                && others.into_iter().all(|(_, stride)| multiple(*stride))
        };
        let aligned = widest(fits);
        let next = aligned.checked_mul(2)?;
        let unclear = run % next == 0 && extent % next == 0 && sum.mask() & (next - 1) != 0;
        (!unclear).then_some(Contiguity { run, aligned, by: Certificate::Digits(self.digits.len()) })
    }
}
