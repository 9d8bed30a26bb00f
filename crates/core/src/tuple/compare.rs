//! Relations between tuples: nesting, divisibility and the three orders.
//!
//! | relation | holds when |
//! |---|---|
//! | congruent | nested alike |
//! | weakly congruent (A, B) | B is A with leaves replaced by tuples |
//! | compatible (A, B) | and each leaf of A is the size of what replaces it: coordinates of A are coordinates of B |
//! | evenly divides (A, B) | tiles of B fill A without a rest |
//!
//! Compatibility is a partial order on shapes; [`common_refinement`] and [`common_coarsening`] are its join and meet.

use std::cmp::Ordering;

use super::{Node, Tuple, product, slice};
use crate::error::{Code, Error};
use crate::int::Integer;

/// Whether two tuples are nested alike.
pub fn congruent<A, B>(a: &Tuple<A>, b: &Tuple<B>) -> bool {
    a.profile == b.profile
}

/// Whether `b` is `a` with some leaves replaced by tuples.
///
/// ```
/// # use bitstride::{Tuple, weakly_congruent};
/// let nested = Tuple::of(&[Tuple::leaf(2_i64), Tuple::flat(&[1, 6])]);
/// assert!(weakly_congruent(&Tuple::flat(&[0_i64, 0]), &nested));
/// assert!(!weakly_congruent(&nested, &Tuple::flat(&[0_i64, 0])));
/// ```
pub fn weakly_congruent<A, B>(a: &Tuple<A>, b: &Tuple<B>) -> bool {
    weak(a.profile.root(), b.profile.root())
}

fn weak(a: Node<'_>, b: Node<'_>) -> bool {
    a.is_leaf() || (!b.is_leaf() && a.rank() == b.rank() && a.children().zip(b.children()).all(|(a, b)| weak(a, b)))
}

/// Whether every coordinate of shape `a` is one of shape `b`: nested at least as deep, with the same sizes.
///
/// # Errors
/// [`Code::MissingFact`] when unknown leaves leave it open; [`Code::Overflow`].
pub fn compatible<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<bool, Error> {
    compatible_at(a, a.root(), b, b.root())
}

