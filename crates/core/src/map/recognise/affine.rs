//! Recognises MLIR affine maps: sums of coordinates, `floordiv` and `mod`.
//!
//! Maps with a normal form are written by its digits. All others are written by their stages, provided that no stage
//! makes points padding. XORed bits are written as their sum modulo 2.
//!
//! Law: evaluated as MLIR does, the text gives what the map gives, at every point of the domain.

use std::collections::BTreeMap;

use super::super::{Affine, AffineExpr, Digit, Form, Map, Stage};
use super::greedy::read_off;
use crate::error::{Code, Error};
use crate::index::{Operator, Tree};

/// The most operators and operands.
const MAX_NODES: usize = 4096;

impl Map {
    /// The affine map with one dim for each axis and one result for each coordinate.
    ///
    /// # Errors
    /// [`Code::NotALayout`] for padding; [`Code::TooLarge`] for more than 4096 operators and operands; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_array(&"f32[16,256]{1,0:T(8,128)}".parse()?)?;
    /// let text = "affine_map<(d0, d1) -> ((d0 mod 8) * 128 + (d0 floordiv 8) * 2048 + d1 mod 128 + (d1 floordiv 128) * 1024)>";
    /// assert_eq!(map.to_affine()?.to_string(), text);
    /// let swizzled = bitstride_lang::evaluate("Sw<1,0,2> o (2,4):(4,1)")?.value.as_map()?;
    /// let text = "affine_map<(d0, d1) -> ((d0 + d1 mod 2) mod 2 + d0 * 4 + (d1 floordiv 2) * 2)>";
    /// assert_eq!(swizzled.to_affine()?.to_string(), text);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_affine(&self) -> Result<Affine, Error> {
        let results = match Form::read(self) {
            Ok(form) => by_form(&read_off(&form)?.unwrap_or(form))?,
            Err(_) => by_stages(self)?,
        };
        checked(&results)?;
        Ok(Affine { dims: self.domain().len(), results })
    }
}

/// Errs where trees are too large.
fn checked(trees: &[Tree]) -> Result<(), Error> {
    match trees.iter().map(nodes).sum::<usize>() > MAX_NODES {
        true => Err(error!(
            Code::TooLarge,
            "the affine map has more than {max_nodes} operators and operands",
            [max_nodes = MAX_NODES]
        )),
        false => Ok(()),
    }
}

fn nodes(tree: &Tree) -> usize {
    match tree {
        Tree::Binary(_, left, right) => 1 + nodes(left) + nodes(right),
        _ => 1,
    }
}

fn by_form(form: &Form) -> Result<Vec<Tree>, Error> {
    let digit = |digit: &Digit| {
        let shifted = divided(Tree::Coordinate(digit.axis), digit.weight);
        if digit.is_top(&form.axes) { shifted } else { modulo(shifted, digit.radix) }
    };
    let digits: Vec<Tree> = form.digits.iter().map(digit).collect();
    form.sums.iter().map(|sum| result(sum, &digits)).collect()
}

fn result(sum: &AffineExpr, digits: &[Tree]) -> Result<Tree, Error> {
    let mut terms = Vec::new();
    let mut offset = sum.offset;
    // Bits that the same digits flip are one term.
    let mut bits: BTreeMap<(Vec<usize>, bool), i64> = BTreeMap::new();
    for bit in (0..i64::BITS - 1).map(|bit| 1i64 << bit).filter(|bit| sum.mask() & bit != 0) {
        let flipping = sum.xors.iter().enumerate().filter(|(_, xor)| **xor & bit != 0).map(|(at, _)| at).collect();
        *bits.entry((flipping, sum.flip & bit != 0)).or_default() |= bit;
    }
    for ((flipping, flip), weight) in bits {
        let parts: Vec<(i64, Tree)> = flipping.iter().filter_map(|at| Some((1, digits.get(*at)?.clone()))).collect();
        match (parts.is_empty(), flip) {
            (true, _) => offset = offset.checked_add(weight).ok_or_else(|| Error::overflow("an offset"))?,
            (false, flip) => terms.push((weight, modulo(added(i64::from(flip), parts), 2))),
        }
    }
    terms.extend(sum.strides.iter().copied().zip(digits.iter().cloned()));
    Ok(added(offset, terms))
}

fn by_stages(map: &Map) -> Result<Vec<Tree>, Error> {
    let mut row: Vec<Tree> = (0..map.domain().len()).map(Tree::Coordinate).collect();
    for stage in map.stages() {
        match stage {
            Stage::Delinearise { at, radices } => {
                for (place, radix) in (*at..).zip(radices) {
                    let Some(whole) = row.get(place) else { break };
                    let digits = [modulo(whole.clone(), *radix), divided(whole.clone(), *radix)];
                    row.splice(place..=place, digits);
                }
            }
            Stage::Linearise { at, count, sums } => {
                let parts = row.get(*at..at + count).unwrap_or(&[]);
                let sum = |(offset, strides): &(i64, Vec<i64>)| {
                    added(*offset, strides.iter().copied().zip(parts.iter().cloned()))
                };
                let joined: Vec<Tree> = sums.iter().map(sum).collect();
                row.splice(*at..at + count, joined);
            }
            Stage::Permute(order) => row = order.iter().filter_map(|place| row.get(*place).cloned()).collect(),
            Stage::Xor { at, ins, outs, columns, flip } => {
                let fields = row.get(*at..at + ins.len()).unwrap_or(&[]);
                let results = xored(fields, ins, outs, columns, *flip)?;
                row.splice(*at..at + ins.len(), results);
            }
            Stage::Guard { extent, .. } => {
                return Err(error!(
                    Code::NotALayout,
                    "coordinates at or above {extent} are padding, which no affine map says",
                    [extent]
                ));
            }
        }
        checked(&row)?;
    }
    Ok(row)
}

