//! The JSON of `bitstride show` of linear layouts.

use bitstride::linear::{Dim, Name};
use bitstride::{Code, Error};
use bitstride_draw::scene::{LinearSubject, LinearView, unswizzled};
use bitstride_lang::Answer;
use serde_json::{Value as Json, json};

use super::cells::{self, Object};

/// `{"kind", "value", "dims", "shape", "cells"}`: the dims of the cells in order, their sizes, and nested arrays. A cell
/// of the tensor is the list of its places, each a number for each of `"in"`; a cell of the hardware is the element, a
/// number for each of `"out"`; a cell of the bits is 0 or 1; a cell of the banks is a number, and `"plain"` has those
/// before the swizzle.
pub(super) fn object(answer: &Answer, subject: &LinearSubject, view: &LinearView) -> Object {
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
