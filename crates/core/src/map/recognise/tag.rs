//! Recognises blocked format tags of oneDNN.
//!
//! A [`Chain`] is a tag when only the last digit of a dim is padded. The slowest digits that are the last of different
//! dims and have no padding are the letters in front. All others are blocks. A dim whose last digit is a block has one
//! more letter in front, of extent 1. Letters are `a`, `b`, `c`, …, because only these determine the order of the dims.

use super::super::mismatch::listed;
use super::super::{Comparison, Form, Map};
use super::chain::{Chain, Slot};
use crate::cast::length;
use crate::error::{Code, Error};

impl Map {
    /// The blocked tag that this map into memory is; the memory ends as that of [`Map::to_array`] does.
    ///
    /// # Errors
    /// As [`Map::to_array`]; [`Code::NotALayout`] for padding that no block of a dim is; [`Code::TooLarge`] for more dims
    /// than letters.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_tag("OIhw4i16o4i", &[32, 32, 3, 3])?;
    /// assert_eq!(map.to_tag()?, "ABcd4b16a4b");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_tag(&self) -> Result<String, Error> {
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        let names: Vec<char> = ('a'..='z').take(extents.len()).collect();
        if names.len() < extents.len() {
            return Err(error!(
                Code::TooLarge,
                "{extents_count} dims are more than there are letters",
                [extents_count = extents.len()]
            ));
        }
        if extents.contains(&0) {
            return Ok(names.into_iter().collect());
        }
        let chain = Chain::of(self, &Form::read(self)?, 1)?;
        let outer = outer(&chain.slots);
        let inner = chain.slots.get(..chain.slots.len() - outer.len()).unwrap_or(&[]);
        let blocks = blocks(&chain, inner, &extents)?;
        let blocked = |dim: usize| blocks.iter().any(|(_, own)| *own == dim);
        let mut order = outer;
        for dim in 0..extents.len() {
            if !order.contains(&dim) {
                let at = order.iter().position(|other| *other > dim).unwrap_or(order.len());
                order.insert(at, dim);
            }
        }
        let letter = |dim: usize| names.get(dim).copied().unwrap_or('?');
        let mut tag: String = order
            .iter()
            .map(|dim| if blocked(*dim) { letter(*dim).to_ascii_uppercase() } else { letter(*dim) })
            .collect();
        for (radix, dim) in blocks.iter().rev() {
            tag += &format!("{radix}{}", letter(*dim));
        }
        match self.compare(&Map::of_tag(&tag, &extents)?)? {
            Comparison::Same(_) => Ok(tag),
            Comparison::Differ { point, places, .. } => {
                let [here, there] = places.map(|place| listed(&place.unwrap_or_default()));
                let point = listed(&point);
                Err(error!(
                    Code::NotALayout,
                    "the tag of these blocks, {tag}, has {point} at {there}, and not at {here}",
                    [tag, point, there, here]
                ))
            }
        }
    }
}

/// The dims of the letters in front, the slowest first.
fn outer(slots: &[Slot]) -> Vec<usize> {
    let whole = slots.iter().rev().take_while(|slot| slot.top && slot.room == slot.used);
    whole.map(|slot| slot.axis).collect()
}

/// The blocks, the fastest first.
fn blocks(chain: &Chain, inner: &[Slot], extents: &[i64]) -> Result<Vec<(i64, usize)>, Error> {
    let mut blocks = Vec::new();
    // Room that no element uses is a block of a dim all of whose digits are faster.
    let spare = |blocks: &[(i64, usize)], room: i64| {
        let done = |dim: usize, extent: i64| {
            let product = blocks.iter().filter(|(_, own)| *own == dim).map(|(radix, _)| i128::from(*radix));
            product.product::<i128>() >= i128::from(extent)
        };
        let free = extents.iter().enumerate().find(|(dim, extent)| done(*dim, **extent));
        free.map(|(dim, _)| (room, dim)).ok_or_else(|| {
            error!(
                Code::NotALayout,
                "between elements is room for {room}, and no dim of {extents:?} could be blocked by it there",
                [room, extents]
            )
        })
    };
    if chain.first > 1 {
        blocks.push(spare(&blocks, chain.first)?);
    }
    for slot in inner {
        if slot.top {
            blocks.push((slot.room, slot.axis));
        } else {
            blocks.push((slot.used, slot.axis));
            if slot.room > slot.used && slot.room % slot.used == 0 {
                blocks.push(spare(&blocks, slot.room / slot.used)?);
            } else if slot.room > slot.used {
                return Err(error!(
                    Code::NotALayout,
                    "the {used} values of dim {axis} in steps of {weight} lie in room for {room}, which only its last digit may",
                    [used = slot.used, axis = length(slot.axis), weight = slot.weight, room = slot.room]
                ));
            }
        }
    }
    Ok(blocks)
}
