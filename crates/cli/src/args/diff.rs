//! `bitstride diff`.

use std::ffi::OsString;

use clap::Args;

/// Say how much two layouts differ, and where
///
/// How many elements lie elsewhere, between which coordinates, and the first of them. The exit status is that of
/// `bitstride same`.
///
/// Of two dumps it says which aliases, types, conversions, copies and shapes one has and the other has not, whatever their
/// names and lines; the exit status is 1 where they differ.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diff {
    /// A layout, or a dump
    pub(crate) left: OsString,
    /// The layout or dump to hold it against
    pub(crate) right: OsString,
}

const EXAMPLES: &str = "\
Examples:
  bitstride diff 'f32[4,4]{1,0:T(2,2)}' '(4,4):(4,1)'
  bitstride diff 'Sw<2,0,2> o (4,4):(4,1)' '(4,4):(4,1)'
  bitstride diff before.ttgir after.ttgir";
