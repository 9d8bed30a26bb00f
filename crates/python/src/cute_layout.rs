//! [`CuteLayout`]: what layouts of CuTe and composed layouts share.

use bitstride::cute::{self, coordinates};
use bitstride::{Code, error};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PySlice, PyTuple};

use crate::answer::{self, nested};
use crate::call::{apply, apply_to};
use crate::error::raised;
use crate::layout::Layout;
use crate::operand;
use crate::operations::{
    coalesce, complement, composition, flat_divide, left_inverse, logical_divide, logical_product, right_inverse,
    tiled_divide, unary, zipped_divide, zipped_product,
};
use crate::value::Value;

/// A layout of CuTe or a composed layout: a function from the coordinates of a shape to offsets. Operations are methods.
#[pyclass(frozen, subclass, extends = Value, module = "bitstride")]
pub(crate) struct CuteLayout {}

#[pymethods]
impl CuteLayout {
    fn __bool__(&self) -> bool {
        true
    }

    /// The mode at a position; of a slice of positions, the layout of these modes; of a tuple of integers, the mode at that path.
    fn __getitem__(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        if let Ok(slice) = mode.cast::<PySlice>() {
            let range = slice.call_method1("indices", (slf.as_any().len()?,))?;
            let positions = py.import("builtins")?.getattr("range")?.call1(range.cast::<PyTuple>()?)?;
            let positions = positions.try_iter()?.collect::<PyResult<Vec<_>>>()?;
            if slf.as_any().cast::<Layout>().is_err() {
                return apply_to("select", slf.as_super(), &positions.iter().collect::<Vec<_>>());
            }
            let modes = positions.iter().map(|at| slf.as_any().get_item(at)).collect::<PyResult<Vec<_>>>()?;
            let modes = modes.iter().map(|mode| mode.cast::<Value>().map(|mode| mode.get().to_value()));
            let modes = modes.map(|mode| mode?.as_layout().map_err(|error| raised(py, &error)));
            return answer::layout(py, bitstride::Layout::of(&modes.collect::<PyResult<Vec<_>>>()?));
        }
        if mode.is_instance_of::<PyTuple>() {
            let mut inner = slf.as_any().clone();
            for position in mode.try_iter()? {
                // A slice beside others would be taken for one of coordinates, as of arrays.
                inner = inner.get_item(operand::integer(&position?)?)?;
            }
            return Ok(inner.unbind());
        }
        let position = operand::integer(mode)?;
        if let Ok(layout) = slf.as_any().cast::<Layout>() {
            return Layout::mode(layout, position);
        }
        let rank = i64::try_from(slf.as_any().len()?).unwrap_or(i64::MAX);
        let at = if position < 0 { position.saturating_add(rank) } else { position };
        if !(0..rank).contains(&at) {
            let missing = error!(Code::NoMode, "a layout of {rank} modes has none at {position}", [rank, position]);
            return Err(raised(py, &missing));
        }
        apply_to("layout", slf.as_super(), &[&at.into_bound_py_any(py)?])
    }

