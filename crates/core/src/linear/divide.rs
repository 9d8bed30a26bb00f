//! Division: what is left of a layout when a factor of the product is taken away.
//!
//! Laws: `divide_left(A, B) = C` when `A = B * C`, and `divide_right(A, B) = C` when `A = C * B`, where the product is
//! the [direct sum](LinearLayout::product). `C` has the dims of `A`, in their order where the product then has it too; those
//! that `B` uses up have size 1, and are left out where no order of all dims would do. There is nothing when no such `C`
//! exists.
//!
//! An instruction with a tile of its own can move the elements of a layout exactly when the tile divides the layout.

use super::Name;
use super::bits::span;
use super::fields::Fields;
use super::layout::{Dim, Dims, LinearLayout};
use super::product::merges;
use super::trace::Division;
use crate::small::Small;
use crate::trace::Trace;

impl LinearLayout {
    /// The layout `C` with `part * C` equal to this one: `part` is the minor part. Nothing when `part` does not divide.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let (register, offset) = (Name::REGISTER, Name::OFFSET);
    /// let whole = LinearLayout::from_bases(&[(register, vec![vec![1], vec![2], vec![8]])], &[(offset, 16)])?;
    /// let rest = whole.divide_left(&LinearLayout::identity(4, register, offset)?);
    /// assert_eq!(rest.map(|rest| rest.to_string()).as_deref(), Some("linear<{register=[[2]]}, out=[offset:4]>"));
    /// assert_eq!(whole.divide_left(&LinearLayout::identity(8, register, offset)?), None);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn divide_left(&self, part: &LinearLayout) -> Option<LinearLayout> {
        self.divide_left_traced(part, &mut ())
    }

    /// [`LinearLayout::divide_left`], with what is found of each bit of the factor reported.
    ///
    /// ```
    /// use bitstride::linear::{Division, LinearLayout, Name};
    /// let (register, offset) = (Name::REGISTER, Name::OFFSET);
    /// let whole = LinearLayout::from_bases(&[(register, vec![vec![1], vec![3]])], &[(offset, 4)])?;
    /// let mut events = Vec::new();
    /// assert_eq!(whole.divide_left_traced(&LinearLayout::identity(2, register, offset)?, &mut events), None);
    /// assert_eq!(events, [Division::Matched { part: 0, whole: 0 }, Division::Touches { whole: 1 }]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn divide_left_traced(&self, part: &LinearLayout, trace: &mut impl Trace<Division>) -> Option<LinearLayout> {
        divide(self, part, KnownFactor::Left, trace)
    }

    /// The layout `C` with `C * part` equal to this one: `part` is the major part. Nothing when `part` does not divide.
    ///
    /// ```
    /// use bitstride::linear::{LinearLayout, Name};
    /// let (register, offset) = (Name::REGISTER, Name::OFFSET);
    /// let whole = LinearLayout::from_bases(&[(register, vec![vec![2], vec![1], vec![4]])], &[(offset, 8)])?;
    /// let rest = whole.divide_right(&LinearLayout::identity(2, register, offset)?);
    /// assert_eq!(rest.map(|rest| rest.to_string()).as_deref(), Some("linear<{register=[[2],[1]]}, out=[offset:4]>"));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    #[must_use]
    pub fn divide_right(&self, part: &LinearLayout) -> Option<LinearLayout> {
        self.divide_right_traced(part, &mut ())
    }

    /// [`LinearLayout::divide_right`], with what is found of each bit of the factor reported.
    #[must_use]
    pub fn divide_right_traced(&self, part: &LinearLayout, trace: &mut impl Trace<Division>) -> Option<LinearLayout> {
        divide(self, part, KnownFactor::Right, trace)
    }
}

/// Which factor is known: the minor one, which stands left, or the major one.
#[derive(Clone, Copy, PartialEq)]
enum KnownFactor {
    Left,
    Right,
}

