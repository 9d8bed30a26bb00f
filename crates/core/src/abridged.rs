//! Sentences with long values in them, short enough to be read.
//!
//! Law: a sentence of at most `LONGEST` characters stays as it is. In a longer one each bracket that is long itself keeps its
//! beginning and its end, with the number of entries left out between them, and a sentence that is still longer is cut in
//! its middle.

/// How many characters a sentence may have.
const LONGEST: usize = 480;

/// How many characters a value in a longer sentence may have.
const LONG_VALUE: usize = 120;

/// The sentence, or what is kept of it.
pub fn abridged(sentence: String) -> String {
    if sentence.len() <= LONGEST || sentence.chars().nth(LONGEST).is_none() {
        return sentence;
    }
    let short = without_long_values(&sentence);
    match short.chars().count() {
        count if count > LONGEST => {
            cut(&short, LONGEST * 2 / 3, LONGEST / 4, &format!("… {} characters …", count - LONGEST * 11 / 12))
        }
        _ => short,
    }
}

/// The sentence with its outermost brackets cut where they are long.
fn without_long_values(sentence: &str) -> String {
    let mut short = String::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in sentence.char_indices() {
        match c {
            '(' | '[' | '{' => {
                if depth == 0 {
                    short.push_str(sentence.get(start..at).unwrap_or_default());
                    start = at;
                }
                depth += 1;
            }
            ')' | ']' | '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let end = at + c.len_utf8();
                    short.push_str(&short_value(sentence.get(start..end).unwrap_or_default()));
                    start = end;
                }
            }
            _ => {}
        }
    }
    short.push_str(sentence.get(start..).unwrap_or_default());
    short
}

/// A value in brackets, without the entries in its middle where it is long.
fn short_value(value: &str) -> String {
    if value.chars().count() <= LONG_VALUE {
        return value.to_owned();
    }
    // Cut behind an entry, so that no number is half a number.
    let commas: Vec<usize> = value.match_indices(',').map(|(at, _)| at + 1).collect();
    let head = commas.iter().copied().take_while(|at| *at <= LONG_VALUE / 2).last();
    let tail = commas.iter().copied().find(|at| value.len() - at <= LONG_VALUE / 3);
    match (head, tail) {
        (Some(head), Some(tail)) if head < tail => {
            let left_out = commas.iter().filter(|at| **at > head && **at <= tail).count();
            let (head, tail) = (value.get(..head).unwrap_or_default(), value.get(tail..).unwrap_or_default());
            format!("{head}… {left_out} more …,{tail}")
        }
        _ => value.to_owned(),
    }
}

/// So many characters of both ends, and what stands for the others.
fn cut(text: &str, head: usize, tail: usize, middle: &str) -> String {
    let count = text.chars().count();
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count.saturating_sub(tail)).collect();
    format!("{start}{middle}{end}")
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, abridged};

    #[test]
    fn short_sentences_stay() {
        for sentence in ["", "a layout is needed here; 4 is an integer", &"é".repeat(LONGEST)] {
            assert_eq!(abridged(sentence.to_owned()), sentence);
        }
    }

    #[test]
    fn long_values_keep_both_ends() {
        let numbers = (0..512).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        let said = abridged(format!("a layout is needed here; ({numbers}):(1,2) is a list (of numbers)"));
        assert!(
            said.starts_with("a layout is needed here; (0,1,2,")
                && said.ends_with("510,511):(1,2) is a list (of numbers)")
        );
        let left_out: usize =
            said.split("… ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap_or(0);
        let kept = said.split(":(1,2)").next().unwrap_or_default().matches(',').count();
        assert_eq!(left_out + kept, 512, "{said}");
    }

    #[test]
    fn every_sentence_is_bounded() {
        for long in [
            "(".repeat(9000),
            "9".repeat(9000),
            "é,".repeat(9000),
            "(1,2)".repeat(2000),
            format!("({})", "7".repeat(9000)),
        ] {
            let said = abridged(format!("{long} and {long}"));
            assert!(said.chars().count() <= LONGEST + 40, "{said}");
            assert!(said.contains('…'));
        }
    }
}
