//! XORs: parts are taken apart down to what is no XOR or digit, and one whose parts share no bits is a sum of digits.

use super::{Id, Masked, Node, Pool, Range, below, log2, overflow, shifted};
use bitstride::Error;

impl Pool {
    /// The XOR of a constant and of masked and shifted expressions.
    ///
    /// # Errors
    /// [`Code::Overflow`] where the result may not fit 63 bits, or bits of a negative integer are moved.
    pub(crate) fn xor(&mut self, flip: u64, terms: &[Masked]) -> Result<Id, Error> {
        let (flip, terms) = self.flat_xor(flip, terms)?;
        if terms.is_empty() {
            let number = i64::try_from(flip).map_err(|_| overflow())?;
            return self.constant(number);
        }
        if let Some(id) = self.as_sum(flip, &terms)? {
            return Ok(id);
        }
        self.add_xor(flip, terms)
    }

    pub(super) fn add_xor(&mut self, flip: u64, terms: Vec<Masked>) -> Result<Id, Error> {
        let ones = terms.iter().fold(flip, |ones, term| ones | shifted(term.mask, term.distance));
        let greatest = i64::try_from(ones).map_err(|_| overflow())?;
        self.add(Node::Xor { flip, terms }, Range { least: 0, greatest, ones })
    }

    /// The parts of an XOR: none is an XOR or a digit, each mask has only bits that may be set, and all bits of an
    /// expression that move equally far are one part.
    pub(super) fn flat_xor(&mut self, flip: u64, terms: &[Masked]) -> Result<(u64, Vec<Masked>), Error> {
        let mut flip = flip;
        let mut open = terms.to_vec();
        let mut done: Vec<Masked> = Vec::new();
        while let Some(term) = open.pop() {
            let known = self.known(term.of);
            if known.is_negative() {
                return Err(overflow());
            }
            let mask = term.mask & known.ones;
            if mask == 0 {
                continue;
            }
            let word = |n: i64| u64::try_from(n).unwrap_or(0);
            // Bits of the expression that is inside, moved by a further distance.
            let inside = |of: Id, further: i32, own: u64| Masked {
                of,
                distance: term.distance + further,
                mask: shifted(mask, -further) & own,
            };
            match self.node(term.of) {
                Node::Constant(n) => flip ^= shifted(word(*n) & mask, term.distance),
                Node::Mod(of, radix) if log2(*radix).is_some() && !self.known(*of).is_negative() => {
                    open.push(inside(*of, 0, word(*radix) - 1));
                }
                Node::Div(of, by) if !self.known(*of).is_negative() => match log2(*by) {
                    Some(distance) => open.push(inside(*of, -distance, u64::MAX)),
                    None => done.push(Masked { mask, ..term }),
                },
                Node::Xor { flip: own, terms } => {
                    flip ^= shifted(own & mask, term.distance);
                    open.extend(terms.iter().map(|part| inside(part.of, part.distance, part.mask)));
                }
                Node::Sum { offset, terms } if self.expand && *offset >= 0 => {
                    let bits: Vec<Option<u64>> = terms.iter().map(|term| self.bits_of(*term)).collect();
                    let apart = bits
                        .iter()
                        .try_fold(word(*offset), |all, own| own.filter(|own| all & own == 0).map(|own| all | own));
                    if apart.is_some() {
                        flip ^= shifted(word(*offset) & mask, term.distance);
                        let parts = terms.iter().map(|(id, factor)| inside(*id, log2(*factor).unwrap_or(0), u64::MAX));
                        open.extend(parts);
                    } else {
                        done.push(Masked { mask, ..term });
                    }
                }
                _ => done.push(Masked { mask, ..term }),
            }
        }
        done.sort_unstable();
        let mut merged: Vec<Masked> = Vec::new();
        for term in done {
            match merged.last_mut() {
                Some(last) if last.of == term.of && last.distance == term.distance => last.mask ^= term.mask,
                _ => merged.push(term),
            }
        }
        merged.retain(|term| term.mask != 0);
        Ok((flip, merged))
    }

    /// An XOR as a sum of digits, where no two parts have bits in common and each is a digit of its expression.
    pub(super) fn as_sum(&mut self, flip: u64, terms: &[Masked]) -> Result<Option<Id>, Error> {
        let mut all = flip;
        for term in terms {
            let own = shifted(term.mask, term.distance);
            let width = term.mask >> term.mask.trailing_zeros();
            // Zeros that the expression has too are no holes.
            let own_mask =
                self.known(term.of).ones & below(term.mask) & u64::MAX.wrapping_shl(term.mask.trailing_zeros());
            let is_digit = width & width.wrapping_add(1) == 0 || own_mask == term.mask;
            if all & own != 0 || !is_digit {
                return Ok(None);
            }
            all |= own;
        }
        let mut parts = Vec::with_capacity(terms.len());
        for term in terms {
            let low = term.mask.trailing_zeros();
            let high = u64::BITS - term.mask.leading_zeros();
            let power = |bits: u32| 1i64.checked_shl(bits).filter(|power| *power > 0).ok_or_else(overflow);
            let above = if low == 0 { term.of } else { self.div(term.of, power(low)?)? };
            let digit = if high >= 63 { above } else { self.modulo(above, power(high - low)?)? };
            let up = i64::from(low) + i64::from(term.distance);
            let up = u32::try_from(up).map_err(|_| overflow())?;
            parts.push((digit, power(up)?));
        }
        let offset = i64::try_from(flip).map_err(|_| overflow())?;
        self.sum(offset, &parts).map(Some)
    }
}

/// Parts without the bits that a distance moves below 0.
pub(super) fn above_zero(terms: Vec<Masked>) -> Vec<Masked> {
    let kept = terms.into_iter().map(|term| {
        let lost = if term.distance < 0 { shifted(1, -term.distance).wrapping_sub(1) } else { 0 };
        Masked { mask: term.mask & !lost, ..term }
    });
    kept.filter(|term| term.mask != 0).collect()
}
