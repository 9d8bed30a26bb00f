//! Changes to one dim, and two layouts side by side: concatenate, squeeze, resize and rename.
//!
//! Laws: `concat_ins(A, B)(x, y) = A(x) ^ B(y)`; `concat_outs(A, B)(x)` has the values of `A(x)` and then those of
//! `B(x)`. Squeezing drops a dim of size 1, whose value is always 0. A shorter in dim forgets its highest bits, a longer
//! one has further bits that move nothing. An out dim can only shrink: a basis value that no longer fits becomes 0.

use super::Name;
use super::bits::{low, span};
use super::layout::{Columns, Dim, Dims, LinearLayout, names};
use crate::error::{Code, Error};

impl LinearLayout {
    /// One layout with the in dims of both; both have the same out dims.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] when the out dims differ or an in dim is in both; [`Code::Range`] when the sizes of the
    /// out dims differ; [`Code::TooLarge`].
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let registers = LinearLayout::strided(2, 4, Name::REGISTER, Name::dim(0))?;
    /// let lanes = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1], vec![2]])], &[(Name::dim(0), 8)])?;
    /// let text = registers.concat_ins(&lanes)?.to_string();
    /// assert_eq!(text, "linear<{register=[[4]], lane=[[1],[2]]}, out=[dim0:8]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn concat_ins(&self, other: &LinearLayout) -> Result<LinearLayout, Error> {
        agree("out", self.outs(), other.outs())?;
        let (mut ins, mut columns) = (Dims::from_slice(self.ins()), Columns::from_slice(self.columns()));
        ins.extend_from_slice(other.ins());
        columns.extend_from_slice(other.columns());
        LinearLayout::from_columns(ins, Dims::from_slice(self.outs()), columns)
    }

    /// One layout with the out dims of both; both have the same in dims.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] when the in dims differ or an out dim is in both; [`Code::Range`] when the sizes of
    /// the in dims differ; [`Code::TooLarge`].
    pub fn concat_outs(&self, other: &LinearLayout) -> Result<LinearLayout, Error> {
        agree("in", self.ins(), other.ins())?;
        let mut outs = Dims::from_slice(self.outs());
        outs.extend_from_slice(other.outs());
        let shift = self.out_bits();
        let pairs = self.columns().iter().zip(other.columns());
        let columns = pairs.map(|(first, second)| first | second.checked_shl(shift).unwrap_or(0)).collect();
        LinearLayout::from_columns(Dims::from_slice(self.ins()), outs, columns)
    }

    /// The layout without this in dim, which has size 1.
    ///
    /// # Errors
    /// [`Code::MissingDim`]; [`Code::SqueezedDimNotUnit`].
    pub fn squeeze_ins(&self, name: Name) -> Result<LinearLayout, Error> {
        self.with_ins(squeezed(self.ins(), name)?)
    }

    /// The layout without this out dim, which has size 1.
    ///
    /// # Errors
    /// [`Code::MissingDim`]; [`Code::SqueezedDimNotUnit`].
    pub fn squeeze_outs(&self, name: Name) -> Result<LinearLayout, Error> {
        self.with_outs(squeezed(self.outs(), name)?)
    }

    /// The layout with this in dim cut to, or filled with zero bases up to, a size.
    ///
    /// # Errors
    /// [`Code::MissingDim`]; [`Code::SizeNotPowerOfTwo`]; [`Code::TooLarge`].
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::identity(4, Name::LANE, Name::dim(0))?;
    /// assert_eq!(layout.resize_in_dim(Name::LANE, 8)?.columns(), [1, 2, 0]);
    /// assert_eq!(layout.resize_in_dim(Name::LANE, 2)?.columns(), [1]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn resize_in_dim(&self, name: Name, size: i64) -> Result<LinearLayout, Error> {
        let new = Dim::new(name, size)?;
        let ins = replaced(self.ins(), name, new)?;
        let mut columns = Columns::new();
        for (dim, all) in self.by_in_dim() {
            let bits = if dim.name == name { new.bits } else { dim.bits };
            for at in 0..bits {
                columns.push(usize::try_from(at).ok().and_then(|at| all.get(at)).copied().unwrap_or(0));
            }
        }
        LinearLayout::from_columns(ins, Dims::from_slice(self.outs()), columns)
    }

    /// The layout with this out dim shrunk to a size; a basis value that does not fit becomes 0.
    ///
    /// # Errors
    /// [`Code::MissingDim`]; [`Code::SizeNotPowerOfTwo`]; [`Code::ResizeOutOnlyShrinks`].
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1], vec![7], vec![3]])], &[(Name::dim(0), 8)])?;
    /// assert_eq!(layout.resize_out_dim(Name::dim(0), 4)?.columns(), [1, 0, 3]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn resize_out_dim(&self, name: Name, size: i64) -> Result<LinearLayout, Error> {
        let new = Dim::new(name, size)?;
        let outs = replaced(self.outs(), name, new)?;
        let (old, start) = self.out_dim(name).ok_or_else(|| LinearLayout::missing(name, self.outs()))?;
        if new.bits > old.bits {
            let help = "multiply by a layout that reaches the further elements";
            return Err(error!(
                Code::ResizeOutOnlyShrinks,
                "out dim {name} has size {old_size} and cannot grow to {size}",
                [name, old_size = old.size(), size]
            )
            .with_help(help));
        }
        let (field, gone) = (span(start, old.bits), span(start + new.bits, old.bits - new.bits));
        let shrunk = |column: &u64| {
            let kept = if column & gone == 0 { *column } else { column & !field };
            let above = kept.checked_shr(start + old.bits).unwrap_or(0).checked_shl(start + new.bits).unwrap_or(0);
            kept & low(start + new.bits) | above
        };
        Ok(self.with_columns(outs, self.columns().iter().map(shrunk).collect()))
    }

    /// The layout with this in dim under another name.
    ///
    /// # Errors
    /// [`Code::MissingDim`]; [`Code::DimNamesMismatch`] when there is one of the new name.
    pub fn rename_in_dim(&self, from: Name, to: Name) -> Result<LinearLayout, Error> {
        self.with_ins(renamed(self.ins(), from, to)?)
    }

    /// The layout with this out dim under another name.
    ///
    /// # Errors
    /// [`Code::MissingDim`]; [`Code::DimNamesMismatch`] when there is one of the new name.
    pub fn rename_out_dim(&self, from: Name, to: Name) -> Result<LinearLayout, Error> {
        self.with_outs(renamed(self.outs(), from, to)?)
    }
}

