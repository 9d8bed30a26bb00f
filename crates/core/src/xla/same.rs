//! [`Sameness`]: whether two arrays put the same elements at the same places, so that one may be read as the other.
//!
//! Elements correspond by row-major number (a reshape) or by permuted index (a transpose). Both are one question: two
//! functions of the same axes, equal or not. Where both are sums of [digits](super::Digit) whose weights divide each
//! other, each is linear in the common digits and only the digits' strides are compared. Where digits carry, the quotients and
//! remainders of the same numbers by the same tiles are digits of both as well. Else the functions repeat: an
//! axis has a period after which every offset has moved by a constant, so that all of the box of the common periods
//! says all, and that box depends on the tiles alone.
//!
//! Law: the answer is that of comparing the two lists of all elements in memory.

use std::fmt;

use super::digits::{Cuts, Number, digits, digits_and_cuts, own};
use super::print::listed;
use super::{Array, Digit, Image};
use crate::cast::{index, narrow};
use crate::error::{Code, Error};
use crate::gcd;
use crate::refusal::{Fact, FactOfList, Stated};
use crate::trace::Trace;

/// Whether two memories hold the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
                write!(f, "element {} is at offset {x} of the first and {y} of the second", listed(a))
            }
            Sameness::Element(Difference { indices: [a, b], offsets: [x, y] }) => {
                let (a, b) = (listed(a), listed(b));
                write!(f, "element {a} is at offset {x} of the first; as {b} of the second it is at {y}")
            }
        }
    }
}

/// How two memories are compared, as data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryStep {
    /// Both have the same dims in the same order, cut by the same tiles: nothing is left to compare.
    Alike,
    /// Both offsets are sums of digits along the same axes, and the digits of each axis are compared.
    Digits {
        /// The elements of each axis.
        axes: Vec<i64>,
        /// The digits of each array. Those of an axis behind the last are of a number that carries, and that both cut alike.
        digits: [Vec<Digit>; 2],
    },
    /// Digits carry, but along each axis both offsets move by constants after a period: all of the box of the periods is
    /// compared, and one period further along each axis.
    Repeated {
        /// The elements of each axis.
        axes: Vec<i64>,
        /// The period of each.
        periods: Vec<i64>,
    },
}

impl FactOfList for Stated<'_, Sameness> {
    fn fact(&self) -> Fact {
        match self.0 {
            Sameness::Same => Fact::List(Vec::new()),
            Sameness::Elements(a, b) | Sameness::Bits(a, b) | Sameness::Size(a, b) => Fact::list(&[*a, *b]),
            Sameness::Element(Difference { indices, offsets }) => {
                let indices = indices.iter().map(|index| Fact::list(index));
                Fact::List(indices.chain([Fact::list(offsets)]).collect())
            }
        }
    }
}

