//! The inverse of a map: from places to points. Places that no point has are padding.
//!
//! Law: `inverse.at(place)` is the point that the map sends to `place`, and padding where there is none. An inverse
//! takes places from 0 up, so that a map with places below 0 has no inverse.

use super::bounds::Bounds;
use super::decoding_plan::{DecodingPlan, Level, Step};
use super::injective::Injectivity;
use super::low_bits::{LowBits, LowStep};
use super::symbolic::Symbolic;
use super::wires::{AffineSum, Wires};
use super::{Direction, Form, Map, Stage};
use crate::error::{Code, Error, Witness};
use crate::refusal::Fact;

impl Map {
    /// The map from places to points.
    ///
    /// # Errors
    /// [`Code::NoInverse`] when two points have one place, which are the witness, when there are no points, or when a
    /// place is below 0; [`Code::NotALayout`] when there is an inverse, but no chain of stages that decodes one digit
    /// after the other; as [`Form::of`] and [`Map::injectivity`]. A map without a normal form, or with digits that only
    /// its parts decode, is inverted part by part. A map with padding is inverted stage by stage.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let padded = Map::of_layout(&"(64,8):(1,72)".parse()?)?;
    /// let inverse = padded.inverse()?;
    /// assert_eq!(inverse.at(&[73])?, Some(vec![1, 1]));
    /// assert_eq!(inverse.at(&[70])?, None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn inverse(&self) -> Result<Map, Error> {
        if self.domain().iter().any(|axis| axis.extent == 0) {
            return Err(error!(Code::NoInverse, "{map} has no points", [map = self]));
        }
        if let Some((at, least)) = self.below_zero()? {
            let axis = self.codomain().get(at).map_or_else(String::new, |axis| axis.name.to_string());
            let help = format!("move the places up, as in `L + {}`", least.unsigned_abs());
            return Err(error!(
                Code::NoInverse,
                "an element lies at {axis} {least}; an inverse takes places from 0 up",
                [axis, least]
            )
            .with_help(help));
        }
        self.inverted()
    }

    /// The first axis of the codomain that has places below 0, and the least of them.
    fn below_zero(&self) -> Result<Option<(usize, i64)>, Error> {
        let mut bounds = Bounds::of(self.domain());
        self.stages().iter().for_each(|stage| bounds.stage(stage));
        if (0..self.codomain().len()).all(|at| bounds.at(at).0 >= 0) {
            return Ok(None);
        }
        // A swizzle moves bits within a block, all of which has one sign.
        let (inner, outer) = LowBits::split_off(self);
        let moved = outer.steps.iter().any(|step| matches!(step, LowStep::Add(number) if *number != 0));
        let least = |map: &Map| {
            let symbolic = Symbolic::from_form(&Form::of(map).ok()?);
            Some(symbolic.row.iter().map(|sum| symbolic.range(sum).0).collect::<Vec<_>>())
        };
        let certain = least(self).or_else(|| least(&inner).filter(|_| !moved));
        if certain.is_some_and(|least| least.iter().all(|least| *least >= 0)) {
            return Ok(None);
        }
        let reaches = self.reaches()?;
        Ok(reaches.iter().enumerate().find(|(_, (least, _))| *least < 0).map(|(at, (least, _))| (at, *least)))
    }

    fn inverted(&self) -> Result<Map, Error> {
        let form = match Form::of(self) {
            Ok(form) => form,
            Err(why) => {
                let pads = self.stages().iter().any(|stage| matches!(stage, Stage::Guard { .. }));
                if pads {
                    if let Some(back) = self.undone()? {
                        return Ok(back);
                    }
                    if matches!(self.injectivity(), Ok(Injectivity::No { .. })) {
                        return Err(self.refuse()?);
                    }
                }
                let (first, rest) = self.halves()?.ok_or(why)?;
                let through = rest.inverted().and_then(|back| back.then(&first.inverted()?));
                return through.or_else(|why| match why.code() {
                    // Points of a part that share a place may be padding, or none that a point of the whole leads to.
                    Code::NoInverse => Err(self.refuse()?),
                    _ => Err(why),
                });
            }
        };
        let plan = DecodingPlan::of(&form)?;
        if !plan.open.is_empty() {
            let why = self.refuse()?;
            // A collision stays one; else the parts may be decoded where the whole is not.
            let whole = why.code() == Code::NoInverse;
            let parts = (1..self.stages().len()).rev().filter(|_| !whole).find_map(|cut| self.decoded_parts(cut));
            return parts.map_or(Err(why), |(first, rest)| rest.inverted()?.then(&first.inverted()?));
        }
        let direction = match self.direction() {
            Direction::ToPlace => Direction::ToIndex,
            Direction::ToIndex => Direction::ToPlace,
        };
        let stages = plan.back()?;
        let map = Map::new(self.codomain().to_vec(), stages.finish(), self.domain().to_vec(), direction)?
            .numbered(self.order());
        Ok(match Form::of(&map) {
            Ok(form) => Map::of_form(&form, map.codomain().to_vec(), direction)?,
            Err(_) => map,
        })
    }

    /// The map from elements of a tensor to their places: itself, or its inverse, without parts of a machine of which there is
    /// one.
    ///
    /// # Errors
    /// As [`Map::inverse`].
    ///
    /// ```
    /// use bitstride_lang::evaluate;
    /// let shared = "!ttg.memdesc<4x8xf16, #ttg.padded_shared<[8:+2] {order=[1,0], shape=[4,8]}>, #ttg.shared_memory>";
    /// let map = evaluate(shared)?.value.as_map()?;
    /// assert_eq!(map.to_string(), "offset:38, block:1 -> dim0:4, dim1:8");
    /// assert_eq!(map.from_elements()?.at(&[1, 3])?, Some(vec![13]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn from_elements(&self) -> Result<Map, Error> {
        match self.direction() {
            Direction::ToPlace => Ok(self.clone()),
            Direction::ToIndex => self.without_single_places().inverse(),
        }
    }

    /// Two parts of the chain, where the plans of both decode all digits.
    fn decoded_parts(&self, cut: usize) -> Option<(Map, Map)> {
        let (first, rest) = self.parts(cut).ok()?;
        let is_decoded =
            |map: &Map| Form::of(map).and_then(|form| DecodingPlan::of(&form)).is_ok_and(|plan| plan.open.is_empty());
        (is_decoded(&first) && is_decoded(&rest)).then_some((first, rest))
    }

    /// Why there is no inverse.
    fn refuse(&self) -> Result<Error, Error> {
        let Injectivity::No { points: [one, other], place, .. } = self.injectivity()? else {
            return Ok(error!(
                Code::NotALayout,
                "no two points of {map} share a place, but its digits cannot be decoded one after the other",
                [map = self]
            ));
        };
        let show = |point: &[i64]| {
            let list: Vec<String> = point.iter().map(ToString::to_string).collect();
            format!("({})", list.join(","))
        };
        let witness = Witness {
            at: vec![self.flat(&one), self.flat(&other)],
            gives: vec![show(&place), show(&place)],
            needs: "two places".to_owned(),
        };
        let [one, other, place] = [one, other, place].map(|point| Fact::list(&point));
        let shared = error!(
            (Code::NoInverse, "shared"),
            "{one} and {other} both lead to {place}",
            [place; points = [one, other]]
        );
        Ok(shared.with_witness(witness))
    }

    /// The number of a point, the first axis the fastest.
    fn flat(&self, point: &[i64]) -> i64 {
        let axes = self.domain().iter().zip(point).rev();
        axes.fold(0i64, |flat, (axis, x)| flat.saturating_mul(axis.extent).saturating_add(*x))
    }
}

