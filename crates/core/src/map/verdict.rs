//! [`Verdict`]: whether two maps are the same relation between the elements of a tensor and their places.
//!
//! First the axes are aligned: by name where the names are equal, otherwise tensor dims by position, threads with
//! lanes, warps and blocks, and values with registers. Tensors of different ranks are aligned by the numbers of their
//! elements, where both are numbered in one [`Order`].
//!
//! Two maps of one direction are then compared as functions. For opposite directions, `f` from elements to places and
//! `g` back, each must undo the other where it leads. Places without an element are in neither.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use super::comparison::{Certificate, Comparison};
use super::layout::size;
use super::mismatch::{Differences, listed};
use super::{Axis, Direction, Map, Order, Stage, Unit};
use crate::error::{Code, Error};
use crate::linear::Name;
use crate::refusal::{Fact, FactOfList, Stated};

/// The result of comparing two relations. Two verdicts are equal when their texts are equal.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What differs; `None` when nothing does.
    pub difference: Option<Difference>,
    /// Which axes were compared with which, and the unit in which places are counted.
    pub alignment: String,
    /// How the answer is known.
    pub by: Option<Certificate>,
    /// How much differs, where the caller requested it.
    pub differences: Option<Differences>,
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Difference {
    /// What a verdict said that was read as a text.
    Words(String),
    /// The tensors have other dims.
    Dims {
        /// The axes of each tensor.
        dims: [Vec<Axis>; 2],
    },
    /// Two maps from places have not the same places.
    Places {
        /// The axes of places of which there are not as many, with how many there are in each.
        extents: Vec<(Name, [i64; 2])>,
        /// How often each holds an element, where it holds all equally often.
        copies: Option<[i64; 2]>,
    },
    /// The first point, and what it leads to in each.
    Point {
        /// The names of the coordinates of the point.
        from: Vec<Name>,
        /// The point.
        point: Vec<i64>,
        /// The names of what it leads to.
        to: Vec<Name>,
        /// What it leads to; `None` is padding.
        places: [Option<Vec<i64>>; 2],
    },
    /// Where one map leads from elements to places and the other back, the first element that is not led back to itself.
    Element {
        /// Which of the two maps leads to places, 0 or 1.
        to_place_side: usize,
        /// The names of the coordinates of elements.
        dims: Vec<Name>,
        /// The element.
        element: Vec<i64>,
        /// The names of the coordinates of places.
        parts: Vec<Name>,
        /// Where that map has it.
        place: Vec<i64>,
        /// What the other has there; `None` is padding.
        holds: Option<Vec<i64>>,
    },
    /// The same, from a place: the element that one map has there has another place in the other.
    Place {
        /// Which of the two maps leads to places, 0 or 1.
        to_place_side: usize,
        /// The names of the coordinates of places.
        parts: Vec<Name>,
        /// The place.
        place: Vec<i64>,
        /// The names of the coordinates of elements.
        dims: Vec<Name>,
        /// What the other map has there.
        element: Vec<i64>,
        /// Where this map has that.
        elsewhere: Vec<i64>,
    },
}

/// Two maps over the same axes.
pub(super) struct Aligned {
    pub(super) left: Map,
    pub(super) right: Map,
    /// How many of the units in which places are counted an element has, where the maps lead both ways.
    pub(super) units: i64,
    words: String,
    pub(super) difference: Option<Difference>,
}

impl Map {
    /// Whether two maps are the same relation.
    ///
    /// # Errors
    /// [`Code::DimNamesMismatch`] when the places have other names, [`Code::Kind`] when they are counted in other units;
    /// [`Code::NeedsOrder`] for tensors of as many elements and other ranks that are numbered in different orders;
    /// [`Code::Undecided`] beyond the budget of [`Map::compare`]; [`Code::Overflow`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let tiled = Map::of_array(&"f32[16,256]{1,0:T(8,128)}".parse()?)?;
    /// let cute = Map::of_layout(&"((8,2),(128,2)):((128,2048),(1,1024))".parse()?)?;
    /// assert!(tiled.same(&cute)?.holds());
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn same(&self, other: &Map) -> Result<Verdict, Error> {
        let Aligned { left, right, units, words, difference } = align(self, other)?;
        if difference.is_some() {
            return Ok(Verdict { difference, alignment: words, by: None, differences: None });
        }
        let (difference, by) = match left.direction == right.direction {
            false => compare_inverse(&left, &right, units)?,
            true => match left.compare(&right)? {
                Comparison::Same(by) => (None, by),
                Comparison::Differ { point, places, by } => {
                    let (from, to) = (names(&left.domain), names(&left.codomain));
                    (Some(Difference::Point { from, point, to, places }), by)
                }
            },
        };
        Ok(Verdict { difference, alignment: words, by: Some(by), differences: None })
    }

