//! `bitstride fit`.

use std::ffi::OsString;

use clap::Args;

/// Find the layout that a table of offsets or an index expression is
///
/// A layout of CuTe, else a linear one, else one with strides that are added and xored; for each family that was tried
/// before, the first element that breaks it. An expression names ranges and then the offset, in the syntax of C. A file
/// is a `.npy` array of integers, JSON (numbers, nested row by row), or numbers between blanks and commas, a line a row.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Fit {
    /// An expression such as 'i<16, j<8: i*8 + j', numbers such as '0,8,1,9' or '((0,8),(1,9))', a file, or - for the input
    #[arg(value_name = "EXPR|FILE")]
    pub(crate) subject: OsString,
    /// Extents of the table, the last dim the fastest, as in NumPy [default: as the file nests its numbers]
    #[arg(long, value_name = "EXTENTS", value_parser = super::extents::extents)]
    pub(crate) shape: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride fit 'i<64, j<8: i + j*72'
  bitstride fit 'row<8, col<64: row*64 + (col ^ (row*8))'
  bitstride fit '0,8,1,9,2,10,3,11'
  bitstride fit offsets.npy
  seq 0 31 | bitstride fit - --shape 4,8";
