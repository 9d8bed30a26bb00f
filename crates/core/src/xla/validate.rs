//! Whether a shape that was read says something that can be: XLA's own rules ([`Shape::validate`],
//! [`Array::validate`]), and on top of those the rules without which a layout has no meaning although XLA lets it pass
//! ([`Array::check_meaning`]).
//!
//! XLA allows extents of 0, extents known at run time only, and tiles with more dims than the array.

use super::parse::{Counted, how_to_order};
use super::tokens::excerpt;
use super::{Array, Dim, IndexType, Layout, Shape, Split, Tile, TileDim};
use crate::error::{Code, Error};

impl Shape {
    /// Checks every array of the shape as XLA does.
    ///
    /// # Errors
    /// [`Code::InvalidLayout`], as [`Array::validate`], for the first array that fails.
    pub fn validate(&self) -> Result<(), Error> {
        self.each_array(Array::validate)
    }

    /// Checks that every array of the shape has a meaning.
    ///
    /// # Errors
    /// [`Code::InvalidLayout`], as [`Array::check_meaning`], for the first array that fails.
    pub fn check_meaning(&self) -> Result<(), Error> {
        self.each_array(Array::check_meaning)
    }

    /// Whether some array has an index or a pointer of a type that prints as `invalid`: its text is not read again.
    ///
    /// ```
    /// use bitstride::xla::Shape;
    /// assert!("(f32[3], f32[3]{0:#(s32)})".parse::<Shape>()?.has_invalid_type());
    /// assert!(!"f32[3]{0:#(u32)}".parse::<Shape>()?.has_invalid_type());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn has_invalid_type(&self) -> bool {
        let invalid = |layout: &Layout| [layout.index_type, layout.pointer_type].contains(&Some(IndexType::Invalid));
        match self {
            Shape::Array(array) | Shape::Buffer(array) => {
                let within = array.layout.physical.as_ref();
                invalid(&array.layout) || within.is_some_and(|shape| shape.has_invalid_type())
            }
            Shape::Tuple(elements) => elements.iter().any(Shape::has_invalid_type),
            Shape::Token | Shape::Opaque => false,
        }
    }

    fn each_array(&self, check: fn(&Array) -> Result<(), Error>) -> Result<(), Error> {
        match self {
            Shape::Array(array) | Shape::Buffer(array) => check(array),
            Shape::Tuple(elements) => elements.iter().enumerate().try_for_each(|(index, element)| {
                element.each_array(check).map_err(|error| error.about(format_args!("element {index} of the tuple")))
            }),
            Shape::Token | Shape::Opaque => Ok(()),
        }
    }
}

impl Array {
    /// Checks what XLA checks: the layout orders the dims, no tile is empty or has an extent of 0, `E(n)` is not
    /// negative, no field of sparse arrays is there, and the elements without padding have a size in bytes.
    ///
    /// ```
    /// use bitstride::xla::Shape;
    /// let error = "f32[3,5]{0,0}".parse::<Shape>()?.validate().unwrap_err();
    /// assert_eq!(error.message(), "the layout `{0,0}` names dim 0 twice");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::InvalidLayout`], with the field and its numbers.
    pub fn validate(&self) -> Result<(), Error> {
        self.check_size()?;
        check_order(&self.layout, self.dims.len())?;
        self.layout.tiles.iter().try_for_each(check_tile)?;
        check_fields(&self.layout)
    }

    /// Checks what [`Array::validate`] does, and what a layout needs besides to have a meaning: a `*` in a tile has a
    /// more minor dim to merge into, the cuts of `SC` cut dims of the array into parts with something in them, and the
    /// memory space is not negative.
    ///
    /// ```
    /// use bitstride::xla::Array;
    /// let array: Array = "f32[3,5]{1,0:T(2,*)}".parse()?;
    /// array.validate()?;
    /// assert_eq!(array.check_meaning().unwrap_err().code().as_str(), "invalid-layout");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::InvalidLayout`], with the field and its numbers.
    pub fn check_meaning(&self) -> Result<(), Error> {
        self.validate()?;
        self.layout.tiles.iter().try_for_each(check_merges)?;
        self.check_splits()?;
        let space = self.layout.memory_space;
        if space < 0 {
            return Err(error!(
                Code::InvalidLayout,
                "memory spaces are numbered from 0, `S({space})` is negative",
                [space]
            )
            .with_help("leave `S` away for the default memory"));
        }
        Ok(())
    }

