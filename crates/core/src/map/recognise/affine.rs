//! Affine maps as MLIR writes them: sums of coordinates, `floordiv` and `mod`.
//!
//! Maps that come to a form are written by its digits, all others by their stages as long as none is an xor or turns
//! points to padding. Law: evaluated as MLIR does, the text gives what the map gives, at every point of the domain.

use std::fmt::Write;

use super::super::{Digit, Form, Map, Stage};
use crate::error::{Code, Error};

/// The longest text.
const LONGEST: usize = 1 << 16;

impl Map {
    /// The text of an affine map with one dim for each axis and one result for each coordinate.
    ///
    /// # Errors
    /// [`Code::NotALayout`] for an xor, and for padding; [`Code::TooLarge`] for a text beyond 65,536 bytes.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let map = Map::of_array(&"f32[16,256]{1,0:T(8,128)}".parse()?)?;
    /// let text = "affine_map<(d0, d1) -> ((d0 mod 8) * 128 + (d0 floordiv 8) * 2048 + d1 mod 128 + (d1 floordiv 128) * 1024)>";
    /// assert_eq!(map.to_affine()?, text);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_affine(&self) -> Result<String, Error> {
        let results = match Form::of(self) {
            Ok(form) => by_form(&form)?,
            Err(_) => by_stages(self)?,
        };
        let dims: Vec<String> = (0..self.domain().len()).map(|dim| format!("d{dim}")).collect();
        Ok(format!("affine_map<({}) -> ({})>", dims.join(", "), results.join(", ")))
    }
}

fn by_form(form: &Form) -> Result<Vec<String>, Error> {
    let digit = |digit: &Digit| {
        let own = Term::dim(digit.axis);
        let shifted = if digit.weight > 1 { own.divided(digit.weight) } else { own };
        if digit.is_top(&form.axes) { shifted } else { shifted.modulo(digit.radix) }
    };
    let digits: Vec<Term> = form.digits.iter().map(digit).collect();
    let result = |sum: &super::super::Sum| {
        if let Some((digit, xor)) = digits.iter().zip(&sum.xors).find(|(_, xor)| **xor != 0) {
            return Err(xored(&format!("{} is xored in as {xor:#b}", digit.text)));
        }
        let offset = sum.offset.checked_add(sum.flip).ok_or_else(|| Error::overflow("an offset"))?;
        Ok(Term::sum(offset, &sum.strides, &digits).text)
    };
    form.sums.iter().map(result).collect()
}

fn by_stages(map: &Map) -> Result<Vec<String>, Error> {
    let mut row: Vec<Term> = (0..map.domain().len()).map(Term::dim).collect();
    for stage in map.stages() {
        match stage {
            Stage::Split { at, radices } => {
                for (place, radix) in (*at..).zip(radices) {
                    let Some(whole) = row.get(place) else { break };
                    let digits = [whole.modulo(*radix), whole.divided(*radix)];
                    row.splice(place..=place, digits);
                }
            }
            Stage::Join { at, count, sums } => {
                let parts = row.get(*at..at + count).unwrap_or(&[]);
                let joined: Vec<Term> =
                    sums.iter().map(|(offset, strides)| Term::sum(*offset, strides, parts)).collect();
                row.splice(*at..at + count, joined);
            }
            Stage::Permute(order) => row = order.iter().filter_map(|place| row.get(*place).cloned()).collect(),
            Stage::Xor { .. } => return Err(xored("a stage is an xor")),
            Stage::Guard { extent, .. } => {
                let message = format!("coordinates at or above {extent} are padding, which no affine map says");
                return Err(Error::new(Code::NotALayout, message));
            }
        }
        if row.iter().map(|term| term.text.len()).sum::<usize>() > LONGEST {
            return Err(Error::new(Code::TooLarge, format!("the affine map is longer than {LONGEST} bytes")));
        }
    }
    Ok(row.into_iter().map(|term| term.text).collect())
}

fn xored(what: &str) -> Error {
    Error::new(Code::NotALayout, format!("{what}, which no affine map says"))
}

/// An expression, and whether it must stand in parentheses beside an operator.
#[derive(Clone, Debug)]
struct Term {
    text: String,
    single: bool,
}

impl Term {
    fn dim(dim: usize) -> Term {
        Term { text: format!("d{dim}"), single: true }
    }

    fn operand(&self) -> String {
        if self.single { self.text.clone() } else { format!("({})", self.text) }
    }

    fn modulo(&self, radix: i64) -> Term {
        Term { text: format!("{} mod {radix}", self.operand()), single: false }
    }

    fn divided(&self, radix: i64) -> Term {
        Term { text: format!("{} floordiv {radix}", self.operand()), single: false }
    }

    fn sum(offset: i64, strides: &[i64], parts: &[Term]) -> Term {
        let mut text = String::new();
        let mut terms = 0;
        let mut single = true;
        for (stride, part) in strides.iter().zip(parts).filter(|(stride, part)| **stride != 0 && part.text != "0") {
            if terms > 0 {
                text += " + ";
            }
            // Writing to a string cannot fail.
            let _ = match stride {
                1 => write!(text, "{}", part.text),
                stride => write!(text, "{} * {stride}", part.operand()),
            };
            single = *stride == 1 && part.single;
            terms += 1;
        }
        if terms == 0 {
            return Term { text: offset.to_string(), single: offset >= 0 };
        }
        if offset != 0 {
            let _ = write!(text, " {} {}", if offset > 0 { '+' } else { '-' }, offset.unsigned_abs());
        }
        Term { text, single: single && terms == 1 && offset == 0 }
    }
}
