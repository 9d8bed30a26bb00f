//! [`Instruction`]: matrix and copy instructions of CuTe, alone or as copies over a tile.

use bitstride_lang::Value as Of;
use pyo3::prelude::*;

use crate::answer::object;
use crate::operand::read;
use crate::value::{Value, from_text};

/// A matrix or copy instruction of CuTe, copies of one over threads and a tile, or one thread's part of them.
///
/// `Instruction("atom(SM80_16x8x16_F32F16F16F32_TN)")`. `x["A"]` is a part by its name, and `x.parts` the names.
#[pyclass(frozen, extends = Value, module = "bitstride")]
pub(crate) struct Instruction {}

impl Instruction {
    from_text!(Instruction, "atom", "tiled_mma", "tiled_copy", "slice");
}

#[pymethods]
impl Instruction {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("kind", "parts");

    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        Self::read_new(text)
    }

    /// The names of the parts, the layouts first.
    #[getter]
    fn parts(slf: &Bound<'_, Self>) -> Vec<&'static str> {
        match slf.as_super().get().held.any() {
            Some(Of::Instruction(instruction)) => instruction.parts(),
            _ => Vec::new(),
        }
    }

    /// The part of a name, such as the layout of an operand's threads and values.
    fn __getitem__(slf: &Bound<'_, Self>, part: &str) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        if !Self::parts(slf).contains(&part) {
            return Err(pyo3::exceptions::PyKeyError::new_err(part.to_owned()));
        }
        object(py, read(py, &format!("{}.{part}", slf.as_super().get().text()))?)
    }

    fn __contains__(slf: &Bound<'_, Self>, part: &str) -> bool {
        Self::parts(slf).contains(&part)
    }
}
