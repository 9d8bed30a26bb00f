//! What is checked of an answer: read from a case's `expect`, or listed for the case in `testdata/cases_expect.txt`.
//!
//! `expect` is prose that begins with the answer. These rules find it; where none applies, nothing is checked:
//!
//! | `expect` begins with | checked |
//! |---|---|
//! | `true`, `false`, `same`, `different` | the answer |
//! | `refused`, `refused (CODE)` | a refusal of a question that was understood, and its code |
//! | `parses`, `read` | there is an answer |
//! | an expression, perhaps after `offset` | the answer has the same value |
//!
//! An expression ends at the end of the text or before an explanation: `;`, `:`, `=`, a bracket after a blank, or a
//! comma before a word. The longest text that the calculator reads is the answer. `with the note` asks for a note.
//!
//! A line of the list is `ID CHECK`, or `ID CHECK || CHECK` where one of several answers is right. The lines of a case
//! replace the rules, and all must hold.
//!
//! | CHECK | holds when |
//! |---|---|
//! | `VALUE` | the answer has this value |
//! | `refused`, `refused CODE` | the question was understood and refused |
//! | `parses` | there is an answer |
//! | `note TEXT`, `note` | a note contains this text; there is a note |
//! | `text TEXT` | the answer, its notes or its errors contain this text, blanks aside |
//! | `exit N` | the command line ends with this code |
//! | `EXPRESSION => CHECK` | the calculator's answer to this expression passes; `$` stands for the answer of the case |

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use bitstride_lang::evaluate;

/// The list below the checkout.
const PATH: &str = "testdata/cases_expect.txt";

/// One property of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Value(String),
    Refused(Option<String>),
    Parses,
    Note(String),
    Text(String),
    Exit(u8),
    Of { expression: String, check: Box<Check> },
}

/// Checks of which one has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnyOf(pub(crate) Vec<Check>);

impl Check {
    /// Reads a check of the list.
    fn read(text: &str) -> Result<Check, String> {
        let text = text.trim();
        if let Some((expression, check)) = text.split_once(" => ") {
            return Ok(Check::Of { expression: expression.trim().to_owned(), check: Box::new(Check::read(check)?) });
        }
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest = rest.trim().to_owned();
        Ok(match word {
            "" => return Err("an empty check".to_owned()),
            "refused" => Check::Refused((!rest.is_empty()).then_some(rest)),
            "parses" => Check::Parses,
            "note" => Check::Note(rest),
            "text" if rest.is_empty() => return Err("text needs a text".to_owned()),
            "text" => Check::Text(rest),
            "exit" => Check::Exit(rest.parse().map_err(|_| format!("{rest} is no exit code"))?),
            _ => Check::Value(text.to_owned()),
        })
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Check::Value(value) => f.write_str(value),
            Check::Refused(None) => f.write_str("refused"),
            Check::Refused(Some(code)) => write!(f, "refused {code}"),
            Check::Parses => f.write_str("parses"),
            Check::Note(text) => write!(f, "note {text}"),
            Check::Text(text) => write!(f, "text {text}"),
            Check::Exit(code) => write!(f, "exit {code}"),
            Check::Of { expression, check } => write!(f, "{expression} => {check}"),
        }
    }
}

impl AnyOf {
    fn read(text: &str) -> Result<AnyOf, String> {
        text.split(" || ").map(Check::read).collect::<Result<_, _>>().map(AnyOf)
    }

    fn one(check: Check) -> AnyOf {
        AnyOf(vec![check])
    }
}

impl fmt::Display for AnyOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks: Vec<String> = self.0.iter().map(Check::to_string).collect();
        f.write_str(&checks.join(" || "))
    }
}

/// The checks that the rules find in prose; none where no rule applies.
pub(crate) fn of_prose(expect: &str) -> Vec<AnyOf> {
    let expect = expect.trim();
    let word_end = expect.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(expect.len());
    let (word, rest) = expect.split_at(word_end);
    let check = match word {
        "true" | "false" | "same" | "different" => Check::Value(word.to_owned()),
        "refused" => Check::Refused(code_in_brackets(rest)),
        "parses" | "read" => Check::Parses,
        _ => match value_before_explanation(expect.strip_prefix("offset ").unwrap_or(expect)) {
            Some(value) => Check::Value(value.to_owned()),
            None => return Vec::new(),
        },
    };
    let mut checks = vec![AnyOf::one(check)];
    if expect.contains("with the note") {
        checks.push(AnyOf::one(Check::Note(String::new())));
    }
    checks
}

