//! How many bits an element has, by the name of its type: a stem that says what it is, then the number, `f16`, `Float8E4M3FN`,
//! `float8e5`. Each system has stems of its own. The names of C++ are words, in a table beside their reader.

/// Of classes of CuTe DSL: `Float16`, `TFloat32`.
pub(super) const DSL: &[&str] = &["TFloat", "BFloat", "Float", "Uint", "Int"];

/// Of types of MLIR: `f16`, `ui8`. The 32-bit type that keeps 19 of its bits is stored in 32.
pub(super) const MLIR: &[&str] = &["bf", "tf", "f", "i", "u", "ui", "si", "c"];

/// Of types of Triton: `float16`, `uint8`.
pub(super) const TRITON: &[&str] = &["float", "bfloat", "int", "uint", "fp", "bf"];

/// The number behind one of the stems, above 0.
pub(super) fn bits(name: &str, stems: &[&str]) -> Option<i64> {
    let (stem, rest) = name.split_at_checked(name.find(|c: char| c.is_ascii_digit())?)?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|bits| *bits > 0 && stems.contains(&stem))
}
