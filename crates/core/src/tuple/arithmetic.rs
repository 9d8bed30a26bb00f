//! Division of shapes by integers and by each other, as CuTe defines it.
//!
//! A tuple divided by an integer is divided from the left: each leaf takes what it can and hands the rest on, so
//! `shape_div((3,6,2,8), 9) = (1,2,2,8)`, and `shape_mod` keeps what the division took away:
//! `shape_mod((3,6,2,8), 9) = (3,3,1,1)`. Law: leaf by leaf, `shape_div * shape_mod` is the shape, where both divide.

use super::{Node, Tuple, slice};
use crate::error::{Code, Error};
use crate::int::Integer;
use crate::small::Small;

/// How one leaf is divided: the part that stays, and the part of the divisor that is left over.
type LeafDivision<I> = fn(&I, &I) -> Result<(I, I), Error>;

/// Division of a shape by an integer from the left, or leaf by leaf by a tuple.
///
/// # Errors
/// [`Code::NotDivisible`] when neither of two numbers that meet divides the other; [`Code::Profile`] when two tuples
/// are nested differently.
///
/// ```
/// # use bitstride::{Tuple, shape_div};
/// let shape = Tuple::flat(&[3_i64, 6, 2, 8]);
/// assert_eq!(shape_div(&shape, &Tuple::leaf(9)).map(|t| t.to_string()), Ok("(1,2,2,8)".into()));
/// ```
pub fn shape_div<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<Tuple<I>, Error> {
    divide(a, b, "shape_div", |a, b| {
        need_divisible(a, b)?;
        Ok((a.ceil_div(b)?, rest(a, b)?))
    })
}

/// What [`shape_div`] divides out of each leaf: the first `b` elements of the shape.
///
/// # Errors
/// As [`shape_div`].
pub fn shape_mod<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<Tuple<I>, Error> {
    divide(a, b, "shape_mod", |a, b| {
        need_divisible(a, b)?;
        Ok((a.min(b)?, rest(a, b)?))
    })
}

/// Division of a shape rounding each leaf up, from the left by an integer or leaf by leaf by a tuple.
///
/// # Errors
/// [`Code::Range`] for a divisor 0; [`Code::Profile`] when two tuples are nested differently.
pub fn ceil_div<I: Integer>(a: &Tuple<I>, b: &Tuple<I>) -> Result<Tuple<I>, Error> {
    divide(a, b, "ceil_div", |a, b| Ok((a.ceil_div(b)?, rest(a, b)?)))
}

/// What is left of a divisor for the next leaf. A leaf without elements takes nothing of it, and where its 0 is dynamic, so is the rest.
fn rest<I: Integer>(leaf: &I, divisor: &I) -> Result<I, Error> {
    if leaf.value() == Some(0) { divisor.add(leaf) } else { divisor.ceil_div(leaf) }
}

fn need_divisible<I: Integer>(a: &I, b: &I) -> Result<(), Error> {
    match (a.divides(b), b.divides(a)) {
        (Some(true), _) | (_, Some(true)) => Ok(()),
        (Some(false), Some(false)) => {
            Err(error!(Code::NotDivisible, "neither of {a} and {b} divides the other", [a, b]))
        }
        _ => Err(error!(Code::MissingFact, "whether {a} or {b} divides the other is not known", [a, b])
            .with_help(format!("state a divisor, such as ?{{div={b}}}"))),
    }
}

fn divide<I: Integer>(a: &Tuple<I>, b: &Tuple<I>, name: &str, step: LeafDivision<I>) -> Result<Tuple<I>, Error> {
    let mut leaves = Small::new();
    divide_node(a, b, a.root(), b.root(), name, step, &mut leaves)?;
    Tuple::unflatten(&leaves, a.profile())
}

fn divide_node<I: Integer>(
    a: &Tuple<I>,
    b: &Tuple<I>,
    node: Node<'_>,
    by: Node<'_>,
    name: &str,
    step: LeafDivision<I>,
    out: &mut Small<I, 8>,
) -> Result<(), Error> {
    if node.is_leaf() || by.is_leaf() {
        // An integer by a tuple is divided by its size; a tuple by an integer hands the rest on.
        let mut rest = super::product(slice(b.leaves(), by.leaves()))?;
        for leaf in slice(a.leaves(), node.leaves()) {
            let (kept, left) = step(leaf, &rest)?;
            out.push(kept);
            rest = left;
        }
        return Ok(());
    }
    if node.rank() != by.rank() {
        return Err(error!(
            Code::Profile,
            "{name} of rank {rank} by rank {by_rank}: tuples must have the same rank",
            [name, rank = node.rank(), by_rank = by.rank()]
        ));
    }
    for (node, by) in node.children().zip(by.children()) {
        divide_node(a, b, node, by, name, step, out)?;
    }
    Ok(())
}
