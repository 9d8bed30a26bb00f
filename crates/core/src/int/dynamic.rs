//! An integer the algebra may know in full, in part or not at all.
//!
//! | text | is | the algebra may |
//! |---|---|---|
//! | `5` | static | shape the answer by it |
//! | `5?` | dynamic | check the answer with it |
//! | `?{div=8}` | unknown | use that 8 divides it |
//! | `M`, `4*M` | named unknown, or an expression in such | use its divisor, and that M is M |
//!
//! As an extent an unknown stands for a value of at least 1, so at least its divisor; as a stride for any value.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::symbol::Symbol;
use super::{Integer, by_zero, gcd};
use crate::error::{Code, Error};

/// A static, dynamic or unknown integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Int {
    /// A number the algebra may shape its answer by.
    Static(i64),
    /// A number known only when the program runs: `5?`.
    Dynamic(i64),
    /// An unknown number that the given positive number divides: `?{div=8}`.
    Unknown(i64),
    /// A named unknown or an expression in them.
    Symbol(Arc<Symbol>),
}

impl Int {
    /// A named unknown whose values `div` divides.
    ///
    /// ```
    /// use bitstride::Int;
    /// assert_eq!(Int::named("M", 8).to_string(), "M{div=8}");
    /// ```
    pub fn named(name: &str, div: i64) -> Self {
        Int::Symbol(Arc::new(Symbol::name(name, div)))
    }

    /// The number, static or dynamic.
    ///
    /// # Errors
    /// [`Code::MissingFact`] for an unknown.
    pub fn as_number(&self) -> Result<i64, Error> {
        self.value().ok_or_else(|| error!(Code::MissingFact, "the value of {number} is not known", [number = self]))
    }

    /// The same number with its kind forgotten: static where it has a value.
    #[must_use]
    pub fn settled(&self) -> Self {
        self.value().map_or_else(|| self.clone(), Int::Static)
    }

    /// The value when every name has one; anonymous unknowns have none.
    ///
    /// # Errors
    /// [`Code::MissingFact`] when a value is missing, [`Code::Overflow`].
    pub fn instantiate(&self, values: &BTreeMap<String, i64>) -> Result<i64, Error> {
        match self {
            Int::Symbol(symbol) => symbol.instantiate(values),
            _ => self.as_number(),
        }
    }

    /// The names in it, each with its declared divisor.
    pub fn names(&self) -> BTreeMap<String, i64> {
        match self {
            Int::Symbol(symbol) => symbol.names(),
            _ => BTreeMap::new(),
        }
    }

    /// The summands of an expression; any other integer is its own.
    pub(crate) fn summands(&self) -> Vec<Int> {
        match self {
            Int::Symbol(symbol) => symbol.summands().into_iter().map(Int::from_symbol).collect(),
            _ => vec![self.clone()],
        }
    }

    /// As the C++ library prints it: `_5` static, `5` dynamic.
    pub fn cpp(&self) -> String {
        match self {
            Int::Static(n) => format!("_{n}"),
            Int::Dynamic(n) => n.to_string(),
            Int::Symbol(symbol) => symbol.cpp(),
            Int::Unknown(_) => self.to_string(),
        }
    }

    fn unknown(divisor: i64) -> Self {
        Int::Unknown(divisor.max(1))
    }

    /// As a polynomial, unless it is anonymous.
    fn symbol(&self) -> Option<Symbol> {
        match self {
            Int::Static(n) => Some(Symbol::constant(*n)),
            Int::Symbol(symbol) => Some(Symbol::clone(symbol)),
            Int::Dynamic(_) | Int::Unknown(_) => None,
        }
    }

    /// As a polynomial for comparing, a dynamic number too.
    fn number_or_symbol(&self) -> Option<Symbol> {
        self.value().map(Symbol::constant).or_else(|| self.symbol())
    }

    /// Whether it is a factor of every term of another named integer.
    fn divides_terms(&self, other: &Self) -> bool {
        match (self.symbol(), other.symbol()) {
            (Some(a), Some(b)) => a == b || b.exact_div_symbol(&a).is_some(),
            _ => false,
        }
    }

    fn from_symbol(symbol: Symbol) -> Self {
        match symbol.as_constant() {
            Some(n) => Int::Static(n),
            None => Int::Symbol(Arc::new(symbol)),
        }
    }

