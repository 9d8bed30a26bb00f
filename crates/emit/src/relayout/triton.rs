//! Triton: a kernel for each box over blocks of two axes, one of the levels near in the source and one of those near in the destination. Triton
//! coalesces both sides and moves the block between their layouts. What has no such boxes goes element by element, by the index functions of
//! both layouts; below a byte, by bytes of the destination.

use bitstride::{Code as ErrorCode, Error, error};
use bitstride_relayout::Problem;

use super::Relayout;
use super::schedule::{Level, Units, units};
use crate::code::Code;
use crate::expr::{Masked, Pool};
use crate::function::Function;
use crate::lang::of_tensors;
use crate::print::{Body, Infix, Line};

/// The widest integers of Triton in bytes.
const MAX_UNIT_BYTES: i64 = 8;

/// The points of a block along each of its axes, and along its one axis where both are the same.
const BLOCK: i64 = 64;
const LONG_BLOCK: i64 = 2048;

/// The elements of a block that moves element by element, or its bytes of the destination.
const POINTS_BLOCK: i64 = 1024;

/// The most programs of a launch.
const MAX_PROGRAMS: i64 = (1 << 31) - 1;

impl Relayout {
    pub(super) fn triton(&self) -> Result<String, Error> {
        let boxes = self.problems.as_ref().map_err(Clone::clone);
        let kernels: Result<Vec<_>, Error> =
            boxes.and_then(|boxes| boxes.iter().enumerate().map(|(at, problem)| kernel(problem, at)).collect());
        let (kernels, plan) = match kernels {
            Ok(kernels) => (kernels, Vec::new()),
            Err(why) => (vec![self.triton_by_points()?], vec![format!("element by element: {}", why.message())]),
        };
        let mut text = self.head(&plan).replace("// ", "# ");
        text.push_str("import triton\nimport triton.language as tl\n\n\n");
        let mut launches = String::new();
        for (kernel, launch) in kernels {
            text.push_str(&kernel);
            text.push_str("\n\n");
            launches.push_str(&launch);
        }
        let [from, to] = &self.places;
        let functions = [from, to].map(|place| of_tensors(place, false)).join("\n\n");
        let extents: Vec<String> = from.arguments.iter().map(|axis| axis.extent.to_string()).collect();
        let unraveled: String = (0..extents.len())
            .map(|at| {
                format!("    x{at}, rest = rest % {0}, rest // {0}\n", extents.get(at).map_or("1", String::as_str))
            })
            .collect();
        let names: Vec<String> = (0..extents.len()).map(|at| format!("x{at}")).collect();
        let names = names.join(", ");
        let place = |side: &str, pads: bool| match pads {
            true => format!("    {side}_at, {side}_is = {side}_place({names})\n"),
            false => format!("    {side}_at, {side}_is = {side}_place({names}), True\n"),
        };
        let bits = self.element.bits();
        let compared = match bits {
            8.. => format!(
                "    for byte in range({0}):\n        wrong += ((source[from_at * {0} + byte] != target[to_at * {0} + byte]) & from_is & to_is).sum()\n",
                bits / 8
            ),
            _ => format!(
                "    of = lambda x, at: x[at * {bits} // 8] >> (at * {bits} % 8) & {}  # noqa: E731\n    wrong += ((of(source, from_at) != of(target, to_at)) & from_is & to_is).sum()\n",
                (1 << bits) - 1
            ),
        };
        text.push_str(&format!(
            "def relayout(source, target):
    \"\"\"Moves {from_bytes} bytes to {to_bytes}; both are contiguous tensors of bytes on the device.\"\"\"
    import torch

    word = {{1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}}
    as_words = lambda x, size: x[: x.numel() // size * size].view(word[size])  # noqa: E731
{launches}

{functions}

def test():
    import torch

    source = torch.randint(0, 256, ({from_bytes},), dtype=torch.uint8, device=\"cuda\")
    target = torch.zeros({to_bytes}, dtype=torch.uint8, device=\"cuda\")
    relayout(source, target)
    rest = torch.arange({points}, dtype=torch.int64, device=\"cuda\")
{unraveled}{from_place}{to_place}    wrong = torch.zeros((), dtype=torch.int64, device=\"cuda\")
{compared}    print(int(wrong), \"bytes differ\")


if __name__ == \"__main__\":
    test()
",
            from_bytes = self.bytes[0],
            to_bytes = self.bytes[1],
            points = self.points(),
            from_place = place("from", from.pads()),
            to_place = place("to", to.pads()),
        ));
        Ok(text)
    }

    /// The kernel that moves element by element, behind the functions that it calls, and the line that launches it.
    ///
    /// # Errors
    /// Below a byte, why the destination has no inverse; [`ErrorCode::TooLarge`] for more blocks than a launch has.
    fn triton_by_points(&self) -> Result<(String, String), Error> {
        let (functions, body, unit, count) = match &self.back {
            Some(back) => self.collected_blocks(back.as_ref().map_err(Clone::clone)?),
            None => self.scattered_blocks(),
        };
        let programs = count / POINTS_BLOCK + i64::from(count % POINTS_BLOCK != 0);
        if programs > MAX_PROGRAMS {
            return Err(error!(ErrorCode::TooLarge, "{programs} programs are more than a launch has", [programs]));
        }
        let text = format!(
            "{functions}@triton.jit\ndef relayout0(source, target):\n    n = tl.cast(tl.program_id(0), tl.int64) * {POINTS_BLOCK} + tl.arange(0, {POINTS_BLOCK})\n    is_held = n < {count}\n{body}"
        );
        let launch = format!("    relayout0[({programs},)](as_words(source, {unit}), as_words(target, {unit}))\n");
        Ok((text, launch))
    }

    /// The functions that are called, what a block does of the words `n` of all elements, the bytes of a word, and how many words
    /// there are.
    fn scattered_blocks(&self) -> (String, String, i64, i64) {
        let bytes = self.element.bits() / 8;
        let unit = (1 << bytes.trailing_zeros()).min(MAX_UNIT_BYTES);
        let words = bytes / unit;
        let mut body = format!("    word, rest = n % {words}, n // {words}\n");
        let arguments = &self.places[0].arguments;
        for at in self.by_step() {
            let extent = arguments[at].extent.max(1);
            body.push_str(&format!("    x{at}, rest = rest % {extent}, rest // {extent}\n"));
        }
        let names: Vec<String> = (0..arguments.len()).map(|at| format!("x{at}")).collect();
        for place in &self.places {
            body.push_str(&called(place, &format!("{}_at", place.name), &names.join(", ")));
        }
        let [from, to] = [0, 1].map(|side| format!("{}_at * {words} + word", self.places[side].name));
        body.push_str(&format!(
            "    held = tl.load(source + ({from}), mask=is_held)\n    tl.store(target + ({to}), held, mask=is_held)\n"
        ));
        let functions = self.places.iter().map(in_kernel).collect();
        (functions, body, unit, self.points().saturating_mul(words))
    }

    /// The same of the bytes `n` of the destination, whose elements are collected.
    fn collected_blocks(&self, back: &Function) -> (String, String, i64, i64) {
        let bits = self.element.bits();
        let (per, mask) = (8 / bits, (1 << bits) - 1);
        let places = back.arguments.iter().map(|axis| axis.extent).fold(1, i64::saturating_mul);
        let names: Vec<String> = (0..back.results.len()).map(|at| format!("x{at}")).collect();
        let names = names.join(", ");
        let from = &self.places[0];
        let mut body = "    inside, is_written = is_held, n < 0\n    value = tl.cast(tl.load(target + n, mask=inside), tl.int32)\n".to_owned();
        for part in 0..per {
            let shift = part * bits;
            body.push_str(&format!("    place = n * {per} + {part}\n    is_held = inside & (place < {places})\n"));
            if !names.is_empty() || back.pads() {
                body.push_str(&called(back, &names, "place"));
            }
            body.push_str(&called(from, "from_at", &names));
            body.push_str(&format!(
                "    bit = from_at * {bits}
    taken = tl.cast(tl.load(source + (bit >> 3), mask=is_held), tl.int32) >> tl.cast(bit & 7, tl.int32) & {mask}
    value = tl.where(is_held, (value & {}) | (taken << {shift}), value)
    is_written = is_written | is_held
",
                255 ^ (mask << shift)
            ));
        }
        body.push_str("    tl.store(target + n, tl.cast(value, tl.int8), mask=is_written)\n");
        (in_kernel(back) + &in_kernel(from), body, 1, self.bytes_of(1))
    }
}

/// A function as kernels call it, beside the one of tensors.
fn in_kernel(function: &Function) -> String {
    let name = format!("{}_of", function.name);
    of_tensors(&Function { name, ..function.clone() }, true) + "\n\n"
}

/// The line that calls it; where it has a mask, `is_held` holds where that does too.
fn called(function: &Function, results: &str, arguments: &str) -> String {
    let call = format!("{}_of({arguments})", function.name);
    if !function.pads() {
        return format!("    {results} = {call}\n");
    }
    let before = if results.is_empty() { String::new() } else { format!("{results}, ") };
    format!("    {before}is_element = {call}\n    is_held = is_held & is_element\n")
}

/// Levels that one axis of a block runs through, the fastest first, and how many steps of each: all but of the last.
struct Block(Vec<(usize, i64)>);

impl Block {
    /// The first levels of an order, up to a number of points; of the last one a part.
    fn of(levels: &[Level], order: impl Iterator<Item = usize>, points: i64) -> Self {
        let mut block = Block(Vec::new());
        for at in order {
            let room = points / block.held();
            if room < 2 {
                break;
            }
            let count = levels[at].count;
            // Tiles of a power of two begin where words are aligned.
            let steps = if count <= room { count } else { 1 << room.ilog2() };
            block.0.push((at, steps));
            if steps < count {
                break;
            }
        }
        block
    }

    fn held(&self) -> i64 {
        self.0.iter().fold(1, |product, (_, steps)| product.saturating_mul(*steps))
    }

    /// Triton's blocks have a power of two of points.
    fn points(&self) -> i64 {
        (0..63).map(|bit| 1i64 << bit).find(|power| *power >= self.held()).unwrap_or(i64::MAX)
    }
}

/// The axes of a block: what is near in the source, then what is near in the destination; one where that is the same.
fn blocks(levels: &[Level]) -> Vec<Block> {
    let near = |side: usize| {
        let mut order: Vec<usize> = (0..levels.len()).collect();
        order.sort_by_key(|at| levels[*at].reach(side));
        order
    };
    let [from, to] = [near(0), near(1)].map(|order| Block::of(levels, order.into_iter(), BLOCK));
    let is_taken = |at: &usize| to.0.iter().any(|(other, _)| other == at);
    let others: Vec<(usize, i64)> = from.0.into_iter().filter(|(at, _)| !is_taken(at)).collect();
    if others.is_empty() {
        let long = Block::of(levels, near(1).into_iter(), LONG_BLOCK);
        return if long.0.is_empty() { Vec::new() } else { vec![long] };
    }
    vec![Block(others), to]
}

/// The kernel of a box, and the line that launches it.
fn kernel(problem: &Problem, number: usize) -> Result<(String, String), Error> {
    let (unit, levels, offset, flip): Units = units(problem, MAX_UNIT_BYTES)?;
    let blocks = blocks(&levels);
    let extents: Vec<i64> = levels.iter().map(|level| level.count).collect();
    let names: Vec<String> = (0..levels.len()).map(|at| format!("x{at}")).collect();
    let mut pool = Pool::new(&extents, true);
    let mut results = Vec::new();
    for side in 0..2 {
        let (mut terms, mut flips) = (Vec::new(), Vec::new());
        for (at, Level { stride, xor, .. }) in levels.iter().enumerate() {
            let x = pool.variable(at)?;
            terms.push((x, stride[side]));
            let bits = (0..63).filter(|bit| xor[side] >> bit & 1 == 1);
            flips.extend(bits.map(|distance| Masked { of: x, distance, mask: 1 }));
        }
        terms.push((pool.xor(flip[side].cast_unsigned(), &flips)?, 1));
        let bytes = pool.sum(offset[side], &terms)?;
        results.push(pool.div(bytes, unit)?);
    }
    let code = Code::of(&pool, &[], &results)?;
    let number_text = |n: i64| if n < 0 { format!("({n})") } else { n.to_string() };
    let infix = Infix { number: &number_text, divide: "//", entry: &|at, index| format!("table{at}[{index}]") };
    let body = Body::of(&code, &names, "t", &infix);
    let mut text = format!("@triton.jit\ndef relayout{number}(source, target):\n    rest = tl.program_id(0)\n");
    let mut programs = 1i64;
    let mut tiles = |at: usize, steps: i64| {
        let tiles = levels[at].count / steps + i64::from(levels[at].count % steps != 0);
        programs = programs.saturating_mul(tiles);
        tiles
    };
    let mut masks = Vec::new();
    for (place, block) in blocks.iter().enumerate() {
        let side = match (blocks.len(), place) {
            (1, _) => "",
            (_, 0) => "[None, :]",
            _ => "[:, None]",
        };
        let points = format!("tl.arange(0, {}){side}", block.points());
        let [inner @ .., (last, steps)] = block.0.as_slice() else { continue };
        let mut rest = points.as_str();
        let name = format!("b{place}");
        if !inner.is_empty() {
            text.push_str(&format!("    {name} = {points}\n"));
            rest = &name;
        }
        for (at, count) in inner {
            text.push_str(&format!("    x{at} = {name} % {count}\n    {name} = {name} // {count}\n"));
        }
        let tiles = tiles(*last, *steps);
        text.push_str(&format!("    x{last} = rest % {tiles} * {steps} + {rest}\n    rest = rest // {tiles}\n"));
        if !inner.is_empty() && block.held() < block.points() {
            masks.push(format!("({name} < {steps})"));
        }
        let count = levels[*last].count;
        if count % steps != 0 || inner.is_empty() && count < block.points() {
            masks.push(format!("(x{last} < {count})"));
        }
    }
    let is_inside = |at: usize| blocks.iter().flat_map(|block| &block.0).any(|(other, _)| *other == at);
    for at in (0..levels.len()).filter(|at| !is_inside(*at)) {
        let tiles = tiles(at, 1);
        text.push_str(&format!("    x{at} = rest % {tiles}\n    rest = rest // {tiles}\n"));
    }
    if code.width(true).wide {
        for name in &names {
            text.push_str(&format!("    {name} = tl.cast({name}, tl.int64)\n"));
        }
    }
    for line in &body.lines {
        if let Line::Let(name, value) = line {
            text.push_str(&format!("    {name} = {value}\n"));
        }
    }
    let [from, to] = [0, 1].map(|side| body.results.get(side).cloned().unwrap_or_default());
    let mask = if masks.is_empty() { String::new() } else { format!(", mask={}", masks.join(" & ")) };
    text.push_str(&format!("    held = tl.load(source + ({from}){mask})\n    tl.store(target + ({to}), held{mask})\n"));
    let launch = format!("    relayout{number}[({programs},)](as_words(source, {unit}), as_words(target, {unit}))\n");
    Ok((text, launch))
}
