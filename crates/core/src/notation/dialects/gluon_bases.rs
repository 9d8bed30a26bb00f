//! What Gluon makes of lists of bases: linear layouts that permute bits and others, blocks of a cluster in parts of a shape.

use crate::notation::attribute::{Argument, Datum, DatumKind};

/// Integers in lists.
fn rows(datum: &Datum) -> Option<Vec<Vec<i64>>> {
    let DatumKind::Array(bases) = &datum.kind else { return None };
    bases.iter().map(numbers).collect()
}

/// Integers in a list.
pub(super) fn numbers(datum: &Datum) -> Option<Vec<i64>> {
    let DatumKind::Array(items) = &datum.kind else { return None };
    let number = |item: &Datum| match item.kind {
        DatumKind::Integer(number) => Some(number),
        _ => None,
    };
    items.iter().map(number).collect()
}

/// Whether each basis of an attribute is one bit of one dim, and none is there twice, so that it is a linear encoding; another one is
/// generic. Bases that are not known permute nothing else.
pub(super) fn permutes_bits(body: &[Argument]) -> bool {
    let mut seen: Vec<Vec<i64>> = Vec::new();
    for argument in body {
        let DatumKind::Dictionary(fields) = &argument.datum.kind else { continue };
        for basis in fields.iter().filter_map(|(_, datum)| rows(datum)).flatten() {
            let mut values = basis.iter().filter(|value| **value != 0);
            match (values.next(), values.next()) {
                (None, _) => {}
                (Some(value), None) if value.count_ones() == 1 && !seen.contains(&basis) => seen.push(basis),
                _ => return false,
            }
        }
    }
    true
}

/// The part of a shape that one block of a cluster holds, whose bases count parts.
pub(super) fn part(shape: &[i64], cluster: &Datum) -> Option<Vec<i64>> {
    let mut part = shape.to_vec();
    for (dim, blocks) in extents(&rows(cluster)?, shape.len())?.into_iter().enumerate() {
        let size = part.get_mut(dim)?;
        if size.checked_rem(blocks)? != 0 {
            return None;
        }
        *size /= blocks;
    }
    Some(part)
}

/// The bases of offsets that go over a shape dim by dim, in an order that names each once.
pub(super) fn walk(order: &[i64], shape: &[i64]) -> Option<Vec<Vec<i64>>> {
    let mut seen = Vec::new();
    let mut bases = Vec::new();
    for dim in order {
        let dim = usize::try_from(*dim).ok().filter(|dim| !seen.contains(dim))?;
        seen.push(dim);
        let size = u64::try_from(*shape.get(dim)?).ok().filter(|size| size.is_power_of_two())?;
        let along = |bit: u32| (0..shape.len()).map(|at| if at == dim { 1_i64 << bit } else { 0 }).collect();
        bases.extend((0..size.trailing_zeros()).map(along));
    }
    (seen.len() == shape.len()).then_some(bases)
}

/// The bases of a cluster in parts, as Gluon counts them; nothing where they are no whole parts.
pub(super) fn in_parts(offsets: &Datum, block: &Datum) -> Option<Vec<Vec<i64>>> {
    let block = rows(block)?;
    let Some(rank) = block.first().map(Vec::len) else { return Some(block) };
    let reach = extents(&rows(offsets)?, rank)?;
    let part = |value: &i64, extent: &i64| (value.checked_rem(*extent)? == 0).then(|| value / extent);
    let basis = |basis: &Vec<i64>| basis.iter().zip(&reach).map(|(value, extent)| part(value, extent)).collect();
    block.iter().map(basis).collect()
}

/// The bases of a cluster in elements, beside those of the offsets, which reach over the part of one block.
pub(super) fn in_elements(offsets: &Datum, cluster: &Datum) -> Option<Vec<Vec<i64>>> {
    let cluster = rows(cluster)?;
    let rank = cluster.first().map_or(0, Vec::len);
    let reach = extents(&rows(offsets)?, rank)?;
    let scaled = |basis: &Vec<i64>| {
        (basis.len() == rank).then_some(())?;
        basis.iter().zip(&reach).map(|(value, extent)| value.checked_mul(*extent)).collect()
    };
    cluster.iter().map(scaled).collect()
}

/// The sizes that bases reach along each dim: the power of two above the largest value.
fn extents(bases: &[Vec<i64>], rank: usize) -> Option<Vec<i64>> {
    let mut extents = vec![1; rank];
    for basis in bases {
        for (extent, value) in extents.iter_mut().zip(basis) {
            let above = u64::try_from(value.checked_add(1)?).ok()?.checked_next_power_of_two()?;
            *extent = (*extent).max(i64::try_from(above).ok()?);
        }
        (basis.len() == rank).then_some(())?;
    }
    Some(extents)
}
