//! [`Symbol`] and [`Basis`]: integers that are not known, and strides that are vectors.

use std::collections::BTreeMap;

use bitstride::{Error, Int, Integer, Stride};
use bitstride_lang::{Entry, Value as Of};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::answer::{int, object};
use crate::call::apply_to;
use crate::error::raised;
use crate::operand::operand;
use crate::value::{Held, Value};

/// An integer that is not known: `Symbol("M")`, `Symbol("M", div=8)`, or a text such as "4*M", "5?" or "?{div=8}".
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Symbol {}

impl Symbol {
    fn int(object: &Bound<'_, PyAny>) -> PyResult<Int> {
        operand(object)?.as_int().map_err(|error| raised(object.py(), &error))
    }

    /// What an operation of integers gives for the symbol and another integer.
    fn with(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        operation: impl Fn(&Int, &Int) -> Result<Int, Error>,
    ) -> PyResult<Py<PyAny>> {
        let (symbol, other) = (Self::int(slf.as_any())?, Self::int(other)?);
        let answer = operation(&symbol, &other).map_err(|error| raised(slf.py(), &error))?;
        int(slf.py(), &answer)
    }
}

fn minus(left: &Int, right: &Int) -> Result<Int, Error> {
    Integer::add(left, &Integer::mul(right, &Int::Static(-1))?)
}

#[pymethods]
impl Symbol {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str,) = ("names",);

    #[new]
    #[pyo3(signature = (name, /, div=1))]
    fn new(name: &Bound<'_, PyAny>, div: i64) -> PyResult<PyClassInitializer<Self>> {
        let value = Value::read(name, &["int"])?;
        let value = match (value.value().as_int(), div) {
            (Ok(Int::Static(n)), _) => {
                return Err(PyValueError::new_err(format!("{n} is known: write the integer itself")));
            }
            (_, 1) => value,
            (Ok(n), div) if div > 0 && n.names().len() == 1 && n.names().contains_key(&n.to_string()) => {
                Value::new(Held::of(Int::named(&n.to_string(), div).into()), Vec::new())
            }
            _ => return Err(PyValueError::new_err("div is a positive divisor of one named integer")),
        };
        Ok(PyClassInitializer::from(value).add_subclass(Symbol {}))
    }

    /// The names in it, each with its declared divisor.
    #[getter]
    fn names(slf: &Bound<'_, Self>) -> PyResult<BTreeMap<String, i64>> {
        Ok(Self::int(slf.as_any())?.names())
    }

    fn __add__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("add", slf.as_super(), &[other])
    }

    fn __radd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("add", slf.as_super(), &[other])
    }

    fn __sub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Self::with(slf, other, minus)
    }

    fn __rsub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Self::with(slf, other, |symbol, other| minus(other, symbol))
    }

    fn __neg__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let zero = 0.into_bound_py_any(slf.py())?;
        Self::__rsub__(slf, &zero)
    }

    fn __mul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Self::with(slf, other, Integer::mul)
    }

    fn __rmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Self::__mul__(slf, other)
    }

    fn __floordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("floor_div", slf.as_super(), &[other])
    }

    fn __mod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Self::with(slf, other, Integer::floor_mod)
    }
}

/// A scaled basis vector, the stride of a layout into coordinates: `Basis("2@0")`.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Basis {}

#[pymethods]
impl Basis {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &str, py: Python<'_>) -> PyResult<PyClassInitializer<Self>> {
        let value = crate::operand::read(py, text)?.value;
        let is_basis =
            matches!(&value, Of::Tuple(tuple) if matches!(tuple.as_leaf(), Some(Entry::Number(Stride::Basis(_)))));
        if !is_basis {
            return Err(PyTypeError::new_err("a basis vector is needed, such as 2@0"));
        }
        Ok(PyClassInitializer::from(Value::new(Held::of(value), Vec::new())).add_subclass(Basis {}))
    }

    /// The coordinate that it is, a nested tuple.
    #[getter]
    fn coordinate(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        match slf.as_super().get().held.any() {
            Some(Of::Tuple(tuple)) => match tuple.as_leaf() {
                Some(Entry::Number(stride)) => {
                    let value = Of::from(stride.to_coordinate());
                    object(slf.py(), value.into())
                }
                _ => Ok(slf.py().None()),
            },
            _ => Ok(slf.py().None()),
        }
    }
}
