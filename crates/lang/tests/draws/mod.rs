//! Calls of operations with other operands than those of their examples: of the same kinds, from all examples and at random.

#![allow(clippy::panic, reason = "that is how a test fails")]

use std::collections::BTreeMap;

use bitstride::notation::{ExprKind, Ints, parse};
use bitstride_lang::{Operation, evaluate, operations};

/// Each of these operations with other operands, so often; one text a call. The same in every run.
pub(crate) fn calls(of: impl Iterator<Item = &'static Operation>, often: usize) -> Vec<(&'static Operation, String)> {
    let mut pool: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for operand in operations().flat_map(|operation| operands(operation.example)) {
        let known = pool.entry(kind(&operand)).or_default();
        if !known.contains(&operand) {
            known.push(operand);
        }
    }
    let mut draw = Draw(20);
    let mut calls = Vec::new();
    for operation in of {
        let own = operands(operation.example);
        for _ in 0..often {
            // Often one operand is the example's own, so that many calls have answers.
            let stays = draw.below(own.len() + 1);
            let mut drawn = own.clone();
            for (_, operand) in drawn.iter_mut().enumerate().filter(|(at, _)| *at != stays) {
                let kind = kind(operand);
                let others = pool.get(kind).map_or(&[][..], Vec::as_slice);
                let random = if draw.below(2) == 0 { draw.operand(kind) } else { None };
                *operand = random.or_else(|| others.get(draw.below(others.len())).cloned()).unwrap_or_default();
            }
            calls.push((operation, format!("{}({})", operation.name, drawn.join(", "))));
        }
    }
    calls
}

/// The operands of a call, as texts.
fn operands(text: &str) -> Vec<String> {
    let tree = parse(text, Ints::Plain).unwrap_or_else(|error| panic!("{text}: {error}"));
    let ExprKind::Call { arguments, .. } = tree.kind else { panic!("{text} is no call") };
    arguments.iter().map(ToString::to_string).collect()
}

/// The kind of an operand; a name alone is no expression.
fn kind(text: &str) -> &'static str {
    evaluate(text).map_or("name", |answer| answer.value.kind())
}

/// Numbers in a fixed order, so that a failure comes again.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % count.max(1)
    }

    fn numbers(&mut self, count: usize, below: usize) -> Vec<usize> {
        (0..count).map(|_| self.below(below)).collect()
    }

    /// An operand of a kind, where one is made at random.
    fn operand(&mut self, kind: &str) -> Option<String> {
        let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let count = self.below(3) + 1;
        Some(match kind {
            "linear" => {
                let outs = self.below(2) + 1;
                let bits = self.numbers(outs, 3);
                let mut ins = Vec::new();
                for name in ["register", "lane", "warp"].iter().take(count) {
                    let bases = self.below(4);
                    let bases: Vec<String> = (0..bases)
                        .map(|_| {
                            format!("[{}]", list(&bits.iter().map(|bits| self.below(1 << bits)).collect::<Vec<_>>()))
                        })
                        .collect();
                    ins.push(format!("{name}=[{}]", bases.join(",")));
                }
                let first = if self.below(3) == 0 { "offset" } else { "dim0" };
                let outs: Vec<String> =
                    [first, "dim1"].iter().zip(&bits).map(|(name, bits)| format!("{name}:{}", 1 << bits)).collect();
                format!("linear<{{{}}}, out=[{}]>", ins.join(", "), outs.join(", "))
            }
            "layout" => {
                let (shape, stride) = (self.numbers(count, 6), self.numbers(count, 12));
                format!("({}):({})", list(&shape), list(&stride))
            }
            "tuple" => format!("({})", list(&self.numbers(count, 8))),
            "int" => self.below(9).to_string(),
            "xla" => {
                let mut order: Vec<usize> = (0..count).collect();
                order.rotate_left(self.below(count));
                let tiles = ["", ":T(2,2)", ":T(4)", ":T(2,4)(2,1)", ":T(*,2)"][self.below(5)];
                format!("f32[{}]{{{}{tiles}}}", list(&self.numbers(count, 9)), list(&order))
            }
            _ => return None,
        })
    }
}
