//! `bitstride dump`.

use std::path::PathBuf;

use clap::Args;

/// Say what the layouts in a compiler's dump do: TTGIR of Triton, HLO of XLA
///
/// `bitstride FILE` is short for it. A file ends in .ttgir, .ttir or .mlir, in .hlo or .txt, or is a folder of such files; - is
/// the standard input. Nothing in a file ends the reading of it: what is not read is listed with its line and the reason.
///
/// A CONDITION is `[KIND] TEST [and TEST]...` with tests such as `not free`, `moves >= lanes`, `bytes > 64KiB`. Kinds and fields
/// are those that --json prints.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dump {
    /// Dumps, or folders of dumps
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Only these kinds of items, with commas between them: alias, type, alloc, peak, convert, load, store, conflict,
    /// unread; copy, bitcast, reshape, transpose, parameter, buffer, tuple, sharding
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Only what stands on this line
    #[arg(long, value_name = "N")]
    pub(crate) line: Option<u64>,
    /// Only items that pass
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) condition: Option<String>,
    /// End with 1 where an item passes, and say which; may be given several times
    #[arg(long, value_name = "CONDITION")]
    pub(crate) fail_if: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride matmul.ttgir
  bitstride matmul.ttgir --only convert,peak
  bitstride matmul.ttgir --line 132
  bitstride dumps/ --fail-if 'convert not free' --fail-if 'peak bytes > 96KiB'
  bitstride module.hlo --only copy --where 'bytes > 1MiB and not memory_move'
  bitstride module.hlo --json";
