//! [`Table`]: offsets of all points of a box, one by one.

use super::{Break, line};
use crate::cast::{index, length, narrow};
use crate::error::{Code, Error};
use crate::map::layout::size;
use crate::map::walk::Walk;
use crate::map::{AffineExpr, Axis, Digit, Direction, Form, Map};

/// The most points of a map that are read one by one.
const MAX_FITTED_POINTS: i64 = 1 << 14;

/// Offsets of all points of a box, the first axis the fastest.
///
/// ```
/// use bitstride::map::{Family, Table};
/// let fit = Table::new(&[4, 2], vec![0, 5, 1, 6, 10, 15, 11, 16])?.fit()?;
/// let (family, map) = fit.found.ok_or_else(|| bitstride::Error::overflow("nothing"))?;
/// assert_eq!(family, Family::Layout);
/// assert_eq!(map.at(&[3, 1])?, Some(vec![16]));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    pub(in crate::map) axes: Vec<Axis>,
    pub(in crate::map) offsets: Vec<i64>,
}

impl Table {
    /// A table of axes `dim0`, `dim1`, …, in the order of columns: the first axis is the fastest.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when there is not one offset for each point, [`Code::Range`] for a negative extent,
    /// [`Code::Overflow`].
    pub fn new(extents: &[i64], offsets: Vec<i64>) -> Result<Self, Error> {
        Table::of_axes(extents.iter().enumerate().map(|(at, extent)| Axis::dim(at, *extent)).collect(), offsets)
    }

