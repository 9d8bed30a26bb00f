//! The swizzle between two layouts: the S with `S(A(x)) = B(x)` for every element x, or the first element that rules all out.
//!
//! A swizzle flips target bits by source bits a fixed distance away. So for one distance every element says, of each source bit that
//! its offset in A has, whether the bit is moved; a distance does where no two elements say different things and the bits
//! that are moved fit in one run. Where both layouts are linear over F2 the elements at powers of two speak for all. Law: an answer
//! leads from A to B at every element, and where there is none, no `Sw<B,M,S>` does.

use super::Map;
use crate::cute::Swizzle;
use crate::error::{Code, Error};

/// The most elements that are looked at where a layout is not linear.
const MOST_ELEMENTS: i64 = 1 << 16;
/// Offsets stay below this bit, as those of a swizzle do.
const MOST_BITS: u32 = 62;

/// An element, and where it lies in both layouts.
struct Element {
    point: Vec<i64>,
    from: u64,
    to: u64,
}

impl Map {
    /// The swizzle of fewest bits that makes the other layout of this one.
    ///
    /// # Errors
    /// As [`Map::aligned`]; [`Code::Range`] for negative offsets; [`Code::NoLayout`] where there is no such swizzle, with the first
    /// element that shows it; [`Code::TooLarge`] for layouts of more than 65,536 elements that are not linear over F2.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_lang::evaluate;
    /// let map = |text: &str| evaluate(text)?.value.as_map();
    /// let swizzle = map("(8,64):(64,1)")?.swizzle_to(&map("(8,64):(^72,^1)")?)?;
    /// assert_eq!(swizzle.to_string(), "Sw<3,3,3>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn swizzle_to(&self, other: &Map) -> Result<Swizzle, Error> {
        let [from, to] = self.aligned(other)?;
        let elements = match bits(&from, &to)? {
            Some(elements) => elements,
            None => all(&from, &to)?,
        };
        if let Some(swizzle) = over(&elements) {
            return Ok(swizzle);
        }
        // Fewer elements rule out fewer swizzles: the first number of them that rules out all.
        let (mut some, mut none) = (0, elements.len());
        while some + 1 < none {
            let middle = some + (none - some) / 2;
            match elements.get(..middle).and_then(over) {
                Some(_) => some = middle,
                None => none = middle,
            }
        }
        let Some(Element { point, from, to }) = elements.get(some) else {
            return Err(Error::new(Code::NoLayout, "there is no element that rules out all swizzles"));
        };
        let point: Vec<String> = point.iter().map(i64::to_string).collect();
        let point = format!("({})", point.join(","));
        let moved = from ^ to;
        if let Some(twin) = elements.iter().find(|element| element.from == *from && element.to != *to) {
            return Err(error!(
                Code::NoLayout,
                "element {point} lies at {from} as another does, and comes to {to}, the other to {twin_to}",
                [point, from, to, twin_to = twin.to]
            )
            .with_help("a swizzle moves places: give a layout without overlaps"));
        }
        let before = elements.get(..some).and_then(over);
        let so_far = before.filter(|swizzle| !swizzle.is_identity()).map_or_else(
            || "the elements before stay where they are".to_owned(),
            |swizzle| format!("{swizzle} moves the elements before"),
        );
        Err(error!(
            Code::NoLayout,
            "element {point} lies at {from} and comes to {to}, which flips the bits {moved:#b}; {so_far}, and no Sw<B,M,S> does both",
            [point, from, to, moved, so_far]
        )
            .with_help("a swizzle flips one run of bits by another run, at one distance"))
    }
}

/// The elements at powers of two, where both layouts are linear over F2.
fn bits(from: &Map, to: &Map) -> Result<Option<Vec<Element>>, Error> {
    let (Ok(left), Ok(right)) = (from.to_linear(), to.to_linear()) else { return Ok(None) };
    if left.out_bits().max(right.out_bits()) > MOST_BITS {
        return Ok(None);
    }
    let mut columns = left.columns().iter().zip(right.columns());
    let mut elements = Vec::new();
    for (at, dim) in left.ins().iter().enumerate() {
        for bit in 0..dim.bits {
            let Some((from, to)) = columns.next() else { return Ok(None) };
            let mut point = vec![0; left.ins().len()];
            if let Some(coordinate) = point.get_mut(at) {
                *coordinate = 1_i64.checked_shl(bit).ok_or_else(|| Error::overflow("a coordinate"))?;
            }
            elements.push(Element { point, from: *from, to: *to });
        }
    }
    Ok(Some(elements))
}

/// All elements, the first axis the fastest.
fn all(from: &Map, to: &Map) -> Result<Vec<Element>, Error> {
    let size = from.size()?;
    if size > MOST_ELEMENTS {
        return Err(error!(
            Code::TooLarge,
            "{size} elements of layouts that are not linear over F2; at most {most_elements} are looked at",
            [size, most_elements = MOST_ELEMENTS]
        )
        .with_help("give one tile of each"));
    }
    let mut elements = Vec::new();
    for index in 0..size {
        let mut rest = index;
        let mut point = Vec::new();
        for axis in from.domain() {
            point.push(rest.checked_rem(axis.extent).unwrap_or(0));
            rest = rest.checked_div(axis.extent).unwrap_or(0);
        }
        let place = |map: &Map| -> Result<Option<u64>, Error> {
            let Some(place) = map.at(&point)?.and_then(|place| place.first().copied()) else { return Ok(None) };
            match u64::try_from(place) {
                Ok(place) if place >> MOST_BITS == 0 => Ok(Some(place)),
                _ => Err(error!(
                    Code::Range,
                    "an element lies at {place}; a swizzle moves offsets from {least} on",
                    [place, least = 0]
                )),
            }
        };
        // Padding lies nowhere.
        if let (Some(from), Some(to)) = (place(from)?, place(to)?) {
            elements.push(Element { point, from, to });
        }
    }
    Ok(elements)
}

/// The swizzle of fewest bits that moves all these elements.
fn over(elements: &[Element]) -> Option<Swizzle> {
    if elements.iter().all(|element| element.from == element.to) {
        return Swizzle::new(0, 0, 0).ok();
    }
    let distances = (1..i32::try_from(MOST_BITS).unwrap_or(0)).flat_map(|distance| [distance, -distance]);
    distances.filter_map(|shift| at_distance(elements, shift)).min_by_key(|swizzle| swizzle.bits())
}

/// The swizzle with this shift, positive where sources lie above their targets.
fn at_distance(elements: &[Element], shift: i32) -> Option<Swizzle> {
    let distance = shift.unsigned_abs();
    let (mut moved, mut kept) = (0_u128, 0_u128);
    for Element { from, to, .. } in elements {
        let (source, flipped) = (u128::from(*from), u128::from(from ^ to));
        // The flips, each at the bit that would be its source.
        let wanted = if shift > 0 { flipped << distance } else { flipped >> distance };
        let is_lost = shift < 0 && flipped & ((1 << distance) - 1) != 0;
        if is_lost || wanted & !source != 0 {
            return None;
        }
        moved |= wanted;
        kept |= source & !wanted;
    }
    let (first, end) = (moved.trailing_zeros(), u128::BITS - moved.leading_zeros());
    let run = (1_u128 << end) - (1_u128 << first);
    if moved & kept != 0 || run & kept != 0 {
        return None;
    }
    let base = if shift > 0 { first.checked_sub(distance)? } else { first };
    Swizzle::new(i64::from(end - first), i64::from(base), i64::from(shift)).ok()
}
