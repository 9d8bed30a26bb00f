//! [`JaxLayout`]: what JAX calls a `Layout`: the order of the dims the other way round, and the tiles.
//!
//! `Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)` is XLA's
//! `{1,0:T(8,128)(2,1)}`. Two things are easy to miss. Without a tiling (`None`, which is not the empty tiling `()`) JAX
//! forgets the element size. With one, and no element size, it takes that of an integer type below a byte:
//! an `int4` array is packed.
//!
//! Law: a layout of XLA without the fields that JAX lacks comes back from JAX unchanged.

use std::fmt;
use std::str::FromStr;

use super::{Array, ElementType, Layout, Tile, TileDim};
use crate::error::{Code, Error};
use crate::reader::Reader;

/// How JAX writes a dim of a tile that is merged into the next more minor one.
const COMBINE: i64 = i64::MIN;

/// A layout as JAX writes it.
///
/// ```
/// use bitstride::xla::JaxLayout;
/// let layout: JaxLayout = "Layout((0, 1), ((8, 128),))".parse()?;
/// assert_eq!(layout.major_to_minor, [0, 1]);
/// assert_eq!(
///     layout.to_string(),
///     "Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)",
/// );
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JaxLayout {
    /// The dims, slowest first.
    pub major_to_minor: Vec<i64>,
    /// The tiles; `None` is JAX's `None`, which drops the element size as well.
    pub tiling: Option<Vec<Tile>>,
    /// Bits of a packed element; 0 leaves them to the element type.
    pub sub_byte_bits: i64,
}

impl JaxLayout {
    /// The layout of XLA that JAX makes of this one for arrays of an element type, and what that leaves behind. Without
    /// an element type no packing is inferred.
    ///
    /// ```
    /// use bitstride::xla::{ElementType, JaxLayout};
    /// let layout: JaxLayout = "Layout((1, 0), ())".parse()?;
    /// let (xla, notes) = layout.to_layout(ElementType::from_name("s4"));
    /// assert_eq!((xla.minor_to_major, xla.element_bits, notes.len()), (vec![0, 1], 4, 1));
    ///
    /// let layout: JaxLayout = "Layout((1, 0), None, 4)".parse()?;
    /// let (xla, notes) = layout.to_layout(None);
    /// assert_eq!(xla.element_bits, 0);
    /// assert_eq!(notes, ["JAX drops the element size of 4 bits: it needs a tiling, if only the empty one, ()"]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_layout(&self, element: Option<ElementType>) -> (Layout, Vec<String>) {
        let mut layout = Layout::ordered(self.major_to_minor.iter().rev().copied().collect());
        let mut notes = Vec::new();
        match &self.tiling {
            Some(tiles) => {
                layout.tiles.clone_from(tiles);
                layout.element_bits = self.sub_byte_bits;
                if let (0, Some(element)) = (self.sub_byte_bits, element.filter(|element| packs(*element))) {
                    layout.element_bits = i64::from(element.bits());
                    notes.push(format!("JAX packs {} in {} bits an element", element.name(), element.bits()));
                }
            }
            None if self.sub_byte_bits != 0 => notes.push(format!(
                "JAX drops the element size of {} bits: it needs a tiling, if only the empty one, ()",
                self.sub_byte_bits
            )),
            None => {}
        }
        (layout, notes)
    }

    /// The layout that JAX reports for one of XLA, and the fields that have no place in it.
    ///
    /// ```
    /// use bitstride::xla::{JaxLayout, Layout};
    /// let mut layout = Layout::row_major(2);
    /// layout.memory_space = 1;
    /// let (jax, notes) = JaxLayout::of_layout(&layout);
    /// assert_eq!(jax.to_string(), "Layout(major_to_minor=(0, 1), tiling=(), sub_byte_element_size_in_bits=0)");
    /// assert_eq!(notes, ["a JAX layout has no place for the memory space S(1)"]);
    /// ```
    pub fn of_layout(layout: &Layout) -> (Self, Vec<String>) {
        let notes =
            without_place(layout).into_iter().map(|field| format!("a JAX layout has no place for {field}")).collect();
        let jax = JaxLayout {
            major_to_minor: layout.minor_to_major.iter().rev().copied().collect(),
            tiling: Some(layout.tiles.clone()),
            sub_byte_bits: layout.element_bits,
        };
        (jax, notes)
    }

    /// The layout from which JAX makes that of an array, and what is written although the array does not say it.
    ///
    /// # Errors
    /// [`Code::NotALayout`] for fields that have no place in it; what [`Array::check_meaning`] says.
    ///
    /// ```
    /// use bitstride::xla::{Array, JaxLayout};
    /// let array: Array = "bf16[16,256]{1,0:T(8,128)(2,1)}".parse()?;
    /// assert_eq!(
    ///     JaxLayout::of_array(&array)?.0.to_string(),
    ///     "Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)",
    /// );
    ///
    /// let elsewhere: Array = "f32[8]{0:S(5)}".parse()?;
    /// let error = JaxLayout::of_array(&elsewhere).unwrap_err();
    /// assert_eq!(error.message(), "a JAX layout has no place for the memory space S(5)");
    /// assert_eq!(error.help(), Some("without it: f32[8]{0}"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of_array(array: &Array) -> Result<(Self, Vec<String>), Error> {
        array.check_meaning()?;
        let lost = without_place(&array.layout);
        if let [_, more @ ..] = lost.as_slice() {
            let mut rest = Array { layout: Layout::ordered(array.layout.minor_to_major.clone()), ..array.clone() };
            rest.layout.tiles.clone_from(&array.layout.tiles);
            rest.layout.element_bits = array.layout.element_bits;
            let it = if more.is_empty() { "it" } else { "them" };
            return Err(error!(Code::NotALayout, "a JAX layout has no place for {lost}", [lost = lost.join(", ")])
                .with_help(format!("without {it}: {rest}")));
        }
        let (mut jax, mut notes) = JaxLayout::of_layout(&array.layout);
        if jax.sub_byte_bits == 0 && packs(array.element) {
            jax.sub_byte_bits = array.element_bits();
            let (name, bits) = (array.element.name(), array.element_bits());
            notes.push(format!("JAX packs {name} where no size is written: the {bits} bits of an element are"));
        }
        Ok((jax, notes))
    }
}

