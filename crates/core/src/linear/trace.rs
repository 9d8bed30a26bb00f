//! What elimination over GF(2) does, reduction by reduction, and what division finds, bit by bit, as data.
//!
//! An operation that eliminates reports each [`Reduction`] to a [`Trace`](crate::Trace) while it works. Law: `rest` is `vector` xor the columns whose numbers are the bits of
//! `parts`. Columns are numbered through the in dims, packed images as [`LinearLayout::columns`](super::LinearLayout::columns) has them.

/// A vector reduced by the independent columns before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// The number of the column, or of the vector to express.
    pub at: usize,
    /// The packed vector itself.
    pub vector: u64,
    /// The columns that were xored to it, as a mask; the vector itself is none of them.
    pub parts: u64,
    /// What is left: 0 when the vector is the xor of the columns in `parts`.
    pub rest: u64,
}

/// One step of an elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elimination {
    /// A column of the layout to eliminate. What is left of it, if anything, has a highest bit that is new: its pivot.
    Column(Reduction),
    /// A vector to express by the columns. What is left of it, if anything, is outside of their span.
    Target(Reduction),
    /// In bit `at` takes in bit `bit` of the other layout: both have the same dim with the same bases.
    Shared {
        /// The in bit, numbered through the in dims.
        at: usize,
        /// The in bit of the other layout.
        bit: usize,
    },
}

/// What division finds of one in bit; bits are numbered through the in dims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Division {
    /// A bit of the factor goes where a bit of the whole goes.
    Matched {
        /// The bit of the factor.
        part: usize,
        /// The bit of the whole.
        whole: usize,
    },
    /// A bit of the factor goes elsewhere than the bit of the whole in its place: the factor does not divide.
    Differs {
        /// The bit of the factor.
        part: usize,
        /// The bit of the whole.
        whole: usize,
    },
    /// No bit of the whole that is still free goes where a bit of the factor goes.
    Missing {
        /// The bit of the factor.
        part: usize,
    },
    /// A bit of the whole that is none of the factor touches out bits that the factor uses up: the factor does not divide.
    Touches {
        /// The bit of the whole.
        whole: usize,
    },
}
