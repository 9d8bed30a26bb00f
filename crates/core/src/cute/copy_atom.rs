//! [`CopyAtom`]: which bits each thread of a copy instruction reads and writes, by CuTe's name of the instruction.
//!
//! The layouts lead from (thread, bit) to bits of what is copied. Families follow from the numbers in their names: `ldmatrix` and
//! `stmatrix` by how many matrices, tensor memory by data paths, bits and repetitions; a few irregular ones are data. Law: the
//! layouts are those of CUTLASS 4.7 to the letter, for every instruction that was recorded.

use std::ops::RangeInclusive;

use super::catalogue::{is_listed, no_arguments};
use super::layout::Layout;
use crate::error::{Code, Error};
use crate::notation::type_bits;

/// A copy instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopyAtom {
    /// The threads that take part.
    pub threads: Layout,
    /// What is read: (thread, bit) to bit.
    pub source: Layout,
    /// What is written: (thread, bit) to bit.
    pub target: Layout,
    /// Which of both a tiled copy partitions by.
    pub reference: Layout,
}

/// The threads, the source and the target of irregular instructions; the reference is the source.
const IRREGULAR: [(&str, [&str; 3]); 6] = [
    ("SM50_Shuffle_U32_2x2Trans_XOR1", ["32:1", "(32,64):(64,1)", "((2,16),(32,2)):((32,128),(1,64))"]),
    ("SM50_Shuffle_U32_2x2Trans_XOR4", ["32:1", "(32,64):(64,1)", "((4,2,4),(32,2)):((64,32,512),(1,256))"]),
    ("SM75_U32x1_MOVM_T", ["32:1", "(32,32):(32,1)", "(32,32):(32,1)"]),
    ("SM100_LOAD_256bit_CACHE_NOALLOCATION", ["1:0", "(1,256):(0,1)", "(1,256):(0,1)"]),
    ("SM100_STORE_256bit_CACHE_NOALLOCATION", ["1:0", "(1,256):(0,1)", "(1,256):(0,1)"]),
    ("AutoVectorizingCopyWithAssumedAlignment", ["1:0", "(1,1):(0,0)", "(1,1):(0,0)"]),
];

/// Copies of shared into tensor memory that repeat what they read: what one CTA reads, and how many bits it writes.
const REPEATED: [(&str, &str, &str); 3] = [
    ("4x32dp128bit", "(32,128,4)", "(1,32,0)"),
    ("2x64dp128bitlw0213", "(64,128,2)", "(1,64,0)"),
    ("2x64dp128bitlw0123", "(32,128,2,2)", "(1,32,4096,0)"),
];

impl CopyAtom {
    /// The instruction of a name such as `SM75_U32x4_LDSM_N` or `UniversalCopy<uint128_t>`.
    ///
    /// # Errors
    /// [`Code::UnknownName`] for what is no instruction of a known family.
    ///
    /// ```
    /// use bitstride::cute::CopyAtom;
    /// let atom = CopyAtom::named("SM75_U32x4_LDSM_N")?;
    /// assert_eq!(atom.source.to_string(), "(32,128):(128,1)");
    /// assert_eq!(atom.target.to_string(), "(32,(32,4)):(32,(1,1024))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, Error> {
        let (base, argument) =
            name.split_once('<').map_or((name, ""), |(base, rest)| (base, rest.trim_end_matches('>')));
        let base = base.rsplit("::").next().unwrap_or(base);
        if let Some((_, [threads, source, target])) = IRREGULAR.iter().find(|(known, _)| *known == base) {
            return atom(threads, source, target, true);
        }
        let unknown = || {
            error!(Code::UnknownName, "{name} is no copy instruction of a family that is known here", [name])
                .with_help("such as SM75_U32x4_LDSM_N or SM100_TMEM_LOAD_32dp32b32x")
        };
        if !is_listed(base) {
            return Err(unknown());
        }
        let parts: Vec<&str> = base.split('_').collect();
        let made = match parts.as_slice() {
            ["UniversalCopy"] => vector(argument, 1..=1 << 12),
            ["SM80", "CP", "ASYNC", "CACHEALWAYS", ..] => vector(argument, 32..=128),
            ["SM80", "CP", "ASYNC", "CACHEGLOBAL", ..] => vector(argument, 128..=128),
            [_, "TMEM", "LOAD", "STAT", rest @ ..] => tensor_memory(rest, true),
            [_, "TMEM", "LOAD", rest @ ..] => tensor_memory(rest, true),
            [_, "TMEM", "STORE", rest @ ..] => tensor_memory(rest, false),
            [_, "UTCCP", what, ctas] => into_tensor_memory(what, ctas),
            [_, elements, kind @ ("LDSM" | "STSM"), order @ ("N" | "T")] => matrices(elements, *kind == "LDSM", order),
            [_, "SU4" | "SU6", "DU8x16", count, "LDSM", "N"] => {
                count.strip_prefix('x').and_then(|count| matrices(&format!("U32x{count}"), true, "N"))
            }
            _ => None,
        };
        let is_template = matches!(parts.as_slice(), ["UniversalCopy"] | ["SM80", "CP", ..]);
        match made {
            Some(_) if !argument.is_empty() && !is_template => Err(no_arguments(base)),
            Some(made) => made,
            None => Err(unknown()),
        }
    }
}

/// An instruction from the texts of its layouts; partitioned by the source or by the target.
fn atom(threads: &str, source: &str, target: &str, by_source: bool) -> Result<CopyAtom, Error> {
    let (source, target): (Layout, Layout) = (source.parse()?, target.parse()?);
    let reference = if by_source { source.clone() } else { target.clone() };
    Ok(CopyAtom { threads: threads.parse()?, source, target, reference })
}

