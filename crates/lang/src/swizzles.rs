//! `swizzle` and `swizzle_between`: the memory that suits a set of accesses, with what proves that there is no better one; and the
//! swizzle between two layouts.
//!
//! An answer of `swizzle` is a layout of the tile's elements. Law: `wavefronts` of the answer by each access add up to what the
//! first note says.

use super::hardware::{UNMEASURED, first_instruction, transfer_of};
use super::numbers::number;
use super::operation::{Operation, argument as arg, constructor};
use super::parameters::{ACCESSES, ELEMENT_BITS, LEFT_ANY, RIGHT_ANY, SEARCHED_TILE};
use super::value::Value;
use bitstride::cute::{Function, Layout, Swizzle};
use bitstride::map::Map;
use bitstride::memory::{
    BitMap, Cost, Descriptor, Found, Generation, Major, Padding, Rotating, SharedMemory, SwizzleSearch, Transfer,
    Vectors,
};
use bitstride::triton::Encoding;
use bitstride::{Code, Error, Int, Integer, Stride, StrideLeaf, error};

constructor!(hardware, Hardware);

pub(super) const SWIZZLES: &[Operation] = &[
    hardware(
        "swizzle",
        &[SEARCHED_TILE, ELEMENT_BITS, ACCESSES.repeated()],
        "the swizzled or padded memory in which a set of accesses takes the fewest wavefronts, with a lower bound",
        "swizzle((32,32):(32,1), 32, 32:32, st, 32:1, ld)",
        |v, notes| {
            let question = Question::read(v)?;
            let answer = question.answer()?;
            notes.extend(answer.notes(&question));
            let layout = question.layout(&answer)?;
            if let Some(Chosen::Swizzle(found)) = answer.chosen() {
                notes.extend(question.encodings(found.change, &layout));
            }
            Ok(layout)
        },
    ),
    hardware(
        "swizzle_between",
        &[LEFT_ANY, RIGHT_ANY],
        "the swizzle that makes the second layout of the first, or the element that shows that none does",
        "swizzle_between((8,64):(64,1), Sw<3,3,3> o (8,64):(64,1))",
        |v, _| {
            let (from, to) = (arg(v, 0)?.as_map()?, arg(v, 1)?.as_map()?);
            from.swizzle_to(&to).map(|swizzle| Value::Function(Function::Swizzle(swizzle)))
        },
    ),
];

/// What an answer may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Any,
    Swizzle,
    Linear,
    Rotating,
    Padding,
}

/// Who reads the tile besides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Consumer {
    Threads,
    Tma,
    Descriptor(Generation),
}

/// What was asked.
pub(super) struct Question {
    tile: Value,
    map: Map,
    bits: i64,
    pub(super) accesses: Vec<(Map, Transfer)>,
    /// The threads as they were written.
    pub(super) threads: Vec<Value>,
    class: Class,
    consumer: Consumer,
    pub(super) search: SwizzleSearch,
    pub(super) machine: SharedMemory,
}

/// What was found.
pub(super) struct Answer {
    pub(super) swizzle: Option<Found<Swizzle>>,
    pub(super) linear: Option<Found<BitMap>>,
    pub(super) padding: Option<Found<Padding>>,
    pub(super) rotating: Option<(Found<Rotating>, Rows)>,
}

/// How the rows of a tile lie: the bits of a row, and its dims as Triton orders them.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    bits: u32,
    order: &'static str,
}

