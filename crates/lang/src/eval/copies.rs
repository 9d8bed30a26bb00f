//! Copies of tensors, and where PyTorch puts what they hold.
//!
//! Law: a copy of what fills its memory without overlap has the strides that were there; of all else, the dims in the order of their strides.

use super::strides::{count_strides, dense, dim, length, product, written};
use super::tensor::Tensor;
use bitstride::{Code, Error, error};

impl Tensor {
    /// Whether the elements fill a stretch of memory, each at a place of its own.
    pub(super) fn fills_its_memory(&self) -> Result<bool, Error> {
        let mut dims: Vec<(i64, i64)> =
            self.strides.iter().copied().zip(self.sizes.iter().copied()).filter(|(_, size)| *size > 1).collect();
        dims.sort_unstable();
        let mut step = 1_i64;
        for (stride, size) in dims {
            if stride != step {
                return Ok(false);
            }
            step = step.checked_mul(size).ok_or_else(|| Error::overflow("the size of a tensor"))?;
        }
        Ok(true)
    }

    /// The dims in the order in which a copy of PyTorch has them in memory, the slowest first. Dims that repeat have no stride to compare, and
    /// stay between their neighbours.
    fn kept_order(&self) -> Vec<usize> {
        let at = |dim: usize| (self.strides.get(dim).copied().unwrap_or(0), self.sizes.get(dim).copied().unwrap_or(0));
        // Whether the first dim lies outside of the second; none where that is not known.
        let is_slower = |one: usize, other: usize| match (at(one), at(other)) {
            ((0, _), _) | (_, (0, _)) => None,
            ((stride, size), (other_stride, other_size)) if stride == other_stride => {
                (size > other_size).then_some(true)
            }
            ((stride, _), (other, _)) => Some(stride > other),
        };
        // From the fastest on, each dim moves past those that are slower.
        let mut order: Vec<usize> = (0..self.sizes.len()).rev().collect();
        for first in 1..order.len() {
            let mut own = first;
            for before in (0..first).rev() {
                match (order.get(before).copied(), order.get(own).copied()) {
                    (Some(one), Some(other)) => match is_slower(one, other) {
                        Some(true) => {
                            order.swap(before, own);
                            own = before;
                        }
                        Some(false) => break,
                        None => {}
                    },
                    _ => break,
                }
            }
        }
        order.reverse();
        order
    }

    /// The dims as a copy of PyTorch keeps them: as they are where the elements fill their memory.
    pub(super) fn preserve(&mut self, method: &str, notes: &mut Vec<String>) -> Result<(), Error> {
        match self.fills_its_memory()? {
            true => Ok(()),
            false => self.ordered(method, &self.kept_order(), notes),
        }
    }

    /// Another type or device: a copy only where these are others, which strides show unless a copy would have the same.
    pub(super) fn moved(&mut self) -> Result<(), Error> {
        match self.fills_its_memory()? {
            true => Ok(()),
            false => Err(error!(
                Code::MissingFact,
                "sizes {sizes} with strides {strides} have gaps or overlap, and a copy has other strides: whether the type or the device makes one is not known",
                [sizes = written(&self.sizes), strides = written(&self.strides)]
            )
            .with_help("write `.clone()` for a copy, and leave it out for none")),
        }
    }

    /// The dims in an order of memory, the slowest first: as they are where they lie so.
    pub(super) fn ordered(&mut self, method: &str, order: &[usize], notes: &mut Vec<String>) -> Result<(), Error> {
        let places: Vec<i64> = order.iter().copied().map(length).collect();
        let mut back = vec![0; order.len()];
        for (at, place) in order.iter().enumerate() {
            if let Some(own) = back.get_mut(*place) {
                *own = length(at);
            }
        }
        self.permute(&places)?;
        let is_so = self.sizes.contains(&0) || self.strides_count() == count_strides(&self.sizes, &dense(&self.sizes)?);
        if !is_so {
            let sizes = self.sizes.clone();
            self.copy(sizes)?;
        }
        self.select(&back);
        if !is_so {
            notes.push(self.copies(method));
        }
        Ok(())
    }

