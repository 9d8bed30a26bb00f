//! The twin of stored layouts: for every element the bit of memory of each of its bits, and everything else by going through these.

use std::collections::{BTreeMap, BTreeSet};

use bitstride_formats::check::Report;
use bitstride_formats::{Format, Stored, Verdict};

use super::super::super::outcome::Outcome;

/// A field with the places of all its bits.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    axes: Vec<String>,
    pub(super) shape: Vec<i64>,
    bits: i64,
    /// For each element, the last axis the fastest, the bit of memory of each of its bits.
    pub(super) places: Vec<Vec<i64>>,
    stored: Vec<Stored>,
    kind: String,
    tensor: usize,
    /// The bytes of that tensor before anything is written.
    empty: Vec<u8>,
}

/// Kinds that say nothing of values but their bits.
const OPAQUE: [&str; 3] = ["value", "bytes", "scale"];

/// All points of a box, the last axis the fastest.
pub(super) fn points(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![Vec::new()], |points, extent| {
        points.iter().flat_map(|point| (0..*extent).map(move |x| [point.as_slice(), &[x]].concat())).collect()
    })
}

impl Bits {
    /// Those of a field of a format; none where an element has no place.
    pub(super) fn of(format: &Format, field: &str) -> Option<Bits> {
        let field = format.field(field).ok()?;
        let tensor = format.tensors.get(field.tensor)?;
        let shape = field.places.shape().ok()?;
        let bits = field.places.element_bits();
        let place =
            |point: &Vec<i64>| (0..bits).map(|bit| field.places.at(point, bit).ok()).collect::<Option<Vec<i64>>>();
        Some(Bits {
            axes: field.places.axes().iter().map(|axis| axis.name.clone()).collect(),
            places: points(&shape).iter().map(place).collect::<Option<_>>()?,
            shape,
            bits,
            stored: field.stored.clone(),
            kind: field.kind.clone(),
            tensor: field.tensor,
            empty: vec![tensor.fill; usize::try_from(tensor.bytes().ok()?).ok()?],
        })
    }

    /// What the bits that the places have in memory say.
    fn value(&self, element: usize, memory: &[u8]) -> Option<i64> {
        let places = self.places.get(element)?.iter();
        places.zip(0..).try_fold(0, |value, (place, bit)| Some(value | i64::from(bit_of(memory, *place)?) << bit))
    }
}

fn bit_of(memory: &[u8], place: i64) -> Option<u8> {
    memory.get(usize::try_from(place / 8).ok()?).map(|byte| byte >> (place % 8) & 1)
}

/// Two fields of one tensor.
pub(super) struct Pair<'a> {
    one: &'a Bits,
    other: &'a Bits,
    /// For each element of the first, the number of the same element of the second.
    same: Vec<usize>,
}

