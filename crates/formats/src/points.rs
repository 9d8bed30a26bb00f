//! [`Points`]: a walk over the coordinates of a box.
//!
//! Law: every point is met once, in order.

use bitstride::cast::{index, length};

/// A walk over all points of a box, the first or the last axis fastest.
pub(crate) struct Points {
    extents: Vec<i64>,
    next: Option<Vec<i64>>,
    last_is_fastest: bool,
}

impl Points {
    pub(crate) fn new(extents: &[i64], last_is_fastest: bool) -> Self {
        let next = (!extents.contains(&0)).then(|| vec![0; extents.len()]);
        Points { extents: extents.to_vec(), next, last_is_fastest }
    }
}

impl Iterator for Points {
    type Item = Vec<i64>;

    fn next(&mut self) -> Option<Vec<i64>> {
        let point = self.next.clone()?;
        let mut following = point.clone();
        let rank = length(self.extents.len());
        for step in 0..rank {
            let axis = index(if self.last_is_fastest { rank - 1 - step } else { step }).unwrap_or(0);
            let (Some(x), Some(extent)) = (following.get_mut(axis), self.extents.get(axis)) else { break };
            *x += 1;
            if *x < *extent {
                self.next = Some(following);
                return Some(point);
            }
            *x = 0;
        }
        self.next = None;
        Some(point)
    }
}
