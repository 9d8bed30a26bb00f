//! The dims of a tensor map over the modes of global memory: those of the box, joined where they chain, then the others.
//!
//! Modes whose strides chain are joined where they are static, modes that the box does not have are dims of extent 1, and dims
//! from the fifth on become one. Law: a dim's stride divides those of its modes, and its extent reaches their last element.

use std::fmt::{self, Write};

use super::tma_box::{Global, Part, product};
use crate::error::{Code, Error};
use crate::int::gcd;

/// The most dims of a tensor map.
pub(super) const MAX_DIMS: usize = 5;
/// The most elements of a box along a dim.
pub(super) const LONGEST_SIDE: i64 = 256;
/// The bytes whose multiples strides and addresses are.
pub(super) const UNIT_BITS: i64 = 128;
/// A dim of a tensor map.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct MapDim {
    /// The extent of the box along each mode of global memory, and the mode; the innermost first. Only the fifth dim has several lists.
    pub(super) joined: Vec<Vec<(i64, usize)>>,
    pub(super) extent: i64,
    /// In elements of the map.
    pub(super) stride: i64,
}

impl MapDim {
    pub(super) fn modes(&self) -> impl Iterator<Item = (i64, usize)> {
        self.joined.iter().flatten().copied()
    }

    pub(super) fn side(&self) -> Result<i64, Error> {
        product(self.modes().map(|(extent, _)| extent))
    }
}

/// How a coordinate of the map moves with a mode of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct CoordinateStep {
    /// How far, as a fraction; 0 for not at all.
    pub numerator: i64,
    /// Its denominator.
    pub denominator: i64,
    /// The dim of the map.
    pub dim: usize,
}

impl fmt::Display for CoordinateStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.numerator, self.denominator) {
            (0, _) => f.write_char('0'),
            (n, 1) => write!(f, "{n}@{}", self.dim),
            (n, d) => write!(f, "{n}/{d}@{}", self.dim),
        }
    }
}

/// `n` elements of `bits` bits in elements of `unit` bits, where they are whole ones.
fn rescaled(n: i64, bits: i64, unit: i64) -> Result<Option<i64>, Error> {
    let all = n.checked_mul(bits).ok_or_else(|| Error::overflow("a stride in bits"))?;
    Ok((all.checked_rem(unit) == Some(0)).then(|| all / unit))
}

/// The extent, rounded up.
fn rescaled_up(n: i64, bits: i64, unit: i64) -> Result<i64, Error> {
    let all = n.checked_mul(bits).and_then(|all| all.checked_add(unit - 1));
    all.map(|all| all.div_euclid(unit)).ok_or_else(|| Error::overflow("an extent in bits"))
}

/// The bits of both types of elements, and the mode of global memory that is innermost.
pub(super) struct Units {
    pub(super) bits: i64,
    pub(super) unit_bits: i64,
    pub(super) first: usize,
}

impl Units {
    /// An extent of a mode in elements of the map.
    fn extent(&self, extent: i64, mode: usize) -> Result<i64, Error> {
        if mode == self.first { rescaled_up(extent, self.bits, self.unit_bits) } else { Ok(extent) }
    }

    /// The stride of a mode in elements of the map.
    fn stride(&self, mode: usize, modes: &Global) -> Result<i64, Error> {
        let stride = modes.stride(mode)?;
        if mode == self.first {
            if self.bits != self.unit_bits && !modes.has_static_stride(mode) {
                let message = "the stride of the innermost mode is not static, so that its elements are not known to be side by side";
                return Err(Error::new(Code::MissingFact, message));
            }
            return Ok(stride);
        }
        rescaled(stride, self.bits, self.unit_bits)?.ok_or_else(|| {
            let (bits, unit) = (self.bits, self.unit_bits);
            error!(
                Code::NotDivisible,
                "a stride of {stride} elements of {bits} bits is no whole number of elements of {unit} bits",
                [stride, bits, unit]
            )
            .with_help("CuTe rounds it down where it is not static, and copies other elements")
        })
    }

