//! [`Reader`]: a place in a text that another tool prints, and what every grammar reads from there: marks, words, numbers, lists.
//!
//! Law: what is not what it has to be is an error with its place.

use crate::error::{Code, Error};
use crate::text::{MAX_LEAVES, Scanner, Span, code, word};

/// What is left to read of a text. White space before anything that is read is skipped.
pub(crate) struct Reader<'t> {
    pub(crate) scanner: Scanner<'t>,
    /// How many more numbers and names it may have.
    leaves: usize,
}

impl<'t> Reader<'t> {
    /// The start of a text.
    pub(crate) fn new(text: &'t str) -> Self {
        Reader { scanner: Scanner::new(text), leaves: usize::MAX }
    }

    /// The start of a text that has at most [`MAX_LEAVES`] numbers and names.
    pub(crate) fn limited(text: &'t str) -> Self {
        Reader { leaves: MAX_LEAVES, ..Reader::new(text) }
    }

    /// Counts a number or a name against the limit of a text.
    pub(crate) fn leaf(&mut self) -> Result<(), Error> {
        self.leaves = self.leaves.checked_sub(1).ok_or_else(|| {
            error!(
                Code::Syntax(code::TOO_LONG),
                "a text has at most {max_leaves} numbers and names, this is one more",
                [max_leaves = MAX_LEAVES]
            )
        })?;
        Ok(())
    }

    /// What is left, without the white space before it.
    pub(crate) fn rest(&mut self) -> &'t str {
        self.scanner.space();
        self.scanner.rest()
    }

    /// The next byte of the text that is not white space.
    pub(crate) fn position(&mut self) -> usize {
        self.scanner.space();
        self.scanner.at
    }

    /// From `start` up to what was read last.
    pub(crate) fn since(&self, start: usize) -> Span {
        Span::new(start, self.scanner.at.max(start))
    }

    /// Passes a mark; false where another text follows.
    pub(crate) fn take(&mut self, mark: &str) -> bool {
        self.scanner.take(mark)
    }

    /// Whether a mark follows.
    pub(crate) fn at(&mut self, mark: &str) -> bool {
        self.rest().starts_with(mark)
    }

    /// Passes a whole word.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let start = self.position();
        let found = self.word() == word;
        if !found {
            self.scanner.at = start;
        }
        found
    }

    /// Passes a mark that must follow.
    pub(crate) fn need(&mut self, mark: &str) -> Result<(), Error> {
        if self.take(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    /// The characters from here on that belong to a word: letters, digits and `_`; none is an empty word.
    pub(crate) fn word(&mut self) -> &'t str {
        self.scanner.word()
    }

    /// The characters from here on that `accept`.
    pub(crate) fn run(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        self.scanner.space();
        self.scanner.run(accept)
    }

    /// A whole number, with a minus sign where it is below 0.
    pub(crate) fn integer(&mut self, what: &str) -> Result<i64, Error> {
        self.leaf()?;
        let start = self.position();
        let minus = self.take("-");
        let digits = self.run(|c| c.is_ascii_digit());
        if digits.is_empty() {
            self.scanner.at = start;
            return Err(self.expected(what));
        }
        let value = digits.parse::<u64>().ok().and_then(|magnitude| match minus {
            true => 0_i64.checked_sub_unsigned(magnitude),
            false => i64::try_from(magnitude).ok(),
        });
        value.ok_or_else(|| {
            error!(
                Code::Syntax(code::INTEGER_TOO_LARGE),
                "{what} is out of range: integers run from {least} to {most}",
                [what, least = i64::MIN, most = i64::MAX]
            )
            .with_span(self.since(start))
        })
    }

    /// What `entry` reads, with commas between, up to and with `close`; the opening bracket has been read.
    pub(crate) fn list<T>(
        &mut self,
        close: &str,
        mut entry: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut entries = Vec::new();
        while !self.take(close) {
            if !entries.is_empty() && !self.take(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
            entries.push(entry(self)?);
        }
        Ok(entries)
    }

    /// Nothing but white space may be left.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("the end of the text")) }
    }

    /// Something else than `what` stands here.
    pub(crate) fn expected(&mut self, what: &str) -> Error {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return error!(Code::Syntax(code::UNEXPECTED_END), "expected {what}, found the end of the text", [what])
                .with_span(Span::new(self.scanner.at, self.scanner.at));
        };
        let length = word(rest).len().clamp(first.len_utf8(), first.len_utf8().max(LONGEST));
        let found = rest.get(..length).unwrap_or_default();
        let end = self.scanner.at.saturating_add(found.len());
        error!(
            Code::Syntax(code::UNEXPECTED_TOKEN),
            "expected {what}, found `{escape_debug}`",
            [what, escape_debug = found.escape_debug()]
        )
        .with_span(Span::new(self.scanner.at, end))
    }
}

/// How much of a word a message repeats; words are ASCII, so that any length of them is a text.
const LONGEST: usize = 24;
