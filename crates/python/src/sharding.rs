//! Tensors over devices, and what has to move between two.

use bitstride::sharding::Sharding as Placed;
use bitstride_lang::Value as Of;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::raised;
use crate::operand::operand;
use crate::value::{Held, Value, from_text};

/// A tensor over devices, as XLA, JAX, Shardy or PyTorch says it.
///
/// `Sharding("shard(f32[8,6], P('a', None), mesh(a=2,b=4))")`; `convert("dtensor")` writes it in another notation.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Sharding {}

#[pymethods]
impl Sharding {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Self::read_new(text)
    }

    /// The extents of the tensor.
    #[getter]
    fn shape<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(slf.py(), Self::of(slf).map_or(&[][..], |sharding| sharding.shape()))
    }

    /// How many devices there are; None where the text does not say it.
    #[getter]
    fn devices(slf: &Bound<'_, Self>) -> Option<i64> {
        Self::of(slf).and_then(|sharding| sharding.devices().ok())
    }
}

impl Sharding {
    from_text!(Sharding, "sharding");

    fn of<'a>(slf: &'a Bound<'_, Self>) -> Option<&'a Placed> {
        match &slf.as_super().get().held {
            Held::Any(value) => match value.as_ref() {
                Of::Sharding(sharding) => Some(sharding),
                _ => None,
            },
            Held::Static(_) => None,
        }
    }
}

/// What has to move between two tensors over devices, as JSON: what `bitstride reshard A --to B --json` prints.
#[pyfunction]
#[pyo3(signature = (source, target, /))]
pub(crate) fn moves(source: &Bound<'_, PyAny>, target: &Bound<'_, PyAny>) -> PyResult<String> {
    object(source, target, None, bitstride_json::reshard)
}

/// What goes where, as JSON: of one device, or of all.
#[pyfunction]
#[pyo3(signature = (source, target, device = None, /))]
pub(crate) fn pieces(source: &Bound<'_, PyAny>, target: &Bound<'_, PyAny>, device: Option<i64>) -> PyResult<String> {
    object(source, target, device, bitstride_json::pieces)
}

/// What computes an object from two shardings and the number of a device.
type Object = fn(&Placed, &Placed, Option<i64>) -> Result<serde_json::Map<String, serde_json::Value>, bitstride::Error>;

fn object(source: &Bound<'_, PyAny>, target: &Bound<'_, PyAny>, device: Option<i64>, of: Object) -> PyResult<String> {
    let py = source.py();
    let (source, target) = (operand(source)?, operand(target)?);
    let object = py.detach(|| of(&source.as_sharding()?, &target.as_sharding()?, device));
    Ok(serde_json::Value::Object(object.map_err(|error| raised(py, &error))?).to_string())
}
