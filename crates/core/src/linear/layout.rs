//! [`LinearLayout`]: a linear map over F2 between named dims.
//!
//! An in dim of `n` bits is a list of `n` bases: basis `k` is the image of the value `2^k`. Everything else follows by
//! xor, which is the law: `L(x ^ y) = L(x) ^ L(y)` for places `x` and `y`. An image has a value for each out dim, below
//! that dim's size, a power of two. Both lists of dims are ordered, minor first, and the order is part of the layout.
//!
//! The map is stored as one word a basis: the values of the out dims packed side by side, the first dim in the lowest
//! bits. At most 64 bits a side.

use super::Name;
use super::bits::{self, low};
use crate::error::{Code, Error};
use crate::small::Small;

/// A dim with its size in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Dim {
    /// The name.
    pub name: Name,
    /// The binary logarithm of the size.
    pub bits: u32,
}

impl Dim {
    /// The most bits one dim may have, so that sizes and values are 64-bit signed integers.
    pub const MOST_BITS: u32 = 62;

    /// A dim of a size.
    ///
    /// # Errors
    /// [`Code::SizeNotPowerOfTwo`] when `size` is not 1, 2, 4, … up to `2^62`.
    pub fn new(name: Name, size: i64) -> Result<Self, Error> {
        match u64::try_from(size) {
            Ok(size) if size.is_power_of_two() => Ok(Dim { name, bits: size.trailing_zeros() }),
            _ => Err(error!(
                Code::SizeNotPowerOfTwo,
                "dim {name} has size {size}; sizes of linear layouts are powers of two",
                [name, size]
            )),
        }
    }

    /// The number of values of the dim.
    pub fn size(&self) -> i64 {
        1i64.checked_shl(self.bits).unwrap_or(i64::MAX)
    }

    /// The word with the bits of the dim set, at its lowest.
    pub(crate) fn mask(&self) -> u64 {
        low(self.bits)
    }
}

/// The dims of one side, minor first.
pub type Dims = Small<Dim, 5>;

/// The columns of the map: for each in bit, its packed image.
pub type Columns = Small<u64, 32>;

/// A linear map over F2 from named in dims to named out dims.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct LinearLayout {
    pub(super) ins: Dims,
    pub(super) outs: Dims,
    pub(super) columns: Columns,
}

impl LinearLayout {
    /// The layout without dims, the unit of the product.
    pub fn empty() -> Self {
        LinearLayout::default()
    }

    /// A layout from its dims and packed columns, in the order of the in dims.
    ///
    /// # Errors
    /// [`Code::TooLarge`] beyond 64 bits a side or [`Dim::MOST_BITS`] in one dim; [`Code::DimNamesMismatch`] for a
    /// name that is there twice; [`Code::BasisRankMismatch`] when the number of columns is not the number of in bits;
    /// [`Code::BasisNotBelowOutSize`] for a column beyond the out bits.
    pub fn from_columns(ins: Dims, outs: Dims, columns: Columns) -> Result<Self, Error> {
        let wide = check(&ins)?;
        let tall = check(&outs)?;
        if u32::try_from(columns.len()) != Ok(wide) {
            return Err(error!(
                Code::BasisRankMismatch,
                "{columns} bases for in dims of {wide} bits",
                [columns = columns.len(), wide]
            ));
        }
        if let Some(column) = columns.iter().find(|column| *column & !low(tall) != 0) {
            return Err(error!(
                Code::BasisNotBelowOutSize,
                "a basis has the packed image {column:#b}, beyond {tall} out bits",
                [column, tall]
            ));
        }
        Ok(LinearLayout { ins, outs, columns })
    }

    /// A layout of parts that are known to fit together.
    pub(crate) fn trusted(ins: Dims, outs: Dims, columns: Columns) -> Self {
        debug_assert_eq!(u32::try_from(columns.len()), Ok(bit_count(&ins)), "one column an in bit");
        LinearLayout { ins, outs, columns }
    }

