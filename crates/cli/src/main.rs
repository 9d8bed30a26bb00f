//! The program `bitstride`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(bitstride_cli::run_standard(std::env::args_os()))
}
