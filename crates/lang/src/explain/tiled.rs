//! An array of XLA, tile by tile: where an index lies, what lies at an offset, how large the memory is.
//!
//! A tile step is looked at in the array that has only the tiles up to it, so that its extents and coordinates are
//! expressions of the language: `tiled_dims(f32[3,5]{1,0:T(2,2)})` is what the first tile makes.

use super::steps::Steps;
use super::words::{list, sentence, tuple};
use crate::Value;
use bitstride::Error;
use bitstride::xla::{Array, Cut, Dim, Image, Layout, Place, Step};

/// An array as it is written: tile by tile to its memory.
pub(super) fn literal(array: &Array, steps: &mut Steps) -> Result<(), Error> {
    let image = Image::of(array)?;
    tiles(array, &image, steps)?;
    counts(array, &image, steps)?;
    bytes(array, &image, steps)?;
    if image.size() > image.elements() {
        steps.add("What padding costs, and which dims cause it:", format!("padding({array})"))?;
    }
    Ok(())
}

/// `tiled_dims(X)`.
pub(super) fn tiled_dims(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let array = array.as_array()?;
    tiles(&array, &Image::of(&array)?, steps)
}

/// `padded_size(X)` and `byte_size(X)`.
pub(super) fn size(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let array = array.as_array()?;
    let image = Image::of(&array)?;
    places(&array, &image, steps)?;
    if name == "byte_size" { bytes(&array, &image, steps) } else { Ok(()) }
}

/// `padding(X)`: each claim about a dim is looked at in the array that has it longer.
pub(super) fn padding(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let array = array.as_array()?;
    let image = Image::of(&array)?;
    sizes(&array, &image, steps)?;
    let padding = array.padding()?;
    let mut unpadded = with_tiles(&array, 0);
    unpadded.layout.element_bits = array.layout.element_bits;
    steps.add("The same elements without tiles and without padding:", format!("byte_size({unpadded})"))?;
    for (dim, (extent, room)) in padding.dims.iter().enumerate().filter(|(_, (extent, room))| extent < room) {
        let rule = format!("Dim {dim} has {extent}; with {room} the array would have no more places.");
        steps.add(rule, format!("padded_size({})", with_dim(&array, dim, *room)))?;
        if let Some(more) = room.checked_add(1) {
            let rule = format!("With {more} it would have more, so {extent} to {room} cost the same:");
            steps.add(rule, format!("padded_size({})", with_dim(&array, dim, more)))?;
        }
    }
    if let Some((better, _)) = &padding.better {
        steps.add("The order of the dims that pads least with these tiles:", format!("byte_size({better})"))?;
    }
    steps.add("Together:", format!("padding({array})"))?;
    Ok(())
}

/// `to_mosaic(X)` and `affine_map(X)`: the strides are those of a grid of first tiles.
pub(super) fn mosaic(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let array = array.as_array()?;
    let strides = if array.layout.tiles.is_empty() {
        "Without tiles the strides say how many elements apart neighbours lie."
    } else {
        let rule = "The first tile leaves a grid of tiles and the extents inside of one.";
        steps.add(rule, format!("tiled_dims({})", with_tiles(&array, 1)))?;
        "The strides say how many tiles apart neighbours in that grid lie."
    };
    steps.add(strides, format!("to_mosaic({array})"))?;
    if name == "affine_map" {
        let rule = "Each tile takes the quotients and remainders of what it cuts; the offset is their sum, each times its stride.";
        steps.add(rule, format!("affine_map({array})"))?;
    }
    Ok(())
}

/// `tiled_index(X, i)`: the coordinates before the first tile and after each.
pub(super) fn tiled_index(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array, index] = values else { return Ok(()) };
    let array = array.as_array()?;
    let (image, index) = (Image::of(&array)?, numbers(index)?);
    walk(&array, &image, &index, steps).map(|_| ())
}

/// `linear_index(X, i)`: the coordinates after all tiles, counted.
pub(super) fn linear_index(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array, index] = values else { return Ok(()) };
    let array = array.as_array()?;
    let (image, index) = (Image::of(&array)?, numbers(index)?);
    let at = walk(&array, &image, &index, steps)?;
    let rule = match at.as_slice() {
        [] => "There is one element, at offset 0.".to_owned(),
        _ => format!(
            "Counted in the padded bounds {}, the last the fastest: {}.",
            sizes_text(image.tiled_dims()),
            counted(&at, image.tiled_dims())
        ),
    };
    steps.add(rule, count(&at, image.tiled_dims()))?;
    Ok(())
}