/// Checks that both layouts have these dims, in one order and size.
fn agree(side: &str, first: &[Dim], second: &[Dim]) -> Result<(), Error> {
    if first == second {
        return Ok(());
    }
    let differ = first.iter().zip(second).find(|(one, other)| one.name == other.name && one.bits != other.bits);
    let code = if names(first) == names(second) { Code::Range } else { Code::DimNamesMismatch };
    Err(match differ {
        Some((one, other)) if code == Code::Range => {
            let (name, size, other) = (one.name, one.size(), other.size());
            error!(
                code,
                "{side} dim {name} has size {size} in one layout and {other} in the other",
                [side, name, size, other]
            )
        }
        _ => {
            let [one, other] = [first, second].map(names);
            error!(code, "the {side} dims {one} and {other} differ", [side, one, other])
        }
    })
}

fn squeezed(dims: &[Dim], name: Name) -> Result<Dims, Error> {
    match dims.iter().find(|dim| dim.name == name) {
        None => Err(LinearLayout::missing(name, dims)),
        Some(dim) if dim.bits > 0 => Err(error!(
            Code::SqueezedDimNotUnit,
            "dim {name} has size {size}; only a dim of size {unit} can be dropped",
            [name, size = dim.size(), unit = 1]
        )),
        Some(_) => Ok(dims.iter().filter(|dim| dim.name != name).copied().collect()),
    }
}

fn renamed(dims: &[Dim], from: Name, to: Name) -> Result<Dims, Error> {
    let bits = dims.iter().find(|dim| dim.name == from).map_or(0, |dim| dim.bits);
    replaced(dims, from, Dim { name: to, bits })
}

/// The dims with another one in place of that name.
fn replaced(dims: &[Dim], name: Name, new: Dim) -> Result<Dims, Error> {
    if dims.iter().all(|dim| dim.name != name) {
        return Err(LinearLayout::missing(name, dims));
    }
    Ok(dims.iter().map(|dim| if dim.name == name { new } else { *dim }).collect())
}
