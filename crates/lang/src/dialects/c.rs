//! C: a function that computes where an element lies, or which element a place holds. It compiles as C99 and as C++ behind
//! `#include <stdint.h>`.
//!
//! Law: the function is the map, point by point. Each stage of the map becomes a few lines: digits are quotients and remainders,
//! sums are sums, and an XOR moves bits by masks and shifts. A point that is padding gives -1.

use bitstride::map::{Axis, Direction, Map, Stage, Unit};
use bitstride::{Code, Error};

use super::super::forms::to_memory;

/// An integer of the row: its text, and how far it goes.
#[derive(Clone)]
struct Term {
    text: String,
    least: i128,
    greatest: i128,
}

/// Words of C and C++ that are no names there and may be names of dims.
const KEYWORDS: [&str; 41] = [
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "default",
    "delete", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "int", "long", "new", "not",
    "or", "register", "return", "short", "signed", "static", "struct", "switch", "this", "union", "unsigned", "void",
    "while", "xor",
];

/// The function of a map. Memory that leads from places to elements is turned round first.
pub(super) fn written(map: &Map, notes: &mut Vec<String>) -> Result<String, Error> {
    let is_memory = map.place_axes().iter().all(|axis| axis.unit != Unit::Part || axis.extent == 1);
    let map = if is_memory { to_memory(map, notes)? } else { map.clone() };
    let names: Vec<String> = map.domain().iter().map(identifier).collect();
    let mut prefix = "t".to_owned();
    while names.iter().any(|name| name.starts_with(&prefix)) {
        prefix.push('_');
    }
    let mut lines = Lines { prefix, lines: Vec::new(), count: 0 };
    let mut row: Vec<Term> = Vec::new();
    for (name, axis) in names.iter().zip(map.domain()) {
        row.push(Term { text: name.clone(), least: 0, greatest: i128::from(axis.extent.max(1)) - 1 });
    }
    for stage in map.stages() {
        row = lines.stage(stage, row)?;
    }
    let parameters: Vec<String> = names.iter().map(|name| format!("int64_t {name}")).collect();
    let (mut parameters, results) = (parameters.join(", "), row.len());
    let end = match row.as_slice() {
        [one] => format!("    return {};\n", one.text),
        several => {
            let to = several.iter().zip(map.codomain()).enumerate();
            let to: Vec<String> =
                to.map(|(at, (term, axis))| format!("    out[{at}] = {}; /* {} */\n", term.text, axis.name)).collect();
            if !parameters.is_empty() {
                parameters.push_str(", ");
            }
            parameters.push_str(&format!("int64_t out[{}]", results.max(1)));
            format!("{}    return 0;\n", to.concat())
        }
    };
    if parameters.is_empty() {
        parameters.push_str("void");
    }
    let (name, what) = match map.direction() {
        Direction::ToPlace => ("layout_offset", "where an element lies"),
        Direction::ToIndex => ("layout_element", "which element a place holds"),
    };
    let unit = match map.codomain() {
        [axis] if map.direction() == Direction::ToPlace => format!(", in units of one {}", axis.unit),
        _ => String::new(),
    };
    Ok(format!("/* {what}{unit} */\nstatic inline int64_t {name}({parameters}) {{\n{}{end}}}", lines.lines.concat()))
}

/// The name of an axis as one of C.
fn identifier(axis: &Axis) -> String {
    let name = axis.name.to_string();
    match () {
        () if name.starts_with(|c: char| c.is_ascii_digit()) => format!("_{name}"),
        () if KEYWORDS.contains(&name.as_str()) => format!("{name}_"),
        () => name,
    }
}

/// The lines of a function, and how many variables they declare.
struct Lines {
    prefix: String,
    lines: Vec<String>,
    count: usize,
}

