//! [`Region`]: the part of a tensor that a file has.
//!
//! It is a product of blocks of indices, one list a dim, which are ascending and disjoint; a box has one block a dim. Law: the file has
//! the elements of a region row-major, in the order of their indices.

use bitstride::{Error, cast};

/// Neighbouring indices, from the first to below the last.
pub(crate) type Block = (i64, i64);

/// Blocks of indices along each dim.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Region(pub(crate) Vec<Vec<Block>>);

impl Region {
    /// The box that begins at some offsets; `None` where it ends beyond all numbers.
    pub(crate) fn of_box(offsets: &[i64], shape: &[i64]) -> Option<Self> {
        let dims = offsets.iter().zip(shape).map(|(offset, extent)| {
            let end = offset.checked_add(*extent)?;
            Some(if *extent > 0 { vec![(*offset, end)] } else { Vec::new() })
        });
        dims.collect::<Option<_>>().map(Region)
    }

    /// The extents of the tensor that the file has.
    pub(crate) fn shape(&self) -> Vec<i64> {
        self.0.iter().map(|blocks| blocks.iter().map(|(start, end)| end - start).sum()).collect()
    }

    /// One past the last index of each dim; 0 where there is none.
    pub(crate) fn ends(&self) -> Vec<i64> {
        self.0.iter().map(|blocks| blocks.last().map_or(0, |(_, end)| *end)).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().any(Vec::is_empty)
    }

    /// Where the box begins, in a tensor of some extents, behind which an empty one lies; `None` where there are gaps.
    pub(crate) fn offsets(&self, whole: &[i64]) -> Option<Vec<i64>> {
        let dims = self.0.iter().zip(whole).map(|(blocks, extent)| match blocks.as_slice() {
            [] => Some(*extent),
            [(start, _)] => Some(*start),
            _ => None,
        });
        dims.collect()
    }

    /// Whether two regions share elements.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(one, two)| meet(one, two))
    }

    /// The blocks of rows within others, and how many rows of the region are before them.
    pub(crate) fn rows(&self, from: i64, to: i64) -> (Vec<Block>, i64) {
        let blocks = self.0.first().map_or(&[][..], Vec::as_slice);
        let within =
            blocks.iter().map(|(start, end)| (*start.max(&from), *end.min(&to))).filter(|(start, end)| start < end);
        let before = blocks.iter().map(|(start, end)| (*end.min(&from) - start).max(0)).sum();
        (within.collect(), before)
    }

    /// Visits the runs of bytes of some of its rows, in the order of the region: where each begins in the rows of the whole tensor from
    /// `first` on, and its length. `strides` are those of the whole tensor, in bytes.
    pub(crate) fn runs<E>(
        &self,
        rows: &[Block],
        first: i64,
        whole: &[i64],
        strides: &[i64],
        visit: &mut impl FnMut(i64, i64) -> Result<(), E>,
    ) -> Result<(), E> {
        // From the fastest dim on, as long as the region has all of it, neighbours are one run.
        let mut inner = self.0.len().saturating_sub(1);
        while inner > 0
            && self.0.get(inner).map(Vec::as_slice) == Some(&[(0, whole.get(inner).copied().unwrap_or(0))][..])
        {
            inner -= 1;
        }
        let rows: Vec<Block> = rows.iter().map(|(start, end)| (start - first, end - first)).collect();
        let mut dims = vec![rows.as_slice()];
        dims.extend(self.0.iter().skip(1).take(inner).map(Vec::as_slice));
        walk(&dims, strides, 0, visit)
    }
}

/// Whether two lists of blocks share an index.
fn meet(one: &[Block], two: &[Block]) -> bool {
    let (mut left, mut right) = (one.iter().peekable(), two.iter().peekable());
    while let (Some((start, end)), Some((other_start, other_end))) = (left.peek(), right.peek()) {
        if start < other_end && other_start < end {
            return true;
        }
        if end <= other_end {
            left.next()
        } else {
            right.next()
        };
    }
    false
}

