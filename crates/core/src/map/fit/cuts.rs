//! The ways to cut an axis into digits that a mixed layout may need, the likeliest first.
//!
//! Masks need digits with two values, and cuts that are finer than needed are merged again. So these are tried: the
//! prime factors of the extent in each order, twos first; only twos, where the extent may end inside the last digit;
//! and the runs along the axis, cut into primes.

use super::line;
use crate::cast::{index, length};

/// The most orders of prime factors that are tried.
const ORDERS: usize = 32;

/// Lists of radices, each at least the extent together.
pub(super) fn cuts(extent: i64, line: &[i128]) -> Vec<Vec<i64>> {
    let mut lists = Vec::new();
    if let Ok(digits) = line::digits(line, false) {
        lists.push(digits.iter().flat_map(|(radix, _)| primes(length(*radix))).collect());
    }
    orders(&mut primes(extent), &mut Vec::new(), &mut lists);
    let twos = i64::BITS - (extent - 1).max(0).leading_zeros();
    lists.push(vec![2; index(i64::from(twos)).unwrap_or(0)]);
    let mut kept: Vec<Vec<i64>> = Vec::new();
    for list in lists {
        if !kept.contains(&list) {
            kept.push(list);
        }
    }
    kept
}

/// The prime factors, the smallest first.
fn primes(number: i64) -> Vec<i64> {
    let (mut rest, mut factor, mut factors) = (number, 2, Vec::new());
    while rest > 1 {
        if factor * factor > rest {
            factor = rest;
        }
        while rest % factor == 0 {
            factors.push(factor);
            rest /= factor;
        }
        factor += 1;
    }
    factors
}

/// All orders of the factors, which are sorted.
fn orders(left: &mut Vec<i64>, chosen: &mut Vec<i64>, lists: &mut Vec<Vec<i64>>) {
    if lists.len() > ORDERS {
        return;
    }
    if left.is_empty() {
        lists.push(chosen.clone());
    }
    for at in 0..left.len() {
        if at > 0 && left.get(at) == left.get(at - 1) {
            continue;
        }
        let factor = left.remove(at);
        chosen.push(factor);
        orders(left, chosen, lists);
        chosen.pop();
        left.insert(at, factor);
    }
}

#[cfg(test)]
mod tests {
    use super::cuts;

    #[test]
    fn an_axis_is_cut_in_all_useful_ways() {
        let line: Vec<i128> = (0..12).collect();
        assert_eq!(cuts(12, &line), [vec![2, 2, 3], vec![2, 3, 2], vec![3, 2, 2], vec![2, 2, 2, 2]]);
        assert_eq!(cuts(1, &[0]), [Vec::<i64>::new()]);
        assert_eq!(cuts(8, &[0, 1, 2, 10, 11, 12, 20, 21]), [vec![3, 3], vec![2, 2, 2]]);
    }
}
