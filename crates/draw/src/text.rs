//! Pictures as text, for terminals and logs.
//!
//! Lines of level 0 are light, of level 1 heavy, of level 2 and above double. A picture wider than the terminal is
//! broken where that hurts least: panels go below one another, then a grid's columns go in blocks, cut at the border of
//! a tile if there is one in the second half of the block. Without colour a marked cell stands in brackets, a muted
//! one between dots, an empty one is hatched, and groups that the legend names carry its letters.

use std::ops::Range;

use crate::block::{Block, Line, Piece, Style, beside, paint};
use crate::cell::Fill;
use crate::grid::Frame;
use crate::pen::{Pen, Tags};
use crate::picture::{Panel, Picture};
use crate::sheet::{Ellipses, Sheet};
use crate::words;

/// How [`text`] draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns of the terminal. A grid uses more only if one single column of it needs more.
    pub max_width: usize,
    /// The most cells drawn of any grid; the middle of a larger one is left out, and a note says so.
    pub max_cells: usize,
    /// Whether frames and signs are drawn with ASCII only. The caller's own texts are printed as they are.
    pub ascii: bool,
    /// Whether ANSI escapes (24-bit colours) are written.
    pub colour: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { max_width: 100, max_cells: 4096, ascii: false, colour: false }
    }
}

/// Columns between panels that stand side by side, and between entries of the legend.
const GAP: usize = 3;

/// The narrowest column of words that a caption is broken into.
const NARROWEST: usize = 32;

/// Draws a picture with box-drawing characters.
///
/// ```
/// use bitstride_draw::{Cell, Fill, Grid, Panel, Picture, TextOptions, text};
/// let strip = |caption, stride: u64| {
///     Grid::strip(caption, 5, move |i| if i % stride == 0 { Cell::new(i / stride) } else { Cell::empty() })
/// };
/// let picture = Picture::default().row([Panel::stack([strip("3:1", 1), strip("3:2", 2)])]);
/// assert_eq!(text(&picture, &TextOptions::default()), "\
/// \u{20}   ┌───┬───┬───┬───┬───┐
/// 3:1 │ 0 │ 1 │ 2 │ 3 │ 4 │
///     └───┴───┴───┴───┴───┘
///     ┌───┬───┬───┬───┬───┐
/// 3:2 │ 0 │░░░│ 1 │░░░│ 2 │
///     └───┴───┴───┴───┴───┘
/// ");
/// ```
pub fn text(picture: &Picture, options: &TextOptions) -> String {
    let grids = picture.rows.iter().flatten().flat_map(|panel| &panel.grids);
    let sheets: Vec<Sheet> = grids.map(|grid| Sheet::new(grid, options.max_cells, Ellipses::UNICODE)).collect();
    let legend = picture.legend_of(sheets.iter().flat_map(Sheet::cells));
    let tags = if options.colour { Tags::default() } else { Tags::of_legend(&legend) };
    let mut sections: Vec<Vec<Line>> = vec![written(&picture.title, options.max_width, Style::Bold)];
    for row in &picture.rows {
        let mut blocks: Vec<Block> = row.iter().flat_map(|panel| panel_blocks(panel, &tags, options)).collect();
        let hidden = row.iter().take_while(|panel| panel.is_hidden).count();
        if hidden > 0 && flow(blocks.clone(), options.max_width).len() > 1 {
            blocks.drain(..hidden.min(blocks.len()));
        }
        sections.extend(flow(blocks, options.max_width).into_iter().map(|line| beside(line, GAP)));
    }
    let legend = legend.iter().map(|(fill, meaning)| entry(*fill, meaning, &tags, options)).collect();
    sections.push(flow(legend, options.max_width).into_iter().flat_map(|line| beside(line, GAP)).collect());
    sections.push(written(&picture.footnote, options.max_width, Style::Dim));
    sections.retain(|section| !section.is_empty());
    paint(&sections.join(&Line::new()), options.colour)
}

/// Blocks in rows, each as full as `columns` allows.
fn flow(blocks: Vec<Block>, columns: usize) -> Vec<Vec<Block>> {
    let mut rows: Vec<Vec<Block>> = Vec::new();
    let mut used = 0;
    for block in blocks {
        let needed = block.width();
        match rows.last_mut() {
            Some(row) if used + GAP + needed <= columns => {
                used += GAP + needed;
                row.push(block);
            }
            _ => {
                used = needed;
                rows.push(vec![block]);
            }
        }
    }
    rows
}

