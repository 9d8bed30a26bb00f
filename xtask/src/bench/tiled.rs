//! The cases of the tiled bench: arrays of 16x16 and of 65536x65536 elements, which have to cost the same.

use std::hint::black_box;

use bitstride::Error;
use bitstride::xla::{Array, Image, Shape, mosaic};

use super::peer::{Peer, measured, python};
use super::suite::{Case, Suite};

/// Text, places and decisions; XLA's text and Mosaic's maps beside them, through jaxlib.
pub(super) const SUITE: Suite = Suite { name: "tiled", cases, peers };

const TEXT: &str = "bf16[65536,65536]{1,0:T(8,128)(2,1)}";

fn cases() -> Result<Vec<Case>, Error> {
    let shape: Shape = TEXT.parse()?;
    let array: Array = TEXT.parse()?;
    let image = Image::of(&array)?;
    let (forward, backward) = (image.clone(), image);
    let map = array.clone();
    let whole = array.clone();
    Ok(vec![
        Case::new("parse", TEXT, || black_box(TEXT).parse::<Shape>()),
        Case::new("print", TEXT, move || black_box(&shape).to_string()),
        Case::new("image", TEXT, move || Image::of(black_box(&whole))),
        Case::new("offset", "index (4321,1234) of that", move || black_box(&forward).offset(black_box(&[4321, 1234]))),
        Case::new("place", "offset 4321^2 of that", move || black_box(&backward).place(black_box(4321 * 4321))),
        same(
            "same_16",
            "bf16[16,16]{1,0:T(8,128)(2,1)} and [2,8,16]",
            ["bf16[16,16]{1,0:T(8,128)(2,1)}", "bf16[2,8,16]{2,1,0:T(8,128)(2,1)}"],
        )?,
        same(
            "same_65536",
            "bf16[65536,65536]{1,0:T(8,128)(2,1)} and [8192,8,65536]",
            [TEXT, "bf16[8192,8,65536]{2,1,0:T(8,128)(2,1)}"],
        )?,
        same(
            "differs_16",
            "T(8,128)(2,1) and T(8,128) of [16,16]",
            ["bf16[16,16]{1,0:T(8,128)(2,1)}", "bf16[16,16]{1,0:T(8,128)}"],
        )?,
        same(
            "differs_65536",
            "T(8,128)(2,1) and T(8,128) of [65536,65536]",
            [TEXT, "bf16[65536,65536]{1,0:T(8,128)}"],
        )?,
        same(
            "carrying_16",
            "f32[16,11,10]{2,1,0:T(2,*,3)} and [2,8,11,10]",
            ["f32[16,11,10]{2,1,0:T(2,*,3)}", "f32[2,8,11,10]{3,2,1,0:T(2,*,3)}"],
        )?,
        same(
            "carrying_65536",
            "f32[65536,65536,10]{2,1,0:T(2,*,3)} and [256,256,65536,10]",
            ["f32[65536,65536,10]{2,1,0:T(2,*,3)}", "f32[256,256,65536,10]{3,2,1,0:T(2,*,3)}"],
        )?,
        transpose(
            "transpose_16",
            "f32[16,16]{1,0:T(8,128)} by (1,0)",
            ["f32[16,16]{1,0:T(8,128)}", "f32[16,16]{0,1:T(8,128)}"],
        )?,
        transpose(
            "transpose_65536",
            "f32[65536,65536]{1,0:T(8,128)} by (1,0)",
            ["f32[65536,65536]{1,0:T(8,128)}", "f32[65536,65536]{0,1:T(8,128)}"],
        )?,
        Case::new("affine_map", TEXT, move || mosaic::affine_map(black_box(&map))),
    ])
}

fn same(name: &'static str, operands: &'static str, pair: [&str; 2]) -> Result<Case, Error> {
    let (left, right): (Array, Array) = (pair[0].parse()?, pair[1].parse()?);
    Ok(Case::new(name, operands, move || black_box(&left).same_memory(black_box(&right))))
}

fn transpose(name: &'static str, operands: &'static str, pair: [&str; 2]) -> Result<Case, Error> {
    let (left, right): (Array, Array) = (pair[0].parse()?, pair[1].parse()?);
    Ok(Case::new(name, operands, move || black_box(&left).same_transposed(black_box(&right), &[1, 0])))
}

/// `pip install jaxlib`.
fn peers() -> Vec<Peer> {
    measured("jaxlib", &mut python("tiled.py", &[])).into_iter().collect()
}
