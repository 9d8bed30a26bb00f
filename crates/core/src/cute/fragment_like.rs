//! The registers of a fragment: a compact layout whose first mode, the values of one instruction, is column-major.
//!
//! Law: R has the shape of the layout. Of two modes or more, the first is compact column-major, and its modes of stride 0 stay
//! broadcasts; the others follow in the order of their strides, also those of stride 0, which are the fastest. A layout of one
//! mode, or with an extent that is not static, becomes the compact column-major one.
//!
//! | L | R | |
//! |---|---|---|
//! | `(4,2,8):(9,100,4)` | `(4,2,8):(1,32,4)` | stride 4 before stride 100 |
//! | `((4,2),8):((0,3),1)` | `((4,2),8):((0,1),2)` | 4 registers share a value |
//! | `(4,2,8):(1,0,4)` | `(4,2,8):(1,4,8)` | a later mode of stride 0 has registers of its own |

use super::layout::Layout;
use super::make::{column_major, running, with_strides};
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::trace::Trace;
use crate::tuple::product;

/// The registers for what a layout has, as CuTe's `make_fragment_like` makes them of a layout.
///
/// Strides that are not static come after the static ones, from the left, as in
/// [`make_ordered_layout`](super::make_ordered_layout).
///
/// # Errors
/// [`Code::Kind`] for coordinate strides, [`Code::Overflow`].
///
/// ```
/// use bitstride::{StaticLayout, cute::make_fragment_like};
/// let layout: StaticLayout = "((4,2),(2,3),8):((0,3),(7,100),4)".parse()?;
/// assert_eq!(make_fragment_like(&layout)?.to_string(), "((4,2),(2,3),8):((0,1),(16,32),2)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn make_fragment_like<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    make_fragment_like_traced(layout, &mut ())
}

/// [`make_fragment_like`], with the numbers of the leaves behind the first mode reported, the fastest first; none where the
/// whole is column-major.
///
/// # Errors
/// As [`make_fragment_like`].
///
/// ```
/// use bitstride::{StaticLayout, cute::make_fragment_like_traced};
/// let (layout, mut leaves): (StaticLayout, _) = ("(3,4,5):(1,42,4)".parse()?, Vec::new());
/// assert_eq!(make_fragment_like_traced(&layout, &mut leaves)?.to_string(), "(3,4,5):(1,15,3)");
/// assert_eq!(leaves, [2, 1]);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn make_fragment_like_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    trace: &mut impl Trace<usize>,
) -> Result<Layout<I, D>, Error> {
    let shape = layout.shape();
    let extents = shape.leaves();
    if layout.rank() < 2 || extents.iter().any(|extent| extent.fixed().is_none()) {
        return column_major(&shape);
    }
    let mut order = Vec::new();
    for stride in layout.strides() {
        let Some(stride) = stride.as_integer() else {
            return Err(error!(Code::Kind, "{layout} has coordinate strides; its order is not defined", [layout]));
        };
        order.push(stride);
    }
    let first = layout.get(&[0])?.extents().len();
    let own: Vec<I> = extents
        .iter()
        .zip(&order)
        .take(first)
        .map(|(extent, stride)| if stride.is(0) { I::from(1) } else { extent.clone() })
        .collect();
    let mut strides = Vec::new();
    running(own.iter(), I::from(1), &mut strides)?;
    let mut current = product(&own);
    strides.resize(extents.len(), I::from(0));
    let mut rest: Vec<usize> = (first..extents.len()).collect();
    let fixed = |at: &usize| order.get(*at).and_then(|stride| stride.fixed());
    // Stable, so that equal strides are ordered from the left.
    rest.sort_by_key(|at| (fixed(at).is_none(), fixed(at)));
    for at in rest {
        trace.record(|| at);
        let (Some(extent), Some(place)) = (extents.get(at), strides.get_mut(at)) else { continue };
        // Behind the last mode nothing need fit in 64 bits.
        let start = current?;
        current = start.mul(extent);
        if !extent.is(1) {
            *place = start;
        }
    }
    with_strides(&shape, strides)
}
