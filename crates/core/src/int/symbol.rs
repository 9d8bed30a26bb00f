//! Arithmetic on named unknowns: polynomials in atoms, with the facts that survive.
//!
//! A [`Symbol`] is a sum of products, each an integer times atoms, where an atom is a name (with the divisor it was
//! declared with) or a rounded or clamped expression that cannot be expanded (`ceil_div(M,128)`). Sorting the terms
//! makes equal sums equal texts. Law: instantiating the names commutes with `+` and `*`, and [`Symbol::divisor`]
//! divides every instance.

use std::collections::BTreeMap;
use std::fmt;

use super::{call, gcd};
use crate::error::{Code, Error};

/// A factor that is not expanded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Atom {
    Name {
        name: String,
        div: i64,
    },
    /// A call such as `ceil_div(M,128)`: its text is its identity.
    Call {
        name: &'static str,
        left: Box<Symbol>,
        right: Box<Symbol>,
        div: i64,
    },
}

/// Terms of more factors are not compared.
const MOST_FACTORS: usize = 8;

/// A polynomial in named unknowns; never a plain number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol {
    /// Sorted product of atoms -> coefficient, no zero coefficients. The empty product is the constant.
    terms: BTreeMap<Vec<Atom>, i64>,
}

impl Symbol {
    /// A name with the divisor its values are known to have.
    pub fn name(name: impl Into<String>, div: i64) -> Self {
        let atom = Atom::Name { name: name.into(), div: div.max(1) };
        Symbol { terms: BTreeMap::from([(vec![atom], 1)]) }
    }

