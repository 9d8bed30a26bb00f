//! What the readers of all grammars share: byte ranges of a text ([`Span`]), a place in one ([`Scanner`]), the stable codes of
//! what is wrong with it, and the limits of what is read. It knows no grammar and no value.

pub mod code;
mod scanner;
mod span;

pub(crate) use scanner::{Scanner, is_word, run, word};
pub use span::Span;

/// How deep brackets may nest, and how many indices a basis vector may have.
pub const MAX_DEPTH: usize = 128;

/// How many leaves one expression may have: integers, names, `_`, swizzles and
/// empty brackets.
pub const MAX_LEAVES: usize = 65_536;
