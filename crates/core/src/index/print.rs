//! Prints an index expression in C syntax, with parentheses wherever precedence is easy to misread.
//!
//! Law: the text parses to the same tree.

use std::fmt::{self, Formatter};

use super::Expression;
use super::tree::{Operator, Tree};
use crate::axis::Axis;

impl fmt::Display for Expression {
    /// `i<16, j<8: (i/8)*64 + i%8 + j*8`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, axis) in self.axes.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{}<{}", axis.name, axis.extent)?;
        }
        f.write_str(": ")?;
        write(f, &self.axes, &self.tree)
    }
}

fn write(f: &mut Formatter<'_>, axes: &[Axis], tree: &Tree) -> fmt::Result {
    match tree {
        Tree::Number(number) => write!(f, "{number}"),
        Tree::Coordinate(axis) => match axes.get(*axis) {
            Some(axis) => write!(f, "{}", axis.name),
            None => f.write_str("0"),
        },
        Tree::Binary(operator, left, right) => {
            operand(f, axes, *operator, left, true)?;
            match is_factor(*operator) {
                true => f.write_str(operator.symbol())?,
                false => write!(f, " {} ", operator.symbol())?,
            }
            operand(f, axes, *operator, right, false)
        }
    }
}

fn is_sum(operator: Operator) -> bool {
    matches!(operator, Operator::Add | Operator::Subtract)
}

fn is_factor(operator: Operator) -> bool {
    matches!(operator, Operator::Multiply | Operator::Divide | Operator::Remainder)
}

fn operand(f: &mut Formatter<'_>, axes: &[Axis], operator: Operator, tree: &Tree, first: bool) -> fmt::Result {
    let plain = match tree {
        Tree::Binary(inner, ..) => {
            is_sum(operator) && is_factor(*inner) || first && (operator == *inner || is_sum(operator) && is_sum(*inner))
        }
        _ => true,
    };
    if plain {
        return write(f, axes, tree);
    }
    f.write_str("(")?;
    write(f, axes, tree)?;
    f.write_str(")")
}
