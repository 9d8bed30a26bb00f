//! Filter: a layout without its broadcasts.
//!
//! [`filter_zeros`] gives every stride-0 mode the extent 1; [`filter`] then coalesces, so that neither stride-0 nor
//! size-1 modes are left. Law: the image is kept, and `size(filter(L))` is the size of the image where L is injective
//! apart from its stride-0 modes.

use super::coalesce::{by_profile, coalesce};
use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::error::Error;
use crate::int::Integer;
use crate::tuple::Tuple;

/// Every mode with the static stride 0 gets the extent 1.
///
/// # Errors
/// None today; the signature is that of its siblings.
///
/// ```
/// use bitstride::{cute::filter_zeros, StaticLayout};
/// let layout: StaticLayout = "(7,16,4):(0,0,1)".parse()?;
/// assert_eq!(filter_zeros(&layout)?.to_string(), "(1,1,4):(0,0,1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn filter_zeros<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    let mut strides = layout.strides().iter();
    layout.convert(
        |extent| {
            let broadcast = strides.next().is_some_and(D::is_zero);
            Ok(if broadcast { I::from(1) } else { extent.clone() })
        },
        |stride| Ok(stride.clone()),
    )
}

/// The layout without stride-0 and size-1 modes, coalesced; `1:0` when nothing is left.
///
/// # Errors
/// None today; the signature is that of its siblings.
pub fn filter<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    coalesce(&filter_zeros(layout)?)
}

/// [`filter`] on each mode that the profile has a leaf for.
///
/// # Errors
/// [`Code::Profile`](crate::Code::Profile) when the profile has more modes than the layout.
pub fn filter_by<I: Integer, D: StrideLeaf<I>, T: Clone + Default>(
    layout: &Layout<I, D>,
    profile: &Tuple<T>,
) -> Result<Layout<I, D>, Error> {
    by_profile(layout, layout.root(), profile.root(), "filter", &filter)
}
