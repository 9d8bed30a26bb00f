//! Inverses: which place has a given image.
//!
//! [`LinearLayout::invert_and_compose`] is the general form. Law: `C = A.invert_and_compose(B)` has `B(C(x)) = A(x)`
//! for every `x`. Of the many solutions, the one Triton takes: an in dim that both have with the same bases, and whose
//! span meets that of all other columns in 0 only, maps by the identity; the other values take the earliest columns of
//! `B` that are independent, every other bit being 0. The right inverse, the inverse and the least-squares solution are
//! special cases.

use super::bits::{Echelon, ones};
use super::fields::Fields;
use super::layout::{Columns, Dim, LinearLayout, bit_count, names};
use super::trace::Elimination;
use crate::error::{Code, Error};
use crate::small::Small;
use crate::trace::Trace;

impl LinearLayout {
    /// The map `C` with `outer(C(x)) = self(x)`: where in `outer` the element at `x` is.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] when the out dims differ; [`Code::OuterCodomainTooSmall`] when `outer` has fewer
    /// values of one; [`Code::ImageNotContained`] when an image here is none of `outer`, with the place.
    pub fn invert_and_compose(&self, outer: &LinearLayout) -> Result<LinearLayout, Error> {
        self.invert_and_compose_traced(outer, &mut ())
    }

    /// [`LinearLayout::invert_and_compose`], with the elimination reported.
    ///
    /// # Errors
    /// As there.
    pub fn invert_and_compose_traced(
        &self,
        outer: &LinearLayout,
        trace: &mut impl Trace<Elimination>,
    ) -> Result<LinearLayout, Error> {
        let targets = repack(self, outer)?;
        let same = Same::of(self, outer, &targets);
        let mut echelon = Echelon::new();
        for (at, column) in outer.columns().iter().enumerate() {
            if !same.in_outer(at) {
                echelon.insert_traced(*column, at, trace);
            }
        }
        let mut columns = Columns::new();
        for (at, target) in targets.iter().enumerate() {
            match same.partner(at) {
                Some(mask) => {
                    trace.record(|| Elimination::Shared { at, bit: ones(mask).next().unwrap_or(0) });
                    columns.push(mask);
                }
                None => {
                    columns.push(echelon.express_traced(*target, at, trace).ok_or_else(|| not_contained(self, at))?)
                }
            }
        }
        let ins = self.ins().iter().copied().collect();
        LinearLayout::from_columns(ins, outer.ins().iter().copied().collect(), columns)
    }

    /// A right inverse: the map `C` with `self(C(y)) = y` for every element `y`, its places with the earliest bits.
    ///
    /// # Errors
    /// [`Code::ImageNotContained`] unless the layout is surjective.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1], vec![0], vec![3]])], &[(Name::dim(0), 4)])?;
    /// assert_eq!(layout.pseudoinvert()?.columns(), [0b001, 0b101]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn pseudoinvert(&self) -> Result<LinearLayout, Error> {
        self.pseudoinvert_traced(&mut ())
    }

    /// [`LinearLayout::pseudoinvert`], with the elimination reported.
    ///
    /// # Errors
    /// As there.
    pub fn pseudoinvert_traced(&self, trace: &mut impl Trace<Elimination>) -> Result<LinearLayout, Error> {
        let units = (0..self.out_bits()).map(|bit| 1u64 << bit).collect();
        let outs: super::Dims = self.outs().iter().copied().collect();
        LinearLayout::from_columns(outs.clone(), outs, units)?.invert_and_compose_traced(self, trace)
    }

    /// The inverse.
    ///
    /// # Errors
    /// [`Code::NotInvertible`], with the rank and the numbers of bits.
    pub fn invert(&self) -> Result<LinearLayout, Error> {
        self.invert_traced(&mut ())
    }

    /// Checks that in bits, out bits and rank are equal, which `what` has to be.
    pub(super) fn check_invertible(&self, what: &str) -> Result<(), Error> {
        if self.is_invertible() {
            return Ok(());
        }
        let [ins, outs, rank] = [self.in_bits(), self.out_bits(), self.rank()];
        Err(error!(
            (Code::NotInvertible, "not-one-to-one"),
            "{ins} in bits, {outs} out bits and rank {rank}; {what} has all equal",
            [what, ins, outs, rank]
        ))
    }

    /// The map `X` with `self(X(y)) = other(y)`, every free bit 0.
    ///
    /// # Errors
    /// As [`LinearLayout::invert_and_compose`].
    pub fn lstsq(&self, other: &LinearLayout) -> Result<LinearLayout, Error> {
        self.lstsq_traced(other, &mut ())
    }

    /// [`LinearLayout::lstsq`], with the elimination reported.
    ///
    /// # Errors
    /// As there.
    pub fn lstsq_traced(
        &self,
        other: &LinearLayout,
        trace: &mut impl Trace<Elimination>,
    ) -> Result<LinearLayout, Error> {
        let targets = repack(other, self)?;
        let mut echelon = Echelon::new();
        for (at, column) in self.columns().iter().enumerate() {
            echelon.insert_traced(*column, at, trace);
        }
        let columns: Result<Columns, Error> = targets
            .iter()
            .enumerate()
            .map(|(at, target)| echelon.express_traced(*target, at, trace).ok_or_else(|| not_contained(other, at)))
            .collect();
        let ins = other.ins().iter().copied().collect();
        LinearLayout::from_columns(ins, self.ins().iter().copied().collect(), columns?)
    }
}

