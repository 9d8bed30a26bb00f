//! The matrix of a layout, a row an out bit and a column an in bit; and below it, where every in bit goes to one out bit
//! at most, the same as a map of bits in two lines.

use bitstride::linear::{Dim, Name};

use super::super::{Drawn, Room};
use super::{LinearSubject, bit, group};
use crate::cell::{Cell, Fill};
use crate::grid::Grid;
use crate::picture::Panel;

/// A bit of a dim: the dim, which bit of it, and its own name, such as `t4`.
struct Bit {
    dim: Name,
    number: u32,
    name: String,
}

/// `dims` are the in dims of all layouts of the picture, in the order of their colours. A product has the colours of its
/// factors, which stand above it.
pub(super) fn scene(subject: &LinearSubject, dims: &[Name], room: &Room) -> Drawn {
    let layout = subject.layout();
    let ins = bits_of(layout.ins());
    if let [minor, major] = subject.factors.as_slice() {
        let fills = |j: u64| {
            let bit = index(j).and_then(|j| ins.get(j));
            bit.map_or(Fill::Plain, |bit| group(u64::from(bit.number >= size(minor, bit.dim))))
        };
        let factors = [("A", minor), ("B", major)].into_iter().enumerate().flat_map(|(at, (name, factor))| {
            let fill = Fill::Group(u32::try_from(at).unwrap_or(0));
            let rows = panels(factor, &|_| fill, room).into_iter().take(1).flatten();
            rows.map(move |panel| panel.caption("").title(&format!("{name} = {}", factor.typed)))
        });
        let mut rows = vec![factors.collect()];
        rows.extend(panels(subject, &fills, room));
        return Drawn { rows, legend: vec![(group(0), "A".to_owned()), (group(1), "B".to_owned())] };
    }
    let colour = |name: Name| {
        let at = dims.iter().position(|dim| *dim == name).and_then(|at| u32::try_from(at).ok());
        at.map_or(Fill::Plain, Fill::Group)
    };
    let fill = |j: u64| index(j).and_then(|j| ins.get(j)).map_or(Fill::Plain, |bit| colour(bit.dim));
    let live = layout.ins().iter().filter(|dim| dim.bits > 0);
    let legend = live.map(|dim| (colour(dim.name), dim.name.to_string())).collect();
    Drawn { rows: panels(subject, &fill, room), legend }
}

/// The bits of a dim.
fn size(factor: &LinearSubject, name: Name) -> u32 {
    factor.layout().in_dim(name).map_or(0, |(dim, _)| dim.bits)
}

/// The matrix, and the map of bits where it is one; in bit j has the fill that `fill` says.
fn panels(subject: &LinearSubject, fill: &dyn Fn(u64) -> Fill, room: &Room) -> Vec<Vec<Panel>> {
    let layout = subject.layout();
    let ins = bits_of(layout.ins());
    let outs = bits_of(layout.outs());
    let column = |j: u64| index(j).and_then(|j| layout.columns().get(j)).copied().unwrap_or(0);
    let grid = room
        .grid(count(&outs), count(&ins), |i, j| {
            if column(j) >> i & 1 == 1 { Cell::new(1).fill(fill(j)) } else { Cell::new("·") }
        })
        .row_heads(|i| name(&outs, i))
        .col_heads(|j| name(&ins, j))
        .row_levels(|line| level(&outs, line, room))
        .col_levels(|line| level(&ins, line, room));
    let mut rows = vec![vec![Panel::new(grid).caption("out bits down, in bits across, by their values")]];
    if !ins.is_empty() && (0..count(&ins)).all(|j| column(j).count_ones() <= 1) {
        let pairs = (0..count(&ins)).map(|j| {
            let target = match column(j) {
                0 => "0".to_owned(),
                column => name(&outs, u64::from(column.trailing_zeros())),
            };
            (Cell::new(name(&ins, j)).fill(fill(j)), Cell::new(target).fill(fill(j)))
        });
        let grid = Grid::two_line(pairs).row_heads(|line| if line == 0 { "in" } else { "out" });
        let broadcast = (0..count(&ins)).any(|j| column(j) == 0);
        let caption = if broadcast {
            "where each in bit goes; 0: nowhere, so that it repeats elements"
        } else {
            "where each in bit goes"
        };
        rows.push(vec![Panel::new(grid).caption(caption)]);
    }
    rows
}

fn bits_of(dims: &[Dim]) -> Vec<Bit> {
    let bits = |dim: &Dim| {
        let (name, prefix) = (dim.name, bit(dim.name));
        (0..dim.bits)
            .map(move |bit| Bit { dim: name, number: bit, name: format!("{prefix}{}", 1u64 << bit) })
            .collect::<Vec<_>>()
    };
    dims.iter().flat_map(bits).collect()
}

/// Heavy lines between dims and around.
fn level(bits: &[Bit], line: u64, room: &Room) -> u8 {
    let at = |n: Option<u64>| n.and_then(index).and_then(|n| bits.get(n)).map(|bit| bit.dim);
    let (before, after) = (at(line.checked_sub(1)), at(Some(line)));
    match (before, after) {
        (Some(before), Some(after)) => u8::from(before != after),
        _ => room.frame().max(1),
    }
}

fn name(bits: &[Bit], n: u64) -> String {
    index(n).and_then(|n| bits.get(n)).map(|bit| bit.name.clone()).unwrap_or_default()
}

fn count(bits: &[Bit]) -> u64 {
    u64::try_from(bits.len()).unwrap_or(0)
}

fn index(n: u64) -> Option<usize> {
    usize::try_from(n).ok()
}
