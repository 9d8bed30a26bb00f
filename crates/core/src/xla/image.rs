//! [`Image`]: where the elements of an array lie in memory, by the definition of tiled layouts.
//!
//! The dims, major first in the order of the layout, go through one [`Step`] a tile. A step looks at as many of the most
//! minor dims as the tile has extents (1s come before them when there are fewer), merges a dim marked `*` into the next
//! more minor one, and cuts each merged extent `d` by its tile extent `t` into `ceil(d / t)` rows of `t`. What is before
//! the tile stays, then come the grids, then the insides. The offset of an element is its number in the last list of
//! dims, the last the fastest.
//!
//! Law: `place(offset(index)) = index`, and every other offset below the size is padding.

use super::print::listed;
use super::{Array, TileDim};
use crate::cast::{index, narrow};
use crate::error::{Code, Error};
use crate::small::Small;
use crate::trace::Trace;

/// Extents or coordinates, one a dim.
pub type Extents = Small<i64, 8>;

/// What lies at an offset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The element of an index.
    Element(Vec<i64>),
    /// No element.
    Padding,
}

/// The memory of an array.
///
/// ```
/// use bitstride::xla::{Array, Image, Place};
/// let figure: Array = "f32[3,5]{1,0:T(2,2)}".parse()?;
/// let image = Image::of(&figure)?;
/// assert_eq!(image.tiled_dims(), [2, 3, 2, 2]);
/// assert_eq!(image.offset(&[2, 3])?, 17);
/// assert_eq!(image.place(17)?, Place::Element(vec![2, 3]));
/// assert_eq!(image.place(18)?, Place::Padding);
/// assert_eq!((image.elements(), image.size(), image.bytes()?), (15, 24, 96));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Image {
    dims: Extents,
    /// The logical dims, major first in memory.
    order: Small<usize, 8>,
    steps: Vec<Step>,
    tiled: Extents,
    /// The stride of each tiled dim; 0 throughout when there are no elements.
    strides: Extents,
    elements: i64,
    size: i64,
    element_bits: i64,
}

/// One tile, applied to the dims that the steps before it left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// How many 1s come before the dims, for a tile that has more extents than there are dims.
    pub ones: usize,
    /// How many dims stay in front.
    pub kept: usize,
    /// The merged dims and how the tile cuts each.
    pub cuts: Vec<Cut>,
    /// The dims after the step: those kept, the grids, the insides.
    pub dims: Extents,
}

/// Neighbouring dims seen as one and cut by a tile extent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cut {
    /// The extents that are merged, major first; mostly one.
    pub merged: Small<i64, 4>,
    /// Their product.
    pub extent: i64,
    /// The extent of the tile.
    pub tile: i64,
    /// How many tiles cover the extent.
    pub grid: i64,
}

impl Image {
    /// The memory of an array, bounded dims at their bounds.
    ///
    /// # Errors
    /// [`Code::MissingFact`] for an unbounded dim; [`Code::InvalidLayout`] where [`Array::check_meaning`] refuses;
    /// [`Code::Overflow`] when the padded size leaves 64 bits.
    pub fn of(array: &Array) -> Result<Self, Error> {
        array.check_meaning()?;
        let dims = array.bounds()?;
        let mut order = Small::new();
        for dim in array.layout.minor_to_major.iter().rev() {
            order.push(index(*dim)?);
        }
        let mut tiled: Extents = order.iter().map(|dim| dims.get(*dim).copied().unwrap_or(1)).collect();
        let elements = product(&tiled)?;
        let mut steps = Vec::new();
        for tile in &array.layout.tiles {
            let step = Step::new(&tiled, &tile.0)?;
            tiled = step.dims.clone();
            steps.push(step);
        }
        let untailed = product(&tiled)?;
        let tail = array.layout.tail_padding;
        let size = narrow(i128::from(rounds(untailed, tail)) * i128::from(tail))?;
        let strides = strides(&tiled, untailed);
        Ok(Image { dims, order, steps, tiled, strides, elements, size, element_bits: array.element_bits() })
    }

    /// The logical dims.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The logical dims in memory, major first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The extents in memory before any tile, major first.
    pub fn physical_dims(&self) -> Vec<i64> {
        self.order.iter().map(|dim| self.dims.get(*dim).copied().unwrap_or(1)).collect()
    }

    /// The steps, one a tile.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The extents after all tiles, major first.
    pub fn tiled_dims(&self) -> &[i64] {
        &self.tiled
    }