    /// Its summands, the constant last.
    pub(super) fn summands(&self) -> Vec<Symbol> {
        let (constant, others): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(atoms, _)| atoms.is_empty());
        let single = |(atoms, n): (&Vec<Atom>, &i64)| Symbol { terms: BTreeMap::from([(atoms.clone(), *n)]) };
        others.into_iter().chain(constant).map(single).collect()
    }

    pub(super) fn constant(n: i64) -> Self {
        let mut terms = BTreeMap::new();
        if n != 0 {
            terms.insert(Vec::new(), n);
        }
        Symbol { terms }
    }

    /// The number this is, when no name is left.
    pub(super) fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The largest number known to divide every instance.
    pub fn divisor(&self) -> i64 {
        self.terms.iter().fold(0, |known, (atoms, coefficient)| {
            let term = atoms.iter().fold(coefficient.saturating_abs(), |product, atom| {
                // A smaller divisor is still a divisor.
                product.checked_mul(atom.divisor()).unwrap_or(product)
            });
            gcd(known, term)
        })
    }

    /// The least value, when every name stands for a positive multiple of its divisor; `None` where it may fall as a name
    /// grows.
    ///
    /// Each atom is written as its least value plus a rest that is not negative. Where no rest has a negative factor then,
    /// the least value is at rests of 0: `M*N-M` is `(N-1)*M`.
    pub(super) fn least(&self) -> Option<i64> {
        let mut shifted: BTreeMap<Vec<&Atom>, i64> = BTreeMap::new();
        for (atoms, coefficient) in &self.terms {
            if atoms.len() > MOST_FACTORS {
                return None;
            }
            // What is taken away is at most its greatest value.
            if let ([only], ..0) = (atoms.as_slice(), *coefficient)
                && let Some(greatest) = only.greatest()
            {
                let sum = shifted.entry(Vec::new()).or_default();
                *sum = sum.checked_add(coefficient.checked_mul(greatest)?)?;
                continue;
            }
            for choice in 0..1_u32 << atoms.len() {
                let (mut rests, mut factor) = (Vec::new(), *coefficient);
                for (at, atom) in atoms.iter().enumerate() {
                    if choice >> at & 1 == 1 {
                        rests.push(atom);
                    } else {
                        factor = factor.checked_mul(atom.least()?)?;
                    }
                }
                let sum = shifted.entry(rests).or_default();
                *sum = sum.checked_add(factor)?;
            }
        }
        let least = shifted.remove(&Vec::new()).unwrap_or(0);
        shifted.values().all(|factor| *factor >= 0).then_some(least)
    }

    /// The sign, where it is one for all values.
    pub(super) fn sign(&self) -> Option<i64> {
        let positive = |symbol: &Symbol| symbol.least().is_some_and(|least| least > 0);
        match self.negated() {
            _ if positive(self) => Some(1),
            Some(negated) if positive(&negated) => Some(-1),
            _ => None,
        }
    }

    /// The sum with every sign turned round.
    pub(super) fn negated(&self) -> Option<Symbol> {
        let terms = self.terms.iter().map(|(atoms, n)| Some((atoms.clone(), n.checked_neg()?)));
        terms.collect::<Option<BTreeMap<_, _>>>().map(|terms| Symbol { terms })
    }

    /// The names in it, each with its declared divisor.
    pub fn names(&self) -> BTreeMap<String, i64> {
        let mut names = BTreeMap::new();
        for atom in self.terms.keys().flatten() {
            match atom {
                Atom::Name { name, div } => {
                    names.insert(name.clone(), *div);
                }
                Atom::Call { left, right, .. } => {
                    names.extend(left.names());
                    names.extend(right.names());
                }
            }
        }
        names
    }

    /// The value when every name has one.
    ///
    /// # Errors
    /// [`Code::MissingFact`] for a name without a value, [`Code::Overflow`], [`Code::Range`] for a division by 0.
    pub fn instantiate(&self, values: &BTreeMap<String, i64>) -> Result<i64, Error> {
        let mut sum: i128 = 0;
        for (atoms, coefficient) in &self.terms {
            let mut product = i128::from(*coefficient);
            for atom in atoms {
                product = product
                    .checked_mul(i128::from(atom.instantiate(values)?))
                    .ok_or_else(|| Error::overflow(&self.to_string()))?;
            }
            sum = sum.checked_add(product).ok_or_else(|| Error::overflow(&self.to_string()))?;
        }
        crate::cast::narrow(sum)
    }

    pub(super) fn add(&self, other: &Self) -> Result<Self, Error> {
        let mut terms = self.terms.clone();
        for (atoms, coefficient) in &other.terms {
            let sum = terms.get(atoms).copied().unwrap_or(0).checked_add(*coefficient);
            let sum = sum.ok_or_else(|| Error::overflow(&format!("{self} + {other}")))?;
            if sum == 0 {
                terms.remove(atoms);
            } else {
                terms.insert(atoms.clone(), sum);
            }
        }
        Ok(Symbol { terms })
    }

    pub(super) fn mul(&self, other: &Self) -> Result<Self, Error> {
        let mut product = Symbol { terms: BTreeMap::new() };
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let mut atoms = left.clone();
                atoms.extend(right.iter().cloned());
                atoms.sort();
                let coefficient = a.checked_mul(*b);
                let coefficient = coefficient.ok_or_else(|| Error::overflow(&format!("{self} * {other}")))?;
                product = product.add(&undivided(atoms, coefficient)?)?;
            }
        }
        Ok(product)
    }

    /// The exact quotient by a number that divides every coefficient.
    pub(super) fn exact_div(&self, n: i64) -> Option<Self> {
        let mut terms = BTreeMap::new();
        for (atoms, coefficient) in &self.terms {
            if coefficient.checked_rem(n)? != 0 {
                return None;
            }
            terms.insert(atoms.clone(), coefficient.checked_div(n)?);
        }
        Some(Symbol { terms })
    }

    /// The exact quotient by another sum, where it is one product and divides each term.
    pub(super) fn exact_div_symbol(&self, other: &Self) -> Option<Self> {
        let mut divisor = other.terms.iter();
        let (Some((factors, n)), None) = (divisor.next(), divisor.next()) else {
            return None;
        };
        let mut terms = BTreeMap::new();
        for (atoms, coefficient) in &self.terms {
            let mut rest = atoms.clone();
            for factor in factors {
                let at = rest.iter().position(|atom| atom == factor)?;
                rest.remove(at);
            }
            if coefficient.checked_rem(*n)? != 0 {
                return None;
            }
            terms.insert(rest, coefficient.checked_div(*n)?);
        }
        Some(Symbol { terms })
    }

    /// A call that stays as it is written, such as `ceil_div(M,128)`; `div` divides every value of it.
    pub(super) fn call(name: &'static str, left: Self, right: Self, div: i64) -> Self {
        let atom = Atom::Call { name, left: Box::new(left), right: Box::new(right), div };
        Symbol { terms: BTreeMap::from([(vec![atom], 1)]) }
    }
}

