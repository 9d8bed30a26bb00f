//! [`Element`]: how many bits an element of a tensor has.

use bitstride::{Code, Error};

/// The size of an element: 2 or 4 bits, the first in the lowest bits of a byte, or 1, 2, 4, 8 or 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element(u8);

impl Element {
    /// An element of so many bits.
    ///
    /// # Errors
    /// [`Code::Range`] for other sizes.
    ///
    /// ```
    /// use bitstride_relayout::Element;
    /// assert_eq!(Element::of_bits(16)?.to_string(), "2 bytes");
    /// assert!(Element::of_bits(24).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_bits(bits: u32) -> Result<Self, Error> {
        match u8::try_from(bits) {
            Ok(bits @ (2 | 4 | 8 | 16 | 32 | 64 | 128)) => Ok(Element(bits)),
            _ => {
                let message = format!("elements of {bits} bits; they have 2, 4, 8, 16, 32, 64 or 128");
                Err(Error::new(Code::Range, message))
            }
        }
    }

    /// Its bits.
    pub fn bits(self) -> i64 {
        i64::from(self.0)
    }
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            8 => write!(f, "1 byte"),
            bits if bits > 8 => write!(f, "{} bytes", bits / 8),
            bits => write!(f, "{bits} bits"),
        }
    }
}
