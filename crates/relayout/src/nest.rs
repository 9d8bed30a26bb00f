//! [`Nest`]: the elements of a pair of layouts as loops over common digits.
//!
//! Both layouts are cut, axis by axis, at the weights where both can be cut. The part between two cuts is one loop. It
//! has a step in the source and one in the destination, or a table of offsets where the digits of both sides do not
//! nest. An axis that ends inside a digit makes several nests, each a full box: all full digits first, then the rest of
//! the last digit, and so on.
//!
//! Law: the nests of a pair visit each element once, and lead it from its place in the source to its place in the
//! destination.
//!
//! All distances are in bits until a kernel is chosen. So elements of 4 and of 128 bits use the same arithmetic, and an
//! element of 24 bits is three bytes.

use std::ops::Range;

use bitstride::map::{AffineExpr, Digit, Form};
use bitstride::{Code, Error, error};

use crate::cast::length;
use crate::element::Element;
use crate::pointwise::{MAX_REACH_BITS, beyond_memory};

/// The longest table of offsets of one loop.
const MAX_LOOP_OFFSETS: i64 = 1 << 20;

/// The most boxes: each axis that ends inside digits multiplies them.
const MAX_BOXES: usize = 1 << 12;

/// The most table entries of all loops of all boxes together.
const MAX_TABLED_OFFSETS: usize = 1 << 22;

/// What one step of a loop does to an address: it adds a stride, and flips a pattern where the loop has two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) stride: i64,
    pub(crate) xor: i64,
}

/// One loop over both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) count: i64,
    pub(crate) steps: [Step; 2],
    /// The table of offsets, for a loop without strides; otherwise empty.
    pub(crate) offsets: Vec<[i64; 2]>,
    /// The distance by which the last tile overlaps the one before, where tiles do not divide their axis.
    pub(crate) tail_overlap: [i64; 2],
    /// The side along whose strip it steps.
    pub(crate) strip: Option<usize>,
}

/// Where a side begins: an offset, the pattern that is flipped, and how far along its strip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) offset: i64,
    pub(crate) flip: i64,
    pub(crate) along: i64,
}

/// A box of elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nest {
    pub(crate) origins: [Origin; 2],
    pub(crate) loops: Vec<Loop>,
}

impl Loop {
    /// A loop by strides alone.
    pub(crate) fn strided(count: i64, strides: [i64; 2]) -> Self {
        let steps = strides.map(|stride| Step { stride, xor: 0 });
        Loop { count, steps, offsets: Vec::new(), tail_overlap: [0; 2], strip: None }
    }

    /// The same without its table.
    fn untabled(&self) -> Self {
        Loop { offsets: Vec::new(), ..*self }
    }

    /// Whether it steps by strides alone.
    pub(crate) fn is_strided(&self) -> bool {
        self.offsets.is_empty() && self.steps.iter().all(|step| step.xor == 0)
    }

    /// The strides of both sides.
    pub(crate) fn strides(&self) -> [i64; 2] {
        self.steps.map(|step| step.stride)
    }

    /// What step `x` adds and flips on a side.
    pub(crate) fn at(&self, x: i64, side: usize) -> Step {
        let offset = usize::try_from(x).ok().and_then(|x| self.offsets.get(x));
        match (offset, self.steps.get(side)) {
            (Some(offset), _) => Step { stride: offset.get(side).copied().unwrap_or(0), xor: 0 },
            (None, Some(step)) => Step { stride: step.stride * x, xor: if x & 1 == 1 { step.xor } else { 0 } },
            (None, None) => Step::default(),
        }
    }

    /// How far step `x` leads on a side, the last of which may lie back.
    pub(crate) fn offset(&self, x: i64, side: usize) -> i64 {
        let tail_overlap = if x + 1 == self.count { self.tail_overlap.get(side).copied().unwrap_or(0) } else { 0 };
        self.at(x, side).stride - tail_overlap
    }

    /// Leads both sides to step `x`.
    pub(crate) fn lead(&self, x: i64, origins: &mut [Origin; 2]) {
        for (side, origin) in origins.iter_mut().enumerate() {
            let offset = self.offset(x, side);
            origin.offset += offset;
            origin.flip ^= self.at(x, side).xor;
            if self.strip == Some(side) {
                origin.along += offset;
            }
        }
    }

