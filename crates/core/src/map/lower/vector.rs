//! Lowers values in vector registers of Mosaic. The last two dims are moved by the offsets and cut into registers, tiles and
//! rows of lanes. The places are the slot of a lane, the lane, the sublane and the register, the first the fastest.
//!
//! Where a value does not vary along a dim, many places hold an element: the map then leads from places to elements, and has
//! that dim with the one value that it has.

use super::super::{Axis, Direction, Map, Order, Stage, Unit};
use crate::error::Error;
use crate::linear::Name;
use crate::xla::Array;
use crate::xla::mosaic::{Filling, LANES, SUBLANES, VectorLayout};

impl Map {
    /// The map of a value in vector registers: from elements to places, or from places to elements where an offset is `*`. A dim
    /// along which the value does not vary then has extent 1.
    ///
    /// # Errors
    /// As [`VectorLayout::registers`]; [`Code::InvalidLayout`](crate::Code::InvalidLayout) for elements of other bits than those
    /// of the layout; [`Code::MissingFact`](crate::Code::MissingFact) for a dim without a bound.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let layout = "#tpu.vpad<\"16,{0,0},(16,128)\">".parse()?;
    /// let map = Map::of_vector(&layout, &"bf16[32,256]".parse()?)?;
    /// assert_eq!(map.to_string(), "dim0:32, dim1:256 -> slot:2, lane:128, sublane:8, vreg:4");
    /// // Row 3 is the second of sublane 1; column 130 is lane 2 of the next register.
    /// assert_eq!(map.at(&[3, 130])?, Some(vec![1, 2, 1, 1]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_vector(layout: &VectorLayout, array: &Array) -> Result<Map, Error> {
        let filling = layout.filling()?;
        layout.check_element(array)?;
        let dims = array.bounds()?;
        let registers = layout.registers(&dims)?;
        let count = registers.iter().try_fold(1_i64, |count, extent| count.checked_mul(*extent));
        let count = if registers.contains(&0) { Some(0) } else { count };
        let places = [("slot", filling.packing), ("lane", LANES), ("sublane", SUBLANES)]
            .into_iter()
            .chain([("vreg", count.ok_or_else(|| Error::overflow("the number of registers"))?)])
            .map(|(name, extent)| Ok(Axis { name: Name::new(name)?, extent, unit: Unit::Part }))
            .collect::<Result<Vec<_>, Error>>()?;
        let value = Value { layout, filling, dims: &dims, registers };
        match layout.offsets.contains(&None) {
            false => value.to_places(places),
            true => value.to_elements(places),
        }
    }
}

/// A value and how it fills registers.
struct Value<'v> {
    layout: &'v VectorLayout,
    filling: Filling,
    dims: &'v [i64],
    /// Along each dim, with the implicit ones.
    registers: Vec<i64>,
}

