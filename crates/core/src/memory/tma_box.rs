//! The box of a copy by TMA: what shared memory holds without a gap from its start, followed through the modes of global memory.
//!
//! A run of shared memory has elements of the tile in the order of their places; it is followed as long as each mode of global
//! memory is entered at its start and one element at a time. Law: the parts that are followed lie side by side in shared memory.

use crate::Stride;
use crate::cute::Layout;
use crate::error::{Code, Error};
use crate::int::Int;
use crate::tuple::Node;

/// A mode of the tile: how many elements, of which mode of global memory.
pub(super) type TileMode = (i64, usize);

/// What is followed of shared memory: elements of one mode of global memory, with how far apart they are in the mode.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) extent: i64,
    pub(super) mode: usize,
    pub(super) step: i64,
}

/// What is known of the modes of global memory.
pub(super) struct Global {
    pub(super) extents: Vec<Int>,
    pub(super) strides: Vec<Int>,
}

impl Global {
    pub(super) fn new(layout: &Layout) -> Result<Self, Error> {
        let integer = |stride: &Stride| match stride {
            Stride::Int(n) => Ok(n.clone()),
            other => Err(error!(Code::Kind, "the stride {other} of global memory is no number", [other])),
        };
        let strides = layout.strides().iter().map(integer).collect::<Result<_, _>>()?;
        Ok(Global { extents: layout.extents().to_vec(), strides })
    }

    pub(super) fn extent(&self, mode: usize) -> Result<i64, Error> {
        number(self.extents.get(mode))
    }

    pub(super) fn stride(&self, mode: usize) -> Result<i64, Error> {
        number(self.strides.get(mode))
    }

    pub(super) fn has_static_stride(&self, mode: usize) -> bool {
        matches!(self.strides.get(mode), Some(Int::Static(_)))
    }

    pub(super) fn has_static_extent(&self, mode: usize) -> bool {
        matches!(self.extents.get(mode), Some(Int::Static(_)))
    }

    /// Whether no map has a dim for it.
    pub(super) fn is_left_out(&self, mode: usize) -> bool {
        self.extents.get(mode) == Some(&Int::Static(1)) || self.strides.get(mode) == Some(&Int::Static(0))
    }
}

pub(super) fn number(n: Option<&Int>) -> Result<i64, Error> {
    n.map_or_else(|| Err(Error::new(Code::RankMismatch, "a mode is missing")), Int::as_number)
}

pub(super) fn product(mut factors: impl Iterator<Item = i64>) -> Result<i64, Error> {
    factors.try_fold(1_i64, i64::checked_mul).ok_or_else(|| Error::overflow("the size of a box"))
}

/// The modes of a tile over the leaves of a node of global memory.
pub(super) fn follow(
    node: Node<'_>,
    tile: Node<'_>,
    extents: &[i64],
    modes: &Global,
    into: &mut Vec<TileMode>,
) -> Result<(), Error> {
    if !tile.is_leaf() {
        if node.is_leaf() && tile.rank() == 1 {
            return tile.children().try_for_each(|child| follow(node, child, extents, modes, into));
        }
        if node.is_leaf() || tile.rank() > node.rank() {
            return Err(error!(
                Code::RankMismatch,
                "the tile has {rank} modes where global memory has {modes}",
                [rank = tile.rank(), modes = node.rank().max(1)]
            ));
        }
        return node
            .children()
            .zip(tile.children())
            .try_for_each(|(node, tile)| follow(node, tile, extents, modes, into));
    }
    let mut extent = extents.get(tile.leaves().start).copied().unwrap_or(1);
    let leaves: Vec<usize> = node.leaves().collect();
    for (at, mode) in leaves.iter().copied().enumerate() {
        let is_last = at + 1 == leaves.len();
        let held = modes.extent(mode)?;
        if extent == 1 && at > 0 {
            break;
        }
        if is_last || extent < held && modes.has_static_extent(mode) || extent == 1 {
            into.push((extent, mode));
            break;
        }
        if !modes.has_static_extent(mode) {
            return Err(error!(
                Code::MissingFact,
                "the tile crosses a mode of global memory of extent {held}, which is not static, so that its box is not",
                [held]
            ).with_help("make the inner extents of this mode static"));
        }
        if held < 1 || extent % held != 0 {
            return Err(error!(
                Code::NotDivisible,
                "the tile takes {extent} of a mode of extent {held}; beyond the mode it must be a multiple of it",
                [extent, held]
            ));
        }
        into.push((held, mode));
        extent /= held;
    }
    Ok(())
}

