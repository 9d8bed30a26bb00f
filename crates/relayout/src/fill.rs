//! Fills the places without an element: padding, gaps between rows, gaps between tiles.

use std::mem::take;
use std::ops::Range;

use bitstride::{Code, Error};
use rayon::prelude::*;

use crate::cast::number;
use crate::element::Element;
use crate::plan::Plan;

/// The bytes that a thread fills at once.
const CHUNK: usize = 1 << 20;

/// Sets the whole patterns of some parts of a buffer, which are in order and begin with a pattern each.
fn fill(mut buffer: &mut [u8], parts: Vec<Range<usize>>, pattern: &[u8]) {
    let (mut chunks, mut all, mut at) = (Vec::new(), 0, 0);
    let whole = CHUNK.next_multiple_of(pattern.len().max(1));
    for part in parts {
        let Some(rest) = take(&mut buffer).get_mut(part.start - at..) else { break };
        let Some((own, rest)) = rest.split_at_mut_checked(part.len()) else { break };
        (buffer, at, all) = (rest, part.end, all + own.len());
        chunks.extend(own.chunks_mut(whole));
    }
    let set = |chunk: &mut [u8]| match pattern {
        [byte, rest @ ..] if rest.iter().all(|other| other == byte) => chunk.fill(*byte),
        pattern => {
            for unit in chunk.chunks_exact_mut(pattern.len()) {
                unit.copy_from_slice(pattern);
            }
        }
    };
    // What is small starts no threads.
    if all <= CHUNK {
        chunks.into_iter().for_each(set);
    } else {
        chunks.into_par_iter().for_each(set);
    }
}

impl Element {
    /// The bytes that repeat where every element is a value: those of one element in memory order, or one byte for elements below
    /// a byte, whose value is in the low bits of the byte that is given.
    ///
    /// # Errors
    /// [`Code::Range`] for a value that has not the size of an element.
    ///
    /// ```
    /// use bitstride_relayout::Element;
    /// assert_eq!(Element::of_bits(4)?.pattern(&[0xA])?, [0xAA]);
    /// assert_eq!(Element::of_bits(1)?.pattern(&[1])?, [0xFF]);
    /// assert!(Element::of_bits(16)?.pattern(&[0xA]).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn pattern(self, value: &[u8]) -> Result<Vec<u8>, Error> {
        let bits = self.bits();
        let wrong = || {
            let bytes: Vec<String> = value.iter().map(|byte| format!("{byte:02x}")).collect();
            Error::new(
                Code::Range,
                format!("a value of {} bytes, {}, for elements of {self}", value.len(), bytes.concat()),
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
        let step = usize::try_from(bits).unwrap_or(1);
        Ok(vec![(0..8).step_by(step).fold(0, |byte, at| byte | value << at)])
    }
}

impl Plan {
    /// Fills every place of a buffer without an element with a value: the bytes of one element in memory order, or one byte
    /// with the value in its low bits for elements below a byte. Elements of the tensor may be overwritten too;
    /// [`Plan::run`] writes them afterwards. Bytes after the last whole element are unchanged.
    ///
    /// # Errors
    /// [`Code::Range`] when the value does not have the size of an element.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let dense = Map::of_layout(&"(2,3):(3,1)".parse()?)?;
    /// let padded = Map::of_layout(&"(2,3):(4,1)".parse()?)?;
    /// let plan = Plan::new(&dense, &padded, Element::of_bits(8)?)?;
    /// let mut moved = *b"--------";
    /// plan.fill_holes(&mut moved, b".")?;
    /// plan.run(b"abcdef", &mut moved)?;
    /// assert_eq!(&moved, b"abc.def.");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn fill_holes(&self, buffer: &mut [u8], value: &[u8]) -> Result<(), Error> {
        let pattern = self.element.pattern(value)?;
        let bytes = buffer.len() - buffer.len() % pattern.len();
        // No two elements share a place, so that these are all there are if none is missing.
        if i128::from(self.elements) * i128::from(self.element.bits()) < i128::from(number(bytes)) * 8 {
            fill(buffer, self.holes(bytes), &pattern);
        }
        Ok(())
    }

    /// As [`Plan::run`], after [`Plan::fill_holes`] of the first [`Plan::destination_bytes`] of the destination.
    ///
    /// # Errors
    /// As [`Plan::run`] and [`Plan::fill_holes`]. Nothing is written then.
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
        self.fill_holes(destination.get_mut(..self.destination_bytes()).unwrap_or(&mut []), value)?;
        self.run(source, destination)
    }
}
