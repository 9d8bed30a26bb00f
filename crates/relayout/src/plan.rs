//! [`Plan`]: how to move a tensor from one layout to another. It is made once and can be run any number of times.
//!
//! Law: after a run, the destination holds every element of the tensor at the place that its layout defines, and every
//! other bit is unchanged.

use std::fmt;

use bitstride::map::{Form, Injectivity, Map, Unit};
use bitstride::{Code, Error, error};

use crate::block::{Block, Kernel};
use crate::cast::{number, size};
use crate::element::Element;
use crate::injective::is_injective;
use crate::joined::Periods;
use crate::kernel::{BYTE, Copy, Isa, Parts, Row, Store};
use crate::machine::Machine;
use crate::nest::{Nest, nests};
use crate::place_table::PlaceTable;
use crate::pointwise::{Points, Pointwise, SIDES};

/// How a tensor is moved from one layout to another; the crate's page has an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(crate) element: Element,
    pub(crate) machine: Machine,
    /// The nest of each block, kept for explanations.
    pub(crate) nests: Vec<Nest>,
    pub(crate) blocks: Vec<Block>,
    /// The tensor as points, where there are no blocks.
    pub(crate) pointwise: Option<Pointwise>,
    /// The elements that are moved.
    pub(crate) elements: i64,
    /// The least bytes of each side.
    pub(crate) bytes: [usize; 2],
    /// Whether non-temporal stores pay: what is read comes from memory, and what is written would not stay in the caches
    /// ([`Sizes`](crate::machine::Sizes)). A small output stays in the caches for its
    /// next reader, however scattered its source is.
    pub(crate) large: bool,
}

impl Plan {
    /// The plan from one layout to another of the same tensor, for the widest instructions of this machine. Layouts whose dims
    /// have other names, or that have another rank, are aligned as [`Map::same`] aligns them.
    ///
    /// # Errors
    /// - [`Code::Overlap`] when the destination holds two elements in one place;
    /// - [`Code::RankMismatch`] when the layouts are of different tensors, as [`Map::aligned`];
    /// - [`Code::Kind`] for places that are counted in anything but elements;
    /// - [`Code::Range`] for places below 0;
    /// - [`Code::TooLarge`] for places beyond 2^59 bits;
    /// - [`Code::NotALayout`] where a layout has no place for some element that the other has;
    /// - for a pair that has no common digits and more than 2^30 elements, why it has none, as [`Form::of`], where digits do
    ///   not show either how far each layout reaches; or [`Code::Undecided`], where it is not known whether elements of the
    ///   destination share places.
    pub fn new(from: &Map, to: &Map, element: Element) -> Result<Self, Error> {
        Plan::for_machine(from, to, element, Machine::detect())
    }

