//! The words that only laws use, for what the language has no operation for. Each is a few lines of plain enumeration.

use std::collections::BTreeSet;

use super::MAX_POINTS;
use super::item::{Item, digits, too_many, value_of};
use crate::linear::names;
use crate::mapped::held;
use crate::numbers::{numbers, tuple};
use crate::value::{Entry, Mapped, Value};
use bitstride::linear::{Dim, LinearLayout, Name};
use bitstride::map::{Map, Order};
use bitstride::{Code, Error, Int, Tuple, error};

/// How a word is computed.
pub(super) type Word = fn(&[Item]) -> Result<Item, Error>;

/// The word of a name, if it is one.
pub(super) fn word(name: &str) -> Option<Word> {
    WORDS.iter().find(|(own, ..)| *own == name).map(|(.., word)| *word)
}

/// The meaning of a word, for the reader of a law.
pub(super) fn meaning(name: &str) -> Option<&'static str> {
    WORDS.iter().find(|(own, ..)| *own == name).map(|(_, meaning, _)| *meaning)
}

/// Names, what they mean, and how they are computed.
const WORDS: &[(&str, &str, Word)] = &[
    (
        "is_coordinate",
        "is_coordinate(c, S): c is nested as S or coarser, and each entry is below the size of its mode",
        |v| {
            let (coordinate, shape) = (value(v, 0)?.as_shape()?, value(v, 1)?.as_shape()?);
            is_coordinate(&coordinate, &shape).map(Item::truth)
        },
    ),
    ("sizes", "sizes(X): the size of each top-level mode", |v| {
        let shape = shape_of(&value(v, 0)?)?;
        if shape.is_leaf() {
            return Ok(Item::from(Value::from(shape)));
        }
        let sizes: Vec<i64> = shape.entries().iter().map(|mode| mode.size()?.as_number()).collect::<Result<_, _>>()?;
        Ok(Item::from(tuple(&sizes)))
    }),
    (
        "axes",
        "axes(X): X over the axes that all families have in common, one number for each top-level mode or dim",
        |v| {
            let map = value(v, 0)?.as_map()?;
            Ok(Item::from(Value::Map(Box::new(Mapped { text: map.to_string(), map }))))
        },
    ),
    (
        "filled",
        "filled(c, i, X): the coordinate c of X with the modes at `_` taken from the coordinate of number i there",
        |v| {
            let (coordinate, number, shape) = (value(v, 0)?, item(v, 1)?.as_number()?, shape_of(&value(v, 2)?)?);
            let Value::Tuple(coordinate) = coordinate else { return Err(unfit("a coordinate")) };
            let mut free = Vec::new();
            kept(&coordinate, &shape, &mut free)?;
            let mut filling = digits(number, &free).into_iter();
            filled(&coordinate, &shape, &mut filling).map(|filled| Item::from(Value::from(filled)))
        },
    ),
    ("bits_moved", "bits_moved(x, S, T): the bits of x at the mask S, in order, at those of the mask T", |v| {
        let [x, sources, targets] = [0, 1, 2].map(|at| item(v, at).and_then(Item::as_number));
        let (x, sources, targets) = (x?, sources?, targets?);
        let set = |mask: i64| (0..62).filter(move |bit| mask >> bit & 1 == 1);
        Ok(Item::number(set(sources).zip(set(targets)).map(|(from, to)| (x >> from & 1) << to).sum()))
    }),
    ("xor", "xor(x, y): the exclusive or, number by number", |v| match (item(v, 0)?, item(v, 1)?) {
        (Item::Point(x), Item::Point(y)) => {
            Ok(Item::Point(x.iter().map(|(name, n)| (*name, n ^ value_of(y, *name))).collect()))
        }
        (x, y) => Ok(Item::number(x.as_number()? ^ y.as_number()?)),
    }),
    ("entry", "entry(t, i): the i-th number of a tuple", |v| {
        let number = usize::try_from(item(v, 1)?.as_number()?).ok();
        let numbers = numbers(&value(v, 0)?)?;
        let entry = number.and_then(|at| numbers.get(at));
        entry.map(|n| Item::number(*n)).ok_or_else(|| unfit("an entry"))
    }),
    ("nth", "nth(R, i): the i-th entry of a list or tuple, counted from 0", |v| {
        let at = usize::try_from(item(v, 1)?.as_number()?).map_err(|_| unfit("an entry"))?;
        entries(&value(v, 0)?)?.into_iter().nth(at).map(Item::from).ok_or_else(|| unfit("an entry"))
    }),
    ("length", "length(R): how many entries a tuple has", |v| {
        Ok(Item::number(i64::try_from(numbers(&value(v, 0)?)?.len()).unwrap_or(i64::MAX)))
    }),
    (
        "is_multiple",
        "is_multiple(p, n): the number p, or the first of the place p, is a multiple of n; so is padding",
        |v| {
            let (place, of) = (item(v, 0)?, item(v, 1)?.as_number()?);
            if is_padding(place) {
                return Ok(Item::truth(true));
            }
            let first = numbers(&place.clone().into_value())?.first().copied().unwrap_or(0);
            Ok(Item::truth(first.checked_rem(of) == Some(0)))
        },
    ),
    ("next_place", "next_place(p): the place p with its first number one larger; of padding, padding", |v| {
        let place = item(v, 0)?;
        if is_padding(place) {
            return Ok(place.clone());
        }
        moved(&numbers(&place.clone().into_value())?, 0, 1)
    }),
    ("before", "before(c, k): the point c with its number k one smaller", |v| {
        let at = usize::try_from(item(v, 1)?.as_number()?).map_err(|_| unfit("an axis"))?;
        moved(&numbers(&value(v, 0)?)?, at, -1)
    }),
    (
        "longest_run",
        "longest_run(X, k): the largest number so that places follow each other along axis k of X but at its multiples",
        |v| Along::of(v).map(|along| Item::number(along.run())),
    ),
    (
        "widest_vector",
        "widest_vector(X, k): the largest power of two that divides longest_run(X, k), the extent of axis k, and each place at its multiples",
        |v| Along::of(v).map(|along| Item::number(along.vector())),
    ),
    ("reached", "reached(X): how many different places X leads to", |v| {
        let (_, reached) = reached(&value(v, 0)?)?;
        Ok(Item::number(i64::try_from(reached.len()).unwrap_or(i64::MAX)))
    }),
    ("span", "span(X): how many places X has, or up to the last that it leads to where it does not say", |v| {
        let (map, reached) = reached(&value(v, 0)?)?;
        if map.is_codomain_exact() {
            let extents = map.codomain().iter().map(|axis| axis.extent);
            let size = extents.into_iter().try_fold(1_i64, i64::checked_mul);
            return size.map(Item::number).ok_or_else(|| Error::overflow("the places of a map"));
        }
        let axes = reached.first().map_or(0, Vec::len);
        let ends = (0..axes).map(|axis| {
            let numbers = reached.iter().filter_map(|place| place.get(axis).copied());
            numbers.clone().max().unwrap_or(-1).saturating_sub(numbers.min().unwrap_or(0).min(0)).saturating_add(1)
        });
        Ok(Item::number(ends.product()))
    }),
    ("returns", "returns(X): the least number of times after which the permutation X leads every number back", |v| {
        let lengths = cycles(&value(v, 0)?)?;
        let lcm = |a: i64, b: &i64| {
            let (mut x, mut y) = (a, *b);
            while y != 0 {
                (x, y) = (y, x % y);
            }
            (a / x.max(1)).checked_mul(*b)
        };
        let order = lengths.iter().try_fold(1_i64, lcm);
        order.map(Item::number).ok_or_else(|| Error::overflow("the order of a permutation"))
    }),
    ("cycle_count", "cycle_count(X): how many cycles the permutation X has", |v| {
        Ok(Item::number(i64::try_from(cycles(&value(v, 0)?)?.len()).unwrap_or(i64::MAX)))
    }),
    ("unmoved", "unmoved(X): how many numbers the permutation X leads to themselves", |v| {
        let lengths = cycles(&value(v, 0)?)?;
        Ok(Item::number(i64::try_from(lengths.iter().filter(|length| **length == 1).count()).unwrap_or(i64::MAX)))
    }),
    ("cleared", "cleared(x, M): the point x without the bits of the masks M, one for each dim in order", |v| {
        let masks = numbers(&value(v, 1)?)?;
        let point = item(v, 0)?.as_point()?.iter().zip(masks.iter().chain(std::iter::repeat(&0)));
        Ok(Item::Point(point.map(|((name, n), mask)| (*name, n & !mask)).collect()))
    }),
    ("renamed", "renamed(x, P): the point x whose register has bit P[k] where x has bit k", |v| {
        let picks = numbers(&value(v, 1)?)?;
        by_register(v, |n| {
            let bits = picks.iter().enumerate().map(|(at, to)| (n >> at & 1).checked_shl(shift(*to)).unwrap_or(0));
            bits.sum()
        })
    }),
    ("at_register", "at_register(k, P, L): the place of L whose register has bit P[k] alone", |v| {
        let (number, picks) = (item(v, 0)?.as_number()?, numbers(&value(v, 1)?)?);
        let pick = usize::try_from(number).ok().and_then(|at| picks.get(at)).ok_or_else(|| unfit("an entry"))?;
        let bit = 1_i64.checked_shl(shift(*pick)).unwrap_or(0);
        let at = |dim: &Dim| (dim.name, if dim.name == Name::REGISTER { bit } else { 0 });
        Ok(Item::Point(layout(v, 2)?.ins().iter().map(at).collect()))
    }),
    ("offset_of", "offset_of(y): the number of the point y in the dim offset", |v| {
        Ok(Item::number(value_of(item(v, 0)?.as_point()?, Name::OFFSET)))
    }),
    ("rounded", "rounded(x, n): the point x with its register rounded down to a multiple of n", |v| {
        let of = item(v, 1)?.as_number()?;
        by_register(v, |n| n - n.checked_rem(of).unwrap_or(0))
    }),
    ("within", "within(x, n): the register of the point x modulo n", |v| {
        let register = value_of(item(v, 0)?.as_point()?, Name::REGISTER);
        register.checked_rem(item(v, 1)?.as_number()?).map(Item::number).ok_or_else(|| unfit("a divisor"))
    }),
    ("places", "places(L): how many places a linear layout has", |v| {
        Ok(Item::number(1_i64.checked_shl(layout(v, 0)?.in_bits()).unwrap_or(i64::MAX)))
    }),
    ("elements", "elements(L): all elements of a linear layout, by number", |v| {
        let outs: Vec<i64> = layout(v, 0)?.outs().iter().map(Dim::size).collect();
        Ok(Item::number(outs.iter().try_fold(1_i64, |size, out| size.checked_mul(*out)).unwrap_or(i64::MAX)))
    }),
    ("values", "values(y): the numbers of a point without the names of their dims", |v| {
        Ok(Item::from(item(v, 0)?.clone().into_value()))
    }),
    ("first", "first(y): the first number of a point", |v| {
        let point = item(v, 0)?.as_point()?;
        point.first().map(|(_, n)| Item::number(*n)).ok_or_else(|| unfit("a point of at least one dim"))
    }),
    ("number", "number(y, L): the number of the element y of L, the first dim the fastest", |v| {
        numbered(v, |layout| layout.outs().iter().collect())
    }),
    ("row_number", "row_number(y, L): the number of the element y of L, the last dim the fastest", |v| {
        numbered(v, |layout| layout.outs().iter().rev().collect())
    }),
    ("place_number", "place_number(x, L): the number of the place x of L, the first dim the fastest", |v| {
        numbered(v, |layout| layout.ins().iter().collect())
    }),
    ("permuted", "permuted(y, order): the numbers of y in another order: number k is number order[k] of y", |v| {
        let (point, order) = (numbers(&value(v, 0)?)?, numbers(&value(v, 1)?)?);
        let at = |from: &i64| usize::try_from(*from).ok().and_then(|from| point.get(from)).copied();
        let permuted: Option<Vec<i64>> = order.iter().map(at).collect();
        permuted.map(|numbers| Item::from(tuple(&numbers))).ok_or_else(|| unfit("an order"))
    }),
    ("only", "only(x, D): the point x with 0 in all dims but D; D are names, or those of the layout D", |v| {
        let kept = dims_of(&value(v, 1)?)?;
        let point = item(v, 0)?.as_point()?;
        Ok(Item::Point(point.iter().map(|(name, n)| (*name, if kept.contains(name) { *n } else { 0 })).collect()))
    }),
    ("value", "value(x, d): the number of the point x in the dim d", |v| {
        let names = dims_of(&value(v, 1)?)?;
        let name = names.first().ok_or_else(|| unfit("a dim"))?;
        Ok(Item::number(value_of(item(v, 0)?.as_point()?, *name)))
    }),
    ("with", "with(x, y): the point x with the numbers of the point y in the dims of y", |v| {
        let (mut point, other) = (item(v, 0)?.as_point()?.to_vec(), item(v, 1)?.as_point()?);
        for (name, n) in other {
            match point.iter_mut().find(|(own, _)| own == name) {
                Some(place) => place.1 = *n,
                None => point.push((*name, *n)),
            }
        }
        Ok(Item::Point(point))
    }),
    ("low", "low(x, L): the point x modulo the sizes of the dims that L takes; other dims are 0", |v| {
        by_ins(v, |n, size| n % size)
    }),
    ("high", "high(x, L): the point x divided by the sizes of the dims that L takes", |v| {
        by_ins(v, |n, size| n / size)
    }),
    ("beside", "beside(y, z, L): y + z * (the sizes of the dims that L leads to), dim by dim", |v| {
        let (minor, major, layout) = (item(v, 0)?.as_point()?, item(v, 1)?.as_point()?, layout(v, 2)?);
        let mut names: Vec<Name> = minor.iter().chain(major).map(|(name, _)| *name).collect();
        names.dedup();
        let value = |name: Name| value_of(minor, name) + value_of(major, name) * size_of(layout.outs(), name);
        Ok(Item::Point(names.into_iter().map(|name| (name, value(name))).collect()))
    }),
    ("basis", "basis(L, k): the k-th place of a linear layout with a single bit", |v| {
        let (layout, number) = (layout(v, 0)?, item(v, 1)?.as_number()?);
        let sizes: Vec<i64> = layout.ins().iter().map(Dim::size).collect();
        let bit = u32::try_from(number).ok().and_then(|number| 1_i64.checked_shl(number));
        let digits = digits(bit.ok_or_else(|| unfit("a bit"))?, &sizes);
        Ok(Item::Point(layout.ins().iter().map(|dim| dim.name).zip(digits).collect()))
    }),
    ("bases", "bases(L): how many bits the places of a linear layout have", |v| {
        Ok(Item::number(layout(v, 0)?.in_bits().into()))
    }),
    ("is_member", "is_member(x, R): x is in the list R", |v| {
        let point = item(v, 0)?;
        let members: Vec<Vec<i64>> = entries(&value(v, 1)?)?.iter().map(numbers).collect::<Result<_, _>>()?;
        Ok(Item::truth(members.contains(&numbers(&point.clone().into_value())?)))
    }),
    ("is_padding", "is_padding(x): x is the word padding", |v| Ok(Item::truth(is_padding(item(v, 0)?)))),
    ("is_element", "is_element(x): x is no padding", |v| Ok(Item::truth(!is_padding(item(v, 0)?)))),
];

