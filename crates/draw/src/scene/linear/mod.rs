//! Linear layouts as pictures: who holds each element, what each place holds, the bits, and the banks.
//!
//! The tensor is drawn with its last two out dims as rows and columns, and one grid for each value of the others.

mod banks;
mod bits;
mod hardware;
mod tensor;

use bitstride::linear::{Dim, LinearLayout, Name, Places};
use bitstride::{Error, error};
use bitstride_lang::{Outermost, Value};

pub use banks::{Banks, LaneBits, Shared, banks_picture, unswizzled};

use super::{Room, assembled};
use crate::cell::{Cell, Fill};
use crate::grid::Grid;
use crate::picture::{Panel, Picture};

/// Which picture of a linear layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinearView {
    /// The tensor, each element with the places that hold it.
    Tensor,
    /// The places, each with the element that it holds.
    Hardware,
    /// The matrix: a row an out bit, a column an in bit.
    Bits,
    /// The bank of shared memory in which each element lies, without and with the swizzle.
    Banks(Banks),
}

/// A linear layout to be shown.
#[derive(Clone, Debug)]
pub struct LinearSubject {
    typed: String,
    layout: LinearLayout,
    places: Places,
    /// The out dims in the order in which they are drawn, as positions.
    axes: Vec<usize>,
    /// What it is the product of, the minor first; empty where it is none.
    factors: Vec<LinearSubject>,
}

impl LinearSubject {
    /// The subject of a layout, and the text that it came from.
    pub fn new(typed: &str, layout: &LinearLayout) -> Self {
        let mut axes: Vec<usize> = (0..layout.outs().len()).collect();
        // A layout may list the dims of the tensor minor first; the tensor is drawn the same way.
        let name = |at: &usize| layout.outs().get(*at).map(|dim| dim.name).unwrap_or_default();
        if axes.iter().all(|at| name(at).as_str().starts_with("dim")) {
            axes.sort_by_key(name);
        }
        let typed = if typed.is_empty() { layout.to_string() } else { typed.trim().to_owned() };
        LinearSubject { typed, layout: layout.clone(), places: Places::new(layout), axes, factors: Vec::new() }
    }

    /// The same subject, whose bits are drawn with its factors where the call is a product.
    #[must_use]
    pub fn made_by(mut self, call: &Outermost) -> Self {
        if call.operation.name == "mul" {
            let factor = |(text, value): &(String, Value)| Some(LinearSubject::new(text, &value.as_linear().ok()?));
            self.factors = call.operands.iter().map(factor).collect::<Option<_>>().unwrap_or_default();
        }
        self
    }

    /// The layout.
    pub fn layout(&self) -> &LinearLayout {
        &self.layout
    }

    /// Where each element is.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The out dims in the order in which they are drawn: the last two are rows and columns.
    pub fn axes(&self) -> impl Iterator<Item = Dim> {
        self.axes.iter().filter_map(|at| self.layout.outs().get(*at).copied())
    }

    /// The packed element at coordinates along the [axes](Self::axes).
    pub fn element(&self, coordinates: &[u64]) -> u64 {
        let shift = |at: usize| self.layout.outs().iter().take(at).map(|dim| dim.bits).sum::<u32>();
        let parts = self.axes.iter().zip(coordinates);
        parts.fold(0, |element, (at, value)| element | value.checked_shl(shift(*at)).unwrap_or(0))
    }

    /// The column-major number of a packed element, along the axes.
    pub(super) fn number(&self, element: u64) -> Option<i64> {
        let mut shift = 0;
        self.axes().zip(self.coordinates(element)).try_fold(0, |number, (dim, value)| {
            let part = value.checked_shl(shift)?;
            shift += dim.bits;
            Some(number | part)
        })
    }

    /// The coordinates of a packed element along the axes.
    pub fn coordinates(&self, element: u64) -> Vec<i64> {
        let values = self.layout.unpack(element);
        self.axes.iter().filter_map(|at| values.get(*at).copied()).collect()
    }

    /// The value of each in dim of a packed place.
    pub fn values(&self, place: u64) -> Vec<u64> {
        let mut rest = place;
        let mut values = Vec::new();
        for dim in self.layout.ins() {
            values.push(rest & (1u64.checked_shl(dim.bits).unwrap_or(0).wrapping_sub(1)));
            rest = rest.checked_shr(dim.bits).unwrap_or(0);
        }
        values
    }

    /// The offset at which the element at these coordinates lies in a shared memory.
    pub fn offset(&self, coordinates: &[u64]) -> Option<u64> {
        self.in_dim(Name::OFFSET)?;
        self.places.first(self.element(coordinates)).map(|place| self.value(Name::OFFSET, place))
    }

    /// The value of one in dim of a packed place.
    fn value(&self, name: Name, place: u64) -> u64 {
        let at = self.layout.ins().iter().position(|dim| dim.name == name);
        at.and_then(|at| self.values(place).get(at).copied()).unwrap_or(0)
    }

