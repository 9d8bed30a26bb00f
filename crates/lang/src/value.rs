//! What an expression evaluates to. How a value serves as an argument is in [`kinds`](super::kinds).

use std::fmt;

use super::instruction::Instruction;
use bitstride::cute::{Function, Layout, Tiler};
use bitstride::linear::{LinearLayout, Name};
use bitstride::map::{Affine, Map, Verdict};
use bitstride::notation::{Ints, is_bare_name};
use bitstride::sharding::Sharding;
use bitstride::triton::Encoding;
use bitstride::xla::{Array, BareLayout, Shape};
use bitstride::{Int, Stride, StrideLeaf, Tuple};

/// A leaf of a tuple value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// An integer or a basis vector.
    Number(Stride),
    /// `_`.
    Keep,
}

/// A layout with an offset, what a slice leaves.
pub type Offsets = bitstride::cute::Offset<Int, Stride>;

/// A map with the expression that makes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mapped {
    /// The map.
    pub map: Map,
    /// An expression whose value it is.
    pub text: String,
}

/// A value of the expression language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// An integer, a basis vector, `_`, or a tuple of them.
    Tuple(Tuple<Entry>),
    /// True or false.
    Bool(bool),
    /// A layout.
    Layout(Layout),
    /// A layout with an offset.
    Offset(Offsets),
    /// A swizzle or a composed layout.
    Function(Function),
    /// A tiler.
    Tiler(Tiler),
    /// A linear layout.
    Linear(LinearLayout),
    /// An encoding, which has a layout for each shape.
    Encoding(Encoding),
    /// A shape of XLA.
    Xla(Shape),
    /// A layout of XLA, JAX or Mosaic without its array.
    BareLayout(BareLayout),
    /// A map that no notation says shorter than the expression that makes it.
    Map(Box<Mapped>),
    /// An affine map of MLIR, which is a map for each shape.
    Affine(Box<Affine>),
    /// What comparing two layouts says.
    Verdict(Box<Verdict>),
    /// Several values.
    List(Vec<Value>),
    /// The name of a dim of a linear layout.
    Name(Name),
    /// Lines of text, such as the table that CuTe prints.
    Text(String),
    /// A tensor over devices.
    Sharding(Box<Sharding>),
    /// An instruction, or copies of one over a tile.
    Instruction(Box<Instruction>),
}

impl Default for Entry {
    fn default() -> Self {
        Entry::Number(Stride::default())
    }
}

impl From<Int> for Value {
    fn from(n: Int) -> Self {
        Value::Tuple(Tuple::leaf(Entry::Number(Stride::Int(n))))
    }
}

impl From<Tuple<Int>> for Value {
    fn from(tuple: Tuple<Int>) -> Self {
        Value::Tuple(tuple.map(|n| Entry::Number(Stride::Int(n.clone()))))
    }
}

impl From<Tuple<Stride>> for Value {
    fn from(tuple: Tuple<Stride>) -> Self {
        Value::Tuple(tuple.map(|d| Entry::Number(d.clone())))
    }
}

impl From<Layout> for Value {
    fn from(layout: Layout) -> Self {
        Value::Layout(layout)
    }
}

impl From<Offsets> for Value {
    /// A slice that starts at 0 is just its layout.
    fn from(slice: Offsets) -> Self {
        if slice.offset.is_zero() { Value::Layout(slice.layout) } else { Value::Offset(slice) }
    }
}

impl From<Function> for Value {
    /// A function that is a layout is that layout.
    fn from(function: Function) -> Self {
        match function {
            Function::Layout(layout) => Value::Layout(layout),
            Function::Offset(slice) => Value::from(slice),
            function => Value::Function(function),
        }
    }
}

impl From<LinearLayout> for Value {
    fn from(layout: LinearLayout) -> Self {
        Value::Linear(layout)
    }
}

