//! [`Reader`]: a place in a text that another tool prints, and what is read from there.

use crate::error::{Code, Error};
use crate::text::{Scanner, Span, code, word};

/// What is left to read of a text. White space before anything that is read is skipped.
pub(super) struct Reader<'t> {
    scanner: Scanner<'t>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Reader { scanner: Scanner::new(text) }
    }

    /// What is left, without the white space before it.
    pub(super) fn rest(&mut self) -> &'t str {
        self.scanner.space();
        self.scanner.rest()
    }

    /// The next byte of the text that is not white space.
    pub(super) fn position(&mut self) -> usize {
        self.scanner.space();
        self.scanner.at
    }

    /// From `start` up to what was read last.
    pub(super) fn since(&self, start: usize) -> Span {
        Span::new(start, self.scanner.at.max(start))
    }

    pub(super) fn eat(&mut self, mark: &str) -> bool {
        self.scanner.take(mark)
    }

    /// Steps over a whole word.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let start = self.position();
        let found = self.word() == word;
        if !found {
            self.scanner.at = start;
        }
        found
    }

    pub(super) fn require(&mut self, mark: &str) -> Result<(), Error> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    /// The characters from here on that belong to a word: letters, digits and `_`; none is an empty word.
    pub(super) fn word(&mut self) -> &'t str {
        self.scanner.word()
    }

    /// The characters from here on that `accept`.
    pub(super) fn run(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        self.scanner.space();
        self.scanner.run(accept)
    }

    /// A whole number, with a minus sign where it is below 0.
    pub(super) fn number(&mut self, what: &str) -> Result<i64, Error> {
        let start = self.position();
        let minus = self.eat("-");
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

    /// Entries with commas between them, up to and with `close`; the opening bracket has been read.
    pub(super) fn list<T>(
        &mut self,
        close: &str,
        mut entry: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut entries = Vec::new();
        while !self.eat(close) {
            if !entries.is_empty() {
                self.require_either(",", close)?;
            }
            entries.push(entry(self)?);
        }
        Ok(entries)
    }

    fn require_either(&mut self, mark: &str, other: &str) -> Result<(), Error> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}` or `{other}`"))) }
    }

    /// Nothing but white space may be left.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("the end of the text")) }
    }

    /// Something else than `what` stands here.
    pub(super) fn expected(&mut self, what: &str) -> Error {
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
