//! MLIR: a `func.func` over `index`, of 64 bits, in the dialect `arith`, one operation a line. Where there is padding, the last
//! result is an `i1` that says what is none.

use std::fmt::Write;

use crate::code::{Binary, Op, Ref};
use crate::function::Function;
use crate::print::identifiers;

pub(super) fn function(function: &Function) -> String {
    let code = &function.code;
    let names = identifiers(&function.arguments, &[]);
    let is_negative = |of: Ref| code.ranges.get(of.0).is_some_and(|range| range.is_negative());
    let mut named: Vec<String> = Vec::with_capacity(code.ops.len());
    let pads = !code.checks.is_empty();
    let mut types = vec!["index"; function.results.len()];
    if pads {
        types.push("i1");
    }
    let parameters: Vec<String> = names.iter().map(|name| format!("%{name}: index")).collect();
    let mut text = format!("// {}\n", function.about);
    let returned = if types.len() == 1 { types.concat() } else { format!("({})", types.join(", ")) };
    let _ = writeln!(text, "func.func @{}({}) -> {returned} {{", function.name, parameters.join(", "));
    for (at, op) in code.ops.iter().enumerate() {
        let of = |at: Ref| named.get(at.0).cloned().unwrap_or_default();
        let name = format!("%v{at}");
        match *op {
            Op::Argument(argument) => {
                named.push(format!("%{}", names.get(argument).cloned().unwrap_or_default()));
                continue;
            }
            Op::Number(n) => {
                let _ = writeln!(text, "  {name} = arith.constant {n} : index");
            }
            // No map has tables.
            Op::Entry(..) => {}
            Op::Binary(binary, left, right) => {
                let word = match binary {
                    Binary::Add => "addi",
                    Binary::Sub => "subi",
                    Binary::Mul => "muli",
                    Binary::Div => "divui",
                    Binary::Mod => "remui",
                    Binary::Shl => "shli",
                    Binary::Shr if is_negative(left) => "shrsi",
                    Binary::Shr => "shrui",
                    Binary::And => "andi",
                    Binary::Xor => "xori",
                };
                let _ = writeln!(text, "  {name} = arith.{word} {}, {} : index", of(left), of(right));
            }
        }
        named.push(name);
    }
    let of = |at: Ref| named.get(at.0).cloned().unwrap_or_default();
    let mut mask: Option<String> = None;
    for (at, check) in code.checks.iter().enumerate() {
        // Below 0 is far above any extent without a sign.
        let _ = writeln!(text, "  %e{at} = arith.constant {} : index", check.extent);
        let _ = writeln!(text, "  %c{at} = arith.cmpi ult, {}, %e{at} : index", of(check.of));
        mask = Some(match mask {
            None => format!("%c{at}"),
            Some(before) => {
                let _ = writeln!(text, "  %m{at} = arith.andi {before}, %c{at} : i1");
                format!("%m{at}")
            }
        });
    }
    let results: Vec<String> = code.results.iter().map(|result| of(*result)).chain(mask).collect();
    if results.is_empty() {
        text.push_str("  return\n}\n");
    } else {
        let _ = writeln!(text, "  return {} : {}\n}}", results.join(", "), types.join(", "));
    }
    text
}
