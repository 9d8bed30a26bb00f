//! Python objects of values.
//!
//! Integers, tuples, truth values, names and texts become Python's own; all other values become objects of the package.

use bitstride::cute::Function;
use bitstride::{Int, Layout, Node, StaticLayout, Stride, Tuple};
use bitstride_lang::{Answer, Entry, Value as Of};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::encoding::Encoding;
use crate::functions::{ComposedLayout, Swizzle, Tiler};
use crate::instruction::Instruction;
use crate::linear::LinearLayout;
use crate::maps::{AffineMap, Map, Verdict};
use crate::operand::leaf;
use crate::sharding::Sharding;
use crate::symbols::{Basis, Symbol};
use crate::value::{Held, Value};
use crate::xla::{BareLayout, Shape};

/// The object of an answer; an object of the package keeps the notes.
pub(crate) fn object(py: Python<'_>, answer: Answer) -> PyResult<Py<PyAny>> {
    let Answer { value, notes, .. } = answer;
    match value {
        Of::Bool(truth) => truth.into_py_any(py),
        Of::Text(text) => text.into_py_any(py),
        Of::Name(name) => name.as_str().into_py_any(py),
        Of::Tuple(tuple) => entries(py, &tuple),
        Of::List(values) => {
            let mut objects = Vec::new();
            for (number, value) in values.into_iter().enumerate() {
                crate::table::let_others_run(py, number)?;
                objects.push(object(py, value.into())?);
            }
            PyList::new(py, objects)?.into_py_any(py)
        }
        value => held(py, Held::of(value), notes),
    }
}

/// The object of the package that holds a value.
pub(crate) fn held(py: Python<'_>, held: Held, notes: Vec<String>) -> PyResult<Py<PyAny>> {
    macro_rules! of {
        ($class:ident) => {
            Py::new(py, PyClassInitializer::from(Value::new(held, notes)).add_subclass($class {}))?.into_py_any(py)
        };
    }
    match held.kind() {
        "layout" => crate::layout::Layout::object(py, held, notes),
        "swizzle" => of!(Swizzle),
        "composed" => {
            let composed = Value::new(held, notes).into_cute().add_subclass(ComposedLayout {});
            Py::new(py, composed)?.into_py_any(py)
        }
        "tiler" => of!(Tiler),
        "linear" => of!(LinearLayout),
        "encoding" => of!(Encoding),
        "xla" => of!(Shape),
        "xla_layout" => of!(BareLayout),
        "map" => of!(Map),
        "affine_map" => of!(AffineMap),
        "verdict" => of!(Verdict),
        "sharding" => of!(Sharding),
        "int" => of!(Symbol),
        "atom" | "tiled_mma" | "tiled_copy" | "slice" => of!(Instruction),
        _ => of!(Basis),
    }
}

/// The object of a layout with plain integers.
#[inline]
pub(crate) fn static_layout(py: Python<'_>, layout: StaticLayout) -> PyResult<Py<PyAny>> {
    crate::layout::Layout::object(py, Held::Static(layout), Vec::new())
}

/// A tuple of the language as a tuple of Python.
fn entries(py: Python<'_>, tuple: &Tuple<Entry>) -> PyResult<Py<PyAny>> {
    nested(py, tuple.root(), tuple.leaves(), &|entry| match entry {
        Entry::Keep => Ok(py.None()),
        Entry::Number(stride) => self::stride(py, stride),
    })
}

/// Leaves in the nesting of a node.
pub(crate) fn nested<T>(
    py: Python<'_>,
    node: Node<'_>,
    leaves: &[T],
    leaf: &dyn Fn(&T) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    if node.is_leaf() {
        return leaves.get(node.leaves().start).map_or_else(|| Ok(py.None()), leaf);
    }
    let mut parts = Vec::new();
    for (number, child) in node.children().enumerate() {
        crate::table::let_others_run(py, number)?;
        parts.push(nested(py, child, leaves, leaf)?);
    }
    PyTuple::new(py, parts)?.into_py_any(py)
}

/// An integer: Python's own where it is static, else a symbol.
pub(crate) fn int(py: Python<'_>, n: &Int) -> PyResult<Py<PyAny>> {
    match n {
        Int::Static(n) => n.into_py_any(py),
        n => held(py, Held::of(n.clone().into()), Vec::new()),
    }
}

/// An integer or a basis vector.
pub(crate) fn stride(py: Python<'_>, stride: &Stride) -> PyResult<Py<PyAny>> {
    match stride {
        Stride::Int(n) => int(py, n),
        vector => held(py, Held::of(leaf(vector)), Vec::new()),
    }
}

/// A function of coordinates as the object of its kind.
pub(crate) fn function(py: Python<'_>, function: Function) -> PyResult<Py<PyAny>> {
    held(py, Held::of(function.into()), Vec::new())
}

/// A layout as an object.
pub(crate) fn layout(py: Python<'_>, layout: Layout) -> PyResult<Py<PyAny>> {
    held(py, Held::of(layout.into()), Vec::new())
}
