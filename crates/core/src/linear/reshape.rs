//! Other dims for the same bits: reshape, flatten and transpose.
//!
//! Law of reshaping: the bits of one side, dim after dim, the first dim lowest, are cut again at other places; the map
//! between the packed words stays as it is. Flattening makes them one dim. Transposing lists the dims in another order,
//! each with its values: `transpose(L)(x)` has the same value in every dim as `L(x)`.

use super::Name;
use super::fields::Fields;
use super::layout::{Columns, Dim, Dims, LinearLayout, bit_count, dims, names};
use crate::error::{Code, Error};

impl LinearLayout {
    /// The layout with the in bits cut into other dims.
    ///
    /// # Errors
    /// [`Code::Range`] when the sizes do not have the same product; [`Code::SizeNotPowerOfTwo`]; as
    /// [`LinearLayout::from_columns`].
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::identity(8, Name::OFFSET, Name::dim(0))?;
    /// let banks = layout.reshape_ins(&[(Name::new("bank")?, 4), (Name::new("segment")?, 2)])?;
    /// assert_eq!(banks.to_string(), "linear<{bank=[[1],[2]], segment=[[4]]}, out=[dim0:8]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn reshape_ins(&self, sizes: &[(Name, i64)]) -> Result<LinearLayout, Error> {
        self.with_ins(recut(self.ins(), sizes)?)
    }

    /// The layout with the out bits cut into other dims.
    ///
    /// # Errors
    /// As [`LinearLayout::reshape_ins`].
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::identity(8, Name::LANE, Name::dim(0))?;
    /// let tile = layout.reshape_outs(&[(Name::dim(1), 4), (Name::dim(0), 2)])?;
    /// assert_eq!(tile.to_string(), "linear<{lane=[[1,0],[2,0],[0,1]]}, out=[dim1:4, dim0:2]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn reshape_outs(&self, sizes: &[(Name, i64)]) -> Result<LinearLayout, Error> {
        self.with_outs(recut(self.outs(), sizes)?)
    }

    /// The layout with all in bits in one dim, of the name of the first; one without in dims stays as it is.
    ///
    /// # Errors
    /// [`Code::TooLarge`] when the bits are more than [`Dim::MOST_BITS`].
    pub fn flatten_ins(&self) -> Result<LinearLayout, Error> {
        self.with_ins(flat(self.ins()))
    }

    /// The layout with all out bits in one dim, of the name of the first; one without out dims stays as it is.
    ///
    /// # Errors
    /// [`Code::TooLarge`] when the bits are more than [`Dim::MOST_BITS`].
    pub fn flatten_outs(&self) -> Result<LinearLayout, Error> {
        self.with_outs(flat(self.outs()))
    }

    /// The layout with its in dims in this order.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] unless each in dim is named once.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![4]]), (Name::LANE, vec![vec![1], vec![2]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 8)])?;
    /// let text = layout.transpose_ins(&[Name::LANE, Name::REGISTER])?.to_string();
    /// assert_eq!(text, "linear<{lane=[[1],[2]], register=[[4]]}, out=[dim0:8]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn transpose_ins(&self, order: &[Name]) -> Result<LinearLayout, Error> {
        let ins = ordered(self.ins(), order)?;
        let mut columns = Columns::new();
        for dim in &ins {
            columns.extend_from_slice(self.in_dim(dim.name).map_or(&[][..], |(_, columns)| columns));
        }
        Ok(LinearLayout::trusted(ins, Dims::from_slice(self.outs()), columns))
    }

    /// The layout with its out dims in this order.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] unless each out dim is named once.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1, 2]])], &[(Name::dim(0), 2), (Name::dim(1), 4)])?;
    /// let text = layout.transpose_outs(&[Name::dim(1), Name::dim(0)])?.to_string();
    /// assert_eq!(text, "linear<{lane=[[2,1]]}, out=[dim1:4, dim0:2]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn transpose_outs(&self, order: &[Name]) -> Result<LinearLayout, Error> {
        let outs = ordered(self.outs(), order)?;
        let columns = Fields::onto(self.outs(), &outs).apply(self.columns());
        Ok(self.with_columns(outs, columns))
    }
}

/// The dims of these sizes, with as many bits as there were.
fn recut(old: &[Dim], sizes: &[(Name, i64)]) -> Result<Dims, Error> {
    let new = dims(sizes)?;
    let (had, has) = (bit_count(old), new.iter().fold(0, |sum: u32, dim| sum.saturating_add(dim.bits)));
    if had != has {
        return Err(error!(
            Code::Range,
            "dims {old_dims} have {had} bits in all, but dims {new_dims} have {has}",
            [old_dims = names(old), had, new_dims = names(&new), has]
        )
        .with_help("reshape keeps the product of the sizes"));
    }
    Ok(new)
}

/// One dim with all bits.
fn flat(dims: &[Dim]) -> Dims {
    dims.first().map(|first| Dim { name: first.name, bits: bit_count(dims) }).into_iter().collect()
}

/// The dims in the order of these names.
fn ordered(dims: &[Dim], order: &[Name]) -> Result<Dims, Error> {
    let once = order.len() == dims.len() && dims.iter().all(|dim| order.contains(&dim.name));
    if !once {
        let wanted: Vec<&str> = order.iter().map(Name::as_str).collect();
        return Err(error!(
            Code::DimNamesMismatch,
            "({wanted}) does not name each of {names} once",
            [wanted = wanted.join(", "), names = names(dims)]
        ));
    }
    Ok(order.iter().filter_map(|name| dims.iter().find(|dim| dim.name == *name).copied()).collect())
}
