//! [`Sameness`]: whether two arrays put the same elements at the same places, so that one may be read as the other.
//!
//! Elements correspond by row-major number (a reshape) or by permuted index (a transpose). Both are one question: two
//! functions of the same axes, equal or not. Where both are sums of [digits](super::Digit) whose weights divide each
//! other, each is linear in the common digits and only the digits' strides are compared. Else the functions repeat: an
//! axis has a period after which every offset has moved by a constant, so that all of the box of the common periods
//! says all, and that box depends on the tiles alone.
//!
//! Law: the answer is that of comparing the two lists of all elements in memory.

use std::fmt;

use super::digits::{Number, digits, own};
use super::{Array, Digit, Image};
use crate::cast::{index, length, narrow};
use crate::error::{Code, Error};
use crate::gcd;

/// Whether two memories hold the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// Every element has the same place in both, and both have as many places.
    Same,
    /// Different numbers of elements.
    Elements(i64, i64),
    /// Elements of different widths in bits.
    Bits(i64, i64),
    /// The first element, in row-major order of the first array, that lies at different offsets.
    Element(Difference),
    /// All elements agree, but the numbers of places, with padding, do not.
    Size(i64, i64),
}

/// An element that lies at two offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its index in each array.
    pub indices: [Vec<i64>; 2],
    /// Its offset in each array.
    pub offsets: [i64; 2],
}

impl Sameness {
    /// Whether nothing differs.
    pub fn holds(&self) -> bool {
        *self == Sameness::Same
    }
}

impl fmt::Display for Sameness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sameness::Same => write!(f, "the same memory"),
            Sameness::Elements(a, b) => write!(f, "{a} elements and {b}"),
            Sameness::Bits(a, b) => write!(f, "elements of {a} bits and of {b}"),
            Sameness::Size(a, b) => write!(f, "each element lies at the same place, but there are {a} places and {b}"),
            Sameness::Element(Difference { indices: [a, b], offsets: [x, y] }) if a == b => {
                write!(f, "element {a:?} is at offset {x} of the first and {y} of the second")
            }
            Sameness::Element(Difference { indices: [a, b], offsets: [x, y] }) => {
                write!(f, "element {a:?} is at offset {x} of the first; as {b:?} of the second it is at {y}")
            }
        }
    }
}

/// The most elements that are compared one by one where the structure does not decide.
const BUDGET: i64 = 1 << 20;

/// An array read along axes: how each logical dim is made of them.
struct View<'a> {
    image: &'a Image,
    dims: Vec<Number>,
}

impl Array {
    /// Whether the arrays have the same memory: each element, by row-major number, at the same offset, and as much
    /// padding. With the same dims that is equality of layouts; with others it is whether the reshape is free.
    ///
    /// # Errors
    /// As [`Image::of`]; [`Code::Undecided`] when digits carry over a period of more than 2^20 elements.
    ///
    /// ```
    /// use bitstride::xla::{Array, Sameness};
    /// let a: Array = "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}".parse()?;
    /// let b: Array = "f32[112,110]{1,0:T(2,3)}".parse()?;
    /// assert_eq!(a.same_memory(&b)?, Sameness::Same);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn same_memory(&self, other: &Array) -> Result<Sameness, Error> {
        let (left, right) = (Image::of(self)?, Image::of(other)?);
        if left.elements() != right.elements() {
            return Ok(Sameness::Elements(left.elements(), right.elements()));
        }
        let (axes, [from, to]) = common_axes(left.dims(), right.dims());
        compare(&axes, [View { image: &left, dims: from }, View { image: &right, dims: to }])
    }

    /// Whether the other array holds this one transposed, without moving anything: its dim `k` is dim `dims[k]` here.
    ///
    /// # Errors
    /// As [`Array::same_memory`]; [`Code::OrderNotPermutation`] when `dims` does not name each dim once, and
    /// [`Code::Profile`] when the extents do not follow.
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let a: Array = "s8[1,4]{1,0}".parse()?;
    /// let b: Array = "s8[4,1]{1,0}".parse()?;
    /// assert!(a.same_transposed(&b, &[1, 0])?.holds());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn same_transposed(&self, other: &Array, dims: &[i64]) -> Result<Sameness, Error> {
        let (left, right) = (Image::of(self)?, Image::of(other)?);
        let order = permutation(dims, left.dims().len())?;
        let expected: Vec<i64> = order.iter().filter_map(|dim| left.dims().get(*dim).copied()).collect();
        if expected != right.dims() {
            let message = format!("the transpose by {dims:?} has the dims {expected:?}, not {:?}", right.dims());
            return Err(Error::new(Code::Profile, message));
        }
        let axes = own(left.dims());
        let to = order.iter().filter_map(|dim| axes.get(*dim).cloned()).collect();
        let extents = left.dims().to_vec();
        compare(&extents, [View { image: &left, dims: axes }, View { image: &right, dims: to }])
    }
}