    /// The same columns under other in dims.
    pub(crate) fn with_ins(&self, ins: Dims) -> Result<Self, Error> {
        LinearLayout::from_columns(ins, self.outs.clone(), self.columns.clone())
    }

    /// The same columns under other out dims.
    pub(crate) fn with_outs(&self, outs: Dims) -> Result<Self, Error> {
        LinearLayout::from_columns(self.ins.clone(), outs, self.columns.clone())
    }

    /// The same in dims with other columns, which fit the out dims.
    pub(crate) fn with_columns(&self, outs: Dims, columns: Columns) -> Self {
        LinearLayout::trusted(self.ins.clone(), outs, columns)
    }

    /// The error for a dim that is not there.
    #[cold]
    pub(crate) fn missing(name: Name, dims: &[Dim]) -> Error {
        error!(Code::MissingDim, "dim {name} is none of {names}", [name, names = names(dims)])
    }

    /// The in dims, minor first.
    pub fn ins(&self) -> &[Dim] {
        &self.ins
    }

    /// The out dims, minor first.
    pub fn outs(&self) -> &[Dim] {
        &self.outs
    }

    /// All columns, in the order of the in dims: the packed image of each in bit.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// The number of in bits.
    pub fn in_bits(&self) -> u32 {
        bit_count(&self.ins)
    }

    /// The number of out bits.
    pub fn out_bits(&self) -> u32 {
        bit_count(&self.outs)
    }

    /// The in dim of a name, with the range of its columns.
    pub fn in_dim(&self, name: Name) -> Option<(Dim, &[u64])> {
        let mut start = 0;
        for dim in self.ins.iter() {
            let end = start + usize::try_from(dim.bits).ok()?;
            if dim.name == name {
                return self.columns.get(start..end).map(|columns| (*dim, columns));
            }
            start = end;
        }
        None
    }

    /// The columns of each in dim in turn.
    pub fn by_in_dim(&self) -> impl Iterator<Item = (Dim, &[u64])> {
        let mut rest: &[u64] = &self.columns;
        self.ins.iter().map(move |dim| {
            let (columns, after) = rest.split_at_checked(usize::try_from(dim.bits).unwrap_or(0)).unwrap_or((rest, &[]));
            rest = after;
            (*dim, columns)
        })
    }

    /// The out dim of a name, with the position of its lowest bit in a packed image.
    pub fn out_dim(&self, name: Name) -> Option<(Dim, u32)> {
        let mut shift = 0;
        for dim in self.outs.iter() {
            if dim.name == name {
                return Some((*dim, shift));
            }
            shift += dim.bits;
        }
        None
    }

    /// The image of a packed place: the xor of the columns of its bits.
    #[inline]
    pub fn apply_packed(&self, place: u64) -> u64 {
        let columns: &[u64] = &self.columns;
        bits::ones(place).fold(0, |image, bit| image ^ columns.get(bit).copied().unwrap_or(0))
    }

    /// The image of a place: a value for each out dim from a value for each in dim.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] when `place` has not exactly the in dims; [`Code::Range`] for a value that its dim
    /// does not have.
    pub fn apply(&self, place: &[(Name, i64)]) -> Result<Vec<(Name, i64)>, Error> {
        let known = place.len() == self.ins.len();
        let mut packed = 0;
        let mut shift = 0;
        for dim in self.ins.iter() {
            let Some((_, value)) = place.iter().find(|(name, _)| known && *name == dim.name) else {
                return Err(error!(
                    Code::DimNamesMismatch,
                    "a place has a value for each of {dims}",
                    [dims = names(&self.ins)]
                ));
            };
            let bits = u64::try_from(*value).ok().filter(|value| value & !low(dim.bits) == 0).ok_or_else(|| {
                error!(
                    Code::Range,
                    "{name} = {value}, but the dim has size {size}",
                    [name = dim.name, value, size = dim.size()]
                )
            })?;
            packed |= bits << shift;
            shift += dim.bits;
        }
        Ok(self.outs.iter().map(|dim| dim.name).zip(unpack(&self.outs, self.apply_packed(packed))).collect())
    }

