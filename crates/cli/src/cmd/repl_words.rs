//! How a line of the repl is cut into the arguments of a command.
//!
//! Law: joined with what separated them, the arguments are the line; expressions are never cut inside brackets or quotes.

/// The arguments of `:verb`, after the verb: options before and behind, as words; and between them one expression, or two
/// with a comma between them or each in quotes.
pub(super) fn arguments(rest: &str, expressions: usize) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut rest = rest.trim();
    while rest.starts_with("--") {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        arguments.push(word.to_owned());
        rest = after.trim_start();
    }
    let words = parts(rest, char::is_whitespace);
    let mut behind = words.iter().skip_while(|word| !word.starts_with("--"));
    let length = behind.clone().next().and_then(|word| rest.find(word));
    let between = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default().trim();
    let options = behind.by_ref().filter(|word| !word.is_empty()).map(|word| unquoted(word).to_owned());
    if expressions == 2 {
        let commas = parts(between, |c| c == ',');
        let two = if commas.len() == 2 { commas } else { parts(between, char::is_whitespace) };
        let two = two.iter().map(|part| unquoted(part.trim().trim_matches(',')).to_owned());
        arguments.extend(two.filter(|word| !word.is_empty()));
    } else if !between.is_empty() {
        arguments.push(between.to_owned());
    }
    arguments.extend(options);
    arguments
}

/// A text cut at what separates, outside of brackets and quotes.
fn parts(text: &str, separates: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{' | '<' | '（' | '［' | '｛' | '＜') => depth += 1,
            (None, ')' | ']' | '}' | '>' | '）' | '］' | '｝' | '＞') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && separates(c) => {
                parts.extend(text.get(start..at));
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..));
    parts
}

/// What stands in quotes around a whole word, as for a shell. Names in double quotes are part of the language.
fn unquoted(word: &str) -> &str {
    word.strip_prefix('\'')
        .and_then(|inner| inner.strip_suffix('\''))
        .filter(|inner| !inner.contains('\''))
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn arguments_are_not_cut_inside() {
        let cases: [(&str, usize, &[&str]); 10] = [
            ("(4,8):(8,1) , (8,4):(1,8)", 2, &["(4,8):(8,1)", "(8,4):(1,8)"]),
            ("4:1 + 7, Sw<3,4,3> o (8,64):(64,1)", 2, &["4:1 + 7", "Sw<3,4,3> o (8,64):(64,1)"]),
            ("'4:1' '8:1'", 2, &["4:1", "8:1"]),
            ("'4:1', '8:1'", 2, &["4:1", "8:1"]),
            ("--json 4:1, 8:1", 2, &["--json", "4:1", "8:1"]),
            (
                "a.npy b.npy --from '(4, 4):(4,1)' --to (4,4):(1,4)",
                2,
                &["a.npy", "b.npy", "--from", "(4, 4):(4,1)", "--to", "(4,4):(1,4)"],
            ),
            ("(4, 8):(8,1) o 4 --to cute", 1, &["(4, 8):(8,1) o 4", "--to", "cute"]),
            ("--plain (4, 8):(8, 1)", 1, &["--plain", "(4, 8):(8, 1)"]),
            ("f32[2,3]{1,0}, squeeze_ins(X, \"o\")", 2, &["f32[2,3]{1,0}", "squeeze_ins(X, \"o\")"]),
            ("", 2, &[]),
        ];
        for (rest, expressions, words) in cases {
            assert_eq!(arguments(rest, expressions), words, "{rest}");
        }
    }
}
