//! Where the borders of tiles fall along the dims of an array, and how far padding extends each dim.
//!
//! A dim is cut into digits, tile by tile, as in the definition; a border is where a digit changes. Digits of several
//! dims that a tile merges (`*`) carry into each other: such dims have no borders of their own and no padded extent.

use std::collections::BTreeSet;

use bitstride::xla::Image;

/// The borders of the tiles of an array.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// For each tile that cuts anything, for each dim the tile's border.
    tiles: Vec<Vec<Option<Border>>>,
    padded: Vec<i64>,
    merged: BTreeSet<Vec<usize>>,
}

/// Borders a distance apart, counted anew within each of some outer tiles.
#[derive(Clone, Debug)]
struct Border {
    within: Vec<i64>,
    apart: i64,
}

impl Border {
    fn falls_on(&self, line: i64) -> bool {
        let place = self.within.iter().fold(line, |place, period| place % (*period).max(1));
        place % self.apart.max(1) == 0
    }
}

/// Part of a dim, or of several merged ones.
#[derive(Clone, Debug)]
struct Digit {
    dims: BTreeSet<usize>,
    /// The dim, unless digits are merged.
    axis: Option<usize>,
    /// The value of the digit's 1.
    weight: i64,
    extent: i64,
    /// The periods of the tiles that it lies in, outermost first.
    within: Vec<i64>,
}

impl Digit {
    /// A digit of no single dim.
    fn merged(extent: i64) -> Self {
        Digit { dims: BTreeSet::new(), axis: None, weight: 1, extent, within: Vec::new() }
    }
}

impl Lines {
    pub(super) fn new(image: &Image) -> Self {
        let rank = image.dims().len();
        let mut lines = Lines { tiles: Vec::new(), padded: image.dims().to_vec(), merged: BTreeSet::new() };
        let digit = |(dim, extent): (&usize, i64)| Digit {
            dims: BTreeSet::from([*dim]),
            axis: Some(*dim),
            ..Digit::merged(extent)
        };
        let mut at: Vec<Digit> = image.order().iter().zip(image.physical_dims()).map(digit).collect();
        for step in image.steps() {
            let cut = at.split_off(step.kept.min(at.len()));
            let mut rest = std::iter::repeat_n(Digit::merged(1), step.ones).chain(cut);
            let mut tile: Vec<Option<Border>> = vec![None; rank];
            let (mut insides, mut refines) = (Vec::new(), true);
            for cut in &step.cuts {
                let parts: Vec<Digit> = rest.by_ref().take(cut.merged.len()).collect();
                let whole = lines.joined(parts);
                let apart = whole.weight.saturating_mul(cut.tile);
                if let Some(axis) = whole.axis {
                    // Only the part that no tile encloses can go on after the end.
                    if let Some(padded) = lines.padded.get_mut(axis).filter(|_| whole.within.is_empty()) {
                        *padded = apart.saturating_mul(cut.grid);
                    }
                    let wider = |border: &Option<Border>| border.as_ref().is_none_or(|border| border.apart < apart);
                    if let Some(border) = tile.get_mut(axis).filter(|border| cut.tile > 1 && wider(border)) {
                        *border = Some(Border { within: whole.within.clone(), apart });
                        refines &= whole.weight == 1;
                    }
                }
                let within = [whole.within.as_slice(), &[apart]].concat();
                at.push(Digit { weight: apart, extent: cut.grid, ..whole.clone() });
                insides.push(Digit { extent: cut.tile, within, ..whole });
            }
            at.append(&mut insides);
            lines.add(tile, refines);
        }
        lines
    }

