//! Encodings that Triton infers for the results of operations, as attributes.

use bitstride::triton::Encoding;
use serde_json::{Value, json};

use super::Answer;
use super::json::numbers;
use crate::vectors::row::Row;

/// Our answer to a row: the attribute as we print it, or as the row has it where both are the same encoding.
pub(super) fn answer(row: &Row) -> Answer {
    let field = |name: &str| row.fields.get(name);
    let operand: Encoding = field("operand")?.as_str()?.parse().ok()?;
    let shape = numbers(field("shape")?)?;
    let to = field("to").and_then(numbers);
    let order =
        field("order").and_then(numbers).map(|order| order.into_iter().filter_map(|dim| usize::try_from(dim).ok()));
    let axis = field("axis").and_then(Value::as_i64);
    let inferred = match row.op.as_str() {
        "trans" | "memdesc_trans" => operand.infer_trans(&shape, &order?.collect::<Vec<_>>()),
        "reshape" => operand.infer_reshape(&shape, &to?),
        "memdesc_reshape" => operand.infer_memdesc_reshape(&shape, &to?),
        "join" => operand.infer_join(&shape),
        "split" => operand.infer_split(&shape),
        "reduce" => operand.infer_reduce(axis?),
        "expand_dims" => operand.infer_expand_dims(axis?),
        _ => return None,
    };
    Some(inferred.map(|encoding| match field("out").and_then(Value::as_str) {
        Some(out) if out.parse().as_ref() == Ok(&encoding) => json!(out),
        _ => json!(encoding.to_string()),
    }))
}
