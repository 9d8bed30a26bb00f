//! Linear layouts, names and lists as rows write them.

use bitstride::Error;
use bitstride::linear::{Bases, LinearLayout, Name};
use bitstride_oracle::reference::Linear;
use serde_json::{Map, Value, json};

/// The list of numbers in a value.
pub(super) fn numbers(value: &Value) -> Option<Vec<i64>> {
    value.as_array()?.iter().map(Value::as_i64).collect()
}

/// The list of lists of numbers in a value.
pub(super) fn rows(value: &Value) -> Option<Vec<Vec<i64>>> {
    value.as_array()?.iter().map(numbers).collect()
}

/// A list of dims: what is not a name is an error of ours.
pub(super) fn names(value: &Value) -> Option<Result<Vec<Name>, Error>> {
    let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    Some(texts?.into_iter().map(Name::new).collect())
}

/// A list of dims with a number each: sizes, or coordinates.
pub(super) fn sized(value: &Value) -> Option<Result<Vec<(Name, i64)>, Error>> {
    let pair = |value: &Value| Some((value.get(0)?.as_str()?.to_owned(), value.get(1)?.as_i64()?));
    let pairs: Option<Vec<(String, i64)>> = value.as_array()?.iter().map(pair).collect();
    Some(pairs?.into_iter().map(|(name, size)| Ok((Name::new(&name)?, size))).collect())
}

/// The bases of one in dim.
type DimBases = (Name, Vec<Vec<i64>>);

/// The bases by in dim.
pub(super) fn bases(value: &Value) -> Option<Result<Vec<DimBases>, Error>> {
    let pair = |value: &Value| Some((value.get(0)?.as_str()?.to_owned(), rows(value.get(1)?)?));
    let pairs: Option<Vec<_>> = value.as_array()?.iter().map(pair).collect();
    Some(pairs?.into_iter().map(|(name, bases)| Ok((Name::new(&name)?, bases))).collect())
}

/// A linear layout.
pub(super) fn layout(value: &Value) -> Option<Result<LinearLayout, Error>> {
    let (bases, outs) = (bases(value.get("bases")?)?, sized(value.get("outs")?)?);
    Some(bases.and_then(|bases| {
        let bases: &Bases = &bases;
        LinearLayout::from_bases(bases, &outs?)
    }))
}

/// A linear layout as plain lists.
pub(super) fn reference(value: &Value) -> Option<Linear> {
    let pairs = |name: &str| value.get(name)?.as_array();
    let name = |pair: &Value| Some(pair.get(0)?.as_str()?.to_owned());
    let ins: Option<Vec<_>> = pairs("bases")?.iter().map(|pair| Some((name(pair)?, rows(pair.get(1)?)?))).collect();
    let outs: Option<Vec<_>> = pairs("outs")?.iter().map(|pair| Some((name(pair)?, pair.get(1)?.as_i64()?))).collect();
    Linear::new(ins?, outs?).ok()
}

/// A linear layout as rows write it, with the flags that the recorded one has.
pub(super) fn shown(layout: &LinearLayout, recorded: Option<&Value>) -> Value {
    let by_dim = layout.by_in_dim().map(|(dim, columns)| {
        let bases: Vec<Vec<i64>> = columns.iter().map(|column| layout.unpack(*column).to_vec()).collect();
        json!([dim.name.as_str(), bases])
    });
    let outs = layout.outs().iter().map(|dim| json!([dim.name.as_str(), dim.size()]));
    let mut fields = Map::new();
    fields.insert("bases".to_owned(), Value::Array(by_dim.collect()));
    fields.insert("outs".to_owned(), Value::Array(outs.collect()));
    for (name, holds) in [
        ("surjective", layout.is_surjective()),
        ("injective", layout.is_injective()),
        ("invertible", layout.is_invertible()),
    ] {
        if recorded.is_some_and(|recorded| recorded.get(name).is_some()) {
            fields.insert(name.to_owned(), Value::Bool(holds));
        }
    }
    Value::Object(fields)
}
