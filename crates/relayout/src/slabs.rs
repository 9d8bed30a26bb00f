//! [`Plan::slabs`]: parts of a plan that are small on both sides, for memory that holds less than a tensor, such as a GPU's.
//!
//! A box is cut along the axis that reaches furthest, on the side that has more bytes, until the bytes from its first unit to
//! its last fit. That is a good cut where an axis is the outermost on both sides, as in a batch of transposes. Where none is, slabs
//! hold mostly bytes that they do not move, and are refused.
//!
//! Law: slabs, one after the other, move each unit once, and change no other bit.

use std::ops::Range;

use bitstride::map::{Axis, Direction, Map, Stage};
use bitstride::{Code, Error, error};

use crate::cast::{length, number, size};
use crate::element::Element;
use crate::nest::{Loop, Nest};
use crate::plan::Plan;

/// Slabs begin on multiples of this many bytes, so that they are aligned as the whole is.
const ALIGNMENT: i64 = 16;

/// The most slabs.
const MAX_SLABS: i64 = 1 << 16;

/// How many times the bytes of both sides may be copied.
const MAX_COPIES: usize = 4;

/// A part of a tensor: some bytes of the source and of the destination, and what moves between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Slab {
    /// Where units lie on each side, counted in units from the beginning of its bytes. Equal parts have equal maps.
    pub maps: [Map; 2],
    /// The size of a unit: of an element, or of one of the equal parts that it is made of.
    pub unit: Element,
    /// The bytes of each side.
    pub bytes: [Range<usize>; 2],
    /// Whether all bits of its bytes in the destination are written.
    pub is_whole: bool,
}

impl Plan {
    /// Parts, each of which has at most a number of bytes on both sides together; run one after the other, they do what the plan
    /// does. A slab that is not whole is moved between bytes that the destination already has.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where that would copy more than 4 times the bytes of both sides, since no axis is the outermost on both; and
    /// for a pair that is moved element by element, or that has a table of places.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let rows = Map::of_layout(&"(8,64,64):(4096,64,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(8,64,64):(4096,1,64)".parse()?)?;
    /// let slabs = Plan::new(&rows, &columns, Element::of_bits(8)?)?.slabs(16384)?;
    /// assert_eq!(slabs.len(), 4);
    /// assert_eq!(slabs[1].bytes, [8192..16384, 8192..16384]);
    /// assert_eq!(slabs[0].maps, slabs[1].maps);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn slabs(&self, bytes: usize) -> Result<Vec<Slab>, Error> {
        let refused = |why: &str| {
            let [from, to] = self.bytes;
            error!(
                Code::TooLarge,
                "the tensor has {from} bytes before and {to} bytes after, and {bytes} bytes of memory are given; {why}",
                [from, to, bytes, why]
            )
        };
        if let Some(why) = self.no_common_digits() {
            return Err(refused(&format!("the layouts have no common digits: {why}")));
        }
        if self.nests.iter().flat_map(|nest| &nest.loops).any(|level| !level.offsets.is_empty()) {
            return Err(refused("both layouts cut an axis differently"));
        }
        let unit = Element::of_bits(u32::try_from(self.element.part_bits()).unwrap_or(8))?;
        let mut slabs = Vec::new();
        for nest in &self.nests {
            let steps = nest.fitting(unit.bits(), number(bytes)).ok_or_else(|| refused("a unit needs more"))?;
            let parts = |(level, steps): (&Loop, &i64)| (level.count + steps - 1) / steps;
            let count = nest
                .loops
                .iter()
                .zip(&steps)
                .map(parts)
                .fold(number(slabs.len()), |all: i64, parts| all.saturating_mul(parts));
            if count > MAX_SLABS {
                return Err(refused(&format!("that comes to more than {MAX_SLABS} parts")));
            }
            nest.each_part(&steps, &mut |part| {
                slabs.push(part.slab(unit)?);
                Ok(())
            })?;
        }
        let sizes = |slab: &Slab| slab.bytes.each_ref().map(Range::len);
        if slabs.iter().map(sizes).any(|[from, to]| from + to > bytes) {
            return Err(refused("bits of addresses are flipped"));
        }
        // What is not whole is copied there and back.
        let copied = |slab: &Slab| sizes(slab)[0] + sizes(slab)[1] * if slab.is_whole { 1 } else { 2 };
        let copied = slabs.iter().map(copied).fold(0, usize::saturating_add);
        if copied > MAX_COPIES.saturating_mul(self.bytes[0].saturating_add(self.bytes[1])) {
            let count = slabs.len();
            return Err(refused(&format!(
                "no axis is the outermost on both sides: {count} parts would copy {copied} bytes"
            )));
        }
        Ok(slabs)
    }
}

