//! Every operation keeps its law: on all small operands, and on random ones beyond.

use std::cell::Cell;

use crate::common::{Op, Operands, Verdict, apply, judge, operands, run};
use bitstride::cute::{Tiler, column_major};
use bitstride::{StaticLayout, Tuple};
use bitstride_oracle::{laws, reference};

/// Judges operations on random operands of at most a given number of elements, and asks that enough of them are answered.
fn random(ops: &[Op], cases: u32, most: i64, answered: u32) {
    for op in ops {
        let held = Cell::new(0);
        run(cases, |choices| {
            let verdict = judge(*op, &operands(choices, most))?;
            held.set(held.get() + u32::from(verdict == Verdict::Held));
            Ok(())
        });
        assert!(held.get() >= answered, "{op:?}: only {} of {cases} were answered", held.get());
    }
}

#[test]
fn random_layouts_merge_and_filter() {
    random(&[Op::Coalesce, Op::Filter, Op::FilterZeros, Op::Nullspace, Op::Cosize], 1000, 4096, 1000);
    random(&[Op::CoalesceBy, Op::FilterBy], 1000, 4096, 500);
}

#[test]
fn random_compositions() {
    random(&[Op::Composition], 6000, 4096, 3000);
    random(&[Op::ComposeTiler], 2000, 1024, 1000);
}

#[test]
fn random_complements_and_inverses() {
    random(&[Op::Complement, Op::ComplementWithin], 1000, 256, 600);
    random(&[Op::RightInverse], 1000, 4096, 1000);
    random(&[Op::LeftInverse], 1000, 4096, 400);
    random(&[Op::MaxCommonLayout, Op::MaxCommonVector], 1000, 1024, 1000);
}

#[test]
fn random_divides() {
    random(&[Op::LogicalDivide], 800, 128, 400);
    random(&[Op::ZippedDivide, Op::TiledDivide, Op::FlatDivide], 400, 128, 200);
    random(&[Op::LocalTile], 600, 256, 200);
    random(&[Op::LocalPartition], 1000, 256, 100);
}

#[test]
fn random_products() {
    random(&[Op::LogicalProduct], 800, 64, 400);
    random(&[Op::ZippedProduct, Op::TiledProduct, Op::FlatProduct], 300, 64, 100);
    random(&[Op::BlockedProduct, Op::RakedProduct], 400, 64, 200);
    random(&[Op::TileToShape, Op::TileToShapeOrdered], 800, 64, 200);
}

#[test]
fn random_units_and_sums() {
    random(&[Op::Upcast, Op::Downcast, Op::Recast], 1000, 1024, 400);
    random(&[Op::LayoutAdd], 1000, 1024, 100);
    random(&[Op::GreatestCommonDomain, Op::DomainDistribute], 1000, 1024, 1000);
}

#[test]
fn random_shapes_and_coordinates() {
    random(&[Op::ColumnMajor, Op::RowMajor, Op::MakeOrderedLayout, Op::MakeLayoutLike], 500, 256, 500);
    random(&[Op::MakeFragmentLike], 500, 256, 500);
    random(&[Op::Slice, Op::Dice, Op::Crd2Idx, Op::Idx2Crd, Op::Crd2Crd, Op::Offset], 1000, 1024, 1000);
}

/// All flat layouts with one or two modes.
fn small(extents: &[i64], strides: &[i64]) -> Vec<StaticLayout> {
    let modes: Vec<(i64, i64)> = extents.iter().flat_map(|n| strides.iter().map(|d| (*n, *d))).collect();
    let flat = |modes: &[(i64, i64)]| {
        let (shape, stride): (Vec<i64>, Vec<i64>) = modes.iter().copied().unzip();
        StaticLayout::new(Tuple::flat(&shape), Tuple::flat(&stride)).expect("extents are positive")
    };
    let ones = modes.iter().map(|mode| flat(&[*mode]));
    let twos = modes.iter().flat_map(|low| modes.iter().map(|high| flat(&[*low, *high])));
    ones.chain(twos).collect()
}

