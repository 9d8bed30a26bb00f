//! The language of bitstride: an expression in, its true value out.
//!
//! [`evaluate`] reads a text of the [expression language](bitstride::notation) and computes it with the algebra of the crate
//! `bitstride`. The command line, `batch`, Python and the web page all use it. An answer has notes where a reader should know
//! more, such as a tile that covers more than its layout. [`explain`] shows an answer in steps, and [`operations`] lists what
//! can be called. Law: `evaluate(answer.value.to_string())` is the same value.
//!
//! ```
//! use bitstride_lang::evaluate;
//! let answer = evaluate("index_at(f32[3,5]{1,0:T(2,2)}, 17)")?;
//! assert_eq!(answer.value.to_string(), "(2,3)");
//! let answer = evaluate("convert(bf16[16,256]{1,0:T(8,128)(2,1)}, cute)")?;
//! assert_eq!(answer.value.to_string(), "((2,4,2),(128,2)):((1,256,2048),(2,1024))");
//! # Ok::<(), bitstride::Error>(())
//! ```

mod affine;
mod answer;
mod atoms;
mod bindings;
mod composition;
mod convert;
mod cpp_names;
mod derivation;
mod descriptors;
mod dialects;
mod eval;
mod field_names;
mod fit;
mod format_names;
mod forms;
mod functions;
mod hardware;
mod inference;
mod instruction;
mod instruction_parts;
mod inverse;
mod kinds;
mod law;
mod layouts;
mod linear;
mod lines;
mod mapped;
mod maps;
mod notes;
mod numbers;
mod offsets;
mod operands;
mod operation;
mod outermost;
mod parameters;
mod printed_table;
mod reading;
mod repairs;
mod sharding;
mod sheet;
mod smem;
mod spelling;
mod statements;
mod subslice;
mod swizzles;
mod symbolic;
mod tiled;
mod tuples;
mod value;
mod wrong_kind;

pub mod explain;

pub use answer::Answer;
pub use bindings::{Bindings, alias, assignment};
pub use convert::notations;
pub use eval::{call, evaluate_tree};
pub use fit::fitted;
pub use functions::{operation, operations};
pub use instruction::Instruction;
pub use lines::{bind_source, evaluate, evaluate_in, evaluate_with};
pub use operation::{Group, Operation};
pub use outermost::Outermost;
pub use parameters::{Kind, Parameter, Presence};
pub use reading::read_text;
pub use repairs::repairs;
pub use sheet::{Line, Sheet};
pub use spelling::Spelling;
pub use value::{Entry, Mapped, Offsets, Value};
