//! [`Descriptor`]: the 64 bits by which `wgmma` and `tcgen05` find a tile in shared memory.
//!
//! A descriptor says few layouts: 16 bytes lie side by side along the major dim, rows of them come in groups of eight whose steps
//! the swizzle fixes, and two offsets lead from group to group. With T elements in 16 bytes and W such columns in the swizzle's
//! width (1 without), element (mn, k) lies, in units of 16 bytes before the swizzle, at
//!
//! | major | swizzle | place |
//! |---|---|---|
//! | K | none | `mn%8 + mn/8 * stride + k/T * leading` |
//! | K | 32, 64, 128 bytes | `mn%8 * W + mn/8 * stride + k/T` |
//! | MN | none | `k%8 + k/8 * leading + mn/T * stride` |
//! | MN | 32, 64, 128 bytes | `mn/T % W + mn/T/W * leading + k%8 * W + k/8 * stride` |
//! | MN | 128 bytes of 32-byte atoms | `mn/T % 8 + mn/T/8 * leading + k%4 * 8 + k/4 * stride` |
//!
//! (PTX ISA, matrix descriptors; CUTLASS 4.7). Law: every element of the layout lies where the descriptor finds it, else there is
//! none: CuTe looks at some steps only, and accepts some layouts that the machine reads elsewhere.

use std::fmt;

use crate::cute::{Function, Layout, coordinates};
use crate::error::{Code, Error};
use crate::int::{Int, Integer};
use crate::trace::Trace;
use crate::tuple::Tuple;

/// The tensor cores that read a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// `wgmma`, of compute capability 9.0.
    Wgmma,
    /// `tcgen05`, of compute capability 10.0.
    Tcgen05,
}

/// Which dim's elements lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// The dim that the product sums over.
    K,
    /// The rows of A, or the columns of B.
    Mn,
}

/// The swizzle of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SwizzleMode {
    /// None.
    None,
    /// Of rows of 32 bytes: `Sw<1,4,3>` of bytes.
    Bytes32,
    /// Of rows of 64 bytes: `Sw<2,4,3>`.
    Bytes64,
    /// Of rows of 128 bytes: `Sw<3,4,3>`.
    Bytes128,
    /// Of rows of 128 bytes in atoms of 32: `Sw<2,5,2>`; of `tcgen05`, MN-major.
    Bytes128Atom32,
}

impl SwizzleMode {
    const ALL: [SwizzleMode; 5] = [
        SwizzleMode::None,
        SwizzleMode::Bytes32,
        SwizzleMode::Bytes64,
        SwizzleMode::Bytes128,
        SwizzleMode::Bytes128Atom32,
    ];

    /// The bytes of its width; 0 for none.
    pub fn bytes(self) -> i64 {
        if self == SwizzleMode::None { 0 } else { self.columns() * UNIT_BYTES }
    }

    /// Columns of 16 bytes in its width.
    fn columns(self) -> i64 {
        match self {
            SwizzleMode::None => 1,
            SwizzleMode::Bytes32 => 2,
            SwizzleMode::Bytes64 => 4,
            SwizzleMode::Bytes128 | SwizzleMode::Bytes128Atom32 => 8,
        }
    }

    /// How many rows come before it begins anew.
    fn rows(self) -> i64 {
        if self == SwizzleMode::Bytes128Atom32 { 4 } else { 8 }
    }

    /// Its code in a descriptor.
    fn code(self, generation: Generation) -> Option<u64> {
        Some(match (generation, self) {
            (_, SwizzleMode::None) => 0,
            (Generation::Wgmma, SwizzleMode::Bytes128) | (Generation::Tcgen05, SwizzleMode::Bytes128Atom32) => 1,
            (Generation::Wgmma, SwizzleMode::Bytes64) | (Generation::Tcgen05, SwizzleMode::Bytes128) => 2,
            (Generation::Wgmma, SwizzleMode::Bytes32) => 3,
            (Generation::Tcgen05, SwizzleMode::Bytes64) => 4,
            (Generation::Tcgen05, SwizzleMode::Bytes32) => 6,
            (Generation::Wgmma, SwizzleMode::Bytes128Atom32) => return None,
        })
    }

