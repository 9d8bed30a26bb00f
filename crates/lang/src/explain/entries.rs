//! Tuples and layouts taken apart and put together: each entry of the answer, and where it comes from.
//!
//! Editing moves entries and changes none, so one event is enough: entry `i` of the answer is that entry of an operand.

use super::coordinate::product;
use super::steps::Steps;
use super::words::{call, path_text};
use crate::{Entry, Value, evaluate};
use bitstride::cute::Layout;
use bitstride::{Error, Int, Tuple};

/// More entries are not shown one by one.
const MOST_ENTRIES: usize = 12;

/// `select`, `take`, `group`, `append`, `prepend`, `replace`, `insert`, `remove`: what the same edit makes of the numbers of the
/// entries, what is given having the number behind them.
pub(super) fn edited(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some((whole, rest)) = values.split_first() else { return Ok(()) };
    // What is given, behind the position where there is one; a rank may stand behind it.
    let given = match name {
        "append" | "prepend" => Some(1),
        "replace" | "insert" => Some(2),
        _ => None,
    };
    // A shape beside a layout is its compact layout.
    let is_layout = given.and_then(|at| values.get(at)).is_some_and(|given| !matches!(given, Value::Tuple(_)));
    let compact = if is_layout { Some(Value::from(whole.as_function()?)) } else { None };
    let whole = compact.as_ref().unwrap_or(whole);
    let old = entries(whole)?;
    let is_leaf = match whole {
        Value::Tuple(tuple) => tuple.is_leaf(),
        _ => whole.as_function()?.domain()?.root().is_leaf(),
    };
    let numbers: Vec<String> = (0..old.len()).map(|at| at.to_string()).collect();
    let numbers = if is_leaf { numbers.concat() } else { format!("({})", numbers.join(",")) };
    let mut operands: Vec<String> = [numbers].into_iter().chain(rest.iter().map(Value::to_string)).collect();
    if let Some(given) = given.and_then(|at| operands.get_mut(at)) {
        *given = old.len().to_string();
    }
    let Ok(answer) = evaluate(&format!("{name}({})", operands.join(", "))).and_then(|answer| answer.value.as_shape())
    else {
        let rank = old.len();
        let rule = match name {
            "append" | "prepend" => format!("The operand has {rank} entries."),
            _ => format!("There is no entry {rank} or above: the operand has {rank}, counted from 0."),
        };
        steps.add(rule, format!("rank({whole})"))?;
        return Ok(());
    };
    let place_of = |n: &Int| bitstride::cast::index(n.as_number()?);
    let places = |tuple: &Tuple<Int>| tuple.leaves().iter().map(place_of).collect::<Result<Vec<usize>, Error>>();
    if name == "remove" {
        let left = places(&answer)?;
        for (at, entry) in old.iter().enumerate().filter(|(at, _)| !left.contains(at)) {
            steps.add(format!("Entry {at} is left out:"), entry)?;
        }
    }
    let sources = if answer.is_leaf() { vec![answer] } else { answer.entries() };
    for (place, source) in sources.iter().enumerate().take(MOST_ENTRIES) {
        let numbers = places(source)?;
        let (rule, expression) = match numbers.as_slice() {
            [at] if source.is_leaf() => match (old.get(*at), given.and_then(|at| values.get(at))) {
                (Some(entry), _) if *at == place => (format!("Entry {place} stays where it is:"), entry.clone()),
                (Some(entry), _) => {
                    (format!("Entry {place} of the answer is entry {at} of the operand:"), entry.clone())
                }
                (None, Some(given)) => (format!("Entry {place} of the answer is what is given:"), given.to_string()),
                (None, None) => continue,
            },
            _ => {
                let (begin, end) = (numbers.first().copied().unwrap_or(0), numbers.last().map_or(0, |last| last + 1));
                (
                    format!("Entry {place} of the answer is the entries from {begin} up to {end}, as one:"),
                    format!("take({whole}, {begin}, {end})"),
                )
            }
        };
        steps.add(rule, expression)?;
    }
    if sources.is_empty() {
        steps.add("No entry is left.", call(name, values))?;
    }
    Ok(())
}

/// The entries of a tuple, or the modes of a layout, each as text.
fn entries(value: &Value) -> Result<Vec<String>, Error> {
    match value {
        Value::Tuple(tuple) if tuple.is_leaf() => Ok(vec![tuple_text(tuple)]),
        Value::Tuple(tuple) => Ok(tuple.entries().iter().map(tuple_text).collect()),
        _ => Ok(value.as_function()?.domain()?.modes().iter().map(Layout::to_string).collect()),
    }
}

