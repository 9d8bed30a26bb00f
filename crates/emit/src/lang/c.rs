//! C and CUDA: a function of unsigned integers, or signed ones where a value may be negative; of 32 bits where all values fit.
//!
//! One result is returned, and -1 is padding. Several are written to `out`, and 0 is returned for padding, otherwise 1.

use crate::code::Width;
use crate::function::Function;
use crate::print::{Body, Infix, Line, identifiers};

/// Words of C, C++ and CUDA that are no names there and may be names of dims.
const KEYWORDS: [&str; 44] = [
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "default",
    "delete", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "int", "long", "new", "not",
    "or", "out", "register", "return", "short", "signed", "static", "struct", "switch", "this", "typedef", "union",
    "unsigned", "void", "volatile", "while", "xor",
];

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    C,
    Cuda,
}

/// The type of integers. CUDA's own names need no header, which NVRTC does not have.
pub(crate) fn integer(width: Width, cuda: bool) -> &'static str {
    match (cuda, width.wide, width.signed) {
        (false, false, false) => "uint32_t",
        (false, false, true) => "int32_t",
        (false, true, false) => "uint64_t",
        (false, true, true) => "int64_t",
        (true, false, false) => "unsigned",
        (true, false, true) => "int",
        (true, true, false) => "unsigned long long",
        (true, true, true) => "long long",
    }
}

/// A number as both write it.
pub(crate) fn literal(n: i64) -> String {
    match i32::try_from(n) {
        Ok(n) if n >= 0 => n.to_string(),
        Ok(n) if n > i32::MIN => format!("({n})"),
        // The number without its sign does not fit.
        _ if n == i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        _ if n < 0 => format!("({n}LL)"),
        _ => format!("{n}LL"),
    }
}

pub(super) fn function(function: &Function, family: Family) -> String {
    let code = &function.code;
    let is_cuda = family == Family::Cuda;
    let pads = !code.checks.is_empty();
    let one = function.results.len() == 1;
    let width = code.width(pads && one);
    let own = integer(width, is_cuda);
    let names = identifiers(&function.arguments, &KEYWORDS);
    let table = |at: usize| format!("{}_table{at}", function.name);
    let infix = Infix { number: &literal, divide: "/", entry: &|at, index| format!("{}[{index}]", table(at)) };
    let body = Body::of(code, &names, "t", &infix);
    let mut parameters: Vec<String> = names.iter().map(|name| format!("{own} {name}")).collect();
    let returned = match (one, pads) {
        (true, true) => integer(Width { signed: true, ..width }, is_cuda),
        (true, false) => own,
        (false, _) => "int",
    };
    if !one {
        parameters.push(format!("{own} out[{}]", function.results.len().max(1)));
    }
    if parameters.is_empty() {
        parameters.push("void".to_owned());
    }
    let mut text = format!("// {}\n", function.about);
    let prefix = if is_cuda { "static __host__ __device__ __forceinline__" } else { "static inline" };
    text.push_str(&format!("{prefix} {returned} {}({}) {{\n", function.name, parameters.join(", ")));
    let padding = if one { "-1" } else { "0" };
    for line in &body.lines {
        text.push_str(&match line {
            Line::Let(name, value) => format!("    const {own} {name} = {value};\n"),
            Line::Check(holds) => format!("    if (!({})) return {padding};\n", holds.join(" && ")),
        });
    }
    match body.results.as_slice() {
        [result] => text.push_str(&format!("    return {result};\n")),
        results => {
            for (at, result) in results.iter().enumerate() {
                text.push_str(&format!("    out[{at}] = {result};\n"));
            }
            text.push_str("    return 1;\n");
        }
    }
    text.push_str("}\n");
    text
}
