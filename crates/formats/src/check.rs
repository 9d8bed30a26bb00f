//! Whether a reader that expects one stored layout finds what a writer of another stored.
//!
//! Law: elements differ exactly where some bit of them lies elsewhere; the first one is the first in the order of elements.

use std::fmt;

use bitstride::map::{Comparison, Differences};
use bitstride::{Code, Error, error};

use crate::format::{Field, Format};
use crate::places::Places;
use crate::points::Points;
use crate::stored::Stored;

/// The most elements that are counted one by one.
const MAX_VISITED: i64 = 1 << 20;

/// The most elements that are searched for the first that lies elsewhere where some does.
const MAX_SEARCHED: i64 = 1 << 14;

/// The answer for a field of two formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same bytes.
    Same,
    /// The same places, but a value is stored as other bits: what has to be done to the producer's bits, in order.
    SamePlaces(Vec<Stored>),
    /// Some elements lie elsewhere.
    Different,
}

impl Verdict {
    /// Whether the reader finds what was stored.
    pub fn holds(&self) -> bool {
        *self == Verdict::Same
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Same => f.write_str("same bytes"),
            Verdict::Different => f.write_str("different"),
            Verdict::SamePlaces(steps) => write!(f, "same places, {}", in_words(steps)),
        }
    }
}

/// What has to be done to the bits of the producer.
fn in_words(steps: &[Stored]) -> String {
    let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
    format!("codes mapped by {}", steps.join(", then "))
}

/// An element that lies elsewhere, and where the writer and the reader have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The coordinates, in the order of the given axes.
    pub element: Vec<i64>,
    /// For the producer and the consumer, the bit of memory of each bit of the element, the least significant first.
    pub places: [Vec<i64>; 2],
}

impl Elsewhere {
    /// The first bit of memory of each, where the bits of the element lie side by side in both.
    pub fn contiguous(&self) -> Option<[i64; 2]> {
        let first = |side: &[i64]| {
            let first = *side.first()?;
            side.iter().zip(first..).all(|(place, wanted)| *place == wanted).then_some(first)
        };
        Some([first(&self.places[0])?, first(&self.places[1])?])
    }
}

impl fmt::Display for Elsewhere {
    /// `(0,1): bit 32 in one, bit 16 in the other`, or the bits of each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |numbers: &[i64]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let side = |side: &[i64], at: Option<i64>| match at {
            Some(bit) => format!("byte {} bit {}", bit.div_euclid(8), bit.rem_euclid(8)),
            None => format!("bits {}", list(side)),
        };
        let first = self.contiguous();
        let [producer, consumer] = &self.places;
        let (written, read) = (side(producer, first.map(|both| both[0])), side(consumer, first.map(|both| both[1])));
        write!(f, "element ({}) is written at {written} and read at {read}", list(&self.element))
    }
}

/// What a check of two fields finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// How many elements there are.
    pub elements: i64,
    /// How many lie elsewhere; none where these are too many elements to be counted.
    pub differing: Option<i64>,
    /// The first of them, with the last axis fastest.
    pub first: Option<Elsewhere>,
    /// The first of them, with the first axis fastest.
    pub first_column_major: Option<Elsewhere>,
    /// Whether the values are of one kind; `uint` and `e2m1` may have the same places and another meaning.
    pub same_kind: bool,
}

/// Whether a reader of the second field finds what a writer of the first stored.
///
/// # Errors
/// [`Code::RankMismatch`] and [`Code::Range`] for fields of other tensors; [`Code::Kind`] where an element has another
/// number of bits; [`Code::Undecided`] where neither maps nor visits decide it.
///
/// ```
/// use bitstride_formats::{Zoo, check};
/// let zoo = Zoo::builtin();
/// let (gptq, awq) = (zoo.format("gptq:k=64,n=32")?, zoo.format("awq:gemm,k=64,n=32")?);
/// let report = check::fields(gptq.field("codes")?, awq.field("codes")?)?;
/// let first = report.first.ok_or(bitstride::Error::overflow(""))?;
/// assert_eq!((report.differing, first.contiguous(), first.element), (Some(2032), Some([32, 16]), vec![0, 1]));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn fields(producer: &Field, consumer: &Field) -> Result<Report, Error> {
    let own: Vec<usize> = (0..producer.places.axes().len()).collect();
    compared(producer, consumer, &own)
}

/// The same with the elements in the order of these axes, which both fields have.
///
/// # Errors
/// As [`fields`]; [`Code::UnknownName`] for an axis that the producer does not have.
pub fn fields_over(axes: &[&str], producer: &Field, consumer: &Field) -> Result<Report, Error> {
    let own = axes.iter().map(|name| producer.places.axes().iter().position(|axis| axis.name == *name));
    let own = own.collect::<Option<Vec<usize>>>().filter(|own| own.len() == producer.places.axes().len());
    let own = own.ok_or_else(|| {
        error!(
            Code::UnknownName,
            "{name} does not have the axes {axes}",
            [name = producer.name, axes = axes.join(", ")]
        )
    })?;
    compared(producer, consumer, &own)
}

