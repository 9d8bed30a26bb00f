//! [`AnyLayout`]: a layout of any family, where the family is known only when the program runs.
//!
//! Law: whatever becomes an [`AnyLayout`] comes back from it as it was, [`AnyLayout::to_map`] is the map of the family that
//! it is of, and the text of every variant but [`AnyLayout::Map`] reads back as the same value.

mod literal;

use std::fmt;

use crate::basis::{Stride, StrideLeaf};
use crate::cute::{Function, Layout, Offset};
use crate::error::{Code, Error};
use crate::int::Int;
use crate::linear::LinearLayout;
use crate::map::Map;
use crate::sharding::Sharding;
use crate::triton::Encoding;
use crate::xla::Array;

/// What a linear layout is called where another family stands.
const LINEAR: &str = "a linear layout";

/// A layout of some family.
///
/// ```
/// use bitstride::AnyLayout;
/// let [tiled, cute]: [AnyLayout; 2] = ["f32[16,256]{1,0:T(8,128)}".parse()?, "((8,2),(128,2)):((128,2048),(1,1024))".parse()?];
/// assert_eq!((tiled.family(), cute.family()), ("xla", "cute"));
/// assert!(tiled.to_map()?.same(&cute.to_map()?)?.holds());
/// let back = bitstride::Layout::try_from(cute)?;
/// assert_eq!(back.to_string(), "((8,2),(128,2)):((128,2048),(1,1024))");
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnyLayout {
    /// A layout of CuTe, with an offset or under swizzles too.
    Cute(Function),
    /// A linear layout of Triton.
    Linear(LinearLayout),
    /// An encoding of Triton, which has a layout for each shape.
    Encoding(Encoding),
    /// An array of XLA with its tiled layout.
    Xla(Array),
    /// A tensor over devices.
    Sharding(Box<Sharding>),
    /// A map that is written in no notation; its text names the axes on both sides.
    Map(Box<Map>),
}

impl AnyLayout {
    /// The word for the family that it is of: `cute`, `linear`, `encoding`, `xla`, `sharding` or `map`.
    ///
    /// ```
    /// let layout: bitstride::AnyLayout = "Sw<3,4,3> o 0 o (8,64):(64,1)".parse()?;
    /// assert_eq!(layout.family(), "cute");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn family(&self) -> &'static str {
        match self {
            AnyLayout::Cute(_) => "cute",
            AnyLayout::Linear(_) => "linear",
            AnyLayout::Encoding(_) => "encoding",
            AnyLayout::Xla(_) => "xla",
            AnyLayout::Sharding(_) => "sharding",
            AnyLayout::Map(_) => "map",
        }
    }

    /// The layout as a map, in which layouts of all families are compared and converted.
    ///
    /// # Errors
    /// [`Code::NeedsShape`] for an encoding; what the family has no map for, as [`Map::of_function`], [`Map::of_linear`],
    /// [`Map::of_array`] and [`Map::of_sharding`] say.
    ///
    /// ```
    /// use bitstride::{AnyLayout, Code};
    /// let layout: AnyLayout = "(4,8):(8,1)".parse()?;
    /// assert_eq!(layout.to_map()?.to_string(), "dim0:4, dim1:8 -> offset:32");
    /// let encoding: AnyLayout = "#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[1,0]}>".parse()?;
    /// assert_eq!(encoding.to_map().unwrap_err().code(), Code::NeedsShape);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn to_map(&self) -> Result<Map, Error> {
        match self {
            AnyLayout::Cute(function) => Map::of_function(function),
            AnyLayout::Linear(layout) => Map::of_linear(layout),
            AnyLayout::Encoding(encoding) => Err(encoding.needs_shape()),
            AnyLayout::Xla(array) => Map::of_array(array),
            AnyLayout::Sharding(sharding) => Map::of_sharding(sharding),
            AnyLayout::Map(map) => Ok((**map).clone()),
        }
    }

    /// Another family is needed.
    fn other_than(&self, wanted: &str) -> Error {
        if let (AnyLayout::Encoding(encoding), LINEAR) = (self, wanted) {
            return encoding.needs_shape();
        }
        let error = error!(
            Code::Kind,
            "{wanted} is needed here; {layout} is of the family {family}",
            [wanted, layout = self, family = self.family()]
        );
        error.with_help("`to_map` gives its map, and a map is recognised in the other families, as `to_cute` does")
    }
}

