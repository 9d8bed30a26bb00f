//! Index expressions as stages. Sums become linearise stages; divisions and remainders by constants become delinearise
//! stages; shifts and bit masks delinearise at powers of two; `^`, and a sum modulo 2, become XOR stages.
//!
//! Law: the stages give the value of the expression at every point of the box. No operator divides by 0 or reads a
//! negative number as bits there. Only intermediate numbers may exceed 64 bits.

use crate::error::Error;
use crate::index::{Operator, Tree};
use crate::map::wires::{AffineSum, Wires};
use crate::map::{Axis, Stage};

/// More integers at once are refused: each stage has a number for each of them.
const MAX_WIRES: usize = 192;

/// Stages, and the least and the most of each result.
type Stages = (Vec<Stage>, Vec<(i128, i128)>);

/// The stages of some trees, or none when an operator is no stage.
pub(in crate::map) fn stages(axes: &[Axis], trees: &[Tree]) -> Result<Option<Stages>, Error> {
    let ranges = axes.iter().map(|axis| (0, i128::from(axis.extent.max(1)) - 1)).collect();
    let mut writer = Writer { chain: Wires::after(Vec::new(), axes.len()), ranges, cuts: Vec::new() };
    let mut sums = Vec::new();
    for tree in trees {
        let Some(sum) = writer.tree(tree)? else { return Ok(None) };
        sums.push(sum);
    }
    let ranges: Vec<(i128, i128)> = sums.iter().map(|sum| writer.range(sum)).collect();
    let fits = |(least, most): &(i128, i128)| *least >= i128::from(i64::MIN) && *most < i128::from(i64::MAX);
    Ok(ranges.iter().all(fits).then(|| (writer.chain.finish(&sums), ranges)))
}

struct Writer {
    chain: Wires,
    /// The least and the most of each wire.
    ranges: Vec<(i128, i128)>,
    /// What was cut, at which radices, and the first wire that this left.
    cuts: Vec<(AffineSum, Vec<i64>, usize)>,
}

impl Writer {
    fn tree(&mut self, tree: &Tree) -> Result<Option<AffineSum>, Error> {
        let (operator, left, right) = match tree {
            Tree::Number(number) => return Ok(Some(constant(*number))),
            Tree::Coordinate(axis) => return Ok(Some(AffineSum::wire(*axis))),
            Tree::Binary(operator, left, right) => (*operator, left, right),
        };
        let (Some(left), Some(right)) = (self.tree(left)?, self.tree(right)?) else { return Ok(None) };
        Ok(match (operator, number(&left), number(&right)) {
            (_, Some(a), Some(b)) => operator.apply(a, b).ok().map(constant),
            (Operator::Add, ..) => add(&left, &right, 1),
            (Operator::Subtract, ..) => add(&left, &right, -1),
            (Operator::Multiply, Some(a), _) => scale(&right, a),
            (Operator::Multiply, _, Some(b)) => scale(&left, b),
            (Operator::Left, _, Some(bits)) if self.is_natural(&left) => {
                power(bits).and_then(|factor| scale(&left, factor))
            }
            (Operator::Right, _, Some(bits)) if self.is_natural(&left) => {
                power(bits).and_then(|radix| self.cut(&left, radix, 1))
            }
            (Operator::Divide, _, Some(radix)) if self.is_natural(&left) => self.cut(&left, radix, 1),
            (Operator::Remainder, _, Some(radix)) if self.is_natural(&left) => self.cut(&left, radix, 0),
            (Operator::FloorDivide, _, Some(radix)) => self.cut(&left, radix, 1),
            (Operator::Modulo, _, Some(radix)) => self.cut(&left, radix, 0),
            // Rounding up is rounding down of the negative number.
            (Operator::CeilDivide, _, Some(radix)) => {
                scale(&left, -1).and_then(|negative| self.cut(&negative, radix, 1)).and_then(|down| scale(&down, -1))
            }
            (Operator::And, _, Some(mask)) => self.mask(&left, mask),
            (Operator::And, Some(mask), _) => self.mask(&right, mask),
            (Operator::Or, _, Some(mask)) => self.or(&left, mask),
            (Operator::Or, Some(mask), _) => self.or(&right, mask),
            (Operator::Xor, ..) => self.xor(&left, &right),
            _ => None,
        })
    }

