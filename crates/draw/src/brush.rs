//! The brush that draws one sheet as SVG elements.

use std::fmt::Write;

use crate::cell::{Cell, Fill};
use crate::grid::Frame;
use crate::palette::{INK, background, ink};
use crate::sheet::Sheet;
use crate::words::width;
use crate::xml::{Xml, number};

/// Size of the text in cells.
const TEXT: f64 = 13.0;
/// From one line of a cell to the next.
const PITCH: f64 = 15.0;
/// Size of row and column headings.
const HEAD: f64 = 11.0;
/// Height reserved above the cells for column headings.
const HEAD_HEIGHT: f64 = 18.0;
/// Between a row heading and the cells.
const HEAD_GAP: f64 = 8.0;
/// How far parentheses stand out on either side.
const PARENTHESIS: f64 = 9.0;
/// The least width and height of a cell.
const MIN_CELL_SIZE: f64 = 26.0;
/// From a line's middle down to its baseline, as a part of the text size.
const BASELINE: f64 = 0.36;
/// Lines by level: colour and thickness.
const STROKES: [(&str, &str); 4] = [("#949494", "1"), ("#222222", "2"), ("#111111", "3"), ("#111111", "4")];

/// A count as a length.
pub(crate) fn length(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

/// The width of that many characters of a monospaced font: reckoned a little wider than the widest usual one.
pub(crate) fn advance(characters: usize, size: f64) -> f64 {
    0.61 * size * length(characters)
}

/// The size that all cells of a picture share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brush {
    width: f64,
    height: f64,
}

