//! [`Names`]: other names for the tensors of a checkpoint, by rules.
//!
//! A rule is a line `PATTERN = REPLACEMENT`, where `*` stands for anything and each `*` of the replacement for what the one
//! of the same number in the pattern stands for. `#` begins a comment. The first rule that fits holds.
//!
//! ```text
//! model.layers.*.self_attn.q_proj.blocks = blk.*.attn_q.weight
//! ```
//!
//! Law: a name that no rule fits stays as it is.

use bitstride::{Code, Error, error};

/// The most bytes of a text of rules.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// Rules for the names of tensors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<[String; 2]>);

impl Names {
    /// Reads rules.
    ///
    /// # Errors
    /// [`Code::Syntax`] with the line for what is no rule; [`Code::TooLarge`] for a text of more than a mebibyte.
    ///
    /// ```
    /// use bitstride_formats::Names;
    /// let names = Names::read("model.layers.*.q_proj.* = blk.*.attn_q.*")?;
    /// assert_eq!(names.renamed("model.layers.7.q_proj.weight"), "blk.7.attn_q.weight");
    /// assert_eq!(names.renamed("lm_head.weight"), "lm_head.weight");
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn read(text: &str) -> Result<Self, Error> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(error!(
                Code::TooLarge,
                "a text of {text_count} bytes; rules have at most {max_text_bytes}",
                [text_count = text.len(), max_text_bytes = MAX_TEXT_BYTES]
            ));
        }
        let mut rules = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let bad = |why: &str| {
                let error = Error::new(Code::Syntax("rule"), format!("line {}: `{line}` {why}", number + 1));
                error.with_help("a rule is PATTERN = REPLACEMENT, such as model.layers.*.q_proj.* = blk.*.attn_q.*")
            };
            let (pattern, replacement) = line.split_once('=').ok_or_else(|| bad("is no rule"))?;
            let (pattern, replacement) = (pattern.trim(), replacement.trim());
            if pattern.is_empty() || replacement.is_empty() {
                return Err(bad("has nothing on one side"));
            }
            if replacement.matches('*').count() > pattern.matches('*').count() {
                return Err(bad("has more * in the replacement than in the pattern"));
            }
            rules.push([pattern.to_owned(), replacement.to_owned()]);
        }
        Ok(Names(rules))
    }

    /// The name that a tensor gets.
    pub fn renamed(&self, name: &str) -> String {
        let fits = |[pattern, replacement]: &[String; 2]| Some((matched(pattern, name)?, replacement.clone()));
        let Some((stars, replacement)) = self.0.iter().find_map(fits) else { return name.to_owned() };
        let mut stars = stars.into_iter();
        replacement
            .split_inclusive('*')
            .map(|part| match part.strip_suffix('*') {
                Some(part) => format!("{part}{}", stars.next().unwrap_or_default()),
                None => part.to_owned(),
            })
            .collect()
    }
}

/// What each `*` of a pattern stands for in a name, the earliest as short as can be; none where it does not fit.
fn matched<'a>(pattern: &str, name: &'a str) -> Option<Vec<&'a str>> {
    let mut parts = pattern.split('*');
    let mut rest = name.strip_prefix(parts.next().unwrap_or_default())?;
    let mut parts = parts.peekable();
    let mut stars = Vec::new();
    if parts.peek().is_none() {
        return rest.is_empty().then_some(stars);
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            stars.push(rest.strip_suffix(part)?);
            break;
        }
        let (star, after) = rest.split_once(part)?;
        stars.push(star);
        rest = after;
    }
    Some(stars)
}
