//! The operations of linear layouts.

use bitstride::Error;
use bitstride::linear::{LinearLayout, Name};
use serde_json::{Value, json};

use super::json::{bases, layout, names, numbers, shown, sized};
use super::{Answer, view};
use crate::vectors::row::Row;

/// The operands of a row, each read when it is used.
struct Asked<'a>(&'a Row);

impl Asked<'_> {
    fn field(&self, name: &str) -> Option<&Value> {
        self.0.fields.get(name)
    }

    fn layout(&self, name: &str) -> Option<LinearLayout> {
        layout(self.field(name)?)?.ok()
    }

    fn name(&self, field: &str) -> Option<Name> {
        Name::new(self.field(field)?.as_str()?).ok()
    }

    fn names(&self, field: &str) -> Option<Vec<Name>> {
        names(self.field(field)?)?.ok()
    }

    fn places(&self, field: &str) -> Option<Vec<usize>> {
        numbers(self.field(field)?)?.into_iter().map(|at| usize::try_from(at).ok()).collect()
    }
}

/// Our answer to a row of the algebra.
pub(super) fn answer(row: &Row) -> Answer {
    let asked = Asked(row);
    let out = row.fields.get("out");
    if let Some(made) = made(&asked) {
        return Some(made.map(|layout| shown(&layout, out)));
    }
    let a = asked.layout("a")?;
    if let Some(two) = asked.layout("b") {
        return of_two(row, &a, &two);
    }
    if let Some(changed) = changed(&asked, &a) {
        return Some(changed.map(|layout| shown(&layout, out)));
    }
    described(&asked, &a)
}

/// Operations that make a layout of other things.
fn made(asked: &Asked<'_>) -> Option<Result<LinearLayout, Error>> {
    let args = || asked.field("args")?.as_array();
    let number = |at: usize| args()?.get(at)?.as_i64();
    let name = |at: usize| Name::new(args()?.get(at)?.as_str()?).ok();
    Some(match asked.0.op.as_str() {
        "identity_1d" => LinearLayout::identity(number(0)?, name(1)?, name(2)?),
        "strided_1d" => LinearLayout::strided(number(0)?, number(1)?, name(2)?, name(3)?),
        "zeros_1d" => LinearLayout::zeros(number(0)?, name(1)?, name(2)?, number(3).unwrap_or(1)),
        "identity_standard_nd" => {
            let shape = numbers(asked.field("shape")?)?;
            LinearLayout::identity_standard_nd(asked.name("dim")?, &shape, &asked.places("order")?)
        }
        "from_bases" => {
            let (bases, names) = (bases(asked.field("bases")?)?.ok()?, asked.names("out_names")?);
            let surjective = asked.field("require_surjective")?.as_bool()?;
            let sizes = numbers(asked.field("out_sizes")?);
            LinearLayout::from_named_bases(&bases, &names, sizes.as_deref(), surjective)
        }
        _ => return None,
    })
}

/// Operations of two layouts.
fn of_two(row: &Row, a: &LinearLayout, b: &LinearLayout) -> Answer {
    let out = row.fields.get("out");
    let optional = |layout: Option<LinearLayout>| Ok(layout.map_or(Value::Null, |layout| shown(&layout, out)));
    let layout = match row.op.as_str() {
        "mul" => a.product(b),
        "compose" => a.compose(b),
        "invert_and_compose" => a.invert_and_compose(b),
        "lstsq" => a.lstsq(b),
        "concat_ins" => a.concat_ins(b),
        "concat_outs" => a.concat_outs(b),
        "eq" => return Some(Ok(json!(a == b))),
        "equal_ignoring_out_sizes" => return Some(Ok(json!(a.equal_ignoring_out_sizes(b)))),
        "divide_left" => return Some(optional(a.divide_left(b))),
        "divide_right" => return Some(optional(a.divide_right(b))),
        _ => return None,
    };
    Some(layout.map(|layout| shown(&layout, out)))
}

/// Operations that change one layout.
fn changed(asked: &Asked<'_>, a: &LinearLayout) -> Option<Result<LinearLayout, Error>> {
    let dims = || sized(asked.field("dims")?)?.ok();
    let (dim, size) = (|| asked.name("dim"), || asked.field("size")?.as_i64());
    Some(match asked.0.op.as_str() {
        "invert" => a.invert(),
        "pseudoinvert" => a.pseudoinvert(),
        "reshape_ins" => a.reshape_ins(&dims()?),
        "reshape_outs" => a.reshape_outs(&dims()?),
        "transpose_ins" => a.transpose_ins(&asked.names("names")?),
        "transpose_outs" => a.transpose_outs(&asked.names("names")?),
        "sublayout" => a.sublayout(&asked.names("ins")?, &asked.names("outs")?),
        "remove_zero_bases" => a.remove_zero_bases_along_dim(dim()?),
        "resize_in_dim" => a.resize_in_dim(dim()?, size()?),
        "resize_out_dim" => a.resize_out_dim(dim()?, size()?),
        "rename_in_dim" => a.rename_in_dim(dim()?, asked.name("to")?),
        "squeeze_ins" => a.squeeze_ins(dim()?),
        "squeeze_outs" => a.squeeze_outs(dim()?),
        "zeros_like" => Ok(a.zeros_like()),
        "tensor_reshape" => a.tensor_reshape(&numbers(asked.field("shape")?)?),
        "tensor_transpose" => a.tensor_transpose(&asked.places("order")?),
        _ => return None,
    })
}

/// Operations that tell something of one layout.
fn described(asked: &Asked<'_>, a: &LinearLayout) -> Answer {
    Some(match asked.0.op.as_str() {
        "apply" => a
            .apply(&sized(asked.field("x")?)?.ok()?)
            .map(|image| image.into_iter().map(|(name, value)| json!([name.as_str(), value])).collect()),
        "matrix" => Ok(json!(a.matrix())),
        "to_string" => Ok(json!(a.to_triton_string())),
        "distributed_view" | "shared_view" => view(a, asked.field("hw")?.as_bool()?),
        "sublayout_is_zero" => a.sublayout_is_zero(&asked.names("ins")?, &asked.names("outs")?).map(Value::Bool),
        "square_sublayout_is_identity" => a.square_sublayout_is_identity(&asked.names("names")?).map(Value::Bool),
        "is_trivial_over" => Ok(json!(a.is_trivial_over(&asked.names("names")?))),
        "quotient" => {
            let layout = a.quotient(&asked.names("names")?);
            Ok(layout.map_or(Value::Null, |layout| shown(&layout, asked.field("out"))))
        }
        "free_variable_masks" => {
            Ok(a.free_variable_masks().iter().map(|(name, mask)| json!([name.as_str(), mask])).collect())
        }
        "num_consecutive" => Ok(json!(a.num_consecutive_in_out())),
        "contiguous_elems_along_out_dim" => {
            a.contiguous_elems_along_out_dim(asked.name("dim")?).map(|elems| json!(elems))
        }
        _ => return None,
    })
}
