//! Operands made from a list of small numbers, so that shrinking the list simplifies the operands.

use bitstride::cute::{Coordinate, Tiler, column_major};
use bitstride::{Node, StaticLayout, Tuple};
use bitstride_oracle::reference::LIMIT;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

use super::operation::Operands;

/// A list of numbers that decides what is made; beyond its end all are 0, the simplest choice.
#[derive(Clone, Debug)]
pub struct Choices {
    list: Vec<u8>,
    next: usize,
}

/// Runs a property on random choices; of a failure the simplest sentence is reported.
#[track_caller]
pub fn run(cases: u32, property: impl Fn(&mut Choices) -> Result<(), String>) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let outcome = TestRunner::new(config)
        .run(&vec(any::<u8>(), 400), |list| property(&mut Choices { list, next: 0 }).map_err(TestCaseError::fail));
    let failure = match outcome {
        Err(TestError::Fail(reason, _)) => Err(reason.to_string()),
        Err(TestError::Abort(reason)) => Err(reason.to_string()),
        Ok(()) => Ok(()),
    };
    assert_eq!(failure, Ok(()));
}

impl Choices {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        let byte = self.list.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        usize::from(byte) % n.max(1)
    }

    /// One of these.
    pub fn of<T: Clone>(&mut self, list: &[T]) -> T {
        let at = self.below(list.len());
        list.get(at).cloned().expect("a list of choices is not empty")
    }

    /// Once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) + 1 == n
    }
}

const EXTENTS: [i64; 16] = [2, 4, 3, 1, 2, 4, 8, 6, 2, 3, 4, 12, 5, 1, 16, 9];

/// A tuple of leaves, nested at random.
fn nested(choices: &mut Choices, leaves: &[i64], depth: usize) -> Tuple<i64> {
    if let ([only], true) = (leaves, choices.below(3) < 2) {
        return Tuple::leaf(*only);
    }
    let mut entries = Vec::new();
    let mut rest = leaves;
    while !rest.is_empty() {
        let many = if depth < 3 && choices.once_in(3) { 1 + choices.below(rest.len()) } else { 1 };
        let (entry, others) = rest.split_at(many);
        rest = others;
        entries.push(match entry {
            [only] => Tuple::leaf(*only),
            _ => nested(choices, entry, depth + 1),
        });
    }
    Tuple::of(&entries)
}

/// A layout of at most `most` elements; strides prefer compact ones, and those in `hints`.
pub fn layout(choices: &mut Choices, most: i64, hints: &[i64]) -> StaticLayout {
    let rank = 1 + choices.below(4);
    let mut extents: Vec<i64> = Vec::new();
    let mut size = 1;
    for _ in 0..rank {
        let extent = choices.of(&EXTENTS);
        if size * extent <= most {
            size *= extent;
            extents.push(extent);
        }
    }
    // Compact in some order, then changed here and there.
    let mut order: Vec<usize> = (0..extents.len()).collect();
    if choices.once_in(3) {
        order.rotate_left(choices.below(extents.len()));
    }
    if choices.once_in(2) {
        order.reverse();
    }
    let mut strides = vec![0; extents.len()];
    let mut next = choices.of(&[1, 1, 1, 2, 3]);
    for at in order {
        let (extent, stride) = (extents[at], &mut strides[at]);
        *stride = match choices.below(12) {
            0..=5 => next,
            6 => next * choices.of(&[2, 3, 4]),
            7 => choices.of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16]),
            8 => 0,
            9 if choices.once_in(2) => -next,
            _ if hints.is_empty() => next,
            _ => choices.of(hints),
        };
        next = (*stride * extent).abs().max(next);
        if choices.once_in(6) {
            next += choices.of(&[1, 2, next]);
        }
    }
    if extents.is_empty() && choices.once_in(4) {
        return StaticLayout::new(Tuple::of(&[]), Tuple::of(&[])).expect("():() is a layout");
    }
    let shape = if extents.is_empty() { Tuple::leaf(1) } else { nested(choices, &extents, 0) };
    if extents.is_empty() {
        strides.push(choices.of(&[0, 1, 5]));
    }
    let stride = Tuple::unflatten(&strides, shape.profile()).expect("as many strides as extents");
    StaticLayout::new(shape, stride).expect("extents are positive")
}

/// A layout of as many elements, its modes split or swapped, with strides of its own.
fn resized(choices: &mut Choices, layout: &StaticLayout) -> StaticLayout {
    let mut extents: Vec<i64> = Vec::new();
    for extent in layout.extents() {
        match choices.of(&[1, 2, 3]) {
            part if extent % part == 0 && part > 1 => extents.extend([part, extent / part]),
            _ => extents.push(*extent),
        }
    }
    let shape = Tuple::flat(&extents);
    let strides: Vec<i64> = extents.iter().map(|_| choices.of(&[1, 0, 2, 3, 4, 6, 8, 24])).collect();
    StaticLayout::new(shape, Tuple::flat(&strides)).expect("extents are positive")
}

