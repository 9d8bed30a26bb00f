//! Matrix instructions by the names that CuTe gives them: those of NVIDIA here, those of AMD in `amd_atom.rs`.
//!
//! The layouts follow from the instruction's shape and the bits of an element by four rules, with a few irregular ones (Volta, dot
//! products) as data:
//!
//! * a warp's instruction gives a thread 32 bits of A side by side along K, four threads a row of 8; rows 8 apart and what is left of
//!   K are further values;
//! * a warp group's (`wgmma`) does the same for 64 rows, and reads B, and A unless it is in registers, whole from shared memory;
//! * `tcgen05` reads A and B whole and holds C whole, a half on each SM of a pair;
//! * a sparse instruction stores half of K: its layouts count elements of K as if all were there, in half the bits.
//!
//! CuTe has no names for the sparse instructions of a warp before sm_120; `SM80_SPARSE_16x8x32_F32F16F16F32_TN` is ours, made as CuTe
//! makes its own. Which threads hold what is left of A (`E`) is an operand of these, and no layout of the instruction.

use super::amd_atom::amd;
use super::atom::{MmaAtom, layout, types, values};
use super::catalogue::{is_listed, no_arguments};
use super::layout::Layout;
use crate::error::{Code, Error};
use crate::notation::type_bits;

/// The bits of K that one instruction of a warp group, or of tensor cores with scales, takes.
const STEP_BITS: i64 = 256;

/// A warp-wide 8x8x4 of Volta: which operand each letter of its name stores by columns.
const VOLTA_ROWS: &str = "(8,4):(1,8)";
const VOLTA_COLUMNS: &str = "((4,2),4):((8,4),1)";

