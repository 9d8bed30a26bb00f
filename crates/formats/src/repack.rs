//! [`Repack`]: the tensors of one format from those of another, field by field.
//!
//! A field whose values are stored alike is moved by plans of `bitstride-relayout`, one for each pair of pieces; one whose
//! values are stored otherwise is read, mapped and written value by value, and a value outside of the domain ends it.
//!
//! Law: every element is where the format says, with the value that it had; a repack that would lose a value is refused.

use bitstride::cast::index;
use bitstride::map::{Axis, Direction, Form, Map, Stage};
use bitstride::{Code, Error};
use bitstride_relayout::{Element, Plan};

use crate::check::{aligned, mapped};
use crate::format::{Field, Format, Tensor};
use crate::places::{Places, Points};
use crate::stored::Stored;

/// How to make the tensors of one format from those of another.
#[derive(Clone, Debug)]
pub struct Repack {
    /// The tensors that are read.
    pub from: Vec<Tensor>,
    /// The tensors that are written.
    pub to: Vec<Tensor>,
    moves: Vec<Move>,
}

/// How a field is made.
#[derive(Clone, Debug)]
struct Move {
    field: String,
    /// The tensors, by number.
    from: usize,
    to: usize,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    /// Maps of both sides in units, each pair a plan, on the source with every byte xored. Plans are made when they run: one
    /// without digits surveys every element.
    Maps(Vec<(Box<[Map; 2]>, Element)>, u8),
    /// Value by value.
    Values(Box<Values>),
    /// The group of each channel is what its number and the size of a group say: nothing is stored.
    InOrder(Box<Field>, Option<i64>),
    /// The same, which has to be written.
    Counted(Box<Field>, i64),
}

/// A field whose values are mapped.
#[derive(Clone, Debug)]
struct Values {
    from: Field,
    to: Field,
    order: Vec<usize>,
}

/// Kinds that say nothing of the values but their bits.
const OPAQUE: [&str; 3] = ["value", "bytes", "scale"];

/// What [`Format`] calls the group of each in-feature.
const GROUP: &str = "group";

impl Repack {
    /// The repack of all fields, or of some.
    ///
    /// # Errors
    /// [`Code::Kind`] where the target stores other codes; [`Code::NotALayout`] for a field that only one of the formats
    /// has; [`Code::RankMismatch`] and [`Code::Range`] for formats of other tensors; otherwise as [`Map::new`].
    ///
    /// ```
    /// use bitstride_formats::{Repack, Zoo};
    /// let zoo = Zoo::builtin();
    /// let (low, high) = (zoo.format("fp4:pairs,n=1,k=4")?, zoo.format("bnb:fp4,n=1,k=4")?);
    /// assert!(Repack::new(&low, &high, Some(&["codes"])).is_err(), "E2M1 and FP4 are other codes");
    /// let (nf4, low) = (zoo.format("bnb:nf4,n=1,k=4")?, zoo.format("pairs:low,n=1,k=4,kind=nf4")?);
    /// let repack = Repack::new(&nf4, &low, Some(&["codes"]))?;
    /// assert_eq!(repack.run(&[&[0x12, 0x34], &[]])?, [[0x21, 0x43]]);
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn new(from: &Format, to: &Format, fields: Option<&[&str]>) -> Result<Self, Error> {
        let chosen = |name: &str| fields.is_none_or(|fields| fields.contains(&name));
        for (name, error) in from.open.iter().chain(&to.open) {
            if chosen(name) {
                return Err(error.clone());
            }
        }
        for name in fields.into_iter().flatten() {
            from.field(name)?;
        }
        let mut moves = Vec::new();
        for own in from.fields.iter().filter(|own| chosen(&own.name)) {
            let how = match to.fields.iter().find(|other| other.name == own.name) {
                Some(other) => Some((other.tensor, how(own, other).map_err(|why| why.about(&own.name))?)),
                None if own.kind == GROUP => {
                    let size = from.number("group").filter(|size| *size > 0);
                    Some((0, How::InOrder(Box::new(own.clone()), size)))
                }
                None => None,
            };
            let Some((target, how)) = how else { return Err(lost(&own.name, from, to)) };
            moves.push(Move { field: own.name.clone(), from: own.tensor, to: target, how });
        }
        for other in to.fields.iter().filter(|other| chosen(&other.name)) {
            if from.fields.iter().any(|own| own.name == other.name) {
                continue;
            }
            let Some(group) = to.number("group").filter(|group| other.kind == GROUP && *group > 0) else {
                let message = format!("{} has no {}, which {} needs", from.name, other.name, to.name);
                return Err(Error::new(Code::NotALayout, message).with_help("choose the fields with --field"));
            };
            let how = How::Counted(Box::new(other.clone()), group);
            moves.push(Move { field: other.name.clone(), from: 0, to: other.tensor, how });
        }
        Ok(Repack { from: from.tensors.clone(), to: to.tensors.clone(), moves })
    }

