//! Evaluation: a text or a tree in, its value out.
//!
//! One recursion over the tree: [`tree`] has what each literal is, [`call`] what an operation is applied to, [`methods`] the
//! chains of PyTorch and NumPy and [`tensor`] what each does to strides. Law: the value of a call is that of the operation on
//! the values of its operands.

mod call;
mod copies;
mod limits;
mod methods;
mod offsets;
mod parts;
mod strides;
mod tensor;
mod tree;
mod unknown_sizes;

pub use call::call;
pub(crate) use tree::quoted;

use crate::answer::Answer;
use crate::format_names::is_format;
use crate::reading::reading;
use crate::value::Value;
use crate::wrong_kind::unknown_name;
use bitstride::Error;
use bitstride::abridged::abridged;
use bitstride::linear::Name;
use bitstride::notation::{Expr, ExprKind, Ints, shared_facts};

/// The value of a text that an operation answered or that is put together here.
fn of_text(text: &str) -> Result<Value, Error> {
    let (reading, _) = reading(text, Ints::Plain, &|_, _| None)?;
    evaluate_tree(&reading.tree).map(|answer| answer.value)
}

/// The value of an expression that has been read already.
///
/// # Errors
/// As [`evaluate`](crate::evaluate).
pub fn evaluate_tree(tree: &Expr) -> Result<Answer, Error> {
    let mut notes = Vec::new();
    let value = tree::value(&shared_facts(tree), &mut notes)?;
    if let Value::Name(name) = &value {
        return Err(unknown_name(*name).with_span(tree.span));
    }
    // `NHWC` alone is no unknown integer.
    if let ExprKind::Unknown { name: Some(name), .. } = &tree.kind
        && is_format(name)
        && let Ok(name) = Name::new(name)
    {
        return Err(unknown_name(name).with_span(tree.span));
    }
    Ok(Answer { value, notes: notes.into_iter().map(abridged).collect() })
}
