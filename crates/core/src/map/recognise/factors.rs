//! The swizzles of a map in CuTe notation: each with the offset that is added before it, over a sum.
//!
//! Law: the notation gives what the map gives. Multiples of the block that a swizzle moves pass through it. Swizzles
//! that change nothing are dropped, and neighbours that form one swizzle are merged, so that recognising the result
//! again gives the same notation.

use super::super::Form;
use super::super::low_bits::{LowBits, LowStep};
use super::super::low_sums::LowSums;
use super::super::swizzled::Swizzled;
use crate::cute::Swizzle;
use crate::error::Error;

/// A swizzle with the offset that is added before it.
pub(super) type Factor = (Swizzle, i64);

impl LowBits {
    pub(super) fn of_swizzle(swizzle: Swizzle) -> LowBits {
        let bits = i64::BITS - (swizzle.sources() | swizzle.targets()).leading_zeros();
        let column = |bit: u32| u64::try_from(swizzle.apply(1i64 << bit)).unwrap_or(0);
        LowBits { steps: vec![LowStep::Xor { columns: (0..bits).map(column).collect(), flip: 0 }] }
    }
}

/// The swizzle that a step is.
fn swizzle(step: &LowStep) -> Option<Swizzle> {
    let LowStep::Xor { columns, flip: 0 } = step else { return None };
    let (mut sources, mut targets) = (0u64, 0u64);
    for (column, bit) in columns.iter().zip(0u32..) {
        let extra = column ^ (1 << bit);
        sources |= u64::from(extra != 0) << bit;
        targets |= extra;
    }
    let mask = |word: u64| i64::try_from(word).ok();
    let swizzle = Swizzle::from_masks(mask(sources)?, mask(targets)?).ok()?;
    let follows = |(column, bit): (&u64, u32)| u64::try_from(swizzle.apply(1i64 << bit)) == Ok(*column);
    columns.iter().zip(0u32..).all(follows).then_some(swizzle)
}

/// The swizzles that a map is made of, the outermost first, each with what is added before it, and the sum below, which
/// has the offset of the innermost; none where they are no swizzles, or the sum is a layout of a padded box only. What
/// is added after the last has a swizzle of no bits after it.
pub(super) fn factors(sum: &Swizzled) -> Result<Option<(Vec<Factor>, Form)>, Error> {
    let mut form = sum.form.clone();
    if form.beyond().is_some() {
        return Ok(None);
    }
    // The innermost first, as they are applied.
    let mut list: Vec<Factor> = Vec::new();
    let mut added = 0i64;
    let overflow = || Error::overflow("an offset between swizzles");
    for step in &sum.outer.steps {
        match step {
            LowStep::Add(number) => added = added.checked_add(*number).ok_or_else(overflow)?,
            LowStep::Xor { .. } => {
                let Some(swizzle) = swizzle(step) else { return Ok(None) };
                list.push((swizzle, std::mem::take(&mut added)));
            }
        }
    }
    loop {
        added = sink(&mut list, &mut form, added).ok_or_else(overflow)?;
        let Some(next) = shorter(&list, &form) else { break };
        // What was added before a swizzle that is gone is added before the next one.
        let (shorter, left) = next;
        list = shorter;
        added = added.checked_add(left).ok_or_else(overflow)?;
    }
    if added != 0 {
        // Only a swizzle can have an offset before it.
        list.push((Swizzle::new(0, 0, 0)?, added));
    }
    list.reverse();
    Ok(Some((list, form)))
}

/// Moves what is added as far in as it goes: a multiple of the block of a swizzle goes through it. The answer is what is left
/// after the last.
fn sink(list: &mut [Factor], form: &mut Form, added: i64) -> Option<i64> {
    let mut through = added;
    let mut left = 0;
    for at in (0..=list.len()).rev() {
        // `through` is added after the swizzles up to here.
        let below = at.checked_sub(1).and_then(|below| list.get(below)).map(|(swizzle, _)| *swizzle);
        let Some(below) = below else {
            let sum = form.sums.first_mut()?;
            sum.offset = sum.offset.checked_add(through)?;
            break;
        };
        let block = 1i64 << (i64::BITS - (below.sources() | below.targets()).leading_zeros());
        let stays = through.rem_euclid(block);
        match list.get_mut(at) {
            Some((_, before)) => *before = stays,
            None => left = stays,
        }
        let own = list.get(at - 1).map_or(0, |(_, before)| *before);
        through = through.checked_sub(stays)?.checked_add(own)?;
    }
    if let Some((_, before)) = list.first_mut() {
        *before = 0;
    }
    Some(left)
}

/// The swizzles without one that changes nothing, or with two neighbours as one, and what is then added after the last.
fn shorter(list: &[Factor], form: &Form) -> Option<(Vec<Factor>, i64)> {
    let without = |at: usize, one: Option<Swizzle>| {
        let mut list = list.to_vec();
        let (_, before) = list.remove(at);
        match (list.get_mut(at), one) {
            // Two neighbours are one: nothing is added between them.
            (Some(next), Some(swizzle)) => *next = (swizzle, before),
            (Some(next), None) => next.1 = next.1.checked_add(before)?,
            (None, _) => return Some((list, before)),
        }
        Some((list, 0))
    };
    let mut inner = LowBits::default();
    for (at, (swizzle, before)) in list.iter().enumerate() {
        if let Some((next, 0)) = list.get(at + 1)
            && let Some(one) = next.after(*swizzle)
        {
            return without(at, Some(one));
        }
        inner.steps.push(LowStep::Add(*before));
        let own = LowBits::of_swizzle(*swizzle);
        let moved = inner.then(&own).then(&inner.inverse()?).merged();
        let changes_nothing = swizzle.is_identity()
            || LowSums::of(form, form, &moved).is_some_and(|sums| sums.first_difference() == Some(None));
        if changes_nothing {
            return without(at, None);
        }
        inner = inner.then(&own);
    }
    None
}
