//! One algebra for all leaves: static ones on either path, dynamic ones by their values, unknown ones by every value.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Answer, Choices, Op, Operands, apply, lawful_for, lift, lowered, operands, run, text};
use bitstride::cute::Tiler;
use bitstride::{Code, Int, Integer, Layout, Stride, Tuple};
use bitstride_lang::evaluate;

#[test]
fn static_leaves_are_one_algebra_on_both_paths() {
    for op in Op::ALL {
        run(300, |choices| {
            let statics = operands(choices, 4096);
            let general = lift(&statics, &mut |_, n| Int::from(n));
            let (fast, slow) = (text(&apply(op, &statics)), text(&apply(op, &general)));
            if fast == slow { Ok(()) } else { Err(format!("{op:?} gives {fast}, but in general {slow}\n  {statics}")) }
        });
    }
}

#[test]
fn dynamic_leaves_are_right_for_their_values() {
    for op in Op::ALL {
        let (refused, seen) = (Cell::new(0), Cell::new(0));
        run(300, |choices| {
            let statics = operands(choices, 256);
            let known = apply(op, &statics).is_ok();
            let dynamic = lift(&statics, &mut |_, n| {
                if n != 0 && choices.once_in(4) { Int::Dynamic(n) } else { Int::from(n) }
            });
            let answer = apply(op, &dynamic);
            seen.set(seen.get() + u32::from(known));
            refused.set(refused.get() + u32::from(known && answer.is_err()));
            let Ok(answer) = answer else { return Ok(()) };
            match lawful_for(op, &dynamic, &answer, &Int::as_number) {
                Err(violation) if !violation.is_undecided() => {
                    Err(format!("{op:?} gives {answer}\n  {violation}\n  {dynamic}"))
                }
                _ => Ok(()),
            }
        });
        // A guard against refusing nearly everything; some operations see only some seventy cases.
        assert!(refused.get() * 10 <= seen.get() * 9, "{op:?}: {} of {} were refused", refused.get(), seen.get());
    }
}

#[test]
fn quotients_round_down_as_in_python() {
    for b in [-7, -3, -1, 1, 2, 3, 8] {
        // The greatest number that is not above the quotient.
        let floor =
            |a: i64| (-40..=40).rev().find(|q| if b > 0 { q * b <= a } else { q * b >= a }).expect("small numbers");
        let divisor = Int::from(b);
        for a in -20..=20 {
            for n in [Int::from(a), Int::Dynamic(a)] {
                let wanted = (Some(floor(a)), Some(a - floor(a) * b));
                let got = (
                    n.floor_div(&divisor).expect("small numbers").value(),
                    n.floor_mod(&divisor).expect("small numbers").value(),
                );
                assert_eq!(got, wanted, "{a} by {b}");
            }
            // An unknown of any sign, by every value of it.
            let unknown = Int::named("M", 1).add(&Int::from(a)).expect("small numbers");
            let texts = [unknown.floor_div(&divisor), unknown.floor_mod(&divisor)]
                .map(|n| n.expect("small numbers").to_string());
            for m in 1..=9 {
                let [quotient, rest] = texts.each_ref().map(|text| evaluate(&text.replace('M', &m.to_string())));
                let wanted = [floor(a + m), a + m - floor(a + m) * b];
                assert_eq!(
                    [quotient, rest].map(|n| n.expect("small numbers").value.to_string()),
                    wanted.map(|n| n.to_string()),
                    "{texts:?} of {m}"
                );
            }
        }
    }
    for (a, b, quotient, rest) in
        [(i64::MIN, 2, i64::MIN / 2, 0), (i64::MAX, -2, i64::MIN / 2, -1), (i64::MIN, 1, i64::MIN, 0)]
    {
        assert_eq!((a.floor_div(&b), a.floor_mod(&b)), (Ok(quotient), Ok(rest)));
    }
    assert_eq!(1i64.floor_div(&0).map_err(|why| why.code()), Err(Code::Range));
    assert_eq!(i64::MIN.floor_div(&-1).map_err(|why| why.code()), Err(Code::Range));
}

#[test]
fn a_leaf_of_nothing_is_divided_into_nothing() {
    for (text, value) in [("ceil_div(0, 4)", "0"), ("ceil_div((0,7), 2)", "(0,4)"), ("shape_div((3,0), 3)", "(1,0)")] {
        assert_eq!(evaluate(text).map(|answer| answer.value.to_string()).as_deref(), Ok(value), "{text}");
    }
}

/// Unknowns of one case, each with its divisor.
struct Names {
    divisors: [i64; 3],
}

const NAMES: [&str; 3] = ["M", "N", "K"];

impl Names {
    fn of(choices: &mut Choices) -> Self {
        let mut divisor = || choices.of(&[1, 8, 1, 2, 4, 3, 16]);
        Names { divisors: [divisor(), divisor(), divisor()] }
    }

