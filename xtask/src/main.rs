//! Chores of the workspace.
//!
//! `cargo xtask vectors [DIR]` runs the recorded answers of other systems against the library.

mod vectors;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((chore, rest)) if chore == "vectors" => vectors::main(rest),
        _ => {
            eprintln!("usage: cargo xtask vectors [DIR] [--only FILE[:OP]]... [--skip FILE[:OP]]...");
            ExitCode::from(2)
        }
    }
}
