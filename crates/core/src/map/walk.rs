//! [`Walk`]: iterates over the points of a box, the first axis fastest.

/// The points so far.
pub(super) struct Walk {
    extents: Vec<i64>,
    point: Vec<i64>,
    left: bool,
    fresh: bool,
}

impl Walk {
    pub(super) fn new(extents: &[i64]) -> Self {
        Walk {
            point: vec![0; extents.len()],
            left: extents.iter().all(|extent| *extent > 0),
            extents: extents.to_vec(),
            fresh: true,
        }
    }

    /// The next point, while there are any.
    pub(super) fn next(&mut self) -> Option<&[i64]> {
        crate::cancel::checkpoint();
        if self.left && !std::mem::replace(&mut self.fresh, false) {
            self.left = false;
            for (x, extent) in self.point.iter_mut().zip(&self.extents) {
                *x += 1;
                if *x < *extent {
                    self.left = true;
                    break;
                }
                *x = 0;
            }
        }
        self.left.then_some(&self.point)
    }
}