    /// An unknown, or one time a number it; `M` is the commonest.
    fn pick(&self, choices: &mut Choices) -> Int {
        let at = choices.of(&[0, 0, 1, 2]);
        let name = Int::named(NAMES[at], self.divisors[at]);
        match choices.below(8) {
            7 => name.mul(&Int::from(2)).expect("a small product"),
            6 => name.ceil_div(&Int::from(choices.of(&[2, 4, 128]))).expect("no division by 0"),
            _ => name,
        }
    }

    /// Values that the divisors allow.
    fn values(&self, choices: &mut Choices) -> BTreeMap<String, i64> {
        let pairs = NAMES.iter().zip(self.divisors);
        pairs.map(|(name, div)| ((*name).to_owned(), div * choices.of(&[1, 2, 3, 4, 5, 6, 7]))).collect()
    }
}

fn number(choices: &mut Choices, names: &Names, statics: &[i64], unknown: usize) -> Int {
    if choices.once_in(unknown) { names.pick(choices) } else { Int::from(choices.of(statics)) }
}

/// A layout with unknown extents and strides: compact in some order, but for a leaf here and there.
fn symbolic(choices: &mut Choices, names: &Names, unknown: usize) -> Layout {
    let rank = choices.of(&[1, 2, 3, 2]);
    let extents: Vec<Int> = (0..rank).map(|_| number(choices, names, &[2, 4, 8, 3, 1], unknown)).collect();
    let mut order: Vec<usize> = (0..rank).collect();
    if choices.once_in(3) {
        order.reverse();
    }
    let mut next = Int::from(choices.of(&[1, 1, 1, 2]));
    let mut strides = vec![Int::from(0); rank];
    for at in order {
        strides[at] = match choices.below(8) {
            7 => Int::from(0),
            6 => names.pick(choices),
            5 => Int::from(choices.of(&[1, 2, 3, 4, 8, 16, -1])),
            _ => next.clone(),
        };
        next = next.mul(&extents[at]).expect("a small product");
    }
    let strides: Vec<Stride> = strides.into_iter().map(Stride::Int).collect();
    let (shape, stride) = match rank {
        1 if choices.once_in(2) => (Tuple::leaf(extents[0].clone()), Tuple::leaf(strides[0].clone())),
        3 if choices.once_in(3) => {
            let nest = |low: Tuple<Int>| Tuple::of(&[low, Tuple::leaf(extents[2].clone())]);
            let stride = Tuple::of(&[Tuple::flat(&strides[..2]), Tuple::leaf(strides[2].clone())]);
            (nest(Tuple::flat(&extents[..2])), stride)
        }
        _ => (Tuple::flat(&extents), Tuple::flat(&strides)),
    };
    Layout::new(shape, stride).expect("nested alike")
}

fn symbolic_operands(choices: &mut Choices, names: &Names) -> Operands<Int, Stride> {
    let a = symbolic(choices, names, 2);
    let b = symbolic(choices, names, 5);
    let rank = if choices.once_in(4) { 1 + choices.below(3) } else { a.rank() };
    let extents: Vec<Int> = (0..rank).map(|_| number(choices, names, &[4, 8, 1, 2, 16, 12], 3)).collect();
    let tiles = |choices: &mut Choices| match choices.below(4) {
        3 => Tiler::Layout(symbolic(choices, names, 8)),
        2 => Tiler::Keep,
        _ => Tiler::Extent(number(choices, names, &[4, 8, 2, 1, 16], 8)),
    };
    let tiler = match choices.below(3) {
        2 => Tiler::Layout(symbolic(choices, names, 6)),
        1 => Tiler::Extent(number(choices, names, &[4, 8, 2, 3], 8)),
        _ => Tiler::Modes((0..a.rank()).map(|_| tiles(choices)).collect()),
    };
    let free = choices.below(2);
    let mut point = || number(choices, names, &[0, 1, 2], 4);
    let at: Vec<Option<Int>> = (0..a.rank()).map(|mode| (mode % 2 != free).then(&mut point)).collect();
    Operands {
        tiler,
        shape: if choices.once_in(3) { Tuple::leaf(extents[0].clone()) } else { Tuple::flat(&extents) },
        order: Tuple::flat(&(0..rank).map(|_| Int::from(choices.of(&[0, 1, 2]))).collect::<Vec<_>>()),
        at: Tuple::flat(&at),
        point: Tuple::flat(&(0..a.rank()).map(|_| number(choices, names, &[0, 1, 2], 4)).collect::<Vec<_>>()),
        index: number(choices, names, &[0, 1, 5, 17], 3),
        n: choices.of(&[2, 4, 1, 3, 8]),
        m: choices.of(&[1, 2, 4, 8]),
        a,
        b,
    }
}

