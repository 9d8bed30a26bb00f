//! The catalogue of instructions: which names there are, family by family.
//!
//! A family is a name with a number left open, such as N of a warp group's instructions. Law: each name of the catalogue is
//! one that [`MmaAtom::named`](super::MmaAtom::named) or [`CopyAtom::named`](super::CopyAtom::named) knows, and of what these know the catalogue has the name, its template
//! arguments aside.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::amd_atom::amd_families;
use crate::error::{Code, Error};

/// Instructions whose names differ in one number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AtomFamily {
    /// The name with `{}` where the number stands; without it there is one instruction.
    pattern: String,
    /// The letter of the number, as the field calls it.
    letter: &'static str,
    numbers: Vec<i64>,
}

impl AtomFamily {
    /// The name with a letter for the number: `SM90_64xNx16_F32F16F16_SS`.
    ///
    /// ```
    /// use bitstride::cute::atom_families;
    /// let families: Vec<String> = atom_families().iter().map(|family| family.title()).collect();
    /// assert!(families.contains(&"SM90_64xNx16_F32F16F16_SS".to_owned()));
    /// ```
    pub fn title(&self) -> String {
        self.pattern.replace("{}", self.letter)
    }

    /// The letter of the number that names leave open, and the numbers that it can be; none for a single instruction.
    pub fn numbers(&self) -> Option<(&'static str, &[i64])> {
        self.pattern.contains("{}").then_some((self.letter, self.numbers.as_slice()))
    }

    /// The names of its instructions.
    pub fn names(&self) -> Vec<String> {
        match self.pattern.contains("{}") {
            true => self.numbers.iter().map(|number| self.pattern.replace("{}", &number.to_string())).collect(),
            false => vec![self.pattern.clone()],
        }
    }
}

/// Instructions of which no rule makes the names.
const SINGLE: &str = "SM61_DP2A SM61_DP4A SM70_8x8x4_F16F16F16F16_TN SM70_8x8x4_F16F16F16F16_NT SM70_8x8x4_F16F16F16F16_NN \
     SM70_8x8x4_F16F16F16F16_TT SM70_8x8x4_F32F16F16F32_TN SM70_8x8x4_F32F16F16F32_NT SM70_8x8x4_F32F16F16F32_NN \
     SM70_8x8x4_F32F16F16F32_TT SM75_16x8x8_F32F16F16F32_TN SM75_16x8x8_F16F16F16F16_TN SM75_8x8x16_S32S8S8S32_TN \
     SM80_8x8x4_F64F64F64F64_TN SM80_8x8x4_C64C64C64C64_TN SM80_8x8x4_GC64C64C64GC64_TN SM100_2x1x1_F32F32F32F32 \
     SM100_1x2x1_F32F32F32F32 UniversalFMA<float,float,float,float>";

/// Copies of which no rule makes the names.
const SINGLE_COPIES: &str = "UniversalCopy<uint8_t> UniversalCopy<uint16_t> UniversalCopy<uint32_t> UniversalCopy<uint64_t> \
     UniversalCopy<uint128_t> SM50_Shuffle_U32_2x2Trans_XOR1 SM50_Shuffle_U32_2x2Trans_XOR4 SM75_U32x1_MOVM_T \
     SM80_CP_ASYNC_CACHEALWAYS<uint32_t> SM80_CP_ASYNC_CACHEALWAYS<uint64_t> SM80_CP_ASYNC_CACHEALWAYS<uint128_t> \
     SM80_CP_ASYNC_CACHEGLOBAL<uint128_t> \
     SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint32_t> SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint64_t> SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint128_t> \
     SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint128_t> AutoVectorizingCopyWithAssumedAlignment<128> SM100_LOAD_256bit_CACHE_NOALLOCATION SM100_STORE_256bit_CACHE_NOALLOCATION \
     SM100_U8x8_LDSM_T SM100_U8x16_LDSM_T SM100_UTCCP_128dp256bit_1cta SM100_UTCCP_128dp256bit_2cta \
     SM100_UTCCP_128dp128bit_1cta SM100_UTCCP_128dp128bit_2cta SM100_UTCCP_4dp256bit_1cta SM100_UTCCP_4dp256bit_2cta \
     SM100_UTCCP_4x32dp128bit_1cta SM100_UTCCP_4x32dp128bit_2cta SM100_UTCCP_2x64dp128bitlw0213_1cta \
     SM100_UTCCP_2x64dp128bitlw0213_2cta SM100_UTCCP_2x64dp128bitlw0123_1cta SM100_UTCCP_2x64dp128bitlw0123_2cta";

