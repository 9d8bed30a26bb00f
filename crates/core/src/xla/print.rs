//! Prints shapes in XLA's canonical text.
//!
//! A scalar whose layout says nothing prints without braces; a layout that stands alone always has them. Numbers that
//! are the default print nothing, and neither does a negative `M(n)`, as in XLA.

use std::fmt::{self, Display, Formatter, Write};

use super::{Array, Dim, IndexType, Layout, Shape, Split, Tile, TileDim};

impl Shape {
    /// The text without the layouts.
    ///
    /// ```
    /// use bitstride::xla::Shape;
    /// let shape: Shape = "(f32[<=5]{0:T(128)}, s4[2,2]{0,1})".parse()?;
    /// assert_eq!(shape.without_layout(), "(f32[<=5], s4[2,2])");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn without_layout(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write_shape(&mut text, self, write_bare);
        text
    }
}

impl Array {
    /// The text without the layout.
    pub fn without_layout(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write_bare(&mut text, self);
        text
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_shape(f, self, |f, array| write!(f, "{array}"))
    }
}

impl Display for Array {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_bare(f, self)?;
        let layout = self.layout.to_string();
        if layout == "{}" { Ok(()) } else { f.write_str(&layout) }
    }
}

impl Display for Layout {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        joined(f, &self.minor_to_major, ",")?;
        let mut fields = String::new();
        self.write_fields(&mut fields)?;
        if !fields.is_empty() {
            write!(f, ":{fields}")?;
        }
        f.write_char('}')
    }
}

impl Display for Tile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('(')?;
        joined(f, &self.0, ",")?;
        f.write_char(')')
    }
}

impl Display for TileDim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TileDim::Size(extent) => write!(f, "{extent}"),
            TileDim::Combine => f.write_char('*'),
        }
    }
}

impl Display for Dim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Static(extent) => write!(f, "{extent}"),
            Dim::Bounded(extent) => write!(f, "<={extent}"),
            Dim::Unbounded => f.write_char('?'),
        }
    }
}

impl Display for IndexType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IndexType::Unsigned(element) => element.name(),
            IndexType::Invalid => "invalid",
        })
    }
}

impl Display for Split {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({}:", self.dim)?;
        joined(f, &self.indices, ",")?;
        f.write_char(')')
    }
}

impl Layout {
    fn write_fields(&self, out: &mut impl Write) -> fmt::Result {
        if !self.tiles.is_empty() {
            out.write_char('T')?;
            joined(out, &self.tiles, "")?;
        }
        if self.tail_padding != 1 {
            write!(out, "L({})", self.tail_padding)?;
        }
        if let Some(index) = self.index_type {
            write!(out, "#({index})")?;
        }
        if let Some(pointer) = self.pointer_type {
            write!(out, "*({pointer})")?;
        }
        if self.element_bits != 0 {
            write!(out, "E({})", self.element_bits)?;
        }
        if self.memory_space != 0 {
            write!(out, "S({})", self.memory_space)?;
        }
        if !self.splits.is_empty() {
            out.write_str("SC")?;
            joined(out, &self.splits, "")?;
        }
        if let Some(shape) = &self.physical {
            write!(out, "P({shape})")?;
        }
        if self.metadata_prefix > 0 {
            write!(out, "M({})", self.metadata_prefix)?;
        }
        Ok(())
    }
}

fn write_shape<W: Write>(f: &mut W, shape: &Shape, array: fn(&mut W, &Array) -> fmt::Result) -> fmt::Result {
    /// After a given number of elements of a tuple XLA says at which one it is.
    const COUNTED: usize = 5;
    match shape {
        Shape::Array(inner) => array(f, inner),
        Shape::Buffer(inner) => {
            f.write_str("b(")?;
            array(f, inner)?;
            f.write_char(')')
        }
        Shape::Tuple(elements) => {
            f.write_char('(')?;
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    f.write_str(", ")?;
                    if index.is_multiple_of(COUNTED) {
                        write!(f, "/*index={index}*/")?;
                    }
                }
                write_shape(f, element, array)?;
            }
            f.write_char(')')
        }
        Shape::Token => f.write_str("token[]"),
        Shape::Opaque => f.write_str("opaque[]"),
    }
}

fn write_bare(f: &mut impl Write, array: &Array) -> fmt::Result {
    write!(f, "{}[", array.element.name())?;
    joined(f, &array.dims, ",")?;
    f.write_char(']')
}

fn joined<T: Display>(out: &mut impl Write, items: &[T], separator: &str) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.write_str(separator)?;
        }
        write!(out, "{item}")?;
    }
    Ok(())
}

/// Numbers as the expression language writes them.
pub(super) fn listed(numbers: &[i64]) -> String {
    format!("({})", numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}
