//! Text outside the cells of an SVG picture: titles, captions, the legend.

use crate::brush::{advance, hatching, length, rect};
use crate::cell::Fill;
use crate::palette::background;
use crate::words::{width, wrap};
use crate::xml::{Xml, number};

/// Side of a legend's sample of a fill.
const SWATCH: f64 = 14.0;

/// A kind of text outside the cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type {
    size: f64,
    /// From one line to the next.
    pitch: f64,
    weight: &'static str,
    colour: &'static str,
}

/// A picture's title.
pub(crate) const TITLE: Type = Type { size: 16.0, pitch: 22.0, weight: "bold", colour: "#111111" };
/// A panel's title.
pub(crate) const HEADING: Type = Type { size: 13.0, pitch: 18.0, weight: "bold", colour: "#111111" };
/// Captions, notes, the legend and the footnote.
pub(crate) const CAPTION: Type = Type { size: 12.0, pitch: 17.0, weight: "normal", colour: "#444444" };

/// Lines of text of one type.
#[derive(Debug)]
pub(crate) struct Words {
    lines: Vec<String>,
    kind: Type,
}

impl Words {
    /// `text` broken into lines of that width.
    pub(crate) fn new(text: &str, columns: f64, kind: Type) -> Self {
        Self { lines: wrap(text, characters(columns, kind.size)), kind }
    }

    pub(crate) fn width(&self) -> f64 {
        self.lines.iter().map(|line| advance(width(line), self.kind.size)).fold(0.0, f64::max)
    }

    pub(crate) fn height(&self) -> f64 {
        self.kind.pitch * length(self.lines.len())
    }

    pub(crate) fn draw(&self, x: f64, y: f64, xml: &mut Xml) {
        for (n, line) in self.lines.iter().enumerate() {
            let base = y + self.kind.pitch * length(n) + self.kind.size;
            let (x, y, size) = (number(x), number(base), number(self.kind.size));
            let place = [("x", x.as_str()), ("y", &y), ("font-size", &size)];
            let style = [("font-weight", self.kind.weight), ("fill", self.kind.colour)];
            xml.text("text", &[place.as_slice(), style.as_slice()].concat(), line);
        }
    }
}

/// How many characters of that size go into a width.
fn characters(columns: f64, size: f64) -> usize {
    (1..).take_while(|&n| n < 100_000 && advance(n, size) <= columns).last().unwrap_or(1)
}

/// Swatches with their meanings, in as many rows as needed.
#[derive(Debug)]
pub(crate) struct Legend<'a> {
    rows: Vec<Vec<(f64, Fill, &'a str)>>,
    width: f64,
}

impl<'a> Legend<'a> {
    const PITCH: f64 = 24.0;

    pub(crate) fn new(entries: &'a [(Fill, String)], columns: f64) -> Self {
        let mut legend = Self { rows: Vec::new(), width: 0.0 };
        let mut x = 0.0;
        for (fill, meaning) in entries {
            let needed = SWATCH + 7.0 + advance(width(meaning), CAPTION.size);
            match legend.rows.last_mut() {
                Some(row) if x + needed <= columns => row.push((x, *fill, meaning)),
                _ => {
                    x = 0.0;
                    legend.rows.push(vec![(x, *fill, meaning)]);
                }
            }
            legend.width = legend.width.max(x + needed);
            x += needed + 22.0;
        }
        legend
    }

    pub(crate) fn width(&self) -> f64 {
        self.width
    }

    pub(crate) fn height(&self) -> f64 {
        let further = self.rows.len().checked_sub(1);
        further.map_or(0.0, |rows| SWATCH + Self::PITCH * length(rows))
    }

    pub(crate) fn draw(&self, x: f64, y: f64, xml: &mut Xml) {
        for (n, row) in self.rows.iter().enumerate() {
            let y = y + Self::PITCH * length(n);
            for (at, fill, meaning) in row {
                let place = [x + at, y, SWATCH, SWATCH];
                let colour = background(*fill).hex();
                rect(place, &[("fill", &colour), ("stroke", "#555555"), ("stroke-width", "1")], xml);
                if *fill == Fill::Empty {
                    let d = hatching(place);
                    xml.empty("path", &[("d", &d), ("fill", "none"), ("stroke", "#b0b0b0"), ("stroke-width", "1")]);
                }
                let words = Words { lines: vec![(*meaning).to_owned()], kind: CAPTION };
                words.draw(x + at + SWATCH + 7.0, y - 0.5, xml);
            }
        }
    }
}
