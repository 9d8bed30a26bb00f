//! `same` against enumeration: relations between elements and places, of all pairs of families, equal ones and ones that
//! differ in a single number.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::collections::BTreeSet;

use bitstride::map::{Difference, Verdict};
use bitstride::xla::{Image, Shape};
use bitstride::{Error, Int, Tuple};
use bitstride_lang::{Value, evaluate};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

/// What a text says by its own family's evaluation: which element is at which place.
#[derive(PartialEq, Eq)]
struct Relation {
    dims: Vec<i64>,
    pairs: BTreeSet<(Vec<i64>, i64)>,
}

/// All points of a box, the first axis the fastest.
fn points(extents: &[i64]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for extent in extents.iter().rev() {
        let longer = |x: i64| points.iter().map(move |rest: &Vec<i64>| [&[x], rest.as_slice()].concat());
        let mut all: Vec<Vec<i64>> = (0..*extent).flat_map(longer).collect();
        all.sort_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
        points = all;
    }
    points
}

fn relation(text: &str) -> Option<Relation> {
    let by = |dims: Vec<i64>, place: &dyn Fn(&[i64]) -> i64| {
        let pairs = points(&dims).into_iter().map(|point| (point.clone(), place(&point))).collect();
        Relation { dims, pairs }
    };
    let number = |stride: bitstride::Stride| stride.to_string().parse().expect("is an integer");
    let coordinate = |point: &[i64]| Tuple::flat(&point.iter().map(|x| Int::from(*x)).collect::<Vec<_>>());
    match evaluate(text).ok()?.value {
        Value::Layout(layout) => {
            let dims = layout.modes().iter().map(|mode| mode.size().ok()?.as_number().ok()).collect::<Option<_>>()?;
            Some(by(dims, &|point| number(bitstride::cute::crd2idx(&coordinate(point), &layout).expect("is small"))))
        }
        Value::Function(function) => {
            let modes = function.domain().ok()?.modes();
            let dims = modes.iter().map(|mode| mode.size().ok()?.as_number().ok()).collect::<Option<_>>()?;
            Some(by(dims, &|point| number(function.offset_at(&coordinate(point)).expect("is small"))))
        }
        Value::Xla(Shape::Array(array)) => {
            let image = Image::of(&array).ok()?;
            Some(by(image.dims().to_vec(), &|point| image.offset(point).expect("is small")))
        }
        Value::Linear(layout) => {
            let (offset, _) = layout.in_dim(bitstride::linear::Name::OFFSET)?;
            let mut outs: Vec<_> = layout.outs().to_vec();
            outs.sort_by_key(|dim| dim.name);
            let element = |place: i64| {
                let values = layout.apply(&[(offset.name, place)]).expect("is a place");
                let value = |name| values.iter().find(|(other, _)| *other == name).map_or(0, |(_, value)| *value);
                outs.iter().map(|dim| value(dim.name)).collect::<Vec<i64>>()
            };
            let dims = outs.iter().map(|dim| dim.size()).collect();
            Some(Relation { dims, pairs: (0..offset.size()).map(|place| (element(place), place)).collect() })
        }
        _ => None,
    }
}

/// The layout of CuTe with these offsets, read mode by mode, if there is one.
fn as_cute(relation: &Relation) -> Option<String> {
    let at = |point: &[i64]| relation.pairs.iter().find(|(element, _)| element == point).map(|(_, place)| *place);
    let (mut shapes, mut strides) = (Vec::new(), Vec::new());
    for (axis, extent) in relation.dims.iter().enumerate() {
        let along =
            |x: i64| at(&(0..relation.dims.len()).map(|dim| if dim == axis { x } else { 0 }).collect::<Vec<_>>());
        let (mut shape, mut stride) = (Vec::new(), Vec::new());
        let mut weight = 1;
        while weight < *extent {
            let step = along(weight)?;
            let radix = (1..).find(|n| n * weight >= *extent || along(n * weight) != Some(n * step))?;
            shape.push(radix.to_string());
            stride.push(step.to_string());
            weight *= radix;
        }
        if weight != *extent {
            return None;
        }
        let mode = |list: Vec<String>, one: &str| match list.len() {
            0 => one.to_owned(),
            1 => list[0].clone(),
            _ => format!("({})", list.join(",")),
        };
        shapes.push(mode(shape, "1"));
        strides.push(mode(stride, "0"));
    }
    Some(format!("({}):({})", shapes.join(","), strides.join(",")))
        .filter(|text| self::relation(text).as_ref() == Some(relation))
}

