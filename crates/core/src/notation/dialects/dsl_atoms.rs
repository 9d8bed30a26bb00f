//! CuTe DSL: types of instructions, and of their copies over a tile, as its compiler prints them.
//!
//! | text | reads as |
//! |---|---|
//! | `!cute_nvgpu.atom.universal_copy<f16, 128 b>`, `simt_async_copy<f16, cache = global, 128 b>` | `copy_atom(atom(UniversalCopy<128>), 16)` |
//! | `!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, t>`, `stsm<…>` | `copy_atom(atom(SM75_U16x8_LDSM_T), 16)` |
//! | `!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x16>`, `tmem_store<…>` | `copy_atom(atom(SM100_TMEM_LOAD_32dp32b16x), 32)` |
//! | `!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>`, `sm90.mma`, `sm100.mma` | `atom(SM80_16x8x16_F32F16F16F32_TN)` |
//! | `!cute.tiled_copy<ATOM, layout_copy_tv = <"L">, tiler_mn = <"[16:1;64:1]">>` | `tiled_copy_tv(ATOM, L, <16:1, 64:1>)` |
//! | `!cute.tiled_mma<ATOM, atom_layout_MNK = <"L">, permutation_MNK = <"[32:1;_;_]">>` | `tiled_mma(ATOM, L, <32:1, _, _>)` |

use super::Dialect;
use super::assembly::{eight_by_eight, element};
use super::atom_calls::{ASYNC, UNSIZED};
use super::build::call;
use super::dsl_prints::element_bits;
use super::type_names;
use crate::notation::cursor::{Cursor, Result};
use crate::notation::lexer::TokenKind;
use crate::notation::{Expr, ExprKind, Span, SyntaxError, code};

impl Cursor<'_> {
    /// Whether a type of an instruction or of its copies over a tile is at hand.
    pub(in crate::notation) fn is_dsl_atom(&self) -> bool {
        let word = self.token.span.of(self.text());
        word.starts_with("!cute_nvgpu.") || matches!(word, "!cute.tiled_copy" | "!cute.tiled_mma")
    }

    /// Such a type.
    pub(in crate::notation) fn dsl_atom_type(&mut self) -> Result<Expr> {
        let start = self.token.span;
        let (operation, fields): (&str, [&str; 2]) = match start.of(self.text()) {
            "!cute.tiled_copy" => ("tiled_copy_tv", ["layout_copy_tv", "tiler_mn"]),
            "!cute.tiled_mma" => ("tiled_mma", ["atom_layout_MNK", "permutation_MNK"]),
            _ => return self.dsl_atom(),
        };
        self.advance();
        let open = self.enter()?;
        if !self.token.span.of(self.text()).starts_with("!cute_nvgpu.") {
            return Err(self.expected("the type of an instruction, as in `!cute_nvgpu.sm80.mma<…>`"));
        }
        let atom = self.dsl_atom()?;
        let mut parts = match operation {
            "tiled_mma" => vec![atom],
            _ => Vec::from(self.atom_and_bits(atom)?),
        };
        for field in fields {
            let is_there = self.eat(TokenKind::Comma);
            if !is_there && field == "permutation_MNK" {
                break;
            }
            if !is_there || self.token.span.of(self.text()) != field {
                return Err(self.expected(&format!("`, {field} = <\"…\">`")));
            }
            self.advance();
            self.require(TokenKind::Equals, "`=`")?;
            let quotes = self.enter()?;
            if !self.at(TokenKind::Text) {
                return Err(self.expected("a layout in quotes"));
            }
            parts.push(self.quoted_part(field.starts_with("tiler") || field.starts_with("permutation"))?);
            self.leave(quotes, TokenKind::CloseAngle, "`>` after the quotes")?;
        }
        self.leave(open, TokenKind::CloseAngle, "`>` after the tile")?;
        self.spelled(Dialect::CuteDsl);
        Ok(call(operation, start, parts, self.since(start)))
    }

    /// `!cute_nvgpu.atom.ldsm<…>`
    fn dsl_atom(&mut self) -> Result<Expr> {
        let start = self.token.span;
        let name = start.of(self.text()).trim_start_matches("!cute_nvgpu.");
        let name = name.strip_prefix("atom.").unwrap_or(name);
        let inside = self.text().get(start.end..).and_then(|rest| rest.trim_start().strip_prefix('<'));
        let Some((inside, end)) = inside.and_then(|rest| {
            let length = closing(rest)?;
            Some((rest.get(..length)?, self.text().len().saturating_sub(rest.len()).saturating_add(length)))
        }) else {
            self.advance();
            return Err(self.expected("`<`, what the instruction is, and `>`"));
        };
        let fields = fields(inside);
        let span = Span::new(start.start, end.saturating_add(1));
        let Some((instruction, bits)) = instruction(name, &fields) else {
            let message = format!("`{}` is no instruction whose layouts are known here", span.of(self.text()));
            return Err(SyntaxError::new(code::UNKNOWN_NAME, span, message).with_help(
                "read are universal_copy, universal_fma, simt_async_copy, ldsm and stsm of 8 x 8, tmem_load, tmem_store, and mma of sm80, sm90 and sm100",
            ));
        };
        if instruction == UNSIZED {
            self.remark("the compiler chooses how many elements one copy moves; here it is one");
        }
        self.skip_to(span.end);
        self.spelled(Dialect::CuteDsl);
        let atom = self.leaf(ExprKind::Unknown { name: Some(instruction), div: 1 }, span)?;
        let atom = call("atom", start, vec![atom], span);
        let Some(bits) = bits else { return Ok(atom) };
        let bits = self.leaf(ExprKind::Static(bits), span)?;
        Ok(call("copy_atom", start, vec![atom, bits], span))
    }
}

