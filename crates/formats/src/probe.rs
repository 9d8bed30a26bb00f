//! [`Probe`]: what a packer does to bits, found by running it on numbered tensors.
//!
//! Every bit of a tensor has a number from 1 on. Input `t` holds, at each bit, digit `t` of its number in base 2; so the
//! outputs, against that of all zeros, spell the number of the bit that lies at each place. About log2(elements x bits) + 2
//! runs are enough, and one on random bits verifies what was read.
//!
//! Law: the layout that is found gives the packer's output on the random tensor, bit by bit, or none is found.

use std::collections::BTreeSet;
use std::fmt;

use bitstride::cast::length;
use bitstride::map::Table;
use bitstride::{Code, Error, error};
use bitstride_lang::fitted;

use crate::definition::{AxisText, Definition, StatementKind};
use crate::expression::Argument;
use crate::format::{Field, Format};
use crate::points::Points;
use crate::spec::Spec;
use crate::stored::Stored;
use crate::zoo::Zoo;

/// The most bits that are numbered.
const MAX_BITS: i64 = 1 << 24;

/// A tensor whose bits are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    shape: Vec<i64>,
    bits: i64,
    elements: i64,
}

/// A tensor for the packer: its name, and its elements with the last axis fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// `zero`, `digit00`, …, `random`.
    pub name: String,
    /// The codes.
    pub codes: Vec<u64>,
}

/// What a packer does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The place of each bit of each element, the bits of an element together, the last axis fastest.
    pub places: Vec<i64>,
    /// What the packer xors into each code, where that is one constant.
    pub xor: Option<u64>,
    /// The bits of the output.
    pub output_bits: i64,
    probe: Probe,
}

/// A format, and what is xored into its codes to get those of the packer: 0 for one that the packer writes.
pub type Alike = (String, u64);

/// A layout that a probe finds, of all elements or of some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Laid {
    /// The bits and coordinates that it is of, where these are not all.
    pub over: Vec<String>,
    /// The layout.
    pub layout: String,
    /// What it is given, where that is not the coordinates in order.
    pub index: Option<String>,
    /// The bits of the unit in which it counts places.
    pub unit_bits: i64,
}

impl fmt::Display for Laid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.over.is_empty() {
            write!(f, "{}: ", self.over.join(", "))?;
        }
        f.write_str(&self.layout)?;
        self.index.iter().try_for_each(|index| write!(f, " of ({index})"))?;
        if self.unit_bits == 1 { f.write_str(" in bits") } else { write!(f, " in units of {} bits", self.unit_bits) }
    }
}

impl Probe {
    /// A probe of a tensor of codes of a given number of bits.
    ///
    /// # Errors
    /// [`Code::Range`] for codes of less than 1 or more than 32 bits or a shape without elements; [`Code::TooLarge`] for more
    /// than sixteen million bits.
    pub fn new(shape: &[i64], bits: i64) -> Result<Self, Error> {
        let elements = shape.iter().try_fold(1i64, |size, extent| size.checked_mul(*extent).filter(|_| *extent > 0));
        let all = elements.and_then(|elements| elements.checked_mul(bits)).filter(|_| (1..=32).contains(&bits));
        match (elements, all) {
            (Some(elements), Some(all)) if all <= MAX_BITS => Ok(Probe { shape: shape.to_vec(), bits, elements }),
            (Some(_), Some(all)) => Err(error!(
                Code::TooLarge,
                "{all} bits are more than the {max_bits} that are numbered",
                [all, max_bits = MAX_BITS]
            )
            .with_help("a smaller shape shows the same layout")),
            _ => Err(error!(Code::Range, "a tensor {shape:?} of {bits} bits cannot be probed", [shape, bits])),
        }
    }

    /// The extents of the tensors.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The bits of a code.
    pub fn bits(&self) -> i64 {
        self.bits
    }

    /// How many digits a number has.
    fn digits(&self) -> u32 {
        i64::BITS - (self.elements * self.bits).leading_zeros()
    }

