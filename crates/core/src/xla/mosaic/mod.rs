//! [`MemRef`]: Mosaic's tiled memory reference, `memref<3x256xi8, #tpu.tiled<(2,128),[2,1]>>`.
//!
//! A [`TiledAttribute`] has tiles as XLA has them, and one stride a dim, counted in tiles of the first kind: the tiles
//! of the example lie two behind one another for each step of `d0` by 2. Its law is narrower than XLA's: the tiles after
//! the first cut only what is inside of it, and divide it; and wider: the strides may leave gaps. What both can say is
//! the same memory, and converts; the rest is refused with the number that does not fit.
//!
//! A [`VectorLayout`] is of registers, not of memory: where the elements of a value lie that was loaded.
//!
//! Integers of MLIR mostly have no sign: `i8` is read as `s8`, `i1` as `pred`, and both `s8` and `u8` are written `i8`,
//! as Mosaic wants them, with a note about the `u8`. What is spelled `ui8` is read as `u8` and printed so.

mod affine;
mod elements;
mod text;
mod vector;

pub(crate) use text::{read_memref, read_tiled, read_vector_type};
pub(crate) use vector::read_vector;
pub use vector::{Filling, LANES, SUBLANES, VectorLayout};

use std::cmp::Reverse;

use elements::element_name;

use super::jax::without_place;
use super::{Array, Dim, ElementType, Layout, Tile, TileDim};
use crate::cast::{index, length};
use crate::error::{Code, Error};

/// The layout attribute of Mosaic: `#tpu.tiled<(8,128)(2,1),[4,1]>`.
///
/// ```
/// use bitstride::xla::mosaic::TiledAttribute;
/// let tiled: TiledAttribute = "#tpu.tiled<(8,128)(2,1),[4,1]>".parse()?;
/// assert_eq!(tiled.tiles, [[8, 128], [2, 1]]);
/// assert_eq!(tiled.tile_strides, [4, 1]);
///
/// let error = "#tpu.tiled<(8,128)(3,1),[4,1]>".parse::<TiledAttribute>().unwrap_err();
/// assert_eq!(error.message(), "tile 1 of Mosaic's layout has the extent 3, which does not divide the 8 that it cuts");
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledAttribute {
    /// The tiles, in the order in which they apply; the first may be preceded by dims that it leaves alone.
    pub tiles: Vec<Vec<i64>>,
    /// One stride a dim, in first tiles; in elements when there are none.
    pub tile_strides: Vec<i64>,
}

/// A memory reference with the layout of Mosaic.
///
/// ```
/// use bitstride::xla::mosaic::MemRef;
/// let memref: MemRef = "memref<3x256xi8, #tpu.tiled<(2,128),[2,1]>, #tpu.memory_space<vmem>>".parse()?;
/// assert_eq!(memref.dims, [Some(3), Some(256)]);
/// assert_eq!(memref.element.name(), "s8");
/// assert_eq!(memref.memory_space.as_deref(), Some("#tpu.memory_space<vmem>"));
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemRef {
    /// The extents; `None` is `?`.
    pub dims: Vec<Option<i64>>,
    /// What an element is.
    pub element: ElementType,
    /// Where the elements lie.
    pub tiled: TiledAttribute,
    /// What stands after the layout, as written.
    pub memory_space: Option<String>,
}

impl TiledAttribute {
    /// The dims in front of the first tile, and the extents inside of it after all other tiles.
    ///
    /// # Errors
    /// [`Code::InvalidLayout`] when Mosaic has no meaning for the tiles.
    fn inside(&self) -> Result<(usize, Vec<i64>), Error> {
        let rank = self.tile_strides.len();
        if let Some(dim) = self.tile_strides.iter().position(|stride| *stride == i64::MIN) {
            return Err(error!(
                Code::InvalidLayout,
                "the tile stride {stride} of dim {dim} stands for an unknown one in Mosaic",
                [stride = i64::MIN, dim]
            ));
        }
        let mut inside = self.tiles.first().cloned().unwrap_or_default();
        let Some(kept) = rank.checked_sub(inside.len()) else {
            return Err(error!(
                Code::InvalidLayout,
                "the first tile has {dims} dims, the array has {rank}",
                [dims = inside.len(), rank]
            ));
        };
        for (at, tile) in self.tiles.iter().enumerate() {
            if let Some(extent) = tile.iter().find(|extent| **extent < 1) {
                return Err(error!(
                    Code::InvalidLayout,
                    "tile {at} of Mosaic's layout has the extent {extent}; extents begin at {least}",
                    [at, extent, least = 1]
                ));
            }
            if at == 0 {
                continue;
            }
            let Some(start) = inside.len().checked_sub(tile.len()) else {
                let (wide, have) = (tile.len(), inside.len());
                return Err(error!(
                    Code::InvalidLayout,
                    "tile {at} of Mosaic's layout has {wide} dims, there are {have} inside the first; it may not reach into the grid of tiles",
                    [at, wide, have]
                ));
            };
            let cut = inside.split_off(start);
            for (extent, tile) in cut.iter().zip(tile) {
                if extent % tile != 0 {
                    return Err(error!(
                        Code::InvalidLayout,
                        "tile {at} of Mosaic's layout has the extent {tile}, which does not divide the {extent} that it cuts",
                        [at, tile, extent]
                    ));
                }
                inside.push(extent / tile);
            }
            inside.extend_from_slice(tile);
        }
        Ok((kept, inside))
    }
}

