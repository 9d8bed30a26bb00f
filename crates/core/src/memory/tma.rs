//! [`TmaCopy`]: the tensor map by which TMA copies between a layout of global memory and one of shared memory, a tile at a time.
//!
//! The box is what shared memory holds without a gap from its start: its modes are followed by stride, and the modes of global
//! memory under them are followed as long as each is entered at its start and one element at a time. What is left of the tile are
//! further boxes, an instruction each. Modes whose strides chain are joined where they are static, modes that the box does not have are
//! dims of extent 1, and dims from the fifth on become one. It is the map that CuTe's `make_tma_copy` makes (CUTLASS 4.7), but for
//! what no hardware copies as the layouts say: CuTe passes that on. Law: byte for byte, the box comes to lie where the layout of
//! shared memory has it.

use super::descriptor::{SwizzleMode, parts};
use super::tensor_map::{Fill, Interleave, TensorMap};
use super::tma_box::{Global, entered, follow, product, run};
use super::tma_dims::{CoordinateStep, LONGEST_SIDE, MAX_DIMS, MapDim, UNIT_BITS, Units, map_dims};
use crate::Stride;
use crate::cute::{Function, Layout};
use crate::error::{Code, Error};
use crate::int::Int;
use crate::refusal::OneOf;
use crate::tuple::{Node, Tuple};

/// What a stride in bytes must stay below.
const STRIDE_END: i64 = 1 << 40;
/// The most elements along a dim.
const LONGEST_DIM: i64 = 1 << 32;

/// The copies by TMA of a tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TmaCopy {
    /// The bits of an element of the map.
    pub unit_bits: i64,
    /// The extent of each dim of the tensor in elements of the map, the innermost first.
    pub dims: Vec<i64>,
    /// The stride of each dim but the innermost, in bytes.
    pub strides: Vec<i64>,
    /// The extent of the box along each dim, in elements of the map.
    pub window: Vec<i64>,
    /// The swizzle.
    pub swizzle: SwizzleMode,
    /// How many boxes fill the tile.
    pub instructions: i64,
    /// Why the box ends where it does, unless it is the tile.
    pub end: Option<String>,
    /// How far apart boxes start in shared memory, in bytes, a number for each mode of what is left of the tile.
    pub starts: Vec<i64>,
    /// Where coordinates of the tensor lead, by mode of global memory.
    pub coordinates: Tuple<CoordinateStep>,
    basis: Vec<Vec<Vec<(i64, String)>>>,
    base: i64,
}

