//! [`Strips`]: blocks of a network where loops of any counts make the lines of a side.
//!
//! A [`Strip`] is loops that are contiguous on its side, as one sequence of units. The distance of each unit on the
//! other side, its *row*, is found by counting through the loops. A block is a few units of the source strip by a few
//! of the destination strip, both powers of two, so that a network exchanges it. Its vectors lie along one strip, at
//! the rows of the other. Blocks overlap where they do not divide a strip.
//!
//! Law: a tile list moves every unit of a window of one strip by a window of the other.
//!
//! [`Store`] says how vectors reach memory. Vectors of long rows are realigned to lines, in registers (`realigned.rs`)
//! or in the first cache (`pair_buffer.rs`), and streamed. Rows that an overlapping block has again are not stored
//! again. Where short rows are contiguous, a window is one run, which the caches hold until it is complete. Rows
//! shorter than a line that are no power of two are padded in the caches and packed into lines (`pack.rs`). Units that
//! are no power of two are padded as they are read (`pad_units.rs`), and the rows of a window are packed likewise.
#![allow(unsafe_code)]

use std::ops::Range;

use super::network::{Blocks, Network, TileOrigin};
use super::pack::{LEAD_LINES, Pack};
use super::pair_buffer::{PairBuffer, ROW_BYTES};
use super::realigned::{CacheLine, LineBuffer};
use super::write_combining::{Part, WriteCombining};
use super::{Isa, LINE};
use crate::cast::{distance, length, number, signed};
use crate::machine::{CACHED_ROWS, MIN_CACHED_TILES, MIN_LONG_WINDOW_BYTES};

/// The lines after the padded rows that are read with the last row: 63 units of 16 bytes at most, and two vectors of
/// which the second is not whole.
const TAIL_LINES: usize = 20;

/// Loops that lie one after the other on a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Strip {
    /// The bytes of a unit.
    pub(crate) unit: i64,
    /// For each loop, the fastest first, its steps and their stride on the other side.
    pub(crate) digits: Vec<[i64; 2]>,
    /// How many units a block follows, as a power of two.
    pub(crate) tile: u32,
    /// How many units a list of blocks follows.
    pub(crate) window: usize,
}

impl Strip {
    /// The starts of blocks along a window, each with the number of its units that the block before has moved.
    fn starts(&self) -> Vec<[usize; 2]> {
        let tile = 1 << self.tile;
        let whole = (0..self.window / tile).map(|n| [n * tile, 0]);
        let over = self.window % tile;
        whole.chain((over > 0).then(|| [self.window - tile, tile - over])).collect()
    }

    /// Where the units of a window are on the other side.
    fn rows(&self, along: i64, rows: &mut Rows) {
        let Some(([count, stride], above)) = self.digits.split_first() else { return };
        let split = |rest: i64, steps: i64| (rest / steps, rest % steps);
        let (mut rest, mut x) = split(along / self.unit, *count);
        let from = |mut rest: i64, x: i64| {
            above.iter().fold(x * stride, |at, [count, stride]| {
                let (slow, x) = split(rest, *count);
                rest = slow;
                at + x * stride
            })
        };
        let straight = number(self.window) <= count - x;
        rows.along = Some(along);
        rows.origin = if straight { distance(from(rest, x)) } else { 0 };
        // Rows with one stride are the same for every window.
        if std::mem::replace(&mut rows.straight, straight) && straight {
            return;
        }
        rows.at.clear();
        while rows.at.len() < self.window {
            let at = distance(from(rest, x)) - rows.origin;
            let steps = usize::try_from(count - x).unwrap_or(0).min(self.window - rows.at.len());
            rows.at.extend((0..steps).map(|n| at + distance(*stride).wrapping_mul(n.cast_signed())));
            (x, rest) = (0, rest + 1);
        }
        // What a tile has beyond the window is padded with the first row.
        rows.at.resize(self.filled(), rows.at.first().copied().unwrap_or(0));
    }

