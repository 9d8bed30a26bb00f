//! Layouts from a few numbers: identity, strided, zeros, from bases, and the standard N-d identity.
//!
//! Laws: `identity(n)(x) = x`; `strided(n, s)(x) = x * s`; `zeros(n)(x) = 0`; `from_bases` maps `2^k` to basis `k`.

use super::Name;
use super::bits;
use super::layout::{Columns, Dim, Dims, LinearLayout, dims, pack};
use crate::error::{Code, Error};

/// Bases by in dim: for each basis, its value in each out dim.
pub type Bases = [(Name, Vec<Vec<i64>>)];

impl LinearLayout {
    /// `x -> x` on `size` values; the [empty](LinearLayout::empty) layout for size 0.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::identity(8, Name::LANE, Name::dim(0))?;
    /// assert_eq!(layout.columns(), [1, 2, 4]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::SizeNotPowerOfTwo`].
    pub fn identity(size: i64, from: Name, to: Name) -> Result<Self, Error> {
        LinearLayout::strided(size, 1, from, to)
    }

    /// `x -> x * stride` on `size` values; the empty layout for size 0. The out dim has size `size * stride`.
    ///
    /// # Errors
    /// [`Code::SizeNotPowerOfTwo`] when `size` or `size * stride` is none; [`Code::Overflow`].
    pub fn strided(size: i64, stride: i64, from: Name, to: Name) -> Result<Self, Error> {
        if size == 0 {
            return Ok(LinearLayout::empty());
        }
        let reach = size.checked_mul(stride).ok_or_else(|| Error::overflow(&format!("{size} * {stride}")))?;
        let input = Dim::new(from, size)?;
        let output = Dim::new(to, reach)?;
        let columns = (output.bits - input.bits..output.bits).map(|bit| 1u64 << bit).collect();
        LinearLayout::from_columns(one(input), one(output), columns)
    }

    /// `x -> 0` on `size` values, into an out dim of `out_size`; the empty layout for size 0.
    ///
    /// # Errors
    /// [`Code::SizeNotPowerOfTwo`].
    pub fn zeros(size: i64, from: Name, to: Name, out_size: i64) -> Result<Self, Error> {
        if size == 0 {
            return Ok(LinearLayout::empty());
        }
        let input = Dim::new(from, size)?;
        let columns = (0..input.bits).map(|_| 0).collect();
        LinearLayout::from_columns(one(input), one(Dim::new(to, out_size)?), columns)
    }

    /// The layout of given bases with given out sizes.
    ///
    /// # Errors
    /// [`Code::SizeNotPowerOfTwo`], [`Code::NegativeBasis`], [`Code::BasisRankMismatch`],
    /// [`Code::BasisNotBelowOutSize`], [`Code::TooLarge`], and as [`LinearLayout::from_columns`].
    pub fn from_bases(bases: &Bases, outs: &[(Name, i64)]) -> Result<Self, Error> {
        let outs = dims(outs)?;
        let mut ins = Dims::new();
        let mut columns = Columns::new();
        for (name, bases) in bases {
            let bits = u32::try_from(bases.len()).unwrap_or(u32::MAX);
            ins.push(Dim { name: *name, bits });
            for basis in bases {
                columns.push(pack(&outs, basis)?);
            }
        }
        LinearLayout::from_columns(ins, outs, columns)
    }

