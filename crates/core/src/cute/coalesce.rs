//! Coalesce: the same function with as few modes as its static and named leaves allow.
//!
//! Neighbours `(s0:d0, s1:d1)` become `s0*s1:d0` when `d1 = s0*d0`, and static size-1 modes vanish:
//! `(2,(1,6)):(1,(6,2))` is `12:1`, and `(M,4):(1,M)` is `4*M:1`. Law: the size is kept, the depth is at most 1, and R(i) = L(i) for every i below
//! the size. For static layouts the result is canonical: two layouts are the same function of the flat index exactly
//! when their coalesced forms are equal texts.

use super::layout::{Layout, LayoutBuilder, Operation};
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::trace::Trace;
use crate::tuple::{Leaves, Node, Tuple};

/// What coalescing does with one flat mode after the other, as data. Law: the modes that are kept, each with the extent that
/// the last merge into it has, are the answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoalesceStep<I> {
    /// The mode has one element, and is left out.
    Dropped,
    /// The mode stays.
    Kept,
    /// The mode goes on where the kept one before it ends, and both are one.
    Merged {
        /// How many elements the two have together.
        extent: I,
    },
}

/// Flat modes: extents with their strides.
#[derive(Clone, Debug)]
pub(crate) struct Flat<I, D> {
    pub(crate) shape: Leaves<I>,
    pub(crate) stride: Leaves<D>,
}

impl<I: Integer, D: StrideLeaf<I>> Flat<I, D> {
    #[inline]
    pub(crate) fn new() -> Self {
        Flat { shape: Leaves::new(), stride: Leaves::new() }
    }

    #[inline]
    pub(crate) fn push(&mut self, extent: I, stride: D) {
        self.shape.push(extent);
        self.stride.push(stride);
    }

    /// Adds a mode behind the others, or merges it into the last one where that is settled to be the same function, of an
    /// extent within 64 bits. An extent that is not settled to be itself, dynamic or anonymous, stays a mode. The answer says
    /// whether it merged.
    #[inline]
    pub(crate) fn push_merging(&mut self, extent: &I, stride: &D) -> bool {
        if let (Some(last), Some(step)) = (self.shape.last_mut(), self.stride.last())
            && extent.same(extent)
            && step.reaches(last, stride)
            && let Ok(both) = last.mul(extent)
        {
            *last = both;
            true
        } else {
            self.push(extent.clone(), stride.clone());
            false
        }
    }

    #[inline]
    pub(crate) fn into_layout(self) -> Layout<I, D> {
        if self.shape.is_empty() {
            return Layout::unit();
        }
        Layout::of_flat(self.shape, self.stride)
    }
}

/// The coalesced modes of some flat ones.
#[inline]
pub(crate) fn coalesce_flat<I: Integer, D: StrideLeaf<I>>(shape: &[I], stride: &[D]) -> Flat<I, D> {
    coalesce_flat_traced(shape, stride, &mut ())
}

/// [`coalesce_flat`], reported.
#[inline]
fn coalesce_flat_traced<I: Integer, D: StrideLeaf<I>>(
    shape: &[I],
    stride: &[D],
    trace: &mut impl Trace<CoalesceStep<I>>,
) -> Flat<I, D> {
    let mut flat = Flat::new();
    for (extent, step) in shape.iter().zip(stride) {
        if extent.is(1) {
            trace.record(|| CoalesceStep::Dropped);
            continue;
        }
        let is_merged = flat.push_merging(extent, step);
        trace.record(|| match flat.shape.last().filter(|_| is_merged) {
            Some(extent) => CoalesceStep::Merged { extent: extent.clone() },
            None => CoalesceStep::Kept,
        });
    }
    flat
}

/// As [`coalesce_flat`], but the same function beyond the size too: the last leaf stays even with extent 1, since it
/// is the one that extends (`1:20` at 8 is 160). The extent of the last mode means nothing.
#[inline]
pub(crate) fn coalesce_extended<I: Integer, D: StrideLeaf<I>>(shape: &[I], stride: &[D]) -> Flat<I, D> {
    let mut flat = Flat::new();
    let last = shape.len().saturating_sub(1);
    for (at, (extent, step)) in shape.iter().zip(stride).enumerate() {
        if at == last {
            let extent = if extent.is(1) { I::from(2) } else { extent.clone() };
            flat.push_merging(&extent, step);
        } else if !extent.is(1) {
            flat.push_merging(extent, step);
        }
    }
    flat
}

