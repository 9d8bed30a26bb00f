//! Assembly: instructions of matrices and of copies as compilers list them, in PTX, in SASS and in AMD's, also as LLVM names them.
//!
//! | text | reads as |
//! |---|---|
//! | `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`, `HMMA.16816.F32` | `atom(SM80_16x8x16_F32F16F16F32_TN)` |
//! | `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16`, `LDSM.16.MT88.4` | `atom(SM75_U16x8_LDSM_T)` |
//! | `mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32` | `atom(SM80_SPARSE_16x8x32_F32F16F16F32_TN)` |
//! | `wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%f0}, %rd0, %rd1` | `atom(SM90_64x128x16_F32F16F16_SS)` |
//! | `tcgen05.ld.sync.aligned.32x32b.x4.b32` | `atom(SM100_TMEM_LOAD_32dp32b4x)` |
//! | `v_mfma_f32_32x32x8_f16`, `llvm.amdgcn.mfma.f32.32x32x8f16` | `atom(GFX9_MFMA_32x32x8_F32F16F16F32)` |
//!
//! A name is cut into its parts, and CuTe's name, or ours of an AMD instruction, is made of them; whether there is such an instruction the
//! catalogue says. Operands behind the name are left out, but for the first one of `wgmma`, which says where A lies. Law: what
//! several instructions with other layouts are called is refused, with their names.

use super::Dialect;
use super::build::call;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

/// What CuTe calls an instruction of assembly.
enum Instruction {
    /// By its name.
    Named(String),
    /// Which of several it is, the text does not say: why, and what names it.
    Open(&'static str, String),
    /// By none that is known here.
    Unknown,
}

use Instruction::{Named, Open, Unknown};

/// How the names of instructions begin that are read here.
const PTX: [&str; 12] = [
    "mma.sync.",
    "mma.sp.",
    "mma.sp::",
    "wgmma.mma_async.",
    "ldmatrix.sync.",
    "stmatrix.sync.",
    "movmatrix.sync.",
    "tcgen05.ld.",
    "tcgen05.st.",
    "tcgen05.cp.",
    "tcgen05.mma.",
    "cp.async.c",
];
const SASS: [&str; 10] = ["HMMA.", "IMMA.", "DMMA.", "QMMA.", "BMMA.", "HGMMA.", "IGMMA.", "QGMMA.", "LDSM.", "STSM."];
const AMD: [&str; 8] = [
    "v_mfma_",
    "v_wmma_",
    "llvm.amdgcn.mfma.",
    "llvm.amdgcn.wmma.",
    "rocdl.mfma.",
    "rocdl.wmma.",
    "__builtin_amdgcn_mfma_",
    "__builtin_amdgcn_wmma_",
];

/// The layouts of an instruction that are named behind it.
const LAYOUTS: [&str; 9] = [".A", ".B", ".C", ".E", ".SFA", ".SFB", ".Src", ".Dst", ".Ref"];

impl Cursor<'_> {
    /// An instruction of assembly, where its name is at hand.
    pub(in crate::notation) fn assembly(&mut self) -> Result<Option<Expr>> {
        let start = self.token.span;
        let text = self.text_from(start);
        if !self.text_after(start).starts_with('.') && !text.starts_with("v_") && !text.starts_with("__builtin") {
            return Ok(None);
        }
        let begins = |names: &[&str]| names.iter().any(|name| text.starts_with(name));
        let read: fn(&str, &str) -> Instruction = if begins(&PTX) {
            ptx
        } else if begins(&SASS) {
            sass
        } else if begins(&AMD) {
            |name, _| amd(name)
        } else {
            return Ok(None);
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
        let name = text.get(..text.find(|c| !is_part(c)).unwrap_or(text.len())).unwrap_or_default();
        let name = name.trim_end_matches(['.', ':']);
        // `HMMA.16816.F32.A`: a layout of the instruction, as behind any other.
        let part = LAYOUTS.iter().find_map(|part| name.strip_suffix(part));
        let name = part.unwrap_or(name);
        let (operands, length) = operands(text.get(name.len()..).unwrap_or_default());
        let span = Span::new(start.start, start.start + name.len());
        let named = match read(name, operands) {
            Named(named) => named,
            Open(why, help) => return Err(SyntaxError::new(code::UNEXPECTED_TOKEN, span, why).with_help(help)),
            Unknown => {
                let message = format!("`{name}` is no instruction of assembly that is known here");
                return Err(SyntaxError::new(code::UNKNOWN_NAME, span, message)
                    .with_help("such as mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32, HMMA.16816.F32 or v_mfma_f32_32x32x8_f16"));
            }
        };
        let length = name.len() + length;
        if length > name.len() {
            self.remark("the operands of the instruction are left out");
        }
        let atom = self.read_elsewhere(ExprKind::Unknown { name: Some(named), div: 1 }, start, length)?;
        self.spelled(Dialect::Assembly);
        Ok(Some(call("atom", span, vec![Expr::new(atom.kind, span)], self.since(start))))
    }
}

/// The registers behind the name of an instruction and how long they are with the `;` at their end; nothing where no register follows.
fn operands(rest: &str) -> (&str, usize) {
    let own = rest.trim_start_matches([' ', '\t']);
    let is_register = |letters: &str| {
        own.strip_prefix(letters).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '['))
    };
    let is_operand = own.starts_with(['{', '%', '[']) || ["R", "v", "a"].into_iter().any(is_register);
    if own.len() == rest.len() || !is_operand {
        return ("", 0);
    }
    let line = rest.split('\n').next().unwrap_or_default();
    match line.find(';') {
        Some(end) => (line.get(..end).unwrap_or_default().trim(), end + 1),
        None => (line.trim(), line.len()),
    }
}

