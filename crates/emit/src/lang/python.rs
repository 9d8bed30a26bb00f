//! Python: a function of integers. It returns an integer, or a tuple of several, and `None` for padding.

use crate::function::Function;
use crate::print::{Body, Infix, Line, identifiers};

/// Words of Python that are no names there and may be names of dims.
const KEYWORDS: [&str; 23] = [
    "and", "as", "assert", "async", "await", "class", "def", "del", "for", "from", "global", "if", "import", "in",
    "is", "lambda", "not", "or", "pass", "return", "try", "with", "yield",
];

pub(super) fn function(function: &Function) -> String {
    let names = identifiers(&function.arguments, &KEYWORDS);
    let number = |n: i64| if n < 0 { format!("({n})") } else { n.to_string() };
    let infix = Infix { number: &number, divide: "//", entry: &|at, index| format!("table{at}[{index}]") };
    let body = Body::of(&function.code, &names, "t", &infix);
    let mut text = format!("def {}({}):\n    \"\"\"{}\"\"\"\n", function.name, names.join(", "), function.about);
    for line in &body.lines {
        text.push_str(&match line {
            Line::Let(name, value) => format!("    {name} = {value}\n"),
            Line::Check(holds) => format!("    if not ({}):\n        return None\n", holds.join(" and ")),
        });
    }
    text.push_str(&match body.results.as_slice() {
        [result] => format!("    return {result}\n"),
        results => format!("    return ({})\n", results.join(", ")),
    });
    text
}