/// One thread, the bits of a type such as `uint128_t`.
fn vector(argument: &str, known: RangeInclusive<i64>) -> Option<Result<CopyAtom, Error>> {
    let digits = argument.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == ':').trim_end_matches("_t");
    let named = type_bits(argument.rsplit("::").next().unwrap_or(argument));
    let bits: i64 = named.or_else(|| digits.parse().ok())?;
    if !known.contains(&bits) || bits.count_ones() != 1 && *known.start() != 1 {
        return None;
    }
    let layout = format!("(1,{bits}):(0,1)");
    Some(atom("1:0", &layout, &layout, true))
}

/// `ldmatrix` and `stmatrix`: `U32x4`, transposed `U16x8` and `U8x16` of as many matrices of 8 rows of 16 bytes.
fn matrices(elements: &str, loads: bool, order: &str) -> Option<Result<CopyAtom, Error>> {
    let (bits, number) = elements.strip_prefix('U')?.split_once('x')?;
    let number: i64 = number.parse().ok()?;
    let each = match (bits, order) {
        ("32", "N") => 1,
        ("16", "T") => 2,
        ("8", "T") => 4,
        _ => return None,
    };
    let count = number / each;
    if number % each != 0 || ![1, 2, 4].contains(&count) {
        return None;
    }
    let mut rows = match count {
        1 => "((8,4),128):((128,0),1)",
        2 => "((16,2),128):((128,0),1)",
        _ => "(32,128):(128,1)",
    };
    if each == 4 && loads {
        rows = match count {
            2 => "((2,2,4,2),128):((128,1024,256,0),1)",
            4 => "((2,2,4,2),128):((128,1024,256,2048),1)",
            _ => return None,
        };
    }
    let repeated = |shape: &str, stride: &str| match count {
        1 => (shape.to_owned(), stride.to_owned()),
        _ => (format!("{shape},{count}"), format!("{stride},1024")),
    };
    let held = match each {
        1 if count == 1 => "(32,32):(32,1)".to_owned(),
        1 => format!("(32,(32,{count})):(32,(1,1024))"),
        2 => {
            let (shape, stride) = repeated("16,2", "1,128");
            format!("((4,8),({shape})):((256,16),({stride}))")
        }
        _ => {
            let (shape, stride) = repeated("8,2,2", "1,128,64");
            format!("((4,8),({shape})):((256,8),({stride}))")
        }
    };
    let (source, target) = if loads { (rows, held.as_str()) } else { (held.as_str(), rows) };
    Some(atom("32:1", source, target, !loads))
}

/// `32dp32b16x`: data paths, bits of each, and how often that is repeated.
fn tensor_memory(rest: &[&str], loads: bool) -> Option<Result<CopyAtom, Error>> {
    let (paths, rest) = rest.first()?.split_once("dp")?;
    let (bits, count) = rest.strip_suffix('x')?.split_once('b')?;
    let (paths, bits, count): (i64, i64, i64) = (paths.parse().ok()?, bits.parse().ok()?, count.parse().ok()?);
    // A lane has at most 128 registers of 32 bits.
    if count.count_ones() != 1 || !(1..=128).contains(&count) || bits.checked_mul(count)? > 32 * 256 {
        return None;
    }
    // Of 32 bits, sixteen paths are taken from 32, as pairs of which each is read by one half of the warp.
    let all = if bits == 32 { 32 * bits * count } else { paths * bits * count };
    let repeated = |shape: &str, stride: &str, step: i64| match count {
        1 => (shape.to_owned(), stride.to_owned()),
        _ => (format!("{shape},{count}"), format!("{stride},{step}")),
    };
    let registers = match (paths, bits) {
        (16, 256) => {
            let (shape, stride) = repeated("64,2", &format!("1,{}", 2048 * count), 256);
            format!("((4,8),({shape})):((64,{}),({stride}))", 256 * count)
        }
        (16, 128) => {
            let (shape, stride) = repeated("32,2", &format!("1,{}", 1024 * count), 128);
            format!("((4,8),({shape})):((32,{}),({stride}))", 128 * count)
        }
        (16, 64) if count == 1 => "((2,2,8),32):((512,32,64),1)".to_owned(),
        (16, 64) => format!("((2,2,8),(32,{count})):(({},32,{}),(1,64))", 512 * count, 64 * count),
        (16, 32) => format!("((16,2),{}):(({},{}),1)", 32 * count, 64 * count, 32 * count),
        (32, 32) => format!("(32,{0}):({0},1)", 32 * count),
        _ => return None,
    };
    let memory = format!("(32,{all}):(0,1)");
    Some(if loads { atom("32:1", &memory, &registers, true) } else { atom("32:1", &registers, &memory, false) })
}

/// Shared memory into tensor memory, by one CTA or two.
fn into_tensor_memory(what: &str, ctas: &str) -> Option<Result<CopyAtom, Error>> {
    let (count, threads) = match ctas {
        "1cta" => (1, "1:0"),
        "2cta" => (2, "2:1"),
        _ => return None,
    };
    if let Some((_, shape, stride)) = REPEATED.iter().find(|(known, ..)| *known == what) {
        return Some(atom(
            threads,
            &format!("({count},{shape}):(0,{stride})"),
            &format!("({count},16384):(0,1)"),
            false,
        ));
    }
    let (paths, bits) = what.strip_suffix("bit")?.split_once("dp")?;
    let (paths, bits): (i64, i64) = (paths.parse().ok()?, bits.parse().ok()?);
    let layout = match (paths, bits) {
        (128, 128 | 256) => format!("({count},{}):(0,1)", paths * bits),
        (4, 256) => format!("({count},(4,256)):(0,(32,128))"),
        _ => return None,
    };
    Some(atom(threads, &layout, &layout, true))
}
