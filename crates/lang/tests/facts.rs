//! What an error states in numbers, it has as data: each number of its sentence is one of its facts, or in a fact that is a text
//! of the language.
//!
//! The errors are those of all operations with operands of other examples and at random, and of wrong pastes.

#![allow(clippy::panic, reason = "that is how a test fails")]

mod draws;

use std::collections::BTreeMap;

use bitstride::{Class, Code, Error, Fact};
use bitstride_lang::{evaluate, operations};

/// How often each operation is asked.
const DRAWS: usize = 40;

/// The numbers of a text; those of a name, such as `dim0` or `f32`, are none.
fn numbers(text: &str) -> Vec<i128> {
    let mut numbers = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for word in text.split(|c: char| !is_word(c)) {
        let number = match word.get(..2) {
            Some("0b") => i128::from_str_radix(&word[2..], 2),
            Some("0x") => i128::from_str_radix(&word[2..], 16),
            _ => word.parse(),
        };
        numbers.extend(number);
    }
    numbers
}

/// Whether a text is prose: two words behind each other.
fn is_prose(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let is_word = |word: &str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    words.windows(2).any(|pair| pair.iter().all(|word| is_word(word)))
}

/// The numbers that the facts have; prose has none.
fn stated(fact: &Fact, all: &mut Vec<i128>) {
    match fact {
        Fact::Number(number) => all.push(number.abs()),
        Fact::Text(text) if !is_prose(text) || evaluate(text).is_ok() => all.extend(numbers(text)),
        Fact::List(facts) => facts.iter().for_each(|fact| stated(fact, all)),
        _ => {}
    }
}

/// A number of the sentence that is no fact.
fn missing(error: &Error) -> Option<i128> {
    let mut known = Vec::new();
    for (_, fact) in error.refusal().map_or(&[][..], |refusal| refusal.facts()) {
        stated(fact, &mut known);
    }
    numbers(error.message()).into_iter().find(|number| !known.contains(number))
}

#[test]
fn numbers_of_errors_are_facts() {
    let mut texts: Vec<String> = draws::calls(operations(), DRAWS).into_iter().map(|(_, text)| text).collect();
    texts.extend(include_str!("../../core/tests/all/wrong_pastes.txt").lines().map(str::to_owned));
    let (mut whole, mut broken) = (0, BTreeMap::<String, (usize, String)>::new());
    for text in &texts {
        let Err(error) = evaluate(text) else { continue };
        if matches!(error.code(), Code::Syntax(_)) {
            continue;
        }
        match missing(&error) {
            None => whole += usize::from(!numbers(error.message()).is_empty()),
            Some(number) => {
                let sentence: String = error.message().chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
                let known = broken.entry(sentence).or_default();
                known.0 += 1;
                known.1 = format!("{number}: {text}: {error}");
            }
        }
    }
    let mut broken: Vec<(usize, String)> = broken.into_values().collect();
    broken.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let shown: Vec<String> = broken.iter().map(|(count, text)| format!("{count} x {text}")).collect();
    assert!(broken.is_empty(), "{} sentences:\n{}", broken.len(), shown.join("\n"));
    assert!(whole > 2000, "{whole} sentences with numbers");
}

/// Errors of each class have their facts.
#[test]
fn facts_have_names() {
    let cases = [
        ("slice((4,8):(8,1), (1,2,3))", Class::Unreadable),
        ("layout((4,8):(8,1), 7)", Class::Unreadable),
        ("logical_divide((6,2):(1,7), 4)", Class::Refused),
        ("coalesce(4:1, 2, 3)", Class::Unreadable),
        ("colaesce(4:1)", Class::Unreadable),
    ];
    for (text, class) in cases {
        let error = evaluate(text).err().unwrap_or_else(|| panic!("{text} is answered"));
        assert_eq!(error.code().class(), class, "{text}: {error}");
        let facts = error.refusal().unwrap_or_else(|| panic!("{text}: {error}")).facts();
        assert!(!facts.is_empty(), "{text}: {error}");
    }
}
