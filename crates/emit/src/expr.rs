//! [`Pool`]: integer expressions with ranges, kept in a canonical form by the functions that make them.
//!
//! There are few kinds: constants, variables, sums with coefficients, quotients and remainders by positive constants that round
//! down, XORs of masked and shifted integers, and entries of a table. Each has a range, and the set of bits that it may have. The
//! rules use both: a remainder of what is small enough disappears, digits of one integer that follow each other become the integer
//! again, and what shares no bits is added or xored as is shorter.
//!
//! Law: what a function makes has the value that its name says, at all points of the box of the variables that pass the conditions
//! made before ([`Pool::assume_below`]). No intermediate result of an expression leaves 64 bits.

use std::collections::HashMap;

use bitstride::{Code, Error, error};

/// More expressions are refused.
const MAX_NODES: usize = 1 << 16;

/// An expression of a pool, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub(crate) usize);

/// A part of an XOR: `(of & mask) << distance`, or `>> -distance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Masked {
    /// Not negative where bits of it are moved.
    pub(crate) of: Id,
    /// How far its bits are moved up.
    pub(crate) distance: i32,
    /// Which of its bits are taken, before they are moved.
    pub(crate) mask: u64,
}

/// One expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A number.
    Constant(i64),
    /// A variable, by number.
    Variable(usize),
    /// An offset and coefficients times other expressions.
    Sum {
        /// What is always added.
        offset: i64,
        /// At least one; none is a sum itself.
        terms: Vec<(Id, i64)>,
    },
    /// The quotient by a positive constant, rounded down.
    Div(Id, i64),
    /// The remainder that belongs to it.
    Mod(Id, i64),
    /// The XOR of bits, none of which goes below 0.
    Xor {
        /// What is always xored.
        flip: u64,
        /// At least one.
        terms: Vec<Masked>,
    },
    /// An entry of a table of the pool.
    Entry(usize, Id),
}

/// From where to where the values of an expression go, and the bits that they may have where none is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The least value.
    pub(crate) least: i64,
    /// The greatest value.
    pub(crate) greatest: i64,
    /// Bits that no value has are 0.
    pub(crate) ones: u64,
}

impl Range {
    pub(crate) fn new(least: i64, greatest: i64) -> Self {
        let ones = if least < 0 { u64::MAX } else { below(greatest.unsigned_abs()) };
        Range { least, greatest, ones }
    }

    pub(crate) fn is_negative(self) -> bool {
        self.least < 0
    }
}

/// All bits up to the highest of a number.
fn below(greatest: u64) -> u64 {
    u64::MAX.checked_shr(greatest.leading_zeros()).unwrap_or(0)
}

/// Expressions over variables with known ranges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    nodes: Vec<Node>,
    /// What is known where all conditions hold that were made so far.
    known: Vec<Range>,
    /// What holds where conditions made before the node hold.
    made: Vec<Range>,
    index: HashMap<Node, Id>,
    /// The extents of the variables.
    extents: Vec<i64>,
    tables: Vec<Vec<i64>>,
    /// Whether an XOR takes the terms of a sum apart.
    expand: bool,
}

fn overflow() -> Error {
    Error::overflow("an integer of the emitted function")
}

fn narrow(n: i128) -> Result<i64, Error> {
    i64::try_from(n).map_err(|_| overflow())
}

fn shifted(word: u64, distance: i32) -> u64 {
    let by = distance.unsigned_abs();
    if distance >= 0 { word.checked_shl(by).unwrap_or(0) } else { word.checked_shr(by).unwrap_or(0) }
}

/// The distance that a factor moves bits up, where it is a power of two.
fn log2(factor: i64) -> Option<i32> {
    (factor > 0 && factor.unsigned_abs().is_power_of_two())
        .then(|| i32::try_from(factor.trailing_zeros()).unwrap_or(i32::MAX))
}

impl Pool {
    /// Expressions over variables, each from 0 to below its extent; with `expand`, XORs take sums apart.
    pub(crate) fn new(extents: &[i64], expand: bool) -> Self {
        Pool { extents: extents.to_vec(), expand, ..Pool::default() }
    }

    /// An expression.
    pub(crate) fn node(&self, id: Id) -> &Node {
        self.nodes.get(id.0).unwrap_or(&Node::Constant(0))
    }

    /// The table of an entry.
    pub(crate) fn table(&self, at: usize) -> &[i64] {
        self.tables.get(at).map_or(&[], Vec::as_slice)
    }

    /// How many tables there are.
    pub(crate) fn tables(&self) -> usize {
        self.tables.len()
    }

    /// The values of an expression where the conditions made before it hold.
    pub(crate) fn range(&self, id: Id) -> Range {
        self.made.get(id.0).copied().unwrap_or(Range::new(0, 0))
    }

    fn known(&self, id: Id) -> Range {
        self.known.get(id.0).copied().unwrap_or(Range::new(0, 0))
    }

