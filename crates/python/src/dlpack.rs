//! The memory of another package's array, read in place through DLPack.
//!
//! The structures are those of DLPack's `dlpack.h`, versions 0.8 and 1.0. A capsule that nobody renames stays its owner's,
//! so that the array frees its memory as ever. All unsafe code of this crate is here.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};

use bitstride::{Code, Error};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyDict};

use crate::error::raised;

const OLD: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

/// The number of the processor's own memory among DLPack's kinds of devices.
const CPU: i32 = 1;

#[repr(C)]
struct Tensor {
    data: *const u8,
    device_kind: i32,
    device: i32,
    dims: i32,
    element_code: u8,
    element_bits: u8,
    lanes: u16,
    shape: *const i64,
    /// Null for row-major.
    strides: *const i64,
    byte_offset: u64,
}

/// What a capsule of the first versions begins with.
#[repr(C)]
struct Old {
    tensor: Tensor,
}

/// What a capsule of version 1 begins with.
#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *const c_void,
    deleter: *const c_void,
    flags: u64,
    tensor: Tensor,
}

/// The flag of an array that must not be written to.
const READ_ONLY: u64 = 1;

/// An array's memory from its first element on, and the size of an element.
pub(crate) struct Memory<'py> {
    /// Keeps the memory alive.
    _owner: Bound<'py, PyCapsule>,
    start: *const u8,
    bytes: usize,
    is_writable: bool,
    /// Whether the elements lie row-major without gaps.
    pub(crate) is_compact: bool,
    pub(crate) element_bits: u32,
}

impl<'py> Memory<'py> {
    /// The memory of an array in the processor's memory whose strides are not negative.
    pub(crate) fn of(array: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = array.py();
        let newest = PyDict::new(py);
        newest.set_item("max_version", (1, 0))?;
        let capsule = match array.call_method("__dlpack__", (), Some(&newest)) {
            Err(error) if error.is_instance_of::<PyTypeError>(py) => array.call_method0("__dlpack__"),
            capsule => capsule,
        }?;
        let owner = capsule.cast_into::<PyCapsule>().map_err(PyErr::from)?;
        let (tensor, is_writable) = if owner.is_valid_checked(Some(VERSIONED)) {
            let found = owner.pointer_checked(Some(VERSIONED))?.cast::<Versioned>();
            // SAFETY: a capsule of this name points to such a structure as long as it lives.
            let found = unsafe { found.as_ref() };
            if found.major != 1 {
                let message = format!("DLPack's version {}.{}; versions before 2 are read", found.major, found.minor);
                return Err(raised(py, &Error::new(Code::Kind, message)));
            }
            (&found.tensor, found.flags & READ_ONLY == 0)
        } else {
            // SAFETY: as above. What is read-only has no such capsule.
            (&unsafe { owner.pointer_checked(Some(OLD))?.cast::<Old>().as_ref() }.tensor, true)
        };
        if tensor.device_kind != CPU {
            let message = format!(
                "the array is on a device of DLPack's kind {}, not in the memory of the CPU",
                tensor.device_kind
            );
            return Err(raised(py, &Error::new(Code::Kind, message)));
        }
        let element_bits = u32::from(tensor.element_bits) * u32::from(tensor.lanes);
        let (bytes, is_compact) = bytes_of(tensor, element_bits).map_err(|error| raised(py, &error))?;
        let offset = bitstride::cast::index(i64::try_from(tensor.byte_offset).unwrap_or(i64::MAX));
        let offset = offset.map_err(|error| raised(py, &error))?;
        let start = tensor.data.wrapping_add(offset);
        Ok(Memory { _owner: owner, start, bytes, is_writable, is_compact, element_bits })
    }

    /// The bytes from the first element to the end of the last.
    ///
    /// Nothing keeps another thread from writing to them, as to any array of NumPy; what is then read is not determined.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.bytes == 0 || self.start.is_null() {
            return &[];
        }
        // SAFETY: the owner has an element at each of its strides' reaches, so that all bytes between are in its allocation,
        // and it lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }
}

/// The memory of an array that was made for a result.
pub(crate) struct Output<'py>(Memory<'py>);

impl<'py> Output<'py> {
    /// The memory of a new array, of which nobody else reads or writes a byte yet.
    pub(crate) fn of(array: &Bound<'py, PyAny>, source: &[u8]) -> PyResult<Self> {
        let memory = Memory::of(array)?;
        let (start, from) = (memory.start.addr(), source.as_ptr().addr());
        let is_apart = start.saturating_add(memory.bytes) <= from || from.saturating_add(source.len()) <= start;
        if !memory.is_writable || !is_apart {
            let message = "a result needs memory of its own that can be written to";
            return Err(raised(array.py(), &Error::new(Code::Overlap, message)));
        }
        Ok(Output(memory))
    }

    /// The bytes of the array.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        if self.0.bytes == 0 || self.0.start.is_null() {
            return &mut [];
        }
        // SAFETY: as for reading; the array can be written to, and is new, so that no other slice has its bytes.
        unsafe { std::slice::from_raw_parts_mut(self.0.start.cast_mut(), self.0.bytes) }
    }
}

/// The bytes from the first element to the end of the last, of strides that are not negative, and whether they are row-major.
fn bytes_of(tensor: &Tensor, element_bits: u32) -> Result<(usize, bool), Error> {
    let dims = usize::try_from(tensor.dims).unwrap_or_default();
    let list = |start: *const i64| {
        if dims == 0 || start.is_null() {
            return &[][..];
        }
        // SAFETY: DLPack's shape and strides, where they are not null, have an entry for each dim.
        unsafe { std::slice::from_raw_parts(start, dims) }
    };
    let (shape, strides) = (list(tensor.shape), list(tensor.strides));
    if shape.contains(&0) {
        return Ok((0, true));
    }
    let too_large = || Error::new(Code::TooLarge, "the array is beyond 64 bits");
    let mut row_major = 1i64;
    let mut last = 0i64;
    let mut is_compact = true;
    for (at, extent) in shape.iter().enumerate().rev() {
        let stride = strides.get(at).copied().unwrap_or(row_major);
        if stride < 0 {
            return Err(Error::new(Code::Range, format!("the stride {stride} leads before the first element")));
        }
        is_compact &= *extent == 1 || stride == row_major;
        let reach = extent.checked_sub(1).and_then(|steps| steps.checked_mul(stride));
        last = reach.and_then(|reach| last.checked_add(reach)).ok_or_else(too_large)?;
        row_major = row_major.checked_mul(*extent).ok_or_else(too_large)?;
    }
    let bits =
        last.checked_add(1).and_then(|count| count.checked_mul(i64::from(element_bits))).ok_or_else(too_large)?;
    Ok((bitstride::cast::index(bits / 8 + i64::from(bits % 8 != 0))?, is_compact))
}
