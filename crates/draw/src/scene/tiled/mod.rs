//! XLA's tiled arrays as pictures: the offset of each index, and the index that lies at each offset.
//!
//! The array is drawn with two of its dims as rows and columns, out to the extents that its tiles pad it to: a place
//! without an element is hatched. Law: an element has the same colour wherever it is drawn, and elements of one colour
//! in neighbouring cells are in one tile.

mod index;
mod lines;
mod memory;

use bitstride::cute::crd2index;
use bitstride::xla::{Array, Image};
use bitstride::{Code, Error, Tuple, error};

use self::lines::Lines;
use super::subject::headed;
use super::{Room, assembled};
use crate::cell::{Cell, Fill};
use crate::picture::Picture;

/// An array to be shown.
#[derive(Clone, Debug)]
pub struct TiledSubject {
    title: String,
    image: Image,
    lines: Lines,
    /// The memory of the padded array, whose elements are those and the padding after the ends of the dims.
    padded: Image,
}

impl TiledSubject {
    /// The subject of an array, and the text that it came from.
    ///
    /// # Errors
    /// As [`Image::of`].
    pub fn new(typed: &str, array: &Array) -> Result<Self, Error> {
        let image = Image::of(array)?;
        let lines = Lines::new(&image);
        let mut padded = array.clone();
        padded.dims = lines.padded().iter().copied().map(bitstride::xla::Dim::Static).collect();
        let title = headed(typed.trim(), &array.to_string());
        Ok(TiledSubject { title, padded: Image::of(&padded)?, lines, image })
    }

    /// Where the elements are.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The memory of the same array with the padding after the ends of its dims as elements: what is drawn.
    pub fn padded(&self) -> &Image {
        &self.padded
    }

    /// The part that a look shows, as an index for each element of which those of the free dims may be any.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] and [`Code::Range`] when the slice does not fit the array.
    pub fn slice(&self, look: &TiledLook) -> Result<Pattern, Error> {
        let slice = look.slice.clone().unwrap_or_else(|| vec![None; self.rank()]);
        fits(self, &slice)?;
        Ok(slice)
    }

    fn rank(&self) -> usize {
        self.image.dims().len()
    }

    fn dim(&self, dim: usize) -> i64 {
        self.image.dims().get(dim).copied().unwrap_or(1)
    }

    /// Whether an index of the padded array is one of the array.
    fn contains(&self, index: &[i64]) -> bool {
        index.iter().zip(self.image.dims()).all(|(at, extent)| at < extent)
    }

    /// How many tiles of the first tiling there are along each of its dims.
    fn tile_grid(&self) -> Option<&[i64]> {
        self.image.steps().first().and_then(|step| step.dims.get(..step.kept + step.cuts.len()))
    }

    /// What there is, in words.
    fn census(&self) -> Result<String, Error> {
        let (elements, size) = (self.image.elements(), self.image.size());
        let noun = |n: i64, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
        let padding = match size - elements {
            0 => "no padding".to_owned(),
            padding => format!("{padding} of them padding"),
        };
        Ok(format!(
            "{} in {} of {} ({}), {padding}",
            noun(elements, "element"),
            noun(size, "place"),
            noun(self.image.element_bits(), "bit"),
            noun(self.image.bytes()?, "byte"),
        ))
    }
}

/// Which picture of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TiledView {
    /// Each element's offset, at its index.
    Index,
    /// The memory from offset 0 on, with the index of the element at each offset.
    Memory,
}

/// What elements of one colour have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TiledBy {
    /// The tile, of the first tiling; neighbouring tiles differ.
    #[default]
    Tile,
    /// Their index in this dim.
    Dim(usize),
    /// That they are elements.
    Padding,
}

/// An index of which some coordinates may be any.
pub type Pattern = Vec<Option<i64>>;

/// What a reader wants to see of any array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TiledLook {
    /// What colours mean.
    pub by: TiledBy,
    /// The part of the array that is drawn, all of it at first: the last two free dims are rows and columns.
    pub slice: Option<Pattern>,
    /// The elements that are marked.
    pub at: Vec<Pattern>,
}

