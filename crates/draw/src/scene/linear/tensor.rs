//! The tensor, each element with the places that hold it.
//!
//! Lines are the heavier the slower the in dim that changes there: between registers of one lane, lanes, warps, blocks.

use bitstride::Error;
use bitstride::linear::{Dim, Name};

use super::super::strip::{Borders, Strip};
use super::super::{Drawn, Room, coordinate};
use super::{Colour, Edge, LinearSubject, captioned, group, in_rows, lined, panels};
use crate::cell::{Cell, Fill};
use crate::picture::Panel;

pub(super) fn scene(subject: &LinearSubject, by: Option<Name>, room: &Room) -> Result<Drawn, Error> {
    let paint = Paint::new(subject, by)?;
    let axes: Vec<Dim> = subject.axes().collect();
    let (outer, rows, cols) = match axes.as_slice() {
        [outer @ .., rows, cols] => (outer, *rows, *cols),
        [only] => (&[][..], Dim::default(), *only),
        [] => (&[][..], Dim::default(), Dim::default()),
    };
    let widest = paint.parts(u64::MAX).join(" ").chars().count();
    let heads = rows.size().to_string().len();
    let fits = room.columns.is_some() && u64::try_from(room.cells(widest, heads)).is_ok_and(|most| most >= size(cols));
    let words = match room.columns {
        Some(_) if fits => Words::Line,
        // On a page, many columns must be narrow to be legible.
        None if size(cols) > 16 => Words::Column,
        _ => Words::Lines,
    };
    let cell = |outer: &[u64], i: u64, j: u64| {
        let at: Vec<u64> = match axes.len() {
            0 => Vec::new(),
            1 => vec![j],
            _ => outer.iter().copied().chain([i, j]).collect(),
        };
        paint.cell(subject.element(&at), words)
    };
    let mut drawn = Drawn::default();
    drawn.rows = if axes.len() == 1 && size(cols) > 32 {
        let len = coordinate(size(cols));
        let strip = Strip { first: 0, len, caption: "", numbered: true, borders: Borders::default() };
        let text = if room.columns.is_some() { widest } else { 8 };
        let grid = strip.fold(strip.side(text, room), room, |n| {
            let words = if room.columns.is_some() { Words::Line } else { Words::Lines };
            Ok(paint.cell(subject.element(&[u64::try_from(n).unwrap_or(0)]), words))
        })?;
        vec![vec![Panel::new(grid)]]
    } else {
        let weights = [rows, cols].map(|dim| paint.weights(dim));
        let least = weights.iter().filter_map(|weights| weights.first()).min().copied().unwrap_or(0);
        let level = |weights: &[u8], line: u64| {
            let at = usize::try_from(line.trailing_zeros()).ok();
            at.and_then(|at| weights.get(at)).map_or(0, |weight| weight - least)
        };
        let number = |n: u64| n.to_string();
        let edges = [(rows, &weights[0]), (cols, &weights[1])].map(|(dim, weights)| (size(dim), weights));
        let (down, across) = (|line| level(edges[0].1, line), |line| level(edges[1].1, line));
        let rows = Edge { len: edges[0].0, head: &number, level: &down };
        let cols = Edge { len: edges[1].0, head: &number, level: &across };
        let drawn = panels(outer, |outer| Panel::new(lined(&rows, &cols, room, |i, j| cell(outer, i, j))));
        in_rows(drawn, cols.len, room)
    };
    captioned(&mut drawn.rows, &paint.caption(&axes));
    if !subject.layout().is_surjective() {
        drawn.legend.push((Fill::Empty, "nothing holds it".to_owned()));
    }
    Ok(drawn)
}

fn size(dim: Dim) -> u64 {
    u64::try_from(dim.size()).unwrap_or(u64::MAX)
}

/// How an element is written and coloured.
struct Paint<'s> {
    subject: &'s LinearSubject,
    colour: Hue,
}

/// How the words of a cell stand.
#[derive(Clone, Copy)]
enum Words {
    /// All in one line.
    Line,
    /// In two lines.
    Lines,
    /// A line each.
    Column,
}

/// What colours mean.
enum Hue {
    None,
    Dim(Name, Colour),
    /// The slot of the vector of `2^vector` elements in its row of `2^row` elements of memory.
    Slot {
        vector: u32,
        row: u32,
    },
}

impl<'s> Paint<'s> {
    fn new(subject: &'s LinearSubject, by: Option<Name>) -> Result<Self, Error> {
        let slowest = subject.slowest().map(|dim| dim.name);
        let colour = match by.or(slowest) {
            Some(Name::OFFSET) if by.is_none() => slots(subject),
            Some(name) => Hue::Dim(name, Colour::of(subject, name)?),
            None => Hue::None,
        };
        Ok(Paint { subject, colour })
    }

    /// The words of a place, and how many others hold the same.
    fn parts(&self, place: u64) -> Vec<String> {
        let mut parts = self.subject.words(place);
        let others = self.subject.places().number() - 1;
        if others > 0 {
            parts.push(format!("+{others}"));
        }
        parts
    }

