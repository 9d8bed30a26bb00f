//! CuTe DSL: classes of instructions, by CuTe's names of them.
//!
//! | text | reads as |
//! |---|---|
//! | `warp.MmaF16BF16Op(Float16, Float32, (16,8,16))` | `SM80_16x8x16_F32F16F16F32_TN` |
//! | `warpgroup.MmaF16BF16Op(Float16, Float32, (64,128,16), OperandSource.SMEM, …)`, `MmaF8Op` | `SM90_64x128x16_F32F16F16_SS` |
//! | `tcgen05.MmaF16BF16Op(Float16, Float32, (128,256,16), CtaGroup.ONE, OperandSource.SMEM, …)`, `MmaTF32Op`, `MmaF8F6F4Op` | `SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>` |
//! | `tcgen05.Ld32x32bOp(Repetition.x16)`, `St16x64bOp` | `SM100_TMEM_LOAD_32dp32b16x` |
//!
//! A class of one name may be in several modules; how many arguments it has says which it is. In which order A and B are stored is left
//! out: their layouts do not depend on it.

use super::type_names;
use crate::notation::{Expr, ExprKind};

const OF_WARP: &[&str] = &["ab_dtype", "acc_dtype", "shape_mnk"];
const OF_GROUP: &[&str] = &["ab_dtype", "acc_dtype", "instruction_shape", "a_src", "a_major_mode", "b_major_mode"];
const OF_CTAS: &[&str] =
    &["ab_dtype", "acc_dtype", "instruction_shape", "cta_group", "a_src", "a_major_mode", "b_major_mode"];
const BYTES_OF_GROUP: &[&str] =
    &["a_dtype", "b_dtype", "acc_dtype", "instruction_shape", "a_src", "a_major_mode", "b_major_mode"];
const BYTES_OF_CTAS: &[&str] =
    &["a_dtype", "b_dtype", "acc_dtype", "instruction_shape", "cta_group", "a_src", "a_major_mode", "b_major_mode"];
const TF32: &[&str] = &["instruction_shape", "cta_group", "a_src", "a_major_mode", "b_major_mode"];
const LOADED: &[&str] = &["[repeat]", "[pack]"];
const STORED: &[&str] = &["repeat", "[unpack]"];

/// The parameters of a class of warp groups or of tensor memory, or of a class that warps have too, for a number of arguments.
pub(super) fn parameters(class: &str, count: usize) -> Option<&'static [&'static str]> {
    Some(match class {
        "MmaF16BF16Op" if count > 6 => OF_CTAS,
        "MmaF16BF16Op" if count > 3 => OF_GROUP,
        "MmaF16BF16Op" => OF_WARP,
        "MmaF8Op" => BYTES_OF_GROUP,
        "MmaF8F6F4Op" => BYTES_OF_CTAS,
        "MmaTF32Op" => TF32,
        _ if shape_of_paths(class, "Ld").is_some() => LOADED,
        _ if shape_of_paths(class, "St").is_some() => STORED,
        _ => return None,
    })
}

/// CuTe's name of an instruction of warp groups or of tensor memory; none where no instruction has these arguments.
pub(super) fn instruction(class: &str, given: &[Option<Expr>]) -> Option<String> {
    let word = |at: usize| given.get(at)?.as_ref().and_then(word_of);
    let memory = |at: usize, word_for_a: &str| match word(at)? {
        "SMEM" => Some("SS"),
        other if other == word_for_a => Some(if other == "TMEM" { "TS" } else { "RS" }),
        _ => None,
    };
    let group = |types: [usize; 3], shape: usize, source: usize, k: i64| {
        let [a, b, c] = types.map(|at| word(at).and_then(type_names::short));
        let [m, n, k] = extents(given.get(shape)?.as_ref()?, k)?;
        let fixed = if k == 16 { "" } else { "_TN" };
        Some(format!("SM90_{m}x{n}x{k}_{}{}{}_{}{fixed}", c?, a?, b?, memory(source, "RMEM")?))
    };
    let ctas = |family: &str, [a, b, c]: [&str; 3], shape: usize, k: i64| {
        let [m, n, _] = extents(given.get(shape)?.as_ref()?, k)?;
        let pair = match word(shape + 1)? {
            "ONE" => "",
            "TWO" => "_2x1SM",
            _ => return None,
        };
        Some(format!("SM100_MMA_{family}{pair}_{}<{a},{b},{c},{m},{n}>", memory(shape + 2, "TMEM")?))
    };
    let cpp = |at: usize| word(at).and_then(type_names::cpp);
    match (class, given.len()) {
        ("MmaF16BF16Op", 6) => group([0, 0, 1], 2, 3, 16),
        ("MmaF8Op", _) => group([0, 1, 2], 3, 4, 32),
        ("MmaF16BF16Op", _) => ctas("F16BF16", [cpp(0)?, cpp(0)?, cpp(1)?], 2, 16),
        ("MmaTF32Op", _) => ctas("TF32", ["tfloat32_t", "tfloat32_t", "float"], 0, 8),
        ("MmaF8F6F4Op", _) => ctas("F8F6F4", [cpp(0)?, cpp(1)?, cpp(2)?], 3, 32),
        _ => {
            let way = if class.starts_with("Ld") { "LOAD" } else { "STORE" };
            let (paths, bits) = shape_of_paths(class, class.get(..2)?)?;
            let count: usize = word(0).map_or(Some(1), |count| count.strip_prefix('x')?.parse().ok())?;
            let packed = match word(1) {
                None | Some("NONE") => "",
                Some("PACK_16b_IN_32b" | "UNPACK_32b_IN_16b") => "_16b",
                Some(_) => return None,
            };
            Some(format!("SM100_TMEM_{way}_{paths}dp{bits}b{count}x{packed}"))
        }
    }
}

/// The data paths and the bits of a class such as `Ld16x64bOp`.
fn shape_of_paths<'c>(class: &'c str, way: &str) -> Option<(&'c str, &'c str)> {
    let (paths, bits) = class.strip_prefix(way)?.strip_suffix("Op")?.split_once('x')?;
    let bits = bits.strip_suffix("x2").filter(|_| bits == "32bx2").unwrap_or(bits).strip_suffix('b')?;
    let is_known = matches!((paths, bits), ("16", "32" | "64" | "128" | "256") | ("32", "32"));
    is_known.then_some((paths, bits))
}

/// `(64, 128, 16)`, or without the last one.
fn extents(shape: &Expr, k: i64) -> Option<[i64; 3]> {
    let ExprKind::Tuple(entries) = &shape.kind else { return None };
    let number = |entry: &Expr| match entry.kind {
        ExprKind::Static(extent) => Some(extent),
        _ => None,
    };
    match entries.iter().map(number).collect::<Option<Vec<_>>>()?.as_slice() {
        [m, n] => Some([*m, *n, k]),
        [m, n, own] if *own == k => Some([*m, *n, k]),
        _ => None,
    }
}

/// A name that is an argument: `cutlass.Float16`, `True`.
pub(super) fn word_of(tree: &Expr) -> Option<&str> {
    match &tree.kind {
        ExprKind::Unknown { name: Some(name), .. } => Some(name),
        ExprKind::Name(name) | ExprKind::Quoted(name) => Some(&name.text),
        _ => None,
    }
}
