//! [`Plan::explain`]: why a plan moves a tensor as it does, step by step, with the numbers.
//!
//! The result is a [`bitstride_lang::explain`] explanation: each step is a sentence and an expression for its numbers.
//! The steps are: the digits that both layouts have, the kernel and its block (`kernel.rs`), the loops around it,
//! memory and threads, and the bound of the whole. Nothing is decided here: everything is read from the plan.
//!
//! Laws: each expression evaluates to its value. The layouts of the common digits pair the same places as the maps of
//! the plan.

mod kernel;

use bitstride::notation::Ints;
use bitstride_lang::explain::{Explanation, Property, Section, Step};
use bitstride_lang::{Answer, Value, evaluate};

use crate::block::{Block, Kernel};
use crate::cast::{distance, number};
use crate::kernel::{Isa, LINE, Row, Store, Strips};
use crate::machine::Sizes;
use crate::nest::{Loop, Nest};
use crate::plan::{Bound, Plan};
use crate::pointwise::Pointwise;

/// The most boxes whose steps are explained, the largest first: boxes are much alike.
const MAX_EXPLAINED_BOXES: usize = 2;

/// The most boxes whose sizes are listed; the others are added up.
const MAX_LISTED_SIZES: usize = 8;

impl Plan {
    /// Why the plan moves the tensor as it does: the digits that both layouts have, the block that a kernel moves at once
    /// and why, what each loop around it is for, how many bytes are read and written and how, and how threads share them.
    /// Its expression is the first line of the plan's text, and its outcome that text.
    ///
    /// ```
    /// use bitstride::map::Map;
    /// use bitstride_relayout::{Element, Isa, Plan};
    /// let rows = Map::of_layout(&"(64,64):(64,1)".parse()?)?;
    /// let columns = Map::of_layout(&"(64,64):(1,64)".parse()?)?;
    /// let plan = Plan::for_isa(&rows, &columns, Element::of_bits(32)?, Isa::Avx512)?;
    /// let explanation = plan.explain();
    /// let steps: Vec<String> = explanation.steps().map(|s| format!("{} = {}", s.expression, s.value)).collect();
    /// assert!(steps.contains(&"16*64 = 1024".to_owned()), "a block of 16 vectors of 64 bytes");
    /// assert!(steps.contains(&"4096*4 = 16384".to_owned()), "the bytes that are read, and written");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn explain(&self) -> Explanation {
        let text = self.to_string();
        let title = |at: usize, nest: &Nest| match self.nests.len() {
            1 => String::new(),
            all => format!("box {} of {all}, {} elements", at + 1, nest.size()),
        };
        let mut boxes: Vec<(usize, (&Nest, &Block))> = self.nests.iter().zip(&self.blocks).enumerate().collect();
        boxes.sort_by_key(|(_, (nest, _))| std::cmp::Reverse(nest.size()));
        let mut sections = Vec::new();
        if let Some(pointwise) = &self.pointwise {
            let mut steps = Steps::default();
            self.one_by_one(pointwise, &mut steps);
            sections.push(Section { title: String::new(), law: "", steps: steps.0 });
        }
        if self.nests.len() > 1 {
            let mut steps = Steps::default();
            self.boxes(&mut steps);
            sections.push(Section { title: "boxes".to_owned(), law: "", steps: steps.0 });
        }
        for (at, (nest, block)) in boxes.into_iter().take(MAX_EXPLAINED_BOXES) {
            let mut steps = Steps::default();
            self.digits(nest, &mut steps);
            kernel::explain(self, nest, block, &mut steps);
            kernel::candidates(self, nest, &mut steps);
            loops(block, &mut steps);
            self.covered(nest, block, &mut steps);
            self.lines(block, &mut steps);
            self.threads(block, &mut steps);
            sections.push(Section { title: title(at, nest), law: "", steps: steps.0 });
        }
        let mut steps = Steps::default();
        self.whole(&mut steps);
        match sections.as_mut_slice() {
            [only] => only.steps.append(&mut steps.0),
            _ => sections.push(Section { title: "all together".to_owned(), law: "", steps: steps.0 }),
        }
        Explanation {
            expression: text.lines().next().unwrap_or_default().to_owned(),
            ints: Ints::Plain,
            table: self.table(),
            assumptions: Vec::new(),
            sections,
            outcome: Ok(Answer::from(Value::Text(text))),
        }
    }

    fn table(&self) -> Vec<Property> {
        let isa = match self.machine.isa {
            Isa::Scalar => "plain words of 64 bits",
            Isa::Neon => "NEON",
            Isa::Avx2 => "AVX2",
            Isa::Avx512 => "AVX-512",
        };
        let reach = |bytes: usize| format!("reaches to {}", counted(number(bytes), "byte"));
        let rows = [
            ("elements", format!("{} of {}", self.elements, self.element)),
            ("read", format!("{}, and as many written", counted(number(self.moved_bytes()), "byte"))),
            ("source", reach(self.bytes[0])),
            ("destination", reach(self.bytes[1])),
            ("instructions", isa.to_owned()),
            ("bound by", self.bound().to_string()),
        ];
        rows.into_iter().map(|(name, value)| Property { name, value }).collect()
    }

    /// Why no kernel moves the pair, and what does.
    fn one_by_one(&self, pointwise: &Pointwise, steps: &mut Steps) {
        let why = &pointwise.why;
        if let Some(periods) = &pointwise.periods {
            let rule = format!(
                "No kernel moves this pair, since the layouts have no common digits: {why}. But after some steps along each axis both lead a constant number of whole bytes further. So the points of one such tile are evaluated when the plan is made, and its operations are made for every tile, sixteen tiles at a time. Points:"
            );
            steps.add(rule, product(pointwise.extents.iter().copied()));
            let (bytes, operations) = periods.tile();
            steps.add("Bytes that a tile writes:", bytes.to_string());
            steps.add(
                "Operations that write them, each a copy of at most eight bytes or bits of one byte:",
                operations.to_string(),
            );
            return;
        }
        let rule = format!(
            "No kernel moves this pair, since the layouts have no common digits: {why}. So both layouts are evaluated at every point, some thousand at a time, and each element is moved by itself: that is exact, and slow. Points:"
        );
        steps.add(rule, product(pointwise.extents.iter().copied()));
        let threads = match pointwise.most_threads(self.element) {
            1 => "One thread moves all".to_owned(),
            most => format!("At most {most} threads share the points"),
        };
        steps.add(format!("{threads}. Points that hold an element:"), pointwise.elements.to_string());
    }

    /// The loops over digits that both sides have.
    fn digits(&self, nest: &Nest, steps: &mut Steps) {
        let bits = self.element.part_bits();
        let counts = match self.element.parts() {
            1 => "in elements".to_owned(),
            parts => format!("in parts of {} bits, of which an element has {parts}", bits),
        };
        let digits = counted(number(nest.loops.len()), "common digit");
        let cut =
            "Both layouts are cut where both can be cut, and digits that continue each other on both sides are merged";
        let sides = [0, 1].map(|side| layout_of(nest, side, bits));
        if let [Some(source), Some(destination)] = sides {
            steps.add(
                format!("{cut}: {digits}. This is how far apart their steps are in the source, {counts}:"),
                source,
            );
            steps.add("And in the destination:", destination);
            return;
        }
        let each = nest.loops.iter().map(|each_loop| {
            let [from, to] = each_loop.steps.map(|step| pattern(step.stride / bits, step.xor / bits));
            match each_loop.offsets.len() {
                0 => format!("{} times {from} in the source and {to} in the destination", each_loop.count),
                _ => format!("{} places that are listed one by one", each_loop.count),
            }
        });
        let each = each.collect::<Vec<_>>().join("; ");
        let rule = format!("{cut}: {digits}. Counted {counts}, they are {each}. Steps in all:");
        steps.add(rule, product(nest.loops.iter().map(|each_loop| each_loop.count)));
    }

    /// The bytes of all visits.
    fn covered(&self, nest: &Nest, block: &Block, steps: &mut Steps) {
        let visits =
            block.loops.iter().map(|each_loop| each_loop.count).chain([number(block.tiles.len())]).collect::<Vec<_>>();
        let bits = block.kernel.bits();
        let all = visits.iter().fold(bits, |all: i64, count| all.saturating_mul(*count));
        let needed = nest.size().saturating_mul(self.element.part_bits());
        let overlaps = match all - needed {
            0 => "no byte is moved twice".to_owned(),
            twice if twice % 8 == 0 => format!("tiles that overlap move {} twice", counted(twice / 8, "byte")),
            twice => format!("tiles that overlap move {} twice", counted(twice, "bit")),
        };
        let visits = product(visits.iter().copied());
        let bytes =
            if bits % 8 == 0 { format!("{visits}*{}", bits / 8) } else { format!("ceil_div({visits}*{bits}, 8)") };
        steps.add(format!("Bytes moved at all places; {overlaps}:"), bytes);
    }

    /// How lines are read and written.
    fn lines(&self, block: &Block, steps: &mut Steps) {
        let Sizes { stream_min_bytes, memory_min_bytes, .. } = self.machine.sizes;
        let (from_memory, store) = match &block.kernel {
            Kernel::Network(network) => (network.from_memory, Store::Cached),
            Kernel::Strips(strips) => (strips.network.from_memory, strips.store),
            Kernel::Shuffle(shuffle) => (shuffle.from_memory, Store::Cached),
            Kernel::Copy(_) | Kernel::Parts(_) => (false, Store::Cached),
        };
        let streams = matches!(&block.kernel, Kernel::Strips(strips) if strips.streams());
        let past = streams || self.large && block.may_stream(self.machine.isa);
        let alone = "Lines are fetched by the machine alone";
        let prefetched = match &block.kernel {
            Kernel::Network(network) => network.prefetches(&network.sides[0].at, [from_memory, from_memory && !past]),
            Kernel::Strips(Strips { network, sides, .. }) => {
                let row = sides[1].digits.first().map_or(0, |[_, stride]| distance(*stride));
                network.prefetches(&[0, row], [from_memory, from_memory && !past])
            }
            Kernel::Shuffle(shuffle) => [from_memory && shuffle.row == Row::ONE, false],
            Kernel::Copy(_) | Kernel::Parts(_) => [false; 2],
        };
        let ahead =
            |whose: &str| format!("From {memory_min_bytes} bytes on, lines of {whose} are fetched some blocks ahead");
        let read = match &block.kernel {
            Kernel::Copy(copy) if past && copy.is_prefetched() => {
                "Lines of later runs are fetched while one is copied".to_owned()
            }
            Kernel::Copy(_) | Kernel::Parts(_) => "Lines are read when they are needed".to_owned(),
            _ if from_memory && matches!(self.machine.isa, Isa::Scalar | Isa::Neon) => alone.to_owned(),
            _ if from_memory => match prefetched {
                [true, true] => ahead("both sides"),
                [true, false] => ahead("the source"),
                [false, true] => ahead("the destination"),
                [false, false] => alone.to_owned(),
            },
            _ => format!("Below {memory_min_bytes} bytes no line is fetched ahead, since all are in the caches"),
        };
        let written = match &block.kernel {
            _ if store == Store::Realigned => "lines that were carried are written past the caches".to_owned(),
            _ if store == Store::Contiguous => {
                "lines of a run are written into the caches, and leave them whole".to_owned()
            }
            _ if matches!(store, Store::Packed | Store::PaddedPacked) => {
                "runs that were packed are written past the caches".to_owned()
            }
            Kernel::Network(_) | Kernel::Shuffle(_) if past => {
                let turns = match &block.kernel {
                    Kernel::Network(network) if !network.has_scattered_lines() => "",
                    Kernel::Network(network)
                        if network.reads_scattered_pages() || network.can_interleave_prefetch() =>
                    {
                        ", those of two blocks in turn while others are exchanged, or each as soon as it is made, as the processor takes them better"
                    }
                    Kernel::Network(_) => ", those of two blocks in turn while others are exchanged",
                    _ => "",
                };
                format!(
                    "lines are written past the caches where the destination has {stream_min_bytes} bytes or more, if the buffer begins on a line{turns}"
                )
            }
            _ if past => {
                format!("lines are written past the caches where the destination has {stream_min_bytes} bytes or more")
            }
            _ if !self.large => {
                format!(
                    "below {memory_min_bytes} bytes, or where the destination has less than {stream_min_bytes}, lines are written into the caches"
                )
            }
            Kernel::Copy(copy) if copy.bytes >= LINE => "runs are written as the machine copies memory".to_owned(),
            Kernel::Copy(_) | Kernel::Parts(_) => "units are written into the caches".to_owned(),
            _ => "words that are not aligned are written into the caches".to_owned(),
        };
        let rule = format!("{read}; {written}. Lines of {LINE} bytes on each side, at least:");
        steps.add(rule, format!("ceil_div({}, {LINE})", self.moved_bytes()));
    }

    /// How threads share the loops.
    fn threads(&self, block: &Block, steps: &mut Steps) {
        let Sizes { task_min_bytes, .. } = self.machine.sizes;
        let bytes = self.moved_bytes();
        let parts = format!("div({bytes}, {task_min_bytes})");
        match block.shared(bytes, &self.machine).and_then(|(at, _)| Some((at, block.loops.get(at)?))) {
            Some((at, cut)) => {
                let level = if block.loops.len() == 1 { String::new() } else { format!(", number {},", at + 1) };
                let tail_overlap = cut.tail_overlap != [0; 2];
                let tiles = if tail_overlap { " Its last two tiles overlap and stay together." } else { "" };
                let rule = format!(
                    "Threads share the loop of {} steps{level} in up to 4 parts for each thread, none below {task_min_bytes} bytes.{tiles} Parts at most:",
                    cut.count
                );
                steps.add(rule, format!("min({parts}, {})", cut.count - i64::from(tail_overlap)));
            }
            None => {
                let why = match &block.kernel {
                    Kernel::Parts(_) => "units share bytes, which two threads must not write".to_owned(),
                    _ if number(bytes) < 2 * task_min_bytes => {
                        format!("a part would be below {task_min_bytes} bytes")
                    }
                    _ if block.loops.is_empty() => "no loop is around the list".to_owned(),
                    _ => "the two tiles of the loop overlap".to_owned(),
                };
                steps.add(format!("One thread moves all: {why}. Parts of {task_min_bytes} bytes:"), parts);
            }
        }
    }

    /// How many elements each box has.
    fn boxes(&self, steps: &mut Steps) {
        let mut sizes: Vec<i64> = self.nests.iter().map(Nest::size).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        let rest = sizes.split_off(sizes.len().min(MAX_LISTED_SIZES));
        let left = match rest.len() {
            0 => String::new(),
            count => format!(" The last number is that of {count} smaller boxes."),
        };
        sizes.extend((!rest.is_empty()).then(|| rest.iter().sum::<i64>()));
        let sum: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let boxes = self.nests.len();
        let rule = format!(
            "Axes end inside digits, so that the elements are {boxes} full boxes, one after the other.{left} The largest are explained. Elements:"
        );
        steps.add(rule, sum.join("+"));
    }

    /// The bytes, and what bounds them.
    fn whole(&self, steps: &mut Steps) {
        let Sizes { memory_min_bytes, .. } = self.machine.sizes;
        let (bits, bytes) = (self.element.bits(), self.moved_bytes());
        let whole = if bits < 8 {
            format!("ceil_div({}*{bits}, 8)", self.elements)
        } else {
            format!("{}*{}", self.elements, bits / 8)
        };
        steps.add("Bytes read, and as many are written:", whole);
        let (why, figure) = match self.bound() {
            Bound::Visits => {
                let visits = self.blocks.iter().map(|block| {
                    block
                        .loops
                        .iter()
                        .fold(number(block.tiles.len()), |all, each_loop| all.saturating_mul(each_loop.count))
                });
                let visits = visits.fold(0, i64::saturating_add);
                let visits = self.pointwise.as_ref().map_or(visits, |pointwise| pointwise.elements).max(1);
                let why = "only a few bytes are moved at a time. Elements of a visit, about".to_owned();
                (why, format!("ceil_div({}, {visits})", self.elements))
            }
            Bound::Caches => {
                let why = format!(
                    "tensors below {memory_min_bytes} bytes stay in them. The size of the tensor, as a multiple of that"
                );
                (why, format!("div({bytes}, {memory_min_bytes})"))
            }
            Bound::Memory => {
                let why = format!(
                    "lines are moved faster than it brings them, and tensors from {memory_min_bytes} bytes on are not in the caches. The size of the tensor, as a multiple of that"
                );
                (why, format!("div({bytes}, {memory_min_bytes})"))
            }
        };
        steps.add(format!("It is expected to be bound by {}: {why}:", self.bound()), figure);
    }
}

