//! [`Field`]: a coordinate as XOR masks in its lowest bits, and integers above them.
//!
//! `value = offset + strides of the digits + (none ^ masks of the digits that are 1)`. The offset and the strides are
//! multiples of `2^bits`, and the masks are below it. Swizzles act on the lowest bits alone, so that here they are one
//! operation on each mask.
//!
//! Law: the field of a form gives what the form gives.

use super::super::form::{AffineExpr, Digit, Form, meet};
use super::super::symbolic::{Symbolic, multiply_add};
use super::super::{Axis, Stage};
use crate::error::{Code, Error};

/// The most bits that are separated from the integers above.
const MAX_FIELD_BITS: u32 = 61;

/// One coordinate over digits, its lowest bits as patterns.
#[derive(Clone, Debug)]
pub(super) struct Field {
    axes: Vec<Axis>,
    pub(super) digits: Vec<Digit>,
    /// How many bits are patterns.
    pub(super) bits: u32,
    /// What is there at the origin.
    pub(super) none: i64,
    /// What each digit brings; 0 for digits with more than two values.
    pub(super) columns: Vec<i64>,
    /// What is added, above the bits.
    offset: i64,
    /// What each digit adds above the bits.
    pub(super) strides: Vec<i64>,
}

impl Field {
    /// The first coordinate of a form with as many bits as can be separated: at least those that are xored.
    ///
    /// # Errors
    /// `Split` and `Carry` where even those cannot be separated.
    pub(super) fn widest(form: &Form) -> Result<Field, Error> {
        let symbolic = Symbolic::from_form(form);
        let Some(sum) = symbolic.row.first() else {
            return Err(Error::new(Code::RankMismatch, "a map that leads to nothing has no bits"));
        };
        let (least, most) = symbolic.range(sum);
        let reach = i128::BITS - most.max(-least).leading_zeros();
        let xored = i64::BITS - sum.mask().leading_zeros();
        // Negative numbers have more bits: as many signs as a swizzle of the others could read.
        let signs = if least < 0 { reach } else { 0 };
        let mut bits = (reach + signs).min(MAX_FIELD_BITS).max(xored);
        loop {
            match Field::of(Symbolic::from_form(form), bits) {
                Err(_) if bits > xored => bits -= 1,
                field => return field,
            }
        }
    }

    /// The first coordinate of a form with the patterns that it has, which may share bits with what is added.
    pub(super) fn as_is(form: &Form) -> Field {
        let sum = form.sums.first().cloned().unwrap_or_default();
        let bits = i64::BITS - sum.mask().leading_zeros();
        let (axes, digits) = (form.axes.clone(), form.digits.clone());
        Field { axes, digits, bits, none: sum.flip, columns: sum.xors, offset: sum.offset, strides: sum.strides }
    }

    fn of(mut symbolic: Symbolic, bits: u32) -> Result<Field, Error> {
        // A field of one bit more would be a sign.
        let radix = 1i64.checked_shl(bits.min(MAX_FIELD_BITS + 1)).unwrap_or(i64::MAX);
        let width = symbolic.row.len();
        symbolic.stage(&Stage::Delinearise { at: 0, radices: vec![radix] })?;
        symbolic.cut_to_bits(0)?;
        let (Some(low), Some(high)) = (symbolic.row.first(), symbolic.row.get(1)) else {
            return Err(error!(Code::RankMismatch, "{width} coordinates have no bits", [width]));
        };
        let (none, columns) = symbolic.patterns(low)?;
        let above = |high: &i64| multiply_add(0, radix, *high);
        let strides = high.strides.iter().map(above).collect::<Result<Vec<_>, _>>()?;
        Ok(Field {
            bits,
            none,
            columns,
            offset: above(&high.offset)?,
            strides,
            axes: symbolic.axes,
            digits: symbolic.digits,
        })
    }

    /// The bits that two patterns of digits that are ever 1 together have in common.
    pub(super) fn shared(&self, columns: &[i64]) -> i64 {
        let (_, twice) = columns.iter().fold((0, 0), |(once, twice), column| (once | column, twice | once & column));
        if twice == 0 || !self.digits.iter().any(|digit| digit.goes_beyond(&self.axes)) {
            return twice;
        }
        let digits: Vec<_> = columns.iter().zip(&self.digits).filter(|(column, _)| **column & twice != 0).collect();
        let mut shared = 0;
        for (at, (column, digit)) in digits.iter().enumerate() {
            for (other, above) in digits.iter().skip(at + 1) {
                shared |= if meet(&self.axes, digit, above) { **column & **other } else { 0 };
            }
        }
        shared
    }

    /// Whether the last digit of each axis could be one with the digit below it where it goes beyond the extent, with other
    /// patterns that have no bits in common.
    pub(super) fn may_end(&self, none: i64, columns: &[i64]) -> bool {
        let stride = |at: usize| -> Option<i128> {
            let (column, above) = (*columns.get(at)?, *self.strides.get(at)?);
            let low = i128::from(column & !none) - i128::from(column & none);
            Some(i128::from(above) + low)
        };
        self.digits.iter().enumerate().filter(|(_, digit)| digit.goes_beyond(&self.axes)).all(|(at, digit)| {
            let Some(below) = at.checked_sub(1).and_then(|below| self.digits.get(below)) else { return false };
            let step = stride(at - 1).map(|step| step * i128::from(below.radix));
            below.axis == digit.axis && step == stride(at)
        })
    }

    /// The form with other patterns in place of these.
    pub(super) fn form(&self, none: i64, columns: Vec<i64>) -> Result<Form, Error> {
        let sum = AffineExpr { offset: self.offset, flip: none, strides: self.strides.clone(), xors: columns };
        let mut form = Form { axes: self.axes.clone(), digits: self.digits.clone(), sums: vec![sum] };
        form.canonicalise()?;
        Ok(form)
    }
}
