//! [`Values`]: a field whose values are mapped on their way, slab by slab.
//!
//! Law: each value is that which the steps make of it; one outside of their domain ends it with its element.

use std::ops::Range;

use bitstride::Error;
use bitstride::cast::{length, narrow};
use bitstride::map::{Direction, Map, Stage};

use crate::cells::{cell, get, put, room};
use crate::format::Field;
use crate::pair::Pair;
use crate::places::Places;
use crate::stored::Stored;

/// A field whose values are mapped: a slab of it after the other is moved to where each value stands alone, mapped, and moved to its
/// place.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    from: Places,
    to: Places,
    /// The axes of the target, by number, as those of the source stand.
    order: Vec<usize>,
    shape: Vec<i64>,
    /// What is done to the bits, in order.
    steps: Vec<Stored>,
    /// The bits of an element on both sides, and of the room in which it stands alone.
    bits: [i64; 2],
    cells: [i64; 2],
    /// The axis that is cut in slabs, and how many coordinates a slab has.
    axis: usize,
    slab: i64,
}

/// About how many elements a slab has: what they take stays in the caches of a processor.
const SLAB_ELEMENTS: i64 = 1 << 18;

impl Values {
    pub(crate) fn new(from: &Field, to: &Field, order: Vec<usize>, steps: Vec<Stored>) -> Result<Self, Error> {
        let (from, to) = (from.places.clone(), to.places.clone());
        let bits = [from.element_bits(), to.element_bits()];
        let shape = from.shape()?;
        let elements = from.elements()?;
        // Slabs are whole numbers of what the faster digits of both sides count, and as thin as can be.
        let cuts = shape.iter().zip(&order).enumerate().filter(|(_, (extent, _))| **extent > 0);
        let cuts = cuts.map(|(axis, (extent, other))| {
            let (one, two) = (below_slowest(&from, axis), below_slowest(&to, *other));
            let step = (one / bitstride::gcd(one, two).max(1)).saturating_mul(two).min(*extent);
            (elements / extent * step, axis, step)
        });
        let (thin, axis, step) = cuts.min().unwrap_or((1, 0, 1));
        let slab = step * (SLAB_ELEMENTS / thin.max(1)).max(1);
        let values = Values { from, to, order, shape, steps, bits, cells: bits.map(cell), axis, slab };
        values.moves(&(0..values.extent().min(slab)))?;
        Ok(values)
    }

    fn extent(&self) -> i64 {
        self.shape.get(self.axis).copied().unwrap_or(0)
    }

    /// The elements of one coordinate of the axis that is cut.
    fn across(&self) -> Result<i64, Error> {
        let others = self.shape.iter().enumerate().filter(|(at, _)| *at != self.axis);
        others.map(|(_, extent)| *extent).try_fold(1i64, |size, extent| narrow(i128::from(size) * i128::from(extent)))
    }

    /// What moves a slab to where its values stand alone, and from there.
    fn moves(&self, slab: &Range<i64>) -> Result<[Vec<Pair>; 2], Error> {
        let [before, behind] = [
            self.from.dense(self.bits[0], self.cells[0], self.axis)?,
            self.from.dense(self.bits[1], self.cells[1], self.axis)?,
        ];
        let in_order: Vec<usize> = (0..self.order.len()).collect();
        let first = narrow(i128::from(slab.start) * i128::from(self.across()?))?;
        let [start, end] = [
            narrow(i128::from(first) * i128::from(self.cells[0]))?,
            narrow(i128::from(first) * i128::from(self.cells[1]))?,
        ];
        let slab = Some((self.axis, slab));
        let (one, two) =
            (self.from.boxes_within(&before, &in_order, slab)?, behind.boxes_within(&self.to, &self.order, slab)?);
        let (Some(one), Some(two)) = (one, two) else { return Err(Error::overflow("the digits of a field")) };
        let into = |[from, to]: &[Map; 2]| Pair::new(&[from.clone(), counted_from(to, start)?]);
        let out_of = |[from, to]: &[Map; 2]| Pair::new(&[counted_from(from, end)?, to.clone()]);
        Ok([one.iter().map(into).collect::<Result<_, _>>()?, two.iter().map(out_of).collect::<Result<_, _>>()?])
    }

