//! Conversions between layouts: what moves, and how registers are taken together.

use bitstride::memory::{LaneTile, Scratch, bank_conflicts};
use serde_json::{Value, json};

use super::Answer;
use super::json::{layout, shown};
use crate::vectors::row::Row;

/// Our answer to a row of conversions.
pub(super) fn answer(row: &Row) -> Answer {
    let operand = |name: &str| layout(row.fields.get(name)?)?.ok();
    let a = operand("a")?;
    let out = row.fields.get("out");
    Some(match row.op.as_str() {
        "minimal_cvt" => a.minimal_cvt(&operand("b")?).map(|moves| shown(&moves, out)),
        "action_remove_broadcasted_regs" => a.action_remove_broadcasted_regs().map(|kept| json!(kept.picks())),
        "reg_perm_for_divide" => {
            let action = a.reg_perm_for_divide(&operand("b")?, row.fields.get("left")?.as_bool()?);
            Ok(action.map_or(Value::Null, |action| json!(action.picks())))
        }
        "get_reps" => Ok(a.get_reps(&operand("b")?).map_or(Value::Null, |reps| shown(&reps, out))),
        "largest_vectorisation" => {
            let bits = row.fields.get("bitwidth")?.as_i64()?;
            let most = row.fields.get("max_elems")?.as_i64();
            a.largest_vectorisation(bits, most).map(|(elems, action)| json!({"elems": elems, "perm": action.picks()}))
        }
        "optimal_swizzle" => {
            let (bits, banks) = (row.fields.get("bitwidth")?.as_i64()?, row.fields.get("num_banks")?.as_i64()?);
            Scratch::optimal(&a, &operand("b")?, bits, banks).map(|scratch| {
                json!({
                    "smem": shown(&scratch.layout, out.and_then(|out| out.get("smem"))),
                    "vec_bits": scratch.vector_bits(bits),
                    "read_conflicts": scratch.read_conflicts,
                    "write_conflicts": scratch.write_conflicts,
                })
            })
        }
        "optimal_swizzle_tiles" => {
            let bits = row.fields.get("bitwidth")?.as_i64()?;
            let (from, to) = (tiles(row.fields.get("src_tiles")?)?, tiles(row.fields.get("dst_tiles")?)?);
            Scratch::with_tiles(&a, &operand("b")?, bits, [&from, &to]).map(|(scratch, [from, to])| {
                let smem = shown(&scratch.layout, out.and_then(|out| out.get("smem")));
                json!({"smem": smem, "src_tile": from, "dst_tile": to})
            })
        }
        "bank_conflicts_memdesc" => {
            let (bits, banks) = (row.fields.get("bitwidth")?.as_i64()?, row.fields.get("num_banks")?.as_i64()?);
            bank_conflicts(&a, &operand("b")?, bits, banks).map(|conflicts| json!(conflicts))
        }
        _ => return None,
    })
}

/// Instructions as pairs of lane bits: those side by side in a vector, and those of the addresses.
fn tiles(value: &Value) -> Option<Vec<LaneTile>> {
    let bits = |value: &Value| -> Option<Vec<usize>> {
        value.as_array()?.iter().map(|bit| bit.as_u64().and_then(|bit| usize::try_from(bit).ok())).collect()
    };
    let tile = |value: &Value| Some(LaneTile { contiguous: bits(value.get(0)?)?, addresses: bits(value.get(1)?)? });
    value.as_array()?.iter().map(tile).collect()
}
