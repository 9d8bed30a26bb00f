//! [`Distributed`]: which threads own an element, from a matrix of thread numbers.
//!
//! This is the definition of a distributed layout before bits: a matrix `L` of thread numbers of any extents is laid
//! over a tensor, again and again where the tensor is larger, folded onto itself where the tensor is smaller. Law: along
//! each dim, of extent `l` in `L` and `t` in the tensor, coordinate `i` meets the coordinates
//!
//! ```text
//! F(i) = { i mod l }                           where l <= t   (wrapped around)
//! F(i) = { i, i + t, i + 2t, ... below l }     where l >  t   (broadcast)
//! ```
//!
//! of `L`, and the element is owned by the threads that stand there: a set, for several may hold the same element. Dims
//! are matched from the last on; a leading dim that the matrix or the tensor lacks has extent 1 there.

use super::Sizes;
use super::sizes::order;
use crate::error::{Code, Error};

/// The most cells of a matrix, and the most owners in a table of them.
const MAX_CELLS: i64 = 1 << 20;

/// A matrix of any rank whose cells are threads, or sets of threads.
///
/// ```
/// use bitstride::triton::Distributed;
/// // Six threads, two rows of three, over a tensor of 4 x 2: rows wrap, columns broadcast.
/// let matrix = Distributed::from_order(&[2, 3], &[1, 0])?;
/// assert_eq!(matrix.owners(&[4, 2], &[2, 0])?, [0, 2]);
/// assert_eq!(matrix.owners(&[4, 2], &[3, 1])?, [4]);
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Distributed {
    shape: Vec<i64>,
    /// Row by row, the last dim the fastest; each set ascending.
    cells: Vec<Vec<i64>>,
}

impl Distributed {
    /// The matrix of these thread numbers, given row by row: the last dim is the fastest.
    ///
    /// # Errors
    /// [`Code::Range`] for an extent below 1, a negative thread number, or a number of threads that is not the number
    /// of cells; [`Code::TooLarge`] beyond 2^20 cells.
    pub fn new(shape: &[i64], threads: &[i64]) -> Result<Self, Error> {
        let count = cells("the matrix", shape)?;
        if i64::try_from(threads.len()) != Ok(count) {
            return Err(error!(
                Code::Range,
                "{threads} thread numbers for the {count} cells of a matrix of {shape:?}",
                [threads = threads.len(), count, shape]
            ));
        }
        if let Some(thread) = threads.iter().find(|thread| **thread < 0) {
            return Err(error!(Code::Range, "thread {thread} is negative; threads count from 0", [thread]));
        }
        Ok(Distributed { shape: shape.to_vec(), cells: threads.iter().map(|thread| vec![*thread]).collect() })
    }

    /// The matrix that counts the threads along `order[0]` first, then along the others in turn.
    ///
    /// # Errors
    /// [`Code::Range`], [`Code::TooLarge`]; [`Code::OrderNotPermutation`] when `order` does not name each dim once.
    pub fn from_order(shape: &[i64], dims: &[i64]) -> Result<Self, Error> {
        cells("the matrix", shape)?;
        let dims = order(&Sizes::from_slice(dims), shape.len())?;
        let mut strides = vec![0; shape.len()];
        let mut next = 1;
        for dim in &dims {
            if let (Some(stride), Some(extent)) = (strides.get_mut(*dim), shape.get(*dim)) {
                *stride = next;
                next *= extent;
            }
        }
        let number = |at: &Vec<i64>| at.iter().zip(&strides).map(|(at, stride)| at * stride).sum();
        Ok(Distributed { shape: shape.to_vec(), cells: positions(shape).iter().map(|at| vec![number(at)]).collect() })
    }

    /// The extents.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The threads of each cell in ascending order, row by row.
    pub fn cells(&self) -> &[Vec<i64>] {
        &self.cells
    }

