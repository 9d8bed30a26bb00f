//! `bitstride show` of linear layouts.

use bitstride::linear::{Dim, Name};
use bitstride::notation::{self, ExprKind};
use bitstride::{Code, Error, Integer, Stride};
use bitstride_draw::Picture;
use bitstride_draw::scene::{Banks, LinearSubject, LinearView, linear_picture, unswizzled};
use bitstride_lang::{Answer, Entry, Outermost, Value};
use serde_json::{Value as Json, json};

use super::cells::{self, Object};
use super::show::{Drawing, Wrong, evaluated};
use crate::args::{Ints, Show, Which};

/// The linear layouts that are to be shown, and how.
pub(super) struct Linear {
    answers: Vec<(Answer, LinearSubject, LinearView)>,
    by: Option<Name>,
}

impl Linear {
    pub(super) fn read(args: &Show, given: &[(String, Answer)], ints: Ints) -> Result<Self, Wrong> {
        let wrong = |message: &str| Err((String::new(), Error::new(Code::Kind, message)));
        if args.memory || args.codomain || args.two_line || args.tv.is_some() || args.mark.is_some() {
            return wrong("linear layouts are shown with --view tensor, hardware or bits, or --banks");
        }
        if args.slice.is_some() {
            return wrong("--slice shows a part of an array of XLA");
        }
        if !args.at.is_empty() && !args.banks {
            return wrong("--at marks elements of CuTe layouts, and names those that --banks counts");
        }
        let by = match args.by.as_slice() {
            [] => None,
            [only] => {
                let word = only.to_string_lossy();
                Some(Name::new(&word).map_err(|error| (word.into_owned(), error))?)
            }
            _ => return wrong("linear layouts are coloured by one dim"),
        };
        let at = match args.at.as_slice() {
            [] => None,
            [only] => {
                let (text, answer) = evaluated(only, ints)?;
                Some(coordinate(&answer.value).map_err(|error| (text, error))?)
            }
            _ => return wrong("--banks counts the elements of one coordinate"),
        };
        let mut answers = Vec::new();
        for (text, answer) in given {
            let layout = answer.value.as_linear().map_err(|error| (text.clone(), error))?;
            let view = match args.view {
                None if args.banks => {
                    let bits = args.element_bits.or_else(|| element_bits(text)).unwrap_or(32);
                    let usual = Banks::column(bits, layout.outs().len());
                    LinearView::Banks(match at.clone() {
                        Some(along) => Banks { along, ..usual },
                        None => usual,
                    })
                }
                None | Some(Which::Tensor) => LinearView::Tensor,
                Some(Which::Hardware) => LinearView::Hardware,
                Some(Which::Bits) => LinearView::Bits,
            };
            let mut subject = LinearSubject::new(text, &layout);
            if let Some(call) = Outermost::of(text, ints.reading()) {
                subject = subject.made_by(&call);
            }
            answers.push((answer.clone(), subject, view));
        }
        Ok(Linear { answers, by })
    }
}

impl Drawing for Linear {
    fn picture(&self, columns: Option<usize>) -> Result<Picture, Error> {
        let views = self.answers.iter().map(|(_, subject, view)| (subject.clone(), view.clone()));
        linear_picture(&views.collect::<Vec<_>>(), self.by, columns)
    }

    fn objects(&self) -> Box<dyn Iterator<Item = Object> + '_> {
        Box::new(self.answers.iter().map(|(answer, subject, view)| object(answer, subject, view)))
    }
}

