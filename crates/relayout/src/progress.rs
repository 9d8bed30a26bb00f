//! The parts of a plan: on how many threads they can be run, and running them one by one to tell how far it is.

use bitstride::Error;

use crate::block::{Block, Kernel};
use crate::cast::number;
use crate::kernel::Strips;
use crate::nest::Loop;
use crate::plan::Plan;

impl Plan {
    /// How many threads can have a part of their own; 1 where one thread moves all.
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
        let parts = self.blocks.iter().filter_map(|block| block.shared(self.moved_bytes()));
        parts.map(|(_, most)| usize::try_from(most).unwrap_or(usize::MAX)).max().unwrap_or(1)
    }

    /// As [`Plan::run`], in parts of about so many bytes one after the other; after each, `told` hears how many of how
    /// many bytes are done. What two tiles share is counted twice, so that these may be more than
    /// [`Plan::moved_bytes`].
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
    /// plan.run_in_parts(&source, &mut moved, 1024, |done, all| last = (done, all))?;
    /// assert_eq!((moved, last.0), (source, last.1));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn run_in_parts(
        &self,
        source: &[u8],
        destination: &mut [u8],
        bytes: usize,
        mut told: impl FnMut(usize, usize),
    ) -> Result<(), Error> {
        let most = number(bytes).max(1);
        let mut parts = Vec::new();
        for block in &self.blocks {
            let wanted = block.moved_bytes() / most + 1;
            block.cut(wanted, &mut parts);
        }
        let moved = |block: &Block| usize::try_from(block.moved_bytes()).unwrap_or(usize::MAX);
        let all = parts.iter().map(moved).fold(0, usize::saturating_add);
        let mut done = 0usize;
        for block in parts {
            done = done.saturating_add(moved(&block));
            let elements = block.moved_bytes().saturating_mul(8) / self.element.bits();
            let Plan { element, isa, bytes, large, .. } = *self;
            let part = Plan { element, isa, nests: Vec::new(), blocks: vec![block], elements, bytes, large };
            part.run(source, destination)?;
            told(done, all);
        }
        Ok(())
    }
}

impl Kernel {
    /// The bits that it moves at one place.
    pub(crate) fn bits(&self) -> i64 {
        match self {
            Kernel::Copy(copy) => number(copy.bytes).saturating_mul(number(copy.row)).saturating_mul(8),
            Kernel::Network(network) | Kernel::Strips(Strips { network, .. }) => {
                number(network.bytes()).saturating_mul(8)
            }
            Kernel::Shuffle(shuffle) => number(shuffle.bytes()).saturating_mul(8),
            Kernel::Parts(parts) => parts.bits.into(),
        }
    }
}

impl Block {
    /// The bytes that it moves, with those that tiles share once for each.
    fn moved_bytes(&self) -> i64 {
        let one = (self.kernel.bits().saturating_mul(number(self.places.len())) / 8).max(1);
        self.loops.iter().fold(one, |bytes, own| bytes.saturating_mul(own.count))
    }

    /// The block as about so many blocks, cut at the outermost loops.
    fn cut(&self, wanted: i64, parts: &mut Vec<Block>) {
        let together = matches!(&self.kernel, Kernel::Strips(strips) if strips.streams());
        if wanted <= 1 || together && self.loops.is_empty() {
            return parts.push(self.clone());
        }
        let Some(outer) = self.loops.first() else {
            let most = self.places.len().div_ceil(usize::try_from(wanted).unwrap_or(usize::MAX)).max(1);
            return parts
                .extend(self.places.chunks(most).map(|places| Block { places: places.to_vec(), ..self.clone() }));
        };
        // The last tile may overlap the one before, since parts are run one after the other.
        let steps = outer.count.max(1);
        let pieces = wanted.min(steps);
        for n in 0..pieces {
            let first = steps * n / pieces;
            let last = steps * (n + 1) / pieces;
            let part = self.narrowed(outer, first, last);
            if part.loops.len() < self.loops.len() {
                part.cut(wanted / pieces, parts);
            } else {
                parts.push(part);
            }
        }
    }

    /// Only the steps from `first` to before `last` of the outermost loop.
    fn narrowed(&self, outer: &Loop, first: i64, last: i64) -> Block {
        let mut block = self.clone();
        block.loops.remove(0);
        if last - first == 1 {
            outer.lead(first, &mut block.origins);
        } else {
            block.loops.insert(0, outer.part(first..last, &mut block.origins));
        }
        block
    }
}