    /// The mode of a swizzle of bytes.
    fn of(bits: u32, base: i64, shift: i32) -> Option<Self> {
        match (bits, base, shift) {
            (0, ..) => Some(SwizzleMode::None),
            (1, 4, 3) => Some(SwizzleMode::Bytes32),
            (2, 4, 3) => Some(SwizzleMode::Bytes64),
            (3, 4, 3) => Some(SwizzleMode::Bytes128),
            (2, 5, 2) => Some(SwizzleMode::Bytes128Atom32),
            _ => None,
        }
    }
}

/// A matrix descriptor; offsets and addresses in units of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// The tensor cores that it is for.
    pub generation: Generation,
    /// Where the tile starts.
    pub start: u64,
    /// The leading byte offset.
    pub leading: u64,
    /// The stride byte offset.
    pub stride: u64,
    /// The swizzle.
    pub mode: SwizzleMode,
}

/// What a descriptor takes from a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DescriptorStep {
    /// 16 bytes, the unit of all fields, hold this many elements.
    Unit {
        /// How many.
        elements: i64,
    },
    /// An offset is where an element lies.
    Offset {
        /// Which one: `leading offset` or `stride offset`.
        what: &'static str,
        /// The element (mn, k).
        element: [i64; 2],
        /// Its place before the swizzle, in units.
        units: i64,
    },
}

/// The bytes of a unit.
const UNIT_BYTES: i64 = 16;
/// The end of what a field of 14 bits holds.
const FIELD_END: i64 = 1 << 14;
/// Rows of one group.
const GROUP: i64 = 8;
/// The most elements that are looked at.
const MOST_ELEMENTS: i64 = 1 << 20;

/// What an operand of one instruction is read from.
struct Operand<'l> {
    layout: &'l Layout,
    /// Elements in 16 bytes.
    unit: i64,
    extents: [i64; 2],
}

