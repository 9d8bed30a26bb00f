//! Layouts from text: a file of its own for tests that need nothing else.

use bitstride::map::Map;
use bitstride_lang::evaluate;

/// A layout, read from the language.
pub(crate) fn map(text: &str) -> Map {
    let answer = evaluate(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    answer.value.as_map().unwrap_or_else(|why| panic!("{text}: {why}"))
}
