//! The bank of shared memory in which each element lies: `(address / 4) mod 32`, the address being the offset in bytes.
//!
//! Drawn for the layout itself, and for the same layout without its swizzle: each offset basis without the bits that
//! earlier ones move already. Of the elements of one row or column it counts how many words each bank has to serve,
//! which is how often the access is repeated.

use std::collections::{BTreeMap, BTreeSet};

use bitstride::linear::{Columns, Dim, LinearLayout, Name};
use bitstride::map::{Direction, Map, Unit};
use bitstride::{Code, Error, error};

use super::super::{Drawn, Room, assembled};
use super::{Edge, LinearSubject, group, lined, no_dim};
use crate::cell::{Cell, Fill};
use crate::grid::Grid;
use crate::picture::{Panel, Picture};

/// The banks of a shared memory, and the bytes of a word.
const BANKS: u64 = 32;
const WORD_BITS: u64 = 32;

/// The most elements of a row or column.
const MAX_ELEMENTS: u64 = 1 << 16;

/// What the bank picture is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banks {
    /// The bits of an element.
    pub element_bits: u32,
    /// The elements that are read at once: a coordinate along each axis, or none for all along it.
    pub along: Vec<Option<u64>>,
    /// The lanes that one phase of an access serves, which then count instead.
    pub lanes: Vec<LaneBits>,
}

/// A lane, and the bits of memory that it transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneBits {
    /// The number of the lane.
    pub lane: usize,
    /// The address of the first bit.
    pub first: u64,
    /// The address after the last bit.
    pub end: u64,
}

impl Banks {
    /// Column 0 of a tensor: all of the dim before the last, the first of every other.
    pub fn column(element_bits: u32, rank: usize) -> Self {
        let all = rank.saturating_sub(2);
        let along = (0..rank).map(|axis| if axis == all { None } else { Some(0) }).collect();
        Banks { element_bits, along, lanes: Vec::new() }
    }

    fn address_bits(&self, offset: u64) -> u64 {
        offset.saturating_mul(u64::from(self.element_bits))
    }

    /// Refuses a coordinate that is none of a tensor of this rank.
    fn fits(&self, rank: usize) -> Result<(), Error> {
        if self.along.len() == rank {
            return Ok(());
        }
        Err(error!(
            Code::RankMismatch,
            "{words} has {along_count} entries; the tensor has {rank} dims",
            [words = self.words(), along_count = self.along.len(), rank]
        ))
    }

    /// The bank of an offset.
    pub fn bank(&self, offset: u64) -> u64 {
        self.word(offset) % BANKS
    }

    fn word(&self, offset: u64) -> u64 {
        self.address_bits(offset) / WORD_BITS
    }

    fn takes(&self, at: &[u64]) -> bool {
        self.along.iter().zip(at).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value))
    }

    /// The lanes that ask for an element at an offset.
    fn lane(&self, offset: u64) -> Option<usize> {
        let first = self.address_bits(offset);
        let end = first.saturating_add(u64::from(self.element_bits));
        self.lanes.iter().find(|lane| lane.first < end && first < lane.end).map(|lane| lane.lane)
    }

    /// The coordinates in words, such as `(_,0)`, or the lanes.
    fn words(&self) -> String {
        if let (Some(first), Some(last)) = (self.lanes.first(), self.lanes.last()) {
            return format!("lanes {} to {}", first.lane, last.lane);
        }
        let parts: Vec<String> =
            self.along.iter().map(|n| n.map_or_else(|| "_".to_owned(), |n| n.to_string())).collect();
        format!("({})", parts.join(","))
    }
}

/// The layout without its swizzle, if it has one.
pub fn unswizzled(layout: &LinearLayout) -> Option<LinearLayout> {
    let mut reached = 0;
    let mut columns = Columns::new();
    for (dim, bases) in layout.by_in_dim() {
        for basis in bases {
            let fresh = if dim.name == Name::OFFSET && basis & !reached != 0 { basis & !reached } else { *basis };
            if dim.name == Name::OFFSET {
                reached |= fresh;
            }
            columns.push(fresh);
        }
    }
    let plain = LinearLayout::from_columns(
        layout.ins().iter().copied().collect(),
        layout.outs().iter().copied().collect(),
        columns,
    );
    plain.ok().filter(|plain| plain != layout)
}

/// A side of the tensor: its name and how long it is.
type Side = (Name, u64);

