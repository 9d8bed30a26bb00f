//! `bitstride show`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Draw layouts in the terminal, as SVG, TikZ or PNG
///
/// Rank 1 is a strip, rank 2 a grid (mode 0 downwards, mode 1 to the right), a deeper rank one grid for each outer
/// coordinate. Cells hold offsets, or coordinates where strides are basis vectors; nested modes have nested borders.
/// Of a linear layout the tensor is drawn, each element with who holds it: block, warp, lane (t) and register, or the
/// offset in memory. An array of XLA is drawn with its tiles, and hatched where tiles are padded. A product stands below its
/// factors, and `A == B` shows both with what differs marked.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// Layouts, shapes, swizzles, tilers, comparisons and other values, drawn below one another
    #[arg(value_name = "EXPR", required = true)]
    pub(crate) expressions: Vec<OsString>,
    /// Draw the number of each element, its offset, and what lies at each offset; of an array of XLA the latter
    #[arg(long, group = "picture")]
    pub(crate) memory: bool,
    /// Draw the offsets in order, coloured by repetition (mode 1)
    #[arg(long, group = "picture")]
    pub(crate) codomain: bool,
    /// Draw the column-major tile of this shape, each cell with the thread (mode 0) and value (the rest) that own it
    #[arg(long, group = "picture", value_name = "SHAPE")]
    pub(crate) tv: Option<OsString>,
    /// Draw each element's number over its offset, as permutations are written
    #[arg(long, group = "picture")]
    pub(crate) two_line: bool,
    /// Draw linear layouts from the tensor (the default), from the hardware, or as a matrix of bits
    #[arg(long, group = "picture", value_name = "WHICH")]
    pub(crate) view: Option<Which>,
    /// Draw the bank of shared memory in which each element lies, of linear layouts before and after the swizzle, and
    /// count what is asked of each bank by column 0, or by the elements at the coordinate of --at
    #[arg(long, group = "picture")]
    pub(crate) banks: bool,
    /// The bits of an element, for --banks [default: those of the tensor type, or 32]
    #[arg(long, value_name = "BITS", requires = "banks", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) element_bits: Option<u32>,
    /// Lanes (mode 0) and their values to elements, as of `wavefronts`: --banks draws the phase of their first
    /// instruction that takes longest, with the lanes that ask for each element
    #[arg(long, value_name = "LAYOUT", requires = "banks", conflicts_with = "at")]
    pub(crate) threads: Option<OsString>,
    /// What these lanes do: ld (the default), st, ldmatrix or stmatrix
    #[arg(long, value_name = "WORD", requires = "threads")]
    pub(crate) transfer: Option<String>,
    /// Draw this part of an array of XLA, `_` for all of a dim: (0,_,_,3) has dims 1 and 2 as rows and columns
    #[arg(long, value_name = "INDEX", conflicts_with = "memory")]
    pub(crate) slice: Option<OsString>,
    /// Colour by row, column, thread, value, repetition or tile (the last entry of each nested mode), by a mode such
    /// as 1 or (0,1), or by the tiles of a tiler such as 4:2 or <2,8>; may be repeated. Linear layouts: by the name of
    /// a dim, such as lane or dim0. Arrays of XLA: by tile, padding or dim
    #[arg(long, value_name = "WHAT")]
    pub(crate) by: Vec<OsString>,
    /// Grey what this layout of indices, tiler or shape does not select
    #[arg(long, value_name = "B")]
    pub(crate) mark: Option<OsString>,
    /// Mark the element at a coordinate, `_` for all of a mode; may be repeated
    #[arg(long, value_name = "COORDINATE")]
    pub(crate) at: Vec<OsString>,
    /// Write the picture into an SVG file, `-` for the standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write the picture into a file as TikZ, for LaTeX, `-` for the standard output
    #[arg(long, value_name = "FILE", conflicts_with = "svg")]
    pub(crate) tikz: Option<PathBuf>,
    /// Write the picture into a file as PNG, `-` for the standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["svg", "tikz"])]
    pub(crate) png: Option<PathBuf>,
}

/// From where a linear layout is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// Each element, with who holds it
    Tensor,
    /// Each register of each lane, or each offset, with the element it holds
    Hardware,
    /// Each out bit by each in bit
    Bits,
}

const EXAMPLES: &str = "\
Examples:
  bitstride show '(4,(2,4)):(2,(1,8))' --at '(1,(0,2))'
  bitstride show '(12,(4,8)):(59,(13,1))' --mark '<3:4, 8:2>'
  bitstride show 'Sw<3,0,3> o (8,8):(8,1)' --memory --by column
  bitstride show '((4,8),2):((16,1),8)' --tv '(8,8)'
  bitstride show '(9,(4,8)):(59,(13,1))' --by '<3:3,(2,4):(1,8)>' --svg tiles.svg
  bitstride show 'tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>>'
  bitstride show '!ttg.memdesc<16x32xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 16, order = [1, 0]}>>' --banks
  bitstride show 'blocked_product((2,5):(5,1), (3,4):(1,3))'
  bitstride show '(4,8):(8,1) == Sw<1,0,3> o (4,8):(8,1)'
  bitstride show 'f32[3,5]{1,0:T(2,2)}'
  bitstride show 'f32[4,11,10]{2,1,0:T(2,*,3)}' --slice '(0,_,_)'
";