    /// Combines two integers: numbers by `number`, named ones by `named`, and whatever is anonymous becomes an unknown
    /// with the divisor `divisor`.
    fn combine(
        &self,
        other: &Self,
        number: impl FnOnce(i64, i64) -> Result<i64, Error>,
        named: impl FnOnce(Symbol, Symbol) -> Result<Option<Symbol>, Error>,
        divisor: i64,
    ) -> Result<Self, Error> {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            let n = number(a, b)?;
            let is_static = self.fixed().is_some() && other.fixed().is_some();
            return Ok(if is_static { Int::Static(n) } else { Int::Dynamic(n) });
        }
        if let (Some(a), Some(b)) = (self.symbol(), other.symbol())
            && let Some(symbol) = named(a, b)?
        {
            return Ok(Int::from_symbol(symbol));
        }
        Ok(Int::unknown(divisor))
    }
}

impl Default for Int {
    fn default() -> Self {
        Int::Static(0)
    }
}

impl From<i64> for Int {
    fn from(n: i64) -> Self {
        Int::Static(n)
    }
}

impl Integer for Int {
    fn fixed(&self) -> Option<i64> {
        match self {
            Int::Static(n) => Some(*n),
            _ => None,
        }
    }

    fn value(&self) -> Option<i64> {
        match self {
            Int::Static(n) | Int::Dynamic(n) => Some(*n),
            _ => None,
        }
    }

    fn divisor(&self) -> i64 {
        match self {
            Int::Static(n) | Int::Dynamic(n) => n.divisor(),
            Int::Unknown(div) => *div,
            Int::Symbol(symbol) => symbol.divisor(),
        }
    }

    fn add(&self, other: &Self) -> Result<Self, Error> {
        crate::cancel::checkpoint();
        match (self, other) {
            (Int::Static(0), n) | (n, Int::Static(0)) => Ok(n.clone()),
            _ => self.combine(
                other,
                |a, b| Integer::add(&a, &b),
                |a, b| a.add(&b).map(Some),
                gcd(self.divisor(), other.divisor()),
            ),
        }
    }

    fn mul(&self, other: &Self) -> Result<Self, Error> {
        crate::cancel::checkpoint();
        match (self, other) {
            (Int::Static(0), _) | (_, Int::Static(0)) => Ok(Int::Static(0)),
            (Int::Static(1), n) | (n, Int::Static(1)) => Ok(n.clone()),
            _ => self.combine(
                other,
                |a, b| Integer::mul(&a, &b),
                |a, b| a.mul(&b).map(Some),
                // A smaller divisor is still a divisor.
                self.divisor().checked_mul(other.divisor()).unwrap_or(self.divisor()),
            ),
        }
    }

    fn quotient(&self, other: &Self) -> Result<Self, Error> {
        match (self, other) {
            (_, Int::Static(0)) => Err(by_zero(self, other)),
            (Int::Static(0), _) => Ok(Int::Static(0)),
            (n, Int::Static(1)) => Ok(n.clone()),
            _ => self.combine(
                other,
                |a, b| a.quotient(&b),
                |a, b| {
                    let exact = match b.as_constant() {
                        Some(n) => a.exact_div(n),
                        None => a.exact_div_symbol(&b),
                    };
                    Ok(Some(exact.unwrap_or_else(|| Symbol::call("div", a, b, exact_divisor(self, other)))))
                },
                exact_divisor(self, other),
            ),
        }
    }

    fn ceil_div(&self, other: &Self) -> Result<Self, Error> {
        match (self, other) {
            (_, Int::Static(0)) => Err(by_zero(self, other)),
            (Int::Static(0), _) => Ok(Int::Static(0)),
            (n, Int::Static(1)) => Ok(n.clone()),
            // An unknown that is at least this much takes all of it.
            (Int::Static(1..) | Int::Symbol(_), _)
                if other.value().is_none() && self.sign() == Some(1) && self.at_most(other) == Some(true) =>
            {
                Ok(Int::Static(1))
            }
            _ => self.combine(
                other,
                |a, b| a.ceil_div(&b),
                |a, b| {
                    let exact = match b.as_constant() {
                        Some(n) => a.exact_div(n),
                        None => a.exact_div_symbol(&b),
                    };
                    Ok(Some(exact.unwrap_or_else(|| Symbol::call("ceil_div", a, b, exact_divisor(self, other)))))
                },
                exact_divisor(self, other),
            ),
        }
    }

