//! Integers in and out: arguments that are integers or tuples of them, and answers of plain numbers. All are static.

use super::operation::argument as arg;
use super::value::Value;
use bitstride::notation::element_bits;
use bitstride::{Error, Int, Tuple};

/// An argument as an integer.
pub(super) fn number(values: &[Value], at: usize) -> Result<i64, Error> {
    arg(values, at)?.as_number()
}

/// The integers of a tuple, or one integer.
pub(super) fn numbers(value: &Value) -> Result<Vec<i64>, Error> {
    value.as_shape()?.leaves().iter().map(Int::as_number).collect()
}

/// How many bits an element has: a number, or the name of a type, which in capitals reads as an unknown integer.
pub(super) fn bits(value: &Value) -> Result<i64, Error> {
    element_bits(&value.to_string()).map_or_else(|| value.as_number(), Ok)
}

/// Numbers as a tuple.
pub(super) fn tuple(numbers: &[i64]) -> Value {
    Value::from(Tuple::of(&numbers.iter().map(|n| Tuple::leaf(Int::Static(*n))).collect::<Vec<_>>()))
}

/// A number as a value.
pub(super) fn whole(n: i64) -> Value {
    Int::Static(n).into()
}