impl fmt::Display for AnyLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyLayout::Cute(function) => write!(f, "{function}"),
            AnyLayout::Linear(layout) => write!(f, "{layout}"),
            AnyLayout::Encoding(encoding) => write!(f, "{encoding}"),
            AnyLayout::Xla(array) => write!(f, "{array}"),
            AnyLayout::Sharding(sharding) => write!(f, "{sharding}"),
            AnyLayout::Map(map) => write!(f, "{map}"),
        }
    }
}

impl From<Layout> for AnyLayout {
    fn from(layout: Layout) -> Self {
        AnyLayout::Cute(Function::Layout(layout))
    }
}

impl From<Offset<Int, Stride>> for AnyLayout {
    fn from(slice: Offset<Int, Stride>) -> Self {
        AnyLayout::Cute(slice.into())
    }
}

impl From<Function> for AnyLayout {
    fn from(function: Function) -> Self {
        AnyLayout::Cute(function)
    }
}

impl From<LinearLayout> for AnyLayout {
    fn from(layout: LinearLayout) -> Self {
        AnyLayout::Linear(layout)
    }
}

impl From<Encoding> for AnyLayout {
    fn from(encoding: Encoding) -> Self {
        AnyLayout::Encoding(encoding)
    }
}

impl From<Array> for AnyLayout {
    fn from(array: Array) -> Self {
        AnyLayout::Xla(array)
    }
}

impl From<Sharding> for AnyLayout {
    fn from(sharding: Sharding) -> Self {
        AnyLayout::Sharding(Box::new(sharding))
    }
}

impl From<Map> for AnyLayout {
    fn from(map: Map) -> Self {
        AnyLayout::Map(Box::new(map))
    }
}

impl TryFrom<AnyLayout> for Function {
    type Error = Error;

    /// # Errors
    /// [`Code::Kind`] for another family.
    fn try_from(layout: AnyLayout) -> Result<Self, Error> {
        match layout {
            AnyLayout::Cute(function) => Ok(function),
            other => Err(other.other_than("a layout of CuTe")),
        }
    }
}

impl TryFrom<AnyLayout> for Layout {
    type Error = Error;

    /// # Errors
    /// [`Code::Kind`] for another family, and for a function of CuTe that is more than a layout.
    fn try_from(layout: AnyLayout) -> Result<Self, Error> {
        match layout {
            AnyLayout::Cute(Function::Layout(layout)) => Ok(layout),
            AnyLayout::Cute(Function::Offset(slice)) if slice.offset.is_zero() => Ok(slice.layout),
            other => Err(other.other_than("a layout of CuTe without offset and swizzle")),
        }
    }
}

impl TryFrom<AnyLayout> for LinearLayout {
    type Error = Error;

    /// # Errors
    /// [`Code::NeedsShape`] for an encoding, [`Code::Kind`] for another family.
    fn try_from(layout: AnyLayout) -> Result<Self, Error> {
        match layout {
            AnyLayout::Linear(layout) => Ok(layout),
            AnyLayout::Encoding(encoding) => Err(encoding.needs_shape()),
            other => Err(other.other_than("a linear layout")),
        }
    }
}

impl TryFrom<AnyLayout> for Encoding {
    type Error = Error;

    /// # Errors
    /// [`Code::Kind`] for another family.
    fn try_from(layout: AnyLayout) -> Result<Self, Error> {
        match layout {
            AnyLayout::Encoding(encoding) => Ok(encoding),
            other => Err(other.other_than("an encoding")),
        }
    }
}

impl TryFrom<AnyLayout> for Array {
    type Error = Error;