fn compatible_at<I: Integer>(a: &Tuple<I>, at: Node<'_>, b: &Tuple<I>, bt: Node<'_>) -> Result<bool, Error> {
    if at.is_leaf() {
        return equal(&product(slice(a.leaves(), at.leaves()))?, &product(slice(b.leaves(), bt.leaves()))?);
    }
    if bt.is_leaf() || at.rank() != bt.rank() {
        return Ok(false);
    }
    for (at, bt) in at.children().zip(bt.children()) {
        if !compatible_at(a, at, b, bt)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether two leaves are the same number.
pub(crate) fn equal<I: Integer>(a: &I, b: &I) -> Result<bool, Error> {
    match (a.value(), b.value()) {
        (Some(a), Some(b)) => Ok(a == b),
        _ if a.same(b) => Ok(true),
        _ => Err(error!(Code::MissingFact, "whether {a} equals {b} is not known", [a, b])
            .with_help("give both the same name, or numbers")),
    }
}

/// Whether tiles of shape `b` fill shape `a` without a rest.
///
/// # Errors
/// [`Code::MissingFact`] when unknown leaves leave it open; [`Code::Overflow`].
pub fn evenly_divides<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<bool, Error> {
    if let Some(tile) = b.as_leaf() {
        let covered = tile.mul(&super::ceil_div(a, b)?.size()?)?;
        return equal(&a.size()?, &covered);
    }
    if b.rank() > a.rank() {
        return Ok(false);
    }
    for (a, b) in a.entries().iter().zip(b.entries()) {
        if !evenly_divides(a, &b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The coarsest shape that both shapes are compatible with, when there is one.
///
/// # Errors
/// [`Code::Profile`] naming the modes that do not fit, [`Code::Overflow`], [`Code::MissingFact`].
///
/// ```
/// # use bitstride::{Tuple, common_refinement};
/// let a = Tuple::of(&[Tuple::flat(&[2_i64, 3]), Tuple::leaf(20)]);
/// let b = Tuple::of(&[Tuple::leaf(6_i64), Tuple::flat(&[4, 5])]);
/// assert_eq!(common_refinement(&a, &b).map(|t| t.to_string()), Ok("((2,3),(4,5))".into()));
/// ```
pub fn common_refinement<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<Tuple<I>, Error> {
    meet_sizes(a, b, true)
}

/// The finest shape that is compatible with both shapes, when there is one.
///
/// # Errors
/// [`Code::Profile`] naming the modes that do not fit, [`Code::Overflow`], [`Code::MissingFact`].
pub fn common_coarsening<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<Tuple<I>, Error> {
    meet_sizes(a, b, false)
}

fn meet_sizes<I: Integer>(a: &Tuple<I>, b: &Tuple<I>, finer: bool) -> Result<Tuple<I>, Error> {
    if a.is_leaf() || b.is_leaf() {
        let (leaf, other) = if a.is_leaf() { (a, b) } else { (b, a) };
        if !equal(&leaf.size()?, &other.size()?)? {
            return Err(error!(Code::Profile, "{a} and {b} differ in size", [a, b]));
        }
        return Ok(if finer { other.clone() } else { leaf.clone() });
    }
    if a.rank() != b.rank() {
        // Different splits of the same size still have a common coarsening: the size itself.
        return match (finer, equal(&a.size()?, &b.size()?)?) {
            (false, true) => Ok(Tuple::leaf(a.size()?)),
            _ => Err(error!(Code::Profile, "{a} and {b} split one mode in different ways", [a, b])),
        };
    }
    let pairs = a.entries().into_iter().zip(b.entries());
    let entries: Result<Vec<_>, _> = pairs.map(|(a, b)| meet_sizes(&a, &b, finer)).collect();
    match entries {
        Err(error) if !finer && error.code() == Code::Profile && equal(&a.size()?, &b.size()?)? => {
            Ok(Tuple::leaf(a.size()?))
        }
        entries => Ok(Tuple::of(&entries?)),
    }
}

/// Lexicographic order: the leftmost difference decides; a shorter prefix is less.
///
/// # Errors
/// [`Code::MissingFact`] when unknown leaves decide, [`Code::Profile`] when a leaf meets a tuple.
pub fn lex_less<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<bool, Error> {
    Ok(order(a, b, false)? == Ordering::Less)
}

/// Colexicographic order, the order in which a layout visits its coordinates: the rightmost difference decides.
///
/// # Errors
/// As [`lex_less`].
pub fn colex_less<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<bool, Error> {
    Ok(order(a, b, true)? == Ordering::Less)
}

fn order<I: Integer>(a: &Tuple<I>, b: &Tuple<I>, reverse: bool) -> Result<Ordering, Error> {
    if let (Some(a), Some(b)) = (a.as_leaf(), b.as_leaf()) {
        return compare(a, b);
    }
    if a.is_leaf() || b.is_leaf() {
        return Err(error!(Code::Profile, "{a} and {b} cannot be ordered: a leaf meets a tuple", [a, b]));
    }
    let (mut left, mut right) = (a.entries(), b.entries());
    if reverse {
        left.reverse();
        right.reverse();
    }
    for (a, b) in left.iter().zip(&right) {
        let found = order(a, b, reverse)?;
        if found != Ordering::Equal {
            return Ok(found);
        }
    }
    Ok(left.len().cmp(&right.len()))
}

fn compare<I: Integer>(a: &I, b: &I) -> Result<Ordering, Error> {
    match (a.value(), b.value()) {
        (Some(a), Some(b)) => Ok(a.cmp(&b)),
        _ if a.same(b) => Ok(Ordering::Equal),
        _ => Err(error!(Code::MissingFact, "which of {a} and {b} is less is not known", [a, b])),
    }
}

/// Whether every leaf of `a` is less than the leaf of `b` at its place: a coordinate within a shape.
///
/// # Errors
/// As [`lex_less`].
pub fn elem_less<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<bool, Error> {
    if a.is_leaf() && b.is_leaf() {
        return Ok(order(a, b, false)? == Ordering::Less);
    }
    if a.is_leaf() || b.is_leaf() {
        return Err(error!(Code::Profile, "{a} and {b} cannot be compared: a leaf meets a tuple", [a, b]));
    }
    if a.rank() > b.rank() {
        return Ok(false);
    }
    for (a, b) in a.entries().iter().zip(b.entries()) {
        if !elem_less(a, &b)? {
            return Ok(false);
        }
    }
    Ok(true)
}
