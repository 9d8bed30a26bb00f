//! The offset of each index: rank 1 as a strip, rank 2 as a grid, a deeper rank or slice as a grid for each outer index.

use bitstride::{Error, Tuple};

use super::super::grid::widest;
use super::super::strip::{Borders, Strip};
use super::super::{Cells, Drawn, Room, WIDEST, coordinate, count, first_of};
use super::{Paint, Pattern, written};
use crate::cell::Cell;
use crate::grid::Grid;
use crate::picture::Panel;

/// The most grids that one array is drawn as.
const MOST_PANELS: usize = 16;

/// On paper a grid of up to a given number of places is drawn in full, and of a larger one only the corners.
const MOST_CELLS: i64 = 1024;
const CORNERS: usize = 256;

pub(super) fn scene(paint: &Paint<'_>, slice: &Pattern, room: &Room) -> Result<Drawn, Error> {
    let free: Vec<usize> = slice.iter().enumerate().filter(|(_, at)| at.is_none()).map(|(dim, _)| dim).collect();
    let (outer, drawn) = free.split_at(free.len().saturating_sub(2));
    let extents: Vec<i64> = outer.iter().map(|dim| paint.subject.dim(*dim)).collect();
    let shape = Tuple::flat(&extents);
    let mut panels = Vec::new();
    for at in bitstride::cute::coordinates(&shape).take(MOST_PANELS) {
        let mut slice = slice.clone();
        for (dim, at) in outer.iter().zip(at.leaves()) {
            if let Some(entry) = slice.get_mut(*dim) {
                *entry = Some(*at);
            }
        }
        let panel = Panel::new(plane(paint, &slice, drawn, room)?);
        panels.push(if slice.len() > drawn.len() { panel.title(&written(&slice)) } else { panel });
    }
    if panels.is_empty() {
        panels.push(Panel::new(Grid::from_fn(0, 0, |_, _| Cell::default())));
    }
    let mut caption = caption(paint, outer, drawn)?;
    caption.splice(0..0, first_of(&shape, MOST_PANELS));
    if let Some(first) = panels.first_mut() {
        *first = first.clone().caption(&caption.join("\n"));
    }
    let across = drawn.last().map_or(1, |dim| paint.padded(*dim));
    let side = usize::try_from(across.max(1)).map_or(1, |across| (WIDEST / across).clamp(1, MOST_PANELS));
    // A terminal breaks rows by itself.
    let side = if room.columns.is_some() { panels.len() } else { side };
    let wider = drawn.iter().any(|dim| paint.padded(*dim) > paint.subject.dim(*dim));
    let padded = wider && paint.subject.padded.elements() > 0;
    Ok(Drawn { rows: panels.chunks(side).map(<[Panel]>::to_vec).collect(), legend: paint.legend(padded) })
}

/// Two dims at an index of the others.
fn plane(paint: &Paint<'_>, slice: &Pattern, drawn: &[usize], room: &Room) -> Result<Grid, Error> {
    let start: Vec<i64> = slice.iter().map(|at| at.unwrap_or(0)).collect();
    let cell = |at: &[i64]| {
        let mut index = start.clone();
        for (dim, at) in drawn.iter().zip(at) {
            if let Some(entry) = index.get_mut(*dim) {
                *entry = *at;
            }
        }
        cell(paint, &index, room)
    };
    match drawn {
        [dim] => strip(paint, *dim, room, &|n| cell(&[n])),
        [rows, cols] => grid(paint, [*rows, *cols], room, &|i, j| cell(&[i, j])),
        _ => {
            let mut cells = Cells::default();
            let grid = Grid::from_fn(1, 1, |_, _| cells.keep(cell(&[])));
            cells.checked(grid.row_levels(|_| room.frame()).col_levels(|_| room.frame()))
        }
    }
}

/// An element with its offset, or padding: on paper with the offset that it has, in text without, where it would look
/// like one of an element.
fn cell(paint: &Paint<'_>, index: &[i64], room: &Room) -> Result<Cell, Error> {
    let subject = paint.subject;
    if subject.contains(index) {
        return paint.element(index, subject.image.offset(index)?, None);
    }
    let offset = subject.padded.offset(index)?;
    let cell = match room.columns {
        Some(_) => Cell::empty(),
        None => Cell::new(offset).fill(crate::cell::Fill::Empty),
    };
    Ok(cell.place(offset))
}

fn strip(paint: &Paint<'_>, dim: usize, room: &Room, cell: &dyn Fn(i64) -> Result<Cell, Error>) -> Result<Grid, Error> {
    let len = paint.padded(dim);
    let weights = paint.subject.lines.along(&[dim]);
    let strip = Strip { first: 0, len, caption: "", numbered: true, borders: Borders::turning(&weights.turns(0)) };
    let side = strip.side(widest(paint.subject.image.size(), Ok)?, room);
    let grid = strip.fold(side, room, cell)?;
    if side < len {
        return Ok(grid);
    }
    // One row also shows the borders that do not repeat evenly.
    let frame = weights.heaviest().max(room.frame());
    let level = |line: u64| if line == 0 || line == count(len) { frame } else { weights.level(0, coordinate(line)) };
    Ok(grid.row_levels(|_| frame).col_levels(level))
}

fn grid(
    paint: &Paint<'_>,
    dims: [usize; 2],
    room: &Room,
    cell: &dyn Fn(i64, i64) -> Result<Cell, Error>,
) -> Result<Grid, Error> {
    let weights = paint.subject.lines.along(&dims);
    let extents = dims.map(|dim| paint.padded(dim));
    let frame = weights.heaviest().max(room.frame());
    let level = |dim: usize, extent: i64, line: u64| {
        let line = coordinate(line);
        if line == 0 || line == extent { frame } else { weights.level(dim, line) }
    };
    let [rows, cols] = extents;
    let large = rows.checked_mul(cols).is_none_or(|cells| cells > MOST_CELLS);
    let most = if room.columns.is_none() && large { CORNERS } else { Grid::MOST_CELLS };
    let mut cells = Cells::default();
    let grid = room
        .grid_within(most, count(rows), count(cols), |i, j| cells.keep(cell(coordinate(i), coordinate(j))))
        .row_heads(|i| i)
        .col_heads(|j| j)
        .row_levels(|line| level(0, rows, line))
        .col_levels(|line| level(1, cols, line));
    cells.checked(grid)
}

/// What is drawn and what is not.
fn caption(paint: &Paint<'_>, outer: &[usize], drawn: &[usize]) -> Result<Vec<String>, Error> {
    let subject = paint.subject;
    let mut lines = vec![match drawn {
        [rows, cols] => format!("dim {rows} down, dim {cols} across, each element with its offset"),
        [dim] => format!("dim {dim}, each element with its offset"),
        _ => "the element with its offset".to_owned(),
    }];
    lines.push(subject.census()?);
    let numbers = |dims: &Vec<usize>| dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let merged: Vec<String> = subject.lines.merged().iter().map(|dims| format!("dims {}", numbers(dims))).collect();
    if !merged.is_empty() {
        let dims = merged.join(" and ");
        lines.push(format!("{dims} are merged before they are cut: tiles run on from one row into the next"));
    }
    for dim in outer {
        let (first, end) = (subject.dim(*dim), paint.padded(*dim));
        if first < end {
            lines.push(format!("not drawn: dim {dim} from {first} to {}, which is padding", end - 1));
        }
    }
    let hidden = subject.image.size() - subject.padded.elements();
    if hidden > 0 {
        lines.push(format!("not drawn: {hidden} places of padding beyond the end of no single dim"));
    }
    lines.extend(paint.marked()?);
    Ok(lines)
}
