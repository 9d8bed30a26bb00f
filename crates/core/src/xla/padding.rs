//! [`Padding`]: what tiles cost, which dim causes it, and which order of the dims would cost less.
//!
//! A dim is to blame for as much as it could grow for free: the largest extent with which the array takes no more
//! memory. Law: at every reported extent the size is that of the array, and one more index makes it larger.

use std::fmt;

use super::{Array, Dim, Image};
use crate::error::Error;

/// The cost of padding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Padding {
    /// The number of elements.
    pub elements: i64,
    /// The number of places.
    pub size: i64,
    /// The bytes of the places.
    pub bytes: i64,
    /// The bytes that as many elements take without padding.
    pub unpadded_bytes: i64,
    /// For each dim its extent, and the largest with which the array is no larger.
    pub dims: Vec<(i64, i64)>,
    /// The order of the dims, fastest first, that takes the least memory with these tiles, and its bytes; `None` when
    /// it is the array's own, and above rank 6.
    pub better: Option<(Array, i64)>,
}

impl Array {
    /// What the padding of the array costs.
    ///
    /// # Errors
    /// As [`Image::of`].
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let array: Array = "s32[8388608,8,4]{2,1,0:T(8,128)}".parse()?;
    /// let padding = array.padding()?;
    /// assert_eq!((padding.bytes, padding.unpadded_bytes), (32 << 30, 1 << 30));
    /// assert_eq!(padding.dims, [(8388608, 8388608), (8, 8), (4, 128)]);
    /// assert_eq!(padding.better.map(|(array, bytes)| (array.to_string(), bytes)),
    ///     Some(("s32[8388608,8,4]{0,1,2:T(8,128)}".to_owned(), 1 << 30)));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn padding(&self) -> Result<Padding, Error> {
        let image = Image::of(self)?;
        let mut unpadded = self.clone();
        unpadded.layout.tiles.clear();
        unpadded.layout.tail_padding = 1;
        let (bytes, unpadded_bytes) = (image.bytes()?, Image::of(&unpadded)?.bytes()?);
        let dims = (0..image.dims().len()).map(|dim| self.room(&image, dim)).collect();
        let better = if image.dims().len() > 6 || bytes == unpadded_bytes { None } else { self.best_order(bytes) };
        Ok(Padding { elements: image.elements(), size: image.size(), bytes, unpadded_bytes, dims, better })
    }

    /// The extent of a dim and the largest with which the array has as many places.
    fn room(&self, image: &Image, dim: usize) -> (i64, i64) {
        let own = image.dims().get(dim).copied().unwrap_or(0);
        let fits = |extent: i64| {
            let mut grown = self.clone();
            if let Some(place) = grown.dims.get_mut(dim) {
                *place = Dim::Static(extent);
            }
            Image::of(&grown).is_ok_and(|grown| grown.size() <= image.size())
        };
        if image.size() == 0 {
            return (own, own);
        }
        // The size never falls as a dim grows, and no dim is longer than the memory.
        let (mut below, mut above) = (own, image.size().saturating_add(1));
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if fits(middle) {
                below = middle;
            } else {
                above = middle;
            }
        }
        (own, below)
    }

    fn best_order(&self, bytes: i64) -> Option<(Array, i64)> {
        let mut best = (None, bytes);
        let mut order = self.layout.minor_to_major.clone();
        order.sort_unstable();
        loop {
            let mut reordered = self.clone();
            reordered.layout.minor_to_major = order.clone();
            if let Ok(taken) = Image::of(&reordered).and_then(|image| image.bytes())
                && taken < best.1
            {
                best = (Some(reordered), taken);
            }
            if !next_permutation(&mut order) {
                break;
            }
        }
        best.0.map(|array| (array, best.1))
    }
}

/// The next order in the dictionary of orders; `false` after the last.
fn next_permutation(order: &mut [i64]) -> bool {
    let Some(at) = order.windows(2).rposition(|pair| pair.first() < pair.last()) else {
        return false;
    };
    let pivot = order.get(at).copied();
    if let Some(next) = order.iter().rposition(|entry| Some(*entry) > pivot) {
        order.swap(at, next);
    }
    if let Some(tail) = order.get_mut(at + 1..) {
        tail.reverse();
    }
    true
}

impl fmt::Display for Padding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elements, size) = (self.elements, self.size);
        let s = |many: i64| if many == 1 { "" } else { "s" };
        write!(f, "{elements} element{} in {size} place{}: {}", s(elements), s(size), Bytes(self.bytes))?;
        if elements == size {
            return write!(f, ", no padding");
        }
        write!(f, ", unpadded {} ({})", Bytes(self.unpadded_bytes), Times(self.bytes, self.unpadded_bytes))?;
        for (dim, (extent, room)) in self.dims.iter().enumerate().filter(|(_, (extent, room))| extent < room) {
            write!(f, "; dim {dim} has {extent} and could have {room} for free")?;
        }
        if let Some((array, bytes)) = &self.better {
            let order: Vec<String> = array.layout.minor_to_major.iter().map(i64::to_string).collect();
            write!(f, "; in the order {{{}}} it would be {}", order.join(","), Bytes(*bytes))?;
        }
        Ok(())
    }
}

/// A number of bytes in the largest unit that leaves a digit before the point.
struct Bytes(i64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match units.iter().find(|(_, shift)| self.0 >> shift > 0) {
            None => write!(f, "{} B", self.0),
            Some((unit, shift)) => {
                let hundredths = (i128::from(self.0) * 100) >> shift;
                write!(f, "{}.{:02} {unit}", hundredths / 100, hundredths % 100)
            }
        }
    }
}

/// How many times as much.
struct Times(i64, i64);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = i128::from(self.0) * 100 / i128::from(self.1.max(1));
        write!(f, "{}.{:02} times", hundredths / 100, hundredths % 100)
    }
}
