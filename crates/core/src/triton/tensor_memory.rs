//! [`TensorMemory`] and [`TensorMemoryScales`]: the two-dimensional memory of the fifth generation of tensor cores.

use super::Cga;
use super::fit::{Share, share};
use super::sizes::{log, same_rank};
use super::tile::Bit;
use crate::error::{Code, Error};
use crate::linear::{Columns, LinearLayout, Name};

/// `#ttng.tensor_memory_encoding<blockM, blockN, colStride, …>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemory {
    /// The rows of one block of the accumulator: 64 or 128.
    pub block_m: i64,
    /// The columns of one block of the accumulator.
    pub block_n: i64,
    /// Every how many 32-bit columns an element stands.
    pub col_stride: i64,
    /// The blocks of a cluster.
    pub cga: Cga,
    /// Whether two blocks work on one instruction.
    pub two_ctas: bool,
    /// Whether fp4 elements are padded to bytes.
    pub fp4_padded: bool,
}

/// `#ttng.tensor_memory_scales_encoding<CGALayout, blockRepOrder>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemoryScales {
    /// The blocks of a cluster.
    pub cga: Cga,
    /// How blocks of 128 rows and 4 columns are repeated.
    pub order: Repetition,
}

/// Along which dim the blocks of scales are repeated first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// `mnThenK`: along M or N, then along K. What is meant when nothing is said.
    #[default]
    RowsFirst,
    /// `kThenMn`: along K, then along M or N.
    ColumnsFirst,
}

/// Tensor memory has 128 rows.
const ROWS: u32 = 7;

/// The bits of the columns of tensor memory, of which there are 512.
const MAX_COLUMNS: u32 = 9;

impl TensorMemory {
    /// The linear layout for a shape, from row, column and block. A block of 128 rows fills the rows. A block of 64 has
    /// its rows in groups of 16 in the lower half of each 32; the upper half takes the next block: the next along M, or
    /// else along N, or none. When two CTAs work together on 64 rows, the upper half of N takes the upper rows.
    ///
    /// # Errors
    /// [`Code::Parameter`], [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`].
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        same_rank(2, shape)?;
        let (m, n) = (log("blockM", self.block_m)?, log("blockN", self.block_n)?);
        if !(6..=7).contains(&m) {
            return Err(error!(Code::Parameter, "blockM is {block_m}; 64 and 128 exist", [block_m = self.block_m]));
        }
        if n > MAX_COLUMNS {
            let (block_n, most) = (self.block_n, 1_i64 << MAX_COLUMNS);
            return Err(error!(Code::Parameter, "blockN is {block_n}; it is at most {most}", [block_n, most]));
        }
        let stride = log("colStride", self.col_stride)?;
        if stride > 2 {
            return Err(error!(
                Code::Parameter,
                "colStride is {col_stride}; 1, 2 and 4 exist",
                [col_stride = self.col_stride]
            ));
        }
        if self.fp4_padded && stride != 0 {
            return Err(error!(
                Code::Parameter,
                "colStride is {col_stride}, and fp4Padded needs 1",
                [col_stride = self.col_stride]
            ));
        }
        if self.two_ctas && self.cga.bases.first().is_none_or(|basis| basis.as_ref() != [1, 0]) {
            return Err(Error::new(
                Code::Parameter,
                "twoCTAs needs a cluster whose first basis, that of the second of the two blocks, is [1, 0]",
            )
            .with_help("write `CGALayout = [[1, 0]]`"));
        }
        let share = share(shape, &self.cga)?;
        fits(shape, &self.cga)?;
        let size = |dim: usize| share.bits.get(dim).copied().unwrap_or(0);
        if size(0) < m {
            return Err(error!(
                Code::Parameter,
                "blockM is {block_m}; the shape {shape:?} has {rows} rows a block",
                [block_m = self.block_m, shape, rows = 1u64 << size(0)]
            ));
        }
        // A block that is wider than the shape ends with it.
        let n = n.min(size(1));
        let (mut row, mut column) = (Columns::new(), Columns::new());
        let mut reach = [m, n];
        (0..stride.max(u32::from(self.fp4_padded))).for_each(|_| column.push(0));
        range(&mut column, &share, 1, 0..n);
        if m == ROWS {
            range(&mut row, &share, 0, 0..m);
        } else if self.two_ctas {
            range(&mut row, &share, 0, 0..m);
            let Some(half) = column.pop() else {
                return Err(Error::new(Code::Parameter, "blockN is 1, but two CTAs share the columns by halves"));
            };
            row.push(half);
        } else {
            range(&mut row, &share, 0, 0..4);
            let next = (0..2).find(|dim| reach.get(*dim).is_some_and(|reach| *reach < size(*dim)));
            row.push(share.column(next.map(|dim| Bit { dim, bit: if dim == 0 { m } else { n } })));
            range(&mut row, &share, 0, 4..m);
            if let Some(reach) = next.and_then(|dim| reach.get_mut(dim)) {
                *reach += 1;
            }
        }
        for (dim, start) in reach.into_iter().enumerate() {
            share.grow(&mut column, dim, start);
        }
        share.layout(&[(Name::ROW, &row), (Name::COL, &column)], 2)
    }
}

impl TensorMemoryScales {
    /// The linear layout for a shape, from row, column and block: 32 rows, repeated four times over the 128; four
    /// columns along K, and the four groups of 32 rows of a block, at least two; then further blocks in their order.
    ///
    /// # Errors
    /// [`Code::RankMismatch`], [`Code::SizeNotPowerOfTwo`]; [`Code::Parameter`] for a shape with fewer elements than
    /// blocks.
    pub fn to_linear(&self, shape: &[i64]) -> Result<LinearLayout, Error> {
        same_rank(2, shape)?;
        let share = share(shape, &self.cga)?;
        fits(shape, &self.cga)?;
        let (mut row, mut column) = (Columns::new(), Columns::new());
        range(&mut row, &share, 0, 0..5);
        (5..ROWS).for_each(|_| row.push(0));
        range(&mut column, &share, 1, 0..2);
        range(&mut column, &share, 0, 5..6);
        let rows = share.bits.first().copied().unwrap_or(0);
        (6..rows.min(ROWS)).for_each(|bit| range(&mut column, &share, 0, bit..bit + 1));
        match self.order {
            Repetition::RowsFirst => {
                share.grow(&mut column, 0, ROWS);
                share.grow(&mut column, 1, 2);
            }
            Repetition::ColumnsFirst => {
                share.grow(&mut column, 1, 2);
                share.grow(&mut column, 0, ROWS);
            }
        }
        share.layout(&[(Name::ROW, &row), (Name::COL, &column)], 2)
    }
}

/// Refuses a shape that some block of the cluster has no part of: tensor memory does not fold its blocks.
fn fits(shape: &[i64], cga: &Cga) -> Result<(), Error> {
    let whole = cga.to_linear(shape.len())?;
    match whole.outs().iter().zip(shape).find(|(dim, size)| dim.size() > **size) {
        None => Ok(()),
        Some((dim, size)) => Err(error!(
            Code::Parameter,
            "the cluster has {dim_size} blocks along {name}, the shape {size} elements",
            [dim_size = dim.size(), name = dim.name, size]
        )),
    }
}

/// Appends some bits of a dim; those beyond the share are duplicates.
fn range(columns: &mut Columns, share: &Share, dim: usize, bits: std::ops::Range<u32>) {
    bits.for_each(|bit| columns.push(share.column(Some(Bit { dim, bit }))));
}
