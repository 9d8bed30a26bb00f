//! Swizzles, composed layouts and tilers.

use bitstride::cute::{Function, Swizzle as CuteSwizzle, Tiler as CuteTiler};
use bitstride::{Error, Int, Stride};
use bitstride_lang::Value as Of;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answer::{function, held, int, layout};
use crate::call::apply_to;
use crate::cute_layout::CuteLayout;
use crate::error::raised;
use crate::operand::operand;
use crate::value::{Held, Value};

/// A swizzle: a function of offsets that flips bits, `Swizzle(bits, base, shift)`.
///
/// `Swizzle(3, 4, 3)` flips bits 4 to 6 by bits 7 to 9. A text such as "Sw<3,4,3>" is read too.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Swizzle {}

#[pymethods]
impl Swizzle {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str, &'static str) = ("bits", "base", "shift");

    #[new]
    #[pyo3(signature = (bits, base=None, shift=None))]
    fn new(bits: &Bound<'_, PyAny>, base: Option<i64>, shift: Option<i64>) -> PyResult<PyClassInitializer<Self>> {
        let value = match (base, shift) {
            (Some(base), Some(shift)) => {
                let swizzle = CuteSwizzle::new(crate::operand::integer(bits)?, base, shift);
                let swizzle = swizzle.map_err(|error| raised(bits.py(), &error))?;
                Value::new(Held::of(Of::Function(Function::Swizzle(swizzle))), Vec::new())
            }
            (None, None) => Value::read(bits, &["swizzle"])?,
            _ => return Err(PyTypeError::new_err("a swizzle has bits, base and shift, such as Swizzle(3, 4, 3)")),
        };
        Ok(PyClassInitializer::from(value).add_subclass(Swizzle {}))
    }

    /// How many bits it flips.
    #[getter]
    fn bits(slf: PyRef<'_, Self>) -> u32 {
        Self::parts(&slf).map_or(0, CuteSwizzle::bits)
    }

    /// The lowest bit that it flips.
    #[getter]
    fn base(slf: PyRef<'_, Self>) -> u32 {
        Self::parts(&slf).map_or(0, CuteSwizzle::base)
    }

    /// How much higher the bits are that decide.
    #[getter]
    fn shift(slf: PyRef<'_, Self>) -> i32 {
        Self::parts(&slf).map_or(0, CuteSwizzle::shift)
    }

    /// The bits of an element, where the swizzle acts on bytes; else None.
    #[getter]
    fn element_bits(slf: PyRef<'_, Self>) -> Option<i64> {
        match slf.as_super().held.any() {
            Some(Of::Function(function)) => function.element_bits(),
            _ => None,
        }
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let inner = slf.borrow();
        match Self::parts(&inner).filter(|_| !inner.as_super().text().contains('o')) {
            Some(swizzle) => format!("Swizzle({}, {}, {})", swizzle.bits(), swizzle.base(), swizzle.shift()),
            None => format!("Swizzle('{}')", inner.as_super().text()),
        }
    }

    /// The offset that it moves an offset to.
    #[pyo3(signature = (offset, /))]
    fn __call__(slf: &Bound<'_, Self>, offset: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        crate::table::at(slf.as_super(), &PyTuple::new(offset.py(), [offset])?)
    }

    /// The swizzle after a layout or another swizzle.
    fn __matmul__(slf: &Bound<'_, Self>, inner: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("composition", slf.as_super(), &[inner])
    }
}

impl Swizzle {
    fn parts(slf: &PyRef<'_, Self>) -> Option<CuteSwizzle> {
        match slf.as_super().held.any() {
            Some(Of::Function(Function::Swizzle(swizzle))) => Some(*swizzle),
            Some(Of::Function(Function::Bytes(bytes))) => Some(bytes.swizzle()),
            _ => None,
        }
    }
}

/// `outer o offset o inner`: a swizzle or a layout after a layout.
///
/// `ComposedLayout(Swizzle(3, 4, 3), 0, "(8,64):(64,1)")`, or the text "Sw<3,4,3> o 0 o (8,64):(64,1)".
#[pyclass(frozen, extends = CuteLayout, module = "bitstride")]
pub(crate) struct ComposedLayout {}

#[pymethods]
impl ComposedLayout {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str, &'static str) = ("outer", "offset", "inner");

