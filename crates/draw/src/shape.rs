//! [`shapes`]: the drawing that [`svg`](crate::svg()) makes, shape by shape, for renderers that are not XML.
//!
//! Law: the shapes are the elements of the SVG in their order, each with all that it and the elements around it say; numbers are as
//! they are printed there.

use crate::picture::Picture;
use crate::svg::drawn;
use crate::xml::{Attributes, Part};

/// What is drawn, `'a` the text of the drawing.
#[derive(Debug)]
pub(crate) enum Shape<'a> {
    /// By `x`, `y`, `width` and `height` of its style.
    Rectangle,
    Path(Vec<Step<'a>>),
    /// On the base line at `x`, `y` of its style.
    Text(&'a str),
}

/// A point, in pixels of the picture.
pub(crate) type Point<'a> = [&'a str; 2];

/// A step of a path.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    Move(Point<'a>),
    Line(Point<'a>),
    /// Two points that pull, and the end.
    Curve([Point<'a>; 3]),
}

/// The attributes of an element and of those around it.
#[derive(Clone, Copy)]
pub(crate) struct Style<'a>(&'a [Attributes]);

impl<'a> Style<'a> {
    /// The value of an attribute, of the innermost element that has it.
    pub(crate) fn get(self, key: &str) -> Option<&'a str> {
        let own = |attributes: &'a Attributes| attributes.iter().find(|(name, _)| name == key);
        self.0.iter().rev().find_map(own).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number(self, key: &str) -> &'a str {
        self.get(key).unwrap_or("0")
    }

    /// Red, green and blue, where there is a colour.
    pub(crate) fn colour(self, key: &str) -> Option<[u8; 3]> {
        let hex = self.get(key)?.strip_prefix('#')?;
        let part = |at| hex.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        Some([part(0)?, part(2)?, part(4)?])
    }
}

/// Calls `draw` with each shape of a picture, and before all with none and the style of the whole, which has `width` and `height`.
pub(crate) fn shapes(picture: &Picture, mut draw: impl FnMut(Option<Shape<'_>>, Style<'_>)) {
    // What an element does not say, the elements around it do.
    let mut around: Vec<Attributes> = Vec::new();
    for part in drawn(picture).into_parts() {
        match part {
            Part::Open(_, attributes) => {
                around.push(attributes);
                if around.len() == 1 {
                    draw(None, Style(&around));
                }
            }
            Part::Close(_) => {
                around.pop();
            }
            Part::Empty(name, attributes) => {
                around.push(attributes);
                let style = Style(&around);
                let steps = || Shape::Path(steps(style.get("d").unwrap_or_default()));
                draw(Some(if name == "rect" { Shape::Rectangle } else { steps() }), style);
                around.pop();
            }
            Part::Text("text", attributes, text) => {
                around.push(attributes);
                draw(Some(Shape::Text(&text)), Style(&around));
                around.pop();
            }
            // Titles and the description, for readers who do not see it and for pointers.
            Part::Text(..) => {}
        }
    }
}

/// The steps of a path of the commands that the drawing has: M, L, C with points, H and V with one number.
fn steps(mut rest: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let [mut x, mut y] = ["0", "0"];
    while let Some(command) = rest.chars().next() {
        let body = rest.get(command.len_utf8()..).unwrap_or_default();
        let end = body.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(body.len());
        let numbers: Vec<&str> = body.get(..end).unwrap_or_default().split_whitespace().collect();
        rest = body.get(end..).unwrap_or_default();
        let mut pulls = None;
        match (command, numbers.as_slice()) {
            ('H', [to]) => x = to,
            ('V', [to]) => y = to,
            ('C', [first_x, first_y, second_x, second_y, to_x, to_y]) => {
                pulls = Some([[*first_x, *first_y], [*second_x, *second_y]]);
                (x, y) = (to_x, to_y);
            }
            (_, [to_x, to_y]) => (x, y) = (to_x, to_y),
            _ => continue,
        }
        steps.push(match pulls {
            Some([first, second]) => Step::Curve([first, second, [x, y]]),
            None if command == 'M' => Step::Move([x, y]),
            None => Step::Line([x, y]),
        });
    }
    steps
}
