//! A command line, read as a shell reads it, as far as cases use one.
//!
//! Words may be quoted. A line has one or more steps between `;` or `&&`: `printf TEXT > FILE`, `bitstride …` or
//! `triton-tensor-layout …`. The words `and then` end the line; a sentence may follow. Any other text is a sentence.

/// One step of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Writes a text to a file.
    Print { text: String, file: String },
    /// Runs a program with its arguments; the first one is the name of the program.
    Run { program: Program, words: Vec<String> },
}

/// The programs of the command-line crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Bitstride,
    TensorLayout,
}

/// A word of a line, or what ends a step.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    End,
}

/// The steps of a line, or none where it is a sentence.
pub(crate) fn steps(line: &str) -> Option<Vec<Step>> {
    let tokens = tokens(line)?;
    tokens.split(|token| *token == Token::End).filter(|step| !step.is_empty()).map(step).collect()
}

fn step(tokens: &[Token]) -> Option<Step> {
    let words: Vec<&str> = tokens.iter().filter_map(Token::word).collect();
    let owned = || words.iter().map(|word| (*word).to_owned()).collect();
    match words.as_slice() {
        ["printf", text, ">", file] => Some(Step::Print { text: printed(text), file: (*file).to_owned() }),
        ["bitstride", ..] => Some(Step::Run { program: Program::Bitstride, words: owned() }),
        ["triton-tensor-layout", ..] => Some(Step::Run { program: Program::TensorLayout, words: owned() }),
        _ => None,
    }
}

impl Token {
    fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            Token::End => None,
        }
    }
}

/// The tokens of a line up to `and then`; none where a quote is left open.
fn tokens(line: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        closing if closing == character => break,
                        inside => word.push(inside),
                    }
                }
            }
            ';' => {
                tokens.extend(word.take().map(Token::Word));
                tokens.push(Token::End);
            }
            blank if blank.is_whitespace() => tokens.extend(word.take().map(Token::Word)),
            other => word.get_or_insert_default().push(other),
        }
    }
    tokens.extend(word.map(Token::Word));
    let words = |pair: &[Token]| pair.iter().filter_map(Token::word).map(str::to_owned).collect::<Vec<_>>();
    if let Some(end) = tokens
        .windows(2)
        .position(|pair| matches!(words(pair).as_slice(), [and, then] if and == "and" && then.starts_with("then")))
    {
        tokens.truncate(end);
    }
    for token in &mut tokens {
        if token.word() == Some("&&") {
            *token = Token::End;
        }
    }
    Some(tokens)
}

/// What `printf` prints for a format without operands.
fn printed(format: &str) -> String {
    let mut out = String::new();
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('\\')) => out.push('\\'),
            ('%', Some('%')) => out.push('%'),
            _ => {
                out.push(character);
                continue;
            }
        }
        characters.next();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str]) -> Step {
        Step::Run { program: Program::Bitstride, words: words.iter().map(|word| (*word).to_owned()).collect() }
    }

    #[test]
    fn quotes_group_words() {
        assert_eq!(steps("bitstride same 'a b' \"c;d\""), Some(vec![run(&["bitstride", "same", "a b", "c;d"])]));
        assert_eq!(steps("bitstride 'open"), None);
    }

    #[test]
    fn a_sentence_after_and_then_is_no_argument() {
        assert_eq!(
            steps("bitstride fit 'i<3: i' and then: is it one?"),
            Some(vec![run(&["bitstride", "fit", "i<3: i"])])
        );
        assert_eq!(steps("TMA legality of a box"), None);
        assert_eq!(steps("bitstride size; then more"), None);
    }

    #[test]
    fn files_are_printed_first() {
        let print = Step::Print { text: "%0 = x\n".into(), file: "a.ttgir".into() };
        let both = Some(vec![print, run(&["bitstride", "a.ttgir"])]);
        assert_eq!(steps("printf '%%0 = x\\n' > a.ttgir; bitstride a.ttgir"), both);
        assert_eq!(steps("printf '%%0 = x\\n' > a.ttgir && bitstride a.ttgir"), both);
    }
}
