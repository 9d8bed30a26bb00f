//! [`Element`]: the size of an element of a tensor in bits.

use bitstride::{Code, Error, error};

/// The most bits of an element: records of files are some bytes, and none comes near.
const MAX_BITS: u32 = 1 << 19;

/// The most bits of a part: kernels move no wider unit.
const MAX_PART_BITS: i64 = 128;

/// The size of an element: 1, 2 or 4 bits, the first in the lowest bits of a byte, or whole bytes, at most 65536.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element(u32);

impl Element {
    /// An element of the given number of bits.
    ///
    /// # Errors
    /// [`Code::Range`] for other sizes.
    ///
    /// ```
    /// use bitstride_relayout::Element;
    /// assert_eq!(Element::of_bits(24)?.to_string(), "3 bytes");
    /// assert!(Element::of_bits(6).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_bits(bits: u32) -> Result<Self, Error> {
        match bits {
            1 | 2 | 4 => Ok(Element(bits)),
            8..=MAX_BITS if bits.is_multiple_of(8) => Ok(Element(bits)),
            _ => Err(error!(
                Code::Range,
                "elements of {bits} bits; they have 1, 2, 4, or a multiple of 8 up to {max_bits}",
                [bits, max_bits = MAX_BITS]
            )),
        }
    }

    /// Its bits.
    pub fn bits(self) -> i64 {
        i64::from(self.0)
    }

    /// The bits of the equal parts that kernels move: a power of two, at most 128. An element of 3 bytes is an axis of 3 parts
    /// of 1 byte, faster than all others.
    pub(crate) fn part_bits(self) -> i64 {
        (1 << self.0.trailing_zeros()).min(MAX_PART_BITS)
    }

    /// How many parts it has.
    pub(crate) fn parts(self) -> i64 {
        self.bits() / self.part_bits()
    }
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            1 => write!(f, "1 bit"),
            8 => write!(f, "1 byte"),
            bits if bits > 8 => write!(f, "{} bytes", bits / 8),
            bits => write!(f, "{bits} bits"),
        }
    }
}