    /// The layout of given bases under Triton's rule for sizes: they may be left out only where the layout is said to be
    /// surjective, for else nothing says how far an out dim goes.
    ///
    /// # Errors
    /// [`Code::SizesRequired`] without sizes for a layout that need not be surjective; [`Code::NotSurjective`] for one that
    /// has to be; [`Code::RankMismatch`] when the names are not as many as sizes; as [`LinearLayout::from_bases`].
    ///
    /// ```
    /// use bitstride::{Code, linear::{LinearLayout, Name}};
    /// let (bases, names) = ([(Name::LANE, vec![vec![1], vec![2]])], [Name::dim(0)]);
    /// assert_eq!(LinearLayout::from_named_bases(&bases, &names, None, true)?.out_bits(), 2);
    /// let unsaid = LinearLayout::from_named_bases(&bases, &names, None, false);
    /// assert_eq!(unsaid.map_err(|error| error.code()), Err(Code::SizesRequired));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn from_named_bases(
        bases: &Bases,
        outs: &[Name],
        sizes: Option<&[i64]>,
        surjective: bool,
    ) -> Result<Self, Error> {
        let Some(sizes) = sizes else {
            if surjective {
                return LinearLayout::from_bases_inferred(bases, outs);
            }
            let message = "the sizes of the out dims are left out, and the layout need not be surjective";
            return Err(Error::new(Code::SizesRequired, message).with_help("give the sizes, or require surjectivity"));
        };
        if sizes.len() != outs.len() {
            return Err(Error::lengths(["sizes", "out dims"], sizes.len(), outs.len()));
        }
        let outs: Vec<(Name, i64)> = outs.iter().copied().zip(sizes.iter().copied()).collect();
        let layout = LinearLayout::from_bases(bases, &outs)?;
        if surjective { layout.surjective() } else { Ok(layout) }
    }

    /// The layout of given bases; each out size is the next power of two above the largest value. It has to be
    /// surjective: otherwise the sizes are the caller's to say.
    ///
    /// # Errors
    /// [`Code::NotSurjective`], and as [`LinearLayout::from_bases`].
    pub fn from_bases_inferred(bases: &Bases, outs: &[Name]) -> Result<Self, Error> {
        let mut sizes: Vec<(Name, i64)> = outs.iter().map(|name| (*name, 1)).collect();
        for basis in bases.iter().flat_map(|(_, bases)| bases) {
            if basis.len() != outs.len() {
                return Err(error!(
                    Code::BasisRankMismatch,
                    "a basis has {basis_count} values for {outs} out dims",
                    [basis_count = basis.len(), outs = outs.len()]
                ));
            }
            for ((name, size), value) in sizes.iter_mut().zip(basis) {
                while *size <= *value {
                    *size = size.checked_mul(2).ok_or_else(|| Error::overflow(&format!("the size of {name}")))?;
                }
            }
        }
        LinearLayout::from_bases(bases, &sizes)?.surjective()
    }

    /// The layout itself, when it is surjective.
    ///
    /// # Errors
    /// [`Code::NotSurjective`], with the rank and the number of out bits.
    pub fn surjective(self) -> Result<Self, Error> {
        let (rank, bits) = (self.rank(), self.out_bits());
        if rank == bits {
            return Ok(self);
        }
        Err(error!(
            (Code::NotSurjective, "unreached"),
            "the bases reach {rank} of the {bits} out bits, so not every element has a place",
            [rank, bits]
        ))
    }

    /// The in dim of `name` walks over a tensor of `shape`, the dims in `order` (`order[0]` fastest). The out dims are
    /// `dim0`, `dim1`, … in that order.
    ///
    /// # Errors
    /// [`Code::SizeNotPowerOfTwo`]; [`Code::OrderNotPermutation`] when `order` does not name each dim once.
    pub fn identity_standard_nd(name: Name, shape: &[i64], order: &[usize]) -> Result<Self, Error> {
        permutation(order, shape.len())?;
        let mut outs = Dims::new();
        for at in order {
            outs.push(Dim::new(Name::dim(*at), shape.get(*at).copied().unwrap_or(1))?);
        }
        let bits = outs.iter().map(|dim| dim.bits).sum();
        let columns = (0..bits).map(|at| bits::bit(usize::try_from(at).unwrap_or(usize::MAX))).collect();
        LinearLayout::from_columns(one(Dim { name, bits }), outs, columns)
    }

    /// The layout with the same dims that maps everything to 0.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        let columns = self.columns().iter().map(|_| 0).collect();
        LinearLayout::trusted(self.ins().iter().copied().collect(), self.outs().iter().copied().collect(), columns)
    }
}

/// Checks that `order` names each of `rank` dims once.
///
/// # Errors
/// [`Code::OrderNotPermutation`].
pub(crate) fn permutation(order: &[usize], rank: usize) -> Result<(), Error> {
    let whole = order.len() == rank && (0..rank).all(|dim| order.contains(&dim));
    if whole {
        return Ok(());
    }
    Err(not_permutation(order, rank))
}

/// An order that does not name each dim once.
pub(crate) fn not_permutation<T: std::fmt::Debug + std::fmt::Display>(order: &[T], rank: usize) -> Error {
    error!((Code::OrderNotPermutation, "order"), "order {order:?} is no permutation of the {rank} dims", [order, rank])
        .with_help(format!("name each of {:?} once, the fastest first", (0..rank).collect::<Vec<_>>()))
}

fn one(dim: Dim) -> Dims {
    Dims::from_slice(&[dim])
}