impl<'a> Pair<'a> {
    /// None where axes are others.
    pub(super) fn of(one: &'a Bits, other: &'a Bits) -> Option<Pair<'a>> {
        if one.axes.len() != other.axes.len() {
            return None;
        }
        let named =
            one.axes.iter().map(|name| other.axes.iter().position(|own| own == name)).collect::<Option<Vec<_>>>();
        let order = named.unwrap_or_else(|| (0..one.axes.len()).collect());
        if one.shape.iter().zip(&order).any(|(extent, at)| other.shape.get(*at) != Some(extent)) {
            return None;
        }
        let numbers: BTreeMap<Vec<i64>, usize> = points(&other.shape).into_iter().zip(0..).collect();
        let there = |point: Vec<i64>| {
            let mut own = vec![0; point.len()];
            for (x, at) in point.iter().zip(&order) {
                *own.get_mut(*at)? = *x;
            }
            numbers.get(&own).copied()
        };
        let same = points(&one.shape).into_iter().map(there).collect::<Option<_>>()?;
        Some(Pair { one, other, same })
    }

    /// Whether elements have as many bits on both sides: a value map may change them, and then they are moved and not compared.
    pub(super) fn is_comparable(&self) -> bool {
        self.one.bits == self.other.bits
    }

    pub(super) fn target(&self) -> usize {
        self.other.tensor
    }

    /// Whether the values mean the same.
    pub(super) fn is_one_kind(&self) -> bool {
        let is_open = |kind: &String| OPAQUE.contains(&kind.as_str());
        self.one.kind == self.other.kind || is_open(&self.one.kind) || is_open(&self.other.kind)
    }

    fn differs(&self, element: usize) -> bool {
        let there = self.same.get(element).and_then(|own| self.other.places.get(*own));
        self.one.places.get(element) != there
    }

    /// A report against every element.
    pub(super) fn judge(&self, report: &Report) -> Outcome {
        let elements = self.one.places.len();
        let all = points(&self.one.shape);
        let differing = (0..elements).filter(|element| self.differs(*element)).count();
        let Some(said) = report.differing else {
            return Outcome::Undecided("the elements that differ are not counted".to_owned());
        };
        let counts = [Some(said), Some(report.elements)].map(|n| n.and_then(|n| usize::try_from(n).ok()));
        if counts != [Some(differing), Some(elements)] {
            return Outcome::Wrong(format!(
                "{said} of {} elements differ, but one by one {differing} of {elements}",
                report.elements
            ));
        }
        let by = |key: &dyn Fn(&Vec<i64>) -> Vec<i64>| {
            let found =
                all.iter().zip(0..).filter(|(_, element)| self.differs(*element)).min_by_key(|(point, _)| key(point));
            found.map(|(point, element)| {
                let there = self.same.get(element).and_then(|own| self.other.places.get(*own)).cloned();
                (point.clone(), [self.one.places.get(element).cloned().unwrap_or_default(), there.unwrap_or_default()])
            })
        };
        let rows = by(&Vec::clone);
        let columns = by(&|point| point.iter().rev().copied().collect());
        for (name, said, wanted) in
            [("the last", &report.first, rows), ("the first", &report.first_column_major, columns)]
        {
            let said = said.as_ref().map(|found| (found.element.clone(), found.places.clone()));
            if said != wanted {
                return Outcome::Wrong(format!(
                    "with {name} axis the fastest {said:?} differs first, but one by one {wanted:?}"
                ));
            }
        }
        // What says nothing of its values contradicts no kind.
        let is_silent = |kind: &str| matches!(kind, "value" | "bytes" | "scale");
        let (one, other) = (&self.one.kind, &self.other.kind);
        if report.same_kind != (one == other || is_silent(one) || is_silent(other)) {
            return Outcome::Wrong(format!(
                "the kinds {} and {} are said to be the same or not",
                self.one.kind, self.other.kind
            ));
        }
        match &report.verdict {
            Verdict::Different if differing == 0 => {
                Outcome::Wrong("different, but no element lies elsewhere".to_owned())
            }
            Verdict::Same | Verdict::SamePlaces(_) if differing > 0 => {
                Outcome::Wrong(format!("{}, but {differing} elements lie elsewhere", report.verdict))
            }
            Verdict::Same => self.maps(&[]),
            Verdict::SamePlaces(steps) => self.maps(steps),
            _ => Outcome::Right,
        }
    }

    /// Whether steps make the bits of the second of those of the first, for every value.
    fn maps(&self, steps: &[Stored]) -> Outcome {
        for value in 0..1_i64 << self.one.bits.min(12) {
            let through = steps.iter().try_fold(value, |value, step| step.apply(value, self.one.bits).ok());
            let wanted = self.mapped(value);
            // A step that is undone and done again may refuse fewer values.
            if wanted.is_some() && through != wanted {
                return Outcome::Wrong(format!("{value} is mapped to {through:?}, and must be {wanted:?}"));
            }
        }
        Outcome::Right
    }

    /// The bits that the second stores of what the first stores as these.
    fn mapped(&self, stored: i64) -> Option<i64> {
        // What both do first is neither undone nor done again.
        let shared = self.one.stored.iter().zip(&self.other.stored).take_while(|(one, other)| one == other).count();
        let undone = self.one.stored.iter().skip(shared).rev().map(|step| step.inverse());
        let steps = undone.chain(self.other.stored.iter().skip(shared).copied());
        let through = steps.into_iter().try_fold((stored, self.one.bits), |(value, bits), step| {
            step.apply(value, bits).ok().map(|value| (value, step.stored_bits(bits)))
        });
        through.filter(|(_, bits)| *bits == self.other.bits).map(|(value, _)| value)
    }

    /// The bytes of the target, or why there are none.
    pub(super) fn repacked(&self, sources: &[Vec<u8>]) -> Result<Vec<u8>, String> {
        let mapped = self.one.stored.iter().rev().map(|step| step.inverse()).chain(self.other.stored.iter().copied());
        if mapped.fold(self.one.bits, |bits, step| step.stored_bits(bits)) != self.other.bits {
            return Err("elements have other bits".to_owned());
        }
        let source = sources.get(self.one.tensor).ok_or("there is no such tensor")?;
        let mut target = self.other.empty.clone();
        let mut written: BTreeSet<i64> = BTreeSet::new();
        for (element, there) in self.same.iter().enumerate() {
            let bits = self.one.value(element, source).ok_or("an element lies beyond the source")?;
            let value = self
                .mapped(bits)
                .ok_or_else(|| format!("element {element} holds {bits}, which is not stored there"))?;
            for (place, at) in self.other.places.get(*there).into_iter().flatten().zip(0..) {
                let bit = u8::try_from(value >> at & 1).map_err(|_| "a bit")?;
                if !written.insert(*place) {
                    return Err(format!("two values are written to bit {place}"));
                }
                let byte = usize::try_from(place / 8).ok().and_then(|at| target.get_mut(at));
                let byte = byte.ok_or("an element lies beyond the target")?;
                *byte = *byte & !(1 << (place % 8)) | bit << (place % 8);
            }
        }
        Ok(target)
    }
}
