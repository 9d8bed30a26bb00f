//! Numbers at the ends of 64 bits, layouts without elements or modes, and deep nesting: never a panic, never a wrapped
//! number.

use std::sync::mpsc;
use std::time::Duration;

use crate::common::{Answer, Choices, Op, Operands, apply, lift, run, text};
use bitstride::cute::{Tiler, idx2crd};
use bitstride::{Code, Int, Layout, StaticLayout, Tuple};
use bitstride_lang::{evaluate, operations};

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

/// Modes in numbers of 128 bits.
type Wide = Vec<(i128, i128)>;

fn wide(layout: &StaticLayout) -> Wide {
    layout.extents().iter().zip(layout.strides()).map(|(n, d)| (i128::from(*n), i128::from(*d))).collect()
}

fn fits(n: i128) -> bool {
    i64::try_from(n).is_ok()
}

/// Modes merged where they continue each other, in numbers that cannot overflow; an extent stays within 64 bits.
fn merged(modes: &Wide) -> Wide {
    let mut merged: Wide = Vec::new();
    for (extent, stride) in modes.iter().copied().filter(|(extent, _)| *extent != 1) {
        match merged.last_mut() {
            Some((last, step)) if last.checked_mul(*step) == Some(stride) && fits(*last * extent) => *last *= extent,
            _ => merged.push((extent, stride)),
        }
    }
    if merged.is_empty() { vec![(1, 0)] } else { merged }
}

/// Each mode with the product of the extents before it, which is the index of one step.
fn indexed(modes: &Wide) -> Vec<(i128, i128, i128)> {
    let mut index = 1_i128;
    let mut indexed = Vec::new();
    for (extent, stride) in modes {
        indexed.push((*extent, *stride, index));
        index = index.saturating_mul(*extent);
    }
    indexed
}

/// What an operation must answer, in wide numbers; nothing where this twin does not know.
fn slow(op: Op, a: &StaticLayout) -> Option<Wide> {
    let modes = wide(a);
    match op {
        Op::Coalesce => Some(merged(&modes)),
        Op::Filter => {
            let moving: Wide = modes.iter().copied().filter(|(_, stride)| *stride != 0).collect();
            Some(merged(&moving))
        }
        Op::Nullspace => {
            let still = indexed(&modes).into_iter().filter(|(_, stride, _)| *stride == 0);
            let still: Wide = still.map(|(extent, _, index)| (extent, if extent == 1 { 0 } else { index })).collect();
            Some(if still.is_empty() { vec![(1, 0)] } else { still })
        }
        Op::RightInverse => {
            let mut modes = indexed(&merged(&modes));
            modes.sort_by_key(|(_, stride, _)| *stride);
            let mut reached = 1;
            let mut chain = Vec::new();
            for (extent, stride, index) in modes {
                if stride == reached && fits(reached) {
                    chain.push((extent, index));
                    reached *= extent;
                }
            }
            Some(merged(&chain))
        }
        _ => None,
    }
}

/// Only numbers of the answer itself overflow, no intermediate ones.
#[test]
fn what_fits_is_answered() {
    for op in [Op::Coalesce, Op::Filter, Op::Nullspace, Op::RightInverse] {
        run(4000, |choices| {
            let operands = operands(choices);
            let Some(wanted) = slow(op, &operands.a) else { return Ok(()) };
            let answer = apply(op, &operands);
            let same = match &answer {
                Ok(Answer::Layout(layout)) => wide(layout) == wanted,
                Err(error) => error.code() == Code::Overflow && !wanted.iter().all(|(n, d)| fits(*n) && fits(*d)),
                _ => false,
            };
            if same { Ok(()) } else { Err(format!("{op:?} gives {}, not {wanted:?}\n  {operands}", text(&answer))) }
        });
    }
}

#[test]
fn intermediate_numbers_may_leave_64_bits() {
    for (expression, answer) in [
        ("coalesce((2,2):(4611686018427387904,1))", "(2,2):(4611686018427387904,1)"),
        (
            "coalesce((4611686018427387904,4):(1,4611686018427387904))",
            "(4611686018427387904,4):(1,4611686018427387904)",
        ),
        ("composition((2,2):(4611686018427387904,1), (2,2):(2,1))", "(2,2):(1,4611686018427387904)"),
        ("complement(2:4611686018427387904, 9223372036854775807)", "4611686018427387904:1"),
        ("logical_divide((2,2):(4611686018427387904,1), 2)", "(2,2):(4611686018427387904,1)"),
        ("logical_product((2,2):(1,4611686018427387904), 2)", "((2,2),2):((1,4611686018427387904),2)"),
        ("nullspace((4611686018427387904,4611686018427387904):(1,0))", "4611686018427387904:4611686018427387904"),
        ("left_inverse((2,2):(1,4611686018427387904))", "(4611686018427387904,2):(1,2)"),
        ("column_major((4294967296,4294967296))", "(4294967296,4294967296):(1,4294967296)"),
        ("upcast(4:-9223372036854775808, 4)", "4:-2305843009213693952"),
        ("crd2idx((4,4), (8,8):(4611686018427387904,-4611686018427387904))", "0"),
    ] {
        assert_eq!(evaluate(expression).map(|answer| answer.value.to_string()), Ok(answer.into()), "{expression}");
    }
}

