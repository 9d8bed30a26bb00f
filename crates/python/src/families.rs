//! The objects of the other families: linear layouts, encodings, XLA's shapes, maps and verdicts; and integers that are not
//! known.

use bitstride::linear::{Dim, LinearLayout as Linear, Name};
use bitstride::map::{Axis, Difference};
use bitstride::notation::{DatumKind, ExprKind, Ints};
use bitstride::xla::{Array, Dim as XlaDim, Shape as XlaShapeOf, TileDim};
use bitstride::{Code, Error, Int, Stride};
use bitstride_lang::{Entry, Value as Of};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::answer::{int, object};
use crate::call::apply_to;
use crate::error::raised;
use crate::operand::{integer, operand};
use crate::value::{Held, Value};

/// Defines the constructor of a class from the text of its values.
macro_rules! from_text {
    ($class:ident, $($kind:literal),+) => {
        fn read_new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<$class>> {
            Ok(PyClassInitializer::from(Value::read(text, &[$($kind),+])?).add_subclass($class {}))
        }
    };
}

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
    let pairs = if named.hasattr("items")? { named.call_method0("items")? } else { named.clone() };
    pairs.try_iter()?.map(|pair| pair?.extract()).collect()
}

#[pymethods]
impl LinearLayout {
    #[new]
    #[pyo3(signature = (bases, out_dims=None, /))]
    fn new(bases: &Bound<'_, PyAny>, out_dims: Option<&Bound<'_, PyAny>>) -> PyResult<PyClassInitializer<Self>> {
        let py = bases.py();
        let Some(out_dims) = out_dims else { return Self::read_new(bases) };
        let mut ins = Vec::new();
        for (name, images) in pairs(bases)? {
            let images = images.try_iter()?.map(|image| image?.try_iter()?.map(|n| integer(&n?)).collect());
            ins.push((Self::name(py, &name)?, images.collect::<PyResult<Vec<Vec<i64>>>>()?));
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

    /// Where a place leads: `L(lane=3, register=1)` is a dict of the out dims. Every in dim is named.
    #[pyo3(signature = (**place))]
    fn __call__(slf: &Bound<'_, Self>, place: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        match place {
            Some(place) => Self::apply(slf, place),
            None => Self::apply(slf, &PyDict::new(slf.py())),
        }
    }

    /// Where a place leads: `L.apply({"lane": 3, "register": 1})`.
    #[pyo3(signature = (place, /))]
    fn apply(slf: &Bound<'_, Self>, place: &Bound<'_, PyDict>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
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
    #[pyo3(signature = (other, /))]
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
    #[pyo3(signature = (other, /))]
    fn invert_and_compose(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("invert_and_compose", slf.as_super(), &[other])
    }

    /// What a conversion to another layout moves.
    #[pyo3(signature = (other, /))]
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

    /// The linear layout for a shape.
    #[pyo3(signature = (shape, /))]
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

/// A shape of XLA with its layout: `Shape("f32[3,5]{1,0:T(2,2)}")`. Elements are numbered row-major.
#[pyclass(frozen, extends = Value, module = "bitstride.xla")]
pub(crate) struct Shape {}

impl Shape {
    from_text!(Shape, "xla");

    fn array<'a>(slf: &'a Bound<'_, Self>) -> PyResult<&'a Array> {
        match slf.as_super().get().held.any() {
            Some(Of::Xla(XlaShapeOf::Array(array) | XlaShapeOf::Buffer(array))) => Ok(array),
            _ => {
                let error = Error::new(Code::Kind, format!("{} is no single array", slf.as_super().get().text()));
                Err(raised(slf.py(), &error))
            }
        }
    }
}

#[pymethods]
impl Shape {
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
        let dims: Vec<Option<i64>> = Self::array(slf)?.dims.iter().copied().map(XlaDim::bound).collect();
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

    /// The offset of an index, in elements.
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

/// A layout of any family as one function between named axes. `Map(x)` of any layout, or of the text of a map.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Map {}

#[pymethods]
impl Map {
    #[new]
    #[pyo3(signature = (layout, /))]
    fn new(layout: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let value = operand(layout)?;
        let map = match value {
            Of::Map(_) => value,
            value => {
                let map = value.as_map().map_err(|error| raised(layout.py(), &error))?;
                Of::Map(Box::new(bitstride_lang::Mapped { map, text: value.to_string() }))
            }
        };
        Ok(PyClassInitializer::from(Value::new(Held::of(map), Vec::new())).add_subclass(Map {}))
    }

    /// The axes that it takes: name, extent and unit.
    #[getter]
    fn domain(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        axes(slf, bitstride::map::Map::domain)
    }

    /// The axes that it leads to: name, extent and unit.
    #[getter]
    fn codomain(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        axes(slf, bitstride::map::Map::codomain)
    }

    /// What a coordinate leads to.
    #[pyo3(signature = (*coordinate))]
    fn __call__(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        crate::table::at(slf.as_super(), coordinate)
    }

    /// `A @ B` is A after B.
    fn __matmul__(slf: &Bound<'_, Self>, inner: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("composition", slf.as_super(), &[inner])
    }
}

fn axes(slf: &Bound<'_, Map>, side: fn(&bitstride::map::Map) -> &[Axis]) -> PyResult<Py<PyAny>> {
    let Some(Of::Map(mapped)) = slf.as_super().get().held.any() else { return Ok(slf.py().None()) };
    let axes = side(&mapped.map).iter().map(|axis| (axis.name.as_str().to_owned(), axis.extent, axis.unit.to_string()));
    PyTuple::new(slf.py(), axes.collect::<Vec<_>>())?.into_py_any(slf.py())
}

/// An affine map of MLIR: `AffineMap("affine_map<(d0, d1) -> (d0 * 8 + d1)>")`.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct AffineMap {}

impl AffineMap {
    from_text!(AffineMap, "affine_map");
}

#[pymethods]
impl AffineMap {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Self::read_new(text)
    }
}

/// Whether two layouts are the same; true where they are. It says how that is known, or what differs first.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Verdict {}

impl Verdict {
    from_text!(Verdict, "verdict");

    fn held<'a>(slf: &'a Bound<'_, Self>) -> Option<&'a bitstride::map::Verdict> {
        match slf.as_super().get().held.any() {
            Some(Of::Verdict(verdict)) => Some(verdict),
            _ => None,
        }
    }
}

#[pymethods]
impl Verdict {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Self::read_new(text)
    }

    fn __bool__(slf: &Bound<'_, Self>) -> bool {
        Self::held(slf).is_some_and(bitstride::map::Verdict::holds)
    }

    /// Which axes were compared with which, and in what unit places are counted.
    #[getter]
    fn alignment(slf: &Bound<'_, Self>) -> String {
        Self::held(slf).map(|verdict| verdict.alignment.clone()).unwrap_or_default()
    }

    /// How a positive answer is known.
    #[getter]
    fn certificate(slf: &Bound<'_, Self>) -> Option<String> {
        Self::held(slf)?.by.as_ref().map(ToString::to_string)
    }

    /// The first difference: a dict with the point and the two places, or with words; None where nothing differs.
    #[getter]
    fn difference(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        let py = slf.py();
        let Some(difference) = Self::held(slf).and_then(|verdict| verdict.difference.as_ref()) else { return Ok(None) };
        let fields = PyDict::new(py);
        let point = |point: &[i64]| PyTuple::new(py, point);
        let maybe = |at: &Option<Vec<i64>>| at.as_ref().map(|at| PyTuple::new(py, at)).transpose();
        match difference {
            Difference::Words(words) => fields.set_item("words", words)?,
            Difference::Point { point: at, places: [first, second], .. } => {
                fields.set_item("point", point(at)?)?;
                fields.set_item("places", (maybe(first)?, maybe(second)?))?;
            }
            Difference::Element { element, place, holds, .. } => {
                fields.set_item("element", point(element)?)?;
                fields.set_item("place", point(place)?)?;
                fields.set_item("holds", maybe(holds)?)?;
            }
            Difference::Place { place, element, elsewhere, .. } => {
                fields.set_item("place", point(place)?)?;
                fields.set_item("element", point(element)?)?;
                fields.set_item("elsewhere", point(elsewhere)?)?;
            }
        }
        fields.into_py_any(py).map(Some)
    }

    /// How many points differ, and of how many, where that was counted (by `diff`).
    #[getter]
    fn differing(slf: &Bound<'_, Self>) -> Option<(i64, i64)> {
        let counted = Self::held(slf)?.differences.as_ref()?;
        Some((counted.differing, counted.points))
    }
}

/// An integer that is not known: `Symbol("M")`, `Symbol("M", div=8)`, or a text such as "4*M", "5?" or "?{div=8}".
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Symbol {}

#[pymethods]
impl Symbol {
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

    fn __add__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("add", slf.as_super(), &[other])
    }

    fn __radd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("add", slf.as_super(), &[other])
    }

    fn __mul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (left, right) = (slf.as_super().get().to_value(), operand(other)?);
        let product = left.as_int().and_then(|left| bitstride::Integer::mul(&left, &right.as_int()?));
        int(slf.py(), &product.map_err(|error| raised(slf.py(), &error))?)
    }

    fn __rmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Self::__mul__(slf, other)
    }

    fn __floordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("div", slf.as_super(), &[other])
    }

    fn __mod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("mod", slf.as_super(), &[other])
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
                    object(slf.py(), bitstride_lang::Answer { value, notes: Vec::new() })
                }
                _ => Ok(slf.py().None()),
            },
            _ => Ok(slf.py().None()),
        }
    }
}
