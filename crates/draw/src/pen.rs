//! The pen that draws one sheet with box-drawing characters.

use std::ops::Range;

use crate::block::{Block, Line, Piece, Style};
use crate::cell::{Cell, Fill};
use crate::grid::Frame;
use crate::junction::{Arms, Weight, ascii, glyph};
use crate::sheet::Sheet;
use crate::text::TextOptions;
use crate::words::{centre, right, width};

/// The letters of groups named in the legend: a to z, then aa, ab and so on, in the legend's order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tags(Vec<(u32, String)>);

impl Tags {
    pub(crate) fn of_legend(legend: &[(Fill, String)]) -> Self {
        let mut tags: Vec<(u32, String)> = Vec::new();
        for (fill, _) in legend {
            if let Fill::Group(group) = *fill
                && !tags.iter().any(|(known, _)| *known == group)
            {
                let letters = letters(tags.len());
                tags.push((group, letters));
            }
        }
        Self(tags)
    }

    fn of(&self, fill: Fill) -> Option<&str> {
        self.0.iter().find(|(group, _)| fill == Fill::Group(*group)).map(|(_, tag)| tag.as_str())
    }

    fn width(&self) -> usize {
        self.0.iter().map(|(_, tag)| width(tag)).max().unwrap_or(0)
    }

    /// A sample of a fill for the legend.
    pub(crate) fn swatch(&self, fill: Fill, options: &TextOptions) -> String {
        let (before, after) = edges(fill, options);
        match fill {
            Fill::Empty => hatch(options.ascii).to_string().repeat(3),
            _ => format!("{before}{}{after}", self.of(fill).unwrap_or(" ")),
        }
    }
}

/// Draws the sheets of one panel, all with equally wide cells.
#[derive(Clone, Debug)]
pub(crate) struct Pen<'a> {
    tags: &'a Tags,
    /// Columns for letters in every cell.
    tag_width: usize,
    /// Columns for the text of every cell, letters not counted.
    text_width: usize,
    /// Columns for row headings, with the space after them.
    head_width: usize,
    /// Whether all cells are numbers, whose digits are aligned.
    numeric: bool,
    /// Whether columns without headings are numbered.
    numbered: bool,
    options: &'a TextOptions,
}

impl<'a> Pen<'a> {
    /// A pen for these sheets; `numbered` asks for column numbers where there are no headings.
    pub(crate) fn new(sheets: &[Sheet], tags: &'a Tags, options: &'a TextOptions, numbered: bool) -> Self {
        let cells = || sheets.iter().flat_map(Sheet::cells);
        let tagged = cells().any(|cell| tags.of(cell.fill).is_some());
        let tag_width = if tagged { tags.width() } else { 0 };
        let heads =
            sheets.iter().flat_map(|sheet| col_heads(sheet, numbered)).map(|head| width(head)).max().unwrap_or(0);
        let text = cells().flat_map(|cell| &cell.lines).map(|line| width(line)).max().unwrap_or(0);
        let head_width = sheets.iter().map(Sheet::row_head_width).max().filter(|&head| head > 0).map_or(0, |w| w + 1);
        let digits = |line: &str| line.chars().all(|c| c.is_ascii_digit() || "-.…⋮⋱:".contains(c));
        let numeric = cells().all(|cell| cell.lines.len() <= 1 && cell.lines.iter().all(|line| digits(line)));
        let text_width = text.max(heads.saturating_sub(tag_width)).max(1);
        Self { tags, tag_width, text_width, head_width, numeric, numbered, options }
    }

    /// Columns of the grid that fit into that many columns of text: one at least.
    pub(crate) fn columns_within(&self, columns: usize) -> usize {
        (columns.saturating_sub(self.head_width + 1) / (self.cell_width() + 1)).max(1)
    }

    /// Columns of text between two vertical lines.
    fn cell_width(&self) -> usize {
        self.tag_width + self.text_width + 2
    }

    /// These columns of a sheet.
    pub(crate) fn draw(&self, sheet: &Sheet, columns: Range<usize>) -> Block {
        let heads = col_heads(sheet, self.numbered);
        let mut block = Block::default();
        if let Some(heads) = heads.get(columns.clone()).filter(|heads| !heads.is_empty()) {
            block.lines.push(self.headings(heads));
        }
        block.ascent = block.lines.len();
        match sheet.frame {
            Frame::Lines => self.ruled(sheet, columns, &mut block),
            Frame::Parentheses => self.parenthesised(sheet, columns, &mut block),
        }
        block
    }

    fn headings(&self, heads: &[String]) -> Line {
        let mut text = " ".repeat(self.head_width);
        for head in heads {
            text.push(' ');
            text.push_str(&format!(" {} ", self.align(head, self.cell_width() - 2)));
        }
        vec![Piece::new(text, Style::Dim)]
    }