impl MmaAtom {
    /// The instruction of a name such as `SM80_16x8x16_F32F16F16F32_TN`, with or without its template arguments; those of
    /// `tcgen05` have their extents there: `SM100_MMA_F16BF16_SS<half_t,half_t,float,128,64,…>`.
    ///
    /// # Errors
    /// [`Code::UnknownName`] for what is no instruction of a known family; [`Code::Range`] for extents that none has.
    ///
    /// ```
    /// use bitstride::cute::MmaAtom;
    /// let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?;
    /// assert_eq!(atom.a.to_string(), "((4,8),(2,2,2)):((32,1),(16,8,128))");
    /// assert_eq!(atom.c.to_string(), "((4,8),(2,2)):((32,1),(16,8))");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, Error> {
        let unknown = || {
            error!(Code::UnknownName, "{name} is no matrix instruction of a family that is known here", [name])
                .with_help("such as SM80_16x8x16_F32F16F16F32_TN or SM90_64x128x16_F32F16F16_SS")
        };
        let (base, arguments) = match name.split_once('<') {
            Some((base, rest)) => (base, rest.trim_end_matches('>')),
            None => (name, ""),
        };
        let arguments: Vec<&str> = arguments.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        let is_sparse = base.contains("SPARSE");
        let plain = base.rsplit("::").next().unwrap_or(base);
        let parts: Vec<&str> = plain.split('_').collect();
        if plain.starts_with("SM100_MMA_") || plain.starts_with("SM103_MXF4_ULTRA_") {
            return tensor_memory(&parts, &arguments, is_sparse).unwrap_or_else(|| Err(unknown()));
        }
        if plain == "UniversalFMA" {
            return scalar(&arguments).unwrap_or_else(|| Err(unknown()));
        }
        let shape = parts.iter().find_map(|part| extents(part));
        let made = match (parts.as_slice(), shape) {
            ([generation, ..], Some(shape)) if generation.starts_with("GFX") => {
                amd(&parts, shape).ok_or_else(unknown)?
            }
            (["SM61", dot], None) => dot_product(dot).ok_or_else(unknown)?,
            (["SM100", ..], Some(shape @ ([2, 1, 1] | [1, 2, 1]))) => two_products(shape),
            (["SM70", .., layout], Some([8, 8, 4])) => volta(plain, layout).ok_or_else(unknown)?,
            (["SM120", "SPARSE", "16x8x64", "TN"], Some(shape)) => {
                let bits = arguments.iter().map(|argument| type_bits(argument)).collect::<Option<Vec<_>>>();
                let Some([4..=8, 4..=8, c]) = bits.as_deref() else { return Err(unknown()) };
                let mut atom = sparse_warp(shape, [8, 8, *c])?;
                atom.metadata = Some(layout("((2,2,8),32):((8,512,1),16)")?);
                Ok(atom)
            }
            // Of bytes of floats there is the longer K alone.
            (["SM80", "SPARSE", ..], Some(shape @ [16, 8, _]))
            | (["SM89", "SPARSE", ..], Some(shape @ [16, 8, 64])) => {
                let types = parts.iter().find_map(|part| types(part).filter(|types| types.len() == 4));
                let Some([_, a, b, c]) = types.as_deref() else { return Err(unknown()) };
                if a != b {
                    return Err(unknown());
                }
                sparse_warp(shape, [*a, *b, *c])
            }
            (["SM120", ..], Some(shape @ [16, 8, 32 | 64])) => {
                let bits = arguments.iter().take(3).map(|argument| type_bits(argument)).collect::<Option<Vec<_>>>();
                let ([a, b, c], scaled) = match bits.as_deref() {
                    Some([a, b, c]) => ([*a, *b, *c], plain.contains("_VS")),
                    _ => return Err(unknown()),
                };
                // Types of fewer bits are spread over bytes, but for those of which K is twice as long.
                let stored = |bits: i64| if scaled && shape[2] == 64 { bits } else { bits.max(8) };
                if [a, b].iter().any(|bits| stored(*bits) * shape[2] != STEP_BITS) {
                    return Err(unknown());
                }
                let mut atom = warp(shape, [stored(a), stored(b), c])?;
                atom.scales = if scaled { Some(scales(shape)?) } else { None };
                Ok(atom)
            }
            (
                ["SM90" | "GMMA" | "MMA", .., "SS" | "RS"]
                | ["SM90" | "GMMA" | "MMA", .., "SS" | "RS", "TN"]
                | ["SM90" | "GMMA" | "MMA", .., "SS" | "RS", "TN", "SATURATE"],
                Some(shape @ [64, n, k]),
            ) if n > 0 && n <= 256 && n % 8 == 0 => {
                let types = parts.iter().find_map(|part| types(part).filter(|types| types.len() == 3));
                let Some([c, a, b]) = types.as_deref() else { return Err(unknown()) };
                let step = if is_sparse { 2 * STEP_BITS } else { STEP_BITS };
                if a != b || a.checked_mul(k) != Some(step) {
                    return Err(unknown());
                }
                warp_group(shape, [*a, *b, *c], parts.contains(&"RS"), is_sparse)
            }
            (["SM75" | "SM80" | "SM89" | "SM90", ..], Some(shape @ [16 | 8, 8, _])) => {
                let types = parts.iter().find_map(|part| types(part).filter(|types| types.len() == 4));
                let Some([_, a, b, c]) = types.as_deref() else { return Err(unknown()) };
                if a != b {
                    return Err(unknown());
                }
                warp(shape, [*a, *b, *c])
            }
            _ => Err(unknown()),
        };
        // Warp groups' names of CUTLASS 3, as `SM90::GMMA::MMA_64x64x16_F32F16F16_SS`.
        let renewed = plain.strip_prefix("MMA_").map(|rest| format!("SM90_{rest}"));
        made.and_then(|atom| match is_listed(renewed.as_deref().unwrap_or(plain)) {
            // Warp groups have the majors of their operands, which move nothing.
            true if arguments.is_empty() || parts.iter().any(|part| matches!(*part, "SM120" | "SS" | "RS")) => Ok(atom),
            true => Err(no_arguments(base)),
            false => Err(unknown()),
        })
    }
}

/// `16x8x16` as its extents.
fn extents(part: &str) -> Option<[i64; 3]> {
    let numbers: Vec<i64> = part.split('x').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let [m, n, k] = numbers.as_slice() else { return None };
    let known = [*m, *n, *k].iter().all(|extent| (1..=1 << 16).contains(extent));
    known.then_some([*m, *n, *k])
}

