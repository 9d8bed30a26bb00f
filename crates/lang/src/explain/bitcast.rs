//! Whether two arrays of XLA have the same memory, and what a bitcast between them does.
//!
//! Both offsets are looked at as sums of digits, which are the same or differ first in one; where merged dims carry
//! there are no such sums, and a period decides. What is claimed of arrays along the way is asked again of each pair.

use super::steps::Steps;
use super::tiled::numbers;
use super::words::{list, tuple};
use crate::Value;
use bitstride::Error;
use bitstride::xla::{Array, Bitcast, Difference, Digit, Image, MemoryStep, Sameness};

/// `same_memory(A, B)` and `reshape_is_bitcast(A, B)`.
pub(super) fn same(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (a.as_array()?, b.as_array()?);
    let sameness = compared(&a, &b, steps)?;
    verdict(&a, &b, &sameness, steps)?;
    steps.add(conclusion(&sameness), format!("{name}({a}, {b})"))?;
    Ok(())
}

/// `transpose_is_bitcast(A, B, dims)`.
pub(super) fn transposed(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b, dims] = values else { return Ok(()) };
    let (a, b) = (a.as_array()?, b.as_array()?);
    let order = numbers(dims)?;
    let renamed = a.permute_dims(&order)?;
    steps.add(
        "The first with its dims as the transpose numbers them, in its own memory:",
        format!("permute_dims({a}, {dims})"),
    )?;
    compared(&renamed, &b, steps)?;
    let sameness = a.same_transposed(&b, &order)?;
    verdict(&a, &b, &sameness, steps)?;
    steps.add(conclusion(&sameness), format!("transpose_is_bitcast({a}, {b}, {dims})"))?;
    Ok(())
}

/// `deduce_transpose(A, B)`.
pub(super) fn deduced(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (a.as_array()?, b.as_array()?);
    let Some(dims) = a.deduce_transpose(&b)? else { return Ok(()) };
    for (array, which) in [(&a, "first"), (&b, "second")] {
        steps.add(format!("The extents in memory of the {which}:"), format!("physical_dims({array})"))?;
    }
    let dims = tuple(&dims);
    let rule = format!("What lies at the same level is the same dim, so the dims would be {dims}; nothing moves:");
    steps.add(rule, format!("transpose_is_bitcast({a}, {b}, {dims})"))?;
    Ok(())
}

/// `decompose_bitcast(A, B)`.
pub(super) fn decomposed(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, b] = values else { return Ok(()) };
    let (a, b) = (a.as_array()?, b.as_array()?);
    match a.decompose_bitcast(&b)? {
        Bitcast::Reshape => {
            let rule = "Each element keeps its row-major number and its place, so it is a reshape alone:";
            steps.add(rule, format!("reshape_is_bitcast({a}, {b})"))?;
        }
        Bitcast::Transpose(dims) => {
            let dims = tuple(&dims);
            let rule = format!("Each element keeps its place when the dims are permuted by {dims}:");
            steps.add(rule, format!("transpose_is_bitcast({a}, {b}, {dims})"))?;
        }
        Bitcast::Both { first, transposed, reshaped, second } => {
            let (first, second) = (tuple(&first), tuple(&second));
            let rule = format!("The transpose by {first} puts the dims of the first in the order of memory:");
            steps.add(rule, format!("transpose_is_bitcast({a}, {transposed}, {first})"))?;
            let rule = "In that order a reshape gives the extents of the second in its order of memory:";
            steps.add(rule, format!("reshape_is_bitcast({transposed}, {reshaped})"))?;
            let rule = format!("The transpose by {second} puts the dims where the second has them:");
            steps.add(rule, format!("transpose_is_bitcast({reshaped}, {b}, {second})"))?;
        }
    }
    Ok(())
}

/// `align_layouts(A, dims)`.
pub(super) fn aligned(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [a, dims] = values else { return Ok(()) };
    let a = a.as_array()?;
    let dims = match dims {
        Value::Xla(_) => dims.as_array()?.bounds()?.to_vec(),
        dims => numbers(dims)?,
    };
    let answer = a.align(&dims)?;
    let own = tuple(&a.bounds()?);
    steps.add(
        "The dims that the reshape leaves as they are, old and new:",
        format!("unmodified_dims({own}, {})", tuple(&dims)),
    )?;
    digits_of(&a, "The offset in elements is the sum of these digits, and the new dims have to have the same:", steps)?;
    steps.add(
        "This layout of the new dims keeps each row-major number in its place:",
        format!("reshape_is_bitcast({a}, {answer})"),
    )?;
    Ok(())
}

