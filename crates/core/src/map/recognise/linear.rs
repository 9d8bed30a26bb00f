//! Recognises linear layouts: every axis is cut into bits, and adding must be XOR.
//!
//! A map is linear over GF(2) exactly when the origin leads to 0 and its form has masks only: no bit that two digits
//! share is in a stride. Otherwise two bits show it: the place of both together is not the XOR of both places.

use super::super::form::{AffineExpr, Form};
use super::super::symbolic::refine;
use super::super::{Axis, Map};
use crate::error::{Code, Error};
use crate::linear::{Columns, Dim, Dims, LinearLayout};

impl Map {
    /// The linear layout that the map is. Dims have the names of the axes, in their order; out dims are as large as the
    /// axes, rounded up to a power of two, or as what is reached.
    ///
    /// # Errors
    /// As [`Form::of`]; [`Code::NotALayout`] for an extent that is no power of two, an origin that does not lead to 0, or a
    /// negative coordinate; [`Code::Carry`] where two bits do not xor, with the numbers; [`Code::TooLarge`] beyond 64 bits.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let layout: bitstride::Layout = "(2,4):(4,1)".parse()?;
    /// let linear = Map::of_layout(&layout)?.to_linear()?;
    /// assert_eq!(linear.to_string(), "linear<{dim0=[[4]], dim1=[[1],[2]]}, out=[offset:8]>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_linear(&self) -> Result<LinearLayout, Error> {
        let mut ins = Dims::new();
        for axis in self.domain() {
            if u64::try_from(axis.extent).is_ok_and(|extent| !extent.is_power_of_two()) {
                return Err(error!(
                    Code::NotALayout,
                    "axis {name} has extent {extent}, which is no power of two",
                    [name = axis.name, extent = axis.extent]
                ));
            }
            ins.push(Dim::new(axis.name, axis.extent)?);
        }
        let mut form = Form::read(self)?;
        form.cut_to_bits()?;
        let images = form.sums.iter().map(|sum| images(&form, sum)).collect::<Result<Vec<_>, _>>()?;
        let mut outs = Dims::new();
        let mut columns = vec![0u64; form.digits.len()];
        let mut shift = 0;
        for (axis, images) in self.codomain().iter().zip(&images) {
            let dim = Dim { name: axis.name, bits: bits(axis, images) };
            for (column, image) in columns.iter_mut().zip(images) {
                *column |= image.checked_shl(shift).unwrap_or(0);
            }
            shift += dim.bits;
            outs.push(dim);
        }
        LinearLayout::from_columns(ins, outs, Columns::from_slice(&columns))
    }
}

impl Form {
    /// Cuts all digits to radix 2; the extents are powers of two.
    pub(super) fn cut_to_bits(&mut self) -> Result<(), Error> {
        let mut at = 0;
        while let Some(digit) = self.digits.get(at).copied() {
            if digit.radix > 2 {
                if digit.weight.count_ones() != 1 || digit.radix % 2 != 0 && !digit.is_top(&self.axes) {
                    let name = self.axes.get(digit.axis).map_or_else(String::new, |axis| axis.name.to_string());
                    return Err(error!(
                        Code::Split,
                        "the {radix} values of axis {name} in steps of {weight} are no bits",
                        [radix = digit.radix, name, weight = digit.weight]
                    ));
                }
                refine(&mut self.digits, &mut self.sums, at, 2)?;
            }
            at += 1;
        }
        self.normalise_xor()
    }
}

/// What each bit leads to in one coordinate.
fn images(form: &Form, sum: &AffineExpr) -> Result<Vec<u64>, Error> {
    let origin = i128::from(sum.offset) + i128::from(sum.flip);
    if origin != 0 {
        return Err(error!(
            (Code::NotALayout, "origin"),
            "the origin leads to {offset}; linear maps send 0 to 0",
            [offset = origin]
        ));
    }
    let value = |bits: &[usize]| -> i128 {
        let of = |list: &[i64], at: usize| list.get(at).copied().unwrap_or(0);
        let stride: i128 = bits.iter().map(|at| i128::from(of(&sum.strides, *at))).sum();
        let pattern = bits.iter().fold(sum.flip, |pattern, at| pattern ^ of(&sum.xors, *at));
        i128::from(sum.offset) + stride + i128::from(pattern)
    };
    let mut images = Vec::with_capacity(form.digits.len());
    for at in 0..form.digits.len() {
        images.push(u64::try_from(value(&[at])).map_err(|_| {
            error!(
                (Code::NotALayout, "negative"),
                "{bit} leads to {image}, and linear maps know no negative numbers",
                [bit = bit(form, at), image = value(&[at])]
            )
        })?);
    }
    for (above, high) in images.iter().enumerate() {
        for (below, low) in images.iter().enumerate().take(above) {
            let (both, xor) = (value(&[below, above]), low ^ high);
            if both != i128::from(xor) {
                return Err(error!(
                    (Code::Carry, "bits-carry"),
                    "{below} leads to {low} and {above} to {high}, both to {both}: adding bits {shared:#b} carries, the xor is {xor}",
                    [both, shared = low & high, xor, below = bit(form, below), above = bit(form, above); images = [low, high]]
                ));
            }
        }
    }
    Ok(images)
}

/// The text of a bit of an axis.
fn bit(form: &Form, at: usize) -> String {
    let digit = form.digits.get(at);
    let name = digit.and_then(|digit| form.axes.get(digit.axis)).map_or_else(String::new, |axis| axis.name.to_string());
    format!("{name} = {}", digit.map_or(0, |digit| digit.weight))
}

/// As many bits as an axis has, and what is reached.
fn bits(axis: &Axis, images: &[u64]) -> u32 {
    let reached = images.iter().fold(0, |reached, image| reached | image);
    let last = u64::try_from(axis.extent.saturating_sub(1)).unwrap_or(0);
    u64::BITS - (reached | last).leading_zeros()
}