/// The linear layout from offsets to elements, if there is one.
fn as_linear(relation: &Relation) -> Option<String> {
    let size: i64 = relation.dims.iter().product();
    if !relation.dims.iter().all(|dim| dim.count_ones() == 1) || size < 2 {
        return None;
    }
    let at = |place: i64| relation.pairs.iter().find(|(_, other)| *other == place).map(|(element, _)| element.clone());
    let bases = (0..size.trailing_zeros()).map(|bit| at(1 << bit)).collect::<Option<Vec<_>>>()?;
    let outs: Vec<String> = relation.dims.iter().enumerate().map(|(dim, size)| format!("dim{dim}:{size}")).collect();
    let text = format!("linear<{{offset={bases:?}}}, out=[{}]>", outs.join(", "));
    Some(text).filter(|text| self::relation(text).as_ref() == Some(relation))
}

fn extents() -> impl Strategy<Value = Vec<i64>> {
    prop_oneof![vec(select(vec![1, 2, 3, 4, 6, 8]), 2..4), vec(select(vec![2, 4, 8]), 2..3)]
}

fn cute(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let rank = extents.len();
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    (order, select(vec![0, 1, 1, 1, 2])).prop_map(move |(order, scale)| {
        let mut strides = vec![0; rank];
        let mut stride = scale;
        for at in order {
            strides[at] = stride;
            stride *= extents[at];
        }
        let list = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        format!("({}):({})", list(&extents), list(&strides))
    })
}

fn swizzled(extents: Vec<i64>) -> impl Strategy<Value = String> {
    (cute(extents), 1..3_i64, 0..2_i64, select(vec![2, 3, -2]))
        .prop_map(|(layout, bits, base, shift)| format!("Sw<{bits},{base},{shift}> o {layout}"))
}

fn tiled(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let order = Just((0..extents.len()).collect::<Vec<_>>()).prop_shuffle();
    let tiles = select(vec!["", ":T(2,2)", ":T(4,2)(2,1)", ":T(8)", ":T(*,2)", ":T(3,2)", ":T(2,4)(2,1)"]);
    (order, tiles).prop_map(move |(order, tiles)| {
        let list = |numbers: Vec<String>| numbers.join(",");
        let dims = list(extents.iter().map(ToString::to_string).collect());
        format!("f32[{dims}]{{{}{tiles}}}", list(order.iter().map(ToString::to_string).collect()))
    })
}

/// Bases of a linear layout from offsets; mostly a permutation of bits with some shears.
fn linear(extents: Vec<i64>) -> impl Strategy<Value = String> {
    let bits: Vec<(usize, u32)> = extents
        .iter()
        .enumerate()
        .flat_map(|(dim, extent)| (0..extent.trailing_zeros()).map(move |bit| (dim, bit)))
        .collect();
    let shears = vec((0..bits.len().max(1), 0..bits.len().max(1)), 0..3);
    (Just(bits).prop_shuffle(), shears).prop_map(move |(bits, shears)| {
        let mut bases: Vec<Vec<i64>> = bits
            .iter()
            .map(|(dim, bit)| (0..extents.len()).map(|at| if at == *dim { 1 << bit } else { 0 }).collect())
            .collect();
        for (to, from) in shears.into_iter().filter(|(to, from)| to != from && *to.max(from) < bits.len()) {
            let source = bases[from].clone();
            bases[to].iter_mut().zip(source).for_each(|(x, y)| *x ^= y);
        }
        let outs: Vec<String> = extents
            .iter()
            .enumerate()
            .map(|(dim, extent)| format!("dim{dim}:{}", 1i64 << extent.trailing_zeros()))
            .collect();
        format!("linear<{{offset={bases:?}}}, out=[{}]>", outs.join(", "))
    })
}

/// A layout of one of the families, by number.
fn of(family: usize, extents: Vec<i64>) -> BoxedStrategy<String> {
    match family {
        0 => cute(extents).boxed(),
        1 => swizzled(extents).boxed(),
        2 => tiled(extents).boxed(),
        _ => linear(extents).boxed(),
    }
}

/// The text in another family, or with one digit another, by number.
fn partner(text: &str, way: usize, at: usize) -> Option<String> {
    match way {
        0 => as_cute(&relation(text)?),
        1 => as_linear(&relation(text)?),
        _ => {
            let digits: Vec<usize> =
                text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = *digits.get(at % digits.len().max(1))?;
            let other = (text.as_bytes()[at] - b'0' + 1) % 10;
            Some(format!("{}{other}{}", &text[..at], &text[at + 1..]))
        }
    }
}

fn said(a: &str, b: &str) -> Result<Verdict, Error> {
    let (a, b) = (evaluate(a)?.value.as_map()?, evaluate(b)?.value.as_map()?);
    a.same(&b)
}

