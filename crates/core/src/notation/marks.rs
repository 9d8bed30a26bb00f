//! Marks of other scripts and of mathematics that are written for those of the notation: `∘` for `o`, `∗` for `*`, and the
//! full-width marks of East Asian keyboards for their plain ones.
//!
//! Law: [`plain`] keeps the number of bytes and the place of every other character, so that spans stay what they are.

use std::borrow::Cow;

/// The text in plain marks. What stands in double quotes stays.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(|c| mark(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        match mark(c) {
            Some(mark) if !quoted => plain.push_str(mark),
            _ => plain.push(c),
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
    }
    Cow::Owned(plain)
}

/// What is meant by a mark, filled up with spaces to its three bytes.
fn mark(c: char) -> Option<&'static str> {
    Some(match c {
        '∘' | '◦' => " o ",
        '∗' | '＊' => "*  ",
        '−' | '－' => "-  ",
        '（' => "(  ",
        '）' => ")  ",
        '［' => "[  ",
        '］' => "]  ",
        '｛' => "{  ",
        '｝' => "}  ",
        '＜' => "<  ",
        '＞' => ">  ",
        '，' | '、' => ",  ",
        '：' => ":  ",
        '；' => ";  ",
        '＝' => "=  ",
        '＋' => "+  ",
        '＠' => "@  ",
        '？' => "?  ",
        '＾' => "^  ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn bytes_stay_where_they_are() {
        for text in ["（4，8）：（8，1）", "A∘B∗2", "é∘\"∘\"∘", "４：１", "“a”、−3"] {
            let read = plain(text);
            assert_eq!(read.len(), text.len(), "{text}");
            let others = text.char_indices().filter(|(_, c)| super::mark(*c).is_none());
            assert!(others.clone().all(|(at, c)| read.get(at..).is_some_and(|rest| rest.starts_with(c))), "{text}");
        }
        assert_eq!(plain("a∘\"∘\""), "a o \"∘\"");
    }
}
