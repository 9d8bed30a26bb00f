//! A table over other axes: one axis as the fastest digit of another, or fixed at each of its coordinates.
//!
//! Packed fields need both: codes whose bits run across words are one layout of the joined axis of coordinates and bits, and
//! codes in bit planes are one layout at each bit. Law: a point of the new table has the offset of the point that it stands for.

use super::Table;
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::map::walk::Walk;

impl Table {
    /// The number of its axes.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// The table with an axis joined to another, of which it becomes the fastest digit; the others keep their order.
    ///
    /// # Errors
    /// [`Code::NoMode`] for axes that are not there or the same; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::{Family, Table};
    /// // Codes of 3 bits run across words of 8 bits: the last axis is the bit.
    /// let offsets = (0..16).flat_map(|k| (0..3).map(move |bit| 3 * k + bit)).map(|p| p % 8 + 64 * (p / 8)).collect();
    /// let table = Table::row_major(&[16, 3], offsets)?;
    /// assert!(table.fit()?.found.is_none());
    /// let (_, map) = table.joined(0, 1)?.fit()?.found.ok_or_else(|| bitstride::Error::overflow(""))?;
    /// assert_eq!(map.to_cute()?.to_string(), "((8,6)):((1,64))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn joined(&self, into: usize, digit: usize) -> Result<Table, Error> {
        let extents: Vec<i64> = self.axes.iter().map(|axis| axis.extent).collect();
        let (Some(size), Some(radix)) = (extents.get(into), extents.get(digit)) else { return Err(no_axis(digit)) };
        if into == digit {
            return Err(no_axis(digit));
        }
        let (radix, joined) = (*radix, narrow(i128::from(*size) * i128::from(*radix))?);
        let others = extents.iter().enumerate().filter(|(at, _)| *at != digit);
        let new: Vec<i64> = others.map(|(at, extent)| if at == into { joined } else { *extent }).collect();
        let into = into - usize::from(digit < into);
        self.over(&new, |point| {
            let mut old = point.to_vec();
            let place = old.get(into).copied().unwrap_or(0);
            if let Some(x) = old.get_mut(into) {
                *x = place / radix.max(1);
            }
            old.insert(digit.min(old.len()), place % radix.max(1));
            old
        })
    }

    /// The tables at each coordinate of an axis, in order, without that axis.
    ///
    /// # Errors
    /// [`Code::NoMode`] for an axis that is not there.
    ///
    /// ```
    /// use bitstride::map::Table;
    /// let planes = Table::row_major(&[2, 2], vec![0, 9, 1, 8])?.slices(1)?;
    /// assert_eq!(planes, [Table::new(&[2], vec![0, 1])?, Table::new(&[2], vec![9, 8])?]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn slices(&self, axis: usize) -> Result<Vec<Table>, Error> {
        let mut extents: Vec<i64> = self.axes.iter().map(|axis| axis.extent).collect();
        if axis >= extents.len() {
            return Err(no_axis(axis));
        }
        let count = extents.remove(axis);
        let slice = |at: i64| {
            self.over(&extents, |point| {
                let mut old = point.to_vec();
                old.insert(axis.min(old.len()), at);
                old
            })
        };
        (0..count).map(slice).collect()
    }

    /// The table of a box whose points stand for points of this one.
    fn over(&self, extents: &[i64], point: impl Fn(&[i64]) -> Vec<i64>) -> Result<Table, Error> {
        let mut offsets = Vec::new();
        let mut walk = Walk::new(extents);
        while let Some(new) = walk.next() {
            offsets.push(self.at(&point(new)));
        }
        Table::new(extents, offsets)
    }
}

fn no_axis(axis: usize) -> Error {
    error!(Code::NoMode, "the table has no dim{axis} to be joined or fixed", [axis])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use super::*;

    /// Every pair of axes of a table of three, against the points that they stand for.
    #[test]
    fn joined_axes_have_the_same_points() {
        let extents = [3i64, 4, 5];
        let offset = |point: [i64; 3]| point[0] * 100 + point[1] * 10 + point[2];
        let mut offsets = Vec::new();
        for flat in 0..60 {
            offsets.push(offset([flat % 3, flat / 3 % 4, flat / 12]));
        }
        let table = Table::new(&extents, offsets).unwrap();
        for (into, digit) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            let joined = table.joined(into, digit).unwrap();
            let kept: Vec<usize> = (0..3).filter(|at| *at != digit).collect();
            for flat in 0..60 {
                let point = [flat % 3, flat / 3 % 4, flat / 12];
                let new: Vec<i64> = kept
                    .iter()
                    .map(|at| if *at == into { point[into] * extents[digit] + point[digit] } else { point[*at] })
                    .collect();
                assert_eq!(joined.at(&new), offset(point), "{into} {digit} {point:?}");
            }
        }
        for axis in 0..3 {
            let slices = table.slices(axis).unwrap();
            assert_eq!(slices.len(), usize::try_from(extents[axis]).unwrap());
            for (at, slice) in (0..).zip(&slices) {
                let mut point = [1, 2, 1];
                point[axis] = at;
                let rest: Vec<i64> = (0..3).filter(|own| *own != axis).map(|own| point[own]).collect();
                assert_eq!(slice.at(&rest), offset(point));
            }
        }
        assert!(
            table.joined(0, 0).is_err()
                && table.joined(0, 3).is_err()
                && table.joined(3, 0).is_err()
                && table.slices(3).is_err()
        );
    }
}