/// Strides that meet the boundaries of a layout's modes.
pub fn hints(layout: &StaticLayout) -> Vec<i64> {
    let mut hints = Vec::new();
    let mut size = 1;
    for extent in layout.extents() {
        size *= extent;
        hints.extend([size, size * 2, extent / 2, extent + 1]);
    }
    hints.retain(|n| *n > 0);
    hints
}

/// A tiler for a layout, mode by mode or whole.
fn tiler(choices: &mut Choices, layout: &StaticLayout, node: Node<'_>, depth: usize) -> Tiler<i64, i64> {
    match choices.below(if depth == 0 { 10 } else { 7 }) {
        0 | 1 => Tiler::Extent(choices.of(&EXTENTS)),
        2 | 3 => Tiler::Layout(self::layout(choices, 16, &hints(layout))),
        4 if depth > 0 => Tiler::Keep,
        _ if node.is_leaf() => Tiler::Extent(choices.of(&[1, 2, 3, 4])),
        _ => {
            let many = if choices.once_in(4) { choices.below(node.rank() + 1) } else { node.rank() };
            Tiler::Modes(node.children().take(many).map(|mode| tiler(choices, layout, mode, depth + 1)).collect())
        }
    }
}

/// A coordinate that fits, with free modes once in `free` times.
fn coordinate(choices: &mut Choices, layout: &StaticLayout, node: Node<'_>, free: usize) -> Coordinate<i64> {
    if choices.once_in(free) && free < usize::MAX {
        return Tuple::leaf(None);
    }
    if node.is_leaf() || choices.once_in(4) {
        let size: i64 = layout.extents().get(node.leaves()).map_or(1, |extents| extents.iter().product());
        let size = usize::try_from(size).unwrap_or(1);
        let beyond = if choices.once_in(16) { size + 3 } else { size };
        return Tuple::leaf(i64::try_from(choices.below(beyond)).ok());
    }
    let entries: Vec<_> = node.children().map(|mode| coordinate(choices, layout, mode, free)).collect();
    Tuple::of(&entries)
}

/// A target of as many modes as the layout or one more, most of them multiples of its modes; no larger than laws count.
fn target(choices: &mut Choices, layout: &StaticLayout) -> Tuple<i64> {
    if choices.once_in(4) {
        return Tuple::leaf(choices.of(&[24, 1, 8, 12, 36, 48, 64, 5, 100]));
    }
    let mut entries: Vec<Tuple<i64>> = layout
        .modes()
        .iter()
        .map(|mode| {
            let size: i64 = mode.extents().iter().product();
            let times = choices.of(&[2, 1, 3, 4]);
            match choices.below(6) {
                5 => Tuple::leaf(choices.of(&EXTENTS)),
                4 => Tuple::flat(&[size, times]),
                _ => Tuple::leaf(size * times),
            }
        })
        .collect();
    if choices.once_in(4) {
        entries.push(Tuple::leaf(choices.of(&EXTENTS)));
    }
    let target = Tuple::of(&entries);
    if target.size().is_ok_and(|size| size <= LIMIT) { target } else { layout.shape().clone() }
}

/// An order for a shape: a permutation of its modes, perhaps with ties, perhaps leaf by leaf.
fn order(choices: &mut Choices, shape: &Tuple<i64>) -> Tuple<i64> {
    let ranks = [0, 1, 2, 3, 4];
    if shape.is_leaf() || choices.once_in(8) {
        return Tuple::leaf(choices.of(&ranks));
    }
    let entries: Vec<_> = shape.entries().iter().map(|_| Tuple::leaf(choices.of(&ranks))).collect();
    Tuple::of(&entries)
}

/// Operands for every operation.
pub fn operands(choices: &mut Choices, most: i64) -> Operands<i64, i64> {
    let a = layout(choices, most, &[]);
    let b = match choices.below(5) {
        4 => column_major(&layout(choices, 32, &[]).shape()).expect("a small shape"),
        3 => resized(choices, &a),
        _ => layout(choices, most.min(32), &hints(&a)),
    };
    let shape = target(choices, &a);
    let point = coordinate(choices, &a, a.root(), usize::MAX);
    let most = choices.of(&[12, 32, 12, 200]);
    Operands {
        tiler: tiler(choices, &a, a.root(), 0),
        order: order(choices, &shape),
        at: coordinate(choices, &a, a.root(), 3),
        point: point.map(|n| n.unwrap_or(0)),
        index: i64::try_from(choices.below(most)).expect("a small number"),
        n: choices.of(&[2, 4, 1, 3, 8, 6, 16, 32]),
        m: choices.of(&[8, 4, 1, 2, 16, 32, 6]),
        a,
        b,
        shape,
    }
}
