//! Spellings of other systems are read as the canonical text beside them, with a note, and a wrong one is pointed at.

#![allow(clippy::panic, reason = "that is how a test fails")]

use bitstride::notation::{Ints, parse, read};
use bitstride_lang::{evaluate, evaluate_tree};
use proptest::prelude::*;

/// Pieces of the dialects, of which random texts are made.
const PIECES: &str = include_str!("../../../../fuzz/dialects.dict");

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(4000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pieces_read_or_fail(pieces in prop::collection::vec(piece(), 1..9)) {
        let text = pieces.concat();
        let wide = text.replace(' ', "\n ");
        for ints in [Ints::Plain, Ints::Cpp] {
            // A line may not end within quotes, and ends a comment.
            if !text.contains(['"', '\'', '/', '#']) {
                let tree = |text: &str| read(text, ints).map(|reading| reading.tree).ok();
                prop_assert_eq!(tree(&wide), tree(&text), "{}", text);
            }
            match read(&text, ints) {
                Ok(reading) => {
                    let printed = reading.tree.display(ints).to_string();
                    let again = read(&printed, ints).map(|again| again.tree);
                    prop_assert_eq!(again.as_ref(), Ok(&reading.tree), "{}: {}", text, printed);
                    let _ = evaluate_tree(&reading.tree).is_ok();
                }
                Err(error) => prop_assert!(text.get(error.span.start..error.span.end).is_some(), "{text}: {error:?}"),
            }
        }
    }
}

/// A piece of a dialect, or a mark that joins two of them.
fn piece() -> impl Strategy<Value = String> {
    let pieces = PIECES.lines().map(|line| line.trim_matches('"').replace("\\\"", "\""));
    let pieces: Vec<String> =
        pieces.chain(["(", ")", "<", ">", ",", ", ", "8", "M", "]", "}", ":", "+"].map(str::to_owned)).collect();
    prop::sample::select(pieces)
}

/// Each text reads as the canonical one, which reads as the same tree; spans lie in the text.
pub(crate) fn all_read(dialect: &str, cases: &[(&str, &str)]) {
    for (text, canonical) in cases {
        let reading = read(text, Ints::Plain).unwrap_or_else(|error| panic!("{text}: {error} {:?}", error.span));
        assert_eq!(reading.tree.to_string(), *canonical, "{text}");
        assert_eq!(parse(canonical, Ints::Plain).as_ref(), Ok(&reading.tree), "{text}");
        assert_eq!(reading.tree.span.start, 0, "{text}");
        assert!(text.get(..reading.tree.span.end).is_some(), "{text}");
        let apart = read(&spaced(text), Ints::Plain);
        let read_alike =
            apart.as_ref().is_ok_and(|apart| apart.tree == reading.tree && apart.dialects == reading.dialects);
        assert!(read_alike, "{}: {apart:?}", spaced(text));
        let names: Vec<&str> = reading.dialects.iter().map(|dialect| dialect.name()).collect();
        assert_eq!(names.join(", "), dialect, "{text}");
    }
}

/// A text with white space between any two of its tokens, which may change nothing; other white space in it is a line's end.
fn spaced(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut spaced = String::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => rest.get(1..).and_then(|inside| inside.find(first)).map_or(1, |end| end + 2),
            '#' | '!' => rest.find(|c| !is_word(c) && !"#!.".contains(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("_smem_ptr") => 1 + "smem_ptr".len(),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => ["::", "==", "->", "..."]
                .iter()
                .find(|mark| rest.starts_with(**mark))
                .map_or(first.len_utf8(), |mark| mark.len()),
        };
        let (token, after) = rest.split_at(length);
        spaced.push_str(token);
        rest = after.trim_start();
        spaced.push_str(if rest.len() < after.len() { "\n " } else { " " });
    }
    spaced
}

#[test]
fn texts_in_quotes_print_in_quotes_that_read_back() {
    for text in ["'a \"b\" c'", "\"a 'b' c\"", "\"a \\\" b\"", "'a \\\\'", "\"it's \\\"\" o 4:1", " {3} o2 o 8:1"] {
        let tree = parse(text, Ints::Plain).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(parse(&tree.to_string(), Ints::Plain).as_ref(), Ok(&tree), "{text}: {tree}");
    }
    for text in ["cute::GenRowMajor+{}", "GenRowMajor", "make_layout((8,64), cutlass::LayoutRight)"] {
        assert!(parse(text, Ints::Plain).is_err_and(|error| error.help.is_some()), "{text}");
    }
    let worded = "TensorMemoryScalesLayout(block_rep_order=\"a b\")";
    assert!(parse(worded, Ints::Plain).is_err());
}

/// Each text is refused by a reader, at the part of it that is shown, with a message that has these words.
pub(crate) fn all_fail(cases: &[(&str, &str, &str)]) {
    for (text, at, words) in cases {
        let error = parse(text, Ints::Plain).err().unwrap_or_else(|| panic!("{text} is read"));
        assert_eq!(error.span.of(text), *at, "{text}: {error}");
        let said = format!("{error} {}", error.help.as_deref().unwrap_or_default());
        assert!(said.contains(words), "{text}: {said}");
    }
}

/// Each text has a value.
pub(crate) fn all_values(cases: &[(&str, &str)]) {
    for (text, value) in cases {
        let answer = evaluate(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(answer.value.to_string(), *value, "{text}");
    }
}