    /// This map and another from the same coordinates of a tensor to places of memory: maps from places are inverted, and dims
    /// are aligned as [`Map::same`] aligns them. Each leads to one offset. Maps that are so already are borrowed.
    ///
    /// # Errors
    /// [`Code::RankMismatch`] when the tensors have other dims, or a map does not lead to one offset; [`Code::NeedsOrder`] as
    /// [`Map::same`]; as [`Map::inverse`].
    ///
    /// ```
    /// use bitstride::map::Map;
    /// let rows = Map::of_layout(&"(4,8):(8,1)".parse()?)?;
    /// let flat = Map::of_layout(&"32:1".parse()?)?;
    /// let [rows, flat] = rows.aligned(&flat)?;
    /// assert_eq!((rows.at(&[5])?, flat.at(&[5])?), (Some(vec![9]), Some(vec![5])));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn aligned<'a>(&'a self, other: &'a Map) -> Result<[Cow<'a, Map>; 2], Error> {
        let mut maps = [self, other].map(Cow::Borrowed);
        for map in &mut maps {
            if map.direction == Direction::ToIndex {
                *map = Cow::Owned(map.from_elements()?);
            }
            if map.codomain.len() != 1 || map.codomain.iter().any(|axis| axis.path().is_some()) {
                return Err(error!(Code::RankMismatch, "{map} does not lead to an offset in memory", [map]));
            }
        }
        let [left, right] = &mut maps;
        if left.domain != right.domain
            && let Some(difference) = align_dims(left.to_mut(), right.to_mut(), &mut Vec::new())?
        {
            return Err(error!(Code::RankMismatch, "{difference}", [difference]));
        }
        Ok(maps)
    }
}

impl PartialEq for Verdict {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Verdict {}

impl Hash for Verdict {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_string().hash(state);
    }
}

impl Verdict {
    /// The verdict of its text: `same` has no text of a difference.
    pub fn read(words: Option<&str>) -> Verdict {
        let difference = words.map(|words| Difference::Words(words.to_owned()));
        Verdict { difference, alignment: String::new(), by: None, differences: None }
    }

    /// Whether both are the same.
    pub fn holds(&self) -> bool {
        self.difference.is_none()
    }
}

/// Compares maps of two directions: each must undo the other where it leads. With as many elements as places it is enough
/// that elements come back to themselves.
fn compare_inverse(left: &Map, right: &Map, units: i64) -> Result<(Option<Difference>, Certificate), Error> {
    let to_place_side = usize::from(left.direction != Direction::ToPlace);
    let (to_place, back) = if to_place_side == 0 { (left, right) } else { (right, left) };
    let (dims, parts) = (names(&to_place.domain), names(&to_place.codomain));
    if to_place.size()? < back.size()?
        && let Comparison::Differ { point, places: [elsewhere, place], by } =
            back.then(to_place)?.compare(&occupied_places(back, units)?)?
    {
        let element = back.at(&point)?.unwrap_or_default();
        let (place, elsewhere) = (place.unwrap_or_default(), elsewhere.unwrap_or_default());
        return Ok((Some(Difference::Place { to_place_side, parts, place, dims, element, elsewhere }), by));
    }
    let identity = Map { stages: Vec::new(), codomain: to_place.domain.clone(), ..to_place.clone() };
    Ok(match to_place.whole_units(units).then(back)?.compare(&identity)? {
        Comparison::Same(by) => (None, by),
        Comparison::Differ { point: element, places: [holds, _], by } => {
            let place = to_place.at(&element)?.unwrap_or_default();
            (Some(Difference::Element { to_place_side, dims, element, parts, place, holds }), by)
        }
    })
}

