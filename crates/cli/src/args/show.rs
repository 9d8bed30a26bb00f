//! `bitstride show`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Draw layouts in the terminal or as SVG
///
/// Rank 1 is a strip, rank 2 a grid (mode 0 downwards, mode 1 to the right), a deeper rank one grid for each outer
/// coordinate. Cells hold offsets, or coordinates where strides are basis vectors; nested modes have nested borders.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// Layouts, shapes, composed layouts or slices, drawn below one another
    #[arg(value_name = "EXPR", required = true)]
    pub(crate) expressions: Vec<OsString>,
    /// Draw the number of each element, its offset, and what lies at each offset
    #[arg(long, group = "view")]
    pub(crate) memory: bool,
    /// Draw the offsets in order, coloured by repetition (mode 1)
    #[arg(long, group = "view")]
    pub(crate) codomain: bool,
    /// Draw the column-major tile of this shape, each cell with the thread (mode 0) and value (the rest) that own it
    #[arg(long, group = "view", value_name = "SHAPE")]
    pub(crate) tv: Option<OsString>,
    /// Draw each element's number over its offset, as permutations are written
    #[arg(long, group = "view")]
    pub(crate) two_line: bool,
    /// Colour by row, column, thread, value, repetition or tile (the last entry of each nested mode), by a mode such
    /// as 1 or (0,1), or by the tiles of a tiler such as 4:2 or <2,8>; may be repeated
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
}

const EXAMPLES: &str = "\
Examples:
  bitstride show '(4,(2,4)):(2,(1,8))' --at '(1,(0,2))'
  bitstride show '(12,(4,8)):(59,(13,1))' --mark '<3:4, 8:2>'
  bitstride show 'Sw<3,0,3> o (8,8):(8,1)' --memory --by column
  bitstride show '((4,8),2):((16,1),8)' --tv '(8,8)'
  bitstride show '(9,(4,8)):(59,(13,1))' --by '<3:3,(2,4):(1,8)>' --svg tiles.svg
";
