//! Bitcasts: seeing the same memory as another shape.
//!
//! A bitcast is free by definition; the question is what it does to the elements. It may be a reshape (elements keep
//! their row-major numbers), a transpose (their indices are permuted), or both in turn. Tiles are part of the question
//! throughout, which XLA leaves them out of. Law: every step of an answer keeps the memory.

use super::print::listed;
use super::same::Sameness;
use super::{Array, Dim, Image, Layout};
use crate::cast::length;
use crate::error::{Code, Error};

/// What a bitcast does to the elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bitcast {
    /// It is a reshape.
    Reshape,
    /// It is a transpose: dim `k` of the result is dim `dims[k]` of the operand.
    Transpose(Vec<i64>),
    /// It is a transpose into the order of memory, a reshape, and a transpose out of the order of memory.
    Both {
        /// The dims of the first transpose.
        first: Vec<i64>,
        /// What the first transpose gives.
        transposed: Box<Array>,
        /// What the reshape gives.
        reshaped: Box<Array>,
        /// The dims of the second transpose.
        second: Vec<i64>,
    },
}

impl Array {
    /// The transpose that a bitcast to another array is: dim `k` there is dim `dims[k]` here; `None` when it is none.
    ///
    /// # Errors
    /// As [`Array::same_memory`].
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let a: Array = "f32[5,4]{1,0:T(4,8)(2,1)}".parse()?;
    /// let b: Array = "f32[4,5]{0,1:T(4,8)(2,1)}".parse()?;
    /// assert_eq!(a.deduce_transpose(&b)?, Some(vec![1, 0]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn deduce_transpose(&self, other: &Array) -> Result<Option<Vec<i64>>, Error> {
        let (left, right) = (Image::of(self)?, Image::of(other)?);
        let (from, to) = (left.dims().to_vec(), right.dims().to_vec());
        if from.len() != to.len() || left.size() != right.size() {
            return Ok(None);
        }
        // What lies at the same level in memory is the same dim, unless dims of extent 1 stand elsewhere.
        let mut by_order = vec![0; from.len()];
        for (old, new) in left.order().iter().zip(right.order()) {
            if let Some(place) = by_order.get_mut(*new) {
                *place = length(*old);
            }
        }
        for dims in [Some(by_order), matched(&left, &right)].into_iter().flatten() {
            let fits = dims.iter().zip(&to).all(|(dim, extent)| {
                self.dims.get(usize::try_from(*dim).unwrap_or(usize::MAX)).and_then(|dim| dim.bound()) == Some(*extent)
            });
            if fits && self.same_transposed(other, &dims)?.holds() {
                return Ok(Some(dims));
            }
        }
        Ok(None)
    }

    /// What a bitcast to another array does to the elements.
    ///
    /// # Errors
    /// As [`Array::same_memory`]; [`Code::NotBitcast`] when elements and padding of the two do not lie at the same
    /// places, or lie in an order that is no reshape of the other.
    ///
    /// ```
    /// use bitstride::xla::{Array, Bitcast};
    /// let array = |text: &str| text.parse::<Array>();
    /// assert_eq!(array("f32[4,6]{1,0}")?.decompose_bitcast(&array("f32[24]{0}")?)?, Bitcast::Reshape);
    /// let Bitcast::Both { first, transposed, reshaped, second } =
    ///     array("f32[4,6]{0,1}")?.decompose_bitcast(&array("f32[8,3]{1,0}")?)? else { panic!() };
    /// assert_eq!((first, second), (vec![1, 0], vec![0, 1]));
    /// assert_eq!((*transposed, *reshaped), (array("f32[6,4]{1,0}")?, array("f32[8,3]{1,0}")?));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn decompose_bitcast(&self, other: &Array) -> Result<Bitcast, Error> {
        if self.same_memory(other)?.holds() {
            return Ok(Bitcast::Reshape);
        }
        if let Some(dims) = self.deduce_transpose(other)? {
            return Ok(Bitcast::Transpose(dims));
        }
        let major_to_minor = |array: &Array| array.layout.minor_to_major.iter().rev().copied().collect::<Vec<_>>();
        let first = major_to_minor(self);
        let order = major_to_minor(other);
        let (transposed, reshaped) = (self.permute_dims(&first)?, other.permute_dims(&order)?);
        let mut second = vec![0; order.len()];
        for (place, dim) in order.iter().enumerate() {
            if let Some(number) = usize::try_from(*dim).ok().and_then(|dim| second.get_mut(dim)) {
                *number = length(place);
            }
        }
        match transposed.same_memory(&reshaped)? {
            Sameness::Same => {
                Ok(Bitcast::Both { first, transposed: Box::new(transposed), reshaped: Box::new(reshaped), second })
            }
            differs => Err(error!(
                Code::NotBitcast,
                "in the order of memory, {transposed} is no reshape to {reshaped}: {differs}",
                [transposed, reshaped, differs]
            )),
        }
    }

    /// The array with other dims in the same memory, elements keeping their row-major numbers: the reshape with the
    /// layout that makes it free. The tiles stay, or go where they change nothing.
    ///
    /// # Errors
    /// As [`Array::same_memory`]; [`Code::NotBitcast`] when neither with these tiles nor without any such a layout was
    /// found.
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let array: Array = "f32[4,6,2]{2,0,1}".parse()?;
    /// assert_eq!(array.align(&[4, 3, 2, 2])?.to_string(), "f32[4,3,2,2]{3,0,2,1}");
    /// let tiled: Array = "f32[4,6,256]{2,1,0:T(8,128)}".parse()?;
    /// assert_eq!(tiled.align(&[2, 2, 6, 256])?.to_string(), "f32[2,2,6,256]{3,2,1,0:T(8,128)}");
    /// assert!(tiled.align(&[24, 256]).is_err(), "rows 6 and 7 of each tile are padding");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn align(&self, dims: &[i64]) -> Result<Array, Error> {
        let image = Image::of(self)?;
        let mut aligned = self.clone();
        aligned.dims = dims.iter().copied().map(Dim::Static).collect();
        aligned.layout.splits = Vec::new();
        aligned.layout.minor_to_major = Layout::row_major(dims.len()).minor_to_major;
        let elements = Image::of(&Array { layout: Layout::row_major(dims.len()), ..aligned.clone() })?.elements();
        if elements != image.elements() {
            return Err(error!(
                Code::NotBitcast,
                "{dims} has {elements} elements, not {image_elements}",
                [dims = listed(dims), elements, image_elements = image.elements()]
            ));
        }
        let mut differs = None;
        for order in self.orders(&image, dims) {
            aligned.layout.minor_to_major = order;
            let mut untiled = aligned.clone();
            untiled.layout.tiles.clear();
            for candidate in [&aligned, &untiled] {
                match self.same_memory(candidate)? {
                    Sameness::Same => return Ok(candidate.clone()),
                    difference => differs = differs.or(Some((candidate.clone(), difference))),
                }
            }
        }
        let why = differs.map_or(String::new(), |(nearest, difference)| format!("; {nearest} is not: {difference}"));
        let dims = listed(dims);
        Err(error!(
            Code::NotBitcast,
            "no layout of {dims} was found that is the memory of {array}{why}",
            [dims, array = self, why]
        ))
    }

    /// Orders of new dims worth trying, fastest first: each dim where the dim is that its neighbours lie along, the dims of
    /// extent 1 next to those they were written next to, and then at all other places.
    fn orders(&self, image: &Image, dims: &[i64]) -> Vec<Vec<i64>> {
        let level = |number: i64| {
            let index = image.numbered(number).unwrap_or_default();
            image.order().iter().rev().position(|dim| index.get(*dim).is_some_and(|coordinate| *coordinate > 0))
        };
        let mut apart = Vec::new();
        let mut weight = 1i64;
        for (dim, extent) in (0..dims.len()).zip(dims).rev() {
            apart.push((dim, *extent, (level(weight), weight)));
            weight = weight.saturating_mul(*extent);
        }
        let mut sorted: Vec<_> = apart.iter().filter(|(_, extent, _)| *extent > 1).collect();
        sorted.sort_by_key(|(_, _, level)| *level);
        let large: Vec<i64> = sorted.into_iter().map(|(dim, _, _)| length(*dim)).collect();
        let units: Vec<i64> =
            apart.iter().filter(|(_, extent, _)| *extent <= 1).map(|(dim, _, _)| length(*dim)).collect();
        let mut between = large.clone();
        for unit in &units {
            // Before the dim that was written next to it.
            let at = between.iter().position(|dim| *dim == unit + 1).map_or(0, |at| at + 1);
            between.insert(at, *unit);
        }
        let mut orders = vec![between, [large.clone(), units.clone()].concat()];
        interleave(&large, &units, &mut Vec::new(), &mut orders);
        orders
    }
}

