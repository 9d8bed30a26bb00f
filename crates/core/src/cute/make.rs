//! Making layouts from shapes: compact, row-major, ordered, like another one, identity.
//!
//! Law: a compact layout is a bijection onto 0..size; the order says which modes are faster. A static size-1 mode gets
//! the stride 0, as in CuTe.

use super::layout::{Layout, LayoutBuilder};
use crate::basis::{Path, StrideLeaf};
use crate::cast;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::trace::Trace;
use crate::tuple::{Node, Tuple, need_extents, product, slice, weakly_congruent};

/// The compact column-major layout of a shape: the leftmost mode is fastest.
///
/// # Errors
/// [`Code::Overflow`] when the size does not fit.
///
/// ```
/// use bitstride::{cute::column_major, StaticLayout, Tuple};
/// let layout: StaticLayout = column_major(&Tuple::flat(&[3, 1, 4]))?;
/// assert_eq!(layout.to_string(), "(3,1,4):(1,0,3)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn column_major<I: Integer, D: StrideLeaf<I>>(shape: &Tuple<I>) -> Result<Layout<I, D>, Error> {
    let mut strides = Vec::new();
    running(shape.leaves().iter(), I::from(1), &mut strides)?;
    with_strides(shape, strides)
}

/// The compact row-major layout of a shape: the rightmost mode is fastest.
///
/// # Errors
/// [`Code::Overflow`] when the size does not fit.
pub fn row_major<I: Integer, D: StrideLeaf<I>>(shape: &Tuple<I>) -> Result<Layout<I, D>, Error> {
    let mut strides = Vec::new();
    running(shape.leaves().iter().rev(), I::from(1), &mut strides)?;
    strides.reverse();
    with_strides(shape, strides)
}

pub(super) fn with_strides<I: Integer, D: StrideLeaf<I>>(
    shape: &Tuple<I>,
    strides: Vec<I>,
) -> Result<Layout<I, D>, Error> {
    let strides: Vec<D> = strides.into_iter().map(D::from).collect();
    Layout::new(shape.clone(), Tuple::unflatten(&strides, shape.profile())?)
}

/// Appends the strides that make the given extents compact from `start`.
pub(super) fn running<'s, I: Integer + 's>(
    extents: impl Iterator<Item = &'s I>,
    start: I,
    strides: &mut Vec<I>,
) -> Result<(), Error> {
    // Behind the last mode nothing need fit in 64 bits.
    let mut current = Ok(start);
    for extent in extents {
        strides.push(if extent.is(1) { I::from(0) } else { current.clone()? });
        current = current.and_then(|current| current.mul(extent));
    }
    Ok(())
}

/// The compact layout in which modes with a smaller order are faster; modes of one order are faster from the left.
///
/// The order is a tuple weakly congruent to the shape: an entry over a nested mode orders that mode as a whole.
///
/// # Errors
/// [`Code::Profile`] when the order does not fit the shape, [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::make_ordered_layout, StaticLayout, Tuple};
/// let layout: StaticLayout = make_ordered_layout(&Tuple::flat(&[4, 8, 4]), &Tuple::flat(&[1, 2, 0]))?;
/// assert_eq!(layout.to_string(), "(4,8,4):(4,16,1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn make_ordered_layout<I: Integer, D: StrideLeaf<I>>(
    shape: &Tuple<I>,
    order: &Tuple<I>,
) -> Result<Layout<I, D>, Error> {
    make_ordered_layout_traced(shape, order, &mut ())
}