    fn min(&self, other: &Self) -> Result<Self, Error> {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            let n = a.min(b);
            let is_static = self.fixed().is_some() && other.fixed().is_some();
            return Ok(if is_static { Int::Static(n) } else { Int::Dynamic(n) });
        }
        if self.same(other) || self.at_most(other) == Some(true) {
            return Ok(self.clone());
        }
        if other.at_most(self) == Some(true) {
            return Ok(other.clone());
        }
        let divisor = gcd(self.divisor(), other.divisor());
        match (self.symbol(), other.symbol()) {
            (Some(a), Some(b)) => Ok(Int::from_symbol(Symbol::call("min", a, b, divisor))),
            _ => Ok(Int::unknown(divisor)),
        }
    }

    fn abs(&self) -> Result<Self, Error> {
        match self {
            Int::Static(n) => Ok(Int::Static(Integer::abs(n)?)),
            Int::Dynamic(n) => Ok(Int::Dynamic(Integer::abs(n)?)),
            // An unknown stands for positive values; a sum of terms of both signs may be either.
            Int::Unknown(_) => Ok(self.clone()),
            Int::Symbol(symbol) => match symbol.sign() {
                Some(sign) => self.mul(&Int::from(sign)),
                None => Ok(Int::unknown(symbol.divisor())),
            },
        }
    }

    fn divides(&self, other: &Self) -> Option<bool> {
        match (self.value(), other.value()) {
            (Some(a), Some(b)) => Some(if a == 0 { b == 0 } else { b.checked_rem(a) == Some(0) }),
            (Some(a), None) if a != 0 && other.divisor().checked_rem(a) == Some(0) => Some(true),
            (None, _) if self.divides_terms(other) => Some(true),
            _ => None,
        }
    }

    fn at_most(&self, other: &Self) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            return Some(a <= b);
        }
        if let (Some(a), Int::Unknown(div)) = (self.value(), other)
            && a <= *div
        {
            return Some(true);
        }
        let least = |to: &Int, from: &Int| {
            let (to, from) = (to.number_or_symbol()?, from.number_or_symbol()?);
            let difference = to.add(&from.negated()?).ok()?;
            difference.as_constant().or_else(|| difference.least())
        };
        match (least(other, self), least(self, other)) {
            (Some(0..), _) => Some(true),
            (_, Some(1..)) => Some(false),
            _ => None,
        }
    }

    fn sign(&self) -> Option<i64> {
        match self {
            Int::Static(n) | Int::Dynamic(n) => Some(n.signum()),
            Int::Unknown(_) => None,
            Int::Symbol(symbol) => symbol.sign(),
        }
    }

    fn remainder(&self, other: &Self) -> Result<Self, Error> {
        match (self, other) {
            (_, Int::Static(0)) => Err(by_zero(self, other)),
            (_, Int::Static(1)) | (Int::Static(0), _) => Ok(Int::Static(0)),
            _ if other.fixed().is_some() && other.divides(self) == Some(true) && self.value().is_none() => {
                Ok(Int::Static(0))
            }
            _ => self.combine(
                other,
                |a, b| a.remainder(&b),
                |a, b| Ok(Some(Symbol::call("mod", a, b, gcd(self.divisor(), other.divisor())))),
                gcd(self.divisor(), other.divisor()),
            ),
        }
    }

    fn beside_colon(&self) -> String {
        let summands = self.summands();
        if summands.len() < 2 {
            return self.to_string();
        }
        format!("add({})", summands.iter().map(Int::to_string).collect::<Vec<_>>().join(","))
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Int::Static(a), Int::Static(b)) => a == b,
            (Int::Symbol(a), Int::Symbol(b)) => a == b,
            _ => false,
        }
    }
}

/// What still divides a quotient: all that divides the dividend beyond the divisor, when that is a number dividing it.
fn exact_divisor(a: &Int, b: &Int) -> i64 {
    match b.value() {
        Some(n) if n != 0 && a.divisor().checked_rem(n) == Some(0) => {
            a.divisor().checked_div(n).map_or(1, i64::saturating_abs)
        }
        _ => 1,
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int::Static(n) => write!(f, "{n}"),
            Int::Dynamic(n) => write!(f, "{n}?"),
            Int::Unknown(1) => f.write_str("?"),
            Int::Unknown(div) => write!(f, "?{{div={div}}}"),
            Int::Symbol(symbol) => write!(f, "{symbol}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_propagate() {
        let m = Int::named("M", 8);
        assert_eq!(m.mul(&Int::from(4)).map(|n| n.divisor()), Ok(32));
        assert_eq!(m.ceil_div(&Int::from(4)).map(|n| n.to_string()), Ok("ceil_div(M{div=8},4)".into()));
        assert_eq!(m.ceil_div(&Int::from(4)).map(|n| n.divisor()), Ok(2));
        assert_eq!(Int::Unknown(8).mul(&Int::Unknown(4)), Ok(Int::Unknown(32)));
        assert_eq!(Int::Unknown(8).min(&Int::from(8)), Ok(Int::from(8)));
    }

    #[test]
    fn static_zero_and_one_absorb() {
        assert_eq!(Int::Dynamic(7).mul(&Int::from(0)), Ok(Int::Static(0)));
        assert_eq!(Int::Dynamic(7).mul(&Int::from(3)), Ok(Int::Dynamic(21)));
        assert_eq!(Int::Dynamic(7).remainder(&Int::from(1)), Ok(Int::Static(0)));
    }
}
