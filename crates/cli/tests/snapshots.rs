//! Transcripts of the program, and everything that the pages of the documentation say it answers.
//!
//! `cmd/*.trycmd` are sessions and `cmd/*.toml` runs with an input. On a page, the blocks marked `console` are sessions of a shell,
//! blocks marked `repl` or `batch` are lines after `> ` with what each is answered, and the tables headed
//! "you have | you type | answer" are expressions with their values.
//!
//! `TRYCMD=overwrite cargo test -p bitstride-cli --test snapshots` writes the answers of sessions of a shell anew.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::ffi::OsString;
use std::fs;

/// The pages whose commands are run.
const PAGES: [&str; 25] = [
    "README.md",
    "docs/syntax.md",
    "docs/from-cute.md",
    "docs/from-triton.md",
    "docs/from-xla.md",
    "docs/hardware.md",
    "docs/atoms.md",
    "docs/swizzles.md",
    "docs/swizzles-kernels.md",
    "docs/files.md",
    "docs/files-cute.md",
    "docs/checkpoints.md",
    "docs/checkpoints-experts.md",
    "docs/formats.md",
    "docs/repack.md",
    "docs/emit.md",
    "docs/sharding.md",
    "docs/resharding.md",
    "docs/lessons.md",
    "docs/lessons/layouts.md",
    "docs/lessons/algebra.md",
    "docs/lessons/tiling.md",
    "docs/lessons/linear.md",
    "docs/lessons/tiles.md",
    "docs/perf/README.md",
];

const ROOT: &str = "../../";

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    // Whatever the developer's terminal is like.
    cases.env("COLUMNS", "100").env("NO_COLOR", "1").env("CLICOLOR_FORCE", "0");
    cases.case("tests/cmd/*.trycmd").case("tests/cmd/*.toml");
    for page in PAGES {
        cases.case(format!("{ROOT}{page}"));
    }
}

fn read(page: &str) -> String {
    fs::read_to_string(format!("{ROOT}{page}")).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// What a run prints to the standard output.
fn output(args: &[&str], input: &str) -> String {
    let args = std::iter::once("bitstride").chain(args.iter().copied()).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    bitstride_cli::run(args, &mut input.as_bytes(), &mut out, &mut err);
    String::from_utf8_lossy(&out).into_owned()
}

/// The blocks of a page that are marked with a word.
fn blocks<'a>(page: &'a str, word: &str) -> Vec<&'a str> {
    let fence = format!("```{word}\n");
    page.split(fence.as_str()).skip(1).filter_map(|rest| rest.split_once("```")).map(|(block, _)| block).collect()
}

#[test]
fn lines_of_sessions_are_answered_as_the_pages_say() {
    let mut seen = 0;
    for page in PAGES {
        let text = read(page);
        for verb in ["repl", "batch"] {
            for block in blocks(&text, verb) {
                let (mut lines, mut answers) = (String::new(), String::new());
                // After each line, so that every answer is that of the line above it.
                for exchange in block.split("> ").skip(1) {
                    let (line, answer) = exchange.split_once('\n').unwrap_or((exchange, ""));
                    lines.extend([line, "\n"]);
                    answers += answer;
                    assert_eq!(output(&[verb], &lines), answers, "{page}: after {line}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen >= 7, "{seen} lines");
}

/// A cell that is one piece of code.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}

#[test]
fn what_the_tables_say_is_the_value() {
    let mut seen = 0;
    for page in PAGES {
        let text = read(page);
        let tables = text.split("| you have | you type | answer |\n|---|---|---|\n").skip(1);
        for row in tables.flat_map(|table| table.lines().take_while(|line| line.starts_with('|'))) {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            let [_, typed, answer] = cells.as_slice() else { panic!("{page}: {row}") };
            let typed = code(typed).unwrap_or_else(|| panic!("{page}: {row}"));
            let value = output(&["--", typed], "");
            let value = value.trim_end();
            let right = match (code(answer), *answer) {
                (Some(answer), _) => answer.strip_suffix('…').map_or(value == answer, |start| value.starts_with(start)),
                (None, "itself") => value == typed,
                (None, _) => false,
            };
            assert!(right, "{page}: {typed} is {value}, not {answer}");
            seen += 1;
        }
    }
    assert!(seen >= 50, "{seen} rows");
}

#[test]
fn pages_are_short_and_their_links_lead_somewhere() {
    for page in PAGES {
        let text = read(page);
        assert!(text.lines().count() <= 200, "{page} has {} lines", text.lines().count());
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target) {
            let file = target.split('#').next().unwrap_or_default();
            // Layouts have brackets too: `smem_ptr[16b](unset)`.
            if file.contains('.') && !file.contains("://") {
                let there = fs::exists(format!("{ROOT}{folder}/{file}"));
                assert!(there.is_ok_and(|there| there), "{page} links {target}");
            }
        }
    }
}
