//! Pictures as PNG, for slides, chats and issue trackers.
//!
//! Law: it is the drawing that [`svg`](crate::svg()) makes, shape by shape, with two pixels for each unit of it, in the font
//! DejaVu Sans Mono, so that no font of the machine counts: equal pictures give equal bytes.

use bitstride::{Code, Error, error};
use tiny_skia::{FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};
use ttf_parser::{Face, OutlineBuilder};

use crate::picture::Picture;
use crate::shape::{Shape, Step, Style, shapes};

/// Pixels for each unit of the drawing.
const SCALE: u16 = 2;

/// The most pixels of a picture: 256 MiB of memory.
const MAX_PIXELS: u64 = 1 << 26;

/// Draws a picture as the bytes of a PNG file.
///
/// ```
/// use bitstride_draw::{Cell, Grid, Panel, Picture, png};
/// let strip = Grid::strip("8:2", 8, |i| Cell::new(2 * i));
/// let drawn = png(&Picture::new("8:2").row([Panel::new(strip)]))?;
/// assert!(drawn.starts_with(b"\x89PNG"));
/// # Ok::<(), bitstride::Error>(())
/// ```
///
/// # Errors
/// [`Code::TooLarge`] for more than 2^26 pixels.
pub fn png(picture: &Picture) -> Result<Vec<u8>, Error> {
    let fonts = Fonts::new()?;
    let mut canvas = None;
    shapes(picture, |shape, style| match (shape, &mut canvas) {
        (None, _) => canvas = Some(sheet(style)),
        (Some(shape), Some(Ok(sheet))) => draw(&shape, style, &fonts, sheet),
        _ => {}
    });
    let canvas = canvas.unwrap_or_else(|| Err(no_memory()))?;
    canvas.encode_png().map_err(|error| error!(Code::TooLarge, "the picture has no PNG: {error}", [error]))
}

fn no_memory() -> Error {
    Error::new(Code::TooLarge, "the picture is too large for PNG").with_help("write it as SVG")
}

/// The empty picture.
fn sheet(style: Style<'_>) -> Result<Pixmap, Error> {
    let pixels = |key| style.number(key).parse::<u32>().ok().and_then(|units| units.checked_mul(SCALE.into()));
    let (Some(width), Some(height)) = (pixels("width"), pixels("height")) else { return Err(no_memory()) };
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(error!(
            Code::TooLarge,
            "the picture has {width} x {height} pixels; a PNG file gets {max_pixels} at most",
            [width, height, max_pixels = MAX_PIXELS]
        )
        .with_help("write it as SVG, or show a part"));
    }
    Pixmap::new(width, height).ok_or_else(no_memory)
}

fn draw(shape: &Shape<'_>, style: Style<'_>, fonts: &Fonts, sheet: &mut Pixmap) {
    let path = match shape {
        Shape::Rectangle => {
            let [x, y, width, height] = ["x", "y", "width", "height"].map(|key| number(style.number(key)));
            Rect::from_xywh(x, y, width, height).map(PathBuilder::from_rect)
        }
        Shape::Path(steps) => outline(steps),
        Shape::Text(text) => fonts.line(text, style),
    };
    let Some(path) = path else { return };
    let scale = Transform::from_scale(f32::from(SCALE), f32::from(SCALE));
    if let Some(fill) = paint(style, "fill") {
        sheet.fill_path(&path, &fill, FillRule::Winding, scale, None);
    }
    if let Some(line) = paint(style, "stroke") {
        let line_cap = if style.get("stroke-linecap").is_some() { LineCap::Square } else { LineCap::Butt };
        let width = style.get("stroke-width").map_or(1.0, number);
        sheet.stroke_path(&path, &line, &Stroke { width, line_cap, ..Stroke::default() }, scale, None);
    }
}

fn paint(style: Style<'_>, key: &str) -> Option<Paint<'static>> {
    let [red, green, blue] = style.colour(key)?;
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, u8::MAX);
    Some(paint)
}

/// A number of the drawing, which prints finite ones only.
fn number(text: &str) -> f32 {
    text.parse().unwrap_or(0.0)
}

