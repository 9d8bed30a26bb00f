//! [`MemDesc`]: a piece of memory that holds a tensor, as the type `!ttg.memdesc` describes it.
//!
//! The encoding lays out one buffer of the allocation. A leading dim beyond the encoding's rank counts buffers, which stand
//! one after the other; the shape may be smaller than the allocation, and is then its first part. Law: element `(b, x…)`
//! has the offset `b * stride + offset(x…)`, where `offset` is the encoding's on the whole allocation.

use super::Encoding;
use crate::error::{Code, Error};
use crate::linear::{Columns, Dim, Dims, LinearLayout, Name};

/// `!ttg.memdesc<SHAPExT, ENCODING, …, ALLOCATION>`.
///
/// ```
/// use bitstride::triton::MemDesc;
/// let shared = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>".parse()?;
/// let buffers = MemDesc::new(shared, &[3, 64, 32], None)?;
/// assert_eq!((buffers.buffers(), buffers.stride()?, buffers.size()?), (Some(3), 2048, 6144));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemDesc {
    encoding: Encoding,
    shape: Vec<i64>,
    /// As many sizes as the shape has.
    allocation: Vec<i64>,
    /// How many dims count buffers: one or none.
    leading: usize,
    /// The bits of an element, where they are known.
    element_bits: Option<i64>,
}

/// A column of tensor memory has words of 32 bits.
const WORD_BITS: i64 = 32;

impl MemDesc {
    /// A piece of memory of a shape; without an allocation it is whole. A leading size of the allocation beyond the rank of
    /// the shape counts buffers of which this is one, and says nothing about it.
    ///
    /// # Errors
    /// [`Code::NoLayout`] for an encoding that stands for none; [`Code::RankMismatch`] unless the rank is the encoding's or
    /// one more; [`Code::Range`] for a size below 1 or above that of the allocation.
    pub fn new(encoding: Encoding, shape: &[i64], allocation: Option<&[i64]>) -> Result<Self, Error> {
        let Some(rank) = encoding.rank() else {
            return Err(error!(
                Code::NoLayout,
                "{encoding} stands for a layout that is still to be inferred",
                [encoding]
            )
            .with_help("give the encoding that the compiler chose"));
        };
        let leading =
            shape.len().checked_sub(rank).filter(|leading| *leading <= 1).ok_or_else(|| {
                Error::encoding_rank(rank, shape).with_help("one more dim, the first, counts buffers")
            })?;
        let allocation = allocation.unwrap_or(shape);
        let whole = allocation.len().checked_sub(shape.len()).filter(|more| *more <= 1);
        let Some(allocation) = whole.and_then(|more| allocation.get(more..)) else {
            return Err(error!(
                Code::RankMismatch,
                "an allocation of {allocation:?} for a piece of shape {shape:?}",
                [allocation, shape]
            )
            .with_help("it has as many sizes, or one more"));
        };
        if let Some((size, all)) = shape.iter().zip(allocation).find(|(size, all)| **size < 1 || size > all) {
            return Err(error!(
                Code::Range,
                "a size of {size} in the shape {shape:?}, of {all} in the allocation {allocation:?}",
                [size, shape, all, allocation]
            )
            .with_help("sizes are at least 1 and at most the allocation's"));
        }
        let (shape, allocation) = (shape.to_vec(), allocation.to_vec());
        Ok(MemDesc { encoding, shape, allocation, leading, element_bits: None })
    }