pub(super) fn is_padding(item: &Item) -> bool {
    matches!(item, Item::Value(value) if matches!(&**value, Value::Text(text) if text == "padding"))
}

fn item(items: &[Item], at: usize) -> Result<&Item, Error> {
    items.get(at).ok_or_else(|| error!(Code::Arity, "argument {argument} is missing", [argument = at + 1]))
}

fn value(items: &[Item], at: usize) -> Result<Value, Error> {
    item(items, at).map(|item| item.clone().into_value())
}

fn layout(items: &[Item], at: usize) -> Result<LinearLayout, Error> {
    value(items, at)?.as_linear()
}

/// The entries of a list or tuple.
fn entries(value: &Value) -> Result<Vec<Value>, Error> {
    match value {
        Value::List(members) => Ok(members.clone()),
        Value::Tuple(members) => Ok(members.entries().into_iter().map(Value::Tuple).collect()),
        other => Err(error!(Code::Kind, "{other} is no list", [other])),
    }
}

/// Numbers with one of them moved; a single one is a number.
fn moved(numbers: &[i64], at: usize, by: i64) -> Result<Item, Error> {
    let mut moved = numbers.to_vec();
    let entry = moved.get_mut(at).ok_or_else(|| unfit("an axis"))?;
    *entry = entry.checked_add(by).ok_or_else(|| Error::overflow("a neighbour"))?;
    Ok(match moved.as_slice() {
        [only] => Item::number(*only),
        several => Item::from(tuple(several)),
    })
}

