//! The text of a law, split into the requirements that it makes.
//!
//! ```text
//! law         = requirement { "; " requirement }
//! requirement = [ "without NAME: " ] [ "R iff " ] claim { " and " claim } [ " for " range { ", " range } ] [ " if " claim ]
//! claim       = "distinct " term | side { relation side }
//! side        = term | "{" term [ " for " range { ", " range } ] "}"
//! relation    = " == " | " != " | " <= " | " < "          (between sets: equal, subset)
//! range       = NAME " < " term | NAME " in " side
//! ```
//!
//! `i < n` counts from 0. `c in X` walks through the coordinates of a shape or a layout, or through the members of a set.
//! Law: nothing of a text is skipped; what does not fit this grammar is an error.

use bitstride::notation::{Expr, Ints, parse};
use bitstride::{Code, Error, error};

/// One requirement of a law.
pub(super) struct Requirement<'t> {
    /// As it is written.
    pub(super) text: &'t str,
    /// The optional parameter that must not be given.
    pub(super) without: Option<&'t str>,
    /// Whether the answer says that the claims hold everywhere, rather than that they do.
    pub(super) iff: bool,
    pub(super) claims: Vec<Claim<'t>>,
    pub(super) ranges: Vec<Range<'t>>,
    /// Points at which it is false are left out.
    pub(super) guard: Option<Claim<'t>>,
}

/// What is true at every point.
pub(super) enum Claim<'t> {
    /// No two points have the same value.
    Distinct(Phrase<'t>),
    /// Sides with a relation before each but the first; one side alone is a truth value.
    Chain(ClaimSide<'t>, Vec<(Relation, ClaimSide<'t>)>),
}

pub(super) enum ClaimSide<'t> {
    Term(Phrase<'t>),
    Set(Phrase<'t>, Vec<Range<'t>>),
}

/// An expression and its text.
pub(super) struct Phrase<'t> {
    pub(super) text: &'t str,
    pub(super) tree: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    AtMost,
    Less,
}

/// What a variable of a requirement runs through.
pub(super) struct Range<'t> {
    pub(super) name: &'t str,
    pub(super) over: Over<'t>,
}

pub(super) enum Over<'t> {
    /// Integers from 0, below this.
    Below(Phrase<'t>),
    /// Coordinates, or the members of a set.
    In(ClaimSide<'t>),
}

/// The requirements of a law.
pub(super) fn requirements(law: &str) -> Result<Vec<Requirement<'_>>, Error> {
    law.split("; ").map(requirement).collect()
}

fn requirement(text: &str) -> Result<Requirement<'_>, Error> {
    let (without, rest) = match text.strip_prefix("without ").and_then(|rest| rest.split_once(": ")) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, text),
    };
    let (iff, rest) = rest.strip_prefix("R iff ").map_or((false, rest), |rest| (true, rest));
    let (rest, guard) = cut(rest, " if ").map_or((rest, None), |(before, after)| (before, Some(after)));
    let (claims, ranges) = cut(rest, " for ").map_or((rest, None), |(before, after)| (before, Some(after)));
    Ok(Requirement {
        text,
        without,
        iff,
        claims: pieces(claims, " and ").into_iter().map(claim).collect::<Result<_, _>>()?,
        ranges: ranges.map_or(Ok(Vec::new()), self::ranges)?,
        guard: guard.map(claim).transpose()?,
    })
}

fn claim(text: &str) -> Result<Claim<'_>, Error> {
    if let Some(term) = text.strip_prefix("distinct ") {
        return phrase(term).map(Claim::Distinct);
    }
    const RELATIONS: [(&str, Relation); 4] =
        [(" == ", Relation::Equal), (" != ", Relation::NotEqual), (" <= ", Relation::AtMost), (" < ", Relation::Less)];
    let next = |text| {
        let found = RELATIONS.iter().filter_map(|(sign, relation)| Some((cut(text, sign)?, *relation)));
        found.min_by_key(|((before, _), _)| before.len())
    };
    let (mut rest, mut relation, mut first, mut chain) = (text, None, None, Vec::new());
    loop {
        let found = next(rest);
        let this = side(found.map_or(rest, |((before, _), _)| before))?;
        match relation {
            None => first = Some(this),
            Some(relation) => chain.push((relation, this)),
        }
        let Some(((_, after), after_relation)) = found else { break };
        (rest, relation) = (after, Some(after_relation));
    }
    first.map(|first| Claim::Chain(first, chain)).ok_or_else(|| unreadable(text))
}

fn side(text: &str) -> Result<ClaimSide<'_>, Error> {
    let Some(inside) = text.strip_prefix('{') else { return phrase(text).map(ClaimSide::Term) };
    let inside = inside.strip_suffix('}').ok_or_else(|| unreadable(text))?;
    match cut(inside, " for ") {
        Some((term, ranges)) => Ok(ClaimSide::Set(phrase(term)?, self::ranges(ranges)?)),
        None => Ok(ClaimSide::Set(phrase(inside)?, Vec::new())),
    }
}

fn ranges(text: &str) -> Result<Vec<Range<'_>>, Error> {
    let range = |text| {
        if let Some((name, end)) = cut(text, " < ") {
            return Ok(Range { name, over: Over::Below(phrase(end)?) });
        }
        let (name, whole) = cut(text, " in ").ok_or_else(|| unreadable(text))?;
        Ok(Range { name, over: Over::In(side(whole)?) })
    };
    pieces(text, ", ").into_iter().map(range).collect()
}

fn phrase(text: &str) -> Result<Phrase<'_>, Error> {
    Ok(Phrase { text, tree: parse(text, Ints::Plain)? })
}

fn unreadable(text: &str) -> Error {
    error!(Code::Undecided, "the law has a part that is not read: {text}", [text])
}

/// The parts of a text between separators that stand outside all brackets.
fn pieces<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = cut(rest, separator) {
        pieces.push(before);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// The text before and after the first separator that stands outside all brackets.
fn cut<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && text.get(at..).is_some_and(|rest| rest.starts_with(separator)) {
            return Some((text.get(..at)?, text.get(at + separator.len()..)?));
        }
    }
    None
}
