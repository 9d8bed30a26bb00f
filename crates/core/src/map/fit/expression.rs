//! [`Expression`]: an offset as an index expression over named ranges, in the syntax of C.
//!
//! `i<16, j<8: (i/8)*64 + i%8 + j*8` names the ranges, the first the fastest, and then the offset. The operators are
//! `+ - * / % & | ^ << >>` with the precedence of C; numbers are decimal or `0x…`. As in C on unsigned numbers, what is
//! divided, shifted or taken for bits must not be negative: that is an error at the first point where it is.

use std::fmt;
use std::str::FromStr;

use super::parse::{Operator, Tree, parse};
use super::stages::stages;
use super::{Family, Fit, Table};
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::map::layout::size;
use crate::map::walk::Walk;
use crate::map::{Axis, Direction, Form, Map};

/// The most points of which a table is made where no stages hold an expression.
const BUDGET: i64 = 1 << 22;

/// An offset over the points of a box, as an expression.
///
/// ```
/// use bitstride::map::{Expression, Family};
/// let packed: Expression = "i<32, j<32: (i%8)*4 + (i/8) ^ (j & 3)".parse()?;
/// assert_eq!(packed.at(&[9, 2])?, 7);
/// assert_eq!(packed.fit()?.found.map(|(family, _)| family), Some(Family::Linear));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    axes: Vec<Axis>,
    tree: Tree,
}

impl Expression {
    /// The ranges.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
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

    /// The map of the expression: by stages, operator by operator, where these come to a sum over digits, whatever the
    /// extents; else from the table of all points; else the chain of stages.
    ///
    /// # Errors
    /// [`Code::Undecided`] when no stages hold it and there are more than 2^22 points; as [`Expression::at`].
    pub fn fit(&self) -> Result<Fit, Error> {
        let chain = stages(&self.axes, &self.tree)?;
        let chain = chain.map(|(stages, most)| {
            let reach = narrow(most.max(0) + 1)?;
            Map::new(self.axes.clone(), stages, vec![Axis::offset(reach)], Direction::ToPlace)
        });
        let chain = chain.transpose()?;
        if let Some(map) = &chain
            && let Ok(form) = Form::of(map)
        {
            let clean = Map::of_form(&form, map.codomain().to_vec(), Direction::ToPlace)?;
            return Ok(Fit { found: Some((Family::of(&form), clean)), broken: Vec::new() });
        }
        match (self.table(), chain) {
            (Ok(table), chain) => {
                let fit = table.fit()?;
                Ok(Fit { found: fit.found.or(chain.map(|map| (Family::Chain, map))), broken: fit.broken })
            }
            (Err(why), Some(map)) if why.code() == Code::Undecided => {
                Ok(Fit { found: Some((Family::Chain, map)), broken: Vec::new() })
            }
            (Err(why), _) => Err(why),
        }
    }
}

impl Tree {
    fn at(&self, point: &[i64]) -> Result<i64, Error> {
        match self {
            Tree::Number(number) => Ok(*number),
            Tree::Coordinate(axis) => Ok(point.get(*axis).copied().unwrap_or(0)),
            Tree::Binary(operator, left, right) => operator.apply(left.at(point)?, right.at(point)?),
        }
    }
}

impl Operator {
    pub(super) fn apply(self, a: i64, b: i64) -> Result<i64, Error> {
        let result = match self {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            _ if a < 0 || b < 0 => {
                let negative = if a < 0 { a } else { b };
                let message = format!("{a} {self} {b}: {negative} is negative, which C and others read differently");
                return Err(Error::new(Code::Range, message));
            }
            Operator::Divide | Operator::Remainder if b == 0 => {
                return Err(Error::new(Code::Range, format!("{a} {self} 0 is no number")));
            }
            Operator::Divide => a.checked_div(b),
            Operator::Remainder => a.checked_rem(b),
            Operator::And => Some(a & b),
            Operator::Xor => Some(a ^ b),
            Operator::Or => Some(a | b),
            Operator::Left => {
                let factor = u32::try_from(b).ok().and_then(|bits| 2i64.checked_pow(bits));
                if a == 0 { Some(0) } else { factor.and_then(|factor| a.checked_mul(factor)) }
            }
            Operator::Right => u32::try_from(b).ok().and_then(|bits| a.checked_shr(bits)).or(Some(0)),
        };
        result.ok_or_else(|| Error::overflow(&format!("{a} {self} {b}")))
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

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
            Operator::And => "&",
            Operator::Xor => "^",
            Operator::Or => "|",
            Operator::Left => "<<",
            Operator::Right => ">>",
        })
    }
}
