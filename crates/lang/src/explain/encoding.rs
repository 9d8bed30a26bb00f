//! An encoding and a shape: the tile that one block holds, the cluster, and how both are fitted to the shape.
//!
//! The events are those of the operation itself ([`EncodingStep`]). Each step is a layout of the language, so that every
//! number in a sentence can be looked at in it.

use super::block_tile::BlockTile;
use super::steps::Steps;
use super::words::{list, tuple as numbers};
use crate::Value;
use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};
use bitstride::notation::{DatumKind, ShapedType};
use bitstride::triton::{
    Encoding, EncodingStep, MemDesc, NvmmaShared, Phase, Slice, SwizzledShared, combine_cta_cga_with_shape_traced,
};
use std::cmp::Ordering;

/// More rows are not shown one by one.
const MOST_ROWS: usize = 6;

/// `to_linear(ATTR, S)`.
pub(super) fn explain(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [encoding, shape] = values else { return Ok(()) };
    let (encoding, shape) = (encoding.as_encoding()?, sizes(shape)?);
    let mut events = Vec::new();
    // What is refused is explained up to there.
    let _ = encoding.to_linear_traced(&shape, &mut events);
    match &encoding {
        Encoding::NvmmaShared(shared) => nvmma_shared(shared, &shape, steps),
        Encoding::Slice(slice) => sliced(slice, &events, steps),
        // These write their bases, or read them from a table of the instruction.
        _ if events.is_empty() => super::linear::images(&encoding.to_linear(&shape)?, steps),
        Encoding::SwizzledShared(shared) => swizzled_shared(shared, &events, &shape, steps),
        encoding => tile(encoding, &events, &shape, steps),
    }
}

/// `combine_cta_cga_with_shape(T, C, S)`: what happens along each dim.
pub(super) fn combined(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [tile, cluster, shape] = values else { return Ok(()) };
    let (tile, cluster, shape) = (tile.as_linear()?, cluster.as_linear()?, sizes(shape)?);
    let mut events = Vec::new();
    combine_cta_cga_with_shape_traced(&tile, &cluster, &shape, &mut events)?;
    fitted(&events, &tile, &cluster, &shape, steps).map(drop)
}

/// The numbers of a shape.
fn sizes(shape: &Value) -> Result<Vec<i64>, Error> {
    shape.as_shape()?.leaves().iter().map(|n| n.as_number()).collect()
}

/// A type of memory that is more than its encoding on its shape: one buffer, what is padded, and what of the allocation it is.
pub(super) fn memory(shaped: &ShapedType, steps: &mut Steps) -> Result<(), Error> {
    let memory = MemDesc::of_type(shaped)?;
    let whole = memory.allocation().get(usize::from(memory.buffers().is_some())..).unwrap_or(&[]);
    let what = if memory.buffers().is_some() { "One buffer" } else { "The allocation" };
    let padding = memory.encoding().padding();
    let before = if padding.is_some() { ", before padding" } else { "" };
    steps.add(format!("{what} of shape {}{before}:", numbers(whole)), memory.buffer()?.to_string())?;
    if let Some(padding) = padding {
        let gaps = padding.paddings.iter().map(|(interval, gap)| format!("{gap} after every {interval} elements"));
        let terms = padding.paddings.iter().map(|(interval, gap)| format!("(o / {interval}) * {gap}"));
        let rule = format!(
            "Padding adds {}: offset o becomes o + {}. From element to offset:",
            list(&gaps.collect::<Vec<_>>()),
            terms.collect::<Vec<_>>().join(" + ")
        );
        let mut one = shaped.clone();
        one.shape = whole.to_vec();
        one.rest.retain(|datum| !matches!(datum.kind, DatumKind::Sizes(_) | DatumKind::Integer(_)));
        steps.add(rule, format!("inverse({one})"))?;
    }
    if let Some(count) = memory.buffers() {
        let (stride, size) = (memory.stride()?, memory.size()?);
        let rule = format!("dim0 counts {count} buffers, {stride} places apart: {size} places in all.");
        let mut all = shaped.clone();
        all.shape = memory.allocation().to_vec();
        steps.add(rule, all.to_string())?;
    }
    if memory.shape() != memory.allocation() {
        let mut all = shaped.clone();
        all.shape = memory.allocation().to_vec();
        let rule = format!(
            "Of the allocation of {} this is the first part, {}.",
            numbers(memory.allocation()),
            numbers(memory.shape())
        );
        let start: Vec<i64> = memory.shape().iter().map(|_| 0).collect();
        steps.add(rule, format!("subslice({all}, {}, {})", numbers(&start), numbers(memory.shape())))?;
    }
    Ok(())
}

