//! A value of a layout: an integer, or a coordinate.
//!
//! A point is a finite sum of scaled basis vectors, kept as pairs of path and coefficient in order of path. The empty path is
//! the integers, so `7` is `[([], 7)]` and `42@0@1` (innermost index first) is `[([1,0], 42)]`. Zero
//! coefficients are never stored, hence equal points are equal lists.

use super::{OracleError, add, malformed, mul};

/// A sum of scaled basis vectors; the integers are the multiples of the empty path.
///
/// ```
/// use bitstride_oracle::reference::Point;
///
/// let diagonal: Point = "1@0+1@1".parse()?;
/// assert_eq!(diagonal.times(3)?.to_string(), "3@0+3@1");
/// assert_eq!(Point::int(5).plus(&Point::int(-5))?, Point::zero());
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(Vec<(Vec<usize>, i64)>);

impl Point {
    /// The origin, which is also the integer 0.
    pub fn zero() -> Point {
        Point::default()
    }

    /// The integer `n`.
    pub fn int(n: i64) -> Point {
        Point::basis(Vec::new(), n)
    }

    /// `n` along the mode at `path`, outermost position first.
    pub fn basis(path: Vec<usize>, n: i64) -> Point {
        Point(if n == 0 { Vec::new() } else { vec![(path, n)] })
    }

    /// Whether this is the origin.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The integer that this is, if it has no part along a mode.
    pub fn as_int(&self) -> Option<i64> {
        match self.0.as_slice() {
            [] => Some(0),
            [(path, n)] if path.is_empty() => Some(*n),
            _ => None,
        }
    }

    /// The integer that this is, or a refusal that shows the coordinate.
    pub fn to_int(&self) -> Result<i64, OracleError> {
        self.as_int().ok_or_else(|| malformed(format!("{self} is a coordinate where an integer is needed")))
    }

    /// The parts, as pairs of path and coefficient, in order of path.
    pub fn terms(&self) -> impl Iterator<Item = (&Vec<usize>, i64)> {
        self.0.iter().map(|(path, n)| (path, *n))
    }

    /// The sum; errs on overflow.
    pub fn plus(&self, other: &Point) -> Result<Point, OracleError> {
        let mut sum = self.clone();
        sum.add_times(other, 1)?;
        Ok(sum)
    }

    /// Adds `n` times another point to this one, whose list is kept: the tests take most of their time here. Errs on overflow.
    pub(super) fn add_times(&mut self, other: &Point, n: i64) -> Result<(), OracleError> {
        for (path, m) in &other.0 {
            let more = mul(*m, n)?;
            match self.0.binary_search_by(|(own, _)| own.cmp(path)) {
                Ok(at) => {
                    let (path, m) = self.0.remove(at);
                    let sum = add(m, more)?;
                    if sum != 0 {
                        self.0.insert(at, (path, sum));
                    }
                }
                Err(at) if more != 0 => self.0.insert(at, (path.clone(), more)),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// The multiple by `n`; errs on overflow.
    pub fn times(&self, n: i64) -> Result<Point, OracleError> {
        match n {
            0 => Ok(Point::zero()),
            1 => Ok(self.clone()),
            _ => self.0.iter().map(|(path, m)| Ok((path.clone(), mul(*m, n)?))).collect::<Result<_, _>>().map(Point),
        }
    }

    /// The same point seen from outside: every path gains `prefix` in front, so 3 under `[1]` is `3@1`.
    pub fn under(&self, prefix: &[usize]) -> Point {
        Point(self.terms().map(|(path, n)| ([prefix, path].concat(), n)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact_or_refused() {
        let p = Point::basis(vec![1, 0], 42);
        assert_eq!(p.to_string(), "42@0@1");
        assert_eq!(p.plus(&Point::int(1)).and_then(|q| q.times(2)).map(|q| q.to_string()), Ok("2+84@0@1".into()));
        assert_eq!(p.plus(&p.times(-1).expect("small")), Ok(Point::zero()));
        assert_eq!(Point::int(i64::MAX).plus(&Point::int(1)), Err(OracleError::Overflow));
        assert_eq!(Point::int(i64::MIN).times(-1), Err(OracleError::Overflow));
        assert_eq!(p.as_int(), None);
        assert_eq!(Point::zero().as_int(), Some(0));
    }

    #[test]
    fn a_prefix_goes_outermost() {
        assert_eq!(Point::int(3).under(&[1]).to_string(), "3@1");
        assert_eq!(Point::basis(vec![0], 2).under(&[1]).to_string(), "2@0@1");
    }
}
