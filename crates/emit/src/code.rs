//! [`Code`]: expressions as operations of a machine, each computed once and the cheapest that serves.
//!
//! Digits of powers of two become masks and shifts, other divisions are of integers that are not negative, and products are
//! shifts where they can be. Law: an operation has the value of its expression.

use std::collections::HashMap;

use bitstride::Error;

use crate::expr::{Condition, Id, Masked, Node, Pool, Range};

/// The result of an operation, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ref(pub(crate) usize);

/// What is done with two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    /// Of integers that are not negative.
    Div,
    Mod,
    Shl,
    /// Rounds down.
    Shr,
    And,
    Xor,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Number(i64),
    Argument(usize),
    Binary(Binary, Ref, Ref),
    /// The entry of a table.
    Entry(usize, Ref),
}

/// What is done in order: conditions come before what is computed only where they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) of: Ref,
    pub(crate) extent: i64,
    pub(crate) from_zero: bool,
    /// How many operations come before it.
    pub(crate) after: usize,
}

/// A kind of integers: of 32 or 64 bits, with or without a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width {
    pub(crate) signed: bool,
    pub(crate) wide: bool,
}

/// Operations, the conditions among them, and which are the results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) checks: Vec<Check>,
    pub(crate) results: Vec<Ref>,
    pub(crate) tables: Vec<Vec<i64>>,
    index: HashMap<Op, Ref>,
    /// The result of an expression.
    done: HashMap<Id, Ref>,
    /// How often an expression is read.
    uses: HashMap<Id, usize>,
}

impl Code {
    /// Whether some operation reads an argument.
    pub(crate) fn reads(&self, argument: usize) -> bool {
        self.ops.contains(&Op::Argument(argument))
    }

    /// The operations of some results, after the conditions.
    pub(crate) fn of(pool: &Pool, conditions: &[Condition], results: &[Id]) -> Result<Code, Error> {
        let mut code =
            Code { tables: (0..pool.tables()).map(|at| pool.table(at).to_vec()).collect(), ..Code::default() };
        for id in conditions.iter().map(|condition| condition.of).chain(results.iter().copied()) {
            code.count(pool, id);
        }
        for condition in conditions {
            let of = code.lower(pool, condition.of)?;
            let Condition { extent, from_zero, .. } = *condition;
            code.checks.push(Check { of, extent, from_zero, after: code.ops.len() });
        }
        for result in results {
            let of = code.lower(pool, *result)?;
            code.results.push(of);
        }
        Ok(code)
    }

    /// What it costs: additions, masks and shifts 1, products 3, divisions 8.
    pub(crate) fn cost(&self) -> usize {
        let cost = |op: &Op| match op {
            Op::Number(_) | Op::Argument(_) => 0,
            Op::Binary(Binary::Mul, ..) => 3,
            Op::Binary(Binary::Div | Binary::Mod, ..) => 8,
            Op::Binary(..) => 1,
            Op::Entry(..) => 4,
        };
        self.ops.iter().map(cost).sum::<usize>() + self.checks.len()
    }

    /// How many operations there are, without numbers and arguments.
    pub(crate) fn count_ops(&self) -> usize {
        self.ops.iter().filter(|op| !matches!(op, Op::Number(_) | Op::Argument(_))).count() + self.checks.len()
    }

    /// The narrowest integers that all values fit; with `sign`, also the least of them is no value, so that -1 says padding.
    pub(crate) fn width(&self, sign: bool) -> Width {
        let signed = self.ranges.iter().any(|range| range.is_negative());
        let least = if signed { i64::from(i32::MIN) } else { 0 };
        let greatest = if signed || sign { i64::from(i32::MAX) } else { i64::from(u32::MAX) };
        let ends = self.ranges.iter().map(|range| (range.least, range.greatest));
        let checked = self.checks.iter().map(|check| (0, check.extent));
        let wide = ends.chain(checked).any(|(low, high)| low < least || high > greatest);
        Width { signed, wide }
    }

