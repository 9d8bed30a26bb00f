//! [`Periods`]: pairs that have no common digits, but repeat.
//!
//! After some steps along an axis, its *period*, both layouts lead a number of whole bytes further, which is the same at every point. So a
//! period of all axes is a tile, whose points are evaluated once, and loops count the periods. An axis that ends within a period has
//! another tile there.
//!
//! ```text
//! Codes of 3 bits down columns of words: a period is 32 codes, 96 bits, which go to 12 bytes of bit planes
//! ```
//!
//! Law: every element is moved from where the source leads to where the destination leads; no two tiles share a byte of the destination.
#![allow(unsafe_code)]

use std::collections::BTreeMap;

use super::{Byte, Joined, MAX_TILE_UNITS, add_unit, covered};
use crate::cast::{length, number};
use crate::kernel::Isa;
use crate::machine::{MAX_PERIOD_BOXES, MAX_PERIOD_STEPS, MIN_TASK_BYTES};
use crate::pointwise::Side;
use crate::run::Sides;
use crate::stages::Rows;

/// A tensor whose tiles repeat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Periods {
    boxes: Vec<Joined>,
    /// The elements.
    pub(crate) elements: i64,
    /// The least and the greatest place of each side, in elements; 0 and -1 without elements.
    pub(crate) reach: [(i64, i64); 2],
}

/// The periods of an axis: the first of their points, how many there are, the points of each, and how far one leads in places.
#[derive(Clone, Copy)]
struct Part {
    start: i64,
    count: i64,
    points: i64,
    strides: [i64; 2],
}

/// The parts of an axis: whole periods, and what is left.
fn parts(sides: &[Side; 2], axis: usize, extents: &[i64], bits: i64) -> Vec<Part> {
    let extent = extents.get(axis).copied().unwrap_or(1);
    let whole =
        |strides: &[i64; 2]| strides.iter().all(|stride| stride.checked_mul(bits).is_some_and(|by| by % 8 == 0));
    let strides = |points: i64| {
        let by = |side: &Side| side.stages.step(axis, extents.len(), points);
        Some([by(&sides[0])?, by(&sides[1])?]).filter(whole)
    };
    let found = (1..extent.min(MAX_PERIOD_STEPS + 1)).find_map(|points| Some((points, strides(points)?)));
    let (points, strides) = found.unwrap_or((extent, [0; 2]));
    let count = extent / points.max(1);
    let start = count * points;
    let rest = Part { start, count: 1, points: extent - start, strides: [0; 2] };
    let all = [Part { start: 0, count, points, strides }, rest];
    all.into_iter().filter(|part| part.count * part.points > 0).collect()
}

impl Periods {
    /// The periods of two maps over the same axes; none where they do not repeat, or tiles are not shown to be apart.
    pub(crate) fn of(sides: &[Side; 2], extents: &[i64], bits: i64, isa: Isa) -> Option<Self> {
        let mut boxes = vec![Vec::new()];
        for axis in 0..extents.len() {
            let parts = parts(sides, axis, extents, bits);
            boxes = boxes.iter().flat_map(|own| parts.iter().map(move |part| [&own[..], &[*part]].concat())).collect();
            if boxes.len() > MAX_PERIOD_BOXES {
                return None;
            }
        }
        let product =
            |own: &[Part], of: fn(&Part) -> i64| own.iter().try_fold(1i64, |all, part| all.checked_mul(of(part)));
        let unit = (bits / 8).max(1);
        let most = boxes.first()?;
        if product(most, |part| part.points)?.checked_mul(unit)? > MAX_TILE_UNITS
            || product(most, |part| part.count)? == 1
        {
            return None;
        }
        let mut own = Periods { boxes: Vec::new(), elements: 0, reach: [(0, -1); 2] };
        let mut written = Vec::new();
        for parts in &boxes {
            written.extend(own.add(sides, parts, bits, isa)?);
        }
        written.sort_unstable();
        let is_apart = written.windows(2).all(|pair| pair[0].1 <= pair[1].0);
        (is_apart && own.elements > 0).then_some(own)
    }