/// What a warp of 32 threads holds of an operand of `rows` x `k`: 32 bits a thread along K, at least one element. K is one or two
/// rows of four threads, of 64 bits and more up to four.
fn operand(rows: i64, k: i64, bits: i64) -> Result<Layout, Error> {
    let each = (32 / bits).max(1);
    let row = each.checked_mul(4).filter(|row| [*row, row * 2].contains(&k) || bits >= 64 && k == row * 4);
    let Some(row) = row else {
        return Err(error!(
            Code::Range,
            "of {bits} bits K is {least} or {most}, not {k}",
            [bits, least = each * 4, most = each * 8, k]
        ));
    };
    rows_of_threads(rows, k, bits, row)
}

/// The same for rows of four threads that take `row` elements of K.
fn rows_of_threads(rows: i64, k: i64, bits: i64, row: i64) -> Result<Layout, Error> {
    let each = row / 4;
    let modes = [(each, rows), (rows / 8, 8), (k / row, rows * row)];
    // CuTe writes a single mode of 4-bit values as a tuple of one.
    let (shape, stride) = values(&modes, bits == 4);
    layout(&format!("((4,8),{shape}):(({},1),{stride})", rows * each))
}

/// What a warp of 32 threads holds of the products: two neighbours along N, rows 8 apart.
fn accumulators(rows: i64) -> Result<Layout, Error> {
    let (shape, stride) = values(&[(2, rows), (rows / 8, 8)], false);
    layout(&format!("((4,8),{shape}):(({},1),{stride})", rows * 2))
}

fn warp(shape: [i64; 3], bits: [i64; 3]) -> Result<MmaAtom, Error> {
    let [m, n, k] = shape;
    Ok(MmaAtom {
        shape,
        bits,
        threads: layout("32:1")?,
        a: operand(m, k, bits[0])?,
        b: operand(n, k, bits[1])?,
        c: accumulators(m)?,
        metadata: None,
        scales: None,
    })
}

/// A has half of its elements, which the layout counts in half the bits; B has all, in up to four rows of four threads.
fn sparse_warp(shape: [i64; 3], bits: [i64; 3]) -> Result<MmaAtom, Error> {
    let [m, n, k] = shape;
    let least = 256_i64.checked_div(bits[1]).unwrap_or(8);
    if ![least, 2 * least].contains(&k) {
        return Err(error!(
            Code::Range,
            "of {bits} bits K of a sparse product is {least} or {most}, not {k}",
            [bits = bits[1], least, most = 2 * least, k]
        ));
    }
    Ok(MmaAtom {
        shape,
        bits: [bits[0] / 2, bits[1], bits[2]],
        threads: layout("32:1")?,
        a: operand(m, k, bits[0] / 2)?,
        b: rows_of_threads(n, k, bits[1], 128_i64.checked_div(bits[1]).unwrap_or(4))?,
        c: accumulators(m)?,
        metadata: None,
        scales: None,
    })
}

/// The scales of a warp's block-scaled instruction: pairs of threads that repeat, a scale a row or column and block of K.
fn scales([m, n, k]: [i64; 3]) -> Result<[Layout; 2], Error> {
    Ok([layout(&format!("((2,2,8),{k}):((8,0,1),{m})"))?, layout(&format!("((4,8),{k}):((0,1),{n})"))?])
}

