//! Elimination over GF(2) that reports what it does, as [`trace`](super::trace) has it.

use super::bits::Echelon;
use super::layout::LinearLayout;
use super::trace::{Elimination, Reduction};
use crate::error::Error;
use crate::trace::Trace;

impl Echelon {
    /// As [`Echelon::insert`], reported.
    #[inline]
    pub(crate) fn insert_traced(&mut self, vector: u64, at: usize, trace: &mut impl Trace<Elimination>) -> Reduction {
        let reduction = self.insert_reduced(vector, at);
        trace.record(|| Elimination::Column(reduction));
        reduction
    }

    /// As [`Echelon::express`], reported under a number.
    #[inline]
    pub(crate) fn express_traced(&self, vector: u64, at: usize, trace: &mut impl Trace<Elimination>) -> Option<u64> {
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
    pub fn invert_traced(&self, trace: &mut impl Trace<Elimination>) -> Result<LinearLayout, Error> {
        self.check_invertible("an invertible layout")?;
        self.pseudoinvert_traced(trace)
    }
}
