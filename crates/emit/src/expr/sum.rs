//! Sums: terms that are digits of one integer join, and terms that share no bits with an XOR become parts of it.

use super::{Id, Masked, Node, Pool, Range, log2, narrow, overflow, shifted};
use bitstride::Error;

impl Pool {
    /// The sum of an offset and coefficients times expressions.
    ///
    /// # Errors
    /// [`Code::Overflow`] where a partial sum, in any order, may leave 64 bits.
    pub(crate) fn sum(&mut self, offset: i64, terms: &[(Id, i64)]) -> Result<Id, Error> {
        let mut flat: Vec<(Id, i64)> = Vec::new();
        let mut offset = i128::from(offset);
        for (id, factor) in terms {
            match self.node(*id) {
                Node::Constant(n) => offset += i128::from(*n) * i128::from(*factor),
                Node::Sum { offset: own, terms } => {
                    offset += i128::from(*own) * i128::from(*factor);
                    for (id, inner) in terms {
                        flat.push((*id, inner.checked_mul(*factor).ok_or_else(overflow)?));
                    }
                }
                _ => flat.push((*id, *factor)),
            }
        }
        let flat = self.joined(flat)?;
        let offset = narrow(offset)?;
        if flat.is_empty() {
            return self.constant(offset);
        }
        if let ([(id, 1)], 0) = (flat.as_slice(), offset) {
            return Ok(*id);
        }
        let flat = self.regrouped(offset, flat)?;
        if let ([(id, 1)], 0) = (flat.as_slice(), offset) {
            return Ok(*id);
        }
        let range = self.sum_range(offset, &flat)?;
        self.add(Node::Sum { offset, terms: flat }, range)
    }

    /// Terms with neighbouring digits of one integer as fewer digits, and equal ones as one.
    pub(super) fn joined(&mut self, mut terms: Vec<(Id, i64)>) -> Result<Vec<(Id, i64)>, Error> {
        loop {
            terms.sort_unstable();
            let mut merged: Vec<(Id, i64)> = Vec::with_capacity(terms.len());
            for (id, factor) in terms {
                match merged.last_mut() {
                    Some((last, sum)) if *last == id => *sum = sum.checked_add(factor).ok_or_else(overflow)?,
                    _ => merged.push((id, factor)),
                }
            }
            merged.retain(|(_, factor)| *factor != 0);
            terms = merged;
            let Some((low, high, whole, factor)) = self.neighbours(&terms)? else { return Ok(terms) };
            terms.retain(|(id, _)| *id != low && *id != high);
            terms.push((whole, factor));
        }
    }

    /// Two digits of one integer, the digit that both are together, and its coefficient.
    pub(super) fn neighbours(&mut self, terms: &[(Id, i64)]) -> Result<Option<(Id, Id, Id, i64)>, Error> {
        for (low, factor) in terms {
            let Node::Mod(of, radix) = *self.node(*low) else { continue };
            let Some(above) = factor.checked_mul(radix) else { continue };
            if !terms.iter().any(|(_, factor)| *factor == above) {
                continue;
            }
            let rest = self.div(of, radix)?;
            for (high, _) in terms.iter().filter(|(_, factor)| *factor == above) {
                let whole = match *self.node(*high) {
                    _ if *high == rest => Some(of),
                    Node::Mod(inner, more) if inner == rest => match radix.checked_mul(more) {
                        Some(both) => Some(self.modulo(of, both)?),
                        None => None,
                    },
                    _ => None,
                };
                let Some(whole) = whole else { continue };
                // A sum may have both digits as its terms.
                if !matches!(self.node(whole), Node::Constant(_) | Node::Sum { .. }) {
                    return Ok(Some((*low, *high, whole, *factor)));
                }
            }
        }
        Ok(None)
    }

    /// Where an XOR is a term and shares no bits with others, these join it.
    pub(super) fn regrouped(&mut self, offset: i64, terms: Vec<(Id, i64)>) -> Result<Vec<(Id, i64)>, Error> {
        let xors =
            terms.iter().filter(|(id, factor)| log2(*factor).is_some() && matches!(self.node(*id), Node::Xor { .. }));
        if xors.count() == 0 || terms.len() < 2 {
            return Ok(terms);
        }
        let bits: Vec<Option<u64>> = terms.iter().map(|term| self.bits_of(*term)).collect();
        let is_alone = |at: usize| {
            let Some(Some(own)) = bits.get(at) else { return false };
            let others = bits.iter().enumerate().filter(|(other, _)| *other != at);
            let shared = others.fold(offset.unsigned_abs(), |all, (_, bits)| all | bits.unwrap_or(u64::MAX));
            offset >= 0 && own & shared == 0
        };
        let (mut alone, mut rest) = (Vec::new(), Vec::new());
        for (at, term) in terms.iter().enumerate() {
            match log2(term.1).filter(|_| is_alone(at)) {
                Some(distance) => alone.push(Masked { of: term.0, distance, mask: u64::MAX }),
                None => rest.push(*term),
            }
        }
        let has_xor = alone.iter().any(|term| matches!(self.node(term.of), Node::Xor { .. }));
        if alone.len() < 2 || !has_xor {
            return Ok(terms);
        }
        let both = self.flat_xor(0, &alone)?;
        match both {
            (0, parts) if !parts.is_empty() => {
                let joined = self.add_xor(0, parts)?;
                rest.push((joined, 1));
                rest.sort_unstable();
                Ok(rest)
            }
            _ => Ok(terms),
        }
    }

    /// The bits that a term of a sum may set, where its coefficient is a power of two and it is never negative.
    pub(super) fn bits_of(&self, (id, factor): (Id, i64)) -> Option<u64> {
        let (known, distance) = (self.known(id), log2(factor)?);
        let fits = known.least >= 0 && shifted(shifted(known.ones, distance), -distance) == known.ones;
        fits.then(|| shifted(known.ones, distance))
    }

    pub(super) fn sum_range(&self, offset: i64, terms: &[(Id, i64)]) -> Result<Range, Error> {
        let (mut least, mut greatest) = (i128::from(offset), i128::from(offset));
        let mut size = least.abs();
        // Bits that each part may have, and whether they are apart; all parts are multiples of one power of two.
        let mut ones = u64::try_from(offset).ok();
        let mut unit = if offset == 0 { 63 } else { offset.trailing_zeros() };
        for (id, factor) in terms {
            let known = self.known(*id);
            let ends = [known.least, known.greatest].map(|end| i128::from(end) * i128::from(*factor));
            let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            (least, greatest) = (least + low, greatest + high);
            size += low.abs().max(high.abs());
            if size > i128::from(i64::MAX) {
                return Err(overflow());
            }
            ones =
                ones.zip(self.bits_of((*id, *factor))).filter(|(all, own)| all & own == 0).map(|(all, own)| all | own);
            let trailing = if known.ones == 0 { 0 } else { known.ones.trailing_zeros() };
            unit = unit.min(factor.trailing_zeros() + trailing);
        }
        let range = Range::new(narrow(least)?, narrow(greatest)?);
        let multiple = u64::MAX.checked_shl(unit).unwrap_or(0);
        let bits = if range.least < 0 { u64::MAX } else { range.ones & multiple };
        Ok(Range { ones: ones.map_or(bits, |ones| ones & bits), ..range })
    }
}
