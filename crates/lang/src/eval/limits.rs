//! How large an answer may be: no deeper than what walks it may recurse, and no longer than its text is read back.

use crate::value::{Entry, Value};
use bitstride::cute::Function;
use bitstride::notation::MAX_LEAVES;
use bitstride::{Code, Error, Int, Integer, Stride, error};

/// How deep composed layouts may nest: whatever walks them recurses.
const DEEPEST: usize = 128;

/// Refuses a composed layout that nests too deep, before anything recurses into it, and a list that is too long to be read back.
pub(super) fn bounded(value: &Value) -> Result<(), Error> {
    fn depth(function: &Function) -> usize {
        match function {
            Function::Composed(composed) => 1 + depth(&composed.outer).max(depth(&composed.inner)),
            _ => 0,
        }
    }
    match value {
        Value::Function(function) if depth(function) > DEEPEST => {
            Err(error!(Code::TooLarge, "a composed layout nests more than {deepest} deep", [deepest = DEEPEST]))
        }
        Value::Tuple(_) | Value::Layout(_) | Value::List(_) if leaves(value) > MAX_LEAVES => Err(error!(
            Code::TooLarge,
            "the answer has {leaves} numbers; at most {max_leaves} are written",
            [leaves = leaves(value), max_leaves = MAX_LEAVES]
        )),
        _ => Ok(()),
    }
}

/// How many leaves the text of a tuple, a layout or a list has, at least one; of other values it is short.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Tuple(tuple) => tuple.leaves().iter().map(entry_leaves).sum::<usize>().max(1),
        Value::Layout(layout) => {
            let extents = layout.extents().iter().map(integer_leaves);
            extents.chain(layout.strides().iter().map(stride_leaves)).sum()
        }
        Value::List(values) => values.iter().map(leaves).sum::<usize>().max(1),
        _ => 1,
    }
}

fn entry_leaves(entry: &Entry) -> usize {
    match entry {
        Entry::Number(stride) => stride_leaves(stride),
        Entry::Keep => 1,
    }
}

fn stride_leaves(stride: &Stride) -> usize {
    match stride {
        Stride::Int(n) => integer_leaves(n),
        Stride::Basis(_) => words(&stride.to_string()),
    }
}

fn integer_leaves(n: &Int) -> usize {
    if n.value().is_some() { 1 } else { words(&n.to_string()) }
}

/// The numbers and names in a text, without what is known of a name, as in `M{div=8}`.
fn words(text: &str) -> usize {
    let (mut words, mut within, mut known) = (0, false, false);
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match c {
            '{' => known = true,
            '}' => known = false,
            _ if is_word && !within && !known => words += 1,
            _ => {}
        }
        within = is_word;
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::evaluate;

    #[test]
    fn an_answer_is_short_enough_to_be_read_back() {
        let code = |text: &str| evaluate(text).map_or_else(|error| error.code().as_str(), |_| "value");
        for (text, said) in [
            ("offsets(65536:1)", "value"),
            ("offsets(65537:1)", "too-large"),
            ("offsets(65536:M)", "too-large"),
            ("offsets(32769:M)", "value"),
            ("offsets(32770:M)", "too-large"),
            ("offsets(32768:M{div=8})", "value"),
            ("column_major(offsets(65536:0))", "too-large"),
        ] {
            assert_eq!(code(text), said, "{text}");
            if let Ok(answer) = evaluate(text) {
                assert_eq!(evaluate(&answer.value.to_string()).map(|again| again.value), Ok(answer.value), "{text}");
            }
        }
    }
}