/// The loops around a block.
fn loops(block: &Block, steps: &mut Steps) {
    let unit = if matches!(block.kernel, Kernel::Parts(_)) { "units" } else { "bytes" };
    let tiles = block.tiles.len();
    let list = match &block.kernel {
        Kernel::Network(_) | Kernel::Shuffle(_) => "along a few lines of the destination first, then along the source",
        Kernel::Strips(strips) if strips.store == Store::Realigned => {
            "two blocks along the strip of the destination at a time, these along that of the source first"
        }
        Kernel::Strips(_) => "along the strip of the source first, then along that of the destination",
        Kernel::Copy(copy) if copy.bytes < LINE => "along the source first",
        Kernel::Copy(copy) if (number(copy.bytes) | block.apart()) % number(LINE) != 0 => {
            "along runs of the destination that share lines first, then along the source"
        }
        Kernel::Copy(_) | Kernel::Parts(_) => "in the order of the source",
    };
    let listed = match tiles {
        1 => "The kernel moves one block at a time".to_owned(),
        _ => format!("The kernel goes through a list of {tiles} places, {list}"),
    };
    let each: Vec<String> = block.loops.iter().map(|each_loop| level(each_loop, &block.kernel, unit)).collect();
    let around = match each.len() {
        0 => "around that is no loop".to_owned(),
        1 => format!("around that is one loop: {}", each.concat()),
        count => {
            format!("around that are {count} loops, the outermost first: {}", each.join("; "))
        }
    };
    let counts = block.loops.iter().map(|each_loop| each_loop.count).chain([number(tiles)]);
    steps.add(format!("{listed}; {around}. Places:"), product(counts));
}

