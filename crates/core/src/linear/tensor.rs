//! Reshape and transpose as tensors know them, where the last dim is the fastest.
//!
//! Laws: after `tensor_reshape(shape)` every place holds the element of the same row-major number, in a tensor with dims
//! `dim0`, `dim1`, … of that shape; `tensor_transpose(order)` makes out dim `k` what out dim `order[k]` was, under the
//! names in their old order.

use super::Name;
use super::fields::Fields;
use super::layout::{Dim, Dims, LinearLayout, bit_count, names};
use super::make::permutation;
use crate::error::{Code, Error};

impl LinearLayout {
    /// The layout of the reshaped tensor.
    ///
    /// # Errors
    /// [`Code::SizeNotPowerOfTwo`]; [`Code::Range`] when the tensor of `shape` does not have as many elements.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::identity_standard_nd(Name::LANE, &[2, 8], &[1, 0])?;
    /// let text = layout.transpose_outs(&[Name::dim(0), Name::dim(1)])?.tensor_reshape(&[4, 4])?.to_string();
    /// assert_eq!(text, "linear<{lane=[[0,1],[0,2],[1,0],[2,0]]}, out=[dim0:4, dim1:4]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn tensor_reshape(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        let mut outs = Dims::new();
        for (at, size) in shape.iter().enumerate() {
            outs.push(Dim::new(Name::dim(at), *size)?);
        }
        let has = outs.iter().fold(0, |sum: u32, dim| sum.saturating_add(dim.bits));
        if has != self.out_bits() {
            let had = self.out_bits();
            return Err(error!(
                Code::Range,
                "dims {out_dims} have {had} bits in all, but shape {shape:?} has {has}",
                [out_dims = names(self.outs()), had, shape, has]
            )
            .with_help("reshape keeps the number of elements"));
        }
        let (row_major, back) = (reversal(self.outs(), false), reversal(&outs, true));
        let columns = back.apply(&row_major.apply(self.columns()));
        Ok(self.with_columns(outs, columns))
    }

    /// The layout of the transposed tensor.
    ///
    /// # Errors
    /// [`Code::OrderNotPermutation`].
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1, 2]])], &[(Name::dim(0), 2), (Name::dim(1), 4)])?;
    /// let text = layout.tensor_transpose(&[1, 0])?.to_string();
    /// assert_eq!(text, "linear<{lane=[[2,1]]}, out=[dim0:4, dim1:2]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn tensor_transpose(&self, order: &[usize]) -> Result<LinearLayout, Error> {
        permutation(order, self.outs().len())?;
        let (mut outs, mut fields) = (Dims::new(), Fields::none());
        let mut place = 0;
        for (dim, from) in self.outs().iter().zip(order) {
            let before = self.outs().get(..*from).map_or(0, bit_count);
            let bits = self.outs().get(*from).map_or(0, |dim| dim.bits);
            fields.push(before, bits, place);
            outs.push(Dim { name: dim.name, bits });
            place += bits;
        }
        let columns = fields.apply(self.columns());
        Ok(self.with_columns(outs, columns))
    }
}

/// From an image packed first dim lowest to one packed last dim lowest, or back.
fn reversal(dims: &[Dim], back: bool) -> Fields {
    let mut fields = Fields::none();
    let (mut first, mut last) = (0, bit_count(dims));
    for dim in dims {
        last -= dim.bits;
        let (from, to) = if back { (last, first) } else { (first, last) };
        fields.push(from, dim.bits, to);
        first += dim.bits;
    }
    fields
}