impl Brush {
    /// Cells large enough for every text of these sheets.
    pub(crate) fn for_sheets<'a>(sheets: impl Iterator<Item = &'a Sheet>) -> Self {
        let mut brush = Self { width: MIN_CELL_SIZE, height: MIN_CELL_SIZE };
        for sheet in sheets {
            for head in &sheet.col_heads {
                brush.width = brush.width.max(advance(width(head), HEAD) + 8.0);
            }
            for cell in sheet.cells() {
                for line in &cell.lines {
                    brush.width = brush.width.max(advance(width(line), TEXT) + 10.0);
                }
                let more = cell.lines.len().saturating_sub(1);
                brush.height = brush.height.max(MIN_CELL_SIZE + PITCH * length(more));
            }
        }
        Self { width: brush.width.ceil(), height: brush.height.ceil() }
    }

    /// What stands on the left of a sheet's cells.
    pub(crate) fn left(sheet: &Sheet) -> f64 {
        let heads = sheet.row_head_width();
        let heads = if heads > 0 { (advance(heads, HEAD) + HEAD_GAP).ceil() } else { 0.0 };
        heads + if sheet.frame == Frame::Parentheses { PARENTHESIS } else { 0.0 }
    }

    /// What stands above a sheet's cells.
    pub(crate) fn above(sheet: &Sheet) -> f64 {
        if sheet.col_heads.is_empty() { 0.0 } else { HEAD_HEIGHT }
    }

    /// Width of a sheet's cells and what stands on their right.
    pub(crate) fn sheet_width(&self, sheet: &Sheet) -> f64 {
        self.width * length(sheet.cols()) + if sheet.frame == Frame::Parentheses { PARENTHESIS } else { 0.0 }
    }

    /// Height of a sheet's cells.
    pub(crate) fn sheet_height(&self, sheet: &Sheet) -> f64 {
        self.height * length(sheet.rows.len())
    }

    /// Draws a sheet whose first cell's upper left corner is at (x, y).
    pub(crate) fn draw(&self, sheet: &Sheet, x: f64, y: f64, xml: &mut Xml) {
        for (i, row) in sheet.rows.iter().enumerate() {
            self.fills(row, x, y + self.height * length(i), xml);
        }
        match sheet.frame {
            Frame::Lines => self.lines(sheet, x, y, xml),
            Frame::Parentheses => self.parentheses(sheet, x, y, xml),
        }
        self.texts(sheet, x, y, xml);
        self.heads(sheet, x, y, xml);
        self.hover_titles(sheet, x, y, xml);
    }

    /// The backgrounds of a row: one rectangle for each run of cells with one fill.
    fn fills(&self, row: &[Cell], x: f64, y: f64, xml: &mut Xml) {
        let mut start = 0;
        for run in row.chunk_by(|a, b| a.fill == b.fill) {
            let fill = run.first().map(|cell| cell.fill).unwrap_or_default();
            let (left, wide) = (x + self.width * length(start), self.width * length(run.len()));
            if fill != Fill::Plain {
                rect([left, y, wide, self.height], &[("fill", &background(fill).hex())], xml);
            }
            if fill == Fill::Empty {
                let d = hatching([left, y, wide, self.height]);
                xml.empty("path", &[("d", &d), ("fill", "none"), ("stroke", "#c2c2c2"), ("stroke-width", "1")]);
            }
            start += run.len();
        }
    }

    /// The lines around and between cells, heavier ones on top of lighter ones.
    fn lines(&self, sheet: &Sheet, x: f64, y: f64, xml: &mut Xml) {
        if sheet.rows.is_empty() {
            return;
        }
        let (right, bottom) = (x + self.width * length(sheet.cols()), y + self.sheet_height(sheet));
        for (level, (colour, thickness)) in STROKES.iter().enumerate() {
            let drawn = |line: &u8| usize::from(*line).min(STROKES.len() - 1) == level;
            let mut d = String::new();
            for (n, _) in sheet.row_levels.iter().enumerate().filter(|(_, line)| drawn(line)) {
                let at = y + self.height * length(n);
                let _ = write!(d, "M{} {}H{}", number(x), number(at), number(right));
            }
            for (n, _) in sheet.col_levels.iter().enumerate().filter(|(_, line)| drawn(line)) {
                let at = x + self.width * length(n);
                let _ = write!(d, "M{} {}V{}", number(at), number(y), number(bottom));
            }
            if !d.is_empty() {
                let stroke = [("stroke", *colour), ("stroke-width", *thickness), ("stroke-linecap", "square")];
                xml.empty("path", &[[("d", d.as_str()), ("fill", "none")].as_slice(), stroke.as_slice()].concat());
            }
        }
        for (i, row) in sheet.rows.iter().enumerate() {
            for (j, _) in row.iter().enumerate().filter(|(_, cell)| cell.fill == Fill::Marked) {
                let corner = [x + self.width * length(j), y + self.height * length(i), self.width, self.height];
                rect(corner, &[("fill", "none"), ("stroke", "#111111"), ("stroke-width", "3")], xml);
            }
        }
    }

    fn parentheses(&self, sheet: &Sheet, x: f64, y: f64, xml: &mut Xml) {
        let (right, height) = (x + self.width * length(sheet.cols()), self.sheet_height(sheet));
        let mut d = String::new();
        for (tip, belly) in [(x, x - PARENTHESIS), (right, right + PARENTHESIS)] {
            let [tip, belly, top, upper, lower, bottom] =
                [tip, belly, y + 1.0, y + height * 0.3, y + height * 0.7, y + height - 1.0].map(number);
            let _ = write!(d, "M{tip} {top}C{belly} {upper} {belly} {lower} {tip} {bottom}");
        }
        xml.empty("path", &[("d", &d), ("fill", "none"), ("stroke", "#222222"), ("stroke-width", "1.6")]);
    }

    fn texts(&self, sheet: &Sheet, x: f64, y: f64, xml: &mut Xml) {
        let (size, small) = (number(TEXT), number(HEAD));
        let [muted, empty] = [Fill::Muted, Fill::Empty].map(|fill| ink(fill).hex());
        xml.open("g", &[("font-size", &size), ("text-anchor", "middle"), ("fill", &INK.hex())]);
        for (i, row) in sheet.rows.iter().enumerate() {
            for (j, cell) in row.iter().enumerate() {
                let middle = number(x + self.width * (length(j) + 0.5));
                let more = length(cell.lines.len().saturating_sub(1));
                let first = y + self.height * (length(i) + 0.5) - PITCH * more / 2.0 + BASELINE * TEXT;
                for (k, line) in cell.lines.iter().enumerate() {
                    let base = number(first + PITCH * length(k));
                    let mut attributes = vec![("x", middle.as_str()), ("y", &base)];
                    match cell.fill {
                        Fill::Muted => attributes.push(("fill", &muted)),
                        Fill::Empty => attributes.extend([("fill", empty.as_str()), ("font-size", &small)]),
                        Fill::Marked => attributes.push(("font-weight", "bold")),
                        _ => {}
                    }
                    xml.text("text", &attributes, line);
                }
            }
        }
        xml.close();
    }

    /// What a reader sees where the pointer rests on a cell that stands for an element or a place. The areas are over all
    /// else, so that the pointer meets them first, and are not seen.
    fn hover_titles(&self, sheet: &Sheet, x: f64, y: f64, xml: &mut Xml) {
        let is_linked = |cell: &Cell| cell.element.is_some() || cell.place.is_some();
        if !sheet.cells().any(is_linked) {
            return;
        }
        let [width, height] = [self.width, self.height].map(number);
        xml.open("g", &[("fill", "none"), ("stroke", "none"), ("pointer-events", "all")]);
        for (i, row) in sheet.rows.iter().enumerate() {
            for (j, cell) in row.iter().enumerate().filter(|(_, cell)| is_linked(cell)) {
                let [left, top] = [x + self.width * length(j), y + self.height * length(i)].map(number);
                xml.open("rect", &[("x", &left), ("y", &top), ("width", &width), ("height", &height)]);
                xml.text("title", &[], &hover_title(cell, sheet.row_heads.get(i), sheet.col_heads.get(j)));
                xml.close();
            }
        }
        xml.close();
    }

    fn heads(&self, sheet: &Sheet, x: f64, y: f64, xml: &mut Xml) {
        if sheet.row_heads.is_empty() && sheet.col_heads.is_empty() {
            return;
        }
        xml.open("g", &[("font-size", &number(HEAD)), ("fill", "#666666")]);
        let outside = if sheet.frame == Frame::Parentheses { PARENTHESIS } else { 0.0 };
        let right = number(x - HEAD_GAP - outside);
        for (i, head) in sheet.row_heads.iter().enumerate() {
            let base = number(y + self.height * (length(i) + 0.5) + BASELINE * HEAD);
            xml.text("text", &[("x", &right), ("y", &base), ("text-anchor", "end")], head);
        }
        let base = number(y - HEAD_HEIGHT / 2.0 + BASELINE * HEAD - 1.0);
        for (j, head) in sheet.col_heads.iter().enumerate() {
            let middle = number(x + self.width * (length(j) + 0.5));
            xml.text("text", &[("x", &middle), ("y", &base), ("text-anchor", "middle")], head);
        }
        xml.close();
    }
}