    /// The stride of each tiled dim in elements.
    pub(crate) fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// The number of elements.
    pub fn elements(&self) -> i64 {
        self.elements
    }

    /// The number of places: elements and padding, tail padding included.
    pub fn size(&self) -> i64 {
        self.size
    }

    /// The bits of a place.
    pub fn element_bits(&self) -> i64 {
        self.element_bits
    }

    /// The bytes of all places.
    ///
    /// # Errors
    /// [`Code::Overflow`].
    pub fn bytes(&self) -> Result<i64, Error> {
        narrow((i128::from(self.size) * i128::from(self.element_bits) + 7) / 8)
    }

    /// The offset of an element, in elements.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] and [`Code::Range`] for an index that the array does not have.
    pub fn offset(&self, index: &[i64]) -> Result<i64, Error> {
        self.contains(index)?;
        Ok(self.at(index))
    }

    /// The coordinates of an element before the first tile and after each.
    ///
    /// # Errors
    /// As [`Image::offset`].
    pub fn walk(&self, index: &[i64]) -> Result<Vec<Vec<i64>>, Error> {
        self.contains(index)?;
        let mut at = self.physical(index);
        let mut walk = vec![at.to_vec()];
        for step in &self.steps {
            at = step.forward(&at);
            walk.push(at.to_vec());
        }
        Ok(walk)
    }

    /// The index of the element of a row-major number; `None` when there are fewer.
    pub fn numbered(&self, number: i64) -> Option<Vec<i64>> {
        let mut rest = (0..self.elements).contains(&number).then_some(number)?;
        let mut index = self.dims.to_vec();
        for coordinate in index.iter_mut().rev() {
            (*coordinate, rest) = (rest % *coordinate, rest / *coordinate);
        }
        Some(index)
    }

    /// What lies at an offset.
    ///
    /// # Errors
    /// [`Code::Range`] for an offset that the memory does not have.
    pub fn place(&self, offset: i64) -> Result<Place, Error> {
        self.place_traced(offset, &mut ())
    }

    /// [`Image::place`], with the coordinates after all tiles reported, and then those before each, the last tile first, up
    /// to one in whose padding the offset lies.
    ///
    /// # Errors
    /// As [`Image::place`].
    ///
    /// ```
    /// use bitstride::xla::{Array, Image, Place};
    /// let (array, mut walk): (Array, _) = ("f32[3,5]{1,0:T(2,2)}".parse()?, Vec::new());
    /// assert_eq!(Image::of(&array)?.place_traced(5, &mut walk)?, Place::Element(vec![0, 3]));
    /// assert_eq!(walk, [vec![0, 1, 0, 1], vec![0, 3]]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn place_traced(&self, offset: i64, trace: &mut impl Trace<Vec<i64>>) -> Result<Place, Error> {
        if !(0..self.size).contains(&offset) {
            return Err(error!(
                Code::Range,
                "offset {offset} is not among the {size} places",
                [offset, size = self.size]
            ));
        }
        Ok(self.element(offset, trace).map_or(Place::Padding, Place::Element))
    }

    fn element(&self, offset: i64, trace: &mut impl Trace<Vec<i64>>) -> Option<Vec<i64>> {
        crate::cancel::checkpoint();
        let mut rest = offset;
        let mut at = self.tiled.clone();
        for coordinate in at.iter_mut().rev() {
            let extent = (*coordinate).max(1);
            (*coordinate, rest) = (rest % extent, rest / extent);
        }
        if rest > 0 {
            return None;
        }
        trace.record(|| at.to_vec());
        for step in self.steps.iter().rev() {
            at = step.backward(&at)?;
            trace.record(|| at.to_vec());
        }
        let mut index = vec![0; self.dims.len()];
        for (dim, coordinate) in self.order.iter().zip(at.iter()) {
            *index.get_mut(*dim)? = *coordinate;
        }
        Some(index)
    }

    /// The offset of an index that is known to be one.
    pub(super) fn at(&self, index: &[i64]) -> i64 {
        crate::cancel::checkpoint();
        let mut at = self.physical(index);
        for step in &self.steps {
            at = step.forward(&at);
        }
        at.iter().zip(self.strides.iter()).map(|(coordinate, stride)| coordinate * stride).sum()
    }

    fn physical(&self, index: &[i64]) -> Extents {
        self.order.iter().map(|dim| index.get(*dim).copied().unwrap_or(0)).collect()
    }

    fn contains(&self, index: &[i64]) -> Result<(), Error> {
        if index.len() != self.dims.len() {
            let (entries, rank) = (index.len(), self.dims.len());
            let s = if entries == 1 { "y" } else { "ies" };
            return Err(error!(
                Code::RankMismatch,
                "an index with {entries} entr{s} for an array of rank {rank}",
                [entries, s, rank]
            ));
        }
        for (at, (coordinate, extent)) in index.iter().zip(self.dims.iter()).enumerate() {
            if !(0..*extent).contains(coordinate) {
                return Err(error!(
                    Code::Range,
                    "index {coordinate} of dim {at}, which has {extent}",
                    [coordinate, at, extent]
                ));
            }
        }
        Ok(())
    }
}