/// Positions that name each of so many dims once.
pub(super) fn permutation(dims: &[i64], rank: usize) -> Result<Vec<usize>, Error> {
    let order: Vec<usize> = dims.iter().filter_map(|dim| index(*dim).ok()).collect();
    if order.len() == rank && dims.len() == rank && (0..rank).all(|dim| order.contains(&dim)) {
        return Ok(order);
    }
    let message = format!("{dims:?} does not name each of the dims 0 to {} once", length(rank) - 1);
    Err(Error::new(Code::OrderNotPermutation, message))
}

/// The runs of dims, least in length, over which both lists have the same products, as axes; and each dim as a digit of
/// its axis.
fn common_axes(left: &[i64], right: &[i64]) -> (Vec<i64>, [Vec<Number>; 2]) {
    let mut axes = Vec::new();
    let mut views = [Vec::new(), Vec::new()];
    let (mut left, mut right) = (left, right);
    while !left.is_empty() || !right.is_empty() {
        // Products of dims of arrays with elements are at most their number, and fit.
        let (mut ends, mut products) = ([0, 0], [1i64, 1]);
        loop {
            let lists = [left, right];
            let shorter = usize::from(products[1] < products[0] || ends[0] == left.len());
            let (Some(list), Some(end), Some(product)) =
                (lists.get(shorter), ends.get_mut(shorter), products.get_mut(shorter))
            else {
                break;
            };
            let Some(extent) = list.get(*end) else { break };
            *product = product.saturating_mul(*extent);
            *end += 1;
            if products[0] == products[1] && products[0] > 1 {
                break;
            }
        }
        for (view, (list, end)) in views.iter_mut().zip([(left, ends[0]), (right, ends[1])]) {
            let mut weight = products[0];
            for radix in list.iter().take(end) {
                weight /= (*radix).max(1);
                view.push(Number::from_slice(&[Digit { axis: axes.len(), weight, radix: *radix, stride: 1 }]));
            }
        }
        axes.push(products[0]);
        (left, right) = (left.get(ends[0]..).unwrap_or(&[]), right.get(ends[1]..).unwrap_or(&[]));
    }
    (axes, views)
}

