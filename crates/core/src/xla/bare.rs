//! [`BareLayout`]: a layout without its array, `{1,0:T(8,128)}` or `Layout(major_to_minor=(0, 1), tiling=((8, 128),))`.
//!
//! It says the order of the dims and the tiles, and neither extents nor an element type; with an array that has those it
//! is the layout of that array. Mosaic has two: of memory, `#tpu.tiled<(8,128),[2,1]>`, and of vector registers,
//! `#tpu.vpad<"32,{0,0},(8,128)">`.

use std::fmt;

use super::jax::read_jax;
use super::mosaic::{MemRef, TiledAttribute, VectorLayout, read_tiled, read_vector};
use super::parse::{layout_prefix, mismatch};
use super::{Array, JaxLayout, Layout};
use crate::error::{Code, Error};

/// A layout without its array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BareLayout {
    /// As XLA writes it.
    Xla(Layout),
    /// As JAX writes it. What it is in XLA depends on the element type.
    Jax(JaxLayout),
    /// As Mosaic writes where a value lies in vector registers.
    Vector(VectorLayout),
    /// As Mosaic writes where an array lies in memory. What it is in XLA depends on the dims.
    Tiled(TiledAttribute),
}

impl Array {
    /// The array with the same dims and elements in another layout, and what that layout says that the array does not.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] for a layout of other dims; [`Code::Syntax`] for the field `P(…)`, which no array has;
    /// [`Code::Kind`] for a layout of vector registers, which is none of memory.
    ///
    /// ```
    /// use bitstride::xla::{Array, BareLayout};
    /// let array: Array = "s4[16,256]{1,0}".parse()?;
    /// let layout = BareLayout::Jax("Layout((1, 0), ((8, 128),))".parse()?);
    /// let (tiled, notes) = array.with_layout(&layout)?;
    /// assert_eq!(tiled.to_string(), "s4[16,256]{0,1:T(8,128)E(4)}");
    /// assert_eq!(notes, ["JAX packs s4 in 4 bits an element"]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn with_layout(&self, layout: &BareLayout) -> Result<(Array, Vec<String>), Error> {
        let (layout, notes) = match layout {
            BareLayout::Xla(layout) => (layout.clone(), Vec::new()),
            BareLayout::Jax(layout) => layout.to_layout(Some(self.element)),
            BareLayout::Tiled(tiled) => {
                let dims = self.dims.iter().map(|dim| dim.bound()).collect();
                let (element, tiled) = (self.element, tiled.clone());
                if self.dims.len() != tiled.tile_strides.len() {
                    return Err(Error::lengths(["tile strides", "dims"], tiled.tile_strides.len(), self.dims.len()));
                }
                let (array, notes) = MemRef { dims, element, tiled, memory_space: None }.to_array()?;
                (array.layout, notes)
            }
            BareLayout::Vector(layout) => {
                return Err(error!(
                    Code::Kind,
                    "{layout} places elements in vector registers, and an array lies in memory",
                    [layout]
                ));
            }
        };
        match mismatch(self.dims.len(), &layout) {
            Some(error) => Err(error),
            None => Ok((Array { element: self.element, dims: self.dims.clone(), layout }, notes)),
        }
    }
}

/// The layout at the start of a text, and how many bytes it takes.
///
/// # Errors
/// What either reader says of the text, with the place.
pub(crate) fn read_bare(text: &str) -> Result<(BareLayout, usize), Error> {
    match text.chars().next() {
        Some('{') => layout_prefix(text).map(|(layout, length)| (BareLayout::Xla(layout), length)),
        Some('#') if text.starts_with("#tpu.tiled") => {
            read_tiled(text).map(|(layout, length)| (BareLayout::Tiled(layout), length))
        }
        Some('#') => read_vector(text).map(|(layout, length)| (BareLayout::Vector(layout), length)),
        _ => read_jax(text).map(|(layout, length)| (BareLayout::Jax(layout), length)),
    }
}

impl fmt::Display for BareLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BareLayout::Xla(layout) => write!(f, "{layout}"),
            BareLayout::Jax(layout) => write!(f, "{layout}"),
            BareLayout::Vector(layout) => write!(f, "{layout}"),
            BareLayout::Tiled(layout) => write!(f, "{layout}"),
        }
    }
}