impl Lines {
    /// A text as a variable of its own, where it is more than a name or a number.
    fn variable(&mut self, term: Term) -> Result<Term, Error> {
        if term.least < i128::from(i64::MIN) || term.greatest > i128::from(i64::MAX) {
            return Err(Error::overflow("an integer of the function"));
        }
        if term.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Ok(term);
        }
        let name = format!("{}{}", self.prefix, self.count);
        self.count += 1;
        self.lines.push(format!("    const int64_t {name} = {};\n", term.text));
        Ok(Term { text: name, ..term })
    }

    fn stage(&mut self, stage: &Stage, mut row: Vec<Term>) -> Result<Vec<Term>, Error> {
        let missing = || Error::new(Code::RankMismatch, "a stage speaks of integers that are not there");
        match stage {
            Stage::Delinearise { at, radices } => {
                let whole = row.get(*at).cloned().ok_or_else(missing)?;
                let digits = self.digits(whole, radices)?;
                row.splice(*at..=*at, digits);
            }
            Stage::Linearise { at, count, sums } => {
                let end = at.checked_add(*count).filter(|end| *end <= row.len()).ok_or_else(missing)?;
                let taken: Vec<Term> = row.get(*at..end).unwrap_or(&[]).to_vec();
                let sums: Result<Vec<Term>, Error> =
                    sums.iter().map(|(offset, strides)| self.sum(*offset, strides, &taken)).collect();
                row.splice(*at..end, sums?);
            }
            Stage::Xor { at, ins, outs, columns, flip } => {
                let end = at.checked_add(ins.len()).filter(|end| *end <= row.len()).ok_or_else(missing)?;
                let taken: Vec<Term> = row.get(*at..end).unwrap_or(&[]).to_vec();
                let mut results = Vec::new();
                let mut start = 0;
                for bits in outs {
                    let result = exclusive_or(&taken, ins, columns, *flip, start, *bits);
                    results.push(self.variable(result)?);
                    start += bits;
                }
                row.splice(*at..end, results);
            }
            Stage::Permute(order) => {
                row = order.iter().map(|from| row.get(*from).cloned().ok_or_else(missing)).collect::<Result<_, _>>()?;
            }
            Stage::Guard { at, extent } => {
                let guarded = row.get(*at).cloned().ok_or_else(missing)?;
                let guarded = self.variable(guarded)?;
                if guarded.greatest >= i128::from(*extent) {
                    self.lines.push(format!("    if ({} >= {}) return -1;\n", guarded.text, number(*extent)));
                }
                if let Some(own) = row.get_mut(*at) {
                    let greatest = guarded.greatest.min(i128::from(*extent) - 1).max(guarded.least);
                    *own = Term { greatest, ..guarded };
                }
            }
        }
        Ok(row)
    }

    /// Remainders and a last quotient. C rounds towards zero, so that an integer that may be negative takes another form.
    fn digits(&mut self, whole: Term, radices: &[i64]) -> Result<Vec<Term>, Error> {
        let mut rest = self.variable(whole)?;
        let mut digits = Vec::new();
        for radix in radices {
            let wide = i128::from(*radix);
            let (value, by) = (rest.text.clone(), number(*radix));
            if *radix == 1 {
                digits.push(Term { text: "0".to_owned(), least: 0, greatest: 0 });
                continue;
            }
            if rest.least >= 0 && rest.greatest < wide {
                digits.push(rest);
                rest = Term { text: "0".to_owned(), least: 0, greatest: 0 };
                continue;
            }
            let (least, greatest) = (rest.least.div_euclid(wide), rest.greatest.div_euclid(wide));
            let (digit, quotient) = if rest.least >= 0 {
                (format!("{value} % {by}"), format!("{value} / {by}"))
            } else {
                (
                    format!("({value} % {by} + {by}) % {by}"),
                    format!("({value} - ({value} % {by} + {by}) % {by}) / {by}"),
                )
            };
            digits.push(self.variable(Term { text: digit, least: 0, greatest: wide - 1 })?);
            rest = self.variable(Term { text: quotient, least, greatest })?;
        }
        digits.push(rest);
        Ok(digits)
    }

    /// An offset and strides times integers.
    fn sum(&mut self, offset: i64, strides: &[i64], terms: &[Term]) -> Result<Term, Error> {
        let (mut least, mut greatest, mut size) = (i128::from(offset), i128::from(offset), i128::from(offset).abs());
        let mut parts = Vec::new();
        let overflow = || Error::overflow("an integer of the function");
        for (stride, term) in strides.iter().zip(terms) {
            let wide = i128::from(*stride);
            let ends = (wide.checked_mul(term.least), wide.checked_mul(term.greatest));
            let (Some(one), Some(other)) = ends else { return Err(overflow()) };
            (least, greatest) = (least + one.min(other), greatest + one.max(other));
            size += one.abs().max(other.abs());
            // No part of the sum, in any order, leaves 64 bits.
            if size > i128::from(i64::MAX) {
                return Err(overflow());
            }
            match stride {
                0 => {}
                _ if term.text == "0" => {}
                1 => parts.push(term.text.clone()),
                stride => parts.push(format!("{} * {}", number(*stride), term.text)),
            }
        }
        if offset != 0 || parts.is_empty() {
            parts.push(number(offset));
        }
        self.variable(Term { text: parts.join(" + "), least, greatest })
    }
}

/// One result of an XOR: for each integer and each distance that its bits move, those bits.
fn exclusive_or(terms: &[Term], ins: &[u32], columns: &[u64], flip: u64, start: u32, bits: u32) -> Term {
    let mut parts = Vec::new();
    let mut first = 0_u32;
    for (term, width) in terms.iter().zip(ins) {
        for distance in -i64::from(*width)..=i64::from(bits) {
            let moves = |bit: &u32| {
                let target = i64::from(*bit) + distance;
                let column = usize::try_from(first + bit).ok().and_then(|at| columns.get(at)).copied().unwrap_or(0);
                let shift = u32::try_from(target).ok().filter(|target| *target < bits).map(|target| start + target);
                shift.is_some_and(|shift| column.checked_shr(shift).unwrap_or(0) & 1 == 1)
            };
            let mask = (0..*width).filter(moves).fold(0_u64, |mask, bit| mask | 1_u64.checked_shl(bit).unwrap_or(0));
            if mask == 0 {
                continue;
            }
            let own = format!("({} & {mask})", term.text);
            parts.push(match distance {
                0 => own,
                up if up > 0 => format!("({own} << {up})"),
                down => format!("({own} >> {})", -down),
            });
        }
        first += width;
    }
    let ones = if bits == 0 { 0 } else { u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0) };
    let flipped = flip.checked_shr(start).unwrap_or(0) & ones;
    if flipped != 0 || parts.is_empty() {
        parts.push(flipped.to_string());
    }
    Term { text: parts.join(" ^ "), least: 0, greatest: i128::from(ones) }
}

/// A number as C writes it in 64 bits.
fn number(n: i64) -> String {
    match i32::try_from(n) {
        Ok(small) if small >= 0 => small.to_string(),
        Ok(small) if small > i32::MIN => format!("({small})"),
        _ => format!("INT64_C({n})"),
    }
}
