//! Conversion between two layouts of one tensor: which place the data of each place comes from.
//!
//! Law: `C = A.minimal_cvt(B)` with the dims that were taken off as identity has `A(C(x)) = B(x)` for every place `x` of
//! the destination. Dims come off from the slow end (block, then warp, lane, register) as long as `C` is the identity on
//! them, so the dims that are left say between which places data have to move.

use super::layout::LinearLayout;
use crate::error::Error;

impl LinearLayout {
    /// From a place of the destination to the place here that has its element, without the slowest dims as far as
    /// nothing moves along them. No dims are left when nothing moves at all.
    ///
    /// # Errors
    /// As [`LinearLayout::invert_and_compose`].
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let (register, lane) = (Name::REGISTER, Name::LANE);
    /// let layout = |registers: i64, lanes: i64| {
    ///     let bases = [(register, vec![vec![registers], vec![4]]), (lane, vec![vec![lanes]])];
    ///     LinearLayout::from_bases(&bases, &[(Name::dim(0), 8)])
    /// };
    /// let moved = layout(1, 2)?.minimal_cvt(&layout(2, 1)?)?;
    /// assert_eq!(moved.to_string(), "linear<{register=[[0,1],[2,0]], lane=[[1,0]]}, out=[register:4, lane:2]>");
    /// assert_eq!(layout(1, 2)?.minimal_cvt(&layout(1, 2)?)?, LinearLayout::empty());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn minimal_cvt(&self, destination: &LinearLayout) -> Result<LinearLayout, Error> {
        let mut moved = destination.invert_and_compose(self)?;
        let slowest = self.ins().iter().rev().zip(destination.ins().iter().rev());
        for (here, _) in slowest.take_while(|(here, there)| here.name == there.name) {
            let Some(rest) = moved.quotient(&[here.name]) else { break };
            moved = rest;
        }
        Ok(moved)
    }
}
