//! `subslice(X, offsets, shape)`: a part of a tensor in memory, where it lies.
//!
//! Law: element `x` of the part lies where element `offsets + x` of the whole lies. Where rows are swizzled this is an xor,
//! and no addition of a constant to the offset of `x`: the notes say so, with the first element that shows it.

use super::functions::{Group, Operation, argument as arg};
use super::linear::{numbers, tuple};
use bitstride::map::{Axis, Comparison, Direction, Map, Stage};
use bitstride::{Code, Error};

/// The most elements of a part that are looked at for the first one that a constant does not lead to.
const MOST_LOOKED_AT: i64 = 1 << 16;

/// The operation.
pub(super) const SUBSLICE: Operation = Operation {
    name: "subslice",
    group: Group::Maps,
    arity: (3, 3),
    law: "a part of a tensor in memory: from where, and of what shape; element -> place, as memdesc_subslice has it",
    example: "subslice(!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, \
              elementBitWidth = 16}>, #ttg.shared_memory, mutable>, (0,16), (64,16))",
    apply: |v, notes| {
        let (whole, start, shape) = (arg(v, 0)?, numbers(arg(v, 1)?)?, numbers(arg(v, 2)?)?);
        let memory = whole.as_map()?;
        let memory =
            if memory.direction() == Direction::ToPlace { memory } else { memory.without_single_places().inverse()? };
        let part = part(&memory, &start, &shape)?;
        advance(&memory, &part, &start, notes)?;
        super::maps::mapped(part, format!("subslice({whole}, {}, {})", tuple(&start), tuple(&shape)))
    },
};

/// The elements of a box, and where they lie.
fn part(memory: &Map, start: &[i64], shape: &[i64]) -> Result<Map, Error> {
    let axes = memory.domain();
    if axes.len() != start.len() || axes.len() != shape.len() {
        let message = format!("{} offsets and {} sizes for {} dims", start.len(), shape.len(), axes.len());
        return Err(Error::new(Code::RankMismatch, message));
    }
    for ((axis, start), size) in axes.iter().zip(start).zip(shape) {
        let end = start.checked_add(*size);
        if *start < 0 || *size < 1 || end.is_none_or(|end| end > axis.extent) {
            let message = format!("{size} elements from {start} on do not lie within {axis}");
            return Err(Error::new(Code::Range, message));
        }
    }
    let domain: Vec<Axis> = axes.iter().zip(shape).map(|(axis, size)| Axis { extent: *size, ..*axis }).collect();
    let unit = |at: usize| (0..axes.len()).map(|own| i64::from(own == at)).collect();
    let sums = start.iter().enumerate().map(|(at, start)| (*start, unit(at))).collect();
    let join = Stage::Join { at: 0, count: axes.len(), sums };
    Map::new(domain, vec![join], axes.to_vec(), Direction::ToPlace)?.numbered(memory.order()).then(memory)
}

/// Says whether the place of each element is the one of the same element at the beginning, plus a constant.
fn advance(memory: &Map, part: &Map, start: &[i64], notes: &mut Vec<String>) -> Result<(), Error> {
    let origin = vec![0; start.len()];
    let (Some(base), Some(zero)) = (memory.at(start)?, memory.at(&origin)?) else { return Ok(()) };
    let ([base], [zero]) = (base.as_slice(), zero.as_slice()) else { return Ok(()) };
    let constant = base.checked_sub(*zero).ok_or_else(|| Error::overflow("the distance of a part"))?;
    let shape: Vec<i64> = part.domain().iter().map(|axis| axis.extent).collect();
    let first = self::part(memory, &origin, &shape)?;
    let add = Stage::Join { at: 0, count: 1, sums: vec![(constant, vec![1])] };
    let moved = Map::new(
        first.domain().to_vec(),
        first.stages().iter().cloned().chain([add]).collect(),
        part.codomain().to_vec(),
        Direction::ToPlace,
    )?;
    notes.push(match differs(part, &moved, &shape)? {
        None => format!("base plus constant holds: every element lies {constant} after its place at the beginning"),
        Some((point, place, wrong)) => format!(
            "base plus constant is wrong first at {}: it lies at {place}, not at {} + {constant} = {wrong}",
            tuple(&point),
            wrong.saturating_sub(constant)
        ),
    });
    Ok(())
}

/// An element that two maps lead to different places, with both: the first row by row where there are not too many.
fn differs(part: &Map, moved: &Map, shape: &[i64]) -> Result<Option<(Vec<i64>, i64, i64)>, Error> {
    let Comparison::Differ { mut point, .. } = part.compare(moved)? else { return Ok(None) };
    let place = |map: &Map, point: &[i64]| map.at(point).map(|place| place.and_then(|place| place.first().copied()));
    if part.size().is_ok_and(|size| size <= MOST_LOOKED_AT) {
        let mut own = vec![0; shape.len()];
        'all: loop {
            if place(part, &own)? != place(moved, &own)? {
                point = own;
                break;
            }
            for (x, extent) in own.iter_mut().zip(shape).rev() {
                *x += 1;
                if *x < *extent {
                    continue 'all;
                }
                *x = 0;
            }
            break;
        }
    }
    Ok(place(part, &point)?.zip(place(moved, &point)?).map(|(place, wrong)| (point, place, wrong)))
}