impl Descriptor {
    /// The descriptor of the tile (mn, k) of one instruction, of elements of `element_bits` bits, which starts at an address in bytes.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] unless the layout has two modes; [`Code::Kind`] for a swizzle that the machine has not;
    /// [`Code::NotALayout`] with the first element that no descriptor of this kind finds where it lies; [`Code::Range`] for extents
    /// that no instruction takes, and offsets beyond a field; [`Code::NotDivisible`] for an address that no swizzle starts at.
    ///
    /// ```
    /// use bitstride::cute::{ByteSwizzle, Function, Swizzle};
    /// use bitstride::memory::{Descriptor, Generation, Major};
    /// let bytes = ByteSwizzle::new(Swizzle::new(3, 4, 3)?, 16)?;
    /// let tile = Function::compose(Function::Bytes(bytes), 0.into(), Function::Layout("((8,8),16):((64,512),1)".parse()?));
    /// let descriptor = Descriptor::of(&tile, 16, Major::K, 1024, Generation::Wgmma)?;
    /// assert_eq!((descriptor.leading, descriptor.stride), (1, 64));
    /// assert_eq!(format!("{:#018x}", descriptor.word()), "0x4000004000010040");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn of(tile: &Function, bits: i64, major: Major, address: i64, generation: Generation) -> Result<Self, Error> {
        Self::of_traced(tile, bits, major, address, generation, &mut ())
    }

    /// [`Descriptor::of`], with what it takes from the tile reported.
    ///
    /// # Errors
    /// As [`Descriptor::of`].
    pub fn of_traced(
        tile: &Function,
        bits: i64,
        major: Major,
        address: i64,
        generation: Generation,
        trace: &mut impl Trace<DescriptorStep>,
    ) -> Result<Self, Error> {
        let (mode, layout) = parts(tile, bits)?;
        if mode.code(generation).is_none() || mode == SwizzleMode::Bytes128Atom32 && major == Major::K {
            let message = "the swizzle of atoms of 32 bytes is one of tcgen05, for operands that are MN-major";
            return Err(Error::new(Code::Kind, message));
        }
        let unit = match (UNIT_BYTES * 8).checked_div(bits) {
            Some(unit) if bits > 0 && unit * bits == UNIT_BYTES * 8 => unit,
            _ => {
                return Err(error!(
                    Code::Range,
                    "elements of {bits} bits do not fill {unit_bytes} bytes",
                    [bits, unit_bytes = UNIT_BYTES]
                ));
            }
        };
        trace.record(|| DescriptorStep::Unit { elements: unit });
        let extents = extents(layout)?;
        let operand = Operand { layout, unit, extents };
        operand.check_extents(major, generation)?;
        let [leading, stride] = operand.offsets(major, mode, trace)?;
        operand.check(major, mode, leading, stride)?;
        let field = |what: &str, units: i64| match u64::try_from(units) {
            Ok(field) if units < FIELD_END => Ok(field),
            _ => Err(error!(
                Code::Range,
                "{what} is {units} units of {unit_bytes} bytes; the field holds 0 to {most}",
                [what, units, unit_bytes = UNIT_BYTES, most = FIELD_END - 1]
            )),
        };
        let pattern = UNIT_BYTES * GROUP * mode.columns();
        let pattern = if mode == SwizzleMode::None { UNIT_BYTES } else { pattern };
        if address.checked_rem(pattern) != Some(0) {
            return Err(error!(
                Code::NotDivisible,
                "a tile with this swizzle starts at a multiple of {pattern} bytes, not at {address}",
                [pattern, address]
            ));
        }
        let is_used = !(mode != SwizzleMode::None && major == Major::K);
        Ok(Descriptor {
            generation,
            start: field("the address", address / UNIT_BYTES)?,
            leading: if is_used { field("the leading offset", leading)? } else { 1 },
            stride: field("the stride offset", stride)?,
            mode,
        })
    }

    /// The descriptor of a word.
    ///
    /// # Errors
    /// [`Code::Range`] for a swizzle's code that means none, and for bits that are fixed otherwise.
    pub fn from_word(word: u64, generation: Generation) -> Result<Self, Error> {
        let field = |shift: u32, bits: u32| word >> shift & ((1 << bits) - 1);
        let code = match generation {
            Generation::Wgmma => field(62, 2),
            Generation::Tcgen05 => field(61, 3),
        };
        let mode = SwizzleMode::ALL
            .into_iter()
            .find(|mode| mode.code(generation) == Some(code))
            .ok_or_else(|| error!(Code::Range, "{code} is the code of no swizzle", [code]))?;
        let descriptor =
            Descriptor { generation, start: field(0, 14), leading: field(16, 14), stride: field(32, 14), mode };
        if descriptor.word() != word {
            return Err(error!(
                Code::Range,
                "{word:#018x} sets bits that are 0 in a descriptor, or that are fixed: {descriptor_word:#018x}",
                [word, descriptor_word = descriptor.word()]
            ));
        }
        Ok(descriptor)
    }

    /// The fields of 14 bits in units of 16 bytes: what it says, its value, and the bit that it starts at.
    pub fn fields(&self) -> [(&'static str, u64, u32); 3] {
        [("start address", self.start, 0), ("leading offset", self.leading, 16), ("stride offset", self.stride, 32)]
    }

    /// The word: addresses and offsets in units of 16 bytes, base offset 0.
    pub fn word(&self) -> u64 {
        let code = self.mode.code(self.generation).unwrap_or(0);
        let fields = self.fields().iter().fold(0, |word, (_, value, bit)| word | value << bit);
        match self.generation {
            Generation::Wgmma => fields | code << 62,
            Generation::Tcgen05 => fields | 1 << 46 | code << 61,
        }
    }

    /// The descriptor of an instruction further on in the same tile, `elements` from where this one starts, before the
    /// swizzle.
    ///
    /// # Errors
    /// [`Code::NotDivisible`] where that is no whole number of 16 bytes, [`Code::Range`] beyond the field.
    pub fn advanced(&self, elements: i64, bits: i64) -> Result<Self, Error> {
        let bytes =
            elements.checked_mul(bits).filter(|all| all % (UNIT_BYTES * 8) == 0).map(|all| all / (UNIT_BYTES * 8));
        let Some(units) = bytes else {
            return Err(error!(
                Code::NotDivisible,
                "{elements} elements of {bits} bits are no whole number of {unit_bytes} bytes",
                [elements, bits, unit_bytes = UNIT_BYTES]
            ));
        };
        let start = i64::try_from(self.start).ok().and_then(|start| start.checked_add(units));
        match start.and_then(|start| u64::try_from(start).ok()).filter(|start| *start < FIELD_END.unsigned_abs()) {
            Some(start) => Ok(Descriptor { start, ..*self }),
            None => Err(error!(Code::Range, "{units} units further on is beyond the field of the address", [units])),
        }
    }
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#018x}", self.word())
    }
}

