//! [`Rules`]: how the tensors of a checkpoint are cut, by their names.
//!
//! A line is `PATTERN PLACEMENTS`, of a fused tensor with the parts that it was made of: `*.qkv_proj.weight [Shard(0)] parts=4:1:1`. Law:
//! of a fused tensor a device gets, one behind the other, what it would get of each part as a tensor of its own.

use bitstride::{Code, Error, error};

/// How tensors of a name are cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// A name in which `*` stands for anything.
    pattern: String,
    /// As PyTorch writes them: `[Shard(0)]`.
    pub(super) placements: String,
    /// Along which dim the parts are.
    pub(super) dim: usize,
    /// How large the parts are, in proportion.
    pub(super) parts: Vec<i64>,
}

/// Rules, of which the first that fits holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules(Vec<Rule>);

impl Rules {
    /// Reads lines; `#` begins a comment.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let mut all = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let rule = rule(line).ok_or_else(|| {
                error!(
                    Code::Syntax("rule"),
                    "line {line}: a rule is a pattern and placements, such as `*.o_proj.weight [Shard(1)]`, and of a fused tensor its parts: `*.qkv_proj.weight [Shard(0)] parts=4:1:1 dim=0`",
                    [line = number + 1]
                )
            })?;
            all.push(rule);
        }
        Ok(Rules(all))
    }

    pub(super) fn of(&self, name: &str) -> Option<&Rule> {
        self.0.iter().find(|rule| fits(&rule.pattern, name))
    }
}

fn rule(line: &str) -> Option<Rule> {
    let (pattern, rest) = line.split_once(char::is_whitespace)?;
    let end = rest.rfind(']').map_or(rest.len(), |end| end + 1);
    let (placements, options) = rest.split_at_checked(end)?;
    let mut rule =
        Rule { pattern: pattern.to_owned(), placements: placements.trim().to_owned(), dim: 0, parts: vec![1] };
    for option in options.split_whitespace() {
        match option.split_once('=')? {
            ("parts", parts) => {
                rule.parts =
                    parts.split(':').map(|part| part.parse().ok().filter(|part| *part > 0)).collect::<Option<_>>()?;
            }
            ("dim", dim) => rule.dim = dim.parse().ok()?,
            _ => return None,
        }
    }
    Some(rule)
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_fits_holds() {
        let text = "# cut\n*.qkv.weight [Shard(0), Replicate()] parts=4:1:1\n*.gate_up.*  [Shard(1)]  dim=1 parts=1:1 # both\n* [Replicate()]\n";
        let rules = Rules::read(text).expect("rules");
        let found = |name: &str| rules.of(name).map(|rule| (rule.placements.as_str(), rule.dim, rule.parts.clone()));
        assert_eq!(found("a.qkv.weight"), Some(("[Shard(0), Replicate()]", 0, vec![4, 1, 1])));
        assert_eq!(found("a.gate_up.weight"), Some(("[Shard(1)]", 1, vec![1, 1])));
        assert_eq!(found("b"), Some(("[Replicate()]", 0, vec![1])));
        for wrong in
            ["*", "* [Shard(0)] parts=1:x", "* [Shard(0)] parts=0:1", "* [Shard(0)] ways=2", "* [Shard(0)] dim=-1"]
        {
            assert!(Rules::read(wrong).is_err(), "{wrong}");
        }
        assert!(fits("a*c*", "abcd") && !fits("a*c", "abcd") && !fits("a", "ab"));
    }
}
