//! Products: the room the copies need, the complement of the block in it, its composition with the tiler, and the
//! pairing.

use super::complement;
use super::composition;
use super::divide::gathered;
use super::measure::shape_of;
use super::steps::{Steps, concatenation};
use super::tiler::mode_by_mode;
use super::words::{list, quotient};
use crate::{Value, evaluate};
use bitstride::cute::{Layout, Tiler, cosize};
use bitstride::{Error, Integer, Tuple};

/// `logical_product`, `zipped_product`, `tiled_product` and `flat_product`.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [block, tiler] = values else { return Ok(()) };
    let block = steps.argument(block)?;
    let tiler = tiler.as_tiler()?;
    let whole = !matches!(tiler, Tiler::Modes(_));
    let logical = mode_by_mode(&block, &tiler, false, steps, &mut |mode, tile, place, steps| {
        let place = if whole { String::new() } else { format!("{place} is {mode}. ") };
        let tile = match tile {
            Tiler::Extent(n) if n.is(1) => "1:0".into(),
            Tiler::Extent(n) => format!("{n}:1"),
            tile => tile.to_string(),
        };
        let tile = evaluate(&tile)?.value.as_layout()?;
        let copies = copies(mode, &tile, &place, steps)?;
        steps.layout(
            "Mode 0 is the block, mode 1 where its copies start.",
            concatenation(&[mode.to_string(), copies.to_string()]),
        )
    })?;
    gathered(name.split('_').next().unwrap_or(""), &logical, &tiler, ("blocks", "copies"), steps).map(drop)
}

/// Where the copies of a block start.
fn copies(block: &Layout, tile: &Layout, place: &str, steps: &mut Steps) -> Result<Layout, Error> {
    let room = steps
        .add(
            format!(
                "{place}The copies need room for size({block}) = {} elements times cosize({tile}) = {}:",
                block.size()?,
                cosize(tile)?
            ),
            format!("{}*{}", block.size()?, cosize(tile)?),
        )?
        .as_int()?;
    let free = complement::brief(block, &Tuple::leaf(room), "", steps)?;
    composition::layouts(&free, tile, steps)
}

/// `blocked_product(A, B)` and `raked_product(A, B)`.
pub(super) fn paired(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [block, tiler] = values else { return Ok(()) };
    let (block, tiler) = (steps.argument(block)?, steps.argument(tiler)?);
    pairs(name == "blocked_product", &block, &tiler, steps).map(drop)
}

fn pairs(blocked: bool, block: &Layout, tiler: &Layout, steps: &mut Steps) -> Result<Layout, Error> {
    let rank = block.rank().max(tiler.rank());
    let (block, tiler) = (ranked(block, rank, steps)?, ranked(tiler, rank, steps)?);
    let copies = copies(&block, &tiler, "", steps)?;
    let mut modes = Vec::new();
    for (part, copy) in block.modes().iter().zip(copies.modes()) {
        modes.push(if blocked { format!("({part},{copy})") } else { format!("({copy},{part})") });
    }
    let rule = if blocked {
        "Mode by mode the block comes first and its copies second, so that blocks stay together:"
    } else {
        "Mode by mode the copies come first and the block second, so that the copies interleave:"
    };
    steps.layout(rule, concatenation(&modes))
}

/// The layout with `1:0` modes appended up to a rank.
fn ranked(layout: &Layout, rank: usize, steps: &mut Steps) -> Result<Layout, Error> {
    let mut layout = layout.clone();
    while layout.rank() < rank {
        layout = steps.layout(
            format!("{layout} has rank {}, its partner {rank}: it gets a mode of one element.", layout.rank()),
            format!("append({layout}, 1:0)"),
        )?;
    }
    Ok(layout)
}

/// `tile_to_shape(A, S)` and `tile_to_shape(A, S, order)`.
pub(super) fn tile_to_shape(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let (Some(block), Some(target)) = (values.first(), values.get(1)) else { return Ok(()) };
    let block = steps.argument(block)?;
    let target = shape_of(target)?;
    let block = ranked(&block, target.rank(), steps)?;
    let mut counts = Vec::new();
    let mut words = Vec::new();
    for (mode, extent) in block.modes().iter().zip(target.entries()) {
        let (tile, extent) = (mode.size()?, extent.size()?);
        let copies = extent.ceil_div(&tile)?;
        words.push(quotient(&extent, &tile, &copies));
        counts.push(copies.to_string());
    }
    let counts = if target.is_leaf() { counts.concat() } else { format!("({})", counts.join(",")) };
    let how = format!("Along the modes the block fits {} times", list(&words));
    let tiles = match values.get(2) {
        Some(order) => steps.layout(
            format!("{how}; the copies follow one another in the order {order}, 0 the fastest."),
            format!("make_ordered_layout({counts}, {order})"),
        )?,
        None => steps.layout(
            format!("{how}; without an order the leftmost mode is the fastest."),
            format!("column_major({counts})"),
        )?,
    };
    pairs(true, &block, &tiles, steps).map(drop)
}
