//! The nesting of a tuple, without its leaves.
//!
//! A profile is a bracket word: `(2,(1,6))` has the profile `(·(··))`. A shape and its stride share one, which is what
//! *congruent* means, so a layout stores it once. [`Node`] is a view of one entry: it knows its own brackets and
//! where its leaves stand in the flat list, so walking a tuple copies nothing.

use std::ops::Range;

use crate::small::Small;

/// One letter of the bracket word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Token {
    #[default]
    Leaf,
    Open,
    Close,
}

/// The nesting of a tuple.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    tokens: Small<Token, 24>,
}

impl Profile {
    /// The profile of a bare integer.
    #[inline]
    pub fn leaf() -> Self {
        let mut tokens = Small::new();
        tokens.push(Token::Leaf);
        Profile { tokens }
    }

    /// The profile of a flat tuple of `rank` integers.
    #[inline]
    pub fn flat(rank: usize) -> Self {
        const LEAVES: [Token; 16] = [Token::Leaf; 16];
        let mut tokens = Small::new();
        tokens.push(Token::Open);
        let mut rest = rank;
        while rest > 0 {
            let part = rest.min(LEAVES.len());
            tokens.extend_from_slice(LEAVES.get(..part).unwrap_or(&LEAVES));
            rest -= part;
        }
        tokens.push(Token::Close);
        Profile { tokens }
    }

    /// The whole tuple as a node.
    #[inline]
    pub fn root(&self) -> Node<'_> {
        Node { tokens: &self.tokens, first: 0 }
    }

    /// Nothing written yet: what follows is written behind, from left to right.
    #[inline]
    pub(crate) fn unwritten() -> Self {
        Profile { tokens: Small::new() }
    }

    /// Begins a tuple.
    #[inline]
    pub(crate) fn open(&mut self) {
        self.tokens.push(Token::Open);
    }

    /// Ends the tuple begun last.
    #[inline]
    pub(crate) fn close(&mut self) {
        self.tokens.push(Token::Close);
    }

    /// Writes one integer.
    #[inline]
    pub(crate) fn leaf_behind(&mut self) {
        self.tokens.push(Token::Leaf);
    }

    /// Writes a whole entry.
    #[inline]
    pub(crate) fn node(&mut self, node: Node<'_>) {
        self.tokens.extend_from_slice(node.tokens());
    }

    /// Makes one tuple of the leaves written last, unless there is exactly one.
    #[inline]
    pub(crate) fn bracket(&mut self, leaves: usize) {
        if leaves != 1 {
            self.tokens.insert(self.tokens.len().saturating_sub(leaves), Token::Open);
            self.tokens.push(Token::Close);
        }
    }
}

/// A view of one entry of a tuple: its brackets and the place of its leaves.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    tokens: &'a [Token],
    first: usize,
}

impl<'a> Node<'a> {
    /// Whether this entry is a bare integer.
    #[inline]
    pub fn is_leaf(self) -> bool {
        self.tokens.first() == Some(&Token::Leaf)
    }

    /// Where the leaves of this entry stand in the flat list.
    #[inline]
    pub fn leaves(self) -> Range<usize> {
        let count = self.tokens.iter().filter(|t| **t == Token::Leaf).count();
        self.first..self.first + count
    }

    /// The number of entries; 1 for a bare integer, as CuTe counts.
    pub fn rank(self) -> usize {
        if self.is_leaf() { 1 } else { self.children().count() }
    }

    /// How deep the nesting goes; 0 for a bare integer.
    pub fn depth(self) -> usize {
        let mut depth: usize = 0;
        let mut deepest = 0;
        for token in self.tokens {
            match token {
                Token::Open => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                Token::Close => depth = depth.saturating_sub(1),
                Token::Leaf => {}
            }
        }
        deepest
    }

    /// The entries of a tuple, in order; a bare integer has none.
    #[inline]
    pub fn children(self) -> Children<'a> {
        let inner = match self.tokens {
            [Token::Open, inner @ .., Token::Close] => inner,
            _ => &[],
        };
        Children { rest: inner, first: self.first }
    }

    /// The modes: the entries of a tuple, or a bare integer itself, as CuTe counts.
    #[inline]
    pub fn modes(self) -> Children<'a> {
        if self.is_leaf() { Children { rest: self.tokens, first: self.first } } else { self.children() }
    }

    /// The entry at position `index`; a bare integer is its own entry 0, as CuTe counts.
    pub fn child(self, index: usize) -> Option<Node<'a>> {
        if self.is_leaf() { (index == 0).then_some(self) } else { self.children().nth(index) }
    }

    /// Whether two entries are nested alike.
    #[inline]
    pub fn congruent(self, other: Node<'_>) -> bool {
        self.tokens == other.tokens
    }

    /// The nesting of this entry as a profile of its own.
    #[inline]
    pub fn to_profile(self) -> Profile {
        Profile { tokens: Small::from_slice(self.tokens) }
    }

    pub(crate) fn tokens(self) -> &'a [Token] {
        self.tokens
    }
}

/// The entries of a tuple, one after the other.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    rest: &'a [Token],
    first: usize,
}

impl<'a> Iterator for Children<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        let mut depth: usize = 0;
        let mut leaves = 0;
        for (at, token) in self.rest.iter().enumerate() {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Leaf => leaves += 1,
            }
            if depth == 0 {
                let (tokens, rest) = self.rest.split_at(at + 1);
                let node = Node { tokens, first: self.first };
                self.rest = rest;
                self.first += leaves;
                return Some(node);
            }
        }
        None
    }
}

/// Writes a profile from left to right.
#[derive(Clone, Debug)]
pub struct ProfileBuilder(Profile);

impl ProfileBuilder {
    /// Nothing written yet.
    #[inline]
    pub fn new() -> Self {
        ProfileBuilder(Profile::unwritten())
    }

    /// Begins a tuple.
    #[inline]
    pub fn open(&mut self) {
        self.0.open();
    }

    /// Ends the tuple begun last.
    #[inline]
    pub fn close(&mut self) {
        self.0.close();
    }

    /// Writes one integer.
    #[inline]
    pub fn leaf(&mut self) {
        self.0.leaf_behind();
    }

    /// Writes a whole entry.
    #[inline]
    pub fn node(&mut self, node: Node<'_>) {
        self.0.node(node);
    }

    /// The profile written; the callers in this crate balance their brackets.
    #[inline]
    pub fn finish(self) -> Profile {
        self.0
    }
}

impl Default for ProfileBuilder {
    fn default() -> Self {
        ProfileBuilder::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_know_their_leaves() {
        // (·(··)·)
        let mut b = ProfileBuilder::new();
        b.open();
        b.leaf();
        b.open();
        b.leaf();
        b.leaf();
        b.close();
        b.leaf();
        b.close();
        let profile = b.finish();
        let ranges: Vec<_> = profile.root().children().map(Node::leaves).collect();
        assert_eq!(ranges, vec![0..1, 1..3, 3..4]);
        assert_eq!(profile.root().rank(), 3);
        assert_eq!(profile.root().depth(), 2);
        assert!(!profile.root().congruent(Profile::flat(4).root()));
        assert_eq!(Profile::flat(0).root().rank(), 0);
        assert_eq!(Profile::leaf().root().rank(), 1);
    }
}
