//! [`Name`]: a word and where it stands.

use super::Span;
use super::compared::compared_by;

/// The name of a called operation, a dim, an attribute or a field, and where it stands. Equality ignores the span.
#[derive(Debug, Clone)]
pub struct Name {
    /// An ASCII letter, then letters, digits or `_`; dots too in the name of an attribute.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

compared_by!(Name: text);

impl From<&str> for Name {
    /// A name that was built, not read: its span is empty.
    fn from(text: &str) -> Self {
        Name { text: text.to_owned(), span: Span::default() }
    }
}