/// `index_at(X, o)`: the offset taken apart, and back through the tiles, the last first.
pub(super) fn index_at(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array, offset] = values else { return Ok(()) };
    let (array, offset) = (array.as_array()?, offset.as_number()?);
    let image = Image::of(&array)?;
    let call = format!("index_at({array}, {offset})");
    let mut walk = Vec::new();
    let place = image.place_traced(offset, &mut walk)?;
    let dims = image.tiled_dims();
    let Some(at) = walk.first() else {
        let rule = format!("The padded bounds {} end before offset {offset}:", sizes_text(dims));
        steps.add(rule, format!("padded_size({})", with_tiles(&array, array.layout.tiles.len())))?;
        let rule = format!("What is there only rounds up to a multiple of L({}).", array.layout.tail_padding);
        steps.add(rule, call)?;
        return Ok(());
    };
    let rule = format!(
        "In the padded bounds {}, the last the fastest, offset {offset} is at {}: {}.",
        sizes_text(dims),
        tuple(at),
        if at.is_empty() { "the only place".to_owned() } else { counted(at, dims) },
    );
    steps.add(rule, count(at, dims))?;
    for (number, (after, tile)) in walk.iter().zip(image.steps().iter().rev()).enumerate() {
        let outer = number + 1 == image.steps().len();
        match walk.get(number + 1) {
            Some(before) => back(tile, before, after, steps)?,
            None => {
                beyond(tile, outer.then_some(image.order()), after, steps)?;
                steps.add("No index leads there: it is padding.", call)?;
                return Ok(());
            }
        }
    }
    let rule = match place {
        Place::Element(index) => format!("{} the index is {}.", order(&image), tuple(&index)),
        Place::Padding => "No index leads there.".to_owned(),
    };
    steps.add(rule, call)?;
    Ok(())
}

/// The coordinates after a tile as those before it.
fn back(step: &Step, before: &[i64], after: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let mut rest = std::iter::repeat_n(0, step.ones).chain(before.iter().copied());
    let mut texts: Vec<String> = rest.by_ref().take(step.kept).map(|kept| kept.to_string()).collect();
    let mut words = Vec::new();
    for (grid, inside, merged, cut) in cuts(step, after) {
        let mut word = format!("place {inside} of tile {grid} is {grid}*{} + {inside} = {merged}", cut.tile);
        let parts: Vec<i64> = rest.by_ref().take(cut.merged.len()).collect();
        if parts.len() > 1 {
            word.push_str(&format!(", which is {} in the merged {}", tuple(&parts), sizes_text(&cut.merged)));
            texts.extend(parts.iter().map(i64::to_string));
        } else {
            texts.push(format!("{grid}*{}+{inside}", cut.tile));
        }
        words.push(word);
    }
    let mut rule = format!("Back through {}: {}", step.name(), words.join("; "));
    if step.ones > 0 {
        let first = if step.ones == 1 { "the first coordinate" } else { "the first coordinates" };
        rule.push_str(&format!("; {first} stood for no dim"));
    }
    let texts: Vec<String> = texts.into_iter().skip(step.ones).collect();
    steps.add(format!("{rule}."), format!("({})", texts.join(",")))?;
    Ok(())
}

/// The first coordinate after a tile that lies in its padding; `order` has the dims before the first tile.
fn beyond(step: &Step, order: Option<&[usize]>, after: &[i64], steps: &mut Steps) -> Result<(), Error> {
    let mut place = step.kept;
    for (grid, inside, merged, cut) in cuts(step, after) {
        if merged < i128::from(cut.extent) {
            place += cut.merged.len();
            continue;
        }
        let (place, tile) = (place.saturating_sub(step.ones), cut.tile);
        let which = match order.and_then(|order| order.get(place)) {
            Some(dim) if cut.merged.len() == 1 => format!("dim {dim}"),
            _ if cut.merged.len() > 1 => format!("the merged {}", sizes_text(&cut.merged)),
            _ => format!("coordinate {place} before this tile"),
        };
        let rule = format!(
            "Back through {}: place {inside} of tile {grid} is {grid}*{tile} + {inside} = {merged}, but {which} has only {}; the rest of its last tile is padding.",
            step.name(),
            cut.extent
        );
        return steps.add(rule, format!("{grid}*{tile}+{inside}")).map(drop);
    }
    Ok(())
}