/// The operands that are `a` and `b`, and what goes with them.
fn pair(a: &StaticLayout, b: &StaticLayout) -> Operands<i64, i64> {
    Operands {
        a: a.clone(),
        b: b.clone(),
        tiler: Tiler::Layout(b.clone()),
        shape: Tuple::leaf(24),
        order: Tuple::leaf(0),
        at: Tuple::leaf(None),
        point: Tuple::leaf(0),
        index: 0,
        n: 1,
        m: 1,
    }
}

fn all(ops: &[Op], operands: &Operands<i64, i64>) {
    for op in ops {
        let verdict = judge(*op, operands);
        assert!(matches!(verdict, Ok(Verdict::Held | Verdict::Refused)), "{verdict:?}");
    }
}

#[test]
fn all_small_layouts() {
    let unit: StaticLayout = "1:0".parse().expect("a layout");
    for a in small(&[1, 2, 3, 4], &[0, 1, 2, 3, 4, 5, 6, -1, -2]) {
        let operands = pair(&a, &unit);
        all(&[Op::Coalesce, Op::Filter, Op::FilterZeros, Op::ComplementWithin], &operands);
        all(&[Op::RightInverse, Op::LeftInverse, Op::Nullspace, Op::MakeLayoutLike, Op::Cosize], &operands);
        for target in [Tuple::leaf(1), Tuple::leaf(5), Tuple::leaf(24), Tuple::flat(&[3, 4]), Tuple::flat(&[4, 5, 2])] {
            all(&[Op::Complement], &Operands { shape: target, ..operands.clone() });
        }
        for (n, m) in [(1, 2), (2, 1), (3, 2), (4, 3), (5, 1), (6, 4), (8, 8)] {
            all(&[Op::Upcast, Op::Downcast, Op::Recast], &Operands { n, m, ..operands.clone() });
        }
        for index in -3..20 {
            all(&[Op::Offset], &Operands { index, ..operands.clone() });
            let shape = a.shape();
            all(&[Op::Idx2Crd], &Operands { index, shape, ..operands.clone() });
        }
    }
}

#[test]
fn all_small_inverses_are_as_long_as_any() {
    for a in small(&[1, 2, 3, 4], &[1, 2, 3, 4, 6, 8]) {
        let Ok(crate::common::Answer::Layout(answer)) = apply(Op::RightInverse, &pair(&a, &a)) else {
            unreachable!("{a} has a right inverse");
        };
        let plain = |layout: &StaticLayout| layout.to_string().parse::<reference::Layout>().expect("a small layout");
        let values = plain(&a).int_values().expect("a small layout");
        if values.iter().enumerate().all(|(at, value)| !values[..at].contains(value)) {
            assert_eq!(laws::right_inverse_longest(&plain(&a), &plain(&answer)), Ok(()), "{a}");
        }
    }
}

#[test]
fn all_small_compositions() {
    let outer = small(&[1, 2, 3, 4], &[0, 1, 2, 3, 4, 6]);
    let inner = small(&[2, 3, 4], &[0, 1, 2, 3, 5]);
    for a in &outer {
        for b in &inner {
            all(&[Op::Composition], &pair(a, b));
        }
    }
}

#[test]
fn all_small_divides_products_and_sums() {
    let outer = small(&[1, 2, 3, 4], &[0, 1, 2, 3]);
    let inner = small(&[1, 2, 3], &[0, 1, 2, 4]);
    for a in &outer {
        for b in &inner {
            all(&[Op::LogicalDivide, Op::LogicalProduct, Op::BlockedProduct], &pair(a, b));
            all(&[Op::LayoutAdd, Op::MaxCommonLayout], &pair(a, b));
        }
    }
}

