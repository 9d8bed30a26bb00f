//! Lowers memory as Triton's types describe it: buffers one after the other, padding between intervals, and parts of an
//! allocation.
//!
//! The map leads from places to elements. Padding, and places of the allocation outside of the shape, lead to no
//! element.

use super::super::{Axis, Direction, Map, Order, Stage};
use crate::error::Error;
use crate::linear::LinearLayout;
use crate::triton::MemDesc;

impl Map {
    /// The map of a piece of memory.
    ///
    /// # Errors
    /// As [`MemDesc::size`]; [`Code::TooLarge`](crate::Code::TooLarge) for more than 63 bits in one dim.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride::triton::MemDesc;
    /// let padded = "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>".parse()?;
    /// let map = Map::of_memdesc(&MemDesc::new(padded, &[64, 64], None)?)?;
    /// assert_eq!((map.at(&[73, 0])?, map.at(&[70, 0])?), (Some(vec![1, 1]), None));
    /// assert_eq!(map.inverse()?.at(&[1, 1])?, Some(vec![73, 0]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_memdesc(memory: &MemDesc) -> Result<Map, Error> {
        let buffer = memory.buffer()?;
        let one = Map::of_linear(&buffer)?;
        let mut domain = one.domain().to_vec();
        let mut stages = Vec::new();
        let mut leading = 0;
        if let Some(at) = position(&buffer)
            && let Some(axis) = domain.get_mut(at)
        {
            let places = axis.extent;
            axis.extent = memory.size()?;
            if memory.buffers().is_some() {
                leading = 1;
                stages.push(Stage::Delinearise { at, radices: vec![memory.stride()?] });
            }
            if let Some(padding) = memory.encoding().padding() {
                unpad(at, places, &padding.levels(places)?, &mut stages);
            }
            if leading > 0 {
                let count = domain.len() + 1;
                stages.push(Stage::Permute(
                    [at + 1].into_iter().chain((0..count).filter(|own| *own != at + 1)).collect(),
                ));
            }
        }
        stages.extend(one.stages().iter().map(|stage| moved(stage, leading)));
        let parts = memory.shape().iter().zip(memory.allocation()).enumerate().filter(|(_, (size, all))| size < all);
        stages.extend(parts.map(|(at, (size, _))| Stage::Guard { at, extent: *size }));
        let codomain = memory.shape().iter().enumerate().map(|(dim, size)| Axis::dim(dim, *size)).collect();
        Ok(Map::new(domain, stages, codomain, Direction::ToIndex)?.numbered(Order::RowMajor))
    }
}

/// The position of the axis of places among the in dims.
fn position(buffer: &LinearLayout) -> Option<usize> {
    let axis = MemDesc::axis(buffer)?;
    buffer.ins().iter().position(|dim| dim.name == axis.name)
}

/// From a padded offset to the one before padding: an interval of each level and what is within the shortest, each of which
/// ends where its padding begins.
fn unpad(at: usize, places: i64, levels: &[(i64, i64)], stages: &mut Vec<Stage>) {
    let Some(((shortest, _), _)) = levels.split_first() else {
        // Padding after the last element lies outside.
        return stages.push(Stage::Guard { at, extent: places });
    };
    for (_, apart) in levels.iter().rev() {
        stages.push(Stage::Delinearise { at, radices: vec![*apart] });
    }
    let intervals: Vec<i64> = levels.iter().map(|(interval, _)| *interval).collect();
    let ends = intervals.iter().skip(1).copied().chain([places]);
    stages.push(Stage::Guard { at, extent: *shortest });
    for (number, (interval, end)) in intervals.iter().zip(ends).enumerate() {
        stages.push(Stage::Guard { at: at + 1 + number, extent: end / interval });
    }
    let strides = [1].into_iter().chain(intervals.iter().copied()).collect();
    stages.push(Stage::Linearise { at, count: intervals.len() + 1, sums: vec![(0, strides)] });
}

/// A stage of the layout of a buffer, whose integers follow the number of the buffer.
fn moved(stage: &Stage, by: usize) -> Stage {
    match stage {
        Stage::Xor { at, ins, outs, columns, flip } => {
            Stage::Xor { at: at + by, ins: ins.clone(), outs: outs.clone(), columns: columns.clone(), flip: *flip }
        }
        Stage::Permute(order) => Stage::Permute((0..by).chain(order.iter().map(|at| at + by)).collect()),
        Stage::Delinearise { at, radices } => Stage::Delinearise { at: at + by, radices: radices.clone() },
        Stage::Linearise { at, count, sums } => Stage::Linearise { at: at + by, count: *count, sums: sums.clone() },
        Stage::Guard { at, extent } => Stage::Guard { at: at + by, extent: *extent },
    }
}