    /// The same for chosen instructions, such as those of another machine.
    ///
    /// # Errors
    /// As [`Plan::new`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Isa, Plan};
    /// let rows = Map::of_layout(&"(64,64):(64,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(64,64):(1,64)".parse()?)?;
    /// let plan = Plan::for_isa(&rows, &columns, Element::of_bits(16)?, Isa::Scalar)?;
    /// assert_eq!(plan.isa(), Isa::Scalar);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn for_isa(from: &Map, to: &Map, element: Element, isa: Isa) -> Result<Self, Error> {
        Plan::for_machine(from, to, element, Machine::detect().with_isa(isa))
    }

    /// The same for a machine, which need not be this one: a plan depends on its arguments alone. [`Machine`] has an example.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn for_machine(from: &Map, to: &Map, element: Element, machine: Machine) -> Result<Self, Error> {
        let (nests, pointwise) = match from.aligned(to) {
            Ok([from, to]) => match digits([&from, &to], element, machine) {
                Ok(nests) => (nests, None),
                Err(why) if matches!(why.code(), Code::Overlap | Code::Kind) => return Err(why),
                Err(why) => {
                    let points = Points { maps: [&from, &to], tables: [None, None] };
                    (Vec::new(), Some(points.moved(element, machine, &why)?))
                }
            },
            Err(why) => (Vec::new(), Some(listed([from, to], element, machine, &why)?)),
        };
        let part = element.part_bits();
        let mut bytes = [0; 2];
        for (side, bytes) in bytes.iter_mut().enumerate() {
            let (least, end) = match &pointwise {
                Some(pointwise) => pointwise.reach_bits(side, element)?,
                None => nests
                    .iter()
                    .map(|nest| nest.reach(side))
                    .fold((0, 0), |all, ends| (all.0.min(ends.0), all.1.max(ends.1 + part))),
            };
            if least < 0 {
                let (least, of) = (least / element.bits(), SIDES[side]);
                let help = format!("add an offset: its layout as `L + {}`", least.unsigned_abs());
                return Err(error!(
                    Code::Range,
                    "place {least} of the {of} is before the first of its memory",
                    [least, of]
                )
                .with_help(help));
            }
            *bytes = size(end.div_euclid(8) + i64::from(end % 8 != 0))?;
        }
        let parts = nests.iter().map(|nest| nest.size()).fold(0, i64::saturating_add);
        let elements = pointwise.as_ref().map_or(parts / element.parts(), |pointwise| pointwise.elements);
        let blocks = nests.iter().map(|nest| Block::of(nest, part, machine)).collect();
        let mut plan = Plan { element, machine, nests, blocks, pointwise, elements, bytes, large: false };
        let sizes = machine.sizes;
        plan.large = number(plan.moved_bytes()) >= sizes.memory_min_bytes && number(bytes[1]) >= sizes.stream_min_bytes;
        Ok(plan)
    }

    /// The reason why no kernel moves the pair, if it is moved element by element, which is exact but slow: it has no common digits
    /// ([`Plan::no_common_digits`]), and is small or does not repeat.
    ///
    /// ```
    /// use bitstride_lang::evaluate;
    /// use bitstride_relayout::{Element, Plan};
    /// let map = |text: &str| evaluate(text)?.value.as_map();
    /// let (padded, dense) = (map("Sw<2,3,3> o (33,40):(40,1)")?, map("(33,40):(40,1)")?);
    /// let plan = Plan::new(&dense, &padded, Element::of_bits(16)?)?;
    /// assert!(plan.slow().is_some_and(|why| why.contains("the destination")));
    /// assert_eq!(Plan::new(&dense, &dense, Element::of_bits(16)?)?.slow(), None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn slow(&self) -> Option<&str> {
        self.no_common_digits().filter(|_| self.periods().is_none())
    }

    /// The reason why the pair has no common digits, if it has none. It is then no boxes of loops ([`Plan::problems`]); one that
    /// repeats is moved tile by tile.
    ///
    /// ```
    /// use bitstride_lang::evaluate;
    /// use bitstride_relayout::{Element, Plan};
    /// let map = |text: &str| evaluate(text)?.value.as_map();
    /// let (swizzled, dense) = (map("Sw<2,3,3> o 0 o (4096,40):(40,1)")?, map("(4096,40):(40,1)")?);
    /// let plan = Plan::new(&dense, &swizzled, Element::of_bits(8)?)?;
    /// assert!(plan.no_common_digits().is_some() && plan.slow().is_none());
    /// assert!(plan.to_string().contains("tiles of 1280 bytes"), "32 rows");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn no_common_digits(&self) -> Option<&str> {
        self.pointwise.as_ref().map(|pointwise| pointwise.why.as_str())
    }

    /// What moves a pair that repeats.
    pub(crate) fn periods(&self) -> Option<&Periods> {
        self.pointwise.as_ref()?.periods.as_ref()
    }

    /// The least bytes of the source.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let dense = Map::of_layout(&"(2,3):(3,1)".parse()?)?;
    /// let padded = Map::of_layout(&"(2,3):(4,1)".parse()?)?;
    /// let plan = Plan::new(&dense, &padded, Element::of_bits(8)?)?;
    /// assert_eq!((plan.source_bytes(), plan.destination_bytes(), plan.moved_bytes()), (6, 7, 6));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn source_bytes(&self) -> usize {
        self.bytes[0]
    }

    /// The least bytes of the destination; see [`Plan::source_bytes`].
    pub fn destination_bytes(&self) -> usize {
        self.bytes[1]
    }

    /// The bytes that are read. As many are written.
    pub fn moved_bytes(&self) -> usize {
        let bits = i128::from(self.elements) * i128::from(self.element.bits());
        usize::try_from((bits + 7) / 8).unwrap_or(usize::MAX)
    }

    /// How many elements are moved.
    pub fn elements(&self) -> i64 {
        self.elements
    }

    /// The size of an element.
    pub fn element(&self) -> Element {
        self.element
    }

    /// The expected bound of the speed.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Bound, Element, Plan};
    /// let rows = Map::of_layout(&"(4096,4096):(4096,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(4096,4096):(1,4096)".parse()?)?;
    /// assert_eq!(Plan::new(&rows, &columns, Element::of_bits(32)?)?.bound(), Bound::Memory);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn bound(&self) -> Bound {
        const UNIT: usize = 16;
        let visits = |block: &Block| match &block.kernel {
            Kernel::Copy(copy) => copy.bytes < UNIT,
            Kernel::Network(_) | Kernel::Strips(_) | Kernel::Shuffle(_) => false,
            Kernel::Parts(_) => true,
        };
        if self.pointwise.is_some() || self.blocks.iter().any(visits) {
            Bound::Visits
        } else if number(self.moved_bytes()) < self.machine.sizes.memory_min_bytes {
            Bound::Caches
        } else {
            Bound::Memory
        }
    }

    /// The instructions that the plan uses.
    pub fn isa(&self) -> Isa {
        self.machine.isa
    }
}

/// The expected bound of the speed of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The caches: the tensor stays in them.
    Caches,
    /// Memory: kernels move whole lines faster than memory brings them.
    Memory,
    /// Visits: units of a few bytes are moved one by one.
    Visits,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::Caches => "the caches",
            Bound::Memory => "memory",
            Bound::Visits => "moving unit by unit",
        })
    }
}

