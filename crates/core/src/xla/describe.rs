//! A tiled layout in words: the three equivalent pictures of it, with the numbers of an array.
//!
//! The index formula gives the offset of an index in one line. The tile decomposition says, tile by tile, in which tile
//! and where in it an index lies. Pad, reshape, transpose says what would be done to the whole array to bring its
//! elements into the order of memory. Law: all three are the same function.

use std::fmt;

use super::{Array, Image, Step};
use crate::error::Error;

impl Image {
    /// The offset of the index `(i0, i1, …)` as one formula of `div`, `mod`, `*` and `+`. With `*` in many tiles, which
    /// would double the formula with each, coordinates that became long get names, which are explained after it.
    ///
    /// ```
    /// use bitstride::xla::{Array, Image};
    /// let array: Array = "f32[3,5]{1,0:T(2,2)}".parse()?;
    /// assert_eq!(Image::of(&array)?.index_formula(), "(i0 div 2)*12 + (i1 div 2)*4 + (i0 mod 2)*2 + i1 mod 2");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn index_formula(&self) -> String {
        let mut at: Vec<Term> = self.order().iter().copied().map(Term::Index).collect();
        let mut names = Vec::new();
        for (number, step) in self.steps().iter().enumerate() {
            at = step.terms(&at).0;
            names.extend(shorten(number, &mut at));
        }
        let terms = at.iter().zip(self.strides()).zip(self.tiled_dims());
        let scaled: Vec<String> = terms
            .filter(|((term, _), extent)| **extent > 1 && **term != Term::Zero)
            .map(|((term, stride), _)| term.times(*stride))
            .collect();
        let formula = if scaled.is_empty() { "0".to_owned() } else { scaled.join(" + ") };
        names.into_iter().fold(formula, |formula, name| format!("{formula}, where {name}"))
    }

    /// In which tile an index lies and where in it, a line a tile, and the offset.
    ///
    /// ```
    /// use bitstride::xla::{Array, Image};
    /// let array: Array = "f32[3,5]{1,0:T(2,2)}".parse()?;
    /// assert_eq!(Image::of(&array)?.tile_decomposition(), [
    ///     "in memory the index is (i0, i1) of 3x5",
    ///     "T(2,2): tile (i0 div 2, i1 div 2) of 2x3, in it (i0 mod 2, i1 mod 2) of 2x2",
    ///     "the offset is the number of (i0 div 2, i1 div 2, i0 mod 2, i1 mod 2) in 2x3x2x2, the last the fastest",
    /// ]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn tile_decomposition(&self) -> Vec<String> {
        let mut at: Vec<Term> = self.order().iter().copied().map(Term::Index).collect();
        let mut lines = vec![format!("in memory the index is {} of {}", tuple(&at), sizes(&self.physical_dims()))];
        for (number, step) in self.steps().iter().enumerate() {
            let (mut after, merged) = step.terms(&at);
            let cuts = step.cuts.len();
            let grids = after.get(step.kept..step.kept + cuts).unwrap_or(&[]);
            let insides = after.get(step.kept + cuts..).unwrap_or(&[]);
            let seen = if step.merges() { format!("{} is ", tuple(&merged)) } else { String::new() };
            lines.push(format!(
                "{}: {seen}tile {} of {}, in it {} of {}",
                step.name(),
                tuple(grids),
                sizes(&step.cuts.iter().map(|cut| cut.grid).collect::<Vec<_>>()),
                tuple(insides),
                sizes(&step.cuts.iter().map(|cut| cut.tile).collect::<Vec<_>>()),
            ));
            lines.extend(shorten(number, &mut after));
            at = after;
        }
        lines.push(format!(
            "the offset is the number of {} in {}, the last the fastest",
            tuple(&at),
            sizes(self.tiled_dims())
        ));
        lines
    }

    /// What brings the elements into the order of memory: a transpose into the order of the layout, and for each tile a
    /// padding, a reshape and a transpose, a line each.
    ///
    /// ```
    /// use bitstride::xla::{Array, Image};
    /// let array: Array = "f32[3,5]{1,0:T(2,2)}".parse()?;
    /// assert_eq!(Image::of(&array)?.pad_reshape_transpose(), [
    ///     "T(2,2): pad [3,5] to [4,6]",
    ///     "T(2,2): reshape to [2,2,3,2]",
    ///     "T(2,2): transpose (0,2,1,3) to [2,3,2,2]",
    /// ]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn pad_reshape_transpose(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.order().is_sorted() {
            lines.push(format!("transpose {} to {}", round(self.order()), square(&self.physical_dims())));
        }
        let mut dims = self.physical_dims();
        for step in self.steps() {
            let name = step.name();
            let kept: Vec<i64> = step.dims.iter().take(step.kept).copied().collect();
            let with = |own: &mut dyn Iterator<Item = i64>| kept.iter().copied().chain(own).collect::<Vec<i64>>();
            let merged = with(&mut step.cuts.iter().map(|cut| cut.extent));
            if merged != dims {
                lines.push(format!("{name}: reshape {} to {}", square(&dims), square(&merged)));
            }
            // The padded extents are at most the size of the memory.
            let padded = with(&mut step.cuts.iter().map(|cut| cut.grid.saturating_mul(cut.tile)));
            if padded != merged {
                lines.push(format!("{name}: pad {} to {}", square(&merged), square(&padded)));
            }
            let cut = with(&mut step.cuts.iter().flat_map(|cut| [cut.grid, cut.tile]));
            lines.push(format!("{name}: reshape to {}", square(&cut)));
            let own = (0..step.cuts.len()).map(|at| step.kept + 2 * at);
            let order: Vec<usize> = (0..step.kept).chain(own.clone()).chain(own.map(|grid| grid + 1)).collect();
            if !order.is_sorted() {
                lines.push(format!("{name}: transpose {} to {}", round(&order), square(&step.dims)));
            }
            dims = step.dims.to_vec();
        }
        if lines.is_empty() {
            lines.push("the elements are in the order of memory".to_owned());
        }
        lines
    }
}