/// Whether the laws count these values in a moment.
fn is_small(operands: &Operands<Int, Stride>, answer: &Answer<Int, Stride>, values: &BTreeMap<String, i64>) -> bool {
    let within =
        |layout: &Layout, most: i64| layout.size().and_then(|n| n.instantiate(values)).is_ok_and(|size| size <= most);
    let operands_are =
        within(&operands.a, 1024) && within(&operands.b, 256) && layouts(&operands.tiler).all(|tile| within(tile, 256));
    let Answer::Layout(answer) = answer else { return operands_are };
    operands_are && within(answer, 2048)
}

/// The layouts among the tiles.
fn layouts(tiler: &Tiler) -> Box<dyn Iterator<Item = &Layout> + '_> {
    match tiler {
        Tiler::Layout(layout) => Box::new(std::iter::once(layout)),
        Tiler::Modes(tiles) => Box::new(tiles.iter().flat_map(layouts)),
        Tiler::Keep | Tiler::Extent(_) => Box::new(std::iter::empty()),
    }
}

/// Holds operations on unknowns to their laws, for up to 100 values of each answer that the facts allow.
fn every_value(ops: &[Op], answered_at_least: u32) {
    for op in ops {
        let op = *op;
        let (answered, held) = (Cell::new(0), Cell::new(0_u32));
        run(100, |choices| {
            let names = Names::of(choices);
            let operands = symbolic_operands(choices, &names);
            let Ok(answer) = apply(op, &operands) else { return Ok(()) };
            answered.set(answered.get() + 1);
            let mut seen = BTreeSet::new();
            for _ in 0..100 {
                let values = names.values(choices);
                let statics = lowered(&operands, &|n| n.instantiate(&values)).map_err(|error| error.to_string())?;
                if !seen.insert(statics.to_string()) || !is_small(&operands, &answer, &values) {
                    continue;
                }
                match lawful_for(op, &operands, &answer, &|n| n.instantiate(&values)) {
                    Ok(()) => held.set(held.get() + 1),
                    Err(violation) if violation.is_undecided() => {}
                    Err(violation) => {
                        return Err(format!("{op:?} gives {answer}\n  {violation}\n  {values:?}\n  {operands}"));
                    }
                }
            }
            Ok(())
        });
        assert!(answered.get() >= answered_at_least, "{op:?}: only {} of 100 were answered", answered.get());
        assert!(held.get() >= answered.get(), "{op:?}: only {} values were small enough to count", held.get());
    }
}

#[test]
fn named_unknowns_merge_compare_and_keep_their_facts() {
    for (expression, answer) in [
        ("logical_divide((N,2):(1,N), 4:1)", "(4,ceil_div(2*N,4)):(1,4)"),
        ("coalesce((M,4):(1,M))", "4*M:1"),
        ("coalesce((M,N,4):(1,M,M*N))", "4*M*N:1"),
        ("coalesce((M?,4):(1,M))", "error"),
        ("coalesce((5?,4):(1,5?))", "(5?,4):(1,5?)"),
        ("same((M,N):(1,M),(M,N):(1,M))", "same"),
        ("same((M,N):(1,M), M*N:1)", "same"),
        ("same((M,N):(1,M),(M,N):(N,1))", "error"),
        ("composition((M{div=8},N):(1,M),(8,4):(1,M))", "(8,4):(1,M{div=8})"),
        ("composition((M{div=8},N):(1,K),(8,4):(1,M))", "(8,4):(1,K)"),
        ("right_inverse((M,N):(1,M))", "M*N:1"),
        ("right_inverse((N,M):(M,1))", "(M,N):(N,1)"),
        ("right_inverse(blocked_product((2,3),(M,N)))", "(2,3,M,N):(1,2*M,2,6*M)"),
        ("left_inverse((M,N):(1,M))", "M*N:1"),
    ] {
        let given = evaluate(expression).map_or_else(|_| "error".to_owned(), |answer| answer.value.to_string());
        assert_eq!(given, answer, "{expression}");
    }
    let notes = |text: &str| evaluate(text).map(|answer| answer.notes.join("; "));
    assert_eq!(notes("right_inverse((M,N):(1,K))"), Ok("a part: it reaches M of -1*K+K*N+M places".into()));
    assert_eq!(notes("right_inverse((M,N):(1,M))"), Ok(String::new()));
}

/// A mode of one element may stand anywhere: what refuses a mode of an unknown extent refuses it only where that is not 1.
#[test]
fn a_mode_that_may_have_one_element_is_not_refused_for_its_stride() {
    let code = |text: &str| evaluate(text).map_or_else(|error| error.code().as_str(), |_| "answered");
    for (known, text) in [
        ("range", "complement((4,M):(1,-16), 64)"),
        ("overlap", "complement((4,M):(2,4), 64)"),
        ("overlap", "complement((4,M):(4611686018427387904,4611686018427387904), 64)"),
    ] {
        assert_eq!(code(text), "missing-fact", "{text}");
        assert_eq!(code(&text.replace('M', "2")), known, "{text}");
        assert_eq!(code(&text.replace('M', "1")), "answered", "{text}");
    }
}