    /// The tensors of the target from those of the source, in the order of both formats. A tensor of which no field is
    /// chosen may be empty, and is empty in the answer.
    ///
    /// # Errors
    /// [`Code::Range`] for a tensor that is too short, or a value that the target cannot store, with its element; otherwise as
    /// [`Plan::new`].
    pub fn run(&self, sources: &[&[u8]]) -> Result<Vec<Vec<u8>>, Error> {
        let mut targets = Vec::new();
        for (at, tensor) in self.to.iter().enumerate() {
            let is_written = |own: &Move| own.to == at && !matches!(own.how, How::InOrder(..));
            let bytes = if self.moves.iter().any(is_written) { index(tensor.bytes()?)? } else { 0 };
            targets.push(vec![tensor.fill; bytes]);
        }
        for at in 0..self.moves.len() {
            let mut slices: Vec<&mut [u8]> = targets.iter_mut().map(Vec::as_mut_slice).collect();
            self.run_field(at, sources, &mut slices)?;
        }
        Ok(targets)
    }

    /// How many fields are moved.
    pub fn fields(&self) -> usize {
        self.moves.len()
    }

    /// Which tensors of the source and of the target a field is moved between; none where nothing is read or written.
    pub fn tensors_of(&self, field: usize) -> Option<(Option<usize>, Option<usize>)> {
        self.moves.get(field).map(|own| match own.how {
            How::InOrder(..) => (Some(own.from), None),
            How::Counted(..) => (None, Some(own.to)),
            _ => (Some(own.from), Some(own.to)),
        })
    }

    /// Makes one field in tensors that hold the other fields already or the byte that fills them.
    ///
    /// # Errors
    /// As [`Repack::run`].
    pub fn run_field(&self, field: usize, sources: &[&[u8]], targets: &mut [&mut [u8]]) -> Result<(), Error> {
        let Some(own) = self.moves.get(field) else { return Ok(()) };
        let source = sources.get(own.from).copied().unwrap_or(&[]);
        let target = targets.get_mut(own.to).map_or(&mut [][..], |target| &mut **target);
        let mut run = || match &own.how {
            How::Maps(pairs, mask) => {
                let flipped: Vec<u8>;
                let source = if *mask == 0 {
                    source
                } else {
                    flipped = source.iter().map(|byte| byte ^ mask).collect();
                    &flipped
                };
                let mut moved = |(maps, element): &(Box<[Map; 2]>, Element)| {
                    Plan::new(&maps[0], &maps[1], *element)?.run(source, target)
                };
                pairs.iter().try_for_each(&mut moved)
            }
            How::Values(values) => values.run(source, target),
            How::InOrder(field, size) => in_order(field, *size, source),
            How::Counted(field, group) => counted(field, *group, target),
        };
        run().map_err(|error| error.about(&own.field))
    }
}

fn lost(name: &str, from: &Format, to: &Format) -> Error {
    let message = format!("{} has no place for {name} of {}, which would be lost", to.name, from.name);
    Error::new(Code::NotALayout, message).with_help("choose the fields with --field")
}

