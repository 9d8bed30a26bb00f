//! The exact solver behind composition: is A(B(.)) a layout of B's profile, and which?
//!
//! Let A have modes of extents `a0, a1, …` and strides `s0, s1, …`, and let `Pj = a0·…·a(j-1)`. Then a layout is
//! `A(x) = s0·x + Σ δj·⌊x/Pj⌋` with `δj = sj − a(j-1)·s(j-1)`, and coalescing makes every δj nonzero. On a sum of
//! digits, `x = Σ ck·bk`, write `bk = qk·Pj + ρk`: each floor splits exactly into `Σ ck·qk` and the residual floor
//! `⌊(Σ ck·ρk)/Pj⌋`, so everything but the residual floors is linear. Hence A(B(.)) is additive over digits as long as
//! these vanish, or cancel.
//!
//! For one leaf `n:b` the digits are forced: the first is the longest run r on which A(c·b) = c·A(b), which must be n
//! or divide it, and the rest continues with `n/r : r·b`. Then all digits of all leaves are verified together. Both
//! questions are "is this zero on a box of digits", answered by dividing the box until each residual floor is constant
//! or cancels: one box where nothing carries, a logarithm of the extent around a carry, more only where strides cancel.
//! The number of boxes is bounded by [`BUDGET`]; beyond it the answer is [`Refusal::Undecided`].

use crate::error::Error;

/// How many boxes one question may look at.
const BUDGET: u32 = 1 << 16;

/// A point of the codomain: one number for each component (integer layouts have one).
pub(super) type Point = Vec<i128>;

/// Coalesced modes of A; the last extent means nothing, since the last mode extends.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) shape: Vec<i128>,
    pub(super) stride: Vec<Point>,
}

/// One mode of B: an extent, and a step along each axis.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) extent: i128,
    pub(super) step: Vec<i128>,
}

/// One mode of the composite.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Digit {
    pub(super) extent: i128,
    pub(super) step: Vec<i128>,
    pub(super) stride: Point,
}

/// Why the composite is not a layout of B's profile.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// Leaf `leaf` runs straight for `run` of its `rest` remaining steps of `unit`, and `run` does not divide `rest`.
    Split { leaf: usize, unit: i128, run: i128, rest: i128 },
    /// The digits' own functions do not add up where these coordinates, each along one digit, are added.
    Carry { parts: Vec<Vec<i128>> },
    /// The budget ended.
    Undecided,
    /// A number left the range of the arithmetic.
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Failed(error)
    }
}

/// The digits of each leaf of the composite.
pub(super) fn solve(axes: &[Axis], leaves: &[Leaf]) -> Result<Vec<Vec<Digit>>, Refusal> {
    let components = axes.iter().flat_map(|axis| axis.stride.first()).map(Vec::len).max().unwrap_or(1);
    let space = Space { axes, components };
    let mut all = Vec::new();
    for (at, leaf) in leaves.iter().enumerate() {
        all.push(space.digits(at, leaf)?);
    }
    let digits: Vec<&Digit> = all.iter().flatten().filter(|digit| digit.extent > 1).collect();
    if digits.len() > 1 {
        let ranges: Vec<(i128, i128)> = digits.iter().map(|digit| (0, digit.extent - 1)).collect();
        if let Some(point) = space.first_violation(&digits, ranges)? {
            let point = space.simplest(&digits, point);
            return Err(Refusal::Carry { parts: parts(&all, &point)? });
        }
    }
    Ok(all)
}

/// A(x) for x along each axis, the origin of the codomain at x = 0.
pub(super) fn evaluate(axes: &[Axis], x: &[i128]) -> Result<Point, Error> {
    let components = axes.iter().flat_map(|axis| axis.stride.first()).map(Vec::len).max().unwrap_or(1);
    let mut sum = vec![0; components];
    for (axis, x) in axes.iter().zip(x) {
        let mut rest = *x;
        let last = axis.stride.len().saturating_sub(1);
        for (at, stride) in axis.stride.iter().enumerate() {
            let digit = match axis.shape.get(at) {
                Some(extent) if at < last => {
                    let digit = rest.checked_rem(*extent).ok_or_else(wide)?;
                    rest = rest.checked_div(*extent).ok_or_else(wide)?;
                    digit
                }
                _ => rest,
            };
            add_scaled(&mut sum, stride, digit)?;
        }
    }
    Ok(sum)
}

#[cold]
fn wide() -> Error {
    Error::overflow("an intermediate of this composition")
}

fn mul(a: i128, b: i128) -> Result<i128, Error> {
    a.checked_mul(b).ok_or_else(wide)
}

fn add(a: i128, b: i128) -> Result<i128, Error> {
    a.checked_add(b).ok_or_else(wide)
}

fn add_scaled(sum: &mut [i128], point: &[i128], by: i128) -> Result<(), Error> {
    for (sum, n) in sum.iter_mut().zip(point) {
        *sum = add(*sum, mul(*n, by)?)?;
    }
    Ok(())
}