/// All families, the older generations first: matrix instructions, those of AMD last, then copies.
pub fn atom_families() -> Vec<AtomFamily> {
    let mut all: Vec<AtomFamily> = SINGLE.split_whitespace().map(|name| one(name.to_owned())).collect();
    warps(&mut all);
    sparse_warps(&mut all);
    warp_groups(&mut all);
    tensor_memory(&mut all);
    all.extend(amd_families().into_iter().map(|(pattern, numbers)| AtomFamily { pattern, letter: "K", numbers }));
    all.extend(SINGLE_COPIES.split_whitespace().map(|name| one(name.to_owned())));
    copies(&mut all);
    all
}

/// Whether the catalogue has a name, without its namespaces and template arguments: a rule that computes what threads hold from the
/// numbers in a name would answer for names that no instruction has.
pub(super) fn is_listed(base: &str) -> bool {
    static BASES: OnceLock<BTreeSet<String>> = OnceLock::new();
    let bases = BASES.get_or_init(|| {
        let names = atom_families().into_iter().flat_map(|family| family.names());
        let base = |name: String| name.split('<').next().and_then(|base| base.rsplit("::").next()).map(str::to_owned);
        names.filter_map(base).collect()
    });
    bases.contains(base)
}

/// The refusal of template arguments behind the name of an instruction that is no template.
pub(super) fn no_arguments(base: &str) -> Error {
    error!(Code::Arity, "{base} is no template, and has no arguments", [base])
}

fn one(pattern: String) -> AtomFamily {
    AtomFamily { pattern, letter: "", numbers: Vec::new() }
}

fn pairs(types: &[&str]) -> Vec<String> {
    types.iter().flat_map(|a| types.iter().map(move |b| format!("{a}{b}"))).collect()
}

/// `mma.sync` from sm_80 on: the types of a product, and K for one and two rows of four threads.
fn warps(all: &mut Vec<AtomFamily>) {
    let mut open = |pattern: String, numbers: &[i64]| {
        all.push(AtomFamily { pattern, letter: "K", numbers: numbers.to_vec() });
    };
    for types in ["F16F16F16F16", "F32F16F16F32", "F32BF16BF16F32"] {
        open(format!("SM80_16x8x{{}}_{types}_TN"), &[8, 16]);
    }
    open("SM80_16x8x{}_F32TF32TF32F32_TN".to_owned(), &[4, 8]);
    for (types, each) in [(["S8", "U8"], 16), (["S4", "U4"], 32)] {
        for saturates in ["", "_SATURATE"] {
            for operands in pairs(&types) {
                open(format!("SM80_8x8x{{}}_S32{operands}S32_TN{saturates}"), &[each]);
                open(format!("SM80_16x8x{{}}_S32{operands}S32_TN{saturates}"), &[each, 2 * each]);
            }
        }
    }
    for counts in ["XORPOPC", "ANDPOPC"] {
        open(format!("SM80_8x8x{{}}_S32U1U1S32_TN_{counts}"), &[128]);
        open(format!("SM80_16x8x{{}}_S32U1U1S32_TN_{counts}"), &[128, 256]);
    }
    for c in ["F32", "F16"] {
        for operands in pairs(&["E4M3", "E5M2"]) {
            open(format!("SM89_16x8x{{}}_{c}{operands}{c}_TN"), &[16, 32]);
        }
    }
    for types in ["F64F64F64F64", "C64C64C64C64"] {
        open(format!("SM90_16x8x{{}}_{types}_TN"), &[4, 8, 16]);
    }
    for (a, b) in [("float_e4m3_t", "float_e4m3_t"), ("float_e5m2_t", "float_e5m2_t"), ("float_e2m1_t", "float_e2m1_t")]
    {
        all.push(one(format!("SM120_16x8x32_TN<{a},{b},float>")));
    }
    for types in ["float_e4m3_t,float_e4m3_t", "float_e5m2_t,float_e5m2_t"] {
        all.push(one(format!("SM120_16x8x32_TN_VS<{types},float,float_ue8m0_t,32>")));
    }
    for scale in ["float_ue8m0_t,32", "float_ue4m3_t,16"] {
        all.push(one(format!("SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,{scale}>")));
    }
}

/// `mma.sp` from sm_80 on: K is twice that of the dense instructions.
fn sparse_warps(all: &mut Vec<AtomFamily>) {
    let mut open = |pattern: String, numbers: &[i64]| {
        all.push(AtomFamily { pattern, letter: "K", numbers: numbers.to_vec() });
    };
    for types in ["F16F16F16F16", "F32F16F16F32", "F32BF16BF16F32"] {
        open(format!("SM80_SPARSE_16x8x{{}}_{types}_TN"), &[16, 32]);
    }
    open("SM80_SPARSE_16x8x{}_F32TF32TF32F32_TN".to_owned(), &[8, 16]);
    for (types, each) in [(["S8", "U8"], 32), (["S4", "U4"], 64)] {
        for saturates in ["", "_SATURATE"] {
            for operands in pairs(&types) {
                open(format!("SM80_SPARSE_16x8x{{}}_S32{operands}S32_TN{saturates}"), &[each, 2 * each]);
            }
        }
    }
    for c in ["F32", "F16"] {
        for operands in pairs(&["E4M3", "E5M2"]) {
            open(format!("SM89_SPARSE_16x8x{{}}_{c}{operands}{c}_TN"), &[64]);
        }
    }
    all.push(one("SM120_SPARSE_16x8x64_TN<float_e4m3_t,float_e4m3_t,float>".to_owned()));
}

