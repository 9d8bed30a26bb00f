//! How long one operation takes: the best of many batches.
//!
//! The least time is the one with the least interference; every peer program measures the same way.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long one batch lasts.
const BATCH: Duration = Duration::from_millis(5);
/// How many batches are timed.
const BATCHES: u32 = 30;

/// Nanoseconds for one call of `operation`.
pub(super) fn best<T>(mut operation: impl FnMut() -> T) -> f64 {
    let mut calls: u32 = 1;
    while time(&mut operation, calls) < BATCH {
        calls = calls.saturating_mul(2);
    }
    let least = (0..BATCHES).map(|_| time(&mut operation, calls)).min().unwrap_or(BATCH);
    least.as_secs_f64() * 1e9 / f64::from(calls)
}

fn time<T>(operation: &mut impl FnMut() -> T, calls: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..calls {
        black_box(operation());
    }
    start.elapsed()
}
