//! What is asked of one expression, in which the names of the sheet stand for their values.

use bitstride::Class;
use bitstride::notation::Ints;
use bitstride_json::with_text_numbers;
use bitstride_lang::explain::{Explanation, explain_with};
use bitstride_lang::{Outermost, Sheet, Spelling, Value, evaluate_in, notations, repairs};
use serde_json::{Value as Json, json};

use crate::sheet::members;
use crate::{refused, written};

/// The answer, or why there is none.
pub(crate) fn answer(sheet: &Sheet, expression: &str) -> Json {
    match evaluate_in(expression, Ints::Plain, sheet.names()) {
        Ok(answer) => with_text_numbers(bitstride_json::answer(&answer, Spelling::Plain).into()),
        Err(error) => {
            let mut refusal = refused(expression, &error, expression, 0);
            refusal["error"]["repairs"] = json!(repairs(expression, &error, Ints::Plain, sheet.names()));
            refusal
        }
    }
}

/// The steps that lead to the answer, and the text that the command line prints.
pub(crate) fn explain(sheet: &Sheet, expression: &str) -> Json {
    let written = match written(sheet, expression) {
        Ok(written) => written,
        Err(refusal) => return refusal,
    };
    match explain_with(&written, Ints::Plain) {
        // A text that cannot be read is refused, as there is nothing to explain.
        Ok(Explanation { outcome: Err(error), .. }) if error.code().class() == Class::Unreadable => {
            refused(&written, &error, &written, 0)
        }
        Ok(explanation) => {
            let mut object = with_text_numbers(bitstride_json::explanation(&explanation, Spelling::Plain).into());
            if let Err(error) = &explanation.outcome {
                object["error"] = refused(&written, error, &written, 0)["error"].take();
            }
            object["expression"] = written.into();
            object["text"] = explanation.to_string().into();
            object
        }
        Err(error) => refused(&written, &error, &written, 0),
    }
}

/// The same layout in every notation, or what stands against each.
pub(crate) fn in_notations(sheet: &Sheet, expression: &str) -> Json {
    if let Err(error) = evaluate_in(expression, Ints::Plain, sheet.names()) {
        return refused(expression, &error, expression, 0);
    }
    let entry = |notation: &str| {
        let question = format!("convert({expression}, {notation})");
        let mut entry = json!({"notation": notation, "expression": question});
        if let Json::Object(entry) = &mut entry {
            entry.extend(members(answer(sheet, &question)));
        }
        entry
    };
    json!({ "notations": notations().map(entry).collect::<Vec<Json>>() })
}

/// Questions of one operand; those that a kind refuses are left out of its answer.
const FACTS: [&str; 26] = [
    "size",
    "rank",
    "depth",
    "shape",
    "stride",
    "cosize",
    "coshape",
    "is_injective",
    "is_surjective",
    "is_invertible",
    "is_bijective",
    "holes",
    "coalesce",
    "right_inverse",
    "left_inverse",
    "nullspace",
    "kernel",
    "image",
    "free_variable_masks",
    "num_consecutive_in_out",
    "describe",
    "byte_size",
    "padded_size",
    "padding",
    "describe_tiles",
    "is_valid",
];

/// What is true of the value of an expression.
pub(crate) fn facts(sheet: &Sheet, expression: &str) -> Json {
    if let Err(error) = evaluate_in(expression, Ints::Plain, sheet.names()) {
        return refused(expression, &error, expression, 0);
    }
    let fact = |name: &str| {
        let question = format!("{name}({expression})");
        let found = evaluate_in(&question, Ints::Plain, sheet.names()).ok()?;
        let mut entry = json!({"name": name, "expression": question});
        if let Json::Object(entry) = &mut entry {
            entry.extend(members(with_text_numbers(bitstride_json::answer(&found, Spelling::Plain).into())));
        }
        Some(entry)
    };
    json!({ "facts": FACTS.iter().filter_map(|name| fact(name)).collect::<Vec<Json>>() })
}

/// The law of the operation that an expression is, and whether the answer obeys it at every point.
pub(crate) fn law(sheet: &Sheet, expression: &str) -> Json {
    let written = match written(sheet, expression) {
        Ok(written) => written,
        Err(refusal) => return refusal,
    };
    let operation = Outermost::of(&written, Ints::Plain).map(|call| call.operation);
    let question = format!("law {written}");
    let mut object = match evaluate_in(&question, Ints::Plain, sheet.names()) {
        Ok(answer) => {
            let holds = matches!(answer.value, Value::Bool(true));
            json!({"holds": holds, "notes": answer.notes})
        }
        Err(error) => {
            let mut refusal = refused(&question, &error, &question, 0);
            refusal["holds"] = Json::Null;
            refusal
        }
    };
    object["expression"] = question.into();
    object["statement"] = json!(operation.and_then(|operation| operation.statement()));
    object["words"] = json!(operation.map(|operation| operation.statement_words()).unwrap_or_default());
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_is_an_operation_of_one_operand() {
        for name in FACTS {
            let operation = bitstride_lang::operation(name).expect(name);
            assert!((operation.arity().0..=operation.arity().1).contains(&1), "{name}");
        }
    }
}
