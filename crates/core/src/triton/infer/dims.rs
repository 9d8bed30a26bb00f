//! One dim more or less, dims of extent 1 that grow, and elements that are picked or put one after the other.

use crate::cast;
use crate::error::{Code, Error};
use crate::linear::LinearLayout;
use crate::triton::{Encoding, Slice};

impl Encoding {
    /// The encoding after a dim is reduced away: a slice of this one along that dim. Backward, from the result of
    /// `expand_dims` along that dim to its operand, it is the same.
    ///
    /// # Errors
    /// [`Code::SliceDim`] for a dim that it does not have; [`Code::NoLayout`] for rank 1, of which a scalar is left;
    /// [`Code::Kind`] for memory.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let mma: Encoding = "#ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[2,2], instrShape=[16,8]}>".parse()?;
    /// let reduced = mma.infer_reduce(1)?;
    /// assert_eq!(reduced.infer_expand_dims(1)?, mma);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn infer_reduce(&self, dim: i64) -> Result<Encoding, Error> {
        self.distributed("a reduce")?;
        let rank = cast::length(self.rank().unwrap_or(0));
        if !(0..rank).contains(&dim) {
            return Err(error!(
                Code::SliceDim,
                "dim {dim} of an encoding of rank {rank} is to be reduced",
                [dim, rank]
            )
            .with_help(format!("dims go from 0 to {}", rank - 1)));
        }
        if rank == 1 {
            return Err(Error::new(Code::NoLayout, "of one dim a reduce leaves a scalar, which has no layout"));
        }
        Ok(Encoding::Slice(Slice { dim, parent: Box::new(self.clone()) }))
    }

    /// The encoding after a dim of extent 1 is inserted before the dim of that number: the parent of a slice along it.
    /// Backward, from the result of a reduce along that dim to its operand, it is the same.
    ///
    /// # Errors
    /// [`Code::SliceDim`] for a slice along another dim; [`Code::Kind`] for what is no slice.
    pub fn infer_expand_dims(&self, dim: i64) -> Result<Encoding, Error> {
        let Encoding::Slice(slice) = self else {
            return Err(error!(
                Code::Kind,
                "expand_dims takes a #ttg.slice, and this is {encoding}",
                [encoding = self]
            )
            .with_help("convert the operand to a slice of the result first"));
        };
        if slice.dim != dim {
            return Err(error!(
                Code::SliceDim,
                "the operand is a slice along dim {slice_dim}, and dim {dim} is to be inserted",
                [slice_dim = slice.dim, dim]
            ));
        }
        Ok((*slice.parent).clone())
    }

    /// The encoding after dims of extent 1 are repeated: the same. So it is backward. Triton accepts any other that lays out the
    /// tensor before the broadcast in the same way.
    ///
    /// # Errors
    /// [`Code::RankMismatch`]; [`Code::Range`] where an extent other than 1 changes; [`Code::Kind`] for memory.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let blocked: Encoding =
    ///     "#ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[1,32], warpsPerCTA=[4,1], order=[1,0]}>".parse()?;
    /// assert!(blocked.infer_broadcast(&[1, 64], &[32, 64]).is_ok());
    /// assert!(blocked.infer_broadcast(&[2, 64], &[32, 64]).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn infer_broadcast(&self, from: &[i64], to: &[i64]) -> Result<Encoding, Error> {
        self.distributed("a broadcast")?;
        self.of_rank(from)?;
        self.of_rank(to)?;
        let grown = from.iter().zip(to).position(|(had, has)| *had != 1 && had != has);
        if let Some((dim, (had, has))) = grown.and_then(|dim| Some((dim, from.get(dim).zip(to.get(dim))?))) {
            return Err(error!(
                Code::Range,
                "dim {dim} has {had} elements before the broadcast and {has} after it",
                [dim, had, has]
            )
            .with_help("only dims of extent 1 are repeated"));
        }
        Ok(self.clone())
    }

    /// The encoding of elements that indices pick along a dim: that of the indices, which is this one. So it is backward.
    ///
    /// # Errors
    /// [`Code::RankMismatch`], [`Code::SliceDim`]; [`Code::Range`] where source and indices differ along another dim;
    /// [`Code::Kind`] for memory.
    pub fn infer_gather(&self, indices: &[i64], source: &[i64], dim: i64) -> Result<Encoding, Error> {
        self.distributed("a gather")?;
        self.of_rank(indices)?;
        self.of_rank(source)?;
        let along = usize::try_from(dim).ok().filter(|dim| *dim < source.len()).ok_or_else(|| {
            error!(
                Code::SliceDim,
                "elements are gathered along dim {dim} of a source of rank {source_count}",
                [dim, source_count = source.len()]
            )
        })?;
        let pairs = indices.iter().zip(source).enumerate();
        if let Some((dim, (own, other))) = pairs.into_iter().find(|(at, (own, other))| *at != along && own != other) {
            return Err(error!(
                Code::Range,
                "the indices have {own} elements along dim {dim}, the source has {other}",
                [own, dim, other]
            )
            .with_help("they may differ only along the dim of the gather"));
        }
        Ok(self.clone())
    }

    /// Whether a tensor of this encoding and shape can be two of another one after the other: a thread has twice as many
    /// registers that are not copies. No encoding is inferred, as the elements may be put in any order.
    ///
    /// # Errors
    /// As [`Encoding::to_linear`].
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let one: Encoding = "#ttg.blocked<{sizePerThread=[1], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>".parse()?;
    /// assert!(one.is_legal_cat(&[64], &one, &[32])?);
    /// assert!(!one.is_legal_cat(&[32], &one, &[16])?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_legal_cat(&self, shape: &[i64], operand: &Encoding, operand_shape: &[i64]) -> Result<bool, Error> {
        self.distributed("a cat")?;
        operand.distributed("a cat")?;
        let (result, operand) = (self.to_linear(shape)?, operand.to_linear(operand_shape)?);
        Ok(registers(&result)? == registers(&operand)? + 1)
    }
}

/// The bits of the register number that are not copies of other registers of the thread.
fn registers(layout: &LinearLayout) -> Result<usize, Error> {
    Ok(layout.action_remove_broadcasted_regs()?.picks().len())
}