/// A type as PTX and SASS write it, as CuTe does.
pub(super) fn element(text: &str) -> Option<&'static str> {
    const ELEMENTS: [&str; 12] = ["F16", "BF16", "F32", "TF32", "F64", "S8", "U8", "S4", "U4", "S32", "E4M3", "E5M2"];
    if text.eq_ignore_ascii_case("b1") {
        return Some("U1");
    }
    ELEMENTS.into_iter().find(|element| element.eq_ignore_ascii_case(text))
}

/// `m16n8k16` as numbers.
fn extents(part: &str) -> Option<[&str; 3]> {
    let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let all = [m, n, k];
    all.iter().all(|extent| is_number(extent)).then_some(all)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 6 && text.chars().all(|c| c.is_ascii_digit())
}

/// What else stands in the names of PTX: places, numbers of matrices, and what does not say where an element lies.
const MODIFIERS: [&str; 42] = [
    "sync",
    "aligned",
    "row",
    "col",
    "satfinite",
    "xor",
    "and",
    "popc",
    "block_scale",
    "scale_vec::1X",
    "scale_vec::2X",
    "scale_vec::4X",
    "m8n8",
    "m16n16",
    "m8n16",
    "m16n8",
    "x1",
    "x2",
    "x4",
    "x8",
    "x16",
    "x32",
    "x64",
    "x128",
    "trans",
    "shared",
    "shared::cta",
    "global",
    "b16",
    "b8",
    "b32",
    "b8x16",
    "b4x16_p64",
    "b6x16_p32",
    "pack::16b",
    "unpack::16b",
    "warpx4",
    "warpx2::02_13",
    "warpx2::01_23",
    "L2::128B",
    "L2::256B",
    "L2::cache_hint",
];

/// Whether a part of a name behind its first one is known.
fn is_part_of_ptx(part: &str) -> bool {
    let is_shape = || part.strip_suffix('b').and_then(|part| part.split_once('x')).is_some();
    let is_type = || element(part).is_some() || extents(part).is_some() || matches!(part, "e3m2" | "e2m3" | "e2m1");
    MODIFIERS.contains(&part)
        || is_type()
        || is_shape()
        || ["kind::", "cta_group::", "ue8m0", "ue4m3", "16x32bx2"].iter().any(|known| part.starts_with(known))
}

/// Whether half of the elements of A are left out; in which order the rest is listed does not move them.
fn is_sparse(part: &str) -> bool {
    matches!(part, "sp" | "sp::ordered_metadata")
}

