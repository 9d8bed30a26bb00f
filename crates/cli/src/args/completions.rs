//! `bitstride completions`.

use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  bitstride completions bash > ~/.local/share/bash-completion/completions/bitstride
  bitstride completions zsh > ~/.zfunc/_bitstride
  bitstride completions fish > ~/.config/fish/completions/bitstride.fish";