/// The same function with the fewest modes.
///
/// # Errors
/// None today; the signature is that of its siblings.
///
/// ```
/// use bitstride::{cute::coalesce, StaticLayout};
/// let layout: StaticLayout = "(2,(1,6)):(1,(6,2))".parse()?;
/// assert_eq!(coalesce(&layout)?.to_string(), "12:1");
/// # Ok::<(), bitstride::Error>(())
/// ```
#[inline]
pub fn coalesce<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<Layout<I, D>, Error> {
    coalesce_traced(layout, &mut ())
}

/// [`coalesce`], with what becomes of each flat mode reported.
///
/// # Errors
/// As [`coalesce`].
///
/// ```
/// use bitstride::cute::{CoalesceStep, coalesce_traced};
/// use bitstride::StaticLayout;
/// let layout: StaticLayout = "(2,(1,6)):(1,(6,2))".parse()?;
/// let mut events = Vec::new();
/// assert_eq!(coalesce_traced(&layout, &mut events)?.to_string(), "12:1");
/// assert_eq!(events, [CoalesceStep::Kept, CoalesceStep::Dropped, CoalesceStep::Merged { extent: 12 }]);
/// # Ok::<(), bitstride::Error>(())
/// ```
#[inline]
pub fn coalesce_traced<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    trace: &mut impl Trace<CoalesceStep<I>>,
) -> Result<Layout<I, D>, Error> {
    Ok(coalesce_flat_traced(layout.extents(), layout.strides(), trace).into_layout())
}

/// Whether two layouts are the same function of the flat index on equally many elements; static leaves only are
/// settled.
///
/// # Errors
/// None today; the signature is that of its siblings.
///
/// ```
/// use bitstride::{cute::same_function, StaticLayout};
/// let a: StaticLayout = "(2048,2048):(1,2048)".parse()?;
/// let b: StaticLayout = "((32,64),(64,32)):((1,32),(2048,131072))".parse()?;
/// assert_eq!(same_function(&a, &b), Ok(true));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn same_function<I: Integer, D: StrideLeaf<I>>(a: &Layout<I, D>, b: &Layout<I, D>) -> Result<bool, Error> {
    let (a, b) = (coalesce_flat(a.extents(), a.strides()), coalesce_flat(b.extents(), b.strides()));
    // A layout without elements is every function.
    let empty = |flat: &Flat<I, D>| flat.shape.iter().any(|n| n.is(0));
    Ok((a.shape == b.shape && a.stride == b.stride) || (empty(&a) && empty(&b)))
}

/// Coalesces each mode that the profile has a leaf for, and leaves the others alone.
///
/// # Errors
/// [`Code::Profile`] when the profile has more modes than the layout.
///
/// ```
/// use bitstride::{cute::coalesce_by, StaticLayout, Tuple};
/// let layout: StaticLayout = "(2,(1,6)):(1,(6,2))".parse()?;
/// assert_eq!(coalesce_by(&layout, &Tuple::flat(&[1, 1]))?.to_string(), "(2,6):(1,2)");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn coalesce_by<I: Integer, D: StrideLeaf<I>, T>(
    layout: &Layout<I, D>,
    profile: &Tuple<T>,
) -> Result<Layout<I, D>, Error>
where
    T: Clone + Default,
{
    by_profile(layout, layout.root(), profile.root(), "coalesce", &coalesce)
}

/// Applies an operation at the leaves of a profile.
pub(crate) fn by_profile<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    node: Node<'_>,
    profile: Node<'_>,
    name: &str,
    operation: &Operation<'_, I, D>,
) -> Result<Layout<I, D>, Error> {
    if profile.is_leaf() {
        return operation(&layout.at(node));
    }
    let rank = node.rank();
    if profile.rank() > rank {
        return Err(error!(
            Code::Profile,
            "{name}: the profile has {profile_rank} entries, {layout} has {rank} modes",
            [name, profile_rank = profile.rank(), layout = layout.at(node), rank]
        ));
    }
    let mut entries = profile.children();
    let mut builder = LayoutBuilder::new();
    builder.open();
    for mode in node.modes() {
        match entries.next() {
            Some(entry) => builder.append(&by_profile(layout, mode, entry, name, operation)?),
            None => builder.node(layout, mode),
        }
    }
    builder.close();
    Ok(builder.finish())
}