fn warp_group(shape: [i64; 3], bits: [i64; 3], a_in_registers: bool, is_sparse: bool) -> Result<MmaAtom, Error> {
    let [m, n, k] = shape;
    let stored = if is_sparse { bits[0] / 2 } else { bits[0] };
    let each = 32_i64.checked_div(stored).unwrap_or(1).max(1);
    let a = if a_in_registers {
        let (shape, stride) = values(&[(each, m), (2, 8), (2, m * each * 4)], false);
        layout(&format!("((4,8,4),{shape}):(({},1,16),{stride})", m * each))?
    } else {
        layout(&format!("(128,({m},{k})):(0,(1,{m}))"))?
    };
    let metadata = match (is_sparse, bits[0]) {
        (false, _) => None,
        (true, 16 | 32) => Some(layout(&format!("((2,2,8,4),({},2)):(({},0,1,16),(64,8))", k / 2, k / 2 * m))?),
        (true, _) => Some(layout(&format!("((2,2,8,4),({})):((8,{},1,16),(64))", k / 2, k / 2 * m))?),
    };
    Ok(MmaAtom {
        shape,
        bits: [stored, bits[1], bits[2]],
        threads: layout("128:1")?,
        a,
        b: layout(&format!("(128,({n},{k})):(0,(1,{n}))"))?,
        c: layout(&format!("((4,8,4),(2,2,{})):((128,1,16),(64,8,512))", n / 8))?,
        metadata,
        scales: None,
    })
}

/// `tcgen05`: the extents are template arguments; none where the name is no such instruction.
fn tensor_memory(parts: &[&str], arguments: &[&str], is_sparse: bool) -> Option<Result<MmaAtom, Error>> {
    // `SM100_MMA_MXF4_SS`, and `SM103_MXF4_ULTRA_SS_VS` with K of its own.
    let (kind, rest) = match parts {
        [_, "MMA", kind, rest @ ..] => (*kind, rest),
        [_, _, kind, rest @ .., "VS"] if !is_sparse => (*kind, rest),
        _ => return None,
    };
    let rest = rest.strip_prefix(&["2x1SM"]).unwrap_or(rest);
    if !matches!(rest, ["SS" | "TS"] | ["SS" | "TS", "SPARSE" | "SCALED"]) || kind == "ULTRA" && rest != ["SS"] {
        return None;
    }
    let sms = if parts.contains(&"2x1SM") { 2 } else { 1 };
    let mut numbers = arguments.iter().filter_map(|argument| argument.parse::<i64>().ok());
    let (m, n) = (numbers.next()?, numbers.next()?);
    let is_scaled = kind.starts_with("MX") || kind == "ULTRA";
    let granule = if sms == 2 || kind == "ULTRA" { 16 } else { 8 };
    // With scales one SM has all its rows.
    let least = if is_scaled { 128 } else { 64 * sms };
    if ![least, 128 * sms].contains(&m) || !(granule..=256).contains(&n) || n % granule != 0 {
        return Some(Err(match least == 128 * sms {
            true => error!(
                Code::Range,
                "on {sms} SM {kind} of tcgen05 is {least} x a multiple of {granule} up to 256, not {m} x {n}",
                [sms, kind, least, granule, m, n]
            ),
            false => error!(
                Code::Range,
                "on {sms} SMs tcgen05 is {rows} or {more_rows} x a multiple of {granule} up to 256, not {m} x {n}",
                [sms, rows = least, more_rows = 128 * sms, granule, m, n]
            ),
        }));
    }
    let elements = numbers.next().filter(|_| matches!(kind, "MXF4" | "MXF4NVF4" | "ULTRA"));
    if let Some(elements) = elements.filter(|elements| ![16, 32].contains(elements)) {
        return Some(Err(error!(
            Code::Range,
            "of {kind} 16 or 32 elements have a scale, not {elements}",
            [kind, elements]
        )));
    }
    let (bits, k) = match kind {
        "F16BF16" => (16, 16),
        "TF32" => (32, 8),
        "S8" | "F8F6F4" | "MXF8F6F4" => (8, 32),
        "MXF4" | "MXF4NVF4" => (4, 64),
        "ULTRA" => (4, 96),
        _ => return None,
    };
    // CuTe asserts that both types are of the instruction; what a name of a program stands for is not known here.
    let is_own = |argument: &&str| {
        let is_integer = argument.starts_with("int") || argument.starts_with("uint");
        type_bits(argument).is_none_or(|own| {
            let has_bits = own == bits || kind.ends_with("F8F6F4") && (4..bits).contains(&own);
            has_bits && is_integer == (kind == "S8")
        })
    };
    if !arguments.iter().take(2).all(is_own) {
        return None;
    }
    let k = if is_sparse { 2 * k } else { k };
    let c_bits = arguments.get(2).and_then(|argument| type_bits(argument)).unwrap_or(32);
    let whole = |rows: i64, columns: i64| match sms {
        1 => layout(&format!("(1,({rows},{columns})):(0,(1,{rows}))")),
        _ => layout(&format!("(2,({0},{columns})):({0},(1,{rows}))", rows / 2)),
    };
    let made = || {
        Ok(MmaAtom {
            shape: [m, n, k],
            bits: [if is_sparse { bits / 2 } else { bits }, bits, c_bits],
            threads: layout(if sms == 1 { "1:0" } else { "2:1" })?,
            a: whole(m, k)?,
            b: whole(n, k)?,
            c: whole(m, n)?,
            metadata: None,
            scales: None,
        })
    };
    Some(made())
}