/// Where each element lies: its offset by its coordinates.
type Offset<'a> = &'a dyn Fn(&[u64]) -> Option<u64>;

/// A layout of any family in shared memory.
#[derive(Clone, Debug)]
pub struct Shared {
    typed: String,
    map: Map,
}

impl Shared {
    /// The memory of a layout, and the text that it came from.
    ///
    /// # Errors
    /// [`Code::Kind`] for a layout whose places are not offsets in elements; as [`Map::from_elements`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_draw::scene::Shared;
    /// let padded = Shared::new("rows", &Map::of_layout(&"(64,64):(72,1)".parse()?)?)?;
    /// assert_eq!(padded.offset(&[1, 0]), Some(72));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(typed: &str, map: &Map) -> Result<Self, Error> {
        let map = map.from_elements()?;
        let one = map.codomain().len() == 1 && map.codomain().iter().all(|axis| axis.unit == Unit::Element);
        if !one || map.direction() != Direction::ToPlace {
            return Err(error!(
                Code::Kind,
                "banks are those of a shared memory; {map} does not lead to one offset in elements",
                [map]
            ));
        }
        Ok(Shared { typed: typed.trim().to_owned(), map })
    }

    /// The dims of the tensor, each with its size.
    pub fn sides(&self) -> Vec<(Name, u64)> {
        self.map.domain().iter().map(|axis| (axis.name, u64::try_from(axis.extent).unwrap_or(0))).collect()
    }

    /// The offset of the element at these coordinates.
    pub fn offset(&self, at: &[u64]) -> Option<u64> {
        let point: Option<Vec<i64>> = at.iter().map(|x| i64::try_from(*x).ok()).collect();
        let place = self.map.at(&point?).ok()??;
        place.first().and_then(|offset| u64::try_from(*offset).ok())
    }
}

/// The banks of some memories, below one another; `room` is as that of [`picture`](super::super::picture()).
///
/// # Errors
/// [`Code::RankMismatch`], [`Code::Range`] for elements that a tensor has not; [`Code::TooLarge`] for more than 65,536.
pub fn banks_picture(memories: &[(Shared, Banks)], room: impl Into<Room>) -> Result<Picture, Error> {
    let room = &room.into();
    let mut scenes = Vec::new();
    for (memory, banks) in memories {
        let sides = memory.sides();
        banks.fits(sides.len())?;
        let panels = panels(&|at| memory.offset(at), banks, &sides, room)?;
        let legend = vec![(Fill::Muted, "not of this access".to_owned())];
        scenes.push((
            memory.typed.clone(),
            Drawn { rows: panels.into_iter().map(|panel| vec![panel]).collect(), legend },
        ));
    }
    Ok(assembled(scenes))
}

pub(super) fn scene(subject: &LinearSubject, banks: &Banks, room: &Room) -> Result<Drawn, Error> {
    if subject.in_dim(Name::OFFSET).is_none() {
        return Err(no_dim(subject, Name::OFFSET).with_help("banks are those of a shared memory"));
    }
    let axes: Vec<Side> = subject.axes().map(|dim: Dim| (dim.name, u64::try_from(dim.size()).unwrap_or(0))).collect();
    banks.fits(axes.len())?;
    let mut subjects = Vec::new();
    if let Some(plain) = unswizzled(subject.layout()) {
        subjects.push((LinearSubject::new("", &plain), "before the swizzle"));
    }
    subjects.push((subject.clone(), if subjects.is_empty() { "" } else { "after the swizzle" }));
    let mut rows = Vec::new();
    for (subject, title) in &subjects {
        for (at, panel) in panels(&|at| subject.offset(at), banks, &axes, room)?.into_iter().enumerate() {
            rows.push(vec![if at == 0 { panel.title(title) } else { panel }]);
        }
    }
    Ok(Drawn { rows, legend: vec![(Fill::Muted, "not of this access".to_owned())] })
}

