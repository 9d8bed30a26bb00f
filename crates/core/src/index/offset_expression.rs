//! [`OffsetExpression`]: a tensor of offsets as Triton's Python computes it, `offs_m[:, None] * stride_m + tl.arange(0, 64)[None, :]`.
//!
//! `tl.arange(a, b)` counts, `x[:, None]` adds dims of size 1, and operators repeat them. Law: the value, [`Offsets`], is at each point what
//! Python computes for that element in integers without an end. `a // b` and `a % b` of Triton are those of C, which differ for negative numbers only.

use std::fmt::{self, Formatter};

use super::offsets::Offsets;
use super::tree::Operator;
use crate::error::{Code, Error};
use crate::int::{Int, Integer};

/// An expression of Triton's Python whose value is a tensor of offsets.
///
/// ```
/// use bitstride::map::OffsetExpression;
/// let (code, _) = OffsetExpression::read_start("tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)")?.expect("offsets");
/// let offsets = code.offsets()?;
/// let strides: Vec<String> = offsets.strides().iter().map(ToString::to_string).collect();
/// assert_eq!((offsets.extents().len(), strides.join(",")), (2, "64,1".to_owned()));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OffsetExpression {
    pub(super) node: Node,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Number(i64),
    Name(String),
    /// What a name stands for.
    Value(Box<Offsets>),
    /// `tl.arange(first, end)`
    Range(Box<Node>, Box<Node>),
    /// `tl.program_id(axis)` and the like: an integer known when the program runs.
    Runtime(&'static str, i64),
    /// `tl.cdiv(a, b)`
    CeilDivide(Box<Node>, Box<Node>),
    /// `x[:, None]`: for each dim of the result whether it is one of `x`.
    Index(Box<Node>, Vec<bool>),
    /// `tl.expand_dims(x, axis)`
    Expand(Box<Node>, i64),
    /// `tl.broadcast_to(x, (a, b))`
    Broadcast(Box<Node>, Vec<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
}

impl OffsetExpression {
    /// The names in it.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.node.visit(&mut |node| {
            if let Node::Name(name) = node {
                names.push(name.as_str());
            }
        });
        names
    }

    /// The names that have dims: those behind which an index stands.
    pub fn tensors(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.node.visit(&mut |node| {
            if let Node::Index(inner, _) | Node::Expand(inner, _) = node
                && let Node::Name(name) = &**inner
            {
                names.push(name.as_str());
            }
        });
        names
    }

    /// Puts a value in place of a name.
    pub fn bind(&mut self, name: &str, value: &Offsets) {
        self.node.visit_mut(&mut |node| {
            if matches!(node, Node::Name(own) if own == name) {
                *node = Node::Value(Box::new(value.clone()));
            }
        });
    }

    /// What it computes.
    ///
    /// # Errors
    /// [`Code::UnknownName`] for a name without a value; [`Code::Profile`] where dims do not broadcast; [`Code::MissingFact`] where
    /// an operator needs the value of an unknown; [`Code::Overflow`]; [`Code::TooLarge`].
    pub fn offsets(&self) -> Result<Offsets, Error> {
        self.node.offsets()
    }
}

impl Node {
    fn visit<'n>(&'n self, each: &mut impl FnMut(&'n Node)) {
        each(self);
        match self {
            Node::Range(a, b) | Node::CeilDivide(a, b) | Node::Binary(_, a, b) => {
                a.visit(each);
                b.visit(each);
            }
            Node::Index(x, _) | Node::Expand(x, _) => x.visit(each),
            Node::Broadcast(x, sizes) => {
                x.visit(each);
                sizes.iter().for_each(|size| size.visit(each));
            }
            Node::Number(_) | Node::Name(_) | Node::Value(_) | Node::Runtime(..) => {}
        }
    }

    fn visit_mut(&mut self, each: &mut impl FnMut(&mut Node)) {
        each(self);
        match self {
            Node::Range(a, b) | Node::CeilDivide(a, b) | Node::Binary(_, a, b) => {
                a.visit_mut(each);
                b.visit_mut(each);
            }
            Node::Index(x, _) | Node::Expand(x, _) => x.visit_mut(each),
            Node::Broadcast(x, sizes) => {
                x.visit_mut(each);
                sizes.iter_mut().for_each(|size| size.visit_mut(each));
            }
            Node::Number(_) | Node::Name(_) | Node::Value(_) | Node::Runtime(..) => {}
        }
    }

