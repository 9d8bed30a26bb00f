//! [`Float`]: floats of any widths up to those of `f64`, and the nearest one to a decimal number.
//!
//! Law: nearest, ties to even, of the number that is written and not of one that was rounded before. A number is read as
//! `f64` and compared with that digit by digit; where they differ, the neighbour of the two around it whose last bit is 1
//! is taken, which lies on the same side of every float with fewer bits and of the middle between two.

use std::cmp::Ordering;

/// So many bits of exponent and mantissa, as IEEE 754 lays out floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Float {
    pub(super) exponent: u32,
    pub(super) mantissa: u32,
}

impl Float {
    /// The bits of the nearest float to a text, which Rust reads as an `f64`.
    pub(super) fn nearest(self, text: &str) -> Option<u64> {
        let value: f64 = text.parse().ok()?;
        let is_double = (self.exponent, self.mantissa) == (11, 52);
        if is_double || !value.is_finite() {
            return Some(if is_double { value.to_bits() } else { self.rounded(value) });
        }
        let bits = value.abs().to_bits();
        let odd = match magnitude(text).cmp(&magnitude(&format!("{value:.1100}"))) {
            Ordering::Equal => bits,
            Ordering::Greater => bits | 1,
            Ordering::Less => (bits - 1) | 1,
        };
        Some(self.rounded(f64::from_bits(odd).copysign(value)))
    }

    /// Whether bits are an infinity.
    pub(super) fn is_infinite(self, bits: u64) -> bool {
        bits & ((1 << (self.exponent + self.mantissa)) - 1) == self.infinity()
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.mantissa
    }

    /// The nearest float to an `f64`.
    fn rounded(self, value: f64) -> u64 {
        let Float { exponent, mantissa } = self;
        const MANTISSA: u32 = 52;
        let bits = value.to_bits();
        let sign = bits >> 63 << (exponent + mantissa);
        let infinite = self.infinity();
        if value.is_nan() {
            return sign | infinite | 1 << (mantissa - 1);
        }
        let own = i64::from(u16::try_from(bits >> MANTISSA & 0x7ff).unwrap_or(0));
        // What is below the normal numbers of f64 is far below those of the types here.
        if value.is_infinite() || own == 0 {
            return sign | if own == 0 { 0 } else { infinite };
        }
        let biased = own - 1023 + (1i64 << (exponent - 1)) - 1;
        let below = u32::try_from((1 - biased).max(0)).unwrap_or(u32::MAX);
        let shift = below.saturating_add(MANTISSA - mantissa);
        let whole = bits & ((1 << MANTISSA) - 1) | 1 << MANTISSA;
        if shift > 63 {
            return sign;
        }
        let (kept, rest, half) = (whole >> shift, whole & ((1 << shift) - 1), 1u64 << (shift - 1));
        let kept = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
        // The highest bit of a normal number counts as one of the exponent, and so does what rounding carries into it.
        let normal = u64::try_from(biased - 1).map_or(0, |steps| steps << mantissa);
        sign | (normal + kept).min(infinite)
    }
}

/// What a decimal number comes to without its sign: where its first digit stands before or behind the point, and the
/// digits without zeros around them. Numbers are in the order of these.
fn magnitude(text: &str) -> (i64, String) {
    let text = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{part}");
    let first = all.len() - all.trim_start_matches('0').len();
    let length = |digits: usize| i64::try_from(digits).unwrap_or(i64::MAX);
    let place = length(whole.len()) - length(first);
    // A power that is no i64 is far beyond all floats.
    let power = power.parse().unwrap_or(if power.starts_with('-') { i64::MIN } else { i64::MAX });
    let digits = all.trim_matches('0').to_owned();
    (if digits.is_empty() { i64::MIN } else { place.saturating_add(power) }, digits)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "that is how a test fails")]

    use super::*;

    const HALF: Float = Float { exponent: 5, mantissa: 10 };
    const BRAIN: Float = Float { exponent: 8, mantissa: 7 };
    const SINGLE: Float = Float { exponent: 8, mantissa: 23 };

    #[test]
    fn nothing_is_rounded_twice() {
        for (float, text, bits) in [
            (BRAIN, "1.00390625", 0x3f80),
            (BRAIN, "1.00390625000000000000000000000001", 0x3f81),
            (BRAIN, "1.01171875", 0x3f82),
            (BRAIN, "1.01171874999999999999999999999999", 0x3f81),
            (BRAIN, "-100390625000000000000000000000001e-32", 0xbf81),
            (HALF, "1.00048828125000000000000000001", 0x3c01),
            (HALF, "65519.99999999999999999999", 0x7bff),
            (HALF, "65520", 0x7c00),
            (HALF, "0.00000002980232238769531250", 0),
            (HALF, "0.00000002980232238769531250000000000000001", 1),
            (HALF, "-0", 0x8000),
            (HALF, "1e-99999999999999999999", 0),
            (HALF, "inf", 0x7c00),
            (HALF, "1e400", 0x7c00),
            (HALF, "0e99999999999999999999", 0),
            (SINGLE, "16777217.0000000000000000001", 0x4b80_0001),
        ] {
            assert_eq!(float.nearest(text), Some(bits), "{text}");
        }
        assert_eq!(HALF.nearest("one"), None);
    }

    #[test]
    fn singles_are_as_rust_reads_them() {
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let text = format!("{}.{}e{}", state % 100, state >> 20, (state >> 50) % 80);
            let small = text.replace('e', "e-");
            for text in [text, small] {
                assert_eq!(SINGLE.nearest(&text), Some(text.parse::<f32>().unwrap().to_bits().into()), "{text}");
            }
        }
    }

    #[test]
    fn halves_come_back() {
        // Every f16 that is a number is the nearest to itself.
        for bits in 0..0x7c00u16 {
            let (exponent, mantissa) = (i32::from(bits >> 10), f64::from(bits & 0x3ff));
            let value =
                if exponent == 0 { mantissa * 2f64.powi(-24) } else { (1024.0 + mantissa) * 2f64.powi(exponent - 25) };
            assert_eq!(HALF.rounded(value), u64::from(bits));
            assert_eq!(HALF.rounded(-value), u64::from(bits | 0x8000));
        }
    }
}
