//! Cells as JSON: one object for each layout that is shown, with its cells as nested arrays, the first axis outermost.
//!
//! Law: `cells[i][j]` belongs to the index `(i,j)`, and no list of cells has more than [`MAX_LISTED`].

use std::io;
use std::ops::Range;

use bitstride::{Code, Error, error};
use bitstride_lang::Answer;
use serde_json::{Map, Value as Json, json};

use crate::session::Session;

/// The most cells that are listed, as a power of two.
const MAX_LISTED_BITS: u32 = 16;
const MAX_LISTED: u64 = 1 << MAX_LISTED_BITS;

/// The object of one layout, or why it has none.
pub(super) type Object = Result<Map<String, Json>, Error>;

/// Prints each object on a line, or its error. The exit code is the largest of all.
pub(super) fn print(objects: impl Iterator<Item = Object>, session: &mut Session) -> io::Result<u8> {
    let mut code = 0;
    for object in objects {
        match object {
            Ok(object) => session.object(object)?,
            Err(error) => code = code.max(session.refuse("", &error)?),
        }
    }
    Ok(code)
}

/// `{"kind", "value", …, "notes"?}`: what every object has, around the fields that `add` inserts.
pub(super) fn object(
    answer: &Answer,
    value: &str,
    add: impl FnOnce(&mut Map<String, Json>) -> Result<(), Error>,
) -> Object {
    let mut object = Map::new();
    object.insert("kind".into(), answer.value.kind().into());
    object.insert("value".into(), value.into());
    add(&mut object)?;
    if !answer.notes.is_empty() {
        object.insert("notes".into(), json!(answer.notes));
    }
    Ok(object)
}

/// Nested arrays over extents, with a cell for each index.
pub(super) fn nested<N>(extents: &[N], cell: &dyn Fn(&[N]) -> Result<Json, Error>) -> Result<Json, Error>
where
    N: Copy + Default + PartialEq,
    Range<N>: Iterator<Item = N>,
{
    fn level<N>(index: &mut Vec<N>, extents: &[N], cell: &dyn Fn(&[N]) -> Result<Json, Error>) -> Result<Json, Error>
    where
        N: Copy + Default + PartialEq,
        Range<N>: Iterator<Item = N>,
    {
        let Some((extent, inner)) = extents.split_first() else {
            return cell(index);
        };
        let zero = N::default();
        // Without inner cells there is nothing to list, however large the outer extent is.
        let extent = if inner.contains(&zero) { zero } else { *extent };
        let mut entries = Vec::new();
        for n in zero..extent {
            index.push(n);
            entries.push(level(index, inner, cell)?);
            index.pop();
        }
        Ok(entries.into())
    }
    level(&mut Vec::new(), extents, cell)
}

/// Refuses more than [`MAX_LISTED`] cells; `None` is a number beyond 64 bits.
pub(super) fn check_listed(count: Option<u64>, noun: &str) -> Result<(), Error> {
    let count = match count {
        Some(count) if count <= MAX_LISTED => return Ok(()),
        Some(count) => count.to_string(),
        None => "2^64 or more".to_owned(),
    };
    Err(error!(
        Code::TooLarge,
        "{count} {noun}; at most {max_listed} are listed",
        [count, noun, max_listed = MAX_LISTED]
    ))
}

/// The same for `2^bits` cells.
pub(super) fn check_listed_bits(bits: u32) -> Result<(), Error> {
    if bits <= MAX_LISTED_BITS {
        return Ok(());
    }
    Err(error!(
        Code::TooLarge,
        "2^{bits} cells; at most 2^{max_listed_bits} are listed",
        [bits, max_listed_bits = MAX_LISTED_BITS]
    ))
}
