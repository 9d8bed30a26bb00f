//! `bitstride batch`.

use std::path::PathBuf;

use clap::Args;

/// Answer JSON lines: one request in, one answer out, in order
///
/// A request is {"id": any, "expr": "...", "ints": "plain" or "cpp" or "ir"}; only expr is needed, and other fields
/// are ignored. Its answer is {"id", "kind", "value", "data", "notes"}, or {"id", "error": {"code", "message",
/// "span", "help", "witness", "chain"}}, without the parts that it has not. A line that is no request is answered
/// with an error and the run goes on; blank lines are skipped. Each answer is written out before the next request is
/// read, so that a program can keep up a conversation. The exit status is 0 unless the input cannot be read.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{DATA}\n\n{EXAMPLES}"))]
pub(crate) struct Batch {
    /// The file of requests; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
}

const EXAMPLES: &str = r#"Examples:
  echo '{"id": 1, "expr": "cosize((4,8):(8,1))"}' | bitstride batch
  echo '{"id": "a", "expr": "coalesce((_2,4):(_1,_2))", "ints": "cpp"}' | bitstride batch
  bitstride batch requests.jsonl > answers.jsonl"#;

const DATA: &str = r#"What data holds, whatever the spelling of integers in value:
  int       7; a string for dynamic and unknown ones: "5?", "?{div=8}", "4*M"
  tuple     [2, [1, "_"]]; a basis vector is a string, "2@0"
  layout    {"shape": [4, 8], "stride": [8, 1]}, and "offset" for a slice
  swizzle   {"bits": 3, "base": 4, "shift": 3}
  composed  {"outer": ..., "offset": 0, "inner": ...}
  tiler     [{"shape": 3, "stride": 4}, 8, "_"], one entry a mode
  list      an array of such; bool is true or false; text has no data
A span is [start, end] in bytes of expr."#;