/// `words` broken into lines of one style.
fn written(text: &str, columns: usize, style: Style) -> Vec<Line> {
    words::wrap(text, columns).into_iter().map(|line| vec![Piece::new(line, style)]).collect()
}

/// One panel; a tall one in pieces where two go side by side.
fn panel_blocks(panel: &Panel, tags: &Tags, options: &TextOptions) -> Vec<Block> {
    let whole = panel_block(panel, tags, options);
    if panel.is_hidden {
        let room = Piece::new(" ".repeat(whole.width()), Style::Normal);
        return vec![Block { lines: vec![vec![room]], ascent: 0 }];
    }
    let complete = panel.grids.iter().all(|grid| Sheet::new(grid, options.max_cells, Ellipses::UNICODE).note.is_none());
    let pieces = panel.pieces().filter(|_| complete);
    let pieces: Option<Vec<Block>> =
        pieces.map(|pieces| pieces.iter().map(|piece| panel_block(piece, tags, options)).collect());
    let fits = |pieces: &Vec<Block>| {
        let widest = pieces.iter().map(Block::width).max().unwrap_or(0);
        widest.saturating_mul(2).saturating_add(GAP) <= options.max_width
    };
    pieces.filter(fits).unwrap_or_else(|| vec![whole])
}

/// One panel: title, grids, notes and caption.
fn panel_block(panel: &Panel, tags: &Tags, options: &TextOptions) -> Block {
    let signs = if options.ascii { Ellipses::ASCII } else { Ellipses::UNICODE };
    let sheets: Vec<Sheet> = panel.grids.iter().map(|grid| Sheet::new(grid, options.max_cells, signs)).collect();
    let cols = sheets.iter().map(Sheet::cols).max().unwrap_or(0);
    let mut pen = Pen::new(&sheets, tags, options, false);
    if pen.columns_within(options.max_width) < cols {
        pen = Pen::new(&sheets, tags, options, true);
    }
    let mut body = Block::default();
    for columns in column_blocks(&sheets, cols, pen.columns_within(options.max_width)) {
        if !body.lines.is_empty() && columns.start > 0 {
            body.lines.push(Line::new());
        }
        for sheet in sheets.iter().filter(|sheet| columns.start < sheet.cols()) {
            let drawn = pen.draw(sheet, columns.start..columns.end.min(sheet.cols()));
            if body.lines.is_empty() {
                body.ascent = drawn.ascent;
            }
            body.lines.extend(drawn.lines);
        }
    }

    let columns = body.width().max(NARROWEST).min(options.max_width);
    for note in sheets.iter().filter_map(|sheet| sheet.note.as_deref()) {
        body.lines.extend(written(note, columns, Style::Dim));
    }
    body.lines.extend(written(&panel.caption, columns, Style::Dim));
    let mut lines = written(&panel.title, columns, Style::Bold);
    body.ascent += lines.len();
    lines.append(&mut body.lines);
    Block { lines, ..body }
}

/// The columns of stacked sheets cut into ranges of at most `most`, at tile borders where possible.
fn column_blocks(sheets: &[Sheet], cols: usize, most: usize) -> Vec<Range<usize>> {
    let level = |line: usize| {
        let levels = sheets.iter().filter(|sheet| sheet.frame == Frame::Lines);
        levels.filter_map(|sheet| sheet.col_levels.get(line)).max().copied().unwrap_or(0)
    };
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < cols {
        let full = start.saturating_add(most);
        let end = if full >= cols {
            cols
        } else {
            (start + most / 2 + 1..=full).max_by_key(|&line| (level(line), line)).unwrap_or(full)
        };
        blocks.push(start..end);
        start = end;
    }
    blocks
}

