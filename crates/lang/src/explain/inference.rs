//! An inferred encoding: what each place holds before, what of it after, and where the encoding of the result comes from.

use super::steps::Steps;
use crate::Value;
use bitstride::Error;

/// `infer_…`, `is_legal_cat` and `tmem_load`; false for another operation.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<bool, Error> {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    let on = |encoding: &str, shape: &str| format!("to_linear({encoding}, {shape})");
    match (name, texts.as_slice()) {
        ("infer_trans", [encoding, shape, order]) => {
            let before = on(encoding, shape);
            if crate::evaluate(&before).is_ok() {
                steps.add("Before, each place holds the element:", &before)?;
                let after = format!("tensor_transpose({before}, {order})");
                steps.add("The transpose only puts its coordinates into the new order:", after)?;
            }
        }
        ("infer_reshape" | "infer_memdesc_reshape", [encoding, shape, to, ..]) => {
            let before = on(encoding, shape);
            if crate::evaluate(&before).is_ok() {
                steps.add("Before, each place holds the element:", &before)?;
                steps.add(
                    "After it, the element of the same number, the last dim the fastest:",
                    format!("tensor_reshape({before}, {to})"),
                )?;
            }
        }
        ("infer_join" | "infer_split", [encoding, shape]) => {
            steps.add("Before, each place holds the element:", on(encoding, shape))?;
        }
        ("infer_fp4_to_fp", [encoding, shape, dim]) => {
            let rule =
                format!("Each place holds a byte, from whose index x along dim {dim} come the elements 2x and 2x + 1:");
            steps.add(rule, on(encoding, shape))?;
        }
        ("infer_fp_to_fp4", [encoding, shape, dim]) => {
            let rule =
                format!("The elements 2x and 2x + 1 along dim {dim}, in two registers of a thread, make the byte x:");
            steps.add(rule, on(encoding, shape))?;
        }
        ("infer_expand_dims", [encoding, dim]) => {
            steps
                .add(format!("The operand is a slice along dim {dim}, so that the result is its parent:"), encoding)?;
        }
        ("infer_reduce", [encoding, dim]) => {
            let rule = format!(
                "Each place keeps its coordinates but the one along dim {dim}, so that the result is a slice of:"
            );
            steps.add(rule, encoding)?;
        }
        ("infer_broadcast", [encoding, _, to]) => {
            steps.add("Repeated elements lie as those of a tensor of the larger shape:", on(encoding, to))?;
        }
        ("infer_gather", [encoding, indices, ..]) => {
            steps.add("Each element lies where its index lies:", on(encoding, indices))?;
        }
        ("is_legal_cat", [encoding, shape, operand, operand_shape]) => {
            let registers = |layout: String| format!("action_remove_broadcasted_regs({layout})");
            steps.add(
                "The bits of a register that are no copies, in an operand:",
                registers(on(operand, operand_shape)),
            )?;
            steps.add("And in the result:", registers(on(encoding, shape)))?;
        }
        ("infer_memdesc_index", [encoding, _]) => {
            steps.add("The encoding lays out one buffer, so that each buffer has it:", encoding)?;
        }
        ("infer_memdesc_subslice", [encoding, ..]) => {
            steps.add(
                "The part lies in the allocation of the whole, so that it has the encoding of the whole:",
                encoding,
            )?;
        }
        ("tmem_load", [variant, block, warps, bits]) => {
            let load = format!("tmem_load({variant}, {block}, {warps}, {bits})");
            if let Ok(answer) = crate::evaluate(&load)
                && let Ok(layout) = answer.value.as_linear()
            {
                let outs: Vec<String> = layout.outs().iter().map(|dim| dim.name.to_string()).collect();
                steps.add(
                    "A warp reaches 32 rows of tensor memory, and its lanes hold:",
                    format!("sublayout({load}, lane, ({}))", outs.join(",")),
                )?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}