    /// The modes, one layout each.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        let modes = (0..slf.as_any().len()?).map(|at| slf.as_any().get_item(at)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(slf.py(), modes)?.try_iter()
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
        let Some(layout) = Layout::plain(slf.as_any()) else {
            return apply_to("coordinates", slf.as_super(), &[]);
        };
        let all = coordinates(&layout.shape());
        let mut tuples = Vec::new();
        for (number, at) in all.enumerate() {
            crate::table::let_others_run(py, number)?;
            tuples.push(nested(py, at.root(), at.leaves(), &|n| n.into_py_any(py))?);
        }
        PyList::new(py, tuples)?.into_py_any(py)
    }

    /// Whether offsets are reached: of an integer true or false, of an array one answer for each entry.
    #[pyo3(signature = (offsets))]
    fn contains(slf: &Bound<'_, Self>, offsets: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        crate::reached::contains(slf.as_super(), offsets)
    }

    /// Whether an offset is reached.
    fn __contains__(slf: &Bound<'_, Self>, offset: &Bound<'_, PyAny>) -> PyResult<bool> {
        crate::reached::contains_one(slf.as_super(), operand::integer(offset)?)
    }

    /// R(i) = self(B(i)), in the profile of B; by a tiler, mode by mode.
    #[pyo3(signature = (B_or_tiler))]
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
    #[pyo3(signature = (tiler))]
    fn logical_divide(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        logical_divide(slf.as_any(), tiler)
    }

    /// Cut into tiles, which are gathered: ((tile modes), (rest modes)).
    #[pyo3(signature = (tiler))]
    fn zipped_divide(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        zipped_divide(slf.as_any(), tiler)
    }

    /// Cut into tiles: ((tile modes), rest0, rest1, ...).
    #[pyo3(signature = (tiler))]
    fn tiled_divide(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        tiled_divide(slf.as_any(), tiler)
    }

    /// Cut into tiles: (tile0, tile1, ..., rest0, rest1, ...).
    #[pyo3(signature = (tiler))]
    fn flat_divide(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        flat_divide(slf.as_any(), tiler)
    }

    /// Copies of the layout in the order of the tiler: (layout, copies).
    #[pyo3(signature = (tiler))]
    fn logical_product(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        logical_product(slf.as_any(), tiler)
    }

    /// Copies of the layout, gathered: ((its modes), (copies)).
    #[pyo3(signature = (tiler))]
    fn zipped_product(slf: &Bound<'_, Self>, tiler: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        zipped_product(slf.as_any(), tiler)
    }

    /// Copies laid out as blocks: ((x,z),(y,w)).
    #[pyo3(signature = (copies))]
    fn blocked_product(slf: &Bound<'_, Self>, copies: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("blocked_product", slf.as_super(), &[copies])
    }

    /// Copies interleaved: ((z,x),(w,y)).
    #[pyo3(signature = (copies))]
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

    /// The modes at the given positions, one after another or as one tuple.
    #[pyo3(signature = (*positions))]
    fn select(slf: &Bound<'_, Self>, positions: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        let all: Vec<_> = std::iter::once(slf.as_any().clone()).chain(positions.iter()).collect();
        apply(slf.py(), "select", &all, None)
    }

    /// The modes from begin to before end, made one mode.
    #[pyo3(signature = (begin, end))]
    fn group(slf: &Bound<'_, Self>, begin: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("group", slf.as_super(), &[begin, end])
    }

    /// With one more mode at the end.
    #[pyo3(signature = (mode))]
    fn append(slf: &Bound<'_, Self>, mode: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("append", slf.as_super(), &[mode])
    }

    /// With one more mode at the front.
    #[pyo3(signature = (mode))]
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
    #[pyo3(signature = (shape))]
    fn with_shape(slf: &Bound<'_, Self>, shape: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("with_shape", slf.as_super(), &[shape])
    }

    /// The modes with None, and the offset of the others.
    #[pyo3(signature = (coordinate))]
    fn slice(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("slice", slf.as_super(), &[coordinate])
    }

    /// Elements of old bits seen as elements of new bits.
    #[pyo3(signature = (old_bits, new_bits))]
    fn recast(slf: &Bound<'_, Self>, old_bits: &Bound<'_, PyAny>, new_bits: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("recast", slf.as_super(), &[old_bits, new_bits])
    }

    /// n neighbouring elements become one.
    #[pyo3(signature = (n))]
    fn upcast(slf: &Bound<'_, Self>, n: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("upcast", slf.as_super(), &[n])
    }

    /// Every element becomes n neighbouring ones.
    #[pyo3(signature = (n))]
    fn downcast(slf: &Bound<'_, Self>, n: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("downcast", slf.as_super(), &[n])
    }
}
