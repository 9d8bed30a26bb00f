//! `bitstride eval`.

use std::ffi::OsString;

use clap::Args;

/// Compute expressions, one answer a line
#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// Expressions of the layout language
    #[arg(value_name = "EXPR", required = true, allow_negative_numbers = true)]
    pub(crate) expressions: Vec<OsString>,
}
