//! The memory of another package's array, read in place through DLPack.
//!
//! The structures are those of DLPack's `dlpack.h`, versions 0.8 and 1.0. A capsule that nobody renames stays its owner's,
//! so that the array frees its memory as ever. Memory on a GPU that is ours is given away the same way. Unsafe code of this crate is
//! here, and where a GPU is launched (`on_device`).
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};

use bitstride::{Code, Error, error};
use bitstride_gpu::{Memory as DeviceMemory, Region};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyDict};

use crate::error::raised;

const OLD: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

/// The numbers of the processor's own memory, and of a GPU's, among DLPack's kinds of devices.
const CPU: i32 = 1;
const CUDA: i32 = 2;

/// DLPack's stream for a reader that nothing is to wait for.
const NO_WAIT: i32 = -1;

/// DLPack's number for integers without a sign.
const UNSIGNED: u8 = 1;

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

/// Who reads an array.
#[derive(Clone, Copy)]
pub(crate) enum Reader {
    /// The processor.
    Cpu,
    /// What is launched on a stream, which DLPack lets wait for the array.
    Stream(u64),
    /// What is launched on the current stream of the array's package, which need not wait. The package may have made the capsule.
    Owner,
}

/// The capsule of an array.
fn capsule<'py>(array: &Bound<'py, PyAny>, reader: Reader) -> PyResult<Bound<'py, PyCapsule>> {
    let py = array.py();
    if let (Reader::Owner, Ok(capsule)) = (reader, array.cast::<PyCapsule>()) {
        return Ok(capsule.clone());
    }
    let arguments = |is_newest: bool| {
        let arguments = PyDict::new(py);
        match reader {
            Reader::Cpu => {}
            Reader::Stream(stream) => arguments.set_item(intern!(py, "stream"), stream)?,
            Reader::Owner => arguments.set_item(intern!(py, "stream"), NO_WAIT)?,
        }
        if is_newest {
            arguments.set_item(intern!(py, "max_version"), (1, 0))?;
        }
        Ok::<_, PyErr>(arguments)
    };
    let name = intern!(py, "__dlpack__");
    let capsule = match array.call_method(name, (), Some(&arguments(true)?)) {
        // Python's own error about an argument that an older method lacks; a package's error of a subclass has another reason.
        Err(error) if error.get_type(py).is(py.get_type::<PyTypeError>()) => {
            array.call_method(name, (), Some(&arguments(false)?))
        }
        capsule => capsule,
    };
    capsule.map_err(|error| not_shared(array, error))?.cast_into::<PyCapsule>().map_err(PyErr::from)
}

/// The refusal where a package does not give the memory of its array away; each package raises other exceptions.
fn not_shared(array: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = array.py();
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let refused = || -> PyResult<PyErr> {
        let module = array.get_type().module()?;
        let package = module.to_str()?.split('.').next().unwrap_or_default().to_owned();
        let message = format!("{package} does not share the memory of the array: {}", error.value(py));
        let class = py.import("bitstride._errors")?.getattr("RefusedError")?;
        Ok(PyErr::from_value(class.call1((message, Code::Kind.as_str()))?))
    };
    match refused() {
        Ok(refused) => {
            refused.set_cause(py, Some(error));
            refused
        }
        Err(failed) => failed,
    }
}

/// What DLPack says of an array: its shape, its strides in elements, the type and the bits of an element. Nothing is read.
#[pyfunction]
#[pyo3(signature = (array, is_on_gpu, /))]
pub(crate) fn dlpack_facts(array: &Bound<'_, PyAny>, is_on_gpu: bool) -> PyResult<(Vec<i64>, Vec<i64>, String, u32)> {
    let owner = capsule(array, if is_on_gpu { Reader::Owner } else { Reader::Cpu })?;
    let (tensor, _) = tensor(&owner)?;
    let (shape, strides) = dims_of(tensor);
    let strides = match strides {
        [] => row_major(shape).map_err(|error| raised(array.py(), &error))?,
        strides => strides.to_vec(),
    };
    Ok((shape.to_vec(), strides, element_type(tensor), element_bits(tensor)))
}

/// The type of an element under NumPy's name, where NumPy has it.
fn element_type(tensor: &Tensor) -> String {
    let bits = tensor.element_bits;
    let scalar = match tensor.element_code {
        0 => format!("int{bits}"),
        UNSIGNED => format!("uint{bits}"),
        2 => format!("float{bits}"),
        4 => format!("bfloat{bits}"),
        5 => format!("complex{bits}"),
        6 if bits == 8 => "bool".to_owned(),
        code => format!("DLPack's type {code} of {bits} bits"),
    };
    match tensor.lanes {
        1 => scalar,
        lanes => format!("{lanes} of {scalar}"),
    }
}

fn element_bits(tensor: &Tensor) -> u32 {
    u32::from(tensor.element_bits) * u32::from(tensor.lanes)
}