/// The in bits that map by the identity: one entry an in bit here.
struct Same {
    partners: Small<Option<u64>, 32>,
    outer: u64,
}

impl Same {
    /// The in dims with the same bases in both layouts that are independent of all other columns.
    fn of(this: &LinearLayout, outer: &LinearLayout, targets: &[u64]) -> Self {
        let mut same = Same { partners: targets.iter().map(|_| None).collect(), outer: 0 };
        let mut mine = 0;
        for dim in this.ins() {
            let width = usize::try_from(dim.bits).unwrap_or(0);
            let columns = targets.get(mine..mine + width).unwrap_or_default();
            if let Some(theirs) = start(outer, *dim)
                && outer.columns().get(theirs..theirs + width) == Some(columns)
                && outer.in_dim(dim.name).is_some_and(|(other, _)| other.bits == dim.bits)
                && apart(columns, others(targets, mine, width).chain(others(outer.columns(), theirs, width)))
            {
                for k in 0..width {
                    let bit = super::bits::bit(theirs + k);
                    same.outer |= bit;
                    if let Some(partner) = same.partners.get_mut(mine + k) {
                        *partner = Some(bit);
                    }
                }
            }
            mine += width;
        }
        same
    }

    fn partner(&self, at: usize) -> Option<u64> {
        self.partners.get(at).copied().flatten()
    }

    fn in_outer(&self, at: usize) -> bool {
        self.outer & super::bits::bit(at) != 0
    }
}

/// The position of the first column of a dim.
fn start(layout: &LinearLayout, dim: Dim) -> Option<usize> {
    let at = layout.ins().iter().position(|other| other.name == dim.name)?;
    usize::try_from(bit_count(layout.ins().get(..at)?)).ok()
}

/// All columns but those of one dim.
fn others(columns: &[u64], start: usize, width: usize) -> impl Iterator<Item = u64> + Clone {
    let (before, after) = (columns.get(..start), columns.get(start + width..));
    before.unwrap_or_default().iter().chain(after.unwrap_or_default()).copied()
}

/// Whether the span of `columns` meets the span of the others in 0 only.
fn apart(columns: &[u64], others: impl Iterator<Item = u64> + Clone) -> bool {
    let support = columns.iter().fold(0, |bits, column| bits | column);
    // Columns that share no bit are apart, equal ones are not: that decides whatever moves single bits.
    if others.clone().all(|other| other & support == 0) {
        return true;
    }
    if others.clone().any(|other| other != 0 && columns.contains(&other)) {
        return false;
    }
    let mut rest = Echelon::new();
    others.enumerate().for_each(|(at, other)| _ = rest.insert(other, at));
    let mut own = Echelon::new();
    columns
        .iter()
        .enumerate()
        .filter(|(at, column)| own.insert(**column, *at))
        .all(|(at, column)| rest.insert(*column, at))
}

/// The columns of `this`, packed as `outer` packs its out dims.
fn repack(this: &LinearLayout, outer: &LinearLayout) -> Result<Columns, Error> {
    let mismatch = || {
        error!(
            Code::DimNamesMismatch,
            "the out dims {out_dims} and {other_dims} differ",
            [out_dims = names(this.outs()), other_dims = names(outer.outs())]
        )
    };
    if this.outs().len() != outer.outs().len() {
        return Err(mismatch());
    }
    let fields = Fields::between(this.outs(), outer.outs(), mismatch, |here, there| {
        if here.bits <= there.bits {
            return Ok(0);
        }
        Err(error!(
            Code::OuterCodomainTooSmall,
            "dim {name} has size {size}, but only {there_size} in the layout to invert",
            [name = here.name, size = here.size(), there_size = there.size()]
        ))
    })?;
    Ok(fields.apply(this.columns()))
}

#[cold]
fn not_contained(layout: &LinearLayout, at: usize) -> Error {
    let mut below = 0;
    let mut place = String::new();
    for dim in layout.ins() {
        let width = usize::try_from(dim.bits).unwrap_or(0);
        if at >= below && at < below + width {
            place = format!("{} = {}", dim.name, super::bits::bit(at - below));
        }
        below += width;
    }
    let image = layout.columns().get(at).map(|column| layout.unpack(*column)).unwrap_or_default();
    let values: Vec<String> = layout.outs().iter().zip(&image).map(|(dim, n)| format!("{} = {n}", dim.name)).collect();
    error!(
        Code::ImageNotContained,
        "the element {values} (of {place}) has no place in the layout to invert",
        [values = values.join(", "), place]
    )
}
