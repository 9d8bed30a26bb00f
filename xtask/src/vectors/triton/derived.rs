//! Layouts derived for an instruction: loads from tensor memory, scales.

use bitstride::triton::{Sizes, TensorMemoryLoad, mfma_scale, wmma_scale};
use serde_json::Value;

use super::Answer;
use super::json::{numbers, shown};
use crate::vectors::row::Row;

/// Our answer to a row of derived layouts.
pub(super) fn answer(row: &Row) -> Answer {
    let parameters = row.fields.get("params")?;
    let number = |name: &str| parameters.get(name).and_then(Value::as_i64);
    let sizes = |value: &Value| numbers(value).map(|sizes| Sizes::from_slice(&sizes));
    let shape = numbers(parameters.get("shape")?)?;
    let out = row.fields.get("out");
    Some(match row.op.as_str() {
        "tmem_reg" => {
            let bits = if parameters.get("dtype")? == "float16" { 16 } else { 32 };
            let warps = number("num_warps")?;
            let registers = TensorMemoryLoad::named(parameters.get("variant")?.as_str()?)
                .and_then(|load| load.registers(&shape, warps, bits));
            registers.map(|layout| layout.map_or(Value::Null, |layout| shown(&layout, out)))
        }
        "mfma_scale" => {
            let tiles = sizes(parameters.get("tiles_per_warp")?)?;
            let warps = sizes(parameters.get("warps_per_cta")?)?;
            mfma_scale(number("op_idx")?, &shape, number("mdim")?, &tiles, &warps).map(|layout| shown(&layout, out))
        }
        "wmma_scale" => {
            let warps: Option<Vec<_>> = parameters.get("warp_bases")?.as_array()?.iter().map(sizes).collect();
            wmma_scale(number("op_idx")?, &shape, number("scale_factor")?, &warps?).map(|layout| shown(&layout, out))
        }
        _ => return None,
    })
}
