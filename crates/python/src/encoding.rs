//! [`Encoding`]: Triton's encodings as objects.

use bitstride::notation::{DatumKind, ExprKind, Ints};
use bitstride_lang::Value as Of;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::call::apply_to;
use crate::error::raised;
use crate::value::{Held, Value, from_text};

/// An encoding of Triton: with a shape it is a linear layout. `Encoding("#ttg.blocked<{...}>")`; bitstride.triton has a class
/// for each kind.
#[pyclass(frozen, subclass, extends = Value, module = "bitstride")]
pub(crate) struct Encoding {}

impl Encoding {
    from_text!(Encoding, "encoding");
}

#[pymethods]
impl Encoding {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Self::read_new(text)
    }

    /// The name of the kind with its dialect, such as "ttg.blocked".
    #[getter]
    fn name(slf: &Bound<'_, Self>) -> String {
        let text = slf.as_super().get().text();
        text.trim_start_matches('#').split('<').next().unwrap_or_default().to_owned()
    }

    /// The parameters under Triton's names.
    #[getter]
    fn fields(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let tree = bitstride::notation::parse(&slf.as_super().get().text(), Ints::Plain);
        let tree = tree.map_err(|error| raised(py, &error.into()))?;
        let fields = PyDict::new(py);
        if let ExprKind::Attribute(attribute) = &tree.kind {
            for argument in attribute.body.iter().flatten() {
                match (&argument.name, &argument.datum.kind) {
                    (Some(name), kind) => fields.set_item(name.text.as_str(), datum(py, kind)?)?,
                    (None, DatumKind::Dictionary(entries)) => {
                        for (name, value) in entries {
                            fields.set_item(name.text.as_str(), datum(py, &value.kind)?)?;
                        }
                    }
                    (None, kind) => fields.set_item("intervals", datum(py, kind)?)?,
                }
            }
        }
        fields.into_py_any(py)
    }

    /// Refuses parameters with which no shape has a layout, such as an order that is no permutation; else the encoding itself.
    fn checked<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        if let Some(Of::Encoding(encoding)) = slf.as_super().get().held.any() {
            encoding.check().map_err(|error| raised(slf.py(), &error))?;
        }
        Ok(slf.clone())
    }

    /// The linear layout for a shape.
    #[pyo3(signature = (shape))]
    fn to_linear(slf: &Bound<'_, Self>, shape: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("to_linear", slf.as_super(), &[shape])
    }
}

/// A parameter of an encoding.
fn datum(py: Python<'_>, kind: &DatumKind) -> PyResult<Py<PyAny>> {
    match kind {
        DatumKind::Integer(n) => n.into_py_any(py),
        DatumKind::Bool(truth) => truth.into_py_any(py),
        DatumKind::Word(text) | DatumKind::Text(text) => text.into_py_any(py),
        DatumKind::Sizes(sizes) => sizes.clone().into_py_any(py),
        DatumKind::Interval { interval, padding } => (*interval, *padding).into_py_any(py),
        DatumKind::Array(entries) => {
            let entries = entries.iter().map(|entry| datum(py, &entry.kind)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, entries)?.into_py_any(py)
        }
        DatumKind::Dictionary(entries) => {
            let fields = PyDict::new(py);
            for (name, value) in entries {
                fields.set_item(name.text.as_str(), datum(py, &value.kind)?)?;
            }
            fields.into_py_any(py)
        }
        DatumKind::Attribute(attribute) => {
            let parent = bitstride::triton::Encoding::from_attribute(attribute, &mut Vec::new());
            let parent = parent.map_err(|error| raised(py, &error))?;
            crate::answer::held(py, Held::of(Of::Encoding(parent)), Vec::new())
        }
    }
}
