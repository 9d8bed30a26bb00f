//! Where the lines of a text begin and end: those of a sheet, and those above an expression.
//!
//! Law: a line goes on while brackets are open, over blank lines where a later line closes them; blank lines and comments are none.

use std::borrow::Cow;

use bitstride::notation::Span;

/// The text with blanks for its comments, so that all else stays in its place: in Python from `#` and a blank on, in C++ from `//` on
/// where that cannot be a division: where a statement begins, and behind a bracket, a comma or a semicolon.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("# ") && !text.contains("//") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut before = Before::default();
    for line in text.split_inclusive('\n') {
        let ends = line.trim_end_matches(['\n', '\r']).len();
        let (code, comment) = line.split_at_checked(before.comment(line).unwrap_or(ends)).unwrap_or((line, ""));
        kept.push_str(code);
        let rest = comment.len().saturating_sub(line.len().saturating_sub(ends));
        kept.extend(std::iter::repeat_n(' ', rest));
        kept.push_str(line.get(ends..).unwrap_or_default());
    }
    Cow::Owned(kept)
}

/// What stands before a place of a text, comments left out.
#[derive(Default)]
struct Before {
    /// How many brackets are open.
    open: i64,
    /// The last character that is no blank.
    last: Option<char>,
}

impl Before {
    /// Where the comment of the next line begins.
    fn comment(&mut self, line: &str) -> Option<usize> {
        // A statement goes on in the next line within brackets, and behind a backslash.
        if self.open <= 0 && self.last != Some('\\') {
            *self = Before::default();
        }
        let mut quote = None;
        for (at, c) in line.char_indices() {
            let rest = line.get(at..).unwrap_or_default();
            match (quote, c) {
                (Some(open), _) if open == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '#')
                    if rest.starts_with("# ")
                        && line.get(..at).is_some_and(|before| before.ends_with(' ') || before.is_empty()) =>
                {
                    return Some(at);
                }
                (None, '/') if rest.starts_with("//") && self.last.is_none_or(|last| "([{,;}".contains(last)) => {
                    return Some(at);
                }
                (None, '(' | '[' | '{') => self.open += 1,
                (None, ')' | ']' | '}') => self.open -= 1,
                _ => {}
            }
            if !c.is_whitespace() {
                self.last = Some(c);
            }
        }
        None
    }
}

/// The spans of the lines that say something.
pub(super) fn statements(text: &str) -> impl Iterator<Item = Span> {
    let mut start = 0;
    let lines: Vec<Span> = text
        .split_inclusive('\n')
        .map(|line| {
            let span = Span::new(start, start + line.trim_end().len());
            start += line.len();
            span
        })
        .collect();
    // How many brackets are open behind each line, and the fewest behind it or a later one.
    let behind: Vec<i64> = lines
        .iter()
        .scan(0, |open, line| {
            *open += depth(line.of(text));
            Some(*open)
        })
        .collect();
    let mut least = i64::MAX;
    let later = behind.iter().rev().map(|open| {
        least = least.min(*open);
        least
    });
    let mut fewest: Vec<i64> = later.collect();
    fewest.reverse();
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(first) = lines.get(at) {
        let line = first.of(text).trim_start();
        let around = behind.get(at).map_or(0, |open| open - depth(first.of(text)));
        at += 1;
        if line.is_empty() || line.starts_with("//") || line.starts_with("# ") {
            continue;
        }
        let mut whole = Span::new(first.end - line.len(), first.end);
        while behind.get(at - 1).is_some_and(|open| *open > around)
            && let Some(next) = lines.get(at)
        {
            // A blank line ends what is never closed.
            let is_closed = fewest.get(at).is_some_and(|open| *open <= around);
            if next.of(text).trim().is_empty() && !is_closed {
                break;
            }
            whole.end = next.end;
            at += 1;
        }
        spans.push(whole);
    }
    spans.into_iter()
}

/// The text with names for attributes of the object whose method a line of Python stands in: `self.tile` is the name `self_tile`. All
/// else stays in its place.
pub(super) fn with_own_names(text: &str) -> Cow<'_, str> {
    const SELF: &str = "self.";
    if !text.contains(SELF) {
        return Cow::Borrowed(text);
    }
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(SELF) {
        named.push_str(before);
        let is_word = !named.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '\''));
        let is_attribute = is_word && after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        named.push_str(if is_attribute { "self_" } else { SELF });
        rest = after;
    }
    named.push_str(rest);
    Cow::Owned(named)
}

/// How many more brackets a text opens than it closes.
fn depth(text: &str) -> i64 {
    text.bytes().fold(0, |depth, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth - 1,
        _ => depth,
    })
}