/// The map whose places count, and the different ones that it leads to.
fn reached(value: &Value) -> Result<(Map, Vec<Vec<i64>>), Error> {
    let map = held(&value.as_map()?);
    let size = bounded_size(&map)?;
    let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    let mut reached = BTreeSet::new();
    for number in 0..size {
        reached.extend(map.at(&digits(number, &extents))?);
    }
    Ok((map, reached.into_iter().collect()))
}

/// The lengths of the cycles of a permutation of numbers: those of the points and of the places, in the order of the map where
/// its places are one number, else with the first axis the fastest.
fn cycles(value: &Value) -> Result<Vec<i64>, Error> {
    let map = value.as_map()?;
    let size = bounded_size(&map)?;
    let from: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
    let into: Vec<i64> = map.codomain().iter().map(|axis| axis.extent).collect();
    let is_row_major = map.order() == Order::RowMajor && map.place_axes().len() == 1;
    let turned =
        |list: &[i64]| -> Vec<i64> { if is_row_major { list.iter().rev().copied().collect() } else { list.to_vec() } };
    let next = |number: i64| -> Result<i64, Error> {
        let place = map.at(&turned(&digits(number, &turned(&from))))?.ok_or_else(|| unfit("a number"))?;
        let (mut number, mut step) = (0_i64, 1_i64);
        for (digit, extent) in turned(&place).iter().zip(turned(&into)) {
            number = digit.checked_mul(step).and_then(|n| n.checked_add(number)).ok_or_else(|| unfit("a number"))?;
            step = step.saturating_mul(extent);
        }
        Ok(number)
    };
    let (mut seen, mut lengths) = (BTreeSet::new(), Vec::new());
    for start in 0..size {
        let (mut number, mut length) = (start, 0);
        while seen.insert(number) {
            number = next(number)?;
            length += 1;
        }
        if length > 0 {
            lengths.push(length);
        }
    }
    Ok(lengths)
}