/// A product in which a multiple of an exact quotient is what was divided: `128*ceil_div(M,128)` is M if 128 divides M.
fn undivided(mut atoms: Vec<Atom>, coefficient: i64) -> Result<Symbol, Error> {
    let exact = atoms.iter().position(|atom| match atom {
        Atom::Call { name: "ceil_div" | "div", left, right, .. } => {
            let by = right.as_constant().filter(|n| *n > 0);
            by.is_some_and(|n| left.divisor() % n == 0 && coefficient % n == 0)
        }
        _ => false,
    });
    if let Some(at) = exact
        && let Atom::Call { left, right, .. } = atoms.remove(at)
        && let Some(n) = right.as_constant()
    {
        let rest = undivided(atoms, coefficient / n)?;
        return rest.mul(&left);
    }
    Ok(Symbol { terms: BTreeMap::from([(atoms, coefficient)]) })
}

impl Atom {
    fn divisor(&self) -> i64 {
        match self {
            Atom::Name { div, .. } | Atom::Call { div, .. } => *div,
        }
    }

    /// The least value for positive names; a rounded one may be 0.
    fn least(&self) -> Option<i64> {
        match self {
            Atom::Name { div, .. } => Some(*div),
            Atom::Call { name: "ceil_div" | "min", left, right, div } => {
                (left.least()? > 0 && right.least()? > 0).then_some(*div)
            }
            Atom::Call { .. } => Some(0),
        }
    }

    /// The greatest value, where a number bounds it.
    fn greatest(&self) -> Option<i64> {
        match self {
            Atom::Call { name: "min", left, right, .. } => left.as_constant().or_else(|| right.as_constant()),
            Atom::Call { name: "mod", right, .. } => right.as_constant().and_then(|n| n.checked_sub(1)),
            _ => None,
        }
    }

    fn instantiate(&self, values: &BTreeMap<String, i64>) -> Result<i64, Error> {
        match self {
            Atom::Name { name, .. } => values
                .get(name)
                .copied()
                .ok_or_else(|| error!(Code::MissingFact, "the value of {name} is not given", [name])),
            Atom::Call { name, left, right, .. } => call(name, &left.instantiate(values)?, &right.instantiate(values)?),
        }
    }
}

impl Symbol {
    /// As text, with `_` before numbers in the C++ spelling.
    fn write(&self, f: &mut impl fmt::Write, cpp: bool) -> fmt::Result {
        let mark = if cpp { "_" } else { "" };
        // The constant comes last, as one writes M+4.
        let constant = self.terms.get(&Vec::new());
        let mut first = true;
        for (atoms, coefficient) in self.terms.iter().filter(|(atoms, _)| !atoms.is_empty()) {
            // A minus joins as it is, but `_-2` needs a plus before it.
            if !first && (*coefficient >= 0 || cpp) {
                f.write_str("+")?;
            }
            first = false;
            match coefficient {
                1 => {}
                n => write!(f, "{mark}{n}*")?,
            }
            for (at, atom) in atoms.iter().enumerate() {
                if at > 0 {
                    f.write_str("*")?;
                }
                atom.write(f, cpp)?;
            }
        }
        match constant {
            Some(n) if first => write!(f, "{mark}{n}"),
            Some(n) if *n >= 0 || cpp => write!(f, "+{mark}{n}"),
            Some(n) => write!(f, "{n}"),
            None => Ok(()),
        }
    }

    /// As the C++ spelling has it: `_2*M+_4`.
    pub(super) fn cpp(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut text, true);
        text
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

impl Atom {
    fn write(&self, f: &mut impl fmt::Write, cpp: bool) -> fmt::Result {
        match self {
            Atom::Name { name, div: 1 } => f.write_str(name),
            Atom::Name { name, div } => write!(f, "{name}{{div={div}}}"),
            Atom::Call { name, left, right, .. } => {
                write!(f, "{name}(")?;
                left.write(f, cpp)?;
                f.write_str(",")?;
                right.write(f, cpp)?;
                f.write_str(")")
            }
        }
    }
}