/// `{"kind", "value", "dims", "shape", "cells"}`: the dims of the cells in order, their sizes, and nested arrays. A cell
/// of the tensor is the list of its places, each a number for each of `"in"`; a cell of the hardware is the element, a
/// number for each of `"out"`; a cell of the bits is 0 or 1; a cell of the banks is a number, and `"plain"` has those
/// before the swizzle.
fn object(answer: &Answer, subject: &LinearSubject, view: &LinearView) -> Object {
    let layout = subject.layout();
    let axes: Vec<Dim> = subject.axes().collect();
    let names = |dims: &[Dim]| -> Json { dims.iter().map(|dim| dim.name.as_str()).collect() };
    let sizes = |dims: &[Dim]| -> Json { dims.iter().map(Dim::size).collect() };
    let extents = |dims: &[Dim]| -> Vec<u64> { dims.iter().map(|dim| 1 << dim.bits).collect() };
    cells::object(answer, &answer.value.to_string(), |object| {
        match view {
            LinearView::Tensor => {
                object.insert("dims".into(), names(&axes));
                object.insert("shape".into(), sizes(&axes));
                object.insert("in".into(), names(layout.ins()));
                let places = subject.places();
                cells::check_listed_bits(layout.out_bits() + places.number().trailing_zeros())?;
                let owners = |at: &[u64]| {
                    let owners = places.of_element(subject.element(at));
                    Ok(owners.map(|place| Json::from(subject.values(place))).collect())
                };
                object.insert("cells".into(), cells::nested(&extents(&axes), &owners)?);
            }
            LinearView::Hardware => {
                object.insert("dims".into(), names(layout.ins()));
                object.insert("shape".into(), sizes(layout.ins()));
                object.insert("out".into(), names(&axes));
                cells::check_listed_bits(layout.in_bits())?;
                let element = |at: &[u64]| {
                    let mut shift = 0;
                    let place = layout.ins().iter().zip(at).fold(0, |place, (dim, value)| {
                        let place = place | value << shift;
                        shift += dim.bits;
                        place
                    });
                    Ok(json!(subject.coordinates(layout.apply_packed(place))))
                };
                object.insert("cells".into(), cells::nested(&extents(layout.ins()), &element)?);
            }
            LinearView::Bits => {
                let rows: Vec<Vec<u64>> = (0..layout.out_bits())
                    .map(|row| layout.columns().iter().map(|column| column >> row & 1).collect())
                    .collect();
                object.insert("shape".into(), json!([layout.out_bits(), layout.in_bits()]));
                object.insert("cells".into(), json!(rows));
            }
            LinearView::Banks(banks) => {
                if layout.in_dim(Name::OFFSET).is_none() {
                    let message = "banks are those of a shared memory; there is no in dim offset";
                    return Err(Error::new(Code::MissingDim, message));
                }
                object.insert("dims".into(), names(&axes));
                object.insert("shape".into(), sizes(&axes));
                cells::check_listed_bits(layout.out_bits())?;
                let banks_of = |subject: &LinearSubject| {
                    let bank = |at: &[u64]| Ok(json!(subject.offset(at).map(|offset| banks.bank(offset))));
                    cells::nested(&extents(&axes), &bank)
                };
                object.insert("cells".into(), banks_of(subject)?);
                if let Some(plain) = unswizzled(layout) {
                    object.insert("plain".into(), banks_of(&LinearSubject::new("", &plain))?);
                }
            }
        }
        Ok(())
    })
}

/// A coordinate of numbers and `_`.
pub(super) fn coordinate(value: &Value) -> Result<Vec<Option<u64>>, Error> {
    let wrong = || Error::new(Code::Kind, format!("{value} is no coordinate such as (_,0)"));
    let Value::Tuple(entries) = value else {
        return Err(wrong());
    };
    let number = |entry: &Entry| match entry {
        Entry::Keep => Ok(None),
        Entry::Number(Stride::Int(n)) => n.value().and_then(|n| u64::try_from(n).ok()).map(Some).ok_or_else(wrong),
        Entry::Number(_) => Err(wrong()),
    };
    entries.leaves().iter().map(number).collect()
}

/// The bits of an element of the tensor type that a text is: the number in `f16`, `bf16`, `i8`, `f8E5M2`.
pub(super) fn element_bits(text: &str) -> Option<u32> {
    let ExprKind::Shaped(shaped) = notation::parse(text, notation::Ints::Plain).ok()?.kind else {
        return None;
    };
    let digits = shaped.element.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok().filter(|bits| *bits > 0)
}
