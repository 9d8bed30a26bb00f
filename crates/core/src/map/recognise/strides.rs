//! Recognises strided arrays of NumPy and PyTorch: one stride for each axis.

use super::super::{Form, Map};
use super::chain::sum_of;
use crate::error::{Code, Error};

impl Map {
    /// Where the first element lies, and what a step along each axis moves, in the units of the memory. An axis with fewer
    /// than two elements has stride 0, since no step is ever made.
    ///
    /// # Errors
    /// [`Code::Kind`] for a map that does not lead from a tensor to memory; [`Code::NotALayout`] where an axis moves by more
    /// than one stride, or is xored; as [`Form::of`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let padded = Map::of_array(&"f32[3,5]{1,0:T(8,128)}".parse()?)?;
    /// assert_eq!(padded.to_strides()?, (0, vec![128, 1]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_strides(&self) -> Result<(i64, Vec<i64>), Error> {
        let form = Form::read(self)?;
        let (offset, digits) = sum_of(self, &form)?;
        let mut strides = vec![0; self.domain().len()];
        let mut rest = digits.as_slice();
        while let Some(((digit, stride), above)) = rest.split_first() {
            if let Some((next, other)) = above.first().filter(|(next, _)| next.axis == digit.axis) {
                return Err(error!(
                    Code::NotALayout,
                    "{digit} moves by {stride}, but {next} by {other}: no one stride",
                    [digit = form.named(digit), stride, next = form.named(next), other]
                ));
            }
            if let Some(own) = strides.get_mut(digit.axis) {
                *own = *stride;
            }
            rest = above;
        }
        Ok((offset, strides))
    }
}
