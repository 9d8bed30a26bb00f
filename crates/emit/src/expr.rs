//! [`Pool`]: integer expressions with ranges, kept in a canonical form by the functions that make them.
//!
//! There are few kinds: constants, variables, sums with coefficients, quotients and remainders by positive constants that round
//! down, XORs of masked and shifted integers, and entries of a table. Each has a range, and the set of bits that it may have. The
//! rules use both: a remainder of what is small enough disappears, digits of one integer that follow each other become the integer
//! again, and what shares no bits is added or xored as is shorter.
//!
//! Law: what a function makes has the value that its name says, at all points of the box of the variables that pass the conditions
//! made before ([`Pool::assume_below`]). No intermediate result of an expression leaves 64 bits.

mod quotient;
mod sum;
#[cfg(test)]
mod tests;
mod xor;

use std::collections::HashMap;

use bitstride::{Code, Error, error};

/// More expressions are refused.
const MAX_NODES: usize = 1 << 16;

/// An expression of a pool, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub(crate) usize);

/// A part of an XOR: `(of & mask) << distance`, or `>> -distance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Masked {
    /// Not negative where bits of it are moved.
    pub(crate) of: Id,
    /// How far its bits are moved up.
    pub(crate) distance: i32,
    /// Which of its bits are taken, before they are moved.
    pub(crate) mask: u64,
}

/// One expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A number.
    Constant(i64),
    /// A variable, by number.
    Variable(usize),
    /// An offset and coefficients times other expressions.
    Sum {
        /// What is always added.
        offset: i64,
        /// At least one; none is a sum itself.
        terms: Vec<(Id, i64)>,
    },
    /// The quotient by a positive constant, rounded down.
    Div(Id, i64),
    /// The remainder that belongs to it.
    Mod(Id, i64),
    /// The XOR of bits, none of which goes below 0.
    Xor {
        /// What is always xored.
        flip: u64,
        /// At least one.
        terms: Vec<Masked>,
    },
    /// An entry of a table of the pool.
    Entry(usize, Id),
}

/// From where to where the values of an expression go, and the bits that they may have where none is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The least value.
    pub(crate) least: i64,
    /// The greatest value.
    pub(crate) greatest: i64,
    /// Bits that no value has are 0.
    pub(crate) ones: u64,
}

impl Range {
    pub(crate) fn new(least: i64, greatest: i64) -> Self {
        let ones = if least < 0 { u64::MAX } else { below(greatest.unsigned_abs()) };
        Range { least, greatest, ones }
    }

    pub(crate) fn is_negative(self) -> bool {
        self.least < 0
    }
}

/// All bits up to the highest of a number.
fn below(greatest: u64) -> u64 {
    u64::MAX.checked_shr(greatest.leading_zeros()).unwrap_or(0)
}

/// Expressions over variables with known ranges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    nodes: Vec<Node>,
    /// What is known where all conditions hold that were made so far.
    known: Vec<Range>,
    /// What holds where conditions made before the node hold.
    made: Vec<Range>,
    index: HashMap<Node, Id>,
    /// The extents of the variables.
    extents: Vec<i64>,
    tables: Vec<Vec<i64>>,
    /// Whether an XOR takes the terms of a sum apart.
    expand: bool,
}

fn overflow() -> Error {
    Error::overflow("an integer of the emitted function")
}

fn narrow(n: i128) -> Result<i64, Error> {
    i64::try_from(n).map_err(|_| overflow())
}

fn shifted(word: u64, distance: i32) -> u64 {
    let by = distance.unsigned_abs();
    if distance >= 0 { word.checked_shl(by).unwrap_or(0) } else { word.checked_shr(by).unwrap_or(0) }
}

/// The distance that a factor moves bits up, where it is a power of two.
fn log2(factor: i64) -> Option<i32> {
    (factor > 0 && factor.unsigned_abs().is_power_of_two())
        .then(|| i32::try_from(factor.trailing_zeros()).unwrap_or(i32::MAX))
}

impl Pool {
    /// Expressions over variables, each from 0 to below its extent; with `expand`, XORs take sums apart.
    pub(crate) fn new(extents: &[i64], expand: bool) -> Self {
        Pool { extents: extents.to_vec(), expand, ..Pool::default() }
    }

    /// An expression.
    pub(crate) fn node(&self, id: Id) -> &Node {
        self.nodes.get(id.0).unwrap_or(&Node::Constant(0))
    }

    /// The table of an entry.
    pub(crate) fn table(&self, at: usize) -> &[i64] {
        self.tables.get(at).map_or(&[], Vec::as_slice)
    }

    /// How many tables there are.
    pub(crate) fn tables(&self) -> usize {
        self.tables.len()
    }

    /// The values of an expression where the conditions made before it hold.
    pub(crate) fn range(&self, id: Id) -> Range {
        self.made.get(id.0).copied().unwrap_or(Range::new(0, 0))
    }

