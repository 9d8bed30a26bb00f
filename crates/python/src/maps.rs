//! [`Map`], [`AffineMap`] and [`Verdict`]: functions between named axes, and what comparing them says.

use bitstride::map::{Axis, Difference};
use bitstride_lang::Value as Of;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::call::apply_to;
use crate::error::raised;
use crate::operand::operand;
use crate::value::{Held, Value, from_text};

/// A layout of any family as one function between named axes. `Map(x)` of any layout, or of the text of a map.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Map {}

#[pymethods]
impl Map {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("domain", "codomain");

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

    /// The number of points.
    #[getter]
    fn size(slf: &Bound<'_, Self>) -> PyResult<i64> {
        let size = slf.as_super().get().value().as_map().and_then(|map| map.size());
        size.map_err(|error| raised(slf.py(), &error))
    }

    /// The number of axes that it takes.
    #[getter]
    fn rank(slf: &Bound<'_, Self>) -> usize {
        match slf.as_super().get().held.any() {
            Some(Of::Map(mapped)) => mapped.map.domain().len(),
            _ => 0,
        }
    }

    fn __len__(slf: &Bound<'_, Self>) -> usize {
        Self::rank(slf)
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// The places of all points in the map's own order, as an array of 64-bit integers; refused where a point leads to padding or to
    /// several numbers.
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
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str, &'static str) = ("alignment", "certificate", "difference");

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
            Difference::Dims { dims } => {
                fields.set_item("words", difference.to_string())?;
                let axes = dims.clone().map(|axes| -> Vec<(String, i64)> {
                    axes.iter().map(|axis| (axis.name.to_string(), axis.extent)).collect()
                });
                fields.set_item("dims", axes)?;
            }
            Difference::Places { extents, copies } => {
                fields.set_item("words", difference.to_string())?;
                let extents: Vec<(String, [i64; 2])> =
                    extents.iter().map(|(name, both)| (name.to_string(), *both)).collect();
                fields.set_item("extents", extents)?;
                fields.set_item("copies", *copies)?;
            }
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