    /// # Errors
    /// [`Code::Kind`] for another family.
    fn try_from(layout: AnyLayout) -> Result<Self, Error> {
        match layout {
            AnyLayout::Xla(array) => Ok(array),
            other => Err(other.other_than("an array of XLA")),
        }
    }
}

impl TryFrom<AnyLayout> for Sharding {
    type Error = Error;

    /// # Errors
    /// [`Code::Kind`] for another family.
    fn try_from(layout: AnyLayout) -> Result<Self, Error> {
        match layout {
            AnyLayout::Sharding(sharding) => Ok(*sharding),
            other => Err(other.other_than("a tensor over devices")),
        }
    }
}

impl TryFrom<AnyLayout> for Map {
    type Error = Error;

    /// # Errors
    /// As [`AnyLayout::to_map`].
    fn try_from(layout: AnyLayout) -> Result<Self, Error> {
        match layout {
            AnyLayout::Map(map) => Ok(*map),
            other => other.to_map(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LITERALS: [(&str, &str); 9] = [
        ("cute", "((2,2),3):((24,2),8)"),
        ("cute", "(4,8):(8,1) + 7"),
        ("cute", "Sw<3,4,3> o 0 o (8,64):(64,1)"),
        ("linear", "linear<{register=[[0,1],[0,2]], lane=[[1,0]], warp=[]}, out=[dim0:2, dim1:4]>"),
        ("encoding", "#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[1,0]}>"),
        ("xla", "bf16[16,256]{1,0:T(8,128)(2,1)}"),
        ("sharding", "shard(f32[8,6], '{devices=[2,1]<=[2]}')"),
        ("sharding", "shard(f32[8,6], P('a', None), mesh(a=2))"),
        ("map", "i<16, j<8: i*8 + (j ^ i % 8)"),
    ];

    #[test]
    fn a_literal_is_of_its_family_and_reads_back() -> Result<(), Error> {
        for (family, text) in LITERALS {
            let layout: AnyLayout = text.parse()?;
            assert_eq!(layout.family(), family, "{text}");
            if family != "map" {
                assert_eq!(layout.to_string().parse::<AnyLayout>()?, layout, "{text}");
            }
        }
        Ok(())
    }

    #[test]
    fn what_goes_in_comes_back_from_its_own_family_only() -> Result<(), Error> {
        for (family, text) in LITERALS {
            let layout: AnyLayout = text.parse()?;
            let back = [
                Function::try_from(layout.clone()).map(AnyLayout::from),
                LinearLayout::try_from(layout.clone()).map(AnyLayout::from),
                Encoding::try_from(layout.clone()).map(AnyLayout::from),
                Array::try_from(layout.clone()).map(AnyLayout::from),
                Sharding::try_from(layout.clone()).map(AnyLayout::from),
            ];
            let given: Vec<AnyLayout> = back.into_iter().flatten().collect();
            let expected = if family == "map" { vec![] } else { vec![layout.clone()] };
            assert_eq!(given, expected, "{text}");
            match layout.to_map() {
                Ok(map) => assert_eq!(Map::try_from(layout)?, map, "{text}"),
                Err(error) => assert_eq!((family, error.code()), ("encoding", Code::NeedsShape)),
            }
        }
        Ok(())
    }

    #[test]
    fn what_is_no_layout_is_refused_at_its_place() {
        for (text, code, at) in [
            ("coalesce((2,4):(1,2))", Code::Kind, 0),
            ("(f32[2], s32[])", Code::Kind, 1),
            ("linear<{lane=[[1]]}, out=[dim0:3]>", Code::SizeNotPowerOfTwo, 26),
            ("(4,8):(8,1", Code::Syntax("unbalanced"), 6),
            ("lane", Code::Kind, 0),
        ] {
            let error = text.parse::<AnyLayout>().expect_err(text);
            assert_eq!((error.code(), error.span().map(|span| span.start)), (code, Some(at)), "{text}: {error}");
        }
    }
}
