//! Chunks of a plan, run one after the other (out of core): for files larger than memory, and to report progress.
//!
//! Law: the chunks of a plan make up the plan. Each chunk is compact on both sides, as far as its tile lists are.

use std::ops::Range;

use bitstride::{Code, Error, error};

use crate::block::{Block, Kernel};
use crate::cast::{length, number};
use crate::file::SourceFile;
use crate::kernel::Row;
use crate::nest::Loop;
use crate::plan::Plan;

/// How much further chunks go along the source than along the destination: pages are read in large groups, and a written page
/// should be complete.
const SOURCE_REACH_FACTOR: i64 = 16;

impl Plan {
    /// The most threads that can share the work; 1 where one thread moves all.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let most = |layout: &str| {
    ///     let map = Map::of_layout(&layout.parse()?)?;
    ///     Ok::<_, bitstride::Error>(Plan::new(&map, &map, Element::of_bits(8)?)?.most_threads())
    /// };
    /// assert_eq!(most("(64,64):(64,1)")?, 1);
    /// assert!(most("(1024,4096):(8192,1)")? > 1);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn most_threads(&self) -> usize {
        if let Some(pointwise) = &self.pointwise {
            return pointwise.most_threads(self.element);
        }
        let parts = self.blocks.iter().filter_map(|block| block.shared(self.moved_bytes(), &self.machine));
        parts.map(|(_, most)| usize::try_from(most).unwrap_or(usize::MAX)).max().unwrap_or(1)
    }

    /// Whether consecutive writes are far from each other, as in a transpose.
    /// [`OutputFile::scatter`](crate::OutputFile::scatter) should be called then.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let [rows, columns] = ["(8192,8192):(8192,1)", "(8192,8192):(1,8192)"];
    /// let scatters = |from: &str, to: &str| {
    ///     let [from, to] = [Map::of_layout(&from.parse()?)?, Map::of_layout(&to.parse()?)?];
    ///     Ok::<_, bitstride::Error>(Plan::new(&from, &to, Element::of_bits(8)?)?.scatters())
    /// };
    /// assert!(scatters(rows, columns)? && !scatters(rows, rows)?);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn scatters(&self) -> bool {
        self.is_far_apart(1)
    }

    /// Whether a tile list spans more than twice the bytes that it moves on a side. Between strips it mostly does.
    fn is_far_apart(&self, side: usize) -> bool {
        self.blocks.iter().any(|block| {
            let at = block.tiles.iter().map(|tile| number(tile.at[side].unsigned_abs()));
            match block.kernel {
                Kernel::Strips(_) => true,
                Kernel::Copy(_) | Kernel::Network(_) | Kernel::Shuffle(_) => at.max() > Some(block.list_bits() / 4),
                // Units are slower than any file.
                Kernel::Parts(_) => false,
            }
        })
    }

    /// As [`Plan::run`], in chunks of about `bytes` bytes one after the other. After each, `progress` receives how many of how
    /// many bytes are done. Overlaps of tiles are counted twice, so that the total may exceed
    /// [`Plan::moved_bytes`].
    ///
    /// A chunk is compact on both sides. Pages of files larger than memory are therefore read and written about once, if memory
    /// holds the pages of three chunks. Chunks of 256 MiB have whole pages of a transpose of bytes.
    ///
    /// # Errors
    /// As [`Plan::run`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let rows = Map::of_layout(&"(64,64):(64,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(64,64):(1,64)".parse()?)?;
    /// let plan = Plan::new(&rows, &columns, Element::of_bits(8)?)?;
    /// let (source, mut moved) = (vec![7; 4096], vec![0; 4096]);
    /// let mut last = (0, 1);
    /// plan.run_in_chunks(&source, &mut moved, 1024, |done, all| last = (done, all))?;
    /// assert_eq!((moved, last.0), (source, last.1));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn run_in_chunks(
        &self,
        source: &[u8],
        destination: &mut [u8],
        bytes: usize,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<(), Error> {
        self.in_chunks(source, destination, bytes, |_| (), &mut progress)
    }

    /// The same from some bytes of a file. Where a chunk reads scattered ranges, these are requested before it runs, so that it
    /// does not wait for each page, and pages beside them are not read in vain.
    ///
    /// # Errors
    /// As [`Plan::run`], and [`Code::Range`] when the file has not these bytes.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan, SourceFile};
    /// let path = std::env::temp_dir().join(format!("bitstride-from-{}", std::process::id()));
    /// std::fs::write(&path, b"headabcdef")?;
    /// let rows = Map::of_layout(&"(2,3):(3,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(2,3):(1,2)".parse()?)?;
    /// let plan = Plan::new(&rows, &columns, Element::of_bits(8)?)?;
    /// let mut moved = [0; 6];
    /// plan.run_from(&SourceFile::open(&path)?, 4..10, &mut moved, 1 << 20, |_, _| ())?;
    /// assert_eq!(&moved, b"adbecf");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_from(
        &self,
        source: &SourceFile,
        data: Range<usize>,
        destination: &mut [u8],
        bytes: usize,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<(), Error> {
        let first = data.start;
        let from = source.bytes().get(data.clone()).ok_or_else(|| {
            error!(
                Code::Range,
                "the file has {given} bytes, and not those from {first} to {end}",
                [given = source.bytes().len(), first, end = data.end]
            )
        })?;
        if !self.is_far_apart(0) {
            return self.in_chunks(from, destination, bytes, |_| (), &mut progress);
        }
        source.gather();
        let before = |chunk: &Plan| {
            chunk.reads().into_iter().for_each(|range| source.fetch(first + range.start..first + range.end))
        };
        self.in_chunks(from, destination, bytes, before, &mut progress)
    }

    /// Runs the chunks of about `bytes` bytes, and calls `before` before each.
    fn in_chunks(
        &self,
        source: &[u8],
        destination: &mut [u8],
        bytes: usize,
        before: impl Fn(&Plan),
        progress: &mut impl FnMut(usize, usize),
    ) -> Result<(), Error> {
        self.check(source, destination)?;
        if let Some(pointwise) = &self.pointwise {
            pointwise.in_chunks(self.element, source, destination, bytes, progress);
            return Ok(());
        }
        let all = self.blocks.iter().map(Block::bits).fold(0, i64::saturating_add);
        let mut done = 0i64;
        for chunk in self.chunks(bytes) {
            before(&chunk);
            chunk.run(source, destination)?;
            done = chunk.blocks.iter().map(Block::bits).fold(done, i64::saturating_add);
            progress(length(done / 8), length(all / 8));
        }
        Ok(())
    }

    /// Plans that move about `bytes` bytes each and, run one after the other, all that this one moves. A pair without a kernel is
    /// one chunk.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Plan};
    /// let rows = Map::of_layout(&"(64,64):(64,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(64,64):(1,64)".parse()?)?;
    /// let plan = Plan::new(&rows, &columns, Element::of_bits(8)?)?;
    /// let (source, mut moved) = (vec![7; 4096], vec![0; 4096]);
    /// for chunk in plan.chunks(1024) {
    ///     chunk.run(&source, &mut moved)?;
    /// }
    /// assert_eq!(moved, source);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn chunks(&self, bytes: usize) -> impl Iterator<Item = Plan> {
        let Plan { element, machine, large, .. } = *self;
        let (reach, most) = (self.bytes, number(bytes).saturating_mul(8).max(1));
        let blocks = self.blocks.iter().flat_map(move |block| block.chunks(most)).map(move |block| {
            let elements = block.bits() / element.bits();
            let (nests, blocks) = (Vec::new(), vec![block]);
            Plan { element, machine, nests, blocks, pointwise: None, elements, bytes: reach, large }
        });
        blocks.chain(self.pointwise.is_some().then(|| self.clone()))
    }
}