/// The verdict is that of the sets, and what it shows is so.
fn verdict_is_right(a: &str, b: &str) -> Result<(), TestCaseError> {
    let (Some(one), Some(two)) = (relation(a), relation(b)) else { return Ok(()) };
    let verdict = said(a, b).map_err(|error| TestCaseError::fail(format!("{a} and {b}: {error}")))?;
    prop_assert_eq!(verdict.holds(), one == two, "{} and {}: {}", a, b, verdict);
    let has = |relation: &Relation, element: &[i64], place: i64| relation.pairs.contains(&(element.to_vec(), place));
    match &verdict.difference {
        Some(Difference::Element { to_place_side, element, place, holds, .. }) => {
            let (to, back) = if *to_place_side == 0 { (&one, &two) } else { (&two, &one) };
            prop_assert!(has(to, element, place[0]) && !has(back, element, place[0]), "{} and {}: {}", a, b, verdict);
            prop_assert!(holds.as_ref().is_none_or(|holds| has(back, holds, place[0])), "{} and {}: {}", a, b, verdict);
        }
        Some(Difference::Place { to_place_side, place, element, elsewhere, .. }) => {
            let (to, back) = if *to_place_side == 0 { (&one, &two) } else { (&two, &one) };
            prop_assert!(has(back, element, place[0]) && !has(to, element, place[0]), "{} and {}: {}", a, b, verdict);
            prop_assert!(has(to, element, elsewhere[0]), "{} and {}: {}", a, b, verdict);
        }
        _ => {}
    }
    Ok(())
}