/// What one block holds, and how it is fitted to the shape.
fn tile(encoding: &Encoding, events: &[EncodingStep], shape: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let whole = events.iter().find_map(|event| match event {
        EncodingStep::Tile { tile, cga } => Some((tile.as_deref()?, cga)),
        _ => None,
    });
    let order: Vec<usize> = match whole {
        Some((tile, _)) => {
            let number = |name: Name| (0..shape.len()).find(|dim| Name::dim(*dim) == name);
            tile.outs().iter().filter_map(|dim| number(dim.name)).collect()
        }
        None => (0..shape.len()).rev().collect(),
    };
    let mut so_far = BlockTile::new(order, meaning(encoding, shape.len()));
    for event in events {
        match event {
            EncodingStep::Takes { place, dim, start, bits } => so_far.take(*place, *dim, *start, *bits, steps)?,
            EncodingStep::Repeats { place, bits } => so_far.repeat(*place, *bits, steps)?,
            _ => break,
        }
    }
    let tile = so_far.finish(steps)?;
    let Some((whole, cga)) = whole else { return Ok(()) };
    if tile.as_ref() != Some(whole) {
        let rule = "All of it, its dims in the order in which registers that repeat it go over them:";
        steps.add(rule, whole.to_string())?;
    }
    let cluster = cga.to_linear(shape.len())?;
    let rule = if cga.bases.is_empty() {
        "There is one block.".to_owned()
    } else {
        format!("{} blocks, in tiles of one block:", 1u64.checked_shl(cluster.in_bits()).unwrap_or(0))
    };
    steps.add(rule, cluster.to_string())?;
    let fitted = fitted(events, whole, &cluster, shape, steps)?;
    if let Some(EncodingStep::Drops { bases: 1.. }) = events.last() {
        steps.add(
            "Registers whose bases became 0 hold nothing of their own; this encoding drops them.",
            format!("remove_zero_bases_along_dim({fitted}, register)"),
        )?;
    }
    Ok(())
}

/// Which dims are those of a matrix product.
fn meaning(encoding: &Encoding, rank: usize) -> String {
    let [rows, columns] = match encoding {
        Encoding::NvidiaMma(_) | Encoding::AmdMfma(_) | Encoding::AmdWmma(_) => ["M", "N"],
        Encoding::DotOperand(operand) if operand.operand == 0 => ["M", "K"],
        Encoding::DotOperand(_) => ["K", "N"],
        _ => return String::new(),
    };
    let (row, column) = (Name::dim(rank.saturating_sub(2)), Name::dim(rank.saturating_sub(1)));
    format!("{rows} is {row} and {columns} is {column}. ")
}

fn sliced(slice: &Slice, events: &[EncodingStep], steps: &mut Steps) -> Result<(), Error> {
    let Some(EncodingStep::Parent { dim: at, shape: whole }) = events.first() else { return Ok(()) };
    let parent = layout(
        format!("The parent's layout on the shape with one more dim: {} of size 1.", Name::dim(*at)),
        format!("to_linear({}, {})", slice.parent, numbers(whole)),
        steps,
    )?;
    let mut cut = layout(
        format!("{} has one value, so it can be left out.", Name::dim(*at)),
        format!("squeeze_outs({parent}, {})", Name::dim(*at)),
        steps,
    )?;
    for dim in at + 1..whole.len() {
        let rule = "The dims after it move up.";
        cut = layout(rule, format!("rename_out_dim({cut}, {}, {})", Name::dim(dim), Name::dim(dim - 1)), steps)?;
    }
    if let Some(EncodingStep::Drops { bases: 1.. }) = events.last() {
        steps.add(
            "Registers that only moved along it hold nothing new and are dropped; lanes, warps and blocks stay.",
            format!("remove_zero_bases_along_dim({cut}, register)"),
        )?;
    }
    Ok(())
}

