//! Two tensors side by side in a new last dim, and back.
//!
//! Laws: in the joined tensor a thread holds `(x, 0)` and `(x, 1)` where it held `x` of both; a split undoes it.

use super::Sizes;
use crate::cast;
use crate::error::{Code, Error};
use crate::linear::{LinearLayout, Name};
use crate::triton::{Blocked, Cga, Encoding};

impl Encoding {
    /// The encoding of two tensors of a shape joined in a new last dim of extent 2. Backward, from the results of a split to
    /// its operand, it is the same.
    ///
    /// Other encodings may be right too; of a joined encoding only one encoding of the operands is, see
    /// [`Encoding::infer_split`].
    ///
    /// # Errors
    /// [`Code::RankMismatch`], [`Code::Kind`] for memory; what [`Encoding::to_linear`] refuses.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let blocked: Encoding = "#ttg.blocked<{sizePerThread=[4], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>".parse()?;
    /// let joined = blocked.infer_join(&[128])?;
    /// assert_eq!(
    ///     joined.to_string(),
    ///     "#ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>"
    /// );
    /// assert_eq!(joined.infer_split(&[128, 2])?, blocked);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn infer_join(&self, shape: &[i64]) -> Result<Encoding, Error> {
        self.distributed("a join")?;
        self.of_rank(shape)?;
        let joined: Vec<i64> = shape.iter().copied().chain([2]).collect();
        match self {
            Encoding::Slice(slice) if slice.dim == cast::length(shape.len()) => {
                // The parent itself, where it splits into this slice but for registers that are copies.
                if let Ok(split) = slice.parent.infer_split(&joined)
                    && without_copies(&split.to_linear(shape)?)? == without_copies(&self.to_linear(shape)?)?
                {
                    return Ok((*slice.parent).clone());
                }
            }
            Encoding::Blocked(blocked) => {
                blocked.order()?;
                let more = |sizes: &Sizes, last: i64| sizes.iter().copied().chain([last]).collect();
                let new = cast::length(blocked.order.len());
                return Ok(Encoding::Blocked(Blocked {
                    size_per_thread: more(&blocked.size_per_thread, 2),
                    threads_per_warp: more(&blocked.threads_per_warp, 1),
                    warps_per_cta: more(&blocked.warps_per_cta, 1),
                    order: [new].into_iter().chain(blocked.order.iter().copied()).collect(),
                    cga: Cga { bases: blocked.cga.bases.iter().map(|basis| more(basis, 0)).collect() },
                }));
            }
            _ => {}
        }
        let single: Vec<i64> = shape.iter().copied().chain([1]).collect();
        let layout = self.to_linear(shape)?.tensor_reshape(&single)?;
        let pair = LinearLayout::identity(2, Name::REGISTER, Name::dim(shape.len()))?;
        let layout = pair.product(&layout)?.transpose_outs(&dims(joined.len()))?;
        self.with_bases(&layout)
    }

    /// The encoding of the two halves of a tensor of a shape whose last dim has extent 2. Backward, from the result of a join to
    /// its operands, it is the same.
    ///
    /// Registers that are copies may be more or fewer in the results: `tt.split` takes any encoding that is the same but for
    /// them.
    ///
    /// # Errors
    /// [`Code::Range`] where the last dim has not extent 2; [`Code::NoLayout`] where a thread does not hold both halves of an
    /// element in two registers; [`Code::RankMismatch`], [`Code::Kind`] for memory; what [`Encoding::to_linear`] refuses.
    pub fn infer_split(&self, shape: &[i64]) -> Result<Encoding, Error> {
        self.distributed("a split")?;
        self.of_rank(shape)?;
        let Some((2, halves)) = shape.split_last() else {
            return Err(error!(Code::Range, "a tensor of shape {shape:?} is to be split", [shape])
                .with_help("its last dim has extent 2"));
        };
        if let Encoding::Blocked(blocked) = self
            && let Some(split) = split(blocked)?
        {
            return Ok(Encoding::Blocked(split));
        }
        let layout = self.to_linear(shape)?;
        let axis = halves.len();
        let (mut bases, mut found) = (Vec::new(), false);
        for (dim, columns) in layout.by_in_dim() {
            let mut kept = Vec::new();
            for column in columns {
                let mut basis = layout.unpack(*column).to_vec();
                let last = basis.pop().unwrap_or(0);
                match (last, dim.name == Name::REGISTER) {
                    (0, _) => kept.push(basis),
                    (_, true) if basis.iter().all(|value| *value == 0) && !found => found = true,
                    _ => return Err(apart(axis)),
                }
            }
            bases.push((dim.name, kept));
        }
        if !found {
            return Err(apart(axis));
        }
        let outs: Vec<(Name, i64)> = halves.iter().enumerate().map(|(at, size)| (Name::dim(at), *size)).collect();
        self.with_bases(&LinearLayout::from_bases(&bases, &outs)?)
    }
}

/// A thread does not hold both halves.
fn apart(axis: usize) -> Error {
    error!(
        Code::NoLayout,
        "no register bit moves along dim {axis} alone, so that a thread does not hold both halves",
        [axis]
    )
    .with_help("convert the operand to a layout with two elements of the last dim in each thread")
}

/// A blocked encoding without its last dim, along which two registers lie and nothing else.
fn split(blocked: &Blocked) -> Result<Option<Blocked>, Error> {
    blocked.order()?;
    let last = |sizes: &Sizes| sizes.iter().copied().last();
    let is_simple = last(&blocked.size_per_thread) == Some(2)
        && last(&blocked.threads_per_warp) == Some(1)
        && last(&blocked.warps_per_cta) == Some(1)
        && blocked.cga.bases.iter().all(|basis| last(basis) == Some(0));
    if !is_simple {
        return Ok(None);
    }
    let rank = blocked.order.len() - 1;
    let less = |sizes: &Sizes| sizes.iter().copied().take(rank).collect();
    Ok(Some(Blocked {
        size_per_thread: less(&blocked.size_per_thread),
        threads_per_warp: less(&blocked.threads_per_warp),
        warps_per_cta: less(&blocked.warps_per_cta),
        order: blocked.order.iter().copied().filter(|dim| *dim != cast::length(rank)).collect(),
        cga: Cga { bases: blocked.cga.bases.iter().map(less).collect() },
    }))
}

/// A layout without registers that hold what register 0 holds.
fn without_copies(layout: &LinearLayout) -> Result<LinearLayout, Error> {
    layout.remove_zero_bases_along_dim(Name::REGISTER)
}

fn dims(rank: usize) -> Vec<Name> {
    (0..rank).map(Name::dim).collect()
}
