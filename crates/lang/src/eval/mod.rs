//! Evaluation: a text or a tree in, its value out.
//!
//! One recursion over the tree: [`tree`] has what each literal is, [`call`] what an operation is applied to, and [`methods`]
//! the chains of PyTorch and NumPy. Law: the value of a call is that of the operation on the values of its operands.

mod call;
mod methods;
mod offsets;
mod tree;
mod unknown_sizes;

pub use call::call;
pub(crate) use offsets::as_offsets;
pub(crate) use tree::quoted;

use crate::answer::Answer;
use crate::bindings::Bindings;
use crate::cpp_names::as_unknowns;
use crate::format_names::is_format;
use crate::lines;
use crate::reading::reading;
use crate::value::Value;
use crate::wrong_kind::unknown_name;
use bitstride::Error;
use bitstride::abridged::abridged;
use bitstride::linear::Name;
use bitstride::notation::{Dialect, Expr, ExprKind, Ints, shared_facts};

/// The value of an expression, its integers written plainly: `5` static, `5?` dynamic.
///
/// # Errors
/// What the text or its operations refuse, with the span of the operation that refused.
///
/// ```
/// use bitstride_lang::evaluate;
/// assert_eq!(evaluate("size((4,(2,4)))")?.value.to_string(), "32");
/// assert_eq!(evaluate("coalesce((2,(1,6)):(1,(6,2)))")?.value.to_string(), "12:1");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn evaluate(text: &str) -> Result<Answer, Error> {
    evaluate_with(text, Ints::Plain)
}

/// The value of an expression in either spelling of integers.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_with(text: &str, ints: Ints) -> Result<Answer, Error> {
    evaluate_in(text, ints, &Bindings::default())
}

/// The value of an expression in which names stand for values.
///
/// # Errors
/// As [`evaluate`] and [`Bindings::resolve`].
///
/// Lines before it that give values a name, or attributes an alias as a file in MLIR begins, hold for the expression:
///
/// ```
/// use bitstride_lang::evaluate;
/// let text = "#b = #ttg.blocked<{sizePerThread=[4], threadsPerWarp=[2], warpsPerCTA=[1], order=[0]}>\n\
///             apply(tensor<8xf32, #b>, (1,1,0,0))";
/// assert_eq!(evaluate(text)?.value.to_string(), "(5)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn evaluate_in(text: &str, ints: Ints, bindings: &Bindings) -> Result<Answer, Error> {
    let is_one = !text.trim_end().contains('\n') && !text.trim_start().starts_with('#');
    match is_one.then(|| evaluate_one(text, ints, bindings)) {
        Some(Ok(answer)) => Ok(answer),
        first => lines::answered(text, ints, bindings).or(first).unwrap_or_else(|| evaluate_one(text, ints, bindings)),
    }
}

/// The value of a text that is one expression.
pub(crate) fn evaluate_one(text: &str, ints: Ints, bindings: &Bindings) -> Result<Answer, Error> {
    let (reading, mut notes) = reading(text, ints)?;
    let tree = reading.tree;
    let tree = if bindings.is_empty() { tree } else { bindings.resolve(&tree)? };
    let named = [Dialect::CuteCpp, Dialect::CuteDsl, Dialect::TritonPython];
    let (tree, renamed) = match reading.dialects.iter().any(|dialect| named.contains(dialect)) {
        true => as_unknowns(tree),
        false => (tree, Vec::new()),
    };
    notes.extend(renamed);
    let mut answer = evaluate_tree(&tree)?;
    answer.notes.splice(0..0, notes);
    Ok(answer)
}

/// The value of an expression that has been read already.
///
/// # Errors
/// As [`evaluate`].
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