    /// The rows of a window, or of a tile that is more.
    fn filled(&self) -> usize {
        self.window.max(1 << self.tile)
    }
}

/// How vectors of the destination are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// They are written where they belong, with cached stores.
    Cached,
    /// Vectors are joined to whole lines of their rows, which are streamed.
    Realigned,
    /// All rows of a window are one run, which stays in the caches until it is whole: they are written where they belong.
    Contiguous,
    /// The same, but rows are padded to a power of two in the caches, and packed into the run, past them.
    Packed,
    /// The rows of a window, whose units are padded as they are read, are packed into lines, with streaming stores.
    PaddedPacked,
}

/// A network between two strips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Strips {
    pub(crate) network: Network,
    /// That of the source, and that of the destination.
    pub(crate) sides: [Strip; 2],
    pub(crate) store: Store,
}

/// What a task keeps from one list of blocks to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    /// For each strip, the rows of this list and those of the next.
    rows: [[Rows; 2]; 2],
    /// What is realigned of the rows of the destination.
    line_buffer: LineBuffer,
    /// Rows that are put together before they are copied with streaming stores, and where they are meanwhile.
    combining: WriteCombining,
    at: Vec<isize>,
    /// Rows that are padded, and how they are packed into the run.
    filled: Vec<CacheLine>,
    pack: Option<Pack>,
}

/// The rows of a window, and where it begins.
#[derive(Default)]
struct Rows {
    along: Option<i64>,
    /// The origin of the rows, and whether all have one stride. Then the origin is the first row.
    origin: isize,
    straight: bool,
    at: Vec<isize>,
}

impl Scratch {
    /// Takes the rows of this list, which the last one has computed already, and computes those of the next.
    fn lead(&mut self, sides: &[Strip; 2], along: [[i64; 2]; 2]) {
        for (side, strip) in sides.iter().enumerate() {
            let [now, next] = &mut self.rows[side];
            if now.along != Some(along[0][side]) {
                std::mem::swap(now, next);
            }
            for (rows, along) in [(now, along[0][side]), (next, along[1][side])] {
                if rows.along != Some(along) {
                    strip.rows(along, rows);
                }
            }
        }
    }
}

impl Strips {
    /// Whether lines are streamed. What one block leaves the next one writes then.
    pub(crate) fn streams(&self) -> bool {
        !matches!(self.store, Store::Cached | Store::Contiguous)
    }

    /// Whether a list streams so much that its partial lines at both ends do not matter.
    pub(crate) fn is_long(&self) -> bool {
        match self.store {
            Store::Cached => false,
            Store::Realigned => true,
            Store::Contiguous | Store::Packed | Store::PaddedPacked => self.bytes() >= MIN_LONG_WINDOW_BYTES,
        }
    }

    /// Whether rows continue from list to list, if these follow them.
    pub(crate) fn rows_continue(&self) -> bool {
        matches!(self.store, Store::Realigned | Store::PaddedPacked)
    }

    /// The bytes of a window.
    fn bytes(&self) -> usize {
        self.sides[0].window * self.row()
    }

    /// The bytes that a window has of a row of the destination.
    fn row(&self) -> usize {
        self.sides[1].window * length(self.sides[1].unit)
    }

    /// The bytes that a row is padded to.
    fn filled(&self) -> usize {
        self.sides[1].filled() * self.unit()
    }

    /// The bytes that a unit is padded to.
    fn unit(&self) -> usize {
        length(self.sides[1].unit).next_power_of_two()
    }

    /// How padded data is packed.
    fn pack(&self) -> Pack {
        match self.store {
            Store::PaddedPacked => Pack::of(length(self.sides[1].unit), self.unit()),
            _ => Pack::of(self.row(), self.filled()),
        }
    }

    /// The bytes that a block moves, without padding.
    pub(crate) fn block_bytes(&self) -> usize {
        match self.store {
            Store::Packed => self.row() << self.sides[0].tile,
            Store::PaddedPacked => length(self.sides[0].unit) << self.sides[0].tile << self.sides[1].tile,
            _ => self.network.bytes(),
        }
    }