impl Nest {
    /// How many steps of each loop a part has that fits; none where a single unit does not.
    fn fitting(&self, unit: i64, bytes: i64) -> Option<Vec<i64>> {
        let mut part = self.clone();
        loop {
            let spans = [0, 1].map(|side| part.span(side, unit)).map(|span| span.end - span.start);
            if spans[0] + spans[1] <= bytes {
                return Some(part.loops.iter().map(|level| level.count).collect());
            }
            let side = usize::from(spans[1] > spans[0]);
            let reach = |level: &&mut Loop| {
                let step = level.steps[side];
                (step.stride.abs() * (level.count - 1)).max(step.xor)
            };
            let furthest = part.loops.iter_mut().filter(|level| level.count > 1).max_by_key(reach)?;
            furthest.count = (furthest.count + 1) / 2;
        }
    }

    /// The bytes from the first unit of a side to its last.
    fn span(&self, side: usize, unit: i64) -> Range<i64> {
        let (least, most) = self.reach(side);
        let first = least.div_euclid(8 * ALIGNMENT) * ALIGNMENT;
        first..(most + unit).div_euclid(8) + i64::from((most + unit) % 8 != 0)
    }

    /// Visits the parts with a given number of steps of each loop.
    fn each_part(&self, steps: &[i64], visit: &mut impl FnMut(Nest) -> Result<(), Error>) -> Result<(), Error> {
        let Some(at) = self.loops.iter().zip(steps).position(|(level, steps)| level.count > *steps) else {
            return visit(self.clone());
        };
        let (level, steps_of_part) = (&self.loops[at], steps[at]);
        for first in (0..level.count).step_by(length(steps_of_part)) {
            let mut part = self.clone();
            part.loops[at] = level.part(first..level.count.min(first + steps_of_part), &mut part.origins);
            part.each_part(steps, visit)?;
        }
        Ok(())
    }

    fn slab(&self, unit: Element) -> Result<Slab, Error> {
        let spans = [0, 1].map(|side| self.span(side, unit.bits()));
        let is_whole = self.size().saturating_mul(unit.bits()) == (spans[1].end - spans[1].start).saturating_mul(8);
        let maps = [self.map(0, unit, &spans[0])?, self.map(1, unit, &spans[1])?];
        let [from, to] = spans;
        let bytes = [size(from.start)?..size(from.end)?, size(to.start)?..size(to.end)?];
        Ok(Slab { maps, unit, bytes, is_whole })
    }

    /// Where units lie on a side, counted from the beginning of some bytes.
    fn map(&self, side: usize, unit: Element, bytes: &Range<i64>) -> Result<Map, Error> {
        let (bits, origin) = (unit.bits(), self.origins[side]);
        let axes: Vec<Axis> = self.loops.iter().enumerate().map(|(at, level)| Axis::dim(at, level.count)).collect();
        let count = axes.len();
        let flips: Vec<usize> = (0..count).filter(|at| self.loops[*at].steps[side].xor != 0).collect();
        let strides = self.loops.iter().map(|level| level.steps[side].stride / bits).collect();
        let flip = if flips.is_empty() { origin.flip } else { 0 };
        let mut sums = vec![((origin.offset + flip) / bits - bytes.start * 8 / bits, strides)];
        sums.extend(flips.iter().map(|own| (0, (0..count).map(|at| i64::from(at == *own)).collect())));
        let mut stages = vec![Stage::Linearise { at: 0, count, sums }];
        if !flips.is_empty() {
            let pattern = |xor: i64| (xor / bits).unsigned_abs();
            let columns: Vec<u64> = flips.iter().map(|at| pattern(self.loops[*at].steps[side].xor)).collect();
            let all = columns.iter().fold(pattern(origin.flip), |all, column| all | column);
            let (ins, outs) = (vec![1; flips.len()], vec![u64::BITS - all.leading_zeros()]);
            stages.push(Stage::Xor { at: 1, ins, outs, columns, flip: pattern(origin.flip) });
            stages.push(Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![1, 1])] });
        }
        let extent = (bytes.end - bytes.start).saturating_mul(8) / bits;
        Map::new(axes, stages, vec![Axis::offset(extent)], Direction::ToPlace)
    }
}
