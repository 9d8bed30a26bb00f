//! Lowers strided arrays of NumPy and PyTorch: a shape, a stride for each axis, and the offset of the first element.

use super::super::{Axis, Direction, Map, Order, Stage};
use crate::error::{Code, Error};

impl Map {
    /// The map of a strided array. Strides and offset are counted in places; a stride may be 0 or negative. The memory ends
    /// with the farthest element; as in NumPy, elements may lie before place 0, where the first one is.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when there is not one stride for each axis; [`Code::Range`] for a negative extent;
    /// [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let reversed = Map::of_strides(&[3, 4], &[4, -1], 3)?;
    /// assert_eq!(reversed.at(&[1, 3])?, Some(vec![4]));
    /// assert_eq!(reversed.to_strides()?, (3, vec![4, -1]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_strides(shape: &[i64], strides: &[i64], offset: i64) -> Result<Map, Error> {
        if shape.len() != strides.len() {
            return Err(Error::lengths(["strides", "axes"], strides.len(), shape.len()));
        }
        if let Some(extent) = shape.iter().find(|extent| **extent < 0) {
            return Err(error!(Code::Range, "{extent} is no extent of an axis", [extent]));
        }
        let (mut least, mut most) = (i128::from(offset), i128::from(offset));
        for (extent, stride) in shape.iter().zip(strides) {
            let span = i128::from((*extent).max(1) - 1) * i128::from(*stride);
            least = least.saturating_add(span.min(0));
            most = most.saturating_add(span.max(0));
        }
        let size = if shape.contains(&0) { 0 } else { most.saturating_add(1).max(0) };
        let size = i64::try_from(size).map_err(|_| Error::overflow("the memory of a strided array"))?;
        let axes = shape.iter().enumerate().map(|(dim, extent)| Axis::dim(dim, *extent)).collect();
        let join = Stage::Linearise { at: 0, count: shape.len(), sums: vec![(offset, strides.to_vec())] };
        let map = Map::new(axes, vec![join], vec![Axis::offset(size)], Direction::ToPlace)?.numbered(Order::RowMajor);
        Ok(if least < 0 { map.with_bounds_only() } else { map })
    }
}
