//! Names of the types of elements. How many bits one has is the number behind a stem that says what it is, `f16`, `Float8E4M3FN`,
//! `float8e5`; each system has stems of its own, and C++ words, in a table beside their reader. What MLIR and CuTe DSL name is named
//! otherwise by CuTe C++, and shorter in its names of instructions.

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

/// Types in MLIR, in CuTe DSL, in CuTe's names of instructions, and in C++.
const ELEMENTS: [[&str; 4]; 13] = [
    ["f16", "Float16", "F16", "half_t"],
    ["bf16", "BFloat16", "BF16", "bfloat16_t"],
    ["f32", "Float32", "F32", "float"],
    ["f64", "Float64", "F64", "double"],
    ["tf32", "TFloat32", "TF32", "tfloat32_t"],
    ["f8E4M3FN", "Float8E4M3FN", "E4M3", "float_e4m3_t"],
    ["f8E5M2", "Float8E5M2", "E5M2", "float_e5m2_t"],
    ["f6E3M2FN", "Float6E3M2FN", "E3M2", "float_e3m2_t"],
    ["f6E2M3FN", "Float6E2M3FN", "E2M3", "float_e2m3_t"],
    ["f4E2M1FN", "Float4E2M1FN", "E2M1", "float_e2m1_t"],
    ["si8", "Int8", "S8", "int8_t"],
    ["ui8", "Uint8", "U8", "uint8_t"],
    ["si32", "Int32", "S32", "int32_t"],
];

/// A type of MLIR or CuTe DSL in CuTe's names of instructions.
pub(super) fn short(name: &str) -> Option<&'static str> {
    named(name).map(|[_, _, short, _]| short)
}

/// A type of MLIR or CuTe DSL in C++.
pub(super) fn cpp(name: &str) -> Option<&'static str> {
    named(name).map(|[.., cpp]| cpp)
}

fn named(name: &str) -> Option<[&'static str; 4]> {
    ELEMENTS.into_iter().find(|[mlir, dsl, ..]| name == *mlir || name == *dsl)
}
