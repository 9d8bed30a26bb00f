//! Lowers tiled arrays of XLA. Each tile merges dims by a linearise stage and cuts them by delinearise stages. The last
//! linearise stage computes the offset.

use super::super::{Axis, Direction, Map, Order, Stage};
use crate::error::Error;
use crate::xla::{Array, Cut, Image};

impl Map {
    /// The map of an array into its memory, in elements.
    ///
    /// # Errors
    /// As [`Image::of`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_array(&"f32[3,5]{1,0:T(2,2)}".parse()?)?;
    /// assert_eq!(map.at(&[2, 3])?, Some(vec![17]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_array(array: &Array) -> Result<Map, Error> {
        let image = Image::of(array)?;
        let axes = image.dims().iter().enumerate().map(|(dim, extent)| Axis::dim(dim, *extent)).collect();
        let mut stages = vec![Stage::Permute(image.order().to_vec())];
        for step in image.steps() {
            // Dims that the tile adds are 1 long: linearising nothing gives 0.
            stages.push(Stage::Linearise { at: step.kept, count: 0, sums: vec![(0, Vec::new()); step.ones] });
            for (number, cut) in step.cuts.iter().enumerate() {
                tile(cut, step.kept + 2 * number, &mut stages);
            }
            // Dims that stay, then the grids of the tile, then the insides.
            let cuts = step.cuts.len();
            let pairs = |which: usize| (0..cuts).map(move |number| step.kept + 2 * number + which);
            stages.push(Stage::Permute((0..step.kept).chain(pairs(1)).chain(pairs(0)).collect()));
        }
        let strides = image.strides().to_vec();
        stages.push(Stage::Linearise { at: 0, count: strides.len(), sums: vec![(0, strides)] });
        Ok(Map::new(axes, stages, vec![Axis::offset(image.size())], Direction::ToPlace)?.numbered(Order::RowMajor))
    }
}

/// Merges neighbours and cuts them into the inside of a tile and the grid.
fn tile(cut: &Cut, at: usize, stages: &mut Vec<Stage>) {
    if cut.merged.len() > 1 {
        let mut strides = vec![1i64; cut.merged.len()];
        let mut stride = 1i64;
        for (place, extent) in strides.iter_mut().zip(cut.merged.iter()).rev() {
            // Their product is an extent, which fits, or there are no elements.
            (*place, stride) = (stride, stride.saturating_mul(*extent));
        }
        stages.push(Stage::Linearise { at, count: strides.len(), sums: vec![(0, strides)] });
    }
    stages.push(Stage::Delinearise { at, radices: vec![cut.tile] });
}
