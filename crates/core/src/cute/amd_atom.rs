//! AMD's matrix instructions: MFMA of GFX9, of a wave of 64 threads, and WMMA of GFX11, GFX12 and GFX1250, of 32.
//!
//! CuTe has no names for them; here they are called as its own are, `GFX9_MFMA_32x32x8_F32F16F16F32`: generation, extents, types of
//! the result, A, B and C. The layouts follow from the extents:
//!
//! * as many threads as A has rows lie along them, and the others go on along K; a thread has neighbours along K;
//! * of C, threads lie along N first; a thread has 4 neighbours along M in MFMA, 8 in WMMA, every other row in GFX11.
//!
//! Law: they are what Triton's encodings `amd_mfma`, `amd_wmma` and `dot_op` say of one instruction.

use super::atom::{MmaAtom, layout, types, values};
use crate::error::Error;

/// MFMA by the bits of A and C, and by how many bits of A a thread has.
const MFMA_BITS: [(&str, &[i64]); 8] = [
    ("F32F16F16F32", &[64, 128]),
    ("F32BF16BF16F32", &[32, 64, 128]),
    ("F32F32F32F32", &[32]),
    ("F32TF32TF32F32", &[64]),
    ("F64F64F64F64", &[64]),
    ("S32S8S8S32", &[32, 64, 128]),
    ("F32E4M3E4M3F32", &[64]),
    ("F32E5M2E5M2F32", &[64]),
];

/// The generations of WMMA, with K and the types of their instructions of 16 rows and columns.
const WMMA: [(&str, i64, &[&str]); 3] = [
    (
        "GFX11",
        16,
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
        16,
        &[
            "F32F16F16F32",
            "F32BF16BF16F32",
            "F16F16F16F16",
            "BF16BF16BF16BF16",
            "S32S8S8S32",
            "S32U8U8S32",
            "F32E4M3E4M3F32",
            "F32E5M2E5M2F32",
        ],
    ),
    ("GFX1250", 32, &["F32F16F16F32", "F32BF16BF16F32"]),
];

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
    for (generation, depth, kinds) in WMMA {
        for kind in kinds {
            all.push((format!("{generation}_WMMA_16x16x{{}}_{kind}"), vec![depth]));
        }
    }
    all
}

/// The instruction of a name, of which these are the parts between `_`; none where there is none.
pub(super) fn amd(parts: &[&str], shape: [i64; 3]) -> Option<Result<MmaAtom, Error>> {
    let [generation, kind, _, types_text] = parts else { return None };
    let bits = types(types_text)?;
    let [_, a, b, c] = bits.as_slice() else { return None };
    let bits = [*a, *b, *c];
    let [m, n, k] = shape;
    if m != n {
        return None;
    }
    match *kind {
        "MFMA" if *generation == "GFX9" => {
            let (_, of_thread) = MFMA_BITS.iter().find(|(types, _)| types == types_text)?;
            let is_known = of_thread.iter().any(|of_thread| of_thread / a * (64 / m.max(1)) == k);
            let has_rows = m == 16 || m == 32 && *a < 64;
            (is_known && has_rows).then(|| mfma(shape, bits))
        }
        "WMMA" => {
            let (_, depth, kinds) = WMMA.iter().find(|(known, ..)| known == generation)?;
            (kinds.contains(types_text) && m == 16 && k == *depth).then(|| wmma(generation, shape, bits))
        }
        _ => None,
    }
}

fn mfma(shape: [i64; 3], bits: [i64; 3]) -> Result<MmaAtom, Error> {
    let [m, _, k] = shape;
    let groups = 64 / m;
    let each = k / groups;
    let (value, stride) = values(&[(each, m)], false);
    let operand = layout(&format!("(({m},{groups}),{value}):((1,{}),{stride})", m * each))?;
    let c = match (m, bits[2]) {
        (16, 64) => "((16,4),4):((16,1),4)",
        (16, _) => "((16,4),4):((16,4),1)",
        _ => "((32,2),(4,4)):((32,4),(1,8))",
    };
    Ok(MmaAtom {
        shape,
        bits,
        threads: layout("64:1")?,
        a: operand.clone(),
        b: operand,
        c: layout(c)?,
        metadata: None,
        scales: None,
    })
}

fn wmma(generation: &str, shape: [i64; 3], bits: [i64; 3]) -> Result<MmaAtom, Error> {
    let (operand, c) = match generation {
        // Both halves of a wave have the whole of K.
        "GFX11" => ("((16,2),16):((1,0),16)", "((16,2),8):((16,1),2)"),
        "GFX12" => ("((16,2),8):((1,128),16)", "((16,2),8):((16,8),1)"),
        _ => ("((16,2),(8,2)):((1,128),(16,256))", "((16,2),8):((16,8),1)"),
    };
    let operand = layout(operand)?;
    Ok(MmaAtom {
        shape,
        bits,
        threads: layout("32:1")?,
        a: operand.clone(),
        b: operand,
        c: layout(c)?,
        metadata: None,
        scales: None,
    })
}
