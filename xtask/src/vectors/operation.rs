//! Our own answer to a row, in the notation of the row.

use bitstride::notation::Ints;
use bitstride::{Code, Error, Int, Tuple};
use bitstride_lang::{Value, evaluate_with, operation};

use super::laws;
use super::row::Row;
use super::tiled;

/// More offsets than this were not recorded.
const MOST_OFFSETS: i64 = 1024;

/// What we say to a row.
#[derive(Clone, Debug)]
pub(crate) enum Ours {
    /// An answer, as text without blanks.
    Answer(String),
    /// A refusal.
    Refused(Error),
    /// There is no code for such rows.
    NoCode,
}

impl Ours {
    /// The text to compare and to print.
    pub(crate) fn text(&self) -> String {
        match self {
            Ours::Answer(text) => text.clone(),
            Ours::Refused(error) => format!("!{}", error.code().as_str()),
            Ours::NoCode => "no code".to_owned(),
        }
    }
}

/// Our answer to a row of the CuTe files.
pub(crate) fn answer(row: &Row) -> Ours {
    let ints = if row.is_cpp() { Ints::Cpp } else { Ints::Plain };
    match computed(row, ints) {
        Some(Ok(text)) if row.op == "print_layout" => Ours::Answer(text),
        Some(Ok(text)) => Ours::Answer(text.chars().filter(|c| *c != ' ').collect()),
        Some(Err(error)) => Ours::Refused(error),
        None => Ours::NoCode,
    }
}

fn computed(row: &Row, ints: Ints) -> Option<Result<String, Error>> {
    if tiled::owns(&row.file, &row.op) {
        return tiled::answer(row);
    }
    let all = row.operands.iter().map(|operand| spaced(operand)).collect::<Vec<_>>();
    let operands: Vec<&str> = all.iter().map(String::as_str).collect();
    let evaluated = |text: &str| evaluate_with(text, ints).map(|answer| answer.value);
    let display = |text: String| evaluated(&text).map(|value| value.display(ints));
    Some(match (row.op.as_str(), operands.as_slice()) {
        ("expr", _) => shown_document(row),
        ("print_layout", [a]) => {
            // The operand was recorded without its staticness, which the first line of the table tells.
            let first = row.answers.first().and_then(|(_, table)| table.lines().next()).unwrap_or_default();
            let same = first.replace(['_', ' '], "") == a.replace(' ', "");
            let (operand, ints) = if same { (first, Ints::Cpp) } else { (*a, ints) };
            evaluate_with(&format!("print_layout({operand})"), ints).map(|answer| answer.value.to_string())
        }
        ("coalesce_by", [a, by]) => display(format!("coalesce({a}, {by})")),
        ("complement0", [a]) => display(format!("complement({a})")),
        ("gcd_domain", [s, t]) => display(format!("greatest_common_domain({s}, {t})")),
        ("tile_to_shape_ord", [a, shape, order]) => display(format!("tile_to_shape({a}, {shape}, {order})")),
        ("crd2idx_l" | "call_oob", [at, a]) => display(format!("crd2idx({at}, {a})")),
        ("tiler_to_layout", [tiler]) => match laws::places(tiler) {
            Ok((whole, _)) => display(format!("composition({whole}, {tiler})")),
            Err(violation) => Err(Error::new(Code::Kind, violation.witness)),
        },
        ("composition_swizzle", [composed]) => display((*composed).to_owned()),
        ("eval", [a]) => evaluated(a).and_then(|value| offsets(&value, i64::MAX)),
        ("slice", [a, at]) => evaluated(&format!("slice({a}, {at})")).map(|value| shown("slice", &value, ints)),
        ("props", [a]) => {
            several(&["size", "rank", "depth", "cosize", "coshape", "flatten"], |name| display(format!("{name}({a})")))
        }
        ("compat", [s, t]) => several(&["compatible", "congruent", "weakly_congruent", "evenly_divides"], |name| {
            evaluated(&format!("{name}({s}, {t})"))
                .map(|value| if value == Value::Bool(true) { "1".to_owned() } else { "0".to_owned() })
        }),
        ("local_tile" | "local_partition", [a, tile, at]) => {
            evaluated(&format!("{}({a}, {tile}, {at})", row.op)).map(|value| match value {
                Value::Offset(slice) => format!("counting_iter({}) o {}", slice.offset, slice.layout),
                other => format!("counting_iter(0) o {other}"),
            })
        }
        (op, [bits, base, shift, rest @ ..]) if op.starts_with("sw_") => {
            let swizzle = format!("Sw<{bits},{base},{shift}>");
            return swizzled(op, &swizzle, rest).map(|text| {
                let value = evaluated(&text)?;
                let list = offsets(&value, MOST_OFFSETS)?;
                Ok(if op == "sw_apply" { list } else { format!("{}|{list}", value.display(ints)) })
            });
        }
        (op, operands) if operation(op.split('[').next().unwrap_or_default()).is_some() => {
            display(format!("{op}({})", operands.join(", ")))
        }
        _ => return None,
    })
}

