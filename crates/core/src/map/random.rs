//! Random numbers for the tests of this module: the same ones in every run of a seed.

/// The numbers of a linear congruential generator, each below a bound that is given.
pub(super) fn numbers(mut state: u64) -> impl FnMut(i64) -> i64 {
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).unwrap_or(0) % bound
    }
}
