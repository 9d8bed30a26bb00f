//! Compact layouts: which mode is faster, and what each stride is the product of.

use super::measure::shape_of;
use super::steps::Steps;
use super::words::list;
use crate::Value;
use bitstride::cute::{self, Layout};
use bitstride::{Error, Int, Integer, Tuple};
use std::collections::BTreeSet;

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
    let mut positions = Vec::new();
    let _: Layout = cute::make_ordered_layout_traced(&shape, &order, &mut positions)?;
    if shape.is_leaf() || order.depth() != 1 || positions.len() < 2 {
        return Ok(());
    }
    let entries = shape.entries();
    let fastest: Vec<String> = positions.iter().filter_map(|at| entries.get(*at)).map(Tuple::to_string).collect();
    let ranks: BTreeSet<i64> = order.leaves().iter().filter_map(Integer::fixed).collect();
    let ties = if ranks.len() < positions.len() {
        ", equal ones from the left and those that are not static last"
    } else {
        ""
    };
    let texts = |positions: &[usize]| positions.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let sorted = steps.add(
        format!("By the order {order}, the smallest the fastest{ties}, the modes come as {}.", list(&fastest)),
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
    let mut order = Vec::new();
    cute::make_layout_like_traced(&layout, &mut order)?;
    let order: Vec<&String> = order.iter().filter_map(|at| modes.get(*at)).collect();
    steps.add(
        format!(
            "The modes from the least stride on are {}: compact strides are given in that order, and a stride 0 stays 0.",
            list(&order)
        ),
        format!("make_layout_like({layout})"),
    )?;
    Ok(())
}

/// `make_fragment_like(L)`.
pub(super) fn fragment_like(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = steps.argument(layout)?;
    let modes = super::words::leaves(&layout);
    let mut order = Vec::new();
    cute::make_fragment_like_traced(&layout, &mut order)?;
    let order: Vec<&String> = order.iter().filter_map(|at| modes.get(*at)).collect();
    let rule = if order.is_empty() {
        "A layout of one mode, or with an extent that is not static, gets compact column-major registers.".to_owned()
    } else {
        let first = layout.get(&[0])?;
        format!(
            "The first mode, {first}, is made compact column-major, its strides of 0 kept. Behind it follow the others from the \
             least stride on: {}.",
            list(&order)
        )
    };
    steps.add(rule, format!("make_fragment_like({layout})"))?;
    Ok(())
}