/// One entry of the legend.
fn entry(fill: Fill, meaning: &str, tags: &Tags, options: &TextOptions) -> Block {
    let swatch = Piece::new(tags.swatch(fill, options), Style::Filled(fill));
    Block { lines: vec![vec![swatch, Piece::new(format!(" {meaning}"), Style::Normal)]], ascent: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Cell;
    use crate::grid::Grid;

    fn check(picture: &Picture, options: TextOptions, expected: &str) {
        let drawn = text(picture, &options);
        // A first line that begins with spaces stands best below the opening quote.
        let expected = expected.trim_start_matches('\n');
        assert_eq!(drawn, expected, "drawn:\n{drawn}");
    }

    fn one(grid: Grid) -> Picture {
        Picture::default().row([Panel::new(grid)])
    }

    #[test]
    fn tiles_of_tiles_have_heavier_borders() {
        let level = |line: u64| {
            if line.is_multiple_of(4) { 2 } else { u8::from(line.is_multiple_of(2)) }
        };
        let grid = Grid::from_fn(4, 4, |i, j| Cell::new(i + 4 * j)).row_levels(level).col_levels(level);
        let unicode = "
╔════╤════╤════╤════╗
║  0 │  4 ┃  8 │ 12 ║
╟────┼────╂────┼────╢
║  1 │  5 ┃  9 │ 13 ║
╟━━━━┿━━━━╋━━━━┿━━━━╢
║  2 │  6 ┃ 10 │ 14 ║
╟────┼────╂────┼────╢
║  3 │  7 ┃ 11 │ 15 ║
╚════╧════╧════╧════╝
";
        check(&one(grid.clone()), TextOptions::default(), unicode);
        let ascii = "
#####################
#  0 |  4 #  8 | 12 #
#----+----+----+----#
#  1 |  5 #  9 | 13 #
#====+====+====+====#
#  2 |  6 # 10 | 14 #
#----+----+----+----#
#  3 |  7 # 11 | 15 #
#####################
";
        check(&one(grid), TextOptions { ascii: true, ..TextOptions::default() }, ascii);
    }

    #[test]
    fn wide_and_tall_cells_stay_aligned() {
        let cells = ["T0\nV1", "T10\nV12", "×"];
        let grid =
            Grid::from_fn(1, 3, |_, j| Cell::new(cells[usize::try_from(j).expect("small")])).row_heads(|_| "row");
        let expected = "
    ┌─────┬─────┬─────┐
row │  T0 │ T10 │  ×  │
    │  V1 │ V12 │     │
    └─────┴─────┴─────┘
";
        check(&one(grid), TextOptions::default(), expected);
    }

    fn fills() -> Picture {
        let fills = [Fill::Plain, Fill::Muted, Fill::Marked, Fill::Empty, Fill::Group(4), Fill::Group(9)];
        let strip = Grid::strip("", 6, |j| {
            let fill = fills[usize::try_from(j).expect("small")];
            if fill == Fill::Empty { Cell::empty() } else { Cell::new(j).fill(fill) }
        });
        one(strip).legend(Fill::Group(4), "tile 4").legend(Fill::Empty, "padding").legend(Fill::Group(9), "tile 9")
    }

    #[test]
    fn fills_are_told_apart_without_colour() {
        let expected = "
┌────┬────┬────┬────┬────┬────┐
│  0 │ ·1·│ [2]│░░░░│a 4 │b 5 │
└────┴────┴────┴────┴────┴────┘

 a  tile 4   ░░░ padding    b  tile 9
";
        check(&fills(), TextOptions::default(), expected);
        let ascii = text(&fills(), &TextOptions { ascii: true, ..TextOptions::default() });
        assert!(ascii.is_ascii(), "{ascii}");
    }

    #[test]
    fn colour_replaces_the_letters() {
        let drawn = text(&fills(), &TextOptions { colour: true, ..TextOptions::default() });
        assert!(drawn.contains("\x1b[48;2;191;247;167;38;2;0;0;0m 4 \x1b[0m"), "{drawn}");
        assert!(drawn.contains("\x1b[2m 1 \x1b[0m"), "{drawn}");
        assert!(!drawn.contains(" a "), "{drawn}");
    }

    #[test]
    fn columns_are_wrapped_at_tile_borders() {
        let grid = Grid::from_fn(1, 7, |_, j| Cell::new(j))
            .row_heads(|i| i)
            .col_levels(|line| u8::from(line.is_multiple_of(3)));
        let expected = "
    0   1   2
  ┎───┬───┬───┒
0 ┃ 0 │ 1 │ 2 ┃
  ┖───┴───┴───┚

    3   4   5   6
  ┎───┬───┬───┰───┐
0 ┃ 3 │ 4 │ 5 ┃ 6 │
  ┖───┴───┴───┸───┘
";
        check(&one(grid), TextOptions { max_width: 20, ..TextOptions::default() }, expected);
    }

    #[test]
    fn column_numbers_make_room_for_themselves() {
        let grid = Grid::strip("", 1002, |_| Cell::new(0).fill(Fill::Marked));
        let options = TextOptions { max_width: 22, max_cells: 5, ..TextOptions::default() };
        let expected = "
     0      1      2
┌──────┬──────┬──────┐
│   [0]│   [0]│   [0]│
└──────┴──────┴──────┘

     …   1000   1001
┌──────┬──────┬──────┐
│    … │   [0]│   [0]│
└──────┴──────┴──────┘
left out: columns 3 to
999 of 1002
";
        check(&one(grid), options, expected);
    }

    #[test]
    fn nothing_is_wider_than_the_terminal() {
        let grid = Grid::from_fn(3, 200, |i, j| Cell::new(i + 3 * j)).row_heads(|i| i).col_heads(|j| j);
        let panel = Panel::new(grid).title("a title of several words").caption(&"words ".repeat(40));
        let picture = Picture::new(&"head ".repeat(30)).row([panel.clone(), panel]).footnote(&"foot ".repeat(30));
        for max_width in [20, 47, 80, 133] {
            let drawn = text(&picture, &TextOptions { max_width, ..TextOptions::default() });
            let widest = drawn.lines().map(words::width).max();
            assert!(widest <= Some(max_width), "{widest:?} columns of {max_width}");
        }
    }

    #[test]
    fn large_grids_lose_their_middle() {
        let grid = Grid::from_fn(1 << 30, 1 << 30, |i, j| Cell::new(i + j)).row_heads(|i| i).col_heads(|j| j);
        let drawn = text(&one(grid), &TextOptions { max_cells: 9, ..TextOptions::default() });
        assert!(drawn.contains("⋱") && drawn.contains("left out: rows 2 to 1073741822 of 1073741824"), "{drawn}");
    }

    #[test]
    fn panels_stand_side_by_side_while_there_is_room() {
        let panel = |title: &str, n: u64| Panel::new(Grid::from_fn(1, 2, |_, j| Cell::new(n * j))).title(title);
        let picture = Picture::new("2:3").row([panel("logical", 1), panel("offset", 3)]).footnote("two views");
        let expected = "
2:3

logical     offset
┌───┬───┐   ┌───┬───┐
│ 0 │ 1 │   │ 0 │ 3 │
└───┴───┘   └───┴───┘

two views
";
        check(&picture, TextOptions::default(), expected);
        let expected = "
2:3

logical
┌───┬───┐
│ 0 │ 1 │
└───┴───┘

offset
┌───┬───┐
│ 0 │ 3 │
└───┴───┘

two views
";
        check(&picture, TextOptions { max_width: 20, ..TextOptions::default() }, expected);
    }

    #[test]
    fn two_lines_between_parentheses() {
        let pairs = [0, 10, 5].into_iter().enumerate().map(|(i, v)| (Cell::new(i), Cell::new(v)));
        let grid = Grid::two_line(pairs).row_heads(|i| if i == 0 { "i" } else { "L(i)" });
        let expected = "
   i ⎛  0   1   2 ⎞
L(i) ⎝  0  10   5 ⎠
";
        check(&one(grid.clone()), TextOptions::default(), expected);
        let expected = "
   i /  0   1   2 \\
L(i) \\  0  10   5 /
";
        check(&one(grid), TextOptions { ascii: true, ..TextOptions::default() }, expected);
    }

    #[test]
    fn odd_pictures_and_narrow_terminals_are_drawn() {
        let none = Panel::new(Grid::from_fn(0, u64::MAX, |_, _| Cell::default())).title("nothing");
        let many = Panel::new(Grid::from_fn(u64::MAX, u64::MAX, |i, _| Cell::new(i)));
        let picture = Picture::default().row([]).row([Panel::stack([]), none, many]);
        for (max_width, max_cells) in [(0, 0), (1, 1), (usize::MAX, 2), (usize::MAX, usize::MAX)] {
            let options = TextOptions { max_width, max_cells, ..TextOptions::default() };
            let drawn = text(&picture, &options);
            assert!(drawn.contains("nothing") && drawn.contains('⋱'), "{drawn}");
        }
        assert_eq!(text(&Picture::default(), &TextOptions::default()), "");
    }
}
