//! The values of [`SyntaxError::code`](crate::notation::SyntaxError::code). They do not change between versions.

/// Something else was expected at this place (`4::1`, `(,4)`, `4 $`).
pub const UNEXPECTED_TOKEN: &str = "unexpected-token";
/// The text ends where more is needed (`4:`, an empty text).
pub const UNEXPECTED_END: &str = "unexpected-end";
/// A bracket without its partner (`(2,3`, `2)`, `(2,3>`).
pub const UNBALANCED: &str = "unbalanced";
/// An integer outside -2^63 .. 2^63 - 1.
pub const INTEGER_TOO_LARGE: &str = "integer-too-large";
/// `_5`, the C++ spelling of a static integer, where plain ones are read.
pub const CPP_INTEGER: &str = "cpp-integer";
/// `Sw` without its three integers.
pub const BAD_SWIZZLE: &str = "bad-swizzle";
/// `{div=d}` with d below 1.
pub const BAD_DIVISIBILITY: &str = "bad-divisibility";
/// A lower-case word that is not a call (`coalesce` without its brackets).
pub const UNKNOWN_NAME: &str = "unknown-name";
/// A word where a type stands that is none (`F32[3]`, `int8[3]`).
pub const UNKNOWN_TYPE: &str = "unknown-type";
/// A number outside of what it may be (`f32[-3]`, `{0:T(-1)}`, `{0:L(0)}`).
pub const BAD_SIZE: &str = "bad-size";
/// Nesting deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
pub const TOO_DEEP: &str = "too-deep";
/// More leaves than [`MAX_LEAVES`](super::MAX_LEAVES).
pub const TOO_LONG: &str = "too-long";
