//! [`VectorLayout`]: where Mosaic keeps a value in vector registers, `#tpu.vpad<"32,{0,0},(8,128)">`.
//!
//! A vector register has 8 sublanes of 128 lanes of 32 bits. The last two dims of a value, counted with its implicit dims,
//! start at the offsets in a plane that is cut into tiles. Each tile is written row by row in rows of 128 lanes. `32 / bits`
//! of these rows share a sublane, the first in the lowest bits. A register holds as many tiles as fill it, which follow each
//! other along the last dim. The next registers continue along the last dim, then along the second to last, then along all
//! other dims. An offset `*` says that the value does not vary along that dim, so that every position holds it.
//!
//! Source: `VectorLayout` in `jaxlib/mosaic/dialect/tpu/layout.h` of JAX.

use std::fmt;
use std::str::FromStr;

use crate::error::{Code, Error};
use crate::reader::Reader;
use crate::refusal::OneOf;
use crate::xla::Array;

/// The lanes of a vector register.
pub const LANES: i64 = 128;
/// The sublanes of a vector register.
pub const SUBLANES: i64 = 8;
/// The bits of a lane of one sublane.
const LANE_BITS: i64 = 32;

/// The layout of a value in vector registers.
///
/// ```
/// use bitstride::xla::mosaic::VectorLayout;
/// let layout: VectorLayout = "#tpu.vpad<\"16,{*,0},(16,128),-2\">".parse()?;
/// assert_eq!((layout.bits, layout.offsets, layout.tile), (16, [None, Some(0)], [16, 128]));
/// assert_eq!(layout.implicit, [true, false]);
///
/// let error = "#tpu.vpad<\"32,{8,0},(8,128)\">".parse::<VectorLayout>().unwrap_err();
/// assert_eq!(error.message(), "the offset 8 lies outside of the tile, which has 8 rows");
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VectorLayout {
    /// The bits of an element.
    pub bits: i64,
    /// The row and the column at which the first element lies; `None` is `*`.
    pub offsets: [Option<i64>; 2],
    /// The rows and columns of a tile.
    pub tile: [i64; 2],
    /// Whether the second to last and the last dim are implicit: of extent 1, and no dims of the value.
    pub implicit: [bool; 2],
}

/// How the registers of a layout are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Filling {
    /// The elements that share a lane of a sublane.
    pub packing: i64,
    /// The sublanes that a tile takes.
    pub tile_sublanes: i64,
    /// The tiles of a register.
    pub tiles: i64,
}

