//! Numbers read off a layout: bits that move nothing new, and runs of consecutive elements.
//!
//! Laws: an in bit is free when its basis is a sum of earlier bases, so places that differ in free bits only, and in
//! the bits that make up for them, hold the same element. `n = num_consecutive_in_out()` places in a row of the first in
//! dim hold `n` elements in a row of the first out dim, wherever the other bits put them.

use super::Name;
use super::bits::{Echelon, bit, low};
use super::layout::{LinearLayout, unpack};
use crate::error::Error;
use crate::small::Small;

impl LinearLayout {
    /// For each in dim, the mask of its free bits: those whose basis is a sum of earlier ones. Of two equal bases the
    /// later one is free.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![1], vec![0]]), (Name::LANE, vec![vec![1], vec![2]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 4)])?;
    /// assert_eq!(layout.free_variable_masks()[..], [(Name::REGISTER, 0b10), (Name::LANE, 0b01)]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn free_variable_masks(&self) -> Small<(Name, u64), 5> {
        let mut seen = Echelon::new();
        let mut masks = Small::new();
        for (dim, columns) in self.by_in_dim() {
            let mut mask = 0;
            for (at, column) in columns.iter().enumerate() {
                if !seen.insert(*column, at) {
                    mask |= bit(at);
                }
            }
            masks.push((dim.name, mask));
        }
        masks
    }

    /// The number of places in a row of the first in dim that hold elements in a row of the first out dim: the leading
    /// bases are 1, 2, 4, …, and no other basis touches those bits.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![1], vec![2], vec![4]]), (Name::LANE, vec![vec![12]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 16)])?;
    /// assert_eq!(layout.num_consecutive_in_out(), 4);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn num_consecutive_in_out(&self) -> i64 {
        let (Some(first), Some(out)) = (self.ins().first(), self.outs().first()) else {
            return 1;
        };
        let bits = usize::try_from(first.bits.min(out.bits)).unwrap_or(0);
        let units =
            self.columns().iter().take(bits).enumerate().take_while(|(at, column)| **column == bit(*at)).count();
        let others = self.columns().iter().skip(units).fold(0, |bits, column| bits | column) & low(out.bits);
        1i64.checked_shl(others.trailing_zeros().min(u32::try_from(units).unwrap_or(0))).unwrap_or(i64::MAX)
    }

    /// The number of elements in a row along an out dim, from 0 on, that the layout reaches, whatever it does along the
    /// other out dims.
    ///
    /// # Errors
    /// [`Code::MissingDim`](crate::Code::MissingDim).
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![3]]), (Name::LANE, vec![vec![2], vec![8]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 16)])?;
    /// assert_eq!(layout.contiguous_elems_along_out_dim(Name::dim(0))?, 4);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn contiguous_elems_along_out_dim(&self, name: Name) -> Result<i64, Error> {
        let (dim, start) = self.out_dim(name).ok_or_else(|| LinearLayout::missing(name, self.outs()))?;
        let mut reached = Echelon::new();
        for (at, column) in self.columns().iter().enumerate() {
            reached.insert(column.checked_shr(start).unwrap_or(0) & low(dim.bits), at);
        }
        let units = (0..dim.bits).take_while(|at| reached.express(1 << at).is_some()).fold(0, |_, at| at + 1);
        Ok(1i64.checked_shl(units).unwrap_or(i64::MAX))
    }

    /// Whether both have the same dims in the same order and the same bases, whatever the sizes of the out dims.
    pub fn equal_ignoring_out_sizes(&self, other: &LinearLayout) -> bool {
        let named = |layout: &LinearLayout| layout.outs().iter().map(|dim| dim.name).collect::<Small<Name, 5>>();
        self.ins() == other.ins()
            && named(self) == named(other)
            && self
                .columns()
                .iter()
                .zip(other.columns())
                .all(|(mine, theirs)| unpack(self.outs(), *mine).eq(unpack(other.outs(), *theirs)))
    }
}