/// Whether JAX sets an element size for a type: integers below a byte.
fn packs(element: ElementType) -> bool {
    element.bits() < 8 && (element.is_unsigned() || element.name().starts_with('s'))
}

/// The fields of a layout that neither JAX nor Mosaic has, each named with its value.
pub(super) fn without_place(layout: &Layout) -> Vec<String> {
    let mut fields = Vec::new();
    if layout.tail_padding != 1 {
        fields.push(format!("the tail padding L({})", layout.tail_padding));
    }
    if layout.index_type.is_some() || layout.pointer_type.is_some() || layout.physical.is_some() {
        fields.push("the fields of a sparse array".to_owned());
    }
    if layout.memory_space != 0 {
        fields.push(format!("the memory space S({})", layout.memory_space));
    }
    for split in &layout.splits {
        fields.push(format!("the split of dim {}", split.dim));
    }
    if layout.metadata_prefix != 0 {
        fields.push(format!("the metadata prefix M({})", layout.metadata_prefix));
    }
    fields
}

/// As JAX prints it, `*` as the number that stands for it there.
impl fmt::Display for JaxLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = tuple(self.major_to_minor.iter().map(i64::to_string));
        let tiling = match &self.tiling {
            Some(tiles) => tuple(tiles.iter().map(|tile| tuple(tile.0.iter().map(|dim| number(*dim).to_string())))),
            None => "None".to_owned(),
        };
        let bits = self.sub_byte_bits;
        write!(f, "Layout(major_to_minor={order}, tiling={tiling}, sub_byte_element_size_in_bits={bits})")
    }
}

fn number(dim: TileDim) -> i64 {
    match dim {
        TileDim::Size(size) => size,
        TileDim::Combine => COMBINE,
    }
}

/// A tuple of Python, where one entry needs a comma.
fn tuple(entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<_> = entries.collect();
    match entries.as_slice() {
        [one] => format!("({one},)"),
        more => format!("({})", more.join(", ")),
    }
}

/// Reads what JAX prints, also under the older name `DeviceLocalLayout`, and the arguments without their names, of
/// which the later ones may be missing. `*` may stand for the number that JAX prints for it.
///
/// ```
/// use bitstride::xla::JaxLayout;
/// let error = "Layout((0, 1), ((-1, 8),))".parse::<JaxLayout>().unwrap_err();
/// assert_eq!(error.message(), "-1 is no extent of a tile");
/// assert_eq!(error.help(), Some("write `*` for a dim that is merged into the next more minor one"));
/// ```
impl FromStr for JaxLayout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let reader = &mut Reader::new(text);
        let layout = layout(reader)?;
        reader.end()?;
        Ok(layout)
    }
}

