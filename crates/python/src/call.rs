//! Operations of the table by name, with arguments by position and by name.

use bitstride_lang::{Kind, Operation, Parameter, Presence, operation};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::answer::object;
use crate::error::raised;
use crate::operand::{argument, is_deep, read, with_room};
use crate::value::Value;

/// The answer of an operation for objects.
pub(crate) fn apply(
    py: Python<'_>,
    name: &str,
    arguments: &[Bound<'_, PyAny>],
    named: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let spread = spread(name, arguments)?;
    let arguments = spread.as_deref().unwrap_or(arguments);
    let kinds = kinds(name);
    let mut values =
        arguments.iter().zip(kinds).map(|(object, kind)| argument(object, kind)).collect::<PyResult<Vec<_>>>()?;
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        by_name(name, named, &mut values)?;
    }
    answered(py, name, &values)
}

/// The arguments with the entries of a last tuple or list at its place, where an operation takes integers one after another there.
fn spread<'py>(name: &str, arguments: &[Bound<'py, PyAny>]) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let parameters = operation(name).map_or(&[][..], |operation| operation.parameters);
    let is_repeated = |last: &Parameter| last.presence == Presence::Repeated && last.kind == Kind::Integer;
    let Some((last, before)) = arguments.split_last().filter(|(_, before)| before.len() + 1 == parameters.len()) else {
        return Ok(None);
    };
    let is_sequence = last.is_instance_of::<PyTuple>() || last.is_instance_of::<PyList>();
    if !is_sequence || !parameters.last().is_some_and(is_repeated) {
        return Ok(None);
    }
    let entries = last.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    Ok(Some(before.iter().cloned().chain(entries).collect()))
}

/// The answer of an operation for a value and further objects.
pub(crate) fn apply_to(name: &str, first: &Bound<'_, Value>, rest: &[&Bound<'_, PyAny>]) -> PyResult<Py<PyAny>> {
    let mut values = vec![first.get().to_value()];
    for (object, kind) in rest.iter().zip(kinds(name).skip(1)) {
        values.push(argument(object, kind)?);
    }
    answered(first.py(), name, &values)
}

/// What kinds the arguments of an operation are of: the last parameter's from there on, where it is repeated.
fn kinds(name: &str) -> impl Iterator<Item = Option<Kind>> {
    let parameters = operation(name).map_or(&[][..], |operation| operation.parameters);
    let repeated = parameters.last().filter(|parameter| parameter.presence == Presence::Repeated);
    let kind = |parameter: &Parameter| Some(parameter.kind);
    parameters.iter().map(kind).chain(std::iter::repeat(repeated.and_then(kind)))
}

/// The answer of an operation for values, while other Python threads may run.
fn answered(py: Python<'_>, name: &str, values: &[bitstride_lang::Value]) -> PyResult<Py<PyAny>> {
    let work = || with_room(is_deep(values), || bitstride_lang::call(name, values));
    object(py, py.detach(work).map_err(|error| raised(py, &error))?)
}

/// Puts arguments that are given by name at their places, which follow those given by position.
fn by_name(name: &str, named: &Bound<'_, PyDict>, values: &mut Vec<bitstride_lang::Value>) -> PyResult<()> {
    let wrong = |message: String| PyTypeError::new_err(format!("{name}() {message}"));
    let parameters: Vec<_> = operation(name).into_iter().flat_map(|operation| operation.parameters).collect();
    let mut left = named.len();
    let mut skipped = None;
    for parameter in parameters.iter().skip(values.len()) {
        match named.get_item(parameter.name)?.or(named.get_item(format!("{}_", parameter.name))?) {
            // It would stand in the place of what is left out.
            Some(_) if skipped.is_some() && parameter.presence == Presence::Optional => {
                return Err(wrong(format!("needs {} where {} is given", skipped.unwrap_or_default(), parameter.name)));
            }
            Some(argument) => {
                left -= 1;
                values.push(self::argument(&argument, Some(parameter.kind))?);
            }
            None if parameter.presence == Presence::Optional => skipped = Some(parameter.name),
            // What follows would stand in its place.
            None => return Err(wrong(format!("needs {}", parameter.name))),
        }
    }
    if left == 0 {
        return Ok(());
    }
    let names: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
    Err(wrong(format!("takes {}; {} is unknown or given twice", names.join(", "), named.keys())))
}

/// The answer of the operation of this name; every operation is a function of the package too.
#[pyfunction]
#[pyo3(signature = (name, /, *arguments, **named))]
pub(crate) fn call(
    name: &str,
    arguments: &Bound<'_, PyTuple>,
    named: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let all: Vec<_> = arguments.iter().collect();
    apply(arguments.py(), name, &all, named)
}

/// The value of an expression of the layout language.
#[pyfunction]
#[pyo3(signature = (expression, /))]
pub(crate) fn parse(py: Python<'_>, expression: &str) -> PyResult<Py<PyAny>> {
    object(py, read(py, expression)?)
}

/// The value of an expression, and the notes on it.
#[pyfunction]
#[pyo3(signature = (expression, /))]
pub(crate) fn evaluate(py: Python<'_>, expression: &str) -> PyResult<(Py<PyAny>, Vec<String>)> {
    let answer = read(py, expression)?;
    let notes = answer.notes.clone();
    Ok((object(py, answer)?, notes))
}

/// A parameter: its name, whether it may be left out, whether it may be repeated, and what the argument says.
type ParameterRow = (&'static str, bool, bool, &'static str);

/// The name, the group, the parameters, the law and an example of an operation.
type Row = (&'static str, String, Vec<ParameterRow>, &'static str, &'static str);

/// The table of operations: name, group, parameters (name, optional, repeated, meaning), law and example.
#[pyfunction]
pub(crate) fn operations() -> Vec<Row> {
    let row = |operation: &'static Operation| {
        let is = |parameter: &Parameter, presence| parameter.presence == presence;
        let parameters = operation.parameters.iter();
        let parameters = parameters
            .map(|it| (it.name, is(it, Presence::Optional), is(it, Presence::Repeated), it.meaning))
            .collect();
        (operation.name, format!("{:?}", operation.group), parameters, operation.law, operation.example)
    };
    bitstride_lang::operations().map(row).collect()
}