fn swizzled_shared(
    shared: &SwizzledShared,
    events: &[EncodingStep],
    shape: &[i64],
    steps: &mut Steps,
) -> Result<(), Error> {
    let order = numbers(&shared.order);
    let mut xored = Vec::new();
    for event in events {
        match event {
            EncodingStep::Offsets { extents } => {
                let rule = format!("Without a swizzle the offset goes over {} in order {order}:", numbers(extents));
                steps.add(rule, format!("identity_standard_nd(offset, {}, {order})", numbers(extents)))?;
            }
            EncodingStep::Swizzles { row, phase, columns } => {
                xored.push(format!("row {row} has phase {phase}, columns xor {columns}"));
            }
            _ => {}
        }
    }
    let (Some(row), Some(column)) = (shared.order.get(1), shared.order.first()) else { return Ok(()) };
    xored.truncate(MOST_ROWS);
    let turn = format!("(row / {}) mod {}", shared.per_phase, shared.max_phase);
    let phase = match shared.phase {
        Phase::Row => turn,
        Phase::Rotating => format!("{turn} xor (row / {0} / {1}) mod {1}", shared.per_phase, shared.max_phase),
    };
    let rule = format!(
        "The columns of dim{column} are xored with vec = {} times the phase of the row in dim{row}, {phase}, below the end of a \
         row: {}.",
        shared.vec,
        list(&xored)
    );
    let whole = Encoding::SwizzledShared(shared.clone());
    steps.add(rule, format!("to_linear({whole}, {})", numbers(shape)))?;
    Ok(())
}

/// The rows of one pattern, as the encoding of a swizzle by vectors, phases and rows that is the same, and then every bit.
fn nvmma_shared(shared: &NvmmaShared, shape: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let whole = Encoding::NvmmaShared(shared.clone()).to_linear(shape)?;
    if let (false, 2, bytes @ (32 | 64 | 128)) = (shared.fp4_padded, shared.rank, shared.swizzle_bytes) {
        let columns = bytes * 8 / shared.element_bits;
        let order = if shared.transposed { [0, 1] } else { [1, 0] };
        let (vec, per_phase, max_phase) = (128 / shared.element_bits, 128 / bytes, bytes / 16);
        let [rows, columns] = if shared.transposed { [columns, 8] } else { [8, columns] };
        let rule = format!(
            "A row of {bytes} bytes is one of eight, in which vectors of 16 bytes are xored with (row / {per_phase}) mod \
             {max_phase}; other rows, then further tiles follow. Of one block the eight are:"
        );
        let pattern = format!(
            "#ttg.swizzled_shared<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}, order = [{}, {}]}}>",
            order[0], order[1]
        );
        steps.add(rule, format!("to_linear({pattern}, ({rows},{columns}))"))?;
    }
    super::linear::images(&whole, steps)
}

/// A tile and a cluster fitted to the shape, dim by dim.
fn fitted(
    events: &[EncodingStep],
    tile: &LinearLayout,
    cluster: &LinearLayout,
    shape: &[i64],
    steps: &mut Steps,
) -> Result<LinearLayout, Error> {
    let repeating = match tile.ins().first() {
        Some(first) if first.name != Name::REGISTER => format!("values of {}", first.name),
        _ => "registers".to_owned(),
    };
    let along = |event: &EncodingStep| {
        let EncodingStep::Fits { dim, tile, share } = event else { return None };
        let size = |bits: u32| 1u64.checked_shl(bits).unwrap_or(u64::MAX);
        let (name, own) = (Name::dim(*dim), size(*tile));
        Some(match tile.cmp(share) {
            Ordering::Equal => format!("along {name} the tile is {own}, a block's share"),
            Ordering::Less => format!(
                "along {name} the tile is {own} and a block's share {}, so {repeating} repeat it {} times",
                size(*share),
                size(share - tile)
            ),
            Ordering::Greater => format!(
                "along {name} the tile is {own} but a block's share {0}, so bases from {0} on become 0",
                size(*share)
            ),
        })
    };
    let said: Vec<String> = events.iter().filter_map(along).collect();
    layout(
        format!("Fitted to the shape {}: {}.", numbers(shape), list(&said)),
        format!("combine_cta_cga_with_shape({tile}, {cluster}, {})", numbers(shape)),
        steps,
    )
}

/// A step whose value is a linear layout.
fn layout(rule: impl Into<String>, expression: String, steps: &mut Steps) -> Result<LinearLayout, Error> {
    steps.add(rule, expression)?.as_linear()
}