/// The most orders that are tried.
const ORDERS: usize = 256;

/// Both lists in one, in all ways, each list in its order.
fn interleave(large: &[i64], units: &[i64], begun: &mut Vec<i64>, orders: &mut Vec<Vec<i64>>) {
    if orders.len() >= ORDERS {
        return;
    }
    if large.is_empty() && units.is_empty() {
        orders.push(begun.clone());
    }
    for (from, rest, other) in [(units, large, true), (large, units, false)] {
        if let Some((first, behind)) = from.split_first() {
            begun.push(*first);
            let (large, units) = if other { (rest, behind) } else { (behind, rest) };
            interleave(large, units, begun, orders);
            begun.pop();
        }
    }
}

/// For each dim of the right array the first unused one of the left with as many indices at the same places.
fn matched(left: &Image, right: &Image) -> Option<Vec<i64>> {
    let (from, to) = (left.digits()?, right.digits()?);
    let mut dims: Vec<i64> = Vec::new();
    for (new, extent) in right.dims().iter().enumerate() {
        let places = |digits: &[super::Digit], axis: usize| {
            let own = digits.iter().filter(|digit| digit.axis == axis);
            own.map(|digit| (digit.weight, digit.radix, digit.stride)).collect::<Vec<_>>()
        };
        let wanted = places(&to, new);
        let old = left
            .dims()
            .iter()
            .enumerate()
            .position(|(old, own)| own == extent && !dims.contains(&length(old)) && places(&from, old) == wanted)?;
        dims.push(length(old));
    }
    Some(dims)
}
