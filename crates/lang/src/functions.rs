//! All operations of the expression language, by name.
//!
//! One table for every door: the evaluator, the help texts and the completions all read it.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::atoms::ATOMS;
use super::descriptors::DESCRIPTORS;
use super::field_names::suggestion;
use super::hardware::HARDWARE;
use super::inference::INFERENCE;
use super::law::LAWS;
use super::layouts::LAYOUTS;
use super::linear::LINEAR;
use super::maps::{COMPARING, MAPS};
use super::operation::Operation;
use super::sharding::SHARDING;
use super::smem::SMEM;
use super::swizzles::SWIZZLES;
use super::tiled::TILED;
use super::tuples::TUPLES;
use bitstride::names::did_you_mean;
use bitstride::notation::foreign_names;
use bitstride::{Code, Error, error};

/// All operations: tuples first, then each family, what holds for all of them, and what the hardware does.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    let families = [
        TUPLES,
        LAYOUTS,
        LINEAR,
        INFERENCE,
        TILED,
        COMPARING,
        LAWS,
        MAPS,
        SHARDING,
        HARDWARE,
        DESCRIPTORS,
        ATOMS,
        SMEM,
        SWIZZLES,
    ];
    families.into_iter().flatten()
}

/// The operation of a name.
///
/// ```
/// use bitstride_lang::operation;
/// assert_eq!(operation("coalesce").map(|operation| operation.arity()), Some((1, 2)));
/// ```
pub fn operation(name: &str) -> Option<&'static Operation> {
    static BY_NAME: LazyLock<HashMap<&str, &Operation>> =
        LazyLock::new(|| operations().map(|operation| (operation.name, operation)).collect());
    BY_NAME.get(name).copied()
}

/// The operation of a name, or what was probably meant.
///
/// # Errors
/// [`Code::UnknownName`].
pub(super) fn named(name: &str) -> Result<&'static Operation, Error> {
    operation(name).ok_or_else(|| unknown(name))
}

pub(super) fn unknown(name: &str) -> Error {
    let error = error!(Code::UnknownName, "no operation is called {name}", [name]);
    if let Some(ours) = suggestion(name) {
        return error.with_help(format!("here that is: {ours}"));
    }
    let ours = operations().map(|operation| operation.name);
    let Some(near) = did_you_mean(name, ours.chain(foreign_names().map(|(foreign, _)| foreign))) else {
        return error.with_help("`bitstride operations` lists them");
    };
    match foreign_names().find(|(foreign, _)| *foreign == near && operation(near).is_none()) {
        Some((_, dialect)) => error.with_help(format!("did you mean {near}, of {dialect}?")),
        None => error.with_help(format!("did you mean {near}?")),
    }
}
