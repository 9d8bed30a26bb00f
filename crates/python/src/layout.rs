//! [`Layout`]: a layout of CuTe as an object, with the operations that are used most as methods.

use bitstride::cute;
use bitstride::{Code, Error, StaticLayout, Tuple, error};
use bitstride_lang::Offsets;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::answer::{self, nested, static_layout as object, stride};
use crate::call::apply_to;
use crate::cute_layout::CuteLayout;
use crate::error::raised;
use crate::operand;
use crate::static_layout;
use crate::value::{Held, Value};

/// A layout of CuTe: a shape and a stride, nested alike; a function from coordinates to offsets.
///
/// `Layout("(4,8):(8,1)")`, `Layout((4, 8), (8, 1))`, or `Layout((4, 8))`, which is compact and column-major. `A @ B` is
/// composition, `A(i, j)` the offset of a coordinate, `A(i)` that of a flat index in column-major order, `A(None, j)` a
/// slice, `A[0]` a mode and `len(A)` the rank.
#[pyclass(frozen, extends = CuteLayout, module = "bitstride")]
pub(crate) struct Layout {
    shape: PyOnceLock<Py<PyAny>>,
    stride: PyOnceLock<Py<PyAny>>,
}

impl Layout {
    #[inline]
    fn with(held: Held, notes: Vec<String>) -> PyClassInitializer<Self> {
        let parts = Layout { shape: PyOnceLock::new(), stride: PyOnceLock::new() };
        Value::new(held, notes).into_cute().add_subclass(parts)
    }

    /// The object of what is held.
    #[inline]
    pub(crate) fn object(py: Python<'_>, held: Held, notes: Vec<String>) -> PyResult<Py<PyAny>> {
        Py::new(py, Self::with(held, notes))?.into_py_any(py)
    }

    /// What an object of this class holds, where all of its integers are plain; no object of another class holds such a layout.
    pub(crate) fn plain<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a StaticLayout> {
        object.cast_exact::<Layout>().ok()?.as_super().as_super().get().as_static()
    }

    fn general(value: &Value) -> Option<Offsets> {
        value.value().as_slice().ok()
    }
}

impl Layout {
    /// The mode at a position, which counts from the end where it is negative.
    pub(crate) fn mode(slf: &Bound<'_, Self>, position: i64) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let from_end = if position < 0 { i64::try_from(Layout::rank(slf)).unwrap_or(i64::MAX) } else { 0 };
        let at = position.checked_add(from_end).and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
        if let Some(layout) = value(slf).get().as_static() {
            return layout.get(&[at]).map_err(|error| raised(py, &error)).and_then(|mode| object(py, mode));
        }
        let Some(slice) = Layout::general(value(slf).get()) else { return Ok(py.None()) };
        slice.layout.get(&[at]).map_err(|error| raised(py, &error)).and_then(|mode| answer::layout(py, mode))
    }
}

fn value<'a, 'py>(layout: &'a Bound<'py, Layout>) -> &'a Bound<'py, Value> {
    layout.as_super().as_super()
}

/// The strides of an array of JAX, from the order of its dims in memory.
fn strides_of_jax(array: &Bound<'_, PyAny>, shape: &[i64]) -> PyResult<Vec<i64>> {
    let py = array.py();
    let layout = array.getattr("format")?.getattr("layout")?;
    let refused = |why: &str| {
        raised(py, &Error::new(Code::Kind, why).with_help("`bitstride.xla.from_jax` is the layout of any array of JAX"))
    };
    let is_tiled = match layout.getattr_opt("tiling")? {
        Some(tiles) => tiles.is_truthy()?,
        None => false,
    };
    if is_tiled {
        return Err(refused("an array of JAX with tiles has no strides"));
    }
    let order: Vec<usize> = match layout.getattr_opt("major_to_minor")? {
        Some(order) => order.extract()?,
        None => return Err(refused("an array of JAX whose order of dims is not known has no strides")),
    };
    let mut strides = vec![0i64; shape.len()];
    let mut before = 1i64;
    for dim in order.iter().rev() {
        let (Some(stride), Some(extent)) = (strides.get_mut(*dim), shape.get(*dim)) else {
            return Err(refused("an array of JAX whose order has other dims has no strides"));
        };
        *stride = before;
        before = before.checked_mul(*extent).ok_or_else(|| raised(py, &Error::overflow("a stride")))?;
    }
    Ok(strides)
}

#[pymethods]
impl Layout {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("shape", "stride");

    #[new]
    #[pyo3(signature = (shape, stride=None))]
    fn new(shape: &Bound<'_, PyAny>, stride: Option<&Bound<'_, PyAny>>) -> PyResult<PyClassInitializer<Self>> {
        if let Some(layout) = operand::static_layout(shape, stride) {
            return Ok(Self::with(Held::Static(layout), Vec::new()));
        }
        if stride.is_none() && shape.is_instance_of::<pyo3::types::PyString>() {
            let read = Value::read(shape, &["layout", "tuple", "int"])?;
            let layout = read.value().as_slice().map_err(|error| raised(shape.py(), &error))?;
            return Ok(Self::with(Held::of(layout.into()), Vec::new()));
        }
        Ok(Self::with(Held::of(operand::layout(shape, stride)?), Vec::new()))
    }

