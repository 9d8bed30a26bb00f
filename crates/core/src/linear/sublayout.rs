//! Parts of a layout: some of its in dims into some of its out dims, and the questions asked of such parts.
//!
//! Law: `sublayout(ins, outs)(x)` has the values in `outs` of the whole at the place `x`, the other in dims being 0.
//! A layout is trivial over some dims when it is the identity on them and couples them with no other dim; then the
//! quotient, what is left without them, says all about it.

use super::Name;
use super::bits::{bit, span};
use super::fields::Fields;
use super::layout::{Columns, Dim, Dims, LinearLayout};
use crate::error::Error;

impl LinearLayout {
    /// The part from these in dims to these out dims, in the order of the layout.
    ///
    /// # Errors
    /// [`Code::MissingDim`](crate::Code::MissingDim).
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![0, 1]]), (Name::LANE, vec![vec![1, 3]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 2), (Name::dim(1), 4)])?;
    /// let part = layout.sublayout(&[Name::LANE], &[Name::dim(1)])?;
    /// assert_eq!(part.to_string(), "linear<{lane=[[3]]}, out=[dim1:4]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn sublayout(&self, ins: &[Name], outs: &[Name]) -> Result<LinearLayout, Error> {
        present(self.ins(), ins)?;
        present(self.outs(), outs)?;
        Ok(self.part(|dim| ins.contains(&dim.name), |dim| outs.contains(&dim.name)))
    }

    /// Whether these in dims move nothing along these out dims.
    ///
    /// # Errors
    /// [`Code::MissingDim`](crate::Code::MissingDim).
    pub fn sublayout_is_zero(&self, ins: &[Name], outs: &[Name]) -> Result<bool, Error> {
        present(self.ins(), ins)?;
        present(self.outs(), outs)?;
        let mask = self.out_mask(|dim| outs.contains(&dim.name));
        Ok(self
            .by_in_dim()
            .all(|(dim, columns)| !ins.contains(&dim.name) || columns.iter().all(|column| column & mask == 0)))
    }

    /// Whether the part from these dims to the dims of the same names is the identity, whatever else they move.
    ///
    /// # Errors
    /// [`Code::MissingDim`](crate::Code::MissingDim) for a dim that is not on both sides.
    pub fn square_sublayout_is_identity(&self, dims: &[Name]) -> Result<bool, Error> {
        present(self.ins(), dims)?;
        present(self.outs(), dims)?;
        let mask = self.out_mask(|dim| dims.contains(&dim.name));
        Ok(dims.iter().all(|name| self.is_unit(*name, mask)))
    }

    /// Whether the layout is the identity on these dims and couples them with no others. It is not on a dim that one
    /// side lacks.
    #[must_use]
    pub fn is_trivial_over(&self, dims: &[Name]) -> bool {
        let mask = self.out_mask(|dim| dims.contains(&dim.name));
        dims.iter().all(|name| self.is_unit(*name, u64::MAX))
            && self
                .by_in_dim()
                .filter(|(dim, _)| !dims.contains(&dim.name))
                .all(|(_, columns)| columns.iter().all(|column| column & mask == 0))
    }

    /// The layout without these dims, when it is [trivial](LinearLayout::is_trivial_over) over them.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let lanes = LinearLayout::strided(2, 2, Name::LANE, Name::LANE)?;
    /// let layout = lanes.product(&LinearLayout::identity(4, Name::WARP, Name::WARP)?)?;
    /// assert_eq!(layout.quotient(&[Name::WARP]), Some(lanes));
    /// assert_eq!(layout.quotient(&[Name::LANE]), None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn quotient(&self, dims: &[Name]) -> Option<LinearLayout> {
        let others = |dim: &Dim| !dims.contains(&dim.name);
        self.is_trivial_over(dims).then(|| self.part(others, others))
    }

    /// The part from some in dims to some out dims.
    pub(crate) fn part(&self, ins: impl Fn(&Dim) -> bool, outs: impl Fn(&Dim) -> bool) -> LinearLayout {
        let kept: Dims = self.outs().iter().filter(|dim| outs(dim)).copied().collect();
        let fields = Fields::onto(self.outs(), &kept);
        let (mut dims, mut columns) = (Dims::new(), Columns::new());
        for (dim, all) in self.by_in_dim().filter(|(dim, _)| ins(dim)) {
            dims.push(dim);
            fields.extend(&mut columns, all);
        }
        LinearLayout::trusted(dims, kept, columns)
    }

    /// The bits of some out dims in a packed image.
    fn out_mask(&self, which: impl Fn(&Dim) -> bool) -> u64 {
        let (mut mask, mut start) = (0, 0);
        for dim in self.outs() {
            if which(dim) {
                mask |= span(start, dim.bits);
            }
            start += dim.bits;
        }
        mask
    }

    /// Whether the dim of a name is on both sides, and each of its in bits has, within the mask, its out bit only.
    fn is_unit(&self, name: Name, mask: u64) -> bool {
        let (Some((from, columns)), Some((to, start))) = (self.in_dim(name), self.out_dim(name)) else {
            return false;
        };
        let start = usize::try_from(start).unwrap_or(0);
        from.bits == to.bits && columns.iter().enumerate().all(|(at, column)| column & mask == bit(start + at))
    }
}

/// Checks that the dims are there.
fn present(dims: &[Dim], wanted: &[Name]) -> Result<(), Error> {
    match wanted.iter().find(|name| dims.iter().all(|dim| dim.name != **name)) {
        Some(name) => Err(LinearLayout::missing(*name, dims)),
        None => Ok(()),
    }
}
