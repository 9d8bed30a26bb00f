//! stub
/// Byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span { /// start
 pub start: usize, /// end
 pub end: usize }
