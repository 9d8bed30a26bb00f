//! Conversions between layouts: what moves, and how registers are taken together.

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
        _ => return None,
    })
}
