//! Numbers at the ends of 64 bits, layouts without elements or modes, and deep nesting: never a panic, never a wrapped
//! number.

mod common;

use std::sync::mpsc;
use std::time::Duration;

use bitstride::calc::{evaluate, operations};
use bitstride::cute::{Tiler, idx2crd};
use bitstride::{Code, Int, Layout, StaticLayout, Tuple};
use common::{Answer, Choices, Op, Operands, apply, lift, run, text};

const EXTREMES: [i64; 17] = [
    0,
    1,
    2,
    3,
    4,
    1 << 31,
    (1 << 31) - 1,
    1 << 32,
    3_037_000_500,
    1 << 61,
    1 << 62,
    (1 << 62) - 1,
    i64::MAX,
    i64::MAX - 1,
    -1,
    i64::MIN,
    i64::MIN + 1,
];

fn extreme(choices: &mut Choices) -> i64 {
    choices.of(&EXTREMES)
}

fn layout(choices: &mut Choices) -> StaticLayout {
    let rank = choices.below(4);
    let extents: Vec<i64> = (0..rank).map(|_| extreme(choices).checked_abs().unwrap_or(i64::MAX)).collect();
    let strides: Vec<i64> = (0..rank).map(|_| extreme(choices)).collect();
    let (shape, stride) = match (extents.as_slice(), strides.as_slice()) {
        ([extent], [stride]) if choices.once_in(2) => (Tuple::leaf(*extent), Tuple::leaf(*stride)),
        ([first, rest @ ..], [d, others @ ..]) if choices.once_in(3) => {
            (Tuple::of(&[Tuple::leaf(*first), Tuple::flat(rest)]), Tuple::of(&[Tuple::leaf(*d), Tuple::flat(others)]))
        }
        (extents, strides) => (Tuple::flat(extents), Tuple::flat(strides)),
    };
    StaticLayout::new(shape, stride).expect("extents are not negative")
}

fn operands(choices: &mut Choices) -> Operands<i64, i64> {
    let a = layout(choices);
    let rank = a.rank();
    let mut numbers = |many: usize| -> Vec<i64> { (0..many).map(|_| extreme(choices)).collect() };
    let (shape, order, at, point) = (numbers(rank), numbers(rank), numbers(rank), numbers(rank));
    let b = layout(choices);
    let tiler = match choices.below(3) {
        0 => Tiler::Layout(layout(choices)),
        1 => Tiler::Extent(extreme(choices)),
        _ => Tiler::Modes((0..rank).map(|_| Tiler::Extent(extreme(choices))).collect()),
    };
    Operands {
        shape: Tuple::flat(&shape),
        order: Tuple::flat(&order),
        at: Tuple::flat(&at.iter().map(|n| (n % 2 == 0).then_some(*n)).collect::<Vec<_>>()),
        point: Tuple::flat(&point),
        index: extreme(choices),
        n: extreme(choices),
        m: extreme(choices),
        a,
        b,
        tiler,
    }
}

/// A at an index, in numbers of 128 bits; `None` where even those end, or where a 0 must be divided by.
fn at(a: &StaticLayout, index: i128) -> Option<i128> {
    let last = a.extents().len().saturating_sub(1);
    let mut rest = index;
    let mut offset = 0_i128;
    for (place, (extent, stride)) in a.extents().iter().zip(a.strides()).enumerate() {
        let extent = i128::from(*extent);
        let digit = if place == last { rest } else { rest.checked_rem(extent)? };
        rest = if place == last { 0 } else { rest.checked_div(extent)? };
        offset = offset.checked_add(digit.checked_mul(i128::from(*stride))?)?;
    }
    Some(offset)
}

fn size(layout: &StaticLayout) -> i128 {
    layout.extents().iter().fold(1_i128, |size, n| size.saturating_mul(i128::from(*n)))
}

/// Indices of a layout, all over it.
fn probes(layout: &StaticLayout) -> Vec<i128> {
    let size = size(layout);
    let all = [0, 1, 2, 3, size / 7, size / 3, size / 2, size - 2, size - 1];
    all.into_iter().filter(|index| (0..size).contains(index)).collect()
}

