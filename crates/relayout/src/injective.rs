//! [`is_injective`]: a quick sufficient test that no two elements share a place. The algebra decides the other cases.

use bitstride::map::Form;

/// Whether no two elements share a place, as far as it is plain: places are sums of steps, each of which reaches over all that
/// shorter ones and flipped bits come to, and of bits that no others have, flipped by patterns of which none is a sum of
/// others. Law: what is apart has all places different; what is not plain may have them too.
pub(crate) fn is_injective(form: &Form) -> bool {
    let Some(sum) = form.sums.first() else { return true };
    let mut steps = Vec::new();
    let mut patterns: Vec<i64> = Vec::new();
    for ((stride, xor), digit) in sum.strides.iter().zip(&sum.xors).zip(&form.digits).filter(|(_, own)| own.radix > 1) {
        match (*stride, *xor) {
            (0, xor) if xor == 0 || digit.radix > 2 => return false,
            (0, xor) => patterns.push(xor),
            (stride, _) => steps.push((stride, digit.radix.unsigned_abs())),
        }
    }
    // All that is flipped lies within these bits.
    let Ok(mut mask) = u64::try_from(sum.xors.iter().fold(sum.flip, |mask, xor| mask | xor)) else { return false };
    steps.sort_unstable_by_key(|(stride, _)| stride.unsigned_abs());
    let mut reach = u128::from(mask);
    let steps_are = steps.iter().all(|(stride, radix)| {
        let whole = u128::from(stride.unsigned_abs()) * u128::from(radix - 1);
        let is_bits = stride.unsigned_abs().is_power_of_two() && radix.is_power_of_two() && *stride > 0;
        if u128::from(stride.unsigned_abs()) > reach {
            reach = reach.saturating_add(whole);
            return true;
        }
        // Bits that no pattern flips, as long as all before are bits too.
        let own = u64::try_from(whole).unwrap_or(u64::MAX);
        let are_own = is_bits && reach == u128::from(mask) && own & mask == 0;
        mask |= own;
        reach = u128::from(mask);
        are_own
    });
    steps_are && are_independent(patterns)
}

/// Whether no pattern is what others flip together.
fn are_independent(mut patterns: Vec<i64>) -> bool {
    while let Some(own) = patterns.pop() {
        if own == 0 {
            return false;
        }
        let lowest = own & own.wrapping_neg();
        patterns.iter_mut().filter(|other| **other & lowest != 0).for_each(|other| *other ^= own);
    }
    true
}