/// `permute_dims(X, dims)` and `move_dim(X, from, to)`.
pub(super) fn permuted(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some((array, rest)) = values.split_first() else { return Ok(()) };
    let array = array.as_array()?;
    let (order, moved) = match (name, rest) {
        ("permute_dims", [dims]) => (numbers(dims)?, array.permute_dims(&numbers(dims)?)?),
        ("move_dim", [from, to]) => {
            let mut orders = Vec::new();
            let moved = array.move_dim_traced(from.as_number()?, to.as_number()?, &mut orders)?;
            (orders.pop().unwrap_or_default(), moved)
        }
        _ => return Ok(()),
    };
    let named: Vec<String> = order.iter().enumerate().map(|(new, old)| format!("{old} is now {new}")).collect();
    steps.add("In memory the extents stay:", format!("physical_dims({array})"))?;
    steps.add(format!("Only the numbers of the dims change: {}.", list(&named)), format!("physical_dims({moved})"))?;
    steps.add("No element moves:", format!("transpose_is_bitcast({array}, {moved}, {})", tuple(&order)))?;
    Ok(())
}

/// `drop_dims(X, dims)` and `drop_unit_dims(X)`.
pub(super) fn dropped(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let Some((array, rest)) = values.split_first() else { return Ok(()) };
    let array = array.as_array()?;
    let shorter = match (name, rest) {
        ("drop_dims", [dims]) => array.drop_dims(&numbers(dims)?)?,
        _ => array.drop_unit_dims()?,
    };
    let (own, left) = (tuple(&array.bounds()?), tuple(&shorter.bounds()?));
    steps.add("The dims of extent 1 that go, and those that come:", format!("unit_dims({own}, {left})"))?;
    let rule = "The tiles lose an extent of 1 where they cover such a dim, unless it is the most major they cover. No element moves:";
    steps.add(rule, format!("reshape_is_bitcast({array}, {shorter})"))?;
    Ok(())
}

/// `element_strides(X)` and `byte_strides(X)`.
pub(super) fn strides(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let array = array.as_array()?;
    digits_of(
        &array,
        "The offset in elements is the sum of these digits; a dim has a stride when it is one digit:",
        steps,
    )?;
    if name == "byte_strides" {
        steps.add("In elements:", format!("element_strides({array})"))?;
        let bytes = array.element_bits() / 8;
        steps.add(format!("An element has {bytes} bytes."), format!("byte_strides({array})"))?;
    }
    Ok(())
}

/// `is_untiled(X)`.
pub(super) fn untiled(values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let [array] = values else { return Ok(()) };
    let array = array.as_array()?;
    let mut plain = array.clone();
    plain.layout.tiles.clear();
    let sameness = compared(&array, &plain, steps)?;
    verdict(&array, &plain, &sameness, steps)?;
    steps.add(conclusion(&sameness), format!("is_untiled({array})"))?;
    Ok(())
}

/// The offsets of both in the terms that decide, as the comparison reports them, and what it finds.
fn compared(a: &Array, b: &Array, steps: &mut Steps) -> Result<Sameness, Error> {
    let mut events = Vec::new();
    let sameness = a.same_memory_traced(b, &mut events);
    for event in &events {
        match event {
            MemoryStep::Alike => {
                let rule = "Both have the same dims in the same order, cut by the same tiles.";
                steps.add(rule, format!("tiled_dims({a})"))?;
            }
            MemoryStep::Digits { axes, digits: [x, y] } => {
                let differ = difference(x, y, sameness.as_ref().ok());
                let carries = x.iter().chain(y).any(|digit| digit.axis >= axes.len());
                if carries {
                    let rule = format!(
                        "Merged dims carry into each other, but both cut the same numbers by the same tiles, so that quotients and remainders are digits of both. Beside these the offsets are sums of digits (run, weight, radix, stride) along runs of {} elements; {differ}.",
                        list(axes)
                    );
                    steps.add(rule, tuple(axes))?;
                } else if [a, b].iter().all(|array| array.bounds().is_ok_and(|bounds| *bounds == **axes)) {
                    let rule = "In the first the offset is the sum over (dim, weight, radix, stride) of ((index / weight) mod radix) * stride.";
                    steps.add(rule, format!("digits({a})"))?;
                    steps.add(format!("In the second likewise; {differ}."), format!("digits({b})"))?;
                } else {
                    let rule = format!(
                        "Runs of dims with as many elements in both have {} elements. Seen as one number each, the offsets are sums of digits (run, weight, radix, stride); {differ}.",
                        list(axes)
                    );
                    steps.add(rule, format!("common_digits({a}, {b})"))?;
                }
            }
            MemoryStep::Repeated { axes, periods } => {
                let rule = format!(
                    "Merged dims carry into each other, so an offset is no sum of digits. But along the parts of {} elements that both have in common, both offsets move by a constant after {}, so what holds within that and one period further holds everywhere.",
                    list(axes),
                    list(periods)
                );
                steps.add(rule, tuple(periods))?;
            }
            _ => {}
        }
    }
    sameness
}

