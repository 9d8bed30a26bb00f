//! [`LinearLayout`]: linear layouts as objects.

use bitstride::linear::{Dim, LinearLayout as Linear, Name};
use bitstride_lang::Value as Of;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::call::apply_to;
use crate::error::raised;
use crate::operand::integer;
use crate::value::{Held, Value, from_text};

/// A linear layout over F2: a map between named dims whose bits are xored, in Triton's notation.
///
/// `LinearLayout("linear<{lane=[[1],[2]]}, out=[dim0:4]>")`, or `LinearLayout(bases, out_dims)` with the images of the bits of
/// each in dim: `LinearLayout({"lane": [[1], [2]]}, {"dim0": 4})`.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct LinearLayout {}

impl LinearLayout {
    from_text!(LinearLayout, "linear");

    fn held<'a>(slf: &'a Bound<'_, Self>) -> Option<&'a Linear> {
        match slf.as_super().get().held.any() {
            Some(Of::Linear(layout)) => Some(layout),
            _ => None,
        }
    }

    fn sizes(py: Python<'_>, dims: &[Dim]) -> PyResult<Py<PyAny>> {
        let sizes = PyDict::new(py);
        for dim in dims {
            sizes.set_item(dim.name.as_str(), dim.size())?;
        }
        sizes.into_py_any(py)
    }

    fn name(py: Python<'_>, name: &str) -> PyResult<Name> {
        Name::new(name).map_err(|error| raised(py, &error))
    }
}

/// Pairs of a name and something, from a dict or a sequence of pairs.
fn pairs<'py>(named: &Bound<'py, PyAny>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    if let Ok(named) = named.cast_exact::<PyDict>() {
        return named.iter().map(|(name, of)| Ok((name.extract()?, of))).collect();
    }
    let pairs = if named.hasattr("items")? { named.call_method0("items")? } else { named.clone() };
    pairs.try_iter()?.map(|pair| pair?.extract()).collect()
}

/// What is read of each entry of a sequence.
fn each<'py, T>(sequence: &Bound<'py, PyAny>, read: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>) -> PyResult<Vec<T>> {
    // A list is walked without an iterator.
    match sequence.cast_exact::<PyList>() {
        Ok(list) => list.iter().map(|entry| read(&entry)).collect(),
        Err(_) => sequence.try_iter()?.map(|entry| read(&entry?)).collect(),
    }
}

#[pymethods]
impl LinearLayout {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("bases", "out_dims");

    #[new]
    #[pyo3(signature = (bases, out_dims=None))]
    fn new(bases: &Bound<'_, PyAny>, out_dims: Option<&Bound<'_, PyAny>>) -> PyResult<PyClassInitializer<Self>> {
        let py = bases.py();
        let Some(out_dims) = out_dims else { return Self::read_new(bases) };
        let mut ins = Vec::new();
        for (name, images) in pairs(bases)? {
            ins.push((Self::name(py, &name)?, each(&images, |image| each(image, integer))?));
        }
        let outs = pairs(out_dims)?;
        let outs = outs.iter().map(|(name, size)| Ok((Self::name(py, name)?, integer(size)?)));
        let layout = Linear::from_bases(&ins, &outs.collect::<PyResult<Vec<_>>>()?);
        let layout = layout.map_err(|error| raised(py, &error))?;
        let value = Value::new(Held::of(Of::Linear(layout)), Vec::new());
        Ok(PyClassInitializer::from(value).add_subclass(LinearLayout {}))
    }

    /// The images of the bits of each in dim, as a dict in order.
    #[getter]
    fn bases(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let bases = PyDict::new(slf.py());
        if let Some(layout) = Self::held(slf) {
            for (dim, columns) in layout.by_in_dim() {
                let images: Vec<Vec<i64>> = columns.iter().map(|column| layout.unpack(*column).to_vec()).collect();
                bases.set_item(dim.name.as_str(), images)?;
            }
        }
        bases.into_py_any(slf.py())
    }

