//! `bitstride formats`.

use std::path::PathBuf;

use clap::Args;

/// List the stored layouts that have a name, or explain one
///
/// A name is family:variant@version,parameter=value, such as gptq:v1,bits=4,group=128 or ct:pack@0.20,bits=3. With all
/// parameters a format is explained: its tensors, the layout of each field, and what the first bytes hold, bit by bit. Who
/// writes and reads it, and what it is confused with, is printed without parameters too.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Formats {
    /// The format to explain; without it all are listed
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) stored: Stored,
    /// How many bytes of each tensor are shown [default: all of a small one, else 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub(crate) bytes: Option<u16>,
}

/// What every verb about stored layouts takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Stored {
    /// The extents of the tensor: k=128,n=256, or 128,256 in the order of the first format's axes
    #[arg(long, value_name = "EXTENTS", value_parser = super::extents::extents)]
    pub(crate) shape: Option<String>,
    /// Read formats of your own from a file; may be given several times
    #[arg(long = "formats", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride formats
  bitstride formats awq:gemm
  bitstride formats gptq:v1,bits=3 --shape k=32,n=32
  bitstride formats mine:packed --formats mine.txt --shape 64,32
  bitstride --json formats gguf:q4_0 --shape 1,32";