/// Compares two fields over the axes of the first in an order.
fn compared(producer: &Field, consumer: &Field, own: &[usize]) -> Result<Report, Error> {
    let [from, to] = [&producer.places, &consumer.places];
    let order = composed(&aligned(from, to)?, own);
    let steps = steps(producer, consumer);
    if from.bits != to.bits {
        let widths = format!("elements have {} bits in the one format and {} bits in the other", from.bits, to.bits);
        let is_mapped = steps.iter().fold(from.bits, |bits, step| step.stored_bits(bits)) == to.bits;
        let message = if is_mapped { format!("{widths}: {}", in_words(&steps)) } else { widths };
        return Err(Error::new(Code::Kind, message));
    }
    let elements = from.elements()?;
    let same_kind = is_same_kind(&producer.kind, &consumer.kind);
    let maps = (from.whole_elements(own)?, to.whole_elements(&order)?);
    let (differing, first, first_column_major) = if let (Some(left), Some(right)) = &maps {
        let found = left.differences(right)?;
        let column_major = whole(&found, from.bits);
        let mut first = None;
        if column_major.is_some() {
            let back = |order: &[usize]| order.iter().rev().copied().collect::<Vec<_>>();
            let reversed = (from.whole_elements(&back(own))?, to.whole_elements(&back(&order))?);
            let (Some(left), Some(right)) = &reversed else { return Err(Error::overflow("an order of axes")) };
            first = whole(&left.differences(right)?, from.bits);
            first.iter_mut().for_each(|found| found.element.reverse());
        }
        (Some(found.differing), first, column_major)
    } else if elements <= MAX_VISITED {
        visited([from, to], [own, &order], MAX_VISITED)?
    } else {
        // Where some element lies elsewhere, it is mostly among the first.
        let found = visited([from, to], [own, &order], MAX_SEARCHED)?;
        if found.1.is_none() && same_bits(from, to, &aligned(from, to)?)? { (Some(0), None, None) } else { found }
    };
    let verdict = match (differing, steps.is_empty()) {
        (Some(0), true) => Verdict::Same,
        (Some(0), false) => Verdict::SamePlaces(steps),
        _ => Verdict::Different,
    };
    Ok(Report { verdict, elements, differing, first, first_column_major, same_kind })
}

/// What a check finds of one field of two formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The field.
    pub field: String,
    /// The tensors as each format declares them; none where a format has no such field.
    pub tensors: [Option<String>; 2],
    /// The answer, or why there is none.
    pub report: Result<Report, Error>,
}

impl Finding {
    /// Whether a check of types and extents would pass.
    pub fn passes_shape_checks(&self) -> bool {
        self.tensors[0].is_some() && self.tensors[0] == self.tensors[1]
    }

    /// Whether the reader finds what was stored, and reads it as what it is.
    pub fn holds(&self) -> bool {
        self.report.as_ref().is_ok_and(|report| report.verdict.holds() && report.same_kind)
    }
}

/// Checks every field that one of two formats has; the fields of the producer come first.
///
/// ```
/// use bitstride_formats::{Zoo, check};
/// let zoo = Zoo::builtin();
/// let findings = check::formats(&zoo.format("gptq:v1,k=64,n=32")?, &zoo.format("gptq:v2,k=64,n=32")?);
/// let wrong: Vec<&str> = findings.iter().filter(|one| !one.holds()).map(|one| one.field.as_str()).collect();
/// assert_eq!(wrong, ["zeros"]);
/// assert!(findings.iter().all(check::Finding::passes_shape_checks));
/// # Ok::<(), bitstride::Error>(())
/// ```
pub fn formats(producer: &Format, consumer: &Format) -> Vec<Finding> {
    let mut names: Vec<&str> = Vec::new();
    for format in [producer, consumer] {
        let own = format.fields.iter().map(|field| field.name.as_str()).chain(format.open.iter().map(|open| &*open.0));
        own.for_each(|name| {
            if !names.contains(&name) {
                names.push(name)
            }
        });
    }
    let finding = |name: &str| {
        let declared =
            |format: &Format| format.field(name).ok().and_then(|field| Some(format.tensor_of(field)?.declared()));
        let report = producer.field(name).and_then(|one| fields(one, consumer.field(name)?));
        Finding { field: name.to_owned(), tensors: [declared(producer), declared(consumer)], report }
    };
    names.into_iter().map(finding).collect()
}

/// Kinds that say nothing of the values but their bits.
const OPAQUE: [&str; 3] = ["value", "bytes", "scale"];

/// Whether a value of one kind may be read as one of another; a kind that says nothing of its values may be any.
pub(crate) fn is_same_kind(one: &str, other: &str) -> bool {
    one == other || OPAQUE.contains(&one) || OPAQUE.contains(&other)
}

