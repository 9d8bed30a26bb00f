//! Laws of operations, and whether operands obey them: `law(composition, A, B)`, which may be written `law composition(A, B)`.
//!
//! A law is a text ([`statement`]) over the operands, under the names of the parameters, and the answer `R`. It says what is true
//! of the answer, and not how the answer is found. It is checked point by point, with each point evaluated anew, so that a defect
//! of the operation shows. Law: `true` means that every requirement was checked at every point; `false` comes with the first
//! point that shows it; more than [`MAX_POINTS`] points of a requirement, fewer for long operands, are `undecided`.

mod check;
mod item;
mod statement;
mod table;
mod term;
mod words;

use super::operation::{Apply, Calls, Group, Operation, argument as arg};
use super::parameters::{GIVEN_ANSWER, OPERANDS, OPERATION};
use super::value::Value;
use bitstride::{Code, Error, error};

/// The most points of one requirement that are checked.
pub(super) const MAX_POINTS: usize = 1 << 16;

/// Both.
pub(super) const LAWS: &[Operation] = &[LAW, OBEYS];

const LAW: Operation = Operation {
    name: "law",
    group: Group::Maps,
    parameters: &[OPERATION, OPERANDS.repeated()],
    law: "whether the answer of an operation obeys its law, point by point; also written law composition(A, B)",
    example: "law(composition, (6,2):(8,2), (4,3):(3,1))",
    apply: Apply::Calling(|v, calls, notes| {
        let (operation, operands) = called(v, 0, calls)?;
        let answer = (calls.call)(operation.name, operands)?.value;
        check::check(operation, operands, &answer, calls, notes).map(Value::Bool)
    }),
};

const OBEYS: Operation = Operation {
    name: "obeys",
    group: Group::Maps,
    parameters: &[GIVEN_ANSWER, OPERATION, OPERANDS.repeated()],
    law: "whether a given answer obeys the law of an operation; also written law composition(A, B) == R",
    example: "obeys(((2,2),3):((24,2),7), composition, (6,2):(8,2), (4,3):(3,1))",
    apply: Apply::Calling(|v, calls, notes| {
        let (operation, operands) = called(v, 1, calls)?;
        operation.check_arity(operands.len())?;
        check::check(operation, operands, arg(v, 0)?, calls, notes).map(Value::Bool)
    }),
};

/// The operation that an argument names, and the operands after it.
fn called<'v>(values: &'v [Value], at: usize, calls: &Calls) -> Result<(&'static Operation, &'v [Value]), Error> {
    let name = match arg(values, at)? {
        Value::Name(name) => name.to_string(),
        Value::Text(name) => name.clone(),
        Value::Verdict(verdict) if verdict.holds() => "same".to_owned(),
        other => {
            return Err(error!(Code::Kind, "the name of an operation is needed here, not {other}", [other])
                .with_help("for example law composition((6,2):(8,2), (4,3):(3,1))"));
        }
    };
    Ok(((calls.named)(&name)?, values.get(at + 1..).unwrap_or_default()))
}

impl Operation {
    /// The law of the operation: what is true of its answer `R`, as `law` checks it. Where layouts of CuTe have one of their own,
    /// it is that.
    ///
    /// ```
    /// use bitstride_lang::operation;
    /// let law = operation("right_inverse").and_then(|operation| operation.statement());
    /// assert_eq!(law, Some("L(R(i)) == i for i < size(R)"));
    /// ```
    pub fn statement(&self) -> Option<&'static str> {
        table::laws(self.name).next().map(|law| law.text)
    }

    /// What the words of the law mean that only laws have.
    pub fn statement_words(&self) -> Vec<&'static str> {
        let words = self.statement().unwrap_or_default().split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let mut meanings: Vec<&str> = words.filter_map(words::meaning).collect();
        meanings.sort_unstable();
        meanings.dedup();
        meanings
    }
}