    pub(crate) fn run(&self, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        let (across, table) = (self.across()?, self.table());
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let mut start = 0i64;
        while start < self.extent() {
            let slab = start..start.saturating_add(self.slab).min(self.extent());
            let elements = (slab.end - slab.start) * across;
            before.clear();
            before.resize(room(elements, self.cells[0])?, 0);
            behind.clear();
            behind.resize(room(elements, self.cells[1])?, 0);
            let moves = self.moves(&slab)?;
            moves[0].iter().try_for_each(|pair| pair.run(source, &mut before))?;
            self.map(table.as_deref(), &before, &mut behind, &slab, elements)?;
            moves[1].iter().try_for_each(|pair| pair.run(&behind, target))?;
            start = slab.end;
        }
        Ok(())
    }

    /// Maps the values of a slab.
    fn map(
        &self,
        table: Option<&[Option<u8>]>,
        before: &[u8],
        behind: &mut [u8],
        slab: &Range<i64>,
        elements: i64,
    ) -> Result<(), Error> {
        let Some(table) = table else { return self.one_by_one(0, before, behind, slab, elements) };
        for (number, (own, value)) in behind.iter_mut().zip(before).enumerate() {
            match table.get(usize::from(*value)).copied().flatten() {
                Some(mapped) => *own = mapped,
                // Which element it is, or none but what pads the last byte.
                None => return self.one_by_one(number, before, behind, slab, elements),
            }
        }
        Ok(())
    }

    /// Maps the elements of a slab from a byte on.
    fn one_by_one(
        &self,
        byte: usize,
        before: &[u8],
        behind: &mut [u8],
        slab: &Range<i64>,
        elements: i64,
    ) -> Result<(), Error> {
        let first = length(byte).saturating_mul(8) / self.cells[0];
        for element in first..elements {
            let value = self.mapped(get(before, element, self.cells[0]));
            let value = value.map_err(|error| error.about(format!("element ({})", self.point(element, slab))))?;
            put(behind, element, self.cells[1], value);
        }
        Ok(())
    }

    fn mapped(&self, value: i64) -> Result<i64, Error> {
        let (mut value, mut bits) = (value, self.bits[0]);
        for step in &self.steps {
            value = step.apply(value, bits)?;
            bits = step.stored_bits(bits);
        }
        Ok(value)
    }

    /// For cells within a byte: what each byte becomes; none for one with a value outside of the domain.
    fn table(&self) -> Option<Vec<Option<u8>>> {
        let cell = self.cells[0];
        let byte = |byte: i64| {
            let cells = (0..8).step_by(usize::try_from(cell).ok()?);
            let values = cells.map(|at| Some(self.mapped(byte >> at & ((1 << cell) - 1)).ok()? << at));
            u8::try_from(values.collect::<Option<Vec<i64>>>()?.into_iter().fold(0, |all, own| all | own)).ok()
        };
        (cell <= 8 && self.cells[0] == self.cells[1]).then(|| (0..256).map(byte).collect())
    }

    /// The coordinates of an element of a slab.
    fn point(&self, element: i64, slab: &Range<i64>) -> String {
        let mut rest = element;
        let mut point = vec![0; self.shape.len()];
        for (at, (place, extent)) in point.iter_mut().zip(&self.shape).enumerate().rev() {
            if at != self.axis {
                *place = rest.rem_euclid(*extent);
                rest = rest.div_euclid(*extent);
            }
        }
        if let Some(place) = point.get_mut(self.axis) {
            *place = slab.start + rest;
        }
        listed(&point)
    }
}

fn listed(point: &[i64]) -> String {
    point.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// How many coordinates of an axis the digits below its slowest one count.
fn below_slowest(places: &Places, axis: usize) -> i64 {
    places.axes().get(axis).map_or(1, |axis| axis.digits.iter().rev().skip(1).product::<i64>()).max(1)
}

/// The map to places that are counted from a bit on.
fn counted_from(map: &Map, bit: i64) -> Result<Map, Error> {
    let back = Stage::Linearise { at: 0, count: 1, sums: vec![(-bit, vec![1])] };
    let stages = [map.stages(), &[back]].concat();
    Map::new(map.domain().to_vec(), stages, map.codomain().to_vec(), Direction::ToPlace)
}
