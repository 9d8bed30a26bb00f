//! The codomain as a strip: each offset in the colour of the repetition that lies there.

use bitstride::Error;

use super::group::By;
use super::image::Image;
use super::look::{Look, Paint};
use super::strip::{Borders, Strip};
use super::subject::Subject;
use super::{Drawn, Room};
use crate::cell::Fill;
use crate::picture::Panel;

pub(super) fn scene(subject: &Subject, look: &Look, room: &Room) -> Result<Drawn, Error> {
    let usual = [By::Mode(vec![1], "repetition")];
    let usual = if subject.modes().len() > 1 { usual.as_slice() } else { &[] };
    let paint = Paint::or_by(look, subject, usual)?;
    let image = Image::new(subject)?;
    let borders = Borders::default();
    let strip = Strip { first: image.low(), len: image.span(), caption: "", numbered: false, borders };
    let widest = image.low().to_string().len().max(image.low().saturating_add(image.span()).to_string().len());
    let drawn = strip.fold(strip.side(widest + paint.letters(), room), room, |offset| {
        Ok(match image.fill(&paint, offset)? {
            Fill::Empty => image.cell(subject, "", offset).fill(Fill::Empty),
            fill => image.cell(subject, offset, offset).fill(fill),
        })
    })?;
    let legend = [paint.legend(), image.legend(&paint)?].concat();
    Ok(Drawn { rows: vec![vec![Panel::new(drawn).caption(&paint.caption()?)]], legend })
}