    /// Some of its steps, of which the last is not alone if it lies back; the origins lead to the first of them where steps
    /// are not in a table.
    pub(crate) fn part(&self, steps: Range<i64>, origins: &mut [Origin; 2]) -> Loop {
        let mut part = Loop { count: steps.end - steps.start, ..self.clone() };
        if steps.end != self.count {
            part.tail_overlap = [0; 2];
        }
        if self.offsets.is_empty() {
            self.lead(steps.start, origins);
        } else {
            let offsets = self.offsets.get(length(steps.start)..length(steps.end));
            part.offsets = offsets.unwrap_or(&[]).to_vec();
        }
        part
    }
}

/// The nests of two forms over the same axes. The parts of an element are a loop of their own, faster than all others.
///
/// # Errors
/// [`Code::Split`] where bits of a place are flipped whose elements have not a power of two of bits: bits of an address are
/// others then.
pub(crate) fn nests(forms: [&Form; 2], element: Element) -> Result<Vec<Nest>, Error> {
    let [source, destination] = forms;
    let bits = element.bits();
    in_memory(source, bits)?;
    in_memory(destination, bits)?;
    let flips = |sum: &AffineExpr| sum.xors.iter().any(|xor| *xor != 0) || sum.flip != 0;
    if !element.bits().unsigned_abs().is_power_of_two() && forms.iter().any(|form| form.sums.iter().any(flips)) {
        return Err(error!(Code::Split, "places are swizzled, and {element} are no power of two of bits", [element]));
    }
    let loops_of_parts = match element.parts() {
        1 => Vec::new(),
        parts => vec![Loop::strided(parts, [element.part_bits(); 2])],
    };
    let mut nests = vec![Nest { origins: [origin(source, bits)?, origin(destination, bits)?], loops: loops_of_parts }];
    for (axis, side) in source.axes.iter().enumerate() {
        let loops = loops(forms.map(|form| Digits::of(form, axis)), side.extent, bits)?;
        let tabled_before: usize = nests.iter().map(Nest::tabled).sum();
        let pieces = pieces(side.extent, &loops, MAX_TABLED_OFFSETS / nests.len().max(1))?;
        if nests.len().saturating_mul(pieces.len()) > MAX_BOXES {
            return Err(error!(
                Code::TooLarge,
                "axes that end inside digits come to more than {max_boxes} boxes",
                [max_boxes = MAX_BOXES]
            ));
        }
        let kept = |piece: &Piece| tabled(piece.iter().filter(|(_, still)| still.is_none()).map(|(level, _)| level));
        let added: usize = pieces.iter().map(kept).sum();
        if tabled_before.saturating_mul(pieces.len()) + added.saturating_mul(nests.len()) > MAX_TABLED_OFFSETS {
            return Err(too_many_tabled());
        }
        nests = nests.iter().flat_map(|nest| pieces.iter().map(|piece| nest.with(piece))).collect();
    }
    for nest in &mut nests {
        nest.normalise();
    }
    Ok(nests)
}

/// The number of table entries of loops.
fn tabled<'a>(loops: impl Iterator<Item = &'a Loop>) -> usize {
    loops.map(|level| level.offsets.len()).sum()
}

fn too_many_tabled() -> Error {
    error!(
        Code::TooLarge,
        "axes that both layouts cut differently come to more than {max_tabled_offsets} places in all boxes",
        [max_tabled_offsets = MAX_TABLED_OFFSETS]
    )
}

/// Returns an error for distances beyond any memory, so that sums of distances in bits never overflow.
fn in_memory(form: &Form, bits: i64) -> Result<(), Error> {
    let Some(sum) = form.sums.first() else { return Ok(()) };
    let steps = form.digits.iter().zip(&sum.strides).map(|(digit, stride)| {
        let extent = form.axes.get(digit.axis).map_or(0, |axis| axis.extent);
        let count = (extent / digit.weight).saturating_add(1).min(digit.radix);
        u128::from(stride.unsigned_abs()) * u128::from(count.unsigned_abs())
    });
    let patterns = sum.xors.iter().fold(sum.flip, |mask, xor| mask | xor);
    let from = u128::from(sum.offset.unsigned_abs()) + u128::from(patterns.unsigned_abs());
    let reach = steps.fold(from, u128::saturating_add);
    if reach.saturating_mul(u128::from(bits.unsigned_abs())) > MAX_REACH_BITS {
        return Err(beyond_memory(reach));
    }
    Ok(())
}

