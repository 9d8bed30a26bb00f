//! Divides: the tile, what it leaves, the composition with both, and how the pairs are gathered.

use super::complement;
use super::composition;
use super::steps::{Steps, concatenation};
use super::tiler::mode_by_mode;
use crate::{Value, evaluate};
use bitstride::cute::{self, Layout, Tiler};
use bitstride::{Error, Int, Integer, Node, StrideLeaf, Tuple};

/// `logical_divide`, `zipped_divide`, `tiled_divide` and `flat_divide`.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, tiler] = values else { return Ok(()) };
    let layout = steps.argument(layout)?;
    divided(name, &layout, &tiler.as_tiler()?, steps).map(drop)
}

fn divided(name: &str, layout: &Layout, tiler: &Tiler, steps: &mut Steps) -> Result<Layout, Error> {
    let whole = !matches!(tiler, Tiler::Modes(_));
    let logical = mode_by_mode(layout, tiler, false, steps, &mut |mode, tile, place, steps| {
        let place = if whole { String::new() } else { format!("{place} is {mode}. ") };
        one(mode, tile, &place, steps)
    })?;
    gathered(name.split('_').next().unwrap_or(""), &logical, tiler, ("tiles", "rests"), steps)
}

/// One layout cut by one tile.
fn one(layout: &Layout, tile: &Tiler, place: &str, steps: &mut Steps) -> Result<Layout, Error> {
    let tile = match tile {
        Tiler::Extent(n) if n.is(1) => "1:0".into(),
        Tiler::Extent(n) => format!("{n}:1"),
        tile => tile.to_string(),
    };
    let tile = evaluate(&tile)?.value.as_layout()?;
    let brief = !place.is_empty();
    let coalesced = cute::coalesce(layout)?;
    let target = if coalesced.to_string() == layout.to_string() || brief {
        coalesced.shape()
    } else {
        steps
            .layout(
                format!("The tiles must cover the shape of {layout}, which is coalesced first:"),
                format!("coalesce({layout})"),
            )?
            .shape()
    };
    let rest = complement::brief(&tile, &target, place, steps)?;
    let both = steps.layout(
        format!(
            "The tile {tile} and its complement {rest} together: mode 0 runs inside a tile, mode 1 from tile to tile."
        ),
        concatenation(&[tile.to_string(), rest.to_string()]),
    )?;
    if !brief {
        return composition::layouts(layout, &both, steps);
    }
    let words = parts(layout, &[&tile, &rest]);
    match cute::composition(layout, &both) {
        Ok(_) => steps.layout(format!("{layout} after both: {words}."), format!("composition({layout}, {both})")),
        Err(_) => composition::layouts(layout, &both, steps),
    }
}

/// `3:3 becomes 3:177 and 3:1 becomes 3:59`.
fn parts(layout: &Layout, modes: &[&Layout]) -> String {
    let texts: Vec<String> = modes
        .iter()
        .filter_map(|mode| cute::composition(layout, mode).ok().map(|part| format!("{mode} becomes {part}")))
        .collect();
    super::words::list(&texts)
}

/// The logical form with its pairs gathered: zipped, tiled or flat.
pub(super) fn gathered(
    form: &str,
    logical: &Layout,
    tiler: &Tiler,
    names: (&str, &str),
    steps: &mut Steps,
) -> Result<Layout, Error> {
    if form == "logical" {
        return Ok(logical.clone());
    }
    let Some((first, second)) = halves(logical, logical.root(), tiler) else { return Ok(logical.clone()) };
    let zipped = concatenation(&[first, second]);
    let (tiles, rests) = names;
    let zipped = if matches!(tiler, Tiler::Modes(_)) || form == "zipped" {
        steps.layout(
            format!(
                "Zipped: all {tiles} are gathered into mode 0, all {rests} and whatever was not treated into mode 1."
            ),
            zipped,
        )?
    } else {
        logical.clone()
    };
    if form == "zipped" {
        return Ok(zipped);
    }
    let mut modes = Vec::new();
    for (at, mode) in zipped.modes().iter().enumerate() {
        if mode.rank() > 1 && (form == "flat" || at == 1) {
            modes.extend(mode.modes().iter().map(ToString::to_string));
        } else {
            modes.push(mode.to_string());
        }
    }
    let rule = match form {
        "tiled" => format!("Tiled: mode 1, the {rests}, is unpacked into modes of their own."),
        _ => "Flat: both modes are unpacked into modes of their own.".into(),
    };
    steps.layout(rule, concatenation(&modes))
}

