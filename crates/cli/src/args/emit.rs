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
    /// A kernel that moves a tensor from one layout to another, what launches it, and a test
    ///
    /// The plan stands in comments at its head. In CUDA a tile goes through shared memory, laid out for the fewest wavefronts.
    /// Both layouts are of one tensor, as for `bitstride relayout`, which moves files.
    Relayout {
        /// The layout of the source
        from: OsString,
        /// The layout of the destination
        to: OsString,
        /// The size of an element [default: that of an array of XLA]
        #[arg(long, value_name = "N")]
        bits: Option<u32>,
        /// The language
        #[arg(long, value_enum, value_name = "LANGUAGE", default_value = "c")]
        lang: KernelLang,
    },
    /// A thread's loads and stores of its values, as wide as they lie together
    ///
    /// The first layout leads from threads and values, or from registers, lanes and warps, to the coordinates of a tile; the
    /// second is the memory of that tile. What is loaded and stored is whole bytes.
    Tv {
        /// The layout of threads and values
        threads: OsString,
        /// The layout of the memory
        memory: OsString,
        /// The size of an element
        #[arg(long, value_name = "N")]
        bits: u32,
        /// The language
        #[arg(long, value_enum, value_name = "LANGUAGE", default_value = "cuda")]
        lang: FragmentLang,
    },
}

/// A language of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelLang {
    C,
    Cuda,
    Triton,
}

/// A language in which a thread has registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FragmentLang {
    C,
    Cuda,
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
  bitstride emit index 'f32[30,200]{1,0:T(8,128)}' --lang cuda
  bitstride emit relayout '(256,512):(512,1)' '(256,512):(1,256)' --bits 16 --lang cuda
  bitstride emit tv 'tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))' '(16,8):(8,1)' --bits 16";