fn origin(form: &Form, bits: i64) -> Result<Origin, Error> {
    let Some(sum) = form.sums.first() else { return Ok(Origin::default()) };
    Ok(Origin { offset: scaled(sum.offset, bits)?, flip: scaled(sum.flip, bits)?, along: 0 })
}

fn scaled(n: i64, bits: i64) -> Result<i64, Error> {
    n.checked_mul(bits).ok_or_else(|| Error::overflow("an offset in bits"))
}

/// The digits of an axis, the fastest first, with strides and masks.
#[derive(Clone, Copy)]
struct Digits<'a> {
    digits: &'a [Digit],
    strides: &'a [i64],
    xors: &'a [i64],
}

impl<'a> Digits<'a> {
    fn of(form: &'a Form, axis: usize) -> Self {
        let first = form.digits.partition_point(|digit| digit.axis < axis);
        let end = form.digits.partition_point(|digit| digit.axis <= axis);
        let of = |list: fn(&AffineExpr) -> &[i64]| {
            form.sums.first().and_then(|sum| list(sum).get(first..end)).unwrap_or(&[])
        };
        Digits { digits: &form.digits[first..end], strides: of(|sum| &sum.strides), xors: of(|sum| &sum.xors) }
    }

    /// Each digit with its stride and its pattern.
    fn steps(self) -> impl Iterator<Item = (&'a Digit, i64, i64)> {
        self.digits.iter().zip(self.strides).zip(self.xors).map(|((digit, stride), xor)| (digit, *stride, *xor))
    }

    /// Whether they can be cut at a weight.
    fn cuts(self, weight: i64, extent: i64) -> bool {
        let Some(digit) = self.digits.iter().find(|digit| digit.weight < weight && i128::from(weight) < end(digit))
        else {
            return true;
        };
        let part = weight / digit.weight;
        weight % digit.weight == 0 && (digit.radix % part == 0 || end(digit) >= i128::from(extent))
    }

    /// What one step of so much weight does, inside a single digit.
    fn one_step(self, weight: i64, bits: i64) -> Result<Step, Error> {
        let contains = |digit: &Digit| digit.weight <= weight && i128::from(weight) < end(digit);
        let Some((digit, stride, xor)) = self.steps().find(|(digit, ..)| contains(digit)) else {
            return Ok(Step::default());
        };
        let stride = stride.checked_mul(weight / digit.weight).ok_or_else(|| Error::overflow("a stride"))?;
        Ok(Step { stride: scaled(stride, bits)?, xor: scaled(xor, bits)? })
    }
}

/// Where a digit ends along its axis.
fn end(digit: &Digit) -> i128 {
    i128::from(digit.weight) * i128::from(digit.radix)
}

/// The loops of an axis, the fastest first, with their weights: cut where both forms can be cut.
fn loops(sides: [Digits; 2], extent: i64, bits: i64) -> Result<Vec<(i64, Loop)>, Error> {
    let mut weights: Vec<i64> = sides.iter().flat_map(|digits| digits.digits).map(|digit| digit.weight).collect();
    weights.sort_unstable();
    weights.dedup();
    weights.retain(|weight| *weight < extent && sides.iter().all(|digits| digits.cuts(*weight, extent)));
    let mut loops = Vec::with_capacity(weights.len());
    for (at, weight) in weights.iter().enumerate() {
        let above = weights.get(at + 1).copied();
        let end = above.unwrap_or(extent);
        let count = end / weight + i64::from(end % weight != 0);
        let inside = |digits: &Digits| digits.digits.iter().any(|digit| digit.weight > *weight && digit.weight < end);
        let mut level = Loop::strided(count, [0, 0]);
        if sides.iter().any(inside) {
            level.offsets = offsets(sides, *weight, count, bits)?;
        } else {
            for (digits, step) in sides.iter().zip(&mut level.steps) {
                *step = digits.one_step(*weight, bits)?;
            }
        }
        loops.push((*weight, level));
    }
    Ok(loops)
}

