//! What a value prints reads back as the same value, for every kind that has a notation and in both spellings.

use crate::common::{Choices, run};
use bitstride::cute::{ByteSwizzle, Function, Offset, Swizzle, Tiler};
use bitstride::notation::Ints;
use bitstride::{Int, Integer, Layout, Stride, StrideLeaf, Tuple};
use bitstride_lang::{Entry, Value, evaluate, evaluate_with};

fn int(choices: &mut Choices) -> Int {
    let number = choices.of(&[0, 1, 2, 7, 128, -1, -12, i64::MAX, i64::MIN]);
    match choices.below(8) {
        0..=3 => Int::from(number),
        4 => Int::Dynamic(number),
        5 => Int::Unknown(choices.of(&[1, 8, 16])),
        // What is said of a name is said at every place, and nothing is of those in expressions.
        6 => {
            let (name, div) = choices.of(&[("M", 1), ("N", 1), ("Kb", 8)]);
            Int::named(name, div)
        }
        _ => expression(choices),
    }
}

/// Arithmetic on unknowns, as results have it.
fn expression(choices: &mut Choices) -> Int {
    let name = |choices: &mut Choices| Int::named(choices.of(&["M", "N"]), 1);
    let (a, b) = (name(choices), name(choices));
    let n = Int::from(choices.of(&[2, 128, 3]));
    let made = match choices.below(7) {
        6 => b.mul(&Int::from(-1)).and_then(|minus| a.add(&minus)),
        0 => a.mul(&n),
        1 => a.ceil_div(&n),
        2 => a.add(&b).and_then(|sum| sum.mul(&n)),
        3 => Integer::min(&a, &n),
        4 => a.remainder(&n).and_then(|rest| rest.add(&Int::from(-4))),
        _ => a.quotient(&b).and_then(|quotient| quotient.mul(&b)),
    };
    made.expect("small numbers")
}

fn extent(choices: &mut Choices) -> Int {
    let number = choices.of(&[1, 2, 4, 8, 0, i64::MAX]);
    match choices.below(6) {
        5 => expression(choices),
        4 => Int::Unknown(8),
        3 => Int::Dynamic(number),
        _ => Int::from(number),
    }
}

fn stride(choices: &mut Choices) -> Stride {
    if choices.below(4) < 3 {
        return Stride::Int(int(choices));
    }
    let mut sum = Stride::default();
    for _ in 0..=choices.below(2) {
        let path = (0..=choices.below(2)).map(|_| choices.below(3)).collect();
        let scale = Int::from(choices.of(&[1, 2, -3, 42]));
        // Paths that overlap are refused.
        sum = sum.plus(&Stride::basis(scale, path)).unwrap_or(sum);
    }
    sum
}

fn nested<T: Clone + Default>(choices: &mut Choices, depth: usize, leaf: &dyn Fn(&mut Choices) -> T) -> Tuple<T> {
    if depth == 0 || choices.below(3) == 0 {
        return Tuple::leaf(leaf(choices));
    }
    let entries: Vec<_> = (0..choices.below(4)).map(|_| nested(choices, depth - 1, leaf)).collect();
    Tuple::of(&entries)
}

fn layout(choices: &mut Choices) -> Layout {
    let shape = nested(choices, 2, &extent);
    let plain = choices.once_in(2);
    let stride = shape.map(|_| if plain { Stride::Int(int(choices)) } else { stride(choices) });
    // Beside a bare shape:stride a sum is an offset, so that an extent or stride that is a sum needs brackets around it.
    let sum = |text: String| text.trim_start_matches('-').contains(['+', '-']);
    if shape.is_leaf() && (sum(shape.to_string()) || sum(stride.to_string())) {
        return Layout::of(&[Layout::new(shape, stride).unwrap_or_else(|_| Layout::unit())]);
    }
    Layout::new(shape, stride).unwrap_or_else(|_| Layout::unit())
}

fn swizzle(choices: &mut Choices) -> Swizzle {
    let (bits, base) = (choices.of(&[3, 0, 1, 2]), choices.of(&[4, 0, 3]));
    Swizzle::new(bits, base, choices.of(&[3, -3, 4])).expect("a swizzle")
}

fn function(choices: &mut Choices, depth: usize) -> Function {
    match choices.below(if depth == 0 { 2 } else { 5 }) {
        0 => Function::Swizzle(swizzle(choices)),
        1 => Function::Layout(layout(choices)),
        4 => {
            let bytes = ByteSwizzle::new(Swizzle::new(2, 4, 3).expect("a swizzle"), choices.of(&[16, 8, 1, 24]));
            let bytes = Function::Bytes(bytes.expect("a positive number of bits"));
            Function::compose(bytes, int(choices), function(choices, depth - 1))
        }
        _ => Function::compose(function(choices, 0), int(choices), function(choices, depth - 1)),
    }
}

fn tiler(choices: &mut Choices, depth: usize) -> Tiler {
    match choices.below(if depth == 0 { 3 } else { 4 }) {
        0 => Tiler::Extent(extent(choices)),
        1 => Tiler::Layout(layout(choices)),
        2 => Tiler::Keep,
        _ => Tiler::Modes((0..choices.below(4)).map(|_| tiler(choices, depth - 1)).collect()),
    }
}

fn value(choices: &mut Choices) -> Value {
    match choices.below(7) {
        0 => int(choices).into(),
        1 => Value::Tuple(nested(choices, 3, &|choices| {
            if choices.once_in(4) { Entry::Keep } else { Entry::Number(stride(choices)) }
        })),
        2 => layout(choices).into(),
        3 => Offset { layout: layout(choices), offset: stride(choices) }.into(),
        4 => function(choices, 2).into(),
        _ => Value::Tiler(Tiler::Modes((0..choices.below(4)).map(|_| tiler(choices, 2)).collect())),
    }
}

#[test]
fn values_read_back() {
    run(6000, |choices| {
        let value = value(choices);
        for ints in [Ints::Plain, Ints::Cpp] {
            let printed = value.display(ints);
            match evaluate_with(&printed, ints) {
                Ok(answer) if answer.value == value => {}
                Ok(answer) => {
                    return Err(format!("{printed} reads as {}\n  {value:?}\n  {:?}", answer.value, answer.value));
                }
                Err(error) => return Err(format!("{printed} is not read: {error}\n  {value:?}")),
            }
        }
        Ok(())
    });
}

#[test]
fn another_way_of_writing_is_tried() {
    for (text, wanted) in [
        ("align_layouts(f32[2,12,1,2]{3,2,1,0:T(2,1,5)}, (3,4,2,2))", "f32[3,4,2,2]{3,2,1,0:T(2)(1,*,12,2,1,5)}"),
        ("convert(Sw<2,3,3> o (33,40):(40,1), mixed)", "Sw<2,3,3> o 0 o (33,40):(40,1)"),
    ] {
        assert_eq!(evaluate(text).map(|answer| answer.value.to_string()).as_deref(), Ok(wanted), "{text}");
    }
}
