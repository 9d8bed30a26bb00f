//! The laws by which a difference is judged: tried by listing all places, with the plain layouts of
//! [`reference`](bitstride_oracle::reference), so that nothing of the fast path takes part.

use bitstride_oracle::laws::{self, Violation};
use bitstride_oracle::reference::{Linear, OracleError};
use serde_json::{Value, json};

use super::json::{numbers, reference};
use crate::vectors::laws::CheckResult;
use crate::vectors::row::Row;

/// Whether our answer to a question that Triton rejects holds its law; nothing when no law is known, or when our answer
/// is not one that the category of the rejection speaks of.
pub(in crate::vectors) fn law(row: &Row, ours: &str) -> Option<CheckResult> {
    let ours: Value = serde_json::from_str(ours).ok()?;
    let operand = |name: &str| reference(row.fields.get(name)?);
    match row.fields.get("error")?.as_str()? {
        "basis_not_below_out_size" if row.op == "divide_right" && ours.is_null() => {
            Some(laws::linear_divide_refusal(&operand("a")?, &operand("b")?, false))
        }
        "binding_cannot_return_empty_offset" => {
            let layout = reference(&ours)?;
            let empty = layout.bases().iter().any(|(name, bases)| name == "offset" && bases.is_empty());
            let shape = numbers(row.fields.get("shape")?)?;
            empty.then(|| covers(&layout, &shape).unwrap_or_else(|error| Err(error.into())))
        }
        _ => None,
    }
}

/// Whether our refusal holds; nothing when no law is known.
pub(in crate::vectors) fn refusal(row: &Row) -> Option<CheckResult> {
    const LAW: &str = "a layout of inferred sizes is surjective";
    let sizes = numbers(row.fields.get("stated_inferred_sizes")?)?;
    let names = row.fields.get("out_names")?.as_array()?;
    let outs: Vec<Value> = names.iter().zip(&sizes).map(|(name, size)| json!([name, size])).collect();
    let layout = reference(&json!({"bases": row.fields.get("bases")?, "outs": outs}))?;
    Some(match reaches_all(&layout) {
        Ok(false) => Ok(()),
        Ok(true) => Err(Violation { law: LAW, witness: "it is".to_owned() }),
        Err(error) => Err(error.into()),
    })
}

/// Every element of the shape has a place, no place lies outside of it, and no two offsets of a block hold the same
/// element.
fn covers(layout: &Linear, shape: &[i64]) -> Result<CheckResult, OracleError> {
    let wanted: Vec<(String, i64)> = shape.iter().enumerate().map(|(at, size)| (format!("dim{at}"), *size)).collect();
    let mut outs = layout.outs().to_vec();
    outs.sort();
    let offsets = layout.bases().iter().filter(|(name, _)| name == "offset").cloned().collect();
    let block = Linear::new(offsets, layout.outs().to_vec())?;
    let once = block.places()?.len() == block.image()?.len();
    let held = outs == wanted && reaches_all(layout)? && once;
    let witness = || format!("not by {layout} for {shape:?}");
    Ok(if held { Ok(()) } else { Err(Violation { law: "the places hold every element", witness: witness() }) })
}

fn reaches_all(layout: &Linear) -> Result<bool, OracleError> {
    let size: i64 = layout.outs().iter().map(|(_, size)| size).product();
    Ok(i64::try_from(layout.image()?.len()) == Ok(size))
}
