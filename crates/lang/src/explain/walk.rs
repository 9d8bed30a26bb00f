//! One mode of B walked over the modes of A, in words.
//!
//! The words are made from the operands; the pieces they name are compared with the library's answer before they are
//! printed, so that they never say anything but what was computed.

use bitstride::cute::{self, Layout};
use bitstride::{Error, Int, Integer, Stride, StrideLeaf, Tuple};

/// The modes that a step walks over; the last one goes on for ever.
pub(super) struct Road {
    lower: Vec<(Int, Stride)>,
    last: Option<(Int, Stride)>,
}

/// What a walk takes of a lower mode: how many steps of which size.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) mode: usize,
    pub(super) steps: Int,
    pub(super) size: Int,
    pub(super) negative: bool,
}

/// A walk in words, with the pieces that the words name.
pub(super) struct Walk {
    pub(super) words: String,
    pub(super) taken: Vec<Taken>,
    pieces: Vec<(Int, Stride)>,
    /// Whether every division in it was exact.
    exact: bool,
}

impl Road {
    /// The modes of a layout, merged as far as they are one line beyond its size too.
    pub(super) fn over(a: &Layout) -> Result<Self, Error> {
        let mut shape = a.extents().to_vec();
        if let Some(last) = shape.last_mut()
            && last.is(1)
        {
            // The last mode extends, so it counts even with one element.
            *last = Int::from(2);
        }
        let open = Layout::new(Tuple::flat(&shape), Tuple::flat(a.strides()))?;
        let flat = cute::coalesce(&open)?;
        let mut lower: Vec<(Int, Stride)> =
            flat.extents().iter().cloned().zip(flat.strides().iter().cloned()).collect();
        let mut last = lower.pop();
        if let (Some((extent, stride)), Some(written)) = (&mut last, a.extents().last())
            && written.is(1)
            && a.strides().last() == Some(stride)
        {
            *extent = written.clone();
        }
        Ok(Road { lower, last: if a.extents().is_empty() { None } else { last } })
    }

    /// The mode at a position, as text.
    pub(super) fn mode(&self, at: usize) -> String {
        match self.lower.get(at).or(self.last.as_ref()) {
            Some((n, d)) => format!("{n}:{d}"),
            None => "()".into(),
        }
    }

    /// The extent of a lower mode.
    pub(super) fn extent(&self, at: usize) -> Option<&Int> {
        self.lower.get(at).map(|(n, _)| n)
    }

    /// How many modes lie below the last.
    pub(super) fn lower(&self) -> usize {
        self.lower.len()
    }

    /// `extent` steps of `step` in words.
    pub(super) fn walk(&self, extent: &Int, step: &Int) -> Result<Walk, Error> {
        let mut walk = Walk { words: String::new(), taken: Vec::new(), pieces: Vec::new(), exact: true };
        let Some((_, last)) = &self.last else {
            walk.pieces.push((extent.clone(), Stride::default()));
            walk.words = "(), where all there is lies at 0.".into();
            return Ok(walk);
        };
        if step.value() == Some(0) {
            walk.pieces.push((extent.clone(), Stride::Int(step.clone())));
            walk.words = "steps of 0 stay at one place.".into();
            return Ok(walk);
        }
        if self.lower.is_empty() {
            let stride = last.scale(step)?;
            walk.words = format!("steps of {step} in one line of stride {last} are {step}*{last} = {stride} apart.");
            walk.pieces.push((extent.clone(), stride));
            return Ok(walk);
        }
        if extent.is(1) {
            return self.single(step, walk);
        }
        let mut words = String::new();
        let (mut rest, mut step) = (extent.clone(), step.clone());
        for (at, (mode, stride)) in self.lower.iter().enumerate() {
            if rest.is(1) {
                break;
            }
            let (here, above) = (self.mode(at), self.mode(at + 1));
            let place = if words.is_empty() { format!("in {here}") } else { "; there".to_owned() };
            let room = if words.is_empty() { format!("{here} has") } else { "; there is".to_owned() };
            let size = step.abs()?;
            let negative = step.sign() == Some(-1);
            let signed = |n: Int| if negative { n.mul(&Int::from(-1)) } else { Ok(n) };
            let holds = mode.ceil_div(&size)?;
            let rounds = size.ceil_div(mode)?;
            let next = signed(rounds.clone())?;
            if holds.is(1) {
                walk.exact &= mode.divides(&size) == Some(true);
                let noun = if rounds.is(1) { "whole round" } else { "whole rounds" };
                words.push_str(&format!(
                    "{place} a step of {step} is {size}/{mode} = {rounds} {noun}, so a step of {next} in {above}"
                ));
                step = next;
                continue;
            }
            let part = holds.min(&rest)?;
            let left = rest.quotient(&part)?;
            let apart = stride.scale(&step)?;
            if left.is(1) {
                words.push_str(&format!("{place} all {rest} fit, {step}*{stride} = {apart} apart"));
            } else if part.fixed().is_some() && left.fixed().is_some() {
                walk.exact &= size.divides(mode) == Some(true) && part.divides(&rest) == Some(true);
                words.push_str(&format!(
                    "{room} room for {mode}/{size} = {part}, {step}*{stride} = {apart} apart; that repeats {rest}/{part} = {left} times by steps of {next} in {above}"
                ));
            } else {
                words.push_str(&format!(
                    "{place} min({}, {rest}) = {part} fit, {step}*{stride} = {apart} apart; that repeats {left} times by steps of {next} in {above}",
                    fraction(mode, &size),
                ));
            }
            walk.taken.push(Taken { mode: at, steps: part.clone(), size, negative });
            walk.pieces.push((part, apart));
            rest = left;
            step = next;
        }
        if walk.pieces.is_empty() || !rest.is(1) {
            let apart = last.scale(&step)?;
            words.push_str(&format!(", {step}*{last} = {apart} apart"));
            walk.pieces.push((rest, apart));
        }
        walk.words = format!("{words}.");
        Ok(walk)
    }

    /// A mode of one element: only its stride is left to say.
    fn single(&self, step: &Int, mut walk: Walk) -> Result<Walk, Error> {
        let mut step = step.clone();
        for (mode, _) in &self.lower {
            let next = step.abs()?.ceil_div(mode)?;
            step = if step.sign() == Some(-1) { next.mul(&Int::from(-1))? } else { next };
        }
        let last = self.last.as_ref().map(|(_, d)| d.clone()).unwrap_or_default();
        walk.words = "one element, at 0; its stride leads nowhere.".into();
        walk.pieces.push((Int::from(1), last.scale(&step)?));
        Ok(walk)
    }
}

impl Walk {
    /// Whether the words name exactly the pieces of the answer.
    pub(super) fn names(&self, answer: &Layout) -> bool {
        self.exact
            && self.pieces.len() == answer.extents().len()
            && self
                .pieces
                .iter()
                .zip(answer.extents().iter().zip(answer.strides()))
                .all(|((n, d), (extent, stride))| n == extent && d == stride)
    }
}

fn fraction(a: &Int, b: &Int) -> String {
    if b.is(1) { a.to_string() } else { format!("ceil({a}/{b})") }
}