fn ptx(name: &str, operands: &str) -> Instruction {
    let parts: Vec<&str> = name.split('.').collect();
    // The instruction has one word or two.
    let is_known = |part: &&str| is_part_of_ptx(part) || matches!(*part, "cg" | "ca") || is_sparse(part);
    let words = if parts.first() == Some(&"mma") { 1 } else { 2 };
    if !name.starts_with("tcgen05.mma.") && !parts.iter().skip(words).all(is_known) {
        return Unknown;
    }
    let has = |part: &str| parts.contains(&part);
    let made = match parts.as_slice() {
        ["mma", "sync", ..] => warp_product(&parts),
        ["mma", sparse, "sync", ..] if is_sparse(sparse) => warp_product(&parts),
        ["wgmma", "mma_async", ..] => group_product(&parts, operands),
        ["ldmatrix" | "stmatrix", ..] => matrices(&parts),
        ["movmatrix", ..] if has("m8n8") && has("trans") && has("b16") => Some(Named("SM75_U32x1_MOVM_T".to_owned())),
        ["tcgen05", way @ ("ld" | "st"), ..] => tensor_memory(&parts, if *way == "ld" { "LOAD" } else { "STORE" }),
        ["tcgen05", "cp", ..] => into_tensor_memory(&parts),
        ["tcgen05", "mma", ..] => Some(Open(
            "the extents and types of tcgen05.mma are in its instruction descriptor, not in its name",
            "decode_instruction_descriptor(f16, \"0x08410010\") reads one; atom(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,64>) is such an instruction".to_owned(),
        )),
        ["cp", "async", "cg", ..] => Some(Named("SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>".to_owned())),
        // The bytes that are written come before those that are read, if both are there.
        ["cp", "async", "ca", ..] => Some(match operands.split(',').map(str::trim).find(|part| is_number(part)) {
            Some("4") => Named("SM80_CP_ASYNC_CACHEALWAYS<uint32_t>".to_owned()),
            Some("8") => Named("SM80_CP_ASYNC_CACHEALWAYS<uint64_t>".to_owned()),
            Some("16") => Named("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>".to_owned()),
            _ => Open(
                "how many bytes cp.async.ca copies is an operand: 4, 8 or 16",
                "write it whole, `cp.async.ca.shared.global [%r1], [%rd1], 8;`, or atom(SM80_CP_ASYNC_CACHEALWAYS<uint64_t>)"
                    .to_owned(),
            ),
        }),
        _ => None,
    };
    made.unwrap_or(Unknown)
}

/// `mma.sync`: the types of D, A, B and C are its last ones before the operation of single bits.
fn warp_product(parts: &[&str]) -> Option<Instruction> {
    let at = parts.iter().position(|part| extents(part).is_some())?;
    let [m, n, k] = extents(parts.get(at)?)?;
    let has = |part: &str| parts.contains(&part);
    let orders: Vec<&str> = parts.iter().copied().filter(|part| matches!(*part, "row" | "col")).collect();
    let letter = |order: &str| if order == "row" { 'T' } else { 'N' };
    let orders: String = orders.into_iter().map(letter).collect();
    if let Some(kind) = parts.iter().find(|part| part.starts_with("kind::")) {
        return Some(orders).filter(|orders| orders == "TN").and_then(|_| bytes_of_sm120(parts, kind, [m, n, k]));
    }
    let types: Vec<&str> = parts.get(at + 1..)?.iter().copied().filter_map(element).collect();
    let [d, a, b, c] = types.as_slice() else { return None };
    let types = [*d, *a, *b, *c].concat();
    let sparse = if parts.iter().any(|part| is_sparse(part)) { "SPARSE_" } else { "" };
    let generation = match (m, n, k, *a) {
        ("8", "8", "4", "F16") => return Some(Named(format!("SM70_8x8x4_{types}_{orders}"))),
        (_, _, _, "E4M3" | "E5M2") => 89,
        ("16", .., "F64") => 90,
        _ => 80,
    };
    let after = match (has("satfinite"), has("xor"), has("and")) {
        (true, ..) => "_SATURATE",
        (_, true, _) => "_XORPOPC",
        (.., true) => "_ANDPOPC",
        _ => "",
    };
    Some(Named(format!("SM{generation}_{sparse}{m}x{n}x{k}_{types}_{orders}{after}")))
}

