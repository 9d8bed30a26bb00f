//! Explains which block of a nest a kernel moves at once, and why.

use super::{Steps, counted, layout, pattern};
use crate::block::{Block, Kernel, Scaled, widest_unit};
use crate::cast::{length, number, signed};
use crate::kernel::{BYTE, LINE, Network, Row, Store, Strip, Strips};
use crate::machine::{MIN_REALIGNED_ROW_BYTES, Sizes};
use crate::nest::Nest;
use crate::plan::Plan;

/// Explains the run, the unit, and the block.
pub(super) fn explain(plan: &Plan, nest: &Nest, block: &Block, steps: &mut Steps) {
    let element = plan.element.part_bits();
    let run = nest.run(element).and_then(|at| nest.loops.get(at));
    let alone = nest.loops.len() == usize::from(run.is_some());
    let run = run.map_or(element, |run| run.count * element);
    let unit = widest_unit(nest, element);
    let vector = number(LINE);
    match &block.kernel {
        Kernel::Copy(copy) if run >= 8 * number(LINE) || alone => {
            copied(run / 8, number(copy.bytes), steps);
        }
        Kernel::Parts(_) => {
            explain_run(nest, run, unit, element, steps);
            let why = "The bits that lie together on both sides do not make lines of whole bytes";
            steps.add(
                format!("{why}: units of {unit} bits are moved one by one. Units in a byte:"),
                format!("div(8, {unit})"),
            );
        }
        Kernel::Copy(copy) => {
            explain_run(nest, run, unit, element, steps);
            let why = if unit / 8 >= vector {
                format!("A unit fills a word of {vector} bytes, in which there is nothing to exchange")
            } else {
                format!("What lies together is too short to make words of {vector} bytes")
            };
            let bytes = counted(number(copy.bytes), "byte");
            let rule = format!("{why}: runs of {bytes} are copied one by one{}. Bytes at a place:", rows(copy.row));
            steps.add(rule, format!("{}*{}", copy.row.count, copy.bytes));
        }
        Kernel::Network(network) => {
            explain_run(nest, run, unit, element, steps);
            bits(network, vector, steps);
        }
        Kernel::Shuffle(shuffle) => {
            explain_run(nest, run, unit, element, steps);
            let vector = number(shuffle.vector_bytes());
            let why = match run > number(LINE) * 8 {
                true => {
                    "Copied one by one, runs would end inside lines. Those that lie one after the other in the destination make whole lines"
                }
                false => "The bits of a word cannot be separated, since a loop next to it is no power of two",
            };
            let rule = format!(
                "{why}. So each word of {vector} bytes of the destination is put together from the few words of the source that hold its bytes: {} for a block{}. {} bytes:",
                shuffle.picks(),
                rows(shuffle.row),
                if shuffle.row == Row::ONE { "Its" } else { "A row's" }
            );
            let vectors = number(shuffle.bytes()) / vector * number(shuffle.row.count);
            steps.add(rule, format!("{vectors}*{vector}"));
        }
        Kernel::Strips(strips) => {
            explain_run(nest, run, unit, element, steps);
            stripped(plan, strips, nest.size().saturating_mul(element) / 8, vector, steps);
        }
    }
}

/// The ways to move the box, the cheapest first, which is taken.
pub(super) fn candidates(plan: &Plan, nest: &Nest, steps: &mut Steps) {
    let prices = &plan.machine.prices;
    let mut all = Scaled::of(nest, plan.element.part_bits(), plan.machine).candidates();
    all.sort_by_key(|candidate| candidate.cost.total(prices));
    let others = all.len() - 1;
    for (at, candidate) in all.iter().enumerate() {
        let (mut words, mut sum) = (Vec::new(), Vec::new());
        for (what, count, price) in candidate.cost.terms(prices) {
            words.push(format!("{count} {what} at {price}"));
            sum.push(format!("{count}*{price}"));
        }
        let head = match (at, others) {
            (0, 0) => "No other kernel moves the box; ".to_owned(),
            (0, _) => format!("The cheapest of {} candidates is taken; ", all.len()),
            _ => "Another candidate: ".to_owned(),
        };
        let rule = format!(
            "{head}{}. It has {}. In sixteenths of the time in which a line is copied:",
            candidate.kernel,
            words.join(", ")
        );
        steps.add(rule, if sum.is_empty() { "0".to_owned() } else { sum.join("+") });
    }
}

/// The row of blocks, if there is one.
fn rows(row: Row) -> String {
    let Row { count, strides: [from, to] } = row;
    if row == Row::ONE {
        return String::new();
    }
    format!(", in rows of {count} that are {from} bytes apart in the source and {to} in the destination")
}

