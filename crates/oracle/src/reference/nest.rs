//! Hierarchical tuples as a recursive enum.
//!
//! A nest is a leaf or a list of nests. `(2,(1,6))` is `Node[Leaf 2, Node[Leaf 1, Leaf 6]]`; the rank-1 tuple
//! `(4)` is not the leaf `4`; `()` is a node of size 1.
//!
//! The orders on shapes, coarse to fine: `compatible(A, B)` says that every coordinate of A is one of B, so
//! `24 <= (4,6) <= (4,(2,3))`. Congruence asks for the same tree, weak congruence for a tree that only grows.

use super::{OracleError, mul};

/// A hierarchical tuple with leaves of type `T`.
///
/// ```
/// use bitstride_oracle::reference::Nest;
///
/// let shape: Nest<i64> = "(2,(1,6))".parse()?;
/// assert_eq!((shape.rank(), shape.depth(), shape.size()?), (2, 2, 12));
/// assert!("12".parse::<Nest<i64>>()?.compatible(&shape)?);
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Nest<T> {
    /// One entry.
    Leaf(T),
    /// A tuple of entries, possibly none.
    Node(Vec<Nest<T>>),
}

impl<T> Nest<T> {
    /// The top-level entries: a leaf is its own only entry.
    pub fn modes(&self) -> Vec<&Nest<T>> {
        match self {
            Nest::Leaf(_) => vec![self],
            Nest::Node(entries) => entries.iter().collect(),
        }
    }

    /// How many top-level entries there are.
    pub fn rank(&self) -> usize {
        self.modes().len()
    }

    /// 0 for a leaf, else one more than the deepest entry.
    pub fn depth(&self) -> usize {
        match self {
            Nest::Leaf(_) => 0,
            Nest::Node(entries) => 1 + entries.iter().map(Nest::depth).max().unwrap_or(0),
        }
    }

    /// The leaves, left to right.
    pub fn leaves(&self) -> Vec<&T> {
        let mut leaves = Vec::new();
        self.push_leaves(&mut leaves);
        leaves
    }

    fn push_leaves<'a>(&'a self, leaves: &mut Vec<&'a T>) {
        match self {
            Nest::Leaf(leaf) => leaves.push(leaf),
            Nest::Node(entries) => entries.iter().for_each(|entry| entry.push_leaves(leaves)),
        }
    }

    /// The same tree with each leaf replaced by what `f` makes of it, left to right.
    pub fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> Nest<U> {
        match self {
            Nest::Leaf(leaf) => Nest::Leaf(f(leaf)),
            Nest::Node(entries) => Nest::Node(entries.iter().map(|entry| entry.map(f)).collect()),
        }
    }

    /// The entry at a path of positions; a leaf counts as its own entry 0, as in `get<0>(4)`.
    pub fn get(&self, path: &[usize]) -> Option<&Nest<T>> {
        let Some((first, rest)) = path.split_first() else {
            return Some(self);
        };
        self.modes().get(*first).and_then(|entry| entry.get(rest))
    }

    /// Whether both are the same tree, whatever the leaves hold.
    pub fn congruent<U>(&self, other: &Nest<U>) -> bool {
        match (self, other) {
            (Nest::Leaf(_), Nest::Leaf(_)) => true,
            (Nest::Node(a), Nest::Node(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.congruent(b)),
            _ => false,
        }
    }

    /// Whether `other` is this tree with some leaves grown into trees.
    pub fn weakly_congruent<U>(&self, other: &Nest<U>) -> bool {
        match (self, other) {
            (Nest::Leaf(_), _) => true,
            (Nest::Node(a), Nest::Node(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.weakly_congruent(b)),
            _ => false,
        }
    }
}

impl Nest<i64> {
    /// The product of the leaves; errs on overflow.
    pub fn size(&self) -> Result<i64, OracleError> {
        self.leaves().into_iter().try_fold(1, |product, leaf| mul(product, *leaf))
    }

    /// Whether every coordinate of this shape is a coordinate of `other`: this is an integer equal to
    /// `size(other)`, or both have the same rank and are compatible entry by entry. Errs on overflow.
    pub fn compatible(&self, other: &Nest<i64>) -> Result<bool, OracleError> {
        match (self, other) {
            (Nest::Leaf(size), _) => Ok(*size == other.size()?),
            (Nest::Node(a), Nest::Node(b)) if a.len() == b.len() => {
                for (a, b) in a.iter().zip(b) {
                    if !a.compatible(b)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Nest<i64> {
        text.parse().expect(text)
    }

    #[test]
    fn shapes_are_ordered_by_refinement() {
        let table = [
            ("24", "(4,6)", true),
            ("(4,6)", "24", false),
            ("(4,6)", "(4,(2,3))", true),
            ("(4,6)", "((2,2),6)", true),
            ("(4,6)", "(6,4)", false),
            ("4", "(4)", true),
            ("(4)", "4", false),
            ("1", "()", true),
            ("48", "(3,(8,2))", true),
        ];
        for (a, b, want) in table {
            assert_eq!(shape(a).compatible(&shape(b)), Ok(want), "{a} {b}");
        }
    }

    #[test]
    fn congruence_looks_at_the_tree_only() {
        assert!(shape("(2,(1,6))").congruent(&shape("(5,(0,0))")));
        assert!(!shape("(2,(1,6))").congruent(&shape("(5,7)")));
        assert!(shape("(5,7)").weakly_congruent(&shape("(2,(1,6))")));
        assert!(!shape("(2,(1,6))").weakly_congruent(&shape("(5,7)")));
        assert!(!shape("(4)").congruent(&shape("4")));
    }

    #[test]
    fn size_is_checked() {
        assert_eq!(shape("(4294967296,(4294967296,2))").size(), Err(OracleError::Overflow));
        assert_eq!(shape("()").size(), Ok(1));
    }

    #[test]
    fn paths_reach_into_the_tree() {
        let nest = shape("(2,(1,6))");
        assert_eq!(nest.get(&[1, 1]), Some(&Nest::Leaf(6)));
        assert_eq!(nest.get(&[0, 0]), Some(&Nest::Leaf(2)));
        assert_eq!(nest.get(&[2]), None);
        assert_eq!((nest.rank(), nest.depth()), (2, 2));
        assert_eq!(nest.leaves(), [&2, &1, &6]);
    }
}