    /// A place in words such as `w1`, `t5`, `r2`: the slowest dim first, without those that have one value.
    fn words(&self, place: u64) -> Vec<String> {
        let live: Vec<(Dim, u64)> =
            self.layout.ins().iter().copied().zip(self.values(place)).filter(|(dim, _)| dim.bits > 0).collect();
        let word = |(dim, value): &(Dim, u64)| format!("{}{value}", letter(dim.name));
        if live.is_empty() { vec!["0".to_owned()] } else { live.iter().rev().map(word).collect() }
    }

    /// The slowest in dim in which the first places of elements differ.
    fn slowest(&self) -> Option<Dim> {
        // The leading bits of the kernel are 0 in every first place.
        let repeated = self.places.kernel().iter().filter_map(|step| step.checked_ilog2());
        let repeated = repeated.fold(0, |bits, bit| bits | 1u64 << bit);
        let mut shift = self.layout.in_bits();
        self.layout.ins().iter().rev().copied().find(|dim| {
            shift -= dim.bits;
            let bits = 1u64.checked_shl(dim.bits).unwrap_or(0).wrapping_sub(1);
            dim.bits > 0 && repeated.checked_shr(shift).unwrap_or(0) & bits != bits
        })
    }

    /// What the letters of [`words`](Self::words) stand for.
    fn key(&self) -> String {
        let live = self.layout.ins().iter().rev().filter(|dim| dim.bits > 0);
        let meanings: Vec<String> =
            live.filter_map(|dim| Some(format!("{} {}", letter(dim.name).trim_end(), meaning(dim.name)?))).collect();
        meanings.join(", ")
    }

    fn in_dim(&self, name: Name) -> Option<Dim> {
        self.layout.in_dim(name).map(|(dim, _)| dim)
    }
}

/// The pictures of some linear layouts, each in its view, below one another, coloured by an in or out dim where one is named; `room` is as
/// that of [`picture`](super::picture()).
///
/// # Errors
/// [`Code::MissingDim`](bitstride::Code::MissingDim) when a layout does not have the dim to colour by, or banks are asked
/// of what has no offsets; [`Code::TooLarge`](bitstride::Code::TooLarge) for banks of more than 65,536 elements.
///
/// ```
/// use bitstride::linear::{LinearLayout, Name};
/// use bitstride_draw::scene::{LinearSubject, LinearView, linear_picture};
/// use bitstride_draw::{TextOptions, text};
///
/// let bases = [(Name::REGISTER, vec![vec![0, 1]]), (Name::LANE, vec![vec![1, 0], vec![0, 2]])];
/// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 2), (Name::dim(1), 4)])?;
/// let subject = LinearSubject::new("L", &layout);
/// let drawn = linear_picture(&[(subject, LinearView::Tensor)], None, Some(80))?;
/// assert!(text(&drawn, &TextOptions::default()).contains("┃ t1 r0 │ t1 r1 ┃ t3 r0 │ t3 r1 ┃"));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn linear_picture(
    subjects: &[(LinearSubject, LinearView)],
    by: Option<Name>,
    room: impl Into<Room>,
) -> Result<Picture, Error> {
    let room = &room.into();
    // A dim has one colour wherever it is drawn.
    let mut dims: Vec<Name> = Vec::new();
    for dim in subjects.iter().flat_map(|(subject, _)| subject.layout.ins()) {
        if dim.bits > 0 && !dims.contains(&dim.name) {
            dims.push(dim.name);
        }
    }
    let mut scenes = Vec::new();
    for (subject, view) in subjects {
        let drawn = match view {
            LinearView::Tensor => tensor::scene(subject, by, room),
            LinearView::Hardware => hardware::scene(subject, by, room),
            LinearView::Bits => Ok(bits::scene(subject, &dims, room)),
            LinearView::Banks(banks) => banks::scene(subject, banks, room),
        }?;
        scenes.push((subject.typed.clone(), drawn));
    }
    Ok(assembled(scenes))
}

/// How the values of an in dim are written, before the number.
fn letter(name: Name) -> String {
    match name {
        Name::BLOCK => "b".to_owned(),
        Name::WARP => "w".to_owned(),
        Name::LANE => "t".to_owned(),
        Name::REGISTER => "r".to_owned(),
        Name::OFFSET => String::new(),
        Name::PARTITION => "p".to_owned(),
        // A digit before the number would run into it.
        other if other.as_str().ends_with(|c: char| c.is_ascii_digit()) => format!("{other}="),
        other => other.to_string(),
    }
}

/// How the bits of a dim are written, before the value of the bit.
fn bit(name: Name) -> String {
    match meaning(name) {
        Some(_) => letter(name),
        None if name == Name::OFFSET => String::new(),
        None => format!("{name} "),
    }
}

/// What a letter of [`letter`] stands for, unless it says so itself.
fn meaning(name: Name) -> Option<&'static str> {
    match name {
        Name::BLOCK => Some("block"),
        Name::WARP => Some("warp"),
        Name::LANE => Some("lane"),
        Name::REGISTER => Some("register"),
        Name::PARTITION => Some("partition"),
        _ => None,
    }
}

