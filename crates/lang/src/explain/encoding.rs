//! An encoding and a shape: the tile that one block holds, the cluster, and how both are fitted to the shape.
//!
//! Each step is a layout of the language, so that every number in a sentence can be looked at in it.

use super::steps::Steps;
use super::words::{list, tuple as numbers};
use crate::Value;
use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};
use bitstride::notation::{DatumKind, ShapedType};
use bitstride::triton::{Blocked, Cga, Encoding, MemDesc, NvidiaMma, Slice, SwizzledShared};

/// `to_linear(ATTR, S)`.
pub(super) fn explain(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [encoding, shape] = values else { return Ok(()) };
    let shape: Result<Vec<i64>, Error> = shape.as_shape()?.leaves().iter().map(|n| n.as_number()).collect();
    let shape = shape?;
    match encoding.as_encoding()? {
        Encoding::Blocked(encoding) => blocked(&encoding, &shape, steps),
        Encoding::Slice(encoding) => slice(&encoding, &shape, steps),
        Encoding::NvidiaMma(encoding) => nvidia_mma(&encoding, &shape, steps),
        Encoding::SwizzledShared(encoding) => swizzled_shared(&encoding, &shape, steps),
        _ => Ok(()),
    }
}

/// `combine_cta_cga_with_shape(T, C, S)`: what happens along each dim.
pub(super) fn combined(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [tile, cluster, shape] = values else { return Ok(()) };
    let (tile, cluster) = (tile.as_linear()?, cluster.as_linear()?);
    let shape: Vec<i64> = shape.as_shape()?.leaves().iter().map(|n| n.as_number()).collect::<Result<_, _>>()?;
    combine(&tile, &cluster, &shape, steps).map(drop)
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

fn blocked(encoding: &Blocked, shape: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let order = numbers(&encoding.order);
    let over = |name: &str, sizes: &[i64]| format!("identity_standard_nd({name}, {}, {order})", numbers(sizes));
    let fastest = encoding.order.first().copied().unwrap_or(0);
    let mut tile = layout(
        format!(
            "One lane holds a box of {}, dim{fastest} the fastest, as order = {order} says.",
            numbers(&encoding.size_per_thread)
        ),
        over("register", &encoding.size_per_thread),
        steps,
    )?;
    for (name, what, sizes) in [
        ("lane", "The lanes of a warp are arranged", &encoding.threads_per_warp),
        ("warp", "The warps of a block are arranged", &encoding.warps_per_cta),
    ] {
        let rule = format!("{what} {}, each dim going on where the tile so far ends.", numbers(sizes));
        tile = layout(rule, format!("mul({tile}, {})", over(name, sizes)), steps)?;
    }
    let fitted = fit(&tile, &encoding.cga, shape, steps)?;
    if fitted.in_dim(Name::REGISTER).is_some_and(|(_, columns)| columns.contains(&0)) {
        steps.add(
            "Registers whose bases became 0 hold nothing of their own; this encoding drops them.",
            format!("remove_zero_bases_along_dim({fitted}, register)"),
        )?;
    }
    Ok(())
}

fn nvidia_mma(encoding: &NvidiaMma, shape: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let rank = shape.len();
    let (m, n) = (Name::dim(rank.saturating_sub(2)), Name::dim(rank.saturating_sub(1)));
    let mut tile = layout(
        format!("One instruction gives a lane two neighbours along N, which is {n}."),
        format!("identity_1d(2, register, {n})"),
        steps,
    )?;
    let at = if encoding.version_major == 2 { encoding.instr_shape.len().saturating_sub(2) } else { 0 };
    let rows = encoding.instr_shape.get(at).copied().unwrap_or(8);
    let wide = encoding.instr_shape.get(at + 1).copied().unwrap_or(8) / 8;
    for (rule, size, place, dim) in [
        (format!("Four lanes follow along {n}: a row of 8."), 4, "lane", n),
        (format!("Eight lanes go along M, which is {m}."), 8, "lane", m),
        (format!("The instruction has {rows} rows: those beyond 8 are in registers."), rows / 8, "register", m),
        (format!("It is {} wide: what is beyond 8 is in registers.", wide * 8), wide, "register", n),
    ] {
        if size > 1 {
            tile = layout(rule, format!("mul({tile}, identity_1d({size}, {place}, {dim}))"), steps)?;
        }
    }
    let mut dims: Vec<usize> = (0..rank).rev().collect();
    if encoding.version_major == 3 {
        dims.reverse();
    }
    for dim in dims {
        let warps = encoding.warps_per_cta.get(dim).copied().unwrap_or(1);
        let name = Name::dim(dim);
        let rule = format!("{warps} warps go along {name}.");
        tile = layout(rule, format!("mul({tile}, identity_1d({warps}, warp, {name}))"), steps)?;
    }
    fit(&tile, &encoding.cga, shape, steps).map(|_| ())
}

fn slice(encoding: &Slice, shape: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let at = usize::try_from(encoding.dim).unwrap_or(usize::MAX).min(shape.len());
    let mut whole = shape.to_vec();
    whole.insert(at, 1);
    let parent = layout(
        format!("The parent's layout on the shape with one more dim: {} of size 1.", Name::dim(at)),
        format!("to_linear({}, {})", encoding.parent, numbers(&whole)),
        steps,
    )?;
    let mut cut = layout(
        format!("{} has one value, so it can be left out.", Name::dim(at)),
        format!("squeeze_outs({parent}, {})", Name::dim(at)),
        steps,
    )?;
    for dim in at + 1..whole.len() {
        let rule = "The dims after it move up.";
        cut = layout(rule, format!("rename_out_dim({cut}, {}, {})", Name::dim(dim), Name::dim(dim - 1)), steps)?;
    }
    steps.add(
        "Registers that only moved along it hold nothing new and are dropped; lanes, warps and blocks stay.",
        format!("remove_zero_bases_along_dim({cut}, register)"),
    )?;
    Ok(())
}

fn swizzled_shared(encoding: &SwizzledShared, shape: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let order = numbers(&encoding.order);
    steps.add(
        format!("Without a swizzle the offset walks over the shape in order {order}:"),
        format!("identity_standard_nd(offset, {}, {order})", numbers(shape)),
    )?;
    let (Some(row), Some(column)) = (encoding.order.get(1), encoding.order.first()) else { return Ok(()) };
    let rows = usize::try_from(*row).ok().and_then(|row| shape.get(row)).copied().unwrap_or(1);
    let turned: Vec<String> = (0..6)
        .map(|bit| 1i64 << bit)
        .take_while(|row| *row < rows)
        .map(|row| {
            let phase = encoding.phase_of(row);
            format!("row {row} has phase {phase}, columns xor {}", phase.saturating_mul(encoding.vec))
        })
        .collect();
    let rule = format!(
        "The columns of dim{column} are xored with vec = {} times the phase of the row in dim{row}, \
         (row / {}) mod {}: {}.",
        encoding.vec,
        encoding.per_phase,
        encoding.max_phase,
        list(&turned)
    );
    let whole = Encoding::SwizzledShared(encoding.clone());
    steps.add(rule, format!("to_linear({whole}, {})", numbers(shape)))?;
    Ok(())
}

/// The cluster, and tile and cluster fitted to the shape.
fn fit(tile: &LinearLayout, cga: &Cga, shape: &[i64], steps: &mut Steps) -> Result<LinearLayout, Error> {
    let whole = cga.to_linear(shape.len())?;
    let rule = if cga.bases.is_empty() {
        "There is one block.".to_owned()
    } else {
        format!("{} blocks, in tiles of one block:", 1u64.checked_shl(whole.in_bits()).unwrap_or(0))
    };
    let cluster = layout(rule, whole.to_string(), steps)?;
    combine(tile, &cluster, shape, steps)
}

/// A tile and a cluster fitted to the shape.
fn combine(
    tile: &LinearLayout,
    cluster: &LinearLayout,
    shape: &[i64],
    steps: &mut Steps,
) -> Result<LinearLayout, Error> {
    let fitted: Vec<String> = (0..shape.len()).map(|dim| fitted(tile, cluster, dim, shape)).collect();
    layout(
        format!("Fitted to the shape {}: {}.", numbers(shape), list(&fitted)),
        format!("combine_cta_cga_with_shape({tile}, {cluster}, {})", numbers(shape)),
        steps,
    )
}

/// What happens along one dim.
fn fitted(tile: &LinearLayout, cluster: &LinearLayout, dim: usize, shape: &[i64]) -> String {
    let name = Name::dim(dim);
    let size = |layout: &LinearLayout| layout.out_dim(name).map_or(1, |(dim, _)| dim.size());
    let whole = shape.get(dim).copied().unwrap_or(1);
    let share = (whole / size(cluster).min(whole).max(1)).max(1);
    let own = size(tile);
    let repeating = match tile.ins().first() {
        Some(first) if first.name != Name::REGISTER => format!("values of {}", first.name),
        _ => "registers".to_owned(),
    };
    match own.cmp(&share) {
        std::cmp::Ordering::Equal => format!("along {name} the tile is {own}, a block's share"),
        std::cmp::Ordering::Less => {
            format!(
                "along {name} the tile is {own} and a block's share {share}, so {repeating} repeat it {} times",
                share / own
            )
        }
        std::cmp::Ordering::Greater => {
            format!("along {name} the tile is {own} but a block's share {share}, so bases from {share} on become 0")
        }
    }
}

/// A step whose value is a linear layout.
fn layout(rule: impl Into<String>, expression: String, steps: &mut Steps) -> Result<LinearLayout, Error> {
    steps.add(rule, expression)?.as_linear()
}
