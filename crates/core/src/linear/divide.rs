//! Division: what is left of a layout when a factor of the product is taken away.
//!
//! Laws: `divide_left(A, B) = C` when `A = B * C`, and `divide_right(A, B) = C` when `A = C * B`, where the product is
//! the [direct sum](LinearLayout::product). `C` has all dims of `A`; those that `B` uses up have size 1. There is
//! nothing when no such `C` exists.
//!
//! An instruction with a tile of its own can move the elements of a layout exactly when the tile divides the layout.

use super::bits::span;
use super::fields::Fields;
use super::layout::{Dim, LinearLayout};
use super::product::merges;

impl LinearLayout {
    /// The layout `C` with `part * C` equal to this one: `part` is the minor part. Nothing when `part` does not divide.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let (register, offset) = (Name::REGISTER, Name::OFFSET);
    /// let whole = LinearLayout::from_bases(&[(register, vec![vec![1], vec![2], vec![8]])], &[(offset, 16)])?;
    /// let rest = whole.divide_left(&LinearLayout::identity(4, register, offset)?);
    /// assert_eq!(rest.map(|rest| rest.to_string()).as_deref(), Some("linear<{register=[[2]]}, out=[offset:4]>"));
    /// assert_eq!(whole.divide_left(&LinearLayout::identity(8, register, offset)?), None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn divide_left(&self, part: &LinearLayout) -> Option<LinearLayout> {
        divide(self, part, Side::Left)
    }

    /// The layout `C` with `C * part` equal to this one: `part` is the major part. Nothing when `part` does not divide.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let (register, offset) = (Name::REGISTER, Name::OFFSET);
    /// let whole = LinearLayout::from_bases(&[(register, vec![vec![2], vec![1], vec![4]])], &[(offset, 8)])?;
    /// let rest = whole.divide_right(&LinearLayout::identity(2, register, offset)?);
    /// assert_eq!(rest.map(|rest| rest.to_string()).as_deref(), Some("linear<{register=[[2],[1]]}, out=[offset:4]>"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn divide_right(&self, part: &LinearLayout) -> Option<LinearLayout> {
        divide(self, part, Side::Right)
    }
}

/// Which factor is known: the minor one, which stands left, or the major one.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

/// The other factor.
fn divide(whole: &LinearLayout, part: &LinearLayout, side: Side) -> Option<LinearLayout> {
    let into = place(whole, part, side == Side::Left)?;
    let (mut out_of, mut taken) = (Fields::none(), 0);
    let mut other = LinearLayout::empty();
    let (mut start, mut place) = (0, 0);
    for dim in whole.outs() {
        let used = part.out_dim(dim.name).map_or(0, |(dim, _)| dim.bits);
        let left = dim.bits.checked_sub(used)?;
        let (known, free) = if side == Side::Left { (start, start + used) } else { (start + left, start) };
        out_of.push(free, left, place);
        taken |= span(known, used);
        other.outs.push(Dim { name: dim.name, bits: left });
        start += dim.bits;
        place += left;
    }
    for (dim, all) in whole.by_in_dim() {
        let known = part.in_dim(dim.name).map_or(&[][..], |(_, columns)| columns);
        let left = all.len().checked_sub(known.len())?;
        let (first, second) = all.split_at_checked(if side == Side::Left { known.len() } else { left })?;
        let (mine, rest) = if side == Side::Left { (first, second) } else { (second, first) };
        if mine.iter().zip(known).any(|(mine, known)| *mine != into.one(*known)) {
            return None;
        }
        if rest.iter().any(|column| column & taken != 0) {
            return None;
        }
        out_of.extend(&mut other.columns, rest);
        other.ins.push(Dim { name: dim.name, bits: u32::try_from(left).ok()? });
    }
    let fits = same(whole.ins(), part.ins(), other.ins(), side) && same(whole.outs(), part.outs(), other.outs(), side);
    fits.then_some(other)
}

/// From a packed image of a factor to one of the whole, where the factor is the minor or the major part. Nothing when the
/// factor has an out dim that the whole does not have, or a longer one.
pub(crate) fn place(whole: &LinearLayout, part: &LinearLayout, left: bool) -> Option<Fields> {
    let mut into = Fields::none();
    let mut from = 0;
    for dim in part.outs() {
        let (there, start) = whole.out_dim(dim.name)?;
        let above = there.bits.checked_sub(dim.bits)?;
        into.push(from, dim.bits, if left { start } else { start + above });
        from += dim.bits;
    }
    Some(into)
}

/// Whether the dims of both factors merge to those of the whole. They do when those of the known factor stand in the
/// order of the whole.
fn same(whole: &[Dim], known: &[Dim], other: &[Dim], side: Side) -> bool {
    let mut rest = whole.iter();
    let (minor, major) = if side == Side::Left { (known, other) } else { (other, known) };
    known.iter().all(|dim| rest.any(|other| other.name == dim.name)) || merges(minor, major, whole)
}
