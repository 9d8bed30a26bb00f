//! Programs of StableHLO whose tensors are sharded, as JAX lowers them and Shardy dumps them: what a file holds.
//!
//! | file | what it is |
//! |---|---|
//! | `read` | from lines to a [`Dump`] |
//! | `line` | where in a line types and shardings stand |
//! | `report` | a [`Dump`] as a [`Report`](crate::Report) |
//!
//! A sharding is that of Shardy (`sdy.sharding`, with the meshes of the file) or of XLA (`mhlo.sharding`, a text). Law: each is read
//! with the type of its tensor, and says of a device what `shard(tensor, sharding, mesh)` says of it.

mod line;
mod read;
mod report;

use bitstride::sharding::Sharding;

use crate::Unread;

/// What a file holds. Shardings are named by their place in [`Dump::shardings`].
#[derive(Clone, Debug, Default)]
pub struct Dump {
    /// The name of the module.
    pub module: String,
    /// How many lines the file has.
    pub lines: u64,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The distinct sharded tensors, by where they stand first.
    pub shardings: Vec<Sharded>,
    /// Where a tensor with a sharding gets another one.
    pub reshards: Vec<Resharded>,
    /// What was not read, as far as it is listed.
    pub unread: Vec<Unread>,
    /// How much was not read in all.
    pub unread_count: u64,
}

/// A mesh of devices.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Its name, with the `@`.
    pub name: String,
    /// Its axes, as `<["x"=2, "y"=4]>`.
    pub axes: String,
    /// Where it stands.
    pub line: u64,
}

/// A type of tensors with a sharding, and who has it.
#[derive(Clone, Debug)]
pub struct Sharded {
    /// The type, as `tensor<8x16xf32>`.
    pub tensor: String,
    /// The sharding as it is written.
    pub text: String,
    /// What it says of the devices.
    pub sharding: Sharding,
    /// Where it stands first.
    pub line: u64,
    /// The first value that has it: `%arg0`, or `result 0`.
    pub name: String,
    /// How many values have it.
    pub count: u64,
    /// Whether one stands on the line in question.
    pub is_marked: bool,
}

/// Operations that give a tensor another sharding.
#[derive(Clone, Debug)]
pub struct Resharded {
    /// The first of them: its line.
    pub line: u64,
    /// Its result.
    pub name: String,
    /// The operation, as `sdy.reshard`.
    pub operation: String,
    /// The type, as `tensor<8x16xf32>`.
    pub tensor: String,
    /// The sharding of the operand as it is written, or follows from the operation.
    pub from: String,
    /// That of the result.
    pub to: String,
    /// What the operand's says of the devices.
    pub before: Sharding,
    /// What the result's says.
    pub after: Sharding,
    /// How many there are.
    pub count: u64,
    /// Whether one stands on the line in question.
    pub is_marked: bool,
}