impl MemRef {
    /// The array of XLA that is the same memory, and what has no place in it.
    ///
    /// Elements narrower than a byte, other than truth values, are packed: `i4` becomes `s4` with `E(4)`.
    ///
    /// # Errors
    /// [`Code::InvalidLayout`] for tiles that have no meaning; [`Code::NotALayout`] where the tile strides are not those
    /// of an array without gaps; [`Code::Parameter`] for a negative extent; [`Code::RankMismatch`] when there is not one
    /// stride a dim.
    ///
    /// ```
    /// use bitstride::xla::mosaic::MemRef;
    /// let memref: MemRef = "memref<4x24x256xbf16, #tpu.tiled<(8,128)(2,1),[6,2,1]>>".parse()?;
    /// let (array, notes) = memref.to_array()?;
    /// assert_eq!(array.to_string(), "bf16[4,24,256]{2,1,0:T(8,128)(2,1)}");
    /// assert!(notes.is_empty());
    ///
    /// let gaps: MemRef = "memref<4x24x256xbf16, #tpu.tiled<(8,128),[8,2,1]>>".parse()?;
    /// assert_eq!(gaps.to_array().unwrap_err().message(), "the tile stride of dim 0 is 8; without gaps it would be 6");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_array(&self) -> Result<(Array, Vec<String>), Error> {
        let (kept, _) = self.tiled.inside()?;
        let counts = counts(&self.dims, &self.tiled, kept)?;
        let (order, all) = order(&counts, &self.tiled.tile_strides, kept)?;
        let mut layout = Layout::ordered(order.iter().rev().map(|dim| length(*dim)).collect());
        for tile in &self.tiled.tiles {
            layout.tiles.push(Tile(tile.iter().copied().map(TileDim::Size).collect()));
        }
        layout.element_bits = packed_bits(self.element);
        let mut notes = Vec::new();
        if !all {
            let strides = &self.tiled.tile_strides;
            notes.push(match counts.contains(&Some(0)) {
                true => format!("without elements the tile strides {strides:?} say nothing"),
                false => format!("of the tile strides {strides:?} those of dims with one step say nothing"),
            });
        }
        if let Some(space) = &self.memory_space {
            notes.push(format!("the memory space {space} of Mosaic has no number in XLA"));
        }
        let dims = self.dims.iter().map(|dim| dim.map_or(Dim::Unbounded, Dim::Static)).collect();
        Ok((Array { element: self.element, dims, layout }, notes))
    }

    /// Whether Mosaic does not say if an element has a sign: its integers, also truth values.
    ///
    /// ```
    /// use bitstride::xla::mosaic::MemRef;
    /// let memref: MemRef = "memref<256xi8, #tpu.tiled<(256),[1]>>".parse()?;
    /// assert!(memref.has_signless_elements());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn has_signless_elements(&self) -> bool {
        let name = self.element.name();
        name == "pred" || name.starts_with('s') && name != "s1"
    }

    /// The memory reference of Mosaic that is the same memory as an array of XLA, and what has no place in it. A bounded
    /// dim is written as its bound.
    ///
    /// # Errors
    /// What [`Array::check_meaning`] says; [`Code::InvalidLayout`] for tiles that Mosaic does not take;
    /// [`Code::NotALayout`] for `*` in a tile, for a first tile over other dims than the last ones in their order, and for
    /// a dim of unknown extent that is not the slowest; [`Code::Overflow`] for strides beyond 64 bits.
    ///
    /// ```
    /// use bitstride::xla::{Array, mosaic::MemRef};
    /// let array: Array = "u8[3,256]{1,0:T(2,128)}".parse()?;
    /// let (memref, notes) = MemRef::of_array(&array)?;
    /// assert_eq!(memref.to_string(), "memref<3x256xi8, #tpu.tiled<(2,128),[2,1]>>");
    /// assert_eq!(notes, ["integers of Mosaic have no sign: u8 is written i8, which reads back as s8"]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_array(array: &Array) -> Result<(Self, Vec<String>), Error> {
        array.check_meaning()?;
        let lost = without_place(&array.layout).into_iter();
        let mut notes: Vec<_> = lost.map(|field| format!("a memref has no place for {field}")).collect();
        let mut dims = Vec::new();
        for (at, dim) in array.dims.iter().enumerate() {
            if let Dim::Bounded(bound) = dim {
                notes.push(format!("dim {at} is written as its bound {bound}: a memref has none"));
            }
            dims.push(dim.bound());
        }
        let mut tiled = TiledAttribute { tiles: Vec::new(), tile_strides: vec![1; dims.len()] };
        for tile in &array.layout.tiles {
            tiled.tiles.push(tile.0.iter().map(|dim| extent(*dim)).collect::<Result<_, _>>()?);
        }
        let (kept, _) = tiled.inside()?;
        let counts = counts(&dims, &tiled, kept)?;
        let order: Vec<usize> =
            array.layout.minor_to_major.iter().rev().map(|dim| index(*dim)).collect::<Result<_, _>>()?;
        if order.iter().skip(kept).copied().ne(kept..dims.len()) {
            let reached: Vec<_> = order.iter().skip(kept).map(usize::to_string).collect();
            return Err(error!(
                Code::NotALayout,
                "the first tile cuts the dims {dims}; in Mosaic it cuts the last ones in their order, from {kept} on",
                [dims = reached.join(", "), kept]
            ));
        }
        let mut stride = 1;
        for (at, dim) in order.iter().enumerate().rev() {
            if let Some(slot) = tiled.tile_strides.get_mut(*dim) {
                *slot = stride;
            }
            if at > 0 {
                let count = counts.get(*dim).copied().flatten().ok_or_else(|| unknown(*dim))?;
                stride = stride.checked_mul(count).ok_or_else(|| Error::overflow("a tile stride"))?;
            }
        }
        let element = signless(array.element);
        if element != array.element {
            let (name, written, read) = (array.element.name(), element_name(element), element.name());
            notes.push(format!(
                "integers of Mosaic have no sign: {name} is written {written}, which reads back as {read}"
            ));
        }
        let (bits, kept_bits) = (array.element_bits(), stored_bits(element));
        if bits != kept_bits {
            notes.push(format!(
                "a memref does not say that an element has {bits} bits of memory; read back it has {kept_bits}"
            ));
        }
        Ok((MemRef { dims, element, tiled, memory_space: None }, notes))
    }
}

