//! Views of memory: a reshape, one buffer of several, a part of a tensor. A transpose is as in registers.
//!
//! Law: every element lies where it lay. So a view is refused where no encoding says that of its result.

use super::same_count;
use crate::error::{Code, Error};
use crate::linear::Name;
use crate::triton::{Cga, Encoding, NvmmaShared, PaddedShared, Sizes, fit};

impl Encoding {
    /// The encoding of a tensor in shared memory after a reshape. Backward, from the result to the operand, it is the same with
    /// the shapes exchanged.
    ///
    /// An NVMMA layout keeps its kind where its contiguous dim stays and the result lies in memory as the operand does; padding
    /// stays. Others become `#ttg.shared_linear`.
    ///
    /// # Errors
    /// [`Code::Range`] where the number of elements changes; [`Code::RankMismatch`]; [`Code::Kind`] for what is not in shared
    /// memory; what [`Encoding::linear_part`] refuses.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let text = "#ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, elementBitWidth=16, rank=3}>";
    /// let flat = text.parse::<Encoding>()?.infer_memdesc_reshape(&[2, 64, 64], &[128, 64])?;
    /// assert_eq!(flat.to_string(), "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn infer_memdesc_reshape(&self, from: &[i64], to: &[i64]) -> Result<Encoding, Error> {
        self.of_rank(from)?;
        same_count(from, to)?;
        if self.alignment().is_none() {
            return Err(error!(
                Code::Kind,
                "a memdesc_reshape takes a tensor in shared memory, and {encoding} is none of it",
                [encoding = self]
            ));
        }
        let layout = self.linear_part(from)?.tensor_reshape(to)?;
        match self {
            Encoding::PaddedShared(padded) => {
                let bases = |name: Name| -> Vec<Sizes> {
                    let columns = layout.in_dim(name).map_or(&[][..], |(_, columns)| columns);
                    columns.iter().map(|column| Sizes::from_slice(&layout.unpack(*column))).collect()
                };
                Ok(Encoding::PaddedShared(PaddedShared {
                    paddings: padded.paddings.clone(),
                    offset: bases(Name::OFFSET),
                    block: bases(Name::BLOCK),
                    rank: to.len(),
                }))
            }
            Encoding::NvmmaShared(shared) if shared.cga.bases.is_empty() => {
                let inner = |shape: &[i64]| if shared.transposed { shape.first() } else { shape.last() }.copied();
                let kept = NvmmaShared { rank: to.len(), cga: Cga::default(), ..shared.clone() };
                if inner(from) == inner(to) && kept.to_linear(to)? == layout {
                    return Ok(Encoding::NvmmaShared(kept));
                }
                self.with_bases(&layout)
            }
            _ => self.with_bases(&layout),
        }
    }

    /// The encoding of one buffer of several, as `memdesc_index` picks it: the same, which lays out one buffer.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] where no leading dim counts buffers; [`Code::Kind`] for a tensor in registers.
    pub fn infer_memdesc_index(&self, shape: &[i64]) -> Result<Encoding, Error> {
        if self.is_distributed() {
            return Err(error!(
                Code::Kind,
                "memdesc_index takes a tensor in memory, and {encoding} is of registers",
                [encoding = self]
            ));
        }
        match self.rank() {
            Some(rank) if shape.len() == rank + 1 => Ok(self.clone()),
            rank => {
                let rank = rank.unwrap_or(0);
                Err(error!(
                    Code::RankMismatch,
                    "no dim of the shape {shape:?} counts buffers: the encoding has rank {rank}",
                    [shape, rank]
                )
                .with_help("the shape has one dim more, the first"))
            }
        }
    }

    /// The encoding of a part of a tensor in shared memory, as `memdesc_subslice` cuts it: the same, on the allocation of the
    /// whole.
    ///
    /// # Errors
    /// [`Code::RankMismatch`]; [`Code::Range`] for a part that does not start at a multiple of its size within the whole;
    /// [`Code::NoLayout`] for a cut through the pattern of a swizzle; [`Code::Kind`] for what is not in shared memory; what
    /// [`Encoding::linear_part`] refuses.
    ///
    /// ```
    /// use bitstride::triton::Encoding;
    /// let shared: Encoding = "#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>".parse()?;
    /// assert_eq!(shared.infer_memdesc_subslice(&[64, 64], &[16, 0], &[16, 64])?, shared);
    /// assert!(shared.infer_memdesc_subslice(&[64, 64], &[0, 0], &[4, 64]).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn infer_memdesc_subslice(&self, from: &[i64], start: &[i64], to: &[i64]) -> Result<Encoding, Error> {
        if self.alignment().is_none() {
            return Err(error!(
                Code::Kind,
                "a memdesc_subslice takes a tensor in shared memory, and {encoding} is none of it",
                [encoding = self]
            ));
        }
        if from.len() != start.len() || from.len() != to.len() {
            return Err(error!(
                Code::RankMismatch,
                "{start_count} offsets and {to_count} sizes for the shape {from:?}",
                [start_count = start.len(), to_count = to.len(), from]
            ));
        }
        fit::shape_dims(from)?;
        fit::shape_dims(to)?;
        let mut cut = Vec::new();
        for (dim, ((whole, part), start)) in from.iter().zip(to).zip(start).enumerate() {
            if part > whole || *start < 0 || *start > whole - part || start % part != 0 {
                return Err(error!(
                    Code::Range,
                    "{part} elements from {start} on, of {whole} along dim {dim}",
                    [part, start, whole, dim]
                )
                .with_help("a part starts at a multiple of its size"));
            }
            if part < whole {
                cut.push((dim, *part, *whole));
            }
        }
        if cut.is_empty() {
            return Ok(self.clone());
        }
        self.of_rank(from)?;
        let layout = self.linear_part(from)?;
        let places = layout.pseudoinvert()?;
        for (dim, part, whole) in cut {
            let mut step = part;
            while step < whole {
                let element: Vec<(Name, i64)> =
                    (0..from.len()).map(|at| (Name::dim(at), if at == dim { step } else { 0 })).collect();
                for (name, value) in places.apply(&element)? {
                    if name == Name::OFFSET && value & (value - 1) != 0 {
                        return Err(error!(
                            Code::NoLayout,
                            "element {step} of dim {dim} lies at {value}, no power of two: the cut goes through the swizzle",
                            [step, dim, value]
                        ).with_help("cut along the rows of the pattern"));
                    }
                }
                step *= 2;
            }
        }
        Ok(self.clone())
    }
}
