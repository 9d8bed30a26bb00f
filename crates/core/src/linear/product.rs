//! The product (direct sum) of two layouts: both side by side, block-diagonal.
//!
//! Law: with the bits of shared dims split, minor part first, `(A * B)(x, y) = A(x) + B(y) * size(A)`, out dim by out
//! dim. It is surjective exactly when both are. The empty layout is the unit.

use super::fields::Fields;
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
        let ins = merge(self.ins(), other.ins())?;
        let outs = merge(self.outs(), other.outs())?;
        let absent = || Error::new(Code::MissingDim, "a dim is missing from the product");
        let mine = Fields::between(self.outs(), &outs, absent, |_, _| Ok(0))?;
        let theirs = Fields::between(other.outs(), &outs, absent, |dim, whole| Ok(whole.bits - dim.bits))?;
        let mut columns = Columns::new();
        for dim in ins.iter() {
            if let Some((_, minor)) = self.in_dim(dim.name) {
                mine.extend(&mut columns, minor);
            }
            if let Some((_, major)) = other.in_dim(dim.name) {
                theirs.extend(&mut columns, major);
            }
        }
        Ok(LinearLayout::trusted(ins, outs, columns))
    }
}

/// The dims of both lists with the bits of both.
pub(crate) fn merge(first: &[Dim], second: &[Dim]) -> Result<Dims, Error> {
    let mut merged = Dims::new();
    // Lists that agree are walked together; only what follows has to look names up.
    let alike = first.iter().zip(second).take_while(|(mine, theirs)| mine.name == theirs.name);
    alike.for_each(|(mine, theirs)| merged.push(Dim { name: mine.name, bits: mine.bits + theirs.bits }));
    let (mut left, mut right) =
        (first.get(merged.len()..).unwrap_or_default(), second.get(merged.len()..).unwrap_or_default());
    while let Some(next) = head(&mut left, &mut right, first, second) {
        if merged.iter().all(|dim| dim.name != next.name) {
            let bits = |dims: &[Dim]| dims.iter().find(|dim| dim.name == next.name).map_or(0, |dim| dim.bits);
            merged.push(Dim { name: next.name, bits: bits(first) + bits(second) });
        }
    }
    let total = bit_count(&merged);
    if total > u64::BITS || merged.iter().any(|dim| dim.bits > Dim::MOST_BITS) {
        let message = format!("the product has {total} bits in {}", super::layout::names(&merged));
        return Err(Error::new(Code::TooLarge, message).with_help(format!(
            "at most {} bits a side, and {} in one dim",
            u64::BITS,
            Dim::MOST_BITS
        )));
    }
    Ok(merged)
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