    /// How the coordinate of a dim moves with a mode.
    pub(super) fn step(
        &self,
        number: usize,
        dim: &MapDim,
        mode: usize,
        modes: &Global,
    ) -> Result<CoordinateStep, Error> {
        let whole = |numerator: i64| CoordinateStep { numerator, denominator: 1, dim: number };
        if number == 0 {
            let bits = modes.stride(mode)?.checked_mul(self.bits).ok_or_else(|| Error::overflow("a coordinate"))?;
            let common = gcd(bits, self.unit_bits).max(1);
            return Ok(CoordinateStep { numerator: bits / common, denominator: self.unit_bits / common, dim: 0 });
        }
        if dim.modes().count() == 1 {
            return Ok(whole(1));
        }
        // In sixteen bytes at least, as CuTe counts.
        let bytes = |units: i64| units.checked_mul(self.unit_bits).map(|bits| bits.div_euclid(8));
        let (of_mode, of_dim) = (bytes(self.stride(mode, modes)?), bytes(dim.stride));
        let step = of_mode.zip(of_dim).and_then(|(mode, dim)| {
            let eighths = mode.checked_mul(8)?.checked_div(dim.max(UNIT_BITS / 8))?;
            Some(eighths.checked_add(7)?.div_euclid(8))
        });
        step.map(whole).ok_or_else(|| Error::overflow("a coordinate"))
    }
}

/// The dims of the map: those of the box, joined where they chain, then the modes that it has not.
pub(super) fn map_dims(kept: &[Part], modes: &Global, units: &Units) -> Result<Vec<MapDim>, Error> {
    let mut dims: Vec<Vec<(i64, usize)>> = Vec::new();
    for part in kept {
        let extent = units.extent(part.extent, part.mode)?;
        if let Some(last) = dims.last_mut()
            && let (Some((_, first)), Some((_, before))) = (last.first().copied(), last.last().copied())
            && modes.has_static_stride(before)
            && modes.has_static_stride(part.mode)
        {
            let side = product(last.iter().map(|(extent, _)| *extent))?;
            let chains = units.stride(first, modes)?.checked_mul(side) == Some(units.stride(part.mode, modes)?);
            if chains && side.checked_mul(extent).is_some_and(|side| side <= LONGEST_SIDE) {
                last.push((extent, part.mode));
                continue;
            }
        }
        dims.push(vec![(extent, part.mode)]);
    }
    let used: Vec<usize> = dims.iter().flatten().map(|(_, mode)| *mode).collect();
    let rest = (0..modes.extents.len()).filter(|mode| !used.contains(mode) && !modes.is_left_out(*mode));
    dims.extend(rest.map(|mode| vec![(1, mode)]));
    let last = if dims.len() >= MAX_DIMS { dims.split_off(MAX_DIMS - 1) } else { Vec::new() };
    let dims = dims.into_iter().map(|modes| vec![modes]).chain(Some(last).filter(|last| !last.is_empty()));
    dims.map(|joined| map_dim(joined, modes, units)).collect()
}

/// One dim over modes: its stride is what divides theirs, its extent reaches the last element of all.
pub(super) fn map_dim(parts: Vec<Vec<(i64, usize)>>, modes: &Global, units: &Units) -> Result<MapDim, Error> {
    let overflow = || Error::overflow("the extent of a dim");
    let mut reached: Option<(i64, i64)> = None;
    for (_, mode) in parts.iter().flatten() {
        let (extent, stride) = (units.extent(modes.extent(*mode)?, *mode)?, units.stride(*mode, modes)?);
        reached = Some(match reached {
            None => (extent, stride),
            Some((held, step)) => {
                let common = gcd(step, stride);
                let reach = |extent: i64, stride: i64| {
                    (extent.checked_sub(1)?).checked_mul(stride.checked_div(common).unwrap_or(0))
                };
                let last = reach(held, step).zip(reach(extent, stride)).and_then(|(a, b)| a.checked_add(b));
                (last.and_then(|last| last.checked_add(1)).ok_or_else(overflow)?, common)
            }
        });
    }
    let (extent, stride) = reached.ok_or_else(overflow)?;
    Ok(MapDim { joined: parts, extent, stride })
}
