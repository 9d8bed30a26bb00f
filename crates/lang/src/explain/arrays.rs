//! Dims, orders and digits of XLA's arrays, one by one.

use super::steps::Steps;
use super::tiled;
use super::tiled::numbers;
use super::words::{call, list, tuple};
use crate::{Value, evaluate};
use bitstride::Error;
use bitstride::map::{Direction, Map};
use bitstride::xla::mosaic::{Filling, LANES, SUBLANES, VectorLayout};
use bitstride::xla::{self, Array, BareLayout, Digit, Image, Shape, TransposeStep};

/// More entries are not shown one by one.
const MOST_ENTRIES: usize = 16;

/// An operation on arrays; false for another one.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<bool, Error> {
    match name {
        "physical_dims" => physical(values, steps)?,
        "digits" => each_digit(values, steps)?,
        "common_digits" => common(values, steps)?,
        "describe_tiles" => described(values, steps)?,
        "unmodified_dims" | "unit_dims" => kept(name, values, steps)?,
        "normalized_transpose" => normalized(values, steps)?,
        "without_layout" => without(values, steps)?,
        "with_layout" => with(values, steps)?,
        "to_jax" => jax(values, steps)?,
        "is_valid" => valid(values, steps)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// `physical_dims(X)`: dim by dim, the slowest first.
fn physical(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let image = Image::of(&array.as_array()?)?;
    let last = image.order().len().saturating_sub(1);
    for (place, dim) in image.order().iter().enumerate().take(MOST_ENTRIES) {
        let which = match place {
            _ if place == last => "The fastest",
            0 => "The slowest",
            _ => "The next faster one",
        };
        steps.add(format!("{which} is dim {dim}. Its extent:"), format!("select(shape({array}), {dim})"))?;
    }
    if image.order().is_empty() {
        steps.add("There are no dims.", format!("shape({array})"))?;
    }
    Ok(())
}

/// `digits(X)`: the first step of each digit.
fn each_digit(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let array = array.as_array()?;
    tiled::tiled_dims(values, steps)?;
    shown(&array, steps)?;
    steps.add("As (dim, weight, radix, stride):", format!("digits({array})"))?;
    Ok(())
}

fn shown(array: &Array, steps: &mut Steps) -> Result<(), Error> {
    let image = Image::of(array)?;
    for digit in image.digits().unwrap_or_default().iter().take(MOST_ENTRIES) {
        let index: Vec<i64> =
            (0..array.dims.len()).map(|dim| if dim == digit.axis { digit.weight } else { 0 }).collect();
        let Digit { axis, weight, radix, stride } = digit;
        let rule =
            format!("{weight} further along dim {axis} lies {stride} elements further, up to {radix} such steps:");
        steps.add(rule, format!("linear_index({array}, {})", tuple(&index)))?;
    }
    Ok(())
}

/// `common_digits(A, B)`: runs with as many elements, and the digits of both.
fn common(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (left, right) = (a.as_array()?, b.as_array()?);
    let sizes = |array: &Array| Ok::<_, Error>(tuple(&array.bounds()?));
    steps.add("Elements of the first:", format!("size({})", sizes(&left)?))?;
    steps.add("Elements of the second:", format!("size({})", sizes(&right)?))?;
    let Some(common) = left.common_digits(&right)? else { return Ok(()) };
    let runs: Vec<String> = common.axes.iter().map(i64::to_string).collect();
    let rule =
        format!("Dims of both multiply to the same numbers at the ends of these runs, of {} elements:", list(&runs));
    steps.add(rule, tuple(&common.axes))?;
    for (which, array, own) in [("first", a, &common.digits[0]), ("second", b, &common.digits[1])] {
        let Some(own) = own else { continue };
        let said: Vec<String> = own
            .iter()
            .map(|digit| {
                format!(
                    "{} further in run {} lies {} further, up to {} steps",
                    digit.weight, digit.axis, digit.stride, digit.radix
                )
            })
            .collect();
        let rule = format!("In the {which}, {}. In its own dims:", list(&said));
        steps.add(rule, format!("digits({array})"))?;
    }
    Ok(())
}

/// `describe_tiles(X)`: the extents after each tile, and one element.
fn described(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    tiled::tiled_dims(values, steps)?;
    let bounds = array.as_array()?.bounds()?;
    if bounds.iter().all(|extent| *extent > 0) {
        let last: Vec<i64> = bounds.iter().map(|extent| extent - 1).collect();
        let rule = format!("The last element, {}, lies at:", tuple(&last));
        steps.add(rule, format!("linear_index({array}, {})", tuple(&last)))?;
    }
    Ok(())
}

/// The extents of an array, or those of a tuple.
fn dims(value: &Value) -> Result<Vec<i64>, Error> {
    match value {
        Value::Xla(_) => Ok(value.as_array()?.bounds()?.to_vec()),
        value => numbers(value),
    }
}

/// `unmodified_dims(S, T)` and `unit_dims(S, T)`: partners have as many elements before them.
fn kept(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [from, to] = values else { return Ok(()) };
    let (from, to) = (dims(from)?, dims(to)?);
    let pairs = xla::unmodified_dims(&from, &to);
    let at = |dims: &[i64], dim: i64| usize::try_from(dim).ok().and_then(|dim| dims.get(dim)).copied().unwrap_or(1);
    for (i, j) in pairs.iter().take(MOST_ENTRIES) {
        let before = from.get(..usize::try_from(*i).unwrap_or(0)).unwrap_or(&[]);
        let rule = format!(
            "Dim {i} of the first and dim {j} of the second both have {}, and as many elements before them:",
            at(&from, *i)
        );
        steps.add(rule, format!("size({})", tuple(before)))?;
    }
    for (which, own, paired) in [
        ("first", &from, pairs.iter().map(|pair| pair.0).collect::<Vec<_>>()),
        ("second", &to, pairs.iter().map(|pair| pair.1).collect()),
    ] {
        for (dim, extent) in (0i64..).zip(own.iter()).filter(|(dim, _)| !paired.contains(dim)).take(MOST_ENTRIES) {
            let rule = match (name, extent) {
                ("unit_dims", 1) if which == "first" => {
                    format!("Dim {dim} of the first has no partner and the extent 1, so it is deleted:")
                }
                ("unit_dims", 1) => {
                    format!("Dim {dim} of the second has no partner and the extent 1, so it is inserted:")
                }
                _ => format!("Dim {dim} of the {which} has no partner. Its extent:"),
            };
            steps.add(rule, extent.to_string())?;
        }
    }
    if steps.0.is_empty() {
        steps.add("There are no dims.", "()")?;
    }
    Ok(())
}

/// `normalized_transpose(S, dims)`: dims of extent 1 go, and neighbours that stay neighbours are one.
fn normalized(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [from, order] = values else { return Ok(()) };
    let (from, order) = (dims(from)?, numbers(order)?);
    let mut events = Vec::new();
    xla::normalized_transpose_traced(&from, &order, &mut events)?;
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for event in &events {
        match event {
            TransposeStep::Unit { dim } => {
                let rule = format!("Dim {dim} has the extent 1: wherever it stands, nothing moves, so it is left out.");
                steps.add(rule, "1")?;
            }
            TransposeStep::Joins { dim } => runs.last_mut().into_iter().for_each(|run| run.push(*dim)),
            TransposeStep::Begins { dim } => runs.push(vec![*dim]),
            _ => {}
        }
    }
    for run in runs.iter().take(MOST_ENTRIES) {
        let extents: Vec<String> = run.iter().filter_map(|dim| Some(from.get(*dim)?.to_string())).collect();
        let rule = match run.as_slice() {
            [dim] => format!("Dim {dim} stands alone, with its extent:"),
            _ => format!("The dims {} stay neighbours, so they are one:", list(run)),
        };
        steps.add(rule, extents.join("*"))?;
    }
    if steps.0.is_empty() {
        steps.add("There are no dims.", "()")?;
    }
    Ok(())
}

/// `without_layout(X)`: what stays and what goes.
fn without(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let Value::Xla(Shape::Array(own) | Shape::Buffer(own)) = array else { return Ok(()) };
    steps.add(format!("The dims stay, with elements of {}:", own.element.name()), format!("shape({array})"))?;
    let tiles = own.layout.tiles.len();
    let rule = format!(
        "The order of the dims and the tiles, of which there are {tiles}, go. Of the layout nothing stays that would say this order of extents:"
    );
    steps.add(rule, format!("physical_dims({array})"))?;
    Ok(())
}

/// `with_layout(X, layout)`: the new order, and the extents after the new tiles; of vector registers what fills them.
fn with(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array, layout] = values else { return Ok(()) };
    steps.add("The dims stay:", format!("shape({array})"))?;
    if let Value::BareLayout(BareLayout::Vector(layout)) = layout {
        return registers(&array.as_array()?, layout, steps);
    }
    let answer = evaluate(&call("with_layout", values))?.value;
    tiled::tiled_dims(&[answer], steps)
}

