//! A layout by definition: the value at an index is the sum of its digits times the strides.
//!
//! The digits of an index are taken colexicographically over the leaves from left to right, whatever the
//! nesting, and the last leaf takes all that is left: beyond its size a layout extends its last leaf *as
//! written*, extents of 1 included. Division truncates, so a negative index has the negated digits and
//! `A(-x) = -A(x)`.
//!
//! | layout | index | digits | value |
//! |---|---|---|---|
//! | `(4,(2,3)):(1,(20,7))` | 13 | 1, 1, 1 | 28 |
//! | `(4,2):(1,10)` | 9 | 1, 2 | 21 |
//! | `1:20` | 3 | 3 | 60 |
//! | `(4,2):(1,10)` | -9 | -1, -2 | -21 |

use super::{Nest, OracleError, Point, add, count, malformed, mul, sub};

/// Shape and stride of the same tree; extents are positive, strides are points.
///
/// ```
/// use bitstride_oracle::reference::{Layout, Point};
///
/// let layout: Layout = "((2,2),3):((24,2),8)".parse()?;
/// assert_eq!(layout.offset(5)?, Point::int(32));
/// assert_eq!(layout.offset_of(&"(1,1)".parse()?)?, Point::int(32));
/// assert_eq!(layout.offset_of(&"((1,0),1)".parse()?)?, Point::int(32));
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Nest<i64>,
    stride: Nest<Point>,
}

impl Layout {
    /// The layout of this shape and stride; errs when the trees differ or an extent is below 1.
    pub fn new(shape: Nest<i64>, stride: Nest<Point>) -> Result<Layout, OracleError> {
        if !shape.congruent(&stride) {
            return Err(malformed(format!("shape {shape} and stride {stride} are not congruent")));
        }
        match shape.leaves().into_iter().find(|extent| **extent < 1) {
            Some(extent) => Err(malformed(format!("extent {extent} of shape {shape} is below 1"))),
            None => Ok(Layout { shape, stride }),
        }
    }

    /// The flat layout of these leaves: a bare leaf for one, `1:0` for none.
    pub fn flat(leaves: &[(i64, Point)]) -> Layout {
        let leaf =
            |(extent, stride): &(i64, Point)| Layout { shape: Nest::Leaf(*extent), stride: Nest::Leaf(stride.clone()) };
        match leaves {
            [] => leaf(&(1, Point::zero())),
            [one] => leaf(one),
            many => Layout::join(many.iter().map(leaf).collect()),
        }
    }

    /// The layout whose top-level modes are these.
    pub fn join(modes: Vec<Layout>) -> Layout {
        let (shapes, strides) = modes.into_iter().map(|mode| (mode.shape, mode.stride)).unzip();
        Layout { shape: Nest::Node(shapes), stride: Nest::Node(strides) }
    }

    /// The compact column-major layout of a shape: each stride is the product of the extents before it.
    pub fn compact(shape: &Nest<i64>) -> Result<Layout, OracleError> {
        let mut strides = vec![1];
        for extent in shape.leaves() {
            strides.push(mul(strides.last().copied().unwrap_or(1), *extent)?);
        }
        let mut next = strides.into_iter();
        let stride = shape.map(&mut |_| Point::int(next.next().unwrap_or(0)));
        Layout::new(shape.clone(), stride)
    }

    /// The extents.
    pub fn shape(&self) -> &Nest<i64> {
        &self.shape
    }

    /// The strides.
    pub fn stride(&self) -> &Nest<Point> {
        &self.stride
    }

    /// How many top-level modes there are.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// How many indices there are below the extension; errs on overflow.
    pub fn size(&self) -> Result<i64, OracleError> {
        self.shape.size()
    }

    /// The mode at a path, itself a layout.
    pub fn mode(&self, path: &[usize]) -> Option<Layout> {
        let (shape, stride) = (self.shape.get(path)?, self.stride.get(path)?);
        Some(Layout { shape: shape.clone(), stride: stride.clone() })
    }

