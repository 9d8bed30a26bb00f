//! [`Operation`]: one operation of the expression language, with its parameters, its law in words and an example.
//!
//! The tables of the families are made of these, and [`functions`](super::functions) puts them together.

use super::answer::Answer;
use super::derivation::Derivation;
use super::parameters::{Parameter, Presence};
use super::value::Value;
use bitstride::{Code, Error, error};

/// What an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Tuples of integers, shapes and coordinates.
    Tuples,
    /// Layouts.
    Layouts,
    /// Linear layouts and encodings.
    Linear,
    /// XLA's tiled arrays.
    Tiled,
    /// Layouts of every family.
    Maps,
    /// What a machine makes of layouts.
    Hardware,
}

impl Group {
    /// What a list of operations has above those of the group.
    pub fn heading(self) -> &'static str {
        match self {
            Group::Tuples => "Tuples",
            Group::Layouts => "Layouts",
            Group::Linear => "Linear layouts and encodings",
            Group::Tiled => "XLA's tiled arrays",
            Group::Maps => "Layouts of every family",
            Group::Hardware => "What the hardware does",
        }
    }
}

/// What an operation computes from the values of its operands, with notes.
pub(super) type Compute = fn(&[Value], &mut Vec<String>) -> Result<Value, Error>;

/// As [`Compute`], for operations that apply others.
type ComputeWith = fn(&[Value], &Calls, &mut Vec<String>) -> Result<Value, Error>;

/// As [`Compute`], for operations in terms of others, which report how their answer comes about.
pub(super) type Derive = fn(&[Value], &mut Derivation, &mut Vec<String>) -> Result<Value, Error>;

/// How an operation is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Apply {
    /// From the values of its operands.
    Values(Compute),
    /// From these, and from other operations that it applies by their names.
    Calling(ComputeWith),
    /// From the values of its operands, step by step.
    Derived(Derive),
}

impl Apply {
    /// The value for operands of the right number.
    pub(super) fn to(self, values: &[Value], calls: &Calls, notes: &mut Vec<String>) -> Result<Value, Error> {
        match self {
            Apply::Values(compute) => compute(values, notes),
            Apply::Calling(compute) => compute(values, calls, notes),
            Apply::Derived(compute) => compute(values, &mut Derivation::ignored(), notes),
        }
    }
}

/// The table of operations, as those see it that are in the table themselves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    /// The operation of a name, or what was probably meant.
    pub(super) named: fn(&str) -> Result<&'static Operation, Error>,
    /// The operation of a name, applied to values.
    pub(super) call: fn(&str, &[Value]) -> Result<Answer, Error>,
}

/// One operation of the expression language.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Operation {
    /// Its name, from the family it belongs to.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// Its parameters, in order.
    pub parameters: &'static [Parameter],
    /// What it computes, in one line.
    pub law: &'static str,
    /// An expression that uses it.
    pub example: &'static str,
    pub(super) apply: Apply,
}

impl Operation {
    /// The least and the greatest number of arguments; `usize::MAX` where the last may be repeated.
    pub fn arity(&self) -> (usize, usize) {
        let given = |parameter: &&Parameter| parameter.presence != Presence::Optional;
        let least = self.parameters.iter().filter(given).count();
        match self.parameters.last() {
            Some(Parameter { presence: Presence::Repeated, .. }) => (least, usize::MAX),
            _ => (least, self.parameters.len()),
        }
    }

    /// How it is called: `complement(L, [target])`.
    ///
    /// ```
    /// use bitstride_lang::operation;
    /// let signature = operation("complement").map(|operation| operation.signature());
    /// assert_eq!(signature.as_deref(), Some("complement(L, [target])"));
    /// ```
    pub fn signature(&self) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(ToString::to_string).collect();
        format!("{}({})", self.name, parameters.join(", "))
    }

    /// The steps that lead to its value, or up to where it is refused; none of an operation that reports none.
    pub(super) fn derivation(&self, values: &[Value]) -> Derivation {
        let mut derivation = Derivation::kept();
        if let Apply::Derived(compute) = self.apply {
            // What is refused is explained by its error.
            let _ = compute(values, &mut derivation, &mut Vec::new());
        }
        derivation
    }

    pub(super) fn check_arity(&self, given: usize) -> Result<(), Error> {
        let wanted = match self.arity() {
            (least, most) if (least..=most).contains(&given) => return Ok(()),
            (least, most) if least == most => least.to_string(),
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        };
        let arguments = if wanted == "1" { "argument" } else { "arguments" };
        Err(error!(
            Code::Arity,
            "{name} takes {wanted} {arguments}, not {given}",
            [name = self.name, wanted, arguments, given]
        )
        .with_help(format!("{}, for example {}", self.signature(), self.example)))
    }
}

/// The function that makes the operations of one group, for the tables.
macro_rules! constructor {
    ($name:ident, $group:ident) => {
        $crate::operation::constructor!($name, $group, Values, Compute);
    };
    ($name:ident, $group:ident, $how:ident, $function:ident) => {
        const fn $name(
            name: &'static str,
            parameters: &'static [$crate::parameters::Parameter],
            law: &'static str,
            example: &'static str,
            apply: $crate::operation::$function,
        ) -> Operation {
            Operation {
                name,
                group: $crate::operation::Group::$group,
                parameters,
                law,
                example,
                apply: $crate::operation::Apply::$how(apply),
            }
        }
    };
}
pub(super) use constructor;

/// An argument by position; the arity has been checked.
pub(super) fn argument(values: &[Value], at: usize) -> Result<&Value, Error> {
    values.get(at).ok_or_else(|| error!(Code::Arity, "argument {argument} is missing", [argument = at + 1]))
}
