//! [`PlaceTable`]: the place of each element, for a map from places to elements that the algebra does not invert.
//!
//! The elements are numbered, the first dim fastest, and every place is evaluated once. Law: the place of an element is
//! the only one that the map leads to it.

use bitstride::map::{Axis, Direction, Map, Stage, Unit};
use bitstride::{Code, Error, error};

use crate::cast::length;

/// The most places and elements of a table: half a GiB.
const MAX_ENTRIES: i64 = 1 << 26;

/// What an entry without a place has.
const NONE: i64 = -1;

/// The place of each element by its number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlaceTable(Vec<i64>);

impl PlaceTable {
    /// The table of a map from places, and the map from elements to their numbers.
    ///
    /// # Errors
    /// `why` it has no inverse, for a map that does not lead from one offset and for one that is too large;
    /// [`Code::NoInverse`] where two places hold one element; as [`Map::at`].
    pub(crate) fn of(map: &Map, why: &Error) -> Result<(Map, Self), Error> {
        let [place] = map.place_axes() else { return Err(why.clone()) };
        let mut weights = Vec::new();
        let count = map.index_axes().iter().try_fold(1i64, |all, axis| {
            weights.push(all);
            all.checked_mul(axis.extent)
        });
        let Some(count) = count.filter(|count| *count.max(&place.extent) <= MAX_ENTRIES) else {
            return Err(why.clone());
        };
        if place.unit != Unit::Element || map.direction() != Direction::ToIndex {
            return Err(why.clone());
        }
        let mut places = vec![NONE; length(count)];
        for at in 0..place.extent {
            let Some(index) = map.at(&[at])? else { continue };
            let number = weights
                .iter()
                .zip(&index)
                .try_fold(0i64, |all, (weight, x)| weight.checked_mul(*x).and_then(|more| all.checked_add(more)));
            let entry = number.and_then(|number| places.get_mut(usize::try_from(number).ok()?));
            let entry = entry.ok_or_else(|| {
                error!(Code::Range, "place {at} leads to {index:?}, which is no element", [at, index])
            })?;
            if *entry != NONE {
                return Err(error!(
                    Code::NoInverse,
                    "places {entry} and {at} both lead to {index:?}",
                    [entry, at, index]
                ));
            }
            *entry = at;
        }
        let join = Stage::Linearise { at: 0, count: weights.len(), sums: vec![(0, weights)] };
        let numbers = Map::new(map.index_axes().to_vec(), vec![join], vec![Axis::offset(count)], Direction::ToPlace)?;
        Ok((numbers, PlaceTable(places)))
    }

    /// The place of an element by its number.
    pub(crate) fn at(&self, number: i64) -> Option<i64> {
        let at = usize::try_from(number).ok()?;
        self.0.get(at).copied().filter(|place| *place != NONE)
    }
}