/// `split` of ` (split), as …`; brackets around several words explain.
fn code_in_brackets(text: &str) -> Option<String> {
    let (code, _) = text.strip_prefix(" (")?.split_once(')')?;
    let is_code = !code.is_empty() && code.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    is_code.then(|| code.to_owned())
}

/// The longest beginning that the calculator reads and that an explanation follows.
fn value_before_explanation(text: &str) -> Option<&str> {
    let begins_explanation = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let word_after_comma =
            rest.strip_prefix(", ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
        rest.is_empty()
            || word_after_comma
            || [";", ": ", " : ", " (", " = ", " with "].iter().any(|mark| rest.starts_with(mark))
    };
    // A lone word would be the name of an unknown.
    let is_value = |text: &str| text.contains(|c: char| "0123456789<({[".contains(c)) && evaluate(text).is_ok();
    let ends = (0..=text.len()).rev().filter(|at| begins_explanation(*at));
    ends.filter_map(|end| text.get(..end)).map(str::trim).find(|text| is_value(text))
}

/// The listed checks, by the id of their case.
pub(crate) fn listed(root: &Path) -> Result<BTreeMap<String, Vec<AnyOf>>, String> {
    let path = root.join(PATH);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    read_list(&text).map_err(|error| format!("{PATH}: {error}"))
}

fn read_list(text: &str) -> Result<BTreeMap<String, Vec<AnyOf>>, String> {
    let mut list: BTreeMap<String, Vec<AnyOf>> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        // An encoding begins with `#` too, so that a comment has a line of its own.
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let in_line = |error: String| format!("line {}: {error}", number + 1);
        let (id, checks) = line.split_once(' ').ok_or_else(|| in_line("an id without a check".to_owned()))?;
        list.entry(id.to_owned()).or_default().push(AnyOf::read(checks).map_err(in_line)?);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(checks: &[AnyOf]) -> Vec<String> {
        checks.iter().map(AnyOf::to_string).collect()
    }

    #[test]
    fn rules_find_the_answer_at_the_beginning() {
        for (expect, wanted) in [
            ("((4,8),12):((1,4),32) (12 tiles, not 11)", "((4,8),12):((1,4),32)"),
            ("(65536,128):(128,1); law R(L(i)) = i", "(65536,128):(128,1)"),
            ("Sw<4,0,4> o 17 o ((8,2)):((128,8)): the offset stays", "Sw<4,0,4> o 17 o ((8,2)):((128,8))"),
            ("(4,8):(512,4) + 2145", "(4,8):(512,4) + 2145"),
            ("(6,2): 6 neighbours, widest 2", "(6,2)"),
            ("((4,2),8):((16,8),1), the table 0,16", "((4,2),8):((16,8),1)"),
            ("linear<{}, out=[]> : nothing moves", "linear<{}, out=[]>"),
            ("offset 2149 = 1*2048 + 3*32 + 5: of a buffer", "2149"),
            ("8773", "8773"),
            ("true (a permutation); its inverse is other", "true"),
            ("same: read row by row", "same"),
            ("refused (split), as with 128", "refused split"),
            ("refused: not nested alike", "refused"),
            ("refused (no such layout)", "refused"),
            ("parses; is the same as another", "parses"),
        ] {
            assert_eq!(shown(&of_prose(expect)), [wanted], "{expect}");
        }
        assert_eq!(shown(&of_prose("(4,8):(1,10) with the note that it extends")), ["(4,8):(1,10)", "note "]);
    }

    #[test]
    fn prose_is_not_guessed() {
        for expect in [
            "1, 4, 8 and 1 wavefronts",
            "32 ways, one bank; the row 1 way",
            "no: place 4 holds another",
            "M is unknown",
            "4096 + 256 places, 17408 bytes",
            "",
        ] {
            assert_eq!(of_prose(expect), [], "{expect}");
        }
    }

    #[test]
    fn lists_read_and_print_alike() {
        let text = "# comment\nA 4:1 || refused not-divisible\nA size(4:1) => note of it\nB exit 1\n\nB text #a, b\n";
        let list = read_list(text).unwrap_or_default();
        let lines: Vec<String> =
            list.iter().flat_map(|(id, checks)| checks.iter().map(move |check| format!("{id} {check}"))).collect();
        let wanted = ["A 4:1 || refused not-divisible", "A size(4:1) => note of it", "B exit 1", "B text #a, b"];
        assert_eq!(lines, wanted);
        assert_eq!(read_list("A exit x"), Err("line 1: x is no exit code".into()));
        assert_eq!(read_list("A"), Err("line 1: an id without a check".into()));
    }
}
