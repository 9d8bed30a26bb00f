//! Chores of the workspace: `cargo xtask bench NAME`, `cargo xtask hunt`, `cargo xtask vectors`.

mod bench;
mod hunt;
mod vectors;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["bench", rest @ ..] => bench::run(rest),
        ["hunt", rest @ ..] => hunt::main(rest),
        ["vectors", rest @ ..] => vectors::main(rest),
        _ => {
            eprintln!(
                "usage: cargo xtask bench NAME [--json]\n       cargo xtask hunt {}\n       cargo xtask vectors [DIR] {}",
                hunt::OPTIONS,
                vectors::OPTIONS
            );
            ExitCode::from(2)
        }
    }
}
