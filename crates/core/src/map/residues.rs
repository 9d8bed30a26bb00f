//! Residues as levels: a sum of interleaved digits modulo a number that removes some of them.
//!
//! In `5a + 8b + c`, with `a` below 4 and bits `b` and `c`, no digit is above all others, and every cut carries. Modulo
//! 5 the first digit vanishes, and `3b + c` stays below 5. This residue is a level that decodes both bits. Where the
//! residue wraps around, multiplying by a factor may prevent it: `5a + 23b + c` is `5a + c` modulo 23, and `a + 14c`
//! after multiplying by 14.
//!
//! Law: a level determines its residues, so that equal places have equal residues.

use super::Stage;
use super::form::AffineExpr;
use super::symbolic::Symbolic;
use crate::gcd;

/// Products of two residues fit in 64 bits.
pub(super) const LARGEST_MODULUS: i64 = 1 << 31;

/// The most digits of a level whose residues are tried: more digits have too many moduli.
const MAX_LEVEL_DIGITS: usize = 12;

/// The largest step that one digit is given by a factor.
const MAX_RESIDUE_STEP: i64 = 8;

/// How many residues are tried.
const MAX_RESIDUES_TRIED: usize = 512;

/// A residue of a level.
struct Residue {
    level: usize,
    modulus: i64,
    factor: i64,
    /// What the residue is, from 0 on.
    sum: AffineExpr,
}

/// Every row with one residue as a further level, and the stages that compute it.
pub(super) fn residues(symbolic: &Symbolic) -> impl Iterator<Item = (Symbolic, Vec<Stage>)> {
    let levels = symbolic.row.iter().enumerate().filter(|(_, sum)| {
        let several = 2..=MAX_LEVEL_DIGITS;
        sum.mask() == 0 && several.contains(&active(sum).count())
    });
    levels
        .flat_map(move |(level, sum)| {
            moduli(sum).into_iter().flat_map(move |modulus| {
                let factors = factors(sum, modulus);
                factors.into_iter().filter_map(move |factor| residue(symbolic, level, modulus, factor))
            })
        })
        .take(MAX_RESIDUES_TRIED)
        .filter_map(|residue| Some((residue.added(symbolic)?, residue.stages(symbolic)?)))
}

/// The numbers that some strides are multiples of, each with the next, the least first.
fn moduli(sum: &AffineExpr) -> Vec<i64> {
    let strides: Vec<i64> = active(sum).filter_map(|at| sum.strides.get(at)?.checked_abs()).collect();
    let mut moduli: Vec<i64> = strides.iter().flat_map(|a| strides.iter().map(|b| gcd(*a, *b))).collect();
    moduli.retain(|modulus| (2..=LARGEST_MODULUS).contains(modulus));
    moduli.sort_unstable();
    moduli.dedup();
    moduli
}

/// What residues are multiplied by: 1, and what turns the step of a digit into a small number.
fn factors(sum: &AffineExpr, modulus: i64) -> Vec<i64> {
    let steps = active(sum).filter_map(|at| Some(sum.strides.get(at)?.rem_euclid(modulus)));
    let units = steps.filter(|step| gcd(*step, modulus) == 1).map(|step| inverse_of(step, modulus));
    let small = |unit: i64| (1..=MAX_RESIDUE_STEP).map(move |step| unit * step % modulus);
    let mut factors: Vec<i64> = [1].into_iter().chain(units.flat_map(small)).collect();
    factors.sort_unstable();
    factors.dedup();
    factors
}

/// The residue, where some digits vanish, others do not, and the rest does not wrap around.
fn residue(symbolic: &Symbolic, level: usize, modulus: i64, factor: i64) -> Option<Residue> {
    let own = symbolic.row.get(level)?;
    let mut sum = AffineExpr {
        offset: 0,
        flip: 0,
        strides: vec![0; symbolic.digits.len()],
        xors: vec![0; symbolic.digits.len()],
    };
    let (mut most, mut dropped) = (0i128, false);
    for at in active(own) {
        // Both are below the modulus, whose square fits.
        let step = own.strides.get(at)?.rem_euclid(modulus) * factor % modulus;
        // The shorter way around.
        let step = if step > modulus / 2 { step - modulus } else { step };
        dropped |= step == 0;
        let reach = i128::from(step) * i128::from(symbolic.digits.get(at)?.radix - 1);
        most += reach.abs();
        *sum.strides.get_mut(at)? = step;
        sum.offset -= i64::try_from(reach.min(0)).ok()?;
    }
    let left = sum.strides.iter().any(|step| *step != 0);
    (dropped && left && most < i128::from(modulus)).then_some(Residue { level, modulus, factor, sum })
}

impl Residue {
    fn added(&self, symbolic: &Symbolic) -> Option<Symbolic> {
        let mut more = symbolic.clone();
        more.row.insert(self.level + 1, self.sum.clone());
        Some(more)
    }

    /// The stages that insert the residue after its level.
    fn stages(&self, symbolic: &Symbolic) -> Option<Vec<Stage>> {
        let (at, origin) = (self.level + 1, symbolic.row.get(self.level)?.offset.checked_neg()?);
        let modulo = || Stage::Delinearise { at, radices: vec![self.modulus] };
        let low = |offset: i64, factor: i64| Stage::Linearise { at, count: 2, sums: vec![(offset, vec![factor, 0])] };
        let copy = Stage::Linearise { at: self.level, count: 1, sums: vec![(0, vec![1]), (origin, vec![1])] };
        Some(vec![copy, modulo(), low(self.sum.offset, self.factor), modulo(), low(0, 1)])
    }
}

/// The number that gives 1 with another, but for multiples of the modulus; both have no common divisor.
pub(super) fn inverse_of(number: i64, modulus: i64) -> i64 {
    let (mut high, mut low) = ((modulus, 0), (number, 1));
    while low.0 != 0 {
        let times = high.0 / low.0;
        (high, low) = (low, (high.0 - times * low.0, high.1 - times * low.1));
    }
    high.1.rem_euclid(modulus)
}

/// The digits that a sum reads.
pub(super) fn active(sum: &AffineExpr) -> impl Iterator<Item = usize> {
    let reads = sum.strides.iter().zip(&sum.xors).enumerate();
    reads.filter(|(_, (stride, xor))| **stride != 0 || **xor != 0).map(|(at, _)| at)
}