fn tuple_text(tuple: &Tuple<Entry>) -> String {
    Value::Tuple(tuple.clone()).to_string()
}

/// The leaves of a tuple or layout, each with its path.
fn leaves(value: &Value) -> Result<Vec<(Vec<usize>, String)>, Error> {
    let mut all = Vec::new();
    match value {
        Value::Tuple(tuple) => tuple_leaves(tuple, &mut Vec::new(), &mut all),
        _ => layout_leaves(value.as_function()?.domain()?, &mut Vec::new(), &mut all),
    }
    Ok(all)
}

fn tuple_leaves(tuple: &Tuple<Entry>, path: &mut Vec<usize>, all: &mut Vec<(Vec<usize>, String)>) {
    if tuple.is_leaf() {
        all.push((path.clone(), tuple_text(tuple)));
        return;
    }
    for (at, entry) in tuple.entries().iter().enumerate() {
        path.push(at);
        tuple_leaves(entry, path, all);
        path.pop();
    }
}

fn layout_leaves(layout: &Layout, path: &mut Vec<usize>, all: &mut Vec<(Vec<usize>, String)>) {
    if layout.root().is_leaf() {
        all.push((path.clone(), layout.to_string()));
        return;
    }
    for (at, mode) in layout.modes().iter().enumerate() {
        path.push(at);
        layout_leaves(mode, path, all);
        path.pop();
    }
}

/// `flatten` and `unflatten`: each leaf, where it was and where it is.
pub(super) fn nested(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some(whole) = values.first() else { return Ok(()) };
    let answer = evaluate(&call(name, values))?.value;
    let (old, new) = (leaves(whole)?, leaves(&answer)?);
    for ((from, leaf), (to, _)) in old.iter().zip(&new).take(MOST_ENTRIES) {
        let rule = match from == to {
            true => format!("The leaf {leaf} stays at {}:", path_text(to)),
            false => format!("The leaf {leaf} was at {} and comes to {}:", path_text(from), path_text(to)),
        };
        steps.add(rule, leaf)?;
    }
    if old.is_empty() {
        steps.add("There are no leaves.", whole.to_string())?;
    }
    Ok(())
}

/// `rank(X)`: the modes counted.
pub(super) fn rank(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [whole] = values else { return Ok(()) };
    if let Value::Xla(_) = whole {
        let array = whole.as_array()?;
        let rule = format!("The dims are counted: there are {}.", array.dims.len());
        steps.add(rule, format!("shape({whole})"))?;
        return Ok(());
    }
    for (at, entry) in entries(whole)?.iter().enumerate().take(MOST_ENTRIES) {
        let rule = match at {
            0 => "With mode 0 there is 1 mode:".to_owned(),
            _ => format!("With mode {at} there are {} modes:", at + 1),
        };
        steps.add(rule, entry)?;
    }
    if steps.0.is_empty() {
        steps.add("There are no modes.", whole.to_string())?;
    }
    Ok(())
}

/// `depth(X)`: from the deepest leaf outwards, one more with each pair of parentheses.
pub(super) fn depth(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [whole] = values else { return Ok(()) };
    let mut shape = match whole {
        Value::Tuple(tuple) => tuple.clone(),
        other => other.as_function()?.domain()?.shape().map(|n| Entry::Number(n.clone().into())),
    };
    let mut levels = vec![shape.clone()];
    while !shape.is_leaf() {
        let Some(deepest) = shape.entries().into_iter().max_by_key(Tuple::depth) else { break };
        shape = deepest;
        levels.push(shape.clone());
    }
    for (depth, level) in levels.iter().rev().enumerate() {
        let rule = match (depth, level.is_leaf()) {
            (_, true) => format!("The deepest leaf is {}:", tuple_text(level)),
            (_, false) => format!("Around it, {} is one level more:", tuple_text(level)),
        };
        steps.add(rule, format!("depth({})", tuple_text(level)))?;
    }
    Ok(())
}

/// `shape(X)` and `stride(L)`: mode by mode.
pub(super) fn half(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [whole] = values else { return Ok(()) };
    if let Value::Xla(_) = whole {
        for (at, extent) in whole.as_array()?.bounds()?.iter().enumerate().take(MOST_ENTRIES) {
            steps.add(format!("Dim {at} has the extent:"), extent.to_string())?;
        }
        return Ok(());
    }
    let side = if name == "shape" { "Before its colon" } else { "Behind its colon" };
    for (at, mode) in entries(whole)?.iter().enumerate().take(MOST_ENTRIES) {
        let mode = if let Value::Tuple(_) = whole { format!("layout({whole}, {at})") } else { mode.clone() };
        let found = evaluate(&format!("{name}({mode})"))?.value;
        steps.add(format!("{side} mode {at}, {mode}, has {found}."), format!("{name}({mode})"))?;
    }
    if steps.0.is_empty() {
        steps.add("There are no modes.", whole.to_string())?;
    }
    Ok(())
}

