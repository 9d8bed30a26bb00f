//! Literals of Python, as far as the header of a `.npy` file has them, taken apart by their brackets.
//!
//! Law: a text is read once from its beginning to its end and is refused where brackets do not match or are more than
//! 64 deep, so that neither time nor stack depends on what is nested in what.

/// How deep brackets are: records in records are not that deep.
const DEEPEST: usize = 64;

/// The parts of a text between the places where a character stands outside of brackets and strings.
pub(super) fn split(text: &str, by: char) -> Result<Vec<&str>, String> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let (mut closing, mut quote) = (Vec::new(), None);
    let mut characters = text.char_indices();
    while let Some((at, here)) = characters.next() {
        match (quote, here) {
            (Some(_), '\\') => drop(characters.next()),
            (Some(own), _) if own == here => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(here),
            (None, '(') => closing.push(')'),
            (None, '[') => closing.push(']'),
            (None, '{') => closing.push('}'),
            (None, ')' | ']' | '}') if closing.pop() != Some(here) => return Err(format!("a `{here}` closes nothing")),
            (None, _) if here == by && closing.is_empty() => {
                parts.push(text.get(from..at).unwrap_or("").trim());
                from = at + here.len_utf8();
            }
            (None, _) => {}
        }
        if closing.len() > DEEPEST {
            return Err(format!("brackets are more than {DEEPEST} deep"));
        }
    }
    match (quote, closing.last()) {
        (None, None) => parts.push(text.get(from..).unwrap_or("").trim()),
        (Some(open), _) => return Err(format!("a string has no {open} at its end")),
        (None, Some(close)) => return Err(format!("a `{close}` is missing")),
    }
    Ok(parts)
}

/// The entries of a dict, list or tuple between the brackets that it has; a comma may follow the last.
pub(super) fn entries(text: &str, open: char, close: char) -> Result<Vec<&str>, String> {
    let inside = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let inside = inside.ok_or_else(|| format!("`{}` where {open}…{close} is expected", shown(text)))?;
    let mut entries = split(inside, ',')?;
    if entries.last().is_some_and(|last| last.is_empty()) {
        entries.pop();
    }
    match entries.iter().any(|entry| entry.is_empty()) {
        true => Err(format!("`{}` has a comma too many", shown(text))),
        false => Ok(entries),
    }
}

/// What is in a string without escapes; none for anything else.
pub(super) fn string(text: &str) -> Option<&str> {
    let inside = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('\'').or_else(|| inside('"')).filter(|inside| !inside.contains(['\'', '"', '\\']))
}

/// Sizes in a tuple: `(2, 3)`, `(6,)`, `(6L,)` as Python 2 writes it, `()`.
pub(super) fn extents(text: &str) -> Result<Vec<u64>, String> {
    let is_one = text.strip_suffix(')').is_some_and(|inside| !inside.contains(',') && inside.trim() != "(");
    let entries = if is_one { None } else { Some(entries(text, '(', ')')?) };
    let entries = entries.ok_or_else(|| format!("`{}` is no tuple; one entry needs a comma", shown(text)))?;
    entries.into_iter().map(extent).collect()
}

/// A size, which may end in `L`.
pub(super) fn extent(text: &str) -> Result<u64, String> {
    let digits = text.strip_suffix('L').unwrap_or(text);
    let number = digits.parse().ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_digit()));
    number.ok_or_else(|| format!("`{}` is no size", shown(text)))
}

/// The first part of a text that may be long.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_strings_are_whole() {
        for (text, parts) in [
            ("", vec![""]),
            ("a, b", vec!["a", "b"]),
            ("(a, b), [c, {d: e, f}], ", vec!["(a, b)", "[c, {d: e, f}]", ""]),
            (r#"'a, \', (', "'," , ü"#, vec![r"'a, \', ('", r#""',""#, "ü"]),
        ] {
            assert_eq!(split(text, ','), Ok(parts), "{text}");
        }
        let deep = "[".repeat(100_000);
        for text in ["(", ")", "(]", "'a", r"'a\'", deep.as_str()] {
            assert!(split(text, ',').is_err(), "{}", shown(text));
        }
        assert!(split(&format!("{}{}", "[".repeat(64), "]".repeat(64)), ',').is_ok());
    }

    #[test]
    fn tuples_of_sizes() {
        for (text, sizes) in [("()", vec![]), ("(6,)", vec![6]), ("(2, 3L)", vec![2, 3]), ("( 2,3, )", vec![2, 3])] {
            assert_eq!(extents(text), Ok(sizes), "{text}");
        }
        for text in
            ["(6)", "6", "[6]", "(,)", "(2,,3)", "(-1,)", "(0x6,)", "(+6,)", "(1.0,)", "(18446744073709551616,)"]
        {
            assert!(extents(text).is_err(), "{text}");
        }
    }
}
