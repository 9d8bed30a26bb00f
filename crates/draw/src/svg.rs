//! Pictures as SVG, for papers and pages.
//!
//! Sizes are in pixels at a text size of 13. All cells of a picture are equally large, as wide as the longest text
//! needs, so panels can be compared; lines are 1, 2, 3 and at most 4 pixels thick by level. Text is set in a
//! monospaced font, and widths are reckoned for a wide one, so that no text is clipped. Nothing depends on a style
//! sheet, a script or an id: a page may hold many pictures, and any converter reads them.

use crate::brush::Brush;
use crate::cell::Fill;
use crate::grid::Grid;
use crate::lettering::{CAPTION, HEADING, Legend, TITLE, Words};
use crate::picture::{Panel, Picture};
use crate::sheet::{Ellipses, Sheet};
use crate::xml::{Xml, number};

const MARGIN: f64 = 20.0;
/// Between panels side by side.
const GAP: f64 = 36.0;
/// How wide the pieces of a tall panel may become side by side: what is legible on a page.
const PAGE: f64 = 1150.0;
/// Between rows of panels, the legend and the footnote.
const SECTION: f64 = 26.0;
/// Between grids stacked in one panel.
const STACK: f64 = 10.0;
/// Between a panel's title or caption and its grids.
const NEAR: f64 = 8.0;
/// The narrowest a title, a legend or a footnote is broken to.
const NARROWEST: f64 = 440.0;
/// The narrowest a panel's title or caption is broken to.
const NARROWEST_CAPTION: f64 = 240.0;

/// Draws a picture as an SVG document: the same bytes for equal pictures.
///
/// A grid of more than [`Grid::MOST_CELLS`] cells loses its middle, and a note says so.
///
/// ```
/// use bitstride_draw::{Cell, Grid, Panel, Picture, svg};
/// let strip = Grid::strip("8:2", 8, |i| Cell::new(2 * i));
/// let drawn = svg(&Picture::new("8:2").row([Panel::new(strip)]));
/// assert!(drawn.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
/// assert!(drawn.ends_with("</svg>\n"));
/// ```
pub fn svg(picture: &Picture) -> String {
    drawn(picture).finish()
}

/// The picture as elements of SVG, from which other formats are written too.
pub(crate) fn drawn(picture: &Picture) -> Xml {
    let sheets = |panel: &Panel| -> Vec<Sheet> {
        panel.grids.iter().map(|grid| Sheet::new(grid, Grid::MOST_CELLS, Ellipses::UNICODE)).collect()
    };
    let rows: Vec<Vec<(&Panel, Vec<Sheet>)>> =
        picture.rows.iter().map(|row| row.iter().map(|panel| (panel, sheets(panel))).collect()).collect();
    let brush = Brush::for_sheets(rows.iter().flatten().flat_map(|(_, sheets)| sheets));
    let entries = picture.legend_of(rows.iter().flatten().flat_map(|(_, sheets)| sheets).flat_map(Sheet::cells));
    let mut placed: Vec<Vec<Placed>> = Vec::new();
    for row in rows {
        let mut whole = Vec::new();
        for (panel, sheets) in row {
            match in_pieces(panel, brush, sheets.iter().all(|sheet| sheet.note.is_none())) {
                None => whole.push(Placed::new(panel, sheets, brush)),
                Some(pieces) => {
                    placed.extend((!whole.is_empty()).then(|| std::mem::take(&mut whole)));
                    placed.extend(pieces);
                }
            }
        }
        placed.extend((!whole.is_empty()).then_some(whole));
    }
    let rows = placed;
    let columns = rows.iter().map(|row| row_width(row)).fold(NARROWEST, f64::max);

    let mut page = Page::default();
    let title = Words::new(&picture.title, columns, TITLE);
    page.section(title.height() - NEAR, title.width(), |x, y, xml| title.draw(x, y, xml));
    for row in &rows {
        let drawn = || row.iter().filter(|panel| !panel.is_hidden);
        let ascent = drawn().map(|panel| panel.ascent).fold(0.0, f64::max);
        let height = drawn().map(|panel| ascent - panel.ascent + panel.height()).fold(0.0, f64::max);
        page.section(height, row_width(row), |x, y, xml| {
            let mut x = x;
            for panel in row {
                if !panel.is_hidden {
                    panel.draw(x, y + ascent - panel.ascent, xml);
                }
                x += panel.width() + GAP;
            }
        });
    }
    let legend = Legend::new(&entries, columns);
    page.section(legend.height(), legend.width(), |x, y, xml| legend.draw(x, y, xml));
    let footnote = Words::new(&picture.footnote, columns, CAPTION);
    page.section(footnote.height(), footnote.width(), |x, y, xml| footnote.draw(x, y, xml));
    page.finish(picture, &entries)
}

