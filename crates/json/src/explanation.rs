//! An explanation as JSON: the rules that fired, with the answer or the refusal.

use bitstride_lang::Spelling;
use bitstride_lang::explain::Explanation;
use serde_json::{Map, Value as Json, json};

/// The object of an explanation. Expressions are plain in a spelling that is not read.
pub fn explanation(explanation: &Explanation, spelling: Spelling) -> Map<String, Json> {
    let mut object = Map::new();
    let table: Map<String, Json> =
        explanation.table.iter().map(|row| (row.name.to_owned(), row.value.clone().into())).collect();
    object.insert("table".into(), Json::Object(table));
    if !explanation.assumptions.is_empty() {
        object.insert("assumptions".into(), json!(explanation.assumptions));
    }
    let steps: Vec<Json> = explanation
        .steps()
        .map(|step| {
            let expression = step.expression_in(spelling.reading());
            json!({"rule": step.rule, "expression": expression, "value": spelling.text(&step.value)})
        })
        .collect();
    object.insert("steps".into(), steps.into());
    object.extend(match &explanation.outcome {
        Ok(answer) => crate::answer(answer, spelling),
        Err(error) => crate::refusal(error),
    });
    object
}