/// Random pairs of each two families: `BITSTRIDE_CASES` of them, or a few.
#[test]
fn same_agrees_with_enumeration() {
    let cases = std::env::var("BITSTRIDE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let mut equal = 0;
    for first in 0..4 {
        for second in first..4 {
            let pair = extents().prop_flat_map(move |extents| {
                (of(first, extents.clone()), of(second, extents), 0..6_usize, 0..40_usize)
            });
            let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
            let equal_here = std::cell::Cell::new(0);
            TestRunner::new(config)
                .run(&pair, |(a, b, way, at)| {
                    // Two of the families at random, one of them in another family, and one with a digit changed.
                    let b = if way < 3 { partner(&a, way, at).unwrap_or(b) } else { b };
                    equal_here.set(equal_here.get() + u32::from(said(&a, &b).is_ok_and(|verdict| verdict.holds())));
                    verdict_is_right(&a, &b)
                })
                .unwrap_or_else(|error| panic!("{error}"));
            equal += equal_here.get();
        }
    }
    assert!(equal > cases, "only {equal} pairs were equal");
}

/// What is converted is the same layout, its text is read as what it says, and nothing that enumeration finds in a
/// notation is refused.
#[test]
fn what_is_converted_is_the_same() {
    let cases = std::env::var("BITSTRIDE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let answered = std::cell::Cell::new(0);
    for family in 0..4 {
        let layout = extents().prop_flat_map(move |extents| of(family, extents));
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
        TestRunner::new(config)
            .run(&layout, |text| {
                let Some(relation) = relation(&text) else { return Ok(()) };
                for notation in ["cute", "linear", "mixed", "xla, f32"] {
                    let asked = format!("convert({text}, {notation})");
                    let Ok(answer) = evaluate(&asked) else {
                        let found = match notation {
                            "cute" => as_cute(&relation),
                            "linear" => as_linear(&relation),
                            _ => None,
                        };
                        prop_assert_eq!(found, None, "{} is refused", asked);
                        continue;
                    };
                    answered.set(answered.get() + 1);
                    let said = answer.value.to_string();
                    let read =
                        evaluate(&said).map_err(|error| TestCaseError::fail(format!("{asked} is {said}: {error}")))?;
                    prop_assert_eq!(read.value, answer.value, "{}", asked);
                    let verdict =
                        self::said(&text, &said).map_err(|error| TestCaseError::fail(format!("{asked}: {error}")))?;
                    prop_assert!(verdict.holds(), "{} is {}: {}", asked, said, verdict);
                }
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(answered.get() > cases, "only {} were converted", answered.get());
}

/// Places that hold nothing are in neither a layout nor its inverse.
#[test]
fn holes_are_in_neither() {
    let layouts =
        ["(64,8):(1,72)", "f32[3,5]{1,0:T(2,2)}", "f32[4,11,10]{2,1,0:T(2,3)}", "bytes((4,2):(1,5), 16)", "4:1"];
    for text in layouts {
        let inverse = format!("inverse({text})");
        for (a, b) in [(text, inverse.as_str()), (&inverse, text)] {
            assert_eq!(said(a, b).map(|verdict| verdict.to_string()).as_deref(), Ok("same"), "{a} and {b}");
        }
    }
    for (a, b) in [("(64,8):(1,72)", "(64,8):(1,73)"), ("(4,2):(1,5)", "(4,2):(1,4)"), ("(4,2):(1,4)", "(4,2):(1,5)")] {
        let verdict = said(a, &format!("inverse({b})"));
        assert!(verdict.as_ref().is_ok_and(|verdict| !verdict.holds()), "{a} and the inverse of {b}: {verdict:?}");
    }
}

/// A composition of two families is their chain, in the most specific notation that holds it.
#[test]
fn families_compose() {
    let said = |text: &str| evaluate(text).map(|answer| answer.value.to_string());
    for (a, b, answer) in [
        ("(8,8):(8,1)", "f32[8,8]{1,0:T(2,2)}", "((2,4),(2,2,2)):((16,2),(8,32,1))"),
        ("Sw<3,3,3> o (8,64):(64,1)", "f32[8,64]{0,1}", "Sw<3,3,3> o 0 o (8,64):(64,1)"),
        ("f32[3,4]{1,0:T(2,2)}", "(3,4):(1,3)", "chain(f32[3,4]{1,0:T(2,2)}, (3,4):(1,3))"),
    ] {
        assert_eq!(said(&format!("composition({a}, {b})")).as_deref(), Ok(answer), "{a} o {b}");
        assert_eq!(said(&format!("same(chain({a}, {b}), {answer})")).as_deref(), Ok("same"), "{a} o {b}");
    }
}

/// Dims align by their names, whatever their order.
#[test]
fn dims_align_by_name() {
    let turned = "linear<{dim1=[[1]], dim0=[[2]]}, out=[offset:4]>";
    assert!(said(turned, "(2,2):(2,1)").is_ok_and(|verdict| verdict.holds()));
    assert!(said("(2,2):(2,1)", turned).is_ok_and(|verdict| verdict.holds()));
    assert!(said(turned, "(2,2):(1,2)").is_ok_and(|verdict| !verdict.holds()));
    // A tile of one thread has registers only.
    let registers = "linear<{register=[[1]], lane=[]}, out=[dim0:2]>";
    assert!(said("tv((1,2):(0,1), (2))", registers).is_ok_and(|verdict| verdict.holds()));
}

/// What lies outside of a domain, a tile or 64 bits is refused or padding, never another place.
#[test]
fn nothing_is_reached_by_leaving_a_box() {
    let said =
        |text: &str| evaluate(text).map(|answer| answer.value.to_string()).map_err(|error| error.code().as_str());
    for (text, answer) in [
        ("tv((4,2):(-1,4), (8,1))", Err("range")),
        ("tv((4,2):(1,4), (7))", Err("range")),
        ("at(chain(f32[0,4]{1,0}, 4:1), 0)", Ok("padding")),
        ("at(chain((0,4):(1,2), 4:1), 0)", Err("not-a-layout")),
        ("at(chain((4,2):(1,8), 4:-1), 2)", Err("not-a-layout")),
        ("at(chain(2:3, 4:-1), 2)", Ok("-6")),
        ("at(chain(2:3, 4:1), 3)", Ok("9")),
        ("holes(Sw<1,4,3> o 4:1)", Ok("0")),
        ("holes(Sw<1,0,1> o 2:3)", Ok("1")),
        ("holes(Sw<3,3,3> o (8,64):(64,1))", Ok("0")),
        ("holes((4,0):(1,1))", Ok("0")),
        ("holes(chain((4,2):(1,8), 4:1))", Ok("0")),
        ("is_bijective(4:-1)", Ok("false")),
        ("is_bijective((4,4):(-1,4))", Ok("false")),
        ("is_bijective((4,4):(4,1))", Ok("true")),
    ] {
        assert_eq!(said(text).as_deref(), answer.as_ref().map(|text| *text), "{text}");
    }
    let nine = |text: &str| [text; 9].join(",");
    let huge = format!("({}):({})", nine("4611686018427387904"), nine("-4611686018427387904"));
    assert_eq!(said(&format!("at({huge}, ({}))", nine("4611686018427387903"))), Err("overflow"));
    assert_eq!(said(&format!("same({huge}, {huge})")).as_deref(), Ok("same"));
}

#[test]
fn a_byte_is_eight_bits() {
    let said = |text: &str| evaluate(text).map(|answer| answer.value.to_string()).map_err(|error| error.code());
    assert_eq!(said("same(bytes((4,8):(8,1), 16), bits((4,8):(8,1), 16))").as_deref(), Ok("same"));
    assert_eq!(said("same(bits((4,8):(128,16), 1), bytes((4,8):(8,1), 16))").as_deref(), Ok("same"));
    assert!(said("same(bytes((4,8):(8,1), 16), bits((4,8):(8,1), 8))").is_ok_and(|said| said != "same"));
    let back = "linear<{offset=[[1],[2]]}, out=[dim0:4]>";
    assert_eq!(said(&format!("same(bytes({back}, 16), bits({back}, 16))")).as_deref(), Ok("same"));
}