impl Value<'_> {
    /// For each dim with the implicit ones, which dim of the value it is.
    fn own_dims(&self) -> Vec<Option<usize>> {
        let leading = self.registers.len().saturating_sub(2);
        let mut next = 0..;
        let own = |implicit: bool| if implicit { None } else { next.next() };
        std::iter::repeat_n(false, leading).chain(self.layout.implicit).map(own).collect()
    }

    /// Registers from one step along each dim to the next: the last dim first.
    fn register_strides(&self) -> Vec<i64> {
        let mut stride = 1_i64;
        let mut strides: Vec<i64> = self
            .registers
            .iter()
            .rev()
            .map(|count| {
                // Their product is the number of registers, or there are none.
                let next = stride.saturating_mul(*count);
                std::mem::replace(&mut stride, next)
            })
            .collect();
        strides.reverse();
        strides
    }

    fn to_places(&self, places: Vec<Axis>) -> Result<Map, Error> {
        let leading = self.registers.len().saturating_sub(2);
        let Filling { packing, tile_sublanes, tiles } = self.filling;
        let [rows, columns] = self.layout.tile;
        let offsets = std::iter::repeat_n(Some(0), leading).chain(self.layout.offsets);
        let moved = self.own_dims().into_iter().zip(offsets).map(|(own, offset)| {
            let strides = (0..self.dims.len()).map(|dim| i64::from(own == Some(dim))).collect();
            (offset.unwrap_or(0), strides)
        });
        let mut stages = vec![
            Stage::Linearise { at: 0, count: self.dims.len(), sums: moved.collect() },
            Stage::Delinearise { at: leading, radices: vec![rows] },
            Stage::Delinearise { at: leading + 2, radices: vec![columns, tiles] },
        ];
        // The row and column in the tile and the number of the tile, before the registers along each dim.
        let inside = [leading, leading + 2, leading + 3];
        let along = (0..leading).chain([leading + 1, leading + 4]);
        stages.push(Stage::Permute(inside.into_iter().chain(along).collect()));
        stages.push(Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![columns, 1])] });
        stages.push(Stage::Delinearise { at: 0, radices: vec![LANES, packing] });
        let width = 4 + self.registers.len();
        let sum = |parts: &[(usize, i64)]| {
            let mut strides = vec![0; width];
            for (at, stride) in parts {
                if let Some(slot) = strides.get_mut(*at) {
                    *slot = *stride;
                }
            }
            (0, strides)
        };
        let registers: Vec<(usize, i64)> = (4..).zip(self.register_strides()).collect();
        let sums = vec![sum(&[(1, 1)]), sum(&[(0, 1)]), sum(&[(2, 1), (3, tile_sublanes)]), sum(&registers)];
        stages.push(Stage::Linearise { at: 0, count: width, sums });
        let dims = self.dims.iter().enumerate().map(|(dim, extent)| Axis::dim(dim, *extent)).collect();
        Ok(Map::new(dims, stages, places, Direction::ToPlace)?.numbered(Order::RowMajor))
    }

    fn to_elements(&self, places: Vec<Axis>) -> Result<Map, Error> {
        let Filling { packing, tile_sublanes, tiles } = self.filling;
        let [rows, columns] = self.layout.tile;
        let leading = self.registers.len().saturating_sub(2);
        // From the fastest on; the last one has no radix.
        let along = self.registers.iter().skip(1).rev().map(|count| (*count).max(1)).collect();
        let mut stages = vec![
            Stage::Delinearise { at: 3, radices: along },
            Stage::Delinearise { at: 2, radices: vec![tile_sublanes] },
            Stage::Linearise { at: 0, count: 3, sums: vec![(0, vec![LANES, 1, LANES * packing])] },
            Stage::Delinearise { at: 0, radices: vec![columns] },
        ];
        // Column and row in the tile, the number of the tile, and the registers from the last dim to the first.
        let width = 3 + self.registers.len();
        let sums = (0..self.registers.len()).map(|dim| {
            let mut strides = vec![0; width];
            let mut set = |at: usize, stride: i64| {
                if let Some(slot) = strides.get_mut(at) {
                    *slot = stride;
                }
            };
            let register = width - 1 - dim;
            let offset = match (dim.checked_sub(leading), self.layout.offsets) {
                (None, _) => {
                    set(register, 1);
                    0
                }
                (Some(0), [Some(offset), _]) => {
                    set(1, 1);
                    set(register, rows);
                    offset
                }
                (Some(1), [_, Some(offset)]) => {
                    set(0, 1);
                    set(2, columns);
                    set(register, columns * tiles);
                    offset
                }
                _ => 0,
            };
            (-offset, strides)
        });
        stages.push(Stage::Linearise { at: 0, count: width, sums: sums.collect() });
        let own = self.own_dims();
        let is_repeated = |at: usize| {
            let of_plane = at.checked_sub(leading).and_then(|at| self.layout.offsets.get(at));
            of_plane.is_some_and(Option::is_none)
        };
        let mut axes = Vec::new();
        for (at, dim) in own.iter().enumerate() {
            let extent = dim.and_then(|dim| self.dims.get(dim)).copied().unwrap_or(1);
            let extent = if is_repeated(at) { extent.min(1) } else { extent };
            stages.push(Stage::Guard { at, extent });
            if let Some(dim) = dim {
                axes.push(Axis::dim(*dim, extent));
            }
        }
        let kept = own.iter().enumerate().filter(|(_, dim)| dim.is_some());
        let sums = kept.map(|(at, _)| (0, (0..own.len()).map(|other| i64::from(other == at)).collect()));
        stages.push(Stage::Linearise { at: 0, count: own.len(), sums: sums.collect() });
        Ok(Map::new(places, stages, axes, Direction::ToIndex)?.numbered(Order::RowMajor))
    }
}
