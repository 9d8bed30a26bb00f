//! [`Expression`]: an offset as an index expression over named ranges, in the syntax of C.
//!
//! `i<16, j<8: (i/8)*64 + i%8 + j*8` names the ranges, the first the fastest, and then the offset. The operators are
//! `+ - * / % & | ^ << >>` with the precedence of C; numbers are decimal or `0x…`. As in C on unsigned numbers, what is
//! divided, shifted or taken for bits must not be negative: that is an error at the first point where it is.

use std::str::FromStr;

use super::parse::{begins_with_ranges, parse, parse_start};
use super::stages::stages;
use super::tree::Tree;
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::map::fit::Table;
use crate::map::layout::size;
use crate::map::walk::Walk;
use crate::map::{Axis, Direction, Map};

/// The most points of which a table is made where no stages hold an expression.
const BUDGET: i64 = 1 << 22;

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
    pub(super) axes: Vec<Axis>,
    pub(super) tree: Tree,
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
            let message = format!("{} coordinates for {} ranges", point.len(), self.axes.len());
            return Err(Error::new(Code::RankMismatch, message));
        }
        if let Some((x, axis)) = point.iter().zip(&self.axes).find(|(x, axis)| **x < 0 || **x >= axis.extent) {
            return Err(Error::new(Code::Range, format!("{x} is no coordinate of {axis}")));
        }
        self.tree.at(point).map_err(|why| {
            let point: Vec<String> =
                self.axes.iter().zip(point).map(|(axis, x)| format!("{}={x}", axis.name)).collect();
            why.about(format!("at {}", point.join(", ")))
        })
    }

    /// The offsets of all points.
    ///
    /// # Errors
    /// [`Code::Undecided`] beyond 2^22 points; as [`Expression::at`].
    ///
    /// ```
    /// let expression: bitstride::map::Expression = "i<2, j<2: i*2 + j".parse()?;
    /// assert!(expression.table()?.fit()?.broken.is_empty());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn table(&self) -> Result<Table, Error> {
        let points = size(&self.axes)?;
        if points > BUDGET {
            let message = format!("no stages hold the expression, and its {points} points are more than {BUDGET}");
            return Err(Error::new(Code::Undecided, message));
        }
        let extents: Vec<i64> = self.axes.iter().map(|axis| axis.extent).collect();
        let mut walk = Walk::new(&extents);
        let mut offsets = Vec::new();
        while let Some(point) = walk.next() {
            offsets.push(self.at(point)?);
        }
        Table::of_axes(self.axes.clone(), offsets)
    }

    /// The map of the expression: operator by operator where stages hold it, else what its table is.
    ///
    /// # Errors
    /// [`Code::NotALayout`] where neither is; as [`Expression::table`].
    ///
    /// ```
    /// let swizzled: bitstride::map::Expression = "row<8, col<64: row*64 + (col ^ (row*8))".parse()?;
    /// assert_eq!(swizzled.to_map()?.at(&[2, 5])?, Some(vec![149]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_map(&self) -> Result<Map, Error> {
        if let Some(map) = self.chain()? {
            return Ok(map);
        }
        let fit = self.table()?.fit()?;
        fit.found.map(|(_, map)| map).ok_or_else(|| {
            let breaks: Vec<String> = fit.broken.iter().map(|(family, why)| format!("no {family}: {why}")).collect();
            let message = format!("{self} is no chain of stages, and its table is none ({})", breaks.join("; "));
            Error::new(Code::NotALayout, message)
        })
    }

    /// The map of the expression, operator by operator; none where an operator is no stage.
    pub(in crate::map) fn chain(&self) -> Result<Option<Map>, Error> {
        let Some((stages, ranges)) = stages(&self.axes, std::slice::from_ref(&self.tree))? else { return Ok(None) };
        let most = ranges.first().map_or(0, |(_, most)| *most);
        let offset = Axis::offset(narrow(most.max(-1) + 1)?);
        let map = Map::new(self.axes.clone(), stages, vec![offset], Direction::ToPlace)?;
        Ok(Some(map.with_bounds_only()))
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
