//! Recognises Triton's padded shared memory: a gap after every interval of elements, both powers of two.
//!
//! The bits of the tensor are sorted by their offsets. Bit `k` has the offset of `2^k` elements plus all gaps among
//! them. The excess of one bit over twice the bit below is the gap that begins there.
//!
//! Law: the recognised layout has the same map.

use super::super::form::AffineExpr;
use super::super::{Direction, Form, Map, Unit};
use crate::error::{Code, Error};
use crate::linear::Name;
use crate::triton::{PaddedShared, Sizes};

impl Map {
    /// The padded layout of shared memory that the map is, for a tensor of the shape of its domain.
    ///
    /// # Errors
    /// [`Code::Kind`] unless it leads from a tensor to offsets in elements, and perhaps to blocks; [`Code::NotALayout`] for
    /// an extent or a gap that is no power of two, bits that are xored, and bits whose offsets are too close; as [`Form::of`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let padded = Map::of_layout(&"(64,8):(1,72)".parse()?)?.to_padded_shared()?;
    /// assert_eq!(padded.paddings, [(64, 8)]);
    /// assert!(Map::of_layout(&"(64,8):(1,70)".parse()?)?.to_padded_shared().is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_padded_shared(&self) -> Result<PaddedShared, Error> {
        let rank = self.domain().len();
        let place = |name: Name| self.codomain().iter().position(|axis| axis.name == name);
        let offset = place(Name::OFFSET).filter(|at| self.codomain().get(*at).is_some_and(|a| a.unit == Unit::Element));
        let blocks = place(Name::BLOCK);
        let known = 1 + usize::from(blocks.is_some());
        let (Some(offset), true) = (offset, self.direction() == Direction::ToPlace && self.codomain().len() == known)
        else {
            return Err(error!(Code::Kind, "{map} does not lead from a tensor to offsets in elements", [map = self]));
        };
        if let Some(axis) = self.domain().iter().find(|axis| axis.extent.count_ones() != 1) {
            return Err(error!(
                Code::NotALayout,
                "axis {name} has extent {extent}, which is no power of two",
                [name = axis.name, extent = axis.extent]
            ));
        }
        let mut form = Form::read(self)?;
        form.cut_to_bits()?;
        let offsets = strides(&form, form.sums.get(offset))?;
        let block = blocks.map_or_else(|| Ok(vec![0; offsets.len()]), |at| strides(&form, form.sums.get(at)))?;
        let (mut within, mut among) = (Vec::new(), Vec::new());
        for ((digit, offset), block) in form.digits.iter().zip(offsets).zip(block) {
            let basis: Sizes = (0..rank).map(|axis| if axis == digit.axis { digit.weight } else { 0 }).collect();
            match (offset, block) {
                (offset, 0) if offset > 0 => within.push((offset, basis)),
                (0, block) if block > 0 => among.push((block, basis)),
                _ => {
                    return Err(error!(
                        Code::NotALayout,
                        "{digit} leads to offset {offset} and block {block}",
                        [digit = form.named(digit), offset, block]
                    ));
                }
            }
        }
        within.sort_by_key(|(stride, _)| *stride);
        among.sort_by_key(|(stride, _)| *stride);
        let paddings = gaps(within.iter().map(|(stride, _)| *stride))?;
        if paddings.is_empty() {
            return Err(error!(Code::NotALayout, "nothing is padded in {map}", [map = self]));
        }
        if let Some((bit, (stride, _))) = among.iter().enumerate().find(|(bit, (stride, _))| *stride != 1i64 << bit) {
            return Err(error!(
                Code::NotALayout,
                "bit {bit} of the blocks is worth {stride}, not {value}",
                [bit, stride, value = 1i64 << bit]
            ));
        }
        let bases = |bits: Vec<(i64, Sizes)>| bits.into_iter().map(|(_, basis)| basis).collect();
        Ok(PaddedShared { paddings, offset: bases(within), block: bases(among), rank })
    }
}

/// What each bit adds to a coordinate that only adds.
fn strides(form: &Form, sum: Option<&AffineExpr>) -> Result<Vec<i64>, Error> {
    let Some(sum) = sum else { return Ok(Vec::new()) };
    if sum.mask() != 0 {
        let bits = form.digits.iter().zip(&sum.xors).find(|(_, xor)| **xor != 0);
        let named = bits.map_or_else(String::new, |(digit, xor)| format!(": {} flips {xor:#b}", form.named(digit)));
        return Err(error!(Code::NotALayout, "offsets are xored{named}", [named]));
    }
    if sum.offset != 0 {
        return Err(error!(Code::NotALayout, "the origin leads to {offset}, not to 0", [offset = sum.offset]));
    }
    Ok(sum.strides.clone())
}

/// The gaps among bits with these ascending offsets: the interval in elements and the length in places.
fn gaps(bits: impl Iterator<Item = i64>) -> Result<Vec<(i64, i64)>, Error> {
    let (mut gaps, mut interval, mut next) = (Vec::new(), 1i64, 1i64);
    for stride in bits {
        match stride.checked_sub(next) {
            Some(0) => {}
            Some(gap) if gap > 0 && gap.count_ones() == 1 => gaps.push((interval, gap)),
            Some(gap) if gap > 0 => {
                return Err(error!(
                    Code::NotALayout,
                    "a gap of {gap} after every {interval} elements is no power of two",
                    [gap, interval]
                ));
            }
            _ => {
                return Err(error!(
                    Code::NotALayout,
                    "{interval} elements reach up to {next}, but the next stand at {stride}",
                    [interval, next, stride]
                ));
            }
        }
        let twice = |n: i64| n.checked_mul(2).ok_or_else(|| Error::overflow("an offset"));
        (interval, next) = (twice(interval)?, twice(stride)?);
    }
    Ok(gaps)
}
