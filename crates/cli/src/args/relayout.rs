//! `bitstride relayout`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Move the tensor of a file from one layout to another, at memory speed
///
/// IN holds the tensor as the layout --from says, counted in elements from the first byte of its data. OUT will hold it
/// as --to says: one dim of as many elements as that layout spans, padding included, of IN's type. The layouts are of any
/// family, and of one tensor; where they have not as many dims, elements are aligned by their numbers as in `same`, and a note
/// says in which order. The data
/// of a .npy array is taken as the file holds it, also where it is in the order of columns; IN's own shape is not looked
/// at. Files are .npy, .safetensors or else plain bytes; OUT's kind may be another. A .safetensors OUT keeps IN's other
/// tensors as they are. Files are mapped, so that pipes are refused and - is a name.
///
/// Bits are moved and not converted: types that differ in IN, --element and the layouts are refused, and so is a file
/// that begins as GGUF, HDF5, zip, .npy or .safetensors and has another name, unless --reinterpret is there.
///
/// Everything is checked before a byte is written. OUT is written beside its place, without a name where the system can,
/// and takes it at the end: a run that fails or is interrupted loses nothing, and both files may be larger than memory. OUT may be IN,
/// where --from leaves out nothing of it but padding. IN must not change meanwhile.
///
/// --plan prints the loops and kernels; `bitstride explain 'relayout(FROM, TO, 32)'` says why they are so, without files.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Relayout {
    /// The file to read: .npy, .safetensors, or plain bytes
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to write; one that is there is replaced
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The layout of IN
    #[arg(long, value_name = "LAYOUT", allow_hyphen_values = true, display_order = 0)]
    pub(crate) from: OsString,
    /// The layout of OUT
    #[arg(long, value_name = "LAYOUT", allow_hyphen_values = true, display_order = 1)]
    pub(crate) to: OsString,
    /// The shape that OUT gets [default: one dim]
    #[arg(long, value_name = "EXTENTS", value_parser = super::extents::extents)]
    pub(crate) shape: Option<String>,
    /// What places of OUT hold that no element is at: a number of OUT's type, or bits as 0x7fc0 [default: 0]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) fill: Option<String>,
    /// What the layouts count, where IN does not say so: bits, or a type such as bf16, float32, F8_E4M3 or u4, where i4
    /// and u4 have 4 bits, not bytes
    #[arg(long, value_name = "BITS|TYPE")]
    pub(crate) element: Option<String>,
    /// Take IN's bits for what --element or the layouts say, also where IN says another type or is a file of another format:
    /// nothing is converted
    #[arg(long)]
    pub(crate) reinterpret: bool,
    /// Which tensor of a .safetensors file [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) tensor: Option<String>,
    /// How many threads at most [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Where it is moved: cpu, or cuda or cuda:N for an NVIDIA GPU, which has to have room for both sides, or for parts of them
    /// where an axis is the outermost on both
    #[arg(long, value_name = "DEVICE", value_parser = device, default_value = "cpu", hide_default_value = true)]
    pub(crate) device: Device,
    /// The most bytes of memory, about: 4GiB, 256MiB [default: 768MiB of the processor's, what is free of a GPU's]
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory: Option<String>,
    /// Print how it would be moved, and write nothing
    #[arg(long)]
    pub(crate) plan: bool,
}

/// Where a tensor is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// By the threads of the processor.
    Cpu,
    /// By the GPU with a number.
    Cuda(i32),
}

/// The device of a text: `cpu`, `cuda`, `cuda:1`.
fn device(text: &str) -> Result<Device, String> {
    match text.split_once(':') {
        None if text == "cpu" => Ok(Device::Cpu),
        None if text == "cuda" => Ok(Device::Cuda(0)),
        Some(("cuda", number)) if number.parse().is_ok_and(|number: i32| number >= 0) => {
            Ok(Device::Cuda(number.parse().unwrap_or(0)))
        }
        _ => Err("cpu, cuda or cuda:N".to_owned()),
    }
}

const EXAMPLES: &str = "\
Examples:
  bitstride relayout a.npy b.npy --from '(256,256):(256,1)' --to '(256,256):(1,256)'
  bitstride relayout w.npy tiled.npy --fill nan \\
    --from 'f32[30,200]{1,0}' --to 'f32[30,200]{1,0:T(8,128)}'
  bitstride relayout model.safetensors w.bin --tensor wte \\
    --from '(50257,768):(768,1)' --to '(50257,768):(1,50257)'
  bitstride relayout nibbles.bin nibbles.bin --element 4 \\
    --from '(8,64):(1,8)' --to '((2,4),64):((4,1),8)'
  bitstride relayout a.npy b.npy --shape 8,64 --plan \\
    --from '(8,64):(64,1)' --to 'Sw<3,3,3> o (8,64):(64,1)'

Exit status:
  0 moved    1 refused: two elements in one place    3 undecided
  2 unreadable, wrong kind or size, OUT is IN and would lose something of it, or no GPU
  4 a file could not be read or written
  129, 130, 143 ended by a signal, and OUT is as it was";
