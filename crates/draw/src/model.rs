//! The third renderer beside text and SVG: a picture as plain numbers and strings, for programs that draw it themselves.
//!
//! A cell is a text, a fill, and two numbers: the *element*, the column-major number of its coordinate in the tensor, and the
//! *place*, its offset or the number of its place in the machine. Pictures are linked by nothing but these: equal elements are one
//! element of one tensor, equal places one place of one memory. Law: every cell has the text and the fill that [`svg`](crate::svg)
//! and [`text`](crate::text()) draw.

use std::collections::HashMap;

use crate::cell::{Cell, Fill};
use crate::grid::{Frame, Grid};
use crate::picture::{Panel, Picture};

/// A picture as lists. The lists of cells run through all grids, each row after row.
///
/// ```
/// use bitstride_draw::{Cell, Grid, Panel, Picture, model};
/// let grid = Grid::from_fn(2, 2, |i, j| Cell::new(10 * i + j).element(Some(i.cast_signed())));
/// let model = model(&Picture::new("tens").row([Panel::new(grid)]));
/// assert_eq!(model.text(3), "11");
/// assert_eq!(model.elements, [Some(0), Some(0), Some(1), Some(1)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The title.
    pub title: String,
    /// The last line.
    pub footnote: String,
    /// What fills mean, of those that are drawn.
    pub legend: Vec<(Fill, String)>,
    /// Rows of panels side by side.
    pub rows: Vec<Vec<PanelModel>>,
    /// The different texts of cells; lines of one are parted by line breaks.
    pub strings: Vec<String>,
    /// The text of each cell, as an index into the strings.
    pub texts: Vec<u32>,
    /// The fill of each cell.
    pub fills: Vec<Fill>,
    /// The element of each cell that stands for one.
    pub elements: Vec<Option<i64>>,
    /// The place of each cell that stands for one.
    pub places: Vec<Option<i64>>,
}

/// Grids below one another, with what is written around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelModel {
    /// What stands above.
    pub title: String,
    /// What stands below.
    pub caption: String,
    /// Whether only its room is left free.
    pub is_hidden: bool,
    /// The grids.
    pub grids: Vec<GridModel>,
}

/// A grid without its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridModel {
    /// How many rows there are.
    pub rows: u64,
    /// How many columns there are.
    pub cols: u64,
    /// The numbers of the rows that are here, ascending.
    pub row_numbers: Vec<u64>,
    /// The numbers of the columns that are here, ascending.
    pub col_numbers: Vec<u64>,
    /// The number of its first cell in the lists of cells.
    pub start: usize,
    /// A heading for each row that is here, or none.
    pub row_heads: Vec<String>,
    /// A heading for each column that is here, or none.
    pub col_heads: Vec<String>,
    /// The weight of each horizontal line: 0 between cells, 1 around tiles, 2 around tiles of tiles. Where rows are left out
    /// between others, one line is of the gap.
    pub row_levels: Vec<u8>,
    /// The same of each vertical line.
    pub col_levels: Vec<u8>,
    /// Whether it stands between parentheses instead of lines, as two-line notation does.
    pub has_parentheses: bool,
}

/// The picture as lists.
pub fn model(picture: &Picture) -> Model {
    let mut made = Model { title: picture.title.clone(), footnote: picture.footnote.clone(), ..Model::default() };
    let mut known = HashMap::new();
    for row in &picture.rows {
        let panels = row.iter().map(|panel| made.panel(panel, &mut known)).collect();
        made.rows.push(panels);
    }
    let cells = picture.rows.iter().flatten().flat_map(|panel| &panel.grids).flat_map(|grid| &grid.cells);
    made.legend = picture.legend_of(cells);
    made
}

impl Model {
    /// The text of a cell; nothing beyond the last.
    pub fn text(&self, cell: usize) -> &str {
        let text = self.texts.get(cell).and_then(|text| usize::try_from(*text).ok());
        text.and_then(|text| self.strings.get(text)).map(String::as_str).unwrap_or_default()
    }

    fn panel(&mut self, panel: &Panel, known: &mut HashMap<String, u32>) -> PanelModel {
        PanelModel {
            title: panel.title.clone(),
            caption: panel.caption.clone(),
            is_hidden: panel.is_hidden,
            grids: panel.grids.iter().map(|grid| self.grid(grid, known)).collect(),
        }
    }

    fn grid(&mut self, grid: &Grid, known: &mut HashMap<String, u32>) -> GridModel {
        let start = self.texts.len();
        for cell in &grid.cells {
            self.cell(cell, known);
        }
        GridModel {
            rows: grid.rows(),
            cols: grid.cols(),
            row_numbers: grid.row.kept().collect(),
            col_numbers: grid.col.kept().collect(),
            start,
            row_heads: grid.row.heads().to_vec(),
            col_heads: grid.col.heads().to_vec(),
            row_levels: grid.row.levels().to_vec(),
            col_levels: grid.col.levels().to_vec(),
            has_parentheses: grid.frame == Frame::Parentheses,
        }
    }

    fn cell(&mut self, cell: &Cell, known: &mut HashMap<String, u32>) {
        let text = cell.lines.join("\n");
        let number = known.get(&text).copied().unwrap_or_else(|| {
            let number = u32::try_from(self.strings.len()).unwrap_or(u32::MAX);
            self.strings.push(text.clone());
            known.insert(text, number);
            number
        });
        self.texts.push(number);
        self.fills.push(cell.fill);
        self.elements.push(cell.element);
        self.places.push(cell.place);
    }
}
