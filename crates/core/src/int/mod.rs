//! The integers at the leaves of shapes and strides.
//!
//! The algebra is written once over the trait [`Integer`] and runs on two types: `i64`, where every number is static
//! and every question is answered at once, and [`Int`], where a leaf may be static, dynamic (a value the algebra may
//! not shape its answer by, though it may check the answer with it) or unknown (nothing but a divisor, perhaps a
//! name). Law: replacing the dynamic and unknown leaves of operands by values and then evaluating gives the same
//! function as evaluating first and replacing after.

mod dynamic;
mod symbol;

use std::fmt;
use std::hash::Hash;

pub use dynamic::Int;
pub use symbol::Symbol;

use crate::error::{Code, Error};
use sealed::Sealed;

/// Only this workspace names it: the tests count arithmetic with a leaf of their own.
#[doc(hidden)]
pub mod sealed {
    /// What only leaves of this crate are.
    pub trait Sealed {}

    impl Sealed for i64 {}
    impl Sealed for super::Int {}
}

/// What the algebra asks of a leaf.
///
/// The comparing questions answer `None` when the facts do not settle them; arithmetic errs with [`Code::Overflow`].
///
/// The trait is sealed: it is implemented by `i64` and [`Int`], and later versions may ask more of a leaf.
pub trait Integer:
    Sealed + Clone + Default + Eq + Hash + Send + Sync + fmt::Debug + fmt::Display + From<i64> + Sized + 'static
{
    /// The value the algebra may shape its answer by (static leaves only).
    fn fixed(&self) -> Option<i64>;
    /// The value the algebra may check its answer with (static and dynamic leaves).
    fn value(&self) -> Option<i64>;
    /// The largest number known to divide the value; 0 for the static 0.
    fn divisor(&self) -> i64;
    /// `self + other`.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    fn add(&self, other: &Self) -> Result<Self, Error>;
    /// `self * other`.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    fn mul(&self, other: &Self) -> Result<Self, Error>;
    /// `self / other`, rounded towards zero as C++ does.
    ///
    /// # Errors
    /// [`Code::Range`] when `other` is 0.
    fn quotient(&self, other: &Self) -> Result<Self, Error>;
    /// `self / other` rounded up, for non-negative `self` and positive `other`.
    ///
    /// # Errors
    /// [`Code::Range`] when `other` is 0.
    fn ceil_div(&self, other: &Self) -> Result<Self, Error>;
    /// The smaller of two extents.
    ///
    /// # Errors
    /// [`Code::MissingFact`] when the facts do not settle which it is and no expression can say it.
    fn min(&self, other: &Self) -> Result<Self, Error>;
    /// `|self|`.
    ///
    /// # Errors
    /// [`Code::Overflow`] for the smallest `i64`.
    fn abs(&self) -> Result<Self, Error>;
    /// `self % other` with the sign of `self`, as C++ does.
    ///
    /// # Errors
    /// [`Code::Range`] when `other` is 0.
    fn remainder(&self, other: &Self) -> Result<Self, Error>;

    /// Quotient and remainder at once, as [`Integer::quotient`] and [`Integer::remainder`] give them.
    ///
    /// # Errors
    /// [`Code::Range`] when `other` is 0.
    #[inline]
    fn div_rem(&self, other: &Self) -> Result<(Self, Self), Error> {
        Ok((self.quotient(other)?, self.remainder(other)?))
    }

    /// `self / other` rounded down, as `//` of Python. Law: `self` is `floor_div * other + floor_mod`, and the latter is 0 or lies
    /// between 0 and `other`.
    ///
    /// # Errors
    /// [`Code::Range`] when `other` is 0, [`Code::Overflow`].
    fn floor_div(&self, other: &Self) -> Result<Self, Error> {
        let quotient = self.quotient(other)?;
        match (self.sign(), other.sign(), self.value().zip(other.value())) {
            // Of what is not negative it is the quotient towards zero, which unknowns keep in fewer words.
            (Some(0 | 1), Some(1), _) => Ok(quotient),
            (.., Some((a, b))) if is_rounded_up(a, b) => quotient.add(&Self::from(-1)),
            (.., Some(_)) => Ok(quotient),
            _ => {
                let minus = Self::from(-1);
                minus.mul(&minus.mul(self)?.ceil_div(other)?)
            }
        }
    }

    /// `self % other` with the sign of `other`, as `%` of Python: what [`Integer::floor_div`] leaves.
    ///
    /// # Errors
    /// [`Code::Range`] when `other` is 0, [`Code::Overflow`].
    fn floor_mod(&self, other: &Self) -> Result<Self, Error> {
        let remainder = self.remainder(other)?;
        match (self.sign(), other.sign(), self.value().zip(other.value())) {
            (Some(0 | 1), Some(1), _) => Ok(remainder),
            (.., Some((a, b))) if is_rounded_up(a, b) => remainder.add(other),
            (.., Some(_)) => Ok(remainder),
            _ => self.add(&Self::from(-1).mul(&self.floor_div(other)?.mul(other)?)?),
        }
    }

    /// Whether the value is settled as exactly `n`, for shaping an answer.
    #[inline]
    fn is(&self, n: i64) -> bool {
        self.fixed() == Some(n)
    }

    /// Whether two leaves are settled to be the same number, for shaping an answer.
    fn same(&self, other: &Self) -> bool;

    /// Whether `self` divides `other`; `None` when the facts do not settle it.
    #[inline]
    fn divides(&self, other: &Self) -> Option<bool> {
        match (self.value(), other.value()) {
            (Some(a), Some(b)) => Some(if a == 0 { b == 0 } else { b.checked_rem(a) == Some(0) }),
            (Some(a), None) if a != 0 && other.divisor().checked_rem(a) == Some(0) => Some(true),
            _ => None,
        }
    }

    /// Whether `self <= other` for two extents; `None` when the facts do not settle it.
    #[inline]
    fn at_most(&self, other: &Self) -> Option<bool> {
        match (self.value(), other.value()) {
            (Some(a), Some(b)) => Some(a <= b),
            // An unknown extent is at least its divisor.
            (Some(a), None) if a <= other.divisor() => Some(true),
            _ => None,
        }
    }

    /// As text beside a colon without brackets, where a sum would be read as a layout and an offset.
    fn beside_colon(&self) -> String {
        self.to_string()
    }

    /// `-1`, `0` or `1` where the sign is settled.
    #[inline]
    fn sign(&self) -> Option<i64> {
        self.value().map(i64::signum)
    }
}

