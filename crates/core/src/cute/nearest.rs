//! The nearest layouts that do compose, for a composition that was refused.
//!
//! Same profile, fewest leaves changed, then least total change; at most three. Law: every layout named composes. The
//! search tries one leaf and then two, near values first, within a fixed number of compositions.

use super::composition::composition;
use super::layout::{Layout, StaticLayout};
use crate::tuple::Tuple;

/// How many compositions the search may try.
const BUDGET: usize = 600;
/// How many answers are useful.
const MAX_ANSWERS: usize = 3;

/// Layouts near `b` that `a` composes with; none where `a` or `b` is not static.
///
/// ```
/// use bitstride::{cute::nearest, Layout};
/// let (a, b): (Layout, Layout) = ("(4,6):(1,10)".parse()?, "6:1".parse()?);
/// let near: Vec<String> = nearest(&a, &b).iter().map(|layout| layout.to_string()).collect();
/// assert_eq!(near[0], "6:2");
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn nearest(a: &Layout, b: &Layout) -> Vec<Layout> {
    let (Some(fixed), Some(b)) = (a.to_static(), b.to_static()) else {
        return Vec::new();
    };
    let leaves: Vec<i64> = b.extents().iter().chain(b.strides()).copied().collect();
    let mut found = Vec::new();
    let mut budget = BUDGET;
    let one: Vec<Change> = (0..leaves.len()).flat_map(|leaf| changes(&fixed, &leaves, leaf)).collect();
    let mut singles: Vec<Vec<Change>> = one.iter().map(|change| vec![*change]).collect();
    singles.sort_by_key(|changes| cost(changes));
    attempt(a, &b, &leaves, &singles, &mut budget, &mut found);
    if found.is_empty() {
        let small: Vec<Change> = one.into_iter().filter(|change| change.by.unsigned_abs() <= 4).collect();
        let mut pairs: Vec<Vec<Change>> =
            small.iter().flat_map(|x| small.iter().filter(|y| y.leaf > x.leaf).map(|y| vec![*x, *y])).collect();
        pairs.sort_by_key(|changes| cost(changes));
        attempt(a, &b, &leaves, &pairs, &mut budget, &mut found);
    }
    found
}

/// One leaf moved by an amount.
#[derive(Clone, Copy)]
struct Change {
    leaf: usize,
    by: i64,
}

fn cost(changes: &[Change]) -> u64 {
    changes.iter().fold(0, |sum, change| sum.saturating_add(change.by.unsigned_abs()))
}

/// Where a leaf may go: small steps either way, and the extents and prefix products of A, where its modes begin and
/// end.
fn changes(a: &StaticLayout, leaves: &[i64], leaf: usize) -> Vec<Change> {
    let Some(value) = leaves.get(leaf) else { return Vec::new() };
    let mut targets: Vec<i64> =
        (1..=12).flat_map(|by| [value.checked_sub(by), value.checked_add(by)]).flatten().collect();
    let mut prefix = 1_i64;
    for extent in a.extents() {
        targets.push(*extent);
        prefix = prefix.saturating_mul(*extent);
        targets.push(prefix);
    }
    targets.retain(|target| target > &0 && target != value);
    targets.sort_unstable();
    targets.dedup();
    targets.iter().map(|target| Change { leaf, by: target.saturating_sub(*value) }).collect()
}

/// Composes as the general algebra does, so that programs that need no other have one copy of it.
fn attempt(
    a: &Layout,
    b: &StaticLayout,
    leaves: &[i64],
    candidates: &[Vec<Change>],
    budget: &mut usize,
    found: &mut Vec<Layout>,
) {
    for changes in candidates {
        crate::cancel::checkpoint();
        if found.len() == MAX_ANSWERS || *budget == 0 {
            return;
        }
        *budget -= 1;
        let mut leaves = leaves.to_vec();
        for change in changes {
            if let Some(leaf) = leaves.get_mut(change.leaf) {
                *leaf = leaf.saturating_add(change.by);
            }
        }
        let Some((shape, stride)) = leaves.split_at_checked(b.extents().len()) else { return };
        let shape = Tuple::unflatten(shape, b.profile());
        let stride = Tuple::unflatten(stride, b.profile());
        if let (Ok(shape), Ok(stride)) = (shape, stride)
            && let Ok(candidate) = StaticLayout::new(shape, stride).map(|candidate| candidate.to_dynamic())
            && composition(a, &candidate).is_ok()
        {
            found.push(candidate);
        }
    }
}
