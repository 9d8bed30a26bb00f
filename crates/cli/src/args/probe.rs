//! `bitstride probe`.

use std::path::PathBuf;

use clap::Args;

/// Find the layout of any packer by running it on numbered tensors
///
/// --write puts some .npy files of codes into a folder: zero, digit00 and so on, and random. Run the packer on each, and save
/// what it makes of NAME.npy as NAME.out.npy or as plain bytes in NAME.out. --read answers where each bit lies, as a layout or
/// one for each bit plane, what is xored into the codes, and the formats that lie so; or a bit that shows that the packer is no
/// permutation of bits. The answer is verified on the random tensor.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Probe {
    /// Write the tensors into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "read", required_unless_present = "read")]
    pub(crate) write: Option<PathBuf>,
    /// Read what the packer made of them from this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) read: Option<PathBuf>,
    /// The bits of a code, at most 32
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=32))]
    pub(crate) bits: u8,
    /// The extents of the tensors
    #[arg(long, value_name = "EXTENTS", value_parser = super::extents::extents)]
    pub(crate) shape: String,
    /// Read formats of your own from a file; may be given several times
    #[arg(long = "formats", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride probe --write probe --bits 4 --shape 128,64
  python -c \"import glob, numpy as np
  for f in glob.glob('probe/*.npy'): np.save(f[:-4] + '.out.npy', pack(np.load(f)))\"
  bitstride probe --read probe --bits 4 --shape 128,64

Exit status:
  0 a layout was found    1 the packer is no permutation of bits, or one without a layout
  2 unreadable            4 a file could not be read or written";
