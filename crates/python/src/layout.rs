//! [`Layout`]: a layout of CuTe as an object, with the operations that are used most as methods.

use bitstride::cute::{self, coordinates};
use bitstride::{Code, Error, StaticLayout, Tuple, error};
use bitstride_lang::Offsets;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyIterator, PyList, PySlice, PyTuple};

use crate::answer::{self, nested, static_layout as object, stride};
use crate::call::apply_to;
use crate::error::raised;
use crate::operand;
use crate::operations::{
    coalesce, complement, composition, flat_divide, left_inverse, logical_divide, logical_product, right_inverse,
    tiled_divide, unary, zipped_divide, zipped_product,
};
use crate::static_layout;
use crate::value::{Held, Value};

/// A layout of CuTe: a shape and a stride, nested alike; a function from coordinates to offsets.
///
/// `Layout("(4,8):(8,1)")`, `Layout((4, 8), (8, 1))`, or `Layout((4, 8))`, which is compact and column-major. `A @ B` is
/// composition, `A(i, j)` the offset of a coordinate, `A(i)` that of a flat index in column-major order, `A(None, j)` a
/// slice, `A[0]` a mode and `len(A)` the rank.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Layout {
    shape: PyOnceLock<Py<PyAny>>,
    stride: PyOnceLock<Py<PyAny>>,
}

impl Layout {
    #[inline]
    fn with(held: Held, notes: Vec<String>) -> PyClassInitializer<Self> {
        PyClassInitializer::from(Value::new(held, notes))
            .add_subclass(Layout { shape: PyOnceLock::new(), stride: PyOnceLock::new() })
    }

    /// The object of what is held.
    #[inline]
    pub(crate) fn object(py: Python<'_>, held: Held, notes: Vec<String>) -> PyResult<Py<PyAny>> {
        Py::new(py, Self::with(held, notes))?.into_py_any(py)
    }

    /// What an object of this class holds, where all of its integers are plain; no object of another class holds such a layout.
    pub(crate) fn plain<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a StaticLayout> {
        object.cast_exact::<Layout>().ok()?.as_super().get().as_static()
    }

