//! Strides: plain integers, or sums of scaled basis vectors for layouts whose codomain is a coordinate space.
//!
//! `2@0` is twice the unit vector of mode 0, `42@0@1` is 42 times the unit vector of mode 0 inside mode 1 (innermost
//! index first), and `1@0+1@1` steps along a diagonal. They form a module: they add, and integers scale them. The plain
//! integer is the vector with an empty path. Law: evaluation is linear in the stride.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;

use crate::error::{Code, Error};
use crate::int::sealed::Sealed;
use crate::int::{Int, Integer};
use crate::tuple::Tuple;

/// Where a basis vector points: mode numbers, outermost first.
pub type Path = Vec<usize>;

/// What the algebra asks of a stride. Sealed, as [`Integer`] is.
pub trait StrideLeaf<I: Integer>:
    Sealed + Clone + Default + Eq + Hash + Send + Sync + fmt::Debug + fmt::Display + From<I> + 'static
{
    /// The stride as an integer, unless it is a vector.
    fn as_integer(&self) -> Option<&I>;

    /// The stride times an integer.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    fn scale(&self, by: &I) -> Result<Self, Error>;

    /// The sum of two strides.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    fn plus(&self, other: &Self) -> Result<Self, Error>;

    /// Its components: each path with its factor; the integer has the empty path, and 0 has none.
    fn components(&self) -> Vec<(Path, I)>;

    /// The stride with the given components.
    ///
    /// # Errors
    /// [`Code::Kind`] when an integer and a vector are added, or vectors of a coordinate and of an entry of it.
    fn from_components(components: &[(Path, I)]) -> Result<Self, Error>;

    /// As the text of a point: an integer, or a coordinate.
    fn point_text(&self) -> String {
        self.to_string()
    }

    /// Whether `by` steps of it are settled to be another stride; a product beyond 64 bits is none.
    #[inline]
    fn reaches(&self, by: &I, other: &Self) -> bool {
        self.scale(by).is_ok_and(|scaled| scaled.same(other))
    }

    /// Whether it is settled to be 0, for shaping an answer.
    #[inline]
    fn is_zero(&self) -> bool {
        self.as_integer().is_some_and(|n| n.is(0))
    }

    /// Whether two strides are settled to be equal, for shaping an answer.
    fn same(&self, other: &Self) -> bool;
}

impl StrideLeaf<i64> for i64 {
    #[inline]
    fn as_integer(&self) -> Option<&i64> {
        Some(self)
    }

    #[inline]
    fn scale(&self, by: &i64) -> Result<Self, Error> {
        self.mul(by)
    }

    #[inline]
    fn plus(&self, other: &Self) -> Result<Self, Error> {
        self.add(other)
    }

    fn components(&self) -> Vec<(Path, i64)> {
        if *self == 0 { Vec::new() } else { vec![(Path::new(), *self)] }
    }

    fn from_components(components: &[(Path, i64)]) -> Result<Self, Error> {
        match components {
            [] => Ok(0),
            [(path, n)] if path.is_empty() => Ok(*n),
            _ => Err(Error::new(Code::Kind, "a coordinate stride where an integer is needed")),
        }
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

/// A stride of the general algebra.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stride {
    /// A plain integer.
    Int(Int),
    /// A sum of scaled basis vectors, sorted by path; no factor is the static 0.
    Basis(BTreeMap<Path, Int>),
}

impl Stride {
    /// The coordinate as a sum of basis vectors: `(1,(2,3))` is `1@0+2@0@1+3@1@1`.
    ///
    /// # Errors
    /// As [`StrideLeaf::from_components`].
    ///
    /// ```
    /// use bitstride::{Int, Stride, Tuple};
    /// let coordinate = Tuple::flat(&[Int::from(1), Int::from(2)]);
    /// assert_eq!(Stride::from_coordinate(&coordinate)?.to_string(), "1@0+2@1");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn from_coordinate(coordinate: &Tuple<Int>) -> Result<Self, Error> {
        fn parts(tuple: &Tuple<Int>, path: &mut Vec<usize>, out: &mut Vec<(Path, Int)>) {
            match tuple.as_leaf() {
                Some(n) => out.push((path.clone(), n.clone())),
                None => {
                    for (at, entry) in tuple.entries().iter().enumerate() {
                        path.push(at);
                        parts(entry, path, out);
                        path.pop();
                    }
                }
            }
        }
        let mut components = Vec::new();
        parts(coordinate, &mut Vec::new(), &mut components);
        Stride::from_components(&components)
    }

    /// A scaled basis vector; the path is outermost first, unlike the text.
    ///
    /// ```
    /// use bitstride::Stride;
    /// assert_eq!(Stride::basis(42.into(), vec![1, 0]).to_string(), "42@0@1");
    /// ```
    pub fn basis(value: Int, path: Path) -> Self {
        if value.is(0) || path.is_empty() {
            return Stride::Int(value);
        }
        Stride::Basis(BTreeMap::from([(path, value)]))
    }

