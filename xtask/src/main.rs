//! Chores of the workspace: `cargo xtask bench NAME`, `cargo xtask cases`, `cargo xtask hunt`, `cargo xtask sizes`,
//! `cargo xtask vectors`, `cargo xtask web`.

mod bench;
mod cases;
mod hunt;
mod sizes;
mod vectors;
mod web;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["bench", rest @ ..] => bench::run(rest),
        ["cases", rest @ ..] => cases::main(rest),
        ["hunt", rest @ ..] => hunt::main(rest),
        ["sizes", rest @ ..] => sizes::main(rest),
        ["vectors", rest @ ..] => vectors::main(rest),
        ["web", rest @ ..] => web::main(rest),
        _ => {
            eprintln!(
                "usage: cargo xtask bench NAME [--json]\n       cargo xtask cases DIR {}\n       cargo xtask hunt {}\n       cargo xtask sizes\n       cargo xtask vectors [DIR] {}\n       cargo xtask web {}",
                cases::OPTIONS,
                hunt::OPTIONS,
                vectors::OPTIONS,
                web::OPTIONS
            );
            ExitCode::from(2)
        }
    }
}
