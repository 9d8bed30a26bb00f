//! Triton: a kernel for each box over blocks of two axes, that near in the source and that near in the destination. Triton
//! coalesces both sides and moves the block between their layouts.

use bitstride::Error;
use bitstride_relayout::Problem;

use super::Relayout;
use super::schedule::{Level, Units, units};
use crate::code::Code;
use crate::expr::{Masked, Pool};
use crate::lang::of_tensors;
use crate::print::{Body, Infix, Line};

/// The widest integers of Triton in bytes.
const MAX_UNIT_BYTES: i64 = 8;

/// The steps of a block along each of its axes, and along its one axis where both are the same.
const BLOCK: i64 = 64;
const LONG_BLOCK: i64 = 2048;

impl Relayout {
    pub(super) fn triton(&self) -> Result<String, Error> {
        let mut text = self.head(&[]).replace("// ", "# ");
        text.push_str("import triton\nimport triton.language as tl\n\n\n");
        let mut launches = String::new();
        for (at, problem) in self.problems.as_ref().map_err(Clone::clone)?.iter().enumerate() {
            let (kernel, launch) = kernel(problem, at)?;
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
    for byte in range({bytes}):
        wrong += ((source[from_at * {bytes} + byte] != target[to_at * {bytes} + byte]) & from_is & to_is).sum()
    print(int(wrong), \"bytes differ\")


if __name__ == \"__main__\":
    test()
",
            from_bytes = self.bytes[0],
            to_bytes = self.bytes[1],
            points = self.points(),
            bytes = self.element.bits() / 8,
            from_place = place("from", from.pads()),
            to_place = place("to", to.pads()),
        ));
        Ok(text)
    }
}

/// The kernel of a box, and the line that launches it.
fn kernel(problem: &Problem, number: usize) -> Result<(String, String), Error> {
    let (unit, levels, offset, flip): Units = units(problem, MAX_UNIT_BYTES)?;
    let near = |side: usize| (0..levels.len()).min_by_key(|at| levels[*at].reach(side));
    let mut blocks: Vec<(usize, i64)> = match (near(0), near(1)) {
        (Some(from), Some(to)) if from == to => vec![(from, LONG_BLOCK)],
        (Some(from), Some(to)) => vec![(from, BLOCK), (to, BLOCK)],
        _ => Vec::new(),
    };
    // Triton's blocks are powers of two.
    for (at, steps) in &mut blocks {
        *steps = (*steps).min(
            levels[*at]
                .count
                .unsigned_abs()
                .checked_next_power_of_two()
                .map_or(*steps, |power| i64::try_from(power).unwrap_or(*steps)),
        );
    }
    let extents: Vec<i64> = levels.iter().map(|level| level.count).collect();
    let names: Vec<String> = (0..levels.len()).map(|at| format!("x{at}")).collect();
    let mut pool = Pool::new(&extents, true);
    let mut results = Vec::new();
    for side in 0..2 {
        let (mut terms, mut masks) = (Vec::new(), Vec::new());
        for (at, Level { stride, xor, .. }) in levels.iter().enumerate() {
            let x = pool.variable(at)?;
            terms.push((x, stride[side]));
            let bits = (0..63).filter(|bit| xor[side] >> bit & 1 == 1);
            masks.extend(bits.map(|distance| Masked { of: x, distance, mask: 1 }));
        }
        terms.push((pool.xor(flip[side].cast_unsigned(), &masks)?, 1));
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
    for (place, (at, steps)) in blocks.iter().enumerate() {
        let tiles = tiles(*at, *steps);
        let side = match (blocks.len(), place) {
            (1, _) => "",
            (_, 0) => "[None, :]",
            _ => "[:, None]",
        };
        text.push_str(&format!(
            "    x{at} = rest % {tiles} * {steps} + tl.arange(0, {steps}){side}\n    rest = rest // {tiles}\n"
        ));
    }
    for at in (0..levels.len()).filter(|at| blocks.iter().all(|(other, _)| other != at)) {
        let tiles = tiles(at, 1);
        text.push_str(&format!("    x{at} = rest % {tiles}\n    rest = rest // {tiles}\n"));
    }
    let ragged: Vec<String> = blocks
        .iter()
        .filter(|(at, steps)| levels[*at].count % steps != 0)
        .map(|(at, _)| format!("(x{at} < {})", levels[*at].count))
        .collect();
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
    let mask = if ragged.is_empty() { String::new() } else { format!(", mask={}", ragged.join(" & ")) };
    text.push_str(&format!("    held = tl.load(source + ({from}){mask})\n    tl.store(target + ({to}), held{mask})\n"));
    let launch = format!("    relayout{number}[({programs},)](as_words(source, {unit}), as_words(target, {unit}))\n");
    Ok((text, launch))
}