/// What can be said of an answer at a few places, however large it is.
fn spot_check(op: Op, operands: &Operands<i64, i64>, answer: &Answer<i64, i64>) -> Result<(), String> {
    let Operands { a, b, .. } = operands;
    let extents = match answer {
        Answer::Layout(layout) => layout.extents(),
        Answer::Slice(slice) => slice.layout.extents(),
        _ => &[],
    };
    if extents.iter().any(|n| *n < 0) {
        return Err(format!("{op:?} gives {answer}\n  {operands}"));
    }
    let values: Vec<(i128, Option<i128>, Option<i128>)> = match (op, answer) {
        (Op::Coalesce | Op::CoalesceBy, Answer::Layout(r)) => {
            probes(a).into_iter().map(|index| (index, at(r, index), at(a, index))).collect()
        }
        (Op::Composition, Answer::Layout(r)) => {
            probes(b).into_iter().map(|index| (index, at(r, index), at(b, index).and_then(|x| at(a, x)))).collect()
        }
        (Op::RightInverse | Op::MaxCommonLayout, Answer::Layout(r)) => {
            probes(r).into_iter().map(|index| (index, at(r, index).and_then(|x| at(a, x)), Some(index))).collect()
        }
        (Op::LeftInverse, Answer::Layout(r)) => {
            let back = |value| at(r, value).and_then(|x| at(a, x));
            probes(a).into_iter().map(|index| (index, at(a, index).and_then(back), at(a, index))).collect()
        }
        (Op::LayoutAdd, Answer::Layout(r)) => {
            let sum = |index| at(a, index)?.checked_add(at(b, index)?);
            probes(a).into_iter().map(|index| (index, at(r, index), sum(index))).collect()
        }
        (Op::Offset, Answer::Stride(value)) => {
            let index = i128::from(operands.index);
            vec![(index, Some(i128::from(*value)), at(a, index))]
        }
        (Op::Idx2Crd, Answer::Tuple(coordinate)) => {
            let mut index = 0_i128;
            let mut unit = 1_i128;
            for (digit, extent) in coordinate.leaves().iter().zip(operands.shape.leaves()) {
                index += i128::from(*digit) * unit;
                unit = unit.saturating_mul(i128::from(*extent));
            }
            if operands.shape.leaves().is_empty() {
                return Ok(());
            }
            vec![(0, Some(index), Some(i128::from(operands.index)))]
        }
        _ => Vec::new(),
    };
    for (index, value, wanted) in values {
        if let (Some(value), Some(wanted)) = (value, wanted)
            && value != wanted
        {
            return Err(format!("{op:?} gives {answer}: {value} at {index}, but must be {wanted}\n  {operands}"));
        }
    }
    Ok(())
}

#[test]
fn no_operation_panics_or_wraps() {
    for op in Op::ALL {
        run(1500, |choices| {
            let statics = operands(choices);
            let answer = apply(op, &statics);
            if let Ok(answer) = &answer {
                spot_check(op, &statics, answer)?;
            }
            // The general algebra says the same, and dynamic leaves do not panic either.
            let general = apply(op, &lift(&statics, &mut |_, n| Int::from(n)));
            if text(&answer) != text(&general) {
                return Err(format!("{op:?} gives {}, in general {}\n  {statics}", text(&answer), text(&general)));
            }
            let dynamic = lift(&statics, &mut |_, n| if choices.once_in(3) { Int::Dynamic(n) } else { Int::from(n) });
            let _ = text(&apply(op, &dynamic));
            let unknown = lift(&statics, &mut |_, n| match choices.below(5) {
                4 => Int::named("M", choices.of(&EXTREMES)),
                3 => Int::Unknown(choices.of(&EXTREMES).checked_abs().unwrap_or(1).max(1)),
                _ => Int::from(n),
            });
            let _ = text(&apply(op, &unknown));
            Ok(())
        });
    }
}

#[test]
fn what_does_not_fit_is_an_overflow() {
    for (expression, code) in [
        ("size((4611686018427387904,2):(1,1))", Code::Overflow),
        ("cosize(9223372036854775807:2)", Code::Overflow),
        ("cosize((9223372036854775807,2):(1,9223372036854775807))", Code::Overflow),
        ("composition(2:9223372036854775807, 4:2)", Code::Overflow),
        ("complement(2:4611686018427387904, 9223372036854775807)", Code::Overflow),
        ("column_major((4294967296,4294967296,2))", Code::Overflow),
        ("downcast(4:4611686018427387904, 4)", Code::NotDivisible),
        ("downcast((4,2):(1,4611686018427387904), 4)", Code::Overflow),
        ("crd2idx(9223372036854775807, (4,8):(1,9223372036854775807))", Code::Overflow),
        ("left_inverse(4:-9223372036854775808)", Code::Overflow),
        ("blocked_product((4294967296,2):(1,4294967296), (4294967296,2):(1,4294967296))", Code::Overflow),
        ("div(-9223372036854775808, -1)", Code::Range),
        ("9223372036854775808", Code::Syntax("integer-too-large")),
    ] {
        let error = evaluate(expression).err();
        let given = error.as_ref().map(bitstride::Error::code);
        match code {
            Code::Syntax(_) => {
                assert!(matches!(given, Some(Code::Syntax(_) | Code::Overflow)), "{expression}: {error:?}")
            }
            _ => assert_eq!(given, Some(code), "{expression}: {error:?}"),
        }
    }
}

