//! The driver of CUDA: loaded at the first call, with its errors as ours, and the context of a device as the current one.
//!
//! Law: no function of the driver is called before [`load`] succeeded, and a thread's current context is what it was before.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;

use bitstride::{Code, Error, error};
use cudarc::driver::sys::{self, CUcontext, CUresult};

/// Loads the driver.
///
/// # Errors
/// [`Code::NoDevice`] where there is none, or where it finds no device that it can use.
pub(crate) fn load() -> Result<(), Error> {
    static LOADED: OnceLock<Result<(), Error>> = OnceLock::new();
    LOADED.get_or_init(loaded).clone()
}

fn loaded() -> Result<(), Error> {
    // SAFETY: loading the driver runs its initialisers alone, which have no preconditions.
    if !unsafe { sys::is_culib_present() } {
        let message = "there is no driver of CUDA: no library libcuda.so.1 (nvcuda.dll on Windows)";
        return Err(Error::new(Code::NoDevice, message).with_help("--device cpu, or a machine with an NVIDIA GPU"));
    }
    // SAFETY: the library is there.
    let started = unsafe { sys::cuInit(0) };
    if started != CUresult::CUDA_SUCCESS {
        return Err(error!(Code::NoDevice, "the driver of CUDA finds no GPU: {name}", [name = name(started)]));
    }
    Ok(())
}

/// What the driver calls one of its answers.
fn name(result: CUresult) -> String {
    let mut text = ptr::null();
    // SAFETY: the library was loaded by whoever has a result of it; the text is static.
    let found = unsafe { sys::cuGetErrorName(result, &raw mut text) };
    if found != CUresult::CUDA_SUCCESS || text.is_null() {
        return format!("{result:?}");
    }
    // SAFETY: the driver gave a text that ends with 0 and lives as long as the process.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// An answer of the driver, which did something for us.
///
/// # Errors
/// [`Code::DeviceFailed`] with the driver's name for what went wrong.
pub(crate) fn checked(result: CUresult, what: &str) -> Result<(), Error> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        failed => Err(error!(Code::DeviceFailed, "the driver did not {what}: {name}", [what, name = name(failed)])),
    }
}

/// A device's context while it is the current one of this thread.
pub(crate) struct Current(PhantomData<*const ()>);

impl Current {
    /// Makes a context the current one.
    ///
    /// # Errors
    /// As [`checked`].
    pub(crate) fn of(context: CUcontext) -> Result<Self, Error> {
        // SAFETY: the context was retained by `Device::open`, and is never released.
        checked(unsafe { sys::cuCtxPushCurrent_v2(context) }, "make a context current")?;
        Ok(Current(PhantomData))
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut context = ptr::null_mut();
        // SAFETY: this thread pushed a context, and pops once for it. A drop cannot report a failure.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&raw mut context) };
    }
}
