//! `bitstride serve`.

use std::path::PathBuf;

use clap::Args;

/// Serve the live page to browsers on this machine
///
/// The page answers by itself, in the browser: nothing that is typed into it leaves it. Only this machine is answered. The page is
/// part of a program that was built with it (`--features page`); else name the file or the folder that `cargo xtask web` made.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// The port; 0 takes any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8787)]
    pub(crate) port: u16,
    /// The page to serve: an HTML file, or a folder with an index.html
    #[arg(long, value_name = "PATH")]
    pub(crate) page: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  bitstride serve
  bitstride serve --port 0 --page target/web/bitstride.html";
