//! [`Scanner`]: a text and the position up to which it has been read.
//!
//! Law: the part that has been read and the rest make up the text.

/// A place in a text.
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
        let word = word(self.rest());
        self.at += word.len();
        word
    }
}

/// The letters, digits and `_` at the start of a text.
pub(crate) fn word(text: &str) -> &str {
    let length = text.len() - text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
    text.get(..length).unwrap_or_default()
}
