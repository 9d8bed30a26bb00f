//! Spellings of all systems, as the pages of the documentation have them, with a number, a few characters or a piece of another
//! one exchanged, alone or as an operand: what is read is written as text that is read as the same tree and the same value, and
//! no text panics.

use std::sync::LazyLock;

use bitstride::notation::{Ints, parse};
use bitstride_lang::Value;

use super::super::Case;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;
use super::text::disturbed;

/// Pages with spellings in tables and blocks.
const PAGES: [&str; 6] = [
    include_str!("../../../../docs/syntax.md"),
    include_str!("../../../../docs/from-cute.md"),
    include_str!("../../../../docs/from-triton.md"),
    include_str!("../../../../docs/from-xla.md"),
    include_str!("../../../../docs/three-notations.md"),
    include_str!("../../../../docs/sharding.md"),
];

/// What stands on the pages as code: in backquotes, and in quotes of commands.
static SPELLINGS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let in_pairs = |line: &'static str, quote: char| line.split(quote).skip(1).step_by(2);
    let lines = PAGES.iter().flat_map(|page| page.lines());
    let code = lines.flat_map(|line| match line.starts_with("$ ") {
        true => in_pairs(line, '\'').collect::<Vec<_>>(),
        false => in_pairs(line, '`').collect(),
    });
    code.filter(|text| text.len() > 2).collect()
});

pub(super) fn draw(source: &mut Source) -> Case {
    let mut text = source.of(&SPELLINGS).to_owned();
    for _ in 0..source.count(0, 2) {
        text = renumbered(source, &text);
    }
    if source.once_in(6) {
        text = spliced(source, &text);
    }
    if source.once_in(3) {
        text = disturbed(source, &text);
    }
    if source.once_in(3) {
        text = around(source, &text);
    }
    Case::new(text.clone(), move || judged(&text))
}

fn judged(text: &str) -> Outcome {
    if let Ok(tree) = parse(text, Ints::Plain) {
        let written = tree.to_string();
        match parse(&written, Ints::Plain) {
            Ok(again) if again == tree => {}
            Ok(again) => return Outcome::Wrong(format!("the tree {written} is read as {again}")),
            Err(error) => return Outcome::Wrong(format!("the tree {written} is not read: {error}")),
        }
    }
    match said(text) {
        Err(_) => Outcome::Refused,
        // A table of text is no value that another expression takes.
        Ok(Value::Text(_)) => Outcome::Right,
        Ok(value) => {
            let written = value.to_string();
            match said(&written) {
                Ok(again) if again == value => Outcome::Right,
                Ok(again) => Outcome::Wrong(format!("{written} is read as {again}")),
                Err(error) => Outcome::Wrong(format!("{written} is not read: {error}")),
            }
        }
    }
}

/// The text with another number, or an unknown, in place of one of its numbers.
fn renumbered(source: &mut Source, text: &str) -> String {
    const NUMBERS: [&str; 18] = [
        "1",
        "0",
        "2",
        "3",
        "4",
        "7",
        "8",
        "16",
        "32",
        "64",
        "128",
        "-1",
        "-2",
        "4294967296",
        "9223372036854775807",
        "M",
        "?",
        "_",
    ];
    let is_start = |at: &usize| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        text.get(*at..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            && !before.is_some_and(|c| c.is_ascii_digit())
    };
    let starts: Vec<usize> = (0..text.len()).filter(is_start).collect();
    if starts.is_empty() {
        return text.to_owned();
    }
    let start = source.of(&starts);
    let (before, rest) = text.split_at(start);
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    [before, source.of(&NUMBERS), after].concat()
}

/// The text as an operand.
fn around(source: &mut Source, text: &str) -> String {
    const BEHIND: [&str; 10] =
        [".t()", "[0]", "[None, ::2]", ".permute(1, 0)", " + 3", " * 2", " o (4,2):(2,1)", "(1,_)", ":1", ";"];
    const CALLS: [&str; 8] =
        ["size", "inverse", "coalesce", "complement", "make_layout", "to_linear", "shape", "reverse"];
    match source.below(6) {
        0 => [text, source.of(&BEHIND)].concat(),
        1 => format!("({text}, {})", source.of(&SPELLINGS)),
        2 => format!("<{text}, 4>"),
        3 => format!("{text} o {}", source.of(&SPELLINGS)),
        4 => format!("auto a = {text};"),
        _ => format!("{}({text})", source.of(&CALLS)),
    }
}

/// The text with a piece of another spelling in place of a piece of its own.
fn spliced(source: &mut Source, text: &str) -> String {
    let other = source.of(&SPELLINGS);
    let cut = |source: &mut Source, text: &str| {
        let at = text.floor_char_boundary(source.count(0, text.len()));
        let end = text.ceil_char_boundary(source.count(at, text.len()));
        (at, end)
    };
    let (start, end) = cut(source, text);
    let (other_start, other_end) = cut(source, other);
    [&text[..start], &other[other_start..other_end], &text[end..]].concat()
}