    fn cell(&self, element: u64, words: Words) -> Cell {
        let Some(place) = self.subject.places().first(element) else {
            return Cell::empty().element(self.subject.number(element));
        };
        let parts = self.parts(place);
        let each = match words {
            Words::Line => parts.len(),
            Words::Lines => parts.len().div_ceil(2),
            Words::Column => 1,
        };
        let lines: Vec<String> = parts.chunks(each.max(1)).map(|line| line.join(" ")).collect();
        let fill = match &self.colour {
            Hue::None => Fill::Plain,
            Hue::Dim(_, colour) => colour.fill(self.subject, place, element),
            Hue::Slot { vector, row } => {
                let offset = self.subject.value(Name::OFFSET, place);
                group(if vector < row { (offset >> vector) & ((1 << (row - vector)) - 1) } else { offset >> row })
            }
        };
        Cell::new(lines.join("\n")).fill(fill).element(self.subject.number(element)).place(i64::try_from(place).ok())
    }

    /// For each bit of an out dim, the weight of a line that it changes at: that of the slowest in dim that moves along
    /// it or along a lower bit.
    fn weights(&self, dim: Dim) -> Vec<u8> {
        let Some((_, shift)) = self.subject.layout().out_dim(dim.name) else {
            return Vec::new();
        };
        let mut heaviest = 0;
        let mut weights = Vec::new();
        for bit in shift..shift + dim.bits {
            for (dim, columns) in self.subject.layout().by_in_dim() {
                if columns.iter().any(|column| column >> bit & 1 == 1) {
                    heaviest = heaviest.max(match dim.name {
                        Name::LANE => 1,
                        Name::WARP => 2,
                        Name::BLOCK => 3,
                        _ => 0,
                    });
                }
            }
            weights.push(heaviest);
        }
        weights
    }

    fn caption(&self, axes: &[Dim]) -> String {
        let subject = self.subject;
        let mut lines = Vec::new();
        let axes = match axes {
            [.., rows, cols] => format!("{} down, {} across; ", rows.name, cols.name),
            [only] => format!("{}; ", only.name),
            [] => String::new(),
        };
        let key = match subject.key() {
            key if key.is_empty() => "in dims".to_owned(),
            key => key,
        };
        let held = match subject.in_dim(Name::OFFSET) {
            Some(_) if key == "in dims" => "each element with its offset".to_owned(),
            Some(_) => format!("each element with its offset, {key}"),
            None if key == "in dims" => "each element with its place".to_owned(),
            None => format!("each element with who holds it: {key}"),
        };
        lines.push(axes + &held);
        match &self.colour {
            Hue::Dim(name, _) => lines.push(format!("coloured by {name}")),
            Hue::Slot { vector, row } => {
                let elements = match 1u64 << vector {
                    1 => "element".to_owned(),
                    n => format!("{n} elements"),
                };
                lines.push(if vector < row {
                    format!("coloured by the slot of {elements} in a row of {} in memory", 1u64 << row)
                } else {
                    format!("coloured by row of {} in memory", 1u64 << row)
                });
            }
            Hue::None => {}
        }
        let kernel = subject.places().kernel();
        if !kernel.is_empty() {
            let others = subject.places().number() - 1;
            let steps: Vec<String> = kernel.iter().map(|step| self.step(*step)).collect();
            lines.push(format!(
                "+{others}: as many other places hold the element; they differ by {}",
                steps.join(" or ")
            ));
        }
        lines.join("\n")
    }

    /// A difference of places: the dims in which they differ, and by what.
    fn step(&self, step: u64) -> String {
        let values = self.subject.layout().ins().iter().zip(self.subject.values(step));
        let moved: Vec<String> =
            values.filter(|(_, value)| *value != 0).map(|(dim, value)| format!("{} {value}", dim.name)).collect();
        moved.join(" with ")
    }
}

/// The vectors and rows of a shared memory: the leading offset bits that no other basis touches, and those that move
/// along the same out dim as the first.
fn slots(subject: &LinearSubject) -> Hue {
    let layout = subject.layout();
    let Some((_, columns)) = layout.in_dim(Name::OFFSET) else {
        return Hue::None;
    };
    let first = columns.first().copied().unwrap_or(0);
    let mut fast = 0;
    for dim in layout.outs() {
        if let Some((dim, shift)) = layout.out_dim(dim.name) {
            let mask = ((1u64 << dim.bits) - 1) << shift;
            if first & mask != 0 {
                fast = mask;
            }
        }
    }
    let row = columns.iter().take_while(|column| **column != 0 && **column & !fast == 0).count();
    let alone = |at: usize, column: u64| columns.iter().enumerate().all(|(other, c)| other == at || c & column == 0);
    let vector = columns.iter().take(row).enumerate().take_while(|(at, column)| alone(*at, **column)).count();
    Hue::Slot { vector: u32::try_from(vector).unwrap_or(0), row: u32::try_from(row).unwrap_or(0) }
}