    /// The tensors to run the packer on, in order.
    pub fn inputs(&self) -> Vec<Input> {
        let made = |name: String, bit: &mut dyn FnMut(i64) -> bool| {
            let code = |element: i64, bit: &mut dyn FnMut(i64) -> bool| {
                (0..self.bits).fold(0, |code, at| code | u64::from(bit(element * self.bits + at)) << at)
            };
            let codes = (0..self.elements).map(|element| code(element, bit)).collect();
            Input { name, codes }
        };
        let mut all = vec![made("zero".to_owned(), &mut |_| false)];
        for digit in 0..self.digits() {
            all.push(made(format!("digit{digit:02}"), &mut |number| (number + 1) >> digit & 1 == 1));
        }
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        all.push(made("random".to_owned(), &mut |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 63 == 1
        }));
        all
    }

    /// Reads what the packer made of the tensors, in the same order.
    ///
    /// # Errors
    /// [`Code::Arity`] for another number of outputs, [`Code::Range`] where they are not equally long; [`Code::NotALayout`] for a
    /// packer that is no permutation of bits, with a bit that shows it.
    ///
    /// ```
    /// use bitstride_formats::Probe;
    /// let probe = Probe::new(&[2, 4], 4)?;
    /// // Two codes a byte, the first in the high bits, each xor 8.
    /// let pack = |codes: &[u64]| -> Vec<u8> {
    ///     codes.chunks(2).map(|pair| ((pair[0] ^ 8) << 4 | pair[1] ^ 8) as u8).collect()
    /// };
    /// let outputs: Vec<Vec<u8>> = probe.inputs().iter().map(|input| pack(&input.codes)).collect();
    /// let found = probe.read(&outputs)?;
    /// assert_eq!((found.xor, found.layouts()?[0].to_string()), (Some(8), "(2,(2,2)):(4,(-1,2)) + 1 in units of 4 bits".to_owned()));
    /// # Ok::<(), bitstride::Error>(())
    /// ```
    pub fn read(&self, outputs: &[Vec<u8>]) -> Result<Found, Error> {
        let inputs = self.inputs();
        let (Some((zero, rest)), true) = (outputs.split_first(), outputs.len() == inputs.len()) else {
            return Err(error!(
                Code::Arity,
                "{outputs_count} outputs for {inputs_count} tensors",
                [outputs_count = outputs.len(), inputs_count = inputs.len()]
            ));
        };
        if let Some((at, other)) = outputs.iter().enumerate().find(|(_, other)| other.len() != zero.len()) {
            let name = inputs.get(at).map_or("", |input| &input.name);
            return Err(error!(
                Code::Range,
                "the output of {name} has {other_count} bytes, that of zero {zero_count}",
                [name, other_count = other.len(), zero_count = zero.len()]
            ));
        }
        let (random, digits) = rest.split_last().ok_or_else(|| Error::new(Code::Arity, "there are no outputs"))?;
        let all = self.elements * self.bits;
        let output_bits = length(zero.len()).checked_mul(8).ok_or_else(|| Error::overflow("the bits of an output"))?;
        let bit = |bytes: &[u8], place: i64| {
            usize::try_from(place / 8).ok().and_then(|at| bytes.get(at)).map_or(0, |byte| byte >> (place % 8) & 1)
        };
        let mut places = vec![None; usize::try_from(all).unwrap_or(0)];
        for place in 0..output_bits {
            let base = bit(zero, place);
            let number = digits
                .iter()
                .enumerate()
                .fold(0i64, |number, (at, bytes)| number | i64::from(bit(bytes, place) ^ base) << at);
            if number == 0 {
                continue;
            }
            let slot = usize::try_from(number - 1).ok().and_then(|at| places.get_mut(at));
            match slot {
                Some(slot @ None) => *slot = Some(place),
                Some(Some(first)) => {
                    let message = format!(
                        "{} is written twice, to bits {first} and {place} of the output",
                        self.named(number - 1)
                    );
                    return Err(no_permutation(message));
                }
                None => {
                    let message =
                        format!("bit {place} of the output spells the number {number}, and the tensor has {all} bits");
                    return Err(no_permutation(message));
                }
            }
        }
        if let Some(lost) = places.iter().position(Option::is_none) {
            return Err(no_permutation(format!("{} is not written", self.named(length(lost)))));
        }
        let places: Vec<i64> = places.into_iter().flatten().collect();
        let expected = inputs.last().map(|input| input.codes.clone()).unwrap_or_default();
        for (number, place) in places.iter().enumerate() {
            let number = length(number);
            let code = usize::try_from(number / self.bits).ok().and_then(|at| expected.get(at)).copied().unwrap_or(0);
            let wanted = u8::try_from(code >> (number % self.bits) & 1).unwrap_or(0) ^ bit(zero, *place);
            if bit(random, *place) != wanted {
                let message = format!("on random codes, bit {place} of the output is not {}", self.named(number));
                return Err(no_permutation(message));
            }
        }
        let held: BTreeSet<i64> = places.iter().copied().collect();
        for place in 0..output_bits {
            if bit(random, place) != bit(zero, place) && !held.contains(&place) {
                return Err(no_permutation(format!("bit {place} of the output depends on several bits")));
            }
        }
        let xored = |element: i64| {
            (0..self.bits).fold(0u64, |code, at| {
                let place = usize::try_from(element * self.bits + at).ok().and_then(|at| places.get(at)).copied();
                code | u64::from(bit(zero, place.unwrap_or(0))) << at
            })
        };
        let first = xored(0);
        let xor = (1..self.elements).all(|element| xored(element) == first).then_some(first);
        Ok(Found { places, xor, output_bits, probe: self.clone() })
    }

    /// A bit of the tensor in words.
    fn named(&self, number: i64) -> String {
        let mut rest = number / self.bits;
        let mut point: Vec<String> = self
            .shape
            .iter()
            .rev()
            .map(|extent| {
                let x = rest % extent;
                rest /= extent;
                x.to_string()
            })
            .collect();
        point.reverse();
        format!("bit {} of element ({})", number % self.bits, point.join(","))
    }
}

