//! [`Expression`]: an offset as an index expression over named ranges, in the syntax of C.
//!
//! `i<16, j<8: (i/8)*64 + i%8 + j*8` names the ranges, the first the fastest, and then the offset. The operators are
//! `+ - * / % & | ^ << >>` with the precedence of C, and `//` is Python's `/`; numbers are decimal or `0x…`.
//! `threadIdx.x` is the name `threadIdx_x`. As in C on unsigned numbers, what is
//! divided, shifted or taken for bits must not be negative: that is an error at the first point where it is.

use std::str::FromStr;

use super::parse::{begins_with_ranges, parse, parse_start};
use super::tree::Tree;
use crate::axis::Axis;
use crate::error::{Code, Error};

/// An offset over the points of a box, as an expression.
///
/// ```
/// use bitstride::map::{Expression, Family};
/// let packed: Expression = "i<32, j<32: (i%8)*4 + (i/8) ^ (j & 3)".parse()?;
/// assert_eq!(packed.at(&[9, 2])?, 7);
/// assert_eq!(packed.to_string(), "i<32, j<32: ((i%8)*4 + i/8) ^ (j & 3)");
/// assert_eq!(packed.fit()?.found.map(|(family, _)| family), Some(Family::Linear));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    pub(crate) axes: Vec<Axis>,
    pub(crate) tree: Tree,
}

impl Expression {
    /// The ranges.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The expression at the start of a text, and how many bytes it has; none where the text does not begin with ranges.
    ///
    /// # Errors
    /// As [`Expression::from_str`].
    ///
    /// ```
    /// use bitstride::map::Expression;
    /// let (expression, length) = Expression::read_start("i<4: i*2, 8:1")?.ok_or_else(|| bitstride::Error::overflow("none"))?;
    /// assert_eq!((expression.at(&[3])?, length), (6, 8));
    /// assert_eq!(Expression::read_start("4:1")?, None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn read_start(text: &str) -> Result<Option<(Self, usize)>, Error> {
        if !begins_with_ranges(text) {
            return Ok(None);
        }
        let (axes, tree, length) = parse_start(text)?;
        Ok(Some((Expression { axes, tree }, length)))
    }

    /// The offset at a point.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when there is not one coordinate for each range; [`Code::Range`] for a coordinate beyond its
    /// range, a division by 0, and negative numbers that are divided, shifted or taken for bits; [`Code::Overflow`].
    pub fn at(&self, point: &[i64]) -> Result<i64, Error> {
        if point.len() != self.axes.len() {
            return Err(Error::lengths(["coordinates", "ranges"], point.len(), self.axes.len()));
        }
        if let Some((x, axis)) = point.iter().zip(&self.axes).find(|(x, axis)| **x < 0 || **x >= axis.extent) {
            return Err(error!(Code::Range, "{x} is no coordinate of {axis}", [x, axis]));
        }
        self.tree.at(point).map_err(|why| {
            let point: Vec<String> =
                self.axes.iter().zip(point).map(|(axis, x)| format!("{}={x}", axis.name)).collect();
            why.about(format!("at {}", point.join(", ")))
        })
    }
}

impl FromStr for Expression {
    type Err = Error;

    /// # Errors
    /// The codes of syntax, at the bytes at fault; [`Code::DimNamesMismatch`] for a name with two ranges.
    fn from_str(text: &str) -> Result<Self, Error> {
        let (axes, tree) = parse(text)?;
        Ok(Expression { axes, tree })
    }
}