/// The axes that two arrays have in common and what their offsets are made of along them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CommonDigits {
    /// The elements of each axis: a run of dims over which both arrays have as many.
    pub axes: Vec<i64>,
    /// The digits of the axes in each array; `None` where merged dims carry.
    pub digits: [Option<Vec<Digit>>; 2],
    /// The same axes, cut finer where the dims of both allow it, and after how much of each both offsets have moved by
    /// constants.
    pub periods: Vec<(i64, i64)>,
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
        self.same_memory_traced(other, &mut ())
    }

    /// [`Array::same_memory`], with the way in which they are compared reported.
    ///
    /// # Errors
    /// As [`Array::same_memory`].
    ///
    /// ```
    /// use bitstride::xla::{Array, MemoryStep};
    /// let (a, b): (Array, Array) = ("f32[4,6]{1,0}".parse()?, "f32[8,3]{0,1}".parse()?);
    /// let mut events = Vec::new();
    /// assert!(!a.same_memory_traced(&b, &mut events)?.holds());
    /// assert!(matches!(&events[..], [MemoryStep::Digits { axes, .. }] if *axes == [24]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn same_memory_traced(&self, other: &Array, trace: &mut impl Trace<MemoryStep>) -> Result<Sameness, Error> {
        let (left, right) = (Image::of(self)?, Image::of(other)?);
        if left.elements() != right.elements() {
            return Ok(Sameness::Elements(left.elements(), right.elements()));
        }
        if left == right {
            trace.record(|| MemoryStep::Alike);
            return Ok(Sameness::Same);
        }
        let axes = |refined: bool| match refined {
            false => Axes::common(left.dims(), right.dims()),
            true => Axes::refined(left.dims(), right.dims()),
        };
        compare([&left, &right], &axes, trace)
    }

    /// What decides whether a reshape to the other array is free: the axes, runs of dims over which both have as many
    /// elements, and the offsets as digits of them. `None` with different numbers of elements, or none.
    ///
    /// # Errors
    /// As [`Image::of`].
    ///
    /// ```
    /// use bitstride::xla::{Array, Digit};
    /// let a: Array = "f32[4,6]{1,0}".parse()?;
    /// let b: Array = "f32[8,3]{0,1}".parse()?;
    /// let common = a.common_digits(&b)?.expect("as many elements");
    /// assert_eq!((common.axes, common.periods), (vec![24], vec![(4, 1), (2, 1), (3, 1)]));
    /// assert_eq!(common.digits[0], Some(vec![Digit { axis: 0, weight: 1, radix: 24, stride: 1 }]));
    /// assert_eq!(common.digits[1].as_ref().map(Vec::len), Some(2));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn common_digits(&self, other: &Array) -> Result<Option<CommonDigits>, Error> {
        let (left, right) = (Image::of(self)?, Image::of(other)?);
        if left.elements() != right.elements() || left.elements() == 0 {
            return Ok(None);
        }
        let Axes { extents: axes, dims: [from, to] } = Axes::common(left.dims(), right.dims());
        let sum = |image: &Image, dims: &[Number]| digits(image, dims, &axes).map(|digits| digits.to_vec());
        let digits = [sum(&left, &from), sum(&right, &to)];
        let Axes { extents, dims: [from, to] } = Axes::refined(left.dims(), right.dims());
        let views = [View { image: &left, dims: from }, View { image: &right, dims: to }];
        let periods = common_periods(&extents, &views);
        Ok(Some(CommonDigits { axes, digits, periods: extents.into_iter().zip(periods).collect() }))
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
            let [dims, expected, found] = [dims, &expected, right.dims()].map(listed);
            return Err(error!(
                Code::Profile,
                "the transpose by {dims} has the dims {expected}, not {found}",
                [dims, expected, found]
            ));
        }
        let axes = |_| {
            let own = own(left.dims());
            let permuted = order.iter().filter_map(|dim| own.get(*dim).cloned()).collect();
            Axes { extents: left.dims().to_vec(), dims: [own, permuted] }
        };
        compare([&left, &right], &axes, &mut ())
    }
}

/// Positions that name each of a given number of dims once.
pub(super) fn permutation(dims: &[i64], rank: usize) -> Result<Vec<usize>, Error> {
    let order: Vec<usize> = dims.iter().filter_map(|dim| index(*dim).ok()).collect();
    if order.len() == rank && dims.len() == rank && (0..rank).all(|dim| order.contains(&dim)) {
        return Ok(order);
    }
    let (code, dims) = (Code::OrderNotPermutation, listed(dims));
    Err(match rank.checked_sub(1) {
        None => error!(code, "{dims} is not the () of a scalar, which has no dims", [dims]),
        Some(0) => error!(code, "{dims} does not name dim {only}, the only one, once", [dims, only = 0]),
        Some(last) => {
            error!(code, "{dims} does not name each of the dims {first} to {last} once", [dims, first = 0, last])
        }
    })
}

/// Axes that the dims of two arrays have in common, and each dim of either as digits of them.
#[derive(Default)]
struct Axes {
    extents: Vec<i64>,
    dims: [Vec<Number>; 2],
}

impl Axes {
    /// The runs of dims, least in length, over which both lists have the same products.
    fn common(left: &[i64], right: &[i64]) -> Self {
        Axes::of(left, right, |axes, lists, product| axes.run(lists, &[1, product]))
    }

    /// The same runs, cut where a dim of either list ends, as far as those cuts nest: then an axis is part of one dim of
    /// each, and no period has to reach across another.
    fn refined(left: &[i64], right: &[i64]) -> Self {
        Axes::of(left, right, |axes, lists, product| {
            let mut weights = vec![1, product];
            for list in lists {
                let mut weight = 1i64;
                for extent in list.iter().rev() {
                    weight = weight.saturating_mul(*extent);
                    weights.push(weight);
                }
            }
            weights.sort_unstable();
            weights.dedup();
            let whole = [1, product];
            axes.run(lists, if nested(&weights) { &weights } else { &whole });
        })
    }

