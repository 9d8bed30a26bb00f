//! Values in vector registers of a TPU, by writing them out: a plane is cut into registers, tiles, rows of lanes and slots.

use super::{OracleError, add, count, malformed, mul};

/// A layout of vector registers: bits of an element, offsets of the first one (`None` repeats it), a tile, and which of the last
/// two dims are implicit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Registers {
    /// The bits of an element.
    pub bits: i64,
    /// The row and column of the first element.
    pub offsets: [Option<i64>; 2],
    /// Rows and columns.
    pub tile: [i64; 2],
    /// Second to last, last.
    pub implicit: [bool; 2],
}

/// An element of a value by its coordinates, or padding.
type Entry = Option<Vec<i64>>;

impl Registers {
    /// What each slot holds, by register, sublane, lane and slot, the slot the fastest.
    ///
    /// # Errors
    /// [`OracleError::TooLarge`]; [`OracleError::Malformed`] where there are too few dims or a tile is no part of a register.
    ///
    /// ```
    /// use bitstride_oracle::reference::Registers;
    /// let rows = Registers { bits: 16, offsets: [Some(0), Some(0)], tile: [16, 128], implicit: [false, false] };
    /// let slots = rows.contents(&[16, 128])?;
    /// assert_eq!(slots[1], Some(vec![1, 0]));
    /// assert_eq!(slots[2], Some(vec![0, 1]));
    /// # Ok::<(), bitstride_oracle::reference::OracleError>(())
    /// ```
    pub fn contents(&self, dims: &[i64]) -> Result<Vec<Entry>, OracleError> {
        let own = self.implicit.iter().filter(|implicit| !**implicit).count();
        let leading = dims.len().checked_sub(own).ok_or_else(|| malformed("too few dims"))?;
        let (before, plane) = dims.split_at(leading);
        let mut plane = plane.iter().copied();
        let mut extent = |implicit: bool| if implicit { 1 } else { plane.next().unwrap_or(1) };
        let extents = [extent(self.implicit[0]), extent(self.implicit[1])];
        let mut slots = Vec::new();
        for leading in all(before)? {
            self.plane(&leading, extents, &mut slots)?;
        }
        Ok(slots)
    }

    /// The registers of one plane.
    fn plane(&self, leading: &[i64], extents: [i64; 2], slots: &mut Vec<Entry>) -> Result<(), OracleError> {
        let [rows, columns] = self.tile;
        let packing = 32 / self.bits;
        let width = mul(packing, 1024)? / rows;
        let end = |extent: i64, offset: Option<i64>, window: i64| match offset {
            None => Ok(window),
            Some(offset) if extent > 0 => Ok(mul((add(add(offset, extent)?, window)? - 1) / window, window)?),
            Some(_) => Ok(0),
        };
        let ends = [end(extents[0], self.offsets[0], rows)?, end(extents[1], self.offsets[1], width)?];
        count(add(mul(ends[0], ends[1])?, count_of(slots)?)?)?;
        let entry = |row: i64, column: i64| {
            let mut element = leading.to_vec();
            for (side, at) in [row, column].into_iter().enumerate() {
                let index = self.offsets[side].map_or(0, |offset| at - offset);
                if index < 0 || index >= extents[side] {
                    return None;
                }
                if !self.implicit[side] {
                    element.push(index);
                }
            }
            Some(element)
        };
        for row in (0..ends[0]).step_by(step(rows)?) {
            for column in (0..ends[1]).step_by(step(width)?) {
                let mut lines: Vec<Vec<Entry>> = Vec::new();
                for tile in (column..column + width).step_by(step(columns)?) {
                    let mut written = Vec::new();
                    for own_row in row..row + rows {
                        written.extend((tile..tile + columns).map(|own_column| entry(own_row, own_column)));
                    }
                    lines.extend(written.chunks(128).map(<[Entry]>::to_vec));
                }
                for sublane in lines.chunks(step(packing)?) {
                    for lane in 0..128 {
                        slots.extend(sublane.iter().map(|line| line[lane].clone()));
                    }
                }
            }
        }
        Ok(())
    }
}

/// All indices of a box, the last dim the fastest.
fn all(dims: &[i64]) -> Result<Vec<Vec<i64>>, OracleError> {
    let mut points = vec![Vec::new()];
    for extent in dims {
        count(mul(count_of(&points)?, *extent)?)?;
        let longer = |point: &Vec<i64>| (0..*extent).map(|x| [point.as_slice(), &[x]].concat()).collect::<Vec<_>>();
        points = points.iter().flat_map(longer).collect();
    }
    Ok(points)
}

fn count_of<T>(list: &[T]) -> Result<i64, OracleError> {
    i64::try_from(list.len()).map_err(|_| OracleError::Overflow)
}

fn step(n: i64) -> Result<usize, OracleError> {
    usize::try_from(n).ok().filter(|n| *n > 0).ok_or_else(|| malformed(format!("{n} is no step")))
}
