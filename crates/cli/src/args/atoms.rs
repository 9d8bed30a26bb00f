//! `bitstride atoms`.

use clap::Args;

/// List the matrix and copy instructions of CuTe
///
/// With their shapes, the bits of their elements, their threads, and the registers that each thread holds.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Atoms {
    /// A part of the names to list; without it families are listed, not each of their instructions
    #[arg(value_name = "FILTER")]
    pub(crate) filter: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride atoms
  bitstride atoms SM80_16x8x16_F32
  bitstride atoms LDSM
  bitstride atoms --json F64";