impl Kernel {
    /// The bits that it moves at one tile origin.
    pub(crate) fn bits(&self) -> i64 {
        let rows = |bytes: usize, row: Row| number(bytes).saturating_mul(number(row.count)).saturating_mul(8);
        match self {
            Kernel::Copy(copy) => rows(copy.bytes, copy.row),
            Kernel::Network(network) => number(network.bytes()).saturating_mul(8),
            Kernel::Strips(strips) => number(strips.block_bytes()).saturating_mul(8),
            Kernel::Shuffle(shuffle) => rows(shuffle.bytes(), shuffle.row),
            Kernel::Parts(parts) => parts.bits.into(),
        }
    }
}

impl Block {
    /// The bits that it moves; overlaps of tiles count for each tile.
    fn bits(&self) -> i64 {
        self.loops.iter().fold(self.list_bits(), |bits, level| bits.saturating_mul(level.count))
    }

    /// The bits of one tile list.
    fn list_bits(&self) -> i64 {
        self.kernel.bits().saturating_mul(number(self.tiles.len()))
    }

    /// The block as blocks of about `most` bits, one after the other.
    fn chunks(&self, most: i64) -> impl Iterator<Item = Block> {
        let tiles = number(self.tiles.len()).max(1);
        // Realigned and packed blocks need whole lists.
        let together = matches!(&self.kernel, Kernel::Strips(strips) if strips.streams());
        let list = if together { tiles } else { (most / self.kernel.bits().max(1)).clamp(1, tiles) };
        let steps = self.steps(most);
        let loops = self.loops.iter().zip(&steps).map(|(level, steps)| pieces(level.count, *steps));
        let all = loops.fold(pieces(tiles, list), i64::saturating_mul);
        (0..all).map(move |n| self.chunk(n, list, &steps))
    }