impl Step {
    fn new(before: &[i64], tile: &[TileDim]) -> Result<Self, Error> {
        let ones = tile.len().saturating_sub(before.len());
        let kept = before.len().saturating_sub(tile.len());
        let padded: Extents = std::iter::repeat_n(1, ones).chain(before.iter().copied()).collect();
        let mut cuts = Vec::new();
        let mut merged = Small::new();
        for (extent, tile) in padded.iter().skip(kept).zip(tile) {
            merged.push(*extent);
            if let TileDim::Size(tile) = tile {
                let merged = std::mem::take(&mut merged);
                let extent = product(&merged)?;
                cuts.push(Cut { merged, extent, tile: *tile, grid: rounds(extent, *tile) });
            }
        }
        let mut dims: Extents = padded.iter().take(kept).copied().collect();
        dims.extend(cuts.iter().map(|cut| cut.grid));
        dims.extend(cuts.iter().map(|cut| cut.tile));
        Ok(Step { ones, kept, cuts, dims })
    }

    fn forward(&self, at: &[i64]) -> Extents {
        let (kept, cut) = at.split_at_checked(self.kept).unwrap_or((at, &[]));
        let mut after = Extents::from_slice(kept);
        let mut rest = std::iter::repeat_n(0, self.ones).chain(cut.iter().copied());
        let mut insides = Extents::new();
        for cut in &self.cuts {
            let merged = cut.merged.iter().fold(0, |merged, extent| merged * extent + rest.next().unwrap_or(0));
            after.push(merged / cut.tile);
            insides.push(merged % cut.tile);
        }
        after.extend_from_slice(&insides);
        after
    }

    /// The coordinates before the step; `None` in padding.
    fn backward(&self, after: &[i64]) -> Option<Extents> {
        let grids = after.get(self.kept..self.kept + self.cuts.len())?;
        let insides = after.get(self.kept + self.cuts.len()..)?;
        let mut at: Extents = after.iter().take(self.kept).copied().collect();
        for ((grid, inside), cut) in grids.iter().zip(insides).zip(&self.cuts) {
            let mut merged = grid * cut.tile + inside;
            if merged >= cut.extent {
                return None;
            }
            let start = at.len();
            for extent in cut.merged.iter().rev() {
                at.insert(start, merged % extent);
                merged /= extent;
            }
        }
        Some(at.iter().skip(self.ones).copied().collect())
    }
}

impl Array {
    /// The extents that memory is laid out for.
    ///
    /// # Errors
    /// [`Code::MissingFact`] for an unbounded dim.
    pub fn bounds(&self) -> Result<Extents, Error> {
        let mut bounds = Extents::new();
        for (at, dim) in self.dims.iter().enumerate() {
            let Some(bound) = dim.bound() else {
                return Err(error!(
                    Code::MissingFact,
                    "dim {at} has no bound, so that nothing is known of its memory",
                    [at]
                )
                .with_help("write a bound: `<=1024`"));
            };
            bounds.push(bound);
        }
        Ok(bounds)
    }
}

/// The product of extents; 0 when one of them is 0, however large the others are.
fn product(extents: &[i64]) -> Result<i64, Error> {
    if extents.contains(&0) {
        return Ok(0);
    }
    extents.iter().try_fold(1i64, |product, extent| {
        product.checked_mul(*extent).ok_or_else(|| Error::overflow(&format!("the size of {}", listed(extents))))
    })
}

fn strides(extents: &[i64], size: i64) -> Extents {
    let mut strides = Extents::from_slice(extents);
    let mut stride = i64::from(size > 0);
    for place in strides.iter_mut().rev() {
        // Products of the minor extents are at most the size, which is known to fit.
        (*place, stride) = (stride, stride.saturating_mul(*place));
    }
    strides
}

/// How many tiles cover an extent.
fn rounds(extent: i64, tile: i64) -> i64 {
    extent / tile + i64::from(extent % tile != 0)
}