    fn known(&self, id: Id) -> Range {
        self.known.get(id.0).copied().unwrap_or(Range::new(0, 0))
    }

    fn add(&mut self, node: Node, range: Range) -> Result<Id, Error> {
        if let Some(id) = self.index.get(&node) {
            return Ok(*id);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(error!(
                Code::TooLarge,
                "the function has more than {max_nodes} expressions",
                [max_nodes = MAX_NODES]
            ));
        }
        let id = Id(self.nodes.len());
        self.index.insert(node.clone(), id);
        self.nodes.push(node);
        self.known.push(range);
        self.made.push(range);
        Ok(id)
    }

    /// A number.
    ///
    /// # Errors
    /// `TooLarge` when the pool is full, as all that makes expressions.
    pub(crate) fn constant(&mut self, n: i64) -> Result<Id, Error> {
        let ones = u64::try_from(n).unwrap_or(u64::MAX);
        self.add(Node::Constant(n), Range { least: n, greatest: n, ones })
    }

    /// A variable.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] for one that the pool does not have.
    pub(crate) fn variable(&mut self, at: usize) -> Result<Id, Error> {
        let extent = self.extents.get(at).copied().ok_or_else(|| {
            error!(
                Code::RankMismatch,
                "variable {at} of {extents_count} is not there",
                [at, extents_count = self.extents.len()]
            )
        })?;
        self.add(Node::Variable(at), Range::new(0, extent.saturating_sub(1).max(0)))
    }

    /// From here on, an expression is from 0 to below an extent. Nothing where it always is; otherwise the condition is the
    /// caller's to check, before anything that is made afterwards is computed.
    pub(crate) fn assume_below(&mut self, id: Id, extent: i64) -> Option<Condition> {
        let known = self.known(id);
        if known.least >= 0 && known.greatest < extent {
            return None;
        }
        if let Some(range) = self.known.get_mut(id.0) {
            let next = Range::new(known.least.max(0), known.greatest.min(extent.saturating_sub(1)).max(0));
            *range = Range { ones: next.ones & known.ones, ..next };
        }
        Some(Condition { of: id, extent, from_zero: known.least >= 0 })
    }

    /// The entry of a table at an index, which is below its length.
    ///
    /// # Errors
    /// [`Code::Range`] for an index that may lie outside of the table.
    pub(crate) fn entry(&mut self, table: &[i64], index: Id) -> Result<Id, Error> {
        let known = self.known(index);
        let [first, last] =
            [known.least, known.greatest].map(|end| usize::try_from(end).ok().and_then(|end| table.get(end)));
        if first.is_none() || last.is_none() {
            return Err(error!(
                Code::Range,
                "an index of a table of {table_count} entries leaves it",
                [table_count = table.len()]
            ));
        }
        let (least, greatest) = table.iter().fold((i64::MAX, i64::MIN), |(low, high), n| (low.min(*n), high.max(*n)));
        let at = self.tables.iter().position(|own| own == table).unwrap_or_else(|| {
            self.tables.push(table.to_vec());
            self.tables.len() - 1
        });
        self.add(Node::Entry(at, index), Range::new(least, greatest))
    }

    /// The value of an expression at a point.
    #[cfg(test)]
    fn at(&self, id: Id, point: &[i64]) -> i64 {
        let mut values: Vec<i64> = Vec::with_capacity(id.0 + 1);
        let of = |values: &[i64], id: Id| values.get(id.0).copied().unwrap_or(0);
        for node in self.nodes.iter().take(id.0 + 1) {
            values.push(match node {
                Node::Constant(n) => *n,
                Node::Variable(at) => point.get(*at).copied().unwrap_or(0),
                Node::Sum { offset, terms } => {
                    let sum = terms.iter().fold(i128::from(*offset), |sum, (id, factor)| {
                        sum + i128::from(of(&values, *id)) * i128::from(*factor)
                    });
                    i64::try_from(sum).unwrap_or(0)
                }
                Node::Div(id, by) => of(&values, *id).div_euclid(*by),
                Node::Mod(id, by) => of(&values, *id).rem_euclid(*by),
                Node::Xor { flip, terms } => {
                    let moved = |term: &Masked| {
                        shifted(u64::try_from(of(&values, term.of)).unwrap_or(0) & term.mask, term.distance)
                    };
                    let word = terms.iter().fold(*flip, |word, term| word ^ moved(term));
                    i64::try_from(word).unwrap_or(0)
                }
                Node::Entry(at, id) => {
                    let index = usize::try_from(of(&values, *id)).unwrap_or(usize::MAX);
                    self.table(*at).get(index).copied().unwrap_or(0)
                }
            });
        }
        of(&values, id)
    }
}

/// An expression that must be below an extent, and not below 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The expression.
    pub(crate) of: Id,
    /// What it must be below.
    pub(crate) extent: i64,
    /// Whether it is never below 0.
    pub(crate) from_zero: bool,
}
