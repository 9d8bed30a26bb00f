//! Whether a shape that was read says something that can be: XLA's own rules ([`Shape::validate`],
//! [`Array::validate`]), and on top of those the rules without which a layout has no meaning although XLA lets it pass
//! ([`Array::check_meaning`]).
//!
//! XLA allows extents of 0, extents known at run time only, and tiles with more dims than the array.

use super::{Array, Dim, Layout, Shape, Split, Tile, TileDim};
use crate::error::{Code, Error};

impl Shape {
    /// Checks every array of the shape as XLA does.
    ///
    /// # Errors
    /// [`Code::InvalidLayout`], as [`Array::validate`], for the first array that fails.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Shape::Array(array) | Shape::Buffer(array) => array.validate(),
            Shape::Tuple(elements) => elements.iter().try_for_each(Shape::validate),
            Shape::Token | Shape::Opaque => Ok(()),
        }
    }

    /// Checks that every array of the shape has a meaning.
    ///
    /// # Errors
    /// [`Code::InvalidLayout`], as [`Array::check_meaning`], for the first array that fails.
    pub fn check_meaning(&self) -> Result<(), Error> {
        match self {
            Shape::Array(array) | Shape::Buffer(array) => array.check_meaning(),
            Shape::Tuple(elements) => elements.iter().try_for_each(Shape::check_meaning),
            Shape::Token | Shape::Opaque => Ok(()),
        }
    }
}

impl Array {
    /// Checks what XLA checks: the layout orders the dims, no tile is empty or has an extent of 0, `E(n)` is not
    /// negative, no field of sparse arrays is there, and the elements without padding have a size in bytes.
    ///
    /// ```
    /// use bitstride::xla::Shape;
    /// let error = "f32[3,5]{0,0}".parse::<Shape>()?.validate().unwrap_err();
    /// assert_eq!(error.message(), "the layout `{0,0}` names dim 0 twice");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::InvalidLayout`], with the field and its numbers.
    pub fn validate(&self) -> Result<(), Error> {
        self.check_size()?;
        check_order(&self.layout, self.dims.len())?;
        self.layout.tiles.iter().try_for_each(check_tile)?;
        check_fields(&self.layout)
    }

    /// Checks what [`Array::validate`] does, and what a layout needs besides to have a meaning: a `*` in a tile has a
    /// more minor dim to merge into, the cuts of `SC` cut dims of the array into parts with something in them, and the
    /// memory space is not negative.
    ///
    /// ```
    /// use bitstride::xla::Shape;
    /// let shape: Shape = "f32[3,5]{1,0:T(2,*)}".parse()?;
    /// shape.validate()?;
    /// let Shape::Array(array) = shape else { unreachable!() };
    /// assert_eq!(array.check_meaning().unwrap_err().code().as_str(), "invalid-layout");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::InvalidLayout`], with the field and its numbers.
    pub fn check_meaning(&self) -> Result<(), Error> {
        self.validate()?;
        self.layout.tiles.iter().try_for_each(check_merges)?;
        self.check_splits()?;
        let space = self.layout.memory_space;
        if space < 0 {
            let message = format!("memory spaces are numbered from 0, `S({space})` is negative");
            return Err(invalid(message, "leave `S` away for the default memory"));
        }
        Ok(())
    }

    /// The elements, without tiles, have a size in bytes. XLA multiplies from the first dim on, so a 0 behind a product
    /// that is too large does not save it.
    fn check_size(&self) -> Result<(), Error> {
        let mut elements = Some(1_i64);
        for (number, dim) in self.dims.iter().enumerate() {
            match dim {
                Dim::Static(extent) | Dim::Bounded(extent) if *extent < 0 => {
                    let message = format!("dim {number} has an extent of {extent}");
                    return Err(invalid(message, "an extent is 0 or more"));
                }
                Dim::Static(extent) | Dim::Bounded(extent) => {
                    elements = elements.and_then(|elements| elements.checked_mul(*extent));
                }
                Dim::Unbounded => {}
            }
        }
        let bytes = i64::from(self.element.stored_bits().div_ceil(8));
        match elements.and_then(|elements| elements.checked_mul(bytes)) {
            Some(_) => Ok(()),
            None => {
                let message = format!("the size of `{}` in bytes is above {}", self.bare(), i64::MAX);
                Err(invalid(message, "extents multiply to less than 2^63 bytes"))
            }
        }
    }

