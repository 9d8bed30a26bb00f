//! A layout as a matrix over F2: a row for each out bit, a column for each in bit, lowest first, the dims in order.
//!
//! Law: with the bits of a place as a column vector, the matrix times the vector is the image.

use super::bits::{bit, ones};
use super::layout::{Columns, LinearLayout};

impl LinearLayout {
    /// The matrix as rows of 0 and 1.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1], vec![3], vec![0]])], &[(Name::dim(0), 4)])?;
    /// assert_eq!(layout.matrix(), [[1, 1, 0], [0, 1, 0]]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn matrix(&self) -> Vec<Vec<u8>> {
        let entry = |row: u64, at: usize| u8::from(row & bit(at) != 0);
        self.rows().iter().map(|row| (0..self.columns().len()).map(|at| entry(*row, at)).collect()).collect()
    }

    /// The rows of the matrix as words: for each out bit, the mask of the in bits that move it.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1], vec![3], vec![0]])], &[(Name::dim(0), 4)])?;
    /// assert_eq!(layout.rows()[..], [0b011, 0b010]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn rows(&self) -> Columns {
        let mut rows: Columns = (0..self.out_bits()).map(|_| 0).collect();
        for (at, column) in self.columns().iter().enumerate() {
            for row in ones(*column) {
                if let Some(row) = rows.get_mut(row) {
                    *row |= bit(at);
                }
            }
        }
        rows
    }
}
