//! AMD's matrix instructions: MFMA of GFX9, of a wave of 64 threads, and WMMA of GFX11, GFX12 and GFX1250, of 32.
//!
//! CuTe has no names for them; here they are called as its own are, `GFX9_MFMA_32x32x8_F32F16F16F32`: generation, extents, types of
//! the result, A, B and C, and `SCALE` before the extents where blocks of 32 elements have a scale. MFMA of 4 x 64 and 64 x 4 is as
//! Triton takes it: 16 instructions of 4 x 4 blocks, of which each broadcasts another block of the short operand. The layouts follow
//! from the extents:
//!
//! * threads lie along the rows of A, 16 of WMMA and as many as there are in MFMA, and the others go on along K; a thread has a run of
//!   neighbours along K, further runs where a step of all threads ends, and then further rows;
//! * of C, threads lie along N first; a thread has 4 neighbours along M in MFMA, 8 in WMMA, every other row in GFX11.
//!
//! Law: they are what Triton's encodings `amd_mfma`, `amd_wmma` and `dot_op` say of one instruction, with the `kWidth` that it takes.

use super::atom::{MmaAtom, layout, types, values};
use super::layout::Layout;
use crate::error::Error;

/// MFMA of as many rows as columns, by the bits of A and C, and by how many bits of A a thread has.
const MFMA_BITS: [(&str, &[i64]); 10] = [
    ("F32F16F16F32", &[64, 128]),
    ("F32BF16BF16F32", &[32, 64, 128]),
    ("F32F32F32F32", &[32]),
    ("F32TF32TF32F32", &[64]),
    ("F64F64F64F64", &[64]),
    ("S32S8S8S32", &[32, 64, 128]),
    ("F32E4M3E4M3F32", &[64]),
    ("F32E5M2E5M2F32", &[64]),
    ("F32E4M3E5M2F32", &[64]),
    ("F32E5M2E4M3F32", &[64]),
];

/// MFMA of 4 x 64 and 64 x 4, with K.
const NARROW_MFMA: [(&str, i64); 4] =
    [("F32F16F16F32", 64), ("F32BF16BF16F32", 64), ("F32F32F32F32", 16), ("S32S8S8S32", 64)];

/// The types of A and B that have scales, with the bits in which they are stored.
const SCALED: [(&str, i64); 5] = [("E4M3", 8), ("E5M2", 8), ("E2M3", 6), ("E3M2", 6), ("E2M1", 4)];

/// The generations of WMMA, with K and the types of their instructions of 16 rows and columns.
const WMMA: [(&str, &[i64], &[&str]); 6] = [
    (
        "GFX11",
        &[16],
        &[
            "F32F16F16F32",
            "F32BF16BF16F32",
            "F16F16F16F16",
            "BF16BF16BF16BF16",
            "S32S8S8S32",
            "S32U8U8S32",
            "S32S4S4S32",
            "S32U4U4S32",
        ],
    ),
    (
        "GFX12",
        &[16],
        &[
            "F32F16F16F32",
            "F32BF16BF16F32",
            "F16F16F16F16",
            "BF16BF16BF16BF16",
            "S32S8S8S32",
            "S32U8U8S32",
            "F32E4M3E4M3F32",
            "F32E5M2E5M2F32",
            "F32E4M3E5M2F32",
            "F32E5M2E4M3F32",
        ],
    ),
    ("GFX12", &[16, 32], &["S32S4S4S32", "S32U4U4S32"]),
    ("GFX1250", &[4], &["F32F32F32F32"]),
    ("GFX1250", &[32], &["F32F16F16F32", "F32BF16BF16F32"]),
    ("GFX1250", &[64], &["S32S8S8S32", "S32U8U8S32"]),
];

/// K of the instructions of GFX1250 that multiply floats of 8 bits, and their types.
const WMMA_OF_BYTES: (&[i64], [&str; 4]) =
    (&[64, 128], ["F32E4M3E4M3F32", "F32E5M2E5M2F32", "F32E4M3E5M2F32", "F32E5M2E4M3F32"]);

/// The rows of a WMMA instruction that its threads lie along.
const WMMA_ROWS: i64 = 16;

/// The elements along K that a thread has side by side of an operand with scales: a whole block of 32 of those of 4 and 6 bits, and half of
/// one of those of 8. A and B of different types meet at the same K, so that these runs are the instruction's, not a choice of kernels
/// (`NumAccess` of ROCm's Composable Kernel, `ck_tile/core/arch/mma/scale/mfma/scale_gfx9.hpp` and `wmma/scale_gfx125.hpp`, 2026).
const fn scaled_run(bits: i64) -> i64 {
    if bits == 8 { 16 } else { 32 }
}