/// The pictures of some arrays, below one another; `room` is as that of [`picture`](super::picture()).
///
/// # Errors
/// [`Code::RankMismatch`], [`Code::Range`] and [`Code::MissingDim`] when the slice, a mark or the dim to colour by does
/// not fit an array; [`Code::Overflow`] when its bytes leave 64 bits.
///
/// ```
/// use bitstride::xla::Array;
/// use bitstride_draw::scene::{TiledLook, TiledSubject, TiledView, tiled_picture};
/// use bitstride_draw::{TextOptions, text};
///
/// let array: Array = "f32[3,5]{1,0:T(2,2)}".parse()?;
/// let subject = TiledSubject::new("", &array)?;
/// let drawn = tiled_picture(&[subject], TiledView::Index, &TiledLook::default(), Some(80))?;
/// assert!(text(&drawn, &TextOptions::default()).contains("2 ┃ 12 │ 13 ┃ 16 │ 17 ┃ 20 │░░░░┃"));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn tiled_picture(
    subjects: &[TiledSubject],
    view: TiledView,
    look: &TiledLook,
    room: impl Into<Room>,
) -> Result<Picture, Error> {
    let room = &room.into();
    let mut scenes = Vec::new();
    for subject in subjects {
        let paint = Paint::new(subject, look)?;
        let drawn = match view {
            TiledView::Index => index::scene(&paint, &subject.slice(look)?, room),
            TiledView::Memory => memory::scene(&paint, room),
        }?;
        scenes.push((subject.title.clone(), drawn));
    }
    Ok(assembled(scenes))
}

/// A look at one subject.
struct Paint<'s> {
    subject: &'s TiledSubject,
    by: TiledBy,
    at: &'s [Pattern],
}

/// The most tiles or indices of a dim that have colours of their own.
const MOST_NAMED: i64 = 24;

impl<'s> Paint<'s> {
    fn new(subject: &'s TiledSubject, look: &'s TiledLook) -> Result<Self, Error> {
        for pattern in &look.at {
            fits(subject, pattern)?;
        }
        if let TiledBy::Dim(dim) = look.by
            && dim >= subject.rank()
        {
            return Err(error!(
                Code::MissingDim,
                "there is no dim {dim}; the array has {rank}",
                [dim, rank = subject.rank()]
            ));
        }
        Ok(Paint { subject, by: look.by, at: &look.at })
    }

    /// How far a dim is drawn.
    fn padded(&self, dim: usize) -> i64 {
        self.subject.padded.dims().get(dim).copied().unwrap_or(1)
    }

    /// The cell of an element at an offset, with this text or its offset.
    fn element(&self, index: &[i64], offset: i64, text: Option<String>) -> Result<Cell, Error> {
        let marked = self.at.iter().any(|pattern| matches(pattern, index));
        let cell = Cell::new(text.unwrap_or_else(|| offset.to_string()));
        let cell = cell.fill(if marked { Fill::Marked } else { self.fill(index)? });
        Ok(cell.element(crd2index(&Tuple::flat(index), &Tuple::flat(self.subject.image.dims())).ok()).place(offset))
    }

    fn fill(&self, index: &[i64]) -> Result<Fill, Error> {
        Ok(match self.by {
            TiledBy::Tile => match self.subject.tile_grid() {
                Some(grid) => {
                    let walk = self.subject.image.walk(index)?;
                    let tile = walk.get(1).and_then(|tiled| tiled.get(..grid.len())).unwrap_or_default();
                    self.tile(grid, tile)
                }
                None => Fill::Plain,
            },
            TiledBy::Dim(dim) => hue(index.get(dim).copied().unwrap_or(0)),
            TiledBy::Padding => Fill::Group(0),
        })
    }

