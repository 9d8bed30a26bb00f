//! Values as text, in the three spellings of integers.
//!
//! | | static 5 | dynamic, value 5 | unknown multiple of 8 | swizzle |
//! |---|---|---|---|---|
//! | plain | `5` | `5?` | `?{div=8}` | `Sw<3,4,3>` |
//! | cpp | `_5` | `5` | `?{div=8}` | `Sw<3,4,3>` |
//! | ir | `5` | `?` | `?{div=8}` | `S<3,4,3>` |
//!
//! The plain one is canonical: it parses back to the same value. The ir one forgets values and names, as CuTe DSL does.

use std::collections::BTreeMap;

use bitstride::cute::{Function, Tiler};
use bitstride::notation;
use bitstride::{Int, Integer, Layout, Stride};
use bitstride_lang::{Entry, Offsets, Value};

use crate::args::Ints;

/// The text of a value.
pub(crate) fn text(value: &Value, ints: Ints) -> String {
    match ints {
        Ints::Plain => value.display(notation::Ints::Plain),
        Ints::Cpp => value.display(notation::Ints::Cpp),
        // `Sw` begins no other word: names of unknowns are not called.
        Ints::Ir => forgotten(value).to_string().replace("Sw<", "S<"),
    }
}

/// The value with only the divisors of its dynamic integers left.
fn forgotten(value: &Value) -> Value {
    match value {
        Value::Tuple(tuple) => Value::Tuple(tuple.map(|entry| match entry {
            Entry::Number(number) => Entry::Number(stride(number)),
            Entry::Keep => Entry::Keep,
        })),
        Value::Layout(mode) => Value::Layout(layout(mode)),
        Value::Offset(slice) => Value::Offset(offsets(slice)),
        Value::Function(whole) => Value::Function(function(whole)),
        Value::Tiler(whole) => Value::Tiler(tiler(whole)),
        Value::List(values) => Value::List(values.iter().map(forgotten).collect()),
        Value::Bool(_)
        | Value::Text(_)
        | Value::Name(_)
        | Value::Linear(_)
        | Value::Encoding(_)
        | Value::Xla(_)
        | Value::BareLayout(_)
        | Value::Map(_)
        | Value::Affine(_)
        | Value::Verdict(_) => value.clone(),
    }
}

fn int(n: &Int) -> Int {
    match n {
        Int::Static(_) => n.clone(),
        Int::Dynamic(_) => Int::Unknown(1),
        Int::Unknown(_) | Int::Symbol(_) => Int::Unknown(n.divisor().max(1)),
    }
}

fn stride(whole: &Stride) -> Stride {
    match whole {
        Stride::Int(n) => Stride::Int(int(n)),
        Stride::Basis(parts) => {
            let parts: BTreeMap<_, _> = parts.iter().map(|(path, n)| (path.clone(), int(n))).collect();
            Stride::Basis(parts)
        }
    }
}

fn layout(whole: &Layout) -> Layout {
    // The nesting is the same, so the pair is a layout.
    Layout::new(whole.shape().map(int), whole.stride().map(stride)).unwrap_or_else(|_| whole.clone())
}

fn offsets(slice: &Offsets) -> Offsets {
    Offsets { layout: layout(&slice.layout), offset: stride(&slice.offset) }
}

fn function(whole: &Function) -> Function {
    match whole {
        Function::Layout(inner) => Function::Layout(layout(inner)),
        Function::Offset(slice) => Function::Offset(offsets(slice)),
        Function::Swizzle(_) | Function::Bytes(_) => whole.clone(),
        Function::Composed(parts) => {
            Function::compose(function(&parts.outer), int(&parts.offset), function(&parts.inner))
        }
    }
}

fn tiler(whole: &Tiler) -> Tiler {
    match whole {
        Tiler::Layout(mode) => Tiler::Layout(layout(mode)),
        Tiler::Extent(n) => Tiler::Extent(int(n)),
        Tiler::Keep => Tiler::Keep,
        Tiler::Modes(modes) => Tiler::Modes(modes.iter().map(tiler).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitstride_lang::evaluate;

    fn spelled(expression: &str, ints: Ints) -> String {
        evaluate(expression).map_or_else(|error| error.to_string(), |answer| text(&answer.value, ints))
    }

    #[test]
    fn each_spelling() {
        let layout = "(2,3?,?{div=8},M{div=4}):(1,2?,?,1)";
        assert_eq!(spelled(layout, Ints::Plain), layout);
        assert_eq!(spelled(layout, Ints::Cpp), "(_2,3,?{div=8},M{div=4}):(_1,2,?,_1)");
        assert_eq!(spelled(layout, Ints::Ir), "(2,?,?{div=8},?{div=4}):(1,?,?,1)");
        assert_eq!(spelled("Sw<3,4,3> o 8? o (8,64):(64,1)", Ints::Ir), "S<3,4,3> o ? o (8,64):(64,1)");
        assert_eq!(spelled("<3?:4, _, 5>", Ints::Ir), "<?:4, _, 5>");
        assert_eq!(spelled("(4,M):(1@0,2@1)", Ints::Ir), "(4,?):(1@0,2@1)");
    }
}