/// Fields whose bits are xored: each bit of a result is the sum of some bits modulo 2.
fn xored(fields: &[Tree], ins: &[u32], outs: &[u32], columns: &[u64], flip: u64) -> Result<Vec<Tree>, Error> {
    let mut bits: Vec<(usize, u32)> = Vec::new();
    for (field, width) in ins.iter().enumerate() {
        bits.extend((0..*width).map(|bit| (field, bit)));
    }
    // Which bits each bit of the results is the sum of.
    let row = |out: u32| -> Vec<(usize, u32)> {
        let read = columns.iter().zip(&bits).filter(|(column, _)| column.checked_shr(out).unwrap_or(0) & 1 == 1);
        read.map(|(_, bit)| *bit).collect()
    };
    let mut results = Vec::new();
    let mut first = 0u32;
    for width in outs {
        let (mut terms, mut offset) = (Vec::new(), 0i64);
        let mut out = 0;
        while out < *width {
            let flipped = flip.checked_shr(first + out).unwrap_or(0) & 1 == 1;
            let weight = 1i64.checked_shl(out).filter(|weight| *weight > 0);
            let weight = weight.ok_or_else(|| Error::overflow("the weight of a bit"))?;
            match (row(first + out).as_slice(), flipped) {
                ([], flipped) => {
                    offset += if flipped { weight } else { 0 };
                    out += 1;
                }
                // Bits that stay next to each other are one digit.
                ([(field, bit)], false) => {
                    let stays = |more: &u32| {
                        let flipped = flip.checked_shr(first + out + more).unwrap_or(0) & 1 == 1;
                        out + more < *width && !flipped && row(first + out + more) == [(*field, bit + more)]
                    };
                    let run = (1..u32::MAX).take_while(stays).count();
                    let run = u32::try_from(run).unwrap_or(0) + 1;
                    let whole = fields.get(*field).cloned().unwrap_or(Tree::Number(0));
                    let digit = divided(whole, power(*bit)?);
                    let last = ins.get(*field).is_some_and(|width| bit + run == *width);
                    terms.push((weight, if last { digit } else { modulo(digit, power(run)?) }));
                    out += run;
                }
                (read, flipped) => {
                    let part = |(field, bit): &(usize, u32)| {
                        let whole = fields.get(*field).cloned().unwrap_or(Tree::Number(0));
                        Ok((1, divided(without_modulo(whole, power(bit + 1)?), power(*bit)?)))
                    };
                    let parts = read.iter().map(part).collect::<Result<Vec<_>, Error>>()?;
                    terms.push((weight, modulo(added(i64::from(flipped), parts), 2)));
                    out += 1;
                }
            }
        }
        results.push(added(offset, terms));
        first += width;
    }
    Ok(results)
}

fn power(bits: u32) -> Result<i64, Error> {
    let power = 1i64.checked_shl(bits).filter(|power| *power > 0);
    power.ok_or_else(|| Error::overflow("the weight of a bit"))
}

/// A digit below a radix; what is below a multiple of it already is cut once.
fn modulo(tree: Tree, radix: i64) -> Tree {
    match tree {
        _ if radix == 1 => Tree::Number(0),
        Tree::Binary(Operator::FloorDivide, inner, by) if matches!(*inner, Tree::Binary(Operator::Modulo, ..)) => {
            let reach = match *by {
                Tree::Number(steps) => steps.checked_mul(radix),
                _ => None,
            };
            let inner = match reach {
                Some(reach) => without_modulo(*inner, reach),
                None => *inner,
            };
            let steps = Tree::binary(Operator::FloorDivide, inner, *by);
            Tree::binary(Operator::Modulo, steps, Tree::Number(radix))
        }
        Tree::Binary(Operator::Modulo, inner, of) if matches!(*of, Tree::Number(of) if of % radix == 0) => {
            Tree::binary(Operator::Modulo, *inner, Tree::Number(radix))
        }
        tree => Tree::binary(Operator::Modulo, tree, Tree::Number(radix)),
    }
}

/// The same for a value below a number: without a cut at a multiple of it.
fn without_modulo(tree: Tree, reach: i64) -> Tree {
    match tree {
        Tree::Binary(Operator::Modulo, inner, of) if matches!(*of, Tree::Number(of) if of % reach == 0) => *inner,
        tree => tree,
    }
}

fn divided(tree: Tree, radix: i64) -> Tree {
    match tree {
        tree if radix == 1 => tree,
        // What is below the radix is nothing in its steps.
        Tree::Binary(Operator::Modulo, _, of) if matches!(*of, Tree::Number(of) if of <= radix) => Tree::Number(0),
        tree => Tree::binary(Operator::FloorDivide, tree, Tree::Number(radix)),
    }
}

/// An offset and a sum of strides times parts.
fn added(offset: i64, terms: impl IntoIterator<Item = (i64, Tree)>) -> Tree {
    let mut sum: Option<Tree> = None;
    for (stride, part) in terms.into_iter().filter(|(stride, part)| *stride != 0 && *part != Tree::Number(0)) {
        let term = if stride == 1 { part } else { Tree::binary(Operator::Multiply, part, Tree::Number(stride)) };
        sum = Some(match sum {
            Some(before) => Tree::binary(Operator::Add, before, term),
            None => term,
        });
    }
    let Some(sum) = sum else { return Tree::Number(offset) };
    match offset {
        0 => sum,
        offset if offset > 0 || offset == i64::MIN => Tree::binary(Operator::Add, sum, Tree::Number(offset)),
        offset => Tree::binary(Operator::Subtract, sum, Tree::Number(-offset)),
    }
}
