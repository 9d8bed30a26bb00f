//! Registers and instructions: which register bits repeat others, and how they have to stand for an instruction's tile.
//!
//! Laws: the action of [`LinearLayout::action_remove_broadcasted_regs`] leaves no zero register basis, and each lane
//! keeps all elements it held. With the action of `L.reg_perm_for_divide(T)` the register bases of `T` stand where
//! a division by `T` looks for them. `L.get_reps(T)` is `L` with the bases of `T` zeroed: it says where the copies of
//! the tile are. The vector of `L.largest_vectorisation(b)` divides `L` on the left after its action.

use super::columns::ColumnAction;
use super::layout::{Columns, Dim, Dims, LinearLayout};
use super::{Division, Name, divide};
use crate::error::{Code, Error};
use crate::small::Small;
use crate::trace::Trace;

/// The bits that one access moves at most.
const WIDEST: i64 = 128;

impl LinearLayout {
    /// The action that keeps the register bits that move something. As in Triton, registers that repeat others in
    /// another way stay; [`LinearLayout::free_variable_masks`] finds those.
    ///
    /// # Errors
    /// [`Code::MissingDim`] without an in dim `register`.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![1], vec![0], vec![2]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::dim(0), 4)])?;
    /// assert_eq!(layout.action_remove_broadcasted_regs()?.picks(), [0, 2]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn action_remove_broadcasted_regs(&self) -> Result<ColumnAction, Error> {
        self.keeping(Name::REGISTER, |column| column != 0)
    }

    /// The action that brings the register bases of a tile to the front, or for a right division to the end, the others
    /// staying in order. Nothing when a basis of the tile is none of the layout's.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![4], vec![1], vec![2]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::OFFSET, 8)])?;
    /// let tile = LinearLayout::identity(4, Name::REGISTER, Name::OFFSET)?;
    /// assert_eq!(layout.reg_perm_for_divide(&tile, true).map(|action| action.picks().to_vec()), Some(vec![1, 2, 0]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn reg_perm_for_divide(&self, tile: &LinearLayout, left: bool) -> Option<ColumnAction> {
        self.reg_perm_for_divide_traced(tile, left, &mut ())
    }

    /// [`LinearLayout::reg_perm_for_divide`], with the bit that is found for each of the tile reported.
    ///
    /// ```
    /// use bitstride::linear::{Division, LinearLayout, Name};
    /// let layout = LinearLayout::from_bases(&[(Name::REGISTER, vec![vec![4], vec![1]])], &[(Name::OFFSET, 8)])?;
    /// let (tile, mut events) = (LinearLayout::identity(4, Name::REGISTER, Name::OFFSET)?, Vec::new());
    /// assert_eq!(layout.reg_perm_for_divide_traced(&tile, true, &mut events), None);
    /// assert_eq!(events, [Division::Matched { part: 0, whole: 1 }, Division::Missing { part: 1 }]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn reg_perm_for_divide_traced(
        &self,
        tile: &LinearLayout,
        left: bool,
        trace: &mut impl Trace<Division>,
    ) -> Option<ColumnAction> {
        let (dim, mine) = self.in_dim(Name::REGISTER)?;
        // The number of a register bit through the in dims.
        let number = |layout, at| divide::first_bit_of(layout, Name::REGISTER) + at;
        let into = divide::place(self, tile, left)?;
        let mut chosen: Small<u32, 32> = Small::new();
        for (part, basis) in tile.in_dim(Name::REGISTER).map_or(&[][..], |(_, columns)| columns).iter().enumerate() {
            let wanted = into.one(*basis);
            let free = |at: &u32| !chosen.contains(at);
            let mut same = mine.iter().zip(0u32..).filter(|(column, _)| **column == wanted).map(|(_, at)| at);
            let Some(found) = same.find(free) else {
                trace.record(|| Division::Missing { part: number(tile, part) });
                return None;
            };
            trace.record(|| Division::Matched {
                part: number(tile, part),
                whole: number(self, usize::try_from(found).unwrap_or(usize::MAX)),
            });
            chosen.push(found);
        }
        Some(ColumnAction::moving(dim, &chosen, left))
    }

    /// Where the copies of a tile are: the layout with the tile's bases, the first ones of each in dim, zeroed. Nothing
    /// unless those bases are the tile's and no other basis has a bit that one of the tile has.
    ///
    /// This asks less than [`LinearLayout::divide_left`]: the tile need not fill the low bits of an out dim.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![8], vec![1]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::OFFSET, 16)])?;
    /// let tile = LinearLayout::from_bases(&[(Name::REGISTER, vec![vec![8]])], &[(Name::OFFSET, 16)])?;
    /// assert_eq!(layout.get_reps(&tile).map(|reps| reps.columns().to_vec()), Some(vec![0, 1]));
    /// assert_eq!(layout.divide_left(&tile), None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn get_reps(&self, tile: &LinearLayout) -> Option<LinearLayout> {
        self.get_reps_traced(tile, &mut ())
    }

    /// [`LinearLayout::get_reps`], with what is found of each bit of the tile reported.
    #[must_use]
    pub fn get_reps_traced(&self, tile: &LinearLayout, trace: &mut impl Trace<Division>) -> Option<LinearLayout> {
        let inside = |mine: &[Dim], theirs: &[Dim]| theirs.iter().all(|dim| mine.iter().any(|my| my.name == dim.name));
        if !inside(self.ins(), tile.ins()) {
            return None;
        }
        let into = divide::place(self, tile, true)?;
        let used = into.one(tile.columns().iter().fold(0, |bits, column| bits | column));
        let (mut columns, mut first) = (Columns::new(), 0);
        for (dim, all) in self.by_in_dim() {
            let tiles = tile.in_dim(dim.name).map_or(&[][..], |(_, columns)| columns);
            let (mine, others) = all.split_at_checked(tiles.len())?;
            let rest = (first + mine.len(), others);
            if !divide::divides(tile, dim.name, (first, mine), rest, &into, used, trace) {
                return None;
            }
            first += all.len();
            mine.iter().for_each(|_| columns.push(0));
            columns.extend_from_slice(others);
        }
        Some(self.with_columns(Dims::from_slice(self.outs()), columns))
    }

    /// The most elements of `bitwidth` bits that one access of up to 128 bits can move, for a layout from `register` and
    /// other dims to `offset`, and the action on the registers that makes them the first. With a limit on the elements
    /// the registers stay as they are.
    ///
    /// # Errors
    /// [`Code::MissingDim`] without an in dim `register` and an out dim `offset`; [`Code::Range`] for a width outside of
    /// 1 to 128 or a limit below 1.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let bases = [(Name::REGISTER, vec![vec![4], vec![1], vec![2]]), (Name::LANE, vec![vec![8]])];
    /// let layout = LinearLayout::from_bases(&bases, &[(Name::OFFSET, 16)])?;
    /// let (elems, action) = layout.largest_vectorisation(32, None)?;
    /// assert_eq!((elems, action.picks()), (4, &[1, 2, 0][..]));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn largest_vectorisation(&self, bitwidth: i64, most: Option<i64>) -> Result<(i64, ColumnAction), Error> {
        let whole = self.keeping(Name::REGISTER, |_| true)?;
        let (offset, _) = self.out_dim(Name::OFFSET).ok_or_else(|| LinearLayout::missing(Name::OFFSET, self.outs()))?;
        if !(1..=WIDEST).contains(&bitwidth) || most.is_some_and(|most| most < 1) {
            return Err(error!(
                Code::Range,
                "elements of {bitwidth} bits, at most {most} of them",
                [bitwidth, most = most.unwrap_or(WIDEST)]
            )
            .with_help("1 to 128 bits, and a limit of 1 or more"));
        }
        let limit = most.unwrap_or(WIDEST / bitwidth);
        let bits = limit.checked_ilog2().unwrap_or(0).min(whole.bits()).min(offset.bits);
        for bits in (1..=bits).rev() {
            let tile = LinearLayout::identity(1 << bits, Name::REGISTER, Name::OFFSET)?;
            let Some(action) = self.reg_perm_for_divide(&tile, true) else { continue };
            if most.is_some() && !action.is_identity() {
                continue;
            }
            if action.apply(self)?.divide_left(&tile).is_some() {
                return Ok((1 << bits, action));
            }
        }
        Ok((1, whole))
    }
}
