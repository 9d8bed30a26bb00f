//! Random numbers and maps for the tests of this module, the same in every run with one seed.

use super::Map;
use crate::cute::Function;
use crate::error::Error;
use crate::xla::Array;

/// The numbers of a linear congruential generator, each below a bound that is given.
pub(super) fn numbers(mut state: u64) -> impl FnMut(i64) -> i64 {
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).unwrap_or(0) % bound
    }
}

/// The map of an array of XLA or of a function of CuTe.
pub(super) fn map_of(text: &str) -> Result<Map, Error> {
    match text.contains('[') {
        true => Map::of_array(&text.parse::<Array>()?),
        false => Map::of_function(&text.parse::<Function>()?),
    }
}
