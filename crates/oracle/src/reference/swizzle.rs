//! Swizzles, bit by bit.
//!
//! `Sw<B,M,S>` keeps M low bits, and exclusive-ors a field of B bits into another S places away: for S >= 0 the
//! source field starts at bit M + S and lands at bit M; for S < 0 the source starts at M and lands at M - S.
//! So bit `M + k` of the result of `Sw<3,4,3>` is bit `M + k` xor bit `M + k + 3` of the input, for k < 3.

use super::{Layout, OracleError, Point, malformed};

/// `Sw<B,M,S>` on the non-negative integers.
///
/// ```
/// use bitstride_oracle::reference::Swizzle;
///
/// assert_eq!(Swizzle::new(2, 0, 3)?.apply(9)?, 8);
/// assert_eq!(Swizzle::new(2, 0, -3)?.apply(1)?, 9);
/// # Ok::<(), bitstride_oracle::reference::OracleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i64,
}

impl Swizzle {
    /// The swizzle of B bits at base M over shift S; errs when the fields overlap, or pass bit 62.
    pub fn new(bits: i64, base: i64, shift: i64) -> Result<Swizzle, OracleError> {
        let reach = shift.checked_abs().and_then(|s| s.checked_add(base)?.checked_add(bits));
        if bits < 0 || base < 0 || reach.is_none_or(|reach| reach > 62) {
            return Err(malformed(format!("Sw<{bits},{base},{shift}> does not fit 62 bits")));
        }
        if shift.abs() < bits {
            return Err(malformed(format!("the fields of Sw<{bits},{base},{shift}> overlap")));
        }
        let small = |n: i64| u32::try_from(n).map_err(|_| OracleError::Overflow);
        Ok(Swizzle { bits: small(bits)?, base: small(base)?, shift })
    }

    /// B, the bits of each field.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// M, the low bits that stay.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// S, how far the source lies above the target; negative below.
    pub fn shift(&self) -> i64 {
        self.shift
    }

    /// The image of a non-negative integer; errs on a negative one.
    pub fn apply(&self, n: i64) -> Result<i64, OracleError> {
        if n < 0 {
            return Err(malformed(format!("{self} is defined on non-negative integers, not on {n}")));
        }
        let away = u32::try_from(self.shift.abs()).map_err(|_| OracleError::Overflow)?;
        let mut result = n;
        for k in 0..self.bits {
            let (low, high) = (self.base + k, self.base + k + away);
            let (source, target) = if self.shift >= 0 { (high, low) } else { (low, high) };
            if n >> source & 1 == 1 {
                result ^= 1 << target;
            }
        }
        Ok(result)
    }

    /// The values of `Sw o offset o layout`.
    pub fn composed(&self, offset: i64, layout: &Layout) -> Result<Vec<i64>, OracleError> {
        layout.values()?.iter().map(|value| self.apply(value.plus(&Point::int(offset))?.to_int()?)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swizzle_undoes_itself_when_its_fields_are_apart() {
        for (bits, base, shift) in [(3, 4, 3), (2, 0, -3), (1, 2, 5), (0, 2, 0), (2, 1, 2)] {
            let swizzle = Swizzle::new(bits, base, shift).expect("lawful");
            for n in 0..1024 {
                assert_eq!(swizzle.apply(n).and_then(|m| swizzle.apply(m)), Ok(n), "{swizzle} at {n}");
            }
        }
    }

    #[test]
    fn fields_may_neither_overlap_nor_run_off() {
        assert!(Swizzle::new(3, 0, 2).is_err());
        assert!(Swizzle::new(3, 0, -2).is_err());
        assert!(Swizzle::new(3, 50, 20).is_err());
        assert!(Swizzle::new(1, 0, i64::MIN).is_err());
        assert!(Swizzle::new(2, 0, 3).is_ok_and(|s| s.apply(-1).is_err()));
    }

    #[test]
    fn composed_values() {
        let swizzle = Swizzle::new(2, 0, 3).expect("lawful");
        let layout: Layout = "(2,4):(8,1)".parse().expect("a layout");
        assert_eq!(swizzle.composed(0, &layout), Ok(vec![0, 9, 1, 8, 2, 11, 3, 10]));
        assert_eq!(swizzle.composed(8, &"2:1".parse().expect("a layout")), Ok(vec![9, 8]));
    }
}
