//! The JSON of `bitstride show` of XLA's tiled arrays.

use bitstride::Error;
use bitstride::xla::Place;
use bitstride_draw::scene::{TiledLook, TiledSubject, TiledView};
use bitstride_lang::Answer;
use serde_json::{Value as Json, json};

use super::cells::{self, Object};

/// `{"kind", "value", "shape", "cells"}`: the extents of the dims that are drawn, and the offsets as nested arrays; of
/// the memory `{"kind", "value", "shape", "memory"}`: for each offset the index of its element, null in padding.
pub(super) fn object(answer: &Answer, subject: &TiledSubject, view: TiledView, look: &TiledLook) -> Object {
    let image = subject.image();
    cells::object(answer, &answer.value.to_string(), |object| {
        match view {
            TiledView::Memory => {
                check_listed(image.size())?;
                object.insert("shape".into(), json!(image.dims()));
                let held = (0..image.size()).map(|offset| {
                    Ok(match image.place(offset)? {
                        Place::Element(index) => json!(index),
                        Place::Padding => Json::Null,
                    })
                });
                object.insert("memory".into(), held.collect::<Result<Vec<Json>, Error>>()?.into());
            }
            TiledView::Index => {
                let slice = subject.slice(look)?;
                let free = slice.iter().zip(image.dims()).filter(|(at, _)| at.is_none());
                let shape: Vec<i64> = free.map(|(_, extent)| *extent).collect();
                // Each is an extent of the array, whose elements are counted.
                check_listed(if shape.contains(&0) { 0 } else { shape.iter().product() })?;
                let offset = |free: &[i64]| {
                    let mut free = free.iter().copied();
                    let index: Vec<i64> = slice.iter().filter_map(|fixed| fixed.or_else(|| free.next())).collect();
                    Ok(image.offset(&index)?.into())
                };
                object.insert("shape".into(), json!(shape));
                object.insert("cells".into(), cells::nested(&shape, &offset)?);
            }
        }
        Ok(())
    })
}

fn check_listed(count: i64) -> Result<(), Error> {
    cells::check_listed(u64::try_from(count).ok(), "entries")
}