impl TmaCopy {
    /// The copies that fill a tile of shared memory. `bits` are those of an element of both layouts, `unit_bits` those of an element of
    /// the map, which may be another type; `tile` has the sizes of the modes of shared memory where it is missing; `base` is the
    /// address of the tensor.
    /// Integers that are not static stay unknown to the compiler, so that modes are not joined.
    ///
    /// # Errors
    /// [`Code::Profile`] where tile and shared memory differ in size; [`Code::Kind`] for a swizzle that TMA has not, and strides that
    /// are no integers; [`Code::NotDivisible`] for what is no whole number of elements of the map or of 16 bytes; [`Code::MissingFact`] for
    /// extents inside of the box that are not static; [`Code::NotALayout`] where shared memory has no elements side by side that are
    /// side by side in global memory, or where a box does not come to lie as the layout says; [`Code::Range`] for strides, extents and
    /// boxes beyond what a map holds, and what the driver refuses, with the next box that it takes.
    ///
    /// ```
    /// use bitstride::cute::Function;
    /// use bitstride::memory::TmaCopy;
    /// let shared = Function::Layout("((8,4),(8,2)):((1,64),(8,256))".parse()?);
    /// let copy = TmaCopy::new(&"(1024,256):(1,1024)".parse()?, &shared, 16, 16, None, 0)?;
    /// assert_eq!((copy.window.as_slice(), copy.instructions), ([8, 8].as_slice(), 8));
    /// assert_eq!(copy.basis(), "(8,8):(1@0,1@1)");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(
        global: &Layout,
        shared: &Function,
        bits: i64,
        unit_bits: i64,
        tile: Option<&Tuple<Int>>,
        base: i64,
    ) -> Result<Self, Error> {
        let known = |bits: i64| matches!(bits, 4 | 8 | 16 | 32 | 64);
        if !known(bits) || !known(unit_bits) {
            return Err(error!(
                Code::Range,
                "elements of TMA have {known} bits, not {bits} read as {unit_bits}",
                [known = OneOf(&[4, 8, 16, 32, 64]), bits, unit_bits]
            ));
        }
        let (swizzle, memory) = parts(shared, bits)?;
        if swizzle == SwizzleMode::Bytes128Atom32 {
            let message = "the driver refused swizzles of atoms of 32 bytes for TMA on an H100";
            return Err(Error::new(Code::Kind, message).with_help("Sw<3,4,3> of bytes is the swizzle of 128 bytes"));
        }
        let modes = Global::new(global)?;
        let tile_shape = match tile {
            Some(tile) => tile.try_map(Int::as_number)?,
            None => {
                let sizes = memory.modes().into_iter().map(|mode| mode.size()?.as_number());
                Tuple::flat(&sizes.collect::<Result<Vec<i64>, Error>>()?)
            }
        };
        let mut tile_modes = Vec::new();
        follow(global.root(), tile_shape.root(), tile_shape.leaves(), &modes, &mut tile_modes)?;
        let size = product(tile_modes.iter().map(|(extent, _)| *extent))?;
        if size < 1 {
            return Err(error!(Code::Range, "a tile has 1 element or more, not {size}", [size]));
        }
        let held = memory.size()?.as_number()?;
        if size != held {
            return Err(error!(Code::Profile, "the tile has {size} elements, shared memory {held}", [size, held]));
        }
        let [run, left] = run(memory)?;
        let (kept, mut end) = entered(&run, &tile_modes)?;
        if end.is_none() && !left.is_empty() {
            let after = product(run.iter().map(|(extent, _)| *extent))?;
            let next = left.iter().map(|(_, stride)| *stride).min().unwrap_or(0);
            end = Some(format!("shared memory goes on with stride {next} after {after} elements side by side"));
        }
        let Some(first) = kept.first().copied() else {
            let why = end.unwrap_or_else(|| "shared memory has one element".to_owned());
            return Err(error!(Code::NotALayout, "there is no box: {why}", [why])
                .with_help("shared memory must hold elements side by side that are side by side in global memory"));
        };
        let units = Units { bits, unit_bits, first: first.mode };
        let dims = map_dims(&kept, &modes, &units)?;
        let copy = Self::assembled(global, &modes, &units, dims, size, (swizzle, base), end)?;
        let box_elements = product(kept.iter().map(|part| part.extent))?;
        let starts = starts(memory, box_elements, bits)?;
        let copy = TmaCopy { starts, ..copy };
        copy.check(&modes, first.mode, global)?;
        Ok(copy)
    }

    /// The copies, whose map has not been checked.
    fn assembled(
        global: &Layout,
        modes: &Global,
        units: &Units,
        dims: Vec<MapDim>,
        size: i64,
        (swizzle, base): (SwizzleMode, i64),
        end: Option<String>,
    ) -> Result<Self, Error> {
        let window: Vec<i64> = dims.iter().map(MapDim::side).collect::<Result<_, _>>()?;
        let bytes = |stride: i64| stride.checked_mul(units.unit_bits).map(|bits| bits.div_euclid(8));
        let strides: Option<Vec<i64>> = dims.iter().skip(1).map(|dim| bytes(dim.stride)).collect();
        let filled = product(window.iter().copied())?.checked_mul(units.unit_bits);
        let all = size.checked_mul(units.bits).zip(filled).and_then(|(all, filled)| all.checked_div(filled));
        let mut coordinates = vec![CoordinateStep::default(); modes.extents.len()];
        for (number, dim) in dims.iter().enumerate() {
            for (_, mode) in dim.modes().filter(|(_, mode)| !modes.is_left_out(*mode)) {
                if let Some(step) = coordinates.get_mut(mode) {
                    *step = units.step(number, dim, mode, modes)?;
                }
            }
        }
        let names = leaf_names(global.root(), &[]);
        let name = |mode: usize| names.get(mode).cloned().unwrap_or_default();
        let named = |modes: &Vec<(i64, usize)>| modes.iter().map(|(extent, mode)| (*extent, name(*mode))).collect();
        let basis = dims.iter().map(|dim| dim.joined.iter().map(named).collect());
        Ok(TmaCopy {
            unit_bits: units.unit_bits,
            dims: dims.iter().map(|dim| dim.extent).collect(),
            strides: strides.ok_or_else(|| Error::overflow("a stride in bytes"))?,
            window,
            swizzle,
            instructions: all.ok_or_else(|| Error::overflow("the bits of a tile"))?,
            end,
            starts: Vec::new(),
            coordinates: Tuple::unflatten(&coordinates, global.profile())?,
            basis: basis.collect(),
            base,
        })
    }

    /// Refuses what no map holds, every rule that is broken together, then what the driver refuses, then another image.
    fn check(&self, modes: &Global, first: usize, global: &Layout) -> Result<(), Error> {
        let mut broken: Vec<Error> = Vec::new();
        let stride = modes.stride(first)?;
        if stride != 1 {
            let name = leaf_names(global.root(), &[]).get(first).cloned().unwrap_or_default();
            broken.push(error!(
                Code::NotALayout,
                "the innermost mode of shared memory is {name} of global memory, whose stride is {stride}, not {unit}",
                [name, stride, unit = 1]
            ));
        }
        let unit = UNIT_BITS / 8;
        if self.base.rem_euclid(unit) != 0 {
            broken.push(error!(
                Code::NotDivisible,
                "the address {address} is no multiple of {unit} bytes",
                [address = self.base, unit]
            ));
        }
        for (dim, bytes) in (1..).zip(&self.strides) {
            if bytes.rem_euclid(unit) != 0 {
                broken.push(error!(
                    Code::NotDivisible,
                    "the stride of dim {dim} is {bytes} bytes, which is no multiple of {unit}",
                    [dim, bytes, unit]
                ));
            }
            if !(0..STRIDE_END).contains(bytes) {
                broken.push(error!(
                    Code::Range,
                    "the stride of dim {dim} is {bytes} bytes; it goes from {least} to {most}",
                    [dim, bytes, least = 0, most = "2^40 - 1"]
                ));
            }
        }
        for (dim, extent) in self.dims.iter().enumerate().filter(|(_, extent)| !(1..=LONGEST_DIM).contains(*extent)) {
            broken.push(error!(
                Code::Range,
                "the extent of dim {dim} is {extent}; it goes from {least} to {most}",
                [dim, extent, least = 1, most = "2^32"]
            ));
        }
        for (dim, side) in self.window.iter().enumerate().filter(|(_, side)| !(1..=LONGEST_SIDE).contains(*side)) {
            broken.push(error!(
                Code::Range,
                "the box along dim {dim} is {side}; it goes from {least} to {most}",
                [dim, side, least = 1, most = LONGEST_SIDE]
            ));
        }
        if let Some(error) = broken.into_iter().reduce(Error::besides) {
            return Err(match self.nearest_box() {
                Some(nearest) => error.with_help(nearest),
                None => error,
            });
        }
        self.map()?.check()?;
        self.check_image()
    }

    /// The box with its sides cut to what a map holds.
    fn nearest_box(&self) -> Option<String> {
        let largest = |side: &i64| (1..=LONGEST_SIDE).rev().find(|part| side % part == 0);
        let sides: Option<Vec<i64>> = self.window.iter().map(largest).collect();
        let sides = sides.filter(|sides| *sides != self.window)?;
        let sides: Vec<String> = sides.iter().map(ToString::to_string).collect();
        Some(format!("the nearest box is ({}): cut the tile", sides.join(",")))
    }

    /// Rows of a box lie as far apart as the swizzle spans where they are shorter, which no layout without gaps says.
    fn check_image(&self) -> Result<(), Error> {
        let bits = self.window.first().copied().unwrap_or(0).checked_mul(self.unit_bits);
        let bytes = bits.ok_or_else(|| Error::overflow("a row of the box"))? / 8;
        let rows = product(self.window.iter().skip(1).copied())?;
        let span = self.swizzle.bytes();
        if bytes >= span || rows == 1 {
            return Ok(());
        }
        let modes = [SwizzleMode::Bytes64, SwizzleMode::Bytes32, SwizzleMode::None];
        let fits = modes.iter().find(|mode| mode.bytes() <= bytes).map_or(0, |mode| mode.bytes());
        Err(error!(
            Code::NotALayout,
            "element (0,1) of the box lies {bytes} bytes from its start in shared memory before the swizzle; TMA writes rows {span} bytes apart, which the swizzle spans",
            [bytes, span]
        ).with_help(format!("a swizzle of {fits} bytes fits this row")))
    }

    /// The parameters that the driver takes. Elements of 4 bits are given as bytes, two and two.
    ///
    /// # Errors
    /// [`Code::NotDivisible`] for an odd number of elements of 4 bits along the innermost dim.
    pub fn map(&self) -> Result<TensorMap, Error> {
        let (mut dims, mut window) = (self.dims.clone(), self.window.clone());
        for inner in [dims.first_mut(), window.first_mut()].into_iter().flatten().filter(|_| self.unit_bits < 8) {
            if *inner % 2 != 0 {
                return Err(error!(
                    Code::NotDivisible,
                    "{inner} elements of 4 bits along the innermost dim are no whole number of bytes",
                    [inner]
                ));
            }
            *inner /= 2;
        }
        Ok(TensorMap {
            element_bytes: (self.unit_bits / 8).max(1),
            element_strides: vec![1; dims.len()],
            dims,
            strides: self.strides.clone(),
            window,
            interleave: Interleave::None,
            swizzle: self.swizzle.bytes(),
            base: self.base,
            fill: Fill::Zero,
        })
    }

    /// The box over the modes of global memory as CuTe prints it: `(64,8):(1@0,1@1)`, the innermost index of a mode first.
    pub fn basis(&self) -> String {
        let list =
            |parts: Vec<String>| if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(",")) };
        let written = |of: &dyn Fn(&(i64, String)) -> String| {
            let dims: Vec<String> = (0..)
                .zip(&self.basis)
                .map(|(number, joined)| {
                    let parts: Vec<String> = joined.iter().map(|modes| list(modes.iter().map(of).collect())).collect();
                    // CuTe makes a mode of all dims from the fifth on, even of one.
                    if number + 1 == MAX_DIMS { format!("({})", parts.join(",")) } else { parts.concat() }
                })
                .collect();
            format!("({})", dims.join(","))
        };
        format!("{}:{}", written(&|(extent, _)| extent.to_string()), written(&|(_, mode)| mode.clone()))
    }
}

