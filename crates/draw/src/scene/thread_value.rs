//! A thread-value layout seen from the tile: who owns each element.
//!
//! Mode 0 of the layout is the thread, the others are the value; it maps to the elements of a tile in column-major
//! order, or to their coordinates.

use std::collections::BTreeMap;

use bitstride::cute::crd2index;
use bitstride::{Code, Error, Int, Tuple, error};

use super::grid::rectangle;
use super::group::By;
use super::look::{Look, Paint};
use super::strip::Borders;
use super::subject::{Point, Subject};
use super::{Drawn, Room};
use crate::cell::{Cell, Fill};
use crate::picture::Panel;

/// One thread's value that is an element of the tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The thread.
    pub thread: i64,
    /// The value's number.
    pub value: i64,
    /// The coordinates in the thread-value layout.
    pub(super) at: Vec<i64>,
}

/// The owners of each element of the tile of this shape that has any, by column-major number.
///
/// # Errors
/// [`Code::Profile`] unless the layout has rank 2 or more, [`Code::Range`] when a value lies outside the tile,
/// [`Code::TooLarge`] beyond 65,536 values.
///
/// ```
/// use bitstride::Tuple;
/// use bitstride_lang::evaluate;
/// use bitstride_draw::scene::{Subject, owners};
/// let rows = Subject::new("", &evaluate("(2,4):(1,2)")?.value)?;
/// let owners = owners(&rows, &Tuple::flat(&[2.into(), 4.into()]))?;
/// assert_eq!(owners.get(&5).map(|all| (all[0].thread, all[0].value)), Some((1, 2)));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn owners(subject: &Subject, tile: &Tuple<Int>) -> Result<BTreeMap<i64, Vec<Owner>>, Error> {
    let [_, values @ ..] = subject.modes() else {
        return Err(needs_values(subject));
    };
    if values.is_empty() {
        return Err(needs_values(subject));
    }
    let tile = tile.try_map(Int::as_number)?;
    let size = tile.size()?;
    let mut owners: BTreeMap<i64, Vec<Owner>> = BTreeMap::new();
    for at in subject.elements()? {
        let (thread, value) = at.split_first().map_or((0, at.as_slice()), |(thread, value)| (*thread, value));
        let value = crd2index(&Tuple::flat(value), &Tuple::flat(values))?;
        let place = subject.at(&at)?;
        let element = within(&place, &tile, size).ok_or_else(|| {
            error!(
                Code::Range,
                "T{thread} V{value} is at {place}, outside the tile {tile} of {size} elements",
                [thread, value, place, tile, size]
            )
            .with_help("give the shape of the tile that the layout maps into")
        })?;
        owners.entry(element).or_default().push(Owner { thread, value, at });
    }
    Ok(owners)
}

/// The number of the element at a place, if the tile has it.
fn within(place: &Point, tile: &Tuple<i64>, size: i64) -> Option<i64> {
    let shape: Vec<i64> = tile.entries().iter().map(Tuple::size).collect::<Result<_, _>>().ok()?;
    let inside = match place.as_leaf() {
        Some(n) => (0..size).contains(n),
        None => place.rank() == shape.len() && place.leaves().iter().zip(&shape).all(|(n, end)| (0..*end).contains(n)),
    };
    if inside { crd2index(place, &Tuple::flat(&shape)).ok() } else { None }
}

fn needs_values(subject: &Subject) -> Error {
    error!(
        Code::Profile,
        "{text} has rank {modes}; a thread-value layout has a mode of threads and one of values",
        [text = subject.text(), modes = subject.modes().len()]
    )
    .with_help("as in ((4,8),2):((16,1),8)")
}

pub(super) fn scene(subject: &Subject, tile: &Tuple<Int>, look: &Look, room: &Room) -> Result<Drawn, Error> {
    let owners = owners(subject, tile)?;
    let paint = Paint::or_by(look, subject, &[By::Mode(vec![0], "thread")])?;
    let sizes: Vec<i64> = tile.try_map(Int::as_number)?.entries().iter().map(Tuple::size).collect::<Result<_, _>>()?;
    let (rows, cols) = match sizes.as_slice() {
        [] => (1, 1),
        [cols] => (1, *cols),
        [rows, cols] => (*rows, *cols),
        _ => {
            return Err(error!(
                Code::Profile,
                "the tile {tile} has rank {sizes_count}; a tile is drawn in two dimensions",
                [tile, sizes_count = sizes.len()]
            )
            .with_help("group its modes, as in --tv '(16,(8,2))'"));
        }
    };
    let most = owners.values().map(Vec::len).max().unwrap_or(0);
    let least = owners.values().map(Vec::len).min().unwrap_or(0);
    let widest = owners.values().flatten().map(|owner| named(owner, " ").len()).max().unwrap_or(0);
    let columns = usize::try_from(cols).unwrap_or(usize::MAX);
    let one_line = most > 1 || room.columns.is_some() && room.cells(widest, rows.to_string().len()) >= columns;
    let cell = |i: i64, j: i64| {
        let element = crd2index(&Tuple::flat(&[i, j]), &Tuple::flat(&[rows, cols]))?;
        let Some(all) = owners.get(&element) else {
            return Ok(Cell::empty().element(element));
        };
        let mut lines: Vec<String> =
            all.iter().take(3).map(|owner| named(owner, if one_line { " " } else { "\n" })).collect();
        if all.len() > 3 {
            lines.truncate(2);
            lines.push(format!("+{}", all.len() - 2));
        }
        let fill = match all.first() {
            // Where all elements have equally many owners, none of them stands out.
            Some(first) if all.len() == 1 || most == least => paint.fill(&first.at)?,
            _ => Fill::Marked,
        };
        // The place of an element is that of its first owner among threads and values.
        let place = all.first().and_then(|first| subject.index(&first.at).ok());
        Ok(Cell::new(lines.join("\n")).fill(fill).element(element).place(place))
    };
    let borders = || Borders::default();
    let grid = rectangle([rows, cols], [borders(), borders()], room, &cell)?;
    let mut legend = Vec::new();
    if most > least {
        legend.push((Fill::Marked, "several owners".to_owned()));
    }
    let owned = i64::try_from(owners.len()).unwrap_or(i64::MAX);
    if rows.checked_mul(cols).is_none_or(|all| owned < all) {
        legend.push((Fill::Empty, "no owner".to_owned()));
    }
    let caption = format!("the owner of each element of the tile {tile}\n{}", paint.caption()?);
    Ok(Drawn { rows: vec![vec![Panel::new(grid).caption(caption.trim_end())]], legend })
}

fn named(owner: &Owner, between: &str) -> String {
    format!("T{}{between}V{}", owner.thread, owner.value)
}
