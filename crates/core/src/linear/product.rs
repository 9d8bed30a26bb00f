//! The product (direct sum) of two layouts: both side by side, block-diagonal.
//!
//! Law: with the bits of shared dims split, minor part first, `(A * B)(x, y) = A(x) + B(y) * size(A)`, out dim by out
//! dim. It is surjective exactly when both are. The empty layout is the unit.

use super::layout::{Columns, Dim, Dims, LinearLayout, bit_count};
use crate::error::{Code, Error};

impl LinearLayout {
    /// `self * other`: this layout is the minor part.
    ///
    /// Dims are merged in the order of both lists; where they conflict, the head that stands earlier in the other list
    /// goes first, and the first list on a tie.
    ///
    /// # Errors
    /// [`Code::TooLarge`] beyond 64 bits a side or [`Dim::MOST_BITS`] in a dim.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let (register, lane, row) = (Name::REGISTER, Name::LANE, Name::dim(0));
    /// let registers = LinearLayout::identity(2, register, row)?;
    /// let lanes = LinearLayout::identity(4, lane, row)?;
    /// assert_eq!(registers.product(&lanes)?.columns(), [1, 2, 4]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn product(&self, other: &LinearLayout) -> Result<LinearLayout, Error> {
        let ins = merge(self.ins(), other.ins());
        let outs = merge(self.outs(), other.outs());
        if bit_count(&ins) > u64::BITS || bit_count(&outs) > u64::BITS {
            let message = format!("the product has {} in bits and {} out bits", bit_count(&ins), bit_count(&outs));
            return Err(Error::new(Code::TooLarge, message).with_help(format!("at most {} a side", u64::BITS)));
        }
        let mut columns = Columns::new();
        for dim in ins.iter() {
            for column in self.in_dim(dim.name).map_or(&[][..], |(_, columns)| columns) {
                columns.push(spread(self, *column, &outs, |_| 0));
            }
            for column in other.in_dim(dim.name).map_or(&[][..], |(_, columns)| columns) {
                let below =
                    |dim: Dim| self.outs().iter().find(|mine| mine.name == dim.name).map_or(0, |mine| mine.bits);
                columns.push(spread(other, *column, &outs, below));
            }
        }
        LinearLayout::from_columns(ins, outs, columns)
    }
}

/// A packed image of `layout` packed for `outs`, each value moved up by the bits that `below` says.
fn spread(layout: &LinearLayout, image: u64, outs: &[Dim], below: impl Fn(Dim) -> u32) -> u64 {
    let mut spread = 0;
    let mut rest = image;
    for dim in layout.outs() {
        let value = rest & super::bits::low(dim.bits);
        rest = rest.checked_shr(dim.bits).unwrap_or(0);
        if value != 0 {
            let before = outs.iter().take_while(|out| out.name != dim.name).map(|out| out.bits).sum::<u32>();
            spread |= value << (before + below(*dim));
        }
    }
    spread
}

/// The dims of both lists with the bits of both.
pub(crate) fn merge(first: &[Dim], second: &[Dim]) -> Dims {
    let mut merged = Dims::new();
    let (mut left, mut right) = (first, second);
    while let Some(next) = head(&mut left, &mut right, first, second) {
        if merged.iter().all(|dim| dim.name != next.name) {
            let bits = |dims: &[Dim]| dims.iter().find(|dim| dim.name == next.name).map_or(0, |dim| dim.bits);
            merged.push(Dim { name: next.name, bits: bits(first) + bits(second) });
        }
    }
    merged
}

/// Takes the head of one of two lists: the one that the other list has earlier, where absent is earliest.
fn head<'d>(left: &mut &'d [Dim], right: &mut &'d [Dim], first: &[Dim], second: &[Dim]) -> Option<Dim> {
    let place = |dim: &Dim, dims: &[Dim]| dims.iter().position(|other| other.name == dim.name);
    let from_left = match (left.first(), right.first()) {
        (Some(mine), Some(theirs)) => place(mine, second) <= place(theirs, first),
        (mine, _) => mine.is_some(),
    };
    let list = if from_left { left } else { right };
    let (dim, rest) = list.split_first()?;
    *list = rest;
    Some(*dim)
}
