//! The places, each with the element that it holds: registers across and lanes down, a grid for each warp and block;
//! or a memory in the order of its offsets, in rows as long as those of the tensor.

use bitstride::Error;
use bitstride::linear::{Dim, Name};

use super::super::{Drawn, Room};
use super::{Colour, Edge, LinearSubject, captioned, in_rows, letter, lined, panels};
use crate::cell::{Cell, Fill};
use crate::picture::Panel;

pub(super) fn scene(subject: &LinearSubject, by: Option<Name>, room: &Room) -> Result<Drawn, Error> {
    let layout = subject.layout();
    let first_axis = subject.axes().next().map(|dim| dim.name);
    let colour = by.or(first_axis).map(|name| Colour::of(subject, name)).transpose()?;
    let memory = subject.in_dim(Name::OFFSET);
    // The in dims that go across and down, the first two where the names say nothing; all others count the grids.
    let (across, down) = match memory {
        Some(offset) => (offset, None),
        None => {
            let known = |name| subject.in_dim(name);
            let across =
                known(Name::REGISTER).or(known(Name::COL)).or(layout.ins().first().copied()).unwrap_or_default();
            let other = layout.ins().iter().copied().find(|dim| dim.name != across.name);
            (across, known(Name::LANE).or(known(Name::ROW)).filter(|dim| dim.name != across.name).or(other))
        }
    };
    let drawn_dims = [Some(across.name), down.map(|dim| dim.name)];
    let outer: Vec<Dim> =
        layout.ins().iter().rev().copied().filter(|dim| !drawn_dims.contains(&Some(dim.name))).collect();
    let side = memory.map_or(across.bits, |offset| row_bits(subject).min(offset.bits));
    let rows = match down {
        Some(dim) => size(dim.bits),
        None => size(across.bits - side),
    };
    let cell = |outer_values: &[u64], i: u64, j: u64| {
        let value = |dim: &Dim| match down {
            _ if dim.name == across.name => Some(if down.is_none() { (i << side) | j } else { j }),
            Some(down) if dim.name == down.name => Some(i),
            _ => outer.iter().position(|o| o.name == dim.name).and_then(|at| outer_values.get(at).copied()),
        };
        let mut shift = 0;
        let place = layout.ins().iter().fold(0, |place, dim| {
            let place = place | value(dim).unwrap_or(0).checked_shl(shift).unwrap_or(0);
            shift += dim.bits;
            place
        });
        let element = layout.apply_packed(place);
        let coordinates: Vec<String> = subject.coordinates(element).iter().map(ToString::to_string).collect();
        let fill = match &colour {
            // Only the first place of an element counts as its home.
            _ if subject.places().first(element) != Some(place) => Fill::Muted,
            Some(colour) => colour.fill(subject, place, element),
            None => Fill::Plain,
        };
        let cell = Cell::new(coordinates.join(",")).fill(fill);
        cell.element(subject.number(element)).place(i64::try_from(place).ok())
    };
    let (column, row) = (letter(across.name), down.map(|dim| letter(dim.name)));
    let row_head = |i: u64| row.as_ref().map_or_else(|| (i << side).to_string(), |row| format!("{row}{i}"));
    let column_head = |j: u64| format!("{column}{j}");
    let level = |_| 0;
    let rows = Edge { len: rows, head: &row_head, level: &level };
    let columns = Edge { len: size(side), head: &column_head, level: &level };
    let drawn = panels(&outer, |outer| Panel::new(lined(&rows, &columns, room, |i, j| cell(outer, i, j))));
    let mut drawn = Drawn { rows: in_rows(drawn, columns.len, room), legend: Vec::new() };
    let axes: Vec<&str> = layout.outs().iter().map(|dim| dim.name.as_str()).collect();
    let mut lines = vec![match (memory, down) {
        (Some(_), _) => format!("the memory in order, each offset with the element ({}) that it holds", axes.join(",")),
        (None, Some(down)) => {
            format!(
                "{} down, {} across, each with the element ({}) that it holds",
                down.name,
                across.name,
                axes.join(",")
            )
        }
        (None, None) => format!("{}, each with the element ({}) that it holds", across.name, axes.join(",")),
    }];
    if let Some(name) = by.or(first_axis) {
        lines.push(format!("coloured by {name}"));
    }
    captioned(&mut drawn.rows, &lines.join("\n"));
    if !subject.places().kernel().is_empty() {
        drawn.legend.push((Fill::Muted, "an earlier place holds it too".to_owned()));
    }
    Ok(drawn)
}

/// How many elements of a memory stand side by side: as many as the leading bases move along one out dim.
fn row_bits(subject: &LinearSubject) -> u32 {
    let layout = subject.layout();
    let columns = layout.in_dim(Name::OFFSET).map(|(_, columns)| columns).unwrap_or_default();
    let dim = |column: u64| {
        let moved: Vec<usize> =
            layout.unpack(column).iter().enumerate().filter(|(_, value)| **value != 0).map(|(at, _)| at).collect();
        if moved.len() == 1 { moved.first().copied() } else { None }
    };
    let first = columns.first().and_then(|column| dim(*column));
    let run = columns.iter().take_while(|column| first.is_some() && dim(**column) == first).count();
    u32::try_from(run).unwrap_or(0).clamp(3, 6)
}

fn size(bits: u32) -> u64 {
    1u64.checked_shl(bits).unwrap_or(u64::MAX)
}