impl Array {
    /// All three pictures, each with its heading.
    ///
    /// # Errors
    /// As [`Image::of`].
    pub fn describe(&self) -> Result<String, Error> {
        let image = Image::of(self)?;
        let indented = |lines: Vec<String>| lines.iter().map(|line| format!("  {line}\n")).collect::<String>();
        Ok(format!(
            "index formula\n{}tile decomposition\n{}pad, reshape, transpose\n{}",
            indented(vec![format!("offset = {}", image.index_formula())]),
            indented(image.tile_decomposition()),
            indented(image.pad_reshape_transpose()),
        ))
    }
}

impl Step {
    fn merges(&self) -> bool {
        self.cuts.iter().any(|cut| cut.merged.len() > 1)
    }

    /// The tile as it is written.
    pub fn name(&self) -> String {
        let extents = self.cuts.iter().flat_map(|cut| {
            let stars = std::iter::repeat_n("*".to_owned(), cut.merged.len().saturating_sub(1));
            stars.chain([cut.tile.to_string()])
        });
        format!("T({})", extents.collect::<Vec<_>>().join(","))
    }

    /// The coordinates after the step in terms of those before, and the merged coordinates.
    fn terms(&self, before: &[Term]) -> (Vec<Term>, Vec<Term>) {
        let (kept, cut) = before.split_at_checked(self.kept).unwrap_or((before, &[]));
        let mut rest = std::iter::repeat_n(Term::Zero, self.ones).chain(cut.iter().cloned());
        let mut merged = Vec::new();
        for cut in &self.cuts {
            let parts: Vec<(Term, i64)> =
                rest.by_ref().zip(cut.merged.iter().copied()).take(cut.merged.len()).collect();
            merged.push(Term::merged(&parts));
        }
        let cuts = || merged.iter().zip(&self.cuts);
        let grids = cuts().map(|(term, cut)| term.divided(cut.tile, cut.extent));
        let insides = cuts().map(|(term, cut)| term.rest(cut.tile, cut.extent));
        (kept.iter().cloned().chain(grids).chain(insides).collect(), merged)
    }
}

/// A coordinate in terms of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Zero,
    Index(usize),
    /// A coordinate after a step, by the numbers of both.
    Named(usize, usize),
    /// Terms with their weights, the largest first.
    Sum(Vec<(Term, i64)>),
    Div(Box<Term>, i64),
    Mod(Box<Term>, i64),
}