    /// The top-level modes.
    pub fn modes(&self) -> Vec<Layout> {
        let pairs = self.shape.modes().into_iter().zip(self.stride.modes());
        pairs.map(|(shape, stride)| Layout { shape: shape.clone(), stride: stride.clone() }).collect()
    }

    /// Extent and stride of each leaf, left to right.
    pub fn leaves(&self) -> Vec<(i64, Point)> {
        self.shape.leaves().into_iter().copied().zip(self.stride.leaves().into_iter().cloned()).collect()
    }

    /// Extent and integer stride of each leaf; errs on a stride that is a coordinate.
    pub fn int_leaves(&self) -> Result<Vec<(i64, i64)>, OracleError> {
        self.leaves().into_iter().map(|(extent, stride)| Ok((extent, stride.to_int()?))).collect()
    }

    /// The extent of each leaf, left to right.
    fn extents(&self) -> Vec<i64> {
        self.shape.leaves().into_iter().copied().collect()
    }

    /// The value at a flat index, extending the last leaf; errs on overflow.
    pub fn offset(&self, index: i64) -> Result<Point, OracleError> {
        value(index, &self.extents(), &self.stride.leaves())
    }

    /// The value at a coordinate: an integer indexes whatever mode it stands at, a tuple goes mode by mode.
    /// Errs when a tuple stands where the mode has another rank.
    pub fn offset_of(&self, coord: &Nest<i64>) -> Result<Point, OracleError> {
        match (coord, &self.shape) {
            (Nest::Leaf(index), _) => self.offset(*index),
            (Nest::Node(entries), Nest::Node(_)) if entries.len() == self.rank() => {
                let pairs = entries.iter().zip(self.modes());
                pairs.into_iter().try_fold(Point::zero(), |sum, (entry, mode)| sum.plus(&mode.offset_of(entry)?))
            }
            _ => Err(malformed(format!("coordinate {coord} does not fit shape {}", self.shape))),
        }
    }

    /// The value at what another layout yields: an integer is a flat index, a coordinate indexes the modes
    /// its paths name. Errs when a path names no mode, or when one path leads through another.
    pub fn offset_at(&self, place: &Point) -> Result<Point, OracleError> {
        if let Some(index) = place.as_int() {
            return self.offset(index);
        }
        let mut sum = Point::zero();
        for (path, index) in place.terms() {
            if place.terms().any(|(other, _)| other != path && other.starts_with(path)) {
                return Err(malformed(format!("{place} indexes a mode and a part of the same mode")));
            }
            let mode = self.mode(path).ok_or_else(|| malformed(format!("{place} names a mode that {self} lacks")))?;
            sum = sum.plus(&mode.offset(index)?)?;
        }
        Ok(sum)
    }

    /// The values at all indices below the size, in order.
    pub fn values(&self) -> Result<Vec<Point>, OracleError> {
        let size = self.size()?;
        count(size)?;
        let (extents, strides) = (self.extents(), self.stride.leaves());
        (0..size).map(|index| value(index, &extents, &strides)).collect()
    }

    /// The values as integers; errs on a coordinate.
    pub fn int_values(&self) -> Result<Vec<i64>, OracleError> {
        self.values()?.iter().map(Point::to_int).collect()
    }

    /// The length of the smallest interval that holds 0 and every value.
    pub fn cosize(&self) -> Result<i64, OracleError> {
        let values = self.int_values()?;
        let (low, high) = values.into_iter().fold((0, 0), |(low, high): (i64, i64), v| (low.min(v), high.max(v)));
        add(sub(high, low)?, 1)
    }

    /// The same shape with every stride seen from outside the mode at `prefix`.
    pub fn under(&self, prefix: &[usize]) -> Layout {
        Layout { shape: self.shape.clone(), stride: self.stride.map(&mut |stride| stride.under(prefix)) }
    }

