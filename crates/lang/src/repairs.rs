//! [`repairs`]: what a refused expression can be replaced by.
//!
//! A refusal names what is nearest that works, in its help. It speaks of values, where the expression may have names for them: a
//! repair of an operand takes the place of what the operand is written as, and operands that stay keep their names. Law: each
//! repair is an expression that has a value.

use super::bindings::{Bindings, mentioned};
use super::eval::evaluate_tree;
use super::lines::evaluate_in;
use super::reading::read_text;
use bitstride::notation::{Expr, ExprKind, Ints, Span};
use bitstride::{Code, Error, Fact};

/// The most repairs of one refusal.
const MAX_REPAIRS: usize = 4;

/// The most candidates that are tried.
const MAX_TRIED: usize = 24;

/// The most parts of an expression that are evaluated to find the operand that is refused.
const MAX_OPERANDS: usize = 32;

/// Expressions with a value that an expression may be replaced by, the nearest first: with what the help names in the place
/// of what is refused, with brackets closed, and the whole that the refusal offers instead.
///
/// ```
/// use bitstride::notation::Ints;
/// use bitstride_lang::{Bindings, evaluate, evaluate_in, repairs};
/// let mut names = Bindings::default();
/// names.bind("a", &evaluate("(6,2):(1,7)")?.value)?;
/// let text = "composition(a, (3,2):(2,3))";
/// let error = evaluate_in(text, Ints::Plain, &names).unwrap_err();
/// let repaired = repairs(text, &error, Ints::Plain, &names);
/// assert_eq!(repaired.first().map(String::as_str), Some("composition(a, (2,2):(2,3))"));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn repairs(text: &str, error: &Error, ints: Ints, names: &Bindings) -> Vec<String> {
    let tree = read_text(text, ints).ok().map(|(tree, _)| tree);
    let mut found: Vec<String> = Vec::new();
    for candidate in candidates(text, tree.as_ref(), error, names).into_iter().take(MAX_TRIED) {
        if found.len() == MAX_REPAIRS {
            break;
        }
        let candidate = match &tree {
            Some(tree) => with_names(candidate, tree, ints, names),
            None => candidate,
        };
        if candidate != text && !found.contains(&candidate) && evaluate_in(&candidate, ints, names).is_ok() {
            found.push(candidate);
        }
    }
    found
}

fn candidates(text: &str, tree: Option<&Expr>, error: &Error, names: &Bindings) -> Vec<String> {
    let mut whole = Vec::new();
    let operand = operand(error);
    let place = operand.as_ref().and_then(|operand| place_of(operand, tree?, error.span(), names));
    for part in error.help().map(|help| expressions(help, error)).unwrap_or_default() {
        let Some(refused) = error.span() else { continue };
        // Of an operation that is refused, what the refusal speaks of is an operand; a call stands for the whole operation.
        let span = match (&operand, place) {
            (None, _) => refused,
            (Some(_), Some(place)) => place,
            (Some(_), None) if part.ends_with(')') && part.starts_with(|c: char| c.is_ascii_alphabetic()) => refused,
            (Some(_), None) => continue,
        };
        whole.extend(replaced(text, span, &part));
    }
    whole.extend(closed(text));
    whole.extend(error.chain().map(str::to_owned));
    whole
}

/// A text with a part of it replaced.
fn replaced(text: &str, span: Span, by: &str) -> Option<String> {
    Some(format!("{}{by}{}", text.get(..span.start)?, text.get(span.end..)?))
}

/// The operand that is refused.
fn operand(error: &Error) -> Option<String> {
    match error.refusal()?.fact("inner")? {
        Fact::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// Where an operand stands in what is refused: the outermost part with its value, and the last of those.
fn place_of(operand: &str, tree: &Expr, refused: Option<Span>, names: &Bindings) -> Option<Span> {
    let is_within = |part: &Expr| refused.is_none_or(|span| span.start <= part.span.start && part.span.end <= span.end);
    let is_it = |part: &&Expr| {
        let value = names.resolve(part).and_then(|part| evaluate_tree(&part));
        value.is_ok_and(|answer| answer.value.to_string() == operand)
    };
    // Level by level, each from its end.
    let mut level: Vec<&Expr> = vec![tree];
    let mut tried = 0;
    while !level.is_empty() && tried < MAX_OPERANDS {
        level = level.iter().flat_map(|part| part.parts()).collect();
        let operands = level.iter().rev().copied().filter(|part| is_within(part)).take(MAX_OPERANDS - tried);
        tried += level.len();
        if let Some(found) = operands.into_iter().find(is_it) {
            return Some(found.span);
        }
    }
    None
}

/// A text in which operands that have the value of a name are that name, of the names that an expression has.
fn with_names(text: String, written: &Expr, ints: Ints, names: &Bindings) -> String {
    let used: Vec<String> = mentioned(written).into_iter().map(|(name, _)| name).collect();
    if !used.iter().any(|name| names.tree(name).is_some()) {
        return text;
    }
    let Ok((tree, _)) = read_text(&text, ints) else { return text };
    let mut places = Vec::new();
    named_operands(&tree, &used, names, &mut places);
    // From the last, so that places before it stay what they are.
    places.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    places.into_iter().fold(text, |text, (span, name)| replaced(&text, span, name).unwrap_or(text))
}

fn named_operands<'n>(tree: &Expr, used: &'n [String], names: &Bindings, places: &mut Vec<(Span, &'n str)>) {
    let has_operands = matches!(tree.kind, ExprKind::Call { .. } | ExprKind::Compose(_) | ExprKind::Method { .. });
    for part in tree.parts() {
        let name = used.iter().find(|name| names.tree(name) == Some(part));
        match name.filter(|_| has_operands) {
            Some(name) => places.push((part.span, name)),
            None => named_operands(part, used, names, places),
        }
    }
}

/// The parts of a help line that may be expressions: in backquotes, or between the commas of a list. For a name that nothing has, a help
/// that does not say what was meant has examples only.
fn expressions(help: &str, error: &Error) -> Vec<String> {
    if error.code() == Code::UnknownName && !help.starts_with("did you mean ") {
        return Vec::new();
    }
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
    fn repairs_keep_the_names_of_operands() -> Result<(), Error> {
        let mut names = Bindings::default();
        for (name, text) in [("a", "(6,2):(1,7)"), ("t", "(3,2):(2,3)"), ("n", "2")] {
            names.bind(name, &evaluate(text)?.value)?;
        }
        let repaired = |text: &str| match evaluate_in(text, Ints::Plain, &names) {
            Ok(answer) => vec![answer.value.to_string()],
            Err(error) => repairs(text, &error, Ints::Plain, &names),
        };
        let first = |text: &str| repaired(text).first().cloned().unwrap_or_default();
        assert_eq!(first("composition(a, t)"), "composition(a, (2,2):(2,3))");
        assert_eq!(first("size(a o t)"), "size(a o (2,2):(2,3))");
        assert_eq!(first("composition(a, coalesce(t))"), "composition(a, (2,2):(2,3))");
        assert_eq!(repaired("composition(a, t)").last().map(String::as_str), Some("chain(a, t)"));
        assert_eq!(first("compositon(a, n)"), "composition(a, n)");
        // Of an example in a help, nothing comes.
        assert!(repaired("size(coalesce)").is_empty() && repaired("logical_d").is_empty());
        Ok(())
    }

    #[test]
    fn hostile_texts_have_none() {
        for text in ["", "é(", &"(".repeat(5000), "😀"] {
            assert!(repaired(text).is_empty(), "{text}");
        }
    }
}