/// The coordinates that a tile cuts, each with its tile index and its index within the tile before it.
fn cuts<'a>(step: &'a Step, after: &'a [i64]) -> impl Iterator<Item = (i64, i64, i128, &'a Cut)> {
    let grids = after.get(step.kept..).unwrap_or(&[]);
    let insides = grids.get(step.cuts.len()..).unwrap_or(&[]);
    let whole = |grid: i64, inside: i64, cut: &Cut| i128::from(grid) * i128::from(cut.tile) + i128::from(inside);
    let pairs = grids.iter().zip(insides).zip(&step.cuts);
    pairs.map(move |((grid, inside), cut)| (*grid, *inside, whole(*grid, *inside, cut), cut))
}

/// The extents in the order of memory, and after each tile.
fn tiles(array: &Array, image: &Image, steps: &mut Steps) -> Result<(), Error> {
    steps.add(format!("{} the extents are:", order(image)), format!("physical_dims({array})"))?;
    for (at, step) in image.steps().iter().enumerate() {
        steps.add(tile(step), format!("tiled_dims({})", with_tiles(array, at + 1)))?;
    }
    Ok(())
}

/// What a tile does to the extents: merge, pad, cut, move.
fn tile(step: &Step) -> String {
    let mut words = Vec::new();
    match step.ones {
        0 => {}
        1 => words.push("it has one extent more than there are dims, so a 1 comes before them".to_owned()),
        ones => words.push(format!("it has {ones} extents more than there are dims, so 1s come before them")),
    }
    for cut in &step.cuts {
        let (extent, grid, tile) = (cut.extent, cut.grid, cut.tile);
        if cut.merged.len() > 1 {
            let product: Vec<String> = cut.merged.iter().map(i64::to_string).collect();
            words.push(format!("`*` merges {}, so {} = {extent}", list(&cut.merged), product.join("*")));
        }
        let padded = i128::from(grid) * i128::from(tile);
        let fits = padded == i128::from(extent);
        words.push(match (fits, grid) {
            (true, 1) => format!("{extent} is one tile"),
            (true, _) => format!("{extent} is cut into {grid} tiles of {tile}"),
            (false, 1) => format!("{extent} is padded to {tile}, one tile"),
            (false, _) => format!("{extent} is padded to {grid} tiles of {tile}, so to {grid}*{tile} = {padded}"),
        });
    }
    let stay = match step.kept {
        0 => String::new(),
        kept => format!("what comes first, {}, stays, then ", list(step.dims.get(..kept).unwrap_or(&[]))),
    };
    let moved = if stay.is_empty() {
        "The numbers of tiles come first, then the extents of one tile".to_owned()
    } else {
        sentence(&format!("{stay}come the numbers of tiles, then the extents of one tile"))
    };
    format!("{}: {}. {moved}.", step.name(), words.join("; "))
}

/// The coordinates of an index before the first tile and after each, as steps; gives the last.
fn walk(array: &Array, image: &Image, index: &[i64], steps: &mut Steps) -> Result<Vec<i64>, Error> {
    let walk = image.walk(index)?;
    let text = tuple(index);
    let start = walk.first().map(|at| tuple(at)).unwrap_or_default();
    let rule = match image.order().is_sorted() {
        true => format!("The order of memory is that of the dims: the index is {start} there."),
        false => format!("{} the index is {start}.", order(image)),
    };
    steps.add(rule, format!("tiled_index({}, {text})", with_tiles(array, 0)))?;
    for (at, (step, pair)) in image.steps().iter().zip(walk.windows(2)).enumerate() {
        let [before, after] = pair else { continue };
        steps.add(cut(step, before, after), format!("tiled_index({}, {text})", with_tiles(array, at + 1)))?;
    }
    Ok(walk.last().cloned().unwrap_or_default())
}

/// What a tile does to coordinates.
fn cut(step: &Step, before: &[i64], after: &[i64]) -> String {
    let mut rest = std::iter::repeat_n(0, step.ones).chain(before.iter().skip(step.kept).copied());
    let mut words = Vec::new();
    for (grid, inside, merged, cut) in cuts(step, after) {
        let parts: Vec<i64> = rest.by_ref().take(cut.merged.len()).collect();
        let tile = cut.tile;
        if parts.len() > 1 {
            let counted = counted(&parts, &cut.merged);
            words.push(format!("`*` merges {}, so {counted}", tuple(&parts)));
        }
        words.push(format!("{merged} is place {inside} of tile {grid}, as {grid}*{tile} + {inside} = {merged}"));
    }
    format!("{}: {}. The tile indices come before the indices within a tile.", step.name(), words.join("; "))
}

/// From the elements to the bytes.
fn sizes(array: &Array, image: &Image, steps: &mut Steps) -> Result<(), Error> {
    places(array, image, steps)?;
    bytes(array, image, steps)
}