/// The pattern of each family's names and the numbers that K can be.
pub(super) fn amd_families() -> Vec<(String, Vec<i64>)> {
    let mut all = Vec::new();
    for (types_text, of_thread) in MFMA_BITS {
        let bits = types(types_text).and_then(|bits| bits.get(1).copied()).unwrap_or(1);
        for rows in [32, 16] {
            let depths: Vec<i64> = of_thread.iter().map(|of_thread| of_thread / bits * (64 / rows)).collect();
            if bits < 64 || rows == 16 {
                all.push((format!("GFX9_MFMA_{rows}x{rows}x{{}}_{types_text}"), depths));
            }
        }
    }
    for (types_text, depth) in NARROW_MFMA {
        for extents in ["4x64", "64x4"] {
            all.push((format!("GFX9_MFMA_{extents}x{{}}_{types_text}"), vec![depth]));
        }
    }
    for (generation, depths, kinds) in WMMA.into_iter().chain([("GFX1250", WMMA_OF_BYTES.0, &WMMA_OF_BYTES.1[..])]) {
        for kind in kinds {
            all.push((format!("{generation}_WMMA_16x16x{{}}_{kind}"), depths.to_vec()));
        }
    }
    for ((a, _), (b, _)) in SCALED.iter().flat_map(|a| SCALED.iter().map(move |b| (a, b))) {
        for (family, depth) in
            [("GFX9_MFMA_SCALE_32x32", 64), ("GFX9_MFMA_SCALE_16x16", 128), ("GFX1250_WMMA_SCALE_16x16", 128)]
        {
            all.push((format!("{family}x{{}}_F32{a}{b}F32"), vec![depth]));
        }
    }
    all.push(("GFX1250_WMMA_SCALE_32x16x{}_F32E2M1E2M1F32".to_owned(), vec![128]));
    all
}

/// The instruction of a name, of which these are the parts between `_`; none where there is none.
pub(super) fn amd(parts: &[&str], shape: [i64; 3]) -> Option<Result<MmaAtom, Error>> {
    let name = parts.join("_");
    let open = |extent: i64| name.replacen(&format!("x{extent}_"), "x{}_", 1);
    let [m, n, k] = shape;
    let is_known = amd_families().iter().any(|(pattern, depths)| *pattern == open(k) && depths.contains(&k));
    let ([generation, kind, .., types_text], true) = (parts, is_known) else { return None };
    let is_scaled = parts.contains(&"SCALE");
    let [_, a, b, c] = types(types_text)?[..] else { return None };
    // In a scaled instruction types are stored in their own bits.
    let stored = |of: &str, bits: i64| match SCALED.iter().find(|(scaled, _)| *scaled == of) {
        Some((_, bits)) if is_scaled => *bits,
        _ => bits,
    };
    let names = types_text.strip_prefix("F32").unwrap_or_default();
    let bits = [stored(names.get(..4).unwrap_or_default(), a), stored(names.get(4..8).unwrap_or_default(), b), c];
    Some(match *kind {
        "MFMA" => {
            let of_k = |extent: i64, bits: i64| match is_scaled {
                true => Operand { lanes: 64, across: extent, extent, k, run: scaled_run(bits) },
                // Of 4 rows and of 64 columns a thread has as long a run.
                false => Operand { lanes: 64, across: extent, extent, k, run: k * m.min(n) / 64 },
            };
            let c = match (m, n, bits[2]) {
                (4, ..) => "(64,4):(4,1)",
                (_, 4, _) => "(64,4):(1,64)",
                (16, _, 64) => "((16,4),4):((16,1),4)",
                (16, ..) => "((16,4),4):((16,4),1)",
                _ => "((32,2),(4,4)):((32,4),(1,8))",
            };
            instruction(shape, bits, 64, [of_k(m, bits[0]).layout(), of_k(n, bits[1]).layout()], c)
        }
        _ => {
            let of_k = |extent: i64, bits: i64| {
                let run = match (*generation, bits) {
                    _ if is_scaled => scaled_run(bits),
                    ("GFX1250", 32) => 2,
                    ("GFX12", _) => k / 2,
                    _ => 8,
                };
                Operand { lanes: 32, across: WMMA_ROWS, extent, k, run }
            };
            let (operands, c) = match (*generation, m) {
                // Both halves of a wave have the whole of K.
                ("GFX11", _) => {
                    let both = || layout("((16,2),16):((1,0),16)");
                    ([both(), both()], "((16,2),8):((16,1),2)")
                }
                (_, 32) => ([of_k(m, bits[0]).layout(), of_k(n, bits[1]).layout()], "((16,2),(8,2)):((32,8),(1,16))"),
                _ => ([of_k(m, bits[0]).layout(), of_k(n, bits[1]).layout()], "((16,2),8):((16,8),1)"),
            };
            instruction(shape, bits, 32, operands, c)
        }
    })
}

/// An operand of `extent` rows (of columns for B) and depth `k`: `across` of the `lanes` lie along the rows, and a lane holds runs of
/// `run` elements along K.
struct Operand {
    lanes: i64,
    across: i64,
    extent: i64,
    k: i64,
    run: i64,
}

impl Operand {
    /// From lanes and values to rows and K, column-major.
    fn layout(&self) -> Result<Layout, Error> {
        let Operand { lanes, across, extent, k, run } = *self;
        let groups = lanes / across;
        let step = run * groups;
        let runs = [(run, extent), (k / step, step * extent), (extent / across, across)];
        // Without lanes along K all of it is one run.
        let (value, stride) = match groups {
            1 => values(&[(k, extent)], false),
            _ => values(&runs, false),
        };
        match groups {
            1 => layout(&format!("({across},{value}):(1,{stride})")),
            _ => layout(&format!("(({across},{groups}),{value}):((1,{}),{stride})", run * extent)),
        }
    }
}

fn instruction(
    shape: [i64; 3],
    bits: [i64; 3],
    threads: i64,
    [a, b]: [Result<Layout, Error>; 2],
    c: &str,
) -> Result<MmaAtom, Error> {
    Ok(MmaAtom {
        shape,
        bits,
        threads: layout(&format!("{threads}:1"))?,
        a: a?,
        b: b?,
        c: layout(c)?,
        metadata: None,
        scales: None,
    })
}
