//! Hierarchical tuples: `7`, `(2,(1,6))`, `()`.
//!
//! A [`Tuple`] keeps its leaves in one flat list and its nesting in a [`Profile`]; a bare integer is a tuple too, of
//! depth 0. Shapes, strides, coordinates, profiles and orders are all tuples. Law: [`Tuple::flatten`] and the profile
//! determine the tuple, and [`Tuple::unflatten`] is the inverse.

mod arithmetic;
mod compare;
mod edit;
mod profile;

use std::fmt;
use std::ops::Range;

pub use arithmetic::{ceil_div, shape_div, shape_mod};
pub use compare::{
    colex_less, common_coarsening, common_refinement, compatible, congruent, elem_less, evenly_divides, lex_less,
    weakly_congruent,
};
pub(crate) use profile::Token;
pub use profile::{Children, Node, Profile, ProfileBuilder};

use crate::error::{Code, Error};
use crate::int::Integer;
use crate::small::Small;

/// Leaves inline up to eight.
pub type Leaves<T> = Small<T, 8>;

/// A hierarchical tuple with leaves of type `T`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tuple<T> {
    profile: Profile,
    leaves: Leaves<T>,
}

impl<T: Clone + Default> Tuple<T> {
    /// A bare leaf.
    pub fn leaf(leaf: T) -> Self {
        Tuple { profile: Profile::leaf(), leaves: Small::from_slice(&[leaf]) }
    }

    /// A flat tuple of leaves.
    ///
    /// ```
    /// assert_eq!(bitstride::Tuple::flat(&[2_i64, 3]).to_string(), "(2,3)");
    /// ```
    pub fn flat(leaves: &[T]) -> Self {
        Tuple { profile: Profile::flat(leaves.len()), leaves: Small::from_slice(leaves) }
    }

    /// A tuple with the given entries.
    pub fn of(entries: &[Tuple<T>]) -> Self {
        let mut profile = ProfileBuilder::new();
        let mut leaves = Leaves::new();
        profile.open();
        for entry in entries {
            profile.node(entry.profile.root());
            leaves.extend_from_slice(&entry.leaves);
        }
        profile.close();
        Tuple { profile: profile.finish(), leaves }
    }

    /// The tuple with this nesting and these leaves.
    ///
    /// # Errors
    /// [`Code::Profile`] when the numbers of leaves differ.
    pub fn unflatten(leaves: &[T], profile: &Profile) -> Result<Self, Error> {
        let places = profile.root().leaves().len();
        if places != leaves.len() {
            return Err(error!(
                Code::Profile,
                "{leaves} leaves cannot fill a profile of {places}",
                [leaves = leaves.len(), places]
            ));
        }
        Ok(Tuple { profile: profile.clone(), leaves: Small::from_slice(leaves) })
    }

    /// The flat list of leaves, left to right.
    pub fn leaves(&self) -> &[T] {
        &self.leaves
    }