/// A value as its operation's rows write it: a slice always shows its offset.
pub(crate) fn shown(op: &str, value: &Value, ints: Ints) -> String {
    let text = value.display(ints).replace(' ', "");
    match (op, value, ints) {
        ("slice", Value::Layout(_), Ints::Cpp) => format!("{text}+_0"),
        ("slice", Value::Layout(_), Ints::Plain) => format!("{text}+0"),
        _ => text,
    }
}

fn shown_document(row: &Row) -> Result<String, Error> {
    let text = |name: &str| row.fields.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
    let ints = if text("ints") == "cpp" { Ints::Cpp } else { Ints::Plain };
    evaluate_with(text("expr"), ints).map(|answer| answer.value.display(ints))
}

/// The expression of a swizzle operation.
pub(crate) fn swizzled(op: &str, swizzle: &str, rest: &[&str]) -> Option<String> {
    Some(match (op, rest) {
        ("sw_apply", [n]) => format!("{swizzle} o {n}:1"),
        ("sw_comp", [a]) => format!("{swizzle} o {a}"),
        ("sw_inv", [a]) => format!("right_inverse({swizzle} o {a})"),
        ("sw_comp_then", [a, x]) => format!("composition({swizzle} o {a}, {x})"),
        ("sw_div", [a, x]) => format!("zipped_divide({swizzle} o {a}, {x})"),
        ("sw_up", [a, x]) => format!("upcast({swizzle} o {a}, {x})"),
        ("sw_down", [a, x]) => format!("downcast({swizzle} o {a}, {x})"),
        ("sw_tts", [a, x]) => format!("tile_to_shape({swizzle} o {a}, {x})"),
        _ => return None,
    })
}

/// The offsets of a function in the order of the flat index, at most so many.
fn offsets(value: &Value, most: i64) -> Result<String, Error> {
    let function = value.as_function()?;
    let size = function.domain()?.size()?.as_number()?.min(most);
    let offsets: Result<Vec<String>, Error> = (0..size)
        .map(|index| {
            // Lists were recorded without regard to what is static.
            Ok(function.offset_at(&Tuple::leaf(Int::from(index)))?.to_coordinate().to_string().replace('?', ""))
        })
        .collect();
    offsets.map(|offsets| offsets.join(","))
}

fn several(names: &[&str], one: impl Fn(&str) -> Result<String, Error>) -> Result<String, Error> {
    names.iter().map(|name| one(name)).collect::<Result<Vec<_>, _>>().map(|answers| answers.join(";"))
}

/// Recorded compositions run `o` into its neighbours.
pub(crate) fn spaced(operand: &str) -> String {
    if operand.contains("Sw<") { operand.replace('o', " o ") } else { operand.to_owned() }
}
