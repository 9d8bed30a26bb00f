//! What one block of an encoding holds, as it grows: runs of bits that go to one place, and the layout so far.
//!
//! A run that goes on in each dim where the tile ends is a box, and the tile times that box is the next tile. Bits that leave
//! a gap, or fill one, are no product: there the tile is written out.

use super::steps::Steps;
use super::words::{list, tuple};
use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};

/// The tile that the events so far make.
pub(super) struct BlockTile {
    /// The dims, the fastest first.
    order: Vec<usize>,
    /// What its dims mean, until that is said.
    meaning: String,
    /// For each place its bases, with a value for each dim in that order.
    bases: Vec<(Name, Vec<Vec<i64>>)>,
    value: Option<LinearLayout>,
    run: Option<Run>,
}

/// Bits that go to one place one after the other.
struct Run {
    place: Name,
    is_box: bool,
    /// Dims, each with its first bit and how many.
    parts: Vec<(usize, u32, u32)>,
}

impl BlockTile {
    pub(super) fn new(order: Vec<usize>, meaning: String) -> Self {
        BlockTile { order, meaning, bases: Vec::new(), value: None, run: None }
    }

    /// The next bits of a place move these bits of a dim.
    pub(super) fn take(
        &mut self,
        place: Name,
        dim: usize,
        start: u32,
        bits: u32,
        steps: &mut Steps,
    ) -> Result<(), Error> {
        let is_box = start == self.reach(dim);
        let goes_on = self.run.as_ref().is_some_and(|run| {
            let earlier = run.parts.split_last().map_or(&[][..], |(_, earlier)| earlier);
            run.place == place && run.is_box == is_box && earlier.iter().all(|(other, ..)| *other != dim)
        });
        if !goes_on {
            self.close(steps)?;
        }
        let units = (start..start.saturating_add(bits)).map(|bit| self.unit(dim, bit)).collect();
        self.append(place, units);
        self.run.get_or_insert_with(|| Run { place, is_box, parts: Vec::new() }).parts.push((dim, start, bits));
        Ok(())
    }

    /// The next bits of a place move nothing.
    pub(super) fn repeat(&mut self, place: Name, bits: u32, steps: &mut Steps) -> Result<(), Error> {
        self.close(steps)?;
        if bits == 0 {
            return Ok(());
        }
        self.append(place, (0..bits).map(|_| vec![0; self.order.len()]).collect());
        let rule = match bits {
            1 => format!("The next bit of {place} moves nothing: {place}s that differ in it hold the same elements."),
            _ => format!("The next {bits} bits of {place} move nothing: {place}s that differ in them hold the same."),
        };
        let dim = Name::dim(self.order.first().copied().unwrap_or(0));
        self.grow(rule, format!("zeros_1d({}, {place}, {dim})", size(bits)), steps)
    }

    /// The layout of all, once nothing follows.
    pub(super) fn finish(mut self, steps: &mut Steps) -> Result<Option<LinearLayout>, Error> {
        self.close(steps)?;
        Ok(self.value)
    }

    /// The number of bits of a dim that are in use.
    fn reach(&self, dim: usize) -> u32 {
        let at = self.order.iter().position(|other| *other == dim);
        let values = self.bases.iter().flat_map(|(_, bases)| bases).filter_map(|basis| basis.get(at?));
        values.filter_map(|value| value.checked_ilog2()).map(|bit| bit + 1).max().unwrap_or(0)
    }

    /// The basis that moves one bit of a dim.
    fn unit(&self, dim: usize, bit: u32) -> Vec<i64> {
        self.order.iter().map(|other| if *other == dim { size(bit) } else { 0 }).collect()
    }

    fn append(&mut self, place: Name, more: Vec<Vec<i64>>) {
        match self.bases.iter_mut().find(|(name, _)| *name == place) {
            Some((_, bases)) => bases.extend(more),
            None => self.bases.push((place, more)),
        }
    }

    /// Writes down the run that ends here.
    fn close(&mut self, steps: &mut Steps) -> Result<(), Error> {
        let Some(run) = self.run.take() else { return Ok(()) };
        let Run { place, is_box, parts } = run;
        let is_there = self.value.as_ref().is_some_and(|tile| tile.in_dim(place).is_some());
        if is_there && parts.iter().all(|(.., bits)| *bits == 0) {
            return Ok(());
        }
        if is_box {
            let bits = |dim: usize| parts.iter().filter(|(own, ..)| *own == dim).map(|(.., bits)| bits).sum();
            let sizes: Vec<i64> = (0..self.order.len()).map(|dim| size(bits(dim))).collect();
            let mut order: Vec<usize> = parts.iter().map(|(dim, ..)| *dim).chain(self.order.iter().copied()).collect();
            let mut seen = Vec::new();
            order.retain(|dim| {
                !seen.contains(dim) && {
                    seen.push(*dim);
                    true
                }
            });
            let rule = self.box_rule(place, is_there, &sizes, &order);
            let order: Vec<String> = order.iter().map(usize::to_string).collect();
            let grown = format!("identity_standard_nd({place}, {}, ({}))", tuple(&sizes), order.join(","));
            return self.grow(rule, grown, steps);
        }
        let moved: Vec<String> =
            parts.iter().map(|(dim, start, _)| format!("{} by {}", Name::dim(*dim), size(*start))).collect();
        let (noun, verb) = if moved.len() == 1 { ("bit", "moves") } else { ("bits", "move") };
        let rule = format!("The next {noun} of {place} {verb} {}:", list(&moved));
        let outs: Vec<(Name, i64)> = self.order.iter().map(|dim| (Name::dim(*dim), size(self.reach(*dim)))).collect();
        let written = LinearLayout::from_bases(&self.bases, &outs)?.to_string();
        self.add(rule, written, steps)
    }

    /// What a box of bits says.
    fn box_rule(&self, place: Name, is_there: bool, sizes: &[i64], order: &[usize]) -> String {
        let what = match place {
            Name::REGISTER if is_there => "Further registers are arranged",
            Name::REGISTER => "One lane holds a box of",
            Name::LANE if is_there => "Further lanes are arranged",
            Name::LANE => "The lanes of a warp are arranged",
            _ if is_there => "Further warps are arranged",
            _ => "The warps of a block are arranged",
        };
        let is_long = |dim: &&usize| sizes.get(**dim).is_some_and(|size| *size > 1);
        let along: Vec<Name> = order.iter().filter(is_long).map(|dim| Name::dim(*dim)).collect();
        let fastest = match along.as_slice() {
            [first, _, ..] => format!(", {first} the fastest"),
            _ => String::new(),
        };
        let goes_on = match along.is_empty() || self.value.is_none() {
            true => String::new(),
            false => format!(", going on along {} where the tile so far ends", list(&along)),
        };
        format!("{what} {}{fastest}{goes_on}.", tuple(sizes))
    }

    /// The tile times what comes next.
    fn grow(&mut self, rule: String, next: String, steps: &mut Steps) -> Result<(), Error> {
        let grown = match &self.value {
            Some(tile) => format!("mul({tile}, {next})"),
            None => next,
        };
        self.add(rule, grown, steps)
    }

    fn add(&mut self, rule: String, tile: String, steps: &mut Steps) -> Result<(), Error> {
        let rule = std::mem::take(&mut self.meaning) + &rule;
        self.value = Some(steps.add(rule, tile)?.as_linear()?);
        Ok(())
    }
}

/// The number of values of some bits.
fn size(bits: u32) -> i64 {
    1i64.checked_shl(bits).unwrap_or(i64::MAX)
}
