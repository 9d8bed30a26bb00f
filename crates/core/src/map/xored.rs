//! [`Xored`]: counts where two maps agree that are XORs of bits, as linear layouts are, whatever the number of bits.
//!
//! Sums of digits are XORs where no two parts have a bit in common, so that nothing carries. Points of a block of 2^k
//! neighbours along each axis are a subspace, moved by a constant. The maps agree at the solutions of a linear system
//! over GF(2), and elimination counts these.
//!
//! Law: the count is the number of points of the part at which both maps are equal.

use super::form::AffineExpr;
use super::solutions::Work;
use super::{Digit, Form};

/// The difference of two maps, as bits side by side.
pub(super) struct Xored {
    /// For each axis what each of its bits brings, the lowest first.
    columns: Vec<Vec<u128>>,
    /// The difference at the origin.
    origin: u128,
}

/// One of the maps.
struct MapBits {
    columns: Vec<Vec<Vec<i64>>>,
    origin: Vec<i64>,
}

impl Xored {
    /// The difference of two forms over the same axes; none where one is no XOR of bits.
    pub(super) fn of(left: &Form, right: &Form) -> Option<Xored> {
        let (left, right) = (MapBits::of(left)?, MapBits::of(right)?);
        let xor = |one: &[i64], other: &[i64]| one.iter().zip(other).map(|(a, b)| a ^ b).collect::<Vec<_>>();
        let rows = |one: &[Vec<i64>], other: &[Vec<i64>]| {
            one.iter().zip(other).map(|(one, other)| xor(one, other)).collect::<Vec<_>>()
        };
        let origin = xor(&left.origin, &right.origin);
        let columns: Vec<Vec<Vec<i64>>> =
            left.columns.iter().zip(&right.columns).map(|(one, other)| rows(one, other)).collect();
        // Only bits that some column has are held.
        let all = columns.iter().flatten().chain([&origin]);
        let used = all.fold(vec![0; origin.len()], |used: Vec<i64>, column| {
            used.iter().zip(column).map(|(used, bits)| used | bits).collect()
        });
        let mut kept = Vec::new();
        for (coordinate, bits) in used.iter().enumerate() {
            kept.extend((0..i64::BITS).filter(|bit| bits >> bit & 1 == 1).map(|bit| (coordinate, bit)));
        }
        if kept.len() > 128 {
            return None;
        }
        let packed = |column: &Vec<i64>| {
            let has = |(coordinate, bit): &(usize, u32)| column.get(*coordinate).is_some_and(|x| x >> bit & 1 == 1);
            kept.iter().enumerate().fold(0u128, |word, (at, bit)| if has(bit) { word | 1 << at } else { word })
        };
        let columns = columns.iter().map(|axis| axis.iter().map(packed).collect()).collect();
        Some(Xored { columns, origin: packed(&origin) })
    }

    /// How many bits the axes have.
    pub(super) fn digits(&self) -> usize {
        self.columns.iter().map(Vec::len).sum()
    }

    /// How many points between two corners, both included, lead to the same place; none when that takes more work than is left.
    pub(super) fn count(&self, corners: &[(i64, i64)], work: &mut Work) -> Option<i128> {
        self.within(corners, &mut Vec::new(), self.origin, work)
    }

    /// The same for the axes that corners are left for: of the others some bits are free, and the difference is that at a point.
    fn within(&self, corners: &[(i64, i64)], free: &mut Vec<u128>, difference: u128, work: &mut Work) -> Option<i128> {
        let at = self.columns.len() - corners.len().min(self.columns.len());
        let (Some(((low, high), rest)), Some(columns)) = (corners.split_first(), self.columns.get(at)) else {
            work.spend(crate::cast::length(free.len()) + 1)?;
            return Some(solutions(free, difference));
        };
        let (mut found, mut first) = (0, *low);
        while first <= *high {
            // The largest block that begins here and ends by the corner.
            let length = high - first + 1;
            let bits = first.trailing_zeros().min(length.ilog2()).min(u32::try_from(columns.len()).unwrap_or(0));
            let held = free.len();
            let mut difference = difference;
            for (bit, column) in (0..).zip(columns) {
                if bit < bits {
                    free.push(*column);
                } else if first >> bit & 1 == 1 {
                    difference ^= column;
                }
            }
            found += self.within(rest, free, difference, work)?;
            free.truncate(held);
            first += 1 << bits;
        }
        Some(found)
    }
}

/// In how many ways columns add up to a sum.
fn solutions(columns: &[u128], sum: u128) -> i128 {
    let mut rows: Vec<u128> = Vec::new();
    let reduced = |rows: &[u128], word: u128| rows.iter().fold(word, |word, row| word.min(word ^ row));
    let mut kernel = 0;
    for column in columns {
        match reduced(&rows, *column) {
            0 => kernel += 1,
            row => {
                rows.push(row);
                // Reduction takes the rows by their highest bits.
                rows.sort_unstable_by(|a, b| b.cmp(a));
            }
        }
    }
    if reduced(&rows, sum) == 0 { 1 << kernel } else { 0 }
}

impl MapBits {
    fn of(form: &Form) -> Option<MapBits> {
        let widths = form.axes.iter().map(|axis| match axis.extent {
            ..=1 => 0,
            extent => (extent - 1).ilog2() + 1,
        });
        let widths: Vec<u32> = widths.collect();
        let mut columns: Vec<Vec<Vec<i64>>> =
            widths.iter().map(|width| (0..*width).map(|_| vec![0; form.sums.len()]).collect()).collect();
        let mut origin = Vec::new();
        for (coordinate, sum) in form.sums.iter().enumerate() {
            origin.push(sum.offset ^ sum.flip);
            let mut taken = Taken::of(sum)?;
            for (digit, (stride, xor)) in form.digits.iter().zip(sum.strides.iter().zip(&sum.xors)) {
                let (first, count) = bits(digit, widths.get(digit.axis).copied()?, digit.is_top(&form.axes))?;
                for bit in 0..count {
                    let step = stride.checked_mul(1i64.checked_shl(bit).filter(|times| *times > 0)?)?;
                    taken.add(step)?;
                    // Patterns belong to digits of one bit.
                    let column = columns.get_mut(digit.axis)?.get_mut(usize::try_from(first + bit).ok()?)?;
                    *column.get_mut(coordinate)? = step ^ xor;
                }
            }
        }
        Some(MapBits { columns, origin })
    }
}

/// The first bit of an axis that a digit has, and how many; none where it has other values. The last digit of an axis has
/// all bits that are left.
fn bits(digit: &Digit, width: u32, is_last: bool) -> Option<(u32, u32)> {
    let of = |n: i64| (n > 0 && n & (n - 1) == 0).then(|| n.trailing_zeros());
    let first = of(digit.weight)?;
    match of(digit.radix) {
        Some(count) => Some((first, count)),
        None if is_last => Some((first, width.checked_sub(first)?)),
        None => None,
    }
}

/// Bits that parts of a sum have so far.
struct Taken(i64);

impl Taken {
    fn of(sum: &AffineExpr) -> Option<Taken> {
        let mask = sum.mask();
        (sum.offset >= 0 && mask >= 0 && sum.offset & mask == 0).then_some(Taken(sum.offset | mask))
    }

    /// Takes the bits of one more part; none where another has some of them.
    fn add(&mut self, part: i64) -> Option<()> {
        if part < 0 || self.0 & part != 0 {
            return None;
        }
        self.0 |= part;
        Some(())
    }
}
