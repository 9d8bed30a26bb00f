//! Names of blocked formats of oneDNN: which words are one, and of how many dims.

/// The number of dims of a format of oneDNN, where a name may be one.
pub(super) fn format_rank(name: &str) -> Option<usize> {
    let mut letters: Vec<char> =
        name.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    letters.sort_unstable();
    letters.dedup();
    // Named dims, or letters by number; both say every dim.
    let is_named = letters.iter().all(|letter| "nchwdoigt".contains(*letter));
    let is_numbered = letters.iter().copied().eq(('a'..).take(letters.len()));
    ((is_named || is_numbered) && letters.len() >= 2).then_some(letters.len())
}

/// Whether a word is a format of oneDNN for sure: it has a block, as `nChw16c`, or is one that is in use without.
pub(super) fn is_format(name: &str) -> bool {
    let has_block = name.contains(|c: char| c.is_ascii_digit()) && name.contains(|c: char| c.is_ascii_uppercase());
    let is_plain = ["nchw", "nhwc", "ncdhw", "ndhwc", "oihw", "goihw", "hwio", "hwcn"]
        .iter()
        .any(|plain| name.eq_ignore_ascii_case(plain));
    (has_block || is_plain) && format_rank(name).is_some()
}
