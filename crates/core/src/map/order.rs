//! [`Order`]: how the elements of a tensor are numbered, which is what a flat index counts.
//!
//! A layout of CuTe numbers its elements column-major: the first mode is the fastest. Arrays of XLA, strides of NumPy
//! and PyTorch, tags and tensors of Triton are numbered row-major: the last dim is the fastest. A map keeps the order of
//! the notation that it comes from. Law: reading a tensor in another shape in one order and back in the same order
//! changes nothing.
//!
//! | point of `(2,3)` | column-major | row-major |
//! |---|---|---|
//! | (1,0) | 1 | 3 |
//! | (0,1) | 2 | 1 |

use std::fmt;

use super::{Axis, Stage};

/// In which order the elements of a tensor are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The first dim is the fastest: CuTe.
    ColumnMajor,
    /// The last dim is the fastest: XLA, NumPy, PyTorch, oneDNN's tags, Triton's tensors.
    RowMajor,
}

impl Order {
    /// The word by which an expression names it.
    ///
    /// ```
    /// use bitstride::map::Order;
    /// assert_eq!(Order::of_word("row"), Some(Order::RowMajor));
    /// assert_eq!(Order::ColumnMajor.word(), "column");
    /// ```
    pub fn word(self) -> &'static str {
        match self {
            Order::ColumnMajor => "column",
            Order::RowMajor => "row",
        }
    }

    /// The order of a word, `row` or `column`.
    pub fn of_word(word: &str) -> Option<Order> {
        [Order::ColumnMajor, Order::RowMajor].into_iter().find(|order| order.word() == word)
    }

    /// The axes, the fastest first.
    fn fastest_first<T>(self, axes: impl DoubleEndedIterator<Item = T>) -> Vec<T> {
        match self {
            Order::ColumnMajor => axes.collect(),
            Order::RowMajor => axes.rev().collect(),
        }
    }

    /// The distance between neighbours along each axis in the flat index. Products that do not fit are those of a box
    /// with an extent of 0, which has no elements.
    pub(super) fn strides(self, axes: &[Axis]) -> Vec<i64> {
        let mut stride = 1i64;
        let steps = self.fastest_first(axes.iter()).into_iter().map(|axis| {
            let step = stride;
            stride = stride.saturating_mul(axis.extent);
            step
        });
        let steps: Vec<i64> = steps.collect();
        self.fastest_first(steps.into_iter())
    }

    /// The stages that turn a row of one flat index into the coordinates of a box.
    pub(super) fn split(self, axes: &[Axis]) -> Vec<Stage> {
        let Some(faster) = axes.len().checked_sub(1) else {
            return vec![Stage::Linearise { at: 0, count: 1, sums: Vec::new() }];
        };
        let radices = self.fastest_first(axes.iter().map(|axis| axis.extent.max(1)));
        let split = Stage::Delinearise { at: 0, radices: radices.into_iter().take(faster).collect() };
        match self {
            Order::RowMajor if faster > 0 => vec![split, Stage::Permute((0..axes.len()).rev().collect())],
            _ => vec![split],
        }
    }

    /// The axis that grows slowest, by place.
    pub(super) fn slowest(self, axes: usize) -> Option<usize> {
        match self {
            Order::ColumnMajor => axes.checked_sub(1),
            Order::RowMajor => (axes > 0).then_some(0),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::ColumnMajor => "column-major, the first dim the fastest",
            Order::RowMajor => "row-major, the last dim the fastest",
        })
    }
}
