//! [`Pointwise`]: the exact but slow path for pairs that no kernel moves.
//!
//! Kernels need loops over digits that both layouts have. Some pairs have none: swizzles over strides that are no
//! powers of two, merged dims that carry, axes that both layouts cut into too many boxes. Here both maps are evaluated
//! at every point, some thousand points at a time, into a table of places. Then the elements of the table are moved.
//! The table bounds the memory, whatever the tensor. The axis with the shortest step in the destination is the fastest,
//! so that consecutive writes are near each other; but one along which both maps have constant steps goes before, since only
//! its first point is evaluated. Pairs that repeat ([`Periods`]) have no table.
//!
//! Law: each element is moved once, from the place that the source map gives to the place that the destination map
//! gives. A run never fails on a point: either digits show how far both layouts reach and that no two elements share a
//! place, whatever the size, or every point is evaluated when the plan is made.
#![allow(unsafe_code)]

use std::ops::Range;

use bitstride::map::{Form, Injectivity, Map};
use bitstride::{Code, Error, error};
use rayon::prelude::*;

use crate::cast::{distance, length, narrow, number};
use crate::element::Element;
use crate::joined::Periods;
use crate::kernel::{Copy, Parts, TileOrigin};
use crate::machine::{MIN_TASK_BYTES, Machine};
use crate::place_table::PlaceTable;
use crate::run::Sides;
use crate::stages::{Rows, Stages};

/// The points of a table: its places stay in the second cache.
const TABLE_POINTS: i64 = 1 << 12;

/// Up to this number of points, evaluating each when the plan is made takes less time than asking digits.
pub(crate) const FEW_POINTS: i64 = 1 << 22;

/// The most points that are evaluated when the plan is made. Where digits show what these would, there is no limit.
const MAX_SURVEYED: i64 = 1 << 30;

/// The places whose bits are held at once while it is checked that no two elements share one: 128 MiB.
const WINDOW_PLACES: i64 = 1 << 30;

/// The most windows, each of which takes another evaluation of all points.
const MAX_WINDOWS: i64 = 64;

/// The furthest place in bits: no memory reaches further.
pub(crate) const MAX_REACH_BITS: u128 = 1 << 59;

/// The points of an axis with constant steps from which the nearest such axis is walked first; of shorter ones it is the longest. With
/// axes of 2, 4 and 8 points first, a move takes 0.5 to 0.9, 0.3 and 0.3 of the time with them last (medians, 1 bit to 16 bytes, EPYC).
const LONG_AXIS: i64 = 8;

/// The names of the sides.
pub(crate) const SIDES: [&str; 2] = ["source", "destination"];

/// A tensor that is moved element by element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pointwise {
    sides: [Side; 2],
    pub(crate) extents: Vec<i64>,
    /// The axes, the fastest first.
    order: Vec<usize>,
    /// How far a step along the fastest axis leads on each side, where all its steps are the same.
    steps: Option<[i64; 2]>,
    /// The points of the box, some of which may hold no element.
    points: i64,
    /// Whether it is known that no two elements share a place of the destination.
    is_injective: bool,
    /// The elements.
    pub(crate) elements: i64,
    /// The least and the greatest place of each side; 0 and -1 without elements.
    pub(crate) reach: [(i64, i64); 2],
    /// What moves the pair where it repeats.
    pub(crate) periods: Option<Periods>,
    /// Why no kernel moves the pair.
    pub(crate) why: String,
}

/// Refuses places that no memory has.
pub(crate) fn beyond_memory(elements: u128) -> Error {
    error!(Code::TooLarge, "places as far as {elements} elements from the first are in no memory", [elements])
}

/// A map, in the form that is evaluated fastest, to places or to the numbers of elements in a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    form: Option<Form>,
    pub(crate) stages: Stages,
    table: Option<PlaceTable>,
}

impl Side {
    /// The place of a point; none where it holds no element.
    pub(crate) fn at(&self, point: &[i64], rows: &mut Rows) -> Result<Option<i64>, Error> {
        let place = match &self.form {
            Some(form) => Some(sum_at(form, point)?),
            None => self.stages.at(point, rows)?,
        };
        Ok(match &self.table {
            Some(table) => place.and_then(|number| table.at(number)),
            None => place,
        })
    }

