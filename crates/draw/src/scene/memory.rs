//! Three views of one layout: the number of each element, its offset, and what lies at each offset.

use bitstride::cute::idx2crd;
use bitstride::{Error, Tuple};

use super::grid::{rectangle, widest};
use super::group::By;
use super::image::Image;
use super::look::{Look, Paint};
use super::strip::{Borders, Strip};
use super::subject::Subject;
use super::{Drawn, Room};
use crate::cell::{Cell, Fill};
use crate::picture::Panel;

pub(super) fn scene(subject: &Subject, look: &Look, room: &Room) -> Result<Drawn, Error> {
    let by_row = [By::Mode(vec![0], "row")];
    let usual = if subject.modes().len() > 1 { by_row.as_slice() } else { &[] };
    let paint = Paint::or_by(look, subject, usual)?;
    let image = Image::new(subject)?;
    let legend = [paint.legend(), image.legend(&paint)?].concat();
    let number = |at: &[i64]| Ok(subject.cell(subject.index(at)?, at).fill(paint.fill(at)?));
    let offset = |at: &[i64]| Ok(subject.cell(subject.offset(at)?, at).fill(paint.fill(at)?));
    let physical = Strip {
        first: image.low(),
        len: image.span(),
        caption: "physical",
        numbered: true,
        borders: Borders::default(),
    };
    let mut label = 1;
    let letters = paint.letters();
    for n in 0..image.span().min(4096) {
        label = label.max(content(subject, &image, image.low().saturating_add(n))?.chars().count());
    }
    let lying = |place: i64| {
        Ok(match image.fill(&paint, place)? {
            Fill::Empty => image.cell(subject, "", place).fill(Fill::Empty),
            fill => image.cell(subject, content(subject, &image, place)?, place).fill(fill),
        })
    };
    let caption = paint.caption()?;

    let rows = match subject.modes() {
        [] | [_] => {
            let borders = subject.borders(0);
            let len = subject.size()?;
            let strip = |caption| Strip { first: 0, len, caption, numbered: false, borders: borders.clone() };
            let (logical, offsets) = (strip("logical"), strip("offset"));
            let text = label.max(widest(len, |n| subject.offset(&at_index(subject, n)?))?);
            let logical_side = logical.side(text + letters, room);
            let side = physical.side(text + letters, room);
            let grids = [
                logical.fold(logical_side, room, |n| number(&at_index(subject, n)?))?,
                offsets.fold(logical_side, room, |n| offset(&at_index(subject, n)?))?,
                physical.fold(side, room, lying)?,
            ];
            if logical_side == len && side == physical.len {
                vec![vec![Panel::stack(grids).caption(&caption)]]
            } else {
                let titles = ["logical", "offset", "physical"];
                let panels = grids.into_iter().zip(titles).map(|(grid, title)| vec![Panel::new(grid).title(title)]);
                panels.collect()
            }
        }
        [rows, columns @ ..] => {
            let leaves: Vec<i64> = (1..=columns.len()).flat_map(|mode| subject.leaves(mode)).copied().collect();
            let across = Tuple::flat(columns).size()?;
            let grid = |cell: &dyn Fn(&[i64]) -> Result<Cell, Error>| {
                let borders = [subject.borders(0), Borders::of(&leaves, 1)];
                rectangle([*rows, across], borders, room, &|i, j| {
                    let outer = idx2crd(&j, &Tuple::flat(columns))?;
                    cell(&[&[i], outer.leaves()].concat())
                })
            };
            let strip = Strip { caption: "", ..physical };
            let strip = strip.fold(strip.side(label + letters, room), room, lying)?;
            vec![
                vec![
                    Panel::new(grid(&number)?).title("logical").caption(&caption),
                    Panel::new(grid(&offset)?).title("offset"),
                ],
                vec![Panel::new(strip).title("physical")],
            ]
        }
    };
    Ok(Drawn { rows, legend })
}

/// The coordinates of an element by its number, in a layout of rank 0 or 1.
fn at_index(subject: &Subject, n: i64) -> Result<Vec<i64>, Error> {
    Ok(idx2crd(&n, &Tuple::flat(subject.modes()))?.leaves().to_vec())
}

/// The numbers of the elements at an offset: one, two, or the first and the last.
fn content(subject: &Subject, image: &Image, offset: i64) -> Result<String, Error> {
    Ok(match image.owners(offset) {
        [] => String::new(),
        [only] => subject.index(only)?.to_string(),
        [first, last] => format!("{},{}", subject.index(first)?, subject.index(last)?),
        [first, .., last] => format!("{}…{}", subject.index(first)?, subject.index(last)?),
    })
}