/// Which of the classes has the answer.
#[derive(Clone, Copy)]
pub(super) enum Chosen<'a> {
    Swizzle(&'a Found<Swizzle>),
    Linear(&'a Found<BitMap>),
    Padding(&'a Found<Padding>),
    Rotating(&'a Found<Rotating>, Rows),
}

impl Chosen<'_> {
    pub(super) fn costs(&self) -> &[Cost] {
        match self {
            Chosen::Swizzle(found) => &found.costs,
            Chosen::Linear(found) => &found.costs,
            Chosen::Padding(found) => &found.costs,
            Chosen::Rotating(found, _) => &found.costs,
        }
    }

    pub(super) fn wavefronts(&self) -> i64 {
        sum(self.costs())
    }
}

pub(super) fn sum(costs: &[Cost]) -> i64 {
    costs.iter().fold(0, |sum, cost| sum.saturating_add(cost.wavefronts))
}

impl Question {
    /// What bounds the wavefronts from below.
    pub(super) fn bound(&self) -> &'static str {
        match self.search.is_linear() {
            true => "one wavefront for each phase",
            false => "a wavefront serves one word of each bank",
        }
    }

    /// The operands of `swizzle`.
    pub(super) fn read(values: &[Value]) -> Result<Self, Error> {
        let (tile, bits) = (arg(values, 0)?.clone(), number(values, 1)?);
        let map = tile.as_map()?;
        let (mut accesses, mut threads): (Vec<(Map, Transfer)>, Vec<Value>) = (Vec::new(), Vec::new());
        let mut rest = values.iter().skip(2);
        let mut limits = Vec::new();
        let mut may_follow = false;
        while let Some(value) = rest.next() {
            match value {
                Value::Name(name) if name.as_str() == "under" => {
                    limits = rest.by_ref().collect();
                }
                Value::Name(_) => match accesses.last_mut() {
                    Some((_, transfer)) if may_follow => {
                        *transfer = transfer_of(value)?;
                        may_follow = false;
                    }
                    _ => {
                        return Err(error!(Code::Arity, "{value} follows no threads", [value])
                            .with_help("such as swizzle((32,32):(32,1), 32, 32:32, st, 32:1, ld)"));
                    }
                },
                _ => {
                    accesses.push((value.as_map()?, Transfer::Load));
                    threads.push(value.clone());
                    may_follow = true;
                }
            }
        }
        let (mut class, mut consumer, mut machine) = (Class::Any, Consumer::Threads, SharedMemory::NVIDIA);
        let mut narrowest = WIDEST;
        for limit in limits {
            // A word may be an operation's name too, and is its own text then.
            if !matches!(limit, Value::Name(_) | Value::Text(_)) {
                narrowest = limit.as_number()?;
                if !(1..=WIDEST).contains(&narrowest) {
                    return Err(error!(
                        Code::Range,
                        "a lane transfers {least} to {widest} bytes at once, not {narrowest}",
                        [least = 1, widest = WIDEST, narrowest]
                    ));
                }
                continue;
            }
            match limit.to_string().as_str() {
                "swizzle" => class = Class::Swizzle,
                "linear" => class = Class::Linear,
                "padding" => class = Class::Padding,
                "rotating" => class = Class::Rotating,
                "tma" => consumer = Consumer::Tma,
                "wgmma" => consumer = Consumer::Descriptor(Generation::Wgmma),
                "tcgen05" => consumer = Consumer::Descriptor(Generation::Tcgen05),
                word => match SharedMemory::of_word(word) {
                    Some(memory) => machine = memory,
                    None => {
                        return Err(error!(Code::Parameter, "`{word}` is no limit of a swizzle", [word]).with_help(
                            "there are swizzle, linear, padding, rotating, tma, wgmma, tcgen05, nvidia, amd, and the least bytes of a lane",
                        ));
                    }
                },
            }
        }
        let search = SwizzleSearch::new(machine, &map, bits, &accesses, narrowest)?;
        Ok(Question { tile, map, bits, accesses, threads, class, consumer, search, machine })
    }

    /// The classes that are needed, one after the other, until no phase has a conflict.
    pub(super) fn answer(&self) -> Result<Answer, Error> {
        let least = self.search.least();
        let mut answer = Answer { swizzle: None, linear: None, padding: None, rotating: None };
        if self.consumer != Consumer::Threads {
            answer.swizzle = Some(self.search.among(&self.modes()?)?);
            return Ok(answer);
        }
        if self.class == Class::Rotating {
            let rows = self.rows()?;
            answer.rotating = Some((self.search.rotating(rows.bits)?, rows));
        }
        if matches!(self.class, Class::Any | Class::Swizzle) {
            answer.swizzle = Some(self.search.swizzle()?);
        }
        let is_open = |answer: &Answer| answer.chosen().is_none_or(|chosen| chosen.wavefronts() > least);
        if self.class == Class::Linear || self.class == Class::Any && is_open(&answer) {
            // A tile whose strides carry may have accesses that do not, and no text for what the map makes of it.
            let is_written =
                |found: &Found<BitMap>| found.change.after(&self.map).and_then(|map| written(&map)).is_ok();
            // Who asks for any map has one that turns vectors too.
            let vectors = if self.class == Class::Linear { Vectors::Turned } else { Vectors::InOrder };
            answer.linear = self.search.bit_map(vectors)?.filter(is_written);
        }
        if self.class == Class::Padding || self.class == Class::Any && is_open(&answer) {
            let intervals = self.tile.as_layout().map(|tile| intervals(&tile)).unwrap_or_default();
            // Where only one of several classes is too large to search, the others answer.
            answer.padding = match self.search.padding(&self.map, &self.accesses, &intervals) {
                Err(_) if self.class == Class::Any => None,
                found => found?,
            };
        }
        if answer.chosen().is_none() {
            let message = match self.class {
                Class::Linear => {
                    "the tile and its accesses are not all linear over F2, or a vector fills a row of banks"
                }
                _ => "no stride of the tile leaves room for a gap",
            };
            return Err(Error::new(Code::NoLayout, message).with_help("without `under` all classes are searched"));
        }
        Ok(answer)
    }

    /// The rows of a tile of two dims that fills its memory.
    fn rows(&self) -> Result<Rows, Error> {
        let modes = self.tile.as_layout().map(|tile| tile.modes()).unwrap_or_default();
        let sides: Vec<Vec<(i64, i64)>> = modes.iter().map(leaves).collect();
        let power = |extent: i64| extent.checked_ilog2().filter(|_| extent.count_ones() == 1);
        let rows = match sides.as_slice() {
            [first, second] => match (first.as_slice(), second.as_slice()) {
                ([(rows, step)], [(columns, 1)]) if step == columns => Some((*rows, *columns, "[1, 0]")),
                ([(columns, 1)], [(rows, step)]) if step == columns => Some((*rows, *columns, "[0, 1]")),
                _ => None,
            },
            _ => None,
        };
        let rows =
            rows.and_then(|(rows, columns, order)| power(rows).and(power(columns)).map(|bits| Rows { bits, order }));
        rows.ok_or_else(|| {
            error!(
                Code::NoLayout,
                "the rows of {tile} do not rotate: a tile of two dims does, powers of two that fill its memory",
                [tile = self.tile]
            )
            .with_help("such as (64,64):(64,1)")
        })
    }

    /// The swizzles that a copy by TMA, or the tensor cores, know for this tile.
    fn modes(&self) -> Result<Vec<Swizzle>, Error> {
        let bytes_log = 3_i64 - i64::from(self.bits.checked_ilog2().unwrap_or(0));
        if self.bits.count_ones() != 1 || self.bits > 64 {
            return Err(error!(
                Code::Range,
                "elements of {bits} bits are not swizzled in units of 16 bytes",
                [bits = self.bits]
            ));
        }
        let tile = self.tile.as_function()?;
        let mode =
            |bits: i64, base: i64, shift: i64| Swizzle::new(bits, if bits == 0 { 0 } else { base + bytes_log }, shift);
        let (mut modes, mut why) = (Vec::new(), None);
        let mut candidates: Vec<(i64, i64, i64)> =
            (0..=3).map(|bits| (bits, 4, if bits == 0 { 0 } else { 3 })).collect();
        if self.consumer == Consumer::Descriptor(Generation::Tcgen05) {
            candidates.push((2, 5, 2));
        }
        for (bits, base, shift) in candidates {
            let swizzle = mode(bits, base, shift)?;
            let is_known = match self.consumer {
                Consumer::Descriptor(generation) => self.described(&tile, swizzle, generation),
                _ => self.boxed(bits),
            };
            match is_known {
                Ok(()) => modes.push(swizzle),
                Err(error) => why = Some(error),
            }
        }
        match why {
            Some(error) if modes.is_empty() => Err(error),
            _ => Ok(modes),
        }
    }

    /// Whether a descriptor finds the tile under a swizzle.
    fn described(&self, tile: &Function, swizzle: Swizzle, generation: Generation) -> Result<(), Error> {
        let swizzled = swizzled(swizzle, tile);
        let (first, ..) = first_instruction(&swizzled, self.bits)?;
        let descriptor = |major| Descriptor::of(&first, self.bits, major, 0, generation);
        descriptor(Major::K).or_else(|error| descriptor(Major::Mn).map_err(|_| error)).map(|_| ())
    }

    /// Whether TMA writes the tile with a swizzle of `bits` bits: rows as long as the swizzle, without gaps.
    fn boxed(&self, bits: i64) -> Result<(), Error> {
        let layout = self.tile.as_layout()?;
        let row = row(&layout)?;
        let row_bytes = row.saturating_mul(self.bits) / 8;
        let span = if bits == 0 { row_bytes } else { 16_i64 << bits };
        let is_compact = self.map.size()? == self.map.reach()?.1.saturating_add(1);
        if !is_compact {
            return Err(error!(Code::NotALayout, "a box of TMA is compact, and {layout} has gaps", [layout]));
        }
        if row_bytes % 16 != 0 || row > MOST_BOX {
            return Err(error!(
                Code::Range,
                "the elements side by side in one mode are {row}, {row_bytes} bytes; a box has a multiple of 16 bytes and at most \
                 {most_box} elements a side",
                [row, row_bytes, most_box = MOST_BOX]
            ));
        }
        if row_bytes == span {
            return Ok(());
        }
        Err(error!(
            Code::Range,
            "rows of {row_bytes} bytes under a swizzle of {span}: TMA writes a row of as many as the swizzle spans",
            [row_bytes, span]
        ))
    }

    /// The layout of an answer.
    pub(super) fn layout(&self, answer: &Answer) -> Result<Value, Error> {
        match answer.chosen() {
            Some(Chosen::Swizzle(found)) if found.change.is_identity() => Ok(self.tile.clone()),
            Some(Chosen::Swizzle(found)) => match self.tile.as_function() {
                Ok(tile) => Ok(swizzled(found.change, &tile).into()),
                Err(_) => written(&BitMap::of(columns(found.change, self.search.bits())).after(&self.map)?),
            },
            Some(Chosen::Linear(found)) => written(&found.change.after(&self.map)?),
            Some(Chosen::Padding(found)) => padded(&self.tile.as_layout()?, found.change).map(Value::Layout),
            Some(Chosen::Rotating(found, _)) if found.change.max_phase == 0 => Ok(self.tile.clone()),
            Some(Chosen::Rotating(found, rows)) => {
                written(&found.change.bit_map(rows.bits, self.search.bits()).after(&self.map)?)
            }
            None => Err(Error::new(Code::NoLayout, "nothing was found")),
        }
    }
}

impl Question {
    /// The encodings of Triton with parameters of a swizzle that the answer is.
    fn encodings(&self, swizzle: Swizzle, answer: &Value) -> Vec<String> {
        let (Ok(layout), [rows, columns]) = (answer.as_map(), self.map.index_axes()) else { return Vec::new() };
        let shape = [rows.extent, columns.extent];
        let is_answer = |text: &String| {
            let linear = text.parse::<Encoding>().and_then(|encoding| encoding.to_linear(&shape));
            let same = linear.and_then(|linear| Map::of_linear(&linear)).and_then(|map| layout.same(&map));
            same.is_ok_and(|verdict| verdict.holds())
        };
        let power = |bits: i64| u32::try_from(bits).ok().and_then(|bits| 1_i64.checked_shl(bits)).unwrap_or(0);
        let phases = [("[1, 0]", columns), ("[0, 1]", rows)].map(|(order, inner)| {
            let phase = power(i64::from(swizzle.base()) + i64::from(swizzle.shift()));
            format!(
                "#ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = {order}}}>",
                power(i64::from(swizzle.base())),
                phase.checked_div(inner.extent).unwrap_or(0).max(1),
                power(i64::from(swizzle.bits()))
            )
        });
        let tensor_cores = [false, true].map(|transposed| {
            format!(
                "#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {transposed}, elementBitWidth = {}}}>",
                power(i64::from(swizzle.bits()) + 4),
                self.bits
            )
        });
        let found = [phases, tensor_cores].into_iter().filter_map(|texts| texts.into_iter().find(is_answer));
        found.map(|text| format!("in Triton {text}")).collect()
    }
}

impl Answer {
    /// The class with the fewest wavefronts, the first of several.
    pub(super) fn chosen(&self) -> Option<Chosen<'_>> {
        let found = [
            self.swizzle.as_ref().map(Chosen::Swizzle),
            self.linear.as_ref().map(Chosen::Linear),
            self.padding.as_ref().map(Chosen::Padding),
            self.rotating.as_ref().map(|(found, rows)| Chosen::Rotating(found, *rows)),
        ];
        found.into_iter().flatten().min_by_key(Chosen::wavefronts)
    }

    fn notes(&self, question: &Question) -> Vec<String> {
        let Some(chosen) = self.chosen() else { return Vec::new() };
        let (least, plain) = (question.search.least(), question.search.plain());
        let mut notes = vec![format!("wavefronts: {}; of the plain tile {}", chosen.wavefronts(), sum(plain))];
        for (number, (cost, before)) in chosen.costs().iter().zip(plain).enumerate() {
            let transfer = question.accesses.get(number).map_or(Transfer::Load, |(_, transfer)| *transfer);
            notes.push(format!(
                "access {number}, {} {transfer} of {} {} a lane: {}; of the plain tile {}",
                cost.instructions,
                cost.bytes,
                if cost.bytes == 1 { "byte" } else { "bytes" },
                cost.wavefronts,
                before.wavefronts
            ));
        }
        notes.extend(self.proof(question, chosen.wavefronts(), least));
        if let Chosen::Padding(found) = chosen {
            let Padding { interval, gap } = found.change;
            let plural = if gap == 1 { "element" } else { "elements" };
            notes.push(format!("{gap} {plural} of padding after every {interval}"));
        }
        if let Chosen::Linear(found) = chosen
            && is_turned(found, question.bits)
        {
            notes.push(
                "elements within a vector are in another order from one place to the next: registers follow them"
                    .into(),
            );
        }
        if let Chosen::Rotating(found, rows) = chosen {
            notes.push(format!("in Triton {}", rotating(found.change, rows)));
        }
        if question.machine == SharedMemory::AMD {
            notes.push(UNMEASURED.to_owned());
        }
        notes
    }

    /// Why there is no better one.
    pub(super) fn proof(&self, question: &Question, found: i64, least: i64) -> Vec<String> {
        let bound = format!("lower bound: {least}, {}", question.bound());
        if found == least {
            return vec![format!("{bound}; it is reached, so that no memory does better")];
        }
        let mut proof = vec![bound];
        if let Some(swizzle) = &self.swizzle {
            let which = match question.consumer {
                Consumer::Threads => format!("swizzles Sw<B,M,S> of {} bits", question.search.bits()),
                _ => "swizzles that the consumer knows for this tile".to_owned(),
            };
            let tried = swizzle.tried;
            proof.push(format!("{which}, all {tried} of them: none takes fewer than {}", swizzle.wavefronts()));
        }
        if let Some(linear) = &self.linear {
            proof.push(match linear.complete {
                true => format!(
                    "no map over F2 that leaves accesses as wide{} takes fewer than {}: all vectors and all rows of banks were tried",
                    if question.class == Class::Linear { "" } else { " and their vectors in order" },
                    linear.wavefronts()
                ),
                false => format!("the best map over F2 that was found takes {}; not all were tried", linear.wavefronts()),
            });
        }
        if let Some(padding) = &self.padding {
            proof.push(format!(
                "paddings of one stride, all {} of them: none takes fewer than {}",
                padding.tried,
                padding.wavefronts()
            ));
        }
        if let Some((rotating, _)) = &self.rotating {
            let (tried, wavefronts) = (rotating.tried, rotating.wavefronts());
            proof.push(format!("rotating rows, all {tried} parameters of them: none takes fewer than {wavefronts}"));
        }
        proof
    }
}