    fn count(&mut self, pool: &Pool, id: Id) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let uses = self.uses.entry(id).or_default();
            *uses += 1;
            if *uses > 1 {
                continue;
            }
            match pool.node(id) {
                Node::Constant(_) | Node::Variable(_) => {}
                Node::Sum { terms, .. } => open.extend(terms.iter().map(|(id, _)| *id)),
                Node::Div(of, _) | Node::Mod(of, _) | Node::Entry(_, of) => open.push(*of),
                Node::Xor { terms, .. } => open.extend(terms.iter().map(|term| term.of)),
            }
        }
    }

    fn range(&self, of: Ref) -> Range {
        self.ranges.get(of.0).copied().unwrap_or(Range::new(0, 0))
    }

    fn push(&mut self, op: Op, range: Range) -> Ref {
        if let Some(known) = self.index.get(&op) {
            return *known;
        }
        let at = Ref(self.ops.len());
        self.index.insert(op, at);
        self.ops.push(op);
        self.ranges.push(range);
        at
    }

    fn number(&mut self, n: i64) -> Ref {
        self.push(Op::Number(n), Range::new(n, n))
    }

    /// An operation with the range that its operands give.
    fn binary(&mut self, binary: Binary, left: Ref, right: Ref) -> Result<Ref, Error> {
        let (a, b) = (self.range(left), self.range(right));
        let [al, ag, bl, bg] = [a.least, a.greatest, b.least, b.greatest].map(i128::from);
        let power = |n: i128| 1i128 << n.clamp(0, 62);
        let (least, greatest) = match binary {
            Binary::Add => (al + bl, ag + bg),
            Binary::Sub => (al - bg, ag - bl),
            Binary::Mul => {
                let ends = [al * bl, al * bg, ag * bl, ag * bg];
                (ends.into_iter().min().unwrap_or(0), ends.into_iter().max().unwrap_or(0))
            }
            Binary::Div => (al.div_euclid(bl.max(1)), ag.div_euclid(bl.max(1))),
            Binary::Mod => (0, ag.min(bg - 1)),
            Binary::Shl => (al * power(bl), ag * power(bg)),
            Binary::Shr => (al.div_euclid(power(bl)), ag.div_euclid(power(bg))),
            Binary::And if a.is_negative() => (0, bg),
            Binary::And => (0, i128::from(a.ones & b.ones).min(ag).min(bg)),
            Binary::Xor => (0, i128::from(a.ones | b.ones)),
        };
        let fit = |n: i128| i64::try_from(n).map_err(|_| Error::overflow("an integer of the emitted function"));
        let mut range = Range::new(fit(least)?, fit(greatest)?);
        range.ones &= match (binary, self.constant(right)) {
            (Binary::And, _) if !a.is_negative() => a.ones & b.ones,
            (Binary::And, Some(mask)) => u64::try_from(mask).unwrap_or(u64::MAX),
            (Binary::Shl, Some(by)) if !a.is_negative() => a.ones.wrapping_shl(u32::try_from(by).unwrap_or(0)),
            (Binary::Shr, Some(by)) if !a.is_negative() => a.ones.wrapping_shr(u32::try_from(by).unwrap_or(0)),
            _ => u64::MAX,
        };
        Ok(self.push(Op::Binary(binary, left, right), range))
    }

    fn with_number(&mut self, binary: Binary, left: Ref, right: i64) -> Result<Ref, Error> {
        let right = self.number(right);
        self.binary(binary, left, right)
    }

    fn constant(&self, of: Ref) -> Option<i64> {
        match self.ops.get(of.0) {
            Some(Op::Number(n)) => Some(*n),
            _ => None,
        }
    }

    /// The operation of an expression.
    fn lower(&mut self, pool: &Pool, id: Id) -> Result<Ref, Error> {
        if let Some(done) = self.done.get(&id) {
            return Ok(*done);
        }
        let made = match pool.node(id) {
            Node::Constant(n) => self.number(*n),
            Node::Variable(at) => self.push(Op::Argument(*at), pool.range(id)),
            Node::Sum { offset, terms } => self.sum(pool, *offset, terms)?,
            Node::Div(..) | Node::Mod(..) => match self.as_masked(pool, id, 0) {
                Some(term) => self.masked(pool, term)?,
                None => self.divided(pool, id)?,
            },
            Node::Xor { flip, terms } => {
                let mut all: Option<Ref> = None;
                // What moves furthest up comes first, as the highest part of a number is written first.
                let mut terms = terms.clone();
                terms.sort_by_key(|term| std::cmp::Reverse(term.distance));
                for term in terms {
                    let part = self.masked(pool, term)?;
                    all = Some(match all {
                        Some(all) => self.binary(Binary::Xor, all, part)?,
                        None => part,
                    });
                }
                match (all, i64::try_from(*flip).unwrap_or(0)) {
                    (Some(all), 0) => all,
                    (Some(all), flip) => self.with_number(Binary::Xor, all, flip)?,
                    (None, flip) => self.number(flip),
                }
            }
            Node::Entry(table, index) => {
                let index = self.lower(pool, *index)?;
                self.push(Op::Entry(*table, index), pool.range(id))
            }
        };
        self.done.insert(id, made);
        Ok(made)
    }

    /// A quotient or remainder that is no mask and shift.
    fn divided(&mut self, pool: &Pool, id: Id) -> Result<Ref, Error> {
        let (Node::Div(of, by) | Node::Mod(of, by)) = *pool.node(id) else { return Ok(self.number(0)) };
        let is_quotient = matches!(pool.node(id), Node::Div(..));
        let inner = self.lower(pool, of)?;
        if let Some(bits) = power(by) {
            return match is_quotient {
                true => self.with_number(Binary::Shr, inner, i64::from(bits)),
                false => self.with_number(Binary::And, inner, by - 1),
            };
        }
        let binary = if is_quotient { Binary::Div } else { Binary::Mod };
        let least = self.range(inner).least;
        if least >= 0 {
            return self.with_number(binary, inner, by);
        }
        // So many turns up, and down again behind.
        let turns = -(least.div_euclid(by));
        let up = turns.checked_mul(by).ok_or_else(|| Error::overflow("an integer of the emitted function"))?;
        let raised = self.with_number(Binary::Add, inner, up)?;
        let divided = self.with_number(binary, raised, by)?;
        if is_quotient { self.with_number(Binary::Sub, divided, turns) } else { Ok(divided) }
    }

    /// A digit of a power of two as bits that are moved, where it is read once only.
    fn as_masked(&self, pool: &Pool, id: Id, up: i32) -> Option<Masked> {
        let is_read_once = |id: Id| self.uses.get(&id).is_none_or(|uses| *uses < 2) && !self.done.contains_key(&id);
        let (mut of, mut distance, mut mask) = (id, up, u64::MAX);
        let mut taken = false;
        while is_read_once(of) {
            let (inner, by, low) = match *pool.node(of) {
                Node::Mod(inner, by) => (inner, power(by)?, true),
                Node::Div(inner, by) => (inner, power(by)?, false),
                _ => break,
            };
            if pool.range(inner).is_negative() {
                break;
            }
            if low {
                mask &= 1u64.checked_shl(by)?.wrapping_sub(1);
            } else {
                mask = mask.checked_shl(by)?;
                distance -= i32::try_from(by).ok()?;
            }
            (of, taken) = (inner, true);
        }
        taken.then_some(Masked { of, distance, mask })
    }

    /// Bits of an expression, moved.
    fn masked(&mut self, pool: &Pool, term: Masked) -> Result<Ref, Error> {
        let mut of = self.lower(pool, term.of)?;
        // Of the operation and of the expression, each knows bits that are 0.
        let ones = self.range(of).ones & pool.range(term.of).ones;
        let by = term.distance.unsigned_abs();
        let mask = term.mask & ones;
        if term.distance < 0 {
            of = self.with_number(Binary::Shr, of, i64::from(by))?;
            let (ones, mask) = (ones.wrapping_shr(by), mask.wrapping_shr(by));
            return self.cut(of, mask, ones);
        }
        let cut = self.cut(of, mask, ones)?;
        if by == 0 { Ok(cut) } else { self.with_number(Binary::Shl, cut, i64::from(by)) }
    }

    fn cut(&mut self, of: Ref, mask: u64, ones: u64) -> Result<Ref, Error> {
        if mask == ones {
            return Ok(of);
        }
        let mask = i64::try_from(mask).map_err(|_| Error::overflow("a mask of the emitted function"))?;
        self.with_number(Binary::And, of, mask)
    }

    /// A sum: positive parts first, the largest step before others.
    fn sum(&mut self, pool: &Pool, offset: i64, terms: &[(Id, i64)]) -> Result<Ref, Error> {
        let mut terms = terms.to_vec();
        terms.sort_by_key(|(id, factor)| (*factor < 0, std::cmp::Reverse(factor.unsigned_abs()), *id));
        let mut all: Option<Ref> = None;
        if terms.first().is_none_or(|(_, factor)| *factor < 0) && offset != 0 {
            all = Some(self.number(offset));
        }
        let begins_with_offset = all.is_some();
        for (id, factor) in terms {
            let subtracts = factor < 0 && all.is_some() && factor != i64::MIN;
            let part = self.scaled(pool, id, if subtracts { -factor } else { factor })?;
            all = Some(match all {
                None => part,
                Some(all) if subtracts => self.binary(Binary::Sub, all, part)?,
                Some(all) => self.binary(Binary::Add, all, part)?,
            });
        }
        let Some(all) = all else { return Ok(self.number(offset)) };
        match offset {
            0 => Ok(all),
            _ if begins_with_offset => Ok(all),
            i64::MIN..0 if offset != i64::MIN => self.with_number(Binary::Sub, all, -offset),
            _ => self.with_number(Binary::Add, all, offset),
        }
    }

    fn scaled(&mut self, pool: &Pool, id: Id, factor: i64) -> Result<Ref, Error> {
        if let Some(bits) = power(factor)
            && let Some(term) = self.as_masked(pool, id, i32::try_from(bits).unwrap_or(i32::MAX))
        {
            return self.masked(pool, term);
        }
        let of = self.lower(pool, id)?;
        match power(factor) {
            _ if factor == 1 => Ok(of),
            // Nothing negative is moved up, which C does not define.
            Some(bits) if !self.range(of).is_negative() => self.with_number(Binary::Shl, of, i64::from(bits)),
            _ => self.with_number(Binary::Mul, of, factor),
        }
    }

    /// The values of all operations at a point, as 64-bit integers have them.
    pub(crate) fn values(&self, point: &[i64]) -> Vec<i64> {
        let mut values: Vec<i64> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let of = |at: Ref| values.get(at.0).copied().unwrap_or(0);
            let value = match *op {
                Op::Number(n) => n,
                Op::Argument(at) => point.get(at).copied().unwrap_or(0),
                Op::Entry(table, at) => {
                    let table = self.tables.get(table).map_or(&[][..], Vec::as_slice);
                    usize::try_from(of(at)).ok().and_then(|at| table.get(at)).copied().unwrap_or(0)
                }
                Op::Binary(binary, left, right) => {
                    let (a, b) = (of(left), of(right));
                    match binary {
                        Binary::Add => a.wrapping_add(b),
                        Binary::Sub => a.wrapping_sub(b),
                        Binary::Mul => a.wrapping_mul(b),
                        Binary::Div => a.checked_div(b).unwrap_or(0),
                        Binary::Mod => a.checked_rem(b).unwrap_or(0),
                        Binary::Shl => a.wrapping_shl(u32::try_from(b).unwrap_or(0)),
                        Binary::Shr => a.wrapping_shr(u32::try_from(b).unwrap_or(0)),
                        Binary::And => a & b,
                        Binary::Xor => a ^ b,
                    }
                }
            };
            values.push(value);
        }
        values
    }
}

/// The bits of a power of two.
fn power(n: i64) -> Option<u32> {
    (n > 0 && n.unsigned_abs().is_power_of_two()).then(|| n.trailing_zeros())
}
