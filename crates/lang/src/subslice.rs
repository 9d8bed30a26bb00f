//! `subslice(X, offsets, shape)`: a part of a tensor in memory, where it lies; and `slice(X, coordinate)` of what is no layout of
//! CuTe, the part where some coordinates are fixed.
//!
//! Law: element `x` of the part lies where element `offsets + x` of the whole lies. Where rows are swizzled this is an xor,
//! and no addition of a constant to the offset of `x`: the notes say so, with the first element that shows it.

use super::numbers::{numbers, tuple};
use super::operation::{Apply, Group, Operation, argument as arg};
use super::parameters::{MEMORY, SHAPE, START};
use super::value::Value;
use bitstride::cute::Coordinate;
use bitstride::map::{Axis, Comparison, Direction, Map, Stage};
use bitstride::xla::{Array, Dim, Image};
use bitstride::{Code, Error, Int, Integer, error};

/// The most elements of a part that are looked at for the first one that a constant does not lead to.
const MOST_LOOKED_AT: i64 = 1 << 16;

/// The operation.
pub(super) const SUBSLICE: Operation = Operation {
    name: "subslice",
    group: Group::Maps,
    parameters: &[MEMORY, START, SHAPE],
    law: "a part of a tensor in memory: from where, and of what shape; element -> place, as memdesc_subslice has it",
    example: "subslice(!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, \
              elementBitWidth = 16}>, #ttg.shared_memory, mutable>, (0,16), (64,16))",
    apply: Apply::Values(|v, notes| {
        let (whole, start, shape) = (arg(v, 0)?, numbers(arg(v, 1)?)?, numbers(arg(v, 2)?)?);
        let memory = whole.as_map()?;
        let memory =
            if memory.direction() == Direction::ToPlace { memory } else { memory.without_single_places().inverse()? };
        let part = part(&memory, &start, &shape)?;
        advance(&memory, &part, &start, notes)?;
        super::mapped::mapped(part, format!("subslice({whole}, {}, {})", tuple(&start), tuple(&shape)))
    }),
};

/// The part of a tensor where the coordinates that are numbers are fixed, in the dims that are `_`. Of an array of XLA it is an
/// array again, further on, where the fixed dims are not in tiles.
pub(super) fn slice(whole: &Value, coordinate: &Value, notes: &mut Vec<String>) -> Result<Value, Error> {
    let memory = whole.as_map()?;
    let fixed = fixed(&coordinate.as_coordinate()?, &memory)?;
    let kept: Vec<usize> = (0..fixed.len()).filter(|dim| fixed.get(*dim) == Some(&None)).collect();
    let kept_axes = kept.iter().filter_map(|dim| memory.domain().get(*dim));
    let domain = match memory.direction() {
        Direction::ToPlace => kept_axes.enumerate().map(|(at, axis)| Axis::dim(at, axis.extent)).collect(),
        Direction::ToIndex => kept_axes.copied().collect(),
    };
    let row = |dim: usize| kept.iter().map(|other| i64::from(*other == dim)).collect();
    let sums = fixed.iter().enumerate().map(|(dim, number)| (number.unwrap_or(0), row(dim))).collect();
    let join = Stage::Linearise { at: 0, count: kept.len(), sums };
    let inserted = Map::new(domain, vec![join], memory.domain().to_vec(), memory.direction())?.numbered(memory.order());
    let part = inserted.then(&memory)?;
    let origin: Vec<i64> = fixed.iter().map(|number| number.unwrap_or(0)).collect();
    if let Ok(array) = whole.as_array()
        && let Some(array) = without_dims(&array, &fixed)?
        // A part without elements has no origin.
        && part.size()? > 0
        && let Some([offset]) = memory.at(&origin)?.as_deref()
    {
        let further = Map::of_array(&array)?.shifted(*offset)?;
        if matches!(part.compare(&further)?, Comparison::Same(_)) {
            let size = Image::of(&array)?.size();
            let places = if size == 1 { "place" } else { "places" };
            notes.push(format!("the part is the {size} {places} from {offset} on: one run, so that no copy is needed"));
            return match offset {
                0 => Ok(array.into()),
                _ => super::mapped::mapped(further, format!("{array} + {offset}")),
            };
        }
    }
    super::mapped::mapped(part, format!("slice({whole}, {coordinate})"))
}

