//! Random pairs of layouts of one tensor: a file of its own for tests that need no more.

use std::ops::Range;

use proptest::prelude::*;

/// Numbers as a tuple has them, without its brackets.
pub(crate) fn list<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// A shape and two orders of its dims, each dim with padding behind it.
pub(crate) fn permuted<P>(extents: Range<i64>, pad: P) -> impl Strategy<Value = (String, String)>
where
    P: Strategy<Value = i64> + Clone,
{
    prop::collection::vec(extents, 1..5).prop_flat_map(move |shape| {
        let rank = shape.len();
        let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
        let side = (order, prop::collection::vec(pad.clone(), rank));
        (Just(shape), side.clone(), side).prop_map(|(shape, one, two)| {
            let text = |(order, pads): (Vec<usize>, Vec<i64>)| {
                let mut strides = vec![0; shape.len()];
                let mut next = 1;
                for at in order {
                    strides[at] = next;
                    next *= shape[at] + pads[at];
                }
                format!("({}):({})", list(&shape), list(&strides))
            };
            (text(one), text(two))
        })
    })
}