    /// How far the first step along an axis leads; far where there is none.
    fn step(&self, axis: usize, extents: &[i64]) -> u64 {
        let mut point = vec![0; extents.len()];
        let mut at = |x: i64| {
            *point.get_mut(axis)? = x;
            self.at(&point, &mut Rows::default()).ok()?
        };
        let is_long = extents.get(axis).is_some_and(|extent| *extent > 1);
        match (at(0), if is_long { at(1) } else { None }) {
            (Some(first), Some(second)) => first.abs_diff(second),
            _ => u64::MAX,
        }
    }
}

/// The place of a point by digits.
fn sum_at(form: &Form, point: &[i64]) -> Result<i64, Error> {
    let Some(sum) = form.sums.first() else { return Ok(0) };
    let (mut place, mut pattern) = (i128::from(sum.offset), sum.flip);
    for (digit, (stride, xor)) in form.digits.iter().zip(sum.strides.iter().zip(&sum.xors)) {
        let value = digit.of(point);
        place += i128::from(value) * i128::from(*stride);
        pattern ^= if value & 1 == 1 { *xor } else { 0 };
    }
    narrow(place + i128::from(pattern))
}

/// Two maps over the same axes of a tensor, each to places or to the numbers of elements in a table.
pub(crate) struct Points<'a> {
    pub(crate) maps: [&'a Map; 2],
    pub(crate) tables: [Option<PlaceTable>; 2],
}

impl Points<'_> {
    /// The tensor as it is moved point by point, for the reason that no kernel moves it.
    ///
    /// # Errors
    /// As [`Pointwise::of`], [`Pointwise::reach_bits`] and [`Pointwise::check_overlap`].
    pub(crate) fn moved(self, element: Element, machine: Machine, why: &Error) -> Result<Pointwise, Error> {
        let own = Pointwise::of(self, why, FEW_POINTS, Some((element, machine)))?;
        // What no memory holds has no bit for each place.
        for side in 0..SIDES.len() {
            own.reach_bits(side, element)?;
        }
        own.check_overlap(1)?;
        Ok(own)
    }
}

/// Why two elements cannot be at one place of a side.
fn shared(side: usize, [one, other]: [&[i64]; 2], place: i64) -> Error {
    let share = ["are both read from", "would both be written to"].get(side).copied().unwrap_or_default();
    error!(Code::Overlap, "elements {one:?} and {other:?} {share} place [{place}]", [one, other, share, place])
}

/// How far two maps reach, where digits show that every point is an element on both sides, and that no two share a place of
/// the destination.
///
/// # Errors
/// [`Code::Overlap`] where some do.
fn known(maps: [&Map; 2]) -> Result<Option<[(i64, i64); 2]>, Error> {
    let [from, to] = maps;
    if !from.is_total() || !to.is_total() {
        return Ok(None);
    }
    let (Ok(source), Ok(destination)) = (from.reach(), to.reach()) else { return Ok(None) };
    match to.injectivity() {
        Ok(Injectivity::Yes(_)) => Ok(Some([source, destination])),
        Ok(Injectivity::No { points: [one, other], place, .. }) => {
            Err(shared(1, [&one, &other], place.first().copied().unwrap_or(0)))
        }
        Err(_) => Ok(None),
    }
}