impl Term {
    /// Coordinates of extents seen as one number, the last the fastest.
    fn merged(parts: &[(Term, i64)]) -> Self {
        let mut terms = Vec::new();
        let mut weight = 1i64;
        for (term, extent) in parts.iter().rev() {
            if *term != Term::Zero && *extent > 1 {
                terms.insert(0, (term.clone(), weight));
            }
            weight = weight.saturating_mul(*extent);
        }
        match terms.as_slice() {
            [] => Term::Zero,
            [(only, 1)] => only.clone(),
            _ => Term::Sum(terms),
        }
    }

    /// Which tile the coordinate, below an extent, is in.
    fn divided(&self, tile: i64, extent: i64) -> Self {
        match self {
            term if tile == 1 => term.clone(),
            _ if tile >= extent => Term::Zero,
            Term::Zero => Term::Zero,
            Term::Div(term, by) => match by.checked_mul(tile) {
                Some(by) => Term::Div(term.clone(), by),
                None => Term::Zero,
            },
            term => Term::Div(Box::new(term.clone()), tile),
        }
    }

    /// Where in its tile the coordinate is.
    fn rest(&self, tile: i64, extent: i64) -> Self {
        match self {
            _ if tile == 1 => Term::Zero,
            term if tile >= extent => term.clone(),
            Term::Zero => Term::Zero,
            Term::Mod(term, by) if by % tile == 0 => Term::Mod(term.clone(), tile),
            term => Term::Mod(Box::new(term.clone()), tile),
        }
    }

    /// How many terms it is made of.
    fn terms(&self) -> usize {
        match self {
            Term::Zero | Term::Index(_) | Term::Named(..) => 1,
            Term::Sum(terms) => terms.iter().map(|(term, _)| term.terms()).sum::<usize>() + 1,
            Term::Div(term, _) | Term::Mod(term, _) => term.terms() + 1,
        }
    }

    fn times(&self, stride: i64) -> String {
        if stride == 1 { self.to_string() } else { format!("{}*{stride}", self.atom()) }
    }

    /// The text where only an atom may stand.
    fn atom(&self) -> String {
        match self {
            Term::Zero | Term::Index(_) | Term::Named(..) => self.to_string(),
            _ => format!("({self})"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Zero => f.write_str("0"),
            Term::Index(dim) => write!(f, "i{dim}"),
            Term::Named(step, place) => write!(f, "c{step}_{place}"),
            Term::Sum(terms) => {
                let terms: Vec<String> = terms.iter().map(|(term, weight)| term.times(*weight)).collect();
                f.write_str(&terms.join(" + "))
            }
            Term::Div(term, by) => write!(f, "{} div {by}", term.atom()),
            Term::Mod(term, by) => write!(f, "{} mod {by}", term.atom()),
        }
    }
}

/// The most terms that the coordinates after a tile are written with.
const LONGEST: usize = 256;

/// Names for the coordinates after a step where they have become long, and what the names stand for.
fn shorten(step: usize, at: &mut [Term]) -> Option<String> {
    if at.iter().map(Term::terms).sum::<usize>() <= LONGEST {
        return None;
    }
    let mut names = Vec::new();
    for (place, term) in at.iter_mut().enumerate().filter(|(_, term)| term.terms() > 1) {
        names.push(format!("c{step}_{place} = {term}"));
        *term = Term::Named(step, place);
    }
    Some(names.join(", "))
}

fn tuple(terms: &[Term]) -> String {
    format!("({})", terms.iter().map(Term::to_string).collect::<Vec<_>>().join(", "))
}

fn sizes(extents: &[i64]) -> String {
    if extents.is_empty() {
        "one place".to_owned()
    } else {
        extents.iter().map(i64::to_string).collect::<Vec<_>>().join("x")
    }
}

fn square(extents: &[i64]) -> String {
    format!("[{}]", extents.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

fn round(order: &[usize]) -> String {
    format!("({})", order.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each `*` reads a coordinate twice, once for the grid and once for the inside.
    #[test]
    fn many_combining_tiles_are_described_in_bounded_space() -> Result<(), Error> {
        let text = format!("s8[7,8]{{1,0:T{}}}", "(*,4)(*,*,2)".repeat(40));
        let array: Array = text.parse()?;
        let described = array.describe()?;
        assert!(described.len() < 1 << 20, "{} bytes", described.len());
        assert!(described.contains(", where c"), "{described}");
        Ok(())
    }
}
