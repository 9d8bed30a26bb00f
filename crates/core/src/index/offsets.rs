//! [`Offsets`]: a tensor of offsets as strides, and a tree of operators for what no strides hold.
//!
//! Law: an operator on two tensors is, at each point, that operator on what they are there, dims of size 1 repeated and dims aligned at the
//! last one, as in NumPy and Triton. What is divided, shifted to the right or taken for bits must not be negative.

use std::fmt::{self, Formatter};

use super::Expression;
use super::parse::MAX_NODES;
use super::tree::{Operator, Tree};
use crate::axis::Axis;
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::linear::Name;

/// A tensor of integers: at `x` it is `offset + Σ strides·x + rest(x)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Offsets {
    pub(super) extents: Vec<Int>,
    pub(super) strides: Vec<Int>,
    pub(super) offset: Int,
    /// What no strides hold, over the dims.
    pub(super) rest: Option<Tree>,
}

impl Offsets {
    /// One integer.
    pub fn number(n: Int) -> Self {
        Offsets { extents: Vec::new(), strides: Vec::new(), offset: n, rest: None }
    }

    /// An offset and a stride a dim.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] for other counts of extents and strides.
    pub fn strided(extents: Vec<Int>, strides: Vec<Int>, offset: Int) -> Result<Self, Error> {
        match extents.len() == strides.len() {
            true => Ok(Offsets { extents, strides, offset, rest: None }),
            false => Err(Error::lengths(["strides", "extents"], strides.len(), extents.len())),
        }
    }

    /// What an index expression computes, its first range the first dim.
    pub fn of_expression(expression: &Expression) -> Self {
        let extents: Vec<Int> = expression.axes.iter().map(|axis| Int::from(axis.extent)).collect();
        let strides = vec![Int::from(0); extents.len()];
        Offsets { extents, strides, offset: Int::from(0), rest: Some(expression.tree.clone()) }
    }

    /// The extents of its dims.
    pub fn extents(&self) -> &[Int] {
        &self.extents
    }

    /// The strides of its dims.
    pub fn strides(&self) -> &[Int] {
        &self.strides
    }

    /// The offset at the first element, but for what no strides hold.
    pub fn offset(&self) -> &Int {
        &self.offset
    }

    /// The offset at a point.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] where there is not one coordinate for each dim; [`Code::MissingFact`] for strides that are not known;
    /// [`Code::Range`] for what no operator takes; [`Code::Overflow`].
    pub fn at(&self, point: &[i64]) -> Result<i64, Error> {
        if point.len() != self.extents.len() {
            return Err(Error::lengths(["coordinates", "dims"], point.len(), self.extents.len()));
        }
        self.tree()?.at(point)
    }

    /// All but an offset that is not known as one expression, where strides do not hold all of it.
    ///
    /// # Errors
    /// [`Code::MissingFact`] for extents and strides that are not known.
    pub fn expression(&self) -> Result<Option<(Expression, Int)>, Error> {
        if self.rest.is_none() {
            return Ok(None);
        }
        let (constant, later) = match self.offset.value() {
            Some(_) => (self.offset.clone(), Int::from(0)),
            None => (Int::from(0), self.offset.clone()),
        };
        let tree = Offsets { offset: constant, ..self.clone() }.tree()?;
        let axis = |(dim, extent): (usize, &Int)| {
            let name = Name::new(&format!("i{dim}"))?;
            Ok(Axis { name, ..Axis::dim(dim, extent.as_number()?) })
        };
        let axes = self.extents.iter().enumerate().map(axis).collect::<Result<Vec<_>, Error>>()?;
        Ok(Some((Expression { axes, tree }, later)))
    }

    /// All of it as a tree.
    fn tree(&self) -> Result<Tree, Error> {
        let mut terms = Vec::new();
        for (dim, stride) in self.strides.iter().enumerate() {
            match needed(stride)? {
                0 => {}
                1 => terms.push(Tree::Coordinate(dim)),
                n => terms.push(Tree::binary(Operator::Multiply, Tree::Coordinate(dim), Tree::Number(n))),
            }
        }
        terms.extend(self.rest.clone());
        match needed(&self.offset)? {
            0 if !terms.is_empty() => {}
            n => terms.push(Tree::Number(n)),
        }
        let sum = terms.into_iter().reduce(|sum, term| Tree::binary(Operator::Add, sum, term));
        Ok(sum.unwrap_or(Tree::Number(0)))
    }

    /// The one number that it is.
    pub(super) fn single(&self) -> Option<&Int> {
        (self.rest.is_none() && self.strides.iter().all(|stride| stride.is(0))).then_some(&self.offset)
    }

    /// The same over more dims, of which these are its own.
    pub(super) fn placed(&self, dims: &[bool]) -> Result<Self, Error> {
        let kept: Vec<usize> = (0..dims.len()).filter(|dim| dims.get(*dim) == Some(&true)).collect();
        if kept.len() > self.extents.len() {
            return Err(error!(
                Code::RankMismatch,
                "an index of {kept_count} dims for a tensor of {extents}",
                [kept_count = kept.len(), extents = self.extents.len()]
            )
            .with_help("`:` keeps a dim, and `None` adds one"));
        }
        let mut places = kept;
        let more = self.extents.len() - places.len();
        places.extend(dims.len()..dims.len() + more);
        let mut offsets = Offsets {
            extents: vec![Int::from(1); dims.len() + more],
            strides: vec![Int::from(0); dims.len() + more],
            offset: self.offset.clone(),
            rest: self.rest.as_ref().map(|rest| rest.renumbered(&places)),
        };
        for (from, to) in places.iter().enumerate() {
            if let (Some(place), Some(extent)) = (offsets.extents.get_mut(*to), self.extents.get(from)) {
                *place = extent.clone();
            }
            if let (Some(place), Some(stride)) = (offsets.strides.get_mut(*to), self.strides.get(from)) {
                *place = stride.clone();
            }
        }
        Ok(offsets)
    }