    fn offsets(&self) -> Result<Offsets, Error> {
        match self {
            Node::Number(n) => Ok(Offsets::number(Int::from(*n))),
            Node::Name(name) => Err(error!(Code::UnknownName, "`{name}` has no value", [name])
                .with_help(format!("give it one on a line before: `{name} = tl.arange(0, 128)`"))),
            Node::Value(offsets) => Ok((**offsets).clone()),
            Node::Range(first, end) => {
                let (first, end) = (first.integer()?, end.integer()?);
                let extent = end.add(&first.mul(&Int::from(-1))?)?;
                if extent.value().is_some_and(|extent| extent < 1) {
                    return Err(error!(Code::Range, "tl.arange({first}, {end}) has no elements", [first, end]));
                }
                Ok(Offsets { extents: vec![extent], strides: vec![Int::from(1)], offset: first, rest: None })
            }
            Node::Runtime(name, axis) => {
                let name = if *name == "program_id" { format!("Pid{axis}") } else { format!("Programs{axis}") };
                Ok(Offsets::number(Int::named(&name, 1)))
            }
            Node::CeilDivide(a, b) => Ok(Offsets::number(a.integer()?.ceil_div(&b.integer()?)?)),
            Node::Index(x, dims) => x.offsets()?.placed(dims),
            Node::Expand(x, axis) => {
                let offsets = x.offsets()?;
                let rank = offsets.extents.len();
                let count = crate::cast::length(rank).saturating_add(1);
                let place = if *axis < 0 { axis.saturating_add(count) } else { *axis };
                let Some(place) = usize::try_from(place).ok().filter(|place| *place <= rank) else {
                    return Err(error!(
                        Code::Range,
                        "a tensor of {rank} dims has no place {axis} for another",
                        [rank, axis]
                    ));
                };
                let dims: Vec<bool> = (0..=rank).map(|dim| dim != place).collect();
                offsets.placed(&dims)
            }
            Node::Broadcast(x, sizes) => {
                let sizes = sizes.iter().map(Node::integer).collect::<Result<Vec<_>, _>>()?;
                x.offsets()?.broadcast(&sizes)
            }
            Node::Binary(operator, a, b) => Offsets::combine(*operator, &a.offsets()?, &b.offsets()?),
        }
    }

    fn integer(&self) -> Result<Int, Error> {
        let offsets = self.offsets()?;
        match (offsets.extents.is_empty(), offsets.single()) {
            (true, Some(n)) => Ok(n.clone()),
            _ => Err(error!(Code::Kind, "an integer is needed here; {expression} is a tensor", [expression = self])),
        }
    }
}

impl fmt::Display for OffsetExpression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Node::Number(n) => write!(f, "{n}"),
            Node::Name(name) => f.write_str(name),
            Node::Value(offsets) => offsets.fmt(f),
            Node::Range(first, end) => write!(f, "tl.arange({first}, {end})"),
            Node::Runtime(name, axis) => write!(f, "tl.{name}({axis})"),
            Node::CeilDivide(a, b) => write!(f, "tl.cdiv({a}, {b})"),
            Node::Index(x, dims) => {
                let dims: Vec<&str> = dims.iter().map(|kept| if *kept { ":" } else { "None" }).collect();
                operand(f, x)?;
                write!(f, "[{}]", dims.join(", "))
            }
            Node::Expand(x, axis) => write!(f, "tl.expand_dims({x}, {axis})"),
            Node::Broadcast(x, sizes) => {
                let sizes: Vec<String> = sizes.iter().map(Node::to_string).collect();
                write!(f, "tl.broadcast_to({x}, [{}])", sizes.join(", "))
            }
            Node::Binary(operator, a, b) => {
                operand(f, a)?;
                let symbol = if *operator == Operator::Divide { "//" } else { operator.symbol() };
                write!(f, " {symbol} ")?;
                operand(f, b)
            }
        }
    }
}

/// An operand of an operator: what has operators of its own stands in brackets.
fn operand(f: &mut Formatter<'_>, node: &Node) -> fmt::Result {
    match node {
        Node::Binary(..) | Node::Number(i64::MIN..=-1) => write!(f, "({node})"),
        _ => write!(f, "{node}"),
    }
}