/// Where the bracket that was opened before `text` closes; those in quotes and of `->` do not count.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut is_quoted, mut before) = (1_usize, false, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '<' if !is_quoted => depth += 1,
            '>' if !is_quoted && before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        before = c;
    }
    None
}

/// What commas outside brackets part, each with its key, which is empty where there is none.
fn fields(text: &str) -> Vec<(&str, &str)> {
    let (mut depth, mut before) = (0_i32, ' ');
    let parts = text.split(move |c: char| {
        match c {
            '(' | '<' => depth += 1,
            ')' => depth -= 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = c;
        c == ',' && depth == 0
    });
    let keyed = |part| match str::split_once(part, '=') {
        Some((key, value)) => (key.trim(), value.trim()),
        None => ("", part.trim()),
    };
    parts.map(keyed).collect()
}

/// CuTe's name of an instruction, and the bits of an element of a copy.
fn instruction(name: &str, fields: &[(&str, &str)]) -> Option<(String, Option<i64>)> {
    let copy = |instruction: String, element: &str| Some((instruction, Some(element_bits(element)?)));
    let number = |text: &str| text.parse::<usize>().ok();
    let width = |text: &str| number(text.strip_suffix('b')?.trim());
    let matrices = |generation, way, element, count, order| {
        let is_transposed = matches!(order, "t").then_some(true).or((order == "n").then_some(false))?;
        copy(eight_by_eight(generation, way, number(count)?, is_transposed)?, element)
    };
    match (name, fields) {
        ("universal_copy", [("", element)]) => copy(UNSIZED.to_owned(), element),
        ("universal_copy", [("", element), ("", bits)]) => copy(format!("UniversalCopy<{}>", width(bits)?), element),
        ("simt_async_copy", [("", element), ("cache", cache @ ("always" | "global")), ("", bits)]) => {
            copy(format!("{ASYNC}{}<{}>", cache.to_ascii_uppercase(), width(bits)?), element)
        }
        (
            "ldsm",
            [("val_type", element), ("mode", mode), ("sz_pattern", "u16"), ("num_matrices", count), ("", order)],
        ) if is_eight_by_eight(mode) => matrices(75, "LDSM", *element, *count, *order),
        ("stsm", [("", element), ("mode", mode), ("num_matrices", count), ("", order)]) if is_eight_by_eight(mode) => {
            matrices(90, "STSM", *element, *count, *order)
        }
        ("tmem_load" | "tmem_store", [("", element), ("", paths), ("", bits), ("", count)]) => {
            let way = if name == "tmem_load" { "LOAD" } else { "STORE" };
            let paths = number(paths.strip_suffix("DP")?.trim())?;
            let bits = number(bits.strip_suffix("bit")?.trim())?;
            copy(format!("SM100_TMEM_{way}_{paths}dp{bits}b{}x", number(count.strip_prefix('x')?)?), element)
        }
        ("universal_fma", [("", "1x1x1"), ("", types)]) => {
            let (operands, result) = types.split_once("->")?;
            let (a, b) = operands.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
            let [d, a, b] = [result, a, b].map(|name| type_names::cpp(name.trim()));
            let (d, a, b) = (d?, a?, b?);
            Some((format!("UniversalFMA<{d},{a},{b},{d}>"), None))
        }
        ("sm80.mma", [("", shape), ("elem_type", types)]) => {
            let [a, b, c] = three(types, &|name| element(name))?;
            Some((format!("SM80_{shape}_{c}{a}{b}{c}_TN"), None))
        }
        ("sm90.mma", [("", shape), ("ab_major", _), ("elem_type", types), ("frag_kind", kind @ ("ss" | "rs"))]) => {
            let [a, b, c] = three(types, &|name| element(name).or_else(|| type_names::short(name)))?;
            let fixed = if matches!(a, "F16" | "BF16") { "" } else { "_TN" };
            Some((format!("SM90_{shape}_{c}{a}{b}_{}{fixed}", kind.to_ascii_uppercase()), None))
        }
        (
            "sm100.mma",
            [("", shape), ("num_cta", ctas), ("ab_major", majors), ("elem_type", types), ("frag_kind", kind), ..],
        ) => {
            let [a, b, c] = three(types, &type_names::cpp)?;
            let family = match a {
                "half_t" | "bfloat16_t" => "F16BF16",
                "tfloat32_t" => "TF32",
                "int8_t" | "uint8_t" => "S8",
                small if small.starts_with("float_") => "F8F6F4",
                _ => return None,
            };
            let ctas = match *ctas {
                "1" => "",
                "2" => "_2x1SM",
                _ => return None,
            };
            let (m, rest) = shape.split_once('x')?;
            let (n, _) = rest.split_once('x')?;
            let kind = Some(*kind).filter(|kind| matches!(*kind, "ss" | "ts"))?.to_ascii_uppercase();
            let [a_major, b_major] = match majors.trim_matches(['(', ')']).split_once(',') {
                Some((a, b)) => [a, b].map(|major| major.trim().to_ascii_uppercase()),
                None => return None,
            };
            let majors = format!("UMMA::Major::{a_major},UMMA::Major::{b_major}");
            Some((format!("SM100_MMA_{family}{ctas}_{kind}<{a},{b},{c},{m},{n},{majors}>"), None))
        }
        _ => None,
    }
}

/// Whether `<"(8,8)">` stands there.
fn is_eight_by_eight(mode: &str) -> bool {
    let inside = mode.strip_prefix('<').and_then(|mode| mode.strip_suffix('>'));
    inside.is_some_and(|inside| inside.trim() == "\"(8,8)\"")
}

/// `(f16, f16, f32)`: the types of A, B and C.
fn three(types: &str, of: &dyn Fn(&str) -> Option<&'static str>) -> Option<[&'static str; 3]> {
    let inside = types.trim().strip_prefix('(')?.strip_suffix(')')?;
    let types = inside.split(',').map(|name| of(name.trim())).collect::<Option<Vec<_>>>()?;
    types.try_into().ok()
}
