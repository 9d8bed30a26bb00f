//! Inferred encodings keep their laws: what an operation infers holds what the operation moves, forward and backward.

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::common::random_encodings::{encoding, int, memory, order, powers, split};
use crate::common::{Choices, run};
use crate::encodings::threads;
use bitstride::linear::{LinearLayout, Name, Places};
use bitstride::triton::Encoding;

/// The element of a packed number, by its coordinates.
fn coordinates(mut packed: u64, shape: &[i64]) -> Vec<i64> {
    let mut coordinates = Vec::new();
    for size in shape {
        let size = u64::try_from(*size).expect("a size");
        coordinates.push(i64::try_from(packed % size).expect("a coordinate"));
        packed /= size;
    }
    coordinates
}

/// The number of an element, `dim0` in the lowest bits.
fn packed(element: &[i64], shape: &[i64]) -> u64 {
    let number = element.iter().zip(shape).rev().fold(0, |number, (at, size)| number * size + at);
    u64::try_from(number).expect("an element")
}

/// The number of an element row by row.
fn row_number(element: &[i64], shape: &[i64]) -> i64 {
    element.iter().zip(shape).fold(0, |number, (at, size)| number * size + at)
}

/// An operation that renames elements: the shape of its result, what it infers, and where it moves an element.
type Renaming = (Vec<i64>, Result<Encoding, bitstride::Error>, Box<dyn Fn(&[i64]) -> Vec<i64>>);

/// A random such operation.
fn renaming(choices: &mut Choices, encoding: &Encoding, shape: &[i64]) -> Renaming {
    let rank = shape.len();
    match choices.below(5) {
        0 => {
            let order: Vec<usize> =
                order(choices, rank).iter().map(|dim| usize::try_from(*dim).expect("a dim")).collect();
            let to = order.iter().map(|dim| shape[*dim]).collect();
            (to, encoding.infer_trans(shape, &order), Box::new(move |x| order.iter().map(|dim| x[*dim]).collect()))
        }
        1 => {
            let bits: u32 = shape.iter().map(|size| size.trailing_zeros()).sum();
            let rank = 1 + choices.below(4);
            let to = split(choices, rank, usize::try_from(bits).expect("few")).to_vec();
            let inferred = match encoding.is_distributed() {
                true => encoding.infer_reshape(shape, &to),
                false => encoding.infer_memdesc_reshape(shape, &to),
            };
            let (from, last) = (shape.to_vec(), to.clone());
            let moved = move |x: &[i64]| {
                let mut reversed: Vec<i64> = last.clone();
                reversed.reverse();
                let number = u64::try_from(row_number(x, &from)).expect("an element");
                let mut element = coordinates(number, &reversed);
                element.reverse();
                element
            };
            (to, inferred, Box::new(moved))
        }
        2 => {
            let dim = choices.below(rank);
            let mut to = shape.to_vec();
            to.remove(dim);
            let moved = move |x: &[i64]| {
                let mut rest = x.to_vec();
                rest.remove(dim);
                rest
            };
            (to, encoding.infer_reduce(int(dim)), Box::new(moved))
        }
        3 => {
            let dim = choices.below(rank);
            let mut to = shape.to_vec();
            to[dim] /= 2;
            let moved = move |x: &[i64]| {
                let mut bytes = x.to_vec();
                bytes[dim] /= 2;
                bytes
            };
            (to, encoding.infer_fp_to_fp4(shape, int(dim)), Box::new(moved))
        }
        _ => {
            let to = shape[..rank - 1].to_vec();
            (to, encoding.infer_split(shape), Box::new(move |x| x[..rank - 1].to_vec()))
        }
    }
}

