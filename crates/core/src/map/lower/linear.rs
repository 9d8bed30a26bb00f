//! Lowers linear layouts: one XOR stage. Dims keep their names; tensor dims are in the order of their numbers.

use super::super::{Axis, Direction, Map, Order, Stage, Unit};
use crate::basis::Path;
use crate::error::Error;
use crate::linear::{Dim, LinearLayout, Name};

impl Map {
    /// The map of a linear layout.
    ///
    /// # Errors
    /// [`Code::TooLarge`](crate::Code::TooLarge) for more than 63 bits in one dim.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_lang::evaluate;
    /// let answer = evaluate("linear<{register=[[0,1]], lane=[[1,0]]}, out=[dim0:2, dim1:2]>")?;
    /// assert_eq!(Map::of_linear(&answer.value.as_linear()?)?.at(&[1, 0])?, Some(vec![0, 1]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_linear(layout: &LinearLayout) -> Result<Map, Error> {
        let axes = |dims: &[Dim]| dims.iter().map(axis_of).collect::<Vec<_>>();
        let bits = |dims: &[Dim]| dims.iter().map(|dim| dim.bits).collect::<Vec<_>>();
        let (domain, outs) = (axes(layout.ins()), axes(layout.outs()));
        let mut order: Vec<usize> = (0..outs.len()).collect();
        order.sort_by_key(|at| path(outs.get(*at)));
        let columns = layout.columns().to_vec();
        let mut stages =
            vec![Stage::Xor { at: 0, ins: bits(layout.ins()), outs: bits(layout.outs()), columns, flip: 0 }];
        let codomain = order.iter().filter_map(|at| outs.get(*at).copied()).collect();
        if !order.is_sorted() {
            stages.push(Stage::Permute(order));
        }
        let direction = match domain.iter().all(|axis: &Axis| axis.unit == Unit::Index) {
            true => Direction::ToPlace,
            false => Direction::ToIndex,
        };
        Ok(Map::new(domain, stages, codomain, direction)?.numbered(Order::RowMajor))
    }
}

/// The numbers in the name of a dim of a tensor; other names stay where they are.
fn path(axis: Option<&Axis>) -> Option<Path> {
    axis.and_then(|axis| axis.name.path())
}

pub(super) fn axis_of(dim: &Dim) -> Axis {
    let unit = match dim.name {
        Name::OFFSET => Unit::Element,
        name if name.as_str().starts_with("dim") => Unit::Index,
        _ => Unit::Part,
    };
    Axis { name: dim.name, extent: dim.size(), unit }
}