/// The affine map from an index to the offset in elements, as Mosaic prints it for the array: a sum of one term a tiled
/// dim, major first.
///
/// # Errors
/// As [`MemRef::of_array`]: what has no memory reference has no such map.
///
/// ```
/// use bitstride::xla::{Array, mosaic};
/// let array: Array = "s8[3,256]{1,0:T(2,128)}".parse()?;
/// assert_eq!(
///     mosaic::affine_map(&array)?,
///     "(d0, d1) -> ((d0 floordiv 2) * 512 + (d1 floordiv 128) * 256 + (d0 mod 2) * 128 + d1 mod 128)",
/// );
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn affine_map(array: &Array) -> Result<String, Error> {
    MemRef::of_array(array)?.0.tiled.affine_map()
}

fn extent(dim: TileDim) -> Result<i64, Error> {
    match dim {
        TileDim::Size(size) => Ok(size),
        TileDim::Combine => {
            let error = Error::new(Code::NotALayout, "a tile of Mosaic has an extent for each dim, never `*`");
            Err(error.with_help("merge the dims of the array, so that the tile needs no `*`"))
        }
    }
}

/// How often each dim steps by its stride: once a tile where the first tile cuts it, else once an element; `None` where
/// the extent is unknown.
fn counts(dims: &[Option<i64>], tiled: &TiledAttribute, kept: usize) -> Result<Vec<Option<i64>>, Error> {
    if dims.len() != tiled.tile_strides.len() {
        return Err(Error::lengths(["tile strides", "dims"], tiled.tile_strides.len(), dims.len()));
    }
    if let Some((at, extent)) = dims.iter().enumerate().find_map(|(at, dim)| Some((at, dim.filter(|dim| *dim < 0)?))) {
        return Err(error!(Code::Parameter, "dim {at} has the negative extent {extent}", [at, extent]));
    }
    let first = tiled.tiles.first().into_iter().flatten().copied();
    let tiles = std::iter::repeat_n(1, kept).chain(first);
    Ok(dims
        .iter()
        .zip(tiles)
        .map(|(dim, tile)| dim.map(|extent| extent.div_euclid(tile) + i64::from(extent % tile != 0)))
        .collect())
}