/// The rows of pieces of a tall panel that is complete, where two or more go side by side.
fn in_pieces(panel: &Panel, brush: Brush, complete: bool) -> Option<Vec<Vec<Placed>>> {
    let pieces = panel.pieces().filter(|_| complete)?;
    let place = |panel: &Panel| {
        let sheets = panel.grids.iter().map(|grid| Sheet::new(grid, Grid::MOST_CELLS, Ellipses::UNICODE)).collect();
        Placed::new(panel, sheets, brush)
    };
    let mut rows: Vec<Vec<Placed>> = vec![Vec::new()];
    for piece in pieces.iter().map(place) {
        match rows.last_mut() {
            Some(row) if row.is_empty() || row_width(row) + GAP + piece.width() <= PAGE => row.push(piece),
            _ => rows.push(vec![piece]),
        }
    }
    (rows.len() < pieces.len()).then_some(rows)
}

/// The document's body as it grows downwards.
#[derive(Debug, Default)]
struct Page {
    body: Xml,
    width: f64,
    height: f64,
}

impl Page {
    /// Adds a part of that size below the others; one without height is left out.
    fn section(&mut self, height: f64, width: f64, draw: impl FnOnce(f64, f64, &mut Xml)) {
        if height <= 0.0 {
            return;
        }
        if self.height > 0.0 {
            self.height += SECTION;
        }
        draw(MARGIN, MARGIN + self.height, &mut self.body);
        self.height += height;
        self.width = self.width.max(width);
    }

    fn finish(self, picture: &Picture, legend: &[(Fill, String)]) -> Xml {
        let [width, height] = [self.width, self.height].map(|side| number((side + 2.0 * MARGIN).ceil()));
        let mut xml = Xml::default();
        xml.open(
            "svg",
            &[
                ("xmlns", "http://www.w3.org/2000/svg"),
                ("width", &width),
                ("height", &height),
                ("viewBox", &format!("0 0 {width} {height}")),
                ("role", "img"),
                ("font-family", "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"),
            ],
        );
        let title = if picture.title.is_empty() { "Picture of a layout" } else { &picture.title };
        xml.text("title", &[], title);
        xml.text("desc", &[], &description(picture, legend));
        xml.empty("rect", &[("width", &width), ("height", &height), ("fill", "#ffffff")]);
        xml.append(self.body);
        xml
    }
}

/// The picture in words, for readers who do not see it.
fn description(picture: &Picture, legend: &[(Fill, String)]) -> String {
    let mut parts = Vec::new();
    for panel in picture.rows.iter().flatten().filter(|panel| !panel.is_hidden) {
        let grids = panel.grids.iter().map(|grid| format!("{} x {} cells", grid.rows(), grid.cols()));
        let grids = grids.collect::<Vec<_>>().join(", ");
        let said = [panel.title.as_str(), &grids, &panel.caption].into_iter().filter(|part| !part.is_empty());
        parts.push(said.collect::<Vec<_>>().join(": "));
    }
    parts.extend(legend.iter().map(|(_, meaning)| meaning.clone()));
    parts.push(picture.footnote.clone());
    parts.retain(|part| !part.is_empty());
    parts.join(". ")
}

/// A panel whose parts are measured.
#[derive(Debug)]
struct Placed {
    title: Words,
    sheets: Vec<Sheet>,
    words: Words,
    brush: Brush,
    /// What stands on the left of the cells.
    left: f64,
    /// What stands above the cells of the first grid.
    ascent: f64,
    is_hidden: bool,
}

impl Placed {
    fn new(panel: &Panel, sheets: Vec<Sheet>, brush: Brush) -> Self {
        let left = sheets.iter().map(Brush::left).fold(0.0, f64::max);
        let inner = sheets.iter().map(|sheet| brush.sheet_width(sheet)).fold(NARROWEST_CAPTION, f64::max);
        let title = Words::new(&panel.title, inner, HEADING);
        let notes = sheets.iter().filter_map(|sheet| sheet.note.as_deref());
        let words = notes.chain([panel.caption.as_str()]).collect::<Vec<_>>().join("\n");
        let near = if title.height() == 0.0 { 0.0 } else { NEAR };
        let ascent = title.height() + near + sheets.first().map_or(0.0, Brush::above);
        let words = Words::new(&words, inner, CAPTION);
        Self { title, words, sheets, brush, left, ascent, is_hidden: panel.is_hidden }
    }

    fn width(&self) -> f64 {
        let sheets = self.sheets.iter().map(|sheet| self.brush.sheet_width(sheet)).fold(0.0, f64::max);
        self.left + sheets.max(self.title.width()).max(self.words.width())
    }

    fn height(&self) -> f64 {
        let near = if self.words.height() == 0.0 { 0.0 } else { NEAR };
        self.tops().last().map_or(self.ascent, |&(_, bottom)| bottom) + near + self.words.height()
    }