/// An answer that is lawful at all these values, found by knowing more of the unknowns: that greater numbers divide them.
fn answer_by_knowing_more(
    op: Op,
    names: &Names,
    operands: &Operands<Int, Stride>,
    choices: &Choices,
    values: &[BTreeMap<String, i64>],
) -> Option<Answer<Int, Stride>> {
    let answered = |values: &BTreeMap<String, i64>| {
        lowered(operands, &|n| n.instantiate(values)).is_ok_and(|statics| apply(op, &statics).is_ok())
    };
    if !values.iter().all(answered) {
        return None;
    }
    [2, 16, 48, 720].into_iter().find_map(|times| {
        let known = symbolic_operands(&mut choices.clone(), &Names { divisors: names.divisors.map(|div| div * times) });
        let answer = apply(op, &known).ok()?;
        let lawful = |values: &BTreeMap<String, i64>| {
            let held = lawful_for(op, operands, &answer, &|n| n.instantiate(values));
            held.is_ok() || held.is_err_and(|violation| violation.is_undecided())
        };
        values.iter().all(lawful).then_some(answer)
    })
}

/// Of the operands that have a symbolic answer, how many are refused for want of facts, in percent.
fn falsely_refused(op: Op, cases: u32) -> u32 {
    let (answered, refused) = (Cell::new(0_u32), Cell::new(0_u32));
    run(cases, |choices| {
        let names = Names::of(choices);
        let before = choices.clone();
        let operands = symbolic_operands(choices, &names);
        match apply(op, &operands) {
            Ok(_) => answered.set(answered.get() + 1),
            Err(error) if error.code() != Code::MissingFact => {}
            Err(_) => {
                let small = |values: &BTreeMap<String, i64>| {
                    operands.a.size().and_then(|n| n.instantiate(values)).is_ok_and(|size| size <= 1024)
                };
                let values: Vec<_> = (0..60).map(|_| names.values(choices)).filter(small).collect();
                let found = answer_by_knowing_more(op, &names, &operands, &before, &values);
                refused.set(refused.get() + u32::from(found.is_some() && values.len() > 5));
            }
        }
        Ok(())
    });
    100 * refused.get() / (answered.get() + refused.get()).max(1)
}

#[test]
fn few_symbolic_operands_are_falsely_refused() {
    for op in [
        Op::LogicalDivide,
        Op::ZippedDivide,
        Op::Composition,
        Op::ComposeTiler,
        Op::Complement,
        Op::LogicalProduct,
        Op::BlockedProduct,
        Op::LeftInverse,
        Op::Upcast,
        Op::TileToShape,
    ] {
        assert!(falsely_refused(op, 500) < 5, "{op:?}");
    }
}

#[test]
fn unknowns_merge_and_invert() {
    every_value(&[Op::Coalesce, Op::CoalesceBy, Op::Filter, Op::FilterBy, Op::FilterZeros, Op::Nullspace], 66);
    every_value(&[Op::RightInverse, Op::MaxCommonLayout, Op::MaxCommonVector, Op::LeftInverse], 20);
}

#[test]
fn unknowns_compose_and_complement() {
    every_value(&[Op::Composition, Op::ComposeTiler, Op::Complement, Op::ComplementWithin], 20);
}

#[test]
fn unknowns_divide() {
    every_value(&[Op::LogicalDivide, Op::ZippedDivide, Op::TiledDivide, Op::FlatDivide, Op::LocalTile], 13);
    every_value(&[Op::LocalPartition], 6);
}

#[test]
fn unknowns_repeat() {
    every_value(&[Op::LogicalProduct, Op::ZippedProduct, Op::TiledProduct, Op::FlatProduct], 13);
    every_value(&[Op::BlockedProduct, Op::RakedProduct], 13);
    every_value(&[Op::TileToShape, Op::TileToShapeOrdered], 2);
}

#[test]
fn unknowns_change_units_and_make_layouts() {
    every_value(&[Op::Upcast, Op::Downcast, Op::Recast, Op::DomainDistribute, Op::GreatestCommonDomain], 13);
    every_value(&[Op::ColumnMajor, Op::RowMajor, Op::MakeOrderedLayout, Op::MakeLayoutLike], 20);
    every_value(&[Op::LayoutAdd], 0);
}

#[test]
fn unknowns_slice_and_evaluate() {
    every_value(&[Op::Slice, Op::Dice, Op::Crd2Idx, Op::Idx2Crd, Op::Crd2Crd, Op::Cosize, Op::Offset], 53);
}