    #[new]
    #[pyo3(signature = (outer, offset=None, inner=None))]
    fn new(
        outer: &Bound<'_, PyAny>,
        offset: Option<&Bound<'_, PyAny>>,
        inner: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (Some(offset), Some(inner)) = (offset, inner) else {
            let value = Value::read(outer, &["composed"])?;
            return Ok(value.into_cute().add_subclass(ComposedLayout {}));
        };
        let py = outer.py();
        let (outer, offset, inner) = (operand(outer)?, operand(offset)?, operand(inner)?);
        let composed = || -> Result<Function, Error> {
            Ok(Function::compose(outer.as_function()?, offset.as_int()?, inner.as_function()?))
        };
        let composed = composed().map_err(|error| raised(py, &error))?;
        Ok(Value::new(Held::of(Of::Function(composed)), Vec::new()).into_cute().add_subclass(ComposedLayout {}))
    }

    /// What is applied last.
    #[getter]
    fn outer(slf: PyRef<'_, Self>) -> PyResult<Py<PyAny>> {
        match slf.as_super().as_super().held.any() {
            Some(Of::Function(Function::Composed(parts))) => function(slf.py(), parts.outer.clone()),
            _ => Ok(slf.py().None()),
        }
    }

    /// What is added between.
    #[getter]
    fn offset(slf: PyRef<'_, Self>) -> PyResult<Py<PyAny>> {
        match slf.as_super().as_super().held.any() {
            Some(Of::Function(Function::Composed(parts))) => int(slf.py(), &parts.offset),
            _ => int(slf.py(), &Int::from(0)),
        }
    }

    /// What is applied first; it has the shape.
    #[getter]
    fn inner(slf: PyRef<'_, Self>) -> PyResult<Py<PyAny>> {
        match slf.as_super().as_super().held.any() {
            Some(Of::Function(Function::Composed(parts))) => function(slf.py(), parts.inner.clone()),
            _ => Ok(slf.py().None()),
        }
    }

    /// The layout that carries the shape.
    #[getter]
    fn domain(slf: PyRef<'_, Self>) -> PyResult<Py<PyAny>> {
        match slf.as_super().as_super().held.any() {
            Some(Of::Function(function)) => {
                let domain = function.domain().map_err(|error| raised(slf.py(), &error))?;
                layout(slf.py(), domain.clone())
            }
            _ => Ok(slf.py().None()),
        }
    }

    /// The shape, a nested tuple.
    #[getter]
    fn shape(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("shape", slf.as_super().as_super(), &[])
    }

    /// The number of elements.
    #[getter]
    fn size(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("size", slf.as_super().as_super(), &[])
    }

    /// The length of the smallest interval that holds 0 and all offsets.
    #[getter]
    fn cosize(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("cosize", slf.as_super().as_super(), &[])
    }

    /// The number of modes.
    #[getter]
    fn rank(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("rank", slf.as_super().as_super(), &[])
    }

    /// How deep the nesting goes.
    #[getter]
    fn depth(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("depth", slf.as_super().as_super(), &[])
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        apply_to("rank", slf.as_super().as_super(), &[])?.extract(slf.py())
    }

    /// The offset of a coordinate, or of a flat index in column-major order; with None, the slice.
    #[pyo3(signature = (*coordinate))]
    fn __call__(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        crate::table::at(slf.as_super().as_super(), coordinate)
    }
}

/// A tiler: one part a mode, `Tiler("<3:4, 8:2>")`; a tuple of layouts, integers and None is one too.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Tiler {}

#[pymethods]
impl Tiler {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str,) = ("modes",);

    #[new]
    #[pyo3(signature = (tiler, /))]
    fn new(tiler: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let py = tiler.py();
        let tiler = operand(tiler)?.as_tiler().map_err(|error| raised(py, &error))?;
        let tiler = match tiler {
            CuteTiler::Modes(modes) => CuteTiler::Modes(modes),
            whole => CuteTiler::Modes(vec![whole]),
        };
        Ok(PyClassInitializer::from(Value::new(Held::of(Of::Tiler(tiler)), Vec::new())).add_subclass(Tiler {}))
    }

    /// What each mode is tiled by: a layout, an integer, None, or a tiler.
    #[getter]
    fn modes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let modes = match slf.as_super().get().held.any() {
            Some(Of::Tiler(CuteTiler::Modes(modes))) => modes.as_slice(),
            _ => &[],
        };
        PyTuple::new(py, modes.iter().map(|mode| part(py, mode)).collect::<PyResult<Vec<_>>>()?)
    }
}

/// What a mode is tiled by.
fn part(py: Python<'_>, tiler: &CuteTiler<Int, Stride>) -> PyResult<Py<PyAny>> {
    match tiler {
        CuteTiler::Keep => Ok(py.None()),
        CuteTiler::Extent(extent) => int(py, extent),
        CuteTiler::Layout(tile) => layout(py, tile.clone()),
        modes @ CuteTiler::Modes(_) => held(py, Held::of(Of::Tiler(modes.clone())), Vec::new()),
    }
}
