//! The reader of [`OffsetExpression`], by the precedence of Python.
//!
//! Law: a text is one only where a part of it is that no other notation has, `[:, None]` or a function of Triton; behind such a part, faults are
//! errors. Names that hint at what the compiler may assume are passed over.

use super::faults::{expected, fault};
use super::offset_expression::{Node, OffsetExpression};
use super::parse::{LEVELS, MAX_NODES};
use super::tree::Operator;
use crate::error::Error;
use crate::text::{Scanner, code, word};

/// Deeper nesting is refused.
const MAX_DEPTH: usize = 64;

/// Names of the modules in which Triton's functions live.
const MODULES: [&str; 4] = ["tl", "gl", "ttgl", "triton"];

/// Functions that say something of a tensor and leave it as it is.
const HINTS: [&str; 4] = ["max_contiguous", "multiple_of", "max_constancy", "cast"];

/// The types that hold all offsets: integers of 32 bits are those in which Triton counts.
const WIDE_TYPES: [&str; 4] = ["int32", "int64", "uint32", "uint64"];

/// The functions that are read, for messages.
const KNOWN: &str = "tl.arange, tl.program_id, tl.num_programs, tl.cdiv, tl.expand_dims, tl.broadcast_to, tl.multiple_of, \
                     tl.max_contiguous, tl.make_block_ptr and tl.make_tensor_descriptor";

/// The parameters of a pointer to a block.
const BLOCK_POINTER: [&str; 6] = ["base", "shape", "strides", "offsets", "block_shape", "order"];

/// The parameters of a descriptor of blocks.
const DESCRIPTOR: [&str; 5] = ["base", "shape", "strides", "block_shape", "padding_option"];

impl OffsetExpression {
    /// The expression at the start of a text and how many bytes it has; none where the text begins something else.
    ///
    /// # Errors
    /// The codes of syntax, at the bytes at fault, behind a part that only such an expression has.
    pub fn read_start(text: &str) -> Result<Option<(Self, usize)>, Error> {
        let mut reader = OffsetReader { scan: Scanner::new(text), depth: 0, nodes: 0, is_offsets: false };
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
}

struct OffsetReader<'t> {
    scan: Scanner<'t>,
    depth: usize,
    nodes: usize,
    /// Whether a part was read that only such an expression has.
    is_offsets: bool,
}

impl<'t> OffsetReader<'t> {
    fn error(&self, code: &'static str, start: usize, message: impl Into<String>) -> Error {
        fault(&self.scan, code, start, message)
    }