    /// The same, from offsets in the order of rows: the last axis is the fastest.
    ///
    /// # Errors
    /// As [`Table::new`].
    ///
    /// ```
    /// use bitstride::map::Table;
    /// assert_eq!(Table::row_major(&[2, 2], vec![0, 1, 2, 3])?, Table::new(&[2, 2], vec![0, 2, 1, 3])?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn row_major(extents: &[i64], offsets: Vec<i64>) -> Result<Self, Error> {
        let reversed: Vec<i64> = extents.iter().rev().copied().collect();
        let table = Table::new(&reversed, offsets)?;
        let steps = table.steps();
        let mut columns = Vec::with_capacity(table.offsets.len());
        let mut walk = Walk::new(extents);
        while let Some(point) = walk.next() {
            let places = point.iter().rev().zip(&steps);
            let flat = places.map(|(x, step)| index(*x).unwrap_or(0) * step).sum::<usize>();
            columns.extend(table.offsets.get(flat));
        }
        Table::new(extents, columns)
    }

    /// A table of named axes, the first the fastest.
    ///
    /// # Errors
    /// As [`Table::new`].
    pub fn of_axes(axes: Vec<Axis>, offsets: Vec<i64>) -> Result<Self, Error> {
        if let Some(axis) = axes.iter().find(|axis| axis.extent < 0) {
            return Err(error!(Code::Range, "{axis} has a negative extent", [axis]));
        }
        let points = size(&axes)?;
        if points != length(offsets.len()) {
            return Err(Error::lengths(["offsets", "points"], offsets.len(), points));
        }
        Ok(Table { axes, offsets })
    }

    /// The offsets of a map; `None` where it has too many points, some are padding, or it does not lead to an offset.
    pub(in crate::map) fn of(map: &Map) -> Option<Self> {
        let points = size(map.domain()).ok().filter(|points| *points <= MAX_FITTED_POINTS)?;
        if map.codomain().len() != 1 {
            return None;
        }
        let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
        let mut offsets = Vec::with_capacity(index(points).ok()?);
        let mut walk = Walk::new(&extents);
        while let Some(point) = walk.next() {
            offsets.push(*map.at(point).ok()??.first()?);
        }
        Table::of_axes(map.domain().to_vec(), offsets).ok()
    }

    /// The offset of a point of the box.
    pub(in crate::map) fn at(&self, point: &[i64]) -> i64 {
        let places = point.iter().zip(self.steps()).map(|(x, step)| index(*x).unwrap_or(0).saturating_mul(step));
        self.offsets.get(places.sum::<usize>()).copied().unwrap_or(0)
    }

    /// The map of a form of the table.
    pub(super) fn map(&self, form: &Form) -> Result<Map, Error> {
        let most = self.offsets.iter().copied().max().unwrap_or(0).max(0);
        let reach = most.checked_add(1).ok_or_else(|| Error::overflow("the reach of a table"))?;
        Map::of_form(form, vec![Axis::offset(reach)], Direction::ToPlace)
    }

    /// The offset of the origin.
    pub(super) fn origin(&self) -> i64 {
        self.offsets.first().copied().unwrap_or(0)
    }

    pub(in crate::map) fn extents(&self) -> Vec<i64> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    /// The distance in the table between neighbours along each axis.
    pub(super) fn steps(&self) -> Vec<usize> {
        let extents = self.axes.iter().map(|axis| index(axis.extent).unwrap_or(0));
        extents.scan(1usize, |step, extent| Some(std::mem::replace(step, (*step).saturating_mul(extent)))).collect()
    }

    /// Along each axis from the origin, how far offsets are from that of the origin.
    pub(super) fn lines(&self) -> Vec<Vec<i128>> {
        let origin = i128::from(self.origin());
        let line = |(axis, step): (&Axis, usize)| {
            let points = self.offsets.iter().step_by(step.max(1));
            points.take(index(axis.extent).unwrap_or(0)).map(|offset| i128::from(*offset) - origin).collect()
        };
        self.axes.iter().zip(self.steps()).map(line).collect()
    }

    /// The break at a place of the table.
    pub(super) fn break_at(&self, at: usize, expected: Option<i128>) -> Break {
        let mut rest = length(at);
        let mut digit = |extent: i64| {
            let x = rest % extent.max(1);
            rest /= extent.max(1);
            x
        };
        let point = self.extents().into_iter().map(&mut digit).collect();
        Break::Element { point, expected, found: self.offsets.get(at).copied().unwrap_or(0) }
    }

    /// The first element, before a place in the table, that differs from the sum of its digits.
    pub(super) fn scan(&self, until: usize, of: impl Fn(&[i64]) -> i128) -> Option<(usize, i128)> {
        let mut walk = Walk::new(&self.extents());
        for (at, found) in self.offsets.iter().enumerate().take(until) {
            let expected = of(walk.next()?);
            if expected != i128::from(*found) {
                return Some((at, expected));
            }
        }
        None
    }

    pub(super) fn layout(&self) -> Result<Result<Form, Break>, Error> {
        let (lines, steps) = (self.lines(), self.steps());
        let (mut form, mut broken) = (self.blank(), None);
        for (axis, (line, step)) in lines.iter().zip(&steps).enumerate() {
            match line::digits(line, true) {
                Ok(digits) => push(&mut form, axis, digits.into_iter().map(|(radix, stride)| (length(radix), stride)))?,
                Err((x, expected)) => first(&mut broken, x * step, expected + i128::from(self.origin())),
            }
        }
        let until = broken.map_or(self.offsets.len(), |(at, _)| at);
        let origin = i128::from(self.origin());
        let sum = |point: &[i64]| {
            origin + lines.iter().zip(point).filter_map(|(line, x)| line.get(index(*x).ok()?)).sum::<i128>()
        };
        if let Some((at, expected)) = self.scan(until, sum).or(broken) {
            return Ok(Err(self.break_at(at, Some(expected))));
        }
        form.canonicalise()?;
        Ok(Ok(form))
    }

    pub(super) fn linear(&self) -> Result<Result<Form, Break>, Error> {
        if let Some(axis) = self.axes.iter().find(|axis| axis.extent.count_ones() != 1) {
            return Ok(Err(Break::Extent(*axis)));
        }
        if self.origin() != 0 {
            return Ok(Err(self.break_at(0, Some(0))));
        }
        let (lines, steps) = (self.lines(), self.steps());
        let (mut form, mut broken) = (self.blank(), None);
        for (axis, (line, step)) in lines.iter().zip(&steps).enumerate() {
            match line::bits(line) {
                Ok(bits) => push(&mut form, axis, bits.into_iter().map(|bit| (2, bit)))?,
                Err((x, expected)) => first(&mut broken, x * step, expected),
            }
        }
        let until = broken.as_ref().map_or(self.offsets.len(), |(at, _)| *at);
        let xor = |point: &[i64]| {
            lines.iter().zip(point).filter_map(|(line, x)| line.get(index(*x).ok()?)).fold(0, |xor, bits| xor ^ bits)
        };
        let found = self.scan(until, xor).map(|(at, expected)| (at, Some(expected)));
        if let Some((at, expected)) = found.or(broken) {
            return Ok(Err(self.break_at(at, expected)));
        }
        for sum in &mut form.sums {
            std::mem::swap(&mut sum.strides, &mut sum.xors);
        }
        form.canonicalise()?;
        Ok(Ok(form))
    }

    /// A form of the origin only, without digits.
    pub(super) fn blank(&self) -> Form {
        let sum = AffineExpr { offset: self.origin(), ..AffineExpr::default() };
        Form { axes: self.axes.clone(), digits: Vec::new(), sums: vec![sum] }
    }
}

/// Adds the digits of an axis, with their strides.
fn push(form: &mut Form, axis: usize, digits: impl Iterator<Item = (i64, i128)>) -> Result<(), Error> {
    let mut weight = 1;
    for (radix, stride) in digits {
        form.digits.push(Digit { axis, weight, radix });
        for sum in &mut form.sums {
            sum.strides.push(narrow(stride)?);
            sum.xors.push(0);
        }
        weight *= radix;
    }
    Ok(())
}

/// Keeps the earlier of two breaks.
fn first<T>(broken: &mut Option<(usize, T)>, at: usize, expected: T) {
    if broken.as_ref().is_none_or(|(earlier, _)| at < *earlier) {
        *broken = Some((at, expected));
    }
}