/// `make_layout(A, B, …)`: each argument is a mode.
pub(super) fn made(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    if let [Value::Tuple(_)] = values {
        return Ok(());
    }
    if let [Value::Tuple(shape), Value::Tuple(stride)] = values
        && (!shape.is_leaf() || !stride.is_leaf())
    {
        let answer = evaluate(&call("make_layout", values))?.value;
        for (path, leaf) in leaves(&answer)?.iter().take(MOST_ENTRIES) {
            let rule = format!("At {}, the extent and the stride are one mode:", path_text(path));
            steps.add(rule, leaf)?;
        }
        return Ok(());
    }
    for (at, value) in values.iter().enumerate().take(MOST_ENTRIES) {
        match value {
            Value::Tuple(_) => {
                steps.add(format!("Mode {at} is the compact layout of a shape:"), format!("column_major({value})"))?
            }
            _ => steps.add(format!("Mode {at} is argument {at}:"), value.to_string())?,
        };
    }
    Ok(())
}

/// `zip(A, B)`: mode `i` is the pair of modes `i`.
pub(super) fn zipped(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (a.as_layout()?, b.as_layout()?);
    for (at, (left, right)) in a.modes().iter().zip(b.modes()).enumerate().take(MOST_ENTRIES) {
        let rule = format!("Mode {at} pairs mode {at} of the first, {left}, with mode {at} of the second, {right}:");
        steps.add(rule, format!("make_layout({left}, {right})"))?;
    }
    if a.modes().len() != b.modes().len() {
        let rule = format!(
            "The first has {} modes and the second {}: one is left without a partner.",
            a.modes().len(),
            b.modes().len()
        );
        steps.add(rule, format!("rank({b})"))?;
    }
    Ok(())
}

/// `layout(L, path)`: one position after the other.
pub(super) fn mode(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [whole, path] = values else { return Ok(()) };
    let mut rest = whole.to_string();
    for at in path.as_shape()?.leaves() {
        rest = steps.add(format!("Of {rest}, mode {at} is:"), format!("layout({rest}, {at})"))?.to_string();
    }
    Ok(())
}

/// `coordinates(S)`: the first few indices.
pub(super) fn coordinates(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [shape] = values else { return Ok(()) };
    let size = shape_size(shape)?;
    if size == 0 {
        steps.add("An extent is 0, so there are no coordinates.", format!("size({shape})"))?;
    }
    for index in few(size) {
        let rule = format!("Index {index} is taken apart from the left, each mode the remainder by its extent:");
        steps.add(rule, format!("idx2crd({index}, {shape})"))?;
    }
    Ok(())
}

/// `offsets(L)` and `print_layout(L)`: the first few indices with their coordinates.
pub(super) fn offsets(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [layout] = values else { return Ok(()) };
    let domain = layout.as_function()?.domain()?.clone();
    let size = domain.size()?.as_number()?;
    let shape = domain.shape();
    if size == 0 {
        steps.add("An extent is 0, so there are no offsets.", format!("size({shape})"))?;
    }
    for index in few(size) {
        let coordinate = evaluate(&format!("idx2crd({index}, {shape})"))?.value.as_shape()?;
        let (rule, expression) = match layout {
            Value::Function(_) | Value::Offset(_) => (
                format!("Index {index} is the coordinate {coordinate}, which goes through all parts:"),
                format!("crd2idx({coordinate}, {layout})"),
            ),
            _ => (
                format!(
                    "Index {index} is the coordinate {coordinate}. Its inner product with the stride {}:",
                    domain.stride()
                ),
                product(coordinate.leaves(), domain.strides()),
            ),
        };
        steps.add(rule, expression)?;
    }
    Ok(())
}

fn shape_size(shape: &Value) -> Result<i64, Error> {
    super::measure::shape_of(shape)?.size()?.as_number()
}

/// The first indices, and the last.
fn few(size: i64) -> Vec<i64> {
    let mut few: Vec<i64> = (0..size.min(4)).collect();
    if size > 4 {
        few.push(size - 1);
    }
    few
}
