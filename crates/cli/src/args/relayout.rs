//! `bitstride relayout`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Move the tensor of a file from one layout to another, at memory speed
///
/// IN holds the tensor as the layout --from says, counted in elements from the first byte of its data. OUT will hold it
/// as --to says: one dim of as many elements as that layout spans, padding included, of IN's type. The layouts are of any
/// family, and of one tensor. The data of a .npy array is taken as the file holds it, also where it is in the order of
/// columns; IN's own shape is not looked at. Files are .npy, .safetensors or else plain bytes; OUT's kind may be another.
///
/// Everything is checked before a byte is written. OUT is written beside its place under another name and takes it at
/// the end: a run that fails loses nothing, OUT may be IN, and both may be larger than memory. IN must not change
/// meanwhile.
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
    #[arg(long, value_name = "LAYOUT", allow_hyphen_values = true)]
    pub(crate) from: OsString,
    /// The layout of OUT
    #[arg(long, value_name = "LAYOUT", allow_hyphen_values = true)]
    pub(crate) to: OsString,
    /// The shape that OUT gets [default: one dim]
    #[arg(long, value_name = "EXTENTS")]
    pub(crate) shape: Option<String>,
    /// What places of OUT hold that no element is at: a number of the type, or bits as 0x7fc0 [default: 0]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) fill: Option<String>,
    /// What the layouts count, where IN does not say so: bits, or a type such as bf16, u4 or float32
    #[arg(long, value_name = "BITS|TYPE")]
    pub(crate) element: Option<String>,
    /// Which tensor of a .safetensors file [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) tensor: Option<String>,
    /// How many threads [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print how it would be moved, and write nothing
    #[arg(long)]
    pub(crate) plan: bool,
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
    --from '(8,64):(64,1)' --to 'Sw<3,3,3> o (8,64):(64,1)'";
