//! What a conversion between two layouts of a tensor moves.
//!
//! Law: the map `C` from each place of the destination to a place of the source has `from(C(p)) = to(p)`. Parts of the machine
//! come off from the slow end (blocks, warps, lanes, registers) as long as `C` is the identity on them; the slowest that is left
//! says how far data move.

use bitstride::Error;
use bitstride::linear::{LinearLayout, Name, Places};
use bitstride::memory::{Conversion as Cost, Matrices};

/// How far data move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Distance {
    /// Nothing moves.
    Nothing,
    /// Between the registers of a thread.
    Registers,
    /// Between the lanes of a warp.
    Lanes,
    /// Between the warps of a block.
    Warps,
    /// Between blocks.
    Blocks,
}

impl Distance {
    /// All of them, by distance.
    pub const NAMES: [&'static str; 5] = ["nothing", "registers", "lanes", "warps", "blocks"];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Distance::Nothing => "nothing",
            Distance::Registers => "registers",
            Distance::Lanes => "lanes",
            Distance::Warps => "warps",
            Distance::Blocks => "blocks",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Distance::Nothing => "nothing moves",
            Distance::Registers => "data move between the registers of a thread",
            Distance::Lanes => "data move between the lanes of a warp",
            Distance::Warps => "data move between warps, through shared memory",
            Distance::Blocks => "data move between blocks, through distributed shared memory",
        }
    }
}

/// What moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// How far.
    pub distance: Distance,
    /// The parts of a place that change, as the source counts them.
    pub parts: Vec<Name>,
    /// The first element that moves, row by row.
    pub first: Option<Moved>,
    /// What it costs on the GPU that the dump names, where that is one of NVIDIA.
    pub cost: Option<Cost>,
}

/// An element that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Its index.
    pub element: Vec<i64>,
    /// Where it comes from.
    pub from: Vec<(Name, i64)>,
    /// Where it goes to.
    pub to: Vec<(Name, i64)>,
}

impl Movement {
    /// What moves between two layouts of one tensor.
    ///
    /// # Errors
    /// As [`LinearLayout::invert_and_compose`]: the layouts are of different tensors.
    ///
    /// ```
    /// use bitstride_dumps::ttgir::{Distance, Facts, Movement};
    /// use bitstride_lang::Bindings;
    /// let layout = |per_thread: &str| {
    ///     let rest = "threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>>";
    ///     let text = format!("tensor<16x16xf32, #ttg.blocked<{{sizePerThread = {per_thread}, {rest}");
    ///     Facts::read(&text, &Bindings::default()).map(|facts| facts.registers().map(|r| r.layout.clone()).unwrap())
    /// };
    /// let movement = Movement::between(&layout("[2, 4]")?, &layout("[1, 4]")?)?;
    /// assert_eq!(movement.distance, Distance::Lanes);
    /// let first = movement.first.unwrap();
    /// // Row 1 lies in a second register of lane 0, and then in lane 4.
    /// assert_eq!((first.element, first.from[0].1, first.to[1].1), (vec![1, 0], 4, 4));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn between(from: &LinearLayout, to: &LinearLayout) -> Result<Movement, Error> {
        let left = from.minimal_cvt(to)?;
        let mut parts: Vec<Name> = left.ins().iter().filter(|dim| dim.bits > 0).map(|dim| dim.name).collect();
        let sources = left.outs().iter().filter(|dim| dim.bits > 0).map(|dim| dim.name);
        parts.extend(sources.filter(|name| left.in_dim(*name).is_none_or(|(dim, _)| dim.bits == 0)));
        let distance = parts.iter().map(|name| distance(*name)).max().unwrap_or(Distance::Nothing);
        let first = if distance == Distance::Nothing { None } else { first(from, to)? };
        Ok(Movement { distance, parts, first, cost: None })
    }
}

impl Movement {
    /// The same with what it costs, of elements of a given number of bits; unknown where a GPU has no such conversion.
    #[must_use]
    pub fn with_cost(mut self, from: &LinearLayout, to: &LinearLayout, element_bits: i64, matrices: Matrices) -> Self {
        self.cost = Cost::new(from, to, element_bits, matrices).ok();
        self
    }
}

fn distance(name: Name) -> Distance {
    match name {
        Name::REGISTER => Distance::Registers,
        Name::LANE => Distance::Lanes,
        Name::WARP => Distance::Warps,
        _ => Distance::Blocks,
    }
}

/// The first element that moves. The elements that stay are a subspace, so that the first one that does not is an element whose
/// number is a power of two; or it is the first of all, where copies of it come from elsewhere.
fn first(from: &LinearLayout, to: &LinearLayout) -> Result<Option<Moved>, Error> {
    let source = to.invert_and_compose(from)?;
    let places = Places::new(to);
    let mut by_dim: Vec<(Name, u32, u32)> = Vec::new();
    let mut start = 0;
    for dim in to.outs() {
        by_dim.push((dim.name, start, dim.bits));
        start += dim.bits;
    }
    by_dim.sort_by_key(|(name, ..)| std::cmp::Reverse(*name));
    let units =
        by_dim.iter().flat_map(|(_, start, bits)| (*start..start + bits).map(|at| 1_u64.checked_shl(at).unwrap_or(0)));
    let candidates = places.kernel().iter().copied().chain(units.filter_map(|element| places.first(element)));
    for place in candidates {
        let (here, there) = (named(to, place), unpacked(&source, source.apply_packed(place)));
        if !is_same_place(&here, &there) {
            let mut element = unpacked(to, to.apply_packed(place));
            element.sort_by_key(|(name, _)| *name);
            let element = element.into_iter().map(|(_, index)| index).collect();
            return Ok(Some(Moved { element, from: there, to: here }));
        }
    }
    Ok(None)
}

/// A place by the names of its parts.
fn named(layout: &LinearLayout, place: u64) -> Vec<(Name, i64)> {
    let mut rest = place;
    let part = |dim: &bitstride::linear::Dim| {
        let mask = 1_u64.checked_shl(dim.bits).map_or(u64::MAX, |size| size - 1);
        let value = i64::try_from(rest & mask).unwrap_or(i64::MAX);
        rest = rest.checked_shr(dim.bits).unwrap_or(0);
        (dim.name, value)
    };
    layout.ins().iter().map(part).collect()
}

fn unpacked(layout: &LinearLayout, image: u64) -> Vec<(Name, i64)> {
    layout.outs().iter().zip(layout.unpack(image).iter()).map(|(dim, value)| (dim.name, *value)).collect()
}

/// Whether both name the same place; a part that is not named is 0.
fn is_same_place(left: &[(Name, i64)], right: &[(Name, i64)]) -> bool {
    let within = |one: &[(Name, i64)], other: &[(Name, i64)]| {
        one.iter().all(|(name, value)| {
            let there = other.iter().find(|(known, _)| known == name).map_or(0, |(_, value)| *value);
            *value == there
        })
    };
    within(left, right) && within(right, left)
}
