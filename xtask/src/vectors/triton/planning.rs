//! Conversions between layouts: what moves, and how registers are taken together.

use bitstride::memory::{Conversion, LaneExchange, LaneTile, Matrices, Scratch, WarpShuffles, Way, bank_conflicts};
use serde_json::{Map, Value, json};

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
        "warp_shuffle_decomp" => {
            let bits = row.fields.get("bitwidth")?.as_i64()?;
            WarpShuffles::new(&a, &operand("b")?, bits).and_then(|shuffles| {
                let part = |name: &str| out.and_then(|out| out.get(name));
                let exchange = |exchange: &LaneExchange| {
                    json!({
                        "reg_bit": exchange.register,
                        "src_lane": exchange.source_lane.and_then(|lane| i64::try_from(lane).ok()).unwrap_or(-1),
                        "dst_lane": exchange.target_lane,
                        "sel": exchange.selectors,
                    })
                };
                Ok(json!({
                    "p_reg": shown(&shuffles.register_map()?, part("p_reg")),
                    "shuffle_map": shown(&shuffles.lanes, part("shuffle_map")),
                    "mixed": shuffles.exchanges.iter().map(exchange).collect::<Vec<_>>(),
                    "n_pack": shuffles.packed,
                }))
            })
        }
        "bank_conflicts_memdesc" => {
            let (bits, banks) = (row.fields.get("bitwidth")?.as_i64()?, row.fields.get("num_banks")?.as_i64()?);
            bank_conflicts(&a, &operand("b")?, bits, banks).map(|conflicts| json!(conflicts))
        }
        _ => return None,
    })
}

/// What a row of compiled conversions states of it: the counts that follow from the layouts.
pub(super) fn stated(fields: &Map<String, Value>) -> Option<Map<String, Value>> {
    let ptx = fields.get("ptx")?;
    let mut stated = Map::new();
    for name in ["class", "minimal_cvt_dims", "mixed_transpositions"] {
        stated.insert(name.to_owned(), fields.get(name)?.clone());
    }
    for name in ["shared_bytes", "shfl"] {
        stated.insert(name.to_owned(), ptx.get(name)?.clone());
    }
    for name in ["stmatrix", "ldmatrix"] {
        stated.insert(name.to_owned(), json!(ptx.get(name)?.as_u64()? > 0));
    }
    Some(stated)
}

/// Our answer to a compiled conversion.
pub(super) fn compiled(row: &Row) -> Answer {
    let (source, target) = (layout(row.fields.get("src_layout")?)?.ok()?, layout(row.fields.get("dst_layout")?)?.ok()?);
    let bits = row.fields.get("bitwidth")?.as_i64()?;
    let matrices = if row.fields.get("sm")?.as_i64()? >= 90 { Matrices::LoadAndStore } else { Matrices::Load };
    let conversion = match Conversion::new(&source, &target, bits, matrices) {
        Ok(conversion) => conversion,
        Err(error) => return Some(Err(error)),
    };
    let dims: Vec<&str> = conversion.moves.ins().iter().map(|dim| dim.name.as_str()).collect();
    let (class, bytes, shuffles, store, load) = match &conversion.way {
        Way::Nothing | Way::Registers => ("register", 0, 0, 0, 0),
        Way::Shuffles { shuffles, .. } => ("shuffle", 0, *shuffles, 0, 0),
        Way::Memory { bytes, store, load, .. } => ("shared", *bytes, 0, *store, *load),
    };
    Some(Ok(json!({
        "class": class,
        "minimal_cvt_dims": dims,
        "mixed_transpositions": conversion.exchanged,
        "shared_bytes": bytes,
        "shfl": shuffles,
        "stmatrix": store > 0,
        "ldmatrix": load > 0,
    })))
}

/// Instructions as pairs of lane bits: those side by side in a vector, and those of the addresses.
fn tiles(value: &Value) -> Option<Vec<LaneTile>> {
    let bits = |value: &Value| -> Option<Vec<usize>> {
        value.as_array()?.iter().map(|bit| bit.as_u64().and_then(|bit| usize::try_from(bit).ok())).collect()
    };
    let tile = |value: &Value| Some(LaneTile { contiguous: bits(value.get(0)?)?, addresses: bits(value.get(1)?)? });
    value.as_array()?.iter().map(tile).collect()
}