/// One thread, one product, of any types: those of D, A, B and C, which are like the ones before them where they are left out.
fn scalar(arguments: &[&str]) -> Option<Result<MmaAtom, Error>> {
    let bits = arguments.iter().map(|argument| type_bits(argument)).collect::<Option<Vec<_>>>()?;
    let d = *bits.first().filter(|_| bits.len() <= 4)?;
    let a = *bits.get(1).unwrap_or(&d);
    let of_bits = [a, *bits.get(2).unwrap_or(&a), *bits.get(3).unwrap_or(&d)];
    let made = || {
        let one = layout("(1,1):(0,0)")?;
        Ok(MmaAtom {
            shape: [1; 3],
            bits: of_bits,
            threads: layout("1:0")?,
            a: one.clone(),
            b: one.clone(),
            c: one,
            metadata: None,
            scales: None,
        })
    };
    Some(made())
}

/// One thread, a dot product of two or four.
fn dot_product(name: &str) -> Option<Result<MmaAtom, Error>> {
    let (k, bits) = match name {
        "DP2A" => (2, 16),
        "DP4A" => (4, 8),
        _ => return None,
    };
    let made = || {
        let operand = layout(&format!("(1,{k}):(0,1)"))?;
        Ok(MmaAtom {
            shape: [1, 1, k],
            bits: [bits, bits, 32],
            threads: layout("1:0")?,
            a: operand.clone(),
            b: operand,
            c: layout("(1,1):(0,0)")?,
            metadata: None,
            scales: None,
        })
    };
    Some(made())
}

/// One thread, two products at once.
fn two_products(shape: [i64; 3]) -> Result<MmaAtom, Error> {
    let [m, n, _] = shape;
    let vector = |extent: i64| layout(if extent == 2 { "(1,2):(0,1)" } else { "(1,1):(0,0)" });
    Ok(MmaAtom {
        shape,
        bits: [32; 3],
        threads: layout("1:0")?,
        a: vector(m)?,
        b: vector(n)?,
        c: vector(2)?,
        metadata: None,
        scales: None,
    })
}

/// Eight threads of a warp, of Volta: the letters say whether A and B are stored by rows (T) or columns (N) of the product.
fn volta(name: &str, letters: &str) -> Option<Result<MmaAtom, Error>> {
    let (a, b) = match letters {
        "TN" => (VOLTA_ROWS, VOLTA_ROWS),
        "NT" => (VOLTA_COLUMNS, VOLTA_COLUMNS),
        "NN" => (VOLTA_COLUMNS, VOLTA_ROWS),
        "TT" => (VOLTA_ROWS, VOLTA_COLUMNS),
        _ => return None,
    };
    let is_wide = name.contains("F32F16F16F32");
    let made = || {
        Ok(MmaAtom {
            shape: [8, 8, 4],
            bits: [16, 16, if is_wide { 32 } else { 16 }],
            threads: layout("(4,2):(1,16)")?,
            a: layout(a)?,
            b: layout(b)?,
            c: layout(if is_wide { "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))" } else { "(8,8):(1,8)" })?,
            metadata: None,
            scales: None,
        })
    };
    Some(made())
}
