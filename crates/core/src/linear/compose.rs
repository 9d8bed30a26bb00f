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
        let message = format!("the out dims {} are not the in dims {}", names(inner.outs()), names(outer.ins()));
        Error::new(Code::DimNamesMismatch, message)
    };
    if inner.outs().len() != outer.ins().len() {
        return Err(mismatch());
    }
    Fields::between(inner.outs(), outer.ins(), mismatch, |here, there| {
        if here.bits <= there.bits {
            return Ok(0);
        }
        let message = format!(
            "dim {} has size {} in the inner layout, but the outer takes {} values of it",
            here.name,
            here.size(),
            there.size()
        );
        Err(Error::new(Code::OuterDomainTooSmall, message))
    })
}
