//! MLIR of CuTe DSL, as `CUTE_DSL_KEEP_IR` keeps it: what a file holds.
//!
//! | file | what it is |
//! |---|---|
//! | `read` | from lines to a [`Dump`] |
//! | `facts` | what a type says: [`Facts`] |
//! | `report` | a [`Dump`] as a [`Report`](crate::Report) |

mod facts;
mod read;
mod report;

use crate::Unread;

pub use facts::Facts;

/// What a file holds. Types are named by their place in [`Dump::types`].
#[derive(Clone, Debug, Default)]
pub struct Dump {
    /// How many lines the file has.
    pub lines: u64,
    /// The names that the file gives to types with a layout, as they stand.
    pub aliases: Vec<Alias>,
    /// The distinct types with a layout, by where they stand first.
    pub types: Vec<Type>,
    /// The allocations, as they stand.
    pub allocations: Vec<Allocation>,
    /// What was not read, as far as it is listed.
    pub unread: Vec<Unread>,
    /// How much was not read in all.
    pub unread_count: u64,
}

/// `!memref_smem_f16 = !cute.memref<…>`
#[derive(Clone, Debug)]
pub struct Alias {
    /// The name with its `!`.
    pub name: String,
    /// Where it stands.
    pub line: u64,
    /// The type.
    pub of: usize,
}

/// A type with a layout.
#[derive(Clone, Debug)]
pub struct Type {
    /// The type as it stands.
    pub text: String,
    /// Where it stands first.
    pub line: u64,
    /// How often it or its alias stands in the file, aliases themselves not counted.
    pub uses: u64,
    /// Whether it stands on the line in question.
    pub is_marked: bool,
    /// What it says.
    pub facts: Facts,
}

/// `%smem = cute.memref.alloca() : !memref_smem_i8`
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Where it stands.
    pub line: u64,
    /// The name of the result.
    pub name: String,
    /// The type.
    pub memory: usize,
}