    /// The colour of a tile: of few tiles each its own, of many one that is unlike those of its neighbours.
    fn tile(&self, grid: &[i64], tile: &[i64]) -> Fill {
        if few(grid) {
            return hue(number(grid, tile));
        }
        // Odd steps through the eight hues; those of the last two dims differ so that diagonal neighbours do too.
        let steps = [1, 3, 5, 7].into_iter().cycle();
        let number = tile.iter().rev().zip(steps).fold(0i64, |number, (at, step)| number.wrapping_add(at % 8 * step));
        hue(number.rem_euclid(8))
    }

    /// What the fills mean; whether there is padding in the picture is for its scene to say.
    fn legend(&self, padding: bool) -> Vec<(Fill, String)> {
        let mut legend = Vec::new();
        match self.by {
            TiledBy::Dim(dim) if self.subject.dim(dim) <= MOST_NAMED => {
                legend.extend((0..self.subject.dim(dim)).map(|n| (hue(n), format!("dim {dim} = {n}"))));
            }
            TiledBy::Tile if !self.subject.lines.merged().is_empty() => {
                // No border shows where the tiles of merged dims end.
                if let Some(grid) = self.subject.tile_grid().filter(|grid| few(grid)) {
                    legend.extend((0..grid.iter().product()).map(|n| (hue(n), format!("tile {n}"))));
                }
            }
            TiledBy::Padding => legend.push((Fill::Group(0), "element".to_owned())),
            TiledBy::Tile | TiledBy::Dim(_) => {}
        }
        if padding {
            legend.push((Fill::Empty, "padding".to_owned()));
        }
        legend
    }

    /// What is marked, in words.
    fn marked(&self) -> Result<Vec<String>, Error> {
        let mut lines = Vec::new();
        for pattern in self.at {
            let written = written(pattern);
            let index: Option<Vec<i64>> = pattern.iter().copied().collect();
            lines.push(match index {
                Some(index) => format!("{written} is at offset {}", self.subject.image.offset(&index)?),
                None => format!("{written} is marked"),
            });
        }
        Ok(lines)
    }
}

/// Whether a pattern speaks of the indices of an array.
fn fits(subject: &TiledSubject, pattern: &[Option<i64>]) -> Result<(), Error> {
    if pattern.len() != subject.rank() {
        let help = "an index has an entry for each dim, `_` for all of a dim";
        return Err(error!(
            Code::RankMismatch,
            "{pattern} is no index of an array of rank {rank}",
            [pattern = written(pattern), rank = subject.rank()]
        )
        .with_help(help));
    }
    for (dim, (at, extent)) in pattern.iter().zip(subject.image.dims()).enumerate() {
        if let Some(at) = at.filter(|at| !(0..*extent).contains(at)) {
            return Err(error!(
                Code::Range,
                "{pattern}: index {at} of dim {dim}, which has {extent}",
                [pattern = written(pattern), at, dim, extent]
            ));
        }
    }
    Ok(())
}

fn matches(pattern: &[Option<i64>], index: &[i64]) -> bool {
    pattern.iter().zip(index).all(|(at, index)| at.is_none_or(|at| at == *index))
}

/// A pattern as `--slice` reads it.
fn written(pattern: &[Option<i64>]) -> String {
    let entries = pattern.iter().map(|at| at.map_or("_".to_owned(), |at| at.to_string()));
    format!("({})", entries.collect::<Vec<_>>().join(","))
}

fn few(grid: &[i64]) -> bool {
    grid.iter().try_fold(1i64, |tiles, extent| tiles.checked_mul(*extent)).is_some_and(|tiles| tiles <= MOST_NAMED)
}

/// The row-major number of an index, if it fits.
fn number(extents: &[i64], index: &[i64]) -> i64 {
    index.iter().zip(extents).fold(0i64, |number, (at, extent)| number.wrapping_mul(*extent).wrapping_add(*at))
}

fn hue(number: i64) -> Fill {
    Fill::Group(u32::try_from(number.rem_euclid(MOST_NAMED)).unwrap_or(0))
}
