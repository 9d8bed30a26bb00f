//! Text measured, cleaned and broken into lines, for every renderer alike.
//!
//! Widths are counted in characters: layouts are written in digits, Latin and a few mathematical signs, all one
//! column wide in a monospaced font.

/// Number of columns that `text` takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// `text` with every control character but the line break replaced, so that neither a terminal nor an XML reader
/// can be made to act on it.
pub(crate) fn clean(text: &str) -> String {
    let unfit = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if unfit(c) { '\u{fffd}' } else { c }).collect()
}

/// `text` in lines of at most `columns` characters, broken at spaces only: a longer word has a line to itself.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        if width(paragraph) <= columns {
            lines.push(paragraph.trim_end().to_owned());
            continue;
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && width(&line) + 1 + width(word) > columns {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// `text` with spaces before it up to `columns`.
pub(crate) fn right(text: &str, columns: usize) -> String {
    format!("{text:>columns$}")
}

/// `text` with spaces around it up to `columns`; an odd space goes before it.
pub(crate) fn centre(text: &str, columns: usize) -> String {
    let free = columns.saturating_sub(width(text));
    let after = free / 2;
    format!("{}{text}{}", " ".repeat(free - after), " ".repeat(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_spaces_and_keeps_long_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("((2,2),3):((24,2),8) o 8:1", 10), ["((2,2),3):((24,2),8)", "o 8:1"]);
        assert_eq!(wrap("a\nb", 10), ["a", "b"]);
        assert!(wrap("", 10).is_empty());
    }

    #[test]
    fn control_characters_do_not_get_through() {
        assert_eq!(clean("\u{1b}[31mx\ty\nz\u{ffff}"), "\u{fffd}[31mx\u{fffd}y\nz\u{fffd}");
    }

    #[test]
    fn pads_by_characters_not_bytes() {
        assert_eq!(right("×", 3), "  ×");
        assert_eq!(centre("×", 4), "  × ");
        assert_eq!(centre("long", 2), "long");
    }
}