fn no_permutation(message: String) -> Error {
    Error::new(Code::NotALayout, message).with_help("the packer is no permutation of bits: it computes with values")
}

impl Found {
    /// The place of a bit of the element of a number.
    fn place(&self, element: i64, bit: i64) -> i64 {
        let at = usize::try_from(element * self.probe.bits + bit).ok();
        at.and_then(|at| self.places.get(at)).copied().unwrap_or(-1)
    }

    /// Runs of bits that lie side by side in every element, as the first and the number of them.
    fn planes(&self) -> Vec<(i64, i64)> {
        let mut planes: Vec<(i64, i64)> = Vec::new();
        for bit in 0..self.probe.bits {
            let follows = |first: i64| {
                (0..self.probe.elements)
                    .all(|element| self.place(element, bit) == self.place(element, first) + bit - first)
            };
            match planes.last_mut() {
                Some((first, count)) if follows(*first) => *count += 1,
                _ => planes.push((bit, 1)),
            }
        }
        planes
    }

    /// The layout as text: one line where the bits of each element lie side by side, or where bits run on along an axis; else
    /// one for each bit plane. A plane that is no layout is cut in two along an axis, behind its last whole block of a power
    /// of two.
    ///
    /// # Errors
    /// [`Code::NotALayout`] where it is none of these.
    pub fn layouts(&self) -> Result<Vec<Laid>, Error> {
        let mut lines = Vec::new();
        for plane in self.planes() {
            match self.plane(plane) {
                Err(error) if error.code() == Code::NotALayout => {
                    return self.run_on()?.map(|line| vec![line]).ok_or(error);
                }
                own => lines.extend(own?),
            }
        }
        Ok(lines)
    }

    /// The layout of some bits that lie side by side, in one piece or in two.
    fn plane(&self, plane: (i64, i64)) -> Result<Vec<Laid>, Error> {
        let whole = self.piece(plane, None);
        if !whole.as_ref().is_err_and(|error| error.code() == Code::NotALayout) {
            return whole.map(|line| vec![line]);
        }
        for (axis, extent) in self.probe.shape.iter().enumerate() {
            let blocks = (0..i64::BITS - extent.leading_zeros()).rev().map(|power| 1i64 << power);
            for end in blocks.filter(|block| extent % block != 0).map(|block| extent / block * block) {
                let parts = [(axis, 0, end), (axis, end, *extent)];
                if let [Ok(first), Ok(second)] = parts.map(|part| self.piece(plane, Some(part))) {
                    return Ok(vec![first, second]);
                }
            }
        }
        whole.map(|line| vec![line])
    }