/// [`make_ordered_layout`], with the numbers of the parts that have one order each reported, the fastest first.
///
/// # Errors
/// As [`make_ordered_layout`].
///
/// ```
/// use bitstride::{StaticLayout, Tuple, cute::make_ordered_layout_traced};
/// let mut modes = Vec::new();
/// let (shape, order) = (Tuple::flat(&[4, 8, 4]), Tuple::flat(&[1, 2, 0]));
/// let layout: StaticLayout = make_ordered_layout_traced(&shape, &order, &mut modes)?;
/// assert_eq!((layout.to_string().as_str(), modes.as_slice()), ("(4,8,4):(4,16,1)", &[2, 0, 1][..]));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn make_ordered_layout_traced<I: Integer, D: StrideLeaf<I>>(
    shape: &Tuple<I>,
    order: &Tuple<I>,
    trace: &mut impl Trace<usize>,
) -> Result<Layout<I, D>, Error> {
    if !weakly_congruent(order, shape) {
        return Err(error!(Code::Profile, "the order {order} does not fit the shape {shape}", [order, shape])
            .with_help("give one order for each mode, nested at most as the shape is"));
    }
    // As in CuTe, an order that is not static comes after all static ones, from the left.
    let last = order.leaves().iter().filter_map(Integer::fixed).max().unwrap_or(-1);
    let mut groups = Vec::new();
    ordered_groups(shape.root(), order, order.root(), last, &mut groups)?;
    let mut parts: Vec<(usize, &(i64, Node<'_>))> = groups.iter().enumerate().collect();
    parts.sort_by_key(|(_, (rank, _))| *rank);
    let mut strides = vec![I::from(0); shape.leaves().len()];
    let mut below = Ok(I::from(1));
    for (number, (_, node)) in parts {
        trace.record(|| number);
        let extents = slice(shape.leaves(), node.leaves());
        let (start, mut own) = (below?, Vec::new());
        running(extents.iter(), start.clone(), &mut own)?;
        strides.splice(node.leaves(), own);
        below = product(extents).and_then(|size| start.mul(&size));
    }
    with_strides(shape, strides)
}

/// The parts of a shape that have one order each, left to right.
fn ordered_groups<'s, I: Integer>(
    shape: Node<'s>,
    order: &Tuple<I>,
    node: Node<'_>,
    last: i64,
    groups: &mut Vec<(i64, Node<'s>)>,
) -> Result<(), Error> {
    if !node.is_leaf() {
        for (shape, node) in shape.children().zip(node.children()) {
            ordered_groups(shape, order, node, last, groups)?;
        }
        return Ok(());
    }
    for rank in slice(order.leaves(), node.leaves()) {
        let place = cast::length(groups.len()).saturating_add(1);
        groups.push((rank.fixed().unwrap_or(last.saturating_add(place)), shape));
    }
    Ok(())
}

/// A compact layout with the shape of another and its strides in the same order; stride-0 modes stay broadcasts.
///
/// Dynamic strides come after the static ones, from the left; the answer is refused where their values contradict it.
///
/// # Errors
/// [`Code::MissingFact`] when dynamic or unknown strides leave the order open, [`Code::Kind`] for coordinate strides,
/// [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::make_layout_like, StaticLayout};
/// let layout: StaticLayout = "(2,3,4,5):(0,42,4,0)".parse()?;
/// assert_eq!(make_layout_like(&layout)?.to_string(), "(2,3,4,5):(0,4,1,0)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn make_layout_like<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    make_layout_like_traced(layout, &mut ())
}

/// [`make_layout_like`], with the numbers of the leaves reported, the least stride first.
///
/// # Errors
/// As [`make_layout_like`].
///
/// ```
/// use bitstride::{StaticLayout, cute::make_layout_like_traced};
/// let (layout, mut leaves): (StaticLayout, _) = ("(3,4,5):(42,4,0)".parse()?, Vec::new());
/// assert_eq!(make_layout_like_traced(&layout, &mut leaves)?.to_string(), "(3,4,5):(4,1,0)");
/// assert_eq!(leaves, [2, 1, 0]);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn make_layout_like_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    trace: &mut impl Trace<usize>,
) -> Result<Layout<I, D>, Error> {
    let mut places = Vec::new();
    for (at, (extent, stride)) in layout.extents().iter().zip(layout.strides()).enumerate() {
        let Some(stride) = stride.as_integer() else {
            return Err(error!(Code::Kind, "{layout} has coordinate strides; its order is not defined", [layout]));
        };
        let extent = if stride.is(0) { I::from(1) } else { extent.clone() };
        places.push((at, extent, stride.clone()));
    }
    places.sort_by_key(|(_, _, stride)| (stride.fixed().is_none(), stride.fixed()));
    let taking_part = places.iter().filter(|(_, extent, _)| !extent.is(1));
    for ((_, _, below), (_, _, above)) in taking_part.clone().zip(taking_part.skip(1)) {
        if below.at_most(above) != Some(true) {
            return Err(error!(
                Code::MissingFact,
                "make_layout_like({layout}): that the stride {below} is at most {above} is not known or not so",
                [layout, below, above]
            )
            .with_help("make_ordered_layout takes the order from you"));
        }
    }
    let mut strides = vec![I::from(0); places.len()];
    let mut current = Ok(I::from(1));
    for (at, extent, _) in &places {
        trace.record(|| *at);
        if let Some(place) = strides.get_mut(*at)
            && !extent.is(1)
        {
            *place = current.clone()?;
        }
        current = current.and_then(|current| current.mul(extent));
    }
    with_strides(&layout.shape(), strides)
}

/// The identity on coordinates: every leaf steps by the basis vector of its place.
///
/// # Errors
/// [`Code::Kind`] where the stride type has no basis vectors, [`Code::Range`] for a negative extent.
///
/// ```
/// use bitstride::{cute::make_identity_layout, Layout, Tuple};
/// let layout: Layout = make_identity_layout(&Tuple::flat(&[4.into(), 8.into()]))?;
/// assert_eq!(layout.to_string(), "(4,8):(1@0,1@1)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn make_identity_layout<I: Integer, D: StrideLeaf<I>>(shape: &Tuple<I>) -> Result<Layout<I, D>, Error> {
    need_extents(shape.leaves())?;
    let mut builder = LayoutBuilder::new();
    identity_node(shape, shape.root(), &mut Path::new(), &mut builder)?;
    Ok(builder.finish())
}

fn identity_node<I: Integer, D: StrideLeaf<I>>(
    shape: &Tuple<I>,
    node: Node<'_>,
    path: &mut Path,
    builder: &mut LayoutBuilder<I, D>,
) -> Result<(), Error> {
    if node.is_leaf() {
        for extent in slice(shape.leaves(), node.leaves()) {
            builder.leaf(extent.clone(), D::from_components(&[(path.clone(), I::from(1))])?);
        }
        return Ok(());
    }
    builder.open();
    for (index, child) in node.children().enumerate() {
        path.push(index);
        identity_node(shape, child, path, builder)?;
        path.pop();
    }
    builder.close();
    Ok(())
}
