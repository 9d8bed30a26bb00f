//! Colours: the elements of one tile, thread or repetition form a group.

use std::fmt;

use bitstride::cute::{Tiler, logical_divide};
use bitstride::{Code, Error, Int, Layout, Stride, Tuple, error};
use bitstride_lang::Value;

use super::part::Part;
use super::subject::Subject;
use crate::cell::Fill;

/// The most groups that a legend names; the colours repeat beyond.
const MOST_NAMED: i64 = 24;

/// What elements of one colour have in common.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// The coordinate in this mode, and what to call it.
    Mode(Vec<usize>, &'static str),
    /// The last coordinate of every nested mode: the tile, as `logical_divide` and `blocked_product` nest.
    Tile,
    /// The tile of this tiler that they lie in.
    Tiler(Box<Tiler>),
}

impl By {
    /// Reads a word: `tile`; `row` or `thread`, mode 0; `column`, `value` or `repetition`, mode 1.
    pub fn word(word: &str) -> Option<Self> {
        if word == "tile" {
            return Some(By::Tile);
        }
        let words = [("row", 0), ("thread", 0), ("column", 1), ("value", 1), ("repetition", 1)];
        words.into_iter().find(|(known, _)| *known == word).map(|(word, mode)| By::Mode(vec![mode], word))
    }

    /// Reads a value: an integer or a tuple of them is a mode, as in `layout(L,(0,1))`; anything else is a tiler.
    ///
    /// # Errors
    /// [`Code::Kind`] for what is neither.
    pub fn value(value: &Value) -> Result<Self, Error> {
        match value {
            Value::Tuple(_) => {
                let path = value.as_shape()?;
                let numbers = path.leaves().iter().map(|n| {
                    let n = n.as_number()?;
                    usize::try_from(n).map_err(|_| error!(Code::NoMode, "there is no mode {n}", [n]))
                });
                Ok(By::Mode(numbers.collect::<Result<_, _>>()?, "mode"))
            }
            _ => value.as_tiler().map(|tiler| By::Tiler(Box::new(tiler))),
        }
    }
}

impl fmt::Display for By {
    /// What elements of one colour have in common, in words: `column`, `mode (0,1)`, `tile of <2,8>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            By::Mode(path, noun @ "mode") => match path.as_slice() {
                [only] => write!(f, "{noun} {only}"),
                path => write!(f, "{noun} {}", Tuple::flat(path)),
            },
            By::Mode(_, noun) => f.write_str(noun),
            By::Tile => f.write_str("tile"),
            By::Tiler(tiler) => write!(f, "tile of {tiler}"),
        }
    }
}

/// The groups of the elements of one subject.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    parts: Vec<(Part, Division)>,
    noun: String,
}

/// How a part's numbers fall into groups.
#[derive(Clone, Debug)]
enum Division {
    /// Each number its own.
    Each,
    /// Runs of this many.
    Runs(i64),
    /// The group of each number.
    Table(Vec<i64>),
}

