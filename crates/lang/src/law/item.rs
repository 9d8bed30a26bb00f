//! [`Item`]: what a term of a law is at a point, and what may be asked of it.
//!
//! Law: two items are equal when they are the same numbers, static or dynamic; a dim of a linear layout that one does not name is
//! 0 there.

use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use crate::mapped;
use crate::numbers::{numbers, tuple, whole};
use crate::value::{Entry, Value};
use bitstride::linear::Name;
use bitstride::map::Map;
use bitstride::{Code, Error, Int, Stride, StrideLeaf, Tuple, cute, error};

/// A value of the language, or a point of a linear layout: a number for each named dim.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Value(Rc<Value>),
    Point(Vec<(Name, i64)>),
}

impl From<Value> for Item {
    fn from(value: Value) -> Item {
        Item::Value(Rc::new(value))
    }
}

impl Item {
    pub(super) fn number(n: i64) -> Item {
        Item::from(whole(n))
    }

    pub(super) fn truth(truth: bool) -> Item {
        Item::from(Value::Bool(truth))
    }

    /// As a value that operations take: of a point, its numbers.
    pub(super) fn into_value(self) -> Value {
        match self {
            Item::Value(value) => Rc::unwrap_or_clone(value),
            Item::Point(point) => tuple(&point.iter().map(|(_, n)| *n).collect::<Vec<_>>()),
        }
    }

    pub(super) fn as_number(&self) -> Result<i64, Error> {
        match self {
            Item::Value(value) => value.as_number(),
            Item::Point(point) => match point.as_slice() {
                [(_, only)] => Ok(*only),
                _ => Err(error!(Code::Kind, "{item} is no single number", [item = self])),
            },
        }
    }

    pub(super) fn as_point(&self) -> Result<&[(Name, i64)], Error> {
        match self {
            Item::Point(point) => Ok(point),
            Item::Value(value) => Err(error!(Code::Kind, "{value} is no point of a linear layout", [value])),
        }
    }

    /// Whether it is true, or a verdict that says `same`.
    pub(super) fn is_true(&self) -> Result<bool, Error> {
        match self {
            Item::Value(value) if matches!(**value, Value::Bool(_) | Value::Verdict(_)) => Ok(!value.is_false()),
            other => Err(error!(Code::Kind, "{other} is neither true nor false", [other])),
        }
    }

    pub(super) fn equals(&self, other: &Item) -> Result<bool, Error> {
        match (self, other) {
            (Item::Point(left), Item::Point(right)) => {
                let value = |point: &[(Name, i64)], name| point.iter().find(|(own, _)| *own == name).map_or(0, |p| p.1);
                let names = left.iter().chain(right).map(|(name, _)| *name);
                Ok(names.into_iter().all(|name| value(left, name) == value(right, name)))
            }
            (Item::Point(point), Item::Value(value)) | (Item::Value(value), Item::Point(point)) => {
                let numbers = numbers(value)?;
                let is_zero = numbers == [0] && point.iter().all(|(_, n)| *n == 0);
                Ok(is_zero || point.iter().map(|(_, n)| *n).eq(numbers))
            }
            (Item::Value(left), Item::Value(right)) => {
                let (left, right) = (known(left)?, known(right)?);
                // The coordinate of a place has no numbers after the last that is not 0.
                let vector = |value: &Value| value.as_shape().and_then(|tuple| Stride::from_coordinate(&tuple));
                let is_one = left == right || matches!((vector(&left), vector(&right)), (Ok(x), Ok(y)) if x == y);
                Ok(is_one)
            }
        }
    }

    pub(super) fn compare(&self, other: &Item) -> Result<Ordering, Error> {
        Ok(self.as_number()?.cmp(&other.as_number()?))
    }

    /// What tells it from other items in a set: its text.
    pub(super) fn key(&self) -> Result<String, Error> {
        match self {
            Item::Value(value) => Ok(known(value)?.to_string()),
            Item::Point(_) => Ok(self.to_string()),
        }
    }

    /// The sum of integers, or of coordinates leaf by leaf.
    pub(super) fn plus(&self, other: &Item) -> Result<Item, Error> {
        let (left, right) = (self.clone().into_value().as_strides()?, other.clone().into_value().as_strides()?);
        if left.profile() != right.profile() {
            let (left, right) = (Stride::from_coordinate(&ints(&left)?)?, Stride::from_coordinate(&ints(&right)?)?);
            let sum = left.plus(&right)?;
            return Ok(Item::from(Value::from(sum.to_coordinate())));
        }
        let mut others = right.leaves().iter();
        let sum = left.try_map(|leaf| others.next().map_or_else(|| Ok(leaf.clone()), |other| leaf.plus(other)))?;
        Ok(Item::from(Value::from(sum)))
    }

    pub(super) fn times(&self, factor: i64) -> Result<Item, Error> {
        let factor = Int::from(factor);
        let product = self.clone().into_value().as_strides()?.try_map(|leaf| leaf.scale(&factor))?;
        Ok(Item::from(Value::from(product)))
    }

