//! [`Kernel`]: a pair of layouts as it is moved on a device.
//!
//! Law: nothing is launched before the memory of both sides is as large as the layouts reach, and the two are apart.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

use bitstride::map::Map;
use bitstride::{Code, Error, error};
use bitstride_emit::{CudaKernel, Relayout};
use bitstride_relayout::Element;
use cudarc::driver::sys::{self, CUfunction, CUmodule, CUstream};

use crate::cache::Cache;
use crate::compiler::compiled;
use crate::device::{Device, Memory};
use crate::driver::checked;
use crate::fill::{Fill, SOURCE, THREADS};

/// The widest words of a thread in bytes.
const MAX_ALIGNMENT: u64 = 16;

/// Bytes on a device that belong to somebody else, such as a tensor of PyTorch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The address of the first byte on the device.
    pub address: u64,
    /// How many bytes there are.
    pub bytes: usize,
}

/// A stream of CUDA by its handle: 0 is the default one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stream(pub u64);

impl Stream {
    fn raw(self) -> Result<CUstream, Error> {
        let address = usize::try_from(self.0).map_err(|_| Error::overflow("the handle of a stream"))?;
        Ok(ptr::without_provenance_mut(address))
    }
}

/// A function of a module, which is unloaded with its last value.
#[derive(Clone)]
struct Function {
    module: Arc<Module>,
    function: CUfunction,
}

struct Module {
    device: Device,
    module: CUmodule,
}

// SAFETY: the driver lets every thread use a module and its functions, in the context of the device.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}
// SAFETY: as above; the module lives as long as the function.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Drop for Module {
    fn drop(&mut self) {
        // What runs of it must end first.
        if self.device.wait().is_err() {
            return;
        }
        let Ok(_current) = self.device.current() else { return };
        // SAFETY: the module was loaded by this value, is unloaded once, and nothing of it runs. A drop cannot report a failure.
        let _ = unsafe { sys::cuModuleUnload(self.module) };
    }
}

impl Function {
    /// Compiles some source, and finds a kernel in it.
    fn of(device: &Device, source: &str, name: &CStr) -> Result<Self, Error> {
        let code = compiled(source, device.architecture)?;
        let _current = device.current()?;
        let mut module = ptr::null_mut();
        // SAFETY: a context is current, the pointers are to values that live through the call, and the code is NVRTC's for this device.
        checked(unsafe { sys::cuModuleLoadData(&raw mut module, code.as_ptr().cast()) }, "load a kernel")?;
        let module = Arc::new(Module { device: device.clone(), module });
        let mut function = ptr::null_mut();
        // SAFETY: as above.
        checked(unsafe { sys::cuModuleGetFunction(&raw mut function, module.module, name.as_ptr()) }, "find a kernel")?;
        Ok(Function { module, function })
    }

