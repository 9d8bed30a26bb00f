//! [`holders`]: what each bit of the first bytes of a tensor holds.
//!
//! Law: a bit that is listed as a bit of an element is where the field places it; one that is not holds no element.

use bitstride::{Code, Error, error};

use crate::format::Format;
use crate::points::Points;

/// The most bits of elements that are looked at.
const MAX_BITS: i64 = 1 << 24;

/// What a bit of memory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The field, by number.
    pub field: usize,
    /// The element.
    pub element: Vec<i64>,
    /// The bit of the element, 0 the least significant.
    pub bit: i64,
}

/// What the first bits of a tensor hold; none for padding.
///
/// # Errors
/// [`Code::TooLarge`] for a tensor of more than sixteen million bits; as [`crate::Places::at`].
///
/// ```
/// use bitstride_formats::{Zoo, holders};
/// let format = Zoo::builtin().format("bnb:nf4,n=1,k=8")?;
/// let first = holders(&format, 0, 8)?;
/// // The first code is in the high bits.
/// assert_eq!(first[4].as_ref().map(|holder| holder.element.clone()), Some(vec![0, 0]));
/// assert_eq!(first[0].as_ref().map(|holder| holder.element.clone()), Some(vec![0, 1]));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn holders(format: &Format, tensor: usize, bits: usize) -> Result<Vec<Option<Holder>>, Error> {
    let mut held = vec![None; bits];
    for (number, field) in format.fields.iter().enumerate().filter(|(_, field)| field.tensor == tensor) {
        let elements = field.places.elements()?;
        if elements.saturating_mul(field.places.element_bits()) > MAX_BITS {
            return Err(error!(
                Code::TooLarge,
                "{name} has {elements} elements, more than are looked at one by one",
                [name = field.name, elements]
            )
            .with_help("a smaller shape shows the same block"));
        }
        for point in Points::new(&field.places.shape()?, true) {
            for bit in 0..field.places.element_bits() {
                let place = usize::try_from(field.places.at(&point, bit)?).unwrap_or(usize::MAX);
                if let Some(slot) = held.get_mut(place) {
                    *slot = Some(Holder { field: number, element: point.clone(), bit });
                }
            }
        }
    }
    Ok(held)
}