/// Whether rounding `a / b` towards zero rounds it up.
fn is_rounded_up(a: i64, b: i64) -> bool {
    a.checked_rem(b).is_some_and(|rest| rest != 0 && (rest < 0) != (b < 0))
}

impl Integer for i64 {
    #[inline]
    fn fixed(&self) -> Option<i64> {
        Some(*self)
    }

    #[inline]
    fn value(&self) -> Option<i64> {
        Some(*self)
    }

    #[inline]
    fn divisor(&self) -> i64 {
        self.checked_abs().unwrap_or(1)
    }

    #[inline]
    fn add(&self, other: &Self) -> Result<Self, Error> {
        self.checked_add(*other).ok_or_else(|| beyond(*self, "+", *other))
    }

    #[inline]
    fn mul(&self, other: &Self) -> Result<Self, Error> {
        self.checked_mul(*other).ok_or_else(|| beyond(*self, "*", *other))
    }

    #[inline]
    fn quotient(&self, other: &Self) -> Result<Self, Error> {
        // A division costs more than all else in most operations, and these cases are most of them.
        if *other == 1 {
            return Ok(*self);
        }
        if self == other && *self != 0 {
            return Ok(1);
        }
        self.checked_div(*other).ok_or_else(|| by_zero(self, other))
    }

    #[inline]
    fn ceil_div(&self, other: &Self) -> Result<Self, Error> {
        if *self > 0 && self <= other {
            return Ok(1);
        }
        let quotient = self.quotient(other)?;
        // For an exact quotient or a negative one rounding towards zero is rounding up.
        let up = quotient.wrapping_mul(*other) != *self && (*self > 0) == (*other > 0);
        Ok(if up { quotient + 1 } else { quotient })
    }

    #[inline]
    fn min(&self, other: &Self) -> Result<Self, Error> {
        Ok(*Ord::min(self, other))
    }

    #[inline]
    fn abs(&self) -> Result<Self, Error> {
        self.checked_abs().ok_or_else(|| Error::overflow(&format!("|{self}|")))
    }

    #[inline]
    fn remainder(&self, other: &Self) -> Result<Self, Error> {
        if *self >= 0 && self < other {
            return Ok(*self);
        }
        self.checked_rem(*other).ok_or_else(|| by_zero(self, other))
    }

    #[inline]
    fn div_rem(&self, other: &Self) -> Result<(Self, Self), Error> {
        match (self.checked_div(*other), self.checked_rem(*other)) {
            (Some(quotient), Some(remainder)) => Ok((quotient, remainder)),
            _ => Err(by_zero(self, other)),
        }
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// Out of line, so that the code that calls for arithmetic stays short.
#[cold]
#[inline(never)]
fn beyond(a: i64, operation: &str, b: i64) -> Error {
    Error::overflow(&format!("{a} {operation} {b}"))
}

#[cold]
#[inline(never)]
pub(crate) fn by_zero(a: &impl fmt::Display, b: &impl fmt::Display) -> Error {
    error!(
        Code::Range,
        "{a} / {b}: the divisor must not be {zero} and the quotient must fit in {bits} bits",
        [a, b, zero = 0, bits = 64]
    )
}

/// The named calls that stay unexpanded in a [`Symbol`].
///
/// # Errors
/// What the called operation errs with; [`Code::UnknownName`] for another name.
pub(crate) fn call<I: Integer>(name: &str, a: &I, b: &I) -> Result<I, Error> {
    match name {
        "ceil_div" => a.ceil_div(b),
        "div" => a.quotient(b),
        "mod" => a.remainder(b),
        "min" => a.min(b),
        _ => Err(error!(Code::UnknownName, "no integer function is called {name}", [name])),
    }
}

/// The greatest common divisor of two numbers, never negative; `gcd(0, n) = |n|`.
///
/// ```
/// assert_eq!(bitstride::gcd(12, -18), 6);
/// ```
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    // Layouts have many powers of two: without division (Stein, Computational problems associated with Racah algebra, 1967).
    if a != 0 && b != 0 {
        let shared = (a | b).trailing_zeros();
        a >>= a.trailing_zeros();
        while b != 0 {
            b >>= b.trailing_zeros();
            (a, b) = (a.min(b), a.abs_diff(b));
        }
        a <<= shared;
    }
    // Only gcd(MIN, MIN) and gcd(MIN, 0) exceed i64, where 2^62 still divides both.
    i64::try_from(a | b).unwrap_or(1 << 62)
}
