//! Fills memory of a device with a pattern of 16 bytes at most.
//!
//! Law: byte `n` becomes byte `n % period` of the pattern; bytes behind the last whole pattern stay as they are.

use bitstride::{Code, Error, error};

/// The longest pattern in bytes.
const MAX_PERIOD: usize = 16;

/// The threads of a block, and the most blocks: their threads go on to what lies behind.
pub(crate) const THREADS: u32 = 256;
const MAX_BLOCKS: usize = 1 << 14;

/// The kernel: words of 16 bytes where the pattern divides them and the memory is aligned, otherwise bytes.
pub(crate) const SOURCE: &str = r#"
struct __align__(16) Pattern { unsigned char bytes[16]; };
extern "C" __global__ void fill(unsigned char *to, unsigned long long count, unsigned long long period, const Pattern pattern) {
    const unsigned long long thread = blockIdx.x * 256ull + threadIdx.x, threads = gridDim.x * 256ull;
    const unsigned long long words = 16 % period == 0 && (unsigned long long)to % 16 == 0 ? count / 16 : 0;
    for (unsigned long long n = thread; n < words; n += threads) ((uint4 *)to)[n] = *(const uint4 *)pattern.bytes;
    for (unsigned long long n = words * 16 + thread; n < count; n += threads) to[n] = pattern.bytes[n % period];
}
"#;

/// A pattern as the kernel takes it.
#[repr(C, align(16))]
pub(crate) struct Pattern {
    bytes: [u8; MAX_PERIOD],
}

/// What the kernel is launched with.
pub(crate) struct Fill {
    pub(crate) count: u64,
    pub(crate) period: u64,
    pub(crate) pattern: Pattern,
    pub(crate) blocks: u32,
}

impl Fill {
    /// The fill of a given number of bytes with a pattern.
    ///
    /// # Errors
    /// [`Code::Range`] for a pattern of no bytes or of more than 16.
    pub(crate) fn of(bytes: usize, pattern: &[u8]) -> Result<Self, Error> {
        if !(1..=MAX_PERIOD).contains(&pattern.len()) {
            return Err(error!(
                Code::Range,
                "a value of {pattern_count} bytes; a GPU fills with values of {max_period} bytes at most",
                [pattern_count = pattern.len(), max_period = MAX_PERIOD]
            ));
        }
        let mut own = Pattern { bytes: [0; MAX_PERIOD] };
        own.bytes.iter_mut().zip(pattern.iter().cycle()).for_each(|(byte, value)| *byte = *value);
        let count = bytes - bytes % pattern.len();
        let blocks = count.div_ceil(MAX_PERIOD).div_ceil(256).clamp(1, MAX_BLOCKS);
        let wide = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Ok(Fill {
            count: wide(count),
            period: wide(pattern.len()),
            pattern: own,
            blocks: u32::try_from(blocks).unwrap_or(1),
        })
    }
}
