//! Explanations: why an expression has the value it has, rule by rule, with the numbers.
//!
//! [`explain`] evaluates an expression and writes down each rule that fired, in order: inner calls first, then the
//! calls they are arguments of. A rule is a [`Step`]: a sentence in plain words, an expression of the language with
//! the operands of the rule, and its value. So `composition((6,2):(8,2), (4,3):(3,1))` is explained by
//!
//! | expression | value |
//! |---|---|
//! | `composition((6,2):(8,2), 4:3)` | `(2,2):(24,2)` |
//! | `composition((6,2):(8,2), 3:1)` | `3:8` |
//! | `make_layout((2,2):(24,2), 3:8)` | `((2,2),3):((24,2),8)` |
//!
//! Every operation of the table is explained by what decides its answer, in the form that fits its operands:
//!
//! | operands | events |
//! |---|---|
//! | tuples | entry by entry (`entries`), pair by pair up to the one that decides (`relations`), each by the operation itself |
//! | layouts of CuTe | mode by mode: walked, filled, cut (`composition`, `complement`, `divide`, …) |
//! | linear layouts | basis by basis (`linear/bases`); the reductions of elimination, which the operation reports (`linear/elimination`) |
//! | tiled arrays | tile by tile (`tiled`), dim by dim (`arrays`) |
//! | accesses to memory | lane by lane and phase by phase (`hardware`) |
//! | tensors over devices | at the devices that decide (`sharding`) |
//! | of operations in terms of others | step by step, as the operation reports it |
//! | layouts of any family | digit by digit (`digits`), at the points that decide (`maps`) |
//!
//! Laws: each step's expression evaluates to its value; the last value is the answer; some step says more than the help
//! line of the operation. A refused expression is explained up to the rule that refuses, and then at the coordinates that
//! contradict each other. Nothing is computed here: the values come from the evaluator, the words from the operands.

mod arrays;
mod atoms;
mod bitcast;
mod block_tile;
mod coalesce;
mod codomain;
mod complement;
mod composition;
mod convert;
mod coordinate;
mod digits;
mod divide;
mod encoding;
mod entries;
mod hardware;
mod inference;
mod inverse;
mod linear;
mod make;
mod maps;
mod measure;
mod product;
mod recast;
mod refusal;
mod relations;
mod rules;
mod shapes;
mod sharding;
mod steps;
mod swizzle;
mod table;
mod text;
mod tiled;
mod tiler;
mod tree;
mod walk;
mod words;

pub use steps::Step;
pub use table::Property;

use crate::reading::whole_instruction;
use crate::{Answer, Value, evaluate_tree, read_text};
use bitstride::Error;
use bitstride::notation::{Ints, shared_facts};

/// One operation explained.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Section {
    /// The operation with its operands, inner calls already replaced by their values.
    pub title: String,
    /// What the operation computes, in one line; empty for a literal.
    pub law: &'static str,
    /// The rules that fired, in order.
    pub steps: Vec<Step>,
}

impl Section {
    /// The operation in either spelling of integers.
    pub fn title_in(&self, ints: Ints) -> String {
        steps::respelled(&self.title, ints)
    }
}

/// Why an expression has the value it has, or why it has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Explanation {
    /// The expression in canonical text.
    pub expression: String,
    /// How its integers are spelled.
    pub ints: Ints,
    /// The properties of the value; empty when there is none.
    pub table: Vec<Property>,
    /// What dynamic and unknown integers in the expression mean for the answer.
    pub assumptions: Vec<String>,
    /// The operations, inner ones first.
    pub sections: Vec<Section>,
    /// The value with its notes, or the refusal.
    pub outcome: Result<Answer, Error>,
}

impl Explanation {
    /// All steps in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.sections.iter().flat_map(|section| &section.steps)
    }

    /// The value, when the expression has one.
    pub fn value(&self) -> Option<&Value> {
        self.outcome.as_ref().ok().map(|answer| &answer.value)
    }
}

/// The explanation of an expression.
///
/// # Errors
/// What cannot be read; an expression that is read but refused is explained.
///
/// ```
/// use bitstride_lang::explain::explain;
/// let explanation = explain("complement(4:2, 24)")?;
/// let steps: Vec<String> = explanation.steps().map(|s| format!("{} = {}", s.expression, s.value)).collect();
/// assert_eq!(steps, ["div(2, 1) = 2", "ceil_div(24, 8) = 3", "coalesce(make_layout(2:1, 3:8)) = (2,3):(1,8)"]);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn explain(text: &str) -> Result<Explanation, Error> {
    explain_with(text, Ints::Plain)
}

/// The explanation of an expression in either spelling of integers.
///
/// # Errors
/// As [`explain`].
pub fn explain_with(text: &str, ints: Ints) -> Result<Explanation, Error> {
    let (parsed, notes) = read_text(text, ints)?;
    let parsed = shared_facts(&whole_instruction(&parsed)).into_owned();
    let mut outcome = evaluate_tree(&parsed);
    if let Ok(answer) = &mut outcome {
        answer.notes.splice(0..0, notes);
    }
    let table = outcome.as_ref().map(|answer| table::table(&answer.value, ints)).unwrap_or_default();
    Ok(Explanation {
        expression: parsed.display(ints).to_string(),
        ints,
        table,
        assumptions: table::assumptions(&tree::integers(&parsed)),
        sections: tree::sections(&parsed, &outcome),
        outcome,
    })
}