/// The array without the dims that are fixed, where they are in no tile.
fn without_dims(array: &Array, fixed: &[Option<i64>]) -> Result<Option<Array>, Error> {
    // Where dims are cut across memories, there is no one offset.
    if !array.layout.splits.is_empty() {
        return Ok(None);
    }
    let mut part = array.clone();
    // These are of the whole buffer.
    part.layout.tail_padding = 1;
    part.layout.metadata_prefix = 0;
    let (mut dims, mut parts) = (Vec::new(), 1_i64);
    for ((dim, extent), number) in (0..).zip(&mut part.dims).zip(fixed) {
        if number.is_some() {
            parts = parts.saturating_mul(extent.bound().unwrap_or(i64::MAX));
            *extent = Dim::Static(1);
            dims.push(dim);
        }
    }
    if Image::of(&part)?.size().saturating_mul(parts) != Image::of(array)?.size() {
        return Ok(None);
    }
    Ok(part.drop_dims(&dims).ok())
}

/// The number at each dim, or none.
fn fixed(coordinate: &Coordinate<Int>, memory: &Map) -> Result<Vec<Option<i64>>, Error> {
    let axes = memory.domain();
    let entries = match coordinate.as_leaf() {
        Some(_) => vec![coordinate.clone()],
        None => coordinate.entries().to_vec(),
    };
    if entries.len() != axes.len() {
        return Err(error!(
            Code::RankMismatch,
            "{entries_count} coordinates for {axes_count} dims",
            [entries_count = entries.len(), axes_count = axes.len()]
        ));
    }
    let one = |(entry, axis): (&Coordinate<Int>, &Axis)| match entry.as_leaf() {
        Some(None) => Ok(None),
        Some(Some(number)) => match number.value() {
            Some(number) if (0..axis.extent).contains(&number) => Ok(Some(number)),
            Some(number) => Err(error!(Code::Range, "{number} is not below the extent of {axis}", [number, axis])),
            None => Err(error!(Code::MissingFact, "the coordinate {number} must be static", [number])),
        },
        None => Err(Error::new(Code::Profile, "a dim has one coordinate, not a tuple of them")),
    };
    entries.iter().zip(axes).map(one).collect()
}

/// The elements of a box, and where they lie.
fn part(memory: &Map, start: &[i64], shape: &[i64]) -> Result<Map, Error> {
    let axes = memory.domain();
    if axes.len() != start.len() || axes.len() != shape.len() {
        return Err(error!(
            Code::RankMismatch,
            "{start_count} offsets and {shape_count} sizes for {axes_count} dims",
            [start_count = start.len(), shape_count = shape.len(), axes_count = axes.len()]
        ));
    }
    for ((axis, start), size) in axes.iter().zip(start).zip(shape) {
        let end = start.checked_add(*size);
        if *start < 0 || *size < 1 || end.is_none_or(|end| end > axis.extent) {
            return Err(error!(
                Code::Range,
                "{size} elements from {start} on do not lie within {axis}",
                [size, start, axis]
            ));
        }
    }
    let domain: Vec<Axis> = axes.iter().zip(shape).map(|(axis, size)| Axis { extent: *size, ..*axis }).collect();
    let unit = |at: usize| (0..axes.len()).map(|own| i64::from(own == at)).collect();
    let sums = start.iter().enumerate().map(|(at, start)| (*start, unit(at))).collect();
    let join = Stage::Linearise { at: 0, count: axes.len(), sums };
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
    let add = Stage::Linearise { at: 0, count: 1, sums: vec![(constant, vec![1])] };
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