    /// The layout of some bits of the elements between two coordinates on an axis, or of all.
    fn piece(&self, (first, count): (i64, i64), part: Option<(usize, i64, i64)>) -> Result<Laid, Error> {
        let mut shape = self.probe.shape.clone();
        let mut over = if count == self.probe.bits { vec![] } else { vec![format!("bits {first}..{}", first + count)] };
        let mut index = None;
        // The elements whose coordinate on an axis, of a step and an extent, is in a range.
        let (mut step, mut extent, mut range) = (1, 1, 0..1);
        if let Some((axis, start, end)) = part {
            // The last axis is the fastest.
            step = shape.iter().skip(axis + 1).product();
            extent = shape.get(axis).copied().unwrap_or(1);
            range = start..end;
            shape.iter_mut().skip(axis).take(1).for_each(|own| *own = end - start);
            over.push(format!("dim{axis} {start}..{end}"));
            if start > 0 {
                let dims = (0..shape.len())
                    .map(|at| if at == axis { format!("dim{at} - {start}") } else { format!("dim{at}") });
                index = Some(dims.collect::<Vec<_>>().join(", "));
            }
        }
        let elements = (0..self.probe.elements).filter(|element| range.contains(&(element / step % extent)));
        let offsets: Vec<i64> = elements.map(|element| self.place(element, first)).collect();
        let unit = if offsets.iter().all(|offset| offset % count == 0) { count } else { 1 };
        let offsets = offsets.into_iter().map(|offset| offset / unit).collect();
        let fit = Table::row_major(&shape, offsets)?.fit()?;
        let value = fitted(&fit).map_err(|error| error.about(format!("bit {first}")))?.value;
        Ok(Laid { over, layout: value.to_string(), index, unit_bits: unit })
    }

    /// The layout of an axis joined with the bits, the least or the most significant first.
    fn run_on(&self) -> Result<Option<Laid>, Error> {
        let (rank, bits) = (self.probe.shape.len(), self.probe.bits);
        let shape: Vec<i64> = self.probe.shape.iter().copied().chain([bits]).collect();
        for is_reversed in [false, true] {
            let place = |number: i64| {
                let (element, bit) = (number / bits, number % bits);
                self.place(element, if is_reversed { bits - 1 - bit } else { bit })
            };
            let table = Table::row_major(&shape, (0..self.probe.elements * bits).map(place).collect())?;
            for axis in 0..rank {
                if let Ok(answer) = fitted(&table.joined(axis, rank)?.fit()?) {
                    let bit = if is_reversed { format!("{} - bit", bits - 1) } else { "bit".to_owned() };
                    let index = (0..rank)
                        .map(|at| if at == axis { format!("{bits}*dim{at} + {bit}") } else { format!("dim{at}") });
                    let index = Some(index.collect::<Vec<_>>().join(", "));
                    let layout = answer.value.to_string();
                    return Ok(Some(Laid { over: Vec::new(), layout, index, unit_bits: 1 }));
                }
            }
        }
        Ok(None)
    }

    /// The layouts and the formats of a zoo. There are no layouts where only formats have as many pieces as the packer.
    ///
    /// # Errors
    /// As [`Found::layouts`], where no format is found either.
    pub fn answer(&self, zoo: &Zoo) -> Result<(Vec<Laid>, Vec<Alike>), Error> {
        let names = self.names(zoo);
        match self.layouts() {
            Err(error) if error.code() == Code::NotALayout && !names.is_empty() => Ok((Vec::new(), names)),
            layouts => Ok((layouts?, names)),
        }
    }