struct Space<'a> {
    axes: &'a [Axis],
    components: usize,
}

/// What one box shows.
enum Look {
    /// Zero everywhere in it.
    Zero,
    /// Not zero at this point, the first along a single digit.
    Violation(Vec<i128>),
    /// To be divided along this digit.
    Divide(usize),
}

/// One residual floor `⌊Σ ck·ρk / P⌋` that is not constant on a box, with its factor.
struct Floor {
    modulus: i128,
    residue: Vec<i128>,
    factor: Point,
}

impl Space<'_> {
    /// The forced digits of one leaf.
    fn digits(&self, at: usize, leaf: &Leaf) -> Result<Vec<Digit>, Refusal> {
        let mut digits = Vec::new();
        let mut rest = leaf.extent;
        let mut step = leaf.step.clone();
        let mut unit = 1;
        loop {
            let stride = evaluate(self.axes, &step)?;
            let whole = Digit { extent: rest, step: step.clone(), stride };
            let run = match self.first_violation(&[&whole], vec![(0, rest - 1)])? {
                Some(point) => point.first().copied().unwrap_or(rest),
                None => rest,
            };
            if run >= rest {
                digits.push(whole);
                return Ok(digits);
            }
            if run < 2 || rest % run != 0 {
                return Err(Refusal::Split { leaf: at, unit, run, rest });
            }
            digits.push(Digit { extent: run, ..whole });
            rest /= run;
            unit = mul(unit, run)?;
            for x in &mut step {
                *x = mul(*x, run)?;
            }
        }
    }

    /// The first point of a box of digits where A of the sum differs from the sum of the digits' strides.
    fn first_violation(&self, digits: &[&Digit], ranges: Vec<(i128, i128)>) -> Result<Option<Vec<i128>>, Refusal> {
        let mut boxes = vec![ranges];
        let mut budget = BUDGET;
        while let Some(ranges) = boxes.pop() {
            crate::cancel::checkpoint();
            if ranges.iter().any(|(low, high)| low > high) {
                continue;
            }
            budget = budget.checked_sub(1).ok_or(Refusal::Undecided)?;
            match self.look(digits, &ranges)? {
                Look::Zero => {}
                Look::Violation(point) => return Ok(Some(point)),
                Look::Divide(along) => {
                    let mut lower = ranges.clone();
                    let mut upper = ranges;
                    if let (Some(lower), Some(upper)) = (lower.get_mut(along), upper.get_mut(along)) {
                        let middle = lower.0 + (lower.1 - lower.0) / 2;
                        lower.1 = middle;
                        upper.0 = middle + 1;
                    }
                    boxes.push(upper);
                    boxes.push(lower);
                }
            }
        }
        Ok(None)
    }

    /// A violation in two small digits, easier to follow than the one found, where there is one.
    #[cold]
    fn simplest(&self, digits: &[&Digit], found: Vec<i128>) -> Vec<i128> {
        let few = |digit: &Digit| 1..digit.extent.min(9);
        let mut best: Option<(i128, Vec<i128>)> = None;
        for (i, first) in digits.iter().enumerate() {
            for (k, second) in digits.iter().enumerate().skip(i + 1) {
                for (a, b) in few(first).flat_map(|a| few(second).map(move |b| (a, b))) {
                    let ranges: Vec<(i128, i128)> = (0..digits.len())
                        .map(|at| {
                            if at == i {
                                (a, a)
                            } else if at == k {
                                (b, b)
                            } else {
                                (0, 0)
                            }
                        })
                        .collect();
                    let better = best.as_ref().is_none_or(|(sum, _)| a + b < *sum);
                    if better && let Ok(Look::Violation(point)) = self.look(digits, &ranges) {
                        best = Some((a + b, point));
                    }
                }
            }
        }
        best.map_or(found, |(_, point)| point)
    }

    fn look(&self, digits: &[&Digit], ranges: &[(i128, i128)]) -> Result<Look, Error> {
        // The difference on this box: constant + Σ ck·slope_k + Σ open floors.
        let mut constant = vec![0; self.components];
        let mut slopes: Vec<Point> = digits.iter().map(|digit| digit.stride.iter().map(|n| -n).collect()).collect();
        let mut open: Vec<Floor> = Vec::new();
        for (at, axis) in self.axes.iter().enumerate() {
            let steps: Vec<i128> = digits.iter().map(|digit| digit.step.get(at).copied().unwrap_or(0)).collect();
            let (low, high) = bounds(&steps, ranges)?;
            let Some(base) = axis.stride.first() else { continue };
            for (slope, step) in slopes.iter_mut().zip(&steps) {
                add_scaled(slope, base, *step)?;
            }
            let reach = low.unsigned_abs().max(high.unsigned_abs());
            let sign = if high <= 0 { -1 } else { 1 };
            let mut modulus: i128 = 1;
            for pair in 1..axis.stride.len() {
                let (Some(extent), Some(below), Some(above)) =
                    (axis.shape.get(pair - 1), axis.stride.get(pair - 1), axis.stride.get(pair))
                else {
                    break;
                };
                modulus = match modulus.checked_mul(*extent) {
                    Some(product) if product.unsigned_abs() <= reach && product > 0 => product,
                    // Nothing reaches this mode: its floor and all above are 0.
                    _ => break,
                };
                if low < 0 && high > 0 {
                    // Mirrored evaluation: only one sign at a time is a floor.
                    return Ok(divide_widest(&steps, ranges).map_or(Look::Zero, Look::Divide));
                }
                let mut factor = above.clone();
                add_scaled(&mut factor, below, -*extent)?;
                for n in &mut factor {
                    *n *= sign;
                }
                let mut residue = Vec::with_capacity(steps.len());
                for (slope, step) in slopes.iter_mut().zip(&steps) {
                    let step = step * sign;
                    add_scaled(slope, &factor, step.div_euclid(modulus))?;
                    residue.push(step.rem_euclid(modulus));
                }
                let (low, high) = bounds(&residue, ranges)?;
                if low.div_euclid(modulus) == high.div_euclid(modulus) {
                    add_scaled(&mut constant, &factor, low.div_euclid(modulus))?;
                } else {
                    merge(&mut open, Floor { modulus, residue, factor }, ranges)?;
                }
            }
        }
        open.retain(|floor| floor.factor.iter().any(|n| *n != 0));
        if let Some(floor) = open.first() {
            return Ok(divide_widest(&floor.residue, ranges).map_or(Look::Zero, Look::Divide));
        }
        let lowest: Vec<i128> = ranges.iter().map(|(low, _)| *low).collect();
        for (slope, low) in slopes.iter().zip(&lowest) {
            add_scaled(&mut constant, slope, *low)?;
        }
        if constant.iter().any(|n| *n != 0) {
            return Ok(Look::Violation(lowest));
        }
        for (at, (slope, (low, high))) in slopes.iter().zip(ranges).enumerate() {
            if low < high && slope.iter().any(|n| *n != 0) {
                let mut point = lowest;
                if let Some(c) = point.get_mut(at) {
                    *c += 1;
                }
                return Ok(Look::Violation(point));
            }
        }
        Ok(Look::Zero)
    }
}

