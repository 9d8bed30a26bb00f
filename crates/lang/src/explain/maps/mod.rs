//! Operations on layouts of any family: how one is made of another, and questions about where its points lie.
//!
//! Points decide. Each answer is looked at in the points that show it: the first step of each digit, two points with one
//! place, the first place that nothing reaches.

mod law;
mod made;
mod questions;

use super::steps::Steps;
use super::words::call;
use super::{convert, digits};
use crate::{Value, evaluate};
use bitstride::Error;

/// An operation on layouts of any family; false for another one.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<bool, Error> {
    match name {
        "same" | "diff" => convert::same(name, values, steps)?,
        "law" | "obeys" => law::explain(name, values, steps)?,
        "at" => questions::at(values, steps)?,
        "is_injective" | "is_surjective" | "is_bijective" => questions::one_each(name, values, steps)?,
        "holes" | "padding" => questions::holes(values, steps)?,
        "preimages" => questions::preimages(values, steps)?,
        "contiguity" => questions::contiguity(values, steps)?,
        "cycles" => questions::cycles(values, steps)?,
        "inverse" => made::inverse(values, steps)?,
        "fit" => made::fit(values, steps)?,
        "tv" => made::tv(values, steps)?,
        "bytes" | "bits" => made::units(name, values, steps)?,
        "reshape" => made::reshape(values, steps)?,
        "subslice" => made::part(values, steps)?,
        "chain" => made::chain(values, steps)?,
        // Extents and strides, letters or an affine map: each digit that they are read as.
        "tensor" | "tag" | "affine" => {
            let answer = evaluate(&call(name, values))?.value;
            digits::digits(&answer.as_map()?, &answer.to_string(), steps)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