/// Whether a bit within the widest vector is a sum of bits of the offset.
fn is_turned(found: &Found<BitMap>, element_bits: i64) -> bool {
    let widest = found.costs.iter().map(|cost| cost.bytes.saturating_mul(8)).max().unwrap_or(0);
    let together = widest.checked_div(element_bits).and_then(i64::checked_ilog2).unwrap_or(0);
    let sums = |bit: u32| found.change.columns().iter().filter(|column| *column >> bit & 1 == 1).count();
    (0..together).any(|bit| sums(bit) > 1)
}

/// The bytes that a lane transfers at most.
const WIDEST: i64 = 16;
/// The most elements along a side of a box of TMA.
const MOST_BOX: i64 = 256;

pub(super) fn swizzled(swizzle: Swizzle, tile: &Function) -> Function {
    match swizzle.is_identity() {
        true => tile.clone(),
        false => Function::compose(Function::Swizzle(swizzle), Int::from(0), tile.clone()),
    }
}

/// The encoding of Triton whose memory rotating rows are.
pub(super) fn rotating(parameters: Rotating, rows: Rows) -> String {
    let power = |log: u32| 1_i64.checked_shl(log).unwrap_or(0);
    format!(
        "#ttg.amd_rotating_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = {}}}>",
        power(parameters.vector),
        power(parameters.per_phase),
        power(parameters.max_phase),
        rows.order
    )
}

