//! The memory from offset 0 on, with the index of the element at each offset.

use bitstride::Error;
use bitstride::xla::Place;

use super::super::strip::{Borders, Strip};
use super::super::{Drawn, Room};
use super::{Paint, number};
use crate::cell::Cell;
use crate::picture::Panel;

/// The highest rank of which a cell has room for the index.
const MOST_COORDINATES: usize = 3;

/// How wide rows of memory are drawn on paper, as columns of text.
const COLUMNS: usize = 160;

pub(super) fn scene(paint: &Paint<'_>, room: &Room) -> Result<Drawn, Error> {
    let image = &paint.subject.image;
    let strip = Strip { first: 0, len: image.size(), caption: "", numbered: true, borders: borders(paint) };
    let last: Vec<i64> = image.dims().iter().map(|extent| (extent - 1).max(0)).collect();
    let text = label(paint, &last).chars().count();
    let side = strip.side(text, &Room::from(room.columns.or(Some(COLUMNS))));
    let grid = strip.fold(side, room, |offset| {
        Ok(match image.place(offset)? {
            Place::Element(index) => paint.element(&index, offset, Some(label(paint, &index)))?,
            Place::Padding => Cell::empty().place(offset),
        })
    })?;
    let held = match image.dims().len() {
        0 => "the element",
        1..=MOST_COORDINATES => "the index of the element",
        _ => "the row-major number of the element",
    };
    let mut caption = vec![format!("each offset with {held} that lies there"), paint.subject.census()?];
    caption.extend(paint.marked()?);
    let legend = paint.legend(image.size() > image.elements());
    Ok(Drawn { rows: vec![vec![Panel::new(grid).caption(&caption.join("\n"))]], legend })
}

/// The index of an element, or its number where that is shorter.
fn label(paint: &Paint<'_>, index: &[i64]) -> String {
    let numbers: Vec<String> = index.iter().map(i64::to_string).collect();
    match index.len() {
        0 => "0".to_owned(),
        1..=MOST_COORDINATES => numbers.join(","),
        _ => number(paint.subject.image.dims(), index).to_string(),
    }
}

/// The borders of the rows of tiles and of the tiles; without tiles, those of the rows of each dim.
fn borders(paint: &Paint<'_>) -> Borders {
    let image = &paint.subject.image;
    let size = |extents: &mut dyn Iterator<Item = i64>| extents.fold(1i64, |size, extent| size.saturating_mul(extent));
    let tile = match image.steps().first() {
        Some(step) => size(&mut step.cuts.iter().map(|cut| cut.tile)),
        None => size(&mut image.tiled_dims().iter().skip(1).copied()),
    };
    let mut turns = vec![1i64];
    for extent in image.tiled_dims().iter().rev() {
        let last = turns.last().copied().unwrap_or(1);
        if last >= tile {
            break;
        }
        turns.push(last.saturating_mul(*extent));
    }
    Borders::turning(&turns)
}