/// Whether two sums of digits are the same, and else the digit that the first differing element shows: along the last
/// axis that differs, the lowest.
fn difference(x: &[Digit], y: &[Digit], sameness: Option<&Sameness>) -> String {
    let text = |digit: Option<&Digit>| match digit {
        Some(digit) => format!("({},{},{},{})", digit.axis, digit.weight, digit.radix, digit.stride),
        None => "no such digit".to_owned(),
    };
    if x == y {
        return "all digits agree, so every element lies at the same offset".to_owned();
    }
    if !matches!(sameness, Some(Sameness::Element(_))) {
        return "they are written differently, but their sums agree below the extents".to_owned();
    }
    let others = |own: &[Digit], other: &[Digit]| -> Vec<Digit> {
        let mut others: Vec<Digit> = own.iter().filter(|digit| !other.contains(digit)).copied().collect();
        others.sort_by_key(|digit| (std::cmp::Reverse(digit.axis), digit.weight));
        others
    };
    let (left, right) = (others(x, y), others(y, x));
    let axis = left.iter().chain(&right).map(|digit| digit.axis).max();
    let shown = |others: &[Digit]| text(others.first().filter(|digit| Some(digit.axis) == axis));
    format!("a digit that differs is {} in the first and {} in the second", shown(&left), shown(&right))
}

/// What the comparison found, looked at in both.
fn verdict(a: &Array, b: &Array, sameness: &Sameness, steps: &mut Steps) -> Result<(), Error> {
    let both = |what: &str, x: String, y: String, steps: &mut Steps| -> Result<(), Error> {
        steps.add(format!("In the first {what}:"), x)?;
        steps.add("In the second:", y).map(|_| ())
    };
    match sameness {
        Sameness::Elements(..) => {
            let size = |array: &Array| Ok::<_, Error>(format!("size({})", tuple(&array.bounds()?)));
            both("the number of elements is", size(a)?, size(b)?, steps)
        }
        Sameness::Bits(..) => {
            both("the number of bytes is", format!("byte_size({a})"), format!("byte_size({b})"), steps)
        }
        Sameness::Same | Sameness::Size(..) => {
            both("the number of places is", format!("padded_size({a})"), format!("padded_size({b})"), steps)
        }
        Sameness::Element(Difference { indices: [i, j], .. }) => {
            let (i, j) = (tuple(i), tuple(j));
            let what = if i == j {
                format!("the element {i} lies at")
            } else {
                format!("the element {i}, in the second {j}, lies at")
            };
            both(&what, format!("linear_index({a}, {i})"), format!("linear_index({b}, {j})"), steps)
        }
    }
}

fn conclusion(sameness: &Sameness) -> String {
    match sameness {
        Sameness::Same => "Every element has its place and there are as many places, so nothing moves.".to_owned(),
        Sameness::Elements(a, b) => format!("{a} elements are not {b}, so it is not the same memory."),
        Sameness::Bits(a, b) => format!("Elements of {a} bits are not elements of {b}, so it is not the same memory."),
        Sameness::Size(a, b) => {
            format!("Every element has its place, but {a} places are not {b}, so it is not the same memory.")
        }
        Sameness::Element(Difference { offsets: [x, y], .. }) => {
            format!("{x} is not {y}, so it is not the same memory.")
        }
    }
}

/// The digits of an array, where its offset is a sum of them.
fn digits_of(array: &Array, rule: &str, steps: &mut Steps) -> Result<(), Error> {
    if Image::of(array)?.digits().is_some() {
        steps.add(rule, format!("digits({array})"))?;
    }
    Ok(())
}