    fn add(&mut self, node: Node, range: Range) -> Result<Id, Error> {
        if let Some(id) = self.index.get(&node) {
            return Ok(*id);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(error!(
                Code::TooLarge,
                "the function has more than {max_nodes} expressions",
                [max_nodes = MAX_NODES]
            ));
        }
        let id = Id(self.nodes.len());
        self.index.insert(node.clone(), id);
        self.nodes.push(node);
        self.known.push(range);
        self.made.push(range);
        Ok(id)
    }

    /// A number.
    ///
    /// # Errors
    /// `TooLarge` when the pool is full, as all that makes expressions.
    pub(crate) fn constant(&mut self, n: i64) -> Result<Id, Error> {
        let ones = u64::try_from(n).unwrap_or(u64::MAX);
        self.add(Node::Constant(n), Range { least: n, greatest: n, ones })
    }

    /// A variable.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] for one that the pool does not have.
    pub(crate) fn variable(&mut self, at: usize) -> Result<Id, Error> {
        let extent = self.extents.get(at).copied().ok_or_else(|| {
            error!(
                Code::RankMismatch,
                "variable {at} of {extents_count} is not there",
                [at, extents_count = self.extents.len()]
            )
        })?;
        self.add(Node::Variable(at), Range::new(0, extent.saturating_sub(1).max(0)))
    }