/// The swizzle mode and the layout before it.
pub(super) fn parts(tile: &Function, bits: i64) -> Result<(SwizzleMode, &Layout), Error> {
    let unknown = |swizzle: &dyn fmt::Display| {
        error!(Code::Kind, "{swizzle} is no swizzle that the hardware has", [swizzle])
            .with_help("of bytes it has Sw<1,4,3>, Sw<2,4,3>, Sw<3,4,3>, and Sw<2,5,2> on tcgen05")
    };
    let Function::Composed(composed) = tile else {
        return match tile {
            Function::Layout(layout) => Ok((SwizzleMode::None, layout)),
            _ => Err(error!(Code::Kind, "{tile} is no tile that starts at its address", [tile])),
        };
    };
    let Function::Layout(layout) = &composed.inner else {
        return Err(error!(Code::Kind, "{tile} is no swizzled layout", [tile]));
    };
    if !composed.offset.is(0) {
        return Err(error!(
            Code::Kind,
            "a tile starts at its address; here it starts at {offset}",
            [offset = composed.offset]
        ));
    }
    match &composed.outer {
        Function::Bytes(bytes) if bytes.bits() == bits => {
            let swizzle = bytes.swizzle();
            let mode = SwizzleMode::of(swizzle.bits(), swizzle.base().into(), swizzle.shift());
            mode.map(|mode| (mode, layout)).ok_or_else(|| unknown(bytes))
        }
        Function::Swizzle(swizzle) => {
            // Of elements: the base counts elements, whose bytes are a power of two.
            let log = bits.checked_ilog2().filter(|_| bits.count_ones() == 1).map(i64::from);
            let base = log.map(|log| i64::from(swizzle.base()) + log - 3);
            let mode = base.and_then(|base| SwizzleMode::of(swizzle.bits(), base, swizzle.shift()));
            mode.map(|mode| (mode, layout)).ok_or_else(|| unknown(swizzle))
        }
        outer => Err(unknown(outer)),
    }
}

/// The extents of a tile (mn, k).
fn extents(layout: &Layout) -> Result<[i64; 2], Error> {
    let shape = layout.shape().try_map(Int::as_number)?;
    let sizes: Vec<i64> = shape.entries().iter().map(Tuple::size).collect::<Result<_, _>>()?;
    match sizes.as_slice() {
        [mn, k] if !shape.is_leaf() => Ok([*mn, *k]),
        _ => Err(error!(
            Code::RankMismatch,
            "a tile has the modes (mn, k); {layout} has {sizes}",
            [layout, sizes = sizes.len()]
        )),
    }
}