    /// How many blocks a list has.
    pub(crate) fn blocks(&self) -> usize {
        self.sides.iter().map(|strip| strip.window.div_ceil(1 << strip.tile)).product()
    }

    /// The blocks of a list. Where vectors are realigned: rows of the source to the end of the window, and then the next ones,
    /// since memory brings neighbouring lines the fastest, for two blocks along the destination, whose lines are written at
    /// once. Where a line is written in parts: a few blocks along the destination first, so that lines are soon complete, but
    /// not more rows of the source than the caches have sets for.
    pub(crate) fn tiles(&self) -> Vec<TileOrigin> {
        if self.store == Store::Packed {
            let origin = |unit: usize| {
                let from = distance(number(unit) * self.sides[0].unit);
                TileOrigin::of([from, distance(number(unit * self.filled()))], [0; 2], 0)
            };
            return (0..self.sides[0].window).step_by(1 << self.sides[0].tile).map(origin).collect();
        }
        let [sources, destinations] = self.sides.each_ref().map(Strip::starts);
        let bytes = |side: usize, start: usize| distance(number(start) * self.sides[side].unit);
        let origin = |from: &[usize; 2], to: &[usize; 2]| match self.store {
            Store::PaddedPacked => {
                let filled = from[0] * self.filled() + to[0] * self.unit();
                TileOrigin::of([bytes(0, from[0]), distance(number(filled))], [to[0], 0], 0)
            }
            _ => TileOrigin::of([bytes(0, from[0]), bytes(1, to[0])], [to[0], from[0]], from[1]),
        };
        let mut tiles = Vec::with_capacity(sources.len() * destinations.len());
        let group = match self.store {
            Store::Realigned => 2,
            // As many rows as a block of sixteen vectors reads.
            Store::PaddedPacked => 16 >> self.sides[1].tile,
            _ => (CACHED_ROWS >> self.sides[1].tile).max(MIN_CACHED_TILES),
        };
        for group in destinations.chunks(group) {
            for from in &sources {
                tiles.extend(group.iter().map(|to| origin(from, to)));
            }
        }
        tiles
    }

    /// The byte ranges of the source that a list reads, which begins at a distance along the strip of the destination:
    /// the rows of its window.
    pub(crate) fn reads(&self, along: i64) -> Vec<Range<i64>> {
        let mut rows = Rows::default();
        self.sides[1].rows(along, &mut rows);
        let row = number(self.sides[0].window) * self.sides[0].unit;
        rows.at.iter().map(|at| signed(rows.origin + at)).map(|at| at..at + row).collect()
    }