    /// The point as a coordinate tuple: `1@0+2@1` is `(1,2)`; an integer stays one.
    pub fn to_coordinate(&self) -> Tuple<Int> {
        match self {
            Stride::Int(n) => Tuple::leaf(n.clone()),
            Stride::Basis(parts) => {
                let parts: Vec<_> = parts.iter().map(|(path, n)| (path.as_slice(), n)).collect();
                coordinate(&parts)
            }
        }
    }

    /// As text in the C++ print: `_2@0`.
    pub fn cpp(&self) -> String {
        match self {
            Stride::Int(n) => n.cpp(),
            Stride::Basis(parts) => sum_text(parts, &Int::cpp),
        }
    }
}

fn coordinate(parts: &[(&[usize], &Int)]) -> Tuple<Int> {
    if let [(path, n)] = parts
        && path.is_empty()
    {
        return Tuple::leaf(Int::clone(n));
    }
    let rank = parts.iter().filter_map(|(path, _)| path.first()).max().map_or(0, |last| last + 1);
    let entries: Vec<_> = (0..rank)
        .map(|mode| {
            let inner: Vec<_> = parts
                .iter()
                .filter_map(|(path, n)| match path.split_first() {
                    Some((first, rest)) if *first == mode => Some((rest, *n)),
                    _ => None,
                })
                .collect();
            if inner.is_empty() { Tuple::leaf(Int::from(0)) } else { coordinate(&inner) }
        })
        .collect();
    Tuple::of(&entries)
}

impl Default for Stride {
    fn default() -> Self {
        Stride::Int(Int::from(0))
    }
}

impl From<Int> for Stride {
    fn from(n: Int) -> Self {
        Stride::Int(n)
    }
}

impl Sealed for Stride {}

impl StrideLeaf<Int> for Stride {
    fn as_integer(&self) -> Option<&Int> {
        match self {
            Stride::Int(n) => Some(n),
            Stride::Basis(_) => None,
        }
    }

    fn scale(&self, by: &Int) -> Result<Self, Error> {
        match self {
            Stride::Int(n) => Ok(Stride::Int(n.mul(by)?)),
            Stride::Basis(parts) => {
                let mut scaled = Vec::new();
                for (path, n) in parts {
                    scaled.push((path.clone(), n.mul(by)?));
                }
                Stride::from_components(&scaled)
            }
        }
    }

    fn plus(&self, other: &Self) -> Result<Self, Error> {
        if let (Stride::Int(a), Stride::Int(b)) = (self, other) {
            return Ok(Stride::Int(a.add(b)?));
        }
        let mut sum: BTreeMap<Path, Int> = BTreeMap::new();
        for (path, n) in self.components().into_iter().chain(other.components()) {
            let old = sum.remove(&path).unwrap_or_default();
            sum.insert(path, old.add(&n)?);
        }
        Stride::from_components(&sum.into_iter().collect::<Vec<_>>())
    }

    fn components(&self) -> Vec<(Path, Int)> {
        match self {
            Stride::Int(n) if n.is(0) => Vec::new(),
            Stride::Int(n) => vec![(Path::new(), n.clone())],
            Stride::Basis(parts) => parts.iter().map(|(path, n)| (path.clone(), n.clone())).collect(),
        }
    }

    fn from_components(components: &[(Path, Int)]) -> Result<Self, Error> {
        let parts: BTreeMap<Path, Int> = components.iter().filter(|(_, n)| !n.is(0)).cloned().collect();
        let mut integers = parts.iter().filter(|(path, _)| path.is_empty());
        match (integers.next(), parts.len()) {
            (_, 0) => Ok(Stride::default()),
            (Some((_, n)), 1) => Ok(Stride::Int(n.clone())),
            (Some((_, n)), _) => Err(error!(Code::Kind, "the integer {n} and a basis vector cannot be added", [n])),
            (None, _) => {
                // A coordinate is an integer or a tuple, not both; a path sorts right before those that go on from it.
                let mut pairs = parts.keys().zip(parts.keys().skip(1));
                match pairs.find(|(path, next)| next.starts_with(path)) {
                    Some((path, next)) => {
                        Err(error!(Code::Kind, "the basis paths {path:?} and {next:?} overlap", [path, next]))
                    }
                    None => Ok(Stride::Basis(parts)),
                }
            }
        }
    }

    fn point_text(&self) -> String {
        self.to_coordinate().to_string()
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Stride::Int(a), Stride::Int(b)) => a.same(b),
            (Stride::Basis(a), Stride::Basis(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((p, n), (q, m))| p == q && n.same(m))
            }
            _ => false,
        }
    }
}

fn sum_text(parts: &BTreeMap<Path, Int>, number: &dyn Fn(&Int) -> String) -> String {
    let mut text = String::new();
    for (path, n) in parts {
        // A factor that is a sum is multiplied out: brackets never group.
        for term in n.summands() {
            let term = number(&term);
            if !text.is_empty() && !term.starts_with('-') {
                text.push('+');
            }
            text.push_str(&term);
            // The text names the innermost mode first.
            for mode in path.iter().rev() {
                text.push_str(&format!("@{mode}"));
            }
        }
    }
    text
}

impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stride::Int(n) => write!(f, "{n}"),
            Stride::Basis(parts) => f.write_str(&sum_text(parts, &Int::to_string)),
        }
    }
}