/// The names of leaves, as basis vectors: `1@0@1` is mode 0 of mode 1.
fn leaf_names(node: Node<'_>, path: &[usize]) -> Vec<String> {
    if node.is_leaf() {
        // A layout of one mode without brackets is mode 0 of itself.
        let path = if path.is_empty() { &[0] } else { path };
        return vec![path.iter().rev().fold("1".to_owned(), |name, mode| format!("{name}@{mode}"))];
    }
    let mut names = Vec::new();
    for (number, child) in node.children().enumerate() {
        let path: Vec<usize> = path.iter().copied().chain([number]).collect();
        names.extend(leaf_names(child, &path));
    }
    names
}

/// How far apart boxes start in shared memory, in bytes: the strides of what lies beyond the first of them.
fn starts(memory: &Layout, box_elements: i64, bits: i64) -> Result<Vec<i64>, Error> {
    let mut starts = Vec::new();
    for (extent, stride) in memory.extents().iter().zip(memory.strides()) {
        let Stride::Int(stride) = stride else { continue };
        let (extent, stride) = (extent.as_number()?, stride.as_number()?);
        let end = extent.checked_mul(stride).ok_or_else(|| Error::overflow("the size of shared memory"))?;
        if extent == 1 || end <= box_elements {
            continue;
        }
        let first = if stride < box_elements { box_elements } else { stride };
        let bytes = first.checked_mul(bits).ok_or_else(|| Error::overflow("the size of shared memory"))?;
        starts.push(bytes.div_euclid(8));
    }
    starts.sort_unstable();
    starts.dedup();
    Ok(starts)
}
