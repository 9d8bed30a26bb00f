//! Triton: a `@triton.jit` function of integers or blocks of integers. Where there is padding, the last result is the mask of
//! what is none.

use crate::function::Function;
use crate::print::{Body, Infix, Line, identifiers};

/// Words that are no names in a kernel and may be names of dims.
const KEYWORDS: [&str; 25] = [
    "and", "as", "assert", "async", "await", "class", "def", "del", "for", "from", "global", "if", "import", "in",
    "is", "lambda", "mask", "not", "or", "pass", "return", "tl", "try", "with", "yield",
];

/// A function on blocks; outside of a kernel it is one of tensors of 64-bit integers.
pub(crate) fn function(function: &Function, in_kernel: bool) -> String {
    let names = identifiers(&function.arguments, &KEYWORDS);
    let number = |n: i64| if n < 0 { format!("({n})") } else { n.to_string() };
    let infix = Infix { number: &number, divide: "//", entry: &|at, index| format!("table{at}[{index}]") };
    let body = Body::of(&function.code, &names, "t", &infix);
    let head = if in_kernel { "@triton.jit\n" } else { "" };
    let mut text = format!("{head}def {}({}):\n    # {}\n", function.name, names.join(", "), function.about);
    // Integers have a sign there, so that 32 bits hold 31.
    if in_kernel && function.code.width(true).wide {
        for name in &names {
            text.push_str(&format!("    {name} = tl.cast({name}, tl.int64)\n"));
        }
    }
    let mut is_first = true;
    for line in &body.lines {
        text.push_str(&match line {
            Line::Let(name, value) => format!("    {name} = {value}\n"),
            Line::Check(holds) => {
                let holds: Vec<String> = holds.iter().map(|part| format!("({part})")).collect();
                let holds = holds.join(" & ");
                let text =
                    if is_first { format!("    mask = {holds}\n") } else { format!("    mask = mask & {holds}\n") };
                is_first = false;
                text
            }
        });
    }
    let mut results = body.results;
    if !is_first {
        results.push("mask".to_owned());
    }
    text.push_str(&format!("    return {}\n", results.join(", ")));
    text
}
