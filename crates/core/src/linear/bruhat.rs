//! The Bruhat form of an invertible layout: a shear, then a permutation of bits, then a shear.
//!
//! Law: `A(x) = outer(permutation(inner(x)))`. The bits of a side are numbered through its dims, first dim lowest. A
//! shear here is an upper unitriangular map: the image of bit `k` is bit `k` and some lower bits. The permutation sends
//! each in bit to one out bit; it is the same for every way to write `A` so. The outer shear does as much as it can: the
//! inner one is the identity whenever that is possible.

use super::bits::bit;
use super::layout::{Columns, Dims, LinearLayout};
use crate::error::Error;

/// The three factors of an invertible layout: shear, bit permutation, shear.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bruhat {
    /// The shear of the in dims, applied first.
    pub inner: LinearLayout,
    /// The permutation, from the in dims to the out dims.
    pub permutation: LinearLayout,
    /// The shear of the out dims, applied last.
    pub outer: LinearLayout,
}

impl LinearLayout {
    /// The layout as shear, bit permutation and shear.
    ///
    /// # Errors
    /// [`Code::NotInvertible`](crate::Code::NotInvertible).
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::OFFSET, vec![vec![2], vec![1], vec![6]])], &[(Name::dim(0), 8)])?;
    /// let form = layout.bruhat()?;
    /// assert_eq!(form.inner.columns(), [1, 2, 4]);
    /// assert_eq!(form.permutation.columns(), [2, 1, 4]);
    /// assert_eq!(form.outer.columns(), [1, 2, 4 ^ 2]);
    /// assert_eq!(form.inner.compose(&form.permutation)?.compose(&form.outer)?, layout);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn bruhat(&self) -> Result<Bruhat, Error> {
        self.check_invertible("a Bruhat form")?;
        let (mut inner, mut permutation) = (Columns::new(), Columns::new());
        let mut outer: Columns = self.columns().iter().map(|_| 0).collect();
        // A column loses its highest bit, by the earlier column that has it, until that bit is new: bit `lead` of the
        // permutation. What is left is a column of the outer shear, what was taken is one of the inner.
        let mut sources = [0; 64];
        for (at, column) in self.columns().iter().enumerate() {
            let (mut rest, mut parts) = (*column, bit(at));
            while let Some(lead) = rest.checked_ilog2().and_then(|lead| usize::try_from(lead).ok()) {
                let (Some(shear), Some(source)) = (outer.get_mut(lead), sources.get_mut(lead)) else { break };
                if *shear == 0 {
                    *shear = rest;
                    *source = bit(at);
                    permutation.push(bit(lead));
                    break;
                }
                rest ^= *shear;
                parts |= *source;
            }
            inner.push(parts);
        }
        let (ins, outs) = (Dims::from_slice(self.ins()), Dims::from_slice(self.outs()));
        Ok(Bruhat {
            inner: LinearLayout::trusted(ins.clone(), ins.clone(), inner),
            permutation: LinearLayout::trusted(ins, outs.clone(), permutation),
            outer: LinearLayout::trusted(outs.clone(), outs, outer),
        })
    }
}
