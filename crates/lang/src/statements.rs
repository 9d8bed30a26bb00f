//! Where the lines of a text begin and end: those of a sheet, and those above an expression.
//!
//! Law: a line goes on while brackets are open and the next is not blank; blank lines and comments are none.

use std::borrow::Cow;

use bitstride::notation::Span;

/// The text with blanks for its comments, so that all else stays in its place: in Python from `#` and a blank on, in C++ from `//` on
/// where that cannot be a division, at the beginning of a line or behind a bracket, a comma or a semicolon.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("# ") && !text.contains("//") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let ends = line.trim_end_matches(['\n', '\r']).len();
        let (code, comment) = line.split_at_checked(comment(line).unwrap_or(ends)).unwrap_or((line, ""));
        kept.push_str(code);
        let rest = comment.len().saturating_sub(line.len().saturating_sub(ends));
        kept.extend(std::iter::repeat_n(' ', rest));
        kept.push_str(line.get(ends..).unwrap_or_default());
    }
    Cow::Owned(kept)
}

/// Where the comment of a line begins.
fn comment(line: &str) -> Option<usize> {
    let (mut quote, mut last) = (None, None);
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
            (None, '/') if rest.starts_with("//") && last.is_none_or(|last| "([{,;}".contains(last)) => {
                return Some(at);
            }
            _ => {}
        }
        if !c.is_whitespace() {
            last = Some(c);
        }
    }
    None
}

/// The spans of the lines that say something.
pub(super) fn statements(text: &str) -> impl Iterator<Item = Span> {
    let mut start = 0;
    let mut lines = text.split_inclusive('\n').map(move |line| {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        span
    });
    let mut spans = Vec::new();
    while let Some(first) = lines.next() {
        let line = first.of(text).trim_start();
        if line.is_empty() || line.starts_with("//") || line.starts_with("# ") {
            continue;
        }
        let mut whole = Span::new(first.end - line.len(), first.end);
        let mut open = depth(line);
        while open > 0 {
            let Some(next) = lines.next().filter(|next| !next.of(text).trim().is_empty()) else { break };
            whole.end = next.end;
            open += depth(next.of(text));
        }
        spans.push(whole);
    }
    spans.into_iter()
}

/// How many more brackets a text opens than it closes.
fn depth(text: &str) -> i64 {
    text.bytes().fold(0, |depth, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth - 1,
        _ => depth,
    })
}
