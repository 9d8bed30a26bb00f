//! Composition: one layout after another.
//!
//! Law: `(outer o inner)(x) = outer(inner(x))`. The out dims of the inner are the in dims of the outer, in any order,
//! and none of them larger.

use super::bits::low;
use super::layout::{Columns, LinearLayout, bit_count, names};
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
        let columns: Columns = self
            .columns()
            .iter()
            .map(|column| {
                let place =
                    fields.iter().fold(0, |place, field| place | (column >> field.from & field.mask) << field.to);
                outer.apply_packed(place)
            })
            .collect();
        let ins = self.ins().iter().copied().collect();
        Ok(LinearLayout::trusted(ins, outer.outs().iter().copied().collect(), columns))
    }
}

/// A dim that moves from one packing to another.
#[derive(Clone, Copy, Default)]
struct Field {
    from: u32,
    mask: u64,
    to: u32,
}

/// Where each out dim of `inner` is among the in dims of `outer`.
fn fields(inner: &LinearLayout, outer: &LinearLayout) -> Result<crate::small::Small<Field, 5>, Error> {
    let mismatch = || {
        let message = format!("the out dims {} are not the in dims {}", names(inner.outs()), names(outer.ins()));
        Error::new(Code::DimNamesMismatch, message)
    };
    if inner.outs().len() != outer.ins().len() {
        return Err(mismatch());
    }
    let mut from = 0;
    let mut fields = crate::small::Small::new();
    for dim in inner.outs() {
        let at = outer.ins().iter().position(|other| other.name == dim.name).ok_or_else(mismatch)?;
        let there = outer.ins().get(at).map_or(0, |other| other.bits);
        if dim.bits > there {
            let message = format!(
                "dim {} has size {} in the inner layout, but the outer takes {} values of it",
                dim.name,
                dim.size(),
                1u64 << there
            );
            return Err(Error::new(Code::OuterDomainTooSmall, message));
        }
        // A field of no bits may start at the end of the word, where no shift goes.
        if dim.bits > 0 {
            fields.push(Field { from, mask: low(dim.bits), to: bit_count(outer.ins().get(..at).unwrap_or_default()) });
        }
        from += dim.bits;
    }
    Ok(fields)
}
