//! Coordinates: from a coordinate to an offset and back, slices and dices.
//!
//! A coordinate of a layout is an integer for the whole, or a tuple with a coordinate for each mode, at every level:
//! 1-D, rank-D and natural coordinates and every mixture. An integer over a nested mode is read colexicographically,
//! and the last leaf goes on beyond its extent. `_` stands for "all of this mode": [`slice()`] keeps those modes and
//! adds the offset of the others, [`dice`] keeps the others. Law: `crd2idx(idx2crd(i, S), S) = i`, and a slice
//! evaluates to the layout with its coordinates filled in.

use std::fmt;

use super::layout::{Layout, LayoutBuilder, exact_sum, offset_of_index, terms_of_index};
use super::measure::cosize_from;
use crate::basis::{Stride, StrideLeaf};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::tuple::{Node, Tuple, product, slice as part};

/// A coordinate that may have `_` (`None`) for modes it leaves free.
pub type Coordinate<I> = Tuple<Option<I>>;

/// A layout with an offset: what a slice leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Offset<I, D> {
    /// The layout of what is left.
    pub layout: Layout<I, D>,
    /// Where it starts.
    pub offset: D,
}

impl<I: Integer, D: StrideLeaf<I>> fmt::Display for Offset<I, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An offset into coordinates is a coordinate, so that it is not read as a part of the stride before it.
        write!(f, "{} + {}", self.layout, self.offset.point_text())
    }
}

impl Offset<Int, Stride> {
    /// The length of the smallest interval that holds 0 and the image.
    ///
    /// # Errors
    /// As [`cosize`](super::cosize()).
    pub fn cosize(&self) -> Result<Int, Error> {
        let offset = self.offset.as_integer().ok_or_else(|| {
            error!(Code::Kind, "{layout} maps to coordinates", [layout = self])
                .with_help("coshape gives its extent along each")
        })?;
        cosize_from(&self.layout, offset)
    }

    /// As the C++ library prints the layout, with the offset after it.
    pub fn cpp(&self) -> String {
        format!("{} + {}", self.layout.cpp(), self.offset.to_coordinate().map(Int::cpp))
    }
}

/// The offset of a coordinate in a layout.
///
/// # Errors
/// [`Code::Profile`] when the coordinate does not fit the layout, [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::crd2idx, StaticLayout, Tuple};
/// let layout: StaticLayout = "((2,4),(3,5)):((3,6),(1,24))".parse()?;
/// let coordinate = Tuple::of(&[Tuple::flat(&[1, 3]), Tuple::flat(&[2, 4])]);
/// assert_eq!(crd2idx(&coordinate, &layout), Ok(119));
/// assert_eq!(crd2idx(&Tuple::flat(&[7, 14]), &layout), Ok(119));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn crd2idx<I: Integer, D: StrideLeaf<I>>(coordinate: &Tuple<I>, layout: &Layout<I, D>) -> Result<D, Error> {
    let full = coordinate.map(|n| Some(n.clone()));
    match slice_node(layout, layout.root(), &full, full.root(), &mut None) {
        Ok(offset) => Ok(offset.unwrap_or_default()),
        Err(error) => {
            let mut terms = Vec::new();
            terms_node(layout, layout.root(), coordinate, coordinate.root(), &mut terms)?;
            exact_sum(&terms, error)
        }
    }
}

/// The digits of a coordinate with their strides.
#[cold]
fn terms_node<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    node: Node<'_>,
    coordinate: &Tuple<I>,
    at: Node<'_>,
    terms: &mut Vec<(I, D)>,
) -> Result<(), Error> {
    if let (true, [index]) = (at.is_leaf(), part(coordinate.leaves(), at.leaves())) {
        let (shape, stride) = layout.leaves_of(node);
        return terms_of_index(shape, stride, index, terms);
    }
    if node.is_leaf() || node.rank() != at.rank() {
        return Err(misfit(&coordinate.at(at), &layout.at(node).shape()));
    }
    node.children().zip(at.children()).try_for_each(|(node, at)| terms_node(layout, node, coordinate, at, terms))
}

/// The natural coordinate of an index in a shape; the last leaf takes what is left over.
///
/// # Errors
/// [`Code::Range`] for a zero extent before the last leaf, [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::idx2crd, Tuple};
/// let shape = Tuple::of(&[Tuple::flat(&[4_i64, 2]), Tuple::leaf(16), Tuple::leaf(2)]);
/// assert_eq!(idx2crd(&686, &shape).map(|c| c.to_string()), Ok("((2,1),5,5)".into()));
/// ```
pub fn idx2crd<I: Integer>(index: &I, shape: &Tuple<I>) -> Result<Tuple<I>, Error> {
    let mut rest = index.clone();
    let last = shape.leaves().len().saturating_sub(1);
    let mut at = 0;
    shape.try_map(|extent| {
        at += 1;
        if at > last {
            return Ok(rest.clone());
        }
        let (quotient, digit) = rest.div_rem(extent)?;
        rest = quotient;
        Ok(digit)
    })
}

