//! A step and the list in which explainers write theirs down.

use crate::reading::whole_instruction;
use crate::{Value, evaluate_tree};
use bitstride::cute::Layout;
use bitstride::notation::{Ints, parse};
use bitstride::{Code, Error, Node, error};

/// One rule that fired: what it says, and an expression of the language that computes what it says.
///
/// Law: the expression evaluates to the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The rule in plain words, with its numbers.
    pub rule: String,
    /// The same as an expression, with its operands.
    pub expression: String,
    /// What the expression evaluates to.
    pub value: Value,
}

impl Step {
    /// The expression in either spelling of integers.
    pub fn expression_in(&self, ints: Ints) -> String {
        respelled(&self.expression, ints)
    }
}

/// Nobody reads more steps of one operation than this; it is closed with its answer.
const MOST_STEPS: usize = 100;

/// Steps in the order in which they were taken.
#[derive(Debug, Default)]
pub(super) struct Steps(pub(super) Vec<Step>);

impl Steps {
    /// Takes a step: evaluates the expression and writes it down with its rule.
    ///
    /// # Errors
    /// What the expression refuses, and [`Code::TooLarge`] beyond [`MOST_STEPS`]; then nothing is written down.
    pub(super) fn add(&mut self, rule: impl Into<String>, expression: impl AsRef<str>) -> Result<Value, Error> {
        if self.0.len() >= MOST_STEPS {
            return Err(error!(Code::TooLarge, "more than {most_steps} steps", [most_steps = MOST_STEPS]));
        }
        self.close(rule, expression)
    }

    /// Takes the last step, which there is always room for.
    ///
    /// # Errors
    /// What the expression refuses.
    pub(super) fn close(&mut self, rule: impl Into<String>, expression: impl AsRef<str>) -> Result<Value, Error> {
        let tree = parse(expression.as_ref(), Ints::Plain)?;
        let value = evaluate_tree(&whole_instruction(&tree))?.value;
        self.0.push(Step { rule: rule.into(), expression: tree.to_string(), value: value.clone() });
        Ok(value)
    }

    /// Takes a step whose value is a layout.
    ///
    /// # Errors
    /// As [`Steps::add`].
    pub(super) fn layout(&mut self, rule: impl Into<String>, expression: impl AsRef<str>) -> Result<Layout, Error> {
        self.add(rule, expression)?.as_layout()
    }

    /// A layout argument; a bare tuple is first said to stand for a layout.
    ///
    /// # Errors
    /// [`Code::Kind`](bitstride::Code::Kind).
    pub(super) fn argument(&mut self, value: &Value) -> Result<Layout, Error> {
        match value {
            Value::Tuple(_) => self.layout(
                format!("The bare shape {value} stands for the compact column-major layout of that shape."),
                format!("column_major({value})"),
            ),
            _ => value.as_layout(),
        }
    }

    /// The text of the last value.
    pub(super) fn last(&self) -> Option<String> {
        self.0.last().map(|step| step.value.to_string())
    }
}

/// The concatenation of modes as text: `make_layout(A, B)`, and `(A)` for one mode, which make_layout would leave bare.
pub(super) fn concatenation(modes: &[String]) -> String {
    match modes {
        [] => "():()".into(),
        [only] => format!("({only})"),
        _ => format!("make_layout({})", modes.join(", ")),
    }
}

/// The concatenation of texts in the nesting of a profile.
pub(super) fn nesting(node: Node<'_>, parts: &mut impl Iterator<Item = String>) -> String {
    if node.is_leaf() {
        return parts.next().unwrap_or_default();
    }
    let modes: Vec<String> = node.children().map(|child| nesting(child, parts)).collect();
    concatenation(&modes)
}

/// A text of the language in another spelling of integers.
pub(super) fn respelled(text: &str, ints: Ints) -> String {
    match (ints, parse(text, Ints::Plain)) {
        (Ints::Cpp, Ok(tree)) => tree.display(ints).to_string(),
        _ => text.to_owned(),
    }
}
