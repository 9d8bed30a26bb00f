//! Other dims for the same memory: permute, move, insert and drop dims.
//!
//! Law: the memory of the answer is the memory of the array, read by the new dims.

use super::print::listed;
use super::same::permutation;
use super::{Array, Dim, Sameness};
use crate::cast::{index, length};
use crate::error::{Code, Error};
use crate::trace::Trace;

impl Array {
    /// The array whose dim `k` is dim `dims[k]` here, in the same memory.
    ///
    /// # Errors
    /// [`Code::OrderNotPermutation`].
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let array: Array = "f32[2,3,5]{2,1,0:T(2,4)}".parse()?;
    /// assert_eq!(array.permute_dims(&[2, 0, 1])?.to_string(), "f32[5,2,3]{0,2,1:T(2,4)}");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn permute_dims(&self, dims: &[i64]) -> Result<Array, Error> {
        let order = permutation(dims, self.dims.len())?;
        let mut permuted = self.clone();
        permuted.dims = order.iter().filter_map(|dim| self.dims.get(*dim).copied()).collect();
        let new_number = |dim: i64| index(dim).ok().and_then(|dim| order.iter().position(|old| *old == dim));
        for dim in &mut permuted.layout.minor_to_major {
            *dim = new_number(*dim).map_or(*dim, length);
        }
        for split in &mut permuted.layout.splits {
            split.dim = new_number(split.dim).map_or(split.dim, length);
        }
        Ok(permuted)
    }

    /// The array with a dim moved before another number, in the same memory.
    ///
    /// # Errors
    /// [`Code::NoMode`] for a dim that is not there.
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let array: Array = "f32[2,3,5]{2,1,0}".parse()?;
    /// assert_eq!(array.move_dim(2, 0)?.to_string(), "f32[5,2,3]{0,2,1}");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn move_dim(&self, from: i64, to: i64) -> Result<Array, Error> {
        self.move_dim_traced(from, to, &mut ())
    }

    /// [`Array::move_dim`], with the dims in their new order reported, as [`Array::permute_dims`] takes them.
    ///
    /// # Errors
    /// As [`Array::move_dim`].
    pub fn move_dim_traced(&self, from: i64, to: i64, trace: &mut impl Trace<Vec<i64>>) -> Result<Array, Error> {
        let (from, to) = (self.dim_number(from)?, self.dim_number(to)?);
        let mut order: Vec<i64> = (0..length(self.dims.len())).collect();
        let moved = order.remove(from);
        order.insert(to, moved);
        trace.record(|| order.clone());
        self.permute_dims(&order)
    }

    /// The array without some dims of extent 1, in the same memory. A tile that covers such a dim keeps its extents where
    /// that dim was the most major it covers, since 1s come before dims that a tile lacks; else it loses an extent of 1.
    ///
    /// # Errors
    /// [`Code::NoMode`] for a dim that is not there or named twice; [`Code::NotBitcast`] for a dim of another extent, or
    /// one that a tile pads.
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let array: Array = "f32[1,256]{1,0:T(8,128)}".parse()?;
    /// assert_eq!(array.drop_dims(&[0])?.to_string(), "f32[256]{0:T(8,128)}");
    /// let array: Array = "f32[256,1]{1,0:T(8,128)}".parse()?;
    /// assert_eq!(array.drop_dims(&[1]).unwrap_err().code().as_str(), "not-bitcast");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn drop_dims(&self, dims: &[i64]) -> Result<Array, Error> {
        self.check_meaning()?;
        let mut numbers = Vec::new();
        for dim in dims {
            let number = self.dim_number(*dim)?;
            if numbers.contains(&number) {
                return Err(error!(Code::NoMode, "dim {dim} is dropped twice", [dim]));
            }
            if self.dims.get(number) != Some(&Dim::Static(1)) {
                return Err(error!(
                    Code::NotBitcast,
                    "dim {dim} does not have extent {unit}; dropping it would drop elements",
                    [dim, unit = 1]
                ));
            }
            numbers.push(number);
        }
        let dropped = self.without(&numbers);
        if dropped.same_memory(self)?.holds() {
            return Ok(dropped);
        }
        // A tile with an extent for a dropped dim may do without it.
        let mut shorter = dropped.clone();
        let physical = self.layout.minor_to_major.iter().enumerate();
        let mut covered: Vec<usize> = physical
            .filter(|(_, dim)| index(**dim).is_ok_and(|dim| numbers.contains(&dim)))
            .map(|(place, _)| place)
            .collect();
        covered.sort_unstable_by(|a, b| b.cmp(a));
        if let Some(tile) = shorter.layout.tiles.first_mut() {
            for place in covered {
                if let Some(at) = tile.0.len().checked_sub(place + 1) {
                    tile.0.remove(at);
                }
            }
        }
        match shorter.same_memory(self)? {
            Sameness::Same => Ok(shorter),
            _ => Err(error!(
                Code::NotBitcast,
                "a tile of {array} pads a dim of {dims}",
                [array = self, dims = listed(dims)]
            )
            .with_help("only a dim that no tile pads, or the most major that the tiles cover, can be dropped")),
        }
    }

    /// The array without its dims of extent 1, in the same memory, as far as [`Array::drop_dims`] can drop them.
    ///
    /// # Errors
    /// As [`Array::drop_dims`], for an invalid array.
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let array: Array = "f32[1,3,1,5]{3,2,1,0:T(2,2)}".parse()?;
    /// assert_eq!(array.drop_unit_dims()?.to_string(), "f32[3,1,5]{2,1,0:T(2,2)}");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn drop_unit_dims(&self) -> Result<Array, Error> {
        self.check_meaning()?;
        let mut kept = self.clone();
        for dim in (0..length(self.dims.len())).rev() {
            if self.dims.get(index(dim)?) == Some(&Dim::Static(1)) {
                match kept.drop_dims(&[dim]) {
                    Err(error) if error.code() != Code::NotBitcast => return Err(error),
                    dropped => kept = dropped.unwrap_or(kept),
                }
            }
        }
        Ok(kept)
    }

    fn without(&self, numbers: &[usize]) -> Array {
        let mut rest = self.clone();
        let dims = self.dims.iter().enumerate().filter(|(at, _)| !numbers.contains(at));
        rest.dims = dims.map(|(_, dim)| *dim).collect();
        let renumbered = |dim: i64| {
            let dim = index(dim).ok().filter(|dim| !numbers.contains(dim))?;
            Some(length(dim - numbers.iter().filter(|number| **number < dim).count()))
        };
        rest.layout.minor_to_major = self.layout.minor_to_major.iter().filter_map(|dim| renumbered(*dim)).collect();
        rest.layout.splits.retain_mut(|split| match renumbered(split.dim) {
            Some(dim) => {
                split.dim = dim;
                true
            }
            None => false,
        });
        rest
    }

    fn dim_number(&self, dim: i64) -> Result<usize, Error> {
        index(dim).ok().filter(|dim| *dim < self.dims.len()).ok_or_else(|| {
            error!(Code::NoMode, "dim {dim} of an array of rank {dims_count}", [dim, dims_count = self.dims.len()])
        })
    }
}