/// How many points a map has, where that is few enough to visit them.
fn bounded_size(map: &Map) -> Result<i64, Error> {
    let size = map.size()?;
    match usize::try_from(size) {
        Ok(points) if points <= MAX_POINTS => Ok(size),
        _ => Err(too_many(size, MAX_POINTS)),
    }
}

/// What lies along an axis of a map, point by point.
struct Along {
    extent: i64,
    /// The numbers on the axis at which a place does not follow the one before it.
    breaks: BTreeSet<i64>,
    /// Each number on the axis with the first number of a place there.
    places: BTreeSet<(i64, i64)>,
}

impl Along {
    fn of(v: &[Item]) -> Result<Along, Error> {
        let map = value(v, 0)?.as_map()?;
        let axis = usize::try_from(item(v, 1)?.as_number()?).map_err(|_| unfit("an axis"))?;
        let extents: Vec<i64> = map.domain().iter().map(|axis| axis.extent).collect();
        let extent = *extents.get(axis).ok_or_else(|| unfit("an axis"))?;
        let mut along = Along { extent, breaks: BTreeSet::new(), places: BTreeSet::new() };
        for number in 0..bounded_size(&map)? {
            let mut point = digits(number, &extents);
            let place = map.at(&point)?;
            let at = point.get(axis).copied().unwrap_or(0);
            along.places.extend(place.as_ref().and_then(|place| place.first()).map(|first| (at, *first)));
            if at == 0 {
                continue;
            }
            if let Some(entry) = point.get_mut(axis) {
                *entry = at - 1;
            }
            let mut before = map.at(&point)?;
            if let Some(first) = before.as_mut().and_then(|before| before.first_mut()) {
                *first = first.checked_add(1).ok_or_else(|| Error::overflow("a neighbour"))?;
            }
            if before != place {
                along.breaks.insert(at);
            }
        }
        Ok(along)
    }

