//! [`Spelling`]: values as text, in the three spellings of integers.
//!
//! | | static 5 | dynamic, value 5 | unknown multiple of 8 | swizzle |
//! |---|---|---|---|---|
//! | plain | `5` | `5?` | `?{div=8}` | `Sw<3,4,3>` |
//! | cpp | `_5` | `5` | `?{div=8}` | `Sw<3,4,3>` |
//! | ir | `5` | `?` | `?{div=8}` | `S<3,4,3>` |
//!
//! The plain one is canonical: it parses back to the same value. The ir one forgets values and names, as CuTe DSL does.

use std::collections::BTreeMap;

use crate::value::{Entry, Offsets, Value};
use bitstride::cute::{Function, Tiler};
use bitstride::notation::Ints;
use bitstride::{Int, Integer, Layout, Stride};

/// How integers are spelled.
///
/// ```
/// use bitstride_lang::{Spelling, evaluate};
/// let value = evaluate("(8,64?):(64?,1)")?.value;
/// assert_eq!(Spelling::Cpp.text(&value), "(_8,64):(64,_1)");
/// assert_eq!(Spelling::Ir.text(&value), "(8,?):(?,1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spelling {
    /// `5` is static, `5?` dynamic: the canonical one.
    #[default]
    Plain,
    /// `_5` is static, `5` dynamic, as CuTe C++ prints.
    Cpp,
    /// `5` is static, `?` dynamic, `S<3,4,3>` a swizzle, as CuTe DSL prints. It is written, and not read.
    Ir,
}

impl Spelling {
    /// The spelling in which expressions are read.
    pub fn reading(self) -> Ints {
        match self {
            Spelling::Cpp => Ints::Cpp,
            Spelling::Plain | Spelling::Ir => Ints::Plain,
        }
    }

    /// The text of a value.
    pub fn text(self, value: &Value) -> String {
        match self {
            Spelling::Plain | Spelling::Cpp => value.display(self.reading()),
            // `Sw` begins no other word: names of unknowns are not called.
            Spelling::Ir => forgotten(value).to_string().replace("Sw<", "S<"),
        }
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
        | Value::Instruction(_)
        | Value::Sharding(_)
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
    use crate::evaluate;

    fn spelled(expression: &str, spelling: Spelling) -> String {
        evaluate(expression).map_or_else(|error| error.to_string(), |answer| spelling.text(&answer.value))
    }

    #[test]
    fn each_spelling() {
        let layout = "(2,3?,?{div=8},M{div=4}):(1,2?,?,1)";
        assert_eq!(spelled(layout, Spelling::Plain), layout);
        assert_eq!(spelled(layout, Spelling::Cpp), "(_2,3,?{div=8},M{div=4}):(_1,2,?,_1)");
        assert_eq!(spelled(layout, Spelling::Ir), "(2,?,?{div=8},?{div=4}):(1,?,?,1)");
        assert_eq!(spelled("Sw<3,4,3> o 8? o (8,64):(64,1)", Spelling::Ir), "S<3,4,3> o ? o (8,64):(64,1)");
        assert_eq!(spelled("<3?:4, _, 5>", Spelling::Ir), "<?:4, _, 5>");
        assert_eq!(spelled("(4,M):(1@0,2@1)", Spelling::Ir), "(4,?):(1@0,2@1)");
    }
}
