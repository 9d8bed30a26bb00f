//! `bitstride diff`.

use std::ffi::OsString;

use clap::Args;

/// Say how much two layouts differ, and where
///
/// How many elements lie elsewhere, between which coordinates, and the first of them. The exit status is that of
/// `bitstride same`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diff {
    /// A layout
    pub(crate) left: OsString,
    /// The layout to hold it against
    pub(crate) right: OsString,
}

const EXAMPLES: &str = "\
Examples:
  bitstride diff 'f32[4,4]{1,0:T(2,2)}' '(4,4):(4,1)'
  bitstride diff 'Sw<2,0,2> o (4,4):(4,1)' '(4,4):(4,1)'";
