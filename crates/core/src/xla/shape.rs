//! [`Shape`]: what stands before, between and around the layouts: arrays, tuples, buffers, `token[]` and `opaque[]`.

use super::{ElementType, Layout};

/// A shape as XLA writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `f32[3,5]{1,0}`
    Array(Array),
    /// `(f32[2]{0}, s32[])`
    Tuple(Vec<Shape>),
    /// `b(f32[3,5]{1,0})`
    Buffer(Array),
    /// `token[]`
    Token,
    /// `opaque[]`
    Opaque,
}

/// An element type, dims, and the layout of the elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    /// What an element is.
    pub element: ElementType,
    /// The dims, major first as written; their numbers are what `minor_to_major` speaks of.
    pub dims: Vec<Dim>,
    /// Where the elements lie.
    pub layout: Layout,
}

/// The extent of a dim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// `5`
    Static(i64),
    /// `<=5`: at most this many at run time; memory is laid out for all of them.
    Bounded(i64),
    /// `?`: unknown until run time.
    Unbounded,
}

impl Dim {
    /// The extent that memory is laid out for; `None` when it is unknown.
    pub fn bound(self) -> Option<i64> {
        match self {
            Dim::Static(extent) | Dim::Bounded(extent) => Some(extent),
            Dim::Unbounded => None,
        }
    }
}

impl Array {
    /// A static row-major array without tiles.
    ///
    /// ```
    /// use bitstride::xla::{Array, ElementType};
    /// let f32 = ElementType::from_name("f32");
    /// assert_eq!(f32.map(|f32| Array::row_major(f32, &[3, 5]).layout.minor_to_major), Some(vec![1, 0]));
    /// ```
    pub fn row_major(element: ElementType, dims: &[i64]) -> Self {
        Array { element, dims: dims.iter().copied().map(Dim::Static).collect(), layout: Layout::row_major(dims.len()) }
    }

    /// The bits of an element in memory: those of `E(n)`, else the whole bytes of the type.
    pub fn element_bits(&self) -> i64 {
        match self.layout.element_bits {
            0 => i64::from(self.element.stored_bits()),
            bits => bits,
        }
    }
}