/// A loop around the list, and what it is for.
fn level(each_loop: &Loop, kernel: &Kernel, unit: &str) -> String {
    let strides = each_loop.strides();
    let [from, to] = strides.map(i64::abs);
    let run = matches!(kernel, Kernel::Copy(copy) if [from, to] == [number(copy.bytes); 2]);
    let what = match each_loop.strip {
        Some(0) => "windows along the strip of the source",
        Some(_) => "windows along the strip of the destination",
        None if !each_loop.offsets.is_empty() => "places listed one by one",
        None if !each_loop.is_strided() => "a bit that flips others",
        None if run => "parts of a run",
        None if from < to => "along the source",
        None if to < from => "on along the destination",
        None => "both sides move alike",
    };
    let tail_overlap = if each_loop.tail_overlap == [0; 2] { "" } else { ", the last overlaps the one before" };
    let [from, to] = [0, 1]
        .map(|side: usize| each_loop.steps.get(side).map(|step| pattern(step.stride, step.xor)).unwrap_or_default());
    let apart = match each_loop.strip {
        _ if !each_loop.offsets.is_empty() => String::new(),
        Some(0) => format!(", {from} {unit} apart"),
        Some(_) => format!(", {to} {unit} apart"),
        None => format!(", {from} {unit} apart in the source and {to} in the destination"),
    };
    format!("{} times{apart} ({what}{tail_overlap})", each_loop.count)
}