    /// The same repeated over larger extents.
    pub(super) fn broadcast(&self, extents: &[Int]) -> Result<Self, Error> {
        let missing = extents.len().checked_sub(self.extents.len()).ok_or_else(|| self.unlike(extents))?;
        let mut dims = vec![false; missing];
        dims.resize(extents.len(), true);
        let mut offsets = self.placed(&dims)?;
        for ((own, wanted), stride) in offsets.extents.iter_mut().zip(extents).zip(&mut offsets.strides) {
            if own.is(1) {
                (*own, *stride) = (wanted.clone(), Int::from(0));
            } else if !own.same(wanted) {
                return Err(self.unlike(extents));
            }
        }
        // A dim of one element has the coordinate 0 wherever it is repeated.
        let ones: Vec<bool> =
            std::iter::repeat_n(true, missing).chain(self.extents.iter().map(|own| own.is(1))).collect();
        offsets.rest = offsets.rest.map(|rest| rest.at_zero(&ones));
        Ok(offsets)
    }

    fn unlike(&self, extents: &[Int]) -> Error {
        let text = |all: &[Int]| format!("({})", all.iter().map(Int::to_string).collect::<Vec<_>>().join(","));
        error!(
            Code::Profile,
            "tensors of {left} and {right} do not broadcast",
            [left = text(&self.extents), right = text(extents)]
        )
        .with_help("write the dims out: `x[:, None]` is a column, `x[None, :]` a row")
    }

    pub(super) fn combine(operator: Operator, left: &Offsets, right: &Offsets) -> Result<Offsets, Error> {
        let rank = left.extents.len().max(right.extents.len());
        let from_end = |offsets: &Offsets, dim: usize| {
            dim.checked_sub(rank - offsets.extents.len()).and_then(|dim| offsets.extents.get(dim)).cloned()
        };
        let extents: Vec<Int> = (0..rank)
            .map(|dim| match (from_end(left, dim), from_end(right, dim)) {
                (Some(a), Some(b)) => {
                    if a.is(1) {
                        b
                    } else {
                        a
                    }
                }
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => Int::from(1),
            })
            .collect();
        let (left, right) = (left.broadcast(&extents)?, right.broadcast(&extents)?);
        match operator {
            Operator::Add => left.plus(&right),
            Operator::Subtract => left.plus(&right.times(&Int::from(-1))?),
            Operator::Multiply if right.single().is_some() => left.times(&right.offset),
            Operator::Multiply if left.single().is_some() => right.times(&left.offset),
            Operator::Left if right.single().and_then(Int::value).is_some() => {
                left.times(&Int::from(Operator::Left.apply(1, needed(&right.offset)?)?))
            }
            _ => left.operated(operator, &right),
        }
    }

    fn plus(&self, other: &Offsets) -> Result<Offsets, Error> {
        let strides = self.strides.iter().zip(&other.strides).map(|(a, b)| a.add(b)).collect::<Result<Vec<_>, _>>()?;
        let rest = match (&self.rest, &other.rest) {
            (Some(a), Some(b)) => Some(bounded(Tree::binary(Operator::Add, a.clone(), b.clone()))?),
            (Some(only), None) | (None, Some(only)) => Some(only.clone()),
            (None, None) => None,
        };
        Ok(Offsets { extents: self.extents.clone(), strides, offset: self.offset.add(&other.offset)?, rest })
    }

    fn times(&self, by: &Int) -> Result<Offsets, Error> {
        let strides = self.strides.iter().map(|stride| stride.mul(by)).collect::<Result<Vec<_>, _>>()?;
        let rest = match &self.rest {
            Some(rest) => Some(bounded(Tree::binary(Operator::Multiply, rest.clone(), Tree::Number(needed(by)?)))?),
            None => None,
        };
        Ok(Offsets { extents: self.extents.clone(), strides, offset: self.offset.mul(by)?, rest })
    }

    /// Any other operator, which needs all numbers.
    fn operated(&self, operator: Operator, other: &Offsets) -> Result<Offsets, Error> {
        let strides = vec![Int::from(0); self.extents.len()];
        if let (Some(a), Some(b)) = (self.single(), other.single()) {
            let offset = Int::from(operator.apply(needed(a)?, needed(b)?)?);
            return Ok(Offsets { extents: self.extents.clone(), strides, offset, rest: None });
        }
        let rest = bounded(Tree::binary(operator, self.tree()?, other.tree()?))?;
        Ok(Offsets { extents: self.extents.clone(), strides, offset: Int::from(0), rest: Some(rest) })
    }
}

/// The number that an operator needs.
fn needed(n: &Int) -> Result<i64, Error> {
    n.value().ok_or_else(|| {
        error!(Code::MissingFact, "the value of {n} is not known, and what its operator does depends on it", [n])
            .with_help("give it a value on a line before: `stride_m = 64`")
    })
}

fn bounded(tree: Tree) -> Result<Tree, Error> {
    match tree.nodes() > MAX_NODES {
        true => Err(error!(Code::TooLarge, "more than {max_nodes} operators and operands", [max_nodes = MAX_NODES])),
        false => Ok(tree),
    }
}

impl fmt::Display for Offsets {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = |all: &[Int]| format!("({})", all.iter().map(Int::to_string).collect::<Vec<_>>().join(","));
        match self.extents.is_empty() {
            true => write!(f, "{}", self.offset),
            false => write!(f, "{}:{} + {}", text(&self.extents), text(&self.strides), self.offset),
        }
    }
}
