//! Operands that are more than a layout: those that start elsewhere than at 0, and projections.

use super::value::{Entry, Offsets, Value};
use bitstride::cute::{Layout, Tiler};
use bitstride::{Code, Error, Stride, StrideLeaf, Tuple, error};

/// The layout whose modes are these, where offsets add up.
pub(super) fn concatenation(values: &[Value]) -> Result<Offsets, Error> {
    let mut modes = Vec::new();
    let mut offset = Stride::default();
    for value in values {
        let slice = added(value)?;
        offset = offset.plus(&slice.offset)?;
        modes.push(slice.layout);
    }
    Ok(Offsets { layout: Layout::of(&modes), offset })
}

/// A layout whose offsets are added to those of another, which swizzled ones are not.
pub(super) fn added(value: &Value) -> Result<Offsets, Error> {
    match value {
        Value::Function(function) => Err(error!(
            Code::NotALayout,
            "the offsets of both are added here, which the swizzle of {function} does not keep",
            [function]
        )
        .with_help("put the layouts together first and swizzle the whole, or append a mode under the swizzle")),
        _ => value.as_slice(),
    }
}

/// Which modes a projection keeps: those that are not `_` or `X`, as in CuTe's `Step<_1,X,_1>`.
pub(super) fn projection(value: &Value) -> Result<Vec<bool>, Error> {
    let Tiler::Modes(entries) = value.as_tiler()? else {
        return Err(error!(
            Code::Kind,
            "a projection has one entry for each mode, such as <1,_,1>; {value} is none",
            [value]
        ));
    };
    let keeps = |entry: &Tiler| match entry {
        Tiler::Keep => false,
        Tiler::Extent(n) => n.to_string() != "X",
        _ => true,
    };
    Ok(entries.iter().map(keeps).collect())
}

/// The modes of a tiler and of a coordinate that a projection keeps.
pub(super) fn projected(tiler: &Value, at: &Value, by: Option<&Value>) -> Result<(Value, Value), Error> {
    let Some(by) = by else { return Ok((tiler.clone(), at.clone())) };
    let keeps = projection(by)?;
    let Tiler::Modes(tiles) = tiler.as_tiler()? else {
        return Err(error!(Code::Kind, "{tiler} has no modes of which {by} could keep some", [tiler, by]));
    };
    let entries = at.as_coordinate()?.entries();
    for count in [tiles.len(), entries.len()] {
        if count > keeps.len() {
            return Err(error!(
                Code::Profile,
                "the projection {by} has {keeps_count} entries, but there are {count} modes",
                [by, keeps_count = keeps.len(), count]
            ));
        }
    }
    let tiles = tiles.into_iter().zip(&keeps).filter(|(_, keeps)| **keeps).map(|(tile, _)| tile);
    let entries: Vec<_> =
        entries.into_iter().zip(&keeps).filter(|(_, keeps)| **keeps).map(|(entry, _)| entry).collect();
    let at = Tuple::of(&entries).map(|n| n.clone().map_or(Entry::Keep, |n| Entry::Number(Stride::Int(n))));
    Ok((Value::Tiler(Tiler::Modes(tiles.collect())), Value::Tuple(at)))
}
