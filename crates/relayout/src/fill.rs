//! Filling what holds no element: padding, gaps between rows, what lies between tiles.

use bitstride::{Code, Error};
use rayon::prelude::*;

use crate::cast::number;
use crate::element::Element;
use crate::plan::Plan;

/// How much is filled at once by a thread.
const CHUNK: usize = 1 << 20;

/// Sets every element of a buffer to a value: the bytes of one element as they lie in memory, or one byte with the
/// value in its low bits for elements below a byte. Bytes behind the last whole element stay as they are.
///
/// # Errors
/// [`Code::Range`] when the value has not the size of an element.
///
/// ```
/// use bitstride_relayout::{Element, fill};
/// let mut buffer = [0; 5];
/// fill(&mut buffer, Element::of_bits(16)?, &[1, 2])?;
/// assert_eq!(buffer, [1, 2, 1, 2, 0]);
/// fill(&mut buffer, Element::of_bits(4)?, &[7])?;
/// assert_eq!(buffer, [0x77; 5]);
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn fill(buffer: &mut [u8], element: Element, value: &[u8]) -> Result<(), Error> {
    let pattern = pattern(element, value)?;
    let whole = buffer.len() - buffer.len() % pattern.len();
    let buffer = buffer.get_mut(..whole).unwrap_or(&mut []);
    let set = |chunk: &mut [u8]| match pattern.as_slice() {
        [byte, rest @ ..] if rest.iter().all(|other| other == byte) => chunk.fill(*byte),
        pattern => {
            for unit in chunk.chunks_exact_mut(pattern.len()) {
                unit.copy_from_slice(pattern);
            }
        }
    };
    // What is small starts no threads.
    if whole <= CHUNK {
        set(buffer);
    } else {
        buffer.par_chunks_mut(CHUNK).for_each(set);
    }
    Ok(())
}

/// The bytes that repeat.
fn pattern(element: Element, value: &[u8]) -> Result<Vec<u8>, Error> {
    let bits = element.bits();
    let wrong = || {
        let bytes: Vec<String> = value.iter().map(|byte| format!("{byte:02x}")).collect();
        Error::new(
            Code::Range,
            format!("a value of {} bytes, {}, for elements of {element}", value.len(), bytes.concat()),
        )
    };
    if bits >= 8 {
        let fits = i64::try_from(value.len()).is_ok_and(|bytes| bytes * 8 == bits);
        return if fits { Ok(value.to_vec()) } else { Err(wrong()) };
    }
    let [value] = *value else { return Err(wrong()) };
    if i64::from(value) >> bits != 0 {
        return Err(wrong());
    }
    let byte = (0..8).step_by(if bits == 4 { 4 } else { 2 }).fold(0, |byte, at| byte | value << at);
    Ok(vec![byte])
}

impl Plan {
    /// As [`Plan::run`], and of the first [`Plan::destination_bytes`] of the destination also sets every element that
    /// the tensor does not have to a value, which is as [`fill`] takes it.
    ///
    /// # Errors
    /// As [`Plan::run`] and [`fill`]. Nothing is written then.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let dense = Map::of_layout(&"(2,3):(3,1)".parse()?)?;
    /// let padded = Map::of_layout(&"(2,3):(4,1)".parse()?)?;
    /// let plan = Plan::new(&dense, &padded, Element::of_bits(8)?)?;
    /// let mut moved = *b"--------";
    /// plan.run_filled(b"abcdef", &mut moved, b".")?;
    /// assert_eq!(&moved, b"abc.def-");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn run_filled(&self, source: &[u8], destination: &mut [u8], value: &[u8]) -> Result<(), Error> {
        self.check(source, destination)?;
        let reach = self.destination_bytes();
        pattern(self.element, value)?;
        // No two elements share a place, so that these are all there are if none is missing.
        let held = i128::from(self.elements) * i128::from(self.element.bits());
        if held < i128::from(number(reach)) * 8 {
            fill(destination.get_mut(..reach).unwrap_or(&mut []), self.element, value)?;
        }
        self.run(source, destination)
    }
}
