//! Rectangles of styled text, set beside and below one another, then written out with or without colour.

use crate::cell::Fill;
use crate::palette::{Rgb, background, ink};
use crate::words::width;

/// How a piece of text looks where colour is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// As the terminal has it.
    Normal,
    /// Titles.
    Bold,
    /// Headings, captions and notes.
    Dim,
    /// The inside of a cell.
    Filled(Fill),
}

/// Text of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) style: Style,
}

impl Piece {
    pub(crate) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// Pieces from left to right.
pub(crate) type Line = Vec<Piece>;

/// Columns that a line takes.
pub(crate) fn line_width(line: &Line) -> usize {
    line.iter().map(|piece| width(&piece.text)).sum()
}

/// Lines from top to bottom, of which the first `ascent` stand above the first grid's cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) lines: Vec<Line>,
    pub(crate) ascent: usize,
}

impl Block {
    /// Columns that the widest line takes.
    pub(crate) fn width(&self) -> usize {
        self.lines.iter().map(line_width).max().unwrap_or(0)
    }
}

/// Blocks beside one another, `gap` columns apart, with their first grids' cells at one height.
pub(crate) fn beside(blocks: Vec<Block>, gap: usize) -> Vec<Line> {
    let ascent = blocks.iter().map(|block| block.ascent).max().unwrap_or(0);
    let mut lines: Vec<Line> = Vec::new();
    let mut left = 0;
    for block in blocks {
        let right = left + block.width();
        let top = ascent - block.ascent;
        for (n, line) in block.lines.into_iter().enumerate() {
            while lines.len() <= top + n {
                lines.push(Line::new());
            }
            if let Some(whole) = lines.get_mut(top + n) {
                let free = left.saturating_sub(line_width(whole));
                if free > 0 {
                    whole.push(Piece::new(" ".repeat(free), Style::Normal));
                }
                whole.extend(line);
            }
        }
        left = right + gap;
    }
    lines
}

/// The lines as one string, each ended by a line break, with ANSI escapes for styles if `colour` is set.
pub(crate) fn paint(lines: &[Line], colour: bool) -> String {
    let mut out = String::new();
    for line in lines {
        let mut written = String::new();
        for piece in line {
            match escape(piece.style).filter(|_| colour) {
                Some(code) => written.push_str(&format!("\x1b[{code}m{}\x1b[0m", piece.text)),
                None => written.push_str(&piece.text),
            }
        }
        out.push_str(written.trim_end_matches(' '));
        out.push('\n');
    }
    out
}

/// The parameters of the escape sequence that turns a style on.
fn escape(style: Style) -> Option<String> {
    match style {
        Style::Normal | Style::Filled(Fill::Plain) => None,
        Style::Bold => Some("1".to_owned()),
        Style::Dim | Style::Filled(Fill::Muted | Fill::Empty) => Some("2".to_owned()),
        Style::Filled(fill @ (Fill::Group(_) | Fill::Marked)) => {
            let (Rgb(r, g, b), Rgb(x, y, z)) = (background(fill), ink(fill));
            let bold = if fill == Fill::Marked { "1;" } else { "" };
            Some(format!("{bold}48;2;{r};{g};{b};38;2;{x};{y};{z}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(lines: &[&str], ascent: usize) -> Block {
        let lines = lines.iter().map(|line| vec![Piece::new(*line, Style::Normal)]).collect();
        Block { lines, ascent }
    }

    #[test]
    fn blocks_are_aligned_at_their_cells() {
        let lines = beside(vec![block(&["title", "a"], 1), block(&["b", "c"], 0)], 2);
        assert_eq!(paint(&lines, false), "title\na      b\n       c\n");
    }

    #[test]
    fn escapes_appear_only_with_colour() {
        let line = vec![Piece::new(" 1 ", Style::Filled(Fill::Group(0)))];
        assert_eq!(paint(std::slice::from_ref(&line), false), " 1\n");
        assert_eq!(paint(&[line], true), "\x1b[48;2;143;183;255;38;2;0;0;0m 1 \x1b[0m\n");
    }
}