/// Each place that holds an element, in the given number of units per element of memory; all others are padding.
fn occupied_places(back: &Map, units: i64) -> Result<Map, Error> {
    let count = back.domain.len();
    let factor = |axis: &Axis| if axis.unit == Unit::Part { 1 } else { units };
    let only = |at: usize, factor: i64| (0, (0..count).map(|own| if own == at { factor } else { 0 }).collect());
    let copies = (0..count).map(|at| only(at, 1));
    let kept = back.domain.iter().enumerate().map(|(at, axis)| only(at, factor(axis)));
    let mut stages = vec![Stage::Linearise { at: 0, count, sums: copies.chain(kept).collect() }];
    let mut width = count;
    if back.stages.iter().any(|stage| matches!(stage, Stage::Guard { .. })) {
        for stage in &back.stages {
            stages.push(match stage {
                Stage::Permute(order) => Stage::Permute(order.iter().copied().chain(width..width + count).collect()),
                stage => stage.clone(),
            });
            width = stage.width(width)?;
        }
    }
    stages.push(Stage::Linearise { at: 0, count: width, sums: Vec::new() });
    Ok(Map { stages, codomain: back.domain.clone(), ..back.clone() })
}

fn names(axes: &[Axis]) -> Vec<Name> {
    axes.iter().map(|axis| axis.name).collect()
}

pub(super) fn align(left: &Map, right: &Map) -> Result<Aligned, Error> {
    let (mut left, mut right) = (left.clone(), right.clone());
    let mut units = 1;
    if left.direction != right.direction {
        let back = if left.direction == Direction::ToIndex { &mut left } else { &mut right };
        (*back, units) = back.in_elements();
    }
    let mut words = Vec::new();
    align_places(&mut left, &mut right, &mut words)?;
    let mut difference = align_dims(&mut left, &mut right, &mut words)?;
    if left.direction != right.direction {
        let order = if left.direction == Direction::ToPlace { ["first", "second"] } else { ["second", "first"] };
        let [to_place, back] = order;
        words.push(format!("one relation in two directions: the {to_place} leads to places, the {back} to elements"));
    } else if left.direction == Direction::ToIndex && difference.is_none() {
        difference = places_apart(&left, &right);
    }
    Ok(Aligned { left, right, units, words: words.join("; "), difference })
}

/// What differs where two maps from places have not the same places, with how often each has every element.
fn places_apart(left: &Map, right: &Map) -> Option<Difference> {
    let pairs = left.domain.iter().zip(&right.domain).filter(|(one, other)| one.extent != other.extent);
    let extents: Vec<(Name, [i64; 2])> = pairs.map(|(one, other)| (one.name, [one.extent, other.extent])).collect();
    if extents.is_empty() {
        return None;
    }
    let copies = |map: &Map| {
        let (places, elements) = (map.size().ok()?, map.image().ok()?.size);
        (elements > 0 && places % elements == 0).then(|| places / elements)
    };
    let copies = copies(left).zip(copies(right)).map(|(one, other)| [one, other]);
    Some(Difference::Places { extents, copies })
}