    /// The formats of a zoo whose first field lies so, with their parameters; those that the packer writes come first.
    pub fn names(&self, zoo: &Zoo) -> Vec<Alike> {
        let Some(xor) = self.xor else { return Vec::new() };
        let mut found: Vec<Alike> = Vec::new();
        for definition in zoo.definitions() {
            for spec in candidates(definition, &self.probe) {
                let Ok(format) = Format::new(definition, &spec) else { continue };
                let Some(field) = format.fields.first() else { continue };
                let Some(own) = field.stored.iter().try_fold(0, xored) else { continue };
                if self.is(field) && !found.iter().any(|(name, _)| *name == format.name) {
                    found.push((format.name, own ^ xor));
                    break;
                }
            }
        }
        found.sort_by_key(|(_, xor)| *xor);
        found
    }

    /// Whether a field lies where the packer puts it, over the axes in this or the opposite order.
    fn is(&self, field: &Field) -> bool {
        let Ok(shape) = field.places.shape() else { return false };
        let reversed: Vec<i64> = shape.iter().rev().copied().collect();
        let orders = [(shape == self.probe.shape, false), (reversed == self.probe.shape, true)];
        field.places.element_bits() == self.probe.bits
            && orders.into_iter().filter(|(fits, _)| *fits).any(|(_, is_reversed)| {
                Points::new(&self.probe.shape, true).zip(0..).all(|(mut point, element)| {
                    if is_reversed {
                        point.reverse();
                    }
                    (0..self.probe.bits).all(|bit| field.places.at(&point, bit) == Ok(self.place(element, bit)))
                })
            })
    }
}

/// A constant that is xored, after another; none for a step that computes.
fn xored(before: u64, step: &Stored) -> Option<u64> {
    match step {
        Stored::Xor(constant) => Some(before ^ constant.cast_unsigned()),
        _ => None,
    }
}

/// The names of a format that may have the shape and bits of a probe: parameters have the values that their format lists, or
/// those in use.
fn candidates(definition: &Definition, probe: &Probe) -> Vec<Spec> {
    const IN_USE: [(&str, &[&str]); 9] = [
        ("tile", &["128", "64"]),
        ("rows", &["4", "8", "16"]),
        ("interleave", &["1", "4", "8"]),
        ("act", &["16", "8"]),
        ("dim", &["1", "0"]),
        ("mma", &["3", "2"]),
        ("warps", &["8", "4"]),
        ("group", &["128", "64", "32"]),
        ("block", &[]),
    ];
    let axes = definition.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Field { axes, .. } => Some(axes),
        _ => None,
    });
    let names: Option<Vec<&str>> = axes
        .into_iter()
        .flatten()
        .map(|axis| match axis {
            AxisText::Named(name, _) => Some(name.as_str()),
            AxisText::Each(_) => None,
        })
        .collect();
    let Some(names) = names.filter(|names| names.len() == probe.shape.len()) else { return Vec::new() };
    let has = |name: &str| definition.parameters.iter().any(|own| own.name == name);
    let mut specs = Vec::new();
    for is_reversed in [false, true] {
        let mut shape = probe.shape.clone();
        if is_reversed {
            shape.reverse();
        }
        let start = Spec { name: definition.name.clone(), parameters: Vec::new() };
        let named = names.iter().zip(&shape).filter(|(name, _)| has(name));
        let start = named.fold(start, |spec, (name, extent)| spec.with(name, Argument::Number(*extent)));
        let start = if has("bits") { start.with("bits", Argument::Number(probe.bits)) } else { start };
        let mut all = vec![start];
        for parameter in &definition.parameters {
            let in_use = IN_USE.iter().find(|(name, _)| *name == parameter.name).map_or(&[][..], |(_, values)| values);
            let values: Vec<&str> = match &parameter.values {
                Some((words, _)) => words.iter().map(String::as_str).collect(),
                None => in_use.to_vec(),
            };
            if !values.is_empty() {
                let with = |spec: &Spec| {
                    let each =
                        values.iter().map(|value| spec.clone().with(&parameter.name, crate::spec::argument(value)));
                    each.collect::<Vec<_>>()
                };
                all = all.iter().flat_map(with).collect();
            }
        }
        specs.extend(all);
    }
    specs
}
