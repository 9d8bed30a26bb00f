//! [`Value`]: what all objects of the package share.
//!
//! Laws: equal objects have equal hashes and equal texts; `type(x)(str(x)) == x`; no method changes an object.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use bitstride::StaticLayout;
use bitstride::notation::Ints;
use bitstride_lang::Value as Of;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDict, PyTuple};

use crate::call::{apply, apply_to};
use crate::cute_layout::CuteLayout;
use crate::operand::{operand, read};
use crate::picture;

/// What an object holds; a layout of plain integers is held as such, since most are and its operations are fast.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Held {
    Static(StaticLayout),
    Any(Box<Of>),
}

impl Held {
    pub(crate) fn of(value: Of) -> Self {
        match &value {
            Of::Layout(layout) => layout.to_static().map_or_else(|| Held::Any(Box::new(value.clone())), Held::Static),
            _ => Held::Any(Box::new(value)),
        }
    }

    /// The value, unless it is a layout of plain integers.
    pub(crate) fn any(&self) -> Option<&Of> {
        match self {
            Held::Static(_) => None,
            Held::Any(value) => Some(value),
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Held::Static(_) => "layout",
            Held::Any(value) => value.kind(),
        }
    }
}

/// A value of the layout language.
#[pyclass(frozen, subclass, weakref, module = "bitstride")]
pub(crate) struct Value {
    pub(crate) held: Held,
    notes: Vec<String>,
}

impl Value {
    #[inline]
    pub(crate) fn new(held: Held, notes: Vec<String>) -> Self {
        Value { held, notes }
    }

    /// The part of an object that layouts of CuTe and composed layouts share.
    pub(crate) fn into_cute(self) -> PyClassInitializer<CuteLayout> {
        PyClassInitializer::from(self).add_subclass(CuteLayout {})
    }

    /// The value of an argument of a constructor, where it is of one of the kinds.
    pub(crate) fn read(object: &Bound<'_, PyAny>, kinds: &[&str]) -> PyResult<Self> {
        let py = object.py();
        let (value, notes) = match object.cast::<pyo3::types::PyString>() {
            Ok(text) => {
                let answer = read(py, text.to_str()?)?;
                (answer.value, answer.notes)
            }
            Err(_) => (operand(object)?, Vec::new()),
        };
        if !kinds.contains(&value.kind()) {
            let error = bitstride::error!(
                bitstride::Code::Kind,
                "{value} is of kind {kind}, and {kinds} is needed here",
                [value, kind = value.kind(), kinds = kinds.join(" or ")]
            );
            return Err(crate::error::raised(py, &error));
        }
        Ok(Value::new(Held::of(value), notes))
    }

    pub(crate) fn as_static(&self) -> Option<&StaticLayout> {
        match &self.held {
            Held::Static(layout) => Some(layout),
            Held::Any(_) => None,
        }
    }

    /// The value as the language has it.
    pub(crate) fn to_value(&self) -> Of {
        self.value().into_owned()
    }

    pub(crate) fn value(&self) -> Cow<'_, Of> {
        match &self.held {
            Held::Static(layout) => Cow::Owned(Of::Layout(layout.to_dynamic())),
            Held::Any(value) => Cow::Borrowed(value),
        }
    }

    pub(crate) fn text(&self) -> String {
        match &self.held {
            Held::Static(layout) => layout.to_string(),
            Held::Any(value) => value.to_string(),
        }
    }
}