/// The places, from the elements and the bounds after the tiles.
fn places(array: &Array, image: &Image, steps: &mut Steps) -> Result<(), Error> {
    if !array.layout.tiles.is_empty() {
        steps.add("The bounds after the tiles, padding included:", format!("tiled_dims({array})"))?;
    }
    counts(array, image, steps)
}

fn counts(array: &Array, image: &Image, steps: &mut Steps) -> Result<(), Error> {
    let elements = image.elements();
    let rule = format!("Elements: {}.", multiplied(image.dims(), elements));
    steps.add(rule, format!("size({})", tuple(image.dims())))?;
    let count = array.layout.tiles.len();
    let dims = image.tiled_dims();
    let filled = if dims.contains(&0) { 0 } else { dims.iter().map(|extent| i128::from(*extent)).product() };
    let rule = format!("Places: {}.", multiplied(dims, filled));
    steps.add(rule, format!("padded_size({})", with_tiles(array, count)))?;
    let tail = array.layout.tail_padding;
    if tail > 1 {
        let size = image.size();
        let rule = match i128::from(size) - filled {
            0 => format!("They are a multiple of {tail} already, as L({tail}) wants."),
            more => {
                format!("L({tail}) rounds up to a multiple of {tail}, {more} more: {}*{tail} = {size}.", size / tail)
            }
        };
        steps.add(rule, format!("padded_size({array})"))?;
    }
    Ok(())
}

fn bytes(array: &Array, image: &Image, steps: &mut Steps) -> Result<(), Error> {
    let (size, bits) = (image.size(), image.element_bits());
    let all = i128::from(size) * i128::from(bits);
    let packed = if array.layout.element_bits == 0 { String::new() } else { format!(", packed as E({bits}) says") };
    let rule = if bits % 8 == 0 {
        let each = bits / 8;
        format!("A place has {bits} bits{packed}: {size}*{each} = {} bytes.", all / 8)
    } else {
        let bytes = (all + 7) / 8;
        format!("A place has {bits} bits{packed}: {size}*{bits} = {all} bits, which fill {bytes} bytes.")
    };
    steps.add(rule, format!("byte_size({array})"))?;
    Ok(())
}

/// The order of memory in words, the beginning of a sentence.
fn order(image: &Image) -> String {
    match image.order() {
        [] => "Without dims".to_owned(),
        order => format!("In the order of memory, dims {} from the slowest to the fastest,", list(order)),
    }
}

/// The array with its first tiles and nothing else that is written after the order of the dims.
fn with_tiles(array: &Array, count: usize) -> Array {
    let mut layout = Layout::ordered(array.layout.minor_to_major.clone());
    layout.tiles = array.layout.tiles.iter().take(count).cloned().collect();
    Array { element: array.element, dims: array.dims.clone(), layout }
}

fn with_dim(array: &Array, dim: usize, extent: i64) -> Array {
    let mut changed = array.clone();
    if let Some(place) = changed.dims.get_mut(dim) {
        *place = Dim::Static(extent);
    }
    changed
}

/// `3*5 = 15`, and the number alone where there is nothing to multiply.
fn multiplied(factors: &[i64], product: impl ToString) -> String {
    let product = product.to_string();
    match factors {
        [] | [_] => product,
        _ => format!("{} = {product}", factors.iter().map(i64::to_string).collect::<Vec<_>>().join("*")),
    }
}

/// Coordinates counted in extents, the last the fastest: `1*12 + 2*4 + 3*1 = 23`.
fn counted(at: &[i64], extents: &[i64]) -> String {
    let mut stride = 1i128;
    let mut total = 0i128;
    let mut terms = Vec::new();
    for (coordinate, extent) in at.iter().zip(extents).rev() {
        terms.insert(0, format!("{coordinate}*{stride}"));
        total += i128::from(*coordinate) * stride;
        stride *= i128::from(*extent);
    }
    format!("{} = {total}", terms.join(" + "))
}

/// The same as an expression.
fn count(at: &[i64], extents: &[i64]) -> String {
    format!("crd2idx({}, row_major({}))", tuple(at), tuple(extents))
}

fn sizes_text(extents: &[i64]) -> String {
    if extents.is_empty() {
        return "of one place".to_owned();
    }
    extents.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
}

/// The numbers of an index.
pub(super) fn numbers(value: &Value) -> Result<Vec<i64>, Error> {
    value.as_shape()?.leaves().iter().map(|n| n.as_number()).collect()
}
