//! No decision visits elements: an operation costs the same arithmetic at extents of 2^4 and of 2^40.
//!
//! The algebra is generic over its integers, so it runs here on one that counts every call.

use std::cell::Cell;
use std::fmt;

use bitstride::cute::{self, Layout, Tiler};
use bitstride::{Error, Integer, Path, StaticLayout, StrideLeaf, Tuple};

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// An integer that counts the arithmetic done with it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Counted(i64);

fn step<T>(result: T) -> T {
    STEPS.with(|steps| steps.set(steps.get() + 1));
    result
}

impl From<i64> for Counted {
    fn from(n: i64) -> Self {
        Counted(n)
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Integer for Counted {
    fn fixed(&self) -> Option<i64> {
        step(Some(self.0))
    }
    fn value(&self) -> Option<i64> {
        step(Some(self.0))
    }
    fn divisor(&self) -> i64 {
        step(self.0.divisor())
    }
    fn add(&self, other: &Self) -> Result<Self, Error> {
        step(Integer::add(&self.0, &other.0).map(Counted))
    }
    fn mul(&self, other: &Self) -> Result<Self, Error> {
        step(Integer::mul(&self.0, &other.0).map(Counted))
    }
    fn quotient(&self, other: &Self) -> Result<Self, Error> {
        step(self.0.quotient(&other.0).map(Counted))
    }
    fn ceil_div(&self, other: &Self) -> Result<Self, Error> {
        step(self.0.ceil_div(&other.0).map(Counted))
    }
    fn min(&self, other: &Self) -> Result<Self, Error> {
        step(Integer::min(&self.0, &other.0).map(Counted))
    }
    fn abs(&self) -> Result<Self, Error> {
        step(Integer::abs(&self.0).map(Counted))
    }
    fn remainder(&self, other: &Self) -> Result<Self, Error> {
        step(self.0.remainder(&other.0).map(Counted))
    }
    fn same(&self, other: &Self) -> bool {
        step(self.0 == other.0)
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
        if self.0 == 0 { Vec::new() } else { vec![(Path::new(), self.clone())] }
    }
    fn from_components(components: &[(Path, Counted)]) -> Result<Self, Error> {
        Ok(components.first().map_or(Counted(0), |(_, n)| n.clone()))
    }
    fn same(&self, other: &Self) -> bool {
        Integer::same(self, other)
    }
}

type Counting = Layout<Counted, Counted>;

fn counting(text: &str) -> Counting {
    let layout: StaticLayout = text.parse().expect(text);
    let leaves = |tuple: &Tuple<i64>| tuple.map(|n| Counted(*n));
    Counting::new(leaves(&layout.shape()), leaves(&layout.stride())).expect(text)
}

fn tuple(text: &str) -> Tuple<Counted> {
    counting(text).shape()
}

/// The steps of an operation whose operands are `text` with its letter N replaced by an extent.
fn steps<T>(operands: &[&str], extent: i64, operation: &dyn Fn(&[Counting]) -> Result<T, Error>) -> (u64, bool) {
    let operands: Vec<Counting> = operands
        .iter()
        .map(|text| {
            let text = text.replace("4N", &(4 * extent).to_string()).replace("2N", &(2 * extent).to_string());
            counting(&text.replace('N', &extent.to_string()))
        })
        .collect();
    STEPS.with(|steps| steps.set(0));
    let answered = operation(&operands).is_ok();
    (STEPS.with(Cell::get), answered)
}

fn check<T>(name: &str, operands: &[&str], operation: &dyn Fn(&[Counting]) -> Result<T, Error>) {
    let small = steps(operands, 1 << 4, operation);
    let large = steps(operands, 1 << 40, operation);
    assert_eq!(small, large, "{name} on {operands:?}");
    assert!(small.0 > 0 && small.1, "{name} on {operands:?}: {small:?}");
}

#[test]
fn operations_cost_the_same_at_every_extent() {
    check("coalesce", &["((4,N),(2,3)):((1,4),(4N,7))"], &|x| cute::coalesce(&x[0]));
    check("filter", &["(N,4,2):(1,0,N)"], &|x| cute::filter(&x[0]));
    check("composition", &["(N,8):(8,1)", "(4,2):(N,1)"], &|x| cute::composition(&x[0], &x[1]));
    check("composition", &["(4,N,3):(2,8,1)", "(2,N):(2,4)"], &|x| cute::composition(&x[0], &x[1]));
    check("composition with tiles", &["(N,(4,8)):(59,(13,1))"], &|x| {
        cute::compose_tiler(&x[0], &Tiler::of_shape(&tuple("(4,8)")))
    });
    check("complement", &["(4,N):(2,8)"], &|x| cute::complement(&x[0], &Tuple::leaf(Counted(1 << 50))));
    check("right_inverse", &["(4,N):(N,1)"], &|x| cute::right_inverse(&x[0]));
    check("left_inverse", &["(4,N):(2N,1)"], &|x| cute::left_inverse(&x[0]));
    check("nullspace", &["(4,N,2):(1,0,4)"], &|x| cute::nullspace(&x[0]));
    check("max_common_layout", &["(4,N):(1,4)", "(4,N):(1,4)"], &|x| cute::max_common_layout(&x[0], &x[1]));
    check("logical_divide", &["(N,4):(4,1)", "4:1"], &|x| cute::logical_divide(&x[0], &Tiler::Layout(x[1].clone())));
    check("zipped_divide", &["(N,N):(1,N)"], &|x| cute::zipped_divide(&x[0], &Tiler::of_shape(&tuple("(4,8)"))));
    check("tiled_divide", &["(N,N):(1,N)"], &|x| cute::tiled_divide(&x[0], &Tiler::of_shape(&tuple("(4,8)"))));
    check("flat_divide", &["(N,4):(1,N)"], &|x| cute::flat_divide(&x[0], &Tiler::of_shape(&tuple("(4,2)"))));
    check("logical_product", &["(4,2):(2,1)", "(N,2):(2,1)"], &|x| {
        cute::logical_product(&x[0], &Tiler::Layout(x[1].clone()))
    });
    check("blocked_product", &["(4,2):(2,1)", "(N,2):(1,N)"], &|x| cute::blocked_product(&x[0], &x[1]));
    check("raked_product", &["(4,2):(2,1)", "(N,2):(1,N)"], &|x| cute::raked_product(&x[0], &x[1]));
    check("tile_to_shape", &["(4,2):(2,1)", "(N,4)"], &|x| cute::tile_to_shape(&x[0], &x[1].shape(), None));
    check("upcast", &["(N,4):(4,1)"], &|x| cute::upcast(&x[0], 4));
    check("downcast", &["(N,4):(4,1)"], &|x| cute::downcast(&x[0], 4));
    check("layout_add", &["(4,N):(1,4)", "(4,N):(N,1)"], &|x| cute::layout_add(&x[0], &x[1]));
    check("make_layout_like", &["(4,N):(N,1)"], &|x| cute::make_layout_like(&x[0]));
    check("same_function", &["(N,4):(1,N)", "4N:1"], &|x| cute::same_function(&x[0], &x[1]));
    check("cosize", &["(N,4):(4,1)"], &|x| cute::cosize(&x[0]));
}

#[test]
fn what_the_walk_leaves_open_is_decided_at_any_extent() {
    // A split, a carry, strides that cancel for good, and a walk backwards, each beyond what could be visited.
    let n = 1_i64 << 40;
    let decided = |a: String, b: String| {
        let (a, b): (StaticLayout, StaticLayout) = (a.parse().expect("A"), b.parse().expect("B"));
        cute::composition(&a, &b).map(|r| r.to_string()).map_err(|error| error.code().as_str())
    };
    assert_eq!(decided(format!("({n},4):(1,{})", 3 * n), format!("{}:1", n + 1)), Err("split"));
    assert_eq!(decided(format!("({n},4):(1,{})", 3 * n), format!("({n},2):(1,1)")), Err("carry"));
    assert_eq!(decided("(2,2,2):(1,3,5)".into(), "3:3".into()), Ok("3:4".into()));
    assert_eq!(decided(format!("({n},4):(1,{})", 3 * n), format!("{n}:-1")), Ok(format!("{n}:-1")));
    assert_eq!(decided(format!("(4,{n}):(0,0)"), format!("{}:3", n / 2)), Ok(format!("{}:0", n / 2)));
}
