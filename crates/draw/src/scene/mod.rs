//! Scenes: from layouts to pictures.
//!
//! A [`Shown`] is what a picture shows of a value, a [`View`] says which picture of a layout, and a [`Look`] which elements
//! are coloured, greyed or marked. [`picture`] joins them. Law: a cell shows what the algebra gives at its coordinate, and
//! an element has the same fill wherever a view draws it.
//!
//! ```
//! use bitstride_lang::evaluate;
//! use bitstride_draw::scene::{Look, Shown, View, picture};
//! use bitstride_draw::{TextOptions, text};
//!
//! let typed = "composition(12:1, (3,4):(4,1))";
//! let shown = Shown::new(typed, &evaluate(typed)?.value, None)?;
//! let look = Look::default().marking(evaluate("<2, 2:2>")?.value);
//! let drawn = picture(&[shown], &View::Grid, &look, Some(80))?;
//! assert_eq!(text(&drawn, &TextOptions::default()), "\
//! composition(12:1, (3,4):(4,1)) =
//! (3,4):(4,1)
//! what <2, 2:2> does not select is grey
//!
//!      0    1    2    3
//!   ┌────┬────┬────┬────┐
//! 0 │  0 │ ·1·│  2 │ ·3·│
//!   ├────┼────┼────┼────┤
//! 1 │  4 │ ·5·│  6 │ ·7·│
//!   ├────┼────┼────┼────┤
//! 2 │ ·8·│ ·9·│·10·│·11·│
//!   └────┴────┴────┴────┘
//! <2, 2:2> selects 4 of 12
//! elements
//! ");
//! # Ok::<(), bitstride::Error>(())
//! ```

mod codomain;
mod grid;
mod group;
mod image;
mod instruction;
mod linear;
mod look;
mod mapped;
mod memory;
mod part;
mod product;
mod select;
mod shown;
mod stand_in;
mod strip;
mod subject;
mod thread_value;
mod tiled;
mod two_line;

use bitstride::{Error, Int, Tuple};

pub use group::By;
pub use image::Image;
pub use linear::{Banks, LaneBits, LinearSubject, LinearView, Shared, banks_picture, linear_picture, unswizzled};
pub use look::{Look, Paint};
pub use mapped::{element_at, element_number, place_number};
pub use shown::Shown;
pub use subject::{Point, Subject};
pub use thread_value::{Owner, owners};
pub use tiled::{Pattern, TiledBy, TiledLook, TiledSubject, TiledView, tiled_picture};

use crate::cell::Cell;
use crate::grid::{Grid, Window};
use crate::picture::{Panel, Picture};

/// Which picture of a layout.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// Each element's place, at its coordinate: rank 1 as a strip, rank 2 as a grid, deeper ranks as a grid for each
    /// outer coordinate.
    Grid,
    /// The number of each element, its offset, and what lies at each offset.
    Memory,
    /// The offsets in order, coloured by repetition.
    Codomain,
    /// The tile of this shape, with the thread and value that own each of its elements.
    ThreadValue(Tuple<Int>),
    /// Each element's number over its place, as permutations are written.
    TwoLine,
}

/// The picture of some values, below one another, layouts in this view; `room` may be the columns of a terminal, a
/// [`Window`], or `None` for paper.
///
/// # Errors
/// [`Code::TooLarge`] when a view must list more elements than 65,536, [`Code::Kind`] when it needs offsets but the
/// layout maps to coordinates, [`Code::Overflow`], and what [`Paint::new`] and [`owners`] refuse.
///
/// [`Code::TooLarge`]: bitstride::Code::TooLarge
/// [`Code::Kind`]: bitstride::Code::Kind
/// [`Code::Overflow`]: bitstride::Code::Overflow
pub fn picture(shown: &[Shown], view: &View, look: &Look, room: impl Into<Room>) -> Result<Picture, Error> {
    let room = &room.into();
    let mut scenes = Vec::new();
    let words = look.words();
    for shown in shown {
        let subject = match shown {
            Shown::Layout(subject) => subject,
            Shown::Compared(pair, title) => {
                scenes.push((title.clone(), shown::comparison(pair, room)?));
                continue;
            }
            Shown::Instruction(instruction, title) => {
                scenes.push((title.clone(), instruction::scene(instruction, room)?));
                continue;
            }
            Shown::Map(map, title) => {
                scenes.push((title.clone(), mapped::scene(map, view, look, room)?));
                continue;
            }
            Shown::Words(title) => {
                scenes.push((title.clone(), shown::words()));
                continue;
            }
        };
        let drawn = match view {
            View::Grid => grid::scene(subject, look, room),
            View::Memory => memory::scene(subject, look, room),
            View::Codomain => codomain::scene(subject, look, room),
            View::ThreadValue(tile) => thread_value::scene(subject, tile, look, room),
            View::TwoLine => two_line::scene(subject, look, room),
        }?;
        let lines = [subject.title(), words.clone()];
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        scenes.push((lines.join("\n"), drawn));
    }
    Ok(assembled(scenes))
}

