//! [`Machine`]: the processor that a plan is made for, and every number that was tuned by measurement.
//!
//! The fields of [`Machine`] differ between processors, so that a plan is made for one of them; each known processor has a
//! table. The constants below were measured to be as good on all of them. `docs/perf/relayout.md` names the processors;
//! `docs/relayout-kernels.md` and `docs/relayout-memory.md` have the measurements. Law: no number changes the result of a
//! move.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::kernel::{Isa, LINE};

/// What a plan is made for: instructions, and the numbers that differ between processors.
///
/// ```
/// use bitstride::map::Map;
/// use bitstride_relayout::{Element, Isa, Machine, Plan};
/// let rows = Map::of_layout(&"(64,64):(64,1)".parse()?)?;
/// let columns = Map::of_layout(&"(64,64):(1,64)".parse()?)?;
/// let machine = Machine::EPYC_5.with_isa(Isa::Avx2);
/// let plan = Plan::for_machine(&rows, &columns, Element::of_bits(16)?, machine)?;
/// assert_eq!(plan.isa(), Isa::Avx2);
/// # Ok::<(), bitstride::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    /// The instructions.
    pub(crate) isa: Isa,
    /// The prefetch distance for lines of the source to the second cache, in vectors: what memory delivers while one block is
    /// exchanged. In the first cache, rows a power of two apart would fall into the same few sets.
    pub(crate) prefetch_distance: usize,
    /// The prefetch distance to the first cache where vectors are realigned, in vectors, or `None` if they are not prefetched
    /// there: rows seldom are a power of two apart there.
    pub(crate) prefetch_distance_l1: Option<usize>,
    /// Whether both lines of an unaligned vector are prefetched, because hardware prefetch does not predict the second.
    pub(crate) prefetches_both_lines: bool,
    /// Whether stores are immediate, and not deferred to the next block, wherever each line is read from another page, and not
    /// only where all of them fall into the same cache sets.
    pub(crate) stores_immediately: bool,
    /// The steps along neither side that a tile list takes where all vectors of a block fall into the same cache sets
    /// (`order.rs`).
    pub(crate) conflict_steps: i64,
    /// Whether rounds use unpack instructions where possible (`avx512/unpack.rs`): two permutations instead of one and
    /// two merges are less where more than one port permutes.
    pub(crate) unpacks: bool,
    /// The most runs sharing lines of the destination that are copied along it; `None` where the loops decide
    /// (`order.rs`).
    pub(crate) max_runs_together: Option<i64>,
    /// What follows the sizes of caches.
    pub(crate) sizes: Sizes,
    /// What the choice of a kernel goes by.
    pub(crate) prices: Prices,
}

impl Machine {
    /// A Xeon of the fourth or fifth generation, with AVX-512 and AMX. Processors without a table of their own have its
    /// numbers.
    pub const XEON: Machine = Machine {
        isa: Isa::Avx512,
        prefetch_distance: 192,
        prefetch_distance_l1: Some(64),
        prefetches_both_lines: false,
        stores_immediately: true,
        conflict_steps: 2,
        unpacks: false,
        max_runs_together: None,
        sizes: SIZES,
        prices: PRICES,
    };

    /// An EPYC of the fourth generation, with AVX-512. Earlier ones have its numbers.
    pub const EPYC_4: Machine = Machine {
        isa: Isa::Avx512,
        prefetch_distance: 320,
        prefetch_distance_l1: None,
        prefetches_both_lines: true,
        stores_immediately: true,
        conflict_steps: 4,
        unpacks: true,
        max_runs_together: Some(8),
        sizes: SIZES,
        prices: PRICES,
    };

    /// An EPYC of the fifth generation, with AVX-512.
    pub const EPYC_5: Machine = Machine { stores_immediately: false, ..Machine::EPYC_4 };

    /// All that have a table.
    pub const KNOWN: [Machine; 3] = [Machine::XEON, Machine::EPYC_4, Machine::EPYC_5];

    /// This machine, with the widest instructions that it supports; detected once.
    ///
    /// ```
    /// use bitstride_relayout::{Isa, Machine};
    /// assert_eq!(Machine::detect().isa(), Isa::widest());
    /// ```
    pub fn detect() -> Machine {
        static DETECTED: LazyLock<Machine> = LazyLock::new(|| {
            let known = match amd_family() {
                None => Machine::XEON,
                Some(..0x1A) => Machine::EPYC_4,
                Some(_) => Machine::EPYC_5,
            };
            known.with_isa(Isa::widest())
        });
        *DETECTED
    }

