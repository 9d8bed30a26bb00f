//! `bitstride batch`.

use std::path::PathBuf;

use clap::Args;

/// Answer JSON lines: one request in, one answer out, in order
///
/// A request is {"id": any, "expr": "...", "ints": "cpp"}; only expr is needed, and other fields are ignored. Its answer is
/// {"id", "kind", "value", "data", "notes"} or {"id", "error": {"code", "message", ...}}. A line that is no request is answered
/// with an error and the run goes on; blank lines are skipped. Each answer is written out before the next request is
/// read, so that a program can keep up a conversation. The exit status is 0 unless the input cannot be read.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Batch {
    /// The file of requests; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
}

const EXAMPLES: &str = r#"Examples:
  echo '{"id": 1, "expr": "cosize((4,8):(8,1))"}' | bitstride batch
  echo '{"id": "a", "expr": "coalesce((_2,4):(_1,_2))", "ints": "cpp"}' | bitstride batch
  bitstride batch requests.jsonl > answers.jsonl"#;
