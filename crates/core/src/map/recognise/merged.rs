//! Guesses XLA arrays whose tiles merge dims, from the stages of a map.
//!
//! Where merged dims carry into each other there are no digits to read. The cuts of the stages are then taken as
//! extents of tiles, in this order, with dims merged between them. The caller checks each guess.

use super::super::{Map, Stage};
use crate::cast::{length, narrow};
use crate::error::Error;
use crate::xla::{Array, Dim, ElementType, Image, Layout, Tile, TileDim};

/// The most cuts that are taken as tiles with merged dims; without, twice as many.
const CUTS: usize = 6;

/// The most dims whose orders are tried.
const DIMS: usize = 5;

/// The most arrays that are tried.
const ARRAYS: usize = 200_000;

/// Arrays that give what the map gives at some points.
pub(super) fn candidates(map: &Map, element: ElementType, scale: i64) -> Result<impl Iterator<Item = Array>, Error> {
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    let mut cuts = Vec::new();
    for stage in map.stages() {
        if let Stage::Delinearise { radices, .. } = stage {
            cuts.extend(radices.iter().copied());
        }
    }
    let points = samples(map, &extents)?;
    let rank = extents.len();
    let merges = if cuts.len() <= CUTS { rank.max(1) } else { 1 };
    let tiles = if cuts.len() <= 2 * CUTS { tilings(&cuts, merges) } else { Vec::new() };
    let orders = match map.stages().first() {
        Some(Stage::Permute(order)) if order.len() == rank => {
            vec![order.iter().rev().map(|dim| length(*dim)).collect()]
        }
        _ if rank <= DIMS => orders(rank),
        _ => Vec::new(),
    };
    let dims: Vec<Dim> = extents.iter().copied().map(Dim::Static).collect();
    let arrays = tiles.into_iter().flat_map(move |tiles| {
        let of = |order: &Vec<i64>| {
            let layout = Layout { tiles: tiles.clone(), ..Layout::ordered(order.clone()) };
            Array { element, dims: dims.clone(), layout }
        };
        orders.iter().map(of).collect::<Vec<_>>()
    });
    Ok(arrays.take(ARRAYS).filter(move |array| {
        let Ok(image) = Image::of(array) else { return false };
        points
            .iter()
            .all(|(point, place)| image.offset(point).ok().and_then(|offset| offset.checked_mul(scale)) == *place)
    }))
}

/// A point, and what it leads to.
type Sample = (Vec<i64>, Option<i64>);

/// Some points.
fn samples(map: &Map, extents: &[i64]) -> Result<Vec<Sample>, Error> {
    let mut points = Vec::new();
    for step in 0..24i64 {
        let far = i128::from(step - length(extents.len()) + 1);
        let at = |(axis, extent): (usize, &i64)| {
            let factor = [5, 15, 35, 55, 65].get(axis % 5).copied().unwrap_or(1);
            match far > 0 {
                true => narrow(far * factor % i128::from(*extent)),
                false if length(axis) == step => Ok(extent - 1),
                false => Ok(0),
            }
        };
        let point: Vec<i64> = extents.iter().enumerate().map(at).collect::<Result<_, _>>()?;
        let place = map.at(&point)?.and_then(|row| row.first().copied());
        points.push((point, place));
    }
    Ok(points)
}

/// All ways to put cuts into tiles, in order, with fewer than `merges` merged dims in each; the fewest tiles first.
fn tilings(cuts: &[i64], merges: usize) -> Vec<Vec<Tile>> {
    let mut all: Vec<Vec<Tile>> = vec![vec![Tile(Vec::new())]];
    for (at, cut) in cuts.iter().enumerate() {
        let mut longer = Vec::new();
        for tiles in &all {
            for (new, more) in (0..merges).flat_map(|more| [(false, more), (true, more)]) {
                if new && at == 0 {
                    continue;
                }
                let mut tiles = tiles.clone();
                if new {
                    tiles.push(Tile(Vec::new()));
                }
                if let Some(tile) = tiles.last_mut() {
                    tile.0.extend(std::iter::repeat_n(TileDim::Combine, more));
                    tile.0.push(TileDim::Size(*cut));
                }
                let merged = |tile: &Tile| tile.0.iter().filter(|dim| **dim == TileDim::Combine).count();
                if tiles.last().is_some_and(|tile| merged(tile) < merges) && longer.len() < ARRAYS {
                    longer.push(tiles);
                }
            }
        }
        all = longer;
    }
    all.sort_by_key(|tiles| (tiles.len(), tiles.iter().map(|tile| tile.0.len()).sum::<usize>()));
    all
}

/// All orders of dims, those of the largest numbers first before others.
fn orders(rank: usize) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for dim in 0..length(rank) {
        let with = |order: &Vec<i64>| {
            let at = |place: usize| {
                let mut order = order.clone();
                order.insert(place, dim);
                order
            };
            (0..=order.len()).map(at).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}