/// The layout at the start of a text, and how many bytes it takes.
///
/// # Errors
/// [`Code::Syntax`] and [`Code::Parameter`], with the place.
pub(super) fn read_jax(text: &str) -> Result<(JaxLayout, usize), Error> {
    let reader = &mut Reader::new(text);
    let layout = layout(reader)?;
    Ok((layout, reader.since(0).end))
}

fn layout(reader: &mut Reader<'_>) -> Result<JaxLayout, Error> {
    let start = reader.position();
    if !["Layout", "DeviceLocalLayout"].iter().any(|name| reader.take_word(name)) {
        let error = reader.expected("`Layout`");
        return Err(error.with_help("a layout of JAX is written Layout(major_to_minor=(0, 1), tiling=((8, 128),))"));
    }
    reader.need("(")?;
    let (mut order, mut tiling, mut bits) = (None, None, None);
    let mut next = Some(Argument::Order);
    while !reader.take(")") {
        let at = reader.position();
        let argument = argument(reader, &mut next)?;
        let repeated = match argument {
            Argument::Order => order.replace(numbers(reader, "a dim")?).is_some(),
            Argument::Tiling => tiling.replace(tiles(reader)?).is_some(),
            Argument::Bits => bits.replace(reader.integer("the bits of an element")?).is_some(),
        };
        if repeated {
            return Err(
                error!(Code::Parameter, "{name} is given twice", [name = argument.name()]).with_span(reader.since(at))
            );
        }
        if !reader.take(",") && !reader.rest().starts_with(')') {
            return Err(reader.expected("`,` or `)`"));
        }
    }
    let Some(major_to_minor) = order else {
        return Err(Error::new(Code::Parameter, "major_to_minor is missing").with_span(reader.since(start)));
    };
    Ok(JaxLayout { major_to_minor, tiling: tiling.flatten(), sub_byte_bits: bits.unwrap_or(0) })
}

/// The arguments, in their order.
#[derive(Clone, Copy)]
enum Argument {
    Order,
    Tiling,
    Bits,
}

impl Argument {
    fn name(self) -> &'static str {
        match self {
            Argument::Order => "major_to_minor",
            Argument::Tiling => "tiling",
            Argument::Bits => "sub_byte_element_size_in_bits",
        }
    }
}

/// Which argument begins here: the one that is named, or the next in order while none was named.
fn argument(reader: &mut Reader<'_>, next: &mut Option<Argument>) -> Result<Argument, Error> {
    const ALL: [Argument; 3] = [Argument::Order, Argument::Tiling, Argument::Bits];
    let start = reader.position();
    if reader.rest().starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !reader.rest().starts_with("None") {
        *next = None;
        let word = reader.word();
        let named = ALL.into_iter().find(|argument| argument.name() == word.trim_start_matches('_'));
        let Some(argument) = named else {
            let help = match word {
                "minor_to_major" => "JAX has the slowest dim first: XLA's {1,0} is major_to_minor=(0, 1)",
                _ => "its arguments are major_to_minor, tiling and sub_byte_element_size_in_bits",
            };
            return Err(error!(Code::Parameter, "a layout of JAX has no argument {word}", [word])
                .with_span(reader.since(start))
                .with_help(help));
        };
        reader.need("=")?;
        return Ok(argument);
    }
    let argument = next.take().ok_or_else(|| reader.expected("an argument with its name, or `)`"))?;
    *next = match argument {
        Argument::Order => Some(Argument::Tiling),
        Argument::Tiling => Some(Argument::Bits),
        Argument::Bits => None,
    };
    Ok(argument)
}

/// A tuple of Python.
fn entries<T>(
    reader: &mut Reader<'_>,
    mut entry: impl FnMut(&mut Reader<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    reader.need("(")?;
    let mut entries = Vec::new();
    while !reader.take(")") {
        entries.push(entry(reader)?);
        if !reader.take(",") {
            if !reader.rest().starts_with(')') {
                return Err(reader.expected("`,` or `)`"));
            }
            if entries.len() == 1 {
                return Err(reader.expected("`,`").with_help("Python writes a tuple of one with a comma: (0,)"));
            }
        }
    }
    Ok(entries)
}

fn numbers(reader: &mut Reader<'_>, what: &str) -> Result<Vec<i64>, Error> {
    entries(reader, |reader| reader.integer(what))
}

fn tiles(reader: &mut Reader<'_>) -> Result<Option<Vec<Tile>>, Error> {
    if reader.take("None") {
        return Ok(None);
    }
    let tile = |reader: &mut Reader<'_>| {
        if reader.rest().starts_with(|c: char| c.is_ascii_digit()) {
            let help = "tiling is a tuple of tiles, also where it is one: `tiling=((8, 128),)`; \
                        a layout of CuTe is written (4,2):(2,1)";
            return Err(reader.expected("`(` and the extents of a tile").with_help(help));
        }
        Ok(Tile(entries(reader, tile_dim)?))
    };
    entries(reader, tile).map(Some)
}