    fn ruled(&self, sheet: &Sheet, columns: Range<usize>, block: &mut Block) {
        let level = |levels: &[u8], n: usize| Weight::of_level(levels.get(n).copied().unwrap_or(0));
        let sign = |arms| {
            if self.options.ascii { ascii(arms) } else { glyph(arms) }
        };
        let rule = |n: usize| {
            let flat = level(&sheet.row_levels, n);
            let arm = |there: bool, weight| if there { weight } else { Weight::Absent };
            let bar = sign(Arms { up: Weight::Absent, right: flat, down: Weight::Absent, left: flat });
            let mut text = " ".repeat(self.head_width);
            for j in columns.start..=columns.end {
                let upright = level(&sheet.col_levels, j);
                text.push(sign(Arms {
                    up: arm(n > 0, upright),
                    right: arm(j < columns.end, flat),
                    down: arm(n < sheet.rows.len(), upright),
                    left: arm(j > columns.start, flat),
                }));
                if j < columns.end {
                    text.extend(std::iter::repeat_n(bar, self.cell_width()));
                }
            }
            vec![Piece::new(text, Style::Normal)]
        };
        let post = |j: usize| {
            let upright = level(&sheet.col_levels, j);
            let sign = sign(Arms { up: upright, right: Weight::Absent, down: upright, left: Weight::Absent });
            Piece::new(sign, Style::Normal)
        };
        block.lines.push(rule(0));
        for (n, row) in sheet.rows.iter().enumerate() {
            for (head, k, height) in self.lines_of(sheet, n, row) {
                let mut line = vec![head];
                for (j, cell) in (columns.clone()).zip(row.get(columns.clone()).unwrap_or_default()) {
                    line.extend([post(j), self.face(cell, k, height)]);
                }
                line.push(post(columns.end));
                block.lines.push(line);
            }
            block.lines.push(rule(n + 1));
        }
    }

    fn parenthesised(&self, sheet: &Sheet, columns: Range<usize>, block: &mut Block) {
        let mut lines = Vec::new();
        for (n, row) in sheet.rows.iter().enumerate() {
            for (head, k, height) in self.lines_of(sheet, n, row) {
                let faces = row.get(columns.clone()).unwrap_or_default().iter();
                lines.push((head, faces.map(|cell| self.face(cell, k, height)).collect::<Vec<_>>()));
            }
        }
        let count = lines.len();
        for (n, (head, faces)) in lines.into_iter().enumerate() {
            let (open, close) = match (n == 0, n + 1 == count, self.options.ascii) {
                (true, true, _) => ("(", ")"),
                (true, _, false) => ("⎛", "⎞"),
                (_, true, false) => ("⎝", "⎠"),
                (_, _, false) => ("⎜", "⎟"),
                (true, _, true) => ("/", "\\"),
                (_, true, true) => ("\\", "/"),
                (_, _, true) => ("|", "|"),
            };
            let mut line = vec![head, Piece::new(open, Style::Normal)];
            line.extend(faces);
            line.push(Piece::new(close, Style::Normal));
            block.lines.push(line);
        }
    }

    /// For each line of text in row `n`: what stands on its left, its number, and how many there are.
    fn lines_of(&self, sheet: &Sheet, n: usize, row: &[Cell]) -> impl Iterator<Item = (Piece, usize, usize)> {
        let height = row.iter().map(|cell| cell.lines.len()).max().unwrap_or(0).max(1);
        let head = sheet.row_heads.get(n).cloned().unwrap_or_default();
        let columns = self.head_width.saturating_sub(1);
        let gap = if self.head_width > 0 { " " } else { "" };
        (0..height).map(move |k| {
            let head = if k == (height - 1) / 2 { head.as_str() } else { "" };
            (Piece::new(format!("{}{gap}", right(head, columns)), Style::Dim), k, height)
        })
    }

    /// Line `k` of `height` of a cell, between its vertical lines.
    fn face(&self, cell: &Cell, k: usize, height: usize) -> Piece {
        let top = height.saturating_sub(cell.lines.len()) / 2;
        let text = k.checked_sub(top).and_then(|k| cell.lines.get(k)).map_or("", String::as_str);
        let (before, after) = if text.is_empty() && k != top { (' ', ' ') } else { edges(cell.fill, self.options) };
        let face = match cell.fill {
            Fill::Empty if text.is_empty() => hatch(self.options.ascii).to_string().repeat(self.cell_width()),
            _ => {
                let tag = self.tags.of(cell.fill).filter(|_| k == top).unwrap_or("");
                let text = format!("{before}{text}{after}");
                let text = self.align(&text, self.text_width + 2);
                format!("{tag:<tag_width$}{text}", tag_width = self.tag_width)
            }
        };
        Piece::new(face, Style::Filled(cell.fill))
    }

    fn align(&self, text: &str, columns: usize) -> String {
        if self.numeric { right(text, columns) } else { centre(text, columns) }
    }
}

/// The headings above a sheet's columns, or the numbers in their place.
fn col_heads(sheet: &Sheet, numbered: bool) -> &[String] {
    if sheet.col_heads.is_empty() && numbered { &sheet.col_numbers } else { &sheet.col_heads }
}

/// What stands before and after the text of a cell.
fn edges(fill: Fill, options: &TextOptions) -> (char, char) {
    match (fill, options.colour, options.ascii) {
        (Fill::Marked, _, _) => ('[', ']'),
        (Fill::Muted, false, false) => ('·', '·'),
        (Fill::Muted, false, true) => ('~', '~'),
        _ => (' ', ' '),
    }
}

/// What an empty cell is filled with.
fn hatch(ascii: bool) -> char {
    if ascii { '/' } else { '░' }
}

/// The n-th of a, b, …, z, aa, ab, ….
fn letters(mut n: usize) -> String {
    let mut text = String::new();
    loop {
        let letter = u8::try_from(n % 26).map_or('?', |n| char::from(b'a' + n));
        text.insert(0, letter);
        match (n / 26).checked_sub(1) {
            Some(rest) => n = rest,
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 1, 25, 26, 27, 701, 702].map(letters), ["a", "b", "z", "aa", "ab", "zz", "aaa"]);
    }

    #[test]
    fn a_group_named_twice_keeps_its_letter() {
        let legend =
            [(Fill::Group(7), String::new()), (Fill::Group(7), String::new()), (Fill::Group(1), String::new())];
        let tags = Tags::of_legend(&legend);
        assert_eq!(
            (tags.of(Fill::Group(7)), tags.of(Fill::Group(1)), tags.of(Fill::Plain)),
            (Some("a"), Some("b"), None)
        );
    }
}
