//! Moves the elements of an array on a GPU from one layout to another, on the stream of its package.
//!
//! Law: the element of each coordinate is where the target layout has it; all other bytes of the result are as `make` made them,
//! or 0.
#![allow(unsafe_code)]

use std::path::PathBuf;
use std::sync::{Arc, Once};

use bitstride::{Code, Error};
use bitstride_gpu::{Device, Kernel, Memory as Allocated, Region, Stream};
use bitstride_relayout::Element;
use pyo3::prelude::*;

use crate::dlpack::{OnDevice, exported};
use crate::error::raised;
use crate::operand::operand;
use crate::relayout::suits;

/// The memory of an array on a GPU under one layout, as memory of the same GPU under another, moved on a stream.
///
/// As `relayout`, for arrays of `__dlpack__` whose device is one of CUDA. Without `make`, the result is a `DeviceArray`, and all is
/// done when the call returns; otherwise it is done in the order of the stream.
#[pyfunction]
#[pyo3(signature = (memory, source, target, element_bits, is_flat, stream, make=None, /))]
#[allow(clippy::too_many_arguments, reason = "a function of our own Python, whose arguments are those of `relayout`")]
pub(crate) fn relayout_on_device<'py>(
    memory: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    element_bits: u32,
    is_flat: bool,
    stream: u64,
    make: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = memory.py();
    let refused = |error: Error| raised(py, &error);
    let (source, target) = (operand(source)?, operand(target)?);
    let found = OnDevice::of(memory, stream)?;
    suits(found.element_bits, element_bits, is_flat && !found.is_compact).map_err(refused)?;
    search_packages(py)?;
    let (number, region) = (found.device, found.region);
    let kernel = || {
        let device = Device::open(number)?;
        let kernel = Kernel::of(&device, &source.as_map()?, &target.as_map()?, Element::of_bits(element_bits)?)?;
        Ok::<_, Error>((device, kernel))
    };
    let (device, kernel) = py.detach(kernel).map_err(refused)?;
    let [_, bytes] = kernel.bytes();
    let Some(make) = make else {
        let run = || {
            let mut moved = device.allocate(bytes)?;
            moved.clear()?;
            let to = Region { address: moved.address(), bytes };
            // SAFETY: DLPack made the array ready for the stream and keeps it alive, the other side is new, and both outlive the
            // wait.
            unsafe { kernel.run_on(region, to, None, Stream(stream)) }?;
            device.wait()?;
            Ok(Arc::new(moved))
        };
        let moved = py.detach(run).map_err(refused)?;
        return Ok(Bound::new(py, DeviceArray(moved))?.into_any());
    };
    let array = make.call1((bytes,))?;
    let to = OnDevice::of(&array, stream)?;
    if to.device != number || !to.is_writable || !to.is_compact {
        let message = "a result needs memory of the same GPU that can be written to, row-major without gaps";
        return Err(refused(Error::new(Code::Kind, message)));
    }
    let to_region = to.region;
    // SAFETY: DLPack made both arrays ready for the stream. Their packages free memory in the order of the stream, which is theirs.
    let run = || unsafe { kernel.run_on(region, to_region, None, Stream(stream)) };
    py.detach(run).map_err(refused)?;
    Ok(array)
}

/// NVRTC is looked for where Python's packages are.
fn search_packages(py: Python<'_>) -> PyResult<()> {
    static ONCE: Once = Once::new();
    if !ONCE.is_completed() {
        let paths: Vec<PathBuf> = py.import("sys")?.getattr("path")?.extract()?;
        ONCE.call_once(|| paths.into_iter().for_each(bitstride_gpu::search_in));
    }
    Ok(())
}

/// Bytes on a GPU, as one dim of DLPack's: `torch.from_dlpack(x)`, `jax.dlpack.from_dlpack(x)`, `cupy.from_dlpack(x)`.
#[pyclass(module = "bitstride", frozen)]
pub(crate) struct DeviceArray(Arc<Allocated>);

#[pymethods]
impl DeviceArray {
    /// The capsule. All that was moved is there, whatever the stream.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = (stream, max_version);
        if copy == Some(true) || dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            let message = "the bytes are given as they are, where they are";
            return Err(pyo3::exceptions::PyBufferError::new_err(message));
        }
        exported(py, &self.0)
    }

    /// The kind and the number of the device.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (2, self.0.device().number())
    }

    /// How many bytes there are.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("DeviceArray({} bytes on {})", self.0.len(), self.0.device().name())
    }
}
