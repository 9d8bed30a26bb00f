//! Whether copies of a layout meet, decided exactly.
//!
//! Copies of A that start at c and at c', two different places, share one where `a - a' = c' - c`: a difference of
//! elements of A and one of starts come to the same number, and that is not 0. Differences along a mode `n:d` are d
//! times what lies between 1-n and n-1, so this is one equation in bounded integers. Its unknowns are chosen from the
//! longest stride to the shortest: what is left must lie within what shorter ones reach, and be a multiple of what
//! divides them all. Where strides nest, few choices stay; their number is bounded by [`BUDGET`]. Law: a [`Meeting`]
//! names two starts and a place of both copies; after `None` no two copies meet. A layout is injective where the copies of
//! its first modes along the next one never meet.

use super::coalesce::{Flat, coalesce_flat};
use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::cast::narrow;
use crate::error::{Code, Error};
use crate::gcd;
use crate::int::Integer;
use crate::small::Small;

/// How many choices one question may make.
const BUDGET: u32 = 1 << 18;

/// A place of two copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    /// Where the copies start.
    pub(super) starts: [i64; 2],
    /// The place.
    pub(super) place: i64,
}

/// An unknown of the equation: how far two coordinates along a mode are apart.
struct Term {
    stride: i64,
    most: i64,
    of_starts: bool,
}

/// A place of two copies of an injective block, where `starts` says where the copies start.
///
/// # Errors
/// [`Code::MissingFact`] for leaves without a value, [`Code::Undecided`] beyond the budget, [`Code::Overflow`].
pub(super) fn meeting<I: Integer, D: StrideLeaf<I>>(
    block: &Layout<I, D>,
    starts: &Layout<I, D>,
) -> Result<Option<Meeting>, Error> {
    let mut terms = Vec::new();
    for (layout, of_starts) in [(block, false), (starts, true)] {
        for (extent, stride) in layout.extents().iter().zip(layout.strides()) {
            match (extent.value(), stride.as_integer().and_then(Integer::value)) {
                // There are no copies, or none that has elements.
                (Some(0), _) => return Ok(None),
                (Some(1), _) | (_, Some(0)) => {}
                (Some(n), Some(stride)) => terms.push(Term { stride, most: n - 1, of_starts }),
                _ => {
                    return Err(error!(
                        Code::MissingFact,
                        "whether copies of {block} at {starts} meet: {extent}:{stride} is not known",
                        [block, starts, extent, stride]
                    ));
                }
            }
        }
    }
    terms.sort_by_key(|term| std::cmp::Reverse(term.stride.unsigned_abs()));
    let limits = limits(&terms)?;
    let chosen = solution(&terms, &limits).ok_or_else(|| {
        error!(
            Code::Undecided,
            "whether copies of {block} at {starts} meet is not decided within {budget} choices",
            [block, starts, budget = BUDGET]
        )
    })?;
    let Some(chosen) = chosen else { return Ok(None) };
    let (mut one, mut other, mut place) = (0, 0, 0);
    for (term, steps) in terms.iter().zip(&chosen) {
        let along = i128::from(term.stride) * steps.abs();
        match (term.of_starts, *steps > 0) {
            (true, true) => one += along,
            (true, false) => other += along,
            (false, true) => place += along,
            (false, false) => {}
        }
    }
    Ok(Some(Meeting { starts: [narrow(one)?, narrow(other)?], place: narrow(one + place)? }))
}

/// Whether no two elements have one place, mode by mode: copies of the modes below that start along a mode do not meet.
///
/// # Errors
/// As `meeting`.
pub fn is_injective<I: Integer, D: StrideLeaf<I>>(layout: &Layout<I, D>) -> Result<bool, Error> {
    let flat = coalesce_flat(layout.extents(), layout.strides());
    if nests(&flat) {
        return Ok(true);
    }
    let mut below = Flat::new();
    for (extent, stride) in flat.shape.iter().zip(&flat.stride) {
        if stride.is_zero() {
            return Ok(false);
        }
        let starts = Layout::mode(extent.clone(), stride.clone());
        if !below.shape.is_empty() && meeting(&below.clone().into_layout(), &starts)?.is_some() {
            return Ok(false);
        }
        below.push(extent.clone(), stride.clone());
    }
    Ok(true)
}

/// Whether each stride is known to be longer than all that shorter ones reach, so that no two elements can have one place.
fn nests<I: Integer, D: StrideLeaf<I>>(flat: &Flat<I, D>) -> bool {
    let mut modes: Small<(u64, i64), 8> = Small::new();
    for (extent, stride) in flat.shape.iter().zip(&flat.stride) {
        match (extent.value(), stride.as_integer().and_then(Integer::value)) {
            (Some(extent), Some(stride)) if extent > 0 => modes.push((stride.unsigned_abs(), extent)),
            _ => return false,
        }
    }
    if !modes.is_sorted() {
        modes.sort_unstable();
    }
    let mut reach: u64 = 0;
    for (stride, extent) in &modes {
        let longest = u64::try_from(extent - 1).ok().and_then(|steps| steps.checked_mul(*stride)?.checked_add(reach));
        match longest {
            Some(longest) if *stride > reach => reach = longest,
            _ => return false,
        }
    }
    true
}

/// What the terms from one on come to.
struct Limit {
    /// The most, either way.
    reach: i128,
    /// What divides it.
    divisor: i64,
}