impl Pointwise {
    /// The tensor of two maps, which no kernel moves, for a reason. With more than `few` points, digits are asked first. Periods
    /// are looked for where there are elements to be moved.
    ///
    /// # Errors
    /// The reason, for a tensor of more points than are evaluated where digits do not decide; [`Code::Overlap`] where two
    /// elements share a place of the destination; [`Code::NotALayout`] where a point holds an element on one side only; as
    /// [`Map::at`].
    pub(crate) fn of(
        Points { maps, tables }: Points,
        why: &Error,
        few: i64,
        moved: Option<(Element, Machine)>,
    ) -> Result<Self, Error> {
        let extents: Vec<i64> = maps[0].domain().iter().map(|axis| axis.extent).collect();
        let refused = || {
            let message = format!(
                "{}; digits do not show how far the layouts reach, and more than {MAX_SURVEYED} elements are not looked at one by one",
                why.message()
            );
            let refused = Error::new(why.code(), message);
            why.help().map_or(refused.clone(), |help| refused.with_help(help))
        };
        let points = extents.iter().try_fold(1i64, |all, extent| all.checked_mul(*extent)).ok_or_else(refused)?;
        let is_plain = tables.iter().all(Option::is_none);
        let mut order: Vec<usize> = (0..extents.len()).collect();
        let ([from, to], [source, destination]) = (maps, tables);
        let side = |map: &Map, table| Side { form: Form::of(map).ok(), stages: Stages::of(map), table };
        let sides = [side(from, source), side(to, destination)];
        let moved = moved.filter(|_| is_plain && points > TABLE_POINTS);
        let periods = moved.and_then(|(element, machine)| Periods::of(&sides, &extents, element.bits(), machine.isa()));
        let known = match &periods {
            Some(periods) => Some((periods.reach, periods.elements)),
            None if is_plain && points > few => known(maps)?.map(|reach| (reach, points)),
            None => None,
        };
        if known.is_none() && points > MAX_SURVEYED {
            return Err(refused());
        }
        let constant = |axis: usize| {
            let is_long = extents.get(axis).is_some_and(|extent| *extent > 1);
            let steps = sides.each_ref().map(|side| side.stages.step(axis, extents.len(), 1));
            (is_plain && is_long).then_some(())?;
            Some([steps[0]?, steps[1]?])
        };
        order.sort_by_key(|axis| {
            let saved = constant(*axis).and_then(|_| extents.get(*axis)).map_or(0, |extent| *extent.min(&LONG_AXIS));
            (std::cmp::Reverse(saved), sides[1].step(*axis, &extents))
        });
        let steps = order.first().and_then(|axis| constant(*axis));
        let mut own = Pointwise {
            sides,
            extents,
            order,
            steps,
            points,
            is_injective: false,
            elements: 0,
            reach: [(0, -1); 2],
            periods,
            why: why.message().to_owned(),
        };
        match known {
            Some((reach, elements)) => (own.reach, own.elements, own.is_injective) = (reach, elements, true),
            None => own.survey()?,
        }
        Ok(own)
    }

    /// Counts the elements, finds how far each side reaches, and refuses two elements in one place of the destination as far as
    /// a window goes.
    fn survey(&mut self) -> Result<(), Error> {
        let mut reach: Option<[(i64, i64); 2]> = None;
        let mut elements = 0;
        let mut seen = Seen::default();
        self.visit(0..self.points, |places, point| {
            let reach = reach.get_or_insert_with(|| places.map(|place| (place, place)));
            for ((least, most), place) in reach.iter_mut().zip(places) {
                (*least, *most) = ((*least).min(place), (*most).max(place));
            }
            elements += 1;
            if seen.has(places[1]) { Err(self.overlap(1, places[1], point)) } else { Ok(()) }
        })?;
        self.elements = elements;
        self.reach = reach.unwrap_or(self.reach);
        self.is_injective = seen.outside == 0;
        Ok(())
    }

    /// The first bit of the least place of a side, and the end of the last.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where no memory goes so far.
    pub(crate) fn reach_bits(&self, side: usize, element: Element) -> Result<(i64, i64), Error> {
        let (least, most) = self.reach.get(side).copied().unwrap_or((0, -1));
        let reach = u128::from(least.unsigned_abs().max(most.unsigned_abs())) + 1;
        if reach * u128::from(element.bits().unsigned_abs()) > MAX_REACH_BITS {
            return Err(beyond_memory(reach));
        }
        Ok((least.min(0) * element.bits(), (most + 1).max(0) * element.bits()))
    }