impl Operand<'_> {
    fn offset(&self, mn: i64, k: i64) -> Result<i64, Error> {
        let at = Tuple::flat(&[Int::from(mn), Int::from(k)]);
        let place = Function::Layout(self.layout.clone()).offset_at(&at)?.to_coordinate();
        place
            .as_leaf()
            .ok_or_else(|| error!(Code::Kind, "{layout} leads to no offset", [layout = self.layout]))?
            .as_number()
    }

    /// The place of an element whose major coordinate is a multiple of the unit, in units.
    fn units(&self, mn: i64, k: i64) -> Result<i64, Error> {
        let offset = self.offset(mn, k)?;
        match offset.checked_rem(self.unit) {
            Some(0) => Ok(offset / self.unit),
            _ => Err(self.elsewhere(mn, k, offset, "no multiple of 16 bytes")),
        }
    }

    fn elsewhere(&self, mn: i64, k: i64, offset: i64, wanted: &str) -> Error {
        error!(
            Code::NotALayout,
            "element ({mn},{k}) lies at offset {offset}; a descriptor finds it at {wanted}",
            [mn, k, offset, wanted]
        )
    }

    fn check_extents(&self, major: Major, generation: Generation) -> Result<(), Error> {
        let [mn, k] = self.extents;
        if mn.checked_mul(k).is_none_or(|all| !(1..=MOST_ELEMENTS).contains(&all)) {
            return Err(error!(
                Code::Range,
                "a tile of {mn} x {k} elements; one instruction takes {least} to {most}",
                [mn, k, least = 1, most = MOST_ELEMENTS]
            ));
        }
        let units = k / self.unit;
        match (major, generation) {
            (Major::K, _) if mn % GROUP != 0 => {
                Err(error!(Code::Range, "mn is {mn}, which is no multiple of {unit}", [mn, unit = GROUP]))
            }
            (Major::K, _) if k % self.unit != 0 => {
                Err(error!(Code::Range, "k is {k}, which is no multiple of {unit}", [k, unit = self.unit]))
            }
            (Major::K, Generation::Wgmma) if units != 2 && units != 4 => Err(error!(
                Code::Range,
                "k is {k}; an instruction takes {dense} or, sparse, {sparse}",
                [k, dense = 2 * self.unit, sparse = 4 * self.unit]
            )),
            (Major::Mn, _) if mn % self.unit != 0 => {
                Err(error!(Code::Range, "mn is {mn}, which is no multiple of {unit}", [mn, unit = self.unit]))
            }
            (Major::Mn, Generation::Wgmma) if ![1, 2, 4].contains(&units) || k % self.unit != 0 => Err(error!(
                Code::Range,
                "k is {k}; an instruction takes {one}, {two} or {four}",
                [k, one = self.unit, two = 2 * self.unit, four = 4 * self.unit]
            )),
            _ => Ok(()),
        }
    }

    /// The leading and stride offsets in units; 0 where there is one step.
    fn offsets(
        &self,
        major: Major,
        mode: SwizzleMode,
        trace: &mut impl Trace<DescriptorStep>,
    ) -> Result<[i64; 2], Error> {
        let (width, unit, rows) = (mode.columns(), self.unit, mode.rows());
        let (leading, stride) = match (major, mode) {
            (Major::K, SwizzleMode::None) => (Some([0, unit]), [GROUP, 0]),
            (Major::K, _) => (None, [GROUP, 0]),
            (Major::Mn, SwizzleMode::None) => (Some([0, GROUP]), [unit, 0]),
            (Major::Mn, _) => (Some([width * unit, 0]), [0, rows]),
        };
        let mut measured = |what: &'static str, element: [i64; 2]| {
            if element.iter().zip(&self.extents).any(|(at, extent)| at >= extent) {
                return Ok::<i64, Error>(0);
            }
            let units = self.units(element[0], element[1])?;
            trace.record(|| DescriptorStep::Offset { what, element, units });
            Ok(units)
        };
        let leading = leading.map_or(Ok(1), |element| measured("leading offset", element))?;
        Ok([leading, measured("stride offset", stride)?])
    }

    /// Refuses a layout of which an element lies elsewhere.
    fn check(&self, major: Major, mode: SwizzleMode, leading: i64, stride: i64) -> Result<(), Error> {
        let [mn_extent, k_extent] = self.extents;
        let (width, unit, rows) = (mode.columns(), self.unit, mode.rows());
        for at in coordinates(&Tuple::flat(&[mn_extent, k_extent])) {
            let [mn, k] = *at.leaves() else { continue };
            let parts: [(i64, i64); 4] = match (major, mode) {
                (Major::K, SwizzleMode::None) => [(mn % GROUP, 1), (mn / GROUP, stride), (k / unit, leading), (0, 0)],
                (Major::K, _) => [(mn % GROUP, width), (mn / GROUP, stride), (k / unit, 1), (0, 0)],
                (Major::Mn, SwizzleMode::None) => [(k % GROUP, 1), (k / GROUP, leading), (mn / unit, stride), (0, 0)],
                (Major::Mn, _) => {
                    let column = mn / unit;
                    [(column % width, 1), (column / width, leading), (k % rows, width), (k / rows, stride)]
                }
            };
            let units = parts.iter().try_fold(0_i64, |all, (n, step)| all.checked_add(n.checked_mul(*step)?));
            let inside = if major == Major::K { k % unit } else { mn % unit };
            let wanted = units.and_then(|units| units.checked_mul(unit)?.checked_add(inside));
            let offset = self.offset(mn, k)?;
            if wanted != Some(offset) {
                let wanted = wanted.map_or_else(|| "none".to_owned(), |n| n.to_string());
                return Err(self.elsewhere(mn, k, offset, &wanted));
            }
        }
        Ok(())
    }
}