    fn expected(&mut self, wanted: &str) -> Error {
        expected(&mut self.scan, wanted, "", "the text")
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
                self.integer_type(before)?;
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
            let known: Option<&'static str> = [
                "arange",
                "program_id",
                "num_programs",
                "cdiv",
                "expand_dims",
                "broadcast_to",
                "make_block_ptr",
                "make_tensor_descriptor",
            ]
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
                    true => self.skipped(start).map(drop)?,
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
            "make_block_ptr" => {
                let [base, shape, strides, offsets, sizes, order] = self.arguments(name, BLOCK_POINTER)?;
                let rank = sizes.len();
                let lists = [("shape", &shape), ("strides", &strides), ("offsets", &offsets), ("order", &order)];
                self.same_rank(start, name, rank, &lists)?;
                let mut faster: Vec<i64> = order
                    .iter()
                    .filter_map(|node| if let Node::Number(dim) = node { Some(*dim) } else { None })
                    .collect();
                faster.sort_unstable();
                if !faster.into_iter().eq((0..).take(rank)) {
                    let message = format!("the order of {name} names each of the {rank} dims once");
                    return Err(self.error(code::UNEXPECTED_TOKEN, start, message));
                }
                self.block(start, base, strides, offsets, sizes)
            }
            "make_tensor_descriptor" => {
                let [base, shape, strides, sizes, _] = self.arguments(name, DESCRIPTOR)?;
                let rank = sizes.len();
                self.same_rank(start, name, rank, &[("shape", &shape), ("strides", &strides)])?;
                if let Some(Node::Number(stride)) = strides.last()
                    && *stride != 1
                {
                    let message = format!("the last stride of {name} is 1, not {stride}");
                    return Err(self.error(code::UNEXPECTED_TOKEN, start, message));
                }
                let offsets = if self.scan.take(".load") {
                    self.require("(")?;
                    let offsets = self.list("the offsets of the block")?;
                    self.require(")")?;
                    self.same_rank(start, "load", rank, &[("offsets", &offsets)])?;
                    offsets
                } else {
                    sizes.iter().map(|_| Node::Number(0)).collect()
                };
                self.block(start, base, strides, offsets, sizes)
            }
            _ => {
                let x = self.binary(0)?;
                self.require(",")?;
                match name {
                    "cast" => self.integer_type(start)?,
                    _ => self.skipped(start).map(drop)?,
                }
                Ok(x)
            }
        }
    }

    /// The arguments of a call up to its bracket, by position or keyword; those with several entries as lists of them.
    fn arguments<const N: usize>(&mut self, name: &str, parameters: [&str; N]) -> Result<[Vec<Node>; N], Error> {
        let mut given: [Option<Vec<Node>>; N] = std::array::from_fn(|_| None);
        let mut position = 0;
        while !self.scan.take(")") {
            self.scan.space();
            let at = self.scan.at;
            let keyword = word(self.scan.rest());
            let behind = self.scan.rest().strip_prefix(keyword).unwrap_or_default().trim_start();
            let is_keyword = !keyword.is_empty() && behind.starts_with('=') && !behind.starts_with("==");
            let place = match is_keyword {
                true => parameters.iter().position(|parameter| *parameter == keyword),
                false => Some(position).filter(|position| *position < N),
            };
            let free = place.and_then(|place| Some((parameters.get(place)?, given.get_mut(place)?)));
            let Some((parameter, slot)) = free.filter(|(_, slot)| slot.is_none()) else {
                let message = format!("{name} is called with {}, each once", parameters.join(", "));
                return Err(self.error(code::UNEXPECTED_TOKEN, at, message));
            };
            if is_keyword {
                self.scan.word();
                self.require("=")?;
            }
            *slot = Some(match *parameter {
                "base" => vec![self.binary(0)?],
                "padding_option" => {
                    self.scan.space();
                    // What is read outside of the tensor moves no element.
                    self.scan.run(|c| !matches!(c, ',' | ')'));
                    Vec::new()
                }
                parameter => self.list(&format!("the {parameter} of {name} as a list"))?,
            });
            position += 1;
            self.scan.space();
            if !self.scan.rest().starts_with(')') {
                self.require(",")?;
            }
        }
        let missing = parameters.iter().zip(&given).find(|(name, given)| given.is_none() && **name != "padding_option");
        if let Some((parameter, _)) = missing {
            let at = self.scan.at;
            return Err(self.error(code::UNEXPECTED_TOKEN, at, format!("{name} needs its {parameter}")));
        }
        Ok(given.map(Option::unwrap_or_default))
    }

    /// Entries in round or square brackets.
    fn list(&mut self, wanted: &str) -> Result<Vec<Node>, Error> {
        let close = if self.scan.take("[") {
            "]"
        } else if self.scan.take("(") {
            ")"
        } else {
            return Err(self.expected(wanted));
        };
        let mut entries = Vec::new();
        while !self.scan.take(close) {
            entries.push(self.binary(0)?);
            self.scan.space();
            if !self.scan.rest().starts_with(close) {
                self.require(",")?;
            }
        }
        Ok(entries)
    }

    fn same_rank(&self, start: usize, name: &str, rank: usize, lists: &[(&str, &Vec<Node>)]) -> Result<(), Error> {
        match lists.iter().find(|(_, list)| list.len() != rank) {
            Some((what, list)) => {
                let message = format!("{name} has {} {what} for {rank} dims of a block", list.len());
                Err(self.error(code::UNEXPECTED_TOKEN, start, message))
            }
            None if rank == 0 => {
                Err(self.error(code::UNEXPECTED_TOKEN, start, format!("{name} makes blocks of 1 dim or more")))
            }
            None => Ok(()),
        }
    }

    /// The offsets of a block: along each dim it begins at an offset and goes on in steps of a stride.
    fn block(
        &mut self,
        start: usize,
        base: Vec<Node>,
        strides: Vec<Node>,
        offsets: Vec<Node>,
        sizes: Vec<Node>,
    ) -> Result<Node, Error> {
        let rank = sizes.len();
        let both = |operator: Operator, a: Node, b: Node| Node::Binary(operator, Box::new(a), Box::new(b));
        let mut sum = base.into_iter().next().unwrap_or(Node::Number(0));
        for (dim, ((stride, offset), size)) in strides.into_iter().zip(offsets).zip(sizes).enumerate() {
            // What is built counts as what is read.
            for _ in 0..5 {
                self.count(start)?;
            }
            let mut along = Node::Range(Box::new(Node::Number(0)), Box::new(size));
            if offset != Node::Number(0) {
                along = both(Operator::Add, offset, along);
            }
            if rank > 1 {
                along = Node::Index(Box::new(along), (0..rank).map(|other| other == dim).collect());
            }
            if stride != Node::Number(1) {
                along = both(Operator::Multiply, along, stride);
            }
            sum = if sum == Node::Number(0) { along } else { both(Operator::Add, sum, along) };
        }
        Ok(sum)
    }

    /// The type to which offsets are cast, up to the bracket: one that holds them all.
    fn integer_type(&mut self, start: usize) -> Result<(), Error> {
        let given = self.skipped(start)?;
        let name = given.split(['=', '.']).next_back().unwrap_or_default().trim();
        match WIDE_TYPES.contains(&name) {
            true => Ok(()),
            false => {
                let message = format!("a cast to {name} may change offsets; those to {} do not", WIDE_TYPES.join(", "));
                Err(self.error(code::UNEXPECTED_TOKEN, start, message))
            }
        }
    }

    /// Passes the rest of a call, up to its bracket, and tells what stood there.
    fn skipped(&mut self, start: usize) -> Result<&'t str, Error> {
        let mut depth = 1_usize;
        let rest = self.scan.rest();
        for (at, c) in rest.char_indices() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.scan.at += at + 1;
                return Ok(rest.get(..at).unwrap_or_default());
            }
        }
        Err(self.error(code::UNBALANCED, start, "this call is never closed"))
    }
}
