//! [`repairs`]: what a refused expression can be replaced by.
//!
//! A refusal names what is nearest that works, in its help. Law: each repair is an expression that has a value.

use super::bindings::Bindings;
use super::lines::evaluate_in;
use bitstride::notation::Ints;
use bitstride::{Error, Fact};

/// The most repairs of one refusal.
const MAX_REPAIRS: usize = 4;

/// The most candidates that are tried.
const MAX_TRIED: usize = 24;

/// Expressions with a value that an expression may be replaced by, the nearest first: with what the help names in the place
/// of what is refused, with brackets closed, and the whole that the refusal offers instead.
///
/// ```
/// use bitstride::notation::Ints;
/// use bitstride_lang::{Bindings, evaluate, repairs};
/// let text = "composition((6,2):(1,7), (3,2):(2,3))";
/// let error = evaluate(text).unwrap_err();
/// let repaired = repairs(text, &error, Ints::Plain, &Bindings::default());
/// assert_eq!(repaired[0], "composition((6,2):(1,7), (2,2):(2,3))");
/// ```
pub fn repairs(text: &str, error: &Error, ints: Ints, names: &Bindings) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for candidate in candidates(text, error).into_iter().take(MAX_TRIED) {
        if found.len() == MAX_REPAIRS {
            break;
        }
        if candidate != text && !found.contains(&candidate) && evaluate_in(&candidate, ints, names).is_ok() {
            found.push(candidate);
        }
    }
    found
}

fn candidates(text: &str, error: &Error) -> Vec<String> {
    let mut whole = Vec::new();
    let span = error.span();
    let span =
        span.and_then(|span| Some((text.get(..span.start)?, text.get(span.start..span.end)?, text.get(span.end..)?)));
    for part in error.help().map(expressions).unwrap_or_default() {
        let Some((before, wrong, after)) = span else { continue };
        // Of an operation that is refused, what the refusal speaks of is an operand.
        let operand = operand(error).and_then(|operand| find_spaceless(wrong, &operand));
        whole.push(match operand.and_then(|(start, end)| Some((wrong.get(..start)?, wrong.get(end..)?))) {
            Some((left, right)) => format!("{before}{left}{part}{right}{after}"),
            None => format!("{before}{part}{after}"),
        });
    }
    whole.extend(closed(text));
    whole.extend(error.chain().map(str::to_owned));
    whole
}

/// The operand that is refused.
fn operand(error: &Error) -> Option<String> {
    let (_, facts) = error.refusal()?.facts();
    facts.into_iter().find_map(|(name, fact)| match fact {
        Fact::Text(text) if name == "inner" => Some(text.as_str().to_owned()),
        _ => None,
    })
}

/// Where a text stands in another, whatever the blanks in it: the last such place.
fn find_spaceless(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let letters: Vec<(usize, char)> = text.char_indices().filter(|(_, letter)| *letter != ' ').collect();
    let wanted: Vec<char> = wanted.chars().filter(|letter| *letter != ' ').collect();
    let at =
        letters.windows(wanted.len().max(1)).rposition(|window| window.iter().map(|(_, letter)| letter).eq(&wanted))?;
    let (last, letter) = letters.get(at + wanted.len().checked_sub(1)?)?;
    Some((letters.get(at)?.0, last + letter.len_utf8()))
}

/// The parts of a help line that may be expressions: in backquotes, or between the commas of a list.
fn expressions(help: &str) -> Vec<String> {
    let quoted: Vec<String> = help.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let listed = help.rsplit(": ").next().unwrap_or_default();
    let listed =
        listed.trim_start_matches("did you mean ").trim_start_matches("the nearest are ").trim_end_matches(['?', '.']);
    let mut parts = quoted;
    for part in listed.split(" and ").flat_map(|part| part.split(" or ")) {
        parts.extend(split_outside_brackets(part));
    }
    parts
}

/// The parts of a text between commas that stand in no bracket.
fn split_outside_brackets(text: &str) -> Vec<String> {
    let (mut depth, mut parts, mut part) = (0_i32, Vec::new(), String::new());
    for letter in text.chars() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part).trim().to_owned());
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    parts.push(part.trim().to_owned());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The text with the brackets closed that it leaves open.
fn closed(text: &str) -> Option<String> {
    let mut open = Vec::new();
    for letter in text.chars() {
        match letter {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.last() == Some(&letter) => {
                open.pop();
            }
            _ => {}
        }
    }
    let missing: String = open.into_iter().rev().collect();
    (!missing.is_empty()).then(|| format!("{}{missing}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate;

    fn repaired(text: &str) -> Vec<String> {
        match evaluate(text) {
            Ok(answer) => vec![answer.value.to_string()],
            Err(error) => repairs(text, &error, Ints::Plain, &Bindings::default()),
        }
    }

    #[test]
    fn repairs_have_values_and_keep_what_was_right() {
        assert_eq!(repaired("size(compositon(4:1, 2:1))"), ["size(composition(4:1, 2:1))"]);
        assert_eq!(repaired("size((4,8):(8,1)"), ["size((4,8):(8,1))"]);
        assert_eq!(repaired("Sw<3,4,2> o 8:1"), ["Sw<3,4,3> o 8:1", "Sw<2,4,2> o 8:1"]);
        let carried = repaired("composition((4,4):(1,10), (3,2):(1,3))");
        assert_eq!(carried.last().map(String::as_str), Some("chain((4,4):(1,10), (3,2):(1,3))"));
        assert_eq!(carried.first().map(String::as_str), Some("composition((4,4):(1,10), (3,1):(1,3))"));
    }

    #[test]
    fn hostile_texts_have_none() {
        for text in ["", "é(", &"(".repeat(5000), "😀"] {
            assert!(repaired(text).is_empty(), "{text}");
        }
    }
}