/// `mma.sync` with `.kind::…`, whose types CuTe has as template arguments.
fn bytes_of_sm120(parts: &[&str], kind: &str, [m, n, k]: [&str; 3]) -> Option<Instruction> {
    let of = |part: &&str| match *part {
        "f32" => Some("float"),
        "f16" => Some("half_t"),
        "e4m3" => Some("float_e4m3_t"),
        "e5m2" => Some("float_e5m2_t"),
        "e3m2" => Some("float_e3m2_t"),
        "e2m3" => Some("float_e2m3_t"),
        "e2m1" => Some("float_e2m1_t"),
        "ue8m0" => Some("float_ue8m0_t"),
        "ue4m3" => Some("float_ue4m3_t"),
        _ => None,
    };
    let types: Vec<&str> = parts.iter().filter_map(of).collect();
    let named = match (types.as_slice(), kind) {
        ([d, a, b, c], "kind::f8f6f4") if d == c => {
            let sparse = if parts.iter().any(|part| is_sparse(part)) { "SPARSE_" } else { "" };
            format!("SM120_{sparse}{m}x{n}x{k}_TN<{a},{b},{c}>")
        }
        _ if parts.iter().any(|part| is_sparse(part)) => return None,
        ([d, a, b, c, scale], "kind::mxf4" | "kind::mxf4nvf4" | "kind::mxf8f6f4") if d == c => {
            let elements = if parts.contains(&"scale_vec::4X") { 16 } else { 32 };
            format!("SM120_{m}x{n}x{k}_TN_VS<{a},{b},{c},{scale},{elements}>")
        }
        _ => return None,
    };
    Some(Named(named))
}

/// `wgmma`: A lies in shared memory, of which an operand is the descriptor, or in registers.
fn group_product(parts: &[&str], operands: &str) -> Option<Instruction> {
    let at = parts.iter().position(|part| extents(part).is_some())?;
    let [m, n, k] = extents(parts.get(at)?)?;
    let types: Vec<&str> = parts.get(at + 1..)?.iter().copied().filter_map(element).collect();
    let [d, a, b] = types.as_slice() else { return None };
    let fixed = if matches!(*a, "F16" | "BF16") { "" } else { "_TN" };
    let saturates = if parts.contains(&"satfinite") { "_SATURATE" } else { "" };
    let family = if parts.contains(&"sp") { "SM90::GMMA::SPARSE::GMMA" } else { "SM90" };
    let named = |memory: &str| format!("{family}_{m}x{n}x{k}_{d}{a}{b}_{memory}{fixed}{saturates}");
    let second = operands.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(_, rest)| rest);
    Some(match second.map(|rest| rest.trim_start_matches([',', ' ', '\t'])) {
        Some(second) if second.starts_with('{') => Named(named("RS")),
        Some(second) if !second.is_empty() => Named(named("SS")),
        _ => in_one_of_two(&named),
    })
}

/// A product of a warp group whose name alone is known.
fn in_one_of_two(named: &dyn Fn(&str) -> String) -> Instruction {
    Open(
        "whether A of this instruction lies in shared memory or in registers, its operands say",
        format!("write atom({}) for shared memory, atom({}) for registers", named("SS"), named("RS")),
    )
}

/// `ldmatrix` and `stmatrix`: how many matrices of which elements, and whether transposed.
fn matrices(parts: &[&str]) -> Option<Instruction> {
    let has = |part: &str| parts.contains(&part);
    let count: usize = parts.iter().find_map(|part| part.strip_prefix('x')?.parse().ok())?;
    let loads = parts.first() == Some(&"ldmatrix");
    let (way, generation) = if loads { ("LDSM", 75) } else { ("STSM", 90) };
    let named = if has("m8n8") && has("b16") {
        eight_by_eight(generation, way, count, has("trans"))?
    } else if loads && has("m16n16") && has("trans") && has("b8") {
        format!("SM100_U8x{}_LDSM_T", 8 * count)
    } else if !loads && has("m16n8") && has("trans") && has("b8") {
        format!("SM100_U8x{}_STSM_T", 4 * count)
    } else if loads && has("m8n16") && has("b8x16") {
        let bits = if has("b4x16_p64") { 4 } else { 6 };
        format!("SM100_SU{bits}_DU8x16_x{count}_LDSM_N")
    } else {
        return None;
    };
    Some(Named(named))
}

/// Matrices of eight rows of 16 bytes.
pub(super) fn eight_by_eight(generation: i64, way: &str, count: usize, is_transposed: bool) -> Option<String> {
    let count = Some(count).filter(|count| [1, 2, 4].contains(count))?;
    Some(match is_transposed {
        true => format!("SM{generation}_U16x{}_{way}_T", 2 * count),
        false => format!("SM{generation}_U32x{count}_{way}_N"),
    })
}

