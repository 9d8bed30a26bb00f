//! What is said where a value of one kind stands and another is needed: which family is needed, which family this is, and the
//! expression that turns one into the other where there is one.

use super::format_names::is_format;
use super::value::{Entry, Value};
use bitstride::cute::Function;
use bitstride::linear::Name;
use bitstride::xla::Shape;
use bitstride::{Code, Error, Stride, StrideLeaf, error};

/// A layout as CuTe writes it, as arguments are called in messages.
pub(super) const CUTE: &str = "a layout of CuTe";
/// A linear layout.
pub(super) const LINEAR: &str = "a linear layout (Triton)";
/// An array with its tiled layout.
pub(super) const ARRAY: &str = "an array of XLA";
/// A tiler.
pub(super) const TILER: &str = "a tiler";

impl Value {
    pub(super) fn wrong(&self, wanted: &str) -> Error {
        match self {
            Value::Name(name) => unknown_name(*name),
            Value::Affine(affine) => {
                error!(Code::NeedsShape, "{wanted} is needed here; {affine} has no extents", [wanted, affine])
                    .with_help(format!("say them: `affine({affine}, (…))`"))
            }
            Value::BareLayout(layout) => {
                error!(Code::NeedsShape, "{wanted} is needed here; {layout} has no shape", [wanted, layout])
                    .with_help(format!("say the array: `with_layout(f32[…], {layout})`"))
            }
            Value::Offset(slice) if matches!(wanted, CUTE | TILER) => {
                let start = slice.offset.point_text();
                error!(
                    Code::Kind,
                    "{wanted} that starts at 0 is needed here; {value} starts at {start}",
                    [wanted, value = self, start]
                )
            }
            _ => {
                let error = error!(
                    Code::Kind,
                    "{wanted} is needed here; {value} is {described}",
                    [wanted, value = self, described = self.described()]
                );
                match self.conversion(wanted) {
                    Some(notation) => {
                        error.with_help(format!("`convert(X, {notation})` makes one, where there is one"))
                    }
                    None => error,
                }
            }
        }
    }

    /// What it is, by the family that writes it so.
    fn described(&self) -> &'static str {
        match self {
            Value::Tuple(tuple) => match tuple.as_leaf() {
                Some(Entry::Number(Stride::Int(_))) => "an integer",
                Some(Entry::Number(_)) => "a basis vector",
                Some(Entry::Keep) => "a whole mode",
                None => "a tuple",
            },
            Value::Bool(_) => "a truth value",
            Value::Layout(_) => CUTE,
            Value::Offset(_) => "a layout of CuTe with an offset",
            Value::Function(Function::Swizzle(_) | Function::Bytes(_)) => "a swizzle of CuTe without a layout",
            Value::Function(_) => "a composed layout of CuTe",
            Value::Tiler(_) => "a tiler of CuTe",
            Value::Linear(_) => LINEAR,
            Value::Encoding(_) => "an encoding of Triton",
            Value::Xla(Shape::Array(_) | Shape::Buffer(_)) => ARRAY,
            Value::Xla(_) => "a shape of XLA",
            Value::BareLayout(_) => "a layout of XLA without its array",
            Value::Map(_) => "a map of no notation",
            Value::Affine(_) => "an affine map of MLIR",
            Value::Verdict(_) => "a verdict",
            Value::List(_) => "a list of values",
            Value::Name(_) => "a name",
            Value::Text(_) => "a text",
            Value::Sharding(_) => "a tensor over devices",
            Value::Instruction(_) => "an instruction, whose layouts have names such as `.A` and `.Src`",
        }
    }

    /// The notation to convert to, where a layout of one family stands and one of another is needed.
    fn conversion(&self, wanted: &str) -> Option<&'static str> {
        let is_layout = matches!(
            self,
            Value::Layout(_)
                | Value::Offset(_)
                | Value::Function(Function::Composed(_))
                | Value::Linear(_)
                | Value::Map(_)
        ) || matches!(self, Value::Xla(Shape::Array(_) | Shape::Buffer(_)));
        let notation = match wanted {
            CUTE => "cute",
            LINEAR => "linear",
            ARRAY => "xla, f32",
            _ => return None,
        };
        is_layout.then_some(notation)
    }
}

/// A bare word that names no dim where it stands.
pub(super) fn unknown_name(name: Name) -> Error {
    unknown_word(&name.to_string())
}

/// A word that nothing gives a value.
pub(super) fn unknown_word(name: &str) -> Error {
    let text = name.to_owned();
    let help = if is_format(&text) {
        format!("a format of oneDNN has the sizes of its dims behind it: `tag({text}, (…))`")
    } else if matches!(text.as_str(), "shape" | "stride" | "order" | "dim") {
        format!("an argument of a call is named with `=`, as in `{text}=…`")
    } else {
        format!(
            "a line before it gives it a value, as in `{text} = 4:1`; an operation is called with brackets, as in `size(4:1)`; an \
             unknown integer has a capital, as in `M`; index code begins with the range of each variable, as in `i<8: i*4`"
        )
    };
    error!(Code::UnknownName, "`{name}` is neither a call nor the name of an unknown", [name]).with_help(help)
}
