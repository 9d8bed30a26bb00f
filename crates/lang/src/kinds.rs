//! A [`Value`] as what stands at its place in a call: a layout, a tiler, a coordinate, a number.
//!
//! A bare tuple means different things by position: a layout argument reads it as the compact column-major layout of
//! that shape, a tiler argument as a tiler, a coordinate argument as a coordinate. Law: a value that is no such thing is refused
//! with what it is, what is needed, and how to make one of the other where that goes.

use super::value::{Entry, Offsets, Value};
use super::wrong_kind::{ARRAY, CUTE, LINEAR, TILER};
use bitstride::cute::{Coordinate, Function, Layout, Tiler, column_major};
use bitstride::linear::{LinearLayout, Name};
use bitstride::map::{Affine, Map};
use bitstride::sharding::Sharding;
use bitstride::triton::Encoding;
use bitstride::xla::{Array, BareLayout, Shape};
use bitstride::{AnyLayout, Code, Error, Int, Stride, Tuple, error};

impl Value {
    /// As a layout; a tuple of integers is the compact column-major layout of that shape.
    ///
    /// # Errors
    /// [`Code::NeedsShape`] for an encoding, [`Code::Kind`].
    pub fn as_layout(&self) -> Result<Layout, Error> {
        match self {
            Value::Layout(layout) => Ok(layout.clone()),
            Value::Tuple(_) => column_major(&self.as_shape()?),
            Value::Encoding(encoding) => Err(encoding.needs_shape()),
            _ => Err(self.wrong(CUTE)),
        }
    }

    /// As a layout that may start elsewhere than at 0; a layout itself starts there.
    ///
    /// # Errors
    /// As [`Value::as_layout`].
    pub fn as_slice(&self) -> Result<Offsets, Error> {
        match self {
            Value::Offset(slice) => Ok(slice.clone()),
            _ => Ok(Offsets { layout: self.as_layout()?, offset: Stride::default() }),
        }
    }

    /// As a linear layout.
    ///
    /// # Errors
    /// [`Code::NeedsShape`] for an encoding, [`Code::Kind`].
    pub fn as_linear(&self) -> Result<LinearLayout, Error> {
        match self {
            Value::Linear(layout) => Ok(layout.clone()),
            Value::Encoding(encoding) => Err(encoding.needs_shape()),
            _ => Err(self.wrong(LINEAR)),
        }
    }

