//! Laws of operations: every example obeys its law, so does every answer for other operands, and a wrong answer does not.

#![allow(clippy::panic, reason = "that is how a test fails")]

mod draws;

use bitstride::Code;
use bitstride_lang::{Operation, Value, evaluate, operations};

/// How often each operation is asked with other operands.
const DRAWS: usize = 20;

/// The operations that have a law.
fn lawful() -> impl Iterator<Item = &'static Operation> {
    operations().filter(|operation| operation.statement().is_some())
}

#[test]
fn every_example_obeys_its_law() {
    for operation in lawful() {
        let answer = evaluate(&format!("law {}", operation.example));
        let answer = answer.unwrap_or_else(|error| panic!("law {}: {error}", operation.example));
        assert_eq!(answer.value, Value::Bool(true), "law {}: {}", operation.example, answer.notes.join("; "));
        assert!(answer.notes.iter().all(|note| note.contains("point")), "{:?}", answer.notes);
    }
}

#[test]
fn every_answer_obeys_its_law() {
    let (mut held, mut open, mut broken) = (0, 0, Vec::new());
    for (_, text) in draws::calls(lawful(), DRAWS) {
        if evaluate(&text).is_err() {
            continue;
        }
        match evaluate(&format!("law {text}")) {
            Ok(answer) if answer.value == Value::Bool(true) => held += 1,
            Ok(answer) => broken.push(format!("law {text}: {}", answer.notes.join("; "))),
            Err(error) if error.code() == Code::Undecided => open += 1,
            Err(error) => broken.push(format!("law {text}: {error}")),
        }
    }
    assert!(broken.is_empty(), "{} of {held} break a law:\n{}", broken.len(), broken.join("\n"));
    assert!(held > 800 && open * 10 < held, "{held} answers obey their law, {open} are not decided");
}

/// The text with one of its integers replaced by another.
fn altered(text: &str) -> Vec<String> {
    let mut altered = Vec::new();
    let starts = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
    for at in starts.filter(|at| !text[..*at].ends_with(|c: char| c.is_ascii_alphanumeric())) {
        let digits: String = text[at..].chars().take_while(char::is_ascii_digit).collect();
        let Ok(number) = digits.parse::<i64>() else { continue };
        for other in [number + 1, number * 2, number / 2, 0] {
            if other != number {
                altered.push(format!("{}{other}{}", &text[..at], &text[at + digits.len()..]));
            }
        }
    }
    altered
}

#[test]
fn a_wrong_answer_is_caught() {
    let mut missed = Vec::new();
    for operation in lawful() {
        let answer = evaluate(operation.example).map(|answer| answer.value.to_string());
        let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", operation.example));
        let wrong = match answer.as_str() {
            "true" => vec!["false".to_owned()],
            "false" => vec!["true".to_owned()],
            "same" => vec!["different: nothing".to_owned()],
            answer if answer.starts_with("different") => vec!["same".to_owned()],
            answer => altered(answer),
        };
        let is_caught = |wrong: &String| {
            let obeys = evaluate(&format!("law {} == {wrong}", operation.example));
            obeys.is_ok_and(|answer| answer.value == Value::Bool(false) && !answer.notes.is_empty())
        };
        let twice = || wrong.iter().flat_map(|text| altered(text));
        if !wrong.iter().any(is_caught) && !twice().any(|wrong| is_caught(&wrong)) {
            missed.push(format!("{} == {answer}", operation.example));
        }
    }
    assert!(missed.is_empty(), "no wrong answer is caught for {} operations:\n{}", missed.len(), missed.join("\n"));
}
