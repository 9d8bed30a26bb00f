//! [`differing`]: whether devices hold the same summands in two shardings, whatever these number them by.
//!
//! Where summands wait to be added, devices with the same elements hold equal summands or different ones, and all that make one value lie
//! within a group. Law: two devices with the same elements in the second sharding hold equal summands there if and only if they
//! do so in the first. A device that keeps the elements it has may then keep its summand: copies stay equal, and each
//! element has each summand once. Which summand has which number is free, also from one tile to the next.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::coordinates::coordinates;
use super::digits::Digits;
use super::order::MAX_DEVICES;
use super::placement::{Reduction, Role};
use super::tensor::{Sharding, Shards};
use crate::error::{Code, Error};

/// Whether several devices hold summands of one value.
pub(super) fn has_summands(sharding: &Sharding) -> bool {
    sharding.placement().pending().any(|digit| digit.part.size > 1)
}

/// How many summands a value has.
pub(super) fn summands_of(sharding: &Sharding) -> i64 {
    sharding.placement().pending().map(|digit| digit.part.size).product()
}

/// In which words devices hold other summands in the second sharding than in the first; `None` where they hold the same.
///
/// # Errors
/// [`Code::TooLarge`] for too many devices where digits do not tell; as [`Sharding::devices`].
pub(super) fn differing(left: &Sharding, right: &Sharding) -> Result<Option<String>, Error> {
    let (one, two) = (roles(left), roles(right));
    if one != two {
        return Ok(Some(format!("devices hold {} in the first, and {} in the second", held(&one), held(&two))));
    }
    let roles: Vec<Role> = one.into_iter().map(|(role, _)| role).collect();
    if roles.is_empty() || are_same_digits(left, right) {
        return Ok(None);
    }
    let devices = right.devices()?;
    if devices > MAX_DEVICES {
        return Err(error!(
            Code::TooLarge,
            "which of {devices} devices hold the same summands is found for up to {max_devices}",
            [devices, max_devices = MAX_DEVICES]
        ));
    }
    let mut shards = Shards::of(right)?;
    let mut seen = Seen::default();
    for device in 0..devices {
        crate::cancel::checkpoint();
        let Some(keys) = shards.keys(device)?.filter(|keys| shards.size(keys) > 0) else { continue };
        let (before, after) = (numbers(left, &roles, device)?, numbers(right, &roles, device)?);
        let Some(before) = before else { return Ok(Some(format!("device {device} holds nothing in the first"))) };
        let after = after.unwrap_or_default();
        for (at, role) in roles.iter().enumerate() {
            let own = |all: &[i64]| all.get(at).copied().unwrap_or(0);
            let rest = |all: &[i64]| [all.get(..at).unwrap_or(&[]), all.get(at + 1..).unwrap_or(&[])].concat();
            let within = (at, keys.clone(), rest(&after));
            let what = match role {
                Role::Unknown => "stand at the same manual place",
                _ => "hold the same summand",
            };
            if let Some(first) = seen.other(device, (&within, Known::After(own(&after))), vec![own(&before)]) {
                return Ok(Some(format!("devices {first} and {device} {what} in the second, but not in the first")));
            }
            if let Some(first) = seen.other(device, (&within, Known::Before(own(&before))), vec![own(&after)]) {
                return Ok(Some(format!("devices {first} and {device} {what} in the first, but not in the second")));
            }
            // With another role beside it: what these say of devices is the same in both.
            if let Some(first) = seen.other(device, (&within, Known::Nothing), rest(&before)) {
                return Ok(Some(format!(
                    "devices {first} and {device} differ by {role} alone in the second, but not in the first"
                )));
            }
        }
    }
    Ok(None)
}

/// What is known of devices before something else about them is asked.
#[derive(PartialEq, Eq, Hash)]
enum Known {
    After(i64),
    Before(i64),
    Nothing,
}

/// A role, the sets of indices of the second sharding, and the numbers along other roles there.
type Within = (usize, Vec<usize>, Vec<i64>);

/// The first device of which something is known, and what follows from it there.
#[derive(Default)]
struct Seen(HashMap<(Within, Known), (i64, Vec<i64>)>);

impl Seen {
    /// The first device of which the same is known and something else follows.
    fn other(&mut self, device: i64, known: (&Within, Known), follows: Vec<i64>) -> Option<i64> {
        match self.0.entry((known.0.clone(), known.1)) {
            Entry::Occupied(first) => {
                let (first, earlier) = first.get();
                (*earlier != follows).then_some(*first)
            }
            Entry::Vacant(free) => {
                free.insert((device, follows));
                None
            }
        }
    }
}

/// What devices do along digits that neither hold nor copy, and how many values these have together.
fn roles(sharding: &Sharding) -> Vec<(Role, i64)> {
    let mut all: Vec<(Role, i64)> = Vec::new();
    for digit in sharding.placement().pending().filter(|digit| digit.part.size > 1) {
        let role = digit.role.added();
        match all.iter_mut().find(|(own, _)| *own == role) {
            Some((_, size)) => *size *= digit.part.size,
            None => all.push((role, digit.part.size)),
        }
    }
    all.sort_by_key(|(role, _)| role.to_string());
    all
}

fn held(roles: &[(Role, i64)]) -> String {
    let said = roles.iter().map(|(role, size)| match role {
        Role::Unknown => format!("values at {size} manual places"),
        Role::Sums(Reduction::Named(operation)) => format!("{size} summands by {operation}"),
        _ => format!("{size} summands"),
    });
    match roles {
        [] => "values".to_owned(),
        _ => said.collect::<Vec<_>>().join(" and "),
    }
}

/// The number of a device along each role; `None` where it holds nothing.
fn numbers(sharding: &Sharding, roles: &[Role], device: i64) -> Result<Option<Vec<i64>>, Error> {
    if coordinates(sharding, device)?.is_none() {
        return Ok(None);
    }
    let placement = sharding.placement();
    let all = placement.coordinates(device)?;
    let number = |role: &Role| {
        let own = placement.digits.iter().zip(&all).filter(|(digit, _)| digit.role.added() == *role);
        own.fold(0, |number, (digit, at)| number * digit.part.size + at)
    };
    Ok(Some(roles.iter().map(number).collect()))
}

/// Whether the summand of a device is the same digits of its number in both.
fn are_same_digits(left: &Sharding, right: &Sharding) -> bool {
    let pending = |digits: &Digits| -> Vec<(i64, i64, Role)> {
        let own = digits.others.iter().filter(|digit| digit.role != Role::Copies);
        own.map(|digit| (digit.weight, digit.radix, digit.role.added())).collect()
    };
    matches!((Digits::of(left), Digits::of(right)), (Some(one), Some(two)) if pending(&one) == pending(&two))
}
