//! Reads one axis of a table as digits: the longest run with equal steps is the first digit, and the starts of the runs
//! are read in the same way.
//!
//! Law: a line that is a sum over digits is read as the unique such sum in which no two digits can be merged. Otherwise
//! the first element that no such sum has is reported, with the value that it would need.

/// Radices and strides of a line, the fastest first, or where it breaks. With `whole`, the radices must divide the length;
/// else the length may cut the last one short.
pub(in crate::map) fn digits(line: &[i128], whole: bool) -> Result<Vec<(usize, i128)>, (usize, i128)> {
    let at = |x: usize| line.get(x).copied().unwrap_or(0);
    let (mut weight, mut digits) = (1, Vec::new());
    while weight < line.len() {
        let stride = at(weight);
        let (mut radix, mut run) = (1, stride);
        loop {
            let start = radix * weight;
            for low in 1..weight.min(line.len() - start) {
                if at(start + low) != run + at(low) {
                    return Err((start + low, run + at(low)));
                }
            }
            radix += 1;
            run += stride;
            let next = radix * weight;
            if next >= line.len() {
                break;
            }
            if at(next) != run {
                match whole && !line.len().is_multiple_of(next) {
                    true => return Err((next, run)),
                    false => break,
                }
            }
        }
        digits.push((radix, stride));
        weight *= radix;
    }
    Ok(digits)
}

/// What each bit of a line brings, or where it is no xor of such; a power of two of numbers from 0 up, the first 0.
pub(super) fn bits(line: &[i128]) -> Result<Vec<i128>, (usize, Option<i128>)> {
    let at = |x: usize| line.get(x).copied().unwrap_or(0);
    let mut bits = Vec::new();
    for x in 1..line.len() {
        let top = 1 << x.ilog2();
        let expected = at(top) ^ at(x ^ top);
        if x != top && at(x) != expected {
            return Err((x, Some(expected)));
        }
        if x == top {
            if at(x) < 0 {
                return Err((x, None));
            }
            bits.push(at(x));
        }
    }
    Ok(bits)
}
