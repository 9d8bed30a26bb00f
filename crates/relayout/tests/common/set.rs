//! Setting one unit of a buffer: a file of its own for tests that have a twin of a plan.

/// Sets one unit of a buffer.
pub(crate) fn set(buffer: &mut [u8], at: usize, bits: usize, value: &[bool]) {
    for (n, on) in (at * bits..).zip(value) {
        let byte = &mut buffer[n / 8];
        *byte = *byte & !(1 << (n % 8)) | u8::from(*on) << (n % 8);
    }
}
