//! `law` and `obeys`: the answer that is checked, and each requirement of the law with the points at which it was checked.

use crate::explain::steps::Steps;
use crate::{Value, call};
use bitstride::Error;

/// The steps of a law that is checked; `obeys` has the answer before the operation.
pub(super) fn explain(name: &str, values: &[Value], steps: &mut Steps) -> Result<(), Error> {
    let (given, called) = if name == "obeys" { values.split_at(1) } else { values.split_at(0) };
    let Some((named, operands)) = called.split_first() else { return Ok(()) };
    let texts: Vec<String> = operands.iter().map(ToString::to_string).collect();
    let computed = format!("{named}({})", texts.join(", "));
    if given.is_empty() {
        steps.add("The answer, which the law calls R:", &computed)?;
    }
    let checked = call(name, values)?.notes.join("; ");
    let all: Vec<String> = values.iter().map(ToString::to_string).collect();
    steps.add(
        format!("The law of {named}, checked point by point. {checked}."),
        format!("{name}({})", all.join(", ")),
    )?;
    Ok(())
}
