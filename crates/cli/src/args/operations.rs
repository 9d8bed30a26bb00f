//! `bitstride operations`.

use clap::Args;

/// List the operations with their laws, or describe one
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Operations {
    /// An operation, or a part of the names to list
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride operations
  bitstride operations complement
  bitstride operations divide
  bitstride operations --json";