    /// Launches it with some arguments.
    ///
    /// # Safety
    /// The arguments are those of the kernel, in order, and it may write where they point to.
    unsafe fn launch(&self, blocks: u32, stream: Stream, arguments: &mut [*mut c_void]) -> Result<(), Error> {
        let _current = self.module.device.current()?;
        let stream = stream.raw()?;
        // SAFETY: a context is current; the rest is handed on to the caller.
        let launched = unsafe {
            sys::cuLaunchKernel(
                self.function,
                blocks,
                1,
                1,
                THREADS,
                1,
                1,
                0,
                stream,
                arguments.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        checked(launched, "launch a kernel")
    }
}

/// A kernel for memory on some alignment.
#[derive(Clone)]
struct Compiled {
    /// None where nothing is to be moved.
    function: Option<Function>,
    blocks: u32,
}

/// A pair of layouts as it is moved on a device. The kernel is compiled when it is first run on memory of an alignment: threads
/// move words of 16 bytes where both sides begin on multiples of 16, otherwise smaller ones.
pub struct Kernel {
    device: Device,
    element: Element,
    relayout: Relayout,
    compiled: Cache<u64, Compiled>,
}

impl Kernel {
    /// The kernel of a pair of layouts of one tensor. The same question has the same kernel in all of the process.
    ///
    /// # Errors
    /// As [`Relayout::of`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_gpu::{Device, Kernel};
    /// use bitstride_relayout::Element;
    /// let map = Map::of_layout(&"(64,64):(64,1)".parse()?)?;
    /// if let Ok(device) = Device::open(0) {
    ///     let kernel = Kernel::of(&device, &map, &map, Element::of_bits(16)?)?;
    ///     assert_eq!(kernel.bytes(), [8192; 2]);
    /// }
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(device: &Device, from: &Map, to: &Map, element: Element) -> Result<Arc<Kernel>, Error> {
        static KERNELS: Cache<(Device, Map, Map, Element), Arc<Kernel>> = Cache::new();
        KERNELS.get((device.clone(), from.clone(), to.clone(), element), || {
            let relayout = Relayout::of([from, to], element, ["the source", "the destination"])?;
            Ok(Arc::new(Kernel { device: device.clone(), element, relayout, compiled: Cache::new() }))
        })
    }

    /// The least bytes of the source and of the destination.
    pub fn bytes(&self) -> [usize; 2] {
        self.relayout.bytes()
    }

    /// Whether each byte of the destination, as far as its layout reaches, is of an element.
    pub fn is_whole(&self) -> bool {
        self.relayout.is_whole()
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The CUDA source for memory that begins on multiples of 16 bytes.
    ///
    /// # Errors
    /// As [`Relayout::cuda`].
    pub fn source(&self) -> Result<String, Error> {
        self.relayout.cuda(16).map(|kernel| kernel.source)
    }

    /// Moves the tensor, after it set all places of the destination without an element to a value, where there is one: the bytes of
    /// an element, as [`Plan::run_filled`](bitstride_relayout::Plan::run_filled) takes it. The call may return before the bytes are
    /// moved; [`Memory::download`] waits for them.
    ///
    /// # Errors
    /// [`Code::Range`] for memory that is smaller than the layouts reach, and for a value that is no element or has more than 16
    /// bytes; [`Code::Kind`] for memory of another device; as [`Relayout::cuda`]; [`Code::NoDevice`] without NVRTC;
    /// [`Code::DeviceFailed`] where it or the driver fails. Nothing is launched then.
    pub fn run(&self, source: &Memory, destination: &mut Memory, value: Option<&[u8]>) -> Result<(), Error> {
        if [source.device(), destination.device()] != [&self.device; 2] {
            return Err(error!(
                Code::Kind,
                "memory of another device than {number}, {name}",
                [number = self.device.number(), name = self.device.name()]
            ));
        }
        let [source, destination] =
            [source, destination].map(|memory| Region { address: memory.address(), bytes: memory.len() });
        // SAFETY: both are allocated as long as they are borrowed, nobody else writes to the destination, and the driver frees memory
        // when what was launched on the default stream is done.
        unsafe { self.run_on(source, destination, value, Stream::default()) }
    }

    /// Sets all elements of some memory to a value, also behind what the layout reaches.
    ///
    /// # Errors
    /// As [`Kernel::run`] for a value.
    pub fn fill(&self, memory: &mut Memory, value: &[u8]) -> Result<(), Error> {
        let fill = Fill::of(memory.len(), &self.element.pattern(value)?)?;
        let region = Region { address: memory.address(), bytes: memory.len() };
        // SAFETY: the memory has this many bytes, nobody else writes to it while it is borrowed, and the driver frees it when what was
        // launched on the default stream is done.
        unsafe { self.fill_on(region, fill, Stream::default()) }
    }

    /// As [`Kernel::run`], in memory of somebody else and on a stream of theirs, without waiting.
    ///
    /// # Safety
    /// Both regions are memory of the device, and stay so until the stream has done what is launched. Nothing else writes to them
    /// meanwhile, and nothing else reads the destination. The stream is one of the device's primary context.
    ///
    /// # Errors
    /// As [`Kernel::run`]; [`Code::Overlap`] where the regions overlap.
    pub unsafe fn run_on(
        &self,
        source: Region,
        destination: Region,
        value: Option<&[u8]>,
        stream: Stream,
    ) -> Result<(), Error> {
        self.check(source, destination)?;
        let alignment = alignment(source.address | destination.address);
        let Compiled { function, blocks } = self.compiled.get(alignment, || self.compile(alignment))?;
        if let Some(value) = value {
            let pattern = self.element.pattern(value)?;
            let fill = Fill::of(self.bytes()[1], &pattern)?;
            // SAFETY: the destination is as large as the layouts reach; the rest is handed on to the caller.
            unsafe { self.fill_on(destination, fill, stream) }?;
        }
        let Some(function) = function else { return Ok(()) };
        let (mut from, mut to) = (source.address, destination.address);
        let mut arguments = [(&raw mut from).cast(), (&raw mut to).cast()];
        // SAFETY: the kernel takes two addresses, and writes to places of the destination alone, which were checked; the rest is
        // handed on to the caller.
        unsafe { function.launch(blocks, stream, &mut arguments) }
    }

    /// Compiles the kernel for memory on an alignment.
    fn compile(&self, alignment: u64) -> Result<Compiled, Error> {
        let CudaKernel { source, blocks, threads } = self.relayout.cuda(i64::try_from(alignment).unwrap_or(1))?;
        debug_assert_eq!(threads, i64::from(THREADS));
        let function = match blocks {
            0 => None,
            _ => Some(Function::of(&self.device, &source, c"relayout_kernel")?),
        };
        Ok(Compiled { function, blocks: u32::try_from(blocks).unwrap_or(u32::MAX) })
    }

    /// Fills the beginning of a region.
    ///
    /// # Safety
    /// As [`Kernel::run_on`], and the region has the bytes that are filled.
    unsafe fn fill_on(&self, to: Region, mut fill: Fill, stream: Stream) -> Result<(), Error> {
        static FILLS: Cache<Device, Function> = Cache::new();
        let function = FILLS.get(self.device.clone(), || Function::of(&self.device, SOURCE, c"fill"))?;
        let mut address = to.address;
        let mut arguments = [
            (&raw mut address).cast(),
            (&raw mut fill.count).cast(),
            (&raw mut fill.period).cast(),
            (&raw mut fill.pattern).cast(),
        ];
        // SAFETY: these are the kernel's arguments; the rest is handed on to the caller.
        unsafe { function.launch(fill.blocks, stream, &mut arguments) }
    }

    fn check(&self, source: Region, destination: Region) -> Result<(), Error> {
        check(self.bytes(), [source, destination])
    }
}

/// Refuses regions that are too small, wrap around or overlap.
fn check(needs: [usize; 2], regions: [Region; 2]) -> Result<(), Error> {
    let mut ranges = [(0, 0); 2];
    for (((region, bytes), range), side) in regions.iter().zip(needs).zip(&mut ranges).zip(["source", "destination"]) {
        if region.bytes < bytes {
            return Err(error!(
                Code::Range,
                "the layout of the {side} reaches {bytes} bytes, and its memory has {region_bytes}",
                [side, bytes, region_bytes = region.bytes]
            ));
        }
        let length = u64::try_from(bytes).unwrap_or(u64::MAX);
        let end = region.address.checked_add(length).ok_or_else(|| Error::overflow("an address on the device"))?;
        *range = (region.address, end);
        if bytes > 0 && region.address == 0 {
            return Err(error!(Code::Range, "the memory of the {side} has no address", [side]));
        }
    }
    let [(from, from_end), (to, to_end)] = ranges;
    if from < to_end && to < from_end {
        let message = "the memory of the destination is some of the source's";
        return Err(Error::new(Code::Overlap, message).with_help("memory of its own for the destination"));
    }
    Ok(())
}

/// The power of two, at most 16, that divides an address.
fn alignment(address: u64) -> u64 {
    (1 << address.trailing_zeros().min(MAX_ALIGNMENT.trailing_zeros())).min(MAX_ALIGNMENT)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use super::*;

    fn code(needs: [usize; 2], regions: [(u64, usize); 2]) -> Option<Code> {
        check(needs, regions.map(|(address, bytes)| Region { address, bytes })).err().map(|why| why.code())
    }

    #[test]
    fn hostile_regions_are_refused() {
        assert_eq!(code([8, 8], [(64, 8), (72, 8)]), None);
        // What lies behind the reach of the layouts may be shared.
        assert_eq!(code([8, 8], [(64, 16), (72, 8)]), None);
        assert_eq!(code([0, 0], [(0, 0), (0, 0)]), None);
        assert_eq!(code([8, 8], [(64, 7), (72, 8)]), Some(Code::Range));
        assert_eq!(code([8, 8], [(64, 8), (72, 7)]), Some(Code::Range));
        assert_eq!(code([8, 8], [(0, 8), (72, 8)]), Some(Code::Range));
        assert_eq!(code([8, 8], [(64, 8), (64, 8)]), Some(Code::Overlap));
        assert_eq!(code([8, 8], [(64, 8), (71, 8)]), Some(Code::Overlap));
        assert_eq!(code([8, 8], [(71, 8), (64, 8)]), Some(Code::Overlap));
        assert_eq!(code([8, 8], [(u64::MAX - 3, 8), (64, 8)]), Some(Code::Overflow));
    }

    #[test]
    fn alignments_are_those_of_both_sides() {
        for (address, wanted) in [(0, 16), (1, 1), (256, 16), (24, 8), (4, 4), (6, 2), (u64::MAX, 1)] {
            assert_eq!(alignment(address), wanted);
        }
    }
}
