//! An HLO file as a [`Report`].

use bitstride::xla::{Image, Shape};

use super::{Dump, Kind, Moves, Parameter, ShapeUse};
use crate::Dialect;
use crate::report::{Bytes, Field, Item, Report, coordinate, counted};

/// The most names that a line of text lists.
const MAX_NAMES: usize = 8;

impl Dump {
    /// What the file tells; what stands on the line `marked` is marked.
    pub fn report(&self, marked: Option<u64>) -> Report {
        let mut report = Report { dialect: Dialect::Hlo, ..Report::default() };
        let of = |kind: &str| {
            let mut moves: Vec<&Moves> = self.moves.iter().filter(|moves| section(&moves.kind) == kind).collect();
            moves.sort_by_key(|moves| (moves.effect.free, std::cmp::Reverse(total(moves))));
            moves
        };
        let titles =
            [("copy", "copies"), ("bitcast", "bitcasts"), ("reshape", "reshapes"), ("transpose", "transposes")];
        for (kind, title) in titles {
            report.push(kind, title, of(kind).into_iter().map(|moves| self.moved(moves)).collect());
        }
        let parameters = self.parameters.iter().map(|parameter| self.parameter(parameter, marked));
        report.push("parameter", "parameters that are copied at once", parameters.collect());
        let (buffers, tuples) = (self.buffers(), self.tuples());
        report.head = self.head(&buffers);
        report.push(
            "buffer",
            "buffers with padding, those that waste most first",
            buffers.into_iter().map(|(_, item)| item).collect(),
        );
        report.push("tuple", "tuples", tuples);
        let sharding = |sharding: &super::Sharding| {
            Item::on(sharding.line, marked)
                .known_as(sharding.text.as_str(), sharding.count)
                .with("name", sharding.name.as_str())
                .with("sharding", sharding.text.as_str())
                .with("count", sharding.count)
                .say(format!("{}  {}", sharding.text, counted(sharding.count, "instruction", "instructions")))
        };
        report.push("sharding", "shardings", self.shardings.iter().map(sharding).collect());
        report.push("unread", "not read", self.unread.iter().map(|one| one.item(marked)).collect());
        report
    }