    /// The matrix without a dim: a cell holds what stood in all cells along that dim. This is the layout of a slice.
    ///
    /// # Errors
    /// [`Code::SliceDim`] when there is no such dim.
    ///
    /// ```
    /// use bitstride::triton::Distributed;
    /// let squeezed = Distributed::from_order(&[2, 3], &[1, 0])?.squeeze(0)?;
    /// assert_eq!(squeezed.cells(), [[0, 3], [1, 4], [2, 5]]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn squeeze(&self, dim: i64) -> Result<Self, Error> {
        let Some(dim) = usize::try_from(dim).ok().filter(|dim| *dim < self.shape.len()) else {
            return Err(error!(
                Code::SliceDim,
                "dim {dim} is to be squeezed from a matrix of rank {rank}",
                [dim, rank = self.shape.len()]
            ));
        };
        let mut shape = self.shape.clone();
        let whole = shape.remove(dim);
        let cells = positions(&shape)
            .iter()
            .map(|rest| {
                let mut choices: Vec<Vec<i64>> = rest.iter().map(|at| vec![*at]).collect();
                choices.insert(dim, (0..whole).collect());
                self.threads(&choices)
            })
            .collect();
        Ok(Distributed { shape, cells })
    }

    /// The matrix with one more dim, of extent 1, before the dim of that number.
    ///
    /// # Errors
    /// [`Code::SliceDim`] when that is beyond the rank.
    pub fn expand(&self, dim: i64) -> Result<Self, Error> {
        let Some(dim) = usize::try_from(dim).ok().filter(|dim| *dim <= self.shape.len()) else {
            return Err(error!(
                Code::SliceDim,
                "dim {dim} is to be added to a matrix of rank {rank}",
                [dim, rank = self.shape.len()]
            ));
        };
        let mut shape = self.shape.clone();
        shape.insert(dim, 1);
        Ok(Distributed { shape, cells: self.cells.clone() })
    }

    /// The threads that own an element of a tensor of a shape, ascending.
    ///
    /// # Errors
    /// [`Code::Range`] for an extent below 1, [`Code::RankMismatch`] when the element has not a coordinate for each dim
    /// of the tensor, [`Code::Range`] when one lies outside.
    pub fn owners(&self, tensor: &[i64], element: &[i64]) -> Result<Vec<i64>, Error> {
        extents("the tensor", tensor)?;
        if tensor.len() != element.len() {
            return Err(error!(
                Code::RankMismatch,
                "{element:?} has {element_count} coordinates for a tensor of {tensor:?}",
                [element, element_count = element.len(), tensor]
            ));
        }
        if element.iter().zip(tensor).any(|(at, extent)| *at < 0 || at >= extent) {
            return Err(error!(Code::Range, "{element:?} is no element of a tensor of {tensor:?}", [element, tensor]));
        }
        Ok(self.meet(tensor, element))
    }

    /// The owners of every element of a tensor of a shape, row by row.
    ///
    /// # Errors
    /// [`Code::Range`] for an extent below 1, [`Code::TooLarge`] beyond 2^20 owners in all.
    pub fn all_owners(&self, tensor: &[i64]) -> Result<Vec<Vec<i64>>, Error> {
        extents("the tensor", tensor)?;
        let most = self.cells.iter().map(Vec::len).max().and_then(|most| i64::try_from(most).ok());
        let rank = tensor.len().max(self.shape.len());
        let pairs: Vec<i64> = (0..rank)
            .map(|from_last| extent(tensor, from_last).max(extent(&self.shape, from_last)))
            .chain(most)
            .collect();
        cells("the table of owners", &pairs)?;
        Ok(positions(tensor).iter().map(|element| self.meet(tensor, element)).collect())
    }

    /// The threads at the coordinates that an element meets.
    fn meet(&self, tensor: &[i64], element: &[i64]) -> Vec<i64> {
        let along = |(dim, own): (usize, &i64)| {
            let from_last = self.shape.len() - 1 - dim;
            let (at, reach) = (counted(element, from_last).unwrap_or(0), extent(tensor, from_last));
            let mut met = vec![at % own];
            while let Some(next) = met.last().and_then(|last| last.checked_add(reach)).filter(|next| next < own) {
                met.push(next);
            }
            met
        };
        self.threads(&self.shape.iter().enumerate().map(along).collect::<Vec<_>>())
    }

    /// The threads of the cells at all choices of a coordinate for each dim.
    fn threads(&self, choices: &[Vec<i64>]) -> Vec<i64> {
        let mut places = vec![0];
        for (choice, extent) in choices.iter().zip(&self.shape) {
            places = places.iter().flat_map(|place| choice.iter().map(move |at| place * extent + at)).collect();
        }
        let cells = places.iter().filter_map(|place| self.cells.get(usize::try_from(*place).ok()?));
        let mut threads: Vec<i64> = cells.flatten().copied().collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }
}