/// How the registers of a value are filled, and where it begins.
fn registers(array: &Array, layout: &VectorLayout, steps: &mut Steps) -> Result<(), Error> {
    let Filling { packing, tile_sublanes, tiles } = layout.filling()?;
    let ([rows, columns], bits) = (layout.tile, layout.bits);
    let rule = format!(
        "A register has {SUBLANES} sublanes of {LANES} lanes, and a lane {packing} slots of {bits} bits. A tile of {rows} rows and \
         {columns} columns takes {tile_sublanes} sublanes: {tiles} a register. The registers along each dim, with those that are implicit:"
    );
    let counts = layout.registers(&array.bounds()?)?;
    steps.add(rule, tuple(&counts))?;
    if counts.contains(&0) {
        return Ok(());
    }
    let whole = format!("with_layout({}, {layout})", array.without_layout());
    let map = Map::of_vector(layout, array)?;
    let short = map.without_single_places();
    let names: Vec<String> = short.place_axes().iter().map(|axis| axis.name.to_string()).collect();
    let zeros = |count: usize| tuple(&vec![0; count]);
    match map.direction() {
        Direction::ToPlace => {
            let rule = format!("The first element lies in this {}:", list(&names));
            steps.add(rule, format!("at({whole}, {})", zeros(map.domain().len())))?;
        }
        Direction::ToIndex => {
            let rule = format!("Several places hold an element. The first {} holds:", list(&names));
            steps.add(rule, format!("at({whole}, {})", zeros(names.len())))?;
        }
    }
    Ok(())
}