/// The limits of the terms from each on, and of none.
fn limits(terms: &[Term]) -> Result<Vec<Limit>, Error> {
    let mut limits = vec![Limit { reach: 0, divisor: 0 }];
    let (mut reach, mut divisor) = (0_i128, 0);
    for term in terms.iter().rev() {
        let own = i128::from(term.stride).abs() * i128::from(term.most);
        // Sums of two reaches are taken.
        let sum = reach.checked_add(own).filter(|sum| *sum < i128::MAX / 4);
        reach = sum.ok_or_else(|| Error::overflow("what copies and their starts reach"))?;
        divisor = gcd(divisor, term.stride);
        limits.push(Limit { reach, divisor });
    }
    limits.reverse();
    Ok(limits)
}

/// Numbers for all terms that come to 0 together and move the block; `Some(None)` where there are none, nothing where
/// the budget ended.
fn solution(terms: &[Term], limits: &[Limit]) -> Option<Option<Vec<i128>>> {
    let mut chosen: Vec<(i128, i128)> = Vec::new();
    let mut sum = 0;
    let mut budget = BUDGET;
    loop {
        match (terms.get(chosen.len()), limits.get(chosen.len() + 1)) {
            (Some(term), Some(below)) => {
                let (low, high) = range(term, sum, below.reach);
                sum += i128::from(term.stride) * (low - 1);
                chosen.push((low - 1, high));
            }
            _ if terms.iter().zip(&chosen).any(|(term, (steps, _))| !term.of_starts && *steps != 0) => {
                return Some(Some(chosen.into_iter().map(|(steps, _)| steps).collect()));
            }
            _ => {}
        }
        // The next choice, of the last term that has one.
        loop {
            crate::cancel::checkpoint();
            let below = limits.get(chosen.len());
            let at = chosen.len().checked_sub(1).and_then(|at| terms.get(at));
            let (Some((steps, high)), Some(term), Some(below)) = (chosen.last_mut(), at, below) else {
                return Some(None);
            };
            if steps < high {
                budget = budget.checked_sub(1)?;
                *steps += 1;
                sum += i128::from(term.stride);
                if below.divisor == 0 || sum % i128::from(below.divisor) == 0 {
                    break;
                }
            } else {
                sum -= i128::from(term.stride) * *steps;
                chosen.pop();
            }
        }
    }
}

/// The least and the most of a term that bring a sum within reach of the terms below.
fn range(term: &Term, sum: i128, reach: i128) -> (i128, i128) {
    let (size, most) = (i128::from(term.stride).abs(), i128::from(term.most));
    let low = (size - 1 - sum - reach).div_euclid(size).max(-most);
    let high = (reach - sum).div_euclid(size).min(most);
    // A negative stride counts the other way.
    if term.stride < 0 { (-high, -low) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cute::StaticLayout;

    fn places(layout: &StaticLayout) -> Vec<i64> {
        let modes = layout.extents().iter().zip(layout.strides());
        modes.fold(vec![0], |places, (n, d)| (0..*n).flat_map(|c| places.iter().map(move |p| p + c * d)).collect())
    }

    /// Whether a place belongs to the copy that starts here.
    fn holds(block: &StaticLayout, start: i64, place: i64) -> bool {
        places(block).contains(&(place - start))
    }

    #[test]
    fn all_small_copies() {
        let modes: Vec<(i64, i64)> = (0..5).flat_map(|n| (-7..8).map(move |d| (n, d))).collect();
        let layout = |modes: &[(i64, i64)]| {
            let text = |f: fn(&(i64, i64)) -> i64| modes.iter().map(|m| f(m).to_string()).collect::<Vec<_>>().join(",");
            format!("({}):({})", text(|m| m.0), text(|m| m.1)).parse::<StaticLayout>().expect("a layout")
        };
        for block in ["4:1", "3:2", "(3,2):(2,7)", "(2,2):(3,16)", "(8,2):(16,3)", "(2,3):(-1,5)"] {
            let block: StaticLayout = block.parse().expect("a layout");
            for starts in modes.iter().flat_map(|a| modes.iter().map(|b| layout(&[*a, *b]))) {
                let own = places(&starts);
                let meet = own.iter().any(|one| {
                    let others = own.iter().filter(|other| *other != one);
                    let mut reached = others.flat_map(|other| places(&block).into_iter().map(move |p| p + other));
                    reached.any(|place| holds(&block, *one, place))
                });
                match meeting(&block, &starts).expect("small") {
                    None => assert!(!meet, "{block} at {starts}"),
                    Some(Meeting { starts: [one, other], place }) => {
                        assert!(one != other && own.contains(&one) && own.contains(&other), "{block} at {starts}");
                        assert!(holds(&block, one, place) && holds(&block, other, place), "{block} at {starts}");
                    }
                }
            }
        }
    }

    #[test]
    fn long_copies_are_decided_by_few_choices() {
        let meeting = |block: &str, starts: &str| {
            let layout = |text: &str| text.parse::<StaticLayout>().expect("a layout");
            meeting(&layout(block), &layout(starts)).map_err(|error| error.code())
        };
        let nested = "(1048576,1048576):(4,4194304)";
        assert_eq!(meeting(nested, "(2,2):(1,2)"), Ok(None));
        assert!(matches!(meeting(nested, "(2,2):(1,3)"), Ok(Some(_))));
        assert_eq!(meeting("(4294967296,2):(1,9223372036854775807)", "2:4294967296"), Ok(None));
        assert_eq!(meeting("(3037000500,3037000500):(3037000507,3037000493)", "2:1"), Err(Code::Undecided));
    }
}
