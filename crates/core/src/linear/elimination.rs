//! What elimination over GF(2) does, reduction by reduction, as data.
//!
//! An operation that eliminates reports each [`Reduction`] to a [`Trace`] while it works. The tracer `()` ignores the
//! reports and costs nothing; a `Vec` keeps them. Law: `rest` is `vector` xor the columns whose numbers are the bits of
//! `parts`. Columns are numbered through the in dims, packed images as [`LinearLayout::columns`] has them.

use super::bits::Echelon;
use super::layout::LinearLayout;
use crate::error::Error;

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

/// Hears what an operation does.
pub trait Trace {
    /// One step; the event is made only where it is kept.
    fn record(&mut self, event: impl FnOnce() -> Elimination);
}

impl Trace for () {
    #[inline(always)]
    fn record(&mut self, _: impl FnOnce() -> Elimination) {}
}

impl Trace for Vec<Elimination> {
    fn record(&mut self, event: impl FnOnce() -> Elimination) {
        self.push(event());
    }
}

impl Echelon {
    /// As [`Echelon::insert`], reported.
    #[inline]
    pub(crate) fn insert_traced(&mut self, vector: u64, at: usize, trace: &mut impl Trace) -> Reduction {
        let reduction = self.insert_reduced(vector, at);
        trace.record(|| Elimination::Column(reduction));
        reduction
    }

    /// As [`Echelon::express`], reported under a number.
    #[inline]
    pub(crate) fn express_traced(&self, vector: u64, at: usize, trace: &mut impl Trace) -> Option<u64> {
        let (rest, parts) = self.reduce(vector);
        trace.record(|| Elimination::Target(Reduction { at, vector, parts, rest }));
        (rest == 0).then_some(parts)
    }
}

impl LinearLayout {
    /// The elimination of the columns, in their order: which are independent, and what the others are the xor of.
    ///
    /// Laws: the rank is the number of columns with a rest; the others are the free bits, and each with its parts is a
    /// place of element 0.
    ///
    /// ```
    /// use bitstride::linear::{Elimination, LinearLayout, Name, Reduction};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1], vec![3], vec![2]])], &[(Name::dim(0), 4)])?;
    /// let last = Reduction { at: 2, vector: 2, parts: 0b11, rest: 0 };
    /// assert_eq!(layout.elimination().last(), Some(&Elimination::Column(last)));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn elimination(&self) -> Vec<Elimination> {
        let mut events = Vec::new();
        let mut seen = Echelon::new();
        for (at, column) in self.columns().iter().enumerate() {
            seen.insert_traced(*column, at, &mut events);
        }
        events
    }

    /// [`LinearLayout::invert`], with the elimination reported.
    ///
    /// # Errors
    /// As [`LinearLayout::invert`].
    ///
    /// ```
    /// use bitstride::linear::{Elimination, LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![3], vec![1]])], &[(Name::dim(0), 4)])?;
    /// let mut events = Vec::new();
    /// assert_eq!(layout.invert_traced(&mut events), layout.invert());
    /// let expressed = |event: &Elimination| match event {
    ///     Elimination::Target(target) => Some((target.vector, target.parts)),
    ///     _ => None,
    /// };
    /// assert_eq!(events.iter().filter_map(expressed).collect::<Vec<_>>(), [(1, 0b10), (2, 0b11)]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn invert_traced(&self, trace: &mut impl Trace) -> Result<LinearLayout, Error> {
        self.check_invertible("an invertible layout")?;
        self.pseudoinvert_traced(trace)
    }
}