/// The first halves of the pairs at the tiler's leaves, and everything else.
fn halves(layout: &Layout, node: Node<'_>, tiler: &Tiler) -> Option<(String, String)> {
    let text = |node: Node<'_>| text_of(layout, node);
    let Tiler::Modes(entries) = tiler else {
        return match (node.is_leaf(), node.child(0), node.child(1), node.child(2)) {
            (false, Some(first), Some(second), None) => Some((text(first), text(second))),
            _ => None,
        };
    };
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for at in 0..node.rank() {
        let mode = node.child(at)?;
        match entries.get(at) {
            Some(entry) => {
                let (tile, rest) = halves(layout, mode, entry)?;
                first.push(tile);
                second.push(rest);
            }
            None => second.push(text(mode)),
        }
    }
    let literal = |modes: &[String]| if modes.is_empty() { "():()".into() } else { format!("({})", modes.join(",")) };
    Some((literal(&first), literal(&second)))
}

/// One entry of a layout as text.
pub(super) fn text_of(layout: &Layout, node: Node<'_>) -> String {
    let (shape, stride): (Tuple<_>, Tuple<_>) = (layout.shape(), layout.stride());
    format!("{}:{}", shape.at(node), stride.at(node))
}

/// `local_tile(L, tiler, c)`.
pub(super) fn local_tile(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, tiler, at] = values else { return Ok(()) };
    let layout = steps.argument(layout)?;
    let zipped = divided("zipped_divide", &layout, &tiler.as_tiler()?, steps)?;
    let rest = zipped.get(&[1])?;
    let coordinate = match at.as_int() {
        Ok(index) => cute::idx2crd(&index, &rest.shape())?.to_string(),
        Err(_) => {
            let mut entries: Vec<String> = at.as_coordinate()?.entries().iter().map(coordinate_text).collect();
            entries.resize(rest.rank().max(entries.len()), "_".into());
            if rest.root().is_leaf() { entries.pop().unwrap_or_default() } else { format!("({})", entries.join(",")) }
        }
    };
    steps.add(
        format!("The tile at {at}: `_` keeps the whole tile, mode 0, and mode 1 is taken at {coordinate}."),
        format!("slice({zipped}, ({},{coordinate}))", free(&zipped.get(&[0])?)),
    )?;
    Ok(())
}

/// `local_partition(L, threads, t)`.
pub(super) fn local_partition(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, threads, thread] = values else { return Ok(()) };
    let (layout, threads, thread) = (steps.argument(layout)?, steps.argument(threads)?, thread.as_int()?);
    let sizes: Vec<String> =
        threads.modes().iter().map(|mode| mode.size().map(|n| n.to_string())).collect::<Result<_, _>>()?;
    let tiler = if threads.root().is_leaf() { sizes.concat() } else { format!("<{}>", sizes.join(", ")) };
    let tiler = evaluate(&tiler)?.value.as_tiler()?;
    let zipped = divided("zipped_divide", &layout, &tiler, steps)?;
    let mut inside = Vec::new();
    for mode in threads.modes() {
        let (Some(extent), Some(stride)) = (mode.extents().first(), mode.strides().first()) else { return Ok(()) };
        let (1, Some(stride)) = (mode.extents().len(), stride.as_integer()) else {
            return Ok(());
        };
        if stride.value() == Some(0) {
            inside.push("0".into());
            continue;
        }
        let digit = steps.add(
            format!("Thread {thread} in the mode {mode} of the threads {threads}: {thread} divided by {stride}, modulo {extent}."),
            format!("mod(div({thread}, {stride}), {extent})"),
        )?;
        inside.push(digit.to_string());
    }
    let inside = if threads.root().is_leaf() { inside.concat() } else { format!("({})", inside.join(",")) };
    steps.add(
        format!("Thread {thread} sits at {inside} of every tile: mode 0 is taken there, and `_` keeps all tiles."),
        format!("slice({zipped}, ({inside},{}))", free(&zipped.get(&[1])?)),
    )?;
    Ok(())
}

fn coordinate_text(entry: &Tuple<Option<Int>>) -> String {
    entry.map(|n| n.as_ref().map_or_else(|| "_".to_owned(), ToString::to_string)).to_string()
}

/// `(_,_,…)` for every mode of a layout.
fn free(layout: &Layout) -> String {
    if layout.root().is_leaf() { "_".into() } else { format!("({})", vec!["_"; layout.rank()].join(",")) }
}