/// For each axis of the first field, the axis of the second that it is: by names, or by place where these are others.
pub(crate) fn aligned(from: &Places, to: &Places) -> Result<Vec<usize>, Error> {
    let (one, other) = (from.axes(), to.axes());
    let names = |axes: &[crate::FieldAxis]| axes.iter().map(|axis| axis.name.clone()).collect::<Vec<_>>().join(", ");
    if one.len() != other.len() {
        return Err(error!(
            Code::RankMismatch,
            "({names}) and ({names_other}) are not as many axes",
            [names = names(one), names_other = names(other)]
        ));
    }
    let by_name = one.iter().map(|axis| other.iter().position(|own| own.name == axis.name)).collect::<Option<Vec<_>>>();
    let order = by_name.unwrap_or_else(|| (0..one.len()).collect());
    let (mine, theirs) = (from.shape()?, to.shape()?);
    for (axis, (extent, at)) in one.iter().zip(mine.iter().zip(&order)) {
        let other = theirs.get(*at).copied().unwrap_or(0);
        if *extent != other {
            return Err(error!(
                Code::Range,
                "{name} has {extent} elements in the one format and {other} in the other",
                [name = axis.name, extent, other]
            )
            .with_help("both formats need the shape of one tensor"));
        }
    }
    Ok(order)
}

fn composed(order: &[usize], then: &[usize]) -> Vec<usize> {
    then.iter().filter_map(|at| order.get(*at).copied()).collect()
}

/// The first point that differs, of elements whose bits lie side by side.
fn whole(found: &Differences, bits: i64) -> Option<Elsewhere> {
    let first = found.first.first()?;
    let places = |side: usize| {
        let place = first.places.get(side)?.as_ref()?.first().copied()?;
        Some((0..bits).map(|bit| place.saturating_add(bit)).collect())
    };
    Some(Elsewhere { element: first.point.clone(), places: [places(0)?, places(1)?] })
}

/// Whether all bits lie alike, decided piece by piece on their maps, at any size.
fn same_bits(from: &Places, to: &Places, order: &[usize]) -> Result<bool, Error> {
    let Some(boxes) = from.boxes(to, order)? else {
        let message =
            "the formats cut an axis in ways that have no common digits, and the tensor is too large to be visited";
        return Err(Error::new(Code::Undecided, message).with_help("a smaller shape with the same periods decides it"));
    };
    for [left, right] in &boxes {
        if matches!(left.compare(right)?, Comparison::Differ { .. }) {
            return Ok(false);
        }
    }
    Ok(true)
}

type Found = (Option<i64>, Option<Elsewhere>, Option<Elsewhere>);

/// Every element up to a number, bit by bit.
fn visited(sides: [&Places; 2], orders: [&[usize]; 2], most: i64) -> Result<Found, Error> {
    let own = sides[0].shape()?;
    let shape: Vec<i64> = orders[0].iter().filter_map(|at| own.get(*at).copied()).collect();
    let mut points = [vec![0; shape.len()], vec![0; shape.len()]];
    let mut elsewhere = |element: &[i64]| -> Result<Option<Elsewhere>, Error> {
        for (point, order) in points.iter_mut().zip(orders) {
            for (x, at) in element.iter().zip(order) {
                if let Some(own) = point.get_mut(*at) {
                    *own = *x;
                }
            }
        }
        let all =
            |side: &Places, point: &[i64]| (0..side.bits).map(|bit| side.at(point, bit)).collect::<Result<_, _>>();
        let places: [Vec<i64>; 2] = [all(sides[0], &points[0])?, all(sides[1], &points[1])?];
        Ok((places[0] != places[1]).then(|| Elsewhere { element: element.to_vec(), places }))
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let (mut differing, mut first) = (0, None);
    let mut points = Points::new(&shape, true);
    for point in points.by_ref().take(most) {
        if let Some(found) = elsewhere(&point)? {
            differing += 1;
            first.get_or_insert(found);
        }
    }
    let is_whole = points.next().is_none();
    let mut column_major = None;
    for point in Points::new(&shape, false).take(most).take_while(|_| differing > 0) {
        column_major = elsewhere(&point)?;
        if column_major.is_some() {
            break;
        }
    }
    Ok((is_whole.then_some(differing), first, column_major))
}

/// What makes the bits that a field stores from those that another stores. Where one of them says nothing of its values but their bits,
/// a step that would change their number is left out.
pub(crate) fn steps(from: &Field, to: &Field) -> Vec<Stored> {
    let steps = mapped(&from.stored, &to.stored);
    let (bits, wanted) = (from.places.element_bits(), to.places.element_bits());
    let is_held = steps.iter().fold(bits, |bits, step| step.stored_bits(bits)) == wanted;
    if from.kind != to.kind && bits == wanted && !is_held { Vec::new() } else { steps }
}

/// What makes the bits of the second from those of the first: the first's steps undone, then the second's.
fn mapped(from: &[Stored], to: &[Stored]) -> Vec<Stored> {
    let shared = from.iter().zip(to).take_while(|(one, other)| one == other).count();
    let undone = from.iter().skip(shared).rev().map(|step| step.inverse());
    let mut steps: Vec<Stored> = Vec::new();
    for step in undone.chain(to.iter().skip(shared).copied()) {
        match (steps.last(), step) {
            (Some(Stored::Xor(before)), Stored::Xor(constant)) => {
                let both = before ^ constant;
                steps.pop();
                steps.extend((both != 0).then_some(Stored::Xor(both)));
            }
            _ => steps.push(step),
        }
    }
    steps
}
