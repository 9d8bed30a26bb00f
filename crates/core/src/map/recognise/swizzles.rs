//! Finds the swizzles that undo the XORs of a map.
//!
//! A swizzle is its own inverse: swizzling the map once more leaves the layout under it. Its target bits must contain
//! every bit that two digits share. Dropping targets at the ends that no digits share changes no other bit. So one
//! swizzle with the fewest bits has exactly the run of shared bits as its targets, and only its source bits are
//! searched. Where no single swizzle works, an outer one of at most [`MAX_OUTER_SWIZZLES`] is tried first.
//!
//! Where an extent is no power of two, a swizzle may also merge digits whose last value lies beyond the extent. At most
//! [`MAX_MERGING_SWIZZLES`] are tried for that. A swizzle with fewer bits may also leave digits that are no bits; those
//! are searched value by value (`carrying.rs`).
//!
//! The canonical choice has the fewest bits, then leaves the fewest digits, then is lexicographic in (B,M,S).

use super::super::Form;
use super::field::Field;
use crate::cute::Swizzle;
use crate::error::Error;

/// How many outer swizzles of two are tried.
const MAX_OUTER_SWIZZLES: usize = 512;

/// How many swizzles are tried where digits do not end at the extents.
const MAX_MERGING_SWIZZLES: usize = 2048;

/// The swizzles, the outermost first, and the form of what is under them, which has no patterns.
pub(super) fn unswizzled(field: &Field) -> Result<Option<(Vec<Swizzle>, Form)>, Error> {
    let mut best = Best::default();
    for swizzle in undoing(field, &field.columns) {
        best.offer(field, vec![swizzle])?;
    }
    if best.found.is_none() {
        let shared = field.shared(&field.columns);
        let outer = all_below(field.bits).filter(|swizzle| swizzle.targets() & shared != 0);
        for outer in outer.take(MAX_OUTER_SWIZZLES) {
            let columns = swizzled(outer, &field.columns);
            if field.shared(&columns).count_ones() < shared.count_ones() {
                for inner in undoing(field, &columns) {
                    best.offer(field, vec![outer, inner])?;
                }
            }
        }
    }
    Ok(best.found)
}

/// The swizzle under which all digits end at the extents, and the form of what is under it, which has no patterns.
pub(super) fn ending(field: &Field) -> Result<Option<(Vec<Swizzle>, Form)>, Error> {
    let mut best = Best { whole: true, ..Best::default() };
    for swizzle in all_below(field.bits).take(MAX_MERGING_SWIZZLES) {
        let columns = swizzled(swizzle, &field.columns);
        if best.rank.as_ref().is_some_and(|(bits, ..)| *bits < swizzle.bits()) {
            break;
        }
        if field.shared(&columns) == 0 && field.may_end(swizzle.apply(field.none), &columns) {
            best.offer(field, vec![swizzle])?;
        }
    }
    Ok(best.found)
}

/// The swizzles with the fewest bits that leave no bits shared.
fn undoing(field: &Field, columns: &[i64]) -> Vec<Swizzle> {
    let shared = field.shared(columns);
    if shared == 0 {
        return Vec::new();
    }
    let target = i64::from(shared.trailing_zeros());
    let bits = i64::from(i64::BITS - shared.leading_zeros()) - target;
    let shifts = (-target..=i64::from(field.bits) - bits - target).filter(|shift| shift.abs() >= bits);
    let swizzles = shifts.filter_map(|shift| Swizzle::new(bits, target.min(target + shift), shift).ok());
    swizzles.filter(|swizzle| field.shared(&swizzled(*swizzle, columns)) == 0).collect()
}

/// All swizzles within the given number of bits, those with fewer bits first.
pub(super) fn all_below(bits: u32) -> impl Iterator<Item = Swizzle> {
    let top = i64::from(bits);
    (1..=top / 2).flat_map(move |bits| {
        (0..=top - 2 * bits).flat_map(move |base| {
            let distances = bits..=top - bits - base;
            let shifts = distances.clone().rev().map(|distance| -distance).chain(distances);
            shifts.filter_map(move |shift| Swizzle::new(bits, base, shift).ok())
        })
    })
}

fn swizzled(swizzle: Swizzle, columns: &[i64]) -> Vec<i64> {
    columns.iter().map(|column| swizzle.apply(*column)).collect()
}

/// What comes before what among the choices.
type Rank = (u32, usize, Vec<(u32, u32, i32)>);

#[derive(Default)]
struct Best {
    rank: Option<Rank>,
    found: Option<(Vec<Swizzle>, Form)>,
    /// Whether digits must end at the extents.
    whole: bool,
}

impl Best {
    /// Takes the swizzles if they come before those so far.
    fn offer(&mut self, field: &Field, swizzles: Vec<Swizzle>) -> Result<(), Error> {
        let apply = |x: i64| swizzles.iter().fold(x, |x, swizzle| swizzle.apply(x));
        let form = field.form(apply(field.none), field.columns.iter().map(|column| apply(*column)).collect())?;
        let bits = swizzles.iter().map(|swizzle| swizzle.bits()).sum();
        let parameters = swizzles.iter().map(|swizzle| (swizzle.bits(), swizzle.base(), swizzle.shift())).collect();
        let rank = (bits, form.digits.len(), parameters);
        let fits = form.sums.iter().all(|sum| sum.mask() == 0) && (!self.whole || form.beyond().is_none());
        if fits && self.rank.as_ref().is_none_or(|best| rank < *best) {
            self.rank = Some(rank);
            self.found = Some((swizzles, form));
        }
        Ok(())
    }
}
