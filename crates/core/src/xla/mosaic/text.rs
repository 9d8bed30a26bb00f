//! The texts of [`TiledAttribute`] and [`MemRef`], as MLIR prints them; white space is free.

use std::fmt;
use std::str::FromStr;

use super::super::{Array, ElementType};
use super::elements::element_name;
use super::{MemRef, TiledAttribute};
use crate::error::{Code, Error};
use crate::reader::Reader;
use crate::text::Span;

/// As Mosaic prints it, `#tpu.tiled<(8,128)(2,1),[4,1]>`.
impl fmt::Display for TiledAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#tpu.tiled<")?;
        for tile in &self.tiles {
            write!(f, "({})", joined(tile))?;
        }
        write!(f, ",[{}]>", joined(&self.tile_strides))
    }
}

fn joined(numbers: &[i64]) -> String {
    let numbers: Vec<_> = numbers.iter().map(i64::to_string).collect();
    numbers.join(",")
}

/// As Mosaic prints it, `memref<3x256xi8, #tpu.tiled<(2,128),[2,1]>>`.
impl fmt::Display for MemRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("memref<")?;
        for dim in &self.dims {
            match dim {
                Some(extent) => write!(f, "{extent}x")?,
                None => f.write_str("?x")?,
            }
        }
        write!(f, "{}, {}", element_name(self.element), self.tiled)?;
        if let Some(space) = &self.memory_space {
            write!(f, ", {space}")?;
        }
        f.write_str(">")
    }
}

/// Reads the attribute. Tiles that have no meaning are refused, as Mosaic does.
impl FromStr for TiledAttribute {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let reader = &mut Reader::new(text);
        let (tiled, at) = attribute(reader)?;
        reader.end()?;
        meaning(&tiled, at)?;
        Ok(tiled)
    }
}

/// Reads the type with its layout, and a memory space when one follows; the default memory space `0` is none.
///
/// ```
/// use bitstride::xla::mosaic::MemRef;
/// let error = "memref<8x128xi7, #tpu.tiled<(8,128),[1,1]>>".parse::<MemRef>().unwrap_err();
/// assert_eq!(error.message(), "XLA has no element type for i7");
/// ```
impl FromStr for MemRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let reader = &mut Reader::new(text);
        let (memref, at) = memref(reader)?;
        reader.end()?;
        meaning(&memref.tiled, at)?;
        Ok(memref)
    }
}

/// The memory reference at the start of a text, and how many bytes it takes. Whether its tiles have a meaning is not
/// looked at.
///
/// # Errors
/// [`Code::Syntax`], [`Code::UnknownName`] and [`Code::RankMismatch`], with the place.
pub(crate) fn read_memref(text: &str) -> Result<(MemRef, usize), Error> {
    let reader = &mut Reader::new(text);
    let (memref, _) = memref(reader)?;
    Ok((memref, reader.since(0).end))
}

/// The layout at the start of a text, `#tpu.tiled<(8,128),[2,1]>`, and how many bytes it takes.
///
/// # Errors
/// As [`read_memref`].
pub(crate) fn read_tiled(text: &str) -> Result<(TiledAttribute, usize), Error> {
    let reader = &mut Reader::new(text);
    let (tiled, _) = attribute(reader)?;
    Ok((tiled, reader.since(0).end))
}

/// The type of a vector at the start of a text, `vector<8x128xf32>`, as an array, and how many bytes it takes.
///
/// # Errors
/// [`Code::Syntax`] and [`Code::UnknownName`], with the place.
pub(crate) fn read_vector_type(text: &str) -> Result<(Array, usize), Error> {
    let reader = &mut Reader::new(text);
    reader.need("vector")?;
    reader.need("<")?;
    let mut dims = Vec::new();
    while reader.rest().starts_with(|c: char| c.is_ascii_digit()) {
        dims.push(reader.integer("an extent")?);
        reader.need("x")?;
    }
    let element = element(reader)?;
    reader.need(">")?;
    Ok((Array::row_major(element, &dims), reader.since(0).end))
}