impl VectorLayout {
    /// How a register is filled.
    ///
    /// # Errors
    /// [`Code::InvalidLayout`] for bits, tiles and offsets that Mosaic refuses, and for tiles in which it gives elements no place.
    ///
    /// ```
    /// use bitstride::xla::mosaic::VectorLayout;
    /// let layout: VectorLayout = "#tpu.vpad<\"8,{0,0},(8,128)\">".parse()?;
    /// let filling = layout.filling()?;
    /// assert_eq!((filling.packing, filling.tile_sublanes, filling.tiles), (4, 2, 4));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn filling(&self) -> Result<Filling, Error> {
        let (code, bits, [rows, columns]) = (Code::InvalidLayout, self.bits, self.tile);
        if !matches!(bits, 1 | 2 | 4 | 8 | 16 | 32) {
            let allowed = OneOf(&[1, 2, 4, 8, 16, 32]);
            return Err(error!(code, "elements in vector registers have {allowed} bits, not {bits}", [allowed, bits]));
        }
        let packing = LANE_BITS / bits;
        if rows < 1 || columns < 1 {
            return Err(error!(
                code,
                "a tile has extents from {least} on, not ({rows},{columns})",
                [least = 1; tile = [rows, columns]]
            ));
        }
        if columns != LANES && (rows != 1 || columns % LANES != 0) {
            return Err(error!(
                code,
                "a tile has {lanes} columns, or one row of a multiple of {lanes}: Mosaic has no place for the elements of ({rows},{columns})",
                [lanes = LANES; tile = [rows, columns]]
            ));
        }
        // One of both is as long as the tile, the other is 1.
        let lines = rows.max(columns / LANES);
        let tile_sublanes = lines / packing;
        if lines % packing != 0 || tile_sublanes < 1 || SUBLANES % tile_sublanes != 0 {
            let sublanes = [1, 2, 4, 8];
            let fits = sublanes.map(|sublanes| (sublanes * packing).to_string()).join(", ");
            let sublanes = OneOf(&sublanes);
            return Err(error!(
                code,
                "a tile of {bits} bits has {fits} rows of {lanes} lanes, not {lines}: it takes {sublanes} sublanes",
                [bits, fits, lanes = LANES, lines, sublanes]
            ));
        }
        let filling = Filling { packing, tile_sublanes, tiles: SUBLANES / tile_sublanes };
        let width = self.width(&filling);
        match self.offsets {
            [Some(row), _] if !(0..rows).contains(&row) => {
                Err(error!(code, "the offset {row} lies outside of the tile, which has {rows} rows", [row, rows]))
            }
            [_, Some(column)] if !(0..width).contains(&column) => Err(error!(
                code,
                "the offset {column} lies outside of the register, which has {width} columns in {tiles} tiles",
                [column, width, tiles = filling.tiles]
            )),
            _ => Ok(filling),
        }
    }

    /// The columns of all tiles of a register.
    pub(crate) fn width(&self, filling: &Filling) -> i64 {
        filling.tiles.saturating_mul(self.tile[1])
    }

    /// The extents of a value with its implicit dims.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] where the value has fewer dims than the layout needs.
    pub(crate) fn with_implicit(&self, dims: &[i64]) -> Result<Vec<i64>, Error> {
        let needed = self.implicit.iter().filter(|implicit| !**implicit).count();
        let Some(kept) = dims.len().checked_sub(needed) else {
            return Err(error!(
                Code::RankMismatch,
                "{layout} lays out the last {needed} dims, the value has {rank}",
                [layout = self, needed, rank = dims.len()]
            )
            .with_help("`,-2` behind the tile puts a dim before the last one, `,-1` one behind it"));
        };
        let (before, mut own) = dims.split_at_checked(kept).unwrap_or((dims, &[]));
        let mut extents = before.to_vec();
        for implicit in self.implicit {
            let (first, rest) = if implicit { (&1, own) } else { own.split_first().unwrap_or((&1, own)) };
            extents.push(*first);
            own = rest;
        }
        Ok(extents)
    }

    /// The registers of a value along each of its dims, with those that are implicit.
    ///
    /// # Errors
    /// As [`VectorLayout::filling`]; [`Code::RankMismatch`]; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::xla::mosaic::VectorLayout;
    /// let layout: VectorLayout = "#tpu.vpad<\"32,{1,0},(8,128)\">".parse()?;
    /// assert_eq!(layout.registers(&[3, 16, 130])?, [3, 3, 2]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn registers(&self, dims: &[i64]) -> Result<Vec<i64>, Error> {
        let filling = self.filling()?;
        let mut extents = self.with_implicit(dims)?;
        let windows = [self.tile[0], self.width(&filling)];
        for ((extent, offset), window) in
            extents.iter_mut().rev().zip(self.offsets.iter().rev()).zip(windows.iter().rev())
        {
            *extent = match offset {
                None => 1,
                Some(offset) => {
                    let end = extent.checked_add(*offset).ok_or_else(|| Error::overflow("the end of a value"))?;
                    // A value without elements fills no register, wherever it begins.
                    if *extent == 0 { 0 } else { end.div_euclid(*window) + i64::from(end % window != 0) }
                }
            };
        }
        Ok(extents)
    }

    /// Refuses elements of another size; a truth value is a mask, whose size is that of what it masks.
    ///
    /// # Errors
    /// [`Code::InvalidLayout`].
    pub(crate) fn check_element(&self, array: &Array) -> Result<(), Error> {
        let bits = i64::from(array.element.bits());
        if bits == self.bits || array.element.name() == "pred" {
            return Ok(());
        }
        Err(error!(
            Code::InvalidLayout,
            "{layout} is for elements of {laid_out} bits; {element} has {bits}",
            [layout = self, laid_out = self.bits, element = array.element.name(), bits]
        ))
    }
}

