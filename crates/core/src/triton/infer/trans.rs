//! The encoding of a transpose. Law: a place holds the element `(x[order[0]], x[order[1]], …)` where it held `x`.

use super::{permuted, permuted_bases, permuted_cga};
use crate::cast;
use crate::error::{Code, Error};
use crate::triton::{Blocked, Encoding, NvmmaShared, PaddedShared, PartitionedShared, Phase, Sizes, SwizzledShared};

impl Encoding {
    /// The encoding of a tensor of a shape after its dims are put into another order: dim `k` of the result is dim
    /// `order[k]` of the operand. Backward, from the result to the operand, it is the same with the inverse order.
    ///
    /// Blocked, swizzled and NVMMA layouts keep their kind where it can say the result. Others become linear, in memory
    /// `#ttg.shared_linear`.
    ///
    /// # Errors
    /// [`Code::OrderNotPermutation`], [`Code::RankMismatch`]; [`Code::Kind`] for tensor memory; what
    /// [`Encoding::to_linear`] refuses, where the result is linear.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let blocked: Encoding =
    ///     "#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>".parse()?;
    /// assert_eq!(
    ///     blocked.infer_trans(&[16, 64], &[1, 0])?.to_string(),
    ///     "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [0, 1]}>"
    /// );
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn infer_trans(&self, shape: &[i64], order: &[usize]) -> Result<Encoding, Error> {
        crate::linear::permutation(order, order.len())?;
        if shape.len() != order.len() {
            return Err(error!(
                Code::RankMismatch,
                "an order of {order_count} dims for the shape {shape:?} of rank {rank}",
                [order_count = order.len(), shape, rank = shape.len()]
            ));
        }
        self.of_rank(shape)?;
        if order.iter().enumerate().all(|(dim, from)| dim == *from) {
            return Ok(self.clone());
        }
        match self {
            Encoding::Blocked(blocked) => Ok(Encoding::Blocked(Blocked {
                size_per_thread: permuted(&blocked.size_per_thread, order),
                threads_per_warp: permuted(&blocked.threads_per_warp, order),
                warps_per_cta: permuted(&blocked.warps_per_cta, order),
                order: renamed(&blocked.order, order),
                cga: permuted_cga(&blocked.cga, order),
            })),
            Encoding::SwizzledShared(shared) if shared.phase == Phase::Row => {
                Ok(Encoding::SwizzledShared(SwizzledShared {
                    order: renamed(&shared.order, order),
                    cga: permuted_cga(&shared.cga, order),
                    ..shared.clone()
                }))
            }
            Encoding::NvmmaShared(shared) if order == [1, 0] => Ok(Encoding::NvmmaShared(NvmmaShared {
                transposed: !shared.transposed,
                cga: permuted_cga(&shared.cga, order),
                ..shared.clone()
            })),
            Encoding::PaddedShared(padded) => Ok(Encoding::PaddedShared(PaddedShared {
                offset: permuted_bases(&padded.offset, order),
                block: permuted_bases(&padded.block, order),
                ..padded.clone()
            })),
            Encoding::PartitionedShared(whole) => {
                let pieces = whole.partitions.checked_mul(whole.groups).filter(|pieces| *pieces > 0);
                let dim = usize::try_from(whole.dim).ok();
                let cut = shape.iter().enumerate().map(|(at, size)| match pieces {
                    Some(pieces) if Some(at) == dim => size / pieces,
                    _ => *size,
                });
                let piece = whole.piece.infer_trans(&cut.collect::<Vec<_>>(), order)?;
                let dim = order.iter().position(|from| Some(*from) == dim).map_or(whole.dim, cast::length);
                Ok(Encoding::PartitionedShared(PartitionedShared { dim, piece: Box::new(piece), ..whole.clone() }))
            }
            encoding => {
                let layout = encoding.to_linear(shape)?.tensor_transpose(order)?;
                encoding.with_bases(&layout)
            }
        }
    }
}

/// A list of dims under the numbers that they have after a transpose.
fn renamed(dims: &Sizes, order: &[usize]) -> Sizes {
    let number = |dim: &i64| {
        let old = usize::try_from(*dim).ok();
        order.iter().position(|from| Some(*from) == old).map_or(*dim, cast::length)
    };
    dims.iter().map(number).collect()
}