    fn range(&self, sum: &AffineSum) -> (i128, i128) {
        let (mut least, mut most) = (i128::from(sum.offset), i128::from(sum.offset));
        for (wire, stride) in &sum.terms {
            let (low, high) = self.ranges.get(*wire).copied().unwrap_or_default();
            let (a, b) = (low.saturating_mul(i128::from(*stride)), high.saturating_mul(i128::from(*stride)));
            least = least.saturating_add(a.min(b));
            most = most.saturating_add(a.max(b));
        }
        (least, most)
    }

    /// Whether a sum is always from 0 up, in 63 bits.
    fn is_natural(&self, sum: &AffineSum) -> bool {
        let (least, most) = self.range(sum);
        least >= 0 && most <= i128::from(i64::MAX)
    }

    /// A part of a sum cut at a radix: 0 is the remainder, 1 the quotient.
    fn cut(&mut self, sum: &AffineSum, radix: i64, part: usize) -> Option<AffineSum> {
        match (radix, part) {
            (1, 0) => Some(constant(0)),
            (1, _) => Some(sum.clone()),
            (2, 0) if sum.terms.len() > 1 || sum.offset != 0 => self.parity(sum),
            _ => Some(AffineSum::wire(self.split(sum, vec![radix])? + part)),
        }
    }

    /// A sum modulo 2: the XOR of the lowest bits of its terms.
    fn parity(&mut self, sum: &AffineSum) -> Option<AffineSum> {
        let mut bits = Vec::new();
        for (wire, _) in sum.terms.iter().filter(|(_, stride)| stride % 2 != 0) {
            let whole = AffineSum::wire(*wire);
            bits.push(if self.range(&whole) == (0, 1) { whole } else { self.cut(&whole, 2, 0)? });
        }
        let flip = sum.offset.rem_euclid(2);
        match bits.as_slice() {
            [] => Some(constant(flip)),
            [bit] if flip == 0 => Some(bit.clone()),
            [bit] => add(&constant(1), bit, -1),
            bits if bits.len() > 62 => None,
            bits => {
                let ins: Vec<(AffineSum, u32)> = bits.iter().map(|bit| (bit.clone(), 1)).collect();
                let at = self.chain.xor(&ins, vec![1], vec![1; ins.len()], u64::try_from(flip).ok()?);
                self.ranges.push((0, 1));
                Some(AffineSum::wire(at))
            }
        }
    }

    fn split(&mut self, sum: &AffineSum, radices: Vec<i64>) -> Option<usize> {
        let (mut least, mut most) = self.range(sum);
        let fits = least >= i128::from(i64::MIN) && most <= i128::from(i64::MAX);
        if !fits || radices.iter().any(|radix| *radix < 1) || self.ranges.len() + radices.len() >= MAX_WIRES {
            return None;
        }
        if let Some((.., first)) = self.cuts.iter().find(|(own, cuts, _)| own == sum && *cuts == radices) {
            return Some(*first);
        }
        for radix in radices.iter().map(|radix| i128::from(*radix)) {
            let (low, high) = (least.div_euclid(radix), most.div_euclid(radix));
            self.ranges.push(match low == high {
                true => (least.rem_euclid(radix), most.rem_euclid(radix)),
                false => (0, radix - 1),
            });
            (least, most) = (low, high);
        }
        self.ranges.push((least, most));
        let first = self.chain.split(sum, radices.clone());
        self.cuts.push((sum.clone(), radices, first));
        Some(first)
    }

