//! `bitstride eval`.

use std::ffi::OsString;

use clap::Args;

/// Compute expressions and print their values, one a line
///
/// `bitstride EXPR` is short for it. With several expressions the exit status is the greatest of theirs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Eval {
    /// Expressions; put -- before one that starts with a minus sign
    #[arg(value_name = "EXPR", required = true, allow_negative_numbers = true)]
    pub(crate) expressions: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride eval 'composition((6,2):(8,2), (4,3):(3,1))'
  bitstride eval 'zipped_divide((8,64):(64,1), <4, 16>)' 'right_inverse((4,8):(8,1))'
  bitstride eval 'Sw<3,3,3> o (8,64):(64,1)' --json
  bitstride eval --ints cpp 'coalesce((_2,(_1,6)):(_1,(_6,_2)))'
  bitstride eval 'logical_divide(M:1, 128)'";
