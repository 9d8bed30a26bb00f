//! Actions on the bits of one in dim: choose some of them, in some order.
//!
//! An action of picks `p` on a dim of `n` bits makes a dim of `m` bits, `m` the number of picks, whose bit `k` is the
//! old bit `p[k]`. Law: `action.apply(L)(x) = L(y)`, where bit `p[k]` of `y` is bit `k` of `x` and its other bits are 0.
//! The same action on the list of values that the dim numbers keeps `apply_to(v)[x] = v[y]`, so a layout and its
//! registers change together.

use super::Name;
use super::bits::bit;
use super::layout::{Columns, Dim, Dims, LinearLayout};
use crate::error::{Code, Error};
use crate::small::Small;

/// Which bits of an in dim to keep, in which order; new bit `k` is old bit `picks[k]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnAction {
    dim: Name,
    bits: u32,
    picks: Small<u32, 32>,
}

impl ColumnAction {
    /// The action on a dim of `bits` bits that picks these.
    ///
    /// # Errors
    /// [`Code::OrderNotPermutation`] for a pick that the dim does not have or that is there twice.
    ///
    /// ```
    /// use bitstride::linear::{ColumnAction, LinearLayout, Name};
    /// let layout = LinearLayout::identity(8, Name::REGISTER, Name::dim(0))?;
    /// let action = ColumnAction::new(Name::REGISTER, &[2, 0], 3)?;
    /// assert_eq!(action.apply(&layout)?.columns(), [4, 1]);
    /// assert_eq!(action.apply_to(&["a", "b", "c", "d", "e", "f", "g", "h"])?, ["a", "e", "b", "f"]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(dim: Name, picks: &[u32], bits: u32) -> Result<Self, Error> {
        let bad =
            picks.iter().enumerate().find(|(at, pick)| **pick >= bits || picks.iter().take(*at).any(|p| p == *pick));
        match bad {
            None => Ok(ColumnAction { dim, bits, picks: Small::from_slice(picks) }),
            Some((_, pick)) => Err(error!(
                Code::OrderNotPermutation,
                "picks {picks:?}: {pick} is there twice or is no bit of {dim}, which has {bits}",
                [picks, pick, dim, bits]
            )),
        }
    }

    /// The in dim it acts on.
    pub fn dim(&self) -> Name {
        self.dim
    }

    /// The number of bits the dim has before.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The old bit that each new bit is.
    pub fn picks(&self) -> &[u32] {
        &self.picks
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        self.is_permutation() && (0..self.bits).eq(self.picks.iter().copied())
    }

    /// Whether it keeps every bit.
    pub fn is_permutation(&self) -> bool {
        u32::try_from(self.picks.len()) == Ok(self.bits)
    }

    /// The layout with its in dim changed.
    ///
    /// # Errors
    /// [`Code::MissingDim`]; [`Code::RankMismatch`] when the dim does not have the action's number of bits.
    pub fn apply(&self, layout: &LinearLayout) -> Result<LinearLayout, Error> {
        let (dim, old) = layout.in_dim(self.dim).ok_or_else(|| LinearLayout::missing(self.dim, layout.ins()))?;
        self.fits(dim.bits)?;
        let (mut ins, mut columns) = (Dims::new(), Columns::new());
        for (dim, all) in layout.by_in_dim() {
            if dim.name == self.dim {
                ins.push(Dim { name: dim.name, bits: u32::try_from(self.picks.len()).unwrap_or(0) });
                self.picks.iter().filter_map(|pick| column(old, *pick)).for_each(|column| columns.push(column));
            } else {
                ins.push(dim);
                columns.extend_from_slice(all);
            }
        }
        Ok(LinearLayout::trusted(ins, Dims::from_slice(layout.outs()), columns))
    }

    /// The values that the changed dim numbers, from those that the dim numbers.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when the number of values is not the size of the dim.
    pub fn apply_to<T: Clone>(&self, values: &[T]) -> Result<Vec<T>, Error> {
        if !values.len().is_power_of_two() {
            return Err(error!(
                Code::RankMismatch,
                "{values} values for dim {dim}, which has {bits} bits",
                [values = values.len(), dim = self.dim, bits = self.bits]
            ));
        }
        self.fits(values.len().trailing_zeros())?;
        let mut places = vec![0];
        for pick in self.picks.iter() {
            let step = 1usize.checked_shl(*pick).unwrap_or(0);
            places.extend(places.clone().into_iter().map(|place| place | step));
        }
        Ok(places.into_iter().filter_map(|place| values.get(place).cloned()).collect())
    }

    /// The action that undoes this one.
    ///
    /// # Errors
    /// [`Code::NotInvertible`] when it drops bits.
    pub fn inverse(&self) -> Result<ColumnAction, Error> {
        if !self.is_permutation() {
            return Err(error!(
                Code::NotInvertible,
                "the action keeps {picks_count} of {bits} bits of {dim}",
                [picks_count = self.picks.len(), bits = self.bits, dim = self.dim]
            ));
        }
        let place = |bit| self.picks.iter().position(|pick| *pick == bit).and_then(|at| u32::try_from(at).ok());
        Ok(ColumnAction { dim: self.dim, bits: self.bits, picks: (0..self.bits).filter_map(place).collect() })
    }

    /// This action and then another one: `a.then(b).apply(L) = b.apply(a.apply(L))`.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] when the other acts on another dim; [`Code::RankMismatch`] when it does not act on as
    /// many bits as this one keeps.
    pub fn then(&self, next: &ColumnAction) -> Result<ColumnAction, Error> {
        if self.dim != next.dim {
            return Err(error!(
                Code::DimNamesMismatch,
                "one action is on {dim}, the other on {next_dim}",
                [dim = self.dim, next_dim = next.dim]
            ));
        }
        next.fits(u32::try_from(self.picks.len()).unwrap_or(u32::MAX))?;
        let picks = next.picks.iter().filter_map(|pick| self.picks.get(usize::try_from(*pick).ok()?).copied());
        Ok(ColumnAction { dim: self.dim, bits: self.bits, picks: picks.collect() })
    }

    /// The action that puts some bits of an in dim first or last and leaves the others in order.
    pub(crate) fn moving(dim: Dim, chosen: &[u32], first: bool) -> ColumnAction {
        let mask = chosen.iter().fold(0, |mask, pick| mask | bit(usize::try_from(*pick).unwrap_or(64)));
        let others = (0..dim.bits).filter(|at| mask >> at & 1 == 0);
        let picks = match first {
            true => chosen.iter().copied().chain(others).collect(),
            false => others.chain(chosen.iter().copied()).collect(),
        };
        ColumnAction { dim: dim.name, bits: dim.bits, picks }
    }

    fn fits(&self, bits: u32) -> Result<(), Error> {
        if bits == self.bits {
            return Ok(());
        }
        Err(error!(
            Code::RankMismatch,
            "dim {dim} has {bits} bits, but the action is on {action_bits}",
            [dim = self.dim, bits, action_bits = self.bits]
        ))
    }
}

impl LinearLayout {
    /// The layout without the zero bases of an in dim.
    ///
    /// # Errors
    /// [`Code::MissingDim`].
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::LANE, vec![vec![1], vec![0], vec![2]])], &[(Name::dim(0), 4)])?;
    /// assert_eq!(layout.remove_zero_bases_along_dim(Name::LANE)?.columns(), [1, 2]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn remove_zero_bases_along_dim(&self, name: Name) -> Result<LinearLayout, Error> {
        self.keeping(name, |column| column != 0)?.apply(self)
    }

    /// The action that keeps the bits of an in dim whose columns pass a test.
    pub(crate) fn keeping(&self, name: Name, mut keep: impl FnMut(u64) -> bool) -> Result<ColumnAction, Error> {
        let (dim, columns) = self.in_dim(name).ok_or_else(|| LinearLayout::missing(name, self.ins()))?;
        let kept = columns.iter().zip(0..).filter(|(column, _)| keep(**column)).map(|(_, at)| at);
        Ok(ColumnAction { dim: name, bits: dim.bits, picks: kept.collect() })
    }
}

fn column(columns: &[u64], at: u32) -> Option<u64> {
    columns.get(usize::try_from(at).ok()?).copied()
}