    /// The elements, without tiles, have a size in bytes. XLA multiplies from the first dim on, so a 0 behind a product
    /// that is too large does not save it.
    fn check_size(&self) -> Result<(), Error> {
        let mut elements = Some(1_i64);
        for (number, dim) in self.dims.iter().enumerate() {
            match dim {
                Dim::Static(extent) | Dim::Bounded(extent) if *extent < 0 => {
                    return Err(error!(
                        Code::InvalidLayout,
                        "dim {number} has an extent of {extent}",
                        [number, extent]
                    )
                    .with_help("an extent is 0 or more"));
                }
                Dim::Static(extent) | Dim::Bounded(extent) => {
                    elements = elements.and_then(|elements| elements.checked_mul(*extent));
                }
                Dim::Unbounded => {}
            }
        }
        let bytes = i64::from(self.element.stored_bits().div_ceil(8));
        match elements.and_then(|elements| elements.checked_mul(bytes)) {
            Some(_) => Ok(()),
            None => {
                let bare = self.without_layout();
                let help = "the extents and the bytes of an element multiply to less than 2^63";
                Err(error!(
                    Code::Overflow,
                    "the bytes of `{text}`, counted dim by dim, pass {most}",
                    [text = excerpt(&bare), most = i64::MAX]
                )
                .with_help(help))
            }
        }
    }

    fn check_splits(&self) -> Result<(), Error> {
        let mut cut = vec![false; self.dims.len()];
        for split in &self.layout.splits {
            let place = usize::try_from(split.dim).ok();
            let dim = place.and_then(|place| Some((cut.get_mut(place)?, self.dims.get(place)?)));
            let Some((cut, dim)) = dim else {
                let (rank, split) = (Counted(self.dims.len()), split.dim);
                return Err(error!(
                    Code::InvalidLayout,
                    "`SC` cuts dim {split}, and the array has {rank}",
                    [split, rank]
                )
                .with_help("the number before `:` is that of a dim, from 0 on"));
            };
            if std::mem::replace(cut, true) {
                return Err(error!(Code::InvalidLayout, "`SC` cuts dim {dim} twice", [dim = split.dim])
                    .with_help("write all indices of a dim behind one `:`"));
            }
            check_cuts(split, *dim)?;
        }
        Ok(())
    }
}

/// Each dim is named once.
fn check_order(layout: &Layout, rank: usize) -> Result<(), Error> {
    let (code, order) = (Code::InvalidLayout, &layout.minor_to_major);
    // Nothing is written where nothing is wrong.
    let text = || excerpt(&layout.to_string()).to_string();
    let help = || how_to_order(rank);
    if order.len() != rank {
        return Err(error!(
            code,
            "the layout `{layout}` names {named}, and the array has {rank}",
            [layout = text(), named = Counted(order.len()), rank = Counted(rank)]
        )
        .with_help(help()));
    }
    let mut is_named = vec![false; rank];
    for dim in order {
        let seen = usize::try_from(*dim).ok().and_then(|dim| is_named.get_mut(dim));
        let Some(seen) = seen else {
            return Err(error!(
                code,
                "the layout `{layout}` names dim {dim}, and the array has {rank}",
                [layout = text(), dim, rank = Counted(rank)]
            )
            .with_help(help()));
        };
        if std::mem::replace(seen, true) {
            return Err(
                error!(code, "the layout `{layout}` names dim {dim} twice", [layout = text(), dim]).with_help(help())
            );
        }
    }
    Ok(())
}