fn axis_texts(axes: &[Axis]) -> String {
    axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn often(times: i64) -> String {
    if times == 1 { "once".into() } else { format!("{times} times") }
}

/// Gives two maps from parts of a machine the axes that only the other has, as single ones.
fn align_parts(left: &mut Map, right: &mut Map) {
    const PARTS: [Name; 4] = [Name::REGISTER, Name::LANE, Name::WARP, Name::BLOCK];
    let of_parts = |map: &Map| {
        let parts = map.domain.iter().all(|axis| axis.unit == Unit::Part && PARTS.contains(&axis.name));
        map.direction == Direction::ToIndex && parts
    };
    if !of_parts(left) || !of_parts(right) {
        return;
    }
    let both = [left.domain.clone(), right.domain.clone()];
    for (map, others) in [&mut *left, &mut *right].into_iter().zip(both.iter().rev()) {
        for axis in others {
            if map.domain.iter().all(|own| own.name != axis.name) {
                *map = map.with_single_axis(map.domain.len(), axis.name, axis.unit);
            }
        }
    }
}

/// Aligns dims of the tensor: by name where both have the same names, as many by place, else by the number of each element, in
/// the order in which both are numbered.
fn align_dims(left: &mut Map, right: &mut Map, words: &mut Vec<String>) -> Result<Option<Difference>, Error> {
    let (mine, theirs) = (axis_texts(left.index_axes()), axis_texts(right.index_axes()));
    let dims = [&*left, &*right].map(|map| map.index_axes().to_vec());
    let apart = || Difference::Dims { dims };
    if left.index_axes().len() != right.index_axes().len() {
        if size(left.index_axes())? != size(right.index_axes())? {
            return Ok(Some(apart()));
        }
        let order = common_order(left, right)?;
        words.push(format!("({mine}) and ({theirs}) by the number of each element, {order}"));
        for map in [&mut *left, &mut *right] {
            *map = if map.direction == Direction::ToPlace { map.flattened(order)? } else { map.into_flat(order)? };
        }
    } else {
        words.insert(0, mine.clone());
        let order = order(&names(left.index_axes()), &names(right.index_axes()));
        if let Some(order) = order.filter(|order| !order.is_sorted()) {
            *right = match right.direction {
                Direction::ToPlace => right.with_domain_order(&order),
                Direction::ToIndex => right.with_codomain_order(&order),
            };
        }
    }
    let extents = |map: &Map| map.index_axes().iter().map(|axis| axis.extent).collect::<Vec<_>>();
    Ok((extents(left) != extents(right)).then(apart))
}

/// The order in which the elements of both tensors are numbered. Where both have one dim of more than one element at most, all
/// orders are the same.
fn common_order(left: &Map, right: &Map) -> Result<Order, Error> {
    let matters = |map: &Map| map.index_axes().iter().filter(|axis| axis.extent > 1).count() > 1;
    if left.order == right.order || !matters(left) && !matters(right) {
        return Ok(left.order);
    }
    let [mine, theirs] =
        [left, right].map(|map| listed(&map.index_axes().iter().map(|axis| axis.extent).collect::<Vec<_>>()));
    let spelling = |order: Order| format!("`reshape(X, {theirs}, {})`", order.word());
    let refused = error!(
        Code::NeedsOrder,
        "the tensors have dims {mine} and {theirs}; the first is numbered {order}, the second {other_order}: which element is which is not said",
        [order = left.order, other_order = right.order; dims = [mine, theirs]]
    );
    Err(refused.with_help(format!(
        "read the first, X, in the shape of the second: {} or {}",
        spelling(Order::RowMajor),
        spelling(Order::ColumnMajor)
    )))
}

/// Where each of these names is among others; none where they are not the same names.
fn order(mine: &[Name], theirs: &[Name]) -> Option<Vec<usize>> {
    let order: Option<Vec<usize>> = mine.iter().map(|name| theirs.iter().position(|other| other == name)).collect();
    order.filter(|order| order.len() == theirs.len())
}

/// Gives maps to coordinates those of each other, on which they are 0.
fn align_coordinates(left: &mut Map, right: &mut Map) {
    let coordinates = |map: &Map| {
        let named = !map.codomain.is_empty() && map.codomain.iter().all(|axis| axis.path().is_some());
        map.direction == Direction::ToPlace && named
    };
    if !coordinates(left) || !coordinates(right) {
        return;
    }
    let others = left.codomain.clone();
    for (map, others) in [(&mut *left, right.codomain.clone()), (&mut *right, others)] {
        for axis in others {
            if map.codomain.iter().all(|own| own.name != axis.name) {
                *map = map.with_place(map.codomain.len(), Axis { extent: 1, ..axis });
            }
        }
    }
}

/// Aligns the axes of places by their names.
fn align_places(left: &mut Map, right: &mut Map, words: &mut Vec<String>) -> Result<(), Error> {
    let threads = |map: &Map| map.place_axes().iter().any(|axis| axis.name == Name::THREAD);
    let by = [threads(right), threads(left)];
    for (map, other) in [&mut *left, &mut *right].into_iter().zip(by) {
        *map = map.without_single_places();
        if other && !threads(map) && map.direction == Direction::ToIndex {
            *map = map.by_thread()?;
            words.push("thread is lane, then warp, then block; value is register".into());
        }
    }
    align_coordinates(left, right);
    align_parts(left, right);
    let (mine, theirs) = (names(left.place_axes()), names(right.place_axes()));
    let Some(order) = order(&mine, &theirs) else {
        let list = |map: &Map| map.place_axes().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let [one, other] = [list(left), list(right)];
        let help = match [&*left, &*right].map(|map| map.place_axes().iter().any(|axis| axis.unit == Unit::Index)) {
            [true, false] | [false, true] => {
                "a layout after it leads from coordinates to memory: `chain((4,8):(8,1), L)`"
            }
            _ => "say what the places are: `tv(L, (16,8))` for threads and values of a tile",
        };
        let refused = error!(
            Code::DimNamesMismatch,
            "the places of one are {one}, of the other {other}",
            [; places = [one, other]]
        );
        return Err(refused.with_help(help));
    };
    if !order.is_sorted() {
        *right = match right.direction {
            Direction::ToPlace => right.with_codomain_order(&order),
            Direction::ToIndex => right.with_domain_order(&order),
        };
    }
    let unit = |map: &Map| map.place_axes().iter().map(|axis| axis.unit).find(|unit| *unit != Unit::Part);
    if left.direction == right.direction {
        match (unit(left), unit(right)) {
            (Some(Unit::Byte), Some(Unit::Bit)) => *left = left.bytes_in_bits()?,
            (Some(Unit::Bit), Some(Unit::Byte)) => *right = right.bytes_in_bits()?,
            _ => {}
        }
    }
    match (unit(left), unit(right)) {
        (Some(a), Some(b)) if a != b => Err(error!(Code::Kind, "one counts places in {a}s, the other in {b}s", [a, b])
            .with_help("`bytes(X,16)` and `bits(X,4)` count the places of elements of that number of bits")),
        (unit, _) => {
            words.push(match unit {
                Some(unit) if unit != Unit::Index => format!("offsets in {unit}s"),
                unit => format!(
                    "{} ({})",
                    if unit.is_some() { "coordinates" } else { "places" },
                    mine.iter().map(Name::as_str).collect::<Vec<_>>().join(", ")
                ),
            });
            Ok(())
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.difference, &self.differences) {
            (None, _) => write!(f, "same"),
            (Some(_), Some(differences)) => write!(f, "different: {differences}"),
            (Some(difference), None) => write!(f, "different: {difference}"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Words(words) => f.write_str(words),
            Difference::Dims { dims: [one, two] } => {
                write!(f, "the tensors have dims ({}) and ({})", axis_texts(one), axis_texts(two))
            }
            Difference::Places { extents, copies } => {
                let apart =
                    |(name, [one, two]): &(Name, [i64; 2])| format!("{name} {one} in the first, {two} in the second");
                write!(f, "the places are {}", extents.iter().map(apart).collect::<Vec<_>>().join(", "))?;
                match copies {
                    Some([one, two]) => {
                        write!(f, "; an element is held {} in the first, {} in the second", often(*one), often(*two))
                    }
                    None => Ok(()),
                }
            }
            Difference::Point { from, point, to, places: [one, two] } => {
                let place =
                    |place: &Option<Vec<i64>>| place.as_ref().map_or("padding".into(), |place| named(to, place));
                write!(f, "{} is at {} in the first, at {} in the second", named(from, point), place(one), place(two))
            }
            Difference::Element { to_place_side, dims, element, parts, place, holds } => {
                let [here, there] = which(*to_place_side);
                let holds = holds.as_ref().map_or("padding".into(), |holds| named(dims, holds));
                let (element, place) = (named(dims, element), named(parts, place));
                write!(f, "{element} is at {place} in the {here}, where the {there} has {holds}")
            }
            Difference::Place { to_place_side, parts, place, dims, element, elsewhere } => {
                let [here, there] = which(*to_place_side);
                let (place, element, elsewhere) = (named(parts, place), named(dims, element), named(parts, elsewhere));
                write!(f, "{place} has {element} in the {there}, which the {here} has at {elsewhere}")
            }
        }
    }
}

impl FactOfList for Stated<'_, Difference> {
    fn fact(&self) -> Fact {
        match self.0 {
            Difference::Dims { dims } => Fact::List(dims.iter().map(|dims| Fact::list(dims)).collect()),
            Difference::Places { extents, copies } => {
                let pairs = extents.iter().map(|(_, pair)| pair).chain(copies);
                Fact::List(pairs.map(|pair| Fact::list(pair)).collect())
            }
            other => Fact::of(other),
        }
    }
}

fn which(to_place_side: usize) -> [&'static str; 2] {
    if to_place_side == 0 { ["first", "second"] } else { ["second", "first"] }
}

/// Coordinates with their names: `dim0=1, dim1=0`.
fn named(names: &[Name], point: &[i64]) -> String {
    let pairs = names.iter().zip(point).map(|(name, x)| format!("{name}={x}"));
    match point.is_empty() {
        true => "()".into(),
        false => pairs.collect::<Vec<_>>().join(", "),
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Certificate::Digits(1) => f.write_str("decided by 1 digit"),
            Certificate::Digits(count) => write!(f, "decided by {count} digits"),
            Certificate::LowBits(count) => write!(f, "decided by the {count} low bits that sums can have"),
            Certificate::Periods(points) => write!(f, "decided by {points} points, after which both repeat"),
            Certificate::Enumerated(points) => write!(f, "enumerated {points}"),
        }
    }
}
