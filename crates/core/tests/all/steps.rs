//! No decision visits elements: an operation takes as many steps on 2^40 elements as on 16.
//!
//! The operations run on integers that count every question put to them. Raising every number to a power keeps products,
//! order and divisibility, so that the same operation meets the same structure at another size.

use std::cell::Cell;
use std::fmt;

use crate::common::{Op, Operands, apply};
use bitstride::cute::{Tiler, composition, left_inverse, same_function};
use bitstride::{Code, Error, Integer, Layout, Path, StaticLayout, StrideLeaf, Tuple};

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// A number that counts what is asked of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Counted(i64);

fn step() {
    STEPS.set(STEPS.get() + 1);
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<i64> for Counted {
    fn from(n: i64) -> Self {
        Counted(n)
    }
}

impl bitstride::sealed::Sealed for Counted {}

impl Integer for Counted {
    fn fixed(&self) -> Option<i64> {
        step();
        Some(self.0)
    }

    fn value(&self) -> Option<i64> {
        step();
        Some(self.0)
    }

    fn divisor(&self) -> i64 {
        step();
        self.0.divisor()
    }

    fn add(&self, other: &Self) -> Result<Self, Error> {
        step();
        self.0.add(&other.0).map(Counted)
    }

    fn mul(&self, other: &Self) -> Result<Self, Error> {
        step();
        self.0.mul(&other.0).map(Counted)
    }

    fn quotient(&self, other: &Self) -> Result<Self, Error> {
        step();
        self.0.quotient(&other.0).map(Counted)
    }

    fn ceil_div(&self, other: &Self) -> Result<Self, Error> {
        step();
        self.0.ceil_div(&other.0).map(Counted)
    }

    fn min(&self, other: &Self) -> Result<Self, Error> {
        step();
        Integer::min(&self.0, &other.0).map(Counted)
    }

    fn abs(&self) -> Result<Self, Error> {
        step();
        Integer::abs(&self.0).map(Counted)
    }

    fn remainder(&self, other: &Self) -> Result<Self, Error> {
        step();
        self.0.remainder(&other.0).map(Counted)
    }

    fn same(&self, other: &Self) -> bool {
        step();
        self.0 == other.0
    }
}

impl StrideLeaf<Counted> for Counted {
    fn as_integer(&self) -> Option<&Counted> {
        Some(self)
    }

    fn scale(&self, by: &Counted) -> Result<Self, Error> {
        self.mul(by)
    }

    fn plus(&self, other: &Self) -> Result<Self, Error> {
        self.add(other)
    }

    fn components(&self) -> Vec<(Path, Counted)> {
        self.0.components().into_iter().map(|(path, n)| (path, Counted(n))).collect()
    }

    fn from_components(components: &[(Path, Counted)]) -> Result<Self, Error> {
        let plain: Vec<(Path, i64)> = components.iter().map(|(path, n)| (path.clone(), n.0)).collect();
        <i64 as StrideLeaf<i64>>::from_components(&plain).map(Counted)
    }

    fn same(&self, other: &Self) -> bool {
        Integer::same(self, other)
    }
}

/// Every number to the power of `by`.
struct Power {
    by: u32,
}

impl Power {
    fn of(&self, n: i64) -> i64 {
        n.checked_pow(self.by).expect("the numbers are small")
    }

    fn tuple(&self, tuple: &Tuple<i64>) -> Tuple<Counted> {
        tuple.map(|n| Counted(self.of(*n)))
    }

    fn layout(&self, layout: &StaticLayout) -> Layout<Counted, Counted> {
        Layout::new(self.tuple(&layout.shape()), self.tuple(&layout.stride())).expect("nested alike")
    }

    fn tiler(&self, tiler: &Tiler<i64, i64>) -> Tiler<Counted, Counted> {
        match tiler {
            Tiler::Layout(layout) => Tiler::Layout(self.layout(layout)),
            Tiler::Extent(n) => Tiler::Extent(Counted(self.of(*n))),
            Tiler::Keep => Tiler::Keep,
            Tiler::Modes(modes) => Tiler::Modes(modes.iter().map(|mode| self.tiler(mode)).collect()),
        }
    }

    fn operands(&self, a: &StaticLayout, b: &StaticLayout, tiler: &Tiler<i64, i64>) -> Operands<Counted, Counted> {
        let shape = Tuple::flat(&a.modes().iter().map(|mode| mode.extents().iter().product()).collect::<Vec<i64>>());
        Operands {
            a: self.layout(a),
            b: self.layout(b),
            tiler: self.tiler(tiler),
            order: Tuple::flat(&(0..a.rank()).map(|at| Counted(i64::from(at == 0))).collect::<Vec<_>>()),
            at: Tuple::flat(&(0..a.rank()).map(|at| (at == 0).then_some(Counted(1))).collect::<Vec<_>>()),
            point: Tuple::flat(&vec![Counted(1); a.rank()]),
            shape: self.tuple(&shape),
            index: Counted(self.of(2)),
            n: self.of(2),
            m: self.of(4),
        }
    }
}

/// The steps of an operation, and whether it was answered.
fn steps(op: Op, operands: &Operands<Counted, Counted>) -> (u64, Result<(), Code>) {
    STEPS.set(0);
    let answer = apply(op, operands);
    let steps = STEPS.get();
    (steps, answer.map(|_| ()).map_err(|error| error.code()))
}

fn layout(text: &str) -> StaticLayout {
    text.parse().expect("a layout")
}

#[test]
fn steps_do_not_grow_with_extents() {
    let outer = [
        "16:1",
        "(4,2,2):(1,4,8)",
        "(4,4):(4,1)",
        "((2,2),4):((1,8),2)",
        "(2,4):(4,8)",
        "(4,2):(1,0)",
        "(2,1,4):(2,2,4)",
    ];
    let inner = ["4:1", "2:2", "(2,2):(1,2)", "(2,2):(2,1)", "(2,2):(2,4)", "(2,1):(4,1)"];
    let mut compared = 0;
    for a in outer.map(layout) {
        for b in inner.map(layout) {
            for tiler in [Tiler::Layout(b.clone()), Tiler::Extent(2), Tiler::Modes(vec![Tiler::Extent(2); a.rank()])] {
                for op in Op::ALL {
                    // Raised to the power of 10, extents of 16 are 2^40.
                    let (few, small) = steps(op, &Power { by: 1 }.operands(&a, &b, &tiler));
                    let (many, large) = steps(op, &Power { by: 10 }.operands(&a, &b, &tiler));
                    if large != Err(Code::Overflow) {
                        assert_eq!((many, large), (few, small), "{op:?} of {a}, {b}, {tiler}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 5000, "only {compared} pairs fit in 64 bits");
}

#[test]
fn equality_takes_as_many_steps_at_any_size() {
    let steps = |by: u32| {
        let power = Power { by };
        let (a, b) = (power.layout(&layout("(16,4):(1,16)")), power.layout(&layout("((2,8),(4,1)):((1,2),(16,64))")));
        STEPS.set(0);
        assert_eq!(same_function(&a, &b), Ok(true));
        STEPS.get()
    };
    assert_eq!(steps(1), steps(10));
}

/// A at an index, in numbers that cannot overflow here.
fn at(a: &StaticLayout, index: i128) -> i128 {
    let last = a.extents().len().saturating_sub(1);
    let mut rest = index;
    let mut offset = 0;
    for (place, (extent, stride)) in a.extents().iter().zip(a.strides()).enumerate() {
        let extent = i128::from(*extent);
        let digit = if place == last { rest } else { rest % extent };
        rest /= extent;
        offset += digit * i128::from(*stride);
    }
    offset
}

/// Where an answer is given it is right at its ends and in between; else the reason is one of the three.
#[track_caller]
fn decided(a: &str, b: &str) -> Option<Code> {
    let (a, b) = (layout(a), layout(b));
    match composition(&a, &b) {
        Ok(answer) => {
            let size: i128 = b.extents().iter().map(|n| i128::from(*n)).product();
            for index in [0, 1, 2, 3, 5, 7, size / 3, size / 2, size - 2, size - 1] {
                let index = index.clamp(0, size - 1);
                assert_eq!(at(&answer, index), at(&a, at(&b, index)), "{answer} at {index}");
            }
            None
        }
        Err(error) => {
            let code = error.code();
            assert!(matches!(code, Code::Split | Code::Carry | Code::Undecided | Code::Overflow), "{error}");
            Some(code)
        }
    }
}

#[test]
fn the_exact_solver_ends_on_huge_extents() {
    assert_eq!(decided("(4,6,8):(2,3,5)", "6:3"), Some(Code::Split));
    assert_eq!(decided("(3,1099511627776,4):(1,4,5)", "1099511627776:2"), Some(Code::Split));
    assert_eq!(decided("(1099511627776,2):(1,7)", "(1099511627776,2):(1,1)"), Some(Code::Carry));
    assert_eq!(decided("(6,1099511627776):(1,7)", "(3,1099511627776):(2,6)"), None);
    // Strides that cancel: every carry adds what another takes away.
    for (a, b) in [
        ("(3,1099511627776,4):(1,0,5)", "(1099511627776,2):(2,1)"),
        ("(3,1099511627776,4):(-1,2,-5)", "(1099511627776,3,2):(5,7,1)"),
        ("(3,1099511627776,4):(1,-3,5)", "(1099511627776,3):(3,1)"),
        ("(1048576,1048576,1048576):(1,-1,1)", "(1048575,1048577):(3,5)"),
        ("(3,5,7,11,13,1048576):(1,-2,3,-4,5,-6)", "(1048576,1048576):(-17,19)"),
        ("(2,3,2,3,2,3):(5,-7,11,-13,17,-19)", "(1099511627776,4):(7,-5)"),
    ] {
        decided(a, b);
    }
}

#[test]
fn left_inverses_of_huge_overlaps_are_decided() {
    let overlapping = layout("(1099511627776,4096):(1,1024)");
    assert_eq!(left_inverse(&overlapping).map(|answer| answer.to_string()), Ok("(1024,4096):(1,1099511627776)".into()));
    // The last mode reaches every place, alone.
    let repeated = layout("(4096,1099511627776):(1024,1)");
    assert_eq!(left_inverse(&repeated).map(|answer| answer.to_string()), Ok("1099515821056:4096".into()));
}