/// The table of offsets of a loop whose digits do not nest.
fn offsets(sides: [Digits; 2], weight: i64, count: i64, bits: i64) -> Result<Vec<[i64; 2]>, Error> {
    if count > MAX_LOOP_OFFSETS {
        return Err(error!(
            Code::Undecided,
            "an axis is cut differently by both layouts, at {count} places; {max_loop_offsets} are tabled",
            [count, max_loop_offsets = MAX_LOOP_OFFSETS]
        ));
    }
    let mut offsets = vec![[0i64; 2]; usize::try_from(count).unwrap_or(0)];
    for (side, digits) in sides.iter().enumerate() {
        for (x, offset) in (0..count).zip(&mut offsets) {
            for (digit, stride, xor) in digits.steps() {
                let value = (x * weight) / digit.weight % digit.radix;
                if value != 0 && xor != 0 {
                    let message = "an axis is cut differently by both layouts where one flips bits";
                    return Err(Error::new(Code::Split, message));
                }
                let moved = stride.checked_mul(value).and_then(|moved| moved.checked_mul(bits));
                if let Some(sum_so_far) = offset.get_mut(side) {
                    let sum = moved.and_then(|moved| sum_so_far.checked_add(moved));
                    *sum_so_far = sum.ok_or_else(|| Error::overflow("an offset in bits"))?;
                }
            }
        }
    }
    Ok(offsets)
}

/// A box of an axis: loops, and loops that are fixed at one step.
type Piece = Vec<(Loop, Option<i64>)>;

/// An axis of an extent as full boxes: the full steps of the last digit, then those of the one before in the rest.
/// Returns an error for more than `most` table entries.
fn pieces(extent: i64, loops: &[(i64, Loop)], most: usize) -> Result<Vec<Piece>, Error> {
    let (mut pieces, mut all) = (Vec::new(), 0);
    let mut still: Piece = Vec::new();
    let mut rest = extent;
    for (at, (weight, top)) in loops.iter().enumerate().rev() {
        let full = rest / weight;
        if full > 0 {
            all += tabled(loops.iter().take(at + 1).map(|(_, level)| level));
            if all > most {
                return Err(too_many_tabled());
            }
            let mut cut = Loop { count: full, ..top.clone() };
            cut.offsets.truncate(usize::try_from(full).unwrap_or(usize::MAX));
            let below = loops.iter().take(at).map(|(_, level)| (level.clone(), None));
            pieces.push(below.chain([(cut, None)]).chain(still.iter().cloned()).collect());
        }
        // The table entry of this step.
        let offset = usize::try_from(full).ok().and_then(|full| top.offsets.get(full));
        still.push(match offset {
            Some(offset) => (Loop { offsets: vec![*offset], ..top.untabled() }, Some(0)),
            None => (top.untabled(), Some(full)),
        });
        rest %= weight;
        if rest == 0 {
            break;
        }
    }
    if loops.is_empty() && extent > 0 {
        pieces.push(Vec::new());
    }
    Ok(pieces)
}

impl Nest {
    fn with(&self, piece: &Piece) -> Nest {
        let mut loops = Vec::with_capacity(self.loops.len() + piece.len());
        loops.extend_from_slice(&self.loops);
        let mut nest = Nest { loops, ..*self };
        for (level, still) in piece {
            match still {
                None => nest.loops.push(level.clone()),
                Some(x) => level.lead(*x, &mut nest.origins),
            }
        }
        nest
    }

    /// The fewest loops: patterns only where two loops share bits, neighbours that continue merged.
    fn normalise(&mut self) {
        self.loops.retain(|level| level.count > 1);
        for (side, origin) in self.origins.iter_mut().enumerate() {
            let (_, shared) = self.loops.iter().fold((0, 0), |(all, shared), level| {
                let xor = level.steps[side].xor;
                (all | xor, shared | all & xor)
            });
            for step in self.loops.iter_mut().map(|level| &mut level.steps[side]) {
                let free = step.xor & !shared;
                step.stride += (free & !origin.flip) - (free & origin.flip);
                step.xor &= shared;
            }
            origin.offset += origin.flip & !shared;
            origin.flip &= shared;
        }
        let mut at = 0;
        while let Some(low) = self.loops.get(at) {
            let ends = low.strides().map(|stride| stride.checked_mul(low.count));
            let continues = |high: &Loop| high.is_strided() && high.strides().map(Some) == ends;
            match self.loops.iter().position(continues).filter(|_| low.is_strided()) {
                Some(above) => {
                    let count = self.loops.remove(above).count;
                    at -= usize::from(above < at);
                    if let Some(low) = self.loops.get_mut(at) {
                        low.count *= count;
                    }
                }
                None => at += 1,
            }
        }
    }

