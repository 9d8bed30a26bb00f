//! [`Scanner`]: a text and the position up to which it has been read.
//!
//! It is the one place in a text of this crate: the readers and lexers of all grammars hold one and add their rules. Law: the part
//! that has been read and the rest make up the text.

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner<'t> {
    text: &'t str,
    /// How many bytes have been read.
    pub(crate) at: usize,
}

impl<'t> Scanner<'t> {
    /// The start of a text.
    pub(crate) fn new(text: &'t str) -> Self {
        Scanner { text, at: 0 }
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// What is left of the text.
    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Passes white space.
    pub(crate) fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Passes a token after white space; false where another text follows.
    pub(crate) fn take(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Passes the letters, digits and `_` that follow white space.
    pub(crate) fn word(&mut self) -> &'t str {
        self.space();
        self.run(is_word)
    }

    /// Passes the characters that `accept`, from here on.
    pub(crate) fn run(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let passed = rest.get(..run(rest, accept)).unwrap_or_default();
        self.at += passed.len();
        passed
    }
}

/// The letters, digits and `_` at the start of a text.
pub(crate) fn word(text: &str) -> &str {
    text.get(..run(text, is_word)).unwrap_or_default()
}

/// Whether a character may stand in a word: an ASCII letter, a digit or `_`.
pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// How many bytes at the start of a text are characters that `accept`.
pub(crate) fn run(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accept(c)).unwrap_or(text.len())
}