/// The stages of the inverse so far, and the wires of decoded digits.
struct Back {
    chain: Wires,
    /// The wire of each digit that is known.
    wires: Vec<Option<usize>>,
}

struct Done {
    chain: Wires,
    sums: Vec<AffineSum>,
}

impl Done {
    fn finish(self) -> Vec<super::Stage> {
        self.chain.finish(&self.sums)
    }
}

impl DecodingPlan {
    /// The stages from places to points.
    fn back(&self) -> Result<Done, Error> {
        let chain = Wires::after(self.stages.clone(), self.levels.len());
        let mut back = Back { chain, wires: vec![None; self.digits.len()] };
        let mut divided = Vec::new();
        for step in &self.steps {
            match step {
                Step::Divide { level, digit } => {
                    divided.push(*level);
                    back.divide(self, *level, *digit)?;
                }
                Step::Residue { level, digit, divisor, modulus, inverse } => {
                    back.residue(self, *level, *digit, [*divisor, *modulus, *inverse])?;
                }
                Step::Eliminate { levels, bits } => back.eliminate(self, levels, bits)?,
            }
        }
        for (at, level) in self.levels.iter().enumerate().filter(|(at, _)| !divided.contains(at)) {
            let rest = back.rest(at, level, 1)?;
            let wire = back.chain.sums(&[rest]);
            back.chain.guard(wire, 1);
        }
        let coordinate = |axis: usize| {
            let own = self.digits.iter().zip(&back.wires).filter(|(digit, _)| digit.axis == axis);
            AffineSum { offset: 0, terms: own.filter_map(|(digit, wire)| Some(((*wire)?, digit.weight))).collect() }
        };
        let sums: Vec<AffineSum> = (0..self.axes.len()).map(coordinate).collect();
        let first = back.chain.sums(&sums);
        for (at, axis) in self.axes.iter().enumerate() {
            back.chain.guard(first + at, axis.extent);
        }
        let sums = (0..self.axes.len()).map(|at| AffineSum::wire(first + at)).collect();
        Ok(Done { chain: back.chain, sums })
    }
}

