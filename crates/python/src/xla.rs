//! [`Shape`] and [`BareLayout`]: XLA's shapes, and layouts without their arrays.

use bitstride::xla::{Array, Dim, Shape as XlaShape, TileDim};
use bitstride::{Code, Error};
use bitstride_lang::Value as Of;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::call::apply_to;
use crate::error::raised;
use crate::value::{Value, from_text};

/// A shape of XLA with its layout: `Shape("f32[3,5]{1,0:T(2,2)}")`. Elements are numbered row-major.
#[pyclass(frozen, extends = Value, module = "bitstride.xla")]
pub(crate) struct Shape {}

impl Shape {
    from_text!(Shape, "xla");

    fn array<'a>(slf: &'a Bound<'_, Self>) -> PyResult<&'a Array> {
        match slf.as_super().get().held.any() {
            Some(Of::Xla(XlaShape::Array(array) | XlaShape::Buffer(array))) => Ok(array),
            _ => {
                let error = Error::new(Code::Kind, format!("{} is no single array", slf.as_super().get().text()));
                Err(raised(slf.py(), &error))
            }
        }
    }
}

#[pymethods]
impl Shape {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str, &'static str, &'static str) =
        ("element_type", "shape", "minor_to_major", "tiles");

    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Self::read_new(text)
    }

    /// The type of an element, such as "f32".
    #[getter]
    fn element_type(slf: &Bound<'_, Self>) -> PyResult<&'static str> {
        Ok(Self::array(slf)?.element.name())
    }

    /// The extents of the dims; the bound of a bounded one, None for an unknown one.
    #[getter]
    fn shape(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let dims: Vec<Option<i64>> = Self::array(slf)?.dims.iter().copied().map(Dim::bound).collect();
        PyTuple::new(slf.py(), dims)?.into_py_any(slf.py())
    }

    /// The dims from the fastest to the slowest.
    #[getter]
    fn minor_to_major(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        PyTuple::new(slf.py(), &Self::array(slf)?.layout.minor_to_major)?.into_py_any(slf.py())
    }

    /// The tiles, each a tuple of extents; "*" combines a dim with the next.
    #[getter]
    fn tiles(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let extent = |extent: &TileDim| match extent {
            TileDim::Size(size) => size.into_py_any(py),
            TileDim::Combine => "*".into_py_any(py),
        };
        let tiles = Self::array(slf)?.layout.tiles.iter();
        let tiles = tiles.map(|tile| PyTuple::new(py, tile.0.iter().map(extent).collect::<PyResult<Vec<_>>>()?));
        PyTuple::new(py, tiles.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
    }

    /// The bits of an element in memory.
    #[getter]
    fn element_bits(slf: &Bound<'_, Self>) -> PyResult<i64> {
        Ok(Self::array(slf)?.element_bits())
    }

    /// The bytes that the array takes with its padding.
    #[getter]
    fn byte_size(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("byte_size", slf.as_super(), &[])
    }

    /// What the padding costs, in words.
    fn padding(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("padding", slf.as_super(), &[])
    }

    /// The number of elements.
    #[getter]
    fn size(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("size", slf.as_super(), &[])
    }

    /// The number of dims.
    #[getter]
    fn rank(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(Self::array(slf)?.dims.len())
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Self::rank(slf)
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// The offsets of all elements in row-major order, as an array of 64-bit integers.
    fn offsets(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        crate::table::offsets(slf.as_super())
    }

    /// Whether offsets are reached: of an integer true or false, of an array one answer for each entry.
    #[pyo3(signature = (offsets))]
    fn contains(slf: &Bound<'_, Self>, offsets: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        crate::reached::contains(slf.as_super(), offsets)
    }

    /// Whether an offset is reached.
    fn __contains__(slf: &Bound<'_, Self>, offset: &Bound<'_, PyAny>) -> PyResult<bool> {
        crate::reached::contains_one(slf.as_super(), crate::operand::integer(offset)?)
    }

    /// The offset of an index, in elements. One integer is the number of an element, in row-major order.
    #[pyo3(signature = (*index))]
    fn __call__(slf: &Bound<'_, Self>, index: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        crate::table::at(slf.as_super(), index)
    }
}

/// A layout of XLA or JAX without its array: `BareLayout("{1,0:T(8,128)}")`.
#[pyclass(frozen, extends = Value, module = "bitstride.xla")]
pub(crate) struct BareLayout {}

impl BareLayout {
    from_text!(BareLayout, "xla_layout");
}

#[pymethods]
impl BareLayout {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Self::read_new(text)
    }
}