    /// The same processor with other instructions.
    ///
    /// ```
    /// use bitstride_relayout::{Isa, Machine};
    /// assert_eq!(Machine::XEON.with_isa(Isa::Scalar).isa(), Isa::Scalar);
    /// ```
    pub const fn with_isa(self, isa: Isa) -> Machine {
        Machine { isa, ..self }
    }

    /// The same processor as if its caches were smaller by a factor, of at most 64. A tensor is then moved as one that is larger
    /// by that factor, which tests rely on.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Machine, Plan};
    /// let rows = Map::of_layout(&"(500,600):(600,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(500,600):(1,500)".parse()?)?;
    /// let plan = |machine| Plan::for_machine(&rows, &columns, Element::of_bits(16)?, machine);
    /// assert_ne!(plan(Machine::XEON)?, plan(Machine::XEON.with_caches_divided_by(16))?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn with_caches_divided_by(self, factor: u8) -> Machine {
        let factor = i64::from(factor.clamp(1, 64));
        let (sizes, part) = (self.sizes, |size: i64| (size / factor).max(1));
        Machine {
            sizes: Sizes {
                stream_min_bytes: part(sizes.stream_min_bytes),
                memory_min_bytes: part(sizes.memory_min_bytes),
                list_bytes: part(sizes.list_bytes),
                copy_list_bytes: part(sizes.copy_list_bytes),
                copy_bytes: part(sizes.copy_bytes),
                strip_list_bytes: part(sizes.strip_list_bytes),
                run_bytes: part(sizes.run_bytes),
                max_run_bytes: part(sizes.max_run_bytes),
                padded_window_bytes: part(sizes.padded_window_bytes),
                pair_buffer_bytes: part(sizes.pair_buffer_bytes),
                window_tiles: part(sizes.window_tiles),
                whole_strip_tiles: part(sizes.whole_strip_tiles),
                task_min_bytes: part(sizes.task_min_bytes),
            },
            ..self
        }
    }

    /// The instructions.
    ///
    /// ```
    /// use bitstride_relayout::{Isa, Machine};
    /// assert_eq!(Machine::EPYC_4.isa(), Isa::Avx512);
    /// ```
    pub const fn isa(self) -> Isa {
        self.isa
    }
}

/// The family of a processor that calls itself one of AMD's.
#[cfg(target_arch = "x86_64")]
fn amd_family() -> Option<u32> {
    use std::arch::x86_64::__cpuid;
    let name = __cpuid(0);
    let is_amd = [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD";
    // The extended family counts on from the family, which is its largest number there.
    let [family, extended] = [8, 20].map(|at| __cpuid(1).eax >> at);
    is_amd.then_some((family & 0xF) + (extended & 0xFF))
}

/// Only x86-64 reports it.
#[cfg(not(target_arch = "x86_64"))]
fn amd_family() -> Option<u32> {
    None
}

/// Sizes that follow those of the caches, in bytes where they do not say another unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sizes {
    /// Lines are streamed where the destination has at least this many bytes; between strips, where at least this many are moved.
    pub(crate) stream_min_bytes: i64,
    /// Tensors of at least this many bytes do not stay in the caches.
    pub(crate) memory_min_bytes: i64,
    /// The most bytes of a list of other blocks.
    pub(crate) list_bytes: i64,
    /// The most bytes of a list of copies, so that threads share them.
    pub(crate) copy_list_bytes: i64,
    /// Longer runs are copied in equal parts of at most this many bytes, so that threads share them.
    pub(crate) copy_bytes: i64,
    /// The bytes of a list whose rows continue: large enough that computing rows does not matter, small enough that threads
    /// share lists well.
    pub(crate) strip_list_bytes: i64,
    /// The bytes of a run of short rows: they stay in the first cache beside the source.
    pub(crate) run_bytes: i64,
    /// As many bytes at most are one run, in the second cache, where runs of [`Sizes::run_bytes`] would move much twice or read
    /// pieces of less than two lines.
    pub(crate) max_run_bytes: i64,
    /// The bytes of a window whose units are padded: it stays in the second cache.
    pub(crate) padded_window_bytes: i64,
    /// The bytes of the rows that are realigned through memory: they stay in the second cache.
    pub(crate) pair_buffer_bytes: i64,
    /// The most tiles of a strip that a list follows: enough that memory brings neighbouring lines of the source, and that the ends
    /// of the destination's rows do not count, but no more rows than are realigned in the caches of a processor.
    pub(crate) window_tiles: i64,
    /// As many tiles of the destination's strip are one window, since a second one that overlaps the first begins its rows again.
    pub(crate) whole_strip_tiles: i64,
    /// The least bytes that are worth another thread.
    pub(crate) task_min_bytes: i64,
}