    fn head(&self, buffers: &[(i64, Item)]) -> Vec<String> {
        let module = if self.module.is_empty() { "a module without a name" } else { self.module.as_str() };
        let first = format!(
            "{module}, {}, {}, {}, {}",
            counted(self.lines, "line", "lines"),
            counted(self.computations, "computation", "computations"),
            counted(self.instructions, "instruction", "instructions"),
            counted(i128::try_from(self.shapes.len()).unwrap_or(i128::MAX), "shape", "shapes")
        );
        let mut parts = Vec::new();
        let copies = self.moves.iter().filter(|moves| moves.kind == Kind::Copy);
        let (mut all, mut between, mut same, mut bytes) = (0_u64, 0_u64, 0_u64, 0_i128);
        for moves in copies {
            all += moves.count;
            bytes += total(moves);
            between += if moves.effect.memory_move { moves.count } else { 0 };
            same += if is_same_layout(moves) && !moves.effect.memory_move { moves.count } else { 0 };
        }
        let mut copies = counted(all, "copy", "copies");
        if all > 0 {
            let moved = i64::try_from(bytes).unwrap_or(i64::MAX);
            let parts = [
                counted_unless_none(all - between - same, "relayout", "relayouts"),
                counted_unless_none(between, "move between memories", "moves between memories"),
                counted_unless_none(same, "of the same layout", "of the same layout"),
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            copies += &format!(" of {} ({bytes} bytes): {}", Bytes(moved), parts.join(", "));
        }
        parts.push(copies);
        for (kind, one, many) in [
            ("bitcast", "bitcast", "bitcasts"),
            ("reshape", "reshape", "reshapes"),
            ("transpose", "transpose", "transposes"),
        ] {
            let (mut all, mut free) = (0, 0);
            for moves in self.moves.iter().filter(|moves| section(&moves.kind) == kind) {
                all += moves.count;
                free += if moves.effect.free { moves.count } else { 0 };
            }
            let of_them = match (all, all - free) {
                (0, _) => String::new(),
                (_, 0) if all == 1 => ", free".to_owned(),
                (_, 0) => ", all free".to_owned(),
                (_, moving) => format!(", {moving} not free"),
            };
            parts.push(format!("{}{of_them}", counted(all, one, many)));
        }
        parts.push(match buffers.len() {
            0 => "no padding".to_owned(),
            shapes => counted(i128::try_from(shapes).unwrap_or(i128::MAX), "shape with padding", "shapes with padding"),
        });
        if self.unread_count > 0 {
            parts.push(format!("{} not read", self.unread_count));
        }
        vec![first, parts.join("; ")]
    }

    fn moved(&self, moves: &Moves) -> Item {
        let effect = &moves.effect;
        let first = moves.places.first();
        let from = self.shapes.get(moves.from).map_or(String::new(), |known| known.shape.to_string());
        let (name, computation) = first.map_or(("", ""), |place| (place.name.as_str(), &place.computation));
        let identity = format!("{} {:?} {from} -> {}", moves.opcode, moves.kind, moves.to);
        let mut item = Item { is_marked: moves.is_marked, ..Item::on(first.map_or(0, |place| place.line), None) }
            .known_as(identity, moves.count)
            .with("name", name)
            .with("computation", computation)
            .with("operation", moves.opcode.as_str())
            .with("from", from.as_str())
            .with("to", moves.to.to_string())
            .with("is", effect.is.as_str())
            .with("free", effect.free)
            .with("bytes", effect.bytes)
            .with("count", moves.count)
            .with(
                "lines",
                moves.places.iter().map(|place| i64::try_from(place.line).unwrap_or(i64::MAX)).collect::<Vec<_>>(),
            );
        if let Kind::Transpose(dims) = &moves.kind {
            item = item.with("dims", dims.clone());
        }
        if moves.kind == Kind::Copy {
            item = item
                .with("memory_move", effect.memory_move)
                .with("whole_tiles", effect.whole_tiles)
                .with("same_layout", is_same_layout(moves));
            if let Some(run) = effect.run {
                item = item.with("run", run);
            }
        }
        item = item.say(names(moves)).say(format!("{from} -> {}", moves.to));
        item = item.say(self.effect(moves));
        if let Some((element, [before, after])) = &effect.first {
            item = item.with("first", element.clone()).with("first_from", *before).with("first_to", *after).say(
                format!("the first element that moves is {}: from place {before} to {after}", coordinate(element)),
            );
        }
        match &effect.reason {
            Some(reason) => item.with("reason", reason.as_str()).say(reason.as_str()),
            None => item,
        }
    }

    fn effect(&self, moves: &Moves) -> String {
        let effect = &moves.effect;
        let each = format!("{} ({} bytes)", Bytes(effect.bytes), effect.bytes);
        let all = if moves.count > 1 { format!("{each} each, {} bytes in all", total(moves)) } else { each };
        if moves.kind != Kind::Copy {
            let is = &effect.is;
            return if effect.free { format!("free: {is}") } else { format!("not free: {is}; {all}") };
        }
        let together = match (effect.whole_tiles, effect.run) {
            (true, _) => "; whole tiles stay together".to_owned(),
            (false, Some(run)) if run > 1 => {
                let bits = i128::from(run) * i128::from(moves.to.element_bits());
                format!("; runs of {run} elements ({} bytes) stay together", bits / 8)
            }
            (false, Some(_)) => "; no two elements stay together".to_owned(),
            (false, None) => String::new(),
        };
        format!("{}: {all}{together}", effect.is)
    }

    fn parameter(&self, parameter: &Parameter, marked: Option<u64>) -> Item {
        let shape = self.shapes.get(parameter.shape).map_or(String::new(), |known| known.shape.to_string());
        let number = parameter.number.unwrap_or(-1);
        Item::on(parameter.line, marked)
            .known_as(format!("{number} {shape} {}", parameter.to), 1)
            .with("name", parameter.name.as_str())
            .with("number", number)
            .with("shape", shape.as_str())
            .with("copied_to", parameter.to.to_string())
            .with("bytes", parameter.bytes)
            .say(format!("{}  parameter {number}, {shape}", parameter.name))
            .say(format!(
                "is copied to {}: {} that a caller with this layout would save",
                parameter.to,
                Bytes(parameter.bytes)
            ))
    }

    /// The arrays with padding, with the bytes that they waste, most first.
    fn buffers(&self) -> Vec<(i64, Item)> {
        let mut buffers: Vec<(i64, Item)> = self.shapes.iter().filter_map(buffer).collect();
        buffers.sort_by_key(|(wasted, _)| std::cmp::Reverse(*wasted));
        buffers
    }

    /// The distinct tuples with their sums.
    fn tuples(&self) -> Vec<Item> {
        self.shapes.iter().filter_map(tuple).collect()
    }
}

fn buffer(known: &ShapeUse) -> Option<(i64, Item)> {
    let array = known.array().filter(|_| known.uses > 0)?;
    let (bytes, unpadded) = sizes(&known.shape)?;
    if bytes <= unpadded {
        return None;
    }
    let padding = array.padding().ok()?;
    let hundredths = hundredths(bytes, unpadded);
    let uses = counted(known.uses, "instruction", "instructions");
    let mut item = Item { is_marked: known.is_marked, ..Item::on(known.line, None) }
        .known_as(array.to_string(), known.uses)
        .with("shape", array.to_string())
        .with("name", known.name.as_str())
        .with("uses", known.uses)
        .with("bytes", bytes)
        .with("unpadded", unpadded)
        .with("times", Field::Hundredths(hundredths))
        .say(format!("{}  {array}, {uses}", known.name))
        .say(format!("{} times padded: {} for {}", ratio(hundredths), Bytes(bytes), Bytes(unpadded)));
    if let Some((better, taken)) = &padding.better {
        item = item
            .with("better", better.to_string())
            .with("better_bytes", *taken)
            .say(format!("{better} would take {}", Bytes(*taken)));
    }
    Some((bytes - unpadded, item))
}

fn tuple(known: &ShapeUse) -> Option<Item> {
    let Shape::Tuple(parts) = &known.shape else { return None };
    let (bytes, unpadded) = sizes(&known.shape)?;
    let parts = i64::try_from(parts.len()).unwrap_or(i64::MAX);
    let item = Item { is_marked: known.is_marked, ..Item::on(known.line, None) }
        .known_as(known.shape.to_string(), known.uses)
        .with("name", known.name.as_str())
        .with("parts", parts)
        .with("bytes", bytes)
        .with("unpadded", unpadded)
        .with("uses", known.uses)
        .with("times", Field::Hundredths(hundredths(bytes, unpadded)));
    let padded =
        if bytes == unpadded { "no padding".to_owned() } else { format!("{} without padding", Bytes(unpadded)) };
    let sum = format!("{} ({bytes} bytes), {padded}", Bytes(bytes));
    Some(item.say(format!("{}  {}: {sum}", known.name, counted(parts, "part", "parts"))))
}

/// The bytes of a shape, with padding and without: those of all parts of a tuple.
fn sizes(shape: &Shape) -> Option<(i64, i64)> {
    match shape {
        Shape::Array(array) | Shape::Buffer(array) => {
            let image = Image::of(array).ok()?;
            let bits = image.elements().checked_mul(image.element_bits())?;
            Some((image.bytes().ok()?, bits / 8 + i64::from(bits % 8 != 0)))
        }
        Shape::Tuple(parts) => parts.iter().try_fold((0_i64, 0_i64), |(bytes, unpadded), part| {
            let (more, elements) = sizes(part)?;
            Some((bytes.checked_add(more)?, unpadded.checked_add(elements)?))
        }),
        Shape::Token | Shape::Opaque => Some((0, 0)),
    }
}

fn section(kind: &Kind) -> &'static str {
    match kind {
        Kind::Copy => "copy",
        Kind::Bitcast => "bitcast",
        Kind::Reshape => "reshape",
        Kind::Transpose(_) => "transpose",
    }
}

