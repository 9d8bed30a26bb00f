//! [`Device`] and [`Memory`]: a GPU, and bytes on it.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::CStr;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use bitstride::{Code, Error, error};
use cudarc::driver::sys::{self, CUcontext, CUdevice_attribute, CUdeviceptr, CUresult};

use crate::driver::{Current, checked, load};

/// A GPU. Every value of one number is the same device, with the context that CUDA's runtime, PyTorch, CuPy and JAX use.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    number: i32,
    context: Context,
    /// The compute capability, such as 90 for 9.0.
    pub(crate) architecture: i32,
    name: String,
}

/// The context of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Context(CUcontext);

// SAFETY: the driver lets every thread use a context, and this one is never destroyed.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// The devices that are open, by their numbers.
static OPEN: Mutex<Option<HashMap<i32, Device>>> = Mutex::new(None);

impl Device {
    /// The device with a number, counted from 0 as CUDA counts those that `CUDA_VISIBLE_DEVICES` leaves.
    ///
    /// # Errors
    /// [`Code::NoDevice`] where there is no driver or no such device; [`Code::DeviceFailed`] where the driver fails.
    ///
    /// ```
    /// use bitstride_gpu::Device;
    /// assert_eq!(Device::open(1 << 20).unwrap_err().code().as_str(), "no-device");
    /// ```
    pub fn open(number: i32) -> Result<Device, Error> {
        load()?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.get_or_insert_default();
        if let Some(device) = open.get(&number) {
            return Ok(device.clone());
        }
        let mut count = 0;
        // SAFETY: here and below, the library is loaded, and each pointer is to a value that lives through the call.
        checked(unsafe { sys::cuDeviceGetCount(&raw mut count) }, "count the devices")?;
        if !(0..count).contains(&number) {
            return Err(error!(
                Code::NoDevice,
                "there is no device {number}; the driver has {count}, counted from 0",
                [number, count]
            ));
        }
        let mut device = 0;
        // SAFETY: as above.
        checked(unsafe { sys::cuDeviceGet(&raw mut device, number) }, "find a device")?;
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: as above.
            checked(unsafe { sys::cuDeviceGetAttribute(&raw mut value, which, device) }, "describe a device")?;
            Ok::<i32, Error>(value)
        };
        let major = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let mut text = [0; 256];
        // SAFETY: as above; the driver writes 255 characters and a 0 at most.
        checked(unsafe { sys::cuDeviceGetName(text.as_mut_ptr(), 256, device) }, "name a device")?;
        // SAFETY: the array ends with 0.
        let name = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned();
        let mut context = ptr::null_mut();
        // SAFETY: as above. The context is kept until the process ends.
        checked(unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut context, device) }, "make a context")?;
        let found = Device { number, context: Context(context), architecture: major * 10 + minor, name };
        open.insert(number, found.clone());
        Ok(found)
    }

    /// What the driver calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its number.
    pub fn number(&self) -> i32 {
        self.number
    }

    /// Makes its context the current one of this thread.
    pub(crate) fn current(&self) -> Result<Current, Error> {
        Current::of(self.context.0)
    }

    /// The bytes of its memory that are free, and all.
    ///
    /// # Errors
    /// [`Code::DeviceFailed`] where the driver fails.
    pub fn memory(&self) -> Result<[usize; 2], Error> {
        let _current = self.current()?;
        let (mut free, mut all) = (0, 0);
        // SAFETY: a context is current, and both pointers are to values that live through the call.
        checked(unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut all) }, "report its free memory")?;
        Ok([free, all])
    }

    /// New memory of a given number of bytes. What it holds is not determined.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where the device has no room; [`Code::DeviceFailed`] where the driver fails.
    pub fn allocate(&self, bytes: usize) -> Result<Memory, Error> {
        let mut address = 0;
        {
            let _current = self.current()?;
            // SAFETY: a context is current. CUDA has no allocation of 0 bytes.
            match unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes.max(1)) } {
                CUresult::CUDA_ERROR_OUT_OF_MEMORY => {}
                result => {
                    checked(result, "allocate memory")?;
                    return Ok(Memory { device: self.clone(), address, bytes });
                }
            }
        }
        let [free, all] = self.memory()?;
        Err(error!(
            Code::TooLarge,
            "no room for {bytes} bytes on {name}: {free} of its {all} bytes are free",
            [bytes, name = self.name, free, all]
        ))
    }

    /// New memory with some bytes.
    ///
    /// # Errors
    /// As [`Device::allocate`].
    pub fn upload(&self, bytes: &[u8]) -> Result<Memory, Error> {
        let mut memory = self.allocate(bytes.len())?;
        memory.write(bytes)?;
        Ok(memory)
    }

    /// Waits until all that was launched on it is done.
    ///
    /// # Errors
    /// [`Code::DeviceFailed`] where something of it failed.
    pub fn wait(&self) -> Result<(), Error> {
        let _current = self.current()?;
        // SAFETY: a context is current.
        checked(unsafe { sys::cuCtxSynchronize() }, "end what was launched")
    }
}