/// The dims, slowest first, in an order whose strides without gaps are the given ones: the order of the dims, or that of
/// the strides where the first tile leaves the choice. An order that has all of them is better than one which has those
/// that matter, and whether it does is reported.
fn order(counts: &[Option<i64>], strides: &[i64], kept: usize) -> Result<(Vec<usize>, bool), Error> {
    let given: Vec<usize> = (0..counts.len()).collect();
    let mut sorted = given.clone();
    if let Some(free) = sorted.get_mut(..kept) {
        // Only the slowest dim may be of unknown extent. Dims slower than one without elements have the stride 0. Of two
        // dims with one stride, that with one step is the faster.
        free.sort_by_key(|dim| {
            let (stride, count) = (strides.get(*dim).copied().unwrap_or(1), counts.get(*dim).copied().flatten());
            (count.is_some(), stride != 0, Reverse(stride), count == Some(1))
        });
    }
    match (gapless(&given, counts, strides), gapless(&sorted, counts, strides)) {
        (Ok(true), _) => Ok((given, true)),
        (Ok(false), Ok(false) | Err(_)) => Ok((given, false)),
        (_, Ok(all)) => Ok((sorted, all)),
        (Err(error), Err(_)) => Err(error),
    }
}

/// Whether the strides, which leave no gap in an order where they matter, are all those of that order. A dim with one step
/// may have any stride, and so may all dims of an array without elements.
fn gapless(order: &[usize], counts: &[Option<i64>], strides: &[i64]) -> Result<bool, Error> {
    let empty = counts.contains(&Some(0));
    let mut all = true;
    // None once the product is beyond 64 bits.
    let mut expected = Some(1i64);
    let mut unmeasured = None;
    for dim in order.iter().rev() {
        let count = counts.get(*dim).copied().flatten();
        let stride = strides.get(*dim).copied().unwrap_or(1);
        let matters = count != Some(1) && !empty;
        if let Some(dim) = unmeasured {
            all = false;
            if matters {
                return Err(unknown(dim));
            }
        }
        if Some(stride) != expected {
            all = false;
            if matters {
                let wanted = expected.map_or_else(|| "beyond 64 bits".to_owned(), |wanted| wanted.to_string());
                return Err(error!(
                    Code::NotALayout,
                    "the tile stride of dim {dim} is {stride}; without gaps it would be {wanted}",
                    [dim, stride, wanted]
                ));
            }
        }
        match count {
            Some(count) => expected = expected.and_then(|expected| expected.checked_mul(count)),
            None => unmeasured = Some(*dim),
        }
    }
    Ok(all)
}

fn unknown(dim: usize) -> Error {
    error!(
        Code::NotALayout,
        "dim {dim} has an unknown extent and is not the slowest: nothing is known of the strides of slower dims",
        [dim]
    )
}

/// The type that MLIR's integers without a sign read as.
fn signless(element: ElementType) -> ElementType {
    let name = element.name();
    let other = match name.strip_prefix('u') {
        _ if name == "s1" || name == "u1" => "pred".to_owned(),
        Some(bits) => format!("s{bits}"),
        None => return element,
    };
    ElementType::from_name(&other).unwrap_or(element)
}

/// The `E(n)` of elements that are packed in a memref.
fn packed_bits(element: ElementType) -> i64 {
    if element.bits() < 8 && element.name() != "pred" { i64::from(element.bits()) } else { 0 }
}

fn stored_bits(element: ElementType) -> i64 {
    match packed_bits(element) {
        0 => i64::from(element.stored_bits()),
        bits => bits,
    }
}
