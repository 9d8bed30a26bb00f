//! Registers and what they move at once: runs of neighbours, vectors, tiles of instructions, owners.

use super::bases::found;
use super::{Bit, MOST_BASES, applied, bits, call, tuple};
use crate::explain::steps::Steps;
use crate::explain::words::list;
use crate::{Value, evaluate};
use bitstride::linear::{Division, LinearLayout, Name};
use bitstride::{Error, Int, Tuple, cute};

/// More elements of a table are not shown one by one.
const MOST_ELEMENTS: usize = 4;

/// `num_consecutive_in_out(L)`: the leading bases 1, 2, 4 and so on, and the first other basis that touches their bits.
pub(super) fn consecutive(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = layout.as_linear()?;
    let count = layout.num_consecutive_in_out();
    let (Some(first), Some(out)) = (layout.ins().first(), layout.outs().first()) else {
        steps.add("Without dims there is one place and one element.", layout.to_string())?;
        return Ok(());
    };
    let all = bits(&layout);
    let is_unit = |bit: &&Bit| bit.name == first.name && bit.image(&layout) == format!("{} = {}", out.name, bit.value);
    let leading = all.iter().take_while(is_unit).count();
    for bit in all.iter().take(leading) {
        let rule = format!("The bit {bit} goes to {}, the same value: the run doubles.", bit.image(&layout));
        steps.add(rule, applied(&layout, bit.mask()))?;
    }
    if let Some(bit) = all.get(leading).filter(|bit| bit.name == first.name) {
        let rule = format!(
            "The bit {bit} goes to {}, not to {} = {}, so the run ends.",
            bit.image(&layout),
            out.name,
            bit.value
        );
        steps.add(rule, applied(&layout, bit.mask()))?;
    }
    let run = 1i64.checked_shl(u32::try_from(leading).unwrap_or(63)).unwrap_or(i64::MAX);
    let touches = |bit: &&Bit| layout.unpack(bit.column).first().is_some_and(|low| low & count != 0);
    if let Some(bit) = all.iter().skip(leading).find(touches).filter(|_| count < run) {
        let rule = format!(
            "The bit {bit} goes to {}, inside of the run of {run}: only {count} stay together wherever it puts them.",
            bit.image(&layout)
        );
        steps.add(rule, applied(&layout, bit.mask()))?;
    }
    if steps.0.is_empty() {
        steps.add(format!("The dim {} has one value.", first.name), applied(&layout, 0))?;
    }
    steps.add(
        format!("Places of {} in a row that hold elements of {} in a row:", first.name, out.name),
        call("num_consecutive_in_out", values),
    )?;
    Ok(())
}

/// `largest_vectorisation(L, bits)`: how many fit one access, and which register bits count offsets from 1 on.
pub(super) fn vectorised(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, width] = values else { return Ok(()) };
    let (layout, width) = (layout.as_linear()?, width.as_number()?);
    let rule = format!("One access moves at most 128 bits, so at most that many elements of {width} bits:");
    steps.add(rule, format!("div(128, {width})"))?;
    let (count, action) = layout.largest_vectorisation(width, None)?;
    let registers: Vec<Bit> = bits(&layout).into_iter().filter(|bit| bit.name == Name::REGISTER).collect();
    let vector = usize::try_from(count.ilog2()).unwrap_or(0);
    for bit in action.picks().iter().take(vector).filter_map(|at| registers.get(usize::try_from(*at).ok()?)) {
        let rule = format!("The bit {bit} goes to {}, so it is in the vector.", bit.image(&layout));
        steps.add(rule, applied(&layout, bit.mask()))?;
    }
    let longer = count.saturating_mul(2);
    if longer.saturating_mul(width) <= 128 {
        steps.add("That does not go for twice as many:", longer.to_string())?;
        let tile = LinearLayout::identity(longer, Name::REGISTER, Name::OFFSET)?;
        let mut events = Vec::new();
        let action = layout.reg_perm_for_divide_traced(&tile, true, &mut events);
        found(&events, (&layout, &tile), ("", "vector", "which is in it"), steps)?;
        if let Some(action) = action {
            let (moved, mut events) = (action.apply(&layout)?, Vec::new());
            // That it does not divide is known; the events say why.
            let _ = moved.divide_left_traced(&tile, &mut events);
            events.retain(|event| matches!(event, Division::Touches { .. }));
            found(&events, (&moved, &tile), ("", "vector", ""), steps)?;
        }
    }
    let rule = format!("A vector of {count}, and the register bits in an order that has its bits first:");
    steps.add(rule, call("largest_vectorisation", values))?;
    Ok(())
}

