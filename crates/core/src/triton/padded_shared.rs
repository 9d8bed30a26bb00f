//! [`PaddedShared`]: shared memory with a gap after every a given number of elements.
//!
//! Law: the element whose offset before padding is `o` stands at `o + sum of (o / interval) * padding`; after the last
//! element there is no padding.

use super::Sizes;
use super::sizes::{log, same_rank};
use crate::error::{Code, Error};
use crate::linear::{Dim, LinearLayout, Name};

/// `#ttg.padded_shared<[interval:+padding, …] {offset, block}>`. Not linear; its offsets before padding are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PaddedShared {
    /// After every interval of elements, a given number of elements of padding.
    pub paddings: Vec<(i64, i64)>,
    /// Where each bit of the offset before padding is.
    pub offset: Vec<Sizes>,
    /// Where each bit of the block number is, in elements.
    pub block: Vec<Sizes>,
    /// The rank of the tensor.
    pub rank: usize,
}

impl PaddedShared {
    /// There is none: padding adds, it does not xor. See [`PaddedShared::linear_part`] and
    /// [`MemDesc`](super::MemDesc).
    ///
    /// # Errors
    /// [`Code::PaddedNotLinear`], after what [`PaddedShared::linear_part`] refuses.
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        self.linear_part(shape)?;
        let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
        Err(Error::new(Code::PaddedNotLinear, "padding adds to offsets where a linear layout can only xor").with_help(
            format!("its type is a layout: `!ttg.memdesc<{}xf16, #ttg.padded_shared<…>, …>`", sizes.join("x")),
        ))
    }

    /// The linear layout of the offsets before padding, from offset and block, for the shape that the bases cover.
    ///
    /// # Errors
    /// [`Code::RankMismatch`], [`Code::NotSurjective`]; [`Code::Parameter`] for another shape.
    pub fn linear_part(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        same_rank(self.rank, shape)?;
        self.paddings()?;
        let names: Vec<Name> = (0..self.rank).map(Name::dim).collect();
        let bases = |bases: &[Sizes]| bases.iter().map(|basis| basis.to_vec()).collect();
        let (offset, block) = ((Name::OFFSET, bases(&self.offset)), (Name::BLOCK, bases(&self.block)));
        let whole = LinearLayout::from_bases_inferred(&[offset, block], &names)?;
        let covered: Vec<i64> = whole.outs().iter().map(Dim::size).collect();
        if covered != shape {
            return Err(error!(
                Code::Parameter,
                "the bases cover a tensor of shape {covered:?}, not {shape:?}",
                [covered, shape]
            ));
        }
        Ok(whole)
    }

    /// Where the element stands whose offset before padding is `offset`, in elements.
    ///
    /// # Errors
    /// [`Code::Range`] for a negative offset; [`Code::Overflow`]; [`Code::SizeNotPowerOfTwo`] for an interval or padding
    /// that is none.
    ///
    /// ```
    /// use bitstride::triton::PaddedShared;
    /// let padded = PaddedShared { paddings: vec![(8, 1)], offset: vec![], block: vec![], rank: 1 };
    /// assert_eq!((padded.padded_offset(7)?, padded.padded_offset(8)?), (7, 9));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn padded_offset(&self, offset: i64) -> Result<i64, Error> {
        self.paddings()?;
        if offset < 0 {
            return Err(error!(Code::Range, "the offset {offset} is negative", [offset]));
        }
        let mut place = offset;
        for (interval, padding) in &self.paddings {
            let gaps = (offset / interval).checked_mul(*padding);
            place =
                gaps.and_then(|gaps| place.checked_add(gaps)).ok_or_else(|| Error::overflow("the padded offset"))?;
        }
        Ok(place)
    }

    /// The elements that the memory of one block has room for, padding included.
    ///
    /// # Errors
    /// As [`PaddedShared::linear_part`] and [`PaddedShared::padded_offset`].
    pub fn padded_size(&self, shape: &[i64]) -> Result<i64, Error> {
        let part = self.linear_part(shape)?;
        let elements = part.in_dim(Name::OFFSET).map_or(1, |(dim, _)| dim.size());
        self.padded_offset(elements - 1)?.checked_add(1).ok_or_else(|| Error::overflow("the padded size"))
    }

    /// Each interval that ends within a given number of elements, the shortest first, with how far apart two of them stand.
    pub(crate) fn levels(&self, elements: i64) -> Result<Vec<(i64, i64)>, Error> {
        let mut intervals: Vec<i64> = self.paddings.iter().map(|(interval, _)| *interval).collect();
        intervals.retain(|interval| *interval < elements);
        intervals.sort_unstable();
        intervals.into_iter().map(|interval| Ok((interval, self.padded_offset(interval)?))).collect()
    }

    fn paddings(&self) -> Result<(), Error> {
        for (at, (interval, padding)) in self.paddings.iter().enumerate() {
            log("a padding interval", *interval)?;
            log("a padding", *padding)?;
            if self.paddings.iter().take(at).any(|(other, _)| other == interval) {
                return Err(error!(Code::Parameter, "two paddings have the interval {interval}", [interval])
                    .with_help("add them up"));
            }
        }
        Ok(())
    }
}