/// The coordinate of a layout that leads to an offset: in each leaf how often its stride fits, by the extent. So CuTe finds the place
/// of a thread among those of a layout of threads, and answers also where no coordinate leads there; here that is refused.
///
/// # Errors
/// [`Code::Range`] where the coordinate found leads elsewhere, and for a layout without elements; [`Code::MissingFact`] for one that is not all known;
/// [`Code::Kind`] for one that leads to coordinates.
///
/// ```
/// use bitstride::cute::coordinate_at;
/// assert_eq!(coordinate_at(&"((2,2),3):((24,2),8)".parse()?, 42)?.to_string(), "((1,1),2)");
/// assert!(coordinate_at(&"((2,2),3):((24,2),8)".parse()?, 5).is_err());
/// assert!(coordinate_at(&"(0,2):(1,0)".parse()?, 0).is_err());
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn coordinate_at(layout: &Layout, offset: i64) -> Result<Tuple<Int>, Error> {
    let mut found = 0_i64;
    let mut strides = layout.strides().iter();
    let coordinate = layout.shape().try_map(|extent| -> Result<Int, Error> {
        let stride = match strides.next().map(StrideLeaf::as_integer) {
            Some(Some(stride)) => stride.as_number()?,
            _ => return Err(error!(Code::Kind, "{layout} leads to coordinates, and no offset", [layout])),
        };
        let extent = extent.as_number()?;
        if extent == 0 {
            return Err(error!(
                Code::Range,
                "{layout} has no elements, and no coordinate that leads to {offset}",
                [layout, offset]
            ));
        }
        let digit = offset.checked_div(stride).and_then(|n| n.checked_rem_euclid(extent)).unwrap_or(0);
        found = digit
            .checked_mul(stride)
            .and_then(|moved| found.checked_add(moved))
            .ok_or_else(|| Error::overflow("an offset"))?;
        Ok(Int::from(digit))
    })?;
    if found != offset {
        return Err(error!(
            Code::Range,
            "no digits of the strides of {layout} lead to {offset}: {coordinate} leads to {found}",
            [layout, offset, coordinate, found]
        ));
    }
    Ok(coordinate)
}

/// A coordinate of one shape as the coordinate of another of the same size: through the flat index.
///
/// # Errors
/// As [`crd2idx`] and [`idx2crd`].
pub fn crd2crd<I: Integer>(coordinate: &Tuple<I>, from: &Tuple<I>, to: &Tuple<I>) -> Result<Tuple<I>, Error> {
    idx2crd(&crd2index(coordinate, from)?, to)
}

/// The flat index of a coordinate in a shape.
///
/// # Errors
/// As [`crd2idx`].
pub fn crd2index<I: Integer>(coordinate: &Tuple<I>, shape: &Tuple<I>) -> Result<I, Error> {
    index_node(shape, shape.root(), coordinate, coordinate.root())
}

fn index_node<I: Integer>(shape: &Tuple<I>, node: Node<'_>, coordinate: &Tuple<I>, at: Node<'_>) -> Result<I, Error> {
    if at.is_leaf() {
        return Ok(part(coordinate.leaves(), at.leaves()).first().cloned().unwrap_or_else(|| I::from(0)));
    }
    if node.is_leaf() || node.rank() != at.rank() {
        return Err(misfit(&coordinate.at(at), &shape.at(node)));
    }
    let mut index = I::from(0);
    // Behind the last mode that is not at 0 nothing need fit in 64 bits.
    let mut unit = Ok(I::from(1));
    for (node, at) in node.children().zip(at.children()) {
        let digit = index_node(shape, node, coordinate, at)?;
        if !digit.is(0) {
            index = index.add(&digit.mul(&unit.clone()?)?)?;
        }
        unit = unit.and_then(|unit| unit.mul(&product(part(shape.leaves(), node.leaves()))?));
    }
    Ok(index)
}

/// The coordinates of a shape in colexicographic order, the order of the flat index.
///
/// ```
/// use bitstride::{cute::coordinates, Tuple};
/// let all: Vec<String> = coordinates(&Tuple::flat(&[2_i64, 2])).map(|c| c.to_string()).collect();
/// assert_eq!(all, ["(0,0)", "(1,0)", "(0,1)", "(1,1)"]);
/// ```
pub fn coordinates(shape: &Tuple<i64>) -> impl Iterator<Item = Tuple<i64>> + use<> {
    let empty = shape.leaves().iter().any(|n| *n <= 0);
    let shape = shape.clone();
    let first = if empty { None } else { Some(shape.map(|_| 0)) };
    std::iter::successors(first, move |coordinate| {
        let mut carry = true;
        let mut extents = shape.leaves().iter();
        let next = coordinate.map(|digit| {
            let extent = extents.next().copied().unwrap_or(1);
            if !carry {
                return *digit;
            }
            carry = digit + 1 == extent;
            if carry { 0 } else { digit + 1 }
        });
        (!carry).then_some(next)
    })
}