    /// This layout with modes `1:0` appended until it has the given rank, always as a tuple.
    pub fn padded(&self, rank: usize) -> Layout {
        let mut modes = self.modes();
        while modes.len() < rank {
            modes.push(Layout::flat(&[]));
        }
        Layout::join(modes)
    }
}

/// The sum of the digits of `index` times the strides.
fn value(index: i64, extents: &[i64], strides: &[&Point]) -> Result<Point, OracleError> {
    let mut sum = Point::zero();
    for (digit, stride) in digits(index, extents).into_iter().zip(strides) {
        sum.add_times(stride, digit)?;
    }
    Ok(sum)
}

/// The digits of `index` in the mixed radix `extents`, least first; the last digit takes all that is left.
/// A zero extent leaves the index as it is.
pub fn digits(index: i64, extents: &[i64]) -> Vec<i64> {
    let mut rest = index;
    let mut digits = Vec::with_capacity(extents.len());
    for (at, extent) in extents.iter().enumerate() {
        match (rest.checked_rem(*extent), rest.checked_div(*extent)) {
            (Some(digit), Some(quotient)) if at + 1 < extents.len() => {
                digits.push(digit);
                rest = quotient;
            }
            _ => digits.push(rest),
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(layout: &str, coord: &str) -> Result<String, OracleError> {
        layout.parse::<Layout>()?.offset_of(&coord.parse()?).map(|p| p.to_string())
    }

    #[test]
    fn evaluation_follows_the_definition() {
        let table = [
            ("(4,(2,3)):(1,(20,7))", "13", "28"),
            ("(4,2):(1,10)", "9", "21"),
            ("1:20", "3", "60"),
            ("(4,1):(1,5)", "7", "8"),
            ("(4,2):(1,10)", "-9", "-21"),
            ("((2,2),3):((24,2),8)", "(3,2)", "42"),
            ("((2,2),3):((24,2),8)", "((1,1),2)", "42"),
            ("((2,2),3):((24,2),8)", "(5,0)", "28"),
            ("(4,8):(1@1,1@0)", "(3,5)", "5@0+3@1"),
            ("():()", "0", "0"),
            ("():()", "5", "0"),
            ("():()", "()", "0"),
            ("4:9223372036854775807", "1", "9223372036854775807"),
        ];
        for (layout, coord, want) in table {
            assert_eq!(at(layout, coord), Ok(want.into()), "{layout} at {coord}");
        }
        assert_eq!(at("4:9223372036854775807", "2"), Err(OracleError::Overflow));
        assert!(at("(4,2):(1,10)", "(1,(0,0))").is_err());
        assert!(at("(4,2):(1,10)", "(1,0,0)").is_err());
    }

    #[test]
    fn a_place_indexes_the_modes_it_names() {
        let layout: Layout = "(4,(2,3)):(1,(20,7))".parse().expect("a layout");
        let value = |place: &str| layout.offset_at(&place.parse().expect("a point"));
        assert_eq!(value("13"), Ok(Point::int(28)));
        assert_eq!(value("1@0+3@1"), Ok(Point::int(28)));
        assert_eq!(value("1@0+1@0@1+1@1@1"), Ok(Point::int(28)));
        assert!(value("1@2").is_err());
        assert!(value("1@1+1@0@1").is_err());
    }

    #[test]
    fn cosize_is_an_interval_around_zero() {
        let cosize = |text: &str| text.parse::<Layout>().and_then(|l| l.cosize());
        assert_eq!(cosize("(4,2):(1,10)"), Ok(14));
        assert_eq!(cosize("(2,3):(1,-5)"), Ok(12));
        assert_eq!(cosize("4:-1"), Ok(4));
        assert_eq!(cosize("(2097152):(0)"), Err(OracleError::TooLarge(2_097_152)));
    }

    #[test]
    fn compact_counts_up() {
        let compact = Layout::compact(&"(4,(2,3))".parse().expect("a shape")).expect("small");
        assert_eq!(compact.to_string(), "(4,(2,3)):(1,(4,8))");
        assert_eq!(compact.int_values(), Ok((0..24).collect()));
    }
}