    /// One of these, with `list` tiles of the list and `steps` steps of each loop; the list is the fastest, then
    /// the last loop.
    fn chunk(&self, n: i64, list: i64, steps: &[i64]) -> Block {
        let mut rest = n;
        let mut next = |count: i64, steps: i64| {
            let (above, piece) = (rest / pieces(count, steps), rest % pieces(count, steps));
            rest = above;
            piece * steps..count.min(piece * steps + steps)
        };
        let range = next(number(self.tiles.len()), list);
        let tiles = self.tiles.get(length(range.start)..length(range.end)).unwrap_or_default().to_vec();
        let mut chunk = Block { kernel: self.kernel.clone(), tiles, loops: Vec::new(), origins: self.origins };
        for (level, steps) in self.loops.iter().zip(steps).rev() {
            let steps = next(level.count, *steps);
            // The last tile may overlap the one before, since parts are run one after the other.
            if steps.end - steps.start == 1 {
                level.lead(steps.start, &mut chunk.origins);
            } else {
                chunk.loops.insert(0, level.part(steps, &mut chunk.origins));
            }
        }
        chunk
    }

    /// The steps of each loop that together have about `most` bits. They follow the lines of both sides, further along
    /// those of the source: a page is complete when it is written to the disk, and readahead of a page is used.
    fn steps(&self, most: i64) -> Vec<i64> {
        let mut bits = self.list_bits();
        let mut steps: Vec<(&Loop, i64)> = self.loops.iter().map(|level| (level, 1)).collect();
        let reach = |level: &Loop, steps: i64| {
            let [from, to] = [0, 1].map(|side| level.at(1, side)).map(|step| step.stride.abs().max(step.xor));
            let reach = [from, to.saturating_mul(SOURCE_REACH_FACTOR)].into_iter().filter(|reach| *reach != 0).min();
            reach.map_or(i64::MAX, |reach| reach.saturating_mul(steps))
        };
        loop {
            let open = steps.iter_mut().filter(|(level, steps)| *steps < level.count);
            let Some((level, steps)) = open.min_by_key(|(level, steps)| reach(level, *steps)) else { break };
            let more = steps.saturating_mul(2).min(level.count);
            bits = (bits / *steps).saturating_mul(more);
            if bits > most {
                break;
            }
            *steps = more;
        }
        steps.into_iter().map(|(_, steps)| steps).collect()
    }
}

/// The number of pieces of `steps` steps in a count; the last may have fewer.
fn pieces(count: i64, steps: i64) -> i64 {
    count / steps + i64::from(count % steps != 0)
}
