//! [`Derived`]: a field whose values follow from the format, so that one format stores it and another does without.
//!
//! The group of each channel is what its number says, where channels are in order; the shape of a weight is what the extents say.
//!
//! Law: a field that holds anything else is refused, since that would be lost.

use bitstride::{Code, Error, error};

use crate::cells::{cell, get, put, room};
use crate::format::{Field, Format};
use crate::pair::{Pair, pairs};

/// The values of a field that the format says, in cells of how many bits, and what moves them there or from there.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    /// All elements, and those of one expert.
    elements: i64,
    each: i64,
    cell: i64,
    moves: Vec<Pair>,
    rule: Rule,
}

/// What the elements of one expert are.
#[derive(Clone, Debug)]
enum Rule {
    /// Element `i` is `i` by the size of a group; by some size where the format says none.
    Groups(Option<i64>),
    /// These.
    Values(Vec<i64>),
}

/// The kind of a field that holds the group of each in-feature.
const GROUP: &str = "group";

impl Field {
    /// Whether its values follow from the parameters of the format.
    pub(crate) fn is_derived(&self) -> bool {
        self.kind == GROUP || !self.values.is_empty()
    }
}

impl Derived {
    /// Those of a field that are read, or that are written; none for a field of other values.
    pub(crate) fn new(field: &Field, format: &Format, is_read: bool) -> Result<Option<Self>, Error> {
        let rule = match (&field.values, group_size(format)) {
            (values, _) if !values.is_empty() => Rule::Values(values.clone()),
            (_, size) if field.kind == GROUP && (is_read || size.is_some()) => Rule::Groups(size),
            _ => return Ok(None),
        };
        let places = &field.places;
        let (elements, bits) = (places.elements()?, places.element_bits());
        let each = places.shape()?.last().copied().unwrap_or(elements).max(1);
        let cell = cell(bits);
        let dense = places.dense(bits, cell, 0)?;
        let order: Vec<usize> = (0..places.axes().len()).collect();
        let moves = if is_read { pairs(places, &dense, &order)? } else { pairs(&dense, places, &order)? };
        let moves = moves.ok_or_else(|| Error::overflow("the digits of a field"))?;
        Ok(Some(Derived { elements, each, cell, moves, rule }))
    }

    fn room(&self) -> Result<Vec<u8>, Error> {
        Ok(vec![0; room(self.elements, self.cell)?])
    }

    /// Checks that each element is what the format says.
    pub(crate) fn check(&self, source: &[u8]) -> Result<(), Error> {
        let mut cells = self.room()?;
        self.moves.iter().try_for_each(|pair| pair.run(source, &mut cells))?;
        let mut rule = self.rule.clone();
        for number in 0..self.elements {
            let (element, value) = (number % self.each, get(&cells, number, self.cell));
            if let Rule::Groups(size @ None) = &mut rule
                && value == 1
            {
                *size = Some(element.max(1));
            }
            let wanted = rule.value(element);
            if value == wanted {
                continue;
            }
            return Err(match &rule {
                Rule::Groups(_) => error!(
                    Code::NotALayout,
                    "channel {element} is in group {value}, not {wanted}: the order of activations would be lost",
                    [element, value, wanted]
                )
                .with_help("sort the channels by group first (act-order)"),
                Rule::Values(_) => error!(
                    Code::NotALayout,
                    "element {element} is {value}, and the format says {wanted}",
                    [element, value, wanted]
                )
                .with_help("give the extents that the file says, such as n=… and k=…, with --from"),
            });
        }
        Ok(())
    }

    /// Writes them.
    pub(crate) fn write(&self, target: &mut [u8]) -> Result<(), Error> {
        let mut cells = self.room()?;
        (0..self.elements).for_each(|number| put(&mut cells, number, self.cell, self.rule.value(number % self.each)));
        self.moves.iter().try_for_each(|pair| pair.run(&cells, target))
    }
}

impl Rule {
    fn value(&self, element: i64) -> i64 {
        match self {
            Rule::Groups(size) => size.map_or(0, |size| element / size),
            Rule::Values(values) => usize::try_from(element).ok().and_then(|at| values.get(at)).copied().unwrap_or(0),
        }
    }
}

/// How many channels a group has: all of them where the format says -1.
fn group_size(format: &Format) -> Option<i64> {
    let group = format.number("group")?;
    if group == -1 { format.number("k") } else { Some(group) }.filter(|size| *size > 0)
}