/// The pointwise move of a pair with a layout from places that the algebra does not invert: its places are listed in a table.
fn listed(maps: [&Map; 2], element: Element, machine: Machine, why: &Error) -> Result<Pointwise, Error> {
    let side = |map: &Map| match map.aligned(map) {
        Ok(_) => Ok((map.clone(), None)),
        Err(why) => PlaceTable::of(map, &why).map(|(numbers, table)| (numbers, Some(table))),
    };
    let [(from, source), (to, destination)] = [side(maps[0])?, side(maps[1])?];
    let [from, to] = from.aligned(&to)?;
    in_elements([&from, &to])?;
    Points { maps: [&from, &to], tables: [source, destination] }.moved(element, machine, why)
}

/// Returns an error for places that are not counted in elements.
fn in_elements(maps: [&Map; 2]) -> Result<(), Error> {
    match maps.into_iter().flat_map(Map::codomain).find(|axis| axis.unit != Unit::Element) {
        Some(axis) => Err(error!(
            Code::Kind,
            "places are counted in {unit}s; a relayout counts them in elements",
            [unit = axis.unit]
        )),
        None => Ok(()),
    }
}

/// The loops over digits that both layouts have.
fn digits(maps: [&Map; 2], element: Element, machine: Machine) -> Result<Vec<Nest>, Error> {
    in_elements(maps)?;
    let [source, destination] = [form_of(maps[0], SIDES[0])?, form_of(maps[1], SIDES[1])?];
    if !is_injective(&destination) {
        match maps[1].injectivity() {
            Ok(Injectivity::Yes(_)) => {}
            Ok(Injectivity::No { points: [one, other], place, .. }) => {
                return Err(error!(
                    Code::Overlap,
                    "elements {one:?} and {other:?} would both be written to place {place:?}",
                    [one, other, place]
                ));
            }
            Err(why) => drop(Points { maps, tables: [None, None] }.moved(element, machine, &why)?),
        }
    }
    nests([&source, &destination], element)
}

/// The normal form of the layout of a side; an error names the side.
fn form_of(map: &Map, side: &str) -> Result<Form, Error> {
    const HELP: &str =
        "dims that are merged before they are cut do not carry where the most minor of them is a multiple of the cut";
    Form::of(map).map_err(|why| {
        let error = why.about(format!("the {side}"));
        match (error.help(), error.code()) {
            (None, Code::Carry | Code::Split) => error.with_help(HELP),
            _ => error,
        }
    })
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.moved_bytes();
        writeln!(f, "{} elements of {}, {bytes} bytes, bound by {}", self.elements, self.element, self.bound())?;
        if let Some(why) = self.slow() {
            writeln!(f, "slow: element by element, since no kernel moves this pair: {why}")?;
        }
        if let (Some(periods), Some(why)) = (self.periods(), self.no_common_digits()) {
            let (bytes, operations) = periods.tile();
            writeln!(
                f,
                "tiles of {bytes} bytes that repeat, by {operations} operations, since no kernel moves this pair: {why}"
            )?;
        }
        for block in &self.blocks {
            let unit = block.kernel.unit();
            for (depth, level) in block.loops.iter().enumerate() {
                let ([from, to], width) = (level.strides(), 2 * depth);
                writeln!(
                    f,
                    "{:width$}{} steps of {from} {unit} in the source, {to} in the destination",
                    "", level.count
                )?;
            }
            let width = 2 * block.loops.len();
            writeln!(f, "{:width$}{}, at {} places", "", block.kernel, block.tiles.len())?;
        }
        Ok(())
    }
}

impl Kernel {
    /// The unit of distances around it.
    fn unit(&self) -> String {
        match self {
            Kernel::Parts(Parts { bits }) => format!("units of {bits} bits"),
            Kernel::Network(network) if network.unit < BYTE => format!("units of {} bits", 1 << network.unit),
            _ => "bytes".to_owned(),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kernel::Copy(Copy { bytes, row: Row { count: 1, .. } }) => write!(f, "copy {bytes} bytes"),
            Kernel::Copy(Copy { bytes, row }) => {
                let runs = if *bytes == 1 { "byte" } else { "bytes" };
                write!(f, "copy {} runs of {bytes} {runs}, {row}", row.count)
            }
            Kernel::Network(network) => write!(f, "exchange {network}"),
            Kernel::Strips(strips) => {
                let [from, to] = strips.sides.each_ref().map(|strip| strip.window);
                let lines = match strips.store {
                    Store::Cached => "",
                    Store::Contiguous => ", a run",
                    Store::Realigned => ", carried to lines",
                    Store::Packed => ", filled up and packed into a run",
                    Store::PaddedPacked => ", filled up each and packed into runs",
                };
                write!(f, "exchange {}, of {from} by {to} units{lines}", strips.network)
            }
            Kernel::Shuffle(shuffle) if shuffle.row == Row::ONE => write!(f, "shuffle {shuffle}"),
            Kernel::Shuffle(shuffle) => write!(f, "shuffle {} times {shuffle}, {}", shuffle.row.count, shuffle.row),
            Kernel::Parts(parts) => write!(f, "move {} bits", parts.bits),
        }
    }
}
