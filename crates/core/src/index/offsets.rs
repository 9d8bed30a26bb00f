//! [`OffsetExpression`]: a tensor of offsets as Triton's Python computes it, `offs_m[:, None] * stride_m + tl.arange(0, 64)[None, :]`.
//!
//! `tl.arange(a, b)` counts, `x[:, None]` adds dims of size 1, and operators repeat dims of size 1, aligned at the last dim. The value
//! is [`Offsets`]: an offset, a stride for each dim, and what no strides hold, as a tree of operators. Law: at each point they are what
//! Python computes for that element. What is divided, shifted or taken for bits must not be negative.
//!
//! `a // b` and `a % b` of Triton are those of C.

use std::fmt::{self, Formatter};

use super::Expression;
use super::parse::{LEVELS, MAX_NODES};
use super::tree::{Operator, Tree};
use crate::axis::Axis;
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::linear::Name;
use crate::text::{Scanner, Span, code, word};

/// Deeper nesting is refused.
const MAX_DEPTH: usize = 64;

/// Names of the modules in which Triton's functions live.
const MODULES: [&str; 4] = ["tl", "gl", "ttgl", "triton"];

/// Functions that say something of a tensor and leave it as it is.
const HINTS: [&str; 4] = ["max_contiguous", "multiple_of", "max_constancy", "cast"];

/// The functions that are read, for messages.
const KNOWN: &str = "tl.arange, tl.program_id, tl.num_programs, tl.cdiv, tl.expand_dims, tl.broadcast_to, tl.multiple_of and tl.max_contiguous";

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
    node: Node,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
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

/// A tensor of integers: at `x` it is `offset + Σ strides·x + rest(x)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Offsets {
    extents: Vec<Int>,
    strides: Vec<Int>,
    offset: Int,
    /// What no strides hold, over the dims.
    rest: Option<Tree>,
}

impl OffsetExpression {
    /// The expression at the start of a text and how many bytes it has; none where the text begins something else.
    ///
    /// # Errors
    /// The codes of syntax, at the bytes at fault, behind a part that only such an expression has.
    pub fn read_start(text: &str) -> Result<Option<(Self, usize)>, Error> {
        let mut reader = Reader { scan: Scanner::new(text), depth: 0, nodes: 0, is_offsets: false };
        match reader.binary(0).and_then(|node| reader.ended().map(|()| node)) {
            Ok(node) if reader.is_offsets => Ok(Some((OffsetExpression { node }, reader.scan.at))),
            Err(error) if reader.is_offsets => Err(error),
            _ => Ok(None),
        }
    }

    /// Whether a text may hold such an expression anywhere.
    pub(crate) fn may_be_in(text: &str) -> bool {
        ["[:", "[None", "tl.", "gl.", "triton."].iter().any(|mark| text.contains(mark))
    }

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
    fn single(&self) -> Option<&Int> {
        (self.rest.is_none() && self.strides.iter().all(|stride| stride.is(0))).then_some(&self.offset)
    }

