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
mod atoms;
mod bindings;
mod call;
mod convert;
mod cpp_names;
mod descriptors;
mod dialects;
mod field_names;
mod fit;
mod functions;
mod hardware;
mod inference;
mod instruction;
mod inverse;
mod law;
mod layouts;
mod linear;
mod maps;
mod methods;
mod notes;
mod numbers;
mod operands;
mod outermost;
mod parameters;
mod read;
mod repairs;
mod sharding;
mod sheet;
mod spelling;
mod subslice;
mod swizzles;
mod symbolic;
mod tiled;
mod tuples;
mod value;
mod wrong_kind;

pub mod explain;

pub use bindings::{Bindings, alias, assignment};
pub use call::call;
pub use convert::notations;
pub use fit::fitted;
pub use functions::{Group, Operation, operation, operations};
pub use instruction::Instruction;
pub use outermost::Outermost;
pub use parameters::{Kind, Parameter, Presence};
pub use repairs::repairs;
pub use sheet::{Line, Sheet};
pub use spelling::Spelling;
pub use value::{Entry, Mapped, Offsets, Value};

use bitstride::Error;
use bitstride::abridged::abridged;
use bitstride::notation::{Dialect, Expr, Ints, Reading, code, read, shared_facts};

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
/// Lines before it that give attributes an alias, as a file in MLIR begins, hold for the expression:
///
/// ```
/// use bitstride_lang::evaluate;
/// let text = "#b = #ttg.blocked<{sizePerThread=[4], threadsPerWarp=[2], warpsPerCTA=[1], order=[0]}>\n\
///             apply(tensor<8xf32, #b>, (1,1,0,0))";
/// assert_eq!(evaluate(text)?.value.to_string(), "(5)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn evaluate_in(text: &str, ints: Ints, bindings: &Bindings) -> Result<Answer, Error> {
    let (expression, start, own) = bindings::alias_lines(text, bindings)?;
    let bindings = own.as_ref().unwrap_or(bindings);
    let answer = evaluate_one(expression, ints, bindings);
    answer.map_err(|error| error.shifted(start))
}

fn evaluate_one(text: &str, ints: Ints, bindings: &Bindings) -> Result<Answer, Error> {
    let (reading, mut notes) = reading(text, ints)?;
    let tree = reading.tree;
    let tree = if bindings.is_empty() { tree } else { bindings.resolve(&tree)? };
    let (tree, renamed) = match reading.dialects.contains(&Dialect::CuteCpp) {
        true => cpp_names::as_unknowns(tree),
        false => (tree, Vec::new()),
    };
    notes.extend(renamed);
    let mut answer = evaluate_tree(&tree)?;
    answer.notes.splice(0..0, notes);
    Ok(answer)
}

/// The tree of an expression, and a note for each other system whose spelling it uses. Where integers are not spelled as `ints`
/// says, so that `_5` stands in a text, it is what CuTe's C++ prints.
///
/// # Errors
/// What the text is not, as [`read`].
///
/// ```
/// use bitstride::notation::Ints;
/// use bitstride_lang::read_text;
/// let (tree, notes) = read_text("(_8,_64):(_64,_1)", Ints::Plain)?;
/// assert_eq!((tree.to_string().as_str(), notes.len()), ("(8,64):(64,1)", 1));
/// let (tree, notes) = read_text("Layout<Shape<_8,_64>,Stride<_64,_1>>{}", Ints::Plain)?;
/// assert_eq!((tree.to_string().as_str(), notes.join("\n").as_str()), ("(8,64):(64,1)", "read as CuTe C++"));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn read_text(text: &str, ints: Ints) -> Result<(Expr, Vec<String>), Error> {
    reading(text, ints).map(|(reading, notes)| (reading.tree, notes))
}

fn reading(text: &str, ints: Ints) -> Result<(Reading, Vec<String>), Error> {
    let (reading, dynamic) = match read(text, ints) {
        Ok(reading) => (reading, false),
        Err(error) if error.code == code::CPP_INTEGER => match read(text, Ints::Cpp) {
            Ok(reading) => (reading, true),
            Err(_) => return Err(error.into()),
        },
        Err(error) => return Err(error.into()),
    };
    let dynamic = dynamic || reading.mixed;
    let mut notes = Vec::new();
    if dynamic {
        notes.push(format!("read as {}: `_8` is static, `8` dynamic", Dialect::CuteCpp));
    }
    let others = reading.dialects.iter().filter(|dialect| !(dynamic && **dialect == Dialect::CuteCpp));
    notes.extend(others.map(|dialect| format!("read as {dialect}")));
    notes.extend(reading.remarks.iter().map(|remark| (*remark).to_owned()));
    Ok((reading, notes))
}

/// The value of an expression that has been read already.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_tree(tree: &Expr) -> Result<Answer, Error> {
    let mut notes = Vec::new();
    let value = read::value(&shared_facts(tree), &mut notes)?;
    if let Value::Name(name) = &value {
        return Err(wrong_kind::unknown_name(*name).with_span(tree.span));
    }
    Ok(Answer { value, notes: notes.into_iter().map(abridged).collect() })
}
