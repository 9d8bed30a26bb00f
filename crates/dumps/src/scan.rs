//! Where in a line something stands: names of operations, and the text between two brackets.
//!
//! This finds texts and reads none: what a type says is read by `bitstride`.

/// Which brackets nest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Brackets {
    /// All, as in MLIR; the arrow `->` closes nothing.
    All,
    /// All but `<` and `>`, which HLO has in `<=`.
    NotAngle,
}

/// The text up to the bracket that closes the one at its start, and what follows; nothing where none does. Brackets in quotes do
/// not count.
pub(crate) fn balanced(text: &str, brackets: Brackets) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let (mut depth, mut quoted, mut before) = (0_usize, false, 0_u8);
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'<' | b'>' if brackets == Brackets::NotAngle => {}
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if before == b'-' => {}
            b'>' | b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.split_at_checked(at + 1);
                }
            }
            _ => {}
        }
        before = byte;
        at += 1;
    }
    None
}

/// The byte at which a comment begins: `//` outside of quotes; the length where there is none.
pub(crate) fn comment(line: &str) -> usize {
    let (mut quoted, mut before) = (false, 0_u8);
    for (at, byte) in line.bytes().enumerate() {
        match (byte, before) {
            (b'"', before) if before != b'\\' => quoted = !quoted,
            (b'/', b'/') if !quoted => return at - 1,
            _ => {}
        }
        before = byte;
    }
    line.len()
}

/// The names that an operation gives its results, the operation, and what follows: `%a:2 = dialect.op …`, or with the operation
/// in quotes.
pub(crate) fn operation(line: &str) -> (&str, &str, &str) {
    let line = line.trim_start();
    let (results, rest) = match line.starts_with('%') {
        true => line.split_once(" = ").unwrap_or(("", line)),
        false => ("", line),
    };
    let rest = rest.trim_start();
    let (quote, named) = match rest.strip_prefix('"') {
        Some(named) => (1, named),
        None => (0, rest),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-';
    let length = named.find(|c| !is_name(c)).unwrap_or(named.len());
    let (name, after) = named.split_at_checked(length).unwrap_or((named, ""));
    (results, name, after.get(quote.min(after.len())..).unwrap_or(""))
}

/// The beginning of a text that may be long.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 160;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_matched() {
        let all = |text: &'static str| balanced(text, Brackets::All);
        assert_eq!(all("<a<b>, \">\", (c) -> d>x"), Some(("<a<b>, \">\", (c) -> d>", "x")));
        assert_eq!(all("<a<b>"), None);
        assert_eq!(all(">"), None);
        assert_eq!(all("<\"\\\">"), None);
        assert_eq!(balanced("{a<=[2]}, b", Brackets::NotAngle), Some(("{a<=[2]}", ", b")));
    }

    #[test]
    fn comments_and_operations_are_found() {
        assert_eq!(comment("a \"//\" b // c"), 9);
        assert_eq!(comment("a / b"), 5);
        assert_eq!(operation("  %1:2 = scf.for %i"), ("%1:2", "scf.for", " %i"));
        assert_eq!(operation("\"ttg.convert_layout\"(%1)"), ("", "ttg.convert_layout", "(%1)"));
        assert_eq!(operation("tt.return"), ("", "tt.return", ""));
        assert_eq!(operation("%x"), ("", "", "%x"));
    }
}