    /// The largest number up to the extent, 1 at least, of which all breaks are multiples.
    fn run(&self) -> i64 {
        let is_run = |run: &i64| self.breaks.iter().all(|at| at % run == 0);
        (1..=self.extent.max(1)).rev().find(is_run).unwrap_or(1)
    }

    /// The largest power of two that divides the run, the extent, and the place at each multiple of it.
    fn vector(&self) -> i64 {
        let run = self.run();
        let fits = |width: i64| {
            let starts = self.places.iter().filter(|(at, _)| at % width == 0);
            run % width == 0 && self.extent % width == 0 && starts.into_iter().all(|(_, place)| place % width == 0)
        };
        let wider = std::iter::successors(Some(1_i64), |width| width.checked_mul(2));
        wider.take_while(|width| *width <= run && fits(*width)).last().unwrap_or(1)
    }
}

/// A point with another register.
fn by_register(v: &[Item], change: impl Fn(i64) -> i64) -> Result<Item, Error> {
    let point = item(v, 0)?.as_point()?.iter();
    let changed = point.map(|(name, n)| (*name, if *name == Name::REGISTER { change(*n) } else { *n }));
    Ok(Item::Point(changed.collect()))
}

/// A number of bits to shift by.
fn shift(bit: i64) -> u32 {
    u32::try_from(bit).unwrap_or(u32::MAX)
}

