//! [`Blocked`]: each lane holds a small box, the lanes of a warp tile boxes, the warps tile those.

use super::fit::Fit;
use super::sizes::{logs, order, same_rank};
use super::tile::{Place, Tile};
use super::trace::EncodingStep;
use super::{Cga, Sizes};
use crate::error::Error;
use crate::linear::LinearLayout;
use crate::small::Small;
use crate::trace::Trace;

/// `#ttg.blocked<{sizePerThread, threadsPerWarp, warpsPerCTA, order, CGALayout}>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Blocked {
    /// The box of elements of one lane.
    pub size_per_thread: Sizes,
    /// How the lanes of a warp are arranged.
    pub threads_per_warp: Sizes,
    /// How the warps of a block are arranged.
    pub warps_per_cta: Sizes,
    /// The dims, the fastest first.
    pub order: Sizes,
    /// The blocks of a cluster.
    pub cga: Cga,
}

impl Blocked {
    /// The linear layout for a shape: registers over `size_per_thread`, lanes and warps after them, each going on in
    /// each dim where the one before ended, the dims in `order`; fitted to the shape, registers beyond it dropped.
    ///
    /// # Errors
    /// [`Code::RankMismatch`](crate::Code::RankMismatch),
    /// [`Code::OrderNotPermutation`](crate::Code::OrderNotPermutation),
    /// [`Code::SizeNotPowerOfTwo`](crate::Code::SizeNotPowerOfTwo).
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.lower(shape, &mut ())
    }

    pub(super) fn lower(&self, shape: &[i64], trace: &mut impl Trace<EncodingStep>) -> Result<LinearLayout, Error> {
        let order = self.order()?;
        same_rank(order.len(), shape)?;
        let mut tile = Tile::new(order.len(), trace);
        for (place, bits) in self.places()? {
            for dim in &order {
                tile.grow(place, *dim, bits.get(*dim).copied().unwrap_or(0));
            }
        }
        tile.fit(shape, &order, &self.cga, Fit::Drop)
    }

    /// The dims, the fastest first.
    pub(super) fn order(&self) -> Result<Small<usize, 4>, Error> {
        order(&self.order, self.order.len())
    }

    /// The three parameters as bits.
    pub(super) fn places(&self) -> Result<[(Place, Small<u32, 4>); 3], Error> {
        let rank = self.order.len();
        Ok([
            (Place::Register, logs("sizePerThread", &self.size_per_thread, rank)?),
            (Place::Lane, logs("threadsPerWarp", &self.threads_per_warp, rank)?),
            (Place::Warp, logs("warpsPerCTA", &self.warps_per_cta, rank)?),
        ])
    }
}
