//! The operations of the expression language, each with its law and an example.
//!
//! One table for every door: the evaluator, the help texts and the completions all read it.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::atoms::ATOMS;
use super::descriptors::DESCRIPTORS;
use super::hardware::HARDWARE;
use super::inference::INFERENCE;
use super::layouts::LAYOUTS;
use super::linear::LINEAR;
use super::maps::MAPS;
use super::parameters::{Parameter, Presence};
use super::sharding::SHARDING;
use super::swizzles::SWIZZLES;
use super::tiled::TILED;
use super::tuples::TUPLES;
use super::value::Value;
use bitstride::cute::{self, Function, Tiler};
use bitstride::{Code, Error};

/// What an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Tuples of integers, shapes and coordinates.
    Tuples,
    /// Layouts.
    Layouts,
    /// Linear layouts and encodings.
    Linear,
    /// XLA's tiled arrays.
    Tiled,
    /// Layouts of every family.
    Maps,
    /// What a machine makes of layouts.
    Hardware,
}

impl Group {
    /// What a list of operations has above those of the group.
    pub fn heading(self) -> &'static str {
        match self {
            Group::Tuples => "Tuples",
            Group::Layouts => "Layouts",
            Group::Linear => "Linear layouts and encodings",
            Group::Tiled => "XLA's tiled arrays",
            Group::Maps => "Layouts of every family",
            Group::Hardware => "What the hardware does",
        }
    }
}

/// How an operation is computed.
pub(super) type Apply = fn(&[Value], &mut Vec<String>) -> Result<Value, Error>;

/// One operation of the expression language.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Operation {
    /// Its name, from the family it belongs to.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// Its parameters, in order.
    pub parameters: &'static [Parameter],
    /// What it computes, in one line.
    pub law: &'static str,
    /// An expression that uses it.
    pub example: &'static str,
    pub(super) apply: Apply,
}

impl Operation {
    /// The least and the greatest number of arguments; `usize::MAX` where the last may be repeated.
    pub fn arity(&self) -> (usize, usize) {
        let given = |parameter: &&Parameter| parameter.presence != Presence::Optional;
        let least = self.parameters.iter().filter(given).count();
        match self.parameters.last() {
            Some(Parameter { presence: Presence::Repeated, .. }) => (least, usize::MAX),
            _ => (least, self.parameters.len()),
        }
    }

    /// How it is called: `complement(L, [target])`.
    ///
    /// ```
    /// use bitstride_lang::operation;
    /// let signature = operation("complement").map(|operation| operation.signature());
    /// assert_eq!(signature.as_deref(), Some("complement(L, [target])"));
    /// ```
    pub fn signature(&self) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(ToString::to_string).collect();
        format!("{}({})", self.name, parameters.join(", "))
    }
}

/// The function that makes the operations of one group, for the tables.
macro_rules! constructor {
    ($name:ident, $group:ident) => {
        const fn $name(
            name: &'static str,
            parameters: &'static [$crate::parameters::Parameter],
            law: &'static str,
            example: &'static str,
            apply: $crate::functions::Apply,
        ) -> Operation {
            Operation { name, group: $crate::functions::Group::$group, parameters, law, example, apply }
        }
    };
}
pub(super) use constructor;

/// All operations: tuples first, then each family, what holds for all of them, and what the hardware does.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    let families = [TUPLES, LAYOUTS, LINEAR, INFERENCE, TILED, MAPS, SHARDING, HARDWARE, DESCRIPTORS, ATOMS, SWIZZLES];
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

/// An argument by position; the arity has been checked.
pub(super) fn argument(values: &[Value], at: usize) -> Result<&Value, Error> {
    values.get(at).ok_or_else(|| Error::new(Code::Arity, format!("argument {} is missing", at + 1)))
}