    /// Adds what moves a box; the runs of bytes that it writes, no run for a box without elements. None where one side has an element
    /// that the other lacks, or tiles are not shown to be apart.
    fn add(&mut self, sides: &[Side; 2], parts: &[Part], bits: i64, isa: Isa) -> Option<Vec<(i64, i64)>> {
        let mut point: Vec<i64> = parts.iter().map(|part| part.start).collect();
        let (mut places, mut rows) = (Vec::new(), Rows::default());
        loop {
            match sides.each_ref().map(|side| side.at(&point, &mut rows)) {
                [Ok(Some(from)), Ok(Some(to))] => places.push([from, to]),
                [Ok(None), Ok(None)] => {}
                _ => return None,
            }
            // The next point of the tile.
            let mut axes = point.iter_mut().zip(parts);
            let is_next = axes.any(|(x, part)| {
                *x += 1;
                let is_inside = *x < part.start + part.points;
                *x = if is_inside { *x } else { part.start };
                is_inside
            });
            if !is_next {
                break;
            }
        }
        if places.is_empty() {
            return Some(Vec::new());
        }
        let tiles = parts.iter().try_fold(1i64, |all, part| all.checked_mul(part.count))?;
        self.elements = i64::try_from(places.len()).ok()?.checked_mul(tiles)?.checked_add(self.elements)?;
        let (mut first, mut reach) = ([0; 2], [0; 2]);
        for side in 0..2 {
            let own = places.iter().map(|place| place[side]);
            let (mut least, mut most) = (own.clone().min()?, own.max()?);
            first[side] = least.checked_mul(bits)?.div_euclid(8);
            for part in parts {
                let last = part.strides[side].checked_mul(part.count - 1)?;
                (least, most) = (least.checked_add(last.min(0))?, most.checked_add(last.max(0))?);
            }
            let (before, behind) = self.reach[side];
            self.reach[side] = if before > behind { (least, most) } else { (least.min(before), most.max(behind)) };
            reach[side] = length(most.checked_add(1)?.checked_mul(bits)?.max(0).checked_add(7)? / 8);
        }
        let mut bytes: BTreeMap<i64, Byte> = BTreeMap::new();
        for place in places {
            add_unit(&mut bytes, [place[0].checked_mul(bits)?, place[1] * bits], bits, first, 0)?;
        }
        let loops = parts.iter().filter(|part| part.count > 1);
        let loops: Vec<_> = loops.map(|part| (part.count, part.strides.map(|stride| stride * bits / 8))).collect();
        let mut written = covered(&bytes, &loops)?;
        written.iter_mut().for_each(|(start, end)| (*start, *end) = (*start + first[1], *end + first[1]));
        self.boxes.push(Joined::program(bytes, loops, first, reach, isa)?);
        Some(written)
    }

    /// How many threads can have a part of their own.
    pub(crate) fn most_threads(&self) -> usize {
        let most = |joined: &Joined| (number(joined.written) / MIN_TASK_BYTES).min(joined.steps());
        let threads = self.boxes.iter().map(most).max();
        threads.map_or(1, length).max(1)
    }

    /// Moves all elements, about `bytes` bytes at a time, and calls `done` with the number of these after each.
    ///
    /// # Safety
    /// Both pointers reach as far as the elements, they do not overlap, and no one else uses the destination meanwhile.
    pub(crate) unsafe fn run(&self, sides: Sides, bytes: usize, mut done: impl FnMut(usize)) {
        for joined in &self.boxes {
            let a_step = (joined.written / length(joined.steps()).max(1)).max(1);
            let steps = number(bytes / a_step).max(1);
            let mut start = 0;
            while start < joined.steps() {
                let end = start.saturating_add(steps).min(joined.steps());
                // SAFETY: handed on to the caller.
                unsafe { joined.run_steps(start..end, sides) };
                done(a_step * length(end - start));
                start = end;
            }
        }
    }

    /// The bytes of a tile and the operations that move it, of the largest box.
    pub(crate) fn tile(&self) -> (usize, usize) {
        self.boxes.first().map_or((0, 0), |joined| (joined.tile_bytes, joined.operations))
    }
}
