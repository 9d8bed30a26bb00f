//! C: loops over the axes of each box, tile by tile where both sides are far apart, and a test.

use bitstride::Error;
use bitstride_relayout::{Address, Problem};

use super::Relayout;
use super::check::indented;
use crate::code::{Code, Width};
use crate::expr::{Masked, Pool};
use crate::lang::{Language, integer, literal};
use crate::print::{Body, Infix, Line};

/// Two loops that are far apart on one side each are cut at a given number of steps.
const TILE_STEPS: i64 = 32;

impl Relayout {
    pub(super) fn host(&self) -> Result<String, Error> {
        let [from, to] = self.bytes;
        let mut text = self
            .head(self.problems.as_ref().err().map(|why| format!("element by element: {}", why.message())).as_slice());
        text.push_str("\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n");
        let (mut moves, mut calls) = (String::new(), String::new());
        let boxes = match &self.problems {
            Ok(problems) => problems.iter().enumerate().map(|(at, problem)| boxed(problem, at)).collect(),
            Err(_) => Ok(vec![self.host_by_points()]),
        }?;
        for (at, text) in boxes.iter().enumerate() {
            moves.push_str(text);
            moves.push('\n');
            calls.push_str(&format!("    relayout{at}((const uint8_t *)from, (uint8_t *)to);\n"));
        }
        let [functions, body] = self.compared(Language::C);
        text.push_str(&format!(
            "{functions}
{moves}// Moves {from} bytes to {to}; the places of no element stay as they are.
static void relayout(const void *from, void *to) {{
{calls}}}

#ifndef RELAYOUT_WITHOUT_MAIN
int main(void) {{
    uint8_t *from = (uint8_t *)malloc({from_room}), *to = (uint8_t *)malloc({to_room});
    uint64_t wrong = 0;
    if (!from || !to) return 2;
    for (uint64_t at = 0; at < {from}; at++) from[at] = (uint8_t)((at * 2654435761u) >> 13);
    memset(to, 0, {to});
    relayout(from, to);
    for (uint64_t n = 0; n < {points}; n++) {{
{body}    }}
    printf(\"%llu bytes differ\\n\", (unsigned long long)wrong);
    return wrong != 0;
}}
#endif
",
            points = self.points(),
            body = indented(&body, 8),
            from_room = from.max(1),
            to_room = to.max(1),
        ));
        Ok(text)
    }
}

/// The loops of a box, the slowest first: those that are far apart in the destination.
fn boxed(problem: &Problem, number: usize) -> Result<String, Error> {
    let reach = |at: usize, side: usize| match &problem.axes[at].address[side] {
        Address::Step { stride: 0, xor } => xor.unsigned_abs(),
        Address::Step { stride, .. } => stride.unsigned_abs(),
        Address::Table(_) => u64::MAX,
    };
    let mut order: Vec<usize> = (0..problem.axes.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(reach(*at, 1)));
    let near = |side: usize| order.iter().copied().min_by_key(|at| reach(*at, side));
    let tiled: Vec<usize> = match (near(0), near(1)) {
        (Some(from), Some(to)) if from != to => vec![from, to],
        _ => Vec::new(),
    };
    let extents: Vec<i64> = problem.axes.iter().map(|axis| axis.count).collect();
    let names: Vec<String> = (0..extents.len()).map(|at| format!("x{at}")).collect();
    let mut pool = Pool::new(&extents, true);
    let mut results = Vec::new();
    for side in 0..2 {
        let (mut terms, mut masks) = (Vec::new(), Vec::new());
        for (at, axis) in problem.axes.iter().enumerate() {
            let x = pool.variable(at)?;
            match &axis.address[side] {
                Address::Step { stride, xor } => {
                    terms.push((x, *stride));
                    let bits = (0..63).filter(|bit| xor >> bit & 1 == 1);
                    masks.extend(bits.map(|distance| Masked { of: x, distance, mask: 1 }));
                }
                Address::Table(table) => terms.push((pool.entry(table, x)?, 1)),
            }
        }
        terms.push((pool.xor(problem.flip[side].cast_unsigned(), &masks)?, 1));
        let bits = pool.sum(problem.offset[side], &terms)?;
        results.push(if problem.unit_bits >= 8 { pool.div(bits, 8)? } else { bits });
    }
    let code = Code::of(&pool, &[], &results)?;
    let kind = integer(Width { wide: true, ..code.width(false) }, false);
    let table = |at: usize, index: &str| format!("table{number}_{at}[{index}]");
    let infix = Infix { number: &literal, divide: "/", entry: &table };
    let body = Body::of(&code, &names, "t", &infix);
    let mut text = String::new();
    for (at, table) in code.tables.iter().enumerate() {
        let list: Vec<String> = table.iter().map(|n| literal(*n)).collect();
        text.push_str(&format!("static const {kind} table{number}_{at}[] = {{{}}};\n", list.join(", ")));
    }
    text.push_str(&format!("static void relayout{number}(const uint8_t *from, uint8_t *to) {{\n"));
    let mut depth = 1;
    let mut open = |line: String| {
        let line = format!("{:1$}{line}\n", "", depth * 4);
        depth += 1;
        line
    };
    let is_cut = |at: usize| tiled.contains(&at) && extents[at] > TILE_STEPS;
    for at in order.iter().copied().filter(|at| !is_cut(*at)) {
        text.push_str(&open(format!("for ({kind} x{at} = 0; x{at} < {}; x{at}++) {{", extents[at])));
    }
    for at in order.iter().copied().filter(|at| is_cut(*at)) {
        text.push_str(&open(format!("for ({kind} c{at} = 0; c{at} < {}; c{at} += {TILE_STEPS}) {{", extents[at])));
    }
    for at in order.iter().copied().filter(|at| is_cut(*at)) {
        text.push_str(&open(format!(
            "for ({kind} x{at} = c{at}; x{at} < c{at} + {TILE_STEPS} && x{at} < {}; x{at}++) {{",
            extents[at]
        )));
    }
    for line in &body.lines {
        if let Line::Let(name, value) = line {
            text.push_str(&format!("{:1$}const {kind} {name} = {value};\n", "", depth * 4));
        }
    }
    let [source, target] = [0, 1].map(|side| body.results.get(side).cloned().unwrap_or_default());
    let bits = problem.unit_bits;
    let moved = if bits >= 8 {
        format!("memcpy(to + ({target}), from + ({source}), {});", bits / 8)
    } else {
        let mask = (1 << bits) - 1;
        format!(
            "const {kind} s = {source}, d = {target};\nto[d / 8] = (uint8_t)((to[d / 8] & ~({mask} << d % 8)) | (from[s / 8] >> s % 8 & {mask}) << d % 8);"
        )
    };
    text.push_str(&indented(&moved, depth * 4));
    for depth in (0..depth).rev() {
        text.push_str(&format!("{:1$}}}\n", "", depth * 4));
    }
    Ok(text)
}
