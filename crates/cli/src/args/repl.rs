//! `bitstride repl`.

use clap::Args;

/// Read expressions line by line and print their values
///
/// On a terminal lines can be edited, and are remembered in bitstride/history under $XDG_STATE_HOME or
/// ~/.local/state. `a = (4,8):(8,1)` names a value for the lines that follow. A line that begins with a colon is a command
/// of this program, such as `:operations coalesce` or `:same A , B`; `:help` lists more, and `:quit` or Ctrl-D ends. Input from a pipe is read without a prompt, and the exit status is
/// then the greatest of the lines'.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Repl {}

const EXAMPLES: &str = "\
Examples:
  bitstride repl
  bitstride repl --ints cpp
  bitstride repl < expressions.txt";