fn compare(axes: &[i64], views: [View<'_>; 2]) -> Result<Sameness, Error> {
    let [left, right] = &views;
    let bits = [left.image.element_bits(), right.image.element_bits()];
    if bits[0] != bits[1] {
        return Ok(Sameness::Bits(bits[0], bits[1]));
    }
    if left.image.elements() > 0
        && let Some(at) = first_difference(axes, &views)?
    {
        let indices = [left.index(&at), right.index(&at)];
        let offsets = [left.image.at(&indices[0]), right.image.at(&indices[1])];
        return Ok(Sameness::Element(Difference { indices, offsets }));
    }
    match [left.image.size(), right.image.size()] {
        [a, b] if a != b => Ok(Sameness::Size(a, b)),
        _ => Ok(Sameness::Same),
    }
}

/// The first coordinates, in row-major order of the axes, at which the offsets differ.
fn first_difference(axes: &[i64], views: &[View<'_>; 2]) -> Result<Option<Vec<i64>>, Error> {
    let [left, right] = views;
    let sums = (digits(left.image, &left.dims, axes), digits(right.image, &right.dims, axes));
    if let (Some(left), Some(right)) = sums {
        // Sums over the axes differ first along a single axis, the last one if along several.
        for (axis, extent) in axes.iter().enumerate().rev() {
            if let Some(coordinate) = first_along(axis, *extent, [&left, &right])? {
                return Ok(Some(alone(axes.len(), axis, coordinate)));
            }
        }
        return Ok(None);
    }
    let common = |axis: usize| lcm(left.period(axis, axes)?, right.period(axis, axes)?);
    let differs = |at: &[i64]| left.image.at(&left.index(at)) != right.image.at(&right.index(at));
    first_repeated(axes, &common, &differs)
}

/// The first coordinates at which functions differ that repeat along each axis after a period, but for constants.
fn first_repeated(
    axes: &[i64],
    period: &dyn Fn(usize) -> Option<i64>,
    differs: &dyn Fn(&[i64]) -> bool,
) -> Result<Option<Vec<i64>>, Error> {
    let within = |(axis, extent): (usize, &i64)| period(axis).map_or(*extent, |period| period.min(*extent));
    let periods: Vec<i64> = axes.iter().enumerate().map(within).collect();
    let inside = first_in_box(&periods, differs)?;
    // Outside of the box offsets move by constants; where those differ, one period along one axis shows it.
    let outside = periods.iter().zip(axes).enumerate().rev().find_map(|(axis, (period, extent))| {
        let at = alone(axes.len(), axis, *period);
        (period < extent && differs(&at)).then_some(at)
    });
    Ok([inside, outside].into_iter().flatten().min())
}

impl Image {
    /// Whether the offset of every index is the sum of its coordinates times these strides.
    pub(super) fn has_strides(&self, strides: &[i64]) -> Result<bool, Error> {
        let view = View { image: self, dims: own(self.dims()) };
        let sum = |at: &[i64]| at.iter().zip(strides).map(|(at, stride)| at * stride).sum::<i64>();
        let differs = |at: &[i64]| self.at(at) != sum(at);
        Ok(first_repeated(self.dims(), &|axis| view.period(axis, self.dims()), &differs)?.is_none())
    }
}

fn alone(rank: usize, axis: usize, coordinate: i64) -> Vec<i64> {
    (0..rank).map(|at| if at == axis { coordinate } else { 0 }).collect()
}

fn first_in_box(extents: &[i64], differs: &dyn Fn(&[i64]) -> bool) -> Result<Option<Vec<i64>>, Error> {
    let points = extents.iter().try_fold(1i64, |points, extent| points.checked_mul(*extent));
    if points.is_none_or(|points| points > BUDGET) {
        let message = format!("digits carry, and the layouts repeat only after {extents:?} elements");
        return Err(Error::new(Code::Undecided, message));
    }
    let mut at = vec![0; extents.len()];
    loop {
        if differs(&at) {
            return Ok(Some(at));
        }
        let mut places = at.iter_mut().zip(extents).rev();
        loop {
            let Some((coordinate, extent)) = places.next() else { return Ok(None) };
            *coordinate += 1;
            if *coordinate < *extent {
                break;
            }
            *coordinate = 0;
        }
    }
}

/// The first coordinate of an axis, the others at 0, at which two sums of digits differ.
fn first_along(axis: usize, extent: i64, sums: [&Number; 2]) -> Result<Option<i64>, Error> {
    let along = |number: &Number| number.iter().filter(|digit| digit.axis == axis).copied().collect::<Number>();
    let sums = sums.map(along);
    if sums[0] == sums[1] {
        return Ok(None);
    }
    let at = |number: &Number, coordinate| number.iter().map(|digit| digit.at(coordinate)).sum::<i64>();
    let differs = |coordinate: i64| at(&sums[0], coordinate) != at(&sums[1], coordinate);
    let mut weights: Vec<i64> = Vec::new();
    for digit in sums.iter().flatten() {
        weights.push(digit.weight);
        weights.extend(digit.weight.checked_mul(digit.radix));
    }
    weights.retain(|weight| *weight < extent);
    weights.sort_unstable();
    weights.dedup();
    let nested = weights.iter().zip(weights.iter().skip(1)).all(|(below, above)| above % below == 0);
    if nested {
        return Ok(weights.into_iter().find(|weight| differs(*weight)));
    }
    let period = weights.iter().try_fold(1, |period, weight| lcm(period, *weight));
    let checked = period.map_or(extent, |period| extent.min(period.saturating_add(1)));
    Ok(first_in_box(&[checked], &|at| at.first().is_some_and(|at| differs(*at)))?.and_then(|at| at.first().copied()))
}

impl View<'_> {
    /// The logical index at coordinates of the axes.
    fn index(&self, at: &[i64]) -> Vec<i64> {
        let value = |digit: &Digit| at.get(digit.axis).map_or(0, |coordinate| digit.at(*coordinate));
        self.dims.iter().map(|number| number.iter().map(value).sum()).collect()
    }

    /// After how much of an axis every offset has moved by a constant; `None` beyond 64 bits.
    fn period(&self, axis: usize, axes: &[i64]) -> Option<i64> {
        let mut period = 1;
        let own: Vec<Number> = self.image.order().iter().filter_map(|dim| self.dims.get(*dim).cloned()).collect();
        for digit in own.iter().flatten().filter(|digit| digit.axis == axis) {
            let top = digit.is_top(*axes.get(axis)?);
            period = lcm(period, if top { digit.weight } else { digit.weight.checked_mul(digit.radix)? })?;
        }
        // What each dim moves by in one period.
        let moved = |digit: &Digit| match digit.is_top(axes.get(axis).copied().unwrap_or(0)) {
            true => i128::from(period / digit.weight * digit.stride),
            false => 0,
        };
        let along = |number: &Number| number.iter().filter(|digit| digit.axis == axis).map(moved).sum::<i128>();
        let mut moves: Vec<i128> = own.iter().map(along).collect();
        for step in self.image.steps() {
            let cut = moves.split_off(step.kept);
            let mut rest = std::iter::repeat_n(0, step.ones).chain(cut);
            let mut insides = 0;
            for cut in &step.cuts {
                let mut merged = 0i128;
                for extent in &cut.merged {
                    merged = merged.checked_mul(i128::from(*extent))?.checked_add(rest.next()?)?;
                }
                moves.push(merged);
                insides += 1;
            }
            let grids = moves.split_off(step.kept);
            // The period grows until each cut moves by whole tiles.
            let mut factor = 1;
            for (moved, cut) in grids.iter().zip(&step.cuts) {
                let whole = cut.tile / gcd(narrow(moved % i128::from(cut.tile)).ok()?, cut.tile);
                factor = lcm(factor, whole)?;
            }
            period = period.checked_mul(factor)?;
            for moved in &mut moves {
                *moved = moved.checked_mul(i128::from(factor))?;
            }
            for (moved, cut) in grids.iter().zip(&step.cuts) {
                moves.push(moved.checked_mul(i128::from(factor))? / i128::from(cut.tile));
            }
            moves.extend(std::iter::repeat_n(0, insides));
        }
        Some(period)
    }
}

fn lcm(a: i64, b: i64) -> Option<i64> {
    (a / gcd(a, b).max(1)).checked_mul(b)
}