    fn check_splits(&self) -> Result<(), Error> {
        for (place, split) in self.layout.splits.iter().enumerate() {
            let dim = usize::try_from(split.dim).ok().and_then(|dim| self.dims.get(dim));
            let Some(dim) = dim else {
                let message = format!("`SC{split}` cuts dim {}, and the array has {} dims", split.dim, self.dims.len());
                return Err(invalid(message, "the number before `:` is that of a dim, from 0 on"));
            };
            if self.layout.splits.iter().take(place).any(|before| before.dim == split.dim) {
                let message = format!("`SC` cuts dim {} twice", split.dim);
                return Err(invalid(message, "write all indices of a dim behind one `:`"));
            }
            check_cuts(split, *dim)?;
        }
        Ok(())
    }

    fn bare(&self) -> String {
        Shape::Array(self.clone()).without_layout()
    }
}

/// Each dim is named once.
fn check_order(layout: &Layout, rank: usize) -> Result<(), Error> {
    let help = match rank {
        0 => "a scalar names no dims".to_owned(),
        1 => "name dim 0, the only one".to_owned(),
        _ => format!("name each of 0 to {} once, the fastest first", rank.saturating_sub(1)),
    };
    let order = &layout.minor_to_major;
    if order.len() != rank {
        let message = format!("the array has {rank} dims and the layout `{layout}` names {}", order.len());
        return Err(invalid(message, help));
    }
    let mut named = vec![false; rank];
    for dim in order {
        let seen = usize::try_from(*dim).ok().and_then(|dim| named.get_mut(dim));
        let Some(seen) = seen else {
            let message = format!("the layout `{layout}` names dim {dim}, and the array has {rank} dims");
            return Err(invalid(message, help));
        };
        if std::mem::replace(seen, true) {
            return Err(invalid(format!("the layout `{layout}` names dim {dim} twice"), help));
        }
    }
    Ok(())
}

fn check_tile(tile: &Tile) -> Result<(), Error> {
    if tile.0.is_empty() {
        return Err(invalid("the tile `()` has no dims", "write the extents of the tile, or leave it away"));
    }
    for dim in &tile.0 {
        match dim {
            TileDim::Size(extent) if *extent < 1 => {
                let message = format!("the tile `{tile}` has an extent of {extent}");
                return Err(invalid(message, "an extent of a tile is 1 or more, or `*`"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_fields(layout: &Layout) -> Result<(), Error> {
    if let Some(index) = layout.index_type {
        return Err(sparse(&format!("#({index})")));
    }
    if let Some(pointer) = layout.pointer_type {
        return Err(sparse(&format!("*({pointer})")));
    }
    if let Some(shape) = &layout.physical {
        return Err(sparse(&format!("P({shape})")));
    }
    if layout.tail_padding < 1 {
        let message = format!("`L({})` rounds up to no multiple", layout.tail_padding);
        return Err(invalid(message, "write 1 or more elements"));
    }
    if layout.element_bits < 0 {
        let message = format!("`E({})` packs elements into a negative number of bits", layout.element_bits);
        return Err(invalid(message, "write the bits of an element, such as `E(4)`"));
    }
    Ok(())
}

/// The last dim of a tile has nothing more minor to merge into.
fn check_merges(tile: &Tile) -> Result<(), Error> {
    if tile.0.last() == Some(&TileDim::Combine) {
        let message =
            format!("the tile `{tile}` ends in `*`, which merges a dim into the next more minor one: there is none");
        return Err(invalid(message, "write an extent behind the last `*`"));
    }
    Ok(())
}

/// The indices go up from 1 and end below the extent: each part has something in it.
fn check_cuts(split: &Split, dim: Dim) -> Result<(), Error> {
    let mut before = 0;
    for index in &split.indices {
        if *index <= before {
            let message = format!("`SC{split}` cuts at {index} after {before}");
            return Err(invalid(message, "the indices go up, the first from 1 on"));
        }
        if dim.bound().is_some_and(|extent| *index >= extent) {
            let message = format!("`SC{split}` cuts at {index}, and dim {} has an extent of {dim}", split.dim);
            return Err(invalid(message, "an index to cut at is below the extent"));
        }
        before = *index;
    }
    Ok(())
}

fn sparse(field: &str) -> Error {
    invalid(format!("`{field}` is a field of sparse arrays, and the array is dense"), "leave it away")
}

fn invalid(message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::new(Code::InvalidLayout, message).with_help(help)
}