/// Measured on processors with 1 or 2 MiB of second cache for each core.
const SIZES: Sizes = Sizes {
    stream_min_bytes: 8 << 20,
    memory_min_bytes: 1 << 20,
    list_bytes: 1 << 19,
    copy_list_bytes: 1 << 20,
    copy_bytes: 1 << 15,
    strip_list_bytes: 1 << 19,
    run_bytes: 1 << 14,
    max_run_bytes: 1 << 17,
    padded_window_bytes: 1 << 18,
    pair_buffer_bytes: 1 << 18,
    window_tiles: 64,
    whole_strip_tiles: 128,
    task_min_bytes: MIN_TASK_BYTES,
};

/// The prices of what a [`Cost`](crate::cost::Cost) counts, in sixteenths of the time in which a line is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Prices {
    /// Of a piece of a line. Twice as much where lines of the destination are read before.
    pub(crate) access: i64,
    /// Of a line of the destination that two vectors share.
    pub(crate) split: i64,
    /// Of a register that passes through a buffer in the first cache.
    pub(crate) pass: i64,
    /// Of a vector that is permuted and merged.
    pub(crate) pick: i64,
    /// Of finding a block.
    pub(crate) block: i64,
    /// Of a run.
    pub(crate) run: i64,
    /// Of a line that a run leaves unfinished.
    pub(crate) end: i64,
}

/// Measured alternately (`docs/relayout-kernels.md`).
const PRICES: Prices = Prices { access: 16, split: 4, pass: 4, pick: 2, block: 8, run: 9, end: 32 };

/// The least bytes that are worth another thread.
pub(crate) const MIN_TASK_BYTES: i64 = 256 << 10;

// Periods, where no kernel moves a pair (`joined/periods.rs`).

/// The most steps of an axis that are tried as its period. Formats of words repeat after at most 64; this bounds the time of a plan.
pub(crate) const MAX_PERIOD_STEPS: i64 = 1 << 10;

/// The most boxes, which double with each axis that ends within a period. A tile of each is evaluated, which bounds the time of a plan.
pub(crate) const MAX_PERIOD_BOXES: usize = 16;

// Prefetch. The distances for AVX-512 are fields of `Machine`.

/// The prefetch distance for lines of the source in a network of narrower instructions, in vectors.
pub(crate) const PREFETCH_DISTANCE_LINES: usize = 256;

/// The least such distance in blocks.
pub(crate) const MIN_PREFETCH_DISTANCE_BLOCKS: usize = 8;

/// The most vectors of a block that fetches lines to the first cache: larger blocks lose by it where rows are a power of two
/// apart.
#[cfg(target_arch = "x86_64")]
pub(crate) const MAX_L1_VECTORS: usize = 16;

/// The most pieces of a vector of which each piece's line is prefetched: pieces of 8 bytes lost a third by it.
pub(crate) const MAX_PREFETCHED_PIECES: usize = 4;

/// The least bytes between two pieces of the source that are prefetched: a processor foresees nearer ones, and prefetching
/// cost a sixth.
pub(crate) const MIN_PREFETCH_STRIDE_BYTES: usize = 96;

/// Lengths of runs, in bytes, whose successors are prefetched: hardware prefetch does not predict what follows shorter ones,
/// and longer ones do not need it.
pub(crate) const PREFETCHED_RUN_BYTES: RangeInclusive<usize> = 256..=1024;

/// The prefetch distance for lines of the source where runs are copied, in runs.
#[cfg(target_arch = "x86_64")]
pub(crate) const PREFETCH_DISTANCE_RUNS: usize = 4;