/// The other factor.
fn divide(
    whole: &LinearLayout,
    part: &LinearLayout,
    side: KnownFactor,
    trace: &mut impl Trace<Division>,
) -> Option<LinearLayout> {
    let into = place(whole, part, side == KnownFactor::Left)?;
    let (mut out_of, mut taken) = (Fields::none(), 0);
    let mut other = LinearLayout::empty();
    let (mut start, mut place) = (0, 0);
    for dim in whole.outs() {
        let used = part.out_dim(dim.name).map_or(0, |(dim, _)| dim.bits);
        let left = dim.bits.checked_sub(used)?;
        let (known, free) = if side == KnownFactor::Left { (start, start + used) } else { (start + left, start) };
        out_of.push(free, left, place);
        taken |= span(known, used);
        other.outs.push(Dim { name: dim.name, bits: left });
        start += dim.bits;
        place += left;
    }
    // The number of the first bit of a dim.
    let mut first_bit = 0;
    for (dim, all) in whole.by_in_dim() {
        let known = part.in_dim(dim.name).map_or(&[][..], |(_, columns)| columns);
        let left = all.len().checked_sub(known.len())?;
        let (first, second) = all.split_at_checked(if side == KnownFactor::Left { known.len() } else { left })?;
        let (mine, rest) = if side == KnownFactor::Left { (first, second) } else { (second, first) };
        let (mine_at, rest_at) = if side == KnownFactor::Left { (0, known.len()) } else { (left, 0) };
        let (mine, rest) = ((first_bit + mine_at, mine), (first_bit + rest_at, rest));
        if !divides(part, dim.name, mine, rest, &into, taken, trace) {
            return None;
        }
        first_bit += all.len();
        out_of.extend(&mut other.columns, rest.1);
        other.ins.push(Dim { name: dim.name, bits: u32::try_from(left).ok()? });
    }
    // Then both factors merge in the order of the whole.
    if is_in_order(whole.ins(), part.ins()) && is_in_order(whole.outs(), part.outs()) {
        return Some(other);
    }
    let ins = order(whole.ins(), part.ins(), other.ins(), side)?;
    let outs = order(whole.outs(), part.outs(), other.outs(), side)?;
    for dim in other.ins.clone().iter().filter(|dim| !ins.contains(dim)) {
        other = other.squeeze_ins(dim.name).ok()?;
    }
    for dim in other.outs.clone().iter().filter(|dim| !outs.contains(dim)) {
        other = other.squeeze_outs(dim.name).ok()?;
    }
    let names = |dims: &Dims| dims.iter().map(|dim| dim.name).collect::<Small<Name, 5>>();
    if other.ins != ins {
        other = other.transpose_ins(&names(&ins)).ok()?;
    }
    if other.outs != outs {
        other = other.transpose_outs(&names(&outs)).ok()?;
    }
    Some(other)
}

/// Whether the bits of the whole in place of those of the factor go where these go, and the rest touches no out bit that the
/// factor takes. The bits are those of one in dim, each list with the number of its first.
pub(super) fn divides(
    part: &LinearLayout,
    name: Name,
    (mine_at, mine): (usize, &[u64]),
    (rest_at, rest): (usize, &[u64]),
    into: &Fields,
    taken: u64,
    trace: &mut impl Trace<Division>,
) -> bool {
    let known = part.in_dim(name).map_or(&[][..], |(_, columns)| columns);
    for (at, (mine, known)) in mine.iter().zip(known).enumerate() {
        let pair = || (first_bit_of(part, name) + at, mine_at + at);
        if *mine != into.one(*known) {
            trace.record(|| {
                let (part, whole) = pair();
                Division::Differs { part, whole }
            });
            return false;
        }
        trace.record(|| {
            let (part, whole) = pair();
            Division::Matched { part, whole }
        });
    }
    let touches = rest.iter().position(|column| column & taken != 0);
    if let Some(at) = touches {
        trace.record(|| Division::Touches { whole: rest_at + at });
    }
    touches.is_none()
}