    /// The axes of all runs, each made of its dims on both sides and their product.
    fn of(left: &[i64], right: &[i64], run: impl Fn(&mut Axes, [&[i64]; 2], i64)) -> Self {
        let mut axes = Axes::default();
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
            let (from, after) = left.split_at_checked(ends[0]).unwrap_or((left, &[]));
            let (to, rest) = right.split_at_checked(ends[1]).unwrap_or((right, &[]));
            run(&mut axes, [from, to], products[0]);
            (left, right) = (after, rest);
        }
        axes
    }

    /// Adds a run of dims as one axis between each two of the weights, which rise from 1 to the product of the run.
    fn run(&mut self, lists: [&[i64]; 2], weights: &[i64]) {
        let first = self.extents.len();
        let pairs = || weights.iter().zip(weights.iter().skip(1)).rev();
        self.extents.extend(pairs().map(|(weight, above)| above / (*weight).max(1)));
        for (dims, list) in self.dims.iter_mut().zip(lists) {
            let mut below = weights.last().copied().unwrap_or(1);
            for extent in list {
                let above = below;
                below /= (*extent).max(1);
                let mut number = Number::new();
                for (axis, (weight, end)) in pairs().enumerate() {
                    // The part of the axis that is part of the dim.
                    let (low, high) = (below.max(*weight), above.min(*end));
                    if low < high {
                        let weight = (*weight).max(1);
                        let digit = Digit {
                            axis: first + axis,
                            weight: low / weight,
                            radix: high / low,
                            stride: low / below.max(1),
                        };
                        number.push(digit);
                    }
                }
                dims.push(number);
            }
        }
    }
}

/// Compares two memories over axes, which may be requested once more, cut finer.
fn compare(
    images: [&Image; 2],
    axes: &dyn Fn(bool) -> Axes,
    trace: &mut impl Trace<MemoryStep>,
) -> Result<Sameness, Error> {
    let [left, right] = images;
    if left.element_bits() != right.element_bits() {
        return Ok(Sameness::Bits(left.element_bits(), right.element_bits()));
    }
    if left.elements() > 0
        && let Some(difference) = first_difference(images, axes, trace)?
    {
        return Ok(Sameness::Element(difference));
    }
    match [left.size(), right.size()] {
        [a, b] if a != b => Ok(Sameness::Size(a, b)),
        _ => Ok(Sameness::Same),
    }
}

/// The first element, in row-major order of the axes, whose offsets differ.
fn first_difference(
    images: [&Image; 2],
    axes: &dyn Fn(bool) -> Axes,
    trace: &mut impl Trace<MemoryStep>,
) -> Result<Option<Difference>, Error> {
    let [left, right] = images;
    let Axes { extents, dims: [from, to] } = axes(false);
    let mut cuts = Cuts::new(&extents);
    // Where digits carry, both offsets are sums over the same axes if they have the same cuts.
    let (a, b) = (digits_and_cuts(left, &from, &mut cuts), digits_and_cuts(right, &to, &mut cuts));
    let of_cuts = |sum: &Number| sum.iter().filter(|digit| digit.axis >= extents.len()).copied().collect::<Number>();
    if let (Some(a), Some(b)) = (a, b)
        && of_cuts(&a) == of_cuts(&b)
    {
        trace.record(|| MemoryStep::Digits { axes: extents.clone(), digits: [a.to_vec(), b.to_vec()] });
        // Sums over the axes differ first along a single axis, the last one if along several.
        for (axis, extent) in extents.iter().enumerate().rev() {
            if let Some(coordinate) = first_along(axis, *extent, [&a, &b])? {
                let at = alone(extents.len(), axis, coordinate);
                let views = [View { image: left, dims: from }, View { image: right, dims: to }];
                return Ok(Some(View::difference(&views, &at)));
            }
        }
        return Ok(None);
    }
    let Axes { extents, dims: [from, to] } = axes(true);
    let views = [View { image: left, dims: from }, View { image: right, dims: to }];
    let [a, b] = &views;
    let periods = common_periods(&extents, &views);
    trace.record(|| MemoryStep::Repeated { axes: extents.clone(), periods: periods.clone() });
    let at = first_repeated(&extents, &periods, &|at| a.offset(at) != b.offset(at))?;
    Ok(at.map(|at| View::difference(&views, &at)))
}

