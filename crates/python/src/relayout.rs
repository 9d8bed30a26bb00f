//! Moves the elements of an array from one layout to another.
//!
//! Law: the element of each coordinate is where the target layout has it; all other bytes of the result are as `make` made them.

use bitstride::{Code, Error, error};
use bitstride_relayout::{Element, Plan};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::dlpack::{Memory, Output};
use crate::error::raised;
use crate::operand::operand;

/// Below this many bytes, no other Python thread may run: the work takes about 10 microseconds.
const LONG_WORK: usize = 1 << 16;

/// The memory of an array under one layout, as new memory under another; elements have `element_bits` bits.
///
/// The array is read in place, through DLPack or as `bytes`; where `is_flat`, its own strides must be row-major. `make` takes a
/// number of bytes and gives an array of as many or more, with DLPack, which is the result; without it, the result is a `bytearray`.
#[pyfunction]
#[pyo3(signature = (memory, source, target, element_bits, is_flat, make=None, /))]
pub(crate) fn relayout<'py>(
    memory: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    element_bits: u32,
    is_flat: bool,
    make: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = memory.py();
    let refused = |error: Error| raised(py, &error);
    let (source, target) = (operand(source)?, operand(target)?);
    let plan = || Plan::new(&source.as_map()?, &target.as_map()?, Element::of_bits(element_bits)?);
    let plan = py.detach(plan).map_err(refused)?;
    let found;
    let bytes = match memory.cast::<PyBytes>() {
        Ok(bytes) => bytes.as_bytes(),
        Err(_) => {
            found = Memory::of(memory)?;
            suits(found.element_bits, element_bits, is_flat && !found.is_compact).map_err(refused)?;
            found.bytes()
        }
    };
    if bytes.len() < plan.source_bytes() {
        return Err(refused(error!(
            Code::Range,
            "the source layout has {source_bytes} bytes, and the array {bytes_count}",
            [source_bytes = plan.source_bytes(), bytes_count = bytes.len()]
        )));
    }
    let run = |moved: &mut [u8]| {
        let mut work = || plan.run(bytes, moved);
        let done = if plan.moved_bytes() > LONG_WORK { py.detach(work) } else { work() };
        done.map_err(refused)
    };
    let Some(make) = make else {
        return PyByteArray::new_with(py, plan.destination_bytes(), run).map(Bound::into_any);
    };
    let array = make.call1((plan.destination_bytes(),))?;
    run(Output::of(&array, [bytes])?.bytes())?;
    Ok(array)
}

/// Refuses an array whose elements are not whole bytes where the layout's are, and one with gaps where these do not count.
pub(crate) fn suits(array_bits: u32, element_bits: u32, has_gaps: bool) -> Result<(), Error> {
    if element_bits.is_multiple_of(8) && !array_bits.is_multiple_of(8) {
        return Err(error!(
            Code::Kind,
            "elements of {array_bits} bits, read as {element_bits} bits",
            [array_bits, element_bits]
        ));
    }
    if has_gaps {
        let error = Error::new(Code::Kind, "the elements of the array are not row-major without gaps");
        return Err(error.with_help("copy the array, or leave out the source, so that its strides count"));
    }
    Ok(())
}