    /// Digits seen as one number.
    fn joined(&mut self, parts: Vec<Digit>) -> Digit {
        let extent = parts.iter().fold(1i64, |extent, part| extent.saturating_mul(part.extent));
        // Dims of one index add nothing.
        let live: Vec<&Digit> = parts.iter().filter(|part| part.extent != 1).collect();
        match (live.as_slice(), parts.last()) {
            ([only], _) => return (*only).clone(),
            ([], Some(last)) => return last.clone(),
            _ => {}
        }
        let dims: BTreeSet<usize> = live.iter().flat_map(|part| part.dims.iter().copied()).collect();
        if !dims.is_empty() {
            self.merged.insert(dims.iter().copied().collect());
        }
        Digit { dims, ..Digit::merged(extent) }
    }

    /// A tile's borders; along a dim that it does not cut it is one index, or one tile of those before, wide.
    fn add(&mut self, mut tile: Vec<Option<Border>>, refines: bool) {
        if tile.iter().all(Option::is_none) {
            return;
        }
        for (axis, border) in tile.iter_mut().enumerate().filter(|(_, border)| border.is_none()) {
            let before = self.tiles.first().and_then(|first| first.get(axis).cloned().flatten());
            let one = Border { within: Vec::new(), apart: 1 };
            if !self.merged.iter().any(|dims| dims.contains(&axis)) {
                *border = if refines { Some(one) } else { before };
            }
        }
        self.tiles.push(tile);
    }

    /// The extents of the dims with the padding after their ends.
    pub(super) fn padded(&self) -> &[i64] {
        &self.padded
    }

    /// The dims that are merged, those that are merged with one another in one list.
    pub(super) fn merged(&self) -> &BTreeSet<Vec<usize>> {
        &self.merged
    }

    /// The borders as they are drawn along some dims: the larger a tile, the heavier.
    pub(super) fn along(&self, dims: &[usize]) -> Weights {
        let mut tiles: Vec<(i64, Vec<Option<Border>>)> = Vec::new();
        for tile in &self.tiles {
            let borders: Vec<Option<Border>> = dims.iter().map(|dim| tile.get(*dim).cloned().flatten()).collect();
            let size = borders.iter().flatten().fold(1i64, |size, border| size.saturating_mul(border.apart));
            // Borders around every single element say nothing.
            if size > 1 {
                tiles.push((size, borders));
            }
        }
        tiles.sort_by_key(|(size, _)| *size);
        let mut levels: Vec<Vec<Vec<Option<Border>>>> = Vec::new();
        let mut last = 0;
        for (size, borders) in tiles {
            match levels.last_mut().filter(|_| size == last) {
                Some(level) => level.push(borders),
                None => levels.push(vec![borders]),
            }
            last = size;
        }
        Weights(levels)
    }
}

/// For each level from 1 on, the tiles whose borders have it, each with a border for each of the drawn dims.
#[derive(Clone, Debug)]
pub(super) struct Weights(Vec<Vec<Vec<Option<Border>>>>);

impl Weights {
    /// The level of the line before an index of one of the drawn dims.
    pub(super) fn level(&self, dim: usize, line: i64) -> u8 {
        let falls = |tile: &Vec<Option<Border>>| {
            tile.get(dim).and_then(Option::as_ref).is_some_and(|border| border.falls_on(line))
        };
        let heaviest = self.0.iter().rposition(|level| level.iter().any(falls));
        heaviest.map_or(0, |level| u8::try_from(level + 1).unwrap_or(u8::MAX))
    }

    /// The heaviest level.
    pub(super) fn heaviest(&self) -> u8 {
        u8::try_from(self.0.len()).unwrap_or(u8::MAX)
    }

    /// The extents of the tiles along one of the drawn dims as far as each is a multiple of the one before, and then the
    /// rest.
    pub(super) fn turns(&self, dim: usize) -> Vec<i64> {
        let mut turns = vec![1];
        for border in self.0.iter().flatten().filter_map(|tile| tile.get(dim).and_then(Option::as_ref)) {
            let last = turns.last().copied().unwrap_or(1);
            if border.apart > last && border.apart % last == 0 && border.within.iter().all(|p| p % border.apart == 0) {
                turns.push(border.apart);
            }
        }
        turns
    }
}