/// What a cell is: its headings, its text, and the numbers by which pictures are linked.
fn hover_title(cell: &Cell, row: Option<&String>, col: Option<&String>) -> String {
    let heads = [("row", row), ("column", col)].into_iter();
    let heads: Vec<_> = heads.filter_map(|(axis, head)| head.map(|head| format!("{axis} {head}"))).collect();
    let numbers = [("element", cell.element), ("place", cell.place)].into_iter();
    let numbers: Vec<_> = numbers.filter_map(|(of, number)| number.map(|number| format!("{of} {number}"))).collect();
    let parts = [heads.join(", "), cell.lines.join(" "), numbers.join(", ")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

/// A rectangle given by its left, top, width and height.
pub(crate) fn rect(place: [f64; 4], style: &[(&str, &str)], xml: &mut Xml) {
    let [x, y, width, height] = place.map(number);
    let place = [("x", x.as_str()), ("y", &y), ("width", &width), ("height", &height)];
    xml.empty("rect", &[place.as_slice(), style].concat());
}

/// Path data of rising diagonals over a rectangle, in step with those of its neighbours.
pub(crate) fn hatching([x, y, width, height]: [f64; 4]) -> String {
    const STEP: f64 = 6.0;
    let mut d = String::new();
    // The diagonals are the lines on which the sum of both coordinates is a multiple of the step.
    let mut sum = ((x + y) / STEP).floor() * STEP + STEP;
    while sum < x + y + width + height {
        let (left, right) = (x.max(sum - y - height), (x + width).min(sum - y));
        let [from_x, from_y, to_x, to_y] = [left, sum - left, right, sum - right].map(number);
        let _ = write!(d, "M{from_x} {from_y}L{to_x} {to_y}");
        sum += STEP;
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_what_the_cell_is() {
        let head = |text: &str| Some(text.to_owned());
        let title =
            |cell: &Cell, row: Option<String>, col: Option<String>| hover_title(cell, row.as_ref(), col.as_ref());
        let cell = Cell::new("T0\nV1").element(9).place(4);
        assert_eq!(title(&cell, head("2"), head("3")), "row 2, column 3; T0 V1; element 9, place 4");
        assert_eq!(title(&Cell::empty().place(4), None, head("3")), "column 3; place 4");
    }

    #[test]
    fn hatching_stays_inside_and_in_step() {
        assert_eq!(hatching([0.0, 0.0, 10.0, 10.0]), "M0 6L6 0M2 10L10 2M8 10L10 8");
        assert_eq!(hatching([10.0, 0.0, 10.0, 10.0]), "M10 2L12 0M10 8L18 0M14 10L20 4");
    }
}
