//! Which offsets a layout reaches, of many at once.
//!
//! Law: each entry of an answer is what the entry alone gives.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::call::apply_to;
use crate::operand::integer;
use crate::table::{Read, offsets, rank};
use crate::value::Value;

/// Whether one offset is reached.
pub(crate) fn contains_one(value: &Bound<'_, Value>, offset: i64) -> PyResult<bool> {
    let found = apply_to("preimages", value, &[&offset.into_bound_py_any(value.py())?])?;
    found.bind(value.py()).len().map(|count| count > 0)
}

/// Whether the offset, or each offset of an array, is reached.
pub(crate) fn contains(value: &Bound<'_, Value>, asked: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = value.py();
    let is_one = rank(asked)?.map_or(asked.hasattr("__index__")?, |rank| rank == 0);
    if is_one {
        return contains_one(value, integer(asked)?)?.into_py_any(py);
    }
    let (asked, reached) = (Read::of(asked)?, Read::of(offsets(value)?.bind(py))?);
    let work = || {
        let mut reached = reached.entries;
        reached.sort_unstable();
        asked.entries.iter().map(|offset| u8::from(reached.binary_search(offset).is_ok())).collect::<Vec<u8>>()
    };
    let mask = py.detach(work);
    let mask = pyo3::types::PyBytes::new(py, &mask);
    let mask = py.import("numpy")?.call_method1("frombuffer", (mask, "bool"))?;
    mask.call_method1("reshape", (asked.shape,))?.call_method0("copy").map(Bound::unbind)
}
