//! Left inverses of two modes, by trial: the R = (m,n):(a,b) that takes each place back to an index that has it.
//!
//! A layout that has places twice has many indices to come back to, and no formula says which of them lie on one R. R has
//! the value `a·(p mod m) + b·⌊p/m⌋` at a place p, so that one place below m gives a, and one beyond it b: few numbers are
//! left to try. Law: whatever is found takes every place to an index below the size that has this place; where some R of
//! two modes does so and its places end below [`MAX_PLACES`], one is found,
//! unless [`MAX_PAIRS`] are tried before.

/// Places from here on are not tried.
const MAX_PLACES: u64 = 1 << 9;

/// How many pairs of strides are tried.
const MAX_PAIRS: u32 = 1 << 22;

/// Two modes `(extent, stride)` that take each value to an index that has it, for values of one sign, 0 among them.
pub(super) fn two_modes(values: &[i64]) -> Option<[(i128, i128); 2]> {
    if values.iter().any(|value| value.unsigned_abs() >= MAX_PLACES) {
        return None;
    }
    let sign = values.iter().map(|value| value.signum()).find(|sign| *sign != 0)?;
    let mut indices: Vec<(i64, i64)> = values.iter().map(|value| value * sign).zip(0..).collect();
    indices.sort_unstable();
    let mut places: Vec<i64> = indices.iter().map(|(place, _)| *place).collect();
    places.dedup();
    let (first, last) = (*places.iter().find(|place| **place > 0)?, *places.last()?);
    if places.first().is_none_or(|least| *least < 0) {
        return None;
    }
    let of = |place: i64| indices.iter().filter(move |(other, _)| *other == place).map(|(_, index)| *index);
    let size = i64::try_from(values.len()).ok()?;
    let mut pairs = MAX_PAIRS;
    for extent in (2..=last + 1).rev() {
        let strides: Vec<i64> = match first < extent {
            true => of(first).filter(|index| index % first == 0).map(|index| index / first).collect(),
            false => (0..=size).flat_map(|stride| [stride, -stride]).collect(),
        };
        let beyond = places.iter().copied().find(|place| *place >= extent);
        for low in strides {
            let highs: Vec<i64> = match beyond {
                None => vec![0],
                Some(place) => of(place)
                    .map(|index| index - place % extent * low)
                    .filter(|rest| rest % (place / extent) == 0)
                    .map(|rest| rest / (place / extent))
                    .collect(),
            };
            for high in highs {
                pairs = pairs.checked_sub(1)?;
                let comes_back = |place: &i64| {
                    let index = place % extent * low + place / extent * high;
                    usize::try_from(index).ok().and_then(|at| values.get(at)) == Some(&(place * sign))
                };
                if places.iter().all(comes_back) {
                    let above = last / extent + 1;
                    return Some([(extent.into(), (low * sign).into()), (above.into(), (high * sign).into())]);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::two_modes;

    #[test]
    fn modes_that_overlap_are_undone() {
        // 16 elements in a row and one step of 1 more, the index of which is the sum of both.
        let sums: Vec<i64> = (0..2).flat_map(|upper| (0..16).map(move |lower| lower + upper)).collect();
        assert_eq!(two_modes(&sums), Some([(16, 1), (2, 31)]));
        let down: Vec<i64> = sums.iter().map(|value| -value).collect();
        assert_eq!(two_modes(&down), Some([(16, -1), (2, -31)]));
        assert_eq!(two_modes(&[0, 7, 7, 14, 14, 21]), Some([(4, 0), (6, 1)]));
        assert_eq!(two_modes(&[0, 1, 3, 7, 20, 4, 5]), None);
        // Far places and both signs are left to others.
        assert_eq!(two_modes(&[0, i64::MIN, i64::MIN, 3]), None);
        assert_eq!(two_modes(&[0, 1, 1, -1]), None);
    }
}
