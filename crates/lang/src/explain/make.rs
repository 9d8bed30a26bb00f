//! Compact layouts: which mode is faster, and what each stride is the product of.

use super::measure::shape_of;
use super::steps::Steps;
use super::words::list;
use crate::Value;
use bitstride::cute::Layout;
use bitstride::{Error, Int, Integer, StrideLeaf, Tuple};

/// `column_major(S)` and `row_major(S)`.
pub(super) fn compact(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [shape] = values else { return Ok(()) };
    let shape = shape_of(shape)?;
    let column = name == "column_major";
    let mut extents: Vec<Int> = shape.leaves().to_vec();
    if !column {
        extents.reverse();
    }
    let (end, before) = if column { ("left", "before") } else { ("right", "after") };
    let rule = format!(
        "From the {end}, every mode steps by the product of the extents {before} it: {}.{}",
        products(&extents)?,
        unit_note(&extents)
    );
    steps.add(rule, format!("{name}({shape})"))?;
    Ok(())
}

/// `8 steps by 1, 4 by 8`.
fn products(extents: &[Int]) -> Result<String, Error> {
    let mut current = Int::from(1);
    let mut words = Vec::new();
    for extent in extents.iter().filter(|n| !n.is(1)) {
        words.push(format!("the extent {extent} steps by {current}"));
        current = current.mul(extent)?;
    }
    if words.is_empty() {
        return Ok("there is one element".into());
    }
    Ok(list(&words))
}

fn unit_note(extents: &[Int]) -> &'static str {
    if extents.iter().any(|n| n.is(1)) { " A mode of extent 1 never steps: its stride is 0." } else { "" }
}

/// `make_ordered_layout(S, order)`.
pub(super) fn ordered(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [shape, order] = values else { return Ok(()) };
    let shape = shape_of(shape)?;
    let order = order.as_shape()?;
    let ranks: Option<Vec<i64>> = order.leaves().iter().map(Integer::value).collect();
    let (Some(ranks), false, 1) = (ranks, shape.is_leaf(), order.depth()) else { return Ok(()) };
    let mut positions: Vec<usize> = (0..ranks.len()).collect();
    positions.sort_by_key(|at| ranks.get(*at).copied());
    let distinct = positions.windows(2).all(|pair| match pair {
        [a, b] => ranks.get(*a) != ranks.get(*b),
        _ => true,
    });
    if !distinct || shape.rank() != ranks.len() || ranks.len() < 2 {
        return Ok(());
    }
    let entries = shape.entries();
    let fastest: Vec<String> = positions.iter().filter_map(|at| entries.get(*at)).map(Tuple::to_string).collect();
    let texts = |positions: &[usize]| positions.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let sorted = steps.add(
        format!("By the order {order}, the smallest the fastest, the modes come as {}.", list(&fastest)),
        format!("select({shape}, {})", texts(&positions)),
    )?;
    let leaves = sorted.as_shape()?.leaves().to_vec();
    let layout = steps.layout(
        format!(
            "In that order every mode steps by the product of the extents before it: {}.{}",
            products(&leaves)?,
            unit_note(&leaves)
        ),
        format!("column_major({sorted})"),
    )?;
    let mut back: Vec<usize> = (0..positions.len()).collect();
    back.sort_by_key(|at| positions.get(*at).copied());
    steps.add("Back in the order of the shape:", format!("select({layout}, {})", texts(&back)))?;
    Ok(())
}

/// `make_layout_like(L)`.
pub(super) fn like(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = steps.argument(layout)?;
    let modes = super::words::leaves(&layout);
    let order: Vec<&String> = order_by_stride(&layout).iter().filter_map(|at| modes.get(*at)).collect();
    steps.add(
        format!(
            "The modes from the least stride on are {}: compact strides are given in that order, and a stride 0 stays 0.",
            list(&order)
        ),
        format!("make_layout_like({layout})"),
    )?;
    Ok(())
}

/// The positions of the flat modes, least stride first.
fn order_by_stride(layout: &Layout) -> Vec<usize> {
    let mut order: Vec<usize> = (0..layout.strides().len()).collect();
    order.sort_by_key(|at| layout.strides().get(*at).and_then(StrideLeaf::as_integer).and_then(Integer::value));
    order
}