/// The number of the first bit of an in dim.
pub(super) fn first_bit_of(layout: &LinearLayout, name: Name) -> usize {
    layout.by_in_dim().take_while(|(dim, _)| dim.name != name).map(|(_, columns)| columns.len()).sum()
}

/// From a packed image of a factor to one of the whole, where the factor is the minor or the major part. Nothing when the
/// factor has an out dim that the whole does not have, or a longer one.
pub(crate) fn place(whole: &LinearLayout, part: &LinearLayout, left: bool) -> Option<Fields> {
    let mut into = Fields::none();
    let mut from = 0;
    for dim in part.outs() {
        let (there, start) = whole.out_dim(dim.name)?;
        let above = there.bits.checked_sub(dim.bits)?;
        into.push(from, dim.bits, if left { start } else { start + above });
        from += dim.bits;
    }
    Some(into)
}

/// Whether the known dims stand in the order of the whole.
fn is_in_order(whole: &[Dim], known: &[Dim]) -> bool {
    let mut rest = whole.iter();
    known.iter().all(|dim| rest.any(|other| other.name == dim.name))
}

/// The dims of the other factor in an order in which both merge to those of the whole: in the order of the whole, else in
/// any order, else without dims that the known factor uses up.
fn order(whole: &[Dim], known: &[Dim], other: &[Dim], side: KnownFactor) -> Option<Dims> {
    let fits = |other: &[Dim]| match side {
        KnownFactor::Left => merges(known, other, whole),
        KnownFactor::Right => merges(other, known, whole),
    };
    if is_in_order(whole, known) || fits(other) {
        return Some(Dims::from_slice(other));
    }
    let shared = |dim: &Dim| known.iter().any(|known| known.name == dim.name);
    let used: Vec<&Dim> = other.iter().filter(|dim| dim.bits == 0 && shared(dim)).collect();
    let mut dropped: Vec<u64> = (0..1 << used.len().min(MOST_DROPPED)).collect();
    dropped.sort_by_key(|mask| mask.count_ones());
    let mut search = OrderSearch { fits: &fits, shared: &shared, tries: MOST_ORDERS };
    dropped.into_iter().find_map(|mask| {
        let gone = |dim: &Dim| used.iter().zip(0..).any(|(used, bit)| *used == dim && mask >> bit & 1 == 1);
        search.from(&mut Dims::new(), &other.iter().filter(|dim| !gone(dim)).copied().collect())
    })
}

/// How many orders are tried, and of how many dims all choices of what is left out.
const MOST_ORDERS: usize = 1 << 14;
const MOST_DROPPED: usize = 6;

/// All orders of some dims, those near the given one first.
struct OrderSearch<'a> {
    fits: &'a dyn Fn(&[Dim]) -> bool,
    shared: &'a dyn Fn(&Dim) -> bool,
    tries: usize,
}

impl OrderSearch<'_> {
    /// The first order that fits and begins with these dims.
    fn from(&mut self, first: &mut Dims, left: &Dims) -> Option<Dims> {
        // The budget ends the whole search.
        crate::cancel::checkpoint();
        self.tries.checked_sub(1)?;
        if left.is_empty() {
            self.tries -= 1;
            return (self.fits)(first).then(|| first.clone());
        }
        // Dims that the known factor lacks are merged in their own order, which is that of the whole.
        let mut own = false;
        for (at, dim) in left.iter().enumerate() {
            let is_own = !(self.shared)(dim);
            if is_own && std::mem::replace(&mut own, true) {
                continue;
            }
            let others = left.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, dim)| *dim).collect();
            let mut longer = first.clone();
            longer.push(*dim);
            if let Some(found) = self.from(&mut longer, &others) {
                return Some(found);
            }
        }
        None
    }
}
