//! [`Stored`]: how a value becomes the bits that are stored, beside where these lie.
//!
//! Law: a value outside of the domain is refused with its number; inside, [`Stored::undo`] gives back what
//! [`Stored::apply`] took.

use std::fmt;

use bitstride::cast::narrow;
use bitstride::{Code, Error};

/// A step from a value to the bits that are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The bits of a constant are flipped. Everything is in the domain.
    Xor(i64),
    /// A constant is added; the sum must have as many bits as before: zero points minus 1 refuse 0.
    Add(i64),
    /// The biased exponent of a positive power of two of 32 bits, as E8M0 stores a scale. Others are refused.
    Exponent,
}

impl Stored {
    /// The stored bits of a value of so many bits.
    ///
    /// # Errors
    /// [`Code::Range`] for a value outside of the domain.
    ///
    /// ```
    /// use bitstride_formats::Stored;
    /// assert_eq!(Stored::Xor(8).apply(3, 4)?, 11);
    /// assert_eq!(Stored::Add(-1).apply(3, 4)?, 2);
    /// assert!(Stored::Add(-1).apply(0, 4).is_err());
    /// assert_eq!(Stored::Exponent.apply(i64::from(0.25f32.to_bits()), 32)?, 125);
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
                    let message = format!("the bits 0x{value:08x} are no positive, normal power of two");
                    Err(Error::new(Code::Range, message)
                        .with_help("E8M0 has only powers of two; round the scales first"))
                }
            }
        }
    }

    /// The value of stored bits.
    ///
    /// # Errors
    /// [`Code::Range`] for what no value is stored as.
    pub fn undo(self, stored: i64, bits: i64) -> Result<i64, Error> {
        match self {
            Stored::Xor(constant) => Ok(stored ^ constant),
            Stored::Add(constant) => added(stored, narrow(-i128::from(constant))?, bits),
            Stored::Exponent if (1..=254).contains(&stored) => Ok(stored << 23),
            Stored::Exponent => {
                Err(Error::new(Code::Range, format!("the exponent {stored} is no normal number of 32 bits")))
            }
        }
    }

    /// The bits of a value whose stored form has so many.
    pub fn value_bits(self, stored_bits: i64) -> i64 {
        if self == Stored::Exponent { 32 } else { stored_bits }
    }
}

fn added(value: i64, constant: i64, bits: i64) -> Result<i64, Error> {
    let sum = narrow(i128::from(value) + i128::from(constant))?;
    let end = 1i64.checked_shl(u32::try_from(bits).unwrap_or(63)).filter(|end| *end > 0).unwrap_or(i64::MAX);
    if (0..end).contains(&sum) {
        Ok(sum)
    } else {
        let message = format!("{value} would be stored as {sum}, which {bits} bits do not hold");
        Err(Error::new(Code::Range, message))
    }
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stored::Xor(constant) => write!(f, "xor 0x{constant:x}"),
            Stored::Add(constant) => write!(f, "{constant:+}"),
            Stored::Exponent => f.write_str("exponent of a power of two (E8M0)"),
        }
    }
}
