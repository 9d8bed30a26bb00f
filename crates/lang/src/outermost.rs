//! [`Outermost`]: the call that a whole expression is, with the values of its operands.
//!
//! A picture of a product shows its factors, and one of a comparison what is compared. Law: `call(name, operands)` is the
//! value of the expression.

use super::eval::evaluate_tree;
use super::functions::operation;
use super::operation::Operation;
use super::reading::read_text;
use super::value::Value;
use bitstride::notation::{ExprKind, Ints};

/// An operation and what it is called with.
#[derive(Clone, Debug)]
pub struct Outermost {
    /// The operation.
    pub operation: &'static Operation,
    /// The text of each operand as it was typed, and its value.
    pub operands: Vec<(String, Value)>,
}

impl Outermost {
    /// The call that a text is; `None` for what is no call, is one by modes, or is refused.
    ///
    /// ```
    /// use bitstride::notation::Ints;
    /// use bitstride_lang::Outermost;
    /// let call = Outermost::of("logical_product((2,2):(4,1), 6:1)", Ints::Plain).expect("a call");
    /// assert_eq!(call.operation.name, "logical_product");
    /// assert_eq!(call.operands[1].0, "6:1");
    /// assert!(Outermost::of("(2,2):(4,1)", Ints::Plain).is_none());
    /// ```
    pub fn of(text: &str, ints: Ints) -> Option<Self> {
        let (tree, _) = read_text(text, ints).ok()?;
        let ExprKind::Call { name, modes: None, arguments } = &tree.kind else {
            return None;
        };
        let operation = operation(&name.text)?;
        let operand = |argument: &bitstride::notation::Expr| {
            let answer = evaluate_tree(argument).ok()?;
            Some((argument.span.of(text).trim().to_owned(), answer.value))
        };
        let operands = arguments.iter().map(operand).collect::<Option<Vec<_>>>()?;
        Some(Outermost { operation, operands })
    }
}