/// Bytes in the memory of a device.
#[derive(Debug)]
pub struct Memory {
    device: Device,
    address: CUdeviceptr,
    bytes: usize,
}

impl Memory {
    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Its address on the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Writes its first bytes.
    ///
    /// # Errors
    /// [`Code::Range`] for more bytes than it has; [`Code::DeviceFailed`] where the driver fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.holds(bytes.len())?;
        let _current = self.device.current()?;
        // SAFETY: a context is current; both sides have this many bytes, and the call returns when they are read.
        checked(unsafe { sys::cuMemcpyHtoD_v2(self.address, bytes.as_ptr().cast(), bytes.len()) }, "copy to the device")
    }

    /// Sets all its bytes to 0.
    ///
    /// # Errors
    /// [`Code::DeviceFailed`] where the driver fails.
    pub fn clear(&mut self) -> Result<(), Error> {
        let _current = self.device.current()?;
        // SAFETY: a context is current, and the memory has this many bytes.
        checked(unsafe { sys::cuMemsetD8_v2(self.address, 0, self.bytes) }, "set memory to 0")
    }

    /// Copies its first bytes to the processor's memory, after all that was launched on the default stream.
    ///
    /// # Errors
    /// [`Code::Range`] for more bytes than it has; [`Code::DeviceFailed`] where the driver, or what was launched, fails.
    pub fn download(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.holds(bytes.len())?;
        let _current = self.device.current()?;
        // SAFETY: a context is current; both sides have this many bytes, and the call returns when they are written.
        let copied = unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), self.address, bytes.len()) };
        checked(copied, "copy from the device")
    }

    /// Writes the first bytes of other memory of the device into its first, without waiting.
    ///
    /// # Errors
    /// [`Code::Range`] for more bytes than either has; [`Code::DeviceFailed`] where the driver fails.
    pub fn copy(&mut self, from: &Memory, bytes: usize) -> Result<(), Error> {
        self.holds(bytes)?;
        from.holds(bytes)?;
        let _current = self.device.current()?;
        // SAFETY: a context is current, both sides have this many bytes, and they are apart, as one is borrowed to be written.
        checked(
            unsafe { sys::cuMemcpyDtoDAsync_v2(self.address, from.address, bytes, ptr::null_mut()) },
            "copy on the device",
        )
    }

    fn holds(&self, bytes: usize) -> Result<(), Error> {
        if bytes > self.bytes {
            let message = format!("{bytes} bytes of memory that has {}", self.bytes);
            return Err(Error::new(Code::Range, message));
        }
        Ok(())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let Ok(_current) = self.device.current() else { return };
        // SAFETY: the address was allocated by this value, and is freed once; the driver waits for what uses it. A drop cannot
        // report a failure.
        let _ = unsafe { sys::cuMemFree_v2(self.address) };
    }
}
