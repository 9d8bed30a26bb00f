//! Chores of the workspace: `cargo xtask bench NAME`.

mod bench;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["bench", rest @ ..] => bench::run(rest),
        _ => {
            eprintln!("usage: cargo xtask bench NAME [--json]");
            ExitCode::from(2)
        }
    }
}
