//! What a relayout must have done, element by element, by the maps alone.

use bitstride::map::Map;

use super::random::Random;

/// How many elements are compared.
const ELEMENTS: u32 = 10_000;

/// Compares a moved tensor with where its maps say that elements are, at places picked at random.
pub(super) fn sample(maps: &[Map; 2], bits: i64, source: &[u8], destination: &[u8]) -> Result<(), String> {
    let [from, to] = maps[0].aligned(&maps[1]).map_err(|why| why.to_string())?;
    let mut random = Random::new(10_000);
    for _ in 0..ELEMENTS {
        let point: Vec<i64> = from.domain().iter().map(|axis| random.below(axis.extent)).collect();
        let place = |map: &Map| match map.at(&point) {
            Ok(Some(place)) => Ok(place.first().copied().unwrap_or(0)),
            Ok(None) => Err(format!("{point:?} has no place")),
            Err(why) => Err(why.to_string()),
        };
        let (before, after) = (element(source, place(&from)?, bits), element(destination, place(&to)?, bits));
        if before.is_none() || before != after {
            return Err(format!("element {point:?} was {before:?} and became {after:?}"));
        }
    }
    Ok(())
}

/// The bytes of an element, or the bits of one that is less than a byte.
fn element(memory: &[u8], place: i64, bits: i64) -> Option<Vec<u8>> {
    let first = usize::try_from(place * bits / 8).ok()?;
    let bytes = memory.get(first..first + usize::try_from(bits).ok()?.div_ceil(8))?;
    if bits >= 8 {
        return Some(bytes.to_vec());
    }
    let whole = bytes.first()? >> (place * bits % 8);
    Some(vec![whole & ((1 << bits) - 1)])
}