/// The shape and the strides of a tensor; no strides where it is row-major.
fn dims_of(tensor: &Tensor) -> (&[i64], &[i64]) {
    let dims = usize::try_from(tensor.dims).unwrap_or_default();
    let list = |start: *const i64| {
        if dims == 0 || start.is_null() {
            return &[][..];
        }
        // SAFETY: DLPack's shape and strides, where they are not null, have an entry for each dim.
        unsafe { std::slice::from_raw_parts(start, dims) }
    };
    (list(tensor.shape), list(tensor.strides))
}

fn row_major(shape: &[i64]) -> Result<Vec<i64>, Error> {
    let mut before = 1i64;
    let mut strides = Vec::new();
    for extent in shape.iter().rev() {
        strides.push(before);
        before = before.checked_mul(*extent).ok_or_else(too_large)?;
    }
    strides.reverse();
    Ok(strides)
}

fn too_large() -> Error {
    Error::new(Code::TooLarge, "the array is beyond 64 bits")
}

/// The tensor of a capsule, and whether it may be written to.
fn tensor<'a>(owner: &'a Bound<'_, PyCapsule>) -> PyResult<(&'a Tensor, bool)> {
    if !owner.is_valid_checked(Some(VERSIONED)) {
        // SAFETY: a capsule of this name points to such a structure as long as it lives. What is read-only has no such capsule.
        return Ok((&unsafe { owner.pointer_checked(Some(OLD))?.cast::<Old>().as_ref() }.tensor, true));
    }
    // SAFETY: as above.
    let found = unsafe { owner.pointer_checked(Some(VERSIONED))?.cast::<Versioned>().as_ref() };
    if found.major != 1 {
        return Err(raised(
            owner.py(),
            &error!(
                Code::Kind,
                "DLPack's version {major}.{minor}; versions before 2 are read",
                [major = found.major, minor = found.minor]
            ),
        ));
    }
    Ok((&found.tensor, found.flags & READ_ONLY == 0))
}

/// The memory of an array on a GPU.
pub(crate) struct OnDevice<'py> {
    /// Keeps the memory alive.
    _owner: Bound<'py, PyCapsule>,
    pub(crate) device: i32,
    pub(crate) region: Region,
    pub(crate) is_writable: bool,
    pub(crate) is_compact: bool,
    pub(crate) element_bits: u32,
}

impl<'py> OnDevice<'py> {
    /// The memory of an array on a GPU of CUDA whose strides are not negative, ready for a reader.
    pub(crate) fn of(array: &Bound<'py, PyAny>, reader: Reader) -> PyResult<Self> {
        let refused = |error: Error| raised(array.py(), &error);
        let owner = capsule(array, reader)?;
        let (tensor, is_writable) = tensor(&owner)?;
        if tensor.device_kind != CUDA {
            return Err(refused(error!(
                Code::Kind,
                "the array is on a device of DLPack's kind {device_kind}, not on a GPU of CUDA",
                [device_kind = tensor.device_kind]
            )));
        }
        let element_bits = element_bits(tensor);
        let (bytes, is_compact) = bytes_of(tensor, element_bits).map_err(refused)?;
        let first = u64::try_from(tensor.data.addr()).ok().and_then(|first| first.checked_add(tensor.byte_offset));
        let address = first.ok_or_else(|| refused(Error::overflow("an address on the device")))?;
        let device = tensor.device;
        let region = Region { address, bytes };
        Ok(OnDevice { _owner: owner, device, region, is_writable, is_compact, element_bits })
    }
}

/// What a capsule that we make points to: the bytes of some memory on a GPU.
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    shape: [i64; 1],
    _memory: std::sync::Arc<DeviceMemory>,
}

/// Frees a structure that [`exported`] made.
///
/// # Safety
/// The pointer is from [`exported`], and nobody uses it any more.
unsafe extern "C" fn freed(managed: *mut Managed) {
    if !managed.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and is freed once, as the caller says.
        drop(unsafe { Box::from_raw(managed) });
    }
}

/// Frees the structure of a capsule that nobody took.
///
/// # Safety
/// It is called by Python alone, with a capsule of [`exported`].
unsafe extern "C" fn dropped(capsule: *mut pyo3::ffi::PyObject) {
    // SAFETY: the capsule lives through the call; who takes its structure renames it, and frees it then.
    unsafe {
        if pyo3::ffi::PyCapsule_IsValid(capsule, OLD.as_ptr()) == 1 {
            freed(pyo3::ffi::PyCapsule_GetPointer(capsule, OLD.as_ptr()).cast());
        }
    }
}

