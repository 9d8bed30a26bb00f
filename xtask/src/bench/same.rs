//! The cases of the bench of `same`: two layouts of any families, of 4x4 and of 2^20 x 2^20 elements, which have to cost
//! the same.

use std::hint::black_box;

use bitstride::Error;
use bitstride::map::{Form, Map};
use bitstride_lang::evaluate;

use super::peer::{Peer, measured, python};
use super::suite::{Case, Suite};

/// Comparing across families; tensor-layouts, which compares element by element, beside it.
pub(super) const SUITE: Suite = Suite { name: "same", cases, peers };

/// Twelve digits on either side.
const DIGITS: [&str; 2] = [
    "((2,3,2,3,2,3),(2,3,2,3,2,3)):((1,36,6,2592,216,186624),(559872,3359232,20155392,120932352,725594112,4353564672))",
    "((6,6,6),(6,6,6)):((1,36,6),(559872,20155392,725594112))",
];

const MMA: &str =
    "tensor<128x128xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>>";
const NVMMA: &str = "!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, \
                     elementBitWidth=16}>, #ttg.shared_memory>";

fn cases() -> Result<Vec<Case>, Error> {
    let tiled = "f32[1048576,1048576]{1,0:T(8,128)}";
    Ok(vec![
        same("cute_4", "(4,4):(1,4) and ((2,2),(2,2)):((1,2),(4,8))", ["(4,4):(1,4)", "((2,2),(2,2)):((1,2),(4,8))"])?,
        same(
            "cute_2048",
            "(2048,2048):(1,2048) and ((32,64),(64,32)):((1,32),(2048,131072))",
            ["(2048,2048):(1,2048)", "((32,64),(64,32)):((1,32),(2048,131072))"],
        )?,
        same(
            "cute_2_20",
            "(2^20,2^20):(1,2^20) and ((2^10,2^10),(2^10,2^10)) of the same",
            ["(1048576,1048576):(1,1048576)", "((1024,1024),(1024,1024)):((1,1024),(1048576,1073741824))"],
        )?,
        same("digits_12", "12 digits of 2 and 3, and 6 of 6", DIGITS)?,
        same(
            "xla_cute_16",
            "f32[16,256]{1,0:T(8,128)} and ((8,2),(128,2)):((128,2048),(1,1024))",
            ["f32[16,256]{1,0:T(8,128)}", "((8,2),(128,2)):((128,2048),(1,1024))"],
        )?,
        same("xla_cute_2_20", "the same of 2^20 x 2^20", [tiled, "((8,131072),(128,8192)):((128,8388608),(1,1024))"])?,
        same(
            "swizzle_nvmma",
            "Sw<3,3,3> o (64,64):(64,1) and NVMMA shared, 128 bytes",
            ["Sw<3,3,3> o (64,64):(64,1)", NVMMA],
        )?,
        same("differ_2_20", "T(8,128) and T(4,128) of 2^20 x 2^20", [tiled, "f32[1048576,1048576]{1,0:T(4,128)}"])?,
        cute("to_cute_16", "f32[16,256]{1,0:T(8,128)}", "f32[16,256]{1,0:T(8,128)}")?,
        cute("to_cute_2_20", "f32[2^20,2^20]{1,0:T(8,128)}", tiled)?,
        cute("to_cute_swizzled", "the inverse of NVMMA shared, 128 bytes", &format!("inverse({NVMMA})"))?,
        form("form_mma", "MMA v2 on 128x128", MMA)?,
        form("form_xla_2_20", "f32[2^20,2^20]{1,0:T(8,128)}", tiled)?,
    ])
}

fn map(text: &str) -> Result<Map, Error> {
    evaluate(text)?.value.as_map()
}

fn same(name: &'static str, operands: &'static str, pair: [&str; 2]) -> Result<Case, Error> {
    let (left, right) = (map(pair[0])?, map(pair[1])?);
    Ok(Case::new(name, operands, move || black_box(&left).same(black_box(&right))))
}

fn form(name: &'static str, operands: &'static str, text: &str) -> Result<Case, Error> {
    let map = map(text)?;
    Ok(Case::new(name, operands, move || Form::of(black_box(&map))))
}

fn cute(name: &'static str, operands: &'static str, text: &str) -> Result<Case, Error> {
    let map = map(text)?;
    Ok(Case::new(name, operands, move || black_box(&map).to_cute()))
}

/// `pip install tensor-layouts`.
fn peers() -> Vec<Peer> {
    measured("tensor-layouts", &mut python("same.py", &[])).into_iter().collect()
}