/// The law of an inferred encoding: a thread holds in the result what it held before, under its new coordinates; so does each
/// register where there are as many, and each place of memory.
#[test]
fn an_inferred_encoding_holds_what_the_operation_moves() {
    let held = Cell::new(0);
    run(1500, |choices| {
        let is_memory = choices.once_in(4);
        let (encoding, rank) = if is_memory { memory(choices) } else { encoding(choices, 2) };
        let mut shape = powers(choices, rank, 3).to_vec();
        if let (true, Some(last)) = (choices.once_in(3), shape.last_mut()) {
            *last = 2;
        }
        let Ok(before) = encoding.to_linear(&shape) else { return Ok(()) };
        let (to, inferred, moved) = renaming(choices, &encoding, &shape);
        let Ok(inferred) = inferred else { return Ok(()) };
        let after = inferred.to_linear(&to).map_err(|error| format!("{inferred} of {encoding} on {to:?}: {error}"))?;
        held.set(held.get() + 1);
        let wrong = |what: &str| Err(format!("{encoding} on {shape:?} becomes {inferred} on {to:?}: {what}"));
        let (here, there) = (Places::new(&before), Places::new(&after));
        let mut threads_of = vec![BTreeSet::new(); 1 << after.out_bits()];
        for element in 0..1_u64 << before.out_bits() {
            let target = packed(&moved(&coordinates(element, &shape)), &to);
            threads_of[usize::try_from(target).expect("an element")].extend(threads(&before, &here, element));
        }
        if (0..).zip(&threads_of).any(|(element, wanted)| threads(&after, &there, element) != *wanted) {
            return wrong("other threads hold an element");
        }
        // Registers that are copies may come and go.
        if before.ins() == after.ins() {
            let image = |layout: &LinearLayout, place: u64| {
                let columns = layout.columns().iter().enumerate().filter(|(bit, _)| place >> bit & 1 == 1);
                columns.fold(0, |image, (_, column)| image ^ column)
            };
            let bits: u32 = before.ins().iter().map(|dim| dim.bits).sum();
            let same = |place: u64| {
                let element = coordinates(image(&before, place), &shape);
                packed(&moved(&element), &to) == image(&after, place)
            };
            if bits <= 14 && !(0..1 << bits).all(same) {
                return wrong("a place holds another element");
            }
        }
        Ok(())
    });
    assert!(held.get() > 400, "{} were inferred", held.get());
}

/// What follows forward follows backward: a join and a split undo each other, so do a reduce and `expand_dims`, and the operand
/// of a transpose or reshape follows from its result.
#[test]
fn what_is_inferred_forward_is_inferred_backward() {
    run(2000, |choices| {
        let (encoding, rank) = encoding(choices, 2);
        let shape = powers(choices, rank, 4).to_vec();
        let Ok(own) = encoding.to_linear(&shape) else { return Ok(()) };
        let copies =
            |layout: LinearLayout| layout.remove_zero_bases_along_dim(Name::REGISTER).map_err(|e| e.to_string());
        let own = copies(own)?;
        let back = |what: &str, found: Result<Encoding, bitstride::Error>| {
            let layout = found.and_then(|found| found.to_linear(&shape)).map_err(|e| format!("{what}: {e}"))?;
            if copies(layout)? == own {
                Ok(())
            } else {
                Err(format!("{what} of {encoding} on {shape:?} comes back otherwise"))
            }
        };
        let joined: Vec<i64> = shape.iter().copied().chain([2]).collect();
        if let Ok(join) = encoding.infer_join(&shape) {
            back("a join", join.infer_split(&joined))?;
        }
        let dims: Vec<usize> = order(choices, rank).iter().map(|dim| usize::try_from(*dim).expect("a dim")).collect();
        let inverse: Vec<usize> = (0..rank).filter_map(|dim| dims.iter().position(|own| *own == dim)).collect();
        let turned: Vec<i64> = dims.iter().map(|dim| shape[*dim]).collect();
        if let Ok(trans) = encoding.infer_trans(&shape, &dims) {
            back("a transpose", trans.infer_trans(&turned, &inverse))?;
        }
        let dim = int(choices.below(rank));
        let mut doubled = shape.clone();
        doubled[usize::try_from(dim).expect("a dim")] *= 2;
        if let Ok(floats) = encoding.infer_fp4_to_fp(&shape, dim) {
            back("a conversion from fp4", floats.infer_fp_to_fp4(&doubled, dim))?;
        }
        if let Ok(reduced) = encoding.infer_reduce(dim) {
            assert_eq!(reduced.infer_expand_dims(dim), Ok(encoding.clone()));
        }
        Ok(())
    });
}