/// As Mosaic prints it, `#tpu.vpad<"16,{*,0},(16,128),-2">`.
impl fmt::Display for VectorLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = |offset: Option<i64>| offset.map_or_else(|| "*".to_owned(), |offset| offset.to_string());
        let [row, column] = self.offsets.map(offset);
        let [rows, columns] = self.tile;
        write!(f, "#tpu.vpad<\"{},{{{row},{column}}},({rows},{columns})", self.bits)?;
        for (implicit, text) in self.implicit.iter().zip([",-2", ",-1"]) {
            f.write_str(if *implicit { text } else { "" })?;
        }
        f.write_str("\">")
    }
}

/// Reads the attribute. What Mosaic refuses is refused.
impl FromStr for VectorLayout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let reader = &mut Reader::new(text);
        let layout = attribute(reader)?;
        let whole = reader.since(0);
        reader.end()?;
        layout.filling().map_err(|error| error.with_span(whole))?;
        Ok(layout)
    }
}

/// The layout at the start of a text, and how many bytes it takes. Whether it has a meaning is not looked at.
///
/// # Errors
/// The codes of syntax, with the place.
pub(crate) fn read_vector(text: &str) -> Result<(VectorLayout, usize), Error> {
    let reader = &mut Reader::new(text);
    let layout = attribute(reader)?;
    Ok((layout, reader.since(0).end))
}

fn attribute(reader: &mut Reader<'_>) -> Result<VectorLayout, Error> {
    const HELP: &str = "Mosaic writes `#tpu.vpad<\"32,{0,0},(8,128)\">`: the bits of an element, the offsets, the tile, and `,-2` or \
                        `,-1` for implicit dims";
    let start = reader.position();
    let read = |reader: &mut Reader<'_>| {
        reader.need("#tpu.vpad")?;
        reader.need("<")?;
        reader.need("\"")?;
        if reader.take_word("none") {
            let message = "`none` is the layout of what is in no vector register";
            return Err(Error::new(Code::NoLayout, message).with_span(reader.since(start)));
        }
        let bits = reader.integer("the bits of an element")?;
        reader.need(",")?;
        reader.need("{")?;
        let row = offset(reader)?;
        reader.need(",")?;
        let column = offset(reader)?;
        reader.need("}")?;
        reader.need(",")?;
        reader.need("(")?;
        let rows = reader.integer("the rows of a tile")?;
        reader.need(",")?;
        let columns = reader.integer("the columns of a tile")?;
        reader.need(")")?;
        let implicit = [implicit(reader, "-2"), implicit(reader, "-1")];
        reader.need("\"")?;
        reader.need(">")?;
        Ok(VectorLayout { bits, offsets: [row, column], tile: [rows, columns], implicit })
    };
    read(reader).map_err(|error| if error.code() == Code::NoLayout { error } else { error.with_help(HELP) })
}

/// An offset, or `*`.
fn offset(reader: &mut Reader<'_>) -> Result<Option<i64>, Error> {
    if reader.take("*") { Ok(None) } else { reader.integer("an offset or `*`").map(Some) }
}

/// Whether `,-2` or `,-1` is at hand, which is then read.
fn implicit(reader: &mut Reader<'_>, number: &str) -> bool {
    let is_it = reader.rest().strip_prefix(',').is_some_and(|rest| rest.trim_start().starts_with(number));
    is_it && reader.take(",") && reader.take(number)
}
