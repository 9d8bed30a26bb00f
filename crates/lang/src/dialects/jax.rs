//! JAX: `Layout(major_to_minor=(0, 1), tiling=((8, 128),), …)`, the layout of an array without its shape.

use bitstride::Error;
use bitstride::xla::{Array, JaxLayout};

/// The layout of an array.
pub(super) fn written(array: &Array, notes: &mut Vec<String>) -> Result<String, Error> {
    let (layout, said) = JaxLayout::of_array(array)?;
    notes.extend(said);
    notes.push(format!("the layout of {}", array.without_layout()));
    Ok(layout.to_string())
}