/// The prefetch distance of shuffles, in bytes of the source.
pub(crate) const SHUFFLE_PREFETCH_DISTANCE_BYTES: usize = 1 << 14;

// Caches, and the order of blocks.

/// The least number of lines for which the order of stores matters.
pub(crate) const MIN_SCATTERED_LINES: usize = 8;

/// Vectors whose distances are multiples of this power of two fall into the same sets of the second cache: one mebibyte, eight
/// ways.
pub(crate) const SET_CONFLICT_BITS: u32 = 17;

/// The most rows of the source that are read in turn where prefetches and stores are interleaved.
pub(crate) const MAX_INTERLEAVED_ROWS: i64 = 128;

/// The most tile origins of a list.
pub(crate) const MAX_LIST_TILES: i64 = 1024;

/// The steps of a short loop: runs that share lines are copied along all of it.
pub(crate) const SHORT_LOOP_STEPS: i64 = 48;

/// The most runs that are copied along the destination, where they share lines of it.
pub(crate) const MAX_RUNS_TOGETHER: i64 = 64;

/// Blocks of at most this many vectors store lines in halves, which memory takes a tenth faster.
#[cfg(target_arch = "x86_64")]
pub(crate) const MAX_HALF_STORE_VECTORS: usize = 2;

// Copies and shuffles.

/// Without masks, shorter runs that begin or end inside lines are not streamed, in bytes.
pub(crate) const MIN_STREAMED_RUN_BYTES: usize = 10 * LINE;

/// A loop of fewer runs makes a row only where there is no longer one: each row is a tile origin, which takes as long to
/// compute as some runs to copy.
pub(crate) const MIN_ROW_RUNS: i64 = 16;

/// Longer loops are cut into rows of this many blocks, so that threads share them.
pub(crate) const MAX_ROW_STEPS: i64 = 1024;

/// Runs of fewer bytes are moved as fast one by one as in vectors of them.
pub(crate) const MIN_SHUFFLED_RUN_BYTES: i64 = 12;

/// Shorter rows of vectors begin too often: the machine foresees too few of their lines.
pub(crate) const MIN_ROW_VECTORS: i64 = 64;

/// The longest destination block of a shuffle in bytes, where lines are streamed and where they are not: each line takes a third
/// of a microsecond to plan.
pub(crate) const MAX_SHUFFLED_BYTES: [i64; 2] = [512, 2048];

/// The number of tiles that are shuffled together, so that one load of a table serves them all, and no pick depends on another.
pub(crate) const GROUP_TILES: usize = 4;

/// Vectors of more picks have enough independent work at a single tile.
pub(crate) const MAX_GROUPED_PICKS: usize = 4;

// Networks and strips.

/// The least bits of a piece: shorter ones cost more to bring together than their units to move.
pub(crate) const MIN_PIECE_BITS: usize = 2;

/// Longer runs are not padded: where they can be shuffled, that is as fast.
pub(crate) const MAX_PADDED_UNIT_BYTES: i64 = 15;

/// The most units that a row is padded to: more take two passes, which take longer than parts of vectors.
pub(crate) const MAX_PADDED_ROW_UNITS: i64 = 16;

/// Shorter rows of the destination, in bytes, are not worth being realigned to lines.
pub(crate) const MIN_REALIGNED_ROW_BYTES: i64 = 512;

/// With AVX-512, rows of the destination that are made of more rows of the source are realigned even if they are
/// shorter: of 400 to 500 bytes they come up to twice as fast so.
pub(crate) const MIN_REALIGNED_ROW_UNITS: i64 = 256;

/// A window that streams fewer bytes is short: its partial lines at both ends matter.
pub(crate) const MIN_LONG_WINDOW_BYTES: usize = 4 << 10;

/// How many rows of the source are read together where vectors of strips are stored to the caches.
pub(crate) const CACHED_ROWS: usize = 128;

/// Of how many blocks at least.
pub(crate) const MIN_CACHED_TILES: usize = 4;

// Work, in the time that a unit takes.

/// What each tile of a strip of long rows costs.
pub(crate) const TILE_COST: i64 = 8;

/// What each block of a run of short rows costs.
pub(crate) const BLOCK_COST: i64 = 12;