#[pymethods]
impl Value {
    /// What kind of value it is: layout, swizzle, composed, tiler, linear, encoding, xla, map, ...
    #[getter]
    fn kind(&self) -> &'static str {
        self.held.kind()
    }

    /// What a reader should know about the value, such as tiles that cover more than their layout. Not compared.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.notes)
    }

    /// The value as JSON, in the form that `bitstride --json` prints: kind, value, data and notes.
    fn to_json(&self) -> String {
        let mut answer = bitstride_lang::Answer::from(self.to_value());
        answer.notes.clone_from(&self.notes);
        serde_json::Value::Object(bitstride_json::answer(&answer, bitstride_lang::Spelling::Plain)).to_string()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let text = slf.get().text().into_pyobject(slf.py())?.repr()?;
        Ok(format!("{}({text})", slf.get_type().name()?))
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Value>() else { return Ok(py.NotImplemented()) };
        let is_equal = self.held == other.get().held;
        match op {
            CompareOp::Eq => Ok(is_equal.into_pyobject(py)?.to_owned().into_any().unbind()),
            CompareOp::Ne => Ok((!is_equal).into_pyobject(py)?.to_owned().into_any().unbind()),
            _ => Ok(py.NotImplemented()),
        }
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match &self.held {
            // Layouts of equal leaves rarely differ in their nesting alone.
            Held::Static(layout) => (layout.extents(), layout.strides()).hash(&mut hasher),
            Held::Any(value) => value.to_string().hash(&mut hasher),
        }
        hasher.finish()
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> (Py<PyAny>, (String,)) {
        (slf.get_type().into_any().unbind(), (slf.get().text(),))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    /// The text as CuTe's C++ library prints it: `_5` static, `5` dynamic.
    fn cpp(&self) -> String {
        self.value().display(Ints::Cpp)
    }

    /// The place that a coordinate leads to, or the element at a place; padding is the text "padding".
    ///
    /// An integer is the number of a point: column-major in layouts of CuTe and places of linear layouts, row-major in other tensors.
    #[pyo3(signature = (coordinate))]
    fn at(slf: &Bound<'_, Self>, coordinate: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("at", slf, &[coordinate])
    }

    /// The same layout in another notation: cute, padded, linear, triton, mixed, xla, strides, tag or affine; or the source of
    /// cpp, dsl, pycute, torch, numpy or einops.
    ///
    /// For "xla", `type` is the type of an element, such as "bf16".
    #[pyo3(signature = (notation, r#type=None))]
    fn convert(
        slf: &Bound<'_, Self>,
        notation: &Bound<'_, PyAny>,
        r#type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let arguments: Vec<_> = std::iter::once(notation).chain(r#type).collect();
        apply_to("convert", slf, &arguments)
    }

    /// Whether both put the same elements at the same places; the verdict is true or has the first difference.
    #[pyo3(signature = (other))]
    fn same(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("same", slf, &[other])
    }

    /// As `same`, and counts how many elements lie elsewhere.
    #[pyo3(signature = (other))]
    fn diff(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        apply_to("diff", slf, &[other])
    }

    /// From places to elements.
    fn inverse(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("inverse", slf, &[])
    }

    /// Whether every place has exactly one element.
    fn is_bijective(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        apply_to("is_bijective", slf, &[])
    }

    /// Whether no two elements share a place.
    fn is_injective(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        if let Some(Of::Linear(layout)) = slf.get().held.any() {
            return layout.is_injective().into_py_any(slf.py());
        }
        apply_to("is_injective", slf, &[])
    }

    /// Whether every place has an element.
    fn is_surjective(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        if let Some(Of::Linear(layout)) = slf.get().held.any() {
            return layout.is_surjective().into_py_any(slf.py());
        }
        apply_to("is_surjective", slf, &[])
    }

    /// The operation of this name, with the value as its first argument.
    #[pyo3(signature = (operation, /, *arguments, **named))]
    fn call(
        slf: &Bound<'_, Self>,
        operation: &str,
        arguments: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let first = slf.as_any().clone();
        let all: Vec<_> = std::iter::once(first).chain(arguments.iter()).collect();
        apply(slf.py(), operation, &all, named)
    }

    /// How the value is read, as an explanation with steps and properties.
    fn explain(&self, py: Python<'_>) -> PyResult<crate::explanation::Explanation> {
        crate::explanation::explained(py, &self.text())
    }

    /// The picture of the value; of an encoding of Triton, for a `shape`.
    #[pyo3(signature = (shape=None))]
    fn show(slf: &Bound<'_, Self>, shape: Option<&Bound<'_, PyAny>>) -> PyResult<picture::Picture> {
        picture::of(slf, shape)
    }

    /// The picture as SVG; nothing for a value that has none.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> Option<String> {
        picture::of(slf, None).ok().map(|picture| picture.svg())
    }

    /// The text and the picture, or why there is none, for notebooks; with a link to the live page where the environment variable `BITSTRIDE_PAGE` has
    /// its address.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        let view = if matches!(slf.get().kind(), "linear" | "encoding") { "tensor" } else { "grid" };
        let drawn = match picture::of(slf, None) {
            Ok(picture) => Ok(picture.svg()),
            Err(refused) => {
                let message = refused.value(py).getattr("message").and_then(|message| message.extract::<String>());
                Err(message.unwrap_or_else(|_| refused.to_string()))
            }
        };
        Ok(picture::html(&slf.get().text(), drawn.as_deref().map_err(String::as_str), view))
    }
}

/// Defines the constructor of a class from the text of its values.
macro_rules! from_text {
    ($class:ident, $($kind:literal),+) => {
        fn read_new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<$class>> {
            Ok(PyClassInitializer::from($crate::value::Value::read(text, &[$($kind),+])?).add_subclass($class {}))
        }
    };
}
pub(crate) use from_text;