fn check_tile(tile: &Tile) -> Result<(), Error> {
    if tile.0.is_empty() {
        return Err(Error::new(Code::InvalidLayout, "the tile `()` has no dims")
            .with_help("write the extents of the tile, or leave it away"));
    }
    for dim in &tile.0 {
        match dim {
            TileDim::Size(extent) if *extent < 1 => {
                return Err(error!(
                    Code::InvalidLayout,
                    "the tile `{tile}` has an extent of {extent}",
                    [tile = excerpt(&tile.to_string()), extent]
                )
                .with_help("an extent of a tile is 1 or more, or `*`"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_fields(layout: &Layout) -> Result<(), Error> {
    if let Some(index) = layout.index_type {
        return Err(sparse(&format!("#({index})")));
    }
    if let Some(pointer) = layout.pointer_type {
        return Err(sparse(&format!("*({pointer})")));
    }
    if let Some(shape) = &layout.physical {
        return Err(sparse(&format!("P({shape})")));
    }
    if layout.tail_padding < 1 {
        return Err(error!(
            Code::InvalidLayout,
            "`L({tail_padding})` rounds up to no multiple",
            [tail_padding = layout.tail_padding]
        )
        .with_help("write 1 or more elements"));
    }
    if layout.element_bits < 0 {
        return Err(error!(
            Code::InvalidLayout,
            "`E({element_bits})` packs elements into a negative number of bits",
            [element_bits = layout.element_bits]
        )
        .with_help("write the bits of an element, such as `E(4)`"));
    }
    Ok(())
}

/// The last dim of a tile has nothing more minor to merge into.
fn check_merges(tile: &Tile) -> Result<(), Error> {
    if tile.0.last() == Some(&TileDim::Combine) {
        let tile = tile.to_string();
        return Err(error!(
            Code::InvalidLayout,
            "the last `*` of the tile `{tile}` merges a dim into the next more minor one: there is none",
            [tile = excerpt(&tile)]
        )
        .with_help("write an extent behind the last `*`"));
    }
    Ok(())
}

/// The indices go up from 1 and end below the extent: each part has something in it.
fn check_cuts(split: &Split, dim: Dim) -> Result<(), Error> {
    let mut before = 0;
    for index in &split.indices {
        if *index <= before {
            return Err(error!(
                Code::InvalidLayout,
                "`SC` cuts dim {dim} at {index} after {before}",
                [dim = split.dim, index, before]
            )
            .with_help("the indices go up, the first from 1 on"));
        }
        if dim.bound().is_some_and(|extent| *index >= extent) {
            return Err(error!(
                Code::InvalidLayout,
                "`SC` cuts dim {dim} at {index}, and its extent is {extent}",
                [dim = split.dim, index, extent = dim]
            )
            .with_help("an index to cut at is below the extent"));
        }
        before = *index;
    }
    Ok(())
}

fn sparse(field: &str) -> Error {
    error!(
        Code::InvalidLayout,
        "`{field}` is a field of sparse arrays, and the array is dense",
        [field = excerpt(field)]
    )
    .with_help("leave it away")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(text: &str) -> Result<Array, Error> {
        match text.parse()? {
            Shape::Array(array) => Ok(array),
            other => Err(Error::new(Code::Kind, format!("{other} is no array"))),
        }
    }

    fn refused(text: &str) -> Result<String, Error> {
        match array(text)?.validate() {
            Ok(()) => Ok("valid".to_owned()),
            Err(error) => Ok(error.message().to_owned()),
        }
    }

    #[test]
    fn what_xla_refuses_is_refused_with_its_numbers() -> Result<(), Error> {
        for (text, why) in [
            ("f32[3,5]{1,2}", "the layout `{1,2}` names dim 2, and the array has 2 dims"),
            ("f32[3]{-1}", "the layout `{-1}` names dim -1, and the array has 1 dim"),
            ("f32[3]{0:T(0,2)}", "the tile `(0,2)` has an extent of 0"),
            ("f32[3]{0:T(2)()}", "the tile `()` has no dims"),
            ("f32[3]{0:E(-4)}", "`E(-4)` packs elements into a negative number of bits"),
            ("f32[3]{0:*(u32)}", "`*(u32)` is a field of sparse arrays, and the array is dense"),
            (
                "pred[4611686018427387904,2,0]",
                "the bytes of `pred[4611686018427387904,2,0]`, counted dim by dim, pass 9223372036854775807",
            ),
        ] {
            assert_eq!(refused(text)?, why);
        }
        Ok(())
    }

    #[test]
    fn what_xla_allows_is_valid() -> Result<(), Error> {
        for text in [
            "f32[0,4611686018427387904,4611686018427387904]",
            "pred[9223372036854775807]",
            "s4[9223372036854775807]",
            "f32[?,<=5]",
            "f32[]{:T(8,128)}",
            "f32[3]{0:T(2,*)S(-1)SC(7:1)M(-1)}",
        ] {
            assert_eq!(refused(text)?, "valid", "{text}");
        }
        Ok(())
    }

    #[test]
    fn what_has_no_meaning_is_refused_besides() -> Result<(), Error> {
        for text in [
            "f32[3,5]{1,0:T(4)(2,*)}",
            "f32[3,5]{1,0:S(-1)}",
            "f32[3,5]{1,0:SC(2:1)}",
            "f32[3,5]{1,0:SC(-1:1)}",
            "f32[3,5]{1,0:SC(0:1,1)}",
            "f32[3,5]{1,0:SC(0:0)}",
            "f32[3,5]{1,0:SC(1:5)}",
            "f32[3,5]{1,0:SC(0:1)(0:2)}",
        ] {
            let array = array(text)?;
            assert_eq!(array.validate(), Ok(()), "{text}");
            assert_eq!(array.check_meaning().map_err(|error| error.code()), Err(Code::InvalidLayout), "{text}");
        }
        for text in ["f32[3,5]{1,0:T(*,2)S(1)SC(0:1,2)(1:)}", "f32[?]{0:SC(0:99)}", "f32[3,5]{1,0:T(*,2,128)}"] {
            assert_eq!(array(text)?.check_meaning(), Ok(()), "{text}");
        }
        Ok(())
    }

    #[test]
    fn shapes_that_were_built_are_checked_too() -> Result<(), Error> {
        let mut built = array("f32[3,5]")?;
        built.layout.minor_to_major = vec![0];
        assert_eq!(
            built.validate().map_err(|error| error.message().to_owned()),
            Err("the layout `{0}` names 1 dim, and the array has 2 dims".to_owned())
        );
        let mut built = array("f32[3]")?;
        built.layout.tail_padding = 0;
        assert!(built.validate().is_err());
        let mut built = array("f32[3]")?;
        built.dims = vec![Dim::Static(-3)];
        assert!(built.validate().is_err());
        Ok(())
    }

    #[test]
    fn a_tuple_says_which_element_is_invalid() -> Result<(), Error> {
        let shape: Shape = "(token[], (b(f32[1]{3}), f32[]))".parse()?;
        let message = "element 1 of the tuple: element 0 of the tuple: \
                       the layout `{3}` names dim 3, and the array has 1 dim";
        assert_eq!(shape.validate().map_err(|error| error.message().to_owned()), Err(message.to_owned()));
        Ok(())
    }
}
