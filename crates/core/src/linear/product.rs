//! The product (direct sum) of two layouts: both side by side, block-diagonal.
//!
//! Law: with the bits of shared dims split, minor part first, `(A * B)(x, y) = A(x) + B(y) * size(A)`, out dim by out
//! dim. It is surjective exactly when both are. The empty layout is the unit.

use super::Name;
use super::fields::Fields;
use super::layout::{Dim, LinearLayout, bit_count, names};
use crate::error::{Code, Error};

impl LinearLayout {
    /// `self * other`: this layout is the minor part.
    ///
    /// Dims are merged in the order of both lists. Names that are listed already are passed over; of the two that are next,
    /// the one that stands earlier in the other list goes first, where absent is earliest, and the first list on a tie.
    ///
    /// # Errors
    /// [`Code::TooLarge`] beyond 64 bits a side or [`Dim::MOST_BITS`] in a dim.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let (register, lane, row) = (Name::REGISTER, Name::LANE, Name::dim(0));
    /// let registers = LinearLayout::identity(2, register, row)?;
    /// let lanes = LinearLayout::identity(4, lane, row)?;
    /// assert_eq!(registers.product(&lanes)?.columns(), [1, 2, 4]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn product(&self, other: &LinearLayout) -> Result<LinearLayout, Error> {
        let mut whole = LinearLayout::empty();
        let (mut mine, mut theirs) = (Fields::none(), Fields::none());
        let mut to = 0;
        for (name, minor, major) in merge(self.outs(), other.outs()) {
            mine.push(minor.start, minor.bits, to);
            theirs.push(major.start, major.bits, to + minor.bits);
            to += minor.bits + major.bits;
            whole.outs.push(Dim { name, bits: minor.bits + major.bits });
        }
        for (name, minor, major) in merge(self.ins(), other.ins()) {
            for (fields, words) in [(&mine, minor.of(self.columns())), (&theirs, major.of(other.columns()))] {
                if !words.is_empty() {
                    fields.extend(&mut whole.columns, words);
                }
            }
            whole.ins.push(Dim { name, bits: minor.bits + major.bits });
        }
        if fits(&whole.ins) && fits(&whole.outs) { Ok(whole) } else { Err(too_large(&whole)) }
    }
}

/// Whether the dims of both lists merge to those of `whole`, each with the bits of both.
pub(crate) fn merges(first: &[Dim], second: &[Dim], whole: &[Dim]) -> bool {
    merge(first, second)
        .map(|(name, minor, major)| Dim { name, bits: minor.bits + major.bits })
        .eq(whole.iter().copied())
}

/// The bits of a dim among those of a list; none where the list lacks it.
#[derive(Clone, Copy, Default)]
struct DimBits {
    start: u32,
    bits: u32,
}

impl DimBits {
    /// Their columns among all.
    fn of(self, columns: &[u64]) -> &[u64] {
        let place = |bit: u32| usize::try_from(bit).unwrap_or(usize::MAX);
        columns.get(place(self.start)..place(self.start + self.bits)).unwrap_or_default()
    }
}

/// The dims of both lists in the order of the product, each with its bits in the first list and in the second.
#[inline]
fn merge(first: &[Dim], second: &[Dim]) -> impl Iterator<Item = (Name, DimBits, DimBits)> {
    let (mut left, mut right) = (Head::default(), Head::default());
    std::iter::from_fn(move || match (first.get(left.at), second.get(right.at)) {
        (None, None) => None,
        // Lists that agree are walked together; only what follows has to look names up.
        (Some(mine), Some(theirs)) if left.at == right.at && mine.name == theirs.name => {
            Some((mine.name, left.take(mine), right.take(theirs)))
        }
        _ => apart(first, second, &mut left, &mut right),
    })
}

/// The next dim of lists that do not agree.
fn apart(first: &[Dim], second: &[Dim], left: &mut Head, right: &mut Head) -> Option<(Name, DimBits, DimBits)> {
    let place = |found: Option<(usize, DimBits)>| found.map(|(at, _)| at);
    let bits = |found: Option<(usize, DimBits)>| found.map_or(DimBits::default(), |(_, bits)| bits);
    // What the other list has taken is listed already; what a list has before its own head is, too.
    let there = left.pass(first, second, right.at);
    let here = right.pass(second, first, left.at);
    match (first.get(left.at), second.get(right.at)) {
        (Some(mine), theirs) if theirs.is_none() || place(there) <= place(here) => {
            Some((mine.name, left.take(mine), bits(there)))
        }
        (_, Some(theirs)) => Some((theirs.name, bits(here), right.take(theirs))),
        _ => None,
    }
}

/// The first dim of a list that is not taken yet, with the bits before it.
#[derive(Clone, Copy, Default)]
struct Head {
    at: usize,
    start: u32,
}

impl Head {
    /// Goes on to the first dim of a list that is not among the `taken` ones of the other, and says where that has it.
    fn pass(&mut self, dims: &[Dim], other: &[Dim], taken: usize) -> Option<(usize, DimBits)> {
        loop {
            let dim = dims.get(self.at)?;
            let found = find(other, dim.name);
            if found.is_none_or(|(at, _)| at >= taken) {
                return found;
            }
            self.take(dim);
        }
    }

    fn take(&mut self, dim: &Dim) -> DimBits {
        let bits = DimBits { start: self.start, bits: dim.bits };
        (self.at, self.start) = (self.at + 1, self.start + dim.bits);
        bits
    }
}

/// The position and the bits of the dim of a name.
fn find(dims: &[Dim], name: Name) -> Option<(usize, DimBits)> {
    let mut head = Head::default();
    dims.iter()
        .map(|dim| (dim.name, head.at, head.take(dim)))
        .find(|(other, ..)| *other == name)
        .map(|(_, at, bits)| (at, bits))
}

/// Whether a layout may have these dims on one side.
fn fits(dims: &[Dim]) -> bool {
    bit_count(dims) <= u64::BITS && dims.iter().all(|dim| dim.bits <= Dim::MOST_BITS)
}

#[cold]
fn too_large(whole: &LinearLayout) -> Error {
    let dims = if fits(whole.ins()) { whole.outs() } else { whole.ins() };
    let help = format!("at most {} bits a side, and {} in one dim", u64::BITS, Dim::MOST_BITS);
    error!(
        Code::TooLarge,
        "the product has {bit_count} bits in {names}",
        [bit_count = bit_count(dims), names = names(dims)]
    )
    .with_help(help)
}