/// `A o B`, with a note where A goes on beyond its size.
pub(super) fn composition(a: &Value, b: &Value, notes: &mut Vec<String>) -> Result<Value, Error> {
    if let (Value::Linear(outer), Value::Linear(inner)) = (a, b) {
        return inner.compose(outer).map(Value::from);
    }
    let is_layout = matches!(b, Value::Layout(_) | Value::Offset(_) | Value::Function(_));
    if b.is_mapped() || a.is_mapped() && is_layout {
        return super::maps::composed(a, b, notes);
    }
    let outer = a.as_function()?;
    match b {
        Value::Function(_) | Value::Offset(_) => return of_functions(a, b, notes),
        // A swizzle takes the layout of a shape as its domain; it has no modes to tile.
        Value::Tuple(_) | Value::Layout(_) if matches!(outer, Function::Swizzle(_) | Function::Bytes(_)) => {
            return outer.after(&Function::Layout(b.as_layout()?)).map(Value::from);
        }
        _ => {}
    }
    let tiler = b.as_tiler()?;
    super::notes::tiles(outer.domain()?, &tiler, notes);
    if let (Function::Layout(layout), Tiler::Layout(inner)) = (&outer, &tiler) {
        return refined(layout, inner).map(Value::Layout);
    }
    outer.composition(&tiler).map(Value::from)
}

/// `A o B` for a B that starts elsewhere than at 0 or is swizzled: one function after the other where that is a layout under
/// swizzles, else what the chain of both is recognised as.
fn of_functions(a: &Value, b: &Value, notes: &mut Vec<String>) -> Result<Value, Error> {
    let (outer, inner) = (a.as_function()?, b.as_function()?);
    let direct = outer.after(&inner);
    // A swizzle alone has no coordinates to go through.
    let Ok(domain) = inner.domain() else { return direct.map(Value::from) };
    super::notes::reach(&outer, &inner, notes);
    if let Ok(function) = &direct
        && function.is_swizzled_layout()
    {
        return direct.map(Value::from);
    }
    let chain = b.as_map().and_then(|inner| inner.then(&a.as_map()?));
    let recognised = chain.and_then(|map| map.to_cute()).and_then(|cute| {
        // In the nesting of B, whose modes may have been merged.
        let function = Value::from(cute).as_function()?;
        let modes: Result<Vec<Tiler>, Error> = match domain.root().is_leaf() {
            true => return Ok(function),
            false => domain.modes().iter().map(|mode| cute::column_major(&mode.shape()).map(Tiler::Layout)).collect(),
        };
        function.composition(&Tiler::Modes(modes?))
    });
    let plain = |function: &Function| matches!(function, Function::Layout(_) | Function::Offset(_));
    match (recognised, direct) {
        // A swizzle in an answer comes from one in an operand.
        (Ok(function), Err(error)) if plain(&outer) && plain(&inner) && !plain(&function) => {
            Err(error.with_chain(chained(a, b)))
        }
        (Ok(function), _) => Ok(function.into()),
        // What a chain that was written as one is not recognised as, it stays.
        (Err(_), Ok(chain)) if !(outer.is_swizzled_layout() && inner.is_swizzled_layout()) => Ok(chain.into()),
        (Err(error), Err(missing)) if error.code() == Code::MissingFact => Err(missing.with_chain(chained(a, b))),
        (Err(error), _) => Err(error.with_chain(chained(a, b))),
    }
}

fn chained(a: &Value, b: &Value) -> String {
    format!("chain({a}, {b})")
}

/// Composition whose refusal names the nearest tilers that would do.
fn refined(a: &cute::Layout, b: &cute::Layout) -> Result<cute::Layout, Error> {
    cute::composition(a, b).map_err(|error| match error.code() {
        Code::Split | Code::Carry => {
            let near: Vec<String> = cute::nearest(a, b).iter().map(ToString::to_string).collect();
            if near.is_empty() { error } else { error.with_help(format!("nearest that compose: {}", near.join(", "))) }
        }
        _ => error,
    })
}
