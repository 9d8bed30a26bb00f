//! Swizzles: permutations of offsets that xor some bits onto others.
//!
//! `Sw<B,M,S>` takes B bits and xors them onto the B bits |S| places away; M is the number of lowest bits left alone.
//! For S > 0 the source lies above the target, for S < 0 below. Law: `Sw(x) = x ^ shift(x & Y, S)` with the mask Y of
//! the sources, and Sw is its own inverse, since source and target bits are disjoint (|S| >= B; B = 0 is the
//! identity).

use std::fmt;

use super::layout::Layout;
use crate::basis::StrideLeaf;
use crate::error::{Code, Error};
use crate::int::Integer;

/// The swizzle `Sw<bits,base,shift>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

/// Sources and targets must lie below the sign bit of an offset.
const MOST_BITS: i64 = 62;

impl Swizzle {
    /// The swizzle of `bits` bits from bit `base` on, `shift` places apart.
    ///
    /// # Errors
    /// [`Code::BadSwizzle`] when `bits` or `base` is negative, when `|shift| < bits`, or beyond bit 62.
    ///
    /// ```
    /// use bitstride::cute::Swizzle;
    /// let swizzle = Swizzle::new(3, 4, 3)?;
    /// assert_eq!(swizzle.apply(0x80), 0x90);
    /// assert!(Swizzle::new(3, 4, 2).is_err());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(bits: i64, base: i64, shift: i64) -> Result<Self, Error> {
        let bad = |why: String| error!(Code::BadSwizzle, "Sw<{bits},{base},{shift}>: {why}", [bits, base, shift, why]);
        if bits < 0 || base < 0 {
            return Err(bad("the number of bits and the base must not be negative".into()));
        }
        if shift.unsigned_abs() < bits.unsigned_abs() {
            return Err(bad(format!("the shift must be at least {bits} in size, or source and target bits overlap"))
                .with_help(format!(
                    "the nearest are Sw<{bits},{base},{bits}> and Sw<{},{base},{shift}>",
                    shift.abs()
                )));
        }
        let top = bits.saturating_add(base).saturating_add(shift.saturating_abs());
        let parts = (u32::try_from(bits), u32::try_from(base), i32::try_from(shift));
        match parts {
            (Ok(bits), Ok(base), Ok(shift)) if top <= MOST_BITS => Ok(Swizzle { bits, base, shift }),
            _ => Err(bad(format!("it reaches bit {top}; offsets have {MOST_BITS}"))),
        }
    }

    /// The swizzle that xors the bits of mask `sources` onto those of mask `targets`.
    ///
    /// # Errors
    /// [`Code::BadSwizzle`] when the masks are not two runs of equally many bits apart from each other.
    ///
    /// ```
    /// use bitstride::cute::Swizzle;
    /// assert_eq!(Swizzle::from_masks(0x380, 0x70)?.to_string(), "Sw<3,4,3>");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn from_masks(sources: i64, targets: i64) -> Result<Self, Error> {
        let bad = || {
            error!(
                Code::BadSwizzle,
                "the masks {sources:#x} and {targets:#x} are not two separate runs of equally many bits",
                [sources, targets]
            )
        };
        if sources == 0 && targets == 0 {
            return Swizzle::new(0, 0, 0);
        }
        let (from, to) = (sources.trailing_zeros(), targets.trailing_zeros());
        let run = |mask: i64, from: u32| mask > 0 && (mask >> from).trailing_ones() == mask.count_ones();
        if !run(sources, from) || !run(targets, to) || sources.count_ones() != targets.count_ones() {
            return Err(bad());
        }
        let shift = i64::from(from) - i64::from(to);
        Swizzle::new(i64::from(sources.count_ones()), i64::from(from.min(to)), shift).map_err(|_| bad())
    }

    /// How many bits it moves.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// How many lowest bits it leaves alone.
    pub fn base(self) -> u32 {
        self.base
    }

    /// From source to target: positive when the source lies above.
    pub fn shift(self) -> i32 {
        self.shift
    }

    /// The pairs of bit numbers (source, target).
    pub fn pairs(self) -> impl Iterator<Item = (u32, u32)> {
        let distance = self.shift.unsigned_abs();
        (self.base..self.base + self.bits)
            .map(move |low| if self.shift > 0 { (low + distance, low) } else { (low, low + distance) })
    }

    /// The mask of the source bits.
    pub fn sources(self) -> i64 {
        self.pairs().fold(0, |mask, (source, _)| mask | (1_i64 << source))
    }

    /// The mask of the target bits.
    pub fn targets(self) -> i64 {
        self.pairs().fold(0, |mask, (_, target)| mask | (1_i64 << target))
    }

    /// The offset that an offset is moved to.
    #[inline]
    pub fn apply(self, x: i64) -> i64 {
        let sources = x & self.sources();
        if self.shift >= 0 { x ^ (sources >> self.shift) } else { x ^ (sources << self.shift.unsigned_abs()) }
    }

    /// Whether it moves nothing.
    pub fn is_identity(self) -> bool {
        self.bits == 0
    }

    /// Whether it maps the offsets below `n` onto themselves.
    ///
    /// ```
    /// let swizzle = bitstride::cute::Swizzle::new(1, 0, 2)?;
    /// assert!(swizzle.keeps(8) && !swizzle.keeps(5));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn keeps(self, n: i64) -> bool {
        self.greatest_below(n) < n
    }

    /// The numbers of offsets, largest first, that `0..n` begins with and the swizzle maps onto themselves.
    pub(super) fn kept(self, n: i64) -> [i64; 3] {
        let top = self.pairs().map(|(source, target)| source.max(target) + 1).max().unwrap_or(0);
        let blocks = n >> top << top;
        let still = self.pairs().map(|(source, _)| 1_i64 << source).min().unwrap_or(n).min(n);
        [if self.greatest_below(n - blocks) < n - blocks { n } else { blocks }, blocks, still]
    }

    /// The greatest image of `0..n`; -1 for none.
    fn greatest_below(self, n: i64) -> i64 {
        // 0..n is one interval for each bit of n: the bits above as in n, this bit 0, and those below free.
        let intervals = (0..i64::BITS - 1).filter(|bit| n >> bit & 1 == 1);
        let greatest = intervals.map(|bit| {
            let mut x = (n >> bit << bit) - (1 << bit);
            let free = |place: u32| place < bit;
            // A free source sets the higher of itself and its target, where that is fixed; all other free bits can be set.
            for place in (0..bit).filter(|place| self.pairs().all(|(_, target)| target != *place)) {
                let target = self.pairs().find(|(source, _)| *source == place).map(|(_, target)| target);
                let unset = target.is_some_and(|target| target > place && !free(target) && x >> target & 1 == 1);
                x |= i64::from(!unset) << place;
            }
            let moved = self.apply(x);
            self.pairs().filter(|(_, target)| free(*target)).fold(moved, |image, (_, target)| image | 1 << target)
        });
        greatest.max().unwrap_or(-1)
    }

    /// The swizzle of elements `2^log` times as large, on offsets that have only these `bits` set.
    ///
    /// # Errors
    /// [`Code::NotDivisible`] when it would move parts of one new element: inside it, or to different ones.
    pub fn upcast(self, log: u32, bits: i64) -> Result<Self, Error> {
        let mut kept = 0_i64;
        for (source, target) in self.pairs() {
            if source.min(target) >= log {
                kept += 1;
            } else if bits >> source & 1 == 1 {
                let size = 1_u64 << log.min(62);
                let where_to = if target >= log { "to different places" } else { "inside it" };
                return Err(error!(
                    Code::NotDivisible,
                    "{swizzle} moves parts of one element of {size} {where_to}: bit {source} is xored onto bit {target}",
                    [swizzle = self, size, where_to, source, target]
                )
                .with_help(format!("a swizzle of bits from {log} on moves whole elements of {size}")));
            }
        }
        Swizzle::new(kept, i64::from(self.base.saturating_sub(log)), i64::from(self.shift))
    }

    /// The swizzle of parts of an element, `2^log` in each.
    ///
    /// # Errors
    /// [`Code::BadSwizzle`] when it would reach beyond bit 62.
    pub fn downcast(self, log: u32) -> Result<Self, Error> {
        Swizzle::new(i64::from(self.bits), i64::from(self.base) + i64::from(log), i64::from(self.shift))
    }

    /// `self o other` as one swizzle, where it is one.
    pub fn after(self, other: Self) -> Option<Self> {
        if self.is_identity() {
            return Some(other);
        }
        if other.is_identity() {
            return Some(self);
        }
        // With one shift and no bit both read and written the xors add: bits moved twice cancel.
        if self.shift != other.shift || self.sources() & other.targets() != 0 {
            return None;
        }
        Swizzle::from_masks(self.sources() ^ other.sources(), self.targets() ^ other.targets()).ok()
    }

    /// A swizzle S with `a(self(x)) = S(a(x))` for every x from 0 to below `reach`, where there is one.
    ///
    /// It exists when `a` moves bits: below the reach every bit the swizzle reads or writes goes to a bit of its own.
    /// Bits that no such x has do not matter; as CuTe does, the image of the whole masks is taken where it is a
    /// swizzle.
    pub fn through<I: Integer, D: StrideLeaf<I>>(self, a: &Layout<I, D>, reach: i64) -> Option<Self> {
        let bits = i64::BITS - reach.checked_sub(1)?.leading_zeros();
        let active = |pair: &(u32, u32)| pair.0 < bits;
        let read = self.pairs().filter(active).map(|(_, target)| target + 1).fold(bits, u32::max);
        let images = bit_images(a, read)?;
        let image = |bit: u32| usize::try_from(bit).ok().and_then(|bit| images.get(bit)).copied();
        let (mut sources, mut targets) = (0_i64, 0_i64);
        let mut moved: Vec<(u32, u32)> = Vec::new();
        for (source, target) in self.pairs().filter(active) {
            let (from, to) = (image(source)?, image(target)?);
            if from.count_ones() != 1 || to.count_ones() != 1 {
                return None;
            }
            sources |= from;
            targets |= to;
            moved.push((from.trailing_zeros(), to.trailing_zeros()));
        }
        let reached = images.iter().take(usize::try_from(bits).ok()?).fold(0, |mask, image| mask | image);
        let does_it = |swizzle: &Swizzle| {
            let acts: Vec<(u32, u32)> = swizzle.pairs().filter(|(source, _)| reached >> source & 1 == 1).collect();
            moved.iter().all(|pair| acts.contains(pair)) && acts.iter().all(|pair| moved.contains(pair))
        };
        let whole = |mask: i64| a.offset(&I::from(mask)).ok()?.as_integer()?.fixed();
        let image = match (whole(self.sources()), whole(self.targets())) {
            (Some(sources), Some(targets)) => Swizzle::from_masks(sources, targets).ok().filter(does_it),
            _ => None,
        };
        image.or_else(|| Swizzle::from_masks(sources, targets).ok().filter(does_it))
    }
}