/// `reg_perm_for_divide(L, T)` and `get_reps(L, T)`: where the bases of the tile stand in the layout.
pub(super) fn tiled(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout, tile] = values else { return Ok(()) };
    let (layout, tile) = (layout.as_linear()?, tile.as_linear()?);
    let mut events = Vec::new();
    let (is_found, matched) = match name {
        "get_reps" => (layout.get_reps_traced(&tile, &mut events).is_some(), "its basis becomes 0"),
        _ => (layout.reg_perm_for_divide_traced(&tile, true, &mut events).is_some(), "it comes to this place"),
    };
    found(&events, (&layout, &tile), ("", "tile", matched), steps)?;
    if name == "get_reps" && is_found {
        let of_tile =
            |bit: &Bit| events.iter().any(|event| matches!(event, Division::Matched { whole, .. } if *whole == bit.at));
        for bit in bits(&layout).iter().filter(|bit| !of_tile(bit)).take(MOST_BASES) {
            let rule = format!(
                "The bit {bit} is none of the tile, and goes to {}: it says where a copy of the tile is.",
                bit.image(&layout)
            );
            steps.add(rule, applied(&layout, bit.mask()))?;
        }
    }
    if steps.0.is_empty() {
        steps.add("The tile has no register bits.", tile.to_string())?;
    }
    Ok(())
}

/// `action_remove_broadcasted_regs(L)`: the register bits that go to 0 go.
pub(super) fn distinct(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let layout = layout.as_linear()?;
    for bit in bits(&layout).iter().filter(|bit| bit.name == Name::REGISTER).take(MOST_BASES) {
        let place = bit.value.trailing_zeros();
        let rule = match bit.column {
            0 => format!("Bit {place}, {bit}, goes to 0: registers that differ in it repeat, so it is left out."),
            _ => format!("Bit {place}, {bit}, goes to {}, so it stays.", bit.image(&layout)),
        };
        steps.add(rule, applied(&layout, bit.mask()))?;
    }
    if steps.0.is_empty() {
        steps.add("There are no register bits, so none is left out.", layout.to_string())?;
    }
    Ok(())
}

/// `owners(…)` and `squeezed_owners(…)`: the first elements, each with the coordinates of the matrix that it meets.
pub(super) fn owners(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some((tensor, rest)) = values.split_last() else { return Ok(()) };
    let tensor = super::super::tiled::numbers(tensor)?;
    let matrix = match (name, rest) {
        ("owners", [shape, _order]) => super::super::tiled::numbers(shape)?,
        (_, [threads, ..]) => extents(&threads.as_shape()?),
        _ => return Ok(()),
    };
    let whole = call(name, values);
    let table = evaluate(&whole)?.value;
    let Value::Tuple(table) = table else { return Ok(()) };
    if name == "squeezed_owners" {
        steps.add(
            format!("The matrix of threads has the extents {}. Threads that differ only along the dim to squeeze own the same.", tuple(&matrix)),
            tuple(&matrix),
        )?;
    } else {
        let strides = "Along each dim, coordinate i of the tensor meets i mod the extent of the matrix; where the matrix is longer, also each coordinate one tensor further.";
        steps.add(format!("The matrix has the extents {}. {strides}", tuple(&matrix)), tuple(&matrix))?;
    }
    for (at, threads) in table.entries().iter().enumerate().take(MOST_ELEMENTS) {
        let element = coordinate(at, &tensor)?;
        let mut met = Vec::new();
        if name == "owners" {
            for (dim, extent) in matrix.iter().enumerate() {
                let from_last = matrix.len() - 1 - dim;
                let at = element.iter().rev().nth(from_last).copied().unwrap_or(0);
                if *extent > 0 {
                    met.push(format!("{at} mod {extent} is {}", at % extent));
                }
            }
        }
        let met = if met.is_empty() { String::new() } else { format!(": {}", list(&met)) };
        let rule = format!("The element {} is owned by {threads}{met}.", tuple(&element));
        steps.add(rule, format!("select({whole}, {at})"))?;
    }
    steps.add("All elements, row by row:", whole)?;
    Ok(())
}

/// The extents of nested rows.
fn extents(rows: &Tuple<Int>) -> Vec<i64> {
    let mut shape = Vec::new();
    let mut level = rows.clone();
    while !level.is_leaf() {
        let entries = level.entries();
        shape.push(i64::try_from(entries.len()).unwrap_or(i64::MAX));
        let Some(first) = entries.first() else { break };
        level = first.clone();
    }
    shape
}

/// The coordinates of an element by its number, the last dim the fastest.
fn coordinate(at: usize, shape: &[i64]) -> Result<Vec<i64>, Error> {
    let reversed: Vec<Int> = shape.iter().rev().map(|extent| Int::from(*extent)).collect();
    let digits = cute::idx2crd(&Int::from(i64::try_from(at).unwrap_or(i64::MAX)), &Tuple::flat(&reversed))?;
    digits.leaves().iter().rev().map(Int::as_number).collect()
}