    fn tabled(&self) -> usize {
        tabled(self.loops.iter())
    }

    /// Which loop is the run: the units of a size that lie together on both sides.
    pub(crate) fn run(&self, unit: i64) -> Option<usize> {
        self.loops.iter().position(|level| level.is_strided() && level.strides() == [unit; 2])
    }

    /// The number of elements.
    pub(crate) fn size(&self) -> i64 {
        self.loops.iter().fold(1, |size: i64, level| size.saturating_mul(level.count))
    }

    /// The least and the greatest address of an element on a side, or bounds of these where more than ten loops flip
    /// bits of each other and also step by strides that are no bits of their own.
    pub(crate) fn reach(&self, side: usize) -> (i64, i64) {
        const MAX_ENUMERATED_FLIPS: usize = 10;
        let origin = self.origins.get(side).copied().unwrap_or_default();
        let (mut least, mut most) = (origin.offset, origin.offset);
        let mut patterns: Vec<Step> = Vec::new();
        for level in &self.loops {
            let step = level.steps.get(side).copied().unwrap_or_default();
            if step.xor != 0 {
                patterns.push(step);
                continue;
            }
            let tabled = level.offsets.iter().filter_map(|offset| offset.get(side).copied());
            let ends = [0, step.stride * (level.count - 1)];
            let (low, high) = tabled.fold((0, 0), |(low, high), offset| (offset.min(low), offset.max(high)));
            least += low.min(ends[0]).min(ends[1]);
            most += high.max(ends[0]).max(ends[1]);
        }
        let mask = patterns.iter().fold(origin.flip, |mask, step| mask | step.xor);
        let own_bits = patterns
            .iter()
            .try_fold(mask, |all, step| (step.stride >= 0 && all & step.stride == 0).then_some(all | step.stride));
        let (low, high) = if own_bits.is_some() {
            // All is xor then: elimination leads to the ends.
            extremes(origin.flip, patterns.iter().map(|step| step.stride | step.xor))
        } else if patterns.len() <= MAX_ENUMERATED_FLIPS {
            let of = |chosen: usize| {
                let on = patterns.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
                let (sum, flip) =
                    on.fold((0, origin.flip), |(sum, flip), (_, step)| (sum + step.stride, flip ^ step.xor));
                sum + flip
            };
            let ends = (0..1usize << patterns.len()).map(of);
            ends.fold((i64::MAX, i64::MIN), |(low, high), end| (low.min(end), high.max(end)))
        } else {
            let down: i64 = patterns.iter().map(|step| step.stride.min(0)).sum();
            let up: i64 = patterns.iter().map(|step| step.stride.max(0)).sum();
            (down, up + mask)
        };
        (least + low, most + high)
    }
}

/// The bitwise OR of all distances of loops and origins on a side: a power of two divides it exactly if it divides them all.
pub(crate) fn distances<'a>(loops: impl IntoIterator<Item = &'a Loop>, origins: &[Origin; 2], side: usize) -> i64 {
    let steps = loops.into_iter().flat_map(|level| {
        let step = level.steps[side];
        level.offsets.iter().map(move |offset| offset[side]).chain([step.stride, step.xor, level.tail_overlap[side]])
    });
    steps.chain([origins[side].offset, origins[side].flip]).fold(0, |all, step| all | step)
}

/// The least and the greatest xor of a number with any of some patterns.
fn extremes(from: i64, patterns: impl Iterator<Item = i64>) -> (i64, i64) {
    let mut basis: Vec<i64> = Vec::new();
    for pattern in patterns {
        // The highest bit of each is in no other that comes after.
        let left = basis.iter().fold(pattern, |left, other| left.min(left ^ other));
        if left != 0 {
            basis.push(left);
            basis.sort_unstable_by(|one, other| other.cmp(one));
        }
    }
    basis.iter().fold((from, from), |(low, high), pattern| (low.min(low ^ pattern), high.max(high ^ pattern)))
}