impl Back {
    /// A level minus its known part, times a sign.
    fn rest(&mut self, at: usize, level: &Level, sign: i64) -> Result<AffineSum, Error> {
        let overflow = || Error::overflow("what is known of a level");
        let mut rest = AffineSum { offset: 0, terms: vec![(at, sign)] };
        let mut minus = |wire: usize, stride: i64| {
            rest.terms.push((wire, stride.checked_mul(-sign).ok_or_else(overflow)?));
            Ok::<(), Error>(())
        };
        let mut ins = Vec::new();
        let mut columns = Vec::new();
        for ((wire, stride), xor) in self.wires.iter().zip(&level.sum.strides).zip(&level.sum.xors) {
            let Some(wire) = wire else { continue };
            if *stride != 0 {
                minus(*wire, *stride)?;
            }
            if let (true, Ok(column)) = (*xor != 0, u64::try_from(*xor)) {
                ins.push((AffineSum::wire(*wire), 1));
                columns.push(column);
            }
        }
        let mut offset = level.sum.offset;
        if ins.is_empty() {
            offset = offset.checked_add(level.sum.flip).ok_or_else(overflow)?;
        } else {
            let bits = i64::BITS - level.sum.mask().leading_zeros();
            let flip = u64::try_from(level.sum.flip).unwrap_or(0);
            let pattern = self.chain.xor(&ins, vec![bits], columns, flip);
            minus(pattern, 1)?;
        }
        rest.offset = offset.checked_mul(-sign).ok_or_else(overflow)?;
        Ok(rest)
    }

    fn divide(&mut self, plan: &DecodingPlan, at: usize, digit: usize) -> Result<(), Error> {
        let Some(level) = plan.levels.get(at) else { return Ok(()) };
        let stride = level.sum.strides.get(digit).copied().unwrap_or(1);
        let rest = self.rest(at, level, stride.signum())?;
        let steps = stride.checked_abs().ok_or_else(|| Error::overflow("a stride"))?;
        let wire = match steps {
            1 => self.chain.sums(&[rest]),
            _ => {
                let low = self.chain.split(&rest, vec![steps]);
                self.chain.guard(low, 1);
                low + 1
            }
        };
        self.chain.guard(wire, plan.digits.get(digit).map_or(1, |digit| digit.radix));
        if let Some(place) = self.wires.get_mut(digit) {
            *place = Some(wire);
        }
        Ok(())
    }

    fn residue(&mut self, plan: &DecodingPlan, at: usize, digit: usize, numbers: [i64; 3]) -> Result<(), Error> {
        let Some(level) = plan.levels.get(at) else { return Ok(()) };
        let [divisor, modulus, inverse] = numbers;
        let rest = self.rest(at, level, 1)?;
        let low = self.chain.split(&rest, vec![divisor, modulus]);
        self.chain.guard(low, 1);
        let product = AffineSum { offset: 0, terms: vec![(low + 1, inverse)] };
        let wire = self.chain.split(&product, vec![modulus]);
        self.chain.guard(wire, plan.digits.get(digit).map_or(1, |digit| digit.radix));
        if let Some(place) = self.wires.get_mut(digit) {
            *place = Some(wire);
        }
        Ok(())
    }

    /// Bits of levels by a matrix: each decoded bit reads some bits of the levels, and of the digits that are known those whose
    /// patterns have an odd number of bits in common with these.
    fn eliminate(&mut self, plan: &DecodingPlan, read: &[usize], bits: &[(usize, u64)]) -> Result<(), Error> {
        let mut ins = Vec::new();
        let mut columns = Vec::new();
        let out = |word: u64| {
            bits.iter().enumerate().fold(0, |out, (at, (_, row))| out | u64::from((word & row).count_ones() & 1) << at)
        };
        let (mut none, mut shift) = (0, 0);
        for (at, xor) in read.iter().filter_map(|at| Some((at, plan.levels.get(*at)?.xor.as_ref()?))) {
            let extent = xor.extent().ok_or_else(|| Error::overflow("the bits of a level"))?;
            self.chain.guard(*at, extent);
            ins.push((AffineSum::wire(*at), xor.bits));
            columns.extend((0..xor.bits).map(|bit| out(1 << (shift + bit))));
            none |= xor.none << shift;
            shift += xor.bits;
        }
        for (digit, wire) in self.wires.iter().enumerate() {
            let column = plan.column(read, digit);
            if let (Some(wire), true) = (wire, column != 0) {
                ins.push((AffineSum::wire(*wire), 1));
                columns.push(out(column));
            }
        }
        let first = self.chain.xor(&ins, vec![1; bits.len()], columns, out(none));
        for (at, (digit, _)) in bits.iter().enumerate() {
            if let Some(place) = self.wires.get_mut(*digit) {
                *place = Some(first + at);
            }
        }
        Ok(())
    }
}
