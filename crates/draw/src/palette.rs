//! Fill colours: light enough for black text on every one, apart for readers with any kind of colour vision.
//!
//! The eight hues were found by search: light colours (CIELAB lightness 74 to 93) of at least 31 degrees difference
//! in hue angle, whose least mutual distance, also as seen without red, green or blue cones, is as large as possible.
//! Groups 8 to 15 repeat them deeper, groups 16 to 23 paler; then they start over.

use crate::cell::Fill;

/// A colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rgb(pub(crate) u8, pub(crate) u8, pub(crate) u8);

impl Rgb {
    /// As CSS and SVG write it: `#rrggbb`.
    pub(crate) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// Text on every fill but the muted one.
pub(crate) const INK: Rgb = Rgb(0, 0, 0);
/// Text of muted cells.
pub(crate) const MUTED_INK: Rgb = Rgb(0x54, 0x54, 0x54);

/// Text where no element lives.
const EMPTY_INK: Rgb = Rgb(0x50, 0x50, 0x50);

/// The background and the text colour of a fill, as `#rrggbb`.
///
/// ```
/// use bitstride_draw::{Fill, palette};
/// assert_eq!(palette(Fill::Group(0)), ["#8fb7ff", "#000000"]);
/// ```
pub fn palette(fill: Fill) -> [String; 2] {
    [background(fill).hex(), ink(fill).hex()]
}

const HUES: [Rgb; 8] = [
    Rgb(0x8f, 0xb7, 0xff), // blue
    Rgb(0xff, 0xdf, 0xc7), // peach
    Rgb(0x9f, 0xcf, 0xc7), // teal
    Rgb(0xd7, 0xa7, 0xd7), // mauve
    Rgb(0xbf, 0xf7, 0xa7), // green
    Rgb(0xff, 0x9f, 0x97), // coral
    Rgb(0x77, 0xdf, 0xff), // cyan
    Rgb(0xc7, 0xbf, 0x6f), // sand
];

/// The background of a cell.
pub(crate) fn background(fill: Fill) -> Rgb {
    match fill {
        Fill::Plain => Rgb(0xff, 0xff, 0xff),
        Fill::Group(number) => group(number),
        Fill::Muted => Rgb(0xfb, 0xfb, 0xfb),
        Fill::Marked => Rgb(0xff, 0xc4, 0x00),
        Fill::Empty => Rgb(0xf2, 0xf2, 0xf2),
    }
}

/// The colour of the text of a cell.
pub(crate) fn ink(fill: Fill) -> Rgb {
    match fill {
        Fill::Muted => MUTED_INK,
        Fill::Empty => EMPTY_INK,
        _ => INK,
    }
}

fn group(number: u32) -> Rgb {
    let hue = usize::try_from(number % 8).ok().and_then(|n| HUES.get(n)).copied();
    let Rgb(r, g, b) = hue.unwrap_or(Rgb(0xff, 0xff, 0xff));
    match number / 8 % 3 {
        0 => Rgb(r, g, b),
        1 => Rgb(mix(r, 0, 15), mix(g, 0, 15), mix(b, 0, 15)),
        _ => Rgb(mix(r, 255, 50), mix(g, 255, 50), mix(b, 255, 50)),
    }
}

/// `from` moved by `percent` of the way to `to`.
fn mix(from: u8, to: u8, percent: u32) -> u8 {
    let blend = (u32::from(from) * (100 - percent) + u32::from(to) * percent) / 100;
    u8::try_from(blend).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(channel: u8) -> f64 {
        let c = f64::from(channel) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    }

    /// Contrast ratio of two colours as the Web Content Accessibility Guidelines define it.
    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let luminance = |Rgb(r, g, b): Rgb| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_is_legible_on_every_fill() {
        let fills = (0..24).map(Fill::Group).chain([Fill::Plain, Fill::Muted, Fill::Marked, Fill::Empty]);
        for fill in fills {
            let ratio = contrast(background(fill), ink(fill));
            assert!(ratio >= 7.0, "{fill:?} has contrast {ratio}");
        }
    }

    type Matrix = [[f64; 3]; 3];
    const NORMAL: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// Complete red and green blindness in linear sRGB, after Machado, Oliveira and Fernandes (2009).
    const NO_RED: Matrix =
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
    const NO_GREEN: Matrix =
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];

    fn apply(m: &Matrix, v: [f64; 3]) -> [f64; 3] {
        m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>().max(0.0))
    }

    /// CIELAB coordinates of a colour as an eye sees it.
    fn seen(colour: Rgb, eye: &Matrix) -> [f64; 3] {
        let to_xyz = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1094, 0.8729]];
        let xyz = apply(&to_xyz, apply(eye, [linear(colour.0), linear(colour.1), linear(colour.2)]));
        let [x, y, z] = xyz.map(|c| if c > 0.008856 { c.cbrt() } else { 7.787 * c + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn hues_stay_apart_for_every_eye() {
        for (eye, least) in [(&NORMAL, 20.0), (&NO_RED, 13.0), (&NO_GREEN, 13.0)] {
            for (i, &a) in HUES.iter().enumerate() {
                for &b in &HUES[..i] {
                    let squares = seen(a, eye).into_iter().zip(seen(b, eye)).map(|(p, q)| (p - q).powi(2));
                    let distance = squares.sum::<f64>().sqrt();
                    assert!(distance >= least, "{} and {} are {distance} apart", a.hex(), b.hex());
                }
            }
        }
    }

    #[test]
    fn the_first_24_groups_differ() {
        let colours: std::collections::BTreeSet<_> = (0..24).map(|n| group(n).hex()).collect();
        assert_eq!(colours.len(), 24);
        assert_eq!(group(24), group(0));
    }
}