/// A point of the digits, taken apart into one coordinate of the leaves for each digit where it is not 0; digits of
/// extent 1 have no place in the point.
fn parts(all: &[Vec<Digit>], point: &[i128]) -> Result<Vec<Vec<i128>>, Error> {
    let mut point = point.iter();
    let mut parts = Vec::new();
    for (leaf, digits) in all.iter().enumerate() {
        let mut unit = 1;
        for digit in digits.iter().filter(|digit| digit.extent > 1) {
            let along = mul(point.next().copied().unwrap_or(0), unit)?;
            if along != 0 {
                parts.push((0..all.len()).map(|at| if at == leaf { along } else { 0 }).collect());
            }
            unit = mul(unit, digit.extent)?;
        }
    }
    Ok(parts)
}

/// The least and the greatest value of a linear form on a box.
fn bounds(form: &[i128], ranges: &[(i128, i128)]) -> Result<(i128, i128), Error> {
    let (mut low, mut high) = (0, 0);
    for (n, (first, last)) in form.iter().zip(ranges) {
        let (a, b) = (mul(*n, *first)?, mul(*n, *last)?);
        low = add(low, a.min(b))?;
        high = add(high, a.max(b))?;
    }
    Ok((low, high))
}

/// Floors of the same form add their factors: they may cancel for good.
fn merge(open: &mut Vec<Floor>, floor: Floor, ranges: &[(i128, i128)]) -> Result<(), Error> {
    for known in open.iter_mut() {
        let mut alike = true;
        for ((a, b), (_, high)) in known.residue.iter().zip(&floor.residue).zip(ranges) {
            if *high != 0 && a.checked_mul(floor.modulus) != b.checked_mul(known.modulus) {
                alike = false;
                break;
            }
        }
        if alike {
            return add_scaled(&mut known.factor, &floor.factor, 1);
        }
    }
    open.push(floor);
    Ok(())
}

/// The digit along which a form varies most, unless the box is one point of it.
fn divide_widest(form: &[i128], ranges: &[(i128, i128)]) -> Option<usize> {
    let spread = |at: usize| {
        let (low, high) = ranges.get(at).copied().unwrap_or((0, 0));
        let n = form.get(at).copied().unwrap_or(0).unsigned_abs();
        n.saturating_mul(high.abs_diff(low))
    };
    (0..ranges.len()).max_by_key(|&at| spread(at)).filter(|&at| spread(at) > 0)
}
