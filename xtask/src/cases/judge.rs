//! An answer held against what is expected of it.

use std::path::Path;

use super::case::Case;
use super::expect::{AnyOf, Check};
use super::run::{self, Response};

/// How a case comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Every check holds.
    Works,
    /// A check does not hold.
    Differs { expected: String, got: String },
    /// Later work answers it.
    Later { reason: String },
    /// Nothing can be checked.
    Unchecked,
}

/// Judges a case by its checks.
pub(crate) fn judged(case: &Case, checks: &[AnyOf], files: &Path) -> State {
    if checks.is_empty() {
        return State::Unchecked;
    }
    let response = match run::respond(&case.question, files) {
        Ok(response) => response,
        Err(got) => return State::Differs { expected: "a command line that runs".to_owned(), got },
    };
    let failed = checks.iter().find_map(|check| holds_any(check, response.as_ref()).err().map(|got| (check, got)));
    match failed {
        None => State::Works,
        Some((check, got)) => State::Differs { expected: check.to_string(), got: got.join(" | ") },
    }
}

/// Whether one of several checks holds, or what came instead.
fn holds_any(checks: &AnyOf, response: Option<&Response>) -> Result<(), Vec<String>> {
    let mut failures = Vec::new();
    for check in &checks.0 {
        match holds(check, response) {
            Ok(()) => return Ok(()),
            Err(got) if failures.contains(&got) => {}
            Err(got) => failures.push(got),
        }
    }
    Err(failures)
}

/// Whether a check holds, or what came instead. A sentence has no response; other expressions may restate it.
fn holds(check: &Check, response: Option<&Response>) -> Result<(), String> {
    if let Check::Of { expression, check } = check {
        let answer = response.and_then(|response| response.value.as_deref());
        let expression = match answer {
            Some(answer) => expression.replace('$', answer),
            None if expression.contains('$') => return Err(response.map_or("no answer".into(), shown)),
            None => expression.clone(),
        };
        return holds(check, Some(&run::calculated(&expression)));
    }
    let Some(response) = response else {
        return Err("a sentence, which is not run".to_owned());
    };
    let passes = match check {
        Check::Value(value) => response.value.as_deref().is_some_and(|answer| equal(value, answer)),
        Check::Refused(code) => response.refusal.as_ref().is_some_and(|refusal| match code {
            Some(code) => refusal.code == *code,
            None => refusal.understood,
        }),
        Check::Parses => response.value.is_some(),
        Check::Note(text) => response.notes.iter().any(|note| note.contains(text)),
        Check::Text(text) => without_blanks(&response.text).contains(&without_blanks(text)),
        Check::Exit(code) => response.exit == Some(*code),
        Check::Of { .. } => false,
    };
    if passes { Ok(()) } else { Err(shown(response)) }
}

/// A response in few lines.
fn shown(response: &Response) -> String {
    const SHOWN_LINES: usize = 6;
    let lines: Vec<&str> = response.text.lines().take(SHOWN_LINES).collect();
    lines.join("; ")
}

/// Whether two texts have the same value: the same truth, or the same printed form once read.
fn equal(expected: &str, answer: &str) -> bool {
    match (truth(expected), truth(answer)) {
        (Some(expected), Some(answer)) => expected == answer,
        _ => canonical(expected) == canonical(answer),
    }
}

/// The truth that a text states; an explanation may follow after a colon.
fn truth(text: &str) -> Option<bool> {
    match text.split(':').next().map(str::trim) {
        Some("true" | "same") => Some(true),
        Some("false" | "different") => Some(false),
        _ => None,
    }
}

/// The printed form of the value of a text, or the text itself where it is not read; without blanks.
fn canonical(text: &str) -> String {
    without_blanks(run::calculated(text).value.as_deref().unwrap_or(text))
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::case::Question;
    use crate::cases::expect::of_prose;

    fn state(expression: &str, expect: &str) -> State {
        let question = Question::Expression(expression.into());
        let case = Case { id: "a".into(), text: expression.into(), question, expect: expect.into(), kind: "k".into() };
        judged(&case, &of_prose(expect), Path::new("files"))
    }

    #[test]
    fn values_are_compared_and_not_texts() {
        assert!(equal("Sw<1,0,1> o 4:1", "Sw<1,0,1> o 0 o 4:1"));
        assert!(equal("(2, 3):(1, 2)", "(2,3):(1,2)"));
        assert!(!equal("(2,3):(1,2)", "6:1"));
        assert!(equal("true", "same"));
        assert!(equal("different", "different: dim0=1 is at offset=1"));
        assert!(!equal("same", "different: dim0=1 is at offset=1"));
    }

    #[test]
    fn cases_work_or_differ() {
        assert_eq!(state("coalesce((2,3):(1,2))", "6:1 (they merge)"), State::Works);
        assert_eq!(state("same(4:1, 4:2)", "different; 1 against 2"), State::Works);
        assert_eq!(state("upcast(8:-1, 4)", "refused: the order is reversed"), State::Works);
        assert!(matches!(state("size(4:1)", "5"), State::Differs { expected, got } if expected == "5" && got == "4"));
        assert_eq!(state("size(4:1)", "a number of elements"), State::Unchecked);
    }

    #[test]
    fn a_text_that_is_not_read_is_not_refused() {
        assert!(matches!(state("bank conflicts of a column", "refused"), State::Differs { .. }));
        assert!(matches!(state("siez(4:1)", "refused"), State::Differs { .. }));
    }

    #[test]
    fn other_expressions_may_use_the_answer() {
        let response = run::calculated("coalesce((2,3):(1,2))");
        let of = |expression: &str, value: &str| Check::Of {
            expression: expression.into(),
            check: Box::new(Check::Value(value.into())),
        };
        assert_eq!(holds(&of("size($)", "6"), Some(&response)), Ok(()));
        assert_eq!(holds(&of("size(4:1)", "4"), None), Ok(()));
        assert!(holds(&of("size($)", "4"), None).is_err());
    }
}