    /// Where the cells of each sheet begin and end, from the panel's top.
    fn tops(&self) -> Vec<(f64, f64)> {
        let mut bottom = self.ascent - self.sheets.first().map_or(0.0, Brush::above) - STACK;
        let mut tops = Vec::new();
        for sheet in &self.sheets {
            let top = bottom + STACK + Brush::above(sheet);
            bottom = top + self.brush.sheet_height(sheet);
            tops.push((top, bottom));
        }
        tops
    }

    fn draw(&self, x: f64, y: f64, xml: &mut Xml) {
        let x = x + self.left;
        self.title.draw(x, y, xml);
        for (sheet, (top, _)) in self.sheets.iter().zip(self.tops()) {
            self.brush.draw(sheet, x, y + top, xml);
        }
        self.words.draw(x, y + self.height() - self.words.height(), xml);
    }
}

fn row_width(row: &[Placed]) -> f64 {
    row.iter().map(|panel| panel.width() + GAP).sum::<f64>() - GAP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Cell;

    #[test]
    fn a_small_picture_in_full() {
        let grid = Grid::from_fn(1, 2, |_, j| Cell::new(j).fill(Fill::Group(0))).row_levels(|_| 1);
        let expected = r##"<svg xmlns="http://www.w3.org/2000/svg" width="92" height="66" viewBox="0 0 92 66" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace">
<title>Picture of a layout</title>
<desc>1 x 2 cells</desc>
<rect width="92" height="66" fill="#ffffff"/>
<rect x="20" y="20" width="52" height="26" fill="#8fb7ff"/>
<path d="M20 20V46M46 20V46M72 20V46" fill="none" stroke="#949494" stroke-width="1" stroke-linecap="square"/>
<path d="M20 20H72M20 46H72" fill="none" stroke="#222222" stroke-width="2" stroke-linecap="square"/>
<g font-size="13" text-anchor="middle" fill="#000000">
<text x="33" y="37.68">0</text>
<text x="59" y="37.68">1</text>
</g>
</svg>
"##;
        assert_eq!(svg(&Picture::default().row([Panel::new(grid)])), expected);
    }

    fn crowded() -> Picture {
        let grid = Grid::from_fn(3, 4, |i, j| {
            let fills = [Fill::Plain, Fill::Muted, Fill::Marked, Fill::Empty, Fill::Group(11)];
            let fill = fills.get(usize::try_from((i + j) % 5).expect("small")).copied().unwrap_or_default();
            Cell::new(format!("<{i}&{j}>\n\"x\"")).fill(fill)
        })
        .row_heads(|i| format!("<{i}"))
        .col_heads(|j| format!("&{j}"));
        let panel = Panel::stack([grid, Grid::two_line([(Cell::new("<"), Cell::new("&"))])]);
        Picture::new("Sw<3,4,3> & \"x\"")
            .row([panel.title("a<b").caption("c & d")])
            .legend(Fill::Empty, "<hole>")
            .footnote("1 < 2")
    }

    #[test]
    fn text_is_escaped() {
        let drawn = svg(&crowded());
        assert!(drawn.contains("<title>Sw&lt;3,4,3&gt; &amp; &quot;x&quot;</title>"), "{drawn}");
        assert!(drawn.contains(">&lt;0&amp;1&gt;</text>"), "{drawn}");
        for piece in drawn.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|entity| piece.starts_with(entity)), "&{piece}");
        }
    }

    #[test]
    fn elements_close_in_order() {
        let drawn = svg(&crowded());
        let mut open = Vec::new();
        for tag in drawn.split('<').skip(1) {
            let name: String = tag.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '/').collect();
            let inside = tag.split('>').next().unwrap_or("");
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
                None if inside.ends_with('/') => {}
                None => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?} left open");
    }

    #[test]
    fn equal_pictures_give_equal_bytes_with_short_numbers() {
        let drawn = svg(&crowded());
        assert_eq!(drawn, svg(&crowded()));
        let long = drawn
            .split(|c: char| !(c.is_ascii_digit() || c == '.'))
            .find(|number| number.split_once('.').is_some_and(|(_, decimals)| decimals.len() > 2));
        assert_eq!(long, None);
    }

    #[test]
    fn large_grids_lose_their_middle() {
        let grid = Grid::from_fn(1 << 20, 1 << 20, |i, j| Cell::new(i ^ j));
        let drawn = svg(&Picture::new("big").row([Panel::new(grid)]));
        assert!(drawn.contains("left out: rows 64 to 1048511 of 1048576"));
        assert_eq!(drawn.matches("⋱").count(), 1);
    }

    #[test]
    fn an_empty_picture_is_still_a_document() {
        let drawn = svg(&Picture::new("(0):(1)").row([Panel::new(Grid::from_fn(0, 0, |_, _| Cell::default()))]));
        assert!(drawn.contains("no cells") && drawn.ends_with("</svg>\n"), "{drawn}");
        assert!(svg(&Picture::default()).ends_with("</svg>\n"));
    }
}
