//! Where an element lives: all places with a given image, without visiting the others.
//!
//! The places of an element are one place plus the kernel. Law: [`Places::of_element`] lists exactly the packed places
//! `p` with `layout.apply_packed(p) == element`, in ascending order; there are none when the element is no image, and
//! else `2^d` of them, `d` being the dimension of the kernel.

use super::bits::{Echelon, ones, with_kernel};
use super::layout::LinearLayout;

/// The inverse relation of a layout, ready to be asked element by element.
///
/// ```
/// use bitstride::linear::{LinearLayout, Name, Places};
/// // Lane 2 holds what lane 0 holds.
/// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1], vec![0]])], &[(Name::dim(0), 2)])?;
/// let places = Places::new(&layout);
/// assert_eq!(places.of_element(1).collect::<Vec<_>>(), [1, 3]);
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Places {
    echelon: Echelon,
    /// By ascending leading bit, which no other vector here has: sums in counting order are then in ascending order.
    kernel: Vec<u64>,
}

impl Places {
    /// Prepares a layout, by one elimination.
    pub fn new(layout: &LinearLayout) -> Self {
        Places::of_columns(layout.columns())
    }

    pub(crate) fn of_columns(columns: &[u64]) -> Self {
        let (echelon, kernel) = with_kernel(columns);
        Places { echelon, kernel }
    }

    /// The least place of an element, packed as the layout packs its in dims; none when nothing holds it.
    pub fn first(&self, element: u64) -> Option<u64> {
        self.echelon.express(element)
    }

    /// All places of an element, ascending.
    pub fn of_element(&self, element: u64) -> impl Iterator<Item = u64> {
        let count = self.first(element).map_or(0, |_| self.number());
        let first = self.first(element).unwrap_or(0);
        (0..count).map(move |sum| ones(sum).filter_map(|at| self.kernel.get(at)).fold(first, |place, k| place ^ k))
    }

    /// A basis of the kernel: the places that differ by a sum of these hold the same element.
    pub fn kernel(&self) -> &[u64] {
        &self.kernel
    }

    /// How many places every element that has one has.
    pub fn number(&self) -> u64 {
        u32::try_from(self.kernel.len()).ok().and_then(|dimension| 1u64.checked_shl(dimension)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn the_places_of_every_element_in_ascending_order() {
        for columns in [&[0b011u64, 0, 0b101, 0b110, 0b011][..], &[1, 2, 4], &[0, 0], &[]] {
            let apply =
                |place: u64| (0..columns.len()).filter(|at| place >> at & 1 == 1).fold(0, |sum, at| sum ^ columns[at]);
            let places = Places::of_columns(columns);
            for element in 0..8 {
                let wanted: Vec<u64> = (0..1 << columns.len()).filter(|place| apply(*place) == element).collect();
                assert_eq!(places.of_element(element).collect::<Vec<_>>(), wanted, "{columns:?} {element}");
                assert_eq!(places.first(element), wanted.first().copied());
            }
        }
    }
}