/// How a field is made of another.
fn how(from: &Field, to: &Field) -> Result<How, Error> {
    let is_open = |kind: &str| OPAQUE.contains(&kind);
    if from.kind != to.kind && !is_open(&from.kind) && !is_open(&to.kind) {
        let message = format!("the codes are {} in one format and {} in the other", from.kind, to.kind);
        return Err(Error::new(Code::Kind, message).with_help("that is a conversion of values, which no repack does"));
    }
    let order = aligned(&from.places, &to.places)?;
    let bits = from.places.element_bits();
    let steps = mapped(&from.stored, &to.stored);
    if steps.is_empty() && bits != to.places.element_bits() {
        let message = format!("elements have {bits} bits in one format and {} in the other", to.places.element_bits());
        return Err(Error::new(Code::Kind, message));
    }
    let values = || How::Values(Box::new(Values { from: from.clone(), to: to.clone(), order: order.clone() }));
    let mask = match steps.as_slice() {
        [] => 0,
        [Stored::Xor(constant)] if matches!(bits, 1 | 2 | 4 | 8) => {
            let byte = (0..8).step_by(usize::try_from(bits).unwrap_or(8)).fold(0, |byte, at| byte | constant << at);
            u8::try_from(byte & 0xff).unwrap_or(0)
        }
        _ => return Ok(values()),
    };
    let Some(boxes) = from.places.boxes(&to.places, &order)? else { return Ok(values()) };
    let mut pairs = Vec::new();
    for [source, target] in &boxes {
        let unit = unit(source, target);
        if mask != 0 && unit != bits {
            return Ok(values());
        }
        let element = Element::of_bits(u32::try_from(unit).map_err(|_| Error::overflow("a unit"))?)?;
        pairs.push((Box::new([in_units(source, unit)?, in_units(target, unit)?]), element));
    }
    Ok(How::Maps(pairs, mask))
}

/// The last axis of a map, which counts the bits of an element.
fn bits_of(map: &Map) -> i64 {
    map.domain().last().map_or(1, |axis| axis.extent)
}

/// The widest power of two of bits of which elements consist on both sides, at places that are multiples of it.
fn unit(source: &Map, target: &Map) -> i64 {
    let whole = 1i64 << bits_of(source).trailing_zeros();
    let mut unit = whole.min(64);
    while unit > 1 && !(consists(source, unit) && consists(target, unit)) {
        unit /= 2;
    }
    unit
}

/// The map over units of bits: the last axis is cut into units and the bits of one.
fn cut(map: &Map, unit: i64) -> Result<Map, Error> {
    let rank = map.domain().len();
    let mut domain = map.domain().to_vec();
    if let Some(last) = domain.last_mut() {
        last.extent /= unit;
    }
    domain.push(Axis::dim(rank, unit));
    let join = Stage::Linearise { at: rank - 1, count: 2, sums: vec![(0, vec![unit, 1])] };
    Map::new(domain, [&[join], map.stages()].concat(), map.codomain().to_vec(), Direction::ToPlace)
}

/// Whether units of so many bits lie side by side at multiples of their size.
fn consists(map: &Map, unit: i64) -> bool {
    let Ok(form) = cut(map, unit).and_then(|map| Form::of(&map)) else { return false };
    form.sums.iter().all(|sum| {
        let digits = form.digits.iter().zip(sum.strides.iter().zip(&sum.xors));
        let fits = |(digit, (stride, xor)): (&bitstride::map::Digit, (&i64, &i64))| {
            let is_inside = digit.axis == map.domain().len();
            if is_inside { digit.weight == *stride && *xor == 0 } else { stride % unit == 0 && xor % unit == 0 }
        };
        sum.offset % unit == 0 && sum.flip % unit == 0 && digits.into_iter().all(fits)
    })
}