/// The extent of a dim, counted from the last one; 1 where there is none.
fn extent(shape: &[i64], from_last: usize) -> i64 {
    counted(shape, from_last).unwrap_or(1)
}

/// The number of a dim, counted from the last one.
fn counted(numbers: &[i64], from_last: usize) -> Option<i64> {
    numbers.iter().rev().nth(from_last).copied()
}

/// Checks that no extent is below 1.
fn extents(what: &str, shape: &[i64]) -> Result<(), Error> {
    match shape.iter().find(|extent| **extent < 1) {
        None => Ok(()),
        Some(extent) => Err(error!(
            Code::Range,
            "{what} has extent {extent} in {shape:?}; it is at least {least}",
            [what, extent, shape, least = 1]
        )),
    }
}

/// The number of cells of a shape that may be listed.
fn cells(what: &str, shape: &[i64]) -> Result<i64, Error> {
    extents(what, shape)?;
    let count = shape.iter().try_fold(1i64, |count, extent| count.checked_mul(*extent));
    count.filter(|count| *count <= MAX_CELLS).ok_or_else(|| {
        error!(
            Code::TooLarge,
            "{what} has more than {max_cells} cells: {shape:?}",
            [what, max_cells = MAX_CELLS, shape]
        )
    })
}

/// All positions in a shape whose cells may be listed, row by row.
fn positions(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![Vec::new()], |heads, extent| {
        let longer = |head: &Vec<i64>, at| [head.as_slice(), &[at]].concat();
        heads.iter().flat_map(|head| (0..*extent).map(move |at| longer(head, at))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::Distributed;
    use crate::error::Code;

    fn square() -> Distributed {
        Distributed::from_order(&[4, 4], &[1, 0]).expect("a matrix")
    }

    #[test]
    fn the_first_dim_of_the_order_counts_first() {
        let matrix = Distributed::from_order(&[4, 4], &[0, 1]).expect("a matrix");
        let rows = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
        assert_eq!(Ok(&matrix), Distributed::new(&[4, 4], &rows).as_ref());
    }

    #[test]
    fn a_larger_tensor_wraps_and_a_smaller_one_broadcasts() {
        let owners = square().all_owners(&[2, 8]).expect("owners");
        let first = [[0, 8], [1, 9], [2, 10], [3, 11], [0, 8], [1, 9], [2, 10], [3, 11]];
        let second = [[4, 12], [5, 13], [6, 14], [7, 15], [4, 12], [5, 13], [6, 14], [7, 15]];
        assert_eq!(owners, [first, second].concat());
    }

    #[test]
    fn a_squeezed_matrix_has_sets() {
        let squeezed = square().squeeze(0).expect("a matrix");
        let sets = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
        assert_eq!(squeezed.cells(), sets);
        assert_eq!(squeezed.all_owners(&[8]), Ok([sets, sets].concat().iter().map(|set| set.to_vec()).collect()));
        assert_eq!(squeezed.squeeze(0).expect("a matrix").cells(), [(0..16).collect::<Vec<_>>()]);
    }

    #[test]
    fn no_extent_has_to_be_a_power_of_two_or_divide_another() {
        let matrix = Distributed::from_order(&[5], &[0]).expect("a matrix");
        assert_eq!(matrix.all_owners(&[3]), Ok(vec![vec![0, 3], vec![1, 4], vec![2]]));
        assert_eq!(matrix.all_owners(&[7]).map(|owners| owners.concat()), Ok(vec![0, 1, 2, 3, 4, 0, 1]));
    }

    #[test]
    fn dims_are_matched_from_the_last_and_a_missing_one_has_extent_one() {
        let row = Distributed::from_order(&[2], &[0]).expect("a matrix");
        assert_eq!(row.all_owners(&[2, 2]).map(|owners| owners.concat()), Ok(vec![0, 1, 0, 1]));
        let matrix = Distributed::from_order(&[2, 2], &[1, 0]).expect("a matrix");
        assert_eq!(matrix.all_owners(&[2]), Ok(vec![vec![0, 2], vec![1, 3]]));
        assert_eq!(matrix.owners(&[], &[]), Ok(vec![0, 1, 2, 3]));
        let rows = square().squeeze(1).and_then(|rows| rows.expand(1)).expect("a matrix").all_owners(&[8, 1]);
        assert_eq!(rows.map(|rows| rows[5].clone()), Ok(vec![4, 5, 6, 7]));
        let columns = square().squeeze(0).expect("a matrix").all_owners(&[1, 8]).expect("owners");
        assert_eq!(columns.first().zip(columns.get(5)), Some((&vec![0, 4, 8, 12], &vec![1, 5, 9, 13])));
    }

    /// Leading dims of extent 1 say nothing, on either side.
    #[test]
    fn leading_dims_of_one_may_be_left_out() {
        for (own, tensor) in [(vec![3], vec![5]), (vec![4], vec![2]), (vec![2, 3], vec![4, 2]), (vec![2, 3], vec![3])] {
            let count: i64 = own.iter().product();
            let threads: Vec<i64> = (0..count).collect();
            let longer = |shape: &[i64], by: usize| [vec![1; by], shape.to_vec()].concat();
            let plain = Distributed::new(&own, &threads).and_then(|matrix| matrix.all_owners(&tensor));
            for (mine, theirs) in [(1, 0), (0, 1), (2, 1), (1, 2)] {
                let matrix = Distributed::new(&longer(&own, mine), &threads);
                let owners = matrix.and_then(|matrix| matrix.all_owners(&longer(&tensor, theirs)));
                assert_eq!(owners, plain, "{own:?} with {mine} more, {tensor:?} with {theirs} more");
            }
        }
    }

    #[test]
    fn what_is_no_matrix_or_element_is_said() {
        let code = |made: Result<Distributed, crate::Error>| made.map_err(|error| error.code());
        assert_eq!(code(Distributed::new(&[2, 2], &[0, 1, 2])), Err(Code::Range));
        assert_eq!(code(Distributed::new(&[2], &[0, -1])), Err(Code::Range));
        assert_eq!(code(Distributed::new(&[0], &[])), Err(Code::Range));
        assert_eq!(code(Distributed::from_order(&[2, 2], &[0, 0])), Err(Code::OrderNotPermutation));
        assert_eq!(code(Distributed::from_order(&[i64::MAX, i64::MAX], &[0, 1])), Err(Code::TooLarge));
        assert_eq!(code(square().squeeze(2)), Err(Code::SliceDim));
        let owners = |tensor: &[i64], element: &[i64]| square().owners(tensor, element).map_err(|error| error.code());
        assert_eq!(owners(&[4, 4], &[4, 0]), Err(Code::Range));
        assert_eq!(owners(&[4, 4], &[0]), Err(Code::RankMismatch));
        assert_eq!(owners(&[4, 0], &[0, 0]), Err(Code::Range));
        assert_eq!(owners(&[i64::MAX, 4], &[i64::MAX - 1, 0]), Ok(vec![8]));
        assert_eq!(square().all_owners(&[i64::MAX]).map_err(|error| error.code()), Err(Code::TooLarge));
    }
}