    /// The values of a packed image, one for each out dim.
    pub fn unpack(&self, image: u64) -> Small<i64, 5> {
        unpack(&self.outs, image).collect()
    }

    /// The dimension of the image.
    pub fn rank(&self) -> u32 {
        bits::rank(&self.columns)
    }

    /// Whether every out value is an image.
    pub fn is_surjective(&self) -> bool {
        self.rank() == self.out_bits()
    }

    /// Whether different places have different images.
    pub fn is_injective(&self) -> bool {
        self.rank() == self.in_bits()
    }

    /// Whether it is both.
    pub fn is_invertible(&self) -> bool {
        self.in_bits() == self.out_bits() && self.is_surjective()
    }
}

/// The number of bits of some dims.
pub(crate) fn bit_count(dims: &[Dim]) -> u32 {
    dims.iter().map(|dim| dim.bits).sum()
}

/// The values of a packed word, one for each dim.
pub(crate) fn unpack(dims: &[Dim], packed: u64) -> impl Iterator<Item = i64> {
    let mut rest = packed;
    dims.iter().map(move |dim| {
        let value = rest & low(dim.bits);
        rest = rest.checked_shr(dim.bits).unwrap_or(0);
        i64::try_from(value).unwrap_or(i64::MAX)
    })
}

/// A packed word from the values of each dim.
///
/// # Errors
/// [`Code::NegativeBasis`], [`Code::BasisNotBelowOutSize`], [`Code::BasisRankMismatch`].
pub(crate) fn pack(dims: &[Dim], values: &[i64]) -> Result<u64, Error> {
    if dims.len() != values.len() {
        return Err(error!(
            Code::BasisRankMismatch,
            "a basis has {values} values for {dims_count} out dims",
            [values = values.len(), dims_count = dims.len()]
        ));
    }
    let (mut packed, mut shift) = (0, 0);
    for (dim, value) in dims.iter().zip(values) {
        let bits = u64::try_from(*value).map_err(|_| {
            error!(
                Code::NegativeBasis,
                "a basis has the value {value} in {name}; values start at 0",
                [value, name = dim.name]
            )
        })?;
        if bits & !low(dim.bits) != 0 {
            return Err(error!(
                Code::BasisNotBelowOutSize,
                "a basis has the value {value} in {name}, whose size is {size}",
                [value, name = dim.name, size = dim.size()]
            ));
        }
        packed |= bits.checked_shl(shift).unwrap_or(0);
        shift += dim.bits;
    }
    Ok(packed)
}

/// The names of some dims, for sentences.
pub(crate) fn names(dims: &[Dim]) -> String {
    let names: Vec<&str> = dims.iter().map(|dim| dim.name.as_str()).collect();
    format!("({})", names.join(", "))
}

/// The number of bits of dims that may stand together on one side.
fn check(dims: &[Dim]) -> Result<u32, Error> {
    let mut total = 0u32;
    for (at, dim) in dims.iter().enumerate() {
        if dims.iter().take(at).any(|other| other.name == dim.name) {
            return Err(error!(Code::DimNamesMismatch, "dim {name} is there twice", [name = dim.name]));
        }
        total = total.saturating_add(dim.bits);
        if total > u64::BITS || dim.bits > Dim::MOST_BITS {
            return Err(error!(
                Code::TooLarge,
                "dims {names} need more than {limit} bits, or one of them more than {dim_limit}",
                [names = names(dims), limit = u64::BITS, dim_limit = Dim::MOST_BITS]
            ));
        }
    }
    Ok(total)
}

/// A list of names with a size each as dims.
///
/// # Errors
/// [`Code::SizeNotPowerOfTwo`].
pub(crate) fn dims(sizes: &[(Name, i64)]) -> Result<Dims, Error> {
    let mut dims = Dims::new();
    for (name, size) in sizes {
        dims.push(Dim::new(*name, *size)?);
    }
    Ok(dims)
}
