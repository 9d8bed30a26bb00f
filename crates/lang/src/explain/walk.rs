//! One mode of B walked over the modes of A, in words.
//!
//! The walk is the library's own ([`composition_traced`]): the words say what it reported, and the pieces that it reported are
//! compared with the answer, which the exact solver may have found instead.

use bitstride::cute::{Layout, WalkStep, composition_traced};
use bitstride::{Error, Int, Integer, Stride, StrideLeaf};

/// The walk of one mode of B.
pub(super) struct Walk {
    /// The modes that it walks over; the last one goes on for ever.
    modes: Vec<(Int, Stride)>,
    extent: Int,
    step: Int,
    steps: Vec<WalkStep<Int, Stride>>,
}

impl Walk {
    /// The answer for one mode of B over A, and its walk where it has one: a stride along several modes has none.
    pub(super) fn of(a: &Layout, leaf: &Layout) -> Result<(Layout, Option<Walk>), Error> {
        let mut events = Vec::new();
        let answer = composition_traced(a, leaf, &mut events)?;
        let mut events = events.into_iter();
        let Some(WalkStep::Start { extent, step, mut modes }) = events.next() else { return Ok((answer, None)) };
        // A last mode of one element goes on as any other; it is named as it is written.
        let along = match leaf.strides().first().map(StrideLeaf::components) {
            Some(parts) => parts.first().map_or_else(|| Ok(a.clone()), |(path, _)| a.get(path))?,
            None => a.clone(),
        };
        if let (Some((own, stride)), Some(written)) = (modes.last_mut(), along.extents().last())
            && written.is(1)
            && along.strides().last() == Some(stride)
        {
            *own = written.clone();
        }
        Ok((answer, Some(Walk { modes, extent, step, steps: events.collect() })))
    }

    /// The mode at a position, as text.
    pub(super) fn mode(&self, at: usize) -> String {
        self.modes.get(at).map_or_else(|| "()".into(), |(n, d)| format!("{n}:{d}"))
    }

    /// The extent of a lower mode.
    pub(super) fn extent(&self, at: usize) -> Option<&Int> {
        self.modes.get(at).map(|(n, _)| n)
    }

    /// How many modes lie below the last.
    pub(super) fn lower(&self) -> usize {
        self.modes.len().saturating_sub(1)
    }

    /// The walk in words.
    pub(super) fn words(&self) -> Result<String, Error> {
        let step = &self.step;
        let Some((_, last)) = self.modes.last() else { return Ok("(), where all there is lies at 0.".into()) };
        if step.value() == Some(0) {
            return Ok("steps of 0 stay at one place.".into());
        }
        if self.lower() == 0 {
            let stride = last.scale(step)?;
            return Ok(format!("steps of {step} in one line of stride {last} are {step}*{last} = {stride} apart."));
        }
        if self.extent.is(1) {
            return Ok("one element, at 0; its stride leads nowhere.".into());
        }
        let mut words = String::new();
        for event in &self.steps {
            let clause = self.clause(event, words.is_empty())?;
            words.push_str(&clause);
        }
        Ok(format!("{words}."))
    }

    /// What the walk does in one mode; the first clause names the mode.
    fn clause(&self, event: &WalkStep<Int, Stride>, is_first: bool) -> Result<String, Error> {
        let named = |at: usize, first: &str, then: &str| match is_first {
            true => first.replace("{}", &self.mode(at)),
            false => then.to_owned(),
        };
        let stride = |at: usize| self.modes.get(at).map(|(_, stride)| stride.clone()).unwrap_or_default();
        Ok(match event {
            WalkStep::Skipped { mode, step, next } => {
                let (size, rounds) = (step.abs()?, next.abs()?);
                let extent = self.extent(*mode).cloned().unwrap_or_default();
                let noun = if rounds.is(1) { "whole round" } else { "whole rounds" };
                format!(
                    "{} a step of {step} is {size}/{extent} = {rounds} {noun}, so a step of {next} in {}",
                    named(*mode, "in {}", "; there"),
                    self.mode(mode + 1)
                )
            }
            WalkStep::Taken { mode, rest, step, part, stride: apart, left, next, .. } => {
                let (place, room) = (named(*mode, "in {}", "; there"), named(*mode, "{} has", "; there is"));
                let (size, extent) = (step.abs()?, self.extent(*mode).cloned().unwrap_or_default());
                let (own, above) = (stride(*mode), self.mode(mode + 1));
                if left.is(1) {
                    format!("{place} all {rest} fit, {step}*{own} = {apart} apart")
                } else if part.fixed().is_some() && left.fixed().is_some() {
                    format!(
                        "{room} room for {extent}/{size} = {part}, {step}*{own} = {apart} apart; that repeats {rest}/{part} = {left} times by steps of {next} in {above}"
                    )
                } else {
                    format!(
                        "{place} min({}, {rest}) = {part} fit, {step}*{own} = {apart} apart; that repeats {left} times by steps of {next} in {above}",
                        fraction(&extent, &size),
                    )
                }
            }
            WalkStep::Last { step, stride: apart, .. } => {
                format!(", {step}*{} = {apart} apart", stride(self.lower()))
            }
            _ => String::new(),
        })
    }

    /// Whether every division that the words name is exact.
    fn is_exact(&self) -> Result<bool, Error> {
        for event in &self.steps {
            let is_exact = match event {
                WalkStep::Skipped { mode, step, .. } => {
                    let size = step.abs()?;
                    self.extent(*mode).is_some_and(|extent| extent.divides(&size) == Some(true))
                }
                WalkStep::Taken { mode, rest, step, part, left, .. }
                    if !left.is(1) && part.fixed().is_some() && left.fixed().is_some() =>
                {
                    let size = step.abs()?;
                    let fits = self.extent(*mode).is_some_and(|extent| size.divides(extent) == Some(true));
                    fits && part.divides(rest) == Some(true)
                }
                _ => true,
            };
            if !is_exact {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the words name exactly the modes of the answer.
    pub(super) fn names(&self, answer: &Layout) -> Result<bool, Error> {
        let pieces = self.steps.iter().filter_map(|event| match event {
            WalkStep::Taken { part, stride, .. } => Some((part, stride)),
            WalkStep::Last { extent, stride, .. } => Some((extent, stride)),
            _ => None,
        });
        Ok(self.is_exact()? && pieces.eq(answer.extents().iter().zip(answer.strides())))
    }
}

fn fraction(a: &Int, b: &Int) -> String {
    if b.is(1) { a.to_string() } else { format!("ceil({a}/{b})") }
}
