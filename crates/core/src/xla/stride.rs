//! Strides of an array, where it has them.
//!
//! An array has strides when the offset of an index is the sum of `stride * index` over its dims: always without tiles,
//! and with tiles that change nothing. Law: where there are strides, that sum is the offset of every index.

use super::{Array, Image, Sameness};
use crate::error::{Code, Error};

impl Array {
    /// The stride of each dim in elements. Without tiles, or with tiles that move no element, a dim has the product of the
    /// extents below it, as in XLA; else a dim of extent 1 has 0.
    ///
    /// # Errors
    /// As [`Array::same_memory`]; [`Code::NotALayout`] when some dim has no single stride, with the first step that is different.
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let strides = |text: &str| text.parse::<Array>().and_then(|array| array.element_strides());
    /// assert_eq!(strides("f32[3,5]{0,1}")?, [1, 3]);
    /// assert_eq!(strides("f32[3,100]{1,0:T(8,128)}")?, [128, 1]);
    /// assert_eq!(strides("f32[7,3]{1,0:T(*,8)(2)}")?, [3, 1]);
    /// let tiled = strides("f32[3,5]{1,0:T(2,2)}").unwrap_err();
    /// assert!(tiled.message().contains("from index 1 to 2 of dim 0"), "{tiled}");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn element_strides(&self) -> Result<Vec<i64>, Error> {
        let image = Image::of(self)?;
        // Padding behind all elements does not matter.
        if matches!(self.against_untiled()?, Sameness::Same | Sameness::Size(..)) {
            return Ok(image.untiled_strides());
        }
        let Some(digits) = image.digits() else {
            let strides = image.steps_of_one();
            return match image.has_strides(&strides)? {
                true => Ok(strides),
                false => Err(Error::new(Code::NotALayout, "no strides: merged dims carry into each other")),
            };
        };
        let mut strides = Vec::new();
        for (axis, extent) in image.dims().iter().enumerate() {
            let mut own = digits.iter().filter(|digit| digit.axis == axis);
            let first = own.next();
            let stride = first.filter(|first| first.weight == 1).map_or(0, |first| first.stride);
            let breaks = first.map(|first| if first.weight == 1 { first.radix } else { first.weight });
            if let Some(at) = breaks.filter(|at| at < extent && image.elements() > 0) {
                let from = |index: i64| {
                    digits.iter().filter(|digit| digit.axis == axis).map(|digit| digit.at(index)).sum::<i64>()
                };
                return Err(error!(
                    Code::NotALayout,
                    "no strides: an index more along dim {axis} is {stride} elements, but from index {below} to {at} of dim {axis} it is {step}",
                    [axis, stride, below = at - 1, at, step = from(at) - from(at - 1)]
                ));
            }
            strides.push(stride);
        }
        Ok(strides)
    }

    /// The stride of each dim in bytes.
    ///
    /// # Errors
    /// As [`Array::element_strides`]; [`Code::NotALayout`] for elements that are not whole bytes.
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let array: Array = "bf16[4,16]{1,0}".parse()?;
    /// assert_eq!(array.byte_strides()?, [32, 2]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn byte_strides(&self) -> Result<Vec<i64>, Error> {
        let bits = self.element_bits();
        if bits % 8 != 0 {
            return Err(error!(Code::NotALayout, "no strides in bytes: an element has {bits} bits", [bits]));
        }
        let strides = self.element_strides()?;
        strides
            .into_iter()
            .map(|stride| stride.checked_mul(bits / 8).ok_or_else(|| Error::overflow("a stride in bytes")))
            .collect()
    }

    /// Whether the tiles change nothing: the memory is that of the same array without them, with no padding.
    ///
    /// # Errors
    /// As [`Array::same_memory`].
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// assert!("f32[8,1]{1,0:T(*,1)}".parse::<Array>()?.is_untiled()?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn is_untiled(&self) -> Result<bool, Error> {
        Ok(self.against_untiled()?.holds())
    }

    fn against_untiled(&self) -> Result<Sameness, Error> {
        let mut untiled = self.clone();
        untiled.layout.tiles.clear();
        self.same_memory(&untiled)
    }
}

impl Image {
    /// Where index 1 of each dim lies, the others at 0.
    fn steps_of_one(&self) -> Vec<i64> {
        let mut at = vec![0; self.dims().len()];
        let mut steps = at.clone();
        for (dim, step) in steps.iter_mut().enumerate().filter(|(dim, _)| self.dims().get(*dim) > Some(&1)) {
            if let Some(coordinate) = at.get_mut(dim) {
                *coordinate = 1;
            }
            *step = self.at(&at);
            at.fill(0);
        }
        steps
    }

    /// The product of the extents below each dim, as far as there are elements.
    fn untiled_strides(&self) -> Vec<i64> {
        let mut strides = vec![0; self.dims().len()];
        let mut stride = 1i64;
        for dim in self.order().iter().rev() {
            if let (Some(place), Some(extent)) = (strides.get_mut(*dim), self.dims().get(*dim)) {
                *place = stride;
                stride = stride.saturating_mul(*extent);
            }
        }
        strides
    }
}
