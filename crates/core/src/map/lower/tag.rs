//! Lowers blocked format tags of oneDNN: `aBcd8b`, `nChw16c`, `OIhw4i16o4i`.
//!
//! The letters before the first number are the dims in memory, the slowest first. Each number with its letter is a
//! block of that dim, the last block the fastest. A dim with blocks is padded to a multiple of their product, and its
//! letter is upper case. Letters are `a`, `b`, `c`, … for the dims in order, or those of a convention, in the order of
//! its dims: `tnc`, `ncdhw`, `goidhw`, `ldigo`.

use super::super::{Axis, Direction, Map, Order, Stage};
use crate::cast::narrow;
use crate::error::{Code, Error};

/// Letters by convention, in the order of the dims.
const CONVENTIONS: [&str; 4] = ["tnc", "ncdhw", "goidhw", "ldigo"];

/// A tag, its letters replaced by dims.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tag {
    /// The dims in memory, the slowest first.
    outer: Vec<usize>,
    /// The blocks, the last the fastest.
    blocks: Vec<(i64, usize)>,
}

impl Map {
    /// The map of a blocked tag over dims of these extents.
    ///
    /// # Errors
    /// A syntax error for text that is no tag; [`Code::RankMismatch`] when it has not one letter for each dim;
    /// [`Code::Range`] for a negative extent or a block below 1; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_tag("nChw16c", &[1, 20, 2, 2])?;
    /// assert_eq!(map.to_string(), "dim0:1, dim1:20, dim2:2, dim3:2 -> offset:128");
    /// assert_eq!(map.at(&[0, 17, 1, 0])?, Some(vec![97]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_tag(tag: &str, dims: &[i64]) -> Result<Map, Error> {
        let Tag { outer, blocks } = read(tag)?;
        if outer.len() != dims.len() {
            return Err(error!(
                Code::RankMismatch,
                "{tag} has {outer_count} dims, but the shape {dims}",
                [tag, outer_count = outer.len(), dims = dims.len()]
            ));
        }
        // The row: the digits of each dim, the fastest first, the last one without a bound.
        let mut stages = Vec::new();
        let mut places: Vec<Vec<usize>> = Vec::new();
        let mut grids = Vec::new();
        let mut at = 0;
        for (dim, extent) in dims.iter().enumerate() {
            let radices: Vec<i64> =
                blocks.iter().rev().filter(|(_, own)| *own == dim).map(|(radix, _)| *radix).collect();
            let block = radices.iter().try_fold(1i64, |block, radix| block.checked_mul(*radix));
            let block = block.ok_or_else(|| Error::overflow("the blocks of a tag"))?;
            grids.push(extent / block + i64::from(extent % block > 0));
            places.push((at..=at + radices.len()).collect());
            let next = at + radices.len() + 1;
            stages.push(Stage::Delinearise { at, radices });
            at = next;
        }
        let mut strides = vec![0; at];
        let mut stride = 1i128;
        let empty = dims.contains(&0);
        let mut place = |at: Option<usize>, extent: i64| {
            let own = narrow(stride).map_err(|_| Error::overflow("the memory of a tag"))?;
            if let Some(place) = at.and_then(|at| strides.get_mut(at)) {
                *place = own;
            }
            stride *= i128::from(if empty { 1 } else { extent });
            Ok::<_, Error>(())
        };
        let mut taken = vec![0; dims.len()];
        for (radix, dim) in blocks.iter().rev() {
            let level = taken.get(*dim).copied().unwrap_or(0);
            place(places.get(*dim).and_then(|own| own.get(level)).copied(), *radix)?;
            if let Some(taken) = taken.get_mut(*dim) {
                *taken += 1;
            }
        }
        for dim in outer.iter().rev() {
            place(places.get(*dim).and_then(|own| own.last()).copied(), grids.get(*dim).copied().unwrap_or(1))?;
        }
        let size = if empty { 0 } else { narrow(stride).map_err(|_| Error::overflow("the memory of a tag"))? };
        stages.push(Stage::Linearise { at: 0, count: at, sums: vec![(0, strides)] });
        let axes = dims.iter().enumerate().map(|(dim, extent)| Axis::dim(dim, *extent)).collect();
        Ok(Map::new(axes, stages, vec![Axis::offset(size)], Direction::ToPlace)?.numbered(Order::RowMajor))
    }
}

fn read(tag: &str) -> Result<Tag, Error> {
    let wrong = |message: String| error!(Code::Syntax("syntax"), "{message} in the tag {tag:?}", [message, tag]);
    let start = tag.find(|c: char| c.is_ascii_digit()).unwrap_or(tag.len());
    let (letters, mut rest) = tag.split_at_checked(start).unwrap_or((tag, ""));
    if let Some(other) = letters.chars().find(|c| !c.is_ascii_alphabetic()) {
        return Err(wrong(format!("{other:?} is no letter of a dim")));
    }
    let lower = letters.to_ascii_lowercase();
    if let Some(twice) = lower.char_indices().find(|(at, c)| lower.chars().take(*at).any(|earlier| earlier == *c)) {
        return Err(wrong(format!("the dim {:?} is there twice", twice.1)));
    }
    let order = dims(&lower).ok_or_else(|| {
        let known = CONVENTIONS.map(|letters| letters.to_owned()).join(", ");
        wrong(format!("{lower:?} are not the first letters of the alphabet, nor of {known}"))
    })?;
    let dim = |letter: char| order.chars().position(|other| other == letter.to_ascii_lowercase());
    let mut blocks = Vec::new();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(digits).unwrap_or((rest, ""));
        let radix: i64 = match number.parse() {
            Ok(radix) if radix > 0 => radix,
            Ok(radix) => return Err(error!(Code::Range, "a block of {radix} in the tag {tag:?}", [radix, tag])),
            Err(_) if number.is_empty() => return Err(wrong("a block has no number".to_owned())),
            Err(_) => return Err(Error::overflow(&format!("the block {number} in the tag {tag:?}"))),
        };
        let mut letters = after.chars();
        let letter = letters.next().ok_or_else(|| wrong(format!("the block {radix} has no dim")))?;
        let own = dim(letter).filter(|_| letter.is_ascii_lowercase());
        blocks.push((radix, own.ok_or_else(|| wrong(format!("{letter:?} is no dim to block by {radix}")))?));
        rest = letters.as_str();
    }
    let mut outer = Vec::new();
    for letter in letters.chars() {
        let Some(own) = dim(letter) else { continue };
        if letter.is_ascii_lowercase() && blocks.iter().any(|(_, dim)| *dim == own) {
            return Err(wrong(format!("{letter:?} has blocks, so that it is written in upper case")));
        }
        outer.push(own);
    }
    Ok(Tag { outer, blocks })
}

/// The letters of a tag in the order of the dims.
fn dims(letters: &str) -> Option<String> {
    let alphabet: String = ('a'..='z').take(letters.len()).collect();
    let known = [alphabet.as_str()]
        .into_iter()
        .chain(CONVENTIONS)
        .find(|known| letters.chars().all(|letter| known.contains(letter)))?;
    Some(known.chars().filter(|letter| letters.contains(*letter)).collect())
}
