//! A [`Span`]: which bytes of the text something was read from.

/// The half-open byte range `start..end` of the text that was parsed.
///
/// Both ends lie on character boundaries of that text. A tree that was built
/// rather than parsed carries the empty span `0..0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just past the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The smallest span that covers both.
    ///
    /// ```
    /// use bitstride::notation::Span;
    /// assert_eq!(Span::new(4, 6).join(Span::new(0, 1)), Span::new(0, 6));
    /// ```
    pub fn join(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The bytes of `text` that this span covers; empty when `text` is not the
    /// text it was taken from and has no such range.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}
