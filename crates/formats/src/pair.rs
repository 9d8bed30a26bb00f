//! [`Pair`]: what moves a field between two places without looking at its values, in the widest units that both sides consist of.
//!
//! Law: a unit is a run of bits at a multiple of its size on both sides, so that moving units moves every bit.

use bitstride::Error;
use bitstride::map::{Axis, Direction, Form, Map, Stage};
use bitstride_relayout::{Element, Plan};

use crate::places::Places;
use crate::runs::Runs;

/// What is moved at once: the maps of both sides in units. Its plan is made when it runs: one without digits surveys every
/// element.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) maps: Box<[Map; 2]>,
    pub(crate) unit: Element,
    /// The bytes of the target that it writes, where they are runs of whole bytes.
    pub(crate) written: Option<Runs>,
}

/// What moves a field from some places to others; none where these cut axes in ways that have no common digits.
pub(crate) fn pairs(from: &Places, to: &Places, order: &[usize]) -> Result<Option<Vec<Pair>>, Error> {
    let Some(boxes) = from.boxes(to, order)? else { return Ok(None) };
    boxes.iter().map(Pair::new).collect::<Result<_, Error>>().map(Some)
}

impl Pair {
    pub(crate) fn new([source, target]: &[Map; 2]) -> Result<Self, Error> {
        let unit = unit(source, target);
        let element = Element::of_bits(u32::try_from(unit).map_err(|_| Error::overflow("a unit"))?)?;
        let maps = Box::new([in_units(source, unit)?, in_units(target, unit)?]);
        let written = Runs::of(&maps[1], unit);
        Ok(Pair { maps, unit: element, written })
    }

    pub(crate) fn run(&self, source: &[u8], target: &mut [u8]) -> Result<(), Error> {
        Plan::new(&self.maps[0], &self.maps[1], self.unit)?.run(source, target)
    }
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

/// Whether units of a given number of bits lie side by side at multiples of their size.
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