    fn general(value: &Value) -> Option<Offsets> {
        value.value().as_slice().ok()
    }
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
    #[pyo3(signature = (shape, stride=None, /))]
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
        let (py, value) = (slf.py(), slf.as_super().get());
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
        let (py, value) = (slf.py(), slf.as_super().get());
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
        let value = slf.as_super().get();
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
        match slf.as_super().get().as_static().and_then(|layout| layout.size().ok()) {
            Some(size) => size.into_py_any(slf.py()),
            None => apply_to("size", slf.as_super(), &[]),
        }
    }

    /// The length of the smallest interval that holds 0 and all offsets.
    #[getter]
    fn cosize(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        match slf.as_super().get().as_static().and_then(|layout| cute::cosize(layout).ok()) {
            Some(size) => size.into_py_any(slf.py()),
            None => apply_to("cosize", slf.as_super(), &[]),
        }
    }

    /// The number of modes.
    #[getter]
    fn rank(slf: &Bound<'_, Self>) -> usize {
        let value = slf.as_super().get();
        value
            .as_static()
            .map_or_else(|| Layout::general(value).map_or(1, |slice| slice.layout.rank()), StaticLayout::rank)
    }

    /// How deep the nesting goes; 0 for `4:1`.
    #[getter]
    fn depth(slf: &Bound<'_, Self>) -> usize {
        let value = slf.as_super().get();
        value
            .as_static()
            .map_or_else(|| Layout::general(value).map_or(0, |slice| slice.layout.depth()), StaticLayout::depth)
    }

    fn __len__(slf: &Bound<'_, Self>) -> usize {
        Layout::rank(slf)
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// The mode at a position; of a slice of positions, the layout of these modes; of a tuple, the mode at that path.
    fn __getitem__(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, rank) = (slf.py(), Layout::rank(slf));
        if let Ok(slice) = mode.cast::<PySlice>() {
            let range = slice.call_method1("indices", (rank,))?;
            let positions = py.import("builtins")?.getattr("range")?.call1(range.cast::<PyTuple>()?)?;
            let modes = positions.try_iter()?.map(|at| slf.as_any().get_item(at?)).collect::<PyResult<Vec<_>>>()?;
            let modes = modes.iter().map(|mode| mode.cast::<Value>().map(|mode| mode.get().to_value()));
            let modes = modes.map(|mode| mode?.as_layout().map_err(|error| raised(py, &error)));
            return answer::layout(py, bitstride::Layout::of(&modes.collect::<PyResult<Vec<_>>>()?));
        }
        if mode.is_instance_of::<PyTuple>() {
            let mut inner = slf.as_any().clone();
            for position in mode.try_iter()? {
                inner = inner.get_item(position?)?;
            }
            return Ok(inner.unbind());
        }
        let position = operand::integer(mode)?;
        let from_end = if position < 0 { i64::try_from(rank).unwrap_or(i64::MAX) } else { 0 };
        let at = position.checked_add(from_end).and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
        if let Some(layout) = slf.as_super().get().as_static() {
            return layout.get(&[at]).map_err(|error| raised(py, &error)).and_then(|mode| object(py, mode));
        }
        let Some(slice) = Layout::general(slf.as_super().get()) else { return Ok(py.None()) };
        slice.layout.get(&[at]).map_err(|error| raised(py, &error)).and_then(|mode| answer::layout(py, mode))
    }

    /// The modes, one layout each.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        let modes = (0..Layout::rank(slf)).map(|at| slf.as_any().get_item(at)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(slf.py(), modes)?.try_iter()
    }

    /// The offset of a coordinate, or of a flat index in column-major order; with None, the slice; of arrays, an array.
    #[pyo3(signature = (*coordinate))]
    fn __call__(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        if let Some(layout) = slf.as_super().get().as_static()
            && let Some(offset) = static_layout::offset(layout, coordinate)
        {
            return offset.into_py_any(slf.py());
        }
        crate::table::at(slf.as_super(), coordinate)
    }

    /// `A @ B` is the composition A(B(i)).
    fn __matmul__(slf: &Bound<'_, Self>, inner: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        composition(slf.as_any(), inner)
    }

    fn __rmatmul__(slf: &Bound<'_, Self>, outer: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        composition(outer, slf.as_any())
    }

    /// All offsets in column-major order of the flat index, as an array of 64-bit integers.
    fn offsets(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        crate::table::offsets(slf.as_super())
    }

    /// All coordinates in the order of the flat index, as nested tuples.
    fn coordinates(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let Some(layout) = slf.as_super().get().as_static() else {
            return apply_to("coordinates", slf.as_super(), &[]);
        };
        let all = coordinates(&layout.shape());
        let tuples = all.map(|at| nested(py, at.root(), at.leaves(), &|n| n.into_py_any(py)));
        PyList::new(py, tuples.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
    }

    /// Whether an offset is reached.
    fn __contains__(slf: &Bound<'_, Self>, offset: &Bound<'_, PyAny>) -> PyResult<bool> {
        let offset = operand::integer(offset)?.into_bound_py_any(slf.py())?;
        let found = apply_to("preimages", slf.as_super(), &[&offset])?;
        found.bind(slf.py()).len().map(|count| count > 0)
    }

    /// R(i) = self(B(i)), in the profile of B; by a tiler, mode by mode.
    #[pyo3(signature = (B_or_tiler, /))]
    #[allow(non_snake_case, reason = "operands have the names of the field")]
    fn composition(slf: &Bound<'_, Self>, B_or_tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        composition(slf.as_any(), B_or_tiler)
    }

    /// What the layout leaves free, up to a target.
    #[pyo3(signature = (target=None))]
    fn complement(slf: &Bound<'_, Self>, target: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        complement(slf.as_any(), target)
    }

    /// The same function with the fewest modes.
    #[pyo3(signature = (profile=None))]
    fn coalesce(slf: &Bound<'_, Self>, profile: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        coalesce(slf.as_any(), profile)
    }

    /// L(R(i)) = i, as far as a chain of modes from stride 1 goes.
    fn right_inverse(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        right_inverse(slf.as_any())
    }

    /// R with L(R(L(i))) = L(i).
    fn left_inverse(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        left_inverse(slf.as_any())
    }

    /// Cut into tiles, mode by mode: ((tile), (rest)).
    #[pyo3(signature = (tiler, /))]
    fn logical_divide(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        logical_divide(slf.as_any(), tiler)
    }

    /// Cut into tiles, which are gathered: ((tile modes), (rest modes)).
    #[pyo3(signature = (tiler, /))]
    fn zipped_divide(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        zipped_divide(slf.as_any(), tiler)
    }

    /// Cut into tiles: ((tile modes), rest0, rest1, ...).
    #[pyo3(signature = (tiler, /))]
    fn tiled_divide(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        tiled_divide(slf.as_any(), tiler)
    }

    /// Cut into tiles: (tile0, tile1, ..., rest0, rest1, ...).
    #[pyo3(signature = (tiler, /))]
    fn flat_divide(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        flat_divide(slf.as_any(), tiler)
    }

    /// Copies of the layout in the order of the tiler: (layout, copies).
    #[pyo3(signature = (tiler, /))]
    fn logical_product(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        logical_product(slf.as_any(), tiler)
    }

    /// Copies of the layout, gathered: ((its modes), (copies)).
    #[pyo3(signature = (tiler, /))]
    fn zipped_product(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        zipped_product(slf.as_any(), tiler)
    }

    /// Copies laid out as blocks: ((x,z),(y,w)).
    #[pyo3(signature = (copies, /))]
    fn blocked_product(slf: &Bound<'_, Self>, copies: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("blocked_product", slf.as_super(), &[copies])
    }

    /// Copies interleaved: ((z,x),(w,y)).
    #[pyo3(signature = (copies, /))]
    fn raked_product(slf: &Bound<'_, Self>, copies: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("raked_product", slf.as_super(), &[copies])
    }

    /// The layout repeated until it covers a shape, modes in the given order.
    #[pyo3(signature = (shape, order=None))]
    fn tile_to_shape(
        slf: &Bound<'_, Self>,
        shape: &Bound<'_, PyAny>,
        order: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let arguments: Vec<_> = std::iter::once(shape).chain(order).collect();
        apply_to("tile_to_shape", slf.as_super(), &arguments)
    }

    /// The tile at a coordinate.
    #[pyo3(signature = (tiler, coordinate, projection=None))]
    fn local_tile(
        slf: &Bound<'_, Self>,
        tiler: &Bound<'_, PyAny>,
        coordinate: &Bound<'_, PyAny>,
        projection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let arguments: Vec<_> = [tiler, coordinate].into_iter().chain(projection).collect();
        apply_to("local_tile", slf.as_super(), &arguments)
    }

    /// What one thread sees in every tile of threads.
    #[pyo3(signature = (threads, thread, projection=None))]
    fn local_partition(
        slf: &Bound<'_, Self>,
        threads: &Bound<'_, PyAny>,
        thread: &Bound<'_, PyAny>,
        projection: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let arguments: Vec<_> = [threads, thread].into_iter().chain(projection).collect();
        apply_to("local_partition", slf.as_super(), &arguments)
    }

    /// The modes at the given positions.
    #[pyo3(signature = (*positions))]
    fn select(slf: &Bound<'_, Self>, positions: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        apply_to("select", slf.as_super(), &positions.iter().collect::<Vec<_>>().iter().collect::<Vec<_>>())
    }

    /// The modes from begin to before end, made one mode.
    #[pyo3(signature = (begin, end, /))]
    fn group(slf: &Bound<'_, Self>, begin: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("group", slf.as_super(), &[begin, end])
    }

    /// With one more mode at the end.
    #[pyo3(signature = (mode, /))]
    fn append(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("append", slf.as_super(), &[mode])
    }

    /// With one more mode at the front.
    #[pyo3(signature = (mode, /))]
    fn prepend(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("prepend", slf.as_super(), &[mode])
    }

    /// The same leaves without nesting.
    fn flatten(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        unary("flatten", slf.as_any(), |layout| Some(layout.flatten()))
    }

    /// Without stride-0 and size-1 modes.
    #[pyo3(signature = (profile=None))]
    fn filter(slf: &Bound<'_, Self>, profile: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        apply_to("filter", slf.as_super(), profile.as_slice())
    }

    /// Every stride-0 mode gets the extent 1.
    fn filter_zeros(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        unary("filter_zeros", slf.as_any(), |layout| cute::filter_zeros(layout).ok())
    }

    /// The composition with the compact layout of a shape.
    #[pyo3(signature = (shape, /))]
    fn with_shape(slf: &Bound<'_, Self>, shape: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("with_shape", slf.as_super(), &[shape])
    }

    /// The modes with None, and the offset of the others.
    #[pyo3(signature = (coordinate, /))]
    fn slice(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("slice", slf.as_super(), &[coordinate])
    }

    /// Elements of old bits seen as elements of new bits.
    #[pyo3(signature = (old_bits, new_bits))]
    fn recast(slf: &Bound<'_, Self>, old_bits: &Bound<'_, PyAny>, new_bits: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("recast", slf.as_super(), &[old_bits, new_bits])
    }

    /// n neighbouring elements become one.
    #[pyo3(signature = (n, /))]
    fn upcast(slf: &Bound<'_, Self>, n: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("upcast", slf.as_super(), &[n])
    }

    /// Every element becomes n neighbouring ones.
    #[pyo3(signature = (n, /))]
    fn downcast(slf: &Bound<'_, Self>, n: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("downcast", slf.as_super(), &[n])
    }
}