    /// The sizes of the in dims by name, in order.
    #[getter]
    fn in_dims(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::sizes(slf.py(), Self::held(slf).map_or(&[], Linear::ins))
    }

    /// The sizes of the out dims by name, in order.
    #[getter]
    fn out_dims(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::sizes(slf.py(), Self::held(slf).map_or(&[], Linear::outs))
    }

    /// The dimension of the image over F2.
    #[getter]
    fn rank(slf: &Bound<'_, Self>) -> u32 {
        Self::held(slf).map_or(0, Linear::rank)
    }

    /// Where a place leads: `L(lane=3, register=1)`, or `L({"lane": 3, "register": 1})`, is a dict of the out dims. Every in dim
    /// is named. Of arrays, which are broadcast to one shape, each out dim is an array.
    #[pyo3(signature = (place=None, /, **named))]
    fn __call__(
        slf: &Bound<'_, Self>,
        place: Option<&Bound<'_, PyDict>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let all = PyDict::new(slf.py());
        for (name, value) in place.into_iter().chain(named).flat_map(|part| part.iter()) {
            if all.contains(&name)? {
                let message = format!("{name} is given twice");
                return Err(pyo3::exceptions::PyTypeError::new_err(message));
            }
            all.set_item(name, value)?;
        }
        Self::apply(slf, &all)
    }

    /// Where a place leads: `L.apply({"lane": 3, "register": 1})`; of arrays, each out dim is an array.
    #[pyo3(signature = (place))]
    fn apply(slf: &Bound<'_, Self>, place: &Bound<'_, PyDict>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        for value in place.values() {
            if crate::table::rank(&value)?.is_some_and(|rank| rank > 0) {
                let Some(layout) = Self::held(slf) else { return Ok(py.None()) };
                return crate::table::linear_at(layout, place);
            }
        }
        let mut values = Vec::new();
        for (name, value) in place {
            values.push((Self::name(py, &name.extract::<String>()?)?, integer(&value)?));
        }
        let image = PyDict::new(py);
        if let Some(layout) = Self::held(slf) {
            for (name, value) in layout.apply(&values).map_err(|error| raised(py, &error))? {
                image.set_item(name.as_str(), value)?;
            }
        }
        image.into_py_any(py)
    }

    /// All images in the order of the places, the first in dim the fastest: an array with a row a place and a column an out dim.
    fn table(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let Some(layout) = Self::held(slf) else { return Ok(slf.py().None()) };
        crate::table::linear(slf.py(), layout)
    }

    /// The product (direct sum): side by side, the first the minor part.
    fn __mul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("mul", slf.as_super(), &[other])
    }

    /// `A @ B` is x -> A(B(x)).
    fn __matmul__(slf: &Bound<'_, Self>, inner: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("composition", slf.as_super(), &[inner])
    }

    /// other after self: x -> other(self(x)), as Triton names it.
    #[pyo3(signature = (other))]
    fn compose(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("compose", slf.as_super(), &[other])
    }

    /// The inverse.
    fn invert(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("invert", slf.as_super(), &[])
    }

    /// A right inverse: for each element its place with the earliest bits.
    fn pseudoinvert(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("pseudoinvert", slf.as_super(), &[])
    }

    /// The C with self(x) = other(C(x)).
    #[pyo3(signature = (other))]
    fn invert_and_compose(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("invert_and_compose", slf.as_super(), &[other])
    }

    /// What a conversion to another layout moves.
    #[pyo3(signature = (other))]
    fn minimal_cvt(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("minimal_cvt", slf.as_super(), &[other])
    }

    /// Triton's table of the tensor: for each element the places that hold it.
    fn tensor_view(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("tensor_view", slf.as_super(), &[])
    }

    /// Triton's table of the hardware: for each place the element that it holds.
    fn hardware_view(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("hardware_view", slf.as_super(), &[])
    }
}