    /// The order that numbers name.
    pub(super) fn order_of(&self, dims: &[i64]) -> Result<Vec<usize>, Error> {
        let rank = self.sizes.len();
        match dims.len() == rank {
            true => dims.iter().map(|at| dim(*at, rank)).collect(),
            false => Err(error!(
                Code::RankMismatch,
                "this memory format is of {count} dims, here are {rank}",
                [count = dims.len(), rank]
            )),
        }
    }

    /// A new tensor in a memory of its own, with the sizes and the strides that a copy would have.
    pub(super) fn like(&mut self) -> Result<(), Error> {
        if !self.fills_its_memory()? {
            let order = self.kept_order();
            let sizes: Vec<i64> = order.iter().filter_map(|at| self.sizes.get(*at)).copied().collect();
            for (at, stride) in order.into_iter().zip(dense(&sizes)?) {
                if let Some(own) = self.strides.get_mut(at) {
                    *own = stride;
                }
            }
        }
        (self.offset, self.copied, self.storage) = (0, None, Some(product(&self.sizes)?));
        Ok(())
    }

    /// Whole copies beside each other along each dim; new dims are in front.
    pub(super) fn tile(&mut self, method: &str, counts: &[i64], notes: &mut Vec<String>) -> Result<(), Error> {
        let rank = self.sizes.len();
        if method == "repeat" && counts.len() < rank {
            return Err(error!(
                Code::RankMismatch,
                "repeat takes a count for each of {rank} dims, and perhaps more in front, not {counts}",
                [rank, counts = written(counts)]
            ));
        }
        if let Some(count) = counts.iter().find(|count| **count < 0) {
            return Err(error!(Code::Range, "{method} makes 0 copies or more, not {count}", [method, count]));
        }
        let all = counts.len().max(rank);
        let padded = |list: &[i64]| [&vec![1; all - list.len()], list].concat();
        let (counts, sizes) = (padded(counts), padded(&self.sizes));
        let strides = [&vec![0; all - rank], self.strides.as_slice()].concat();
        self.sizes = counts.iter().zip(&sizes).flat_map(|(count, size)| [*count, *size]).collect();
        self.strides = strides.iter().flat_map(|stride| [0, *stride]).collect();
        let merged = counts.iter().zip(&sizes).map(|(count, size)| count.checked_mul(*size));
        let merged = merged.collect::<Option<Vec<i64>>>().ok_or_else(|| Error::overflow("the size of a tensor"))?;
        self.copy(merged)?;
        notes.push(self.copies(method));
        Ok(())
    }

    /// Dims the other way round, each once; all of them where none is named.
    pub(super) fn reverse(&mut self, dims: &[i64]) -> Result<(), Error> {
        let rank = self.sizes.len();
        let all: Vec<i64> = (0..length(rank)).collect();
        let dims = if dims.is_empty() { &all } else { dims };
        let mut turned = Vec::new();
        for at in dims {
            let at = dim(*at, rank)?;
            if turned.contains(&at) {
                return Err(error!(Code::OrderNotPermutation, "flip names dim {at} twice", [at]));
            }
            turned.push(at);
            let size = self.sizes.get(at).copied().unwrap_or(0);
            if size > 0 {
                self.advance(at, size - 1)?;
            }
            if let Some(stride) = self.strides.get_mut(at) {
                *stride = stride.checked_neg().ok_or_else(|| Error::overflow("a stride"))?;
            }
        }
        Ok(())
    }

    /// The same in a copy, which PyTorch makes.
    pub(super) fn flip(&mut self, dims: &[i64], notes: &mut Vec<String>) -> Result<(), Error> {
        let order = match self.fills_its_memory()? {
            true => self.order_of_strides(),
            false => self.kept_order(),
        };
        // A tensor of no dims has one element along dim 0.
        if self.sizes.is_empty() && dims.len() < 2 {
            return dims.iter().try_for_each(|at| dim(*at, 1).map(|_| ()));
        }
        if !dims.is_empty() {
            self.reverse(dims)?;
        }
        self.ordered("flip", &order, notes)
    }

    /// The dims from the slowest on, of what fills its memory.
    fn order_of_strides(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(self.strides.get(*at).copied()));
        order
    }

    /// What is said of a copy.
    pub(super) fn copies(&self, method: &str) -> String {
        format!(
            "{method} copies: the copy has strides {}; the answer says where its elements lay before",
            written(&self.strides)
        )
    }
}
