//! A picture: titled panels in rows, with a legend and a footnote.
//!
//! The model says what is shown, never how: no coordinate, font or colour appears in it. Each renderer decides those.

use std::collections::HashSet;

use crate::cell::{Cell, Fill};
use crate::grid::Grid;
use crate::words;

/// Everything that one figure shows.
///
/// ```
/// use bitstride_draw::{Cell, Fill, Grid, Panel, Picture};
/// let strip = Grid::strip("offset", 6, |i| Cell::new(2 * i).fill(Fill::Group(0)));
/// let picture = Picture::new("6:2")
///     .row([Panel::new(strip).caption("every second element")])
///     .legend(Fill::Group(0), "first repetition");
/// # let _ = picture;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    pub(crate) title: String,
    pub(crate) rows: Vec<Vec<Panel>>,
    pub(crate) legend: Vec<(Fill, String)>,
    pub(crate) footnote: String,
}

impl Picture {
    /// A picture headed by `title`, usually the text of the layout, with nothing below it yet.
    pub fn new(title: &str) -> Self {
        Self { title: words::clean(title), ..Self::default() }
    }

    /// The number of cells of its largest grid.
    pub fn largest(&self) -> u64 {
        let grids = self.rows.iter().flatten().flat_map(|panel| &panel.grids);
        grids.map(|grid| grid.rows().saturating_mul(grid.cols())).max().unwrap_or(0)
    }

    /// The same picture with these panels side by side below those it has.
    #[must_use]
    pub fn row(mut self, panels: impl IntoIterator<Item = Panel>) -> Self {
        self.rows.push(panels.into_iter().collect());
        self
    }

    /// The same picture with one more legend entry: what cells with this fill mean. It is drawn where such a cell is.
    ///
    /// Text without colour distinguishes groups only where the legend names them: each then has a letter.
    #[must_use]
    pub fn legend(mut self, fill: Fill, meaning: &str) -> Self {
        self.legend.push((fill, words::clean(meaning).replace('\n', " ")));
        self
    }

    /// The entries of the legend whose fill one of these cells has.
    pub(crate) fn legend_of<'c>(&self, cells: impl Iterator<Item = &'c Cell>) -> Vec<(Fill, String)> {
        let drawn: HashSet<Fill> = cells.map(|cell| cell.fill).collect();
        self.legend.iter().filter(|(fill, _)| drawn.contains(fill)).cloned().collect()
    }

    /// The same picture with `note` as its last line.
    #[must_use]
    pub fn footnote(mut self, note: &str) -> Self {
        self.footnote = words::clean(note);
        self
    }
}

/// One or more grids under a title and over a caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    pub(crate) title: String,
    pub(crate) grids: Vec<Grid>,
    pub(crate) caption: String,
    /// Whether only its room is left free.
    pub(crate) is_hidden: bool,
    /// Whether it stays in one piece.
    pub(crate) is_whole: bool,
}

impl Panel {
    /// A panel that shows one grid.
    pub fn new(grid: Grid) -> Self {
        Self::stack([grid])
    }

    /// A panel that shows grids, usually strips, below one another: equally large cells, left edges aligned.
    pub fn stack(grids: impl IntoIterator<Item = Grid>) -> Self {
        let grids = grids.into_iter().collect();
        Self { title: String::new(), grids, caption: String::new(), is_hidden: false, is_whole: false }
    }

    /// The same panel under a title.
    #[must_use]
    pub fn title(mut self, title: &str) -> Self {
        self.title = words::clean(title);
        self
    }

    /// The same panel over a caption.
    #[must_use]
    pub fn caption(mut self, caption: &str) -> Self {
        self.caption = words::clean(caption);
        self
    }

    /// Only the room beside the next panel that it would take, so that what follows stands above or below another panel's
    /// neighbour. Where the row is too wide for the page, it takes none.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { is_hidden: true, ..self }
    }

    /// The same panel in one piece, however tall it is, since its rows belong to those of its neighbours.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }

    /// A tall panel in pieces, to stand beside one another: the first has the title and the last the caption. `None` where
    /// it is not tall, or is more than one grid.
    pub(crate) fn pieces(&self) -> Option<Vec<Panel>> {
        let [grid] = self.grids.as_slice() else {
            return None;
        };
        if self.is_whole {
            return None;
        }
        let grids = grid.pieces()?;
        let last = grids.len().saturating_sub(1);
        let piece = |(at, grid): (usize, Grid)| Panel {
            title: if at == 0 { self.title.clone() } else { String::new() },
            grids: vec![grid],
            caption: if at == last { self.caption.clone() } else { String::new() },
            is_hidden: false,
            is_whole: true,
        };
        Some(grids.into_iter().enumerate().map(piece).collect())
    }
}