/// The elements of shared memory that lie side by side from its start, as (extent, step in the order of the tile); and the modes, with
/// their strides, that do not.
pub(super) fn run(memory: &Layout) -> Result<[Vec<(i64, i64)>; 2], Error> {
    let mut modes: Vec<(i64, i64, i64)> = Vec::new();
    let mut index = 1_i64;
    for (extent, stride) in memory.extents().iter().zip(memory.strides()) {
        let extent = extent.as_number()?;
        let stride = match stride {
            Stride::Int(n) => n.as_number()?,
            other => return Err(error!(Code::Kind, "the stride {other} of shared memory is no number", [other])),
        };
        if extent == 1 {
            continue;
        }
        match modes.last_mut() {
            Some((held, step, from))
                if held.checked_mul(*step) == Some(stride) && held.checked_mul(*from) == Some(index) =>
            {
                *held = held.checked_mul(extent).ok_or_else(|| Error::overflow("the size of shared memory"))?;
            }
            _ => modes.push((extent, stride, index)),
        }
        index = index.checked_mul(extent).ok_or_else(|| Error::overflow("the size of shared memory"))?;
    }
    modes.sort_by_key(|(_, stride, _)| *stride);
    let (mut run, mut left, mut next) = (Vec::new(), Vec::new(), 1_i64);
    for (extent, stride, index) in modes {
        if left.is_empty() && stride == next {
            run.push((extent, index));
            next = next.checked_mul(extent).ok_or_else(|| Error::overflow("the size of shared memory"))?;
        } else if stride != 0 {
            left.push((extent, stride));
        }
    }
    Ok([run, left])
}

/// What a run of shared memory passes through, as long as each mode of global memory is entered at its start; and why it stopped.
pub(super) fn entered(run: &[(i64, i64)], tile: &[TileMode]) -> Result<(Vec<Part>, Option<String>), Error> {
    let mut parts: Vec<Part> = Vec::new();
    for (extent, index) in run {
        let (mut extent, mut step) = (*extent, *index);
        for (held, mode) in tile {
            if extent == 1 {
                break;
            }
            if step >= *held {
                if step % held != 0 {
                    return Err(error!(
                        Code::NotDivisible,
                        "a mode of shared memory has every {step}th element of a tile mode of {held}",
                        [step, held]
                    ));
                }
                step /= held;
                continue;
            }
            let taken = extent.min((held - 1).div_euclid(step) + 1);
            if extent % taken != 0 {
                return Err(error!(
                    Code::NotDivisible,
                    "a mode of shared memory of {extent} elements crosses a tile mode after {taken}",
                    [extent, taken]
                ));
            }
            match parts.last_mut() {
                Some(last) if last.mode == *mode && last.extent.checked_mul(last.step) == Some(step) => {
                    last.extent *= taken
                }
                _ => parts.push(Part { extent: taken, mode: *mode, step }),
            }
            (extent, step) = (extent / taken, 1);
        }
    }
    let Some(cut) = parts.iter().position(|part| part.step != 1) else { return Ok((parts, None)) };
    let end =
        parts.get(cut).map(|part| format!("it goes on in a mode of global memory at step {}, not at 1", part.step));
    parts.truncate(cut);
    Ok((parts, end))
}