/// After how much of each axis both offsets have moved by constants, at most all of it.
fn common_periods(axes: &[i64], views: &[View<'_>; 2]) -> Vec<i64> {
    let [left, right] = views;
    let mut periods = Vec::new();
    for (axis, extent) in axes.iter().enumerate() {
        let common = left.period(axis, axes).zip(right.period(axis, axes)).and_then(|(a, b)| lcm(a, b));
        periods.push(common.map_or(*extent, |period| period.min(*extent)));
    }
    periods
}

/// The first coordinates at which functions differ that along each axis move by constants after a period.
fn first_repeated(axes: &[i64], periods: &[i64], differs: &dyn Fn(&[i64]) -> bool) -> Result<Option<Vec<i64>>, Error> {
    let inside = first_in_box(periods, differs)?;
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
        // A sum beyond 64 bits is no offset.
        let sum = |at: &[i64]| {
            let mut terms = at.iter().zip(strides);
            terms.try_fold(0i64, |sum, (at, stride)| sum.checked_add(at.checked_mul(*stride)?))
        };
        let dims = self.dims().iter().enumerate();
        let periods: Vec<i64> = dims
            .map(|(dim, extent)| view.period(dim, self.dims()).map_or(*extent, |period| period.min(*extent)))
            .collect();
        Ok(first_repeated(self.dims(), &periods, &|at| Some(self.at(at)) != sum(at))?.is_none())
    }
}

fn alone(rank: usize, axis: usize, coordinate: i64) -> Vec<i64> {
    (0..rank).map(|at| if at == axis { coordinate } else { 0 }).collect()
}

/// The first point of a box at which something differs.
///
/// # Errors
/// [`Code::Undecided`] when nothing does among the first points of a box that is too large.
fn first_in_box(extents: &[i64], differs: &dyn Fn(&[i64]) -> bool) -> Result<Option<Vec<i64>>, Error> {
    let mut at = vec![0; extents.len()];
    for _ in 0..BUDGET {
        crate::cancel::checkpoint();
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
    Err(error!(
        Code::Undecided,
        "digits carry, and the layouts repeat only after {extents}; the first {budget} elements agree",
        [extents = listed(extents), budget = BUDGET]
    ))
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
    if nested(&weights) {
        return Ok(weights.into_iter().find(|weight| differs(*weight)));
    }
    let period = weights.iter().try_fold(1, |period, weight| lcm(period, *weight));
    let checked = period.map_or(extent, |period| extent.min(period.saturating_add(1)));
    Ok(first_in_box(&[checked], &|at| at.first().is_some_and(|at| differs(*at)))?.and_then(|at| at.first().copied()))
}

/// Whether each weight divides the next.
fn nested(weights: &[i64]) -> bool {
    weights.iter().zip(weights.iter().skip(1)).all(|(below, above)| above % below == 0)
}

impl View<'_> {
    /// The element at coordinates of the axes in two views.
    fn difference(views: &[View<'_>; 2], at: &[i64]) -> Difference {
        Difference {
            indices: views.each_ref().map(|view| view.index(at)),
            offsets: views.each_ref().map(|view| view.offset(at)),
        }
    }

    fn offset(&self, at: &[i64]) -> i64 {
        self.image.at(&self.index(at))
    }

    /// The logical index at coordinates of the axes.
    fn index(&self, at: &[i64]) -> Vec<i64> {
        let value = |digit: &Digit| at.get(digit.axis).map_or(0, |coordinate| digit.at(*coordinate));
        self.dims.iter().map(|number| number.iter().map(value).sum()).collect()
    }

    /// After how much of an axis every offset has moved by a constant; `None` beyond 64 bits.
    fn period(&self, axis: usize, axes: &[i64]) -> Option<i64> {
        let mut period = 1;
        let own: Vec<Number> = self.image.order().iter().filter_map(|dim| self.dims.get(*dim).cloned()).collect();
        let wide = |digit: &&Digit| digit.axis == axis && digit.radix > 1;
        for digit in own.iter().flatten().filter(wide) {
            let top = digit.is_top(*axes.get(axis)?);
            period = lcm(period, if top { digit.weight } else { digit.weight.checked_mul(digit.radix)? })?;
        }
        // What each dim moves by in one period.
        let moved = |digit: &Digit| match digit.is_top(axes.get(axis).copied().unwrap_or(0)) {
            true => i128::from(period / digit.weight * digit.stride),
            false => 0,
        };
        let along = |number: &Number| number.iter().filter(wide).map(moved).sum::<i128>();
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
