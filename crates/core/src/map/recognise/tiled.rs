//! Recognises tiled arrays of XLA: an order of dims and tiles that give a map.
//!
//! Every [`Chain`] is a tiled array: a tile can move any low digit to the end of memory, so that enough tiles make
//! every order of digits and every padding. The canonical answer is the smallest by these criteria in turn, as far as
//! they are searched: fewest tiles; fewest extents; the shortest longest tile; the smallest tiles, the last first, by
//! size and then by extents from the most minor on. Dims whose position in the order is free are in the order of their
//! numbers.
//!
//! The memory of the array is that of the map, places after the last element included, as far as its size is a multiple
//! of the largest stride. Otherwise it ends with the last row.
//!
//! Law: the array lowers to the same function. Every answer is checked.

use super::super::{Comparison, Form, Map, Stage, Unit};
use super::chain::Chain;
use super::merged;
use super::sorted::sorted;
use super::untile::{Place, Plan, Untile};
use crate::cast::length;
use crate::error::{Code, Error};
use crate::xla::{Array, Dim, ElementType, Layout, Tile, TileDim};

/// The most rows of tiles that an extent of a tile is cut into.
const ROWS: i64 = 64;

/// The most tiles for which the fewest are searched.
const MAX_TILES: usize = 4;

impl Map {
    /// The tiled array that this map into memory is, with these elements.
    ///
    /// # Errors
    /// [`Code::Kind`] for a map that does not lead from a tensor to memory; [`Code::NotALayout`] for an offset, elements that
    /// share a place, steps backwards and patterns that are xored; [`Code::NotDivisible`] and [`Code::Overlap`] for strides
    /// that are not those of a box; [`Code::Split`] or [`Code::Carry`] for dims that carry into each other in a way for which
    /// no merging of dims was found; [`Code::Undecided`] where one agrees as far as it is compared; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::{map::Map, xla::Array};
    /// let layout: bitstride::Layout = "((2,4,2),(128,2)):((1,256,2048),(2,1024))".parse()?;
    /// let bf16 = "bf16[]".parse::<Array>()?.element;
    /// let array = Map::of_layout(&layout)?.to_array(bf16)?;
    /// assert_eq!(array.to_string(), "bf16[16,256]{1,0:T(8,128)(2,1)}");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_array(&self, element: ElementType) -> Result<Array, Error> {
        let extents: Vec<i64> = self.domain().iter().map(|axis| axis.extent).collect();
        if extents.contains(&0) {
            return Ok(Array::row_major(element, &extents));
        }
        let scale = match self.codomain() {
            [axis] if axis.unit == Unit::Byte => i64::from(element.stored_bits() / 8),
            [axis] if axis.unit == Unit::Bit => i64::from(element.stored_bits()),
            _ => 1,
        };
        let chain = match Form::of(self).and_then(|form| Chain::of(self, &form, scale)) {
            Ok(chain) => chain,
            Err(error) => {
                // What is no box may still be merged dims.
                if !matches!(error.code(), Code::Split | Code::Carry | Code::NotDivisible | Code::Overlap) {
                    return Err(error);
                }
                for array in merged::candidates(self, element, scale)? {
                    match self.compare_array(&array, scale) {
                        Ok(Comparison::Same(_)) => return Ok(array),
                        // Others that give the same at some points would not be decided either, each after as long.
                        Err(error) if error.code() == Code::Undecided => return Err(error),
                        _ => {}
                    }
                }
                return Err(error);
            }
        };
        let mut search = Untile::new(&extents);
        for tiles in 0..=MAX_TILES {
            let plans = search.plans(&chain, tiles);
            if let Some(array) = self.best(&plans, &extents, element, scale) {
                return Ok(array);
            }
        }
        let any = search.any(&chain);
        let sorted = || {
            let (order, tiles) = sorted(&chain, &extents)?;
            let is_map = self.is_array(&array(element, &extents, &order, &tiles), scale);
            is_map.then(|| self.shrunk(element, &extents, (order, tiles), scale))
        };
        self.best(any.as_slice(), &extents, element, scale).or_else(sorted).ok_or_else(|| {
            error!(Code::Undecided, "no tiles for {map} were found within the steps of the search", [map = self])
        })
    }

    /// The least of the arrays that plans make, if it is this map.
    fn best(&self, plans: &[Plan], extents: &[i64], element: ElementType, scale: i64) -> Option<Array> {
        let places: &[Place] = match extents.contains(&1) {
            true => &[Place::Between, Place::Major, Place::Minor, Place::Room],
            false => &[Place::Between],
        };
        let realised = |wide: bool| {
            let of = move |plan: &Plan| {
                places.iter().filter_map(|place| plan.realise(extents, *place, wide)).collect::<Vec<_>>()
            };
            plans.iter().flat_map(of).collect::<Vec<_>>()
        };
        let mut made = realised(false);
        if made.is_empty() {
            made = realised(true);
        }
        made.sort_by_cached_key(|(order, tiles)| {
            let minor_first: Vec<Vec<i64>> = tiles.iter().map(|tile| tile.iter().rev().copied().collect()).collect();
            let volume =
                |tile: &Vec<i64>| tile.iter().map(|extent| i128::from(*extent)).fold(1i128, i128::saturating_mul);
            let volumes: Vec<i128> = tiles.iter().rev().map(volume).collect();
            let longest = tiles.iter().map(Vec::len).max();
            (tiles.iter().map(Vec::len).sum::<usize>(), longest, volumes, minor_first, order.clone())
        });
        made.dedup();
        let (order, tiles) =
            made.into_iter().find(|(order, tiles)| self.is_array(&array(element, extents, order, tiles), scale))?;
        Some(self.shrunk(element, extents, (order, tiles), scale))
    }

    /// The array with each extent of the first tile as small as it can be in the same memory: `T(16)` of 12 elements is
    /// `T(8)`.
    fn shrunk(
        &self,
        element: ElementType,
        extents: &[i64],
        (order, mut tiles): (Vec<usize>, Vec<Vec<i64>>),
        scale: i64,
    ) -> Array {
        let size = |array: &Array| Map::of_array(array).map(|map| map.codomain().to_vec()).ok();
        let mut best = array(element, extents, &order, &tiles);
        let length = tiles.first().map_or(0, Vec::len);
        for back in 1..=length.min(order.len()) {
            let extent =
                order.len().checked_sub(back).and_then(|at| extents.get(*order.get(at)?)).copied().unwrap_or(1);
            let Some(own) = tiles.first().and_then(|tile| tile.get(length - back)).copied() else { continue };
            for rows in (2..=extent.min(ROWS)).rev() {
                let tile = own / rows;
                if own <= extent || own % rows != 0 || tile < 1 || (extent - 1) / tile + 1 != rows {
                    continue;
                }
                let mut smaller = tiles.clone();
                if let Some(place) = smaller.first_mut().and_then(|tile| tile.get_mut(length - back)) {
                    *place = tile;
                }
                let array = array(element, extents, &order, &smaller);
                if size(&array) == size(&best) && self.is_array(&array, scale) {
                    (tiles, best) = (smaller, array);
                    break;
                }
            }
        }
        best
    }

    /// Whether an array is the same function.
    fn is_array(&self, array: &Array, scale: i64) -> bool {
        matches!(self.compare_array(array, scale), Ok(Comparison::Same(_)))
    }

    fn compare_array(&self, array: &Array, scale: i64) -> Result<Comparison, Error> {
        let map = Map::of_array(array)?;
        let mut stages = map.stages().to_vec();
        stages.push(Stage::Linearise { at: 0, count: 1, sums: vec![(0, vec![scale])] });
        self.compare(&Map::new(map.domain().to_vec(), stages, map.codomain().to_vec(), map.direction())?)
    }
}

/// An array from its dims, major first, and its tiles.
fn array(element: ElementType, extents: &[i64], order: &[usize], tiles: &[Vec<i64>]) -> Array {
    let tile = |extents: &Vec<i64>| Tile(extents.iter().copied().map(TileDim::Size).collect());
    let minor_to_major = order.iter().rev().map(|dim| length(*dim)).collect();
    Array {
        element,
        dims: extents.iter().copied().map(Dim::Static).collect(),
        layout: Layout { tiles: tiles.iter().map(tile).collect(), ..Layout::ordered(minor_to_major) },
    }
}
