//! Moves the elements of an array on a GPU from one layout to another, on the stream of its package.
//!
//! Law: the element of each coordinate is where the target layout has it; all other bytes of the result are as `make` made them,
//! or 0.
#![allow(unsafe_code)]

use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};

use bitstride::{Code, Error};
use bitstride_gpu::{Device, Kernel, Memory as Allocated, Region, Stream};
use bitstride_relayout::Element;
use pyo3::prelude::*;

use crate::dlpack::{OnDevice, Reader, exported};
use crate::error::raised;
use crate::operand::operand;
use crate::relayout::suits;

/// A pair of layouts, for arrays on GPUs. It is read once, and planned and compiled at the first run on a GPU, so that another run
/// costs little more than its launch.
#[pyclass(module = "bitstride", frozen)]
pub(crate) struct DeviceMove {
    source: bitstride_lang::Value,
    target: bitstride_lang::Value,
    element_bits: u32,
    /// The kernels that were needed so far, by the numbers of their devices.
    kernels: Mutex<Vec<Arc<Kernel>>>,
}

impl DeviceMove {
    /// The kernel for a device.
    fn kernel(&self, number: i32) -> Result<Arc<Kernel>, Error> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.iter().find(|kernel| kernel.device().number() == number) {
            return Ok(kernel.clone());
        }
        let element = Element::of_bits(self.element_bits)?;
        let kernel = Kernel::of(&Device::open(number)?, &self.source.as_map()?, &self.target.as_map()?, element)?;
        kernels.push(kernel.clone());
        Ok(kernel)
    }
}

#[pymethods]
impl DeviceMove {
    /// The elements have `element_bits` bits.
    #[new]
    #[pyo3(signature = (source, target, element_bits, /))]
    fn new(source: &Bound<'_, PyAny>, target: &Bound<'_, PyAny>, element_bits: u32) -> PyResult<Self> {
        let (source, target) = (operand(source)?, operand(target)?);
        Ok(DeviceMove { source, target, element_bits, kernels: Mutex::default() })
    }

    /// The memory of an array on a GPU as memory of the same GPU, moved on a stream.
    ///
    /// As `relayout`, for arrays of `__dlpack__` whose device is one of CUDA. `make` takes the bytes of the result and whether each of
    /// them is of an element; the stream is then the current one of the array's package, and all is done in its order. Without
    /// `make`, the result is a `DeviceArray`, and all is done when the call returns.
    #[pyo3(signature = (memory, is_flat, stream, make=None, /))]
    fn run<'py>(
        &self,
        memory: &Bound<'py, PyAny>,
        is_flat: bool,
        stream: u64,
        make: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = memory.py();
        let refused = |error: Error| raised(py, &error);
        // An array is ready for the current stream of its own package.
        let reader = if make.is_some() { Reader::Owner } else { Reader::Stream(stream) };
        let found = OnDevice::of(memory, reader)?;
        suits(found.element_bits, self.element_bits, is_flat && !found.is_compact).map_err(refused)?;
        search_packages(py)?;
        let (number, region) = (found.device, found.region);
        let kernel = py.detach(|| self.kernel(number)).map_err(refused)?;
        let [_, bytes] = kernel.bytes();
        let Some(make) = make else {
            let run = || {
                let mut moved = kernel.device().allocate(bytes)?;
                if !kernel.is_whole() {
                    moved.clear()?;
                }
                let to = Region { address: moved.address(), bytes };
                // SAFETY: DLPack made the array ready for the stream and keeps it alive, the other side is new, and both outlive the
                // wait.
                unsafe { kernel.run_on(region, to, None, Stream(stream)) }?;
                kernel.device().wait()?;
                Ok(Arc::new(moved))
            };
            let moved = py.detach(run).map_err(refused)?;
            return Ok(Bound::new(py, DeviceArray(moved))?.into_any());
        };
        let array = make.call1((bytes, kernel.is_whole()))?;
        let to = OnDevice::of(&array, reader)?;
        if to.device != number || !to.is_writable || !to.is_compact {
            let message = "a result needs memory of the same GPU that can be written to, row-major without gaps";
            return Err(refused(Error::new(Code::Kind, message)));
        }
        let to_region = to.region;
        // SAFETY: what came before on the stream made both arrays ready. Their package frees memory in the order of the stream, which is
        // its own.
        let run = || unsafe { kernel.run_on(region, to_region, None, Stream(stream)) };
        py.detach(run).map_err(refused)?;
        Ok(array)
    }
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