impl Groups {
    /// The groups that elements alike in everything of `by` form.
    pub(super) fn new(subject: &Subject, by: &[By]) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let mut nouns: Vec<String> = Vec::new();
        for by in by {
            let noun = match by {
                By::Mode(path, _) => {
                    parts.push((Part::of(subject, path)?, Division::Each));
                    by.to_string()
                }
                By::Tile => {
                    for (mode, node) in subject.shape().root().children().enumerate() {
                        if let Some(last) = node.children().count().checked_sub(1) {
                            parts.push((Part::of(subject, &[mode, last])?, Division::Each));
                        }
                    }
                    "tile".to_owned()
                }
                By::Tiler(tiler) => {
                    divide(subject, &mut Vec::new(), tiler, &mut parts)?;
                    "tile".to_owned()
                }
            };
            nouns.push(noun);
        }
        nouns.dedup();
        Ok(Groups { parts, noun: nouns.join(", ") })
    }

    /// The number of the group of each part at an element.
    fn numbers(&self, subject: &Subject, coordinates: &[i64]) -> Result<Vec<i64>, Error> {
        let number = |(part, division): &(Part, Division)| {
            let n = part.number(subject, coordinates)?;
            Ok(match division {
                Division::Each => n,
                Division::Runs(run) => n.checked_div(*run).unwrap_or(0),
                Division::Table(table) => usize::try_from(n).ok().and_then(|n| table.get(n)).copied().unwrap_or(0),
            })
        };
        self.parts.iter().map(number).collect()
    }

    /// The number of the group of an element, the first part fastest.
    pub(super) fn number(&self, subject: &Subject, coordinates: &[i64]) -> Result<i64, Error> {
        let numbers = self.numbers(subject, coordinates)?;
        let mut number = 0_i64;
        for ((part, division), n) in self.parts.iter().zip(numbers).rev() {
            // Colours repeat, so a number that does not fit may wrap.
            number = number.wrapping_mul(division.groups(part).max(1)).wrapping_add(n);
        }
        Ok(number)
    }

    pub(super) fn fill(&self, subject: &Subject, coordinates: &[i64]) -> Result<Fill, Error> {
        let number = self.number(subject, coordinates)?.rem_euclid(1 << 30);
        Ok(Fill::Group(u32::try_from(number).unwrap_or(0)))
    }

    /// What stands between the noun and the number.
    fn link(&self) -> &'static str {
        if self.noun.starts_with("mode ") { " = " } else { " " }
    }

    /// The names of the groups, if they are few.
    pub(super) fn legend(&self) -> Vec<(Fill, String)> {
        let shape: Vec<i64> = self.parts.iter().map(|(part, division)| division.groups(part)).collect();
        let shape = Tuple::flat(&shape);
        if !matches!(shape.size(), Ok(1..=MOST_NAMED)) {
            return Vec::new();
        }
        let fills = (0..).map(Fill::Group);
        let names = bitstride::cute::coordinates(&shape).map(|at| match at.leaves() {
            [only] => format!("{}{}{only}", self.noun, self.link()),
            _ => format!("{}{}{at}", self.noun, self.link()),
        });
        fills.zip(names).collect()
    }
}

impl Division {
    /// How many groups there are.
    fn groups(&self, part: &Part) -> i64 {
        match self {
            Division::Each => part.size,
            Division::Runs(run) => part.size.checked_add(run - 1).and_then(|n| n.checked_div(*run)).unwrap_or(1),
            Division::Table(table) => table.iter().max().map_or(1, |last| last.saturating_add(1)),
        }
    }
}

/// Divides the part at `path` by a tiler.
fn divide(
    subject: &Subject,
    path: &mut Vec<usize>,
    tiler: &Tiler,
    parts: &mut Vec<(Part, Division)>,
) -> Result<(), Error> {
    match tiler {
        Tiler::Keep => {}
        Tiler::Extent(n) => {
            let (part, n) = (Part::of(subject, path)?, n.as_number()?);
            if n < 1 {
                return Err(error!(Code::Range, "a tile of {n} elements divides nothing", [n]));
            }
            parts.push((part, Division::Runs(n)));
        }
        Tiler::Layout(tile) => {
            let part = Part::of(subject, path)?;
            let table = tile_of_each(part.size, tile)?;
            parts.push((part, Division::Table(table)));
        }
        Tiler::Modes(entries) => {
            for (mode, entry) in entries.iter().enumerate() {
                path.push(mode);
                divide(subject, path, entry, parts)?;
                path.pop();
            }
        }
    }
    Ok(())
}

/// The tile that each of `size` indices lies in.
fn tile_of_each(size: i64, tile: &Layout) -> Result<Vec<i64>, Error> {
    let indices = Layout::new(Tuple::leaf(Int::from(size)), Tuple::leaf(Stride::from(Int::from(1))))?;
    let divided = logical_divide(&indices, &Tiler::Layout(tile.clone()))?;
    let divided = Subject::new("", &Value::Layout(divided))?;
    let entries = divided.elements()?;
    let mut table = vec![None; usize::try_from(size).unwrap_or(0)];
    for at in entries {
        let index = divided.offset(&at)?;
        // A tile that over-covers reaches beyond the end; a repeated index belongs to the first tile that has it.
        if let Some(entry) = usize::try_from(index).ok().and_then(|index| table.get_mut(index)) {
            entry.get_or_insert(at.get(1).copied().unwrap_or(0));
        }
    }
    Ok(table.into_iter().map(Option::unwrap_or_default).collect())
}
