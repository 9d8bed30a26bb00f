//! Errors of the algebra as exceptions of the package.
//!
//! The classes are written in Python (`bitstride._errors`), so that they can share a base with `ValueError` and `IndexError`.

use bitstride::{Class, Code, Error, Fact};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// The exception for an error about typed values.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    about(py, error, None)
}

/// The exception for an error; the span is in characters of the text it is about.
pub(crate) fn about(py: Python<'_>, error: &Error, text: Option<&str>) -> PyErr {
    exception(py, error, text).unwrap_or_else(|failed| failed)
}

fn exception(py: Python<'_>, error: &Error, text: Option<&str>) -> PyResult<PyErr> {
    let module = MODULE.get_or_try_init(py, || py.import("bitstride._errors").map(Bound::unbind))?.bind(py);
    let class = match (error.code(), error.code().class()) {
        (Code::NoMode, _) => "ModeError",
        (_, Class::Refused) => "RefusedError",
        (_, Class::Undecided) => "UndecidedError",
        (_, Class::Unreadable) => "Error",
    };
    let fields = PyDict::new(py);
    fields.set_item("code", error.code().as_str())?;
    fields.set_item("help", error.help())?;
    fields.set_item("chain", error.chain())?;
    if let (Some(span), Some(text)) = (error.span(), text) {
        let characters = |end: usize| text.get(..end).map(|head| head.chars().count());
        fields.set_item("text", text)?;
        fields.set_item("span", characters(span.start).zip(characters(span.end)))?;
    }
    if let Some(refusal) = error.refusal() {
        let reason = PyDict::new(py);
        reason.set_item("kind", refusal.kind())?;
        for (name, value) in refusal.facts() {
            reason.set_item(name, fact(py, value)?)?;
        }
        fields.set_item("reason", reason)?;
    }
    if let Some(witness) = error.witness() {
        fields.set_item("witness", (witness.at.clone(), witness.gives.clone(), witness.needs.clone()))?;
    }
    Ok(PyErr::from_value(module.getattr(class)?.call((error.message(),), Some(&fields))?))
}

fn fact(py: Python<'_>, value: &Fact) -> PyResult<Py<PyAny>> {
    match value {
        Fact::Number(number) => number.into_py_any(py),
        Fact::Text(text) => text.into_py_any(py),
        Fact::List(facts) => {
            let facts = facts.iter().map(|value| fact(py, value)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, facts)?.into_py_any(py)
        }
        _ => Ok(py.None()),
    }
}