/// Where a swizzle takes each bit.
fn columns(swizzle: Swizzle, bits: u32) -> Vec<u64> {
    (0..bits).map(|bit| u64::try_from(swizzle.apply(1 << bit)).unwrap_or(0)).collect()
}

/// A memory in CuTe's notation where one swizzle is enough, else with strides that are xored.
fn written(map: &Map) -> Result<Value, Error> {
    match map.to_cute() {
        Ok(function) if function.swizzles() <= 1 => Ok(function.into()),
        cute => super::forms::mixed(map).or_else(|error| cute.map(Value::from).map_err(|_| error)),
    }
}

/// The extents and strides of a layout, where all are known.
fn leaves(layout: &Layout) -> Vec<(i64, i64)> {
    let leaves = layout.extents().iter().zip(layout.strides());
    leaves.filter_map(|(extent, stride)| Some((extent.fixed()?, stride.as_integer()?.fixed()?))).collect()
}

/// The strides after which there can be a gap: what lies below ends before, and what lies above steps by multiples.
fn intervals(layout: &Layout) -> Vec<i64> {
    let leaves: Vec<(i64, i64)> = leaves(layout).into_iter().filter(|(extent, _)| *extent > 1).collect();
    let mut intervals: Vec<i64> = leaves.iter().map(|(_, stride)| *stride).filter(|stride| *stride > 1).collect();
    intervals.sort_unstable();
    intervals.dedup();
    if leaves.len() != layout.extents().iter().filter(|extent| !extent.is(1)).count()
        || leaves.iter().any(|(_, stride)| *stride < 0)
    {
        return Vec::new();
    }
    intervals.retain(|interval| {
        let below = leaves.iter().filter(|(_, stride)| stride < interval);
        let reach =
            below.fold(0_i64, |reach, (extent, stride)| reach.saturating_add((extent - 1).saturating_mul(*stride)));
        reach < *interval && leaves.iter().all(|(_, stride)| stride < interval || stride % interval == 0)
    });
    intervals
}

/// The elements side by side of the mode that has them.
fn row(layout: &Layout) -> Result<i64, Error> {
    let mut row = 1;
    for mode in layout.modes() {
        let mut reach = 1;
        for (extent, stride) in leaves(&mode) {
            if extent > 1 && stride == reach {
                reach = reach.checked_mul(extent).ok_or_else(|| Error::overflow("a row"))?;
            }
        }
        row = row.max(reach);
    }
    Ok(row)
}

/// The layout with a gap after each interval.
fn padded(layout: &Layout, padding: Padding) -> Result<Layout, Error> {
    let stride = layout.stride().try_map(|stride| {
        let known = stride.as_integer().and_then(Integer::fixed).ok_or_else(|| Error::overflow("a stride"))?;
        let moved = padding.apply(known).ok_or_else(|| Error::overflow("a stride"))?;
        Ok::<_, Error>(Stride::Int(Int::from(moved)))
    })?;
    Layout::new(layout.shape(), stride)
}
