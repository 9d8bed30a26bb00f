//! A refused composition in words: which mode splits or carries, and the coordinates that show it.
//!
//! Law: the coordinates of a witness are indices of B, and the values given there are A's; they contradict every
//! layout of B's profile.

use super::decide::Problem;
use super::exact::{self, Refusal as Obstacle};
use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error, Witness};
use crate::int::Integer;
use crate::refusal::Fact;

impl Problem {
    /// B at a coordinate of its leaves.
    fn steps(&self, coordinate: &[i128]) -> Result<Vec<i128>, Error> {
        let mut x = vec![0_i128; self.axes.len()];
        for (leaf, c) in self.leaves.iter().zip(coordinate) {
            for (x, step) in x.iter_mut().zip(&leaf.step) {
                let product = step.checked_mul(*c).ok_or_else(|| Error::overflow("a step of B"))?;
                *x = x.checked_add(product).ok_or_else(|| Error::overflow("a sum of steps of B"))?;
            }
        }
        Ok(x)
    }

    fn value(&self, coordinate: &[i128]) -> Result<Vec<i128>, Error> {
        exact::evaluate(&self.axes, &self.steps(coordinate)?)
    }

    /// The flat index of a coordinate of B's leaves.
    fn flat(&self, coordinate: &[i128]) -> i64 {
        let mut index = 0_i128;
        let mut unit = 1_i128;
        for (leaf, c) in self.leaves.iter().zip(coordinate) {
            index = index.saturating_add(c.saturating_mul(unit));
            unit = unit.saturating_mul(leaf.extent);
        }
        i64::try_from(index).unwrap_or(i64::MAX)
    }

    /// A point as text: a number, or a sum of basis vectors.
    fn text(&self, point: &[i128]) -> String {
        let parts: Vec<String> = self
            .components
            .iter()
            .zip(point)
            .filter(|(_, n)| **n != 0)
            .map(|(path, n)| {
                let path: String = path.iter().rev().map(|mode| format!("@{mode}")).collect();
                format!("{n}{path}")
            })
            .collect();
        if parts.is_empty() { "0".into() } else { parts.join("+") }
    }

    /// The refusal in words, with coordinates that show it.
    pub(super) fn explain<I: Integer, D: StrideLeaf<I>>(
        &self,
        a: &Layout<I, D>,
        b: &Layout<I, D>,
        refusal: Obstacle,
    ) -> Error {
        match refusal {
            Obstacle::Failed(error) => error,
            Obstacle::Undecided => error!(
                Code::Undecided,
                "{a} o {b}: carries cancel in too many ways to decide within the step budget",
                [a, b]
            ),
            Obstacle::Split { leaf, unit, run, rest } => self.split(a, b, leaf, unit, run, rest),
            Obstacle::Carry { parts } => self.carry(a, b, &parts),
        }
        .with_chain(format!("chain({a}, {b})"))
    }

    fn split<I: Integer, D: StrideLeaf<I>>(
        &self,
        a: &Layout<I, D>,
        b: &Layout<I, D>,
        leaf: usize,
        unit: i128,
        run: i128,
        rest: i128,
    ) -> Error {
        let at = |c: i128| {
            let mut coordinate = vec![0; self.leaves.len()];
            if let Some(place) = coordinate.get_mut(leaf) {
                *place = c;
            }
            coordinate
        };
        let (first, broken) = (at(unit), at(unit.saturating_mul(run)));
        let text = |coordinate: &[i128]| self.value(coordinate).map_or("?".into(), |point| self.text(&point));
        let (extent, stride) = (b.extents().get(leaf), b.strides().get(leaf));
        let mode = match (extent, stride) {
            (Some(extent), Some(stride)) => format!("{extent}:{stride}"),
            _ => String::new(),
        };
        let refused = match unit {
            1 => error!(
                Code::Split,
                "the mode {mode} of {inner} would split: over {outer} it runs straight for {run} steps, and {run} does not divide {rest}",
                [mode, inner = b, outer = a, run, rest]
            ),
            _ => error!(
                Code::Split,
                "the mode {mode} of {inner} would split: over {outer} it runs straight for {run} steps of {unit}, and {run} does not divide {rest}",
                [mode, inner = b, outer = a, unit, run, rest]
            ),
        };
        refused.with_witness(Witness {
            at: vec![self.flat(&first), self.flat(&broken)],
            gives: vec![text(&first), text(&broken)],
            needs: format!("a straight run would give {run} times {} at the second", text(&first)),
        })
    }

    fn carry<I: Integer, D: StrideLeaf<I>>(&self, a: &Layout<I, D>, b: &Layout<I, D>, parts: &[Vec<i128>]) -> Error {
        let (only, others) = self.first_that_carries(parts);
        let coordinate = &sum(&only, &others);
        let text = |coordinate: &[i128]| self.value(coordinate).map_or("?".into(), |point| self.text(&point));
        let [one, other, both] =
            [&only, &others, coordinate].map(|coordinate| Fact::list(&self.steps(coordinate).unwrap_or_default()));
        let [first, second, third] = [&only, &others, coordinate].map(|coordinate| text(coordinate));
        error!(
            Code::Carry,
            "the modes of {inner} carry across a mode of {outer}: {one} + {other} = {both} leaves the mode it starts in, and A gives {third} there, not {first} + {second}",
            [inner = b, outer = a; steps = [one, other, both], images = [first, second, third]]
        )
        .with_witness(Witness {
            at: vec![self.flat(&only), self.flat(&others), self.flat(coordinate)],
            gives: vec![text(&only), text(&others), text(coordinate)],
            needs: "the third must be the sum of the first two".into(),
        })
    }

    /// Two coordinates whose values do not add up to the value of their sum: the first of the parts that does not add
    /// to the parts before it. There is one, since all together do not add up.
    fn first_that_carries(&self, parts: &[Vec<i128>]) -> (Vec<i128>, Vec<i128>) {
        let mut before = vec![0; self.leaves.len()];
        for part in parts {
            let both = sum(&before, part);
            if let (Ok(x), Ok(y), Ok(z)) = (self.value(&before), self.value(part), self.value(&both))
                && sum(&x, &y) != z
            {
                return (before, part.clone());
            }
            before = both;
        }
        (before, vec![0; self.leaves.len()])
    }
}

fn sum(a: &[i128], b: &[i128]) -> Vec<i128> {
    a.iter().zip(b).map(|(a, b)| a.saturating_add(*b)).collect()
}