/// A step as a stride of the language: `64`, `^72`, `64+^9`.
fn pattern(stride: i64, xor: i64) -> String {
    match (stride, xor) {
        (stride, 0) => stride.to_string(),
        (0, xor) => format!("^{xor}"),
        (stride, xor) => format!("{stride}+^{xor}"),
    }
}

/// The loops of a nest on one side as a layout, in elements, where the language has one.
fn layout_of(nest: &Nest, side: usize, bits: i64) -> Option<String> {
    let origin = nest.origins.get(side)?;
    let has_none = origin.flip != 0 || nest.loops.iter().any(|each_loop| !each_loop.offsets.is_empty());
    let digits = nest.loops.iter().map(|each_loop| {
        let step = each_loop.steps.get(side).copied().unwrap_or_default();
        (each_loop.count, pattern(step.stride / bits, step.xor / bits))
    });
    let text = layout(digits);
    match origin.offset / bits {
        _ if has_none => None,
        0 => Some(text),
        offset => Some(format!("{text} + {offset}")),
    }
}

/// Counts and strides as a layout.
fn layout(digits: impl IntoIterator<Item = (i64, String)>) -> String {
    let (counts, strides): (Vec<String>, Vec<String>) =
        digits.into_iter().map(|(count, stride)| (count.to_string(), stride)).unzip();
    match counts.len() {
        0 => "1:0".to_owned(),
        1 => format!("{}:{}", counts.concat(), strides.concat()),
        _ => format!("({}):({})", counts.join(","), strides.join(",")),
    }
}

/// Counts as a product, those of 1 left out.
fn product(counts: impl IntoIterator<Item = i64>) -> String {
    let factors: Vec<String> = counts.into_iter().filter(|count| *count != 1).map(|count| count.to_string()).collect();
    if factors.is_empty() { "1".to_owned() } else { factors.join("*") }
}

/// So many of something: `1 byte`, `2 bytes`.
fn counted(count: i64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The steps in the order of the explanation.
#[derive(Default)]
struct Steps(Vec<Step>);

impl Steps {
    /// Tells a sentence with the value of an expression.
    fn add(&mut self, rule: impl Into<String>, expression: impl Into<String>) {
        let expression = expression.into();
        // Numbers of a plan fit in 64 bits; if one did not, its sentence is still printed.
        let value = evaluate(&expression).map_or_else(|why| Value::Text(why.to_string()), |answer| answer.value);
        self.0.push(Step { rule: rule.into(), expression, value });
    }
}
