//! The program `triton-tensor-layout`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(bitstride_cli::tensor_layout_standard(std::env::args_os()))
}