impl From<Encoding> for Value {
    fn from(encoding: Encoding) -> Self {
        Value::Encoding(encoding)
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Self {
        Value::Xla(Shape::Array(array))
    }
}

impl From<BareLayout> for Value {
    fn from(layout: BareLayout) -> Self {
        Value::BareLayout(layout)
    }
}

impl From<Instruction> for Value {
    fn from(instruction: Instruction) -> Self {
        Value::Instruction(Box::new(instruction))
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl From<Vec<Value>> for Value {
    /// Several values: a tuple where all are tuples or integers.
    fn from(values: Vec<Value>) -> Self {
        let tuple = |value: &Value| match value {
            Value::Tuple(tuple) => Some(tuple.clone()),
            _ => None,
        };
        match values.iter().map(tuple).collect::<Option<Vec<_>>>() {
            Some(tuples) => Value::Tuple(Tuple::of(&tuples)),
            None => Value::List(values),
        }
    }
}

impl Value {
    /// The kind, as JSON and error messages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Tuple(tuple) => match tuple.as_leaf() {
                Some(Entry::Number(Stride::Int(_))) => "int",
                _ => "tuple",
            },
            Value::Bool(_) => "bool",
            Value::Layout(_) | Value::Offset(_) => "layout",
            Value::Function(Function::Swizzle(_) | Function::Bytes(_)) => "swizzle",
            Value::Function(_) => "composed",
            Value::Tiler(_) => "tiler",
            Value::Name(_) => "name",
            Value::Linear(_) => "linear",
            Value::Encoding(_) => "encoding",
            Value::Xla(_) => "xla",
            Value::BareLayout(_) => "xla_layout",
            Value::Map(_) => "map",
            Value::Affine(_) => "affine_map",
            Value::Verdict(_) => "verdict",
            Value::List(_) => "list",
            Value::Text(_) => "text",
            Value::Sharding(_) => "sharding",
            Value::Instruction(whole) => whole.kind(),
        }
    }

    /// Whether only a map holds its compositions with layouts of CuTe.
    pub(super) fn is_mapped(&self) -> bool {
        matches!(self, Value::Map(_) | Value::Linear(_) | Value::Xla(_))
    }

    /// Whether it says no: false, or a verdict that two layouts differ.
    pub fn is_false(&self) -> bool {
        match self {
            Value::Bool(truth) => !truth,
            Value::Verdict(verdict) => !verdict.holds(),
            _ => false,
        }
    }

    /// The canonical text in either spelling of integers.
    pub fn display(&self, ints: Ints) -> String {
        if ints == Ints::Plain {
            return self.to_string();
        }
        match self {
            Value::Tuple(tuple) => {
                let cpp = tuple.map(|entry| match entry {
                    Entry::Number(stride) => stride.cpp(),
                    Entry::Keep => "_".into(),
                });
                cpp.to_string()
            }
            Value::Layout(layout) => layout.cpp(),
            Value::Offset(slice) => slice.cpp(),
            Value::Function(function) => function.cpp(),
            Value::List(values) => {
                format!("({})", values.iter().map(|value| value.display(ints)).collect::<Vec<_>>().join(","))
            }
            Value::Tiler(tiler) => tiler.cpp(),
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
            | Value::Verdict(_) => self.to_string(),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Number(stride) => write!(f, "{stride}"),
            Entry::Keep => f.write_str("_"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Tuple(tuple) => write!(f, "{tuple}"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Layout(layout) => write!(f, "{layout}"),
            Value::Offset(slice) => write!(f, "{slice}"),
            Value::Function(function) => write!(f, "{function}"),
            Value::Tiler(tiler) => write!(f, "{tiler}"),
            Value::Name(name) if is_bare_name(name.as_str()) => write!(f, "{name}"),
            Value::Name(name) => write!(f, "\"{name}\""),
            Value::Linear(layout) => write!(f, "{layout}"),
            Value::Encoding(encoding) => write!(f, "{encoding}"),
            Value::Xla(shape) => write!(f, "{shape}"),
            Value::BareLayout(layout) => write!(f, "{layout}"),
            Value::Map(mapped) => f.write_str(&mapped.text),
            Value::Affine(affine) => write!(f, "{affine}"),
            Value::Verdict(verdict) => write!(f, "{verdict}"),
            Value::Text(text) => f.write_str(text),
            Value::Instruction(whole) => write!(f, "{whole}"),
            Value::Sharding(sharding) => write!(f, "{sharding}"),
            Value::List(values) => {
                f.write_str("(")?;
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{value}")?;
                }
                f.write_str(")")?;
                Ok(())
            }
        }
    }
}
