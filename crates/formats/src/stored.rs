//! [`Stored`]: how a value becomes the bits that are stored, beside where these lie.
//!
//! Law: a value outside of the domain is refused with its number; inside, [`Stored::undo`] gives back what
//! [`Stored::apply`] took.

use std::fmt;

use bitstride::cast::narrow;
use bitstride::{Code, Error, error};

/// A step from a value to the bits that are stored, or back: [`Stored::inverse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The bits of a constant are flipped. Everything is in the domain.
    Xor(i64),
    /// A constant is added; the sum must have as many bits as before: zero points minus 1 refuse 0.
    Add(i64),
    /// The biased exponent of a positive power of two of 32 bits, as E8M0 stores a scale. Others are refused.
    Exponent,
    /// The power of two, in 32 bits, of a biased exponent from 1 to 254: [`Stored::Exponent`] undone.
    PowerOfTwo,
    /// The reciprocal of a number of 32 bits, rounded to nearest: a scale that is stored as the divisor. Refused where the
    /// reciprocal of what is stored is another number, and for what is no positive, normal number.
    Reciprocal,
}

impl Stored {
    /// The stored bits of a value of a given number of bits.
    ///
    /// # Errors
    /// [`Code::Range`] for a value outside of the domain.
    ///
    /// ```
    /// use bitstride_formats::Stored;
    /// assert_eq!(Stored::Xor(8).apply(3, 4)?, 11);
    /// assert_eq!(Stored::Add(-1).apply(3, 4)?, 2);
    /// assert!(Stored::Add(-1).apply(0, 4).is_err());
    /// let bits = |number: f32| i64::from(number.to_bits());
    /// assert_eq!(Stored::Exponent.apply(bits(0.25), 32)?, 125);
    /// assert_eq!(Stored::Exponent.inverse().apply(125, 8)?, bits(0.25));
    /// assert_eq!(Stored::Reciprocal.apply(bits(2688.0), 32)?, bits(1.0 / 2688.0));
    /// // 1 / 7 is rounded to a number whose reciprocal is not 7.
    /// assert!(Stored::Reciprocal.apply(bits(7.0), 32).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn apply(self, value: i64, bits: i64) -> Result<i64, Error> {
        match self {
            Stored::Xor(constant) => Ok(value ^ constant),
            Stored::Add(constant) => added(value, constant, bits),
            Stored::Exponent => {
                let exponent = value >> 23;
                if value & 0x7f_ffff == 0 && (1..=254).contains(&exponent) {
                    Ok(exponent)
                } else {
                    Err(error!(Code::Range, "the bits 0x{value:08x} are no positive, normal power of two", [value])
                        .with_help("E8M0 has only powers of two; round the scales first"))
                }
            }
            Stored::PowerOfTwo if (1..=254).contains(&value) => Ok(value << 23),
            Stored::PowerOfTwo => {
                Err(error!(Code::Range, "the exponent {value} is no normal number of 32 bits", [value]))
            }
            Stored::Reciprocal => reciprocal(value),
        }
    }

    /// The step that leads back.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Stored::Add(constant) => Stored::Add(constant.wrapping_neg()),
            Stored::Exponent => Stored::PowerOfTwo,
            Stored::PowerOfTwo => Stored::Exponent,
            Stored::Xor(_) | Stored::Reciprocal => self,
        }
    }

    /// The value of stored bits.
    ///
    /// # Errors
    /// [`Code::Range`] for what no value is stored as.
    pub fn undo(self, stored: i64, bits: i64) -> Result<i64, Error> {
        self.inverse().apply(stored, bits)
    }

    /// The bits of what a value of a given number of bits is stored as.
    pub fn stored_bits(self, value_bits: i64) -> i64 {
        match self {
            Stored::Exponent => 8,
            Stored::PowerOfTwo => 32,
            Stored::Xor(_) | Stored::Add(_) | Stored::Reciprocal => value_bits,
        }
    }
}

fn reciprocal(value: i64) -> Result<i64, Error> {
    let refused = |why: String| {
        Err(Error::new(Code::Range, why).with_help("a repack moves values and does not round them; convert this scale"))
    };
    let Some(number) =
        u32::try_from(value).ok().map(f32::from_bits).filter(|number| number.is_normal() && *number > 0.0)
    else {
        return refused(format!("the bits 0x{value:08x} are no positive, normal number of 32 bits"));
    };
    let stored = number.recip();
    if !stored.is_normal() || stored.recip() != number {
        return refused(format!("1 / {number} is rounded to {stored}, whose reciprocal is {}", stored.recip()));
    }
    Ok(stored.to_bits().into())
}

fn added(value: i64, constant: i64, bits: i64) -> Result<i64, Error> {
    let sum = narrow(i128::from(value) + i128::from(constant))?;
    let end = 1i64.checked_shl(u32::try_from(bits).unwrap_or(63)).filter(|end| *end > 0).unwrap_or(i64::MAX);
    if (0..end).contains(&sum) {
        Ok(sum)
    } else {
        Err(error!(Code::Range, "{value} would be stored as {sum}, which {bits} bits do not hold", [value, sum, bits]))
    }
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stored::Xor(constant) => write!(f, "xor 0x{constant:x}"),
            Stored::Add(constant) => write!(f, "{constant:+}"),
            Stored::Exponent => f.write_str("exponent of a power of two (f32 to E8M0)"),
            Stored::PowerOfTwo => f.write_str("power of two of an exponent (E8M0 to f32)"),
            Stored::Reciprocal => f.write_str("reciprocal"),
        }
    }
}
