//! What people paste that is nearly right: the answer says where, what was expected, and a repair where there is one.
//!
//! `wrong_pastes.txt` has each text with the part of it that is marked, the message and the help, as the command line shows
//! them. With `BITSTRIDE_UPDATE_WRONG_PASTES=1` the test writes it anew from the texts in it.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::path::PathBuf;

use bitstride_lang::evaluate;

#[test]
fn wrong_pastes_are_explained() -> std::io::Result<()> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/all/wrong_pastes.txt");
    let written = std::fs::read_to_string(&path)?;
    let texts: Vec<&str> = written.split("\n\n").filter_map(|block| block.trim_start().lines().next()).collect();
    let blocks: Vec<String> = texts.iter().map(|text| block(text)).collect();
    if std::env::var_os("BITSTRIDE_UPDATE_WRONG_PASTES").is_some() {
        std::fs::write(&path, format!("{}\n", blocks.join("\n\n")))?;
    }
    let written = std::fs::read_to_string(&path)?;
    for (block, before) in blocks.iter().zip(written.trim_end().split("\n\n")) {
        assert_eq!(block, before);
    }
    assert!(blocks.len() > 100, "{}", blocks.len());
    Ok(())
}

/// A text, what is marked in it, the message and the help; `⏎` in the text is the end of a line.
fn block(text: &str) -> String {
    let typed = text.replace('⏎', "\n");
    let Err(error) = evaluate(&typed) else { panic!("{text} is answered") };
    let span = error.span().unwrap_or_else(|| panic!("{text}: {error} points at nothing"));
    assert!(!error.message().is_empty() && error.message().len() < 400, "{text}: {error}");
    let before = typed.get(..span.start).map_or(0, |before| before.chars().count());
    let marked = typed.get(span.start..span.end).map_or(0, |marked| marked.chars().count());
    let mut block = format!(
        "{text}\n{}{}\n{}: {}",
        " ".repeat(before),
        "^".repeat(marked.max(1)),
        error.code().as_str(),
        error.message()
    );
    if let Some(help) = error.help() {
        block.push_str(&format!("\nhelp: {help}"));
    }
    block
}
