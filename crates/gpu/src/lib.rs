//! Moves tensors in the memory of a GPU from any layout to any other.
//!
//! | | |
//! |---|---|
//! | [`Device`] | a GPU, opened by its number |
//! | [`Memory`] | bytes on a device, which are freed with their value |
//! | [`Kernel`] | a pair of layouts, compiled for a device: made once, run often |
//! | [`Region`], [`Stream`] | memory and a stream of somebody else, such as of a tensor of PyTorch |
//!
//! [`bitstride_emit`] writes the CUDA source from the plan that the CPU has too. NVRTC compiles it, and the driver launches it. Both
//! libraries are loaded when a device is opened: nothing of CUDA is needed to build, and a machine without it answers `no-device`.
//!
//! Law: a run leaves on the device the bytes that [`bitstride_relayout::Plan`] leaves in memory, and touches no other byte.
//!
//! ```
//! use bitstride::map::Map;
//! use bitstride_gpu::{Device, Kernel};
//! use bitstride_relayout::Element;
//! let rows = Map::of_layout(&"(2,3):(3,1)".parse()?)?;
//! let columns = Map::of_layout(&"(2,3):(1,2)".parse()?)?;
//! let device = match Device::open(0) {
//!     Ok(device) => device,
//!     Err(why) => return Ok(assert_eq!(why.code().as_str(), "no-device")),
//! };
//! let kernel = Kernel::of(&device, &rows, &columns, Element::of_bits(8)?)?;
//! let source = device.upload(b"abcdef")?;
//! let mut moved = device.allocate(6)?;
//! kernel.run(&source, &mut moved, None)?;
//! let mut bytes = [0; 6];
//! moved.download(&mut bytes)?;
//! assert_eq!(&bytes, b"adbecf");
//! # Ok::<(), bitstride::Error>(())
//! ```

mod cache;
mod compiler;
mod device;
mod driver;
mod fill;
mod kernel;

pub use compiler::search_in;
pub use device::{Device, Memory};
pub use kernel::{Kernel, Region, Stream};
