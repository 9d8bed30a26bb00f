//! [`Walk`]: the offsets of a shared memory that go over a tensor dim by dim.

use super::super::Sizes;

/// An order of the dims, the fastest first, and the shape.
pub(super) struct Walk {
    pub(super) order: Sizes,
    pub(super) shape: Sizes,
}

impl Walk {
    /// The walk that some offsets are, if they are one: the dims in the order in which the bases move along them, and
    /// last those without a basis, from the last to the first.
    pub(super) fn of(offset: &[Sizes], rank: usize) -> Self {
        let moved = offset.iter().filter_map(|basis| basis.iter().position(|value| *value != 0));
        let mut order: Vec<usize> = Vec::new();
        for dim in moved.chain((0..rank).rev()) {
            if !order.contains(&dim) {
                order.push(dim);
            }
        }
        let reach = |dim: usize| offset.iter().filter_map(|basis| basis.get(dim)).max().copied().unwrap_or(0);
        let size = |dim| reach(dim).checked_add(1).and_then(|n| u64::try_from(n).ok()?.checked_next_power_of_two());
        Walk {
            order: order.iter().map(|dim| i64::try_from(*dim).unwrap_or(i64::MAX)).collect(),
            shape: (0..rank).map(|dim| size(dim).and_then(|n| i64::try_from(n).ok()).unwrap_or(0)).collect(),
        }
    }

    /// The bases of the walk; `None` when the order is no permutation of the dims or a size no power of two.
    pub(super) fn bases(&self) -> Option<Vec<Sizes>> {
        let rank = self.shape.len();
        let mut order = Vec::new();
        for dim in self.order.iter() {
            order.push(usize::try_from(*dim).ok().filter(|dim| *dim < rank && !order.contains(dim))?);
        }
        let mut bases = Vec::new();
        for dim in order.iter().copied() {
            let size = u64::try_from(*self.shape.get(dim)?).ok().filter(|size| size.is_power_of_two())?;
            let along = |bit: u32| (0..rank).map(|at| if at == dim { 1i64 << bit } else { 0 }).collect();
            bases.extend((0..size.trailing_zeros()).map(along));
        }
        (order.len() == rank).then_some(bases)
    }
}
