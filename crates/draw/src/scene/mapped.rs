//! A map that no layout of CuTe draws: each point of its domain with where it leads, padding where nothing does.
//!
//! The last two axes are rows and columns, with a grid for each value of the others. Law: a cell says what [`Map::at`] gives at its
//! point.

use bitstride::cute::{coordinates, crd2index};
use bitstride::map::{Axis, Direction, Map};
use bitstride::{Code, Error, Tuple, error};

use super::grid::{rectangle, widest};
use super::look::Look;
use super::strip::{Borders, Strip};
use super::{Drawn, Room, View, WIDEST, first_of};
use crate::cell::{Cell, Fill};
use crate::picture::Panel;

/// The most grids that a map of three axes or more is drawn as.
const MAX_PANELS: usize = 16;

pub(super) fn scene(map: &Map, view: &View, look: &Look, room: &Room) -> Result<Drawn, Error> {
    if *view != View::Grid || !look.words().is_empty() {
        return Err(error!(
            Code::Kind,
            "{map} is no layout of CuTe: only its points are drawn, without colours or marks",
            [map]
        )
        .with_help("show it without options"));
    }
    let axes = map.domain();
    let (outer, inner) = axes.split_at(axes.len().saturating_sub(2));
    let shape = Tuple::flat(&outer.iter().map(|axis| axis.extent).collect::<Vec<_>>());
    let mut panels = Vec::new();
    for outside in coordinates(&shape).take(MAX_PANELS) {
        let at = |inside: &[i64]| cell(map, &[outside.leaves(), inside].concat());
        let panel = Panel::new(match inner {
            [] => rectangle([1, 1], [Borders::default(), Borders::default()], room, &|_, _| at(&[]))?,
            [only] => {
                let strip =
                    Strip { first: 0, len: only.extent, caption: "", numbered: true, borders: Borders::default() };
                let widest = widest(only.extent, |n| Ok(text(map.at(&[n])?)))?;
                strip.fold(strip.side(widest, room), room, |n| at(&[n]))?
            }
            [rows, columns, ..] => {
                let sides = [rows.extent, columns.extent];
                rectangle(sides, [Borders::default(), Borders::default()], room, &|i, j| at(&[i, j]))?
            }
        });
        let named = outer.iter().zip(outside.leaves()).map(|(axis, n)| format!("{} {n}", axis.name));
        panels.push(panel.title(&named.collect::<Vec<_>>().join(", ")));
    }
    let mut caption = vec![named(map, inner)];
    caption.extend(first_of(&shape, MAX_PANELS));
    if let Some(first) = panels.first_mut() {
        *first = first.clone().caption(&caption.join("\n"));
    }
    let across = inner.last().map_or(1, |axis| axis.extent.max(1));
    let side = usize::try_from(across).map_or(1, |across| (WIDEST / across).clamp(1, MAX_PANELS));
    let side = if room.columns.is_some() { panels.len().max(1) } else { side };
    let rows = panels.chunks(side).map(<[Panel]>::to_vec).collect();
    Ok(Drawn { rows, legend: vec![(Fill::Empty, "padding".to_owned())] })
}

/// The axes on both sides.
pub(super) fn axes(map: &Map) -> String {
    let side = |axes: &[Axis]| axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    format!("{} -> {}", side(map.domain()), side(map.codomain()))
}

fn named(map: &Map, inner: &[Axis]) -> String {
    let drawn = match inner {
        [rows, columns] => format!("{} down, {} across, ", rows.name, columns.name),
        [only] => format!("{}, ", only.name),
        _ => String::new(),
    };
    let names: Vec<String> = map.codomain().iter().map(|axis| axis.name.to_string()).collect();
    format!("{drawn}each with its {}", names.join(", "))
}

fn cell(map: &Map, point: &[i64]) -> Result<Cell, Error> {
    let leads = map.at(point)?;
    let (element, place) = match map.direction() {
        Direction::ToPlace => (Some(point), leads.as_deref()),
        Direction::ToIndex => (leads.as_deref(), Some(point)),
    };
    let element = element.and_then(|element| element_number(map, element));
    let place = place.and_then(|place| place_number(map, place));
    let cell = if leads.is_some() { Cell::new(text(leads)) } else { Cell::empty() };
    Ok(cell.element(element).place(place))
}

fn text(place: Option<Vec<i64>>) -> String {
    place.map(|place| place.iter().map(i64::to_string).collect::<Vec<_>>().join(",")).unwrap_or_default()
}

/// The column-major number of an element of the tensor of a map, its dims in the order in which pictures have them.
///
/// ```
/// use bitstride::map::Map;
/// use bitstride_draw::scene::{element_at, element_number};
/// let map = Map::of_layout(&"(4,8):(8,1)".parse()?)?;
/// assert_eq!(element_number(&map, &[1, 2]), Some(9));
/// assert_eq!(element_at(&map, 9), Some(vec![1, 2]));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn element_number(map: &Map, coordinate: &[i64]) -> Option<i64> {
    let mut weight = 1_i64;
    let mut number = 0_i64;
    for at in dims(map) {
        let extent = map.index_axes().get(at)?.extent;
        number = number.checked_add(coordinate.get(at)?.checked_mul(weight)?)?;
        weight = weight.saturating_mul(extent);
    }
    Some(number)
}

/// The coordinate of the element with a number; none beyond the last.
pub fn element_at(map: &Map, number: i64) -> Option<Vec<i64>> {
    let mut rest = number;
    let mut coordinate = vec![0; map.index_axes().len()];
    for at in dims(map) {
        let extent = map.index_axes().get(at)?.extent;
        *coordinate.get_mut(at)? = rest.checked_rem_euclid(extent)?;
        rest = rest.checked_div(extent)?;
    }
    (rest == 0 && number >= 0).then_some(coordinate)
}

/// The dims of the tensor, the fastest first.
fn dims(map: &Map) -> Vec<usize> {
    let axes = map.index_axes();
    let mut order: Vec<usize> = (0..axes.len()).collect();
    // A layout may list them in another order.
    if axes.iter().all(|axis| axis.name.as_str().starts_with("dim")) {
        order.sort_by_key(|at| axes.get(*at).map(|axis| axis.name));
    }
    order
}

/// The number of a place, the first axis the fastest; along one axis its coordinate.
///
/// ```
/// use bitstride_draw::scene::place_number;
/// use bitstride_lang::evaluate;
/// let map = evaluate("linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>")?.value.as_map()?;
/// assert_eq!(place_number(&map, &[1, 3]), Some(7));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn place_number(map: &Map, place: &[i64]) -> Option<i64> {
    match place {
        [only] => Some(*only),
        _ => {
            let extents: Vec<i64> = map.place_axes().iter().map(|axis| axis.extent).collect();
            crd2index(&Tuple::flat(place), &Tuple::flat(&extents)).ok()
        }
    }
}