fn unfit(needed: &str) -> Error {
    error!(Code::Range, "the law needs {needed} that is not there", [needed])
}

fn shape_of(value: &Value) -> Result<Tuple<Int>, Error> {
    match value {
        Value::Tuple(_) => value.as_shape(),
        _ => Ok(value.as_function()?.domain()?.shape()),
    }
}

fn is_coordinate(coordinate: &Tuple<Int>, shape: &Tuple<Int>) -> Result<bool, Error> {
    if let Some(n) = coordinate.as_leaf() {
        return Ok((0..shape.size()?.as_number()?).contains(&n.as_number()?));
    }
    if shape.is_leaf() || shape.rank() != coordinate.rank() {
        return Ok(false);
    }
    for (entry, mode) in coordinate.entries().iter().zip(shape.entries()) {
        if !is_coordinate(entry, &mode)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The extents at each `_`.
fn kept(coordinate: &Tuple<Entry>, shape: &Tuple<Int>, free: &mut Vec<i64>) -> Result<(), Error> {
    match coordinate.as_leaf() {
        Some(Entry::Keep) => {
            for leaf in shape.leaves() {
                free.push(leaf.as_number()?);
            }
            Ok(())
        }
        Some(Entry::Number(_)) => Ok(()),
        None => coordinate.entries().iter().zip(shape.entries()).try_for_each(|(entry, mode)| kept(entry, &mode, free)),
    }
}

fn filled(
    coordinate: &Tuple<Entry>,
    shape: &Tuple<Int>,
    filling: &mut impl Iterator<Item = i64>,
) -> Result<Tuple<Int>, Error> {
    match coordinate.as_leaf() {
        Some(Entry::Keep) => Ok(shape.map(|_| Int::from(filling.next().unwrap_or(0)))),
        Some(Entry::Number(_)) => Value::Tuple(coordinate.clone()).as_shape(),
        None => {
            let pairs = coordinate.entries().into_iter().zip(shape.entries());
            let entries: Vec<_> =
                pairs.map(|(entry, mode)| filled(&entry, &mode, filling)).collect::<Result<_, _>>()?;
            Ok(Tuple::of(&entries))
        }
    }
}

/// The number of an element, from the dims that the layout leads to, the fastest first.
fn numbered(v: &[Item], order: fn(&LinearLayout) -> Vec<&Dim>) -> Result<Item, Error> {
    let (point, layout) = (item(v, 0)?.as_point()?, layout(v, 1)?);
    let (mut number, mut step) = (0, 1_i64);
    for dim in order(&layout) {
        number += value_of(point, dim.name) * step;
        step = step.checked_mul(dim.size()).ok_or_else(|| Error::overflow("the number of a point"))?;
    }
    Ok(Item::number(number))
}

fn by_ins(v: &[Item], part: fn(i64, i64) -> i64) -> Result<Item, Error> {
    let (point, layout) = (item(v, 0)?.as_point()?, layout(v, 1)?);
    Ok(Item::Point(point.iter().map(|(name, n)| (*name, part(*n, size_of(layout.ins(), *name)))).collect()))
}

/// The size of a dim; 1 where it is absent.
fn size_of(dims: &[Dim], name: Name) -> i64 {
    dims.iter().find(|dim| dim.name == name).map_or(1, Dim::size)
}

/// Names of dims: those that are listed, or those that a layout takes or leads to.
fn dims_of(value: &Value) -> Result<Vec<Name>, Error> {
    match value {
        Value::Linear(layout) => Ok(layout.ins().iter().chain(layout.outs()).map(|dim| dim.name).collect()),
        listed => names(listed),
    }
}