/// A copy of runs.
fn copied(run: i64, part: i64, steps: &mut Steps) {
    let why =
        if run >= number(LINE) { format!(", no less than a line of {LINE}") } else { ", and nothing else".to_owned() };
    let rule = format!("Both sides hold runs of {} together{why}, which are copied as they are", counted(run, "byte"));
    if part == run {
        steps.add(format!("{rule}."), run.to_string());
    } else {
        let rule = format!("{rule}, in parts of {part} bytes, so that threads share them. Parts of a run:");
        steps.add(rule, format!("ceil_div({run}, {part})"));
    }
}

/// Why nothing is copied, and which unit is moved.
fn explain_run(nest: &Nest, run: i64, unit: i64, element: i64, steps: &mut Steps) {
    let bytes = |bits: i64| if bits % 8 == 0 { counted(bits / 8, "byte") } else { counted(bits, "bit") };
    let [source, destination] = [0, 1].map(|side| bytes(together(nest, side, element)));
    let contiguous = if run == element {
        "No digit steps by one element on both sides".to_owned()
    } else {
        let line = number(LINE) * 8;
        let lines = if run < line {
            format!("less than a line of {LINE} bytes")
        } else if run % line == 0 {
            format!("a few lines of {LINE} bytes, which are moved as words of a network")
        } else {
            format!("more than a line of {LINE} bytes, but no whole lines")
        };
        format!("Runs that both sides hold together have {}, {lines}", bytes(run))
    };
    let rule = format!(
        "{contiguous}. The unit is the largest power of two that divides all distances, {}. In the source {source} lie together, in the destination {destination}. Units of a run:",
        bytes(unit)
    );
    steps.add(rule, format!("div({run}, {unit})"));
}

/// How many bits lie together on a side.
fn together(nest: &Nest, side: usize, element: i64) -> i64 {
    let mut loops: Vec<_> = nest.loops.iter().filter(|own| own.is_strided()).collect();
    let mut reach = element;
    while let Some(at) = loops.iter().position(|own| own.strides().get(side) == Some(&reach)) {
        reach = reach.saturating_mul(loops.remove(at).count);
    }
    reach
}

/// A network of bits.
fn bits(network: &Network, vector: i64, steps: &mut Steps) {
    let [from, to] = network.pieces().map(number);
    let lines = if [from, to] == [vector; 2] {
        "The bits that make a word of the source and those that make a word of the destination are a block".to_owned()
    } else {
        format!("The bits that lie together on each side, pieces of {from} and {to} bytes, are a block")
    };
    let bytes = number(network.bytes());
    let rule = format!("{lines}, which is exchanged in words of {vector} bytes. Its bytes, words times {vector}:");
    steps.add(rule, format!("{}*{vector}", bytes / vector));
    rounds(network, steps);
    for (side, name) in [(0, "source"), (1, "destination")] {
        let Some(vectors) = network.sides.get(side) else { continue };
        let bits = 0..vectors.at.len().trailing_zeros();
        // What two bits both flip is there once less than each has it, twice.
        let both = |one: u32, other: u32| {
            (vectors.at[1 << one] + vectors.at[1 << other] - vectors.at[1 << one | 1 << other]) / 2
        };
        let flips = |bit: u32| bits.clone().filter(|other| *other != bit).fold(0, |all, other| all | both(bit, other));
        let each: Vec<(i64, i64)> =
            bits.clone().map(|bit| (signed(vectors.at[1 << bit] - flips(bit)), signed(flips(bit)))).collect();
        let rule =
            format!("How far apart the block's pieces of {} bytes are in the {name}, in bytes:", 1u64 << vectors.piece);
        let text = layout(each.iter().map(|(stride, flips)| (2, pattern(*stride, *flips))));
        let flat = each.iter().all(|(_, flips)| *flips == 0);
        steps.add(rule, if flat { format!("coalesce({text})") } else { text });
        if let Some(places) = vectors.flips.iter().map(|[places, ..]| *places).reduce(|all, own| all | own) {
            let rule = format!(
                "Bits of a word's number flip places inside it: words of the {name} are permuted in registers. The bits of places that are flipped, together:"
            );
            steps.add(rule, places.to_string());
        }
    }
}

