//! [`Coordinates`]: where a device stands in a sharding, by the tiles that it holds, its number among the copies, and its summand.
//!
//! Law: [`device`] of [`coordinates`] is the device again, where it holds something.

use super::placement::{PlaceDigit, Role, Rule, Spread};
use super::tensor::Sharding;
use crate::error::Error;

/// Where a device stands in a sharding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coordinates {
    /// Its tile of each dim.
    pub(super) tiles: Vec<i64>,
    /// Its number among those that hold the same.
    pub(super) copy: i64,
    /// Its number among those whose summands make one value.
    pub(super) summand: i64,
}

fn is_copy(digit: &PlaceDigit) -> bool {
    digit.role == Role::Copies
}

fn is_sum(digit: &PlaceDigit) -> bool {
    matches!(digit.role, Role::Sums(_))
}

/// How many devices hold the same.
pub(super) fn copies(sharding: &Sharding) -> i64 {
    match sharding.placement().spread {
        Spread::Only(_) => 1,
        _ => sharding.placement().digits.iter().filter(|digit| is_copy(digit)).map(|digit| digit.part.size).product(),
    }
}

/// Where a device stands; `None` where it holds nothing at all.
pub(super) fn coordinates(sharding: &Sharding, device: i64) -> Result<Option<Coordinates>, Error> {
    let placement = sharding.placement();
    if let Spread::Only(holder) = placement.spread {
        let tiles = vec![0; sharding.shape().len()];
        return Ok((device == holder).then_some(Coordinates { tiles, copy: 0, summand: 0 }));
    }
    if device >= sharding.devices()? {
        return Ok(None);
    }
    let all = placement.coordinates(device)?;
    let number = |is_own: fn(&PlaceDigit) -> bool| {
        let own = placement.digits.iter().zip(&all).filter(|(digit, _)| is_own(digit));
        own.fold(0, |number, (digit, at)| number * digit.part.size + at)
    };
    let tile = |rule: &Rule| {
        let at = |digit: usize| all.get(digit).copied().unwrap_or(0);
        rule.digits().into_iter().fold(0, |tile, digit| tile * placement.radix(digit) + at(digit))
    };
    let tiles = placement.rules.iter().map(tile).collect();
    Ok(Some(Coordinates { tiles, copy: number(is_copy), summand: number(is_sum) }))
}

/// The device that stands somewhere.
pub(super) fn device(sharding: &Sharding, own: &Coordinates) -> Result<i64, Error> {
    let placement = sharding.placement();
    if let Spread::Only(holder) = placement.spread {
        return Ok(holder);
    }
    let mut all = vec![0; placement.digits.len()];
    let mut set = |digits: &[usize], number: i64| {
        let mut rest = number;
        for digit in digits.iter().rev() {
            let radix = placement.radix(*digit);
            if let Some(at) = all.get_mut(*digit) {
                *at = rest % radix;
            }
            rest /= radix;
        }
    };
    for (rule, tile) in placement.rules.iter().zip(&own.tiles) {
        set(&rule.digits(), *tile);
    }
    let of = |is_own: fn(&PlaceDigit) -> bool| -> Vec<usize> {
        placement.digits.iter().enumerate().filter(|(_, digit)| is_own(digit)).map(|(at, _)| at).collect()
    };
    set(&of(is_copy), own.copy);
    set(&of(is_sum), own.summand);
    placement.device(&all)
}