    /// The nesting.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The whole tuple as a node of its profile.
    pub fn root(&self) -> Node<'_> {
        self.profile.root()
    }

    /// Whether this is a bare leaf.
    pub fn is_leaf(&self) -> bool {
        self.root().is_leaf()
    }

    /// The number of entries; 1 for a bare leaf.
    pub fn rank(&self) -> usize {
        self.root().rank()
    }

    /// How deep the nesting goes; 0 for a bare leaf.
    pub fn depth(&self) -> usize {
        self.root().depth()
    }

    /// The leaf, when this is a bare one.
    pub fn as_leaf(&self) -> Option<&T> {
        if self.is_leaf() { self.leaves.first() } else { None }
    }

    /// The entry at `node`, as a tuple of its own.
    pub fn at(&self, node: Node<'_>) -> Self {
        Tuple { profile: node.to_profile(), leaves: Small::from_slice(slice(&self.leaves, node.leaves())) }
    }

    /// The entries; a bare leaf has itself as its only one.
    pub fn entries(&self) -> Vec<Self> {
        if self.is_leaf() {
            return vec![self.clone()];
        }
        self.root().children().map(|node| self.at(node)).collect()
    }

    /// The entry at a position; a bare leaf is its own entry 0.
    ///
    /// # Errors
    /// [`Code::NoMode`] when there is no such entry.
    pub fn entry(&self, index: usize) -> Result<Self, Error> {
        self.root().child(index).map(|node| self.at(node)).ok_or_else(|| no_mode(index, self.rank()))
    }

    /// The same nesting with every leaf replaced.
    pub fn map<U: Clone + Default>(&self, f: impl FnMut(&T) -> U) -> Tuple<U> {
        Tuple { profile: self.profile.clone(), leaves: self.leaves.iter().map(f).collect() }
    }

    /// The same nesting with every leaf replaced by something that may fail.
    ///
    /// # Errors
    /// The first error of `f`.
    pub fn try_map<U: Clone + Default, E>(&self, f: impl FnMut(&T) -> Result<U, E>) -> Result<Tuple<U>, E> {
        let leaves: Result<Leaves<U>, E> = self.leaves.iter().map(f).collect();
        Ok(Tuple { profile: self.profile.clone(), leaves: leaves? })
    }

    /// The flat tuple of the leaves; a bare leaf stays bare.
    #[must_use]
    pub fn flatten(&self) -> Self {
        if self.is_leaf() { self.clone() } else { Tuple::flat(&self.leaves) }
    }
}

impl<I: Integer> Tuple<I> {
    /// The product of the leaves; 1 for `()`.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    ///
    /// ```
    /// # use bitstride::Tuple;
    /// assert_eq!(Tuple::flat(&[2_i64, 3, 4]).size(), Ok(24));
    /// ```
    pub fn size(&self) -> Result<I, Error> {
        product(&self.leaves)
    }
}

/// The product of some leaves; 1 for none.
///
/// # Errors
/// [`Code::Overflow`].
pub(crate) fn product<I: Integer>(leaves: &[I]) -> Result<I, Error> {
    // A zero extent anywhere makes the product 0, also where a partial product would overflow.
    if leaves.iter().any(|n| n.is(0)) {
        return Ok(I::from(0));
    }
    leaves.iter().try_fold(I::from(1), |product, n| product.mul(n))
}

/// Extents are never negative; where a tuple serves as a shape this is checked.
///
/// # Errors
/// [`Code::Range`] for a negative one.
pub(crate) fn need_extents<I: Integer>(extents: &[I]) -> Result<(), Error> {
    match extents.iter().find(|n| n.sign() == Some(-1)) {
        Some(extent) => Err(error!(
            Code::Range,
            "the extent {extent} is negative; extents are {least} or more",
            [extent, least = 0]
        )),
        None => Ok(()),
    }
}

/// The part of a list that belongs to a node; empty where the list is shorter.
#[inline]
pub(crate) fn slice<T>(list: &[T], range: Range<usize>) -> &[T] {
    list.get(range).unwrap_or(&[])
}

#[cold]
pub(crate) fn no_mode(index: usize, rank: usize) -> Error {
    error!(Code::NoMode, "there is no mode {index}: the rank is {rank}", [index, rank])
        .with_help("modes are numbered from 0")
}

impl<T: fmt::Display> fmt::Display for Tuple<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nested(f, self.profile.root(), &self.leaves, &mut |f, leaf| write!(f, "{leaf}"))
    }
}

/// Writes leaves in the brackets of a node, with a writer for the leaf.
pub(crate) fn write_nested<T>(
    f: &mut dyn fmt::Write,
    node: Node<'_>,
    leaves: &[T],
    leaf: &mut dyn FnMut(&mut dyn fmt::Write, &T) -> fmt::Result,
) -> fmt::Result {
    let mut rest = slice(leaves, node.leaves()).iter();
    let mut first = true;
    for token in node.tokens() {
        if !first && *token != Token::Close {
            f.write_str(",")?;
        }
        match token {
            Token::Open => {
                f.write_str("(")?;
                first = true;
                continue;
            }
            Token::Close => f.write_str(")")?,
            Token::Leaf => {
                if let Some(entry) = rest.next() {
                    leaf(f, entry)?;
                }
            }
        }
        first = false;
    }
    Ok(())
}
