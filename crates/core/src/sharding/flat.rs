//! [`Flat`]: parameters that are flattened, put one after the other, and cut in equal ranges, as FSDP1 of PyTorch does.
//!
//! A device holds a range of a concatenation, which is no product of sets of indices of the parameters. Law: every element of every
//! parameter is in the range of one device; what lies between parameters and behind the last is padding.

use crate::cast::{index, length};
use crate::error::{Code, Error};

/// Parameters in one flat tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flat {
    /// The start and the number of elements of each parameter.
    pub parameters: Vec<(i64, i64)>,
    /// The elements of each device.
    pub share: i64,
    /// How many devices there are.
    pub devices: i64,
}

/// The part of a parameter on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlatPiece {
    /// Where it begins in the range of the device.
    pub offset: i64,
    /// How many elements it has.
    pub elements: i64,
    /// Its first element, in the row-major order of the parameter.
    pub first: i64,
}

impl Flat {
    /// Parameters with these numbers of elements, each beginning at a multiple of `alignment` elements. FSDP1 aligns to 16 bytes.
    ///
    /// # Errors
    /// [`Code::Range`] for a negative size, no device, or an alignment below 1; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::sharding::Flat;
    /// let flat = Flat::new(&[10, 7, 9], 4, 4)?;
    /// assert_eq!((flat.share, flat.piece(1, 1).map(|piece| (piece.offset, piece.elements, piece.first))), (8, Some((4, 4, 0))));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(sizes: &[i64], alignment: i64, devices: i64) -> Result<Self, Error> {
        if alignment < 1 || devices < 1 {
            return Err(error!(
                Code::Range,
                "{devices} devices and an alignment of {alignment} elements; both are at least 1",
                [devices, alignment]
            ));
        }
        let overflow = || Error::overflow("the elements of a flat parameter");
        let mut end = 0_i64;
        let mut parameters = Vec::new();
        for size in sizes {
            if *size < 0 {
                return Err(error!(Code::Range, "a parameter of {size} elements", [size]));
            }
            let start = rounded(end, alignment).ok_or_else(overflow)?;
            parameters.push((start, *size));
            end = start.checked_add(*size).ok_or_else(overflow)?;
        }
        let all = rounded(end, devices).ok_or_else(overflow)?;
        Ok(Flat { parameters, share: all / devices, devices })
    }

    /// The part of a parameter that a device has; `None` where it has none.
    pub fn piece(&self, parameter: usize, device: i64) -> Option<FlatPiece> {
        let (start, size) = self.parameters.get(parameter).copied()?;
        let from = device.checked_mul(self.share).filter(|_| (0..self.devices).contains(&device))?;
        let (first, end) = (start.max(from), (start + size).min(from + self.share));
        (first < end).then(|| FlatPiece { offset: first - from, elements: end - first, first: first - start })
    }

    /// The devices that have a part of a parameter, the first and one past the last.
    ///
    /// # Errors
    /// [`Code::Range`] for a parameter that is not there.
    pub fn holders(&self, parameter: i64) -> Result<(i64, i64), Error> {
        let Some((start, size)) = self.parameters.get(index(parameter)?) else {
            return Err(error!(
                Code::Range,
                "parameter {parameter} of {count}",
                [parameter, count = length(self.parameters.len())]
            ));
        };
        let share = self.share.max(1);
        Ok(if *size == 0 { (0, 0) } else { (start / share, (start + size - 1) / share + 1) })
    }
}

/// The next multiple of a unit.
fn rounded(n: i64, unit: i64) -> Option<i64> {
    (n / unit + i64::from(n % unit > 0)).checked_mul(unit)
}