/// The map to places that are counted in units.
fn in_units(map: &Map, unit: i64) -> Result<Map, Error> {
    let rank = map.domain().len();
    let mut domain: Vec<Axis> = map.domain().iter().enumerate().map(|(at, axis)| Axis::dim(at, axis.extent)).collect();
    if let Some(last) = domain.last_mut() {
        last.extent /= unit;
    }
    let first = Stage::Linearise { at: rank - 1, count: 1, sums: vec![(0, vec![unit])] };
    let split = Stage::Delinearise { at: 0, radices: vec![unit] };
    let drop = Stage::Linearise { at: 0, count: 2, sums: vec![(0, vec![0, 1])] };
    let stages = [&[first], map.stages(), &[split, drop]].concat();
    let extent = map.codomain().first().map_or(0, |axis| axis.extent);
    Map::new(domain, stages, vec![Axis::offset(extent / unit + 1)], Direction::ToPlace)
}

/// The value of an element in memory.
fn value(places: &Places, point: &[i64], memory: &[u8]) -> Result<i64, Error> {
    let mut value = 0;
    for bit in 0..places.element_bits() {
        let place = places.at(point, bit)?;
        let byte = usize::try_from(place / 8).ok().and_then(|at| memory.get(at)).ok_or_else(|| short(memory))?;
        value |= i64::from(byte >> (place % 8) & 1) << bit;
    }
    Ok(value)
}

/// Sets the value of an element.
fn set(places: &Places, point: &[i64], memory: &mut [u8], value: i64) -> Result<(), Error> {
    for bit in 0..places.element_bits() {
        let place = places.at(point, bit)?;
        let error = short(memory);
        let byte = usize::try_from(place / 8).ok().and_then(|at| memory.get_mut(at)).ok_or(error)?;
        let on = value >> bit & 1 == 1;
        *byte = *byte & !(1 << (place % 8)) | u8::from(on) << (place % 8);
    }
    Ok(())
}

fn short(memory: &[u8]) -> Error {
    Error::new(Code::Range, format!("a tensor has {} bytes, and its format reaches further", memory.len()))
}

fn listed(point: &[i64]) -> String {
    point.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl Values {
    fn run(&self, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        let [from, to] = [&self.from.places, &self.to.places];
        let mut there = vec![0; self.order.len()];
        for point in Points::new(&from.shape()?, true) {
            for (x, at) in point.iter().zip(&self.order) {
                if let Some(other) = there.get_mut(*at) {
                    *other = *x;
                }
            }
            let stored = value(from, &point, source)?;
            let undone =
                self.from.stored.iter().rev().try_fold(stored, |value, step| step.undo(value, from.element_bits()));
            let stored = undone.and_then(|value| {
                self.to.stored.iter().try_fold(value, |value, step| step.apply(value, to.element_bits()))
            });
            set(to, &there, target, stored.map_err(|error| error.about(format!("element ({})", listed(&point))))?)?;
        }
        Ok(())
    }
}

/// Checks that channel `i` is in group `i / size`: for the size of the format, or for some size where it says none.
fn in_order(field: &Field, mut size: Option<i64>, source: &[u8]) -> Result<(), Error> {
    for point in Points::new(&field.places.shape()?, true) {
        let at = point.first().copied().unwrap_or(0);
        let group = value(&field.places, &point, source)?;
        if group == 1 && size.is_none() {
            size = Some(at.max(1));
        }
        let wanted = size.map_or(0, |size| at / size);
        if group != wanted {
            let message =
                format!("channel {at} is in group {group}, not {wanted}: the order of activations would be lost");
            return Err(Error::new(Code::NotALayout, message).with_help("sort the channels by group first (act-order)"));
        }
    }
    Ok(())
}

fn counted(field: &Field, group: i64, target: &mut [u8]) -> Result<(), Error> {
    for point in Points::new(&field.places.shape()?, true) {
        let at = point.first().copied().unwrap_or(0);
        set(&field.places, &point, target, at / group)?;
    }
    Ok(())
}
