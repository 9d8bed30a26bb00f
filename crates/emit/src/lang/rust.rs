//! Rust: a `const fn` of `i64`. It returns an integer, or an array of several, in an `Option` where there is padding.

use crate::function::Function;
use crate::print::{Body, Infix, Line, identifiers};

/// Words of Rust that are no names there and may be names of dims.
const KEYWORDS: [&str; 37] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn",
    "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while",
];

pub(super) fn function(function: &Function) -> String {
    let mut names = identifiers(&function.arguments, &KEYWORDS);
    // The compiler warns of a parameter that nothing reads unless its name begins so.
    for at in (0..names.len()).filter(|at| !function.code.reads(*at)) {
        let mut unread = format!("_{}", names.get(at).map_or("", String::as_str));
        while names.contains(&unread) {
            unread.push('_');
        }
        if let Some(name) = names.get_mut(at) {
            *name = unread;
        }
    }
    let number = |n: i64| if n < 0 { format!("({n})") } else { n.to_string() };
    let infix = Infix { number: &number, divide: "/", entry: &|at, index| format!("TABLE{at}[{index}]") };
    let body = Body::of(&function.code, &names, "t", &infix);
    let pads = !function.code.checks.is_empty();
    let parameters: Vec<String> = names.iter().map(|name| format!("{name}: i64")).collect();
    let one = function.results.len() == 1;
    let inner = if one { "i64".to_owned() } else { format!("[i64; {}]", function.results.len()) };
    let returned = if pads { format!("Option<{inner}>") } else { inner };
    let mut text = format!("/// {}\n", function.about);
    text.push_str(&format!("pub const fn {}({}) -> {returned} {{\n", function.name, parameters.join(", ")));
    for line in &body.lines {
        text.push_str(&match line {
            Line::Let(name, value) => format!("    let {name} = {value};\n"),
            Line::Check(holds) => format!("    if !({}) {{\n        return None;\n    }}\n", holds.join(" && ")),
        });
    }
    let result = match body.results.as_slice() {
        [result] => result.clone(),
        results => format!("[{}]", results.join(", ")),
    };
    text.push_str(&if pads { format!("    Some({result})\n}}\n") } else { format!("    {result}\n}}\n") });
    text
}