fn outline(steps: &[Step<'_>]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for step in steps {
        match step {
            Step::Move([x, y]) => path.move_to(number(x), number(y)),
            Step::Line([x, y]) => path.line_to(number(x), number(y)),
            Step::Curve(points) => {
                let [[x1, y1], [x2, y2], [x, y]] = points.map(|point| point.map(number));
                path.cubic_to(x1, y1, x2, y2, x, y);
            }
        }
    }
    path.finish()
}

/// The font, regular and bold.
struct Fonts([Face<'static>; 2]);

impl Fonts {
    fn new() -> Result<Self, Error> {
        let read = |bytes| Face::parse(bytes, 0);
        match (read(dejavu::sans_mono::regular()), read(dejavu::sans_mono::bold())) {
            (Ok(regular), Ok(bold)) => Ok(Fonts([regular, bold])),
            (Err(error), _) | (_, Err(error)) => {
                Err(error!(Code::Syntax("font"), "the font of PNG cannot be read: {error}", [error]))
            }
        }
    }

    /// The outlines of a line of text at its place.
    fn line(&self, text: &str, style: Style<'_>) -> Option<Path> {
        let [regular, bold] = &self.0;
        let face = if style.get("font-weight") == Some("bold") { bold } else { regular };
        let size = number(style.number("font-size")) / f32::from(face.units_per_em());
        let glyphs: Vec<_> = text.chars().map(|c| face.glyph_index(c).unwrap_or_default()).collect();
        let advance = |glyph| f32::from(face.glyph_hor_advance(glyph).unwrap_or_default()) * size;
        let width: f32 = glyphs.iter().map(|glyph| advance(*glyph)).sum();
        let before = match style.get("text-anchor") {
            Some("middle") => width / 2.0,
            Some("end") => width,
            _ => 0.0,
        };
        let [x, y] = ["x", "y"].map(|key| number(style.number(key)));
        let mut pen = Pen { path: PathBuilder::new(), size, x: x - before, y };
        for glyph in glyphs {
            face.outline_glyph(glyph, &mut pen);
            pen.x += advance(glyph);
        }
        pen.path.finish()
    }
}

/// Puts the outlines of glyphs at a place; in fonts y goes up.
struct Pen {
    path: PathBuilder,
    size: f32,
    x: f32,
    y: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.size, self.y - y * self.size)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Cell, Fill};
    use crate::grid::Grid;
    use crate::picture::Panel;

    fn strip(cells: u64) -> Picture {
        // Neighbours of one colour are drawn together.
        let cell = |i: u64| Cell::new(i).fill(Fill::Group(u32::from(i.is_multiple_of(2))));
        Picture::new("a strip").row([Panel::new(Grid::strip("s", cells, cell))])
    }

    #[test]
    fn colours_and_lines_lie_where_the_drawing_has_them() -> Result<(), Error> {
        let picture = strip(4);
        let Ok(pixels) = Pixmap::decode_png(&png(&picture)?) else { return Err(no_memory()) };
        let mut cells = 0;
        shapes(&picture, |shape, style| {
            if let (Some(Shape::Rectangle), Some(fill)) = (shape, style.colour("fill")) {
                // The corner of a cell, inside of its lines and outside of its text; that of the page is under nothing.
                let [x, y] = ["x", "y"].map(|key| number(style.number(key)));
                let at = |units: f32| format!("{:.0}", (units + 2.0) * f32::from(SCALE)).parse().unwrap_or_default();
                let pixel = pixels.pixel(at(x), at(y)).map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
                assert_eq!(pixel, Some(fill), "{x} {y}");
                cells += 1;
            }
        });
        assert_eq!(cells, 5);
        let black = |pixel: &&tiny_skia::PremultipliedColorU8| [pixel.red(), pixel.green(), pixel.blue()] == [0; 3];
        assert!(pixels.pixels().iter().filter(black).count() > 100, "digits and lines are black");
        Ok(())
    }

    #[test]
    fn a_picture_beyond_the_limit_is_refused() {
        let refused = png(&strip(2_000_000)).map_err(|error| error.code());
        assert_eq!(refused.map(|_| ()), Err(Code::TooLarge));
    }
}
