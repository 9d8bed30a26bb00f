//! [`Answer`]: a value with what a reader should know about it.

use super::value::Value;

/// A value with what a reader should know about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Answer {
    /// The value.
    pub value: Value,
    /// Sentences about it, in the order they arose.
    pub notes: Vec<String>,
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Answer { value, notes: Vec::new() }
    }
}