    /// The same of elements of this size. Tensor memory then has whole words of 32 bits and no more columns than hold an element of
    /// the shape, as the type says in Triton; the encoding on a shape knows neither.
    ///
    /// ```
    /// use bitstride::triton::MemDesc;
    /// let scales = MemDesc::new("#ttng.tensor_memory_scales_encoding<>".parse()?, &[32, 4], None)?;
    /// assert_eq!((scales.size()?, scales.with_element_bits(8).size()?), (8, 4));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn with_element_bits(mut self, bits: i64) -> Self {
        self.element_bits = Some(bits);
        self
    }

    /// The encoding.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The sizes of the tensor, buffers first.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The sizes of the memory that it is a part of, buffers first.
    pub fn allocation(&self) -> &[i64] {
        &self.allocation
    }

    /// How many buffers the memory has, where a dim counts them.
    pub fn buffers(&self) -> Option<i64> {
        self.allocation.first().copied().filter(|_| self.leading > 0)
    }

    /// The linear layout of one buffer of the allocation, before padding. Of tensor memory, which has no swizzles, it is that of the
    /// shape where the size of its elements is known.
    ///
    /// # Errors
    /// As [`Encoding::linear_part`].
    pub fn buffer(&self) -> Result<LinearLayout, Error> {
        let whole = self.encoding.linear_part(self.allocation.get(self.leading..).unwrap_or(&[]))?;
        match self.element_bits {
            Some(bits) if whole.in_dim(Name::COL).is_some() => self.words(whole, bits),
            _ => Ok(whole),
        }
    }

    /// A buffer of tensor memory on the shape, with the columns that hold an element of it and whole words.
    fn words(&self, whole: LinearLayout, bits: i64) -> Result<LinearLayout, Error> {
        let mut view = whole;
        // A part of each buffer leaves the distance between them.
        let sizes: &[i64] = if self.leading == 0 { &self.shape } else { &[] };
        for (at, size) in sizes.iter().enumerate().filter(|(_, size)| Dim::new(Name::COL, **size).is_ok()) {
            view = view.resize_out_dim(Name::dim(at), *size)?;
        }
        let columns = view.in_dim(Name::COL).map_or(&[][..], |(_, columns)| columns);
        let used = columns.iter().rposition(|column| *column != 0).map_or(0, |last| last + 1);
        let mut places = 1_i64.checked_shl(u32::try_from(used).unwrap_or(u32::MAX)).unwrap_or(i64::MAX);
        while places.saturating_mul(bits.max(1)) < WORD_BITS {
            places *= 2;
        }
        view.resize_in_dim(Name::COL, places)
    }

    /// The dim in which the places of a buffer are counted: offsets of shared memory, columns of tensor memory.
    pub(crate) fn axis(buffer: &LinearLayout) -> Option<Dim> {
        [Name::OFFSET, Name::COL].into_iter().find_map(|name| buffer.in_dim(name)).map(|(dim, _)| dim)
    }

    /// How many places lie between the starts of two buffers. Padding after the last element of a buffer counts.
    ///
    /// # Errors
    /// As [`MemDesc::buffer`]; [`Code::Kind`] for an encoding that is no memory; [`Code::Overflow`].
    pub fn stride(&self) -> Result<i64, Error> {
        let places = self.places()?;
        self.encoding.padding().map_or(Ok(places), |padding| padding.padded_offset(places))
    }

    /// How many places the memory of one block has, from the first to the last that holds an element.
    ///
    /// # Errors
    /// As [`MemDesc::stride`].
    pub fn size(&self) -> Result<i64, Error> {
        let before = self.stride()?.checked_mul(self.buffers().unwrap_or(1) - 1);
        let last = self.places()? - 1;
        let last = self.encoding.padding().map_or(Ok(last), |padding| padding.padded_offset(last))?;
        before
            .and_then(|before| before.checked_add(last)?.checked_add(1))
            .ok_or_else(|| Error::overflow("the size of the allocation"))
    }

    /// The places of one buffer, before padding.
    fn places(&self) -> Result<i64, Error> {
        MemDesc::axis(&self.buffer()?).map(|dim| dim.size()).ok_or_else(|| {
            error!(Code::Kind, "{encoding} is no layout of memory, so it has no buffers", [encoding = self.encoding])
        })
    }

    /// The whole as a linear layout: nothing where it is none, because of padding, a number of buffers that is no power of
    /// two, or a shape that is smaller than the allocation.
    ///
    /// # Errors
    /// As [`MemDesc::buffer`]; [`Code::TooLarge`] beyond 64 bits.
    pub fn to_linear(&self) -> Result<Option<LinearLayout>, Error> {
        if self.encoding.padding().is_some() {
            self.buffer()?;
            return Ok(None);
        }
        let buffer = self.buffer()?;
        let Some(count) = self.buffers() else {
            let is_whole = buffer.outs().iter().map(|dim| dim.size()).eq(self.shape.iter().copied());
            return Ok(is_whole.then_some(buffer));
        };
        self.places()?;
        let Ok(bits) = Dim::new(Name::dim(0), count).map(|dim| dim.bits) else { return Ok(None) };
        if self.shape != self.allocation {
            return Ok(None);
        }
        let axis = MemDesc::axis(&buffer);
        let mut outs = Dims::from_slice(&[Dim { name: Name::dim(0), bits }]);
        buffer.outs().iter().enumerate().for_each(|(at, dim)| outs.push(Dim { name: Name::dim(at + 1), ..*dim }));
        let (mut ins, mut columns) = (Dims::new(), Columns::new());
        for (dim, own) in buffer.by_in_dim() {
            own.iter().for_each(|column| columns.push(column.checked_shl(bits).unwrap_or(0)));
            let grows = axis.is_some_and(|axis| axis.name == dim.name);
            if grows {
                (0..bits).for_each(|bit| columns.push(1 << bit));
            }
            ins.push(Dim { bits: dim.bits + if grows { bits } else { 0 }, ..dim });
        }
        LinearLayout::from_columns(ins, outs, columns).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swizzled() -> Encoding {
        "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>".parse().expect("an encoding")
    }

    #[test]
    fn a_leading_dim_counts_buffers() -> Result<(), Error> {
        let two = MemDesc::new(swizzled(), &[2, 4, 8], None)?;
        let text = "linear<{offset=[[0,0,1],[0,0,2],[0,0,4],[0,1,2],[0,2,4],[1,0,0]], block=[]}, out=[dim0:2, dim1:4, dim2:8]>";
        assert_eq!(two.to_linear()?.map(|layout| layout.to_string()).as_deref(), Some(text));
        assert_eq!((two.stride()?, two.size()?), (32, 64));
        assert_eq!(MemDesc::new(swizzled(), &[3, 4, 8], None)?.to_linear()?, None);
        Ok(())
    }

    #[test]
    fn padding_stands_between_buffers() -> Result<(), Error> {
        let padded: Encoding = "#ttg.padded_shared<[8:+2] {order = [1, 0], shape = [4, 8]}>".parse()?;
        let one = MemDesc::new(padded.clone(), &[4, 8], None)?;
        assert_eq!((one.stride()?, one.size()?), (40, 38));
        let two = MemDesc::new(padded, &[2, 4, 8], None)?;
        assert_eq!((two.stride()?, two.size()?), (40, 78));
        Ok(())
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let code = |shape: &[i64], allocation: Option<&[i64]>| {
            MemDesc::new(swizzled(), shape, allocation).map_err(|error| error.code())
        };
        assert!(code(&[4, 2], Some(&[4, 8])).is_ok() && code(&[4, 2], Some(&[3, 4, 8])).is_ok());
        assert_eq!(code(&[8], None), Err(Code::RankMismatch));
        assert_eq!(code(&[2, 2, 4, 8], None), Err(Code::RankMismatch));
        assert_eq!(code(&[4, 8], Some(&[8])), Err(Code::RankMismatch));
        assert_eq!(code(&[4, 16], Some(&[4, 8])), Err(Code::Range));
        assert_eq!(code(&[0, 4, 8], None), Err(Code::Range));
        assert_eq!(MemDesc::new(Encoding::Auto, &[4], None).map_err(|error| error.code()), Err(Code::NoLayout));
        let large = MemDesc::new(swizzled(), &[i64::MAX, 4, 8], None).and_then(|all| all.size());
        assert_eq!(large.map_err(|error| error.code()), Err(Code::Overflow));
    }
}
