//! Pairs of 4-bit floats in bytes, as tensors of wider floats along one dim, and back.
//!
//! Law: a thread that holds byte `x` along the dim holds the elements `2x` and `2x + 1` of the result, in two registers side by
//! side; backward undoes it.

use super::Sizes;
use crate::error::{Code, Error};
use crate::linear::{LinearLayout, Name};
use crate::triton::{Blocked, DotOperand, Encoding};

impl Encoding {
    /// The encoding of the floats of a tensor of bytes, two along a dim for each byte (`ttg.fp4_to_fp`).
    ///
    /// A blocked encoding stays one, and so does the operand of a dot, where that lays out the same; else bases are given.
    ///
    /// # Errors
    /// [`Code::SliceDim`] for a dim that it does not have; [`Code::RankMismatch`], [`Code::Kind`] for memory; what
    /// [`Encoding::to_linear`] refuses.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let bytes: Encoding = "#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>".parse()?;
    /// let floats = bytes.infer_fp4_to_fp(&[16, 32], 1)?;
    /// assert_eq!(
    ///     floats.to_string(),
    ///     "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>"
    /// );
    /// assert_eq!(floats.infer_fp_to_fp4(&[16, 64], 1)?, bytes);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn infer_fp4_to_fp(&self, shape: &[i64], dim: i64) -> Result<Encoding, Error> {
        self.distributed("a conversion from fp4")?;
        self.of_rank(shape)?;
        let axis = axis(shape, dim)?;
        let pair = LinearLayout::identity(2, Name::REGISTER, Name::dim(axis))?;
        let names: Vec<Name> = (0..shape.len()).map(Name::dim).collect();
        let layout = pair.product(&self.to_linear(shape)?)?.transpose_outs(&names)?;
        let doubled: Vec<i64> = resized(shape, axis, |size| size.checked_mul(2))?;
        self.kept(axis, &doubled, &layout, |size| size.checked_mul(2))
    }

    /// The encoding of the bytes that hold a tensor of floats, two along a dim in each: that of the operand of `ttg.fp4_to_fp`.
    ///
    /// # Errors
    /// [`Code::NoLayout`] where a thread does not hold both floats of a byte in two registers; [`Code::Range`] where the extent
    /// is odd; else as [`Encoding::infer_fp4_to_fp`].
    pub fn infer_fp_to_fp4(&self, shape: &[i64], dim: i64) -> Result<Encoding, Error> {
        self.distributed("a conversion from fp4")?;
        self.of_rank(shape)?;
        let axis = axis(shape, dim)?;
        let halved: Vec<i64> = resized(shape, axis, |size| (size % 2 == 0).then_some(size / 2))?;
        let layout = self.to_linear(shape)?;
        let (mut bases, mut found) = (Vec::new(), false);
        for (in_dim, columns) in layout.by_in_dim() {
            let mut kept = Vec::new();
            for column in columns {
                let mut basis = layout.unpack(*column).to_vec();
                let is_alone = basis.iter().enumerate().all(|(at, value)| at == axis || *value == 0);
                match basis.get_mut(axis) {
                    Some(value) if *value % 2 == 0 => {
                        *value /= 2;
                        kept.push(basis);
                    }
                    Some(1) if in_dim.name == Name::REGISTER && is_alone && !found => found = true,
                    _ => return Err(apart(axis)),
                }
            }
            bases.push((in_dim.name, kept));
        }
        if !found {
            return Err(apart(axis));
        }
        let outs: Vec<(Name, i64)> = halved.iter().enumerate().map(|(at, size)| (Name::dim(at), *size)).collect();
        let layout = LinearLayout::from_bases(&bases, &outs)?;
        self.kept(axis, &halved, &layout, |size| (size % 2 == 0).then_some(size / 2))
    }

    /// An encoding of the kind of this one with other neighbours along a dim, where it lays out as is given; else bases.
    fn kept(
        &self,
        axis: usize,
        shape: &[i64],
        layout: &LinearLayout,
        resize: impl Fn(i64) -> Option<i64>,
    ) -> Result<Encoding, Error> {
        let same_kind = match self {
            Encoding::Blocked(blocked) => blocked.size_per_thread.get(axis).copied().and_then(resize).map(|size| {
                let mut size_per_thread: Sizes = blocked.size_per_thread.clone();
                if let Some(entry) = size_per_thread.get_mut(axis) {
                    *entry = size;
                }
                Encoding::Blocked(Blocked { size_per_thread, ..blocked.clone() })
            }),
            Encoding::DotOperand(dot) => {
                resize(dot.k_width).map(|k_width| Encoding::DotOperand(DotOperand { k_width, ..dot.clone() }))
            }
            _ => None,
        };
        match same_kind {
            Some(encoding) if encoding.to_linear(shape).as_ref() == Ok(layout) => Ok(encoding),
            _ => self.with_bases(layout),
        }
    }
}

/// The number of a dim of a shape.
fn axis(shape: &[i64], dim: i64) -> Result<usize, Error> {
    usize::try_from(dim).ok().filter(|dim| *dim < shape.len()).ok_or_else(|| {
        error!(
            Code::SliceDim,
            "bytes hold two floats along dim {dim} of a tensor of rank {rank}",
            [dim, rank = shape.len()]
        )
        .with_help(format!("dims go from 0 to {}", shape.len().saturating_sub(1)))
    })
}

/// A shape with another extent of one dim.
fn resized(shape: &[i64], axis: usize, resize: impl Fn(i64) -> Option<i64>) -> Result<Vec<i64>, Error> {
    let mut resized = shape.to_vec();
    if let Some(size) = resized.get_mut(axis) {
        *size = resize(*size).ok_or_else(|| {
            error!(Code::Range, "{size} elements along dim {axis} are not two for each byte", [size, axis])
        })?;
    }
    Ok(resized)
}

/// A thread does not hold both floats of a byte.
fn apart(axis: usize) -> Error {
    error!(
        Code::NoLayout,
        "a thread does not hold an element with an even index along dim {axis} and the next one in two registers",
        [axis]
    )
    .with_help("convert the operand to a layout with two neighbours of that dim in each thread")
}