/// `wgmma`, dense and sparse: 32 bytes of K, twice that of a sparse A.
fn warp_groups(all: &mut Vec<AtomFamily>) {
    let columns: Vec<i64> = (1..=32).map(|n| 8 * n).collect();
    let mut open = |pattern: String| all.push(AtomFamily { pattern, letter: "N", numbers: columns.clone() });
    let halves = [("F16F16F16", 16), ("F32F16F16", 16), ("F32BF16BF16", 16)];
    let words = pairs(&["S8", "U8"]).into_iter().map(|operands| format!("S32{operands}"));
    let narrow = ["F16", "F32"].into_iter();
    let narrow =
        narrow.flat_map(|c| pairs(&["E4M3", "E5M2"]).into_iter().map(move |operands| format!("{c}{operands}")));
    let bytes: Vec<String> = words.chain(narrow).collect();
    for (prefix, times) in [("SM90_", 1), ("SM90::GMMA::SPARSE::GMMA_", 2)] {
        for memory in ["SS", "RS"] {
            for (types, k) in halves {
                open(format!("{prefix}64x{{}}x{}_{types}_{memory}", k * times));
            }
            open(format!("{prefix}64x{{}}x{}_F32TF32TF32_{memory}_TN", 8 * times));
            for types in &bytes {
                open(format!("{prefix}64x{{}}x{}_{types}_{memory}_TN", 32 * times));
                if types.starts_with('S') {
                    open(format!("{prefix}64x{{}}x{}_{types}_{memory}_TN_SATURATE", 32 * times));
                }
            }
        }
    }
}

/// `tcgen05` on one SM and on two, with A in shared or in tensor memory.
fn tensor_memory(all: &mut Vec<AtomFamily>) {
    let kinds = [
        ("F16BF16", "half_t,half_t,float"),
        ("TF32", "tfloat32_t,tfloat32_t,float"),
        ("S8", "int8_t,int8_t,int32_t"),
        ("F8F6F4", "float_e4m3_t,float_e4m3_t,float"),
    ];
    for (sms, word, granule) in [(1, "", 8), (2, "_2x1SM", 16)] {
        for memory in ["SS", "TS"] {
            for (kind, types) in kinds {
                for m in [64 * sms, 128 * sms] {
                    all.push(AtomFamily {
                        pattern: format!("SM100_MMA_{kind}{word}_{memory}<{types},{m},{{}}>"),
                        letter: "N",
                        numbers: (1..=256 / granule).map(|n| granule * n).collect(),
                    });
                }
            }
        }
    }
}

/// `ldmatrix`, `stmatrix` and copies of tensor memory.
fn copies(all: &mut Vec<AtomFamily>) {
    let mut open = |pattern: &str, letter: &'static str, numbers: &[i64]| {
        all.push(AtomFamily { pattern: pattern.to_owned(), letter, numbers: numbers.to_vec() });
    };
    open("SM75_U32x{}_LDSM_N", "C", &[1, 2, 4]);
    open("SM75_U16x{}_LDSM_T", "C", &[2, 4, 8]);
    open("SM90_U32x{}_STSM_N", "C", &[1, 2, 4]);
    open("SM90_U16x{}_STSM_T", "C", &[2, 4, 8]);
    open("SM100_SU4_DU8x16_x{}_LDSM_N", "C", &[1, 2, 4]);
    open("SM100_SU6_DU8x16_x{}_LDSM_N", "C", &[1, 2, 4]);
    open("SM100_U8x{}_STSM_T", "C", &[4, 8, 16]);
    for way in ["LOAD", "STORE"] {
        for (paths, most) in [("16dp256b", 32), ("16dp128b", 64), ("16dp64b", 128), ("16dp32b", 128), ("32dp32b", 128)]
        {
            let counts: Vec<i64> = (0..8).map(|log| 1 << log).filter(|count| *count <= most).collect();
            for packed in ["", "_16b"] {
                open(&format!("SM100_TMEM_{way}_{paths}{{}}x{packed}"), "C", &counts);
            }
        }
    }
    open("SM100_TMEM_LOAD_STAT_32dp32b{}x", "C", &[2, 4, 8, 16, 32, 64, 128]);
}