/// Every number to the power of `by`.
fn raised(layout: &StaticLayout, by: u32) -> Option<StaticLayout> {
    let power = |n: &i64| n.checked_pow(by).ok_or_else(|| bitstride::Error::new(Code::Overflow, "too large"));
    StaticLayout::new(layout.shape().try_map(power).ok()?, layout.stride().try_map(power).ok()?).ok()
}

/// Products, order and divisibility of powers of two are those of their powers, so the answer is the power of the answer,
/// or it does not fit.
#[test]
fn powers_of_answers_are_answers_of_powers() {
    let outer =
        ["16:1", "(4,2,2):(1,4,8)", "(4,4):(4,1)", "((2,2),4):((1,8),2)", "(2,4):(4,8)", "(4,2):(1,0)", "(2,2):(16,1)"];
    let inner = ["4:1", "2:2", "(2,2):(1,2)", "(2,2):(2,1)", "(2,2):(2,4)", "(2,1):(4,1)", "(4,2):(4,2)"];
    let ops = [
        Op::Coalesce,
        Op::Filter,
        Op::Composition,
        Op::Complement,
        Op::RightInverse,
        Op::LeftInverse,
        Op::Nullspace,
        Op::LogicalDivide,
        Op::ZippedDivide,
        Op::LogicalProduct,
        Op::BlockedProduct,
        Op::MaxCommonLayout,
    ];
    let mut compared = 0;
    for (a, b) in outer.iter().flat_map(|a| inner.iter().map(move |b| (a, b))) {
        let (a, b): (StaticLayout, StaticLayout) = (a.parse().expect("a layout"), b.parse().expect("a layout"));
        for (op, by) in ops.iter().flat_map(|op| (2..16).map(move |by| (*op, by))) {
            let operands = |by: u32| {
                let (a, b) = (raised(&a, by)?, raised(&b, by)?);
                let shape = Tuple::leaf(16_i64.checked_pow(by)?);
                let (tiler, zero) = (Tiler::Layout(b.clone()), Tuple::leaf(0));
                let (order, at, point) = (zero.clone(), Tuple::leaf(None), zero);
                Some(Operands { a, b, tiler, shape, order, at, point, index: 0, n: 1, m: 1 })
            };
            let (Some(small), Some(large)) = (operands(1), operands(by)) else { continue };
            let size = |layout: &StaticLayout| layout.extents().iter().map(|n| i128::from(*n)).product::<i128>();
            let reach =
                large.b.extents().iter().zip(large.b.strides()).map(|(n, d)| i128::from(*n - 1) * i128::from(*d));
            let cotarget = size(&large.a).saturating_mul(1 + reach.sum::<i128>());
            let needs_size = matches!(op, Op::LogicalProduct | Op::BlockedProduct) && !fits(cotarget);
            match (apply(op, &small), apply(op, &large)) {
                (Ok(Answer::Layout(small)), Ok(Answer::Layout(large))) => {
                    assert_eq!(raised(&small, by), Some(large), "{op:?} of {a}, {b} to the power of {by}");
                    compared += 1;
                }
                (Ok(Answer::Layout(small)), Err(error)) if error.code() == Code::Overflow => {
                    assert!(
                        raised(&small, by).is_none() || needs_size,
                        "{op:?} of {a}, {b} to the power of {by}: {error}"
                    );
                }
                (small, large) => {
                    let code =
                        |answer: Result<Answer<i64, i64>, bitstride::Error>| answer.err().map(|error| error.code());
                    assert_eq!(code(small), code(large), "{op:?} of {a}, {b} to the power of {by}");
                }
            }
        }
    }
    assert!(compared > 3000, "only {compared} answers fit");
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
        let (least, most) = operation.arity();
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
    // Also where a stride of 0 leaves the mode out, and where the extent is known at run time only.
    for layout in ["0:1", "0:0", "(0,2,3):(0,0,11)", "(0?,2):(5,1)", "(0?,2):(0,1)"] {
        let answer = evaluate(&format!("complement({layout}, 8)"));
        assert_eq!(answer.err().map(|error| error.code()), Some(Code::Range), "{layout}");
    }
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
