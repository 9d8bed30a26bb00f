//! [`Tree`]: the syntax tree of an index expression over the coordinates of a box, for both grammars.

use crate::error::{Code, Error};

/// An expression over the coordinates of a box.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tree {
    /// A number.
    Number(i64),
    /// The coordinate along an axis.
    Coordinate(usize),
    /// Two expressions with an operator between them.
    Binary(Operator, Box<Tree>, Box<Tree>),
}

/// The operators of C, then those of MLIR that divide downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Xor,
    Or,
    Left,
    Right,
    FloorDivide,
    CeilDivide,
    Modulo,
}

impl Tree {
    /// Two expressions with an operator between them.
    pub(crate) fn binary(operator: Operator, left: Tree, right: Tree) -> Tree {
        Tree::Binary(operator, Box::new(left), Box::new(right))
    }

    /// How many operators and operands it has.
    pub(super) fn nodes(&self) -> usize {
        match self {
            Tree::Number(_) | Tree::Coordinate(_) => 1,
            Tree::Binary(_, left, right) => 1 + left.nodes() + right.nodes(),
        }
    }

    /// The same over other axes; `places` has the new number of each.
    pub(super) fn renumbered(&self, places: &[usize]) -> Tree {
        match self {
            Tree::Number(number) => Tree::Number(*number),
            Tree::Coordinate(axis) => Tree::Coordinate(places.get(*axis).copied().unwrap_or(*axis)),
            Tree::Binary(operator, left, right) => {
                Tree::binary(*operator, left.renumbered(places), right.renumbered(places))
            }
        }
    }

    /// The same with the coordinate 0 along some axes.
    pub(super) fn at_zero(&self, axes: &[bool]) -> Tree {
        match self {
            Tree::Coordinate(axis) if axes.get(*axis) == Some(&true) => Tree::Number(0),
            Tree::Number(_) | Tree::Coordinate(_) => self.clone(),
            Tree::Binary(operator, left, right) => Tree::binary(*operator, left.at_zero(axes), right.at_zero(axes)),
        }
    }

    /// The number at a point.
    ///
    /// # Errors
    /// As [`Operator::apply`].
    pub(super) fn at(&self, point: &[i64]) -> Result<i64, Error> {
        match self {
            Tree::Number(number) => Ok(*number),
            Tree::Coordinate(axis) => Ok(point.get(*axis).copied().unwrap_or(0)),
            Tree::Binary(operator, left, right) => operator.apply(left.at(point)?, right.at(point)?),
        }
    }
}

impl Operator {
    /// How it is written.
    pub(super) fn symbol(self) -> &'static str {
        match self {
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
            Operator::FloorDivide => "floordiv",
            Operator::CeilDivide => "ceildiv",
            Operator::Modulo => "mod",
        }
    }

    /// What it makes of two numbers.
    ///
    /// # Errors
    /// [`Code::Range`] for a division by 0, or by a negative number downwards, and for negative numbers that C would
    /// divide, shift or take for bits; [`Code::Overflow`].
    pub(crate) fn apply(self, a: i64, b: i64) -> Result<i64, Error> {
        let symbol = self.symbol();
        let result = match self {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            Operator::FloorDivide | Operator::CeilDivide | Operator::Modulo if b <= 0 => {
                return Err(error!(Code::Range, "{a} {symbol} {b}: divisors are above 0", [a, symbol, b]));
            }
            Operator::FloorDivide => a.checked_div_euclid(b),
            Operator::CeilDivide => a.checked_div_euclid(b).and_then(|n| n.checked_add(i64::from(a % b != 0))),
            Operator::Modulo => a.checked_rem_euclid(b),
            _ if a < 0 || b < 0 => {
                let negative = if a < 0 { a } else { b };
                return Err(error!(
                    Code::Range,
                    "{a} {symbol} {b}: {negative} is negative, which C and others read differently",
                    [a, symbol, b, negative]
                ));
            }
            Operator::Divide | Operator::Remainder if b == 0 => {
                return Err(error!(Code::Range, "{a} {symbol} 0 is no number", [a, symbol]));
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
        result.ok_or_else(|| Error::overflow(&format!("{a} {symbol} {b}")))
    }
}
