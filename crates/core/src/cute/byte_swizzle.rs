//! A swizzle of byte addresses under a layout that counts elements: `Sw<3,4,3> o bytes[16] o (8,64):(64,1)`.
//!
//! CuTe prints such a layout as `Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)`: the offset of an element of 16 bits is
//! taken as the address of its first bit, whose byte is swizzled. Law: `R(x) = bits(Sw(byte of bits·x)) / bits`, where that
//! is a whole number. For elements of a power of two of bits it is a swizzle of elements, unless a bit is moved inside one:
//! then an element has no offset, though its bytes have addresses.

use std::fmt;

use super::swizzle::Swizzle;
use crate::cast::narrow;
use crate::error::{Code, Error};

/// How many bits a byte has.
const BYTE: i64 = 8;

/// A swizzle of the bytes of elements of a given number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ByteSwizzle {
    swizzle: Swizzle,
    bits: i64,
}

impl ByteSwizzle {
    /// The swizzle of byte addresses of elements of a given number of bits.
    ///
    /// # Errors
    /// [`Code::Range`] unless an element has a positive number of bits.
    ///
    /// ```
    /// use bitstride::cute::{ByteSwizzle, Swizzle};
    /// let halves = ByteSwizzle::new(Swizzle::new(3, 4, 3)?, 16)?;
    /// assert_eq!(halves.apply(64)?, Swizzle::new(3, 3, 3)?.apply(64));
    /// assert_eq!(halves.of_elements(-1)?, Swizzle::new(3, 3, 3)?);
    /// assert_eq!(halves.to_string(), "Sw<3,4,3> o bytes[16]");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(swizzle: Swizzle, bits: i64) -> Result<Self, Error> {
        if bits < 1 {
            return Err(error!(Code::Range, "an element has a positive number of bits, not {bits}", [bits]));
        }
        Ok(ByteSwizzle { swizzle, bits })
    }

    /// The swizzle, of bytes.
    pub fn swizzle(self) -> Swizzle {
        self.swizzle
    }

    /// How many bits an element has.
    pub fn bits(self) -> i64 {
        self.bits
    }

    /// The same for elements `up/down` times as large.
    ///
    /// # Errors
    /// [`Code::NotDivisible`] where that is no whole number of bits, [`Code::Range`], [`Code::Overflow`].
    pub(super) fn rescaled(self, up: i64, down: i64) -> Result<Self, Error> {
        let bits = self.bits.checked_mul(up).ok_or_else(|| Error::overflow("the bits of an element"))?;
        match (bits.checked_rem(down), bits.checked_div(down)) {
            (Some(0), Some(bits)) => ByteSwizzle::new(self.swizzle, bits),
            _ => Err(error!(
                Code::NotDivisible,
                "{swizzle}: {bits} bits are no whole multiple of {down}",
                [swizzle = self, bits, down]
            )),
        }
    }

    /// The offset that the element at an offset is moved to.
    ///
    /// # Errors
    /// [`Code::NotALayout`] where its first bit comes to lie inside an element; [`Code::Overflow`].
    pub fn apply(self, x: i64) -> Result<i64, Error> {
        let address = narrow(i128::from(x) * i128::from(self.bits))?;
        let byte = self.swizzle.apply(address.div_euclid(BYTE));
        let moved = i128::from(byte) * i128::from(BYTE) + i128::from(address.rem_euclid(BYTE));
        let bits = i128::from(self.bits);
        if moved.rem_euclid(bits) != 0 {
            return Err(error!(
                Code::NotALayout,
                "{swizzle} moves the element at {x} from byte {from} to byte {byte}, inside an element of {bits} bits",
                [swizzle = self, x, from = address.div_euclid(BYTE), byte, bits = self.bits]
            )
            .with_help(format!("count bytes or bits: `bytes(X, {0})`, `bits(X, {0})`", self.bits)));
        }
        narrow(moved.div_euclid(bits))
    }

    /// The swizzle of elements that it is, on offsets that have only these bits set.
    ///
    /// # Errors
    /// [`Code::NotALayout`] where it moves bits inside an element, or elements are no power of two of bits.
    pub fn of_elements(self, set: i64) -> Result<Swizzle, Error> {
        let why = |reason: String| {
            error!(Code::NotALayout, "{swizzle} is no swizzle of elements: {reason}", [swizzle = self, reason])
                .with_help(format!("count bytes or bits: `bytes(X, {0})`, `bits(X, {0})`", self.bits))
        };
        // Below the bits that it reads it moves nothing.
        let last = i128::from(set) * i128::from(self.bits) / i128::from(BYTE);
        let sources = self.swizzle.sources();
        if self.swizzle.is_identity() || set >= 0 && last < i128::from(sources & sources.wrapping_neg()) {
            return Swizzle::new(0, 0, 0);
        }
        if self.bits.count_ones() != 1 {
            return Err(why(format!("{} bits are no power of two", self.bits)));
        }
        let log = self.bits.trailing_zeros();
        if log < BYTE.trailing_zeros() {
            return self.swizzle.downcast(BYTE.trailing_zeros() - log);
        }
        let log = log - BYTE.trailing_zeros();
        let bytes = set.checked_shl(log).filter(|bytes| bytes >> log == set).unwrap_or(-1);
        self.swizzle.upcast(log, bytes).map_err(|error| why(error.message().to_owned()))
    }
}

impl fmt::Display for ByteSwizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.swizzle.is_identity() {
            write!(f, "{} o ", self.swizzle)?;
        }
        write!(f, "bytes[{}]", self.bits)
    }
}

impl ByteSwizzle {
    /// As the C++ library prints it: `Sw<3,4,3> o smem_ptr[16b](unset)`.
    pub fn cpp(self) -> String {
        format!("{} o smem_ptr[{}b](unset)", self.swizzle, self.bits)
    }
}
