//! Numbers and lists in words.

use crate::Value;
use bitstride::cute::Layout;
use bitstride::{Int, Integer};

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list<T: ToString>(items: &[T]) -> String {
    let texts: Vec<String> = items.iter().map(T::to_string).collect();
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "none".into(),
    }
}

/// A mode's position in words: `mode 1`, `mode (1,0)`; the empty path is the layout itself.
pub(super) fn place(path: &[usize]) -> String {
    match path {
        [] => String::new(),
        [only] => format!("mode {only}"),
        _ => format!("mode {}", path_text(path)),
    }
}

/// A path as the language writes it: `1`, `(1,0)`.
pub(super) fn path_text(path: &[usize]) -> String {
    match path {
        [only] => only.to_string(),
        _ => format!("({})", path.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
    }
}

/// With its first letter a capital one.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The modes of a flat layout, one text each: `6:8`.
pub(super) fn leaves(layout: &Layout) -> Vec<String> {
    layout.extents().iter().zip(layout.strides()).map(|(n, d)| format!("{n}:{d}")).collect()
}

/// A product in words, shown only where it says something: `2*3 = 6`.
pub(super) fn quotient(a: &Int, b: &Int, result: &Int) -> String {
    match (a.divides(b), b.divides(a)) {
        (_, Some(true)) => format!("{a}/{b} = {result}"),
        _ => format!("{a}/{b} rounded up is {result}"),
    }
}

/// Numbers as a tuple of the language.
pub(super) fn tuple(numbers: &[i64]) -> String {
    format!("({})", numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

/// A call as text.
pub(super) fn call(name: &str, values: &[Value]) -> String {
    let operands: Vec<String> = values.iter().map(Value::to_string).collect();
    format!("{name}({})", operands.join(", "))
}
