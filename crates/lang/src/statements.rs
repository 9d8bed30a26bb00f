//! Where the lines of a text begin and end: those of a sheet, and those above an expression.
//!
//! Law: a line goes on while brackets are open and the next is not blank; blank lines and comments are none.

use bitstride::notation::Span;

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