#[test]
fn compositions_of_compact_layouts_need_no_refusal() {
    // Column-major shapes that refine each other compose whatever the factors.
    for (outer, inner) in [((4, 6), (2, 12)), ((8, 8), (16, 4)), ((6, 5), (3, 10))] {
        let compact = |(m, n): (i64, i64)| column_major(&Tuple::flat(&[m, n])).expect("a small shape");
        assert_eq!(judge(Op::Composition, &pair(&compact(outer), &compact(inner))), Ok(Verdict::Held));
    }
}

#[test]
fn refusals_carry_a_true_witness() {
    let refused = Cell::new(0);
    run(1000, |choices| {
        let operands = operands(choices, 1024);
        let Err(error) = apply(Op::Composition, &operands) else { return Ok(()) };
        let plain = |layout: &StaticLayout| layout.to_string().parse::<reference::Layout>();
        let values = plain(&operands.a).and_then(|a| reference::composite(&a, &plain(&operands.b)?));
        let (Some(witness), Ok(values)) = (error.witness(), values) else { return Err(format!("{error:?}")) };
        for (at, gives) in witness.at.iter().zip(&witness.gives) {
            let value = usize::try_from(*at).ok().and_then(|at| values.get(at)).map(ToString::to_string);
            if value.as_ref() != Some(gives) {
                return Err(format!("{error}: A(B({at})) is {value:?}, not {gives}"));
            }
        }
        refused.set(refused.get() + 1);
        Ok(())
    });
    assert!(refused.get() > 100, "only {} were refused", refused.get());
}

#[test]
fn left_inverses_of_strides_that_are_no_chain() {
    for (layout, inverse) in [("(3,2):(4,6)", "(4,4):(1,1)"), ("(2,2):(1,-3)", "(2,2):(1,-3)"), ("(2,3):(4,2)", "9:1")]
    {
        let layout: StaticLayout = layout.parse().expect("a layout");
        assert_eq!(judge(Op::LeftInverse, &pair(&layout, &layout)), Ok(Verdict::Held), "{layout}");
        let answer = bitstride::cute::left_inverse(&layout).map(|answer| answer.to_string());
        assert_eq!(answer, Ok(inverse.into()), "{layout}");
    }
}

/// Strides that no layout of two modes undoes may be undone by one of three or more.
#[test]
fn left_inverses_of_random_digits() {
    let (held, tried) = (Cell::new(0), Cell::new(0));
    run(3000, |choices| {
        let modes: Vec<(i64, i64)> = (0..3 + choices.below(2))
            .map(|_| (choices.of(&[2, 2, 3, 4]), choices.of(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24])))
            .collect();
        let (shape, stride): (Vec<i64>, Vec<i64>) = modes.iter().copied().unzip();
        let layout = StaticLayout::new(Tuple::flat(&shape), Tuple::flat(&stride)).expect("extents are positive");
        let verdict = judge(Op::LeftInverse, &pair(&layout, &layout))?;
        tried.set(tried.get() + 1);
        held.set(held.get() + u32::from(verdict == Verdict::Held));
        Ok(())
    });
    assert!(held.get() * 4 > tried.get(), "only {} of {} are undone", held.get(), tried.get());
}

/// Products whose copies lie beyond what the complement of the block determines: they are given where they do not meet.
#[test]
fn copies_beyond_uneven_gaps() {
    let product = |a: &str, b: &str| {
        let (a, b): (StaticLayout, StaticLayout) = (a.parse().expect(a), b.parse().expect(b));
        assert!(matches!(judge(Op::LogicalProduct, &pair(&a, &b)), Ok(Verdict::Held | Verdict::Refused)));
        bitstride::cute::logical_product(&a, &Tiler::Layout(b))
            .map_or_else(|e| e.message().to_owned(), |r| r.to_string())
    };
    assert_eq!(product("(8,2):(16,3)", "2:6"), "((8,2),2):((16,3),12)");
    assert_eq!(product("4:2", "(2,2):(1,-1)"), "copies of 4:2 that start as (2,2):(1,-1) says, at 1 and -1, meet at 1");
}