    /// As an encoding.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_encoding(&self) -> Result<Encoding, Error> {
        match self {
            Value::Encoding(encoding) => Ok(encoding.clone()),
            _ => Err(self.wrong("an encoding")),
        }
    }

    /// As a shape of XLA.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_xla(&self) -> Result<Shape, Error> {
        match self {
            Value::Xla(shape) => Ok(shape.clone()),
            _ => Err(self.wrong("a shape of XLA")),
        }
    }

    /// As an array of XLA.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_array(&self) -> Result<Array, Error> {
        match self {
            Value::Xla(Shape::Array(array) | Shape::Buffer(array)) => Ok(array.clone()),
            Value::Xla(shape) => {
                let has = if matches!(shape, Shape::Tuple(_)) { "several, or none" } else { "no memory" };
                Err(error!(Code::Kind, "an array is needed here; {shape} has {has}", [shape, has]))
            }
            _ => Err(self.wrong(ARRAY)),
        }
    }

    /// As a layout of XLA, JAX or Mosaic without its array.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_bare_layout(&self) -> Result<BareLayout, Error> {
        match self {
            Value::BareLayout(layout) => Ok(layout.clone()),
            _ => Err(self.wrong("a layout without its array, such as {1,0:T(8,128)} or Layout((0, 1)),")),
        }
    }

    /// As an affine map of MLIR.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_affine(&self) -> Result<Affine, Error> {
        match self {
            Value::Affine(affine) => Ok((**affine).clone()),
            _ => Err(self.wrong("an affine map such as affine_map<(d0) -> (d0 * 2)>")),
        }
    }

    /// As a tensor over devices.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_sharding(&self) -> Result<Sharding, Error> {
        match self {
            Value::Sharding(sharding) => Ok((**sharding).clone()),
            _ => Err(self.wrong("a tensor over devices, such as shard(f32[8,6], P('a', None), mesh(a=2)),")),
        }
    }

    /// As a map.
    ///
    /// # Errors
    /// [`Code::NeedsShape`] for an encoding, [`Code::Kind`]; where the family has no map for it, as [`Map::of_function`] and
    /// the others say.
    pub fn as_map(&self) -> Result<Map, Error> {
        self.as_any()?.try_into()
    }

    /// As a layout of the family that it is of; a tuple of integers is the compact column-major layout of that shape.
    ///
    /// # Errors
    /// [`Code::Kind`].
    ///
    /// ```
    /// assert_eq!(bitstride_lang::evaluate("coalesce((2,4):(1,2))")?.value.as_any()?, "8:1".parse()?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn as_any(&self) -> Result<AnyLayout, Error> {
        match self {
            Value::Map(mapped) => Ok(mapped.map.clone().into()),
            Value::Function(function) => Ok(function.clone().into()),
            Value::Offset(slice) => Ok(slice.clone().into()),
            Value::Linear(layout) => Ok(layout.clone().into()),
            Value::Encoding(encoding) => Ok(encoding.clone().into()),
            Value::Xla(_) => self.as_array().map(AnyLayout::from),
            Value::Sharding(sharding) => Ok(AnyLayout::Sharding(sharding.clone())),
            Value::Layout(_) | Value::Tuple(_) => self.as_layout().map(AnyLayout::from),
            _ => Err(self.wrong("a layout of some family")),
        }
    }

    /// As the name of a dim.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_name(&self) -> Result<Name, Error> {
        match self {
            Value::Name(name) => Ok(*name),
            _ => Err(self.wrong("the name of a dim, such as lane,")),
        }
    }

    /// As a function of coordinates: a layout, with or without an offset, a swizzle or a composed layout.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_function(&self) -> Result<Function, Error> {
        match self {
            Value::Function(function) => Ok(function.clone()),
            Value::Offset(slice) => Ok(slice.clone().into()),
            _ => self.as_layout().map(Function::Layout),
        }
    }

    /// As a tuple of integers.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_shape(&self) -> Result<Tuple<Int>, Error> {
        let Value::Tuple(tuple) = self else {
            return Err(self.wrong("a tuple of integers"));
        };
        tuple.try_map(|entry| match entry {
            Entry::Number(Stride::Int(n)) => Ok(n.clone()),
            _ => Err(self.wrong("a tuple of integers")),
        })
    }

    /// As a tuple of strides: integers and basis vectors.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_strides(&self) -> Result<Tuple<Stride>, Error> {
        let Value::Tuple(tuple) = self else {
            return Err(self.wrong("a tuple of strides"));
        };
        tuple.try_map(|entry| match entry {
            Entry::Number(stride) => Ok(stride.clone()),
            Entry::Keep => Err(self.wrong("a tuple of strides")),
        })
    }

    /// As a coordinate, where `_` leaves a mode free.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_coordinate(&self) -> Result<Coordinate<Int>, Error> {
        let Value::Tuple(tuple) = self else {
            return Err(self.wrong("a coordinate"));
        };
        tuple.try_map(|entry| match entry {
            Entry::Number(Stride::Int(n)) => Ok(Some(n.clone())),
            Entry::Keep => Ok(None),
            Entry::Number(Stride::Basis(_)) => Err(self.wrong("a coordinate")),
        })
    }

    /// As an integer.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_int(&self) -> Result<Int, Error> {
        match self {
            Value::Tuple(tuple) => match tuple.as_leaf() {
                Some(Entry::Number(Stride::Int(n))) => Ok(n.clone()),
                _ => Err(self.wrong("an integer")),
            },
            _ => Err(self.wrong("an integer")),
        }
    }

    /// As an integer whose value is known.
    ///
    /// # Errors
    /// [`Code::Kind`], [`Code::MissingFact`].
    pub fn as_number(&self) -> Result<i64, Error> {
        self.as_int()?.as_number()
    }

    /// As a position or a count.
    ///
    /// # Errors
    /// [`Code::Kind`], [`Code::MissingFact`], [`Code::Overflow`] for a negative number.
    pub fn as_index(&self) -> Result<usize, Error> {
        bitstride::cast::index(self.as_number()?)
    }

    /// As a tiler: a layout, a tuple of integers and `_`, or a tiler.
    ///
    /// # Errors
    /// [`Code::Kind`].
    pub fn as_tiler(&self) -> Result<Tiler, Error> {
        match self {
            Value::Tiler(tiler) => Ok(tiler.clone()),
            Value::Layout(layout) => Ok(Tiler::Layout(layout.clone())),
            Value::Tuple(tuple) => self.tuple_tiler(tuple),
            _ => Err(self.wrong(TILER)),
        }
    }

    fn tuple_tiler(&self, tuple: &Tuple<Entry>) -> Result<Tiler, Error> {
        match tuple.as_leaf() {
            Some(Entry::Number(Stride::Int(n))) => Ok(Tiler::Extent(n.clone())),
            Some(Entry::Keep) => Ok(Tiler::Keep),
            Some(Entry::Number(Stride::Basis(_))) => Err(self.wrong(TILER)),
            None => {
                let entries: Result<Vec<_>, _> = tuple.entries().iter().map(|entry| self.tuple_tiler(entry)).collect();
                entries.map(Tiler::Modes)
            }
        }
    }
}
