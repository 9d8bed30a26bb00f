//! `bitstride emit`.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};

/// Write source text: index functions, relayout kernels, loads and stores of fragments
///
/// The text computes exactly what the layout says. Where integers on the way may leave 64 bits, nothing is written.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Emit {
    #[command(subcommand)]
    pub(crate) what: What,
}

/// What is written.
#[derive(Debug, Subcommand)]
pub(crate) enum What {
    /// Two functions: from coordinates to the place of an element, and back
    ///
    /// Digits of powers of two are masks and shifts, swizzles are XORs, and the expression with the fewest operations is taken.
    /// Places without an element give padding: -1 or 0 in C and CUDA, None in Python and Rust, a mask in MLIR and Triton.
    Index {
        /// A layout of any family
        layout: OsString,
        /// The language
        #[arg(long, value_enum, value_name = "LANGUAGE", default_value = "c")]
        lang: Lang,
    },
}

/// A language of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    C,
    Cuda,
    Python,
    Rust,
    Mlir,
    Triton,
}

const EXAMPLES: &str = "\
Examples:
  bitstride emit index 'Sw<3,3,3> o (8,64):(64,1)'
  bitstride emit index 'f32[30,200]{1,0:T(8,128)}' --lang cuda";