/// A memory reference and where its layout stands.
fn memref(reader: &mut Reader<'_>) -> Result<(MemRef, Span), Error> {
    let start = reader.position();
    reader.need("memref")?;
    reader.need("<")?;
    let mut dims = Vec::new();
    while reader.rest().starts_with(|c: char| c == '?' || c.is_ascii_digit()) {
        dims.push(if reader.take("?") { None } else { Some(reader.integer("an extent")?) });
        reader.need("x")?;
    }
    let element = element(reader)?;
    if !reader.take(",") || !reader.rest().starts_with("#tpu.tiled") {
        let help = "Mosaic's layout is needed: the tiles, none or some, and a stride a dim, #tpu.tiled<(8,128),[1,1]>";
        return Err(reader.expected("`, #tpu.tiled<…>`").with_help(help));
    }
    let (tiled, at) = attribute(reader)?;
    let memory_space = if reader.take(",") { memory_space(reader)? } else { None };
    reader.need(">")?;
    if dims.len() != tiled.tile_strides.len() {
        let error = Error::lengths(["tile strides", "dims"], tiled.tile_strides.len(), dims.len());
        return Err(error.with_span(reader.since(start)));
    }
    Ok((MemRef { dims, element, tiled, memory_space }, at))
}

/// An attribute and where it stands.
fn attribute(reader: &mut Reader<'_>) -> Result<(TiledAttribute, Span), Error> {
    let start = reader.position();
    reader.need("#tpu.tiled")?;
    reader.need("<")?;
    let mut tiles = Vec::new();
    while reader.take("(") {
        tiles.push(reader.list(")", tile_extent)?);
    }
    if !reader.take(",") {
        let help = "a stride for each dim stands behind the tiles: `#tpu.tiled<(8,128),[2,1]>`";
        return Err(reader.expected("`,` and the tile strides").with_help(help));
    }
    reader.need("[")?;
    let tile_strides = reader.list("]", |reader| reader.integer("a tile stride"))?;
    reader.need(">")?;
    Ok((TiledAttribute { tiles, tile_strides }, reader.since(start)))
}

/// Refuses tiles that have no meaning.
fn meaning(tiled: &TiledAttribute, at: Span) -> Result<(), Error> {
    tiled.inside().map(|_| ()).map_err(|error| error.with_span(at))
}

fn tile_extent(reader: &mut Reader<'_>) -> Result<i64, Error> {
    if reader.rest().starts_with('*') {
        return Err(reader.expected("an extent of a tile").with_help("a tile of Mosaic has no merged dims"));
    }
    reader.integer("an extent of a tile")
}

/// What stands up to the bracket that closes the memref.
fn memory_space(reader: &mut Reader<'_>) -> Result<Option<String>, Error> {
    let rest = reader.rest();
    let mut open = 0usize;
    let end = rest.find(|c| match c {
        ',' => open == 0,
        '<' => {
            open = open.saturating_add(1);
            false
        }
        '>' if open == 0 => true,
        '>' => {
            open = open.saturating_sub(1);
            false
        }
        _ => false,
    });
    let space = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    if space.trim_end().is_empty() {
        return Err(reader.expected("a memory space"));
    }
    reader.take(space);
    Ok(Some(space.trim_end()).filter(|space| *space != "0").map(str::to_owned))
}

/// An element type of MLIR.
fn element(reader: &mut Reader<'_>) -> Result<ElementType, Error> {
    let start = reader.position();
    let marked = reader.take("!");
    let mut name = reader.run(|c| c.is_ascii_alphanumeric() || c == '_' || marked && c == '.').to_owned();
    if name.is_empty() {
        return Err(reader.expected("an element type"));
    }
    if !marked && name == "complex" {
        reader.need("<")?;
        name = format!("complex<{}>", reader.word());
        reader.need(">")?;
    }
    // A signed integer is one without a sign here.
    let plain = name.strip_prefix("si").filter(|bits| *bits != "1").map(|bits| format!("i{bits}"));
    let plain = plain.unwrap_or_else(|| name.clone());
    let found = ElementType::all().find(|element| !marked && element_name(*element) == plain);
    found.ok_or_else(|| {
        let mark = if marked { "!" } else { "" };
        error!(Code::UnknownName, "XLA has no element type for {mark}{name}", [mark, name])
            .with_span(reader.since(start))
    })
}