/// `tcgen05.ld` and `.st`: data paths, bits and repetitions.
fn tensor_memory(parts: &[&str], way: &str) -> Option<Instruction> {
    let (paths, bits) = parts.iter().find_map(|part| part.strip_suffix('b')?.split_once('x')).or_else(|| {
        // Its two halves are at two addresses.
        parts.contains(&"16x32bx2").then_some(("16", "32"))
    })?;
    let count = parts.iter().find_map(|part| part.strip_prefix('x').filter(|count| is_number(count)))?;
    let packed = if parts.iter().any(|part| matches!(*part, "pack::16b" | "unpack::16b")) { "_16b" } else { "" };
    let known = is_number(paths) && is_number(bits);
    known.then(|| Named(format!("SM100_TMEM_{way}_{paths}dp{bits}b{count}x{packed}")))
}

/// `tcgen05.cp`: from shared into tensor memory.
fn into_tensor_memory(parts: &[&str]) -> Option<Instruction> {
    let ctas = parts.iter().find_map(|part| part.strip_prefix("cta_group::"))?;
    let has = |part: &str| parts.contains(&part);
    let what = if has("64x128b") && has("warpx2::02_13") {
        "2x64dp128bitlw0213".to_owned()
    } else if has("64x128b") && has("warpx2::01_23") {
        "2x64dp128bitlw0123".to_owned()
    } else if has("32x128b") && has("warpx4") {
        "4x32dp128bit".to_owned()
    } else {
        let (paths, bits) = parts.iter().find_map(|part| part.strip_suffix('b')?.split_once('x'))?;
        format!("{paths}dp{bits}bit")
    };
    Some(Named(format!("SM100_UTCCP_{what}_{ctas}cta")))
}

fn sass(name: &str, _: &str) -> Instruction {
    let parts: Vec<&str> = name.split('.').collect();
    let made = match parts.as_slice() {
        [way @ ("LDSM" | "STSM"), "16", matrices @ ("M88" | "MT88"), rest @ ..] if rest.len() < 2 => {
            let count = rest.first().map_or(Some(1), |count| count.parse().ok());
            let generation = if *way == "LDSM" { 75 } else { 90 };
            count.and_then(|count| eight_by_eight(generation, way, count, *matrices == "MT88")).map(Named)
        }
        [kind, extents, types @ ..] => listed_product(kind, extents, types),
        _ => None,
    };
    made.unwrap_or(Unknown)
}

/// `HMMA.16816.F32` and the like: C first, and A and B where they are not of 16 bits.
fn listed_product(kind: &str, extents: &str, types: &[&str]) -> Option<Instruction> {
    let saturates = if types.contains(&"SAT") { "_SATURATE" } else { "" };
    if kind == "HMMA" && extents == "884" {
        let help = "write atom(SM70_8x8x4_F32F16F16F32_TN), or NT, NN, TT".to_owned();
        return Some(Open("HMMA.884 is a step of the instruction, and does not say how A and B are stored", help));
    }
    let after = match (kind, types) {
        ("BMMA", ["XOR", "POPC"]) => "_XORPOPC",
        ("BMMA", ["AND", "POPC"]) => "_ANDPOPC",
        _ => saturates,
    };
    let is_type = |part: &&&str| !matches!(**part, "SAT") && kind != "BMMA";
    let types: Option<Vec<&str>> = types.iter().filter(is_type).map(|part| element(part)).collect();
    let types = types?;
    let (c, a, b) = match (kind, types.as_slice()) {
        ("HMMA" | "HGMMA", [c]) => (*c, "F16", "F16"),
        ("HMMA" | "HGMMA", [c, a]) => (*c, *a, *a),
        ("IMMA" | "IGMMA", [a, b]) => ("S32", *a, *b),
        ("QMMA" | "QGMMA", [c, a, b]) => (*c, *a, *b),
        ("DMMA", []) => ("F64", "F64", "F64"),
        ("BMMA", []) if !after.is_empty() => ("S32", "U1", "U1"),
        _ => return None,
    };
    if kind.ends_with("GMMA") {
        let fixed = if matches!(a, "F16" | "BF16") { "" } else { "_TN" };
        return Some(in_one_of_two(&|memory| format!("SM90_{extents}_{c}{a}{b}_{memory}{fixed}{saturates}")));
    }
    // `16816` is 16 x 8 x 16, `8816` 8 x 8 x 16; Hopper writes `16x8x16` of doubles.
    let split: Vec<&str> = extents.split('x').collect();
    let (m, n, k) = match split.as_slice() {
        [m, n, k] => (*m, *n, *k),
        _ => {
            let (m, rest) = extents.split_at_checked(if extents.starts_with("16") { 2 } else { 1 })?;
            (m, rest.get(..1)?, rest.get(1..)?)
        }
    };
    let generation = match (kind, m) {
        ("QMMA", _) => 89,
        ("DMMA", "16") => 90,
        _ => 80,
    };
    let all = [m, n, k].iter().all(|extent| is_number(extent));
    all.then(|| Named(format!("SM{generation}_{m}x{n}x{k}_{c}{a}{b}{c}_TN{after}")))
}