    /// Moves the blocks of a list. `along` gives where this list and the next begin along each strip.
    ///
    /// # Safety
    /// As [`Network::run`], for every unit of both windows.
    pub(crate) unsafe fn run(
        &self,
        source: *const u8,
        destination: *mut u8,
        along: [[i64; 2]; 2],
        next: Option<[*const u8; 2]>,
        tiles: &[TileOrigin],
        scratch: &mut Scratch,
    ) {
        scratch.lead(&self.sides, along);
        let Scratch { rows, line_buffer, at, combining, filled, pack } = scratch;
        let [[of_source, later_source], [of_destination, later_destination]] = rows;
        let from_memory = self.network.from_memory;
        let source = source.wrapping_offset(of_destination.origin);
        let whole = destination.cast_const();
        let destination = destination.wrapping_offset(of_source.origin);
        let later = next.map(|[source, destination]| {
            [source.wrapping_offset(later_destination.origin), destination.wrapping_offset(later_source.origin)]
        });
        let mut blocks = Blocks {
            source,
            destination,
            tiles,
            rows: [&of_destination.at, &of_source.at],
            next: later.map(|at| (at, [later_destination.at.as_slice(), &later_source.at])),
            prefetched: [from_memory, from_memory && !self.streams()],
            realigned: None,
            pair_buffer: None,
            stream: false,
        };
        let row = distance(number(self.row()));
        // Whether the next list continues with the rows of this one, or with the run that they are.
        let further = |[_, to]: [*const u8; 2]| to == whole.wrapping_offset(row);
        let rows_continue = along[0][0] == along[1][0] && next.is_some_and(further) && self.row() >= LINE;
        let [first, later_first] = [&*of_source, later_source].map(|rows| rows.at.first().copied().unwrap_or(0));
        let run_end = destination.wrapping_offset(first).cast_const().wrapping_add(self.bytes());
        let run_continues =
            later.is_some_and(|[_, to]| to.wrapping_offset(later_first) == run_end) && self.bytes() >= LINE;
        // SAFETY: handed on to the caller; there is room for what is put together.
        unsafe {
            match self.store {
                Store::Cached | Store::Contiguous => self.network.run(blocks),
                Store::Realigned if self.network.machine.isa == Isa::Avx512 => {
                    let realigned = line_buffer.list(&of_source.at, destination, row, rows_continue);
                    blocks.rows[1] = realigned.lines;
                    self.network.run(Blocks { realigned: Some(realigned), ..blocks });
                }
                Store::Realigned => {
                    // Blocks come in pairs, and a list ends with one.
                    let continues = rows_continue && self.row().is_multiple_of(2 * LINE);
                    let rows = of_source.at.as_slice();
                    at.extend((at.len()..rows.len()).map(|n| distance(number(n * ROW_BYTES))));
                    let begins = combining.room(rows.len(), ROW_BYTES - LINE, continues);
                    let (first, ends) = (combining.row(0), !continues);
                    let pair_buffer = PairBuffer { first, destination, rows, run: row, begins, ends };
                    blocks.rows[1] = at;
                    self.network.run(Blocks { pair_buffer: Some(pair_buffer), ..blocks });
                }
                Store::Packed | Store::PaddedPacked => {
                    // The lines before and after the rows are read with the first and the last row.
                    filled
                        .resize(LEAD_LINES + self.sides[0].window * self.filled() / LINE + TAIL_LINES, CacheLine::ZERO);
                    blocks.rows[1] = &self.network.sides[1].at;
                    blocks.destination = filled.as_mut_ptr().wrapping_add(LEAD_LINES).cast();
                    let filled = blocks.destination.cast_const();
                    self.network.run(blocks);
                    let pack = pack.get_or_insert_with(|| self.pack());
                    let (rows, row, continues) = match self.store {
                        Store::Packed => (1, self.bytes(), run_continues),
                        _ => (self.sides[0].window, self.row(), rows_continue),
                    };
                    let rows = of_source.at.get(..rows).unwrap_or(&[]);
                    self.pack_rows(pack, filled, (destination, rows, row), continues, combining);
                }
            }
        }
    }

    /// Packs rows of padded data of some bytes to where each is from a pointer. A row that begins where the one before ends shares
    /// its line.
    ///
    /// # Safety
    /// The machine has AVX-512, the rows of the window are there, and those of the destination can be written.
    unsafe fn pack_rows(
        &self,
        pack: &Pack,
        filled: *const u8,
        (destination, rows, row): (*mut u8, &[isize], usize),
        continues: bool,
        combining: &mut WriteCombining,
    ) {
        let ready = distance(number(row));
        let begins = combining.room(rows.len(), 0, continues);
        let mut joins = false;
        for (n, at) in rows.iter().enumerate() {
            let joined = joins;
            joins = begins && !continues && row >= LINE && rows.get(n + 1) == Some(&(at + ready));
            let part = Part { begins: begins && !joined, ends: !continues && !joins, ready };
            // SAFETY: handed on to the caller.
            unsafe {
                pack.run(filled.add(n * self.filled()), destination.wrapping_offset(*at), &part, combining.line(n));
            }
            if joins {
                *combining.line(n + 1) = *combining.line(n);
            }
        }
    }
}