/// The modes with `_`, one level flattened, and the offset of the others.
///
/// # Errors
/// [`Code::Profile`] when the coordinate does not fit the layout, [`Code::Overflow`].
///
/// ```
/// use bitstride::{cute::{slice, Coordinate}, StaticLayout, Tuple};
/// let layout: StaticLayout = "(2,6,7):(1,2,12)".parse()?;
/// let at: Coordinate<i64> = Tuple::flat(&[Some(1), None, Some(1)]);
/// assert_eq!(slice(&layout, &at)?.to_string(), "(6):(2) + 13");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn slice<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    coordinate: &Coordinate<I>,
) -> Result<Offset<I, D>, Error> {
    let mut kept = Some(Vec::new());
    let offset = slice_node(layout, layout.root(), coordinate, coordinate.root(), &mut kept)?;
    Ok(Offset { layout: gathered(layout, kept, coordinate), offset: offset.unwrap_or_default() })
}

/// The modes without `_`, one level flattened.
///
/// # Errors
/// As [`slice()`].
pub fn dice<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    coordinate: &Coordinate<I>,
) -> Result<Layout<I, D>, Error> {
    let mut kept = Vec::new();
    dice_node(layout, layout.root(), coordinate, coordinate.root(), &mut kept)?;
    if let (Some(Some(_)), Some(only)) = (coordinate.as_leaf(), kept.first()) {
        return Ok(layout.at(*only));
    }
    Ok(gather(layout, &kept))
}

fn gathered<I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    kept: Option<Vec<Node<'_>>>,
    coordinate: &Coordinate<I>,
) -> Layout<I, D> {
    let kept = kept.unwrap_or_default();
    if coordinate.as_leaf() == Some(&None) {
        return layout.clone();
    }
    gather(layout, &kept)
}

fn gather<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>, kept: &[Node<'_>]) -> Layout<I, D> {
    let mut builder = LayoutBuilder::new();
    builder.open();
    for node in kept {
        builder.node(layout, *node);
    }
    builder.close();
    builder.finish()
}

fn slice_node<'l, I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    node: Node<'l>,
    coordinate: &Coordinate<I>,
    at: Node<'_>,
    kept: &mut Option<Vec<Node<'l>>>,
) -> Result<Option<D>, Error> {
    if at.is_leaf() {
        return match part(coordinate.leaves(), at.leaves()).first() {
            Some(Some(index)) => {
                let (shape, stride) = layout.leaves_of(node);
                offset_of_index(shape, stride, index).map(Some)
            }
            _ => {
                if let Some(kept) = kept {
                    kept.push(node);
                }
                Ok(None)
            }
        };
    }
    let mut offset: Option<D> = None;
    for (node, at) in matched(layout, node, coordinate, at)? {
        if let Some(more) = slice_node(layout, node, coordinate, at, kept)? {
            offset = Some(match offset {
                Some(offset) => offset.plus(&more)?,
                None => more,
            });
        }
    }
    Ok(offset)
}

fn dice_node<'l, I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    node: Node<'l>,
    coordinate: &Coordinate<I>,
    at: Node<'_>,
    kept: &mut Vec<Node<'l>>,
) -> Result<(), Error> {
    if at.is_leaf() {
        if let Some(Some(_)) = part(coordinate.leaves(), at.leaves()).first() {
            kept.push(node);
        }
        return Ok(());
    }
    for (node, at) in matched(layout, node, coordinate, at)? {
        dice_node(layout, node, coordinate, at, kept)?;
    }
    Ok(())
}

/// The modes of a layout beside the entries of a coordinate.
fn matched<'l, 'c, I: Integer, D: StrideLeaf<I>>(
    layout: &Layout<I, D>,
    node: Node<'l>,
    coordinate: &Coordinate<I>,
    at: Node<'c>,
) -> Result<impl Iterator<Item = (Node<'l>, Node<'c>)> + use<'l, 'c, I, D>, Error> {
    if node.is_leaf() || node.rank() != at.rank() {
        let entry = coordinate.at(at).map(|n| n.as_ref().map_or_else(|| "_".to_owned(), ToString::to_string));
        return Err(misfit(&entry, &layout.at(node).shape()));
    }
    Ok(node.children().zip(at.children()))
}

#[cold]
fn misfit(coordinate: &impl fmt::Display, shape: &impl fmt::Display) -> Error {
    error!(Code::Profile, "the coordinate {coordinate} does not fit the shape {shape}", [coordinate, shape])
        .with_help("give an integer for the whole, or one entry for each mode")
}
