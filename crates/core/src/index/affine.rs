//! [`Affine`]: an affine map in MLIR syntax, `affine_map<(d0, d1) -> (d0 * 8 + d1 floordiv 4)>`.
//!
//! Dims may have any names, and are printed as `d0`, `d1`, …. Results are sums, products with constants, and
//! `floordiv`, `ceildiv` and `mod` by positive constants, which round down for negative numbers too. The text has no
//! extents: a separate box gives them.

use std::fmt::{self, Formatter};
use std::str::FromStr;

use super::faults::{expected, fault};
use super::tree::{Operator, Tree};
use crate::cast::narrow;
use crate::error::Error;
use crate::text::{Scanner, code};

/// Deeper nesting is refused.
const MAX_DEPTH: usize = 100;

/// More operators and operands are refused.
const MAX_NODES: usize = 4096;

/// Results over dims, as MLIR writes them.
///
/// ```
/// use bitstride::map::Affine;
/// let tiled: Affine = "affine_map<(i, j) -> ((i mod 8) * 128 + j + (-i) floordiv 8)>".parse()?;
/// assert_eq!(tiled.to_string(), "affine_map<(d0, d1) -> ((d0 mod 8) * 128 + d1 + (d0 * -1) floordiv 8)>");
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// How many dims there are.
    pub(crate) dims: usize,
    /// One expression in the dims for each result.
    pub(crate) results: Vec<Tree>,
}

impl Affine {
    /// How many dims it takes.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// How many results it has.
    pub fn results(&self) -> usize {
        self.results.len()
    }

    /// The results at a point.
    ///
    /// # Errors
    /// [`RankMismatch`](crate::Code::RankMismatch) when there is not one number for each dim; [`Range`](crate::Code::Range) for a divisor that is not positive;
    /// [`Overflow`](crate::Code::Overflow).
    ///
    /// ```
    /// let map: bitstride::map::Affine = "affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>".parse()?;
    /// assert_eq!(map.at(&[-1])?, [-1, 3]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn at(&self, point: &[i64]) -> Result<Vec<i64>, Error> {
        if point.len() != self.dims {
            return Err(Error::lengths(["numbers", "dims"], point.len(), self.dims));
        }
        self.results.iter().map(|result| result.at(point)).collect()
    }

    /// The affine map at the start of a text, and how many bytes it has: `affine_map<(d0) -> (d0)>` or `(d0) -> (d0)`.
    ///
    /// # Errors
    /// The codes of syntax, at the bytes at fault.
    pub fn read_start(text: &str) -> Result<(Self, usize), Error> {
        let mut reader = AffineReader { scan: Scanner::new(text), names: Vec::new(), depth: 0, nodes: 0 };
        let affine = reader.map()?;
        Ok((affine, reader.scan.at))
    }
}

struct AffineReader<'t> {
    scan: Scanner<'t>,
    names: Vec<&'t str>,
    depth: usize,
    nodes: usize,
}