/// `to_jax(X)`: the order the other way round, the tiles as they are, and that it is read back.
fn jax(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let own = array.as_array()?;
    let minor = own.layout.minor_to_major.clone();
    let major: Vec<i64> = minor.iter().rev().copied().collect();
    let rule = format!(
        "XLA names the dims from the fastest on, {}; JAX from the slowest on, {}:",
        tuple(&minor),
        tuple(&major)
    );
    steps.add(rule, tuple(&major))?;
    let tiles: Vec<String> = own.layout.tiles.iter().map(ToString::to_string).collect();
    let answer = evaluate(&call("to_jax", values))?.value;
    let rule = match tiles.as_slice() {
        [] => "There are no tiles. Read back, it is a layout of the same array:".to_owned(),
        _ => format!("The tiles stay as they are, {}. Read back, it is a layout of the same array:", list(&tiles)),
    };
    steps.add(rule, format!("with_layout({}, {answer})", own.without_layout()))?;
    steps.add("So the layout is:", call("to_jax", values))?;
    Ok(())
}

/// `is_valid(X)`: rule by rule.
fn valid(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    steps.add("No extent is negative:", format!("shape({array})"))?;
    steps.add("The layout names each dim once. In its order the extents are:", format!("physical_dims({array})"))?;
    let own = array.as_array()?;
    if !own.layout.tiles.is_empty() {
        steps.add("Each tile has extents, of 1 or more. After all tiles:", format!("tiled_dims({array})"))?;
    }
    steps.add("The bytes can be counted:", format!("byte_size({array})"))?;
    Ok(())
}