    /// The same over more dims, of which these are its own.
    fn placed(&self, dims: &[bool]) -> Result<Self, Error> {
        let kept: Vec<usize> = (0..dims.len()).filter(|dim| dims.get(*dim) == Some(&true)).collect();
        if kept.len() > self.extents.len() {
            return Err(Error::new(
                Code::RankMismatch,
                format!("an index of {} dims for a tensor of {}", kept.len(), self.extents.len()),
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
    fn broadcast(&self, extents: &[Int]) -> Result<Self, Error> {
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
        Error::new(Code::Profile, format!("tensors of {} and {} do not broadcast", text(&self.extents), text(extents)))
            .with_help("write the dims out: `x[:, None]` is a column, `x[None, :]` a row")
    }

    fn combine(operator: Operator, left: &Offsets, right: &Offsets) -> Result<Offsets, Error> {
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
        Error::new(
            Code::MissingFact,
            format!("the value of {n} is not known, and what its operator does depends on it"),
        )
        .with_help("give it a value on a line before: `stride_m = 64`")
    })
}

fn bounded(tree: Tree) -> Result<Tree, Error> {
    match tree.nodes() > MAX_NODES {
        true => Err(Error::new(Code::TooLarge, format!("more than {MAX_NODES} operators and operands"))),
        false => Ok(tree),
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
            Node::Name(name) => Err(Error::new(Code::UnknownName, format!("`{name}` has no value"))
                .with_help(format!("give it one on a line before: `{name} = tl.arange(0, 128)`"))),
            Node::Value(offsets) => Ok((**offsets).clone()),
            Node::Range(first, end) => {
                let (first, end) = (first.integer()?, end.integer()?);
                let extent = end.add(&first.mul(&Int::from(-1))?)?;
                if extent.value().is_some_and(|extent| extent < 1) {
                    let message = format!("tl.arange({first}, {end}) has no elements");
                    return Err(Error::new(Code::Range, message));
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
                    return Err(Error::new(
                        Code::Range,
                        format!("a tensor of {rank} dims has no place {axis} for another"),
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
            _ => Err(Error::new(Code::Kind, format!("an integer is needed here; {self} is a tensor"))),
        }
    }
}

struct Reader<'t> {
    scan: Scanner<'t>,
    depth: usize,
    nodes: usize,
    /// Whether a part was read that only such an expression has.
    is_offsets: bool,
}

impl<'t> Reader<'t> {
    fn error(&self, code: &'static str, start: usize, message: impl Into<String>) -> Error {
        Error::new(Code::Syntax(code), message).with_span(Span::new(start, self.scan.at.max(start)))
    }

    fn expected(&mut self, wanted: &str) -> Error {
        self.scan.space();
        let start = self.scan.at;
        match self.scan.rest().chars().next() {
            Some(c) => {
                self.scan.at += c.len_utf8();
                self.error(code::UNEXPECTED_TOKEN, start, format!("expected {wanted}, found `{c}`"))
            }
            None => self.error(code::UNEXPECTED_END, start, format!("expected {wanted}, but the text ends")),
        }
    }

    fn require(&mut self, token: &str) -> Result<(), Error> {
        match self.scan.take(token) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{token}`"))),
        }
    }

    /// What may follow: a bracket or a comma of what is around the expression, or a comment.
    fn ended(&mut self) -> Result<(), Error> {
        self.scan.space();
        let rest = self.scan.rest();
        if rest.is_empty()
            || rest.starts_with([')', ']', ',', ';', '#', '>', ':']) && !rest.starts_with(">=")
            || rest.starts_with("==")
        {
            return Ok(());
        }
        let error = self.expected("an operator or the end");
        Err(match rest.starts_with(['<', '>', '=', '!']) {
            true => error.with_help("a comparison makes a mask, which is no layout: write the offsets alone"),
            false => match rest.starts_with('/') {
                true => error.with_help("`/` gives fractions in Python: write `//`"),
                false => error,
            },
        })
    }

    fn count(&mut self, start: usize) -> Result<(), Error> {
        self.nodes += 1;
        match self.nodes > MAX_NODES {
            true => Err(self.error(code::TOO_LONG, start, format!("more than {MAX_NODES} operators and operands"))),
            false => Ok(()),
        }
    }

    fn binary(&mut self, level: usize) -> Result<Node, Error> {
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.scan.space();
            let start = self.scan.at;
            // `/` of Python is no operator on integers.
            let found = operators.iter().find(|(token, _)| *token != "/" && self.scan.take(token));
            let Some((_, operator)) = found else { return Ok(left) };
            self.count(start)?;
            let right = self.binary(level + 1)?;
            left = Node::Binary(*operator, Box::new(left), Box::new(right));
        }
    }

    fn signed(&mut self) -> Result<Node, Error> {
        self.scan.space();
        let start = self.scan.at;
        if !self.scan.take("-") {
            return self.operand();
        }
        self.deeper(start)?;
        let operand = self.signed()?;
        self.depth -= 1;
        Ok(match operand {
            Node::Number(n) if n > 0 => Node::Number(-n),
            other => Node::Binary(Operator::Multiply, Box::new(Node::Number(-1)), Box::new(other)),
        })
    }

    fn deeper(&mut self, start: usize) -> Result<(), Error> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err(self.error(code::TOO_DEEP, start, format!("more than {MAX_DEPTH} levels of brackets"))),
            false => Ok(()),
        }
    }

    fn operand(&mut self) -> Result<Node, Error> {
        self.scan.space();
        let start = self.scan.at;
        self.count(start)?;
        let mut node = if self.scan.take("(") {
            self.deeper(start)?;
            let before = self.is_offsets;
            let node = self.binary(0)?;
            self.depth -= 1;
            self.scan.space();
            if self.scan.rest().starts_with(',') {
                // A tuple, whose entries are read alone.
                self.is_offsets = before;
            }
            self.require(")")?;
            node
        } else {
            self.atom(start)?
        };
        loop {
            let before = self.scan.at;
            if self.scan.rest().starts_with('[') && !matches!(node, Node::Number(_)) {
                let dims = self.subscript()?;
                node = Node::Index(Box::new(node), dims);
            } else if self.scan.rest().starts_with(".to(") {
                self.scan.at += ".to(".len();
                self.skipped(before)?;
            } else {
                return Ok(node);
            }
            self.count(before)?;
        }
    }

    /// `[:, None]`
    fn subscript(&mut self) -> Result<Vec<bool>, Error> {
        let start = self.scan.at;
        self.require("[")?;
        let mut dims = Vec::new();
        loop {
            self.scan.space();
            if self.scan.take(":") {
                dims.push(true);
            } else if word(self.scan.rest()) == "None" {
                self.scan.word();
                dims.push(false);
            } else {
                return Err(self.expected("`:` for a dim or `None` for a new one"));
            }
            self.is_offsets = true;
            self.count(start)?;
            if self.scan.take("]") {
                return Ok(dims);
            }
            self.require(",")?;
            if self.scan.take("]") {
                return Ok(dims);
            }
        }
    }

    fn atom(&mut self, start: usize) -> Result<Node, Error> {
        let name = self.scan.word();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            let number = match name.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => name.parse(),
            };
            return number
                .map(Node::Number)
                .map_err(|_| self.error(code::INTEGER_TOO_LARGE, start, format!("`{name}` is no 64-bit integer")));
        }
        if name.is_empty() || matches!(name, "None" | "True" | "False") {
            self.scan.at = start;
            return Err(self.expected("a name, a number, `(` or a call such as `tl.arange(0, 128)`"));
        }
        if MODULES.contains(&name) && self.scan.rest().starts_with('.') {
            return self.function(name, start);
        }
        // No other name is called or has parts here.
        match self.scan.rest().starts_with(['(', '<', '{'])
            || self.scan.rest().starts_with('.') && !self.scan.rest().starts_with(".to(")
        {
            true => Err(self.expected("an operator")),
            false => Ok(Node::Name(name.to_owned())),
        }
    }

    /// `.arange(0, 128)` behind `tl`.
    fn function(&mut self, module: &str, start: usize) -> Result<Node, Error> {
        while self.scan.rest().starts_with('.') {
            self.scan.at += 1;
            let name = self.scan.word();
            if self.scan.rest().starts_with('.') {
                continue;
            }
            let known: Option<&'static str> =
                ["arange", "program_id", "num_programs", "cdiv", "expand_dims", "broadcast_to"]
                    .into_iter()
                    .chain(HINTS)
                    .find(|known| *known == name);
            let Some(known) = known.filter(|_| self.scan.rest().starts_with('(')) else {
                // The other modules have layouts, too.
                self.is_offsets |= module == "tl";
                let error =
                    self.error(code::UNKNOWN_NAME, start, format!("`{name}` of Triton is not read among offsets"));
                return Err(error.with_help(format!("there are {KNOWN}")));
            };
            self.is_offsets |= !matches!(known, "cdiv" | "cast");
            self.deeper(start)?;
            self.scan.at += 1;
            let node = self.called(known, start)?;
            self.depth -= 1;
            return Ok(node);
        }
        Err(self.expected("a function such as `tl.arange(0, 128)`"))
    }

    fn called(&mut self, name: &'static str, start: usize) -> Result<Node, Error> {
        let keyword = |reader: &mut Self, keyword: &str| {
            let rest = reader.scan.rest();
            let value =
                rest.trim_start().strip_prefix(keyword).map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
            if let Some(value) = value {
                reader.scan.at += rest.len() - value.len();
            }
        };
        match name {
            "arange" => {
                keyword(self, "start");
                let first = self.binary(0)?;
                self.require(",")?;
                keyword(self, "end");
                let end = self.binary(0)?;
                match self.scan.take(",") {
                    // `layout=…` of Gluon says which thread holds what.
                    true => self.skipped(start)?,
                    false => self.require(")")?,
                }
                Ok(Node::Range(Box::new(first), Box::new(end)))
            }
            "program_id" | "num_programs" => {
                keyword(self, "axis");
                let at = self.scan.at;
                let axis = match self.binary(0)? {
                    Node::Number(axis @ 0..=2) => axis,
                    _ => return Err(self.error(code::UNEXPECTED_TOKEN, at, "an axis of a grid is 0, 1 or 2")),
                };
                self.require(")")?;
                Ok(Node::Runtime(name, axis))
            }
            "cdiv" => {
                let a = self.binary(0)?;
                self.require(",")?;
                let b = self.binary(0)?;
                self.require(")")?;
                Ok(Node::CeilDivide(Box::new(a), Box::new(b)))
            }
            "expand_dims" => {
                let x = self.binary(0)?;
                self.require(",")?;
                keyword(self, "axis");
                let at = self.scan.at;
                let Node::Number(axis) = self.binary(0)? else {
                    return Err(self.error(code::UNEXPECTED_TOKEN, at, "the axis is a number"));
                };
                self.require(")")?;
                Ok(Node::Expand(Box::new(x), axis))
            }
            "broadcast_to" => {
                let x = self.binary(0)?;
                self.require(",")?;
                let close = if self.scan.take("[") { "]" } else { self.require("(").map(|()| ")")? };
                let mut sizes = vec![self.binary(0)?];
                while !self.scan.take(close) {
                    self.require(",")?;
                    if self.scan.take(close) {
                        break;
                    }
                    sizes.push(self.binary(0)?);
                }
                self.require(")")?;
                Ok(Node::Broadcast(Box::new(x), sizes))
            }
            _ => {
                let x = self.binary(0)?;
                self.require(",")?;
                self.skipped(start)?;
                Ok(x)
            }
        }
    }

    /// Passes the rest of a call, up to its bracket.
    fn skipped(&mut self, start: usize) -> Result<(), Error> {
        let mut depth = 1_usize;
        for (at, c) in self.scan.rest().char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.scan.at += at + 1;
                return Ok(());
            }
        }
        Err(self.error(code::UNBALANCED, start, "this call is never closed"))
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

impl fmt::Display for Offsets {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = |all: &[Int]| format!("({})", all.iter().map(Int::to_string).collect::<Vec<_>>().join(","));
        match self.extents.is_empty() {
            true => write!(f, "{}", self.offset),
            false => write!(f, "{}:{} + {}", text(&self.extents), text(&self.strides), self.offset),
        }
    }
}
