//! [`LowBits`]: invertible maps of the integers that change low bits only, such as a swizzle after an offset.
//!
//! A step adds a number, or multiplies the low bits of an integer by an invertible matrix over GF(2) and XORs a
//! constant. Law: `F(v + 2^bits) = F(v) + 2^bits`, so that the values of `F` below `2^bits` determine it. `F` followed
//! by its inverse is the identity.

use super::symbolic::Symbolic;
use super::{Form, Map, Stage};
use crate::cast::length;
use crate::linear::Echelon;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LowStep {
    /// Adds a number.
    Add(i64),
    /// Sends each low bit to a column; all that are set are xored, with the constant.
    Xor {
        /// What each bit is sent to, the lowest first: an invertible matrix.
        columns: Vec<u64>,
        /// What is xored everywhere.
        flip: u64,
    },
}

/// Up to how many different residues of low bits are looked at: two to that power.
const MAX_BITS: u32 = 20;

/// What a map of low bits adds to the sums of a form: it depends on their low bits.
pub(super) struct Added {
    origin: i64,
    /// The sums differ from the one at the origin by multiples of two to that power.
    pub(super) unit: u32,
    /// What is added, for all low bits that a sum can have: the first are those of the origin.
    pub(super) values: Vec<i128>,
}

/// Steps, the first applied first.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct LowBits {
    pub(super) steps: Vec<LowStep>,
}

impl LowBits {
    /// Takes the steps at the end of a map to one coordinate off it: the map that is left leads to what they take.
    pub(super) fn split_off(map: &Map) -> (Map, LowBits) {
        let mut stages = map.stages.clone();
        let mut steps = Vec::new();
        while map.codomain.len() == 1 {
            if let [.., Stage::Linearise { at: 0, count: 1, sums }] = stages.as_slice()
                && let [(offset, strides)] = sums.as_slice()
                && strides.as_slice() == [1]
            {
                steps.push(LowStep::Add(*offset));
                stages.pop();
                continue;
            }
            let [.., Stage::Delinearise { at: 0, radices }, Stage::Xor { at: 0, ins, outs, columns, flip }, join] =
                stages.as_slice()
            else {
                break;
            };
            let ([bits], true, [radix]) = (ins.as_slice(), ins == outs, radices.as_slice()) else { break };
            let Stage::Linearise { at: 0, count: 2, sums } = join else { break };
            let [(offset, strides)] = sums.as_slice() else { break };
            let whole = 1i64.checked_shl(*bits).filter(|whole| *whole > 0) == Some(*radix);
            if !whole || strides.as_slice() != [1, *radix] || Echelon::of(columns).rank() != *bits {
                break;
            }
            steps.push(LowStep::Add(*offset));
            steps.push(LowStep::Xor { columns: columns.clone(), flip: *flip });
            stages.truncate(stages.len() - 3);
        }
        steps.reverse();
        let inner = Map { stages, codomain_exact: false, ..map.clone() };
        (inner, LowBits { steps })
    }

    /// These steps and then others.
    pub(super) fn then(&self, next: &LowBits) -> LowBits {
        LowBits { steps: [self.steps.as_slice(), &next.steps].concat() }
    }

    /// The steps that undo these.
    pub(super) fn inverse(&self) -> Option<LowBits> {
        let undone = |step: &LowStep| match step {
            LowStep::Add(number) => number.checked_neg().map(LowStep::Add),
            LowStep::Xor { columns, flip } => {
                let echelon = Echelon::of(columns);
                let back = |bit: usize| echelon.express(1u64.checked_shl(u32::try_from(bit).ok()?)?);
                let columns = (0..columns.len()).map(back).collect::<Option<Vec<u64>>>()?;
                let flip = image(&columns, *flip);
                Some(LowStep::Xor { columns, flip })
            }
        };
        self.steps.iter().rev().map(undone).collect::<Option<_>>().map(|steps| LowBits { steps })
    }

