//! TTGIR, the form of Triton's programs in which tensors have layouts: what a file holds.
//!
//! | file | what it is |
//! |---|---|
//! | `read` | from lines to a [`Dump`] |
//! | `facts` | what a type says: [`Facts`] |
//! | `moves` | what a `convert_layout` moves: [`Movement`] |
//! | `liveness` | what shared memory is in use at once: [`Peak`] |
//! | `access` | the widest vector of a `local_load` or `local_store`: [`Vector`], and its passes over the banks |
//! | `inference` | whether a declared type follows from the operand: [`Conflict`] |
//! | `words` | an encoding in plain words |
//! | `report` | a [`Dump`] as a [`Report`](crate::Report) |

mod access;
mod facts;
mod inference;
mod liveness;
mod moves;
mod read;
mod report;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::Unread;
use bitstride::Error;
use bitstride::memory::Cost;
use bitstride::triton::Encoding;

pub use access::Vector;
pub use facts::{Facts, FactsKind, Memory, Registers};
pub use inference::Conflict;
pub use liveness::Peak;
pub use moves::{Distance, Moved, Movement};

/// What a file holds. Types are named by their place in [`Dump::types`].
#[derive(Clone, Debug, Default)]
pub struct Dump {
    /// How many lines the file has.
    pub lines: u64,
    /// How many lines `// -----` part it.
    pub sections: u64,
    /// The aliases of layouts and of spaces of memory, as they stand.
    pub aliases: Vec<Alias>,
    /// The distinct types with a layout, by where they stand first.
    pub types: Vec<Type>,
    /// The allocations, as they stand.
    pub allocations: Vec<Allocation>,
    /// The most shared memory of a function that is in use at once.
    pub peak: Peak,
    /// The operations in the file that need scratch which [`Dump::peak`] does not count.
    pub uncounted_scratch: BTreeSet<String>,
    /// The conversions, as they stand.
    pub conversions: Vec<Conversion>,
    /// Reads and writes of shared memory, as they stand.
    pub accesses: Vec<Access>,
    /// Results whose declared type does not follow from their operand, as they stand.
    pub conflicts: Vec<Inferred>,
    /// How often a type without a layout stands in the file.
    pub plain_types: u64,
    /// What was not read, as far as it is listed.
    pub unread: Vec<Unread>,
    /// How much was not read in all.
    pub unread_count: u64,
}

/// `#blocked = #ttg.blocked<{…}>`
#[derive(Clone, Debug)]
pub struct Alias {
    /// The name with its `#`.
    pub name: String,
    /// Where it stands.
    pub line: u64,
    /// The attribute with the aliases in it written out.
    pub inlined: String,
    /// The layout; nothing for a space of memory.
    pub encoding: Option<Encoding>,
    /// The layout in words.
    pub words: String,
    /// What is noted of the attribute.
    pub notes: Vec<String>,
}

/// A type with a layout.
#[derive(Clone, Debug)]
pub struct Type {
    /// The type as it stands first.
    pub text: String,
    /// Where it stands first.
    pub line: u64,
    /// How often it stands in the file.
    pub uses: u64,
    /// Whether it stands on the line in question.
    pub is_marked: bool,
    /// What it says.
    pub facts: Facts,
}

impl Type {
    /// Whether its elements are pointers.
    pub fn is_pointer(&self) -> bool {
        self.facts.element.starts_with('!')
    }
}

impl Facts {
    /// The bytes of all elements, once each.
    pub fn tensor_bytes(&self) -> Option<i64> {
        let elements = self.shape.iter().try_fold(1_i64, |all, size| all.checked_mul(*size))?;
        elements.checked_mul(self.element_bits?).map(facts::whole_bytes)
    }
}

/// `%0 = ttg.local_alloc …`
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Where it stands.
    pub line: u64,
    /// The name of the result.
    pub name: String,
    /// The type.
    pub memory: usize,
}

/// `ttg.convert_layout %0 : FROM -> TO`
#[derive(Clone, Debug)]
pub struct Conversion {
    /// Where it stands.
    pub line: u64,
    /// The type before.
    pub from: usize,
    /// The type after.
    pub to: usize,
    /// What moves.
    pub movement: Arc<Movement>,
    /// The bytes of the tensor.
    pub bytes: i64,
}

/// `tt.reshape %0 : FROM -> TO`, and other operations that only rename elements, where the two types conflict.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// Where it stands.
    pub line: u64,
    /// The operation, as `tt.reshape`.
    pub operation: String,
    /// The type of the operand.
    pub from: usize,
    /// The type of the result.
    pub to: usize,
    /// Why they conflict.
    pub conflict: Conflict,
}

/// A read or write of shared memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// Where it stands.
    pub line: u64,
    /// The operation, as `ttg.local_load`.
    pub operation: String,
    /// The type of the tensor.
    pub tensor: usize,
    /// The type of the memory.
    pub memory: usize,
    /// The widest vector, or why it is not known.
    pub vector: Result<Vector, Error>,
    /// The passes of all warps of a block over the banks of shared memory, where they are known.
    pub cost: Option<Cost>,
    /// The bytes of the tensor.
    pub bytes: i64,
}