/// The fill of a group.
fn group(number: u64) -> Fill {
    // Colours repeat long before.
    Fill::Group(u32::try_from(number % 24).unwrap_or(0))
}

/// One direction of a grid: how many, the heading of each, and the level of each line.
struct Edge<'f> {
    len: u64,
    head: &'f dyn Fn(u64) -> String,
    level: &'f dyn Fn(u64) -> u8,
}

/// A grid of cells with a frame as heavy as its heaviest line.
fn lined(rows: &Edge<'_>, cols: &Edge<'_>, room: &Room, cell: impl FnMut(u64, u64) -> Cell) -> Grid {
    // Heavier lines are met at larger powers of two, so that the half has the heaviest inside.
    let inner = [rows, cols].map(|edge| if edge.len > 1 { (edge.level)(edge.len / 2) } else { 0 });
    let frame = inner.into_iter().max().unwrap_or(0).max(room.frame());
    let level = |edge: &Edge<'_>, line: u64| if line == 0 || line == edge.len { frame } else { (edge.level)(line) };
    room.grid(rows.len, cols.len, cell)
        .row_heads(rows.head)
        .col_heads(cols.head)
        .row_levels(|line| level(rows, line))
        .col_levels(|line| level(cols, line))
}

/// The most grids that one layout is drawn as.
const MOST_PANELS: u64 = 16;

/// A panel for each value of some dims, the last fastest, each under the values; of many only the first.
fn panels(outer: &[Dim], mut panel: impl FnMut(&[u64]) -> Panel) -> Vec<Panel> {
    let bits: u32 = outer.iter().map(|dim| dim.bits).sum();
    let all = 1u64.checked_shl(bits);
    let count = all.map_or(MOST_PANELS, |all| all.min(MOST_PANELS));
    let mut panels = Vec::new();
    for number in 0..count {
        let mut rest = number;
        let mut values: Vec<u64> = Vec::new();
        for dim in outer.iter().rev() {
            values.push(rest & 1u64.checked_shl(dim.bits).unwrap_or(0).wrapping_sub(1));
            rest = rest.checked_shr(dim.bits).unwrap_or(0);
        }
        values.reverse();
        let named = outer.iter().zip(&values).filter(|(dim, _)| dim.bits > 0);
        let named: Vec<String> = named.map(|(dim, value)| format!("{} {value}", dim.name)).collect();
        panels.push(panel(&values).title(&named.join(", ")));
    }
    if all != Some(count)
        && let Some(first) = panels.first_mut()
    {
        *first = first.clone().caption(&format!("the first {count} of 2^{bits} grids"));
    }
    panels
}

/// Panels in rows: as many side by side as fill about 32 columns; a terminal breaks rows by itself.
fn in_rows(panels: Vec<Panel>, across: u64, room: &Room) -> Vec<Vec<Panel>> {
    let side = usize::try_from((32 / across.max(1)).clamp(1, 4)).unwrap_or(1);
    let side = if room.columns.is_some() { panels.len().max(1) } else { side };
    panels.chunks(side).map(<[Panel]>::to_vec).collect()
}

/// Sets the caption of the last panel, below what it says already.
fn captioned(rows: &mut [Vec<Panel>], caption: &str) {
    if let Some(panel) = rows.first_mut().and_then(|row| row.first_mut()) {
        let lines: Vec<&str> = [caption, &panel.caption].into_iter().filter(|line| !line.is_empty()).collect();
        let lines = lines.join("\n");
        *panel = panel.clone().caption(&lines);
    }
}

/// Who speaks of a dim that a layout does not have.
fn no_dim(subject: &LinearSubject, name: Name) -> Error {
    let dims = subject.layout.ins().iter().chain(subject.layout.outs());
    let names: Vec<&str> = dims.map(|dim| dim.name.as_str()).collect();
    error!(
        bitstride::Code::MissingDim,
        "there is no dim {name}; the layout has {names}",
        [name, names = names.join(", ")]
    )
}

/// What colours follow: an in dim of the place, or an out dim of the element.
enum Colour {
    In(Name),
    Out(usize),
}

impl Colour {
    fn of(subject: &LinearSubject, name: Name) -> Result<Self, Error> {
        if subject.in_dim(name).is_some() {
            return Ok(Colour::In(name));
        }
        let at = subject.axes().position(|dim| dim.name == name);
        at.map(Colour::Out).ok_or_else(|| no_dim(subject, name))
    }

    fn fill(&self, subject: &LinearSubject, place: u64, element: u64) -> Fill {
        match self {
            Colour::In(name) => group(subject.value(*name, place)),
            Colour::Out(axis) => {
                let value = subject.coordinates(element).get(*axis).copied().unwrap_or(0);
                group(u64::try_from(value).unwrap_or(0))
            }
        }
    }
}