/// Whether a copy keeps the layout.
fn is_same_layout(moves: &Moves) -> bool {
    moves.effect.first.is_none() && moves.effect.reason.is_none()
}

/// The bytes of all instructions of a group.
fn total(moves: &Moves) -> i128 {
    i128::from(moves.effect.bytes) * i128::from(moves.count)
}

/// `%copy.1 in %main, %copy.2 in %f, and 3 more`
fn names(moves: &Moves) -> String {
    let listed = moves.places.iter().take(MAX_NAMES).map(|place| format!("{} in {}", place.name, place.computation));
    let listed: Vec<String> = listed.collect();
    let text = listed.join(", ");
    match moves.count.saturating_sub(u64::try_from(listed.len()).unwrap_or(u64::MAX)) {
        0 => text,
        more => format!("{text}, and {more} more"),
    }
}

fn counted_unless_none(count: u64, one: &str, many: &str) -> Option<String> {
    (count > 0).then(|| counted(count, one, many))
}

fn hundredths(bytes: i64, unpadded: i64) -> i64 {
    i64::try_from(i128::from(bytes) * 100 / i128::from(unpadded.max(1))).unwrap_or(i64::MAX)
}

/// `16` or `1.33`
fn ratio(hundredths: i64) -> String {
    match hundredths % 100 {
        0 => (hundredths / 100).to_string(),
        part => format!("{}.{part:02}", hundredths / 100),
    }
}
