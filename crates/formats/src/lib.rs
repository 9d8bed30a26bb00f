//! Stored layouts of weights, scales and caches: which bit of which element lies where in the bytes of a checkpoint.
//!
//! | | |
//! |---|---|
//! | [`Zoo`] | the formats by name, as data; users add their own |
//! | [`Spec`], [`Definition`], [`Format`] | a name as it is typed, a format as its text says it, a format with all parameters |
//! | [`Field`], [`Places`], [`Stored`] | what a tensor holds, where its bits lie, how a value becomes bits |
//! | [`check`], [`Outcome`] | whether a reader finds what a writer stored, and how that is reported |
//! | [`holders`], [`notations`] | what each bit of a tensor holds, and how a layout is written elsewhere |
//! | [`Container`], [`weight_map`] | the tensors of `.safetensors` and `.gguf` files, and the files of a checkpoint |
//! | [`Repack`] | the tensors of one format from those of another |
//! | [`Rewrite`], [`Names`] | a file with its tensors in another format, and under other names |
//! | [`GgufHeader`] | the header of a GGUF file that is written |
//! | [`Probe`] | the layout of any packer, found by running it on numbered tensors |
//! | [`contract`], [`Promise`], [`label`] | the line that says in a file what its tensors are, what files say, and what the configuration beside them says |
//!
//! ```
//! use bitstride_formats::{Zoo, check};
//! let zoo = Zoo::builtin();
//! let (gptq, awq) = (zoo.format("gptq:k=64,n=32")?, zoo.format("awq:gemm,k=64,n=32")?);
//! let report = check::fields(gptq.field("codes")?, awq.field("codes")?)?;
//! assert!(!report.verdict.holds());
//! # Ok::<(), bitstride::Error>(())
//! ```

mod cells;
pub mod check;
mod config;
mod container;
pub mod contract;
mod definition;
mod derived;
mod expression;
mod expression_text;
mod format;
mod gguf;
mod holders;
mod index;
mod job;
mod json;
mod names;
mod notations;
mod outcome;
mod overlap;
mod pair;
mod places;
mod points;
mod probe;
mod promise;
mod repack;
mod repeated_key;
mod resolution;
mod rewrite;
mod runs;
mod safetensors_fault;
mod shape;
mod spec;
mod stack;
mod stored;
mod suggestion;
mod tensor_type;
mod values;
mod zoo;

pub use check::Verdict;
pub use config::label;
pub use container::{Container, Entry, Key, Kind};
pub use definition::{Definition, Parameter};
pub use expression::Argument;
pub use format::{Field, Format, Tensor};
pub use gguf::Header as GgufHeader;
pub use holders::{Holder, holders};
pub use index::weight_map;
pub use job::{Job, Request};
pub use json::{definition as definition_json, format as format_json, found as found_json};
pub use names::Names;
pub use notations::notations;
pub use outcome::Outcome;
pub use places::{FieldAxis, Piece, Places};
pub use probe::{Alike, Found, Input, Laid, Probe};
pub use promise::Promise;
pub use repack::Repack;
pub use rewrite::{Made, Origin, Part, Rewrite};
pub use spec::{Spec, argument};
pub use stored::Stored;
pub use zoo::Zoo;