/// MFMA and WMMA: `v_mfma_f32_32x32x8_f16`. Older assembly and LLVM leave out the `_` before the type.
fn amd(name: &str) -> Instruction {
    let plain = name.replace('.', "_");
    let Some(at) = ["mfma_", "wmma_"].into_iter().find_map(|kind| plain.find(kind)) else { return Unknown };
    let (kind, rest) = plain.split_at(at).1.split_at(5);
    let (is_scaled, rest) = rest.strip_prefix("scale_").map_or((false, rest), |rest| (true, rest));
    let mut parts = rest.split('_').filter(|part| !part.is_empty());
    let (Some(result), Some(extents)) = (parts.next(), parts.next()) else { return Unknown };
    // Where the type follows the extents at once.
    let end = extents.find(|c: char| !c.is_ascii_digit() && c != 'x').unwrap_or(extents.len());
    let (extents, first) = match extents.split_at(end) {
        // `32x32x4xf32`: the x is that of the type.
        (own, "f32") if own.ends_with('x') => (own.trim_end_matches('x'), "xf32"),
        split => split,
    };
    let types: Vec<&str> = Some(first).filter(|first| !first.is_empty()).into_iter().chain(parts).collect();
    let of = |text: &str| match text {
        "f16" => Some("F16"),
        "bf16" => Some("BF16"),
        "f32" => Some("F32"),
        "xf32" => Some("TF32"),
        "f64" => Some("F64"),
        "i8" => Some("S8"),
        "fp8" => Some("E4M3"),
        "bf8" => Some("E5M2"),
        "i32" => Some("S32"),
        _ => None,
    };
    let Some(c) = of(result) else { return Unknown };
    let is_mfma = kind == "mfma_";
    let (a, b) = match types.as_slice() {
        // As many blocks as K of other instructions of these extents would be.
        ["bf16", "1k"] if !matches!(extents, "32x32x8" | "16x16x16") => return Unknown,
        ["bf16", "1k"] => ("BF16", "BF16"),
        ["f8f6f4"] => {
            let family = match is_mfma {
                true => format!("GFX9_MFMA_SCALE_{extents}"),
                false => format!("GFX1250_WMMA_SCALE_{extents}"),
            };
            return Open(
                "the types of A and B are operands of the instruction, not in its name",
                format!("write them, as in atom({family}_F32E2M1E2M1F32)"),
            );
        }
        [integers @ ("iu8" | "iu4")] => {
            let bits = integers.trim_start_matches("iu");
            return Open(
                "whether A and B have a sign, the operands of the instruction say",
                format!("write it, as in atom(GFX12_WMMA_{extents}_S32S{bits}S{bits}S32)"),
            );
        }
        [one] | [one, "w32"] => match of(one) {
            Some(one) => (one, one),
            None => return Unknown,
        },
        [a, b] | [a, b, "w32"] => match (of(a), of(b)) {
            (Some(a), Some(b)) => (a, b),
            _ => return Unknown,
        },
        _ => return Unknown,
    };
    if is_scaled {
        return Unknown;
    }
    let types = [c, a, b, c].concat();
    match (is_mfma, extents) {
        (true, _) => Named(format!("GFX9_MFMA_{extents}_{types}")),
        (false, "16x16x16") if !matches!(a, "E4M3" | "E5M2") => Open(
            "GFX11 and GFX12 have an instruction of this name, with other layouts",
            format!("write atom(GFX11_WMMA_{extents}_{types}) or atom(GFX12_WMMA_{extents}_{types})"),
        ),
        (false, "16x16x16") => Named(format!("GFX12_WMMA_{extents}_{types}")),
        (false, _) => Named(format!("GFX1250_WMMA_{extents}_{types}")),
    }
}
