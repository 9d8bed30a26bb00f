//! Whole types as they stand in programs: each with its layout, and pairs of them that a conversion joins.
//!
//! A row states the bases by in dim, those of one buffer where a type has several, and the shape that they cover. What a type
//! evaluates to is held against them point by point.

use bitstride::linear::{LinearLayout, Name};
use bitstride::map::{Direction, Map as Layout};
use bitstride::notation::{self, DatumKind, ExprKind, Ints, ShapedType};
use bitstride::triton::{Encoding, MemDesc};
use bitstride::{Code, Error};
use bitstride_lang::{Value as Calculated, evaluate};
use serde_json::{Map, Value, json};

use super::Answer;
use super::encodings::alike;
use crate::vectors::row::Row;

/// In dims that some rows leave out: the system's class for such memory has no field for them.
const LEFT_OUT: [Name; 2] = [Name::PARTITION, Name::BLOCK];

/// How many places of a value are held against its buffer.
const PLACES: i64 = 64;

/// The name of the encoding of a type, as the operation of its row.
pub(super) fn operation(fields: &Map<String, Value>) -> Option<&str> {
    let text = fields.get("text").or(fields.get("src"))?.as_str()?;
    // A layout of Gluon is a call of its class.
    let name = text.split_once('#').map_or_else(|| text.split('(').next().unwrap_or("tensor"), |(_, name)| name);
    name.split('<').next()
}

/// Our answer to a row of a type.
pub(super) fn layout(row: &Row) -> Answer {
    let text = row.fields.get("text")?.as_str()?;
    let stated = row.fields.get("out").and_then(Value::as_object);
    let shaped = match shaped(text) {
        Ok(shaped) => shaped,
        Err(error) => return Some(Err(error)),
    };
    let encoding: Result<Encoding, Error> = shaped.encoding.as_ref()?.to_string().parse();
    Some(encoding.and_then(|encoding| {
        let said = |encoding: &Encoding| {
            let memory = MemDesc::new(encoding.clone(), &shaped.shape, allocation(&shaped))?;
            Ok(stating(&memory.buffer()?, stated))
        };
        // The rows are of the encoding, which does not know how large an element is.
        let answer = alike(said, &encoding)?;
        Ok(match whole(text, &MemDesc::of_type(&shaped)?)? {
            None => answer,
            Some(wrong) => json!({ "evaluated": wrong }),
        })
    }))
}

/// Our answer to a row of a drawn type, or of a layout of Gluon on a shape, before padding.
pub(super) fn drawn(row: &Row) -> Answer {
    let text = row.fields.get("text")?.as_str()?;
    let stated = row.fields.get("out").and_then(Value::as_object);
    let answer = match notation::parse(text, Ints::Plain).map(|tree| tree.kind) {
        Ok(ExprKind::Shaped(shaped)) => MemDesc::of_type(&shaped).and_then(|memory| memory.buffer()),
        Ok(ExprKind::Attribute(attribute)) => {
            let shape = row.fields.get("on").and_then(super::json::numbers)?;
            Encoding::from_attribute(&attribute, &mut Vec::new()).and_then(|encoding| encoding.linear_part(&shape))
        }
        Ok(_) => return None,
        Err(error) => Err(error.into()),
    };
    Some(answer.map(|layout| stating(&layout, stated)))
}

/// Our answer to whether a conversion moves nothing between threads: registers may change places.
pub(super) fn conversion(row: &Row) -> Answer {
    let text = |name: &str| row.fields.get(name).and_then(Value::as_str);
    let (source, destination) = (text("src")?, text("dst")?);
    // A type without a layout is one with itself.
    if source == destination {
        return Some(Ok(json!(true)));
    }
    let layout = |text: &str| evaluate(text)?.value.as_linear();
    let moved = layout(source).and_then(|source| source.minimal_cvt(&layout(destination)?));
    Some(moved.map(|moved| json!(moved.ins().iter().all(|dim| dim.name == Name::REGISTER))))
}