    /// From here on, an expression is from 0 to below an extent. Nothing where it always is; otherwise the condition is the
    /// caller's to check, before anything that is made afterwards is computed.
    pub(crate) fn assume_below(&mut self, id: Id, extent: i64) -> Option<Condition> {
        let known = self.known(id);
        if known.least >= 0 && known.greatest < extent {
            return None;
        }
        if let Some(range) = self.known.get_mut(id.0) {
            let next = Range::new(known.least.max(0), known.greatest.min(extent.saturating_sub(1)).max(0));
            *range = Range { ones: next.ones & known.ones, ..next };
        }
        Some(Condition { of: id, extent, from_zero: known.least >= 0 })
    }

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
    fn joined(&mut self, mut terms: Vec<(Id, i64)>) -> Result<Vec<(Id, i64)>, Error> {
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
    fn neighbours(&mut self, terms: &[(Id, i64)]) -> Result<Option<(Id, Id, Id, i64)>, Error> {
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
    fn regrouped(&mut self, offset: i64, terms: Vec<(Id, i64)>) -> Result<Vec<(Id, i64)>, Error> {
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
    fn bits_of(&self, (id, factor): (Id, i64)) -> Option<u64> {
        let (known, distance) = (self.known(id), log2(factor)?);
        let fits = known.least >= 0 && shifted(shifted(known.ones, distance), -distance) == known.ones;
        fits.then(|| shifted(known.ones, distance))
    }

    fn sum_range(&self, offset: i64, terms: &[(Id, i64)]) -> Result<Range, Error> {
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

    fn add_xor(&mut self, flip: u64, terms: Vec<Masked>) -> Result<Id, Error> {
        let ones = terms.iter().fold(flip, |ones, term| ones | shifted(term.mask, term.distance));
        let greatest = i64::try_from(ones).map_err(|_| overflow())?;
        self.add(Node::Xor { flip, terms }, Range { least: 0, greatest, ones })
    }

    /// The parts of an XOR: none is an XOR or a digit, each mask has only bits that may be set, and all bits of an
    /// expression that move equally far are one part.
    fn flat_xor(&mut self, flip: u64, terms: &[Masked]) -> Result<(u64, Vec<Masked>), Error> {
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
    fn as_sum(&mut self, flip: u64, terms: &[Masked]) -> Result<Option<Id>, Error> {
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

    /// The entry of a table at an index, which is below its length.
    ///
    /// # Errors
    /// [`Code::Range`] for an index that may lie outside of the table.
    pub(crate) fn entry(&mut self, table: &[i64], index: Id) -> Result<Id, Error> {
        let known = self.known(index);
        let [first, last] =
            [known.least, known.greatest].map(|end| usize::try_from(end).ok().and_then(|end| table.get(end)));
        if first.is_none() || last.is_none() {
            return Err(error!(
                Code::Range,
                "an index of a table of {table_count} entries leaves it",
                [table_count = table.len()]
            ));
        }
        let (least, greatest) = table.iter().fold((i64::MAX, i64::MIN), |(low, high), n| (low.min(*n), high.max(*n)));
        let at = self.tables.iter().position(|own| own == table).unwrap_or_else(|| {
            self.tables.push(table.to_vec());
            self.tables.len() - 1
        });
        self.add(Node::Entry(at, index), Range::new(least, greatest))
    }

    /// The value of an expression at a point.
    #[cfg(test)]
    fn at(&self, id: Id, point: &[i64]) -> i64 {
        let mut values: Vec<i64> = Vec::with_capacity(id.0 + 1);
        let of = |values: &[i64], id: Id| values.get(id.0).copied().unwrap_or(0);
        for node in self.nodes.iter().take(id.0 + 1) {
            values.push(match node {
                Node::Constant(n) => *n,
                Node::Variable(at) => point.get(*at).copied().unwrap_or(0),
                Node::Sum { offset, terms } => {
                    let sum = terms.iter().fold(i128::from(*offset), |sum, (id, factor)| {
                        sum + i128::from(of(&values, *id)) * i128::from(*factor)
                    });
                    i64::try_from(sum).unwrap_or(0)
                }
                Node::Div(id, by) => of(&values, *id).div_euclid(*by),
                Node::Mod(id, by) => of(&values, *id).rem_euclid(*by),
                Node::Xor { flip, terms } => {
                    let moved = |term: &Masked| {
                        shifted(u64::try_from(of(&values, term.of)).unwrap_or(0) & term.mask, term.distance)
                    };
                    let word = terms.iter().fold(*flip, |word, term| word ^ moved(term));
                    i64::try_from(word).unwrap_or(0)
                }
                Node::Entry(at, id) => {
                    let index = usize::try_from(of(&values, *id)).unwrap_or(usize::MAX);
                    self.table(*at).get(index).copied().unwrap_or(0)
                }
            });
        }
        of(&values, id)
    }
}

/// Parts without the bits that a distance moves below 0.
fn above_zero(terms: Vec<Masked>) -> Vec<Masked> {
    let kept = terms.into_iter().map(|term| {
        let lost = if term.distance < 0 { shifted(1, -term.distance).wrapping_sub(1) } else { 0 };
        Masked { mask: term.mask & !lost, ..term }
    });
    kept.filter(|term| term.mask != 0).collect()
}

fn positive(by: i64) -> Result<(), Error> {
    match by {
        1.. => Ok(()),
        _ => Err(error!(Code::Range, "{by} is no divisor of the emitted function", [by])),
    }
}

/// An expression that must be below an extent, and not below 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The expression.
    pub(crate) of: Id,
    /// What it must be below.
    pub(crate) extent: i64,
    /// Whether it is never below 0.
    pub(crate) from_zero: bool,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use super::*;
    use crate::code::Code;

    /// Random expressions over two variables, each beside its values at all points of the box.
    #[test]
    fn an_expression_has_the_value_of_its_name() {
        let mut state = 5u64;
        let mut below = move |bound: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(state >> 33).unwrap() % bound
        };
        let (mut made, mut refused) = (0, 0);
        for round in 0..400 {
            let extents = [1 + below(20), [8, 16, 24][usize::try_from(below(3)).unwrap()]];
            let points: Vec<[i64; 2]> = (0..extents[0]).flat_map(|x| (0..extents[1]).map(move |y| [x, y])).collect();
            let mut pool = Pool::new(&extents, round % 2 == 0);
            let mut all: Vec<(Id, Vec<i64>)> =
                (0..2).map(|at| (pool.variable(at).unwrap(), points.iter().map(|point| point[at]).collect())).collect();
            for _ in 0..12 {
                let mut pick = || usize::try_from(below(i64::try_from(all.len()).unwrap())).unwrap();
                let (one, other) = (all[pick()].clone(), all[pick()].clone());
                let number = [1, 2, 3, 4, 5, 8, 12, 16, 32][usize::try_from(below(9)).unwrap()];
                let (id, values): (_, Vec<i64>) = match below(5) {
                    0 => {
                        let (a, b) = (below(9) - 2, number);
                        let sum = one.1.iter().zip(&other.1).map(|(x, y)| a + number * x + b * y);
                        (pool.sum(a, &[(one.0, number), (other.0, b)]), sum.collect())
                    }
                    1 => (pool.div(one.0, number), one.1.iter().map(|x| x.div_euclid(number)).collect()),
                    2 | 3 => (pool.modulo(one.0, number), one.1.iter().map(|x| x.rem_euclid(number)).collect()),
                    _ => {
                        let flip = below(4).cast_unsigned();
                        let terms = [
                            Masked {
                                of: one.0,
                                distance: 2 - i32::try_from(below(5)).unwrap(),
                                mask: below(64).cast_unsigned(),
                            },
                            Masked { of: other.0, distance: 0, mask: u64::MAX },
                        ];
                        let term = |term: &Masked, x: i64| shifted(x.cast_unsigned() & term.mask, term.distance);
                        let kept = above_zero(terms.to_vec());
                        let value =
                            |(x, y): (&i64, &i64)| (flip ^ term(&terms[0], *x) ^ term(&terms[1], *y)).cast_signed();
                        (pool.xor(flip, &kept), one.1.iter().zip(&other.1).map(value).collect())
                    }
                };
                let Ok(id) = id else {
                    refused += 1;
                    continue;
                };
                let code = Code::of(&pool, &[], &[id]);
                for (point, value) in points.iter().zip(&values) {
                    assert_eq!(pool.at(id, point), *value, "{:?} at {point:?}", pool.node(id));
                    let range = pool.range(id);
                    assert!(range.least <= *value && *value <= range.greatest, "{:?} {range:?} {value}", pool.node(id));
                    assert!(*value < 0 || value.cast_unsigned() & !range.ones == 0, "{:?} {range:?}", pool.node(id));
                    if let Ok(code) = &code {
                        assert_eq!(code.values(point)[code.results[0].0], *value, "{:?} {:?}", pool.node(id), code.ops);
                    }
                }
                made += 1;
                all.push((id, values));
            }
        }
        assert!(made > 4000 && refused < 400, "{made} {refused}");
    }
}
