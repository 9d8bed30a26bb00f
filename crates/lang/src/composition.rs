//! `A o B` for values of every family: the layout that does one after the other, in the notation that holds it.

use super::mapped::mapped;
use super::value::Value;
use bitstride::cute::{self, Function, Tiler};
use bitstride::map::{Map, Order};
use bitstride::{Code, Error};

/// `A o B`, with a note where A goes on beyond its size.
pub(super) fn composition(a: &Value, b: &Value, notes: &mut Vec<String>) -> Result<Value, Error> {
    if let (Value::Linear(outer), Value::Linear(inner)) = (a, b) {
        return inner.compose(outer).map(Value::from);
    }
    let is_layout = matches!(b, Value::Layout(_) | Value::Offset(_) | Value::Function(_));
    if b.is_mapped() || a.is_mapped() && is_layout {
        return composed(a, b, notes);
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

/// A after B in the notation of CuTe where that holds it, else with strides that are xored, else linear, else as the chain.
fn composed(a: &Value, b: &Value, notes: &mut Vec<String>) -> Result<Value, Error> {
    let map = after(a, b, notes)?;
    if let Ok(cute) = map.to_cute() {
        return Ok(cute.into());
    }
    if let Ok(mixed) = map.to_mixed() {
        return mapped(Map::of_mixed(&mixed)?, mixed.to_string());
    }
    map.to_linear().map(Value::from).or_else(|_| mapped(map, format!("chain({a}, {b})")))
}

/// A after B where they are not both of CuTe.
pub(super) fn chain(a: &Value, b: &Value, notes: &mut Vec<String>) -> Result<Value, Error> {
    mapped(after(a, b, notes)?, format!("chain({a}, {b})"))
}

/// The map of A after B. An integer that B leads to is the number of an element of A in A's own order, which a note says where it
/// is not the order of CuTe.
fn after(a: &Value, b: &Value, notes: &mut Vec<String>) -> Result<Map, Error> {
    let (outer, inner) = (a.as_map()?, b.as_map()?);
    if inner.codomain().len() == 1 && outer.domain().len() > 1 && outer.domain_order() == Order::RowMajor {
        notes.push(format!("an integer is the number of an element of {a}, {}", Order::RowMajor));
    }
    inner.then(&outer)
}
