//! Quotients and remainders by positive constants: what is small enough disappears, and what divides leaves the sum.

use super::xor::above_zero;
use super::{Id, Masked, Node, Pool, Range, log2, overflow, shifted};
use bitstride::{Code, Error, error};

impl Pool {
    /// The quotient by a positive number, rounded down.
    ///
    /// # Errors
    /// [`Code::Overflow`], and [`Code::Range`] for a divisor that is not positive.
    pub(crate) fn div(&mut self, of: Id, by: i64) -> Result<Id, Error> {
        positive(by)?;
        let known = self.known(of);
        let (least, greatest) = (known.least.div_euclid(by), known.greatest.div_euclid(by));
        if by == 1 {
            return Ok(of);
        }
        if least == greatest {
            return self.constant(least);
        }
        match self.node(of).clone() {
            Node::Div(inner, before) => {
                if let Some(both) = before.checked_mul(by) {
                    return self.div(inner, both);
                }
            }
            Node::Mod(inner, radix) if radix % by == 0 => {
                let inner = self.div(inner, by)?;
                return self.modulo(inner, radix / by);
            }
            Node::Xor { flip, terms } => {
                if let Some(distance) = log2(by) {
                    let terms: Vec<Masked> =
                        terms.iter().map(|term| Masked { distance: term.distance - distance, ..*term }).collect();
                    return self.xor(shifted(flip, -distance), &above_zero(terms));
                }
            }
            Node::Sum { offset, terms } => {
                let (whole, part): (Vec<_>, Vec<_>) = terms.into_iter().partition(|(_, factor)| factor % by == 0);
                let rest = self.sum(offset.rem_euclid(by), &part)?;
                let known = self.known(rest);
                let mut quotients: Vec<(Id, i64)> = whole.into_iter().map(|(id, factor)| (id, factor / by)).collect();
                let carried = offset.div_euclid(by);
                if known.least >= 0 && known.greatest < by {
                    return self.sum(carried, &quotients);
                }
                let divided = self.div_sum(rest, by)?;
                quotients.push((divided, 1));
                return self.sum(carried, &quotients);
            }
            _ => {}
        }
        let mut range = Range::new(least, greatest);
        if let (Some(distance), true) = (log2(by), least >= 0) {
            range.ones &= shifted(known.ones, -distance);
        }
        self.add(Node::Div(of, by), range)
    }

    /// The quotient of a sum none of whose coefficients the divisor divides.
    fn div_sum(&mut self, of: Id, by: i64) -> Result<Id, Error> {
        let known = self.known(of);
        let (least, greatest) = (known.least.div_euclid(by), known.greatest.div_euclid(by));
        let Node::Sum { offset, terms } = self.node(of).clone() else { return self.div(of, by) };
        let common = terms.iter().fold(by, |common, (_, factor)| bitstride::gcd(common, *factor));
        if common > 1 {
            let terms: Vec<(Id, i64)> = terms.iter().map(|(id, factor)| (*id, factor / common)).collect();
            let smaller = self.sum(offset.div_euclid(common), &terms)?;
            return self.div(smaller, by / common);
        }
        if least == greatest {
            return self.constant(least);
        }
        self.add(Node::Div(of, by), Range::new(least, greatest))
    }

    /// The remainder by a positive number, never negative.
    ///
    /// # Errors
    /// As [`Pool::div`].
    pub(crate) fn modulo(&mut self, of: Id, by: i64) -> Result<Id, Error> {
        positive(by)?;
        if by == 1 {
            return self.constant(0);
        }
        let known = self.known(of);
        let turns = known.least.div_euclid(by);
        if turns == known.greatest.div_euclid(by) {
            let back = turns.checked_mul(by).and_then(i64::checked_neg).ok_or_else(overflow)?;
            return self.sum(back, &[(of, 1)]);
        }
        match self.node(of).clone() {
            Node::Mod(inner, radix) if radix % by == 0 => return self.modulo(inner, by),
            Node::Xor { flip, terms } => {
                if let Some(distance) = log2(by) {
                    let low = shifted(1, distance).wrapping_sub(1);
                    let terms: Vec<Masked> = terms
                        .iter()
                        .map(|term| Masked { mask: term.mask & shifted(low, -term.distance), ..*term })
                        .filter(|term| term.mask != 0)
                        .collect();
                    return self.xor(flip & low, &terms);
                }
            }
            Node::Sum { offset, terms } => {
                // Coefficients matter modulo the divisor only.
                let reduced =
                    |(id, factor): (Id, i64)| (id, if factor.abs() < by { factor } else { factor.rem_euclid(by) });
                let part: Vec<(Id, i64)> =
                    terms.iter().copied().map(reduced).filter(|(_, factor)| *factor != 0).collect();
                let rest = self.sum(offset.rem_euclid(by), &part)?;
                let known = self.known(rest);
                if known.least.div_euclid(by) == known.greatest.div_euclid(by) || rest != of {
                    return self.modulo(rest, by);
                }
                let common = part.iter().fold(by, |common, (_, factor)| bitstride::gcd(common, *factor));
                if common > 1 {
                    let part: Vec<(Id, i64)> = part.iter().map(|(id, factor)| (*id, factor / common)).collect();
                    let smaller = self.sum(offset.div_euclid(common), &part)?;
                    let low = self.modulo(smaller, by / common)?;
                    return self.sum(offset.rem_euclid(common), &[(low, common)]);
                }
            }
            _ => {}
        }
        let mut range = Range::new(0, by - 1);
        if let (Some(distance), false) = (log2(by), known.is_negative()) {
            range.ones &= known.ones & shifted(1, distance).wrapping_sub(1);
        }
        self.add(Node::Mod(of, by), range)
    }
}

fn positive(by: i64) -> Result<(), Error> {
    match by {
        1.. => Ok(()),
        _ => Err(error!(Code::Range, "{by} is no divisor of the emitted function", [by])),
    }
}
