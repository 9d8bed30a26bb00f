//! Every operation on hostile numbers: extents of 0 and 1, strides and sizes at the ends of 64 bits, unknown sizes. No answer may
//! panic or hang; what is answered reads back.

use bitstride_lang::{Value, operations};

use super::super::Case;
use super::super::outcome::Outcome;
use super::super::source::Source;
use super::said;

const NUMBERS: [&str; 22] = [
    "1",
    "0",
    "2",
    "-1",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775807",
    "-9223372036854775808",
    "2147483648",
    "4294967296",
    "3",
    "1000003",
    "M",
    "N{div=8}",
    "?",
    "5?",
    "?{div=4}",
    "65536",
    "1048576",
    "7",
    "64",
    "_",
];

const OTHERS: [&str; 12] = [
    "Sw<3,4,3>",
    "Sw<1,0,61>",
    "Sw<3,3,3> o 0 o (8,64):(64,1)",
    "f32[4611686018427387904,2]{1,0}",
    "f32[0,5]{1,0:T(8,128)}",
    "bf16[1073741824,1073741824]{1,0:T(8,128)(2,1)}",
    "linear<{register=[[1],[2]], lane=[]}, out=[dim0:4]>",
    "tensor((4611686018427387904,2), (1,4611686018427387904))",
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>",
    "<_, 2>",
    "lane",
    "true",
];

pub(super) fn draw(source: &mut Source) -> Case {
    let names: Vec<(&str, (usize, usize))> =
        operations().map(|operation| (operation.name, operation.arity())).collect();
    let (name, (least, most)) = source.of(&names);
    let count = source.count(least, most.min(least + 1));
    let arguments: Vec<String> = (0..count).map(|_| argument(source)).collect();
    let text = format!("{name}({})", arguments.join(", "));
    Case::new(text.clone(), move || match said(&text) {
        Err(_) => Outcome::Refused,
        Ok(Value::Text(_)) => Outcome::Right,
        Ok(value) => {
            let shown = value.to_string();
            match said(&shown) {
                Ok(again) if again == value => Outcome::Right,
                Ok(again) => Outcome::Wrong(format!("{shown} is read as {again}")),
                Err(error) => Outcome::Wrong(format!("{shown} is not read: {error}")),
            }
        }
    })
}

fn argument(source: &mut Source) -> String {
    match source.below(8) {
        0 => source.of(&OTHERS).to_owned(),
        1 => source.of(&NUMBERS).to_owned(),
        2 => numbers(source),
        3 => format!("<{}, {}>", layout(source), source.of(&NUMBERS)),
        _ => layout(source),
    }
}

fn numbers(source: &mut Source) -> String {
    let count = source.count(1, 3);
    let entries: Vec<&str> = (0..count).map(|_| source.of(&NUMBERS)).collect();
    format!("({})", entries.join(","))
}

fn layout(source: &mut Source) -> String {
    let count = source.count(1, 3);
    let side = |source: &mut Source| {
        let entries: Vec<&str> = (0..count).map(|_| source.of(&NUMBERS[..21])).collect();
        if count == 1 { entries.concat() } else { format!("({})", entries.join(",")) }
    };
    format!("{}:{}", side(source), side(source))
}