fn tile_dim(reader: &mut Reader<'_>) -> Result<TileDim, Error> {
    let start = reader.position();
    if reader.take("*") {
        return Ok(TileDim::Combine);
    }
    match reader.integer("an extent of a tile")? {
        COMBINE => Ok(TileDim::Combine),
        size if size < 0 => {
            let error = error!(Code::Parameter, "{size} is no extent of a tile", [size]);
            let help = "write `*` for a dim that is merged into the next more minor one";
            Err(error.with_span(reader.since(start)).with_help(help))
        }
        size => Ok(TileDim::Size(size)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<JaxLayout, Error> {
        text.parse()
    }

    #[test]
    fn what_is_printed_reads_back() -> Result<(), Error> {
        for text in [
            "Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)",
            "Layout(major_to_minor=(), tiling=(), sub_byte_element_size_in_bits=4)",
            "Layout(major_to_minor=(0,), tiling=((8,),), sub_byte_element_size_in_bits=0)",
            "Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=-3)",
            "Layout(major_to_minor=(0, 1), tiling=((-9223372036854775808, 8), ()), sub_byte_element_size_in_bits=0)",
        ] {
            assert_eq!(read(text)?.to_string(), text);
        }
        Ok(())
    }

    #[test]
    fn short_and_older_spellings_are_the_same_layout() -> Result<(), Error> {
        let layout = read("Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)")?;
        for text in [
            "Layout((0,1), ((8,128),), 0)",
            "Layout ( ( 0 , 1 , ) , ( ( 8 , 128 ) , ) , ) ",
            "Layout(tiling=((8,128),), major_to_minor=(0,1))",
            "Layout((0,1), tiling=((8,128),))",
            "DeviceLocalLayout(major_to_minor=(0, 1), _tiling=((8, 128),), _sub_byte_element_size_in_bits=0)",
        ] {
            assert_eq!(read(text)?, layout, "{text}");
        }
        assert_eq!(read("Layout((0,1), ((*,8),))")?.tiling, read("Layout((0,1), ((-9223372036854775808,8),))")?.tiling);
        assert_eq!(read("Layout((0,1))")?.tiling, None);
        Ok(())
    }

    #[test]
    fn other_texts_are_refused_where_they_go_wrong() {
        for (text, code, start) in [
            ("", "unexpected-end", 0),
            (" Format((0,1))", "unexpected-token", 1),
            ("Layout((0))", "unexpected-token", 9),
            ("Layout(0)", "unexpected-token", 7),
            ("Layout((0,1), ((8,128)))", "unexpected-token", 22),
            ("Layout((0,1), (8,128))", "unexpected-token", 15),
            ("Layout((0,1)", "unexpected-end", 12),
            ("Layout((0,1)) x", "unexpected-token", 14),
            ("Layout((0,1), tile=())", "parameter", 14),
            ("Layout((0,1), major_to_minor=())", "parameter", 14),
            ("Layout(tiling=(), (0,1))", "unexpected-token", 18),
            ("Layout()", "parameter", 0),
            ("Layout((0,1), (), 0, 0)", "unexpected-token", 21),
            ("Layout((9223372036854775808,))", "integer-too-large", 8),
            ("Layout((0,), ((-8,),))", "parameter", 15),
            ("Layout((0,), ((é,),))", "unexpected-token", 15),
        ] {
            let error = read(text).err();
            let got = error.as_ref().map(|error| (error.code().as_str(), error.span().map(|span| span.start)));
            assert_eq!(got, Some((code, Some(start))), "{text}: {error:?}");
        }
    }

    #[test]
    fn what_jax_lacks_is_said() {
        let mut layout = Layout::row_major(1);
        layout.tail_padding = 8;
        layout.memory_space = 5;
        layout.metadata_prefix = 4;
        let (jax, notes) = JaxLayout::of_layout(&layout);
        assert_eq!(notes.len(), 3);
        assert_eq!(jax.to_layout(None), (Layout::row_major(1), Vec::new()));
    }
}
