//! The plain view: each element's place at its coordinate.

use bitstride::{Error, Tuple};

use super::look::{Look, Paint};
use super::strip::{Borders, Strip};
use super::subject::Subject;
use super::{Cells, Drawn, Room, WIDEST, coordinate, count, first_of};
use crate::cell::Cell;
use crate::grid::Grid;
use crate::picture::Panel;

/// The most grids that a layout of rank 3 or more is drawn as.
const MOST_PANELS: usize = 16;

pub(super) fn scene(subject: &Subject, look: &Look, room: &Room) -> Result<Drawn, Error> {
    let product = subject.product();
    let paint = Paint::or_by(look, subject, product.map_or(&[], |product| &product.by))?;
    let mut drawn = plain(subject, &paint, room)?;
    if let Some(product) = product {
        let factors: Vec<Panel> = product.drawn(room)?;
        drawn.rows.insert(0, factors);
    }
    Ok(drawn)
}

/// The elements at their coordinates, each painted so.
pub(super) fn plain(subject: &Subject, paint: &Paint<'_>, room: &Room) -> Result<Drawn, Error> {
    let place = |at: &[i64]| Ok(subject.cell(subject.at(at)?, at).fill(paint.fill(at)?));
    Ok(Drawn { rows: placed(subject, paint, room, &place)?, legend: paint.legend() })
}

/// A cell for each element at its coordinates.
pub(super) fn placed(
    subject: &Subject,
    paint: &Paint<'_>,
    room: &Room,
    place: Place<'_>,
) -> Result<Vec<Vec<Panel>>, Error> {
    let caption = paint.caption()?;
    Ok(match subject.modes() {
        [] => {
            vec![vec![Panel::new(rectangle([1, 1], Default::default(), room, &|_, _| place(&[]))?).caption(&caption)]]
        }
        [_] => vec![vec![Panel::new(strip(subject, paint.letters(), room, place)?).caption(&caption)]],
        [_, _] => vec![vec![Panel::new(matrix(subject, &[], room, place)?).caption(&caption)]],
        [_, across, outer @ ..] => panels(subject, *across, outer, room, &caption, place)?,
    })
}

/// What stands in the cell of an element.
pub(super) type Place<'f> = &'f dyn Fn(&[i64]) -> Result<Cell, Error>;

/// A layout of rank 1.
fn strip(subject: &Subject, letters: usize, room: &Room, place: Place<'_>) -> Result<Grid, Error> {
    let len = subject.modes().first().copied().unwrap_or(1);
    let strip = Strip { first: 0, len, caption: "", numbered: true, borders: subject.borders(0) };
    let widest = widest(len, |n| subject.at(&[n]))?;
    strip.fold(strip.side(widest + letters, room), room, |n| place(&[n]))
}

/// The characters that the places of a strip take, as far as its first and last ones show.
pub(super) fn widest<T: ToString>(len: i64, text: impl Fn(i64) -> Result<T, Error>) -> Result<usize, Error> {
    let mut widest = 1;
    for n in [0, len / 2, len - 1] {
        if (0..len).contains(&n) {
            widest = widest.max(text(n)?.to_string().chars().count()).max(n.to_string().len());
        }
    }
    Ok(widest)
}

/// Modes 0 and 1 at a coordinate of the others.
pub(super) fn matrix(subject: &Subject, outer: &[i64], room: &Room, place: Place<'_>) -> Result<Grid, Error> {
    let extent = |mode: usize| subject.modes().get(mode).copied().unwrap_or(1);
    let borders = [0, 1].map(|mode| subject.borders(mode));
    rectangle([extent(0), extent(1)], borders, room, &|i, j| place(&[&[i, j], outer].concat()))
}

/// A grid with headings and the borders of nested modes.
pub(super) fn rectangle(
    [rows, cols]: [i64; 2],
    borders: [Borders; 2],
    room: &Room,
    cell: &dyn Fn(i64, i64) -> Result<Cell, Error>,
) -> Result<Grid, Error> {
    let mut cells = Cells::default();
    let [down, across] = Borders::aligned(borders);
    let frame = down.heaviest().max(across.heaviest()).max(room.frame());
    let level = |borders: &Borders, line: u64, end: i64| {
        let line = coordinate(line);
        if line == 0 || line == end { frame } else { borders.level(line) }
    };
    let grid = room
        .grid(count(rows), count(cols), |i, j| cells.keep(cell(coordinate(i), coordinate(j))))
        .row_heads(|i| i)
        .col_heads(|j| j)
        .row_levels(|line| level(&down, line, rows))
        .col_levels(|line| level(&across, line, cols));
    cells.checked(grid)
}

/// A grid for each coordinate of the modes from 2 on, side by side while they are narrow.
fn panels(
    subject: &Subject,
    across: i64,
    outer: &[i64],
    room: &Room,
    caption: &str,
    place: Place<'_>,
) -> Result<Vec<Vec<Panel>>, Error> {
    let shape = Tuple::flat(outer);
    let mut panels = Vec::new();
    for at in bitstride::cute::coordinates(&shape).take(MOST_PANELS) {
        let named: Vec<String> = at.leaves().iter().map(ToString::to_string).collect();
        let panel = Panel::new(matrix(subject, at.leaves(), room, place)?);
        panels.push(panel.title(&format!("(_,_,{})", named.join(","))));
    }
    if let Some(first) = panels.first_mut() {
        let mut lines: Vec<String> = first_of(&shape, MOST_PANELS).into_iter().collect();
        lines.extend((!caption.is_empty()).then(|| caption.to_owned()));
        *first = first.clone().caption(&lines.join("\n"));
    } else {
        let none = Panel::new(Grid::from_fn(0, 0, |_, _| Cell::default())).caption(caption);
        return Ok(vec![vec![none]]);
    }
    let side = usize::try_from(across.max(1)).map_or(1, |across| (WIDEST / across).clamp(1, MOST_PANELS));
    // A terminal breaks rows by itself.
    let side = if room.columns.is_some() { panels.len() } else { side };
    Ok(panels.chunks(side).map(<[Panel]>::to_vec).collect())
}
