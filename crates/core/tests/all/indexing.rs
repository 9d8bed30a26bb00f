//! Python's indexing of tensors: what `x[sizes][…]` says of each element, against lists of the elements that are picked.

#![allow(clippy::panic, reason = "that is how a test fails")]

use crate::common::{Choices, run};
use bitstride::Code;
use bitstride_lang::evaluate;

fn text(expression: &str) -> String {
    evaluate(expression).map_or_else(|error| format!("!{}", error.code().as_str()), |answer| answer.value.to_string())
}

/// The numbers below `size` that a slice picks, in its order: every number is looked at.
fn picked(size: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Vec<i64> {
    let from_front = |end: i64| if end < 0 { end + size } else { end };
    let numbers: Vec<i64> = if step > 0 { (0..size).collect() } else { (0..size).rev().collect() };
    let is_behind = |at: i64, end: i64| if step > 0 { at >= end } else { at <= end };
    let kept: Vec<i64> = numbers
        .into_iter()
        .filter(|at| start.is_none_or(|start| is_behind(*at, from_front(start))))
        .filter(|at| stop.is_none_or(|stop| !is_behind(*at, from_front(stop))))
        .collect();
    kept.into_iter().step_by(usize::try_from(step.abs()).expect("a step")).collect()
}

fn end(choices: &mut Choices) -> Option<i64> {
    choices.of(&[None, Some(0), Some(1), Some(2), Some(4), Some(7), Some(9), Some(-1), Some(-2), Some(-5), Some(-9)])
}

#[test]
fn a_slice_picks_what_python_picks() {
    run(2000, |choices| {
        let (rows, columns) = (choices.of(&[1, 3, 5]), choices.of(&[1, 4, 7]));
        let (start, stop, step) = (end(choices), end(choices), choices.of(&[1, 2, 3, -1, -2, -4]));
        let said = |end: Option<i64>| end.map_or_else(String::new, |end| end.to_string());
        let index = format!("{}:{}:{step}", said(start), said(stop));
        let source = format!("np.zeros(({rows},{columns}))[{}, {index}]", choices.of(&[":", "::1", "0:9"]));
        let wanted = picked(columns, start, stop, step);
        if wanted.is_empty() {
            return Ok(());
        }
        let value = evaluate(&source).map_err(|error| format!("{source}: {error}"))?.value;
        let map = value.as_map().map_err(|error| error.to_string())?;
        for row in 0..rows {
            for (at, column) in (0..).zip(&wanted) {
                if map.at(&[row, at]) != Ok(Some(vec![row * columns + column])) {
                    return Err(format!("{source} is {value}: element ({row}, {at}) is not column {column}"));
                }
            }
        }
        let size = i64::try_from(wanted.len()).expect("few");
        if map.size() == Ok(rows * size) { Ok(()) } else { Err(format!("{source} is {value}, of {size} columns")) }
    });
}

#[test]
fn entries_are_integers_slices_none_and_dots() {
    for (expression, answer) in [
        ("torch.empty(4,6)[1]", "tensor((6), (1), 6)"),
        ("torch.empty(4,6)[:, -1]", "tensor((4), (6), 5)"),
        ("torch.empty(2,3,4)[..., ::2]", "tensor((2,3,2), (12,4,2))"),
        ("torch.empty(2,3,4)[…, None]", "tensor((2,3,4,1), (12,4,1,1))"),
        ("torch.empty(2,3,4)[1, ..., 2]", "tensor((3), (4), 14)"),
        ("x[4,6].t()[1:5, ::2]", "tensor((4,2), (1,12), 1)"),
        ("np.zeros((4,6))[::-1]", "tensor((4,6), (-6,1), 18)"),
        ("torch.empty(4,6)[None]", "tensor((1,4,6), (24,6,1))"),
        ("NHWC(2,3,4,5)", "tag(NHWC, (2,3,4,5))"),
        ("nChw16c(1,32,2,2)", "tag(nChw16c, (1,32,2,2))"),
        ("OIhw4i16o4i((16,16,3,3))", "tag(OIhw4i16o4i, (16,16,3,3))"),
    ] {
        assert_eq!(text(expression), answer, "{expression}");
    }
    for (expression, code) in [
        ("torch.empty(4,6)[4]", Code::Range),
        ("torch.empty(4,6)[0, 0, 0]", Code::NoMode),
        ("torch.empty(4,6).contiguous()[::-1]", Code::Syntax("unexpected-token")),
        ("torch.empty(4,6)[::0]", Code::Range),
        ("nChw(2,3)", Code::RankMismatch),
    ] {
        assert_eq!(text(expression), format!("!{}", code.as_str()), "{expression}");
    }
    for broken in
        ["torch.empty(4,6)[", "torch.empty(4,6)[a]", "torch.empty(4,6)[..., ...]", "torch.empty(4,6)[1:2:3:4]"]
    {
        assert!(text(broken).starts_with('!'), "{broken}");
    }
}

/// A tensor as the list of its elements, row by row.
struct Listed {
    sizes: Vec<i64>,
    elements: Vec<i64>,
}

/// All indices of a box, the last dim the fastest.
fn points(sizes: &[i64]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for size in sizes {
        let longer = |point: &Vec<i64>| (0..*size).map(|x| [point.as_slice(), &[x]].concat()).collect::<Vec<_>>();
        points = points.iter().flat_map(longer).collect();
    }
    points
}

impl Listed {
    /// The tensor of these sizes whose elements are looked up here.
    fn gathered(&self, sizes: Vec<i64>, source: impl Fn(&[i64]) -> Vec<i64>) -> Listed {
        let element = |point: Vec<i64>| {
            let number = source(&point).iter().zip(&self.sizes).fold(0, |number, (x, size)| number * size + x);
            self.elements[usize::try_from(number).expect("an element")]
        };
        Listed { elements: points(&sizes).into_iter().map(element).collect(), sizes }
    }

    /// The elements at some places of a dim.
    fn kept(&self, dim: usize, places: &[i64]) -> Listed {
        let mut sizes = self.sizes.clone();
        sizes[dim] = i64::try_from(places.len()).expect("few");
        self.gathered(sizes, |point| {
            let mut source = point.to_vec();
            source[dim] = places[usize::try_from(point[dim]).expect("a place")];
            source
        })
    }
}

/// One method with its text, by what PyTorch says of its elements.
fn view(choices: &mut Choices, tensor: &Listed) -> Option<(String, Listed)> {
    let rank = i64::try_from(tensor.sizes.len()).ok()?;
    let dims: Vec<i64> = (0..rank).collect();
    let dim = choices.of(&dims);
    let at = usize::try_from(dim).ok()?;
    let size = tensor.sizes[at];
    let all: Vec<i64> = (0..size).collect();
    let said = if choices.of(&[true, false]) { dim } else { dim - rank };
    match choices.of(&[0, 1, 2, 3, 4, 5, 6]) {
        0 => {
            let (window, step) = (choices.of(&[1, 2, 3]), choices.of(&[1, 2, 4]));
            let firsts: Vec<i64> =
                all.iter().copied().filter(|first| first % step == 0 && first + window <= size).collect();
            let mut sizes = [tensor.sizes.as_slice(), &[window]].concat();
            sizes[at] = i64::try_from(firsts.len()).ok()?;
            let windows = tensor.gathered(sizes, |point| {
                let (inside, outside) = point.split_last().expect("a last dim");
                let mut source = outside.to_vec();
                source[at] = firsts[usize::try_from(point[at]).expect("a window")] + inside;
                source
            });
            Some((format!(".unfold({said}, {window}, {step})"), windows)).filter(|_| window <= size)
        }
        1 => {
            let (other, offset) = (choices.of(&dims), choices.of(&[-5, -2, -1, 0, 1, 2, 3]));
            let second = usize::try_from(other).ok()?;
            let pairs: Vec<[i64; 2]> = all
                .iter()
                .flat_map(|row| (0..tensor.sizes[second]).map(move |column| [*row, column]))
                .filter(|[row, column]| column - row == offset)
                .collect();
            let mut kept = dims.clone();
            kept.retain(|own| ![dim, other].contains(own));
            let mut sizes: Vec<i64> =
                kept.iter().map(|own| tensor.sizes[usize::try_from(*own).expect("a dim")]).collect();
            sizes.push(i64::try_from(pairs.len()).ok()?);
            let diagonal = tensor.gathered(sizes, |point| {
                let (number, rest) = point.split_last().expect("a last dim");
                let pair = pairs[usize::try_from(*number).expect("a number")];
                let mut rest = rest.iter();
                let of = |own: &i64| {
                    if *own == dim {
                        pair[0]
                    } else if *own == other {
                        pair[1]
                    } else {
                        *rest.next().expect("a dim")
                    }
                };
                dims.iter().map(of).collect()
            });
            Some((format!(".diagonal({offset}, {said}, {other})"), diagonal)).filter(|_| dim != other)
        }
        2 => {
            let chunks = choices.of(&[1, 2, 3, 4, 7]);
            let parts: Vec<&[i64]> = all.chunks(usize::try_from((size + chunks - 1) / chunks).ok()?).collect();
            let which = choices.of(&(0..parts.len()).collect::<Vec<_>>());
            Some((format!(".chunk({chunks}, dim={said})[{which}]"), tensor.kept(at, parts[which])))
        }
        3 => {
            let length = choices.of(&[1, 2, 3, 6]);
            let parts: Vec<&[i64]> = all.chunks(usize::try_from(length).ok()?).collect();
            let which = choices.of(&(0..parts.len()).collect::<Vec<_>>());
            let from_last = i64::try_from(which).ok()? - i64::try_from(parts.len()).ok()?;
            Some((format!(".split({length}, {said})[{from_last}]"), tensor.kept(at, parts[which])))
        }
        4 => {
            let cut = choices.of(&all);
            let (before, after) = all.split_at(usize::try_from(cut).ok()?);
            Some((format!(".split([{cut}, {}], dim={said})[1]", size - cut), tensor.kept(at, after)))
                .filter(|_| before.len() < all.len())
        }
        5 => {
            let number = choices.of(&all);
            let mut sizes = tensor.sizes.clone();
            sizes.remove(at);
            let one = tensor.gathered(sizes, |point| [&point[..at], &[number], &point[at..]].concat());
            Some((format!(".unbind({said})[{number}]"), one)).filter(|_| rank > 1)
        }
        _ => {
            // NumPy's way: take the sources out, and put them in by the order of their targets.
            let (other, targets) = (choices.of(&dims), [choices.of(&dims), choices.of(&dims)]);
            let mut order = dims.clone();
            order.retain(|own| ![dim, other].contains(own));
            let mut moves = [(targets[0], dim), (targets[1], other)];
            moves.sort_unstable();
            for (target, source) in moves {
                order.insert(usize::try_from(target).ok()?.min(order.len()), source);
            }
            let places: Vec<usize> = order.iter().map(|own| usize::try_from(*own).expect("a dim")).collect();
            let moved = || {
                tensor.gathered(places.iter().map(|place| tensor.sizes[*place]).collect(), |point| {
                    let mut source = vec![0; point.len()];
                    places.iter().zip(point).for_each(|(place, x)| source[*place] = *x);
                    source
                })
            };
            let distinct = dim != other && targets[0] != targets[1];
            distinct.then(|| (format!(".movedim(({said}, {other}), ({}, {}))", targets[0], targets[1]), moved()))
        }
    }
}

#[test]
fn views_have_the_elements_that_pytorch_says() {
    run(800, |choices| {
        let sizes = vec![choices.of(&[1, 3, 4]), choices.of(&[1, 2, 5]), choices.of(&[2, 6])];
        let elements = (0..sizes.iter().product()).collect();
        let mut text = format!("torch.empty({}, {}, {})", sizes[0], sizes[1], sizes[2]);
        let mut tensor = Listed { sizes, elements };
        for _ in 0..choices.of(&[1, 2, 3]) {
            let Some((method, next)) = view(choices, &tensor) else { continue };
            if next.elements.is_empty() {
                continue;
            }
            text.push_str(&method);
            tensor = next;
        }
        let value = evaluate(&text).map_err(|error| format!("{text}: {error}"))?.value;
        let map = value.as_map().map_err(|error| error.to_string())?;
        let found: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
        if found != tensor.sizes {
            return Err(format!("{text} is {value}, and its sizes are {:?}", tensor.sizes));
        }
        for (point, element) in points(&tensor.sizes).iter().zip(&tensor.elements) {
            if map.at(point) != Ok(Some(vec![*element])) {
                return Err(format!("{text} is {value}: {point:?} is not element {element}"));
            }
        }
        Ok(())
    });
}

#[test]
fn one_of_several_tensors_is_named_and_bounds_are_those_of_pytorch() {
    for (expression, answer) in [
        ("torch.empty(4,6).chunk(4, dim=1)[-1]", "tensor((4,2), (6,1), 4)"),
        ("torch.chunk(torch.empty(4,6), 2)[1]", "tensor((2,6), (6,1), 12)"),
        ("torch.empty(4,6).split(4, 1)[1].t()", "tensor((2,4), (1,6), 4)"),
        ("torch.split(torch.empty(4,6), [1,3])[1]", "tensor((3,6), (6,1), 6)"),
        ("torch.empty(4,6).unbind(1)[5]", "tensor((4), (6), 5)"),
        ("torch.empty(4,6).unbind()[0][2]", "tensor((), (), 2)"),
        ("torch.empty(6,4).unfold(0, 3, 2)", "tensor((2,4,3), (8,1,4))"),
        ("np.zeros((4,6)).diagonal(axis1=1, axis2=0)", "tensor((4), (7))"),
        ("torch.diagonal(torch.empty(2,3,4), dim1=1, dim2=2)", "tensor((2,3), (12,5))"),
        ("torch.empty(2,3,4).movedim((0, 1), (2, 0))", "tensor((3,4,2), (4,1,12))"),
        ("torch.empty(2,3,4).flatten(end_dim=1)", "tensor((6,4), (4,1))"),
        ("torch.empty(2,1,1,4).squeeze((1,2))", "tensor((2,4), (4,1))"),
        ("torch.empty(4,6).narrow(1, -2, 2)", "tensor((4,2), (6,1), 4)"),
        ("np.split(np.zeros((4,6)), 2)[1]", "tensor((2,6), (6,1), 12)"),
        ("np.zeros((4,6)).size", "24"),
        ("torch.empty(2,3,4,5).to(torch.float16, memory_format=torch.channels_last).stride()", "(60,1,15,3)"),
        ("torch.empty(4,6)[:, ::2].clone().stride()", "(3,1)"),
        ("torch.empty_like(torch.empty(4,6).t())", "tensor((6,4), (1,6))"),
    ] {
        assert_eq!(text(expression), answer, "{expression}");
    }
    for (expression, said) in [
        ("torch.empty(4,6).chunk(2)", "expected `[` and the number of one of the tensors"),
        ("torch.empty(4,6).chunk(2)[2]", "chunk gives 2 tensors"),
        ("torch.empty(4,6).chunk(0)[0]", "1 part or more, not 0"),
        ("torch.empty(4,6).chunk(5, 1)[3]", "chunk gives 3 tensors of a dim of size 6"),
        ("torch.empty(4,6).split([1,2])[0]", "whose sum is 4, not (1,2)"),
        ("torch.empty(4,6).split(0)[0]", "1 element or more, not 0"),
        ("np.split(np.zeros((4,6)), 3)[0]", "a dim of size 4 is not cut into 3 parts"),
        ("torch.empty(4,6)[:, ::2].half()", "have gaps or overlap"),
        ("torch.empty(4,6).repeat(2)", "a count for each of 2 dims"),
        ("np.zeros((4,6)).strides", "counts bytes"),
        ("torch.empty(4,6).unfold(0, 5, 1)", "windows of 0 to 4 elements"),
        ("torch.empty(4,6).unfold(0, 2, 0)", "in steps of 0"),
        ("torch.empty(4,6).diagonal(0, 1, 1)", "the diagonal of dim 1 and itself"),
        ("torch.empty(2,3,4).movedim((0,0),(1,2))", "names a dim twice"),
        ("torch.empty(2,3,4).movedim((0,1),2)", "as many dims on both sides"),
        ("torch.empty(B,6).chunk(2)[0]", "the size B is not known"),
        ("torch.empty(B,1,6).squeeze((0,1))", "the size B is not known"),
    ] {
        let error = evaluate(expression).expect_err(expression);
        assert!(error.message().contains(said), "{expression}: {error}");
    }
}

/// The text of an answer has its value, also where memory was turned round first.
#[test]
fn methods_of_memory_from_offsets_have_texts_of_the_same_value() {
    for text in [
        "linear<{offset=[[0,1],[0,2],[32,0],[64,0],[1,0],[2,0],[4,0],[8,0],[16,0]]}, out=[dim0:128, dim1:4]>.t()",
        "linear<{offset=[[0,1],[0,2],[1,0],[2,0]]}, out=[dim0:4, dim1:4]>.t()",
        "shard(f32[8,6], {mesh[\"a\"=2,\"b\"=4], [{\"b\"}, {\"a\"}]}).t()",
        "!ttg.memdesc<4x8xf16, #ttg.padded_shared<[8:+2] {order=[1,0], shape=[4,8]}>, #ttg.shared_memory>.t()",
        "!ttg.memdesc<8x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory>.permute(1, 0)",
    ] {
        let value = evaluate(text).expect(text).value;
        let again = evaluate(&value.to_string()).expect(text).value;
        assert_eq!(again, value, "{text}");
        let map = value.as_map().expect(text).without_single_places();
        let whole = evaluate(text.rsplit_once('.').map_or(text, |(whole, _)| whole)).expect(text).value;
        let back = whole.as_map().and_then(|map| map.from_elements()).expect(text);
        for (row, column) in [(0, 0), (1, 0), (0, 3), (3, 1), (2, 5)] {
            if let Ok(place) = map.at(&[row, column]) {
                assert_eq!(place, back.at(&[column, row]).expect(text), "{text} at {row}, {column}");
            }
        }
    }
}