    /// The bits of a sum that a mask has.
    fn mask(&mut self, sum: &AffineSum, mask: i64) -> Option<AffineSum> {
        let (_, most) = self.range(sum);
        if mask < 0 || !self.is_natural(sum) {
            return None;
        }
        // Runs of bits that are alike, as far as the sum has bits.
        let bits = 128 - most.leading_zeros();
        let (mut radices, mut kept, mut weight) = (Vec::new(), Vec::new(), 1i64);
        let mut bit = 0;
        while bit < bits {
            let set = mask >> bit & 1;
            let run = (bit..bits).take_while(|bit| mask >> bit & 1 == set).count();
            let run = u32::try_from(run).ok()?;
            let radix = 2i64.checked_pow(run);
            bit += run;
            if set == 1 {
                kept.push((radices.len(), weight));
            }
            if bit < bits {
                radices.push(radix?);
                weight = weight.checked_mul(radix?)?;
            }
        }
        if radices.is_empty() {
            return Some(if kept.is_empty() { constant(0) } else { sum.clone() });
        }
        let first = self.split(sum, radices)?;
        Some(AffineSum { offset: 0, terms: kept.into_iter().map(|(at, weight)| (first + at, weight)).collect() })
    }

    /// A sum with all bits of a mask set.
    fn or(&mut self, sum: &AffineSum, mask: i64) -> Option<AffineSum> {
        let rest = self.mask(sum, i64::MAX ^ mask)?;
        if mask < 0 { None } else { add(&rest, &constant(mask), 1) }
    }

    fn xor(&mut self, left: &AffineSum, right: &AffineSum) -> Option<AffineSum> {
        let bits = |sum: &AffineSum| self.is_natural(sum).then(|| 128 - self.range(sum).1.leading_zeros());
        let (a, b) = (bits(left)?, bits(right)?);
        if a == 0 || b == 0 {
            return Some(if a == 0 { right.clone() } else { left.clone() });
        }
        let unit = |bits: u32| (0..bits).map(|bit| 1u64 << bit);
        let wide = a.max(b);
        let (mut ins, mut columns, mut flip) = (Vec::new(), Vec::new(), 0);
        for (sum, bits) in [(left, a), (right, b)] {
            match number(sum) {
                Some(number) => flip ^= u64::try_from(number).ok()?,
                None => {
                    ins.push((sum.clone(), bits));
                    columns.extend(unit(bits));
                }
            }
        }
        if ins.iter().map(|(_, bits)| bits).sum::<u32>() > 64 {
            return None;
        }
        if self.ranges.len() >= MAX_WIRES {
            return None;
        }
        let at = self.chain.xor(&ins, vec![wide], columns, flip);
        self.ranges.push((0, (1i128 << wide) - 1));
        Some(AffineSum::wire(at))
    }
}

fn constant(number: i64) -> AffineSum {
    AffineSum { offset: number, terms: Vec::new() }
}

/// What a sum is when it has no terms.
fn number(sum: &AffineSum) -> Option<i64> {
    sum.terms.is_empty().then_some(sum.offset)
}

fn power(bits: i64) -> Option<i64> {
    u32::try_from(bits).ok().and_then(|bits| 2i64.checked_pow(bits))
}

fn scale(sum: &AffineSum, factor: i64) -> Option<AffineSum> {
    let terms = sum.terms.iter().map(|(wire, stride)| Some((*wire, stride.checked_mul(factor)?)));
    let terms: Vec<(usize, i64)> = terms.collect::<Option<_>>()?;
    let offset = sum.offset.checked_mul(factor)?;
    Some(AffineSum { offset, terms: terms.into_iter().filter(|(_, stride)| *stride != 0).collect() })
}

fn add(left: &AffineSum, right: &AffineSum, sign: i64) -> Option<AffineSum> {
    let mut sum = left.clone();
    sum.offset = sum.offset.checked_add(right.offset.checked_mul(sign)?)?;
    for (wire, stride) in &right.terms {
        let stride = stride.checked_mul(sign)?;
        match sum.terms.iter_mut().find(|(own, _)| own == wire) {
            Some((_, own)) => *own = own.checked_add(stride)?,
            None => sum.terms.push((*wire, stride)),
        }
    }
    sum.terms.retain(|(_, stride)| *stride != 0);
    Some(sum)
}
