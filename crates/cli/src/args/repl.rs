//! `bitstride repl`.

use clap::Args;

/// Read expressions line by line and print their values
///
/// On a terminal lines can be edited, and are remembered in $XDG_STATE_HOME/bitstride/history. A line that begins with a
/// colon is a command of this program: `:operations coalesce`, `:help`; `:quit` or Ctrl-D ends. Input from a pipe is
/// read without a prompt, and the exit status is then the greatest of the lines'.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Repl {}

const EXAMPLES: &str = "\
Examples:
  bitstride repl
  bitstride repl --ints cpp
  bitstride repl < expressions.txt";
