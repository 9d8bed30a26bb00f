//! [`Axis`]: a named side of a box, with its extent and unit.

use std::fmt;

use crate::basis::Path;
use crate::error::Error;
use crate::linear::Name;

/// What the numbers along an axis count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Positions in a tensor.
    Index,
    /// Places for one element each, in memory.
    Element,
    /// Bytes of memory.
    Byte,
    /// Bits of memory.
    Bit,
    /// Parts of a machine: registers, lanes, warps, blocks, rows and columns of tensor memory.
    Part,
    /// Devices of a mesh.
    Device,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Index => "index",
            Unit::Element => "element",
            Unit::Byte => "byte",
            Unit::Bit => "bit",
            Unit::Part => "part",
            Unit::Device => "device",
        })
    }
}

/// A side of a box: coordinates from 0 to below the extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// How axes of two maps are distinguished and aligned; `dim0`, `dim1`, … where a notation has no names.
    pub name: Name,
    /// How many coordinates there are.
    pub extent: i64,
    /// What they count.
    pub unit: Unit,
}

impl Axis {
    /// An axis of a tensor, by its number.
    ///
    /// ```
    /// assert_eq!(bitstride::map::Axis::dim(1, 64).to_string(), "dim1:64");
    /// ```
    pub fn dim(at: usize, extent: i64) -> Self {
        Axis { name: Name::dim(at), extent, unit: Unit::Index }
    }

    /// A coordinate of a tensor, by its path in a nested coordinate, outermost first: `dim1_0` for a step of `1@0@1`.
    ///
    /// # Errors
    /// As [`Name::coordinate`].
    ///
    /// ```
    /// assert_eq!(bitstride::map::Axis::coordinate(&[1, 0], 64)?.to_string(), "dim1_0:64");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn coordinate(path: &[usize], extent: i64) -> Result<Self, Error> {
        Ok(Axis { name: Name::coordinate(path)?, extent, unit: Unit::Index })
    }

    /// The path of a coordinate of a tensor; `None` for what counts anything else.
    pub(super) fn path(&self) -> Option<Path> {
        self.name.path().filter(|_| self.unit == Unit::Index)
    }

    /// Offsets in memory, counted in elements.
    ///
    /// ```
    /// assert_eq!(bitstride::map::Axis::offset(64).to_string(), "offset:64");
    /// ```
    pub fn offset(extent: i64) -> Self {
        Axis { name: Name::OFFSET, extent, unit: Unit::Element }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.extent)
    }
}
