//! HLO, the form of XLA's programs in which arrays have layouts: what a file holds.
//!
//! | file | what it is |
//! |---|---|
//! | `line` | the parts of a line |
//! | `read` | from lines to a [`Dump`] |
//! | `moves` | what a copy, bitcast, reshape or transpose does to memory: [`Effect`] |
//! | `report` | a [`Dump`] as a [`Report`](crate::Report) |
//!
//! A file may be larger than memory: of an instruction its name and the number of its shape are kept until its computation ends,
//! and instructions that do the same to the same shapes are counted together.

mod line;
mod moves;
mod read;
mod report;

use std::sync::Arc;

use crate::Unread;
use bitstride::xla::{Array, Shape};

pub use moves::{Effect, Kind};

/// What a file holds. Shapes are named by their place in [`Dump::shapes`].
#[derive(Clone, Debug, Default)]
pub struct Dump {
    /// The name of the module.
    pub module: String,
    /// How many lines the file has.
    pub lines: u64,
    /// How many computations.
    pub computations: u64,
    /// How many instructions.
    pub instructions: u64,
    /// The distinct shapes, by where they stand first.
    pub shapes: Vec<ShapeUse>,
    /// Copies, bitcasts, reshapes and transposes.
    pub moves: Vec<Moves>,
    /// Parameters of the entry that are copied into another layout.
    pub parameters: Vec<Parameter>,
    /// The distinct shardings.
    pub shardings: Vec<Sharding>,
    /// What was not read, as far as it is listed.
    pub unread: Vec<Unread>,
    /// How much was not read in all.
    pub unread_count: u64,
}

/// A shape and who has it.
#[derive(Clone, Debug)]
pub struct ShapeUse {
    /// The shape.
    pub shape: Shape,
    /// Where it stands first.
    pub line: u64,
    /// The first instruction that has it.
    pub name: String,
    /// How many instructions have it.
    pub uses: u64,
    /// Whether one stands on the line in question.
    pub is_marked: bool,
}

impl ShapeUse {
    /// The array, where it is one.
    pub fn array(&self) -> Option<&Array> {
        match &self.shape {
            Shape::Array(array) | Shape::Buffer(array) => Some(array),
            _ => None,
        }
    }
}

/// Instructions that do the same to the same shapes.
#[derive(Clone, Debug)]
pub struct Moves {
    /// What they are asked.
    pub kind: Kind,
    /// The operation, as `copy-start`.
    pub opcode: String,
    /// The operand's shape.
    pub from: usize,
    /// The result's shape; of `copy-start`, of the part that is the copy.
    pub to: Arc<Array>,
    /// What they do.
    pub effect: Arc<Effect>,
    /// How many there are.
    pub count: u64,
    /// The first of them: lines, names and computations.
    pub places: Vec<Place>,
    /// Whether one stands on the line in question.
    pub is_marked: bool,
}

/// Where an instruction stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The name of the instruction.
    pub name: String,
    /// The computation.
    pub computation: Arc<str>,
}

/// A parameter of the entry that is copied into another layout.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Where it is copied.
    pub line: u64,
    /// Its name.
    pub name: String,
    /// Its number.
    pub number: Option<i64>,
    /// Its shape.
    pub shape: usize,
    /// The layout that it is copied into.
    pub to: Arc<Array>,
    /// The bytes of its elements.
    pub bytes: i64,
}

/// A sharding and who has it; what it means is not read.
#[derive(Clone, Debug)]
pub struct Sharding {
    /// The text in braces.
    pub text: String,
    /// Where it stands first.
    pub line: u64,
    /// The first instruction that has it.
    pub name: String,
    /// How many instructions have it.
    pub count: u64,
}
