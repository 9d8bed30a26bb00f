//! Which words are types of elements, as XLA names them.

/// Whether XLA calls an element type so, in upper or lower case.
pub(super) fn is_xla_type(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    // Names of types that others use too: the reader of shapes says what XLA writes for them.
    let stems = ["bfloat", "bf", "float", "f", "uint", "u", "int", "i", "s", "complex", "c"];
    let sized = stems.iter().find_map(|stem| word.strip_prefix(stem));
    let has_size = sized.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    has_size || matches!(word.as_str(), "pred" | "bool" | "token" | "opaque")
}