impl<'t> AffineReader<'t> {
    fn require(&mut self, token: &str) -> Result<(), Error> {
        match self.scan.take(token) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{token}`"))),
        }
    }

    fn error(&self, code: &'static str, start: usize, message: impl Into<String>) -> Error {
        fault(&self.scan, code, start, message)
    }

    fn expected(&mut self, wanted: &str) -> Error {
        expected(&mut self.scan, wanted, " in an affine map", "the affine map")
    }

    fn map(&mut self) -> Result<Affine, Error> {
        let start = self.scan.at;
        // Bare, as it is printed by itself.
        let is_bare = self.scan.take("(");
        self.scan.at = start;
        if !is_bare {
            self.require("affine_map")?;
            self.require("<")?;
        }
        self.require("(")?;
        let mut closed = self.scan.take(")");
        while !closed {
            self.scan.space();
            let start = self.scan.at;
            let name = self.scan.word();
            if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                self.scan.at = start;
                return Err(self.expected("a dim such as `d0`"));
            }
            if self.names.contains(&name) {
                return Err(self.error(code::UNEXPECTED_TOKEN, start, format!("{name} is there twice")));
            }
            self.count(start)?;
            self.names.push(name);
            closed = self.scan.take(")");
            if !closed {
                self.require(",")?;
            }
        }
        if self.scan.take("[") {
            let start = self.scan.at - 1;
            let help = "write a number in place of each symbol";
            return Err(self.error(code::UNEXPECTED_TOKEN, start, "an affine map with symbols").with_help(help));
        }
        self.require("->")?;
        if !self.scan.take("(") {
            let error = self.expected("`(`");
            return Err(error.with_help("results stand in brackets: `affine_map<(d0, d1) -> (d0 * 8 + d1)>`"));
        }
        let mut results = Vec::new();
        let mut closed = self.scan.take(")");
        while !closed {
            let start = self.scan.at;
            let result = self.sum()?;
            // What is printed has brackets where the text may have none.
            if levels(&result) > MAX_DEPTH {
                return Err(self.too_deep(start));
            }
            results.push(result);
            closed = self.scan.take(")");
            if !closed && !self.scan.take(",") {
                let is_division = self.scan.rest().trim_start().starts_with(['/', '%']);
                let error = self.expected("an operator, `,` or `)`");
                return Err(match is_division {
                    true => error.with_help("affine maps divide by `floordiv`, `ceildiv` and `mod`"),
                    false => error,
                });
            }
        }
        if !is_bare {
            self.require(">")?;
        }
        Ok(Affine { dims: self.names.len(), results })
    }

    fn count(&mut self, start: usize) -> Result<(), Error> {
        self.nodes += 1;
        match self.nodes > MAX_NODES {
            true => {
                let message = format!("more than {MAX_NODES} operators and operands");
                Err(self.error(code::TOO_LONG, start, message))
            }
            false => Ok(()),
        }
    }

    fn sum(&mut self) -> Result<Tree, Error> {
        let mut left = self.product()?;
        loop {
            self.scan.space();
            let start = self.scan.at;
            // The arrow of a map is no operator.
            let operator = match (self.scan.rest().starts_with("->"), self.scan.take("+")) {
                (false, true) => Operator::Add,
                (false, false) if self.scan.take("-") => Operator::Subtract,
                _ => return Ok(left),
            };
            self.count(start)?;
            let right = self.product()?;
            left = Tree::binary(operator, left, right);
        }
    }

    fn product(&mut self) -> Result<Tree, Error> {
        let mut left = self.operand()?;
        loop {
            self.scan.space();
            let start = self.scan.at;
            let operator = if self.scan.take("*") {
                Operator::Multiply
            } else {
                match self.scan.word() {
                    "floordiv" => Operator::FloorDivide,
                    "ceildiv" => Operator::CeilDivide,
                    "mod" => Operator::Modulo,
                    _ => {
                        self.scan.at = start;
                        return Ok(left);
                    }
                }
            };
            self.count(start)?;
            let right = self.operand()?;
            left = Tree::binary(operator, left, right);
        }
    }

    fn operand(&mut self) -> Result<Tree, Error> {
        self.scan.space();
        let start = self.scan.at;
        self.count(start)?;
        if self.scan.take("(") {
            self.deeper(start)?;
            let tree = self.sum()?;
            self.depth -= 1;
            return match self.scan.take(")") {
                true => Ok(tree),
                false => Err(self.expected("an operator or `)`")),
            };
        }
        if self.scan.take("-") {
            self.scan.space();
            if self.scan.rest().starts_with(|c: char| c.is_ascii_digit()) {
                return self.number(start, -1);
            }
            self.deeper(start)?;
            let tree = self.operand()?;
            self.depth -= 1;
            return Ok(Tree::binary(Operator::Multiply, tree, Tree::Number(-1)));
        }
        if self.scan.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(start, 1);
        }
        let word = self.scan.word();
        if word.is_empty() {
            return Err(self.expected("a dim, a number or `(`"));
        }
        match self.names.iter().position(|name| *name == word) {
            Some(dim) => Ok(Tree::Coordinate(dim)),
            None => Err(self.error(code::UNKNOWN_NAME, start, format!("`{word}` is no dim of the affine map"))),
        }
    }

    fn deeper(&mut self, start: usize) -> Result<(), Error> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err(self.too_deep(start)),
            false => Ok(()),
        }
    }

    fn too_deep(&self, start: usize) -> Error {
        self.error(code::TOO_DEEP, start, format!("more than {MAX_DEPTH} levels of brackets"))
    }

    fn number(&mut self, start: usize, sign: i128) -> Result<Tree, Error> {
        let word = self.scan.word();
        let number = word.parse::<i128>().ok().and_then(|number| narrow(sign * number).ok());
        number.map(Tree::Number).ok_or_else(|| match word.bytes().all(|byte| byte.is_ascii_digit()) {
            true => {
                self.error(code::INTEGER_TOO_LARGE, start, format!("{word} does not fit in a 64-bit signed integer"))
            }
            false => self.error(code::UNEXPECTED_TOKEN, start, format!("`{word}` is no number")),
        })
    }
}

impl FromStr for Affine {
    type Err = Error;

    /// # Errors
    /// The codes of syntax, at the bytes at fault.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut reader = AffineReader { scan: Scanner::new(text), names: Vec::new(), depth: 0, nodes: 0 };
        let affine = reader.map()?;
        reader.scan.space();
        match reader.scan.rest().is_empty() {
            true => Ok(affine),
            false => Err(reader.expected("the end")),
        }
    }
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = (0..self.dims).map(|dim| format!("d{dim}")).collect();
        write!(f, "affine_map<({}) -> (", dims.join(", "))?;
        for (at, result) in self.results.iter().enumerate() {
            f.write_str(if at > 0 { ", " } else { "" })?;
            sum(f, result)?;
        }
        f.write_str(")>")
    }
}

/// A sum, or a term of one: only a sum on the right of an operator needs brackets.
fn sum(f: &mut Formatter<'_>, tree: &Tree) -> fmt::Result {
    match tree {
        Tree::Number(number) => write!(f, "{number}"),
        Tree::Coordinate(dim) => write!(f, "d{dim}"),
        Tree::Binary(operator @ (Operator::Add | Operator::Subtract), left, right) => {
            sum(f, left)?;
            write!(f, " {} ", operator.symbol())?;
            match is_sum(right) {
                true => operand(f, right),
                false => sum(f, right),
            }
        }
        Tree::Binary(operator, left, right) => {
            operand(f, left)?;
            write!(f, " {} ", operator.symbol())?;
            operand(f, right)
        }
    }
}

/// How many levels of brackets are printed.
fn levels(tree: &Tree) -> usize {
    let Tree::Binary(operator, left, right) = tree else { return 0 };
    let bracketed = |tree: &Tree| levels(tree) + usize::from(matches!(tree, Tree::Binary(..)));
    match operator {
        Operator::Add | Operator::Subtract if is_sum(right) => levels(left).max(bracketed(right)),
        Operator::Add | Operator::Subtract => levels(left).max(levels(right)),
        _ => bracketed(left).max(bracketed(right)),
    }
}

fn is_sum(tree: &Tree) -> bool {
    matches!(tree, Tree::Binary(Operator::Add | Operator::Subtract, ..))
}

fn operand(f: &mut Formatter<'_>, tree: &Tree) -> fmt::Result {
    if !matches!(tree, Tree::Binary(..)) {
        return sum(f, tree);
    }
    f.write_str("(")?;
    sum(f, tree)?;
    f.write_str(")")
}

#[cfg(test)]
#[allow(clippy::panic, reason = "that is how a test fails")]
mod tests {
    use super::Affine;

    #[test]
    fn texts_read_back() {
        for text in [
            "affine_map<() -> (7)>",
            "affine_map<(d0) -> ()>",
            "affine_map<(d0, d1) -> (d0 * 8 + d1, -3 + d1 mod 4)>",
            "affine_map<(d0) -> ((d0 * -1 - 9223372036854775807) floordiv 2 + (d0 ceildiv 3) * 2)>",
            "affine_map<(d0) -> (d0 - (d0 - (d0 + 1)) - -9223372036854775808)>",
        ] {
            let read: Affine = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.to_string(), text);
        }
        for (text, printed) in [
            ("affine_map<(i,j)->(i floordiv 4 mod 2)>", "affine_map<(d0, d1) -> ((d0 floordiv 4) mod 2)>"),
            ("affine_map<(a) -> (-a mod 4)>", "affine_map<(d0) -> ((d0 * -1) mod 4)>"),
            ("affine_map<(a) -> (- 5 - -a)>", "affine_map<(d0) -> (-5 - d0 * -1)>"),
        ] {
            assert_eq!(text.parse::<Affine>().map(|map| map.to_string()).as_deref(), Ok(printed));
        }
        for text in [
            "affine_map<(d0)[s0] -> (d0)>",
            "affine_map<(d0, d0) -> (d0)>",
            "affine_map<(d0) -> (d1)>",
            "affine_map<(d0) -> (d0 * 9223372036854775808)>",
            "affine_map<(d0) -> (d0 * 4x)>",
            "affine_map<(d0) -> (d0",
            "affine_map<(d0) -> (d0)> + 1",
        ] {
            assert!(text.parse::<Affine>().is_err(), "{text}");
        }
        let deep = format!("affine_map<(d0) -> ({}d0{})>", "(".repeat(5000), ")".repeat(5000));
        assert!(deep.parse::<Affine>().is_err());
    }
}
