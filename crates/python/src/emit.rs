//! Source text of layouts.
//!
//! Law: the text is what `bitstride emit` prints for the same layouts.

use bitstride::{Code, Error};
use bitstride_emit::{Fragment, Index, Language, Relayout};
use bitstride_relayout::Element;
use pyo3::prelude::*;

use crate::error::raised;
use crate::operand::operand;

/// The source of an index function of one layout, or of a relayout or a fragment of two.
#[pyfunction]
#[pyo3(signature = (what, first, second, bits, lang, /))]
pub(crate) fn emit(
    what: &str,
    first: &Bound<'_, PyAny>,
    second: Option<&Bound<'_, PyAny>>,
    bits: Option<u32>,
    lang: &str,
) -> PyResult<String> {
    let py = first.py();
    let first = operand(first)?;
    let second = second.map(operand).transpose()?;
    let source = || {
        let language = Language::of_word(lang)?;
        let bits = || bits.ok_or_else(|| Error::new(Code::MissingFact, "nothing says how large an element is: bits"));
        match (what, second) {
            ("index", None) => Ok(Index::of(&first.as_map()?)?.source(language)),
            ("relayout", Some(second)) => {
                let (maps, names) = ([first.as_map()?, second.as_map()?], [first.to_string(), second.to_string()]);
                let element = Element::of_bits(bits()?)?;
                Relayout::of([&maps[0], &maps[1]], element, [&names[0], &names[1]])?.source(language)
            }
            ("tv", Some(second)) => {
                let (maps, names) = ([first.as_map()?, second.as_map()?], [first.to_string(), second.to_string()]);
                let bits = i64::from(bits()?);
                Fragment::of(&maps[0], &maps[1], bits, [&names[0], &names[1]])?.source(language)
            }
            _ => Err(Error::new(Code::Arity, "source is of index with one layout, or of relayout or tv with two")),
        }
    };
    py.detach(source).map_err(|error| raised(py, &error))
}