/// The tensor with the bank of each element, and below it the banks with what is asked of each.
fn panels(offset: Offset<'_>, banks: &Banks, axes: &[Side], room: &Room) -> Result<Vec<Panel>, Error> {
    let size = |side: Option<&Side>| side.map_or(1, |(_, size)| *size);
    let rank = axes.len();
    let across = size(axes.last());
    let down = size(rank.checked_sub(2).and_then(|at| axes.get(at)));
    let number = |n: u64| n.to_string();
    let level = |_| 0;
    let (rows, cols) =
        (Edge { len: down, head: &number, level: &level }, Edge { len: across, head: &number, level: &level });
    // Of more than two dims the slice that is read is drawn.
    let at = |i: u64, j: u64| -> Vec<u64> {
        let outer = banks.along.iter().take(rank.saturating_sub(2)).map(|n| n.unwrap_or(0));
        outer.chain([i, j]).skip(2_usize.saturating_sub(rank)).collect()
    };
    let grid = lined(&rows, &cols, room, |i, j| {
        let at = at(i, j);
        let element = number_of(&at, axes);
        let Some(offset) = offset(&at) else {
            return Cell::empty().element(element);
        };
        let bank = banks.bank(offset);
        let is_taken = banks.lanes.is_empty() && banks.takes(&at);
        let cell = match banks.lane(offset) {
            Some(lane) => Cell::new(format!("{bank}:t{lane}")).fill(group(bank)),
            None => Cell::new(bank).fill(if is_taken { group(bank) } else { Fill::Muted }),
        };
        cell.element(element).place(i64::try_from(offset).ok())
    });
    let mut words: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for lane in &banks.lanes {
        for word in lane.first / WORD_BITS..lane.end.div_ceil(WORD_BITS) {
            words.entry(word % BANKS).or_default().insert(word);
        }
    }
    if banks.lanes.is_empty() {
        for offset in taken(banks, axes)?.iter().filter_map(|at| offset(at)) {
            words.entry(banks.bank(offset)).or_default().insert(banks.word(offset));
        }
    }
    let most = words.values().map(BTreeSet::len).max().unwrap_or(0);
    let served = |bank: u64| words.get(&bank).map_or(0, BTreeSet::len);
    let fold = if room.columns.is_some_and(|columns| columns < 140) { 16 } else { BANKS };
    let strips = (0..BANKS / fold).map(|part| {
        Grid::from_fn(1, fold, |_, j| match served(part * fold + j) {
            0 => Cell::new("").fill(Fill::Plain),
            words => Cell::new(words).fill(group(part * fold + j)),
        })
        .col_heads(|j| format!("{}", part * fold + j))
        .row_heads(|_| "words")
    });
    let lane = if banks.lanes.is_empty() { "" } else { ", and the lane (t) that asks for it" };
    let bank = format!("the bank of each element of {} bits{lane}", banks.element_bits);
    let served = format!(
        "how many words of {} lie in each bank: {} and at most {} in one, so that the access takes {}",
        banks.words(),
        plural(words.len(), "bank"),
        plural(most, "word"),
        plural(most, "turn"),
    );
    // A terminal may have to break the tensor, and the banks do not belong between its parts.
    Ok(match room.columns {
        Some(_) => vec![Panel::new(grid).caption(&bank), Panel::stack(strips).caption(&served)],
        None => vec![Panel::stack([grid].into_iter().chain(strips)).caption(&format!("{bank}; below, {served}"))],
    })
}

/// The column-major number of an element.
fn number_of(at: &[u64], axes: &[Side]) -> Option<i64> {
    let mut weight = 1_u64;
    let parts = at.iter().zip(axes).map(|(at, (_, size))| {
        let part = at.checked_mul(weight);
        weight = weight.saturating_mul(*size);
        part
    });
    let number = parts.reduce(|number, part| number?.checked_add(part?)).unwrap_or(Some(0))?;
    i64::try_from(number).ok()
}

fn plural(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// The coordinates of the elements that are read.
fn taken(banks: &Banks, axes: &[Side]) -> Result<Vec<Vec<u64>>, Error> {
    let mut all = vec![Vec::new()];
    for (wanted, (name, size)) in banks.along.iter().zip(axes) {
        let size = *size;
        let values = match wanted {
            Some(value) if *value < size => *value..value + 1,
            Some(value) => {
                return Err(error!(Code::Range, "{name} = {value}, but the dim has size {size}", [name, value, size]));
            }
            None => 0..size,
        };
        let count = u64::try_from(all.len()).unwrap_or(u64::MAX).saturating_mul(values.end - values.start);
        if count > MAX_ELEMENTS {
            return Err(error!(
                Code::TooLarge,
                "{words} is {count} elements; at most {max_elements} are counted",
                [words = banks.words(), count, max_elements = MAX_ELEMENTS]
            ));
        }
        all =
            all.iter().flat_map(|at: &Vec<u64>| values.clone().map(move |n| [at.as_slice(), &[n]].concat())).collect();
    }
    Ok(all)
}