#[test]
fn what_would_list_too_much_is_refused() {
    for expression in [
        "offsets(9223372036854775807:1)",
        "coordinates((4294967296,2))",
        "print_layout((65536,65536):(1,65536))",
        "print_layout((0,4611686018427387904):(8,1))",
        "print_layout((4611686018427387904,0):(8,1))",
    ] {
        assert_eq!(evaluate(expression).err().map(|error| error.code()), Some(Code::TooLarge), "{expression}");
    }
}

/// Operands whose sizes, strides and offsets are as large or as small as they can be.
const HOSTILE: [&str; 24] = [
    "0",
    "1",
    "2",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775808",
    "(0,4611686018427387904)",
    "(4611686018427387904,0)",
    "(9223372036854775807,9223372036854775807)",
    "(2,3)",
    "(_,1)",
    "4611686018427387904:1",
    "4611686018427387903:3",
    "(0,4611686018427387904):(8,1)",
    "(4611686018427387904,0):(1,8)",
    "(4611686018427387904,4611686018427387904):(1,0)",
    "(2,4611686018427387904):(4611686018427387904,1)",
    "(3,1099511627776,4):(-1,2,-5)",
    "(3,5,7,11,13,1048576):(1,-2,3,-4,5,-6)",
    "(1048576,1048576):(-17,19)",
    "4611686018427387904:1 + 4611686018427387904",
    "Sw<3,4,3> o 1 o (1048576,1048576):(1048583,1)",
    "Sw<1,0,60> o 0 o (4611686018427387904,0):(1,1)",
    "<4611686018427387904, 3>",
];

/// Longer than any answer may take, on a machine that does other work too.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn every_operation_ends_on_hostile_operands() {
    let (asked, questions) = mpsc::channel::<String>();
    let (done, answers) = mpsc::channel();
    std::thread::spawn(move || {
        for question in questions {
            let text = evaluate(&question).map_or_else(|error| error.to_string(), |answer| answer.value.to_string());
            if done.send(text.len()).is_err() {
                break;
            }
        }
    });
    let mut state = 1_usize;
    let mut hostile = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        HOSTILE[(state >> 33) % HOSTILE.len()]
    };
    for operation in operations() {
        let (least, most) = operation.arity;
        for count in least..=most.min(3) {
            for _ in 0..24 {
                let operands: Vec<&str> = (0..count).map(|_| hostile()).collect();
                let question = format!("{}({})", operation.name, operands.join(", "));
                asked.send(question.clone()).expect("the other thread listens");
                let length = answers.recv_timeout(PATIENCE);
                assert!(length.is_ok_and(|length| length < 1 << 26), "{question}: {length:?}");
            }
        }
    }
}

#[test]
fn layouts_without_elements_and_without_modes() {
    for (expression, answer) in [
        ("size(0:1)", "0"),
        ("cosize((4,0):(1,4))", "0"),
        ("coalesce((4,0):(1,4))", "0:1"),
        ("coalesce(():())", "1:0"),
        ("size(():())", "1"),
        ("cosize(():())", "1"),
        ("composition(4:1, 0:1)", "0:1"),
        ("composition(():(), 4:1)", "4:0"),
        ("complement(():(), 8)", "8:1"),
        ("right_inverse(():())", "1:0"),
        ("offsets(0:1)", "()"),
    ] {
        assert_eq!(evaluate(expression).map(|answer| answer.value.to_string()), Ok(answer.into()), "{expression}");
    }
    assert_eq!(evaluate("complement(0:1, 8)").err().map(|error| error.code()), Some(Code::Range));
}

#[test]
fn deep_nesting_is_no_trouble() {
    let mut shape = Tuple::leaf(4_i64);
    let mut stride = Tuple::leaf(2_i64);
    for _ in 0..100 {
        (shape, stride) = (Tuple::of(&[shape]), Tuple::of(&[stride]));
    }
    let deep = StaticLayout::new(shape.clone(), stride).expect("nested alike");
    assert_eq!(deep.depth(), 100);
    assert_eq!(idx2crd(&3, &shape).map(|coordinate| coordinate.depth()), Ok(100));
    let general = deep.to_dynamic();
    for op in Op::ALL {
        let operands = Operands {
            a: general.clone(),
            b: general.clone(),
            tiler: Tiler::of_shape(&general.shape()),
            shape: general.shape(),
            order: general.shape(),
            at: general.shape().map(|_| None),
            point: general.shape().map(|_| Int::from(1)),
            index: Int::from(1),
            n: 2,
            m: 2,
        };
        let answer = text(&apply(op, &operands));
        assert!(!answer.contains("overflow"), "{op:?}: {answer}");
    }
    let read: Result<Layout, _> = deep.to_string().parse();
    assert!(read.as_ref().map_or_else(|error| error.class_is_readable(), |read| *read == general), "{read:?}");
}

trait Readable {
    fn class_is_readable(&self) -> bool;
}

impl Readable for bitstride::Error {
    /// A text may be refused for its depth, by a code that says so.
    fn class_is_readable(&self) -> bool {
        matches!(self.code(), Code::Syntax(_))
    }
}