/// The layouts of the types that a row holds.
pub(super) fn held(row: &Row) -> Vec<LinearLayout> {
    let texts = ["text", "src", "dst"].into_iter().filter_map(|name| row.fields.get(name)?.as_str());
    texts.filter_map(|text| evaluate(text).ok()?.value.as_linear().ok()).collect()
}

fn shaped(text: &str) -> Result<ShapedType, Error> {
    match notation::parse(text, Ints::Plain)?.kind {
        ExprKind::Shaped(shaped) => Ok(*shaped),
        _ => Err(Error::new(Code::Kind, format!("{text} is no type"))),
    }
}

fn allocation(shaped: &ShapedType) -> Option<&[i64]> {
    shaped.rest.iter().find_map(|datum| match &datum.kind {
        DatumKind::Sizes(sizes) => Some(sizes.as_slice()),
        DatumKind::Integer(size) => Some(std::slice::from_ref(size)),
        _ => None,
    })
}

/// A layout by in dim, with the shape that those cover which are stated; in the order of the row.
fn stating(layout: &LinearLayout, stated: Option<&Map<String, Value>>) -> Value {
    let is_stated = |name: &str| stated.is_none_or(|stated| stated.contains_key(name));
    let (mut fields, mut reach) = (Map::new(), vec![0u64; layout.outs().len()]);
    for (dim, columns) in layout.by_in_dim() {
        let bases: Vec<Vec<i64>> = columns.iter().map(|column| layout.unpack(*column).to_vec()).collect();
        let left_out = !is_stated(dim.name.as_str()) && LEFT_OUT.contains(&dim.name);
        // Blocks that are left out are counted in the shape, partitions are not.
        if !left_out || dim.name == Name::BLOCK {
            for basis in &bases {
                for (reach, value) in reach.iter_mut().zip(basis) {
                    *reach |= u64::try_from(*value).unwrap_or(0);
                }
            }
        }
        if !left_out {
            fields.insert(dim.name.to_string(), json!(bases));
        }
    }
    let size = |reach: &u64| reach.checked_add(1).and_then(u64::checked_next_power_of_two).unwrap_or(0);
    fields.insert("shape".to_owned(), json!(reach.iter().map(size).collect::<Vec<_>>()));
    let order = stated.map(|stated| stated.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let place = |name: &String| order.iter().position(|known| known == name).unwrap_or(usize::MAX);
    let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
    fields.sort_by_key(|(name, _)| place(name));
    Value::Object(fields.into_iter().collect())
}

/// Where the value of a type is not its buffers one after the other, restricted to its shape.
fn whole(text: &str, memory: &MemDesc) -> Result<Option<String>, Error> {
    let value = evaluate(text)?.value;
    let (map, buffer) = (value.as_map()?, memory.buffer()?);
    if memory.buffers().is_none() && memory.shape() == memory.allocation() {
        let same = matches!(&value, Calculated::Linear(layout) if *layout == buffer);
        return Ok((!same).then(|| value.to_string()));
    }
    let one = Layout::of_linear(&buffer)?;
    let axis = one.domain().iter().position(|axis| matches!(axis.name, Name::OFFSET | Name::COL));
    let (Some(axis), Direction::ToIndex) = (axis, map.direction()) else {
        return Ok(Some(format!("{value} does not lead from places")));
    };
    let (stride, size) = (memory.stride()?, memory.size()?);
    for step in 0..PLACES {
        let place = step * (size - 1) / (PLACES - 1);
        let at = |place: i64| -> Vec<i64> {
            one.domain().iter().enumerate().map(|(own, _)| if own == axis { place } else { 0 }).collect()
        };
        let within = one.at(&at(place % stride))?.unwrap_or_default();
        let element: Vec<i64> = memory.buffers().map(|_| place / stride).into_iter().chain(within).collect();
        let inside = element.iter().zip(memory.shape()).all(|(x, size)| x < size);
        let found = map.at(&at(place))?;
        if found != inside.then_some(element) {
            return Ok(Some(format!("place {place} holds {found:?}")));
        }
    }
    Ok(None)
}
