//! Composition: one layout after another.
//!
//! Law: `(outer o inner)(x) = outer(inner(x))`. The out dims of the inner are the in dims of the outer, in any order,
//! and none of them larger.

use super::fields::Fields;
use super::layout::{LinearLayout, names};
use crate::error::{Code, Error};

impl LinearLayout {
    /// `outer` after this layout.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] when the out dims here are not the in dims there; [`Code::OuterDomainTooSmall`] when
    /// one of them has more values here.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let (lane, row, place) = (Name::LANE, Name::dim(0), Name::new("place")?);
    /// let inner = LinearLayout::identity(4, lane, row)?;
    /// let outer = LinearLayout::strided(8, 2, row, place)?;
    /// assert_eq!(inner.compose(&outer)?.columns(), [2, 4]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn compose(&self, outer: &LinearLayout) -> Result<LinearLayout, Error> {
        let fields = fields(self, outer)?;
        let mut columns = self.columns.clone();
        columns.iter_mut().for_each(|column| *column = outer.apply_packed(fields.one(*column)));
        Ok(LinearLayout::trusted(self.ins.clone(), outer.outs.clone(), columns))
    }
}

/// Where each out dim of `inner` is among the in dims of `outer`.
fn fields(inner: &LinearLayout, outer: &LinearLayout) -> Result<Fields, Error> {
    let mismatch = || {
        error!(
            Code::DimNamesMismatch,
            "the out dims {out_dims} are not the in dims {in_dims}",
            [out_dims = names(inner.outs()), in_dims = names(outer.ins())]
        )
    };
    if inner.outs().len() != outer.ins().len() {
        return Err(mismatch());
    }
    Fields::between(inner.outs(), outer.ins(), mismatch, |here, there| {
        if here.bits <= there.bits {
            return Ok(0);
        }
        Err(error!(
            Code::OuterDomainTooSmall,
            "dim {name} has size {size} in the inner layout, but the outer takes {there_size} values of it",
            [name = here.name, size = here.size(), there_size = there.size()]
        ))
    })
}