/// One picture of several scenes, each under its title.
fn assembled(scenes: Vec<(String, Drawn)>) -> Picture {
    let several = scenes.len() > 1;
    let mut picture = match scenes.as_slice() {
        [(title, _)] => Picture::new(title),
        _ => Picture::default(),
    };
    let mut legend = Vec::new();
    for (title, drawn) in scenes {
        let mut title = if several { title } else { String::new() };
        for row in drawn.rows {
            let entitled: Vec<Panel> = row.into_iter().map(|panel| under(&std::mem::take(&mut title), panel)).collect();
            picture = picture.row(entitled);
        }
        for entry in drawn.legend {
            if !legend.contains(&entry) {
                legend.push(entry);
            }
        }
    }
    for (fill, meaning) in legend {
        picture = picture.legend(fill, &meaning);
    }
    picture
}

/// The panel under a title, above its own.
fn under(title: &str, panel: Panel) -> Panel {
    let lines: Vec<&str> = [title, &panel.title].into_iter().filter(|line| !line.is_empty()).collect();
    let title = lines.join("\n");
    panel.title(&title)
}

/// Rows of panels, and what their fills mean.
#[derive(Debug, Default)]
struct Drawn {
    rows: Vec<Vec<Panel>>,
    legend: Vec<(crate::cell::Fill, String)>,
}

/// Where a picture is to be seen: on paper, on a terminal, or through a window.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// The columns of the terminal, if it is meant for one.
    pub columns: Option<usize>,
    /// The part of each grid that is looked at, of which the cells alone are computed, however large the grid is. Without one a
    /// large grid has its corners.
    pub window: Option<Window>,
}

impl From<Option<usize>> for Room {
    fn from(columns: Option<usize>) -> Self {
        Room { columns, window: None }
    }
}

impl From<Window> for Room {
    fn from(window: Window) -> Self {
        Room { columns: None, window: Some(window) }
    }
}

impl Room {
    /// A grid of a given number of cells, or what is looked at of it.
    fn grid(&self, rows: u64, cols: u64, cell: impl FnMut(u64, u64) -> Cell) -> Grid {
        self.grid_within(Grid::MOST_CELLS, rows, cols, cell)
    }

    /// The same, of which at most a given number of cells are kept where there is no window.
    fn grid_within(&self, most: usize, rows: u64, cols: u64, cell: impl FnMut(u64, u64) -> Cell) -> Grid {
        match &self.window {
            Some(window) => Grid::seen(window, rows, cols, cell),
            None => Grid::within(most, rows, cols, cell),
        }
    }

    /// How heavy the frame of a grid without inner borders is: a light one suits a terminal, a dark one paper.
    fn frame(&self) -> u8 {
        u8::from(self.columns.is_none())
    }

    /// How many cells as wide as this text go side by side.
    fn cells(&self, text: usize, heads: usize) -> usize {
        match self.columns {
            None => WIDEST,
            Some(columns) => (columns.saturating_sub(heads + 2) / (text + 3)).clamp(1, WIDEST),
        }
    }
}

/// The most cells that a strip has side by side: the banks of shared memory.
const WIDEST: usize = 32;

/// Keeps the first error of the cells of a grid.
#[derive(Debug, Default)]
struct Cells(Option<Error>);

impl Cells {
    fn keep(&mut self, cell: Result<Cell, Error>) -> Cell {
        cell.unwrap_or_else(|error| {
            self.0.get_or_insert(error);
            Cell::default()
        })
    }

    fn checked<T>(self, made: T) -> Result<T, Error> {
        self.0.map_or(Ok(made), Err)
    }
}

/// In words, that only the first of the grids of a shape are drawn, where there are more.
fn first_of(shape: &Tuple<i64>, most: usize) -> Option<String> {
    let all = shape.size().ok();
    all.is_none_or(|all| count(all) > u64::try_from(most).unwrap_or(u64::MAX)).then(|| {
        let all = all.map_or_else(|| "more than 2^63".to_owned(), |n| n.to_string());
        format!("the first {most} of {all} grids")
    })
}

/// An extent as a number of cells.
fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// The number of a cell as a coordinate.
fn coordinate(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