/// Which bits are exchanged.
fn rounds(network: &Network, steps: &mut Steps) {
    let unit = if network.unit < BYTE { "unit" } else { "byte" };
    let worth = |bit: &u32| bit - network.unit;
    let moved: Vec<String> = network.rounds.iter().map(|bit| (1u64 << worth(bit)).to_string()).collect();
    let order = network.order.iter().filter(|bit| **bit >= network.unit);
    let order: Vec<String> = order.map(|bit| worth(bit).to_string()).collect();
    let order = if network.is_ordered() {
        String::new()
    } else {
        format!(" Then the bits inside a word are put in the order {}, the lowest first.", order.join(","))
    };
    let rule = match (moved.split_last(), network.rounds.as_slice()) {
        (Some(_), [bit]) => format!(
            "One round exchanges a bit of a word's number with the bit of a place inside the word that is worth {}.{order} Words exchanged with one another:",
            counted(1 << worth(bit), unit)
        ),
        (Some((last, rest)), rounds) => format!(
            "{} rounds exchange a bit of a word's number each, the lowest first, with a bit of a place inside the word, worth {} and {last} {unit}s.{order} Words exchanged with one another:",
            rounds.len(),
            rest.join(", ")
        ),
        (None, _) => {
            let neighbours = if network.bytes() > LINE && network.sides.iter().all(|side| side.flips.is_empty()) {
                " Neighbouring words are one block, since finding one takes as long as finding several."
            } else {
                ""
            };
            format!(
                "No round is needed: a word of the source has all {unit}s of a word of the destination.{order}{neighbours} Rounds:"
            )
        }
    };
    let twos = if moved.is_empty() { "0".to_owned() } else { vec!["2"; moved.len()].join("*") };
    steps.add(rule, twos);
}

/// The bytes that a unit is padded to.
fn filled_up(unit: i64) -> i64 {
    number(length(unit).next_power_of_two())
}

/// A network between strips.
fn stripped(plan: &Plan, strips: &Strips, bytes: i64, vector: i64, steps: &mut Steps) {
    let network = &strips.network;
    let [of_source, of_destination] = &strips.sides;
    let unit = of_destination.unit;
    let (why, read) = match strips.store {
        Store::PaddedPacked => ("The run is no power of two, and is one unit", vector / filled_up(unit) * unit),
        _ => (
            "Bits make no block, or one of pieces that are no longer, or of lines that are not written past the caches",
            number(network.pieces()[0]),
        ),
    };
    for (strip, rule) in [
        (
            of_source,
            format!(
                "{why}. So loops of any counts that lie one after the other make a strip, and its units are counted. The strip of the source, in bytes of the destination:"
            ),
        ),
        (of_destination, "The strip of the destination, in bytes of the source:".to_owned()),
    ] {
        steps.add(rule, layout(strip.digits.iter().map(|[count, stride]| (*count, stride.to_string()))));
    }
    let blocks = |strip: &Strip| [number(strip.window), 1i64 << strip.tile];
    let ([from, rows], [to, columns]) = (blocks(of_source), blocks(of_destination));
    let overlap = match strips.store {
        Store::Packed => ", rows being filled up",
        _ if from % rows == 0 && to % columns == 0 => "",
        _ => ", the last of a window overlapping the one before",
    };
    let rule = format!(
        "A list moves a window of {from} units of the source's strip by {to} of the destination's, in blocks of {rows} by {columns}{overlap}. Blocks of a list:"
    );
    steps.add(rule, format!("ceil_div({from}, {rows})*ceil_div({to}, {columns})"));
    let block = number(network.bytes());
    let rule = format!(
        "A block is exchanged in words of {vector} bytes, read in pieces of {read} and written in pieces of {}. Its bytes:",
        network.pieces()[1]
    );
    steps.add(rule, format!("{}*{vector}", block / vector));
    rounds(network, steps);
    let run = number(of_destination.window) * of_destination.unit;
    let rule = match strips.store {
        Store::Realigned => "Rows of the destination need not begin on lines, and a line that is written in two parts would have to be read. So each word waits for the next of its row, and both make a line; two lines of a row at once are written past the caches"
            .to_owned(),
        Store::PaddedPacked => format!("Each unit is filled up to {} bytes as it is read. The rows of a window are put together in the caches, and packed into lines that are written past them", filled_up(unit)),
        Store::Packed => "Rows of the destination are short and lie one after the other. So those of a window are put together in the caches, each filled up to a power of two, and packed into lines that are written past the caches".to_owned(),
        Store::Contiguous => "Rows of the destination are short and lie one after the other: those of a window are one run, which stays in the caches until it is whole. So words are written where they belong, through the caches".to_owned(),
        Store::Cached => {
        let Sizes { stream_min_bytes, .. } = plan.machine.sizes;
        let why = match () {
            () if !plan.machine.isa.streams() => "that is for instructions that write past the caches".to_owned(),
            () if bytes < stream_min_bytes => format!("the output is below {stream_min_bytes} bytes and stays in caches"),
            () if network.pieces()[1] != LINE => "they are shorter than a line".to_owned(),
            () => format!("rows are shorter than {MIN_REALIGNED_ROW_BYTES} bytes"),
        };
        format!("Words are not carried to lines of memory: {why}")
        }
    };
    steps.add(format!("{rule}. Bytes of a row in a window:"), run.to_string());
}
