//! `bitstride batch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// Answer JSON lines: one request in, one answer out, in order
///
/// A request is {"id": any, "expr": "...", "ints": "plain" or "cpp" or "ir", "let": "name"}; only expr is needed, and
/// other fields are ignored. With let, the value has that name in the lines that follow. Its answer is {"id", "kind", "value", "data", "notes"}, or {"id", "error": {"code", "message",
/// "span", "help", "witness", "chain"}}, without the parts that it has not. A line that is no request is answered
/// with an error and the run goes on; blank lines are skipped. Each answer is written out before the next request is
/// read, so that a program can keep up a conversation. A line that takes longer than the budget is answered with the
/// error undecided, and the run goes on. The exit status is 0 unless the input cannot be read.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{DATA}\n\n{EXAMPLES}"))]
pub(crate) struct Batch {
    /// The file of requests; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// How long one line may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) budget: Duration,
}

/// A time limit, such as `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "a budget is a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(budget) if !budget.is_zero() => Ok(budget),
        Ok(_) => Err("a budget is more than 0 seconds".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

const EXAMPLES: &str = r#"Examples:
  echo '{"id": 1, "expr": "cosize((4,8):(8,1))"}' | bitstride batch
  echo '{"id": "a", "expr": "coalesce((_2,4):(_1,_2))", "ints": "cpp"}' | bitstride batch
  bitstride batch requests.jsonl > answers.jsonl
  bitstride batch --budget 0.5 requests.jsonl"#;

const DATA: &str = r#"What data holds, whatever the spelling of integers in value:
  int       7; a string for dynamic and unknown ones: "5?", "?{div=8}", "4*M"
  tuple     [2, [1, "_"]]; a basis vector is a string, "2@0"
  layout    {"shape": [4, 8], "stride": [8, 1]}, and "offset" for a slice
  swizzle   {"bits": 3, "base": 4, "shift": 3}
  composed  {"outer": ..., "offset": 0, "inner": ...}
  tiler     [{"shape": 3, "stride": 4}, 8, "_"], one entry a mode
  list      an array of such; bool is true or false; text has no data
A span is [start, end] in bytes of expr."#;
