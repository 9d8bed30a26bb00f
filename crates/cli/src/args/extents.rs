//! Extents as people write them: `256,256`, `256x256`, `(256, 256)` and `[256,256]` say the same.

use std::convert::Infallible;

/// The extents with commas between them and without brackets; what is neither stays, for its reader to refuse.
pub(super) fn extents(text: &str) -> Result<String, Infallible> {
    let trimmed = text.trim();
    let within = |open, close| trimmed.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let inside = within('(', ')').or_else(|| within('[', ']')).map(|inside| inside.trim().trim_end_matches(','));
    let list = inside.filter(|inside| !inside.is_empty() && !inside.contains(['(', '['])).unwrap_or(trimmed);
    let is_crossed = list.split('x').all(|extent| !extent.is_empty() && extent.chars().all(|c| c.is_ascii_digit()));
    Ok(if is_crossed { list.replace('x', ",") } else { list.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::extents;

    #[test]
    fn spellings_of_one_shape_are_one() {
        for text in ["256,64", "256x64", "(256,64)", "[256,64]", " (256,64,) "] {
            assert_eq!(extents(text), Ok("256,64".to_owned()), "{text}");
        }
        for text in ["", "()", "k=128,n=256", "256x", "x", "((2,3)", "2,3)", "((2,3))"] {
            assert_eq!(extents(text).as_deref(), Ok(text));
        }
    }
}
