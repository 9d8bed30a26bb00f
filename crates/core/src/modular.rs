//! Arithmetic of wide integers: common divisors, inverses and products modulo a number.
//!
//! Law: `inverse_of(a, m) * a` is 1 modulo `m` for `a` without a common divisor with `m`.

/// The greatest common divisor, never negative.
pub(crate) fn gcd(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one.abs(), other.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The inverse of a number that is prime to the modulus; 0 for the modulus 1.
pub(crate) fn inverse_of(number: i128, modulus: i128) -> i128 {
    let (mut old, mut new) = ((number, 1_i128), (modulus, 0_i128));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(modulus)
}

/// A quotient by a positive number, rounded up.
pub(crate) fn ceiling(number: i128, by: i128) -> i128 {
    -(-number).div_euclid(by)
}

/// A product modulo a positive number below 2^126.
pub(crate) fn multiply(one: i128, other: i128, modulus: i128) -> i128 {
    let (mut one, mut other) = (one.rem_euclid(modulus), other.rem_euclid(modulus));
    if let Some(product) = one.checked_mul(other) {
        return product % modulus;
    }
    let mut product = 0;
    while other > 0 {
        if other & 1 == 1 {
            product = (product + one) % modulus;
        }
        one = (one + one) % modulus;
        other >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::{ceiling, gcd, inverse_of, multiply};

    #[test]
    fn small_numbers_are_those_of_all_residues() {
        for modulus in 1..30 {
            for number in -40..40 {
                assert_eq!(ceiling(number, modulus), (-100..100).find(|q| q * modulus >= number).unwrap_or(0));
                if gcd(number, modulus) == 1 {
                    let inverse = inverse_of(number.rem_euclid(modulus), modulus);
                    assert_eq!(multiply(inverse, number, modulus), 1 % modulus, "{number} modulo {modulus}");
                }
            }
        }
    }

    #[test]
    fn products_beyond_128_bits_are_reduced() {
        let modulus = (1 << 125) - 9;
        let inverse = inverse_of(3, modulus);
        assert_eq!(multiply(inverse, 3, modulus), 1);
    }
}