/// Where a layout sends each of the lowest bits, when no sum of bits carries: each to bits that no other goes to.
fn bit_images<I: Integer, D: StrideLeaf<I>>(a: &Layout<I, D>, bits: u32) -> Option<Vec<i64>> {
    let extents: Option<Vec<i64>> = a.extents().iter().map(Integer::fixed).collect();
    let lower_are_bits =
        extents?.split_last().is_none_or(|(_, lower)| lower.iter().all(|n| *n > 0 && n.count_ones() == 1));
    if !lower_are_bits {
        return None;
    }
    let mut taken = 0_i64;
    let mut images = Vec::new();
    for bit in 0..bits {
        let image = a.offset(&I::from(1_i64.checked_shl(bit)?)).ok()?.as_integer()?.fixed()?;
        if image < 0 || taken & image != 0 {
            return None;
        }
        taken |= image;
        images.push(image);
    }
    Some(images)
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", self.bits, self.base, self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_image_is_found_without_trying_all() {
        for (bits, base, shift) in [(1, 0, 4), (1, 0, -4), (2, 1, 3), (2, 1, -2), (3, 0, 3), (1, 2, -1), (0, 0, 0)] {
            let swizzle = Swizzle::new(bits, base, shift).expect("a swizzle");
            for n in 0..200 {
                assert_eq!(
                    swizzle.greatest_below(n),
                    (0..n).map(|x| swizzle.apply(x)).max().unwrap_or(-1),
                    "{swizzle} {n}"
                );
                for kept in swizzle.kept(n) {
                    assert!(kept <= n && (0..kept).all(|x| swizzle.apply(x) < kept), "{swizzle} {n}");
                }
            }
        }
    }
}
