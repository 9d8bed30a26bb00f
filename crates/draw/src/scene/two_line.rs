//! Two-line notation: each element's number over its place, as permutations are written.

use bitstride::cute::idx2crd;
use bitstride::{Error, Tuple};

use super::look::{Look, Paint};
use super::subject::Subject;
use super::{Drawn, Room};
use crate::cell::Cell;
use crate::grid::Grid;
use crate::picture::Panel;

/// Of more elements than this only the first and the last are drawn.
const MAX_ELEMENTS: i64 = 64;
const FIRST: i64 = 14;

pub(super) fn scene(subject: &Subject, look: &Look, room: &Room) -> Result<Drawn, Error> {
    let paint = Paint::new(look, subject)?;
    let modes = Tuple::flat(subject.modes());
    let size = subject.size()?;
    let numbers: Vec<Option<i64>> = if size <= MAX_ELEMENTS {
        (0..size).map(Some).collect()
    } else {
        (0..FIRST).map(Some).chain([None, Some(size - 1)]).collect()
    };
    let mut pairs = Vec::new();
    let mut widest = 1;
    for n in numbers {
        let Some(n) = n else {
            pairs.push((Cell::new("…"), Cell::new("…")));
            continue;
        };
        let at = idx2crd(&n, &modes)?;
        let place = subject.at(at.leaves())?.to_string();
        let fill = paint.fill(at.leaves())?;
        widest = widest.max(place.len()).max(n.to_string().len());
        pairs.push((subject.cell(n, at.leaves()).fill(fill), subject.cell(place, at.leaves()).fill(fill)));
    }
    let side = room.cells(widest, "L(i)".len());
    let named = |pairs: &[(Cell, Cell)]| {
        Grid::two_line(pairs.iter().cloned()).row_heads(|line| if line == 0 { "i" } else { "L(i)" })
    };
    let panel = Panel::stack(pairs.chunks(side).map(named));
    Ok(Drawn { rows: vec![vec![panel.caption(&paint.caption()?)]], legend: paint.legend() })
}