    /// Refuses two elements in one place of a side.
    ///
    /// # Errors
    /// [`Code::Overlap`] with both; [`Code::Undecided`] where places are too far apart to be held as bits.
    pub(crate) fn check_overlap(&self, side: usize) -> Result<(), Error> {
        if side == 1 && self.is_injective {
            return Ok(());
        }
        let (least, most) = self.reach.get(side).copied().unwrap_or((0, -1));
        let span = i128::from(most) - i128::from(least) + 1;
        if span > i128::from(MAX_WINDOWS) * i128::from(WINDOW_PLACES) {
            return Err(error!(
                Code::Undecided,
                "whether {elements} elements in {span} places share one is not known",
                [elements = self.elements, span]
            ));
        }
        for first in (least..=most).step_by(length(WINDOW_PLACES)) {
            let mut seen = Seen { first, ..Seen::default() };
            self.visit(0..self.points, |at, point| {
                let place = at.get(side).copied().unwrap_or(least);
                if seen.has(place) { Err(self.overlap(side, place, point)) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    /// Why a place is not the only one of a point: the element that came first.
    fn overlap(&self, side: usize, place: i64, point: &[i64]) -> Error {
        let mut first = point.to_vec();
        let found = self.visit(0..self.points, |at, earlier| match at.get(side) == Some(&place) {
            true => {
                first = earlier.to_vec();
                Err(Error::new(Code::Overlap, String::new()))
            }
            false => Ok(()),
        });
        debug_assert!(found.is_err() && first != point);
        shared(side, [&first, point], place)
    }

    /// Visits the elements of some points with their places.
    fn visit(
        &self,
        points: Range<i64>,
        mut element: impl FnMut([i64; 2], &[i64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut walk, mut rows) = (Walk::from(self, points.start), Rows::default());
        // The places of the point before this one along the fastest axis.
        let mut before: Option<[i64; 2]> = None;
        for _ in points {
            let next = before
                .zip(self.steps)
                .and_then(|(before, steps)| Some([before[0].checked_add(steps[0])?, before[1].checked_add(steps[1])?]));
            let places = match next {
                Some(places) => places.map(|place| Ok(Some(place))),
                None => [0, 1].map(|side: usize| self.sides[side].at(&walk.point, &mut rows)),
            };
            before = None;
            match places {
                [Ok(Some(from)), Ok(Some(to))] => {
                    element([from, to], &walk.point)?;
                    before = Some([from, to]);
                }
                [Ok(None), Ok(None)] => {}
                [Ok(from), Ok(_)] => {
                    let which = SIDES[usize::from(from.is_none())];
                    return Err(error!(
                        Code::NotALayout,
                        "element {point:?} has a place in the {which} only",
                        [point = walk.point, which]
                    ));
                }
                [Err(error), _] => return Err(error.about(format!("the {}", SIDES[0]))),
                [_, Err(error)] => return Err(error.about(format!("the {}", SIDES[1]))),
            }
            if !walk.next() {
                before = None;
            }
        }
        Ok(())
    }

    /// How many threads can have a part of their own.
    pub(crate) fn most_threads(&self, element: Element) -> usize {
        if let Some(periods) = &self.periods {
            return periods.most_threads();
        }
        let tables = usize::try_from(self.points / TABLE_POINTS).unwrap_or(usize::MAX);
        let bytes = length(self.elements).saturating_mul(length(element.bits() / 8));
        // Units below a byte share bytes, which two threads must not write.
        if element.bits() < 8 { 1 } else { (bytes / length(MIN_TASK_BYTES)).min(tables).max(1) }
    }

    /// All points.
    pub(crate) fn all(&self) -> Range<i64> {
        0..self.points
    }

    /// Moves all elements, about `bytes` bytes at a time, and reports after each how many of how many bytes are done.
    ///
    /// The buffers reach as far as the plan.
    pub(crate) fn in_chunks(
        &self,
        element: Element,
        source: &[u8],
        destination: &mut [u8],
        bytes: usize,
        report: &mut impl FnMut(usize, usize),
    ) {
        let sides = Sides { source: source.as_ptr(), destination: destination.as_mut_ptr() };
        if let Some(periods) = &self.periods {
            let (mut done, all) = (0, length(self.elements.saturating_mul(element.bits()) / 8));
            // SAFETY: as below.
            unsafe {
                periods.run(sides, bytes, |moved| {
                    done += moved;
                    report(done.min(all), all);
                });
            }
            return;
        }
        let points = (number(bytes).saturating_mul(8) / element.bits()).max(TABLE_POINTS);
        let done = |points: i64| length(points.saturating_mul(element.bits()) / 8);
        for first in (0..self.points).step_by(length(points)) {
            let end = self.points.min(first.saturating_add(points));
            // SAFETY: both slices reach as far as the plan, and a mutable slice overlaps no other.
            unsafe { self.run(element, first..end, sides) };
            report(done(end), done(self.points));
        }
    }

    /// Moves the elements of some points.
    ///
    /// # Safety
    /// Both pointers reach as far as the plan, they do not overlap, and no one else uses the destination meanwhile.
    pub(crate) unsafe fn run(&self, element: Element, points: Range<i64>, sides: Sides) {
        let tables = (points.end - points.start).max(0) / TABLE_POINTS + 1;
        let table = |n: i64| {
            let first = points.start + n * TABLE_POINTS;
            first..points.end.min(first + TABLE_POINTS)
        };
        // SAFETY: handed on to the caller; no two tables have an element in common, nor a byte of the destination, unless
        // units are below a byte, and these are moved by one thread.
        let run = |places: &mut Vec<TileOrigin>, n: i64| unsafe { self.run_table(element, table(n), sides, places) };
        // Asking for the number of threads starts them.
        if self.most_threads(element) > 1 && tables > 1 && rayon::current_num_threads() > 1 {
            (0..tables).into_par_iter().for_each_init(Vec::new, run);
        } else {
            let mut places = Vec::new();
            (0..tables).for_each(|n| run(&mut places, n));
        }
    }

    /// Moves the elements of a table.
    ///
    /// # Safety
    /// As [`Pointwise::run`].
    unsafe fn run_table(&self, element: Element, points: Range<i64>, sides: Sides, places: &mut Vec<TileOrigin>) {
        let bytes = element.bits() / 8;
        places.clear();
        // All points were visited when the plan was made, and none was refused.
        let visited = self.visit(points, |at, _| {
            places.push(TileOrigin::of(at.map(|place| distance(place * bytes.max(1))), [0; 2], 0));
            Ok(())
        });
        debug_assert_eq!(visited, Ok(()));
        let Sides { source, destination } = sides;
        // SAFETY: every place is inside both buffers, since the survey found how far they reach.
        unsafe {
            match u32::try_from(element.bits()) {
                Ok(bits @ (1 | 2 | 4)) => Parts { bits }.run(source, destination, [0; 2], places),
                _ => Copy::of(bytes).run(source, destination, places, None),
            }
        }
    }
}

/// The places of a window that were seen, a bit each.
#[derive(Default)]
struct Seen {
    first: i64,
    words: Vec<u64>,
    /// How many places lay outside of the window.
    outside: i64,
}

impl Seen {
    /// Whether a place was seen before; from now on it was. None is that lies outside.
    fn has(&mut self, place: i64) -> bool {
        const WORD: i64 = 64;
        let bit = place.checked_sub(self.first).filter(|bit| (0..WINDOW_PLACES).contains(bit));
        let Some(bit) = bit else {
            self.outside += 1;
            return false;
        };
        let at = length(bit / WORD);
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let Some(word) = self.words.get_mut(at) else { return false };
        let was = *word >> (bit % WORD) & 1 == 1;
        *word |= 1 << (bit % WORD);
        was
    }
}

/// The points of a box, one after the other.
struct Walk<'a> {
    extents: &'a [i64],
    order: &'a [usize],
    point: Vec<i64>,
}

impl<'a> Walk<'a> {
    /// The walk from a point by its number.
    fn from(own: &'a Pointwise, number: i64) -> Self {
        let (mut rest, mut point) = (number, vec![0; own.extents.len()]);
        for axis in &own.order {
            if let (Some(x), Some(extent)) = (point.get_mut(*axis), own.extents.get(*axis)) {
                (*x, rest) = (rest % (*extent).max(1), rest / (*extent).max(1));
            }
        }
        Walk { extents: &own.extents, order: &own.order, point }
    }

    /// Goes on to the next point; whether it is the next along the fastest axis.
    fn next(&mut self) -> bool {
        for (number, axis) in self.order.iter().enumerate() {
            let (Some(x), Some(extent)) = (self.point.get_mut(*axis), self.extents.get(*axis)) else { return false };
            *x += 1;
            if *x < *extent {
                return number == 0;
            }
            *x = 0;
        }
        false
    }
}