    /// The layout of the elements of an array, from its shape and strides: NumPy's count bytes, PyTorch's elements.
    ///
    /// Those of JAX are read from the order of its format, which has no tiles. Coordinates are those of the array; a flat index is
    /// column-major, as of every layout. Where the data begins is left out.
    #[staticmethod]
    #[pyo3(signature = (array, /))]
    fn from_array(array: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = array.py();
        let shape: Vec<i64> = array.getattr("shape")?.extract()?;
        let strides: Vec<i64> = match array.getattr_opt("strides")? {
            Some(bytes) => {
                let item: i64 = array.getattr("itemsize")?.extract()?;
                let bytes: Vec<i64> = bytes.extract()?;
                let in_elements = |bytes: &i64| bytes.checked_div(item).filter(|n| n.checked_mul(item) == Some(*bytes));
                let strides: Option<Vec<i64>> = bytes.iter().map(in_elements).collect();
                strides.ok_or_else(|| {
                    raised(
                        py,
                        &error!(
                            Code::NotDivisible,
                            "the strides {bytes:?} are no multiples of an element of {item} bytes",
                            [bytes, item]
                        ),
                    )
                })?
            }
            None => match operand::strides_of(array)? {
                Some(strides) => strides.extract()?,
                None if array.hasattr("format")? => strides_of_jax(array, &shape)?,
                None => {
                    let refused = error!(
                        Code::Kind,
                        "an array of {kind} has no strides that are known",
                        [kind = array.get_type()]
                    );
                    return Err(raised(py, &refused.with_help("a copy in NumPy has: `numpy.asarray(x)`")));
                }
            },
        };
        let layout =
            StaticLayout::new(Tuple::flat(&shape), Tuple::flat(&strides)).map_err(|error| raised(py, &error))?;
        object(py, layout)
    }

    /// The shape: an integer or a nested tuple.
    #[getter]
    fn shape(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let (py, value) = (slf.py(), value(slf).get());
        let shape = slf.get().shape.get_or_try_init(py, || match (value.as_static(), Layout::general(value)) {
            (Some(layout), _) => nested(py, layout.root(), layout.extents(), &|n| n.into_py_any(py)),
            (None, Some(slice)) => nested(py, slice.layout.root(), slice.layout.extents(), &|n| answer::int(py, n)),
            _ => Ok(py.None()),
        });
        shape.map(|shape| shape.clone_ref(py))
    }

    /// The stride, nested as the shape is.
    #[getter]
    fn stride(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let (py, value) = (slf.py(), value(slf).get());
        let strides = slf.get().stride.get_or_try_init(py, || match (value.as_static(), Layout::general(value)) {
            (Some(layout), _) => nested(py, layout.root(), layout.strides(), &|n| n.into_py_any(py)),
            (None, Some(slice)) => nested(py, slice.layout.root(), slice.layout.strides(), &|d| stride(py, d)),
            _ => Ok(py.None()),
        });
        strides.map(|strides| strides.clone_ref(py))
    }

    /// The offset of the first element: 0 unless the layout is a slice.
    #[getter]
    fn offset(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let value = value(slf).get();
        match value.as_static() {
            Some(_) => 0.into_py_any(slf.py()),
            None => {
                Layout::general(value).map_or_else(|| 0.into_py_any(slf.py()), |slice| stride(slf.py(), &slice.offset))
            }
        }
    }

    /// The number of elements.
    #[getter]
    fn size(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        match value(slf).get().as_static().and_then(|layout| layout.size().ok()) {
            Some(size) => size.into_py_any(slf.py()),
            None => apply_to("size", value(slf), &[]),
        }
    }

    /// The length of the smallest interval that holds 0 and all offsets.
    #[getter]
    fn cosize(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        match value(slf).get().as_static().and_then(|layout| cute::cosize(layout).ok()) {
            Some(size) => size.into_py_any(slf.py()),
            None => apply_to("cosize", value(slf), &[]),
        }
    }

    /// The number of modes.
    #[getter]
    fn rank(slf: &Bound<'_, Self>) -> usize {
        let value = value(slf).get();
        value
            .as_static()
            .map_or_else(|| Layout::general(value).map_or(1, |slice| slice.layout.rank()), StaticLayout::rank)
    }

    /// How deep the nesting goes; 0 for `4:1`.
    #[getter]
    fn depth(slf: &Bound<'_, Self>) -> usize {
        let value = value(slf).get();
        value
            .as_static()
            .map_or_else(|| Layout::general(value).map_or(0, |slice| slice.layout.depth()), StaticLayout::depth)
    }

    fn __len__(slf: &Bound<'_, Self>) -> usize {
        Layout::rank(slf)
    }

    /// The offset of a coordinate, or of a flat index in column-major order; with None, the slice; of arrays, an array.
    #[pyo3(signature = (*coordinate))]
    fn __call__(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        if let Some(layout) = value(slf).get().as_static()
            && let Some(offset) = static_layout::offset(layout, coordinate)
        {
            return offset.into_py_any(slf.py());
        }
        crate::table::at(value(slf), coordinate)
    }
}