    /// The same map in the fewest steps that follow from joining neighbours.
    pub(super) fn merged(&self) -> LowBits {
        let mut merged: Vec<LowStep> = Vec::new();
        for step in &self.steps {
            let joined = match (merged.last(), step) {
                (Some(LowStep::Add(a)), LowStep::Add(b)) => a.checked_add(*b).map(LowStep::Add),
                (Some(LowStep::Xor { columns, flip }), LowStep::Xor { columns: next, flip: last }) => {
                    let width = columns.len().max(next.len());
                    let (first, next) = (widened(columns, width), widened(next, width));
                    let columns = first.iter().map(|column| image(&next, *column)).collect();
                    Some(LowStep::Xor { columns, flip: image(&next, *flip) ^ last })
                }
                _ => None,
            };
            if joined.is_some() {
                merged.pop();
            }
            let step = joined.unwrap_or_else(|| step.clone()).trimmed();
            if !step.is_identity() {
                merged.push(step);
            }
        }
        LowBits { steps: merged }
    }

    /// What the map adds to the sums of a form to one coordinate without patterns; none where there are too many low bits.
    pub(super) fn added(&self, form: &Form) -> Option<Added> {
        let [sum] = form.sums.as_slice() else { return None };
        if sum.mask() != 0 {
            return None;
        }
        // Sums within some bits are distinguished by those and a sign.
        let (least, most) = Symbolic::from_form(form).range(sum);
        let reach = i128::BITS - most.max(-1 - least).max(0).leading_zeros();
        let bits = self.bits().min(reach + 1);
        let whole = bits == self.bits();
        let common = sum.strides.iter().filter(|stride| **stride != 0).map(|stride| stride.trailing_zeros()).min();
        let unit = common.unwrap_or(bits).min(bits);
        if bits - unit > MAX_BITS {
            return None;
        }
        let modulus = 1i128 << bits;
        let added = |place: i128| {
            let low = (i128::from(sum.offset) + (place << unit)).rem_euclid(modulus);
            let number = if whole || low < modulus / 2 { low } else { low - modulus };
            self.apply(number) - number
        };
        let values = (0..1i128 << (bits - unit)).map(added).collect();
        Some(Added { origin: sum.offset, unit, values })
    }

    /// How many low bits are changed: the map is determined by its values below two to that power.
    pub(super) fn bits(&self) -> u32 {
        let width = |step: &LowStep| match step {
            LowStep::Add(_) => 0,
            LowStep::Xor { columns, .. } => u32::try_from(columns.len()).unwrap_or(u32::MAX),
        };
        self.steps.iter().map(width).max().unwrap_or(0)
    }

    /// What an integer is sent to.
    pub(super) fn apply(&self, number: i128) -> i128 {
        self.steps.iter().fold(number, |number, step| step.apply(number))
    }
}

impl Added {
    /// The residue of a sum: the index of the number that is added to it.
    pub(super) fn residue(&self, sum: i64) -> Option<i64> {
        let steps = (i128::from(sum) - i128::from(self.origin)) >> self.unit;
        i64::try_from(steps.rem_euclid(i128::from(length(self.values.len())))).ok()
    }
}

impl LowStep {
    fn is_identity(&self) -> bool {
        match self {
            LowStep::Add(number) => *number == 0,
            LowStep::Xor { columns, .. } => columns.is_empty(),
        }
    }

    /// Without the highest bits that stay as they are and that nothing else is sent to.
    pub(super) fn trimmed(mut self) -> LowStep {
        if let LowStep::Xor { columns, flip } = &mut self {
            while let Some((top, below)) = columns.split_last() {
                let unit = unit(below.len());
                if *top != unit || *flip & unit != 0 || below.iter().any(|column| column & unit != 0) {
                    break;
                }
                columns.pop();
            }
        }
        self
    }

    pub(super) fn apply(&self, number: i128) -> i128 {
        match self {
            LowStep::Add(more) => number.saturating_add(i128::from(*more)),
            LowStep::Xor { columns, flip } => {
                let below = 1i128 << columns.len().min(64);
                let low = number.rem_euclid(below);
                let word = u64::try_from(low).unwrap_or(0);
                number - low + i128::from(image(columns, word) ^ flip)
            }
        }
    }
}

/// The image of an integer.
fn image(columns: &[u64], word: u64) -> u64 {
    crate::linear::ones(word).filter_map(|bit| columns.get(bit)).fold(0, |image, column| image ^ column)
}

/// A matrix on more bits, which it leaves as they are.
fn widened(columns: &[u64], width: usize) -> Vec<u64> {
    columns.iter().copied().chain((columns.len()..width).map(unit)).collect()
}

fn unit(bit: usize) -> u64 {
    u32::try_from(length(bit)).ok().and_then(|bit| 1u64.checked_shl(bit)).unwrap_or(0)
}