/// The blocks of the last dim are runs, once for each index of the dims before.
fn walk<E>(
    dims: &[&[Block]],
    strides: &[i64],
    base: i64,
    visit: &mut impl FnMut(i64, i64) -> Result<(), E>,
) -> Result<(), E> {
    let (Some((blocks, inner)), Some((stride, below))) = (dims.split_first(), strides.split_first()) else {
        return Ok(());
    };
    for (start, end) in blocks.iter() {
        if inner.is_empty() {
            visit(base + start * stride, (end - start) * stride)?;
            continue;
        }
        for index in *start..*end {
            walk(inner, below, base + index * stride, visit)?;
        }
    }
    Ok(())
}

/// Copies a box from memory of some strides to memory of others, each from a byte on.
pub(super) fn copy_box(
    extents: &[i64],
    (source, from, own): (&[u8], i64, &[i64]),
    (target, to, other): (&mut [u8], i64, &[i64]),
) -> Result<(), Error> {
    let (Some((extent, inner)), Some((step, own)), Some((other_step, other))) =
        (extents.split_first(), own.split_first(), other.split_first())
    else {
        return Ok(());
    };
    // What lies together on both sides is one run.
    let width = own.last().copied().unwrap_or(*step);
    let together = step == other_step && inner.iter().fold(width, |all, extent| all.saturating_mul(*extent)) == *step;
    if together {
        let (from, to, length) = (cast::bytes(from)?, cast::bytes(to)?, cast::bytes(extent * step)?);
        if let (Some(source), Some(target)) = (source.get(from..from + length), target.get_mut(to..to + length)) {
            target.copy_from_slice(source);
        }
        return Ok(());
    }
    for at in 0..*extent {
        copy_box(inner, (source, from + at * step, own), (target, to + at * other_step, other))?;
    }
    Ok(())
}

/// The strides of a row-major tensor, in bytes.
///
/// # Errors
/// Where they are more than are counted.
pub(crate) fn strides(shape: &[i64], width: i64) -> Result<Vec<i64>, Error> {
    let mut strides = Vec::new();
    let mut step = width;
    for extent in shape.iter().rev() {
        strides.push(step);
        step = step.checked_mul((*extent).max(1)).ok_or_else(|| Error::overflow("the bytes of a tensor"))?;
    }
    strides.reverse();
    Ok(strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_elements_in_order() {
        // Columns 1..3 and 5..6 of rows 1..2 and 3..5, and all of the last dim.
        let region = Region(vec![vec![(1, 2), (3, 5)], vec![(1, 3), (5, 6)], vec![(0, 2)]]);
        let whole = [6, 7, 2];
        let strides = strides(&whole, 4).expect("strides");
        assert_eq!((strides.as_slice(), region.shape()), (&[56, 8, 4][..], vec![3, 3, 2]));
        let (rows, before) = region.rows(2, 4);
        assert_eq!((rows.as_slice(), before), (&[(3, 4)][..], 1));
        let mut runs = Vec::new();
        let mut visit = |start, length| {
            runs.push((start, length));
            Ok::<(), ()>(())
        };
        region.runs(&rows, 2, &whole, &strides, &mut visit).expect("no error");
        assert_eq!(runs, [(56 + 8, 16), (56 + 40, 8)]);
    }

    #[test]
    fn regions_overlap_where_all_dims_meet() {
        let region = |blocks: &[Block]| Region(vec![blocks.to_vec(), vec![(0, 4)]]);
        let even = region(&[(0, 2), (4, 6)]);
        assert!(!even.overlaps(&region(&[(2, 4), (6, 8)])));
        assert!(even.overlaps(&region(&[(2, 5)])));
        assert!(!even.overlaps(&Region(vec![vec![(0, 2)], vec![(4, 5)]])));
        assert_eq!((even.offsets(&[8, 4]), region(&[]).offsets(&[8, 4])), (None, Some(vec![8, 0])));
    }
}