/// Memory on a GPU as a capsule of DLPack: its bytes as one dim.
pub(crate) fn exported<'py>(py: Python<'py>, memory: &std::sync::Arc<DeviceMemory>) -> PyResult<Bound<'py, PyAny>> {
    let address = usize::try_from(memory.address()).unwrap_or_default();
    let mut managed = Box::new(Managed {
        tensor: Tensor {
            data: std::ptr::without_provenance(address),
            device_kind: CUDA,
            device: memory.device().number(),
            dims: 1,
            element_code: UNSIGNED,
            element_bits: 8,
            lanes: 1,
            shape: std::ptr::null(),
            strides: std::ptr::null(),
            byte_offset: 0,
        },
        context: std::ptr::null_mut(),
        deleter: Some(freed),
        shape: [i64::try_from(memory.len()).unwrap_or(i64::MAX)],
        _memory: memory.clone(),
    });
    managed.tensor.shape = managed.shape.as_ptr();
    let managed = Box::into_raw(managed);
    // SAFETY: Python is attached, the name is static, and the capsule frees the structure unless somebody takes it.
    let capsule = unsafe { pyo3::ffi::PyCapsule_New(managed.cast(), OLD.as_ptr(), Some(dropped)) };
    if capsule.is_null() {
        // SAFETY: there is no capsule that could free it.
        unsafe { freed(managed) };
    }
    // SAFETY: the pointer is new, or null where Python has an error.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }
}

impl<'py> Memory<'py> {
    /// The memory of an array in the processor's memory whose strides are not negative.
    pub(crate) fn of(array: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = array.py();
        let owner = capsule(array, Reader::Cpu)?;
        let (tensor, is_writable) = tensor(&owner)?;
        if tensor.device_kind != CPU {
            return Err(raised(
                py,
                &error!(
                    Code::Kind,
                    "the array is on a device of DLPack's kind {device_kind}, not in the memory of the CPU",
                    [device_kind = tensor.device_kind]
                ),
            ));
        }
        let element_bits = element_bits(tensor);
        let (bytes, is_compact) = bytes_of(tensor, element_bits).map_err(|error| raised(py, &error))?;
        let offset = bitstride::cast::bytes(i64::try_from(tensor.byte_offset).unwrap_or(i64::MAX));
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

/// The memory of an array for a result.
pub(crate) struct Output<'py>(Memory<'py>);

impl<'py> Output<'py> {
    /// The memory of an array that is new, or that somebody gave to be written to; the sources have none of its bytes.
    pub(crate) fn of<'a>(array: &Bound<'py, PyAny>, sources: impl IntoIterator<Item = &'a [u8]>) -> PyResult<Self> {
        let memory = Memory::of(array)?;
        let start = memory.start.addr();
        let is_apart = |source: &[u8]| {
            let from = source.as_ptr().addr();
            start.saturating_add(memory.bytes) <= from || from.saturating_add(source.len()) <= start
        };
        if !memory.is_writable || !sources.into_iter().all(is_apart) {
            let message = "a result needs memory of its own that can be written to";
            return Err(raised(array.py(), &Error::new(Code::Overlap, message)));
        }
        if !memory.is_compact {
            let message = "the elements of the array for the result are not row-major without gaps";
            return Err(raised(array.py(), &Error::new(Code::Kind, message)));
        }
        Ok(Output(memory))
    }

    /// The bytes of the array, before something is written to them.
    pub(crate) fn before(&self) -> &[u8] {
        self.0.bytes()
    }

    /// The bytes of the array.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        if self.0.bytes == 0 || self.0.start.is_null() {
            return &mut [];
        }
        // SAFETY: as for reading; the array can be written to, and no other slice of ours has its bytes.
        unsafe { std::slice::from_raw_parts_mut(self.0.start.cast_mut(), self.0.bytes) }
    }
}

/// The bytes from the first element to the end of the last, of strides that are not negative, and whether they are row-major.
fn bytes_of(tensor: &Tensor, element_bits: u32) -> Result<(usize, bool), Error> {
    let (shape, strides) = dims_of(tensor);
    if shape.contains(&0) {
        return Ok((0, true));
    }
    let mut row_major = 1i64;
    let mut last = 0i64;
    let mut is_compact = true;
    for (at, extent) in shape.iter().enumerate().rev() {
        let stride = strides.get(at).copied().unwrap_or(row_major);
        if stride < 0 {
            return Err(error!(Code::Range, "the stride {stride} leads before the first element", [stride]));
        }
        is_compact &= *extent == 1 || stride == row_major;
        let reach = extent.checked_sub(1).and_then(|steps| steps.checked_mul(stride));
        last = reach.and_then(|reach| last.checked_add(reach)).ok_or_else(too_large)?;
        row_major = row_major.checked_mul(*extent).ok_or_else(too_large)?;
    }
    let bits =
        last.checked_add(1).and_then(|count| count.checked_mul(i64::from(element_bits))).ok_or_else(too_large)?;
    Ok((bitstride::cast::bytes(bits / 8 + i64::from(bits % 8 != 0))?, is_compact))
}