    /// Where it leads as a layout: an offset, a coordinate or a point.
    pub(super) fn at(&self, place: &Item) -> Result<Item, Error> {
        let Item::Value(whole) = self else {
            return Err(error!(Code::Kind, "{item} is no layout", [item = self]));
        };
        match &**whole {
            Value::Linear(layout) => {
                let point = match place {
                    Item::Point(point) => {
                        layout.ins().iter().map(|dim| (dim.name, value_of(point, dim.name))).collect()
                    }
                    Item::Value(value) => {
                        let numbers = numbers(value)?;
                        let sizes: Vec<i64> = layout.ins().iter().map(|dim| dim.size()).collect();
                        let digits = match numbers.as_slice() {
                            [number] if sizes.len() != 1 => digits(*number, &sizes),
                            _ => numbers,
                        };
                        if digits.len() != sizes.len() {
                            return Err(error!(
                                Code::RankMismatch,
                                "{value} has {digits_count} numbers for {sizes_count} dims",
                                [value, digits_count = digits.len(), sizes_count = sizes.len()]
                            ));
                        }
                        layout.ins().iter().map(|dim| dim.name).zip(digits).collect::<Vec<_>>()
                    }
                };
                layout.apply(&point).map(Item::Point)
            }
            Value::Xla(_) | Value::Map(_) => {
                mapped::at(whole, &place.clone().into_value(), &mut Vec::new()).map(Item::from)
            }
            _ => {
                let coordinate = place.clone().into_value().as_shape()?;
                Ok(Item::from(offset(&whole.as_function()?, &coordinate)?))
            }
        }
    }

    /// All places of a layout, or coordinates of a shape, column by column; more than `limit` are not listed.
    pub(super) fn places(&self, limit: usize) -> Result<Vec<Item>, Error> {
        let counted = |size: i64| match usize::try_from(size) {
            Ok(size) if size <= limit => Ok(size),
            _ => Err(too_many(size, limit)),
        };
        let Item::Value(value) = self else {
            return Err(error!(Code::Kind, "{item} has no places", [item = self]));
        };
        match &**value {
            Value::Linear(layout) => {
                counted(1_i64.checked_shl(layout.in_bits()).unwrap_or(i64::MAX))?;
                let sizes: Vec<i64> = layout.ins().iter().map(|dim| dim.size()).collect();
                let names = layout.ins().iter().map(|dim| dim.name);
                let point = |number| Item::Point(names.clone().zip(digits(number, &sizes)).collect());
                Ok((0..1_i64 << layout.in_bits()).map(point).collect())
            }
            value @ (Value::Xla(_) | Value::Map(_)) => map_places(&value.as_map()?, counted),
            value => {
                let shape = match value {
                    Value::Tuple(_) => value.as_shape()?,
                    _ => value.as_function()?.domain()?.shape(),
                };
                counted(shape.size()?.as_number()?)?;
                let extents: Vec<i64> = shape.leaves().iter().map(Int::as_number).collect::<Result<_, _>>()?;
                let size: i64 = extents.iter().product();
                let place = |number| {
                    let digits: Vec<Int> = digits(number, &extents).into_iter().map(Int::from).collect();
                    Tuple::unflatten(&digits, shape.profile()).map(|coordinate| Item::from(Value::from(coordinate)))
                };
                (0..size).map(place).collect()
            }
        }
    }
}

pub(super) fn too_many(size: impl fmt::Display, most: usize) -> Error {
    error!(Code::Undecided, "the law has {size} points, more than are checked", [size])
        .with_help(format!("at most {most} points are checked one by one; take smaller operands"))
}

/// All points of a map in the order of its axes, the first the fastest.
fn map_places(map: &Map, counted: impl Fn(i64) -> Result<usize, Error>) -> Result<Vec<Item>, Error> {
    let size = map.size()?;
    counted(size)?;
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    let place = |number| match extents.len() {
        1 => Item::number(number),
        _ => Item::from(tuple(&digits(number, &extents))),
    };
    Ok((0..size).map(place).collect())
}

/// The value that a function of CuTe has at a coordinate, as `crd2idx` gives it.
fn offset(function: &cute::Function, coordinate: &Tuple<Int>) -> Result<Value, Error> {
    let offset = function.offset_at(coordinate)?;
    Ok(match offset.as_integer() {
        Some(n) => n.clone().into(),
        None => offset.to_coordinate().into(),
    })
}

/// A number in mixed radix, the first digit the fastest; the last takes what is left.
pub(super) fn digits(number: i64, extents: &[i64]) -> Vec<i64> {
    let mut rest = number;
    let last = extents.len().saturating_sub(1);
    let digit = |(at, extent): (usize, &i64)| {
        if at == last || *extent == 0 {
            return rest;
        }
        let digit = rest % extent;
        rest /= extent;
        digit
    };
    extents.iter().enumerate().map(digit).collect()
}

pub(super) fn value_of(point: &[(Name, i64)], name: Name) -> i64 {
    point.iter().find(|(own, _)| *own == name).map_or(0, |(_, value)| *value)
}

fn ints(strides: &Tuple<Stride>) -> Result<Tuple<Int>, Error> {
    Value::from(strides.clone()).as_shape()
}

/// A value whose integers are all static.
fn known(value: &Value) -> Result<Value, Error> {
    let Value::Tuple(tuple) = value else { return Ok(value.clone()) };
    let known = tuple.try_map(|entry| match entry {
        Entry::Number(Stride::Int(n)) => n.as_number().map(|n| Entry::Number(Stride::Int(Int::Static(n)))),
        other => Ok::<_, Error>(other.clone()),
    })?;
    Ok(Value::Tuple(known))
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Value(value) => write!(f, "{value}"),
            Item::Point(point) => {
                let parts: Vec<String> = point.iter().map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "({})", parts.join(", "))
            }
        }
    }
}
